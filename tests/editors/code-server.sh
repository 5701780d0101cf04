#!/bin/sh
# code-server.sh DIRECTORY - installs VS Code as a server for browsers there (code-server 4.100.0 from npm, about 320 MB).
# Its install scripts fetch more than the tests need. Therefore they are skipped, and the parts that need them are built
# here, which requires a C++ compiler.
set -eu
directory=$1
test ! -f "$directory/ready" || exit 0
mkdir -p "$directory"
cd "$directory"
test -f package.json || echo '{ "name": "trainc-code-server", "private": true }' >package.json
quiet='--ignore-scripts --no-audit --no-fund --loglevel=error'
npm install $quiet code-server@4.100.0
npm rebuild --loglevel=error argon2
cd node_modules/code-server/lib/vscode
npm install --omit=dev $quiet
npm rebuild --loglevel=error @vscode/spdlog native-watchdog
# Its last step fetches files for other systems; everything that is needed has been compiled by then.
npm rebuild --loglevel=error node-pty || test -f node_modules/node-pty/build/Release/pty.node
(cd extensions && npm install --omit=dev $quiet)
ln -sfn node_modules node_modules.asar
mkdir -p node_modules/@vscode/ripgrep/bin
ln -sf "$(command -v rg)" node_modules/@vscode/ripgrep/bin/rg
cd "$directory"
touch ready
