#!/bin/sh
# several.sh - several manifests in one command, several programs of them.
. "$(dirname "$0")/../cli/cli.inc"

# pod NAME [NAMESPACE]
pod() {
	printf -- '---\napiVersion: v1\nkind: Pod\nmetadata: {name: %s%s}\n' "$1" "${2:+, namespace: $2}"
	echo 'spec: {restartPolicy: Never, containers: [{name: main, image: "registry.example.com/a:1"}]}'
}

# two jobs of one name in one namespace would replace each other
{ pod p; pod p; } >same.yaml
run 1 import same.yaml; says err "two jobs are named 'p'"; says err "another name"
run 1 import --output-dir same same.yaml; says err "two jobs are named 'p'"; holds test ! -e same
{ pod p a; pod p b; pod q b; } >other.yaml
run 1 import other.yaml; says err "two jobs are named 'p'"; says err "--output-dir"
run 0 import --output-dir other other.yaml; silent err
holds grep -q 'namespace = "a"' other/p.tj
holds grep -q 'namespace = "b"' other/p-2.tj
holds grep -q 'namespace = "b"' other/q.tj
pod r b | sed 's/name: main/name: "-"/' >>other.yaml
run 1 import --output-dir other other.yaml; says err "other.yaml:"
# a configuration counts wherever it stands
cat >config.yaml <<-'END'
	accelerators:
	  alpha-gpu:
	    volumes: [{name: lib, hostPath: /h, mountPath: /m}]
	    envVars: [{name: A, value: b}]
END
cat >job.yaml <<-'END'
	# About the job.
	apiVersion: tensorflow.org/v1alpha1
	kind: TfJob
	metadata: {name: t}
	spec:
	  replicaSpecs:
	  # About the role.
	  - tfReplicaType: MASTER
	    template:
	      spec:
	        restartPolicy: OnFailure
	        containers: [{name: tensorflow, image: "registry.example.com/a:1", resources: {limits: {alpha-gpu: 1}}}]
END
run 0 import config.yaml job.yaml; silent err; cp .out first; says out "accelerator = alpha_gpu(1)"; says out "# About the job."; says out "# About the role."
run 0 import job.yaml config.yaml; silent err; same first .out
end
