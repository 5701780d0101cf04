#!/bin/sh
# cluster_words.sh - a local run says of each field that it does not keep, once and in one line; variables of whole
# objects that the program has itself are there.
. "$(dirname "$0")/local.inc"
clean_up_runs

# says_once TEXT: one line of the notes has the text.
says_once() { holds test "$(grep -cF -e "$1" .err)" = 1; }

program settings <<'END'
  env_from = [config_env("settings-own"), secret_env("aws", prefix = "AWS_"), config_env("settings-more", prefix = "M_")]
  role a { replicas = 2, command = ["env"], env { LEVEL = "debug" } }
  object own { apiVersion = "v1", kind = "ConfigMap", data { MODE = "fast", LEVEL = "info" } }
  object more { apiVersion = "v1", kind = "ConfigMap", data { MODE = "x" } }
END
run 0 run --local --no-prefix -e AWS_KEY=k settings.tj
holds test "$(grep -c '^MODE=fast$' .out)" = 2
holds grep -qx 'M_MODE=x' .out
holds grep -qx 'LEVEL=debug' .out
holds grep -qx 'AWS_KEY=k' .out
says_once "the variables of secret 'aws' are not here: --env NAME=VALUE gives those that the program needs"
holds test "$(grep -c 'are not here' .err)" = 1

# each field that means something to a cluster only
program fields <<'END'
  security      = "restricted"
  runtime_class = "gvisor"
  automount     = true
  host_network  = true
  host_ipc      = true
  zone          = ["a", "b"]
  resources     = { "rdma/hca" = 1 }
  device_claims { gpu = "one-gpu" }
  cpu           = 1
  memory        = 1Gi
  role a { command = ["true"] }
  role b { command = ["true"] }
END
grep -v 'security' fields.tj >job.tj
run 0 run --local --dry-run --isolate job job.tj
for field in "'runtime_class'" "'automount'" "'host_network'" "'host_ipc'" "'zone'" "'resources'"; do
	says_once "$field does nothing here: "
done
says_once "device claims do nothing here: "
run 0 run --local --dry-run --isolate none job.tj
holds test "$(grep -c "'host_network'\|'host_ipc'" .err)" = 0     # they hold: replicas have the machine's
program secure <<'END'
  security = "restricted"
  role a { command = ["true"], sidecar s { image = "registry.example.com/s:1", command = ["true"] } }
END
run 0 run --local --dry-run secure.tj
says_once "'security' does nothing here: processes run as you, with your rights"
# the volume of a CSI driver is a directory that the command names
program bucket <<'END'
  role a { command = ["cat", "/data/file"], mounts { "/data" = csi("data", "csi.example.com", { bucketName = "b" }, readonly = true) } }
END
run 8 run --local bucket.tj
says err "volume of a CSI driver 'data' at /data has no place on this machine; give it one: --mount data=DIR"
mkdir bucket
echo text >bucket/file
run 0 run --local --no-prefix --mount data=bucket bucket.tj
holds grep -qx text .out

# what holds here anyway is not mentioned
program plain <<'END'
  automount = false
  role a { command = ["true"] }
END
run 0 run --local --dry-run plain.tj
holds test "$(grep -c 'here' .err)" = 0
end
