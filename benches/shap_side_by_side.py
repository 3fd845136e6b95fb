"""Shapley values beside the shap package: CPU time of one thread on the same trees.

The peer explains the same trees, converted by ``to_sklearn``; its values are compared before
anything is timed. ``--record`` keeps the numbers in ``benches/record/``.

    python benches/shap_side_by_side.py --rounds 3 --record
"""

from __future__ import annotations

import argparse
import os

os.environ["OPENBLAS_NUM_THREADS"] = "1"  # its threads spin for work, which counts as CPU time

import numpy as np
from clock import add_record, check, have, keep, take_turns
from sklearn.datasets import make_classification

import fasttree
from fasttree import FastForestClassifier

CASES = {
    "tree, depth 6, 2 classes": (2, 20, {"max_depth": 6}, 1, 2000),
    "tree, grown out, 2 classes": (2, 20, {}, 1, 2000),
    "tree, grown out, 5 classes": (5, 20, {}, 1, 1000),
    "forest of 50, depth 8, 2 classes": (2, 20, {"max_depth": 8}, 50, 200),
    "forest of 50, grown out, 3 classes": (3, 40, {}, 50, 50),
}


def models(classes: int, features: int, how: dict, trees: int):
    """A fitted model and rows that float32 holds."""
    X, y = make_classification(
        4000,
        features,
        n_informative=features // 2,
        n_classes=classes,
        flip_y=0.05,
        random_state=0,
    )
    X = X.astype(np.float32).astype(np.float64)
    if trees == 1:
        return fasttree.fit(X, y, criterion="gini", **how), X
    forest = FastForestClassifier(n_estimators=trees, criterion="gini", random_state=0, **how)
    return forest.fit(X, y), X


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=3)
    add_record(parser)
    options = parser.parse_args()
    if not have("shap"):
        return
    import shap

    results = []
    for name, (classes, features, how, trees, rows) in CASES.items():
        model, X = models(classes, features, how, trees)
        X = X[:rows]
        explainer = shap.TreeExplainer(
            model.to_sklearn(), feature_perturbation="tree_path_dependent"
        )
        theirs = explainer.shap_values(X[:20], check_additivity=False)
        apart = float(np.abs(model.shap_values(X[:20]) - theirs).max())
        check(apart < 1e-9, f"{name}: {apart}")
        times = take_turns(
            {
                "fasttree": lambda: model.shap_values(X, n_jobs=1),  # noqa: B023
                "shap": lambda: explainer.shap_values(X, check_additivity=False),  # noqa: B023
            },
            options.rounds,
        )
        best = {who: min(found) for who, found in times.items()}
        ratio = best["shap"] / best["fasttree"]
        print(
            f"{name}: {best['fasttree']:.4f} s, shap {best['shap']:.4f} s, {ratio:.1f}x", flush=True
        )
        results.append(
            {
                "case": name,
                "rows": rows,
                "leaves": int(
                    model.get_n_leaves() if trees == 1 else model._model.shapes()[:, 1].sum()
                ),
                "cpu_s": best,
                "ratio": ratio,
                "largest_difference": apart,
            }
        )
    if options.record:
        from importlib.metadata import version

        keep({"unit": "CPU seconds, one thread", "shap": version("shap"), "results": results})


if __name__ == "__main__":
    main()
