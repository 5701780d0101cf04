#!/bin/sh
# transport.sh - what the commands print about the connection to a server: configuration, exit statuses, -v, and two
# executables from the same program.
. "$(dirname "$0")/../cli/cli.inc"
unset KUBECONFIG KUBERNETES_SERVICE_HOST HTTPS_PROXY HTTP_PROXY https_proxy http_proxy
HOME=$work/home
export HOME
standin=$root/${BUILD:-build}/standin

# serve SCRIPT...: starts the stand-in and writes a kubeconfig for it; its requests are in $work/record.
serve() {
	printf '%s\n' "$@" >"$work/script"
	mkfifo "$work/in" "$work/port"
	"$standin" "$work/script" "$work/record" <"$work/in" >"$work/port" &
	server=$!
	exec 9>"$work/in"
	read -r port <"$work/port"
	cat >"$work/config" <<-END
		clusters: [{name: k, cluster: {server: "http://127.0.0.1:$port"}}]
		users: [{name: u, user: {token: very-secret}}]
		contexts: [{name: dev, context: {cluster: k, user: u}}, {name: other, context: {cluster: gone, user: u}}]
		current-context: dev
	END
}
stop() {
	exec 9>&-
	wait "$server"
	rm -f "$work/in" "$work/port"
}

# ---- configuration ----
run 3 version --server
says err "trainc: no cluster is configured: $work/home/.kube/config does not exist; set KUBECONFIG or pass --kubeconfig FILE"
silent out
run 3 version --server --kubeconfig absent
says err 'trainc: cannot read the kubeconfig absent: no such file'
run 3 version --server --kubeconfig ''
says err 'trainc: --kubeconfig is empty: name a file, or leave it out'
run 2 version --server --retry-timeout soon
says err "trainc: --retry-timeout needs a time such as 500ms, 30s or 2min, found 'soon'"

# ---- a server ----
serve 'on GET /version' 'header Content-Type application/json' 'header Warning 299 - "old"' 'body {"gitVersion":"v1.99.0"}'
run 0 version --server --kubeconfig config
says out 'API server v1.99.0'
says err 'trainc: warning from the API server: old'
KUBECONFIG=config run 0 version --server -v
says err 'trainc: GET /version: 200, 24 B, '
says err 'trainc: 1 request (1 read, 0 writes, 0 streams), 1 connection, 0 retries, 24 B in, 0 B out'
holds sh -c '! grep -q very-secret "$0"' "$work/.err"
run 3 version --server --kubeconfig config --context dve
says err "trainc: config: context 'dve' does not exist; did you mean 'dev'?"
run 3 version --server --kubeconfig config --context other
says err "names the cluster 'gone', which does not exist"
stop
run 7 version --server --kubeconfig config --retry-timeout 2s -v
says err "trainc: cannot connect to 127.0.0.1:$port: connection refused (gave up after "
says err 'trainc: again in '
# the first contact: what cannot pass is reported at once, what may pass is repeated, and a line says so
for command in 'version --server' list 'status a' 'logs a' 'delete a --yes' 'suspend a' 'wait a'; do
	# shellcheck disable=SC2086
	before=$(date +%s); run 7 $command --kubeconfig config; after=$(date +%s)
	says err "trainc: cannot connect to 127.0.0.1:$port: connection refused"
	holds test $((after - before)) -lt 5
done
sed "s/127.0.0.1:$port/no-such-host.invalid:$port/" config >nowhere
if ! getent hosts no-such-host.invalid >.none && test $? -eq 2; then
	before=$(date +%s); run 7 list --kubeconfig nowhere; after=$(date +%s)
	says err "trainc: cannot connect to no-such-host.invalid:$port: the name 'no-such-host.invalid' "
	holds test $((after - before)) -lt 5
fi
run 7 version --server --kubeconfig config --retry-timeout 3s
says err "trainc: cannot connect to 127.0.0.1:$port: connection refused; trying again for 3.0 s"

# ---- answers ----
serve 'on GET /version 1' 'code 401' 'header Content-Type text/plain' 'body who are you' \
	'on GET /version 1' 'code 403' 'header Content-Type application/json' 'body {"kind":"Status","reason":"Forbidden","message":"no \\u001b[31m"}' \
	'on GET /version 1' 'header Content-Type text/html' 'body <html>Log in' \
	'on GET /version 1' 'header Content-Type application/json' 'body {"gitVersion":' \
	'on GET /version 1' 'header Content-Type application/json' 'body {}' \
	'on GET /version 1' 'code 503' 'header Retry-After 0' 'on GET /version' 'header Content-Type application/json' 'body {"gitVersion":"v1.99.0"}'
run 4 version --server --kubeconfig config
says err "trainc: 127.0.0.1:$port does not accept the credential of context 'dev' of config: 401: who are you"
run 4 version --server --kubeconfig config
says err 'trainc: GET /version: 403 Forbidden: no \x1b[31m'
run 7 version --server --kubeconfig config
says err "trainc: GET /version: not a Kubernetes API server: got text/html from 127.0.0.1:$port"
run 7 version --server --kubeconfig config
says err "trainc: GET /version: the answer is not that of an API server: expected an object, got 14 bytes that are not JSON"
run 7 version --server --kubeconfig config
says err "answers /version without a version"
run 0 version --server --kubeconfig config
stop

# ---- two executables ----
mkdir -p alone/bin alone/libexec/trainc
cp "$TRAINC" alone/bin/trainc
TRAINC=$work/alone/bin/trainc
run 3 version --server
says err "trainc: 'version' needs $work/alone/libexec/trainc/trainc-cluster, which cannot be started: no such file; install both parts of trainc"
run 3 status
says err '--local uses this machine'
run 0 version
run 0 list --local
printf '#!/bin/sh\necho "$@" >"$0.args"\n' >alone/libexec/trainc/trainc-cluster
run 3 version --server
says err 'permission denied'
chmod +x alone/libexec/trainc/trainc-cluster
run 0 version --server --context 'a b'
holds grep -q '^--half=[0-9.]* version --server --context a b$' alone/libexec/trainc/trainc-cluster.args
TRAINC=$(dirname "$root/${BUILD:-build}/trainc")/libexec/trainc/trainc-cluster
run 3 version
says err 'trainc-cluster is a part of trainc and is started by it; run trainc instead'
run 3 --half=0.0.1 version
says err 'trainc: this is trainc 0.0.1, but the installed trainc-cluster is '
says err 'install both parts of one version'

end
