"""OpenML data sets through scikit-learn's ``fetch_openml`` (network on first use, its cache
afterwards).

What
    ``fetch("61")`` by number, ``fetch("iris")`` by name (the active version), ``fetch("iris/1")``
    by name and version. Nominal attributes keep their declared labels. `load` calls this for the
    names that begin with ``openml:``.
"""

from __future__ import annotations

import re
from typing import Any

from .._checks import import_optional
from .._checks.words import argument
from .errors import DataFileError

_NAME = re.compile(r"\w[\w.()+,=& -]*(/[0-9]{1,9})?", re.ASCII)
"""A name or number, with a version after a slash if the caller wants a certain one."""


def fetch(name: str, target: Any = None) -> tuple[Any, str | int, str]:
    """Fetch an OpenML data set.

    Args:
        name: ``"61"``, ``"iris"`` or ``"iris/1"``.
        target: the class column; default: OpenML's default target.

    Returns:
        The rows, a pandas frame with the target among the columns; the name or position of the
        target's column; and the name of the data set at OpenML.

    Raises:
        ImportError: pandas is missing (scikit-learn needs it to keep nominal attributes).
        ValueError: no name, or one that OpenML does not allow.
        DataFileError: OpenML names no single target.
        OSError: OpenML cannot be reached.
    """
    import_optional("pandas", "OpenML data sets need pandas: pip install 'fasttree[data]'")
    from sklearn.datasets import fetch_openml

    # Only a plain name reaches the network and the cache folder.
    name = name.strip()
    if not name:
        raise ValueError("openml: needs a name or number, as in openml:iris or openml:61")
    if not _NAME.fullmatch(name) or ".." in name or len(name) > 200:
        raise ValueError(
            f"openml:{name[:60]!r} is no name of a data set there; a name has letters, digits and "
            "_ - . ( ) , + only, with /VERSION behind it where one is wanted"
        )
    # By number, by name and version, or by name alone.
    options: dict[str, Any] = {"as_frame": True, "parser": "auto"}
    stem, slash, version = name.rpartition("/")
    if name.isdigit():
        bunch = fetch_openml(data_id=int(name), **options)
    elif slash and version.isdigit():
        bunch = fetch_openml(name=stem, version=int(version), **options)
    else:
        bunch = fetch_openml(name=name, version="active", **options)
    targets = list(getattr(bunch, "target_names", None) or [])
    if target is None:
        if len(targets) != 1:
            raise DataFileError(
                f"OpenML names {len(targets)} targets {targets}; choose one: "
                f"{argument('target', 'NAME')}",
                f"openml:{name}",
            )
        target = targets[0]
    title = (getattr(bunch, "details", None) or {}).get("name", name)
    return bunch.frame, target, title
