"""The parameters of trees and forests: each is declared here, once.

What
    `TREE` and `FOREST` hold name, group, kind, default and text of each parameter, what it needs in
    order to act, and whether the core reads it under its name. Constructors, checks, conditions,
    what a model file stores, docstrings and the configuration of the core are read from these
    lists; ``python -m docs.studies.first_screen.make`` writes `keywords`, the types, from them.
Complexity
    None.
When not to use it
    For options of criteria: the core's registry declares those, beside the formulas.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from .. import criteria
from .._checks import as_float, at_least, choice, integer, maybe, number_in, shown
from ..discretize import DISCRETIZERS
from ..pruning import PRUNED_CLASSES, PRUNED_NUMBERS, WORDS
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
"""The groups in which parameters are shown."""

EVERY = ("table", "moments", "order", "pairs", "rows", "neighbours")
"""All kinds of evidence."""
TABLES = EVERY[:2]
BUT_NEIGHBOURS = EVERY[:5]
LARGEST = sys.float_info.max


@dataclass(frozen=True)
class Kind:
    """The values of a parameter: their type as constructors name it, and their check."""

    type: str
    values: tuple[bool | str | None, ...] = ()
    """Values that the type names."""
    also: str = ""
    """Other types."""
    least: int | None = None
    """The smallest whole number."""
    check: Callable[[str, Any], Any] | None = None
    """Takes the parameter's name and value, and returns the value or refuses it. None where the
    data decide, or the objects that may be given: then the reader of the parameter checks."""


def words(type: str, *values: bool | str | None, also: str = "", elsewhere: bool = False) -> Kind:
    """One of the values; None comes first in messages."""
    allowed = tuple(sorted(values, key=lambda value: value is not None))
    return Kind(type, values, also, check=None if elsewhere else choice(*allowed))


def whole(least: int, *none: None) -> Kind:
    """A whole number, or None."""
    if none:
        return Kind("int | None", least=least, check=maybe(at_least(least)))
    return Kind("int", least=least, check=at_least(least))


def rows(least: int) -> Kind:
    """A number of rows, or (a float) a share of the rows."""

    def test(name: str, value: Any) -> int | float:
        number = as_float(value)
        is_share = number is not None and not isinstance(value, int | np.integer)
        return number_in(0.0, 1.0)(name, value) if is_share else integer(name, value, least)

    return Kind("int | float", least=least, check=test)


def number(low: float, high: float, *none: None) -> Kind:
    """A number in [low, high], or None."""

    def test(name: str, value: Any) -> float | None:
        if none and value is None:
            return None
        return max(number_in(low, high)(name, value), -LARGEST)

    return Kind("float | None" if none else "float", check=test)


def share() -> Kind:
    """None or False, or a share above 0 and below 1; True is a half."""

    def test(name: str, value: Any) -> float | None:
        if value is None or isinstance(value, bool | np.bool_):
            return 0.5 if value else None
        return number_in(0.0, 1.0, above=True, below=True)(name, value)

    return Kind("float | bool | None", check=test)


def flag() -> Kind:
    """True or False."""

    def test(name: str, value: Any) -> bool:
        if not isinstance(value, bool | np.bool_):
            raise ValueError(f"{name}={shown(value)} must be True or False")
        return bool(value)

    return Kind("bool", check=test)


SIGNIFICANCE = Condition(lambda p: p.get("selection") == "significance", "selection='significance'")
"""What the parameters of a selection by significance need; forests have none of them."""
MERGING = Condition(merges, "selection='significance' and merge_levels=True")
CUTTING = Condition(
    lambda p: SIGNIFICANCE.acts(p) and not merges(p),
    "selection='significance' and merge_levels=False, as merged levels are the split",
)


@dataclass(frozen=True)
class Parameter:
    """One parameter of a tree or forest."""

    name: str
    kind: Kind
    default: Any
    text: str
    """Domain and meaning; ends of lines mean nothing."""
    core: bool = False
    """The core reads the checked value under this name."""
    needs: Condition | None = None
    """When it acts; None: always, on some data."""
    scores: tuple[str, ...] = ()
    """Evidence of the criteria beside which it acts on scores of features, or is harmless."""
    stored: bool = True
    """It says what to make, not how to work: a saved model holds it."""
    group: str = ""
    """The group in which it is shown."""


def in_group(group: str, parameters: Iterable[Parameter]) -> tuple[Parameter, ...]:
    """The parameters in a group."""
    return tuple(replace(p, group=group) for p in parameters)


GROWTH_PARAMETERS = (
    Parameter(
        "criterion",
        Kind(
            "SplitCriterion",
            also="Criterion | type[Criterion] | PairFunction | Callable[[Any], Any]",
            values=criteria.names(),
        ),
        "info_gain",
        """a name (`fasttree.list_criteria`), an object of `fasttree.criteria`, or a function
        ``f(tables) -> scores`` of all candidates of a node, `tables` of shape
        (candidates, branches, classes), float64; larger scores are better.""",
        scores=EVERY,
    ),
    Parameter(
        "selection",
        words("SelectionRule", "score", "significance"),
        "score",
        """how the feature of a split is chosen. ``"score"``: the one with the best split by the
        criterion. ``"significance"``: the one whose independence of the target is least likely by
        `test` (conditional inference trees, Hothorn, Hornik & Zeileis 2006); a node without a
        p-value below `alpha` is a leaf. Then `min_samples_split` and `min_samples_leaf` compare
        sums of weights, and with ``missing="auto"`` rows without a value are left out of test and
        cut and join the heavier side. Local evaluation of all features only.""",
        scores=EVERY,
    ),
    Parameter(
        "test",
        words("IndependenceTest", "quadratic", "maximum", "permutation"),
        "quadratic",
        """``"quadratic"``: a chi-squared statistic. ``"maximum"``: the largest standardised
        deviation, with p from a multivariate normal distribution to about 2e-4.
        ``"permutation"``: the quadratic statistic among those of at most 9,999 permutations of the
        target, drawn by `random_state`; for small nodes.""",
        needs=SIGNIFICANCE,
        scores=EVERY,
    ),
    Parameter(
        "alpha",
        number(0.0, 1.0),
        0.05,
        """a feature is split if its p-value is below this number between 0 and 1; for
        ``selection="significance"``.""",
        # Not refused elsewhere: scikit-learn's checks set any `alpha`.
    ),
    Parameter(
        "adjust",
        words("Adjustment", "bonferroni", "none"),
        "bonferroni",
        """``"bonferroni"``: p becomes 1 - (1 - p)^m for the m features that vary in a node.
        ``"none"``: p as it is.""",
        needs=SIGNIFICANCE,
        scores=EVERY,
    ),
    Parameter(
        "cut",
        words("CutRule", "statistic", "criterion"),
        "statistic",
        """by what the split of the chosen feature is chosen: ``"statistic"``, the largest
        two-sample statistic (`cut_test`), or ``"criterion"``, the best score by `criterion`, which
        has no effect otherwise. (The attribute also calls the method `cut(step)`.)""",
        needs=CUTTING,
    ),
    Parameter(
        "cut_test",
        words("CutStatistic", "quadratic", "maximum"),
        "quadratic",
        """the two-sample statistic of a split; ``"maximum"`` differs from three classes on.""",
        needs=CUTTING,
    ),
    Parameter(
        "min_prob",
        number(0.0, 0.5),
        0.01,
        """least share of a branch in the weight of the node, in [0, 0.5], rounded up to a whole
        weight. Rows without a value count in the node, and in no branch.""",
        needs=SIGNIFICANCE,
    ),
    Parameter(
        "split_tries",
        whole(1),
        2,
        """significant features that are tried until one has an allowed split.""",
        needs=SIGNIFICANCE,
    ),
    Parameter(
        "merge_levels",
        flag(),
        False,
        """True: CHAID (Kass 1980). Before a feature is tested, levels that do not differ in their
        classes are merged; those of an ordered pandas Categorical and the bins of a number only
        with neighbours. The p-value is that of Pearson's statistic of the groups, times the number
        of ways to merge the levels into as many groups, at most 1. The split has a branch for each
        group. With ``missing="auto"`` or ``"branch"`` missing values are one more level, which may
        join any group. Numbers are cut into bins, with ``discretize="auto"`` into ``n_bins`` bins
        of equal frequency.""",
        needs=SIGNIFICANCE,
        scores=EVERY,
    ),
    Parameter(
        "alpha_merge",
        number(0.0, 1.0),
        0.05,
        """the pair of groups of levels with the largest p-value is merged as long as that is above
        this number between 0 and 1.""",
        needs=MERGING,
        scores=EVERY,
    ),
    Parameter(
        "alpha_split",
        number(0.0, 1.0, None),
        None,
        """None: merged levels stay together. A number above 0 and at most `alpha_merge`: a group of
        three or more levels is divided in two again if the most significant division has a p-value
        below it; the same levels at most once.""",
        needs=MERGING,
        scores=EVERY,
    ),
    Parameter(
        "evaluation",
        words("EvaluationMode", "local", "global", "glocal"),
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
        words("Labels", "majority", "all", "distinct"),
        "majority",
        """how the new leaves of a global step are labelled: ``"majority"``, ``"all"`` (every pair
        of labels is tried) or ``"distinct"`` (every pair of two different labels). The
        last two need splits in two: thresholds without missing values, or two levels.""",
        core=True,
        needs=Condition(lambda p: not is_local(p), "evaluation='global' or 'glocal'", True),
    ),
    Parameter(
        "ties",
        words("TieRule", "first", "row", "random", "even"),
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
        words("NominalSplits", "auto", "multiway", "subset", "one_vs_rest"),
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
        scores=TABLES,
    ),
    Parameter(
        "splitter",
        words("Splitter", "best", "random"),
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
        words("FeatureCount", "sqrt", "log2", None, also="int | float", elsewhere=True),
        None,
        """features looked at in a node: None (all), a number, a share, ``"sqrt"``, ``"log2"``.""",
    ),
    Parameter(
        "max_depth",
        whole(1, None),
        None,
        """deepest level of a leaf; the root is level 0.""",
        core=True,
    ),
    Parameter(
        "max_leaf_nodes",
        whole(2, None),
        None,
        """largest number of leaves; growth is then best-first (`leaf_order`).""",
        core=True,
    ),
    Parameter(
        "leaf_order",
        words("LeafOrder", "improvement", "distance"),
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
        rows(2),
        2,
        """fewer rows are not split (a float below 1: share of the rows).""",
    ),
    Parameter(
        "min_samples_leaf",
        rows(1),
        1,
        """every branch with rows must have at least this many.""",
        scores=BUT_NEIGHBOURS,
    ),
    Parameter(
        "min_weight_fraction_leaf",
        number(0.0, 0.5),
        0.0,
        """every branch with rows must have this share of the training weight, in [0, 0.5].""",
        core=True,
        scores=BUT_NEIGHBOURS,
    ),
    Parameter(
        "min_impurity_decrease",
        number(0.0, LARGEST),
        0.0,
        """a node whose split improves the tree by less, per weight of the root, becomes a leaf; >=
        0. Local only.""",
        core=True,
        needs=Condition(is_local, LOCAL, True),
    ),
    Parameter(
        "min_score",
        number(-math.inf, LARGEST, None),
        None,
        """a node whose best score is below it becomes a leaf; None splits until pure, but stops
        where ``"mdl"`` saves no bits, and where a split by ``"variation_of_information"`` is no
        nearer to the classes than the node; -inf splits until pure. Local evaluation only.""",
        core=True,
        needs=Condition(is_local, LOCAL, True),
    ),
    Parameter(
        "monotonic_cst",
        Kind("Mapping[str, int] | Sequence[int] | None"),
        None,
        """for each column 1 where the prediction may not fall with it, -1 where it may not rise,
        else 0; or a dict by names. The prediction is the number, or the probability of the second
        of two classes. Local evaluation of criteria on tables, and numeric columns, only; with
        `discretize` only where `nominal_splits` splits bins at a cut.""",
    ),
    Parameter(
        "interaction_cst",
        words(
            "Interactions",
            "pairwise",
            "no_interactions",
            None,
            also="Sequence[Iterable[int | str]]",
            elsewhere=True,
        ),
        None,
        """groups of columns (names, or numbers from 0) that one path may test together; columns in
        no group are one more. ``"pairwise"`` is all pairs, ``"no_interactions"`` each column alone.
        Local evaluation only.""",
    ),
    Parameter(
        "no_distance_decay",
        words("DistanceRule", False, True, "strict"),
        False,
        """True stops where every split would raise the distance, ``"strict"`` also where it stays
        equal: the leaf's own distance locally and for the local steps of glocal growth,
        the whole tree's globally. (The local distance of info_gain and gini never
        rises, so there True never stops.)""",
        core=True,
    ),
    Parameter(
        "honest",
        share(),
        None,
        """None, or the share of the rows of weight > 0 that is kept for the leaves, above 0 and
        below 1 (True: 0.5). It is drawn by `random_state` without a look at the target; `fit` takes
        `groups`, of which each is kept as a whole. The other rows choose tests, bins, imputation
        and pruning. Counts, labels and numbers of all nodes are those of the rows kept; a leaf
        without any predicts as the nearest node above that has some, or as `empty_branch` says.
        Class weights are those of all rows. Not with missing="fractional" or `monotonic_cst`.""",
        core=True,
    ),
)

NUMBER_PARAMETERS = (
    Parameter(
        "categorical_features",
        Kind("CategoricalFeatures"),
        "from_dtype",
        """``"from_dtype"``, ``"all"``, None, a mask, indices or names; see `Table`.""",
        scores=EVERY,
    ),
    Parameter(
        "columns",
        Kind("ColumnUse"),
        "auto",
        """what is made of the columns of a frame or file (arrays, lists, Tables, batches and
        Dask collections are taken as given). ``"auto"``: identifiers, free text and columns of
        one value, found on the rows of the fit, are not used, and year, month and weekday stand
        for dates; a warning says so, and the columns keep their places. ``"as_given"``: all
        columns are used as they are. A mapping names columns that are, ``{"year": "as_given"}``.
        A column is an identifier only from 50 rows on: text that differs in more than half of
        them, or whole numbers that count the rows up.""",
        scores=EVERY,
    ),
    Parameter(
        "discretize",
        words("Discretization", "auto", *DISCRETIZERS, None, also="Discretizer", elsewhere=True),
        "auto",
        """``"auto"`` (``"equal_frequency"`` with `merge_levels`, else None) or None (search
        thresholds), ``"equal_width"``, ``"equal_frequency"``, ``"mdlp"``, or an object of
        `fasttree.discretize`; fitted on the training rows.""",
        scores=BUT_NEIGHBOURS,
    ),
    Parameter(
        "n_bins",
        whole(1),
        10,
        """number of bins of the discretisers that take one.""",
        scores=BUT_NEIGHBOURS,
        needs=Condition(
            takes_bins,
            "discretize='equal_width' or 'equal_frequency', or merge_levels=True (an object of "
            "fasttree.discretize has its own n_bins)",
        ),
    ),
    Parameter(
        "threshold_search",
        words("ThresholdSearch", "exact", "histogram"),
        "exact",
        """``"exact"``: every boundary between two values. ``"histogram"``: only the cuts between
        at most `max_bins` bins, made on the training rows of the whole tree: a bin for
        each value while they suffice, else bins of about one weight. Faster from some
        100,000 rows on, and coarser. The threshold of a split lies midway between the
        highest value of the last occupied bin on its left and the lowest of the first
        on its right.""",
        core=True,
        scores=TABLES,
        needs=Condition(has_thresholds, THRESHOLDS, True),
    ),
    Parameter(
        "max_bins",
        whole(2),
        255,
        """largest number of bins of a histogram search, at least 2.""",
        core=True,
        scores=TABLES,
        needs=Condition(lambda p: p["threshold_search"] != "exact", "threshold_search='histogram'"),
    ),
    Parameter(
        "thresholds",
        words("Thresholds", "midpoint", "value", "training_value"),
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
        words("MissingValues", "auto", "fractional", "mode", "branch", "error"),
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
        scores=EVERY,
    ),
    Parameter(
        "empty_branch",
        words("EmptyBranch", "parent", "unclassified"),
        "parent",
        """a branch that no training row reached predicts its parent's majority (``"parent"``) or
        nothing (``"unclassified"``: None from `predict`, zeros from `predict_proba`, an
        error in `score`).""",
        core=True,
    ),
    Parameter(
        "handle_unknown",
        words("UnknownLevels", "missing", "error"),
        "missing",
        """levels not seen in fit are ``"missing"`` (with a warning) or an ``"error"``.""",
    ),
)

PRUNING_PARAMETERS = (
    Parameter(
        "pruning",
        words("PruningMethod", *PRUNED_CLASSES, *WORDS, None, also="Pruning", elsewhere=True),
        None,
        """how the grown tree is cut back: None, ``"pessimistic"``, ``"error_based"`` (C4.5),
        ``"reduced_error"``, ``"cost_complexity"`` by `ccp_alpha`, ``"cart"`` (the price chosen
        by ten folds with the one-standard-error rule; ``"cart_min"``: of least cost),
        ``"m_estimate"``, ``"mdl"``, or an object of `fasttree.pruning` with options.""",
    ),
    Parameter(
        "ccp_alpha",
        number(0.0, math.inf),
        0.0,
        """complexity penalty per leaf in minimal cost-complexity pruning, >= 0 (the meaning of
        scikit-learn).""",
        needs=Condition(
            takes_penalty, "pruning=None or 'cost_complexity', and no price in the object", True
        ),
    ),
    Parameter(
        "merge_redundant",
        words("MergedLeaves", "class", "distribution", None),
        None,
        """None, or leaves that say the same are merged after pruning: ``"class"`` (siblings of one
        class, and two nested tests of one feature that cut off the same class),
        ``"distribution"`` (also the same class shares).""",
    ),
)

COST_PARAMETERS = (
    Parameter(
        "cost_matrix",
        Kind("Any"),
        None,
        """None, or shape (n_classes, n_classes): cost of predicting the column's class where the
        row's is true, 0 on the diagonal. Nodes predict the cheapest class, and pruning
        weighs expected costs; splits do not change.""",
    ),
    Parameter(
        "priors",
        Kind("Any"),
        None,
        """None, ``"equal"``, a dict of label to share, or shares in the order of `classes_`: the
        class weights become prior / share of the training weight, for every criterion.""",
        scores=EVERY,
    ),
    Parameter(
        "class_weight",
        words("ClassWeight", "balanced", None, also="Mapping[Any, float]", elsewhere=True),
        None,
        """None, ``"balanced"`` or a dict of label to number >= 0; multiplies sample weights, never
        numbers of rows (``min_samples_leaf`` counts the same rows). Numbers of a dict
        are scaled so that the rows weigh together what they weigh without them: equal
        ones are none.""",
        scores=EVERY,
    ),
    Parameter(
        "leaf_smoothing",
        words("LeafSmoothing", "laplace", "m_estimate", None),
        None,
        """None (n_c/n), ``"laplace"`` ((n_c+1)/(n+k)), ``"m_estimate"`` (m = 2).""",
    ),
)

RUN_PARAMETERS = (
    Parameter(
        "random_state",
        Kind("Seed"),
        None,
        """seed of random ties, feature subsets, random splits and the rows of `honest`.""",
        scores=EVERY,
    ),
    Parameter(
        "n_jobs",
        Kind("int | None"),
        None,
        """threads; None is one, -1 all cores. The tree does not depend on it.""",
        scores=EVERY,
        stored=False,
    ),
    Parameter(
        "progress",
        Kind("Progress"),
        None,
        """True or ``"auto"`` (a bar in a terminal or notebook), None or False, or a function
        (done, total) called every 50 ms.""",
        scores=EVERY,
        stored=False,
    ),
    Parameter(
        "trace",
        words("TraceKept", "steps", "candidates", None),
        "steps",
        """``"steps"``, ``"candidates"`` (scores of all candidates of every node are kept),
        None.""",
    ),
)

TREE = (
    *in_group(GROWTH, GROWTH_PARAMETERS),
    *in_group(NUMBERS, NUMBER_PARAMETERS),
    *in_group(MISSING, MISSING_PARAMETERS),
    *in_group(PRUNING, PRUNING_PARAMETERS),
    *in_group(COSTS, COST_PARAMETERS),
    *in_group(RUN, RUN_PARAMETERS),
)
"""Parameters of a tree, by group."""

SAMPLES = Condition(lambda p: bool(p["bootstrap"]), "bootstrap=True", True)

FOREST_GROWTH = (
    Parameter(
        "n_estimators",
        whole(1),
        100,
        """number of trees, >= 1.""",
    ),
    Parameter(
        "bootstrap",
        flag(),
        True,
        """True: each tree sees a sample with replacement, in which rows of weight > 0 have the same
        chance and the draws of a row multiply its weight; False: all rows.""",
    ),
    Parameter(
        "max_samples",
        Kind("int | float | None"),
        None,
        """rows in a sample: None (as many as have a weight > 0), a number of at most these, or a
        share of them in (0, 1]. Only with bootstrap.""",
        needs=SAMPLES,
    ),
)

FOREST_RUN = (
    Parameter(
        "oob_score",
        flag(),
        False,
        """True keeps `oob_score_` and `oob_decision_function_`. Only with bootstrap.""",
        needs=SAMPLES,
    ),
    Parameter(
        "warm_start",
        Kind("bool"),
        False,
        """True: a further `fit` on the same rows keeps the trees and grows those that
        `n_estimators` asks for in addition; the forest is the one grown at once. Fewer
        trees, other rows and other parameters (beside `oob_score`) are refused. A
        forest from `fasttree.load` is grown anew.""",
        stored=False,
    ),
)

OF_FORESTS = (*in_group(GROWTH, FOREST_GROWTH), *in_group(RUN, FOREST_RUN))
"""Parameters that forests have and trees have not."""

IN_FORESTS: dict[str, dict[str, Any]] = {
    "max_features": {
        "default": "sqrt",
        "text": """features looked at in a node: ``"sqrt"``, ``"log2"``, a number, a share, None
        (all).""",
    },
    "threshold_search": {
        "kind": words("ForestThresholdSearch", "auto", "exact", "histogram"),
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
        "kind": words(
            "ForestClassWeight",
            "balanced_subsample",
            "balanced",
            None,
            also="Mapping[Any, float]",
            elsewhere=True,
        ),
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
"""What forests say otherwise of a parameter of a tree."""


ON_CLASSES = (
    *("evaluation", "labels", "empty_branch", "merge_redundant"),
    *("cost_matrix", "priors", "class_weight", "leaf_smoothing"),
    *("merge_levels", "alpha_merge", "alpha_split"),
)
"""Parameters of a tree that only classes have a meaning for."""

IN_REGRESSION: dict[str, dict[str, Any]] = {
    "criterion": {
        "kind": Kind(
            "NumberCriterion",
            also="Criterion | type[Criterion] | Callable[[Any], Any]",
            values=criteria.names("regression"),
        ),
        "default": "squared_error",
        "text": """a name, an object of `fasttree.criteria`, or a function ``f(sums) -> scores`` of
        all candidates of a node, `sums` of shape (candidates, branches, 3), float64: weight, sum
        and sum of squares of each branch; larger scores are better. With `target_bins` any
        criterion on tables of classes.""",
    },
    "pruning": {
        "kind": words(
            "NumberPruning", *PRUNED_NUMBERS, *WORDS, None, also="Pruning", elsewhere=True
        ),
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
"""What regressors say otherwise of a parameter of a tree."""

TARGET_BINS = Parameter(
    "target_bins",
    Kind("TargetBins", values=("equal_width", "equal_frequency", None), also="int | Discretizer"),
    None,
    """None; or the target is cut into bins on the training rows, by whose classes the tree grows:
    ``"equal_width"`` or ``"equal_frequency"`` (10 bins), an object of `fasttree.discretize`, or a
    number of bins of equal frequency. `criterion` is then one on tables of classes. Leaves predict
    means.""",
    scores=("table",),
    group=GROWTH,
)


def _regression() -> tuple[Parameter, ...]:
    """The parameters of a regression tree, `criterion` first, in the order of the groups."""
    shared = [replace(p, **IN_REGRESSION.get(p.name, {})) for p in TREE if p.name not in ON_CLASSES]
    return (shared[0], TARGET_BINS, *shared[1:])


def _forest(of_tree: tuple[Parameter, ...]) -> tuple[Parameter, ...]:
    """The parameters of a forest of such trees, `n_estimators` first, in the order of the
    groups."""
    shared = [
        replace(p, **IN_FORESTS.get(p.name, {}))
        for p in of_tree
        if p.name not in ("cost_matrix", "honest", "priors", "trace", "selection", "alpha")
        and p.needs not in (SIGNIFICANCE, MERGING, CUTTING)
    ]
    return tuple(sorted((*OF_FORESTS, *shared), key=lambda p: GROUPS.index(p.group)))


REGRESSION_TREE = _regression()
FOREST = _forest(TREE)
REGRESSION_FOREST = _forest(REGRESSION_TREE)
NOT_STORED = tuple(parameter.name for parameter in FOREST if not parameter.stored)
"""Parameters that say how to work, not what to make; a saved model does not hold them."""

PARAMETERS = {parameter.name: parameter for parameter in (*REGRESSION_TREE, *FOREST, *TREE)}
"""All parameters by name; what trees and forests share is a tree's."""
OF_FOREST = {parameter.name: parameter for parameter in FOREST}
"""The parameters of a forest by name."""


def check(name: str, value: Any, declared: Mapping[str, Parameter] = PARAMETERS) -> Any:
    """The value of a parameter as the core takes it.

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
    test = parameter.kind.check
    if test is None or value is parameter.default:
        return value
    return test(name, value)
