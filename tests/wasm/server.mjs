// server.mjs MODULE [BROWSER NODE_DIRECTORY] - trainc.wasm as a language server on standard input and output, for the tests of
// tests/lsp (LSP= of client.py). It runs in a page of the Chromium whose debugger listens at BROWSER, or else in this process.
// It has no files: before each message it gets those below the client's root that have changed.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const engine = fileURLToPath(new URL("../../docs/playground/engine.js", import.meta.url));
const [module, browser, node] = process.argv.slice(2);
const known = new Map();                                // path -> its previous state
let root, shut = false, kept = Buffer.alloc(0), working = Promise.resolve();

// A function that takes files and messages and returns what the server sends until it is idle.
async function server(open, source) {
  const said = [], { receive, file, work } = await open(source, message => said.push(message));
  return batch => {
    for (const { path, text, message } of batch) if (message) receive(message); else file(path, text);
    while (work()) continue;
    return said.splice(0);
  };
}
async function inPage() {
  const { chromium } = createRequire(path.resolve(node, "x.js"))("playwright-core");
  const page = await (await (await chromium.connectOverCDP(browser)).newContext()).newPage();
  await page.addScriptTag({ path: engine });
  await page.addScriptTag({ content: server.toString() });
  await page.evaluate(async base64 => {
    window.serve = await server(openTrainc, Uint8Array.from(atob(base64), c => c.charCodeAt(0)));
  }, fs.readFileSync(module).toString("base64"));
  return batch => page.evaluate(all => serve(all), batch);
}
const serve = browser ? await inPage() : await server(createRequire(import.meta.url)(engine).openTrainc, fs.readFileSync(module));

function* below(directory) {
  for (const entry of fs.readdirSync(directory, { withFileTypes: true })) {
    const at = path.join(directory, entry.name);
    if (entry.isDirectory() && entry.name !== ".cache") yield* below(at);
    else if (entry.isFile()) yield at;
  }
}
function* changedFiles() {
  if (!root) return;
  const found = new Set(below(root));
  for (const at of found) {
    const { mtimeMs, size } = fs.statSync(at), now = `${mtimeMs} ${size}`;
    if (known.get(at) !== now) yield { path: at, text: fs.readFileSync(at, "utf8") };
    known.set(at, now);
  }
  for (const at of known.keys()) if (!found.has(at) && known.delete(at)) yield { path: at, text: null };
}
// Messages that arrived together are queued together, so that one may cancel another.
async function take(messages) {
  const batch = [];
  let end;
  for (const message of messages) {
    if (message.method === "initialize" && message.params?.rootUri) root = fileURLToPath(message.params.rootUri);
    batch.push(...changedFiles(), { message });
    if (message.method === "shutdown") shut = true;
    if (message.method === "exit") end = shut ? 0 : 1;
  }
  for (const message of await serve(batch)) {
    const body = Buffer.from(JSON.stringify(message));
    process.stdout.write(Buffer.concat([Buffer.from(`Content-Length: ${body.length}\r\n\r\n`), body]));
  }
  if (end === undefined) return;
  await new Promise(done => process.stdout.write("", done));
  process.exit(end);
}
process.stdin.on("data", data => {
  const messages = [];
  kept = Buffer.concat([kept, data]);
  for (;;) {
    const end = kept.indexOf("\r\n\r\n"), length = end < 0 ? 0 : Number(/Content-Length: (\d+)/i.exec(kept.subarray(0, end))[1]);
    if (end < 0 || kept.length < end + 4 + length) break;
    const body = kept.subarray(end + 4, end + 4 + length);
    kept = kept.subarray(end + 4 + length);
    messages.push(JSON.parse(body.toString()));
  }
  working = working.then(() => take(messages));
});
process.stdin.on("end", () => { working = working.then(() => process.exit(1)); });
