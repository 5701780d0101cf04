#!/bin/bash
# debian.sh - the files of a release in DIST install, work and go away in roots of Debian 11, 12 and 13, made by debootstrap
# below ROOTS (default: build/dist/roots, about 250 MB each; later runs use them again). Needs root and a mirror that apt
# knows; releases whose root cannot be made are left out, and counted. RELEASES="bullseye" tests only that one.
. "$(dirname "$0")/dist.inc"
ROOTS=$(realpath -m "${ROOTS:-$BUILD/dist/roots}")
keyring=/usr/share/keyrings/debian-archive-keyring.gpg
mirror=$(apt-get indextargets --format '$(REPO_URI) $(ORIGIN)' 2>/dev/null | sed -n 's|^\([^ ]*/debian/\) Debian$|\1|p' | sort -u | head -n 1)
python=python3,python3-venv

make_root() { # make_root RELEASE: nothing is left if it fails
	test -e "$ROOTS/$1/ready" && return
	test "$(id -u)" = 0 && command -v debootstrap >/dev/null && test -n "$mirror" || return 1
	mkdir -p "$ROOTS" && rm -rf "${ROOTS:?}/$1"
	if debootstrap --variant=minbase --include="$python" --keyring="$keyring" "$1" "$ROOTS/$1" "$mirror" >"$scratch/made" 2>&1; then
		touch "$ROOTS/$1/ready"
	else
		tail -n 3 "$scratch/made"
		rm -rf "${ROOTS:?}/$1"
		return 1
	fi
}

# inside RELEASE COMMAND: a shell runs the command in a copy of the root that nobody else sees, without a network.
inside() {
	unshare --mount --net --fork --pid --propagation private sh -c '
		mount -t tmpfs -o size=1g none "$1" && mkdir "$1/up" "$1/work" "$1/root" &&
		mount -t overlay -o "lowerdir=$2,upperdir=$1/up,workdir=$1/work" none "$1/root" &&
		mount -t proc none "$1/root/proc" && mkdir -p "$1/root/dist" "$1/root/programs" &&
		mount --bind "$3" "$1/root/dist" && mount --bind "$4" "$1/root/programs" &&
		exec chroot "$1/root" env -i HOME=/root PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 \
			PIP_NO_INDEX=1 PIP_DISABLE_PIP_VERSION_CHECK=1 VERSION="$6" sh -euc "$5"' sh "$scratch/mounted" "$ROOTS/$1" "$DIST" "$PWD/examples" "$2" "$version"
}

program=/programs/01-torch-data-parallel/mnist.tj
# lines for a shell that stops at the first failure; a list with && or a command after ! would not stop it
works="trainc version | grep -F \"\$VERSION\"
	trainc compile $program | grep 'kind: Job'
	printf 'job \"a\" {\\n  image = \"a/b:1\"\\n  role w { cpu = 1, memory = 1Gi, command = [\"sh\", \"-c\", \"echo hello from a run\"] }\\n}\\n' >/tmp/a.tj
	trainc run --local /tmp/a.tj 2>&1 | grep 'hello from a run'
	trainc delete --local --yes a
	if trainc list 2>&1 | grep libexec; then exit 1; fi"
mkdir "$scratch/mounted"
for release in ${RELEASES:-bullseye bookworm trixie}; do
	if ! make_root "$release"; then
		skip "$release: no root of it could be made"
		continue
	fi
	before='find /usr /etc /opt "$HOME" ! -type d ! -path "*/__pycache__/*" | sort'
	check "$release: the package installs, works and is removed without a trace" inside "$release" "
		$before >/tmp/before
		dpkg -i /dist/trainc_\$VERSION-1_\$(dpkg --print-architecture).deb
		$works
		dpkg -P trainc
		$before | grep -v \"^\$HOME/.local/state\|/.trainc\" >/tmp/after
		diff /tmp/before /tmp/after"
	check "$release: install.sh installs from the files, without root's directories" inside "$release" "
		TRAINC_RELEASE_URL=/dist sh /dist/install.sh
		PATH=\$HOME/.local/bin:\$PATH
		$works
		TRAINC_RELEASE_URL=/dist sh /dist/install.sh --uninstall
		test ! -e \$HOME/.local/bin/trainc"
	check "$release: the wheel installs in an environment of its Python" inside "$release" "
		python3 -m venv /tmp/venv
		/tmp/venv/bin/pip install -q --find-links /dist trainc
		PATH=/tmp/venv/bin:\$PATH
		$works
		/tmp/venv/bin/python -c 'import trainc; print(len(trainc.compile(open(\"$program\").read())))'
		/tmp/venv/bin/pip uninstall -qy trainc
		test ! -e /tmp/venv/bin/trainc"
done
end
