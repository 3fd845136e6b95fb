"""`ftree advise` on twenty CSV files: how large, how accurate, how honest.

Bundled and generated sets are written out with identifiers, dates, noise and many-level columns,
two thirds of the rows as a CSV file that `advise` reads, one third held out. Beside the recommended
tree stand C4.5 (J48) on all columns and on those that `advise` keeps, the candidate that is best in
the cross-validation, and the majority class.

    python benches/advice.py [--repeats 2] [--seed 0] [--record]

Seeds from `--seed` on: other seeds draw other data and other divisions. With `--record` the figures
are kept in benches/record.
"""

from __future__ import annotations

import argparse
import datetime
import json
import math
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from clock import add_record, keep

import fasttree
from fasttree import datasets, presets
from fasttree.advice.candidates import candidates


def _frame(table: Any) -> pd.DataFrame:
    frame = table.to_frame().rename(columns={table.target: "label"})
    return frame.astype({c: object for c in frame.columns if frame[c].dtype == "category"})


def _with_traps(frame: pd.DataFrame, rng: np.random.Generator, kinds: str) -> pd.DataFrame:
    """The frame with columns that say nothing: i id, d dates, n noise, m many levels."""
    n, out = len(frame), frame.copy()
    if "i" in kinds:
        out.insert(0, "customer_id", rng.permutation(n) + 1000)
    if "u" in kinds:
        out.insert(0, "key", [f"u{v:06d}" for v in rng.permutation(n)])
    if "d" in kinds:
        days = rng.integers(0, 900, n)
        first = datetime.date(2022, 1, 1)
        dates = [str(first + datetime.timedelta(days=int(d))) for d in days]
        out.insert(len(out.columns) - 1, "joined", dates)
    if "n" in kinds:
        for j in range(3):
            out.insert(0, f"noise{j}", rng.normal(size=n).round(3))
    if "m" in kinds:
        out.insert(0, "city", [f"city{v}" for v in rng.integers(0, max(20, n // 12), n)])
    return out


def _churn(rng: np.random.Generator, n: int) -> pd.DataFrame:
    plan = rng.choice(["basic", "plus", "pro"], n)
    months, calls = rng.integers(1, 60, n), rng.poisson(2, n)
    bill = rng.gamma(4, 15, n).round(2)
    score = 1.1 * (plan == "basic") - 0.04 * months + 0.45 * calls + 0.012 * bill - 1.0
    frame = pd.DataFrame({"plan": plan, "months": months, "calls": calls, "bill": bill})
    frame.loc[rng.random(n) < 0.025, "bill"] = np.nan
    frame["label"] = np.where(rng.random(n) < 1 / (1 + np.exp(-score)), "leaves", "stays")
    return frame


def _levels_matter(rng: np.random.Generator, n: int, levels: int) -> pd.DataFrame:
    code = rng.integers(0, levels, n)
    effect = rng.random(levels)
    x = rng.normal(size=n)
    p = 0.7 * effect[code] + 0.3 * (x > 0)
    return pd.DataFrame(
        {
            "town": [f"t{c}" for c in code],
            "x": x.round(3),
            "label": np.where(rng.random(n) < p, "y", "n"),
        }
    )


def _noise(rng: np.random.Generator, n: int) -> pd.DataFrame:
    frame = pd.DataFrame(rng.normal(size=(n, 6)).round(3), columns=[f"v{j}" for j in range(6)])
    frame["kind"] = rng.choice(list("abcdef"), n)
    frame["label"] = rng.choice(["no", "yes"], n, p=[0.6, 0.4])
    return frame


def _rule(rng: np.random.Generator, n: int, flips: float) -> pd.DataFrame:
    X = rng.normal(size=(n, 5)).round(3)
    colour = rng.choice(["red", "green", "blue", "grey"], n)
    y = ((X[:, 0] > 0.3) & (colour != "grey")) | (X[:, 1] > 1.2)
    y ^= rng.random(n) < flips
    frame = pd.DataFrame(X, columns=[f"x{j}" for j in range(5)])
    return frame.assign(colour=colour, label=np.where(y, "in", "out"))


def _diagonal(rng: np.random.Generator, n: int) -> pd.DataFrame:
    X = rng.normal(size=(n, 4))
    total = X.sum(axis=1) + 0.5 * rng.normal(size=n)
    frame = pd.DataFrame(X.round(3), columns=list("abcd"))
    return frame.assign(label=np.digitize(total, [-1, 1]).astype(str))


def _rare(rng: np.random.Generator, n: int) -> pd.DataFrame:
    X = rng.normal(size=(n, 4)).round(3)
    y = (X[:, 0] > 1.2) & (X[:, 1] > 0)
    y ^= rng.random(n) < 0.01
    return pd.DataFrame(X, columns=list("abcd")).assign(label=np.where(y, "fraud", "fine"))


def sets(rng: np.random.Generator) -> dict[str, pd.DataFrame]:
    """The twenty sets, whole."""
    bundled = {
        "balance-scale": "", "breast-cancer": "id", "iris": "i", "monks-1": "n", "monks-2": "",
        "monks-3": "in", "tic-tac-toe": "i", "wine": "nd",
    }  # fmt: skip
    found = {
        name: _with_traps(_frame(datasets.load(name)), rng, kinds)
        for name, kinds in bundled.items()
    }
    made = {
        "churn 3000": (_churn(rng, 3000), "idm"),
        "churn 900": (_churn(rng, 900), "udm"),
        "40 towns": (_levels_matter(rng, 2500, 40), "i"),
        "200 towns": (_levels_matter(rng, 2500, 200), "d"),
        "noise 600": (_noise(rng, 600), "idm"),
        "noise 3000": (_noise(rng, 3000), "i"),
        "rule, 5 % flipped": (_rule(rng, 1500, 0.05), "un"),
        "rule, 20 % flipped": (_rule(rng, 1500, 0.20), "idnm"),
        "rule, clean": (_rule(rng, 600, 0.0), "n"),
        "diagonal": (_diagonal(rng, 2000), "i"),
        "rare class": (_rare(rng, 4000), "id"),
        "blobs": (_frame(datasets.make_blobs(900, random_state=3)), "n"),
    }
    found |= {name: _with_traps(frame, rng, kinds) for name, (frame, kinds) in made.items()}
    return found


def _scored(model: Any, held: pd.DataFrame, columns: list[str]) -> float:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # levels that occur in held-out rows only
        said = model.predict(held[columns])
    return float(np.mean([str(a) == str(b) for a, b in zip(said, held["label"], strict=True)]))


def one(name: str, frame: pd.DataFrame, seed: int, folder: Path) -> dict[str, Any]:
    """Figures of one set and one division."""
    rng = np.random.default_rng(seed)
    order = rng.permutation(len(frame))
    cut = 2 * len(frame) // 3
    train, held = frame.iloc[order[:cut]], frame.iloc[order[cut:]]
    file = folder / "train.csv"
    train.to_csv(file, index=False)
    began = time.process_time()
    advice = fasttree.advise(file, "label", time_limit=None, progress=False, random_state=seed)
    seconds = time.process_time() - began
    kept = list(advice.model.feature_names_in_)
    gone = [column for column, _ in advice.left_out]
    table = datasets.load(file, target="label", drop=gone)
    raw = datasets.load(file, target="label")
    plan = {c.name: c for c in candidates(table)}
    best = max((r for r in advice.table if r["candidate"] in plan), key=lambda r: r["accuracy"])[
        "candidate"
    ]
    best_model = fasttree.fit(table, random_state=seed, **plan[best].params)
    return {
        "set": name,
        "rows": len(train),
        "held_out": len(held),
        "left_out": gone,
        "recommended": next(r["candidate"] for r in advice.table if r["chosen"]),
        "leaves": int(advice.model.get_n_leaves()),
        "announced": advice.accuracy,
        "advised": _scored(advice.model, held, kept),
        "best": best,
        "best_accuracy": _scored(best_model, held, kept),
        "j48": _scored(fasttree.fit(table, **presets.C45), held, kept),
        "j48_leaves": int(fasttree.fit(table, **presets.C45).get_n_leaves()),
        "j48_all_columns": _scored(fasttree.fit(raw, **presets.C45), held, raw.feature_names),
        "majority": float((held["label"] == train["label"].mode()[0]).mean()),
        "cpu_seconds": round(seconds, 2),
    }


def _mean_and_error(values: list[float]) -> tuple[float, float]:
    array = np.array(values)
    return float(array.mean()), float(array.std(ddof=1) / math.sqrt(len(array)))


def summary(rows: list[dict[str, Any]]) -> dict[str, Any]:
    """The three claims over sets (means of repeats first)."""
    names = list(dict.fromkeys(r["set"] for r in rows))

    def gap(a: str, b: str) -> tuple[float, float]:
        per_set = [np.mean([r[a] - r[b] for r in rows if r["set"] == s]) for s in names]
        return _mean_and_error([float(v) for v in per_set])

    return {
        "sets": len(names),
        "largest_share_of_leaves": max(
            (r["leaves"] - 1) / r["rows"] if r["leaves"] == 1 else r["leaves"] / r["rows"]
            for r in rows
        ),
        "advised_minus_j48": gap("advised", "j48"),
        "advised_minus_j48_all_columns": gap("advised", "j48_all_columns"),
        "advised_minus_best": gap("advised", "best_accuracy"),
        "announced_minus_held_out": gap("announced", "advised"),
        "advised_minus_majority": gap("advised", "majority"),
    }


def main() -> None:
    """Run and print; with --record, keep."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=2)
    parser.add_argument("--seed", type=int, default=0)
    add_record(parser)
    options = parser.parse_args()
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for repeat in range(options.seed, options.seed + options.repeats):
            for name, frame in sets(np.random.default_rng(repeat)).items():
                rows.append(one(name, frame, repeat, Path(folder)))
                print(json.dumps(rows[-1]), flush=True)
    found = summary(rows)
    print(json.dumps(found, indent=1))
    if options.record:
        keep({"summary": found, "rows": rows})


if __name__ == "__main__":
    main()
