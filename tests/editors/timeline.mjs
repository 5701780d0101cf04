// timeline.mjs TRAINC NODE_DIRECTORY [PICTURES] - `trainc status -o html` of a run of 1,000 replicas in a headless Chromium.
import path from "node:path";
import fs from "node:fs";
import os from "node:os";
import { createRequire } from "node:module";
import { execFileSync } from "node:child_process";
import { pathToFileURL } from "node:url";

const [trainc, node, pictures] = process.argv.slice(2);
const require = createRequire(path.resolve(node, "x.js"));
const { chromium } = require("playwright-core");
const axe = fs.readFileSync(require.resolve("axe-core/axe.min.js"), "utf8");
let passed = 0, failed = 0;
function holds(what, ok, detail = "") {
  if (ok) passed++; else { failed++; console.log(`FAIL ${what} ${detail}`); }
}

const folder = fs.mkdtempSync(path.join(os.tmpdir(), "timeline-"));
const at = second => new Date(Date.UTC(2026, 0, 1) + second * 1000).toISOString().replace(".000Z", "Z");
function pod(index) {
  const ends = index === 417;
  const state = ends
    ? { terminated: { startedAt: at(60), finishedAt: at(200), exitCode: 3, reason: "Error", message: "Traceback\nValueError: no data" } }
    : { running: { startedAt: at(60 + index % 30) } };
  return {
    apiVersion: "v1", kind: "Pod",
    metadata: { name: `j-worker-${index}-abcde`, creationTimestamp: at(index % 7), labels: {
      "trainc.dev/job": "j", "trainc.dev/role": "worker", "batch.kubernetes.io/job-completion-index": String(index) } },
    status: { phase: ends ? "Failed" : "Running", conditions: [{ type: "PodScheduled", status: "True", lastTransitionTime: at(30) }],
      containerStatuses: [{ name: "main", ready: !ends, restartCount: 0, state }] },
  };
}
function draw(replicas) {
  const program = path.join(folder, "j.tj"), saved = path.join(folder, "o.json"), page = path.join(folder, "j.html");
  fs.writeFileSync(program, `job "j" {
  image = "registry.example.com/a:1", command = ["train"]
  role worker { replicas = ${replicas}, cpu = 1, memory = 1Gi }
}
`);
  fs.writeFileSync(saved, JSON.stringify({ apiVersion: "v1", kind: "List", items: Array.from({ length: replicas }, (_, i) => pod(i)) }));
  let text;
  try {
    text = execFileSync(trainc, ["status", "--from", saved, "--now", at(300), "-o", "html", program], { maxBuffer: 1 << 26 });
  } catch (e) {                                 // 8: the run has failed
    if (e.status !== 8) throw e;
    text = e.stdout;
  }
  fs.writeFileSync(page, text);
  return pathToFileURL(page).href;
}

const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
for (const [replicas, scheme] of [[1000, "light"], [1000, "dark"], [12, "light"], [12, "dark"]]) {
  const name = `${replicas} replicas, ${scheme}`;
  const page = await (await browser.newContext({ viewport: { width: 1100, height: 800 }, colorScheme: scheme })).newPage();
  const requests = [], errors = [];
  page.on("request", r => requests.push(r.url()));
  page.on("pageerror", e => errors.push(e.message));
  const url = draw(replicas);
  await page.goto(url);
  holds(`${name}: nothing but the page is fetched`, requests.every(r => r === url) && !errors.length, `${requests} ${errors}`);
  const shown = await page.evaluate(() => {
    const boxes = [...document.querySelectorAll("svg rect")].filter(r => r.querySelector("title")).map(r => r.getBoundingClientRect());
    const rows = new Set(boxes.map(b => Math.round(b.top * 10)));
    return { bars: boxes.length, rows: rows.size, thin: boxes.filter(b => b.height < 2 || b.width < 0.5).length,
      wide: document.documentElement.scrollWidth - document.documentElement.clientWidth };
  });
  holds(`${name}: a row for each replica`, shown.rows === replicas && shown.bars === 3 * replicas, JSON.stringify(shown));
  holds(`${name}: every bar can be seen`, shown.thin === 0, JSON.stringify(shown));
  holds(`${name}: nothing leaves the page sideways`, shown.wide <= 0, JSON.stringify(shown));
  const text = await page.innerText("main");
  if (replicas > 417) {
    holds(`${name}: the first failure is marked`, await page.locator("svg .mark").count() === 1 && text.includes("first failure: worker 417, exit code 3"));
    holds(`${name}: its last words are shown`, text.includes("ValueError: no data"));
    holds(`${name}: its number stands at its row`, await page.locator("svg text.number.bad").textContent() === "417");
  }
  await page.evaluate(axe);
  const faults = (await page.evaluate(() => axe.run({ runOnly: ["wcag2a", "wcag2aa"] }))).violations;
  holds(`${name}: accessible`, faults.length === 0, faults.map(v => `${v.id}: ${v.nodes[0].html.slice(0, 120)}`).join("; "));
  await page.setViewportSize({ width: 400, height: 700 });
  const narrow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
  holds(`${name}: nothing leaves a narrow page sideways`, narrow <= 0, String(narrow));
  const letters = await page.evaluate(() => Math.min(...[...document.querySelectorAll("svg text")].map(t => t.getBoundingClientRect().height).filter(h => h)));
  holds(`${name}: text of the drawing can be read in a narrow page`, letters >= 11, `${letters} px`);
  if (pictures) await page.screenshot({ path: path.join(pictures, `timeline-${replicas}-${scheme}.png`) });
}
await browser.close();
fs.rmSync(folder, { recursive: true });
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
