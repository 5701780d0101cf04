"""Long-running commands while objects change: their memory stays constant, and what they show at the end is right.

    KUBECONFIG=... KUBECTL=... TRAINC=... python3 soak.py [SECONDS]

`wait`, `status --watch` and `logs -f` follow one run for SECONDS (300) while its pods are modified, deleted and
re-created, and other runs of the namespace are created, fail and are deleted.  Memory is compared between a quarter of
the time and the end; from a quarter of 300 s on the number of Events is constant, since they expire after a minute.
"""

import json
import os
import signal
import subprocess
import sys
import time

import runtime
from runtime import HOLD, Failure, Space, job

ALLOWED_MB = 1.5        # pages not used before; a leak of 1 KB for each event would be several times that


class Stays:
    """A command that keeps running, and its memory."""

    def __init__(self, s, *words):
        self.words = words
        self.out = open(os.path.join(s.dir, words[0] + ".out"), "w+")
        self.p = subprocess.Popen([os.path.realpath(runtime.TRAINC), words[0], "--namespace", s.ns, *words[1:]], cwd=s.dir,
                                  stdin=subprocess.DEVNULL, stdout=self.out, stderr=subprocess.STDOUT)

    def anonymous(self):
        """Memory of its own in MB."""
        if self.p.poll() is not None:
            self.out.seek(0)
            raise Failure(f"{self.words} has ended with {self.p.returncode}\n{self.out.read()[-2000:]}")
        with open(f"/proc/{self.p.pid}/status") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("RssAnon:")) / 1024

    def seconds(self):
        with open(f"/proc/{self.p.pid}/stat") as f:
            fields = f.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def close(self):
        self.p.send_signal(signal.SIGKILL)
        self.p.wait()
        self.out.close()


def churn(s, i):
    """One round: changes of the run that is followed, and another run that is created, ends and is deleted."""
    s.kubectl("annotate", "pods", "-l", "trainc.dev/job=a", f"x={i}", "--overwrite", ok=False)     # one may be gone by then
    if i % 5 == 0:
        pod = json.loads(s.kubectl("get", "pods", "-l", "trainc.dev/job=a", "-o", "json"))["items"][i % 4]["metadata"]["name"]
        s.kubectl("delete", "pod", pod, "--wait=false", ok=False)
    other = "other%d" % (i % 3)
    s.write(other + ".tj", job(other, "    replicas = 2\n    retries = 1", f'annotations {{\n    "e2e.trainc.dev/exit" = "{i % 2}"\n  }}\n'))
    s.want(0, "apply", "--no-wait", "--rerun", "--recreate", "--yes", other + ".tj")
    if i % 2:
        s.want(0, "delete", other, "--yes")


def soak(s, seconds):
    s.write("a.tj", job("a", "    replicas = 4\n    retries = 1000000", HOLD))
    s.want(0, "apply", "a.tj", "--for", "running")
    stay = [Stays(s, "wait", "a"), Stays(s, "status", "a", "--watch", "-o", "json"), Stays(s, "logs", "a", "-f", "--all")]
    try:
        begin, i, early = time.monotonic(), 0, None
        while (passed := time.monotonic() - begin) < seconds:
            churn(s, i)
            i += 1
            if early is None and passed > seconds / 4:
                early, at = [one.anonymous() for one in stay], i
        time.sleep(3)  # the last Events have expired then
        rows = [(one.words, early[k], one.anonymous(), one.seconds()) for k, one in enumerate(stay)]
        for words, before, after, used in rows:
            print(f"# {' '.join(words)}: {before:.2f} MB after {at} rounds, {after:.2f} MB after {i}; {used:.1f} s of the processor in {seconds} s", flush=True)
        grown = [f"{' '.join(words)} grew from {before:.2f} to {after:.2f} MB" for words, before, after, _ in rows if after > before + ALLOWED_MB]
        if grown:
            raise Failure("\n".join(grown))
        end = time.monotonic() + 120
        while stay[0].p.poll() is None and time.monotonic() < end:      # re-created pods are held, too
            s.kubectl("annotate", "pods", "-l", "trainc.dev/job=a", "e2e.trainc.dev/hold-", ok=False)
            time.sleep(1)
        if stay[0].p.poll() != 0:
            raise Failure(f"wait ended with {stay[0].p.returncode}")
    finally:
        for one in stay:
            one.close()


def main(seconds="300"):
    s = Space("soak")
    try:
        soak(s, float(seconds))
    except Failure as problem:
        print(f"FAIL {problem}\n0 passed, 1 failed")
        return 1
    finally:
        s.close()
    print("ok memory is flat under churn\n1 passed, 0 failed")
    return 0


if __name__ == "__main__":
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    sys.exit(main(*sys.argv[1:]))
