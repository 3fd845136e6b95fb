"""The text of ``estimators/keywords.py``: types and constructors of the declared parameters.

What
    Type checkers, editors and scikit-learn's `clone` read signatures that stand in the source. They
    are written from `fasttree.estimators.declaration`.
When not to use it
    To say what a parameter is: that is the declaration's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from fasttree.estimators.declaration import (
    FOREST,
    REGRESSION_FOREST,
    REGRESSION_TREE,
    TREE,
    Kind,
    Parameter,
)

WIDTH = 100
HEAD = '''"""Types and constructors of the parameters of trees and forests.

Written from `declaration` by ``python -m docs.studies.first_screen.make``; edit the declaration.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import Any, Literal, TypeAlias, TypedDict

from .._checks.aliases import CategoricalFeatures, ColumnUse, Seed
from ..criteria import Criterion, PairFunction
from ..discretize import Discretizer
from ..pruning import Pruning
from ..rendering.progress import Progress

__all__ = [
    "ForestSettings",
    "NumberCriterion",
    "RegressionForestSettings",
    "RegressionTreeSettings",
    "Settings",
    "SplitCriterion",
    "TreeParameters",
    "TreeSettings",
]
'''


def keywords() -> str:
    """The module."""
    everyone = (*TREE, *FOREST, *REGRESSION_TREE, *REGRESSION_FOREST)
    by_name: dict[str, set[str]] = {}
    for one in everyone:
        by_name.setdefault(one.name, set()).add(one.kind.type)
    types = {name: types.pop() if len(types) == 1 else "Any" for name, types in by_name.items()}
    passed = {one.name: one for one in (*REGRESSION_TREE, *TREE) if one.name != "criterion"}
    return "\n".join(
        [
            HEAD,
            *dict.fromkeys(_alias(one.kind) for one in everyone if one.kind.values),
            "",
            *_fields(
                "TreeParameters(TypedDict, total=False)",
                "Keyword arguments of trees beside the criterion.",
                {one.name: one.kind.type for one in passed.values()},
            ),
            *_fields("Settings", "The parameters of trees and forests, as attributes.", types),
            *_constructor("TreeSettings", "The parameters of a tree, as attributes.", TREE, 0),
            *_constructor(
                "ForestSettings", "The parameters of a forest, as attributes.", FOREST, 1
            ),
            *_constructor(
                "RegressionTreeSettings",
                "The parameters of a regression tree, as attributes.",
                REGRESSION_TREE,
                0,
            ),
            *_constructor(
                "RegressionForestSettings",
                "The parameters of a regression forest, as attributes.",
                REGRESSION_FOREST,
                1,
            ),
        ]
    )


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


def _fields(head: str, said: str, types: Mapping[str, str]) -> list[str]:
    """A class with annotations."""
    fields = [f"    {name}: {kind}" for name, kind in types.items()]
    return ["", f"class {head}:", f'    """{said}"""', "", *fields, ""]


def _constructor(name: str, said: str, parameters: Sequence[Parameter], places: int) -> list[str]:
    """A dataclass of the parameters; the first `places` may be positional."""
    fields = [f"    {one.name}: {one.kind.type} = {_quoted(one.default)}" for one in parameters]
    fields.insert(places, "    _: KW_ONLY")
    return [
        "",
        "@dataclass(eq=False, repr=False)",
        f"class {name}(Settings):",
        f'    """{said}"""',
        "",
        *fields,
        "",
    ]
