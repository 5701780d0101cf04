#!/bin/bash
# sandbox.sh DIR: the first process of the namespaces that "up.sh node" makes.  Nothing here can be reached from the
# machine, so ports and addresses are fixed, and nothing needs cleanup: it ends with this process.
set -euo pipefail
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
D=$1

mounts() {
	local file name
	mount --make-rshared /
	mount -t tmpfs tmpfs /run
	# The mount points below are created in a layer of our own, so that none stays on the machine. (Where that is
	# not possible, two empty directories remain.)
	mkdir /run/made /run/made.work
	mount -t overlay -o lowerdir=/var/lib,upperdir=/run/made,workdir=/run/made.work overlay /var/lib || true
	mkdir -p "$D/kubelet" "$D/cni" "$D/cni-conf" "$D/varlog" "$D/sysctl" /var/lib/kubelet /var/lib/cni
	mount --bind "$D/kubelet" /var/lib/kubelet
	mount --make-shared /var/lib/kubelet
	mount --bind "$D/cni" /var/lib/cni
	mount --bind "$D/varlog" /var/log
	# The kubelet insists on changing settings of the whole machine.  It gets plain files instead, copies of the
	# machine's.
	for file in vm/overcommit_memory vm/panic_on_oom kernel/panic kernel/panic_on_oops \
		kernel/keys/root_maxkeys kernel/keys/root_maxbytes; do
		[ -e "/proc/sys/$file" ] || continue
		name=$D/sysctl/${file//\//_}
		cat "/proc/sys/$file" > "$name"
		mount --bind "$name" "/proc/sys/$file"
	done
}

# Without kube-proxy a Service has no address that works.  Pods reach DNS and
# the API server because both listen on the address of their Service.
network() {
	hostname node-0
	ip link set lo up
	ip address add "$api_ip/32" dev lo
	ip address add "$dns_ip/32" dev lo
	ip link add cni0 type bridge
	ip address add "$node_ip/24" dev cni0
	ip link set cni0 up
	ip route add default dev cni0
	echo 1 > /proc/sys/net/ipv4/ip_forward
	cat > "$D/cni-conf/10-e2e.conflist" <<-END
		{"cniVersion": "0.4.0", "name": "e2e", "plugins": [{
		  "type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": false,
		  "ipam": {"type": "host-local", "dataDir": "$D/cni/ipam",
		    "ranges": [[{"subnet": "10.244.0.0/24", "rangeStart": "10.244.0.10"}]],
		    "routes": [{"dst": "0.0.0.0/0"}]}}]}
	END
}

runtime() {
	local snapshotter=overlayfs tar
	# An overlay cannot be mounted on another one, such as the file system of a container.
	[ "$(stat -f -c %T "$D")" != overlayfs ] || snapshotter=native
	# restrict_oom_score_adj: without the permission to lower that score, runc would start nothing at all.
	cat > "$D/containerd.toml" <<-END
		version = 2
		root = "$D/containerd"
		state = "/run/containerd"
		disabled_plugins = [
		  "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.btrfs",
		  "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.devmapper",
		  "io.containerd.internal.v1.opt",
		  "io.containerd.internal.v1.tracing", "io.containerd.tracing.processor.v1.otlp"]
		[grpc]
		  address = "/run/containerd/containerd.sock"
		[plugins."io.containerd.grpc.v1.cri"]
		  sandbox_image = "localhost/pause:1"
		  disable_apparmor = true
		  restrict_oom_score_adj = true
		  stream_server_address = "127.0.0.1"
		  [plugins."io.containerd.grpc.v1.cri".cni]
		    bin_dir = "$E2E_NODE/root/usr/lib/cni"
		    conf_dir = "$D/cni-conf"
		  [plugins."io.containerd.grpc.v1.cri".containerd]
		    snapshotter = "$snapshotter"
		    [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
		      runtime_type = "io.containerd.runc.v2"
		      [plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc.options]
		        SystemdCgroup = false
	END
	spawn containerd containerd --config "$D/containerd.toml"
	wait_for containerd 60 ctr version
	for tar in "$E2E_NODE"/images/*.tar; do
		ctr -n k8s.io images import "$tar" > "$D/log/import.log" 2>&1 || fail "$(cat "$D/log/import.log")"
	done
	# The name of the image of the training operator's init container; it needs a shell and nslookup.
	ctr -n k8s.io images tag localhost/busybox:1 docker.io/library/alpine:3.10 >> "$D/log/import.log" 2>&1 ||
		fail "$(cat "$D/log/import.log")"
}

dns() {
	cat > "$D/Corefile" <<-END
		.:53 {
		  bind $dns_ip
		  errors
		  ready 127.0.0.1:8181
		  kubernetes cluster.local in-addr.arpa {
		    kubeconfig $D/kubeconfig.inside e2e
		    pods insecure
		    ttl 1
		  }
		}
	END
	spawn coredns "$E2E_COREDNS/coredns" -conf "$D/Corefile"
}

kubelet() {
	kubeconfig "$D/kubeconfig.node" 443 node
	cat > "$D/kubelet.yaml" <<-END
		apiVersion: kubelet.config.k8s.io/v1beta1
		kind: KubeletConfiguration
		address: $node_ip
		port: 10250
		readOnlyPort: 0
		healthzBindAddress: 127.0.0.1
		tlsCertFile: $D/pki/kubelet.crt
		tlsPrivateKeyFile: $D/pki/kubelet.key
		authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: $D/pki/ca.crt}}
		authorization: {mode: Webhook}
		clusterDomain: cluster.local
		clusterDNS: [$dns_ip]
		resolvConf: ""
		containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
		cgroupDriver: cgroupfs
		cgroupRoot: /$(cat "$D/cgroup")
		failCgroupV1: false
		failSwapOn: false
		makeIPTablesUtilChains: false
		podLogsDir: /var/log/pods
		maxPods: 110
		evictionHard: {memory.available: 100Mi, nodefs.available: 1%, imagefs.available: 1%, nodefs.inodesFree: 1%}
		imageGCHighThresholdPercent: 100
		imageMinimumGCAge: 24h
		nodeStatusUpdateFrequency: 5s
	END
	spawn kubelet "$E2E_KUBE/kubelet" --config "$D/kubelet.yaml" --kubeconfig "$D/kubeconfig.node" \
		--hostname-override node-0 --node-ip "$node_ip" --root-dir /var/lib/kubelet
}

PATH=$E2E_NODE/root/usr/bin:$E2E_NODE/root/usr/sbin:$PATH
mounts
network
runtime &
importing=$!
control_plane 0.0.0.0 443 2379 2380 --advertise-address "$node_ip" \
	--kubelet-client-certificate "$D/pki/admin.crt" --kubelet-client-key "$D/pki/admin.key" \
	--kubelet-certificate-authority "$D/pki/ca.crt" --kubelet-preferred-address-types InternalIP
dns
wait $importing
kubelet
wait_for_accounts
wait_for kubelet 120 kubectl wait --for=condition=Ready node/node-0 --timeout=1s
wait_for coredns 60 curl -sf http://127.0.0.1:8181/ready
touch "$D/ready"

# The first process of a process namespace inherits every orphan.
trap 'exit 0' TERM
while :; do
	sleep 3600 &
	wait $! || true
done
