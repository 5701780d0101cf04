#!/bin/sh
# policies.sh - mistakes in policies and in the file that names them: each gives one message, with what to write.
. "$(dirname "$0")/cli.inc"
good good.tj

# policy TEXT HELP: the policy is refused with one message and that help.
policy() {
	echo "$1" >policy.tj
	run 1 check good.tj
	says err "$2"
	holds test "$(grep -c 'error' .err)" = 1
}

echo 'project { policies = ["policy.tj"] }' >project.tj
policy 'policy "p" { for r in roles { check r.devices < 9 else "x" } }' "help: write 'cluster.roles'"
policy 'policy "p" { check namespace == "team" else "x" }' "help: write 'cluster.namespace'"
policy 'policy "p" { check worker.replicas < 4 else "x" }' "'for role in cluster.roles { ... }'"
policy 'policy "p" { check job.replicas < 4 else "x" }' "'for role in cluster.roles { check role.replicas ... }'"
policy 'policy "p" { check cluster.replicas < 4 else "x" }' "'for role in cluster.roles { check role.replicas ... }'"
policy 'policy "p" { check len(job.containers) < 4 else "x" }' "write 'cluster.containers'"
policy 'policy "p" { check job.framework == "x" else "x" }' "the job that is being built is 'cluster'"
policy 'policy "p" { check len(cluster.roles) < 4, "many" }' "help: write 'else \"many\"'"
policy 'policy "p" { assert len(cluster.roles) < 4 else "many" }' "help: write 'check len(cluster.roles) < 4 else \"many\"'"
policy 'policy "p" { deny cluster.name == "a" }' "help: write 'check not (cluster.name == \"a\") else \"message\"'"
policy 'policy "p" { fail("never") }' "'check CONDITION else \"never\"'"
policy 'policy "p" { if len(cluster.roles) > 3 { fail("too many") } }' "help: write 'check false else \"too many\"'"
echo 'policy "p" { if len(cluster.roles) > 3 { check false else "too many" } }' >policy.tj; run 0 check good.tj

echo 'project { policies = ["polic.tj"] }' >project.tj
run 1 check good.tj; says err "no policy file 'polic.tj'"; says err "did you mean 'policy.tj'?"
echo 'project { policy = "policy.tj" }' >project.tj
run 1 check good.tj; says err "policies = [\"policy.tj\"]"
echo 'project { packages { team = "git@example.com:team/lib.git" } }' >project.tj
run 1 check good.tj; says err "copy it there, or make it a git submodule"
echo 'project { name }' >project.tj
run 1 check good.tj; says err "'name' has no value"; says err "as in 'name = ...'"
holds test "$(grep -c 'error' .err)" = 1
end
