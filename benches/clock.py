"""Measuring side by side: CPU time of interleaved runs, and what machine it was.

CPU time (user + system, of this process and its finished children) hardly depends on what else the machine does; wall
time does. Contestants take turns, so that a slow minute hits all of them, and the minimum of the rounds is kept.
"""

from __future__ import annotations

import gc
import importlib.util
import platform
import resource
import sys
import time
from collections.abc import Callable, Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

PACKAGES = ("numpy", "scikit-learn", "lightgbm", "ydf", "pandas")


def cpu_seconds() -> float:
    """User and system time of this process, all its threads, and its finished children."""
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return time.process_time() + children.ru_utime + children.ru_stime


def one_run(work: Callable[[], Any], least: float = 0.05) -> float:
    """CPU seconds of one call; short calls are repeated until `least` seconds have passed."""
    calls = 1
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
        if taken >= least or calls >= 10_000:
            return taken / calls
        calls = min(10_000, max(calls * 2, int(calls * 1.2 * least / max(taken, 1e-6))))


def check(holds: bool, what: str) -> None:
    """Refuse to time a wrong answer."""
    if not holds:
        raise SystemExit(f"wrong answer, nothing is timed: {what}")


def have(package: str) -> bool:
    """Whether a peer is installed; says so if not."""
    found = importlib.util.find_spec(package) is not None
    if not found:
        print(f"{package} is not installed and is left out: pip install '.[bench]'", file=sys.stderr)
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
    import os

    found = {}
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
