// extension.js - VS Code, on a desktop and in a browser: a client of the language server, and views of what it answers.
//
// The server is trainc.wasm inside the extension, or the program that the setting trainc.server.path names. client-node.js
// and client-web.js differ in how a client is made; everything else is here.
const vscode = require("vscode");
const { openTrainc, inTurns } = require("../../../docs/playground/engine.js");

// A folder that is not trusted starts no program: its settings do not choose the server, and its programs are not run.
// VS Code leaves restricted settings out of what it returns; the value of the user alone is asked for nevertheless, so
// that this does not depend on the manifest.
function serverPath() {
  const settings = vscode.workspace.getConfiguration("trainc");
  return (vscode.workspace.isTrusted ? settings.get("server.path") : settings.inspect("server.path")?.globalValue) || "";
}

const PREVIEW = "trainc-preview", SOURCE = "trainc";
const shown = new Map();                                // URI of a preview -> { text, map, sources, uri, ask }
const changed = new vscode.EventEmitter();
let client;

// ---- the server inside ----

// Messages to and from trainc.wasm, as vscode-jsonrpc wants them. The server answers in turns of its own, so a request can be cancelled.
async function inside(context, rpc) {
  const bytes = await vscode.workspace.fs.readFile(vscode.Uri.joinPath(context.extensionUri, "trainc.wasm"));
  const arrived = new rpc.Emitter();
  const server = await openTrainc(bytes, message => arrived.fire(message));
  const take = inTurns(server, error => vscode.window.showErrorMessage(`trainc: ${error.message}; reload the window.`));
  await giveFiles(context, server);
  class Reader extends rpc.AbstractMessageReader { listen(callback) { return arrived.event(callback); } }
  class Writer extends rpc.AbstractMessageWriter {
    async write(message) { take(message); }
    end() {}
  }
  return { reader: new Reader(), writer: new Writer() };
}
// The server has no files of its own: it gets those that a program may import or read.
const FILES = "**/*.{tj,yaml,yml,json,env,txt,sh,py,lock,tbl}", MOST_FILES = 2000, MOST_BYTES = 1 << 20;
async function giveFiles(context, server) {
  const give = async uri => {
    try {
      const bytes = await vscode.workspace.fs.readFile(uri);
      if (bytes.length <= MOST_BYTES) server.file(uri.path, new TextDecoder().decode(bytes));
    } catch { server.file(uri.path, null); }
  };
  await Promise.all((await vscode.workspace.findFiles(FILES, "**/{node_modules,.git}/**", MOST_FILES)).map(give));
  const watcher = vscode.workspace.createFileSystemWatcher(FILES);
  watcher.onDidCreate(give);
  watcher.onDidChange(give);
  watcher.onDidDelete(uri => server.file(uri.path, null));
  context.subscriptions.push(watcher);
}

// ---- views ----

const active = () => vscode.window.activeTextEditor?.document.languageId === "tj" ? vscode.window.activeTextEditor : undefined;
async function ask(method, params) {
  try { return await client.sendRequest(method, params); } catch (error) { vscode.window.showErrorMessage(error.message); return undefined; }
}
async function refresh(key) {
  const view = shown.get(key), found = await ask(view.method, view.params);
  if (!found) return;
  view.text = (found.stale ? "# The program has errors: this is from its last sound text.\n" : "") + (found.text ?? "");
  view.map = found.map && (found.stale ? [null, ...found.map] : found.map);
  view.sources = found.sources;
  changed.fire(vscode.Uri.parse(key));
}
async function show(title, method, params, language) {
  const key = vscode.Uri.from({ scheme: PREVIEW, path: "/" + title, query: params.uri }).toString();
  shown.set(key, { text: "", method, params });
  await refresh(key);
  const document = await vscode.workspace.openTextDocument(vscode.Uri.parse(key));
  await vscode.languages.setTextDocumentLanguage(document, language).then(undefined, () => {});
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true, preview: false });
}
const nameOf = uri => vscode.Uri.parse(uri).path.split("/").pop().replace(/\.tj$/, "");
const views = {
  "trainc.preview": p => show(`${nameOf(p.uri)}${p.job ? " " + p.job : ""}.yaml`, "trainc/preview", p, "yaml"),
  "trainc.environment": async p => {
    if (p.index === undefined) {
      const index = await vscode.window.showInputBox({ prompt: "Index of the replica in its role", value: "0", validateInput: s => /^\d+$/.test(s) ? "" : "a whole number" });
      if (index === undefined) return;
      p = { ...p, index: Number(index) };
    }
    await show(`${nameOf(p.uri)} environment of ${p.index}`, "trainc/environment", p, "plaintext");
  },
  "trainc.plan": p => show(`${nameOf(p.uri)} plan`, "trainc/plan", p, "plaintext"),
};
// Called by code lenses, which give a document and a job, and by people, who give nothing.
async function command(name, args, next) {
  const view = views[name];
  if (!view) return next(name, args);
  const given = args?.[0] ?? {}, uri = given.uri ?? given.textDocument?.uri, editor = active();
  if (typeof uri !== "string" && !editor) return vscode.window.showInformationMessage("Open a .tj program first.");
  return view({ ...(typeof uri === "string" ? given : {}), uri: typeof uri === "string" ? uri : editor.document.uri.toString() });
}

// The line of a preview that the cursor's line decided, and the other way round.
function follow(event) {
  const editor = event.textEditor, line = event.selections[0].active.line, here = editor.document.uri.toString();
  if (event.kind === undefined || event.kind === vscode.TextEditorSelectionChangeKind.Command) return;
  const reveal = (other, n) => {
    const range = new vscode.Range(n, 0, n, 0);
    other.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport);
    other.setDecorations(mark, [range]);
  };
  for (const other of vscode.window.visibleTextEditors) {
    const there = other.document.uri.toString(), view = shown.get(there) ?? shown.get(here);
    if (!view?.map) continue;
    if (shown.has(there)) {
      const n = view.map.findIndex(m => m && view.sources[m[0]] === here && m[1] === line);
      if (n >= 0) reveal(other, n);
    } else if (shown.has(here)) {
      const from = view.map[line];
      if (from && view.sources[from[0]] === there) reveal(other, from[1]);
    }
  }
}
let mark;

// ---- commands ----

async function compile() {
  const editor = active();
  if (!editor) return;
  const found = await ask("trainc/preview", { uri: editor.document.uri.toString() });
  if (!found) return;
  if (found.stale || !found.text) return vscode.window.showErrorMessage("The program has errors; see the problems.");
  const target = editor.document.uri.with({ path: editor.document.uri.path.replace(/\.tj$/, ".yaml") });
  await vscode.workspace.fs.writeFile(target, new TextEncoder().encode(found.text));
  vscode.window.setStatusBarMessage(`trainc: ${found.objects} objects written to ${target.path.split("/").pop()}`, 5000);
}
async function run() {
  const editor = active();
  if (!editor) return;
  if (!vscode.workspace.isTrusted) {
    const choice = await vscode.window.showInformationMessage("Run here starts programs of this folder: trust it first.", "Manage trust");
    return choice && vscode.commands.executeCommand("workbench.trust.manage");
  }
  if (vscode.env.uiKind === vscode.UIKind.Web && !vscode.env.remoteName) return vscode.window.showInformationMessage("A browser cannot run processes: use VS Code on a desktop.");
  await editor.document.save();
  const program = serverPath() || "trainc";
  const task = new vscode.Task({ type: "process", task: "trainc run" }, vscode.TaskScope.Workspace, "run " + editor.document.uri.path.split("/").pop(), "trainc",
    new vscode.ProcessExecution(program, ["run", "--local", editor.document.uri.fsPath]), "$trainc");
  await vscode.tasks.executeTask(task);
}
async function explain() {
  const editor = active(), at = editor?.selection.active;
  const found = editor && vscode.languages.getDiagnostics(editor.document.uri).find(d => d.source === "trainc" && d.range.start.line <= at.line && at.line <= d.range.end.line);
  const code = found?.code?.value ?? found?.code;
  if (!code) return vscode.window.showInformationMessage("No message of trainc is on this line.");
  const page = vscode.Uri.parse(`${SOURCE}:/${code}.md`);
  try {
    return await vscode.commands.executeCommand("markdown.showPreviewToSide", page);
  } catch {
    // VS Code without its extension for Markdown shows the page as text
  }
  const document = await vscode.workspace.openTextDocument(page);
  await vscode.window.showTextDocument(document, { viewColumn: vscode.ViewColumn.Beside, preserveFocus: true });
}

// Converts Kubernetes manifests to a program: those that are selected, else those of the clipboard.
async function convert() {
  const editor = vscode.window.activeTextEditor, chosen = editor && !editor.selection.isEmpty ? editor.document.getText(editor.selection) : "";
  const manifest = chosen || (editor?.document.languageId === "yaml" ? editor.document.getText() : await vscode.env.clipboard.readText());
  if (!manifest.trim()) return vscode.window.showInformationMessage("Copy or select a Kubernetes manifest first.");
  const found = await ask("trainc/import", { text: manifest });
  if (!found) return;
  const said = found.messages.map(m => `${m.message} [${m.code}]`);
  if (!found.text) return vscode.window.showErrorMessage(`This is not a manifest of a job: ${said[0] ?? "nothing was found"}`);
  await vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ language: "tj", content: found.text }));
  if (said.length) vscode.window.showWarningMessage(`${said.length === 1 ? "" : `${said.length} messages, the first: `}${said[0]}`);
}

exports.start = async (context, makeClient) => {
  mark = vscode.window.createTextEditorDecorationType({ isWholeLine: true, backgroundColor: new vscode.ThemeColor("editor.rangeHighlightBackground") });
  context.subscriptions.push(mark, changed,
    vscode.workspace.registerTextDocumentContentProvider(PREVIEW, { onDidChange: changed.event, provideTextDocumentContent: uri => shown.get(uri.toString())?.text ?? "" }),
    vscode.workspace.registerTextDocumentContentProvider(SOURCE, { provideTextDocumentContent: async uri => (await ask("trainc/source", { uri: uri.toString() }))?.text ?? "" }),
    vscode.workspace.onDidCloseTextDocument(d => shown.delete(d.uri.toString())),
    vscode.workspace.onDidChangeTextDocument(e => {
      if (e.document.languageId === "tj") for (const [key, view] of shown) if (view.params.uri === e.document.uri.toString()) refresh(key);
    }),
    vscode.window.onDidChangeTextEditorSelection(follow),
    vscode.commands.registerCommand("trainc.compile", compile),
    vscode.commands.registerCommand("trainc.convert", convert),
    vscode.commands.registerCommand("trainc.run", run),
    vscode.commands.registerCommand("trainc.explain", explain));
  const settings = vscode.workspace.getConfiguration("trainc"), options = { virtualDocuments: true };
  for (const name of ["target", "kubernetes", "diagnostics"]) if (settings.get(name)) options[name] = settings.get(name);
  const begin = async path => {
    client = makeClient(path, rpc => inside(context, rpc), {
      documentSelector: [{ language: "tj" }], initializationOptions: options, synchronize: { configurationSection: "trainc" },
      middleware: { executeCommand: command },
    });
    await client.start();
  };
  // Another server, when the user trusts the folder or changes the setting: the setting of a folder arrives some time after
  // the trust. One change after the other, because a server must have started before it can be stopped.
  let path = serverPath(), turn = begin(path);
  const renew = () => turn = turn.then(async () => {
    if (serverPath() === path) return;
    path = serverPath();
    await client.stop();
    await begin(path);
  }).catch(error => vscode.window.showErrorMessage(`trainc: ${error.message}; reload the window.`));
  context.subscriptions.push(vscode.workspace.onDidGrantWorkspaceTrust(renew),
    vscode.workspace.onDidChangeConfiguration(change => change.affectsConfiguration("trainc.server.path") && renew()));
  await turn;
};
exports.stop = () => client?.stop();
