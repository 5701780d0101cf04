#!/bin/sh
# skill.sh - the page for agents: its program compiles, it names every framework, accelerator, command and field of a role, and
# it fits into a small part of what an agent can read.
. "$(dirname "$0")/cli.inc"
run 0 skill
cp .out page
holds test "$(wc -c <page)" -le 14000
holds test "$(sed -n 1p page)" = ---
sed -n '/^```tj$/,/^```$/p' page | sed '/^```/d' >program.tj
holds test -s program.tj
run 0 check program.tj
holds test ! -s .out -a ! -s .err
run 0 env --role worker --index 3 program.tj
for module in $(cd "$root/stdlib/std" && ls -- *.tj | sed 's/\.tj$//'); do
	for name in $(sed -n 's/^\(framework\|accelerator\) \([a-z0-9_]*\).*/\2/p' "$root/stdlib/std/$module.tj"); do
		holds grep -qF "\`$module.$name\`" page
	done
done
for command in $("$TRAINC" help | sed -n 's/^  \([a-z-]*\)  .*/\1/p'); do
	holds grep -qF "\`trainc $command\`" page
done
"$TRAINC" explain role | sed -n '/^Fields$/,/^$/s/^  \([a-z_]*\) .*/\1/p' >fields
holds test "$(wc -l <fields)" -ge 30
while read -r field; do
	holds grep -qF -- "- \`$field\`:" page
done <fields
# the commands of the page exist, with these options
sed -n '/^## How to work/,/^## Rules/p' page | grep -o '`trainc [^`]*`' | tr -d '`' | sed 's/ FILE.*//; s/ MANIFEST//; s/ TOPIC//; s/ RUN//; s/ NAME//' >commands
holds test "$(wc -l <commands)" -ge 8
while read -r _ command rest; do
	"$TRAINC" help "$command" >help 2>&1 || fail "no command '$command'"
	for option in $(echo "$rest" | grep -o -- '--[a-z-]*'); do
		holds grep -qE -- "$option( |\$|,)" help
	done
done <commands
end
