"""The fitted estimator's many views of one tree agree with each other, and every input form with
every other."""

from __future__ import annotations

import inspect

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import fasttree
from fasttree import FastTreeClassifier, Table, model_selection, presets

RNG = np.random.default_rng(0)
FRAME = pd.DataFrame(
    {
        "x": RNG.normal(size=200).round(2),
        "c": RNG.choice(["red", "green", "blue"], 200),
        "z": RNG.integers(0, 5, 200),
    }
).mask(RNG.random((200, 3)) < 0.08)
Y = np.where((FRAME["x"].fillna(0) > 0.2) ^ (FRAME["c"] == "red"), "yes", "no")
Y[RNG.random(200) < 0.1] = "maybe"

HOW = {
    "default": {},
    "best first": {"max_leaf_nodes": 9, "criterion": "gini", "nominal_splits": "multiway"},
    "binned": {"discretize": "equal_width", "n_bins": 4},
    "unclassified": {"empty_branch": "unclassified", "discretize": "equal_frequency"},
    "mode": {"missing": "mode", "criterion": "gain_ratio"},
    "limits": {"min_samples_leaf": 5, "min_weight_fraction_leaf": 0.03},
    "weights": {"sample_weight": RNG.integers(0, 4, 200)},
    "random": {"max_features": 2, "ties": "random", "random_state": 3},
}


@pytest.fixture(params=HOW.values(), ids=HOW, scope="module")
def model(request):
    # Rows in parts have a module of their own: test_fractional.py.
    return fasttree.fit(FRAME, Y, trace="candidates", **{"missing": "branch", **request.param})


def test_fit_is_the_class_and_its_defaults_are_the_same():
    function, init = inspect.signature(fasttree.fit), inspect.signature(FastTreeClassifier)
    assert (
        function.parameters["criterion"].default
        == init.parameters["criterion"].default
        == "info_gain"
    )
    a = fasttree.fit(FRAME, Y, criterion="gini", max_depth=3)
    b = FastTreeClassifier(criterion="gini", max_depth=3).fit(FRAME, Y)
    assert a.to_bytes() == b.to_bytes()
    assert isinstance(a, FastTreeClassifier)


def test_apply_path_and_probabilities_agree(model):
    leaves, path, tree = model.apply(FRAME), model.decision_path(FRAME).toarray(), model.tree_
    assert (tree.n_children[leaves] == 0).all()
    assert path.shape == (200, model.n_nodes_)
    for i in range(200):
        nodes = np.flatnonzero(path[i])
        # From the root to the leaf, each the child of the one before.
        assert (nodes[0], nodes[-1]) == (0, leaves[i])
        assert tree.parent[nodes[1:]].tolist() == nodes[:-1].tolist()
        assert tree.depth[nodes].tolist() == list(range(len(nodes)))
    predicted, proba = model.predict(FRAME), model.predict_proba(FRAME)
    for code, p, label in zip(tree.label[leaves], proba, predicted, strict=True):
        assert label == (None if code < 0 else model.classes_[code])
        assert p.sum() == pytest.approx(0.0 if code < 0 else 1.0)
        assert code < 0 or p[code] == p.max()
    with np.errstate(divide="ignore"):
        np.testing.assert_array_equal(model.predict_log_proba(FRAME), np.log(proba))


def test_arrays_of_the_tree_agree(model):
    tree = model.tree_
    assert (model.n_nodes_, model.get_n_leaves(), model.get_depth()) == (
        tree.node_count,
        tree.n_leaves,
        tree.max_depth,
    )
    for node in range(tree.node_count):
        children = tree.children_of(node)
        assert (len(children) == 0) == (tree.feature[node] == -2) == (tree.step[node] == -1)
        if len(children):
            assert tree.parent[children].tolist() == [node] * len(children)
            assert tree.branch[children].tolist() == list(range(len(children)))
            assert tree.n_node_samples[children].sum() == tree.n_node_samples[node]
            np.testing.assert_allclose(tree.value[children].sum(axis=0), tree.value[node])
            assert 0 <= tree.missing_branch[node] < len(children)
            assert (tree.children_left[node], tree.children_right[node]) == tuple(children[:2])
    assert tree.subtree_ends()[0] == tree.node_count
    for array in (tree.value, tree.threshold, tree.feature):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 1
    importance = model.feature_importances_
    assert importance.sum() == pytest.approx(1.0)
    assert (importance >= 0).all()
    assert model.class_prior_.sum() == pytest.approx(1.0)


def test_training_rows_lie_where_the_tree_says(model):
    tree = model.tree_
    if tree.value[0].sum() != 200:
        pytest.skip("weighted")
    path = model.decision_path(FRAME).toarray()
    np.testing.assert_array_equal(path.sum(axis=0), tree.n_node_samples)
    for k, label in enumerate(model.classes_):
        np.testing.assert_array_equal(path[label == Y].sum(axis=0), tree.value[:, k])


def test_trace_and_cut_tell_the_same_story(model):
    trace, tree = model.trace_, model.tree_
    assert len(trace) == (tree.n_children > 0).sum()
    assert sorted(s.node for s in trace) == np.flatnonzero(tree.n_children > 0).tolist()
    assert [s.step for s in trace] == list(range(len(trace)))
    for k in (0, 1, len(trace) // 2, len(trace), len(trace) + 5):
        cut = model.cut(k)
        expected = (
            (1, 1)
            if k == 0
            else (trace[min(k, len(trace)) - 1].nodes, trace[min(k, len(trace)) - 1].leaves)
        )
        assert (cut.n_nodes_, cut.get_n_leaves()) == expected
        assert [(s.feature, s.threshold, s.score) for s in cut.trace_] == [
            (s.feature, s.threshold, s.score) for s in trace[:k]
        ]
        assert cut.cut(k).to_bytes() == cut.to_bytes()
        assert cut.get_params().keys() == model.get_params().keys()
    assert model.cut(len(trace)).to_bytes() == model.to_bytes()
    frame = trace.to_frame()
    assert frame["nodes"].tolist() == [s.nodes for s in trace]
    assert trace[0].feature == model.feature_names_in_[tree.feature[0]]


def test_trace_and_prune_report_display_as_tables(model):
    trace = model.trace_
    head, body = str(trace).split("\n\n")
    assert head.startswith(f"{len(trace)} splits") and repr(trace) == str(trace)
    names, _, *lines = body.splitlines()
    assert names.split()[:3] == ["step", "node", "feature"] and "candidates" not in names
    assert [line.split()[:2] for line in lines[:40]] == [[str(s.step), str(s.node)] for s in trace][
        :40
    ]
    report = model.prune("pessimistic").prune_report_
    for one in (trace, report):
        assert one._repr_html_().count("<tr>") == min(len(one), 40) + 1
    assert fasttree.fit([[38412.0], [38413.0]], [0, 1]).trace_[0].threshold == 38412.5
    assert " 38412.5 " in str(fasttree.fit([[38412.0], [38413.0]], [0, 1]).trace_)


def test_staged_predictions_are_those_of_the_cuts(model):
    stages = list(model.staged_predict(FRAME))
    assert len(stages) == len(model.trace_) + 1
    for k, predicted in enumerate(stages):
        assert predicted.tolist() == model.cut(k).predict(FRAME).tolist()
    assert stages[-1].tolist() == model.predict(FRAME).tolist()
    scores = model.staged_score(FRAME, Y)
    assert scores.tolist() == [model.cut(k).score(FRAME, Y) for k in range(len(stages))]
    assert scores[-1] == model.score(FRAME, Y)


def test_candidates_of_the_trace_hold_the_choice(model):
    guard_or_random = model.max_features is not None
    for step in model.trace_:
        own = [c for c in step.candidates if c[:2] == (step.feature, step.threshold)]
        assert len(own) == 1
        assert own[0][2] == step.score
        if not guard_or_random:
            assert step.score == max(c[2] for c in step.candidates)
        explained = model.explain(step.node)
        assert [e["score"] for e in explained] == sorted(
            (c[2] for c in step.candidates), reverse=True
        )
        assert [(e["feature"], e["threshold"]) for e in explained if e["chosen"]] == [
            (step.feature, step.threshold)
        ]


def test_explain_of_the_training_rows_is_the_trace(model):
    if model.tree_.value[0].sum() != 200:
        pytest.skip("weighted")
    for step in model.trace_:
        assert model.explain(step.node, FRAME, Y) == model.explain(step.node)
    assert model.explain(0, Table(FRAME, Y)) == model.explain(0)


@pytest.mark.parametrize(
    "criterion", [i["name"] for i in fasttree.list_criteria() if i["target"] == "classes"]
)
def test_explain_agrees_with_score_features(criterion):
    complete = FRAME.dropna()
    labels = Y[complete.index]
    if criterion == "minimal_tree_size":  # proven sizes, which no budget cuts short
        complete, labels = complete[:60], labels[:60]
        criterion = fasttree.criteria.MinimalTreeSize(node_budget=10**7, total_budget=10**9)
    model = fasttree.fit(complete, labels, criterion=criterion, max_depth=1, min_score=-np.inf)
    best: dict[str, float] = {}
    for row in model.explain(0, complete, labels):
        best[row["feature"]] = max(best.get(row["feature"], -np.inf), row["score"])
    scores = fasttree.score_features(complete, labels, criterion=criterion)
    assert scores.tolist() == [best[name] for name in FRAME.columns]
    assert model.trace_[0].score == max(best.values())


def test_explain_of_other_rows_uses_the_models_levels_bins_and_classes():
    model = fasttree.fit(FRAME, Y, discretize="equal_width", n_bins=4, max_depth=2)
    part = FRAME.iloc[:40][["z", "c", "x"]]  # fewer levels, other order of columns
    names = {e["feature"] for e in model.explain(0, part, Y[:40])}
    assert names == {"x", "c", "z"}
    table = Table(FRAME, Y).take(np.arange(40))
    assert model.explain(0, part, Y[:40]) == model.explain(0, table)
    with pytest.raises(ValueError, match="none of 1 row reaches node"):
        leaf = int(np.flatnonzero(model.tree_.n_children == 0)[-1])
        row = next(i for i in range(200) if model.apply(FRAME.iloc[[i]])[0] != leaf)
        model.explain(leaf, FRAME.iloc[[row]], Y[[row]])


def test_text_and_dot_have_a_line_for_every_node(model):
    text, dot = model.to_text(), model.to_dot()
    assert text.count("\n") == model.n_nodes_ - 1
    assert (dot.count(" [label="), dot.count(" -> ")) == (
        2 * model.n_nodes_,  # nodes, branches and the legend
        model.n_nodes_ - 1,
    )
    assert max(line.count("|   ") for line in text.split("\n")) == model.get_depth() - 1
    assert model.to_text(max_depth=0).count("\n") == 1


@pytest.mark.parametrize(
    ("lo", "hi", "text"),
    [
        (123.456789, 124.2, "123.83"),
        (0.123456789, 0.2, "0.162"),  # two decimals would be another number
        (3e-9, 5e-9, "4e-09"),
        (2.0, 4.0, "3"),
        (-1.0, 1.0, "0"),
    ],
)
def test_thresholds_are_rounded_where_that_keeps_them_recognisable(lo, hi, text):
    assert f"x0 <= {text}:" in fasttree.fit([[lo], [hi]], [0, 1]).to_text(decimals=2)


# -- containers -----------------------------------------------------------------------------------


def containers():
    frame = FRAME.copy()
    frame["c"] = frame["c"].astype("category")
    yield "category", frame
    yield "strings", FRAME
    yield "polars", pl.from_pandas(FRAME)
    yield "arrow", pa.Table.from_pandas(FRAME, preserve_index=False)
    yield "nullable", FRAME.convert_dtypes()


@pytest.mark.parametrize(("name", "X"), list(containers()), ids=[n for n, _ in containers()])
def test_every_container_gives_the_same_tree(name, X):
    expected = fasttree.fit(FRAME, Y)
    model = fasttree.fit(X, Y)
    assert model.to_bytes() == expected.to_bytes()
    assert model.predict(X).tolist() == expected.predict(FRAME).tolist()
    assert expected.predict(X).tolist() == expected.predict(FRAME).tolist()


@pytest.mark.filterwarnings("ignore:A column-vector")
def test_arrays_lists_and_tables_give_the_same_tree():
    X = FRAME[["x", "z"]].to_numpy()
    expected = fasttree.fit(X, Y).to_bytes()
    for other in (X.tolist(), X.astype(object), Table(X)):
        if isinstance(other, Table):
            assert fasttree.fit(Table(X, Y)).to_bytes() == expected
        else:
            assert fasttree.fit(other, Y).to_bytes() == expected
    for labels in (
        Y.tolist(),
        pd.Series(Y),
        pl.Series(Y),
        Y[:, None],
        Y.astype(object),
        pd.Categorical(Y),
    ):
        assert fasttree.fit(X, labels).to_bytes() == expected
    table = Table(FRAME, Y)
    assert (
        fasttree.fit(Table(table.X, table.y, feature_names=table.feature_names)).tree_.node_count
        == fasttree.fit(table).n_nodes_
    )


def test_codes_in_bytes_and_integers_give_the_same_tree():
    codes = RNG.integers(0, 6, (300, 8))
    y = (codes[:, 0] + codes[:, 1]) % 2
    a = fasttree.fit(codes.astype(np.uint8), y, categorical_features="all")
    b = fasttree.fit(codes, y, categorical_features="all")
    c = fasttree.fit(codes.astype(str), y)
    for other in (b, c):
        np.testing.assert_array_equal(a.tree_.feature, other.tree_.feature)
        np.testing.assert_array_equal(a.tree_.value, other.tree_.value)
    assert (
        a.predict(codes.astype(np.uint8)).tolist()
        == b.predict(codes).tolist()
        == c.predict(codes.astype(str)).tolist()
    )
    mixed = fasttree.fit(codes, y, categorical_features=[0, 1])
    assert mixed.score(codes, y) == 1.0
    assert mixed.predict(codes.astype(float)).tolist() == mixed.predict(codes).tolist()


def test_declared_levels_and_classes_of_a_table_are_kept():
    X = pd.DataFrame({"c": pd.Categorical(["b", "a", "b"], ["d", "b", "a"])})
    y = pd.Categorical(["n", "y", "n"], ["y", "n", "maybe"])  # as scikit-learn's: in order
    model = fasttree.fit(X, y)
    assert model.tree_.n_children[0] == 3
    assert model.classes_.tolist() == ["n", "y"]  # categories without rows are no classes
    assert model.predict_proba(X).shape == (3, 2)
    table = fasttree.Table(X, list("nyn"), levels={"class": list("ynm")})
    assert fasttree.fit(table).classes_.tolist() == ["y", "n", "m"]


# -- presets and cross-validation -----------------------------------------------------------------


def test_presets_are_parameters():
    weather = fasttree.datasets.load_weather()
    id3 = fasttree.fit(weather, **presets.ID3)
    assert (id3.get_n_leaves(), id3.score(weather)) == (5, 1.0)
    assert (
        fasttree.fit(weather, **{**presets.CHEN2013, "criterion": "mantaras"}).score(weather) == 1.0
    )
    X, y = FRAME[["x", "z"]].fillna(0).to_numpy(), (Y == "yes").astype(int)
    tree = fasttree.fit(X, y, **presets.FMEASURE).tree_
    inner = tree.n_children > 0
    assert tree.n_node_samples[inner].min() > 20
    assert np.isin(tree.threshold[inner], X).all()


@pytest.mark.parametrize(
    "how",
    [
        {},
        {"min_samples_leaf": 0.1},
        {"min_samples_split": 0.3},
        {"class_weight": "balanced"},
        {"discretize": "mdlp", "missing": "mode"},
        {"max_leaf_nodes": 5},
        {"max_features": 2, "random_state": 4},
        {"ties": "random", "random_state": 4},
    ],
    ids=str,
)
def test_cross_validate_is_fits_by_hand(how):
    table = Table(FRAME, Y)
    folds = [
        (np.flatnonzero(np.arange(200) % 4 != f), np.flatnonzero(np.arange(200) % 4 == f))
        for f in range(4)
    ]
    result = model_selection.cross_validate(table, criterion="gini", cv=folds, **how)
    models = [fasttree.fit(table.take(train), criterion="gini", **how) for train, _ in folds]
    scores = [m.score(table.take(test)) for m, (_, test) in zip(models, folds, strict=True)]
    np.testing.assert_allclose(result["gini"]["accuracy"], scores)
    np.testing.assert_array_equal(result["gini"]["nodes"], [m.n_nodes_ for m in models])


@pytest.mark.parametrize("name", ["mantaras", "info_gain", "gini", "hellinger", "squared_error"])
def test_a_trace_shows_what_rounding_leaves_as_zero(name):
    if name == "squared_error":
        y = np.repeat([0.1, 0.3, 0.7], 20)
        model = fasttree.FastTreeRegressor(criterion=name).fit(np.arange(60.0)[:, None], y)
    else:
        model = fasttree.fit("iris", criterion=name)
    steps, shown = model.trace_, model.trace_._rows()
    assert "e-1" not in str(steps) + steps._repr_html_()
    for step, row in zip(steps, shown, strict=True):
        for field in ("score", "distance"):
            assert row[field] == pytest.approx(getattr(step, field), abs=1e-12)
    assert name != "mantaras" or 0 < min(s.distance for s in steps if s.distance) < 1e-12
