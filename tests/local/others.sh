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
chmod 755 state; chmod 777 state/runs state/runs/st state/runs/st/*

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
# ... also for root, whose commands would otherwise use programs and files that the user can exchange
run 3 status --local; says err "is another user's (number 65533)"
run 3 run --local st.tj; says err "is another user's (number 65533)"
chown 0 state; run 0 status --local

# one that everybody may write to is nobody's
for mode in 777 1777 757; do
	chmod $mode state; run 3 status --local; says err "can be written by everybody: run 'chmod o-w "
done
chmod o-w state; run 0 status --local
mkdir theirs; chown 65534 theirs; chmod 777 theirs
$as env TRAINC_STATE_DIR="$work/theirs" ./trainc list --local >.out 2>.err; holds test $? -eq 3; says err "by everybody"
chmod 755 theirs; $as env TRAINC_STATE_DIR="$work/theirs" ./trainc list --local >.out 2>.err; holds test $? -eq 0
TRAINC_STATE_DIR=$work/theirs run 3 list --local; says err "(number 65534)"
end
