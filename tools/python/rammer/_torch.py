"""Modules of torch: imported whole by way of torch.onnx, or in parts as a backend of torch.compile."""

import inspect
import os
import tempfile
import threading
import warnings
from typing import Any, Dict, List, Optional, Sequence, Tuple

import torch
from torch.fx.passes.infra.partitioner import CapabilityBasedPartitioner
from torch.fx.passes.operator_support import OperatorSupportBase

from ._arrays import TYPES
from ._library import RammerError
from ._model import Model, compile


def export(module: torch.nn.Module, args: Tuple[Any, ...], path: str) -> None:
    """Writes an ONNX model, weights beside it where they are large."""
    more: Dict[str, Any] = {}
    if "verbose" in inspect.signature(torch.onnx.export).parameters:
        more["verbose"] = False
    with warnings.catch_warnings(), torch.no_grad():
        warnings.simplefilter("ignore")
        torch.onnx.export(module, args, path, **more)


def import_torch(module: torch.nn.Module, args: Any, **options: Any) -> Model:
    """As rammer.import_torch."""
    args = args if isinstance(args, tuple) else (args,)
    trains = module.training
    module.eval()
    try:
        with tempfile.TemporaryDirectory(prefix="rammer-") as folder:
            path = os.path.join(folder, "model.onnx")
            export(module, args, path)
            return compile(path, **options)
    finally:
        module.train(trains)


# torch.compile(module, backend="rammer")

#: Operators of aten whose way through torch.onnx and Rammer is known. What is not here stays with torch.
TAKEN = frozenset("""
    abs add addmm amax amin avg_pool2d _adaptive_avg_pool2d bmm cat ceil clamp clamp_min clamp_max clone constant_pad_nd
    convolution cos div elu embedding eq erf exp expand floor full_like ge gelu gt hardsigmoid hardswish hardtanh
    _log_softmax le leaky_relu log lt max_pool2d_with_indices maximum mean minimum mm mul
    _native_batch_norm_legit_no_training native_layer_norm ne neg permute pow reciprocal relu rsqrt rsub select sigmoid
    silu sin slice _softmax softplus split split_with_sizes sqrt squeeze stack sub sum t tanh transpose unbind
    unsqueeze view _unsafe_view reshape where
""".split())

_TYPES = frozenset(getattr(torch, t.numpy) for t in TYPES if t.numpy and hasattr(torch, t.numpy)) - {torch.float64}


def _taken_value(value: Any) -> bool:
    """Whether a node's value may cross over: dense tensors of known size on the CPU, of types that we have."""
    return (isinstance(value, torch.Tensor) and value.device.type == "cpu" and value.dtype in _TYPES
            and value.layout == torch.strided and all(isinstance(n, int) and n > 0 for n in value.shape))


class _Support(OperatorSupportBase):
    def is_node_supported(self, submodules: Any, node: torch.fx.Node) -> bool:
        if node.op != "call_function":
            return False
        if getattr(node.target, "__name__", "") == "getitem":
            return self.is_node_supported(submodules, node.args[0])
        name = getattr(node.target, "overloadpacket", None)
        if name is None or node.target.namespace != "aten" or name.__name__ not in TAKEN:
            return False
        value = node.meta.get("val")
        # Of several values those count that are used: batch norm's statistics are empty, and nobody's.
        used = [n.meta.get("val") for n in node.users] if isinstance(value, (tuple, list)) else [value]
        return all(map(_taken_value, used)) and all(_taken_value(n.meta.get("val")) for n in node.all_input_nodes)


class _Bound(torch.nn.Module):
    """A part with those of its inputs that are weights inside of it."""

    def __init__(self, part: torch.nn.Module, args: Sequence[Any], fixed: Sequence[bool]):
        super().__init__()
        self.part, self.fixed = part, tuple(fixed)
        for i, value in enumerate(args):
            if fixed[i]:
                self.register_buffer(f"weight{i}", value.detach())

    def forward(self, *rest: Any) -> Any:
        values = iter(rest)
        return self.part(*(getattr(self, f"weight{i}") if fixed else next(values)
                           for i, fixed in enumerate(self.fixed)))


class Part(torch.nn.Module):
    """
    A part of a graph that Rammer runs. It is compiled by the first call, with the weights as constants, and again when a
    weight is another or was changed; what is refused runs in torch, and `refused` says why.
    """

    def __init__(self, part: torch.nn.Module, fixed: Sequence[bool], options: Dict[str, Any]):
        super().__init__()
        self.part, self.fixed, self.options = part, list(fixed), options
        self.model: Optional[Model] = None
        self.refused: Optional[Exception] = None
        self._weights: Tuple[Tuple[int, int], ...] = ()

    def _make(self, args: Sequence[Any]) -> None:
        """On a thread of its own: the caller's may be below autograd, where nothing can be exported."""
        thread = threading.Thread(target=self._try, args=(args,))
        thread.start()
        thread.join()

    def _try(self, args: Sequence[Any]) -> None:
        rest = tuple(a for a, fixed in zip(args, self.fixed) if not fixed)
        try:
            self.model = import_torch(_Bound(self.part, args, self.fixed).eval(), rest, **self.options)
        except RammerError as refused:
            self.refused = refused
        except torch.onnx.OnnxExporterError as refused:
            self.refused = refused

    def forward(self, *args: Any) -> Any:
        weights = tuple((a.data_ptr(), a._version) for a, fixed in zip(args, self.fixed) if fixed)
        if self.refused is None and (self.model is None or weights != self._weights):
            self._weights = weights
            self._make(args)
        if self.refused is not None or self.model is None:
            return self.part(*args)
        rest = [a.detach().contiguous() for a, fixed in zip(args, self.fixed) if not fixed]
        made = self.model(*rest)
        return list(made) if isinstance(made, tuple) else made


def _fixed_inputs(graph: torch.fx.GraphModule) -> frozenset:
    """The placeholders that are weights, by name."""
    context = torch._guards.TracingContext.try_get()
    known = getattr(getattr(context, "fw_metadata", None), "static_input_indices", None) or ()
    names = [n.name for n in graph.graph.nodes if n.op == "placeholder"]
    return frozenset(names[i] for i in known if i < len(names))


def parts_of(graph: torch.fx.GraphModule) -> List[Part]:
    """The parts of a graph that Rammer runs."""
    return [m for m in graph.modules() if isinstance(m, Part)]


#: The graphs that the backend made last, for those who want to look at their parts.
made_graphs: List[torch.fx.GraphModule] = []


def _compile_graph(graph: torch.fx.GraphModule, options: Dict[str, Any]) -> Any:
    fixed = _fixed_inputs(graph)
    partitioner = CapabilityBasedPartitioner(graph, _Support(), allows_single_node_partition=True)
    fused = partitioner.fuse_partitions(partitioner.propose_partitions())
    for node in fused.graph.nodes:
        if node.op == "call_module" and str(node.target).startswith("fused_"):
            weights = [isinstance(a, torch.fx.Node) and a.name in fixed for a in node.args]
            setattr(fused, node.target, Part(getattr(fused, node.target), weights, options))
    del made_graphs[:-15]
    made_graphs.append(fused)
    return fused


def backend(graph: torch.fx.GraphModule, example_inputs: List[Any], **more: Any) -> Any:
    """
    The backend "rammer" of torch.compile, for inference: torch.compile(module, backend="rammer", options={"veus": 2}), the
    options being those of `rammer.compile`. Gradients, and operators that Rammer does not take, are left to torch.
    """
    from torch._dynamo.backends.common import aot_autograd
    from torch._functorch.aot_autograd import make_boxed_func

    options = dict(more.get("options") or {})

    def leave(module: torch.fx.GraphModule, _: List[Any]) -> Any:
        return make_boxed_func(module.forward)

    def take(module: torch.fx.GraphModule, _: List[Any]) -> Any:
        return make_boxed_func(_compile_graph(module, options).forward)

    return aot_autograd(fw_compiler=leave, bw_compiler=leave, inference_compiler=take)(graph, example_inputs)
