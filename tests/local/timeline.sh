#!/bin/sh
# timeline.sh - each attempt of a replica is a bar in the timeline, even when the run is over.
. "$(dirname "$0")/local.inc"
clean_up_runs

program tl <<'END'
  role a { replicas = 1, command = ["true"] }
  role b { replicas = 2, retries = 2, command = ["sh", "-c", "exit ${pod.index * 3}"] }
END
run 8 run --local --backoff 100ms tl.tj
run 0 status --local -o svg tl
holds test "$(grep -c '<title>a 0: succeeded after' .out)" = 1
holds test "$(grep -c '<title>b 0: succeeded after' .out)" = 1
holds test "$(grep -c '<title>b 1: failed after' .out)" = 3
holds test "$(grep -c '<title>b 1: pending for' .out)" = 2
says out "first failure: b 1, exit code 3"
run 0 status --local -o html tl
says out "Failed: b 1 exited with code 3"
run 2 status --local -o svg --watch tl; says err "a drawing shows one moment; use --output svg without --watch"
end
