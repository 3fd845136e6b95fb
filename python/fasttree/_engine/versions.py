"""`versions`, which records of results hold, and `show_versions`, for a bug report."""

from __future__ import annotations

import json
import os
import platform
import subprocess
import sys
from contextlib import suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, distribution, version
from pathlib import Path

from . import core_version, simd_level

PACKAGES = (
    "numpy", "scikit-learn", "narwhals", "pandas", "polars", "pyarrow", "matplotlib", "jinja2",
    "typer", "rich", "onnx", "onnxruntime", "dask",
)  # fmt: skip


@cache
def commit() -> str | None:
    """The commit of the sources: of the checkout that holds the package, with ``-dirty`` where
    files differ from it, or the one that pip installed from; None where neither is known."""
    root = Path(__file__).resolve().parents[3]
    describe = ["describe", "--always", "--dirty", "--abbrev=40", "--exclude=*"]
    with suppress(OSError, subprocess.SubprocessError):
        if (root / ".git").exists():
            call = ["git", "--no-optional-locks", "-C", str(root), *describe]
            described = subprocess.run(call, capture_output=True, text=True, check=True, timeout=10)
            return described.stdout.strip()
    with suppress(PackageNotFoundError, ValueError):
        direct = distribution("fasttree").read_text("direct_url.json")  # PEP 610
        of_sources = json.loads(direct or "{}").get("vcs_info", {}).get("commit_id")
        return None if of_sources is None else str(of_sources)
    return None


def versions() -> dict[str, str]:
    """Versions that results depend on, for records of them, with system and processor, and the
    commit where it is known.

    Examples:
        >>> list(versions())[:4]
        ['fasttree', 'python', 'numpy', 'scikit-learn']
    """
    of_packages = {name: version(name) for name in ("numpy", "scikit-learn")}
    facts = {"fasttree": core_version(), "python": platform.python_version(), **of_packages}
    facts |= _machine()
    return facts if commit() is None else {**facts, "commit": str(commit())}


def _machine() -> dict[str, str]:
    """The system, and level and number of the processors."""
    processor = f"{platform.machine()}, {simd_level()}, {os.cpu_count()} cores"
    return {"platform": platform.platform(), "processor": processor}


def show_versions() -> None:
    """Print the versions of fasttree, Python and the packages it works with, the processor level
    and the number of cores.

    Examples:
        >>> import fasttree
        >>> fasttree.show_versions()    # doctest: +ELLIPSIS
        fasttree        ...
    """
    rows = [
        ("fasttree", core_version()),
        ("python", sys.version.split()[0]),
        *_machine().items(),
    ]
    for name in PACKAGES:
        try:
            rows.append((name, version(name)))
        except PackageNotFoundError:
            rows.append((name, "not installed"))
    for name, what in rows:
        print(f"{name:<16}{what}")
