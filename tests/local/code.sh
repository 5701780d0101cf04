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

# --code=live: the directory itself, shared and writable, with what the rules leave out; a retry has the files of that moment
program live <<END
  code { dir = "src", at = "/opt/live", sync = true }
  role worker {
    replicas = 2
    retries  = 1
    init before { image = "registry.example.com/test:1", command = ["sh", "-c", "echo seen >>/opt/live/made"] }
    command = ["sh", "-c", "pwd; ls; if test -e $work/later; then cat lib/word; else echo changed >lib/word; : >$work/later; exit 1; fi"]
  }
  role bare { command = ["sh", "-c", "ls /opt/live 2>/dev/null || echo has no code"], code = none }
END
rm -f later
run 0 run --local --code=live live.tj; shows live bare-0 "has no code"
says err "replicas see '$work/src' itself at /opt/live (--code=live): they share it, what they write stays there"
holds test "$(grep -c 'code=live' .err)" = 1
shows live worker-0 /opt/live; shows live worker-1 a.log
if logs live worker-0 | grep -qx changed || logs live worker-1 | grep -qx changed; then ok; else fail "no replica has read what another wrote"; fi
holds test "$(cat src/lib/word)" = changed; holds grep -q seen src/made
holds test ! -e "$TRAINC_STATE_DIR/runs/live/code"
run 0 status --local -o json live
json '[x["id"] for x in d["runs"][0]["code"]], {x.get("code") for x in d["runs"][0]["replicas"] if x["role"] == "worker"}' "(['live'], {'live'})"
run 0 history --local live; holds grep -qE ' live( |$)' .out
run 0 run --local --dry-run --code=live live.tj; says out "/opt/live is $work/src"
nothing_left live
# what is removed with the run is not the directory
run 0 delete --local --yes live; holds test -e src/start.sh
program idle <<'END'
  code { dir = "src", sync = true }
  role worker { command = ["sleep", "600"], grace = 1s }
END
run 0 apply --local --code=live idle.tj; holds test "$(cat .out)" = "run/idle created"
echo again >src/lib/word
run 0 apply --local --code=live idle.tj; holds test "$(cat .out)" = "run/idle unchanged"
run 5 apply --local idle.tj
run 5 sync --local idle; says err "role 'worker' sees the directory itself (--code=live)"
says err "'trainc restart --local idle worker/0' starts a program again"
run 0 delete --local --yes --force idle
holds test "$(cat src/lib/word)" = again
echo word >src/lib/word
rm -f src/made
# what it cannot be: in a cluster, without its directory, outside of the project
run 2 apply --code=live --kubeconfig none live.tj; says err "--code=live is for local runs (--local)"
run 2 run --local --code=other live.tj
sed 's/dir = "src"/dir = "absent"/' live.tj >absent.tj
run 1 run --local --code=live absent.tj; says err "TJ1301"; says err "'absent', does not exist"
ln -s / leads; sed 's/dir = "src"/dir = "leads"/' live.tj >leads.tj
run 1 run --local --code=live leads.tj; says err "leads out of the project by a link"
rm leads
# nothing is packed, so neither size nor secrets matter
sed 's/dir = "src"/dir = "src", max = 1Ki/' idle.tj >small.tj
head -c 4096 /dev/zero >src/large; echo TOKEN=1 >src/.env
run 1 apply --local small.tj; says err TJ1302
run 0 apply --local --code=live small.tj
run 0 delete --local --yes --force idle
rm src/large src/.env

# a secret is refused before anything starts
echo TOKEN=1 >src/.env
run 1 run --local each.tj
says err "'.env' looks like a secret"
end
