"""Commands on a terminal: the live table, keys, sizes, text that would control it."""
import fcntl
import pty
import select
import struct
import termios

from screen import Screen
from support import *


class Terminal:
    """trainc with all three streams on a terminal of this size."""

    def __init__(self, *arguments, rows=24, columns=80, **environment):
        self.screen = Screen(rows, columns)
        self.raw = b""
        self.draws = 0
        environment = {**os.environ, "TERM": "xterm", **environment}
        self.pid, self.fd = pty.fork()
        if self.pid == 0:
            fcntl.ioctl(0, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
            os.execvpe(TRAINC, (TRAINC,) + arguments, environment)
        self.status = None

    def read(self, seconds):
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            if not select.select([self.fd], [], [], min(0.05, max(0, until - time.monotonic())))[0]:
                continue
            try:
                data = os.read(self.fd, 65536)
            except OSError:
                data = b""
            if not data:
                return False
            self.raw += data
            self.draws += data.count(b"\x1b[J\r")
            self.screen.feed(data.decode(errors="replace"))
        return True

    def until(self, condition, what, seconds=10):
        end = time.monotonic() + seconds
        while not condition():
            if time.monotonic() > end or not self.read(0.05):
                if not condition():
                    return check(False, what + ":\n" + self.screen.text())
        return check(True, what)

    def shows(self, text, seconds=10):
        return self.until(lambda: text in self.screen.text(), "shows " + text, seconds)

    def resize(self, rows, columns):
        self.screen.rows, self.screen.columns = rows, columns
        fcntl.ioctl(self.fd, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
        os.kill(self.pid, signal.SIGWINCH)

    def type(self, keys):
        os.write(self.fd, keys)

    def end(self, seconds=15):
        until = time.monotonic() + seconds
        while self.read(0.1) and time.monotonic() < until:
            pass
        if time.monotonic() >= until:
            check(False, "it did not end:\n" + self.screen.text())
            os.kill(self.pid, signal.SIGKILL)
        self.status = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        os.close(self.fd)
        return self.status


two = program("two", r"""
  role boss   { command = ["sh", "-c", "for i in 1 2 3 4 5 6 7 8; do echo boss $i; sleep 0.2; done"] }
  role worker { replicas = 3, command = ["sh", "-c", "echo worker; sleep 1.4"] }""")
steady = program("steady", shell("echo ready; trap 'exit 0' TERM; while :; do sleep 0.1; done", ", replicas = 2"))

# ---- a table below the output; it leaves no trace ----
t = Terminal("run", "--local", two)
t.shows("two  Running")
t.shows("  boss    1/1 ready")
t.shows("  worker  3/3 ready")
t.shows("boss/0 │ boss 3")
lines = t.screen.text().rstrip().split("\n")
check(lines[-3].startswith("two  Running"), "the table is the last thing on the screen:\n" + "\n".join(lines))
check(t.end() == 0, "status 0")
text = t.screen.text().rstrip()
took = re.search(r"\nSucceeded in ([0-9.]+) s$", text)
check(took and "Running" not in text and "ready" not in text, "only output and verdict are left:\n" + text)
check([l for l in text.split("\n") if "boss" in l] == ["boss/0 │ boss %d" % i for i in range(1, 9)], "every line is whole:\n" + text)
check(text.count("│ worker") == 3 and t.screen.wrapped == 0 and t.screen.unknown == 0, "nothing wraps, nothing is unknown")
check(took and 0 < t.draws <= 10 * float(took[1]) + 10, "at most ten tables a second: %d" % t.draws)
check(b"\x1b[?25l" not in t.raw, "the cursor is not hidden, so it need not be restored")

# ---- small and changing screens ----
many = program("many", "\n".join('  role r%d { replicas = 2, command = ["sh", "-c", "sleep 2.5"] }' % i for i in range(12)))
t = Terminal("run", "--local", many, rows=6, columns=34)
t.shows("many  Running")
t.read(0.3)
t.screen.wrapped = 0
table = t.screen.text().rstrip().split("\n")
table = table[next(i for i, l in enumerate(table) if l.startswith("many")):]
check(len(table) <= 5 and "more lines" in table[-1], "no more lines than the screen has:\n" + "\n".join(table))
t.resize(6, 14)
t.read(0.8)
check(t.screen.wrapped == 0, "no line is wider than a screen of 14 columns:\n" + t.screen.text())
t.resize(20, 60)
t.shows("r11  2/2 ready")
t.screen.wrapped = 0
t.read(0.2)
check(t.screen.wrapped == 0, "no line is wider than the screen")
check(t.end() == 0, "status 0")

# ---- problems come first, and some lines are left for output ----
ill = program("ill", "\n".join('  role r%d { command = ["sh", "-c", "sleep 600"], grace = 1s }' % i for i in range(30)) + r"""
  role bad { command = ["sh", "-c", "for i in 1 2 3 4 5 6; do echo line $i; done; exit 3"], retries = 3 }""")
t = Terminal("run", "--local", ill, rows=12, columns=70)
t.until(lambda: re.search(r"ill  Degraded.*\n  bad .*exit code 3", t.screen.text()), "the role that has failed is the first")
t.read(0.3)
lines = t.screen.text().rstrip().split("\n")
table = lines[next(i for i, l in enumerate(lines) if l.startswith("ill  ")):]
check(len(table) <= 8 and table[1].startswith("  bad ") and "more lines" in table[-1], "the role that failed is the first:\n" + "\n".join(lines))
check("bad/0 │ line 6" in "\n".join(lines), "lines of output are left:\n" + "\n".join(lines))
t.type(b"\x03")
t.end()

# ---- every frame contains the table: lines and table are written at once ----
fast = program("fast", shell("i=0; while [ $i -lt 300 ]; do echo step $i; i=$((i + 1)); sleep 0.005; done"))
t = Terminal("run", "--local", fast)
check(t.end() == 0, "status 0")
erased = [t.raw[m.end():m.end() + 200000].split(b"\x1b[J\r")[0] for m in re.finditer(rb"\r\x1b\[J(?!\r)", t.raw)]
check(len(erased) > 5 and all(b"fast  " in e or b"Succeeded in" in e for e in erased), "each time it is drawn again behind the lines: %d" % len(erased))
check([l for l in t.screen.text().split("\n") if "step 299" in l] == ["main/0 │ step 299"], "the last line is there")

# ---- control-Z suspends: the table disappears, and returns ----
t = Terminal("run", "--local", steady)
t.shows("  main  2/2 ready")
t.type(b"\x1a")
within(5, lambda: open("/proc/%d/stat" % t.pid).read().rsplit(")", 1)[1].split()[0] == "T", "it is stopped")
t.read(0.2)
check("steady  " not in t.screen.text(), "without its table:\n" + t.screen.text())
check(len(replicas("steady")) >= 2, "the replicas go on")
os.kill(t.pid, signal.SIGCONT)
t.shows("steady  Running")
t.type(b"\x03")
check(t.end() == 130, "control-c ends it with 130")
check("stopping 2 replicas" in t.screen.text() and "steady  " not in t.screen.text(), "and says so:\n" + t.screen.text())
nothing_left("steady")

# ---- text that would control the terminal ----
tricks = program("tricks", r"""
  role main {
    command = ["sh", "-c", "printf '\\033[2J\\033]0;owned\\007 red\\n'; printf 'a\\377b\\342\\200\\256c\\n'; printf '1%%\\r50%%\\r100%%\\n'; printf '\\303\\251\\t.\\n'"]
  }""")
t = Terminal("run", "--local", tricks)
check(t.end() == 0, "status 0")
text = t.screen.text()
check(r"main/0 │ \x1b[2J\x1b]0;owned\x07 red" in text, "escapes are shown, not obeyed:\n" + text)
check(r"main/0 │ a\xffb\u202ec" in text, "so are malformed bytes and what reorders the line:\n" + text)
check("main/0 │ 100%" in text and "50%" not in text, "of a progress bar the last state:\n" + text)
t = Terminal("logs", "--local", "tricks", "--raw")
t.end()
check(b"\x1b[2J\x1b]0;owned\x07" in t.raw and b"a\xffb" in t.raw, "--raw is raw")
done = subprocess.run([TRAINC, "logs", "--local", "tricks"], capture_output=True)
check(b"\x1b[2J" in done.stdout and b"a\xffb" in done.stdout, "and so is what goes elsewhere than to a terminal")
t = Terminal("status", "--local", "tricks", columns=60)
t.end()
check(t.screen.wrapped == 0, "a table fits the terminal")

# ---- colors of programs and of ranks ----
colors = program("colors", r"""
  role main { replicas = 2, command = ["printf", "\\033[1;32mok\\033[0m\\n"] }""")
t = Terminal("run", "--local", colors)
check(t.end() == 0, "status 0")
check(t.raw.count(b"\x1b[1;32mok\x1b[0m") == 2 and "x1b" not in t.screen.text(), "colors are colors:\n" + t.screen.text())
ranks = [re.search(rb"\x1b\[(3\dm)main/%d" % i, t.raw) for i in range(2)]
check(all(ranks) and ranks[0][1] != ranks[1][1], "ranks have colors of their own")

# ---- when the table is not shown ----
quick = program("quick", shell("echo hello; sleep 0.3"))
for environment, options in (({"CI": "true"}, ()), ({"TERM": "dumb"}, ()), ({}, ("--progress=plain",))):
    t = Terminal("run", "--local", quick, *options, **environment)
    check(t.end() == 0 and t.draws == 0 and re.search(r"\dZ quick Running\n", t.screen.text()), "lines, no table: %s %s" % (environment, options))
t = Terminal("run", "--local", quick, "--progress=tty", CI="true")
check(t.end() == 0 and t.draws > 0, "--progress=tty wins over CI")
t = Terminal("run", "--local", quick, "--progress=quiet")
check(t.end() == 0 and [l for l in t.screen.text().split("\n") if l and not l.startswith("trainc: ")] == ["main/0 │ hello"], "quiet is quiet:\n" + t.screen.text())
done = trainc("run", "--local", quick, "--progress=json")
states = [json.loads(l)["state"] for l in done.stderr.split("\n") if l.startswith("{")]
check(states[-1] == "Succeeded" and "Running" in states and done.stdout == "main/0 │ hello\n", "--progress=json: %s" % states)

# ---- prompts ----
for answer, gone in ((b"n\n", False), (b"\n", False), (b"y\n", True)):
    t = Terminal("delete", "--local", "quick")
    t.shows("Go on? [y/N]")
    t.type(answer)
    check(t.end() == 0 and os.path.exists("state/runs/quick") != gone, "the answer %r counts" % answer)
check("run/quick will be deleted: Succeeded" in t.screen.text(), "the plan is shown first")
end()
