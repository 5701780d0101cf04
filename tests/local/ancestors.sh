#!/bin/sh
# ancestors.sh - which replica decides the result of an old TfJob, with real processes.
. "$(dirname "$0")/local.inc"

# S83, S84, S89, S177: only the master decides, whatever happens to a worker that is not restarted, and while a server still
# runs.
cat >chief.tj <<'END'
import std.legacy
job "chief": legacy.tfjob {
  image = "registry.example.com/test:1"
  clean = "all"
  role master { command = ["sh", "-c", "until test -e gone; do sleep 0.02; done; sleep 0.05; exit $(cat code)"], restart = "never", retry_on = 128..255, retries = 1 }
  role worker { command = ["sh", "-c", "touch gone; exit 3"], restart = "never" }
  role ps     { command = ["sleep", "60"], grace = 1s }
}
END
echo 0 >code
local_run 0 chief; says err "worker/0 ─ attempt 1 exited with code 3"; says err "Succeeded: done(master)"

# S85, S86: exit codes that are final, and exit codes that are retried.
for code in 1 100 127; do
	rm -f gone
	echo $code >code
	local_run 8 chief; says err "Failed: master 0 exited with code $code"
	holds test "$(grep -c 'master/0 ─ attempt' .err)" -eq 1
done
for code in 128 244 255; do
	rm -f gone
	echo $code >code
	local_run 8 chief --backoff 1ms
	holds test "$(grep -c 'master/0 ─ attempt' .err)" -eq 2
done
end
