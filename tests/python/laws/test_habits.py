"""Habits of a scikit-learn user: each works, or is refused with the remedy.

One function a habit, in `HABITS`, from `habits_alone` and `habits_composed`; a refusal is a pair of
the error and words that say what to do instead.
"""

from __future__ import annotations

import pytest

pytest.importorskip("pandas")
pytest.importorskip("polars")
pytest.register_assert_rewrite(f"{__package__}.habits_alone", f"{__package__}.habits_composed")

from . import habits_alone, habits_composed  # noqa: E402
from .habits_tools import HABITS, REFUSALS  # noqa: E402


def test_there_are_enough_habits():
    assert len(HABITS) + len(REFUSALS) >= 65
    homes = {function.__module__ for function in HABITS.values()}
    assert homes == {habits_alone.__name__, habits_composed.__name__}


@pytest.mark.parametrize("name", HABITS)
@pytest.mark.filterwarnings("ignore:(.*rows were in the sample|Attempting to set identical)")
def test_works(name):
    HABITS[name]()


@pytest.mark.parametrize("name", REFUSALS)
def test_is_refused_with_the_remedy(name):
    action, words = REFUSALS[name]
    with pytest.raises((ValueError, TypeError), match=f"(?s)({words})"):
        action()
