"""A model keeps what its training file called missing, and reads new rows of files by it."""

from __future__ import annotations

import io
import pickle
import warnings

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree import datasets, exact
from fasttree.table.file_cells import FileCells

GIVEN = [[999, "unknown"], {"age": [999], "grade": "unknown"}, {None: ["unknown"], "age": 999}]


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, 200)
    unknown, no_grade = rng.random(200) < 0.2, rng.random(200) < 0.3
    grade = np.where(no_grade, "unknown", rng.integers(1, 9, 200).astype(str))
    lines = zip(np.where(unknown, 999, age), grade, np.where(age > 50, "a", "b"), strict=True)
    path = tmp_path / "people.csv"
    path.write_text("age,grade,y\n" + "\n".join(",".join(map(str, one)) for one in lines))
    return path


def saved(model):
    return fasttree.from_bytes(model.to_bytes())


FORMS = {
    "fitted": lambda model: model,
    "saved": saved,
    "pickled": lambda model: pickle.loads(pickle.dumps(model)),
    "pruned": lambda model: saved(model.prune("pessimistic")),
    "cut": lambda model: saved(model.cut(3)),
}


@pytest.mark.parametrize("given", GIVEN, ids=str)
@pytest.mark.parametrize("form", FORMS)
def test_a_file_is_read_as_the_training_file_was(file, given, form):
    table = datasets.load(file, missing=given)
    assert [row["missing"] > 30 for row in table.describe()] == [True, True, False]
    assert {column.kind for column in table.columns} == {"numeric"}
    model = FORMS[form](fasttree.fit(table, missing="branch"))
    assert model.score(str(file)) == model.score(table)
    assert model.predict(file).tolist() == model.predict(table).tolist()
    as_numbers = datasets.load(file).drop("grade").with_unused({"grade": "dropped"})
    model_of_numbers = fasttree.fit(as_numbers)
    assert not saved(model_of_numbers)._schema.file_cells


def test_forests_their_trees_and_exact_trees_keep_it(file):
    table = datasets.load(file, missing={"age": 999, "grade": "unknown"})
    forest = saved(fasttree.FastForestClassifier(3, random_state=0).fit(table))
    complete = table.drop("grade")
    optimal = saved(exact.optimal_tree(complete, max_depth=1))
    for model in (forest, forest.estimators_[1], optimal):
        assert model._schema.file_cells.by_column["age"] == ("999",)
    assert forest.score(file) == forest.score(table)


def test_remembered_cells_need_not_occur_and_act_in_other_formats(file, tmp_path):
    model = fasttree.fit(datasets.load(file, missing=[999, "unknown"]))
    clean = tmp_path / "clean.csv"
    clean.write_text("age,grade,y\n20,3,b\n70,4,a\n")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.predict(clean).tolist() == ["b", "a"]
    arff = tmp_path / "more.arff"
    arff.write_text(
        "@relation r\n@attribute age numeric\n@attribute grade numeric\n"
        "@attribute y {a,b}\n@data\n999,3,a\n70,3,a\n"
    )
    blank = fasttree.Table([[np.nan, 3], [70, 3]], feature_names=["age", "grade"])
    assert model.predict_proba(arff).tolist() == model.predict_proba(blank).tolist()


def test_a_table_keeps_it_and_a_file_cannot_bring_anything_else(file):
    table = datasets.load(file, missing={"age": [999]})
    for other in (table.take([1, 2]), table.drop("grade"), pickle.loads(pickle.dumps(table))):
        assert other.file_cells == FileCells.of({"age": "999"})
    assert "missing={'age': ['999']}" in table.origin
    assert eval(table.origin, {"fasttree": fasttree}).equals(table)
    found = FileCells.of_json(table.file_cells.as_json())
    assert found.by_column == {"age": ("999",)} and found.texts <= {*found.remembered}
    for damaged in ({"everywhere": 3}, {"everywhere": [], "by_column": [1]}, [1], "x"):
        with pytest.raises((ValueError, TypeError, KeyError, AttributeError)):
            FileCells.of_json(damaged)
    for wrong in ([True], {"age": None}, {3: [9]}, [object()], io.StringIO):
        with pytest.raises(TypeError, match="missing"):
            datasets.load(file, missing=wrong)
    with pytest.raises(datasets.DataFileError, match="did you mean 'age'"):
        datasets.load(file, missing={"Age": [999]})


@pytest.mark.parametrize("dtype", ["float64", "Int64", "object", "str"])
def test_whole_numbers_beside_missing_cells_are_the_levels_of_the_file(tmp_path, dtype):
    ages = [f"{20 + i % 9}" if i % 7 else "n/a" for i in range(90)]
    rows = "".join(f"{age},{'pq'[age > '24']}\n" for age in ages)
    (tmp_path / "a.csv").write_text("age,y\n" + rows)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model = fasttree.fit(tmp_path / "a.csv", "y")
    cells = [np.nan if i % 4 == 3 else 20 + i for i in range(8)]
    frame = pd.DataFrame({"age": cells})
    if dtype == "Int64":
        frame["age"] = frame.age.astype(dtype)
    elif dtype != "float64":
        texts = [None if i % 4 == 3 else f"{20 + i}" for i in range(8)]
        frame["age"] = pd.Series(texts, dtype=dtype)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert model.predict(frame)[[0, 1, 2, 4, 5, 6]].tolist() == [*"ppppqq"]


def test_a_file_with_words_among_numbers_says_how_it_is_read(tmp_path):
    frame = pd.DataFrame({"age": np.arange(40.0), "y": ["p", "q"] * 20})
    (tmp_path / "a.csv").write_text("age\n" + "\n".join([*map(str, range(20)), "unknown"]))
    with pytest.raises(TypeError, match=r"holds 'unknown'; if missing, .*missing=\['unknown'\]"):
        fasttree.fit(frame, "y").predict(tmp_path / "a.csv")
