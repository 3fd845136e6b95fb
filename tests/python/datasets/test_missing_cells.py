"""Cells that the caller says are missing, and numbers that are codes."""

import warnings

import numpy as np
import pytest

import fasttree
from fasttree import datasets
from fasttree.datasets.files import load_texts


def written(tmp_path, text):
    path = tmp_path / "d.csv"
    path.write_text(text)
    return path


@pytest.mark.parametrize("word", ["ab", "abc", "abcd", "unknown", "not known", "#N/A", "x" * 300])
def test_words_of_every_length_are_missing(tmp_path, word):
    path = written(tmp_path, f"age,y\n{word},a\n1,b\n2,a\n{word},b\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        table = datasets.load(path, missing=[word])
    assert table.columns[0].kind == "numeric"
    assert np.isnan(table.column("age").values).tolist() == [True, False, False, True]


@pytest.mark.parametrize("missing", [999, -9, 2.5, "999", "-9", "2.50"])
def test_numbers_match_by_value(tmp_path, missing):
    path = written(tmp_path, f"age,y\n{float(missing)},a\n1,b\n{missing},a\n7,b\n")
    table = datasets.load(path, missing=missing)
    assert np.isnan(table.column("age").values).tolist() == [True, False, True, False]


def test_what_matches_no_cell_is_said(tmp_path):
    path = written(tmp_path, "age,city,y\n3,rome,a\n1,none,b\n")
    with pytest.warns(UserWarning, match=r"d\.csv: no cell is '77' or 'nil' \(missing\)"):
        datasets.load(path, missing=["none", "nil", 77])


def test_a_number_with_a_decimal_comma_matches_as_text(tmp_path):
    path = written(tmp_path, "age;y\n9,9;a\n1,5;b\n2;a\n")
    table = datasets.load(path, missing="9,9")
    np.testing.assert_array_equal(table.column("age").values, [np.nan, 1.5, 2.0])


def test_a_row_of_empty_cells_is_a_row_of_texts_too(tmp_path):
    path = written(tmp_path, "key,y\n007,a\n,\n   \n\n9,b\n")
    assert load_texts(path, ["key"]) == {"key": ["007", "", "9"]}
    assert len(datasets.load(path)) == 3


def test_leading_zeros_make_levels(tmp_path):
    path = written(tmp_path, "plz,x,y\n01067,0.5,a\n10115,0,b\n00123,-0.25,a\n")
    table = datasets.load(path)
    assert [c.kind for c in table.columns[:2]] == ["nominal", "numeric"]
    assert table.columns[0].levels == ("00123", "01067", "10115")


def test_codes_of_a_new_file_without_leading_zeros_are_those_of_the_fit(tmp_path):
    """Whether 10 is a level must not depend on the other rows of the file."""
    path, new = tmp_path / "fit.csv", tmp_path / "new.csv"
    regions = [f"{i % 12 + 1:02}" for i in range(120)]
    rows = [f"{region},{'yes' if region > '09' else 'no'}" for region in regions]
    path.write_text("\n".join(["region,y", *rows]) + "\n")
    tree = fasttree.fit(path)
    new.write_text("region\n10\n11\n12\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert tree.predict(datasets.load(new, target=False)).tolist() == ["yes"] * 3


def test_a_leading_zero_far_down_makes_levels_of_all(tmp_path):
    rows = [f"{i},{i % 2}" for i in range(1, 9_000)]
    path = written(tmp_path, "\n".join(["code,y", *rows, "007,1"]))
    table = datasets.load(path)
    assert table.columns[0].kind == "nominal"
    assert "007" in table.columns[0].levels and "8999" in table.columns[0].levels


CODES = ["DE", "FR", "ZA", "NA", "NA", "NA"] * 5
"""Countries, Namibia among them."""


def told(call):
    """What a call returns, and its warnings."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        return call(), [str(one.message) for one in said]


@pytest.mark.parametrize("name", ["d.csv", "d.tsv", "d.tab"])
def test_na_among_codes_of_two_letters_is_asked_about(tmp_path, name):
    path, sep = tmp_path / name, "," if name == "d.csv" else "\t"
    head = [["country", "y"]]
    if name.endswith(".tab"):
        head += [["d", "d"], ["", "class"]]
    rows = [*head, *([code, "ab"[code == "NA"]] for code in CODES), ["", "a"]]
    path.write_text("".join(sep.join(row) + "\n" for row in rows))
    table, said = told(lambda: datasets.load(path))
    assert table.column("country").n_missing == 16
    assert len(said) == 1 and "15 cells of column 'country' say NA, read as missing" in said[0]
    assert said[0].endswith("fasttree.datasets.load(path, missing={'country': ['']})")
    for missing in ({"country": [""]}, [""]):
        table, said = told(lambda m=missing: datasets.load(path, missing=m))
        assert table.column("country").levels == ("DE", "FR", "NA", "ZA")
        assert table.column("country").n_missing == 1 and said == []
    assert told(lambda: datasets.load(path, missing={"country": ["NA"]}))[1] == []
    # A model reads further files as its own, and does not ask again.
    model = fasttree.fit(table)
    model.save(tmp_path / "m.json")
    predicted, said = told(lambda: fasttree.load(tmp_path / "m.json").predict(path))
    assert predicted.tolist()[:4] == ["a", "a", "a", "b"] and said == []


@pytest.mark.parametrize("codes", [["yes", "no", "NA"], ["DE", "FRA", "NA", "ZA"], ["DE", "NA"]])
def test_na_among_other_words_is_not_asked_about(tmp_path, codes):
    path = written(tmp_path, "code,y\n" + "".join(f"{code},a\n{code},b\n" for code in codes))
    assert told(lambda: datasets.load(path))[1] == []
