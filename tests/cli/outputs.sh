#!/bin/sh
# outputs.sh - files that compile writes, and that two runs write the same bytes.
. "$(dirname "$0")/cli.inc"
good good.tj
bad bad.tj

# twice the same, from anywhere
for program in "$root"/examples/*/*.tj; do
	grep -q '^job\|^for .*job' "$program" || continue
	"$TRAINC" compile "$program" >first 2>/dev/null; first=$?
	"$TRAINC" compile "$program" >second 2>/dev/null
	holds test $first -eq 0
	same first second
done

# a rule for make
run 0 compile --depfile out.d good.tj; says out "kind: Job"
printf 'good.yaml: \\\n  good.tj\ngood.tj:\n' >want; same out.d want
cat >library.tj <<-'END'
	## A worker.
	framework one() { role worker { replicas: int(1..1) = 1 } }
END
cat >"with space.tj" <<-'END'
	import "library.tj" as library
	job "hello": library.one {
	  image = "registry.example.com/tools/hello:1.0"
	  cpu = 1
	  memory = 1Gi
	}
END
run 0 compile --depfile=out.d -o json "with space.tj"
holds grep -qF 'with\ space.json:' out.d
holds grep -qF 'library.tj:' out.d
run 1 compile --depfile bad.d bad.tj; holds test ! -e bad.d
run 3 compile --depfile absent/out.d good.tj; says err "absent/out.d"

# one file per object
run 0 compile --output-dir objects good.tj; silent out
holds test "$(ls objects/*.yaml | wc -l)" -ge 1
holds test -f "$(ls objects/001-*.yaml)"
cat objects/*.yaml >all
run 0 compile --output-dir objects good.tj; cat objects/*.yaml >again; same all again
sed 's/hello"/other"/' good.tj >other.tj
run 0 compile --output-dir objects other.tj
if ls objects/*hello* >/dev/null 2>&1; then fail "a stale file of ours stays"; else ok; fi
run 1 compile --output-dir objects bad.tj
holds test "$(ls objects/*other*.yaml | wc -l)" -ge 1
mkdir theirs; echo precious >theirs/file
run 3 compile --output-dir theirs good.tj; says err "theirs"
holds test "$(ls theirs)" = file
: >plain; run 3 compile --output-dir plain good.tj
mkdir empty; run 0 compile --output-dir empty good.tj; holds test -f "$(ls empty/001-*.yaml)"

# several programs: in order, each its own; a --set goes to those that know it
cat >parameters.tj <<-'END'
	## How many.
	param count: int(1..9) = 1
	job "many" {
	  image = "registry.example.com/tools/hello:1.0"
	  role main { replicas = count, cpu = 1, memory = 1Gi }
	}
END
run 0 compile good.tj parameters.tj --set count=3; says out "completions: 3"
run 1 compile good.tj parameters.tj --set cuont=3; says err "[TJ0402]"; holds test "$(grep -c TJ0402 .err)" -eq 1
run 1 compile good.tj --set count=3; says err "command line:1:"; says err "[TJ0402]"
run 1 compile parameters.tj --set count=99; says err "command line:1:7: error: "; says err "[TJ0311]"
run 1 compile good.tj good.tj; says err "[TJ0812]"; silent out
run 0 compile -o json good.tj parameters.tj; cp .out list.json
holds python3 -c 'import json; l = json.load(open("list.json")); assert l["kind"] == "List" and len(l["items"]) >= 2'
run 0 compile --job hello good.tj parameters.tj; says out "name: hello"; holds test "$(grep -c 'name: many' .out)" -eq 0
run 2 compile --job helo good.tj; says err "unknown job 'helo'; did you mean 'hello'?"; silent out
run 0 compile --namespace team-a good.tj; says out "namespace: team-a"
run 1 compile --namespace Team_A good.tj; says err "command line:1:1: error: namespace 'Team_A' must be"; silent out
run 1 compile --domain 'cluster local' good.tj; says err "[TJ0802]"
run 1 compile --domain cluster..local good.tj; says err "[TJ0802]"
run 1 compile --kubernetes 1.99 good.tj; says err "[TJ0814]"
run 0 compile --gang volcano good.tj; says out "kind: PodGroup"
run 2 compile --gang swarm good.tj; says err "swarm"
run 1 compile --gang native --kubernetes 1.34 good.tj; says err "[TJ0809]"
run 1 compile --target swarm good.tj; says err "'swarm'"
run 0 compile --annotate good.tj; holds grep -q '# good.tj:[0-9]' .out
end
