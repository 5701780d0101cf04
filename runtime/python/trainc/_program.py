"""Programs through the compiler's door: compile, check, plan, env, format.

A source is the text of a program (str) or a file (os.PathLike). Options have the names of the command line.
"""
import ctypes
import json
import os
import signal
import stat
import threading
from types import TracebackType
from typing import TYPE_CHECKING, Any, Callable, Dict, List, Mapping, Optional, Sequence, Type, TypedDict, TypeVar, Union

from . import _library as lib
from ._results import Diagnostic, Diagnostics, Environments, Error, Objects, Plan, Replica

if TYPE_CHECKING:
    from typing_extensions import Unpack

Source = Union[str, "os.PathLike[str]"]
_LARGEST = 64 << 20
_REASONS = {2: "no such file", 13: "permission denied", 20: "a part of the path is not a directory", 21: "is a directory"}
_PARAMS = "<params>.json"
_TEXT = "<text>"
T = TypeVar("T")


def version() -> str:
    """Returns the version of the compiler."""
    text: bytes = lib.functions()["version"]()
    return text.decode()


def _read_file(path: str) -> "tuple[Optional[bytes], str]":
    """Reads a file of the disk as the command does; None with the reason if it cannot be read."""
    try:
        mode = os.stat(path).st_mode
        if stat.S_ISDIR(mode):
            return None, "is a directory"
        if not stat.S_ISREG(mode):
            return None, "is not a file"
        with open(path, "rb") as f:
            text = f.read(_LARGEST + 1)
    except OSError as e:
        reason = e.strerror or str(e)
        return None, _REASONS.get(e.errno or 0, reason[:1].lower() + reason[1:])
    return (text, "") if len(text) <= _LARGEST else (None, "is larger than 64 MiB")


class _Reader:
    """Files for the compiler: those in memory, and those of the disk unless `files` are given."""

    def __init__(self, files: "Optional[Mapping[str, str]]") -> None:
        self.only_memory = files is not None
        self.memory = {os.path.normpath(name): _bytes(text) for name, text in (files or {}).items()}
        self.why = b""
        self.raised: "Optional[BaseException]" = None
        self.fields = lib.Files(None, lib.READ(self._read), lib.EXISTS(self._exists), lib.LIST(self._list))

    def guard(self, act: "Callable[[], T]", otherwise: T) -> T:
        """Calls ACT for the compiler. What it raises is raised again when the compiler has returned."""
        try:
            return act()
        except BaseException as e:  # noqa: B902 - also KeyboardInterrupt: it must not end in ctypes
            self.raised = self.raised or e
            return otherwise

    def _lookup(self, path: bytes) -> "tuple[Optional[bytes], str]":
        name = os.fsdecode(path)
        text = self.memory.get(os.path.normpath(name))
        if text is not None or name.startswith("<"):
            return text, "no such file"
        return (None, "no such file") if self.only_memory else _read_file(name)

    def _read(self, _context: Any, path: bytes, give: Any, to: Any, why: Any) -> bool:
        def act() -> bool:
            text, reason = self._lookup(path)
            if text is None:
                self.why = reason.encode()
                why[0] = self.why
                return False
            give(to, text, len(text))
            return True
        return self.guard(act, False)

    def _exists(self, _context: Any, path: bytes) -> bool:
        def act() -> bool:
            name = os.fsdecode(path)
            return os.path.normpath(name) in self.memory or (not self.only_memory and os.path.lexists(name))
        return self.guard(act, True)

    def _list(self, _context: Any, directory: bytes, each: Any, to: Any) -> None:
        def act() -> None:
            name = os.fsdecode(directory) or "."
            names = [os.fsencode(os.path.basename(path)) for path in self.memory
                     if (os.path.dirname(path) or ".") == os.path.normpath(name) and not path.startswith("<")]
            if not self.only_memory:
                try:
                    names += [os.fsencode(entry) for entry in os.listdir(name)]
                except OSError:
                    pass
            for entry in sorted(set(names)):
                each(to, entry)
        self.guard(act, None)


def _bytes(text: str) -> bytes:
    # what is not UTF-8 is an error of the program, which the compiler reports
    return text.encode("utf-8", "surrogatepass")


class Options(TypedDict, total=False):
    """The options of the functions about programs, with the names of the command line. `params` takes Python values;
    `files` gives modules in memory, and then nothing is read from the disk."""
    files: Mapping[str, str]
    params: Mapping[str, Any]
    params_files: "Sequence[os.PathLike[str]]"
    profile: Union[str, Sequence[str]]
    target: str
    kubernetes: str
    job: str
    namespace: str
    domain: str
    gang: str
    run_id: str
    unroll: bool
    no_raw: bool
    deny_warnings: bool


class _Options:
    """The options, in the form that the library takes."""

    def __init__(self, options: Options) -> None:
        unknown = sorted(set(options) - set(Options.__annotations__))
        if unknown:
            raise TypeError(f"unknown option '{unknown[0]}'; the options are {', '.join(sorted(Options.__annotations__))}")
        params, profile = options.get("params"), options.get("profile")
        self.files = options.get("files")
        self.params = json.dumps(dict(params), ensure_ascii=False, allow_nan=False) if params else None
        self.list: "List[tuple[str, str]]" = []
        for name in ("target", "kubernetes", "job", "namespace", "domain", "gang", "run_id"):
            value = options.get(name)
            if value is not None:
                self.list.append((name.replace("_", "-"), str(value)))
        self.list += [("profile", p) for p in ([profile] if isinstance(profile, str) else profile or ())]
        self.list += [("params", os.fspath(p)) for p in options.get("params_files") or ()]
        if self.params is not None:
            self.list.append(("params", _PARAMS))
        self.list += [(name.replace("_", "-"), "") for name in ("unroll", "no_raw", "deny_warnings") if options.get(name)]


class _Interrupts:
    """Holds control-C back until the compiler has returned: an exception must not be raised where the compiler calls
    Python, because ctypes would drop it. Handlers that a program has set itself stay as they are."""

    def __init__(self) -> None:
        self.pending = False
        self.held = (threading.current_thread() is threading.main_thread() and
                     signal.getsignal(signal.SIGINT) is signal.default_int_handler)
        if self.held:
            signal.signal(signal.SIGINT, self._note)

    def _note(self, _number: int, _frame: Any) -> None:
        self.pending = True

    def release(self) -> None:
        if self.held:
            signal.signal(signal.SIGINT, signal.default_int_handler)
            self.held = False
        if self.pending:
            self.pending = False
            raise KeyboardInterrupt


class _Programs:
    """Open programs of the library, from their compilation to their end."""

    def __init__(self, sources: "Sequence[Source]", options: _Options) -> None:
        self.f = lib.functions()
        self.reader = _Reader(options.files)
        if options.params is not None:
            self.reader.memory[_PARAMS] = _bytes(options.params)
        self.sources, self.options = sources, options
        self.at: "List[Any]" = []
        self.interrupts = _Interrupts()

    def __enter__(self) -> "_Programs":
        try:
            for number, source in enumerate(self.sources):
                self._compile(source, number)
        except BaseException:
            self.close()
            raise
        return self

    def __exit__(self, kind: "Optional[Type[BaseException]]", value: "Optional[BaseException]",
                 trace: "Optional[TracebackType]") -> None:
        self.close()

    def close(self) -> None:
        at, self.at = self.at, []
        for program in at:
            self.f["close"](program)
        self.interrupts.release()

    def _open(self) -> Any:
        program = self.f["open"](ctypes.byref(self.reader.fields))
        if not program:
            raise MemoryError("trainc has no memory")
        self.at.append(program)
        return program

    def _compile(self, source: Source, number: int) -> None:
        program = self._open()
        for name, value in self.options.list:
            self.f["option"](program, name.encode(), _bytes(value))
        if isinstance(source, str):
            path = _TEXT if number == 0 else f"<text {number + 1}>"
            self.reader.memory[path] = _bytes(source)
        elif isinstance(source, os.PathLike):
            path = os.fspath(source)
        else:
            raise TypeError(f"a program is a str (its text) or a path, not {type(source).__name__}")
        self._done(self.f["compile"](program, os.fsencode(path)))

    def _done(self, value: T) -> T:
        """Raises what a callback raised, or MemoryError, after a call that returned VALUE."""
        raised, self.reader.raised = self.reader.raised, None
        if raised is not None:
            raise raised
        if any(self.f["out_of_memory"](program) for program in self.at):
            raise MemoryError("trainc has no memory")
        return value

    def _array(self) -> Any:
        return (ctypes.c_void_p * len(self.at))(*self.at)

    def check(self, by_kubectl: bool) -> bool:
        ok: bool = self.f["check"](self._array(), len(self.at), by_kubectl)
        return self._done(ok)

    def text(self, name: str, *arguments: Any, after: "Sequence[Any]" = ()) -> "tuple[bool, str]":
        """Calls a function that writes, and returns what it wrote."""
        parts: "List[bytes]" = []

        def write(_context: Any, data: Any, n: int) -> bool:
            def act() -> bool:
                parts.append(ctypes.string_at(data, n))
                return True
            return self.reader.guard(act, False)
        output = lib.Output(None, lib.WRITE(write))
        ok = self._done(self.f[name](*arguments, output, *after))
        return ok, b"".join(parts).decode("utf-8", "replace")

    def emit(self, form: int) -> str:
        return self.text("emit", self._array(), len(self.at), form)[1]

    def report(self, color: bool) -> str:
        return self.text("report", self._array(), len(self.at), lib.TEXT, lib.Look(color, 0, 0))[1]

    def diagnostics(self) -> Diagnostics:
        found: "List[Diagnostic]" = []
        for program in self.at:
            for i in range(self._done(self.f["diagnostics"](program))):
                d = lib.DiagnosticFields()
                if self.f["diagnostic"](program, i, ctypes.byref(d)):
                    found.append(_diagnostic(d))
        return Diagnostics(found, self.report(False), self.report(True)) if found else Diagnostics()

    def require(self, by_kubectl: bool) -> Diagnostics:
        """Checks the programs, and raises Error if they have errors."""
        ok = self.check(by_kubectl)
        diagnostics = self.diagnostics()
        if not ok or diagnostics.errors:
            raise Error(diagnostics.text, diagnostics)
        return diagnostics


def _diagnostic(d: lib.DiagnosticFields) -> Diagnostic:
    def text(value: "Optional[bytes]") -> str:
        return (value or b"").decode("utf-8", "replace")
    return Diagnostic(code=text(d.code), severity="error" if d.error else "warning", message=text(d.message), help=text(d.help),
                      file=text(d.file), line=d.line, column=d.column, end_line=d.end_line, end_column=d.end_column)


def compile(*sources: Source, **options: "Unpack[Options]") -> Objects:
    """Returns the Kubernetes objects of the programs, as `trainc compile` writes them. Raises Error."""
    with _Programs(_some(sources), _Options(options)) as p:
        diagnostics = p.require(True)
        return Objects(json.loads(p.emit(lib.JSON))["items"], p.emit(lib.YAML), diagnostics)


def check(*sources: Source, **options: "Unpack[Options]") -> Diagnostics:
    """Returns what is wrong with the programs, as `trainc check` reports it. Raises nothing for a wrong program."""
    chosen = _Options(options)
    chosen.list.append(("brief", ""))
    with _Programs(_some(sources), chosen) as p:
        p.check(True)
        return p.diagnostics()


def plan(source: Source, **options: "Unpack[Options]") -> Plan:
    """Returns what would run, as `trainc plan` shows it. Raises Error."""
    with _Programs([source], _Options(options)) as p:
        diagnostics = p.require(True)
        text, data, svg = (p.text("plan", p.at[0], form)[1] for form in (lib.TEXT, lib.JSON, lib.SVG))
        return Plan(json.loads(data), text, svg, diagnostics)


def env(source: Source, *, role: "Optional[str]" = None, index: "Optional[int]" = None, **options: "Unpack[Options]") -> Environments:
    """Returns the environments of all replicas, or of those of ROLE with number INDEX. Raises Error."""
    with _Programs([source], _Options(options)) as p:
        diagnostics = p.require(False)
        why = ctypes.c_char_p()
        ok, text = p.text("env", p.at[0], None if role is None else role.encode(), -1 if index is None else index, lib.JSON,
                          after=[ctypes.byref(why)])
        if not ok:
            raise Error((why.value or b"").decode("utf-8", "replace"))
        data: "Dict[str, Any]" = json.loads(text)
        return Environments([_replica(job, r) for job in data["jobs"] for r in job["replicas"]], data, diagnostics)


def _replica(job: "Dict[str, Any]", r: "Dict[str, Any]") -> Replica:
    return Replica(job=job["name"], role=r["role"], index=r["index"], name=r["name"], host=r["host"], container=r["container"],
                   ports={p["name"]: p["port"] for p in r["ports"]},
                   env={e["name"]: e["value"] for e in r["env"] if "value" in e}, raw=r)


def format(text: str) -> str:
    """Returns the text of a program in the canonical style. Raises Error for a syntax error."""
    data = _bytes(text)
    with _Programs([], _Options({})) as p:
        ok, formatted = p.text("format", p._open(), _TEXT.encode(), data, len(data))
        if not ok:
            diagnostics = p.diagnostics()
            raise Error(diagnostics.text, diagnostics)
        return formatted


def _some(sources: "Sequence[Source]") -> "Sequence[Source]":
    if not sources:
        raise TypeError("at least one program is needed")
    return sources
