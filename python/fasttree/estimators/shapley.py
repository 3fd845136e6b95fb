"""Shapley values of predictions, as methods of trees and forests.

What
    `shap_values` says what each feature adds to a prediction, `expected_value` is their base value,
    and `shap_explanation` gives both to the plots of the package shap.
Source
    Lundberg et al., Nature Machine Intelligence 2 (2020), path-dependent TreeSHAP; the core
    computes it on any tree (`src/explain`).
Complexity
    O(nodes x features on a path x classes) per row and tree; a number counts as one class.
When not to use it
    For the importance of a feature on all rows: `feature_importances_`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _engine
from .._checks import import_optional
from .._checks.progress import Progress
from ..table import Table
from ..table.named_columns import select_columns
from ..table.sources import cells_of, names_of, to_list
from .new_rows import read_columns, table_options, with_names
from .schema import Schema


def _by_answer(fitted: Any, values: np.ndarray) -> np.ndarray:
    """Values, shape (..., n_classes); for a regressor without the last axis."""
    return values[..., 0] if fitted._model.is_regression else values


def expected_value(fitted: Any) -> np.ndarray | float:
    """The prediction when no feature of a row is known, which is the base value of `shap_values`.

    It is the class probabilities, shape (n_classes,), or for a regressor a float: the mean over the
    leaves, weighted by their shares of the training weight. A forest takes the mean over its trees.
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
        ``predict_proba(X) - expected_value``. A regressor has values of shape (n_rows, n_features),
        as in the ``shap`` package, which sum to ``predict(X) - expected_value``.

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

    `data` are the cells as they were given, labels included, so that plots show them.

    Args:
        X: rows, as in `predict`.
        **options: as in `shap_values`.

    Returns:
        An Explanation with values (n_rows, n_features, n_classes), base_values (n_rows, n_classes),
        data, feature_names and output_names; ``explanation[..., 0]`` is the Explanation of the
        first class. A regressor has values of shape (n_rows, n_features) and base_values of shape
        (n_rows,).

    Raises:
        ImportError: the ``shap`` package is not installed.
    """
    values = fitted.shap_values(X, **options)
    needs = "shap_explanation needs the package shap (pip install shap); shap_values gives the same"
    shap = import_optional("shap", f"{needs} numbers without it")
    rows = _given_cells(fitted._schema, fitted._new_rows(X))
    expected = np.asarray(fitted.expected_value)
    classes = fitted._schema.classes
    return shap.Explanation(
        values=values,
        base_values=np.tile(expected, (len(values),) + (1,) * expected.ndim),
        data=rows,
        feature_names=fitted._schema.given_names,
        output_names=[str(c) for c in classes] if classes else None,
    )


def _given_cells(schema: Schema, X: Any) -> np.ndarray:
    """The cells of new rows as they were given, shape (n_rows, n_given), for a display beside
    predictions.

    Args:
        schema: the columns of the model.
        X: rows as in `encode_rows`. Columns that they lack are filled with NaN or None.
    """
    if isinstance(X, Table) or not schema.dates:
        names = schema.given_names
        if not isinstance(X, Table) and schema.has_names and set(names_of(X) or names) != {*names}:
            # Columns that the model does not read may be absent, and others be there.
            read_schema, places, rows = read_columns(schema, X)
            if not isinstance(rows, Table):
                rows = Table(select_columns(rows, read_schema.names))
            cells_read = rows.X
            all_cells = np.full(
                (len(cells_read), len(names)), np.nan if cells_read.dtype.kind == "f" else None
            )
            all_cells[:, places] = cells_read
            return all_cells
        table = X if isinstance(X, Table) else Table(X, unused=table_options(schema, X)["unused"])
        return np.asarray(table.X)
    named_rows = with_names(schema, X)
    present = names_of(named_rows) or []
    n_rows = len(cells_of(named_rows, present[0]))
    cells = [
        to_list(cells_of(named_rows, name)) if name in present else [None] * n_rows
        for name in schema.given_names
    ]
    return np.array(cells, dtype=object).T
