#!/bin/sh
# directories.sh - operands that are directories or patterns; misspelled files, commands, frameworks and topics.
. "$(dirname "$0")/cli.inc"

job() { printf 'job "%s" { image = "r.example.com/a:1"\n  role w { } }\n' "$1"; }
mkdir -p jobs/deep empty
job one >jobs/one.tj
job two >jobs/two.tj
job deep >jobs/deep/deep.tj
job hidden >jobs/.hidden.tj
echo 'project { kubernetes = "1.33" }' >jobs/project.tj
job three >three.tj

run 0 compile jobs; says out "name: one"; says out "name: two"; holds test "$(grep -c "name: deep" .out)" -eq 0; holds test "$(grep -c "name: hidden" .out)" -eq 0
run 0 compile jobs/deep three.tj jobs; says out "name: deep"; says out "name: three"; says out "name: two"
run 0 compile 'jobs/t*.tj'; says out "name: two"; holds test "$(grep -c "name: one" .out)" -eq 0
run 0 compile 'jobs/?ne.tj'; says out "name: one"; holds test "$(grep -c "name: two" .out)" -eq 0
run 0 check jobs .
run 1 check empty; says err "'empty' is a directory without programs: their names end with .tj"
run 1 check 'jobs/x*.tj'; says err "'jobs/x*.tj' cannot be read: no such file"
job star >'s*r.tj'; job other >sr.tj
run 0 compile 's*r.tj'; says out "name: star"; holds test "$(grep -c "name: other" .out)" -eq 0
run 1 fmt --check jobs; says out "jobs/one.tj"; says out "jobs/two.tj"
run 0 fmt jobs; run 0 fmt --check jobs
run 2 plan jobs three.tj; says err "plan takes one operand"
ln -s jobs linked; run 0 compile linked; says out "name: one"

# one name in two files: both are named; in two namespaces it is allowed
mkdir twice; job same >twice/a.tj; job same >twice/b.tj
run 1 check twice; says err "twice/b.tj:1:5: error: 'twice/a.tj' has a job 'same', too [TJ0812]"; holds test "$(grep -c 'error:' .err)" -eq 1
run 1 check three.tj three.tj; says err "'three.tj' is given twice, so its job 'three' exists twice [TJ0812]"
sed -i '1s/{/{\n  namespace = "other"\n /' twice/b.tj
run 0 check twice; silent err

run 1 compile thre.tj; says err "did you mean 'three.tj'?"
run 1 compile jobs/tow.tj; says err "did you mean 'two.tj'?"
run 1 compile three; says err "did you mean 'three.tj'?"
run 1 compile jobs/two; says err "did you mean 'jobs/two.tj'?"
run 1 compile nothing-like-it.tj; holds test "$(grep -c "did you mean" .err)" -eq 0
run 2 get; says err "'trainc list' lists runs"
run 2 help zzzzzz; says err "'trainc help' lists the commands"; holds test "$(grep -c "compile check" .err)" -eq 0
run 2 init --framework torch; says err "pytorch.torchrun, pytorch.elastic, pytorch.env"
run 0 version -o json; says out '"kubernetes":{"oldest":"1.28"'
python3 -c 'import json, sys; json.load(open(sys.argv[1]))' .out && ok || fail "version -o json is not JSON"

run 0 explain pod.index; says out "pod: value"
run 0 explain matrix; says out "trainc explain sweep"
run 0 explain rlhf; says out "other_roles = true"
run 0 explain contains; says out "find(text, part)"
run 0 explain "bus error"; says out "TJ0617"
run 0 explain rendezvous; says out "TJ0520"
run 2 explain xyzzyquux; says err "no topic named"
run 0 explain pvc; holds test "$(grep -c "no field of that name" .out)" -eq 0

end
