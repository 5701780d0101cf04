#!/bin/sh
# strangers.sh - `status --from` and `why --from` with objects that belong to no job of the program say what they are.
. "$(dirname "$0")/../cli/cli.inc"
cat >job.tj <<'END'
job "e" {
  image = "registry.example.com/test:1"
  role w { cpu = 1, memory = 1Gi }
}
END
cat >other.yaml <<'END'
apiVersion: v1
kind: List
items:
- apiVersion: v1
  kind: Pod
  metadata: { name: x-1 }
  status: { phase: Pending, conditions: [{ type: PodScheduled, status: "False", message: "0/3 nodes are available" }] }
- apiVersion: batch/v1
  kind: Job
  metadata: { name: "y\x1b[2J" }
END
sed 's/name: x-1 }/name: x-1, labels: { trainc.dev\/job: e, trainc.dev\/role: w } }/' other.yaml >ours.yaml
for command in why status; do
	run 8 $command --from other.yaml job.tj; silent out
	says err "no object in 'other.yaml' belongs to job 'e'"; says err "Pod 'x-1': Pending: 0/3 nodes are available"
	says err "-l trainc.dev/job=e"; says err "trainc import other.yaml"
	holds test "$(grep -c "$(printf '\033')" .err)" -eq 0
	run 0 $command --from ours.yaml job.tj; holds test "$(grep -c 'no object in' .err)" -eq 0
done
end
