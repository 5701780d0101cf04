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

# deleting the run deletes its history
run 0 delete --local --yes again
holds test ! -e state/runs
end
