"""Everything that is needed to run a result again: methods, folds, seeds, versions, and a
fingerprint of the data.

The fingerprint is the start of the SHA-256 of the data that the JSON of the result has; it tells
whether two people had the same rows.  O(cells).
"""

from __future__ import annotations

import functools
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..._checks.naming import named_in, written
from ..._checks.words import counted
from ...exports.answers import figures

if TYPE_CHECKING:
    from ...model_selection.result import CrossValidation

LONGEST = 1500


def data_facts(result: CrossValidation) -> dict[str, Any]:
    """Return name, rows, features, target (in words) and fingerprint of the data of a result, by
    these keys. Facts that are not known are None or ""."""
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
        "fingerprint": "" if data is None else data.sha256()[:16],
    }


def _target_words(result: CrossValidation) -> str:
    """Classes and the share of the largest, or the range and the mean of a number."""
    target = None if result.data is None else result.data.target
    if result.task == "regression":
        if target is None:
            return "a number"
        low, high = target.min(), target.max()
        return f"a number from {figures(low)} to {figures(high)} (mean {figures(target.mean())})"
    words = counted(len(result.classes), "class")
    if target is None:
        return words
    return f"{words} (largest {100 * np.bincount(target).max() / len(target):.1f} %)"


def _short(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= LONGEST else text[:LONGEST] + " ..."


def methods_of(result: CrossValidation) -> list[tuple[str, str]]:
    """Return (name, Python that makes it) of every method, in the order of the result. The Python
    is cut to `LONGEST` characters."""
    return [(name, _short(made)) for name, made in result.environment()["methods"].items()]


def imports_of(made: list[Any]) -> tuple[list[str], list[str]]:
    """Return import lines for the names in the texts of estimators, splitters and scorers, and the
    names that no module has: functions and classes of the caller.

    >>> from fasttree import FastTreeClassifier
    >>> own = FastTreeClassifier(criterion=lambda t: t)
    >>> imports_of([FastTreeClassifier(criterion="gini"), own])
    (['from fasttree import FastTreeClassifier'], ['your_function'])
    """
    found: dict[str, set[str]] = {}
    own: dict[str, None] = {}
    for thing in {id(one): one for value in made for one in named_in(value)}.values():
        module, name = thing.__module__ or "builtins", thing.__name__
        public = [part for part in module.split(".") if not part.startswith("_")]
        short = "fasttree" if public[1:2] == ["estimators"] else ".".join(public[:2])
        home = next(
            (
                one
                for one in (short if public[:1] == ["fasttree"] else "", ".".join(public), module)
                if getattr(sys.modules.get(one), name, None) is thing
            ),
            "__main__",
        )
        if home == "__main__":
            own[name if name.isidentifier() else "your_function"] = None
        elif thing is functools.partial:
            found.setdefault("", set()).add("functools")
        elif home != "builtins":
            found.setdefault(home, set()).add(name)
    lines = [f"from {home} import {', '.join(sorted(names))}" for home, names in found.items()]
    return [line.removeprefix("from  ") for line in lines], list(own)


def _code(value: Any) -> str:
    return " ".join(written(value, with_state=True).replace("<lambda>", "your_function").split())


def run_again(result: CrossValidation, call: str, results: Sequence[CrossValidation] = ()) -> str:
    """Python that makes the same run; data that no file holds are to be filled in.

    Args:
        result: the cross-validation, or of a comparison the first one.
        call: name of the function that is called.
        results: the cross-validations of all data sets of a comparison.
    """
    settings, asked = result.settings, result.asked
    methods, scoring = settings["methods"], asked["scoring"]
    if scoring is None or isinstance(scoring, str):
        scoring = tuple(settings["scoring"])
    arguments = {name: asked[name] for name in ("cv", "groups", "random_state")}
    filled = {
        name: one
        if one is None or isinstance(one, str | int | np.integer) or hasattr(one, "split")
        else ...
        for name, one in arguments.items()
    }
    named = [*methods.values(), scoring, *filled.values()]
    imports, _ = imports_of([one for one in named if one is not ...])
    lines = ["import fasttree", f"from fasttree.model_selection import {call}", *imports]
    lines += ["", "estimators = {"]
    for name, one in methods.items():
        own = imports_of([one])[1]
        remark = f"  # your {'function' if len(own) == 1 else 'functions'}" if own else ""
        lines.append(f"    {name!r}: {_code(one)},{remark}")
    lines += ["}"]
    if call == "compare":
        data = "tables"
        lines += ["tables = [", *(f"    {_loaded(one, ',')}" for one in results), "]"]
    else:
        data = "table"
        lines += [f"table = {_loaded(result)}"]
    if filled["groups"] is None:
        del filled["groups"]
    given = {"cv": filled.pop("cv"), "scoring": scoring, **filled}
    if "stability" in asked:
        given["stability"] = asked["stability"]
    words = ", ".join(f"{k}={'...' if v is ... else _code(v)}" for k, v in given.items())
    task = ", task='regression'" if result.task == "regression" else ""
    remark = "".join(f"  # put your own {k} here" for k, v in given.items() if v is ...)
    lines.append(f"result = {call}({data}, estimators=estimators, {words}{task}){remark}")
    return "\n".join(lines)


def _loaded(result: CrossValidation, end: str = "") -> str:
    """Python that reads the data of a result, or a place to fill in.

    Args:
        result: the cross-validation.
        end: text behind the expression, such as a comma.
    """
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


def protocol_facts(result: CrossValidation) -> list[tuple[str, str]]:
    """Return the protocol and the versions of the packages as pairs (label, text), for the table at
    the end of a page."""
    settings = result.environment()
    out = [
        ("folds", f"{settings['cv']}, {len(result.folds.pairs)} in all"),
        ("metrics", ", ".join(map(str, settings["scoring"]))),
        ("random_state", repr(settings["random_state"])),
    ]
    if settings["params"]:
        out.append(
            (
                "parameters",
                _short(", ".join(f"{k}={written(v)}" for k, v in settings["params"].items())),
            )
        )
    return [*out, *((name, number) for name, number in settings["versions"].items())]
