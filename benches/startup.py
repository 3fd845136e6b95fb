"""CPU seconds until ``ftree --help`` and ``ftree --version`` are done, 20 runs each.

    python benches/startup.py [--record]

With `--record` the figures are kept in benches/record.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys

from clock import add_record, keep

RUNS = 20


def seconds(arguments: list[str]) -> float:
    """CPU time, user and system, of one run."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(
        [sys.executable, "-m", "fasttree.cli", *arguments], stdout=subprocess.DEVNULL, check=True
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    add_record(parser)
    told = parser.parse_args()
    results = []
    for asked in ("--help", "--version"):
        runs = sorted(seconds([asked]) for _ in range(RUNS))
        row = {"call": f"ftree {asked}", "least": runs[0], "median": statistics.median(runs)}
        row.update(most=runs[-1], runs=runs, goal=0.25, met=runs[-1] <= 0.25)
        results.append(row)
        print(f"{row['call']}: median {row['median']:.3f} s, most {runs[-1]:.3f} s")
    if told.record:
        keep({"unit": "CPU seconds", "results": results})


if __name__ == "__main__":
    main()
