#!/bin/sh
# streams.sh - which output goes where, and outputs that cannot be written.
. "$(dirname "$0")/cli.inc"
good good.tj
bad bad.tj

# results to standard output, diagnostics to standard error
run 0 compile good.tj; silent err; says out "kind: Job"
run 1 compile bad.tj; silent out; says err "bad.tj:3:15: error: "
run 1 compile good.tj bad.tj; silent out            # nothing half-written
run 1 check bad.tj; silent out; says err "[TJ0202]"
run 0 check good.tj; silent out; silent err
run 1 check --format json bad.tj; silent err; says out '"code":"TJ0202"'
run 1 compile --format json bad.tj; silent out; says err '"code":"TJ0202"'
run 1 check --format sarif bad.tj; silent err; says out '"version":"2.1.0"'
run 0 check --format json good.tj; silent out
run 0 check -; says err "[TJ0822]"      # standard input is empty
"$TRAINC" check - <bad.tj >.out 2>.err; says err "<stdin>:3:15: error: "
"$TRAINC" compile - <good.tj >.out 2>.err; says out "kind: Job"

# warnings do not fail the command; --deny-warnings does
sed 's/hello:1.0/hello:latest/' good.tj >latest.tj
run 0 compile latest.tj; says out "kind: Job"; says err "[TJ0815]"
run 1 compile --deny-warnings latest.tj; silent out; says err "error: "
run 1 check --deny-warnings --format json latest.tj; says out '"denied":true'
sed 's/^  image.*/&   # allow TJ0815: tested daily/' latest.tj >allowed.tj
run 0 check allowed.tj; silent err

# colour
run 1 check --color=always bad.tj; holds grep -q "$(printf '\033')" .err
run 1 check bad.tj; holds test "$(grep -c "$(printf '\033')" .err)" -eq 0
FORCE_COLOR=1 "$TRAINC" check bad.tj 2>.err; holds grep -q "$(printf '\033')" .err
CLICOLOR_FORCE=1 NO_COLOR=1 "$TRAINC" check bad.tj 2>.err; holds test "$(grep -c "$(printf '\033')" .err)" -eq 0
FORCE_COLOR=1 "$TRAINC" check --color=never bad.tj 2>.err; holds test "$(grep -c "$(printf '\033')" .err)" -eq 0

# a reader that closes the pipe does not make the command fail
"$TRAINC" compile good.tj 2>.err | :; silent err
(
	"$TRAINC" compile good.tj 2>.err
	echo $? >status
) | :
holds test "$(cat status)" -eq 0

# outputs that cannot be written: a message and status 3
for command in "compile good.tj" "version" "help" "env good.tj" "plan good.tj" "explain TJ0502" "check --format json bad.tj" \
	"compile -o json good.tj" "dump --ast good.tj" "test good.tj"; do
	"$TRAINC" $command >/dev/full 2>.err
	holds test $? -eq 3
	says err "cannot write standard output: no space left on the device"
	"$TRAINC" $command >&- 2>.err
	holds test $? -eq 3
	says err "cannot write standard output: it is closed"
done
# standard error closed or full: the status still shows the result
"$TRAINC" check bad.tj 2>/dev/full; holds test $? -eq 1
"$TRAINC" check bad.tj 2>&-; holds test $? -eq 1
"$TRAINC" compile good.tj <&- >.out; holds test $? -eq 0
# an output file does not get the descriptor of a closed standard output
"$TRAINC" compile good.tj --depfile dep.d >&- 2>.err; holds test $? -eq 3
holds test ! -e dep.d
end
