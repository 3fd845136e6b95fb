"""Greedy trees beside proven ones: a small run, the recorded large one, and what its pages say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from docs.studies.optimal_trees import pictures, study

from fasttree import datasets
from fasttree.model_selection import cross_validate, friedman_nemenyi

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def small() -> study.OptimalTrees:
    sets = {name: study.SETS[name] for name in ("iris", "wine", "monks-3")}
    return study.run(sets, ["gini", "mdl", "hellinger"], depths=[1, 2], cv="1x3")


@pytest.fixture(scope="module")
def recorded() -> study.OptimalTrees:
    file = ROOT / "docs" / "studies" / "optimal_trees" / "record.json"
    return study.OptimalTrees.from_record(file.read_text(encoding="utf-8"))


def test_nothing_is_better_than_the_optimum(small, recorded):
    for case in [*small.cases, *recorded.cases]:
        assert min(case.percent(errors) for errors in case.greedy.values()) >= 0
        assert min((case.percent(errors) for errors in case.own.values()), default=0) >= 0
        assert 0 <= case.optimum < case.rows
    assert all(
        deep.optimum <= flat.optimum
        for flat, deep in zip(recorded.at(2), recorded.at(3), strict=True)
    )


def test_the_record_is_of_all_sets_and_criteria_and_its_small_cases_hold(recorded):
    assert [case.name for case in recorded.at(2)] == list(study.SETS)
    assert {tuple(case.greedy) for case in recorded.cases} == {study.CRITERIA}
    again = study.run({"iris": datasets.load_iris}, depths=[2], cv="1x2").cases[0]
    case = next(c for c in recorded.at(2) if c.name == "iris")
    assert (again.optimum, again.greedy, again.own) == (case.optimum, case.greedy, case.own)


def test_ranks_are_those_of_the_excess(small):
    found = small.friedman(2)
    values = [[case.greedy[name] for name in found.names] for case in small.at(2)]
    again = friedman_nemenyi(values, names=found.names, greater_is_better=False)
    assert found.mean_ranks.tolist() == again.mean_ranks.tolist()


def test_record_tables_and_picture(small, tmp_path):
    again = study.OptimalTrees.from_record(small.to_record())
    assert again == small and again.to_text() == small.to_text()
    assert "Friedman" in small.to_text()
    pytest.importorskip("matplotlib")
    small.save_png(tmp_path / "study.png")
    assert (tmp_path / "study.png").stat().st_size > 5_000


def test_bounds_of_the_picture_are_below_what_they_bound():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] * X[:, 1] + 0.3 * rng.normal(size=60) > 0).astype(int)
    found = pictures.solve(X, y, 0)
    total = found.left + found.right
    for solved in ([10], [5, 30, 50], list(range(len(total)))):
        bound = pictures.lower_bounds(found, solved)
        assert (bound <= total).all()
        assert (bound[solved] == total[solved]).all()
    assert (np.diff(found.left) >= 0).all() and (np.diff(found.right) <= 0).all()
    pytest.importorskip("matplotlib")
    upper, lower = pictures.draw_bound(found, "x").axes
    assert len(upper.lines) == 2 and lower.get_xlabel() == "threshold of x"


def test_searched_trees_are_cross_validated_as_they_are():
    """A fold's tree is the one that `fit` finds on its training rows."""
    from fasttree import MinimalTreeClassifier, OptimalTreeClassifier

    iris = datasets.load_iris()
    trees = {
        "optimal": OptimalTreeClassifier(max_depth=2),
        "minimal": MinimalTreeClassifier(errors="minimise"),
    }
    rows = np.arange(len(iris))
    folds = [(rows[rows % 3 != k], rows[rows % 3 == k]) for k in range(3)]
    result = cross_validate(iris, estimators=trees, cv=folds)
    for name, tree in trees.items():
        own = [tree.fit(iris.take(a)).score(iris.take(b)) for a, b in folds]
        assert result[name]["accuracy"].tolist() == pytest.approx(own)
