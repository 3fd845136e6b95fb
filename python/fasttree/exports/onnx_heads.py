"""From columns to labels and probabilities: the ways in which an ONNX graph answers.

What
    `classifier`: one ``TreeEnsembleClassifier``. `table`: the number of the leaf from a
    ``TreeEnsembleRegressor``, and tables. `mixture`: plain operators that hand the shares of a
    divided row from the root down, one step per level. `vote`: the trees of a forest, summed one by
    one in their order and in 64 bits, as the core sums them.
Complexity
    Tree operators: O(depth) a row and tree; the mixture: O(nodes).
When not to use it
    Outside of `to_onnx`.
"""

from __future__ import annotations

import numpy as np

from .onnx_parts import Answers, Graph
from .onnx_trees import Asked, Columns, Ensemble, asked, bounds, floor32
from .reading import Reading

__all__ = ["classifier", "is_classifier", "mixture", "ranks", "table", "vote", "vote_of_mixtures"]


def is_classifier(answers: Answers) -> bool:
    """True when the largest of the probabilities of 32 bits, first of equals, is the label of every
    leaf.

    Two classes are told by the probability of the second, see `classifier`.
    """
    reading, shares = answers.reading, answers.shares.astype(np.float32)
    labels = np.array([reading.label[n] for n in reading.leaves])
    if shares.shape[1] < 3:
        return shares.shape[1] == 2 and bool((labels == (shares[:, 1] > 0.5)).all())
    return bool((labels == shares.argmax(axis=1)).all())


def classifier(graph: Graph, answers: Answers, matrix: str, trees: Ensemble) -> None:
    """Labels and probabilities from one operator."""
    shares = answers.shares
    # With weights for both of two classes onnxruntime answers the second wherever its weight is not
    # 0, and with weights for the one of id 1 the reference evaluator answers zeros. Weights of the
    # second class under id 0 are what both take as one probability.
    ids = [0] if shares.shape[1] == 2 else list(range(shares.shape[1]))
    weights = shares[:, 1:] if shares.shape[1] == 2 else shares
    key = "classlabels_int64s" if answers.integer else "classlabels_strings"
    graph.add(
        "TreeEnsembleClassifier",
        matrix,
        outputs=list(graph.outputs),
        class_treeids=[tree for tree, *_ in trees.ends for _ in ids],
        class_nodeids=[node for _, node, *_ in trees.ends for _ in ids],
        class_ids=ids * len(trees.ends),
        class_weights=[
            float(p) for *_, leaf, _ in trees.ends for p in weights[leaf].astype(np.float32)
        ],
        post_transform="NONE",
        **{key: answers.labels},
        **trees.nodes,
    )


def _leaves(graph: Graph, matrix: str, trees: Ensemble, n_trees: int) -> str:
    """Number of the leaf in each tree, int64, shape (N, n_trees)."""
    ends = trees.ends
    number = graph.add(
        "TreeEnsembleRegressor",
        matrix,
        n_targets=n_trees,
        aggregate_function="SUM",
        post_transform="NONE",
        target_treeids=[tree for tree, *_ in ends],
        target_nodeids=[node for _, node, *_ in ends],
        target_ids=[tree for tree, *_ in ends],
        target_weights=[float(leaf) for *_, leaf, _ in ends],
        **trees.nodes,
    )
    return graph.add("Cast", number, to=graph.onnx.TensorProto.INT64)


def table(graph: Graph, answers: Answers, matrix: str, trees: Ensemble) -> None:
    """Labels and probabilities looked up by the number of the leaf."""
    reading, (label, probabilities) = answers.reading, graph.outputs
    leaf = graph.add("Reshape", _leaves(graph, matrix, trees, 1), graph.constant(np.array([-1])))
    labels = answers.table([reading.label[n] for n in reading.leaves])
    graph.add("Gather", labels, leaf, axis=0, outputs=[label])
    shares = graph.constant(answers.shares.astype(graph.dtype))
    graph.add("Gather", shares, leaf, axis=0, outputs=[probabilities])


def ranks(graph: Graph, trees: Ensemble, matrix: str, n_columns: int) -> str:
    """The columns as ranks among the thresholds of the trees, 32 bits."""
    columns, thresholds = trees.ranked()
    types = graph.onnx.TensorProto
    if len(columns) == 0:
        return graph.add("Cast", matrix, to=types.FLOAT)
    values = graph.add("Gather", matrix, graph.constant(columns), axis=1)
    above = graph.add(
        "Cast", graph.add("Greater", values, graph.constant(thresholds)), to=types.FLOAT
    )
    found = graph.add(
        "MatMul", above, graph.constant(np.float32(columns[:, None] == np.arange(n_columns)))
    )
    nan = graph.constant(np.array([np.nan], dtype=np.float32))
    return graph.add("Where", graph.add("IsNaN", matrix), nan, found)


def mixture(graph: Graph, answers: Answers, matrix: str, columns: Columns) -> None:
    """Labels and probabilities of rows that may be divided."""
    label, probabilities = graph.outputs
    sums, code, _ = _mixed(graph, answers.reading, answers.shares, matrix, columns)
    k = answers.shares.shape[1]
    graph.add("Gather", answers.table([*range(k), -1]), code, axis=0, outputs=[label])
    graph.add("Cast", sums, to=graph.real, outputs=[probabilities])


def _reached(
    graph: Graph, reading: Reading, matrix: str, columns: Columns
) -> tuple[str, list[int]]:
    """Share of each row in the leaves, 64 bits, shape (N, leaves), and the leaves."""
    types = graph.onnx.TensorProto
    tests: dict[int, Asked] = {
        n: asked(reading, n, columns) for n, kids in enumerate(reading.children) if kids
    }
    first = graph.add("Gather", matrix, graph.constant(np.array([0])), axis=1)
    zero = graph.add(
        "Mul",
        graph.add("Cast", graph.add("IsNaN", first), to=types.DOUBLE),
        graph.constant(np.array([0.0])),
    )
    reach = graph.add("Add", zero, graph.constant(np.array([1.0])))
    above = [0]
    found: list[str] = []
    leaves: list[int] = []
    while above:
        ends = [i for i, n in enumerate(above) if not reading.children[n]]
        if ends:
            found.append(graph.add("Gather", reach, graph.constant(np.array(ends)), axis=1))
            leaves += [above[i] for i in ends]
        places, below, sides = [], [], []
        for i, node in enumerate(above):
            if node in tests:
                test = tests[node]
                for child, edge, share in zip(
                    reading.children[node], bounds(test), test.shares, strict=True
                ):
                    places.append(i)
                    below.append(child)
                    sides.append((test.column, *edge, share))
        if below:
            part = _step(graph, matrix, np.array(sides))
            reach = graph.add(
                "Mul", graph.add("Gather", reach, graph.constant(np.array(places)), axis=1), part
            )
        above = below
    return (found[0] if len(found) == 1 else graph.add("Concat", *found, axis=1)), leaves


def _step(graph: Graph, matrix: str, sides: np.ndarray) -> str:
    """Share that each branch of a level takes of what reached its node; `sides` are rows of
    (column, low, high, share of missing)."""
    column, low, high, share = sides.T
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


def _mixed(
    graph: Graph, reading: Reading, shares: np.ndarray, matrix: str, columns: Columns
) -> tuple[str, str, str]:
    """Probabilities (N, classes) of 64 bits, codes (N,) of the labels, the number of classes
    standing for none, and whether anything is predicted (N, 1).
    """
    k = shares.shape[1]
    parts, leaves = _reached(graph, reading, matrix, columns)
    row = {node: i for i, node in enumerate(reading.leaves)}
    sums = graph.add("MatMul", parts, graph.constant(shares[[row[n] for n in leaves]]))
    largest = graph.add("ReduceMax", sums, axes=[1], keepdims=1)
    close = graph.add("Less", graph.add("Sub", largest, sums), graph.constant(np.array([1e-9])))
    known = graph.add("Greater", largest, graph.constant(np.array([0.0])))
    sums = graph.add("Where", graph.add("And", close, known), largest, sums)
    found = graph.add(
        "Where", known, graph.add("ArgMax", sums, axis=1, keepdims=1), graph.constant(np.array([k]))
    )
    # A row that arrives in one leaf as a whole is answered by the leaf's label.
    own = np.array([reading.label[n] if reading.label[n] >= 0 else k for n in leaves])
    single = graph.add(
        "Gather", graph.constant(own), graph.add("ArgMax", parts, axis=1, keepdims=1), axis=0
    )
    share = graph.add("ReduceMax", parts, axes=[1], keepdims=1)
    whole = graph.add("GreaterOrEqual", share, graph.constant(np.array([1.0])))
    code = graph.add("Where", whole, single, found)
    return sums, graph.add("Reshape", code, graph.constant(np.array([-1]))), known


def vote(
    graph: Graph, answers: Answers, matrix: str, trees: Ensemble, readings: list[Reading]
) -> None:
    """Mean probabilities of trees, none of which divides a row; trees that predict nothing take no
    part."""
    leaves = _leaves(graph, matrix, trees, len(readings))
    said = []
    for t, reading in enumerate(readings):
        shares = reading.probabilities(reading.leaves)
        speaks = np.array([[float(reading.label[n] >= 0)] for n in reading.leaves])
        place = graph.add("Gather", leaves, graph.constant(np.array(t)), axis=1)
        said.append(graph.add("Gather", graph.constant(np.hstack([shares, speaks])), place, axis=0))
    _elected(graph, answers, said)


def vote_of_mixtures(
    graph: Graph, answers: Answers, matrix: str, columns: Columns, readings: list[Reading]
) -> None:
    """Mean probabilities of trees that divide rows."""
    said = []
    for reading in readings:
        sums, _, known = _mixed(
            graph, reading, reading.probabilities(reading.leaves), matrix, columns
        )
        said.append(
            graph.add(
                "Concat", sums, graph.add("Cast", known, to=graph.onnx.TensorProto.DOUBLE), axis=1
            )
        )
    _elected(graph, answers, said)


def _elected(graph: Graph, answers: Answers, said: list[str]) -> None:
    """The class of the largest mean, from probabilities and a vote (N, classes + 1) of each
    tree."""
    label, probabilities = graph.outputs
    k = answers.shares.shape[1]
    sums = said[0]
    for one in said[1:]:
        sums = graph.add("Add", sums, one)
    summed = graph.add("Gather", sums, graph.constant(np.arange(k)), axis=1)
    voters = graph.add("Gather", sums, graph.constant(np.array([k])), axis=1)
    mean = graph.add("Div", summed, graph.add("Max", voters, graph.constant(np.array([1.0]))))
    # Means that differ from the largest by rounding are equal to it, as in predict.
    largest = graph.add("ReduceMax", mean, axes=[1], keepdims=1)
    # (onnxruntime drops a factor of 1 + 1e-11)
    slack = graph.add("Mul", mean, graph.constant(np.array([1e-11])))
    is_largest = graph.add("LessOrEqual", graph.add("Sub", largest, mean), slack)
    mean = graph.add("Where", is_largest, largest, mean)
    some = graph.add("Greater", voters, graph.constant(np.array([0.0])))
    none = graph.constant(np.array([k]))
    places = graph.add("Where", is_largest, graph.constant(np.arange(k)), none)
    first = graph.add("ReduceMin", places, axes=[1], keepdims=1)
    code = graph.add("Where", some, first, none)
    code = graph.add("Reshape", code, graph.constant(np.array([-1])))
    graph.add("Gather", answers.table([*range(k), -1]), code, axis=0, outputs=[label])
    graph.add("Cast", mean, to=graph.real, outputs=[probabilities])
