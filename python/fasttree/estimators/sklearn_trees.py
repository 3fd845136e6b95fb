"""`to_sklearn`: a fitted tree or forest as an estimator of scikit-learn.

What
    A `DecisionTreeClassifier` or `RandomForestClassifier` (of numbers `DecisionTreeRegressor`,
    `RandomForestRegressor`) with the splits of the model, for tools that read scikit-learn's trees.
    A test with one branch per level or bin becomes a chain of thresholds (a balanced tree of them
    for more than eight branches), a subset test one indicator column. If columns are nominal,
    `SplitColumns` precedes the tree in a Pipeline. A threshold of infinity separates missing values
    that have a branch of their own.
Precision
    scikit-learn's trees read rows as float32. Probabilities and predicted numbers are bit-identical
    to the model's on rows whose cells are training values, and on numbers that float32
    represents, except between a threshold and the place to which it was moved (for a forest of
    classes, unless its largest probabilities differ by rounding only). A threshold moves, to a
    number of float32, if rounding takes a training value over it; a tree is refused only if the
    values on both sides are one number in float32.
Complexity
    O(nodes + branches).
When not to use it
    To predict: `predict_proba` of the model itself is faster and reads float64. For ONNX,
    `to_onnx` writes any tree, fractions of rows included.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from .. import _engine, criteria
from .._checks import one_of
from ..exports.reading import Reading
from ..table.columns import Column
from ..table.data_checks.identifiers import was_numeric
from .new_rows import rows_for
from .split_columns import SplitColumns
from .tree_arrays import impurities

CHAIN = 8
"""Largest number of branches that become a chain of thresholds."""

Key = tuple[int, tuple[int, ...] | None]
"""A column of the tree: a feature, and the levels that an indicator column marks (None: values)."""


class _Test(NamedTuple):
    """A test of a numeric column.

    Attributes:
        column: index of the column.
        cuts: cut points, ascending.
        order: branch ``order[i]`` takes the values up to ``cuts[i]``, the last one the rest.
        missing: branch of missing values.
    """

    column: int
    cuts: list[float]
    order: list[int]
    missing: int


Entry = dict[str, Any]
"""A node by the fields of scikit-learn's record of one, and its ``value`` and ``depth``."""

LEAF = {
    "left_child": -1,
    "right_child": -1,
    "feature": -2,
    "threshold": -2.0,
    "missing_go_to_left": False,
}
"""What an entry says of the test of a leaf."""


def to_sklearn(
    model: Any, X: Any = None, *, missing: str = "refuse", as_forest: bool = False
) -> Any:
    """A fitted model as an estimator of scikit-learn; see `FastTreeClassifier.to_sklearn`."""
    one_of("missing", missing, ("refuse", "largest"))
    forest = as_forest or hasattr(model, "estimators_")
    trees = list(model.estimators_) if hasattr(model, "estimators_") else [model]
    readings = [Reading(tree) for tree in trees]
    if missing == "refuse":
        _refuse_fractions(model, readings)
    _refuse_other_labels(readings)
    moved = _moved_thresholds(model, readings, X)
    # The estimator, on the columns that its tests need.
    keys = _columns(readings)
    column_of = {key: i for i, key in enumerate(keys)}
    schema = model._schema
    odd = any(why is not None and not was_numeric(why) for why in schema.unused)
    numeric = not any(schema.nominal) and not (schema.has_names and odd)
    names = numeric and model._schema.has_names
    converted = [_tree(model, reading, column_of, names, moved) for reading in readings]
    out = _forest(model, converted, names, len(keys)) if forest else converted[0]
    if numeric:
        return out
    # Nominal columns are encoded before it, and columns that are not used are left out.
    from sklearn.pipeline import Pipeline

    columns = [(f, None if codes is None else list(codes)) for f, codes in keys]
    encoder = SplitColumns(
        model._model.schema_json(),
        columns,
        has_names=model._schema.has_names,
        handle_unknown=model.handle_unknown,
        missing="error" if model.missing == "error" else "branch",
    )
    return Pipeline([("columns", encoder), ("forest" if forest else "tree", out)])


# -- trees that scikit-learn cannot represent -----------------------------------------------------


def _refuse_fractions(model: Any, readings: list[Reading]) -> None:
    """Refuse trees in which rows with a missing value went down several branches."""
    always = getattr(model, "missing", "auto") == "fractional"
    for reading in readings:
        rows = reading.tree.n_node_samples
        for node, children in enumerate(reading.children):
            may_divide = children and reading.tree.missing_branch[node] == -2
            # A divided row is counted in several children.
            if may_divide and (always or rows[children].sum() > rows[node]):
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


def _moved_thresholds(
    model: Any, readings: list[Reading], X: Any
) -> dict[tuple[int, float], float]:
    """The thresholds, by feature and number, that must move so that rounding to float32 leaves all
    values of their columns on their sides, and where to.

    The values come from X, or from the training rows, whose conflicts `fit` recorded; where
    it could not, all numbers of six significant digits, of which no two are the same in float32.

    Raises:
        ValueError: float32 does not tell the values beside a threshold apart. With X: and it sends
            a row to another leaf.
    """
    record = getattr(model, "_float32_conflicts", None)
    neighbours = {
        (feature, threshold_read): (*beside, rows)
        for feature, threshold_read, beside, rows in record or ()
    }
    columns: list[np.ndarray] = []
    if X is not None:
        blocks, _ = rows_for(model._schema, X, model.handle_unknown, model.missing)
        columns = [block[:, j] for block in blocks for j in range(block.shape[1])]
    moved, stuck = {}, []
    for feature, cuts in sorted(_thresholds(readings).items()):
        cells = columns[feature] if columns else np.empty(0)
        values = np.unique([-math.inf, *cells[~np.isnan(cells)], math.inf])
        for threshold_read in sorted(cuts):
            rows: Any = ()
            if columns:
                place = int(np.searchsorted(values, threshold_read, side="right"))
                below, above = values[place - 1 : place + 1].tolist()
            elif record is None:
                below, above = _decimals_beside(threshold_read)
            elif (feature, threshold_read) in neighbours:
                below, above, rows = neighbours[feature, threshold_read]
            else:
                continue
            threshold = _between(threshold_read, below, above)
            if threshold is not None:
                moved[feature, threshold_read] = threshold
            elif columns:
                stuck.append((feature, threshold_read))
            else:
                raise ValueError(
                    f"column {model._schema.names[feature]!r}: scikit-learn's trees read float32, "
                    f"in which the training values {below!r} (row {rows[0]}) and {above!r} (row "
                    f"{rows[1]}) are one number, and the threshold {threshold_read!r} lies "
                    "between them. Round the column before fitting (X.astype(numpy.float32)), or "
                    "give rows whose ways through the tree are to be checked instead: "
                    "to_sklearn(X)"
                )
    if stuck:
        _check_rows(model, stuck, columns)
    return moved


def _single(value: float) -> float:
    """A number as float32 has it."""
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def _between(threshold: float, below: float, above: float) -> float | None:
    """The number nearest to a threshold that divides two numbers in float32 as the threshold
    divides them in float64; None where they are the same in float32.

    Examples:
        >>> _between(0.1, 0.1, 0.4) == float(np.float32(0.1)), _between(0.35, 0.3, 0.4)
        (True, 0.35)
    """
    low, high = _single(below), _single(above)
    if low <= threshold < high:
        return threshold
    if low >= high:
        return None
    return low if low > threshold else float(np.nextafter(np.float32(high), np.float32(-np.inf)))


def _decimals_beside(threshold: float) -> tuple[float, float]:
    """The numbers of six significant digits that float32 may move over a threshold, on each side of
    it; infinite where there is none."""
    near = np.float32(threshold)
    around = (near, np.nextafter(near, np.float32(-np.inf)), np.nextafter(near, np.float32(np.inf)))
    decimals = [float(f"{single:.6g}") for single in around]
    below = [d for d in decimals if d <= threshold < _single(d)]
    above = [d for d in decimals if _single(d) <= threshold < d]
    return max(below, default=-math.inf), min(above, default=math.inf)


def _thresholds(readings: list[Reading]) -> dict[int, set[float]]:
    """All numbers with which each numeric feature is compared."""
    thresholds: dict[int, set[float]] = {}
    for reading in readings:
        for node, children in enumerate(reading.children):
            feature = reading.feature[node]
            if children and reading.features[feature].levels is None:
                cuts: tuple[float, ...] = (reading.reach[node],)
                if math.isnan(cuts[0]):
                    cuts = reading.features[feature].cuts or ()
                thresholds.setdefault(feature, set()).update(cuts)
    return thresholds


def _check_rows(model: Any, stuck: list[tuple[int, float]], columns: list[np.ndarray]) -> None:
    """Refuse rows that rounding sends to another leaf, over thresholds that cannot move, by column
    and row of the first one."""

    def leaves(cells: list[np.ndarray]) -> np.ndarray:
        blocks = [
            Column("", "numeric" if column.dtype.kind == "f" else "nominal", column)
            for column in cells
        ]
        return np.asarray(model._model.apply(_engine.blocks_of(blocks), n)).reshape(n, -1)

    n, rounded, wrong = len(columns[0]), columns.copy(), {}
    for feature, threshold in stuck:
        cells = columns[feature]
        singles = cells.astype(np.float32).astype(np.float64)
        wrong[feature, threshold] = moves = (cells <= threshold) != (singles <= threshold)
        beyond = np.where(cells <= threshold, np.nextafter(threshold, math.inf), threshold)
        rounded[feature] = np.where(moves, beyond, rounded[feature])
    changed = (leaves(columns) != leaves(rounded)).any(axis=1)
    for (feature, threshold), moves in wrong.items():
        for row in np.flatnonzero(changed & moves)[:1].tolist():
            raise ValueError(
                f"column {model._schema.names[feature]!r}, row {row}: scikit-learn's trees "
                f"read float32, which puts the value {float(columns[feature][row])!r} on the other "
                f"side of the threshold {threshold!r}. Round the column before fitting "
                "(X.astype(numpy.float32))"
            )


# -- writing the arrays ---------------------------------------------------------------------------


def _listed_levels(reading: Reading, node: int) -> tuple[int, ...] | None:
    """Codes of the levels on the first branch of a subset test; None for other tests."""
    return tuple(reading.tree.levels_of(node).tolist()) or None


def _columns(readings: list[Reading]) -> list[Key]:
    """The columns that the trees read: all numeric features, nominal ones as they are tested."""
    features = readings[0].features
    used: dict[Key, None] = {
        (f, None): None for f, feature in enumerate(features) if feature.levels is None
    }
    for reading in readings:
        for node, children in enumerate(reading.children):
            if children:
                used[reading.feature[node], _listed_levels(reading, node)] = None
    if not used:
        used = {(f, None): None for f in range(len(features))}
    order = {key: i for i, key in enumerate(used)}
    return sorted(used, key=lambda key: (key[0], key[1] is not None, order[key]))


def _test(
    reading: Reading,
    node: int,
    column_of: dict[Key, int],
    moved: dict[tuple[int, float], float],
) -> _Test:
    """The test of an inner node; missing values go to the branch with their largest share."""
    index, listed = reading.feature[node], _listed_levels(reading, node)
    column, feature = column_of[index, listed], reading.features[index]
    shares = [subset.missing for subset in reading.branch_sets(node)]
    missing = max(range(len(shares)), key=shares.__getitem__)
    reach = reading.reach[node]
    if not math.isnan(reach):
        return _Test(column, [moved.get((index, reach), reach)], [0, 1], missing)
    if listed is not None:  # an indicator column: 0 for the other levels
        return _Test(column, [0.5], [1, 0], missing)
    if feature.levels is None:
        cuts = [moved.get((index, cut), cut) for cut in feature.cuts or ()]
    else:
        cuts = [code + 0.5 for code in range(len(feature.levels) - 1)]
    branches = reading.tree.groups_of(node).tolist() or list(range(len(cuts) + 1))
    return _Test(column, cuts, branches, missing)


class _Statistics:
    """What is known of the training rows of nodes: class counts, or numbers.

    Attributes:
        criterion: scikit-learn's name of the impurity. Of classes entropy for information gain,
            else Gini; of a number the model's criterion where scikit-learn has it, else the squared
            error.
    """

    def __init__(self, model: Any, reading: Reading) -> None:
        name, tree = criteria.name_of(model.criterion), reading.tree
        self._tree, self._impurity = tree, tree.impurity
        self._values = reading.probabilities(list(range(tree.node_count)))
        self._is_number = reading.predicts_number
        if not self._is_number:
            self.criterion = "entropy" if name == "info_gain" else "gini"
        elif name in ("squared_error", "absolute_error", "poisson"):
            self.criterion = name
        else:
            self.criterion, self._impurity = "squared_error", tree.variance

    def of(self, node: int, branches: list[int] | None = None) -> Entry:
        """A leaf with the rows of a node, or with those of some branches of it together."""
        rows, weights = self._tree.n_node_samples, self._tree.weighted_n_node_samples
        if branches is None:
            statistics = weights[node], self._impurity[node], self._values[node]
            return self._leaf(rows[node], *statistics)
        n_rows = rows[branches].sum()
        if not self._is_number:
            counts = self._tree.value[branches].sum(axis=0)
            total = float(counts.sum())
            impurity = impurities(counts[None, :], self.criterion)[0]
            value = counts / total if total > 0 else self._values[node]
            return self._leaf(n_rows, total, impurity, value)
        # Means, weighted by the rows of the branches.
        weight, values = weights[branches], self._values[branches, 0]
        total = float(weight.sum())
        if not total > 0:
            return self._leaf(n_rows, 0.0, 0.0, self._values[node])
        mean, spread = float(values @ weight) / total, self._impurity[branches]
        if self.criterion == "squared_error":  # within and between the branches
            spread = spread + (values - mean) ** 2
        return self._leaf(n_rows, total, float(spread @ weight) / total, np.array([mean]))

    def _leaf(self, rows: Any, weight: Any, impurity: Any, value: np.ndarray) -> Entry:
        sizes = {"n_node_samples": rows, "weighted_n_node_samples": weight}
        return {**LEAF, **sizes, "impurity": impurity, "value": value}


def _nodes(
    reading: Reading,
    column_of: dict[Key, int],
    statistics: _Statistics,
    moved: dict[tuple[int, float], float],
) -> list[Entry]:
    """The nodes of a tree in scikit-learn's order: pre-order, left before right."""
    entries: list[Entry] = []

    def add(entry: Entry, place: tuple[Entry, str]) -> Entry:
        """Append a leaf at a side of an entry."""
        above, side = place
        above[side] = len(entries)
        entries.append({**entry, "depth": above["depth"] + 1})
        return entries[-1]

    def set_test(entry: Entry, test: _Test, threshold: float, missing_left: bool) -> None:
        """Turn a leaf into a test."""
        entry.update(feature=test.column, threshold=threshold, missing_go_to_left=missing_left)

    # What is still to be written: a node of the tree (no test), or the branches order[low:high] of
    # its test; and where: the entry above it, and the side.
    root: tuple[Entry, str] = ({"depth": -1}, "left_child")
    work: list[tuple[int, _Test | None, int, int, tuple[Entry, str]]] = [(0, None, 0, 0, root)]
    while work:
        node, test, low, high, place = work.pop()
        # A single branch: continue with its child.
        if test is not None and high - low == 1:
            work.append((reading.children[node][test.order[low]], None, 0, 0, place))
            continue
        if test is not None:
            children = [reading.children[node][b] for b in test.order[low:high]]
            entry = add(statistics.of(node, children), place)
        else:
            if not reading.children[node]:
                add(statistics.of(node), place)
                continue
            test = _test(reading, node, column_of, moved)
            low, high = 0, len(test.order)
            has_missing_branch = test.missing not in test.order
            if not has_missing_branch and high == 1:  # a test with one branch
                work.append((node, test, 0, 1, place))
                continue
            entry = add(statistics.of(node), place)
            if has_missing_branch:  # all numbers go left of infinity, missing values right
                set_test(entry, test, math.inf, False)
                child = reading.children[node][test.missing]
                work.append((child, None, 0, 0, (entry, "right_child")))
                work.append((node, test, low, high, (entry, "left_child")))
                continue
        # Split the branches: the first from the others in a chain, else in the middle.
        middle = low + 1 if len(test.order) <= CHAIN else (low + high) // 2
        set_test(entry, test, test.cuts[middle - 1], test.missing in test.order[low:middle])
        work.append((node, test, middle, high, (entry, "right_child")))
        work.append((node, test, low, middle, (entry, "left_child")))
    return entries


def _tree(
    model: Any,
    reading: Reading,
    column_of: dict[Key, int],
    names: bool,
    moved: dict[tuple[int, float], float],
) -> Any:
    """A fitted tree of scikit-learn; `names`: with the names of the columns."""
    from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
    from sklearn.tree._tree import Tree

    is_number, statistics = reading.predicts_number, _Statistics(model, reading)
    entries = _nodes(reading, column_of, statistics, moved)
    n_classes, n_columns = max(1, len(reading.classes)), len(column_of)
    # The record of a Tree depends on the version of scikit-learn: fields are set by name in a state
    # whose dtype comes from an empty Tree.
    tree = Tree(n_columns, np.array([n_classes], dtype=np.intp), 1)
    array = np.zeros(len(entries), dtype=tree.__getstate__()["nodes"].dtype)
    for name in entries[0].keys() - {"value", "depth"}:
        array[name] = [entry[name] for entry in entries]
    tree.__setstate__(
        {
            "max_depth": max(entry["depth"] for entry in entries),
            "node_count": len(array),
            "nodes": array,
            "values": np.array([entry["value"] for entry in entries])[:, None, :],
        }
    )
    # The attributes that `fit` of scikit-learn sets.
    kind = DecisionTreeRegressor if is_number else DecisionTreeClassifier
    out = kind(criterion=statistics.criterion, max_depth=getattr(model, "max_depth", None))
    out.tree_, out.n_outputs_ = tree, 1
    if not is_number:
        out.n_classes_, out.classes_ = n_classes, np.asarray(model.classes_)
    out.n_features_in_ = out.max_features_ = n_columns
    if names:
        out.feature_names_in_ = np.array(model._schema.names, dtype=object)
    return out


def _forest(model: Any, trees: list[Any], names: bool, n_columns: int) -> Any:
    """A fitted random forest of scikit-learn with these trees."""
    from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor

    first, is_number = trees[0], not hasattr(trees[0], "classes_")
    out = (RandomForestRegressor if is_number else RandomForestClassifier)(
        len(trees),
        criterion=first.criterion,
        max_depth=getattr(model, "max_depth", None),
        bootstrap=bool(getattr(model, "bootstrap", False)),
    )
    out.n_outputs_, out.n_features_in_ = 1, n_columns
    if names:
        out.feature_names_in_ = np.array(model._schema.names, dtype=object)
    for tree in trees:  # trees in a forest of scikit-learn predict codes and have no names
        if not is_number:
            tree.classes_ = np.arange(first.n_classes_, dtype=np.float64)
        tree.__dict__.pop("feature_names_in_", None)
    if not is_number:
        out.classes_ = np.asarray(model.classes_)
        out.n_classes_ = len(out.classes_)
    out.estimator_ = type(first)(criterion=first.criterion)
    out.estimators_ = trees
    return out
