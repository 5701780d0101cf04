# Functions shared by up.sh, sandbox.sh and down.sh; sourced, never run.
#
# A cluster is a directory D.  Every process of the cluster has D/run/NAME.pid and D/log/NAME.log, and D in its command
# line, by which down.sh recognizes that a process id still belongs to the cluster.

node_ip=10.244.0.1 # addresses of the real node and of the API server on it
dns_ip=10.96.0.10
api_ip=10.96.0.1 # of the Service "kubernetes"

fail() {
	echo "e2e: $*" >&2
	exit 1
}

# spawn NAME COMMAND...: starts it in the background, with a PID file and a log.
spawn() {
	local name=$1
	shift
	"$@" > "$D/log/$name.log" 2>&1 < /dev/null &
	echo $! > "$D/run/$name.pid"
	disown # keeps this shell from reporting its end
}

# wait_for NAME SECONDS COMMAND...: waits until the command succeeds, or shows the last output of the process NAME if
# it has died.
wait_for() {
	local name=$1 end=$((SECONDS + $2))
	shift 2
	until "$@" > "$D/log/wait.$name" 2>&1; do
		if ! kill -0 "$(cat "$D/run/$name.pid")" 2> /dev/null; then
			tail -n 20 "$D/log/$name.log" >&2
			fail "$name died"
		fi
		if [ $SECONDS -ge $end ]; then
			tail -n 20 "$D/log/$name.log" "$D/log/wait.$name" >&2
			fail "$name: not ready in time: $*"
		fi
		sleep 0.05
	done
}

kubectl() {
	"$E2E_KUBE/kubectl" --kubeconfig "$D/kubeconfig.inside" --cache-dir "$D/cache" "$@"
}

# certificate NAME SUBJECT [SUBJECT ALTERNATIVE NAMES]: signed by our own authority, for servers and clients alike, with
# an elliptic-curve key because that is generated quickly.
certificate() {
	local file=$D/pki/$1 signer=(-CA "$D/pki/ca.crt" -CAkey "$D/pki/ca.key"
		-addext basicConstraints=critical,CA:FALSE)
	[ "$1" != ca ] || signer=(-addext basicConstraints=critical,CA:TRUE)
	openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -noenc \
		-days 30 -subj "$2" -keyout "$file.key" -out "$file.crt" \
		"${signer[@]}" ${3:+-addext subjectAltName="$3"} 2> "$D/log/openssl.log" ||
		fail "openssl: $(cat "$D/log/openssl.log")"
}

certificates() {
	local cluster=DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc
	mkdir -m 700 "$D/pki"
	certificate ca /CN=e2e
	certificate server /CN=server \
		"DNS:localhost,IP:127.0.0.1,IP:$api_ip,IP:$node_ip,$cluster,DNS:kubernetes.default.svc.cluster.local"
	certificate admin /O=system:masters/CN=admin
	certificate manager /CN=system:kube-controller-manager
	certificate scheduler /CN=system:kube-scheduler
	openssl ecparam -name prime256v1 -genkey -noout -out "$D/pki/accounts.key"
	openssl ec -in "$D/pki/accounts.key" -pubout -out "$D/pki/accounts.pub" 2> /dev/null
}

# kubeconfig FILE PORT CERTIFICATE: writes a self-contained kubeconfig, so that it may be copied.
kubeconfig() {
	local pki=$D/pki
	(
		umask 077
		cat > "$1" <<-END
			apiVersion: v1
			kind: Config
			current-context: e2e
			contexts: [{name: e2e, context: {cluster: e2e, user: $3}}]
			clusters:
			- name: e2e
			  cluster:
			    server: https://127.0.0.1:$2
			    certificate-authority-data: $(base64 -w 0 "$pki/ca.crt")
			users:
			- name: $3
			  user:
			    client-certificate-data: $(base64 -w 0 "$pki/$3.crt")
			    client-key-data: $(base64 -w 0 "$pki/$3.key")
		END
	)
}

# control_plane ADDRESS PORT ETCD-PORT ETCD-PEER-PORT API-SERVER-OPTION... returns when the API server is ready; the
# controller manager and the scheduler are started.  Gang scheduling of pods is on, which clusters of that version have
# off by default.
control_plane() {
	local address=$1 port=$2 etcd=$3 peer=$4 pki=$D/pki
	shift 4
	# Without a client certificate every user of the machine could read and write the store. fsync is only for data
	# that must last.
	spawn etcd "$E2E_KUBE/etcd" --data-dir "$D/etcd" \
		--listen-client-urls "https://127.0.0.1:$etcd" --advertise-client-urls "https://127.0.0.1:$etcd" \
		--listen-peer-urls "http://127.0.0.1:$peer" --initial-advertise-peer-urls "http://127.0.0.1:$peer" \
		--initial-cluster "default=http://127.0.0.1:$peer" \
		--cert-file "$pki/server.crt" --key-file "$pki/server.key" \
		--client-cert-auth --trusted-ca-file "$pki/ca.crt" \
		--unsafe-no-fsync --log-level warn
	wait_for etcd 60 curl -sf --cacert "$pki/ca.crt" --cert "$pki/admin.crt" --key "$pki/admin.key" \
		"https://127.0.0.1:$etcd/health"

	spawn apiserver "$E2E_KUBE/kube-apiserver" \
		--bind-address "$address" --secure-port "$port" \
		--tls-cert-file "$pki/server.crt" --tls-private-key-file "$pki/server.key" --client-ca-file "$pki/ca.crt" \
		--etcd-servers "https://127.0.0.1:$etcd" --etcd-cafile "$pki/ca.crt" \
		--etcd-certfile "$pki/admin.crt" --etcd-keyfile "$pki/admin.key" \
		--anonymous-auth=false --authorization-mode Node,RBAC --enable-admission-plugins NodeRestriction \
		--service-account-issuer https://kubernetes.default.svc.cluster.local \
		--service-account-key-file "$pki/accounts.pub" --service-account-signing-key-file "$pki/accounts.key" \
		--service-cluster-ip-range 10.96.0.0/16 --profiling=false --allow-privileged \
		${E2E_EVENT_TTL:+--event-ttl "$E2E_EVENT_TTL"} \
		--feature-gates GenericWorkload=true --runtime-config scheduling.k8s.io/v1alpha1=true "$@"
	kubeconfig "$D/kubeconfig.inside" "$port" admin
	kubeconfig "$D/kubeconfig.manager" "$port" manager
	kubeconfig "$D/kubeconfig.scheduler" "$port" scheduler
	wait_for apiserver 120 curl -sf --cacert "$pki/ca.crt" --cert "$pki/admin.crt" --key "$pki/admin.key" \
		"https://127.0.0.1:$port/readyz"

	# The default rates, and intervals for claims, are meant for shared clusters; a suite wants fast results.
	spawn manager "$E2E_KUBE/kube-controller-manager" --kubeconfig "$D/kubeconfig.manager" \
		--service-account-private-key-file "$pki/accounts.key" --root-ca-file "$pki/ca.crt" \
		--use-service-account-credentials --leader-elect=false --secure-port 0 \
		--kube-api-qps 500 --kube-api-burst 1000 --pvclaimbinder-sync-period 1s \
		--controllers '*,-horizontal-pod-autoscaler-controller'
	spawn scheduler "$E2E_KUBE/kube-scheduler" --kubeconfig "$D/kubeconfig.scheduler" \
		--leader-elect=false --secure-port 0 --kube-api-qps 500 --kube-api-burst 1000 \
		--feature-gates GenericWorkload=true,GangScheduling=true
}

# Pods require the default account and the authority's certificate.
wait_for_accounts() {
	wait_for manager 120 kubectl get serviceaccount/default configmap/kube-root-ca.crt
}
