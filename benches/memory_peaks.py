"""Peak memory of the calls that last: how far the resident set grows beyond what was there before.

    python benches/memory_peaks.py                        # every call of tests/python/long_calls.py
    python benches/memory_peaks.py --only predict explain # calls whose names hold one of the words
    python benches/memory_peaks.py --size 0.2             # a fifth of the rows
    python benches/memory_peaks.py --limits               # passes over pairs and neighbours
    python benches/memory_peaks.py --record               # keeps the figures in benches/record

Linux only. Each call runs in a process of its own: its data are prepared, the call is made once on
few rows so that imports and caches do not count, the peak of the resident set is reset, and the
call is made. What it returns is held until the peak is read. A call that takes more than a minute
is left out, and the record names it. The sizes are those of the table that the tests of
interruption and of memory walk. With `--limits` the calls are those that take `memory_limit`, at
sizes at which it matters, without a limit and with one. No peer is measured, because the calls have
none in common.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from pathlib import Path

from clock import add_record, check, keep

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

from tests.python.long_calls import CALLS, PREPARE, Call  # noqa: E402

MEASURED = """
import ctypes, gc, json, os, warnings

def resident(field):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field)) * 1024

def reset():
    gc.collect()
    ctypes.CDLL("libc.so.6").malloc_trim(0)
    with open("/proc/self/clear_refs", "w") as file:
        file.write("5")

warnings.simplefilter("ignore")
size = {small}
exec({prepare!r})
found = eval(compile({work!r}, "call", "eval")) if {one} else exec({work!r})
found = None
size = {size}
exec({prepare!r})
reset()
before = resident("VmRSS")
found = eval(compile({work!r}, "call", "eval")) if {one} else exec({work!r})
peak = resident("VmHWM")
print(json.dumps([before, peak]))
"""


LIMITED = {
    "pair_counts, 300,000 x 50": (
        "X = rng.integers(0, 3, (int(300_000 * size), 50)).astype(np.uint8)\n"
        "table = encoded(Table(X, rng.integers(0, 2, len(X)), categorical_features='all'))",
        "fasttree.pair_counts(table, rows=range(2000), memory_limit={limit})",
        128 << 20,
    ),
    "MultiSURF, 5,000 x 1,000 numbers": (
        "X, y = numbers(5000, 1000)",
        "fasttree.score_features(X, y, criterion='multisurf', memory_limit={limit})",
        64 << 20,
    ),
    "ReliefF, 5,000 x 1,000 numbers": (
        "X, y = numbers(5000, 1000)",
        "fasttree.score_features(X, y, criterion='relieff', memory_limit={limit})",
        64 << 20,
    ),
    "MultiSURF, 5,000 x 1,000 codes": (
        "X, y = levels(5000, 1000, 3)",
        "fasttree.score_features(X, y, criterion='multisurf', categorical_features='all', "
        "memory_limit={limit})",
        16 << 20,
    ),
}
"""How calls are prepared and made, and a limit of each in bytes."""


MOST = 60
"""Seconds that a call may take."""


def is_expression(work: str) -> bool:
    """Whether a call has a result that has to be held."""
    try:
        compile(work, "call", "eval")
    except SyntaxError:
        return False
    return True


def growth(name: str, call: Call, size: float) -> tuple[int, int] | None:
    """(resident bytes before the call, bytes by which it grew at most); None after a minute."""
    settings = {
        "small": min(size, 0.01),
        "size": size,
        "prepare": call.prepare,
        "work": call.work,
        "one": is_expression(call.work),
    }
    code = PREPARE + MEASURED.format(**settings)
    command = [sys.executable, "-c", code]
    try:
        run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=MOST)
    except subprocess.TimeoutExpired:
        return None
    check(run.returncode == 0, f"{name}: {run.stderr[-500:]}")
    before, peak = json.loads(run.stdout.splitlines()[-1])
    return before, max(peak - before, 0)


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], help="words of names of calls")
    parser.add_argument("--size", type=float, default=1.0, help="factor on the rows")
    parser.add_argument("--limits", action="store_true", help="calls with and without a limit")
    add_record(parser)
    told = parser.parse_args()
    results, left_out = [], []
    calls = CALLS
    if told.limits:
        calls = {
            f"{name}, limit {limit}": Call(prepare, work.format(limit=limit))
            for name, (prepare, work, most) in LIMITED.items()
            for limit in (None, most)
        }
    for name, call in calls.items():
        if told.only and not any(word in name for word in told.only):
            continue
        found = growth(name, call, told.size)
        if found is None:
            left_out.append(name)
            continue
        before, grown = found
        results.append(
            {
                "call": name,
                "prepare": call.prepare,
                "work": call.work,
                "before_mib": round(before / 2**20, 1),
                "growth_mib": round(grown / 2**20, 1),
            }
        )
        print(f"{name:<60} {grown / 2**20:10.1f} MiB", flush=True)
    if told.record:
        facts = {"unit": "MiB of the resident set", "size": told.size, "left_out": left_out}
        keep(facts | {"results": results})


if __name__ == "__main__":
    main()
