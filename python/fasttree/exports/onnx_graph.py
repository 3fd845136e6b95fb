"""A fitted tree or forest as an ONNX model: labels and probabilities from onnxruntime or any other
runtime.

What
    Outputs are ``label`` (N,) and ``probabilities`` (N, classes), as skl2onnx names and orders
    them. Inputs: a model of numbers takes one tensor ``X`` (N, features). A model with nominal
    columns takes one tensor (N, 1) per column, by name, with strings, integers or booleans as they
    are (skl2onnx's way with data frames). On request it takes one tensor with the codes of levels.
    NaN is missing; so is whatever is not a declared level.

    *Classifier*: one ``TreeEnsembleClassifier``, for every tree whose leaves say their most
    probable class. *Table*: a ``TreeEnsembleRegressor`` gives the number of the leaf, and tables
    its label and probabilities. It serves where labels are not the most probable class (costs,
    global growth), leaves predict nothing, or 64 bits are asked for. *Mixture*: where missing
    values go down several branches, no tree operator can divide a row. A batch that holds a missing
    value is answered by plain operators that multiply the shares from the root down, any other
    batch by the tree operator. *Vote*: a forest looks up every tree's leaf and sums in 64 bits, so
    that close votes end as they do here.
Complexity
    O(nodes) attributes. A tree operator costs O(depth) a row, the mixture O(nodes).
When not to use it
    With inputs of 64 bits and ``dtype="float32"``: rounding the input may move a row across a
    threshold. Trees of thousands of levels are refused: runtimes read trees by recursion.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from . import onnx_heads as heads
from .onnx_parts import Answers, Graph, Inputs
from .onnx_trees import Columns, Ensemble, asked
from .reading import Reading

if TYPE_CHECKING:
    from onnx import ModelProto

__all__ = ["DEEPEST", "to_onnx"]

DEEPEST = 1000
"""Deepest tree that is written."""

OPSET, ML_OPSET, IR_VERSION = 15, 3, 8


def to_onnx(
    model: Any,
    *,
    inputs: str = "auto",
    dtype: str = "float32",
    name: str = "fasttree",
) -> ModelProto:
    """A fitted tree or forest as an ``onnx.ModelProto``.

    Args:
        model: a fitted `FastTreeClassifier` or `FastForestClassifier`.
        inputs: ``"tensor"``: one tensor ``X`` of shape (N, n_features), nominal columns as codes of
            their levels (as an OrdinalEncoder with these levels gives them). ``"columns"``: a
            tensor of shape (N, 1) a column, by its name: numbers, strings, int64 or bool.
            ``"auto"``: tensor where all columns are numbers.
        dtype: ``"float32"``, what runtimes are fast at, exact for inputs of 32 bits; ``"float64"``:
            inputs, thresholds and probabilities of 64.
        name: of the graph.

    Returns:
        The model, checked by onnx, opset 15 and ai.onnx.ml 3. Outputs: ``label``, int64 where all
        classes are whole numbers or booleans, else strings; ``probabilities`` (N, n_classes) in the
        order of ``classes_``. Where nothing is predicted, probabilities are 0 and the label ``""``
        or a number below all classes (metadata ``unclassified``).

    Raises:
        ImportError: onnx is not installed.
        ValueError: an unknown option, a tree deeper than 1000 levels, or names that ONNX cannot
            take.

    Examples:
        >>> import fasttree
        >>> proto = to_onnx(fasttree.fit(fasttree.datasets.load_iris(), missing="mode"))
        >>> [node.op_type for node in proto.graph.node]
        ['Gather', 'TreeEnsembleClassifier']
    """
    if inputs not in ("auto", "tensor", "columns"):
        raise ValueError(f"inputs={inputs!r} is not known; use 'auto', 'tensor' or 'columns'")
    if dtype not in ("float32", "float64"):
        raise ValueError(f"dtype={dtype!r} is not known; use 'float32' or 'float64'")
    is_forest = hasattr(model, "estimators_")
    readings = _readings(model.estimators_ if is_forest else [model])
    reading = readings[0]
    if inputs == "auto":
        inputs = "columns" if any(f.levels is not None for f in reading.features) else "tensor"
    graph = Graph(single=dtype == "float32")
    types = graph.onnx.TensorProto
    given, columns, answers = Inputs(graph, reading, inputs), Columns(), Answers(graph, reading)
    trees = Ensemble(columns, graph.single)
    for t, one in enumerate(readings):
        trees.add(one, t)
        for node in range(len(one.children)) if one.fractional else ():
            if one.children[node]:
                asked(one, node, columns)  # what a divided row is asked, too
    matrix = given.matrix(columns)

    def whole() -> None:
        """Rows that are nowhere divided."""
        read = (
            matrix if graph.single else heads.ranks(graph, trees, matrix, max(1, len(columns.keys)))
        )
        if is_forest:
            heads.vote(graph, answers, read, trees, readings)
        elif graph.single and heads.is_classifier(answers):
            heads.classifier(graph, answers, read, trees)
        else:
            heads.table(graph, answers, read, trees)

    def divided() -> None:
        """Any rows."""
        if is_forest:
            heads.vote_of_mixtures(graph, answers, matrix, columns, readings)
        else:
            heads.mixture(graph, answers, matrix, columns)

    kinds = (types.INT64 if answers.integer else types.STRING, graph.real)
    if any(r.fractional for r in readings):
        gaps = graph.add("Cast", graph.add("IsNaN", matrix), to=types.FLOAT)
        some = graph.add(
            "Greater", graph.add("ReduceMax", gaps, keepdims=0), graph.constant(np.float32(0))
        )
        graph.either(some, divided, whole, kinds)
    else:
        whole()
    nothing = any(min(r.label) < 0 for r in readings)
    facts = {"unclassified": str(answers.none)} if nothing else {}
    return _model_of(graph, name, kinds, len(reading.classes), facts)


def _readings(trees: Iterable[Any]) -> list[Reading]:
    """The trees, none too deep for runtimes."""
    readings = [Reading(tree) for tree in trees]
    depth = max(r.depth for r in readings)
    if depth > DEEPEST:
        raise ValueError(
            f"the tree has {depth} levels, and runtimes read trees by recursion: at most {DEEPEST} "
            "are written; limit max_depth or prune, or use to_c, to_python or to_sql"
        )
    return readings


def _model_of(
    graph: Graph, name: str, kinds: tuple[int, int], n_classes: int, facts: dict[str, str]
) -> ModelProto:
    """The graph as a model with two outputs of these kinds, and facts as its metadata, checked."""
    helper = graph.helper
    outputs = [
        helper.make_tensor_value_info("label", kinds[0], ["N"]),
        helper.make_tensor_value_info("probabilities", kinds[1], ["N", n_classes]),
    ]
    made = helper.make_model(
        helper.make_graph(graph.nodes, name, graph.inputs, outputs, graph.constants),
        producer_name="fasttree",
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)],
        ir_version=IR_VERSION,
    )
    helper.set_model_props(made, facts)
    graph.onnx.checker.check_model(made)
    return cast("ModelProto", made)
