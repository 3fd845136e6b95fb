"""`show_versions`: the versions and settings that a bug report should contain."""

from __future__ import annotations

import platform
import sys
from importlib.metadata import PackageNotFoundError, version

from . import core_version, simd_level

__all__ = ["show_versions", "versions"]

PACKAGES = (
    "numpy", "scikit-learn", "narwhals", "pandas", "polars", "pyarrow", "matplotlib", "jinja2",
    "typer", "rich", "onnx", "onnxruntime", "dask",
)  # fmt: skip


def versions() -> dict[str, str]:
    """Versions that results depend on, for records of them.

    Examples:
        >>> list(versions())
        ['fasttree', 'python', 'numpy', 'scikit-learn']
    """
    of_packages = {name: version(name) for name in ("numpy", "scikit-learn")}
    return {"fasttree": core_version(), "python": platform.python_version(), **of_packages}


def show_versions() -> None:
    """Print the versions of fasttree, Python and the packages it works with, the processor level
    and the number of cores.

    Examples:
        >>> import fasttree
        >>> fasttree.show_versions()    # doctest: +ELLIPSIS
        fasttree        ...
    """
    import os

    rows = [
        ("fasttree", core_version()),
        ("python", sys.version.split()[0]),
        ("platform", platform.platform()),
        ("processor", f"{simd_level()}, {os.cpu_count()} cores"),
    ]
    for name in PACKAGES:
        try:
            rows.append((name, version(name)))
        except PackageNotFoundError:
            rows.append((name, "not installed"))
    for name, what in rows:
        print(f"{name:<16}{what}")
