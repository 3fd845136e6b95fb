"""The figures of Späh & Kosub on small numbers of repeats: what is drawn, counted and said."""

from __future__ import annotations

import json

import numpy as np
import pytest

import fasttree
from fasttree import experiments
from fasttree.experiments.spaeh_kosub import claims as spaeh_kosub_claims
from fasttree.experiments.spaeh_kosub import run as spaeh_kosub
from fasttree.experiments.spaeh_kosub.repeats import (
    growth_curves,
    learning_curves,
    redundant_splits,
    tree_sizes,
)

MEASURES = ("gini", "jaccard")


@pytest.fixture(scope="module")
def small():
    """Iris alone, a few repeats, trees of at most 7 nodes."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spaeh_kosub, "REPEATS", {"figure 4": 4, "figure 5": 3, "figures 7 and 8": 4})
        patch.setattr(spaeh_kosub, "GENERATING", (3, 5, 7))
        patch.setattr(spaeh_kosub, "SHARES", (0.05, 0.12, 0.25, 0.5, 0.95))
        yield experiments.run("spaeh-kosub", datasets=["iris"], n_jobs=1)


def test_every_claim_has_a_verdict_under_both_tie_rules(small):
    claims = [row for row in small.rows if row.quantity == "holds"]
    assert len(claims) % 2 == 0
    assert {row.dataset for row in claims} == {
        f"figure {x}" for x in ("4", "5", "6", "7a", "7b", "7c", "7d", "8")
    }
    assert all(
        row.value in {True, False}
        for row in claims
        if row.dataset in {"figure 5", "figure 6", "figure 7b"}
    )
    of_monks = [row for row in claims if "Monks" in row.method or "monks" in row.method]
    assert of_monks
    assert all(row.value is None for row in of_monks)
    assert "claims that could be checked hold" in small.summary
    document = json.loads(small.to_json())
    assert document["missing"] == []
    assert {"dataset", "method", "quantity", "value", "sd", "published", "match"} <= set(
        document["rows"][0]
    )


def test_table_1_says_what_the_paper_gets_wrong(small):
    rows = {row.method: row for row in small.rows if row.quantity == "symmetric"}
    assert rows["gini"].match is False
    assert rows["normalized_vi"].match is True
    table = np.array([[[4, 0, 1], [0, 3, 2]]])
    square = np.array([[[4, 0], [0, 3], [1, 2]]])
    gini = fasttree.criteria.make("gini")
    assert gini.distance(table)[0] == pytest.approx(0.400, abs=5e-4)
    assert gini.distance(square)[0] == pytest.approx(0.133, abs=5e-4)


@pytest.mark.exhaustive
def test_figures_are_drawn(small, tmp_path):
    pytest.importorskip("matplotlib")
    paths = small.save_figures(tmp_path)
    assert len(paths) == 10
    assert all(path.stat().st_size > 10_000 for path in paths)


def test_a_set_that_is_not_there_is_listed(tmp_path):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(spaeh_kosub, "REPEATS", {"figure 4": 2, "figure 5": 2, "figures 7 and 8": 2})
        patch.setattr(spaeh_kosub, "GENERATING", (3,))
        found = experiments.run("spaeh-kosub", tmp_path, ["cardiotocography"])
    assert found.missing == ["cardiotocography"]
    assert any("not run" in line for line in found.to_text().splitlines())


def test_learning_curves_are_fits_on_the_named_rows():
    table = spaeh_kosub._numeric(fasttree.datasets.load_iris(), "iris")
    methods = spaeh_kosub._pairs(MEASURES, "first")
    curves = learning_curves(table, methods, (0.2, 0.9), 3, seed=7)
    order = [np.random.default_rng(7).permutation(150)][0]
    train, test = order[15 : 15 + 27], order[:15]
    assert curves.rows == [27, 122]
    for name, one in methods.items():
        model = fasttree.FastTreeClassifier(**one.get_params(deep=False)).fit(table.take(train))
        assert curves.nodes[name][0, 0] == model.n_nodes_
        assert curves.accuracy[name][0, 0] == model.score(table.take(test))


def test_redundant_splits_are_those_of_the_definition():
    # x <= 1: class 0; then x <= 2: class 0 again: one test would do.
    X, y = np.arange(6.0)[:, None], np.array([0, 0, 0, 1, 1, 1])

    def first_cut(tables: np.ndarray) -> np.ndarray:
        return -np.arange(len(tables), dtype=float)

    model = fasttree.fit(X, y, criterion=first_cut)
    assert model.n_nodes_ == 7
    assert redundant_splits(model) == 2

    def last_cut(tables: np.ndarray) -> np.ndarray:
        return np.arange(len(tables), dtype=float)

    assert redundant_splits(fasttree.fit(X, y, criterion=last_cut)) == 2
    assert redundant_splits(fasttree.fit(X, y, criterion="gini")) == 0


def test_no_kept_sample_has_a_smaller_consistent_tree():
    sizes = tree_sizes(spaeh_kosub._pairs(MEASURES, "first"), (5, 9), 4, seed=1)
    for place, size in enumerate(sizes.generating):
        for values in sizes.nodes.values():
            assert (values[place] >= size).all()
    assert len(sizes.discarded) == 2
    assert spaeh_kosub_claims.efficient(sizes.redundant["gini local"]) == "yes"


def test_growth_curves_end_at_the_finished_tree_and_stop_at_limits():
    table = spaeh_kosub._numeric(fasttree.datasets.load_iris(), "iris")
    whole = spaeh_kosub._pairs(("gini",), "first", max_leaf_nodes=150)
    limited = spaeh_kosub._pairs(("gini",), "first", max_leaf_nodes=5)
    growth = growth_curves(table, whole, 5, seed=3)
    for name in whole:
        assert growth.train[name][-1] > 0.99
        assert growth.unfinished[name][0] == 1.0
        assert growth.unfinished[name][-1] == 0.0
        assert growth.test[name][-1] == pytest.approx(growth.final[name].mean())
    short = growth_curves(table, limited, 3, seed=3)
    assert all((steps == 4).all() for steps in short.steps.values())


def test_columns_that_mark_a_class_are_left_out(uci):
    table = spaeh_kosub._load("cardiotocography-10class", experiments.paper.data_files(uci))
    assert table.shape[0] == 2126
    assert len(table.classes) == 10
    for j in range(table.shape[1]):
        assert not spaeh_kosub._marks_a_class(table.X[:, j], table.y_codes)
    assert table.shape[1] < 35


def test_the_tie_rule_alone_makes_27_or_55_nodes_on_wine():
    jaccard = fasttree.criteria.Jaccard(assignment="matching")
    how = {"criterion": jaccard, "evaluation": "global", "labels": "distinct"}
    table = fasttree.datasets.load_wine()
    nodes = {ties: fasttree.fit(table, ties=ties, **how).n_nodes_ for ties in ("row", "first")}
    assert nodes == {"row": 27, "first": 55}
