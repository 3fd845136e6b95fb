"""Settings such as ``missing="auto"`` in a comparison of trees.

What
    What ``"auto"`` stands for depends on the criterion, so trees by different criteria may differ
    in more than that. `share_missing` gives all trees one treatment of missing values, and
    `differences_in_words` describes the settings that still differ.
Complexity
    A few comparisons per tree.
When not to use it
    To fit a single tree: the core resolves its settings, by the same rules.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, MutableMapping, Sequence
from typing import Any

from .. import criteria
from .._checks.words import counted
from ..table import Table
from .conditions import binning_of

MULTIWAY_UP_TO = 32
"""Most declared levels that ``nominal_splits="auto"`` gives a branch each, as in the core."""

LEFT_OUT = " (left out of tests, then on the heavier side)"
"""What ``missing="auto"`` does in trees by significance."""

LONGEST = 100
"""Characters that names of trees may take in a phrase; a longer list is replaced by the number of
trees."""

Settings = Mapping[str, Any]
"""Parameters of a tree; those that are left out have their defaults."""


def _info(settings: Settings) -> Mapping[str, Any]:
    """The facts of the criterion of a tree; if it is a function, only its evidence."""
    try:
        made = criteria.make(settings["criterion"])
    except (TypeError, ValueError):  # refused where the tree is configured
        made = None
    return getattr(made, "info", {"evidence": getattr(made, "evidence", "table")})


def missing_treatment(settings: Settings) -> str:
    """The treatment of missing values that ``missing="auto"`` stands for, ``"branch"`` or
    ``"fractional"``.

    It follows the rules of the core, so that a comparison can tell before any fit how its trees
    differ. Another value of `missing` is returned as it is. Tests of significance that leave rows
    without a value out have no name for this treatment; the result is then ``"auto"`` itself.
    """
    given = settings.get("missing", "auto")
    is_local = settings.get("evaluation", "local") == "local"
    has_costs = settings.get("cost_matrix") is not None
    if given != "auto":
        return str(given)
    if settings.get("selection") == "significance":
        return "branch" if settings.get("merge_levels") else "auto"
    takes_parts = is_local and not has_costs and not settings.get("honest")
    divided = takes_parts and _info(settings).get("fractional", False)
    return "fractional" if divided else "branch"


def _missing(settings: Settings) -> str:
    """The treatment of missing values in words."""
    treatment = missing_treatment(settings)
    return f"missing={treatment!r}{LEFT_OUT * (treatment == 'auto')}"


def _levels(settings: Settings) -> str:
    """How columns of more than `MULTIWAY_UP_TO` levels are split, in words."""
    given = settings.get("nominal_splits", "auto")
    if given == "auto":
        on_branches = _info(settings)["evidence"] in ("table", "moments", "order")
        as_c45 = getattr(settings["criterion"], "mdl_penalty", False)
        given = "subset" if on_branches and not as_c45 else "multiway"
    return f"nominal_splits={given!r} of more than {MULTIWAY_UP_TO} levels"


def _numbers(settings: Settings) -> str:
    """How columns of numbers are split, in words."""
    given = binning_of(settings)
    if given is None and settings.get("threshold_search") == "histogram":
        return "threshold_search='histogram'"
    return "thresholds searched" if given is None else f"discretize={given!r}"


def _stop(settings: Settings) -> str:
    """Whether growth stops where no split gains, in words."""
    given = settings.get("min_score")
    if given is not None:
        return f"min_score={given!r}"
    stops = _info(settings).get("stops_without_gain", False)
    return f"growth {'stops' if stops else 'goes on'} where no split gains"


def _automatic(table: Table) -> list[tuple[str, Callable[[Settings], str]]]:
    """The automatic settings that act on a Table: name of the parameter, and a function that
    describes it for a tree."""
    settings: list[tuple[str, Callable[[Settings], str]]] = [("min_score", _stop)]
    if any(len(column.levels or ()) > MULTIWAY_UP_TO for column in table.columns):
        settings.append(("nominal_splits", _levels))
    if any(column.kind == "numeric" for column in table.columns):
        settings.append(("discretize", _numbers))
    return [("missing", _missing), *settings] if has_missing(table) else settings


def has_missing(table: Table) -> bool:
    """Whether a value of some feature is missing; the target is not looked at. Without missing
    values, the parameter `missing` cannot make trees differ. The cost is O(cells)."""
    return any(column.n_missing for column in table.columns)


def share_missing(trees: Sequence[MutableMapping[str, Any]], table: Table) -> None:
    """Replace ``missing="auto"`` by ``"branch"`` in all trees, if it does not stand for
    ``"fractional"`` in all of them.

    Args:
        trees: parameters of the trees that are compared, which are changed. Other values of
            `missing` stay.
        table: the rows; nothing is changed if they have no missing values.
    """
    automatic = [params for params in trees if params.get("missing", "auto") == "auto"]
    automatic = [params for params in automatic if missing_treatment(params) != "auto"]
    if len({_missing(params) for params in automatic}) > 1 and has_missing(table):
        for params in automatic:
            params["missing"] = "branch"


def _listed(names: Sequence[str]) -> str:
    """Names joined by commas; if they are too long, the number of trees."""
    named = ("; " if any("," in name for name in names) else ", ").join(names)
    return named if len(named) <= LONGEST else counted(len(names), "tree")


def _remark_on_shared(trees: Mapping[str, Settings]) -> str:
    """A remark on the trees that would divide rows with missing values if they were not compared
    with trees that cannot; empty if there are none."""
    changed = [
        tree
        for tree, settings in trees.items()
        if missing_treatment({**settings, "missing": "auto"})
        != missing_treatment(settings)
        == "branch"
    ]
    if not 0 < len(changed) < len(trees):
        return ""
    return f" (missing='auto' alone is 'fractional' for {_listed(changed)})"


def differences_in_words(trees: Mapping[str, Settings], table: Table) -> list[str]:
    """One phrase per automatic setting that acts on the rows and differs between trees, and one on
    missing values if there are some.

    Args:
        trees: parameters of each tree by its name.
        table: the rows.

    Examples:
        >>> from fasttree import datasets
        >>> trees = {"a": {"criterion": "gini"}, "b": {"criterion": "mdl"}}
        >>> differences_in_words(trees, datasets.load_iris())
        ['growth stops where no split gains (b), growth goes on where no split gains (a)']
    """
    phrases = []
    for name, meaning in _automatic(table) if len(trees) > 1 else ():
        groups: dict[str, list[str]] = {}
        for tree, settings in trees.items():
            groups.setdefault(meaning(settings), []).append(tree)
        if len(groups) == 1:
            if name == "missing":
                phrases.append(f"{next(iter(groups))} in all trees{_remark_on_shared(trees)}")
            continue
        is_given = all(params.get(name) not in ("auto", None) for params in trees.values())
        if is_given and name != "missing":
            continue
        most = max(groups, key=lambda text: len(groups[text]))
        phrases.append(
            ", ".join(
                f"{text} ({'the others' if text == most and len(of) > 1 else _listed(of)})"
                for text, of in sorted(groups.items(), key=lambda group: group[0] == most)
            )
        )
    return phrases
