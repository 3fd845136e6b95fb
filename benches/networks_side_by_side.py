"""Learning the structure of Bayesian networks beside pgmpy's learners: CPU time of the search, the
message length of the graph found, and its accuracy.

Three jobs: Asia (1000 rows of 8 columns) and letter (20,000 rows of 16 columns and the class,
binned by MDL), each by CaMML's search at its defaults and by pgmpy's hill climbing with the score
that is nearest to the message length (K2; BIC beside it) and by its tree search; and the exact
posterior of 16 columns and 1000 rows, for which no peer is known that reaches 16 columns. All
graphs are judged alike: `fasttree.bayesian_networks.message_length` with the p that CaMML
estimated, and the accuracy of `BayesianNetwork.from_table` with that graph, tables from the
training part (first 4/5 of the rows), on the rest. The graphs have seen all rows. Hill climbing may
take four parents of a column: without a bound K2 takes thirteen on letter, a table of 2.6e13 cells.

    python benches/networks_side_by_side.py --data DIR [--rounds 3] [--only asia exact letter]
        [--record]

`--data` is a folder with letter.arff of the UCI repository. pgmpy comes with the extra [bench].
"""

from __future__ import annotations

import argparse
import logging
import sys
import warnings
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
from clock import add_record, cpu_seconds, keep

import fasttree
from fasttree import Table
from fasttree.bayesian_networks import BayesianNetwork, CaMML, exact_posterior, message_length

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "docs" / "networks"))


def in_levels(table: Table) -> Table:
    """The same rows with numbers as bins, found once for all contestants."""
    from fasttree.bayesian_networks.reading import read

    reading = read(table)
    network = BayesianNetwork.from_reading(reading, [[] for _ in reading.names])
    codes = np.column_stack([network._reader.codes(table), table.y_codes])
    return network._reader.table(codes, reading.names[-1], table.classes)


def frame(table: Table) -> Any:
    """Columns and class as pgmpy reads them: strings."""
    import pandas as pd

    columns = {c.name: np.array([f"v{v}" for v in c.values]) for c in table.columns}
    columns[str(table.target)] = np.array([f"c{v}" for v in table.y_codes])
    return pd.DataFrame(columns)


def peers(table: Table) -> dict[str, Callable[[], Any]]:
    """pgmpy's learners, each returning its arcs."""
    from pgmpy.estimators import HillClimbSearch, TreeSearch

    rows = frame(table)
    quiet: Mapping[str, Any] = {"show_progress": False}
    climb: Mapping[str, Any] = {**quiet, "max_indegree": 4}
    return {
        "pgmpy hill climbing, K2": lambda: (
            HillClimbSearch(rows).estimate(scoring_method="k2", **climb).edges()
        ),
        "pgmpy hill climbing, BIC": lambda: (
            HillClimbSearch(rows).estimate(scoring_method="bic-d", **climb).edges()
        ),
        "pgmpy tree search, TAN": lambda: (
            TreeSearch(rows, root_node=table.feature_names[0])
            .estimate(estimator_type="tan", class_node=str(table.target), **quiet)
            .edges()
        ),
    }


def judged(table: Table, parents: Any, p: float) -> dict[str, float]:
    """Message length in nits, and accuracy on the last fifth."""
    length = message_length(table, parents, arc_probability=p).total
    cut = len(table) * 4 // 5
    network = BayesianNetwork.from_table(table.take(np.arange(cut)), parents)
    rest = table.take(np.arange(cut, len(table)))
    hits = network.predict(rest) == np.asarray(rest.y)
    return {"message_length_nits": round(length, 3), "accuracy": round(float(hits.mean()), 4)}


def timed(work: Callable[[], Any], rounds: int) -> tuple[float, Any]:
    """Least CPU seconds of the rounds, and the last result."""
    best, found = float("inf"), None
    for _ in range(rounds):
        start = cpu_seconds()
        found = work()
        best = min(best, cpu_seconds() - start)
    return best, found


def side_by_side(name: str, table: Table, rounds: int) -> list[dict[str, Any]]:
    """CaMML's search and pgmpy's on the same rows."""
    seconds, model = timed(lambda: CaMML(random_state=0).fit(table), rounds)
    p = model.arc_probability_
    rows = [
        {
            "job": name,
            "learner": "fasttree CaMML, defaults",
            "cpu_s": round(seconds, 3),
            "arcs": len(model.network_.arcs),
            **judged(table, model.network_, p),
        }
    ]
    show(rows[-1])
    names = [*table.feature_names, str(table.target)]
    for learner, work in peers(table).items():
        seconds, edges = timed(work, rounds)
        parents: list[list[int]] = [[] for _ in names]
        for a, b in edges:
            parents[names.index(b)].append(names.index(a))
        rows.append(
            {
                "job": name,
                "learner": learner,
                "cpu_s": round(seconds, 3),
                "arcs": len(edges),
                **judged(table, parents, p),
            }
        )
        show(rows[-1])
    return rows


def sixteen() -> Table:
    """1000 rows of a random network over 16 columns of 2 to 4 values, two parents at most."""
    rng = np.random.default_rng(0)
    arities = rng.integers(2, 5, 16)
    names = [f"x{j}" for j in range(15)] + ["class"]
    levels = [[f"v{v}" for v in range(k)] for k in arities]
    parents = [
        sorted(int(i) for i in rng.choice(j, min(j, 2), replace=False)) if j else []
        for j in range(16)
    ]
    tables = [
        rng.dirichlet(np.ones(arities[j]), tuple(arities[i] for i in own))
        for j, own in enumerate(parents)
    ]
    return BayesianNetwork(names, levels, parents, tables).sample(1000, random_state=0)


def exactly(rounds: int) -> list[dict[str, Any]]:
    """The exact posterior of 16 columns."""
    table = sixteen()
    seconds, found = timed(lambda: exact_posterior(table, arc_probability=0.2), rounds)
    row = {
        "job": "exact posterior, 16 columns, 1000 rows",
        "learner": "fasttree exact_posterior",
        "cpu_s": round(seconds, 3),
        "arcs": len(found.best.arcs),
        **judged(table, found.best, 0.2),
    }
    show(row)
    return [row]


def show(row: Mapping[str, Any]) -> None:
    """One line a contestant."""
    print(*row.values(), sep=" | ", flush=True)


def main() -> None:
    """Run the jobs that were asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--data", type=Path, help="folder with letter.arff")
    parser.add_argument("--rounds", type=int, default=1)
    parser.add_argument("--only", nargs="+", default=["asia", "exact", "letter"])
    add_record(parser)
    asked = parser.parse_args()
    warnings.simplefilter("ignore")
    logging.disable(logging.WARNING)
    results: list[dict[str, Any]] = []
    if "asia" in asked.only:
        from asia import asia

        results += side_by_side("Asia, 1000 x 8", asia().sample(1000, random_state=0), asked.rounds)
    if "exact" in asked.only:
        results += exactly(asked.rounds)
    if "letter" in asked.only:
        if asked.data is None:
            parser.error("letter needs --data DIR")
        letter = in_levels(fasttree.datasets.load(asked.data / "letter.arff"))
        results += side_by_side("letter, binned, 20,000 x 16", letter, 1)
    if asked.record:
        keep({"unit": "CPU seconds", "pgmpy": version("pgmpy"), "results": results})


if __name__ == "__main__":
    main()
