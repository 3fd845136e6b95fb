"""Files whose target is a number: which become one by themselves, and what is refused."""

from __future__ import annotations

import warnings

import numpy as np
import pandas
import pytest

import fasttree
from fasttree.datasets import DataFileError, files, load

X = np.random.default_rng(0).normal(size=60).round(3)
PRICE = np.where(X > 0, 30.25, 10.5) + X


@pytest.fixture
def prices(tmp_path):
    """A CSV whose last cell is missing."""
    lines = [f"{x},{price}" for x, price in zip(X, PRICE, strict=True)]
    lines[-1] = f"{X[-1]},?"
    path = tmp_path / "prices.csv"
    path.write_text("\n".join(["x,price", *lines]) + "\n")
    return path


def test_fractions_make_a_number_and_whole_numbers_are_classes(tmp_path, prices):
    table = load(prices)
    assert table.task == "regression" and table.target == "price"
    assert np.array_equal(table.y[:-1], PRICE[:-1]) and np.isnan(table.y[-1])
    assert table.missing_target.tolist() == [59]
    path = tmp_path / "whole.csv"
    path.write_text("x,rooms\n0.5,3\n1.5,10\n2.5,3\n")
    assert load(path).classes == (3, 10)
    number = load(path, task="regression")
    assert number.y.tolist() == [3.0, 10.0, 3.0]
    assert eval(number.origin).equals(number)
    with pytest.raises(ValueError, match="task='number' is not known; use 'classification'"):
        load(path, task="number")


@pytest.mark.parametrize("form", ["arff", "c45", "orange", "parquet", "feather", "csv.gz"])
def test_every_format_reads_the_same_numbers(tmp_path, form):
    rows = list(zip(X.tolist(), PRICE.tolist(), strict=True))
    text = "".join(f"{x},{price}\n" for x, price in rows)
    target = None
    if form == "arff":
        path = tmp_path / "a.arff"
        head = "@relation r\n@attribute x numeric\n@attribute class NUMERIC\n@data\n"
        path.write_text(head + text)
    elif form == "c45":
        path, target = tmp_path / "a.names", "price"
        path.write_text("a,b.\nx: continuous.\nprice: continuous.\n")
        (tmp_path / "a.data").write_text("".join(f"{x},{price},a\n" for x, price in rows))
    elif form == "orange":
        path = tmp_path / "a.tab"
        lines = "".join(f"{x}\t{price}\n" for x, price in rows)
        path.write_text("x\tprice\nc\tc\n\tclass\n" + lines)
    elif form == "csv.gz":
        import gzip

        path = tmp_path / "a.csv.gz"
        path.write_bytes(gzip.compress(("x,price\n" + text).encode()))
    else:
        pytest.importorskip("pyarrow")
        path = tmp_path / f"a.{form}"
        getattr(pandas.DataFrame(rows, columns=["x", "price"]), f"to_{form}")(path)
    table = load(path, target)
    assert table.task == "regression"
    assert np.array_equal(table.numbers, PRICE) and np.array_equal(table.column(0).values, X)
    with pytest.raises(DataFileError, match="Unknown label type: continuous.*task='regression'"):
        load(path, target, task="classification")


def test_text_that_is_no_number_names_row_and_cell(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("x,price\n1,3.5\n2,cheap\n3,4.5\n4,dear\n")
    assert load(path).task == "classification"
    with pytest.raises(DataFileError, match="row 1 of the target 'price' is 'cheap'") as caught:
        load(path, task="regression")
    assert caught.value.column == "price"
    with pytest.raises(DataFileError, match="row 1 of the target 'price' is 'cheap'"):
        fasttree.fit(path, "price", task="regression")
    frame = pandas.DataFrame({"x": [1.0, 2.0], "price": ["3.5", "cheap"]})
    with pytest.raises(ValueError, match="row 1 of the target 'price' is 'cheap'"):
        fasttree.fit(frame, "price", task="regression")
    numbers = {"x": [1.0, 2.0], "price": ["3.5", "1e2"]}
    tree = fasttree.fit(numbers, "price", task="regression")
    assert tree.predict({"x": [1.0, 2.0]}).tolist() == [3.5, 100.0]


def test_levels_that_are_no_numbers_matter_where_they_occur():
    column = fasttree.Table({"x": [1.0, 2.0], "y": ["2", "3"]}, target="y")
    levels = fasttree.Table([[1.0], [2.0]], ["2", "3"], levels={"class": ["1", "none", "2", "3"]})
    assert levels.as_regression().y.tolist() == column.as_regression().y.tolist() == [2.0, 3.0]


def test_a_fit_of_a_file_has_the_task_that_its_target_its_criterion_or_the_caller_says(
    tmp_path, prices
):
    tree = fasttree.fit(prices, "price", max_depth=1)
    assert isinstance(tree, fasttree.FastTreeRegressor)
    known = np.arange(59)  # the row without a price is left out
    again = fasttree.fit(X[known, None], PRICE[known], max_depth=1)
    assert np.array_equal(tree.predict(X[:, None]), again.predict(X[:, None]))
    assert tree.score(prices, "price") == again.score(X[known, None], PRICE[known])
    path = tmp_path / "whole.csv"
    path.write_text("x,rooms\n" + "".join(f"{x},{1 + int(10 * (x > 0))}\n" for x in X))
    assert isinstance(fasttree.fit(path, "rooms"), fasttree.FastTreeClassifier)
    for words in ({"task": "regression"}, {"criterion": "poisson"}, {"target_bins": 2}):
        if "target_bins" in words:
            words["criterion"] = "gini"
        found = fasttree.fit(path, "rooms", **words)
        assert isinstance(found, fasttree.FastTreeRegressor)
        assert found.score(path, "rooms") == 1.0
    assert fasttree.FastTreeRegressor().fit(path, "rooms").score(path, "rooms") == 1.0
    with pytest.raises(DataFileError, match="Unknown label type: continuous"):
        fasttree.FastTreeClassifier().fit(prices, "price")


def test_large_whole_numbers_need_no_classes(tmp_path):
    path = tmp_path / "many.csv"
    path.write_text("x,y\n" + "".join(f"{i % 7},{i}\n" for i in range(70_000)))
    with pytest.raises(ValueError, match="65,536"):
        fasttree.fit(path, "y", task="classification")
    with pytest.warns(UserWarning, match="70,000 different whole numbers, so it is a number"):
        assert isinstance(fasttree.fit(path, "y", max_depth=2), fasttree.FastTreeRegressor)
    tree = fasttree.FastTreeRegressor(max_depth=2).fit(path, "y")
    assert tree.predict([[3.0]]) > 0


def test_bundled_sets_and_empty_targets(tmp_path):
    table = load("iris", "petal length (cm)")
    assert table.task == "regression" and table.numbers[:2].tolist() == [1.4, 1.4]
    assert load("iris").task == "classification"
    with pytest.raises(DataFileError, match="row 0 of the target 'class' is 'setosa'"):
        load("iris", task="regression")
    path = tmp_path / "empty.csv"
    path.write_text("x,y\n1,\n2,?\n")
    with pytest.raises(DataFileError, match="taken as the target is empty"):
        load(path, task="regression")


AS_TEXT = {
    "fractions": lambda i: f"{i * 1.25:.2f}",
    "whole": lambda i: str(i * 7),
    "few": lambda i: str(i % 5),
    "codes": lambda i: f"{i:05}",
    "decimal comma": lambda i: f"{i},5",
    "thousands": lambda i: f"{i * 12345:,}",
    "points": lambda i: f"{i * 12345:,}".replace(",", "."),
    "money": lambda i: f"${i * 12345:,}",
    "two currencies": lambda i: f"{'$€'[i % 2]}{i * 12345:,}",
    "brackets": lambda i: f"({i}.50)" if i % 3 else f"1,{i:03}.50",
    "letters": lambda i: f"{i}.5K" if i % 3 else f"{i}.5M",
    "a word": lambda i: "-" if i == 9 else f"{i}.5",
}


@pytest.mark.parametrize("library", ["pandas", "object", "polars", "pyarrow"])
@pytest.mark.parametrize("form", AS_TEXT)
def test_text_is_a_number_in_a_frame_where_it_is_one_in_a_file(tmp_path, form, library):
    """Else one line says what it holds, and names the task."""
    frame = pandas.DataFrame({"x": np.arange(200) % 9, "y": [AS_TEXT[form](i) for i in range(200)]})
    frame.to_csv(tmp_path / "a.csv", index=False)
    if library == "object":
        frame = frame.astype({"y": object})
    elif library == "polars":
        frame = pytest.importorskip("polars").from_pandas(frame)
    elif library == "pyarrow":
        frame = pytest.importorskip("pyarrow").Table.from_pandas(frame)
    said, found = [], []
    for source in (frame, tmp_path / "a.csv"):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            found.append(fasttree.fit(source, "y", max_depth=2))
        said.append([str(w.message) for w in caught if "the target 'y'" in str(w.message)])
    assert type(found[0]) is type(found[1]) and said[0] == said[1]
    is_number = form in ("fractions", "whole", "decimal comma", "thousands", "points", "money")
    assert is_number == isinstance(found[0], fasttree.FastTreeRegressor)
    if is_number:
        rows = {"x": list(range(9))}
        assert found[0].predict(rows).tolist() == found[1].predict(rows).tolist()
        assert found[0].score(frame, "y") == found[1].score(tmp_path / "a.csv")
        assert found[0].predict(rows).max() > 80
    elif form not in ("few", "codes"):
        assert len(said[0]) == 1 and "task='regression'" in said[0][0]


def test_a_file_is_read_once_for_a_model(tmp_path, prices, monkeypatch):
    tree, calls = fasttree.fit(prices, "price", max_depth=2), []
    read = files._read
    monkeypatch.setattr(
        files, "_read", lambda *args, **more: calls.append(1) or read(*args, **more)
    )
    score = tree.score(prices)
    assert len(calls) == 1
    other = tmp_path / "other.csv"
    other.write_text(prices.read_text().replace("x,price", "price,x"))
    assert tree.evaluate(other) is not None and len(calls) == 2
    other.write_text(prices.read_text().replace("price", "cost"))
    assert tree.score(other) == score  # its own target
