"""Places in time, and folds that test later rows."""

from __future__ import annotations

import datetime

import numpy as np
import pytest

from fasttree.model_selection.folds import make_folds
from fasttree.model_selection.time_order import are_by_time, folds_by_time, places_in_time

DAYS = np.datetime64("2023-11-20") + np.arange(60)


@pytest.mark.parametrize(
    "form",
    [
        lambda day: day.astype(object).strftime("%d.%m.%Y"),
        lambda day: day.astype(object).strftime("%m/%d/%Y %H:%M"),
        lambda day: day.astype(object),
        lambda day: datetime.datetime.combine(day.astype(object), datetime.time(12)),
        lambda day: day,
        lambda day: day.astype(int) / 7,
    ],
)
def test_places_are_those_of_the_days(form):
    order = np.random.default_rng(0).permutation(60)
    assert places_in_time([form(DAYS[i]) for i in order], "time=day").tolist() == order.tolist()


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["2024-01-31", None], r"^time=day: data row 1 \(counted from 0\) has no value"),
        ([1.5, float("nan")], r"^time=day: data row 1 .* leave the row out$"),
        (["1/2/2024", "3/4/2024"], r"^time=day: '1/2/2024' has no certain order; write numbers"),
        (["2024-01-31", "soon"], r"^time=day: 'soon' has no certain order"),
        (["2024-01-31", "2024-02-01 12:00"], "has no certain order"),
    ],
)
def test_what_has_no_place_is_refused(cells, words):
    with pytest.raises(ValueError, match=words):
        places_in_time(cells, "time=day")


def test_folds_by_time_are_recognised():
    rows = np.zeros(30)
    for cv, by_time in ((folds_by_time("3x5", "day"), True), ("1x5", False), (5, False)):
        assert are_by_time(make_folds(cv, rows, 0, "regression")) is by_time
    with pytest.raises(ValueError, match="cv='weka' with time=day: give a number of folds"):
        folds_by_time("weka", "day")
