// playground.mjs PAGE NODE_DIRECTORY [PICTURES] - the playground in a headless Chromium, opened as a file.
import path from "node:path";
import fs from "node:fs";
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
holds("less than 600 KB over the wire", wire < 600 * 1024, `${wire} bytes`);
await page.goto(url);
await page.waitForSelector("body[data-ready]");
const view = () => page.locator("#view").innerText();
const problems = () => page.locator("#problems li").count();
holds("objects at once", (await view()).includes("kind: "));
holds("colors", await page.locator("#colors .keyword").count() > 2);
holds("nothing but the page is fetched", requests.every(r => r === url || r.startsWith("data:")), requests.join(" "));
const edit = await page.evaluate(() => {
  const begin = performance.now();
  edited();
  return performance.now() - begin;
});
holds("an edit is answered within 100 ms", edit < 100 * (process.env.SLOW ?? 4), `${edit} ms`);

const options = async id => page.locator(`#${id} option`).evaluateAll(all => all.map(o => o.value).filter(Boolean));
for (const value of await options("examples")) {
  await page.selectOption("#examples", value);
  const title = await page.locator(`#examples option[value="${value}"]`).innerText();
  holds(`example ${title} has no error`, await page.locator("#problems .severity-1").count() === 0, await page.locator("#problems").innerText());
  holds(`example ${title} has objects`, (await view()).includes("kind: "));
}
const mistakes = await options("mistakes");
holds("ten mistakes", mistakes.length === 10);
for (const value of mistakes) {
  await page.selectOption("#mistakes", value);
  holds(`mistake ${value} is reported`, await problems() > 0);
  holds(`mistake ${value} is underlined`, await page.locator("#colors .error").count() > 0);
}
await page.selectOption("#mistakes", mistakes[0]);
await page.locator("#problems button", { hasText: "memory" }).first().click();
holds("a quick fix mends the program", await problems() === 0 && (await page.inputValue("#text")).includes("memory"), await page.locator("#problems").innerText());

await page.click("#tab-environment");
holds("environment of each rank", (await view()).includes("PET_NODE_RANK"));
await page.keyboard.press("ArrowRight");
holds("arrow keys change the view", (await view()).includes("REPLICAS"));
await page.keyboard.press("ArrowRight");
holds("a drawing", await page.locator("#view svg .replica").count() === 2);
if (pictures) await page.screenshot({ path: path.join(pictures, "drawing.png") });

// completion with the keyboard only
const program = 'import std.pytorch\n\njob "a": pytorch.torchrun {\n  image = "registry.example.com/a:1"\n  command = ["torchrun", "a.py"]\n  role worker { replic }\n}\n';
await page.fill("#text", program);
await page.focus("#text");
await page.evaluate(at => document.getElementById("text").setSelectionRange(at, at), program.indexOf("replic") + 6);
await page.keyboard.press("Control+Space");
holds("completion", await page.locator("#choices li").count() > 0);
await page.keyboard.press("Enter");
holds("completion inserts", (await page.inputValue("#text")).includes("replicas"), await page.inputValue("#text"));

// a link that holds the program
await page.fill("#text", program.replace("replic ", "replicas = 3 "));
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
holds("import by pasting", (await page.inputValue("#text")).includes('job "hello"'));

for (const scheme of ["light", "dark"]) {
  await page.emulateMedia({ colorScheme: scheme });
  await page.selectOption("#mistakes", mistakes[4]);
  await page.selectOption("#examples", "0");
  await page.click("#tab-objects");
  await page.evaluate(axe);
  const found = await page.evaluate(() => axe.run(document, { resultTypes: ["violations"] }));
  holds(`accessible in ${scheme}`, found.violations.length === 0,
    found.violations.map(v => `${v.id}: ${v.nodes.map(n => n.target + " " + (n.any[0]?.message ?? "")).join("; ")}`).join("\n").slice(0, 900));
  if (pictures) await page.screenshot({ path: path.join(pictures, scheme + ".png") });
}
holds("no error of the page", errors.length === 0, errors.join("\n"));
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
