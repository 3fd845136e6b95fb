"""The campaigns of `python -m tests.campaign` run: a few cases of each part."""

from __future__ import annotations

import pytest

from tests.campaign import __main__ as campaign
from tests.campaign import guarded


@pytest.mark.parametrize("part", campaign.PARTS)
def test_a_few_cases_of_each_part_have_no_finding(part):
    assert guarded.run(campaign.PARTS[part].make(), 0, 12) == []


@pytest.mark.exhaustive
@pytest.mark.parametrize(("part", "cases"), [("plink", 2000), ("writers", 200)])
def test_studies_are_read_right_and_written_whole(part, cases):
    assert guarded.run(campaign.PARTS[part].make(), 0, cases) == []


def test_the_levels_of_simd_agree_on_a_few_configurations(monkeypatch):
    monkeypatch.setattr(campaign, "LEVELS", [campaign.LEVELS[0], campaign.LEVELS[-1]])
    assert campaign.levels_differ(0, 12) == []


def test_a_finding_names_its_case():
    def case(number):
        if number == 3:
            raise KeyError("within")

    (finding,) = guarded.run(case, 0, 5)
    assert finding.startswith("3 ") and "KeyError" in finding
