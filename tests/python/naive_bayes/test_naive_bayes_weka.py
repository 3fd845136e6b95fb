"""NaiveBayes, TAN and AODE against Weka: its outputs, its rule for numbers, its priors."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import fasttree
from fasttree import Table
from fasttree.model_selection import cross_validate
from fasttree.naive_bayes import AODE, TAN, NaiveBayes

GOLDEN = Path(__file__).resolve().parents[2] / "golden" / "weka_bayes.json"


def golden_cases():
    return json.loads(GOLDEN.read_text(encoding="utf-8"))["cases"]


@pytest.mark.parametrize(
    "case", golden_cases(), ids=lambda c: f"{c['data']}-{c['weka'].split('.')[-1][:12]}"
)
def test_weka_predicts_the_same(case, uci):
    table = fasttree.datasets.load(uci / case["data"])
    if case["bins"]:
        table = fasttree.discretize.EqualWidth(case["bins"]).fit(table).transform(table)
    folds = np.arange(len(table)) % case["folds"]
    for fold in range(case["folds"]):
        rows = np.flatnonzero(folds == fold)
        model = {"AODE": AODE, "TAN": TAN}[case["estimator"]](**case["parameters"])
        if case["roots"]:
            model.set_params(root=case["roots"][fold])
        p = model.fit(table.take(np.flatnonzero(folds != fold))).predict_proba(table.take(rows))
        part = case["probabilities"][str(fold)]
        np.testing.assert_allclose(
            p[np.searchsorted(rows, part["rows"])], part["p"], rtol=1e-6, atol=1e-12
        )
        assert "".join(chr(97 + c) for c in p.argmax(axis=1)) == case["predicted"][str(fold)]


WEKA_NORMAL = json.loads(GOLDEN.with_name("weka_naive_bayes.json").read_text(encoding="utf-8"))[
    "cases"
]


@pytest.mark.parametrize("case", WEKA_NORMAL, ids=lambda c: c["data"])
def test_weka_reads_numbers_the_same(case, uci):
    table = fasttree.datasets.load(uci / case["data"])
    folds = np.arange(len(table)) % case["folds"]
    p = np.zeros((len(table), len(table.classes)))
    labels = np.zeros(len(table), dtype=int)
    for fold in range(case["folds"]):
        rows = np.flatnonzero(folds == fold)
        model = NaiveBayes(distribution="weka").fit(table.take(np.flatnonzero(folds != fold)))
        p[rows] = model.predict_proba(table.take(rows))
        labels[rows] = [table.classes.index(c) for c in model.predict(table.take(rows))]
    part = case["probabilities"]
    np.testing.assert_allclose(p[part["rows"]], part["p"], rtol=1e-6, atol=1e-9)
    assert "".join(chr(97 + c) for c in labels) == case["predicted"]


def test_wekas_rule_in_plain_python():
    rng = np.random.default_rng(4)
    x, y = rng.integers(0, 9, 60) / 4 + rng.integers(0, 2, 60), rng.integers(0, 3, 60)
    x[rng.random(60) < 0.1] = np.nan
    model = NaiveBayes(distribution="weka").fit(x[:, None], y)
    known = np.unique(x[~np.isnan(x)])
    precision = np.diff(known).mean()
    assert model.precision_[0] == pytest.approx(precision)
    near = np.rint(x / precision) * precision
    new = np.array([0.1, 0.6, 1.0, 2.77, 500.0])
    at = np.rint(new / precision) * precision
    joint = np.empty((len(new), 3))
    for c in range(3):
        own = near[(y == c) & ~np.isnan(x)]
        sd = max(own.std(), precision / 6)
        mass = stats.norm.cdf(at + precision / 2, own.mean(), sd) - stats.norm.cdf(
            at - precision / 2, own.mean(), sd
        )
        joint[:, c] = np.maximum(mass, 1e-75) * ((y == c).sum() + 1) / (60 + 3)
    expected = joint / joint.sum(axis=1, keepdims=True)
    np.testing.assert_allclose(model.predict_proba(new[:, None]), expected, rtol=1e-8, atol=1e-12)
    assert model.predict(new[:, None]).tolist() == expected.argmax(axis=1).tolist()
    copy = fasttree.from_bytes(model.to_bytes())
    assert np.array_equal(copy.predict_proba(new[:, None]), model.predict_proba(new[:, None]))
    assert np.array_equal(copy.precision_, model.precision_)


def test_a_column_with_one_value_has_wekas_precision():
    model = NaiveBayes(distribution="weka").fit([[3.0]] * 4, [0, 1, 1, 1])
    assert model.precision_.tolist() == [0.01]
    np.testing.assert_allclose(model.predict_proba([[3.0]]), [[2 / 6, 4 / 6]])


def test_laplace_priors_are_wekas_and_leave_absent_classes_possible():
    table = Table([["a"], ["b"], ["a"]], [0, 1, 0], levels={"y": [0, 1, 2]}, target="y")
    given = NaiveBayes(priors=[0.5, 2 / 6, 1 / 6]).fit(table).predict_proba(table)
    found = NaiveBayes(priors="laplace").fit(table).predict_proba(table)
    np.testing.assert_allclose(found, given)
    assert (found > 0).all()
    assert (NaiveBayes().fit(table).predict_proba(table)[:, 2] == 0).all()
    weighted = NaiveBayes(priors="laplace").fit(table, sample_weight=[2, 1, 1]).predict_proba(table)
    copies = Table([["a"], ["a"], ["b"], ["a"]], [0, 0, 1, 0], levels={"y": [0, 1, 2]}, target="y")
    np.testing.assert_allclose(
        weighted, NaiveBayes(priors="laplace").fit(copies).predict_proba(table)
    )
    with pytest.raises(ValueError, match="laplace"):
        NaiveBayes(priors="weka").fit(table)


@pytest.mark.parametrize(
    ("name", "drop", "weka", "densities"), [("zoo", ("animal",), 96, 78), ("lymph", (), 123, 94)]
)
def test_wekas_rule_fits_counts_and_codes_better(uci, name, drop, weka, densities):
    table = fasttree.datasets.load(uci / f"{name}.arff", drop=drop)
    learners = {
        "weka": NaiveBayes(distribution="weka"),
        "densities": NaiveBayes(priors="laplace"),
    }
    folds = fasttree.model_selection.WekaStratifiedKFold(10, 1)
    found = cross_validate(table, estimators=learners, cv=folds)
    right = {
        one: float(np.asarray(found[one]["accuracy"]) @ found.folds.test_sizes) for one in learners
    }
    assert right == pytest.approx({"weka": weka, "densities": densities})
