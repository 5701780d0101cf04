#!/bin/sh
# partial.sh - lines that have no end yet: progress bars and prompts are shown while they are incomplete.
. "$(dirname "$0")/local.inc"
clean_up_runs

program bar <<'END'
  role a { command = ["sh", "-c", "for i in 1 2 3 4 5 6; do printf '\\rstep %d' $i; sleep 0.5; done; echo; echo over"] }
  role b { command = ["sh", "-c", "printf 'Loading... '; sleep 2; echo done; sleep 2"] }
  role c { command = ["sh", "-c", "for i in 1 2 3 4; do printf 'part%d ' $i; sleep 0.1; done; echo; sleep 3"] }
END
run 0 apply --local bar.tj
timeout 2 "$TRAINC" logs --local -f bar --all >.out 2>.err </dev/null
holds grep -q '^a/0 │ step [1-5]$' .out
holds grep -q '^b/0 │ Loading... …$' .out
holds test "$(grep -c 'c/0' .out)" -eq 1
run 0 logs --local -f bar --all
# a finished bar leaves no empty line; at most one update a second
holds test "$(grep -c '^a/0 │ $' .out)" -eq 0
holds test "$(grep -c '^a/0 │ step' .out)" -le 5
holds grep -q '^a/0 │ over$' .out
run 0 wait --local bar
# output that is read later is exactly as printed
run 0 logs --local bar --role b; holds test "$(cat .out)" = "b/0 │ Loading... done"
run 0 logs --local bar --role c; holds test "$(cat .out)" = "c/0 │ part1 part2 part3 part4 "
run 0 delete --local --yes bar

# in `run`, too
local_run 0 bar
holds grep -q '^b/0 │ Loading... …$' .out
holds grep -q '^b/0 │ …done$' .out
end
