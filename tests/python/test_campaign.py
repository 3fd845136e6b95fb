"""The campaigns of `python -m tests.campaign` run: a few cases of each part."""

from __future__ import annotations

import pytest

from tests.campaign import __main__ as campaign
from tests.campaign import guarded


@pytest.mark.parametrize("part", campaign.PARTS)
def test_a_few_cases_of_each_part_have_no_finding(part):
    assert guarded.run(campaign.PARTS[part].make(), 0, 12) == []


def test_the_levels_of_simd_agree_on_a_few_configurations():
    assert campaign.levels_differ(0, 12) == []


def test_a_finding_names_its_case():
    def case(number):
        if number == 3:
            raise KeyError("within")

    (finding,) = guarded.run(case, 0, 5)
    assert finding.startswith("3 ") and "KeyError" in finding
