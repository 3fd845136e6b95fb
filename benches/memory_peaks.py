"""Peak memory of the calls that last: how far the resident set grows beyond what was there before.

    python benches/memory_peaks.py                # every call of tests/python/laws/long_calls.py
    python benches/memory_peaks.py --only predict explain # calls whose names hold one of the words
    python benches/memory_peaks.py --size 0.2             # a fifth of the rows
    python benches/memory_peaks.py --limits               # passes over pairs and neighbours
    python benches/memory_peaks.py --record               # keeps the figures in benches/record

Linux only. Each call runs in a process of its own: its data are prepared, the call is made once on
few rows so that imports and caches do not count, the peak of the resident set is reset, and the
call is made. What it returns is held until the peak is read. A call that takes more than two
minutes is left out, and the record names it. The sizes are those of the table that the tests of
interruption and of memory walk. With `--limits` the calls are those that take `memory_limit`, at
sizes at which it matters, without a limit, with one, and with the need that they state; and the
pass over pairs in an address space of 512 MiB, which has to end well or to refuse. No peer is
measured, because the calls have none in common.
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

from tests.python.laws.long_calls import CALLS, PREPARE, Call  # noqa: E402

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
rng = np.random.default_rng(0)
exec({prepare!r})
reset()
before = resident("VmRSS")
found = eval(compile({work!r}, "call", "eval")) if {one} else exec({work!r})
peak = resident("VmHWM")
print(json.dumps([before, peak]))
"""


PASS = "pair_counts, 300,000 x 50"

LIMITED = {
    PASS: (
        "X = rng.integers(0, 3, (int(300_000 * size), 50)).astype(np.uint8)\n"
        "table = encoded(Table(X, rng.integers(0, 2, len(X)), categorical_features='all'))",
        "fasttree.pair_counts(table, rows=range(2000), memory_limit={limit})",
        128 << 20,
    ),
    "MultiSURF, 5,000 x 1,000 numbers": (
        "table = encoded(Table(*numbers(5000, 1000)))",
        "fasttree.score_features(table, criterion='multisurf', memory_limit={limit})",
        64 << 20,
    ),
    "ReliefF, 5,000 x 1,000 numbers": (
        "table = encoded(Table(*numbers(5000, 1000)))",
        "fasttree.score_features(table, criterion='relieff', memory_limit={limit})",
        64 << 20,
    ),
    "MultiSURF, 5,000 x 1,000 codes": (
        "table = encoded(Table(*levels(5000, 1000, 3), categorical_features='all'))",
        "fasttree.score_features(table, criterion='multisurf', memory_limit={limit})",
        16 << 20,
    ),
}
"""How calls are prepared and made, and a limit of each in bytes."""


ADDRESS_SPACE = 512 << 20
"""Bytes of address space in which the pass over pairs has to end well or to refuse."""

CONFINED = """
import json, resource, signal
size = {size}
rng = np.random.default_rng(0)
exec({prepare!r})
def stop(*_):
    raise KeyboardInterrupt
signal.signal(signal.SIGALRM, stop)
resource.setrlimit(resource.RLIMIT_AS, ({limit}, {limit}))
signal.alarm({seconds})
try:
    {work}
    print(json.dumps(["ended", None]))
except MemoryError as refusal:
    print(json.dumps(["refused", str(refusal)]))
except KeyboardInterrupt:
    print(json.dumps(["interrupted at work", None]))
"""

STATED = """
import re
def needed(limit):
    try:
        {work}
    except MemoryError as refusal:
        return int(re.search("needs ([0-9]+) bytes", str(refusal))[1])
size = {small}
exec({prepare!r})
def answer(limit):
    return {work}
assert np.all(answer(None) == answer(needed(1))), "the limit changes the answer"
size = {size}
rng = np.random.default_rng(0)
exec({prepare!r})
print(needed(1))
"""

MOST = 120
"""Seconds that a call may take."""


def is_expression(work: str) -> bool:
    """Whether a call has a result that has to be held."""
    try:
        compile(work, "call", "eval")
    except SyntaxError:
        return False
    return True


def growth(name: str, call: Call, size: float) -> tuple[int, int] | None:
    """(resident bytes before the call, bytes by which it grew at most); None after two minutes."""
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


def outcome(name: str, code: str) -> str:
    """The last line that a process of its own prints; a process that dies is a failure."""
    command = [sys.executable, "-c", PREPARE + code]
    run = subprocess.run(command, capture_output=True, text=True, check=False, timeout=10 * MOST)
    check(run.returncode == 0, f"{name}: exit {run.returncode}: {run.stderr[-500:]}")
    return run.stdout.splitlines()[-1]


def stated(prepare: str, work: str, size: float) -> int:
    """The need in bytes that a call states when it may take one byte; with few rows the answer
    under the need stated is compared first.
    """
    work = work.replace("{limit}", "limit")
    code = STATED.format(small=min(size, 0.02), size=size, prepare=prepare, work=work)
    return int(outcome(work, code))


def confined(size: float) -> list[dict[str, object]]:
    """How the pass over pairs ends in little address space: from some rows, and from all, which is
    interrupted after some seconds.
    """
    prepare, some, _ = LIMITED[PASS]
    found: list[dict[str, object]] = []
    for work in (some.format(limit=None), "fasttree.pair_counts(table)"):
        name = f"{work} in {ADDRESS_SPACE >> 20} MiB of address space"
        settings = {"size": size, "prepare": prepare, "limit": ADDRESS_SPACE, "seconds": 25}
        end, message = json.loads(outcome(name, CONFINED.format(work=work, **settings)))
        if end == "refused":
            check("needs" in message and "give it" in message, f"{name}: {message}")
        found.append({"call": name, "end": end, "message": message})
        print(f"{name}: {end} {message or ''}", flush=True)
    return found


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", nargs="*", default=[], help="words of names of calls")
    parser.add_argument("--size", type=float, default=1.0, help="factor on the rows")
    parser.add_argument("--limits", action="store_true", help="calls with and without a limit")
    add_record(parser)
    told = parser.parse_args()
    results, left_out = [], []
    calls, needs, ends = CALLS, {}, []
    if told.limits:
        calls = {
            f"{name}, limit {limit}": Call(prepare, work.format(limit=limit))
            for name, (prepare, work, most) in LIMITED.items()
            for limit in (None, most)
        }
        for name, (prepare, work, _) in LIMITED.items():
            need = stated(prepare, work.replace("{limit}", "{limit}, n_jobs=1"), told.size)
            work = work.format(limit=f"{need}, n_jobs=1")
            needs[f"{name}, the need stated"] = need
            calls[f"{name}, the need stated"] = Call(prepare, work)
        ends = confined(told.size)
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
        need = needs.get(name)
        if need is not None:
            results[-1]["stated_mib"] = round(need / 2**20, 1)
        text = "" if need is None else f" of {need / 2**20:.1f} MiB stated"
        print(f"{name:<60} {grown / 2**20:10.1f} MiB{text}", flush=True)
    if told.record:
        facts = {"unit": "MiB of the resident set", "size": told.size, "left_out": left_out}
        if told.limits:
            facts["confined"] = ends
        keep(facts | {"results": results}, *(["limits"] if told.limits else []))


if __name__ == "__main__":
    main()
