#!/bin/sh
# demo.sh - the demo of `make demo`: a program, its objects on a cluster, the message about a mistake, and a model that
# is trained on this machine.  Needs python3 for the last part.
cd "$(dirname "$0")/.." || exit 1
trainc=$PWD/${BUILD:-build}/trainc
example=examples/01-torch-data-parallel
training=examples/14-ring-regression
state=$(mktemp -d) || exit 1
trap 'rm -rf "$state"' EXIT

say() { printf '\n\033[1m%s\033[0m\n\n' "$*"; }
test -t 1 || say() { printf '\n%s\n\n' "$*"; }

say "$example/mnist.tj"
cat $example/mnist.tj
say "trainc plan mnist.tj"
"$trainc" plan $example/mnist.tj || exit 1
say "trainc env mnist.tj --role worker --index 3"
"$trainc" env $example/mnist.tj --role worker --index 3 || exit 1
say "trainc compile mnist.tj | head -n 40"
"$trainc" compile $example/mnist.tj >"$state/objects" || exit 1
head -n 40 "$state/objects"
echo "... and $(($(wc -l <"$state/objects") - 40)) more lines"
say "a mistake: sed s/replicas/replcas/ mnist.tj | trainc check -"
sed s/replicas/replcas/ $example/mnist.tj | "$trainc" check - 2>&1
say "$training/regression.tj: four processes of this machine train a model"
cat $training/regression.tj
say "trainc run --local regression.tj"
(cd $training && TRAINC_STATE_DIR=$state "$trainc" run --local regression.tj) || exit 1
say "$trainc is ready; 'trainc help' and 'trainc explain' say more, examples/ has more programs."
