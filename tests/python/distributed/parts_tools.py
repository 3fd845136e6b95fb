"""Random rows and settings for fits on batches and partitions, and the same fit on all rows.

`task` is that of the target; a regression has numbers of many sizes, whole ones among them, which
are on the grid of their range: only of such are leaf numbers those of rows in memory to the bit.
"""

from __future__ import annotations

import numpy as np
import pandas as pd

import fasttree

CRITERIA = (
    "info_gain", "gini", "gain_ratio", "normal_gain", "mantaras", "variation_of_information",
    "symmetric_uncertainty", "chi2", "laplace", "accuracy", "jaccard", "f_measure", "mdl", "dkm",
    "hellinger", "euclid", "angle", "twoing", "auc", "class_euclid",
)  # fmt: skip
NUMBER_CRITERIA = ("squared_error", "standard_deviation")


def random_rows(seed: int, task: str = "classification") -> pd.DataFrame:
    """Numbers of many and of few values, levels, gaps, a target, whole weights."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(30, 400))
    frame = {}
    for j in range(int(rng.integers(1, 4))):
        values = rng.normal(size=n) if rng.random() < 0.7 else rng.integers(0, 6, n).astype(float)
        frame[f"x{j}"] = values.astype(np.float32) if rng.random() < 0.2 else values
    for j in range(int(rng.integers(0, 3))):
        frame[f"c{j}"] = rng.choice([f"v{i:02}" for i in range(int(rng.integers(2, 40)))], n)
    k = int(rng.integers(2, 5))
    score = frame["x0"] + rng.normal(size=n) * 0.7
    y = np.clip(((score - score.min()) / (np.ptp(score) + 1e-9) * k).astype(int), 0, k - 1)
    out = pd.DataFrame(frame)
    if rng.random() < 0.5:
        for name in out.columns:
            out.loc[rng.random(n) < 0.15, name] = None if name[0] == "c" else np.nan
    out["w"] = rng.integers(0, 4, n)
    if task == "regression":
        # Multiples of 2^-20, which are on the grid of a target whatever its range is here.
        size, part = rng.choice([2.0**-30, 1.0, 3.0, 2.0**40]), np.round(score * 2**20) / 2**20
        out["y"] = score.round() if rng.random() < 0.3 else part * size + 5 * size
        return out
    labels = rng.integers(3)
    out["y"] = y if labels == 0 else [f"class {v}" for v in y] if labels == 1 else y > 0
    return out


def random_settings(seed: int, rows: pd.DataFrame) -> dict[str, object]:
    """Parameters of a tree on histograms that rows in parts serve."""
    is_number = rows["y"].dtype.kind == "f"
    rng = np.random.default_rng(seed + 10_000)
    params: dict[str, object] = {
        "columns": "as_given",  # batches and partitions are taken as given
        "criterion": str(rng.choice(NUMBER_CRITERIA if is_number else CRITERIA)),
        "threshold_search": "histogram",
        "max_bins": int(rng.choice([4, 17, 255, 300])),
        "missing": str(rng.choice(["branch", "mode"])),
        "nominal_splits": str(rng.choice(["auto", "multiway", "subset", "one_vs_rest"])),
        "ties": str(rng.choice(["first", "random"])),
        "random_state": int(rng.integers(99)),
    }
    if not rows.isna().any(axis=None) and rng.random() < 0.5:
        params["missing"] = "auto"
    some = {
        "max_depth": int(rng.integers(1, 9)),
        "max_leaf_nodes": int(rng.integers(2, 20)),
        "min_samples_leaf": int(rng.integers(1, 9)),
        "min_samples_split": 0.05,
        "min_weight_fraction_leaf": 0.02,
        "min_impurity_decrease": 0.001,
        "max_features": 0.5,
    }
    if is_number:
        some["pruning"] = "cost_complexity"
    else:
        prunings = ["pessimistic", "m_estimate", "mdl", "cost_complexity"]
        some |= {
            "leaf_smoothing": "laplace",
            "pruning": str(rng.choice(prunings)),
            "empty_branch": "unclassified",
        }
    return params | {k: v for k, v in some.items() if rng.random() < 0.25}


def random_parts(seed: int, rows: pd.DataFrame) -> list[pd.DataFrame]:
    """The rows in some parts, in another order; a part may be empty."""
    rng = np.random.default_rng(seed + 20_000)
    shuffled = rows.iloc[rng.permutation(len(rows))].reset_index(drop=True)
    ends = np.sort(rng.integers(0, len(rows) + 1, int(rng.integers(0, 5))))
    starts = [0, *ends.tolist()]
    return [
        shuffled.iloc[a:b].reset_index(drop=True)
        for a, b in zip(starts, [*ends.tolist(), len(rows)], strict=True)
    ]


def estimator_for(rows: pd.DataFrame, forest: bool = False):
    """The class of estimators for the target of some rows."""
    task = "Regressor" if rows["y"].dtype.kind == "f" else "Classifier"
    return getattr(fasttree, f"Fast{'Forest' if forest else 'Tree'}{task}")


def on_one_machine(rows: pd.DataFrame, params: dict, weighted: bool, forest: bool = False):
    """The fit on all rows together."""
    kind = estimator_for(rows, forest)
    weights = rows["w"].to_numpy() if weighted else None
    return kind(**params).fit(rows.drop(columns=["w", "y"]), rows["y"], weights)
