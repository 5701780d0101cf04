#!/bin/sh
# identity.sh - what makes two programs the same run, and runs that an earlier version started. tests/shape/member.sh
# shows that a new member of the plan is in the identity.
. "$(dirname "$0")/local.inc"
clean_up_runs

program same <<'END'
  role a { command = ["sleep", "600"], grace = 1s }
END
run 0 apply --local same.tj
digest=$(value same 's["digest"]')
case $digest in 2:*) ok ;; *) fail "the digest is '$digest'" ;; esac
# programs that only look different are the same run; programs that run differently are not
printf '# a comment\n\n' | cat - same.tj >commented.tj
run 0 apply --local commented.tj; says out "run/same unchanged"
for change in 's/600/601/' 's/grace = 1s/grace = 2s/' 's/role a {/role a { memory = 1Gi,/' 's/role a {/role a { env { X = 1 },/' 's/job "same" {/job "same" { timeout = 3h/'; do
	sed "$change" same.tj >changed.tj
	run 5 apply --local changed.tj; says err "started from another program"
done
run 5 apply --local --inherit-env same.tj; says err "with other options"
run 5 apply --local --isolate=none --image-root . same.tj
# a run that an earlier version started does not identify its program
sed -i "s/\"digest\":\"2:[0-9a-f]*\"/\"digest\":\"0123456789abcdef\"/" state/runs/same/state
run 0 apply --local same.tj; says err "was started by an earlier version of trainc"; says out "run/same unchanged"
run 0 delete --local --yes same
end
