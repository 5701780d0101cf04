// trust.mjs - the VS Code extension in folders that are trusted and not, with an API of VS Code that records what
// it is asked for. The API leaves restricted settings of the folder out, as VS Code does by the manifest, and does not, as
// if the manifest did not name them. client-node.js is loaded with a language client that records its server.
import fs from "node:fs";
import path from "node:path";
import Module, { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const here = path.dirname(fileURLToPath(import.meta.url)), editor = path.join(here, "../../grammar/editors/vscode");
const require = createRequire(import.meta.url);
const manifest = JSON.parse(fs.readFileSync(path.join(editor, "package.json"), "utf8"));
let passed = 0, failed = 0;
const check = (what, holds, detail = "") => { if (holds) passed++; else { failed++; console.log(`FAIL ${what} ${JSON.stringify(detail)}`); } };

// ---- the manifest ----
const untrusted = manifest.capabilities.untrustedWorkspaces, settings = manifest.contributes.configuration.properties;
check("support without trust is limited", untrusted.supported === "limited" && untrusted.description, untrusted);
const restricted = untrusted.restrictedConfigurations ?? [];
for (const [name, about] of Object.entries(settings)) {
  const names = /program|path|command|executable/i.test(name + about.description) && !about.enum;
  if (names && /\bpath\b|\bprogram trainc\b/i.test(name + " " + about.description)) check(`${name} is restricted`, restricted.includes(name));
}
for (const name of restricted) check(`${name} is a setting`, settings[name]);
const runs = manifest.contributes.commands.find(c => c.command === "trainc.run");
check("Run here needs trust", runs.enablement === "isWorkspaceTrusted");
for (const entry of manifest.contributes.menus.commandPalette.filter(e => e.command === "trainc.run"))
  check("the palette offers Run here with trust only", entry.when.split("||").every(part => part.includes("isWorkspaceTrusted")), entry.when);

// ---- the extension ----
class Anything { constructor(...given) { this.given = given; } }
// User and folder: the value of trainc.server.path in the user's settings and in those of the folder.
function world({ trusted, user, folder, leaves }) {
  const seen = { servers: [], tasks: [], said: [], commands: {} }, granted = [], changed = [], nothing = { dispose() {} };
  const path_ = () => (trusted || !leaves ? folder : undefined) ?? user;
  const vscode = {
    EventEmitter: class { event() { return nothing; } fire() {} }, ThemeColor: Anything, Task: Anything, Range: Anything,
    ProcessExecution: class { constructor(program, words) { this.program = program; this.words = words; } },
    TaskScope: { Workspace: 1 }, UIKind: { Web: 2 }, env: { uiKind: 1 }, ViewColumn: {},
    workspace: {
      get isTrusted() { return trusted; },
      onDidGrantWorkspaceTrust: f => { granted.push(f); return nothing; },
      onDidChangeConfiguration: f => { changed.push(f); return nothing; },
      getConfiguration: () => ({
        get: name => name === "server.path" ? path_() ?? "" : undefined,
        inspect: name => name === "server.path" ? { globalValue: user, workspaceValue: folder } : undefined,
      }),
      registerTextDocumentContentProvider: () => nothing, onDidCloseTextDocument: () => nothing, onDidChangeTextDocument: () => nothing,
    },
    window: {
      createTextEditorDecorationType: () => nothing, onDidChangeTextEditorSelection: () => nothing,
      showInformationMessage: async text => { seen.said.push(text); },
      activeTextEditor: { document: { languageId: "tj", uri: { path: "/f/job.tj", fsPath: "/f/job.tj", toString: () => "file:///f/job.tj" }, save: async () => true } },
    },
    commands: { registerCommand: (name, f) => { seen.commands[name] = f; return nothing; }, executeCommand: async () => {} },
    tasks: { executeTask: async task => { seen.tasks.push(task.given.find(g => g?.program)); } },
  };
  class Client {
    constructor(id, name, server) { seen.servers.push(typeof server === "function" ? "inside" : server.command); }
    async start() {}
    async stop() { seen.servers.push("stopped"); }
  }
  const known = { vscode, "vscode-languageclient/node": { LanguageClient: Client } };
  const tell = async setting => { for (const f of changed) await f({ affectsConfiguration: name => name === setting }); };
  return {
    seen, known,
    // VS Code reports trust before or after it adds the settings of the folder
    async grant(late) {
      const known = folder;
      if (late) folder = undefined;
      trusted = true;
      for (const f of granted) await f();
      if (late) { folder = known; await tell("trainc.server.path"); }
    },
    async set(value) { user = value; await tell("trainc.server.path"); },
    async other() { await tell("trainc.target"); },
  };
}
const load = Module._load;
async function extension(given) {
  const w = world(given), file = path.join(editor, "client-node.js");
  for (const name of Object.keys(require.cache)) if (name.startsWith(editor)) delete require.cache[name];
  Module._load = (name, ...rest) => w.known[name] ?? load(name, ...rest);
  try { await require(file).activate({ subscriptions: [], extensionUri: {} }); } finally { Module._load = load; }
  return w;
}

for (const leaves of [true, false]) {
  const how = leaves ? "" : ", a VS Code that does not know restricted settings";
  for (const folder of ["./run-me.sh", "/tmp/run-me", "trainc"]) {
    const w = await extension({ trusted: false, folder, leaves });
    check(`not trusted: ${folder} is no server${how}`, w.seen.servers.join() === "inside", w.seen.servers);
    await w.seen.commands["trainc.run"]();
    check(`not trusted: nothing is run${how}`, w.seen.tasks.length === 0 && w.seen.said.some(t => t.includes("trust")), w.seen);
    await w.other();
    await w.grant(folder === "trainc");
    check(`then trusted: ${folder} is the server${how}`, w.seen.servers.join() === `inside,stopped,${folder}`, w.seen.servers);
    await w.seen.commands["trainc.run"]();
    check(`then trusted: it runs${how}`, w.seen.tasks[0]?.program === folder && w.seen.tasks[0].words[0] === "run", w.seen.tasks);
  }
  const own = await extension({ trusted: false, user: "/opt/trainc", folder: "./run-me.sh", leaves });
  check(`not trusted: the user's own program${how}`, own.seen.servers.join() === "/opt/trainc", own.seen.servers);
  await own.set("/opt/other");
  check(`a change of the setting${how}`, own.seen.servers.join() === "/opt/trainc,stopped,/opt/other", own.seen.servers);
  const both = await extension({ trusted: true, user: "/opt/trainc", folder: "./mine", leaves });
  check(`trusted: the folder's program${how}`, both.seen.servers.join() === "./mine", both.seen.servers);
  const plain = await extension({ trusted: false, leaves });
  await plain.grant();
  check(`without the setting, trust changes nothing${how}`, plain.seen.servers.join() === "inside", plain.seen.servers);
  await plain.seen.commands["trainc.run"]();
  check(`trusted: trainc of the PATH runs${how}`, plain.seen.tasks[0]?.program === "trainc", plain.seen.tasks);
}
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
