"""`to_sklearn`: a fitted tree or forest as scikit-learn's own estimator.

What
    A `DecisionTreeClassifier` or `RandomForestClassifier` whose arrays say what our tree says, so
    that everything that reads scikit-learn's trees reads it. A test with a branch for each level or
    bin becomes a chain of thresholds (a balanced tree of them beyond eight branches), a subset test
    one indicator column. Where columns are nominal, `SplitColumns` stands before the tree in a
    Pipeline. A missing value that has a branch of its own is told apart by a threshold of infinity.
Precision
    scikit-learn's trees read rows as float32. On numbers that float32 holds, probabilities are
    ours to the last bit (of a forest, where its largest ones do not differ by rounding alone). A
    tree whose training values float32 puts on other sides of its thresholds is refused.
Complexity
    O(nodes + branches).
When not to use it
    To predict: `predict_proba` of the model itself is faster and reads float64. For ONNX,
    `to_onnx` writes any tree, fractions of rows included.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..exports.reading import Reading
from .new_rows import rows_for
from .split_columns import SplitColumns

__all__ = ["to_sklearn"]

CHAIN = 8
"""Branches that become a chain of thresholds; more become a balanced tree of them."""

Key = tuple[int, tuple[int, ...] | None]


@dataclass
class _Test:
    """A test of numbers: branch ``order[i]`` takes values up to ``cuts[i]``, the last one the rest;
    `missing` is the branch of missing values."""

    column: int
    cuts: list[float]
    order: list[int]
    missing: int


@dataclass
class _Nodes:
    """Nodes as scikit-learn lists them."""

    left: list[int] = field(default_factory=list)
    right: list[int] = field(default_factory=list)
    feature: list[int] = field(default_factory=list)
    threshold: list[float] = field(default_factory=list)
    missing_left: list[bool] = field(default_factory=list)
    depth: list[int] = field(default_factory=list)
    samples: list[int] = field(default_factory=list)
    counts: list[np.ndarray] = field(default_factory=list)
    value: list[np.ndarray] = field(default_factory=list)

    def add(self, told: tuple[int, np.ndarray, np.ndarray], above: tuple[int, str]) -> int:
        """Append a leaf that says (samples, counts, value) below an entry, on one of its sides."""
        number, (parent, side) = len(self.left), above
        for array, blank in ((self.left, -1), (self.right, -1), (self.feature, -2)):
            array.append(blank)
        self.threshold.append(-2.0)
        self.missing_left.append(False)
        self.depth.append(0 if parent < 0 else self.depth[parent] + 1)
        self.samples.append(told[0])
        self.counts.append(told[1])
        self.value.append(told[2])
        if parent >= 0:
            getattr(self, side)[parent] = number
        return number

    def ask(self, number: int, column: int, threshold: float, missing_left: bool) -> None:
        """Make an entry a test."""
        self.feature[number], self.threshold[number] = column, threshold
        self.missing_left[number] = missing_left


def to_sklearn(
    model: Any, X: Any = None, *, missing: str = "refuse", as_forest: bool = False
) -> Any:
    """See `FastTreeClassifier.to_sklearn`."""
    if missing not in ("refuse", "largest"):
        raise ValueError(f"missing={missing!r} is not known; use 'refuse' or 'largest'")
    forest = as_forest or hasattr(model, "estimators_")
    trees = list(model.estimators_) if hasattr(model, "estimators_") else [model]
    readings = [Reading(tree) for tree in trees]
    if missing == "refuse":
        _refuse_fractions(model, readings)
    _refuse_other_labels(readings)
    _refuse_single_precision(model, readings, X)
    keys = _columns(readings)
    place = {key: i for i, key in enumerate(keys)}
    plain = not any(model._schema.nominal)
    names = plain and model._schema.has_names
    made = [_tree(model, reading, place, names) for reading in readings]
    out = _forest(model, made, names, len(keys)) if forest else made[0]
    if plain:
        return out
    from sklearn.pipeline import Pipeline

    listed = [(f, None if codes is None else list(codes)) for f, codes in keys]
    encoder = SplitColumns(
        model._model.schema_json(),
        listed,
        has_names=model._schema.has_names,
        handle_unknown=model.handle_unknown,
        missing="error" if model.missing == "error" else "branch",
    )
    return Pipeline([("columns", encoder), ("forest" if forest else "tree", out)])


# -- what scikit-learn's trees cannot say ---------------------------------------------------------


def _refuse_fractions(model: Any, readings: list[Reading]) -> None:
    """Refuse trees in which rows with a missing value went down several branches."""
    said = getattr(model, "missing", "auto") == "fractional"
    for reading in readings:
        rows = reading.tree.n_node_samples
        for node, kids in enumerate(reading.children):
            shared = kids and reading.tree.missing_branch[node] == -2
            if shared and (said or rows[kids].sum() > rows[node]):
                name = reading.features[reading.feature[node]].name
                raise ValueError(
                    f"column {name!r}: rows with a missing value go down all branches of node "
                    f"{node}, in fractions, which scikit-learn's trees cannot do. Fit with "
                    "missing='branch' or 'mode'; or call to_sklearn(missing='largest'), which "
                    "sends them down the branch of largest weight and changes nothing for rows "
                    "without missing values"
                )


def _refuse_other_labels(readings: list[Reading]) -> None:
    """Refuse leaves that predict nothing, or another class than the most probable one."""
    for reading in readings:
        leaves = np.array(reading.leaves)
        labels = np.array(reading.label)[leaves]
        if (labels < 0).any():
            raise ValueError(
                f"leaf {leaves[labels < 0][0]} predicts nothing, which scikit-learn's trees "
                "cannot; fit with empty_branch='parent'"
            )
        wrong = np.flatnonzero(reading.probabilities(leaves.tolist()).argmax(axis=1) != labels)
        if wrong.size:
            label = reading.classes[labels[wrong[0]]]
            raise ValueError(
                f"leaf {leaves[wrong[0]]} predicts {label!r}, which is not its most probable "
                "class; scikit-learn's trees predict that one. Fit without cost_matrix, and with "
                "labels='majority'"
            )


def _refuse_single_precision(model: Any, readings: list[Reading], X: Any) -> None:
    """Refuse trees that rows rounded to float32 pass on other ways: the training rows as `fit` saw
    them, or the rows given."""
    thresholds = _thresholds(readings)
    if X is not None:
        _check_rows(model, thresholds, X)
        return
    for feature, value, threshold in getattr(model, "_float32_conflicts", ()):
        if threshold in thresholds.get(feature, ()):
            raise ValueError(
                f"column {model._schema.names[feature]!r}: scikit-learn's trees read float32, "
                f"which "
                f"puts the training value {value!r} on the other side of the threshold "
                f"{threshold!r}. Round the column before fitting (X.astype(numpy.float32)), or "
                "give rows whose ways through the tree are to be checked instead: to_sklearn(X)"
            )


def _thresholds(readings: list[Reading]) -> dict[int, set[float]]:
    """All numbers that each feature is compared with."""
    found: dict[int, set[float]] = {}
    for reading in readings:
        for node, kids in enumerate(reading.children):
            feature = reading.feature[node]
            if kids and reading.features[feature].levels is None:
                cuts: tuple[float, ...] = (reading.reach[node],)
                if math.isnan(cuts[0]):
                    cuts = reading.features[feature].cuts or ()
                found.setdefault(feature, set()).update(cuts)
    return found


def _check_rows(model: Any, thresholds: dict[int, set[float]], X: Any) -> None:
    """Refuse where rounding a row leads it to another leaf."""
    blocks, n = rows_for(model._schema, X, model.handle_unknown, model.missing)
    rounded = [b.astype(np.float32).astype(b.dtype) if b.dtype.kind == "f" else b for b in blocks]
    engine = model._model
    mine = engine.apply(blocks, n, model.n_jobs).reshape(n, -1)
    other = np.flatnonzero((mine != engine.apply(rounded, n, model.n_jobs).reshape(n, -1)).any(1))
    if not other.size:
        return
    row = int(other[0])
    cells = [
        (b[row, j], r[row, j])
        for b, r in zip(blocks, rounded, strict=True)
        for j in range(b.shape[1])
    ]
    for feature, cuts in sorted(thresholds.items()):
        value, near = (float(v) for v in cells[feature])
        for cut in sorted(cuts):
            if (value <= cut) != (near <= cut):
                raise ValueError(
                    f"column {model._schema.names[feature]!r}, row {row}: scikit-learn's trees "
                    f"read "
                    f"float32, which puts the value {value!r} on the other side of the threshold "
                    f"{cut!r}. Round the column before fitting (X.astype(numpy.float32))"
                )


# -- writing the arrays ---------------------------------------------------------------------------


def _subset(reading: Reading, node: int) -> tuple[int, ...] | None:
    """Codes that a subset node lists; None for other tests."""
    return tuple(reading.tree.levels_of(node).tolist()) or None


def _columns(readings: list[Reading]) -> list[Key]:
    """The columns that the trees read: all numbers, the codes and sets of levels that are asked
    for."""
    features = readings[0].features
    used: dict[Key, None] = {
        (f, None): None for f, one in enumerate(features) if one.levels is None
    }
    for reading in readings:
        for node, kids in enumerate(reading.children):
            if kids:
                used[reading.feature[node], _subset(reading, node)] = None
    if not used:
        used = {(f, None): None for f in range(len(features))}
    order = {key: i for i, key in enumerate(used)}
    return sorted(used, key=lambda key: (key[0], key[1] is not None, order[key]))


def _test(reading: Reading, node: int, place: dict[Key, int]) -> _Test:
    """The test of an inner node."""
    feature, subset = reading.feature[node], _subset(reading, node)
    column = place[feature, subset]
    shares = [subset.missing for subset in reading.branch_sets(node)]
    missing = max(range(len(shares)), key=shares.__getitem__)
    reach, one = reading.reach[node], reading.features[feature]
    if not math.isnan(reach):
        return _Test(column, [reach], [0, 1], missing)
    if subset is not None:
        return _Test(column, [0.5], [1, 0], missing)
    cuts = (
        list(one.cuts or ())
        if one.levels is None
        else [c + 0.5 for c in range(len(one.levels) - 1)]
    )
    return _Test(column, cuts, list(range(len(cuts) + 1)), missing)


def _nodes(reading: Reading, place: dict[Key, int]) -> _Nodes:
    """A tree as scikit-learn lists it."""
    tree, nodes = reading.tree, _Nodes()
    values = reading.probabilities(list(range(tree.node_count)))
    rows = tree.n_node_samples.tolist()

    def told(node: int, branches: list[int] | None = None) -> tuple[int, np.ndarray, np.ndarray]:
        """Samples, counts and value of a node, or of some of its branches together."""
        if branches is None:
            return rows[node], tree.value[node], values[node]
        kids = [reading.children[node][b] for b in branches]
        counts = tree.value[kids].sum(axis=0)
        whole = counts.sum()
        return sum(rows[k] for k in kids), counts, counts / whole if whole > 0 else values[node]

    # A node of the tree, or a test whose branches order[low:high] are still together.
    work: list[tuple[int, _Test | None, int, int, tuple[int, str]]] = [(0, None, 0, 0, (-1, ""))]
    while work:
        node, test, low, high, above = work.pop()
        if test is not None and high - low == 1:
            work.append((reading.children[node][test.order[low]], None, 0, 0, above))
            continue
        if test is not None:
            entry = nodes.add(told(node, test.order[low:high]), above)
        else:
            if not reading.children[node]:
                nodes.add(told(node), above)
                continue
            test = _test(reading, node, place)
            low, high = 0, len(test.order)
            own = test.missing not in test.order
            if not own and high == 1:  # a test that tells nothing apart
                work.append((node, test, 0, 1, above))
                continue
            entry = nodes.add(told(node), above)
            if own:
                nodes.ask(entry, test.column, math.inf, False)
                kid = reading.children[node][test.missing]
                work.append((kid, None, 0, 0, (entry, "right")))
                work.append((node, test, low, high, (entry, "left")))
                continue
        middle = low + 1 if len(test.order) <= CHAIN else (low + high) // 2
        nodes.ask(entry, test.column, test.cuts[middle - 1], test.missing in test.order[low:middle])
        work.append((node, test, middle, high, (entry, "right")))
        work.append((node, test, low, middle, (entry, "left")))
    return nodes


def _impurity(counts: np.ndarray, criterion: str) -> np.ndarray:
    """Gini index or entropy in bits of class counts (n_nodes, n_classes); 0 where there are
    none."""
    whole = counts.sum(axis=1, keepdims=True)
    shares = np.divide(counts, whole, out=np.zeros_like(counts), where=whole > 0)
    if criterion == "entropy":
        logs = np.log2(shares, out=np.zeros_like(shares), where=shares > 0)
        return np.asarray(0.0 - (shares * logs).sum(axis=1))
    return np.asarray(np.where(whole[:, 0] > 0, 1.0 - (shares**2).sum(axis=1), 0.0))


def _criterion(model: Any) -> str:
    """scikit-learn's impurity for a model's criterion: entropy for information gain, else Gini."""
    from .. import criteria

    made = criteria.make(model.criterion)
    return "entropy" if getattr(made, "name", "") == "info_gain" else "gini"


def _limit(model: Any) -> int | None:
    """The largest depth that the model was allowed."""
    return getattr(model, "max_depth", None)


def _tree(model: Any, reading: Reading, place: dict[Key, int], names: bool) -> Any:
    """A fitted `DecisionTreeClassifier`."""
    from sklearn.tree import DecisionTreeClassifier
    from sklearn.tree._tree import Tree

    nodes, criterion = _nodes(reading, place), _criterion(model)
    counts = np.array(nodes.counts, dtype=np.float64)
    classes = counts.shape[1]
    tree = Tree(len(place), np.array([classes], dtype=np.intp), 1)
    array = np.zeros(len(nodes.left), dtype=tree.__getstate__()["nodes"].dtype)
    array["left_child"], array["right_child"] = nodes.left, nodes.right
    array["feature"], array["threshold"] = nodes.feature, nodes.threshold
    array["impurity"] = _impurity(counts, criterion)
    array["n_node_samples"] = nodes.samples
    array["weighted_n_node_samples"] = counts.sum(axis=1)
    array["missing_go_to_left"] = nodes.missing_left
    tree.__setstate__(
        {
            "max_depth": max(nodes.depth),
            "node_count": len(array),
            "nodes": array,
            "values": np.ascontiguousarray(np.array(nodes.value)[:, None, :]),
        }
    )
    out = DecisionTreeClassifier(criterion=criterion, max_depth=_limit(model))
    out.tree_, out.n_outputs_, out.n_classes_ = tree, 1, classes
    out.classes_ = np.asarray(model.classes_)
    out.n_features_in_ = out.max_features_ = len(place)
    if names:
        out.feature_names_in_ = np.array(model._schema.names, dtype=object)
    return out


def _forest(model: Any, trees: list[Any], names: bool, columns: int) -> Any:
    """A fitted `RandomForestClassifier`."""
    from sklearn.ensemble import RandomForestClassifier
    from sklearn.tree import DecisionTreeClassifier

    criterion = trees[0].criterion
    out = RandomForestClassifier(
        len(trees),
        criterion=criterion,
        max_depth=_limit(model),
        bootstrap=bool(getattr(model, "bootstrap", False)),
    )
    out.classes_ = np.asarray(model.classes_)
    out.n_classes_, out.n_outputs_, out.n_features_in_ = len(out.classes_), 1, columns
    if names:
        out.feature_names_in_ = np.array(model._schema.names, dtype=object)
    for tree in trees:  # scikit-learn's trees in a forest know codes of classes and no names
        tree.classes_ = np.arange(out.n_classes_, dtype=np.float64)
        tree.__dict__.pop("feature_names_in_", None)
    out.estimator_ = DecisionTreeClassifier(criterion=criterion)
    out.estimators_ = trees
    return out
