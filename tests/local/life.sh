#!/bin/sh
# life.sh - order, attempts, sizes and requests, with real processes; life_test.c tests every rule, with a simulated
# clock.
. "$(dirname "$0")/local.inc"
said() { grep -qx -- "$3" "$TRAINC_STATE_DIR/runs/$1/logs/$2.log" 2>/dev/null; }
phase() { test "$(value "$1" 's["phase"]')" = "$2"; }
log_of() { echo "$TRAINC_STATE_DIR/runs/$1/logs/$2.log"; }

# start_after; endless roles end when the rule is fulfilled; the result of an aux role does not matter
program order <<'END'
  success = done(train)
  role prepare { command = ["sh", "-c", "sleep 0.1; touch prepared"] }
  role ps      { replicas = 2, command = ["sh", "-c", "touch up.$HOSTNAME; exec sleep 60"], grace = 1s }
  role train   { command = ["sh", "-c", "test -e prepared && test -e up.order-ps-1 && echo trained"], start_after = done(prepare) and ready(ps) }
  aux board    { command = ["sh", "-c", "exit 3"] }
END
local_run 0 order
shows order train-0 trained
is order 'r("board")[0]["state"], s["cause"]' "('failed', 'done(train)')"

# retries, backoff, permanent exit codes; the first failing rank with its last lines
program tries <<'END'
  role a { replicas = 2, retries = 2, command = ["sh", "-c", "echo try >>tries.$HOSTNAME; test $(wc -l <tries.$HOSTNAME) -ge 3"] }
END
begun=$(now)
local_run 0 tries --backoff 100ms
holds test "$(($(now) - begun))" -ge 300                # 100 ms, then 200 ms
is tries '[x["attempts"] for x in r("a")]' "[3, 3]"

program final <<'END'
  role a { replicas = 2, retries = 9, retry_on = 128..255, command = ["sh", "-c", "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo line $i; done; echo >&2 last words; exit $((3 + JOB_COMPLETION_INDEX * 0))"] }
END
local_run 8 final
is final 's["failure"]["role"], s["failure"]["exit_code"], s["failure"]["reason"].split(" (at the same")[0]' "('a', 3, 'exit code 3')"
is final 's["failure"]["log"][0], s["failure"]["log"][-1], len(s["failure"]["log"])' "('line 4', 'last words', 10)"
holds test -s "$TRAINC_STATE_DIR/runs/final/result"
holds "$python" -IS - "$TRAINC_STATE_DIR/runs/final/result" <<'END'
import json, sys
s = json.load(open(sys.argv[1]))
assert s["phase"] == "Failed" and s["end"] >= s["begin"] > 0, s
for x in s["roles"][0]["replicas"]:
    assert x["pid"] > 0 and x["end"] >= x["begin"] >= s["begin"] and x["attempts"] == 1, x
END

# the whole job restarts; a deadline
program whole <<'END'
  restarts = 1
  role a { command = ["sh", "-c", "echo a; exec sleep 60"], grace = 1s }
  role b { command = ["sh", "-c", "sleep 0.1; test -e once && exit 0; touch once; exit 4"] }
  success = done(b)
END
local_run 0 whole --backoff 50ms
holds test "$(logs whole a-0)" = "$(printf 'a\na')"
is whole 's["job_restarts"], r("b")[0]["attempts"]' "(1, 2)"

# `logs -f` of a rank that has failed continues while the whole job restarts
program anew <<'END'
  restarts = 1
  role a {
    command = ["sh", "-c", "echo up; until test -e go; do sleep 0.02; done; rm go; exit 3"]
    restart = "never"
  }
END
run 0 apply --local --backoff 500ms --no-wait anew.tj
"$TRAINC" logs --local -f anew >followed 2>followed.err &
follower=$!
holds touch go
before 5 grep -q 'attempt 1' followed.err
again() { test "$(value anew "r('a')[0]['attempts']")" = 2; }
before 5 again
holds touch go
run 8 wait --local anew
wait "$follower"
holds test "$(cat followed)" = "$(printf 'a/0 │ up\na/0 │ up')"
run 0 delete --local --yes anew

program deadline <<'END'
  timeout = 1s
  role a { command = ["sleep", "60"], grace = 1s }
END
local_run 8 deadline
says err "deadline exceeded: it has run for 1s"

# suspend and resume
program paused <<'END'
  suspend = true
  role a { replicas = 2, command = ["sh", "-c", "echo up; until test -e go; do sleep 0.02; done"], grace = 1s }
END
begin paused
before 5 phase paused Suspended
holds test ! -e "$(log_of paused a-0)"
ask paused resume; answers ok
before 5 said paused a-1 up
ask paused suspend; answers ok
stopped() { test "$(value "$1" 's["cause"]')" = ""; }
before 5 stopped paused
before 5 phase paused Suspended
is paused 's["phase"], [x["state"] for x in r("a")]' "('Suspended', ['waiting', 'waiting'])"
ask paused "scale a 1"; answers "no role 'a' is not elastic: it has 2 replicas"
touch go
ask paused resume; answers ok
finish 0 paused
holds test "$(logs paused a-0)" = "$(printf 'up\nup')"
is paused '[(x["attempts"], x["resumed"]) for x in r("a")]' '[(2, 1), (2, 1)]'

# elastic roles
program grows <<'END'
  role a { replicas = 1:4, command = ["sh", "-c", "echo up; until test -e go$JOB_COMPLETION_INDEX; do sleep 0.02; done"], grace = 1s }
END
begin grows --replicas a=2
before 5 said grows a-1 up
holds test ! -e "$(log_of grows a-2)"
ask grows "scale a 3"; answers ok
before 5 said grows a-2 up
ask grows "scale a 5"; answers "no role 'a' has 1 to 4 replicas, not 5"
ask grows "scale a 1"; answers ok
one_left() { test "$(processes grows | wc -l)" -le 2; }  # a shell and its sleep
before 5 one_left
ask grows "scale a 2"; answers ok
twice() { test "$(logs grows a-1)" = "$(printf 'up\nup')"; }
before 5 twice
touch go0 go1
finish 0 grows

# clean = "none" leaves the others alone until they end, or until a user stops them
program left <<'END'
  clean   = "none"
  success = done(a)
  role a { command = ["true"] }
  role b { command = ["sh", "-c", "echo up; until test -e leave; do sleep 0.02; done; echo left"] }
END
begin left
before 5 phase left Completing
before 5 said left b-0 up
touch leave
finish 0 left
shows left b-0 left

# a sidecar that ends is restarted
program beside <<'END'
  role a {
    command = ["sh", "-c", "until test -s beside && test $(wc -l <beside) -ge 2; do sleep 0.05; done"]
    sidecar s { image = "registry.example.com/test:1", command = ["sh", "-c", "echo x >>beside"] }
  }
END
local_run 0 beside --backoff 50ms
end
