"""Pieces of an ONNX graph: nodes and constants under construction, the inputs of a model, its
labels.

What
    `Graph` collects nodes. `Inputs` turns what the user gives (one tensor, or one a column) into
    columns of numbers with NaN for what is missing or not declared. `Answers` knows labels and
    probabilities of the leaves.
Complexity
    O(columns + levels).
When not to use it
    Outside of `to_onnx`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .onnx_trees import Columns
from .reading import Label, Reading

__all__ = ["Answers", "Graph", "Inputs"]


def _onnx() -> Any:
    try:
        import onnx
    except ImportError as error:
        raise ImportError("to_onnx needs onnx: pip install 'fasttree[onnx]'") from error
    return onnx


class Graph:
    """A graph under construction."""

    def __init__(self, single: bool) -> None:
        self.onnx = _onnx()
        self.helper = self.onnx.helper
        self.single = single
        self.real = self.onnx.TensorProto.FLOAT if single else self.onnx.TensorProto.DOUBLE
        self.dtype: type = np.float32 if single else np.float64
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs = ("label", "probabilities")
        self._made = 0

    def name(self, stem: str = "t") -> str:
        """A new name."""
        self._made += 1
        return f"ft_{stem}_{self._made}"

    def constant(self, values: Any) -> str:
        """A constant of the graph; strings and arrays."""
        array = np.asarray(values)
        name = self.name("c")
        if array.dtype.kind in "UO":
            flat = [str(v).encode("utf-8") for v in array.ravel().tolist()]
            tensor = self.helper.make_tensor(
                name, self.onnx.TensorProto.STRING, list(array.shape), flat
            )
        else:
            tensor = self.onnx.numpy_helper.from_array(array, name)
        self.constants.append(tensor)
        return name

    def add(
        self, operator: str, *given: str, outputs: list[str] | None = None, **attributes: Any
    ) -> str:
        """A node; returns its first output."""
        outputs = outputs or [self.name()]
        ml = operator in ("LabelEncoder", "TreeEnsembleClassifier", "TreeEnsembleRegressor")
        domain = "ai.onnx.ml" if ml else ""
        self.nodes.append(
            self.helper.make_node(operator, list(given), outputs, domain=domain, **attributes)
        )
        return outputs[0]

    def either(
        self,
        condition: str,
        then: Callable[[], None],
        otherwise: Callable[[], None],
        kinds: Sequence[int],
    ) -> None:
        """Answer by one of two ways, whatever the condition says of the rows; `kinds` are the types
        of the outputs."""
        kept, outputs = self.nodes, self.outputs
        ways = {}
        for name, way in (("then_branch", then), ("else_branch", otherwise)):
            self.nodes, self.outputs = [], (self.name("label"), self.name("probabilities"))
            way()
            values = [
                self.helper.make_tensor_value_info(o, k, None)
                for o, k in zip(self.outputs, kinds, strict=True)
            ]
            ways[name] = self.helper.make_graph(self.nodes, self.name("graph"), [], values)
        self.nodes, self.outputs = kept, outputs
        self.add("If", condition, outputs=list(outputs), **ways)

    def input(self, name: str, kind: int, width: int) -> str:
        """An input of shape (N, width)."""
        self.inputs.append(self.helper.make_tensor_value_info(name, kind, ["N", width]))
        return name


class Inputs:
    """Columns of a model as tensors of shape (N, 1), NaN where a value is missing."""

    def __init__(self, graph: Graph, reading: Reading, mode: str) -> None:
        self.graph, self.features = graph, reading.features
        self.columns = mode == "columns"
        if self.columns:
            names = [f.name or f"x{j}" for j, f in enumerate(self.features)]
            taken = {"label", "probabilities"} & set(names)
            if len(set(names)) < len(names) or taken or any(n.startswith("ft_") for n in names):
                odd = sorted(taken) or names
                raise ValueError(
                    f"the columns {odd} cannot be inputs of an ONNX graph (names must differ from "
                    "each other, from 'label' and "
                    "'probabilities', and not start with 'ft_'); rename them, or use "
                    "inputs='tensor'"
                )
            self.given = [graph.input(n, self._kind(j), 1) for j, n in enumerate(names)]
        else:
            self.whole = graph.input("X", graph.real, len(self.features))
        self._made: dict[int, str] = {}

    def _kind(self, feature: int) -> int:
        types = self.graph.onnx.TensorProto
        levels = self.features[feature].levels
        if levels is None:
            return int(self.graph.real)
        kinds = {type(v) for v in levels}
        if not kinds:
            return int(types.STRING)
        if kinds <= {bool}:
            return int(types.BOOL)
        if kinds <= {int}:
            return int(types.INT64)
        return int(types.FLOAT) if kinds <= {int, float} else int(types.STRING)

    def matrix(self, columns: Columns) -> str:
        """The columns side by side."""
        graph, keys = self.graph, columns.keys
        if not self.columns and [key for key in keys if self.features[key[0]].levels] == []:
            return graph.add(
                "Gather", self.whole, graph.constant(np.array([f for f, _ in keys] or [0])), axis=1
            )
        made = [self._column(*key) for key in keys] or [self._column(0, None)]
        return made[0] if len(made) == 1 else graph.add("Concat", *made, axis=1)

    def _source(self, feature: int) -> str:
        if self.columns:
            return self.given[feature]
        if feature not in self._made:
            self._made[feature] = self.graph.add(
                "Gather", self.whole, self.graph.constant(np.array([feature])), axis=1
            )
        return self._made[feature]

    def _column(self, feature: int, route: tuple[int, ...] | None) -> str:
        graph, source = self.graph, self._source(feature)
        levels = self.features[feature].levels
        if levels is None:
            return source
        types = graph.onnx.TensorProto
        keys: list[Label] = list(levels) if self.columns else [float(c) for c in range(len(levels))]
        kind = self._kind(feature) if self.columns else types.FLOAT
        if not self.columns and not graph.single:
            source = graph.add("Cast", source, to=types.FLOAT)
        if kind == types.BOOL:
            source, kind = graph.add("Cast", source, to=types.INT64), types.INT64
            keys = [int(k) for k in keys]
        if kind == types.STRING:
            named: dict[str, Any] = {"keys_strings": [str(k) for k in keys]}
        elif kind == types.INT64:
            named = {"keys_int64s": keys}
        else:
            if len({float(np.float32(k)) for k in keys}) < len(keys):
                raise ValueError(
                    f"column {self.features[feature].name!r}: two levels are the same number in 32 "
                    "bits; make them strings"
                )
            named = {"keys_floats": [float(k) for k in keys]}
        values = [float(v) for v in (range(len(levels)) if route is None else route)]
        if not levels:  # a column without any known value
            named, values = (
                {key: [0.0] if key == "keys_floats" else [""] for key in named},
                [float("nan")],
            )
        out = graph.add(
            "LabelEncoder", source, values_floats=values, default_float=float("nan"), **named
        )
        return out if graph.single else graph.add("Cast", out, to=types.DOUBLE)


class Answers:
    """Labels and probabilities as ONNX knows them."""

    def __init__(self, graph: Graph, reading: Reading) -> None:
        self.graph, self.reading = graph, reading
        self.shares = reading.probabilities(reading.leaves)
        classes = reading.classes
        whole = all(
            isinstance(c, bool | int) or (isinstance(c, float) and c.is_integer()) for c in classes
        )
        numbers = (
            [int(c) for c in classes]
            if whole and not any(isinstance(c, str) for c in classes)
            else []
        )
        self.integer = bool(numbers) and all(abs(n) < 2**63 for n in numbers)
        self.labels: list[Any] = numbers if self.integer else [str(c) for c in classes]
        self.none: Any = min(-1, min(numbers) - 1) if self.integer else ""

    def table(self, codes: list[int]) -> str:
        """Labels of classes (-1: none)."""
        said = [self.labels[c] if c >= 0 else self.none for c in codes]
        if self.integer:
            return self.graph.constant(np.array(said, dtype=np.int64))
        return self.graph.constant(np.array(said, dtype=object))
