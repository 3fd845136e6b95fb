"""The study of interactions: recovery is counted fairly, the result is seeded, and its page says
what its numbers say."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from docs.studies.interactions import study

import fasttree
from fasttree.criteria import Pi

DOCS = Path(__file__).resolve().parents[3] / "docs" / "studies" / "interactions"

SMALL = {
    "gini": "gini",
    "pi, alpha 1": Pi(alpha=1.0),
    "relieff": "relieff",
    "multisurf": "multisurf",
}


@pytest.fixture(scope="module")
def small():
    problems = {
        "xor": lambda seed: fasttree.datasets.make_parity(2, 6, 120, flip=0.05, random_state=seed)
    }
    return study.run(
        8, 2, criteria=SMALL, bits=[2, 4], noise_bits=[4, 32], flips=[0.0], problems=problems
    )


def test_recovery_by_hand():
    random = np.random.default_rng(0)
    assert study.recovery(np.array([3.0, 2.0, 1.0, 0.0]), 2, random)[0] == 1.0
    assert study.recovery(np.array([0.0, np.nan, 1.0, 2.0]), 2, random)[0] == 0.0
    share, margin = study.recovery(np.array([5.0, 3.0, 1.0, -1.0]), 2, random)
    assert (share, margin) == (1.0, pytest.approx((4.0 - 0.0) / 1.0))
    assert np.isnan(study.recovery(np.array([1.0, 1.0, 1.0, 1.0]), 2, random)[1])


def test_ties_are_decided_by_lot_not_by_place():
    """All scores equal: the first features are found as often as chance finds them."""
    random = np.random.default_rng(1)
    shares = [study.recovery(np.zeros(8), 2, random)[0] for _ in range(4000)]
    assert np.mean(shares) == pytest.approx(0.25, abs=0.03)


def test_purity_is_blind_and_pairs_are_not(small):
    assert small.share("gini", 2, 4, 0.1) < 0.7
    for name in ("pi, alpha 1", "relieff", "multisurf"):
        assert small.share(name, 2, 4, 0.1) == 1.0
    assert small.share("relieff", 4, 4, 0.1) > 0.9
    assert small.share("multisurf", 4, 4, 0.1) < 0.2
    assert small.tree("relieff", "xor").accuracy > 0.85


def test_alphas_are_those_of_score_features(small):
    """One pass for all alphas says what the criterion says."""
    table = fasttree.datasets.make_parity(3, 6, 80, random_state=3)
    for name, score in study._alphas().items():
        alpha, _, rest = name.removeprefix("alpha ").partition(",")
        criterion = Pi(alpha=float(alpha), weighted=not rest)
        assert np.allclose(
            score(table), fasttree.score_features(table, criterion=criterion), rtol=1e-9
        )
    assert small.share("alpha 1", 2, 4) == small.share("pi, alpha 1", 2, 4)


def test_self_pairs_and_the_weight_hide_two_bits_among_many(small):
    """With alpha 1 and 34 features only the pair of a row with itself weighs; without branch
    weights that cancels."""
    assert small.share("alpha 1", 2, 32) < 0.5
    assert small.share("alpha 1, no weight", 2, 32) > 0.9
    table = fasttree.datasets.make_parity(2, 64, 300, flip=0.1, random_state=1)
    scores = fasttree.score_features(table, criterion=Pi(alpha=1.0))
    imbalance = np.abs(np.asarray(table.X, dtype=float).mean(axis=0) - 0.5)
    assert np.corrcoef(scores, imbalance)[0, 1] > 0.9


def test_same_seed_same_result():
    options = {
        "criteria": {"pi": "pi"},
        "bits": [2],
        "noise_bits": [4],
        "flips": [],
        "problems": {},
    }
    first = study.run(3, 2, **options)
    assert first.to_record() == study.run(3, 2, **options).to_record()
    assert first.to_record() != study.run(3, 2, random_state=1, **options).to_record()


def test_forms_and_refusals(small, tmp_path):
    again = study.Interactions.from_record(small.to_record())
    assert again.to_text() == small.to_text()
    assert "by chance" in small.to_text()
    with pytest.raises(KeyError, match="were not run"):
        small.share("gini", 9)
    with pytest.raises(ValueError, match="tree_draws=1"):
        study.run(3, 1)
    pytest.importorskip("matplotlib")
    with pytest.raises(ValueError, match="'bars' is not a picture"):
        small.save_png(tmp_path / "no.png", "bars")
    for which in ("share", "decay", "trees"):
        small.save_png(tmp_path / "study.png", which)
        assert (tmp_path / "study.png").read_bytes().startswith(b"\x89PNG")


@pytest.fixture(scope="module")
def recorded() -> study.Interactions:
    if not DOCS.is_dir():
        pytest.skip("the documentation is not here (tests of an installed package)")
    return study.Interactions.from_record((DOCS / "record.json").read_text(encoding="utf-8"))


def test_the_record_is_what_the_code_gives(recorded):
    asked = {"gini": "gini", "multisurf": "multisurf"}
    again = study.run(
        recorded.draws, 2, criteria=asked, bits=[3], noise_bits=[4], flips=[], problems={}
    )
    for name in asked:
        assert again.share(name, 3, 4) == pytest.approx(recorded.share(name, 3, 4), abs=1e-12)
    assert again.share("alpha 0.5", 3, 4) == pytest.approx(
        recorded.share("alpha 0.5", 3, 4), abs=1e-12
    )


class TestFindingsOfThePage:
    """Each numbered sentence of docs/explanation/interactions.rst."""

    def test_1_purity_finds_what_chance_finds(self, recorded):
        for r in recorded.recovered:
            if r.criterion in ("gini", "info_gain"):
                assert abs(r.share - r.bits / (r.bits + r.noise_bits)) < 1.7 * max(r.half, 0.03)

    def test_2_two_bits_are_easy(self, recorded):
        for name in ("relief", "relieff", "multisurf"):
            assert recorded.share(name, 2, 64) == 1.0
            assert recorded.share(name, 2, 8, 0.3) >= 0.975

    def test_3_each_further_bit_costs(self, recorded):
        assert round(100 * recorded.share("relieff", 3, 64)) == 39
        assert round(100 * recorded.share("relieff", 4, 64)) == 7

    def test_4_multisurf_fails_on_four(self, recorded):
        assert recorded.share("multisurf", 4, 4) == 0.0
        assert recorded.share("relieff", 4, 8) > 0.99

    def test_5_pi_sees_two_not_three(self, recorded):
        assert recorded.share("pi", 2, 8) > 0.95
        assert recorded.share("pi", 3, 8) < 3 / 11 + 0.1

    def test_6_more_bits_larger_alpha(self, recorded):
        enough = {
            k: next(a for a in study.ALPHAS if recorded.share(f"alpha {a:g}", k, 4) > 0.974)
            for k in study.BITS
        }
        assert enough == {2: 0.1, 3: 0.7, 4: 1.0}

    def test_7_many_features(self, recorded):
        assert recorded.share("alpha 1", 3, 16) > 0.99
        assert recorded.share("alpha 1", 3, 32) < 3 / 35 + 0.08
        assert recorded.share("alpha 1, no weight", 2, 32) == 1.0
        best = {
            k: max(recorded.share(f"alpha {a:g}, no weight", k, 64) for a in study.ALPHAS)
            for k in (3, 4)
        }
        assert {k: round(100 * v) for k, v in best.items()} == {3: 35, 4: 12}

    def test_8_9_trees(self, recorded):
        xor, three, four = list(study.PROBLEMS)[:3]
        gini = recorded.tree("gini", xor)
        assert round(100 * gini.accuracy) in (80, 81)
        assert round(gini.leaves) == 22
        assert round(100 * recorded.tree("gini", four).accuracy) == 55
        for name in ("pi, alpha 1", "contextual_merit", "relief", "relieff", "multisurf"):
            for problem, most in ((xor, 5), (three, 9)):
                one = recorded.tree(name, problem)
                assert 0.885 < one.accuracy < 0.905
                assert round(one.leaves) <= most

    def test_10_monks_1(self, recorded):
        for name in ("pi, alpha 1", "contextual_merit", "relief", "relieff", "multisurf"):
            assert recorded.tree(name, "monks-1").accuracy == 1.0
        pruned, whole = (recorded.tree("pi", "monks-1", p) for p in (True, False))
        assert (round(100 * pruned.accuracy), round(100 * whole.accuracy)) == (75, 97)
        assert round(whole.leaves) == 111
        assert round(100 * recorded.tree("gini", "monks-1").accuracy) == 94
        tree = fasttree.fit(fasttree.datasets.make_monks(1), criterion="pi").tree_
        assert tree.feature[0] == 4
        assert {2, 5} >= set(tree.feature[[2, 3]].tolist())

    def test_11_monks_2(self, recorded):
        got = {name: recorded.tree(name, "monks-2", False).accuracy for name in study.CRITERIA}
        assert {recorded.tree(name, "monks-2").leaves for name in got} == {1.0}
        rounded = {name: round(100 * value) for name, value in got.items()}
        assert (rounded["pi"], rounded["pi, alpha 1"], rounded["relief"], rounded["relieff"]) == (
            74,
            76,
            70,
            73,
        )
        assert sorted((rounded["gini"], rounded["info_gain"])) == [40, 41]
        assert rounded["contextual_merit"] == 28

    def test_12_monks_3(self, recorded):
        problem = list(study.PROBLEMS)[5]
        gain = recorded.tree("info_gain", problem).accuracy
        for name in ("pi", "pi, alpha 1", "relief"):
            assert 0.02 < gain - recorded.tree(name, problem).accuracy < 0.03
            assert round(recorded.tree(name, problem).leaves) == 9
