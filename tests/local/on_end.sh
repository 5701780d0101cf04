#!/bin/sh
# on_end.sh - the command of --on-end: once for each run, after its verdict, with facts that it cannot mistake for commands.
. "$(dirname "$0")/local.inc"

program good <<'END'
  role worker { command = ["true"] }
END
program bad <<'END'
  role worker { command = ["sh", "-c", "echo '$(touch injected); `touch injected`' >&2; exit 3"] }
END

# what the command gets; its output is on standard error, so that -o json stays one document
hook='echo "$TRAINC_RUN|$TRAINC_STATE|$TRAINC_CAUSE|$TRAINC_STATUS|$TRAINC_SECONDS" >>said; cat >state.json; echo printed'
run 0 run --local -o json --on-end "$hook" good.tj
holds grep -qx 'good|Succeeded|[^|]*|0|[0-9]*' said
holds grep -q '"name": "good"' state.json
holds python3 -c 'import json; assert json.load(open(".out"))["runs"][0]["state"] == json.load(open("state.json"))["runs"][0]["state"] == "Succeeded"'
holds grep -qx printed .err
rm said
run 8 run --local --on-end "$hook" bad.tj
holds grep -qx 'bad|Failed|worker-0 failed: exit code 3|8|[0-9]*' said
if test -e injected; then fail "a text of the program was run"; else ok; fi

# its failure is reported and changes no status
run 0 run --local --on-end 'exit 5' good.tj
says err "run 'good': the command of --on-end ended with status 5"
run 0 run --local --on-end 'kill -9 $$' good.tj
says err "run 'good': the command of --on-end was killed by signal 9"

# wait and apply; a command that ends before the run does has nothing to run it for
# a run may end before `apply` waits for it
for i in 1 2 3 4 5 6 7 8 9 10; do
	rm -f said
	run 0 apply --local --rerun --for=complete --on-end "$hook" good.tj
	holds test "$(wc -l <said)" = 1
done
run 8 wait --local --on-end "$hook" bad
holds test "$(wc -l <said)" = 2
run 2 apply --local --on-end "$hook" good.tj
says err "--on-end needs --for=complete"
run 2 run --local --on-end https://example.com/hook good.tj
says err "--on-end is a command, not an address"

# not after an interrupt
program long <<'END'
  role worker { command = ["sleep", "30"], grace = 1s }
END
rm -f said
"$TRAINC" run --local --on-end "$hook" long.tj >.out 2>.err &
job=$!
until "$TRAINC" status --local long 2>/dev/null | grep -q Running; do sleep 0.05; done
kill -TERM $job
wait $job
if test -e said; then fail "the command ran after an interrupt"; else ok; fi
end
