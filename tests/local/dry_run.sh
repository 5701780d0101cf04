#!/bin/sh
# dry_run.sh - a dry run shows what would be started, starts and writes nothing, and refuses what a run would refuse.
. "$(dirname "$0")/local.inc"
clean_up_runs

program plan <<'END'
  role server { command = ["sh", "-c", "echo 'up'; exec sleep 60"], ports { http = 8080 } }
  role worker {
    replicas = 2
    start_after = ready(server)
    command = ["sleep", "60"]
    env { AT = server.address(0, "http"), A = "b c" }
    sidecar side { command = ["sh", "-c", "sleep 1"] }
  }
END
run 0 run --local --dry-run -e X=1 plan.tj
says out "run/plan: 3 replicas, --isolate none, in $TRAINC_STATE_DIR/runs/plan"
says out "  command    sh -c 'echo '\\''up'\\''; exec sleep 60'"
holds grep -qx "  directory  $work" .out
port=$(sed -n 's/^  ports      http=//p' .out)
holds grep -qx "  program's  AT=127.0.0.1:$port" .out
says out "             A='b c'"
says out "worker/1.side (sidecar)"
says out "  --env      X=1"
says out "the pod's  HOSTNAME=plan-worker-1"
says out "  log        $TRAINC_STATE_DIR/runs/plan/logs/worker-1.log"
says err "images are not used"
holds test ! -e "$TRAINC_STATE_DIR/runs/plan"
nothing_left plan
# the same with apply, and as JSON; it lists every variable of a run, and no other
run 0 apply --local --dry-run=client plan.tj; says out "run/plan: 3 replicas"
run 0 run --local --dry-run -o json plan.tj
json '[(r["role"], r["rank"], len(r["containers"])) for r in d["runs"][0]["replicas"]]' "[('server', 0, 1), ('worker', 0, 2), ('worker', 1, 2)]"
json 'sorted(v["name"] for v in d["runs"][0]["replicas"][0]["containers"][0]["env"] if v["from"] == "pod")' "['HOSTNAME', 'JOB_COMPLETION_INDEX']"
json 'type(d["runs"][0]["replicas"][0]["ports"]["http"]).__name__' int
program env <<'END'
  role a { command = ["env"], env { ONE = "1" } }
END
run 0 run --local --no-prefix env.tj; sed 's/=.*//' .out | sort >there
run 0 run --local --dry-run -o json env.tj
python3 -c 'import json; [print(v["name"]) for v in json.load(open(".out"))["runs"][0]["replicas"][0]["containers"][0]["env"]]' | sort >said
same said there

# fields that only matter in a cluster are ignored, and a line says so once
program placed <<'END'
  place = near("host")
  role a { replicas = 2, command = ["true"] }
  role b { command = ["true"] }
END
run 0 run --local --dry-run placed.tj
holds test "$(grep -c "'place' does nothing here: all replicas run on this machine" .err)" = 1

# ---- addresses of the cluster, files, mounts ----
mkdir data
program files <<'END'
  role a { command = ["cat", "/etc/conf/a"], mounts { "/data" = pvc("data") }, files { "/etc/conf/a" = "text" }, ports { http = 80 } }
END
run 0 run --local --dry-run --isolate replica --mount data="$work/data" files.tj
says out "/data is $work/data"; says out "/etc/conf/a is "
says out "http=80"
holds test ! -e "$TRAINC_STATE_DIR/runs/files"

# ---- secret values do not appear ----
program secret <<'END'
  role a { command = ["true"], env { TOKEN = secret("s", "k") } }
END
TOKEN=hidden run 0 run --local --dry-run secret.tj; holds grep -qx "  secrets    TOKEN" .out
TOKEN=hidden run 0 run --local --dry-run -o json secret.tj
if grep -q hidden .out; then fail "the secret appears"; else ok; fi

# ---- what would be refused ----
run 8 run --local --dry-run secret.tj; says err "set TOKEN in your environment"
run 8 run --local --dry-run files.tj; says err "give it one: --mount data=DIR"
run 0 apply --local plan.tj
run 5 run --local --dry-run plan.tj; says err "run 'plan' exists and has not ended"; says out "run/plan: 3 replicas"
run 0 status --local plan; says out "Running"
run 0 delete --local --yes plan
run 2 run --dry-run plan.tj; says err "run --dry-run is for local runs"
run 2 apply --local --dry-run=server plan.tj; says err "local runs have none"
end
