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

# deleting the run deletes everything but that, and the numbers of later launches go on
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

# the file may be anything
for text in '' '[' '{"again":7,"x":"[1]"}' '{"again":"[{\"n\":99,\"state\":\"Failed\"}]","../x":"[{\"n\":1}]"}'; do
	printf '%s' "$text" >state/history
	run 0 apply --local again.tj
	run 0 history --local; holds grep -q '^again  *[0-9]' .out
	run 0 delete --local --yes --force again
done
run 0 history --local again; holds grep -q '^100 ' .out
end
