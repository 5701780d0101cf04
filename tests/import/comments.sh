#!/bin/sh
# comments.sh - comments at the ends of lines of a manifest are carried into the program; licenses are at the top.
. "$(dirname "$0")/../cli/cli.inc"
if ! python3 -c 'import yaml' 2>/dev/null; then
	skip "no module yaml"
	end
fi
export PYTHONDONTWRITEBYTECODE=1
holds python3 "$root/tests/import/comments.py" "$TRAINC" "$root"/tests/import/cases/*.yaml

# a license is at the beginning of the file, whatever the manifest's first line is
job='apiVersion: batch/v1
kind: Job
metadata: {name: j}
spec: {template: {spec: {restartPolicy: Never, containers: [{name: c, image: "registry.example.com/a:1"}]}}}'
for before in '' '
' '---
' '---

'; do
	printf '%s# Copyright 2026 The Authors.\n# What they permit.\n%s\n' "$before" "$job" >m.yaml
	run 0 import m.yaml
	holds test "$(head -n 2 .out)" = "$(printf '# Copyright 2026 The Authors.\n# What they permit.')"
done

# after a value, in a list, in the arguments of the framework: each line keeps its own comment
cat >m.yaml <<-'END'
	apiVersion: kubeflow.org/v2beta1
	kind: MPIJob
	metadata: {name: m}
	spec:
	  slotsPerWorker: 2  # one for each device
	  runPolicy: {backoffLimit: 0}
	  mpiReplicaSpecs:
	    # it starts the others
	    Launcher:
	      template:
	        spec:
	          containers:
	          - name: mpi
	            image: registry.example.com/m:1  # of the cluster
	            command:
	            - mpirun
	            # as many as slots
	            - -np
	            - "4"  # two times two
	    Worker:
	      replicas: 2
	      template:
	        spec:
	          nodeSelector:
	            # the fast ones
	            pool: big
	          containers: [{name: mpi, image: "registry.example.com/m:1"}]
END
run 0 import m.yaml
cat >want <<-'END'
	import std.mpi

	job "m": mpi.operator(
	  slots = 2,  # one for each device
	) {
	  image = "registry.example.com/m:1"  # of the cluster

	  # it starts the others
	  role launcher {
	    container = "mpi"
	    command   = [
	      "mpirun",
	      # as many as slots
	      "-np",
	      "4",  # two times two
	    ]
	  }

	  role worker {
	    container = "mpi"
	    replicas  = 2
	    node {
	      # the fast ones
	      pool = "big"
	    }
	  }
	}
END
same .out want
end
