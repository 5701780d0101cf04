#!/bin/sh
# vscode.sh EXTENSION CODE_SERVER NODE_DIRECTORY [PICTURES] - the extension in a real VS Code, driven by vscode.mjs.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
entry=$2/node_modules/code-server/out/node/entry.js
work=$(mktemp -d)
server=
trap 'test -z "$server" || kill "$server" 2>/dev/null || true; rm -rf "$work"' EXIT
export HOME="$work" XDG_CONFIG_HOME="$work/config" XDG_DATA_HOME="$work/data"
mkdir -p "$work/programs" "$work/user/User"
cat >"$work/programs/job.tj" <<'END'
import std.nvidia
import std.pytorch

job "a": pytorch.torchrun {
  image   = "registry.example.com/a:1"
  command = ["torchrun", "train.py"]
  role worker {
    accelerator = nvidia.h100(8)
    memroy      = 64Gi
    replicas    = 2
  }
}
END
cat >"$work/user/User/settings.json" <<'END'
{ "security.workspace.trust.enabled": false, "telemetry.telemetryLevel": "off", "workbench.startupEditor": "none", "update.mode": "none",
  "extensions.autoCheckUpdates": false }
END
options="--user-data-dir $work/user --extensions-dir $work/extensions"
node "$entry" $options --install-extension "$1" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
node "$entry" $options --auth none --bind-addr 127.0.0.1:0 --disable-telemetry --disable-update-check --disable-workspace-trust "$work/programs" \
	>"$work/log" 2>&1 &
server=$!
address=
for i in $(seq 60); do
	address=$(sed -n 's/.*HTTP server listening on \(http:[^ ]*\).*/\1/p' "$work/log")
	test -z "$address" || break
	sleep 0.5
done
test -n "$address" || { cat "$work/log"; exit 1; }
node "$here/vscode.mjs" "$address" "$3" ${4:+"$4"}
