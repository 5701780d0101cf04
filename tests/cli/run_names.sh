#!/bin/sh
# run_names.sh - --name of compile, plan, env: the name of the run instead of the job's, and a digest in it.
. "$(dirname "$0")/cli.inc"

cat >job.tj <<'END'
job "bert" {
  image = "registry.example.com/bert:1"
  role worker { replicas = 2, command = ["train", "--name", "${cluster.name}"], env { PEER = worker.host(0) } }
}
END
sed 's/"bert"/"other"/' job.tj >other.tj
cat job.tj other.tj >two.tj

run 0 compile --name tuned job.tj
holds test "$(grep -c bert .out)" -eq "$(grep -c 'bert:1' .out)"
says out "name: tuned-worker"; says out "trainc.dev/job: tuned"; says out "tuned-worker-0.tuned"
run 0 env --name tuned --role worker --index 1 -o shell job.tj; says out "tuned-worker-0.tuned"
run 0 plan --name tuned job.tj; says out "tuned"

# a digest: the same for the same objects, another for others, whatever the name around it
name_of() { run 0 compile --name "$1" "$2"; sed -n 's/^ *trainc.dev\/job: "*\([a-z0-9-]*\)"*$/\1/p' .out | sort -u; }
one=$(name_of 'bert-{hash}' job.tj); holds test "$(name_of 'bert-{hash}' job.tj)" = "$one"
case $one in bert-[0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f][0-9a-f]) ok ;; *) fail "the name is '$one'" ;; esac
sed 's/bert:1/bert:2/' job.tj >newer.tj
two=$(name_of 'bert-{hash}' newer.tj)
holds test "$one" != "$two"
holds test "$(name_of 'bert-{hash}-x' job.tj)" != "$one"
echo 'job "bert" { }' >wrong.tj
run 1 compile --name 'bert-{hash}' wrong.tj

# one job of several
run 2 compile --name x two.tj; says err "--name is the name of one run, and these are 2 jobs; choose one with --job"
run 2 compile --name x job.tj other.tj; says err "these are 2 jobs"
run 0 compile --name x --job other two.tj; says out "trainc.dev/job: x"
if grep -q "job: \(bert\|other\)" .out; then fail "another job is left"; else ok; fi

# names that --name refuses
for name in '' X 'a b' a. a/b '../a' 1a a- 'a{m}' 'a{n' 'a}' 'a{n}{n}' '{hash}{hash}' '{}' \
	aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; do
	run 2 compile --name "$name" job.tj; says err "--name '$name': "
done
for command in compile plan env; do
	run 2 $command --name 'a-{n}' job.tj; says err "only 'run' and 'apply' know it"
done
end
