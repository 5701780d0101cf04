#!/bin/sh
# code.sh - the code of local runs: a copy for each replica, which outlives the restart of its container, not its pod.
. "$(dirname "$0")/local.inc"
can_mount || {
	skip "no mount namespaces here"
	end
}
mkdir -p src/lib
echo 'echo "one $(pwd) $(cat lib/word)"; echo mine >>lib/word' >src/start.sh
echo word >src/lib/word
echo '*.log' >src/.trainignore
echo noise >src/a.log
program each <<END
  code = "src"
  role worker {
    replicas = 2
    command  = ["sh", "-c", "sh ./start.sh; ls"]
  }
END
local_run 0 each
shows each worker-0 "one /code word"
shows each worker-1 "one /code word"
if logs each worker-0 | grep -q a.log; then fail "a file that is left out"; else ok; fi
if test "$(cat src/lib/word)" = word; then ok; else fail "the directory itself changed"; fi

# a retry is a new pod with a new copy; a restart in place keeps the copy
program again <<END
  code = "src"
  role worker {
    retries = 1
    command = ["sh", "-c", "sh start.sh; test -e $work/second || { touch $work/second; exit 1; }"]
  }
END
local_run 0 again --backoff 10ms
if test "$(logs again worker-0 | grep -cx 'one /code word')" = 2; then ok; else fail "a retry has no new copy"; logs again worker-0; fi

program place <<END
  code = "src"
  role worker {
    restart = "on-failure"
    command = ["sh", "-c", "sh start.sh; test -e $work/third || { touch $work/third; exit 1; }"]
  }
END
local_run 0 place --backoff 10ms
shows place worker-0 mine

# the init container sees it, can write, and the directory can be another one
program other <<END
  code { dir = "src", at = "/opt/app" }
  role worker {
    init before {
      image   = "registry.example.com/test:1"
      command = ["sh", "-c", "echo made >/opt/app/made"]
    }
    command = ["sh", "-c", "pwd; cat made lib/word"]
  }
END
local_run 0 other
shows other worker-0 /opt/app
shows other worker-0 made

# a secret is refused before anything starts
echo TOKEN=1 >src/.env
run 1 run --local each.tj
says err "'.env' looks like a secret"
end
