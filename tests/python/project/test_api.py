"""Public names and defaults: what users, papers and tests may rely on."""

from __future__ import annotations

import importlib
import inspect
import re
import sys

import numpy as np
import pytest

import fasttree
from fasttree import (
    criteria,
    datasets,
    discretize,
    feature_selection,
    metrics,
    model_selection,
    presets,
)
from fasttree.exports.tables.listing import Records

DEFAULTS = {
    "criterion": "info_gain",
    "selection": "score",
    "test": "quadratic",
    "alpha": 0.05,
    "adjust": "bonferroni",
    "cut": "statistic",
    "cut_test": "quadratic",
    "min_prob": 0.01,
    "split_tries": 2,
    "merge_levels": False,
    "alpha_merge": 0.05,
    "alpha_split": None,
    "evaluation": "local",
    "labels": "majority",
    "ties": "first",
    "nominal_splits": "auto",
    "categorical_features": "from_dtype",
    "columns": "auto",
    "discretize": "auto",
    "n_bins": 10,
    "threshold_search": "exact",
    "max_bins": 255,
    "thresholds": "midpoint",
    "max_depth": None,
    "max_leaf_nodes": None,
    "leaf_order": "improvement",
    "min_impurity_decrease": 0.0,
    "min_samples_split": 2,
    "min_samples_leaf": 1,
    "min_weight_fraction_leaf": 0.0,
    "max_features": None,
    "splitter": "best",
    "min_score": None,
    "monotonic_cst": None,
    "interaction_cst": None,
    "no_distance_decay": False,
    "honest": None,
    "empty_branch": "parent",
    "missing": "auto",
    "handle_unknown": "missing",
    "pruning": None,
    "ccp_alpha": 0.0,
    "merge_redundant": None,
    "cost_matrix": None,
    "priors": None,
    "leaf_smoothing": None,
    "class_weight": None,
    "random_state": None,
    "n_jobs": None,
    "progress": None,
    "trace": "steps",
}


def parameters(function):
    return {
        name: p.default
        for name, p in inspect.signature(function).parameters.items()
        if p.kind is not inspect.Parameter.VAR_KEYWORD
    }


def test_defaults_of_the_classifier():
    assert fasttree.FastTreeClassifier().get_params() == DEFAULTS
    kinds = {p.kind for p in inspect.signature(fasttree.FastTreeClassifier).parameters.values()}
    assert kinds == {inspect.Parameter.KEYWORD_ONLY}


def test_every_parameter_is_documented():
    text = fasttree.FastTreeClassifier.__doc__
    described = text[text.index("Parameters of growth:") : text.index("Attributes:")]
    for name in DEFAULTS:
        assert any(name in line.split(":")[0] for line in described.splitlines()), name


def test_functions_take_x_y_and_keywords():
    assert list(parameters(fasttree.fit))[:2] == ["X", "y"]
    assert parameters(fasttree.fit)["y"] is None
    assert parameters(fasttree.fit) | {
        "criterion": "info_gain",
        "sample_weight": None,
    } == parameters(fasttree.fit)
    assert list(parameters(fasttree.score_features))[:3] == ["X", "y", "criterion"]
    assert parameters(fasttree.Table) == {
        "X": inspect.Parameter.empty,
        "y": None,
        "feature_names": None,
        "target": None,
        "categorical_features": "from_dtype",
        "levels": None,
        "unused": None,
        "dates": (),
        "name": None,
        "task": "classification",
    }
    assert list(parameters(datasets.load))[:3] == ["path", "target", "drop"]
    for name in ("criterion", "estimators", "cv", "scoring", "random_state", "n_jobs", "progress"):
        assert name in parameters(model_selection.cross_validate)


def test_methods_and_attributes_of_a_fitted_tree():
    X, y = np.arange(8.0)[:, None], np.arange(8) % 2
    model = fasttree.fit(X, y)
    for method in ("predict", "predict_proba", "predict_log_proba", "apply", "decision_path"):
        assert (
            len(
                getattr(model, method)(X).toarray()
                if method == "decision_path"
                else getattr(model, method)(X)
            )
            == 8
        )
    assert (model.get_depth(), model.get_n_leaves(), model.n_nodes_) == (7, 8, 15)
    for name in (
        "trace_",
        "tree_",
        "feature_importances_",
        "classes_",
        "n_features_in_",
        "class_prior_",
    ):
        assert getattr(model, name) is not None
    for name in (
        "explain",
        "staged_predict",
        "staged_score",
        "cut",
        "to_text",
        "to_dot",
        "plot",
        "save",
        "to_bytes",
        "score",
        "to_sklearn",
        "shap_values",
        "shap_explanation",
    ):
        assert getattr(model, name).__doc__, name
    assert not hasattr(model, "feature_names_in_")
    assert model.class_prior_.tolist() == [0.5, 0.5]
    prior = fasttree.fit(X, [0] * 6 + [1] * 2).class_prior_
    assert prior.tolist() == [6.5 / 9, 2.5 / 9]


# Public names that must stay. Named, not walked: a new criterion need not be here.
NAMES = {
    "info_gain": ("InfoGain", {"entropy", "mutual_information", "log_loss"}),
    "gain_ratio": ("GainRatio", set()),
    "normal_gain": ("NormalGain", set()),
    "mantaras": ("Mantaras", {"normalized_vi"}),
    "variation_of_information": ("VariationOfInformation", set()),
    "symmetric_uncertainty": ("SymmetricUncertainty", set()),
    "geometric_nmi": ("GeometricNmi", set()),
    "min_nmi": ("MinNmi", set()),
    "max_nmi": ("MaxNmi", set()),
    "gini": ("Gini", set()),
    "chi2": ("Chi2", set()),
    "g_statistic": ("GStatistic", set()),
    "laplace": ("Laplace", set()),
    "accuracy": ("Accuracy", set()),
    "jaccard": ("Jaccard", set()),
    "f_measure": ("FMeasure", set()),
    "f_measure_max": ("FMeasureMax", set()),
    "mdl": ("Mdl", set()),
    "dkm": ("Dkm", set()),
    "hellinger": ("Hellinger", set()),
    "euclid": ("Euclid", set()),
    "angle": ("Angle", set()),
    "orthogonality": ("Orthogonality", set()),
    "class_euclid": ("ClassEuclid", set()),
    "class_angle": ("ClassAngle", set()),
    "twoing": ("Twoing", set()),
    "auc": ("Auc", set()),
}


def test_the_registry_lists_every_criterion_on_tables():
    listed = {row["name"]: row for row in fasttree.list_criteria()}
    assert set(NAMES) <= set(listed)
    for name, (_, aliases) in NAMES.items():
        assert aliases <= set(listed[name]["aliases"]), name
    for row in listed.values():
        for fact in (
            "summary",
            "formula",
            "distance",
            "source",
            "evidence",
            "orientation",
            "options",
        ):
            assert row[fact] is not None, (row["name"], fact)
        for fact in (
            "symmetric",
            "branch_invariant",
            "class_invariant",
            "metric",
            "convex",
            "extensive",
            "stops_without_gain",
        ):
            assert isinstance(row[fact], bool), (row["name"], fact)


@pytest.mark.parametrize("row", fasttree.list_criteria(), ids=lambda r: r["name"])
def test_a_criterion_is_an_object_with_a_name_and_a_repr_that_evaluates(row):
    made = criteria.make(row["name"])
    kind = type(made)
    assert getattr(criteria, kind.__name__) is kind
    assert made.name == row["name"]
    assert made.get_params() == row["options"]
    assert eval(repr(made), {kind.__name__: kind}) == made
    assert made == kind()
    assert hash(made) == hash(kind())
    assert kind.__doc__
    for alias in row["aliases"]:
        assert criteria.make(alias) == made


def test_class_names_of_the_criteria_on_tables():
    for name, (expected, _) in NAMES.items():
        assert type(criteria.make(name)).__name__.lower() == expected.lower(), name


def test_options_that_papers_need():
    X, y = np.arange(12.0)[:, None], np.arange(12) % 3 > 0
    for criterion in (
        criteria.GainRatio(guard=None),
        criteria.GainRatio(guard="average"),
        criteria.GainRatio(guard="j48"),
        criteria.GainRatio(guard="chen2013"),
        criteria.Accuracy(assignment="identity"),
        criteria.Jaccard(size="log1p"),
        criteria.FMeasure(beta=0.5, variant="change"),
        criteria.FMeasureMax(beta=2.0, positive=True),
    ):
        assert fasttree.fit(X, y, criterion=criterion).score(X, y) == 1.0


def test_presets_and_their_names():
    for name in ("ID3", "CART", "CHEN2013", "FMEASURE", "VILALTA2001"):
        preset = getattr(presets, name)
        assert isinstance(preset, dict)
        assert set(preset) <= set(DEFAULTS)
        fasttree.FastTreeClassifier(**preset)


@pytest.mark.parametrize(
    ("module", "names"),
    [
        (datasets, ["load", "list_datasets", "load_iris", "load_weather", "make_xor", "make_parity",
            "make_monks", "make_blobs", "make_random_tree", "make_bayesian_network"]),
        (feature_selection, ["CriterionSelector", "TuRF"]),
        (discretize, ["EqualWidth", "EqualFrequency", "MDLP", "ReplaceMissing"]),
        (metrics, ["METRICS", "good_information_reward", "information_reward_2002",
            "bayesian_information_reward", "kononenko_bratko_information_score",
            "kullback_leibler_divergence"]),
        (model_selection,
            ["cross_validate", "compare", "WekaStratifiedKFold", "ContiguousKFold", "paired_t_test",
            "corrected_resampled_t_test", "five_by_two_cv_t_test"]),
        (fasttree, ["fit", "FastTreeClassifier", "load_model", "from_bytes", "list_criteria",
            "score_features", "Table", "InternalError", "presets", "criteria", "__version__"]),
    ],
    ids=lambda v: getattr(v, "__name__", ""),
)  # fmt: skip
def test_names(module, names):
    missing = [name for name in names if not hasattr(module, name)]
    assert not missing


def test_a_table_is_taken_wherever_x_and_y_are():
    table = datasets.load_weather()
    X, y = table.to_frame().drop(columns=table.target), table.y
    assert fasttree.fit(table).tree_.feature.tolist() == fasttree.fit(X, y).tree_.feature.tolist()
    assert (
        fasttree.score_features(table, criterion="gini").tolist()
        == fasttree.score_features(X, y, criterion="gini").tolist()
    )
    assert fasttree.fit(table).score(table) == 1.0
    assert fasttree.fit(table).staged_score(table)[-1] == 1.0
    assert model_selection.cross_validate(table, criterion="gini", cv="1x2")["gini"][
        "accuracy"
    ].shape == (2,)
    assert (len(table), table.shape, table.X.shape, len(table.take([0, 1]))) == (
        14,
        (14, 4),
        (14, 4),
        2,
    )


def test_a_star_import_of_criteria_brings_every_class_of_the_registry():
    names: dict[str, object] = {}
    exec("from fasttree.criteria import *", names)
    kinds = {
        row["name"]: names[type(criteria.make(row["name"])).__name__]
        for row in criteria.list_criteria()
    }
    assert all(isinstance(criteria.make(name), kind) for name, kind in kinds.items())
    assert {"ReliefF", "Pi", "InfoGain", "PairFunction"} <= names.keys()
    assert len(set(criteria.__all__)) == len(criteria.__all__) and dir(criteria) == sorted(
        criteria.__all__
    )


def returned(function):
    """Classes that the annotation of what a function returns names."""
    function = inspect.unwrap(function)
    found = str(function.__annotations__.get("return", ""))
    module = sys.modules[function.__module__]
    named = {getattr(module, word, None) for word in re.findall(r"[A-Za-z_]\w*", found)}
    return [one for one in named if inspect.isclass(one)]


def test_every_class_that_a_public_function_returns_is_public():
    packages = ["fasttree", *(f"fasttree.{name}" for name in fasttree._SUBMODULES)]
    things = {
        f"{package}.{name}": getattr(importlib.import_module(package), name)
        for package in packages
        for name in importlib.import_module(package).__all__
    }
    public = {id(thing) for thing in things.values()}
    functions = {name: one for name, one in things.items() if inspect.isroutine(one)} | {
        f"{name}.{method}": function
        for name, one in things.items()
        if inspect.isclass(one) and one.__module__.startswith("fasttree")
        for method, function in inspect.getmembers(one, inspect.isfunction)
        if not method.startswith("_")
    }
    hidden = {
        f"{name} -> {kind.__name__}"
        for name, function in functions.items()
        for kind in returned(function)
        if kind.__module__.startswith("fasttree")
        and id(kind) not in public
        and kind is not Records  # a list that shows itself as a table
    }
    assert len(functions) > 300 and not hidden
