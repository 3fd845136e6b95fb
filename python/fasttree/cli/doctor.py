"""`ftree doctor`: versions, threads, processor level, and a test of the core on this machine.

Its output belongs in a report of a defect. It exits with 1 if a check fails.
"""

from __future__ import annotations

import os
import platform
import time
from importlib.metadata import PackageNotFoundError, version
from typing import Any

import typer

from .._checks.words import counted
from . import options as o
from .bundles import examples
from .output import emit, table

NEEDED = ("numpy", "scikit-learn", "narwhals")
OPTIONAL = {
    "matplotlib": "plots",
    "jinja2": "report",
    "typer": "cli",
    "rich": "cli",
    "pandas": "data",
    "pyarrow": "data",
    "polars": "",
    "dask": "distributed",
    "onnx": "onnx",
    "onnxruntime": "onnx",
}
"""Optional packages, and the extra of fasttree that installs each."""


def _version(package: str) -> str | None:
    """Version of an installed package."""
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def _cores() -> int:
    """Cores that this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _grow_and_read_back() -> str:
    """Fit a tree, store it and read it back."""
    from .. import from_bytes
    from ..datasets import load_weather
    from ..estimators import fit

    rows = load_weather()
    model = fit(rows)
    again = from_bytes(model.to_bytes())
    if again.to_text() != model.to_text() or model.score(rows) != 1.0:
        raise RuntimeError("a tree came back other than it was saved")
    return f"{counted(model.get_n_leaves(), 'leaf')}, saved, read back and equal"


def _threads() -> str:
    """The work of all threads as a multiple of the work of one thread, in words."""
    from .. import _engine

    one, every = (_engine.exercise("spin", 0.1, jobs) for jobs in (1, -1))
    return f"{every / max(one, 1):.1f} times the work of one thread in 0.1 s"


def _criteria() -> str:
    """Score the worked example of every criterion on tables."""
    from ..criteria import list_criteria, make

    worst = 0.0
    rows = [row for row in list_criteria() if row["evidence"] == "table"]
    for row in rows:
        made: Any = make(row["name"])
        worst = max(worst, abs(float(made.score(row["example"])) - row["example_score"]))
    if worst > 1e-12:
        raise RuntimeError(f"a criterion differs from its worked example by {worst:g}")
    return f"{counted(len(rows), 'criterion')} on tables give their worked examples"


# Each check returns its result in words, or raises.
CHECKS = {"model": _grow_and_read_back, "criteria": _criteria, "threads": _threads}


@examples("ftree doctor --json doctor.json")
def doctor(json: o.Json = None) -> None:
    """Versions, threads and processor level, and a short exercise of the core."""
    import fasttree

    from .. import _engine
    from ..reports import render

    facts: dict[str, Any] = {
        "fasttree": fasttree.__version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cores": _cores(),
        "simd": _engine.simd_level(),
        **{package: _version(package) for package in NEEDED},
    }
    extras = {package: _version(package) for package in OPTIONAL}
    # A check that fails does not stop the others.
    checks = {}
    for name, check in CHECKS.items():
        started = time.perf_counter()
        try:
            checks[name] = {"ok": True, "result": check()}
        except Exception as error:
            checks[name] = {"ok": False, "result": f"{type(error).__name__}: {error}"}
        checks[name]["seconds"] = round(time.perf_counter() - started, 4)
    sound = all(one["ok"] for one in checks.values())
    document = {"command": "doctor", "ok": sound, **facts, "optional": extras, "checks": checks}
    tables = [
        table("", ["what", "value"], [[k, "-" if v is None else v] for k, v in facts.items()]),
        table(
            "Optional packages",
            ["package", "version", "extra"],
            [[p, v or "not installed", OPTIONAL[p]] for p, v in extras.items()],
        ),
        table(
            "Exercise",
            ["check", "ok", "result"],
            [[name, "yes" if one["ok"] else "NO", one["result"]] for name, one in checks.items()],
        ),
    ]
    emit(lambda: render(tables), document, json)
    if not sound:
        raise typer.Exit(1)
