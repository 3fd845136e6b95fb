"""The methods of trees and forests for other libraries: scikit-learn, shap and matplotlib.

What
    `to_sklearn` converts a model to scikit-learn's own estimators. `shap_values`,
    `shap_explanation` and `expected_value` are Shapley values of predictions. `plot_importances`
    draws the importances.
Source
    Lundberg et al., Nature Machine Intelligence 2 (2020), path-dependent TreeSHAP; the core
    computes it on any tree (`src/explain`).
Complexity
    `to_sklearn`: O(nodes + branches). `shap_values`: O(nodes x features on a path x classes) per
    row and tree; a number counts as one class.
When not to use it
    As functions: they are methods of the estimators.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _engine
from .._checks import optional
from .._checks.progress import Progress
from .new_rows import values_of
from .sklearn_trees import to_sklearn as converted
from .training_rows import TrainingRows


def plot_importances(fitted: Any, ax: Any = None, **options: Any) -> Any:
    """Draw the importances of the features; see `fasttree.plots.plot_importances`. Returns the
    axes."""
    from ..plots import plot_importances

    return plot_importances(fitted, ax=ax, **options)


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
        holds class counts. Of a number, ``tree_.impurity`` is ours for the criteria that
        scikit-learn has (``squared_error``, ``absolute_error``, ``poisson``), else the
        variance, under ``squared_error``; a test of a chain, which stands for a part of a test
        of ours, has the weighted means of the numbers and impurities of its branches (of
        ``squared_error``, their variance).

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
    return converted(fitted, fitted._new_rows(X), missing=missing, as_forest=as_forest)


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


def _by_answer(fitted: Any, values: np.ndarray) -> np.ndarray:
    """Values, shape (..., n_classes); of a regressor without the last axis."""
    return values[..., 0] if fitted._model.is_regression else values


def expected_value(fitted: Any) -> np.ndarray | float:
    """Class probabilities when no feature of a row is known, shape (n_classes,), or of a
    regressor the number, a float: the base value of `shap_values`.

    The mean of the leaves, weighted by their shares of the training weight, and of a forest the
    mean of that over its trees.
    """
    check_is_fitted(fitted, "_model")
    expected = _by_answer(fitted, np.asarray(fitted._model.expected_value()))
    return float(expected) if fitted._model.is_regression else expected


def shap_values(
    fitted: Any, X: Any, *, n_jobs: int | None = None, progress: Progress = None
) -> np.ndarray:
    """Shapley values: what each feature adds to each class probability, or to the number, of
    each row.

    Path-dependent TreeSHAP, exact: where a feature is not known, tests of it send a row down
    all branches by their shares of the training weight. Works on multiway, subset and
    fractional trees and on forests; features are the columns that were given, whatever their
    kind. The value of a date is the sum over its year, month and weekday.

    Args:
        X: rows, as in `predict`; missing values and unknown levels are treated as there.
        n_jobs: threads; None is the model's own number. The values do not depend on it.
        progress: True or ``"auto"`` (a bar), None, or a function (rows done, rows).

    Returns:
        Values, shape (n_rows, n_features, n_classes). Over the features they sum to
        ``predict_proba(X) - expected_value``. Of a regressor, shape (n_rows, n_features), as
        in the ``shap`` package; they sum to ``predict(X) - expected_value``.

    Raises:
        ValueError: rows that the model cannot read; a forest in which some leaf predicts
            nothing (``empty_branch="unclassified"``).
        MemoryError: no memory for the result.

    Examples:
        >>> from sklearn.datasets import load_iris
        >>> import fasttree
        >>> X, y = load_iris(return_X_y=True)
        >>> tree = fasttree.fit(X, y, criterion="gini", max_depth=2)
        >>> values = tree.shap_values(X)
        >>> values.shape, tree.expected_value.round(3).tolist()
        ((150, 4, 3), [0.333, 0.333, 0.333])
        >>> bool(np.allclose(values.sum(axis=1) + tree.expected_value, tree.predict_proba(X)))
        True
        >>> lengths = fasttree.FastTreeRegressor(max_depth=3).fit(X[:, :2], X[:, 2])
        >>> values = lengths.shap_values(X[:, :2])
        >>> values.shape, round(lengths.expected_value, 3)
        ((150, 2), 3.758)
    """
    blocks, n = fitted._encode(X)
    report = _engine.make_report(progress, "rows")
    threads = fitted.n_jobs if n_jobs is None else n_jobs
    values = np.asarray(fitted._model.shap_values(blocks, n, threads, report))
    if fitted._schema.dates:
        values = fitted._schema.by_given_column(values.swapaxes(1, -1)).swapaxes(1, -1)
    return _by_answer(fitted, values)


def shap_explanation(fitted: Any, X: Any, **options: Any) -> Any:
    """`shap_values` as a ``shap.Explanation``, which the plots of the ``shap`` package draw.

    Args:
        X: rows, as in `predict`.
        **options: as in `shap_values`.

    Returns:
        An Explanation with values (n_rows, n_features, n_classes), base_values (n_rows,
        n_classes), data, feature_names and output_names; ``explanation[..., 0]`` is that of the
        first class. Of a regressor, values (n_rows, n_features) and base_values (n_rows,).

    Raises:
        ImportError: the ``shap`` package is not installed.
    """
    values = fitted.shap_values(X, **options)
    needs = "shap_explanation needs the package shap (pip install shap); shap_values gives the same"
    shap = optional("shap", f"{needs} numbers without it")
    rows = values_of(fitted._schema, fitted._new_rows(X))
    expected = np.asarray(fitted.expected_value)
    classes = fitted._schema.classes
    return shap.Explanation(
        values=values,
        base_values=np.tile(expected, (len(values),) + (1,) * expected.ndim),
        data=rows,
        feature_names=fitted._schema.given_names,
        output_names=[str(c) for c in classes] if classes else None,
    )
