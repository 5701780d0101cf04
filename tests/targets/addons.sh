#!/bin/sh
# addons.sh - versions of add-ons in project.tj: what is emitted, what a version lacks, and pairs that never start a
# job.
. "$(dirname "$0")/../cli/cli.inc"

project() { printf 'project { addons { %s } }\n' "$1" >project.tj; }

cat >queued.tj <<'END'
job "bert" {
  image    = "registry.example.com/nlp/bert:2.1"
  queue    = "research"
  restarts = 1
  role worker { replicas = 2, cpu = 8, memory = 32Gi }
}
END
cat >order.tj <<'END'
job "two" {
  image   = "registry.example.com/nlp/bert:2.1"
  success = done(worker)
  role data { cpu = 8, memory = 32Gi }
  role worker { replicas = 2, cpu = 8, memory = 32Gi, start_after = ready(data) }
}
END
# trainjob FIELD: a user's own object
trainjob() {
	cat >own.tj <<END
job "own" {
  image = "registry.example.com/nlp/bert:2.1"
  role worker { cpu = 8, memory = 32Gi }
  object other {
    apiVersion = "trainer.kubeflow.org/v1alpha1"
    kind       = "TrainJob"
    spec {
      runtimeRef { name = "x" }
      $1
    }
  }
}
END
}

# ---- pairs: Kueue since 0.17 starts only TrainJobs of Trainer 2.2, and before 0.14 it does not know them ----
for kueue in 0.17 0.18 0.19; do
	for trainer in 2.0 2.1; do
		project "kueue = \"$kueue\", trainer = \"$trainer\""
		run 1 check --target trainer queued.tj
		says err "queued.tj:3:14: error: Kueue $kueue never starts a TrainJob of Trainer $trainer: it waits for its entry in spec.runtimePatches"
		says err "[TJ0829]"; says err "project.tj:1:"; says err "help: use Trainer 2.2 or newer, or Kueue 0.16; or the target 'jobset'"
		run 0 check --target jobset queued.tj; silent err
	done
	project "kueue = \"$kueue\", trainer = \"2.2\""; run 0 check --target trainer queued.tj; silent err
	project "kueue = \"$kueue\""; run 0 check --target trainer queued.tj; silent err
done
project 'kueue = "0.16", trainer = "2.1"'; run 0 check --target trainer queued.tj; silent err
project 'kueue = "0.13"'; run 1 check --target trainer queued.tj; says err "it knows no TrainJob before 0.14"
project 'trainer = "2.1"'; run 0 check --target trainer queued.tj; silent err
sed 's/  queue .*//' queued.tj >free.tj
project 'kueue = "0.18", trainer = "2.1"'; run 0 check --target trainer free.tj; silent err
# a user's own object is queued by its label
trainjob 'suspend = true'
sed 's/    kind .*/&\n    metadata { labels { "kueue.x-k8s.io\/queue-name" = "research" } }/' own.tj >labelled.tj
run 1 check labelled.tj; says err "labelled.tj:4:10: error: Kueue 0.18 never starts a TrainJob of Trainer 2.1"
run 0 check own.tj

# ---- fields: a version accepts those that it has ----
for row in podSpecOverrides:2.0 podTemplateOverrides:2.1 runtimePatches:2.2 runtimePatches:2.3; do
	case $row in runtime*) list='[{ manager = "a.io/b" }]' ;; *) list='[{ targetJobs = [{ name = "node" }] }]' ;; esac
	trainjob "${row%:*} = $list"
	for version in 2.0 2.1 2.2 2.3; do
		project "trainer = \"$version\""
		case "$row $version" in
		"${row%:*}:$version $version" | "runtimePatches:2.2 2.3" | "runtimePatches:2.3 2.2") run 0 check own.tj ;;
		*) run 1 check own.tj; says err "Trainer $version has no spec.${row%:*} in a TrainJob"; says err "[TJ0809]" ;;
		esac
	done
done
project 'jobset = "0.7"'
run 1 check --target jobset order.tj
says err "order.tj:5:69: error: JobSet 0.7 has no spec.replicatedJobs.dependsOn in a JobSet: it came with 0.8 [TJ0809]"
says err "help: leave 'start_after' out"
project 'jobset = "0.8"'; run 0 check --target jobset order.tj; silent err

# ---- shapes ----
project 'jobset = "0.7"'; run 0 compile --target jobset queued.tj; says out "restartStrategy: BlockingRecreate"; silent err
project 'jobset = "0.6"'; run 0 compile --target jobset queued.tj; holds sh -c "! grep -q restartStrategy .out"; says out "maxRestarts: 1"
says err "queued.tj:4:14: warning: JobSet 0.6 begins a restart while pods of the last attempt may still run [TJ0810]"

# ---- unknown versions ----
project 'kueue = "v0.18.3"'; run 1 check queued.tj; says err "project.tj:1:28: error: Kueue v0.18.3 is not known to this compiler [TJ0814]"
says err 'help: write "0.18", the major and the minor number'
for wrong in 0.12 0.20 1 0.018 018 0.18. '' x 0.18.x 4294967296.1; do
	project "kueue = \"$wrong\""; run 1 check queued.tj; says err "is not known to this compiler [TJ0814]"
done
says err "help: known versions: 0.13 to 0.19; for a newer one, write the newest known"
project 'jobsett = "0.10"'; run 1 check queued.tj; says err "did you mean 'jobset'?"
project 'jobset = 0.10'; run 1 check queued.tj; says err "'jobset' expects a string"
end
