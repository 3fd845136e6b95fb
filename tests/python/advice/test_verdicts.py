"""Where `advise` recommends no tree, what it says first, and what it offers beside a large tree."""

from __future__ import annotations

import re

import numpy as np
import pytest

import fasttree
from fasttree.advice.candidates import candidates, work_of
from fasttree.advice.doubts import _counts_time
from fasttree.cli import main

pd = pytest.importorskip("pandas")
pytestmark = pytest.mark.usefixtures("quick_advice")

FAST = {"progress": False, "n_jobs": 1, "work": "quick"}


def counts(n=1500, seed=0):
    """Mostly zeros with a heavy tail, which is somewhat longer where ``a`` is large."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, n))
    y = np.where(rng.random(n) < 0.15 + 0.25 * (a > 0), rng.gamma(1.0, 3.0, n), 0.0)
    return pd.DataFrame({"a": a, "b": b, "y": y})


@pytest.mark.parametrize("scoring", ["rmse", "r2"])
def test_a_tree_that_is_better_is_not_refused_for_the_error_of_few_folds(scoring):
    frame, how = counts(700), {"scoring": scoring, "cv": 3, **FAST}
    found = fasttree.advise(frame, "y", **how)
    (mean,) = (row for row in found.table if row["candidate"] == "the mean")
    sign = -1 if scoring == "rmse" else 1
    assert found.params and sign * found.value > sign * mean[scoring]
    if scoring == "rmse":  # by the error of few folds alone the constant is as good
        best = min(found.table, key=lambda row: row["rmse"])
        assert mean["rmse"] < best["rmse"] + best["standard_error"]
    rng = np.random.default_rng(1)
    noise = frame.assign(y=rng.permutation(frame["y"]))
    assert not fasttree.advise(noise, "y", **how).params


def shares(n=1200, seed=0):
    """Classes whose shares depend on ``a``, where the first has more than half everywhere."""
    rng = np.random.default_rng(seed)
    a, b = rng.normal(size=(2, n))
    y = np.where(rng.random(n) < np.where(a > 0, 0.35, 0.05), "no", "yes")
    return pd.DataFrame({"a": a, "b": b, "y": y})


def test_where_a_constant_is_as_good_another_measure_shows_what_the_columns_tell(capsys, tmp_path):
    for frame, metric, constant in (
        (shares(700), "auc", "always answering 'yes'"),
        (counts(), "r2", "always saying the median, 0"),
    ):
        found = fasttree.advise(frame, "y", **FAST)
        assert not found.params and f"is clearly better than {constant}" in found.sentence
        assert f"by {metric}, " in found.sentence and f"scoring='{metric}'" in found.sentence
        assert fasttree.advise(frame, "y", scoring=metric, **FAST).params
        rng = np.random.default_rng(5)
        noise = frame.assign(y=rng.permutation(frame["y"]))
        said = fasttree.advise(noise, "y", **FAST).sentence
        assert "by more than chance allows: use no tree, or other columns" in said
    file = tmp_path / "shares.csv"
    shares(700).to_csv(file, index=False)
    assert main(["advise", str(file), "-t", "y", "--work", "quick", "--cv", "3"]) == 0
    assert "to choose by it: `--metric auc`." in capsys.readouterr().out


def test_a_tree_that_is_announced_to_be_worse_than_the_constant_is_not_recommended():
    trees = 0
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X = rng.normal(size=(150, 6))
        y = rng.random(150) < np.where(X[:, 0] > 0, 0.6, 0.2)
        found = fasttree.advise(X, y, **{**FAST, "cv": "1x10"})
        trees += bool(found.params)
        assert not found.params or found.accuracy > found.majority
    assert 0 < trees < 12  # both cases occur


def periods(name, n=480, turns=True):
    """Numbers that grow with time, which a column counts, and another that tells little."""
    rng = np.random.default_rng(0)
    when = np.arange(n) // 12
    level = np.where(when % 8 < 4, 0.0, 6.0) if turns else 0.0
    other = rng.normal(size=n)
    return pd.DataFrame(
        {name: when + 1990, "other": other, "y": level + 2 * other + rng.normal(size=n)}
    )


@pytest.mark.parametrize("name", ["year", "Jahr", "YrSold", "ordinal_date", "trend", "period"])
def test_numbers_that_count_time_are_noticed_by_their_order(name):
    frame, how = periods(name), {"cv": 3, **FAST}
    found = fasttree.advise(frame, "y", **how)
    assert f"he rows are in the order of '{name}': judged by earlier rows without '{name}'" in (
        found.sentence
    )
    assert f"time='{name}'" in found.sentence and found.by_time > found.value + 0.3
    other = fasttree.advise(frame.rename(columns={name: "dose"}), "y", **how)
    assert other.by_time is None and "earlier rows" not in other.sentence
    assert fasttree.advise(frame, "y", time=name, **FAST).by_time is None


def test_a_split_on_a_year_is_noticed_where_the_rows_are_in_no_order():
    mixed = periods("year").sample(frac=1.0, random_state=0)
    how = {"cv": 3, **FAST}
    found = fasttree.advise(mixed, "y", **how)
    assert "The tree splits on 'year', which no later row repeats" in found.sentence
    for name in ("trend", "year_built", "age"):  # of which later rows may have any value
        other = fasttree.advise(mixed.rename(columns={"year": name}), "y", **how)
        assert other.by_time is None


def test_names_of_time():
    years = ["year", "Year", "YEAR", "année", "sale_year", "decimal date", "fecha", "rok"]
    assert {_counts_time(name) for name in years} == {"years"}
    numbers = ["month", "Trend", "time", "time index", "quarter", "Woche", "periodo"]
    assert {_counts_time(name) for name in numbers} == {"periods"}
    others = ["yrs_married", "YearBuilt", "model_year", "number", "index", "x1", "1", "daytime_use"]
    assert {_counts_time(name) for name in others} == {""}


def test_a_tree_that_is_worse_on_later_rows_is_not_recommended_first():
    frame = periods("year")
    frame["other"] = frame["other"].cumsum()  # tells the past by heart
    frame["y"] = np.sin(np.arange(len(frame)) / 17) + np.arange(len(frame)) // 160 % 2
    found = fasttree.advise(frame, "y", **FAST)
    assert found.sentence.startswith("On later rows this tree is no better than a constant. The ")
    value, constant = map(float, re.findall(r"([\d.]+) off", found.sentence)[:2])
    assert value == pytest.approx(found.by_time, abs=0.01) and value >= constant
    assert "For rows in no order of time: use " in found.sentence
    better = periods("year", turns=False)
    assert fasttree.advise(better, "y", **FAST).sentence.startswith("Use ")


@pytest.mark.parametrize("kind", ["level", "number", "of a number"])
def test_a_column_that_is_filled_in_afterwards_is_asked_about(kind):
    rng = np.random.default_rng(0)
    n = 800
    late, a = rng.random(n) < 0.1, rng.normal(size=n)
    known = late ^ (rng.random(n) < 0.01)
    codes = rng.choice(["c1", "c2"], n) if kind == "level" else rng.normal(size=n).round(2)
    frame = pd.DataFrame({"a": a, "code": pd.Series(codes).where(known)})
    frame["y"] = 10.0 * late + rng.normal(size=n) if kind == "of a number" else np.where(
        late, "late", "paid"
    )  # fmt: skip
    how = {"cv": 3, **FAST}
    found = fasttree.advise(frame, "y", **how)
    assert "Whether 'code' has a value tells nearly all that the tree tells" in found.sentence
    assert "drop=['code']" in found.sentence
    # A gap at random, in a column that tells much by its values, is none.
    frame["code"] = pd.Series(late + rng.normal(0, 0.1, n)).where(rng.random(n) < 0.9)
    assert "has a value" not in fasttree.advise(frame, "y", **how).sentence


def test_a_large_tree_is_offered_with_what_a_small_one_costs():
    rng = np.random.default_rng(0)
    x = rng.uniform(0, 60, 2500)
    frame = pd.DataFrame({"x": x, "y": (7 * np.floor(x)) % 61 + rng.normal(0, 0.5, len(x))})
    found = fasttree.advise(frame, "y", **FAST)
    small = min(
        row["mae"] for row in found.table if row["criterion"] and 1.5 <= row["leaves"] <= 16
    )
    assert found.model.get_n_leaves() > 32
    assert f"With at most 16 leaves about {small:.2f} off: max_leaf_nodes=16." in found.sentence
    limited = fasttree.advise(frame, "y", max_leaf_nodes=16, **FAST)
    assert limited.model.get_n_leaves() <= 16 and "With at most" not in limited.sentence


def test_the_text_lists_the_best_dozen_and_the_constants(whole_advice, capsys):
    assert main(["advise", "iris", "--cv", "1x5"]) == 0
    short = capsys.readouterr().out
    assert "majority class" in short and "... and 21 more: --full" in short
    assert main(["advise", "iris", "--cv", "1x5", "--full"]) == 0
    whole = capsys.readouterr().out
    assert "more: --full" not in whole and whole.count("\n") - short.count("\n") == 20


def test_a_class_of_a_few_rows_has_no_column_of_its_own():
    frame = shares(300)
    frame["y"] = np.where(frame["a"] > 0, "p", "q")
    frame.loc[:3, "y"] = "odd"
    assert fasttree.advise(frame, "y", **FAST).rare_class is None
    frame.loc[:5, "y"] = "odd"
    assert fasttree.advise(frame, "y", **FAST).rare_class == "odd"


@pytest.mark.parametrize(("levels", "factor", "of_few_leaves"), [(40, 5, 5), (400, 50, 12.5)])
def test_the_least_absolute_error_is_counted_by_what_it_takes(levels, factor, of_few_leaves):
    rng = np.random.default_rng(0)
    city = [f"c{i % levels}" for i in rng.permutation(500)]
    table = fasttree.Table(
        pd.DataFrame({"city": city, "y": rng.normal(size=500)}), target="y", task="regression"
    )
    plan = {one.name: work_of(one, table, 10) for one in candidates(table)}
    squared = plan["squared_error with m5 pruning, subset"]
    assert plan["absolute_error with m5 pruning, subset"] == factor * squared
    assert plan["absolute_error with at most 8 leaves"] == of_few_leaves * squared
    assert plan["absolute_error with m5 pruning, multiway"] == 2 * squared


def test_cart_of_a_number_may_have_small_leaves():
    """Steps of three rows each, which leaves of five cannot tell."""
    x = np.arange(300) / 8
    y = 10 * np.random.default_rng(0).normal(size=100).repeat(3)
    frame = pd.DataFrame({"x": x, "y": y}).sample(frac=1.0, random_state=0)
    found = fasttree.advise(frame, "y", **FAST)
    assert (
        found.params["min_samples_leaf"] == 2 and "cost-complexity" in found.table[0]["candidate"]
    )
