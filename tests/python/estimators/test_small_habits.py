"""Rules that notebooks show, one line per feature in `explain`, names of scores, the highlighted
path of a row, and arrays that follow a frame."""

from __future__ import annotations

import re
import warnings

import numpy as np
import pytest

import fasttree
from fasttree import plots

pd = pytest.importorskip("pandas")


@pytest.fixture(scope="module")
def iris():
    return fasttree.datasets.load_iris()


@pytest.fixture(scope="module")
def model(iris):
    return fasttree.fit(iris)


def test_explain_prints_one_line_per_feature(model, iris):
    found = model.explain(0, iris)
    lines = str(found).split("\n")
    features = [row["feature"] for row in found]
    printed = [line for line in lines if "<=" in line]
    assert len(found) > 100 and len(printed) == len(set(features)) == 4
    for line in printed:  # the best one of its feature
        name = line.partition(" <=")[0]
        best = max(row["score"] for row in found if row["feature"] == name)
        assert f"{best:.4g}" in line
    assert f"{len(found) - 4} more splits of these features are in the list." in lines
    assert lines[-1].startswith("2 candidates are tied at 0.9183")
    assert found._repr_html_().count("<tr") == 5
    # The split of the tree is printed, whether or not it is the best of its feature.
    greedy = fasttree.fit(iris, criterion="gini", max_depth=3)
    for node in range(greedy.tree_.node_count):
        if greedy.tree_.n_children[node]:
            assert "chosen" in str(greedy.explain(node, iris)).split("\n", 4)[4]


def test_a_notebook_shows_a_rule_in_lines(model, iris):
    rule = model.decision_rule(iris.take([0]))
    assert isinstance(rule, str) and "\n" in rule
    assert rule._repr_html_().startswith("<pre>") and "&lt;=" in rule._repr_html_()


def test_scores_have_the_names_of_the_features(iris):
    plain = fasttree.score_features(iris, criterion="gini")
    named = fasttree.score_features(iris, criterion="gini", named=True)
    assert list(named) == iris.feature_names and list(named.values()) == plain.tolist()
    X = np.array([[0, 1], [1, 1], [2, 0]], dtype=np.uint8)
    made = fasttree.score_features(X, [0, 1, 1], criterion="gini", named=True)
    assert list(made) == ["x0", "x1"]
    study = fasttree.datasets.make_genotypes(60, 5, random_state=0)
    variants = fasttree.score_features(study, criterion="chi2", named=True)
    assert list(variants) == study.variant_ids.tolist()


def test_the_path_of_a_row_is_highlighted(model, iris):
    row = iris.take([100])
    path = np.flatnonzero(np.asarray(model.decision_path(row).todense())[0]).tolist()
    picture = model.to_svg(highlight=row)
    cards = re.findall(r'data-node="(\d+)"><title>[^<]*</title><rect class="([^"]*)"', picture)
    assert [int(node) for node, kind in cards if "h" in kind.split()] == path
    assert picture.count('class="e h"') == len(path) - 1
    assert "h" not in re.findall(r'class="(e[^"]*)"', model.to_svg())[0]
    with plots.detached():
        ax = model.plot(highlight=row)
        drawn = [line for line in ax.lines if line.get_color() == "#111827"]
        assert len(drawn) == len(path) - 1
        assert not [ln for ln in model.plot().lines if ln.get_color() == "#111827"]
    # A folded picture opens the path first.
    small = model.to_svg(highlight=row, max_nodes=2 * len(path) - 1)
    assert all(f'data-node="{node}"' in small for node in path)
    as_mapping = dict(zip(iris.feature_names, np.asarray(iris.X)[100], strict=True))
    assert model.to_svg(highlight=as_mapping) == picture
    with pytest.raises(ValueError, match="highlight=.*must be one row, got 2"):
        model.to_svg(highlight=iris.take([0, 1]))


def test_an_array_after_a_frame_warns():
    frame = pd.DataFrame({"a": [0.0, 1.0, 2.0], "b": [1.0, 0.0, 1.0]})
    model = fasttree.FastTreeClassifier().fit(frame, [0, 1, 1])
    with pytest.warns(UserWarning, match="X does not have valid feature names, but FastTreeCl"):
        model.predict(frame.to_numpy())
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        model.predict(frame)
        fasttree.FastTreeClassifier().fit(frame.to_numpy(), [0, 1, 1]).predict(frame.to_numpy())


def test_ten_classes_have_colours_of_their_own():
    from fasttree.exports.palette import DARK, PALETTE, colour

    assert len(PALETTE) == len(DARK) == 10
    assert len({colour(index) for index in range(30)}) == 30
