#!/bin/sh
# newer.sh DIRECTORY - Helix, Neovim 0.10 and the tree-sitter program of Debian 13, unpacked there for Debian 12 (about 20 MB).
# They run with the C library of Debian 13, which is unpacked beside them; nothing of this machine changes. DIRECTORY/bin has hx, nvim, tree-sitter.
set -eu
mkdir -p "$1"
cd "$1"
test ! -f ready || exit 0
mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN)' | sed -n 's|^\([^ ]*/debian/\) Debian$|\1|p' | sort -u | head -n 1)
test -n "$mirror" || { echo "apt knows no mirror of Debian" >&2; exit 1; }
mkdir -p apt/lists/partial apt/cache/archives/partial bin
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror trixie main" >apt/sources
: >apt/status
apt() {
	apt-get -qq -o Dir::Etc::SourceList="$PWD/apt/sources" -o Dir::Etc::SourceParts=/dev/null -o Dir::State::Lists="$PWD/apt/lists" \
		-o Dir::Cache="$PWD/apt/cache" -o Dir::State::status="$PWD/apt/status" -o Debug::NoLocking=1 -o APT::Sandbox::User=root "$@"
}
apt update
apt install --download-only --no-install-recommends -y hx neovim tree-sitter-cli
for package in apt/cache/archives/*.deb; do
	dpkg-deb -x "$package" root
done
rm -rf apt
for name in hx nvim tree-sitter; do
	cat >"bin/$name" <<-SCRIPT
		#!/bin/sh
		root=$PWD/root
		export HELIX_RUNTIME="\${HELIX_RUNTIME:-\$root/usr/lib/hx/runtime}" VIMRUNTIME=\$root/usr/share/nvim/runtime
		exec "\$root/usr/lib64/ld-linux-x86-64.so.2" --library-path "\$root/usr/lib/x86_64-linux-gnu" "\$root/usr/bin/$name" "\$@"
	SCRIPT
	chmod +x "bin/$name"
	"bin/$name" --version | head -n 1
done
touch ready
