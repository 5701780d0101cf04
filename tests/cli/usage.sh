#!/bin/sh
# usage.sh - the command line itself: what is refused, with which message and status.
. "$(dirname "$0")/cli.inc"
good good.tj

run 0; says out "trainc COMMAND"; silent err
run 0 help; says out "compile FILE..."
run 0 --help; says out "compile FILE..."
run 0 --help; says out "Programs:"; says out "Tools:"
run 0 compile --help; says out "--output-dir DIR"
run 0 help compile; says out "--output-dir DIR"; silent err
cp .out help.txt
run 0 compile good.tj -h; same .out help.txt
run 2 help compil; says err "did you mean 'compile'?"
run 0 version; says out "trainc "; says out "1.28 to 1.37"
run 0 --version; says out "trainc "

# the vocabulary of other tools
run 2 validate good.tj; says err "trainc: unknown command 'validate'; 'trainc check' reports what is wrong"
run 2 build good.tj; says err "'trainc compile' writes"
for command in status wait logs delete history suspend resume restart scale exec; do
	run 2 $command --local --name x
	says err "trainc: $command has no option '--name'; the run's name is the operand: trainc $command NAME"
done
long=$(printf '%062d' 0 | tr 0 a)
printf 'job "short" { image = "registry.example.com/i:1"\n role worker { command = ["true"] } }\n' >long_name.tj
for command in compile plan 'run --local' 'apply --local'; do
	run 1 $command --name "$long" long_name.tj; says err "shorten --name by "
done
run 2 apply -f good.tj; says err "trainc: apply has no option '-f'; files are operands: 'trainc apply FILE'"
run 2 apply --prune good.tj; says err "trainc: apply has no option '--prune'; apply always deletes what the program no longer has"
run 2 delete --wait a; says err "trainc: delete has no option '--wait'; delete always waits until ever"
run 2 delete --now a; says err "trainc: delete has no option '--now'; replicas in a cluster have the"
run 2 delete --grace-period=0 a; says err "trainc: delete has no option '--grace-period'; replicas in a cluster have the"
run 2 delete --ignore-not-found a; says err "trainc: delete has no option '--ignore-not-found'; leave it out: if the run does not exist, delete reports that"
run 2 delete --force a; says err "trainc: --force is for local runs (--local); in a cluster, replicas have the grace period"
run 2 delete --cascade a; says err "trainc: delete has no option '--cascade'; delete always removes the Jobs"
run 2 logs --all-containers a; says err "trainc: logs has no option '--all-containers'; --all prints all replicas and "
run 2 logs --index 1 a; says err "trainc: logs has no option '--index'; write --rank N, with --role ROLE"
run 2 logs a worker/1; says err "a replica is chosen with --role worker --rank 1"
run 2 logs --prefix a; says err "trainc: logs has no option '--prefix'; each line begins with the name"
run 2 logs --max-log-requests a; says err "trainc: logs has no option '--max-log-requests'; write --max-streams N"
run 2 logs --since-time a; says err "trainc: logs has no option '--since-time'; write --since TIME, which take"
run 2 apply --wait a; says err "trainc: apply has no option '--wait'; apply always waits until the r"
run 2 status -l a; says err "trainc: status has no option '-l'; name the runs: 'trainc status "
run 2 status --selector a; says err "trainc: status has no option '--selector'; name the runs: 'trainc status "
run 2 delete -l a; says err "trainc: delete has no option '-l'; name the runs: 'trainc delete "
run 2 delete --selector a; says err "trainc: delete has no option '--selector'; name the runs: 'trainc delete "
run 2 logs -l a; says err "trainc: logs has no option '-l'; name the run: 'trainc logs RUN"
run 2 logs --selector a; says err "trainc: logs has no option '--selector'; name the run: 'trainc logs RUN"
run 2 compile -f good.tj; says err "trainc: compile has no option '-f'; pass files as plain arguments"
run 2 compile --dry-run good.tj; says err "it touches no cluster"
run 2 check -Werror good.tj; says err "write --deny-warnings"
run 0 -v; says out "trainc "
run 2 compil good.tj; says err "trainc: unknown command 'compil'; did you mean 'compile'?"; silent out
run 2 supervise good.tj; says err "takes no operand"
run 2 compile; says err "needs at least one file"
# the operand that is missing, and only that one
while IFS='|' read -r words wanted; do
	eval "run 2 $words"
	says err "trainc: ${words%% *} needs $wanted: trainc ${words%% *} "
done <<'end'
open|a file or a run
top|a file or a run
scale|a file or a run
exec a|ROLE/N, too
port-forward a|[HOSTPORT:]ROLE/N:PORT, too
cp a|DEST, too
wait|at least one file or at least one run
completion|bash, zsh or fish
end
for word in metrics usage gpu stats; do run 2 $word a; says err "trainc: unknown command '$word'; 'trainc top RUN' shows"; done
for word in ui browse; do run 2 $word a; says err "trainc: unknown command '$word'; 'trainc open RUN' forwards"; done
run 2 env good.tj good.tj; says err "takes one operand"
run 2 compile --profil x good.tj; says err "did you mean '--profile'?"; silent out
run 2 compile good.tj --set; says err "--set needs a value"
run 2 compile good.tj --set nodes; says err "NAME=VALUE"
run 2 compile good.tj --unroll=yes; says err "takes no value"
run 2 compile good.tj -o xml; says err "yaml, json or a file"
run 2 dump good.tj; says err "--tokens"
run 2 env good.tj --index x; says err "--index is the number"
run 2 env good.tj --role worker; says err "worker"
run 2 explain nothing-of-the-kind; says err "no topic named"

run 0 compile good.tj; cp .out good.yaml
run 0 --color=never compile good.tj; same .out good.yaml
run 0 compile --color never good.tj; same .out good.yaml
run 0 compile -- good.tj; same .out good.yaml
run 1 compile -- --color; says err "'--color'"

# Every option in a command's help is accepted or requires its value; none is unknown.
for command in compile check env plan fmt test dump; do
	"$TRAINC" help $command | sed -n 's/^ .*--\([a-z-]*\).*/\1/p' >options.txt
	holds test -s options.txt
	while read -r option; do
		"$TRAINC" $command "--$option" >/dev/null 2>.err </dev/null
		if grep -q 'has no option' .err; then fail "$command --$option is in the help and unknown"; else ok; fi
	done <options.txt
done

# long messages are not cut off
TRAINC_STATE_DIR=$PWD/state run 2 status --local "$(printf 'a%.0s' $(seq 1500))z"; says err "az'"
end
