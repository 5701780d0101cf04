#!/bin/sh
# account.sh - the launcher of an MPIJob has the permissions that it needs: its account and the namespace of its
# permissions are those of its pod.
. "$(dirname "$0")/../cli/cli.inc"

# manifest METADATA POD: an MPIJob with these in its metadata and in the launcher's pod
manifest() {
	cat >m.yaml <<-END
		apiVersion: kubeflow.org/v1
		kind: MPIJob
		metadata: {name: m$1}
		spec:
		  mpiReplicaSpecs:
		    Launcher: {replicas: 1, template: {spec: {${2}containers: [{name: mpi, image: "r.example.com/m:1", command: [mpirun]}]}}}
		    Worker: {replicas: 1, template: {spec: {containers: [{name: mpi, image: "r.example.com/m:1"}]}}}
	END
}
# objects VERSION: the objects of that version's operator for m.yaml, in .out
objects() {
	run 0 import --operator "$1" m.yaml; cp .out m.tj
	run 0 compile --target pods m.tj
}
# subject: the name of the account that the RoleBinding names
subject() { sed -n '/^subjects:/,/^roleRef:/s/^  name: //p' .out; }

manifest ', namespace: team' 'serviceAccountName: mine, '
objects 1.9; holds test "$(subject)" = mine; says out '  serviceAccountName: mine'
objects 1.7; holds test "$(subject)" = m-launcher; says out '  serviceAccountName: m-launcher'

# an object whose fields name a namespace is in that namespace itself
manifest '' ''
objects 1.9
holds test "$(sed -n '/^subjects:/,/^roleRef:/s/^  namespace: //p' .out)" = default
holds test "$(grep -c '^  namespace: default$' .out)" -eq $(($(grep -c '^kind: ' .out) + 1))
end
