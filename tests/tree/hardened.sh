#!/bin/sh
# hardened.sh - how both programs are compiled and linked (docs/security.md).  Builds other than the usual one have
# their own flags.
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
passed=0 failed=0
holds() {
	what=$1
	shift
	if "$@"; then
		passed=$((passed + 1))
	else
		failed=$((failed + 1))
		echo "FAIL $what"
	fi
}
end() {
	echo "$passed passed, $failed failed${1:+, $1 skipped}"
	test "$failed" -eq 0
	exit
}
case $build in *asan* | *cover* | *fuzz*)
	echo "skip $build has other flags"
	end 1
	;;
esac
calls() { nm "$build/$1" 2>/dev/null | grep -qE " U $2\$"; }
program() { readelf -hldW "$1" | grep -qE "$2"; }
not() { ! "$@"; }

for library in libtrainc.a libcluster.a; do
	holds "$library: functions with arrays guard the stack" calls $library __stack_chk_fail
	holds "$library: calls of the C library know how large their buffers are" calls $library '__(memcpy|snprintf|vsnprintf|read)_chk'
done
for file in trainc libexec/trainc/trainc-cluster; do
	holds "$file: what the loader has filled in is read-only" program "$build/$file" GNU_RELRO
	holds "$file: the stack is not executable" program "$build/$file" 'GNU_STACK .* RW  '
	holds "$file: nothing is writable and executable" not program "$build/$file" 'LOAD .* RWE '
done
# trainc itself is static, and not PIE: relocations would add a quarter to its startup time (docs/security.md)
holds "trainc-cluster: its addresses are random" program "$build/libexec/trainc/trainc-cluster" 'Type: *DYN'
holds "trainc-cluster: no symbol is bound later" program "$build/libexec/trainc/trainc-cluster" 'FLAGS.*BIND_NOW'
holds "trainc: no symbol is bound at all" not program "$build/trainc" INTERP
end
