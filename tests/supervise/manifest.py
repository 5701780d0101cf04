"""manifest.py [NAME...] - the objects of `trainc supervise --manifest`: goldens without the definitions of kinds (with
BLESS=1 they are written), and rules that every set of options must keep."""
import difflib
import json
import os
import subprocess
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
TRAINC = os.environ["TRAINC"]
IMAGE = "--image=registry.example.com/trainc:1"
# the name of a golden, and the options
GOLDENS = {
    "runs": [],
    "all": ["--kubeflow", "--ancestors"],
    "local": ["--kubeflow", "--namespace=ml", "--gang=volcano"],
    "shards": ["--kubeflow", "--total-shards=4", "--gang=coscheduling", "--manifest=monitor"],
    "images": ["--kubeflow", "--operator=1.7", "--init-image=here/a:1", "--delivery-image=here/b:2"],
    "ancestors": ["--ancestors"],
}
CHECKS = []


def check(f):
    CHECKS.append(f)
    return f


def must(condition, what):
    if not condition:
        raise AssertionError(what)


def supervise(*options):
    return subprocess.run([TRAINC, "supervise", *options], capture_output=True, text=True, timeout=60)


def written(*options):
    """The standard output of --manifest."""
    done = supervise("--manifest", IMAGE, *options)
    must(done.returncode == 0 and not done.stderr, done)
    return done.stdout


def objects(*options):
    return json.loads(written("-o", "json", *options))["items"]


@check
def goldens():
    """the objects of each set of options are those of its golden"""
    wrong = []
    for name, options in GOLDENS.items():
        documents = written(*options).split("---\n")
        text = "---\n".join(d for d in documents if "\nkind: CustomResourceDefinition\n" not in d)
        path = os.path.join(HERE, "manifest", name + ".yaml")
        if os.environ.get("BLESS"):
            with open(path, "w") as f:
                f.write(text)
        with open(path) as f:
            wrong += difflib.unified_diff(f.read().splitlines(), text.splitlines(), path, "now", lineterm="")
    must(not wrong, "\n".join(wrong))


def main(wanted):
    passed = failed = 0
    for f in CHECKS:
        if wanted and f.__name__ not in wanted:
            continue
        try:
            f()
            passed += 1
        except AssertionError as e:
            failed += 1
            print("FAIL %s (%s): %s" % (f.__name__, f.__doc__, e))
    print("%d passed, %d failed" % (passed, failed))
    return failed > 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
