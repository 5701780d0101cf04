#!/bin/sh
# publish.sh - ports of replicas at ports of this machine: --publish and port-forward.
. "$(dirname "$0")/local.inc"
clean_up_runs
export ASAN_OPTIONS="${ASAN_OPTIONS:+$ASAN_OPTIONS:}detect_leaks=0"

# carries WANT WORD ARGUMENT...: what carry.py prints
carries() {
	want=$1
	shift
	"$python" -IS "$here/carry.py" "$@" >.carried 2>&1
	if test "$(cat .carried)" = "$want"; then ok; else fail "carry.py $*: $(tail -n 3 .carried)"; fi
}
# free N: a port that is unused and that the kernel does not assign
free() { "$python" -IS "$here/carry.py" free "$1"; }
listens() { before 10 sh -c "test \$('$TRAINC' logs --local $1 --all 2>/dev/null | grep -c listens) -ge $2"; }

program board <<END
  role w {
    replicas = 2
    command = ["$python", "-IS", "$here/carry.py", "serve", "127.0.0.1", "\${self.port(pod.index, "http")}"]
    ports { http = 6006, metrics = 6007 }
    grace = 1s
  }
  role idle { command = ["sleep", "600"], grace = 1s }
END
program alone <<END
  role w    { command = ["$python", "-IS", "$here/carry.py", "serve", "127.0.0.1", "6006"], ports { http = 6006, metrics = 6007 }, grace = 1s }
  role own  { command = ["$python", "-IS", "$here/carry.py", "serve", "own", "7000"], grace = 1s }
  role six  { command = ["$python", "-IS", "$here/carry.py", "serve", "::1", "7000"], grace = 1s }
  role idle { command = ["sleep", "600"], grace = 1s }
END
program fails <<END
  role w { command = ["sh", "-c", "until test -e '$PWD/.fail'; do sleep 0.1; done; exit 3"], ports { http = 6006 }, grace = 1s }
END

# ---- what is refused ----
for bad in w/0 6006:w/0 w:http 6006:w/x:http x:w/0:http 70000:w/0:http w/0:70000 w/0: /0:http 1:2:w/0:http; do
	run 2 run --local --publish "$bad" board.tj
	says err "--publish needs [HOSTPORT:]ROLE/N:PORT, such as 6006:worker/0:http or worker/0:8080, found '$bad'"
done
run 8 run --local --publish 1:nobody/0:http board.tj; says err "--publish 1:nobody/0:http: unknown role 'nobody'"
run 8 run --local --publish w/2:http board.tj; says err "--publish w/2:http: role 'w' has replicas 0 to 1, not 2"
run 8 run --local --publish w/1:htpp board.tj
says err "--publish w/1:htpp: role 'w' has no port 'htpp'; it declares http, metrics; for a port that is not declared, write its number"
run 8 run --local --publish idle/0:80 board.tj
says err "role 'idle' does not declare port 80, so what listens there is at 127.0.0.1:80 of this machine already; it declares none"

# ---- what a run shows ----
a=$(free 0) b=$(free 1)
run 0 run --local --dry-run --publish "$a:w/1:http" --publish 0:w/0:6007 board.tj
holds grep -qxE "  published  http at 127.0.0.1:$a" .out; says out "6007 at a free port of 127.0.0.1"

# ---- ports that everybody can reach also have another number here ----
run 0 apply --local --publish "$a:w/1:http" --publish 0:w/0:6006 board.tj
says err "w/1:http is at 127.0.0.1:$a"
listens board 2
carries board-w-1 host "$a"
run 0 status --local -o wide board
holds grep -qE " w-1 .*127.0.0.1 +http=[0-9]+,metrics=[0-9]+,127.0.0.1:$a->http\$" .out
holds grep -qE " w-0 .*,127.0.0.1:[0-9]+->6006\$" .out
run 0 status --local -o json board
json '[r["published"] for r in d["runs"][0]["replicas"]][1:3]' "[[{'port': 'http', 'address': '127.0.0.1:$a'}], []]"
carries board-w-0 host "$(sed -n 's/.*"published": \[{ "port": "6006", "address": "127.0.0.1:\([0-9]*\)".*/\1/p' .out)"
# the same options are the same run, others are a different one
run 0 apply --local --publish "$a:w/1:http" --publish 0:w/0:6006 board.tj; says out unchanged
run 5 apply --local board.tj; says err "with other options"
# if the port is in use, the message names a free one
sed 's/"board"/"other"/' board.tj >other.tj
run 3 apply --local --publish "$a:w/1:http" other.tj
holds grep -qE "^trainc: --publish $a:w/1:http: port $a of this machine is taken by another program; [0-9]+ is free: --publish [0-9]+:w/1:http\$" .err
run 0 delete --local --yes board
carries refused refused "$a"

# ---- replicas with networks of their own ----
if can_network; then
	run 0 apply --local --isolate replica --publish "$a:w/0:http" --publish "$b:own/0:7000" --publish 0:six/0:7000 --publish 0:idle/0:81 alone.tj
	says err "role 'idle' does not declare port 81, which is published: its program has to listen there by itself"
	listens alone 3
	run 0 status --local -o json alone
	address() { sed -n "s/.*\"role\": \"$1\", .*\"published\": \[{ \"port\": \"[0-9a-z]*\", \"address\": \"127.0.0.1:\([0-9]*\)\".*/\1/p" .out; }
	six=$(address six) idle=$(address idle) keeper=$(value alone 's["keeper"][0]')
	carries alone-w-0 host "$a"
	carries alone-own-0 host "$b"
	test ! -e /proc/net/if_inet6 || carries alone-six-0 host "$six"
	carries alone-w-0 half "$a"
	carries 40 many "$a"
	carries "held up" blocked "$a" "$keeper"
	carries reset refused "$idle"
	# a restarted replica has the same port
	run 0 restart --local alone w/0
	listens alone 4
	carries alone-w-0 host "$a"
	# while none runs, connections are refused
	run 0 suspend --local alone
	carries reset refused "$a"
	run 0 resume --local alone
	listens alone 7
	carries alone-w-0 host "$a"

	# ---- for a run that is already running ----
	c=$(free 2)
	"$TRAINC" port-forward --local alone "$c:w/0:http" >.forward 2>.err </dev/null &
	forward=$!
	before 10 grep -q "127.0.0.1:$c -> w/0:http" .forward
	carries alone-w-0 host "$c"
	carries alone-w-0 half "$c"
	run 3 port-forward --local alone "$a:w/0:http"
	holds grep -qE "$a:w/0:http: port $a of this machine is taken by another program; [0-9]+ is free: [0-9]+:w/0:http" .err
	run 6 port-forward --local alone w/0:none
	says err "w/0 of run 'alone' has no port 'none': it has http=6006,metrics=6007; for a port that is not declared, write its number"
	run 6 port-forward --local alone 0:w/9:80; says err "role 'w' has replicas 0 to 0, not 9"
	run 6 port-forward --local alone 0:nobody/9:80; says err "run 'alone' has no role 'nobody'; its roles are w, own, six, idle"
	run 2 port-forward --local alone w/0; says err "port-forward needs [HOSTPORT:]ROLE/N:PORT"
	# ---- open: the port by its name, in the network of the replica ----
	"$TRAINC" open --local alone >.open 2>.err </dev/null &
	open=$!
	before 10 grep -qxE 'http://127.0.0.1:[0-9]+/' .open
	says err "w/0:http is forwarded until you press control-C or the run ends"
	carries alone-w-0 host "$(sed 's/.*:\([0-9]*\).*/\1/' .open)"
	run 2 open --local alone nccl
	says err "no role of run 'alone' declares a port 'nccl'; declared are http (role w), metrics (role w)"
	run 2 open --local alone w/0; says err "a replica needs its port, such as w/0:http"
	run 6 open --local alone own/0:none; says err "own/0 of run 'alone' has no port 'none'"
	run 0 delete --local --yes alone
	# both end with the run
	wait "$open"
	holds test $? -eq 0
	wait "$forward"
	holds test $? -eq 0
	carries refused refused "$c"
	nothing_left alone

	run 0 apply --local --isolate job --publish "$a:w/1:http" board.tj
	listens board 2
	carries board-w-1 host "$a"
	"$TRAINC" port-forward --local board "$c:w/0:http" >.forward 2>.err </dev/null &
	forward=$!
	before 10 grep -q "127.0.0.1:$c -> w/0:http" .forward
	carries board-w-0 host "$c"
	kill "$forward"
	wait "$forward"
	run 0 suspend --local board
	run 6 port-forward --local board 0:w/0:http; says err "w/0 of run 'board' does not run now"
	run 0 delete --local --yes board
	nothing_left board

	# ---- a run that fails ends both, with the status of a failure ----
	run 0 apply --local --isolate job fails.tj
	"$TRAINC" port-forward --local fails "$c:w/0:http" >.forward 2>.err </dev/null &
	forward=$!
	"$TRAINC" open --local fails >.open 2>.err </dev/null &
	open=$!
	before 10 grep -q "127.0.0.1:$c -> w/0:http" .forward
	before 10 grep -qxE 'http://127.0.0.1:[0-9]+/' .open
	touch .fail
	wait "$forward"
	holds test $? -eq 8
	wait "$open"
	holds test $? -eq 8
	says err "run 'fails' has ended"
	run 0 delete --local --yes fails
else
	skip "no network namespaces"
fi
end
