"""What the functions about programs return: lists and values that a notebook can show."""
import html
import json
import re
from dataclasses import dataclass, field
from typing import Any, Dict, Iterable, List, Tuple

_STYLES = {"1": "font-weight:bold", "2": "opacity:.7", "31": "color:#c0392b", "32": "color:#1e8449", "33": "color:#b7950b",
           "34": "color:#2471a3", "35": "color:#8e44ad", "36": "color:#148f77"}


def _colored(text: str) -> str:
    """Returns the text of a terminal as HTML: its SGR sequences become spans."""
    out, depth = [], 0
    for part in re.split(r"(\x1b\[[0-9;]*m)", text):
        if not part.startswith("\x1b["):
            out.append(html.escape(part))
            continue
        styles = [_STYLES[code] for code in part[2:-1].split(";") if code in _STYLES]
        if styles:
            out.append(f'<span style="{";".join(styles)}">')
            depth += 1
        else:
            out.append("</span>" * depth)
            depth = 0
    return "<pre>" + "".join(out) + "</span>" * depth + "</pre>"


@dataclass(frozen=True)
class Diagnostic:
    """What is wrong with a program. Lines and columns are counted from 1, and are 0 without a position."""
    code: str
    severity: str
    message: str
    help: str
    file: str
    line: int
    column: int
    end_line: int
    end_column: int
    url: str = ""

    def __str__(self) -> str:
        place = f"{self.file}:{self.line}:{self.column}: " if self.file else ""
        return f"{place}{self.severity}: {self.message} [{self.code}]"


class Diagnostics(List[Diagnostic]):
    """Diagnostics in the order of the command line. `text` is what the command prints on standard error."""

    def __init__(self, items: Iterable[Diagnostic] = (), text: str = "", colored: str = "") -> None:
        super().__init__(items)
        self.text = text
        self._shown = colored or text

    @property
    def errors(self) -> "List[Diagnostic]":
        return [d for d in self if d.severity == "error"]

    @property
    def warnings(self) -> "List[Diagnostic]":
        return [d for d in self if d.severity == "warning"]

    def __repr__(self) -> str:
        return f"<{len(self.errors)} errors, {len(self.warnings)} warnings>"

    def _repr_html_(self) -> str:
        return _colored(self._shown)

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> "Dict[str, Any]":
        return {"text/plain": self.text or repr(self), "text/html": self._repr_html_()}


class Error(ValueError):
    """A program has errors. str() is what the command prints; `diagnostics` are the single messages."""

    def __init__(self, text: str, diagnostics: "Iterable[Diagnostic]" = ()) -> None:
        super().__init__(text)
        self.diagnostics = diagnostics if isinstance(diagnostics, Diagnostics) else Diagnostics(diagnostics, text)

    def __reduce__(self) -> "Tuple[Any, ...]":
        return Error, (self.args[0], list(self.diagnostics))

    def _repr_html_(self) -> str:
        return self.diagnostics._repr_html_()


class Objects(List[Dict[str, Any]]):
    """Kubernetes objects, in the order in which they are applied. `yaml` is the same as `trainc compile` prints."""

    def __init__(self, items: "Iterable[Dict[str, Any]]", yaml: str, diagnostics: Diagnostics) -> None:
        super().__init__(items)
        self.yaml = yaml
        self.diagnostics = diagnostics

    def __repr__(self) -> str:
        return "<" + ", ".join(f"{o.get('kind')}/{o.get('metadata', {}).get('name')}" for o in self) + ">"

    def _repr_html_(self) -> str:
        texts = re.split(r"^---\n", self.yaml, flags=re.MULTILINE)
        texts = [t for t in texts if t.strip()]
        if len(texts) != len(self):
            texts = [json.dumps(o, indent=2) for o in self]
        return "".join(f"<details><summary>{html.escape(str(o.get('kind')))} "
                       f"{html.escape(str(o.get('metadata', {}).get('name')))}</summary><pre>{html.escape(t)}</pre></details>"
                       for o, t in zip(self, texts))

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> "Dict[str, Any]":
        return {"text/plain": repr(self), "text/html": self._repr_html_()}


class Plan:
    """What would run. `jobs` has one dictionary for each job; str() is the table of `trainc plan`."""

    def __init__(self, data: "Dict[str, Any]", text: str, svg: str, diagnostics: Diagnostics) -> None:
        self._data = data
        self.text = text
        self.svg = svg
        self.diagnostics = diagnostics

    @property
    def jobs(self) -> "List[Dict[str, Any]]":
        jobs: List[Dict[str, Any]] = self._data["jobs"]
        return jobs

    def to_dict(self) -> "Dict[str, Any]":
        """Returns what `trainc plan -o json` prints."""
        return self._data

    def __str__(self) -> str:
        return self.text

    def __repr__(self) -> str:
        return "<plan of " + ", ".join(str(job["name"]) for job in self.jobs) + ">"

    def _repr_html_(self) -> str:
        return self.svg

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> "Dict[str, Any]":
        return {"text/plain": self.text, "image/svg+xml": self.svg, "text/html": self.svg}


@dataclass(frozen=True)
class Replica:
    """A replica and its environment. Values that only the cluster knows (secrets, addresses of nodes) are not in `env`,
    but described in `raw`."""
    job: str
    role: str
    index: int
    name: str
    host: str
    container: str
    ports: "Dict[str, int]"
    env: "Dict[str, str]"
    raw: "Dict[str, Any]" = field(repr=False, compare=False)


class Environments(List[Replica]):
    """The environments of replicas, in the order of `trainc env`."""

    def __init__(self, items: "Iterable[Replica]", data: "Dict[str, Any]", diagnostics: Diagnostics) -> None:
        super().__init__(items)
        self._data = data
        self.diagnostics = diagnostics

    def to_dict(self) -> "Dict[str, Any]":
        """Returns what `trainc env -o json` prints."""
        return self._data

    def __repr__(self) -> str:
        return f"<environments of {len(self)} replicas>"

    def _repr_html_(self) -> str:
        rows = [f"<tr><th>{html.escape(r.role)} {r.index}</th><td>{html.escape(name)}</td><td>{html.escape(value)}</td></tr>"
                for r in self for name, value in r.env.items()]
        return "<table><tr><th>replica</th><th>variable</th><th>value</th></tr>" + "".join(rows) + "</table>"

    def _repr_mimebundle_(self, include: Any = None, exclude: Any = None) -> "Dict[str, Any]":
        return {"text/plain": repr(self), "text/html": self._repr_html_()}
