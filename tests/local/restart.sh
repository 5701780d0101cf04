#!/bin/sh
# restart.sh - one replica is restarted, and the others continue.
. "$(dirname "$0")/local.inc"
clean_up_runs

program st <<'END'
  role a { replicas = 2, command = ["sh", "-c", "echo up; exec sleep 600"], grace = 1s }
END
run 0 apply --local st.tj
pid() { value st "r('a')[$1]['process'][0]"; }
first=$(pid 0) other=$(pid 1)
run 0 restart --local st a/0; holds test "$(cat .out)" = "run/st restarts a/0"
again() { test "$(pid 0)" -gt 0 && test "$(pid 0)" != "$first"; }
before 5 again
holds test "$(pid 1)" = "$other"
is st 's["phase"], r("a")[0]["attempts"]' "('Running', 2)"
run 6 restart --local st a/7; says err "role 'a' has replicas 0 to 1, not 7"
run 6 restart --local st b/0; says err "no role 'b'; the roles are 'a'"
run 2 restart --local st a; says err "restart needs ROLE/N, such as worker/3, found 'a'"
run 2 restart st a/0; says err "restart works on local runs"
run 0 delete --local --yes st
end
