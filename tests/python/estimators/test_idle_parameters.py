"""A parameter with a value that cannot act in a call is refused by name.

`CONDITIONS` says when a parameter acts. Each statement is checked by fits: where it says that the
parameter acts, some fit changes with it. Where it says that it does not, the fit is refused, and
the same fit without the refusal is the same to the bit.
"""

from __future__ import annotations

import inspect
import json
import warnings
from functools import cache

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import fasttree
from fasttree import FastForestClassifier, FastTreeClassifier, criteria, presets
from fasttree._checks.declared import given_options
from fasttree.criteria import ContextualMerit, Pi
from fasttree.discretize import MDLP, EqualWidth
from fasttree.estimators import idle, tree_estimator
from fasttree.estimators.declaration import PARAMETERS
from fasttree.estimators.idle import CONDITIONS
from fasttree.feature_selection import features
from fasttree.model_selection import cross_validate
from fasttree.pruning import CostComplexity, ReducedError

KINDS = (FastTreeClassifier, FastForestClassifier)
GLOBAL = {"evaluation": "global"}
BINS = {"discretize": "equal_width"}
PAIRS = {"criterion": "pi"}
RANDOM = {"splitter": "random", "random_state": 1}
SURE = {"selection": "significance", "random_state": 1}
MERGED = {**SURE, "merge_levels": True, "alpha": 0.3}

# Parameter -> values, settings beside which they act, settings beside which they cannot.
CASES = {
    "labels": (
        ["all", "distinct"],
        [{**GLOBAL, "nominal_splits": "subset", "missing": "mode"}],
        [{}, PAIRS],
    ),
    "ties": (
        ["row"],
        [{}, {"evaluation": "global"}, {"threshold_search": "histogram", "max_bins": 4}],
        [BINS, {**BINS, "nominal_splits": "subset"}, RANDOM, PAIRS, {"criterion": "relieff"}],
    ),
    "n_bins": (
        [3, 4],
        [BINS, {"discretize": "equal_frequency"}, PAIRS, {"criterion": "relieff"}],
        [{}, {"discretize": None}, {"discretize": "mdlp"}, {"discretize": EqualWidth(4)}],
    ),
    "threshold_search": (["histogram"], [{}, GLOBAL], [BINS, PAIRS]),
    "max_bins": (
        [3],
        [{"threshold_search": "histogram"}],
        [{**beside, "threshold_search": "exact"} for beside in ({}, BINS, PAIRS)],
    ),
    "thresholds": (
        ["value", "training_value"],
        [{}, GLOBAL, RANDOM],
        [BINS, {**BINS, "nominal_splits": "subset"}, {"discretize": MDLP()}, PAIRS],
    ),
    "leaf_order": (
        ["distance"],
        [{"max_leaf_nodes": 5}, {"criterion": "gini", "max_leaf_nodes": 5}],
        [{}, PAIRS, {**GLOBAL, "max_leaf_nodes": 5}, {"evaluation": "glocal", "max_leaf_nodes": 5}],
    ),
    "min_impurity_decrease": ([0.05], [{}, PAIRS], [GLOBAL]),
    "min_score": ([0.05], [{}, PAIRS], [GLOBAL]),
    "splitter": (
        ["random"],
        [{"random_state": 1}, {**BINS, "nominal_splits": "subset", "random_state": 1}],
        [{**BINS, "nominal_splits": "multiway", "random_state": 1}],
    ),
    "ccp_alpha": (
        [0.02],
        [{}, {"pruning": "cost_complexity"}, {"pruning": CostComplexity()}],
        [{"pruning": "mdl"}, {"pruning": CostComplexity(0.1)}, {"pruning": CostComplexity("cv")}],
    ),
    "max_samples": ([0.5], [{"random_state": 1}], [{"bootstrap": False, "random_state": 1}]),
    "oob_score": ([True], [{"random_state": 1}], [{"bootstrap": False, "random_state": 1}]),
    "test": (["maximum", "permutation"], [{**SURE, "alpha": 0.3}], [{}]),
    "adjust": (["none"], [{**SURE, "alpha": 0.3}], [{}]),
    "cut": (["criterion"], [{**SURE, "alpha": 0.3}], [{}]),
    "cut_test": (["maximum"], [{**SURE, "alpha": 0.9}], [{}]),
    "min_prob": ([0.3], [{**SURE, "alpha": 0.3}], [{}]),
    "split_tries": ([1], [{**SURE, "alpha": 0.9, "min_samples_leaf": 15}], [{}]),
    "merge_levels": ([True], [SURE], [{}]),
    "alpha_merge": ([0.5], [MERGED], [{}, SURE]),
    "alpha_split": ([0.018], [{**MERGED, "alpha": 0.9, "alpha_merge": 0.02}], [{}, SURE]),
}

# Parameters that always act: values, and what stands beside them.
ALWAYS = {
    "criterion": (["gini"], {}),
    "selection": (["significance"], {}),
    "alpha": ([0.5], SURE),
    "evaluation": (["global", "glocal"], {}),
    "nominal_splits": (["subset", "one_vs_rest"], {}),
    "categorical_features": (["all", None], {}),
    "discretize": (["mdlp", "equal_width", "equal_frequency"], {}),
    "max_depth": ([2], {}),
    "max_leaf_nodes": ([3], {}),
    "min_samples_split": ([30], {}),
    "min_samples_leaf": ([9], {}),
    "min_weight_fraction_leaf": ([0.1], {}),
    "max_features": ([1, "sqrt", "log2"], {"random_state": 1}),
    "no_distance_decay": (["strict", True], {}),
    "interaction_cst": (["pairwise", "no_interactions"], {}),
    "empty_branch": (["unclassified"], {"missing": "mode"}),
    "missing": (["branch", "mode", "error"], {}),
    "handle_unknown": (["error"], {}),
    "pruning": (
        ["mdl", "pessimistic", "error_based", "reduced_error", "m_estimate", "cart", "cart_min"],
        {"random_state": 1},
    ),
    "merge_redundant": (["class", "distribution"], {}),
    "cost_matrix": ([[[0, 1, 9], [1, 0, 1], [1, 1, 0]]], {}),
    "priors": ([[0.1, 0.1, 0.8]], {"pruning": "mdl"}),
    "leaf_smoothing": (["laplace", "m_estimate"], {}),
    "class_weight": ([{0: 5, 1: 1, 2: 1}, "balanced"], {"pruning": "mdl"}),
    "honest": ([True, 0.3], {"random_state": 1, "missing": "branch"}),
    "trace": (["candidates", None], {}),
    "n_estimators": ([4], {"random_state": 1}),
    "bootstrap": ([False], {"random_state": 1}),
    "warm_start": ([True], {"random_state": 1}),
}

# Words of a parameter in CASES that act in other settings than those, and one such setting.
FREE = {"ties": (["random", "even"], {"criterion": "accuracy", "random_state": 1})}

# Words that stand for what another value says, so that they change nothing beside it.
SAME = {
    ("discretize", None): "the same as 'auto'",
    ("nominal_splits", "multiway"): "what 'auto' chooses for features of few levels",
    ("missing", "fractional"): "what 'auto' chooses for the criteria that it serves",
    ("pruning", "cost_complexity"): "what None is beside a price",
}


def tables(count=4):
    """Small tables with numbers, levels, gaps and noise; one has more values than a histogram."""
    rng = np.random.default_rng(20)
    for i in range(count):
        n = 400 if i == 3 else 120
        a, b = rng.integers(0, 8, n).astype(float), rng.integers(0, 5, n).astype(float)
        c, d = rng.integers(0, 4, n), rng.integers(0, 3, n)
        y = np.where(rng.random(n) < 0.2, rng.integers(0, 3, n), (a + b * c + d) % 3).astype(int)
        if i == 3:
            a = a + rng.random(n)
        X = pd.DataFrame({"a": a, "b": b, "c": [f"c{i}" for i in c], "d": [f"d{i}" for i in d]})
        X.loc[rng.random(n) < 0.1, "a"] = np.nan
        yield X, y


def made(kind, name, words):
    """An estimator with few trees, if it is a forest."""
    few = {"n_estimators": 3} if kind is FastForestClassifier and name != "n_estimators" else {}
    return kind(**{**few, **words})


def state(model, X):
    """What a fitted model answers: nodes, steps, probabilities of the rows and of others like
    them, labels of unknown levels."""
    mixed = X.assign(c=X["c"].to_numpy()[::-1], d=np.roll(X["d"].to_numpy(), 7))
    trees = getattr(model, "estimators_", [model])
    nodes = [
        (
            t.tree_.feature.tobytes(),
            t.tree_.threshold.tobytes(),
            np.asarray(t.tree_.value).tobytes(),
        )
        for t in trees
    ]
    steps = [tuple(t._model.steps()) for t in trees]
    kept = len(getattr(model, "_candidates", {})), hasattr(model, "trace_")
    votes = getattr(model, "oob_score_", None)
    return nodes, steps, kept, votes, model.predict_proba(mixed).tobytes(), unknown(model, X)


def fitted(estimator, X, y):
    """The state of a fitted copy, or that the rows are refused."""
    try:
        return state(clone(estimator).fit(X, y), X)
    except ValueError as error:
        return f"refused: {error}"


def unknown(model, X):
    """What is said of a level that the model does not know."""
    strange = X.head(1).assign(c="never seen")
    try:
        return str(model.predict(strange)[0])
    except ValueError as error:
        return f"refused: {error}"


@pytest.fixture(autouse=True)
def quiet():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def kinds_with(name):
    return [kind for kind in KINDS if name in inspect.signature(kind).parameters]


def test_every_parameter_has_an_entry():
    named = {name for kind in KINDS for name in inspect.signature(kind).parameters}
    assert set(CASES) == set(CONDITIONS)
    assert set(CASES).isdisjoint(ALWAYS)
    # Monotonic constraints are for two classes: see test_constraints.py; columns: test_columns.py.
    elsewhere = {"random_state", "n_jobs", "progress", "monotonic_cst", "columns"}
    missing = named.symmetric_difference({*CASES, *ALWAYS, *elsewhere})
    assert not missing, f"{missing}: an entry in CASES if it needs others, else in ALWAYS"


@pytest.mark.parametrize("name", CASES)
def test_a_parameter_acts_where_the_table_says_so(name):
    values, acting, _ = CASES[name]
    for beside in acting:
        for value in values:
            words = {**beside, name: value}
            kind = kinds_with(name)[0]
            estimator = made(kind, name, words)
            acts = CONDITIONS[name].acts(estimator.get_params(deep=False))
            assert acts, f"CONDITIONS says that {name}={value!r} cannot act beside {beside}"
            changed = any(
                state(clone(estimator).fit(X, y), X) != state(made(kind, name, beside).fit(X, y), X)
                for X, y in tables()
            )
            assert changed, (
                f"{name}={value!r} changes nothing beside {beside}; a word that acts in fewer "
                "settings than the others goes into FREE, with settings of its own"
            )


@pytest.mark.parametrize("name", CASES)
def test_a_parameter_that_cannot_act_is_refused_with_the_remedy(name):
    values, _, idling = CASES[name]
    (X, y), *_ = tables(1)
    for kind in kinds_with(name):
        for beside in idling:
            for value in values:
                estimator = made(kind, name, {**beside, name: value})
                assert clone(estimator).set_params(**{name: value}).get_params()[name] == value
                elsewhere = CONDITIONS[name].is_refused_elsewhere
                words = name if elsewhere else f"{name}=.* cannot act"
                with pytest.raises(ValueError, match=words) as refused:
                    estimator.fit(X, y)
                assert elsewhere or CONDITIONS[name].remedy in str(refused.value)


HERE = sorted(name for name in CASES if not CONDITIONS[name].is_refused_elsewhere)


@pytest.mark.parametrize("name", HERE)
def test_what_is_refused_would_have_changed_nothing(name, monkeypatch):
    values, _, idling = CASES[name]
    monkeypatch.setattr(tree_estimator, "refuse_idle", lambda estimator: None)
    for beside in idling:
        for value in values:
            for X, y in tables():
                given = FastTreeClassifier(**{**beside, name: value}).fit(X, y)
                assert state(given, X) == state(FastTreeClassifier(**beside).fit(X, y), X)


WORDED = [
    name
    for name in inspect.signature(FastTreeClassifier).parameters
    if name in {*CASES, *ALWAYS} - {"criterion"} and PARAMETERS[name].choices
]


@pytest.mark.parametrize("name", WORDED)
def test_every_word_of_a_parameter_is_tried(name):
    usual = inspect.signature(FastTreeClassifier).parameters[name].default
    tried = [*(CASES[name] if name in CASES else ALWAYS[name])[0], usual]
    tried += FREE.get(name, ([], {}))[0]
    tried += [word for parameter, word in SAME if parameter == name]
    missing = [word for word in PARAMETERS[name].choices if word not in tried]
    assert not missing, (
        f"{name}: list {missing} in this file: in ALWAYS if {name} is there, else in CASES if it "
        "acts in all settings of CASES, else in FREE with settings of its own"
    )


@pytest.mark.parametrize(
    ("name", "value", "beside"),
    [
        (name, value, beside)
        for table in (ALWAYS, FREE)
        for name, (values, beside) in table.items()
        for value in values
    ],
)
def test_all_other_parameters_act(name, value, beside):
    for kind in kinds_with(name):
        usual = inspect.signature(kind).parameters[name].default
        if value == usual or (value, usual) == ("log2", "sqrt"):  # both are two of four columns
            continue
        with_it, without = made(kind, name, {**beside, name: value}), made(kind, name, beside)
        if name == "warm_start":  # the second fit goes on: more trees, the first ones the same
            continue
        changed = any(fitted(with_it, X, y) != fitted(without, X, y) for X, y in tables())
        assert changed, f"{kind.__name__}({name}={value!r}) is as with {usual!r}"


@pytest.mark.parametrize("name", presets.__all__)
def test_presets_hold_nothing_idle(name):
    idle.refuse_idle(FastTreeClassifier(**getattr(presets, name)))


def test_defaults_written_out_are_not_refused():
    (X, y), *_ = tables(1)
    for kind in KINDS:
        usual = {n: p.default for n, p in inspect.signature(kind).parameters.items()}
        made(kind, "", usual).fit(X, y)
    FastTreeClassifier(ccp_alpha=0, pruning="mdl", n_bins=np.int64(10), min_score=None).fit(X, y)


def test_options_of_prunings_that_cannot_act_are_refused():
    (X, y), *_ = tables(1)
    for pruning, option in (
        (ReducedError(folds=5, fraction=0.2), "folds=5"),
        (CostComplexity(0.01, folds=5), "folds=5"),
        (CostComplexity(rule="min"), "rule='min'"),
    ):
        with pytest.raises(ValueError, match=rf"{option}.*cannot act"):
            FastTreeClassifier(pruning=pruning).fit(X, y)


def test_a_parameter_shared_by_criteria_must_act_for_one_of_them():
    (X, y), *_ = tables(1)
    both = cross_validate(X, y, criterion=["gini", "pi"], n_bins=4, cv="2x2", random_state=0)
    alone = cross_validate(X, y, criterion=["pi"], n_bins=4, cv="2x2", random_state=0)
    assert both["pi"]["accuracy"].tolist() == alone["pi"]["accuracy"].tolist()
    with pytest.raises(ValueError, match="n_bins=4 cannot act"):
        cross_validate(X, y, criterion=["gini", "info_gain"], n_bins=4, cv="2x2", random_state=0)
    with pytest.raises(ValueError, match="leaf_order='distance' cannot act"):
        fasttree.fit(X, y, leaf_order="distance")


def scored(table, words):
    """Scores of features, and the words of a refusal where they are refused."""
    try:
        return fasttree.score_features(*table, **words).tobytes()
    except ValueError as error:
        return str(error)


# By evidence: a criterion, and settings beside which a parameter may act on scores of features.
SCORERS = {
    "table": ("info_gain", [{}, BINS, {"threshold_search": "histogram"}]),
    "pairs": ("pi", [{}, BINS]),
    "neighbours": ("relieff", [{}]),
    "rows": ("minimal_tree_size", [{}, BINS]),
}
STRONG = {
    "min_samples_leaf": [30],
    "min_weight_fraction_leaf": [0.25],
    "max_bins": [3],
    "missing": ["branch", "mode"],
}


@cache
def data_of(evidence):
    """Rows and targets that a criterion on this evidence is tried on."""
    return [*tables(), small_levels()] if evidence != "rows" else [small_levels()]


@cache
def plain_scores(evidence):
    """Beside each of the settings: scores of the features of all tables."""
    criterion, settings = SCORERS[evidence]
    return [
        [scored(one, {"criterion": criterion, **beside}) for one in data_of(evidence)]
        for beside in settings
    ]


@pytest.mark.parametrize("evidence", SCORERS)
@pytest.mark.parametrize("name", [*CASES, *ALWAYS])
def test_scores_of_features_refuse_what_cannot_act_on_them(evidence, name, monkeypatch):
    """What is refused would have changed nothing; what is not refused changes some scores."""
    if name == "criterion" or name not in inspect.signature(FastTreeClassifier).parameters:
        return
    # They act beside each other: test_significance.py, test_chaid.py.
    if name in ("test", "adjust", "merge_levels", "alpha_merge", "alpha_split"):
        return
    if name == "honest":  # refused, and says what missing="auto" means
        return
    criterion, settings = SCORERS[evidence]
    data = data_of(evidence)
    values = STRONG.get(name) or (CASES if name in CASES else ALWAYS)[name][0]
    refused, changed = set(), False
    for beside, kept in zip(settings, plain_scores(evidence), strict=True):
        for value in values:
            words = {"criterion": criterion, **beside, name: value}
            first = scored(data[0], words)
            if isinstance(first, str):
                refused.add(first)
                if "cannot act" not in first:  # the core's own refusal
                    continue
                assert first.startswith(name)
                monkeypatch.setattr(features, "refuse_unscored", lambda estimator: None)
                found = [scored(one, words) for one in data]
                assert all(isinstance(a, str) or a == b for a, b in zip(found, kept, strict=True))
                monkeypatch.undo()
            else:
                changed |= any(scored(one, words) != b for one, b in zip(data, kept, strict=True))
    if name == "threshold_search":  # with 255 bins it is as exact on few rows
        return
    assert changed or refused, f"{name} changes no score and is not refused"
    if evidence != "rows":
        assert changed == (evidence in PARAMETERS[name].scores)


def small_levels():
    """A hundred rows of levels with gaps, and few numbers."""
    rng = np.random.default_rng(2)
    columns = {name: rng.integers(0, k, 100).astype(str) for name, k in (("c", 3), ("d", 4))}
    X = pd.DataFrame(columns, dtype=object)
    X.loc[rng.random(100) < 0.2, "c"] = None
    X["n"] = rng.integers(0, 6, 100)
    return X, rng.integers(0, 3, 100)


# Criterion -> options, and those beside which they cannot act.
IDLE_OPTIONS = [
    (Pi, "alpha", 2.0, [{"decay": "identical"}, {"decay": "uniform"}]),
    (Pi, "at_zero", 3.0, [{}, {"decay": "threshold"}, {"decay": "uniform"}]),
    (ContextualMerit, "alpha", 0.5, [{"decay": "identical"}, {"decay": "uniform"}]),
    (ContextualMerit, "at_zero", 3.0, [{"decay": "exponential"}, {"decay": "identical"}]),
]


@pytest.mark.parametrize(("kind", "name", "value", "idling"), IDLE_OPTIONS)
def test_options_of_criteria_that_cannot_act_are_refused(kind, name, value, idling, monkeypatch):
    (X, y), *_ = tables(1)
    for beside in idling:
        with pytest.raises(ValueError, match=f"{name}={value:g}.* cannot act beside decay="):
            fasttree.fit(X, y, criterion=kind(**{**beside, name: value}))
        monkeypatch.setattr(criteria, "idle_options", lambda options, usual: [])
        given = fasttree.fit(X, y, criterion=kind(**{**beside, name: value}))
        assert state(given, X) == state(fasttree.fit(X, y, criterion=kind(**beside)), X)
        monkeypatch.undo()


# Options whose other values tell nothing beside the defaults: above, and equal up to rounding.
UNSEEN = ("at_zero", "precision")
OTHERS = [
    (row["name"], option["name"], json.loads(option["others"]))
    for row in fasttree.list_criteria()
    for option in given_options(criteria.make(row["name"]).info)
    if option["name"] not in UNSEEN
]


@pytest.mark.parametrize(("criterion", "option", "others"), OTHERS)
def test_every_option_of_every_criterion_acts(criterion, option, others):
    assert others, f"say other values of {option} in INFO of src/criteria/{criterion}.rs: `others`"
    data = [small_levels()] if criterion == "minimal_tree_size" else [*tables(), small_levels()]
    for value in others:
        one = criteria.make(criterion).set_params(**{option: value})
        changed = any(state_of(X, y, one) != state_of(X, y, criterion) for X, y in data)
        if option == "assignment" and value == "matching" and not changed:
            continue  # Jaccard's own choice in local growth
        assert changed, f"{criterion}({option}={value!r}) changes nothing"


def state_of(X, y, criterion):
    """Nodes and scores of a tree of three levels."""
    model = fasttree.fit(X, y, criterion=criterion, max_depth=3, missing="mode")
    scores = [step.score for step in model.trace_]
    return model.tree_.feature.tobytes(), model.tree_.threshold.tobytes(), scores
