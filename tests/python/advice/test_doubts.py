"""What the sentence of `advise` adds to its figure: time, leaks, classes that no leaf answers."""

from __future__ import annotations

import json

import numpy as np
import pytest
from sklearn.model_selection import TimeSeriesSplit

import fasttree
from fasttree.cli import main
from fasttree.metrics import Scorer

pd = pytest.importorskip("pandas")
pytestmark = pytest.mark.usefixtures("quick_advice")

FAST = {"progress": False, "n_jobs": 1}


def days(n=900, seed=0):
    """A reading per day, whose class has another share in each year."""
    rng = np.random.default_rng(seed)
    when = pd.date_range("2021-07-01", periods=n)
    warm = rng.normal(size=n)
    share = np.choose(when.year - 2021, [0.8, 0.1, 0.8])
    share = np.select([warm > 0.5, warm < -0.5], [0.97, 0.03], share)
    kind = np.where(rng.random(n) < share, "sun", "rain")
    return pd.DataFrame({"day": when.strftime("%d.%m.%Y"), "warm": warm, "kind": kind})


@pytest.fixture(scope="module")
def ordered():
    return fasttree.advise(days(), "kind", **FAST)


@pytest.fixture(scope="module")
def timed():
    return fasttree.advise(days(), "kind", time="day", work="quick", **FAST)


def test_rows_in_the_order_of_a_date_are_judged_by_earlier_rows_as_well(ordered):
    assert "The rows are in the order of 'day': judged by earlier rows" in ordered.sentence
    assert "time='day'" in ordered.sentence
    assert f"{100 * ordered.by_time:.1f} % right" in ordered.sentence
    assert ordered.by_time < ordered.accuracy - 0.05
    found = fasttree.advise(days(), "kind", time="day", **FAST)
    assert "earlier rows" not in found.sentence and found.by_time is None
    assert found.accuracy < ordered.accuracy - 0.05 and "ordered by day" in found.folds
    assert not any("(year)" in name for name in _tested(found.model))


def _tested(model):
    return {model._schema.names[place] for place in model.tree_.feature if place >= 0}


@pytest.mark.parametrize("form", ["text", "descending", "datetime", "file"])
def test_dates_of_every_form_are_in_order(ordered, timed, form, tmp_path):
    frame = days()
    if form == "descending":
        frame = frame.iloc[::-1].reset_index(drop=True)
    if form == "datetime":
        frame["day"] = pd.to_datetime(frame["day"], dayfirst=True)
    rows = frame
    if form == "file":
        rows = tmp_path / "days.csv"
        frame.to_csv(rows, index=False)
    found = fasttree.advise(rows, "kind", work="quick", cv=3, **FAST)
    assert found.by_time == pytest.approx(ordered.by_time, abs=0.1)
    assert "in the order of 'day'" in found.sentence
    again = fasttree.advise(rows, "kind", time="day", work="quick", **FAST)
    assert again.accuracy == timed.accuracy


def test_days_of_one_month_are_in_order_in_every_file(tmp_path):
    pytest.importorskip("pyarrow")
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"when": pd.date_range("2024-03-01", periods=300, freq="2h")})
    frame["warm"] = rng.normal(size=300)
    frame["load"] = frame["warm"] + rng.normal(size=300) + np.arange(300) / 100
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.to_parquet(tmp_path / "rows.parquet")
    files = [tmp_path / "rows.csv", tmp_path / "rows.parquet"]
    how = {"work": "quick", "cv": "1x5", **FAST}
    found = [fasttree.advise(one, "load", **how) for one in (frame, *files)]
    assert found[0].by_time is not None and len({one.by_time for one in found}) == 1


def test_time_is_that_of_every_file(tmp_path, capsys):
    pytest.importorskip("pyarrow")
    frame = days(300).sample(frac=1.0, random_state=0)
    frame["day"] = pd.to_datetime(frame["day"], dayfirst=True)
    frame.loc[frame.index[:2], "kind"] = None
    frame.to_csv(tmp_path / "rows.csv", index=False)
    frame.to_parquet(tmp_path / "rows.parquet")
    found = []
    for name in ("rows.csv", "rows.parquet"):
        arguments = ["-t", "kind", "--time", "day", "--cv", "4"]
        assert main(["cv", str(tmp_path / name), *arguments]) == 0
        advice = fasttree.advise(tmp_path / name, "kind", time="day", work="quick", **FAST)
        found.append((capsys.readouterr().out, advice.accuracy))
    assert found[0] == found[1] and "ordered by day" in found[0][0]


def test_a_split_on_the_year_is_named_where_the_rows_are_in_no_order():
    mixed = days().sample(frac=1.0, random_state=1)
    found = fasttree.advise(mixed, "kind", cv="1x5", **FAST)
    assert "day (year)" in _tested(found.model)
    assert "The tree splits on the year of 'day', which no later row repeats" in found.sentence
    none = fasttree.advise(mixed.assign(day="2024-01-31"), "kind", work="quick", cv=3, **FAST)
    assert none.by_time is None and "earlier rows" not in none.sentence


DECADES = {"Geburtsdatum": True, "construction_date": True, "order_date": False, "visit": False}


@pytest.mark.parametrize("name", DECADES)
@pytest.mark.parametrize("is_sorted", [False, True])
def test_dates_decades_apart_are_time_only_where_rows_are_in_their_order(name, is_sorted):
    rng = np.random.default_rng(0)
    n, years = 900, 60 if DECADES[name] else 5
    when = pd.Timestamp("1950-01-01") + pd.to_timedelta(rng.integers(0, 365 * years, n), "D")
    frame = pd.DataFrame({name: when, "visit_no": rng.integers(0, 9, n)})
    middle = when.year >= 1950 + years // 2
    frame["y"] = np.where(rng.random(n) < np.where(middle, 0.9, 0.1), "p", "q")
    if is_sorted:
        frame = frame.sort_values(name, ignore_index=True)
    found = fasttree.advise(frame, "y", work="quick", cv=3, **FAST)
    assert f"{name} (year)" in _tested(found.model)
    assert (found.by_time is None) == (DECADES[name] and not is_sorted)
    assert ("earlier rows" in found.sentence) == (found.by_time is not None)
    seen = pd.date_range("2020-01-01", periods=n)
    ordered = fasttree.advise(frame, "y", time=seen, work="quick", cv=3, **FAST)
    left_out = f"{name} (year)" in [one for one, _ in ordered.left_out]
    assert left_out == (found.by_time is not None)
    if not left_out:
        assert f"{name} (year)" in _tested(ordered.model)


def test_the_year_is_no_feature_where_folds_are_by_time():
    frame = days()
    found = fasttree.advise(frame, "kind", cv=TimeSeriesSplit(4), **FAST)
    assert [name for name, _ in found.left_out] == ["day (year)"]
    assert not any("(year)" in name for name in _tested(found.model))
    space = {"frame": frame}
    exec(found.code, space)
    assert space["model"].to_text() == found.model.to_text()
    assert found.model.predict(frame.drop(columns="kind")).tolist() == (
        space["model"].predict(frame.drop(columns="kind")).tolist()
    )


def test_constants_are_those_of_the_tested_rows(tmp_path, capsys):
    frame = days()
    later = frame["kind"][len(frame) - 5 * (len(frame) // 6) :]
    found = fasttree.advise(frame, "kind", time="day", **FAST)
    assert found.majority == pytest.approx(later.value_counts(normalize=True).max())
    (constant,) = (row for row in found.table if row["criterion"] is None)
    assert constant["accuracy"] == pytest.approx(found.majority)
    assert "most frequent class of the tested rows" in " ".join(found.notes)
    numbers = frame.assign(kind=np.arange(len(frame)) + 0.5)
    of_number = fasttree.advise(numbers, "kind", time="day", work="quick", **FAST)
    assert of_number.mean == pytest.approx(numbers["kind"][later.index].mean())
    file, out = tmp_path / "days.csv", tmp_path / "out.json"
    frame.to_csv(file, index=False)
    assert main(["cv", str(file), "--time", "day", "--cv", "5", "--json", str(out)]) == 0
    assert json.loads(out.read_text())["majority"] == pytest.approx(found.majority)
    arguments = ["advise", str(file), "--time", "day", "--max-leaves", "4", "--json", str(out)]
    assert main(arguments) == 0
    said = json.loads(out.read_text())
    assert said["majority"] == pytest.approx(found.majority) and said["leaves"] <= 4
    assert "ordered by day" in said["folds"]
    capsys.readouterr()


def test_a_time_that_orders_nothing_is_refused():
    frame = days(120)
    for words, time in {
        r"time=day: data row 7 \(counted from 0\) has no value": "day",
        r"time='when'": "when",
        "time has 3 values, there are 120 rows": [1, 2, 3],
        "time=time: 'soon' has no certain order": ["soon"] * 120,
    }.items():
        gap = frame.assign(day=frame["day"].where(frame.index != 7))
        with pytest.raises(ValueError, match=words):
            fasttree.advise(gap, "kind", time=time, **FAST)
    with pytest.raises(ValueError, match="groups and time: ordered folds do not keep groups"):
        fasttree.advise(frame, "kind", time="day", groups="warm", **FAST)


def leaky(kind):
    table = fasttree.datasets.load_wine()
    frame, rng = table.to_frame(), np.random.default_rng(0)
    label = np.asarray(table.y_codes)
    if kind == "threshold":
        frame["code"] = 10 * label + rng.integers(0, 9, len(label))
        frame = frame[label < 2]
    elif kind == "levels":
        frame["code"] = [
            f"c{2 * one + extra}" for one, extra in zip(label, rng.integers(0, 2, 178))
        ]
    elif kind == "label":
        frame["code"] = label + 4
    else:
        frame = frame.drop(columns="class")
        sign = -1 if kind == "reciprocal" else 1
        frame["code"] = (frame["alcohol"] ** (2 * sign)).round(2 if sign > 0 else 6)
        if kind == "gaps":
            frame.loc[::5, "code"] = np.nan
    return frame, "class" if "class" in frame else "alcohol"


@pytest.mark.parametrize("kind", ["threshold", "levels", "label", "square", "reciprocal", "gaps"])
def test_columns_that_say_what_the_target_says_are_asked_about_in_the_sentence(kind):
    frame, target = leaky(kind)
    found = fasttree.advise(frame, target, work="quick", cv=3, **FAST)
    assert "Column 'code' " in found.sentence and "drop=['code']" in found.sentence
    assert f"is it known before '{target}' is?" in found.sentence
    clean = fasttree.advise(frame.drop(columns="code"), target, work="quick", cv=3, **FAST)
    assert "Column" not in clean.sentence


def test_a_class_that_no_leaf_answers_is_said_not_to_be_found():
    found = fasttree.advise("balance-scale", cv="1x10", **FAST)
    assert "B" not in found.model.predict(fasttree.datasets.load_balance_scale())
    assert "rows are 'B': no leaf of this tree says so, and none of these is" in found.sentence
    assert "(recall)" not in found.sentence


def rare(n=1500, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, 4))
    y = np.where(rng.random(n) < 0.02 + 0.25 * (X[:, 0] > 0.8) + 0.1 * (X[:, 1] > 1), "yes", "no")
    return pd.DataFrame(X, columns=list("abcd")).assign(y=y)


@pytest.mark.parametrize(
    "scoring",
    [
        "recall",
        "balanced_accuracy",
        Scorer("expected_cost", cost_matrix=[[0, 1], [9, 0]]),
    ],
)
def test_weighted_classes_are_tried_where_the_metric_weighs_them(scoring):
    found = fasttree.advise(rare(), "y", scoring=scoring, cv=3, **FAST)
    names = {row["candidate"] for row in found.table}
    assert "gini with at most 8 leaves, balanced classes" in names
    assert "gini with at most 8 leaves, priors halfway to equal ones" in names
    if scoring == "balanced_accuracy":
        plain = max(r[scoring] for r in found.table if ", " not in r["candidate"])
        assert found.table[0][scoring] > plain and {"class_weight", "priors"} & set(found.params)


def test_weighted_classes_are_not_tried_where_the_metric_does_not_weigh_them():
    other = fasttree.advise(rare(), "y", scoring="auc", work="quick", cv=3, **FAST)
    assert not any("classes" in row["candidate"] for row in other.table)


def test_the_threshold_is_the_best_one_and_predict_takes_it(tmp_path, capsys):
    frame = rare()
    found = fasttree.advise(frame, "y", scoring="recall", cv=5, prefer="accurate", **FAST)
    assert 0 < found.threshold < 0.2  # recall alone asks for 'yes' everywhere
    assert found.to_dict()["threshold"] == found.threshold
    assert fasttree.advise(frame, "y", work="quick", cv=3, **FAST).threshold is None
    model, data = tmp_path / "m.json", tmp_path / "d.csv"
    fasttree.fit(frame, "y", max_leaf_nodes=8).save(model)
    frame.to_csv(data, index=False)
    tree = fasttree.load(model)
    for threshold in (0.0, 0.1, 0.5, 1.0):
        assert main(["predict", str(model), str(data), "--threshold", str(threshold)]) == 0
        lines = capsys.readouterr().out.splitlines()[1:]
        said = [line.split(",")[1] for line in lines]
        wanted = tree.predict_proba(frame.drop(columns="y"))[:, 1] >= threshold
        assert said == np.where(wanted, "yes", "no").tolist()
    fasttree.fit("iris").save(model)
    assert main(["predict", str(model), "iris", "--threshold", "0.5"]) == 2
    assert "predicts 3 classes; it is for two classes" in capsys.readouterr().err


def test_a_threshold_that_is_clearly_better_is_in_the_sentence():
    frame = rare(4000)
    costs = Scorer("expected_cost", cost_matrix=[[0, 1], [9, 0]])
    found = fasttree.advise(frame, "y", scoring="f_beta", max_leaf_nodes=2, cv=5, **FAST)
    assert found.model.get_n_leaves() <= 2 and found.threshold is not None
    by_cost = fasttree.advise(frame, "y", scoring=costs, max_leaf_nodes=3, cv=5, **FAST)
    assert by_cost.threshold is not None
    for one in (found, by_cost):
        gain = one._threshold.value - one._threshold.usual
        assert ("--threshold" in one.sentence or "predict_proba" in one.sentence) == (
            gain > 2.5 * one._threshold.error
        )


def test_max_leaf_nodes_bounds_every_tree():
    for data, target in (("breast-cancer", None), ("iris", "petal width (cm)")):
        found = fasttree.advise(data, target, max_leaf_nodes=3, cv=3, **FAST)
        assert max(row["leaves"] for row in found.table) <= 3
        assert found.model.get_n_leaves() <= 3 and found.params["max_leaf_nodes"] == 3
    with pytest.raises(ValueError, match="max_leaf_nodes=1"):
        fasttree.advise("iris", max_leaf_nodes=1, **FAST)


def test_the_tree_of_all_rows_has_no_more_leaves_than_the_one_of_the_sample():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(40_000, 2))
    y = np.sin(3 * X[:, 0]) + np.cos(2 * X[:, 1]) + rng.normal(0, 0.5, 40_000)
    found = fasttree.advise(X, y, work="quick", cv=2, prefer="accurate", **FAST)
    assert found.compared == 10_000
    assert found.model.get_n_leaves() <= np.ceil(found.table[0]["leaves"])
    assert "no more leaves" in " ".join(found.notes)


def test_a_large_tree_gives_way_to_a_small_one_that_is_as_good(whole_advice):
    found = fasttree.advise("breast-cancer", **FAST)
    small = found.model.get_n_leaves()
    assert small <= 4
    near = [row for row in found.table if row["within_one_se"]]
    assert min(row["leaves"] for row in near) > small  # the rule of one standard error keeps these
    assert found.table[0]["accuracy"] > min(row["accuracy"] for row in near) - 0.02


def test_cart_is_tried_on_numbers():
    found = fasttree.advise("iris", "petal width (cm)", cv=3, **FAST)
    names = {row["candidate"] for row in found.table}
    assert {f"squared_error with cost-complexity pruning ({r})" for r in ("min", "1se")} <= names


def test_classes_that_follow_each_other_in_time_are_judged_by_earlier_rows():
    frame = days(200)
    frame["kind"] = np.where(np.arange(200) < 100, "early", "late")
    frame["warm"] = frame["warm"] + 3 * (np.arange(200) >= 100)
    found = fasttree.advise(frame, "kind", cv=3, work="quick", **FAST)
    assert "in the order of 'day'" in found.sentence and 0 <= found.by_time < found.accuracy


@pytest.mark.parametrize("n_rows", [3, 12])
def test_a_split_on_few_rows_per_level_is_named_in_the_sentence(n_rows):
    towns = np.repeat(np.arange(40), n_rows)
    frame = pd.DataFrame({"town": [f"t{t}" for t in towns], "x": np.arange(len(towns)) % 9})
    found = fasttree.advise(frame, towns % 2, **FAST)
    assert found.params and "town" in str(found.model)
    said = "The tree splits on 'town' (40 levels), with fewer than five rows per level"
    assert (said in found.sentence) == (n_rows == 3)
