#!/bin/sh
# init.sh - a first program for every framework of the library compiles without messages, and nothing is overwritten.
. "$(dirname "$0")/cli.inc"

# first ARGUMENT...: runs init in a new directory, which then contains only job.tj
first() {
	rm -rf new && mkdir new && cd new || exit 1
	run 0 init "$@"; silent err; says out "wrote job.tj, a program"; says out "trainc check job.tj"
	holds test "$(ls -A)" = job.tj
	for command in check compile env plan "fmt --check"; do
		"$TRAINC" $command job.tj >.one 2>.two || fail "init $*: $command: $(cat .two)"
		if test -s .two; then fail "init $*: $command says: $(cat .two)"; else ok; fi
	done
	cd "$work" || exit 1
}

first
holds grep -q '^# ' new/job.tj
# it runs as it is, here and, with an image that everybody can pull, on a cluster
(cd new && "$TRAINC" run --local job.tj >out 2>err) && grep -q 'hello from hello-main-0' new/out && ok || fail "the first program does not run: $(cat new/out new/err)"
rm -f new/out new/err
holds grep -q 'image *= "busybox:1' new/job.tj
holds test "$(stat -c %a new/job.tj)" = "$(printf %o $((0666 & ~0$(umask))))"

for module in "$root"/stdlib/std/*.tj; do
	name=$(basename "$module" .tj)
	for framework in $(sed -n 's/^framework \([a-z][a-z0-9_]*\).*/\1/p' "$module"); do
		first --framework "$name.$framework"
		holds grep -q "^import std.$name$" new/job.tj
		holds grep -Eq "^(job \"[a-z]*\"|  cell [a-z]*): $name\.$framework[( ]" new/job.tj
		# it runs here if init says so: nothing of it comes from an image alone
		if grep -q 'run --local' new/job.tj; then
			"$TRAINC" run --local --dry-run new/job.tj >.one 2>.two
			if grep -q 'no image that would provide' .two; then fail "init $name.$framework: $(cat .two)"; else ok; fi
		else
			holds grep -q 'cannot run on this machine' new/job.tj
		fi
		# every setting has its explanation, once
		holds test "$(grep -c '^  *# Container image' new/job.tj)" -eq 1
	done
done
# sizes that change are proposed where the framework has them
first --framework pytorch.torchrun; holds test -z "$(grep '1:8' new/job.tj)"
first --framework pytorch.elastic; holds grep -q '1:8' new/job.tj
first --framework single; cp new/job.tj one.tj
first --framework std.single; same new/job.tj one.tj
first --framework=std.single.task; same new/job.tj one.tj
first --framework openmpi; holds grep -q '^import std.mpi$' new/job.tj

# existing files stay unchanged
for kind in file directory link; do
	rm -rf new; mkdir new; cd new || exit 1
	case $kind in
	file) echo mine >job.tj ;;
	directory) mkdir job.tj ;;
	link) ln -s nowhere job.tj ;;
	esac
	run 3 init; says err "trainc: cannot write 'job.tj': it already exists"; silent out
	holds test "$(ls -A)" = job.tj
	case $kind in
	file) holds test "$(cat job.tj)" = mine ;;
	link) holds test -L job.tj ;;
	esac
	cd "$work" || exit 1
done
if test "$(id -u)" -ne 0; then
	rm -rf new; mkdir new; chmod a-w new; cd new || exit 1
	run 3 init; says err "permission denied"
	cd "$work" || exit 1
else
	skip "root may write everywhere"
fi

rm -f job.tj
run 2 init --framework torchrun; says err "'torchrun' may be deepspeed.torchrun, pytorch.torchrun; write one of them"
run 2 init --framework pytroch.torchrun; says err "did you mean 'pytorch.torchrun'?"
run 2 init --framework nothing; says err "unknown framework 'nothing'; 'trainc explain' lists"
run 2 init --framework; says err "--framework needs a value"
run 2 init job.tj; says err "init takes no operands, found 'job.tj': it writes job.tj"
run 2 init pytorch.torchrun; says err "trainc init --framework pytorch.torchrun"
holds test ! -e job.tj
end
