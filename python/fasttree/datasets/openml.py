"""OpenML data sets through scikit-learn's ``fetch_openml`` (network on first use, its cache
afterwards).

What
    ``fetch("61")`` by number, ``fetch("iris")`` by name (the active version), ``fetch("iris/1")``
    by name and version. Nominal attributes keep their declared labels.
"""

from __future__ import annotations

from collections.abc import Collection
from typing import Any

from ..table import Table


def fetch(name: str, target: str | int | None = None, drop: Collection[str] = ()) -> Table:
    """Fetch an OpenML data set as a Table.

    Args:
        name: ``"61"``, ``"iris"`` or ``"iris/1"``.
        target: the class column; default: OpenML's default target.
        drop: columns to leave out.

    Raises:
        ImportError: pandas is missing (scikit-learn needs it to keep nominal attributes).
        DataFileError: OpenML names no single target, or the data cannot be made a Table.
    """
    from .errors import DataFileError
    from .files import assemble, columns_of_frame

    try:
        import pandas  # noqa: F401
    except ImportError:
        raise ImportError("OpenML data sets need pandas: pip install 'fasttree[data]'") from None
    from sklearn.datasets import fetch_openml

    name = name.strip()
    if not name:
        raise ValueError("openml: needs a name or number, as in openml:iris or openml:61")
    options: dict[str, Any] = {"as_frame": True, "parser": "auto"}
    stem, slash, version = name.rpartition("/")
    if name.isdigit():
        bunch = fetch_openml(data_id=int(name), **options)
    elif slash and version.isdigit():
        bunch = fetch_openml(name=stem, version=int(version), **options)
    else:
        bunch = fetch_openml(name=name, version="active", **options)
    own = list(getattr(bunch, "target_names", None) or [])
    if target is None:
        if len(own) != 1:
            raise DataFileError(
                f"OpenML names {len(own)} targets {own}; choose one with target=", f"openml:{name}"
            )
        target = own[0]
    title = (getattr(bunch, "details", None) or {}).get("name", name)
    columns = columns_of_frame(bunch.frame, drop, f"openml:{name}")
    return assemble(columns, target, f"openml:{name}", name=title)
