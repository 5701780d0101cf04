#!/bin/sh
# env.sh - the formats of `trainc env` reproduce every value, and the messages say which replica is missing.
. "$(dirname "$0")/cli.inc"

cat >p.tj <<'END'
job "p" {
  image   = "registry.example.com/a:1"
  command = ["run"]

  role worker {
    replicas = 2

    env {
      PLAIN   = "a/b.c:1,2@x%+-_"
      SPACES  = "two words"
      QUOTES  = "it's \"so\""
      DOLLAR  = "$HOME $(id) `id`"
      SLASH   = "back\\slash"
      LINES   = "one\ntwo"
      EMPTY   = ""
      HASH    = "#x"
      RANK    = pod.index
      NODE    = pod.node
      TOKEN   = secret("s", "k")
      "a.b"   = "no name for a shell"
      "c.d"   = "x\nrm -rf /"
    }
  }
}
END

# A shell that reads the output gets the values; values that it cannot represent become comments.
run 0 env -o shell --role worker --index 1 p.tj
cp .out shell.env
(
	. ./shell.env
	printf '%s|' "$PLAIN" "$SPACES" "$QUOTES" "$DOLLAR" "$SLASH" "$LINES" "$EMPTY" "$HASH" "$RANK"
) >got
printf '%s|' 'a/b.c:1,2@x%+-_' 'two words' "it's \"so\"" '$HOME $(id) `id`' 'back\slash' 'one
two' '' '#x' 1 >want
same want got
says out '# NODE: known only in the pod: '
says out '# TOKEN: from Secret s, key k'
says out '# a.b: not a name that a shell can export'
holds test "$(grep -c '^rm' .out)" -eq 0

# fish: in its single quotes a backslash escapes a quote and a backslash, and nothing else
run 0 env -o fish --role worker --index 1 p.tj
cp .out fish.env
says out "set -gx PLAIN 'a/b.c:1,2@x%+-_'"
says out "set -gx QUOTES 'it\\'s \"so\"'"
says out "set -gx SLASH 'back\\\\slash'"
says out "set -gx DOLLAR '\$HOME \$(id) \`id\`'"
says out "set -gx EMPTY ''"
says out '# a.b: not a name that a shell can export'
holds test "$(grep -c '^rm' .out)" -eq 0
if command -v fish >/dev/null; then
	HOME=$work fish -N -c '. ./fish.env; printf "%s|" $PLAIN $SPACES $QUOTES $DOLLAR $SLASH $LINES $EMPTY $HASH $RANK' >got
	same want got
else
	skip "fish is not here to read its environment"
fi

# dotenv: unquoted where every parser takes it literally, otherwise in single quotes with escapes.
run 0 env -o dotenv --role worker --index 0 p.tj
says out 'PLAIN=a/b.c:1,2@x%+-_'
says out "SPACES='two words'"
says out "QUOTES='it\\'s \"so\"'"
says out "SLASH='back\\\\slash'"
says out "DOLLAR='\$HOME \$(id) \`id\`'"
says out "HASH='#x'"
says out 'RANK=0'
holds grep -qx 'EMPTY=' .out
holds test "$(grep -c '^export' .out)" -eq 0

# A command that needs one replica must say which, and it must exist.
run 2 env -o shell p.tj; says err 'choose one of 2 replicas with --role and --index'
run 2 env --role worker --index 7 p.tj; says err "no replica 7 of role 'worker'; the last one is 1"
run 2 env --index 7 p.tj; says err 'no replica 7'
run 2 env --role boss p.tj; says err "no role 'boss'; the only role is worker"
run 2 env --role worke p.tj; says err "no role 'worke'; did you mean 'worker'?"
sed 's/replicas = 2/replicas = 1/' p.tj >one.tj
run 2 env --index 1 one.tj; says err 'no replica 1; the only one is 0'
printf 'job "a" {\n  image = "a:1"\n  command = ["a"]\n  role worker { }\n  role ps { replicas = 0 }\n}\n' >zero.tj
run 2 env --role ps zero.tj; says err "role 'ps' has no replicas"
sed 's/replicas = 2/replicas = 0/' p.tj >none.tj
run 1 env -o shell none.tj; says err 'runs nothing: all of its roles have 0 replicas'
end
