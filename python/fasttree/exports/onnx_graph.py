"""A fitted tree or forest as an ONNX model, for onnxruntime and other runtimes.

What
    The outputs are ``label`` (N,) and ``probabilities`` (N, n_classes), or of a number ``variable``
    (N, 1), named and ordered as by skl2onnx. A model of numeric columns takes one tensor ``X`` (N,
    n_features). A model with nominal columns takes one tensor (N, 1) per column, by name, with
    strings, integers or booleans, as skl2onnx does for data frames; or, on request, one tensor with
    the codes of the levels. NaN and undeclared levels are missing.

    One of four graphs is written. *Classifier*: one ``TreeEnsembleClassifier``, if every leaf
    predicts its most probable class. *Table*: a ``TreeEnsembleRegressor`` gives the number of the
    leaf, and tables its label and probabilities; used with costs, global growth, leaves without a
    prediction, or 64 bits. *Mixture*: tree operators cannot divide a row, so where missing values
    go down several branches, a batch with a missing value is answered by plain operators that
    multiply shares from the root down, and other batches by the tree operator. *Vote*: a forest
    looks up every tree's leaf and sums in 64 bits, so that close votes end as in `predict`. For
    regression a tree is one ``TreeEnsembleRegressor`` in 32 bits; a forest, and a tree in 64 bits,
    look up the numbers of the leaves and take their mean in 64 bits.
Complexity
    O(nodes) attributes. A tree operator costs O(depth) per row, the mixture O(nodes).
When not to use it
    With 64-bit inputs and ``dtype="float32"``: rounding may move a row across a threshold. Trees
    deeper than 1000 levels are refused, as runtimes read trees by recursion.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, cast

import numpy as np

from .._checks import one_of
from .onnx_heads import Heads
from .onnx_parts import ClassOutputs, Graph, Inputs
from .onnx_trees import Columns, Ensemble, column_test
from .reading import Reading

if TYPE_CHECKING:
    from onnx import ModelProto

DEEPEST = 1000
"""Largest depth of a tree that is written."""

OPSET, ML_OPSET, IR_VERSION = 15, 3, 8
"""Versions of the operators and of the format: the oldest that have all that is used."""


def to_onnx(
    model: Any,
    *,
    inputs: str = "auto",
    dtype: str = "float32",
    name: str = "fasttree",
) -> ModelProto:
    """A fitted tree or forest as an ``onnx.ModelProto``.

    Args:
        model: a fitted tree or forest.
        inputs: ``"tensor"``: one tensor ``X`` of shape (N, n_features), nominal columns as codes of
            their levels (as an OrdinalEncoder with these levels returns them). ``"columns"``: one
            tensor of shape (N, 1) per column that the model uses, by its name: numbers, strings,
            int64 or bool.
            ``"auto"``: ``"tensor"`` if all columns are numeric, else ``"columns"``.
        dtype: type of inputs, thresholds and probabilities or numbers: ``"float32"``, which is fast
            in all runtimes and exact for 32-bit inputs (a predicted number is rounded to 32 bits),
            or ``"float64"``.
        name: name of the graph.

    Returns:
        The model, checked by onnx, opset 15 and ai.onnx.ml 3. Outputs: ``label``, int64 if all
        classes are whole numbers or booleans, else strings; ``probabilities`` (N, n_classes) in the
        order of ``classes_``. If nothing is predicted, probabilities are 0 and the label is ``""``
        or a number below all classes (metadata ``unclassified``). A regression model has one
        output, ``variable`` (N, 1).

    Raises:
        ImportError: onnx is not installed.
        ValueError: an unknown option, a tree deeper than 1000 levels, or names that an ONNX graph
            cannot have.

    Examples:
        >>> import fasttree
        >>> proto = to_onnx(fasttree.fit(fasttree.datasets.load_iris(), missing="mode"))
        >>> [node.op_type for node in proto.graph.node]
        ['Gather', 'TreeEnsembleClassifier']
    """
    one_of("inputs", inputs, ("auto", "tensor", "columns"))
    one_of("dtype", dtype, ("float32", "float64"))
    is_forest = hasattr(model, "estimators_")
    readings = _readings(model.estimators_ if is_forest else [model])
    reading = readings[0]
    if inputs == "auto":
        inputs = "columns" if any(f.levels is not None for f in reading.features) else "tensor"
    outputs = ("variable",) if reading.predicts_number else ("label", "probabilities")
    graph, columns = Graph(dtype == "float32", outputs), Columns()
    types = graph.onnx.TensorProto
    class_outputs = None if reading.predicts_number else ClassOutputs(graph, reading)
    graph_inputs = Inputs(graph, reading, inputs)
    # The nodes of the tree operator, and the columns that they read. A mixture also needs the tests
    # that an undivided row never reaches.
    trees = Ensemble(columns, graph.is_single_precision)
    for t, tree in enumerate(readings):
        trees.add(tree, t)
        for node in range(len(tree.children)) if tree.fractional else ():
            if tree.children[node]:
                column_test(tree, node, columns)
    matrix = graph_inputs.matrix(columns)

    answer = Heads(graph, readings, is_forest, class_outputs, trees, columns, matrix)
    output_types: list[tuple[int, list[Any]]] = [(graph.real, ["N", max(1, len(reading.classes))])]
    metadata = {}
    if class_outputs is not None:
        output_types.insert(0, (types.INT64 if class_outputs.are_integers else types.STRING, ["N"]))
        if any(min(tree.label) < 0 for tree in readings):
            metadata["unclassified"] = str(class_outputs.none)
    if any(tree.fractional for tree in readings):
        # The mixture runs only for batches that hold a missing value.
        missing = graph.add("Cast", graph.add("IsNaN", matrix), to=types.FLOAT)
        any_missing = graph.add(
            "Greater", graph.add("ReduceMax", missing, keepdims=0), graph.constant(np.float32(0))
        )
        kinds = [kind for kind, _ in output_types]
        graph.either(any_missing, answer.divided, answer.undivided, kinds)
    else:
        answer.undivided()
    return _model_of(graph, name, output_types, metadata)


def _readings(trees: Iterable[Any]) -> list[Reading]:
    """The trees as exporters read them; ValueError if one is too deep for runtimes."""
    readings = [Reading(tree) for tree in trees]
    depth = max(r.depth for r in readings)
    if depth > DEEPEST:
        raise ValueError(
            f"the tree has {depth} levels, and runtimes read trees by recursion: at most {DEEPEST} "
            "are written; limit max_depth or prune, or use to_c, to_python or to_sql"
        )
    return readings


def _model_of(
    graph: Graph, name: str, output_types: list[tuple[int, list[Any]]], metadata: dict[str, str]
) -> ModelProto:
    """The graph as a checked model.

    Args:
        graph: the graph.
        name: its name.
        output_types: type and shape of each output.
        metadata: texts that the model carries, by key.
    """
    helper = graph.helper
    outputs = [
        helper.make_tensor_value_info(output, kind, shape)
        for output, (kind, shape) in zip(graph.outputs, output_types, strict=True)
    ]
    made = helper.make_model(
        helper.make_graph(graph.nodes, name, graph.inputs, outputs, graph.constants),
        producer_name="fasttree",
        opset_imports=[helper.make_opsetid("", OPSET), helper.make_opsetid("ai.onnx.ml", ML_OPSET)],
        ir_version=IR_VERSION,
    )
    helper.set_model_props(made, metadata)
    graph.onnx.checker.check_model(made)
    return cast("ModelProto", made)
