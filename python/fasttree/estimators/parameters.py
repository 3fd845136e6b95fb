"""The parameters of an estimator as the configuration of the core, and as text in a model file.

What
    `config_of` checks each parameter and makes the dict that the core reads; criteria, prunings,
    discretisers and seeds have a function each. `stored_parameters` writes parameters as JSON for
    a model file, `restored_parameters` reads them. `refuse_unknown` answers a wrong name.
"""

from __future__ import annotations

import json
import math
import numbers
from collections.abc import Mapping
from typing import Any

import numpy as np

from .. import criteria, discretize, pruning
from .._checks import check_integer, check_share, is_whole, one_of, random_seed, shown
from .._checks.aliases import Seed, Task
from .._checks.data_warnings import warn_caller
from .._checks.naming import did_you_mean, display_name
from ..criteria import Criterion, NamedCallable, PairFunction, option_hint
from ..table import Table
from ..table.file_cells import FileCells
from . import declaration
from .conditions import binning_of, merges
from .constraints import constraints_of
from .costs import costs_of

ELSEWHERE = {
    "target": "name the column instead of y, as in fasttree.fit(X, {0!r}), or give "
    "fasttree.Table(frame, target={0!r}) or fasttree.datasets.load(path, target={0!r})",
    "drop": "leave the column out of X: a frame by X.drop(columns=...), a file by "
    "fasttree.datasets.load(path, drop={0!r})",
    "decimal": "read the file with fasttree.datasets.load(path, decimal={0!r})",
    "header": "read the file with fasttree.datasets.load(path, header={0!r})",
    "random_seed": "say random_state={0!r}",
    "seed": "say random_state={0!r}",
    "min_impurity_split": "say min_score={0!r}: the least score of a split",
    "warm_start": "single trees are grown anew; forests have warm_start",
    "eval_set": "hold rows out and call score, or use fasttree.model_selection.cross_validate",
    "verbose": "say progress=True",
}
"""Names that are not parameters of an estimator -> what to do instead; ``{0}`` is the value."""

OF_CORE = [p.name for p in declaration.TREE if p.core]
"""Parameters that the core reads under their own name."""

SHARES = "min_samples_split", "min_samples_leaf"
"""Parameters that are a number of rows, or a share of the rows."""

COUNTS_COPIES = "multisurf", "multisurf_star"
"""Criteria that count every copy of a row, so that large weights may make too many copies."""

OWNERS = {
    "FastTreeClassifier": [p.name for p in declaration.TREE],
    "FastForestClassifier": [p.name for p in declaration.FOREST],
    "FastTreeRegressor": [p.name for p in declaration.REGRESSION_TREE],
    "FastForestRegressor": [p.name for p in declaration.REGRESSION_FOREST],
}
"""Names of the parameters of each estimator, by which a message says where a parameter belongs."""


def made_of(kind: Any, criterion: Any, params: Mapping[str, Any]) -> Any:
    """An estimator from the keyword arguments of a function that passes them on.

    Functions such as `fasttree.fit` take the parameters of an estimator beside their own arguments.

    Raises:
        TypeError: a name that is no parameter; the message says where it belongs, or the nearest
            one.

    Examples:
        >>> from fasttree import FastTreeClassifier
        >>> made_of(FastTreeClassifier, "pi", {"max_dept": 2})
        Traceback (most recent call last):
        ...
        TypeError: max_dept=2 is not a parameter of FastTreeClassifier; did you mean 'max_depth'?
    """
    refuse_unknown(kind, criterion, params)
    return kind(criterion=criterion, **params)


def refuse_unknown(kind: Any, criterion: Any, params: Mapping[str, Any]) -> None:
    """Raise a TypeError for a name that is not a parameter of a class.

    The message says where the name belongs (an option of the criterion, another function, another
    estimator), else it suggests the most similar parameter. `made_of` calls it before the
    constructor, which would not say so.
    """
    names = kind._get_param_names()
    for name, value in params.items():
        if name not in names:
            hint = (
                option_hint(criterion, name, value)
                or ELSEWHERE.get(name, "").format(value)
                or next((f"{owner} has it" for owner, group in OWNERS.items() if name in group), "")
                or did_you_mean(name, names, f"there are {', '.join(names)}")
            )
            raise TypeError(f"{name}={shown(value)} is not a parameter of {kind.__name__}; {hint}")


def row_count(name: str, value: int | float, n_rows: float) -> int:
    """A parameter among `SHARES` as a number of rows.

    Shares are rounded up, as in scikit-learn, so that a positive share is at least one row.

    Args:
        name: the parameter.
        value: a number of rows, or as a float a share of them, which is rounded up.
        n_rows: rows that the fit counts.
    """
    least = declaration.PARAMETERS[name].least or 1
    return max(least, math.ceil(value * n_rows)) if isinstance(value, float) else value


def max_features(value: Any, n_features: int) -> int | None:
    """The parameter `max_features` as a number of features, as scikit-learn defines it; None for
    all.

    Raises:
        ValueError: a value outside its domain.
    """
    if value is None:
        return None
    if isinstance(value, str):
        one_of("max_features", value, ("sqrt", "log2"))
        return max(1, int(math.sqrt(n_features) if value == "sqrt" else math.log2(n_features)))
    if is_whole(value):
        if not 1 <= int(value) <= n_features:
            raise ValueError(
                f"max_features={shown(value)} must lie between 1 and the number of features, "
                f"{n_features}"
            )
        return int(value)
    return max(1, int(check_share("max_features", value) * n_features))


def seed_of(random_state: Seed, drawn: bool = True) -> int:
    """The parameter `random_state` as a 64-bit seed; None draws one from NumPy's global generator.

    Args:
        random_state: a seed or a generator.
        drawn: whether the fit draws random numbers. If not, the seed is 0, and no generator is
            advanced.
    """
    random_seed("random_state", random_state)
    if not drawn:
        return 0
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    if random_state is None or isinstance(random_state, np.random.RandomState):
        return int((random_state or np.random).randint(np.iinfo(np.int32).max))
    return int(random_state) % 2**64


def grows_at_random(params: Mapping[str, Any]) -> bool:
    """Whether the growth of a tree with these parameters draws random numbers.

    If it does not, the tree is the same for every `random_state`, and no seed need be drawn from a
    generator that is given as one.
    """
    is_drawn = "random" in (params["ties"], params["splitter"])
    return is_drawn or params["max_features"] is not None or params.get("test") == "permutation"


def discretizer_of(params: Mapping[str, Any]) -> dict[str, Any] | None:
    """The parameter `discretize` as the core reads it; None when thresholds are searched.

    ``"auto"`` is resolved by the criterion (`binning_of`), and a method that is given by its name
    gets `n_bins` as its number of bins.
    """
    made = discretize.make(binning_of(params), params["n_bins"])
    return None if made is None else made.to_config()


def task_of(params: Mapping[str, Any]) -> Task:
    """The task of an estimator with these parameters, ``"regression"`` or ``"classification"``. It
    is read from the names alone: only regressors have `target_bins`."""
    return "regression" if "target_bins" in params else "classification"


def target_bins_of(value: Any) -> dict[str, Any]:
    """The parameter `target_bins` as the core reads it; a number means that many bins of equal
    frequency.

    Raises:
        ValueError: a value outside its domain, or a discretiser that reads classes.
    """
    if is_whole(value):
        value = discretize.EqualFrequency(n_bins=check_integer("target_bins", value, 2))
    made = discretize.make(value, 10)
    if made is None or made.to_config()["method"] == "mdlp":
        raise ValueError(
            f"target_bins={shown(value)} must be None, a number of bins, 'equal_width', "
            "'equal_frequency' or an object of fasttree.discretize that reads no classes"
        )
    return made.to_config()


def smoothing_of(method: str | None) -> dict[str, Any]:
    """The parameter `leaf_smoothing` as the core reads it: a method and its options. None is
    ``"none"``, and the m-estimate has m = 2."""
    return {"method": method, "m": 2.0} if method == "m_estimate" else {"method": method or "none"}


def prunings_of(params: dict[str, Any]) -> dict[str, Any]:
    """The part of the core's configuration that prunes.

    A fit and `prune` of a fitted tree share it.

    Args:
        params: parameters that have passed their checks.

    Returns:
        ``pruning``, the method and its options; ``alpha_rule``, how cross-validation chooses the
        complexity penalty; ``merge_redundant``.

    Raises:
        ValueError: an unknown method, an option outside its domain, or two complexity penalties.
    """
    merged, alpha = params.get("merge_redundant"), params["ccp_alpha"]
    method = None if params["pruning"] is None else pruning.make(params["pruning"])
    if method is None and alpha > 0:
        method = pruning.CostComplexity()
    if isinstance(method, pruning.CostComplexity):
        if method.ccp_alpha is not None and alpha > 0:
            raise ValueError(
                f"ccp_alpha={alpha!r} and pruning={method!r} both name a price: give one of them"
            )
        if method.ccp_alpha is None and not alpha:
            warn_caller(
                "pruning='cost_complexity' with ccp_alpha=0, its default, cuts only splits that "
                "gain nothing: set ccp_alpha=0.01, or pruning='cart', which chooses it on folds"
            )
        costly = params.get("cost_matrix") is not None
        return {
            "pruning": method.to_config(params["criterion"], alpha, costly, task_of(params)),
            "alpha_rule": method.alpha_rule(),
            "merge_redundant": merged,
        }
    if alpha > 0:
        raise ValueError(
            f"ccp_alpha={alpha!r} is a parameter of cost-complexity pruning, but pruning={method!r}"
        )
    return {"pruning": method and method.to_config(), "merge_redundant": merged}


def stored_discretizer(value: Any) -> Any:
    """The parameter `discretize` as plain data: an object becomes its class and options; other
    values are unchanged."""
    if hasattr(value, "get_params"):
        return {"class": type(value).__name__, "params": value.get_params()}
    return value


def restored_discretizer(value: Any) -> Any:
    """The inverse of `stored_discretizer`: a discretiser from the plain values of a model file.

    Only classes that `fasttree.discretize` lists are made, so a file cannot name another class.
    Texts and None are returned as they are.

    Raises:
        ValueError, KeyError, TypeError: what it did not write.
    """
    if not isinstance(value, dict):
        return value
    if value["class"] not in discretize.__all__:
        raise ValueError(f"there is no discretiser {value['class']!r}")
    return getattr(discretize, value["class"])(**value["params"])


def _as_json(value: Any) -> Any:
    """A value without a type in JSON as plain values: arrays become lists, objects their name and
    options, functions their name, and other values their text."""
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, numbers.Real):
        return float(value)
    if isinstance(value, type) and issubclass(value, Criterion):
        value = value()
    if isinstance(value, Criterion | pruning.Pruning):
        return {"name": value.name, "options": value.get_params()}
    if callable(value) or isinstance(value, PairFunction):
        return {"callable": criteria.name_of(value) or display_name(value)}
    plain = stored_discretizer(value)
    return repr(value) if plain is value else plain


_ENCODER = json.JSONEncoder(sort_keys=True, default=_as_json)

BY_LABEL = ("class_weight", "priors")
"""Parameters that may be dicts by class label; JSON would turn their keys into text."""

OBJECTS = ("criterion", "discretize", "loss", "pruning", "target_bins")
"""Parameters that may be objects or functions."""


_LATER = (("honest",), ("merge_levels", "alpha_merge", "alpha_split"))
"""Parameters that older files do not have: a file holds a group only if its first one is set."""


def stored_parameters(params: dict[str, Any], file_cells: FileCells | None = None) -> str:
    """Parameters as the JSON text that a model file holds, sorted by name.

    Parameters that say how to work, such as `n_jobs`, are left out. Functions are stored by their
    names.

    Args:
        params: parameters of an estimator.
        file_cells: how the file of the training rows wrote missing cells.
    """
    kept = {k: v for k, v in params.items() if k not in declaration.NOT_STORED and "__" not in k}
    for first, *others in _LATER:
        if not kept.get(first):
            for name in (first, *others):
                kept.pop(name, None)
    for name in BY_LABEL:
        if isinstance(kept.get(name), dict):
            kept[name] = {"pairs": list(kept[name].items())}
    if kept.get("min_score") == -math.inf:  # which JSON does not have
        kept["min_score"] = -declaration.LARGEST
    if file_cells:
        kept["file_cells"] = file_cells.as_json()
    return _ENCODER.encode(kept)


def restored_parameters(text: str) -> dict[str, Any]:
    """The inverse of `stored_parameters`; functions come back as `NamedCallable`.

    Nothing from the text is executed: classes are looked up among the known ones.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: the text was not written by
            `stored_parameters`.
    """
    params: dict[str, Any] = json.loads(text) if text else {}
    for name in params.keys() & {*BY_LABEL, *OBJECTS}:
        params[name] = _restored(name, params[name])
    return params


def _restored(name: str, value: Any) -> Any:
    """The value of a parameter that `stored_parameters` wrote, or of an option of such a value.

    Functions come back as `NamedCallable`.

    Raises:
        ValueError, KeyError, TypeError: what it did not write.
    """
    if not isinstance(value, dict):
        return value
    if "pairs" in value:
        return {label: number for label, number in value["pairs"]}
    if "callable" in value:
        return NamedCallable(value["callable"])
    if "class" in value:
        return restored_discretizer(value)
    made: Any = (pruning if name == "pruning" else criteria).make(value["name"])
    options = {k: tuple(v) if isinstance(v, list) else v for k, v in value["options"].items()}
    return made.set_params(**{k: _restored(name, v) for k, v in options.items()})


def significance_of(params: dict[str, Any]) -> dict[str, Any] | None:
    """The selection by significance as the core reads it; None where scores choose the features.

    Args:
        params: parameters that have passed their checks.
    """
    if params.get("selection") != "significance":
        return None
    rule = {k: params[k] for k in ("test", "alpha", "adjust", "min_prob", "split_tries")}
    rule["cut"] = params["cut_test"] if params["cut"] == "statistic" else None
    limits = ("alpha_merge", "alpha_split") if merges(params) else ()
    return rule | {"merging": {k: params[k] for k in limits} or None}


def _total(weights: np.ndarray) -> float:
    """Sum of weights, infinite where it is too large."""
    with np.errstate(over="ignore"):
        return float(np.sum(weights))


def copies_of(n_rows: int, weights: np.ndarray | None) -> tuple[int, int]:
    """Number of rows for limits on rows, and an upper bound on their weight.

    Args:
        n_rows: number of rows.
        weights: their weights, shape (n_rows,), or None. Whole weights count as copies, rows of
            weight 0 do not count; with fractional weights each row counts once.
    """
    total = n_rows if weights is None else _total(weights)
    if weights is None or not math.isfinite(total) or total < 0:
        return n_rows, n_rows
    whole = total < 2**32 and bool(np.all(np.mod(weights, 1) == 0))
    return int(total) if whole else int(np.count_nonzero(weights)), math.ceil(total)


def check_copies(weights: np.ndarray, criterion: Any) -> None:
    """Raise a ValueError if a criterion that counts copies of rows (`COUNTS_COPIES`) got more than
    2^53 of them. Sums that are not finite are refused where weights are read."""
    total, name = _total(weights), getattr(criterion, "name", "")
    is_counted = name in COUNTS_COPIES and 2**53 < total < math.inf
    if is_counted and not np.any(np.mod(weights, 1)):
        raise ValueError(
            f"sample_weight sums to {total:.4g}: whole weights are copies of rows, and {name} "
            "counts at most 2^53 of them; divide all weights by the same number"
        )


def config_of(
    params: dict[str, Any],
    table: Table,
    weights: np.ndarray | None = None,
    *,
    sampled: float | None = None,
) -> tuple[dict[str, Any], Any]:
    """The configuration of the core for a tree.

    Args:
        params: parameters of a tree.
        table: the rows with their target.
        weights: how many copies each row stands for, shape (n_rows,); None: one.
        sampled: copies of rows that a tree of a forest sees; None: all. Shares of the rows
            (`min_samples_leaf`) are shares of these.

    Returns:
        The configuration, and the criterion if it is a user's function (else None).

    Raises:
        ValueError: a parameter outside its domain, named.
        TypeError: a criterion that is none.
    """
    copies, total = copies_of(len(table), weights)
    n_rows = copies if sampled is None else sampled
    criterion = criteria.make(params["criterion"])
    if weights is not None:
        check_copies(weights, criterion)
    # Parameters that the core takes as they are, then those that depend on data or on each other.
    checked = {
        p.name: declaration.check(p.name, params[p.name])
        for p in declaration.TREE
        if p.name in params
    }
    config: dict[str, Any] = {name: checked[name] for name in OF_CORE if name in checked}
    config |= {
        "discretize": discretizer_of(params),
        **{name: row_count(name, checked[name], n_rows) for name in SHARES},
        "max_features": max_features(params["max_features"], table.n_features),
        "significance": significance_of(checked),
        "smoothing": smoothing_of(checked.get("leaf_smoothing")),
        "seed": seed_of(params["random_state"], drawn=grows_at_random(params)),
        "parameters": stored_parameters(params, table.file_cells),
        **{k: v for k, v in prunings_of(params | checked).items() if v is not None},
    }
    config |= constraints_of(params, table.feature_names, list(table.dates))
    if params.get("target_bins") is not None:
        config["target_bins"] = target_bins_of(params["target_bins"])
    if params.get("cost_matrix") is not None:
        config["cost_matrix"] = costs_of(params["cost_matrix"], len(table.classes))
    # The criterion: one of the registry, or a user's function beside the configuration.
    if isinstance(criterion, Criterion):
        config["criterion"] = criterion.name
        config["criterion_options"] = criterion.options(table.classes, total)
        return config, None
    if isinstance(criterion, PairFunction):
        config["criterion"] = "pair_function"
        config["criterion_options"] = criterion.options()
        return config, criterion.F
    rule = config["significance"]
    if rule and rule["cut"] and table.task == "regression":  # tests alone decide; no function acts
        config["criterion"], config["criterion_options"] = "squared_error", {}
        return config, None
    config["criterion"] = "callable"
    return config, criterion
