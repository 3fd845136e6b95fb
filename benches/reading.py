"""CSV files beside pandas' C reader: numbers, and nominal columns of several kinds of labels.

    python benches/reading.py                    # 200 MB of numbers, 300,000 x 10 nominal cells
    python benches/reading.py --only nominal     # nominal columns alone (or: numbers)
    python benches/reading.py --rounds 5
    python benches/reading.py --record           # keeps the figures in benches/record

Both read the same file from the page cache and take turns. pandas reads nominal columns twice: as
strings (``read_csv(path)``, which makes no codes) and as categories (``dtype="category"``, which
makes what a Table holds). A ratio is pandas' CPU time over fasttree's.
"""

from __future__ import annotations

import argparse
import tempfile
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from clock import add_record, check, keep, take_turns

from fasttree import datasets

LABELS = {
    "5 labels of 3 to 6 letters": ["red", "green", "blue", "yellow", "black"],
    "8 labels of 1 letter": list("abcdefgh"),
    "40 labels of 16 letters": [f"level number {i:03d}" for i in range(40)],
    "2,000 labels of 2 to 5 letters": [f"v{i}" for i in range(2000)],
}


def contest(name: str, path: Path, readers: dict[str, Any], rounds: int) -> dict[str, Any]:
    """CPU seconds of all readers on one file."""
    times = take_turns({who: lambda read=read: read(path) for who, read in readers.items()}, rounds)
    least = {who: min(found) for who, found in times.items()}
    ratios = {who: s / least["fasttree"] for who, s in least.items() if who != "fasttree"}
    said = ", ".join(f"{who} {s:.3f} s" for who, s in least.items())
    print(f"{name}: {said}", {who: f"{ratio:.2f}x" for who, ratio in ratios.items()}, flush=True)
    megabytes = round(path.stat().st_size / 1e6, 1)
    return {"file": name, "megabytes": megabytes, "cpu_s": least, "ratios": ratios, "runs": times}


def numbers(folder: Path, rounds: int) -> list[dict[str, Any]]:
    """1,050,000 x 20 random numbers of six decimals, about 200 MB."""
    path = folder / "numbers.csv"
    draw = np.random.default_rng(0)
    lines = [
        ",".join(f"{v:.6f}" for v in row) + f",{'ab'[int(row[0] > 0)]}\n"
        for row in draw.normal(size=(1050, 20))
    ]
    head = ",".join(f"x{j}" for j in range(20)) + ",class\n"
    with path.open("w", encoding="utf-8") as file:
        file.write(head + "".join(lines) * 1000)
    table, frame = datasets.load(path), pd.read_csv(path)
    for j in (0, 19):
        check(bool((table.columns[j].values == frame[f"x{j}"]).all()), f"column {j}")
    del table, frame
    readers = {"fasttree": datasets.load, "pandas": pd.read_csv}
    return [contest("numbers", path, readers, rounds)]


def nominal(folder: Path, rounds: int) -> list[dict[str, Any]]:
    """300,000 x 10 cells of each kind of labels."""
    results = []
    for name, labels in LABELS.items():
        path = folder / "nominal.csv"
        draw = np.random.default_rng(0)
        cells = np.array(labels)[draw.integers(0, len(labels), (300_000, 10))]
        frame = pd.DataFrame(cells, columns=[f"x{j}" for j in range(10)])
        frame["class"] = np.array(["no", "yes"])[draw.integers(0, 2, len(frame))]
        frame.to_csv(path, index=False)
        check(bool((datasets.load(path).columns[7].labels() == cells[:, 7]).all()), name)
        readers = {
            "fasttree": datasets.load,
            "pandas strings": pd.read_csv,
            "pandas categories": lambda path: pd.read_csv(path, dtype="category"),
        }
        results.append(contest(name, path, readers, rounds))
    return results


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=["numbers", "nominal"])
    parser.add_argument("--rounds", type=int, default=3)
    add_record(parser)
    told = parser.parse_args()
    results = []
    with tempfile.TemporaryDirectory() as name:
        for one in (numbers, nominal):
            if one.__name__ in told.only:
                results += one(Path(name), told.rounds)
    if told.record:
        keep({"unit": "CPU seconds", "results": results})


if __name__ == "__main__":
    main()
