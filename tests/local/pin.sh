#!/bin/sh
# pin.sh - --pin: processors that belong to one replica alone.
. "$(dirname "$0")/local.inc"
clean_up_runs
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

cores() { "$python" -IS -c 'import os; print(*sorted(os.sched_getaffinity(0)))'; }
set -- $(cores)
first=$1 count=$#
show="import os; print('on', *sorted(os.sched_getaffinity(0)), flush=True)"

program pin <<END
  role w {
    command = ["$python", "-IS", "-c", "$show; import time; time.sleep(600)"]
    cpu     = 0.5
    grace   = 1s
  }
  role free { command = ["$python", "-IS", "-c", "$show"] }
END
says_on() { before 20 sh -c "'$TRAINC' logs --local pin --role $1 --no-prefix 2>/dev/null | grep -qx 'on $2'"; }

run 0 apply --local --pin pin.tj
says_on w "$first"                      # half a processor is rounded up
says_on free "$*"                       # requests none
run 0 exec --local pin w/0 -- "$python" -IS -c "$show"; holds test "$(cat .out)" = "on $first"
run 5 apply --local pin.tj; says err "with other options"
run 0 restart --local pin w/0
before 20 sh -c "test \$('$TRAINC' logs --local pin --role w --no-prefix 2>/dev/null | grep -cx 'on $first') -eq 2"
run 0 delete --local --yes pin

run 0 apply --local pin.tj
says_on w "$*"
run 0 delete --local --yes pin
nothing_left pin

run 0 run --local --dry-run --pin pin.tj; holds grep -qx "  processors $first" .out
sed "s/cpu     = 0.5/replicas = 2, cpu = $count/" pin.tj >many.tj
run 8 run --local --pin many.tj
says err "w-1 asks for $count processors, and with --pin only 0 of $count are left for it"
end
