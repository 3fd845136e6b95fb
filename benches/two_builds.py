"""Two builds of fasttree beside each other: what a change costs or gains, path by path.

    python benches/two_builds.py --before DIR            # DIR holds the other build's fasttree/
    python benches/two_builds.py --before DIR --only relief --rounds 3
    python benches/two_builds.py --before DIR --record   # keeps the numbers in benches/record

Each build runs in a process of its own and both take turns, path by path and round by round, one
thread, CPU time. The answers of a path are compared before it is timed. The ratio of a round is the
time of this build over that of the other; the median of the rounds is what counts, and 3 % are
noise. The paths are those of `side_by_side.py`, `pairs_side_by_side.py` and
`relief_side_by_side.py`. To make the other build: `git worktree add DIR COMMIT`, and in DIR
`pip install --target build .`; its folder is DIR/build.
"""

from __future__ import annotations

import argparse
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
KINDS = ("trees", "pairs", "relief")


def trees() -> Iterator[tuple[str, Work]]:
    """Trees, their predictions and cross-validations."""

    def leaves(tree: Any) -> int:
        return int(tree.get_n_leaves())

    X, y, X_test, _ = numbers(100_000)
    for criterion in ("gini", "info_gain"):
        fit = fasttree.FastTreeClassifier(criterion=criterion).fit
        yield f"exact tree, {criterion}", (lambda fit=fit: fit(X, y), leaves)
    fitted = fasttree.FastTreeClassifier(criterion="gini").fit(X, y)
    yield "predict 20,000 rows", (lambda: fitted.predict(X_test), lambda found: int(found.sum()))
    X10, y10, _, _ = numbers(100_000, 10)
    fit10 = fasttree.FastTreeClassifier(criterion="gini").fit
    yield "exact tree, gini, 10 classes", (lambda: fit10(X10, y10), leaves)
    codes, classes, _, _ = labels(100_000)
    every = fasttree.FastTreeClassifier(categorical_features="all").fit
    yield "multiway tree, info_gain", (lambda: every(codes, classes), leaves)
    four = ["gini", "info_gain", "gain_ratio", "hellinger"]
    for name, load in (("iris", load_iris), ("breast_cancer", load_breast_cancer)):
        data = load(return_X_y=True)
        yield (
            f"4 criteria x 5x10 CV, {name}",
            (
                lambda data=data: cross_validate(*data, criterion=four, cv="5x10", random_state=0),
                lambda found: [round(float(found[c]["accuracy"].mean()), 12) for c in four],
            ),
        )


def pair_passes() -> Iterator[tuple[str, Work]]:
    """Both passes over all pairs."""
    sizes = pairs.SIZES | {"wide": pairs.WIDE}
    for name, size in sizes.items():
        table = pairs.drawn(*size)
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


def relief_family() -> Iterator[tuple[str, Work]]:
    """ReliefF and MultiSURF."""
    for rows, columns, values in relief.SMALL:
        X, y = relief.codes(rows, columns, values)
        for name, criterion in (("relieff", ReliefF(k=relief.K)), ("multisurf", MultiSurf())):
            yield (
                f"{name}, {rows:,} x {columns:,}",
                (
                    lambda X=X, y=y, criterion=criterion: relief.ours(X, y, criterion),
                    lambda scores: [float(f"{x:.9e}") for x in scores[:5]],
                ),
            )


def paths(only: list[str]) -> dict[str, Work]:
    """What is timed, by name."""
    kinds = {"trees": trees, "pairs": pair_passes, "relief": relief_family}
    return {name: path for kind in only for name, path in kinds[kind]()}


def work(only: list[str]) -> None:
    """A process of one build: for each line "answer NAME" or "time NAME" a line of JSON."""
    known = paths(only)
    for line in sys.stdin:
        what, _, name = line.rstrip("\n").partition(" ")
        run, look = known[name]
        print(json.dumps(look(run()) if what == "answer" else one_run(run)), flush=True)


class Build:
    """A build, in a process of its own."""

    def __init__(self, folder: Path | None, only: list[str]) -> None:
        paths = [str(folder)] if folder else []
        paths += filter(None, [os.environ.get("PYTHONPATH")])
        self.process = subprocess.Popen(
            [sys.executable, __file__, "--work", "--only", *only],
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
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--work", action="store_true", help=argparse.SUPPRESS)
    add_record(parser)
    options = parser.parse_args()
    if options.work:
        work(options.only)
        return
    if options.before is None or not (options.before / "fasttree").is_dir():
        parser.error("--before must name a folder with the package fasttree of another build")
    builds = {"now": Build(None, options.only), "before": Build(options.before, options.only)}
    results = []
    for name in paths(options.only):
        answers = {which: build.ask("answer", name) for which, build in builds.items()}
        check(answers["now"] == answers["before"], f"{name}: {answers}")
        times: dict[str, list[float]] = {which: [] for which in builds}
        for i in range(options.rounds):
            for which in sorted(builds, reverse=i % 2 == 0):
                times[which].append(builds[which].ask("time", name))
        ratios = [a / b for a, b in zip(times["now"], times["before"], strict=True)]
        median = statistics.median(ratios)
        now, before = (min(times[which]) for which in ("now", "before"))
        slower = "  SLOWER" if median > 1.03 else ""
        print(
            f"{name:40} {now * 1e3:10.2f} ms {before * 1e3:10.2f} ms {median:7.3f}{slower}",
            flush=True,
        )
        results.append(
            {
                "path": name,
                "cpu_s": now,
                "cpu_s_before": before,
                "median_ratio": round(median, 4),
                "ratios": [round(ratio, 4) for ratio in ratios],
            }
        )
    if options.record:
        keep({"rounds": options.rounds, "results": results})


if __name__ == "__main__":
    main()
