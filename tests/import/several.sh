#!/bin/sh
# several.sh - several manifests in one command, which become several programs.
. "$(dirname "$0")/../cli/cli.inc"

# pod NAME [NAMESPACE]
pod() {
	printf -- '---\napiVersion: v1\nkind: Pod\nmetadata: {name: %s%s}\n' "$1" "${2:+, namespace: $2}"
	echo 'spec: {restartPolicy: Never, containers: [{name: main, image: "registry.example.com/a:1"}]}'
}

# two jobs of one name in one namespace would replace each other
{ pod p; pod p; } >same.yaml
run 1 import same.yaml; says err "two jobs are named 'p'"; says err "another name"
run 1 import --output-dir same same.yaml; says err "two jobs are named 'p'"; holds test "$(ls same)" = p.tj
# what is refused does not keep the others from being written, and two kinds may share a name
{
	pod good
	printf -- '---\napiVersion: v1\nkind: Pod\nmetadata: {name: bad}\nspec: {containers: []}\n'
	printf -- '---\napiVersion: batch/v1\nkind: Job\nmetadata: {name: good}\nspec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: "a:1"}]}}}\n'
	printf -- '---\napiVersion: v1\nkind: Pod\nmetadata: {name: late}\nspec: {restartPolicy: Never, containers: [{name: c, image: "a:1", env: [{name: A, value: x}, {name: B, value: $(A)y}]}]}\n'
} >mixed.yaml
run 1 import --output-dir mixed mixed.yaml; says err "this pod has no containers"; says err "3 programs are written to 'mixed'"
holds test "$(echo $(ls mixed))" = "good-2.tj good.tj late.tj"
holds grep -qF 'B = "${pod.env("A")}y"' mixed/late.tj
run 1 import mixed.yaml; silent out
{ pod p a; pod p b; pod q b; } >other.yaml
run 1 import other.yaml; says err "two jobs are named 'p'"; says err "--output-dir"
run 0 import --output-dir other other.yaml; silent err
holds grep -q 'namespace = "a"' other/p.tj
holds grep -q 'namespace = "b"' other/p-2.tj
holds grep -q 'namespace = "b"' other/q.tj
# a program that somebody has edited is not overwritten, and then no other program is written either
echo '# mine' >>other/p-2.tj
rm other/q.tj
run 3 import --output-dir other other.yaml; says err "'other/p-2.tj' already exists"; says err "--force replaces it"
holds grep -q '# mine' other/p-2.tj
holds test ! -e other/q.tj
run 0 import --output-dir other --force other.yaml; silent err
holds test -e other/q.tj
holds test "$(grep -c '# mine' other/p-2.tj)" = 0
run 0 import --output-dir other other.yaml; silent err
pod r b | sed 's/name: main/name: "-"/' >>other.yaml
run 1 import --output-dir other other.yaml; says err "other.yaml:"
# a configuration applies wherever it is in the input
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
# more jobs than a program can have: refused when the first excess job is read, with little memory
awk 'BEGIN { for (i = 0; i < 30000; i++) printf "---\napiVersion: v1\nkind: Pod\nmetadata: {name: p%d}\nspec: {restartPolicy: Never, containers: [{name: main, image: \"r.example.com/a:1\"}]}\n", i }' >many.yaml
case $BUILD in *asan*) room=unlimited ;; *) room=262144 ;; esac        # the sanitizer reserves terabytes of addresses
(ulimit -v $room; exec "$TRAINC" import many.yaml >.out 2>.err); holds test $? = 1
holds grep -q 'more than 10000 jobs' .err
end
