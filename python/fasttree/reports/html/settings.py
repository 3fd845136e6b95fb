"""What is needed to run it again: methods, folds, seeds, versions, and a fingerprint of the data.

The fingerprint is the start of a SHA-256 over the target and cells in the order of the rows; it
tells whether two people had the same rows.  O(cells).
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...rendering.words import counted

if TYPE_CHECKING:
    from ...model_selection.result import CrossValidation

LONGEST = 1500


def fingerprint(data: Any) -> str:
    """Return 16 hexadecimal digits of the rows and labels of `CrossValidation.data`; "" when they
    are not plain."""
    kind = np.float64 if data.task == "regression" else np.int64
    found = hashlib.sha256(np.ascontiguousarray(data.target, dtype=kind).tobytes())
    if data.table is not None:
        for column in data.table.columns:
            found.update(column.name.encode("utf-8", "backslashreplace"))
            values = np.asarray(column.values)
            found.update(np.ascontiguousarray(values, dtype=np.float64).tobytes())
    else:
        array = np.asarray(data.X)
        if array.dtype.kind not in "biuf":
            return ""
        found.update(np.ascontiguousarray(array, dtype=np.float64).tobytes())
    return found.hexdigest()[:16]


def data_facts(result: CrossValidation) -> dict[str, Any]:
    """Return name, rows, features, target (in words) and fingerprint of the data of a result."""
    data = result.data
    features = None
    if data is not None:
        shape = data.table.shape if data.table is not None else np.shape(data.X)
        features = shape[1] if len(shape) == 2 else None
    return {
        "name": result.name or "",
        "rows": None if data is None else len(data.target),
        "features": features,
        "target": _target_words(result),
        "fingerprint": "" if data is None else fingerprint(data),
    }


def _target_words(result: CrossValidation) -> str:
    """Classes and the share of the largest, or the range and the mean of a number."""
    target = None if result.data is None else result.data.target
    if result.task == "regression":
        if target is None:
            return "a number"
        low, high = target.min(), target.max()
        return f"a number from {low:.4g} to {high:.4g} (mean {target.mean():.4g})"
    words = counted(len(result.classes), "class")
    if target is None:
        return words
    return f"{words} (largest {100 * np.bincount(target).max() / len(target):.1f} %)"


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[:LONGEST] + " ..."


def methods_of(result: CrossValidation) -> list[tuple[str, str]]:
    """Return (name, how to make it) of every method."""
    return [(name, _short(repr(one))) for name, one in result.settings["methods"].items()]


def imports_of(made: list[Any]) -> list[str]:
    """Return import lines of the classes that the texts of estimators name.

    >>> from fasttree import FastTreeClassifier
    >>> imports_of([FastTreeClassifier(criterion="gini")])
    ['from fasttree import FastTreeClassifier']
    """
    found: dict[str, set[str]] = {}
    for one in made:
        for kind in _kinds(one, set()):
            parts = kind.__module__.split(".")
            public = [part for part in parts if not part.startswith("_")]
            module = ".".join(public)
            if parts[0] == "fasttree":
                module = "fasttree" if parts[1] == "estimators" else ".".join(public[:2])
            if module not in ("builtins", "__main__"):
                found.setdefault(module, set()).add(kind.__name__)
    return [f"from {module} import {', '.join(sorted(names))}" for module, names in found.items()]


def _kinds(one: Any, seen: set[int]) -> list[type]:
    """Classes of an object with parameters and of the objects among them, in order."""
    if id(one) in seen or isinstance(one, type) or not hasattr(one, "get_params"):
        return []
    seen.add(id(one))
    found = [type(one)]
    for value in one.get_params().values():
        for part in value if isinstance(value, list | tuple) else (value,):
            found += _kinds(part, seen)
            if isinstance(part, list | tuple):
                found += [kind for inner in part for kind in _kinds(inner, seen)]
    return found


def run_again(result: CrossValidation, call: str, results: Sequence[CrossValidation] = ()) -> str:
    """Return Python that makes the same run; data that no file holds are to be filled in."""
    settings = result.settings
    lines = ["import fasttree", f"from fasttree.model_selection import {call}"]
    lines += [f"{line}" for line in imports_of(list(settings["methods"].values()))]
    lines += ["", "estimators = {"]
    lines += [f"    {name!r}: {made}," for name, made in methods_of(result)]
    lines += ["}"]
    if call == "compare":
        data = "tables"
        lines += ["tables = [", *(f"    {_loaded(one, ',')}" for one in results), "]"]
    else:
        data = "table"
        lines += [f"table = {_loaded(result)}"]
    scoring = tuple(settings["scoring"])
    task = ", task='regression'" if result.task == "regression" else ""
    lines.append(
        f"result = {call}({data}, estimators=estimators, cv={settings['cv']!r}, "
        f"scoring={scoring!r}, "
        f"random_state={settings['random_state']!r}{task})"
    )
    return "\n".join(lines)


def _loaded(result: CrossValidation, end: str = "") -> str:
    """Return Python that reads the data of a result, or a place to fill in."""
    table = None if result.data is None else result.data.table
    if table is not None and table.origin:
        return f"{table.origin}{end}"
    facts = data_facts(result)
    known = [
        " ".join(facts["name"].split()),
        *(
            counted(facts[f"{noun}s"], noun)
            for noun in ("row", "feature")
            if facts[f"{noun}s"] is not None
        ),
    ]
    return f"...{end}  # put your own data here: {', '.join(filter(None, known))}".rstrip(": ")


def facts(result: CrossValidation) -> list[tuple[str, str]]:
    """Return protocol and versions as pairs of words."""
    settings = result.environment()
    out = [
        ("folds", f"{settings['cv']}, {len(result.folds.pairs)} in all"),
        ("metrics", ", ".join(map(str, settings["scoring"]))),
        ("random_state", repr(settings["random_state"])),
    ]
    if settings["params"]:
        out.append(
            ("parameters", _short(", ".join(f"{k}={v!r}" for k, v in settings["params"].items())))
        )
    return [*out, *((name, number) for name, number in settings["versions"].items())]
