"""`to_text` under other names of the features, and all formats on many classes."""

from __future__ import annotations

import ast
import json
import re

import numpy as np
import pytest
from sklearn.datasets import load_iris

import fasttree
from fasttree import FastTreeClassifier, Table
from fasttree.discretize import EqualWidth
from fasttree.exports import FORMATS
from fasttree.exports.answers import MOST_DRAWN
from fasttree.exports.reading import Reading
from fasttree.exports.words import branch_text, short_branch_text

from ..tools import body_of, file_of

X, Y = load_iris(return_X_y=True)
WORDS = [["red", "x"], ["blue", "x"], ["green", "y"], [None, "y"]] * 4
CHAIN = np.arange(140.0)[:, None]


def town_and_degree(rows=400):
    """Rows with 24 towns in three groups and four degrees, one of which outweighs the towns."""
    random = np.random.default_rng(0)
    town, degree = random.integers(0, 24, rows), random.integers(0, 4, rows)
    score = np.where(degree == 2, 5, 0) + town % 3 + random.normal(0, 0.1, rows)
    return [[f"t{t}", f"d{d}"] for t, d in zip(town, degree, strict=True)], score


def test_what_takes_a_walk_over_the_nodes_is_read_once():
    reading = Reading(fasttree.fit(X, Y))
    for name, member in vars(Reading).items():
        if not name.startswith("_") and hasattr(member, "__get__") and not callable(member):
            value = getattr(reading, name)
            assert not isinstance(value, list | dict) or value is getattr(reading, name), name


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("how", ["subset", "one_vs_rest"])
@pytest.mark.parametrize("missing", ["branch", "mode", "fractional"])
@pytest.mark.parametrize("number", [False, True])
def test_levels_are_those_of_the_node_and_the_shorter_side(how, missing, number):
    rows, score = town_and_degree()
    rows[:9] = [[None, degree] for _, degree in rows[:9]]
    kind = fasttree.FastTreeRegressor if number else fasttree.FastTreeClassifier
    y = score if number else np.array(["low", "high"])[(score > 2).astype(int)]
    model = kind(nominal_splits=how, missing=missing, max_depth=6).fit(rows, y)
    reading, below = Reading(model), {}  # levels of the tested feature on the paths below a node
    for leaf, sets in reading.paths():
        node = leaf
        while node:
            node = int(reading.tree.parent[node])
            codes = sets.get(reading.feature[node])
            below[node] = below.get(node, frozenset()) | (codes.codes or frozenset())
    svg, dot, text = model.to_svg(max_nodes=None), model.to_dot(), model.to_text()
    words = model.explore().document["trees"][0]["words"]
    again, restricted = 0, Reading(model)
    for node in np.flatnonzero(reading.tree.n_children).tolist()[::-1]:  # in any order
        feature = reading.features[reading.feature[node]]
        known = [s for s in restricted.shown_sets(node) if s.codes]
        assert frozenset().union(*(s.codes for s in known)) == below[node]
        again += len(below[node]) < len(feature.levels)
        for child, subset in zip(reading.children[node], reading.shown_sets(node), strict=True):
            said = branch_text(feature, subset)
            if subset.codes and not subset.everything(feature):
                least = min(len(subset.codes), len(below[node] - subset.codes))
                full = branch_text(feature, subset, max_levels=None)
                assert full.count(",") + 1 == least
                assert full.startswith(("not in", "!=")) == (least < len(subset.codes))
            assert f"{feature.name} {said}" in text and said in dot
            assert said.replace("!=", "\u2260") == words[child]
            assert short_branch_text(feature, subset) in svg
    assert again > 3  # levels were sent elsewhere above


def test_levels_that_hold_a_comma_are_quoted_and_rules_are_whole():
    levels = [f"{a}, {b}" for a in "pqrs" for b in "wxyz"] + ["plain"]
    codes = np.arange(len(levels)).repeat(4)
    rows = [[levels[code]] for code in codes]
    model = FastTreeClassifier(nominal_splits="subset", max_depth=1).fit(rows, codes < 8)
    listed = ast.literal_eval
    for rule in model.to_rules():
        [condition] = rule.conditions
        said = str(rule).split("{")[1].split("}")[0].replace("plain", "'plain'")
        named = set(listed(f"[{said}]"))
        assert named == set(condition.levels) or named == set(levels) - set(condition.levels)
    assert set(model.to_rules().to_frame()["rule"]) <= {
        str(rule)[3:].split(" then")[0] for rule in model.to_rules()
    }
    texts = {
        "text": model.to_text(),
        "rule": model.decision_rule(rows[0]),
        "explain": str(model.explain(0, rows, codes < 8)),
        "svg": model.to_svg(),
        "dot": model.to_dot(),
        "j48": model.to_text(style="j48"),
        "page": json.dumps(model.explore(rows, codes < 8).document["trees"][0]["words"]),
        "notebook": model.to_rules()._repr_html_(),
    }
    unquoted = {name for name, text in texts.items() if re.search(r"[{ ]p, w\b", text)}
    assert not unquoted
    silent = {name for name, text in texts.items() if "p, w" not in text}
    assert not silent


MODELS = {
    "thresholds": lambda: (X, Y, {}),
    "bins": lambda: (X, Y, {"discretize": EqualWidth(5)}),
    "levels": lambda: (WORDS, [0, 1, 2, 3] * 4, {"missing": "branch"}),
    "subsets": lambda: (WORDS, [0, 1, 2, 3] * 4, {"nominal_splits": "subset"}),
    "one leaf": lambda: (X, Y * 0, {}),
    "deep": lambda: (
        CHAIN,
        np.arange(140) % 2,
        {"criterion": lambda t: -t[:, 0].sum(axis=1)},
    ),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("max_depth", [None, 0, 1])
@pytest.mark.parametrize("kind", MODELS)
def test_the_text_is_that_of_a_model_with_these_names(kind, max_depth):
    rows, y, how = MODELS[kind]()
    names = ["x1 <= 2", "|   a", "3 < b", "[7] c"][: len(rows[0])]
    own, other = Table(rows, y), Table(rows, y, feature_names=names)
    one, two = (fasttree.fit(table, **how) for table in (own, other))
    expected = two.to_text(max_depth=max_depth)
    assert one.to_text(max_depth=max_depth, feature_names=names) == expected


def test_a_regression_tree_takes_names_and_wrong_ones_are_refused():
    tree = fasttree.FastTreeRegressor(max_depth=1).fit(X[:, :2], X[:, 2])
    assert tree.to_text(feature_names=["long", "wide"]).startswith("long <= ")
    with pytest.raises(ValueError, match="has 1 name, but the model has 2 features"):
        tree.to_text(feature_names=["long"])
    with pytest.raises(TypeError, match="feature_names"):
        tree.to_text(feature_names="long")
    with pytest.raises(ValueError, match="style='j48'"):
        fasttree.fit(X, Y).to_text(style="j48", feature_names=list("abcd"))


PROBABILITIES = {"sql", "python", "c", "onnx", "json"}
"""Formats that hold the probability of each class in each leaf."""


def chain(k, tests=40):
    """A tree of k classes that splits off one class after the other, up to the last leaf, which
    holds the rest."""
    body = body_of(fasttree.fit(np.arange(4.0)[:, None], list("abcd")).to_bytes())
    n = 2 * tests + 1
    inner = np.arange(n) % 2 == 0
    inner[-1] = False
    counts = np.zeros((n, k))
    for i in range(0, n, 2):
        counts[i, i // 2 :] = 1
        counts[i - 1, i // 2 - 1] = i > 0 or counts[i - 1, i // 2 - 1]
    body["schema"]["classes"] = [f"class {c}" for c in range(k)]
    body.update(
        parent=[-1, *(2 * ((i - 1) // 2) for i in range(1, n))],
        branch=[0, *((i - 1) % 2 for i in range(1, n))],
        feature=np.where(inner, 0, -1).tolist(),
        threshold=[i / 2 + 0.5 if inner[i] else None for i in range(n)],
        missing_branch=np.where(inner, 0, -1).tolist(),
        label=counts.argmax(axis=1).tolist(),
        rows=counts.sum(axis=1).astype(int).tolist(),
        step=[i // 2 if inner[i] else -1 for i in range(n)],
        score=[1.0] * n,
        distance=[0.5] * n,
        n_children=np.where(inner, 2, 0).tolist(),
        counts=counts.ravel().tolist(),
    )
    return fasttree.from_bytes(file_of(body))


@pytest.mark.parametrize("name", [name for name in FORMATS if name not in PROBABILITIES])
def test_what_is_written_of_many_classes_does_not_grow_with_these(name):
    """The nodes near the root hold rows of all classes."""
    few, many = (len(FORMATS[name].show(chain(k))) for k in (100, 1600))
    assert many < 2 * few


def test_bars_show_the_largest_classes():
    drawn = Reading(chain(100)).answers
    assert len(drawn.bar(0)) == MOST_DRAWN == len({share.fill for share in drawn.bar(0)})
    assert len(drawn.bar(1)) == 1
    assert sum(share.width for share in drawn.bar(0)) == pytest.approx(MOST_DRAWN / 100)
