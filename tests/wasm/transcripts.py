"""transcripts.py MODULE [NODE_DIRECTORY] - runs the tests of tests/lsp with the server of the browser, trainc.wasm.
tests/wasm/server.mjs runs it: in a page of Chromium if NODE_DIRECTORY has playwright, otherwise in node.

LEFT_OUT names the tests about features that this server does not have; all others must pass.
"""
import contextlib
import os
import re
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
LSP = os.path.join(os.path.dirname(HERE), "lsp")
LEFT_OUT = {
    "basics": {"not_json": "the page sends objects", "headers": "the page has no frames", "ids": "numbers of JavaScript end at 2^53",
               "diagnostics": "a page of a diagnostic is trainc:/CODE.md and no file"},
    "features": {"definition_in_the_library": "a module of the library is trainc:/std/NAME.tj and no file",
                 "wrapped_framework": "as above"},
}


@contextlib.contextmanager
def chromium():
    """Starts a browser; returns the address of its debugger."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = subprocess.Popen(["chromium", "--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking",
                                    "--remote-debugging-port=0", "--user-data-dir=" + profile], stderr=subprocess.PIPE, text=True)
        try:
            yield next(m.group(1) for m in (re.search(r"DevTools listening on (\S+)", line) for line in browser.stderr) if m)
        finally:
            browser.terminate()
            browser.wait(30)


def main():
    with chromium() if sys.argv[2:] else contextlib.nullcontext("") as address:
        return transcripts(os.path.abspath(sys.argv[1]), [address] + sys.argv[2:] if address else [])


def transcripts(module, browser):
    total = {"passed": 0, "failed": 0}
    for name, left_out in LEFT_OUT.items():
        with open(os.path.join(LSP, name + ".py"), encoding="utf-8") as f:
            tests = re.findall(r"^def test_(\w+)", f.read(), re.M)
        assert set(left_out) <= set(tests), set(left_out) - set(tests)
        done = subprocess.run([sys.executable, os.path.join(LSP, name + ".py")] + [t for t in tests if t not in left_out], capture_output=True,
                              text=True, env=dict(os.environ, LSP=" ".join(["node", os.path.join(HERE, "server.mjs"), module] + browser)))
        print(re.sub(r"\d+ passed, \d+ failed\n$", "", done.stdout) + done.stderr, end="")
        for n, what in re.findall(r"(\d+) (passed|failed)", done.stdout.splitlines()[-1] if done.stdout else "1 failed"):
            total[what] += int(n)
    print("%(passed)d passed, %(failed)d failed" % total)
    return total["failed"] > 0 or total["passed"] < 100


sys.exit(main())
