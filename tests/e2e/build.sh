#!/bin/bash
# build.sh PIECE...: makes pieces of the end-to-end cluster and prints one line
# "PIECE DIRECTORY" for each of them on standard output.
#
#   kube     etcd, kube-apiserver, kube-controller-manager, kube-scheduler,
#            kubelet and kubectl: one program, one symbolic link per name
#   kubectl  kubectl alone, as it is released: the start of the program above costs more
#   kwok     kwok, and the stages that its module ships (stages/)
#   addons   definitions of the kinds of add-ons, as their modules ship them
#   jobset   the controller of JobSets
#   lws      the controller of LeaderWorkerSets, the definitions of its kinds (crds/) and its webhooks
#   operator the controllers of PyTorchJob, TFJob and the other kinds of the older operators
#   trainer  the controller of TrainJobs (go/trainer/main.go)
#   kueue    Kueue (go/kueue/main.go), the definitions of its kinds (crds/) and its webhooks
#   coscheduling  the scheduler and the controller of PodGroups of scheduler-plugins
#   sdk      the training operator's Python SDK, of two release lines, from PyPI (sdk.txt); needs pip and PyPI
#   examples the manifests of the training operator's own examples
#   coredns  coredns; this piece and the next are for the real node only
#   node     containerd, runc and its network plugins (root/) and the images for
#            its pods (images/), all from packages of Debian, nothing installed
#
# All pieces except the SDK and `node` are pinned Go modules.  A piece is kept outside the tree, in a directory whose
# name contains the hash of everything that the piece is made from, and is only built if that directory is missing.  It
# appears there completely or not at all.
set -euo pipefail
cd "$(dirname "$0")"

cache=${TRAINC_E2E_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/trainc-e2e}
scratch=

# -buildvcs=false: the result does not depend on the state of this tree.
export CGO_ENABLED=0 GOTOOLCHAIN=local GOFLAGS="-mod=readonly -buildvcs=false"

# kubectl does not work in a program without a version that it can parse, and a plain "go build" sets none.
stamp() {
	local package
	for package in k8s.io/component-base/version k8s.io/client-go/pkg/version; do
		printf -- '-X %s.%s ' \
			$package gitVersion=v1.35.4 \
			$package gitMajor=1 \
			$package gitMinor=35 \
			$package gitTreeState=clean \
			$package gitCommit=go-module \
			$package buildDate=1970-01-01T00:00:00Z
	done
}

compile() { # compile PIECE OUTPUT PACKAGE [LINKER FLAGS]
	(cd "go/$1" && go build -trimpath -ldflags "-s -w ${4:-}" -o "$2" "$3")
}

build_kube() {
	local name
	compile kube "$1/kube" . "$(stamp)"
	for name in etcd kube-apiserver kube-controller-manager kube-scheduler kubelet kubectl; do
		ln -s kube "$1/$name"
	done
}

build_kubectl() {
	compile kube "$1/kubectl" k8s.io/kubernetes/cmd/kubectl "$(stamp)"
}

# kwok does nothing without stages. These are the module's own, as released.
build_kwok() {
	local module
	compile kwok "$1/kwok" sigs.k8s.io/kwok/cmd/kwok
	module=$(cd go/kwok && go list -m -f '{{.Dir}}' sigs.k8s.io/kwok)
	install -D -m 644 -t "$1/stages" \
		"$module/kustomize/stage/node/fast/node-initialize.yaml" \
		"$module/kustomize/stage/pod/fast/pod-ready.yaml" \
		"$module/kustomize/stage/pod/fast/pod-delete.yaml"
}

# module NAME@VERSION CHECKSUM: prints the directory with the unpacked module.  Nothing of the module is compiled, so it
# needs no go.mod.
module() {
	local found
	found=$(cd "$scratch" && go mod download -json "$1")
	grep -qF "\"Sum\": \"$2\"" <<< "$found" || {
		echo "build.sh: $1 is not what it was" >&2
		return 1
	}
	sed -n 's/^\t"Dir": "\(.*\)",$/\1/p' <<< "$found"
}

build_addons() {
	local from
	from=$(module sigs.k8s.io/scheduler-plugins@v0.33.5 h1:9u4QAYbuoxa59aStrJKP4Bii2EQrZmGPN2tzvfs2gL0=)
	install -D -m 644 "$from/manifests/coscheduling/crd.yaml" "$1/coscheduling.yaml"
	from=$(module sigs.k8s.io/jobset@v0.10.1 h1:u8QKifNsrWVrlRFe6w2ofYTqFT9ma2DRHxfeB2m9xyU=)
	install -m 644 "$from"/config/components/crd/bases/*.yaml "$1"
	from=$(module sigs.k8s.io/lws@v0.9.0 h1:DcJCgxjjoGOx//QHZkeKpyiblxYq70aCRZNYSfykWyI=)
	install -m 644 "$from/config/crd/bases/leaderworkerset.x-k8s.io_leaderworkersets.yaml" "$1"
	from=$(module github.com/kubeflow/training-operator@v1.9.0 h1:L+ep5YQT1Pq62O3VjW6G+IRQw+NpFlPRJJj8TgydBhQ=)
	install -m 644 "$from"/manifests/base/crds/kubeflow.org_*.yaml "$1"
	from=$(module github.com/kubeflow/training-operator@v1.7.0 h1:Zh61GlOWrlRi4UFOtJeV+/5REo/OndhwQ25KYd0llzc=)
	install -m 644 "$from/manifests/base/crds/kubeflow.org_mxjobs.yaml" "$1"
	from=$(module github.com/kubeflow/trainer/v2@v2.0.0 h1:mnQSR9iPKItxyUR8mq66XsmxqKNVHwr9YYOB7BTU9dU=)
	install -m 644 "$from"/manifests/base/crds/trainer.kubeflow.org_*.yaml "$1"
	from=$(module volcano.sh/volcano@v1.15.1 h1:M0iGzhy1dvod2GFy1QiyWdv1jmmNfHW4+2WoRU7CIAk=)
	install -m 644 "$from/config/crd/volcano/bases/batch.volcano.sh_jobs.yaml" "$1"
}

build_jobset() {
	local module
	compile jobset "$1/jobset" sigs.k8s.io/jobset
	module=$(cd go/jobset && go list -m -f '{{.Dir}}' sigs.k8s.io/jobset)
	install -m 644 "$module/config/components/webhook/manifests.yaml" "$1/webhooks.yaml"
}

build_lws() {
	local module
	compile lws "$1/lws" sigs.k8s.io/lws/cmd
	module=$(cd go/lws && go list -m -f '{{.Dir}}' sigs.k8s.io/lws)
	install -D -m 644 -t "$1/crds" "$module"/config/crd/bases/*.yaml
	install -m 644 "$module/config/webhook/manifests.yaml" "$1/webhooks.yaml"
	(cd "$module/docs/examples" && find . -name '*.yaml' -exec install -D -m 644 {} "$1/examples/{}" \;)
}

build_operator() {
	compile operator "$1/training-operator" github.com/kubeflow/training-operator/cmd/training-operator.v1
}

build_trainer() {
	compile trainer "$1/trainer" .
}

# The tag excludes a simulation of the scheduler, which is off by default and would require half of Kubernetes.
build_kueue() {
	local module
	(export GOFLAGS="$GOFLAGS -tags=exclude_scheduler_library" && compile kueue "$1/kueue" .)
	module=$(cd go/kueue && go list -m -f '{{.Dir}}' sigs.k8s.io/kueue)
	install -D -m 644 -t "$1/crds" "$module"/config/components/crd/bases/*.yaml
	install -m 644 "$module/config/components/webhook/manifests.yaml" "$1/webhooks.yaml"
}

build_coscheduling() {
	compile coscheduling "$1/scheduler" sigs.k8s.io/scheduler-plugins/cmd/scheduler
	compile coscheduling "$1/controller" sigs.k8s.io/scheduler-plugins/cmd/controller
}

build_examples() {
	local from
	from=$(module github.com/kubeflow/training-operator@v1.7.0 h1:Zh61GlOWrlRi4UFOtJeV+/5REo/OndhwQ25KYd0llzc=)
	(cd "$from/examples" && find . -name '*.yaml' -exec install -D -m 644 {} "$1/{}" \;)
}

# fetch_python DIRECTORY REQUIREMENT...: packages of PyPI without their dependencies.
fetch_python() {
	"$scratch/venv/bin/pip" --disable-pip-version-check --no-input --timeout 20 --retries 1 \
		install --quiet --no-cache-dir --no-compile --no-deps --target "$@"
}

build_sdk() {
	local version
	python3 -m venv "$scratch/venv"
	fetch_python "$1/common" -r sdk.txt
	for version in 1.7.0 1.8.1; do
		fetch_python "$1/$version" "kubeflow-training==$version"
	done
}

build_coredns() {
	compile coredns "$1/coredns" github.com/coredns/coredns
}

# unpack DIRECTORY PACKAGE...: unpacks packages of this machine's Debian.
unpack() {
	local into=$1 debs=$scratch/debs deb
	shift
	mkdir -p "$into" "$debs"
	# Fetching as root would warn about a directory that the user _apt cannot read.
	(cd "$debs" && apt-get -qq -o APT::Sandbox::User=root download "$@")
	for deb in "$debs"/*.deb; do
		dpkg-deb --extract "$deb" "$into"
	done
	rm -r "$debs"
}

build_node() {
	local root=$scratch/image version applet
	unpack "$1/root" containerd runc libseccomp2 containernetworking-plugins

	unpack "$root/unpacked" busybox-static
	mkdir -p "$root/busybox/bin" "$root/busybox/etc" "$root/busybox/tmp" "$root/busybox/root"
	mv "$root/unpacked/bin/busybox" "$root/busybox/bin"
	for applet in $("$root/busybox/bin/busybox" --list); do
		[ "$applet" = busybox ] || ln -s busybox "$root/busybox/bin/$applet"
	done
	echo 'root:x:0:0:root:/root:/bin/sh' > "$root/busybox/etc/passwd"

	# /bin is a symbolic link since Debian 12, but some packages still contain it as a directory.
	version=$(python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
	mkdir -p "$root/python/usr/bin" "$root/python/usr/lib" "$root/python/usr/lib64" "$root/python/usr/sbin"
	for applet in bin lib lib64 sbin; do
		ln -s usr/$applet "$root/python/$applet"
	done
	unpack "$root/unpacked" "python$version-minimal" "libpython$version-minimal" "libpython$version-stdlib" \
		libc6 zlib1g libexpat1 libssl3 libffi8 libbz2-1.0 liblzma5 libcrypt1
	for applet in bin lib lib64 sbin usr etc; do
		[ ! -d "$root/unpacked/$applet" ] || cp -a "$root/unpacked/$applet/." "$root/python/$applet/"
	done
	rm -rf "$root/python/usr/share"
	mkdir -p "$root/python/tmp" "$root/python/root"
	ln -sf "python$version" "$root/python/usr/bin/python3"
	cp -a "$root"/busybox/bin/. "$root/python/usr/bin/"
	cp "$root/busybox/etc/passwd" "$root/python/etc/"
	echo 'hosts: files dns' > "$root/python/etc/nsswitch.conf"

	# The process that holds a pod's namespaces open has nothing to do: busybox sleeps.
	mkdir "$1/images"
	python3 image.py "$1/images/pause.tar" localhost/pause:1 "$root/busybox" /bin/sleep 2147483647
	python3 image.py "$1/images/busybox.tar" localhost/busybox:1 "$root/busybox"
	python3 image.py "$1/images/python.tar" localhost/python:1 "$root/python"
}

# A change of comments does not need a build: "declare" prints the code alone.
key() {
	{
		declare -f stamp compile unpack "build_$1"
		case $1 in
		sdk) declare -f fetch_python; python3 -V; cat sdk.txt ;;
		addons | examples) declare -f module ;;
		node) cat image.py ;;
		kubectl) cat go/kube/* ;;
		*) cat "go/$1"/* ;;
		esac
	} | sha256sum | cut -c 1-16
}

clean() {
	[ -z "$scratch" ] || rm -rf "$scratch"
}
trap clean EXIT
trap 'exit 1' HUP INT TERM

mkdir -p "$cache"
cache=$(realpath "$cache")
for piece in "$@"; do
	case $piece in
	kube | kubectl | kwok | addons | jobset | lws | operator | trainer | kueue | coscheduling | examples | sdk | coredns | node) ;;
	*)
		echo "build.sh: no piece is called '$piece'" >&2
		exit 2
		;;
	esac
	out=$cache/$piece-$(key "$piece")
	if [ ! -d "$out" ]; then
		# Two concurrent builds would both take twice as long. Therefore the second one waits here, and then
		# finds the finished piece.  Downloads wait for each other in the same way.
		case $piece in
		addons | examples | sdk) exec 9> "$cache/lock-fetched" ;;
		*) exec 9> "$cache/lock" ;;
		esac
		flock 9
	fi
	if [ ! -d "$out" ]; then
		echo "build.sh: building $piece (minutes)" >&2
		start=$SECONDS
		# The build cache of these programs takes gigabytes and is useless afterwards, so it is not the user's.
		scratch=${scratch:-$(mktemp -d "$cache/tmp.XXXXXX")}
		export GOCACHE=$scratch/gocache
		mkdir "$scratch/$piece"
		"build_$piece" "$scratch/$piece" >&2
		mv -T "$scratch/$piece" "$out"
		echo "build.sh: built $piece in $((SECONDS - start)) s" >&2
	fi
	echo "$piece $out"
done
