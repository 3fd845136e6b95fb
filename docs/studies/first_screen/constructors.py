"""The declared parameters as source: their types (``estimators/keywords.py``), and the fields of
the estimators' classes.

What
    Type checkers, editors and scikit-learn's `clone` read signatures that stand in the source. They
    are written from `fasttree.estimators.declaration`.
When not to use it
    To say what a parameter is: that is the declaration's.
"""

from __future__ import annotations

import re
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

__all__ = ["NumberCriterion", "SplitCriterion", "TreeParameters"]
'''
FIELDS_HEAD = "    # Written from `declaration` by ``python -m docs.studies.first_screen.make``.\n"
FIELDS = {
    "tree.py": {"FastTreeClassifier": TREE},
    "regressor.py": {"FastTreeRegressor": REGRESSION_TREE},
    "forest.py": {"FastForestClassifier": FOREST, "FastForestRegressor": REGRESSION_FOREST},
}
"""The classes whose fields are the parameters, by their file in ``estimators``."""


def sources(estimators: Path) -> dict[Path, str]:
    """The files of the package's folder `estimators` that are written, in whole or in part."""
    found = {estimators / "keywords.py": keywords()}
    for name, kinds in FIELDS.items():
        text = (estimators / name).read_text(encoding="utf-8")
        for kind, parameters in kinds.items():
            text = with_fields(text, kind, parameters)
        found[estimators / name] = text
    return found


def keywords() -> str:
    """The types of the parameters."""
    everyone = (*TREE, *FOREST, *REGRESSION_TREE, *REGRESSION_FOREST)
    passed = {one.name: one for one in (*REGRESSION_TREE, *TREE) if one.name != "criterion"}
    return "\n".join(
        [
            HEAD,
            *dict.fromkeys(_alias(one.kind) for one in everyone if one.kind.values),
            "",
            "",
            "class TreeParameters(TypedDict, total=False):",
            '    """Keyword arguments of trees beside the criterion."""',
            "",
            *(f"    {one.name}: {one.kind.type}" for one in passed.values()),
            "",
        ]
    )


def with_fields(text: str, kind: str, parameters: Sequence[Parameter]) -> str:
    """The source of a module with the fields of one of its classes as they are declared."""
    fields = [
        f"    {one.name}: {_named(one.kind)} = {_quoted(one.default)}\n" for one in parameters
    ]
    fields.insert(1 if parameters[0].name == "n_estimators" else 0, "    _: KW_ONLY\n")
    start = text.index(FIELDS_HEAD, text.index(f"class {kind}(")) + len(FIELDS_HEAD)
    rest = re.sub(r"\A(    \w+: .*\n)*", "", text[start:])
    return text[:start] + "".join(fields) + rest


def _named(kind: Kind) -> str:
    """The type of a parameter outside of `keywords`."""
    return f"keywords.{kind.type}" if kind.values else kind.type


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
