#!/bin/sh
# eval.sh - trainc eval: an expression, the lines of standard input, a terminal.
. "$(dirname "$0")/cli.inc"

# value WANTED ARGUMENT...: the whole standard output, without the end of its last line.
value() {
	wanted=$1
	shift
	run 0 eval "$@"
	if test "$(cat .out)" = "$wanted"; then ok; else fail "eval $*: '$(cat .out)', not '$wanted'"; fi
	silent err
}
# refused MESSAGE ARGUMENT...: status 1, and nothing on standard output.
refused() {
	message=$1
	shift
	run 1 eval "$@"
	says err "$message"
	silent out
}
# lines WANTED ARGUMENT...: the output for the lines of the file `lines`.
lines() {
	wanted=$1
	shift
	"$TRAINC" eval "$@" <lines >.out 2>.err
	got=$?
	if test "$(cat .out)" = "$wanted"; then ok; else fail "lines: '$(cat .out)', not '$wanted'"; fi
}
cat >job.tj <<'END'
import std.nvidia
import "shapes.tj" as shapes

## Nodes.
param nodes: int(1..64) = 2
profile large { nodes = 32 }
type Point { x: int, y: float = 0.5 }
let total = nodes * 8
let names = ["a", "b"]
let point: Point = { x = 3 }

job "hello" {
  image = "registry.example.com/tools/hello:1.0"
  env { A = "x", B = pod.name }
  role main { command = ["hello"], cpu = 1, memory = 1Gi, replicas = nodes }
}
END
cat >shapes.tj <<'END'
## The double of N.
fn double(n: int) -> int = n * 2
END

# an expression by itself
value 2 '1 + 1'
value -1 -- -1
value 'a"b' '"a\"b"'
value '["a", "b"]' '["a", "b"]'
value '{ a = 1, b = "x" }' '{ a = 1, b = "x" }'
value 32Gi '2 * 16Gi'
value 90s 90s
value '[1min, 90s]' '[1min, 90s]'
value none none
value true '1 < 2'
value 'yes' 'if 2 > 1 then "yes" else "no"'
value '3' '1
  + 2'
refused "500m could be a cpu, a memory or a duration" 500m
refused "command line:1:4: error: expected a value after '+'" '1 +'
refused "division by zero" '1 / 0'
refused "evaluation stopped after 100000 elements" 'range(200000)'
refused "unexpected byte 0xFF" "$(printf '\377')"
refused "'self' has no meaning here" self
run 2 eval ''; says err "the expression is empty"
run 2 eval -1; says err "write trainc eval -- '-1'"
run 2 eval 1 2.tj 3; says err "eval takes two operands, found '3'"
run 2 eval 1 -o table; says err "it is text, json or yaml"

# with the names of a program
value 16 total job.tj
value 256 total job.tj --profile large
value 40 total job.tj --set nodes=5
echo 'nodes = 7' >p.tj; value 56 total job.tj --params p.tj
value 32 'shapes.double(total)' job.tj
value 'nvidia.h100(8)' 'nvidia.h100(8)' job.tj
value '{ x = 3, y = 0.5 }' point job.tj
value '{"x":3,"y":0.5}' point job.tj -o json
value 'x: 3
"y": 0.5' point job.tj -o yaml
value '- a
- b' names job.tj --output yaml
value '|-
  a
  b' '"a\nb"' -o yaml
value '{}' '{}' -o yaml
value 16 total job.tj -o yaml
value 2 roles.main.replicas job.tj
value '{ A = "x", B = "${pod.name}" }' 'env("main", 0)' job.tj
value '{"A":"x","B":"${pod.name}"}' 'env("main", 0)' job.tj -o json
value hello 'object("Service", "hello").metadata.name' job.tj
"$TRAINC" eval 'total + 1' - <job.tj >.out 2>.err; holds test "$(cat .out)" = 17
refused "no value named 'totl'" totl job.tj; says err "did you mean 'total'?"
refused "nodes = 99 is outside 1..64" total job.tj --set nodes=99
refused "unknown parameter 'nodez'" total job.tj --set nodez=9
refused "an accelerator cannot be written as JSON" 'nvidia.h100(8)' job.tj -o json
refused "no replica 9 of a role 'main'" 'env("main", 9)' job.tj
refused "'absent.tj' cannot be read: no such file" 1 absent.tj
refused "'absent.tj' cannot be read: no such file" absent.tj
bad bad.tj
refused "bad.tj:3:15" '1 + 1' bad.tj; refused "bad.tj:3:15" bad.tj
run 2 eval total --set nodes; says err "--set needs NAME=VALUE"
run 2 eval job.tj total; says err "the expression comes first: trainc eval 'total' job.tj"
run 2 eval -; says err "'-' is both the program and the expressions"
run 1 eval total --format json; holds python3 -c 'import json; assert json.load(open(".err"))["code"] == "TJ0201"'

# declarations before the expression
value 9 '(let a = 3 in a * a)'
value true 'let known = 3 in [1, 3]
known'
value 6 'let x = 2
x * 3'
value '[1, 2]' 'import std.nvidia
[
  1, 2]'

# an invalid line has no effect and does not end the input
cat >lines <<'END'
let n = 4
n * 2

# nothing
m
let n = 5
n * 2
import std.nvidia
len([
  8
])
fn square(x: int) -> int = x * x
square(n
let q = square(3)
q
let bad = zz
bad
job "x" {
  image = "a/b:1"

  role main { command = ["a"], cpu = 1, memory = 1Gi, replicas = 3 }
}
roles.main.replicas
let s = """
  abc
  let y = 1
  """
s
"last
END
lines '8
10
1
9
3
abc
let y = 1'
holds test $got -eq 1
says err "<stdin>:5:1: error: no value named 'm'"
says err "<stdin>:13:7: error: '(' opened here is never closed"
says err "<stdin>:16:11: error: no value named 'zz'"
says err "<stdin>:17:1: error: no value named 'bad'"
says err "<stdin>:29:1: error: this string has no closing quote"
printf 'total\nlet more = total + 1\nmore' >lines; lines '16
17' job.tj; holds test $got -eq 0; silent err
: >lines; lines ''; holds test $got -eq 0; silent err
printf '1 + 1\n\0\n2 + 2\n' >lines; lines '2
4'; holds test $got -eq 1

# as much as fits
python3 -c 'print("let a = \"" + "x" * 40000 + "\""); print("let b = \"" + "x" * 40000 + "\""); print("1")' >lines
lines 1; says err "the declarations together are larger than 64 KiB"; says err "trainc eval EXPR FILE"
python3 -c 'print("[" + "1," * 40000 + "]"); print("1")' >lines; lines 1; says err "larger than 64 KiB"
python3 -c 'print("(\n" * 5000)' >lines; lines ''; holds test $got -eq 1
"$TRAINC" eval <lines 2>/dev/null | head -n 0
printf '1\n' >lines; "$TRAINC" eval <lines >/dev/full 2>.err; holds test $? -eq 3; says err "no space left"

# trainc eval on a terminal: prompts, an open bracket that an empty line closes, no control characters, status 0
cat >terminal.py <<'END'
import os, pty, select, sys, time
child, fd = pty.fork()
if child == 0:
    os.environ["TERM"] = "dumb"
    os.execv(os.environ["TRAINC"], ["trainc", "eval"])
out = b""
def until(text):
    global out
    end = time.monotonic() + 60
    while text not in out:
        if time.monotonic() > end or not select.select([fd], [], [], 60)[0]:
            sys.exit("no %r after %r" % (text, out))
        out += os.read(fd, 4096)
    out = out[out.index(text) + len(text):]
until(b"Ctrl-D ends")
for question, typed, answer in [(b"> ", b"let x = 20\n", b""), (b"> ", b"x + 1\n", b"21\r\n"),
                                (b"> ", b"(1 +\n", b""), (b"... ", b"2)\n", b"3\r\n"),
                                (b"> ", b"(1 +\n", b""), (b"... ", b"\n", b"never closed"),
                                (b"> ", b'"a\\u{1b}[31mb"\n', b"a\\x1b[31mb\r\n"), (b"> ", b"exit\n", b"exit\r\n")]:
    until(question)
    os.write(fd, typed)
    until(answer)
sys.exit(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))
END
if TRAINC="$TRAINC" python3 terminal.py >.out 2>.err; then ok; else fail "trainc eval on a terminal"; fi
end
