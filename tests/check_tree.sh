#!/bin/sh
# check_tree.sh - what the tree promises about itself: who may include whom, no
# framework's name outside the library, headers that stand alone, nothing of
# the machine that it was written on.
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
BUILD=${BUILD:-build}
passed=0 failed=0

ok() { passed=$((passed + 1)); }
fail() {
	failed=$((failed + 1))
	echo "FAIL $*"
}
scratch=$(mktemp -d) || exit 1
trap 'rm -rf "$scratch"' EXIT
# none WHAT: nothing may have been found.
none() {
	if test -s "$scratch/found"; then
		fail "$1"
		head -n 20 "$scratch/found"
	else
		ok
	fi
}

if git rev-parse --git-dir >/dev/null 2>&1; then
	tracked() { git ls-files -- "$@"; }
else
	tracked() { find "$@" -type f ! -path './build*' ! -path './.git/*' 2>/dev/null; }
fi

# ---- the top level ----
for entry in * .ci .gitignore; do
	case $entry in
	Makefile | grammar | compiler | runtime | stdlib | examples | tests | docs) ;;
	README.md | LICENSE | CHANGELOG.md | .ci | .gitignore | build | build-*) ;;
	*) echo "$entry" ;;
	esac
done >"$scratch/found"
none "the top level holds something else"

# ---- who includes whom (docs/architecture.md) ----
# allowed DIRECTORY PREFIX...: its files may include only those of ours.
allowed() {
	directory=$1
	shift
	pattern=$(printf '|%s' "$@" | cut -c2-)
	grep -n '#include "' "$directory"/*.[ch] 2>/dev/null |
		sed 's/^\([^:]*:[0-9]*\):[^"]*"\([^"]*\)".*/\1 \2/' |
		grep -Ev " ($pattern)[^ ]*$" >"$scratch/found"
	none "$directory includes what it may not"
}
allowed compiler/base base/
allowed compiler/diag base/ diag/
allowed compiler/syntax base/ diag/ syntax/ trainc.tab.h trainc.lex.h vocabulary.def foreign.def
allowed compiler/check base/ diag/ syntax/ check/ vocabulary.def
allowed compiler/plan base/ diag/ plan/
allowed compiler/kube base/ diag/ plan/ kube/
allowed compiler/emit base/ diag/ plan/ kube/ emit/
allowed compiler/eval base/ diag/ syntax/ check/ plan/ kube/ eval/ vocabulary.def
allowed compiler/explain base/ diag/ syntax/ check/ kube/ import/ explain/ compile.h command/session.h command/options.h vocabulary.def examples.def foreign.def
allowed compiler/import base/ diag/ syntax/ check/ plan/ kube/ emit/emit.h eval/ import/ compile.h
for directory in runtime runtime/*/; do
	test -d "$directory" || continue
	allowed "${directory%/}" base/ diag/ plan/ emit/object.h runtime/ status/ local/ kube/
done

# ---- the core does not print, exit or remember ----
core='compiler/diag compiler/syntax compiler/check compiler/eval compiler/plan compiler/kube compiler/emit compiler/import'
grep -nE '[^a-z_](printf|puts|putchar|perror|exit|abort|getenv|fopen)\(' $(ls $(printf '%s/*.c ' $core) 2>/dev/null) >"$scratch/found"
none "the core prints, exits or reads files by itself"
if test -f "$BUILD/libtrainc.a" && command -v nm >/dev/null; then
	# sections .data and .bss hold what can change; sanitizers put things of their own there
	nm -A -f sysv "$BUILD/libtrainc.a" 2>/dev/null | grep -E '\|\.(data|bss)[[:space:]]*$' >"$scratch/found"
	case $BUILD in
	*asan* | *cover* | *fuzz*) ;;
	*) none "a global that can change" ;;
	esac
fi

# ---- frameworks and vendors are data ----
names='tensorflow|pytorch|torchrun|mxnet|horovod|openmpi|xgboost|lightgbm|paddle|deepspeed|nvidia|nccl|habana|neuron|cloud-tpu'
sources=$(ls compiler/*.[ch] compiler/*.def compiler/*/*.[ch] compiler/*/*.def runtime/*.[ch] runtime/*/*.[ch] \
	grammar/*.l grammar/*.y grammar/*.def 2>/dev/null)
# The formats of other systems are not: they are read by the import, and written by the one target of their name.
sources=$(printf '%s\n' $sources | grep -vE '^compiler/(import/|emit/kubeflow\.c$)')
{
	grep -niE "$names" $sources
	grep -nE '(TF_CONFIG|PET|DMLC|JAX|OMPI)_[A-Z]' $sources
} >"$scratch/found"
none "a framework or vendor is named outside the library"

# ---- files ----
tracked compiler runtime grammar stdlib tests examples docs Makefile README.md .ci |
	grep -vE '^tests/(fuzz/corpus|e2e/go)/|check_tree' | while read -r file; do
	test -f "$file" && grep -HnE "(^|[] \"'=(:])/(home|Users|work)/[a-z]" "$file" 2>/dev/null | head -n 3
done >"$scratch/found"
none "a path of somebody's machine"
tracked compiler runtime | grep '\.[ch]$' | while read -r file; do
	test -f "$file" && test "$(wc -c <"$file")" -gt 40960 && echo "$file"
done >"$scratch/found"
none "a source file above 40 KiB"
grep -nwE 'TODO|FIXME|XXX' compiler/*.[ch] compiler/*/*.[ch] runtime/*.[ch] runtime/*/*.[ch] stdlib/std/*.tj >"$scratch/found" 2>/dev/null
none "something left to do"
tracked compiler runtime | grep '\.[ch]$' | xargs grep -nE '[ 	]+$' >"$scratch/found" 2>/dev/null
none "blanks at the end of a line"
tracked compiler runtime | grep '\.h$' | while read -r header; do
	test -f "$header" && { head -n 1 "$header" | grep -q '^/\*' || echo "$header"; }
done >"$scratch/found"
none "a header that does not begin with its contract"

# ---- every header compiles alone ----
for header in compiler/*.h compiler/*/*.h runtime/*.h runtime/*/*.h; do
	test -f "$header" || continue
	name=${header#compiler/}
	printf '#include "%s"\n' "$name" >"$scratch/h.c"
	${CC:-gcc} -std=c11 -D_GNU_SOURCE -Icompiler -Igrammar -I. -I"$BUILD/gen" -fsyntax-only "$scratch/h.c" 2>"$scratch/err" ||
		{ echo "$header"; head -n 3 "$scratch/err"; }
done >"$scratch/found"
none "a header that does not compile alone"

# ---- one code, one row ----
grep -o '^DIAG(TJ[0-9]*' compiler/diag/codes.def | sort | uniq -d >"$scratch/found"
none "a code with two rows"
grep -nE 'TJ0510|TJ0519' compiler/*.c compiler/*/*.c stdlib/std/*.tj >"$scratch/found" 2>/dev/null
none "a retired code"

echo "$passed passed, $failed failed"
test "$failed" -eq 0
