"""The methods of trees that prune, and that report how a tree was pruned.

What
    ``model.prune(method)`` makes a pruned tree, ``model.prune_report_`` says what was cut and why.
    ``model.cp_table()``, ``model.ccp_path_`` and ``estimator.cost_complexity_pruning_path(X, y)``
    tell about cost-complexity pruning. The methods themselves are in `fasttree.pruning`.
Complexity
    The cost depends on the method of pruning; only `cost_complexity_pruning_path` grows a tree.
"""

from __future__ import annotations

from typing import Any

from sklearn.utils.validation import check_is_fitted

from .. import _engine, pruning
from .._checks import as_float, shown
from .._checks.aliases import MaybeArray
from ..exports.tables.listing import Records
from ..pruning import PruneReport, Pruning, make
from ..table import Table
from .costs import costs_of
from .declaration import check
from .honest import is_honest
from .labelled_rows import labelled
from .parameters import prunings_of, stored_parameters
from .training_rows import TrainingRows


def prune_report_(fitted: Any) -> PruneReport:
    """The changes that pruning made to the tree, and why, as a `fasttree.pruning.PruneReport`.

    It is empty if nothing was cut. A model file does not hold it.

    Raises:
        AttributeError: a tree that was loaded, or cut by `cut`.
    """
    check_is_fitted(fitted)
    parts = fitted._model.account()
    if parts is None:
        raise AttributeError(
            "prune_report_ is known where a tree was fitted or pruned; a loaded or cut model "
            "has none"
        )
    made = None if fitted.pruning is None else make(fitted.pruning)
    if fitted.ccp_alpha:
        made = pruning.CostComplexity(fitted.ccp_alpha, getattr(made, "impurity", "auto"))
    merged = getattr(fitted, "merge_redundant", None)
    return PruneReport(parts, fitted._schema.names, made, merged)


def ccp_path_(fitted: Any) -> Any:
    """How `fit` chose the complexity penalty (``CostComplexity("cv")``); a model file does not
    hold it.

    A Bunch of arrays of shape (n_trees,): ccp_alphas (at which each tree of the sequence becomes
    best), leaves, splits, impurities (summed over the leaves of each tree, on the training rows),
    errors (cross-validated mean cost: 1 for a wrong class, the squared error or the criterion's
    loss for a number), standard_errors. Also chosen (position of the tree that was taken),
    ccp_alpha (the price it was pruned at).
    """
    from sklearn.utils import Bunch

    check_is_fitted(fitted)
    parts = fitted._model.alpha_choice()
    if parts is None:
        raise AttributeError(
            "ccp_path_ is known where fit chose the price: pruning=CostComplexity('cv')"
        )
    names = ("ccp_alphas", "leaves", "splits", "impurities", "errors", "standard_errors")
    return Bunch(**dict(zip((*names, "chosen", "ccp_alpha"), parts, strict=True)))


def cp_table(fitted: Any, cp: float = 0.0) -> Records:
    """The trees that cost-complexity pruning makes of this one, as rpart's cp table.

    rpart's complexity parameter is ``cp = alpha / R(root)``: `ccp_alpha` relative to the
    impurity of the root. All columns are relative to the root's; source: Therneau & Atkinson,
    An introduction to recursive partitioning using the RPART routines (1997), section 4.

    Args:
        cp: the smallest complexity parameter of interest, in [0, 1]: the last tree is the one
            that is best at it, as rpart prunes at its own `cp` (0.01 by default there).

    Returns:
        One dict per tree, the root alone first: CP (the tree is the best one from it up to the CP
        of the row before), nsplit (splits), rel_error (``R(tree) / R(root)`` on the training rows).
        Where `fit` chose the price by cross-validation (``CostComplexity("cv")``) the trees are the
        prunings of the whole tree, and there are xerror (cross-validated error) and xstd (its
        standard error), relative to the error of the root on the training rows; else the trees are
        the prunings of this model's tree, and both are None.

    Raises:
        ValueError: `cp` outside its domain, or a cp table of a tree whose root is pure.

    Examples:
        >>> import fasttree
        >>> tree = fasttree.FastTreeRegressor().fit([[0], [1], [2], [3]], [0.0, 1.0, 5.0, 7.0])
        >>> print(tree.cp_table())
             CP  nsplit  rel_error
        --------------------------
         0.9237       0          1
        0.06107       1    0.07634
        0.01527       2    0.01527
              0       3          0
    """
    check_is_fitted(fitted)
    least = as_float(cp)
    if least is None or not 0 <= least <= 1:
        raise ValueError(f"cp={shown(cp)} must be a number from 0 to 1")
    costs = costs_of(getattr(fitted, "cost_matrix", None), len(fitted._schema.classes))
    parts = fitted._model.alpha_choice(_impurity(fitted, costs), costs)
    assert parts is not None
    alphas, _, splits, impurities, errors, deviations, *_ = parts
    root = impurities[-1]
    if not root > 0:
        raise ValueError(
            "cp_table: the rows of the root are all alike, so nothing can be relative to them"
        )
    root_cost = root  # mean cost of the training rows if the root predicts all of them
    if fitted._task == "classification" and costs is None:
        counts = fitted.tree_.value[0]
        root_cost = float(1.0 - counts.max() / counts.sum())
    rows: list[dict[str, Any]] = []
    for tree in range(len(alphas))[::-1]:
        if rows and rows[-1]["CP"] <= least:
            break
        judged = len(errors) > 0
        rows.append(
            {
                "CP": max(float(alphas[tree] / root), least),
                "nsplit": int(splits[tree]),
                "rel_error": float(impurities[tree] / root),
                "xerror": float(errors[tree] / root_cost) if judged else None,
                "xstd": float(deviations[tree] / root_cost) if judged else None,
            }
        )
    return Records(rows)


def _impurity(fitted: Any, costs: Any) -> str:
    """Name of the impurity by which cost-complexity pruning weighs leaves: the one that a
    `CostComplexity` object names, else the one that the criterion implies."""
    method = fitted.pruning if isinstance(fitted.pruning, pruning.CostComplexity) else None
    named = "auto" if method is None else method.impurity
    config = pruning.CostComplexity(impurity=named).to_config(
        fitted.criterion, 0.0, costs is not None, fitted._task
    )
    return str(config["impurity"])


def prune(
    fitted: Any,
    method: Any = None,
    X: Any = None,
    y: MaybeArray = None,
    sample_weight: MaybeArray = None,
    *,
    merge_redundant: Any = None,
) -> Any:
    """A new model with this one's tree pruned; `prune_report_` of the new model lists the changes
    and the reasons.

    Args:
        method: None, a name or an object of `fasttree.pruning`; its costs are taken from the
            training counts of the nodes.
        X, y, sample_weight: rows that the method needs: the training rows for subtree raising, rows
            that growth did not see for reduced-error pruning. Other methods do not read rows.
        merge_redundant: None, ``"class"`` or ``"distribution"``; see the class.

    Returns:
        An estimator with the parameters of this one and `pruning` and `merge_redundant` as given;
        for a searched tree it is a `FastTreeClassifier`.

    Raises:
        ValueError: an unknown method, an option outside its domain, or rows that are missing or
            not the training rows.

    Examples:
        >>> import fasttree
        >>> grown = fasttree.fit([[0.0], [1.0], [2.0], [3.0]], [0, 1, 0, 1], criterion="gini")
        >>> grown.prune("mdl").get_n_leaves(), len(grown.prune("mdl").prune_report_)
        (1, 1)
    """
    from sklearn.base import clone

    check_is_fitted(fitted)
    if is_honest(fitted):
        raise ValueError(
            "prune of an honest tree: the rows in its leaves would choose the cuts; give pruning= "
            "to the fit, which prunes before they are counted"
        )
    fitted = fitted._as_grown()
    check("merge_redundant", merge_redundant)
    method = None if method is None else make(method)
    other = clone(fitted).set_params(pruning=method)
    if merge_redundant is not None and not hasattr(fitted, "merge_redundant"):
        raise ValueError(
            f"merge_redundant={shown(merge_redundant)}: leaves are merged by their classes, "
            f"which {type(fitted).__name__} has none of; leave it out"
        )
    if hasattr(fitted, "merge_redundant"):
        other.set_params(merge_redundant=merge_redundant)
    if not (isinstance(method, pruning.CostComplexity) and method.ccp_alpha is None):
        other.ccp_alpha = 0.0
    params = other.get_params(deep=False)
    config = prunings_of(params)
    if config.get("alpha_rule") is not None:
        raise ValueError(
            "CostComplexity('cv') grows trees on folds: give it to fit, or a number to prune"
        )
    is_pessimistic = isinstance(method, pruning.Pessimistic) and fitted.pruning is not None
    if is_pessimistic and make(fitted.pruning) == method:
        config["pruning"] = None  # the fit has looked at each subtree
    rows = None if method is None else _pruning_rows(fitted, method, X, y, sample_weight)
    model = fitted._model.prune(
        stored_parameters(params, fitted._schema.file_cells),
        config["pruning"],
        config["merge_redundant"],
        None if rows is None else _engine.dataset_of(rows.table, fitted.n_jobs),
        None if rows is None else _engine.as_weights(rows.importances),
        fitted.n_jobs,
        costs_of(getattr(fitted, "cost_matrix", None), len(fitted._schema.classes)),
    )
    transfer_model(fitted, model, other)
    return other


def _pruning_rows(
    fitted: Any, method: Pruning, X: Any, y: MaybeArray, sample_weight: MaybeArray
) -> TrainingRows | None:
    """The rows that a pruning needs; None if it needs none.

    Raises:
        ValueError: no rows for a pruning that needs some.
    """
    if method.needs_rows is None:
        return None
    if X is None:
        raise ValueError(f"prune({method!r}) needs {method.needs_rows}")
    if sample_weight is None and isinstance(X, Table):
        sample_weight = X.sample_weight
    return fitted._weigh(labelled(fitted._schema, X, y), sample_weight)


def transfer_model(fitted: Any, model: _engine.Model, other: Any) -> None:
    """Make another estimator fitted, in place, with a pruned or cut model of `fitted`.

    `other` is a clone, which has parameters but no model. It also gets the training rows that
    quantiles read, and the conflicts of rounding to float32, if `fitted` knows them: neither
    changes when nodes are cut off.
    """
    other._set_model(model, fitted._class_labels(), fitted._schema.has_names)
    other._float32_conflicts = getattr(fitted, "_float32_conflicts", None)
    fitted_on = getattr(fitted, "_fitted_on", None)
    if fitted_on is not None:
        other._fitted_on = fitted_on


def cost_complexity_pruning_path(
    fitted: Any, X: Any, y: MaybeArray = None, sample_weight: MaybeArray = None
) -> Any:
    """Prices at which minimal cost-complexity pruning changes the tree, for `ccp_alpha`.

    The tree is grown without pruning; impurities are entropy in bits for criterion info_gain,
    Gini otherwise (or what a `CostComplexity` object given as `pruning` names). Source: Breiman
    et al. (1984), chapter 3.

    Args:
        X, y, sample_weight: as in `fit`.

    Returns:
        A Bunch with ccp_alphas, ascending from 0, and impurities (summed over the leaves of
        each tree), both of shape (n_trees,).

    Raises:
        ValueError: an estimator that searches for a tree and grows none.

    Examples:
        >>> import fasttree
        >>> path = fasttree.FastTreeClassifier(criterion="gini").cost_complexity_pruning_path(
        ...     fasttree.datasets.load_iris()
        ... )
        >>> float(path.ccp_alphas[0]), round(float(path.impurities[-1]), 4)
        (0.0, 0.6667)
    """
    from sklearn.base import clone
    from sklearn.utils import Bunch

    if "pruning" not in fitted.get_params(deep=False):
        raise ValueError(
            "cost_complexity_pruning_path grows a tree: ask FastTreeClassifier(...) for it, or "
            "prune this one"
        )
    whole = {"pruning": None, "ccp_alpha": 0.0, "merge_redundant": None, "trace": None,
             "honest": None}  # fmt: skip
    names = fitted.get_params(deep=False).keys()
    grown = clone(fitted).set_params(**{k: v for k, v in whole.items() if k in names})
    grown.fit(X, y, sample_weight=sample_weight)
    costs = costs_of(getattr(fitted, "cost_matrix", None), len(grown._schema.classes))
    impurity = _impurity(fitted, costs)
    alphas, impurities = grown._model.cost_complexity_path(impurity, costs)
    return Bunch(ccp_alphas=alphas, impurities=impurities)
