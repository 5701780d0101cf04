#!/bin/sh
# silent.sh - a keeper that is stopped, dead or has lost its directory does not block any command.
. "$(dirname "$0")/local.inc"
clean_up_runs

program st <<'END'
  role a { replicas = 1:2, command = ["sh", "-c", "echo up; exec sleep 600"], grace = 1s }
END
sed 's/"st"/"well"/' st.tj >well.tj
# quick STATUS COMMAND...: the command exits with STATUS within four seconds.
quick() {
	want=$1 begun=$(now)
	shift
	timeout 30 "$TRAINC" "$@" >.out 2>.err </dev/null
	got=$?
	if test "$got" -eq "$want"; then ok; else fail "trainc $*: status $got, not $want: $(cat .err)"; fi
	if test $(($(now) - begun)) -le $((4000 * slack)); then ok; else fail "trainc $*: took $(($(now) - begun)) ms"; fi
}
keeper() { value "$1" 's["keeper"][0]'; }
mute="its keeper (process [0-9]*) does not answer"

# ---- stopped ----
run 0 apply --local st.tj
run 0 apply --local well.tj
pid=$(keeper st)
kill -STOP "$pid"
quick 0 status --local st; holds grep -q "run 'st': $mute" .err; says out "Running"
quick 0 list --local; says out "well"; says out "st "; holds grep -q "$mute" .err
quick 0 logs --local st; says out "a/0 │ up"
quick 124 wait --local --timeout 1s st; holds grep -q "$mute" .err
quick 5 scale --local st a=1; holds grep -q "$mute" .err
quick 5 suspend --local st; holds grep -q "$mute" .err
quick 5 delete --local --yes st; says err "--force"
quick 0 apply --local st.tj; says out "run/st unchanged"

# it continues, and so do the commands that waited
"$TRAINC" wait --local --timeout 20s st >.out 2>.err &
waits=$!
sleep 2.5                              # longer than an answer may take
kill -CONT "$pid"
run 0 scale --local st a=1
run 0 delete --local --yes st
wait $waits
holds test $? -eq 8
nothing_left st

# ---- stopped, and then deleted ----
run 0 apply --local st.tj
kill -STOP "$(keeper st)"
quick 0 delete --local --yes --force st; says out "run/st deleted"
nothing_left st

# ---- alive, with its socket removed ----
run 0 apply --local st.tj
rm state/runs/st/control
quick 0 status --local st; says err "is running but not listening"
quick 0 delete --local --yes --force st
nothing_left st

# ---- killed: followers are informed, and do not report success ----
for pair in "8 logs --local -f st --all" "0 status --local --watch st"; do
	run 0 apply --local st.tj
	before 5 sh -c "'$TRAINC' logs --local st | grep -q up"
	"$TRAINC" ${pair#* } >.out 2>.err </dev/null &
	follows=$!
	before 5 grep -q "up\|Running" .out
	kill -KILL "$(keeper st)"
	wait $follows
	got=$?
	if test $got -eq "${pair%% *}"; then ok; else fail "${pair#* }: status $got"; fi
	case $pair in
	*logs*) says err "nothing watches run 'st' any more: its keeper ended" ;;
	*) tail -n 2 .out >.last; holds grep -qE '^st +Unknown +a +2 +0 +0 ' .last ;;
	esac
	run 0 delete --local --yes st
done

# ---- its directory removed: the run ends ----
run 0 apply --local st.tj
rm -rf state/runs/st
gone() { test -z "$(processes st)"; }
before 10 gone
run 0 delete --local --yes well
end
