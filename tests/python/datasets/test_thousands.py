"""Thousands between points or commas, in files that say elsewhere how they write decimals."""

from __future__ import annotations

import warnings

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree._checks.data_warnings import DataWarning

AMOUNTS = np.random.default_rng(0).integers(100, 3000, 60)
RATES = np.random.default_rng(1).uniform(1, 9, 60)


def english(value, decimals=0):
    return f"{value:,.{decimals}f}"


def german(value, decimals=0):
    return english(value, decimals).translate(str.maketrans(",.", ".,"))


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


@pytest.mark.parametrize("sep", [",", ";"])
@pytest.mark.parametrize("sign", ["{}", "{} €", "${}", "{}%"])
@pytest.mark.parametrize("write", [english, german])
def test_a_row_alone_is_read_as_in_the_file_of_the_fit(tmp_path, write, sign, sep):
    """``1,500``, ``$1,500`` and ``1.500 €`` say nothing alone; another column of that file does."""
    rows = [
        [write(a), sign.format(write(a + 1000)), sign.format(write(a + r, 2)), "ab"[i % 2]]
        for i, (a, r) in enumerate(zip(AMOUNTS, RATES, strict=True))
    ]
    fitted, new = tmp_path / "fit.csv", tmp_path / "new.csv"
    frame = pd.DataFrame(rows, columns=["whole", "signed", "exact", "y"])
    frame.to_csv(fitted, sep=sep, index=False)
    table = fasttree.datasets.load(fitted)
    assert [column.kind for column in table.columns] == ["numeric"] * 3
    assert table.columns[0].values.tolist() == AMOUNTS.tolist()
    tree = fasttree.fit(table, max_depth=2)
    for row in range(12):
        frame[row : row + 1].to_csv(new, sep=sep, index=False)
        assert tree.apply(new).tolist() == tree.apply(table)[row : row + 1].tolist()
        read = fasttree.datasets.load(new, missing=tree._schema.file_cells)
        assert [c.values[0] for c in read.columns] == [c.values[row] for c in table.columns]


@pytest.mark.parametrize("sign", ["{} €", "€{}", "US$ {}", "{}%", "{} kr."])
@pytest.mark.parametrize("cells", [WHOLE_GERMAN, MIXED_GERMAN, WHOLE_ENGLISH, ALONE])
def test_numbers_with_one_sign_are_read_as_those_without(tmp_path, cells, sign):
    """Of which one line says so; a model reads further files in the same way, without a word."""
    signed = [(sign.format(amount), rate) for amount, rate in cells]
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        decimal = "," if cells is ALONE else None  # 1.500 may be either
        assert amounts_of(tmp_path, signed, decimal=decimal).tolist() == AMOUNTS.tolist()
    (text,) = (str(one.message) for one in said)
    assert "are read as numbers: 'amount' (" in text
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", message=".*read as numbers: 'amount'")
        tree = fasttree.fit(fasttree.datasets.load(tmp_path / "rows.csv", decimal=decimal))
        warnings.filterwarnings("error", message=".*read as numbers")
        tree.predict(tmp_path / "rows.csv")


@pytest.mark.parametrize("signs", ["$€", "$ ", "(-", "%‰", "kM"])
def test_numbers_with_several_signs_or_notes_stay_text(tmp_path, signs):
    rows = [f"{signs[i % 2].strip()}{a:,}.50,{'yn'[i % 2]}" for i, a in enumerate(AMOUNTS)]
    rows = [f'"{row[:-2]}",{row[-1]}' for row in rows]
    (tmp_path / "rows.csv").write_text("\n".join(["amount,label", *rows]) + "\n")
    assert fasttree.datasets.load(tmp_path / "rows.csv").columns[0].kind == "nominal"


def test_what_a_point_means_beside_one_sign_is_asked_for(tmp_path):
    rows = [f"{german(a)} €;{'yn'[i % 2]}" for i, a in enumerate(AMOUNTS)]
    (tmp_path / "rows.csv").write_text("\n".join(["amount;label", *rows]) + "\n")
    with pytest.warns(DataWarning, match=r"with a currency sign .*decimal='\.'.*decimal=','"):
        fasttree.fit(tmp_path / "rows.csv", max_depth=1)


def test_a_model_is_not_asked_what_a_point_separates(tmp_path, recwarn):
    rng = np.random.default_rng(0)
    x = np.where(rng.random(200) < 0.2, rng.integers(-130, -110, 200), rng.normal(-122, 0.2, 200))
    frame = pd.DataFrame({"x": x.round(3), "y": x > -122})
    frame.to_csv(tmp_path / "rows.csv", index=False)
    model = fasttree.fit(tmp_path / "rows.csv", "y")
    frame.to_csv(tmp_path / "new.csv", index=False, sep=";")
    recwarn.clear()
    answers = model.predict(tmp_path / "new.csv")
    assert not [one for one in recwarn if "thousands" in str(one.message)]
    assert (answers == model.predict(frame[["x"]])).all()
    with pytest.warns(UserWarning, match="separates thousands"):
        fasttree.datasets.load(tmp_path / "new.csv", "y")
