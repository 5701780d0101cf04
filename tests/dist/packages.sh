#!/bin/bash
# packages.sh - the packages of Debian, Red Hat and Alpine in DIST, and the entries for Homebrew and krew: they contain
# the programs of the archive, install into an empty root and leave nothing when they are removed, and lintian and rpm
# find nothing to say. Parts whose tools are not here are left out, and counted.
. "$(dirname "$0")/dist.inc"
has() { command -v "$1" >/dev/null; }

# same_programs ROOT MACHINE: both programs below ROOT/usr are those of the archive.
same_programs() {
	local archive=$scratch/archive-$2
	test -d "$archive" || { mkdir "$archive" && tar -xzf "$DIST/trainc-$version-linux-$2.tar.gz" -C "$archive" --strip-components=1; }
	cmp "$1/usr/bin/trainc" "$archive/bin/trainc" && cmp "$1/usr/libexec/trainc/trainc-cluster" "$archive/libexec/trainc/trainc-cluster" &&
		test "$(readlink "$1/usr/bin/kubectl-trainc")" = trainc && test -x "$1/usr/bin/trainc" && test -x "$1/usr/bin/kubectl_complete-trainc"
}
# works ROOT: the program there finds its other half, and compiles.
works() {
	"$1/usr/bin/trainc" compile examples/01-torch-data-parallel/mnist.tj | grep -q "kind: Job" &&
		! KUBECONFIG=/dev/null "$1/usr/bin/trainc" list 2>&1 | grep libexec
}

for pair in amd64:x86_64 arm64:aarch64; do
	machine=${pair#*:}
	deb=$DIST/trainc_$version-1_${pair%:*}.deb rpm=$DIST/trainc-$version-1.$machine.rpm apk=$DIST/trainc-$version-r1_$machine.apk
	for file in "$deb" "$rpm" "$apk"; do
		check "${file##*/} is there, with at most 8 MB" test -f "$file" -a "$(stat -c %s "$file")" -le 8000000
	done
	check "$machine.apk has the programs" sh -c "mkdir '$scratch/apk-$machine' && tar -xzf '$apk' -C '$scratch/apk-$machine' 2>/dev/null"
	check "... those of the archive" same_programs "$scratch/apk-$machine" "$machine"
	if has dpkg-deb; then
		check "$machine.deb unpacks" dpkg-deb -x "$deb" "$scratch/deb-$machine"
		check "... with the programs of the archive" same_programs "$scratch/deb-$machine" "$machine"
		check "... depends on nothing" sh -c "! dpkg-deb -f '$deb' Depends | grep ."
		check "... all owned by root" sh -c "test \"\$(dpkg-deb --fsys-tarfile '$deb' | tar -tv --numeric-owner | awk '{ print \$2 }' | sort -u)\" = 0/0"
	else
		skip "Debian's packages: dpkg is not here"
	fi
	if has lintian; then
		check "lintian finds nothing in $machine.deb" lintian --allow-root --fail-on error,warning "$deb"
	else
		skip "lintian is not here"
	fi
	if has rpm; then
		check "the digests of $machine.rpm agree" rpm -K --nosignature "$rpm"
		check "... it asks for nothing" sh -c "! rpm -qp --requires '$rpm' 2>/dev/null | grep -v '^rpmlib'"
	else
		skip "Red Hat's packages: rpm is not here"
	fi
done
check "the package of this machine works" works "$scratch/apk-$(uname -m)"
left() { find "$1" -mindepth 1 ! -path "$1/var*" ! -type d -print; }
if has rpm && test "$(id -u)" = 0; then
	root=$scratch/rpm
	mkdir "$root"
	manage() { rpm --root "$root" --dbpath /var/lib/rpm --nosignature "$@"; }
	check "rpm installs into an empty root" manage -i --ignorearch "$DIST/trainc-$version-1.$(uname -m).rpm"
	check "... the programs of the archive" same_programs "$root" "$(uname -m)"
	check "... which work" works "$root"
	check "rpm removes them" manage -e trainc
	check "... and leaves no file" sh -c "! find '$root' -mindepth 1 ! -path '$root/var*' ! -path '$root/dev*' ! -type d | grep ."
fi
if has dpkg && test "$(id -u)" = 0; then
	root=$scratch/dpkg
	mkdir -p "$root/var/lib/dpkg/updates" "$root/var/lib/dpkg/info"
	: >"$root/var/lib/dpkg/status"
	deb=$DIST/trainc_$version-1_$(dpkg --print-architecture).deb
	manage() { dpkg --root="$root" --force-script-chrootless --log=/dev/null "$@"; }
	check "dpkg installs into an empty root" manage -i "$deb"
	check "... programs which work" works "$root"
	check "dpkg removes them" manage -P trainc
	check "... and leaves no file" sh -c "! find '$root' -mindepth 1 ! -path '$root/var*' ! -type d | grep ."
fi

# ---- entries of indexes ----
check "nothing is left to fill in" sh -c "! grep -E '@[A-Za-z_0-9]+@' '$DIST/homebrew/trainc.rb' '$DIST/krew/trainc.yaml' '$DIST/install.sh'"
sums_of() { # sums_of FILE: it has the checksum of each archive
	local archive
	for archive in "$DIST"/trainc-"$version"-linux-*.tar.gz; do
		grep -A1 -F "${archive##*/}" "$1" | grep -q "$(sha256sum <"$archive" | cut -d' ' -f1)" || { echo "$archive"; return 1; }
	done
}
check "the formula has the checksums" sums_of "$DIST/homebrew/trainc.rb"
check "the plugin's entry has the checksums" sums_of "$DIST/krew/trainc.yaml"
if has ruby; then check "ruby reads the formula" ruby -c "$DIST/homebrew/trainc.rb"; else skip "ruby is not here"; fi
check "the files that the plugin's entry names are in the archives" python3 - "$DIST" "$version" <<-'END'
	import fnmatch, sys, tarfile, yaml
	dist, version = sys.argv[1:]
	plugin = yaml.safe_load(open(f"{dist}/krew/trainc.yaml"))
	assert plugin["spec"]["version"] == "v" + version and len(plugin["spec"]["platforms"]) == 2
	for platform in plugin["spec"]["platforms"]:
	    names = tarfile.open(f"{dist}/{platform['uri'].rsplit('/', 1)[1]}").getnames()
	    for file in platform["files"]:
	        assert len(fnmatch.filter(names, file["from"])) == 1, file
	    assert platform["bin"] == "bin/trainc"
END

# ---- editors ----
mkdir "$scratch/editors" "$scratch/grammar"
tar -xzf "$DIST/trainc-editors-$version.tar.gz" -C "$scratch/editors" --strip-components=1
tar -xzf "$DIST/tree-sitter-tj-$version.tgz" -C "$scratch/grammar" --strip-components=1
same_files() {
	local path
	for path in vim/syntax/tj.vim emacs/tj-mode.el nvim/lsp/tj.lua helix/languages.toml textmate/tj.tmLanguage.json; do
		cmp "$scratch/editors/$path" "grammar/editors/$path" || return 1
	done
}
check "the files for editors are those of the tree" same_files
if has vim; then
	colors() { (cd "$scratch" && echo 'job "a" {}' >a.tj && vim -es -u NONE -N --cmd "set rtp^=$scratch/editors/vim | filetype plugin on | syntax on" a.tj -c 'redir! > kind | echo &filetype | redir END | qa' && grep -q tj kind); }
	check "Vim takes them from the archive" colors
fi
check "the grammar compiles" "${CC:-gcc}" -O0 -w -shared -fPIC -I "$scratch/grammar/src" -o "$scratch/tj.so" "$scratch/grammar/src/parser.c"
if has npm; then check "npm takes the package" sh -c "cd '$scratch' && npm pack --dry-run --silent '$DIST/tree-sitter-tj-$version.tgz'"; fi

# ---- the source ----
mkdir "$scratch/source"
tar -xzf "$DIST/trainc-$version-source.tar.gz" -C "$scratch/source" --strip-components=1
check "the source knows its commit without git" sh -c "sed -n 's/^commit //p' '$scratch/source/.ci/commit' | grep -xE '[0-9a-f]{40}'"
builds() { (cd "$scratch/source" && env -u MAKEFLAGS -u MAKELEVEL make -s -j"$(nproc)" build/trainc && build/trainc version | grep -F "($(sed -n "s/^commit \(........\).*/\1/p" .ci/commit))"); }
check "it builds, and its program says so" builds
check "the notes are about this version" grep -q "^## $version" "$DIST/RELEASE_NOTES.md"
end
