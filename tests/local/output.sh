#!/bin/sh
# output.sh - the output of programs, whatever they print and wherever it goes (fault F-47).
. "$(dirname "$0")/local.inc"

# ---- unmodified bytes, both streams in order ----
cat >print.sh <<'END'
printf 'one\n'; printf 'two\n' >&2; printf 'three\n'; printf 'four\n' >&2
printf 'a\000b\377\r\033[31m'
END
program bytes <<END
  role a { command = ["sh", "$work/print.sh"] }
  role b { command = ["sh", "-c", "exit 0"] }
END
local_run 0 bytes
printf 'one\ntwo\nthree\nfour\na\000b\377\r\033[31m' >want
same want "$TRAINC_STATE_DIR/runs/bytes/logs/a-0.log"
holds test ! -s "$TRAINC_STATE_DIR/runs/bytes/logs/b-0.log"
holds test "$(stat -c %a "$TRAINC_STATE_DIR/runs/bytes/logs/a-0.log")" = 600

# when each line was printed, and how each attempt ended
cat >times.py <<'END'
import struct, sys
log = open(sys.argv[1] + ".log", "rb").read()
records = list(struct.iter_unpack("=Qqii", open(sys.argv[1] + ".times", "rb").read()))
offsets = [r[0] for r in records]
assert offsets == sorted(offsets) and (not offsets or offsets[-1] <= len(log)), offsets
assert all(0 <= b[1] - a[1] for a, b in zip(records, records[1:]))
if sys.argv[2] == "ends":
    print([(r[3], r[0]) for r in records if r[2] == 1])
else:                                   # the longest period without output, in ms
    print(max(b[1] - a[1] for a, b in zip(records, records[1:])) // 1000000)
END
program attempts <<'END'
  role a {
    retries = 2
    command = ["sh", "-c", "echo attempt; test -e killed && exit 0; test -e failed && { touch killed; kill -SEGV $$; }; touch failed; exit 3"]
  }
END
local_run 0 attempts --backoff 10ms
holds test "$("$python" -IS times.py "$TRAINC_STATE_DIR/runs/attempts/logs/a-0" ends)" = "[(3, 8), (139, 16), (0, 24)]"
is attempts 'r("a")[0]["attempts"]' 3

# one attempt alone, by its number
program lives <<'END'
  role a { retries = 2, command = ["sh", "-c", "echo one of >>lives; wc -l <lives; test $(wc -l <lives) -eq 3"] }
END
local_run 0 lives --backoff 10ms
for i in 1 2 3; do
	holds test "$("$TRAINC" logs --local lives --attempt $i)" = "a/0 │ $i"
done
holds test "$("$TRAINC" logs --local lives -o json | grep -o '"attempt":.*' | tr '\n' ' ')" = \
	'"attempt":1,"text":"1"} "attempt":2,"text":"2"} "attempt":3,"text":"3"} '
holds test "$("$TRAINC" logs --local lives --attempt 4 2>&1)" = "trainc: no attempt 4 so far: a/0"
holds test "$("$TRAINC" logs --local lives --attempt 1 --grep x)" = ""

# the last lines before a failure are those of the last attempt
program nonl <<'END'
  role a { retries = 1, command = ["sh", "-c", "printf 'no newline'; sleep 0.1; printf ' more'; exit 3"] }
END
local_run 8 nonl --backoff 10ms
holds test "$(grep -c 'no newline' .err)" -eq 1
holds grep -q 'a/0 │ no newline more$' .err
holds test "$(value nonl 's["failure"]["log"]')" = "['no newline more']"

# ---- a program with endless output does not starve the others ----
program noisy <<'END'
  role noise { command = ["sh", "-c", "head -c 150000000 /dev/zero; sleep 9"] }
  role quiet { command = ["sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10; do echo $i; sleep 0.05; done"] }
  success = done(quiet)
END
local_run 0 noisy
silence=$("$python" -IS times.py "$TRAINC_STATE_DIR/runs/noisy/logs/quiet-0" silence)
holds test "$silence" -lt "$((400 * slack))"
rm -f "$TRAINC_STATE_DIR/runs/noisy/logs/noise-0.log"

# ---- late readers get everything: output that did not fit is not lost ----
program lines <<'END'
  role a { command = ["seq", "400000"] }
END
for command in "run --progress quiet lines.tj" "logs lines"; do
	# shellcheck disable=SC2086
	timeout $((4 * slack)) "$TRAINC" ${command%% *} --local ${command#* } 2>.err | (sleep 0.2; wc -l) >.out
	holds test "$(cat .out)" -eq 400000
done

# a daemon that outlives its program and holds its output does not keep the run alive
program holds <<'END'
  role a { command = ["sh", "-c", "setsid -f sh -c 'while :; do echo daemon; done'; echo main"] }
END
begun=$(now)
local_run 0 holds
holds test "$(($(now) - begun))" -lt "$((3000 * slack))"
holds grep -q main "$TRAINC_STATE_DIR/runs/holds/logs/a-0.log"
rm -f "$TRAINC_STATE_DIR/runs/holds/logs/a-0.log"

# ---- a full disk: programs continue, lost bytes are counted, the verdict is kept ----
program full <<'END'
  role a { command = ["sh", "-c", "head -c 9000000 /dev/zero; head -c 9000000 /dev/zero; echo end; exit 3"], retries = 1 }
END
if unshare -m true 2>/dev/null; then
	mkdir small
	unshare -m sh -c '
		mount -t tmpfs -o size=8M,mode=755 tmpfs small || exit 99
		TRAINC_STATE_DIR=$PWD/small "$1" run --local --backoff 10ms full.tj >.out 2>.err
		echo $? >status
		cp small/runs/full/result result 2>/dev/null
	' sh "$TRAINC"
	holds test "$(cat status)" -eq 8
	says err "a-0 failed: exit code 3"
	lost=$("$python" -IS -c 'import json; print(json.load(open("result"))["lost_bytes"])')
	holds test "$lost" -gt 27000000
	holds test "$lost" -lt 36000000
else
	skip "no mount namespaces here"
fi
# a limit on file sizes has the same effect; replicas have it too, and may die of it
sh -c 'ulimit -f 4000; exec "$1" run --local --backoff 10ms full.tj >.out 2>.err' sh "$TRAINC"
holds test $? -eq 8
says err "a-0 failed: exit code 3"; says err "bytes of output were lost"
sh -c 'ulimit -f 100; exec "$1" run --local full.tj >.out 2>.err' sh "$TRAINC"
holds test $? -eq 3
says err "cannot write logs in"; says err "file too large"
program limited <<'END'
  role a { command = ["sh", "-c", "head -c 9000000 /dev/zero >large; echo $?"] }
END
sh -c 'ulimit -f 4000; exec "$1" run --local limited.tj >.out 2>.err' sh "$TRAINC"
holds test "$(tail -n 1 .out)" = "a/0 │ 153"
sh -c 'ulimit -f 100; exec "$1" logs --local lines >.large 2>.err' sh "$TRAINC"
holds test $? -eq 3
says err "cannot write"

mkdir readonly; chmod 500 readonly
if test "$(id -u)" -ne 0; then
	TRAINC_STATE_DIR=$work/readonly/state run 3 run --local full.tj
fi
TRAINC_STATE_DIR=/dev/null/state run 3 run --local full.tj
end
