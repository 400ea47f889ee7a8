"""
The node tests that PyPI's onnx generates, as folders for the runner:  python3 tests/run/onnx/newest.py FOLDER

    python3 tests/run/onnx/newest.py /tmp/newest
    B=build/release; $B/tests/onnx_runner $B/share/rammer/catalog vendor_kernels sched/machine/devices \
        tests/run/onnx/known_newest.txt /tmp/newest

It needs onnx from PyPI, by hand; known_newest.txt was made with the version that its name in docs/onnx.md says.
"""

import sys
import warnings
from pathlib import Path

import numpy
import onnx
from onnx import numpy_helper
from onnx.backend.test.case import node


def write(path, value, kind):
    """A value as the runner reads it; what is no tensor stays away, as the runner says."""
    if kind.HasField("tensor_type"):
        message = value if isinstance(value, onnx.TensorProto) else numpy_helper.from_array(numpy.asarray(value))
        path.write_bytes(message.SerializeToString())


def main():
    out = Path(sys.argv[1])
    warnings.simplefilter("ignore")
    cases = node.collect_testcases(None)
    for case in cases:
        folder = out / case.name
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "model.onnx").write_bytes(case.model.SerializeToString())
        for i, (inputs, outputs) in enumerate(case.data_sets):
            data = folder / f"test_data_set_{i}"
            data.mkdir(exist_ok=True)
            for kind, values, described in (("input", inputs, case.model.graph.input),
                                            ("output", outputs, case.model.graph.output)):
                for j, (value, about) in enumerate(zip(values, described)):
                    write(data / f"{kind}_{j}.pb", value, about.type)
    print(f"onnx {onnx.__version__}: {len(cases)} tests in {out}")


if __name__ == "__main__":
    main()
