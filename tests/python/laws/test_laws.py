"""Laws of tables and local trees: what must not change, what must stay equal, what may not fall."""

from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fasttree
from fasttree import Table, criteria

from ..conftest import manifest
from ..tools import body_of, criteria_oracle, thinned

NAMES = [info["name"] for info in fasttree.list_criteria()]
ON_TABLES = [info["name"] for info in fasttree.list_criteria() if info["evidence"] == "table"]
CUBE = np.array([[i >> 2 & 1, i >> 1 & 1, i & 1] for i in range(8)])
XOR = CUBE[:, 0] ^ CUBE[:, 1]


# -- numbers that the formulas must give ----------------------------------------------------------


@pytest.mark.parametrize("kind", ["all", None])
def test_gain_and_gini_see_nothing_on_the_xor_cube(kind):
    for name in ("info_gain", "gini", "gain_ratio", "chi2", "normal_gain"):
        scores = fasttree.score_features(CUBE, XOR, criterion=name, categorical_features=kind)
        assert np.abs(scores).max() < 1e-15, name


@pytest.mark.parametrize("name", ["info_gain", "gini", "accuracy"])
def test_growth_goes_on_at_score_zero_and_solves_xor(name):
    model = fasttree.fit(CUBE, XOR, criterion=name)
    assert model.score(CUBE, XOR) == 1.0
    assert model.tree_.score[0] == pytest.approx(0.5 if name == "accuracy" else 0.0)
    assert fasttree.fit(CUBE, XOR, criterion="info_gain", min_score=1e-6).get_n_leaves() == 1


def test_gini_is_not_symmetric():
    table = [[4, 0, 1], [0, 3, 2]]
    assert criteria.Gini().distance(table) == pytest.approx(0.4)
    assert criteria.Gini().distance(np.transpose(table)) == pytest.approx(2 / 15)


TABLES = st.integers(2, 4).flatmap(
    lambda k: st.lists(
        st.lists(st.integers(0, 40), min_size=k, max_size=k), min_size=2, max_size=5
    ).filter(lambda t: sum(map(sum, t)) > 0)
)


def entropy(counts):
    n = sum(counts)
    return -sum(c / n * math.log2(c / n) for c in counts if c)


@settings(max_examples=200, deadline=None)
@given(TABLES)
def test_identities_of_the_gain(table):
    t = np.array(table)
    gain = float(criteria.InfoGain().score(t))
    joint = entropy(t.ravel().tolist())
    h_class, h_branch = entropy(t.sum(axis=0).tolist()), entropy(t.sum(axis=1).tolist())
    assert -1e-12 <= gain <= min(h_class, h_branch) + 1e-12
    if joint > 0:
        assert 1 - criteria.Mantaras().distance(t) == pytest.approx(gain / joint, abs=1e-12)
    assert criteria.GStatistic().score(t) == pytest.approx(
        2 * t.sum() * math.log(2) * gain, abs=1e-9
    )
    assert criteria.NormalGain().score(t) == pytest.approx(gain / math.log2(len(t)), abs=1e-12)
    assert criteria.VariationOfInformation().distance(t) == pytest.approx(
        2 * joint - h_class - h_branch, abs=1e-12
    )


@settings(max_examples=200, deadline=None)
@given(TABLES, st.data())
def test_refining_a_split_never_lowers_the_gain(table, data):
    place = data.draw(st.integers(0, len(table) - 1))
    part = [data.draw(st.integers(0, c)) for c in table[place]]
    finer = [
        *table[:place],
        part,
        [c - p for c, p in zip(table[place], part, strict=True)],
        *table[place + 1 :],
    ]
    for criterion in (
        criteria.InfoGain(),
        criteria.Gini(),
        criteria.Dkm(),
        criteria.Accuracy(),
        criteria.GStatistic(),
    ):
        coarse, fine = float(criterion.score(table)), float(criterion.score(finer))
        assert fine >= coarse - 1e-11 * max(1.0, abs(coarse)), criterion


def test_normal_gain_of_equal_arities_is_the_gain_divided():
    rng = np.random.default_rng(3)
    frame = pd.DataFrame(
        {f"f{j}": pd.Categorical(rng.choice(list("abc"), 200), list("abcdef")) for j in range(5)}
    )
    y = rng.integers(0, 3, 200)
    gain = fasttree.score_features(frame, y, criterion="info_gain")
    np.testing.assert_allclose(
        fasttree.score_features(frame, y, criterion="normal_gain"), gain / math.log2(6), atol=1e-12
    )
    trees = [fasttree.fit(frame, y, criterion=c).tree_ for c in ("info_gain", "normal_gain")]
    np.testing.assert_array_equal(trees[0].feature, trees[1].feature)


# -- score_features by the formulas, on real data -------------------------------------------------


def oracle_scores(table: Table, name: str) -> list[float]:
    """The best score of each feature over all its splits, rows missing it left out."""
    y, k = table.y_codes, len(table.classes)
    fractional = next(i["fractional"] for i in fasttree.list_criteria() if i["name"] == name)
    occurring = [bool((y == c).any()) for c in range(k)]
    out = []
    for column in table.columns:
        values = np.asarray(column.values)
        known = ~np.isnan(values) if column.kind == "numeric" else values >= 0
        factor = known.mean() if fractional else 1.0
        v, c = values[known], y[known]
        present = [bool((c == j).any()) for j in range(k)] if not known.all() else occurring
        if column.kind == "nominal":
            t = np.zeros((len(column.levels), k))
            np.add.at(t, (v.astype(int), c), 1)
            tables = [t] if (t.sum(axis=1) > 0).sum() >= 2 else []
        else:
            distinct, codes = np.unique(v, return_inverse=True)
            t = np.zeros((len(distinct), k))
            np.add.at(t, (codes, c), 1)
            left = np.cumsum(t, axis=0)[:-1]
            tables = [np.array([a, t.sum(axis=0) - a]) for a in left]
        scores = [
            criteria_oracle.evaluate(name, t.tolist(), declared=len(t), occurring=present)[0]
            for t in tables
        ]
        out.append(factor * max(scores) if scores else math.nan)
    return out


def check_scores(table: Table, names):
    for name in names:
        got, expected = (
            fasttree.score_features(table, criterion=name),
            np.array(oracle_scores(table, name)),
        )
        assert np.array_equal(np.isnan(got), np.isnan(expected)), name
        scale = np.maximum(1.0, np.abs(expected))
        worst = np.nanmax(np.abs(got - expected) / scale, initial=0.0)
        assert worst < 1e-12, (name, worst)


QUICK = [
    "info_gain",
    "gain_ratio",
    "normal_gain",
    "mantaras",
    "gini",
    "chi2",
    "accuracy",
    "f_measure",
    "hellinger",
]


@pytest.mark.parametrize("name", [name for name in ON_TABLES if name in criteria_oracle.ORACLE])
def test_score_features_on_bundled_sets(name):
    for table in (
        fasttree.datasets.load_weather(),
        fasttree.datasets.load_iris(),
        fasttree.datasets.make_monks(1),
    ):
        if name in ("accuracy", "jaccard") and len(table.classes) > 6:
            continue
        check_scores(table, [name])


@pytest.mark.parametrize("entry", thinned(manifest(), 6), ids=lambda e: e["file"])
def test_score_features_on_every_uci_set(entry, uci):
    table = fasttree.datasets.load(uci / entry["file"])
    table = table.drop_missing_target()
    if len(table) > 250:  # the oracle is slow
        table = table.take(np.random.default_rng(0).choice(len(table), 250, replace=False))
    if table.n_features > 40:
        table = table.with_columns(table.columns[:40])
    check_scores(table, QUICK)


# -- what must not change a model -----------------------------------------------------------------


def data(kind: str, n: int = 300, seed: int = 0) -> tuple[pd.DataFrame, np.ndarray]:
    rng = np.random.default_rng(seed)
    columns = {}
    if kind != "nominal":
        columns |= {f"x{j}": rng.normal(size=n).round(1) for j in range(3)}
    if kind != "numeric":
        columns |= {f"c{j}": rng.choice(list("pqrst")[: 2 + j], n) for j in range(3)}
    frame = pd.DataFrame(columns)
    if kind == "missing":
        frame = frame.mask(rng.random(frame.shape) < 0.15)
    first = frame.iloc[:, 0]
    signal = (
        pd.factorize(first, sort=True)[0]
        if kind == "nominal"
        else (first > 0).astype(int).to_numpy()
    )
    return frame, np.array(["no", "perhaps", "yes"])[
        (signal + (rng.random(n) < 0.3) * rng.integers(0, 3, n)) % 3
    ]


def target_of(name: str, X: pd.DataFrame, y: np.ndarray) -> tuple[pd.DataFrame, np.ndarray]:
    """The rows with classes, or with a number for a criterion on numbers."""
    if not criteria.is_on_number(criteria.make(name)):
        return X, y
    size = X["x1"].abs().fillna(0.5).to_numpy()
    return X, pd.Series(y).map({"no": 0.0, "perhaps": 1.5, "yes": 4.25}).to_numpy() + size


def rows_for(name: str) -> int:
    """Fewer rows for a criterion that searches trees."""
    return 150 if name != "minimal_tree_size" else 40


def model_body(model) -> dict:
    return {k: v for k, v in body_of(model.to_bytes()).items() if k != "parameters"}


HOW = {
    "plain": {},
    "best first": {"max_leaf_nodes": 12, "criterion": "gini"},
    "limits": {"min_samples_leaf": 4, "min_weight_fraction_leaf": 0.01, "criterion": "gain_ratio"},
    "unclassified": {"empty_branch": "unclassified", "criterion": "mantaras", "min_score": 1e-6},
    "equal_width": {"discretize": "equal_width"},
    "equal_frequency": {"discretize": "equal_frequency", "n_bins": 4},
    "mdlp": {"discretize": "mdlp"},
    "mode": {"missing": "mode", "criterion": "f_measure"},
    "balanced": {"class_weight": "balanced"},
    "class weights": {"class_weight": {"no": 2, "perhaps": 1, "yes": 3}},
    "guard": {"criterion": criteria.GainRatio(guard="j48")},
    "value": {"thresholds": "value", "criterion": "auc"},
    "smoothed": {"leaf_smoothing": "m_estimate", "criterion": "mdl"},
}


@pytest.mark.parametrize("kind", ["numeric", "nominal", "mixed", "missing"])
@pytest.mark.parametrize("how", HOW.values(), ids=HOW)
@pytest.mark.parametrize("weights", [None, [1, 2, 5], [0, 1, 3]], ids=str)
def test_row_order_changes_no_byte(kind, how, weights):
    X, y = data(kind)
    w = None if weights is None else np.random.default_rng(1).choice(weights, len(y))
    expected = fasttree.fit(X, y, sample_weight=w, **how)
    assert expected.n_nodes_ > 2
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(y))
        other = fasttree.fit(
            X.iloc[order], y[order], sample_weight=None if w is None else w[order], **how
        )
        assert other.to_bytes() == expected.to_bytes()


@pytest.mark.parametrize("name", NAMES)
def test_row_order_changes_no_byte_for_any_criterion(name):
    X, y = target_of(name, *data("missing", rows_for(name)))
    expected = fasttree.fit(X, y, criterion=name).to_bytes()
    for seed in range(3):
        order = np.random.default_rng(seed).permutation(len(y))
        assert fasttree.fit(X.iloc[order], y[order], criterion=name).to_bytes() == expected


def test_row_order_and_real_weights():
    X, y = data("missing")
    w = np.random.default_rng(2).random(len(y))
    expected = fasttree.fit(X, y, sample_weight=w).to_bytes()
    for seed in range(5):
        order = np.random.default_rng(seed).permutation(len(y))
        assert fasttree.fit(X.iloc[order], y[order], sample_weight=w[order]).to_bytes() == expected


@pytest.mark.parametrize("name", NAMES)
def test_order_preserving_names_change_only_the_names(name):
    X, y = target_of(name, *data("missing", rows_for(name)))
    names = {"p": "alpha", "q": "beta", "r": "delta", "s": "mu", "t": "zeta"}
    classes = {"no": "1st", "perhaps": "2nd", "yes": "3rd"}
    renamed = X.apply(lambda c: c if pd.api.types.is_numeric_dtype(c) else c.map(names))
    renamed.columns = [f"renamed {c}" for c in X.columns]
    numbers = criteria.is_on_number(criteria.make(name))
    a = fasttree.fit(X, y, criterion=name, min_score=-np.inf)
    other = y if numbers else pd.Series(y).map(classes).to_numpy()
    b = fasttree.fit(renamed, other, criterion=name, min_score=-np.inf)
    assert {k: v for k, v in model_body(a).items() if k != "schema"} == {
        k: v for k, v in model_body(b).items() if k != "schema"
    }
    if not numbers:
        assert [classes[c] for c in a.classes_] == b.classes_.tolist()
    text = a.to_text()
    for old, new in names.items():
        text = text.replace(f"= {old}", f"= {new}")
    for old, new in classes.items():
        text = text.replace(f": {old} (", f": {new} (")
    for old in X.columns:
        text = text.replace(f"{old} ", f"renamed {old} ")
    assert text == b.to_text()


def test_the_order_of_first_appearance_is_not_the_order_of_levels():
    X = [["b"], ["a"], ["c"], ["a"]]
    model = fasttree.fit(X, ["z", "y", "z", "y"])
    assert body_of(model.to_bytes())["schema"]["features"][0]["levels"] == ["a", "b", "c"]
    assert model.classes_.tolist() == ["y", "z"]


def test_a_consistent_tree_has_no_error_left():
    for name in ON_TABLES:
        X, y = data("mixed", 120, seed=5)
        unique = ~X.duplicated()
        model = fasttree.fit(X[unique], y[unique], criterion=name, min_score=-np.inf)
        assert model.score(X[unique], y[unique]) == 1.0, name
