"""Thousands between points or commas, in files that say elsewhere how they write decimals."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import fasttree
from fasttree.table.data_checks.warned import DataWarning

AMOUNTS = np.random.default_rng(0).integers(100, 3000, 60)
RATES = np.random.default_rng(1).uniform(1, 9, 60)


def german(value, decimals=0):
    return f"{value:,.{decimals}f}".translate(str.maketrans(",.", ".,"))


def amounts_of(tmp_path, cells, sep=";", **options):
    """The numbers of the first column of a file with these cells."""
    path = tmp_path / "rows.csv"
    rows = [sep.join(row) + f"{sep}{'yn'[i % 2]}" for i, row in enumerate(cells)]
    path.write_text("\n".join([sep.join(["amount", "rate", "label"]), *rows]) + "\n")
    column = fasttree.datasets.load(path, **options).columns[0]
    assert column.kind == "numeric"
    return np.asarray(column.values)


WHOLE_GERMAN = [(german(a), german(r, 2)) for a, r in zip(AMOUNTS, RATES, strict=True)]
MIXED_GERMAN = [(german(a, 2 if i % 3 else 0), str(i)) for i, a in enumerate(AMOUNTS)]
WHOLE_ENGLISH = [(f"{a:,}", f"{r:.2f}") for a, r in zip(AMOUNTS, RATES, strict=True)]
ALONE = [(german(a), str(i % 7)) for i, a in enumerate(AMOUNTS)]


@pytest.mark.parametrize(
    ("cells", "decimal"),
    [
        (WHOLE_GERMAN, None), (WHOLE_GERMAN, ","), (MIXED_GERMAN, None), (MIXED_GERMAN, ","),
        (WHOLE_ENGLISH, None), (WHOLE_ENGLISH, "."), (ALONE, ","),
    ],
)  # fmt: skip
def test_thousands_are_read_as_such(tmp_path, cells, decimal):
    assert amounts_of(tmp_path, cells, decimal=decimal).tolist() == AMOUNTS.tolist()


def test_points_that_may_separate_thousands_are_said(tmp_path):
    with pytest.warns(DataWarning, match=r"'amount': whole numbers .* decimal=','"):
        assert amounts_of(tmp_path, ALONE).max() < 1000
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        amounts_of(tmp_path, ALONE, decimal=".")


def test_decimals_beside_decimal_commas_stay_decimals(tmp_path):
    premium = [(f"{a + 0.58:.2f}", german(a, 2)) for a in AMOUNTS]
    assert amounts_of(tmp_path, premium).tolist() == (AMOUNTS + 0.58).tolist()
    three = [(f"{r:.3f}", str(i)) for i, r in enumerate(RATES)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert amounts_of(tmp_path, three).tolist() == np.round(RATES, 3).tolist()


def test_a_model_reads_new_files_as_that_of_its_fit(tmp_path):
    """``12.345`` alone says nothing; the file of the fit has decimal commas."""
    fitted, new = tmp_path / "fit.csv", tmp_path / "new.csv"
    rows = [f"{german(a, 2)};{'yes' if a > 1500 else 'no'}" for a in AMOUNTS]
    fitted.write_text("\n".join(["amount;fraud", *rows]) + "\n")
    new.write_text("amount;fraud\n12.345;yes\n800;no\n")
    tree = fasttree.fit(fitted)
    tree.save(tmp_path / "model.json")
    for model in (tree, fasttree.load_model(tmp_path / "model.json")):
        assert model.predict(new).tolist() == ["yes", "no"]
    alone = fasttree.datasets.load(new, decimal=".")
    assert alone.columns[0].values[0] == 12.345
