#!/bin/sh
# cells.sh - cells in local runs: every copy has its own processes, hosts and environment, and a copy that fails fails the run.
. "$(dirname "$0")/local.inc"

program cells <<'END'
  cell trial {
    copies = 3
    role lead { command = ["sh", "-c", "echo $N of $ALL, rank $RANK, at $HOSTNAME; touch lead.$N"], env { N = pod.copy, ALL = trial.copies, RANK = pod.rank } }
    role rest { replicas = 2, command = ["sh", "-c", "test -e lead.$N && echo rank $RANK after $LEAD"], env { N = pod.copy, RANK = pod.rank, LEAD = lead.host(0) }, start_after = done(lead) }
  }
  cell server {
    success = none
    restarts = 0
    role serve { command = ["sh", "-c", "echo up; exec sleep 60"], grace = 1s }
  }
  role report { command = ["sh", "-c", "test -e lead.0 && test -e lead.1 && test -e lead.2 && echo all of them"], start_after = done(trial) and started(server) }
END
local_run 0 cells
shows cells trial-lead-1-0 '1 of 3, rank 0, at cells-trial-lead-1-0'
shows cells trial-rest-2-1 'rank 2 after .*'
shows cells report-0 'all of them'
is cells 's["phase"], s["cause"]' "('Succeeded', 'done(report) and done(trial)')"

program one-fails <<'END'
  cell trial {
    copies = 3
    role w { command = ["sh", "-c", "test $N != 1 || exit 3; exec sleep 60"], env { N = pod.copy }, grace = 1s }
  }
END
local_run 8 one-fails
is one-fails 's["phase"], s["failure"]["role"], s["failure"]["exit_code"]' "('Failed', 'trial-w-1', 3)"

program least <<'END'
  cell trial {
    copies = 3
    role w { command = ["sh", "-c", "echo $N; test $N = 2 && exec sleep 60 || true"], env { N = pod.copy }, grace = 1s }
  }
  success = done(trial, least = 2)
END
local_run 0 least
is least 's["cause"]' "done(trial, least = 2)"
run 0 env --role trial/2/w least.tj
holds grep -q '^  N  2$' "$work/.out"
end
