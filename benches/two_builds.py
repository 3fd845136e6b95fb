"""Two builds of fasttree beside each other: what a change costs or gains, path by path.

    python benches/two_builds.py --before DIR            # DIR holds the other build's fasttree/
    python benches/two_builds.py --before DIR --only relief --rounds 3
    python benches/two_builds.py --before DIR --quick    # a fiftieth of the rows, two rounds
    python benches/two_builds.py --before DIR --record   # keeps the numbers in benches/record

Each build runs in a process of its own and both take turns, path by path and round by round, one
thread, CPU time. The answers of a path are compared before it is timed: of a tree or forest a hash
of all its nodes (tests, class counts, bits of thresholds, scores and distances), of the rest
numbers. Paths whose answers are meant to differ are named by `--differs` and timed all the same.
The ratio of a round is the time of this build divided by the time of the other; the median of the
rounds is what counts, and 3 % are noise. Peak memory is what one run adds to the resident memory of
the process, in MiB (Linux; else 0). The paths are those of `side_by_side.py`,
`pairs_side_by_side.py` and `relief_side_by_side.py`, and growth in all the ways that
`src/grow` has. To make the other build: `git worktree add DIR COMMIT`, and in DIR
`pip install --target build .`; its folder is DIR/build.
"""

from __future__ import annotations

import argparse
import ctypes
import gc
import hashlib
import json
import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pairs_side_by_side as pairs
import relief_side_by_side as relief
from clock import add_record, check, keep, one_run
from side_by_side import labels, numbers
from sklearn.datasets import load_breast_cancer, load_iris

import fasttree
from fasttree.criteria import MultiSurf, ReliefF  # type: ignore[attr-defined]
from fasttree.model_selection import cross_validate

# The work, and what it finds as numbers.
Work = tuple[Callable[[], Any], Callable[[Any], Any]]
KINDS = ("trees", "growth", "pairs", "relief")
TREE_ARRAYS = (
    *("parent", "branch", "feature", "threshold", "missing_branch", "label", "n_node_samples"),
    *("levels", "value", "score", "distance", "step"),
)
MIB = 1 << 20
ENOUGH = 0.3
"""Seconds of runs, from which a round has enough of them."""


def tree_hash(model: Any) -> str:
    """A hash of all nodes of a tree, or of the trees of a forest."""
    digest = hashlib.sha256()
    for one in getattr(model, "estimators_", [model]):
        for name in TREE_ARRAYS:
            part = getattr(one.tree_, name)
            for array in part if isinstance(part, list | tuple) else [part]:
                digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()[:32]


def trees(scale: float) -> Iterator[tuple[str, Work]]:
    """Trees, their predictions and cross-validations."""
    rows = int(100_000 * scale)
    X, y, X_test, _ = numbers(rows)
    for criterion in ("gini", "info_gain"):
        fit = fasttree.FastTreeClassifier(criterion=criterion, n_jobs=1).fit
        yield f"exact tree, {criterion}", (lambda fit=fit: fit(X, y), tree_hash)
    fitted = fasttree.FastTreeClassifier(criterion="gini", n_jobs=1).fit(X, y)
    yield "predict 20,000 rows", (lambda: fitted.predict(X_test), lambda found: int(found.sum()))
    X10, y10, _, _ = numbers(rows, 10)
    fit10 = fasttree.FastTreeClassifier(criterion="gini", n_jobs=1).fit
    yield "exact tree, gini, 10 classes", (lambda: fit10(X10, y10), tree_hash)
    codes, classes, _, _ = labels(rows)
    every = fasttree.FastTreeClassifier(categorical_features="all", n_jobs=1).fit
    yield "multiway tree, info_gain", (lambda: every(codes, classes), tree_hash)
    four = ["gini", "info_gain", "gain_ratio", "hellinger"]
    for name, load in (("iris", load_iris), ("breast_cancer", load_breast_cancer)):
        data = load(return_X_y=True)
        cv: dict[str, Any] = {"cv": "5x10" if scale == 1 else "1x3", "random_state": 0, "n_jobs": 1}
        yield (
            f"4 criteria x {cv['cv']} CV, {name}",
            (
                lambda data=data, cv=cv: cross_validate(*data, criterion=four, **cv),
                lambda found: [round(float(found[c]["accuracy"].mean()), 12) for c in four],
            ),
        )


def growth(scale: float) -> Iterator[tuple[str, Work]]:
    """Trees and forests in every way in which growth goes."""
    rows = int(50_000 * scale)
    X, y, _, _ = numbers(rows, 2, 15)
    X5, y5, _, _ = numbers(rows, 5, 15)
    X40, y40, _, _ = numbers(rows, 40, 30)
    rng = np.random.default_rng(0)
    real, whole = rng.random(rows) + 0.25, rng.integers(0, 4, rows).astype(float)
    gaps = np.where(rng.random(X.shape) < 0.1, np.nan, X)
    gaps5 = np.where(rng.random(X5.shape) < 0.1, np.nan, X5)
    few = np.round(X5 * 8).clip(-60, 60)
    codes = rng.integers(0, [4, 8, 60, 12], (rows, 4))
    groups = (codes[:, 0] + (codes[:, 2] % 7 > 3) + (rng.random(rows) < 0.1)) % 3
    bins = {"threshold_search": "histogram"}
    subset = {"nominal_splits": "subset", "categorical_features": "all"}
    small = slice(None, max(rows // 25, 200))

    def tree(X: Any, y: Any, weights: Any = None, **params: Any) -> Work:
        params = {"criterion": "gini", "n_jobs": 1, "random_state": 0, **params}
        model = fasttree.FastTreeClassifier(**params)
        return (lambda: model.fit(X, y, weights)), tree_hash

    def forest(X: Any, y: Any, weights: Any = None, **params: Any) -> Work:
        search = {"threshold_search": "exact"}
        params = {"criterion": "gini", "n_jobs": 1, "random_state": 0, **search, **params}
        model = fasttree.FastForestClassifier(5, **params)
        return (lambda: model.fit(X, y, weights)), tree_hash

    yield "exact, mdl", tree(X, y, criterion="mdl")
    yield "exact, mdl, 5 classes", tree(X5, y5, criterion="mdl")
    yield "exact, gain_ratio, 5 classes", tree(X5, y5, criterion="gain_ratio", max_depth=40)
    yield "exact, hellinger", tree(X, y, criterion="hellinger")
    yield "exact, gini, 40 classes", tree(X40, y40)
    yield "exact, info_gain, 40 classes", tree(X40, y40, criterion="info_gain")
    yield "exact, gain_ratio, 40 classes", tree(X40, y40, criterion="gain_ratio", max_depth=8)
    yield "exact, real weights", tree(X, y, real)
    yield "exact, whole weights, 5 classes", tree(X5, y5, whole)
    yield "exact, splitter random", tree(X5, y5, splitter="random")
    yield "exact, best first", tree(X5, y5, max_leaf_nodes=200)
    yield "few values, gini, 5 classes", tree(few, y5)
    yield "few values, info_gain, 5 classes", tree(few, y5, criterion="info_gain")
    yield "few values, mdl, 5 classes", tree(few, y5, criterion="mdl")
    yield "few values, real weights", tree(few, y5, real)
    yield "histogram, gini", tree(X, y, **bins)
    yield "histogram, gini, 5 classes", tree(X5, y5, **bins)
    yield (
        "histogram, gain_ratio, 40 classes",
        tree(X40, y40, criterion="gain_ratio", max_depth=40, **bins),
    )
    yield "histogram, mdl", tree(X, y, criterion="mdl", **bins)
    yield "histogram, missing branch", tree(gaps, y, missing="branch", **bins)
    yield "missing branch, gini", tree(gaps, y, missing="branch")
    yield "missing branch, info_gain, 5", tree(gaps5, y5, criterion="info_gain", missing="branch")
    fractional = {"missing": "fractional", "max_depth": 8}
    yield "missing fractional, gini", tree(gaps, y, **fractional)
    yield "missing fractional, info_gain, 5", tree(gaps5, y5, criterion="info_gain", **fractional)
    yield "C4.5", tree(X, y, **fasttree.presets.C45)
    yield "C4.5, missing, 5 classes", tree(gaps5[small], y5[small], **fasttree.presets.C45)
    yield "nominal subset, gini", tree(codes, groups, **subset)
    yield "nominal subset, weights", tree(codes, groups, real, **subset)
    multiway = {"nominal_splits": "multiway", "categorical_features": "all"}
    yield "nominal multiway, gain_ratio", tree(codes, groups, criterion="gain_ratio", **multiway)
    whole_tree = {"evaluation": "global", "max_leaf_nodes": 20}
    yield "global growth, gini", tree(X5[small], y5[small], **whole_tree)
    glocal = {**whole_tree, "evaluation": "glocal", "criterion": "info_gain"}
    yield "glocal growth, info_gain", tree(X5[small], y5[small], **glocal)
    yield "forest of 5, gini", forest(X, y)
    yield "forest of 5, info_gain, 5 classes", forest(X5, y5, criterion="info_gain")
    yield "forest of 5, histogram", forest(X, y, **bins)
    yield "forest of 5, histogram, 5 classes", forest(X5, y5, **bins)
    yield "forest of 5, few values", forest(few, y5)


def pair_passes(scale: float) -> Iterator[tuple[str, Work]]:
    """Both passes over all pairs."""
    sizes = pairs.SIZES | {"wide": pairs.WIDE}
    for name, (rows, *shape) in sizes.items():
        table = pairs.drawn(max(int(rows * scale), 50), *shape)
        yield (
            f"pair_counts, {name}",
            (
                lambda table=table: fasttree.pair_counts(table, n_jobs=1),
                lambda found, table=table: moments(fasttree.count_matrices(table, n_jobs=1)),
            ),
        )
        yield (
            f"count_matrices, fixed, {name}",
            (
                lambda table=table: fasttree.count_matrices(table, precision="fixed", n_jobs=1),
                moments,
            ),
        )


def moments(matrices: Any) -> list[float]:
    """A few numbers that hardly any two sets of matrices share."""
    return [float(f"{np.sum(np.square(m)):.9e}") for m in matrices]


def relief_family(scale: float) -> Iterator[tuple[str, Work]]:
    """ReliefF and MultiSURF."""
    for all_rows, columns, values in relief.SMALL:
        rows = max(int(all_rows * scale), 50)
        X, y = relief.codes(rows, columns, values)
        for name, criterion in (("relieff", ReliefF(k=relief.K)), ("multisurf", MultiSurf())):
            yield (
                f"{name}, {rows:,} x {columns:,}",
                (
                    lambda X=X, y=y, criterion=criterion: relief.ours(X, y, criterion),
                    lambda scores: [float(f"{x:.9e}") for x in scores[:5]],
                ),
            )


def paths(only: list[str], scale: float) -> dict[str, Work]:
    """What is timed, by name."""
    kinds = {"trees": trees, "growth": growth, "pairs": pair_passes, "relief": relief_family}
    return {name: path for kind in only for name, path in kinds[kind](scale)}


def resident(what: str) -> int:
    """Bytes of resident memory: "VmRSS" now, "VmHWM" at most."""
    try:
        lines = Path("/proc/self/status").read_text(encoding="utf-8").splitlines()
    except OSError:
        return 0
    return next((int(line.split()[1]) << 10 for line in lines if line.startswith(what)), 0)


def peak(run: Callable[[], Any]) -> float:
    """MiB that one run adds to the resident memory at most."""
    gc.collect()
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None) if os.name == "posix" else None
    if trim is not None:  # what earlier runs have freed must not hide what this one needs
        trim(0)
    try:
        with open("/proc/self/clear_refs", "w", encoding="utf-8") as peak:
            peak.write("5")  # the peak starts anew
    except OSError:
        return 0.0
    before = resident("VmRSS")
    kept = run()
    most = resident("VmHWM") - before
    del kept
    return round(most / MIB, 1)


def quickest(run: Callable[[], Any]) -> float:
    """CPU seconds of the quickest of up to five runs, of fewer where they take long."""
    times = [one_run(run)]
    while len(times) < 5 and sum(times) < ENOUGH:
        times.append(one_run(run))
    return min(times)


def work(only: list[str], scale: float) -> None:
    """A process of one build: for each line of an action and a name a line of JSON."""
    known = paths(only, scale)
    for line in sys.stdin:
        what, _, name = line.rstrip("\n").partition(" ")
        run, look = known[name]
        if what == "answer":
            found = look(run())
        elif what == "peak":
            found = peak(run)
        else:
            found = quickest(run)
        print(json.dumps(found), flush=True)


class Build:
    """A build, in a process of its own."""

    def __init__(self, folder: Path | None, only: list[str], quick: bool) -> None:
        paths = [str(folder)] if folder else []
        paths += filter(None, [os.environ.get("PYTHONPATH")])
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--work", "--only", *only, *["--quick"] * quick],
            env=os.environ | {"PYTHONPATH": os.pathsep.join(paths)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, what: str, name: str) -> Any:
        """One line there, one back."""
        stdin, stdout = self.process.stdin, self.process.stdout
        assert stdin is not None
        assert stdout is not None
        print(what, name, file=stdin, flush=True)
        line = stdout.readline()
        check(bool(line), f"{name}: the build cannot do it")
        return json.loads(line)


def main() -> None:
    """Ask both builds in turns, print, and keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--before", type=Path, help="folder of the other build's package")
    parser.add_argument("--only", nargs="+", choices=KINDS, default=list(KINDS))
    parser.add_argument("--paths", nargs="+", default=[""], help="words of names of paths")
    parser.add_argument("--differs", nargs="+", default=[], help="words of paths that differ")
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--quick", action="store_true", help="small data and two rounds")
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    add_record(parser)
    options = parser.parse_args()
    scale, rounds = (0.02, 2) if options.quick else (1.0, options.rounds)
    if options.work:
        work(options.only, scale)
        return
    if options.before is None or not (options.before / "fasttree").is_dir():
        parser.error("--before must name a folder with the package fasttree of another build")
    folders = {"now": None, "before": options.before}
    builds = {
        which: Build(folder, options.only, options.quick) for which, folder in folders.items()
    }
    results = []
    names = paths(options.only, scale)
    for name in (n for n in names if any(word in n for word in options.paths)):
        answers = {which: build.ask("answer", name) for which, build in builds.items()}
        if not any(word in name for word in options.differs):
            check(answers["now"] == answers["before"], f"{name}: {answers}")
        memory = {which: build.ask("peak", name) for which, build in builds.items()}
        times: dict[str, list[float]] = {which: [] for which in builds}
        for i in range(rounds):
            for which in sorted(builds, reverse=i % 2 == 0):
                times[which].append(builds[which].ask("time", name))
        ratios = [a / b for a, b in zip(times["now"], times["before"], strict=True)]
        median = statistics.median(ratios)
        now, before = (min(times[which]) for which in ("now", "before"))
        slower = "  SLOWER" if median > 1.03 else ""
        print(
            f"{name:40} {now * 1e3:10.2f} ms {before * 1e3:10.2f} ms {median:7.3f} "
            f"{memory['now']:8.1f} MiB {memory['before']:8.1f} MiB{slower}",
            flush=True,
        )
        results.append(
            {
                "path": name,
                "cpu_s": now,
                "cpu_s_before": before,
                "peak_mib": memory["now"],
                "peak_mib_before": memory["before"],
                "median_ratio": round(median, 4),
                "ratios": [round(ratio, 4) for ratio in ratios],
            }
        )
    if options.record:
        keep({"rounds": rounds, "results": results})


if __name__ == "__main__":
    main()
