"""The page on Hope & Korb (2004) says what its recorded run says."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from fasttree.experiments.hope_korb2004 import sets

DOCS = Path(__file__).resolve().parents[3] / "docs"
LEARNERS = ["nb", "j48", "camml", "aode", "tan"]


@pytest.fixture(scope="module")
def recorded():
    path = DOCS / "hope_korb2004" / "record.json"
    if not path.is_file():
        pytest.skip("the documentation is not here (tests of an installed package)")
    return json.loads(path.read_text(encoding="utf-8"))


def rows_of(recorded, words):
    """The rows of the one table whose title has these words, as texts by their first cell."""
    (table,) = (one for one in recorded["tables"] if words in one["title"])
    return {row[0]["text"]: [cell["text"] for cell in row[1:]] for row in table["rows"]}


def test_rewards_that_the_page_speaks_of(recorded):
    mean = {
        kind: {
            name: [float(text.partition(" ")[0]) for text in row[:3]]
            for name, row in rows_of(recorded, f"5.1, {kind}").items()
        }
        for kind in ("Naive Bayes", "TAN", "AODE")
    }
    bayes = mean["Naive Bayes"]
    for size in range(3):
        assert min(LEARNERS, key=lambda name: bayes[name][size]) == "j48"
    for size in range(3):
        best = max(row[size] for row in mean["TAN"].values())
        assert mean["TAN"]["tan (chow-liu)"][size] > best - 0.002
    assert max(row[0] for row in mean["AODE"].values()) < 0
    for kind in ("TAN", "AODE"):
        assert mean[kind]["j48"][2] > mean[kind]["nb"][2]


def test_findings_that_the_page_counts(recorded):
    found = recorded["findings"]
    assert len(found) == 19
    assert sum(one["holds"] for one in found) == 10
    assert sum(one["in_figure"] for one in found) == 7
    assert all(one["holds"] for one in found if one["kind"] == "tan")
    said = next(one["evidence"] for one in found if "alike with 50 rows" in one["claim"])
    assert "nb - aode: +0.0223" in said
    groups = rows_of(recorded, "groups of learners")["Naive Bayes models"]
    assert groups[1].startswith("nb camml;") and groups[2].startswith("nb camml tan;")
    assert all("aode tan" in text or "tan aode" in text for text in groups)


def test_every_set_at_hand_has_all_five_learners(recorded):
    ours = rows_of(recorded, "beside A.2")
    del ours["mean"]
    assert {*ours, *recorded["missing"]} == {*sets.FILES}
    assert all("-" not in row for row in ours.values())
    assert recorded["missing"] == ["hypothyroid", "pendigits", "sonar", "vehicle"]
    gaps = rows_of(recorded, "differences from A.2")
    assert len(ours) == 33 and gaps["median size"][2] == "0.6"
    for name, row in ours.items():
        for j in range(5):
            gap = float(row[2 * j]) - float(row[2 * j + 1])
            assert float(gaps[name][j]) == pytest.approx(gap, abs=0.11)


def test_what_is_out_of_reach_has_a_sentence(recorded):
    (table,) = (one for one in recorded["tables"] if "out of reach" in one["title"])
    said = {(r[0]["text"], r[1]["text"]): r[4]["text"] for r in table["rows"]}
    assert said == sets.OUT_OF_REACH
    assert [name for name, learner in said if learner == "camml"] == ["hungarian", "lung-cancer"]
