#!/bin/sh
# bounds.sh - what a project reads and writes: nothing outside of it, nothing that is ignored, and only its own files
# are replaced.
. "$(dirname "$0")/cli.inc"

job() { printf 'job "a" { image = "a/b:1", command = ["run"]\n  role w { cpu = 1, memory = 64Mi } }\n'; }
mkdir -p p && job >p/a.tj
strict() { printf 'project { policies = ["policy.tj"] }\n' >p/project.tj; printf 'policy "no" { check false else "refused" }\n' >p/policy.tj; }

# ---- an unusable project.tj is an error: otherwise its policies would be dropped ----
strict; run 1 check p/a.tj; says err "[TJ0901]"
rm p/project.tj; mkdir p/project.tj
run 1 check p/a.tj; says err "'p/project.tj' cannot be read: is a directory"
rmdir p/project.tj; ln -s project.tj p/project.tj
run 1 check p/a.tj; says err "'p/project.tj' cannot be read"
rm p/project.tj; truncate -s 65M p/project.tj
run 1 check p/a.tj; says err "larger than 64 MiB"
rm p/project.tj; mkfifo p/project.tj
run 1 check p/a.tj; says err "is a pipe without a writer"
rm p/project.tj; strict
other='setpriv --reuid=65534 --regid=65534 --clear-groups'
chmod 000 p/project.tj; chmod 711 .
if ! test -r p/project.tj; then
	run 1 check p/a.tj; says err "permission denied"
elif $other "$TRAINC" version >/dev/null 2>&1; then
	$other "$TRAINC" check "$work/p/a.tj" >.out 2>.err; holds test $? -eq 1; says err "permission denied"
fi
chmod 644 p/project.tj
deep=p/$(seq -s / 1 40)
mkdir -p "$deep" && job >"$deep/a.tj"
run 1 check "$deep/a.tj"; says err "[TJ0901]"
(cd "$deep" && "$TRAINC" check a.tj >"$work/.out" 2>"$work/.err"); holds test $? -eq 1; says err "[TJ0901]"

# ---- policies, imports and packages stay inside, even through links ----
printf 'policy "x" { check true else "x" }\n' >outside.tj
printf 'project { policies = ["../outside.tj"] }\n' >p/project.tj
run 1 check p/a.tj; says err "is outside the project [TJ0210]"
cp outside.tj before.tj; run 1 check --fix p/a.tj; same outside.tj before.tj
printf 'project { policies = ["/etc/passwd"] }\n' >p/project.tj
run 1 check p/a.tj; says err "outside the project"; holds test "$(grep -c root .err)" -eq 0
printf 'project { policies = ["leak.tj"] }\n' >p/project.tj; ln -s /etc/passwd p/leak.tj
run 1 check p/a.tj; says err "outside the project"; holds test "$(grep -c root .err)" -eq 0
printf 'project { }\n' >p/project.tj
{ echo 'import "leak.tj" as l'; job; } >p/b.tj
run 1 check p/b.tj; says err "'leak.tj' is outside the project [TJ0210]"; holds test "$(grep -c root .err)" -eq 0
rm p/leak.tj; mkdir p/real; printf 'let n = 1\n' >p/real/leak.tj; ln -s real/leak.tj p/leak.tj
run 0 check p/b.tj                      # a link that stays inside
mkdir pk; printf 'let image = "a/b:1"\n' >pk/x.tj; ln -s ../pk p/pk
printf 'project { packages { acme = "pk" } }\n' >p/project.tj
(cd p && "$TRAINC" vendor >"$work/.out" 2>"$work/.err"); holds test $? -eq 1; says err "is outside the project"
rm p/pk

# ---- the lock covers all files of a package ----
low=p/pk/$(seq -s / -f 'd%g' 1 18)
mkdir -p "$low"; printf 'let image = "a/b:1"\n' >"$low/r.tj"; printf 'let top = 1\n' >p/pk/top.tj
vendor() { (cd p && "$TRAINC" vendor >"$work/.out" 2>"$work/.err"); }
vendor; holds test $? -eq 0
printf 'import acme.%s.r as r\njob "a" { image = r.image, command = ["run"], role w { cpu = 1, memory = 64Mi } }\n' "$(seq -s . -f 'd%g' 1 18)" >p/c.tj
run 0 check p/c.tj
printf 'let image = "evil/b:1"\n' >"$low/r.tj"
run 1 check p/c.tj; says err "[TJ0214]"
ln -s /etc/passwd p/pk/l.tj; vendor; holds test $? -eq 1; says err "is a symbolic link, which the lock cannot cover"
rm p/pk/l.tj; mkdir p/pk/.h; printf 'let n = 1\n' >p/pk/.h/x.tj; printf 'import ".h/x.tj" as x\nlet n = x.n\n' >p/pk/top.tj
vendor; printf 'import acme.top as t\n' >p/d.tj; job >>p/d.tj
run 1 check p/d.tj; says err "'.h/x.tj' is hidden [TJ0210]"

# ---- a link, a device, a pipe, another user's file keeps its nature ----
printf 'job   "a"{image="a/b:1",command=["run"]\nrole w{cpu=1,memory=64Mi}}\n' >real.tj
ln -s real.tj l.tj; ln real.tj twin.tj; run 0 fmt l.tj
holds test -L l.tj; same real.tj twin.tj; run 0 fmt --check real.tj
printf 'job   "a"{image="a/b:1",command=["run"]\nrole w{cpu=1,memory=64Mi}}\n' >locked.tj; chmod 444 locked.tj
run 3 fmt locked.tj; says err "cannot write 'locked.tj': it is read-only"
run 0 compile --depfile /dev/null real.tj; holds test -c /dev/null
mkfifo f; run 3 compile --depfile f real.tj; says err "without a reader"; holds test -p f
timeout 10 cat f >read & reader=$!
run 0 compile --depfile f real.tj; wait $reader; holds grep -q '^real.yaml:' read
cp real.tj before.tj
run 3 compile --depfile real.tj real.tj; says err "'real.tj' is not a make rule"; same real.tj before.tj
: >empty.d; run 0 compile --depfile empty.d real.tj; run 0 compile --depfile empty.d real.tj; holds test -s empty.d
run 0 compile --force --depfile before.tj real.tj; holds grep -q '^real.yaml:' before.tj
ln -s elsewhere.d new.d; run 3 compile --depfile new.d real.tj; says err "it is a link to nothing"

# ---- leftovers of killed runs ----
run 0 compile --output-dir out real.tj
first=$(ls out | head -1)
: >"out/.$first.trainc-new"; : >"out/..trainc-objects.trainc-new"
run 0 compile --output-dir out real.tj; holds test "$(ls -A out | grep -c trainc-new)" -eq 0
mkdir killed; : >killed/..trainc-objects.trainc-new
run 0 compile --output-dir killed real.tj; holds test "$(ls -A killed | grep -c trainc-new)" -eq 0

# ---- errors count even if the reader of the output has disconnected ----
printf 'job "a" { imgae = "x" }\n' >bad.tj
printf 'job   "a"{image="a/b:1",command=["run"]\nrole w{cpu=1,memory=64Mi}}\n' >ugly.tj
for command in 'check --format json bad.tj' 'fmt --diff ugly.tj' 'check --format sarif bad.tj'; do
	{ "$TRAINC" $command 2>.err; echo $? >.status; } | (exec <&-; sleep 0.2)
	if test "$(cat .status)" -eq 1; then ok; else fail "$command into a closed pipe: status $(cat .status)"; fi
done

# ---- operands that never end ----
mkfifo never.tj; mkdir o; mkfifo o/x.tj; printf 'import "o/x.tj" as x\n' >i.tj
for file in never.tj i.tj /dev/zero; do
	timeout 5 "$TRAINC" check $file >.out 2>.err; holds test $? -eq 1
done
for file in /dev/zero never.tj; do
	timeout 5 "$TRAINC" import $file >.out 2>.err; holds test $? -eq 1
done

# ---- control characters of a name or a value do not reach a terminal ----
escape=$(printf '\033[31m\302\233\342\200\256')
printf 'job "a" { image = "a/b:1", command = ["run"]\n  role w { cpu = 1, memory = 64Mi, env { A = "\\u{1b}[31m\\u{9b}\\u{202e}" } } }\n' >esc.tj
run 0 env esc.tj; says out '\x1b[31m'; holds test "$(grep -c "$(printf '\033')" .out)" -eq 0; holds test "$(grep -c "$(printf '\302\233')" .out)" -eq 0
for command in "compile --job $escape real.tj" "explain $escape" "fmt $escape.tj" "import $escape.yaml" "vendor crd $escape" "compile --set $escape real.tj"; do
	"$TRAINC" $command >.out 2>.err </dev/null
	if cat .out .err | grep -q "$(printf '\033')\|$(printf '\302\233')\|$(printf '\342\200\256')"; then
		fail "control characters in: $command"; cat -v .out .err | head -3
	else
		ok
	fi
done

# ---- the cost of many settings grows in proportion ----
seq -f 'param p%g: string = "x"' 1 20000 >many.tj; job >>many.tj
(ulimit -t 10; "$TRAINC" check many.tj $(seq -f '--set p%g=y' 1 20000) >.out 2>.err)
if test $? -eq 0; then ok; else fail "many settings"; fi

echo "$passed passed, $failed failed, $skipped skipped"
test $failed -eq 0
