#!/bin/sh
# readme.sh - what README.md shows is what happens.
. "$(dirname "$0")/cli.inc"

# block LANGUAGE: the first fenced block of that language
block() { awk -v fence="\`\`\`$1" '$0 == "```" && on { exit } on { print } $0 == fence { on = 1 }' "$root/README.md"; }

block tj >mnist.tj
block yaml >want.yaml
holds test -s mnist.tj
holds test -s want.yaml
run 0 compile mnist.tj; silent err
same want.yaml .out
block text >want.err
sed -i 's/ replicas/ replcas /' mnist.tj
run 1 check mnist.tj
same want.err .err
# the second program, with its profile
awk '$0 == "```tj" { n++ } n == 2 && $0 == "```" { exit } n == 2 && !/^```/' "$root/README.md" >llama.tj
holds test -s llama.tj
run 0 check llama.tj; silent err
run 0 check --profile prod llama.tj; silent err
TRAINC_STATE_DIR=$work/state
export TRAINC_STATE_DIR
for directory in "$root"/examples/*/; do
	name=$(basename "$directory")
	sed -n 's/^    \(trainc .*[^ ]\)  *#.*/\1/p; s/^    \(trainc [^#]*\)$/\1/p' "$directory/README.md" >commands
	holds test -s commands
	while read -r line; do          # by the shell, as a reader would type it
		if (cd "$directory" && trainc() { "$TRAINC" "$@"; } && eval "$line" >/dev/null 2>&1); then ok; else fail "$name: $line"; fi
	done <commands
done
end
