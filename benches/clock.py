"""Measuring side by side: CPU time of interleaved runs, what machine it was, and the record of it.

CPU time (user + system, of this process and its finished children) hardly depends on what else the
machine does; wall time does. Contestants take turns, so that a slow minute hits all of them, and
the minimum of the rounds is kept.

With ``--record`` every script keeps its numbers in ``record/<script>[-which]-<date>.json``, behind
the date, the command and the machine; a second record of the same day takes the place of the first.
"""

from __future__ import annotations

import argparse
import datetime
import gc
import importlib.util
import json
import os
import platform
import resource
import shlex
import sys
import time
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import fasttree

PACKAGES = ("numpy", "scikit-learn", "lightgbm", "ydf", "pandas")
RECORDS = Path(__file__).resolve().parent / "record"


def cpu_seconds() -> float:
    """User and system time of this process, all its threads, and its finished children."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def one_run(work: Callable[[], Any], least: float = 0.05) -> float:
    """CPU seconds of one call; short calls are repeated until `least` seconds have passed. A call
    of less than a second is made once more, and the first is not counted: after others have run, a
    thread that waited takes up to half as long again."""
    calls, is_first = 1, True
    while True:
        gc.collect()
        gc.disable()
        try:
            start = cpu_seconds()
            for _ in range(calls):
                work()
            taken = cpu_seconds() - start
        finally:
            gc.enable()
        if is_first and taken < 1.0:
            is_first = False
        elif taken >= least or calls >= 10_000:
            return taken / calls
        else:
            calls = min(10_000, max(calls * 2, int(calls * 1.2 * least / max(taken, 1e-6))))


def check(holds: bool, what: str) -> None:
    """Refuse to time a wrong answer."""
    if not holds:
        raise SystemExit(f"wrong answer, nothing is timed: {what}")


def have(package: str) -> bool:
    """Whether a peer is installed; says so if not."""
    found = importlib.util.find_spec(package) is not None
    if not found:
        print(
            f"{package} is not installed and is left out: pip install '.[bench]'", file=sys.stderr
        )
    return found


def take_turns(contestants: Mapping[str, Callable[[], Any]], rounds: int) -> dict[str, list[float]]:
    """CPU seconds of each contestant in each round."""
    times: dict[str, list[float]] = {name: [] for name in contestants}
    for _ in range(rounds):
        for name, work in contestants.items():
            times[name].append(one_run(work))
    return times


def processor() -> str:
    """The processor's name as the system gives it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or platform.machine()


def machine() -> dict[str, Any]:
    """Processor, system and versions; nothing that names a person, a computer or a place."""
    found = {"fasttree": fasttree.__version__}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return {
        "processor": processor(),
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "python": platform.python_version(),
        "packages": found,
    }


def add_record(parser: argparse.ArgumentParser) -> None:
    """The option ``--record``; a script that is given it calls `keep`."""
    parser.add_argument("--record", action="store_true", help="keep the numbers in benches/record")


def command() -> str:
    """What was typed, from the root of the project; of a path its last part, or DIR, because the
    rest is somebody's machine."""

    def told(word: str) -> str:
        option, equals, path = word.partition("=") if word.startswith("--") else ("", "", word)
        if not {os.sep, os.altsep} & set(path):
            return word
        return option + equals + ("DIR" if Path(path).is_dir() else Path(path).name)

    script, *words = sys.argv
    return f"python benches/{Path(script).name} {shlex.join(map(told, words))}".rstrip()


def record_file(which: str = "") -> Path:
    """The record of the script; `which` tells parts of it apart."""
    return RECORDS / ("-".join(filter(None, [Path(sys.argv[0]).stem, which])) + ".json")


def keep(findings: Mapping[str, Any], which: str = "") -> None:
    """Write the findings behind date, command and machine."""
    path = record_file(which)
    head = {"date": datetime.date.today().isoformat(), "command": command(), "machine": machine()}
    text = json.dumps(head | dict(findings), indent=1, default=lambda number: number.item())
    path.write_text(text + "\n", encoding="utf-8")
    print(f"written: benches/record/{path.name}", flush=True)
