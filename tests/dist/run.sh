#!/bin/bash
# run.sh - the files of a release in DIST (make dist): the programs need nothing of the system, the installer verifies
# what it installs and removes all of it, and packing again gives the same bytes. As root, the programs also run in a
# directory without any other file; ROOTS= names directories with other systems in which they run, too.
. "$(dirname "$0")/dist.inc"

refuses() { # refuses TEXT COMMAND...: the command fails, and says TEXT
	local text=$1 said
	shift
	said=$("$@" 2>&1) && { echo "succeeded"; return 1; }
	case $said in *"$text"*) ;; *) echo "said: $said"; return 1 ;; esac
}

name=trainc-$version-linux-$(uname -m)
archive=$DIST/$name.tar.gz
check "the archive exists" test -f "$archive"
check "all checksums agree" sh -c "cd '$DIST' && sha256sum -c --quiet SHA256SUMS"
check "every file has a checksum" sh -c "test \$(find '$DIST' -type f | grep -vc '/SHA256SUMS\$') = \$(wc -l <'$DIST/SHA256SUMS')"
check "the archive has at most 8 MB" test "$(stat -c %s "$archive")" -le 8000000
check "every name is below one directory" sh -c "! tar -tzf '$archive' | grep -v '^$name/'"
check "owners are numbers 0, and times are those of the commit" \
	sh -c "test \$(tar -tvzf '$archive' --numeric-owner --utc | awk '{ print \$2, \$4, \$5 }' | sort -u | wc -l) = 1"

tar -xzf "$archive" -C "$scratch" 2>/dev/null
root=$scratch/$name
trainc=$root/bin/trainc cluster=$root/libexec/trainc/trainc-cluster
static() { ! readelf -lW "$1" | grep INTERP && ! readelf -dW "$1" | grep NEEDED; }
hardened() {
	readelf -lW "$1" | grep -q 'GNU_STACK.* RW ' && ! readelf -lW "$1" | grep -E 'LOAD.* RWE ' && readelf -lW "$1" | grep -q GNU_RELRO
}
for program in "$trainc" "$cluster"; do
	base=${program##*/}
	check "$base needs no interpreter and no library" static "$program"
	check "$base: nothing is writable and executable, RELRO" hardened "$program"
	check "$base has a build id" sh -c "readelf -n '$program' | grep -q 'Build ID'"
	check "$base contains no library under the LGPL" sh -c "! strings '$program' | grep -iE 'libidn2?|libunistring|glibc|GNU C Library'"
	check "$base contains no directory of this machine" sh -c "! strings '$program' | grep -F '$PWD'"
done
check "trainc has at most 6 MB" test "$(stat -c %s "$trainc")" -le 6000000
check "trainc-cluster has at most 10 MB" test "$(stat -c %s "$cluster")" -le 10000000
check "trainc-cluster is position-independent" sh -c "readelf -h '$cluster' | grep -q 'Type: *DYN'"
for library in musl openssl curl nghttp2 zlib libyaml; do
	check "THIRD-PARTY.txt has $library" grep -q "^==== $library [0-9]" "$root/share/doc/trainc/THIRD-PARTY.txt"
done
for file in share/man/man1/trainc.1 share/man/man1/trainc-run.1 share/bash-completion/completions/trainc \
	share/zsh/site-functions/_trainc share/fish/vendor_completions.d/trainc.fish share/doc/trainc/LICENSE \
	share/doc/trainc/NOTICE share/trainc/examples/14-ring-regression/regression.tj; do
	check "$file is there" test -s "$root/$file"
done

# The examples as this tree's own build compiles them.
same_objects() {
	local file
	for file in examples/*/*.tj; do
		"$BUILD/trainc" compile "$file" >"$scratch/ours" 2>/dev/null || continue
		"$trainc" compile "$file" >"$scratch/theirs" 2>/dev/null && cmp "$scratch/ours" "$scratch/theirs" || { echo "$file"; return 1; }
	done
}
check "the examples compile to the same objects" same_objects
check "run --local trains a model" sh -c "cd '$root/share/trainc/examples/14-ring-regression' && TRAINC_STATE_DIR='$scratch/state' \
	timeout 120 '$trainc' run --local regression.tj"
check "delete --local removes what a run left" sh -c "cd '$root/share/trainc/examples/14-ring-regression' && TRAINC_STATE_DIR='$scratch/state' \
	'$trainc' delete --local --yes regression && ! find '$scratch/state' -name '*.log' | grep ."
check "trainc finds its other half" sh -c "KUBECONFIG=/dev/null '$trainc' list 2>&1 | grep -v libexec"
check "it runs by the name of a plugin" "$root/bin/kubectl-trainc" version
kubectl=$(command -v kubectl || ls ~/.cache/trainc-e2e/kube-*/kubectl 2>/dev/null | head -n 1)
if test -n "$kubectl"; then
	plugin() { PATH=$root/bin:$PATH KUBECONFIG=/dev/null "$kubectl" "$@"; }
	completes() { # completes CANDIDATE WORD...: kubectl offers it
		local candidate=$1
		shift
		plugin __complete trainc "$@" 2>/dev/null | grep -x -e "$candidate"
	}
	check "kubectl lists the plugin" sh -c "PATH='$root/bin':\$PATH '$kubectl' plugin list 2>/dev/null | grep -x '$root/bin/kubectl-trainc'"
	check "kubectl trainc version" plugin trainc version
	check "kubectl trainc compile" plugin trainc compile "$root/share/trainc/examples/14-ring-regression/regression.tj"
	check "kubectl completes commands" completes check che
	check "... options" completes --target compile --ta
	check "... and no others" refuses "" completes --watch compile --wa
	check "--context of kubectl" refuses "nowhere" plugin trainc list --context nowhere
else
	skip "kubectl: it is not here"
fi

job=$(ls examples/01-*/*.tj | head -n 1)
# enter ROOT COMMAND...: runs it there, with /proc, which every container has.
enter() {
	mkdir -p "$1/proc" && unshare -m sh -c 'mount --bind /proc "$0/proc" && exec chroot "$0" "$@"' "$@"
}
# inside ROOT: the programs are copied there, compile, and talk to a server that nobody runs.
inside() {
	local r=$1
	mkdir -p "$r/opt" && cp -r "$root" "$r/opt/trainc" && cp "$job" "$r/opt/job.tj" || return
	enter "$r" /opt/trainc/bin/trainc compile /opt/job.tj >"$scratch/inside" || return
	"$BUILD/trainc" compile "$job" | cmp - "$scratch/inside" || return
	printf '%s\n' 'apiVersion: v1' 'kind: Config' 'current-context: a' 'contexts: [{name: a, context: {cluster: a, user: a}}]' \
		'clusters: [{name: a, cluster: {server: "https://127.0.0.1:1"}}]' 'users: [{name: a, user: {token: x}}]' >"$r/opt/kubeconfig"
	refuses 127.0.0.1 enter "$r" /opt/trainc/bin/trainc list --kubeconfig /opt/kubeconfig
}
if test "$(id -u)" = 0; then
	mkdir "$scratch/empty"
	check "both programs run where no other file is" inside "$scratch/empty"
	for system in $ROOTS; do
		check "both programs run in $system" inside "$system"
		rm -rf "$system/opt/trainc" "$system/opt/job.tj" "$system/opt/kubeconfig"
	done
else
	skip "a root without files: not root"
fi

# ---- install.sh ----
release=$scratch/release
mkdir "$release"
cp -r "$DIST"/* "$release"
installer() { HOME=$scratch/home TRAINC_RELEASE_URL=$release PATH=$PATH sh "$release/install.sh" "$@"; }
mkdir -p "$scratch/home/.local/bin"
echo mine >"$scratch/home/.local/bin/other"
before=$(cd "$scratch/home" && find . | sort)
check "install.sh installs" installer
check "what it installs runs" "$scratch/home/.local/bin/trainc" version
check "installing again is no error" installer
echo old >"$scratch/home/.local/share/trainc/old" && echo share/trainc/old >>"$scratch/home/.local/share/doc/trainc/installed"
check "installing a version that lacks a file" installer
check "... removes that file" test ! -e "$scratch/home/.local/share/trainc/old"
check "install.sh --uninstall" installer --uninstall
check "nothing is left but what was there" test "$(cd "$scratch/home" && find . | sort)" = "$before"
check "uninstalling twice is refused" refuses "has no trainc" installer --uninstall
check "--dry-run writes nothing" sh -c "test \"\$(cd '$scratch/home' && find . | sort)\" = '$before'"
check "an unknown option" refuses "usage" installer --what
check "another version is not there" refuses "nothing" sh -c "HOME='$scratch/home' TRAINC_RELEASE_URL='$release' sh '$release/install.sh' --version 9.9.9 || { echo nothing; false; }"
echo damaged >>"$release/$name.tar.gz"
check "a damaged archive is refused" refuses "wrong checksum" installer
check "... and leaves nothing" test "$(cd "$scratch/home" && find . | sort)" = "$before"
half() { head -c "$(($(stat -c %s "$release/install.sh") * $1 / 10))" "$release/install.sh" >"$scratch/half.sh" && HOME=$scratch/home sh "$scratch/half.sh"; }
for tenth in 2 5 8; do
	half $tenth >/dev/null 2>&1
	check "$tenth tenths of install.sh do nothing" test "$(cd "$scratch/home" && find . | sort)" = "$before"
done
for shell in dash bash "busybox ash"; do
	command -v "${shell%% *}" >/dev/null && check "$shell reads install.sh" $shell -n "$release/install.sh"
done

# ---- the C library of the release ----
compiler=$SOURCES/$(uname -m)-linux-musl/bin/cc
same_library() {
	"${CC:-gcc}" -O1 -w -fno-builtin tests/dist/libc.c -o "$scratch/libc1" && "$compiler" -O2 -w -fno-builtin -static tests/dist/libc.c -o "$scratch/libc2" &&
		"$scratch/libc1" >"$scratch/libc1.out" && "$scratch/libc2" >"$scratch/libc2.out" && diff "$scratch/libc1.out" "$scratch/libc2.out"
}
if test -x "$compiler"; then
	check "its functions answer as those of glibc do" same_library
	check "nothing calls memccpy(), which is wrong there" sh -c "! nm '$BUILD/dist/$(uname -m)'/*.a 2>/dev/null | grep -w memccpy"
fi

# ---- the same bytes again ----
if test -d "$SOURCES/$(uname -m)-linux-musl"; then
	check "packing again gives the same bytes" sh -c "TZ=Asia/Tokyo bash .ci/dist/tarball '$SOURCES' 'linux-$(uname -m)' \
		'$BUILD/dist/$(uname -m)' '$scratch/again' && cmp '$archive' '$scratch/again/$name.tar.gz'"
fi
end
