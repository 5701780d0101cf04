// The classes that the TextMate grammar and highlight.js give:
// FILE.textmate and FILE.hljs for each file of the list.  node_classes.mjs LIST EDITORS
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";

const [list, editors] = process.argv.slice(2);
const require = createRequire(path.join(process.cwd(), "x.js"));
const vsctm = require("vscode-textmate"), oniguruma = require("vscode-oniguruma");
const hljs = require("highlight.js/lib/core");
const entries = fs.readFileSync(list, "utf8").trim().split("\n").map(line => line.split("\t"));

const wasm = fs.readFileSync(require.resolve("vscode-oniguruma/release/onig.wasm"));
await oniguruma.loadWASM(wasm.buffer.slice(wasm.byteOffset, wasm.byteOffset + wasm.length));
const registry = new vsctm.Registry({
  onigLib: Promise.resolve({ createOnigScanner: p => new oniguruma.OnigScanner(p), createOnigString: s => new oniguruma.OnigString(s) }),
  loadGrammar: async () => vsctm.parseRawGrammar(fs.readFileSync(path.join(editors, "textmate/tj.tmLanguage.json"), "utf8"), "tj.json"),
});
const grammar = await registry.loadGrammar("source.tj");

const scopes = [[/^meta\.interpolation|^punctuation\.section\.interpolation/, "-"], [/^comment/, "c"], [/^string|^constant\.character/, "s"],
  [/^constant\.numeric/, "n"], [/^keyword\.operator/, "o"], [/^keyword|^constant\.language/, "k"], [/^variable|^support|^punctuation/, "-"]];

function textmateClass(names) {
  for (let i = names.length - 1; i >= 0; i--)
    for (const [pattern, letter] of scopes)
      if (pattern.test(names[i])) return letter;
  return "-";
}

function textmate(text) {
  let stack = vsctm.INITIAL;
  return text.split("\n").map(line => {
    const tokens = grammar.tokenizeLine(line, stack);
    stack = tokens.ruleStack;
    return tokens.tokens.map(t => repeat(textmateClass(t.scopes), line.slice(t.startIndex, t.endIndex))).join("");
  }).join("\n");
}

// One letter for each character, however many UTF-16 units it has.
function repeat(letter, text) {
  return [...text].map(c => c === "\n" ? "\n" : letter).join("");
}

const tj = (await import("data:text/javascript," + encodeURIComponent(fs.readFileSync(path.join(editors, "highlightjs/tj.js"), "utf8")))).default;
hljs.registerLanguage("tj", tj);
const hljsScopes = { comment: "c", string: "s", "char.escape": "s", number: "n", keyword: "k", literal: "k", operator: "o" };

function hljsText(text) {
  const out = [];
  const walk = (node, letter) => {
    if (typeof node === "string") { out.push(repeat(letter, node)); return; }
    const own = node.scope === undefined ? letter : hljsScopes[node.scope] ?? "-";
    for (const child of node.children) walk(child, own);
  };
  const root = hljs.highlight(text, { language: "tj" })._emitter.rootNode;
  walk(root, "-");
  return out.join("");
}

for (const [source, target] of entries) {
  const text = fs.readFileSync(source, "utf8");
  fs.writeFileSync(target + ".textmate", textmate(text));
  fs.writeFileSync(target + ".hljs", hljsText(text));
}
