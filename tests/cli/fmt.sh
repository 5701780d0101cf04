#!/bin/sh
# fmt.sh - the formatter as a command; unit tests check its style.
. "$(dirname "$0")/cli.inc"

printf 'let  a=1\nlet bcd = [ 1,2 ]   # two\n' >ugly.tj
printf 'let a   = 1\nlet bcd = [1, 2] # two\n' >want
cp ugly.tj one.tj
run 1 fmt --check one.tj; holds test "$(cat .out)" = one.tj; same one.tj ugly.tj
run 1 fmt --diff one.tj; says out "--- one.tj"; says out "-let  a=1"; says out "+let a   = 1"; same one.tj ugly.tj
cp .out patch
run 0 fmt one.tj; silent out; silent err
run 0 fmt --check one.tj; silent out
run 0 fmt --diff one.tj; silent out
cp one.tj formed.tj
cp ugly.tj two.tj
if command -v patch >/dev/null; then
	holds patch -s two.tj patch
	same two.tj formed.tj
else
	skip "patch is not here to apply a difference"
fi
"$TRAINC" fmt - <ugly.tj >.out 2>.err; same .out formed.tj

# a file with a syntax error is not touched, the others are formatted
printf 'let = 1\n' >broken.tj; cp broken.tj before; cp ugly.tj three.tj
run 1 fmt broken.tj three.tj; says err "broken.tj:1:5: error: "; same broken.tj before; same three.tj formed.tj
run 1 fmt absent.tj; says err "no such file"
chmod 600 three.tj; cp ugly.tj three.tj; run 0 fmt three.tj; holds test "$(stat -c %a three.tj)" = 600

# CRLF is reported and replaced, in comments and strings too
printf 'let a = 1 # one\r\nlet b = """\r\n  x\r\n  """\r\n' >dos.tj
printf 'let a = 1 # one\nlet b = """\n  x\n  """\n' >want
run 1 fmt --check dos.tj; says out dos.tj; says err "trainc: dos.tj: 4 lines end with CRLF, which fmt makes LF"
run 0 fmt dos.tj; silent out; says err "trainc: dos.tj: 4 lines ended with CRLF, now with LF"; same dos.tj want
run 0 fmt dos.tj; silent err
end
