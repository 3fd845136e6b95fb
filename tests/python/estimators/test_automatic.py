"""What automatic settings mean for trees that are compared."""

import functools
import itertools

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree import FastTreeClassifier, FastTreeRegressor, criteria, presets
from fasttree.estimators.automatic import _automatic, differences_in_words, share_missing
from fasttree.model_selection import compare, cross_validate


def rows(n, seed=0, levels=40):
    """Rows with missing values, a column of many levels and numbers; classes and numbers."""
    rng = np.random.default_rng(seed)
    frame = pd.DataFrame(
        {
            "a": rng.choice(["y", "n", None], n, p=[0.45, 0.4, 0.15]),
            "b": rng.choice(["u", "v", "w", None], n, p=[0.3, 0.3, 0.3, 0.1]),
            "many": rng.choice([f"l{i}" for i in range(levels)], n),
            "x": np.where(rng.random(n) < 0.2, np.nan, rng.normal(size=n)),
        }
    )
    told = (frame.a == "y") ^ (frame.b == "u") ^ (frame.x > 0) ^ (rng.random(n) < 0.2)
    return frame, told.to_numpy().astype(int), told + rng.exponential(size=n)


def own_gain(tables):
    """Information gain."""

    def entropy(counts, axis):
        shares = counts / np.maximum(counts.sum(axis=axis, keepdims=True), 1e-300)
        return -np.where(shares > 0, shares * np.log2(np.maximum(shares, 1e-300)), 0).sum(axis)

    inside = (tables.sum(axis=2) * entropy(tables, 2)).sum(axis=1) / tables.sum(axis=(1, 2))
    return entropy(tables.sum(axis=1), 1) - inside


@functools.cache
def table(task, levels=40):
    frame, classes, numbers = rows(90, levels=levels)
    y = classes if task == "classification" else numbers
    return fasttree.Table(frame, y, task=task, name="drawn")


def kind_of(task):
    return FastTreeRegressor if task == "regression" else FastTreeClassifier


CRITERIA = [
    (task, name)
    for task in ("classification", "regression")
    for name in criteria.names(task)
    if criteria.make(name).name == name and criteria.evidence_of(name) != "rows"
] + [("classification", own_gain)]


@pytest.mark.parametrize(("task", "criterion"), CRITERIA)
@pytest.mark.parametrize(
    "more",
    [
        {},
        {"evaluation": "global"},
        {"cost_matrix": [[0, 2], [1, 0]]},
        {"selection": "significance"},
        {"selection": "significance", "merge_levels": True},
    ],
    ids=str,
)
def test_the_meaning_is_what_the_core_does(task, criterion, more):
    """A tree with the automatic settings is the tree with what they are said to mean."""
    if more and task == "regression":
        more = {"min_samples_leaf": 3}
    few = table(task, levels=8)
    settings = {"criterion": criterion, "max_depth": 4, **more}
    meanings = dict(_automatic(few))
    said = {
        "missing": eval(meanings["missing"](settings).removeprefix("missing=").partition(" (")[0]),
        "discretize": eval(meanings["discretize"](settings).removeprefix("discretize="))
        if "discretize=" in meanings["discretize"](settings)
        else None,
    }
    try:
        tree = kind_of(task)(**settings).fit(few)
    except (ValueError, NotImplementedError):
        with pytest.raises((ValueError, NotImplementedError)):
            kind_of(task)(**settings, **said).fit(few)
        return
    fixed = kind_of(task)(**settings, **said).fit(few)
    assert tree.to_text() == fixed.to_text()
    assert np.array_equal(tree.predict(few), fixed.predict(few))


@pytest.mark.parametrize(("task", "criterion"), CRITERIA)
def test_many_levels_are_split_as_it_says(task, criterion):
    data = table(task)
    said = dict(_automatic(data))["nominal_splits"]({"criterion": criterion})
    tree = kind_of(task)(criterion=criterion, max_depth=3).fit(data)
    wide = np.bincount(tree.tree_.parent[1:]).max(initial=0) > 32 if tree.n_nodes_ > 1 else False
    assert not (wide and "subset" in said)
    assert ("multiway" in said) == (criteria.evidence_of(criterion) in ("pairs", "neighbours"))


@pytest.mark.parametrize("params", [presets.C45, {"criterion": "mdl"}, {"criterion": "gini"}])
def test_growth_stops_as_it_says(params):
    cells = np.array(list(itertools.product("ab", "cd", "ef", "01")) * 5)
    data = fasttree.Table(cells[:, :3], cells[:, 3])
    said = dict(_automatic(data))["min_score"](params)
    tree = FastTreeClassifier(**{**params, "pruning": None}).fit(data)
    if "stops" in said:
        assert tree.n_nodes_ == 1
    elif params == {"criterion": "gini"}:
        assert tree.n_nodes_ > 1


@pytest.mark.parametrize("seed", range(3))
def test_an_own_function_is_compared_like_with_like(seed):
    """Information gain as an own function gives the folds of the built-in one, beside any other
    criterion and with the treatment said below the table, in JSON and in the report."""
    frame, classes, _ = rows(200, seed)
    data = fasttree.Table(frame[["a", "b", "x"]], classes, name="drawn")
    found = compare(
        {"drawn": data},
        ["info_gain", own_gain, "hellinger"],
        cv="2x5",
        scoring=("accuracy", "leaves"),
    )
    for metric in ("accuracy", "leaves"):
        one = found["drawn"]
        assert np.array_equal(one["info_gain"][metric], one["own_gain"][metric])
    note = "missing='branch' in all trees"
    assert note in found.to_text() and note in str(found.document())
    assert note.replace("'", "&#39;") in found.to_html()
    assert note in found["drawn"].to_text() and note in found["drawn"].to_json()
    assert found["drawn"].settings["methods"]["info_gain"].missing == "branch"


@pytest.mark.parametrize(
    ("first", "second"), itertools.combinations(["info_gain", "gini", "mdl", "pi", own_gain], 2)
)
@pytest.mark.parametrize("given", ["auto", "mode", "fractional"])
def test_pairs_get_one_treatment_unless_one_is_given(first, second, given):
    data = table("classification", levels=5)
    options = {} if given == "auto" else {"missing": given}
    divides = [one in ("info_gain", "gini") for one in (first, second)]
    if given == "fractional" and not any(divides):
        with pytest.raises(ValueError, match="missing='fractional'"):
            cross_validate(data, [first, second], cv="1x3", **options)
        return
    found = cross_validate(data, [first, second], cv="1x3", on_error="skip", **options)
    trees = found.settings["methods"].values()
    mixed = len(set(divides)) == 2
    expected = "branch" if given == "auto" and mixed else given
    assert {tree.missing for tree in trees} == {expected}
    if len(found) == 2:
        automatic = "fractional" if all(divides) else "branch"
        word = automatic if expected == "auto" else expected
        text = " ".join(found.to_text().split())
        assert f"missing={word!r} in all trees" in text
        # A tree whose rows would be divided in a comparison without the other one is named.
        turned = expected == "branch"
        name = found.methods[divides.index(True)] if turned else "none"
        assert (f"(missing='auto' alone is 'fractional' for {name})" in text) == turned


def test_estimators_of_the_caller_keep_what_they_say_and_are_not_changed():
    data = table("classification", levels=5)
    own = {
        "c45": FastTreeClassifier(**presets.C45),
        "gini": FastTreeClassifier(criterion="gini"),
        "forest": fasttree.FastForestClassifier(criterion="mdl", n_estimators=2),
    }
    found = cross_validate(data, estimators=own, cv="1x3")
    assert own["gini"].missing == "auto"
    assert {name: one.missing for name, one in found.settings["methods"].items()} == {
        "c45": "fractional",
        "gini": "branch",
        "forest": "branch",
    }
    assert "missing='fractional' (c45), missing='branch' (the others)" in found.to_text()


def test_rows_without_missing_values_say_nothing_of_them():
    found = cross_validate("iris", ["gini", "hellinger"], cv="1x3")
    assert "Automatic settings" not in found.to_text() and "'auto'" not in found.to_text()
    differing = cross_validate("iris", ["gini", "pi", "mdl"], cv="1x3").to_text()
    assert "discretize='equal_width' (pi)" in differing and "stops" in differing


def test_advice_has_one_treatment_and_says_so():
    frame, classes, numbers = rows(120)
    for y, fixed in ((classes, "C4.5 (J48)"), (numbers, None)):
        found = fasttree.advise(frame.drop(columns="many"), y, work="quick", progress=False)
        (said,) = (one for one in found.automatic if "missing" in one)
        assert "missing='branch'" in said and (fixed is None) == ("all trees" in said)
        assert said in found.to_text() and said in found.to_dict()["automatic"]
        if found.params and found.params != presets.C45:
            assert found.params["missing"] == "branch" and "missing='branch'" in found.code


def test_all_of_one_kind_stay_automatic():
    trees = [{"criterion": "gini"}, {"criterion": "info_gain", "missing": "auto"}]
    share_missing(trees, table("classification"))
    assert trees == [{"criterion": "gini"}, {"criterion": "info_gain", "missing": "auto"}]
    named = {str(i): {"criterion": "gini"} for i in range(9)} | {"m": {"criterion": "mdl"}}
    (missing, *_) = differences_in_words(named, table("classification"))
    assert missing == "missing='branch' (m), missing='fractional' (the others)"
