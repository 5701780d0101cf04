#!/bin/sh
# readme.sh - README.md and docs/index.md show what really happens.
. "$(dirname "$0")/cli.inc"

# block FILE LANGUAGE [N]: the N-th fenced block of that language
block() { awk -v fence="\`\`\`$2" -v n="${3:-1}" '$0 == "```" && on { exit } on { print } $0 == fence { on = ++seen == n }' "$root/$1"; }

holds test "$(wc -l <"$root/README.md")" -le 150
# the program; the lines of its objects that are shown occur in the objects, in this order
block README.md tj >mnist.tj
block README.md yaml >want.yaml
holds test -s mnist.tj
holds test -s want.yaml
run 0 compile mnist.tj; silent err
first=$(grep -nxF -- "$(head -n 1 want.yaml)" .out | head -n 1 | cut -d: -f1)
sed -n "$first,$((first + $(wc -l <want.yaml) - 1))p" .out >shown.yaml
same want.yaml shown.yaml
# the numbers of lines that the README compares are those of the files
set -- $(sed -n 's/^One number: .*(\(examples[^)]*\)) has \([0-9]*\) lines.* have \([0-9]*\)\.$/\1 \2 \3/p' "$root/README.md")
holds test $# = 3
holds test "$(cat "$root/$1"/*.tj | wc -l)" = "$2"
holds test "$(cat "$root/$1"/*.yaml | wc -l)" = "$3"
# every file that they name exists
for page in README.md docs/index.md docs/install.md docs/python.md docs/tutorial.md; do
	grep -o '](\([^)#:]*\))' "$root/$page" | sed 's/^](//; s/)$//' | sort -u | while read -r name; do
		test -e "$root/$(dirname "$page")/$name" || echo "$name"
	done >missing
	holds test ! -s missing
done
# the second program, with its profile
block docs/index.md tj >llama.tj
holds test -s llama.tj
run 0 check llama.tj; says err "[TJ0817]"
run 0 check --profile prod llama.tj; says err "[TJ0817]"
# the manifest, and the program that it is converted to
block docs/index.md yaml >vit.yaml
block docs/index.md tj 2 >want.tj
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
	while read -r line; do          # with the shell, as a reader would type it
		if (cd "$directory" && trainc() { "$TRAINC" "$@"; } && eval "$line" >/dev/null 2>&1); then ok; else fail "$name: $line"; fi
	done <commands
done
end
