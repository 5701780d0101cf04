#!/bin/sh
# install.sh - installs trainc below ~/.local, or removes it; needs no root. --help lists the options.
# Everything is one function, called on the last line: half of a download does nothing.
install_trainc() {
	set -eu
	version=@VERSION@ url=${TRAINC_RELEASE_URL:-@RELEASE_URL@} prefix=$HOME/.local act=install dry=
	say() { printf '%s\n' "$*"; }
	fail() { printf 'install.sh: %s\n' "$*" >&2; exit 1; }
	while test $# -gt 0; do
		case $1 in
		--prefix) test $# -gt 1 || fail "--prefix needs a directory"; prefix=$2; shift ;;
		--prefix=*) prefix=${1#*=} ;;
		--version) test $# -gt 1 || fail "--version needs a version"; version=$2; shift ;;
		--version=*) version=${1#*=} ;;
		--uninstall) act=uninstall ;;
		--dry-run) dry=yes ;;
		*) say "usage: install.sh [--prefix DIR] [--version V] [--uninstall] [--dry-run]"
			say "TRAINC_RELEASE_URL names a directory or an address that has the files of the release;"
			say "TRAINC_SHA256 is the checksum that the archive must have besides that of SHA256SUMS."
			test "$1" = --help && exit 0 || exit 2 ;;
		esac
		shift
	done
	list=$prefix/share/doc/trainc/installed
	if test $act = uninstall; then
		test -f "$list" || fail "$prefix has no trainc that install.sh has installed"
		test -z "$dry" || { cat "$list"; exit 0; }
		# files, then the directories that are empty now, the deepest first
		grep -v '/$' "$list" | while read -r file; do rm -f "$prefix/$file"; done
		directories=$(grep '/$' "$list" | sort -r)
		rm -f "$list"
		printf '%s\n' "$directories" | while read -r directory; do
			rmdir "$prefix/$directory" 2>/dev/null || true
		done
		say "removed trainc from $prefix"
		exit 0
	fi
	case $(uname -s) in
	Linux) system=linux ;;
	Darwin) system=macos ;;
	*) fail "this release is for Linux and macOS; on $(uname -s), build from source (README)" ;;
	esac
	case $(uname -m) in
	x86_64 | amd64) architecture=x86_64 ;;
	aarch64 | arm64) architecture=aarch64 ;;
	*) fail "no release for machines of kind $(uname -m); build from source (README)" ;;
	esac
	name=trainc-$version-$system-$architecture
	if command -v sha256sum >/dev/null; then sum='sha256sum'
	elif command -v shasum >/dev/null; then sum='shasum -a 256'
	else fail "neither sha256sum nor shasum is installed, so the download cannot be verified"
	fi
	scratch=$(mktemp -d)
	trap 'rm -rf "$scratch"' EXIT
	trap 'exit 130' HUP INT TERM
	get() { # get FILE: from the release to $scratch
		case $url in
		/* | .*) cp "$url/$1" "$scratch/$1" || fail "$url has no $1" ;;
		*)
			if command -v curl >/dev/null; then curl -fsSL --proto '=https,http' -o "$scratch/$1" "$url/$1"
			elif command -v wget >/dev/null; then wget -q -O "$scratch/$1" "$url/$1"
			else fail "neither curl nor wget is installed"
			fi || fail "cannot download $url/$1" ;;
		esac
	}
	test -z "$dry" || { say "would install $url/$name.tar.gz below $prefix"; exit 0; }
	get SHA256SUMS
	get "$name.tar.gz"
	want=$(grep "  $name.tar.gz\$" "$scratch/SHA256SUMS" | cut -d' ' -f1)
	test -n "$want" || fail "SHA256SUMS does not list $name.tar.gz"
	have=$(cd "$scratch" && $sum "$name.tar.gz" | cut -d' ' -f1)
	test "$want" = "$have" && test "${TRAINC_SHA256:-$have}" = "$have" || fail "$name.tar.gz has the wrong checksum: nothing was installed"
	tar -xzf "$scratch/$name.tar.gz" -C "$scratch"
	# files, and the directories that this or an earlier installation has made
	(
		test ! -f "$list" || grep '/$' "$list" || true
		cd "$scratch/$name"
		find . -type d ! -name . | sed 's|^\./||' | while read -r directory; do
			test -d "$prefix/$directory" || printf '%s/\n' "$directory"
		done
		find . ! -type d | sed 's|^\./||'
	) >"$scratch/list"
	mkdir -p "$prefix"
	(cd "$scratch/$name" && tar -cf - .) | tar -xf - -C "$prefix"
	# what an earlier version had and this one has not
	test ! -f "$list" || grep -v '/$' "$list" | grep -vxF -f "$scratch/list" | while read -r file; do rm -f "$prefix/$file"; done
	cp "$scratch/list" "$list"
	say "installed trainc $version below $prefix"
	case :$PATH: in
	*":$prefix/bin:"*) ;;
	*) say "$prefix/bin is not in your PATH: add it, or call $prefix/bin/trainc" ;;
	esac
	say "to remove it: sh install.sh --uninstall$(test "$prefix" = "$HOME/.local" || echo " --prefix $prefix")"
}
install_trainc "$@"
