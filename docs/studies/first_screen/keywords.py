"""The types of the declared parameters as source: ``estimators/keywords.py``.

What
    Type checkers and editors read types that stand in the source. They are written from
    `fasttree.estimators.declaration`.
When not to use it
    To say what a parameter is: that is the declaration's.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from fasttree.estimators.declaration import (
    FOREST,
    REGRESSION_FOREST,
    REGRESSION_TREE,
    TREE,
    Kind,
    Parameter,
)

WIDTH = 100
HEAD = '''"""Types of the parameters of trees and forests.

Written from `declaration` by ``python -m docs.studies.first_screen.make``; edit the declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Literal, TypeAlias, TypedDict

from .._checks.aliases import CategoricalFeatures, ColumnUse, Seed
from .._checks.progress import Progress
from ..criteria import Criterion, PairFunction
from ..discretize import Discretizer
from ..pruning import Pruning
'''


def _types(*lists: Sequence[Parameter]) -> dict[str, str]:
    """The type of each parameter of some lists, by name; the union where they differ. Constructors
    name `criterion` and `n_estimators` themselves."""
    types: dict[str, dict[str, None]] = {}
    for one in chain(*lists):
        types.setdefault(one.name, {})[one.kind.type] = None
    return {n: " | ".join(t) for n, t in types.items() if n not in ("criterion", "n_estimators")}


OWNERS = {
    "TreeParameters": _types(TREE),
    "ForestParameters": _types(FOREST),
    "RegressionTreeParameters": _types(REGRESSION_TREE),
    "RegressionForestParameters": _types(REGRESSION_FOREST),
    "FitParameters": _types(TREE, REGRESSION_TREE),
}
"""The parameters of the dicts that functions take."""
TREES = ("TreeParameters", "RegressionTreeParameters", "FitParameters")
FORESTS = ("ForestParameters", "RegressionForestParameters")
CLASS_TREES = ("TreeParameters", "FitParameters")
CLASSES = ("TreeParameters", "ForestParameters")
NUMBERS = ("RegressionTreeParameters", "RegressionForestParameters")

TYPES: dict[str, tuple[str, str, Sequence[str]]] = {
    "GrownParameters": ("TypedDict", "trees and forests", [*OWNERS]),
    "GrownTreeParameters": ("GrownParameters", "all trees", TREES),
    "GrownForestParameters": ("GrownParameters", "all forests", FORESTS),
    "ClassParameters": ("TypedDict", "what predicts classes", (*CLASSES, "FitParameters")),
    "ClassTreeParameters": ("ClassParameters", "trees for classes", CLASS_TREES),
    "OnlyClassParameters": ("TypedDict", "what predicts classes alone", CLASSES),
    "NumberParameters": ("TypedDict", "what predicts a number", (*NUMBERS, "FitParameters")),
    "OnlyNumberParameters": ("NumberParameters", "what predicts a number alone", NUMBERS),
    "TreeParameters": (
        "GrownTreeParameters, ClassTreeParameters, OnlyClassParameters",
        "`FastTreeClassifier`",
        ["TreeParameters"],
    ),
    "ForestParameters": (
        "GrownForestParameters, ClassParameters, OnlyClassParameters",
        "`FastForestClassifier`",
        ["ForestParameters"],
    ),
    "RegressionTreeParameters": (
        "GrownTreeParameters, OnlyNumberParameters",
        "`FastTreeRegressor`",
        ["RegressionTreeParameters"],
    ),
    "RegressionForestParameters": (
        "GrownForestParameters, OnlyNumberParameters",
        "`FastForestRegressor`",
        ["RegressionForestParameters"],
    ),
    "FitParameters": (
        "GrownTreeParameters, ClassTreeParameters, NumberParameters",
        "`fasttree.fit`",
        ["FitParameters"],
    ),
}
"""The dicts of keyword arguments: the dicts that each extends, whose they are, and which of
`OWNERS` have the parameters that it adds. Type checkers refuse a parameter in two bases."""


def sources(estimators: Path) -> dict[Path, str]:
    """The files of the package's folder `estimators` that are written."""
    return {estimators / "keywords.py": keywords()}


def keywords() -> str:
    """The types of the parameters."""
    everyone = (*TREE, *FOREST, *REGRESSION_TREE, *REGRESSION_FOREST)
    lines = [HEAD, *dict.fromkeys(_alias(one.kind) for one in everyone if one.kind.values)]
    owners_of: dict[tuple[str, str], list[str]] = {}
    for owner, types in OWNERS.items():
        for one in types.items():
            owners_of.setdefault(one, []).append(owner)
    written: dict[str, dict[str, str]] = {"TypedDict": {}}
    for name, (bases, words, owners) in TYPES.items():
        own = dict(one for one, having in owners_of.items() if {*having} == {*owners})
        written[name] = own | dict(chain(*(written[base].items() for base in bases.split(", "))))
        if written[name] != OWNERS.get(name, written[name]):
            raise ValueError(f"{name}: the bases {bases} do not add up to {OWNERS[name]}")
        lines += ["", "", f"class {name}({bases}, total=False):"]
        lines += [f'    """Keyword arguments of {words}."""', *[""] * bool(own)]
        lines += [f"    {parameter}: {type_}" for parameter, type_ in own.items()]
    return "\n".join([*lines, ""])


def _alias(kind: Kind) -> str:
    """The definition of the type of a parameter that takes words, as the formatter writes it."""
    listed = [_quoted(value) for value in kind.values if isinstance(value, str)]
    parts = [
        *(["bool"] if True in kind.values else []),
        f"Literal[{', '.join(listed)}]",
        *(kind.also.split(" | ") if kind.also else []),
        *(["None"] if None in kind.values else []),
    ]
    head, said = f"{kind.type}: TypeAlias =", " | ".join(parts)
    if len(head) + len(said) < WIDTH:
        return f"{head} {said}"
    if len(said) + 4 <= WIDTH:
        return f"{head} (\n    {said}\n)"
    lines = "".join(f"        {one},\n" for one in listed)
    rest = "".join(f"    | {one}\n" for one in parts[1:])
    return f"{head} (\n    Literal[\n{lines}    ]\n{rest})"


def _quoted(value: object) -> str:
    """A default or word as the formatter writes it."""
    return f'"{value}"' if isinstance(value, str) else repr(value)
