#!/bin/sh
# sync_broken.sh - after a `sync --local` that failed in the middle, the next one makes all copies what they should be,
# whichever code it brings: that of before, the same, or another.
. "$(dirname "$0")/local.inc"
can_mount || {
	skip "no mount namespaces here"
	end
}
clean_up_runs
private=-Urm
unshare -m true 2>/dev/null && private=-m
mkdir src
code() {        # code WORD FILE...: the program has these files, with this word in each
	word=$1
	shift
	rm -rf src/*
	for file; do
		mkdir -p "src/$(dirname "$file")"
		echo "$word" >"src/$file"
	done
}
program job <<'END2'
  code { dir = "src", sync = true }
  role worker { replicas = 2, grace = 1s, command = ["sh", "-c", "cat b; exec sleep 600"] }
END2
copies=$TRAINC_STATE_DIR/runs/job/scratch
# is_code WORD FILE...: both copies have these files with this word, and no others.
is_code() {
	word=$1
	shift
	for i in 0 1; do
		got=$(cd "$copies/worker-$i/code" && find . -type f | while read -r f; do echo "$f=$(cat "$f")"; done | sort | xargs)
		want=$(for file; do echo "./$file=$word"; done | sort | xargs)
		if test "$got" = "$want"; then ok; else fail "worker-$i has '$got', not '$want'"; fi
	done
}
# broken REPLICA FILE: a sync that cannot replace this file, because something is mounted there, and it only.
broken() {
	cat >blocked <<-END2
		exec unshare $private sh -c 'mount --bind /dev/null "\$1" && shift && exec "\$@"' - \
			"$copies/worker-$1/code/$2" "$TRAINC" "\$@"
	END2
	chmod +x blocked
	plain=$TRAINC TRAINC=./blocked
	run 8 sync --local job
	TRAINC=$plain
	says err "worker/$1: cannot replace '$2'"
	says err "replicas may have different code now; when the cause is gone, the same command completes"
}
begun() { test -e "$TRAINC_STATE_DIR/runs/job/code/begun"; }

code v1 a b c
run 0 apply --local job.tj
is_code v1 a b c

# back to the code of before, after one replica has the new one and the other has a part of it
for failing in 0 1; do
	code v2 a a2 b c d
	broken $failing b
	holds begun
	code v1 a b c
	run 0 sync --local job; says out "run/job synced worker: 2 of 2"
	is_code v1 a b c
	if begun; then fail "the note is left"; else ok; fi
	run 0 sync --local job; says out "run/job unchanged worker: 2 of 2"
done

# the same code again
code v2 a a2 b c d
broken 1 b
run 0 sync --local job
is_code v2 a a2 b c d

# another code: what only the failed one had is gone, also after several that failed; their archives stay until then
code v3 a a3 b c
broken 1 b
code v4 a a4 b c
broken 1 b
code v5 a a5 b c
broken 1 b
kept=$TRAINC_STATE_DIR/runs/job/code
holds test "$(grep -c . "$kept/begun")" -eq 4
for id in $(cut -d' ' -f3 "$kept/begun"); do holds test -e "$kept/$id"; done
code v5 a b c
run 0 sync --local job
is_code v5 a b c
run 0 sync --local job
holds test "$(ls "$kept" | wc -l)" -eq 1

# the command is killed before the keeper knows that the files were replaced
code v6 a a6 b c
keeper=$(value job 's["keeper"][0]')
kill -STOP "$keeper"
"$TRAINC" sync --local job >/dev/null 2>&1 &
command=$!
before 10 grep -qs v6 "$copies/worker-1/code/c"
kill -9 "$command"
wait "$command" 2>/dev/null
kill -CONT "$keeper"
code v5 a b c
run 0 sync --local job; says out "run/job synced worker"
is_code v5 a b c

# sync prints the old id correctly, although later states have replaced the memory that held it
MALLOC_PERTURB_=165; export MALLOC_PERTURB_
code v7 a b c
run 0 sync --local job
holds grep -qE '\(was [0-9a-f]{12}\)' .out
unset MALLOC_PERTURB_
run 0 sync --local --restart -o json job
json 'd["result"] if "result" in d else d["runs"][0]["result"]' synced

# a copy that starts anew has the code of its peers
lines=$(logs job worker-0 | wc -l)
run 0 restart --local job worker/0
again() { test "$(logs job worker-0 | wc -l)" -gt "$lines"; }
before 10 again
is_code v7 a b c
run 0 status --local -o json job
json 'len({x["code"] for x in d["runs"][0]["replicas"]})' 1
run 0 sync --local job; says out "unchanged"

# a directory that the program has made below a file of the old code, or in its place; also an empty one
for place in x/cache x/cache/deep/er; do
	code v8 a b x/f
	run 0 sync --local job
	mkdir -p "$copies/worker-1/code/$place"
	code v9 a b x
	run 8 sync --local job
	says err "worker/1: 'x' is a directory in which the program has written"
	says err "nothing was changed in any replica"
	is_code v8 a b x/f
	rm -r "$copies/worker-1/code/x/cache"
	run 0 sync --local job
	is_code v9 a b x
done
rm "$copies/worker-1/code/x"; mkdir "$copies/worker-1/code/x"
code v10 a b x
run 8 sync --local job; says err "worker/1: 'x' is a directory in which the program has written"
rmdir "$copies/worker-1/code/x"
run 0 sync --local job
is_code v10 a b x

# directories of the old code whose files the program has deleted
code v11 a b y/deep/f y/g z/f
run 0 sync --local job
rm "$copies/worker-1/code/y/deep/f"; rm -r "$copies/worker-0/code/y/deep" "$copies/worker-0/code/z"
code v12 a b y z
run 0 sync --local job
is_code v12 a b y z

# another sync ends while this one still compiles: this one replaces the code that the other one brought
code v13 a b only13
mkfifo params.json
"$TRAINC" sync --local --params params.json job >slow 2>&1 &
command=$!
exec 8>params.json       # once the command reads it, which is after it has read the state
printf '{' >&8
run 0 sync --local job
is_code v13 a b only13
code v14 a b
echo '}' >&8
exec 8>&-
(while echo '{}' >params.json; do sleep 0.2; done) &    # it reads the file more than once
feeder=$!
wait "$command"
holds test $? -eq 0
kill $feeder
holds grep -q '^run/job synced worker: 2 of 2' slow
is_code v14 a b

# a note that cannot be read
code v15 a b
for line in 'worker x' 'worker 99999999999999999999999999999999999999 0123456789ab' 'worker  0123456789ab' 'worker 0 '; do
	echo "$line" >"$TRAINC_STATE_DIR/runs/job/code/begun"
	run 8 sync --local job; says err "begun' is damaged; start the run again"
	is_code v14 a b
done
run 0 delete --local --yes --force job
nothing_left job
end
