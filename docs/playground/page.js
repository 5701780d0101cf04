// page.js - the page around engine.js: a text with colors over it, and views of what the server answers.
const $ = id => document.getElementById(id);
// Each program has a directory of its own: a project.tj is about its neighbors only.
let place = 0;
const URI = name => `file:///playground/${place}/${name}`;
const text = $("text"), colors = $("colors"), view = $("view");
let engine, data, name = "job.tj", version = 0, problems = [], tab = "objects", legend = [], preview;

function escaped(s) { return s.replace(/[&<>]/g, c => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;" })[c]); }
const doc = () => ({ textDocument: { uri: URI(name) } });
function ask(method, params) {
  try { return engine.request(method, { ...doc(), ...params }); } catch (error) { return { failed: error.message }; }
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
function applyEdits(edits) {
  for (const e of [...edits].sort((a, b) => offsetOf(b.range.start) - offsetOf(a.range.start))) {
    text.setRangeText(e.newText, offsetOf(e.range.start), offsetOf(e.range.end), "end");
  }
  edited();
}

// ---- colors ----
function paint() {
  const marks = [], source = text.value, tokens = ask("textDocument/semanticTokens/full")?.data ?? [];
  const lines = [0];
  for (let i = 0; i < source.length; i++) if (source[i] === "\n") lines.push(i + 1);
  let line = 0, column = 0;
  for (let i = 0; i < tokens.length; i += 5) {
    column = tokens[i] ? tokens[i + 1] : column + tokens[i + 1];
    line += tokens[i];
    marks.push([lines[line] + column, tokens[i + 2], legend[tokens[i + 3]]]);
  }
  const bad = problems.map(p => [offsetOf(p.range.start), Math.max(offsetOf(p.range.end), offsetOf(p.range.start) + 1), p.severity === 1 ? "error" : "warning"]);
  const cuts = new Set([0, source.length]);
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
  colors.scrollTop = text.scrollTop;
  colors.scrollLeft = text.scrollLeft;
}

// ---- problems ----
function showProblems() {
  const list = $("problems");
  list.replaceChildren(...problems.map(p => {
    const item = document.createElement("li");
    item.className = "severity-" + p.severity;
    const go = document.createElement("button");
    go.type = "button";
    go.textContent = "line " + (p.range.start.line + 1);
    go.onclick = () => { text.focus(); text.setSelectionRange(offsetOf(p.range.start), offsetOf(p.range.end)); };
    item.append(go, ` ${p.message.split("\n")[0]} [${p.code}]`);
    const actions = ask("textDocument/codeAction", { range: p.range, context: { diagnostics: [p], only: ["quickfix"] } });
    for (const action of Array.isArray(actions) ? actions : []) {
      const edits = action.edit?.documentChanges?.flatMap(c => c.edits) ?? action.edit?.changes?.[URI(name)];
      if (!edits) continue;
      const fix = document.createElement("button");
      fix.type = "button";
      fix.textContent = action.title;
      fix.onclick = () => { applyEdits(edits); text.focus(); };
      item.append(fix);
    }
    return item;
  }));
  $("state").textContent = problems.length ? `${problems.length} problem${problems.length > 1 ? "s" : ""}` : "no problems";
}

// ---- views ----
const views = {
  objects() {
    preview = ask("trainc/preview", {});
    return lines(preview);
  },
  environment: () => lines(ask("trainc/environment", {})),
  plan: () => lines(ask("trainc/plan", {})),
  drawing() {
    const found = ask("trainc/plan", {});
    const box = document.createElement("div");
    if (found?.drawing) box.innerHTML = found.drawing; else box.textContent = found?.failed ?? "";
    return box;
  },
};
function lines(found) {
  const pre = document.createElement("pre");
  pre.append(...(found?.text ?? found?.failed ?? "").split("\n").map(line => {
    const span = document.createElement("span");
    span.textContent = line + "\n";
    return span;
  }));
  return pre;
}
function show() { view.replaceChildren(views[tab]()); follow(); }
// The lines of the objects that the cursor's line decided.
function follow() {
  if (tab !== "objects" || !preview?.map) return;
  const line = position(text.selectionStart).line, spans = view.querySelectorAll("span");
  let first;
  preview.map.forEach((from, i) => {
    const here = from && preview.sources[from[0]] === URI(name) && from[1] === line;
    spans[i]?.classList.toggle("here", !!here);
    if (here) first ??= spans[i];
  });
  first?.scrollIntoView({ block: "nearest" });
}
view.addEventListener("click", event => {
  const i = [...view.querySelectorAll("span")].indexOf(event.target), from = tab === "objects" && preview?.map?.[i];
  if (!from || preview.sources[from[0]] !== URI(name)) return;
  const at = offsetOf({ line: from[1], character: 0 });
  text.focus();
  text.setSelectionRange(at, at);
  follow();
});
function choose(next) {
  tab = next;
  for (const button of $("tabs").children) {
    const on = button.id === "tab-" + tab;
    button.setAttribute("aria-selected", on);
    button.tabIndex = on ? 0 : -1;
  }
  view.setAttribute("aria-labelledby", "tab-" + tab);
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
  engine.notify("textDocument/didChange", { textDocument: { uri: URI(name), version: ++version }, contentChanges: [{ text: text.value }] });
  answered();
}
function answered() {
  paint();
  showProblems();
  show();
}
function hover() {
  const found = ask("textDocument/hover", { position: position(text.selectionStart) });
  $("hover").textContent = found?.contents?.value ?? "";
  follow();
}
const choices = $("choices");
let offered = [];
function complete() {
  const found = ask("textDocument/completion", { position: position(text.selectionStart) });
  const before = text.value.slice(0, text.selectionStart).match(/\w*$/)[0].toLowerCase();
  offered = (found?.items ?? found ?? []).filter?.(i => i.label.toLowerCase().includes(before)).slice(0, 60) ?? [];
  choices.hidden = !offered.length;
  choices.replaceChildren(...offered.map((item, i) => {
    const li = document.createElement("li");
    li.role = "option";
    li.id = "choice-" + i;
    li.textContent = item.label;
    li.onmousedown = e => { e.preventDefault(); accept(i); };
    return li;
  }));
  const p = position(text.selectionStart);
  choices.style.left = Math.min(12 + p.character * 7.8, text.clientWidth - 200) + "px";
  choices.style.top = 10 + (p.line + 1) * 19.5 - text.scrollTop + "px";
  select(0);
}
function select(i) {
  [...choices.children].forEach((li, k) => li.setAttribute("aria-selected", k === i));
  choices.children[i]?.scrollIntoView({ block: "nearest" });
  if (choices.hidden) text.removeAttribute("aria-activedescendant"); else text.setAttribute("aria-activedescendant", "choice-" + i);
}
const selected = () => [...choices.children].findIndex(li => li.getAttribute("aria-selected") === "true");
function accept(i) {
  const item = offered[i], at = text.selectionStart, start = at - text.value.slice(0, at).match(/\w*$/)[0].length;
  const range = item.textEdit?.range ?? item.textEdit?.replace;
  const words = (item.textEdit?.newText ?? item.insertText ?? item.label).replace(/\$\{\d+:?([^}]*)\}|\$\d+/g, "$1");
  const from = range ? offsetOf(range.start) : start, to = range ? Math.max(offsetOf(range.end), at) : at;
  choices.hidden = true;
  text.setRangeText(words, from, to, "end");
  if (item.additionalTextEdits?.length) {
    const end = text.selectionEnd, shift = item.additionalTextEdits.reduce((n, e) => n + e.newText.length, 0);
    applyEdits(item.additionalTextEdits);
    text.setSelectionRange(end + shift, end + shift);
  } else edited();
}
text.addEventListener("keydown", e => {
  if (e.key === " " && e.ctrlKey) { e.preventDefault(); complete(); return; }
  if (choices.hidden) return;
  const step = { ArrowDown: 1, ArrowUp: -1 }[e.key];
  if (step) { e.preventDefault(); select((selected() + step + offered.length) % offered.length); }
  else if (e.key === "Enter" || e.key === "Tab") { e.preventDefault(); accept(selected()); }
  else if (e.key === "Escape") { e.preventDefault(); choices.hidden = true; }
});
text.addEventListener("input", () => { edited(); if (!choices.hidden) complete(); });
text.addEventListener("scroll", () => { colors.scrollTop = text.scrollTop; colors.scrollLeft = text.scrollLeft; });
document.addEventListener("selectionchange", () => document.activeElement === text && engine && hover());

// ---- programs ----
function load(program) {
  if (version) engine.notify("textDocument/didClose", doc());
  place++;
  for (const [file, content] of Object.entries(program.files)) engine.file(`/playground/${place}/${file}`, content);
  name = program.name;
  text.value = program.files[name];
  problems = [];
  engine.notify("textDocument/didOpen", { textDocument: { uri: URI(name), languageId: "tj", version: ++version, text: text.value } });
  answered();
}
function fill(select, programs, first) {
  select.replaceChildren(new Option(first, ""), ...programs.map((p, i) => new Option(p.title, i)));
  select.onchange = () => select.value !== "" && load(programs[select.value]);
}

// ---- a link that holds the program ----
const coded = bytes => btoa(String.fromCharCode(...bytes)).replace(/\+/g, "-").replace(/\//g, "_").replace(/=/g, "");
async function through(stream, bytes) { return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer()); }
function unbase64(s) {
  const words = atob(s.replace(/-/g, "+").replace(/_/g, "/")), bytes = new Uint8Array(words.length);
  for (let i = 0; i < words.length; i++) bytes[i] = words.charCodeAt(i);
  return bytes;
}
async function link() { return "#" + coded(await through(new CompressionStream("deflate-raw"), new TextEncoder().encode(text.value))); }
async function linked() {
  if (location.hash.length < 2) return undefined;
  try { return new TextDecoder().decode(await through(new DecompressionStream("deflate-raw"), unbase64(location.hash.slice(1)))); } catch { return undefined; }
}
$("share").onclick = async () => {
  location.hash = await link();
  try { await navigator.clipboard.writeText(location.href); $("state").textContent = "link copied"; } catch { $("state").textContent = "the link is in the address bar"; }
};
$("format").onclick = () => { const edits = ask("textDocument/formatting", { options: { tabSize: 2, insertSpaces: true } }); if (Array.isArray(edits)) applyEdits(edits); };
$("theme").onclick = () => {
  const dark = getComputedStyle(document.documentElement).colorScheme === "dark" || (document.documentElement.style.colorScheme === "" && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.style.colorScheme = dark ? "light" : "dark";
};
$("import").onclick = () => $("paste").showModal();
$("paste-ok").onclick = () => {
  const found = ask("trainc/import", { text: $("manifest").value });
  if (found?.text) { $("paste").close(); load({ name: "job.tj", files: { "job.tj": found.text } }); }
  else $("paste-messages").textContent = found?.messages?.[0]?.message ?? found?.failed ?? "nothing was imported";
};

// What build.py packed: trainc.wasm, then the programs of the menus as JSON.
async function unpacked() {
  const packed = unbase64(PACKED), { instance } = await WebAssembly.instantiate(unbase64(UNPACK)), { memory, web_unpack, web_room } = instance.exports;
  const from = web_room(), to = from + packed.length;
  memory.grow(Math.ceil((to + SIZE) / 65536));
  new Uint8Array(memory.buffer).set(packed, from);
  if (web_unpack(from, packed.length, to, SIZE)) throw new Error("the page is damaged; load it again");
  return new Uint8Array(memory.buffer, to, SIZE);
}
async function start() {
  const all = await unpacked();
  data = JSON.parse(new TextDecoder().decode(all.subarray(WASM_SIZE)));
  engine = await startTrainc(all.subarray(0, WASM_SIZE));
  engine.onNotification = (method, params) => {
    if (method === "textDocument/publishDiagnostics" && params.uri === URI(name)) problems = params.diagnostics;
  };
  const answer = engine.request("initialize", { processId: null, rootUri: null, capabilities: {
    textDocument: { codeAction: { codeActionLiteralSupport: { codeActionKind: { valueSet: ["quickfix"] } } }, publishDiagnostics: { dataSupport: true },
      completion: { completionItem: { snippetSupport: false } } } }, initializationOptions: { virtualDocuments: true } });
  legend = answer.capabilities.semanticTokensProvider.legend.tokenTypes;
  engine.notify("initialized", {});
  fill($("examples"), data.examples, "choose an example");
  fill($("mistakes"), data.mistakes, "choose a mistake");
  const given = await linked();
  load(given ? { name: "job.tj", files: { "job.tj": given } } : data.examples[0]);
  performance.mark("ready");
  document.body.dataset.ready = "yes";
}
start().catch(error => { $("state").textContent = "this browser cannot run trainc: " + error.message; });
