"""chromium.py - a browser for tests that have no node."""
import json
import os
import subprocess


class Chromium:
    """A headless browser, controlled through pipes: messages of the DevTools protocol, each terminated by a zero
    byte."""
    def __init__(self, profile):
        theirs, self.to = os.pipe()
        self.back, ours = os.pipe()
        self.process = subprocess.Popen(["sh", "-c", 'exec chromium "$@" 3<&%d 4>&%d' % (theirs, ours), "sh", "--headless", "--no-sandbox", "--disable-gpu",
                                         "--disable-background-networking", "--no-first-run", "--user-data-dir=" + profile,
                                         "--remote-debugging-pipe"], pass_fds=(theirs, ours), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs)
        os.close(ours)
        self.kept, self.id = b"", 0
        self.events = []                # what came between answers: (method, its parameters)

    def ask(self, method, session=None, **params):
        self.id += 1
        message = {"id": self.id, "method": method, "params": params}
        os.write(self.to, json.dumps(dict(message, sessionId=session) if session else message).encode() + b"\0")
        while True:
            while b"\0" not in self.kept:
                got = os.read(self.back, 1 << 16)
                assert got, "chromium has ended"
                self.kept += got
            one, self.kept = self.kept.split(b"\0", 1)
            answer = json.loads(one)
            if answer.get("id") == self.id:
                assert "result" in answer, answer
                return answer["result"]
            if "method" in answer:
                self.events.append((answer["method"], answer["params"]))

    def open(self, address, session=None):
        """Opens ADDRESS, in a new page if there is no SESSION; returns the session."""
        if session:
            self.ask("Page.navigate", session, url=address)
            return session
        target = self.ask("Target.createTarget", url=address)["targetId"]
        return self.ask("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]

    def value(self, session, expression):
        """The value of EXPRESSION in the page; a promise is awaited."""
        answer = self.ask("Runtime.evaluate", session, expression=expression, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer["exceptionDetails"]
        return answer["result"].get("value")

    def end(self):
        self.ask("Browser.close")
        self.process.wait(30)
        os.close(self.to)
        os.close(self.back)
