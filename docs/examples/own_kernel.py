"""
A CUDA kernel of your own inside a model:  python3 own_kernel.py

`rkconvert` (on the path, or $RKCONVERT) converts it as it stands; the graph calls it by its name beside operators of Rammer's.
"""

import json
import os
import subprocess
import tempfile
from pathlib import Path

import rammer

CUDA = """
__global__ void swish(const float *x, float *y, float beta, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        y[i] = x[i] / (1.0f + expf(-beta * x[i]));
}

void launch_swish(const float *x, float *y, float beta, int n)
{
    swish<<<(n + 127) / 128, 128>>>(x, y, beta, n);
}
"""

ROWS, COLUMNS = 4, 3
GRAPH = {
    "schema": "rammer.graph/1",
    "name": "own",
    "tensors": {"W": {"dtype": "f32", "shape": [ROWS, COLUMNS]}, "x": {"dtype": "f32", "shape": [COLUMNS]},
                "h": {"dtype": "f32", "shape": [ROWS]}, "y": {"dtype": "f32", "shape": [ROWS]}},
    "nodes": [
        {"name": "product", "op": "MatMul", "inputs": ["W", "x"], "outputs": ["h"]},
        {"name": "activation", "kernel": "swish", "inputs": {"x": "h"}, "outputs": {"y": "y"},
         "attrs": {"beta": 1.5, "n": ROWS}},
    ],
    "inputs": ["W", "x"],
    "outputs": ["y"],
}

with tempfile.TemporaryDirectory() as folder:
    source, graph = Path(folder, "swish.cu"), Path(folder, "graph.json")
    source.write_text(CUDA)
    graph.write_text(json.dumps(GRAPH))
    subprocess.run([os.environ.get("RKCONVERT", "rkconvert"), source, "--out-dir", f"{folder}/mine"],
                   check=True, stdout=subprocess.DEVNULL)
    f = rammer.compile(graph, catalogs=[f"{folder}/mine"])
    print(f)
    print([round(float(v), 4) for v in f([[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 1]], [1, -2, 3]).tolist()])
    print(f.profile())
