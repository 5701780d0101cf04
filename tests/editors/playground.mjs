// playground.mjs PAGE NODE_DIRECTORY [PICTURES] - the playground in a headless Chromium, opened as a file.
import path from "node:path";
import fs from "node:fs";
import os from "node:os";
import http from "node:http";
import zlib from "node:zlib";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [page_file, node, pictures] = process.argv.slice(2);
const require = createRequire(path.resolve(node, "x.js"));
const { chromium } = require("playwright-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
let passed = 0, failed = 0;
function holds(what, ok, detail = "") {
  if (ok) passed++; else { failed++; console.log(`FAIL ${what} ${detail}`); }
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, colorScheme: "light" });
const page = await context.newPage();
page.setDefaultTimeout(15000);
const requests = [], errors = [];
page.on("request", r => requests.push(r.url()));
page.on("pageerror", e => errors.push(e.message));
const url = pathToFileURL(path.resolve(page_file)).href;

const wire = zlib.gzipSync(fs.readFileSync(page_file), { level: 9 }).length;
holds("less than 660 KB over the wire", wire < 660 * 1024, `${wire} bytes`);
await page.goto(url);
await page.waitForSelector("body[data-ready]");
// The server responds later: settled() waits for its response about the current text.
const settled = (where = page) => where.waitForSelector("body:not([data-busy])");
const select = async (menu, value) => { await page.selectOption(menu, value); await settled(); };
const view = () => page.locator("#view").innerText();
const problems = () => page.locator("#problems li").count();
holds("objects at once", (await view()).includes("kind: "));
holds("colors", await page.locator("#colors .keyword").count() > 2);
holds("what the build shows at once is what the compiler answers", await page.evaluate(async () => {
  const { tokens, preview: built, legend: kinds } = FIRST.answers, same = (a, b) => JSON.stringify(a) === JSON.stringify(b);
  return same(built, await ask("trainc/preview", {})) && same(tokens, (await ask("textDocument/semanticTokens/full", {})).data) && same(kinds, legend) && built.text.length > 100;
}));
holds("the first example is chosen", await page.inputValue("#examples") === "0");
holds("nothing but the page is fetched", requests.every(r => r === url || r.startsWith("data:") || r.startsWith("blob:")), requests.join(" "));

// An edit before any response, and one when a thread is about to take over, reach the server that responds in the end.
const early = await context.newPage();
early.on("pageerror", e => errors.push(e.message));
await early.addInitScript(() => {
  const write = by => { text.value = text.value.replace(/image *= *"[^"]*"/, `image = "registry.example.com/${by}:1"`); edited(); };
  document.addEventListener("DOMContentLoaded", () => {
    write("before");
    new MutationObserver((_, observer) => {
      if (!document.body.dataset.ready) return;
      observer.disconnect();
      window.first = view.innerText;
      write("between");
    }).observe(document.body, { attributeFilter: ["data-ready"] });
  });
});
await early.goto(url);
await early.waitForFunction(() => document.body.dataset.ready && !here);
await settled(early);
holds("an edit before the first answer is in it", await early.evaluate(() => first.includes("image: registry.example.com/before:1")));
holds("an edit before the thread takes over is answered", (await early.locator("#view").innerText()).includes("image: registry.example.com/between:1"));
await early.evaluate(() => { text.value = text.value.replace("between", "after"); edited(); });
await settled(early);
holds("the thread answers", (await early.locator("#view").innerText()).includes("image: registry.example.com/after:1") && await early.evaluate(() => !!thread && legend.length > 0));
await early.close();

// A page that loads slowly shows the first objects long before it is complete; one that is cut off or damaged says so.
const whole = fs.readFileSync(page_file), half = whole.indexOf("piece(", whole.length / 2);
const middle = whole.indexOf('piece("', half) + 1000, other = Buffer.from(whole);
other.write("AAAAAAAAAAAA", middle);
let send;
const slowly = http.createServer((asked, answer) => {
  answer.writeHead(200, { "content-type": "text/html; charset=utf-8" });
  if (asked.url === "/damaged") return answer.end(other);
  answer.write(whole.subarray(0, half));
  send = rest => answer.end(rest);
  if (asked.url === "/cut") send("");
});
await new Promise(listening => slowly.listen(0, "127.0.0.1", listening));
const waits = await context.newPage(), site = `http://127.0.0.1:${slowly.address().port}`;
waits.on("pageerror", e => errors.push(e.message));
await waits.goto(site, { waitUntil: "commit" });
await waits.locator("#view .line", { hasText: "kind: " }).first().waitFor();
holds("the first objects are there before the page is", await waits.evaluate(() => document.readyState === "loading" && unpacked > 100000));
send(whole.subarray(half));
await waits.waitForSelector("body[data-ready]");
for (const [kind, says] of [["cut", "incomplete"], ["damaged", "damaged"]]) {
  await waits.goto(`${site}/${kind}`);
  await waits.waitForSelector("body[data-stopped]");
  holds(`a page that is ${kind} says so`, (await waits.locator("#state").innerText()).includes(says), await waits.locator("#state").innerText());
}
await waits.close();
slowly.close();

// Speed: the minimum of several runs, since other load only adds to it.  The limit for the first response is 100 ms,
// and higher on a machine on which a page whose two threads only count takes more than 130 ms; SLOW= is for the edits.
const slow = Number(process.env.SLOW ?? 4);
const spent = async (n, what) => { const all = []; for (let i = 0; i < n; i++) all.push(await what()); return Math.min(...all); };
const edit = await spent(5, () => page.evaluate(() => {
  const begin = performance.now();
  return new Promise(done => {
    new MutationObserver((_, o) => { if (!document.body.hasAttribute("data-busy")) { o.disconnect(); done(performance.now() - begin); } })
      .observe(document.body, { attributeFilter: ["data-busy"] });
    edited();
  });
}));
const yardstick = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "yardstick-")), "page.html");
fs.writeFileSync(yardstick, `<!doctype html><meta charset="utf-8"><title>yardstick</title><body><pre>text</pre><script>
const source = "onmessage = () => { let x = 1; for (let i = 0; i < 1e7; i++) x = Math.imul(x, 1664525) + i | 0; postMessage(x); }";
const url = URL.createObjectURL(new Blob([source], { type: "text/javascript" }));
let left = 2;
for (let i = 0; i < 2; i++) {
  const thread = new Worker(url);
  thread.onmessage = () => { if (!--left) { performance.mark("ready"); document.body.dataset.ready = "yes"; } };
  thread.postMessage(0);
}
</script>`);
const after = async (address, ...names) => {
  const other = await context.newPage();
  await other.goto(address);
  await other.waitForSelector("body[data-ready]");
  const took = await other.evaluate(all => all.map(name => performance.getEntriesByName(name)[0].startTime - performance.getEntriesByType("navigation")[0].loadEventEnd), names);
  await other.close();
  return took;
};
const shows = [], firsts = [], yardsticks = [];         // milliseconds after the load event
for (let i = 0; i < 8; i++) {
  const [shown, answered] = await after(url, "first", "ready");
  shows.push(shown);
  firsts.push(answered);
  yardsticks.push(...await after(pathToFileURL(yardstick).href, "ready"));
}
fs.rmSync(path.dirname(yardstick), { recursive: true });
const shown = Math.max(...shows), first = Math.min(...firsts), measure = Math.min(...yardsticks);
console.log(`the first objects are there ${(-shown).toFixed(0)} ms before load, the compiler's first answer ${first.toFixed(0)} ms behind it, where the yardstick takes ${measure.toFixed(0)}; an edit is answered within ${edit.toFixed(1)} ms`);
holds("the first objects are there before the load event", shown < 0, `${shown} ms`);
holds("an edit is answered within 100 ms", edit < 100 * slow, `${edit} ms`);
holds("the first answer is there within 100 ms", first < 100 * Math.max(1, measure / 130), `${first} ms, the yardstick ${measure}`);

// The thread of the page stays free while the server, which then has a thread of its own, computes: timers go on, and the request is not answered meanwhile.
await page.waitForFunction(() => !here);
await settled();
const free = await page.evaluate(async () => {
  const program = text.value.split("\n").slice(0, 3).join("\n") + Array.from({ length: 4000 }, (_, i) => `\nlet n${i} = "${i}" + "\${${i} + ${i}}"`).join("");
  thread.postMessage({ method: "textDocument/didOpen", params: { textDocument: { uri: "file:///big/job.tj", languageId: "tj", version: 1, text: program } } });
  const begin = performance.now();
  let longest = 0, ticks = 0, before = begin, over = false;
  const turn = new MessageChannel();
  turn.port1.onmessage = () => { const now = performance.now(); longest = Math.max(longest, now - before); before = now; ticks++; if (!over) turn.port2.postMessage(0); };
  turn.port2.postMessage(0);
  await ask("textDocument/references", { textDocument: { uri: "file:///big/job.tj" }, position: { line: 4, character: 5 }, context: { includeDeclaration: true } });
  over = true;
  return { longest, ticks, took: performance.now() - begin };
});
holds("the page is free while the server computes", free.took > 5 && free.longest < free.took / 2 && free.ticks > 20, JSON.stringify(free));
const dropped = await page.evaluate(async () => {
  // after a long request, so that none of the three is answered before the next is sent
  void ask("textDocument/references", { textDocument: { uri: "file:///big/job.tj" }, position: { line: 4, character: 5 }, context: { includeDeclaration: true } });
  const all = [1, 2, 3].map(() => ask("textDocument/hover", { position: { line: 0, character: 0 } }, "test"));
  return (await Promise.all(all)).map(found => found?.failed ?? "answered");
});
holds("an older request of a kind is cancelled", dropped[2] === "answered" && dropped.slice(0, 2).includes("the request was cancelled"), dropped.join());
await page.evaluate(() => stopped("a test"));
holds("a server that ended is reported", (await page.locator("#state").innerText()).includes("starts again"));
await page.evaluate(() => edited());
await settled();
holds("the next edit starts it again", (await view()).includes("kind: ") && await page.locator("#colors .keyword").count() > 2);

const options = async id => page.locator(`#${id} option`).evaluateAll(all => all.map(o => o.value).filter(Boolean));
for (const value of await options("examples")) {
  await select("#examples", value);
  const title = await page.locator(`#examples option[value="${value}"]`).innerText();
  holds(`example ${title} has no error`, await page.locator("#problems .severity-1").count() === 0, await page.locator("#problems").innerText());
  holds(`example ${title} has objects`, (await view()).includes("kind: "));
}
const mistakes = await options("mistakes");
holds("ten mistakes", mistakes.length === 10);
for (const value of mistakes) {
  await select("#mistakes", value);
  holds(`mistake ${value} is reported`, await problems() > 0);
  holds(`mistake ${value} is underlined`, await page.locator("#colors .error").count() > 0);
}
await select("#mistakes", mistakes[0]);
holds("one menu is about the program", await page.inputValue("#examples") === "" && await page.inputValue("#mistakes") === mistakes[0]);
holds("what helps is shown", (await page.locator("#problems").innerText()).includes("line "));
await page.locator("#problems button", { hasText: "memory" }).first().click();
await settled();
holds("a quick fix mends the program", await problems() === 0 && (await page.inputValue("#text")).includes("memory"), await page.locator("#problems").innerText());
await page.keyboard.press("Control+Z");
await settled();
holds("Ctrl+Z takes it back", (await page.inputValue("#text")).includes("memroy") && await problems() === 1, await page.inputValue("#text"));
await page.keyboard.press("Control+Y");
await settled();

await page.click("#tab-environment");
await settled();
holds("environment of each rank", (await view()).includes("PET_NODE_RANK"));
await page.keyboard.press("ArrowRight");
await settled();
holds("arrow keys change the view", (await view()).includes("REPLICAS"));
await page.keyboard.press("ArrowRight");
await settled();
holds("a drawing", await page.locator("#view svg .replica").count() === 2);
if (pictures) await page.screenshot({ path: path.join(pictures, "drawing.png") });

// completion with only the keyboard
const program = 'import std.pytorch\n\njob "a": pytorch.torchrun {\n  image = "registry.example.com/a:1"\n  command = ["torchrun", "a.py"]\n  role worker { replic }\n}\n';
await page.fill("#text", program);
await page.focus("#text");
await page.evaluate(at => document.getElementById("text").setSelectionRange(at, at), program.indexOf("replic") + 6);
await page.keyboard.press("Control+Space");
await page.locator("#choices li").first().waitFor();
holds("completion", await page.locator("#choices li").count() > 0);
holds("completion says what it offers", (await page.locator("#choices li").first().innerText()).includes("elastic(0..)") && (await page.locator("#hover").innerText()).length > 10,
  await page.locator("#choices li").first().innerText());
await page.keyboard.press("Enter");
holds("completion inserts", (await page.inputValue("#text")).includes("replicas"), await page.inputValue("#text"));

// hover, and the objects of the cursor's line, in both directions
await select("#examples", "0");
await page.click("#tab-objects");
await settled();
await page.focus("#text");
await page.evaluate(() => { const at = text.value.indexOf("image") + 2; text.setSelectionRange(at, at); });
await page.locator("#hover", { hasText: "image" }).waitFor();
holds("hover has no marks of markdown", !/[`]/.test(await page.locator("#hover").innerText()), await page.locator("#hover").innerText());
holds("the objects of the cursor's line are marked", (await page.locator("#view .here").allInnerTexts()).join("").includes("image: "));
await page.locator("#view .line", { hasText: "image: " }).first().click();
holds("a line of the objects leads to its line", await page.evaluate(() => text.value.split("\n")[position(text.selectionStart).line].includes("image")));

// a link that contains the program
await page.fill("#text", program.replace("replic ", "replicas = 3 "));
await settled();
await page.click("#share");
await page.waitForFunction(() => location.hash.length > 20);
const link = page.url();
const second = await context.newPage();
await second.goto(link);
await second.waitForSelector("body[data-ready]");
holds("a link holds the program", (await second.inputValue("#text")).includes("replicas = 3"));
await second.close();

// a manifest
await page.click("#import");
await page.fill("#manifest", "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: hello\nspec:\n  template:\n    spec:\n      restartPolicy: Never\n      containers:\n"
  + "      - name: main\n        image: registry.example.com/hello:1\n        command: [python, hello.py]\n");
await page.click("#paste-ok");
await page.locator("#paste").waitFor({ state: "hidden" });
await settled();
holds("import by pasting", (await page.inputValue("#text")).includes('job "hello"'));
await page.click("#import");
const said = page.locator("#paste-messages");
await page.fill("#manifest", "apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: x\n");
await page.click("#paste-ok");
await page.waitForFunction(() => document.getElementById("paste-messages").innerText.includes("help: "));
holds("a manifest without a job says where and what to do", /line 2: .*\[TJ\d+\]/.test(await said.innerText()), await said.innerText());
await page.fill("#manifest", "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: part\nspec:\n  frobnicate: 3\n  template:\n    spec:\n      restartPolicy: Never\n      containers:\n"
  + "      - name: main\n        image: registry.example.com/hello:1\n        command: [python, hello.py]\n");
await page.click("#paste-ok");
await page.waitForFunction(() => text.value.includes('job "part"'));
holds("what a program leaves out of its manifest is said", /line 6: .*frobnicate/.test(await said.innerText()), await said.innerText());
await page.keyboard.press("Escape");
await page.locator("#paste").waitFor({ state: "hidden" });
await page.fill("#text", "apiVersion: batch/v1\nkind: Job\nmetadata:\n  name: pasted\nspec:\n  template:\n    spec:\n      restartPolicy: Never\n      containers:\n"
  + "      - name: main\n        image: registry.example.com/hello:1\n        command: [python, hello.py]\n");
await settled();
await page.locator("#problems button", { hasText: "convert the manifest" }).click();
await settled();
holds("a manifest in place of a program is one click from its program", (await page.inputValue("#text")).includes('job "pasted"') && await problems() === 0, await page.inputValue("#text"));

// editing: lines have numbers, a new line is indented, a brace moves back, selected text is readable
await page.fill("#text", 'job "a"');
await page.keyboard.press("End");
await page.keyboard.type(' {\nimage = "registry.example.com/a:1"\nrole task {\n}\n}\n');
holds("lines are indented as they are written", await page.inputValue("#text") === 'job "a" {\n  image = "registry.example.com/a:1"\n  role task {\n  }\n}\n', await page.inputValue("#text"));
await settled();
holds("lines have numbers", (await page.locator("#numbers").innerText()).trim().split("\n").join() === "1,2,3,4,5,6", await page.locator("#numbers").innerText());
const beside = await page.evaluate(() => ["numbers", "colors", "text"].map(id => document.getElementById(id).getBoundingClientRect()).map(r => [r.left, r.right, r.top]));
holds("numbers stand beside the text", beside[0][1] <= beside[1][0] && beside[1][0] === beside[2][0] && beside[0][2] === beside[2][2], JSON.stringify(beside));
for (const scheme of ["light", "dark"]) {
  await page.emulateMedia({ colorScheme: scheme });
  const ground = await page.evaluate(() => getComputedStyle(text, "::selection").backgroundColor);
  holds(`selected text can be read in ${scheme}`, Number(/,\s*([\d.]+)\)$/.exec(ground)?.[1] ?? / \/ ([\d.]+)\)$/.exec(ground)?.[1] ?? 1) < 0.6, ground);
}

for (const scheme of ["light", "dark"]) {
  await page.emulateMedia({ colorScheme: scheme });
  await select("#mistakes", mistakes[4]);
  await page.click("#tab-objects");
  await settled();
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  holds(`accessible in ${scheme}`, found.violations.length === 0,
    found.violations.map(v => `${v.id}: ${v.nodes.map(n => n.target + " " + (n.any[0]?.message ?? "")).join("; ")}`).join("\n").slice(0, 900));
  if (pictures) await page.screenshot({ path: path.join(pictures, scheme + ".png") });
}

// a mobile phone
const narrow = await (await browser.newContext({ viewport: { width: 390, height: 844 }, deviceScaleFactor: 2, isMobile: true, hasTouch: true })).newPage();
await narrow.goto(url);
await narrow.waitForSelector("body[data-ready]");
const sizes = await narrow.evaluate(() => ({ wide: document.documentElement.scrollWidth - innerWidth, editor: text.clientHeight, view: view.clientHeight }));
holds("nothing leaves a narrow page sideways, and both halves have room", sizes.wide <= 0 && sizes.editor > 150 && sizes.view > 150, JSON.stringify(sizes));
if (pictures) await narrow.screenshot({ path: path.join(pictures, "narrow.png") });
holds("no error of the page", errors.length === 0, errors.join("\n"));
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
