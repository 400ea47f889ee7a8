"""
An ONNX model from Python:  python3 onnx_model.py model.onnx [n=128]...

It runs on inputs of zeros, and shows where the time goes. Without a model it takes one of ONNX's tests, if Debian's
libonnx-testdata is installed.
"""

import sys

import rammer

DEFAULT = "/usr/share/libonnx-testdata/data/node/test_gemm_all_attributes/model.onnx"


def main():
    path, *dims = sys.argv[1:] or [DEFAULT]
    try:
        f = rammer.compile(path, dims={d.split("=")[0]: int(d.split("=")[1]) for d in dims})
    except rammer.RammerError as error:
        # All at once, each with a code, a place and what to do.
        sys.exit(str(error))
    print(f)
    print(f"{f.veus} vEUs on {f.threads} threads")
    print(f.profile())
    print("graph and timeline:", f.view("model.html"))


main()
