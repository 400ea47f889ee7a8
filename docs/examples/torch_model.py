"""
A module of torch, imported, and as a backend of torch.compile:  python3 torch_model.py

It needs torch, onnx and onnxscript from PyPI.
"""

import torch
from torch import nn

import rammer

torch.manual_seed(0)
net = nn.Sequential(nn.Conv2d(3, 16, 3, padding=1), nn.BatchNorm2d(16), nn.ReLU(), nn.MaxPool2d(2),
                    nn.Flatten(), nn.Linear(16 * 8 * 8, 10)).eval()
x = torch.randn(1, 3, 16, 16)

with torch.no_grad():
    expected = net(x)

    f = rammer.import_torch(net, (x,))
    print(f)
    print("imported: largest difference", float((f(x) - expected).abs().max()))

    g = torch.compile(net, backend=rammer._backend)  # of an installed wheel: backend="rammer"
    print("compiled: largest difference", float((g(x) - expected).abs().max()))

print(f.profile(x))
