#!/bin/sh
# check_tree.sh - properties of the source tree: which directory may include which, no framework's name outside the
# library, self-contained headers, nothing about the machine on which the sources were written.
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
# none WHAT: fails if the input is not empty.
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

tracked . | grep -v '^tests/mistakes/' | tr '\n' '\0' | xargs -0 grep -nIE '^(<{7}|>{7}) ' 2>/dev/null >"$scratch/found"
none "marks of a merge that was not finished"

# ---- the top level ----
for entry in * .ci .gitignore; do
	case $entry in
	Makefile | grammar | compiler | runtime | stdlib | examples | tests | docs) ;;
	README.md | SECURITY.md | CONTRIBUTING.md | LICENSE | CHANGELOG.md | .ci | .gitignore | build | build-* | dist) ;;
	*) echo "$entry" ;;
	esac
done >"$scratch/found"
none "the top level holds something else"

# ---- which directory includes which (docs/architecture.md) ----
# allowed DIRECTORY PREFIX...: of our headers, its files may include only those with these prefixes.
allowed() {
	directory=$1
	shift
	pattern=$(printf '|%s' "$@" | cut -c2-)
	grep -Hn '#include "' "$directory"/*.[ch] 2>/dev/null |
		sed 's/^\([^:]*:[0-9]*\):[^"]*"\([^"]*\)".*/\1 \2/' |
		grep -Ev " ($pattern)[^ ]*$" >"$scratch/found"
	none "$directory includes what it may not"
}
allowed compiler/base base/
allowed compiler/data base/ data/
allowed compiler/diag base/ diag/
allowed compiler/syntax base/ diag/ syntax/ trainc.tab.h trainc.lex.h vocabulary.def foreign.def
allowed compiler/syntax/help base/ diag/ syntax/ trainc.tab.h vocabulary.def foreign.def
allowed compiler/check base/ diag/ syntax/ check/ vocabulary.def
allowed compiler/kube base/ data/ diag/ kube/
allowed compiler/plan base/ data/ diag/ kube/ plan/
allowed compiler/objects base/ data/ diag/ kube/ plan/ objects/
allowed compiler/emit base/ data/ diag/ plan/ kube/ objects/ emit/
allowed compiler/emit/target base/ data/ diag/ plan/ kube/ objects/ emit/
allowed compiler/verify base/ data/ diag/ plan/ kube/ objects/ emit/ verify/
allowed compiler/eval base/ data/ diag/ syntax/ check/ plan/ kube/ eval/ vocabulary.def
allowed compiler/lower base/ data/ diag/ syntax/ check/ plan/ kube/ eval/ lower/ vocabulary.def
allowed compiler/cel base/ diag/ syntax/ check/ cel/
allowed compiler/web base/ lsp/lsp.h check/library_part.h
allowed compiler/explain base/ diag/ syntax/ check/ kube/ import/ explain/ compile.h command/session.h command/options.h vocabulary.def examples.def foreign.def
allowed compiler/import base/ data/ diag/ syntax/ check/ plan/ kube/ objects/sink.h emit/emit.h eval/ lower/ import/ compile.h
allowed runtime/fit base/ data/ kube/ runtime/status/ runtime/fit/
allowed compiler/code base/ code/
allowed runtime/local base/ data/ diag/ plan/ objects/object.h runtime/run/ runtime/status/ runtime/local/ runtime/decide/ kube/ code/code_unpack.h
for directory in runtime/run runtime/status runtime/decide; do
	allowed "$directory" base/ data/ diag/ plan/ objects/object.h runtime/run/ runtime/status/ runtime/local/ runtime/decide/ kube/
done
allowed runtime/cluster base/ code/ data/ diag/ plan/ kube/ objects/ emit/emit.h emit/listed.h import/import_kinds.h import/custom.h compile.h command/ runtime/
allowed runtime/supervise base/ data/ diag/ plan/ kube/ objects/ emit/emit.h emit/listed.h import/custom.h cel/cel.h compile.h command/ runtime/run/ runtime/status/ runtime/decide/ runtime/cluster/ runtime/supervise/
allowed runtime/command base/ data/ diag/ plan/ kube/ objects/ emit/emit.h emit/listed.h compile.h command/ runtime/

# ---- the core does not print, exit or keep state ----
core='compiler/data compiler/diag compiler/syntax compiler/syntax/help compiler/check compiler/eval compiler/lower compiler/plan
	compiler/kube compiler/objects compiler/emit compiler/emit/target compiler/verify compiler/import compiler/lsp compiler/cel'
grep -nE '[^a-z_](printf|puts|putchar|perror|exit|abort|getenv|fopen)\(' $(ls $(printf '%s/*.c ' $core) 2>/dev/null) >"$scratch/found"
none "the core prints, exits or reads files by itself"
if test -f "$BUILD/libtrainc.a" && command -v nm >/dev/null; then
	# sections .data and .bss contain variables; sanitizers add their own; the seed of names is set before main();
	# handlers of signals restore the modes of a terminal
	nm -A -f sysv "$BUILD/libtrainc.a" 2>/dev/null | grep -E '\|\.(data|bss)[[:space:]]*$' |
		grep -vE 'str\.o:hash_seed |raw_terminal\.o:' >"$scratch/found"
	case $BUILD in
	*asan* | *cover* | *fuzz*) ;;
	*) none "a global that can change" ;;
	esac
fi

# ---- frameworks and vendors are data ----
names='tensorflow|pytorch|torchrun|mxnet|horovod|openmpi|xgboost|lightgbm|paddle|deepspeed|nvidia|nccl|habana|neuron|cloud-tpu'
sources=$(ls compiler/*.[ch] compiler/*.def compiler/*/*.[ch] compiler/*/*/*.[ch] compiler/*/*.def runtime/*.[ch] runtime/*/*.[ch] \
	grammar/*.l grammar/*.y grammar/*.def 2>/dev/null)
# Formats of other systems are not data: the import reads them, the target kubeflow writes them, and addons.def lists
# their versions.
sources=$(printf '%s\n' $sources | grep -vE '^compiler/(import/|emit/target/kubeflow\.c$|kube/addons\.def$)')
{
	grep -niE "$names" $sources
	grep -nE '(TF_CONFIG|PET|DMLC|JAX|OMPI)_[A-Z]' $sources
} >"$scratch/found"
none "a framework or vendor is named outside the library"

# ---- differences between targets are traits in their table ----
grep -nE 'str_is\([^)]*target, "' $sources | grep -v '^compiler/emit/target/' >"$scratch/found"
none "the name of a target is compared outside of compiler/emit/target"

# ---- files ----
tracked compiler runtime grammar stdlib tests examples docs Makefile README.md .ci |
	grep -vE '^tests/(fuzz/corpus|e2e/go)/|check_tree' | tr '\n' '\0' |
	xargs -0 grep -sHnE "(^|[] \"'=(:])/(home|Users|work)/[a-z]" | grep -v ': /home/argocd/cmp-server/' >"$scratch/found"
none "a path of somebody's machine"
find compiler runtime -name '*.[ch]' -size +40960c >"$scratch/found"
none "a source file above 40 KiB"
grep -nwE 'TODO|FIXME|XXX' compiler/*.[ch] compiler/*/*.[ch] compiler/*/*/*.[ch] runtime/*.[ch] runtime/*/*.[ch] stdlib/std/*.tj >"$scratch/found" 2>/dev/null
none "something left to do"
tracked compiler runtime | grep '\.[ch]$' | xargs grep -nE '[ 	]+$' >"$scratch/found" 2>/dev/null
none "blanks at the end of a line"
find compiler runtime -name '*.[ch]' -exec awk 'FNR == 1 && !/^\/\*/ { print FILENAME }' {} + >"$scratch/found"
none "a file that does not begin with a comment about it"

# ---- every header compiles alone ----
# The build has compiled a header alone if a file includes it before anything else.
awk 'FNR == 1 { first = 1 } first && /^#(include|define|if)/ { first = 0; if ($0 ~ /^#include "/) { sub(/^#include "/, ""); sub(/".*/, ""); print } }' \
	compiler/*.c compiler/*/*.c compiler/*/*/*.c runtime/*/*.c | sort -u >"$scratch/built"
for header in compiler/*.h compiler/*/*.h compiler/*/*/*.h runtime/*.h runtime/*/*.h; do
	test -f "$header" || continue
	echo "${header#compiler/}"
done | sort | comm -23 - "$scratch/built" | while read -r name; do
	printf '#include "%s"\n' "$name" >"$scratch/h.c"
	${CC:-gcc} -std=c11 -D_GNU_SOURCE -Icompiler -Igrammar -I. -I"$BUILD/gen" -fsyntax-only "$scratch/h.c" 2>"$scratch/err" ||
		{ echo "$name"; head -n 3 "$scratch/err"; }
done >"$scratch/found"
none "a header that does not compile alone"

# ---- the public header ----
# Code outside the compiler opens, compiles, checks and closes programs through trainc.h, which needs no other header.
grep -nE '\b(compile_(init|plan|release|set|params)|emit_check|diags_sarif)\(' compiler/command/*.[ch] compiler/lsp/*.[ch] \
	runtime/*/*.[ch] >"$scratch/found"
grep -nE '\b(emit_write|plan_print_[a-z]*|env_print|diags_(text|json|finish))\(' compiler/command/*.[ch] >>"$scratch/found"
none "a command or the language server goes past trainc.h"
grep -n '#include "' compiler/trainc.h tests/unit/trainc_test.c | grep -v '"trainc\.h"' >"$scratch/found"
none "the public header, or the test of it, includes another one"
${CC:-gcc} -std=c11 -pedantic -Werror -fsyntax-only compiler/trainc.h 2>"$scratch/found"
none "the public header does not compile alone"
test "$(grep -cE '^[a-z].*\btrainc_[a-z_]*\(' compiler/trainc.h)" -le 18 || echo "compiler/trainc.h" >"$scratch/found"
none "the door has more than 18 functions"

# ---- one code, one row ----
grep -o '^DIAG(TJ[0-9]*' compiler/diag/codes.def | sort | uniq -d >"$scratch/found"
none "a code with two rows"
grep -nE 'TJ0510|TJ0519' compiler/*.c compiler/*/*.c stdlib/std/*.tj >"$scratch/found" 2>/dev/null
none "a retired code"

echo "$passed passed, $failed failed"
test "$failed" -eq 0
