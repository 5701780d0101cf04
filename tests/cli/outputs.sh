#!/bin/sh
# outputs.sh - the files that compile writes are identical in two runs.
. "$(dirname "$0")/cli.inc"
good good.tj
bad bad.tj

# the same twice, from any directory
for program in "$root"/examples/*/*.tj; do
	grep -q '^job\|^for .*job' "$program" || continue
	"$TRAINC" compile "$program" >first 2>/dev/null; first=$?
	"$TRAINC" compile "$program" >second 2>/dev/null
	holds test $first -eq 0
	same first second
done

# a make rule
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

# -o FILE is written completely or not at all, in the format of its extension
"$TRAINC" compile good.tj >want; "$TRAINC" compile -o json good.tj >want.json
run 0 compile good.tj -o objects.yaml; silent out; same objects.yaml want
run 0 compile good.tj -o ./objects.json; same objects.json want.json
run 0 compile good.tj -o ./plain-name; same plain-name want
run 1 compile bad.tj -o objects.yaml; silent out; holds test -s objects.yaml
run 1 compile bad.tj -o none.yaml; holds test ! -e none.yaml
chmod 640 objects.yaml; ln -s objects.yaml link.yaml; ln objects.yaml other-name.yaml
run 0 compile good.tj -o link.yaml; holds test -L link.yaml; same objects.yaml want; same other-name.yaml want
holds test "$(stat -c %a objects.yaml)" = 640
holds test "$(ls -A | grep -c trainc-new)" -eq 0
cp good.tj kept.tj
run 3 compile good.tj -o kept.tj; says err "does not hold Kubernetes objects; --force replaces it"; same good.tj kept.tj
run 0 compile good.tj -o kept.tj --force; same kept.tj want
run 3 compile good.tj -o absent/objects.yaml; says err "cannot write 'absent/objects.yaml'"
run 3 compile good.tj -o .; says err "cannot write '.'"
run 0 compile good.tj -o /dev/null; silent out
run 2 compile good.tj -o jsno; says err "it is yaml, json or a file: -o ./jsno"
run 2 compile good.tj -o all.yaml --output-dir all; says err "use only one of the two"; holds test ! -e all.yaml
run 2 compile good.tj --outfile all.yaml; says err "write -o FILE, or --output-dir DIR"
run 0 compile good.tj -o objects.yaml --depfile out.d; holds grep -q '^objects.yaml: ' out.d

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

# several programs are compiled in order and separately; --set applies to those that declare the parameter
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
# names with newlines: visible in a comment, impossible in a make rule
odd=$(printf 'x\nfoo: bar #\302\205\342\200\250y.tj')
printf 'let n = "w"\n' >"$odd"
cat >odd.tj <<-'END'
	import "x\nfoo: bar #\u{85}\u{2028}y.tj" as q
	job "hello" {
	  image = "registry.example.com/tools/hello:1.0"
	  role main { command = ["a", q.n], cpu = 1, memory = 1Gi }
	}
END
run 0 compile --annotate odd.tj; says out '- w # x\x0afoo: bar #\u0085\u2028y.tj:1'; holds test "$(grep -c '^foo' .out)" -eq 0
run 3 compile --depfile odd.d odd.tj; says err "contains a newline"; holds test ! -e odd.d
printf 'let  n = 1\n' >"$odd"
run 1 fmt --check "$odd"; holds test "$(wc -l <.out)" -eq 1; says out 'x\x0afoo: bar'
printf 'tab\there.tj' >name; cp good.tj "$(cat name)"; run 0 compile --depfile tab.d "$(cat name)"; holds grep -q '^tab\\.here.yaml: ' tab.d
run 0 compile --annotate good.tj; holds grep -q '# good.tj:[0-9]' .out
end
