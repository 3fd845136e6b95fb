"""How often trees of significance split noise: a small run, the recorded large one, and what its
page says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from docs.studies.null_rates import study
from docs.studies.null_rates.study import NullRates, Setting

from fasttree import FastTreeClassifier, FastTreeRegressor, presets

ROOT = Path(__file__).resolve().parents[3]


@pytest.fixture(scope="module")
def recorded() -> NullRates:
    path = ROOT / "docs" / "studies" / "null_rates" / "record.json"
    if not path.is_file():
        pytest.skip("the documentation is not here (tests of an installed package)")
    return NullRates.from_record(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("target", [0, 2, 3])
def test_a_root_is_split_where_its_p_value_is_below_alpha(target):
    setting = Setting("own", 80, (3, 0), target, missing=0.1, is_weighted=True)
    kind = FastTreeClassifier if target else FastTreeRegressor
    split = 0
    for number in range(60):
        p, first = setting.root(np.random.default_rng(number))
        table, weights = setting.draw(np.random.default_rng(number))
        tree = kind(**{**presets.CTREE, "alpha": 0.3}).fit(table, sample_weight=weights).tree_
        assert (tree.n_children[0] > 0) == (p < 0.3)
        assert tree.p_value[0] == p
        if tree.n_children[0]:
            assert tree.feature[0] == first
            split += 1
    assert 5 < split < 40  # 18 expected


def test_levels_are_equally_frequent_and_runs_are_seeded():
    table, _ = Setting("own", 100, (50, 20, 0), 5).draw(np.random.default_rng(0))
    for j, levels in enumerate((50, 20)):
        codes = table.column(j).values
        assert np.bincount(codes).tolist() == [100 // levels] * levels
    few = [Setting("own", 40, (2, 0))]
    assert study.run(20, few) == study.run(20, few) != study.run(20, few, random_state=1)
    with pytest.raises(ValueError, match="runs=0"):
        study.run(0)


def test_what_is_off_is_said():
    """Rates out of their bounds and unequal shares are marked."""
    found = study.run(400, [Setting("own", 60, (2, 0)), Setting("other", 60, (2, 0))])
    assert all(found.holds(one) and found.is_even(one) for one in found.settings)
    one = found.settings[0]
    for rejected, fails in ((0, True), (20, False), (40, True)):
        one["rejected"] = rejected
        assert found.holds(one) != fails
        assert ("!" in found.table().rows[0][2].text) == fails
    one["first"] = [160, 240]
    assert not found.is_even(one)
    one.update(at_most=True, rejected=0)
    assert found.holds(one)


def test_the_record_is_what_the_code_gives(recorded):
    assert NullRates.from_record(recorded.to_record()) == recorded
    assert (recorded.runs, recorded.alpha) == (10_000, 0.05)
    known = {setting.name: setting for setting in study.SETTINGS}
    assert {one["name"] for one in recorded.settings} <= set(known)
    again = study.run(
        recorded.runs, [known["one number alone, 2 classes"]], random_state=recorded.seed
    )
    (mine,) = (one for one in recorded.settings if one["name"] == again.settings[0]["name"])
    assert mine["rejected"] == again.settings[0]["rejected"]


def test_rates_and_shares_of_the_page(recorded):
    """Every setting is within its bound, and prefers no column, but those that the page names."""
    assert {one["name"] for one in recorded.settings if not recorded.holds(one)} == set()
    assert {one["name"] for one in recorded.settings if not recorded.is_even(one)} == set()
