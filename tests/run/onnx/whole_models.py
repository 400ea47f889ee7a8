"""
Whole models as torch exports them, with random weights, against ONNX Runtime on the same inputs.

    python3 tests/run/onnx/whole_models.py [--folder DIR] [--half] [NAME...]

It needs torch, torchvision, onnx and onnxruntime from PyPI, and Rammer's Python package; none of these is needed by a
build or by CI, and no model is kept in the repository. Prints a row for each model, and exits with 1 when one differs by
more than the tolerance: 1e-3 relative to the largest value of an output, in f16 2e-2.
"""

import argparse
import math
import os
import sys
import tempfile
import time
import warnings

import numpy
import onnxruntime
import torch
from torch import nn

import rammer


def vision(name, size=224):
    def make():
        import torchvision
        more = {"aux_logits": False, "init_weights": False} if name == "inception_v3" else {}
        return getattr(torchvision.models, name)(weights=None, **more), (torch.randn(1, 3, size, size),)
    return make


class Attention(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.heads = heads
        self.project = nn.Linear(width, 3 * width)
        self.out = nn.Linear(width, width)

    def forward(self, x, past=None, mask=None):
        n, length, width = x.shape
        q, k, v = self.project(x).view(n, length, 3, self.heads, width // self.heads).permute(2, 0, 3, 1, 4)
        if past is not None:
            k, v = torch.cat((past[0], k), 2), torch.cat((past[1], v), 2)
        scores = q @ k.transpose(-1, -2) / math.sqrt(width // self.heads)
        if mask is not None:
            scores = scores + mask
        y = scores.softmax(-1) @ v
        return self.out(y.transpose(1, 2).reshape(n, length, width)), k, v


class BertLayer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.attention, self.norm1 = Attention(width, heads), nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.norm2 = nn.LayerNorm(width)

    def forward(self, x, mask):
        x = self.norm1(x + self.attention(x, mask=mask)[0])
        return self.norm2(x + self.down(nn.functional.gelu(self.up(x))))


class Bert(nn.Module):
    """BERT-base: 12 layers of 768, and its pooled output."""

    def __init__(self, layers=12, width=768, heads=12, words=30522):
        super().__init__()
        self.word, self.place, self.kind = nn.Embedding(words, width), nn.Embedding(512, width), nn.Embedding(2, width)
        self.norm = nn.LayerNorm(width)
        self.layers = nn.ModuleList(BertLayer(width, heads) for _ in range(layers))
        self.pool = nn.Linear(width, width)

    def forward(self, words, kinds, mask):
        places = torch.arange(words.shape[1], device=words.device)
        x = self.norm(self.word(words) + self.place(places) + self.kind(kinds))
        bias = (1.0 - mask[:, None, None, :].to(x.dtype)) * -10000.0
        for layer in self.layers:
            x = layer(x, bias)
        return x, torch.tanh(self.pool(x[:, 0]))


class GptLayer(nn.Module):
    def __init__(self, width, heads):
        super().__init__()
        self.norm1, self.attention = nn.LayerNorm(width), Attention(width, heads)
        self.norm2 = nn.LayerNorm(width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x, past):
        y, k, v = self.attention(self.norm1(x), past)
        x = x + y
        return x + self.down(nn.functional.gelu(self.up(self.norm2(x)), approximate="tanh")), k, v


class Gpt2(nn.Module):
    """One step of GPT-2: a word, its place, and keys and values of all layers so far."""

    def __init__(self, layers=12, width=768, heads=12, words=50257):
        super().__init__()
        self.word, self.place = nn.Embedding(words, width), nn.Embedding(1024, width)
        self.layers = nn.ModuleList(GptLayer(width, heads) for _ in range(layers))
        self.norm = nn.LayerNorm(width)

    def forward(self, word, place, keys, values):
        x = self.word(word) + self.place(place)
        all_keys, all_values = [], []
        for i, layer in enumerate(self.layers):
            x, k, v = layer(x, (keys[i], values[i]))
            all_keys.append(k)
            all_values.append(v)
        return self.norm(x) @ self.word.weight.t(), torch.stack(all_keys), torch.stack(all_values)


class Lstm(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(64, 128, num_layers=2, bidirectional=True)
        self.out = nn.Linear(256, 10)

    def forward(self, x):
        y, (h, c) = self.lstm(x)
        return self.out(y), h, c


class ConformerLayer(nn.Module):
    def __init__(self, width, heads, kernel=31):
        super().__init__()
        def feed():
            return nn.Sequential(nn.LayerNorm(width), nn.Linear(width, 4 * width), nn.SiLU(), nn.Linear(4 * width, width))
        self.feed1, self.feed2 = feed(), feed()
        self.norm, self.attention = nn.LayerNorm(width), Attention(width, heads)
        self.norm_conv, self.up = nn.LayerNorm(width), nn.Conv1d(width, 2 * width, 1)
        self.deep = nn.Conv1d(width, width, kernel, padding=kernel // 2, groups=width)
        self.batch, self.down = nn.BatchNorm1d(width), nn.Conv1d(width, width, 1)
        self.last = nn.LayerNorm(width)

    def forward(self, x):
        x = x + 0.5 * self.feed1(x)
        x = x + self.attention(self.norm(x))[0]
        y = nn.functional.glu(self.up(self.norm_conv(x).transpose(1, 2)), dim=1)
        x = x + self.down(nn.functional.silu(self.batch(self.deep(y)))).transpose(1, 2)
        return self.last(x + 0.5 * self.feed2(x))


class Conformer(nn.Module):
    """Four layers of 144 over 80 features, made half as many in time twice."""

    def __init__(self, layers=4, width=144, heads=4):
        super().__init__()
        self.front = nn.Sequential(nn.Conv2d(1, width, 3, 2), nn.ReLU(), nn.Conv2d(width, width, 3, 2), nn.ReLU())
        self.project = nn.Linear(width * 19, width)
        self.layers = nn.ModuleList(ConformerLayer(width, heads) for _ in range(layers))
        self.out = nn.Linear(width, 32)

    def forward(self, x):
        x = self.front(x[:, None])
        x = self.project(x.transpose(1, 2).flatten(2))
        for layer in self.layers:
            x = layer(x)
        return self.out(x).log_softmax(-1)


def bert():
    words = torch.randint(0, 30522, (1, 64))
    mask = torch.ones(1, 64, dtype=torch.int64)
    mask[:, 50:] = 0
    return Bert(), (words, torch.zeros_like(words), mask)


def gpt2():
    past = torch.randn(12, 1, 12, 31, 64)
    return Gpt2(), (torch.tensor([[464]]), torch.tensor([[31]]), past, torch.randn_like(past))


MODELS = {
    "resnet50": vision("resnet50"),
    "resnext50_32x4d": vision("resnext50_32x4d"),
    "inception_v3": vision("inception_v3", 299),
    "squeezenet1_1": vision("squeezenet1_1"),
    "densenet121": vision("densenet121"),
    "mobilenet_v3_large": vision("mobilenet_v3_large"),
    "efficientnet_b0": vision("efficientnet_b0"),
    "vit_b_16": vision("vit_b_16"),
    "bert_base": bert,
    "gpt2_step": gpt2,
    "lstm": lambda: (Lstm(), (torch.randn(20, 2, 64),)),
    "conformer": lambda: (Conformer(), (torch.randn(1, 80, 80),)),
}


def export(name, path, half):
    torch.manual_seed(len(name))
    module, args = MODELS[name]()
    module.eval()
    # As trained ones, batch norms have seen data, and no classifier is all zeros.
    for part in module.modules():
        if isinstance(part, (nn.BatchNorm1d, nn.BatchNorm2d)):
            part.running_mean.uniform_(-0.5, 0.5)
            part.running_var.uniform_(0.5, 1.5)
        elif isinstance(part, nn.Linear) and not part.weight.any():
            nn.init.normal_(part.weight, std=0.05)
    if half:
        module = module.half()
        args = tuple(a.half() if a.is_floating_point() else a for a in args)
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, args, path, input_names=[f"in{i}" for i in range(len(args))])
    return {f"in{i}": a.numpy() for i, a in enumerate(args)}


def compare(ours, theirs):
    """The largest difference, relative to the largest value of its output."""
    worst = 0.0
    for a, b in zip(ours, theirs):
        if a.shape != b.shape or a.dtype != b.dtype:
            return math.inf
        a, b = a.astype(numpy.float64), b.astype(numpy.float64)
        error = float(numpy.abs(a - b).max()) / max(float(numpy.abs(b).max()), 1e-30)
        worst = max(worst, math.inf if math.isnan(error) else error)
    return worst


def judge(name, folder, half, options):
    path = os.path.join(folder, name + ("_f16" if half else "") + ".onnx")
    values = export(name, path, half)
    theirs = onnxruntime.InferenceSession(path, providers=["CPUExecutionProvider"]).run(None, values)
    start = time.monotonic()
    model = rammer.compile(path, **options)
    planned = time.monotonic() - start
    start = time.monotonic()
    ours = model.run({t.name: values[t.name] for t in model.inputs})
    ran = time.monotonic() - start
    return compare(list(ours.values()), theirs), planned, ran, model


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder")
    parser.add_argument("--half", action="store_true")
    parser.add_argument("--policy")
    parser.add_argument("--veus", type=int)
    parser.add_argument("names", nargs="*", metavar="NAME")
    given = parser.parse_args()
    tolerance = 2e-2 if given.half else 1e-3
    options = {"policy": given.policy, "veus": given.veus}
    bad = 0
    print("| model | largest error, relative | plan, s | run, s | |\n| --- | --- | --- | --- | --- |", flush=True)
    with tempfile.TemporaryDirectory() as temporary:
        for name in given.names or MODELS:
            try:
                error, planned, ran, _ = judge(name, given.folder or temporary, given.half, options)
                good = error <= tolerance
                print(f"| {name} | {error:.1e} | {planned:.1f} | {ran:.2f} | {'good' if good else 'WRONG'} |", flush=True)
            except rammer.RammerError as refused:
                good = False
                print(f"| {name} | | | | {refused.code}: {len(refused.messages)} messages |", flush=True)
                print(refused, file=sys.stderr)
            bad += not good
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
