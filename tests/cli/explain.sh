#!/bin/sh
# explain.sh - every name of the library, every field, function and code has an answer.
. "$(dirname "$0")/cli.inc"

run 0 explain; says out "a diagnostic"
run 0 explain TJ0502; says out "TJ0502 role-replicas (error)"
run 0 explain role-replicas; says out "TJ0502"
run 0 explain TJ0403; says out '    $ trainc check --set room=64 job.tj'; says out "command line:1:6: error: "
run 0 explain TJ0303 --color=always; says out "$(printf '\033[1mWrong\033[0m')"; says out "$(printf '\033[36mmemory = 64\033[0m')"
run 0 explain TJ0303; says out "take 'memory = 64' for"; holds test "$(tr -cd '\033' <"$work/.out" | wc -c)" -eq 0
run 0 explain tj0815; says out "# allow TJ0815: reason"
run 0 explain replicas; says out "elastic(0..)"
run 0 explain role.memory; says out "memory?"
run 0 explain job.timeout; says out "duration?"
run 2 explain job.timeuot
run 0 explain join; says out "join(xs: list[string], sep: string) -> string"
run 0 explain param; says out "param: declaration"; says out "--set"
run 0 explain profile; says out "profile: declaration"; says out "profile: field of test"
run 0 explain volume; says out "pvc"
run 0 explain gpus; says out "write 'accelerator'"
run 0 explain secret; says out "secret: function"; says out "secret: where a field of that name is looked for"; says out "TOKEN = secret"
holds test "$(grep -c 'not a word' .out)" -eq 0; holds test "$(sed -n 1p .out)" = "secret: function"
run 0 explain pvc; says out "pvc: function"; holds test "$(grep -c 'not a word' .out)" -eq 0
for cause in ImagePullBackOff ErrImagePull CrashLoopBackOff CreateContainerConfigError; do      # causes that status shows
	run 0 explain $cause; says out "'trainc why RUN'"
done
run 0 explain Unschedulable; says out "'trainc fit FILE'"
run 0 explain hostPath; says out "hostPath: not a word of this language"; says out 'host_path("/dir")'
run 0 explain TF_CONFIG; says out "tensorflow.cluster_spec"; says out "every role   TF_CONFIG = json("; says out "TJ0702"
run 0 explain PET_NNODES; says out "pytorch.torchrun"; says out "worker       PET_NNODES = worker.replicas"; says out "locked       PET_*"
run 0 explain OMPI_MCA_btl; says out "mpi.openmpi"; says out "locked       OMPI_"
run 2 explain TF_CONFG; says err "did you mean 'TF_CONFIG'?"
run 2 explain NO_SUCH_VARIABLE
run 0 explain role; says out "Blocks"; says out "sidecar          A container beside the main one."
run 0 explain job; says out "aux              A role beside the cluster"
run 0 explain pod; says out "pod.index"; run 0 explain host; says out "worker.host(0)"; run 0 explain self; says out "self.name"
run 0 explain Pod.spec.hostNetwork; says out "true or false, field of PodSpec"; says out "raw pod { hostNetwork = ... }"
run 0 explain PodSpec.resources; says out "1.32 and later of Kubernetes"
run 0 explain codes; says out "TJ0502"; says out "warning"
run 0 explain Container.ports; says out "The key of an element is containerPort,protocol"; says out "containerPort  whole number, required"
run 0 explain Deployment.spec.replicas; says out "whole number, field of DeploymentSpec, all versions"
run 0 explain StatefulSet.spec.serviceName; says out "string, field of StatefulSetSpec, 1.33 and later"; says out "In 1.28 to 1.32: string, required"
run 0 explain NetworkPolicy.spec.ingress.from; says out "podSelector        LabelSelector"
run 0 explain HorizontalPodAutoscaler; says out "apiVersion autoscaling/v2"; run 0 explain Ingress.spec.rules; says out "http  HTTPIngressRuleValue"
run 0 explain CronJob; says out "apiVersion batch/v1, in a namespace"
run 0 explain Pod.spec.hostNetwrk; says out "did you mean 'hostNetwork'?"
run 2 explain Podd; says err "did you mean 'Pod'?"
run 0 explain worker.replicas; says out "replicas: field of"
run 2 explain worker.replcas
run 0 explain pytorch.env; says out "framework of std.pytorch"; holds test "$(grep -c 'field of' .out)" -eq 0
run 0 explain GiB; says out "GiB is written Gi here."; says out "memory = 64Gi"
run 0 explain hours; says out "h: unit"
run 0 explain compile; says out "compile: command"; says out "trainc compile FILE..."; says out "'man trainc-compile'"
run 2 explain complie; says err "did you mean 'compile'?"
run 0 explain then; says out "then"
run 0 explain none; says out "T?"
run 0 explain Gi; says out "2^30"
run 0 explain job; says out "timeout"
run 2 explain elastc; says err "did you mean 'elastic'?"

run 0 explain mpi.openmpi
says out "## Port of the workers' ssh servers."
says out "launcher     replicas: int(1..1) = 1  # mpirun is started by one launcher."
says out 'files { "/etc/mpi/hostfile" = lines(['
says out '("OMPI_MCA_${k}") = v  (for k, v in mca)'
says out "per_worker   slots ?? max(worker.devices, 1)"
says out "done(launcher)"
run 0 explain mxnet.kvstore; says out "every role   DMLC_ROLE = self.name  (if dist)"
run 0 explain tensorflow.dynamic; says out 'json({ cluster = { worker = {}, ps = [ps.address(pod.index, "grpc")] }, task = {'
run 0 explain pytorch.env; says out "MASTER_ADDR, MASTER_PORT, WORLD_SIZE"
run 0 explain nvidia.h100; says out 'resource     "nvidia.com/gpu"'; says out "memory       80G"
run 0 explain aws.trn2; says out "(if efa)"

# kinds as kubectl spells them, and codes without their letters
run 0 explain pod.spec.containers; says out "Pod.spec.containers: list of Container"
run 0 explain job.spec.template; says out "Job.spec.template: PodTemplateSpec"
run 0 explain deployment; says out "Deployment: kind of Kubernetes"
run 0 explain pod; says out "pod: value"
run 0 explain 502; says out "TJ0502 "
run 0 explain TJ502; says out "TJ0502 "

# several words: pages that contain all of them
run 0 explain restart pods; says out "no page is called 'restart pods'; it is mentioned in"; says out "TJ0817"
run 0 explain "zone of nodes"; says out "TJ0626"
run 2 explain restart zzzz

for module in "$root"/stdlib/std/*.tj; do
	name=$(basename "$module" .tj)
	run 0 explain "$name"
	sed -n 's/^\(framework\|accelerator\|fn\|type\|let\) \([a-z][a-z0-9_]*\).*/\2/p' "$module" >names
	holds test -s names
	while read -r member; do
		says out "$name.$member"
		"$TRAINC" explain "$name.$member" >one 2>&1 || fail "explain $name.$member"
		# what users name in a program is documented
		grep -q "^fn $member" "$module" && continue
		if test "$(sed -n 3p one)" != "" && ! sed -n 3p one | grep -q '^  '; then ok; else fail "$name.$member has no documentation"; fi
	done <names
done

for code in $(sed -n 's/^DIAG(\(TJ[0-9]*\).*/\1/p' "$root/compiler/diag/codes.def"); do
	"$TRAINC" explain "$code" >one 2>&1 && grep -q "^$code " one && ok || fail "explain $code"
done
for word in $(sed -n 's/^\(FIELD\|FUNCTION\)([A-Z_0-9]*, "\([^"]*\)".*/\2/p' "$root/grammar/vocabulary.def" | sort -u); do
	"$TRAINC" explain "$word" >one 2>&1 && ok || fail "explain $word"
done
end
