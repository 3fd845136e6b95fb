"""Conditional inference trees beside R's partykit, on the same rows.

    python benches/ctree.py            # prints CPU seconds of one thread
    python benches/ctree.py --record   # keeps the figures in benches/record

100,000 rows of 20 normal numbers and two classes, of which five columns tell something;
``presets.CTREE`` and ``partykit::ctree`` with its defaults. The answer is checked first: the
statistics of all columns at the root, its split, and the number of leaves. Needs ``Rscript`` with
the package partykit (Debian: ``r-cran-partykit``). R's time is measured around
``ctree`` alone.
"""

from __future__ import annotations

import argparse
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np
from clock import add_record, check, keep, take_turns

from fasttree import FastTreeClassifier, presets

ROWS, COLUMNS, ROUNDS = 100_000, 20, 3

IN_R = """
suppressMessages(library(partykit))
args <- commandArgs(TRUE)
n <- as.integer(args[2]); k <- as.integer(args[3])
d <- data.frame(matrix(readBin(file.path(args[1], "X"), "double", n * k), n, k))
d$y <- factor(readBin(file.path(args[1], "y"), "integer", n))
start <- proc.time()
tree <- ctree(y ~ ., data = d)
taken <- proc.time() - start
root <- node_party(tree)
found <- info_node(root)$criterion["statistic", ]
cat(taken[["user.self"]] + taken[["sys.self"]], width(tree),
    names(data_party(tree))[split_node(root)$varid],
    sprintf("%.17g", split_node(root)$breaks), sprintf("%.17g", found[paste0("X", 1:k)]),
    as.character(packageVersion("partykit")), as.character(getRversion()))
"""


def made(random: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Rows and their classes."""
    X = random.normal(size=(ROWS, COLUMNS))
    signal = X[:, :5] @ np.array([1.0, 0.7, 0.5, 0.3, 0.2]) + np.abs(X[:, 1])
    return X, (signal + random.logistic(size=ROWS) > 0.8).astype(np.int32)


def in_r(X: np.ndarray, y: np.ndarray) -> list[str]:
    """What R's ctree answers: CPU seconds, leaves, column and threshold of the root, the statistic
    of each column, versions."""
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "X").write_bytes(X.tobytes("F"))
        (Path(folder) / "y").write_bytes(y.tobytes())
        command = ["Rscript", "-e", IN_R, folder, str(ROWS), str(COLUMNS)]
        return subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()


def main() -> None:
    """Print the times and their ratio."""
    parser = argparse.ArgumentParser(description="conditional inference trees beside partykit")
    add_record(parser)
    given = parser.parse_args()
    if shutil.which("Rscript") is None:
        raise SystemExit("Rscript is not installed: apt install r-cran-partykit")
    X, y = made(np.random.default_rng(0))
    model = FastTreeClassifier(**presets.CTREE, n_jobs=1)
    tree = model.fit(X, y).tree_
    answers = sorted((in_r(X, y) for _ in range(ROUNDS)), key=lambda answer: float(answer[0]))
    seconds, leaves, column, threshold, *statistics, partykit, version = answers[0]
    found = {one["feature"]: one["statistic"] for one in model.explain(0, X, y)}
    of_root = [found[f"x{j}"] for j in range(COLUMNS)]
    check(np.allclose(of_root, np.array(statistics, float), rtol=1e-8), "statistics of the root")
    check(column == f"X{tree.feature[0] + 1}", "the column of the root")
    check(float(threshold) == tree.threshold[0], "the threshold of the root")
    check(int(leaves) == model.get_n_leaves(), f"{leaves} leaves, {model.get_n_leaves()} here")
    times = take_turns({"fasttree": lambda: model.fit(X, y)}, ROUNDS)["fasttree"]
    ratio = float(seconds) / min(times)
    print(f"fasttree {min(times):.3f} s, partykit {seconds} s: {ratio:.1f} times, {leaves} leaves")
    if given.record:
        keep(
            {
                "rows": ROWS,
                "columns": COLUMNS,
                "leaves": int(leaves),
                "cpu_s": {"fasttree": min(times), "partykit": float(seconds)},
                "ratio": ratio,
                "partykit": partykit,
                "R": version,
            }
        )


if __name__ == "__main__":
    main()
