"""Global and glocal growth: whole trees against ``tests/oracle/global_oracle.py``, and the laws of
paper 2.

As in test_growth, the oracle is given the core's own value of each table (ties are decided by the
last bit); that the distances of whole trees are what the formulas say is the business of
`test_the_trace_tells_what_the_formulas_say`.
"""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.datasets import load_iris, load_wine

import fasttree
from fasttree import criteria, model_selection
from fasttree.table import Column, Table

from ..tools import _load, criteria_oracle, run_script, thinned
from .test_growth import assert_same_tree, evaluator, labels, make_columns, make_table

global_oracle = _load("global_oracle")
global_numpy = _load("global_numpy")

NAMES = [info["name"] for info in fasttree.list_criteria() if info["evidence"] == "table"]


def as_read_globally(criterion):
    """The criterion as it reads the table of a whole tree: Jaccard compares branch i with class
    i."""
    made = criteria.make(criterion)
    if made.name == "jaccard" and made.assignment is None:
        return criteria.Jaccard(assignment="identity", size=made.size)
    return made


def grow_slowly(columns, y, n_classes, criterion, weights=None, **how):
    rows = [i for i in range(len(y)) if weights is None or weights[i] > 0]
    occurring = [c in {y[i] for i in rows} for c in range(n_classes)]
    inside = evaluator(as_read_globally(criterion), n_classes, occurring)
    return global_oracle.grow(
        columns,
        y,
        n_classes,
        evaluator(criterion, n_classes, occurring),
        lambda tables: [d + 0.0 for _, d in inside(tables)],
        weights=weights,
        copies=weights is None or all(float(x).is_integer() for x in weights),
        **how,
    )


def check(seed, criterion, kinds, n=30, n_classes=3, missing=0.0, weights=None, **how):
    """Grow one random tree both ways, with one thread and two; returns the number of nodes."""
    rng = np.random.default_rng(seed)
    columns = make_columns(rng, n, kinds, missing)
    if how.get("labels", "majority") != "majority":
        columns = [
            c if c[0] == "numeric" else ("nominal", [v % 2 for v in c[1]], 2) for c in columns
        ]
    y = labels(rng, columns, n, n_classes)
    w = None if weights is None else rng.choice(weights, n).tolist()
    nodes, distances = grow_slowly(columns, y, n_classes, criterion, w, **how)
    table = make_table(columns, y, n_classes)
    for n_jobs in (None, 2):
        model = fasttree.fit(table, criterion=criterion, sample_weight=w, n_jobs=n_jobs, **how)
        assert_same_tree(model, nodes, w)
    np.testing.assert_array_equal([s.global_distance for s in model.trace_], distances)
    return len(nodes)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("kinds", thinned(["ncn", "nnn", "ccc"], 3))
@pytest.mark.parametrize("evaluation", ["global", "glocal"])
def test_every_criterion(name, kinds, evaluation):
    sizes = [
        check(seed, name, kinds, n_classes=2 + seed % 3, evaluation=evaluation) for seed in range(3)
    ]
    assert max(sizes) > 8


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("choice", thinned(["all", "distinct"], 2))
def test_chosen_labels(name, choice):
    sizes = [
        check(seed, name, kinds, n=24, n_classes=2 + seed % 2, evaluation="global", labels=choice)
        for seed, kinds in enumerate(["nn", "nc", "ncn"])
    ]
    assert max(sizes) > 6
    check(7, name, "nnc", n=24, n_classes=3, evaluation="glocal", labels=choice)


@pytest.mark.parametrize(
    "criterion",
    [
        criteria.Accuracy(assignment="identity"),
        criteria.Accuracy(assignment="matching"),
        criteria.Jaccard(assignment="matching"),
        criteria.Jaccard(assignment="identity"),
        criteria.Jaccard(size="sqrt"),
        criteria.FMeasure(beta=2.0),
    ],
    ids=repr,
)
@pytest.mark.parametrize("choice", ["majority", "distinct"])
def test_options(criterion, choice):
    for seed in range(3):
        check(seed, criterion, "nn", n=30, evaluation="global", labels=choice)


STOPS = {
    "max_depth": [1, 3],
    "min_samples_split": [7, 20],
    "min_samples_leaf": [2, 6],
    "min_weight_fraction_leaf": [0.05, 0.2],
    "no_distance_decay": [True, "strict"],
    "max_leaf_nodes": [2, 5, 9],
    "empty_branch": ["unclassified"],
    "ties": ["row"],
    "thresholds": ["value"],
}


@pytest.mark.parametrize(
    "name", thinned(["mantaras", "info_gain", "gini", "accuracy", "jaccard"], 5)
)
@pytest.mark.parametrize(("stop", "value"), [(s, v) for s, values in STOPS.items() for v in values])
@pytest.mark.parametrize("evaluation", ["global", "glocal"])
def test_limits(name, stop, value, evaluation):
    for seed, kinds in enumerate(["nnn", "ncc"]):
        check(seed, name, kinds, evaluation=evaluation, **{stop: value})


@pytest.mark.parametrize("evaluation", ["global", "glocal"])
@pytest.mark.parametrize("weights", [[0, 1, 2, 5], [0.25, 0.5, 1.5, 0.0]])
@pytest.mark.parametrize("name", ["info_gain", "gini", "jaccard"])
@pytest.mark.parametrize("least", [1, 3])
def test_weights(evaluation, weights, name, least):
    for seed, kinds in enumerate(["nnn", "ncc"]):
        check(seed, name, kinds, weights=weights, evaluation=evaluation, min_samples_leaf=least)


@pytest.mark.parametrize("evaluation", ["global", "glocal"])
@pytest.mark.parametrize("name", ["info_gain", "gini", "jaccard", "mantaras"])
def test_missing_values(evaluation, name):
    for seed, kinds in enumerate(["nnn", "ncc", "ccc"]):
        check(seed, name, kinds, missing=0.2, evaluation=evaluation)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "how",
    [
        {},
        {"labels": "all"},
        {"evaluation": "glocal"},
        {"evaluation": "local", "min_score": -np.inf},
    ],
    ids=str,
)
def test_the_trace_tells_what_the_formulas_say(name, how):
    """Distances from tables counted row by row from the predictions of the tree as it was, by the
    formulas."""
    rng = np.random.default_rng(5)
    columns = make_columns(rng, 50, "nn")
    y = labels(rng, columns, 50, 3)
    table = make_table(columns, y, 3)
    model = fasttree.fit(table, criterion=name, **{"evaluation": "global", **how})
    options = {"assignment": "identity"} if name == "jaccard" else {}
    assert len(model.trace_) > 4
    codes = {f"k{c}": c for c in range(3)}
    for step, predicted in zip(model.trace_, list(model.staged_predict(table))[1:], strict=True):
        counted = np.zeros((3, 3))
        np.add.at(counted, ([codes[p] for p in predicted], y), 1)
        expected = criteria_oracle.evaluate(name, counted.tolist(), declared=3, **options)[1]
        assert step.global_distance == pytest.approx(expected, rel=1e-10, abs=1e-12)
    assert model.trace_.to_frame()["global_distance"].tolist() == [
        s.global_distance for s in model.trace_
    ]


@pytest.mark.parametrize(
    "criterion",
    [
        "variation_of_information",
        "mantaras",
        "gini",
        "info_gain",
        criteria.Accuracy(assignment="identity"),
        "jaccard",
    ],
    ids=str,
)
def test_distance_zero_is_consistency(criterion):
    """A consistent tree has distance 0, and for these measures no other tree grown by majority
    has."""
    seen = set()
    for seed in range(30):
        rng = np.random.default_rng(seed)
        columns = make_columns(rng, 30, "nn", grid=5)
        y = labels(rng, columns, 30, 3)
        table = make_table(columns, y, 3)
        model = fasttree.fit(table, criterion=criterion, evaluation="global")
        for step, p in zip(model.trace_, list(model.staged_predict(table))[1:], strict=True):
            consistent = bool(np.all(p == table.y))
            assert consistent == (abs(step.global_distance) < 1e-12)
            seen.add(consistent)
    assert seen == {False, True}


def test_gain_ratio_is_zero_too_early():
    """The converse is false for the gain ratio: one pure label among three classes can have
    distance 0."""
    table = [[2, 0, 0], [0, 1, 1], [0, 0, 0]]
    distance = criteria.GainRatio().distance(table)
    assert distance == pytest.approx(0, abs=1e-12)


def test_random_ties_depend_on_the_seed_alone():
    X = np.array([[a, b, c] for a in range(3) for b in range(3) for c in range(2)] * 3, dtype=float)
    y = (X[:, 0] == X[:, 1]).astype(int)
    sizes = set()
    for seed in range(12):
        how = {"criterion": "gini", "evaluation": "global", "ties": "random", "random_state": seed}
        one, two = fasttree.fit(X, y, **how), fasttree.fit(X, y, n_jobs=2, **how)
        assert one.to_text() == two.to_text()
        assert one.score(X, y) == 1.0
        sizes.add(one.n_nodes_)
    assert len(sizes) > 1


def test_a_function_is_a_criterion():
    """A user's Gini grows the tree of the core's, from reals and one call a block."""

    def gini(tables):
        sizes = tables.sum(axis=2)
        squares = (tables**2).sum(axis=2) / np.where(sizes > 0, sizes, 1)
        return (squares.sum(axis=1) * (1 / sizes.sum(axis=1)[0])) - 1.0

    rng = np.random.default_rng(3)
    columns = make_columns(rng, 60, "nnc")
    table = make_table(columns, labels(rng, columns, 60, 3), 3)
    for weight in (None, rng.integers(0, 3, 60).astype(float)):
        own = fasttree.fit(table, criterion=gini, evaluation="global", sample_weight=weight)
        core = fasttree.fit(table, criterion="gini", evaluation="global", sample_weight=weight)
        assert own.to_text() == core.to_text()
        ours = [s.global_distance for s in own.trace_]
        np.testing.assert_allclose(ours, [s.global_distance for s in core.trace_], atol=1e-12)
    glocal = fasttree.fit(table, criterion=gini, evaluation="glocal")
    assert glocal.score(table) == fasttree.fit(table, criterion="gini").score(table)


def test_jaccard_of_roots_and_real_weights_is_a_number():
    """Sums of real weights in two orders differ in the last bit: once, the root of such a
    difference was NaN."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 1000, (60, 2)).astype(float), rng.integers(0, 4, 60)
        how = {"evaluation": "glocal", "sample_weight": rng.choice([0.25, 0.1, 3.7], 60)}
        model = fasttree.fit(X, y, criterion=criteria.Jaccard(size="sqrt"), **how)
        assert np.isfinite([s.global_distance for s in model.trace_]).all()
        assert model.trace_[-1].global_distance == pytest.approx(0, abs=1e-6)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("evaluation", ["local", "global", "glocal"])
def test_real_weights_leave_nothing_behind(name, evaluation):
    """A label that no leaf bears any more has no rows; once, what rounding had left of them was
    scored as rows."""
    criterion = (
        criteria.Jaccard(assignment="identity") if name == "jaccard" else criteria.make(name)
    )
    for seed in range(3):
        rng = np.random.default_rng(seed)
        X, y = rng.integers(0, 9, (50, 2)).astype(float), rng.integers(0, 3, 50)
        w = rng.choice([0.1, 0.7, 2.0], 50)
        how = {"min_samples_leaf": 2, "evaluation": evaluation}
        if evaluation != "local":
            how["labels"] = "all"
        model = fasttree.fit(X, y, criterion=name, sample_weight=w, **how)
        for step, predicted in zip(model.trace_, list(model.staged_predict(X))[1:], strict=True):
            table = np.zeros((3, 3))
            np.add.at(table, (predicted, y), w)
            assert step.global_distance == pytest.approx(
                criterion.distance(table), rel=1e-9, abs=1e-9
            )


@pytest.mark.parametrize("name", ["gini", "info_gain"])
@pytest.mark.parametrize("load", [load_iris, load_wine])
def test_steps_are_those_of_plain_numpy(name, load):
    X, y = load(return_X_y=True)
    model = fasttree.fit(X, y, criterion=name, evaluation="global")
    expected = global_numpy.grow(X, y, getattr(global_numpy, name))
    np.testing.assert_allclose(
        [step.global_distance for step in model.trace_], expected, atol=1e-12
    )


def test_all_rows_under_one_label_are_all_rows():
    """Cells that differ from the classes' totals in the last bit only were taken for a dependence
    by euclid."""
    criterion, alone = criteria.make("euclid"), 0
    for seed in range(60):
        rng = np.random.default_rng(seed)
        X, y, w = (
            rng.integers(0, 3, (30, 2)),
            rng.integers(0, 3, 30),
            rng.choice([0.1, 0.7, 2.0, 0.3], 30),
        )
        how = {"evaluation": "global", "labels": "all", "nominal_splits": "one_vs_rest"}
        model = fasttree.fit(
            X, y, criterion="euclid", categorical_features="all", sample_weight=w, **how
        )
        for step, predicted in zip(model.trace_, list(model.staged_predict(X))[1:], strict=True):
            tenths = np.zeros((3, 3))
            np.add.at(tenths, (predicted, y), np.round(w * 10))
            alone += len(set(predicted)) == 1
            assert step.global_distance == pytest.approx(criterion.distance(tenths), abs=1e-9)
    assert alone > 5


def test_a_function_that_raises_or_says_nan():
    X, y = np.arange(20.0)[:, None], np.arange(20) % 2

    def broken(tables):
        raise ZeroDivisionError("mine")

    with pytest.raises(ZeroDivisionError, match="mine"):
        fasttree.fit(X, y, criterion=broken, evaluation="global")
    with pytest.raises(ValueError, match="NaN"):
        fasttree.fit(X, y, criterion=lambda t: np.full(len(t), np.nan), evaluation="global")


def test_a_saved_model_keeps_its_story(tmp_path):
    X, y = fasttree.datasets.load_iris().X, fasttree.datasets.load_iris().y
    model = fasttree.fit(X, y, criterion="jaccard", evaluation="glocal")
    model.save(tmp_path / "m")
    again = fasttree.load_model(tmp_path / "m")
    assert [s.global_distance for s in again.trace_] == [s.global_distance for s in model.trace_]
    assert again.evaluation == "glocal"
    assert again.fit(X, y).to_text() == model.to_text()


def test_cut_keeps_the_labels_of_growth():
    rng = np.random.default_rng(0)
    columns = make_columns(rng, 60, "nn")
    table = make_table(columns, labels(rng, columns, 60, 3), 3)
    whole = fasttree.fit(table, criterion="jaccard", evaluation="global", labels="distinct")
    for leaves in (2, 4, 7):
        short = fasttree.fit(
            table,
            criterion="jaccard",
            evaluation="global",
            labels="distinct",
            max_leaf_nodes=leaves,
        )
        assert short.to_text() == whole.cut(leaves - 1).to_text()


def test_feature_subsets():
    rng = np.random.default_rng(0)
    X, y = rng.normal(size=(200, 6)), rng.integers(0, 3, 200)
    how = {"criterion": "gini", "evaluation": "global", "max_features": 2}
    trees = [fasttree.fit(X, y, random_state=s, **how) for s in (1, 1, 2)]
    assert trees[0].to_text() == trees[1].to_text() != trees[2].to_text()
    assert all(t.score(X, y) == 1.0 for t in trees)


def test_row_order_changes_nothing():
    rng = np.random.default_rng(0)
    X, y = rng.integers(0, 6, (80, 3)).astype(float), rng.integers(0, 3, 80)
    order = rng.permutation(80)
    for choice in ("majority", "all"):
        how = {"criterion": "mantaras", "evaluation": "global", "labels": choice}
        assert (
            fasttree.fit(X, y, **how).to_text() == fasttree.fit(X[order], y[order], **how).to_text()
        )


def test_a_root_that_is_never_split_predicts_its_majority():
    X, y = np.array([[0.0], [0.0], [0.0]]), np.array(["a", "b", "b"])
    model = fasttree.fit(X, y, evaluation="global")
    assert model.n_nodes_ == 1
    assert model.predict(X).tolist() == ["b"] * 3
    assert len(model.trace_) == 0


REFUSED = [
    ({"labels": "all"}, "labels"),
    ({"evaluation": "global", "min_score": 0.1}, "min_score"),
    ({"evaluation": "glocal", "criterion": criteria.GainRatio(guard="average")}, "guard"),
    ({"evaluation": "distant"}, "'local', 'global', 'glocal'"),
    ({"evaluation": "global", "labels": "some"}, "'majority', 'all', 'distinct'"),
]


@pytest.mark.parametrize(("how", "said"), REFUSED, ids=[str(h) for h, _ in REFUSED])
def test_what_is_refused(how, said):
    with pytest.raises(ValueError, match=said):
        fasttree.fit([[0.0], [1.0], [2.0]], [0, 1, 0], **how)


def test_labels_are_chosen_for_two_leaves_only():
    three = Column("colour", "nominal", np.array([0, 1, 2], dtype=np.int32), ("r", "g", "b"))
    target = Column("class", "nominal", np.array([0, 1, 0], dtype=np.int32), ("n", "y"))
    with pytest.raises(ValueError, match="'colour' splits into 3 branches, but"):
        fasttree.fit(Table.from_columns([three], target), evaluation="global", labels="all")
    with pytest.raises(
        ValueError, match="'x0' splits into 3 branches, one of them for missing values"
    ):
        fasttree.fit([[0.0], [1.0], [np.nan]], [0, 1, 0], evaluation="global", labels="distinct")


def test_cross_validation_grows_globally():
    table = fasttree.datasets.load_iris()
    how = {"evaluation": "global", "labels": "distinct"}
    result = model_selection.cross_validate(
        table, criterion=["jaccard"], cv="1x5", random_state=0, **how
    )
    right = []
    for train, test in result.folds.pairs:
        model = fasttree.fit(table.take(train), criterion="jaccard", **how)
        right.append(model.score(table.take(test)))
    assert result.mean("jaccard", "accuracy") == pytest.approx(np.mean(right))


def test_interrupts_are_answered():
    code = """
import os, signal, threading, time
import numpy as np, fasttree
rng = np.random.default_rng(0)
X, y = rng.normal(size=(3000, 10)), rng.integers(0, 9, 3000)
fasttree.fit(X[:20], y[:20], evaluation="global")
threading.Timer(0.5, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
start = time.monotonic()
try:
    fasttree.fit(X, y, criterion="jaccard", evaluation="global", labels="all")
except KeyboardInterrupt:
    print("answered", time.monotonic() - start < 5)
"""
    done = run_script(code)
    assert done.stdout.split() == ["answered", "True"], done.stderr


def test_the_oracle_knows_the_papers_first_step():
    """Three rows a class on a line: by hand, the first cut of info gain leaves one class pure and
    two together."""
    columns = [("numeric", [0.0, 1, 2, 3, 4, 5])]
    y = [0, 0, 1, 1, 2, 2]
    nodes, distances = grow_slowly(columns, y, 3, "info_gain", evaluation="global")
    assert [n.threshold for n in nodes if n.children] == [1.5, 3.5]
    np.testing.assert_allclose(distances, [2 / 3, 0.0], atol=1e-12)
