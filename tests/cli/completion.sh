#!/bin/sh
# completion.sh - the shells can read their scripts, and bash's completes names that are not in the table of options;
# surface.sh compares the rest.
. "$(dirname "$0")/cli.inc"

for shell in bash zsh fish; do
	run 0 completion $shell; silent err
	cp .out $shell.txt
	if command -v $shell >/dev/null; then
		holds $shell -n $shell.txt
	else
		skip "$shell is not here to read its script"
	fi
done
run 2 completion tcsh; says err "bash, zsh or fish"
run 2 completion; says err "completion needs bash, zsh or fish"

command -v bash >/dev/null || { skip "bash"; end; }
# complete WORD...: what bash offers for the last word
complete() {
	bash -c '
		. ./bash.txt
		COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
		_trainc
		test ${#COMPREPLY[@]} -eq 0 || printf "%s\n" "${COMPREPLY[@]}"
	' - trainc "$@" | sort | tr '\n' ' '
}
offers() {
	want=$1
	shift
	got=$(complete "$@")
	if test "$got" = "$want"; then ok; else fail "trainc $*: '$got', not '$want'"; fi
}
: >a.tj; : >b.txt; mkdir dir
offers 'compile completion ' comp
offers '--deny-warnings --depfile --domain ' compile --d
offers 'github gitlab json junit sarif text ' check --format ''
offers 'yaml ' compile -o y
offers 'b.txt ' compile -o b.t
offers 'dotenv fish json shell table ' env --output ''
offers 'a.tj dir ' compile ''
offers 'a.tj dir ' compile --namespace x --annotate ''
offers 'a.tj ' --color never compile a
offers '' compile --namespace ''
offers 'jobs jobset ' compile --target job
offers '1.34 ' compile --kubernetes 1.34
printf 'job "one" {\n  image = "a:1"\n  role worker { }\n}\njob "two" {\n  image = "a:1"\n  role worker { }\n}\n' >a.tj
PATH=$(dirname "$TRAINC"):$PATH offers 'one two ' plan a.tj --job ''
offers 'single.task ' init --framework si
offers 'std.nvidia ' doc std.nv
offers 'a.tj ' doc a
offers 'TJ0502 ' explain TJ0502
offers 'single single-replica single.task ' explain sing
offers '' version ''
: >'two words.tj'
offers 'two words.tj ' compile two
offers 'b.txt bash.txt ' compile --params 'b'
offers 'dir ' compile --output-dir ''
end
