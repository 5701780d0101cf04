#!/bin/sh
# inputs.sh - unintended inputs: never a crash, never a hang, always a position and a message.
. "$(dirname "$0")/cli.inc"

case $BUILD in *asan* | *cover*) seconds=90 ;; *) seconds=20 ;; esac        # sanitizers need their own memory

# refused NAME: check ends in time with status 1 and a message, and does not crash.
refused() {
	timeout "$seconds" "$TRAINC" check "$1" >.out 2>.err </dev/null
	got=$?
	if test $got -eq 1; then ok; else fail "check of $1: status $got"; fi
	holds grep -q '\[TJ[0-9]*\]' .err
	if test "$(wc -c <.err)" -lt 200000; then ok; else fail "$1: $(wc -c <.err) bytes of diagnostics"; fi
	silent out
}

run 1 check absent.tj; says err "absent.tj"; says err "no such file"
mkdir directory.tj
run 1 check directory.tj; says err "is a directory"
run 1 check ""; says err "[TJ0001]"
good closed.tj; chmod 000 closed.tj
# as another user, if this one may read everything
other='setpriv --reuid=65534 --regid=65534 --clear-groups'
if ! test -r closed.tj; then
	run 1 check closed.tj; says err "permission denied"
elif chmod 711 . && $other "$TRAINC" version >/dev/null 2>&1; then
	$other "$TRAINC" check "$work/closed.tj" >.out 2>.err; holds test $? -eq 1; says err "permission denied"
else
	skip "unreadable file: this user may read everything"
fi
ln -s loop.tj loop.tj; run 1 check loop.tj; says err "[TJ0001]"
# a manifest belongs to another command, and nothing else about it is reported
printf 'apiVersion: batch/v1\nkind: Job\nspec: {a: ${B}}\n' >job.yaml; printf '[{"apiVersion": "v1"}]\n' >job.json
for command in check compile plan 'fmt --check'; do
	run 1 $command job.yaml; says err "'trainc import job.yaml' makes a program of it"; holds test "$(grep -c 'error:' .err)" -eq 1
	run 1 $command job.json; says err "'trainc import job.json'"
done
printf 'import "directory.tj" as d\n' >imports.tj; run 1 check imports.tj; says err "[TJ0208]"
escape=$(printf 'a\033[31m\nb.tj'); cp imports.tj "$escape"
run 1 check "$escape"; holds test "$(grep -c "$(printf '\033')" .err)" -eq 0
mkfifo pipe.tj
good program.tj
{ cat program.tj >pipe.tj & } 2>/dev/null
run 0 check pipe.tj

: >empty.tj; run 0 check empty.tj; run 0 compile empty.tj
printf 'job "a' >cut.tj; refused cut.tj
printf 'job "a": b(c = {d = [1, "${' >cut2.tj; refused cut2.tj
printf 'let a = 1\0\nlet b = "x\0y"\n' >nul.tj; refused nul.tj
printf 'let a = "\377\376"\nlet \303\50 = 1\n' >utf8.tj; refused utf8.tj
printf '\357\273\277let a = @\n' >bom.tj; refused bom.tj
head -c 200000 /dev/zero | tr '\0' '(' >deep.tj; refused deep.tj
{ printf 'let a = '; head -c 200000 /dev/zero | tr '\0' '['; } >deep2.tj; refused deep2.tj
{ printf 'let a = '; head -c 200000 /dev/zero | tr '\0' '-'; echo 1; } >deep3.tj; refused deep3.tj
{ printf 'let a = '; yes 'if true then 1 else ' | head -n 20000 | tr -d '\n'; echo; } >chain.tj; refused chain.tj
{ printf 'let a = "'; yes '${"' | head -n 20000 | tr -d '\n'; } >strings.tj; refused strings.tj
{ printf 'job "a" '; yes '{ role x ' | head -n 20000 | tr -d '\n'; } >bodies.tj; refused bodies.tj
head -c 10000000 /dev/zero | tr '\0' 'a' >line.tj; refused line.tj
head -c 10000000 /dev/zero | tr '\0' '@' >junk.tj; refused junk.tj
head -c 2000000 /dev/urandom >random.tj; refused random.tj
yes 'let x = “' | head -n 100000 >looks.tj; refused looks.tj           # look-alikes past the limit of messages
yes 'let x = @' | head -n 100000 >many.tj; refused many.tj
says err "more errors are not shown"
{ printf 'let a = '; head -c 1000000 /dev/zero | tr '\0' '9'; echo; } >number.tj; refused number.tj
{ printf '"""\n'; head -c 1000000 /dev/zero | tr '\0' '\n'; } >block.tj; refused block.tj
cat >memory.tj <<'EOF'
fn row(n: int, i: int) -> list[map[string]] = [{ A = "${i}", B = "${j}", C = "${i * j}" } for j in range(n)]
let many = [row(2000, i) for i in range(2000)]
check len(many) > 0 else "never said"
EOF
refused memory.tj; says err "stopped after 256 MiB of values"
head -c 70000000 /dev/zero >huge.tj; run 1 check huge.tj; says err "larger than 64 MiB"; rm huge.tj

# a manifest whose last tokens fill the token buffer: nothing after them is read (sanitizers would notice)
for n in $(seq 90 120); do
	{ seq -s ' ' 1 "$n" | sed 's/[0-9][0-9]*/1/g'; printf 'apiVersion:'; } >end.tj
	timeout 20 "$TRAINC" check end.tj >.out 2>.err; holds test $? -eq 1
done

# a file that is not text gets one message
head -c 100000 "$TRAINC" >binary.tj; refused binary.tj
holds test "$(grep -c 'error: ' .err)" -eq 1; says err "this is not a text [TJ0101]"
{ cat binary.tj; printf '\0\n  # allow TJ0815\n'; } >allowed.tj
run 1 check allowed.tj; says err "this is not a text [TJ0101]"
holds test "$(grep -c ': warning: ' .err)" -eq 0
printf '\377\376j\0o\0b\0' >wide.tj; refused wide.tj
holds test "$(grep -c 'error: ' .err)" -eq 1; says err "this text is UTF-16"
run 1 fmt binary.tj; says err "this is not a text"

# cut off anywhere: at every byte of one example, at some bytes of the others
python3 - "$root" <<-'END'
	import glob, os, sys
	os.mkdir("cut")
	n = 0
	for path in sorted(glob.glob(sys.argv[1] + "/examples/*/*.tj")):
	    data = open(path, "rb").read()
	    for end in range(0, len(data), 1 if path.endswith("/llm.tj") else 29):
	        os.makedirs("cut/%d" % (n // 100), exist_ok=True)
	        with open("cut/%d/%d.tj" % (n // 100, n), "wb") as f:
	            f.write(data[:end])
	        n += 1
END
for hundred in cut/*; do
	for command in check compile "fmt --diff"; do
		ASAN_OPTIONS=exitcode=99 UBSAN_OPTIONS=exitcode=99 timeout 120 "$TRAINC" $command "$hundred"/*.tj >.out 2>.err </dev/null
		got=$?
		holds test $got -le 1
		test "$command" != compile || test $got -eq 0 || silent out             # nothing half-written
	done
done
holds test "$(find cut -name '*.tj' | wc -l)" -gt 1500

# empty results are reported and are not a failure
run 0 compile -; silent out; says err "trainc: standard input is empty; a program has at least one job"
run 0 compile empty.tj; silent out; says err "no job in the input"
run 0 check -; says err "[TJ0822]"
mkdir folder
"$TRAINC" compile - <folder >.out 2>.err; holds test $? -eq 1; says err "standard input cannot be read: is a directory"

printf 'job "a" {\n  image = "a:1"\n  role worker { }\n}\n' >folder/one.tj
run 1 env folder; says err "'folder' is a directory"; says err "name a program in it: one.tj"

# a misspelled file
cp folder/one.tj letter.tj
printf 'n: 1\n' >values.yaml
for command in check fmt 'dump --tokens' env; do
	run 1 $command leter.tj; says err "did you mean 'letter.tj'?"
done
run 1 check letter.tj --params valuse.yaml; says err "did you mean 'values.yaml'?"
run 1 fmt folder/none; silent out
run 3 compile letter.tj --output-dir letter.tj; says err "cannot write to 'letter.tj'"; says err "a part of the path is not a directory"

# input that is not a manifest
printf '[{"kind": "Job"}]\n' >list.json
run 1 import list.json; says err "found a list"; says err '"kind": "List", "items": [...]'
printf 'NAME STATUS\n' >table.yaml
run 1 import table.yaml; says err "'kubectl get KIND NAME -o yaml' prints a manifest"
printf '#!/bin/sh\npython train.py\n' >script.sh
run 1 import script.sh; says err "found a text"; says err "lines begin with '#SBATCH'"
printf 'services:\n  a: {image: "x:1"}\n' >compose.yaml
run 1 import compose.yaml; says err "this is a file of Docker Compose"; says err "'trainc init' writes a program"
run 1 import -; says err "standard input is empty"
printf '# nothing\n' >comment.yaml
run 1 import comment.yaml; says err "no manifest in 'comment.yaml': it holds only comments"
: >nothing.yaml
run 1 import nothing.yaml; says err "'nothing.yaml' is empty"
run 1 import tabel.yaml; says err "no such file"; says err "did you mean 'table.yaml'?"
printf '\377\376k\000i\000' >wide.yaml
run 1 import wide.yaml; says err "this text is UTF-16"; says err "iconv -f UTF-16 -t UTF-8"
printf 'k\000i\000' >wide.yaml
run 1 import wide.yaml; says err "this text is UTF-16"

# input that must not be read as an option, a directory or standard input
run 1 check ./-; says err "[TJ0001]"

# a file that the defaults of its own project import
mkdir own
printf 'import "lib.tj" as lib\nproject {\n  defaults { queue = lib.team }\n}\n' >own/project.tj
printf 'let team = "nlp"\n' >own/lib.tj
run 0 check own/lib.tj; silent out
printf 'import "lib.tj" as lib\nlet team = lib.team\n' >own/again.tj
printf 'import "again.tj" as again\nlet team = "nlp"\nlet other = again.team\n' >own/lib.tj
run 1 check own/lib.tj; says err "[TJ0209]"
end
