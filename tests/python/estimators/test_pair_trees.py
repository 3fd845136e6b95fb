"""Trees on pairs of rows: against a slow tree by the definition, laws, options of growth, and the
words of refusals."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree import Table, criteria, presets
from fasttree.criteria import ContextualMerit, PairFunction, Pi, Relief

from ..tools import body_of, pairs_oracle, run_script
from .test_growth import labels, make_columns, make_table
from .test_growth import sizes as node_sizes

SETTINGS = {
    "pi": (Pi(alpha=1), {"metric": "pi", "decay": "exponential", "alpha": 1}),
    "pi theta": (
        Pi(theta=(1.0, 0.5, 0.25, 0.75), alpha=2),
        {"metric": "pi", "decay": "exponential", "alpha": 2, "theta": (1, 0.5, 0.25, 0.75)},
    ),
    "pi unweighted": (
        Pi(alpha=1, weighted=False),
        {"metric": "pi_unweighted", "decay": "exponential", "alpha": 1},
    ),
    "pi threshold": (
        Pi(alpha=2, decay="threshold"),
        {"metric": "pi", "decay": "threshold", "alpha": 2},
    ),
    "pi identical": (Pi(decay="identical"), {"metric": "pi", "decay": "identical", "alpha": 0}),
    "pi uniform": (Pi(decay="uniform"), {"metric": "pi", "decay": "uniform", "alpha": 0}),
    "merit": (ContextualMerit(), {"metric": "contextual_merit", "decay": "power", "alpha": 2}),
    "merit at zero": (
        ContextualMerit(alpha=1.0, at_zero=3.0),
        {"metric": "contextual_merit", "decay": "power", "alpha": 1, "at_zero": 3},
    ),
    "relief": (Relief(radius=2), {"metric": "relief", "decay": "threshold", "alpha": 2}),
    "relief default": (Relief(), {"metric": "relief", "decay": "threshold", "alpha": None}),
}
STOPS = [
    {},
    {"min_samples_leaf": 3},
    {"max_depth": 2, "empty_branch": "unclassified"},
    {"min_samples_split": 9},
    {"max_leaf_nodes": 9},
    {"no_distance_decay": True},
    {"no_distance_decay": "strict"},
    {"min_score": 5.0},
    {"min_weight_fraction_leaf": 0.05},
]


def check(seed, setting, how, missing=0.0, weights=None, n=34, kinds="cccc"):
    """Grow a random tree both ways and compare; returns the number of nodes."""
    rng = np.random.default_rng(seed)
    columns = make_columns(rng, n, kinds, missing)
    y = labels(rng, columns, n, 3)
    w = None if weights is None else rng.choice(weights, n).tolist()
    criterion, told = SETTINGS[setting]
    told = dict(told)
    if told["alpha"] is None:
        kept = [i for i in range(n) if w is None or w[i] > 0]
        told["alpha"] = pairs_oracle.default_radius([c[1] for c in columns], w or [1] * n, kept)
    grower = pairs_oracle.Grower(columns, y, 3, lambda tables: [], weights=w, **how).told(**told)
    nodes = grower.grow()
    table = make_table(columns, y, 3)
    model = fasttree.fit(table, criterion=criterion, sample_weight=w, **how)
    tree = model.tree_
    number = {id(node): i for i, node in enumerate(nodes)}
    assert tree.node_count == len(nodes)
    for name, expected in {
        "feature": [node.feature for node in nodes],
        "parent": [-1 if node.parent is None else number[id(node.parent)] for node in nodes],
        "label": [node.label for node in nodes],
        "missing_branch": [node.missing_branch for node in nodes],
        "n_node_samples": node_sizes(nodes, w),
        "value": [node.counts for node in nodes],
        "step": [node.step for node in nodes],
    }.items():
        np.testing.assert_array_equal(getattr(tree, name), np.array(expected), err_msg=name)
    expected = np.array([float(node.score) for node in nodes])
    np.testing.assert_allclose(tree.score, expected, rtol=1e-12, atol=1e-12)
    np.testing.assert_array_equal(tree.distance, np.where(tree.n_children > 0, -tree.score, 0.0))
    return len(nodes)


@pytest.mark.parametrize("setting", SETTINGS)
def test_every_setting_grows_the_tree_of_the_double_loop(setting):
    sizes = [check(1, setting, {}), check(2, setting, {}, missing=0.2)]
    sizes.append(check(3, setting, {}, weights=[0, 1, 2, 5]))
    assert min(sizes) > 10


@pytest.mark.parametrize("how", STOPS, ids=str)
@pytest.mark.parametrize("setting", ["pi", "relief"])
def test_limits_and_orders_of_growth(setting, how):
    sizes = [check(10, setting, how), check(11, setting, how, missing=0.2, weights=[1, 2, 3])]
    assert max(sizes) > 1


def random_table(rows, features=6, seed=0, values=3, classes=2):
    rng = np.random.default_rng(seed)
    X = rng.integers(0, values, (rows, features)).astype(np.uint8)
    y = (X[:, 0] ^ X[:, 1]) + (rng.random(rows) < 0.1)
    return Table(X, y % classes, categorical_features="all")


@pytest.mark.parametrize("criterion", ["pi", Relief(), ContextualMerit()], ids=repr)
def test_threads_change_no_byte(criterion):
    table = random_table(900)
    expected = fasttree.fit(table, criterion=criterion)
    assert expected.n_nodes_ > 100
    for n_jobs in (2, 3, 8):
        assert (
            fasttree.fit(table, criterion=criterion, n_jobs=n_jobs).to_bytes()
            == expected.to_bytes()
        )


def test_numbers_are_binned_by_the_criterion_and_the_edges_are_in_the_model():
    table = fasttree.datasets.load_iris()
    model = fasttree.fit(table, criterion="pi")
    binned = fasttree.discretize.EqualWidth().fit_transform(table)
    assert (
        model.tree_.feature.tolist() == fasttree.fit(binned, criterion="pi").tree_.feature.tolist()
    )
    cuts = [f["cuts"] for f in body_of(model.to_bytes())["schema"]["features"]]
    assert [len(c) for c in cuts] == [9] * 4
    np.testing.assert_array_equal(
        fasttree.from_bytes(model.to_bytes()).predict(table), model.predict(table)
    )
    five = fasttree.fit(table, criterion="pi", n_bins=5)
    assert {len(f["cuts"]) for f in body_of(five.to_bytes())["schema"]["features"]} == {4}
    assert fasttree.fit(table, criterion="pi", discretize="mdlp").score(table) > 0.9
    scores = fasttree.score_features(table, criterion="pi")
    np.testing.assert_array_equal(scores, fasttree.score_features(binned, criterion="pi"))
    np.testing.assert_allclose(scores, fasttree.pair_counts(table).score("pi"), rtol=1e-13)


def test_a_numeric_column_that_is_not_binned_is_named():
    frame = pd.DataFrame({"colour": list("rgbr"), "size": [1.0, 2.0, 3.0, 4.0]})
    for ask in (fasttree.fit, fasttree.score_features):
        with pytest.raises(
            ValueError, match=r"column 'size' is numeric .*criterion='pi'.*discretize='auto'"
        ):
            ask(frame, [0, 1, 0, 1], criterion="pi", discretize=None)


def test_a_missing_cell_is_a_value():
    frame = pd.DataFrame({"a": ["x", None, "y", None] * 5, "b": [1.0, 2.0, np.nan, 4.0] * 5})
    y = [0, 1, 0, 1] * 5
    model = fasttree.fit(frame, y, criterion="pi", missing="branch")
    assert model.score(frame, y) == 1.0
    assert model.to_bytes() == fasttree.fit(frame, y, criterion="pi", missing="branch").to_bytes()
    auto = fasttree.fit(frame, y, criterion="pi")
    assert auto.tree_.feature.tolist() == model.tree_.feature.tolist()
    scores = fasttree.score_features(frame, y, criterion="pi")
    np.testing.assert_allclose(scores, fasttree.pair_counts(frame, y).score("pi"))
    with pytest.raises(ValueError, match="missing"):
        fasttree.fit(frame, y, criterion="pi", missing="error")
    with pytest.raises(ValueError, match="fractional"):
        fasttree.fit(frame, y, criterion="pi", missing="fractional")
    assert fasttree.fit(frame, y, criterion="pi", missing="mode").n_nodes_ >= 1


def test_xor_among_noise_is_seen_by_pairs_and_not_by_gain():
    rng = np.random.default_rng(0)
    X = rng.integers(0, 2, (400, 8))
    y = X[:, 2] ^ X[:, 6]
    for criterion in ("pi", "relief", "contextual_merit"):
        model = fasttree.fit(X, y, criterion=criterion, categorical_features="all")
        assert model.get_n_leaves() == 4, criterion
        assert set(model.tree_.feature[:2].tolist()) == {2, 6}
    assert fasttree.fit(X, y, criterion="info_gain", categorical_features="all").get_n_leaves() > 4


def test_relief_keeps_the_radius_of_the_root():
    table = random_table(300, features=5)
    counts = fasttree.pair_counts(table)
    radius = counts._core.default_radius()
    assert 1 < radius <= 5
    by_default = fasttree.fit(table, criterion="relief", trace="candidates")
    told = fasttree.fit(table, criterion=Relief(radius=radius))
    np.testing.assert_array_equal(by_default.tree_.feature, told.tree_.feature)
    np.testing.assert_array_equal(by_default.tree_.score, told.tree_.score)
    np.testing.assert_array_equal(
        fasttree.score_features(table, criterion="relief"), counts.score("relief")
    )
    # Looking at a node later finds the same scores, although the node alone would have another
    # radius.
    for step in list(by_default.trace_)[:5]:
        assert by_default.explain(step.node)[0]["score"] == step.score
        assert by_default.explain(step.node, table)[0]["score"] == step.score


def test_real_weights():
    table = random_table(120)
    w = np.random.default_rng(1).integers(1, 6, len(table))
    whole = fasttree.fit(table, criterion="pi", sample_weight=w)
    half = fasttree.fit(table, criterion="pi", sample_weight=w / 2)
    np.testing.assert_array_equal(whole.tree_.feature, half.tree_.feature)
    np.testing.assert_allclose(half.tree_.score, whole.tree_.score / 4, rtol=1e-13)
    real = w * np.random.default_rng(2).uniform(0.9, 1.1, len(w))
    scores = fasttree.score_features(table, criterion="pi", sample_weight=real)
    columns = [np.asarray(c.values).tolist() for c in table.columns]
    few = table.take(np.arange(30))
    exact, _ = pairs_oracle.scores(
        [c[:30] for c in columns],
        few.y_codes.tolist(),
        [pairs_oracle.Fraction(x) for x in real[:30].tolist()],
        range(30),
        "pi",
        "exponential",
        1,
    )
    got = fasttree.score_features(few, criterion=Pi(alpha=1), sample_weight=real[:30])
    np.testing.assert_allclose(got, [float(x) for x in exact], rtol=1e-4, atol=1e-3)
    assert np.all(np.isfinite(scores))


def merit(root, r, tables):
    return r[..., 3].sum(axis=(1, 2))


def test_a_function_of_ones_own():
    table = random_table(150)
    own = PairFunction(merit, alpha=2.0, decay="power")
    model, named = (
        fasttree.fit(table, criterion=own),
        fasttree.fit(table, criterion=ContextualMerit()),
    )
    np.testing.assert_array_equal(model.tree_.feature, named.tree_.feature)
    np.testing.assert_allclose(model.tree_.score, named.tree_.score, rtol=1e-12)
    loaded = fasttree.from_bytes(model.to_bytes())
    np.testing.assert_array_equal(loaded.predict(table), model.predict(table))
    with pytest.raises(ValueError, match="merit"):
        loaded.fit(table)
    seen = []

    def watch(root, r, tables):
        seen.append((root.shape, r.shape, tables.shape, tables.sum(axis=(1, 2)).tolist()))
        np.testing.assert_allclose(root[:, :2].sum(), r[0, :, :, :].sum())
        return np.arange(len(r), dtype=float)

    fasttree.fit(table, criterion=PairFunction(watch), max_depth=1)
    assert seen == [((2, 4), (6, 3, 2, 4), (6, 3, 2), [150.0] * 6)]
    for wrong, words in [
        (lambda root, r, tables: 1.0, "one score for each"),
        (lambda root, r, tables: [1.0], "1 scores for 6 candidates"),
        (lambda root, r, tables: np.full(len(r), np.nan), "NaN"),
    ]:
        with pytest.raises(ValueError, match=words):
            fasttree.fit(table, criterion=PairFunction(wrong))
    with pytest.raises(ZeroDivisionError):
        fasttree.fit(table, criterion=PairFunction(lambda root, r, tables: 1 / 0))
    assert fasttree.fit(table, criterion=own, no_distance_decay=True).n_nodes_ > 3


def test_ties_feature_subsets_and_seeds():
    rng = np.random.default_rng(7)
    X = rng.integers(0, 3, (60, 4))
    X, y = np.hstack([X, X]).astype(np.uint8), rng.integers(0, 2, 60)
    how = {"criterion": "pi", "categorical_features": "all"}
    assert fasttree.fit(X, y, **how).tree_.feature[0] < 4
    roots = {
        int(fasttree.fit(X, y, ties="random", random_state=s, **how).tree_.feature[0])
        for s in range(12)
    }
    assert len(roots) == 2 and max(roots) - min(roots) == 4
    roots = {
        int(fasttree.fit(X, y, max_features=1, random_state=s, **how).tree_.feature[0])
        for s in range(20)
    }
    assert len(roots) > 3
    one = np.hstack([np.zeros((60, 7), np.uint8), X[:, :1]])
    for seed in range(3):
        assert fasttree.fit(one, y, max_features=1, random_state=seed, **how).n_nodes_ == 4


def test_refusals():
    X, y = np.random.default_rng(0).integers(0, 2, (30, 3)).astype(np.uint8), np.arange(30) % 2
    table = Table(X, y, categorical_features="all")
    for evaluation in ("global", "glocal"):
        with pytest.raises(ValueError, match="criterion='pi'.*criteria on tables"):
            fasttree.fit(table, criterion="pi", evaluation=evaluation)
    for criterion, words in [
        (Pi(alpha=-1.0), "pi: alpha=-1.0 must be a finite number >= 0"),
        (Pi(alpha=float("nan")), "pi: alpha=nan must be a finite number >= 0"),
        (Pi(alpha=float("inf")), "alpha=inf must be a finite number"),
        (Pi(theta=(1, 1, 1, 2)), r"pi: theta=\(1, 1, 1, 2\) must be 4 numbers from 0 to 1"),
        (Pi(theta=(1, 1)), "theta|length"),
        (Pi(decay="linear"), "exponential"),
        (Pi(precision="float"), "exact.*fixed"),
        (Pi(precision="fixed", alpha=-1.0), "alpha"),
        (Pi(decay="power", at_zero=-1.0), "pi: at_zero=-1.0 must be a number in"),
        (ContextualMerit(alpha=-2.0), "contextual_merit: alpha=-2.0 must be a finite number >= 0"),
        (Relief(radius=-1), "relief: radius=-1 must be a finite number >= 0"),
        (Relief(radius=float("nan")), "radius=nan must be a finite number >= 0"),
        (PairFunction(merit, alpha=float("nan")), "PairFunction: alpha=nan must be a number"),
        (PairFunction(merit, alpha=-0.5), "PairFunction: alpha=-0.5 must be a number in"),
        (PairFunction(merit, theta=(1, 1, 1, 3)), r"theta\[3\]"),
        (PairFunction(merit, theta=1.0), "four weights"),
    ]:
        with pytest.raises(ValueError, match=words):
            fasttree.fit(table, criterion=criterion)
    with pytest.raises(ValueError, match="on a contingency table"):
        Pi().score([[1, 2], [3, 4]])
    assert fasttree.fit(table, criterion=Pi(alpha=1e308)).n_nodes_ > 1


def test_fixed_point_scores_and_trees_are_the_exact_ones():
    rng = np.random.default_rng(5)
    X = rng.integers(0, 3, (700, 9)).astype(np.uint8)
    y = (X[:, 2] + X[:, 5]) % 3 * (rng.random(700) < 0.9)
    table = Table(X, y, categorical_features="all")
    weight = rng.integers(0, 4, 700)
    for exact in (Pi(), Pi(alpha=2.0, theta=(1, 0, 0.5, 1)), Pi(weighted=False), ContextualMerit()):
        fixed = type(exact)(**exact.get_params() | {"precision": "fixed"})
        assert eval(repr(fixed), {"Pi": Pi, "ContextualMerit": ContextualMerit}) == fixed
        for w in (None, weight, weight * 0.37):
            a, b = (
                fasttree.score_features(table, criterion=c, sample_weight=w) for c in (exact, fixed)
            )
            pairs = 700.0**2 if w is None else float(w.sum()) ** 2
            assert 0 < np.abs(a - b).max() <= pairs * 2.0**-25 or exact.name == "contextual_merit"
            np.testing.assert_allclose(a, b, rtol=1e-5)
        mine, its = (fasttree.fit(table, criterion=c, max_depth=3) for c in (exact, fixed))
        assert np.array_equal(mine.tree_.feature, its.tree_.feature)
        one, many = (fasttree.score_features(table, criterion=fixed, n_jobs=j) for j in (1, 5))
        assert np.array_equal(one, many)
        shuffled = table.take(rng.permutation(700))
        assert np.array_equal(one, fasttree.score_features(shuffled, criterion=fixed))
    grown = fasttree.fit(table, criterion=Pi(precision="fixed"), no_distance_decay=True)
    assert (
        0 < grown.n_nodes_ == fasttree.fit(table, criterion=Pi(), no_distance_decay=True).n_nodes_
    )
    validate = fasttree.model_selection.cross_validate
    found = validate(
        table, criterion={"exact": "pi", "fixed": Pi(precision="fixed")}, cv="1x4", random_state=0
    )
    assert found.mean("exact", "accuracy") == found.mean("fixed", "accuracy")


def test_edges():
    one = fasttree.fit([["a"]], ["c"], criterion="pi")
    assert one.get_n_leaves() == 1 and one.predict([["a"]]).tolist() == ["c"]
    same = fasttree.fit(np.zeros((5, 2)), [0, 1, 0, 1, 1], criterion="relief")
    assert same.get_n_leaves() == 1
    pure = fasttree.fit(np.arange(10.0)[:, None], np.zeros(10), criterion="contextual_merit")
    assert pure.get_n_leaves() == 1
    assert np.isnan(fasttree.score_features(np.zeros((4, 2)), [0, 1, 0, 1], criterion="pi")).all()
    twice = Table([["a", "x"], ["a", "x"], ["b", "x"]], [0, 1, 1])
    assert fasttree.fit(twice, criterion="pi").score(twice) == pytest.approx(2 / 3)
    # 2,449,965,000 pairs without those of a row with itself: more than 32 bits hold.
    X = np.tile(np.arange(7, dtype=np.uint8), 10_000)[:, None]
    many = fasttree.pair_counts(X, X[:, 0] % 2, categorical_features="all")
    assert many.pairs == 70_000**2 == 2 * 2_449_965_000 + 70_000
    assert (
        fasttree.fit(X, X[:, 0] % 2, criterion="pi", categorical_features="all").score(
            X, X[:, 0] % 2
        )
        == 1
    )


def test_the_presets_tree():
    table = fasttree.datasets.load_iris()
    model = fasttree.fit(table, **presets.VILALTA2001)
    assert model.score(table) > 0.9
    unpruned = fasttree.fit(table, **{**presets.VILALTA2001, "pruning": None})
    assert model.get_n_leaves() < unpruned.get_n_leaves()
    assert fasttree.fit(table, **{**presets.VILALTA2001, "criterion": "gini"}).score(table) > 0.9


def test_objects_keep_their_options():
    pi = Pi(theta=(1, 0.5, 0, 1), alpha=0.3)
    model = fasttree.fit(fasttree.datasets.make_xor(), criterion=pi)
    loaded = fasttree.from_bytes(model.to_bytes())
    assert loaded.criterion == pi
    assert json.loads(json.dumps(pi.options()))["theta"] == [1, 0.5, 0, 1]
    assert eval(repr(pi), {"Pi": Pi}) == pi
    assert criteria.evidence_of("pi") == criteria.evidence_of(PairFunction(merit)) == "pairs"
    arrayed = Pi(theta=np.array([1, 1, 1, 0.5]))
    assert fasttree.fit(fasttree.datasets.make_xor(), criterion=arrayed).get_n_leaves() == 4


def test_cross_validation_grows_what_fit_grows():
    table = random_table(200)
    result = fasttree.model_selection.cross_validate(
        table, criterion=["pi", "relief", Pi(alpha=1)], cv="2x5"
    )
    for (train, test), *_ in [(p, 0) for p in result.folds.pairs][:3]:
        for name, criterion in [("pi", "pi"), ("relief", "relief")]:
            model = fasttree.fit(table.take(train), criterion=criterion)
            fold = [i for i, p in enumerate(result.folds.pairs) if p[1] is test][0]
            assert result[name]["leaves"][fold] == model.get_n_leaves()
            assert result[name]["accuracy"][fold] == pytest.approx(model.score(table.take(test)))


@pytest.mark.parametrize("criterion", ['"pi"', 'fasttree.criteria.Pi(precision="fixed")'])
def test_a_long_pass_can_be_interrupted(criterion):
    code = """
import signal, threading, time, os
import numpy as np, fasttree
X = np.random.default_rng(0).integers(0, 4, (60_000, 30)).astype(np.uint8)
table = fasttree.Table(X, X[:, 0] ^ X[:, 1], categorical_features="all")
len(table.y_codes)
threading.Timer(0.7, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
begun = time.perf_counter()
try:
    fasttree.fit(table, criterion=CRITERION)
except KeyboardInterrupt:
    print("stopped", time.perf_counter() - begun < 20)
"""
    done = run_script(code.replace("CRITERION", criterion), timeout=120)
    assert done.stdout.split() == ["stopped", "True"], done.stderr
