"""compare(..., stability=N): what `model.stability` finds for each tree on all rows."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from sklearn.datasets import load_diabetes
from sklearn.naive_bayes import GaussianNB

import fasttree
from fasttree.model_selection import compare

IRIS = fasttree.datasets.load_iris()
WEATHER = fasttree.datasets.load("tic-tac-toe").take(slice(0, 300))


def text_of(figures):
    return f"{100 * figures['agreement']:.1f} ({figures['similarity']:.2f})"


@pytest.mark.parametrize("n_jobs", [None, 2])
def test_stability_is_that_of_each_tree_on_all_rows(n_jobs):
    sets = {"iris": IRIS, "board": WEATHER}
    trees = {"gini": "gini", "pruned": fasttree.FastTreeClassifier(pruning="error_based")}
    found = compare(
        sets,
        "gini",
        estimators={"pruned": trees["pruned"], "NB": GaussianNB()},
        cv="1x3",
        stability=4,
        max_depth=3,
        n_jobs=n_jobs,
    )
    for name, table in sets.items():
        alone = {
            "gini": fasttree.fit(table, criterion="gini", max_depth=3),
            "pruned": trees["pruned"].fit(table),
        }
        expected = {m: t.stability(table, repeats=4).to_dict() for m, t in alone.items()}
        assert found[name].stability == expected
        assert found.document()["stability"][name] == expected
        (line,) = (x for x in found.to_text().split("4 refits")[1].splitlines() if name in x)
        cells = line.removeprefix(name).strip()
        assert [x.strip() for x in cells.split("  ") if x.strip()] == [
            text_of(expected["gini"]), text_of(expected["pruned"]), "-"
        ]  # fmt: skip


def test_trees_of_tests_are_refitted_on_subsamples():
    tree = fasttree.FastTreeClassifier(**fasttree.presets.CTREE)
    options = {"estimators": {"ctree": tree}, "cv": "1x2", "stability": 3}
    found = compare({"iris": IRIS}, "gini", **options)
    expected = tree.fit(IRIS).stability(IRIS, repeats=3, sample="subsample")
    assert found["iris"].stability["ctree"] == expected.to_dict()
    assert found["iris"].stability["gini"]["sample"] == "bootstrap"
    assert "On subsamples, " in found.to_text() and "p-values too small: ctree." in found.to_text()
    assert "Stability: 3 refits on subsamples" in compare({"iris": IRIS}, **options).to_text()


def test_groups_are_drawn_whole():
    frame = IRIS.to_frame().assign(site=np.arange(150) % 40)
    y = frame.pop("class")
    found = compare({"iris": (frame, y)}, ["gini"], groups="site", cv="1x3", stability=3)
    rows = frame.drop(columns="site")
    model = fasttree.FastTreeClassifier(criterion="gini").fit(rows, y)
    expected = model.stability(rows, y, repeats=3, groups=frame["site"])
    assert found["iris"].stability["gini"] == expected.to_dict()


def test_numbers_and_many_methods_are_rows():
    X, y = load_diabetes(return_X_y=True)
    criteria = ["squared_error", "absolute_error", "poisson", "standard_deviation"]
    more = {f"depth {d}": fasttree.FastTreeRegressor(max_depth=d) for d in (2, 3, 4)}
    found = compare(
        {"d": (X, y)}, criteria, estimators=more, cv="1x3", stability=3, task="regression"
    )
    table = found.tables()[-1]
    assert [row[0].text for row in table.rows] == list(found.methods)
    deviation = found["d"].stability["depth 2"]["agreement"]
    alone = more["depth 2"].fit(X, y).stability(X, y, repeats=3)
    assert deviation == alone.trees.agreement and "Standard deviation" in table.notes[0]


def test_reports_have_the_table_and_repeat_the_call():
    pytest.importorskip("jinja2")
    found = compare({"iris": IRIS}, ["gini", "info_gain"], cv="1x3", stability=3)
    page = found.to_html()
    assert "Stability: 3 refits" in page and "stability=3" in page
    trees = {
        "ctree": fasttree.FastTreeClassifier(**fasttree.presets.CTREE),
        "honest": fasttree.FastTreeClassifier(honest=True, random_state=0),
    }
    page = compare({"iris": IRIS}, estimators=trees, cv="1x3").to_html()
    assert "Test of independence: p = " in page and "Interval of level 0.95" in page
    assert "stability=" not in page


def test_sets_without_a_tree_have_dashes():
    models = {"NB": GaussianNB(), "pair tree": fasttree.FastTreeClassifier(criterion="pi")}
    sets = {"numbers": (IRIS.X, IRIS.y), "board": WEATHER.take(slice(0, 60))}
    models["pair tree"].set_params(discretize=None, max_depth=1)  # numbers are refused
    found = compare(
        sets, estimators=models, cv="1x2", stability=2, on_error="skip", random_state=None
    )
    assert found["numbers"].stability == {} and "pair tree" in found["board"].stability
    assert found.tables()[1].rows[0][1].text == "-"


def test_searches_that_end_by_the_clock_have_none():
    search = fasttree.OptimalTreeClassifier(max_depth=1, time_limit=60)
    frame = pd.DataFrame({"a": np.arange(60) % 7, "b": np.arange(60) % 5})
    y = (frame["a"] > 3).to_numpy()
    found = compare({"s": (frame, y)}, "gini", estimators={"search": search}, cv="1x2", stability=2)
    assert list(found["s"].stability) == ["gini"]


@pytest.mark.parametrize("bad", [0, 1.5, "many"])
def test_bad_numbers_of_refits_are_named(bad):
    with pytest.raises(ValueError, match="stability="):
        compare({"iris": IRIS}, ["gini"], stability=bad)
