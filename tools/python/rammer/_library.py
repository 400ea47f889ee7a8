"""librammer by ctypes: what rammer.h declares, and errors as exceptions."""

import ctypes
import os
from pathlib import Path
from typing import NamedTuple, Optional, Tuple


class Message(NamedTuple):
    """One problem, or remark."""

    severity: str  #: "note", "warning", "refused" or "error"
    code: str  #: stable, as "RK-O003"
    message: str  #: one sentence
    hint: Optional[str]  #: what to do
    file: Optional[str]
    object: Optional[str]  #: a thing in the file, as "node 'h1'"
    line: int  #: from 1; 0: not known
    column: int

    def __str__(self) -> str:
        place = ": ".join(filter(None, (self.file, self.object)))
        text = f"{place}: {self.message} [{self.code}]" if place else f"{self.message} [{self.code}]"
        return f"{text}\n  hint: {self.hint}" if self.hint else text


class RammerError(Exception):
    """What librammer refused. All problems are there at once, the first one's code is `code`."""

    def __init__(self, messages: Tuple[Message, ...]):
        super().__init__("\n".join(map(str, messages)) or "librammer does not say why")
        self.messages = messages
        self.code = next((m.code for m in messages if m.severity == "error"),
                         messages[0].code if messages else "")


class CMessage(ctypes.Structure):
    _fields_ = [("severity", ctypes.c_int), ("code", ctypes.c_char_p), ("message", ctypes.c_char_p),
                ("hint", ctypes.c_char_p), ("file", ctypes.c_char_p), ("object", ctypes.c_char_p),
                ("line", ctypes.c_int), ("column", ctypes.c_int)]


class CTensor(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("type", ctypes.c_int), ("rank", ctypes.c_int),
                ("shape", ctypes.POINTER(ctypes.c_int64)), ("bytes", ctypes.c_size_t)]


class CNode(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("kernel", ctypes.c_char_p), ("rtasks", ctypes.c_int64),
                ("seconds", ctypes.c_double)]


class CDim(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("low", ctypes.c_int64), ("high", ctypes.c_int64),
                ("value", ctypes.c_int64)]


_MODEL, _SIZE, _TEXT, _BUFFERS = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p,
                                  ctypes.POINTER(ctypes.c_void_p))

#: Name, result and arguments of each function of rammer.h; a test holds the names against the header.
FUNCTIONS = {
    "rammer_version": (_TEXT, ()),
    "rammer_model_new": (_MODEL, ()),
    "rammer_model_free": (None, (_MODEL,)),
    "rammer_message_count": (_SIZE, (_MODEL,)),
    "rammer_message_at": (ctypes.POINTER(CMessage), (_MODEL, _SIZE)),
    "rammer_model_set": (ctypes.c_bool, (_MODEL, _TEXT, _TEXT)),
    "rammer_model_give": (ctypes.c_bool, (_MODEL, _TEXT, ctypes.c_int, ctypes.c_int,
                                          ctypes.POINTER(ctypes.c_int64), ctypes.c_void_p)),
    "rammer_model_load": (ctypes.c_bool, (_MODEL, _TEXT)),
    "rammer_model_input_count": (_SIZE, (_MODEL,)),
    "rammer_model_output_count": (_SIZE, (_MODEL,)),
    "rammer_model_input": (ctypes.POINTER(CTensor), (_MODEL, _SIZE)),
    "rammer_model_output": (ctypes.POINTER(CTensor), (_MODEL, _SIZE)),
    "rammer_model_dim_count": (_SIZE, (_MODEL,)),
    "rammer_model_dim": (ctypes.POINTER(CDim), (_MODEL, _SIZE)),
    "rammer_model_set_dims": (ctypes.c_bool, (_MODEL, ctypes.POINTER(ctypes.c_int64))),
    "rammer_model_set_shapes": (ctypes.c_bool, (_MODEL,
                                                ctypes.POINTER(ctypes.POINTER(ctypes.c_int64)))),
    "rammer_model_threads": (ctypes.c_uint, (_MODEL,)),
    "rammer_model_veus": (ctypes.c_uint, (_MODEL,)),
    "rammer_model_run": (ctypes.c_bool, (_MODEL, _BUFFERS, _BUFFERS)),
    "rammer_model_profile": (ctypes.c_bool, (_MODEL, _BUFFERS, _BUFFERS)),
    "rammer_model_node_count": (_SIZE, (_MODEL,)),
    "rammer_model_node": (ctypes.POINTER(CNode), (_MODEL, _SIZE)),
    "rammer_model_save": (ctypes.c_bool, (_MODEL, _TEXT)),
    "rammer_model_view": (ctypes.c_bool, (_MODEL, _TEXT)),
}

_loaded: Optional[ctypes.CDLL] = None


def _open() -> ctypes.CDLL:
    """$RAMMER_LIBRARY; the library of the wheel; that of the system."""
    given = os.environ.get("RAMMER_LIBRARY")
    if given:
        return ctypes.CDLL(given)
    own = Path(__file__).parent / "lib"
    library = own / "librammer.so.0"
    if not library.exists():
        return ctypes.CDLL("librammer.so.0")
    # What it needs comes first, so that it is found wherever the package lies.
    for name in sorted(own.glob("*.so*")):
        if name != library:
            ctypes.CDLL(str(name))
    return ctypes.CDLL(str(library))


def library() -> ctypes.CDLL:
    """librammer, opened by the first call."""
    global _loaded
    if _loaded is None:
        opened = _open()
        for name, (result, arguments) in FUNCTIONS.items():
            function = getattr(opened, name)
            function.restype = result
            function.argtypes = arguments
        _loaded = opened
    return _loaded


def text(value: Optional[bytes]) -> Optional[str]:
    """A string of librammer's; file names may be any bytes."""
    return None if value is None else os.fsdecode(value)


_SEVERITIES = ("note", "warning", "refused", "error")


def messages_of(model: ctypes.c_void_p) -> Tuple[Message, ...]:
    """What there is to say after the last call."""
    lib = library()
    found = []
    for i in range(lib.rammer_message_count(model)):
        m = lib.rammer_message_at(model, i).contents
        found.append(Message(_SEVERITIES[m.severity], text(m.code), text(m.message), text(m.hint),
                             text(m.file), text(m.object), m.line, m.column))
    return tuple(found)
