"""Do firm criteria choose better? A small run, the recorded large one, and what its page says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from docs.studies.stability import study
from docs.studies.stability.study import FIRMNESS, SETS, Firmness

import fasttree
from fasttree.model_selection import compare

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def recorded() -> Firmness:
    path = ROOT / "docs" / "studies" / "stability" / "record.json"
    if not path.is_file():
        pytest.skip("the documentation is not here (tests of an installed package)")
    return Firmness.from_record(path.read_text(encoding="utf-8"))


def test_numbers_are_those_of_the_public_calls():
    methods = {
        "gini": "gini",
        "mine": lambda t: t.max(axis=1).sum(axis=1),
        "stump": {"max_depth": 1},
    }
    sets = {name: SETS[name] for name in ("iris", "wine")}
    found = study.run(sets, methods, repeats=12, cv="1x3")
    assert (found.sets, found.methods) == (list(sets), list(methods))
    assert Firmness.from_record(found.to_record()) == found
    table = fasttree.datasets.load_wine()
    tree = fasttree.fit(table, criterion="gini", **study.GROWTH)
    stability = tree.stability(table, repeats=12)
    one = next(m for m in found.results if (m.data, m.method) == ("wine", "gini"))
    assert one.root == stability.features.root.max()
    assert (one.similarity, one.agreement) == (
        stability.trees.similarity,
        stability.trees.agreement,
    )
    judged = compare({"wine": table}, estimators={"gini": tree}, cv="1x3")
    assert one.accuracy == judged.means[0, 0]
    assert found.values("leaves")[:, 2].tolist() == [2.0, 2.0]
    with pytest.raises(ValueError, match="repeats=1"):
        study.run(sets, methods, repeats=1)


def test_correlations_are_those_of_the_ranks():
    results = [
        study.Measured(data, f"m{i}", *[firm] * 3, accuracy=right, leaves=5 - i)
        for data, sign in (("a", 1), ("b", 1), ("c", -1))
        for i, (firm, right) in enumerate([(0.1, 0.5), (0.2, 0.5 + 0.1 * sign), (0.9, 0.9 * sign)])
    ]
    found = Firmness(results, 10, "1x2")
    np.testing.assert_allclose(found.correlations("root"), [1, 1, -1])
    np.testing.assert_allclose(found.correlations("root", "leaves"), [-1, -1, -1])
    assert found.test("root").p_value > 0.4
    assert found.friedman("leaves").mean_ranks.tolist() == [3, 2, 1]


def test_the_record_covers_the_registry(recorded):
    assert recorded.sets == list(SETS)
    later = set(study.default_methods()) - set(recorded.methods)
    assert set(recorded.methods) <= set(study.default_methods())
    if later:
        pytest.skip(f"not recorded yet: {sorted(later)}; run python -m docs.studies.stability.make")


def test_findings_of_the_page(recorded):
    """Each numbered sentence of docs/explanation/firm_choices.rst."""
    root, similarity, agreement = (recorded.correlations(name) for name in FIRMNESS)
    assert np.nanmin(root) < -0.4 and np.nanmax(root) > 0.45
    assert -0.15 < np.nanmean(root) < -0.1 and recorded.test("root").p_value > 0.2
    means = {q: recorded.values(q).mean(axis=0) for q in ("root", "accuracy", "leaves")}
    least = recorded.methods.index("variation_of_information")
    assert means["root"].argmax() == means["accuracy"].argmin() == least
    assert all(recorded.test(name, "leaves").p_value > 0.2 for name in FIRMNESS)
    assert 0.3 < np.nanmean(similarity) < 0.4 and 0.01 < recorded.test("similarity").p_value < 0.05
    assert np.nanmin(agreement) > 0.54 and recorded.test("agreement").p_value < 0.02
    ctree = recorded.methods.index("ctree")
    assert 7.5 < means["leaves"][ctree] < 8.5
    assert 25 < np.median(means["leaves"]) < 31
    assert recorded.values("agreement").mean(axis=0).argmax() == ctree
    assert 0.02 < np.sort(means["accuracy"])[-1] - means["accuracy"][ctree] < 0.035
    ranks = recorded.friedman("accuracy")
    assert np.ptp(ranks.mean_ranks) < ranks.critical_difference
    assert (recorded.values("leaves")[recorded.sets.index("monks-2")] == 1).all()
