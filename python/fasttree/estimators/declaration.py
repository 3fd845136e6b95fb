"""Every parameter of trees and forests, declared once.

What
    A `Parameter` holds name, type, default, check and text of a parameter, what it needs in order
    to have an effect, and whether the core reads it under its name. `TREE`, `FOREST`,
    `REGRESSION_TREE` and `REGRESSION_FOREST` list the parameters of the four estimators. From these
    lists come constructors and docstrings (`constructors`), the refusal of parameters without an
    effect (`idle`), the configuration of the core, and what a model file stores (`parameters`).
    Types are those in `keywords`.
When not to use it
    For options of criteria: the core's registry declares those, beside the formulas.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

import numpy as np

from .._checks import Check, as_float, at_least, check_integer, choice, maybe, number_in, shown
from . import keywords
from .conditions import (
    LOCAL,
    THRESHOLDS,
    Condition,
    has_thresholds,
    is_local,
    merges,
    takes_bins,
    takes_penalty,
)

GROWTH, NUMBERS, MISSING = "growth", "thresholds and levels", "missing values"
PRUNING, COSTS, RUN = "pruning", "costs and weights", "run"
GROUPS = (GROWTH, NUMBERS, MISSING, PRUNING, COSTS, RUN)
"""The groups in which help shows the parameters."""

ALL_EVIDENCE = ("table", "moments", "order", "pairs", "rows", "neighbours")
"""Every kind of evidence that a criterion may read."""
TABLES_AND_MOMENTS = ALL_EVIDENCE[:2]
ALL_BUT_NEIGHBOURS = ALL_EVIDENCE[:5]

LARGEST = sys.float_info.max


# -- checks of values -----------------------------------------------------------------------------


def in_range(low: float, high: float) -> Check:
    """Numbers in [low, high]. Minus infinity, which JSON does not have, becomes the least float."""
    return lambda name, value: max(number_in(low, high)(name, value), -LARGEST)


def rows_or_share(least: int) -> Check:
    """A check of a number of rows of at least `least`, or of a share of the rows.

    As in scikit-learn, an integer is a number of rows, and a float is a share in [0, 1]: 1 is one
    row, and 1.0 is all rows.
    """

    def check(name: str, value: Any) -> int | float:
        is_share = as_float(value) is not None and not isinstance(value, int | np.integer)
        return number_in(0.0, 1.0)(name, value) if is_share else check_integer(name, value, least)

    return check


def share_or_half(name: str, value: Any) -> float | None:
    """A check of a share above 0 and below 1. None and False mean that there is no share and give
    None; True means a half. Anything else raises a ValueError that names the parameter."""
    if value is None or isinstance(value, bool | np.bool_):
        return 0.5 if value else None
    return number_in(0.0, 1.0, above=True, below=True)(name, value)


def true_or_false(name: str, value: Any) -> bool:
    """A check of a bool, of Python or of NumPy, which is returned as a bool of Python. Everything
    else is refused with a ValueError that names the parameter, also the numbers 0 and 1."""
    if not isinstance(value, bool | np.bool_):
        raise ValueError(f"{name}={shown(value)} must be True or False")
    return bool(value)


# -- parameters -----------------------------------------------------------------------------------


@dataclass(frozen=True)
class Parameter:
    """One parameter of a tree or forest.

    Constructors, docstrings, checks, the configuration of the core and model files are all made
    from these facts, so a new parameter is one entry.

    Attributes:
        name: its name.
        default: its default.
        text: its domain and meaning; ends of lines mean nothing.
        least: the smallest whole number; None where the parameter takes none, or any.
        check: takes name and value, and returns the value or raises a ValueError. None where the
            domain depends on the data or on an object that was given: then the reader of the
            parameter checks it.
        core: whether the core reads the checked value under this name.
        needs: when the parameter has an effect; None: always, on some data.
        scores: kinds of evidence of the criteria whose scores of features (`score_features`) the
            parameter changes, or for which it is harmless; empty: it acts on trees only.
        stored: whether a model file holds it, as it says what to make and not how to work.
        group: the group in which help shows it.
        type: its type, from `keywords`.
    """

    name: str
    default: Any
    text: str
    least: int | None = None
    check: Check | None = None
    core: bool = False
    needs: Condition | None = None
    scores: tuple[str, ...] = ()
    stored: bool = True
    group: str = ""
    type: Any = Any

    @property
    def choices(self) -> tuple[bool | str | None, ...]:
        """The words that the type names, after None and booleans if it has them; empty if it names
        no words.

        Examples:
            >>> PARAMETERS["no_distance_decay"].choices, PARAMETERS["max_depth"].choices
            ((False, True, 'strict'), ())
        """
        parts = _parts_of(self.type)
        words = [word for part in parts if get_origin(part) is Literal for word in get_args(part)]
        if not words:
            return ()
        if bool in parts:
            words = [False, True, *words]
        return (None, *words) if NoneType in parts else tuple(words)


def _parts_of(hint: Any) -> tuple[Any, ...]:
    """The types of a union; for any other type, that type alone."""
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def _check_of(parameter: Parameter) -> Check | None:
    """The check of a parameter: the declared one, or the one that its type and `least` imply."""
    parts = _parts_of(parameter.type)
    check = parameter.check
    if check is None and parameter.least is not None:
        check = (rows_or_share if float in parts else at_least)(parameter.least)
    if check is not None:
        return maybe(check) if NoneType in parts else check
    others = [p for p in parts if get_origin(p) is not Literal and p not in (NoneType, bool)]
    return choice(*parameter.choices) if parameter.choices and not others else None


def _typed(parameters: Iterable[Parameter], types: type, **further: Any) -> tuple[Parameter, ...]:
    """Parameters with their types and checks.

    Args:
        parameters: declared parameters.
        types: the `TypedDict` of the class that has them.
        further: types of the parameters that constructors name beside it.
    """
    hints = {**get_type_hints(types), **further}
    typed = [replace(p, type=hints[p.name]) for p in parameters]
    return tuple(replace(p, check=_check_of(p)) for p in typed)


def _in_group(group: str, parameters: Iterable[Parameter]) -> tuple[Parameter, ...]:
    """The parameters in a group."""
    return tuple(replace(p, group=group) for p in parameters)


SIGNIFICANCE = Condition(lambda p: p.get("selection") == "significance", "selection='significance'")
"""What the parameters of a selection by significance need; forests have none of them."""
MERGING = Condition(merges, "selection='significance' and merge_levels=True")
CUTTING = Condition(
    lambda p: SIGNIFICANCE.acts(p) and not merges(p),
    "selection='significance' and merge_levels=False, as merged levels are the split",
)

GROWTH_PARAMETERS = (
    Parameter(
        "criterion",
        "info_gain",
        """a name (`fasttree.list_criteria`), an object of `fasttree.criteria`, or a function
        ``f(tables) -> scores`` of all candidates of a node, `tables` of shape
        (candidates, branches, classes), float64; larger scores are better.""",
        scores=ALL_EVIDENCE,
    ),
    Parameter(
        "selection",
        "score",
        """how the feature of a split is chosen. ``"score"``: the one with the best split by the
        criterion. ``"significance"``: the one whose independence of the target is least likely by
        `test` (conditional inference trees, Hothorn, Hornik & Zeileis 2006); a node without a
        p-value below `alpha` is a leaf. Then `min_samples_split` and `min_samples_leaf` compare
        sums of weights, and with ``missing="auto"`` rows without a value are left out of test and
        cut and join the heavier side. Local evaluation of all features only.""",
        scores=ALL_EVIDENCE,
    ),
    Parameter(
        "test",
        "quadratic",
        """``"quadratic"``: a chi-squared statistic. ``"maximum"``: the largest standardised
        deviation, with p from a multivariate normal distribution to about 2e-4. ``"permutation"``:
        the quadratic statistic, compared with the statistics of at most 9,999 permutations of the
        target, drawn by `random_state`; for small nodes.""",
        needs=SIGNIFICANCE,
        scores=ALL_EVIDENCE,
    ),
    Parameter(
        "alpha",
        0.05,
        """a feature is split if its p-value is below this number between 0 and 1; for
        ``selection="significance"``.""",
        check=in_range(0.0, 1.0),
        # Not refused elsewhere: scikit-learn's checks set any `alpha`.
    ),
    Parameter(
        "adjust",
        "bonferroni",
        """``"bonferroni"``: p becomes 1 - (1 - p)^m for the m features that vary in a node.
        ``"none"``: p as it is.""",
        needs=SIGNIFICANCE,
        scores=ALL_EVIDENCE,
    ),
    Parameter(
        "cut",
        "statistic",
        """by what the split of the chosen feature is chosen: ``"statistic"``, the largest
        two-sample statistic (`cut_test`), or ``"criterion"``, the best score by `criterion`, which
        has no effect otherwise. (The attribute also calls the method `cut(step)`.)""",
        needs=CUTTING,
    ),
    Parameter(
        "cut_test",
        "quadratic",
        """the two-sample statistic of a split; ``"maximum"`` differs from three classes on.""",
        needs=CUTTING,
    ),
    Parameter(
        "min_prob",
        0.01,
        """least share of a branch in the weight of the node, in [0, 0.5], rounded up to a whole
        weight. Rows without a value count in the node, and in no branch.""",
        check=in_range(0.0, 0.5),
        needs=SIGNIFICANCE,
    ),
    Parameter(
        "split_tries",
        2,
        """significant features that are tried until one has an allowed split.""",
        least=1,
        needs=SIGNIFICANCE,
    ),
    Parameter(
        "merge_levels",
        False,
        """True: CHAID (Kass 1980). Before a feature is tested, levels that do not differ in their
        classes are merged; levels of an ordered pandas Categorical and bins of a number are merged
        only with their neighbours. The p-value is the one of Pearson's statistic for the groups,
        times the number of ways to merge the levels into as many groups, at most 1. The split has a
        branch for each group. With ``missing="auto"`` or ``"branch"`` missing values are one more
        level, which may join any group. Numbers are cut into bins, with ``discretize="auto"`` into
        ``n_bins`` bins of equal frequency.""",
        check=true_or_false,
        needs=SIGNIFICANCE,
        scores=ALL_EVIDENCE,
    ),
    Parameter(
        "alpha_merge",
        0.05,
        """the pair of groups of levels with the largest p-value is merged as long as that is above
        this number between 0 and 1.""",
        check=in_range(0.0, 1.0),
        needs=MERGING,
        scores=ALL_EVIDENCE,
    ),
    Parameter(
        "alpha_split",
        None,
        """None: merged levels stay together. A number above 0 and at most `alpha_merge`: a group of
        three or more levels is divided in two again if the most significant division has a p-value
        below it; the same levels at most once.""",
        check=in_range(0.0, 1.0),
        needs=MERGING,
        scores=ALL_EVIDENCE,
    ),
    Parameter(
        "evaluation",
        "local",
        """``"local"``: each leaf is split by its own best candidate. ``"global"``: the leaf, split
        and labels that bring the whole tree nearest to the classes. The distance is the
        criterion's on the table of predicted label x class of all rows (Spaeh & Kosub
        2022, algorithm 3). ``"glocal"``: a global step while it lowers that distance,
        else the best local step. The criterion must be one on tables, without a guard.""",
        core=True,
    ),
    Parameter(
        "labels",
        "majority",
        """how the new leaves of a global step are labelled: ``"majority"``, ``"all"`` (every pair
        of labels is tried) or ``"distinct"`` (every pair of two different labels). The
        last two need splits in two: thresholds without missing values, or two levels.""",
        core=True,
        needs=Condition(lambda p: not is_local(p), "evaluation='global' or 'glocal'", True),
    ),
    Parameter(
        "ties",
        "first",
        """``"first"`` (lower feature, lower threshold), ``"row"`` (within a feature, the threshold
        whose value occurs first in row order), ``"random"`` (drawn by `random_state`),
        ``"even"`` (within a feature, the split whose smaller branch is largest, then as
        ``"first"``: for criteria that else split off a few rows at a time; local evaluation
        only).""",
        core=True,
        needs=Condition(
            lambda p: p["ties"] != "row" or (has_thresholds(p) and p["splitter"] == "best"),
            f"{THRESHOLDS}, and splitter='best'",
        ),
    ),
    Parameter(
        "nominal_splits",
        "auto",
        """``"multiway"``: one branch per declared level. ``"subset"``: the best division of the
        levels in two. It is exact up to 12 levels in a node, and for two classes where
        the criterion orders levels; more are first joined as C4.5 does.
        ``"one_vs_rest"``: one level against the others. Numbers in bins are then split
        at a cut. ``"auto"``: each column by its declared levels or bins, multiway up to
        32 and subset beyond, where only divisions are candidates that save more bits of
        the target than they take to name;
        multiway throughout where the criterion serves no subsets, and in `score_features`.""",
        core=True,
        scores=TABLES_AND_MOMENTS,
    ),
    Parameter(
        "splitter",
        "best",
        """``"best"``, or ``"random"``: of each feature one split is tried, drawn by
        `random_state`: a threshold uniform between the node's smallest and largest
        value; of a nominal feature split in two, one of its divisions (extremely
        randomised trees, Geurts et al. 2006). Local evaluation of criteria on tables
        only.""",
        core=True,
        needs=Condition(
            lambda p: has_thresholds(p) or p["nominal_splits"] != "multiway",
            "splits in two: nominal_splits='subset' or 'one_vs_rest', or numbers with thresholds",
        ),
    ),
    Parameter(
        "max_features",
        None,
        """features looked at in a node: None (all), a number, a share, ``"sqrt"``, ``"log2"``.""",
    ),
    Parameter(
        "max_depth",
        None,
        """deepest level of a leaf; the root is level 0.""",
        least=1,
        core=True,
    ),
    Parameter(
        "max_leaf_nodes",
        None,
        """largest number of leaves; growth is then best-first (`leaf_order`).""",
        least=2,
        core=True,
    ),
    Parameter(
        "leaf_order",
        "improvement",
        """which leaf is split next: ``"improvement"``, the one whose split improves the tree most
        (weight of the leaf x gain in score, scikit-learn's order; without the weight
        for ``extensive`` criteria), or ``"distance"``, the one whose split has the
        smallest distance. Local only.""",
        core=True,
        needs=Condition(
            lambda p: is_local(p) and p["max_leaf_nodes"] is not None,
            "max_leaf_nodes, and evaluation='local'",
        ),
    ),
    Parameter(
        "min_samples_split",
        2,
        """fewer rows are not split (a float below 1: share of the rows).""",
        least=2,
    ),
    Parameter(
        "min_samples_leaf",
        1,
        """every branch with rows must have at least this many.""",
        least=1,
        scores=ALL_BUT_NEIGHBOURS,
    ),
    Parameter(
        "min_weight_fraction_leaf",
        0.0,
        """every branch with rows must have this share of the training weight, in [0, 0.5].""",
        check=in_range(0.0, 0.5),
        core=True,
        scores=ALL_BUT_NEIGHBOURS,
    ),
    Parameter(
        "min_impurity_decrease",
        0.0,
        """a node whose split improves the tree by less, per weight of the root, becomes a leaf; >=
        0. Local only.""",
        check=in_range(0.0, LARGEST),
        core=True,
        needs=Condition(is_local, LOCAL, True),
    ),
    Parameter(
        "min_score",
        None,
        """a node whose best score is below it becomes a leaf; None splits until pure, but stops
        where ``"mdl"`` saves no bits, and where a split by ``"variation_of_information"`` is no
        nearer to the classes than the node; -inf splits until pure. Local evaluation only.""",
        check=in_range(-math.inf, LARGEST),
        core=True,
        needs=Condition(is_local, LOCAL, True),
    ),
    Parameter(
        "monotonic_cst",
        None,
        """for each column 1 where the prediction may not fall with it, -1 where it may not rise,
        else 0; or a dict by names. The prediction is the number, or the probability of the second
        of two classes. Local evaluation of criteria on tables, and numeric columns, only; with
        `discretize` only where `nominal_splits` splits bins at a cut.""",
    ),
    Parameter(
        "interaction_cst",
        None,
        """groups of columns (names, or numbers from 0) that one path may test together; columns in
        no group are one more. ``"pairwise"`` is all pairs, ``"no_interactions"`` each column alone.
        Local evaluation only.""",
    ),
    Parameter(
        "no_distance_decay",
        False,
        """True stops where every split would raise the distance, ``"strict"`` also where it stays
        equal: the leaf's own distance locally and for the local steps of glocal growth,
        the whole tree's globally. (The local distance of info_gain and gini never
        rises, so there True never stops.)""",
        core=True,
    ),
    Parameter(
        "honest",
        None,
        """None, or the share of the rows of weight > 0 that is kept for the leaves, above 0 and
        below 1 (True: 0.5). It is drawn by `random_state` without a look at the target; `fit` takes
        `groups`, and keeps each group as a whole. The other rows choose tests, bins, imputation and
        pruning. Counts, labels and numbers of all nodes come from the rows kept; a leaf without
        such rows predicts as the nearest node above that has some, or as `empty_branch` says. Class
        weights are computed from all rows. Not with missing="fractional" or `monotonic_cst`.""",
        check=share_or_half,
        core=True,
    ),
)

NUMBER_PARAMETERS = (
    Parameter(
        "categorical_features",
        "from_dtype",
        """``"from_dtype"``, ``"all"``, None, a mask, indices or names; see `Table`.""",
        scores=ALL_EVIDENCE,
    ),
    Parameter(
        "columns",
        "auto",
        """what is made of the columns of a frame or file (arrays, lists, Tables, batches and
        Dask collections are taken as given). ``"auto"``: identifiers, free text and columns of
        one value, found on the rows of the fit, are not used, and year, month and weekday stand
        for dates; a warning says so, and the columns keep their places. ``"as_given"``: all
        columns are used as they are. A mapping names columns that are, ``{"year": "as_given"}``.
        A column is an identifier only from 50 rows on: text that differs in more than half of
        them, or whole numbers that count the rows up.""",
        scores=ALL_EVIDENCE,
    ),
    Parameter(
        "discretize",
        "auto",
        """``"auto"`` (``"equal_frequency"`` with `merge_levels`, else None) or None (search
        thresholds), ``"equal_width"``, ``"equal_frequency"``, ``"mdlp"``, or an object of
        `fasttree.discretize`; fitted on the training rows.""",
        scores=ALL_BUT_NEIGHBOURS,
    ),
    Parameter(
        "n_bins",
        10,
        """number of bins of the discretisers that take one.""",
        least=1,
        scores=ALL_BUT_NEIGHBOURS,
        needs=Condition(
            takes_bins,
            "discretize='equal_width' or 'equal_frequency', or merge_levels=True (an object of "
            "fasttree.discretize has its own n_bins)",
        ),
    ),
    Parameter(
        "threshold_search",
        "exact",
        """``"exact"``: every boundary between two values. ``"histogram"``: only the cuts between
        at most `max_bins` bins, made on the training rows of the whole tree: a bin for
        each value while they suffice, else bins of about one weight. Faster from some
        100,000 rows on, and coarser. The threshold of a split lies midway between the
        highest value of the last occupied bin on its left and the lowest of the first
        on its right.""",
        core=True,
        scores=TABLES_AND_MOMENTS,
        needs=Condition(has_thresholds, THRESHOLDS, True),
    ),
    Parameter(
        "max_bins",
        255,
        """largest number of bins of a histogram search, at least 2.""",
        least=2,
        core=True,
        scores=TABLES_AND_MOMENTS,
        needs=Condition(lambda p: p["threshold_search"] != "exact", "threshold_search='histogram'"),
    ),
    Parameter(
        "thresholds",
        "midpoint",
        """``"midpoint"`` between two values, ``"value"`` (the lower one), or ``"training_value"``
        (the largest value of the whole training set that is not above the midpoint, as
        J48; numbers less than 1e-6 above it count as equal to it).""",
        core=True,
        needs=Condition(has_thresholds, THRESHOLDS),
    ),
)

MISSING_PARAMETERS = (
    Parameter(
        "missing",
        "auto",
        """``"fractional"`` as C4.5: a row without a value goes down all branches, as
        fractional instances weighted by the branches' training weights, in growth and in
        prediction. A split is scored on the known rows, and the score is scaled by their
        share. Limits count fractional instances. ``"branch"``: a branch of its own; where
        training rows of a node had no missing value, the heaviest branch takes them.
        ``"mode"``: mean or mode of the training rows. ``"error"`` refuses them. ``"auto"``:
        fractional with evaluation="local" and a criterion whose facts in `list_criteria` say
        ``fractional``, unless leaves are `honest`; else branch.""",
        core=True,
        scores=ALL_EVIDENCE,
    ),
    Parameter(
        "empty_branch",
        "parent",
        """a branch that no training row reached predicts its parent's majority (``"parent"``) or
        nothing (``"unclassified"``: None from `predict`, zeros from `predict_proba`, an
        error in `score`).""",
        core=True,
    ),
    Parameter(
        "handle_unknown",
        "missing",
        """levels not seen in fit are ``"missing"`` (with a warning) or an ``"error"``.""",
    ),
)

PRUNING_PARAMETERS = (
    Parameter(
        "pruning",
        None,
        """how the grown tree is cut back: None, ``"pessimistic"``, ``"error_based"`` (C4.5),
        ``"reduced_error"``, ``"cost_complexity"`` by `ccp_alpha`, ``"cart"`` (the price chosen
        by ten folds with the one-standard-error rule; ``"cart_min"``: of least cost),
        ``"m_estimate"``, ``"mdl"``, or an object of `fasttree.pruning` with options.""",
    ),
    Parameter(
        "ccp_alpha",
        0.0,
        """complexity penalty per leaf in minimal cost-complexity pruning, >= 0 (the meaning of
        scikit-learn).""",
        check=in_range(0.0, math.inf),
        needs=Condition(
            takes_penalty, "pruning=None or 'cost_complexity', and no price in the object", True
        ),
    ),
    Parameter(
        "merge_redundant",
        None,
        """None, or leaves that say the same are merged after pruning: ``"class"`` (siblings of one
        class, and two nested tests of one feature that cut off the same class),
        ``"distribution"`` (also the same class shares).""",
    ),
)

COST_PARAMETERS = (
    Parameter(
        "cost_matrix",
        None,
        """None, or shape (n_classes, n_classes): cost of predicting the column's class where the
        row's is true, 0 on the diagonal. Nodes predict the cheapest class, and pruning
        weighs expected costs; splits do not change.""",
    ),
    Parameter(
        "priors",
        None,
        """None, ``"equal"``, a dict of label to share, or shares in the order of `classes_`: the
        class weights become prior / share of the training weight, for every criterion.""",
        scores=ALL_EVIDENCE,
    ),
    Parameter(
        "class_weight",
        None,
        """None, ``"balanced"`` or a dict of label to number >= 0; multiplies sample weights, never
        numbers of rows (``min_samples_leaf`` counts the same rows). Numbers of a dict
        are scaled so that the rows weigh together what they weigh without them: equal
        ones are none.""",
        scores=ALL_EVIDENCE,
    ),
    Parameter(
        "leaf_smoothing",
        None,
        """None (n_c/n), ``"laplace"`` ((n_c+1)/(n+k)), ``"m_estimate"`` (m = 2).""",
    ),
)

RUN_PARAMETERS = (
    Parameter(
        "random_state",
        None,
        """seed of random ties, feature subsets, random splits and the rows of `honest`.""",
        scores=ALL_EVIDENCE,
    ),
    Parameter(
        "n_jobs",
        None,
        """threads; None is one, -1 all cores. The tree does not depend on it.""",
        scores=ALL_EVIDENCE,
        stored=False,
    ),
    Parameter(
        "progress",
        None,
        """True or ``"auto"`` (a bar in a terminal or notebook), None or False, or a function
        (done, total) called every 50 ms.""",
        scores=ALL_EVIDENCE,
        stored=False,
    ),
    Parameter(
        "trace",
        "steps",
        """``"steps"``, ``"candidates"`` (scores of all candidates of every node are kept),
        None.""",
    ),
)

OF_TREES = (
    *_in_group(GROWTH, GROWTH_PARAMETERS),
    *_in_group(NUMBERS, NUMBER_PARAMETERS),
    *_in_group(MISSING, MISSING_PARAMETERS),
    *_in_group(PRUNING, PRUNING_PARAMETERS),
    *_in_group(COSTS, COST_PARAMETERS),
    *_in_group(RUN, RUN_PARAMETERS),
)
"""Parameters of trees, by group, without their types."""

SAMPLES = Condition(lambda p: bool(p["bootstrap"]), "bootstrap=True", True)

FOREST_GROWTH = (
    Parameter(
        "n_estimators",
        100,
        """number of trees, >= 1.""",
        least=1,
    ),
    Parameter(
        "bootstrap",
        True,
        """True: each tree sees a sample with replacement, in which rows of weight > 0 have the same
        chance and the draws of a row multiply its weight; False: all rows.""",
        check=true_or_false,
    ),
    Parameter(
        "max_samples",
        None,
        """rows in a sample: None (as many as have a weight > 0), a number of at most these, or a
        share of them in (0, 1]. Only with bootstrap.""",
        needs=SAMPLES,
    ),
)

FOREST_RUN = (
    Parameter(
        "oob_score",
        False,
        """True keeps `oob_score_` and `oob_decision_function_`. Only with bootstrap.""",
        check=true_or_false,
        needs=SAMPLES,
    ),
    Parameter(
        "warm_start",
        False,
        """True: a further `fit` on the same rows keeps the trees and grows those that
        `n_estimators` asks for in addition; the forest is the one grown at once. Fewer
        trees, other rows and other parameters (beside `oob_score`) are refused. A
        forest from `fasttree.load` is grown anew.""",
        stored=False,
    ),
)

OF_FORESTS = (*_in_group(GROWTH, FOREST_GROWTH), *_in_group(RUN, FOREST_RUN))
"""Parameters that forests have and trees have not."""

IN_FORESTS: dict[str, dict[str, Any]] = {
    "max_features": {
        "default": "sqrt",
        "text": """features looked at in a node: ``"sqrt"``, ``"log2"``, a number, a share, None
        (all).""",
    },
    "threshold_search": {
        "default": "auto",
        "text": """``"exact"`` or ``"histogram"`` as in `FastTreeClassifier`, whose bins are made
        once, on all training rows; ``"auto"``: a histogram from 10,000 rows of weight > 0 on
        (counted before samples are drawn) where its bins serve the criterion and the other
        parameters, else exact. `route_` says which.""",
    },
    "pruning": {
        "text": """of each tree, as in `FastTreeClassifier`; ``"reduced_error"`` is refused. Bins
        and
        means are fitted once, on all training rows; shares of rows are shares of the sample."""
    },
    "class_weight": {
        "text": """as in `FastTreeClassifier`; it multiplies in the trees and changes no sample.
        ``"balanced_subsample"``: n/(k n_c) in the sample of each tree.""",
    },
    "random_state": {"text": """seed of samples, feature subsets and random ties."""},
    "n_jobs": {
        "text": """threads; None is one, -1 all cores. A criterion that is a Python function is
        called
        by one."""
    },
    "progress": {
        "text": """True or ``"auto"`` (a bar), None or False, or a function (trees done, trees)
        called every 50 ms."""
    },
}
"""Texts and values of parameters of a tree that differ in forests."""


ON_CLASSES = (
    *("evaluation", "labels", "empty_branch", "merge_redundant"),
    *("cost_matrix", "priors", "class_weight", "leaf_smoothing"),
    *("merge_levels", "alpha_merge", "alpha_split"),
)
"""Parameters of a tree that act on classes alone."""

IN_REGRESSION: dict[str, dict[str, Any]] = {
    "criterion": {
        "default": "squared_error",
        "text": """a name, an object of `fasttree.criteria`, or a function ``f(sums) -> scores`` of
        all candidates of a node, `sums` of shape (candidates, branches, 3), float64: weight, sum
        and sum of squares of each branch; larger scores are better. With `target_bins` any
        criterion on tables of classes.""",
    },
    "pruning": {
        "text": """how the grown tree is cut back: None, ``"reduced_error"`` (squared errors),
        ``"cost_complexity"`` (CART), ``"m5"`` (Quinlan), or an object of `fasttree.pruning` with
        options.""",
    },
    "missing": {
        "text": """``"fractional"``: a row without a value goes down all branches, as fractional
        instances weighted by the branches' training weights, in growth and in prediction.
        ``"branch"``: a branch of its own; where training rows of a node had no missing value, the
        heaviest branch takes them. ``"mode"``: mean or mode of the training rows. ``"error"``
        refuses them. ``"auto"``: fractional for a criterion whose facts in `list_criteria` say
        ``fractional``, else branch.""",
    },
    "min_impurity_decrease": {
        "text": """a node whose split improves the tree by less, per weight of the root, becomes a
        leaf; >= 0.""",
    },
}
"""Texts and values of parameters of a tree that differ in regressors."""

TARGET_BINS = Parameter(
    "target_bins",
    None,
    """None; or the target is cut into bins on the training rows, by whose classes the tree grows:
    ``"equal_width"`` or ``"equal_frequency"`` (10 bins), an object of `fasttree.discretize`, or a
    number of bins of equal frequency. `criterion` is then one on tables of classes. Leaves predict
    means.""",
    scores=("table",),
    group=GROWTH,
)


def _in_forests(of_trees: Iterable[Parameter]) -> tuple[Parameter, ...]:
    """The parameters of forests of trees with the parameters `of_trees`, `n_estimators` first, in
    the order of the groups."""
    shared = [
        replace(p, **IN_FORESTS.get(p.name, {}))
        for p in of_trees
        if p.name not in ("cost_matrix", "honest", "priors", "trace", "selection", "alpha")
        and p.needs not in (SIGNIFICANCE, MERGING, CUTTING)
    ]
    return tuple(sorted((*OF_FORESTS, *shared), key=lambda p: GROUPS.index(p.group)))


_criterion, *_others = [
    replace(p, **IN_REGRESSION.get(p.name, {})) for p in OF_TREES if p.name not in ON_CLASSES
]
OF_REGRESSION_TREES = (_criterion, TARGET_BINS, *_others)

CLASSES, NUMBER, COUNT = (
    {"criterion": keywords.SplitCriterion},
    {"criterion": keywords.NumberCriterion},
    {"n_estimators": int},
)
TREE = _typed(OF_TREES, keywords.TreeParameters, **CLASSES)
REGRESSION_TREE = _typed(OF_REGRESSION_TREES, keywords.RegressionTreeParameters, **NUMBER)
FOREST = _typed(_in_forests(OF_TREES), keywords.ForestParameters, **CLASSES, **COUNT)
REGRESSION_FOREST = _typed(
    _in_forests(OF_REGRESSION_TREES), keywords.RegressionForestParameters, **NUMBER, **COUNT
)

NOT_STORED = tuple(parameter.name for parameter in FOREST if not parameter.stored)
"""Parameters that say how to work, not what to make; a saved model does not hold them."""

PARAMETERS = {parameter.name: parameter for parameter in (*REGRESSION_TREE, *FOREST, *TREE)}
"""All parameters by name. A parameter that trees and forests share is declared as in a tree."""
OF_FOREST = {parameter.name: parameter for parameter in FOREST}
"""The parameters of a forest by name."""


def check(name: str, value: Any, declared: Mapping[str, Parameter] = PARAMETERS) -> Any:
    """The value of a parameter as the core takes it.

    Parameters without a check are returned as given: their domain depends on the data, and the
    reader of the parameter checks it.

    Args:
        name: a parameter.
        value: what was given.
        declared: the parameters, by name.

    Raises:
        ValueError: a value outside the parameter's domain.

    Examples:
        >>> check("max_depth", 0)
        Traceback (most recent call last):
        ...
        ValueError: max_depth=0 must be at least 1
    """
    parameter = declared[name]
    if parameter.check is None or value is parameter.default:
        return value
    return parameter.check(name, value)
