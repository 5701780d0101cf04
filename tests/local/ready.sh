#!/bin/sh
# ready.sh - roles, auxiliary roles and sidecars with 'ready' are probed, and roles that wait for them wait for the
# answer.
. "$(dirname "$0")/local.inc"

# Listens late, on the port that the run assigned; its response depends on how often it was probed.
cat >server.py <<'END'
import os, socket, time
asked = 0
time.sleep(0.3)
open("listens." + os.environ["NAME"], "w").close()
s = socket.socket()
s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
s.bind(("", int(os.environ["PORT"])))
s.listen()
while True:
    c = s.accept()[0]
    asked += 1
    line = c.makefile().readline()
    if line.startswith("GET "):
        good = asked >= 3 and line.startswith("GET /health HTTP/1.1")
        if good:
            open("healthy." + os.environ["NAME"], "w").close()
        c.sendall(b"HTTP/1.1 204 No Content\r\n\r\n" if good else b"HTTP/1.1 503 Service Unavailable\r\n\r\n")
    c.close()
END

serve="command = [\"$python\", \"-IS\", \"$work/server.py\"], grace = 1s"
program waits <<END
  success = done(client)
  role store { $serve, ports { tcp = 7000 }, ready = tcp("tcp"), env { NAME = "store", PORT = self.port(0, "tcp") } }
  aux reward { $serve, ports { http = 7001 }, ready = http("http", path = "/health"), env { NAME = "reward", PORT = self.port(0, "http") } }
  role client {
    command     = ["sh", "-c", "test -e listens.store && test -e healthy.reward && test -e warm && echo all are ready"]
    start_after = ready(store) and ready(reward)
    sidecar warmer {
      image   = "registry.example.com/warm:1"
      command = ["sh", "-c", "sleep 0.3; touch warm; exec sleep 60"]
      ready   = exec(["sh", "-c", "test -e \$FILE"])
      env     { FILE = "warm" }
    }
  }
END
local_run 0 waits
shows waits client-0 "all are ready"
is waits 'r("client")[0]["attempts"], s["cause"]' "(1, 'done(client)')"

# A container that is not ready counts as started, and without the field it counts as ready.
program never <<'END'
  success = done(b)
  running = ready(a)
  role a { command = ["sleep", "60"], ready = exec(["false"]), grace = 1s }
  role b { command = ["sh", "-c", "until test -e go; do sleep 0.02; done"], start_after = started(a) }
END
state_of() { test "$(value "$1" "[x['state'] for n in ('a', 'b') for x in r(n)]")" = "$2"; }
begin never
before 5 state_of never "['started', 'ready']"
is never 's["phase"]' Starting
touch go
finish 0 never

# When the time is up, the container is killed as by the kubelet; a sidecar is restarted.
program late <<'END'
  role a { command = ["sleep", "60"], ready = exec(["false"], within = 1s), grace = 1s }
END
local_run 8 late
is late 's["failure"]["reason"].split(" (at the same")[0]' "killed by TERM: it was not ready after 1s"

program again <<'END'
  role a {
    command = ["sh", "-c", "test -e second"]
    sidecar s {
      image   = "registry.example.com/s:1"
      command = ["sh", "-c", "test -e first && touch second; touch first; exec sleep 60"]
      ready   = exec(["test", "-e", "second"], within = 1s)
    }
  }
END
local_run 0 again --backoff 50ms

# With a network of its own, the replica is probed there, at the cluster's port.
if can_network; then
	program apart <<END
  success = done(client)
  role store  { $serve, ports { tcp = 7000 }, ready = tcp("tcp"), env { NAME = "apart", PORT = self.port(0, "tcp") } }
  role client { command = ["sh", "-c", "test -e listens.apart && echo after it"], start_after = ready(store) }
END
	local_run 0 apart --isolate replica
	shows apart client-0 "after it"
else
	skip "the kernel permits no network namespaces"
fi
end
