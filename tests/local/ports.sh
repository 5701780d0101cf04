#!/bin/sh
# ports.sh - every replica that listens gets its own port, and finds it free (fault F-49).
. "$(dirname "$0")/local.inc"

cat >port.py <<'END'
import os, socket, sys, time

def can_bind(number):
    s = socket.socket()
    try:
        s.bind(("", number))
        s.listen()
    except OSError:
        return None
    return s

def is_claimed(number):                 # held by the run for as long as it exists
    s = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    try:
        s.bind("\0trainc/port/%d" % number)
    except OSError:
        return True
    return False

what, numbers = sys.argv[1], [int(a.rsplit(":")[-1]) for a in sys.argv[2:]]
if what == "listen":                    # a replica's own port number works first; peers have other ports
    assert len(set(numbers)) == len(numbers), numbers
    assert all(20000 <= n < 29400 or n >= 29600 for n in numbers), numbers    # not where libraries take theirs
    assert can_bind(numbers[0]) and is_claimed(numbers[0]), numbers
elif what == "held":
    assert not can_bind(numbers[0]), numbers
elif what == "take":
    kept = can_bind(numbers[0])
    assert kept
    open("ready", "w").close()
    time.sleep(10)
elif what == "serve":                   # two peers with the same port number, each under its own name
    s = can_bind(7000)
    for _ in range(2):
        s.accept()[0].sendall(os.environ["HOSTNAME"].encode())
elif what == "ask":
    for i, host in enumerate(a.rsplit(":")[0] for a in sys.argv[2:]):
        for _ in range(200):
            try:
                answer = socket.create_connection((host, 7000)).recv(100).decode()
                break
            except OSError:
                time.sleep(0.02)
        assert answer == "names-server-%d" % i, answer
END

program own <<END
  role a {
    replicas = 4
    ports { one = 7000, two = 7001 }
    command = ["$python", "-IS", "port.py", "listen", self.address(pod.index, "one"), self.address(pod.index, "two"),
      b.address(0, "http"), b.address(1, "http")]
  }
  role b {
    replicas = 2
    ports { http = 7000 }
    command = ["$python", "-IS", "port.py", "listen", "\${self.port(pod.index, "http")}"]
  }
END
local_run 0 own

program held <<END
  role checks { command = ["$python", "-IS", "port.py", "held", late.address(0, "http")] }
  role late {
    ports { http = 7000 }
    start_after = done(checks)
    command = ["$python", "-IS", "port.py", "listen", "\${self.port(pod.index, "http")}"]
  }
END
local_run 0 held

# Another program takes the port of a replica between two attempts: the job restarts once, with another port.
program taken <<'END'
  role victim {
    ports { http = 7000 }
    retries = 1
    command = ["sh", "-c", "echo $PORT; until test -e ready; do sleep 0.01; done; sleep 0.1; test -e tried && exit 0; touch tried; exit 1"]
    env { PORT = self.port(pod.index, "http") }
  }
  role other { command = ["sh", "-c", "echo up; exec sleep 60"] }
  success = done(victim)
END
begin taken --backoff 300ms
said() { test -s "$TRAINC_STATE_DIR/runs/$1/logs/$2.log"; }
before 5 said taken victim-0
"$python" -IS port.py take "$(logs taken victim-0)" &
taker=$!
finish 0 taken
kill "$taker"; wait "$taker" 2>/dev/null
holds test "$(logs taken victim-0 | sort -u | wc -l)" -eq 2
holds test "$(logs taken other-0)" = "$(printf 'up\nup')"
is taken 's["job_restarts"], r("victim")[0]["attempts"]' "(0, 2)"

if can_network; then
	local_run 0 own --isolate job
	program names <<-END
	  role server { replicas = 2, ports { http = 7000 }, command = ["$python", "-IS", "port.py", "serve"] }
	  role client { replicas = 2, command = ["$python", "-IS", "port.py", "ask", server.address(0, "http"), server.address(1, "http")] }
	END
	local_run 0 names --isolate replica
else
	skip "no namespaces here"
fi
end
