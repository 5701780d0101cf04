// typed.mjs ADDRESS NODE_DIRECTORY [PICTURES] - each example typed from scratch in a real VS Code, with completion.
//
// The folder that VS Code has open is FOLDER, with a directory for each example, in which typed-EXAMPLE.tj is empty. Every word that
// `trainc lsp` offers at its place is begun, found in the list of VS Code and accepted with Tab; new names, numbers and texts
// are written. What VS Code then saves is the example, letter by letter, and it compiles. SHOW=1 prints the keys: ⇥ accepts,
// ↓ moves in the list, ⏎ is a new line. ONLY=01 types some of the examples.
import path from "node:path";
import fs from "node:fs";
import { createRequire } from "node:module";
import { spawn, spawnSync } from "node:child_process";
import { pathToFileURL } from "node:url";

const [address, node, pictures] = process.argv.slice(2), { TRAINC, FOLDER, SHOW, ONLY } = process.env;
const { chromium } = createRequire(path.resolve(node, "x.js"))("playwright-core");
const PATIENCE = 30000;                                 // milliseconds that a busy machine may take to show something
const LEAST = 0.6;                                      // share of the words of all examples that are accepted

// ---- what the server offers ----

class Server {
  constructor() {
    this.process = spawn(TRAINC, ["lsp"], { stdio: ["pipe", "pipe", "ignore"] });
    this.kept = Buffer.alloc(0);
    this.waiting = new Map();
    this.last = 0;
    this.process.stdout.on("data", data => this.hear(data));
  }
  hear(data) {
    this.kept = Buffer.concat([this.kept, data]);
    for (;;) {
      const end = this.kept.indexOf("\r\n\r\n"), length = end < 0 ? 0 : Number(/Content-Length: (\d+)/i.exec(this.kept.subarray(0, end))[1]);
      if (end < 0 || this.kept.length < end + 4 + length) return;
      const message = JSON.parse(this.kept.subarray(end + 4, end + 4 + length).toString());
      this.kept = this.kept.subarray(end + 4 + length);
      this.waiting.get(message.id)?.(message.result);
    }
  }
  send(message) {
    const body = Buffer.from(JSON.stringify({ jsonrpc: "2.0", ...message }));
    this.process.stdin.write(`Content-Length: ${body.length}\r\n\r\n`);
    this.process.stdin.write(body);
  }
  ask(method, params) {
    const id = ++this.last;
    this.send({ id, method, params });
    return new Promise(done => this.waiting.set(id, done));
  }
  async start() {
    await this.ask("initialize", { processId: null, rootUri: pathToFileURL(FOLDER).href, capabilities: { general: { positionEncodings: ["utf-16"] },
      textDocument: { completion: { completionItem: { snippetSupport: true } } } } });
    this.send({ method: "initialized", params: {} });
  }
  async offered(uri, text) {
    this.version = (this.version ?? 0) + 1;
    const lines = text.split("\n");
    this.send({ method: "textDocument/didChange", params: { textDocument: { uri, version: this.version }, contentChanges: [{ text }] } });
    const found = await this.ask("textDocument/completion", { textDocument: { uri }, position: { line: lines.length - 1, character: lines.at(-1).length } });
    return found?.items ?? [];
  }
}

// ---- the keys of a program ----

// The words of the program and the text between them: { text, word }.
function pieces(file) {
  const source = fs.readFileSync(file, "utf8"), starts = [0], out = [];
  for (const line of source.split("\n")) starts.push(starts.at(-1) + line.length + 1);
  const dump = spawnSync(TRAINC, ["dump", "--tokens", file], { encoding: "utf8" });
  let at = 0;
  for (const row of dump.stdout.split("\n")) {
    const m = /^(\d+):(\d+) (?:WORD|IDENT) (".*")$/.exec(row);
    if (!m) continue;
    const from = starts[m[1] - 1] + Number(m[2]) - 1, word = JSON.parse(m[3]);
    out.push({ text: source.slice(at, from), word: false }, { text: word, word: true });
    at = from + word.length;
  }
  out.push({ text: source.slice(at), word: false });
  // Without comments, and with one space where the formatter aligns.
  return out.map(p => p.word ? p : { ...p, text: p.text.replace(/(^|\n)[ \t]*#[^\n]*(?=\n)/g, "$1").replace(/[ \t]+#[^\n]*/g, "").replace(/ {2,}(?==)/g, " ").replace(/\n{3,}/g, "\n\n") });
}
// The text that the item inserts before its first placeholder.
function written(item, line) {
  const text = (item.textEdit?.newText ?? item.insertText ?? item.label).replace(/\n/g, "\n" + /^ */.exec(line)[0]);
  return (item.insertTextFormat === 2 ? text.split(/\$\{?\d/)[0] : text).replace(/\\([$}\\])/g, "$1");
}
function common(a, b) {
  let n = 0;
  while (n < a.length && a[n] === b[n]) n++;
  return a.slice(0, n);
}
// Yields { write } and { begin, label }: the target is text + what still follows.
async function* script(server, file, uri) {
  const parts = pieces(file), target = parts.map(p => p.text).join("").replace(/^\n+/, "");
  let at = target.length - parts.map(p => p.text).join("").length;
  let done = "";
  for (const part of parts) {
    at += part.text.length;                             // where this piece ends in the target
    if (at <= done.length) continue;                    // an item has already inserted it
    const rest = target.slice(done.length, at);
    if (!part.word || part.text.length < 3 || rest !== part.text) {
      yield { write: rest };
      done += rest;
      continue;
    }
    const items = await server.offered(uri, done), line = done.split("\n").at(-1), ahead = target.slice(done.length);
    const fit = items.filter(i => !i.additionalTextEdits && i.label.startsWith(part.text)).map(i => ({ label: i.label, text: written(i, line) }))
      .filter(i => i.text.startsWith(part.text) && ahead.startsWith(i.text)).sort((a, b) => b.text.length - a.text.length)[0];
    // The list finds nvidia.h100 by the part after the dot.
    yield fit ? { begin: common(fit.label, fit.text).split(".").at(-1), label: fit.label, text: fit.text } : { write: rest, word: true };
    done += fit ? fit.text : rest;
  }
  if (done !== target) throw new Error("the keys make another text");
  return target;
}

// ---- VS Code ----

let passed = 0, failed = 0, accepted = 0, words = 0;
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1300, height: 850 } });
page.setDefaultTimeout(PATIENCE);
const focused = page.locator(".suggest-widget.visible .monaco-list-row.focused .label-name");
const focus = async () => (await focused.count()) ? focused.first().innerText({ timeout: 500 }).catch(() => "") : "";
const rows = () => page.locator(".suggest-widget.visible .monaco-list-row .label-name").allInnerTexts();

// Types the word until the list has the item, selects it and accepts it.  Returns the keys.
async function accept(step) {
  let keys = "";
  for (const letter of step.begin) {
    await page.keyboard.type(letter);
    keys += letter;
    if (keys.length < 2) continue;
    const first = Date.now() + (keys.length === 2 ? PATIENCE : 500);
    let now = await rows();
    for (let seen = 0; !now.includes(step.label) && Date.now() < (seen ? Math.min(first, seen + 250) : first); now = await rows()) {
      if (now.length) seen ||= Date.now();
      await page.waitForTimeout(15);
    }
    for (let down = 0; down < 8 && (await rows()).includes(step.label); down++) {
      if (await focus() === step.label) {
        await page.keyboard.press("Tab");
        await page.keyboard.press("Control+Shift+End");         // what the item inserted after the cursor
        return keys + "⇥";
      }
      await page.keyboard.press("ArrowDown");
      keys += "↓";
      await page.waitForTimeout(20);
    }
    keys = keys.replace(/↓/g, "");
  }
  throw new Error(`VS Code does not offer ${step.label} after ${keys}: ${(await rows()).slice(0, 8)}`);
}
// Opens a file by its name; a list that is still being filled may lose the key, so it is requested again.
async function open(name) {
  const active = page.locator(".tab.active", { hasText: name });
  for (const end = Date.now() + 2 * PATIENCE; !await active.count();) {
    await page.keyboard.press("Control+P");
    await page.keyboard.type(name);
    try {
      await page.locator(".quick-input-list .monaco-list-row.focused", { hasText: name }).first().waitFor();
      await page.keyboard.press("Enter");
      await active.waitFor({ timeout: PATIENCE / 4 });
    } catch (error) {
      if (Date.now() > end) throw error;
      await page.keyboard.press("Escape");
    }
  }
}
async function type(server, directory, file) {
  const typed = path.join(FOLDER, directory, `typed-${directory}.tj`), uri = pathToFileURL(path.join(FOLDER, directory, "script.tj")).href;
  await open(path.basename(typed));
  await page.locator(".editor-group-container.active .monaco-editor .view-lines").first().click();
  server.version = 0;
  server.send({ method: "textDocument/didOpen", params: { textDocument: { uri, languageId: "tj", version: 0, text: "" } } });
  const steps = script(server, file, uri);
  let keys = "", target = "";
  for (;;) {
    const { value: step, done } = await steps.next();
    if (done) { target = step; break; }
    if (step.write !== undefined) {
      if (step.write) await page.keyboard.insertText(step.write);
      keys += step.write.replace(/\n/g, "⏎");
      words += step.word ? 1 : 0;
    } else {
      keys += await accept(step);
      accepted++, words++;
    }
  }
  await page.keyboard.press("Escape");
  await page.keyboard.press("Control+S");
  const read = () => fs.readFileSync(typed, "utf8").replace(/\s+$/, "");
  for (let i = 0; i < PATIENCE / 50 && read() !== target.replace(/\s+$/, ""); i++) await page.waitForTimeout(50);
  if (SHOW) console.log(`${directory}: ${keys}`);
  if (read() !== target.replace(/\s+$/, "")) throw new Error(`another text was saved:\n${read()}\n---- wanted\n${target}`);
  const compiled = spawnSync(TRAINC, ["compile", typed], { encoding: "utf8" });
  if (compiled.status || !compiled.stdout.includes("kind: ")) throw new Error(compiled.stderr);
  if (pictures) await page.screenshot({ path: path.join(pictures, `typed-${directory}.png`) });
  await page.keyboard.press("Control+F4");
}

const server = new Server();
await server.start();
await page.goto(address);
await page.locator(".explorer-folders-view .monaco-list-row").first().waitFor({ timeout: 60000 });
for (const directory of fs.readdirSync(FOLDER).filter(d => /^\d\d-/.test(d) && (!ONLY || d.startsWith(ONLY))).sort()) {
  // The program with a job; modules next to it already exist.
  const file = fs.readdirSync(path.join(FOLDER, directory)).filter(f => f.endsWith(".tj") && f !== "project.tj" && !f.startsWith("typed-")).map(f => path.join(FOLDER, directory, f))
    .find(f => /^(job|for) /m.test(fs.readFileSync(f, "utf8")));
  const begin = Date.now();
  try {
    await type(server, directory, file);
    passed++;
    console.log(`ok ${directory} (${Math.round((Date.now() - begin) / 1000)} s)`);
  } catch (error) {
    failed++;
    console.log(`FAIL ${directory}: ${error.message.slice(0, 1500)}`);
    if (pictures) await page.screenshot({ path: path.join(pictures, `typed-${directory}-failed.png`) });
    await page.keyboard.press("Escape");
    await page.keyboard.press("Control+S");
    await page.keyboard.press("Control+F4");
  }
}
console.log(`${accepted} of ${words} words of the examples are accepted from the list`);
if (accepted < LEAST * words) { failed++; console.log("FAIL too few"); } else passed++;
await browser.close();
server.process.kill();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
