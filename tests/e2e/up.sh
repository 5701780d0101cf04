#!/bin/bash
# up.sh kwok|operators|kueue|groups|node DIR: starts a Kubernetes control plane whose files are in DIR (created here,
# must not exist) and returns when it is ready.  DIR/kubeconfig is an administrator's.  down.sh DIR ends the control plane.
#
#   kwok       etcd, API server, controller manager, scheduler, and kwok, which simulates the nodes. The servers use free
#              ports of 127.0.0.1. Any user can run this
#   operators  kwok, and the controllers of JobSets, of TrainJobs and of the training operator's kinds, and the scheduler
#              that places PodGroups
#   kueue      kwok, Kueue and the controller of JobSets, with the webhooks of both
#   groups     kwok, and the controller of LeaderWorkerSets with its webhooks
#   node       a control plane without kwok, but with a kubelet, containerd, runc and CoreDNS, in namespaces of its own.
#              Needs root
#
# Needs E2E_KUBE, and either E2E_KWOK (and E2E_ADDONS, E2E_JOBSET, E2E_OPERATOR, E2E_TRAINER, E2E_COSCHEDULING,
# E2E_KUEUE, E2E_LWS), or E2E_COREDNS and E2E_NODE: directories that build.sh prints.  E2E_NODES=N (kwok) makes N nodes
# instead of one.
# E2E_AUDIT=1 (kwok) makes DIR/kubeconfig.controller, another administrator's, whose requests are in DIR/audit.log.
# E2E_EVENT_TTL=1m0s lets Events expire after that time, and not after an hour.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"

[ $# = 2 ] || fail "usage: up.sh kwok|operators|kueue|groups|node DIR"
mode=$1
mkdir -m 700 "$2"
D=$(realpath "$2")
mkdir "$D/run" "$D/log"

# If the start fails, everything that was started is ended; the logs stay.
trap '[ $? = 0 ] || "$here/down.sh" --keep "$D"' EXIT
trap 'exit 1' HUP INT TERM

free_ports() {
	python3 - "$1" <<-END
		import socket, sys
		sockets = [socket.create_server(("127.0.0.1", 0)) for _ in range(int(sys.argv[1]))]
		print(*[s.getsockname()[1] for s in sockets])
	END
}

# Sets the API server's options for recording the requests of one user.
audited() {
	certificate controller /O=system:masters/CN=controller
	cat > "$D/audit.yaml" <<-END
		apiVersion: audit.k8s.io/v1
		kind: Policy
		omitStages: [RequestReceived]
		rules:
		- {level: Metadata, users: [controller]}
		- {level: None}
	END
	audit=(--audit-policy-file "$D/audit.yaml" --audit-log-path "$D/audit.log")
}

up_kwok() {
	local api etcd peer kwok stage i audit=()
	[ -z "${E2E_AUDIT:-}" ] || audited
	read -r api etcd peer kwok <<< "$(free_ports 4)"
	# The address of the API server may not be a loopback one in the endpoints of the Service "kubernetes", so that
	# Service has none here.
	control_plane 127.0.0.1 "$api" "$etcd" "$peer" --endpoint-reconciler-type none "${audit[@]}"
	[ -z "${E2E_AUDIT:-}" ] || kubeconfig "$D/kubeconfig.controller" "$api" controller
	cp "$D/kubeconfig.inside" "$D/kubeconfig"

	for stage in "$E2E_KWOK"/stages/*.yaml "$here"/stages/*.yaml; do
		echo ---
		cat "$stage"
	done > "$D/stages.yaml"
	# Every container of every pod has printed the contents of this file.
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

# webhooks FILE PORT LABEL NAME...: the webhooks that the server calls before it accepts an object: a module's own
# manifests, with an address instead of a Service, which has no pods here; with names, only those.  Pods are selected by
# a label, as the patches of the modules select them.
webhooks() {
	python3 - "$1" "$2" "$(base64 -w 0 "$D/pki/ca.crt")" "${@:3}" <<-'END'
		import re, sys
		text, port, authority, label, wanted = open(sys.argv[1]).read(), sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:]
		text = re.sub(r"service:\n *name: .*\n *namespace: .*\n *path: (.*)",
		              rf"url: https://127.0.0.1:{port}\1\n    caBundle: {authority}", text)
		only = "objectSelector: {matchExpressions: [{key: %s, operator: Exists}]}" % label
		if wanted:
		    text = re.sub(r"(?ms)^- admissionReviewVersions:.*?(?=^- |^---|\Z)",
		                  lambda m: m[0] if re.search(r"^  name: .(\w+)\.kb\.io", m[0], re.M)[1] in wanted else "", text)
		    text = re.sub(r"  name: (\w+-webhook-configuration)", r"  name: kueue-\1", text)
		print(re.sub(r"( +)(name: [mv]pod\.kb\.io)", rf"\1\2\n\1{only}", text))
	END
}

# jobset PORT PORT: the controller of JobSets, with its webhooks and its health endpoint at these ports.
jobset() {
	cat > "$D/jobset.yaml" <<-END
		apiVersion: config.jobset.x-k8s.io/v1alpha1
		kind: Configuration
		health: {healthProbeBindAddress: "127.0.0.1:$2"}
		metrics: {bindAddress: "0"}
		leaderElection: {leaderElect: false}
		internalCertManagement: {enable: false}
		webhook: {host: 127.0.0.1, port: $1, certDir: $D/hooks}
	END
	spawn jobset "$E2E_JOBSET/jobset" --kubeconfig "$D/kubeconfig" --config "$D/jobset.yaml"
}

# definitions FILE...: kinds of add-ons, with the certificate of the webhook that checks their objects.
definitions() {
	cat "$@" | kubectl create -f - > "$D/log/definitions.log"
	kubectl wait --for=condition=Established --timeout=60s crd --all >> "$D/log/definitions.log"
	mkdir "$D/hooks"
	cp "$D/pki/server.crt" "$D/hooks/tls.crt"
	cp "$D/pki/server.key" "$D/hooks/tls.key"
}

up_operators() {
	local hooks probe
	up_kwok
	read -r hooks probe <<< "$(free_ports 2)"
	definitions "$E2E_ADDONS"/*.yaml
	jobset "$hooks" "$probe"
	spawn operator "$E2E_OPERATOR/training-operator" --kubeconfig "$D/kubeconfig" \
		--metrics-bind-address 0 --health-probe-bind-address 0 --monitoring-port 0
	spawn trainer "$E2E_TRAINER/trainer" --kubeconfig "$D/kubeconfig"
	cat > "$D/coscheduling.yaml" <<-END
		apiVersion: kubescheduler.config.k8s.io/v1
		kind: KubeSchedulerConfiguration
		leaderElection: {leaderElect: false}
		clientConnection: {kubeconfig: $D/kubeconfig, qps: 500, burst: 1000}
		profiles:
		- schedulerName: scheduler-plugins-scheduler
		  plugins:
		    multiPoint: {enabled: [{name: Coscheduling}]}
		    queueSort: {enabled: [{name: Coscheduling}], disabled: [{name: "*"}]}
	END
	spawn coscheduling "$E2E_COSCHEDULING/scheduler" --config "$D/coscheduling.yaml" --secure-port 0
	spawn groups "$E2E_COSCHEDULING/controller" --kubeconfig "$D/kubeconfig" --metricsAddr 0 --probeAddr 0
	wait_for jobset 60 curl -sf "http://127.0.0.1:$probe/readyz"
	webhooks "$E2E_JOBSET/webhooks.yaml" "$hooks" jobset.sigs.k8s.io/jobset-name |
		kubectl create -f - > "$D/log/webhooks.log"
}

up_kueue() {
	local set_hooks set_probe hooks probe
	up_kwok
	read -r set_hooks set_probe hooks probe <<< "$(free_ports 4)"
	definitions "$E2E_ADDONS"/jobset*.yaml "$E2E_KUEUE"/crds/*.yaml
	jobset "$set_hooks" "$set_probe"
	# Kueue keeps its own objects in a namespace that its manifests create.
	kubectl create namespace kueue-system >> "$D/log/definitions.log"
	cat > "$D/kueue.yaml" <<-END
		apiVersion: config.kueue.x-k8s.io/v1beta2
		kind: Configuration
		health: {healthProbeBindAddress: "127.0.0.1:$probe"}
		leaderElection: {leaderElect: false}
		internalCertManagement: {enable: false}
		webhook: {host: 127.0.0.1, port: $hooks, certDir: $D/hooks}
		clientConnection: {qps: 500, burst: 1000}
		integrations: {frameworks: [batch/job, pod, jobset.x-k8s.io/jobset]}
	END
	spawn kueue "$E2E_KUEUE/kueue" --kubeconfig "$D/kubeconfig" --config "$D/kueue.yaml"
	wait_for jobset 60 curl -sf "http://127.0.0.1:$set_probe/readyz"
	wait_for kueue 60 curl -sf "http://127.0.0.1:$probe/readyz"
	webhooks "$E2E_JOBSET/webhooks.yaml" "$set_hooks" jobset.sigs.k8s.io/jobset-name |
		kubectl create -f - > "$D/log/webhooks.log"
	webhooks "$E2E_KUEUE/webhooks.yaml" "$hooks" kueue.x-k8s.io/queue-name \
		job jobset pod clusterqueue cohort resourceflavor workload |
		kubectl create -f - >> "$D/log/webhooks.log"
}

up_groups() {
	local hooks probe
	up_kwok
	read -r hooks probe <<< "$(free_ports 2)"
	definitions "$E2E_LWS"/crds/*.yaml
	cat > "$D/lws.yaml" <<-END
		apiVersion: config.lws.x-k8s.io/v1alpha1
		kind: Configuration
		health: {healthProbeBindAddress: "127.0.0.1:$probe"}
		metrics: {bindAddress: "0"}
		leaderElection: {leaderElect: false}
		internalCertManagement: {enable: false}
		webhook: {host: 127.0.0.1, port: $hooks, certDir: $D/hooks}
	END
	spawn lws "$E2E_LWS/lws" --kubeconfig "$D/kubeconfig" --config "$D/lws.yaml"
	wait_for lws 60 curl -sf "http://127.0.0.1:$probe/readyz"
	webhooks "$E2E_LWS/webhooks.yaml" "$hooks" leaderworkerset.sigs.k8s.io/name |
		kubectl create -f - > "$D/log/webhooks.log"
}

# The name of the control groups belongs to this cluster alone: down.sh removes them by name, and a killed cluster
# leaves its own behind.
cgroups() {
	local group hierarchy
	group=e2e-$$$(printf %s "$D" | tr -c a-zA-Z0-9 -)
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
	# When "unshare" dies, the first process of the sandbox ends, and with it everything inside: processes, mounts,
	# links.
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
kwok | operators | kueue | groups | node) "up_$mode" ;;
*) fail "no mode is called '$mode'" ;;
esac
