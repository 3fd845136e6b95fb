"""The output stages of an ONNX graph: from the matrix of columns to labels and probabilities.

What
    `Heads.undivided` answers rows that go to one leaf of each tree. *Classifier*: one
    ``TreeEnsembleClassifier``. *Table*: the number of the leaf from a ``TreeEnsembleRegressor``,
    and tables. `Heads.divided` answers any rows. *Mixture*: plain operators that pass the shares of
    a divided row from the root down, one step per level. Both have a *vote*, the trees of a forest,
    summed in their order and in 64 bits, as the core does, and *numbers*, of one tree or as the
    mean of several. Only `to_onnx` calls them. Arguments of type ``str`` are names of tensors.
Complexity
    Tree operators: O(depth) per row and tree; the mixture: O(nodes) per row.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import reduce

import numpy as np

from .comparisons import ColumnTest
from .onnx_parts import ClassOutputs, Graph
from .onnx_trees import Columns, Ensemble, column_test, floor32, intervals
from .reading import Reading


@dataclass
class Heads:
    """The output stages of a graph.

    Attributes:
        graph: the graph, which gets the outputs.
        readings: the trees.
        is_forest: whether they vote, or their numbers are averaged.
        classes: labels and probabilities of the leaves; None where a number is predicted.
        trees: the trees as attributes of a tree operator.
        columns: the columns that the trees read.
        matrix: the tensor that holds these columns, real numbers (N, n_columns).
        read: the tensor that tree operators read in its place, float32 (N, n_columns).
    """

    graph: Graph
    readings: list[Reading]
    is_forest: bool
    classes: ClassOutputs | None
    trees: Ensemble
    columns: Columns
    matrix: str
    read: str = ""

    def undivided(self) -> None:
        """Add the outputs for rows that go to one leaf of each tree: tree operators find the leaf.
        Where missing values may divide rows, batches without any take this part of the graph."""
        self.read = self.matrix if self.graph.is_single_precision else self._ranks()
        tables = [reading.probabilities(reading.leaves) for reading in self.readings]
        if self.classes is None:
            if self.graph.is_single_precision and not self.is_forest:
                ends = self.trees.ends
                weights = [float(np.float32(tables[tree][leaf, 0])) for tree, _, leaf in ends]
                self._regressor(weights, list(self.graph.outputs))
            else:
                self._mean(self._looked_up(tables))
        elif self.is_forest:
            votes = [np.array([reading.leaf_labels]).T >= 0 for reading in self.readings]
            pairs = zip(tables, votes, strict=True)
            self._elect(self.classes, self._looked_up([np.hstack(pair) for pair in pairs]))
        elif self.graph.is_single_precision and _is_classifier(self.classes):
            self._classifier(self.classes)
        else:
            self._table(self.classes)

    def divided(self) -> None:
        """Add the outputs for any rows, also rows that missing values send down several branches:
        plain operators multiply the shares of the branches. This costs O(nodes) per row and not
        O(depth), so only batches with a missing value take it."""
        graph = self.graph
        if self.classes is None:
            numbers = []
            for reading in self.readings:
                reached, leaves = self._reached(reading)
                of_leaves = graph.constant(reading.probabilities(leaves))
                numbers.append(graph.add("MatMul", reached, of_leaves))
            self._mean(numbers)
        elif self.is_forest:
            votes = []
            for reading in self.readings:
                probabilities, _, known = self._mixed(reading)
                votes_at_all = graph.add("Cast", known, to=graph.onnx.TensorProto.DOUBLE)
                votes.append(graph.add("Concat", probabilities, votes_at_all, axis=1))
            self._elect(self.classes, votes)
        else:
            probabilities, code, _ = self._mixed(self.readings[0])
            self._label(self.classes, code)
            graph.add("Cast", probabilities, to=graph.real, outputs=[graph.outputs[1]])

    def _label(self, classes: ClassOutputs, code: str) -> None:
        """Add the labels of class codes.

        Args:
            classes: the classes of the model.
            code: name of the codes; the number of classes stands for no prediction.
        """
        labels = classes.table([*range(len(classes.labels)), -1])
        self.graph.add("Gather", labels, code, axis=0, outputs=[self.graph.outputs[0]])

    # -- one leaf of each tree --------------------------------------------------------------------

    def _classifier(self, classes: ClassOutputs) -> None:
        """Add labels and probabilities from one ``TreeEnsembleClassifier``."""
        shares, ends = classes.shares, self.trees.ends
        # Two classes get one weight, the share of the second class, under the id 0: onnxruntime and
        # the reference evaluator both read it as the probability of the second class. With two
        # weights, onnxruntime predicts the second class if its weight is not 0; with one weight
        # under the id 1, the reference evaluator returns zeros.
        ids = [0] if shares.shape[1] == 2 else list(range(shares.shape[1]))
        weights = (shares[:, 1:] if shares.shape[1] == 2 else shares).astype(np.float32)
        key = "classlabels_int64s" if classes.are_integers else "classlabels_strings"
        self.graph.add(
            "TreeEnsembleClassifier",
            self.read,
            outputs=list(self.graph.outputs),
            class_treeids=[tree for tree, *_ in ends for _ in ids],
            class_nodeids=[node for _, node, _ in ends for _ in ids],
            class_ids=ids * len(ends),
            class_weights=[float(p) for *_, leaf in ends for p in weights[leaf]],
            post_transform="NONE",
            **{key: classes.labels},
            **self.trees.nodes,
        )

    def _regressor(self, weights: list[float], outputs: list[str] | None = None) -> str:
        """Add a ``TreeEnsembleRegressor`` with one target per tree, float32 (N, n_trees).

        Args:
            weights: a number for each leaf, in the order of ``trees.ends``.
            outputs: names of the outputs; None: one with a new name.
        """
        trees = [tree for tree, *_ in self.trees.ends]
        return self.graph.add(
            "TreeEnsembleRegressor",
            self.read,
            outputs=outputs,
            n_targets=len(self.readings),
            aggregate_function="SUM",
            post_transform="NONE",
            target_treeids=trees,
            target_nodeids=[node for _, node, _ in self.trees.ends],
            target_ids=trees,
            target_weights=weights,
            **self.trees.nodes,
        )

    def _leaves(self) -> str:
        """Number of the leaf of each row in each tree, int64 (N, n_trees)."""
        values = self._regressor([float(leaf) for *_, leaf in self.trees.ends])
        return self.graph.add("Cast", values, to=self.graph.onnx.TensorProto.INT64)

    def _looked_up(self, tables: list[np.ndarray]) -> list[str]:
        """The rows that a table per tree, (n_leaves, width), has for the leaves that rows reach,
        float64 (N, width) each."""
        graph, leaves, outputs = self.graph, self._leaves(), []
        for t, table in enumerate(tables):
            leaf = graph.add("Gather", leaves, graph.constant(np.array(t)), axis=1)
            outputs.append(graph.add("Gather", graph.constant(table), leaf, axis=0))
        return outputs

    def _table(self, classes: ClassOutputs) -> None:
        """Add labels and probabilities that are looked up by the number of the leaf."""
        graph, (label, probabilities) = self.graph, self.graph.outputs
        leaf = graph.add("Reshape", self._leaves(), graph.constant([-1]))
        labels = classes.table(classes.reading.leaf_labels)
        graph.add("Gather", labels, leaf, axis=0, outputs=[label])
        shares = graph.constant(classes.shares.astype(graph.dtype))
        graph.add("Gather", shares, leaf, axis=0, outputs=[probabilities])

    def _ranks(self) -> str:
        """The matrix as ranks among the thresholds of each column, float32 (N, n_columns).

        Runtimes compare in 32 bits, for which 64-bit numbers are too long; ranks are small
        integers.
        """
        columns, thresholds = self.trees.ranked()
        graph, matrix, float32 = self.graph, self.matrix, self.graph.onnx.TensorProto.FLOAT
        if len(columns) == 0:
            return graph.add("Cast", matrix, to=float32)
        # Compare each threshold with its column, then count the smaller ones per column.
        values = graph.add("Gather", matrix, graph.constant(columns), axis=1)
        is_above = graph.add("Greater", values, graph.constant(thresholds))
        above = graph.add("Cast", is_above, to=float32)
        of_column = columns[:, None] == np.arange(max(1, len(self.columns)))
        counts = graph.add("MatMul", above, graph.constant(np.float32(of_column)))
        nan = graph.constant(np.array([np.nan], dtype=np.float32))
        return graph.add("Where", graph.add("IsNaN", matrix), nan, counts)

    # -- shares of leaves -------------------------------------------------------------------------

    def _reached(self, reading: Reading) -> tuple[str, list[int]]:
        """Share of each row that reaches each leaf, float64 (N, n_leaves), and the leaves in
        order."""
        graph = self.graph
        tests: dict[int, ColumnTest] = {
            node: column_test(reading, node, self.columns)
            for node, children in enumerate(reading.children)
            if children
        }
        # The root is reached by all of every row: a column of ones, made from the matrix because
        # its number of rows is known only at run time.
        first = graph.add("Gather", self.matrix, graph.constant([0]), axis=1)
        is_nan = graph.add("Cast", graph.add("IsNaN", first), to=graph.onnx.TensorProto.DOUBLE)
        zero = graph.add("Mul", is_nan, graph.constant([0.0]))
        reach = graph.add("Add", zero, graph.constant([1.0]))
        level = [0]  # the nodes of a level of the tree, one per column of `reach`
        names: list[str] = []
        leaves: list[int] = []
        while level:
            # Leaves of this level are done.
            ends = [i for i, node in enumerate(level) if not reading.children[node]]
            if ends:
                names.append(graph.add("Gather", reach, graph.constant(ends), axis=1))
                leaves += [level[i] for i in ends]
            # Each branch takes its share of the weight that reached its node.
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
                share = self._branch_shares(np.array(branches))
                above = graph.add("Gather", reach, graph.constant(parents), axis=1)
                reach = graph.add("Mul", above, share)
            level = below
        return (names[0] if len(names) == 1 else graph.add("Concat", *names, axis=1)), leaves

    def _branch_shares(self, branches: np.ndarray) -> str:
        """Share of each row at its node that each branch takes, float64 (N, n_branches).

        `branches` has one row per branch: column, lower end, upper end, share of missing values.
        """
        graph, (column, low, high, share) = self.graph, branches.T
        if graph.is_single_precision:
            low, high = (np.array([floor32(v) for v in edge.tolist()]) for edge in (low, high))
        values = graph.add("Gather", self.matrix, graph.constant(column.astype(np.int64)), axis=1)
        above = graph.add("Greater", values, graph.constant(low.astype(graph.dtype)))
        up_to = graph.add("LessOrEqual", values, graph.constant(high.astype(graph.dtype)))
        inside = graph.add("And", above, up_to)
        inside = graph.add("Cast", inside, to=graph.onnx.TensorProto.DOUBLE)
        return graph.add("Where", graph.add("IsNaN", values), graph.constant(share), inside)

    def _mixed(self, reading: Reading) -> tuple[str, str, str]:
        """The prediction of one tree for rows that may be divided: probabilities, float64 (N,
        n_classes); code of the class, (N,), n_classes for no prediction; and whether any class has
        a probability above 0, bool (N, 1)."""
        graph, k = self.graph, len(reading.classes)
        reached, leaves = self._reached(reading)
        sums = graph.add("MatMul", reached, graph.constant(reading.probabilities(leaves)))
        # Sums that differ from the largest by rounding are equal to it, as in predict; the class is
        # the first of the largest.
        largest = graph.add("ReduceMax", sums, axes=[1], keepdims=1)
        close = graph.add("Less", graph.add("Sub", largest, sums), graph.constant([1e-9]))
        known = graph.add("Greater", largest, graph.constant([0.0]))
        sums = graph.add("Where", graph.add("And", close, known), largest, sums)
        first = graph.add("ArgMax", sums, axis=1, keepdims=1)
        labels = graph.add("Where", known, first, graph.constant([k]))
        # A row that is not divided gets the label of its leaf.
        codes = graph.constant([reading.label[n] if reading.label[n] >= 0 else k for n in leaves])
        leaf = graph.add("ArgMax", reached, axis=1, keepdims=1)
        of_leaf = graph.add("Gather", codes, leaf, axis=0)
        share = graph.add("ReduceMax", reached, axes=[1], keepdims=1)
        undivided = graph.add("GreaterOrEqual", share, graph.constant([1.0]))
        code = graph.add("Where", undivided, of_leaf, labels)
        return sums, graph.add("Reshape", code, graph.constant([-1])), known

    # -- several trees ----------------------------------------------------------------------------

    def _sum(self, tensors: list[str]) -> str:
        """The sum of tensors, added in their order."""
        return reduce(lambda total, tensor: self.graph.add("Add", total, tensor), tensors)

    def _mean(self, numbers: list[str]) -> None:
        """Add the mean of the numbers of trees, float64 (N, 1) each, as the output."""
        graph, count = self.graph, self.graph.constant([float(len(numbers))])
        mean = graph.add("Div", self._sum(numbers), count)
        graph.add("Cast", mean, to=graph.real, outputs=list(graph.outputs))

    def _elect(self, classes: ClassOutputs, votes: list[str]) -> None:
        """Add mean probabilities, and the class of the largest mean.

        Args:
            classes: the classes of the model.
            votes: a tensor (N, n_classes + 1) per tree: class probabilities, and 1 if the tree
                votes (0 if it predicts nothing; it then has no part in the mean).
        """
        graph, k = self.graph, len(classes.labels)
        sums = self._sum(votes)
        summed = graph.add("Gather", sums, graph.constant(np.arange(k)), axis=1)
        voters = graph.add("Gather", sums, graph.constant([k]), axis=1)
        mean = graph.add("Div", summed, graph.add("Max", voters, graph.constant([1.0])))
        # Means that differ from the largest by rounding are equal to it, as in predict. The
        # tolerance is a term of its own, as onnxruntime drops a factor of 1 + 1e-11.
        largest = graph.add("ReduceMax", mean, axes=[1], keepdims=1)
        slack = graph.add("Mul", mean, graph.constant([1e-11]))
        is_largest = graph.add("LessOrEqual", graph.add("Sub", largest, mean), slack)
        mean = graph.add("Where", is_largest, largest, mean)
        # The class is the first of the largest; there is none if no tree votes.
        any_vote = graph.add("Greater", voters, graph.constant([0.0]))
        none = graph.constant([k])
        candidates = graph.add("Where", is_largest, graph.constant(np.arange(k)), none)
        first = graph.add("ReduceMin", candidates, axes=[1], keepdims=1)
        code = graph.add("Where", any_vote, first, none)
        self._label(classes, graph.add("Reshape", code, graph.constant([-1])))
        graph.add("Cast", mean, to=graph.real, outputs=[graph.outputs[1]])


def _is_classifier(classes: ClassOutputs) -> bool:
    """True if ``TreeEnsembleClassifier`` predicts the label of every leaf.

    It predicts the largest 32-bit probability, the first of equal ones; of two classes the second
    if its probability is above 1/2 (see `Heads._classifier`).
    """
    shares = classes.shares.astype(np.float32)
    labels = np.array(classes.reading.leaf_labels)
    if shares.shape[1] < 3:
        return shares.shape[1] == 2 and bool((labels == (shares[:, 1] > 0.5)).all())
    return bool((labels == shares.argmax(axis=1)).all())
