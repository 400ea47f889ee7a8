"""Arrays in and out: numpy where it is there, DLPack, buffers and lists; no copy where none is needed."""

import ctypes
import struct
import sys
from math import prod
from typing import Any, List, NamedTuple, Optional, Sequence, Tuple


class Type(NamedTuple):
    """A type of elements."""

    name: str
    size: int
    format: Optional[str]  #: of the struct module; None: it has none
    dlpack: Tuple[int, int]  #: DLPack's code and bits
    numpy: Optional[str]


#: In the order of rammer_type.
TYPES = (
    Type("f32", 4, "f", (2, 32), "float32"),
    Type("f64", 8, "d", (2, 64), "float64"),
    Type("f16", 2, "e", (2, 16), "float16"),
    Type("bf16", 2, None, (4, 16), None),
    Type("i8", 1, "b", (0, 8), "int8"),
    Type("u8", 1, "B", (1, 8), "uint8"),
    Type("i16", 2, "h", (0, 16), "int16"),
    Type("u16", 2, "H", (1, 16), "uint16"),
    Type("i32", 4, "i", (0, 32), "int32"),
    Type("u32", 4, "I", (1, 32), "uint32"),
    Type("i64", 8, "q", (0, 64), "int64"),
    Type("u64", 8, "Q", (1, 64), "uint64"),
    Type("bool", 1, "?", (6, 8), "bool"),
    # Of fewer bits, one element a byte: shown as the byte's number.
    Type("f8e4m3", 1, "B", (1, 8), "uint8"),
    Type("f8e4m3uz", 1, "B", (1, 8), "uint8"),
    Type("f8e5m2", 1, "B", (1, 8), "uint8"),
    Type("f8e5m2uz", 1, "B", (1, 8), "uint8"),
    Type("f8e8m0", 1, "B", (1, 8), "uint8"),
    Type("f4e2m1", 1, "B", (1, 8), "uint8"),
    Type("i4", 1, "b", (0, 8), "int8"),
    Type("u4", 1, "B", (1, 8), "uint8"),
    Type("i2", 1, "b", (0, 8), "int8"),
    Type("u2", 1, "B", (1, 8), "uint8"),
)


def type_of(name: str) -> Type:
    """The type of that name."""
    for one in TYPES:
        if one.name == name:
            return one
    raise ValueError(f"there is no type {name!r}: there are {', '.join(t.name for t in TYPES)}")


# DLPack's structs and protocol.

class _Device(ctypes.Structure):
    _fields_ = [("type", ctypes.c_int32), ("id", ctypes.c_int32)]


class _DataType(ctypes.Structure):
    _fields_ = [("code", ctypes.c_uint8), ("bits", ctypes.c_uint8), ("lanes", ctypes.c_uint16)]


class _Tensor(ctypes.Structure):
    _fields_ = [("data", ctypes.c_void_p), ("device", _Device), ("ndim", ctypes.c_int32),
                ("dtype", _DataType), ("shape", ctypes.POINTER(ctypes.c_int64)),
                ("strides", ctypes.POINTER(ctypes.c_int64)), ("byte_offset", ctypes.c_uint64)]


class _Managed(ctypes.Structure):
    pass


_DELETER = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Managed))
_Managed._fields_ = [("tensor", _Tensor), ("context", ctypes.c_void_p), ("deleter", _DELETER)]

_CPU = 1
_NAME = b"dltensor"
_USED = b"used_dltensor"
_python = ctypes.pythonapi
_python.PyCapsule_New.restype = ctypes.py_object
_python.PyCapsule_New.argtypes = (ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p)
_python.PyCapsule_IsValid.restype = ctypes.c_int
_python.PyCapsule_IsValid.argtypes = (ctypes.py_object, ctypes.c_char_p)
_python.PyCapsule_GetPointer.restype = ctypes.c_void_p
_python.PyCapsule_GetPointer.argtypes = (ctypes.py_object, ctypes.c_char_p)
_python.PyCapsule_SetName.argtypes = (ctypes.py_object, ctypes.c_char_p)

# A capsule's destructor is given the object while it is being destroyed: as an address, so that no reference is counted.
_DESTRUCTOR = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)
_raw_valid = ctypes.PYFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_char_p)(
    ("PyCapsule_IsValid", _python))

#: What capsules that were handed out keep alive, by the address of their _Managed.
_lent = {}


@_DELETER
def _delete(managed):
    _lent.pop(ctypes.addressof(managed.contents), None)


@_DESTRUCTOR
def _destroy(capsule):
    # A consumer renames the capsule and calls the deleter itself.
    if _raw_valid(capsule, _NAME):
        get = ctypes.PYFUNCTYPE(ctypes.c_void_p, ctypes.c_void_p, ctypes.c_char_p)(
            ("PyCapsule_GetPointer", _python))
        _lent.pop(get(capsule, _NAME), None)


class Array:
    """A dense array in the machine's memory. DLPack hands it on without a copy: torch.from_dlpack, numpy.from_dlpack."""

    def __init__(self, type: Type, shape: Sequence[int]):
        self.type = type
        self.shape = tuple(shape)
        self.bytes = prod(self.shape) * type.size
        self._memory = (ctypes.c_char * max(self.bytes, 1))()

    @property
    def address(self) -> int:
        return ctypes.addressof(self._memory)

    @property
    def dtype(self) -> str:
        return self.type.name

    def view(self) -> memoryview:
        """Its bytes, as elements of the array's shape where Python has such elements."""
        raw = memoryview(self._memory).cast("B")[:self.bytes]
        if self.type.format is None or not self.bytes:
            return raw
        # memoryview has no half: its bits are shown.
        shown = "H" if self.type.format == "e" else self.type.format
        return raw.cast(shown, self.shape) if self.shape else raw.cast(shown)

    def flat(self) -> list:
        """The elements in a list."""
        raw = bytes(memoryview(self._memory).cast("B")[:self.bytes])
        count = self.bytes // self.type.size
        if self.type.format is None:
            bits = struct.unpack(f"={count}H", raw)
            return list(struct.unpack(f"={count}f", struct.pack(f"={count}I", *(b << 16 for b in bits))))
        return list(struct.unpack(f"={count}{self.type.format}", raw))

    def tolist(self) -> Any:
        """Nested lists; a number for a scalar."""
        def nest(items: List, shape: Tuple[int, ...]) -> Any:
            if not shape:
                return items[0]
            step = prod(shape[1:])
            return [nest(items[i * step:(i + 1) * step], shape[1:]) for i in range(shape[0])]
        return nest(self.flat(), self.shape)

    def __repr__(self) -> str:
        return f"rammer.Array({self.type.name}, shape={list(self.shape)})"

    def __dlpack_device__(self) -> Tuple[int, int]:
        return (_CPU, 0)

    def __dlpack__(self, *, stream: Any = None, **_: Any) -> Any:
        if stream is not None:
            raise BufferError("memory of the CPU has no streams")
        rank = len(self.shape)
        shape = (ctypes.c_int64 * max(rank, 1))(*self.shape)
        code, bits = self.type.dlpack
        managed = _Managed(_Tensor(self.address, _Device(_CPU, 0), rank, _DataType(code, bits, 1),
                                   shape, None, 0), None, _delete)
        address = ctypes.addressof(managed)
        _lent[address] = (managed, shape, self)
        return _python.PyCapsule_New(address, _NAME, ctypes.cast(_destroy, ctypes.c_void_p))


class Given(NamedTuple):
    """An array that a run reads."""

    address: int
    owner: Any  #: keeps the memory alive


class ArrayError(TypeError):
    """An array that does not fit: another type, another shape, or memory that is not this machine's."""


def _misfit(name: str, expected: Type, shape: Tuple[int, ...], got: str) -> ArrayError:
    return ArrayError(f"{name} is {expected.name}{list(shape)}, not {got}")


def _from_dlpack(value: Any, name: str, expected: Type, shape: Tuple[int, ...]) -> Given:
    device, _ = value.__dlpack_device__()
    if device != _CPU:
        raise ArrayError(f"{name}: the array is not in the memory of the CPU (DLPack's device {device})")
    capsule = value.__dlpack__()
    address = _python.PyCapsule_GetPointer(capsule, _NAME)
    managed = ctypes.cast(address, ctypes.POINTER(_Managed)).contents
    t = managed.tensor
    got = tuple(t.shape[i] for i in range(t.ndim))
    kind = (t.dtype.code, t.dtype.bits)
    if t.dtype.lanes != 1 or kind != expected.dlpack or got != shape:
        found = next((x.name for x in TYPES if x.dlpack == kind), f"DLPack's type {kind}")
        raise _misfit(name, expected, shape, f"{found}{list(got)}")
    step = 1
    for i in reversed(range(t.ndim)):
        if t.strides and got[i] != 1 and t.strides[i] != step and prod(got):
            if hasattr(value, "contiguous"):
                return _from_dlpack(value.contiguous(), name, expected, shape)
            raise ArrayError(f"{name}: the array is not dense and row-major; make a copy of it")
        step *= got[i]
    # The capsule keeps its name, so that its owner's destructor frees it.
    return Given((t.data or 0) + t.byte_offset, (capsule, value))


def _from_numpy(value: Any, name: str, expected: Type, shape: Tuple[int, ...]) -> Given:
    numpy = sys.modules["numpy"]
    if value.dtype != expected.numpy or value.shape != shape:
        raise _misfit(name, expected, shape, f"{value.dtype}{list(value.shape)}")
    dense = numpy.ascontiguousarray(value)
    return Given(dense.ctypes.data, dense)


def _flatten(value: Any, shape: Tuple[int, ...], out: list) -> bool:
    if not shape:
        out.append(value)
        return not isinstance(value, (list, tuple))
    if not isinstance(value, (list, tuple)) or len(value) != shape[0]:
        return False
    return all(_flatten(v, shape[1:], out) for v in value)


def _from_list(value: Any, name: str, expected: Type, shape: Tuple[int, ...]) -> Given:
    flat: list = []
    if not _flatten(value, shape, flat):
        raise _misfit(name, expected, shape, "a list of another shape")
    array = Array(expected, shape)
    try:
        if expected.format is None:
            bits = struct.unpack(f"={len(flat)}I", struct.pack(f"={len(flat)}f", *flat))
            # To the nearest, ties to even, as everywhere.
            flat = [(b + 0x7FFF + (b >> 16 & 1)) >> 16 & 0xFFFF for b in bits]
        struct.pack_into(f"={len(flat)}{expected.format or 'H'}", array._memory, 0, *flat)
    except (struct.error, OverflowError) as error:
        raise ArrayError(f"{name} is {expected.name}: {error}") from None
    return Given(array.address, array)


def _from_buffer(value: Any, name: str, expected: Type, shape: Tuple[int, ...]) -> Given:
    view = memoryview(value)
    names = {"l": "q", "L": "Q"} if struct.calcsize("l") == 8 else {"l": "i", "L": "I"}
    form = view.format.lstrip("@=<")
    if names.get(form, form) != expected.format or view.shape != shape:
        raise _misfit(name, expected, shape, f"a buffer of '{view.format}'{list(view.shape)}")
    if view.readonly or not view.c_contiguous:
        view = memoryview(bytearray(view.tobytes()))
    elif view.nbytes and (view.ndim != 1 or view.format != "B"):
        view = view.cast("B")
    memory = (ctypes.c_char * max(view.nbytes, 1)).from_buffer(view if view.nbytes else bytearray(1))
    return Given(ctypes.addressof(memory), (memory, value))


def shape_of(value: Any, name: str) -> Tuple[int, ...]:
    """The shape of an array that was passed as an input; of lists, by the first of each."""
    shape = getattr(value, "shape", None)
    if shape is not None:
        return tuple(int(n) for n in shape)
    if isinstance(value, (list, tuple)):
        return (len(value),) + (shape_of(value[0], name) if len(value) else ())
    if isinstance(value, (int, float, bool)):
        return ()
    try:
        return memoryview(value).shape or ()
    except TypeError:
        raise ArrayError(f"{name}: {type(value).__name__} is no array") from None


def give(value: Any, name: str, expected: Type, shape: Tuple[int, ...]) -> Given:
    """An array that was passed as an input. Its type and shape must be the input's; numbers in lists are converted."""
    numpy = sys.modules.get("numpy")
    if numpy is not None and isinstance(value, (numpy.ndarray, numpy.generic)):
        return _from_numpy(numpy.asarray(value), name, expected, shape)
    if isinstance(value, Array):
        if value.type != expected or value.shape != shape:
            raise _misfit(name, expected, shape, f"{value.type.name}{list(value.shape)}")
        return Given(value.address, value)
    if hasattr(value, "detach") and hasattr(value, "__dlpack__"):  # a tensor of torch, which may want gradients
        return _from_dlpack(value.detach(), name, expected, shape)
    if hasattr(value, "__dlpack__"):
        return _from_dlpack(value, name, expected, shape)
    if isinstance(value, (list, tuple, int, float, bool)):
        return _from_list(value, name, expected, shape)
    try:
        return _from_buffer(value, name, expected, shape)
    except TypeError as error:
        if isinstance(error, ArrayError):
            raise
        raise ArrayError(f"{name} is {expected.name}{list(shape)}: {type(value).__name__} is no array") from None


def hand_out(array: Array, like: str) -> Any:
    """An output as a tensor of torch, an array of numpy, or as it is where there is none for it."""
    if like == "torch":
        import torch
        return torch.from_dlpack(array)
    if like == "numpy" and array.type.numpy:
        import numpy
        return numpy.frombuffer(array._memory, dtype=array.type.numpy,
                                count=prod(array.shape)).reshape(array.shape)
    return array
