"""Models: loaded or planned, described, run, measured and looked at."""

import ctypes
import os
import tempfile
import threading
import webbrowser
from typing import Any, Dict, Iterable, List, Mapping, NamedTuple, Optional, Sequence, Tuple, Union

from . import _arrays
from ._library import RammerError, library, messages_of, text

Path = Union[str, "os.PathLike[str]"]


class Tensor(NamedTuple):
    """An input or output."""

    name: str
    dtype: str  #: "f32", "i64", ...
    shape: Tuple[int, ...]


class Dim(NamedTuple):
    """A dimension that is open: every value from `low` to `high` is run by the one plan."""

    name: str
    low: int
    high: int
    value: int  #: of the last run, or the largest before one


class Node(NamedTuple):
    """What a node took when its kernel ran alone."""

    name: str
    kernel: str  #: its id in the catalog
    rtasks: int
    seconds: float


class Profile(List[Node]):
    """The nodes of a model in the order of the runs; printed, the longest first."""

    @property
    def seconds(self) -> float:
        return sum(node.seconds for node in self)

    def __str__(self) -> str:
        total = self.seconds or 1.0
        rows = [f"{n.seconds * 1e3:10.3f} ms {100 * n.seconds / total:5.1f}%  {n.name}  {n.kernel}"
                for n in sorted(self, key=lambda n: -n.seconds)]
        return "\n".join(rows + [f"{self.seconds * 1e3:10.3f} ms  one by one"])


def _describe(count: int, get: Any, model: Any) -> Tuple[Tensor, ...]:
    found = []
    for i in range(count):
        t = get(model, i).contents
        found.append(Tensor(text(t.name), _arrays.TYPES[t.type].name,
                            tuple(t.shape[d] for d in range(t.rank))))
    return tuple(found)


class Model:
    """A model that is ready to run on this CPU. `rammer.compile` makes it. Threads take turns."""

    def __init__(self, path: Path, options: Iterable[Tuple[str, str]],
                 values: Mapping[str, Any]):
        self._lib = library()
        self._lock = threading.Lock()
        self._model = ctypes.c_void_p(self._lib.rammer_model_new())
        if not self._model:
            raise MemoryError("no memory for a model")
        for name, value in options:
            self._check(self._lib.rammer_model_set(self._model, name.encode(), os.fsencode(value)))
        for name, value in values.items():
            self._give(name, value)
        self._check(self._lib.rammer_model_load(self._model, os.fsencode(path)))
        self.messages = messages_of(self._model)  #: warnings and notes of loading
        self._open = self._lib.rammer_model_dim_count(self._model) > 0
        self._tell_shapes()

    def _tell_shapes(self) -> None:
        self.inputs = _describe(self._lib.rammer_model_input_count(self._model),
                                self._lib.rammer_model_input, self._model)
        self.outputs = _describe(self._lib.rammer_model_output_count(self._model),
                                 self._lib.rammer_model_output, self._model)

    def __del__(self) -> None:
        if getattr(self, "_model", None):
            self._lib.rammer_model_free(self._model)

    def __repr__(self) -> str:
        def show(tensors: Tuple[Tensor, ...]) -> str:
            return ", ".join(f"{t.name}: {t.dtype}{list(t.shape)}" for t in tensors)
        return f"rammer.Model({show(self.inputs)} -> {show(self.outputs)})"

    def _check(self, good: bool) -> None:
        if not good:
            raise RammerError(messages_of(self._model))

    def _give(self, name: str, value: Any) -> None:
        array = value if hasattr(value, "__dlpack__") else None
        if array is None:
            raise _arrays.ArrayError(f"the value of {name} is no array")
        import numpy
        array = numpy.ascontiguousarray(numpy.from_dlpack(array) if not isinstance(array, numpy.ndarray)
                                        else array)
        kind = next((i for i, t in enumerate(_arrays.TYPES) if t.numpy == array.dtype.name), None)
        if kind is None:
            raise _arrays.ArrayError(f"the value of {name} has the type {array.dtype}")
        shape = (ctypes.c_int64 * max(array.ndim, 1))(*array.shape)
        self._check(self._lib.rammer_model_give(self._model, name.encode(), kind, array.ndim, shape,
                                                array.ctypes.data))

    @property
    def threads(self) -> int:
        """Threads that a run works with."""
        return self._lib.rammer_model_threads(self._model)

    @property
    def veus(self) -> int:
        """Virtual execution units of the plan."""
        return self._lib.rammer_model_veus(self._model)

    @property
    def dims(self) -> Tuple[Dim, ...]:
        """The dimensions that are open, in the order of their names in the model."""
        found = []
        for i in range(self._lib.rammer_model_dim_count(self._model)):
            d = self._lib.rammer_model_dim(self._model, i).contents
            found.append(Dim(text(d.name), d.low, d.high, d.value))
        return tuple(found)

    def _set_shapes(self, values: Sequence[Any]) -> None:
        """Sets the open dimensions by the inputs' shapes."""
        shapes = [_arrays.shape_of(v, t.name) for v, t in zip(values, self.inputs)]
        if all(shape == t.shape for shape, t in zip(shapes, self.inputs)):
            return
        for shape, t in zip(shapes, self.inputs):
            if len(shape) != len(t.shape):
                raise _arrays.ArrayError(
                    f"{t.name} has {len(t.shape)} dimensions, not {len(shape)}")
        rows = [(ctypes.c_int64 * max(len(shape), 1))(*shape) for shape in shapes]
        pointer = ctypes.POINTER(ctypes.c_int64)
        self._check(self._lib.rammer_model_set_shapes(
            self._model, (pointer * (len(rows) + 1))(*(ctypes.cast(r, pointer) for r in rows))))
        self._tell_shapes()

    def _arguments(self, args: Sequence[Any], named: Mapping[str, Any]) -> List[Any]:
        if len(args) > len(self.inputs):
            raise TypeError(f"the model has {len(self.inputs)} inputs, not {len(args)}")
        found = list(args)
        rest = [t.name for t in self.inputs[len(args):]]
        unknown = sorted(set(named) - set(rest))
        missing = [name for name in rest if name not in named]
        if unknown:
            raise TypeError(f"the model has no other input {unknown[0]!r}: its inputs are "
                            f"{', '.join(t.name for t in self.inputs)}")
        if missing:
            raise TypeError(f"no value for {', '.join(missing)}")
        return found + [named[name] for name in rest]

    def _call(self, function: Any, args: Sequence[Any], named: Mapping[str, Any]) -> List[Any]:
        values = self._arguments(args, named)
        with self._lock:
            if self._open:
                self._set_shapes(values)
            given = [_arrays.give(v, t.name, _arrays.type_of(t.dtype), t.shape)
                     for v, t in zip(values, self.inputs)]
            made = [_arrays.Array(_arrays.type_of(t.dtype), t.shape) for t in self.outputs]
            inputs = (ctypes.c_void_p * (len(given) + 1))(*(g.address for g in given))
            outputs = (ctypes.c_void_p * (len(made) + 1))(*(a.address for a in made))
            self._check(function(self._model, inputs, outputs))
        return [_arrays.hand_out(a, _likeness(values)) for a in made]

    def __call__(self, *args: Any, **named: Any) -> Any:
        """
        Runs the model: inputs in order, or by name. An input is an array of numpy, anything with DLPack (tensors of torch),
        a buffer, or nested lists; its type and shape must be the input's, where open dimensions have any value of their
        range, which is run without planning or building anything. Comes back with the output, or a tuple of them: tensors
        of torch when one was passed, arrays of numpy where numpy is installed, else `rammer.Array`.
        """
        made = self._call(self._lib.rammer_model_run, args, named)
        return made[0] if len(made) == 1 else tuple(made)

    def run(self, inputs: Mapping[str, Any]) -> Dict[str, Any]:
        """Runs the model with inputs by name, which may be no identifiers of Python, and outputs likewise."""
        made = self._call(self._lib.rammer_model_run, (), inputs)
        return {t.name: a for t, a in zip(self.outputs, made)}

    def profile(self, *args: Any, **named: Any) -> Profile:
        """
        Measures each node on this machine: its kernel alone on all threads. Inputs are as for a call; with none at all,
        zeros are taken.
        """
        if not args and not named:
            named = {t.name: _arrays.Array(_arrays.type_of(t.dtype), t.shape) for t in self.inputs}
        self._call(self._lib.rammer_model_profile, args, named)
        found = Profile()
        for i in range(self._lib.rammer_model_node_count(self._model)):
            node = self._lib.rammer_model_node(self._model, i).contents
            found.append(Node(text(node.name), text(node.kernel), node.rtasks, node.seconds))
        return found

    def view(self, path: Optional[Path] = None) -> str:
        """
        Writes one HTML page: the graph, the timeline, simulated, and the waits; and says where. Without a path it is a
        temporary file, which is shown in the browser.
        """
        shown = path is None
        if path is None:
            handle, path = tempfile.mkstemp(prefix="rammer-", suffix=".html")
            os.close(handle)
        with self._lock:
            self._check(self._lib.rammer_model_view(self._model, os.fsencode(path)))
        if shown:
            webbrowser.open("file://" + os.path.abspath(path))
        return os.fspath(path)

    def save(self, folder: Path) -> None:
        """Writes what `rammer build` writes: a folder that `rammer.compile` and `rammer run` take."""
        with self._lock:
            self._check(self._lib.rammer_model_save(self._model, os.fsencode(folder)))


def _likeness(values: Sequence[Any]) -> str:
    if any(type(v).__module__.split(".")[0] == "torch" for v in values):
        return "torch"
    try:
        import numpy  # noqa: F401
    except ImportError:
        return "own"
    return "numpy"


def _range_text(value: Union[int, Tuple[int, int], range]) -> str:
    if isinstance(value, range):
        if value.step != 1 or not len(value):
            raise ValueError(f"a dimension's range has no steps or gaps: {value}")
        value = (value[0], value[-1])
    return f"{value[0]}..{value[1]}" if isinstance(value, tuple) else str(value)


def compile(model: Path, *, dims: Optional[Mapping[str, Union[int, Tuple[int, int], range]]] = None,
            target: Optional[str] = None, device: Optional[Path] = None,
            policy: Optional[str] = None, kernels: Optional[str] = None,
            veus: Optional[int] = None, threads: Optional[int] = None,
            catalogs: Sequence[Path] = (), bindings: Sequence[Path] = (),
            profile: Optional[Path] = None, values: Optional[Mapping[str, Any]] = None,
            home: Optional[Path] = None) -> Model:
    """
    Loads or plans a model: an ONNX file, a graph.json, or a folder of `rammer zoo`, `rammer import` or `rammer build`.

    dims: values of named dimensions; of one that stays open its range, (1, 128): any value in it is then run by the same
    plan. target, device, policy, kernels, veus, profile: as of `rammer build`.
    threads: how many work in a run; default: one for each vEU, but no more than processors.
    catalogs, bindings: more kernels of your own, over the shipped ones (`rkconvert`).
    values: of inputs that shapes follow from, which become constants (ONNX).
    home: where Rammer's own files lie, if they were moved away from the library.

    RammerError holds all that does not fit, each with a code.
    """
    options = [("dim", f"{name}={_range_text(value)}") for name, value in (dims or {}).items()]
    single = {"target": target, "device": device, "policy": policy, "kernels": kernels, "veus": veus,
              "threads": threads, "profile": profile, "home": home}
    options += [(name, os.fsdecode(v) if not isinstance(v, int) else str(v))
                for name, v in single.items() if v is not None]
    options += [("catalog", os.fsdecode(c)) for c in catalogs]
    options += [("bindings", os.fsdecode(b)) for b in bindings]
    return Model(model, options, values or {})
