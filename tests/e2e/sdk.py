"""The training operator's Python SDK, of two lines, against the controller (trainc supervise --kubeflow) on a real API
server: sdk_user.py is a user's program, which must work with the controller as it works with the operator.

    KUBECONFIG=... KUBECTL=... TRAINC=... E2E_SDK=... python3 sdk.py [NAME...]

E2E_SDK is what "build.sh sdk" prints: the SDKs of PyPI, fetched with pip.
"""

import os
import subprocess
import sys

import runtime
import supervise
from runtime import Failure

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = ("PyTorchJob", "TFJob", "MPIJob", "XGBoostJob", "PaddleJob", "MXJob")
LIMIT = 600                             # seconds for one program; it takes half a minute on an idle machine


def used(version, kind):
    def run(d):
        d.start()
        paths = [os.path.join(os.environ["E2E_SDK"], part) for part in (version, "common")]
        try:
            done = subprocess.run([sys.executable, os.path.join(HERE, "sdk_user.py"), version, d.space.ns, kind], capture_output=True, text=True,
                                  timeout=LIMIT, env={**os.environ, "PYTHONPATH": ":".join(paths), "PYTHONDONTWRITEBYTECODE": "1"})
        except subprocess.TimeoutExpired as late:
            raise Failure(f"not within {LIMIT} s:\n{(late.stdout or b'')[-2000:]}\n{d.said()[-2000:]}")
        if done.returncode:
            raise Failure(f"{done.stderr[-3000:]}\n{d.said()[-2000:]}")
    what = "functions" if kind == "functions" else f"a {kind}"
    run.__name__ = f"sdk{version}_{kind}".replace(".", "").lower()
    run.__doc__ = f"the SDK {version} makes {what}, waits, reads its logs and conditions, changes and deletes it"
    return run


# from_func of 1.7.0 names classes that the package does not have
CHECKS = [(f.__doc__, f) for f in [*(used(version, kind) for version in ("1.7.0", "1.8.1") for kind in KINDS), used("1.8.1", "functions")]]


if __name__ == "__main__":
    sys.exit(runtime.main(sys.argv[1:], CHECKS, supervise.outcome))
