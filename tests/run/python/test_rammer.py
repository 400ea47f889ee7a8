"""The Python package over the library of this build. Needs Python alone; numpy's tests want python3-numpy, torch's torch."""

import ctypes
import gc
import importlib.util
import json
import os
import re
import tempfile
import threading
import unittest
from array import array
from pathlib import Path

import rammer
from rammer import _arrays, _library

SOURCE = Path(os.environ["RK_SOURCE"])
HAS_NUMPY = importlib.util.find_spec("numpy") is not None
HAS_TORCH = importlib.util.find_spec("torch") is not None

W = [[1.0, 2.0, 3.0], [0.0, 1.0, 0.0], [-1.0, -1.0, -1.0], [0.5, 0.0, 2.0]]
X = [1.0, 2.0, 4.0]
Y = [17.0, 2.0, 0.0, 8.5]


def product_graph(folder):
    """A matrix times a vector of a named length, and Relu."""
    def f32(*shape):
        return {"dtype": "f32", "shape": list(shape)}
    path = Path(folder) / "graph.json"
    path.write_text(json.dumps({
        "schema": "rammer.graph/1", "name": "product",
        "tensors": {"W": f32(4, "k"), "x": f32("k"), "y": f32(4), "z": f32(4)},
        "nodes": [{"name": "product", "op": "MatMul", "inputs": ["W", "x"], "outputs": ["y"]},
                  {"name": "ramp", "op": "Relu", "inputs": ["y"], "outputs": ["z"]}],
        "inputs": ["W", "x"], "outputs": ["z"]}))
    return path


class WithModel(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.path = product_graph(cls.folder.name)
        cls.model = rammer.compile(cls.path, dims={"k": 3}, veus=2)

    @classmethod
    def tearDownClass(cls):
        del cls.model
        cls.folder.cleanup()


class Models(WithModel):
    def test_describes_itself(self):
        self.assertEqual(self.model.inputs, (("W", "f32", (4, 3)), ("x", "f32", (3,))))
        self.assertEqual(self.model.outputs, (("z", "f32", (4,)),))
        self.assertGreaterEqual(self.model.threads, 1)
        self.assertLessEqual(self.model.veus, 2)
        self.assertRegex(rammer.version(), r"^\d+\.\d+\.\d+$")

    def test_runs_by_order_and_by_name(self):
        for out in (self.model(W, X), self.model(W, x=X), self.model(x=X, W=W), self.model.run({"W": W, "x": X})["z"]):
            self.assertEqual(list(out.tolist()), Y)

    def test_refuses_other_arguments(self):
        for args, named in (((W,), {}), ((W, X, X), {}), ((W,), {"w": X}), ((W, X), {"x": X})):
            with self.assertRaises(TypeError):
                self.model(*args, **named)

    def test_measures_nodes(self):
        for profile in (self.model.profile(), self.model.profile(W, X)):
            self.assertTrue(profile and all(n.seconds > 0 and n.rtasks >= 1 and n.kernel for n in profile))
            self.assertIn("one by one", str(profile))

    def test_saves_and_views(self):
        page = self.model.view(Path(self.folder.name) / "page.html")
        self.assertIn("<html", Path(page).read_text().lower())
        built = Path(self.folder.name) / "built"
        self.model.save(built)
        self.assertEqual(rammer.compile(built)(W, X).tolist(), Y)
        with self.assertRaises(rammer.RammerError) as caught:
            rammer.compile(built).save(Path(self.folder.name) / "again")
        self.assertEqual(caught.exception.code, "RK-L007")

    def test_runs_every_length_of_an_open_dimension(self):
        for dims in ({"k": (1, 6)}, {"k": range(1, 7)}):
            f = rammer.compile(self.path, dims=dims, veus=2)
            self.assertEqual(f.dims, (("k", 1, 6, 6),))
            for k in (3, 1, 6, 2, 5, 3):
                x = [float(i + 1) for i in range(k)]
                w = [[float(r)] * k for r in range(4)]
                self.assertEqual(list(f(w, x).tolist()), [r * sum(x) for r in range(4)])
                self.assertEqual((f.dims[0].value, f.inputs[1].shape), (k, (k,)))
            for w, x in (([[1.0] * 7] * 4, [1.0] * 7), ([[1.0] * 4] * 4, [1.0] * 5)):
                with self.assertRaises(rammer.RammerError) as caught:
                    f(w, x)
                self.assertEqual(caught.exception.code, "RK-L008")
            with self.assertRaises(TypeError):
                f([1.0] * 3, [1.0] * 3)
            self.assertEqual(list(f(W, X).tolist()), Y)
            self.assertEqual(len(f.profile(W, X)), len(f.profile()))

    def test_says_what_is_wrong_with_codes(self):
        with self.assertRaises(rammer.RammerError) as caught:
            rammer.compile(self.path)
        self.assertTrue(caught.exception.messages)
        first = caught.exception.messages[0]
        self.assertEqual((first.severity, first.file), ("error", str(self.path)))
        self.assertIn(first.code, str(caught.exception))
        for options, code in (({"target": "nowhere"}, "RK-U004"), ({"veus": -1}, "RK-L002"), ({"policy": "none"}, "RK-U004")):
            with self.assertRaises(rammer.RammerError) as caught:
                rammer.compile(self.path, dims={"k": 3}, **options)
            self.assertEqual(caught.exception.code, code)

    def test_threads_take_turns(self):
        wrong = []

        def work():
            for _ in range(20):
                if self.model(W, X).tolist() != Y:
                    wrong.append(1)
        threads = [threading.Thread(target=work) for _ in range(4)]
        for t in threads:
            t.start()
        for t in threads:
            t.join()
        self.assertFalse(wrong)

    def test_declares_the_functions_of_the_header(self):
        header = (SOURCE / "library/include/rammer.h").read_text()
        self.assertEqual(set(re.findall(r"\b(rammer_\w+)\(", header)), set(_library.FUNCTIONS))
        types = re.findall(r"RAMMER_(\w+) = (\d+)", header.split("} rammer_type")[0].split("typedef enum {")[-1])
        self.assertEqual([t.name.upper() for t in _arrays.TYPES], [n for n, _ in types])


class Arrays(WithModel):
    def give(self, value, name="f32", shape=(3,)):
        given = _arrays.give(value, "x", _arrays.type_of(name), shape)
        return ctypes.string_at(given.address, _arrays.type_of(name).size * 3)

    def test_takes_lists_buffers_and_its_own(self):
        bits = array("f", X).tobytes()
        own = _arrays.Array(_arrays.type_of("f32"), (3,))
        own.view()[:] = array("f", X)
        for value in (X, tuple(X), array("f", X), memoryview(array("f", X)), own):
            self.assertEqual(self.give(value), bits)

    def test_refuses_other_types_and_shapes(self):
        for value in (X[:2], [X], array("d", X), array("i", [1, 2, 3]), b"123", object(), ["a", "b", "c"]):
            with self.assertRaises(rammer.ArrayError):
                self.give(value)
        for value in ([1.5, 2, 3], [300, 0, 0]):
            with self.assertRaises(rammer.ArrayError):
                self.give(value, "u8")

    def test_rounds_bf16_to_the_nearest(self):
        # 1 + 2^-8 lies in the middle and goes to the even one, 1 + 3 * 2^-8 likewise upwards.
        given = self.give([1.00390625, 1.01171875, -2.0], "bf16")
        self.assertEqual(list(memoryview(given).cast("H")), [0x3F80, 0x3F82, 0xC000])

    def test_nests_lists(self):
        own = _arrays.Array(_arrays.type_of("i32"), (2, 3))
        own.view()[1, 2] = 7
        self.assertEqual(own.tolist(), [[0, 0, 0], [0, 0, 7]])
        self.assertEqual(_arrays.Array(_arrays.type_of("i32"), ()).tolist(), 0)
        self.assertEqual(_arrays.Array(_arrays.type_of("f16"), (0, 2)).tolist(), [])

    def test_dlpack_keeps_memory_and_lets_it_go(self):
        own = _arrays.Array(_arrays.type_of("f32"), (3,))
        own.view()[:] = array("f", X)
        before = len(_arrays._lent)
        self.assertEqual(own.__dlpack_device__(), (1, 0))
        capsule = own.__dlpack__()
        self.assertEqual(len(_arrays._lent), before + 1)
        del capsule
        gc.collect()
        self.assertEqual(len(_arrays._lent), before)

        class Foreign:
            def __dlpack__(self):
                return own.__dlpack__()

            def __dlpack_device__(self):
                return own.__dlpack_device__()
        self.assertEqual(self.give(Foreign()), array("f", X).tobytes())
        gc.collect()
        self.assertEqual(len(_arrays._lent), before)
        with self.assertRaises(rammer.ArrayError):
            self.give(Foreign(), "i32")
        with self.assertRaises(rammer.ArrayError):
            self.give(Foreign(), "f32", (2,))


@unittest.skipUnless(HAS_NUMPY, "numpy is not installed")
class Numpy(WithModel):
    def test_takes_and_gives_arrays(self):
        import numpy
        w, x = numpy.array(W, "f"), numpy.array(X, "f")
        out = self.model(w, x)
        self.assertIsInstance(out, numpy.ndarray)
        numpy.testing.assert_array_equal(out, numpy.array(Y, "f"))
        # What is not row-major is copied, and what is not f32 is refused.
        numpy.testing.assert_array_equal(self.model(numpy.asfortranarray(w), x), out)
        with self.assertRaises(rammer.ArrayError):
            self.model(w.astype("d"), x)
        with self.assertRaises(rammer.ArrayError):
            self.model(w.T, x)


@unittest.skipUnless(HAS_TORCH, "torch is not installed")
class Torch(WithModel):
    def setUp(self):
        import torch
        torch.manual_seed(0)

    def net(self):
        from torch import nn
        return nn.Sequential(nn.Conv2d(3, 8, 3), nn.BatchNorm2d(8), nn.ReLU(), nn.Flatten(), nn.Linear(8 * 36, 5)).eval()

    def test_takes_and_gives_tensors(self):
        import torch
        w, x = torch.tensor(W), torch.tensor(X)
        for out in (self.model(w, x), self.model(w.t().contiguous().t(), x), self.model(w.requires_grad_(), x)):
            self.assertIsInstance(out, torch.Tensor)
            self.assertEqual(out.tolist(), Y)

    def test_imports_a_module(self):
        import torch
        net, x = self.net(), torch.randn(2, 3, 8, 8)
        net.train()
        f = rammer.import_torch(net, (x,))
        self.assertTrue(net.training)
        with torch.no_grad():
            self.assertLess((f(x) - net.eval()(x)).abs().max(), 1e-5)

    def test_is_a_backend(self):
        import torch
        from rammer import _torch
        net, x = self.net(), torch.randn(2, 3, 8, 8)
        fast = torch.compile(net, backend=rammer._backend)
        with torch.no_grad():
            self.assertLess((fast(x) - net(x)).abs().max(), 1e-5)
            parts = _torch.parts_of(_torch.made_graphs[-1])
            self.assertEqual([p.refused for p in parts], [None])
            # A weight that was changed is seen.
            net[4].weight.mul_(2)
            self.assertLess((fast(x) - net(x)).abs().max(), 1e-5)

    def test_leaves_the_rest_to_torch(self):
        import torch
        from rammer import _torch

        def mixed(x):
            return torch.fft.fft(torch.relu(x @ x)).real + torch.sin(x).sum()
        x = torch.randn(8, 8)
        with torch.no_grad():
            self.assertLess((torch.compile(mixed, backend=rammer._backend)(x) - mixed(x)).abs().max(), 1e-4)
        graph = _torch.made_graphs[-1]
        self.assertTrue(any(p.model for p in _torch.parts_of(graph)))
        self.assertIn("fft", graph.code)

    def test_leaves_gradients_to_torch(self):
        import torch
        net, x = self.net(), torch.randn(2, 3, 8, 8)
        torch.compile(net, backend=rammer._backend)(x).sum().backward()
        self.assertGreater(net[0].weight.grad.abs().sum(), 0)


if __name__ == "__main__":
    unittest.main(verbosity=2)
