// vscode.mjs ADDRESS NODE_DIRECTORY [PICTURES] - the extension in a real VS Code (code-server) in a headless Chromium.
// The folder that is open contains job.tj of tests/editors/vscode.sh: a program with a misspelled field.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";

const [address, node, pictures] = process.argv.slice(2);
const { chromium } = createRequire(path.resolve(node, "x.js"))("playwright-core");
let passed = 0, failed = 0;
async function holds(what, test) {
  try {
    await test();
    passed++;
  } catch (error) {
    failed++;
    console.log(`FAIL ${what}: ${error.message.split("\n")[0]}`);
    if (pictures) await page.screenshot({ path: path.join(pictures, `fail-${failed}.png`) });
  }
}
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const page = await browser.newPage({ viewport: { width: 1500, height: 900 } });
page.setDefaultTimeout(20000);
const picture = name => pictures && page.screenshot({ path: path.join(pictures, name + ".png") });
const line = text => page.locator(".view-line", { hasText: text }).first();
const run = async title => {
  await page.keyboard.press("F1");
  await page.keyboard.type(title);
  await page.locator(".quick-input-list .monaco-list-row", { hasText: title }).first().click();
};

await page.goto(address);
await page.locator(".explorer-folders-view .monaco-list-row", { hasText: "job.tj" }).first().dblclick({ timeout: 60000 });
await holds("colors: words of one line have several classes", async () => {
  await line("accelerator").waitFor();
  await line("accelerator").locator(".mtk6, .mtk7, .mtk10").first().waitFor();
  const classes = await line("accelerator").locator("span span").evaluateAll(all => new Set(all.map(s => s.className)).size);
  if (classes < 3) throw new Error(classes + " classes");
});
await holds("a squiggle under the mistake", () => page.locator(".squiggly-error").first().waitFor({ state: "attached" }));
await holds("hover", async () => {
  await line("accelerator").getByText("accelerator").first().hover();
  await page.locator(".monaco-hover-content", { hasText: "accelerator" }).first().waitFor();
});
await picture("hover");
await holds("a quick fix is applied", async () => {
  await line("memroy").getByText("memroy").first().click();
  await page.keyboard.press("Control+.");
  await page.locator(".action-widget .monaco-list-row").first().waitFor();
  await picture("fix");
  await page.keyboard.press("Enter");
  await line("memory").waitFor();
  await page.locator(".squiggly-error").first().waitFor({ state: "detached" });
});
// Hints and lenses are left out for a declaration with an error, so they appear now.
await holds("inlay hints", () => line("accelerator").getByText("16 devices").first().waitFor({ state: "attached" }));
await holds("lenses", () => page.locator(".codelens-decoration", { hasText: "objects" }).first().waitFor());
await holds("completion", async () => {
  await line("replicas").click();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("retr");
  await page.locator(".suggest-widget .monaco-list-row", { hasText: "retries" }).first().waitFor();
  await picture("completion");
  await page.keyboard.press("Enter");
  await page.keyboard.type("3");
  await line("retries = 3").waitFor();
});
await holds("preview of the objects", async () => {
  await run("Preview objects");
  await line("apiVersion").waitFor();
});
await holds("the preview has the colors of YAML", async () => {
  await page.waitForFunction(() => [...document.querySelectorAll(".editor-instance")[1].querySelectorAll(".view-line")].some(l =>
    l.textContent.includes("apiVersion") && new Set([...l.querySelectorAll("span span")].map(s => s.className)).size > 1));
});
await picture("preview");
// A line that the other cursor selected has the color of a highlighted range: .rangeHighlight or an injected class.
const marked = (group, words) => page.waitForFunction(([group, words]) => {
  const editor = document.querySelectorAll(".editor-instance")[group], plain = text => text.replace(/\s+/g, " ");
  const found = [...editor.querySelectorAll(".view-line")].find(l => plain(l.textContent).includes(plain(words)))?.getBoundingClientRect();
  return found && [...editor.querySelectorAll(".view-overlays .cdr")].some(e => getComputedStyle(e).backgroundColor !== "rgba(0, 0, 0, 0)"
    && Math.abs(e.getBoundingClientRect().top - found.top) < 4 && e.getBoundingClientRect().width > 200);
}, [group, words], { timeout: 30000 });
await holds("the preview follows the cursor", async () => {
  await line("image   =").click();
  await marked(1, "image: registry");
});
await picture("follow");
await holds("the program follows the cursor of the preview", async () => {
  await page.locator(".editor-instance").nth(1).locator(".view-line", { hasText: "image: registry" }).first().click();
  await marked(0, "image   =");
});
await picture("back");
await holds("the preview follows an edit", async () => {
  await line("replicas").getByText("2").last().dblclick();
  await page.keyboard.type("5");
  await line("completions: 5").or(line("parallelism: 5")).first().waitFor();
});
await holds("explain shows the page of a diagnostic", async () => {
  await line("cpu").or(line("retries")).first().click();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("memroy = 1Gi");
  await page.keyboard.press("Escape");
  await page.locator(".squiggly-error").first().waitFor({ state: "attached" });
  await run("Explain the diagnostic");
  await page.locator(".tab", { hasText: /TJ\d+\.md/ }).first().waitFor();
  // formatted: code has its own elements, and no Markdown fence is left
  const shown = () => page.frames().map(frame => frame.locator("pre code").first());
  for (let tries = 0; ; tries++) {
    const texts = await Promise.all(shown().map(code => code.innerText({ timeout: 500 }).catch(() => "")));
    if (texts.some(text => text.includes("job ") && !text.includes("```"))) break;
    if (tries === 40) throw new Error("the page is not formatted");
    await page.waitForTimeout(250);
  }
});
await picture("explain");
await holds("without the mistake there is no squiggle", async () => {
  await line("memroy").click();
  await run("Delete Line");
  await page.locator(".squiggly-error").first().waitFor({ state: "detached" });
});
await holds("the environment of any replica is a document", async () => {
  await line("retries").click();
  await run("Show environment of a replica");
  await page.locator(".quick-input-box input").fill("1");
  await page.keyboard.press("Enter");
  await page.locator(".tab", { hasText: "environment of 1" }).first().waitFor();
  await line("PET_NODE_RANK").waitFor();
  if (!/PET_NODE_RANK\s+1/.test((await line("PET_NODE_RANK").innerText()).replace(/\u00a0/g, " "))) throw new Error(await line("PET_NODE_RANK").innerText());
});
await picture("environment");
await holds("the plan is a document", async () => {
  await page.locator(".tab", { hasText: "job.tj" }).first().click();
  await run("Show plan");
  await page.locator(".tab", { hasText: "plan" }).first().waitFor();
});
const written = async (file, words) => {
  for (let tries = 0; !fs.existsSync(file) || !fs.readFileSync(file, "utf8").includes(words); tries++) {
    if (tries === 80) throw new Error(fs.existsSync(file) ? fs.readFileSync(file, "utf8").slice(0, 300) : `${file} is missing`);
    await page.waitForTimeout(250);
  }
};
await holds("the objects of the text as it is are written beside the program", async () => {
  await page.locator(".tab", { hasText: "job.tj" }).first().click();
  await run("Compile: write the objects");
  await written(path.join(process.env.FOLDER, "job.yaml"), "completions: 5");
});
await holds("a manifest becomes a program", async () => {
  await page.locator(".explorer-folders-view .monaco-list-row", { hasText: "manifest.yaml" }).first().dblclick();
  await page.locator(".tab.active", { hasText: "manifest.yaml" }).first().waitFor();
  await run("Convert a Kubernetes manifest");
  await line('job "hello"').waitFor();
});
await picture("manifest");
await holds("rename", async () => {
  await page.locator(".explorer-folders-view .monaco-list-row", { hasText: "names.tj" }).first().dblclick();
  await page.locator(".tab.active", { hasText: "names.tj" }).first().waitFor();
  await line("let size").getByText("size").first().click();
  await page.keyboard.press("F2");
  await page.locator(".rename-box input, .rename-input").first().fill("nodes");
  await page.keyboard.press("Enter");
  await line("let nodes").waitFor();
  await line("check nodes").waitFor();
});
await holds("imports are put in order", async () => {
  await run("Organize Imports");
  await line("let nodes").waitFor();
  await page.locator(".editor-group-container.active .view-line", { hasText: "std.tpu" }).first().waitFor({ state: "detached" });
});
await holds("the outline", async () => {
  await page.keyboard.press("Control+Shift+O");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "nodes" }).first().waitFor();
  await page.keyboard.press("Escape");
});
await holds("dark colors differ too", async () => {
  await page.keyboard.press("F1");
  await page.keyboard.type("Toggle between Light/Dark");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "Toggle between Light/Dark" }).first().waitFor();
  await page.keyboard.press("Enter");
  await page.locator(".monaco-workbench.vs-dark").waitFor();
  const shown = await line("check nodes").locator("span span").evaluateAll(all => new Set(all.map(s => getComputedStyle(s).color)).size);
  if (shown < 3) throw new Error(shown + " colors");
});
await picture("dark");

// A folder whose settings choose the server of this machine.
const native = process.env.NATIVE, file = name => page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).first();
await page.goto(`${address}?folder=${native}`);
await file("job.tj").dblclick({ timeout: 60000 });
await holds("the setting trainc.server.path chooses the program of this machine", async () => {
  await line("role task").waitFor();
  await page.locator(".codelens-decoration", { hasText: "objects" }).first().waitFor();
  await written(path.join(native, "called"), "lsp");
});
await holds("a comment", async () => {
  await line("image").click();
  await page.keyboard.press("Control+/");
  await line("# image").waitFor();
  await page.keyboard.press("Control+/");
  await line("# image").waitFor({ state: "detached" });
});
await holds("folding", async () => {
  await run("Fold All");
  await line("image").waitFor({ state: "detached" });
  await run("Unfold All");
  await line("image").waitFor();
});
await holds("formatting", async () => {
  await line("image").click();
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("env={A=1}");
  await page.keyboard.press("Escape");
  await run("Format Document");
  await line("env     = { A = 1 }").waitFor();
  await page.keyboard.press("Control+S");
});
await holds("run here", async () => {
  await run("Run here");
  await written(path.join(native, "ran"), "here");
});
await picture("run");
await holds("the problem matcher reads what trainc check prints", async () => {
  await run("Tasks: Run Task");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "check broken" }).first().click();
  await written(path.join(native, "called"), "check");
  await run("Problems: Focus on Problems View");
  await page.locator(".markers-panel .monaco-list-row", { hasText: "broken.tj" }).first().waitFor();
  await page.locator(".markers-panel .monaco-list-row", { hasText: "memroy" }).first().waitFor();
});
await picture("problems");
await holds("a snippet", async () => {
  await file("empty.tj").dblclick();
  await page.locator(".tab.active", { hasText: "empty.tj" }).first().waitFor();
  await run("Snippets: Insert Snippet");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "dask.cluster" }).first().waitFor();
  await page.keyboard.type("pytorch.torchrun");
  await page.locator(".quick-input-list .monaco-list-row", { hasText: "pytorch.torchrun" }).first().click();
  await line("import std.pytorch").waitFor();
  await page.locator(".statusbar-item", { hasText: "Spaces: 2" }).first().waitFor();
});
await picture("snippet");
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
