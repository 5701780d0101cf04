#!/bin/sh
# member.sh - a new member of a plan or a state cannot be lost silently. In a copy of the sources, each struct of
# plan.def and run_state.def gets a member whose row says nothing but its type. The copy is compiled. The member must be
# in the identity, in the dump, and where its struct is written, in `plan -o json` and in the record, from which it is
# read back; and in the file, the digest, the copy and the outcome of a state, and in `status -o json`.
top=$(cd "$(dirname "$0")/../.." && pwd)
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
cd "$top" || exit 1
build=${BUILD:-build}
passed=0 failed=0
check() {                               # check WHAT COMMAND...
	what=$1; shift
	if "$@"; then passed=$((passed + 1)); else failed=$((failed + 1)); echo "FAIL $what"; fi
}

mkdir -p "$tmp/compiler" "$tmp/runtime"
cp -R compiler/plan "$tmp/compiler/"
cp -R runtime/run "$tmp/runtime/"
# The number of structs that a plan has: whoever adds one adds it to member.c, too.
structs=$(sed -n 's/^SHAPE(\(.*\))$/\1/p' compiler/plan/plan.def)
states=$(sed -n 's/^SHAPE(\(.*\))$/\1/p' runtime/run/run_state.def)
known=$(for s in $structs $states; do grep -l "\"of $s\"" tests/shape/member.c; done | wc -l)
check "member.c knows every struct" test "$known" -eq "$(echo "$structs" "$states" | wc -w)"
for def in compiler/plan/plan.def runtime/run/run_state.def; do
	sed 's/^SHAPE_END(\(.*\))$/	MEMBER(\1, struct str, surprise, AS(text))\n&/' $def >"$tmp/$def"
done
# A library with sanitizers needs a program with them.
sanitize=
! nm "$build/libtrainc.a" | grep -q __asan_init || sanitize=-fsanitize=address,undefined
# shellcheck disable=SC2086
if ! ${CC:-cc} -std=c11 -D_GNU_SOURCE -O0 -w -I"$tmp/compiler" -I"$tmp" -Icompiler -Igrammar -I. -Itests \
	-I"$build/gen" \
	-o "$tmp/member" tests/shape/member.c "$tmp"/compiler/plan/*.c "$tmp"/runtime/run/*.c \
	$sanitize "$build/libtrainc.a" -lyaml >"$tmp/log" 2>&1; then
	cat "$tmp/log"
	echo "FAIL the copy does not compile"
	echo "0 passed, 1 failed"
	exit 1
fi
"$tmp/member" >"$tmp/out"
# section NAME: what was written below that heading
section() { sed -n "/^==== $1\$/,/^==== /p" "$tmp/out"; }
says() { section "$1" | grep -q "$2"; }
for s in $structs; do
	check "the identity has plan.$s" says identity "^surprise=[0-9]*:of $s\$"
	check "the dump has plan.$s" says dump "^ *surprise \"of $s\"\$"
done
# The other structs are not in these documents.
for s in plan_job plan_role plan_container plan_accelerator; do
	check "-o json has plan.$s" says json "\"surprise\": \"of $s\""
done
for s in plan_job plan_role; do
	check "the record has plan.$s" says record "\"surprise\":\"of $s\""
done
check "the record is read back" grep -qx '==== read back: yes' "$tmp/out"
for s in run_replica run_role run_failure run_state; do
	check "the state file has $s" says state "\"surprise\":\"of $s\""
done
check "the history is read back and has run_launch" says history '"surprise": "of run_launch"'
for s in $states; do
	test "$s" = run_launch || check "status -o json has $s" says status "\"surprise\": \"of $s\""
done
for s in run_failure run_state; do
	check "the outcome has $s" says outcome "\"surprise\":\"of $s\""
done
for what in 'digest differs' copied 'state read back'; do
	check "$what" grep -qx "==== $what: yes" "$tmp/out"
done
echo "$passed passed, $failed failed"
test "$failed" -eq 0
