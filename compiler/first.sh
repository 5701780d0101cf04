#!/bin/sh
# first.sh BUILD - prints first.txt: the functions that common commands call, those of the most commands first.
#
#     sh compiler/first.sh build >first.new && mv first.new compiler/first.txt
#
# The program is linked in that order, so that the functions that are used are next to each other. The system maps the
# pages of a program 16 at a time, and each of these steps takes as long as some thousand instructions. An outdated list
# only makes commands a little slower. Needs valgrind.
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT

# profile ARGUMENT...: records the functions that a command calls, numbered in the order of their first calls.
profile() {
	valgrind --tool=callgrind --callgrind-out-file="$work/profile" "$build/trainc" "$@" >/dev/null 2>&1 </dev/null || return
	sed -n 's/^c\{0,1\}fn=([0-9]*) \([A-Za-z_][A-Za-z0-9_]*\).*/\1/p' "$work/profile" | awk '!seen[$0]++ { print NR, $0 }' >>"$work/calls"
}

build=$1
for file in examples/*/*.tj; do
	profile compile "$file"
	profile check "$file"
	profile plan "$file"
done
test -s "$work/calls" || { echo "first.sh: no command of '$build/trainc' could be profiled" >&2; exit 1; }
nm "$build/libtrainc.a" "$build/obj/compiler/main.o" | sed -n 's/^[0-9a-f]* [tT] \([A-Za-z_][A-Za-z0-9_]*\).*/\1/p' | sort -u >"$work/functions"
awk 'NR == FNR { known[$1] = 1; next } $2 in known { uses[$2]++; if (!($2 in at) || $1 < at[$2]) at[$2] = $1 }
	END { for (name in uses) print uses[name], at[name], name }' "$work/functions" "$work/calls" |
	sort -k1,1nr -k2,2n -k3 | awk '{ print $3 }'
