#!/usr/bin/env python3
"""site.py SITE - the pages that `make site` built in SITE: every link leads somewhere, nothing comes from another host,
pages are small, and, in Chromium, search finds what the language has, the keyboard is enough, and narrow, dark and printed
pages are whole."""
import glob
import gzip
import html.parser
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, ".."))
from chromium import Chromium           # noqa: E402
from counter import Counter             # noqa: E402

SITE = os.path.abspath(sys.argv[1])
counter = Counter()
holds = counter.holds
TRAINC = os.path.abspath(os.environ.get("TRAINC", "build/trainc"))


class Tags(html.parser.HTMLParser):
    """Addresses and anchors of a page, and whether its elements are nested."""
    VOID = {"meta", "link", "input", "img", "br", "hr", "col", "path", "rect", "circle", "line", "polygon"}

    def __init__(self, text):
        super().__init__()
        self.addresses, self.anchors, self.open, self.wrong = [], set(), [], []
        self.feed(text)

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name in ("href", "src"):
                self.addresses.append(value)
            if name == "id":
                if value in self.anchors:
                    self.wrong.append("two of " + value)
                self.anchors.add(value)
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in self.VOID:
            self.open.pop()

    def handle_endtag(self, tag):
        if tag in self.VOID:
            return
        if tag in ("p", "li", "dd", "dt", "td", "tr") and (not self.open or self.open[-1] != tag):
            return                                      # the end of these may be left out
        while self.open and self.open[-1] != tag and self.open[-1] in ("p", "li", "dd", "dt", "td", "tr"):
            self.open.pop()
        if not self.open or self.open.pop() != tag:
            self.wrong.append("</%s>" % tag)


def text(path):
    with open(path, encoding="utf-8") as f:
        return f.read()


places = sorted(os.path.relpath(p, SITE) for p in glob.glob(SITE + "/**/*.html", recursive=True))
pages = {p: Tags(text(os.path.join(SITE, p))) for p in places if p != "playground.html"}


def links():
    for place, tags in pages.items():
        bad = []
        for address in tags.addresses:
            path, _, anchor = address.partition("#")
            if re.match("https?:", address):
                continue                                # a link that a reader may follow
            if address.startswith("data:"):
                continue
            target = os.path.normpath(os.path.join(os.path.dirname(place), path)) if path else place
            if not os.path.isfile(os.path.join(SITE, target)):
                bad.append(address)
            elif anchor and target in pages and anchor not in pages[target].anchors:
                bad.append(address)
        holds(place + ": every link leads somewhere", not bad, bad)
        holds(place + ": elements are closed, anchors differ", not tags.wrong, tags.wrong)
        source = text(os.path.join(SITE, place))
        outside = re.findall(r'<(?:script|link|img|iframe|source)[^>]*(?:src|href)="(?:https?:)?//[^"]*"|@import|url\((?!data:|#)', source)
        holds(place + ": nothing is loaded from elsewhere", not outside, outside)
    named = re.findall(r"\]\(([^)#]+\.md)\)", text(SITE + "/llms.txt"))
    holds("llms.txt lists Markdown that exists", len(named) > 200 and all(os.path.isfile(os.path.join(SITE, n)) for n in named), named[:3])


def sizes():
    around = text(SITE + "/style.css") + text(SITE + "/page.js")
    for place in pages:
        size = len(gzip.compress((text(os.path.join(SITE, place)) + around).encode()))
        holds(place + ": at most 60 KB", size <= 60 * 1024, size)
    holds("the index of the search has at most 250 KB", len(gzip.compress(text(SITE + "/search.js").encode())) <= 250 * 1024)
    whole = sum(os.path.getsize(p) for p in glob.glob(SITE + "/**/*", recursive=True) if os.path.isfile(p))
    holds("the site has at most 6 MB", whole <= 6 << 20, whole)


def explained():
    """What the language has: (word to search for, pattern that the address or heading of the first three results has)."""
    for code in sorted(set(re.findall(r"^TJ\d{4}", "\n".join(os.path.basename(p) for p in places), re.M))):
        yield code, code
    for module in re.findall(r"[a-z]+", subprocess.run([TRAINC, "explain"], capture_output=True, text=True, check=True).stdout.split("library:")[1]):
        yield module, ""
    for field in ("replicas", "accelerator", "memory", "image", "ports", "mounts", "env", "start_after", "place", "layout", "code", "restarts", "queue", "gang", "timeout"):
        yield field, field
    manual = "".join(text(SITE + "/docs/" + p) for p in sorted(os.listdir(SITE + "/docs")) if p.endswith(".1.md"))
    for option in sorted(set(re.findall(r"--[a-z][a-z-]+", manual)))[:200]:
        yield option, ""


def searches(browser, session):
    browser.value(session, "new Promise(done => { const old = window.found_in; window.found_in = all => { old(all); done(true); }; load(); })")
    for word, pattern in explained():
        shown = browser.value(session, """(() => { input.value = %r; look(); return [...found.querySelectorAll("a")].slice(0, 3).map(a => a.textContent + " " + a.getAttribute("href")); })()""" % word)
        holds("search finds " + word, shown and (not pattern or any(pattern.lower() in s.lower() for s in shown)), shown)
    shown = browser.value(session, "(() => { input.value = 'zzzyyyxxx'; look(); return found.textContent; })()")
    holds("search says that it found nothing", shown == "nothing found", shown)


def key(browser, session, name, character=""):
    for kind in ("keyDown", "keyUp"):
        browser.ask("Input.dispatchKeyEvent", session, type=kind, key=name, code=name, **({"text": character} if character and kind == "keyDown" else {}),
                    **({"windowsVirtualKeyCode": 13, "text": "\r"} if name == "Enter" else {}))


def until(browser, session, expression):
    end = time.time() + 20
    while time.time() < end:
        value = browser.value(session, expression)
        if value:
            return value
        time.sleep(0.05)
    return None


def keyboard(browser, session):
    until(browser, session, "typeof found !== 'undefined'")     # the script of the page has run
    key(browser, session, "/", "/")
    for character in "TJ0201":
        key(browser, session, character, character)
    holds("a slash and letters search", until(browser, session, "found.querySelectorAll('a').length > 0"))
    key(browser, session, "ArrowDown")
    holds("an arrow chooses the first", browser.value(session, "found.querySelector('[aria-selected=true]') === found.firstElementChild"))
    key(browser, session, "Enter")
    holds("Enter goes there", until(browser, session, "location.pathname.endsWith('/docs/diagnostics/TJ0201.html') && document.readyState === 'complete'"))


def narrow(browser, session):
    browser.ask("Emulation.setDeviceMetricsOverride", session, width=360, height=740, deviceScaleFactor=1, mobile=True)
    chosen = [p for p in pages if "diagnostics/" not in p] + [p for p in pages if "diagnostics/" in p][::20]
    for place in chosen:
        browser.open("file://" + SITE + "/" + place, session)
        until(browser, session, "document.readyState === 'complete' && location.pathname.endsWith(%r)" % place)
        wide = browser.value(session, "document.documentElement.scrollWidth")
        holds(place + ": no sideways scrolling at 360 pixels", wide <= 360, wide)
    browser.ask("Emulation.clearDeviceMetricsOverride", session)


def contrast(browser, session):
    """Text and ground differ enough in both schemes (4.5 to 1, as WCAG asks)."""
    for scheme in ("light", "dark"):
        browser.ask("Emulation.setEmulatedMedia", session, features=[{"name": "prefers-color-scheme", "value": scheme}])
        for place in ("index.html", "docs/language.html", "docs/trainc.1.html", "docs/diagnostics/TJ0201.html"):
            browser.open("file://" + SITE + "/" + place, session)
            until(browser, session, "document.readyState === 'complete' && location.pathname.endsWith(%r)" % place)
            weak = browser.value(session, """(() => {
              const of = color => { const c = color.match(/[\\d.]+/g).slice(0, 3).map(v => { v /= 255; return v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4; }); return 0.2126 * c[0] + 0.7152 * c[1] + 0.0722 * c[2]; };
              const ground = e => { for (; e; e = e.parentElement) { const c = getComputedStyle(e).backgroundColor; if (!/, 0\\)$|transparent/.test(c)) return c; } return "rgb(255,255,255)"; };
              const weak = new Set();
              for (const e of document.querySelectorAll("main *:not(svg *), .menu a, .menu h2")) {
                if (![...e.childNodes].some(n => n.nodeType === 3 && n.textContent.trim()) || e.classList.contains("anchor") || !e.checkVisibility()) continue;
                const [a, b] = [of(getComputedStyle(e).color), of(ground(e))].sort((x, y) => y - x), ratio = (a + 0.05) / (b + 0.05);
                if (ratio < 4.5) weak.add(e.tagName + "." + e.className + " " + ratio.toFixed(2));
              }
              return [...weak];
            })()""")
            holds("%s: text can be read, %s" % (place, scheme), not weak, weak)
    browser.ask("Emulation.setEmulatedMedia", session, media="print")
    holds("the menu is not printed", browser.value(session, "getComputedStyle(document.querySelector('header')).display") == "none")
    browser.ask("Emulation.setEmulatedMedia", session, media="")


def playground(browser, session):
    browser.open("file://" + SITE + "/index.html", session)
    until(browser, session, "document.readyState === 'complete'")
    holds("the playground is not loaded before somebody asks", browser.value(session, "document.querySelector('iframe') === null"))
    browser.value(session, "document.getElementById('try').click()")
    address = browser.value(session, "document.querySelector('iframe').src")
    holds("... and then it is", address and "playground.html#" in address, address)
    if os.path.getsize(SITE + "/playground.html") > 100000:
        browser.open(address, session)
        shown = until(browser, session, "document.querySelector('[data-ready=yes]') && document.getElementById('text').value")
        holds("... with the program of the page", shown and 'job "mnist"' in shown, shown)


def in_chromium():
    if not shutil.which("chromium"):
        print("skip the pages in a browser: chromium is not installed")
        return 1
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Chromium(profile)
        session = browser.open("file://" + SITE + "/index.html")
        for domain in ("Page", "Network", "Log", "Runtime"):
            browser.ask(domain + ".enable", session)
        until(browser, session, "document.readyState === 'complete'")
        keyboard(browser, session)
        searches(browser, session)
        narrow(browser, session)
        contrast(browser, session)
        playground(browser, session)
        outside = [p["request"]["url"] for m, p in browser.events if m == "Network.requestWillBeSent" and not re.match("file:|data:|blob:", p["request"]["url"])]
        holds("no request to another host", not outside, outside)
        said = [p for m, p in browser.events if m == "Log.entryAdded" and p["entry"]["level"] == "error" or m == "Runtime.exceptionThrown"]
        holds("no errors in the console", not said, said)
        browser.end()
    return 0


links()
sizes()
counter.skipped = in_chromium()
counter.end()
