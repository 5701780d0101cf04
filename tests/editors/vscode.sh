#!/bin/sh
# vscode.sh DRIVER EXTENSION CODE_SERVER NODE_DIRECTORY [PICTURES] - the extension in a real VS Code, driven by
# vscode.mjs or typed.mjs, which trust every folder, or by restricted.mjs, which begins without trust.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
driver=$1
entry=$3/node_modules/code-server/out/node/entry.js
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
cat >"$work/programs/names.tj" <<'END'
import std.tpu

let size = 2
check size > 1 else "too small"
END
cat >"$work/programs/manifest.yaml" <<'END'
apiVersion: batch/v1
kind: Job
metadata:
  name: hello
spec:
  template:
    spec:
      restartPolicy: Never
      containers:
      - name: main
        image: registry.example.com/hello:1
        command: [python, hello.py]
END
# A second folder, whose settings name the program of this machine; it records its arguments.
native=$work/native
mkdir -p "$native/.vscode"
cat >"$native/trainc" <<END
#!/bin/sh
echo "\$1" >>"$native/called"
exec "${TRAINC:-$here/../../build/trainc}" "\$@"
END
chmod +x "$native/trainc"
cat >"$native/.vscode/settings.json" <<END
{ "trainc.server.path": "$native/trainc" }
END
cat >"$native/.vscode/tasks.json" <<END
{ "version": "2.0.0", "tasks": [
  { "label": "check broken", "type": "process", "command": "$native/trainc", "args": ["check", "broken.tj"], "problemMatcher": "\$trainc" }
] }
END
cat >"$native/job.tj" <<END
job "hello" {
  image   = "registry.example.com/hello:1"
  command = ["sh", "-c", "echo here >$native/ran"]
  role task {}
}
END
sed 's/  role task {}/  role task { memroy = 1Gi }/' "$native/job.tj" >"$native/broken.tj"
: >"$native/empty.tj"
cat >"$work/user/User/settings.json" <<'END'
{ "security.workspace.trust.enabled": false, "telemetry.telemetryLevel": "off", "workbench.startupEditor": "none", "update.mode": "none",
  "extensions.autoCheckUpdates": false }
END
# Typed text is written unchanged; each example has an empty program beside it.
if test "$driver" = typed.mjs; then
	cp -r "$here"/../../examples/[0-9]* "$work/programs"
	for directory in "$work"/programs/[0-9]*; do
		: >"$directory/typed-${directory##*/}.tj"
	done
	cat >"$work/user/User/settings.json" <<-'END'
		{ "security.workspace.trust.enabled": false, "telemetry.telemetryLevel": "off", "workbench.startupEditor": "none", "update.mode": "none",
		  "extensions.autoCheckUpdates": false, "editor.autoClosingBrackets": "never", "editor.autoClosingQuotes": "never",
		  "editor.autoSurround": "never", "editor.autoIndent": "none", "editor.wordBasedSuggestions": "off", "editor.acceptSuggestionOnEnter": "off",
		  "editor.acceptSuggestionOnCommitCharacter": false, "editor.quickSuggestionsDelay": 0, "editor.quickSuggestions": { "strings": "on" },
		  "editor.snippetSuggestions": "none", "editor.trimAutoWhitespace": false, "editor.formatOnType": false }
	END
fi
trust=--disable-workspace-trust
if test "$driver" = restricted.mjs; then
	trust=
	sed -i 's/"security.workspace.trust.enabled": false/"security.workspace.trust.startupPrompt": "never"/' "$work/user/User/settings.json"
	echo '{ "trainc.server.path": "./trainc" }' >"$native/.vscode/settings.json"
fi
options="--user-data-dir $work/user --extensions-dir $work/extensions"
node "$entry" $options --install-extension "$2" >"$work/log" 2>&1 || { cat "$work/log"; exit 1; }
node "$entry" $options --auth none --bind-addr 127.0.0.1:0 --disable-telemetry --disable-update-check $trust "$work/programs" \
	>"$work/log" 2>&1 &
server=$!
address=
for i in $(seq 60); do
	address=$(sed -n 's/.*HTTP server listening on \(http:[^ ]*\).*/\1/p' "$work/log")
	test -z "$address" || break
	sleep 0.5
done
test -n "$address" || { cat "$work/log"; exit 1; }
FOLDER=$work/programs NATIVE=$native node "$here/$driver" "$address" "$4" ${5:+"$5"}
