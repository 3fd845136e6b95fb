"""`advise` for a number: an honest error in the unit of the target, and when a constant is as
good."""

from __future__ import annotations

import json
import re

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

import fasttree
from fasttree.advice import search
from fasttree.advice.candidates import candidates
from fasttree.advice.selection import choose, corrected_accuracy

pd = pytest.importorskip("pandas")
pytestmark = pytest.mark.usefixtures("quick_advice")

QUICK = {"time_limit": None, "progress": False}


def deliveries(n=300, seed=0):
    """Minutes of a delivery: two steps and a slope, with an identifier and a date."""
    rng = np.random.default_rng(seed)
    km, floor = rng.uniform(0, 10, n).round(2), rng.integers(0, 6, n)
    minutes = 10 + 12 * (km > 5) + 6 * (floor > 3) + 0.5 * km + rng.normal(0, 2, n)
    frame = pd.DataFrame({"id": rng.permutation(n), "km": km, "floor": floor, "minutes": minutes})
    frame["day"] = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 90, n), "D")
    return frame


@pytest.fixture(scope="module")
def advice():
    return fasttree.advise(deliveries(), "minutes", **QUICK)


def test_the_sentence_says_how_far_off_and_how_much_better_than_the_mean(advice):
    assert isinstance(advice.model, fasttree.FastTreeRegressor) and advice.task == "regression"
    words = r"on new rows about ([\d.]+) off, (\d+) % better than always saying the mean"
    found = re.search(words, advice.sentence)
    assert found is not None, advice.sentence
    assert float(found[1]) == pytest.approx(advice.mae, abs=0.006)
    y = deliveries()["minutes"].to_numpy()
    assert advice.mean == pytest.approx(y.mean())
    assert advice.mae_of_mean == pytest.approx(np.abs(y - y.mean()).mean())
    assert int(found[2]) == round(100 * (1 - advice.mae / advice.mae_of_mean))
    assert [name for name, _ in advice.left_out] == ["id"] and advice.dates == ["day"]
    assert advice.accuracy is None and advice.majority is None
    assert "in the unit of 'minutes'" in advice.sentence


def test_the_error_is_that_of_fresh_rows(advice):
    fresh = deliveries(20_000, seed=9)
    off = np.abs(advice.model.predict(fresh.drop(columns="minutes")) - fresh["minutes"]).mean()
    assert abs(advice.mae - off) < 2 * advice.standard_error
    grown = fasttree.fit(deliveries()[["km", "floor", "minutes"]], "minutes")
    inside = np.abs(grown.predict(deliveries()[["km", "floor"]]) - deliveries()["minutes"]).mean()
    assert inside < advice.mae  # the figure is not that of the rows that were fitted


def test_the_recommended_tree_is_the_smallest_within_one_standard_error(advice):
    (chosen,) = (row for row in advice.table if row["chosen"])
    assert chosen is advice.table[0]
    allowed = [row for row in advice.table if row["leaves"] <= 30]
    best = min(allowed, key=lambda row: row["mae"])
    slack = min(best["standard_error"], 0.02 * best["mae"])
    near = [row for row in allowed if row["mae"] <= best["mae"] + slack + 1e-9]
    assert chosen["leaves"] == min(row["leaves"] for row in near)
    assert {row["candidate"] for row in near} == {
        row["candidate"] for row in advice.table if row["within_one_se"]
    }


def test_the_most_accurate_is_recommended_where_that_is_preferred(advice):
    found = fasttree.advise(deliveries(), "minutes", prefer="accurate", **QUICK)
    assert [row["mae"] for row in found.table if row["chosen"]] == [
        min(row["mae"] for row in found.table if row["leaves"] <= 30)
    ]
    assert sorted(r["mae"] for r in found.table) == sorted(r["mae"] for r in advice.table)
    classes = fasttree.advise("iris", prefer="accurate", **QUICK)
    assert classes.table[0]["accuracy"] == max(
        row["accuracy"] for row in classes.table if row["leaves"] <= 15
    )
    with pytest.raises(ValueError, match="prefer='big' is not known; use 'small', 'accurate'"):
        fasttree.advise("iris", prefer="big")


def test_the_table_holds_what_cross_validation_finds(advice):
    frame = deliveries()[["km", "floor", "day", "minutes"]]
    table = fasttree.Table(frame, target="minutes", dates=["day"], task="regression").drop("day")
    constants = {row["candidate"] for row in advice.table if row["criterion"] is None}
    assert "the mean" in constants
    assert len(advice.table) == len(search.candidates(table)) + len(constants)
    for one in candidates(table)[:2]:
        result = fasttree.model_selection.cross_validate(
            table,
            estimators={one.name: fasttree.FastTreeRegressor(**one.params)},
            cv="3x10",
            scoring=("mae",),
        )
        (row,) = [r for r in advice.table if r["candidate"] == one.name]
        assert row["mae"] == pytest.approx(result.mean(one.name, "mae"), rel=1e-9)
        assert row["leaves"] == pytest.approx(result.mean(one.name, "leaves"))


@pytest.mark.parametrize("skewed", [False, True])
def test_noise_gets_no_tree(skewed):
    rng = np.random.default_rng(4)
    frame = pd.DataFrame(rng.normal(size=(200, 3)), columns=list("abc"))
    noise = rng.normal(5, 1, 200)
    frame["y"] = np.exp(noise) if skewed else noise
    found = fasttree.advise(frame, "y", **QUICK)
    assert found.params == {} and found.model.get_n_leaves() == 1
    name = "median" if skewed else "mean"
    value = getattr(np, name)(frame["y"])
    assert found.sentence.startswith(f"No tree is better than always saying the {name}, ")
    assert "the mean, " in found.sentence
    assert found.model.predict(frame[["a", "b", "c"]]) == pytest.approx(value)
    assert found.code == "# no tree is recommended\n"


def test_the_code_makes_the_model(advice, tmp_path):
    space: dict = {"frame": deliveries()}
    exec(advice.code, space)
    assert space["model"].to_text() == advice.model.to_text()
    file = tmp_path / "d.csv"
    frame = deliveries()[["km", "floor", "minutes"]].round(0)
    frame.loc[3, "minutes"] = np.nan
    frame.to_csv(file, index=False)
    found = fasttree.advise(file, "minutes", task="regression", **QUICK)
    assert found.unlabelled == 1
    assert "Left out: 1 row without a number." in found.notes
    space = {}
    exec(found.code, space)
    assert space["model"].to_text() == found.model.to_text()
    table = fasttree.datasets.load(file, "minutes").drop_missing_target()
    again = fasttree.advise(table, task="regression", **QUICK)
    assert again.mae == found.mae
    space = {}
    exec(again.code, space)
    assert space["model"].to_text() == found.model.to_text()


def test_the_task_is_found_out_or_named(whole_advice):
    X, y = load_diabetes(return_X_y=True)
    first = {"time_limit": 1e-9, "progress": False}
    whole = fasttree.advise(X, y.astype(int), task="regression", **first)
    assert whole.task == "regression" and len(whole.not_tried) == len(candidates_of(y)) - 1
    assert whole.mae == fasttree.advise(X, y + 0.25, **first).mae
    with pytest.raises(ValueError, match="give task='regression' for a number"):
        fasttree.advise(X, y.astype(int), **first)
    with pytest.raises(ValueError, match="Unknown label type: continuous"):
        fasttree.advise(X, y + 0.25, task="classification", **first)
    with pytest.raises(ValueError, match="task='number' is not known"):
        fasttree.advise(X, y, task="number")
    with pytest.raises(ValueError, match="is 2.5 in all rows: there is nothing to predict"):
        fasttree.advise(X, np.full(len(y), 2.5), **first)
    with pytest.raises(ValueError, match="row 7 of the target 'y' has no number"):
        fasttree.advise(X, np.where(np.arange(len(y)) == 7, np.nan, y + 0.5), **first)


@pytest.mark.parametrize(
    ("low", "high", "values"),
    [(0.05, 0.4, (0.0, 1.0)), (0.3, 0.5, (-3.0, 5.5)), (0.6, 0.95, (-3.0, 5.5))],
)
def test_a_number_of_two_values_gets_a_tree_of_its_shares(low, high, values):
    rng = np.random.default_rng(0)
    x = rng.normal(size=700)
    y = np.where(rng.random(len(x)) < np.where(x > 0.3, high, low), values[1], values[0])
    how = {"task": "regression", "cv": "1x10", "work": "quick", **QUICK}
    found = fasttree.advise(pd.DataFrame({"x": x, "y": y}), "y", **how)
    assert found.metric == "rmse" and found.model.get_n_leaves() > 1
    told = found.model.predict({"x": [-1.0, 1.0]})
    shares = (told - values[0]) / (values[1] - values[0])
    assert shares == pytest.approx([low, high], abs=0.08)
    noise = pd.DataFrame({"x": x, "y": rng.permutation(y)})
    assert not fasttree.advise(noise, "y", **how).params


def test_the_unit_of_the_target_does_not_matter(advice):
    for unit in (1e-30, 1e30):
        frame = deliveries()
        frame["minutes"] *= unit
        found = fasttree.advise(frame, "minutes", task="regression", **QUICK)
        assert found.table[0]["leaves"] == advice.table[0]["leaves"]
        assert found.mae / unit == pytest.approx(advice.mae, rel=1e-6)
        assert found.standard_error / unit == pytest.approx(advice.standard_error, rel=1e-6)


def candidates_of(y):
    return candidates(fasttree.Table(np.zeros((len(y), 1)), y, task="regression"))


def test_poisson_is_tried_on_numbers_that_are_not_negative():
    criteria = [{c.criterion for c in candidates_of(y)} for y in (np.arange(60), np.arange(60) - 1)]
    assert criteria[0] - criteria[1] == {"poisson"}


def test_the_correction_against_simulated_truth():
    """Candidates of known error: the corrected one is that of the chosen one."""
    errors, flattered = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        true = rng.uniform(3.0, 3.2, 20)
        off = rng.gamma(2.0, true / 2.0, (300, 20))
        place = choose(-off.mean(axis=0), np.ones(20), 300, (off**2).mean(axis=0))
        found, _ = corrected_accuracy(-off, np.ones(20), seed, divisions=6, squares=off**2)
        errors.append(-found - true[place])
        flattered.append(off.mean(axis=0)[place] - true[place])
    error = np.std(errors, ddof=1) / np.sqrt(len(errors))
    assert abs(np.mean(errors)) < 3 * error
    assert np.mean(flattered) < -0.1


def test_the_page_and_the_command_show_it(advice, tmp_path, capsys):
    from fasttree.cli import main

    page = advice.to_html(tmp_path / "a.html")
    assert "<svg" in page and "MAE" in page and "accuracy (%)" not in page
    assert "% better than always saying the mean" in page
    text = str(advice)
    assert "off on average; median " in text and "task='regression'" in text
    file, out = tmp_path / "d.csv", tmp_path / "a.json"
    deliveries().to_csv(file, index=False)
    arguments = ["advise", str(file), "-t", "minutes", "--time-limit", "0", "--json", str(out)]
    model = tmp_path / "m.json"
    assert main([*arguments, "--task", "regression", "-m", str(model)]) == 0
    found = json.loads(out.read_text())
    assert found["sentence"] in capsys.readouterr().out
    assert found["task"] == "regression" and found["mae"] == pytest.approx(advice.mae)
    assert {"mean", "mae_of_mean", "mae_is"} <= set(found) and "accuracy" not in found
    assert main(["predict", str(model), str(file)]) == 0
    assert "of 300 rows whose number is known" in capsys.readouterr().err
    assert main([*arguments, "--prefer", "big"]) == 2
    assert "--prefer 'big' is not known" in capsys.readouterr().err


def test_with_an_exposure_errors_are_named_as_they_are():
    frame = pd.DataFrame({"a": np.arange(60) * 1.37, "m": np.arange(60) + 1.0, "n": [0, 1, 3] * 20})
    frame["y"] = list("pq") * 30
    for words, given in {
        r"^row 0 of the target 'y' is 'p', which is not a number": {"y": "y"},
        r"^drop: no column is named 'zz'": {"y": "n", "drop": ["zz"]},
        r"^y='zz' is not a column": {"y": "zz"},
        r"^requires y to be passed": {},
        r"^the target of row 1 is -1: with an exposure it is a count": {"y": -frame["n"]},
        r"^exposure with task='classification': only counts": {"y": "n", "task": "classification"},
    }.items():
        with pytest.raises(ValueError, match=words):
            fasttree.advise(frame, exposure="m", **given, **QUICK)


@pytest.mark.parametrize("number", [3.0, 0.1])  # the mean of 48 times 0.1 is rounded
@pytest.mark.parametrize("scoring", [None, "rmse"])
def test_tested_rows_of_one_number_cannot_tell_trees_from_a_constant(number, scoring):
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(60, 2)), np.r_[rng.normal(size=12), np.full(48, number)]
    how = {"task": "regression", "time": np.arange(60), "cv": 3, "work": "quick", **QUICK}
    found = fasttree.advise(X, y, scoring=scoring, **how)
    text = str(found)
    assert f"mean of the tested rows {number}" in text and "-0 " not in text
    assert "which is 0 off on average" in text
    assert "<table" in found.to_html() and found.mean == number
    if scoring is None:
        assert found.mae == 0.0 and not found.params
        assert found.sentence.startswith("All tested rows have the same number")
        assert "choose folds that test more than one number (cv)" in found.sentence
