"""The first calls on a fitted model, also wrong ones: answers, and errors in words."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree import datasets

IRIS = datasets.load_iris().to_frame()
X, Y = IRIS.iloc[:, :4], IRIS.iloc[:, 4].astype(str)
MODEL = fasttree.fit(X, Y, max_depth=3)
ROW = dict(X.iloc[0])


@pytest.mark.parametrize(
    "node",
    [X, X[:2], X.to_numpy()[:3], X.to_numpy()[0], X.iloc[0], ROW, "x", 1.5, None, True],
    ids=["frame", "rows", "array", "row", "series", "dict", "text", "float", "None", "bool"],
)
def test_explain_of_what_is_no_node_says_what_to_give(node):
    with pytest.raises(TypeError, match=r"must be the number of a node: explain\(0, X, y\)"):
        MODEL.explain(node)


@pytest.mark.parametrize("row", [0, 1.5, None, True])
def test_a_decision_rule_of_no_row_says_what_to_give(row):
    with pytest.raises(TypeError, match=r"must be one row: a mapping of names to cells"):
        MODEL.decision_rule(row)
    with pytest.raises(ValueError, match=r"highlight=.*must be one row"):
        MODEL.to_svg(highlight=0)


@pytest.mark.parametrize("ask", ["predict", "predict_proba", "apply", "shap_values"])
def test_one_row_as_a_mapping_is_answered_with_the_way_to_give_it(ask):
    with pytest.raises(ValueError, match=r"single value \d\.\d, .* pandas\.DataFrame\(\[row\]\)"):
        getattr(MODEL, ask)(ROW)
    with pytest.raises(ValueError, match=r"One row of a frame is X\.iloc\[\[i\]\]"):
        getattr(MODEL, ask)(X.iloc[0])
    assert getattr(MODEL, ask)({name: [cell] for name, cell in ROW.items()}) is not None
    assert getattr(MODEL, ask)(pd.DataFrame([ROW])) is not None


def test_depths_below_zero_are_refused():
    with pytest.raises(ValueError, match="max_depth=-1 must be at least 0"):
        MODEL.to_text(max_depth=-1)


def own_score(tables):
    """A criterion of one's own: the gain in accuracy."""
    best = tables.max(axis=-1).sum(axis=-1)
    return best - tables.sum(axis=1).max(axis=-1)


def test_explain_names_a_function_of_ones_own():
    model = fasttree.fit(X, Y, criterion=own_score, max_depth=2)
    title = str(model.explain(0, X, Y)).splitlines()[0]
    assert title == "Candidates of node 0 by own_score, best first"
    gini = fasttree.fit(X, Y, criterion="gini", max_depth=2).explain(0, X, Y)
    assert "by 'gini', best first" in str(gini)


WEIGHTS = {
    "class weights": ({"class_weight": "balanced"}, None),
    "whole class weights": ({"class_weight": {"a": 1, "b": 3}}, None),
    "sample weights": ({}, np.arange(150) % 3 / 2 + 0.5),
    "parts of rows": ({"missing": "fractional"}, None),
}


@pytest.mark.parametrize("case", WEIGHTS)
def test_weights_are_called_weights(case):
    params, weights = WEIGHTS[case]
    cells = X.to_numpy().copy()
    if case == "parts of rows":
        cells[::7, 2] = np.nan
    y = np.where(Y == "virginica", "b", "a")
    model = fasttree.fit(cells, y, sample_weight=weights, max_depth=2, **params)
    texts = [str(model.to_rules()), model.decision_rule(cells[100]), model.to_svg()]
    assert all("weight " in text for text in texts)
    assert not any(" rows" in text for text in texts), texts
    plain = fasttree.fit(X.to_numpy(), y, max_depth=2)
    texts = [str(plain.to_rules()), plain.decision_rule(cells[100]), plain.to_svg()]
    assert all(" rows" in text for text in texts) and not any("weight " in text for text in texts)


def test_rules_are_a_table_in_a_notebook():
    page = MODEL.to_rules()._repr_html_()
    assert page.count("<tr>") == 1 + MODEL.get_n_leaves() and ">if</th>" in page
    assert "petal length &lt;= 2.45" in page or "petal length (cm) &lt;= 2.45" in page
    assert "confidence" in page and f"{MODEL.get_n_leaves()} rules" in page
    number = fasttree.FastTreeRegressor(max_leaf_nodes=120).fit(X, np.arange(150.0))
    page = number.to_rules()._repr_html_()
    assert ">sd</th>" in page and "and 20 further rules" in page
    weighed = fasttree.fit(X, Y, class_weight={"setosa": 2}, max_depth=1).to_rules()
    assert ">weight<" in weighed._repr_html_()
    assert "1 rule" in weighed[:1]._repr_html_() and "1 rules" not in weighed[:1]._repr_html_()


def test_one_is_counted_in_the_singular():
    one = fasttree.fit([[0.0]] * 3, [1, 1, 1])
    assert "1 leaf, 1 node, depth 0" in str(one) and "1 leaf, depth 0" in one.to_python()
    assert "1 leaf, depth 0" in one.to_c() and "1 leaf" in one.to_svg()
    table = fasttree.Table([[0.0]], [1])
    assert repr(table) == "Table: 1 row, 1 feature (1 numeric), target 'class' with 1 class"
    assert "Evaluation: 1 row," in repr(one.evaluate([[0.0]], [1]))


def test_pages_of_constrained_trees_say_that_candidates_may_be_forbidden():
    y = np.where(Y == "virginica", "b", "a")
    model = fasttree.fit(X, y, max_depth=2, monotonic_cst={X.columns[2]: 1})
    kept = model.explore(X, y).document["kept"]
    assert any("candidates include splits that monotonic_cst may forbid" in one for one in kept)
    plain = fasttree.fit(X, y, max_depth=2).explore(X, y).document["kept"]
    assert not any("forbid" in one for one in plain)


def test_explain_says_that_a_node_is_a_leaf():
    answer = "node 1 is a leaf: 50 of 50 training rows are setosa; pure"
    with pytest.raises(ValueError, match=f"^{answer}; give X and y"):
        MODEL.explain(1)
    assert f"{answer}." in str(MODEL.explain(1, X, Y))
    assert "is a leaf" not in str(MODEL.explain(0, X, Y))
    number = fasttree.FastTreeRegressor(max_depth=1).fit(X, X.iloc[:, 3] + 0.25)
    with pytest.raises(ValueError, match="mean of 50 training rows, .*; max_depth=1 .*; give X"):
        number.explain(1)


@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"max_depth": 2}, "max_depth=2 ends growth here"),
        ({"min_samples_split": 60}, "min_samples_split=60 ends growth here"),
        ({"min_samples_leaf": 0.2}, "min_samples_leaf=0.2 ends growth here"),
        ({"max_leaf_nodes": 3}, "max_leaf_nodes=3 ends growth here"),
        ({"pruning": "mdl"}, "no split is worth it by pruning='mdl'"),
        ({"min_score": 0.3}, "no split is worth it by min_score=0.3"),
    ],
)
def test_a_leaf_says_what_ended_growth(given, said):
    model = fasttree.fit(X, Y, **given)
    leaves = np.flatnonzero(model.tree_.n_children == 0)
    for leaf in leaves.tolist():
        pure = np.count_nonzero(model.tree_.value[leaf]) == 1
        end = "pure" if pure else said
        assert str(model.explain(leaf, X, Y)).endswith(f"; {end}.")
    assert any(np.count_nonzero(model.tree_.value[leaf]) > 1 for leaf in leaves)


def test_candidates_name_the_levels_of_the_node_by_the_shorter_side():
    levels = [f"c{i}" for i in range(12)]
    frame = pd.DataFrame({"c": levels * 20, "k": ["u", "v", "w"] * 80})
    y = [("a" if i % 12 < 9 else "b") if i % 3 else "ab"[i % 12 == 4] for i in range(240)]
    model = fasttree.fit(frame, y, nominal_splits="subset", columns="as_given")
    texts = model.to_text(max_levels=None)
    for node in np.flatnonzero(model.tree_.n_children).tolist():
        rows = model.explain(node, frame, y)
        (chosen,) = (one for one in str(rows).splitlines()[3:] if one.endswith("chosen"))
        assert chosen.split("  ")[0] in texts


def test_a_leaf_s_class_is_told_as_it_is():
    model = fasttree.FastTreeClassifier().fit([[0], [1]], ["a: b.", "etc."])
    for node, label in ((1, "a: b."), (2, "etc.")):
        said = str(model.explain(node, [[0], [1]], ["a: b.", "etc."]))
        assert f"node {node} is a leaf: 1 of 1 training row is {label}; pure." in said


def test_a_rule_encodes_its_row_once(monkeypatch):
    calls, blocks = [], type(MODEL)._encode
    monkeypatch.setattr(type(MODEL), "_encode", lambda *a: calls.append(a) or blocks(*a))
    MODEL.decision_rule(X[:1])
    assert len(calls) == 1


def test_explain_says_how_many_candidates_are_tied():
    rows, labels = [[0, 0, 1], [0, 1, 1], [1, 0, 0], [1, 1, 1]] * 2, [0, 1, 1, 0] * 2
    model = fasttree.fit([row[:2] for row in rows], labels)
    found = model.explain(0, [row[:2] for row in rows], labels)
    assert len({row["score"] for row in found}) == 1
    assert "2 candidates are tied at 0: ties='first' takes the first of them" in str(found)
    best = max(row["score"] for row in MODEL.explain(0, X, Y))
    tied = sum(row["score"] == best for row in MODEL.explain(0, X, Y))
    assert f"{tied} candidates are tied at {best:.4g}" in str(MODEL.explain(0, X, Y)) and tied > 1
    c45 = fasttree.FastTreeClassifier(**fasttree.presets.C45).fit(X, Y)
    for node in (0, 3):  # the penalty takes one of two equal scores, and a lower score
        said = str(c45.explain(node, X, Y))
        assert "tied" not in said and "guard and mdl_penalty of the criterion do, too" in said
    single = fasttree.fit(X.iloc[:, :1], Y, max_depth=1)
    assert "tied" not in str(single.explain(0, X.iloc[:, :1], Y))
    other = fasttree.fit(X, Y, max_depth=1, ties="even")
    assert "ties='even' decides" in str(other.explain(0, X, Y))


@pytest.mark.parametrize("name", ["criterion", "criteria"])
@pytest.mark.parametrize("model", [MODEL, fasttree.optimal_tree(X, Y, max_depth=1)], ids=type)
def test_explain_by_another_criterion_names_what_has_it(model, name):
    with pytest.raises(TypeError, match=r"score_features\(X, y, criterion=.*model\.explore\(X, y"):
        model.explain(0, X, Y, **{name: ["gini"]})


def test_parameters_by_place_are_answered_with_their_name():
    with pytest.raises(TypeError, match=r"FastTreeClassifier\(criterion='gini'\); rows go to fit"):
        fasttree.FastTreeClassifier("gini")
    with pytest.raises(TypeError, match=r"FastTreeRegressor\(criterion='squared_error'\); rows go"):
        fasttree.FastTreeRegressor(X)
    with pytest.raises(TypeError, match="did you mean 'max_depth'"):
        fasttree.FastTreeClassifier("gini", maxdepth=3)
    assert fasttree.FastForestClassifier(3).n_estimators == 3


def test_a_data_set_is_no_model_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(FileNotFoundError, match=r"is fasttree\.datasets\.load\('weather'\)"):
        fasttree.load("weather")
    with pytest.raises(FileNotFoundError, match="No such file or directory: 'wether'"):
        fasttree.load("wether")
    fasttree.fit("weather").save("weather")
    assert fasttree.load("weather").get_n_leaves() == 5


def test_lists_print_as_tables():
    listed = str(datasets.list_datasets())
    assert listed.startswith("12 data sets") and len(listed.splitlines()) == 12 + 4
    assert datasets.list_datasets()[0]["name"] == "balance-scale"
    lines = str(fasttree.list_criteria()).splitlines()
    cut = [line for line in lines if line.startswith("normal_gain")]
    assert "the declared ...  " in cut[0]


def test_what_lives_elsewhere_is_named(tmp_path):
    with pytest.raises(AttributeError, match=r"; there is fasttree\.datasets\.load_iris$"):
        _ = fasttree.load_iris
    with pytest.raises(AttributeError, match="has no attribute 'nonsense'$"):
        _ = fasttree.nonsense
    (tmp_path / "a.csv").write_text("x,y\n1,p\n")
    with pytest.raises(
        ValueError, match=r"; data are read by fasttree\.datasets\.load\('.*a\.csv'"
    ):
        fasttree.load(tmp_path / "a.csv")
