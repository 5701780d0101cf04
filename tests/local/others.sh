#!/bin/sh
# others.sh - another user of the machine can neither stop a run nor provide its state.
. "$(dirname "$0")/local.inc"
clean_up_runs
as="setpriv --reuid 65534 --regid 65534 --clear-groups"
if ! $as true 2>/dev/null; then
	skip "only root can be somebody else"
	end
fi
program st <<'END'
  role a { command = ["sleep", "600"], grace = 1s }
END
cp "$TRAINC" trainc
chmod 755 "$work"
cp "$here/ask.py" ask.py
run 0 apply --local st.tj
chmod 777 state state/runs state/runs/st state/runs/st/*

# the keeper disconnects clients that are neither its user nor root
$as "$python" -IS ask.py "$TRAINC_STATE_DIR/runs/st" stop >.answer 2>.err
holds sh -c "grep -qE 'BrokenPipe|ConnectionReset' .err || test -z \"\$(cat .answer)\""
if grep -q ok .answer; then fail "it was obeyed"; else ok; fi
holds test "$(value st 's["phase"]')" = Running
$as env TRAINC_STATE_DIR="$TRAINC_STATE_DIR" ./trainc suspend --local st >.out 2>.err
holds test $? -ne 0
run 0 status --local st; says out "Running"
ask st stop; answers ok

# a state directory that belongs to another user is refused
chown 65533 state
$as env TRAINC_STATE_DIR="$TRAINC_STATE_DIR" ./trainc status --local >.out 2>.err
holds test $? -eq 3
says err "is another user's (number 65533): set TRAINC_STATE_DIR to a directory of your own"
chown 0 state
end
