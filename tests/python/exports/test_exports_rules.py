"""Rules and J48's layout: every row meets its leaf's rule alone, conditions are merged, numbers
print as Weka prints them."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import fasttree
from fasttree.exports.j48 import _java, _threshold, _weight

from .exports_tools import cases

QUIET = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))


def share(rule, row, levels):
    """Share of a row that meets a rule."""
    found = 1.0
    for c in rule.conditions:
        value = row[c.feature]
        if value is None or (c.levels is not None and value not in levels[c.feature]):
            found *= c.missing
        elif c.levels is not None:
            found *= value in c.levels
        else:
            found *= (c.lower is None or value > c.lower) and (c.upper is None or value <= c.upper)
            found *= c.known
    return found


@QUIET
@given(cases(discretize=None))
def test_rules_predict_what_the_tree_predicts(case):
    rules = case.model.to_rules()
    levels = dict(zip(case.model._schema.names, case.model._schema.levels, strict=True))
    fill = case.model.missing == "mode"
    for row, leaf, p in zip(case.rows, case.leaves(), case.proba(), strict=True):
        shares = [share(rule, row, levels) for rule in rules]
        if not fill:
            assert sum(shares) == pytest.approx(1)
        mixed = sum(s * np.array(rule.probabilities) for s, rule in zip(shares, rules, strict=True))
        np.testing.assert_allclose(mixed, p, atol=1e-12)
        if -2 not in case.model.tree_.missing_branch:
            assert [rule.leaf for s, rule in zip(shares, rules, strict=True) if s] == [leaf]
    assert sum(r.coverage for r in rules) == pytest.approx(case.model.tree_.value[0].sum())
    assert sum(r.support for r in rules) == pytest.approx(1)
    json.dumps(rules.records(), allow_nan=False)


@QUIET
@given(cases(numbers=True, discretize=None))
def test_rules_predict_the_number_of_the_tree(case):
    rules, tree = case.model.to_rules(), case.model.tree_
    levels = dict(zip(case.model._schema.names, case.model._schema.levels, strict=True))
    for row, leaf, number in zip(case.rows, case.leaves(), case.predict(), strict=True):
        shares = [share(rule, row, levels) for rule in rules]
        mixed = sum(s * rule.value for s, rule in zip(shares, rules, strict=True))
        assert mixed == pytest.approx(number, rel=1e-12, abs=1e-3)
        if -2 not in tree.missing_branch:
            assert [rule.leaf for s, rule in zip(shares, rules, strict=True) if s] == [leaf]
            assert mixed == number
    for rule in rules:
        assert (rule.value, rule.impurity) == (tree.value[rule.leaf], tree.impurity[rule.leaf])
    json.dumps(rules.records(), allow_nan=False)


def test_rules_of_numbers_print_and_make_a_frame():
    X, y = [[0.0], [1.0], [2.0]], [3.0, 3.5, 8.0]
    rules = fasttree.FastTreeRegressor(max_depth=1).fit(X, y).to_rules()
    assert str(rules).splitlines() == [
        "if x0 <= 1.5 then 3.25  [2 rows, sd 0.25]",
        "if x0 > 1.5 then 8  [1 row, sd 0]",
    ]
    assert rules.to_frame().value.tolist() == [3.25, 8.0]
    assert rules.records()[0]["conditions"][0]["upper"] == 1.5
    assert [rule.leaf for rule in rules.sorted()] == [1, 2]


def test_conditions_on_one_feature_are_one():
    rules = fasttree.fit(
        fasttree.datasets.load_iris(), criterion="gini", missing="branch"
    ).to_rules()
    assert len(rules) == 9
    for rule in rules:
        names = [c.feature for c in rule.conditions]
        assert len(names) == len(set(names))
    assert str(rules[1]) == (
        "if 2.45 < petal length (cm) <= 4.95 and petal width (cm) <= 1.65 then versicolor  [47 "
        "rows, confidence 1.000]"
    )
    first = rules[0].record()
    assert (
        first["coverage"] == 50
        and first["support"] == pytest.approx(1 / 3)
        and first["confidence"] == 1
    )
    assert first["conditions"][0]["lower"] is None and first["conditions"][0][
        "upper"
    ] == pytest.approx(2.45)
    assert [r.coverage for r in rules.sorted()][:3] == [50, 47, 43]
    assert len(rules[:2]) == 2 and str(rules) == rules.to_text()
    assert list(rules.to_frame().columns) == [
        "leaf",
        "rule",
        "label",
        "coverage",
        "support",
        "confidence",
    ]
    assert "or missing" in rules.to_text(missing=True) and "missing" not in rules.to_text()


def test_confidence_and_empty_leaves():
    rows = fasttree.Table(
        [["a"], ["a"], ["a"], ["b"]], [0, 0, 1, 1], levels={"x0": ("a", "b", "c")}
    )
    rules = fasttree.fit(rows, empty_branch="unclassified").to_rules()
    assert [r.confidence for r in rules[:2]] == [pytest.approx(2 / 3), 1]
    assert math.isnan(rules[2].confidence) and rules[2].label is None and "no rows" in str(rules[2])
    assert len(fasttree.fit(rows).to_rules(empty=False)) == 2
    assert (
        str(fasttree.fit([[0.0]], [1]).to_rules()[0])
        == "if always then 1  [1 row, confidence 1.000]"
    )


def test_rules_of_chains_stay_short():
    x = np.arange(4000.0)[:, None]
    chain = fasttree.fit(x, np.arange(4000) % 2, criterion=lambda tables: -tables[:, 0].sum(axis=1))
    rules = chain.to_rules()
    assert len(rules) == 4000 and max(len(r.conditions) for r in rules) == 1
    assert len(str(rules)) < 100 * len(rules)


# -- J48's layout ---------------------------------------------------------------------------------

# Printed by Weka 3.6.14, weka.classifiers.trees.J48 -t weather-nominal.arff and
# weather-numeric.arff.
WEATHER = """\
outlook = sunny
|   humidity = high: no (3.0)
|   humidity = normal: yes (2.0)
outlook = overcast: yes (4.0)
outlook = rainy
|   windy = TRUE: no (2.0)
|   windy = FALSE: yes (3.0)

Number of Leaves  : \t5

Size of the tree : \t8
"""


def test_layout_is_that_of_j48():
    assert fasttree.fit(fasttree.datasets.load_weather()).to_text(style="j48") == WEATHER
    pruned = fasttree.fit(fasttree.datasets.load_weather(), min_samples_split=99).to_text(
        style="j48"
    )
    assert pruned == ": yes (14.0/5.0)\n\nNumber of Leaves  : \t1\n\nSize of the tree : \t1\n"
    iris = fasttree.fit(
        fasttree.datasets.load_iris(),
        criterion="gain_ratio",
        thresholds="value",
        pruning="error_based",
    ).to_text(style="j48")
    assert iris.startswith(
        "petal length (cm) <= 1.9: setosa (50.0)\npetal length (cm) > 1.9\n|   petal width (cm) <= "
        "1.7\n"
    )
    assert "petal width (cm) > 1.7: virginica (46.0/1.0)" in iris
    with pytest.raises(ValueError, match="style='c45'"):
        fasttree.fit([[0.0]], [1]).to_text(style="c45")


def test_values_split_in_two_print_as_with_option_b():
    rows = fasttree.Table(
        [["a", 70.0], ["b", 1.5], ["c", 2.5], ["b", 70.5], ["a", 2.0]],
        [0, 1, 1, 2, 0],
        feature_names=["v", "n"],
        categorical_features=["v"],
    )
    text = fasttree.fit(
        rows, nominal_splits="one_vs_rest", thresholds="value", missing="branch"
    ).to_text(style="j48")
    assert text.startswith("v = a: 0 (2.0)\nv != a\n|   n <= 2.5: 1 (2.0)\n|   n > 2.5: 2 (1.0)\n")
    whole = fasttree.fit(
        [[70.0], [71.0]], [0, 1], thresholds="value", nominal_splits="one_vs_rest"
    ).to_text(style="j48")
    assert whole.startswith("x0 <= 70.0: 0 (1.0)")
    assert (
        fasttree.fit([[70.0], [71.0]], [0, 1], thresholds="value")
        .to_text(style="j48")
        .startswith("x0 <= 70: 0 (1.0)")
    )


def test_bins_and_branches_of_missing_values_have_words():
    x = np.array([[0.0], [1.0], [2.0], [3.0], [np.nan]])
    text = fasttree.fit(
        x, [0, 1, 0, 1, 0], discretize="equal_width", n_bins=3, missing="branch"
    ).to_text(style="j48")
    assert (
        "x0 = '(-inf-1]': 0 (2.0/1.0)" in text
        and "x0 = '(1-2]'" in text
        and "x0 = '(2-inf)'" in text
    )
    assert "x0 is missing: 0 (1.0)" in text


def test_j48_has_no_layout_for_numbers():
    tree = fasttree.FastTreeRegressor().fit([[0.0], [1.0]], [0.5, 2.0])
    with pytest.raises(ValueError, match="no layout for numbers"):
        tree.to_text(style="j48")


def test_numbers_print_as_in_weka():
    assert [_weight(w) for w in (48.0, 1.005, 2.675, 253.412, 0.0, 1e7, 12345678.9, 0.02)] == [
        "48.0", "1.0", "2.68", "253.41", "0.0", "1.0E7", "1.23456789E7", "0.02",
    ]  # fmt: skip
    assert [_threshold(t) for t in (0.6, 5.0, -0.5, 2.4500001, 1.2345678, 100.0, -1e-9)] == [
        "0.6", "5", "-0.5", "2.45", "1.234568", "100", "0",
    ]  # fmt: skip
    assert _java(1e-4) == "1.0E-4" and _java(0.001) == "0.001"
