"""Missing values in parts: growth against a slow oracle, prediction as a mixture, and every road a
tree can take."""

from __future__ import annotations

import itertools
import pickle
from typing import Any

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree import (
    FastTreeClassifier,
    FastTreeRegressor,
    Table,
    criteria,
    model_selection,
    pruning,
)

from ..tools import fractional_oracle as oracle

NAN = np.nan
LEVELS = [0, 4, 0, 5]
NAMES = ["info_gain", "gain_ratio", "gini"]


class Case:
    """Two numeric columns, two nominal ones with a level that never occurs; a fifth of the cells is
    missing."""

    def __init__(
        self, seed: int, n: int = 70, share: float = 0.2, k: int = 3, weights: Any = None
    ) -> None:
        rng = np.random.default_rng(seed)
        columns = [
            np.round(rng.normal(size=n), 1),
            rng.integers(0, 3, n),
            rng.integers(0, 9, n),
            rng.integers(0, 4, n),
        ]
        self.codes = np.column_stack(columns).astype(float)
        signal = (
            (self.codes[:, 0] > 0).astype(int) + (self.codes[:, 1] == 1) + (self.codes[:, 2] > 6)
        )
        self.y = np.where(rng.random(n) < 0.75, signal % k, rng.integers(0, k, n))
        self.codes[rng.random(self.codes.shape) < share] = NAN
        self.weights = None if weights is None else rng.choice(weights, n).astype(float)
        self.frame = self.framed(self.codes)
        self.table = Table(self.frame, self.y)

    @staticmethod
    def framed(codes: np.ndarray) -> pd.DataFrame:
        frame = pd.DataFrame(codes, columns=list("abcd"))
        for j, name in enumerate("abcd"):
            if LEVELS[j]:
                numbers = frame[name].fillna(-1).astype(int)
                frame[name] = pd.Categorical.from_codes(
                    numbers, [f"v{i}" for i in range(LEVELS[j])]
                )
        return frame

    def rows(self) -> oracle.Rows:
        return oracle.Rows(
            self.codes,
            self.y,
            np.ones(len(self.y)) if self.weights is None else self.weights,
            LEVELS,
        )

    def fit(self, **params: Any) -> FastTreeClassifier:
        return fasttree.fit(self.frame, self.y, sample_weight=self.weights, **params)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("least", [1, 4])
@pytest.mark.parametrize("weights", [None, [0, 1, 2, 3]], ids=["unit", "copies"])
def test_growth_is_the_oracles(name, least, weights):
    inner = 0
    for seed in range(6):
        case = Case(seed, k=2 + seed % 2, weights=weights)
        for how in ({}, {"n_jobs": 2}):
            model = case.fit(criterion=name, missing="fractional", min_samples_leaf=least, **how)
            inner += oracle.check(model.tree_, case.rows(), name, least)
    assert inner > 60


def test_real_weights_have_the_counts_of_the_oracle():
    case = Case(3, weights=[0.25, 0.7, 1.9])
    model = case.fit(criterion="gini", max_depth=4)
    parts = [model._model.reach(*model._encode(case.frame), node) for node in range(model.n_nodes_)]
    expected = [[(p * case.weights)[case.y == c].sum() for c in range(3)] for p in parts]
    np.testing.assert_allclose(model.tree_.value, expected, rtol=0, atol=1e-9)


def test_auto_is_fractional_where_criterion_and_evaluation_take_it():
    case = Case(0)
    for name in NAMES:
        auto, named = case.fit(criterion=name), case.fit(criterion=name, missing="fractional")
        np.testing.assert_array_equal(auto.tree_.value, named.tree_.value)
        assert set(auto.tree_.missing_branch[auto.tree_.n_children > 0]) == {-2}
    for how in ({"criterion": "chi2"}, {"evaluation": "global", "max_leaf_nodes": 5}):
        assert -2 not in case.fit(**how).tree_.missing_branch
        with pytest.raises(
            ValueError, match="missing='fractional' with .*'branch', 'mode', 'error'"
        ):
            case.fit(missing="fractional", **how)


@pytest.mark.parametrize("name", NAMES)
def test_complete_rows_grow_the_tree_of_whole_rows(name):
    """Nothing is missing in these rows: both ways of counting make one tree, and only new rows go
    down in parts."""
    case = Case(4, n=200, share=0.0)
    branch, parts = case.fit(criterion=name, missing="branch"), case.fit(criterion=name)
    for field in ("feature", "threshold", "value", "label", "score", "distance", "step"):
        np.testing.assert_array_equal(getattr(branch.tree_, field), getattr(parts.tree_, field))
    # One missing cell in a column of noise that no split asks for: the slow way, the same tree.
    codes = np.column_stack([case.codes, np.zeros(200)])
    frame = Case.framed(codes[:, :4]).assign(e=codes[:, 4])
    frame.loc[7, "e"] = NAN
    slow = fasttree.fit(frame, case.y, criterion=name)
    for field in ("feature", "threshold", "value", "label", "score", "distance", "step"):
        np.testing.assert_array_equal(getattr(branch.tree_, field), getattr(slow.tree_, field))


def test_counts_are_the_weights_that_reach_the_nodes():
    for seed, method in enumerate(
        [None, "error_based", "pessimistic", "cost_complexity", "m_estimate", "mdl"]
    ):
        case = Case(seed, n=120, weights=[1, 2] if seed % 2 else None)
        model = case.fit(criterion="gini", pruning=method)
        w = np.ones(120) if case.weights is None else case.weights
        blocks = model._encode(case.frame)
        path = model.decision_path(case.frame).toarray()
        for node in range(model.n_nodes_):
            part = model._model.reach(*blocks, node)
            sums = [(part * w)[case.y == c].sum() for c in range(3)]
            np.testing.assert_allclose(model.tree_.value[node], sums, rtol=0, atol=1e-9)
            np.testing.assert_array_equal(part > 0, path[:, node] > 0)
            if method != "error_based":
                assert model.tree_.n_node_samples[node] == w[part > 0].sum()
            kids = model.tree_.children_of(node)
            if len(kids):
                np.testing.assert_allclose(
                    model.tree_.value[kids].sum(axis=0), model.tree_.value[node], atol=1e-9
                )


def ask(case: Case) -> np.ndarray:
    """Rows with gaps where training had none, all gaps, and levels that no training row has."""
    rng = np.random.default_rng(9)
    codes = case.codes[rng.integers(0, len(case.y), 40)].copy()
    codes[rng.random(codes.shape) < 0.3] = NAN
    codes[0] = NAN
    codes[1, 1], codes[2, 3] = 3, 4
    return codes


@pytest.mark.parametrize("share", [0.0, 0.25])
@pytest.mark.parametrize("name", NAMES)
def test_predictions_are_mixtures_of_leaves(share, name):
    for seed in range(4):
        case = Case(seed, share=share)
        model, codes = case.fit(criterion=name, n_jobs=2), ask(case)
        frame = Case.framed(codes)
        truth = np.array([oracle.probabilities(model.tree_, case.rows(), x) for x in codes])
        proba = model.predict_proba(frame)
        np.testing.assert_allclose(proba, truth, rtol=0, atol=1e-9)
        np.testing.assert_array_equal(model.predict(frame), model.classes_[proba.argmax(axis=1)])
        blocks = model._encode(frame)
        parts = np.array([model._model.reach(*blocks, node) for node in range(model.n_nodes_)]).T
        leaves = np.flatnonzero(model.tree_.n_children == 0)
        np.testing.assert_allclose(parts[:, leaves].sum(axis=1), 1.0, atol=1e-12)
        np.testing.assert_array_equal(model.decision_path(frame).toarray(), parts > 0)
        largest = parts[:, leaves].max(axis=1)
        np.testing.assert_allclose(
            parts[np.arange(len(codes)), model.apply(frame)], largest, atol=1e-12
        )


def test_a_row_without_any_value_is_told_the_prior():
    case = Case(1)
    model = case.fit()
    gap = Case.framed(np.full((1, 4), NAN))
    root = model.tree_.value[0] / model.tree_.value[0].sum()
    np.testing.assert_allclose(model.predict_proba(gap)[0], root, atol=1e-9)


def test_a_column_without_any_value_is_never_asked_for():
    X = np.array([[NAN, 1.0], [NAN, 2.0], [NAN, 3.0], [NAN, 4.0]])
    model = fasttree.fit(X, [0, 0, 1, 1])
    assert model.tree_.feature.tolist() == [1, -2, -2]
    nothing = fasttree.fit(X[:, :1], [0, 0, 1, 1])
    assert nothing.get_n_leaves() == 1
    assert nothing.predict_proba(X[:, :1]).tolist() == [[0.5, 0.5]] * 4
    assert fasttree.fit([[None], [None]], ["a", "a"]).predict([[None]]).tolist() == ["a"]


def test_a_child_whose_rows_all_lack_the_value_of_the_next_split():
    """Equal votes: ties go to the lower class, in predict as in predict_proba."""
    X = np.array([[0.0, NAN], [0.0, NAN], [1.0, 0.0], [1.0, 1.0], [1.0, 0.0], [1.0, 1.0]])
    model = fasttree.fit(X, [0, 0, 1, 2, 1, 2])
    assert model.predict([[1.0, NAN]]).tolist() == [1]
    assert model.predict_proba([[1.0, NAN]]).tolist() == [[0.0, 0.5, 0.5]]
    assert model.apply([[1.0, NAN]]).tolist() == [
        int(np.flatnonzero(model.tree_.value[:, 1] == 2)[-1])
    ]


ROADS: dict[str, dict[str, Any]] = {
    "depth": {"max_depth": 3},
    "best first": {"max_leaf_nodes": 6},
    "random": {"max_features": 2, "random_state": 1, "ties": "random"},
    "row ties": {"ties": "row"},
    "guard": {"criterion": fasttree.criteria.GainRatio(guard="average")},
    "min score": {"min_score": 0.05},
    "no decay": {"no_distance_decay": "strict", "criterion": "gain_ratio"},
    "weight": {"min_weight_fraction_leaf": 0.1},
    "bins": {"discretize": "equal_frequency", "n_bins": 3},
    "smoothing": {"leaf_smoothing": "laplace"},
    "unclassified": {"empty_branch": "unclassified"},
    "values": {"thresholds": "value"},
    "training values": {"thresholds": "training_value"},
    "class weight": {"class_weight": "balanced"},
    "reduced error": {"pruning": pruning.ReducedError()},
    "merged": {"merge_redundant": "distribution"},
    "C4.5": {**fasttree.presets.C45},
}


@pytest.mark.parametrize("how", ROADS.values(), ids=ROADS)
def test_every_road(how):
    case = Case(2, n=150)
    model = case.fit(**how)
    assert model.get_n_leaves() > 1
    order = np.random.default_rng(0).permutation(150)
    other = fasttree.fit(case.frame.iloc[order], case.y[order], n_jobs=2, **how)
    if "random" not in how.values() and how.get("ties") != "row" and "pruning" not in how:
        np.testing.assert_array_equal(other.tree_.value, model.tree_.value)
    frame = Case.framed(ask(case))
    proba = model.predict_proba(frame)
    if how.get("empty_branch") != "unclassified":
        np.testing.assert_allclose(proba.sum(axis=1), 1.0, atol=1e-9)
    for twin in (fasttree.from_bytes(model.to_bytes()), pickle.loads(pickle.dumps(model))):
        np.testing.assert_array_equal(twin.predict_proba(frame), proba)
        assert twin.to_bytes() == model.to_bytes()
    stages = list(model.staged_predict(frame))
    np.testing.assert_array_equal(stages[-1], model.predict(frame))
    np.testing.assert_allclose(model.cut(0).predict_proba(frame).std(axis=0), 0, atol=1e-12)
    assert "is missing" not in model.to_text() and model.to_dot().startswith("digraph")


def test_two_nodes_in_one_big_one_on_threads():
    case = Case(11, n=6000)
    one, two = case.fit(criterion="gini"), case.fit(criterion="gini", n_jobs=2)
    assert one.to_bytes() == two.to_bytes()


def test_explain_and_the_trace_tell_the_scores_of_the_parts():
    for name in NAMES:
        case = Case(6)
        model = case.fit(criterion=name, trace="candidates", min_samples_leaf=2)
        for step in model.trace_:
            own = [s for f, t, s in step.candidates if (f, t) == (step.feature, step.threshold)]
            assert own == pytest.approx([step.score], abs=1e-9)
            assert max(s for _, _, s in step.candidates) == pytest.approx(step.score, abs=1e-9)
            told = model.explain(step.node, case.frame, case.y)
            assert [r["score"] for r in told if r["chosen"]] == pytest.approx(
                [step.score], abs=1e-9
            )


COSTS = [[0, 1, 1], [2, 0, 1], [2, 1, 0]]
C45 = criteria.GainRatio(guard="j48", mdl_penalty=True)
RULES: list[dict[str, Any]] = [
    *({"criterion": name} for name in (*NAMES, "hellinger", "jaccard", "mantaras")),
    {"criterion": C45, "nominal_splits": "multiway"},
    {"criterion": "gini", "cost_matrix": COSTS},
    {"criterion": "gini", "honest": True},
    {"criterion": "gini", "nominal_splits": "subset", "min_samples_leaf": 6},
    {"criterion": "gini", "discretize": "equal_frequency", "n_bins": 4},
    {"selection": "significance", "nominal_splits": "subset"},
    {"selection": "significance", "cut": "criterion", "criterion": "gini", "alpha": 0.2},
    {"criterion": "squared_error"},
    {"criterion": "absolute_error"},
]


def fit_or_refusal(frame, y, params):
    """A tree with its candidates, or None where the combination is refused."""
    kind = FastTreeRegressor if y.dtype.kind == "f" else FastTreeClassifier
    try:
        return kind(**params, trace="candidates", random_state=0).fit(frame, y)
    except ValueError as error:
        assert "fractional" in str(error) or "branch" in str(error)
        return None


def scores_of(found):
    """Feature, test and score of candidates, best first within a feature."""
    key = ["feature", "threshold", "levels", "score"]
    listed = [tuple(one[name] for name in key) for one in found]
    return sorted(listed, key=lambda one: (one[0], str(one[1]), str(one[2])))


def test_explain_scores_a_tree_cut_to_its_root_as_growth_did():
    """By the parameters of the fit: a root alone does not show how missing values were treated."""
    case, served = Case(6, n=120), []
    number = np.where(np.isnan(case.codes[:, 0]), 0.0, case.codes[:, 0]) + case.y
    for rule, missing in itertools.product(RULES, ("auto", "fractional", "branch", "mode")):
        y = number if str(rule.get("criterion")).endswith("_error") else case.y
        grown = fit_or_refusal(case.frame, y, {**rule, "missing": missing})
        if grown is None:
            continue
        served.append(missing)
        told = scores_of(grown.explain(0, case.frame, y))
        assert grown.get_n_leaves() > 1 and told
        roots = [grown.cut(0), fasttree.from_bytes(grown.cut(0).to_bytes())]
        if "honest" not in rule:  # which refuses to be pruned by the rows of its leaves
            roots.append(grown.prune(pruning.CostComplexity(1e9)))
        for one in roots:
            assert one.get_n_leaves() == 1
            assert scores_of(one.explain(0, case.frame, y)) == told, (rule, missing)
    assert {"auto", "fractional", "branch", "mode"} == set(served)


def test_cross_validation_is_fit_and_predict_by_hand():
    case = Case(8, n=120)
    folds = [
        (np.flatnonzero(np.arange(120) % 4 != f), np.flatnonzero(np.arange(120) % 4 == f))
        for f in range(4)
    ]
    found = model_selection.cross_validate(
        case.table, criterion=["gini"], cv=folds, scoring=["accuracy", "neg_log_loss"]
    )
    for i, (train, test) in enumerate(folds):
        model = fasttree.fit(case.table.take(train), criterion="gini")
        assert found["gini"]["accuracy"][i] == pytest.approx(model.score(case.table.take(test)))


def test_a_weight_is_so_many_copies_in_parts_too():
    case = Case(5, n=60, weights=[1, 2, 3])
    weighted = case.fit(criterion="gini", min_samples_leaf=3)
    times = case.weights.astype(int)
    copies = fasttree.fit(
        case.frame.loc[np.repeat(np.arange(60), times)],
        np.repeat(case.y, times),
        criterion="gini",
        min_samples_leaf=3,
    )
    np.testing.assert_array_equal(weighted.tree_.feature, copies.tree_.feature)
    np.testing.assert_allclose(weighted.tree_.value, copies.tree_.value, atol=1e-9)


def test_training_values_are_values_of_the_whole_training_set():
    X = np.array([[0.0, 0.0], [4.0, 0.0], [1.9, 1.0], [0.5, 1.0], [9.0, 1.0]])
    y = [0, 1, 2, 2, 2]
    model = fasttree.fit(X, y, criterion="info_gain", thresholds="training_value")
    cut = {
        (f, t)
        for f, t in zip(model.tree_.feature.tolist(), model.tree_.threshold.tolist(), strict=True)
        if f >= 0
    }
    # The midpoint between 0 and 4 is 2; of all five rows 1.9 is the largest value not above it.
    assert cut == {(1, 0.0), (0, 1.9)}
    table = Table(X, y)
    part = fasttree.fit(
        table.take([0, 1, 3, 4]), criterion="info_gain", thresholds="training_value"
    )
    assert 0.5 in part.tree_.threshold


def test_the_parts_of_all_pairs_of_gaps():
    """A full factorial with one gap: weights halve, nothing is lost."""
    X = np.array([[a, b] for a, b in itertools.product([0.0, 1.0, NAN], repeat=2)])
    model = fasttree.fit(X, [0, 1, 0, 1, 0, 1, 0, 1, 1], criterion="gini")
    leaves = model.tree_.n_children == 0
    assert model.tree_.value[leaves].sum() == pytest.approx(9, abs=1e-12)
