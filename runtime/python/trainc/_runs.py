"""Runs: the commands of the program `trainc`, with its exit statuses as exceptions.

A program is a str (its text) or a path. A run is a Runs object, the name of a run (str), or the path of its program.
Options have the names of the command line (`local=True`, `namespace="ml"`, `mount=["data=./data"]`).
"""
import json
import os
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from dataclasses import dataclass
from typing import Any, Dict, Iterator, List, Mapping, Optional, Sequence, Union

from ._program import Source


class RunError(RuntimeError):
    """A command about runs failed. `status` is its exit status, str() what it printed on standard error."""

    def __init__(self, text: str, status: int) -> None:
        super().__init__(text, status)
        self.status = status

    def __str__(self) -> str:
        return str(self.args[0])


class Unauthorized(RunError):
    """Status 4: not authenticated, or not permitted."""


class Conflict(RunError):
    """Status 5: a run of that name exists, is in another state, or fields have another owner."""


class Refused(RunError):
    """Status 6: the API server or the run refuses what was asked."""


class Unreachable(RunError):
    """Status 7: the API server cannot be reached or understood."""


class RunFailed(RunError):
    """Status 8: the run has failed or is gone, or could not be started."""


class RunTimeout(RunError, TimeoutError):
    """Status 124: the time is over; nothing has been undone."""


_KINDS = {4: Unauthorized, 5: Conflict, 6: Refused, 7: Unreachable, 8: RunFailed, 124: RunTimeout}

_PROGRAM = "params params_files profile job namespace"
_CLUSTER = "kubeconfig context as_user retry_timeout"
_START = ("isolate mount image_root inherit_env env replicas backoff log_limit publish pin name parallel no_devices code on_end"
          " fail_on_stall create_namespace adopt force_conflicts recreate timeout target kubernetes gang domain run_id unroll no_raw deny_warnings")
_ALLOWED = {command: set(f"local {_PROGRAM} {_CLUSTER} {more}".split()) for command, more in {
    "run": _START, "apply": _START + " wait_for no_wait rerun controller refresh",
    "status": "all_namespaces", "wait": "wait_for timeout fail_on_stall", "delete": "force all timeout",
    "logs": "follow role rank container all grep tail since previous attempt max_streams"}.items()}
_NAMES = {"wait_for": "for", "as_user": "as"}           # words that Python reserves


@dataclass(frozen=True)
class LogLine:
    """A line that a replica printed."""
    time: str
    role: str
    rank: int
    pod: str
    container: str
    attempt: int
    text: str

    def __str__(self) -> str:
        return self.text


class Runs(List[Dict[str, Any]]):
    """The states of runs, as `trainc status -o json` prints them. In a notebook it is a table."""

    def __init__(self, items: "Sequence[Dict[str, Any]]", options: "Mapping[str, Any]") -> None:
        super().__init__(items)
        self.options = {name: options[name] for name in ("local", "namespace", "kubeconfig", "context", "as_user") if name in options}

    @property
    def names(self) -> "List[str]":
        return [str(run["name"]) for run in self]

    @property
    def states(self) -> "Dict[str, str]":
        return {str(run["name"]): str(run["state"]) for run in self}

    def __repr__(self) -> str:
        return "<" + ", ".join(f"{name}: {state}" for name, state in self.states.items()) + ">"

    def _repr_html_(self) -> str:
        import html
        rows = [(run["name"], run["state"], run["cause"], role["role"], f"{role['ready']}/{role['desired']}", role["succeeded"],
                 role["failed"], role["restarts"]) for run in self for role in run["roles"]]
        head = ("run", "state", "cause", "role", "ready", "succeeded", "failed", "restarts")
        return ("<table><tr>" + "".join(f"<th>{word}</th>" for word in head) + "</tr>" +
                "".join("<tr>" + "".join(f"<td>{html.escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows) + "</table>")


Run = Union[Runs, str, "os.PathLike[str]"]


def program() -> str:
    """Returns the path of the program `trainc`: that of this installation, or else the first one of PATH."""
    name = os.environ.get("TRAINC")
    if name:
        return name
    here = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    places = [sysconfig.get_path("scripts"), os.path.join(here, "bin"), os.path.join(os.path.dirname(sys.executable))]
    try:                                        # pip install --user
        places.append(sysconfig.get_path("scripts", scheme=f"{os.name}_user"))
    except KeyError:
        pass
    for place in places:
        path = os.path.join(place, "trainc")
        if os.access(path, os.X_OK):
            return path
    found = shutil.which("trainc")
    if found is None:
        raise FileNotFoundError(f"the program 'trainc' is neither in {places[0]} nor in PATH")
    return found


class _Call:
    """A call of the program: its arguments, its standard input and the temporary files that it reads."""

    def __init__(self, command: str, operands: "Sequence[Any]", options: "Mapping[str, Any]", are_programs: bool) -> None:
        unknown = sorted(set(options) - _ALLOWED[command])
        if unknown:
            raise TypeError(f"{command}() has no option '{unknown[0]}'; its options are {', '.join(sorted(_ALLOWED[command]))}")
        self.input: "Optional[bytes]" = None
        self.scratch: "Optional[str]" = None
        self.arguments = [program(), command]
        for name, value in options.items():
            self._option(name, value)
        texts: "List[str]" = []
        for operand in operands:
            texts += self._operand(operand, are_programs)
        self.arguments += ["--", *texts]

    def _option(self, name: str, value: Any) -> None:
        if name == "params":
            if value:
                self.scratch = tempfile.mkdtemp(prefix="trainc-")
                path = os.path.join(self.scratch, "params.json")
                with open(path, "w", encoding="utf-8") as f:
                    json.dump(dict(value), f, ensure_ascii=False, allow_nan=False)
                self.arguments.append(f"--params={path}")
            return
        word = "--" + ("params" if name == "params_files" else _NAMES.get(name, name).replace("_", "-"))
        if isinstance(value, bool):
            self.arguments += [word] if value else []
        elif isinstance(value, Mapping):
            self.arguments += [f"{word}={key}={one}" for key, one in value.items()]
        elif isinstance(value, (list, tuple)):
            self.arguments += [f"{word}={one}" for one in value]
        elif value is not None:
            self.arguments.append(f"{word}={os.fspath(value) if isinstance(value, os.PathLike) else value}")

    def _operand(self, operand: Any, is_program: bool) -> "List[str]":
        if isinstance(operand, Runs):
            return operand.names
        if isinstance(operand, os.PathLike):
            return [os.fspath(operand)]
        if not isinstance(operand, str):
            raise TypeError(f"expected a str or a path, not {type(operand).__name__}")
        if not is_program:
            return [operand]
        if self.input is not None:
            raise TypeError("only one program can be given as text")
        self.input = operand.encode("utf-8", "surrogatepass")
        return ["-"]

    def close(self) -> None:
        if self.scratch is not None:
            shutil.rmtree(self.scratch, ignore_errors=True)

    def start(self) -> "subprocess.Popen[bytes]":
        return subprocess.Popen(self.arguments, stdin=subprocess.PIPE if self.input is not None else subprocess.DEVNULL,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE)

    def result(self) -> str:
        """Runs the program to its end and returns what it printed. An interrupt ends the program, too."""
        try:
            process = self.start()
            try:
                out, err = process.communicate(self.input)
            except BaseException:
                process.terminate()
                process.wait()
                raise
        finally:
            self.close()
        _require(process.returncode, err)
        return out.decode("utf-8", "replace")


def _require(status: int, err: bytes) -> None:
    if status != 0:
        text = err.decode("utf-8", "replace").strip() or f"trainc exited with status {status}"
        raise _KINDS.get(status, RunError)(text, status)


def _states(command: str, operands: "Sequence[Any]", options: "Mapping[str, Any]", are_programs: bool) -> Runs:
    call = _Call(command, operands, options, are_programs)
    call.arguments[2:2] = ["-o", "json", "--color=never"]
    return Runs(json.loads(call.result())["runs"], options)


def _of(runs: "Sequence[Run]", options: "Dict[str, Any]") -> "Dict[str, Any]":
    """Returns the options with those of the runs: a run that was started locally is looked for locally."""
    merged: "Dict[str, Any]" = {}
    for one in runs:
        if isinstance(one, Runs):
            merged.update(one.options)
    merged.update(options)
    return merged


def apply(*sources: Source, **options: Any) -> Runs:
    """Starts programs and leaves them running, as `trainc apply` does. Returns when they are running."""
    return _states("apply", sources, options, True)


def run(source: Source, **options: Any) -> Runs:
    """Runs a program to its end and returns its final state, as `trainc run` does. Raises RunFailed if it fails."""
    return _states("run", [source], options, True)


def status(*runs: Run, **options: Any) -> Runs:
    """Returns the states of runs; without RUNS, of all runs."""
    return _states("status", runs, _of(runs, options), False)


def wait(*runs: Run, **options: Any) -> Runs:
    """Waits until runs have ended, or reached `wait_for`, and returns their states. Raises RunFailed, or RunTimeout
    after `timeout`."""
    return _states("wait", runs, _of(runs, options), False)


def delete(*runs: Run, **options: Any) -> None:
    """Stops runs and removes everything that belongs to them, without asking."""
    call = _Call("delete", runs, _of(runs, options), False)
    call.arguments.insert(2, "--yes")
    call.result()


def logs(run: Run, **options: Any) -> "Iterator[LogLine]":
    """Yields the lines that the replicas of a run have printed; with `follow=True` until they have ended. Closing the
    generator ends the program."""
    call = _Call("logs", [run], _of([run], options), False)
    call.arguments[2:2] = ["-o", "json", "--color=never"]
    return _lines(call)


def _lines(call: _Call) -> "Iterator[LogLine]":
    with tempfile.TemporaryFile() as err:
        process = subprocess.Popen(call.arguments, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=err)
        try:
            assert process.stdout is not None
            for line in process.stdout:
                yield _line(json.loads(line))
            process.wait()
            err.seek(0)
            _require(process.returncode, err.read())
        finally:
            if process.poll() is None:
                process.terminate()
                process.wait()
            if process.stdout is not None:
                process.stdout.close()
            call.close()


def _line(data: "Dict[str, Any]") -> LogLine:
    return LogLine(time=data["time"], role=data["role"], rank=data["rank"], pod=data["pod"], container=data["container"],
                   attempt=data["attempt"], text=data["text"])
