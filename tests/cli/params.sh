#!/bin/sh
# params.sh - parameters from --set, files and profiles: which one wins, and where messages point.
. "$(dirname "$0")/cli.inc"

cat >p.tj <<-'END'
	import std.single

	## Count.
	param count: int(1..9) = 1
	## Stage.
	param stage: enum("dev", "prod") = "dev"
	## Words.
	param words: list[string] = ["a"]
	## Data.
	param data: Data = { claim = "none", size = 1Gi }
	## Free text.
	param note: string? = none
	## Size.
	param size: memory = 1Gi

	type Data { claim: string, size: memory }
	profile nine {
	  count = 9
	  stage = "prod"
	}
	job "p": single.task {
	  image = "registry.example.com/tools/hello:1.0"
	  cpu = 1
	  memory = size
	  env {
	    COUNT = count, STAGE = stage, WORDS = join(words, "+"), CLAIM = data.claim, BYTES = bytes(data.size)
	    NOTE = note ?? "-"
	  }
	}
END
# value NAME TEXT: the variable has this value in the output of run
value() {
	got=$(sed -n "s/^export $1='\(.*\)'\$/\1/p" .out)
	if test "$got" = "$2"; then ok; else fail "$1 is '$got', not '$2'"; fi
}

run 0 env -o shell p.tj; value COUNT 1; value STAGE dev; value WORDS a; value NOTE -
run 0 env -o shell p.tj --profile nine; value COUNT 9; value STAGE prod
run 0 env -o shell p.tj --profile nine --set count=2; value COUNT 2; value STAGE prod
run 0 env -o shell p.tj --set count=2 --set count=3; value COUNT 3
run 0 env -o shell p.tj --set 'words=["x", "y"]' --set 'note=it is "so"'; value WORDS x+y; value NOTE 'it is "so"'
run 0 env -o shell p.tj --set note=none; value NOTE -
run 0 env -o shell p.tj --set 'data={ claim = "c", size = 2Gi }'; value CLAIM c; value BYTES 2147483648

cat >p.params.tj <<-'END'
	# what we run today
	count = 4      # four
	stage = "prod"

	words = ["#", "b"]  # a sharp
	data  = { claim = "lines", size = 3Gi }
	note  = "with # inside"
END
run 0 env -o shell p.tj --params p.params.tj
value COUNT 4; value STAGE prod; value WORDS '#+b'; value CLAIM lines; value NOTE 'with # inside'
run 0 env -o shell p.tj --params p.params.tj --set count=5; value COUNT 5; value STAGE prod
run 0 env -o shell p.tj --profile nine --params p.params.tj; value COUNT 4

cat >more.yaml <<-'END'
	# größer
	count: 6
	stage: "prod"
	words: [one, "two"]
	data:
	  claim: yaml
	  size: 4Gi
	note: "a\tb"
END
run 0 env -o shell p.tj --params more.yaml
value COUNT 6; value STAGE prod; value WORDS one+two; value CLAIM yaml; value BYTES 4294967296; value NOTE "$(printf 'a\tb')"
run 0 env -o shell p.tj --params p.params.tj --params more.yaml; value COUNT 6
run 0 env -o shell p.tj --params more.yaml --params p.params.tj; value COUNT 4

echo '{"count": 7, "words": ["j"], "note": null, "data": {"claim": "json", "size": "5Gi"}}' >more.json
run 0 env -o shell p.tj --params more.json; value COUNT 7; value WORDS j; value CLAIM json; value BYTES 5368709120; value NOTE -

# places
run 1 check p.tj --set count=10; says err "command line:1:7: error: "; says err "[TJ0311]"
run 1 check p.tj --set count=x; says err "[TJ0403]"
run 1 check p.tj --set stage=prd; says err "[TJ0312]"; says err "did you mean"
run 1 check p.tj --set size=64; says err "unit"
run 1 check p.tj --set cuont=1; says err "[TJ0402]"; says err "did you mean 'count'?"
run 1 check p.tj --profile nin; says err "[TJ0404]"
printf '# one\ncount: 10\n' >bad.yaml
run 1 check p.tj --params bad.yaml; says err "bad.yaml:2:8: error: "
printf 'count = 3\n  stage "x"\n' >bad.tj
run 1 check p.tj --params bad.tj; says err "bad.tj:2:3: error: "
printf 'count: [1\n' >broken.yaml
run 1 check p.tj --params broken.yaml; says err "broken.yaml:"
printf -- '- 1\n' >list.yaml
run 1 check p.tj --params list.yaml; says err "list.yaml:1:1: error: "
run 1 check p.tj --params absent.yaml; says err "no such file"
run 1 check p.tj --params p.txt; says err "its name ends with"
: >empty.yaml; run 0 check p.tj --params empty.yaml

# blanks around '='; positions in lists and mappings; keys that surround all parameters, and keys that appear twice
run 0 check p.tj --set 'count = 4'
run 1 check p.tj --set 'count = 40'; says err "command line:1:9: error: "
run 2 check p.tj --set ' = 4'; says err "--set needs NAME=VALUE"
printf 'count: 2\ndata:\n  claim: 3\n  size: 1Gi\n' >deep.yaml
run 1 check p.tj --params deep.yaml; says err "deep.yaml:3:10: error: 'data.claim' needs a string, found 3"
printf 'params:\n  count: 4\n' >wrapped.yaml
run 1 check p.tj --params wrapped.yaml; says err "wrapped.yaml:1:1: error: unknown parameter 'params'"
says err "set the parameters at the top level of the file, without 'params' around them"
printf 'count: 4\ncount: 5\n' >twice.yaml
run 1 check p.tj --params twice.yaml; says err "twice.yaml:2:1: error: this cannot be read: the key 'count' appears twice"
printf 'count = 4\ncount = 5\n' >twice.tj
run 1 check p.tj --params twice.tj; says err "twice.tj:2:1: error: 'count' is set twice in this file"
# a let is not a parameter
{ echo 'let fixed = 3'; cat p.tj; } >let.tj
run 1 check let.tj --set fixed=4
says err "'fixed' is a let, not a parameter"
says err "declare it as a 'param'"
run 1 check p.tj --profile absent; says err "nine"
# only the program sets a parameter of a module
printf 'param size: int(1..8) = 2\n' >site.tj
{ echo 'import "site.tj" as site { size = count }'; cat p.tj; echo 'check site.size < 5 else "large: ${site.size}"'; } >m.tj
run 0 check m.tj --set count=4
run 1 check m.tj --set count=5; says err "large: 5"
run 1 check m.tj --set count=9; says err "m.tj:1:35: error: size = 9 is outside 1..8"
echo 'count = 7' >seven.tj
run 1 check m.tj --params seven.tj; says err "large: 7"
run 1 check m.tj --set site.size=3
says err "unknown parameter 'site.size'"
says err "import ... as site { size = ... }"
# one mistake gives one message: the comma of Helm, an option instead of --set, a value of the wrong kind, a file that
# cannot be read
printf 'import std.pytorch\n\nparam name: string\nparam size: int = 2\nparam room: memory = 1Gi\nparam tags: map[string] = {}\njob "m": pytorch.torchrun {\n  image = "registry.example.com/ml/train:1.0"\n  command = ["torchrun", name]\n  role worker { replicas = size, memory = room, labels { ...tags } }\n}\n' >named.tj
run 1 check named.tj --set name=a,size=2; says err "each parameter needs its own --set"; says err "write --set name=a --set size=2"
run 0 check named.tj --set name=a,b=2
run 2 check named.tj --batch=2; says err "a parameter of the program is set with --set batch=VALUE"
run 1 check named.tj --set nmae=a; says err "did you mean 'name'?"; holds test "$(grep -c 'has no value' .err)" = 0
run 1 check named.tj --params absent.yaml; says err "cannot read 'absent.yaml'"; holds test "$(grep -c 'has no value' .err)" = 0
printf 'name: a\nroom: 64\n' >unitless.yaml
run 1 check named.tj --params unitless.yaml; says err "'room' needs a memory amount, found 64"; says err "write a unit: 64Gi"
printf 'name: a\ntags: {a: 4}\n' >number.yaml
run 1 check named.tj --params number.yaml; says err 'write "4"'
# a parameters file among the programs
run 1 check named.tj name=a; says err "'name=a' cannot be read"; says err "set with --set name=a"
run 1 compile named.tj name=a; says err "set with --set name=a"
holds test "$(grep -c 'error' .err)" = 1        # and it does not also report that the parameter has no value
run 2 run --local named.tj name=a; says err "set with --set name=a"
end
