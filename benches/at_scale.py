"""Histogram growth, forests and prediction beside LightGBM, scikit-learn and our own exact search.

    python benches/at_scale.py                              # 100,000 rows
    python benches/at_scale.py --only leaves full --million # 1,000,000 rows as well
    python benches/at_scale.py --only forest --trees 10
    python benches/at_scale.py --only predict --record      # keeps the numbers in benches/record
    python benches/at_scale.py --only memory --million
    python benches/at_scale.py --only classes values        # many classes, few values; exact
    python benches/at_scale.py --only wide --trees 10       # time and memory

One thread, CPU time (user and system), the contestants in turns. A time includes everything between
the user's arrays and the model: checks, labels, bins, growth. Answers are checked before anything
is timed: accuracies beside the peer's, equal predictions where the models must be equal. "memory"
is the growth of a process's largest resident size during the fit, beyond the arrays, in megabytes
and as a share of the rows as float32.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from clock import add_record, check, have, keep, machine
from side_by_side import (
    OURS,
    Contest,
    measure,
    numbers,
    show,
    uci_folder,
    ydf_cart,
    ydf_columns,
    ydf_forest,
)
from sklearn.ensemble import RandomForestClassifier
from sklearn.tree import DecisionTreeClassifier
from threadpoolctl import threadpool_limits

import fasttree

Work = dict[str, Callable[[], Any]]

WIDE = ((2000, 20_000), (100_000, 2000))
"""Rows and columns of "wide"."""

SLOW_CELLS = 10**8
"""Cells of rows on which scikit-learn's tree of 255 leaves takes many minutes."""

POOL = 1024
"""Megabytes of LightGBM's histograms. Without a limit, 255 leaves of 20,000 columns take 21 GB."""


def binned(**how: Any) -> fasttree.FastTreeClassifier:
    """A tree of the histogram search."""
    return fasttree.FastTreeClassifier(criterion="gini", threshold_search="histogram", **how)


def lightgbm_tree(X: np.ndarray, y: np.ndarray) -> Callable[[], Any]:
    """One tree of 255 leaves on 255 bins."""
    import lightgbm

    settings = {
        "objective": "binary",
        "num_leaves": 255,
        "max_bin": 255,
        "learning_rate": 1.0,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0.0,
        "num_threads": 1,
        "verbosity": -1,
        "histogram_pool_size": POOL,
    }
    return lambda: lightgbm.train(settings, lightgbm.Dataset(X, y), num_boost_round=1)


def leaves(rows: int) -> Contest:
    """255 leaves, the best first."""
    X, y, X_test, y_test = numbers(rows)
    work: Work = {OURS: lambda: binned(max_leaf_nodes=255).fit(X, y)}
    accuracy = {OURS: work[OURS]().score(X_test, y_test)}
    if rows <= 100_000:
        peer = DecisionTreeClassifier(max_leaf_nodes=255, random_state=0).fit(X, y)
        accuracy["scikit-learn"] = peer.score(X_test, y_test)
        check(accuracy["scikit-learn"] - accuracy[OURS] < 0.005, f"accuracy {accuracy}")
    goals = {}
    if have("lightgbm"):
        work["LightGBM"] = lightgbm_tree(X, y)
        found = work["LightGBM"]().predict(X_test) > 0.5
        accuracy["LightGBM"] = float(np.mean(found == y_test))
        check(accuracy["LightGBM"] - accuracy[OURS] < 0.015, f"accuracy {accuracy}")
        goals["LightGBM"] = 8.0
    return Contest(
        "255 leaves, histogram", f"{rows:,} x 20 float32", work, goals, {OURS: 255}, accuracy
    )


def full(rows: int) -> Contest:
    """Grown out, beside the exact search."""
    X, y, X_test, y_test = numbers(rows)
    exact = "fasttree, exact"
    work: Work = {
        OURS: lambda: binned().fit(X, y),
        exact: lambda: fasttree.FastTreeClassifier(criterion="gini").fit(X, y),
    }
    trees = {name: make() for name, make in work.items()}
    accuracy = {name: tree.score(X_test, y_test) for name, tree in trees.items()}
    check(accuracy[exact] - accuracy[OURS] < 0.01, f"accuracy {accuracy}")
    sizes = {name: tree.get_n_leaves() for name, tree in trees.items()}
    return Contest(
        "grown out, histogram", f"{rows:,} x 20 float32", work, {exact: 4.0}, sizes, accuracy
    )


def forest(trees: int) -> Contest:
    """Trees without limits on bootstrap samples, four of twenty features a node, by default."""
    X, y, X_test, y_test = numbers(100_000)
    how: dict[str, Any] = {"criterion": "gini", "random_state": 0, "n_jobs": 1}
    exact = "fasttree, exact"
    work: Work = {
        OURS: lambda: fasttree.FastForestClassifier(trees, **how).fit(X, y),
        exact: lambda: fasttree.FastForestClassifier(trees, threshold_search="exact", **how).fit(
            X, y
        ),
        "scikit-learn": lambda: RandomForestClassifier(trees, random_state=0).fit(X, y),
    }
    models = {name: make() for name, make in work.items()}
    accuracy = {name: model.score(X_test, y_test) for name, model in models.items()}
    sizes = {
        name: float(np.mean([tree.get_n_leaves() for tree in model.estimators_]))
        for name, model in models.items()
    }
    goals = {"scikit-learn": 40.0}
    if have("ydf"):
        work["YDF"] = ydf_forest(X, y, trees)
        said = work["YDF"]().predict(ydf_columns(X_test))
        accuracy["YDF"] = float(np.mean((said > 0.5) == y_test))
        goals["YDF"] = 20.0
    check(max(accuracy.values()) - accuracy[OURS] < 0.005, f"accuracy {accuracy}")
    return Contest(f"forest of {trees} trees", "100,000 x 20 float32", work, goals, sizes, accuracy)


Problem = tuple[str, np.ndarray, np.ndarray, float]


def several_classes() -> Iterator[Problem]:
    """Data of many classes, and how many times scikit-learn's speed is asked for."""
    for classes, goal in ((10, 18.0), (26, 18.0), (100, 12.0)):
        X, y, _, _ = numbers(100_000, classes)
        yield f"{classes} classes, 100,000 x 20 float32", X, y, goal


def few_values() -> Iterator[Problem]:
    """Data whose columns have few values, and the same goals."""
    X, y, _, _ = numbers(100_000)
    yield "32 values, 2 classes, 100,000 x 20 float32", np.clip(np.round(4 * X), -16, 15), y, 18.0
    path = uci_folder() / "letter.arff"
    if path.is_file():
        table = fasttree.datasets.load(path)
        X = np.column_stack([column.values for column in table.columns]).astype(np.float32)
        yield "letter, 26 classes, 20,000 x 16 float32", X, np.asarray(table.y_codes), 18.0


def exact(problems: Iterator[Problem], criterion: str, peers: str) -> Iterator[Contest]:
    """One exact tree without limits on each problem."""
    for name, X, y, goal in problems:
        work: Work = {
            OURS: lambda X=X, y=y: fasttree.FastTreeClassifier(criterion=criterion).fit(X, y),
            "scikit-learn": lambda X=X, y=y: DecisionTreeClassifier(
                criterion=peers, random_state=0
            ).fit(X, y),
        }
        trees = {who: grow() for who, grow in work.items()}
        sizes = {who: tree.get_n_leaves() for who, tree in trees.items()}
        fitted = {who: float(np.mean(tree.predict(X) == y)) for who, tree in trees.items()}
        check(abs(fitted[OURS] - fitted["scikit-learn"]) < 1e-3, f"training accuracy {fitted}")
        check(abs(sizes[OURS] / sizes["scikit-learn"] - 1) < 0.03, f"leaves {sizes}")
        yield Contest(f"exact tree, {criterion}", name, work, {"scikit-learn": goal}, sizes, fitted)


def many_columns(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal numbers (float32); the class is the sign of a noisy sum of ten columns."""
    rng = np.random.default_rng(1)
    X = rng.standard_normal((rows, columns), np.float32)
    signal = X[:, :10] @ np.linspace(1, 2, 10)
    return X, (signal + 2 * rng.standard_normal(rows) > 0).astype(int)


def wide(rows: int, columns: int, trees: int) -> Iterator[Contest]:
    """Many columns: a tree and a forest, exact and binned, beside the fastest peers of each."""
    test = 2000
    X, y = many_columns(rows + test, columns)
    X, X_test, y, y_test = X[:rows], X[rows:], y[:rows], y[rows:]
    data = f"{rows:,} x {columns:,} float32"
    how: dict[str, Any] = {"criterion": "gini", "random_state": 0, "n_jobs": 1}
    bins, orders = {"threshold_search": "histogram"}, {"threshold_search": "exact"}
    tree, forest = fasttree.FastTreeClassifier, fasttree.FastForestClassifier
    depth = None if rows < 10_000 else 6  # scikit-learn's tree in full takes an hour
    cases: list[tuple[str, Work, Work]] = [
        (
            "tree, exact" if depth is None else f"tree, exact, depth {depth}",
            {OURS: lambda: tree(**how, max_depth=depth).fit(X, y)},
            {
                "scikit-learn": lambda: DecisionTreeClassifier(random_state=0, max_depth=depth).fit(
                    X, y
                )
            },
        ),
        ("tree, histogram", {OURS: lambda: tree(**how, **bins, max_leaf_nodes=255).fit(X, y)}, {}),
        (
            f"forest of {trees} trees",
            {
                OURS: lambda: forest(trees, **how, **orders).fit(X, y),
                "fasttree, histogram": lambda: forest(trees, **how, **bins).fit(X, y),
            },
            {"scikit-learn": lambda: RandomForestClassifier(trees, random_state=0).fit(X, y)},
        ),
    ]
    if have("ydf"):
        cases[0][2]["YDF"] = ydf_cart(X, y, depth)
        cases[2][2]["YDF"] = ydf_forest(X, y, trees)
    if have("lightgbm"):
        cases[1][2]["LightGBM"] = lightgbm_tree(X, y)
    columns = ydf_columns(X_test)

    def share_of_right(who: str, model: Any) -> float:
        if who not in ("YDF", "LightGBM"):
            return float(model.score(X_test, y_test))
        shares = model.predict(columns if who == "YDF" else X_test)
        return float(np.mean((shares > 0.5) == y_test))

    for name, ours, peers in cases:
        makers = {**ours, **peers}
        accuracy = {who: share_of_right(who, make()) for who, make in makers.items()}
        check(max(accuracy.values()) - accuracy[OURS] < 0.05, f"accuracy {accuracy}")
        goals = dict.fromkeys(peers, 1.0)
        yield Contest(name, data, makers, goals, accuracy=accuracy, ours=tuple(ours))


def predictions(trees: int) -> Iterator[Contest]:
    """Many rows and one row, down a tree and a forest."""
    X, y, X_test, y_test = numbers(100_000)
    many = np.concatenate([X_test, X, X])[:200_000]
    tree = fasttree.FastTreeClassifier(criterion="gini").fit(X, y)
    peer = DecisionTreeClassifier(random_state=0).fit(X, y)
    check(np.array_equal(tree.predict(X), peer.predict(X)), "the trees answer differently")
    sizes = {OURS: tree.get_n_leaves(), "scikit-learn": peer.get_n_leaves()}
    one = X_test[:1]
    forest = fasttree.FastForestClassifier(trees, criterion="gini", random_state=0).fit(X, y)
    other = RandomForestClassifier(trees, random_state=0).fit(X, y)
    accuracy = {OURS: forest.score(X_test, y_test), "scikit-learn": other.score(X_test, y_test)}
    check(abs(accuracy[OURS] - accuracy["scikit-learn"]) < 0.005, f"accuracy {accuracy}")
    cases: list[tuple[str, str, Any, Any, np.ndarray, float]] = [
        ("predict, tree", "200,000 x 20 float32", tree, peer, many, 3.5),
        ("predict, tree", "1 x 20 float32", tree, peer, one, 1.0),
        (f"predict, {trees} trees", "20,000 x 20 float32", forest, other, X_test, 4.0),
        (f"predict, {trees} trees", "1 x 20 float32", forest, other, one, 1.0),
    ]
    for name, data, ours, theirs, rows, goal in cases:
        work: Work = {
            OURS: lambda ours=ours, rows=rows: ours.predict(rows),
            "scikit-learn": lambda theirs=theirs, rows=rows: theirs.predict(rows),
        }
        of_forest = ours is forest
        goals = {"scikit-learn": goal}
        if of_forest and have("ydf"):
            model = ydf_forest(X, y, trees)()
            columns = ydf_columns(rows)
            work["YDF"] = lambda model=model, columns=columns: model.predict(columns, num_threads=1)
            goals["YDF"] = goal
            found = float(np.mean((work["YDF"]() > 0.5) == y_test[: len(rows)]))
            check(len(rows) == 1 or abs(found - accuracy[OURS]) < 0.005, f"YDF: {found}")
        yield Contest(
            name,
            data,
            work,
            goals,
            {} if of_forest else sizes,
            accuracy if of_forest else {},
        )


FIT = """
import numpy as np
def peak():
    with open("/proc/self/status") as lines:
        return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM"))
{setup}
warm = np.random.default_rng(0).normal(size=(200, {columns})).astype(np.float32)
fit(warm, (warm[:, 0] > 0).astype(int))
X, y = np.load("{folder}/X.npy"), np.load("{folder}/y.npy")
with open("/proc/self/clear_refs", "w") as reset:
    reset.write("5")  # the peak so far, which may be that of the parent
before = peak()
fit(X, y)
print(peak() - before)
"""

SETUPS = {
    OURS: "import fasttree\nfit = fasttree.FastTreeClassifier(criterion='gini', "
    "threshold_search='histogram', n_jobs=1).fit",
    "fasttree, exact": "import fasttree\n"
    "fit = fasttree.FastTreeClassifier(criterion='gini', n_jobs=1).fit",
    "fasttree, forest": "import fasttree\nfit = fasttree.FastForestClassifier({trees}, "
    "criterion='gini', threshold_search='exact', n_jobs=1).fit",
    "fasttree, histogram forest": "import fasttree\nfit = fasttree.FastForestClassifier({trees}, "
    "criterion='gini', threshold_search='histogram', n_jobs=1).fit",
    "scikit-learn, 255 leaves": "from sklearn.tree import DecisionTreeClassifier\n"
    "fit = DecisionTreeClassifier(max_leaf_nodes=255).fit",
    "LightGBM": "import lightgbm\ndef fit(X, y):\n"
    "    lightgbm.train({'num_leaves': 255, 'num_threads': 1, 'verbosity': -1, 'objective': "
    f"'binary', 'histogram_pool_size': {POOL}}}, lightgbm.Dataset(X, y), num_boost_round=1)",
}


MOST_MEMORY = {"exact": 1.6, "binned": 0.6}
"""Largest resident size beyond the data that is asked for, as a share of the data."""


def memory(X: np.ndarray, y: np.ndarray, trees: int) -> list[dict[str, Any]]:
    """Growth of the largest resident size in a process of its own, in megabytes."""
    records = []
    data = f"{X.shape[0]:,} x {X.shape[1]:,} float32"
    with tempfile.TemporaryDirectory() as folder:
        np.save(f"{folder}/X.npy", X)
        np.save(f"{folder}/y.npy", y)
        for name, setup in SETUPS.items():
            if name == "LightGBM" and not have("lightgbm"):
                continue
            if name.startswith("scikit-learn") and X.size > SLOW_CELLS:
                continue
            code = FIT.replace("{setup}", setup).replace("{folder}", folder)
            code = code.replace("{columns}", str(X.shape[1])).replace("{trees}", str(trees))
            out = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True)
            peak = int(out.stdout) / 1024
            share = peak * 2**20 / X.nbytes
            records.append(
                {
                    "workload": "memory beyond the data",
                    "data": data,
                    "contestant": name,
                    "megabytes": peak,
                    "times_data": share,
                }
            )
            verdict = ""
            if name.startswith("fasttree"):
                goal = MOST_MEMORY["binned" if "histogram" in setup else "exact"]
                own = {"peer": "the data", "ratio": share, "goal": goal, "met": share <= goal}
                records[-1]["against"] = [own]
                verdict = f"   (goal {goal:g}) {'PASS' if share <= goal else 'MISS'}"
            print(
                f"memory beyond the data  {data:26s} {name:26s} {peak:.0f} MB, {share:.2f} times"
                f"{verdict}",
                flush=True,
            )
    return records


def contests(only: list[str], sizes: list[int], trees: int) -> Iterator[Contest]:
    """The workloads, made one at a time."""
    for rows in sizes:
        if not only or "leaves" in only:
            yield leaves(rows)
        if not only or "full" in only:
            yield full(rows)
    for kind, problems in (("classes", several_classes), ("values", few_values)):
        if not only or kind in only:
            yield from exact(problems(), "gini", "gini")
            yield from exact(problems(), "info_gain", "entropy")
    if not only or "forest" in only:
        yield forest(trees)
    if not only or "predict" in only:
        yield from predictions(trees)


def main() -> None:
    """Check, measure, print, and keep."""
    parser = argparse.ArgumentParser(description="Growth and prediction at scale, CPU time.")
    parser.add_argument(
        "--only",
        nargs="+",
        default=[],
        choices=["leaves", "full", "classes", "values", "forest", "predict", "memory", "wide"],
    )
    parser.add_argument("--million", action="store_true", help="1,000,000 rows as well")
    parser.add_argument("--trees", type=int, default=100, help="trees of a forest")
    parser.add_argument(
        "--rounds", type=int, default=3, help="interleaved rounds, at least 3 for a record"
    )
    add_record(parser)
    given = parser.parse_args()
    if given.record and given.rounds < 3:
        parser.error("a record needs at least 3 rounds")
    print(f"{machine()['processor']}, one thread, CPU time, least of {given.rounds} rounds")
    sizes = [100_000] + [1_000_000] * given.million
    records: list[dict[str, Any]] = []
    with threadpool_limits(1):
        for contest in contests(given.only, sizes, given.trees):
            found = measure(contest, given.rounds)
            show(found)
            records += found
        if not given.only or "memory" in given.only:
            for rows in sizes:
                records += memory(*numbers(rows)[:2], given.trees)
        if "wide" in given.only:
            for shape in WIDE:
                for contest in wide(*shape, given.trees):
                    found = measure(contest, given.rounds)
                    show(found)
                    records += found
                records += memory(*many_columns(*shape), given.trees)
    missed = [r for r in records for a in r.get("against", []) if not a["met"]]
    print(f"{len(missed)} of {sum(len(r.get('against', [])) for r in records)} goals missed")
    if given.record:
        keep({"unit": "CPU seconds, one thread", "results": records}, which="-".join(given.only))


if __name__ == "__main__":
    main()
