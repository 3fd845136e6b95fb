"""A fitted tree as an ONNX model: labels and probabilities from onnxruntime or any other runtime.

What
    Outputs are ``label`` (N,) and ``probabilities`` (N, classes), as skl2onnx names and orders them. Inputs: a model of numbers takes one tensor ``X``
    (N, features); a model with nominal columns one tensor (N, 1) a column, by name, with strings, integers or booleans as they are (skl2onnx's
    way with data frames), or, on request, one tensor with the codes of levels. NaN is missing; so is whatever is not a declared level.

    *Classifier*: one ``TreeEnsembleClassifier``, for every tree whose leaves say their most probable class. *Table*: a ``TreeEnsembleRegressor``
    gives the number of the leaf, and tables its label and probabilities, where labels are not the most probable class (costs,
    global growth), leaves predict nothing, or 64 bits are asked for. *Levels*: where missing values go down several branches, no tree operator can divide a
    row; plain operators then multiply the shares from the root down, one step a level.
Complexity
    O(nodes) attributes. A tree operator costs O(depth) a row, the levels O(nodes).
When not to use it
    With inputs of 64 bits and ``dtype="float32"``: rounding the input may move a row across a threshold. Trees of thousands of levels are refused: runtimes
    read trees by recursion.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from .onnx_trees import Asked, Columns, Ensemble, asked, bounds, floor32
from .reading import Label, Reading

__all__ = ["DEEPEST", "to_onnx"]

DEEPEST = 1000
"""Deepest tree that is written."""

OPSET, ML_OPSET, IR_VERSION = 15, 3, 8


def _onnx() -> Any:
    try:
        import onnx
    except ImportError as error:
        raise ImportError("to_onnx needs onnx: pip install 'fasttree[onnx]'") from error
    return onnx


class _Graph:
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
        self._made = 0

    def name(self, stem: str = "t") -> str:
        """A new name."""
        self._made += 1
        return f"ft_{stem}_{self._made}"

    def constant(self, values: Any) -> str:
        """An initializer; strings and arrays."""
        array = np.asarray(values)
        name = self.name("c")
        if array.dtype.kind in "UO":
            flat = [str(v).encode("utf-8") for v in array.ravel().tolist()]
            tensor = self.helper.make_tensor(name, self.onnx.TensorProto.STRING, list(array.shape), flat)
        else:
            tensor = self.onnx.numpy_helper.from_array(array, name)
        self.constants.append(tensor)
        return name

    def add(self, operator: str, *given: str, outputs: list[str] | None = None, **attributes: Any) -> str:
        """A node; returns its first output."""
        outputs = outputs or [self.name()]
        ml = operator in ("LabelEncoder", "TreeEnsembleClassifier", "TreeEnsembleRegressor")
        domain = "ai.onnx.ml" if ml else ""
        self.nodes.append(self.helper.make_node(operator, list(given), outputs, domain=domain, **attributes))
        return outputs[0]

    def input(self, name: str, kind: int, width: int) -> str:
        """An input of shape (N, width)."""
        self.inputs.append(self.helper.make_tensor_value_info(name, kind, ["N", width]))
        return name


class _Inputs:
    """Columns of a model as tensors of shape (N, 1), NaN where a value is missing."""

    def __init__(self, graph: _Graph, reading: Reading, mode: str) -> None:
        self.graph, self.features = graph, reading.features
        self.columns = mode == "columns"
        if self.columns:
            names = [f.name or f"x{j}" for j, f in enumerate(self.features)]
            taken = {"label", "probabilities"} & set(names)
            if len(set(names)) < len(names) or taken or any(n.startswith("ft_") for n in names):
                odd = sorted(taken) or names
                raise ValueError(
                    f"the columns {odd} cannot be inputs of an ONNX graph (names must differ from each other, from 'label' and "
                    "'probabilities', and not start with 'ft_'); rename them, or use inputs='tensor'"
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
                    f"column {self.features[feature].name!r}: two levels are the same number in 32 bits; make them strings"
                )
            named = {"keys_floats": [float(k) for k in keys]}
        values = [float(v) for v in (range(len(levels)) if route is None else route)]
        if not levels:  # a column without any known value
            named, values = {key: [0.0] if key == "keys_floats" else [""] for key in named}, [float("nan")]
        out = graph.add("LabelEncoder", source, values_floats=values, default_float=float("nan"), **named)
        return out if graph.single else graph.add("Cast", out, to=types.DOUBLE)


class _Answers:
    """Labels and probabilities as ONNX knows them."""

    def __init__(self, graph: _Graph, reading: Reading) -> None:
        self.graph, self.reading = graph, reading
        self.shares = reading.probabilities(reading.leaves)
        classes = reading.classes
        whole = all(isinstance(c, bool | int) or (isinstance(c, float) and c.is_integer()) for c in classes)
        numbers = [int(c) for c in classes] if whole and not any(isinstance(c, str) for c in classes) else []
        self.integer = bool(numbers) and all(abs(n) < 2**63 for n in numbers)
        self.labels: list[Any] = numbers if self.integer else [str(c) for c in classes]
        self.none: Any = min(-1, min(numbers) - 1) if self.integer else ""

    def table(self, codes: list[int]) -> str:
        """Labels of classes (-1: none)."""
        said = [self.labels[c] if c >= 0 else self.none for c in codes]
        if self.integer:
            return self.graph.constant(np.array(said, dtype=np.int64))
        return self.graph.constant(np.array(said, dtype=object))


def _is_classifier(answers: _Answers) -> bool:
    """True when the largest of the probabilities of 32 bits, first of equals, is the label of every leaf.

    Two classes are told by the probability of the second, see `_classifier`.
    """
    reading, shares = answers.reading, answers.shares.astype(np.float32)
    labels = np.array([reading.label[n] for n in reading.leaves])
    if shares.shape[1] < 3:
        return shares.shape[1] == 2 and bool((labels == (shares[:, 1] > 0.5)).all())
    return bool((labels == shares.argmax(axis=1)).all())


def _classifier(graph: _Graph, answers: _Answers, matrix: str, trees: Ensemble) -> None:
    shares = answers.shares
    # With weights for both of two classes onnxruntime answers the second wherever its weight is not 0, and with weights for the one
    # of id 1 the reference evaluator answers zeros. Weights of the second class under id 0 are what both take as one probability.
    ids = [0] if shares.shape[1] == 2 else list(range(shares.shape[1]))
    weights = shares[:, 1:] if shares.shape[1] == 2 else shares
    key = "classlabels_int64s" if answers.integer else "classlabels_strings"
    graph.add(
        "TreeEnsembleClassifier",
        matrix,
        outputs=["label", "probabilities"],
        class_treeids=[tree for tree, *_ in trees.ends for _ in ids],
        class_nodeids=[node for _, node, *_ in trees.ends for _ in ids],
        class_ids=ids * len(trees.ends),
        class_weights=[float(p) for *_, leaf, _ in trees.ends for p in weights[leaf].astype(np.float32)],
        post_transform="NONE",
        **{key: answers.labels},
        **trees.nodes,
    )


def _table(graph: _Graph, answers: _Answers, matrix: str, trees: Ensemble) -> None:
    reading, shares = answers.reading, answers.shares
    ends = trees.ends
    weights = [float(leaf) for *_, leaf, _ in ends]
    number = graph.add(
        "TreeEnsembleRegressor",
        matrix,
        n_targets=1,
        aggregate_function="SUM",
        post_transform="NONE",
        target_treeids=[tree for tree, *_ in ends],
        target_nodeids=[node for _, node, *_ in ends],
        target_ids=[0] * len(ends),
        target_weights=weights,
        **trees.nodes,
    )
    leaf = graph.add("Cast", number, to=graph.onnx.TensorProto.INT64)
    leaf = graph.add("Reshape", leaf, graph.constant(np.array([-1])))
    labels = answers.table([reading.label[n] for n in reading.leaves])
    graph.add("Gather", labels, leaf, axis=0, outputs=["label"])
    graph.add("Gather", graph.constant(shares.astype(graph.dtype)), leaf, axis=0, outputs=["probabilities"])


def _ranks(graph: _Graph, trees: Ensemble, matrix: str, n_columns: int) -> str:
    """The columns as ranks among the thresholds of the trees, 32 bits."""
    columns, thresholds = trees.ranked()
    types = graph.onnx.TensorProto
    if len(columns) == 0:
        return graph.add("Cast", matrix, to=types.FLOAT)
    values = graph.add("Gather", matrix, graph.constant(columns), axis=1)
    above = graph.add("Cast", graph.add("Greater", values, graph.constant(thresholds)), to=types.FLOAT)
    ranks = graph.add("MatMul", above, graph.constant(np.float32(columns[:, None] == np.arange(n_columns))))
    return graph.add(
        "Where", graph.add("IsNaN", matrix), graph.constant(np.array([np.nan], dtype=np.float32)), ranks
    )


def _levels(graph: _Graph, answers: _Answers, inputs: _Inputs, columns: Columns) -> None:
    """Shares of every node, level by level, and the mixture of the leaves."""
    types, reading, shares = graph.onnx.TensorProto, answers.reading, answers.shares
    tests: dict[int, Asked] = {
        n: asked(reading, n, columns) for n, kids in enumerate(reading.children) if kids
    }
    matrix = inputs.matrix(columns)
    first = graph.add("Gather", matrix, graph.constant(np.array([0])), axis=1)
    zero = graph.add("Cast", graph.add("IsNaN", first), to=types.DOUBLE)
    reach = graph.add(
        "Add", graph.add("Mul", zero, graph.constant(np.array([0.0]))), graph.constant(np.array([1.0]))
    )
    row = {node: i for i, node in enumerate(reading.leaves)}
    above = [0]
    found: list[str] = []
    leaves: list[int] = []
    while above:
        ends = [i for i, n in enumerate(above) if not reading.children[n]]
        if ends:
            found.append(graph.add("Gather", reach, graph.constant(np.array(ends)), axis=1))
            leaves += [above[i] for i in ends]
        places, next_level, sides = [], [], []
        for i, node in enumerate(above):
            if node in tests:
                test = tests[node]
                for child, edge, share in zip(reading.children[node], bounds(test), test.shares, strict=True):
                    places.append(i)
                    next_level.append(child)
                    sides.append((test.column, *edge, share))
        if next_level:
            column, low, high, share_ = (np.array(v) for v in zip(*sides, strict=True))
            if graph.single:
                low, high = (
                    np.array([floor32(v) for v in edge.tolist()], dtype=np.float32) for edge in (low, high)
                )
            values = graph.add("Gather", matrix, graph.constant(column.astype(np.int64)), axis=1)
            inside = graph.add(
                "And",
                graph.add("Greater", values, graph.constant(low.astype(graph.dtype))),
                graph.add("LessOrEqual", values, graph.constant(high.astype(graph.dtype))),
            )
            part = graph.add(
                "Where",
                graph.add("IsNaN", values),
                graph.constant(share_.astype(np.float64)),
                graph.add("Cast", inside, to=types.DOUBLE),
            )
            reach = graph.add(
                "Mul", graph.add("Gather", reach, graph.constant(np.array(places)), axis=1), part
            )
        above = next_level
    parts = found[0] if len(found) == 1 else graph.add("Concat", *found, axis=1)
    order = [row[n] for n in leaves]
    sums = graph.add("MatMul", parts, graph.constant(shares[order].astype(np.float64)))
    largest = graph.add("ReduceMax", sums, axes=[1], keepdims=1)
    close = graph.add("Less", graph.add("Sub", largest, sums), graph.constant(np.array([1e-9])))
    known = graph.add("Greater", largest, graph.constant(np.array([0.0])))
    sums = graph.add("Where", graph.add("And", close, known), largest, sums)
    none = graph.constant(np.array([shares.shape[1]]))
    mixed = graph.add("Where", known, graph.add("ArgMax", sums, axis=1, keepdims=1), none)
    # A row that arrives in one leaf as a whole is answered by the leaf's label.
    k = shares.shape[1]
    own = np.array([reading.label[n] if reading.label[n] >= 0 else k for n in leaves])
    single = graph.add("Gather", graph.constant(own), graph.add("ArgMax", parts, axis=1, keepdims=1), axis=0)
    whole = graph.add(
        "GreaterOrEqual", graph.add("ReduceMax", parts, axes=[1], keepdims=1), graph.constant(np.array([1.0]))
    )
    code = graph.add("Reshape", graph.add("Where", whole, single, mixed), graph.constant(np.array([-1])))
    graph.add("Gather", answers.table([*range(k), -1]), code, axis=0, outputs=["label"])
    graph.add("Cast", sums, to=graph.real, outputs=["probabilities"])


def to_onnx(model: Any, *, inputs: str = "auto", dtype: str = "float32", name: str = "fasttree") -> Any:
    """A fitted tree as an ``onnx.ModelProto``.

    Args:
        model: a fitted `FastTreeClassifier`.
        inputs: ``"tensor"``: one tensor ``X`` of shape (N, n_features), nominal columns as codes of their levels (as an OrdinalEncoder with
            these levels gives them). ``"columns"``: a tensor of shape (N, 1) a column, by its name: numbers, strings, int64 or bool. ``"auto"``:
            tensor where all columns are numbers.
        dtype: ``"float32"``, what runtimes are fast at, exact for inputs of 32 bits; ``"float64"``: inputs, thresholds and probabilities of 64.
        name: of the graph.

    Returns:
        The model, checked by onnx, opset 15 and ai.onnx.ml 3. Outputs: ``label``, int64 where all classes are whole numbers or booleans, else strings;
        ``probabilities`` (N, n_classes) in the order of ``classes_``. A leaf that predicts nothing gives probabilities of 0 and the
        label ``""`` or a number below all classes (metadata ``unclassified``).

    Raises:
        ImportError: onnx is not installed.
        ValueError: an unknown option, a tree deeper than 1000 levels, or names that ONNX cannot take.

    Examples:
        >>> import fasttree
        >>> proto = to_onnx(fasttree.fit(fasttree.datasets.load_iris()))
        >>> [node.op_type for node in proto.graph.node]
        ['Gather', 'TreeEnsembleClassifier']
    """
    if inputs not in ("auto", "tensor", "columns"):
        raise ValueError(f"inputs={inputs!r} is not known; use 'auto', 'tensor' or 'columns'")
    if dtype not in ("float32", "float64"):
        raise ValueError(f"dtype={dtype!r} is not known; use 'float32' or 'float64'")
    reading = Reading(model)
    if reading.depth > DEEPEST:
        raise ValueError(
            f"the tree has {reading.depth} levels, and runtimes read trees by recursion: at most {DEEPEST} are written; limit "
            "max_depth or prune, or use to_c, to_python or to_sql"
        )
    if inputs == "auto":
        inputs = "columns" if any(f.levels is not None for f in reading.features) else "tensor"
    graph = _Graph(single=dtype == "float32")
    helper, types = graph.helper, graph.onnx.TensorProto
    asked_for, columns = _Inputs(graph, reading, inputs), Columns()
    answers = _Answers(graph, reading)
    if reading.fractional:
        _levels(graph, answers, asked_for, columns)
    else:
        trees = Ensemble(columns, graph.single)
        trees.add(reading)
        matrix = asked_for.matrix(columns)
        if not graph.single:
            matrix = _ranks(graph, trees, matrix, max(1, len(columns.keys)))
        if graph.single and _is_classifier(answers):
            _classifier(graph, answers, matrix, trees)
        else:
            _table(graph, answers, matrix, trees)
    outputs = [
        helper.make_tensor_value_info("label", types.INT64 if answers.integer else types.STRING, ["N"]),
        helper.make_tensor_value_info("probabilities", graph.real, ["N", len(reading.classes)]),
    ]
    made = helper.make_model(
        helper.make_graph(graph.nodes, name, graph.inputs, outputs, graph.constants),
        producer_name="fasttree",
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)],
        ir_version=IR_VERSION,
    )
    helper.set_model_props(made, {"unclassified": str(answers.none)} if min(reading.label) < 0 else {})
    graph.onnx.checker.check_model(made)
    return made
