#!/bin/sh
# catalogue.sh - the project's accelerators instead of the library's: a module of the same name, from a package or a
# file.
. "$(dirname "$0")/../cli/cli.inc"

mkdir own
cat >own/nvidia.tj <<'END'
## Our own nodes.
accelerator h100(count: int(1..2)) {
  resource = "lab.example.com/h100"
  per_pod  = count
  node     = { "lab.example.com/rack" = "r1" }
  mounts { "/opt/driver" = host_path("/srv/driver") }
  env    { DRIVER = "/opt/driver" }
}
END
printf 'project { packages { lab = "own" } }\n' >project.tj
program() { printf '%s\n\njob "%s" {\n  image = "registry.example.com/a:1"\n  role r { accelerator = %s, cpu = 2, memory = 8Gi, shm = 1Gi }\n}\n' "$2" "$1" "$3" >"$1.tj"; }
resource() { "$TRAINC" compile -o json "$1.tj" | python3 -c '
import json, sys
for o in json.load(sys.stdin)["items"]:
    if o["kind"] == "Job":
        pod = o["spec"]["template"]["spec"]
        print([k for k in pod["containers"][0]["resources"]["limits"] if "/" in k], sorted(pod.get("nodeSelector", {})))'; }
run 0 vendor

program standard 'import std.nvidia' 'nvidia.h100(2)'
holds test "$(resource standard)" = "['nvidia.com/gpu'] ['nvidia.com/gpu.product']"
# One line changes, the programs below it do not.
program package 'import lab.nvidia' 'nvidia.h100(2)'
holds test "$(resource package)" = "['lab.example.com/h100'] ['lab.example.com/rack']"
program file 'import "own/nvidia.tj" as nvidia' 'nvidia.h100(2)'
holds test "$(resource file)" = "['lab.example.com/h100'] ['lab.example.com/rack']"
# Its own limits apply, and a missing accelerator is not looked up in the library.
program many 'import lab.nvidia' 'nvidia.h100(8)'
run 1 check many.tj; says err "8"; says err "own/nvidia.tj:2:18"
program other 'import lab.nvidia' 'nvidia.b200(1)'
run 1 check other.tj; says err "b200"
# To use both at once, they need two names.
program twice 'import std.nvidia
import lab.nvidia' 'nvidia.h100(2)'
run 1 check twice.tj; says err "nvidia"
program both 'import std.nvidia
import lab.nvidia as ours' 'ours.h100(1)'
holds test "$(resource both 2>/dev/null)" = "['lab.example.com/h100'] ['lab.example.com/rack']"

# Pages of both, the project's first.
run 0 explain nvidia.h100; says out "accelerator of std.nvidia"; says out "accelerator h100(count: int(1..8))"; says out 'resource     "nvidia.com/gpu"'
holds test "$(grep -n 'accelerator of' .out | cut -d: -f1,3 | tr '\n' ' ')" = "1: accelerator of lab.nvidia $(grep -n 'of std.nvidia' .out | cut -d: -f1): accelerator of std.nvidia "
run 0 explain lab.nvidia.h100; says out "Our own nodes."; says out "accelerator h100(count: int(1..2))"; says out 'resource     "lab.example.com/h100"'
holds test "$(grep -c 'accelerator of' .out)" -eq 1
run 0 explain lab.nvidia; says out "nvidia: module of this project, import lab.nvidia"; says out "nvidia.h100"
run 2 explain lab.nvidia.h101; run 2 explain lab.amd
mkdir below; cd below; run 0 explain lab.nvidia.h100; cd ..
run 0 explain std.nvidia.h100; says out "accelerator of std.nvidia"
run 2 explain nvidia.h101; says err "did you mean 'nvidia.h100'?"
# The project's module: its documentation comes from the file.
run 0 doc own/nvidia.tj; says out "Our own nodes."; says out "h100"
end
