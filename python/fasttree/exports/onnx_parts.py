"""An ONNX graph under construction, the inputs of a model, and its labels; used by `to_onnx`.

What
    `Graph` collects nodes and constants. `Inputs` turns the input of the user (one tensor, or one
    per column) into columns of numbers, NaN for missing values and undeclared levels.
    `ClassOutputs` holds labels and probabilities of the leaves as ONNX values.
Complexity
    O(columns + levels).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from .._checks import import_optional
from .answers import Label
from .onnx_trees import Columns
from .reading import Reading


class Graph:
    """A graph under construction; tensors are known by their names.

    Args:
        is_single_precision: real numbers have 32 bits, else 64.
        outputs: names of the tensors that the model gives.

    Attributes:
        real, dtype: the type of real numbers, for ONNX and for NumPy.
        nodes, constants, inputs: the parts that were added, in order.
        outputs: names of the tensors that the nodes added now are to give: the outputs of the
            model, but within a branch of `either` new names.
    """

    def __init__(self, is_single_precision: bool, outputs: tuple[str, ...]) -> None:
        self.onnx = import_optional("onnx", "to_onnx needs onnx: pip install 'fasttree[onnx]'")
        self.helper = self.onnx.helper
        self.is_single_precision = is_single_precision
        types = self.onnx.TensorProto
        self.real = types.FLOAT if is_single_precision else types.DOUBLE
        self.dtype: type = np.float32 if is_single_precision else np.float64
        self.nodes: list[Any] = []
        self.constants: list[Any] = []
        self.inputs: list[Any] = []
        self.outputs = outputs
        self._n_names = 0

    def name(self, stem: str = "t") -> str:
        """A name that no other tensor of the graph has: `stem` and a running number. The prefix
        ``ft_`` keeps it apart from names of columns."""
        self._n_names += 1
        return f"ft_{stem}_{self._n_names}"

    def constant(self, values: Any) -> str:
        """Add an array of numbers or of strings as a constant, and return its name. Strings are
        written as UTF-8; numbers keep the dtype of the array."""
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
        self, operator: str, *inputs: str, outputs: list[str] | None = None, **attributes: Any
    ) -> str:
        """Add a node.

        Args:
            operator: the operator of ONNX or ONNX-ML.
            *inputs: names of its inputs.
            outputs: names of its outputs; None: one with a new name.
            **attributes: attributes of the operator.

        Returns:
            The name of its first output.
        """
        outputs = outputs or [self.name()]
        ml = operator in ("LabelEncoder", "TreeEnsembleClassifier", "TreeEnsembleRegressor")
        domain = "ai.onnx.ml" if ml else ""
        self.nodes.append(
            self.helper.make_node(operator, list(inputs), outputs, domain=domain, **attributes)
        )
        return outputs[0]

    def either(
        self,
        condition: str,
        then: Callable[[], None],
        otherwise: Callable[[], None],
        output_types: Sequence[int],
    ) -> None:
        """Add an ``If`` that makes the outputs of the graph in one of two ways.

        Args:
            condition: name of the condition.
            then: a function that adds nodes to this graph, up to its outputs, if the condition
                holds; they go to a subgraph.
            otherwise: such a function if it does not hold.
            output_types: types of the outputs.
        """
        kept, outputs = self.nodes, self.outputs
        subgraphs = {}
        for name, build in (("then_branch", then), ("else_branch", otherwise)):
            self.nodes, self.outputs = [], tuple(map(self.name, outputs))
            build()
            values = [
                self.helper.make_tensor_value_info(output, type_, None)
                for output, type_ in zip(self.outputs, output_types, strict=True)
            ]
            subgraphs[name] = self.helper.make_graph(self.nodes, self.name("graph"), [], values)
        self.nodes, self.outputs = kept, outputs
        self.add("If", condition, outputs=list(outputs), **subgraphs)

    def input(self, name: str, kind: int, width: int) -> str:
        """Add an input of shape (N, width).

        Args:
            name: its name, which is returned.
            kind: its type, a number of ONNX.
            width: number of its columns.
        """
        self.inputs.append(self.helper.make_tensor_value_info(name, kind, ["N", width]))
        return name


class Inputs:
    """The inputs of a graph, and the columns that trees read from them.

    Args:
        graph: the graph, which gets the inputs.
        reading: the tree.
        mode: "tensor" or "columns", as `to_onnx` documents them.
    """

    def __init__(self, graph: Graph, reading: Reading, mode: str) -> None:
        self.graph, self.features = graph, reading.features
        self.takes_columns = mode == "columns"
        self._sources: dict[int, str] = {}
        if self.takes_columns:
            used = {j: f.name or f"x{j}" for j, f in enumerate(self.features) if not f.unused}
            names = list(used.values())
            refused = sorted(
                name
                for name, n_columns in Counter(names).items()
                if n_columns > 1 or name in graph.outputs or name.startswith("ft_")
            )
            if refused:
                raise ValueError(
                    f"the columns {refused} cannot be inputs of an ONNX graph (names must differ "
                    f"from each other, from {' and '.join(map(repr, graph.outputs))}, and not "
                    "start with 'ft_'); rename them, or use inputs='tensor'"
                )
            for j, name in used.items():
                self._sources[j] = graph.input(name, self._kind(j), 1)
        else:
            self.tensor = graph.input("X", graph.real, len(self.features))

    def _kind(self, feature: int) -> int:
        """The ONNX type that holds all levels of a feature."""
        types = self.graph.onnx.TensorProto
        levels = self.features[feature].levels
        if levels is None:
            return int(self.graph.real)
        kinds = {type(v) for v in levels} or {str}
        narrowest = ((types.BOOL, {bool}), (types.INT64, {int}), (types.FLOAT, {int, float}))
        return int(next((kind for kind, held in narrowest if kinds <= held), types.STRING))

    def matrix(self, columns: Columns) -> str:
        """Add the given columns side by side as real numbers (N, n_columns), and return the name of
        the tensor. A tree without tests gets one column, as operators need one."""
        graph = self.graph
        needs_recoding = any(
            self.features[j].levels or self.features[j].sentinels for j, _ in columns
        )
        if not self.takes_columns and not needs_recoding:
            features = np.array([feature for feature, _ in columns] or [0])
            return graph.add("Gather", self.tensor, graph.constant(features), axis=1)
        column_names = [self._column(*key) for key in columns] or [self._column(0, None)]
        is_one = len(column_names) == 1
        return column_names[0] if is_one else graph.add("Concat", *column_names, axis=1)

    def _source(self, feature: int) -> str:
        """The values of a feature as the user gives them, (N, 1)."""
        if feature not in self._sources:
            self._sources[feature] = self.graph.add(
                "Gather", self.tensor, self.graph.constant(np.array([feature])), axis=1
            )
        return self._sources[feature]

    def _column(self, feature: int, route: tuple[int, ...] | None) -> str:
        """A column of `Columns`, real numbers (N, 1).

        A nominal feature is looked up level by level in a ``LabelEncoder``; other values are NaN.

        Args:
            feature: number of the feature.
            route: the branch that each level becomes; None: its code.

        Returns:
            The name of the column in the graph.
        """
        graph, source = self.graph, self._source(feature)
        levels = self.features[feature].levels
        if levels is None:
            for sentinel in self.features[feature].sentinels:
                is_missing = graph.add("Equal", source, graph.constant(graph.dtype(sentinel)))
                source = graph.add("Where", is_missing, graph.constant(graph.dtype(np.nan)), source)
            return source
        source, keys = self._encoder_keys(feature, levels, source)
        values = [float(v) for v in (range(len(levels)) if route is None else route)]
        nan = float("nan")
        looked_up = graph.add(
            "LabelEncoder", source, values_floats=values or [nan], default_float=nan, **keys
        )
        if graph.is_single_precision:
            return looked_up
        return graph.add("Cast", looked_up, to=graph.real)

    def _encoder_keys(
        self, feature: int, levels: Sequence[Label], source: str
    ) -> tuple[str, dict[str, list[Any]]]:
        """The keys by which a ``LabelEncoder`` finds the levels of a feature.

        They are the levels, or their codes if the input is one tensor. Without levels there is one
        key, because the operator needs one.

        Returns:
            The name of `source` in the type of the keys, and the attribute that holds them.

        Raises:
            ValueError: two levels are the same number in 32 bits.
        """
        graph = self.graph
        types = graph.onnx.TensorProto
        if not self.takes_columns:
            if not graph.is_single_precision:
                source = graph.add("Cast", source, to=types.FLOAT)
            return source, {"keys_floats": [float(code) for code in range(len(levels))] or [0.0]}
        kind = self._kind(feature)
        if kind == types.BOOL:  # the operator has no boolean keys
            source = graph.add("Cast", source, to=types.INT64)
        if kind in (types.BOOL, types.INT64):
            return source, {"keys_int64s": [int(level) for level in levels]}
        if kind == types.STRING:
            return source, {"keys_strings": [str(level) for level in levels] or [""]}
        if len({float(np.float32(level)) for level in levels}) < len(levels):
            raise ValueError(
                f"column {self.features[feature].name!r}: two levels are the same number in 32 "
                "bits; make them strings"
            )
        return source, {"keys_floats": [float(level) for level in levels]}


class ClassOutputs:
    """Labels and leaf probabilities as ONNX values.

    Attributes:
        reading: the tree; of a forest, the first one, as all have the same classes.
        shares: class probabilities of the leaves, (n_leaves, n_classes).
        are_integers: labels are int64, else strings.
        labels: label of each class.
        none: label for no prediction: "", or a number below all labels.
    """

    def __init__(self, graph: Graph, reading: Reading) -> None:
        self.graph, self.reading = graph, reading
        self.shares = reading.probabilities(reading.leaves)
        classes = reading.classes
        numbers = [
            int(c)
            for c in classes
            if isinstance(c, bool | int) or (isinstance(c, float) and c.is_integer())
        ]
        self.are_integers = 0 < len(numbers) == len(classes) and all(
            abs(n) < 2**63 for n in numbers
        )
        self.labels: list[Any] = numbers if self.are_integers else [str(c) for c in classes]
        self.none: Any = min(-1, min(numbers) - 1) if self.are_integers else ""

    def table(self, codes: list[int]) -> str:
        """Add a constant with the labels of class codes, and return its name. Code -1 (no
        prediction) gets the label `none`."""
        labels = [self.labels[c] if c >= 0 else self.none for c in codes]
        return self.graph.constant(
            np.array(labels, dtype=np.int64 if self.are_integers else object)
        )
