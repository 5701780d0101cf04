#!/bin/sh
# golden.sh [FILE.tj...] - compares outputs of trainc with goldens, by suffix.
#
# A case is tests/TOPIC/NAME.tj or examples/DIR/NAME.tj. Files beside it contain the expected outputs, for the suffixes
# in the loop below; NAME.args contains further options. BLESS=1 rewrites the existing files: read the difference before
# you commit it.  To add a golden, create it empty and bless it.
#
# A status above 1 is a crash or misuse, and is never expected.
cd "$(dirname "$0")/.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc}
test $# -gt 0 || set -- tests/*/*.tj examples/*/*.tj

out=$(mktemp) err=$(mktemp) || exit 1
trap 'rm -f "$out" "$err"' EXIT
passed=0 failed=0

fail() {
	failed=$((failed + 1))
	echo "FAIL $*"
}

# golden SUFFIX STATUSES STREAMS COMMAND...: runs COMMAND, and compares its output with the file of that suffix.  STREAMS
# is `out`, or `both` for the text that a terminal would show.
golden() {
	want=${src%.tj}.$1 statuses=$2 streams=$3
	shift 3
	test -f "$want" || return 0
	"$TRAINC" "$@" $options "$src" >"$out" 2>"$err"
	status=$?
	test "$streams" = out || cat "$err" >>"$out"
	case " $statuses " in
	*" $status "*) ;;
	*)
		fail "$want: status $status, not $statuses"
		head -n 20 "$err"
		return
		;;
	esac
	if test -n "$BLESS"; then
		cmp -s "$out" "$want" || { cp "$out" "$want"; echo "blessed $want"; }
		passed=$((passed + 1))
	elif diff -u "$want" "$out" >"$err"; then
		passed=$((passed + 1))
	else
		fail "$want"
		head -n 60 "$err"
	fi
}

# Errors give status 1, warnings alone 0: the golden shows which one it is.
status_of() {
	if test -n "$BLESS"; then
		echo 0 1
	elif grep -q "$2" "${src%.tj}.$1" 2>/dev/null; then
		echo 1
	else
		echo 0
	fi
}

for src; do
	test -f "$src" || continue
	options=
	test ! -f "${src%.tj}.args" || options=$(cat "${src%.tj}.args")
	golden diag "$(status_of diag ': error: ')" both check --color=never
	golden colour '0 1' both check --color=always
	golden json "$(status_of json '"severity":"error"')" both check --format json
	golden tokens '0 1' out dump --tokens
	golden ast '0 1' out dump --ast
	golden types '0 1' out dump --types
	golden plan 0 out dump --plan
	golden objects 0 out dump --objects
	golden yaml 0 out compile
	golden objects.json 0 out compile -o json
	golden env 0 out env
	golden env.json 0 out env -o json
	golden table 0 out plan
	golden table.json 0 out plan -o json
	golden svg 0 out plan -o svg
	golden md 0 out doc
done

# A golden without its program tests nothing.
for want in tests/*/*.diag tests/*/*.yaml tests/*/*.ast tests/*/*.env tests/*/*.plan tests/*/*.md examples/*/*.yaml examples/*/*.env; do
	case $want in tests/e2e/* | tests/frameworks/* | *'*'*) continue ;; esac
	test -f "${want%.*}.tj" || test -f "${want%.*.*}.tj" || fail "$want has no program"
done
# Nor does a program without a golden, unless others beside it read it.
for src in tests/*/*.tj; do
	name=${src##*/} name=${name%.tj}
	case $src in tests/e2e/* | tests/frameworks/* | */project.tj) continue ;; esac
	for beside in "${src%.tj}".*; do
		case $beside in *.tj | *.args) ;; *) continue 2 ;; esac
	done
	grep -qw "$name" "${src%/*}"/*.tj "${src%/*}"/*.sh 2>/dev/null || fail "$src has no golden"
done
# An example without a golden demonstrates nothing.
for directory in examples/*/; do
	test -d "$directory" || continue
	ls "$directory"*.yaml >/dev/null 2>&1 || fail "$directory has no golden"
	test -f "${directory}README.md" || fail "$directory has no README.md"
done

echo "$passed passed, $failed failed"
test "$failed" -eq 0
