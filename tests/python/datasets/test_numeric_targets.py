"""Files whose target is a number: which become one by themselves, and what is refused."""

from __future__ import annotations

import numpy as np
import pytest

import fasttree
from fasttree.datasets import DataFileError, load

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
        pandas = pytest.importorskip("pandas")
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
    pandas = pytest.importorskip("pandas")
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
