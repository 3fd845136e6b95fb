"""Every public function and constructor, each parameter in turn set to a hostile value: it works,
or refuses in a ValueError or TypeError that names the parameter.

The walk finds functions and their parameters by itself; `VALID` says how a call is made that works.
What lets a foreign error through (OverflowError, KeyError, AttributeError, IndexError, ...) fails.
"""

from __future__ import annotations

import inspect
import re
import warnings
from dataclasses import is_dataclass
from decimal import Decimal
from functools import cache
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from sklearn.base import clone

import fasttree
from fasttree import (
    bayesian_networks,
    criteria,
    datasets,
    discretize,
    experiments,
    exports,
    metrics,
    model_selection,
    naive_bayes,
    plots,
    pruning,
    reports,
)
from tests.python.tools import thinned


class SimpleObject:
    """An object whose text is its address."""


BLATANT = {
    "10**400": 10**400,
    "-10**400": -(10**400),
    "object": object(),
    "a list of 10**400": [10**400, 1],
    "a dict of 10**400": {"a": 10**400},
}
"""Values that hardly anything takes: refused at once, so that all of them are tried every time."""

SUBTLE = {
    "1e308": 1e308,
    "NaN": float("nan"),
    "infinity": float("inf"),
    "-infinity": -float("inf"),
    "-1": -1,
    "0": 0,
    "True": True,
    "no text": "",
    "long text": "x" * 1000,
    "None": None,
    "[]": [],
    "{}": {},
    "NumPy's NaN": np.float64("nan"),
    "NumPy's -1": np.int64(-1),
    "NumPy's True": np.bool_(True),
    "NumPy's 200": np.uint8(200),
    "bytes": b"x",
    "ragged lists": [[1], [2, 3]],
    "a complex number": 1j,
    "an array of no dimension": np.array(5),
    "an array of two": np.array([1, 2]),
    "a set": {1},
    "a function": lambda *given: 0.0,
    "Decimal's sNaN": Decimal("sNaN"),
    "half of a surrogate pair": "\ud800",
    "a matrix of 1e308": [[0, 1e308], [1e308, 0]],
    "a matrix with None": [[0, None], [1, 0]],
    "a matrix with NaN": np.array([[0, np.nan], [1, 0]]),
    "a matrix with sNaN": [[0, Decimal("sNaN")], [1, 0]],
    "a list of halves of pairs": ["\ud800", "b"],
}

SPRAWLING = {
    "an array": np.arange(200.0).reshape(20, 10),
    "a frame": pd.DataFrame({"a": range(30), "b": ["x"] * 30}),
    "an object": SimpleObject(),
    "a function": lambda *given: 0.0,
    "1 kB of bytes": b"x" * 1000,
    "a long list": list(range(2000)),
    "a dict of arrays": {"a": np.arange(100.0), "b": [np.arange(3.0)]},
    "a list of functions": [lambda *given: 0.0, SimpleObject(), SimpleObject().__eq__],
}
"""Values whose text is long, of many lines, or an address."""

SPILLED = re.compile(r"array\(|0x[0-9a-f]{6,}|<function|<bound| object at |(\n.*){4}")
"""What no message says of a value."""

DATA = {"X", "y", "table", "tables", "train", "test", "y_true", "y_pred", "scores", "proba"}
"""Parameters that hold rows: messages about them name columns and rows."""

FILES = {"path", "data", "journal", "phenotype", "covariates", *DATA}
"""Parameters that may be the name of a file, which then is not there."""

ALSO = {
    "sample_weight": "sample weights",
    "cv": "folds",
    "dates": "a column of X",
    "criteria": "criterion",
    "name": "metric",
    "names": "column",
    "levels": "table of",
    "value": "discretize=",
    "method": "pruning=",
    "data": "not a valid",
    "exposure": "of the target",
    "F": "the criterion returned",
}
"""Other words for a parameter that serve as its name."""

RESULTS = {
    "Advice", "Comparison", "CrossValidation", "Evaluation", "InternalError", "LearningCurve",
    "MethodScores", "PairCounts", "PruneReport", "Sweep", "Genotypes",
}  # fmt: skip
"""Classes that calls return; nobody calls their constructors."""

UNSHAPED = {"title", "ylabel", "legend", "log", "weights", "hull", "empty", "progress"}
"""Parameters that take anything that matplotlib or `bool` takes, or a function."""


@cache
def made():
    """Models and results that calls are tried on."""
    golf = datasets.load_weather()
    y = np.array([0, 1, 0, 1, 1, 0])
    share = np.array([0.2, 0.7, 0.6, 0.9, 0.4, 0.1])
    rng = np.random.default_rng(0)
    return SimpleNamespace(
        golf=golf,
        iris=datasets.load_iris().take(np.r_[0:15, 50:65, 100:115]),
        numbers=datasets.load_weather_numeric(),
        y=y,
        guess=1 - y,
        share=share,
        proba=np.column_stack([1 - share, share]),
        a=rng.random(10),
        b=rng.random(10),
        table=rng.random((8, 3)),
        cube=rng.random((5, 2, 3)),
        model=fasttree.fit(golf),
        bayes=naive_bayes.NaiveBayes().fit(golf),
        network=bayesian_networks.CaMML(n_steps=100, n_chains=1, random_state=0).fit(golf),
        compared=model_selection.compare([golf, golf], ["gini", "mdl"], cv="2x2"),
        curve=model_selection.learning_curve(golf, criterion=["gini"], n_repeats=2),
        sweep=fasttree.sweep(golf, alpha=(0.0, 0.1), cv="1x2"),
    )


def fitted(kind, **defaults):
    return lambda **given: kind(**{**defaults, **given}).fit(made().golf)


def valid(folder):
    """Name of a function -> arguments of a call that works."""
    m = made()
    m.model.save(folder / "tree.json")
    m.bayes.save(folder / "bayes.json")
    m.network.save(folder / "network.json")
    datasets.dump_arff(m.golf, folder / "golf.arff")
    study = datasets.make_genotypes(20, 5, random_state=0)
    datasets.dump_plink(study, folder / "study.bed")
    halves = {"a": m.a.reshape(5, 2), "b": m.b.reshape(5, 2)}
    roc, costs = metrics.roc_curve(m.y, m.share), metrics.cost_curve(m.y, m.share)
    prior = {"prior": "uniform"}
    return {
        "Table": {"X": [[0.0, 1.0], [1.0, 0.0]]},
        "advise": {"time_limit": 0.01, "progress": False, "n_jobs": 1, "cv": "1x2"},
        "score_features": {"criterion": "gini"},
        "sweep": {"alpha": (0.0,), "cv": "1x2"},
        "optimal_tree": {"max_depth": 1},
        "load": {"path": folder / "bayes.json"},
        "load_model": {"path": folder / "tree.json"},
        "from_bytes": {"data": m.network.to_bytes()},
        "bayesian_networks.message_length": {"parents": [[]] * 5},
        "bayesian_networks.equivalent": {"first": [[], [0]], "second": [[1], []]},
        "bayesian_networks.BayesianNetwork": {
            "names": ["a", "b"], "levels": [["x", "y"], ["u", "v"]], "parents": [[], [0]],
            "tables": [[0.5, 0.5], [[0.5, 0.5], [0.2, 0.8]]],
        },
        "criteria.NamedCallable": {"name": "f"},
        "criteria.make": {"criterion": "gini"},
        "criteria.evidence_of": {"criterion": "gini"},
        "datasets.load": {"path": folder / "golf.arff"},
        "datasets.read_plink": {"path": folder / "study.bed"},
        "datasets.dump_plink": {"genotypes": study, "path": folder / "study.bed"},
        "datasets.dump_arff": {"path": folder / "out.arff"},
        "discretize.make": {"value": "mdlp"},
        "discretize.interval_labels": {"cuts": [1.0, 2.0]},
        "pruning.make": {"method": "mdl"},
        "pruning.impurity_for": {"impurity": "auto", "criterion": "gini"},
        "metrics.bayesian_information_reward": prior,
        "metrics.information_reward_2002": prior,
        "metrics.kononenko_bratko_information_score": prior,
        "metrics.cheapest_classifiers": {"curves": {"a": roc, "b": roc}},
        "metrics.class_prior": {"counts": [1, 2]},
        "metrics.laplace_scores": {"counts": [1, 2]},
        "metrics.cost_optimal_decision": {"cost_matrix": [[0, 1], [1, 0]]},
        "metrics.expected_cost": {"cost_matrix": [[0, 1], [1, 0]]},
        "metrics.f_beta_from_counts": {"tp": 1, "fp": 2, "fn": 3},
        "metrics.get_metric": {"name": "accuracy"},
        "metrics.probability_cost": {"positive_share": 0.3},
        "metrics.reward_curves": {"points": 9},
        "metrics.Scorer": {"metric": "accuracy"},
        "metrics.scorer": {"metric": "accuracy"},
        "model_selection.compare": {"tables": [m.golf], "criteria": ["gini"], "cv": "1x2"},
        "model_selection.cross_validate": {"criterion": ["gini"], "cv": "1x2"},
        "model_selection.learning_curve": {
            "criterion": ["gini"], "n_repeats": 1, "train_sizes": (0.5,),
        },
        "model_selection.JavaRandom": {"seed": 1},
        "model_selection.bonferroni": {"p_values": [0.1, 0.2]},
        "model_selection.holm": {"p_values": [0.1, 0.2]},
        "model_selection.friedman_nemenyi": {"scores": m.table},
        "model_selection.against_control": {
            "ranks": model_selection.friedman_nemenyi(m.table), "control": "method 1",
        },
        "model_selection.repeated_measures_anova": {"scores": m.table},
        "model_selection.two_way_repeated_measures_anova": {"scores": m.cube},
        "model_selection.five_by_two_cv_t_test": halves,
        "model_selection.five_by_two_cv_f_test": halves,
        "model_selection.corrected_resampled_t_test": {"test_over_train": 0.1},
        "model_selection.bayesian_correlated_t_test": {"test_over_train": 0.1},
        "plots.accuracy_map": {"sweep": m.sweep},
        "plots.calibration_curves": {"curves": {"a": metrics.calibration_curve(m.y, m.proba)}},
        "plots.cost_curves": {"curves": {"a": costs}},
        "plots.criteria_bars": {"scores": {"g": [1, 2]}, "features": ["a", "b"]},
        "plots.criteria_dots": {"comparison": m.compared},
        "plots.grouped_bars": {"values": {"a": [1, 2]}, "groups": ["g", "h"]},
        "plots.learning_curves": {"result": m.curve},
        "plots.rank_diagram": {"result": m.compared},
        "plots.reward_curves": {"curves": metrics.reward_curves(points=9)},
        "plots.roc_curves": {"curves": {"a": roc}},
        "plots.roc_graph": {"points": {"a": (0.1, 0.7)}},
        "plots.tree_size_bars": {"sizes": m.compared},
        "reports.render": {"result": m.compared},
        "reports.render_html": {"result": m.compared, "trees": False},
        "reports.render_json": {"document": {"a": 1}},
        "reports.render_csv": {"records": [{"a": 1}]},
        "reports.tables_of": {"result": m.compared},
        "experiments.run": {"name": "f-measure", "data": folder, "quick": True},
    }  # fmt: skip


def by_name():
    """Arguments without a default that have the same name everywhere."""
    m = made()
    return {
        "X": m.golf, "table": m.golf, "y_true": m.y, "y_pred": m.guess, "proba": m.proba,
        "scores": m.share, "a": m.a, "b": m.b, "P_true": m.proba, "P_pred": m.proba,
        "estimator": m.model, "model": m.model,
    }  # fmt: skip


def constructors():
    """Name -> (call that constructs and uses the object, its signature)."""
    golf, numbers, iris = made().golf, made().numbers, made().iris
    of_number = (np.arange(28.0).reshape(14, 2), np.arange(14.0) % 5)
    kinds = {
        "FastTreeClassifier": fitted(fasttree.FastTreeClassifier),
        "FastForestClassifier": fitted(fasttree.FastForestClassifier, n_estimators=2),
        "MinimalTreeClassifier": fitted(fasttree.MinimalTreeClassifier),
        "OptimalTreeClassifier": fitted(fasttree.OptimalTreeClassifier, max_depth=1),
        "CaMML": fitted(bayesian_networks.CaMML, n_steps=100, n_chains=1),
        **{n: fitted(getattr(naive_bayes, n)) for n in ("NaiveBayes", "TAN", "AODE")},
    }
    found = {
        name: (call, inspect.signature(getattr(fasttree, name, None)
                                       or getattr(naive_bayes, name, None)
                                       or getattr(bayesian_networks, name)))
        for name, call in kinds.items()
    }  # fmt: skip
    for name in ("MDLP", "EqualWidth", "EqualFrequency", "ReplaceMissing"):
        kind = getattr(discretize, name)
        found[name] = (
            lambda kind=kind, **given: kind(**given).fit(numbers).transform(numbers),
            inspect.signature(kind),
        )
    for name in pruning.PRUNED_CLASSES:
        kind = type(pruning.make(name))
        found[kind.__name__] = (
            lambda kind=kind, **given: fasttree.fit(iris, pruning=kind(**given)),
            inspect.signature(kind),
        )
    for info in fasttree.list_criteria():
        kind = getattr(criteria, info["class_name"])
        found[kind.__name__] = (
            lambda kind=kind, **given: fasttree.fit(
                *(of_number if criteria.is_on_number(kind) else (golf,)), criterion=kind(**given)
            ),
            inspect.signature(kind),
        )
    pairs = {"F": lambda root, r, tables: r.sum(axis=(1, 2, 3))}
    found["PairFunction"] = (
        lambda **given: fasttree.score_features(
            golf, criterion=criteria.PairFunction(**{**pairs, **given})
        ),
        inspect.signature(criteria.PairFunction),
    )
    return found


MODULES = (
    fasttree, bayesian_networks, criteria, datasets, discretize, experiments, exports, metrics,
    model_selection, naive_bayes, plots, pruning, reports,
)  # fmt: skip


def public_names():
    """(name, object) of everything that can be called; each object once."""
    seen: set[int] = set()
    for module in MODULES:
        for name in getattr(module, "__all__", dir(module)):
            one = getattr(module, name)
            if name.startswith("_") or inspect.ismodule(one) or not callable(one):
                continue
            if id(one) not in seen and name not in RESULTS:
                seen.add(id(one))
                short = module.__name__.removeprefix("fasttree").lstrip(".")
                yield f"{short}.{name}" if short else name, one


def all_calls(folder):
    """Name -> (call, signature, arguments that work)."""
    found = {name: (*one, {}) for name, one in constructors().items()}
    given, own = by_name(), valid(folder)
    for name, one in public_names():
        bare = name.rpartition(".")[2]
        with_parameters = bare == "Limits" or hasattr(one, "get_params")
        result = inspect.isclass(one) and (
            issubclass(one, tuple | Exception) or (is_dataclass(one) and not with_parameters)
        )
        if bare in found or result:
            continue
        signature = inspect.signature(one)
        needed = [p.name for p in signature.parameters.values() if p.default is p.empty]
        if signature.parameters and not name.endswith(("cost_envelope", "roc_convex_hull")):
            base = {n: given[n] for n in needed if n in given} | own.get(name, {})
            found[name] = (one, signature, base)
    return found


VARIADIC = (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD)

NO_CONSTRUCTOR = {"criteria.Criterion", "pruning.Pruning", "exports.Readable", "plots.detached"}


def complaint(call, name, value, base):
    """What is wrong with how a call takes a value; empty where nothing is."""
    try:
        call(**{**base, name: value})
    except (ValueError, TypeError, MemoryError) as error:
        said = str(error)
        if name in DATA or name in said or ALSO.get(name, "\0") in said:
            return "" if len(said) < 4000 else f"{len(said)} characters: {said[:80]}..."
        return f"{type(error).__name__} does not name it: {said[:120]}"
    except OSError as error:
        return "" if name in FILES else f"{type(error).__name__}: {str(error)[:120]}"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:120]}"
    return ""


def spill(call, name, value, base):
    """What a refusal of a value prints of it that it should not; empty where it is short."""
    try:
        call(**{**base, name: value})
    except (ValueError, TypeError) as error:
        said = str(error)
        # Lists of names, and those of scikit-learn, are long for another reason.
        listed = (
            "The feature names should" in said
            or said.startswith("The '")
            or "is not known; known:" in said
        )
        if not listed and (SPILLED.search(said) or len(said) > 600):
            return f"{len(said)} characters: {said[:300]}"
    except Exception:
        pass  # the walks above refuse these
    return ""


def methods():
    """Name -> (call, signature, arguments that work) of the methods of fitted estimators."""
    m = made()
    X, number = np.arange(28.0).reshape(14, 2), np.arange(14.0) % 5
    regressor = fasttree.FastTreeRegressor(max_depth=2).fit(X, number)
    for model in (
        m.model, regressor, fasttree.FastForestRegressor(2, random_state=0).fit(X, number), m.bayes,
        fasttree.optimal_tree(m.golf, max_depth=1), fasttree.FastForestClassifier(2).fit(m.golf),
    ):  # fmt: skip
        golf = getattr(model, "classes_", None) is not None
        rows = {"X": m.golf if golf else X, "y": None if golf else number, "row": X[:1]}
        if golf:
            rows["row"] = m.golf.take([0])
        for name, method in inspect.getmembers(model, inspect.ismethod):
            if not name.startswith("_") and name != "set_params":
                signature = inspect.signature(method)
                if name == "fit":
                    method = clone(model).fit
                base = {n: rows[n] for n in signature.parameters if n in rows}
                yield f"{type(model).__name__}.{name}", (method, signature, base)


def walk(values, folder, complaint=complaint, **more):
    """Fail for each call that does not refuse a value by name; a function that nobody has said how
    to call is named in a skip, after all others have been tried."""
    wrong, unknown = [], []
    calls = {**all_calls(folder), **more}
    constructed = {name: calls[name][0] for name in constructors()}
    for where, (call, signature, base) in calls.items():
        if where in NO_CONSTRUCTOR:
            continue
        if where in more:
            base = {n: v for n, v in base.items() if v is not None}
        needed = {n for n, p in signature.parameters.items() if p.default is p.empty}
        variadic = {n for n, p in signature.parameters.items() if p.kind in VARIADIC}
        if call is not constructed.get(where) and needed - variadic - base.keys():
            if not inspect.isclass(call):  # classes that need arguments are what calls return
                unknown.append(where)
            continue
        if where not in more:
            call(**base)
        for parameter in signature.parameters.values():
            if parameter.name in variadic or parameter.name in UNSHAPED:
                continue
            for what, value in values.items():
                said = complaint(call, parameter.name, value, base)
                if said:
                    wrong.append(f"{where}({parameter.name}={what}): {said}")
    assert not wrong, "\n".join(wrong)
    if unknown:
        pytest.skip(f"not tried, since `valid` does not say how: {', '.join(unknown)}")


@pytest.fixture(autouse=True)
def _quiet(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    with warnings.catch_warnings(), plots.detached():
        warnings.simplefilter("ignore")
        yield


def test_blatant_values_are_refused_by_name(tmp_path):
    walk(BLATANT, tmp_path)


@pytest.mark.exhaustive
def test_subtle_values_work_or_are_refused_by_name(tmp_path):
    walk(SUBTLE, tmp_path)


@pytest.mark.parametrize("what", thinned(SPRAWLING, 4))
def test_messages_print_no_array_and_no_address(tmp_path, what):
    walk({what: SPRAWLING[what]}, tmp_path, spill, **dict(methods()))


@pytest.mark.parametrize("huge", [10**400, -(10**400), 1e309, float("nan"), "much", None])
def test_huge_weights_of_classes_are_named(huge):
    golf = datasets.load_weather()
    with pytest.raises(ValueError, match=r"class_weight\['yes'\]="):
        fasttree.fit(golf, class_weight={"yes": huge, "no": 1})
    with pytest.raises(ValueError, match=r"priors\['yes'\]="):
        fasttree.fit(golf, priors={"yes": huge, "no": 0.5})
    with pytest.raises(ValueError, match="priors"):
        naive_bayes.NaiveBayes(priors=[huge, 1]).fit(golf)


@pytest.mark.parametrize("name", fasttree.FastTreeClassifier().get_params(deep=False))
@pytest.mark.parametrize("value", [np.array([1, 2]), [1, [2]]], ids=["array", "nested"])
def test_arrays_where_words_and_numbers_stand_are_named(name, value):
    X = np.arange(40.0).reshape(20, 2)
    try:
        fasttree.fit(X, [0, 1] * 10, **{name: value})
    except (ValueError, TypeError) as error:
        assert name in str(error) or ALSO.get(name, name) in str(error)
