"""Selection by significance: the trees of partykit's `ctree` node by node, and a slow oracle.

`published_ctree` reads the published trees; where their files are not, those tests say so. The
oracle (`tests/oracle/significance_oracle.py`) is compared with them as well, so that both answer
for the random tables below.
"""

from __future__ import annotations

import json
import math
import re

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree import FastForestClassifier, FastTreeClassifier, FastTreeRegressor, presets
from fasttree.model_selection import compare, cross_validate

from ..tools import body_of, file_of, thinned
from ..tools import significance_oracle as truth
from . import published_ctree as published

CASES = published.cases()
needs_files = pytest.mark.skipif(not CASES, reason=f"{published.FOLDER}: no published trees")
case_of = pytest.mark.parametrize("case", [CASES[n] for n in sorted(CASES)], ids=lambda p: p.stem)


def table_of(case) -> pd.DataFrame:
    """The predictors as fasttree takes them: levels as text, ordered ones as numbers."""
    columns = {}
    for j, name in enumerate(case["predictors"]):
        codes = case["X"][:, j]
        known = (
            [None if math.isnan(c) else case["levels"][j][int(c)] for c in codes]
            if (case["nominal"][j])
            else codes
        )
        columns[name] = known
    return pd.DataFrame(columns)


def grown(X, y, w, is_class, **params):
    """A tree of fasttree with a preset's nominal splits and thresholds."""
    kind = FastTreeClassifier if is_class else FastTreeRegressor
    model = kind(**{**presets.CTREE, **params}, columns="as_given")
    return model.fit(X, y, sample_weight=w)


def left_levels(model, node) -> set:
    """The levels on the first branch of a subset test."""
    names = model._schema.levels[model.tree_.feature[node]]
    return {names[code] for code in model.tree_.levels_of(node)}


def same_p(found: float, expected: float, *, drawn: bool = False, error: float = 1e-3) -> bool:
    """Whether two p-values agree: logarithms to a relative 1e-8, or drawn ones to an error."""
    if drawn:
        return abs(found - expected) < error
    if expected < 1e-290:
        return found < 1e-280
    return math.isclose(math.log(found), math.log(expected), rel_tol=1e-8, abs_tol=1e-12)


@needs_files
@case_of
def test_published_trees_node_by_node(case):
    case = published.read(case)
    how = published.parameters(case)
    X, tested = table_of(case), 0
    y = case["y"].astype(int) if case["is_class"] else case["y"]
    model = grown(X, y, case["w"], case["is_class"], **how, random_state=0)
    tree, compared = model.tree_, {node["id"]: node for node in published.compared(case)}
    pairs = [(1, 0)]
    while pairs:
        number, node = pairs.pop()
        if number not in compared:
            continue
        golden = compared[number]
        weight = golden.get("nobs_at_training", golden["weight"])
        assert math.isclose(tree.weighted_n_node_samples[node], weight), number
        assert golden["tested"] == (not math.isnan(tree.p_value[node])), number
        assert golden["is_leaf"] == (tree.n_children[node] == 0), number
        if golden["tested"]:
            tested += 1
            chosen = golden["best"] if golden["is_leaf"] else golden["split"]["variable"]
            found = golden["criterion"]
            assert math.isclose(tree.statistic[node], found["statistic"][chosen], rel_tol=1e-8), (
                number
            )
            drawn = case["p_values_randomised"]
            assert same_p(tree.p_value[node], found["p.value"][chosen], drawn=drawn), number
        if golden["is_leaf"] or len(compared) == 1:
            continue
        split, kids = golden["split"], golden["kids"]
        assert case["predictors"][tree.feature[node]] == split["variable"], number
        children = tree.children_of(node).tolist()
        if split["kind"] == "nominal":
            first = set(split["levels_by_kid"][0]) - set(split.get("levels_absent", []))
            if not first <= left_levels(model, node):
                children.reverse()
        else:
            assert math.isclose(tree.threshold[node], split["breaks"][0], rel_tol=1e-12), number
        pairs += zip(kids, children, strict=True)
    assert tested > 0
    # Statistic and p-value of every feature, in the root.
    tests = compared[1]["criterion"]
    for one in model.explain(0, X, y, sample_weight=case["w"]):
        statistic = tests["statistic"].get(one["feature"])
        if statistic is not None and statistic > 1e-9:
            assert math.isclose(one["statistic"], statistic, rel_tol=1e-8)
            expected = tests["p.value"][one["feature"]]
            assert same_p(one["p_value"], expected, drawn=case["p_values_randomised"])


@needs_files
@case_of
def test_the_oracle_grows_the_published_trees(case):
    case = published.read(case)
    how = {k: v for k, v in published.parameters(case).items() if v is not None}
    options = truth.Options(**how)
    nodes = truth.grow(
        case["X"], case["y"], case["nominal"], case["w"], is_class=case["is_class"], options=options
    )
    for golden in published.compared(case):
        found = nodes[golden["id"] - 1]
        assert math.isclose(found.weight, golden.get("nobs_at_training", golden["weight"]))
        if golden["tested"]:
            for j, name in enumerate(case["predictors"]):
                statistic = golden["criterion"]["statistic"].get(name)
                if statistic is not None and statistic > 1e-9:
                    assert math.isclose(found.statistics[j], statistic, rel_tol=1e-8)
        assert golden["is_leaf"] == (found.feature < 0)


def random_rows(seed, *, is_class, weighted, missing):
    """A table of numbers and levels, two of which tell something of the target."""
    rng = np.random.default_rng(seed)
    n = int(rng.integers(60, 220))
    X = np.column_stack(
        [
            rng.normal(size=n),
            rng.integers(0, 6, n),
            rng.integers(0, 4, n),
            rng.integers(0, 9, n) * 0.25,
            np.full(n, 3.0),
        ]
    )
    signal = X[:, 0] + (X[:, 1] > 2) + rng.normal(size=n)
    y = np.digitize(signal, np.quantile(signal, [0.3, 0.75])) if is_class else signal
    if is_class and seed % 2:
        y = (y > 0).astype(int)
    if missing:
        X[rng.random(X.shape) < 0.08] = np.nan
    w = {"none": None, "whole": rng.integers(0, 4, n), "real": rng.random(n) + 0.2}[weighted]
    return X, y, w


NOMINAL = [False, True, True, False, False]


def frame_of(X: np.ndarray) -> pd.DataFrame:
    """Rows with levels as text."""
    columns = {}
    for j, is_nominal in enumerate(NOMINAL):
        cells = X[:, j]
        columns[f"x{j}"] = (
            [None if math.isnan(c) else f"level {int(c)}" for c in cells] if is_nominal else cells
        )
    return pd.DataFrame(columns)


RANDOM = [
    (seed, is_class, weighted, missing, test)
    for seed in range(6)
    for is_class in (True, False)
    for weighted in ("none", "whole", "real")
    for missing in (False, True)
    for test in ("quadratic", "maximum")
]


@pytest.mark.parametrize("setting", thinned(RANDOM, 5), ids=str)
def test_random_trees_are_those_of_the_oracle(setting):
    seed, is_class, weighted, missing, test = setting
    X, y, w = random_rows(seed, is_class=is_class, weighted=weighted, missing=missing)
    how = {"test": test, "cut_test": test, "alpha": 0.3, "adjust": ("bonferroni", "none")[seed % 2]}
    # drawn p-values are slow: smaller trees
    how |= {"min_samples_split": 12 if test == "quadratic" else 40}
    how |= {"min_samples_leaf": 4, "min_prob": 0.05}
    expected = truth.grow(X, y, NOMINAL, w, is_class=is_class, options=truth.Options(**how))
    model = grown(frame_of(X), y, w, is_class, **how)
    tree = model.tree_
    pairs = [(0, 0)]
    ends = subtree_ends(expected)
    while pairs:
        at, node = pairs.pop()
        one = expected[at]
        if test == "maximum" and is_close(one, how["alpha"]):
            continue
        assert math.isclose(tree.weighted_n_node_samples[node], one.weight, rel_tol=1e-9)
        assert (one.feature < 0) == (tree.n_children[node] == 0)
        assert (one.chosen < 0) == math.isnan(tree.p_value[node])
        if one.chosen >= 0:
            assert math.isclose(tree.statistic[node], one.statistics[one.chosen], rel_tol=1e-8)
            p, drawn = math.exp(one.log_p[one.chosen]), test == "maximum"
            assert same_p(tree.p_value[node], p, drawn=drawn, error=0.01)
        if one.feature < 0:
            continue
        assert tree.feature[node] == one.feature
        kids = [at + 1, ends[at + 1]]
        if NOMINAL[one.feature]:
            left = {f"level {int(code)}" for code in one.left_levels}
            if not left <= left_levels(model, node):
                kids.reverse()
        else:
            assert tree.threshold[node] == one.threshold
        pairs += zip(kids, tree.children_of(node).tolist(), strict=True)


@pytest.mark.parametrize("is_class", [True, False])
def test_the_least_branch_is_a_share_of_the_node_with_missing_values(is_class):
    """As in partykit: a tenth of 100 rows, of which 60 have a value."""
    x = np.concatenate([np.arange(60.0), np.full(40, np.nan)])
    y = np.concatenate([np.arange(60) < 8, np.arange(40) % 2]).astype(int)
    how = {"min_prob": 0.1, "min_samples_leaf": 1, "max_depth": 1}
    assert grown(x[:, None], y, None, is_class, **how).tree_.threshold[0] == 9.0
    assert grown(x[:60, None], y[:60], None, is_class, **how).tree_.threshold[0] == 7.0


def is_close(node, alpha: float) -> bool:
    """Whether the errors of drawn p-values can decide about a node."""
    known = np.sort(node.log_p[~np.isnan(node.log_p)])
    return len(known) > 0 and (
        abs(math.exp(known[0]) - alpha) < 0.02 or (len(known) > 1 and known[1] - known[0] < 0.7)
    )


def subtree_ends(nodes) -> list[int]:
    """One past the last node below each node of the oracle's tree."""
    ends = []
    for at, node in enumerate(nodes):
        below = [i for i in range(at + 1, len(nodes)) if nodes[i].depth <= node.depth]
        ends.append(below[0] if below else len(nodes))
    return ends


@pytest.mark.parametrize("is_class", [True, False])
@pytest.mark.parametrize("test", ["quadratic", "maximum", "permutation"])
def test_threads_order_and_copies_of_rows_change_nothing(is_class, test):
    X, y, _ = random_rows(3, is_class=is_class, weighted="none", missing=True)
    w = np.random.default_rng(0).integers(1, 4, len(y))
    how = {"test": test, "alpha": 0.2, "random_state": 4, "min_samples_split": 10}
    frame = frame_of(X)
    model = grown(frame, y, w, is_class, **how)
    order = np.random.default_rng(1).permutation(len(y))
    copies = np.repeat(np.arange(len(y)), w)
    for other in (
        grown(frame, y, w, is_class, **how, n_jobs=2),
        grown(frame.iloc[order], y[order], w[order], is_class, **how),
        grown(frame.iloc[copies], y[copies], None, is_class, **how),
    ):
        assert other.to_text() == model.to_text()
        for field in ("statistic", "p_value", "threshold"):
            found, expected = getattr(other.tree_, field), getattr(model.tree_, field)
            np.testing.assert_array_equal(found, expected)
    assert not np.isnan(model.tree_.p_value[0])


def test_scaled_weights_count_as_their_effective_sum():
    X, y, w = random_rows(2, is_class=True, weighted="real", missing=False)
    one, ten = (
        fasttree.score_features(X, y, test="quadratic", sample_weight=scale * w)
        for scale in (1, 10.5)
    )
    np.testing.assert_allclose(one, ten, rtol=1e-8)


def test_p_values_of_features_are_those_of_the_root():
    X, y, w = random_rows(1, is_class=True, weighted="whole", missing=True)
    frame = frame_of(X)
    found = fasttree.score_features(frame, y, test="quadratic", sample_weight=w, columns="as_given")
    h = truth.influence(y, True)
    expected = np.exp(truth.node_tests(X, NOMINAL, h, w, truth.Options())[1])
    np.testing.assert_allclose(found, expected, rtol=1e-8)
    alone = fasttree.score_features(
        frame, y, test="quadratic", adjust="none", sample_weight=w, named=True, columns="as_given"
    )
    assert math.isnan(alone["x4"])
    m = np.sum(~np.isnan(found))
    np.testing.assert_allclose(1 - (1 - alone["x1"]) ** m, found[1], rtol=1e-6)


def test_permutations_agree_with_the_asymptotic_test():
    rng = np.random.default_rng(5)
    X = rng.normal(size=(150, 3))
    y = (X[:, 0] + 4 * rng.normal(size=150) > 0).astype(int)
    drawn, exact = (
        fasttree.score_features(X, y, test=test, adjust="none", random_state=0)
        for test in ("permutation", "quadratic")
    )
    np.testing.assert_allclose(drawn, exact, atol=0.06)
    strong = fasttree.score_features(
        X, (X[:, 1] > 0).astype(int), test="permutation", adjust="none"
    )
    assert math.isclose(strong[1], 1e-4)


@pytest.mark.parametrize("criterion", ["gini", "hellinger", "pi"])
def test_any_criterion_may_cut_the_chosen_feature(criterion):
    X, y, _ = random_rows(5, is_class=True, weighted="none", missing=False)
    model = grown(
        X[:, :2],
        y,
        None,
        True,
        criterion=criterion,
        cut="criterion",
        alpha=0.2,
        nominal_splits="auto",
        thresholds="midpoint",
    )
    first = fasttree.score_features(X[:, :2], y, test="quadratic")
    if criterion != "pi":
        assert model.tree_.feature[0] == np.nanargmin(first)
    assert model.tree_.p_value[0] < 0.2


def test_tests_are_kept_with_the_model_and_shown():
    X, y, _ = random_rows(4, is_class=True, weighted="none", missing=True)
    frame = frame_of(X)
    model = grown(frame, y, None, True, alpha=0.1, trace="candidates")
    again = fasttree.from_bytes(model.to_bytes())
    np.testing.assert_array_equal(again.tree_.p_value, model.tree_.p_value)
    np.testing.assert_array_equal(again.tree_.statistic, model.tree_.statistic)
    for found in (model.explain(0), model.explain(0, frame, y)):
        chosen = [one for one in found if one["chosen"]]
        assert [one["p_value"] for one in chosen] == [model.tree_.p_value[0]]
        assert found[0]["p_value"] == min(one["p_value"] for one in found)
        assert "by significance (quadratic, alpha=0.1), best first" in str(found)
    assert f"[p={model.tree_.p_value[0]:.3g}]" in model.to_text(p_values=True)
    assert "[p=" not in model.to_text()
    leaf = int(np.flatnonzero((model.tree_.n_children == 0) & (model.tree_.p_value >= 0.1))[0])
    with pytest.raises(ValueError, match="no feature has a p-value below alpha=0.1"):
        model.explain(leaf)
    same = grown(np.ones((40, 2)), np.arange(40) % 2, None, True)
    with pytest.raises(ValueError, match="no feature varies, so that none can be tested"):
        same.explain(0)
    pruned = model.prune("pessimistic", frame, y)
    assert not np.isnan(pruned.tree_.p_value[0])
    assert np.isnan(fasttree.fit("iris").tree_.p_value).all()


REFUSED = [
    ({"alpha": 0.0}, "alpha=0:? must lie between 0 and 1"),
    ({"alpha": 1.0}, "alpha=1:? must lie between 0 and 1"),
    ({"alpha": 2.0}, "alpha=2"),
    ({"min_prob": 0.7}, "min_prob=0.7"),
    ({"split_tries": 0}, "split_tries=0 must be at least 1"),
    ({"evaluation": "global"}, "selection='significance' with evaluation="),
    ({"max_features": 1}, "selection='significance' with max_features"),
    ({"threshold_search": "histogram"}, "selection='significance' with threshold_search"),
    ({"missing": "fractional"}, "selection='significance' with missing='fractional'"),
    ({"criterion": fasttree.criteria.GainRatio(mdl_penalty=True)}, "mdl_penalty=True"),
]


@pytest.mark.parametrize(("how", "words"), REFUSED, ids=str)
def test_what_does_not_go_with_significance_is_refused(how, words):
    X, y, _ = random_rows(1, is_class=True, weighted="none", missing=False)
    with pytest.raises((ValueError, NotImplementedError), match=words):
        FastTreeClassifier(selection="significance", **how).fit(X, y)


def test_parameters_of_significance_need_it():
    with pytest.raises(ValueError, match="min_prob=0.1 cannot act.*selection='significance'"):
        fasttree.fit("iris", min_prob=0.1)
    with pytest.raises(TypeError, match="selection"):
        FastForestClassifier(selection="significance")
    with pytest.raises(TypeError, match="criterion=, or test="):
        fasttree.score_features("iris")
    with pytest.raises(ValueError, match="quantiles"):
        FastTreeRegressor(selection="significance", criterion="absolute_error").fit(
            [[1], [2]], [1, 2.5]
        )


def test_nothing_to_test_is_a_leaf_without_a_test():
    for X, y in (([[1.0]] * 30, [0, 1] * 15), ([[float(i)] for i in range(30)], [1] * 30)):
        model = grown(np.array(X), y, None, True)
        assert (model.tree_.node_count, math.isnan(model.tree_.p_value[0])) == (1, True)


@pytest.mark.parametrize(
    ("tests", "words"),
    [
        ([[0, -1.0, -2.0]], "node 0: has a test whose statistic or p-value is none"),
        ([[0, 3.0, 0.5]], "node 0: has a test whose statistic or p-value is none"),
        ([[1, 3.0, -1.0], [0, 3.0, -1.0]], "node 0: has a test, but is no node in its turn"),
        ([[99, 3.0, -1.0]], "node 99: has a test, but is no node in its turn"),
    ],
)
def test_damaged_tests_of_a_model_file_are_refused(tests, words):
    X, y, _ = random_rows(4, is_class=True, weighted="none", missing=False)
    body = body_of(grown(frame_of(X), y, None, True).to_bytes())
    with pytest.raises(ValueError, match=words):
        fasttree.from_bytes(file_of({**body, "tests": tests}))


CUT = {"cut": "criterion", "criterion": "gini", "alpha": 0.1, "test": "maximum"}


@pytest.mark.parametrize(
    "params, name",
    [
        ({}, "significance (quadratic, alpha=0.05)"),
        (CUT, "significance (maximum, alpha=0.1, cut by gini)"),
    ],
)
def test_the_rule_is_named_wherever_a_tree_is(ftree, tmp_path, params, name):
    """No text calls it by a criterion that has chosen nothing."""
    params = {**presets.CTREE, **params}
    iris = fasttree.datasets.load_iris()
    tree = FastTreeClassifier(**params).fit(iris)
    assert f" by {name}" in tree.explore(iris).document["title"]
    assert f"Candidates of node 0 by {name}, best first" in str(tree.explain(0, iris))
    estimators = [tree, FastTreeClassifier(**params, max_depth=1)]
    found = compare(iris, ["gini"], estimators=estimators, cv="1x2", n_jobs=1)
    assert list(found.methods) == ["gini", name, f"{name} (2)"]
    settings = {k: v for k, v in params.items() if k != "criterion"}
    both = {"criterion": ["gini", "hellinger"], "cv": "1x2", "n_jobs": 1}
    if "criterion" in params:
        found = cross_validate(iris, **both, **settings)
        assert list(found) == [name, name.replace("gini", "hellinger")]
    else:
        with pytest.raises(ValueError, match="so that they are one tree; name one"):
            cross_validate(iris, **both, **settings)
    words = [f"{k}={v}" for k, v in settings.items() if presets.CTREE.get(k) != v]
    given = [part for word in words for part in ("-p", word)]
    given += ["-c", "gini"] if "criterion" in params else []
    model, written = tmp_path / "tree.json", tmp_path / "fit.json"
    code, out, err = ftree(
        "fit", "iris", "--preset", "CTREE", *given, "-m", model, "--json", written, "--no-cv"
    )
    assert code == 0, err
    assert f"{name}: " in out and f"[p={tree.tree_.p_value[0]:.3g}]" in out
    document = json.loads(written.read_text())
    assert document["criterion"] == name
    p = [math.nan if one is None else one for one in document["p_value"]]
    np.testing.assert_array_equal(p, tree.tree_.p_value)
    code, out, _ = ftree("show", model)
    assert code == 0 and f"{name}: " in out and f"[p={tree.tree_.p_value[0]:.3g}]" in out


def test_all_presets_are_offered(ftree):
    assert all(re.search(rf"\b{name}\b", ftree("fit", "--help")[1]) for name in presets.__all__)


def test_ties_are_those_of_the_candidates_that_competed():
    """A feature that no p-value chose does not tie, whatever its scores are."""
    iris = fasttree.datasets.load_iris()
    found = FastTreeClassifier(**presets.CTREE).fit(iris).explain(0, iris)
    scores = {one["feature"]: one["score"] for one in found[::-1]}  # the best of each
    assert scores["petal length (cm)"] == scores["petal width (cm)"] == 150
    assert "tied" not in str(found)
    x = np.repeat([0.0, 1.0, 2.0], 10)
    tree = FastTreeClassifier(**presets.CTREE, max_depth=1).fit(np.column_stack([x, x]), x)
    assert "2 candidates of x0 are tied at 30" in str(tree.explain(0, np.column_stack([x, x]), x))


@pytest.mark.parametrize("target", ["classes", "numbers"])
@pytest.mark.parametrize("cut_test", ["quadratic", "maximum"])
def test_scores_are_multiples_of_the_statistic_of_the_cut(target, cut_test):
    """By the factors that the text of `explain` gives, from the definition of the statistics."""
    random = np.random.default_rng(3)
    x = random.integers(0, 9, 80).astype(float)
    y = x + random.normal(0, 2, 80)
    is_class = target == "classes"
    y = np.digitize(y, [2, 6]) if is_class else y
    tree = grown(x[:, None], y, None, is_class, cut_test=cut_test)
    found = tree.explain(0, x[:, None], y)
    influence = np.eye(3)[y] if is_class else y[:, None]
    n, deviation = len(y), influence - influence.mean(axis=0)
    for one in found:
        left = x <= one["threshold"]
        linear = deviation[left].sum(axis=0)
        spread = left.mean() * (1 - left.mean()) * n / (n - 1)
        covariance = spread * deviation.T @ deviation
        if cut_test == "maximum" or not is_class:
            statistic = (linear**2 / np.diag(covariance)).max()
        else:
            statistic = linear @ np.linalg.pinv(covariance) @ linear
        factor = (n - 1) / n if is_class else (n - 1) / y.var()
        assert one["score"] * factor == pytest.approx(statistic, rel=1e-9)
    said = {"numbers": "decrease of the variance", "quadratic": "Pearson's chi-squared"}
    words = said.get(target if not is_class else cut_test, "largest squared standardised deviation")
    assert f"score: {words}, a multiple of the two-sample statistic" in str(found)
    traced = tree.set_params(trace="candidates").fit(x[:, None], y).explore()
    page = tree.explore(x[:, None], y, criteria=[])
    name = {"numbers": "squared_error", "quadratic": "chi2"}.get(
        target if not is_class else cut_test
    )
    assert [one["name"] for one in traced.document["criteria"]] == [name or "largest_deviation"]
    assert [one["name"] for one in page.document["criteria"]] == ([name] if name else [])


@pytest.mark.parametrize("exponent", [-700, -500, 500, 700])
@pytest.mark.parametrize("data", ["classes", "numbers"])
def test_the_unit_of_a_number_changes_no_statistic(exponent, data):
    """Squares of such numbers leave the range of a double."""
    random = np.random.default_rng(0)
    X, noise = random.normal(size=(200, 3)) + 5.0, random.normal(size=200)
    y = X[:, 0] + 0.1 * noise
    y = y > 5.0 if data == "classes" else 1e-3 * y + 4.0
    found, scaled = (
        fasttree.score_features(one, y, test="quadratic", statistic=True)
        for one in (X, np.ldexp(X, exponent))
    )
    assert np.isfinite(found).all() and found.tolist() == scaled.tolist()


def test_p_values_that_doubles_cannot_hold_are_bounds_wherever_they_stand(ftree, tmp_path):
    x = np.arange(4000) / 8
    frame = pd.DataFrame({"x": x, "z": x % 7, "y": np.where(x < 250, "a", "b")})
    tree = fasttree.fit(frame, "y", selection="significance")
    frame.to_csv(tmp_path / "rows.csv", index=False)
    notes = tree.explore(frame).document["trees"][0]["notes"]
    texts = (
        tree.to_text(p_values=True),
        str(tree.explain(0, frame)),
        tree.to_svg(show="p_values"),
        tree.to_dot(show="p_values"),
        str(notes),
        ftree("rank", tmp_path / "rows.csv", "-t", "y", "--test", "quadratic")[1],
    )
    for text in texts:
        assert "< 1e-300" in text.replace("&lt;", "<") and not re.search(
            r"e-3\d\d(?<!1e-300)", text
        )


@pytest.mark.parametrize("test", ["quadratic", "permutation"])
def test_ordered_levels_that_no_training_row_has_are_dropped(test):
    """Unused levels of the whole training set change no score, also in the page of an inner node
    and with weights of 0; levels that only the node lacks keep their places."""
    rng = np.random.default_rng(3)
    codes = rng.choice([0, 1, 5, 6, 9], 400)
    levels = [f"l{code}" for code in range(12)]
    y = (codes + rng.normal(scale=3, size=400) > 4).astype(int)
    z = rng.integers(0, 3, 400).astype(float)
    whole = pd.DataFrame({"x": pd.Categorical.from_codes(codes, levels, ordered=True), "z": z})
    params = {**presets.CTREE, "test": test, "alpha": 0.3, "min_samples_leaf": 5, "random_state": 0}

    def tests_of(frame, y, weights=None):
        tree = FastTreeClassifier(**params).fit(frame, y, sample_weight=weights)
        assert tree.tree_.node_count > 3
        pages = [
            [
                (one["feature"], one["statistic"], one["p_value"])
                for one in tree.explain(k, frame, y)
            ]
            for k in range(tree.tree_.node_count)
            if weights is None
        ]
        return tree.tree_.feature.tolist(), str(tree.tree_.statistic.tolist()), str(pages)

    used = whole.assign(x=whole.x.cat.remove_unused_categories())
    assert tests_of(whole, y) == tests_of(used, y)
    some = whole.x.isin(["l0", "l1", "l6", "l9"]).to_numpy()
    kept = whole[some].assign(x=whole.x[some].cat.remove_unused_categories())
    weighed, alone = (
        tests_of(whole, y, some.astype(float)),
        tests_of(kept, y[some], np.ones(sum(some))),
    )
    assert weighed == alone
