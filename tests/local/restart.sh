#!/bin/sh
# restart.sh - one replica is restarted, and the others continue.
. "$(dirname "$0")/local.inc"
clean_up_runs

program st <<'END'
  role a { replicas = 2, command = ["sh", "-c", "echo up; exec sleep 600"], grace = 1s }
END
run 0 apply --local st.tj
pid() { value st "r('a')[$1]['process'][0]"; }
first=$(pid 0) other=$(pid 1)
run 0 restart --local st a/0; holds test "$(cat .out)" = "run/st restarts a/0"
again() { test "$(pid 0)" -gt 0 && test "$(pid 0)" != "$first"; }
before 5 again
holds test "$(pid 1)" = "$other"
is st 's["phase"], r("a")[0]["attempts"]' "('Running', 2)"
run 6 restart --local st a/7; says err "role 'a' has replicas 0 to 1, not 7"
run 6 restart --local st b/0; says err "no role 'b'; the roles are 'a'"
run 2 restart --local st a; says err "restart needs ROLE/N, such as worker/3, found 'a'"
run 3 restart st a/0; says err "no cluster is configured"
run 0 delete --local --yes st

# A process of the old attempt needs time to end, because it has much memory, and holds the port until then: the new
# attempt waits for its end.
cat >server.py <<'END'
import os, signal, socket, sys
s = socket.create_server(("", int(sys.argv[1])))
if os.fork() == 0:
    memory = bytearray(400 << 20)
    memory[::4096] = b"x" * len(memory[::4096])
    print("ready", flush=True)
signal.pause()
END
program port <<END
  role server {
    ports { http = 7000 }
    command = ["$python", "-IS", "server.py", "\${self.port(pod.index, "http")}"]
  }
  role other { command = ["sh", "-c", "echo up; exec sleep 600"], grace = 1s }
END
run 0 apply --local port.tj
ready() { test "$(logs port server-0 | grep -c ready)" = "$1"; }
for round in 1 2 3; do
	before 5 ready $round
	run 0 restart --local port server/0
done
before 5 ready 4
holds test "$(logs port other-0)" = up  # no other replica was restarted, as after the loss of a port
is port 'r("server")[0]["attempts"]' 4
run 0 delete --local --yes port
end
