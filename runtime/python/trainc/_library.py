"""The functions of libtrainc (compiler/trainc.h) for ctypes. The library is loaded by the first call."""
import ctypes
import os
import sys
import threading
from typing import Any, Callable, Optional

_NAME = "libtrainc.0.dylib" if sys.platform == "darwin" else "libtrainc.so.0"
TEXT, JSON, SARIF, YAML = range(4)
SVG = 8

GIVE = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, ctypes.c_size_t)
READ = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_char_p, GIVE, ctypes.c_void_p, ctypes.POINTER(ctypes.c_char_p))
EXISTS = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_char_p)
EACH = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p)
LIST = ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_char_p, EACH, ctypes.c_void_p)
WRITE = ctypes.CFUNCTYPE(ctypes.c_bool, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_size_t)


class Files(ctypes.Structure):
    _fields_ = [("context", ctypes.c_void_p), ("read", READ), ("exists", EXISTS), ("list", LIST)]


class Output(ctypes.Structure):
    _fields_ = [("context", ctypes.c_void_p), ("write", WRITE)]


class Look(ctypes.Structure):
    _fields_ = [("color", ctypes.c_bool), ("width", ctypes.c_uint), ("limit", ctypes.c_size_t)]


class DiagnosticFields(ctypes.Structure):
    _fields_ = [("code", ctypes.c_char_p), ("error", ctypes.c_bool), ("message", ctypes.c_char_p), ("help", ctypes.c_char_p),
                ("file", ctypes.c_char_p), ("line", ctypes.c_uint), ("column", ctypes.c_uint), ("end_line", ctypes.c_uint),
                ("end_column", ctypes.c_uint)]


_PROGRAMS = ctypes.POINTER(ctypes.c_void_p)
_FUNCTIONS: "dict[str, tuple[Any, list[Any]]]" = {
    "version": (ctypes.c_char_p, []),
    "open": (ctypes.c_void_p, [ctypes.POINTER(Files)]),
    "option": (ctypes.c_bool, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p]),
    "compile": (ctypes.c_bool, [ctypes.c_void_p, ctypes.c_char_p]),
    "check": (ctypes.c_bool, [_PROGRAMS, ctypes.c_size_t, ctypes.c_bool]),
    "diagnostics": (ctypes.c_size_t, [ctypes.c_void_p]),
    "diagnostic": (ctypes.c_bool, [ctypes.c_void_p, ctypes.c_size_t, ctypes.POINTER(DiagnosticFields)]),
    "report": (ctypes.c_bool, [_PROGRAMS, ctypes.c_size_t, ctypes.c_int, Look, Output]),
    "file": (ctypes.c_char_p, [ctypes.c_void_p, ctypes.c_size_t]),
    "plan": (ctypes.c_bool, [ctypes.c_void_p, ctypes.c_int, Output]),
    "env": (ctypes.c_bool, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_longlong, ctypes.c_int, Output,
                            ctypes.POINTER(ctypes.c_char_p)]),
    "emit": (ctypes.c_bool, [_PROGRAMS, ctypes.c_size_t, ctypes.c_int, Output]),
    "format": (ctypes.c_bool, [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_char_p, ctypes.c_size_t, Output]),
    "out_of_memory": (ctypes.c_bool, [ctypes.c_void_p]),
    "close": (None, [ctypes.c_void_p]),
}
_lock = threading.Lock()
_loaded: "Optional[dict[str, Callable[..., Any]]]" = None


def functions() -> "dict[str, Callable[..., Any]]":
    """Returns the functions by their names without `trainc_`."""
    global _loaded
    if _loaded is None:
        with _lock:
            if _loaded is None:
                _loaded = _load()
    return _loaded


def _load() -> "dict[str, Callable[..., Any]]":
    path = os.environ.get("TRAINC_LIBRARY") or os.path.join(os.path.dirname(os.path.abspath(__file__)), _NAME)
    library = ctypes.CDLL(path)
    loaded = {}
    for name, (result, arguments) in _FUNCTIONS.items():
        function = getattr(library, "trainc_" + name)
        function.restype, function.argtypes = result, arguments
        loaded[name] = function
    return loaded
