"""Prunings against a slow oracle, the laws they share, and the programs they come from."""

from __future__ import annotations

import inspect
import json
import math
import pickle
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import sklearn.datasets
from sklearn.base import clone
from sklearn.tree import DecisionTreeClassifier

import fasttree
from fasttree import FastTreeClassifier, pruning
from fasttree.pruning import MDL, CostComplexity, ErrorBased, MEstimate, Pessimistic, ReducedError

from ..tools import asked_for
from ..tools import pruning_oracle as oracle

METHODS: list[Any] = [
    Pessimistic(),
    ErrorBased(),
    ErrorBased(confidence=0.05),
    ErrorBased(subtree_raising=False),
    CostComplexity(0.01),
    CostComplexity(0.02, impurity="entropy"),
    CostComplexity(0.01, impurity="error"),
    MEstimate(),
    MEstimate(m=12.5),
    MDL(),
]
METHODS += [
    pruning.make(name)
    for name in pruning.PRUNED_CLASSES
    if name not in {"reduced_error", *(m.name for m in METHODS)}
]


class Case:
    """Random rows: two numeric columns, two nominal ones with a level that never occurs, some cells
    missing."""

    def __init__(
        self, seed: int, n: int = 60, missing: bool = True, weights: bool = False, k: int = 3
    ) -> None:
        rng = np.random.default_rng(seed)
        a, b = rng.integers(0, 12, n).astype(float), np.round(rng.normal(size=n), 1)
        c, d = rng.integers(0, 3, n).astype(float), rng.integers(0, 4, n).astype(float)
        self.codes = np.column_stack([a, b, c, d])
        signal = (a > 5).astype(int) + (c == 1)
        self.y = np.where(rng.random(n) < 0.6, signal % k, rng.integers(0, k, n))
        if missing:
            self.codes[rng.random(self.codes.shape) < 0.1] = np.nan
        self.weights = rng.integers(1, 4, n).astype(float) if weights else None
        self.frame = pd.DataFrame(self.codes, columns=list("abcd"))
        for name, levels in (("c", 4), ("d", 5)):
            kinds = [f"v{i}" for i in range(levels)]
            numbers = self.frame[name].fillna(-1).astype(int)
            self.frame[name] = pd.Categorical.from_codes(numbers, categories=kinds)

    @property
    def w(self) -> np.ndarray:
        return np.ones(len(self.y)) if self.weights is None else self.weights

    def grown(self, **params: Any) -> FastTreeClassifier:
        return fasttree.fit(
            self.frame, self.y, sample_weight=self.weights, **{"missing": "branch", **params}
        )

    def nested(self, model: FastTreeClassifier) -> oracle.Node:
        return oracle.tree_of(model.tree_, self.codes, self.y)

    def pruned(self, model: FastTreeClassifier, method: Any, **more: Any) -> FastTreeClassifier:
        return model.prune(method, self.frame, self.y, self.weights, **more)


def cases() -> list[Case]:
    return [
        Case(s, missing=s % 2 == 0, weights=s % 3 == 0, n=30 + 7 * s, k=2 + s % 3)
        for s in range(16)
    ]


def expected(case: Case, tree: oracle.Node, method: Any) -> oracle.Node:
    """What the slow truth of the method's name makes of a tree. Its arguments have the names of the
    method's options, or of what is known of the rows."""
    rows = {"X": case.codes, "y": case.y, "weights": case.w, "n_features": case.codes.shape[1]}
    known, truth = {**rows, **method.get_params()}, getattr(oracle, method.name)
    names = list(inspect.signature(truth).parameters)[1:]
    found = truth(tree, *(known[name] for name in names))
    return found[0] if isinstance(found, tuple) else found


ORACLED = [
    m
    for m in METHODS
    if hasattr(oracle, m.name) and not (isinstance(m, CostComplexity) and m.impurity != "auto")
]


@pytest.mark.parametrize("method", ORACLED, ids=repr)
@pytest.mark.parametrize("empty", ["parent", "unclassified"])
def test_every_method_prunes_as_the_oracle_does(method, empty):
    cut = raised = 0
    for case in cases():
        grown = case.grown(criterion="gini", empty_branch=empty)
        pruned = case.pruned(grown, method)
        assert oracle.shape_of(case.nested(pruned)) == oracle.shape_of(
            expected(case, case.nested(grown), method)
        )
        cut += pruned.n_nodes_ < grown.n_nodes_
        raised += sum(c.action == "raise" for c in pruned.prune_report_)
    assert cut > 0, "no tree was cut: the options must cut something"
    assert (raised > 0) == (isinstance(method, ErrorBased) and method.subtree_raising)


def test_rows_held_out_judge_as_the_oracle_says():
    cut = 0
    for seed in range(12):
        case, judge = Case(seed, weights=seed % 2 == 0), Case(seed + 100, weights=seed % 3 == 0)
        judge.y = judge.y % (case.y.max() + 1)
        grown = case.grown(criterion="gini")
        pruned = judge.pruned(grown, ReducedError())
        truth = oracle.reduced_error(case.nested(grown), judge.codes, judge.y, judge.w)
        assert oracle.shape_of(case.nested(pruned)) == oracle.shape_of(truth)
        cut += pruned.n_nodes_ < grown.n_nodes_
    assert cut > 0


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_fit_prunes_as_prune_does_and_tells_the_same(method):
    case = Case(5, weights=True)
    fitted = case.grown(criterion="gini", pruning=method)
    pruned = case.pruned(case.grown(criterion="gini"), method)
    assert fitted.to_bytes() == pruned.to_bytes()
    assert list(map(str, fitted.prune_report_)) == list(map(str, pruned.prune_report_))
    assert len(fitted.prune_report_) > 0, "nothing was cut: the options must cut something here"
    assert len(fitted.prune_report_) == len(fitted.prune_report_.to_frame())


@pytest.mark.parametrize("method", METHODS, ids=repr)
@pytest.mark.parametrize("merged", [None, "class", "distribution"])
def test_pruning_twice_is_pruning_once_and_no_row_is_lost(method, merged):
    for case in cases()[:5]:
        for missing in ("branch", "mode"):
            model = case.grown(
                criterion="info_gain", pruning=method, merge_redundant=merged, missing=missing
            )
            again = case.pruned(model, method, merge_redundant=merged)
            assert again.to_bytes() == model.to_bytes()
            passed = model.decision_path(case.frame).toarray()
            sums = np.array(
                [(passed * ((case.y == c) * case.w)[:, None]).sum(axis=0) for c in model.classes_]
            ).T
            assert np.allclose(sums, model.tree_.value, rtol=0, atol=1e-9)
            assert np.array_equal(case.w @ passed, model.tree_.n_node_samples)
            assert sorted(s.step for s in model.trace_) == list(range(len(model.trace_)))
            assert fasttree.from_bytes(model.to_bytes()).to_bytes() == model.to_bytes()


@pytest.mark.parametrize("method", METHODS, ids=repr)
def test_no_part_of_a_row_is_lost(method):
    for case in cases()[:4]:
        params = {"criterion": "info_gain", "missing": "fractional"}
        model = case.grown(pruning=method, **params)
        assert case.pruned(model, method).to_bytes() == model.to_bytes()
        tree = model.tree_
        assert tree.weighted_n_node_samples[0] == pytest.approx(case.w.sum())
        for node in np.flatnonzero(tree.n_children > 0):
            parts = tree.value[list(tree.children_of(int(node)))].sum(axis=0)
            np.testing.assert_allclose(parts, tree.value[node], rtol=0, atol=1e-9)


def test_the_tree_that_was_pruned_stays_as_it_was():
    case = Case(1)
    grown = case.grown()
    before = grown.to_bytes()
    assert case.pruned(grown, "error_based").n_nodes_ < grown.n_nodes_
    assert grown.to_bytes() == before and grown.pruning is None and len(grown.prune_report_) == 0


@pytest.mark.parametrize("seed", range(6))
def test_cost_complexity_path_is_the_oracles(seed):
    case = Case(seed, n=120, weights=seed % 2 == 0)
    estimator = FastTreeClassifier(
        criterion="gini",
        min_samples_leaf=2,
        pruning="mdl",
        merge_redundant="class",
        missing="branch",
    )
    path = estimator.cost_complexity_pruning_path(case.frame, case.y, sample_weight=case.weights)
    grown = case.grown(criterion="gini", min_samples_leaf=2)
    _, alphas, impurities = oracle.cost_complexity(case.nested(grown))
    assert np.allclose(path.ccp_alphas, alphas, rtol=0, atol=1e-12)
    assert np.allclose(path.impurities, impurities, rtol=0, atol=1e-12)


# Larger leaves where the two programs break ties between features differently.
@pytest.mark.parametrize(
    ("name", "least"), [("iris", 1), ("wine", 1), ("breast_cancer", 1), ("digits", 10)]
)
@pytest.mark.parametrize("weighted", [False, True])
def test_the_path_and_the_trees_on_it_are_scikit_learns(name, least, weighted):
    X, y = getattr(sklearn.datasets, f"load_{name}")(return_X_y=True)
    weight = (
        np.random.default_rng(0).integers(1, 4, len(y)).astype(float)
        if weighted and name == "wine"
        else None
    )
    ours = FastTreeClassifier(criterion="gini", min_samples_leaf=least)
    peer = DecisionTreeClassifier(min_samples_leaf=least, random_state=0)
    path = ours.cost_complexity_pruning_path(X, y, sample_weight=weight)
    theirs = peer.cost_complexity_pruning_path(X, y, sample_weight=weight)
    assert len(theirs.ccp_alphas) > 5
    assert np.allclose(path.ccp_alphas, theirs.ccp_alphas, rtol=0, atol=1e-12)
    assert np.allclose(path.impurities, theirs.impurities, rtol=0, atol=1e-12)
    middles = ((theirs.ccp_alphas[1:] + theirs.ccp_alphas[:-1]) / 2)[
        np.diff(theirs.ccp_alphas) > 1e-9
    ]
    for alpha in middles[:: max(1, len(middles) // 8)]:
        mine = clone(ours).set_params(ccp_alpha=alpha).fit(X, y, sample_weight=weight)
        other = clone(peer).set_params(ccp_alpha=alpha).fit(X, y, sample_weight=weight)
        assert mine.get_n_leaves() == other.get_n_leaves()


def test_alphas_and_names_mean_the_same():
    case = Case(2)
    named = case.grown(criterion="gini", pruning="cost_complexity", ccp_alpha=0.01)
    priced = case.grown(criterion="gini", ccp_alpha=0.01)
    made = case.grown(criterion="gini", pruning=CostComplexity(0.01))
    assert (
        named.to_text()
        == priced.to_text()
        == made.to_text()
        != case.grown(criterion="gini").to_text()
    )
    assert "ccp_alpha=0.01" in str(priced.prune_report_)


@pytest.mark.parametrize("merged", ["class", "distribution"])
def test_merging_changes_no_prediction(merged):
    fewer = 0
    for case in cases():
        grown = case.grown(criterion="gini", max_depth=4)
        model = case.grown(criterion="gini", max_depth=4, merge_redundant=merged)
        assert np.array_equal(grown.predict(case.frame), model.predict(case.frame))
        if merged == "distribution":
            assert np.allclose(grown.predict_proba(case.frame), model.predict_proba(case.frame))
        fewer += model.n_nodes_ < grown.n_nodes_
    assert (fewer > 0) == (merged == "class" or fewer > 0)


def test_two_nested_tests_that_cut_off_one_class_become_one():
    X = np.array([[1.0], [2], [3], [4], [5], [6]])
    y = np.array(["a", "a", "b", "b", "b", "a"])
    grown = fasttree.fit(X, y, criterion=lambda t: -np.abs(t[:, 0].sum(axis=1) - 1.0), max_depth=2)
    assert grown.tree_.threshold[grown.tree_.n_children > 0].tolist() == [1.5, 2.5]
    merged = grown.prune(merge_redundant="class")
    assert merged.tree_.threshold[0] == 2.5
    assert merged.tree_.value.tolist() == [[3, 3], [2, 0], [1, 3]]
    assert [c.action for c in merged.prune_report_] == ["join"]
    mirrored = fasttree.fit(
        -X, y, criterion=lambda t: -np.abs(t[:, 1].sum(axis=1) - 1.0), max_depth=2
    )
    joined = mirrored.prune(merge_redundant="distribution")
    assert joined.tree_.threshold[0] == -2.5 and joined.get_n_leaves() == 2


class TestHeldOut:
    def test_fit_grows_on_the_other_rows(self):
        case = Case(3, n=300, missing=False)
        model = case.grown(criterion="gini", pruning=ReducedError(fraction=0.25))
        assert model.tree_.n_node_samples[0] == 225
        parts = [np.bincount(case.y, minlength=3), model.tree_.value[0]]
        assert np.all(np.abs(parts[0] * 0.75 - parts[1]) <= 1)
        assert case.grown(criterion="gini", pruning="reduced_error").tree_.n_node_samples[0] == 200

    def test_the_seed_decides_and_nothing_else(self):
        case = Case(4, n=300)
        first = case.grown(pruning=ReducedError(random_state=1))
        assert (
            first.to_bytes()
            == case.grown(pruning=ReducedError(random_state=1), n_jobs=2).to_bytes()
        )
        assert first.to_text() != case.grown(pruning=ReducedError(random_state=2)).to_text()

    def test_without_rows_held_out_nothing_is_cut(self):
        model = fasttree.fit([[0.0], [1.0]], [0, 1], pruning="reduced_error")
        assert model.get_n_leaves() == 2


@pytest.mark.parametrize("method", [*METHODS, "reduced_error"], ids=repr)
class TestEdges:
    def test_one_row_one_class_and_all_missing(self, method):
        assert fasttree.fit([[1.0]], [0], pruning=method, merge_redundant="class").n_nodes_ == 1
        assert fasttree.fit([[1.0], [2.0]], [0, 0], pruning=method).n_nodes_ == 1
        empty = fasttree.fit(np.full((6, 2), np.nan), [0, 1] * 3, pruning=method)
        assert empty.n_nodes_ == 1 and empty.predict([[np.nan, 1.0]]).shape == (1,)

    def test_bytes_do_not_depend_on_threads_and_pickle_keeps_them(self, method):
        case = Case(9, n=200, weights=True)
        models = [case.grown(pruning=method, n_jobs=jobs) for jobs in (None, 1, 2)]
        assert len({m.to_bytes() for m in models}) == 1
        assert pickle.loads(pickle.dumps(models[0])).to_bytes() == models[0].to_bytes()
        assert fasttree.from_bytes(models[0].to_bytes()).pruning == method

    def test_cross_validation_prunes_each_fold(self, method):
        case = Case(11, n=150)
        table = fasttree.Table(case.frame, case.y)
        folds = [
            (np.arange(150)[np.arange(150) % 3 != f], np.arange(150)[np.arange(150) % 3 == f])
            for f in range(3)
        ]
        result = fasttree.model_selection.cross_validate(
            table, criterion="gini", cv=folds, pruning=method
        )
        each = [
            fasttree.fit(table.take(tr), criterion="gini", pruning=method).score(table.take(te))
            for tr, te in folds
        ]
        assert np.allclose(result["gini"]["accuracy"], each)

    def test_a_chain_of_many_levels(self, method):
        n = 3000
        X, y = np.arange(float(n))[:, None], np.arange(n) % 2
        grown = fasttree.fit(X, y, criterion=first_boundary)
        assert grown.get_depth() == n - 1
        pruned = grown.prune(method, X, y, merge_redundant="class")
        assert pruned.tree_.weighted_n_node_samples[0] == n


def first_boundary(tables: np.ndarray) -> np.ndarray:
    """One row at a time is cut off."""
    return -tables[:, 0].sum(axis=1)


BAD = [
    ({"pruning": "magic"}, "pruning='magic'.*'error_based'"),
    ({"pruning": 3}, "pruning=3"),
    ({"pruning": ErrorBased(confidence=0)}, "confidence"),
    ({"pruning": ErrorBased(confidence=0.6)}, "confidence"),
    ({"pruning": ErrorBased(subtree_raising="yes")}, "subtree_raising='yes'"),
    ({"pruning": ReducedError(fraction=1.0)}, "fraction=1.0"),
    ({"pruning": ReducedError(folds=1)}, "folds=1"),
    ({"pruning": ReducedError(random_state=-1)}, "random_state=-1"),
    ({"pruning": MEstimate(m=-1)}, "m=-1"),
    ({"pruning": MEstimate(m=math.nan)}, "m=nan"),
    ({"pruning": CostComplexity(-0.1)}, "ccp_alpha=-0.1"),
    ({"pruning": CostComplexity(0.1, impurity="x")}, "impurity='x'"),
    ({"ccp_alpha": -0.1}, "ccp_alpha=-0.1"),
    ({"ccp_alpha": 0.1, "pruning": "mdl"}, "ccp_alpha=0.1.*MDL"),
    ({"ccp_alpha": 0.1, "pruning": CostComplexity(0.2)}, "both name a price"),
    ({"merge_redundant": "all"}, "merge_redundant='all'"),
]


@pytest.mark.parametrize(("params", "words"), BAD, ids=lambda x: str(x)[:50])
def test_wrong_options_are_refused_by_name(params, words):
    with pytest.raises(ValueError, match=words):
        fasttree.fit([[0.0], [1.0]], [0, 1], **params)


def test_rows_that_are_needed_are_asked_for():
    case = Case(1)
    grown = case.grown()
    for method in ("error_based", "reduced_error"):
        with pytest.raises(ValueError, match="needs X and y"):
            grown.prune(method)
    with pytest.raises(ValueError, match="rows that the tree was grown on"):
        grown.prune("error_based", case.frame[:40], case.y[:40])
    loaded = fasttree.from_bytes(grown.to_bytes())
    with pytest.raises(AttributeError, match="prune_report_"):
        _ = loaded.prune_report_
    assert loaded.prune("mdl").to_bytes() == grown.prune("mdl").to_bytes()


def test_grids_reach_the_options():
    model = FastTreeClassifier(pruning=ErrorBased())
    assert clone(model).set_params(pruning__confidence=0.1).pruning == ErrorBased(0.1)


@asked_for
def test_every_pruning_has_a_slow_truth(ask):
    if missing := [name for name in pruning.PRUNINGS if not hasattr(oracle, name)]:
        ask(f"tests/oracle/pruning_oracle.py has no function for {missing}: write one of each")


GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "j48_pruning.json"


def noisy_rows(
    seed: int, shape: tuple[int, int], levels: int, k: int
) -> tuple[np.ndarray, np.ndarray]:
    """Codes and classes: the class follows two columns, a third of the labels is drawn anew."""
    rng = np.random.RandomState(seed)
    X = rng.randint(0, levels, size=shape)
    y = (X[:, 0] + X[:, 1] * (X[:, 2] == 1)) % k
    flip = rng.random_sample(shape[0]) < 0.35
    return X, np.where(flip, rng.randint(0, k, size=shape[0]), y)


@pytest.mark.parametrize(
    "entry", json.loads(GOLDEN.read_text(encoding="utf-8"))["trees"], ids=lambda e: e["id"]
)
def test_error_based_trees_are_j48s(entry, request):
    if "file" in entry:
        table = fasttree.datasets.load(request.getfixturevalue("uci") / entry["file"])
    else:
        seed, n, f, levels, k = entry["noisy"]
        X, y = noisy_rows(seed, (n, f), levels, k)
        table = fasttree.Table(X, y, categorical_features="all")
    criterion = fasttree.criteria.make("gain_ratio").set_params(guard="j48")
    model = fasttree.fit(
        table, criterion=criterion, min_score=1e-6, pruning=ErrorBased(**entry["pruning"])
    )
    right = round(float(model.score(table)) * len(table))
    assert (model.get_n_leaves(), model.n_nodes_, right) == (
        entry["leaves"],
        entry["size"],
        entry["right"],
    )


@pytest.mark.parametrize("how", ["cost_complexity", CostComplexity(impurity="gini")])
def test_a_price_of_zero_warns_and_the_report_names_what_acts(how):
    grown = fasttree.fit("iris", criterion="gini")
    for made in (lambda: fasttree.fit("iris", pruning=how), lambda: grown.prune(how)):
        with pytest.warns(UserWarning, match="ccp_alpha=0, its default.*pruning='cart'"):
            report = made().prune_report_
        assert "folds" not in str(report) and "rule" not in report._repr_html_()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        priced = fasttree.fit("iris", criterion="gini", pruning=how, ccp_alpha=0.01)
        cart = fasttree.fit("iris", criterion="gini", pruning="cart")
    assert str(priced.prune_report_).startswith("CostComplexity(ccp_alpha=0.01, impurity=")
    assert "folds=10, rule='1se'" in str(cart.prune_report_)


def test_the_report_names_its_columns_and_has_none_without_values():
    for how, last in (("cart", "ccp_alpha"), ("mdl", "as_tree"), ("error_based", "as_branch")):
        report = fasttree.fit("iris", criterion="gini", pruning=how).prune_report_
        html, text = report._repr_html_(), str(report)
        assert html.count("<th") and "nan" not in html and f">{last}</th>" in html
        assert ("as_branch" in html) == ("as that branch" in text) == (last == "as_branch")
        assert ("from ccp_alpha" in text) == (last == "ccp_alpha")
        assert list(report.to_frame().columns)[-1] == "as_branch"
