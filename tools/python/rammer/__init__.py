"""
Rammer from Python: CUDA kernels in, one scheduled program for a whole model out, which runs here on the CPU.

    import rammer
    f = rammer.compile("model.onnx", dims={"n": 128})
    y = f(x)                    # arrays of numpy, DLPack, lists
    print(f.profile(x))         # each node, measured
    f.view("model.html")        # graph and timeline, one page
    f = rammer.import_torch(module, (x,))
    g = torch.compile(module, backend="rammer")
"""

from typing import Any

from ._arrays import Array, ArrayError
from ._library import Message, RammerError, library
from ._model import Dim, Model, Node, Profile, Tensor, compile

__all__ = ["Array", "ArrayError", "Dim", "Message", "Model", "Node", "Profile", "RammerError", "Tensor",
           "compile", "import_torch", "version"]


def version() -> str:
    """Of librammer."""
    return library().rammer_version().decode()


def import_torch(module: Any, args: Any, **options: Any) -> Model:
    """
    A module of torch as a model, by way of torch.onnx: `args` is the tuple of its arguments, which gives types and shapes.
    The other options are those of `rammer.compile`.
    """
    from ._torch import import_torch as run
    return run(module, args, **options)


def _backend(graph: Any, example_inputs: Any, **more: Any) -> Any:
    """What torch.compile(..., backend="rammer") finds by the wheel's entry point."""
    from ._torch import backend
    return backend(graph, example_inputs, **more)
