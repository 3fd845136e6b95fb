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
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _engine, criteria
from .._checks import one_of
from ..exports.comparisons import ColumnTest, comparisons
from ..exports.reading import Reading
from ..table.columns import Column
from ..table.data_checks.identifiers import was_numeric
from .new_rows import encode_rows
from .split_columns import SplitColumns
from .training_rows import TrainingRows
from .tree_arrays import impurities

CHAIN = 8
"""Largest number of branches that become a chain of thresholds, not a balanced tree."""

Key = tuple[int, tuple[int, ...] | None]
"""A column that the converted tree reads: the number of a feature, and the codes of the levels that
an indicator column marks. If None stands for the codes, the column has the values or codes of the
feature."""

Entry = dict[str, Any]
"""A node by the fields of scikit-learn's record of one, and its ``value`` and ``depth``."""

LEAF = {
    "left_child": -1,
    "right_child": -1,
    "feature": -2,
    "threshold": -2.0,
    "missing_go_to_left": False,
}
"""The fields of an entry for the test, in a leaf."""


def to_sklearn(
    fitted: Any, X: Any = None, *, missing: str = "refuse", as_forest: bool = False
) -> Any:
    """The model as scikit-learn's own estimator, for everything that reads those.

    A `DecisionTreeClassifier` or `DecisionTreeRegressor` (of a forest a
    `RandomForestClassifier` or `RandomForestRegressor`); where a column is nominal, a Pipeline
    of `SplitColumns`, which turns levels into numbers, and that. A test with a branch for each
    level or bin becomes a chain of thresholds, a subset test one indicator column.
    Probabilities and predicted numbers are the model's to the last bit on numbers that float32
    holds, which is what scikit-learn's trees read.

    Args:
        X: rows that must keep their ways through the tree when they are rounded to float32.
            None: all rows made of training values, as `fit` saw them; where these are not known
            (a loaded model, ``threshold_search="histogram"``), all rows whose numbers have at
            most six significant digits. Where rounding would take a value over a threshold,
            the threshold moves, to the nearest number of float32 that keeps all values of the
            column on their sides. Other rows may get another answer only if they have a number
            within rounding of a threshold, or between it and where it was moved.
        missing: ``"refuse"``: a tree that divides rows with a missing value into fractions is
            refused (``missing="fractional"``, or training rows that were divided).
            ``"largest"``: rows with a missing value take the branch of largest weight instead;
            others get the same probabilities.
        as_forest: True makes a forest of a tree, too: of that tree alone (treelite reads
            forests only).

    Returns:
        A fitted estimator. Its ``tree_.value`` holds probabilities, as scikit-learn's do; ours
        holds class counts. In a regression tree, ``tree_.impurity`` is ours for the criteria that
        scikit-learn has (``squared_error``, ``absolute_error``, ``poisson``), else the variance,
        under ``squared_error``; a test of a chain, which stands for a part of a test of ours, has
        the weighted means of the numbers and impurities of its branches (of ``squared_error``,
        their variance).

    Raises:
        ValueError: fractions of rows, a leaf that predicts nothing or not its most probable
            class, or numbers on both sides of a threshold that are one number in float32; the
            message names node or column, values and rows, and what to do.

    Examples:
        >>> import fasttree
        >>> tree = fasttree.fit("weather").to_sklearn()
        >>> tree[0].get_feature_names_out().tolist()
        ['outlook', 'humidity', 'windy']
        >>> from sklearn.tree import export_text
        >>> print(export_text(tree[1], feature_names=tree[0].get_feature_names_out()))
        |--- outlook <= 0.50
        |   |--- humidity <= 0.50
        |   |   |--- class: no
        |   |--- humidity >  0.50
        |   |   |--- class: yes
        |--- outlook >  0.50
        |   |--- outlook <= 1.50
        |   |   |--- class: yes
        |   |--- outlook >  1.50
        |   |   |--- windy <= 0.50
        |   |   |   |--- class: no
        |   |   |--- windy >  0.50
        |   |   |   |--- class: yes
        <BLANKLINE>
    """
    check_is_fitted(fitted, "_model")
    X = fitted._new_rows(X)
    one_of("missing", missing, ("refuse", "largest"))
    forest = as_forest or hasattr(fitted, "estimators_")
    trees = list(fitted.estimators_) if hasattr(fitted, "estimators_") else [fitted]
    readings = [Reading(tree) for tree in trees]
    if missing == "refuse":
        _refuse_fractions(fitted, readings)
    _refuse_other_labels(readings)
    moved = _moved_thresholds(fitted, readings, X)
    # The estimator, on the columns that its tests need.
    keys = _columns(readings)
    column_of = {key: i for i, key in enumerate(keys)}
    schema = fitted._schema
    odd = any(why is not None and not was_numeric(why) for why in schema.unused)
    numeric = not any(schema.nominal) and not (schema.has_names and odd)
    names = numeric and fitted._schema.has_names
    converted = [_tree(fitted, reading, column_of, names, moved) for reading in readings]
    out = _forest(fitted, converted, names, len(keys)) if forest else converted[0]
    if numeric:
        return out
    # Nominal columns are encoded before it, and columns that are not used are left out.
    from sklearn.pipeline import Pipeline

    columns = [(f, None if codes is None else list(codes)) for f, codes in keys]
    encoder = SplitColumns(
        fitted._model.schema_json(),
        columns,
        has_names=fitted._schema.has_names,
        handle_unknown=fitted.handle_unknown,
        missing="error" if fitted.missing == "error" else "branch",
    )
    return Pipeline([("columns", encoder), ("forest" if forest else "tree", out)])


def remember_rounding(fitted: Any, training: TrainingRows) -> None:
    """Record over which thresholds rounding to float32 moves training values, for `to_sklearn`.

    `_float32_conflicts` becomes a list with feature, threshold, the values of the column beside it,
    and the numbers of the given rows that hold them. It is None where the core has read only codes.
    """
    table = training.table
    numbers = table.row_numbers if training.kept is None else training.kept.numbers
    is_single = table.block is not None and table.block.dtype == np.float32
    conflicts = [] if is_single else fitted._model.float32_conflicts(_engine.dataset_of(table))
    if numbers is not None and conflicts:
        conflicts = [
            (f, threshold, beside, numbers[rows].tolist())
            for f, threshold, beside, rows in conflicts
        ]
    fitted._float32_conflicts = conflicts


# -- trees that scikit-learn cannot represent -----------------------------------------------------


def _refuse_fractions(model: Any, readings: list[Reading]) -> None:
    """Raise a ValueError for trees that sent rows with a missing value down several branches."""
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
    """Raise a ValueError for leaves that predict nothing, or not the most probable class."""
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
    """The thresholds that must move, so that no value changes sides when it is rounded to float32.

    The values are the numbers in X; without X they are the numbers in the training rows, whose
    conflicts `fit` recorded. Where `fit` could not, they are all numbers of six significant digits,
    which float32 tells apart.

    Returns:
        (feature, threshold) -> where it moves to.

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
        blocks, _ = encode_rows(model._schema, X, model.handle_unknown, model.missing)
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
    """A number rounded to float32."""
    with np.errstate(over="ignore"):
        return float(np.float32(value))


def _between(threshold: float, below: float, above: float) -> float | None:
    """The number nearest to a threshold that divides two numbers in float32 as the threshold
    divides them in float64; None if the two are the same in float32.

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
    """Raise a ValueError for the first row that rounding to float32 sends to another leaf.

    Args:
        model: the model.
        stuck: (feature, threshold) of the thresholds that cannot move.
        columns: the encoded columns of the rows, shape (n_rows,) each.
    """

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
) -> ColumnTest:
    """The test of an inner node; missing values go to the branch with their largest share."""
    index, listed = reading.feature[node], _listed_levels(reading, node)
    column, feature = column_of[index, listed], reading.features[index]
    shares = [subset.missing for subset in reading.branch_sets(node)]
    missing = max(range(len(shares)), key=shares.__getitem__)
    reach = reading.reach[node]
    if not math.isnan(reach):
        cuts, order = [moved.get((index, reach), reach)], [0, 1]
    elif listed is not None:  # an indicator column: 0 for the other levels
        cuts, order = [0.5], [1, 0]
    else:
        if feature.levels is None:
            cuts = [moved.get((index, cut), cut) for cut in feature.cuts or ()]
        else:
            cuts = [code + 0.5 for code in range(len(feature.levels) - 1)]
        order = reading.tree.groups_of(node).tolist() or list(range(len(cuts) + 1))
    return ColumnTest(column, cuts, order, missing, [])


class _Statistics:
    """Statistics of the training rows in nodes, as scikit-learn's trees hold them.

    Attributes:
        criterion: scikit-learn's name of the impurity. For classes it is the entropy for
            information gain, else Gini; for numbers it is the model's criterion where scikit-learn
            has it, else the squared error.
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
        """The entry of a leaf with the rows of a node, or of some of its children together.

        Args:
            node: number of the node.
            branches: numbers of the children; None: all rows of the node.
        """
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
    tests = comparisons(reading, lambda node: _test(reading, node, column_of, moved), CHAIN)
    for number, test in enumerate(tests):
        entry = statistics.of(test.node, test.children)
        entry["depth"] = 0
        if test.parent >= 0:
            above = entries[test.parent]
            above["right_child" if test.is_right else "left_child"] = number
            entry["depth"] = above["depth"] + 1
        if test.column is not None:
            entry["feature"], entry["threshold"] = test.column, test.cut
            entry["missing_go_to_left"] = test.missing_left
        entries.append(entry)
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
