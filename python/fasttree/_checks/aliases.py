"""Names of types that annotations of several packages share.

What
    Types of common parameters: labels and weights of rows, seeds, class labels, nominal columns,
    folds. They are defined here once.
When not to use it
    For checks: those are in `_checks`. For words of one estimator: `estimators.keywords`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

if TYPE_CHECKING:
    from typing_extensions import Self as Self  # noqa: PLC0414
    from typing_extensions import Unpack as Unpack  # noqa: PLC0414
else:  # Python 3.10 has neither, and annotations are not evaluated
    Self = Unpack = Any

MaybeArray: TypeAlias = ArrayLike | None
"""Labels or weights of rows, shape (n_rows,)."""

Seed: TypeAlias = int | np.random.Generator | np.random.RandomState | None
"""A seed, or the generator to draw from."""

Task: TypeAlias = Literal["classification", "regression"]
"""Whether the target has classes or is a number."""

TASKS: tuple[Task, ...] = ("classification", "regression")
"""The words of `Task`."""

Label: TypeAlias = bool | int | float | str | np.generic
"""A class label or the level of a nominal column."""

ClassLabels: TypeAlias = Sequence[Label] | np.ndarray
"""The labels of all classes, in order."""

CategoricalFeatures: TypeAlias = (
    Literal["from_dtype", "all"]
    | Sequence[int]
    | Sequence[bool]
    | list[str]
    | tuple[str, ...]
    | np.ndarray
    | None
)
"""Nominal columns: by their types, all, a mask, indices or names; None for no column."""


ColumnUse: TypeAlias = Literal["auto", "as_given"] | Mapping[str, Literal["auto", "as_given"]]
"""What is made of the columns of frames and files; see `fasttree.table.data_checks`."""


class CrossValidator(Protocol):
    """A splitter with the interface of scikit-learn: any object with its method `split`.
    Annotations use it, so that type checkers accept splitters of other packages; nothing inherits
    from it."""

    def split(self, X: Any, y: Any = None, groups: Any = None) -> Iterable[tuple[Any, Any]]:
        """Yield (positions of the training rows, positions of the test rows) of each fold.
        Splitters that do not read y or groups ignore them."""


CvFolds: TypeAlias = int | str | CrossValidator | Iterable[tuple[ArrayLike, ArrayLike]]
"""Folds: how many, ``"5x10"``, a splitter, or the training and test rows of each."""
