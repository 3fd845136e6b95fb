"""Where proofs of optimal trees end: time, peak memory, and the gap that is left.

Each case is a set of numbers and a depth, searched on one thread under the error with
``ties="any"``, once per time, in a process of its own. Kept are CPU seconds, errors, the gap, and
how far the resident set grows beyond the rows that the caller holds (Linux only), as a multiple of
these rows. The times are CPU seconds: a search whose limit (wall time) passed while others had the
processor is repeated with a longer one. The made sets have normal numbers, all different, and a
class that three of them decide with noise; the others are files of the folder that FASTTREE_DATA
names, or of ../shared/data (``contree``). No peer is measured: at these sizes none ends.

``--anytime`` asks what a search has found when it ends early: errors after each time, and the
primal integral, the mean over 60 seconds of 1 - best / errors, where `best` are the fewest errors
that any run found; beside another build, if ``--before`` names the folder that holds its fasttree/.
A search that ends with a limit is not the first part of one with a longer limit, so each time is a
run of its own; until it ends, the errors of the run before count.

    python benches/optimal_at_scale.py --record              # a quarter of an hour
    python benches/optimal_at_scale.py --seconds 600 --only bean --depth 4 --record
    python benches/optimal_at_scale.py --anytime --before DIR --record
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
from clock import add_record, check, cpu_seconds, keep
from optimal_side_by_side import folder, read

import fasttree

MADE = {
    "10,000 x 10": (10_000, 10, (3, 4, 5)),
    "10,000 x 100": (10_000, 100, (2, 3, 4)),
    "1,000,000 x 10": (1_000_000, 10, (2, 3, 4)),
}
"""Made sets: rows, columns, depths."""

SETS = {"bean": (4,), "avila": (4,)}
"""Sets of the folder, and their depths."""

ANYTIME = ("bean", "avila", "magic", "eeg", "htru", "segment", "10,000 x 10", "1,000,000 x 10")
"""Sets that ``--anytime`` searches at depth 4."""

TIMES = (1.0, 3.0, 10.0, 30.0)
"""Seconds of these searches."""


def made(rows: int, columns: int) -> tuple[np.ndarray, np.ndarray]:
    """Normal numbers, and two classes: the sign of a product, a number and noise."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(rows, columns))
    return X, (X[:, 0] * X[:, 1] + X[:, 2] + rng.normal(size=rows) > 0).astype(int)


def resident(field: str) -> int:
    """Bytes of a field of the process's status: VmRSS now, VmHWM the peak."""
    with open("/proc/self/status", encoding="utf-8") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field)) * 1024


def measure(name: str, depth: int, limit: float) -> dict:
    """One search; runs in a process of its own."""
    X, y = made(*MADE[name][:2]) if name in MADE else read(name)
    fasttree.optimal_tree(X[:100], y[:100], max_depth=1)  # imports
    with open("/proc/self/clear_refs", "w", encoding="utf-8") as file:
        file.write("5")  # the peak so far is forgotten
    before, start = resident("VmRSS"), cpu_seconds()
    model = fasttree.optimal_tree(X, y, max_depth=depth, ties="any", time_limit=limit)
    taken, peak = cpu_seconds() - start, resident("VmHWM") - before
    errors = int((model.predict(X) != y).sum())
    check(errors == model.training_errors_, f"{name}: errors of the tree")
    return {
        "set": name if name in MADE else f"{name}, {len(X):,} x {X.shape[1]}",
        "depth": depth,
        "cpu_s": round(taken, 2),
        "errors": errors,
        "gap": round(model.gap_, 4),
        "peak_over_data": round(peak / X.nbytes, 1),
    }


def search(name: str, depth: int, seconds: float, before: Path | None = None) -> dict:
    """One search that got at least 0.8 `seconds` of CPU time, or ended with a proof."""
    limit = seconds
    # A process that has the memory of an earlier case would hide a peak.
    while True:
        command = [sys.executable, __file__, "--one", name, str(depth), str(limit)]
        folders = {"PYTHONPATH": str(before)} if before else {}
        done = subprocess.run(
            command, env=os.environ | folders, capture_output=True, text=True, check=True
        )
        row = json.loads(done.stdout)
        if row["gap"] == 0.0 or row["cpu_s"] >= 0.8 * seconds or limit >= 8 * seconds:
            return {**row, "seconds": seconds}
        limit = min(8 * seconds, limit * seconds / max(row["cpu_s"], 0.1 * seconds))


def anytime(names: list[str], before: Path | None) -> list[dict]:
    """What each build has found after each time, and its primal integral."""
    results = []
    for name in names:
        builds = {"errors": None, **({"errors_before": before} if before else {})}
        runs = {key: [search(name, 4, at, build) for at in TIMES] for key, build in builds.items()}
        best = min(run["errors"] for own in runs.values() for run in own)
        row = {"set": runs["errors"][0]["set"], "depth": 4, "seconds": TIMES, "best": best}
        for key, own in runs.items():
            row[key] = [run["errors"] for run in own]
            gaps = [1 - best / max(errors, 1) for errors in row[key]]
            steps = np.diff([0.0, *TIMES[1:], 60.0])
            row[key.replace("errors", "primal_integral")] = round(float(gaps @ steps / 60), 5)
        results.append(row)
        print(row, flush=True)
    return results


def main() -> None:
    """Measure, print, and keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--seconds", type=float, nargs="+", default=[10.0, 60.0])
    parser.add_argument("--only", nargs="+", help="sets whose names hold one of these words")
    parser.add_argument("--depth", type=int, help="this depth alone")
    parser.add_argument("--anytime", action="store_true", help="what searches find that end early")
    parser.add_argument("--before", type=Path, help="folder with another build's fasttree/")
    parser.add_argument("--one", nargs=3, help=argparse.SUPPRESS)
    add_record(parser)
    given = parser.parse_args()
    if given.one:
        name, depth, limit = given.one
        print(json.dumps(measure(name, int(depth), float(limit))))
        return
    if given.anytime:
        names = [one for one in ANYTIME if one in MADE or (folder() / f"{one}.txt.gz").is_file()]
        names = [one for one in names if not given.only or any(w in one for w in given.only)]
        found = anytime(names, given.before and given.before.resolve())
        if given.record:
            keep({"results": found}, "anytime")
        return
    known = {**{name: depths for name, (_, _, depths) in MADE.items()}, **SETS}
    if not folder().is_dir():
        print(f"no sets in {folder()}; they are left out", file=sys.stderr)
        known = {name: depths for name, depths in known.items() if name in MADE}
    results = []
    for name, depths in known.items():
        if given.only and not any(word in name for word in given.only):
            continue
        for depth in depths:
            if given.depth not in (None, depth):
                continue
            for seconds in sorted(given.seconds):
                results.append(search(name, depth, seconds))
                print(results[-1], flush=True)
                if results[-1]["gap"] == 0.0:
                    break  # more time changes nothing
    if given.record:
        keep({"results": results}, f"{max(given.seconds):g}s")


if __name__ == "__main__":
    main()
