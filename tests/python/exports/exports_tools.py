"""Random trees of every kind, and rows to ask them: what the tests of all exports share."""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any

import numpy as np
from hypothesis import strategies as st

import fasttree

from ..tools import body_of, file_of, without_idle

HOSTILE = (
    "plain", "two words", "it's", 'quo"te', "semi;colon--", "new\nline", "back\\slash", "`tick`",
    "[bracket]", "日本 ü",
    "'); DROP TABLE t; --", "%s {x} ${y}", "/* c */ // d", "??/ trigraph", "#hash", "</x>&amp;",
)  # fmt: skip

KINDS = ("number", "whole", "text", "bool", "coded")

MERGED = {
    **{"selection": "significance", "merge_levels": True, "alpha": 0.999, "alpha_merge": 0.4},
    **{"adjust": "none", "nominal_splits": "multiway", "discretize": "equal_frequency"},
    "missing": "auto",
    "divided": False,
}
"""Parameters of trees with a branch for each group of merged levels; see `cases`."""


@dataclass
class Case:
    """A fitted model and rows for it: `rows` are dicts of plain values (None = missing), `table`
    the same rows."""

    model: Any
    names: list[str]
    kinds: list[str]
    rows: list[dict[str, Any]]
    table: fasttree.Table

    def predict(self) -> list[Any]:
        return [plain(v) for v in quietly(self.model.predict, self.table)]

    def proba(self) -> np.ndarray:
        return quietly(self.model.predict_proba, self.table)

    def leaves(self) -> list[int]:
        return quietly(self.model.apply, self.table).tolist()


def plain(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


def quietly(call: Any, *args: Any) -> Any:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UserWarning)
        return call(*args)


def column(kind: str, cells: list[Any]) -> Any:
    """Cells as an array of which a Table makes the right kind of column."""
    if kind in ("number", "whole"):
        return np.array([math.nan if c is None else c for c in cells], dtype=np.float64)
    out = np.empty(len(cells), dtype=object)
    out[:] = cells
    return out


def table_of(
    names: list[str], kinds: list[str], rows: list[dict[str, Any]], y: Any = None, **options: Any
) -> fasttree.Table:
    """Rows as a Table; coded columns are nominal integers."""
    import pandas as pd

    frame = pd.DataFrame(
        {n: column(k, [r[n] for r in rows]) for n, k in zip(names, kinds, strict=True)}
    )
    nominal = [n for n, k in zip(names, kinds, strict=True) if k in ("text", "bool", "coded")]
    return fasttree.Table(frame, y, categorical_features=nominal or None, **options)


def cells(kind: str, levels: list[Any]) -> st.SearchStrategy:
    if kind == "number":
        near = [0.1 + 5e-7, 0.1 + 1e-6, 2.5 + 3e-7, 1e-6, -9e-7]
        return st.sampled_from(
            [-1.5, 0.1, 0.2, 0.1 + 0.2, 1 / 3, 2.5, 1e-7, -3e8, *near]
        ) | st.floats(-100, 100, width=32)
    if kind == "whole":
        return st.integers(-3, 3).map(float)
    return st.sampled_from(levels)


@st.composite
def cases(draw: Any, numbers: bool = False, **fixed: Any) -> Case:
    """A model with random columns, data and parameters; `fixed` parameters win. `numbers`: a
    regression tree."""
    divided = fixed.pop("divided", None)
    n_columns = draw(st.integers(1, 4))
    kinds = [draw(st.sampled_from(KINDS)) for _ in range(n_columns)]
    names = draw(
        st.lists(st.sampled_from(HOSTILE), min_size=n_columns, max_size=n_columns, unique=True)
    )
    pools: list[list[Any]] = []
    for kind in kinds:
        if kind == "text":
            pools.append(
                draw(st.lists(st.sampled_from(HOSTILE), min_size=2, max_size=5, unique=True))
            )
        else:
            pools.append([False, True] if kind == "bool" else [3, 7, -2, 40])
    gaps = draw(st.booleans())

    def row(unseen: bool) -> dict[str, Any]:
        found = {}
        for name, kind, pool in zip(names, kinds, pools, strict=True):
            if (gaps or unseen) and draw(st.integers(0, 5)) == 0:
                found[name] = None
            elif unseen and kind == "text" and draw(st.integers(0, 5)) == 0:
                found[name] = "never seen"
            else:
                found[name] = draw(cells(kind, pool))
        return found

    rows = [row(False) for _ in range(draw(st.integers(4, 24)))]
    params: dict[str, Any] = {"missing": draw(st.sampled_from(MISSING))}
    if numbers:
        amounts = st.sampled_from([0.0, 1.5, 1 / 3, -1e9]) | st.integers(-99, 99).map(
            lambda v: v / 7
        )
        y = [draw(amounts) for _ in rows]
        by_order = [] if params["missing"] == "fractional" else ["absolute_error"]
        params |= {
            "criterion": draw(st.sampled_from(["squared_error", "standard_deviation", *by_order]))
        }
    else:
        labels = draw(
            st.sampled_from([["no", "it's"], [0, 1, 2], [True, False], HOSTILE[:4], [1.0, 2.0]])
        )
        y = [draw(st.sampled_from(labels)) for _ in rows]
        params |= {
            "criterion": draw(st.sampled_from(["gini", "info_gain"])),
            "empty_branch": draw(st.sampled_from(["parent", "unclassified"])),
            "leaf_smoothing": draw(st.sampled_from([None, "laplace", "m_estimate"])),
        }
    params |= {
        "nominal_splits": draw(st.sampled_from(NOMINAL)),
        "discretize": draw(st.sampled_from([None, None, "equal_width", "equal_frequency"])),
        "n_bins": 3,
        "thresholds": draw(st.sampled_from(["midpoint", "training_value"])),
        "max_depth": draw(st.sampled_from([None, 2])),
    }
    params.update(fixed)
    task = "regression" if numbers else "classification"
    table = table_of(names, kinds, rows, y, task=task)
    kind = fasttree.FastTreeRegressor if numbers else fasttree.FastTreeClassifier
    model = kind(**without_idle(params)).fit(table)
    if draw(st.booleans()) if divided is None else divided:
        model = dividing(model)
    asked = rows[:6] + [row(True) for _ in range(12)]
    return Case(model, names, kinds, asked, table_of(names, kinds, asked))


def dividing(model: Any) -> Any:
    """The model with every missing value going down all branches, by their shares of the training
    weight."""
    body = body_of(model.to_bytes())
    body["missing_branch"] = [-2 if n else -1 for n in body["n_children"]]
    return fasttree.from_bytes(file_of(body))


def served(name: str, values: tuple[str, ...]) -> list[str]:
    """Those values of a parameter that this version serves."""
    found = []
    for value in values:
        try:
            fasttree.fit(fasttree.datasets.load_weather(), **{name: value})
            found.append(value)
        except ValueError:
            pass
    return found


MISSING = served("missing", ("branch", "mode", "fractional"))
NOMINAL = served("nominal_splits", ("multiway", "subset", "one_vs_rest"))
