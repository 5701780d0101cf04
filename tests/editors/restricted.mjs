// restricted.mjs ADDRESS NODE_DIRECTORY [PICTURES] - a folder that is not trusted, in a real VS Code (code-server): its settings
// name a program in it as the server, which must not start before the user trusts the folder.
import fs from "node:fs";
import path from "node:path";
import { createRequire } from "node:module";

const [address, node, pictures] = process.argv.slice(2);
const { chromium } = createRequire(path.resolve(node, "x.js"))("playwright-core");
const native = process.env.NATIVE, called = path.join(native, "called");
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
page.setDefaultTimeout(30000);
const row = text => page.locator(".quick-input-list .monaco-list-row", { hasText: text }).first();
const palette = async text => {
  await page.keyboard.press("F1");
  await page.keyboard.type(text);
};
const file = name => page.locator(".explorer-folders-view .monaco-list-row", { hasText: name }).first();
const written = async (name, words) => {
  for (let tries = 0; !fs.existsSync(name) || !fs.readFileSync(name, "utf8").includes(words); tries++) {
    if (tries === 120) throw new Error(fs.existsSync(name) ? fs.readFileSync(name, "utf8").slice(0, 300) : `${name} is missing`);
    await page.waitForTimeout(250);
  }
};

await page.goto(`${address}?folder=${native}`);
await file("job.tj").dblclick({ timeout: 90000 });
await holds("the folder is restricted", () => page.locator(".statusbar-item", { hasText: "Restricted Mode" }).first().waitFor());
await holds("the server inside answers", () => page.locator(".codelens-decoration", { hasText: "objects" }).first().waitFor({ timeout: 60000 }));
await holds("its settings have started nothing", async () => {
  await page.waitForTimeout(3000);
  if (fs.existsSync(called)) throw new Error(fs.readFileSync(called, "utf8"));
});
await holds("Run here is not offered", async () => {
  await page.locator(".view-line", { hasText: "role task" }).first().click();
  await palette("trainc: ");
  await row("Preview objects").waitFor();
  if (await row("Run here").count()) throw new Error("it is");
  await page.keyboard.press("Escape");
});
await holds("the user trusts the folder", async () => {
  await palette("Manage Workspace Trust");
  await row("Manage Workspace Trust").click();
  await page.locator(".workspace-trust-editor .monaco-button", { hasText: /^Trust/ }).first().click();
  await page.locator(".statusbar-item", { hasText: "Restricted Mode" }).first().waitFor({ state: "detached" });
});
await holds("then the program of its settings is the server", () => written(called, "lsp"));
await holds("Run here runs the program", async () => {
  await page.locator(".tab", { hasText: "job.tj" }).first().click();
  await page.locator(".view-line", { hasText: "role task" }).first().click();
  await palette("trainc: Run here");
  await row("Run here").click();
  await written(path.join(native, "ran"), "here");
});
await browser.close();
console.log(`${passed} passed, ${failed} failed`);
process.exit(failed ? 1 : 0);
