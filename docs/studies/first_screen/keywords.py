"""The types of the declared parameters as source: ``estimators/keywords.py``.

What
    Type checkers and editors read types that stand in the source. They are written from
    `fasttree.estimators.declaration`.
When not to use it
    To say what a parameter is: that is the declaration's.
"""

from __future__ import annotations

from collections.abc import Sequence
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


def _shared(one: Sequence[Parameter], other: Sequence[Parameter]) -> list[Parameter]:
    """The parameters of one list that another one has with the same type."""
    types = {parameter.name: parameter.kind.type for parameter in other}
    return [p for p in one if types.get(p.name) == p.kind.type]


OF_CLASSES, OF_NUMBERS = _shared(TREE, FOREST), _shared(REGRESSION_TREE, REGRESSION_FOREST)
TYPES = {
    "GrownParameters": ("TypedDict", "trees and forests", _shared(OF_NUMBERS, OF_CLASSES)),
    "ClassParameters": ("GrownParameters", "trees and forests for classes", OF_CLASSES),
    "NumberParameters": ("GrownParameters", "trees and forests for a number", OF_NUMBERS),
    "TreeParameters": ("ClassParameters", "`FastTreeClassifier`", TREE),
    "ForestParameters": ("ClassParameters", "`FastForestClassifier`", FOREST),
    "RegressionTreeParameters": ("NumberParameters", "`FastTreeRegressor`", REGRESSION_TREE),
    "RegressionForestParameters": ("NumberParameters", "`FastForestRegressor`", REGRESSION_FOREST),
    "FitParameters": ("TreeParameters", "`fasttree.fit`", (*TREE, *REGRESSION_TREE)),
}
"""The dicts of keyword arguments: the dict that each extends, whose they are, and the parameters.
Constructors name `criterion` and `n_estimators` themselves."""


def sources(estimators: Path) -> dict[Path, str]:
    """The files of the package's folder `estimators` that are written."""
    return {estimators / "keywords.py": keywords()}


def keywords() -> str:
    """The types of the parameters."""
    everyone = (*TREE, *FOREST, *REGRESSION_TREE, *REGRESSION_FOREST)
    lines = [HEAD, *dict.fromkeys(_alias(one.kind) for one in everyone if one.kind.values)]
    listed = {"TypedDict": {"criterion", "n_estimators"}}
    for name, (base, owners, parameters) in TYPES.items():
        own = {one.name: one for one in parameters if one.name not in listed[base]}
        listed[name] = listed[base] | own.keys()
        lines += ["", "", f"class {name}({base}, total=False):"]
        lines += [f'    """Keyword arguments of {owners}."""', ""]
        lines += [f"    {one.name}: {one.kind.type}" for one in own.values()]
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
