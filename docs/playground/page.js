// page.js - the page around the server: a text with colors over it, and views of what the server answers. Nothing waits for an
// answer: keys are shown at once, and what is older than the text is dropped.
const $ = id => document.getElementById(id);
// Each program has a directory of its own: a project.tj is about its neighbors only.
let place = 0;
const URI = name => `file:///playground/${place}/${name}`;
const text = $("text"), colors = $("colors"), view = $("view");
let name = "job.tj", files = {}, version = 0, diagnosed = 0, tab = "objects", legend = [], preview;
let known = "", marks = [], bad = [], problems = [];    // what the colors are about: a text, [from, length, class] and [from, to, class]

function escaped(s) { return s.replace(/[&<>]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]); }
const doc = () => ({ textDocument: { uri: URI(name) } });

// ---- the compiler ----
// Browsers take longer to start a thread than to answer the first question. So the first server is on the page's own thread. When
// its answers are shown, one with a thread of its own (worker.js) gets the compiled module and, when it is ready, takes over.
let post, thread, compiled, here = true;
function bytesOf(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const words = atob(base64), bytes = new Uint8Array(words.length);
  for (let i = 0; i < words.length; i++) bytes[i] = words.charCodeAt(i);
  return bytes;
}
// trainc.wasm, then the programs of the menus as JSON. The page calls piece() with each part of them that has arrived; it is
// unpacked and compiled at once, so that little is left to do after the last one.
const { memory, web_start, web_more, web_room } = new WebAssembly.Instance(new WebAssembly.Module(bytesOf(UNPACK))).exports;
const packedAt = web_room(), unpackedAt = packedAt + PACKED_SIZE + 32;
let arrived = 0, unpacked = 0, feed, menusDone;
const compiling = WebAssembly.compileStreaming(new Response(new ReadableStream({ start(to) { feed = to; } }), { headers: { "content-type": "application/wasm" } }));
const menus = new Promise(done => { menusDone = done; });
memory.grow(Math.ceil((unpackedAt + SIZE) / 65536));
function piece(base64) {
  const bytes = bytesOf(base64), all = new Uint8Array(memory.buffer), before = unpacked;
  all.set(bytes, packedAt + arrived);
  if (!arrived) web_start(packedAt, PACKED_SIZE, unpackedAt, SIZE);
  arrived += bytes.length;
  for (let known = -1; known !== unpacked;) {
    known = unpacked;
    unpacked = web_more(arrived, 4096);
  }
  if (unpacked < 0) return stopped("the page is damaged; load it again");
  const part = (start, end) => all.slice(unpackedAt + start, unpackedAt + Math.min(end, unpacked));
  if (before < WASM_SIZE) feed.enqueue(part(before, WASM_SIZE));
  if (before < WASM_SIZE && unpacked >= WASM_SIZE) feed.close();
  if (unpacked === SIZE) menusDone(part(WASM_SIZE, SIZE));
}
document.addEventListener("DOMContentLoaded", () => arrived < PACKED_SIZE && stopped("the page is incomplete; load it again"));
// Gives the programs of the menus.
async function startHere() {
  const early = [], said = [];
  post = message => early.push(message);
  try {
    compiled = await compiling;
    const server = await openTrainc(compiled, message => said.push(message));
    const take = inTurns(server, error => here && stopped(error.message), () => hear({ data: said.splice(0) }));
    post = message => message.path ? server.file(message.path, message.text) : take(message);
    early.splice(0).forEach(post);
    return JSON.parse(new TextDecoder().decode(await menus));
  } catch (error) { stopped(error.message); }
}
function startThread() {
  const script = [$("engine"), $("worker")].map(part => part.textContent).join("\n");
  thread = new Worker(URL.createObjectURL(new Blob([script], { type: "text/javascript" })));
  thread.onmessage = hear;
  thread.onerror = event => stopped(event.message || "the thread cannot start");
  thread.postMessage({ source: compiled });
}
// From now on the thread is asked. What the server on the page has not answered yet it still answers.
function takeOver() {
  here = false;
  post = message => thread.postMessage(message);
  connect();
  open();
}

// ---- the server ----
const LONGEST = 20000;                                  // milliseconds that a request may take
let last = 0, dead = false;
const waiting = new Map(), newest = new Map();          // id -> { done, began }, kind of request -> id
const notify = (method, params) => post({ method, params });
const idle = () => document.body.toggleAttribute("data-busy", waiting.size > 0 || diagnosed < version);
// Gives the result, or { failed }. A request with a kind takes the place of the one before it.
function ask(method, params, kind) {
  const id = ++last, before = newest.get(kind);
  if (kind && waiting.has(before)) notify("$/cancelRequest", { id: before });
  if (kind) newest.set(kind, id);
  post({ id, method, params: { ...doc(), ...params } });
  return new Promise(done => { waiting.set(id, { done, began: Date.now() }); idle(); });
}
// An answer about the text as it is now: undefined when the text has changed since.
async function about(method, params, kind) {
  const asked = version, found = await ask(method, params, kind);
  return asked === version ? found : undefined;
}
// What the thread has to say comes in lists: the answers about a text are shown together.
function hear({ data }) {
  for (const one of data) heard(one);
  idle();
}
function heard(data) {
  if (data.ended) return stopped(data.ended);
  if (data.ready) return here && takeOver();
  if (data.method === "textDocument/publishDiagnostics" && data.params.uri === URI(name)) diagnose(data.params);
  const asked = waiting.get(data.id);
  if (!data.method && asked) {
    waiting.delete(data.id);
    asked.done(data.error ? { failed: data.error.message } : data.result);
  }
}
function stopped(why) {
  thread?.terminate();
  here = false;
  dead = true;
  for (const { done } of waiting.values()) done({ failed: why });
  waiting.clear();
  $("state").textContent = `the compiler stopped (${why}); it starts again with the next edit`;
  document.body.dataset.stopped = "yes";
}
setInterval(() => {
  for (const { began } of waiting.values()) if (Date.now() - began > LONGEST) return stopped("no answer");
}, 1000);
// What follows need not wait for the answer: the server reads one message after the other.
async function connect() {
  const asked = ask("initialize", { processId: null, rootUri: null, capabilities: {
    textDocument: { codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix"] } } }, publishDiagnostics: { dataSupport: true },
      hover: { contentFormat: ["markdown"] }, completion: { completionItem: { snippetSupport: false } } } }, initializationOptions: { virtualDocuments: true } });
  notify("initialized", {});
  const { capabilities, failed } = await asked;
  if (!failed) legend = capabilities.semanticTokensProvider.legend.tokenTypes;
}
function restart() {
  if (!compiled) return;
  dead = false;
  delete document.body.dataset.stopped;
  startThread();
  takeOver();
  answer();
}

// ---- places ----
function position(offset) {
  const before = text.value.slice(0, offset), line = before.split("\n").length - 1;
  return { line, character: offset - before.lastIndexOf("\n") - 1 };
}
function offsetOf(p) {
  let at = 0;
  for (let i = 0; i < p.line; i++) {
    const next = text.value.indexOf("\n", at);
    if (next < 0) return text.value.length;
    at = next + 1;
  }
  return at + p.character;
}
// Writes as a person does, so that Ctrl+Z takes it back; edits at once are one edit for the server.
let writing = false;
function write(edits) {
  writing = true;
  text.focus();
  for (const [from, to, words] of edits.sort((a, b) => b[0] - a[0])) {
    text.setSelectionRange(from, to);
    if (from < to || words) {
      const done = document.execCommand(words ? "insertText" : "delete", false, words);
      if (!done) text.setRangeText(words, from, to, "end");
    }
  }
  writing = false;
  edited();
}
const applyEdits = edits => write(edits.map(e => [offsetOf(e.range.start), offsetOf(e.range.end), e.newText]));

// ---- colors ----
// Until the server has answered, colors and squiggles move with the text that they belong to.
function move() {
  const now = text.value, most = Math.min(now.length, known.length);
  let same = 0, tail = 0;
  while (same < most && now[same] === known[same]) same++;
  while (tail < most - same && now[now.length - 1 - tail] === known[known.length - 1 - tail]) tail++;
  const end = known.length - tail, by = now.length - known.length;
  const at = offset => offset <= same ? offset : offset >= end ? offset + by : same;
  marks = marks.map(([from, n, kind]) => [at(from), at(from + n) - at(from), kind]).filter(m => m[1] > 0);
  bad = bad.map(([from, to, kind]) => [at(from), at(to), kind]).filter(b => b[1] > b[0]);
  known = now;
}
let numbered = 0;
function number(lines) {
  if (lines === numbered) return;
  numbered = lines;
  $("numbers").textContent = Array.from({ length: lines }, (_, i) => i + 1).join("\n") + "\n\n";
  $("numbers").scrollTop = text.scrollTop;
}
function paint() {
  const source = text.value, cuts = new Set([0, source.length]);
  for (const [from, n] of marks) { cuts.add(from); cuts.add(from + n); }
  for (const [from, to] of bad) { cuts.add(from); cuts.add(Math.min(to, source.length)); }
  const places = [...cuts].sort((a, b) => a - b);
  let out = "", k = 0;
  for (let i = 0; i + 1 < places.length; i++) {
    const from = places[i];
    while (k < marks.length && marks[k][0] + marks[k][1] <= from) k++;
    const names = [k < marks.length && marks[k][0] <= from ? marks[k][2] : "", ...bad.filter(b => b[0] <= from && from < b[1]).map(b => b[2])].filter(Boolean);
    const piece = escaped(source.slice(from, places[i + 1]));
    out += names.length ? `<span class="${names.join(" ")}">${piece}</span>` : piece;
  }
  colors.innerHTML = out + "\n";
  number(source.split("\n").length);
  colors.scrollTop = text.scrollTop;
  colors.scrollLeft = text.scrollLeft;
}
async function color() {
  const tokens = (await about("textDocument/semanticTokens/full", {}, "colors"))?.data;
  if (tokens) colorWith(tokens);
}
function colorWith(tokens) {
  const lines = [0];
  for (let at = text.value.indexOf("\n"); at >= 0; at = text.value.indexOf("\n", at + 1)) lines.push(at + 1);
  marks = [];
  for (let i = 0, line = 0, column = 0; i < tokens.length; i += 5) {
    column = tokens[i] ? tokens[i + 1] : column + tokens[i + 1];
    line += tokens[i];
    marks.push([lines[line] + column, tokens[i + 2], legend[tokens[i + 3]]]);
  }
  paint();
}

// ---- problems ----
function diagnose(params) {
  if (params.version < version || diagnosed === version) return;
  diagnosed = version;
  problems = params.diagnostics;
  bad = problems.map(p => [offsetOf(p.range.start), Math.max(offsetOf(p.range.end), offsetOf(p.range.start) + 1), p.severity === 1 ? "error" : "warning"]);
  paint();
  showProblems();
}
function button(label, action) {
  const made = document.createElement("button");
  made.type = "button";
  made.textContent = label;
  made.onclick = action;
  return made;
}
async function showProblems() {
  $("state").textContent = problems.length ? `${problems.length} problem${problems.length > 1 ? "s" : ""}` : "no problems";
  const fixes = await Promise.all(problems.map(p => about("textDocument/codeAction", { range: p.range, context: { diagnostics: [p], only: ["quickfix"] } })));
  if (fixes.includes(undefined)) return;
  $("problems").replaceChildren(...problems.map((p, i) => {
    const item = document.createElement("li"), [what, ...more] = p.message.split("\n");
    item.className = "severity-" + p.severity;
    item.append(button("line " + (p.range.start.line + 1), () => { text.focus(); text.setSelectionRange(offsetOf(p.range.start), offsetOf(p.range.end)); }));
    item.append(` ${what} [${p.code}]`);
    for (const action of Array.isArray(fixes[i]) ? fixes[i] : []) {
      const edits = action.edit?.documentChanges?.flatMap(c => c.edits) ?? action.edit?.changes?.[URI(name)];
      if (edits) item.append(button(action.title, () => applyEdits(edits)));
    }
    if (more.length) {
      const help = document.createElement("div");
      help.textContent = more.join("\n");
      item.append(help);
    }
    return item;
  }));
}

// ---- views ----
// A line of YAML with colors.
function yaml(line) {
  const parts = /^(\s*(?:- )*)(?:("[^"]*"|[^\s:#"'-][^:]*)(:)(?=\s|$))?(\s*)(.*)$/.exec(line), value = parts?.[5] ?? "";
  const kind = /^#|^---/.test(value) ? "comment" : /^["'|>]/.test(value) ? "string" : /^(-?\d[\w.]*|true|false|null)$/.test(value) ? "number" : "";
  return [[parts?.[1] ?? line, ""], [parts?.[2] ?? "", "property"], [(parts?.[3] ?? "") + (parts?.[4] ?? ""), ""], [value, kind]];
}
function lines(found, colored) {
  const pre = document.createElement("pre");
  const note = found?.stale ? ["# The program has errors: this is from its last sound text."] : [];
  const rows = found?.failed ? [found.failed[0].toUpperCase() + found.failed.slice(1) + "."] : (found?.text ?? "").split("\n");
  pre.append(...[...note, ...rows].map((line, i) => {
    const row = document.createElement("span");
    row.className = i < note.length ? "line comment" : "line";
    for (const [piece, kind] of colored && i >= note.length && !found?.failed ? yaml(line) : [[line, ""]]) {
      if (!piece) continue;
      const part = document.createElement(kind ? "span" : "i");
      if (kind) part.className = kind;
      part.textContent = piece;
      row.append(part);
    }
    row.append("\n");
    return row;
  }));
  return pre;
}
function drawing(found) {
  const box = document.createElement("div");
  if (found?.drawing) box.innerHTML = found.drawing; else return lines(found);
  return box;
}
const views = {
  objects: ["trainc/preview", found => { preview = found.stale ? { ...found, map: [null, ...found.map] } : found; return lines(found, true); }],
  environment: ["trainc/environment", found => lines(found)],
  plan: ["trainc/plan", found => lines(found)],
  drawing: ["trainc/plan", drawing],
};
async function show() {
  const [method, draw] = views[tab], shown = tab, found = await about(method, {}, "view");
  if (found && shown === tab && found.failed !== "the request was cancelled") put(draw(found));
}
function put(drawn) {
  const at = view.scrollTop;
  view.replaceChildren(drawn);
  view.scrollTop = at;
  follow();
}
// The lines of the objects that the cursor's line decided.
function follow() {
  if (tab !== "objects" || !preview?.map) return;
  const line = position(text.selectionStart).line, rows = view.querySelectorAll(".line");
  let first;
  preview.map.forEach((from, i) => {
    const here = from && preview.sources[from[0]] === URI(name) && from[1] === line;
    rows[i]?.classList.toggle("here", !!here);
    if (here) first ??= rows[i];
  });
  if (first && document.activeElement === text) first.scrollIntoView({ block: "nearest" });
}
view.addEventListener("click", event => {
  const i = [...view.querySelectorAll(".line")].indexOf(event.target.closest(".line")), from = tab === "objects" && preview?.map?.[i];
  if (!from || preview.sources[from[0]] !== URI(name)) return;
  const at = offsetOf({ line: from[1], character: 0 });
  text.focus();
  text.setSelectionRange(at, at);
  follow();
});
function choose(next) {
  tab = next;
  for (const one of $("tabs").children) {
    const on = one.id === "tab-" + tab;
    one.setAttribute("aria-selected", on);
    one.tabIndex = on ? 0 : -1;
  }
  view.setAttribute("aria-labelledby", "tab-" + tab);
  view.scrollTop = 0;
  show();
}
$("tabs").addEventListener("click", e => e.target.id && e.target !== $("tabs") && choose(e.target.id.slice(4)));
$("tabs").addEventListener("keydown", e => {
  const all = [...$("tabs").children], step = { ArrowRight: 1, ArrowLeft: -1 }[e.key];
  if (!step) return;
  const next = all[(all.indexOf(document.activeElement) + step + all.length) % all.length];
  next.focus();
  choose(next.id.slice(4));
});

// ---- editing ----
function edited() {
  move();
  version++;
  paint();
  if (dead) return restart();
  notify("textDocument/didChange", { textDocument: { uri: URI(name), version }, contentChanges: [{ text: text.value }] });
  answer();
}
function answer() {
  color();
  show();
  idle();
}
// What the protocol calls markdown, as far as the server uses it.
function markdown(source) {
  return source.split(/```\w*\n([^]*?)\n?```\n?/).flatMap((part, i) => {
    if (i % 2 === 0) return part.trim().split(/`([^`]+)`/).map((piece, k) => k % 2 ? Object.assign(document.createElement("code"), { textContent: piece }) : piece);
    return [Object.assign(document.createElement("pre"), { textContent: part })];
  });
}
async function hover() {
  follow();
  const found = await about("textDocument/hover", { position: position(text.selectionStart) }, "hover");
  if (found?.failed || !choices.hidden) return;
  $("hover").replaceChildren(...markdown(found?.contents?.value ?? ""));
}
const choices = $("choices");
let offered = [];
async function complete() {
  const at = text.selectionStart, found = await about("textDocument/completion", { position: position(at) }, "completion");
  if (!found?.items || at !== text.selectionStart) return;
  const before = text.value.slice(0, at).match(/\w*$/)[0].toLowerCase();
  offered = found.items.filter(i => i.label.toLowerCase().includes(before)).slice(0, 60);
  choices.hidden = !offered.length;
  choices.replaceChildren(...offered.map((item, i) => {
    const li = document.createElement("li"), detail = document.createElement("small");
    li.role = "option";
    li.id = "choice-" + i;
    detail.textContent = item.detail ?? "";
    li.append(item.label, detail);
    li.onmousedown = e => { e.preventDefault(); accept(i); };
    return li;
  }));
  beside(at - before.length);
  select(0);
}
// Puts the choices below the word at the offset, or above where there is more room.
function beside(offset) {
  const p = position(offset), style = getComputedStyle(text), high = parseFloat(style.lineHeight), ruler = Object.assign(document.createElement("span"), { textContent: "0".repeat(100) });
  colors.append(ruler);
  const wide = ruler.getBoundingClientRect().width / 100;
  ruler.remove();
  const top = parseFloat(style.paddingTop) + p.line * high - text.scrollTop, room = text.clientHeight - top - high;
  choices.style.maxHeight = Math.max(60, Math.min(220, Math.max(room, top) - 8)) + "px";
  choices.style.left = text.offsetLeft + Math.max(0, Math.min(parseFloat(style.paddingLeft) + p.character * wide - text.scrollLeft, text.clientWidth - choices.offsetWidth)) + "px";
  choices.style.top = (room >= choices.offsetHeight || room > top ? top + high : top - choices.offsetHeight) + "px";
}
function select(i) {
  [...choices.children].forEach((li, k) => li.setAttribute("aria-selected", k === i));
  choices.children[i]?.scrollIntoView({ block: "nearest" });
  if (choices.hidden) return text.removeAttribute("aria-activedescendant");
  text.setAttribute("aria-activedescendant", "choice-" + i);
  const about = offered[i]?.documentation;
  $("hover").replaceChildren(...markdown(about?.value ?? about ?? ""));
}
const selected = () => [...choices.children].findIndex(li => li.getAttribute("aria-selected") === "true");
function hide() {
  choices.hidden = true;
  text.removeAttribute("aria-activedescendant");
}
function accept(i) {
  const item = offered[i], at = text.selectionStart, start = at - text.value.slice(0, at).match(/\w*$/)[0].length;
  const range = item.textEdit?.range ?? item.textEdit?.replace;
  const words = (item.textEdit?.newText ?? item.insertText ?? item.label).replace(/\$\{\d+:?([^}]*)\}|\$\d+/g, "$1");
  const from = range ? offsetOf(range.start) : start, to = range ? Math.max(offsetOf(range.end), at) : at;
  const more = (item.additionalTextEdits ?? []).map(e => [offsetOf(e.range.start), offsetOf(e.range.end), e.newText]);
  const end = from + words.length + more.reduce((n, [a, b, w]) => n + w.length - (b - a), 0);
  hide();
  write([...more, [from, to, words]]);
  text.setSelectionRange(end, end);
}
// A new line begins where the last one did, or one step further in a block.
function newLine() {
  const from = text.selectionStart, before = text.value.slice(text.value.lastIndexOf("\n", from - 1) + 1, from), words = "\n" + /^ */.exec(before)[0] + (/[{[(]\s*$/.test(before) ? "  " : "");
  write([[from, text.selectionEnd, words]]);
  text.setSelectionRange(from + words.length, from + words.length);
}
// A brace alone on its line steps back.
function closeBlock() {
  const at = text.selectionStart;
  if (/(^|\n) *  $/.test(text.value.slice(0, at))) write([[at - 2, at, ""]]);
}
text.addEventListener("keydown", e => {
  if (e.key === " " && e.ctrlKey) { e.preventDefault(); complete(); return; }
  if (choices.hidden && e.key === "Enter" && !e.isComposing && !e.ctrlKey && !e.altKey && !e.metaKey) { e.preventDefault(); newLine(); return; }
  if (e.key === "}" && text.selectionStart === text.selectionEnd && !e.ctrlKey && !e.metaKey) closeBlock();
  if (choices.hidden) return;
  const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
  if (step) { e.preventDefault(); select((selected() + step + offered.length) % offered.length); }
  else if (e.key === "Enter" || e.key === "Tab") { e.preventDefault(); accept(selected()); }
  else if (e.key === "Escape") { e.preventDefault(); hide(); }
});
text.addEventListener("blur", hide);
text.addEventListener("input", () => {
  if (writing) return;
  edited();
  if (!choices.hidden) complete();
});
text.addEventListener("scroll", () => { $("numbers").scrollTop = colors.scrollTop = text.scrollTop; colors.scrollLeft = text.scrollLeft; });
document.addEventListener("selectionchange", () => document.activeElement === text && legend.length && !writing && hover());

// ---- programs ----
function open() {
  for (const [file, content] of Object.entries(files)) post({ path: `/playground/${place}/${file}`, text: content });
  notify("textDocument/didOpen", { textDocument: { uri: URI(name), languageId: "tj", version, text: text.value } });
}
function load(program, menu) {
  if (version) notify("textDocument/didClose", doc());
  for (const other of [$("examples"), $("mistakes")]) if (other !== menu) other.value = "";
  hide();
  place++;
  ({ name, files } = program);
  known = text.value = files[name];
  marks = bad = problems = [];
  preview = undefined;
  $("hover").textContent = "";
  text.scrollTop = text.scrollLeft = 0;
  version++;
  paint();
  if (dead) return restart();
  open();
  answer();
}
function fill(menu, programs, first) {
  menu.replaceChildren(new Option(first, ""), ...programs.map((p, i) => new Option(p.title, i)));
  menu.onchange = () => menu.value !== "" && load(programs[menu.value], menu);
}

// ---- a link that holds the program ----
const coded = bytes => btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
async function through(stream, bytes) { return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer()); }
const uncoded = s => Uint8Array.from(atob(s.replace(/-/g, "+").replace(/_/g, "/")), c => c.charCodeAt(0));
async function link() { return "#" + coded(await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text.value))); }
async function linked() {
  if (location.hash.length < 2) return undefined;
  try { return new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), uncoded(location.hash.slice(1)))); } catch { return undefined; }
}
$("share").onclick = async () => {
  location.hash = await link();
  try { await navigator.clipboard.writeText(location.href); $("state").textContent = "link copied"; } catch { $("state").textContent = "the link is in the address bar"; }
};
$("format").onclick = async () => {
  const edits = await about("textDocument/formatting", { options: { tabSize: 2, insertSpaces: true } });
  if (Array.isArray(edits)) applyEdits(edits);
};
$("theme").onclick = () => {
  const dark = getComputedStyle(document.documentElement).colorScheme === "dark" || (document.documentElement.style.colorScheme === "" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.style.colorScheme = dark ? "light" : "dark";
};
$("import").onclick = () => {
  $("paste-messages").textContent = "";
  $("paste").showModal();
};
$("paste-ok").onclick = async () => {
  const found = await ask("trainc/import", { text: $("manifest").value });
  const said = (found?.messages ?? []).map(m => `line ${m.line + 1}: ${m.message} [${m.code}]` + (m.help ? `\nhelp: ${m.help}` : ""));
  if (found?.text) load({ name: "job.tj", files: { "job.tj": found.text } });
  if (found?.text && !said.length) return $("paste").close();
  $("paste-messages").textContent = [found?.text ? "The program is in the editor. The manifest has more than it says:" : found?.failed ?? "No program was made:", ...said].join("\n");
};

// Shows what the compiler said about the first example when the page was built, until the page's own compiler says the same.
function showBuilt({ legend: kinds, tokens, preview: found }) {
  legend = kinds;
  colorWith(tokens);
  put(views.objects[1](found));
  performance.mark("first");
}
// The first program is shown while the page unpacks the compiler: that of the address, else the first example.
async function begin() {
  const started = startHere();
  connect();
  const given = await linked();
  load(given ? { name: "job.tj", files: { "job.tj": given } } : FIRST);
  if (!given) showBuilt(FIRST.answers);
  const programs = await started;
  if (!programs) return;
  fill($("examples"), programs.examples, "choose an example");
  fill($("mistakes"), programs.mistakes, "choose a mistake");
  if (!given) $("examples").value = "0";
}
begin();
new MutationObserver((_, observer) => {
  if (document.body.hasAttribute("data-busy") || !version) return;
  observer.disconnect();
  performance.mark("ready");
  document.body.dataset.ready = "yes";
  if (here) startThread();
}).observe(document.body, { attributeFilter: ["data-busy"] });
