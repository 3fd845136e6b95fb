"""fasttree beside scikit-learn, LightGBM and YDF: the same data, the same run, one thread, CPU
time.

    python benches/side_by_side.py                 # all workloads but the largest
    python benches/side_by_side.py --only cv predict
    python benches/side_by_side.py --only forest --trees 20
    python benches/side_by_side.py --million       # 1,000,000 rows as well (minutes)
    python benches/side_by_side.py --record        # keeps the numbers in benches/record, workloads
    alone in a file of their own

Every workload checks the answers before it times them: accuracies beside the peer's, leaves beside
the peer's, equal predictions where the models must be equal. A ratio is the peer's time divided by
fasttree's; beside it stand the goal and whether it is met. Peers come with the extra "bench"; a
missing one is left out and named.
"""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from clock import add_record, check, have, keep, machine, take_turns
from sklearn.datasets import load_breast_cancer, load_iris, make_classification, make_friedman1
from sklearn.ensemble import RandomForestClassifier, RandomForestRegressor
from sklearn.metrics import r2_score
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor
from threadpoolctl import threadpool_limits

import fasttree
from fasttree.model_selection import cross_validate

HERE = Path(__file__).resolve().parent
OURS = "fasttree"
LIGHTGBM_TREE = {
    "num_leaves": 255,
    "learning_rate": 1.0,
    "min_data_in_leaf": 1,
    "min_sum_hessian_in_leaf": 0.0,
    "num_threads": 1,
    "verbosity": -1,
}
"""Parameters of LightGBM for one tree without limits but 255 leaves."""


@dataclass
class Contest:
    """One workload: what each contestant does, what came out, and how many times faster we mean to
    be. `accuracy` is the share of right classes, or R^2 where the target is a number."""

    name: str
    data: str
    work: dict[str, Callable[[], Any]]
    goals: dict[str, float]
    leaves: dict[str, float] = field(default_factory=dict)
    accuracy: dict[str, float] = field(default_factory=dict)
    ours: tuple[str, ...] = (OURS,)


def numbers(rows: int, classes: int = 2, features: int = 20) -> tuple[np.ndarray, ...]:
    """Training and test rows (float32) of ten informative and five redundant features, 5 % of the
    labels flipped."""
    test = 20_000
    X, y = make_classification(
        rows + test,
        features,
        n_informative=10,
        n_redundant=5,
        n_classes=classes,
        flip_y=0.05,
        random_state=0,
    )
    X = np.ascontiguousarray(X, dtype=np.float32)
    return X[:rows], y[:rows], X[rows:], y[rows:]


def numeric_target(rows: int, features: int = 20) -> tuple[np.ndarray, ...]:
    """Training and test rows (float32) of Friedman's first function of five features, noise 1."""
    test = 20_000
    X, y = make_friedman1(rows + test, features, noise=1.0, random_state=0)
    X = np.ascontiguousarray(X, dtype=np.float32)
    return X[:rows], y[:rows], X[rows:], y[rows:]


def labels(rows: int, features: int = 30, values: int = 5) -> tuple[np.ndarray, ...]:
    """Training and test rows (uint8 codes); the class is the sign of a noisy sum over six features,
    a weight a value."""
    test = 20_000
    random = np.random.default_rng(0)
    X = random.integers(0, values, (rows + test, features)).astype(np.uint8)
    weights = np.zeros((features, values))
    weights[:6] = random.normal(size=(6, values))
    signal = weights[np.arange(features), X].sum(axis=1)
    y = (signal + random.normal(size=len(X)) > 0).astype(np.int64)
    return X[:rows], y[:rows], X[rows:], y[rows:]


def ydf_columns(X: np.ndarray) -> dict[str, np.ndarray]:
    """Rows as YDF takes them."""
    return {f"x{j}": np.ascontiguousarray(X[:, j]) for j in range(X.shape[1])}


def ydf_cart(
    X: np.ndarray, y: np.ndarray, depth: int | None = None, task: str = "CLASSIFICATION"
) -> Callable[[], Any]:
    """YDF's CART, without limits but for a depth."""
    import ydf

    ydf.verbose(0)
    columns = ydf_columns(X)
    learner = ydf.CartLearner(
        label="y",
        task=getattr(ydf.Task, task),
        max_depth=-1 if depth is None else depth + 1,  # a root alone has depth 1 there
        min_examples=1,
        validation_ratio=0.0,
        num_threads=1,
    )
    return lambda: learner.train({**columns, "y": y})


def ydf_leaves(model: Any) -> int:
    """Leaves of the only tree of a YDF model."""
    open_nodes, leaves = [model.get_tree(0).root], 0
    while open_nodes:
        node = open_nodes.pop()
        if node.is_leaf:
            leaves += 1
        else:
            open_nodes += [node.neg_child, node.pos_child]
    return leaves


def exact_tree(rows: int, ours: str, peers: str) -> Contest:
    """One exact tree without limits on numbers."""
    X, y, X_test, y_test = numbers(rows)
    work: dict[str, Callable[[], Any]] = {
        OURS: lambda: fasttree.FastTreeClassifier(criterion=ours).fit(X, y),
        "scikit-learn": lambda: DecisionTreeClassifier(criterion=peers, random_state=0).fit(X, y),
    }
    tree, peer = work[OURS](), work["scikit-learn"]()
    leaves = {OURS: tree.get_n_leaves(), "scikit-learn": peer.get_n_leaves()}
    accuracy = {OURS: tree.score(X_test, y_test), "scikit-learn": peer.score(X_test, y_test)}
    check(
        np.array_equal(tree.predict(X), peer.predict(X)),
        "predictions of the training rows differ from scikit-learn's",
    )
    check(abs(leaves[OURS] / leaves["scikit-learn"] - 1) < 0.03, f"leaves {leaves}")
    goals = {"scikit-learn": 12.0 if rows < 500_000 else 40.0}
    if have("ydf"):
        work["YDF"] = ydf_cart(X, y)
        model = work["YDF"]()
        leaves["YDF"] = ydf_leaves(model)
        accuracy["YDF"] = float(np.mean((model.predict(ydf_columns(X_test)) > 0.5) == y_test))
        goals["YDF"] = 4.0 if rows < 500_000 else 5.0
    check(max(accuracy.values()) - accuracy[OURS] < 0.015, f"accuracy {accuracy}")
    return Contest(f"exact tree, {ours}", f"{rows:,} x 20 float32", work, goals, leaves, accuracy)


def ydf_forest(
    X: np.ndarray, y: np.ndarray, trees: int, task: str = "CLASSIFICATION"
) -> Callable[[], Any]:
    """YDF's random forest without limits: the square root of the features a node, for a number
    all of them."""
    import ydf

    ydf.verbose(0)
    columns = ydf_columns(X)
    learner = ydf.RandomForestLearner(
        label="y",
        num_trees=trees,
        max_depth=-1,
        min_examples=1,
        task=getattr(ydf.Task, task),
        num_candidate_attributes=0 if task == "CLASSIFICATION" else -1,
        winner_take_all=False,
        compute_oob_performances=False,
        num_threads=1,
    )
    return lambda: learner.train({**columns, "y": y})


def lightgbm_forest(X: np.ndarray, y: np.ndarray, trees: int) -> Callable[[], Any]:
    """LightGBM's forest of trees with 255 leaves on 255 bins (another model: it is less
    accurate)."""
    import lightgbm

    settings = {
        "objective": "binary",
        "boosting": "rf",
        "num_leaves": 255,
        "feature_fraction_bynode": 0.22,
        "bagging_fraction": 0.632,
        "bagging_freq": 1,
        "min_data_in_leaf": 1,
        "num_threads": 1,
        "verbosity": -1,
    }
    return lambda: lightgbm.train(settings, lightgbm.Dataset(X, y), num_boost_round=trees)


def forest(trees: int) -> Contest:
    """Trees without limits on bootstrap samples, four of twenty features a node."""
    X, y, X_test, y_test = numbers(100_000)
    work: dict[str, Callable[[], Any]] = {
        OURS: lambda: fasttree.FastForestClassifier(trees, criterion="gini", random_state=0).fit(
            X, y
        ),
        "scikit-learn": lambda: RandomForestClassifier(trees, random_state=0).fit(X, y),
    }
    ours, peer = work[OURS](), work["scikit-learn"]()
    leaves = {
        OURS: float(np.mean([tree.get_n_leaves() for tree in ours.estimators_])),
        "scikit-learn": float(np.mean([tree.get_n_leaves() for tree in peer.estimators_])),
    }
    accuracy = {OURS: ours.score(X_test, y_test), "scikit-learn": peer.score(X_test, y_test)}
    check(abs(leaves[OURS] / leaves["scikit-learn"] - 1) < 0.05, f"leaves {leaves}")
    goals = {"scikit-learn": 3.0}
    if have("ydf"):
        work["YDF"] = ydf_forest(X, y, trees)
        predicted = work["YDF"]().predict(ydf_columns(X_test))
        accuracy["YDF"] = float(np.mean((predicted > 0.5) == y_test))
        goals["YDF"] = 1.0
    check(max(accuracy.values()) - accuracy[OURS] < 0.005, f"accuracy {accuracy}")
    if have("lightgbm"):
        work["LightGBM, 255 leaves"] = lightgbm_forest(X, y, trees)
        accuracy["LightGBM, 255 leaves"] = float(
            np.mean((work["LightGBM, 255 leaves"]().predict(X_test) > 0.5) == y_test)
        )
    return Contest(
        f"forest of {trees} trees, gini", "100,000 x 20 float32", work, goals, leaves, accuracy
    )


def regression_tree(
    criterion: str, rows: int, features: int, depth: int | None, goals: dict[str, float]
) -> Contest:
    """One exact tree for a number; R^2 stands in the column of accuracy."""
    X, y, X_test, y_test = numeric_target(rows, features)
    work: dict[str, Callable[[], Any]] = {
        OURS: lambda: fasttree.FastTreeRegressor(criterion=criterion, max_depth=depth).fit(X, y),
        "scikit-learn": lambda: DecisionTreeRegressor(
            criterion=criterion, max_depth=depth, random_state=0
        ).fit(X, y),
    }
    tree, peer = work[OURS](), work["scikit-learn"]()
    leaves = {OURS: tree.get_n_leaves(), "scikit-learn": peer.get_n_leaves()}
    accuracy = {OURS: tree.score(X_test, y_test), "scikit-learn": peer.score(X_test, y_test)}
    check(abs(leaves[OURS] / leaves["scikit-learn"] - 1) < 0.03, f"leaves {leaves}")
    if "YDF" in goals and have("ydf"):
        work["YDF"] = ydf_cart(X, y, depth, "REGRESSION")
        model = work["YDF"]()
        leaves["YDF"] = ydf_leaves(model)
        accuracy["YDF"] = r2_score(y_test, model.predict(ydf_columns(X_test)))
    check(max(accuracy.values()) - accuracy[OURS] < 0.015, f"R^2 {accuracy}")
    goals = {peer: goal for peer, goal in goals.items() if peer in work}
    name = f"tree of a number, {criterion}" + ("" if depth is None else f", depth {depth}")
    return Contest(name, f"{rows:,} x {features} float32", work, goals, leaves, accuracy)


def binned_regression_tree() -> Contest:
    """One tree of 255 leaves on 255 bins for a number, beside LightGBM's."""
    import lightgbm

    X, y, X_test, y_test = numeric_target(100_000)
    settings = {**LIGHTGBM_TREE, "objective": "regression"}
    peers = "LightGBM, 1 tree"
    work: dict[str, Callable[[], Any]] = {
        OURS: lambda: fasttree.FastTreeRegressor(
            threshold_search="histogram", max_leaf_nodes=255
        ).fit(X, y),
        peers: lambda: lightgbm.train(settings, lightgbm.Dataset(X, y), num_boost_round=1),
    }
    tree, model = work[OURS](), work[peers]()
    leaves = {OURS: tree.get_n_leaves(), peers: 255.0}
    accuracy = {OURS: tree.score(X_test, y_test), peers: r2_score(y_test, model.predict(X_test))}
    check(max(accuracy.values()) - accuracy[OURS] < 0.01, f"R^2 {accuracy}")
    name = "binned tree of a number, 255 leaves"
    return Contest(name, "100,000 x 20 float32", work, {peers: 6.0}, leaves, accuracy)


def regression_forest(trees: int) -> Contest:
    """Trees of a number without limits on bootstrap samples, all features a node."""
    X, y, X_test, y_test = numeric_target(100_000)
    work: dict[str, Callable[[], Any]] = {
        OURS: lambda: fasttree.FastForestRegressor(trees, max_features=1.0, random_state=0).fit(
            X, y
        ),
        "scikit-learn": lambda: RandomForestRegressor(trees, random_state=0).fit(X, y),
    }
    goals = {"scikit-learn": 15.0}
    accuracy = {name: fit().score(X_test, y_test) for name, fit in work.items()}
    if have("ydf"):
        work["YDF"], goals["YDF"] = ydf_forest(X, y, trees, "REGRESSION"), 8.0
        accuracy["YDF"] = r2_score(y_test, work["YDF"]().predict(ydf_columns(X_test)))
    check(max(accuracy.values()) - accuracy[OURS] < 0.01, f"R^2 {accuracy}")
    name = f"forest of {trees} trees of a number"
    return Contest(name, "100,000 x 20 float32", work, goals, {}, accuracy)


def multiway_tree() -> Contest:
    """Multiway splits on nominal codes and on pandas categories, beside LightGBM's subsets of
    categories."""
    rows = 100_000
    X, y, X_test, y_test = labels(rows)
    work: dict[str, Callable[[], Any]] = {
        "fasttree, uint8": lambda: fasttree.FastTreeClassifier(categorical_features="all").fit(X, y)
    }
    leaves, accuracy = {}, {}
    tree = work["fasttree, uint8"]()
    leaves["fasttree, uint8"] = tree.get_n_leaves()
    accuracy["fasttree, uint8"] = tree.score(X_test, y_test)
    check(
        tree.score(X, y) == 1.0, "an unlimited tree on distinct rows must be right on all of them"
    )
    if have("pandas"):
        import pandas

        frame = pandas.DataFrame(X, columns=[f"x{j}" for j in range(X.shape[1])]).astype("category")
        work["fasttree, pandas"] = lambda: fasttree.FastTreeClassifier().fit(frame, y)
        same = work["fasttree, pandas"]()
        leaves["fasttree, pandas"] = same.get_n_leaves()
        test = pandas.DataFrame(X_test, columns=frame.columns).astype("category")
        accuracy["fasttree, pandas"] = same.score(test, y_test)
        check(
            np.array_equal(same.apply(test), tree.apply(X_test)),
            "codes and categories give different trees",
        )
    goals = {}
    if have("lightgbm"):
        import lightgbm

        settings = {**LIGHTGBM_TREE, "objective": "binary"}
        numeric = X.astype(np.float32)
        every = list(range(X.shape[1]))
        work["LightGBM"] = lambda: lightgbm.train(
            settings, lightgbm.Dataset(numeric, y, categorical_feature=every), num_boost_round=1
        )
        booster = work["LightGBM"]()
        leaves["LightGBM"] = booster.dump_model()["tree_info"][0]["num_leaves"]
        accuracy["LightGBM"] = float(
            np.mean((booster.predict(X_test.astype(np.float32)) > 0.5) == y_test)
        )
        goals["LightGBM"] = 3.0
    ours = tuple(name for name in work if name.startswith(OURS))
    return Contest(
        "multiway tree, info_gain",
        f"{rows:,} x 30, five values",
        work,
        goals,
        leaves,
        accuracy,
        ours,
    )


def uci_folder() -> Path:
    """Where the UCI files are, if they are here."""
    given = os.environ.get("FASTTREE_DATA")
    return Path(given) if given else HERE.parent.parent / "shared" / "data" / "uci"


def nominal_set() -> Iterator[tuple[str, np.ndarray, np.ndarray]]:
    """A made set of 3196 x 36 binary features with a rule to learn, and king-rook against king-pawn
    if it is here."""
    random = np.random.default_rng(0)
    X = random.integers(0, 2, (3196, 36)).astype(np.uint8)
    y = (X[:, 0] & X[:, 1]) | (X[:, 2] & X[:, 3] & X[:, 4]) | ((1 - X[:, 5]) & X[:, 6] & X[:, 7])
    flipped = random.random(len(y)) < 0.03
    yield "made", X, np.where(flipped, 1 - y, y).astype(np.int64)
    path = uci_folder() / "kr-vs-kp.arff"
    if path.is_file():
        table = fasttree.datasets.load(path)
        codes = np.column_stack([column.values for column in table.columns])
        yield "kr-vs-kp", codes.astype(np.uint8), np.asarray(table.y_codes, dtype=np.int64)


def cross_validation(
    name: str, X: np.ndarray, y: np.ndarray, goal: float, nominal: bool = False
) -> Contest:
    """Four criteria x 5x10 folds; scikit-learn knows two of them, and does each twice."""
    four = ["gini", "info_gain", "gain_ratio", "hellinger"]
    theirs = ["gini", "entropy", "gini", "entropy"]
    params: dict[str, Any] = {"categorical_features": "all"} if nominal else {}

    def ours(cv: Any = "5x10") -> Any:
        return cross_validate(X, y, criterion=four, cv=cv, random_state=0, **params)

    def peers(cv: Any = None) -> list[np.ndarray]:
        cv = cv or RepeatedStratifiedKFold(n_splits=10, n_repeats=5, random_state=0)
        return [
            cross_val_score(DecisionTreeClassifier(criterion=c, random_state=0), X, y, cv=cv)
            for c in theirs
        ]

    folds = list(RepeatedStratifiedKFold(n_splits=10, n_repeats=5, random_state=0).split(X, y))
    mine, other = ours(folds), peers(folds)
    accuracy = {
        OURS: float(np.mean([mine[c]["accuracy"].mean() for c in four])),
        "scikit-learn": float(np.mean([scores.mean() for scores in other])),
    }
    for criterion, scores in zip(four[:2], other[:2], strict=True):
        difference = abs(mine[criterion]["accuracy"].mean() - scores.mean())
        check(
            difference < 0.012,
            f"{criterion}: accuracy on the same folds differs by {difference:.4f}",
        )
    check(ours()[four[0]]["accuracy"].shape == (50,), "5x10 folds are 50 values")
    leaves = {OURS: float(np.mean([mine[c]["leaves"].mean() for c in four]))}
    work: dict[str, Callable[[], Any]] = {OURS: ours, "scikit-learn": peers}
    shape = f"{len(X):,} x {X.shape[1]}" + (" nominal" if nominal else "")
    return Contest(
        f"4 criteria x 5x10 CV, {name}", shape, work, {"scikit-learn": goal}, leaves, accuracy
    )


def prediction() -> Contest:
    """20,000 rows down a tree without limits."""
    X, y, X_test, y_test = numbers(100_000)
    tree = fasttree.FastTreeClassifier(criterion="gini").fit(X, y)
    peer = DecisionTreeClassifier(random_state=0).fit(X, y)
    agree = float(np.mean(tree.predict(X_test) == peer.predict(X_test)))
    check(agree > 0.95, f"only {agree:.3f} of the predictions agree")
    return predictions("predict", tree, peer, X_test, y_test)


def prediction_of_numbers() -> Contest:
    """20,000 rows down a tree of a number without limits."""
    X, y, X_test, y_test = numeric_target(100_000)
    tree = fasttree.FastTreeRegressor().fit(X, y)
    peer = DecisionTreeRegressor(random_state=0).fit(X, y)
    check(tree.score(X_test, y_test) > peer.score(X_test, y_test) - 0.01, "R^2 beside the peer's")
    return predictions("predict a number", tree, peer, X_test, y_test)


def predictions(name: str, tree: Any, peer: Any, X_test: np.ndarray, y_test: np.ndarray) -> Contest:
    """The same new rows down two fitted trees."""
    work: dict[str, Callable[[], Any]] = {
        OURS: lambda: tree.predict(X_test),
        "scikit-learn": lambda: peer.predict(X_test),
    }
    leaves = {OURS: tree.get_n_leaves(), "scikit-learn": peer.get_n_leaves()}
    accuracy = {OURS: tree.score(X_test, y_test), "scikit-learn": peer.score(X_test, y_test)}
    return Contest(name, "20,000 x 20 float32", work, {"scikit-learn": 1.0}, leaves, accuracy)


def numpy_gini(tables: np.ndarray) -> np.ndarray:
    """Gini as a user writes it, in the arithmetic of the built-in one: one call a node."""
    sizes = tables.sum(axis=2)
    purities = (tables**2).sum(axis=2) / np.where(sizes > 0, sizes, 1.0)
    share, before = 1.0 / sizes[0].sum(), (tables[0].sum(axis=0) ** 2).sum()
    return purities.cumsum(axis=1)[:, -1] * share - before / sizes[0].sum() * share


def own_criterion() -> Contest:
    """A user's criterion in NumPy beside scikit-learn's compiled one."""
    X, y, X_test, y_test = numbers(10_000)
    work: dict[str, Callable[[], Any]] = {
        "fasttree, user's gini": lambda: fasttree.FastTreeClassifier(criterion=numpy_gini).fit(
            X, y
        ),
        "scikit-learn": lambda: DecisionTreeClassifier(random_state=0).fit(X, y),
    }
    calls = 0

    def counted(tables: np.ndarray) -> np.ndarray:
        nonlocal calls
        calls += 1
        return numpy_gini(tables)

    tree = fasttree.FastTreeClassifier(criterion=counted).fit(X, y)
    builtin = fasttree.FastTreeClassifier(criterion="gini").fit(X, y)
    check(
        tree.to_text(17) == builtin.to_text(17),
        "the user's gini grows another tree than the built-in one",
    )
    check(calls <= tree.n_nodes_, f"{calls} calls for {tree.n_nodes_} nodes")
    peer = work["scikit-learn"]()
    ours = "fasttree, user's gini"
    leaves = {ours: tree.get_n_leaves(), "scikit-learn": peer.get_n_leaves()}
    accuracy = {ours: tree.score(X_test, y_test), "scikit-learn": peer.score(X_test, y_test)}
    return Contest(
        "a user's gini in NumPy",
        "10,000 x 20 float32",
        work,
        {"scikit-learn": 0.5},
        leaves,
        accuracy,
        (ours,),
    )


def contests(only: list[str], million: bool, trees: int) -> Iterator[Contest]:
    """The workloads, made one at a time."""

    def wanted(kind: str) -> bool:
        return not only or kind in only

    if wanted("exact"):
        yield exact_tree(100_000, "gini", "gini")
        yield exact_tree(100_000, "info_gain", "entropy")
    if million and wanted("exact"):
        yield exact_tree(1_000_000, "gini", "gini")
    if wanted("forest"):
        yield forest(trees)
    if wanted("number"):
        for depth in (12, None):
            goals = {"scikit-learn": 12.0, "YDF": 1.0}
            yield regression_tree("squared_error", 100_000, 20, depth, goals)
            if million:
                yield regression_tree("squared_error", 1_000_000, 20, depth, goals)
        for depth in (12, None):
            yield regression_tree("absolute_error", 100_000, 10, depth, {"scikit-learn": 6.0})
        if have("lightgbm"):
            yield binned_regression_tree()
        yield regression_forest(trees)
        yield prediction_of_numbers()
    if wanted("multiway"):
        yield multiway_tree()
    if wanted("cv"):
        yield cross_validation("iris", *load_iris(return_X_y=True), goal=50.0)
        yield cross_validation("breast cancer", *load_breast_cancer(return_X_y=True), goal=15.0)
        for name, X, y in nominal_set():
            yield cross_validation(name, X, y, goal=25.0, nominal=True)
    if wanted("predict"):
        yield prediction()
    if wanted("own"):
        yield own_criterion()


def measure(contest: Contest, rounds: int) -> list[dict[str, Any]]:
    """One record a contestant: seconds, leaves, accuracy; for ours the ratios, too."""
    times = take_turns(contest.work, rounds)
    best = {name: min(values) for name, values in times.items()}
    records = []
    for name in contest.work:
        record: dict[str, Any] = {
            "workload": contest.name,
            "data": contest.data,
            "contestant": name,
            "cpu_seconds": best[name],
            "rounds": times[name],
            "leaves": contest.leaves.get(name),
            "accuracy": contest.accuracy.get(name),
        }
        if name in contest.ours:
            record["against"] = [
                {
                    "peer": peer,
                    "ratio": (ratio := best[peer] / best[name]),
                    "goal": goal,
                    "met": ratio >= goal,
                }
                for peer, goal in contest.goals.items()
            ]
        records.append(record)
    return records


def show(records: list[dict[str, Any]]) -> None:
    """A line a contestant."""
    for record in records:
        leaves = "" if record["leaves"] is None else f"{record['leaves']:,.0f}"
        accuracy = "" if record["accuracy"] is None else f"{record['accuracy']:.4f}"
        verdict = "   ".join(
            f"{a['ratio']:.1f}x {a['peer']} (goal {a['goal']:g}x) {'PASS' if a['met'] else 'MISS'}"
            for a in record.get("against", [])
        )
        print(
            f"{record['workload']:34s} {record['data']:26s} {record['contestant']:22s} "
            f"{1e3 * record['cpu_seconds']:11.3f} ms  {leaves:>7s}  {accuracy:>6s}  {verdict}",
            flush=True,
        )


def main() -> None:
    """Check, measure, print, and keep."""
    parser = argparse.ArgumentParser(description="fasttree beside its peers, CPU time, one thread.")
    parser.add_argument(
        "--only",
        nargs="+",
        default=[],
        choices=["exact", "forest", "number", "multiway", "cv", "predict", "own"],
    )
    parser.add_argument(
        "--million", action="store_true", help="the exact tree on 1,000,000 rows as well"
    )
    parser.add_argument("--trees", type=int, default=100, help="trees of a forest")
    parser.add_argument(
        "--rounds", type=int, default=3, help="interleaved rounds, at least 3 for a record"
    )
    add_record(parser)
    given = parser.parse_args()
    if given.record and given.rounds < 3:
        parser.error("a record needs at least 3 rounds")
    about = machine()
    print(
        f"{about['processor']}, one thread, CPU time (user + system), least of {given.rounds} "
        "interleaved rounds"
    )
    print(", ".join(f"{name} {number}" for name, number in about["packages"].items()))
    heads = ("workload", "data", "contestant", "CPU time", "leaves", "acc.")
    print(
        f"{heads[0]:34s} {heads[1]:26s} {heads[2]:22s} {heads[3]:>14s}  {heads[4]:>7s}  "
        f"{heads[5]:>6s}"
    )
    records: list[dict[str, Any]] = []
    with threadpool_limits(1):
        for contest in contests(given.only, given.million, given.trees):
            found = measure(contest, given.rounds)
            show(found)
            records += found
    missed = [r for r in records for a in r.get("against", []) if not a["met"]]
    print(f"{len(missed)} of {sum(len(r.get('against', [])) for r in records)} goals missed")
    if given.record:
        keep({"unit": "CPU seconds, one thread", "results": records}, which="-".join(given.only))


if __name__ == "__main__":
    main()
