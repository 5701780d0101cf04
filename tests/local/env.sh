#!/bin/sh
# env.sh - a process of this machine sees what a container in a cluster would see.
. "$(dirname "$0")/local.inc"

cp "$here/env.tj" .
export TOKEN=s3cr3t MODE=fast NOBODY=nobody EDITOR=none LC_TIME=C.UTF-8

# seen JOB ISOLATION [cluster]: runs JOB and compares what its processes printed.
seen() {
	run 0 compile -o json --job "$1" env.tj; cp .out objects.json
	run 0 env -o json --job "$1" env.tj; cp .out env.json
	run 0 run --local --isolate "$2" --job "$1" env.tj
	nothing_left "$1"
	"$python" -IS "$here/env.py" "$TRAINC_STATE_DIR/runs/$1/logs" objects.json env.json $3 >compared 2>&1
	grep -v passed compared
	counts=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed$/\1 \2/p' compared)
	set -- ${counts:-0 1}
	passed=$((passed + $1)) failed=$((failed + $2))
}
isolated=true
can_network || isolated=false

seen vars none
seen rolls none
log=$TRAINC_STATE_DIR/runs/vars/logs/worker-1.log
has() { tr '\0' '\n' <"$log" | grep -q -- "$1"; }
holds has '^HOSTNAME=vars-worker-1$'
holds has '^ME=127.0.0.1$'
holds has '^LC_TIME='
holds has '^PATH='
holds has '^TF_CONFIG=.*127.0.0.1:[1-9]'
hasnt() { ! has "$1"; }
holds hasnt '^EDITOR='
holds hasnt '^NOBODY='

run 0 run --local --inherit-env --job vars env.tj
holds has '^EDITOR=none'

if $isolated; then
	seen vars replica cluster
	seen rolls replica cluster
	seen vars job
else
	skip "no namespaces here"
fi

# secrets that the caller's environment lacks
unset TOKEN MODE
run 8 run --local --job vars env.tj
says err "TOKEN comes from secret 'hugging-face' key 'token': set TOKEN in your environment"
says err "MODE comes from config map 'settings' key 'mode': set MODE in your environment"
holds test "$(grep -c TOKEN .err)" -eq 3                # once for each role
end
