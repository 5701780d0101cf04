#!/bin/bash
# up.sh kwok|node DIR: starts a Kubernetes control plane whose files are in DIR
# (made here, must not exist) and returns when it is ready.  DIR/kubeconfig is an
# administrator's.  down.sh DIR ends it.
#
#   kwok  etcd, API server, controller manager, scheduler and kwok, which plays
#         the nodes: servers on 127.0.0.1 at free ports; any user
#   node  the same without kwok, but with a kubelet, containerd, runc and
#         CoreDNS, in namespaces of their own; root
#
# Needs E2E_KUBE, and E2E_KWOK or E2E_COREDNS and E2E_NODE: the directories that
# build.sh prints.  E2E_NODES=N (kwok) makes N nodes instead of one.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

[ $# = 2 ] || fail "usage: up.sh kwok|node DIR"
mode=$1
mkdir -m 700 "$2"
D=$(realpath "$2")
mkdir "$D/run" "$D/log"

# What was started by a failed attempt is ended; the logs stay.
trap '[ $? = 0 ] || "$here/down.sh" --keep "$D"' EXIT
trap 'exit 1' HUP INT TERM

free_ports() {
	python3 - "$1" <<-END
		import socket, sys
		sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
		print(*[s.getsockname()[1] for s in sockets])
	END
}

up_kwok() {
	local api etcd peer kwok stage i
	read -r api etcd peer kwok <<< "$(free_ports 4)"
	# The address of the API server may not be a loopback one in the endpoints
	# of the Service "kubernetes", so that Service has none here.
	control_plane 127.0.0.1 "$api" "$etcd" "$peer" --endpoint-reconciler-type none
	cp "$D/kubeconfig.inside" "$D/kubeconfig"

	for stage in "$E2E_KWOK"/stages/*.yaml "$here"/stages/*.yaml; do
		echo ---
		cat "$stage"
	done > "$D/stages.yaml"
	# Every container of every pod has printed what stands in this file.
	for i in 1 2 3; do
		echo "2026-01-01T00:00:0$i.000000000Z stdout F line $i of a pod"
	done > "$D/pod.log"
	cat >> "$D/stages.yaml" <<-END
		---
		apiVersion: kwok.x-k8s.io/v1alpha1
		kind: ClusterLogs
		metadata: {name: all}
		spec: {logs: [{logsFile: $D/pod.log, follow: true}]}
	END
	spawn kwok "$E2E_KWOK/kwok" --kubeconfig "$D/kubeconfig" --config "$D/stages.yaml" \
		--manage-all-nodes --cidr 10.0.0.0/16 --node-ip 127.0.0.1 --node-lease-duration-seconds 40 \
		--node-port "$kwok" --server-address "127.0.0.1:$kwok" \
		--tls-cert-file "$D/pki/server.crt" --tls-private-key-file "$D/pki/server.key"
	for ((i = 0; i < ${E2E_NODES:-1}; i++)); do
		cat <<-END
			---
			apiVersion: v1
			kind: Node
			metadata:
			  name: kwok-$i
			  labels: {kubernetes.io/hostname: kwok-$i, kubernetes.io/os: linux, kubernetes.io/arch: amd64}
			status:
			  capacity: &all {cpu: 1k, memory: 10Ti, ephemeral-storage: 10Ti, pods: 2k}
			  allocatable: *all
		END
	done | kubectl create -f - > "$D/log/nodes.log"
	wait_for_accounts
	wait_for kwok 120 kubectl wait --for=condition=Ready node --all --timeout=1s
}

# The names of the control groups say which cluster they belong to, because
# down.sh has to remove them by name.
cgroups() {
	local group hierarchy
	group=e2e-$(basename "$D" | tr -c 'a-zA-Z0-9\n' -)
	echo "$group" > "$D/cgroup"
	if [ -e /sys/fs/cgroup/cgroup.controllers ]; then
		mkdir "/sys/fs/cgroup/$group"
		return
	fi
	for hierarchy in /sys/fs/cgroup/*/; do
		[ -w "$hierarchy/tasks" ] || continue
		mkdir "$hierarchy/$group"
		[ -e "$hierarchy/cpuset.cpus" ] || continue
		cat "$hierarchy/cpuset.cpus" > "$hierarchy/$group/cpuset.cpus"
		cat "$hierarchy/cpuset.mems" > "$hierarchy/$group/cpuset.mems"
	done
}

up_node() {
	[ "$(id -u)" = 0 ] || fail "a real node needs root"
	certificate kubelet /CN=kubelet "IP:$node_ip,DNS:node-0"
	certificate node /O=system:nodes/CN=system:node:node-0
	cgroups
	# The death of "unshare" ends the first process of the sandbox, and with it
	# everything inside: processes, mounts, links.
	spawn unshare unshare --net --mount --pid --uts --ipc --fork --kill-child --mount-proc \
		--propagation slave bash "$here/sandbox.sh" "$D"
	wait_for unshare 180 test -e "$D/ready"
	tr -d ' ' < "/proc/$(cat "$D/run/unshare.pid")/task/$(cat "$D/run/unshare.pid")/children" > "$D/run/init.pid"
	spawn relay python3 "$here/relay.py" "$(cat "$D/run/init.pid")" "$node_ip" 443 "$D/port"
	wait_for relay 30 test -s "$D/port"
	kubeconfig "$D/kubeconfig" "$(cat "$D/port")" admin
}

certificates
case $mode in
kwok | node) "up_$mode" ;;
*) fail "no mode is called '$mode'" ;;
esac
