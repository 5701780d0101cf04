#!/bin/sh
# rotate.sh - logs with a size limit: the last output is kept, gaps are reported, readers continue.
. "$(dirname "$0")/local.inc"
clean_up_runs

# 20,000 lines of 50 bytes
program much <<'END'
  role a { command = ["sh", "-c", "seq -f 'line %05g of what this program has to say.......' 1 20000"] }
END
directory=$TRAINC_STATE_DIR/runs/much/logs

# removed FILE: how many bytes FILE reports as removed, in total
removed() { sed -n 's/.* ─ \([0-9]*\) bytes before this were removed: the log has a limit (--log-limit)$/\1/p' "$1" | awk '{ n += $1 } END { print n + 0 }'; }

# all_told FILE BYTES: the lines of FILE and the gaps that standard error reports add up to BYTES. The line before each
# gap may be cut: it counts as a whole, or not at all.
all_told() {
	gaps=$(grep -c 'bytes before this' .err)
	total=$(($(grep -c 'line [0-9]' "$1") * 50 + $(removed .err)))
	if test "$total" -ge $(($2 - 6 * gaps)) && test "$total" -le $(($2 + 50 * gaps)); then ok; else fail "$total bytes instead of $2, with $gaps gaps"; fi
}

# ---- `run` prints everything, and the log keeps the end ----
run 0 run --local --log-limit 100Ki much.tj
all_told .out 1000000
says err "bytes of output are no longer in any log: --log-limit sets how much each log keeps"
holds test "$(cat "$directory"/a-0.log* | wc -c)" -le 110000
holds test "$(cat "$directory"/a-0.log* | wc -c)" -ge 80000
holds test "$(cat "$directory"/a-0.times* | wc -c)" -le 110000
holds test "$(find "$directory" -name 'a-0.log*' | wc -l)" -eq 5
holds test "$(tail -n 1 "$directory/a-0.log" | cut -c 1-10)" = "line 20000"
run 0 logs --local --all much
holds grep -q 'line 20000 of' .out
kept=$(grep -c line .out)
all_told .out 1000000
# the kept output and the reported gaps add up to everything that was printed
removed=$(removed .err)
holds test "$removed" -ge 890000
run 0 logs --local --tail 20000 much; holds test "$(grep -c line .out)" -eq "$kept"
run 0 logs --local --tail 3 much; holds test "$(grep -c line .out)" -eq 3; silent err
run 0 logs --local --all -o json much
holds grep -q "^{.*\"missing\":$removed,\"removed\":true}" .out
run 0 status --local -o json much
json 'd["runs"][0]["removed_bytes"], d["runs"][0]["lost_bytes"]' "($removed, 0)"

# ---- without a limit, and with the default ----
run 0 run --local --log-limit 0 much.tj
run 0 logs --local --all much; holds test "$(grep -c line .out)" -eq 20000
run 0 run --local much.tj
run 0 logs --local --all much; holds test "$(grep -c line .out)" -eq 20000

# ---- a follower sees all lines in the order in which they were printed while segments are replaced; lines that come
# too fast are counted ----
program slow <<'END'
  role a { command = ["sh", "-c", "i=0; while test $i -lt 60; do i=$((i + 1)); seq -f 'line %05g of what this program has to say.......' $((i * 100 - 99)) $((i * 100)); sleep 0.02; done"] }
END
run 0 run --local --detach --log-limit 150Ki slow.tj
"$TRAINC" logs --local -f --no-prefix slow >followed 2>.err
all_told followed 300000
grep '\.$' followed >whole
holds sort -c whole
holds test "$(find "$TRAINC_STATE_DIR/runs/slow/logs" -name 'a-0.log*' | wc -l)" -eq 5

# ---- the last lines of a failed program are found in whichever segment they are ----
program fails <<'END'
  role a { command = ["sh", "-c", "seq -f 'line %05g of what this program has to say.......' 1 20000; exit 3"] }
END
run 8 run --local --log-limit 64Ki fails.tj
run 0 status --local -o json fails
json '[l[:10] for l in d["runs"][0]["first_failure"]["log"]][-1], len(d["runs"][0]["first_failure"]["log"])' "('line 20000', 10)"

# ---- sizes ----
run 2 run --local --log-limit much much.tj; says err "--log-limit needs a size such as 200Mi or 1Gi, or 0 for no limit, found 'much'"
run 2 run --local --log-limit=-1 much.tj
run 2 run --local --log-limit 1Ki much.tj; says err "--log-limit 1Ki is too little: at least 64Ki of each log are kept"
end
