#!/bin/sh
# run.sh - real editors: Neovim and Emacs as clients of `trainc lsp`, colors and indentation of every installed editor.
# An editor that is not installed is skipped by name; the last line is the sum.
cd "$(dirname "$0")/../.." || exit 1
TRAINC=${TRAINC:-$PWD/${BUILD:-build}/trainc}
here=$PWD/tests/editors
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
export TRAINC FILE="$work/job.tj" HOME="$work" XDG_CACHE_HOME="$work/.cache" LC_ALL=C.UTF-8
passed=0 failed=0 skipped=0

# editor NAME COMMAND...: runs a test whose last line has the counts.
editor() {
	name=$1
	shift
	if ! command -v "$name" >/dev/null; then
		echo "skip ${name#"$PWD/"} is not installed"
		skipped=$((skipped + 1))
		return
	fi
	cat >"$FILE" <<-'END'
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
	(cd "$work" && timeout 120 "$@" </dev/null) >"$work/log" 2>&1
	counts=$(sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed.*/\1 \2/p' "$work/log" | tail -n 1)
	test -n "$counts" || { counts='0 1'; tail -n 20 "$work/log"; }
	grep FAIL "$work/log"
	echo "${name#"$PWD/"}: $counts"
	passed=$((passed + ${counts% *})) failed=$((failed + ${counts#* }))
}

# script NAME COMMAND...: one of our tests, whose last line has the counts.
script() {
	name=$1
	shift
	timeout 1200 "$@" >"$work/log" 2>&1
	last=$(tail -n 1 "$work/log")
	counts=$(printf '%s\n' "$last" | sed -n 's/^\([0-9]*\) passed, \([0-9]*\) failed\(, \([0-9]*\) skipped\)\{0,1\}$/\1 \2 \4/p')
	test -n "$counts" || { counts='0 1'; tail -n 20 "$work/log"; }
	grep -E -A 9 '^(FAIL|skip)' "$work/log" | cut -c1-200 | head -n 60
	read -r p f s <<-END
		$counts
	END
	echo "$name: $last"
	passed=$((passed + p)) failed=$((failed + f)) skipped=$((skipped + ${s:-0}))
}

editor nvim nvim --headless -u NONE -i NONE -c "luafile $here/nvim.lua"
editor emacs emacs -q --batch -f package-initialize -l "$here/eglot.el"

newer=$PWD/${BUILD:-build}/editors/newer/bin
mkdir -p "$work/sitter/parser"
cc -O1 -shared -fPIC -I grammar/editors/tree-sitter/src -o "$work/sitter/parser/tj.so" grammar/editors/tree-sitter/src/parser.c
export EDITORS="$PWD/grammar/editors" PARSER="$work/sitter"
for nvim in nvim nvim12; do
	editor "$newer/$nvim" "$newer/$nvim" --headless -u NONE -i NONE -c "luafile $here/nvim10.lua"
done
editor "$newer/emacs" "$newer/emacs" -Q --batch -l "$here/emacs30.el"
if test -x "$newer/hx" && command -v tmux >/dev/null; then
	script Helix python3 "$here/helix.py" "$newer"
	script "parser of tree-sitter" python3 "$here/parser.py" "$newer/tree-sitter"
else
	echo "skip Helix and the parser of tree-sitter: need packages of Debian 13 (tests/editors/newer.sh) and tmux"
	skipped=$((skipped + 2))
fi
script colors python3 "$here/agree.py"
script indentation python3 "$here/indent.py"
page=${BUILD:-build}/playground/index.html node=${BUILD:-build}/editors/node
if test -d "$node/node_modules/playwright-core" && command -v chromium >/dev/null; then
	script timeline node "$here/timeline.mjs" "$TRAINC" "$node"
else
	echo "skip timeline: needs chromium and the packages of tests/editors/node"
	skipped=$((skipped + 1))
fi
if test -f "$page" && test -d "$node/node_modules/playwright-core" && command -v chromium >/dev/null; then
	script playground node "$here/playground.mjs" "$page" "$node"
else
	echo "skip playground: needs make playground, chromium and the packages of tests/editors/node"
	skipped=$((skipped + 1))
fi
module=${BUILD:-build}/wasm/trainc.wasm
if test -f "$module" && test -d "$node/node_modules/playwright-core" && command -v chromium >/dev/null; then
	script "language server as WebAssembly, in a browser" python3 tests/wasm/transcripts.py "$module" "$node"
elif test -f "$module" && command -v node >/dev/null; then
	script "language server as WebAssembly" python3 tests/wasm/transcripts.py "$module"
else
	echo "skip language server as WebAssembly: needs make wasm and node"
	skipped=$((skipped + 1))
fi
if command -v node >/dev/null; then
	script "trust in folders" node "$here/trust.mjs"
else
	echo "skip trust in folders: needs node"
	skipped=$((skipped + 1))
fi
vsix=${BUILD:-build}/vsix server=$PWD/${BUILD:-build}/editors/code-server
if test -f "$vsix/trainc.vsix"; then
	script "extension package" python3 "$here/vsix.py" "$vsix" "${BUILD:-build}/wasm/trainc.wasm"
else
	echo "skip extension: needs make vsix"
	skipped=$((skipped + 1))
fi
if test -f "$vsix/trainc.vsix" && test -f "$server/ready" && test -d "$node/node_modules/playwright-core" && command -v chromium >/dev/null; then
	script "VS Code" sh "$here/vscode.sh" vscode.mjs "$PWD/$vsix/trainc.vsix" "$server" "$node"
	script "VS Code without trust" sh "$here/vscode.sh" restricted.mjs "$PWD/$vsix/trainc.vsix" "$server" "$node"
	script "examples typed in VS Code" sh "$here/vscode.sh" typed.mjs "$PWD/$vsix/trainc.vsix" "$server" "$node"
else
	echo "skip VS Code: needs make vsix, code-server (tests/editors/code-server.sh), chromium and the packages of tests/editors/node"
	skipped=$((skipped + 1))
fi
if test "$skipped" -gt 0; then
	echo "$passed passed, $failed failed, $skipped skipped"
else
	echo "$passed passed, $failed failed"
fi
test "$failed" -eq 0
