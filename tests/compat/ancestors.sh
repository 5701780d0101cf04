#!/bin/sh
# ancestors.sh - properties of two compilations of an ancestor's job, and inputs that are not programs.
. "$(dirname "$0")/../cli/cli.inc"

cat >job.tj <<'END'
import std.legacy
job "mnist": legacy.tfjob {
  image = "registry.example.com/mnist:1.0"
  role master {}
  role ps     { replicas = 2 }
}
END
names() { "$TRAINC" compile --target pods -o json "$@" 2>/dev/null | python3 -c '
import json, sys
for o in json.load(sys.stdin)["items"]: print(o["kind"], o["metadata"].get("namespace", "-"), o["metadata"]["name"], o["metadata"]["labels"]["runtime_id"])'; }

# S102: one id in all names and labels (S114), another for another run; S103, S104: a Job and a Service for each index.
names job.tj >first; names job.tj >second
holds cmp -s first second
id=$(awk 'NR == 1 { print $4 }' first)
holds test "${#id}" -eq 4
holds test "$(sort first | tr '\n' ' ')" = "$(for kind in Job Service; do for r in master-$id-0 ps-$id-0 ps-$id-1; do echo "$kind - mnist-$r $id"; done; done | tr '\n' ' ')"
names --run-id 76no job.tj >other
holds test "$(awk '{ print $3, $4 }' other | sort -u | tr '\n' ' ')" = "mnist-master-76no-0 76no mnist-ps-76no-0 76no mnist-ps-76no-1 76no "

# S121: the same name in two namespaces is two jobs.
for namespace in a b; do
	printf 'import std.legacy\njob "cifar": legacy.mxjob("local") {\n  namespace = "%s"\n  image = "registry.example.com/cifar:1.0"\n  role worker {}\n}\n' $namespace >$namespace.tj
done
names a.tj b.tj >both
holds test "$(awk '{ print $1, $2 }' both | tr '\n' ' ')" = "Job a Job b "
holds test "$(awk '{ print $3 }' both | sort -u | wc -l)" -eq 1

# S61: a configuration that does not exist.
run 1 import tf-job-operator-config.yaml; silent out; says err "cannot read 'tf-job-operator-config.yaml': no such file"

# S14: an empty domain counts as none.  S17: the index of a replica must exist.
cat >tf.tj <<'END'
import std.kubeflow
job "tf": kubeflow.tfjob {
  image = "registry.example.com/a:1"
  role worker { replicas = 2 }
}
END
"$TRAINC" env tf.tj >unset
run 0 env --domain "" tf.tj; same unset .out; holds grep -q 'tf-worker-1.default.svc:2222' .out
for index in -1 1x 99999999999999999999; do
	run 2 env --role worker --index=$index tf.tj; silent out; says err "--index"
done
run 2 env --role worker --index=2 tf.tj; silent out; says err "no replica 2 of role 'worker'"

# S36, S46: an environment is complete, or it is absent.
printf 'import std.kubeflow\njob "e": kubeflow.pytorchjob(elastic = { min = 1 }) {\n  image = "registry.example.com/a:1"\n  role master {}\n}\n' >elastic.tj
run 1 env elastic.tj; silent out; says err "'elastic' needs the role 'worker'"

# S189: users do not write the status; in a manifest it comes from the cluster and is ignored.
printf 'import std.single\njob "a": single.task {\n  image  = "registry.example.com/a:1"\n  status = "Succeeded"\n}\n' >status.tj
run 1 check status.tj; says err "a job has no field 'status'"
cat >seen.yaml <<'END'
apiVersion: kubeflow.org/v1
kind: TFJob
metadata: {name: seen, uid: 1-2-3, resourceVersion: "3", generation: 1}
spec:
  tfReplicaSpecs:
    Worker: {replicas: 2, template: {spec: {containers: [{name: tensorflow, image: "registry.example.com/a:1"}]}}}
END
"$TRAINC" import seen.yaml >without.tj
printf 'status:\n  conditions: [{type: Succeeded, status: "True"}]\n' >>seen.yaml
run 0 import seen.yaml; silent err; holds cmp -s .out without.tj

# S191: for a program with an error nothing is written, even for other programs in the same call.
run 1 compile --output-dir objects job.tj status.tj; silent out; holds test ! -e objects
end
