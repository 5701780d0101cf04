// Search, copying, the menu, and the playground of the front page. Pages can be read without this file.
"use strict";
const up = document.currentScript.dataset.up, input = document.getElementById("search"), found = document.getElementById("found");

// ---- search: the index is loaded when somebody searches ----
let rows, asked, chosen = -1;
window.found_in = all => { rows = all.map(([page, heading, address, words, text]) => ({ page, heading, address, text, words: words.split(" "), title: (heading + " " + page).toLowerCase() })); look(); };
function load() {
  if (asked) return;
  asked = document.createElement("script");
  asked.src = up + "search.js";
  asked.onerror = () => show([], "the index cannot be read");
  document.head.append(asked);
}
// How well a row answers one word: its own name, the start of its name, a word of its heading, a word of its text.
function rate(row, word) {
  const heading = row.heading.toLowerCase().replace(/^-+/, ""), parts = heading.split(/[^a-z0-9_.-]+/).map(p => p.replace(/^-+/, ""));
  if (heading === word) return 100;
  if (parts.includes(word)) return 40 - Math.min(20, parts.length) + (row.page ? 0 : 6);
  if (parts.some(p => p.startsWith(word))) return 18;
  if (row.title.includes(word)) return 10;
  if (row.words.includes(word)) return 5;
  if (word.length > 2 && row.words.some(w => w.startsWith(word))) return 2;
  return 0;
}
function look() {
  const words = input.value.toLowerCase().split(/\s+/).map(word => word.replace(/^-+/, "")).filter(Boolean);
  chosen = -1;
  if (!words.length || !rows) return show([], "");
  const best = [];
  for (const row of rows) {
    const rates = words.map(word => rate(row, word));
    if (rates.every(Boolean)) best.push([rates.reduce((a, b) => a + b), row]);
  }
  best.sort((a, b) => b[0] - a[0]);
  show(best.slice(0, 12).map(b => b[1]), best.length ? "" : "nothing found");
}
function show(list, note) {
  found.replaceChildren(...list.map((row, i) => {
    const item = document.createElement("li"), link = document.createElement("a"), text = document.createElement("small");
    item.id = "found-" + i;
    item.setAttribute("role", "option");
    link.href = up + row.address;
    link.tabIndex = -1;
    link.textContent = row.heading + (row.page ? " - " + row.page : "");
    text.textContent = row.text;
    item.append(link, text);
    return item;
  }));
  if (note) found.append(Object.assign(document.createElement("li"), { textContent: note }));
  found.hidden = !found.children.length;
  input.setAttribute("aria-expanded", String(!found.hidden));
  input.removeAttribute("aria-activedescendant");
}
function choose(step) {
  const items = found.querySelectorAll("[role=option]");
  if (!items.length) return;
  chosen = (chosen + step + items.length) % items.length;
  items.forEach((item, i) => item.setAttribute("aria-selected", String(i === chosen)));
  items[chosen].scrollIntoView({ block: "nearest" });
  input.setAttribute("aria-activedescendant", items[chosen].id);
}
input.addEventListener("focus", load);
input.addEventListener("input", () => { load(); look(); });
input.addEventListener("keydown", event => {
  if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); choose(event.key === "ArrowDown" ? 1 : chosen < 0 ? 0 : -1); }
  if (event.key === "Enter") { const link = found.querySelectorAll("[role=option] a")[Math.max(chosen, 0)]; if (link) link.click(); }
  if (event.key === "Escape") { input.value = ""; show([], ""); input.blur(); }
});
document.addEventListener("keydown", event => {
  if (event.key === "/" && !event.ctrlKey && !event.metaKey && !event.altKey && !/^(INPUT|TEXTAREA|SELECT)$/.test(event.target.tagName)) { event.preventDefault(); input.focus(); input.select(); }
});
document.addEventListener("click", event => { if (!event.target.closest(".search")) { found.hidden = true; input.setAttribute("aria-expanded", "false"); } else if (input.value) look(); });

// ---- copying ----
for (const block of document.querySelectorAll(".block")) {
  const button = Object.assign(document.createElement("button"), { type: "button", className: "copy", textContent: "Copy" });
  button.onclick = async () => {
    const text = block.querySelector("code").textContent;
    try { await navigator.clipboard.writeText(text); button.textContent = "Copied"; } catch {
      getSelection().selectAllChildren(block.querySelector("code"));
      button.textContent = document.execCommand("copy") ? "Copied" : "Selected";
    }
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  };
  block.append(button);
}

// ---- the menu is open where there is room ----
const menu = document.getElementById("menu"), wide = matchMedia("(min-width: 900px)");
const fit = () => { menu.open = wide.matches; };
wide.addEventListener("change", fit);
fit();

// ---- the playground, on the front page, when somebody asks for it ----
const ask = document.getElementById("try");
if (ask) ask.onclick = () => {
  const frame = Object.assign(document.createElement("iframe"), { title: "playground", src: ask.parentElement.querySelector(".open").getAttribute("href") });
  frame.className = "try";
  ask.replaceWith(frame);
};
