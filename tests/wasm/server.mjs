// server.mjs MODULE - trainc.wasm as a language server on standard input and output, for the tests of tests/lsp (LSP= of client.py).
// As in a browser it has no files: before each message it gets those below the client's root that have changed.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const { openTrainc } = createRequire(import.meta.url)("../../docs/playground/engine.js");
const known = new Map();                                // path -> what it was
let root, shut = false, kept = Buffer.alloc(0);

function send(message) {
  const body = Buffer.from(JSON.stringify(message));
  fs.writeSync(1, Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
}
const server = await openTrainc(fs.readFileSync(process.argv[2]), send);

function* below(directory) {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const at = path.join(directory, entry.name);
    if (entry.isDirectory() && entry.name !== ".cache") yield* below(at);
    else if (entry.isFile()) yield at;
  }
}
function giveFiles() {
  if (!root) return;
  const found = new Set(below(root));
  for (const at of found) {
    const { mtimeMs, size } = fs.statSync(at), now = `${mtimeMs} ${size}`;
    if (known.get(at) !== now) server.file(at, fs.readFileSync(at, "utf8"));
    known.set(at, now);
  }
  for (const at of known.keys()) if (!found.has(at) && known.delete(at)) server.file(at, null);
}
function take(message) {
  if (message.method === "initialize" && message.params?.rootUri) root = fileURLToPath(message.params.rootUri);
  giveFiles();
  server.receive(message);
  if (message.method === "shutdown") shut = true;
  if (message.method === "exit") process.exit(shut ? 0 : 1);
}
process.stdin.on("data", data => {
  kept = Buffer.concat([kept, data]);
  for (;;) {
    const end = kept.indexOf("\r\n\r\n"), length = end < 0 ? 0 : Number(/Content-Length: (\d+)/i.exec(kept.subarray(0, end))[1]);
    if (end < 0 || kept.length < end + 4 + length) break;
    const body = kept.subarray(end + 4, end + 4 + length);
    kept = kept.subarray(end + 4 + length);
    take(JSON.parse(body.toString()));                  // those that came together are queued, so that one may cancel another
  }
  while (server.work()) continue;
});
process.stdin.on("end", () => process.exit(1));
