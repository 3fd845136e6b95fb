"""`SplitColumns`: the transformer before a tree that `to_sklearn` converted.

What
    scikit-learn's trees compare numbers with thresholds. A nominal column becomes the codes of its
    levels where a test has a branch for each level. It becomes one indicator column for each set of
    levels that a subset test sends to its first branch. Numbers stay as they are; a missing value,
    and a level that was not declared, is NaN.
Complexity
    One pass over the cells of each column.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin

from .._checks.aliases import MaybeArray
from .._checks.plain_text import level_text
from .new_rows import encode_rows
from .schema import Schema

SHOWN_LEVELS = 6
"""Largest number of levels in the name of an indicator column."""


@dataclass(eq=False, repr=False)
class SplitColumns(TransformerMixin, BaseEstimator):
    """Encodes rows as the numeric columns that a converted tree tests.

    `to_sklearn` makes it and puts it in front of the converted tree in a Pipeline. It keeps the
    schema as JSON, so that it can be pickled and cloned without the model.

    Args:
        schema: names, kinds and levels of the columns of the model, as JSON.
        columns: (index of the feature, None or codes of levels) of each output column: None for its
            numbers or codes, else an indicator, 1 for these levels and 0 for the others.
        has_names: whether columns of frames are found by name.
        handle_unknown: undeclared levels are ``"missing"`` (with a warning) or an ``"error"``.
        missing: ``"error"`` refuses missing values.
    """

    schema: str
    columns: Any
    has_names: bool = False
    handle_unknown: str = "missing"
    missing: str = "branch"

    def fit(self, X: Any, y: MaybeArray = None) -> SplitColumns:
        """Return the transformer itself, unchanged: its columns are known from the tree, and X and
        y are not read. A Pipeline of scikit-learn requires the method."""
        return self

    def _read(self) -> Schema:
        """The schema of the model."""
        return Schema.of_json(self.schema, self.has_names, "SplitColumns")

    def transform(self, X: Any) -> np.ndarray:
        """Encode rows as float64, shape (n_rows, len(columns)).

        Raises:
            ValueError, TypeError: rows that the model could not predict.
        """
        blocks, n = encode_rows(self._read(), X, self.handle_unknown, self.missing)
        cells = [block[:, j] for block in blocks for j in range(block.shape[1])]
        nominal = self._read().nominal
        out = np.empty((n, len(self.columns)))
        for place, (feature, codes) in enumerate(self.columns):
            values = np.asarray(cells[feature])
            if not nominal[feature]:
                out[:, place] = values
                continue
            marked = values if codes is None else np.isin(values, codes)
            out[:, place] = np.where(values < 0, np.nan, marked)
        return out

    def get_feature_names_out(self, input_features: Any = None) -> np.ndarray:
        """Names of the columns: ``colour``, and ``colour in {blue, red}`` for a set of levels."""
        schema = self._read()
        names: list[str] = []
        for feature, codes in self.columns:
            name = schema.names[feature]
            if codes is not None:
                shown = ", ".join(
                    level_text(schema.levels[feature][c]) for c in codes[:SHOWN_LEVELS]
                )
                more = f", ... {len(codes)} levels" if len(codes) > SHOWN_LEVELS else ""
                name = f"{name} in {{{shown}{more}}}"
            same = sum(other == name or other.startswith(f"{name} #") for other in names)
            names.append(name if not same else f"{name} #{same + 1}")
        return np.asarray(names, dtype=object)

    @property
    def n_features_in_(self) -> int:
        """Number of columns of the rows that `transform` takes, as they were given to the fit of
        the model. It differs from the number of output columns, `len(columns)`."""
        return len(self._read().given_names)

    def __sklearn_is_fitted__(self) -> bool:
        return True

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.allow_nan = self.missing != "error"
        tags.input_tags.categorical = tags.input_tags.string = True
        tags.requires_fit = False
        return tags
