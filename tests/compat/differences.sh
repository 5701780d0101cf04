#!/bin/sh
# differences.sh - the differences that docs/differences.md lists are the ones that occur.
. "$(dirname "$0")/../cli/cli.inc"

page=$root/docs/differences.md
# row TEXT: a row of the page contains it.
row() { if grep '^|' "$page" | grep -qF -- "$1"; then ok; else fail "docs/differences.md has no row with: $1"; fi; }
# count N TEXT: the objects have the line N times.
count() { if test "$(grep -cxF -- "$2" "$work/.out")" -eq "$1"; then ok; else fail "not $1 times: $2"; fi; }
# compiled: m.yaml, imported and compiled for the target that writes the operator's objects
compiled() {
	run 0 import m.yaml
	cp "$work/.out" m.tj
	run 0 compile --target pods m.tj
}

cat >m.yaml <<-'END'
	apiVersion: kubeflow.org/v1
	kind: TFJob
	metadata: {name: t}
	spec:
	  tfReplicaSpecs:
	    Worker:
	      replicas: 2
	      template:
	        spec:
	          volumes: [{name: v1, configMap: {name: settings}}, {name: v2, emptyDir: {}}]
	          containers:
	          - name: tensorflow
	            image: registry.example.com/a:1
	            ports: [{name: beat, containerPort: 7778, protocol: UDP}, {name: host, containerPort: 7779, hostPort: 17779}]
	            volumeMounts: [{name: v2, mountPath: /tmp/x}, {name: v1, mountPath: /etc/settings}]
END
compiled
row 'so `REDIS_SERVICE_HOST` and the like are not set'; count 2 '  enableServiceLinks: false'
row '| `terminationMessagePolicy` | `File` | `FallbackToLogsOnError` |'; count 2 '    terminationMessagePolicy: FallbackToLogsOnError'
row 'no UDP ports and none with a `hostPort`, which stay raw'
count 0 '    port: 7778'; count 0 '    port: 7779'; count 2 '      containerPort: 7778'; count 2 '      hostPort: 17779'
row 'volumes named after their contents; raw entries come last'; count 0 '  - name: v1'; count 2 '  - name: v2'

# the script of init-pytorch prints nothing while it waits
cat >m.yaml <<-'END'
	apiVersion: kubeflow.org/v1
	kind: PyTorchJob
	metadata: {name: p}
	spec:
	  pytorchReplicaSpecs:
	    Master: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: "registry.example.com/a:1"}]}}}
	    Worker: {replicas: 1, template: {spec: {containers: [{name: pytorch, image: "registry.example.com/a:1"}]}}}
END
compiled
row '| the script of `init-pytorch` |'; says out '- name: init-pytorch'; holds test "$(grep -c 'waiting for master' "$work/.out")" -eq 0

# a role without replicas, and a job without roles
sed 's/Worker: {replicas: 1/Worker: {replicas: 0/' m.yaml >none.yaml
row '| a role with `replicas: 0` in a manifest |'; run 1 import none.yaml; says err "'Worker' needs at least one replica"; says err 'leave the role out'
printf 'apiVersion: kubeflow.org/v1\nkind: PyTorchJob\nmetadata: {name: p}\nspec:\n  pytorchReplicaSpecs: {}\n' >none.yaml
row '| a job without roles |'; run 1 import none.yaml; says err "this one has neither [TJ0508]"
row "the service account of an MPIJob's launcher"
end
