"""
Rammer's vDevice and ONNX Runtime on the same models, in one process, at batch 1: a table, printed as it is.

    PYTHONPATH=tools/python RAMMER_LIBRARY=... python3 tests/bench/onnx.py [--threads 1,2] [--rounds N] [--folder DIR] [NAME...]

It needs numpy, onnx and onnxruntime from PyPI, and torch and torchvision for the models that torch exports (bert_base and the
CNNs); none of these is needed by a build or by CI. Both sides run in turns, a pause between them, so that what else the
machine does falls on both alike and no waiting thread of the one takes a processor from the other. Of each side the
least of the rounds is taken: of elapsed time, and of processor time of all its threads. The aim is a ratio, ours over
theirs, which issue and docs/cpu.md name.
"""

import argparse
import os
import sys
import tempfile
import time

# This file is named like the package that it imports, and Python looks in its folder first.
HERE = os.path.dirname(os.path.abspath(__file__))
sys.path = [folder for folder in sys.path if os.path.abspath(folder) != HERE]

import numpy
import onnx
from onnx import TensorProto, helper, numpy_helper
import onnxruntime

import rammer

sys.path.insert(0, os.path.join(HERE, "..", "run", "onnx"))

F32, I64, BOOL = TensorProto.FLOAT, TensorProto.INT64, TensorProto.BOOL
OPSET = 17


class Network:
    """An ONNX graph under construction, with random weights."""

    def __init__(self):
        self.nodes, self.constants, self.inputs = [], [], []
        self.random = numpy.random.default_rng(1)

    def input(self, name, *shape):
        self.inputs.append(helper.make_tensor_value_info(name, F32, shape))
        return name

    def constant(self, name, value):
        self.constants.append(numpy_helper.from_array(numpy.asarray(value), name))
        return name

    def weight(self, name, *shape):
        scale = 1.0 / numpy.sqrt(shape[-1])
        return self.constant(name, (self.random.standard_normal(shape) * scale).astype(numpy.float32))

    def node(self, kind, inputs, outputs, **attributes):
        outputs = [outputs] if isinstance(outputs, str) else outputs
        self.nodes.append(helper.make_node(kind, inputs, outputs, **attributes))
        return outputs[0]

    def save(self, path, **outputs):
        results = [helper.make_tensor_value_info(name, F32, shape) for name, shape in outputs.items()]
        graph = helper.make_graph(self.nodes, "bench", self.inputs, results, self.constants)
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", OPSET)], ir_version=8)
        onnx.checker.check_model(model)
        onnx.save(model, path)


def lstm_layer(net, name, x, inputs, hidden, c=None):
    """An LSTM over a sequence [steps, 1, inputs]: its outputs [steps, 1, hidden] and its last c [1, 1, hidden]."""
    given = [x, net.weight(name + ".W", 1, 4 * hidden, inputs), net.weight(name + ".R", 1, 4 * hidden, hidden),
             net.weight(name + ".B", 1, 8 * hidden)]
    if c:
        zero = net.constant(name + ".h0", numpy.zeros((1, 1, hidden), numpy.float32))
        given += ["", zero, c]
    net.node("LSTM", given, [name + ".y", "", name + ".c"], hidden_size=hidden)
    axes = net.constant(name + ".axes", numpy.array([1], numpy.int64))
    return net.node("Squeeze", [name + ".y", axes], name + ".out"), name + ".c"


def lstm(layers, steps, hidden):
    def make(path):
        net = Network()
        x = net.input("x", steps, 1, hidden)
        for i in range(layers):
            x, _ = lstm_layer(net, f"l{i}", x, hidden, hidden)
        net.node("Identity", [x], "y")
        net.save(path, y=(steps, 1, hidden))
    return make


def seq2seq(path):
    """An encoder of eight layers over 100 steps, whose last c starts a decoder of four over 30."""
    net, hidden = Network(), 128
    x, out = net.input("x", 100, 1, hidden), net.input("start", 30, 1, hidden)
    for i in range(8):
        x, c = lstm_layer(net, f"e{i}", x, hidden, hidden)
    for i in range(4):
        out, _ = lstm_layer(net, f"d{i}", out, hidden, hidden, c)
    net.node("Identity", [out], "y")
    net.save(path, y=(30, 1, hidden))


def loop(steps, size):
    """A recurrence written as a Loop: h = tanh(a h + b), `steps` times."""
    def make(path):
        net = Network()
        h = net.input("h", 1, size)
        a, b = net.weight("a", 1, size), net.weight("b", 1, size)
        body = helper.make_graph(
            [helper.make_node("Identity", ["go"], ["go_on"]), helper.make_node("Mul", ["state", a], ["scaled"]),
             helper.make_node("Add", ["scaled", b], ["moved"]), helper.make_node("Tanh", ["moved"], ["next"])],
            "body",
            [helper.make_tensor_value_info("step", I64, ()), helper.make_tensor_value_info("go", BOOL, ()),
             helper.make_tensor_value_info("state", F32, (1, size))],
            [helper.make_tensor_value_info("go_on", BOOL, ()), helper.make_tensor_value_info("next", F32, (1, size))])
        net.node("Loop", [net.constant("steps", numpy.array(steps, numpy.int64)), net.constant("go_first", numpy.array(True)), h],
                 "y", body=body)
        net.save(path, y=(1, size))
    return make


def narrow(nodes, size):
    """A deep and narrow graph: a chain of sums, products and sigmoids of few elements."""
    def make(path):
        net = Network()
        x = net.input("x", 1, size)
        for i in range(nodes):
            if i % 3 == 2:
                x = net.node("Sigmoid", [x], f"v{i}")
            else:
                x = net.node("Mul" if i % 3 else "Add", [x, net.weight(f"w{i}", 1, size)], f"v{i}")
        net.node("Identity", [x], "y")
        net.save(path, y=(1, size))
    return make


def branches(wide, deep, size):
    """A branching graph: branches of small fully connected layers, added up."""
    def make(path):
        net = Network()
        x, total = net.input("x", 1, size), None
        for i in range(wide):
            v = x
            for j in range(deep):
                w, b = net.weight(f"w{i}.{j}", size, size), net.weight(f"b{i}.{j}", size)
                v = net.node("Tanh", [net.node("Gemm", [v, w, b], f"g{i}.{j}", transB=1)], f"t{i}.{j}")
            total = v if total is None else net.node("Add", [total, v], f"s{i}")
        net.node("Identity", [total], "y")
        net.save(path, y=(1, size))
    return make


def gemm(m, k, n):
    def make(path):
        net = Network()
        net.node("MatMul", [net.input("x", m, k), net.weight("w", k, n)], "y")
        net.save(path, y=(m, n))
    return make


def exported(name):
    """A model that torch exports, as tests/run/onnx/whole_models.py has them."""
    def make(path):
        import whole_models
        whole_models.export(name, path, False)
    return make


#: name, how it is made, the aim: ours over ONNX Runtime's
MODELS = {
    "lstm_10x256": (lstm(10, 100, 256), 0.7),
    "seq2seq": (seq2seq, 0.7),
    "lstm_1x512": (lstm(1, 100, 512), 1.0),
    "loop_100": (loop(100, 64), 0.3),
    "narrow_300": (narrow(300, 64), 0.3),
    "branches_16x4": (branches(16, 4, 64), 0.3),
    "gemm_128x768x768": (gemm(128, 768, 768), 1.7),
    "gemv_1024": (gemm(1, 1024, 1024), 1.7),
    "bert_base": (exported("bert_base"), 1.7),
    "squeezenet1_1": (exported("squeezenet1_1"), 2.0),
    "resnet50": (exported("resnet50"), 2.0),
}


def inputs_of(session):
    random = numpy.random.default_rng(2)
    values = {}
    for given in session.get_inputs():
        if "int64" in given.type:
            values[given.name] = random.integers(0, 2, given.shape)
        else:
            values[given.name] = random.standard_normal(given.shape).astype(numpy.float32)
    return values


def theirs(path, threads):
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    return onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])


def once(run, repeats):
    """Seconds of a run: elapsed, and of processors."""
    time.sleep(0.005)
    elapsed, processor = time.perf_counter(), time.process_time()
    for _ in range(repeats):
        run()
    return (time.perf_counter() - elapsed) / repeats, (time.process_time() - processor) / repeats


def measure(sides, rounds):
    """The least elapsed and processor seconds of each side."""
    repeats = [max(1, int(0.02 / max(once(run, 1)[0], 1e-6))) for run in sides]
    best = [(float("inf"), float("inf"))] * len(sides)
    for _ in range(rounds):
        for i, run in enumerate(sides):
            best[i] = tuple(map(min, best[i], once(run, repeats[i])))
    return best


def agree(ours, reference):
    """The largest difference, relative to the largest value of its output."""
    return max(float(numpy.abs(a - b).max()) / max(float(numpy.abs(b).max()), 1e-30)
               for a, b in zip(ours.values(), reference))


def row(name, path, threads, rounds, aim):
    session = theirs(path, threads)
    values = inputs_of(session)
    start = time.monotonic()
    model = rammer.compile(path, threads=threads, veus=threads)
    planned = time.monotonic() - start
    named = {t.name: values[t.name] for t in model.inputs}
    error = agree(model.run(named), session.run(None, values))
    (our_elapsed, our_processor), (their_elapsed, their_processor) = measure(
        [lambda: model.run(named), lambda: session.run(None, values)], rounds)
    print(f"| {name} | {threads} | {our_elapsed * 1e3:.3f} | {their_elapsed * 1e3:.3f} | {our_elapsed / their_elapsed:.2f} |"
          f" {our_processor * 1e3:.3f} | {their_processor * 1e3:.3f} | {our_processor / their_processor:.2f} | {aim} |"
          f" {error:.0e} | {planned:.1f} |", flush=True)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--threads", default="1,2")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--folder", help="where models are kept from one run to the next")
    parser.add_argument("names", nargs="*", metavar="NAME")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as temporary:
        folder = given.folder or temporary
        os.makedirs(folder, exist_ok=True)
        print("| model | threads | ours, ms | ONNX Runtime, ms | ratio | ours, processor ms | theirs | ratio | aim | error |"
              " plan, s |\n|---|---|---|---|---|---|---|---|---|---|---|", flush=True)
        for name in given.names or MODELS:
            make, aim = MODELS[name]
            path = os.path.join(folder, name + ".onnx")
            if not os.path.exists(path):
                make(path)
            for threads in map(int, given.threads.split(",")):
                try:
                    row(name, path, threads, given.rounds, aim)
                except rammer.RammerError as refused:
                    print(f"| {name} | {threads} | refused: {refused.code} |" + " |" * 8, flush=True)
                    print(refused, file=sys.stderr)


if __name__ == "__main__":
    main()
