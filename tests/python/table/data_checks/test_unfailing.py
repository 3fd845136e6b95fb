"""Checks look at whatever a column holds, and cannot stop a fit."""

import dataclasses

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree.table import Column, Table
from fasttree.table.data_checks import CHECKS, findings, inspect, unfailing
from fasttree.table.data_checks.facts import ColumnFacts
from fasttree.table.data_checks.hidden_numbers import obstacle_to_numbers


@pytest.mark.parametrize("seed", range(60))
def test_levels_without_rows_change_no_hint(seed):
    rng = np.random.default_rng(seed)
    words = ["unknown", "n/a", "12,5", "7 %", "2024-01-31", "x"]
    levels = tuple(map(str, rng.permutation(30)[: rng.integers(1, 30)].tolist()))
    levels += tuple(rng.permutation(words)[: rng.integers(0, 6)].tolist())
    codes = rng.integers(-1, len(levels), size=rng.integers(1, 90)).astype(np.int32)
    codes[np.isin(codes, rng.permutation(len(levels))[: rng.integers(0, len(levels) + 1)])] = -1
    seen = np.unique(codes[codes >= 0])
    kept = np.where(codes < 0, -1, np.searchsorted(seen, codes)).astype(np.int32)
    own = Column("c", "nominal", kept, tuple(levels[code] for code in seen))
    full = Column("c", "nominal", codes, levels)
    assert obstacle_to_numbers(ColumnFacts(full)) == obstacle_to_numbers(ColumnFacts(own))
    found = inspect(Table.from_columns([full])).of_columns
    assert found == inspect(Table.from_columns([own])).of_columns


def test_a_level_that_no_row_has_stops_no_fit():
    ages = [str(20 + i % 8) for i in range(99)]
    frame = pd.DataFrame({"age": pd.Categorical([*ages, "unknown"]), "y": list("pq") * 50})
    assert fasttree.fit(frame.iloc[:-1], "y").get_n_leaves() > 1


@pytest.mark.parametrize("kind", CHECKS)
def test_a_check_that_fails_is_logged_and_raised_in_tests(monkeypatch, caplog, kind):
    def broken(*_, **__):
        raise RuntimeError("a check")

    monkeypatch.setitem(CHECKS, kind, dataclasses.replace(CHECKS[kind], find=broken))
    frame = pd.DataFrame({"age": [f"a{i % 9}" for i in range(90)], "y": list("pq") * 45})
    if kind in findings.COLUMN_CHECKS:
        monkeypatch.setitem(findings.COLUMN_CHECKS, kind, CHECKS[kind])
    with pytest.raises(RuntimeError, match="a check"):
        fasttree.fit(frame, "y")
    monkeypatch.setattr(unfailing, "STRICT", False)
    with caplog.at_level("DEBUG", logger=unfailing.__name__):
        assert fasttree.fit(frame, "y").get_n_leaves() > 1
    assert any(str(record.exc_info[1]) == "a check" for record in caplog.records)
