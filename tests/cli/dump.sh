#!/bin/sh
# dump.sh - every stage as text; twice the text takes twice the time.
. "$(dirname "$0")/cli.inc"
good good.tj
bad bad.tj

run 2 dump good.tj; says err "--tokens"
run 2 dump good.tj --ast --types; says err "dump needs one of"
run 0 dump good.tj --tokens; says out '1:1 WORD "job"'; silent err
run 0 dump good.tj --ast; says out "(job"; silent err
run 0 dump good.tj --types; says out ': "registry.example.com/tools/hello:1.0": string -> image'; silent err
run 0 dump good.tj --plan; holds test -s .out; silent err
run 0 dump good.tj --objects; holds test -s .out; silent err
# phases that did not run cannot report that a comment silences nothing
{ echo '# allow TJ1003: for a test'; cat good.tj; } >allowed.tj
run 0 dump allowed.tj --ast; silent err
run 0 dump allowed.tj --types; silent err
run 0 dump allowed.tj --plan; says err "[TJ1009]"
# a stage is shown although a later one refuses the program
run 0 dump bad.tj --ast; silent err
run 1 dump bad.tj --types; says err "replcas"; holds test -s .out
run 1 dump bad.tj --plan; silent out
run 1 dump absent.tj --ast; says err "no such file"

# growth: quadratic would be 16 times for four times the text
cat >growth.py <<'END2'
import os, resource, subprocess, sys

def text(n):
    return "".join(f"let a{i} = [{i}, {i + 1}] # é\n" for i in range(n)) + f"let all = [{', '.join(map(str, range(n)))}]\n"

def seconds(option, path):
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([os.environ["TRAINC"], "dump", option, path], check=True, stdout=subprocess.DEVNULL)
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before

option = sys.argv[1]
for n in (5000, 20000):
    with open(f"{n}.tj", "w", encoding="utf-8") as f:
        f.write(text(n))
small, large = (min(seconds(option, f"{n}.tj") for _ in range(3)) for n in (5000, 20000))
print(option, "%.3f s, four times the text %.3f s" % (small, large))
sys.exit(large > 10 * max(small, 0.02))
END2
export TRAINC
for stage in tokens ast types; do
	holds python3 growth.py --$stage
done
end
