"""The output stages of an ONNX graph: from the matrix of columns to labels and probabilities.

What
    `classifier`: one ``TreeEnsembleClassifier``. `table`: the number of the leaf from a
    ``TreeEnsembleRegressor``, and tables. `mixture`: plain operators that pass the shares of a
    divided row from the root down, one step per level. `vote`: the trees of a forest, summed in
    their order and in 64 bits, as the core does. `number` and `number_of_mixtures`: predicted
    numbers, of one tree or as the mean of several. Only `to_onnx` calls them. Arguments of type
    ``str`` are names of tensors in the graph; `matrix` has one column per entry of `Columns`.
Complexity
    Tree operators: O(depth) per row and tree; the mixture: O(nodes) per row.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from .onnx_parts import ClassOutputs, Graph
from .onnx_trees import Columns, ColumnTest, Ensemble, column_test, floor32, intervals
from .reading import Reading


def is_classifier(class_outputs: ClassOutputs) -> bool:
    """True if ``TreeEnsembleClassifier`` predicts the label of every leaf.

    It predicts the largest 32-bit probability, the first of equal ones; of two classes the second
    if its probability is above 1/2 (see `classifier`).
    """
    shares = class_outputs.shares.astype(np.float32)
    labels = np.array(class_outputs.reading.leaf_labels)
    if shares.shape[1] < 3:
        return shares.shape[1] == 2 and bool((labels == (shares[:, 1] > 0.5)).all())
    return bool((labels == shares.argmax(axis=1)).all())


def classifier(graph: Graph, class_outputs: ClassOutputs, matrix: str, trees: Ensemble) -> None:
    """Add labels and probabilities from one ``TreeEnsembleClassifier``."""
    shares = class_outputs.shares
    # Two classes get one weight, that of the second class, under the id 0: onnxruntime and the
    # reference evaluator both read it as the probability of the second class. With two weights,
    # onnxruntime predicts the second class if its weight is not 0; with one weight under the id 1,
    # the reference evaluator returns zeros.
    ids = [0] if shares.shape[1] == 2 else list(range(shares.shape[1]))
    weights = shares[:, 1:] if shares.shape[1] == 2 else shares
    key = "classlabels_int64s" if class_outputs.integer else "classlabels_strings"
    graph.add(
        "TreeEnsembleClassifier",
        matrix,
        outputs=list(graph.outputs),
        class_treeids=[tree for tree, *_ in trees.ends for _ in ids],
        class_nodeids=[node for _, node, _ in trees.ends for _ in ids],
        class_ids=ids * len(trees.ends),
        class_weights=[
            float(p) for *_, leaf in trees.ends for p in weights[leaf].astype(np.float32)
        ],
        post_transform="NONE",
        **{key: class_outputs.labels},
        **trees.nodes,
    )


def _regressor(
    graph: Graph, matrix: str, trees: Ensemble, weights: list[float], outputs: list[str] | None
) -> str:
    """Add a ``TreeEnsembleRegressor`` with one target per tree, float32 (N, n_trees); `weights` are
    those of the leaves in the order of ``trees.ends``."""
    ends = trees.ends
    return graph.add(
        "TreeEnsembleRegressor",
        matrix,
        outputs=outputs,
        n_targets=max(tree for tree, *_ in ends) + 1,
        aggregate_function="SUM",
        post_transform="NONE",
        target_treeids=[tree for tree, *_ in ends],
        target_nodeids=[node for _, node, _ in ends],
        target_ids=[tree for tree, *_ in ends],
        target_weights=weights,
        **trees.nodes,
    )


def _leaves(graph: Graph, matrix: str, trees: Ensemble) -> str:
    """Number of the leaf of each row in each tree, int64 (N, n_trees)."""
    numbers = [float(leaf) for *_, leaf in trees.ends]
    found = _regressor(graph, matrix, trees, numbers, None)
    return graph.add("Cast", found, to=graph.onnx.TensorProto.INT64)


def _looked_up(graph: Graph, matrix: str, trees: Ensemble, tables: list[np.ndarray]) -> list[str]:
    """The rows that a table per tree, (n_leaves, width), has for the leaves that rows reach,
    float64 (N, width) each."""
    leaves = _leaves(graph, matrix, trees)
    found = []
    for t, table in enumerate(tables):
        leaf = graph.add("Gather", leaves, graph.constant(np.array(t)), axis=1)
        found.append(graph.add("Gather", graph.constant(table), leaf, axis=0))
    return found


def number(graph: Graph, matrix: str, trees: Ensemble, readings: list[Reading]) -> None:
    """Add the number that trees which do not divide rows predict: that of one, or the mean."""
    numbers = [reading.probabilities(reading.leaves) for reading in readings]
    if graph.single and len(readings) == 1:
        weights = [float(np.float32(numbers[tree][leaf, 0])) for tree, _, leaf in trees.ends]
        _regressor(graph, matrix, trees, weights, list(graph.outputs))
        return
    _mean(graph, _looked_up(graph, matrix, trees, numbers))


def number_of_mixtures(
    graph: Graph, matrix: str, columns: Columns, readings: list[Reading]
) -> None:
    """Add the number that trees which may divide rows predict: that of one, or the mean."""
    of_trees = []
    for reading in readings:
        reached, leaves = _reached(graph, reading, matrix, columns)
        of_leaves = graph.constant(reading.probabilities(leaves))
        of_trees.append(graph.add("MatMul", reached, of_leaves))
    _mean(graph, of_trees)


def _sum(graph: Graph, tensors: list[str]) -> str:
    """The sum of tensors, added in their order."""
    total = tensors[0]
    for tensor in tensors[1:]:
        total = graph.add("Add", total, tensor)
    return total


def _mean(graph: Graph, numbers: list[str]) -> None:
    """Add the mean of the numbers of trees, float64 (N, 1) each, as the output."""
    count = graph.constant(np.array([float(len(numbers))]))
    mean = graph.add("Div", _sum(graph, numbers), count)
    graph.add("Cast", mean, to=graph.real, outputs=list(graph.outputs))


def table(graph: Graph, class_outputs: ClassOutputs, matrix: str, trees: Ensemble) -> None:
    """Add labels and probabilities that are looked up by the number of the leaf."""
    label, probabilities = graph.outputs
    leaf = graph.add("Reshape", _leaves(graph, matrix, trees), graph.constant(np.array([-1])))
    labels = class_outputs.table(class_outputs.reading.leaf_labels)
    graph.add("Gather", labels, leaf, axis=0, outputs=[label])
    shares = graph.constant(class_outputs.shares.astype(graph.dtype))
    graph.add("Gather", shares, leaf, axis=0, outputs=[probabilities])


def ranks(graph: Graph, trees: Ensemble, matrix: str, n_columns: int) -> str:
    """The matrix as ranks among the thresholds of each column, float32 (N, n_columns).

    Runtimes compare in 32 bits, for which 64-bit numbers are too long; ranks are small integers.
    """
    columns, thresholds = trees.ranked()
    types = graph.onnx.TensorProto
    if len(columns) == 0:
        return graph.add("Cast", matrix, to=types.FLOAT)
    # Compare each threshold with its column, then count the smaller ones per column.
    values = graph.add("Gather", matrix, graph.constant(columns), axis=1)
    above = graph.add(
        "Cast", graph.add("Greater", values, graph.constant(thresholds)), to=types.FLOAT
    )
    counts = graph.add(
        "MatMul", above, graph.constant(np.float32(columns[:, None] == np.arange(n_columns)))
    )
    nan = graph.constant(np.array([np.nan], dtype=np.float32))
    return graph.add("Where", graph.add("IsNaN", matrix), nan, counts)


def mixture(graph: Graph, class_outputs: ClassOutputs, matrix: str, columns: Columns) -> None:
    """Add labels and probabilities of rows that may be divided."""
    label, probabilities = graph.outputs
    mixed = _mixed(graph, class_outputs.reading, class_outputs.shares, matrix, columns)
    k = class_outputs.shares.shape[1]
    graph.add("Gather", class_outputs.table([*range(k), -1]), mixed.code, axis=0, outputs=[label])
    graph.add("Cast", mixed.probabilities, to=graph.real, outputs=[probabilities])


def _reached(
    graph: Graph, reading: Reading, matrix: str, columns: Columns
) -> tuple[str, list[int]]:
    """Share of each row that reaches each leaf, float64 (N, n_leaves), and the leaves in order."""
    types = graph.onnx.TensorProto
    tests: dict[int, ColumnTest] = {
        node: column_test(reading, node, columns)
        for node, children in enumerate(reading.children)
        if children
    }
    # The root is reached by all of every row: a column of ones, made from the matrix because its
    # number of rows is known only at run time.
    first = graph.add("Gather", matrix, graph.constant(np.array([0])), axis=1)
    zero = graph.add(
        "Mul",
        graph.add("Cast", graph.add("IsNaN", first), to=types.DOUBLE),
        graph.constant(np.array([0.0])),
    )
    reach = graph.add("Add", zero, graph.constant(np.array([1.0])))
    level = [0]  # the nodes of a level of the tree, one per column of `reach`
    found: list[str] = []
    leaves: list[int] = []
    while level:
        # Leaves of this level are done.
        ends = [i for i, node in enumerate(level) if not reading.children[node]]
        if ends:
            found.append(graph.add("Gather", reach, graph.constant(np.array(ends)), axis=1))
            leaves += [level[i] for i in ends]
        # Each branch takes its share of what reached its node.
        parents, below, branches = [], [], []
        for i, node in enumerate(level):
            if node in tests:
                test = tests[node]
                for child, interval, missing in zip(
                    reading.children[node], intervals(test), test.shares, strict=True
                ):
                    parents.append(i)
                    below.append(child)
                    branches.append((test.column, *interval, missing))
        if below:
            share = _branch_shares(graph, matrix, np.array(branches))
            reach = graph.add(
                "Mul", graph.add("Gather", reach, graph.constant(np.array(parents)), axis=1), share
            )
        level = below
    return (found[0] if len(found) == 1 else graph.add("Concat", *found, axis=1)), leaves


def _branch_shares(graph: Graph, matrix: str, branches: np.ndarray) -> str:
    """Share of each row at its node that each branch takes, float64 (N, n_branches).

    `branches` has one row per branch: column, lower end, upper end, share of missing values.
    """
    column, low, high, share = branches.T
    if graph.single:
        low, high = (np.array([floor32(v) for v in edge.tolist()]) for edge in (low, high))
    values = graph.add("Gather", matrix, graph.constant(column.astype(np.int64)), axis=1)
    inside = graph.add(
        "And",
        graph.add("Greater", values, graph.constant(low.astype(graph.dtype))),
        graph.add("LessOrEqual", values, graph.constant(high.astype(graph.dtype))),
    )
    inside = graph.add("Cast", inside, to=graph.onnx.TensorProto.DOUBLE)
    return graph.add("Where", graph.add("IsNaN", values), graph.constant(share), inside)


class Mixed(NamedTuple):
    """Tensors of one tree for rows that may be divided.

    Attributes:
        probabilities: float64 (N, n_classes).
        code: code of the predicted class, (N,); n_classes stands for no prediction.
        known: whether any class has a probability above 0, bool (N, 1).
    """

    probabilities: str
    code: str
    known: str


def _mixed(
    graph: Graph, reading: Reading, shares: np.ndarray, matrix: str, columns: Columns
) -> Mixed:
    """The prediction of one tree; `shares` are the class probabilities of its leaves."""
    k = shares.shape[1]
    reached, leaves = _reached(graph, reading, matrix, columns)
    number = reading.leaf_numbers
    sums = graph.add("MatMul", reached, graph.constant(shares[[number[n] for n in leaves]]))
    # Sums that differ from the largest by rounding are equal to it, as in predict; the class is the
    # first of the largest.
    largest = graph.add("ReduceMax", sums, axes=[1], keepdims=1)
    close = graph.add("Less", graph.add("Sub", largest, sums), graph.constant(np.array([1e-9])))
    known = graph.add("Greater", largest, graph.constant(np.array([0.0])))
    sums = graph.add("Where", graph.add("And", close, known), largest, sums)
    found = graph.add(
        "Where", known, graph.add("ArgMax", sums, axis=1, keepdims=1), graph.constant(np.array([k]))
    )
    # A row that is not divided gets the label of its leaf.
    leaf_codes = np.array([reading.label[n] if reading.label[n] >= 0 else k for n in leaves])
    of_leaf = graph.add(
        "Gather",
        graph.constant(leaf_codes),
        graph.add("ArgMax", reached, axis=1, keepdims=1),
        axis=0,
    )
    share = graph.add("ReduceMax", reached, axes=[1], keepdims=1)
    undivided = graph.add("GreaterOrEqual", share, graph.constant(np.array([1.0])))
    code = graph.add("Where", undivided, of_leaf, found)
    return Mixed(sums, graph.add("Reshape", code, graph.constant(np.array([-1]))), known)


def vote(
    graph: Graph, class_outputs: ClassOutputs, matrix: str, trees: Ensemble, readings: list[Reading]
) -> None:
    """Add the vote of trees that do not divide rows."""
    tables = [
        np.hstack([one.probabilities(one.leaves), np.array([one.leaf_labels]).T >= 0])
        for one in readings
    ]
    _elect(graph, class_outputs, _looked_up(graph, matrix, trees, tables))


def vote_of_mixtures(
    graph: Graph,
    class_outputs: ClassOutputs,
    matrix: str,
    columns: Columns,
    readings: list[Reading],
) -> None:
    """Add the vote of trees that may divide rows."""
    votes = []
    for reading in readings:
        mixed = _mixed(graph, reading, reading.probabilities(reading.leaves), matrix, columns)
        votes_at_all = graph.add("Cast", mixed.known, to=graph.onnx.TensorProto.DOUBLE)
        votes.append(graph.add("Concat", mixed.probabilities, votes_at_all, axis=1))
    _elect(graph, class_outputs, votes)


def _elect(graph: Graph, class_outputs: ClassOutputs, votes: list[str]) -> None:
    """Add mean probabilities, and the class of the largest mean.

    `votes` has one tensor (N, n_classes + 1) per tree: class probabilities, and 1 if the tree votes
    (0 if it predicts nothing; it then has no part in the mean).
    """
    label, probabilities = graph.outputs
    k = class_outputs.shares.shape[1]
    sums = _sum(graph, votes)
    summed = graph.add("Gather", sums, graph.constant(np.arange(k)), axis=1)
    voters = graph.add("Gather", sums, graph.constant(np.array([k])), axis=1)
    mean = graph.add("Div", summed, graph.add("Max", voters, graph.constant(np.array([1.0]))))
    # Means that differ from the largest by rounding are equal to it, as in predict. The tolerance
    # is a term of its own, as onnxruntime drops a factor of 1 + 1e-11.
    largest = graph.add("ReduceMax", mean, axes=[1], keepdims=1)
    slack = graph.add("Mul", mean, graph.constant(np.array([1e-11])))
    is_largest = graph.add("LessOrEqual", graph.add("Sub", largest, mean), slack)
    mean = graph.add("Where", is_largest, largest, mean)
    # The class is the first of the largest; none if no tree votes.
    any_vote = graph.add("Greater", voters, graph.constant(np.array([0.0])))
    none = graph.constant(np.array([k]))
    candidates = graph.add("Where", is_largest, graph.constant(np.arange(k)), none)
    first = graph.add("ReduceMin", candidates, axes=[1], keepdims=1)
    code = graph.add("Where", any_vote, first, none)
    code = graph.add("Reshape", code, graph.constant(np.array([-1])))
    graph.add("Gather", class_outputs.table([*range(k), -1]), code, axis=0, outputs=[label])
    graph.add("Cast", mean, to=graph.real, outputs=[probabilities])
