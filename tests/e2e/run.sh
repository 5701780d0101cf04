#!/bin/bash
# run.sh: the end-to-end suite, against a real control plane.
#
#   tests/e2e/run.sh                              builds (once) and starts clusters of its own
#   tests/e2e/run.sh operator [ROW...]            compares the training operator with our controller on the same jobs
#   tests/e2e/run.sh bench [SCENARIO...]          measures what both need
#   tests/e2e/run.sh upstream [CHECK...]          runs the training operator's examples and its SDK on a cluster without it
#   tests/e2e/run.sh faults [CHECK...]            causes faults while commands run; takes four minutes, because the API
#                                                 server is stopped
#   tests/e2e/run.sh races [RACES]                two to four users apply differing programs as one run, 500 times
#   tests/e2e/run.sh bench-cluster [SCENARIO...]  compares the commands with kubectl
#   tests/e2e/run.sh soak [SECONDS]               creates and deletes objects; the memory of commands must not grow
#   tests/e2e/run.sh attacks [ATTACK...]          attacks the controller and the commands as users with narrow roles; "make
#                                                 e2e" also does this
#   tests/e2e/run.sh hostile                      200 jobs, without and with a tenant who attacks the controller meanwhile
#   tests/e2e/run.sh checks MODE [PART...]        runs the checks of a mode (kwok, operators, kueue, groups, node) whose names contain
#                                                 one of these parts; TIMES=10 repeats them
#   tests/e2e/run.sh kueue [CHECK...]             runs the commands with a real Kueue, as "make e2e" also does
#   KUBECONFIG=... tests/e2e/run.sh               uses an existing cluster, with the kubectl of PATH; creates and deletes
#                                                 namespaces named e2e-*
#
# TRAINC is the compiler ($BUILD/trainc or build/trainc).  The suite prints one line for each check; the last line is
# "N passed, N failed, N skipped".  Without Go 1.26 nothing can be built: the suite is skipped, or fails where CI=true.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
TRAINC=$(realpath -m "${TRAINC:-${BUILD:-$here/../../build}/trainc}")
export TRAINC PYTHONDONTWRITEBYTECODE=1
cd "$here"

work=$(mktemp -d "${TMPDIR:-/tmp}/trainc-e2e.XXXXXX")
export COUNTS=$work/counts
up=()
child=

# Every long command runs in the background as its own process group: a signal takes effect at once, and ends it with
# everything that it started.
run() {
	local status=0
	setsid env --default-signal=INT,QUIT "$@" &       # a shell starts background processes with both signals ignored
	child=$!
	wait $child || status=$?
	child=
	return $status
}

finish() {
	local dir
	trap '' HUP INT TERM
	[ -z "$child" ] || kill -TERM -- "-$child" 2> /dev/null || true
	wait
	for dir in "${up[@]}"; do
		./down.sh "$dir"
	done
	rm -rf "$work"
}
trap finish EXIT
trap 'exit 1' HUP INT TERM

total() {
	awk '{ p += $1; f += $2; s += $3 }
		END { printf "%d passed, %d failed, %d skipped\n", p, f, s; exit f > 0 }' "$COUNTS"
}

skip() {
	echo "skip $1"
	echo 0 0 1 >> "$COUNTS"
}

failed() {
	echo "FAIL $1"
	echo 0 1 0 >> "$COUNTS"
}

# pieces MODE: what a cluster of that mode is made of
pieces() {
	case $1 in
	kwok) echo kube kwok addons ;;
	operators) echo kube kwok addons jobset operator trainer coscheduling ;;
	kueue) echo kube kwok addons jobset kueue ;;
	groups) echo kube kwok lws ;;
	node) echo kube coredns node examples ;;
	*) echo "run.sh: no cluster has the mode '$1'; modes: kwok, operators, kueue, groups, node" >&2; return 1 ;;
	esac
}

# cluster MODE: starts a cluster of that mode, and runs the checks for that mode.
cluster() {
	local mode=$1 dir=$work/$1 piece path start status=0 pieces
	read -ra pieces <<< "$(pieces "$mode")"
	run ./build.sh "${pieces[@]}" > "$work/pieces" || return
	while read -r piece path; do
		export "E2E_${piece^^}=$path"
	done < "$work/pieces"
	start=$SECONDS
	up+=("$dir")
	run ./up.sh "$mode" "$dir" || return
	echo "# a cluster of mode $mode is up after $((SECONDS - start)) s"
	TMPDIR=$work KUBECTL=$E2E_KUBE/kubectl KUBECONFIG=$dir/kubeconfig run python3 suite.py "$mode" || status=$?
	# alone, after everything else, because they measure time
	[ "$mode" != kwok ] || TMPDIR=$work KUBECTL=$E2E_KUBE/kubectl KUBECONFIG=$dir/kubeconfig run python3 faults.py quick || status=$?
	[ "$mode" != kwok ] || TMPDIR=$work KUBECTL=$E2E_KUBE/kubectl KUBECONFIG=$dir/kubeconfig run python3 races.py || status=$?
	# their controller manages all namespaces, and they replace definitions
	[ "$mode" != kwok ] || TMPDIR=$work KUBECTL=$E2E_KUBE/kubectl KUBECONFIG=$dir/kubeconfig run python3 attacks.py || status=$?
	./down.sh "$dir"
	echo "# ... and gone after $((SECONDS - start)) s"
	return $status
}

# alone MODE PIECES PROGRAM WORD...: starts a cluster of these pieces for one program; E2E_NODES and E2E_AUDIT set its
# number of nodes and its audit log.
alone() {
	local mode=$1 dir=$work/alone piece path status=0 pieces
	read -ra pieces <<< "$2"
	shift 2
	run ./build.sh "${pieces[@]}" > "$work/pieces" || return
	while read -r piece path; do
		export "E2E_${piece^^}=$path"
	done < "$work/pieces"
	up+=("$dir")
	run ./up.sh "$mode" "$dir" || return
	TMPDIR=$work KUBECTL=$E2E_KUBE/kubectl KUBECONFIG=$dir/kubeconfig run python3 "$@" || status=$?
	./down.sh "$dir"
	return $status
}

# beside PROGRAM WORD...: starts a cluster for one of the two comparisons with the training operator.
beside() {
	E2E_NODES=5 E2E_AUDIT=1 alone kwok "kube kwok addons operator" "$@"
}

# upstream WORD...: runs what the operator's users run, on a cluster with our manifest.  Their SDK comes from PyPI; if
# PyPI cannot be reached, the checks of the SDK are skipped.
upstream() {
	local piece path
	if run ./build.sh sdk > "$work/sdk"; then
		while read -r piece path; do
			export "E2E_${piece^^}=$path"
		done < "$work/sdk"
	else
		skip "the training operator's Python SDK: pip cannot fetch it"
	fi
	alone kwok "kube kwok examples" upstream.py "$@"
}

# some MODE [PART...]: the checks of a mode whose names contain one of the parts, TIMES times
some() {
	local parts
	parts=$(pieces "$1") || return
	alone "$1" "$parts" suite.py "$@"
	total
}

have_go() {
	local version
	version=$(go env GOVERSION 2> /dev/null) || return 1
	printf '%s\n' go1.26 "$version" | sort -VC
}

# The reason why no real node is possible here; empty if it is.
no_node() {
	local program
	if [ "$(id -u)" != 0 ]; then
		echo "it needs root"
	elif ! unshare --net --mount --pid --uts --ipc --fork true 2> /dev/null; then
		echo "no namespaces can be made"
	elif [ ! -w /sys/fs/cgroup ] && [ ! -w /sys/fs/cgroup/memory ]; then
		echo "no control groups can be made"
	else
		for program in apt-get dpkg-deb ip; do
			command -v "$program" > /dev/null || echo "there is no '$program'"
		done
	fi
}

if [ ! -x "$TRAINC" ]; then
	echo "run.sh: there is no compiler at $TRAINC" >&2
	exit 1
fi
for program in curl openssl python3 flock setsid; do
	if ! command -v $program > /dev/null; then
		echo "run.sh: there is no '$program'; the file packages says what is needed" >&2
		exit 1
	fi
done
: > "$COUNTS"
case ${1:-} in
operator | bench | bench-cluster | soak | faults | races | attacks | hostile | kueue | upstream | checks)
	if ! have_go; then
		echo "run.sh: Go 1.26 or newer is needed to build a cluster" >&2
		exit 1
	fi
	case $1 in
	operator) beside peer.py "${@:2}" ;;
	bench) beside peer_bench.py "$work/alone" "${@:2}" ;;
	bench-cluster) E2E_NODES=${E2E_NODES:-8} E2E_AUDIT=1 alone kwok "kube kubectl kwok" bench_cluster.py "$work/alone" "${@:2}" ;;
	# Events expire after a minute instead of an hour: commands keep what the server keeps, so memory is compared when the
	# number of Events is constant.
	soak) E2E_EVENT_TTL=1m0s alone kwok "kube kwok" soak.py "${@:2}" ;;
	faults) alone kwok "kube kwok" faults.py "${@:2}" ;;
	races) E2E_NODES=2 alone kwok "kube kwok" races.py "${@:2}" ;;
	attacks) E2E_NODES=2 alone kwok "kube kwok" attacks.py "${@:2}" ;;
	hostile) E2E_NODES=2 alone kwok "kube kwok" hostile.py ;;
	upstream) upstream "${@:2}" ;;
	kueue) alone kueue "$(pieces kueue)" kueue.py "${@:2}" ;;
	checks) some "${@:2}" ;;
	esac
	exit
	;;
esac
if [ -n "${KUBECONFIG:-}" ]; then
	TMPDIR=$work KUBECTL=${KUBECTL:-kubectl} run python3 suite.py any
	total
	exit
fi
if ! have_go; then
	if [ "${CI:-}" = true ]; then
		failed "Go 1.26 or newer is needed to build a cluster"
	else
		skip "Go 1.26 or newer is needed to build a cluster"
	fi
	total
	exit
fi
cluster kwok || failed "a cluster of mode kwok"
upstream || failed "the training operator's examples and its SDK"
cluster groups || failed "a cluster of mode groups"
cluster operators || failed "a cluster of mode operators"
cluster kueue || failed "a cluster of mode kueue"
why=$(no_node)
if [ -n "$why" ]; then
	skip "a real node: $why"
elif ! cluster node; then
	failed "a cluster of mode node"
fi
total
