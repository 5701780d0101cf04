#!/bin/sh
# slurm.sh - the functions of std.slurm in a real bash: nodes, tasks, addresses, exit statuses.
. "$(dirname "$0")/../cli/cli.inc"

cat >job.tj <<'END'
import std.slurm
job "j": slurm.batch { image = "registry.example.com/a:1", command = ["true"]
  role node { cpu = 1, memory = 1Gi } }
END
"$TRAINC" compile -o json job.tj 2>/dev/null | python3 -c '
import json, sys
print(next(o for o in json.load(sys.stdin)["items"] if o["kind"] == "ConfigMap")["data"]["functions.sh"])' >functions.sh
# node TEXT: runs a script on the second of two nodes.
node() {
	SLURM_JOB_NODELIST=a.x,localhost SLURMD_NODENAME=localhost SLURM_NODEID=${at:-1} SLURM_NNODES=2 SLURM_NTASKS=4 SLURM_NTASKS_PER_NODE=2 BASH_ENV=$PWD/functions.sh \
		bash -c "$1" >out 2>err
	status=$?
}
node 'nodes=( $(scontrol show hostnames) ); echo ${#nodes[@]} ${nodes[1]}'
holds test "$(cat out)" = "2 localhost"
node 'srun -N 2 --gpus-per-task=1 --label bash -c '"'"'echo $SLURM_PROCID $SLURM_LOCALID'"'"' | sort'
holds test "$(cat out)" = "2 0
3 1"
node 'srun --nodes=1 --ntasks=1 -w localhost hostname --ip-address'
holds grep -qE '^(127\.0\.0\.1|::1)$' out
node 'srun -w elsewhere touch made'
holds test ! -e made
# -n and -N: how many tasks both nodes start together, and the numbers that they have
steps() {
	made=
	for at in 0 1; do node "srun $1 bash -c 'echo \$SLURM_PROCID/\$SLURM_NTASKS' | sort"; made="$made$at: $(echo $(cat out)); "; done
	at=
	if test "$made" = "$2"; then ok; else fail "srun $1: $made"; fi
}
steps "" "0: 0/4 1/4; 1: 2/4 3/4; "
steps "-N1 -n1" "0: 0/1; 1: ; "
steps "-N 1 -n 1" "0: 0/1; 1: ; "
steps "--nodes=1 --ntasks=1" "0: 0/1; 1: ; "
steps "-n1" "0: 0/1; 1: ; "
steps "-n3" "0: 0/3 1/3; 1: 2/3; "
steps "-n 2 -N 2" "0: 0/2; 1: 1/2; "
steps "-n 2 -N 2-4" "0: 0/2; 1: 1/2; "
steps "-N1" "0: 0/4 1/4; 1: ; "
steps "--ntasks-per-node=1" "0: 0/4; 1: 1/4; "
steps "-w localhost -N1 -n1" "0: 0/1; 1: 0/1; "
steps "-c 4 -n 4" "0: 0/4 1/4; 1: 2/4 3/4; "
# tasks that end at once, again and again: a shell that waits for "the next one" misses some of them
statuses=
for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
	node 'srun -- sh -c "exit 3"'
	statuses="$statuses $status"
done
holds test "$(echo $statuses | tr ' ' '\n' | sort -u)" = 3
# every node draws the same random numbers
node 'echo $RANDOM'; cp out first
node 'echo $RANDOM'
same out first
end
