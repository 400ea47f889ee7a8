"""
Node tests of our own, of operators and types that ONNX 1.12's tests lack, as folders for the runner:

    python3 tests/run/onnx/own.py FOLDER
    python3 tests/run/onnx/own.py --layer FOLDER N...      # a transformer's layer of n words, and values for lengths

What is expected is computed here from the operators' definitions, element by element; the models are written by the few
lines of protobuf below, so that nothing but numpy is needed.
"""

import itertools
import math
import sys
from pathlib import Path

import numpy as np

# ONNX's numbers of types; those of fewer than 8 bits with how many they have.
FLOAT, UINT8, INT8, INT32, INT64, BOOL, FLOAT16, DOUBLE = 1, 2, 3, 6, 7, 9, 10, 11
E4M3, E4M3UZ, E5M2, E5M2UZ, UINT4, INT4, E2M1, E8M0, UINT2, INT2 = range(17, 27)
OF_NUMPY = {"float32": FLOAT, "uint8": UINT8, "int8": INT8, "int32": INT32, "int64": INT64, "bool": BOOL,
            "float16": FLOAT16, "float64": DOUBLE}
PACKED = {UINT4: 4, INT4: 4, E2M1: 4, UINT2: 2, INT2: 2}


# Protobuf.

def varint(value):
    out = bytearray()
    value &= (1 << 64) - 1
    while value >= 128:
        out.append(value & 127 | 128)
        value >>= 7
    return bytes(out + bytes([value]))


def number(field, value):
    return varint(field << 3) + varint(value)


def part(field, data):
    data = data.encode() if isinstance(data, str) else data
    return varint(field << 3 | 2) + varint(len(data)) + data


class Codes:
    """Elements of a type that numpy lacks, as their codes."""

    def __init__(self, type, codes):
        self.type, self.codes = type, np.asarray(codes, dtype=np.int64)
        self.shape = self.codes.shape

    def raw(self):
        bits = PACKED.get(self.type, 8)
        each, codes = 8 // bits, [int(c) & (1 << bits) - 1 for c in self.codes.flatten()]
        return bytes(sum(c << bits * k for k, c in enumerate(codes[i:i + each])) for i in range(0, len(codes), each))


def type_of(value):
    return value.type if isinstance(value, Codes) else OF_NUMPY[value.dtype.name]


def tensor(name, value):
    raw = value.raw() if isinstance(value, Codes) else np.ascontiguousarray(value).tobytes()
    return b"".join(number(1, d) for d in value.shape) + number(2, type_of(value)) + part(8, name) + part(9, raw)


def attribute(name, value):
    head = part(1, name)
    if isinstance(value, float):
        return head + varint(2 << 3 | 5) + np.float32(value).tobytes() + number(20, 1)
    if isinstance(value, int):
        return head + number(3, value) + number(20, 2)
    if isinstance(value, str):
        return head + part(4, value) + number(20, 3)
    if isinstance(value, np.ndarray):
        return head + part(5, tensor("", value)) + number(20, 4)
    return head + b"".join(number(8, v) for v in value) + number(20, 7)


def node(op, inputs, outputs, **attributes):
    return (b"".join(part(1, i) for i in inputs) + b"".join(part(2, o) for o in outputs) + part(4, op) +
            b"".join(part(5, attribute(k, v)) for k, v in attributes.items()))


def described(name, value, shape=None):
    """The description of a graph's input or output; a dimension of `shape` that is text is a name."""
    dims = b"".join(part(1, part(2, d) if isinstance(d, str) else number(1, d)) for d in shape or value.shape)
    return part(1, name) + part(2, part(1, number(1, type_of(value)) + part(2, dims)))


class Tests:
    def __init__(self, folder):
        self.folder, self.count = Path(folder), 0

    def add(self, name, nodes, inputs, outputs, opset=28):
        """A test of the nodes: inputs and outputs are values by name."""
        folder = self.folder / f"test_own_{name}"
        data = folder / "test_data_set_0"
        data.mkdir(parents=True, exist_ok=True)
        graph = (b"".join(part(1, n) for n in nodes) + part(2, name) +
                 b"".join(part(11, described(k, v)) for k, v in inputs.items()) +
                 b"".join(part(12, described(k, v)) for k, v in outputs.items()))
        model = number(1, 10) + part(7, graph) + part(8, number(2, opset))
        (folder / "model.onnx").write_bytes(model)
        for kind, values in (("input", inputs), ("output", outputs)):
            for i, (key, value) in enumerate(values.items()):
                (data / f"{kind}_{i}.pb").write_bytes(tensor(key, value))
        self.count += 1

    def one(self, name, op, inputs, outputs, **attributes):
        """A test of one node; an input that is None is left out."""
        names = [k if v is not None else "" for k, v in inputs.items()]
        given = {k: v for k, v in inputs.items() if v is not None}
        self.add(name, [node(op, names, list(outputs), **attributes)], given, outputs)


rng = np.random.RandomState(1)


def reals(*shape, dtype=np.float32):
    return (rng.rand(*shape) * 2 - 1).astype(dtype)


def sigmoid(x):
    return 1 / (1 + np.exp(-x))


# Real numbers of 8 and 4 bits: bits of exponent and fraction, bias, and which codes are no finite numbers.

def decode(type, code):
    if type == E8M0:
        return math.nan if code == 255 else 2.0 ** (code - 127)
    exponents, fractions, bias = {E4M3: (4, 3, 7), E4M3UZ: (4, 3, 8), E5M2: (5, 2, 15), E5M2UZ: (5, 2, 16),
                                  E2M1: (2, 1, 1)}[type]
    sign = -1.0 if code >> exponents + fractions else 1.0
    exponent, fraction = code >> fractions & (1 << exponents) - 1, code & (1 << fractions) - 1
    last = exponent == (1 << exponents) - 1
    if type in (E4M3UZ, E5M2UZ) and code == 128:
        return math.nan
    if type == E4M3 and last and fraction == 7:
        return math.nan
    if type == E5M2 and last:
        return math.nan if fraction else sign * math.inf
    if exponent == 0:
        return sign * fraction * 2.0 ** (1 - bias - fractions)
    return sign * (1 + fraction / (1 << fractions)) * 2.0 ** (exponent - bias)


def numbers(type):
    """All finite numbers of the type that are not negative, with their codes."""
    half = 256 if type == E8M0 else 128 if type not in PACKED else 8
    return [(decode(type, c), c) for c in range(half) if math.isfinite(decode(type, c))]


def encode(type, value, saturate=True):
    """The code of the nearest number; of two as near the even one. By looking at all of them."""
    all_of = numbers(type)
    most = all_of[-1][0]
    sign = 0 if type == E8M0 else 8 if type == E2M1 else 128
    if math.isnan(value):
        return {E4M3: 127, E4M3UZ: 128, E5M2: 126, E5M2UZ: 128, E2M1: 0, E8M0: 255}[type]
    size = abs(value)
    negative = math.copysign(1, value) < 0
    if type == E8M0:
        return next((c for v, c in all_of if v >= size), all_of[-1][1] if saturate else 255)
    step = all_of[-1][0] - all_of[-2][0]
    if size > most and not (not saturate and size < most + step / 2):
        if saturate or type == E2M1:
            code = all_of[-1][1]
        else:
            code = {E4M3: 127, E5M2: 124}.get(type, 128)
            if code == 128:
                return code
    else:
        code = min(all_of, key=lambda n: (abs(n[0] - size), n[1] & 1))[1]
    if code == 0 and type in (E4M3UZ, E5M2UZ):
        return 0
    return code | (sign if negative else 0)


def narrow_types(t):
    for name, type in (("e4m3", E4M3), ("e4m3uz", E4M3UZ), ("e5m2", E5M2), ("e5m2uz", E5M2UZ), ("e8m0", E8M0),
                       ("e2m1", E2M1)):
        codes = np.arange(256 if type not in PACKED else 16)
        values = np.array([decode(type, int(c)) for c in codes], dtype=np.float32)
        t.one(f"cast_{name}_to_float", "Cast", {"x": Codes(type, codes)}, {"y": values}, to=FLOAT)
        finite = [v for v, _ in numbers(type)]
        middles = [(a + b) / 2 for a, b in zip(finite, finite[1:])]
        tests = finite + middles + [m * 1.01 for m in middles] + [finite[-1] * 1.05, finite[-1] * 3, math.inf]
        if type != E8M0:
            tests = tests + [-v for v in tests]
        if type != E2M1:
            tests.append(math.nan)
        with np.errstate(over="ignore"):
            given = np.array(tests, dtype=np.float32)
        for saturate in (1, 0):
            codes = [encode(type, float(v), bool(saturate)) for v in given]
            t.one(f"cast_float_to_{name}_{'' if saturate else 'no_'}saturate", "Cast", {"x": given},
                  {"y": Codes(type, codes)}, to=type, saturate=saturate)
        # The bits, and not only the numbers, where nothing is packed.
        if type not in PACKED:
            t.add(f"codes_of_{name}", [node("Cast", ["x"], ["v"], to=type), node("BitCast", ["v"], ["y"], to=UINT8)],
                  {"x": given}, {"y": np.array([encode(type, float(v)) for v in given], dtype=np.uint8)})
    for name, type, low, high in (("int4", INT4, -8, 7), ("uint4", UINT4, 0, 15), ("int2", INT2, -2, 1),
                                  ("uint2", UINT2, 0, 3)):
        values = np.arange(low, high + 1)
        t.one(f"cast_{name}_to_int8", "Cast", {"x": Codes(type, values)}, {"y": values.astype(np.int8)}, to=INT8)
        t.one(f"cast_{name}_to_float", "Cast", {"x": Codes(type, values)}, {"y": values.astype(np.float32)}, to=FLOAT)
        t.one(f"cast_float_to_{name}", "Cast", {"x": values.astype(np.float32)}, {"y": Codes(type, values)}, to=type)
        x, scale = reals(4, 6) * 3 * high, np.float32(1.5)
        rounded = np.clip(np.rint(x / scale), low, high).astype(np.int64)
        zero = Codes(type, np.zeros((), dtype=np.int64))
        t.one(f"quantize_{name}", "QuantizeLinear", {"x": x, "scale": np.array(scale), "zero": zero},
              {"y": Codes(type, rounded)})
        t.one(f"dequantize_{name}", "DequantizeLinear", {"x": Codes(type, rounded), "scale": np.array(scale)},
              {"y": (rounded * scale).astype(np.float32)})
    x, scale = reals(3, 5) * 900, np.array([1, 2, 3], dtype=np.float32)
    with np.errstate(over="ignore"):
        codes = [encode(E4M3, float(v)) for v in (x / scale[:, None]).flatten()]
    t.one("quantize_e4m3", "QuantizeLinear", {"x": x, "scale": scale, "zero": Codes(E4M3, [0, 0, 0])},
          {"y": Codes(E4M3, np.reshape(codes, (3, 5)))}, axis=0)


def elements(t):
    zeros = [node("ConstantOfShape", ["shape"], ["z"], value=np.zeros(1, dtype=np.float32)),
             node("CastLike", ["z", "x"], ["half"]), node("Concat", ["half", "x"], ["y"], axis=0)]
    x = reals(4, dtype=np.float16)
    t.add("zeros_of_f16", zeros, {"shape": np.array([3], dtype=np.int64), "x": x},
          {"y": np.concatenate([np.zeros(3, dtype=np.float16), x])})
    for dtype in (np.int8, np.int32, np.int64):
        bits = np.dtype(dtype).itemsize * 8
        x = np.array([-1, -2, -77, 77, -128, 5, -5, 0], dtype=dtype)
        by = np.array([1, 1, 3, 3, bits - 1, bits, bits + 7, 2], dtype=dtype)
        y = np.array([int(a) >> int(b) for a, b in zip(x, by)], dtype=dtype)
        t.one(f"shift_right_{dtype.__name__}", "BitShift", {"x": x, "by": by}, {"y": y}, direction="RIGHT")
    x = reals(3, 4)
    x[1] = 0
    size = np.sqrt((x * x).sum(1, keepdims=True))
    t.one("norm_of_zeros", "LpNormalization", {"x": x}, {"y": np.divide(x, size, out=np.zeros_like(x), where=size > 0)},
          axis=1, p=2)
    x = np.arange(6, dtype=np.float32).reshape(2, 3)
    t.one("bit_cast", "BitCast", {"x": x}, {"y": x.view(np.int32)}, to=INT32)
    x, b = reals(3, 4), reals(3, 4)
    t.one("swish", "Swish", {"x": x}, {"y": x * sigmoid(1.5 * x)}, alpha=1.5)
    t.one("swiglu", "SwiGLU", {"a": x, "b": b}, {"y": x * sigmoid(x) * b})
    x = reals(2, 5, dtype=np.float64)
    y = np.cumprod(x[:, ::-1], axis=1)[:, ::-1]
    t.one("product_so_far", "CumProd", {"x": x, "axis": np.array(1, dtype=np.int64)}, {"y": y}, reverse=1)
    minus = np.full((2, 3), -np.inf, dtype=np.float32)
    minus[0, 0] = 2
    t.one("log_sum_exp_of_nothing_likely", "ReduceLogSumExp", {"x": minus, "axes": np.array([1], dtype=np.int64)},
          {"y": np.array([[2], [-np.inf]], dtype=np.float32)})
    for op, value in (("ReduceSum", 0), ("ReduceProd", 1), ("ReduceMax", -np.inf), ("ReduceL2", 0),
                      ("ReduceLogSumExp", -np.inf)):
        t.one(f"empty_{op}", op, {"x": np.zeros((2, 0, 3), dtype=np.float32), "axes": np.array([1], dtype=np.int64)},
              {"y": np.full((2, 1, 3), value, dtype=np.float32)})
    for blocks, kept in ((np.uint8, 0), (np.int8, 1)):
        x, scale = reals(3, 5) * 20, rng.rand(3, 3).astype(np.float32) + 0.5
        wide = np.repeat(scale, 2, axis=1)[:, :5]
        info = np.iinfo(blocks)
        zero = np.full((3, 3), 10 * (1 - kept), dtype=blocks)
        y = np.clip(np.rint(x / wide) + zero[0, 0], info.min, info.max).astype(blocks)
        t.one(f"quantize_blocks_{blocks.__name__}", "QuantizeLinear", {"x": x, "scale": scale, "zero": zero}, {"y": y},
              axis=1, block_size=2)


def shapes(t):
    x = reals(1, 2, 4, 6)
    y = np.zeros((1, 8, 2, 3), dtype=np.float32)
    for c, i, j, h, w in itertools.product(range(2), range(2), range(2), range(2), range(3)):
        y[0, c * 4 + i * 2 + j, h, w] = x[0, c, h * 2 + i, w * 2 + j]
    t.one("space_to_depth_crd", "SpaceToDepth", {"x": x}, {"y": y}, blocksize=2, mode="CRD")
    for length in (8, 9):
        signal = reals(2, length)
        half = np.array([[sum(v * np.exp(-2j * np.pi * k * n / length) for n, v in enumerate(row))
                          for k in range(length // 2 + 1)] for row in signal])
        parts = np.stack([half.real, half.imag], axis=-1).astype(np.float32)
        t.one(f"inverse_of_half_{length}", "DFT",
              {"x": parts, "length": np.array(length, dtype=np.int64), "axis": np.array(1, dtype=np.int64)},
              {"y": signal[..., None]}, inverse=1, onesided=1)
    x = reals(5, 4)
    y = np.zeros((2, 7), dtype=np.float32)
    y[:, 1:5] = x[1:3]
    t.one("center_crop_pad", "CenterCropPad", {"x": x, "shape": np.array([2, 7], dtype=np.int64)}, {"y": y})
    x = reals(1, 2 * 6, 6)
    y = np.zeros((1, 2, 5, 6), dtype=np.float32)
    for c, i, j, a, b in itertools.product(range(2), range(3), range(2), range(2), range(3)):
        h, w = a * 2 + i - 0, b * 2 + j * 2 - 1
        if 0 <= w < 6:
            y[0, c, h, w] += x[0, c * 6 + i * 2 + j, a * 3 + b]
    t.one("col2im", "Col2Im", {"x": x, "image": np.array([5, 6], dtype=np.int64), "block": np.array([3, 2], dtype=np.int64)},
          {"y": y}, strides=[2, 2], dilations=[1, 2], pads=[0, 1, 0, 1])
    theta = reals(2, 2, 3)
    for corners in (0, 1):
        y = np.zeros((2, 3, 4, 2), dtype=np.float32)
        for n, h, w in itertools.product(range(2), range(3), range(4)):
            at = [2 * w / 3 - 1, 2 * h / 2 - 1, 1] if corners else [(2 * w + 1) / 4 - 1, (2 * h + 1) / 3 - 1, 1]
            y[n, h, w] = theta[n] @ np.array(at)
        t.one(f"affine_grid_{corners}", "AffineGrid", {"theta": theta, "size": np.array([2, 1, 3, 4], dtype=np.int64)},
              {"y": y}, align_corners=corners)
    x = reals(1, 4, 6)
    y = x[:, :, [0, 2, 4]][:, [0, 2]]
    t.one("resize_axes_not_larger", "Resize", {"x": x, "roi": None, "scales": None, "sizes": np.array([3, 4], dtype=np.int64)},
          {"y": y}, axes=[2, 1], keep_aspect_ratio_policy="not_larger", mode="nearest", nearest_mode="floor",
          coordinate_transformation_mode="asymmetric")
    x = reals(9)
    y = np.zeros(3, dtype=np.float32)
    for o in range(3):
        middle = (o + 0.5) * 3 - 0.5
        shares = [(max(0, 1 - abs(i - middle) / 3), min(max(i, 0), 8)) for i in range(-6, 16)]
        y[o] = sum(s * x[i] for s, i in shares) / sum(s for s, _ in shares)
    t.one("resize_antialias", "Resize", {"x": x, "roi": None, "scales": None, "sizes": np.array([3], dtype=np.int64)},
          {"y": y}, mode="linear", antialias=1)
    t.one("optional_is_there", "OptionalHasElement", {"x": reals(2)}, {"y": np.array(True)})


def rotated(x, cosine, sine, dims, mixed):
    """x of [batch, position, head, element]."""
    y = x.copy()
    for i in range(dims // 2):
        a, b = (2 * i, 2 * i + 1) if mixed else (i, i + dims // 2)
        f, g = cosine[:, :, None, i], sine[:, :, None, i]
        y[..., a] = f * x[..., a] - g * x[..., b]
        y[..., b] = g * x[..., a] + f * x[..., b]
    return y


def sequences(t):
    batch, steps, heads, size = 2, 5, 3, 8
    for mixed, dims, flat, ids in itertools.product((0, 1), (8, 4), (0, 1), (0, 1)):
        table = reals(9, dims // 2), reals(9, dims // 2)
        where = rng.randint(0, 9, (batch, steps))
        full = [f[where] for f in table]
        x = reals(batch, steps, heads, size)
        y = rotated(x, *full, dims, mixed)
        if not flat:
            x, y = x.transpose(0, 2, 1, 3), y.transpose(0, 2, 1, 3)
        else:
            x, y = x.reshape(batch, steps, -1), y.reshape(batch, steps, -1)
        given = table if ids else full
        more = {"num_heads": heads} if flat else {}
        t.one(f"rotary_{mixed}{dims}{flat}{ids}", "RotaryEmbedding",
              {"x": x, "cos": given[0], "sin": given[1], "ids": where.astype(np.int64) if ids else None}, {"y": y},
              interleaved=mixed, rotary_embedding_dim=dims, **more)
    for name, past in (("past", reals(2, 3, 2)), ("no_past", None)):
        x, w, bias = reals(2, 3, 6), reals(3, 1, 3), reals(3)
        whole = np.concatenate([past if past is not None else np.zeros((2, 3, 2), dtype=np.float32), x], axis=2)
        y = np.zeros_like(x)
        for b, c, s in itertools.product(range(2), range(3), range(6)):
            y[b, c, s] = bias[c] + sum(whole[b, c, s + k] * w[c, 0, k] for k in range(3))
        t.one(f"causal_conv_{name}", "CausalConvWithState", {"x": x, "w": w, "bias": bias, "past": past},
              {"y": y * sigmoid(y), "present": whole[:, :, 6:]}, activation="silu")
    for rule, one in itertools.product(("linear", "gated", "delta", "gated_delta"), (0, 1)):
        linear_attention(t, rule, one)
    past, update, where = reals(2, 2, 5, 3), reals(2, 2, 2, 3), np.array([1, 4], dtype=np.int64)
    y = past.copy()
    for b, s in itertools.product(range(2), range(2)):
        y[b, :, (where[b] + s) % 5] = update[b, :, s]
    t.one("cache_circular", "TensorScatter", {"past": past, "update": update, "where": where}, {"y": y}, mode="circular")
    y = past.copy()
    y[:, :, :2] = update
    t.one("cache_prefill", "TensorScatter", {"past": past, "update": update}, {"y": y})


def cell(kind, x, w, r, bias, h, c):
    """A step of an LSTM, or of a GRU whose reset gate comes after the product: the new h and c."""
    size = h.shape[1]
    wb, rb = bias[:w.shape[0]], bias[w.shape[0]:]
    a, b = x @ w.T + wb, h @ r.T + rb
    gate = [slice(g * size, (g + 1) * size) for g in range(4)]
    if kind == "LSTM":
        i, o, f = (sigmoid(a[:, gate[k]] + b[:, gate[k]]) for k in range(3))
        c = f * c + i * np.tanh(a[:, gate[3]] + b[:, gate[3]])
        return o * np.tanh(c), c
    z, reset = (sigmoid(a[:, gate[k]] + b[:, gate[k]]) for k in range(2))
    return (1 - z) * np.tanh(a[:, gate[2]] + reset * b[:, gate[2]]) + z * h, c


def recurrent(t):
    """LSTM and GRU as steps that are rOperators of their own: one sequence, where a state is a vector, and several."""
    steps, inputs, size = 4, 5, 3
    for kind, batch, both, plain in itertools.product(("LSTM", "GRU"), (1, 2), (0, 1), (0, 1)):
        gates, directions = (4 if kind == "LSTM" else 3) * size, 1 + both
        x, w, r = reals(steps, batch, inputs), reals(directions, gates, inputs), reals(directions, gates, size)
        bias, h, c = reals(directions, 2 * gates), reals(directions, batch, size), reals(directions, batch, size)
        if plain:
            bias, h, c = bias * 0, h * 0, c * 0
        y, last, cells = np.zeros((steps, directions, batch, size), np.float32), h.copy(), c.copy()
        for d in range(directions):
            for k in range(steps):
                at = steps - 1 - k if d else k
                last[d], cells[d] = cell(kind, x[at], w[d], r[d], bias[d], last[d], cells[d])
                y[at, d] = last[d]
        given = {"x": x, "w": w, "r": r, "b": bias, "lengths": None, "h": h, "c": c}
        made, more = {"y": y, "h1": last, "c1": cells}, {}
        if kind == "GRU":
            more = {"linear_before_reset": 1}
            del given["c"], made["c1"]
        if plain:
            given = {k: given[k] for k in "xwr"}
        t.one(f"cells_{kind.lower()}_{batch}{both}{plain}", kind, given, made, hidden_size=size,
              direction="bidirectional" if both else "forward", **more)


def joins(t):
    """Joins whose parts may be written where these want them, and such as may not."""
    a, b = reals(2, 3), reals(3, 3)
    of = {"p": 2 * a, "q": b + b, "r": np.maximum(a, 0)}
    nodes = [node("Add", ["a", "a"], ["p"]), node("Add", ["b", "b"], ["q"]), node("Relu", ["a"], ["r"])]
    for name, parts in (("own", "pqr"), ("twice", "pqp"), ("input", "paq")):
        values = {**of, "a": a}
        y = np.concatenate([values[k] for k in parts])
        t.add(f"join_{name}", nodes + [node("Concat", list(parts), ["y"], axis=0)], {"a": a, "b": b}, {"y": y})
    y = np.concatenate([of["p"], of["q"]])
    t.add("join_output", nodes + [node("Concat", ["p", "q"], ["y"], axis=0)], {"a": a, "b": b}, {"y": y, "q": of["q"]})
    inner = np.concatenate([of["p"], of["q"]])
    outer = np.concatenate([of["r"], inner, inner - 1])
    one = np.array([1], dtype=np.float32)
    t.add("join_joined", nodes + [node("Concat", ["p", "q"], ["i"], axis=0), node("Sub", ["i", "one"], ["s"]),
                                  node("Concat", ["r", "i", "s"], ["y"], axis=0), node("Relu", ["i"], ["z"])],
          {"a": a, "b": b, "one": one}, {"y": outer, "z": np.maximum(inner, 0)})
    t.add("join_others", nodes + [node("Concat", ["p", "q"], ["y"], axis=0), node("Concat", ["q", "r"], ["z"], axis=0)],
          {"a": a, "b": b}, {"y": inner, "z": np.concatenate([of["q"], of["r"]])})


def linear_attention(t, rule, one):
    batch, steps, groups, share, keys, values = 2, 4, 2, 2, 3, 5
    q, k, v = reals(batch, steps, groups * share, keys), reals(batch, steps, groups, keys), reals(batch, steps, groups, values)
    decay = reals(batch, steps, groups, 1 if one else keys)
    beta = rng.rand(batch, steps, 1 if one else groups).astype(np.float32)
    past = reals(batch, groups, keys, values)
    y, present = np.zeros((batch, steps, groups * share, values), dtype=np.float32), past.copy()
    for b, g in itertools.product(range(batch), range(groups)):
        state = past[b, g].copy()
        for s in range(steps):
            if "gated" in rule:
                state = np.exp(decay[b, s, g])[:, None] * state
            fresh = v[b, s, g]
            if "delta" in rule:
                fresh = beta[b, s, 0 if one else g] * (fresh - state.T @ k[b, s, g])
            state = state + np.outer(k[b, s, g], fresh)
            for h in range(share):
                y[b, s, g * share + h] = q[b, s, g * share + h] @ state / math.sqrt(keys)
        present[b, g] = state
    flat = [x.reshape(batch, steps, -1) for x in (q, k, v, decay, y)]
    t.one(f"linear_attention_{rule}_{one}", "LinearAttention",
          {"q": flat[0], "k": flat[1], "v": flat[2], "past": past, "decay": flat[3] if "gated" in rule else None,
           "beta": beta if "delta" in rule else None}, {"y": flat[4], "present": present}, update_rule=rule,
          q_num_heads=groups * share, kv_num_heads=groups)


def layer(folder, lengths):
    """A layer of a transformer on words, [n], that are embedded; and for each of the lengths what goes in and comes out."""
    width, heads, size, inner, words = 12, 3, 4, 20, 17
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    w = {"table": reals(words, width), "positions": reals(32, width), "qkv": reals(width, 3 * width), "out": reals(width, width), "up": reals(width, inner),
         "down": reals(inner, width), "b_up": reals(inner), "b_out": reals(width), "scale": reals(width) + 1,
         "shift": reals(width), "root": np.array(math.sqrt(size), dtype=np.float32)}
    more = {"three": np.array([1, -1, 3, heads, size], dtype=np.int64), "flat": np.array([1, -1, width], dtype=np.int64),
            "first": np.array([0], dtype=np.int64), "zero": np.array(0, dtype=np.int64),
            "step": np.array(1, dtype=np.int64)}
    nodes = [node("Gather", ["table", "words"], ["e2"]), node("Unsqueeze", ["e2", "first"], ["e1"]),
             node("Shape", ["words"], ["length1"]), node("Squeeze", ["length1", "first"], ["length"]),
             node("Range", ["zero", "length", "step"], ["places"]), node("Gather", ["positions", "places"], ["p2"]),
             node("Add", ["e1", "p2"], ["e"]),
             node("LayerNormalization", ["e", "scale", "shift"], ["n1"]), node("MatMul", ["n1", "qkv"], ["p"]),
             node("Reshape", ["p", "three"], ["p5"]), node("Split", ["p5"], ["q4", "k4", "v4"], axis=2, num_outputs=3)]
    for x in "qkv":
        nodes += [node("Squeeze", [x + "4", "two"], [x + "s"]),
                  node("Transpose", [x + "s"], [x + "h"], perm=[0, 2, 3, 1] if x == "k" else [0, 2, 1, 3])]
    more["two"] = np.array([2], dtype=np.int64)
    nodes += [node("MatMul", ["qh", "kh"], ["s"]), node("Div", ["s", "root"], ["d"]), node("Softmax", ["d"], ["a"], axis=-1),
              node("MatMul", ["a", "vh"], ["c"]), node("Transpose", ["c"], ["ct"], perm=[0, 2, 1, 3]),
              node("Reshape", ["ct", "flat"], ["cf"]), node("MatMul", ["cf", "out"], ["o"]), node("Add", ["o", "b_out"], ["ob"]),
              node("Add", ["e", "ob"], ["r"]), node("MatMul", ["r", "up"], ["u"]), node("Add", ["u", "b_up"], ["ub"]),
              node("Gelu", ["ub"], ["g"]), node("MatMul", ["g", "down"], ["z"]), node("Add", ["r", "z"], ["y"])]
    x, y = np.zeros(1, dtype=np.int64), np.zeros((1, 1, width), dtype=np.float32)
    graph = (b"".join(part(1, n) for n in nodes) + part(2, "layer") +
             b"".join(part(5, tensor(k, v)) for k, v in (w | more).items()) +
             part(11, described("words", x, ["n"])) + part(12, described("y", y, [1, "n", width])))
    (folder / "layer.onnx").write_bytes(number(1, 10) + part(7, graph) + part(8, number(2, 21)))
    for n in lengths:
        given = rng.randint(0, words, n).astype(np.int64)
        np.save(folder / f"words{n}.npy", given)
        np.save(folder / f"y{n}.npy", layer_of(given, w, heads, size).astype(np.float32)[None])


def layer_of(words, w, heads, size):
    w = {k: v.astype(np.float64) for k, v in w.items()}
    e = w["table"][words] + w["positions"][:len(words)]
    n1 = (e - e.mean(1, keepdims=True)) / np.sqrt(e.var(1, keepdims=True) + 1e-5) * w["scale"] + w["shift"]
    q, k, v = ((n1 @ w["qkv"]).reshape(-1, 3, heads, size)[:, i].transpose(1, 0, 2) for i in range(3))
    s = q @ k.transpose(0, 2, 1) / math.sqrt(size)
    a = np.exp(s - s.max(2, keepdims=True))
    c = (a / a.sum(2, keepdims=True)) @ v
    r = e + c.transpose(1, 0, 2).reshape(len(words), -1) @ w["out"] + w["b_out"]
    u = r @ w["up"] + w["b_up"]
    erf = np.vectorize(math.erf)
    return r + (u * 0.5 * (1 + erf(u / math.sqrt(2)))) @ w["down"]


def main():
    if sys.argv[1] == "--layer":
        layer(sys.argv[2], [int(n) for n in sys.argv[3:]])
        return
    t = Tests(sys.argv[1])
    narrow_types(t)
    elements(t)
    shapes(t)
    sequences(t)
    recurrent(t)
    joins(t)
    print(f"{t.count} tests in {sys.argv[1]}")


if __name__ == "__main__":
    main()
