"""trainc: describes training clusters in a few lines, and compiles them to Kubernetes objects.

The functions about programs (compile, check, plan, env, format) call the compiler, which is a library inside of this
package. The functions about runs (run, apply, status, wait, logs, delete) start the program `trainc`. cluster() reads
the environment of a training process. See docs/python.md.
"""
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ._cluster import Cluster as Cluster, cluster as cluster
    from ._program import (Options as Options, check as check, compile as compile, env as env, format as format, plan as plan,
                           version as version)
    from ._results import (Diagnostic as Diagnostic, Diagnostics as Diagnostics, Environments as Environments, Error as Error,
                           Objects as Objects, Plan as Plan, Replica as Replica)
    from ._runs import (Conflict as Conflict, LogLine as LogLine, Refused as Refused, RunError as RunError,
                        RunFailed as RunFailed, Runs as Runs, RunTimeout as RunTimeout, Unauthorized as Unauthorized,
                        Unreachable as Unreachable, apply as apply, delete as delete, logs as logs, run as run,
                        status as status, wait as wait)
    __version__: str

# A training process imports this module for cluster() alone, so each part is loaded when it is used first.
_PARTS = {
    "_cluster": "Cluster cluster",
    "_program": "Options check compile env format plan version",
    "_results": "Diagnostic Diagnostics Environments Error Objects Plan Replica",
    "_runs": ("Conflict LogLine Refused RunError RunFailed RunTimeout Runs Unauthorized Unreachable apply delete logs run status"
              " wait"),
}
_PART = {name: part for part, names in _PARTS.items() for name in names.split()}
__all__ = list(_PART)


def __getattr__(name: str) -> Any:
    import importlib
    if name == "__version__":
        return __getattr__("version")()
    if name not in _PART:
        raise AttributeError(f"module 'trainc' has no attribute '{name}'")
    value = getattr(importlib.import_module("." + _PART[name], __name__), name)
    globals()[name] = value
    return value


def __dir__() -> "list[str]":
    return sorted({*globals(), *__all__, "__version__"})
