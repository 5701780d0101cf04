#!/bin/sh
# run.sh - from a program to its verdict.
. "$(dirname "$0")/local.inc"

program pair <<'END'
  role server {
    command = ["sh", "-c", "echo serving on $PORT"]
    ports { http = 8080 }
    env { PORT = self.port(pod.index, "http") }
  }
  role client {
    replicas = 2
    command  = ["sh", "-c", "echo $HOSTNAME asks $URL; printf unfinished"]
    env { URL = "http://${server.address(0, "http")}" }
  }
END
local_run 0 pair
holds grep -q '^server/0 │ serving on [1-9][0-9]*$' .out
holds grep -q '^client/1 │ pair-client-1 asks http://127.0.0.1:[1-9][0-9]*$' .out
port=$(sed -n 's/.*serving on //p' .out)
holds test "$(grep -c "asks http://127.0.0.1:$port\$" .out)" -eq 2
says err "images are not used"

program broken <<'END'
  role good { command = ["sleep", "30"], grace = 1s }
  role bad  { replicas = 2, command = ["sh", "-c", "echo going down; exit 3"] }
END
local_run 8 broken
holds grep -q "^Failed: bad [01] exited with code 3\$" .err
holds grep -q "^  bad/[01] │ going down\$" .err

run 3 run pair.tj; says err "--local"
# images are not used in local runs, so a first program needs none
printf 'job "bare" {\n  role a { command = ["true"] }\n}\n' >bare.tj
local_run 0 bare
run 1 check bare.tj; says err "role 'a' has no image [TJ0523]"

# a program has three descriptors, even if the kernel, or a system call filter, cannot close a range of them
program few <<'END'
  role a { replicas = 3, command = ["sh", "-c", "cd /proc/self/fd; echo descriptors: *"] }
END
for denied in "" 435 436 "435 436"; do
	"$python" -IS "$here/deny.py" $denied -- "$TRAINC" run --local few.tj >.out 2>.err
	holds test $? -eq 0
	holds test "$(grep -cE 'descriptors: 0 1 2( [0-9]+)?$' .out)" -eq 3
done
end
