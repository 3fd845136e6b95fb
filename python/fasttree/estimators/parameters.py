"""From an estimator's parameters to the core's configuration.

What
    Each parameter is checked by name; criteria, discretisers and seeds become what the core reads.
When not to use it
    Directly; see `FastTreeClassifier`.
"""

from __future__ import annotations

import json
import math
import numbers
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from .. import criteria, discretize, pruning
from .._checks import as_float, integer, one_of, real, shown
from .._checks.aliases import Seed, Task
from .._checks.naming import did_you_mean, display_name
from .._checks.speech import given
from .._checks.warned import warn_caller
from ..criteria import Criterion, NamedCallable, PairFunction, option_hint
from ..table import Table
from ..table.file_cells import FileCells
from .conditions import merges
from .constraints import constraints_of
from .costs import costs_of
from .declaration import (
    FOREST,
    LARGEST,
    NOT_STORED,
    PARAMETERS,
    REGRESSION_FOREST,
    REGRESSION_TREE,
    TREE,
    check,
)

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
"""Where words that are not parameters of an estimator belong."""

OF_CORE = [one.name for one in TREE if one.core]
"""Parameters that the core reads under their name."""

SHARES = "min_samples_split", "min_samples_leaf"
"""Numbers of rows that may be given as shares of them."""

COUNTS_COPIES = "multisurf", "multisurf_star"
"""Criteria that count all copies of a row."""

OWNERS = {
    "FastTreeClassifier": [one.name for one in TREE],
    "FastForestClassifier": [one.name for one in FOREST],
    "FastTreeRegressor": [one.name for one in REGRESSION_TREE],
    "FastForestRegressor": [one.name for one in REGRESSION_FOREST],
}
"""Parameters of the estimators that have some of their own."""


def made_of(kind: Any, criterion: Any, params: Mapping[str, Any]) -> Any:
    """An estimator of a class, of keyword arguments that a caller passes on.

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
    """Refuse names that are no parameters of a class; see `made_of`."""
    known = kind._get_param_names()
    for name, value in params.items():
        if name not in known:
            hint = (
                option_hint(criterion, name, value)
                or ELSEWHERE.get(name, "").format(value)
                or next((f"{owner} has it" for owner, own in OWNERS.items() if name in own), "")
                or did_you_mean(name, known, f"there are {', '.join(known)}")
            )
            raise TypeError(f"{name}={shown(value)} is not a parameter of {kind.__name__}; {hint}")


def row_count(name: str, value: int | float, n_rows: float) -> int:
    """The least rows of a node or leaf; a float below 1 is a share of the rows, rounded up."""
    least = PARAMETERS[name].kind.least or 1
    return max(least, math.ceil(value * n_rows)) if isinstance(value, float) else value


def max_features(value: Any, n_features: int) -> int | None:
    """Number of features looked at in a node: scikit-learn's meanings."""
    if value is None:
        return None
    if isinstance(value, str):
        one_of("max_features", value, ("sqrt", "log2"))
        return max(1, int(math.sqrt(n_features) if value == "sqrt" else math.log2(n_features)))
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        if not 1 <= int(value) <= n_features:
            raise ValueError(
                f"max_features={shown(value)} must lie between 1 and the number of features, "
                f"{n_features}"
            )
        return int(value)
    return max(1, int(real("max_features", value, 0.0, 1.0) * n_features))


def seed_of(random_state: Seed, drawn: bool = True) -> int:
    """A 64-bit seed; None draws one from NumPy's global generator.

    Where `drawn` is false nothing is random: the value is checked, no generator is advanced, and
    the seed is 0.
    """
    if isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool):
        if random_state < 0:
            raise ValueError(f"{given('random_state', shown(random_state))} must not be negative")
        return int(random_state) % 2**64 if drawn else 0
    generators = np.random.Generator, np.random.RandomState
    if random_state is not None and not isinstance(random_state, generators):
        raise ValueError(
            f"{given('random_state', shown(random_state))} must be None, a whole number or a NumPy "
            "generator"
        )
    if not drawn:
        return 0
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**63))
    source = np.random if random_state is None else random_state
    return int(source.randint(np.iinfo(np.int32).max))


def grows_at_random(params: Mapping[str, Any]) -> bool:
    """Whether the growth of a tree with these parameters draws random numbers."""
    is_drawn = "random" in (params["ties"], params["splitter"])
    return is_drawn or params["max_features"] is not None or params.get("test") == "permutation"


def discretizer_of(params: Mapping[str, Any], criterion: Any) -> dict[str, Any] | None:
    """The core's discretisation method; None when thresholds are searched. ``"auto"`` follows the
    criterion's evidence, and merged levels are made of bins."""
    binned = criteria.evidence_of(criterion) in ("pairs", "neighbours")
    auto = "equal_frequency" if merges(params) else "equal_width" if binned else None
    made = discretize.make(params["discretize"], params["n_bins"], auto=auto)
    return None if made is None else made.to_config()


def task_of(params: Mapping[str, Any]) -> Task:
    """The task that parameters belong to: a classifier has none that bins the target."""
    return "regression" if "target_bins" in params else "classification"


def target_bins_of(value: Any) -> dict[str, Any]:
    """The core's discretisation of the target; a number is that many bins of equal frequency."""
    if isinstance(value, numbers.Integral) and not isinstance(value, bool):
        value = discretize.EqualFrequency(n_bins=integer("target_bins", value, 2))
    made = discretize.make(value, 10)
    if made is None or made.to_config()["method"] == "mdlp":
        raise ValueError(
            f"target_bins={shown(value)} must be None, a number of bins, 'equal_width', "
            "'equal_frequency' or an object of fasttree.discretize that reads no classes"
        )
    return made.to_config()


def smoothing_of(method: str | None) -> dict[str, Any]:
    """Leaf smoothing as the core reads it."""
    return {"method": method, "m": 2.0} if method == "m_estimate" else {"method": method or "none"}


def prunings_of(params: dict[str, Any]) -> dict[str, Any]:
    """The core's `pruning`, `alpha_rule` (how a price is chosen) and `merge_redundant`, of
    parameters that have passed their checks.

    Raises:
        ValueError: an unknown method, an option outside its domain, or two prices of a leaf.
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


def _stored_criterion(criterion: Any) -> Any:
    """A criterion, or a loss of leaves, as JSON: a name, an object's name and options, or a
    function's name."""
    if isinstance(criterion, str):
        return criterion
    made = criteria.make(criterion)
    if not isinstance(made, Criterion):
        return {"callable": criteria.name_of(made) or display_name(made)}
    options = {
        k: {"callable": display_name(v)} if callable(v) else v for k, v in made.get_params().items()
    }
    return {"name": made.name, "options": options}


def _restored_criterion(text: Any) -> Any:
    """The inverse of `_stored_criterion`; functions come back as `NamedCallable`."""
    if not isinstance(text, dict):
        return tuple(text) if isinstance(text, list) else text
    if "callable" in text:
        return NamedCallable(text["callable"])
    made = criteria.make(text["name"])
    assert isinstance(made, Criterion)
    return made.set_params(**{k: _restored_criterion(v) for k, v in text["options"].items()})


def stored_discretizer(value: Any) -> Any:
    """The parameter `discretize` as plain data."""
    if hasattr(value, "get_params"):
        return {"class": type(value).__name__, "params": value.get_params()}
    return value


def restored_discretizer(value: Any) -> Any:
    """The inverse of `stored_discretizer`.

    Raises:
        ValueError, KeyError, TypeError: what it did not write.
    """
    if not isinstance(value, dict):
        return value
    if value["class"] not in discretize.__all__:
        raise ValueError(f"there is no discretiser {value['class']!r}")
    return getattr(discretize, value["class"])(**value["params"])


def _stored_pruning(value: Any) -> Any:
    """The parameter `pruning` as plain data."""
    is_object = isinstance(value, pruning.Pruning)
    return {"name": value.name, "options": value.get_params()} if is_object else value


def _restored_pruning(value: Any) -> Any:
    """The inverse of `_stored_pruning`."""
    if isinstance(value, dict):
        return pruning.make(value["name"]).set_params(**value["options"])
    return value


def _same(value: Any) -> Any:
    """The value."""
    return value


def _stored_pairs(value: Any, number: Callable[[Any], Any] = _same) -> Any:
    """Numbers by class labels as plain data: JSON has such labels as are texts alone."""
    is_dict = isinstance(value, dict)
    return {"pairs": [[k, number(v)] for k, v in value.items()]} if is_dict else value


def _restored_pairs(value: Any) -> Any:
    """The inverse of `_stored_pairs`."""
    return {k: v for k, v in value["pairs"]} if isinstance(value, dict) else value


STORED: dict[str, tuple[Callable[[Any], Any], Callable[[Any], Any]]] = {
    "class_weight": (_stored_pairs, _restored_pairs),
    "criterion": (_stored_criterion, _restored_criterion),
    "discretize": (stored_discretizer, restored_discretizer),
    "loss": (
        lambda loss: {"callable": display_name(loss)} if callable(loss) else loss,
        _restored_criterion,
    ),
    "min_score": (lambda score: -LARGEST if score == -math.inf else score, _same),
    "priors": (partial(_stored_pairs, number=as_float), _restored_pairs),
    "pruning": (_stored_pruning, _restored_pruning),
    "target_bins": (stored_discretizer, restored_discretizer),
}
"""How a parameter is written in a model file, and read: those whose values JSON does not have."""


def _as_json(value: Any) -> Any:
    """A value that JSON does not have: arrays and their numbers as such, others as their text."""
    return value.tolist() if isinstance(value, np.generic | np.ndarray) else repr(value)


ENCODER = json.JSONEncoder(sort_keys=True, default=_as_json)


def stored_parameters(params: dict[str, Any], file_cells: FileCells | None = None) -> str:
    """Parameters as the JSON text that a model file holds, sorted by name.

    Args:
        params: parameters of an estimator.
        file_cells: how the file of the training rows wrote missing cells.
    """
    kept = {k: v for k, v in params.items() if k not in NOT_STORED and "__" not in k}
    for own in (("honest",), ("merge_levels", "alpha_merge", "alpha_split")):
        if not kept.get(own[0]):  # files of other trees stay as they are
            for name in own:
                kept.pop(name, None)
    for name in STORED.keys() & kept.keys():
        kept[name] = STORED[name][0](kept[name])
    if file_cells:
        kept["file_cells"] = file_cells.as_json()
    return ENCODER.encode(kept)


def restored_parameters(text: str) -> dict[str, Any]:
    """The inverse of `stored_parameters`; functions come back as `NamedCallable`.

    Raises:
        ValueError, KeyError, TypeError, AttributeError: text that `stored_parameters` did not
            write.
    """
    params: dict[str, Any] = json.loads(text) if text else {}
    for name in STORED.keys() & params.keys():
        params[name] = STORED[name][1](params[name])
    return params


def significance_of(params: dict[str, Any]) -> dict[str, Any] | None:
    """The rule of selection by significance as the core reads it, of parameters that have passed
    their checks; None where scores choose the features."""
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
    """Rows that count (an integer weight is that many copies, weight 0 is no row), and a bound on
    their weight."""
    total = n_rows if weights is None else _total(weights)
    if weights is None or not math.isfinite(total) or total < 0:
        return n_rows, n_rows
    whole = total < 2**32 and bool(np.all(np.mod(weights, 1) == 0))
    return int(total) if whole else int(np.count_nonzero(weights)), math.ceil(total)


def check_copies(weights: np.ndarray, criterion: Any) -> None:
    """Refuse too many copies of rows to be counted; a sum that is not finite is refused where
    weights are read."""
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
    """The core's configuration and the user's function (None when the criterion is a built-in one).

    Args:
        params: parameters of a tree.
        table: the rows with their target.
        weights: how many copies each row stands for, shape (n_rows,); None: one.
        sampled: copies of rows that a tree of a forest sees; None: all. Shares of the rows
            (`min_samples_leaf`) are shares of these.

    Raises:
        ValueError: a parameter outside its domain, named.
        TypeError: a criterion that is none.
    """
    copies, total = copies_of(len(table), weights)
    n_rows = copies if sampled is None else sampled
    criterion = criteria.make(params["criterion"])
    if weights is not None:
        check_copies(weights, criterion)
    # Parameters that the core takes as they are, then those that need the data or other parameters.
    checked = {p.name: check(p.name, params[p.name]) for p in TREE if p.name in params}
    config: dict[str, Any] = {name: checked[name] for name in OF_CORE if name in checked}
    config |= {
        "discretize": discretizer_of(params, criterion),
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
    if rule and rule["cut"] and table.task == "regression":  # a function says not what it reads
        config["criterion"], config["criterion_options"] = "squared_error", {}
        return config, None
    config["criterion"] = "callable"
    return config, criterion
