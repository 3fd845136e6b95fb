"""Missing values and C4.5: what they cost, beside Weka's J48, in the same run.

    python benches/missing_side_by_side.py --weka weka.jar          # 100,000 x 20, minutes
    python benches/missing_side_by_side.py --rows 20000             # without J48 where no jar is
    given python benches/missing_side_by_side.py --part ways              # the second part alone
    python benches/missing_side_by_side.py --record                 # keeps the numbers in
    benches/record, a part alone in a file of its own

1. `presets.C45` beside J48 (the whole program: virtual machine, reading the ARFF file, growing,
   pruning), on complete rows and with 30 % of the cells missing. Leaves and sizes must be equal
   before anything is timed. Numbers are rounded to four decimals: J48 does not tell apart what is
   closer than 1e-5.
2. Trees without pruning: complete rows, and the same rows with 30 % missing cells under "mode",
   "branch" and "fractional". A node that is split looks at rows x features values; rows without a
   value multiply under "fractional", therefore time per (part of a row, value) stands beside the
   total.

CPU time of one thread, minimum of the rounds.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import tempfile
from typing import Any

import numpy as np
from clock import add_record, keep, take_turns
from sklearn.datasets import make_classification

import fasttree
from fasttree import FastTreeClassifier, Table, presets
from fasttree.datasets import dump_arff


def rows_of(n: int, missing: float) -> Table:
    """Numbers of ten informative and five redundant features out of twenty, 5 % of the labels
    flipped, cells missing at random."""
    X, y = make_classification(n, 20, n_informative=10, n_redundant=5, flip_y=0.05, random_state=0)
    X = np.round(X, 4)
    X[np.random.default_rng(1).random(X.shape) < missing] = np.nan
    return Table(X, y.astype(str))


def j48(jar: str, file: str) -> tuple[int, int]:
    """Leaves and size of the tree that the program prints."""
    command = [
        "java",
        "-Xmx2g",
        "-cp",
        jar,
        "weka.classifiers.trees.J48",
        "-t",
        file,
        "-no-cv",
        "-v",
    ]
    told = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    leaves, size = (
        re.search(rf"{what}\s*:\s*(\d+)", told)
        for what in ("Number of Leaves ", "Size of the tree ")
    )
    assert leaves is not None and size is not None, told[:500]
    return int(leaves[1]), int(size[1])


def beside_j48(jar: str, rows: int, rounds: int, folder: str) -> list[dict[str, Any]]:
    """The preset and the program on complete rows and on rows with gaps."""
    results = []
    for missing in (0.0, 0.3):
        table, file = rows_of(rows, missing), f"{folder}/rows{missing}.arff"
        dump_arff(table, file)
        estimator = FastTreeClassifier(**presets.C45)
        model = estimator.fit(table)
        ours, theirs = (model.get_n_leaves(), model.n_nodes_), j48(jar, file)
        if ours != theirs:
            raise SystemExit(
                f"wrong answer, nothing is timed: {ours} leaves and nodes, J48 {theirs}"
            )
        work = {
            "fasttree": lambda e=estimator, t=table: e.fit(Table(t.X, t.y)),
            "J48": lambda f=file: j48(jar, f),
        }
        times = {name: min(t) for name, t in take_turns(work, rounds).items()}
        results.append(
            {
                "workload": "presets.C45",
                "data": f"{rows:,} x 20, {missing:.0%} missing",
                "leaves": ours[0],
                "cpu_seconds": times,
                "ratio": times["J48"] / times["fasttree"],
            }
        )
    return results


def values_seen(model: FastTreeClassifier, features: int) -> int:
    """Rows (or parts) times features of all nodes that were split."""
    tree = model.tree_
    return int(tree.n_node_samples[tree.n_children > 0].sum()) * features


def ways(rows: int, rounds: int, name: str, least: int) -> list[dict[str, Any]]:
    """Complete rows, and rows with gaps under each way of treating them. C4.5's rule for candidates
    knows no branch of missing values."""
    complete, gaps = rows_of(rows, 0.0), rows_of(rows, 0.3)
    criterion, treatments = presets.C45["criterion"], ("mode", "fractional")
    if name != "C4.5":
        criterion, treatments = name, ("mode", "branch", "fractional")
    jobs = {"complete": (complete, treatments[1])} | {w: (gaps, w) for w in treatments}
    how = {"criterion": criterion, "min_samples_leaf": least}
    models = {job: fasttree.fit(table, missing=way, **how) for job, (table, way) in jobs.items()}
    work = {n: lambda t=t, w=w: fasttree.fit(t, missing=w, **how) for n, (t, w) in jobs.items()}
    times = {job: min(t) for job, t in take_turns(work, rounds).items()}
    seen = {job: values_seen(model, 20) for job, model in models.items()}
    return [
        {
            "workload": f"{name}, min_samples_leaf={least}",
            "data": f"{rows:,} x 20",
            "way": way,
            "leaves": models[way].get_n_leaves(),
            "cpu_seconds": times[way],
            "against_complete": times[way] / times["complete"],
            "values": seen[way],
            "nanoseconds_a_value": times[way] / seen[way] * 1e9,
            "a_value_against_complete": times[way]
            / seen[way]
            / (times["complete"] / seen["complete"]),
        }
        for way in jobs
    ]


def main() -> None:
    """Run, print, and keep."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--weka", help="Weka 3.6's weka.jar; without it J48 is left out")
    parser.add_argument("--rows", type=int, default=100_000)
    parser.add_argument("--rounds", type=int, default=2)
    parser.add_argument(
        "--part", choices=("all", "j48", "ways"), default="all", help="1, 2, or both"
    )
    add_record(parser)
    given = parser.parse_args()
    results = []
    settings = (("gini", 1), ("info_gain", 1), ("info_gain", 20), ("gain_ratio", 20), ("C4.5", 2))
    for name, least in settings if given.part != "j48" else ():
        results += ways(given.rows, given.rounds, name, least)
    for r in results:
        print(
            f"{r['workload']:34} {r['way']:11} {r['leaves']:7} leaves {r['cpu_seconds']:8.3f} s = "
            f"{r['against_complete']:5.2f} x complete, "
            f"{r['nanoseconds_a_value']:6.2f} ns a value = {r['a_value_against_complete']:5.2f} x"
        )
    if given.weka and given.part != "ways":
        with tempfile.TemporaryDirectory() as folder:
            beside = beside_j48(given.weka, given.rows, given.rounds, folder)
        for r in beside:
            own, peer = r["cpu_seconds"]["fasttree"], r["cpu_seconds"]["J48"]
            print(
                f"{r['workload']} {r['data']:26} {r['leaves']:6} leaves {own:7.2f} s, J48 "
                f"{peer:7.2f} s: {r['ratio']:.1f} x"
            )
        results += beside
    if given.record:
        findings = {"unit": "CPU seconds, one thread; J48 is the whole program", "results": results}
        keep(findings, which="" if given.part == "all" else given.part)


if __name__ == "__main__":
    main()
