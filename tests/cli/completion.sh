#!/bin/sh
# completion.sh - the scripts say what the table says, and bash's completes.
. "$(dirname "$0")/cli.inc"

for shell in bash zsh fish; do
	run 0 completion $shell
	cp .out $shell.txt
	for command in compile check env plan fmt test dump explain version help; do
		grep -q "$command" $shell.txt && ok || fail "$shell does not know $command"
	done
	for option in output-dir deny-warnings profile role; do
		grep -qE "(--|-l )$option" $shell.txt && ok || fail "$shell does not know --$option"
	done
	if command -v $shell >/dev/null; then
		holds $shell -n $shell.txt
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
		printf "%s\n" "${COMPREPLY[@]}"
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
offers 'json sarif text ' check --format ''
offers 'json yaml ' compile -o ''
offers 'dotenv json shell table ' env --output ''
offers 'a.tj dir/ ' compile ''
offers 'b.txt bash.txt ' compile --params 'b'
offers 'dir ' compile --output-dir ''
end
