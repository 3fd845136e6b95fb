"""Folds by groups and by time, of cross_validate, compare and the commands."""

import json
import warnings
from contextvars import copy_context

import numpy as np
import pandas as pd
import pytest
from sklearn.model_selection import (
    GroupKFold,
    KFold,
    LeaveOneGroupOut,
    StratifiedGroupKFold,
    TimeSeriesSplit,
)
from typer.testing import CliRunner

import fasttree
from fasttree.cli.app import app
from fasttree.model_selection import compare, cross_validate

RNG = np.random.default_rng(3)
N = 120
SITES = np.repeat([f"s{i}" for i in range(12)], 10)
X = RNG.normal(size=(N, 3))
Y = np.where(X[:, 0] + RNG.normal(size=N) > 0, "yes", "no")
FRAME = pd.DataFrame(X, columns=["a", "b", "c"]).assign(site=SITES, y=Y)


def torn(folds, groups=SITES):
    return any(set(groups[train]) & set(groups[test]) for train, test in folds.pairs)


@pytest.mark.parametrize("cv", ["1x5", "3x4", 5, GroupKFold(4), StratifiedGroupKFold(3)])
def test_groups_stay_together(cv):
    found = cross_validate(X, Y, "gini", cv=cv, groups=SITES, max_depth=2)
    assert not torn(found.folds) and found.folds.partition_rows(N)
    again = cross_validate(X, Y, "gini", cv=cv, groups=SITES, max_depth=2)
    assert np.array_equal(found["gini"]["accuracy"], again["gini"]["accuracy"])


def test_a_text_means_the_folds_of_scikit_learn():
    found = cross_validate(X, Y, "gini", cv="1x5", groups=SITES, max_depth=2).folds
    expected = StratifiedGroupKFold(5).split(X, Y, SITES)
    for (_, test), (_, other) in zip(found.pairs, expected, strict=True):
        assert np.array_equal(test, other)
    numbers = cross_validate(
        X, X[:, 1] + 0.5, "squared_error", cv="1x5", groups=SITES, max_depth=2
    ).folds
    expected = GroupKFold(5).split(X, Y, np.unique(SITES, return_inverse=True)[1])
    for (_, test), (_, other) in zip(numbers.pairs, expected, strict=True):
        assert np.array_equal(test, other)
    repeated = cross_validate(X, Y, "gini", cv="2x5", groups=SITES, max_depth=2).folds
    first, second = repeated.pairs[:5], repeated.pairs[5:]
    assert not all(np.array_equal(a[1], b[1]) for a, b in zip(first, second, strict=True))
    assert repeated.description == "2x5 by groups"


def test_a_name_takes_the_column_out_of_the_features():
    by_name = cross_validate(FRAME, "y", "gini", cv=LeaveOneGroupOut(), groups="site", max_depth=2)
    by_array = cross_validate(
        FRAME.drop(columns="site"), "y", "gini", cv=LeaveOneGroupOut(), groups=SITES, max_depth=2
    )
    assert by_name["gini"]["accuracy"].tolist() == by_array["gini"]["accuracy"].tolist()
    assert len(by_name.folds.pairs) == 12
    table = fasttree.Table(FRAME, target="y")
    of_table = cross_validate(table, "gini", cv=LeaveOneGroupOut(), groups="site", max_depth=2)
    assert of_table["gini"]["accuracy"].tolist() == by_array["gini"]["accuracy"].tolist()
    compared = compare({"one": table, "two": table}, ["gini", "mdl"], cv="1x4", groups="site")
    assert not torn(compared["one"].folds) and not torn(compared["two"].folds)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cv": GroupKFold(3)}, r"pass groups, an array"),
        ({"cv": LeaveOneGroupOut()}, r"pass groups, an array"),
        ({"cv": "1x20", "groups": SITES}, r'groups: 20 folds need .* there are 12; .* cv="1x12"'),
        ({"cv": "weka", "groups": SITES}, r"weka.*groups.*1x10"),
        ({"cv": "1x3", "groups": SITES[:-1]}, r"groups has 119 values, there are 120 rows"),
        ({"cv": "1x3", "groups": [None, *SITES[1:]]}, r"groups: row 0 .* has no group"),
        ({"cv": "1x3", "groups": ["one"] * N}, r"groups: all rows are of one group"),
        ({"cv": "1x3", "groups": "sight"}, r"groups='sight' is not a column of X"),
    ],
)
def test_errors_name_groups_and_the_remedy(options, message):
    with pytest.raises(ValueError, match=message):
        cross_validate(FRAME, "y", "gini", max_depth=2, **options)
    table = fasttree.Table(FRAME, target="y")
    with pytest.raises(ValueError, match="groups"):
        cross_validate(table, "gini", cv="1x3", groups="y")
    with pytest.raises(ValueError, match="one array for 2 data sets"):
        compare({"one": table, "two": table}, ["gini"], groups=SITES)


def test_a_splitter_that_tears_groups_warns():
    with pytest.warns(UserWarning, match="trains and tests on rows of the same"):
        cross_validate(X, Y, "gini", cv=KFold(4, shuffle=True), groups=SITES, max_depth=2)


def test_ordered_folds_train_on_earlier_rows():
    found = cross_validate(X, Y, ["gini", "mdl"], cv=TimeSeriesSplit(4), max_depth=2)
    assert all(train.max() < test.min() for train, test in found.folds.pairs)
    assert found["gini"]["accuracy"].shape == (4,)


def run(*arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        # What a command says once is said again by the next one.
        return copy_context().run(CliRunner().invoke, app, list(map(str, arguments)))


def test_commands_take_groups_and_time(tmp_path):
    dates = pd.date_range("2024-01-01", periods=N).strftime("%Y-%m-%d")
    order = RNG.permutation(N)
    file = tmp_path / "rows.csv"
    FRAME.assign(day=dates).iloc[order][["day", "site", "a", "b", "c", "y"]].to_csv(
        file, index=False
    )
    grouped = run("cv", file, "--groups", "site", "--drop", "day", "--cv", "1x4", "-c", "gini")
    assert grouped.exit_code == 0, grouped.output
    out = tmp_path / "out.json"
    timed = run(
        "cv", file, "--time", "day", "--drop", "site", "--cv", 4, "-c", "gini", "--json", out
    )
    assert timed.exit_code == 0, timed.output
    expected = cross_validate(
        FRAME[["a", "b", "c"]], Y, "gini", cv=TimeSeriesSplit(4), scoring="accuracy"
    )
    text = json.loads(out.read_text())
    means = [row["mean"] for row in text["rows"] if row["metric"] == "accuracy"]
    assert means == [pytest.approx(expected.mean("gini", "accuracy"))]
    both = run("compare", file, "--groups", "site", "--time", "day")
    assert both.exit_code != 0 and "give one of them" in str(both.exception)
    unknown = run("cv", file, "--groups", "sight")
    assert unknown.exit_code != 0 and "--groups sight: no column of" in str(unknown.exception)
    compared = run(
        "compare", file, "--groups", "site", "--drop", "day", "--cv", "1x4", "-c", "gini,mdl"
    )
    assert compared.exit_code == 0, compared.output


@pytest.mark.parametrize("form", ["%d.%m.%Y", "%m/%d/%Y", "%d %b %Y", "%Y-%m-%d %H:%M"])
def test_dates_of_every_form_are_sorted_by_time(tmp_path, form):
    days = np.datetime64("2023-11-01") + np.arange(N)
    order = RNG.permutation(N)
    texts = [day.astype(object).strftime(form) for day in days]
    file, out = tmp_path / "rows.csv", tmp_path / "out.json"
    FRAME.assign(day=texts).iloc[order][["day", "a", "b", "c", "y"]].to_csv(file, index=False)
    found = run("cv", file, "--time", "day", "--cv", 4, "-c", "gini", "--json", out)
    assert found.exit_code == 0 and "4 folds (1x4 ordered by day)" in found.output
    expected = cross_validate(FRAME[["a", "b", "c"]], Y, "gini", cv=TimeSeriesSplit(4))
    means = [r["mean"] for r in json.loads(out.read_text())["rows"] if r["metric"] == "accuracy"]
    assert means == [pytest.approx(expected.mean("gini", "accuracy"))]


def test_a_time_without_certain_order_is_refused(tmp_path):
    file = tmp_path / "rows.csv"
    days = [f"{1 + i % 12}/{1 + i % 11}/2024" for i in range(N)]
    FRAME.assign(day=days)[["day", "a", "y"]].to_csv(file, index=False)
    found = run("cv", file, "--time", "day", "--cv", 4)
    assert found.exit_code != 0
    assert "--time day" in str(found.exception) and "2024-12-31" in str(found.exception)


def test_a_pair_of_rows_and_labels_has_groups_by_name():
    frame = fasttree.datasets.load_iris().to_frame()
    y = frame.pop("class")
    frame["patient"] = np.arange(150) % 30
    alone = cross_validate(frame, y, "gini", cv="1x3", groups="patient")
    for found in (
        cross_validate((frame, y), "gini", cv="1x3", groups="patient"),
        cross_validate((frame, y), criterion="gini", cv="1x3", groups="patient"),
        compare((frame, y), "gini", cv="1x3", groups="patient")["data"],
        compare({"iris": (frame, y)}, "gini", cv="1x3", groups="patient")["iris"],
    ):
        assert found.folds.description == "1x3 by groups"
        assert found["gini"]["accuracy"].tolist() == alone["gini"]["accuracy"].tolist()
    with pytest.raises(TypeError, match="X is a pair"):
        cross_validate((frame, y), y, "gini", cv="1x3")
    # Two rows are no pair.
    assert cross_validate(((0, 1), (1, 0)), [0, 1], cv=[([0, 1], [0, 1])]).methods == ("info_gain",)
