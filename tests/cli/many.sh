#!/bin/sh
# many.sh - any number of entries: none is dropped, including the framework's.
. "$(dirname "$0")/cli.inc"

# has N PATTERN: N lines of the output match
has() {
	n=$(grep -c -- "$2" .out)
	if test "$n" -eq "$1"; then ok; else fail "$2: $n lines, not $1"; fi
}

cat >many.tj <<'EOF'
import std.pytorch

job "many": pytorch.torchrun {
  image   = "registry.example.com/lab/app:0.1"
  command = ["python", "train.py"]
  for i in range(300) {
    env         { ("JOB_${i}") = i }
    labels      { ("job-${i}") = "x" }
    annotations { ("job-${i}") = "x" }
  }
  role worker {
    replicas = 2
    cpu      = 1
    memory   = 1Gi
    for i in range(300) {
      env         { ("ROLE_${i}") = i }
      ports       { ("p${i}") = 1000 + i }
      files       { ("/etc/f${i}") = "x" }
      mounts      { ("/mnt/${i}") = scratch("s${i}", 1Mi) }
      node        { ("node-${i}") = "x" }
      labels      { ("role-${i}") = "x" }
      annotations { ("role-${i}") = "x" }
    }
    sidecar watch {
      image = "registry.example.com/lab/watch:0.1"
      for i in range(300) {
        env   { ("SIDE_${i}") = i }
        ports { ("s${i}") = 2000 + i }
      }
      #AGAIN
    }
  }
}
EOF
run 0 dump --plan many.tj
has 6 'env [A-Z_]* (framework)'
for what in 'env JOB_' 'env ROLE_' 'port p' 'file /etc/f' 'mount /mnt/' '^    node node-' '^  label job-' '^  annotation job-' '^    label role-' \
	'^    annotation role-' 'env SIDE_' 'port s'; do
	has 300 "$what"
done
sed 's/#AGAIN/ports { again = 1299 }/' many.tj >again.tj
run 1 check again.tj; says err "'p299' and 'again' of role 'worker' are both 1299"

# an object of many entries that are written individually
cat >object.tj <<'EOF'
job "object" {
  image = "registry.example.com/lab/app:0.1"
  role worker { cpu = 1, memory = 1Gi }
  object words {
    apiVersion = "v1"
    kind       = "ConfigMap"
    for k in range(4000) { data { ("k${k}") = "x" } }
  }
}
EOF
run 0 compile object.tj
has 4000 "k[0-9]*: x"

# blocks that list the names of replicas
cat >blocks.tj <<'EOF'
framework many {
  for i in range(20) { replica { labels { ("l${i}") = "x" } } }
  role task { replicas: int(1..) = 1 }
}
job "blocks": many { image = "registry.example.com/lab/app:0.1" }
EOF
run 0 dump --plan blocks.tj
has 20 'label (selects) l'
end
