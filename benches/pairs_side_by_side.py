"""The passes over all pairs beside BLAS and plain NumPy: the same data, the same run, one thread,
CPU time.

    python benches/pairs_side_by_side.py                 # data of the sizes of kr-vs-kp, mushroom
    and letter, drawn at random python benches/pairs_side_by_side.py --data DIR      # the sets
    themselves, in ARFF python benches/pairs_side_by_side.py --largest       # 100,000 x 50 exactly,
    on all cores, with its peak memory python benches/pairs_side_by_side.py --record        # keeps
    the numbers in benches/record, those of the sets in a file of their own

*fair BLAS* is what one would write with matrix products and care: one-hot columns in single
precision, rows sorted by class, each unordered pair of blocks once, one product for the distances
and one for the sums, one alpha. *NumPy rows* is Algorithm 2 with one row at a time in vectors. The
exact pass finds all alphas, thetas and decays at once, the fixed-weight pass one. R of all
contestants is compared before anything is timed; every instruction set runs in a process of its own
(FASTTREE_SIMD). Encoding is timed apart, from strings and from codes.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from clock import add_record, cpu_seconds, keep, one_run, take_turns
from threadpoolctl import threadpool_limits

import fasttree
from fasttree import Table, count_matrices, pair_counts

SIZES = {"kr-vs-kp": (3196, 36, 2, 2), "mushroom": (8124, 22, 5, 2), "letter": (20_000, 16, 10, 26)}
GOALS = {"kr-vs-kp": 2.0, "mushroom": 9.0, "letter": 9.0}
WIDE = (3000, 300, 3, 2)
ALPHA = 0.1


def drawn(rows: int, features: int, values: int, classes: int) -> Table:
    """Uniform codes, a class that follows five of them."""
    rng = np.random.default_rng(0)
    X = rng.integers(0, values, (rows, features), dtype=np.uint8)
    y = (X[:, :5].astype(int).sum(axis=1) + (rng.random(rows) < 0.2)) % classes
    return Table(X, y, categorical_features="all")


def table_of(name: str, folder: Path | None) -> Table:
    """A set of the folder, numbers in ten equal-width bins; drawn at random without a folder."""
    if folder is None:
        return drawn(*SIZES[name])
    table = fasttree.datasets.load(folder / f"{name}.arff")
    numeric = any(c.kind == "numeric" for c in table.columns)
    return fasttree.discretize.EqualWidth().fit_transform(table) if numeric else table


def codes_of(table: Table) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Codes (missing cells as one more), classes, first slot of each feature and the number of
    all."""
    columns = [np.asarray(c.values).astype(np.intp) for c in table.columns]
    levels = [len(c.levels or ()) for c in table.columns]
    codes = np.column_stack([np.where(v < 0, k, v) for v, k in zip(columns, levels, strict=True)])
    sizes = [max(k, int(v.max()) + 1) for k, v in zip(levels, codes.T, strict=True)]
    return codes, np.asarray(table.y_codes), np.concatenate([[0], np.cumsum(sizes)])


class Blas:
    """R by matrix products; encoding and sorting are done beforehand."""

    def __init__(
        self, codes: np.ndarray, y: np.ndarray, first: np.ndarray, block: int = 1024
    ) -> None:
        order = np.argsort(y, kind="stable")
        self.n, self.slots, self.classes = codes.shape[1], int(first[-1]), int(y.max()) + 1
        self.hot = np.zeros((len(y), self.slots), np.float32)
        self.hot[np.arange(len(y))[:, None], codes[order] + first[:-1]] = 1
        ends = np.searchsorted(y[order], np.arange(self.classes + 1))
        self.blocks = [
            (c, slice(at, min(at + block, ends[c + 1])))
            for c in range(self.classes)
            for at in range(ends[c], ends[c + 1], block)
        ]

    def __call__(self) -> np.ndarray:
        """R of all slots, shape (slots, classes, 4), alpha 0.1, exponential."""
        r = np.zeros((self.slots, self.classes, 4))
        total = np.zeros((self.slots, self.classes, 2))
        for b, (c, rows) in enumerate(self.blocks):
            mine = self.hot[rows]
            for other, (d, columns) in enumerate(self.blocks[b:]):
                theirs = self.hot[columns]
                weight = mine @ theirs.T
                weight -= self.n
                weight *= ALPHA
                np.exp2(weight, out=weight)
                case = int(c != d)
                equal = np.einsum("is,is->s", mine, weight @ theirs)
                r[:, c, case] += equal
                total[:, c, case] += weight.sum(axis=1) @ mine
                if other > 0:
                    r[:, d, case] += equal
                    total[:, d, case] += weight.sum(axis=0) @ theirs
        r[:, :, 2:] = total - r[:, :, :2]
        return r


def by_rows(codes: np.ndarray, y: np.ndarray, first: np.ndarray) -> np.ndarray:
    """R, one row i at a time against all rows."""
    n, slots, classes = codes.shape[1], int(first[-1]), int(y.max()) + 1
    r = np.zeros((slots, classes, 4))
    small = codes.astype(np.uint8)
    table = np.exp2(-ALPHA * np.arange(n + 1))
    for i in range(len(y)):
        equal = small == small[i]
        weight = table[n - equal.sum(axis=1)]
        same = y == y[i]
        at = codes[i] + first[:-1]
        for case, chosen in enumerate((np.where(same, weight, 0.0), np.where(same, 0.0, weight))):
            agree = chosen @ equal
            r[at, y[i], case] += agree
            r[at, y[i], 2 + case] += chosen.sum() - agree
    return r


def passes(table: Table, rounds: int) -> dict[str, Any]:
    """Seconds of both passes on this process's instruction set."""
    exact, fixed = count_matrices(table), count_matrices(table, precision="fixed")
    bound = len(table) ** 2 * 2.0**-25
    worst = max(float(np.abs(a - b).max()) for a, b in zip(exact, fixed, strict=True))
    if worst > bound:
        raise SystemExit(f"fixed point is off by {worst:g}, nothing is timed")
    times = take_turns(
        {
            "exact": lambda: pair_counts(table, n_jobs=1),
            "fixed": lambda: count_matrices(table, precision="fixed", n_jobs=1),
        },
        rounds,
    )
    return {name: min(t) for name, t in times.items()}


def on_level(level: str, name: str, options: argparse.Namespace) -> dict[str, Any]:
    """`passes` in a process that uses the level."""
    command = [
        sys.executable,
        __file__,
        "--level",
        level,
        "--only",
        name,
        "--rounds",
        str(options.rounds),
    ]
    command += ["--data", str(options.data)] if options.data else []
    run = subprocess.run(
        command, env=os.environ | {"FASTTREE_SIMD": level}, capture_output=True, check=True
    )
    found: dict[str, Any] = json.loads(run.stdout)
    return found


def contest(name: str, options: argparse.Namespace) -> dict[str, Any]:
    """One set: all contestants, then the instruction sets."""
    table = drawn(*WIDE) if name == "wide" else table_of(name, options.data)
    codes, y, first = codes_of(table)
    t, n = codes.shape
    blas = Blas(codes, y, first)
    mine = np.concatenate(count_matrices(table, alpha=ALPHA))
    gap = float(np.abs(blas() - mine).max() / np.abs(mine).max())
    if not gap < 1e-4:
        raise SystemExit(f"{name}: BLAS differs by {gap:g}, nothing is timed")
    few = slice(0, 300)
    rows = by_rows(codes[few], y[few], first)
    again = np.concatenate(count_matrices(table.take(np.arange(300)), alpha=ALPHA))
    if rows.shape == again.shape and not np.allclose(rows, again, rtol=1e-9):
        raise SystemExit(f"{name}: NumPy rows differ, nothing is timed")
    work: dict[str, Any] = {
        "exact": lambda: pair_counts(table, n_jobs=1),
        "fixed": lambda: count_matrices(table, precision="fixed", n_jobs=1),
        "fair BLAS": blas,
    }
    with threadpool_limits(1):
        times = {k: min(v) for k, v in take_turns(work, options.rounds).items()}
        if t <= 4000:
            times["NumPy rows"] = one_run(lambda: by_rows(codes, y, first))
    pairs = t * (t - 1) / 2 * n
    found: dict[str, Any] = {
        "data": f"{name} {t:,} x {n}, {int(first[-1])} values, {int(y.max()) + 1} classes",
        "cpu_s": times,
        "gpf_per_s": {k: round(pairs / v * 1e-9, 2) for k, v in times.items()},
        "blas_over_exact": round(times["fair BLAS"] / times["exact"], 2),
        "blas_over_fixed": round(times["fair BLAS"] / times["fixed"], 2),
        "goal": GOALS.get(name),
        "difference_from_blas": gap,
        "levels": {},
    }
    for level in ("avx512", "avx2", "baseline"):
        found["levels"][level] = on_level(level, name, options)
    top = found["levels"][fasttree._engine.simd_level()]["exact"]
    for level in found["levels"].values():
        level["share_of_exact_rate"] = {k: round(top / level[k], 2) for k in ("exact", "fixed")}
    print(json.dumps(found), flush=True)
    return found


def encoding() -> dict[str, float]:
    """Nanoseconds a cell from an array of codes and from strings to an encoded Table (first use
    included)."""
    import pandas as pd

    rng = np.random.default_rng(0)
    codes = rng.integers(0, 5, (20_000, 22), dtype=np.uint8)
    frame = pd.DataFrame(np.array(list("abcde"))[codes]).astype("category")
    y = rng.integers(0, 2, len(codes))

    def encode(X: Any, **options: Any) -> None:
        fasttree._engine.dataset_of(Table(X, y, **options), 1)

    works = {
        "uint8": lambda: encode(codes, categorical_features="all"),
        "pandas categories": lambda: encode(frame),
    }
    found = {k: round(min(v) * 1e9 / codes.size, 2) for k, v in take_turns(works, 3).items()}
    print("encoding, ns a cell:", found)
    return found


def in_a_child(work: Callable[[], Any]) -> dict[str, Any]:
    """Time and peak memory of a process that does nothing else: a peak, once reached, hides all
    that come later."""

    def peak() -> int:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024

    receive, send = os.pipe()
    if os.fork() == 0:
        before, cpu, wall = peak(), cpu_seconds(), time.perf_counter()
        work()
        found = {
            "wall_s": round(time.perf_counter() - wall, 2),
            "cpu_s": round(cpu_seconds() - cpu, 2),
            "peak_bytes_more_than_before": peak() - before,
        }
        os.write(send, json.dumps(found).encode())
        os._exit(0)
    os.close(send)
    os.wait()
    with os.fdopen(receive) as answer:
        return dict(json.loads(answer.read()))


def largest() -> dict[str, Any]:
    """100,000 x 50 of five values, exactly, all cores: wall and CPU time, peak memory beside the
    formula of the documentation."""
    t, n, values, classes = 100_000, 50, 5, 2
    count_matrices(drawn(1000, n, values, classes), precision="fixed")
    table = drawn(t, n, values, classes)
    fasttree._engine.dataset_of(table, None)
    found: dict[str, Any] = {"data": f"{t:,} x {n}, {values} values, {classes} classes"}
    threads, slots, live, digits = os.cpu_count() or 1, n * values, 20, 17
    formula = {
        "exact": 14 * t * n
        + (threads * 3 + 1) * 32 * slots * classes * (n + 1)
        + threads * (64 * slots + 130 * digits * live * n + 4096 * (n + 1) + 4_000_000),
        "fixed": 14 * t * n
        + threads * (64 * slots + 4096 * n + 32 * t + 260_000 + 4_000_000)
        + threads * 3 * 32 * t,
    }
    for name, work in (
        ("exact", lambda: pair_counts(table, n_jobs=-1)),
        ("fixed", lambda: count_matrices(table, precision="fixed", n_jobs=-1)),
    ):
        found[name] = {**in_a_child(work), "formula_bytes": formula[name]}
        print(name, found[name], flush=True)
    return found


def main() -> None:
    """Run, print, and keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--data", type=Path)
    parser.add_argument("--only", choices=[*SIZES, "wide"])
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--largest", action="store_true")
    parser.add_argument("--level", help=argparse.SUPPRESS)
    add_record(parser)
    options = parser.parse_args()
    names = [options.only] if options.only else [*SIZES, "wide"]
    if options.level:
        table = drawn(*WIDE) if names[0] == "wide" else table_of(names[0], options.data)
        print(json.dumps(passes(table, options.rounds)))
        return
    found: dict[str, Any] = {}
    if options.largest:  # first, because the peak is of all that this process has done
        found["largest"] = largest()
    found["results"] = [contest(name, options) for name in names]
    found["encoding_ns_per_cell"] = encoding()
    if options.record:
        keep({"simd": fasttree._engine.simd_level()} | found, which="sets" if options.data else "")


if __name__ == "__main__":
    main()
