"""How often intervals of leaves hold the truth: small runs, the recorded large one, and what its
page says."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from docs.studies.honest_leaves import study
from docs.studies.honest_leaves.study import LAWS, SIZES, Coverage

ROOT = Path(__file__).resolve().parents[3]

AT_LEAST = [name for name in LAWS if not name.startswith("means")]
NORMAL = "means, normal"


@pytest.fixture(scope="module")
def recorded() -> Coverage:
    path = ROOT / "docs" / "studies" / "honest_leaves" / "record.json"
    if not path.is_file():
        pytest.skip("the documentation is not here (tests of an installed package)")
    return Coverage.from_record(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("law", [*AT_LEAST, NORMAL])
def test_honest_intervals_hold_the_truth_and_others_do_not(law):
    found = study.run(300, {law: LAWS[law]})
    assert found.share(law, "honest") > (0.93 if law == NORMAL else 0.945)
    assert found.share(law, "not honest") < found.share(law, "honest") - 0.1


def test_runs_are_seeded_and_sizes_are_those_of_the_leaves():
    law = {NORMAL: LAWS[NORMAL]}
    found = study.run(20, law)
    assert Coverage.from_record(found.to_record()) == found == study.run(20, law)
    assert found != study.run(20, law, random_state=1)
    sizes = [1, 7, 8, 11, 12, 19, 20, 39, 40, 200]
    assert study._size_of(np.array([0, *sizes])).tolist() == [-1, *np.repeat(range(5), 2)]
    assert [size for pair in SIZES for size in pair] == sizes


FIRST_SETS = 1000
HELD = {
    "shares of 2 classes": [[447, 565, 839, 835, 903]] * 2,
    "shares of 3 classes, a column tells": [
        [267, 397, 866, 1778, 573],
        [268, 397, 862, 1778, 576],
        [268, 401, 859, 1780, 580],
    ],
    "medians, exponential": [[447, 557, 823, 850, 893]],
    "means, normal": [[414, 537, 773, 847, 905]],
}
"""Leaves of the first sets of the record whose interval holds the truth, by class and size."""


@pytest.mark.exhaustive
@pytest.mark.parametrize("law", HELD)
def test_the_record_is_what_the_code_gives(recorded, law):
    """Bit by bit for the first sets; the others of the record differ from them by chance."""
    first = study.run(FIRST_SETS, {law: LAWS[law]}, trees={"honest": True})
    assert first.held[law]["honest"] == HELD[law]
    share = recorded.share(law, "honest")
    error = np.sqrt(share * (1 - share) / sum(first.leaves[law]["honest"]))
    assert first.share(law, "honest") == pytest.approx(share, abs=4 * error)


def test_coverage_of_the_page(recorded):
    assert recorded.sets == 10_000
    for law in AT_LEAST:
        assert recorded.share(law, "honest") >= 0.945
    assert 0.94 <= recorded.share(NORMAL, "honest") <= 0.96
    for law in LAWS:
        assert recorded.share(law, "not honest") < min(0.83, recorded.share(law, "honest") - 0.1)
        assert max(recorded.share(law, "not honest", i) for i in range(1, len(SIZES))) < 0.885
    skewed = [recorded.share("means, exponential", "honest", i) for i in range(len(SIZES))]
    assert skewed == sorted(skewed) and 0.885 < skewed[0] < skewed[-1] < 0.94
