#!/bin/sh
# readme.sh - what README.md shows is what happens.
. "$(dirname "$0")/cli.inc"

# block LANGUAGE [N]: the N-th fenced block of that language
block() { awk -v fence="\`\`\`$1" -v n="${2:-1}" '$0 == "```" && on { exit } on { print } $0 == fence { on = ++seen == n }' "$root/README.md"; }

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
block tj 2 >llama.tj
holds test -s llama.tj
run 0 check llama.tj; silent err
run 0 check --profile prod llama.tj; silent err
# the manifest, and what becomes of it
block yaml 2 >vit.yaml
block tj 3 >want.tj
holds test -s vit.yaml
run 0 import vit.yaml; silent err
same want.tj .out
for target in jobs pods kubeflow; do run 0 compile --target "$target" want.tj; done
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
