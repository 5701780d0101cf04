#!/bin/sh
# history.sh - the last ten ended runs of a name are kept, and can be shown and removed.
. "$(dirname "$0")/local.inc"
clean_up_runs

program again <<'END'
  role a { command = ["sh", "-c", "echo $WORD; exit $CODE"] }
END
for i in 1 2 3; do
	run $((i == 2 ? 8 : 0)) run --local -e WORD=word$i -e CODE=$((i == 2 ? 3 : 0)) again.tj
done
run 0 list --local -o name; holds test "$(cat .out)" = run/again
run 0 list --local --all -o name; holds test "$(tr '\n' ' ' <.out)" = "run/again run/again~1 run/again~2 "
run 0 logs --local again; says out "a/0 │ word3"
run 0 logs --local again~1; says out "a/0 │ word1"
run 0 status --local again~2; holds grep -qE '^again~2 +Failed +a ' .out
run 0 status --local -o json again~2; json 'open(d["runs"][0]["replicas"][0]["log"]).read(), d["runs"][0]["name"]' "('word2\\n', 'again~2')"
run 8 wait --local again~2
run 5 suspend --local again~1; says err "has ended"

# a program that does not start leaves everything unchanged
printf 'job "again" { image = "registry.example.com/test:1"\n role a { command = ["no-such-program"] } }\n' >wrong.tj
run 8 run --local wrong.tj
run 0 logs --local again; says out "a/0 │ word3"
run 0 list --local --all -o name; holds test "$(wc -l <.out)" -eq 3

# one of them is removed alone, and its number is not used again
run 0 delete --local --yes again~1
run 2 status --local again~1; says err "again~2"
for i in 4 5 6 7 8 9 10 11 12 13; do
	run 0 run --local -e WORD=word$i -e CODE=0 again.tj
done
run 0 list --local --all -o name; holds test "$(wc -l <.out)" -eq 11
holds grep -qx run/again~12 .out
if grep -qx run/again~2 .out; then fail "there are more than ten"; else ok; fi

# what was launched, and how it ended
run 0 history --local again; holds test "$(head -n 1 .out | xargs)" = 'N STARTED ENDED STATE CODE CAUSE'
holds test "$(wc -l <.out)" -eq 11; holds grep -qE '^13 .* Succeeded +done' .out
run 0 history --local -o json again
json '[x["n"] for x in d["runs"][0]["launches"]], d["runs"][0]["launches"][0]["images"], d["runs"][0]["launches"][0]["file"]' \
	"([4, 5, 6, 7, 8, 9, 10, 11, 12, 13], ['registry.example.com/test:1'], 'again.tj')"

# a program, or the last launch, is compared with an earlier one
run 0 diff --local again --against 13; holds test ! -s .out
program other <<'END'
  role a { command = ["sleep", "600"] }
END
sed 's/job "other"/job "again"/' other.tj >compared.tj
run 1 diff --local compared.tj --against 13; holds grep -qx '  a command' .out; holds grep -qx '+     sleep 600' .out
run 1 diff --local compared.tj --against 13 -o json
json 'd["runs"][0]["against"], d["runs"][0]["complete"], [x["name"] for x in d["runs"][0]["fields"]]' \
	"(13, True, ['a command'])"
run 2 diff --local again --against 3; says err "run 'again' has no launch 3; its history has 4, 5,"
run 2 diff --local again.tj; says err "--against N compares it with an earlier launch"

# deleting the run deletes everything but its launches, and later launches continue the numbers
run 0 delete --local --yes again
holds test ! -e state/runs
holds test "$(stat -c %a state/history)" = 600
run 0 history --local; holds grep -qE '^again +13 .* Succeeded +done' .out
run 8 run --local -e CODE=5 again.tj
run 0 history --local again~3; holds grep -qE '^14 .* Failed +a-0 failed: exit code 5' .out
program again <<'END'
  role a { command = ["sleep", "600"] }
END
begin again
run 0 history --local again; holds grep -qE '^15 +[^ ]+ +(Starting|Running)' .out
run 0 delete --local --yes --force again
wait "$command"
run 0 history --local again; holds test "$(tail -n 1 .out | cut -d' ' -f1)" = 15
run 2 history --local nobody; says err "no run 'nobody' on this machine, and none is remembered"

run 2 history --local agian; says err "no run 'agian' on this machine, and none is remembered; did you mean 'again'?"

# the file may have anything in it
for text in '' '{"again":7,"x":"[1]"}' '{"again":"[{\"n\":99,\"state\":\"Failed\"}]","../x":"[{\"n\":1}]"}'; do
	printf '%s' "$text" >state/history
	run 0 apply --local again.tj
	run 0 history --local; holds grep -q '^again  *[0-9]' .out
	run 0 delete --local --yes --force again
done
run 0 history --local again; holds grep -q '^100 ' .out

# unreadable WHY: commands report that state/history cannot be read, and leave it unchanged
unreadable() {
	run 0 apply --local again.tj
	run 0 history --local; holds grep -qE '^again +1 ' .out
	says err "the history of deleted runs cannot be read: '"; says err "history': $1"
	run 0 delete --local --yes --force again
	says err "the history of run 'again' is not kept: '"; says err "history': $1"
}
for text in '[' '{"again":"[{\"n\":1}]"' '["again"]'; do
	printf '%s' "$text" >state/history
	unreadable "the file is damaged"
	holds test "$(cat state/history)" = "$text"
done
truncate -s 5M state/history; unreadable "is larger than 4 MiB"; holds test "$(stat -c %s state/history)" = 5242880
rm state/history; mkfifo state/history; unreadable "is not a regular file"; holds test -p state/history
rm state/history; mkdir state/history; unreadable "is a directory"; rmdir state/history

# a number in the file decides nothing: it removes no directory, and hides no later launch
program hello <<'END'
  role a { command = ["true"] }
END
for i in 1 2 3; do run 0 run --local hello.tj; done
for number in 999999999 1000001 1000000 999990; do
	printf '{"hello":"[{\\"n\\":%s,\\"state\\":\\"Failed\\"}]"}' $number >state/history
	run 0 run --local hello.tj
	run 0 list --local --all -o name
	for kept in hello~1 hello~2; do holds grep -qx "run/$kept" .out; done
	run 0 history --local hello; holds grep -q ' Succeeded ' .out
done
run 0 delete --local --yes hello
rm state/history
run 0 run --local hello.tj
mv state/runs/hello "state/runs/hello~500"
for i in 1 2 3 4 5 6 7 8 9 10 11 12; do run 0 run --local hello.tj; done
run 0 list --local --all -o name; holds test "$(wc -l <.out)" -eq 11; holds grep -qx 'run/hello~502' .out
if grep -qx 'run/hello~501' .out; then fail "more than the newest are kept"; else ok; fi
run 0 delete --local --yes hello

# many names take time and memory in proportion
python3 -c 'import json; print(json.dumps({"many-%d" % i: "[{\"n\":1,\"state\":\"Failed\"}]" for i in range(6000)}))' >state/history
case ${BUILD:-} in *asan* | *cover*) room=unlimited ;; *) room=1500000 ;; esac         # sanitizers need memory of their own
(ulimit -v $room; "$TRAINC" history --local >.out 2>.err)
holds test $? -eq 0; holds test "$(grep -c '^many-' .out)" -eq 6000
end
