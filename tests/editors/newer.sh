#!/bin/sh
# newer.sh DIRECTORY - unpacks programs that Debian 12 does not have below DIRECTORY (about 100 MB from Debian): Helix,
# Neovim 0.10, Emacs 30 and the program of tree-sitter from Debian 13, and Neovim 0.12 from the release after that. They
# run with the C library of their release, which is unpacked beside them. Nothing else on this machine changes.
# DIRECTORY/bin has hx, nvim, emacs, tree-sitter and nvim12.
set -eu
mkdir -p "$1/bin"
cd "$1"
mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN)' | sed -n 's|^\([^ ]*/debian/\) Debian$|\1|p' | sort -u | head -n 1)
test -n "$mirror" || { echo "apt knows no mirror of Debian" >&2; exit 1; }

# apt DIRECTORY OPERATION...: apt-get that only knows the packages of DIRECTORY/sources.
apt() {
	at=$PWD/$1
	shift
	apt-get -qq -o Dir::Etc::SourceList="$at/sources" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$at/lists" \
		-o Dir::Cache="$at/cache" -o Dir::State::status="$at/status" -o Debug::NoLocking=1 -o APT::Sandbox::User=root "$@"
}

# unpack RELEASE WITHOUT PACKAGE...: unpacks the packages and their dependencies, except WITHOUT, which nothing here runs.
unpack() (
	release=$1 without=$2
	shift 2
	test "$(cat "$release/ready" 2>/dev/null)" != "$*" || exit 0
	rm -rf "$release"
	mkdir -p "$release/apt/lists/partial" "$release/apt/cache/archives/partial"
	echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $release main" >"$release/apt/sources"
	for package in $without; do
		printf 'Package: %s\nStatus: install ok installed\nArchitecture: amd64\nVersion: 999\nMaintainer: none\nDescription: none\n\n' "$package"
	done >"$release/apt/status"
	apt "$release/apt" update && apt "$release/apt" install --download-only --no-install-recommends -y "$@" || exit 1
	for package in "$release"/apt/cache/archives/*.deb; do
		dpkg-deb -x "$package" "$release" || exit 1
	done
	rm -rf "$release/apt"
	echo "$*" >"$release/ready"
)

# program NAME RELEASE FILE SETTINGS: writes bin/NAME, which runs usr/bin/FILE of the release; $at in SETTINGS is its usr.
program() {
	cat >"bin/$1" <<-SCRIPT
		#!/bin/sh
		at=$PWD/$2/usr
		${4:+export $4}
		exec "\$at/lib64/ld-linux-x86-64.so.2" --library-path "\$at/lib/x86_64-linux-gnu" "\$at/bin/$3" "\$@"
	SCRIPT
	chmod +x "bin/$1"
	"bin/$1" --version | head -n 1
}

failed=0
if unpack trixie 'emacs-el install-info binutils libgcc-14-dev libc6-dev' hx neovim tree-sitter-cli emacs-nox; then
	program hx trixie hx 'HELIX_RUNTIME="${HELIX_RUNTIME:-$at/lib/hx/runtime}"'
	program nvim trixie nvim 'VIMRUNTIME=$at/share/nvim/runtime'
	program tree-sitter trixie tree-sitter ''
	# Emacs looks for its dump file and its compiled Lisp next to the program, where they are not installed
	version=$(ls trixie/usr/share/emacs | grep '^[0-9]')
	dump=$(cd trixie/usr && echo libexec/emacs/"$version"/*/emacs-*.pdmp)
	ln -sfn "../$dump" trixie/usr/bin/emacs-nox.pdmp
	ln -sfn "lib/emacs/$version/native-lisp" trixie/usr/native-lisp
	program emacs trixie emacs-nox \
		"EMACSLOADPATH=\$at/share/emacs/$version/lisp EMACSDATA=\$at/share/emacs/$version/etc EMACSDOC=\$at/share/emacs/$version/etc EMACSPATH=\$at/${dump%/*}"
else
	failed=1
fi
if unpack forky '' neovim; then
	program nvim12 forky nvim 'VIMRUNTIME=$at/share/nvim/runtime'
else
	failed=1
fi
exit $failed
