#!/bin/bash
# machines.sh - the programs in DIST that are for other machines than this one: static, hardened, in every package that
# names the machine, and, where qemu emulates it, they compile the examples to the same objects and run one here. That is
# not a test on such a machine.
. "$(dirname "$0")/dist.inc"
static() { ! readelf -lW "$1" | grep INTERP && ! readelf -dW "$1" | grep NEEDED; }
for archive in "$DIST"/trainc-"$version"-linux-*.tar.gz; do
	machine=${archive##*-linux-} machine=${machine%.tar.gz}
	test "$machine" != "$(uname -m)" || continue
	root=$scratch/$machine
	mkdir "$root"
	tar -xzf "$archive" -C "$root" --strip-components=1
	for program in bin/trainc libexec/trainc/trainc-cluster; do
		check "$machine: ${program##*/} needs no interpreter and no library" static "$root/$program"
		check "... is for that machine" sh -c "readelf -h '$root/$program' | tr A-Z- a-z_ | grep 'machine:.*$machine'"
		check "... is stripped, with a build id" sh -c "readelf -n '$root/$program' | grep -q 'Build ID' && ! readelf -SW '$root/$program' | grep -E '\.debug_info|\.symtab'"
		check "... contains no directory of this machine" sh -c "! strings '$root/$program' | grep -F '$PWD'"
	done
	for shell in bash-completion/completions/trainc zsh/site-functions/_trainc fish/vendor_completions.d/trainc.fish; do
		check "$machine: $shell" sh -c "mkdir -p '$scratch/here' && tar -xzf '$DIST/trainc-$version-linux-$(uname -m).tar.gz' -C '$scratch/here' --strip-components=1 &&
			cmp '$root/share/$shell' '$scratch/here/share/$shell'"
	done
	emulator=$(command -v "qemu-$machine-static" || command -v "qemu-$machine")
	if test -z "$emulator"; then
		skip "running programs for $machine: qemu is not here"
		continue
	fi
	same_objects() {
		local file
		for file in examples/*/*.tj; do
			"$BUILD/trainc" compile "$file" >"$scratch/ours" 2>/dev/null || continue
			"$emulator" "$root/bin/trainc" compile "$file" >"$scratch/theirs" && cmp "$scratch/ours" "$scratch/theirs" || { echo "$file"; return 1; }
		done
	}
	check "$machine, emulated: the examples compile to the same objects" same_objects
	check "$machine, emulated: the second program misses a server" sh -c "KUBECONFIG=/dev/null '$emulator' '$root/libexec/trainc/trainc-cluster' list 2>&1 | grep -iE 'kubeconfig|cluster'"
done
end
