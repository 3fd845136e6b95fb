"""Numbers that may mean missing, columns whose rows may belong together, and numbers as text."""

from __future__ import annotations

import dataclasses
import re
import warnings

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree import Column, Table
from fasttree._checks.data_warnings import DataWarning
from fasttree._checks.words import speaking
from fasttree.cli.shell import SHELL
from fasttree.model_selection import cross_validate
from fasttree.table.data_checks import CHECKS, inspect
from fasttree.table.data_checks import findings as findings_module
from fasttree.table.data_checks.facts import ColumnFacts
from fasttree.table.data_checks.findings import apply_and_warn
from fasttree.table.data_checks.frames import unscreened_table
from fasttree.table.data_checks.hidden_numbers import obstacle_to_numbers
from fasttree.table.data_checks.identifiers import was_numeric

N = 400


def said(call, of=("missing cell", "identifies groups")):
    """The warnings of a call about suspicions."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        call()
    texts = [str(one.message) for one in caught]
    return [text for text in texts if any(part in text for part in of)]


def ages(seed=0):
    return np.random.default_rng(seed).integers(18, 90, N)


@pytest.mark.parametrize("value", [999, 9999, -999, -9, -99, -1, 99999])
@pytest.mark.parametrize("as_frame", [True, False], ids=["frame", "Table of columns"])
def test_a_number_far_from_all_others_is_named_with_its_count(value, as_frame):
    age = np.where(np.arange(N) % 20 == 3, value, ages())
    other = {"x": ages(1)} if as_frame else {"x": ["a", "b"] * (N // 2)}
    (found,) = inspect(unscreened_table(pd.DataFrame({"age": age, **other}))).of("sentinels")
    assert (found.column, found.evidence) == ("age", value)
    assert f"({value} in {N // 20} rows, all others from 18 to 89)" in found.text


@pytest.mark.parametrize(
    "values",
    [
        np.where(np.arange(N) == 3, 999, ages()),  # one row in 400
        np.where(np.arange(N) % 20 == 3, 99, ages() + 5),  # among the others
        np.where(np.arange(N) % 20 == 3, 998, ages()),  # not a number of nines
        np.where(np.arange(N) % 2, -1, 1),  # two values
        np.arange(N) % 3 - 1,  # three codes
        np.where(np.arange(N) % 20 == 3, -9.5, ages()),
        np.full(N, 999),
        np.full(N, np.nan),
    ],
    ids=["rare", "near", "998", "signs", "codes", "fraction", "constant", "empty"],
)
def test_other_numbers_are_none(values):
    assert inspect(Table({"age": values, "x": ages(1)})).of("sentinels") == []


def test_words_for_a_missing_cell_are_named_once(tmp_path):
    job, town = (
        np.array(["cook", "unknown", "clerk", "UNK"]),
        np.array(["Not_known", "none", "n/a"]),
    )
    rows = pd.DataFrame(
        {
            "job": job[np.arange(N) % 4],
            "town": town[np.arange(N) % 3],
            "age": np.where(np.arange(N) % 20 == 3, "unknown", ages().astype(str)),
            "word": ["unknown"] * N,
            "y": ["unknown", "q"] * (N // 2),
        }
    )
    (text,) = said(lambda: fasttree.fit(rows, "y", max_depth=1))
    assert "'job' ('unknown' in 100 rows)" in text and "'age'" not in text
    missing = eval(re.search(r"missing=(\{.*?\}\)?)", text)[1].rstrip(")"))
    assert missing == {"job": ["UNK", "unknown"], "town": ["Not_known", "n/a"]}
    rows.to_csv(tmp_path / "a.csv", index=False)
    read = fasttree.datasets.load(tmp_path / "a.csv", missing=missing)
    assert [one.levels for one in read.columns[:2]] == [("clerk", "cook"), ("none",)]
    assert inspect(read).of("sentinels") == []


@pytest.mark.parametrize("form", ["frame", "file"])
@pytest.mark.parametrize("word", ["N/A", "unknown", "Missing", "none", "None", "-"])
def test_classes_that_may_be_missing_cells_are_named_with_what_reads_them_so(tmp_path, word, form):
    y = np.array(["sun", "rain", "sun"], dtype=object)[np.arange(N) % 3]
    y[:9] = word
    frame = pd.DataFrame({"x": ages(), "y": y})
    frame.to_csv(tmp_path / "a.csv", index=False)
    source = frame if form == "frame" else tmp_path / "a.csv"
    (text,) = said(lambda: fasttree.fit(source, "y", max_depth=1))
    assert f"'y' ({word!r} in 9 rows)" in text
    missing = eval(re.search(r"missing=(\{.*?\})", text)[1])
    read = fasttree.datasets.load(tmp_path / "a.csv", missing=missing, as_given=False)
    assert read.classes == ("rain", "sun") and len(read.missing_target) == 9
    assert not said(lambda: fasttree.fit(read.drop_missing_target(), max_depth=1))


@pytest.mark.parametrize("classes", ["none soft hard", "+ - +", "unknown known known"])
def test_classes_that_are_no_missing_cells(classes):
    y = np.repeat(np.array(classes.split()), [N // 2, N // 4, N // 4])
    assert not said(lambda: fasttree.fit(pd.DataFrame({"x": ages(), "y": y}), "y", max_depth=1))


def test_all_columns_that_are_left_out_are_named():
    names = [f"constant {i:02}" for i in range(18)]
    frame = pd.DataFrame({**dict.fromkeys(names, "the same value"), "x": ages(), "y": ages(1) % 2})
    (text,) = said(lambda: fasttree.fit(frame, "y", max_depth=1), ["left out"])
    assert all(repr(name) in text for name in names) and " others ('constant" in text


def test_names_that_an_appended_file_repeats_are_named_once(tmp_path):
    frame = pd.DataFrame({"a": ages() / 7, "b": ages() % 5, "c": ages(1), "y": np.arange(N) % 2})
    frame.to_csv(tmp_path / "a.csv")
    frame.to_csv(tmp_path / "a.csv", mode="a")
    read = pd.read_csv(tmp_path / "a.csv")
    texts = said(lambda: fasttree.fit(read, "y", max_depth=1), [""])
    about = [text for text in texts if "row" in text]
    assert sum("the names of the columns stand again in 1 row" in text for text in about) == 1
    assert len(about) == 1 or (len(about) == 2 and about[0].startswith("columns left out"))
    one = read["b"].to_frame().assign(x=ages().repeat(2).tolist() + [0], y=[*"pq"] * N + ["p"])
    (text,) = said(lambda: fasttree.fit(one, "y", max_depth=1), ["its name stands"])
    assert f"in data row {N}" in text and "leave that row out" in text


def test_two_sentinels_of_a_column_and_that_of_a_target():
    age = np.where(np.arange(N) % 20 == 3, 999, ages())
    age = np.where(np.arange(N) % 20 == 5, 9999, age)
    table = Table({"age": age}, np.where(np.arange(N) % 9 == 0, -9.0, ages(2)), task="regression")
    assert [(one.column, one.evidence) for one in inspect(table).of("sentinels")] == [
        ("age", 9999),
        ("age", 999),
        (table.target, -9),
    ]


def patients(seed=0):
    rng = np.random.default_rng(seed)
    number = rng.permutation(np.repeat(np.arange(80), 5))
    return number, rng.choice(["f", "m"], 80)[number]


def test_groups_are_known_by_name_by_text_by_blocks_and_by_what_they_determine():
    number, sex = patients()
    x = ages(3)
    for name, cells in {
        "patient": number * 7 + 9,
        "who": [f"w{v}" for v in number],
        "k": np.sort(number),
    }.items():
        found = inspect(Table({name: cells, "x": x})).of("groups")
        assert [one.column for one in found] == [name]
    (found,) = inspect(Table({"k": number * 7 + 9, "sex": sex, "x": x})).of("groups")
    assert (found.column, found.evidence) == ("k", (80, 5, 5))


@pytest.mark.parametrize(
    "columns",
    [
        {"k": patients()[0] * 7 + 9},  # nothing says that its rows belong together
        {"age": ages()},
        {"year": 1990 + np.sort(patients()[0])},
        {"city": [f"c{v}" for v in np.arange(N) % 30]},
        {"town": [f"c{v}" for v in np.arange(N) % 30]},  # 13 rows per text
        {"patient": np.arange(N) % 9},
        {"patient": np.arange(N)},
        {"price": [f"{v / 4}" for v in patients()[0]]},
        {"price": np.sort(ages()) * 3.0},
        {"k": patients()[0], "x": np.ones(N)},
    ],
    ids=["whole", "age", "year", "city", "town", "few", "all", "text", "sorted", "constant"],
)
def test_other_columns_are_no_groups(columns):
    assert inspect(Table({**columns, "z": ages(5) / 7})).of("groups") == []


def test_fits_and_cross_validations_say_it_once_and_not_where_groups_are_known():
    number, sex = patients()
    X = pd.DataFrame({"patient": number, "sex": sex, "age": ages()})
    X.loc[::20, "age"] = 999
    y = np.where(ages(4) > 50, "a", "b")
    once = said(lambda: fasttree.fit(X, y, max_depth=2))
    assert len(once) == 2
    assert "'age' (999 in 20 rows" in once[0] and "missing={'age': [999]}" in once[0]
    assert "'patient' has 80 values with 5 rows each" in once[1]
    assert once[1].endswith("use groups='patient'")
    assert said(lambda: cross_validate(X, y, "gini", cv="1x2", max_depth=2)) == once
    frame = X.assign(y=y)
    grouped = said(lambda: cross_validate(frame, "y", "gini", cv="1x2", groups="patient"))
    assert grouped == once[:1]
    assert said(lambda: fasttree.fit(X, y, columns="as_given")) == []
    assert said(lambda: fasttree.fit(Table(X, y))) == []
    with speaking(SHELL):
        typed = inspect(Table(X)).sentences("sentinels", "groups")
    assert "--missing age=999" in typed[0] and typed[1].endswith("use --groups patient")


TRAPS = {
    "gap": [("n/a" if i % 10 == 0 else f"{i * 1.37:.2f}") for i in range(N)],
    "comma": [f"{i * 1.37:.2f}".replace(".", ",") for i in range(N)],
    "thousand": [f"{i * 1.379:.3f}".replace(".", ",") for i in range(N)],
    "day": [f"{1 + i % 12:02d}/{1 + i * 7 % 12:02d}/2020" for i in range(N)],
    "nines": [999 if i % 20 == 0 else i % 17 for i in range(N)],
}


@pytest.mark.parametrize("given", ["frame", "file"])
@pytest.mark.parametrize("name", TRAPS)
def test_each_remedy_is_code_that_reads_the_column_as_numbers(name, given, tmp_path):
    """Of all calls that a message names, that of a file runs, and mends what was said."""
    frame = pd.DataFrame({name: TRAPS[name], "x": ages(), "y": ["p", "q"] * (N // 2)})
    path = tmp_path / "data.csv"
    frame.to_csv(path, index=False)
    source = frame if given == "frame" else str(path)
    once = said(lambda: fasttree.fit(source, "y", max_depth=2), ("missing cell", "left out"))
    if name in ("comma", "thousand"):
        assert not once  # they are read as numbers
        return
    if name == "day":
        options = re.search(r"or give (dates=\{.*?\})", once[0])[1]
        table = eval(f"Table(frame, target='y', {options})", {"Table": Table, "frame": frame})
        assert "day (month)" in table.feature_names
        return
    calls = re.findall(r"datasets\.load\(path, (\w+=(?:\{[^}]*\}|\[[^]]*\]|'.'))\)", once[0])
    assert len(calls) == 1
    table = eval(f"load(path, {calls[0]})", {"load": fasttree.datasets.load, "path": path})
    assert table.column(name).kind == "numeric"
    assert table.column(name).n_missing == sum(cell in ("n/a", 999) for cell in TRAPS[name])


@pytest.mark.parametrize("form", ["pandas", "polars"])
def test_numbers_as_text_are_called_so(form):
    rng = np.random.default_rng(0)
    cells = {
        "price": [f"{v:.3f}" for v in rng.normal(size=N)],
        "number": [str(v) for v in rng.integers(10, 10**6, N)],
        "code": [f"{v:07}" for v in rng.permutation(N)],
        "rounded": [f"{v:.1f}" for v in rng.normal(scale=2, size=N)],
        "class_of_ship": [str(v) for v in rng.integers(0, 9, N)],
        "x": rng.normal(size=N),
    }
    X = pd.DataFrame(cells) if form == "pandas" else pytest.importorskip("polars").DataFrame(cells)
    with pytest.warns(DataWarning):
        unused = apply_and_warn(unscreened_table(X)).unused
    assert (
        unused["price"].startswith("numbers as text (") and "pandas.to_numeric" in unused["price"]
    )
    assert unused["number"].startswith("an identifier, or numbers as text (")
    assert unused["code"].startswith("an identifier: ")
    with pytest.warns(DataWarning, match=r"numbers as text: 'rounded' \('-0.0', \.\.\.\); each"):
        model = fasttree.fit(X, rng.choice(["a", "b"], N), max_depth=2)
    assert model._schema.nominal[4]


def test_rows_are_named_as_the_data_count_them():
    ages_as_text = [str(v) for v in ages()]
    ages_as_text[70] = "unknown"
    y = np.where(ages() > 50, "a", "b").astype(object)
    y[[3, 5, 90]] = None
    column = Table({"age": ages_as_text}).columns[0]
    target = Table.from_columns(
        [column],
        fasttree.table.Column("y", "nominal", np.where(y == None, -1, 1), ("a", "b")),  # noqa: E711
    )
    table = target.drop_missing_target()
    assert len(table) == N - 3 and table.row_numbers[3:5].tolist() == [4, 6]
    assert table.take([5, 9]).drop_missing_target().row_numbers.tolist() == [7, 11]
    with pytest.warns(DataWarning, match="data row 70 "):
        fasttree.fit(table, max_depth=1)


def labels(table):
    return [one.column for one in inspect(table).of("labels")]


@pytest.mark.parametrize(
    ("cells", "suspected"),
    [
        (lambda y: y, True),
        (lambda y: np.array(["p", "q", "r"])[y], True),
        (lambda y: 7.5 - y, True),
        (lambda y: np.where(np.arange(len(y)) % 5, 7.5 - y, np.nan), True),
        (lambda y: np.where(y == 2, np.nan, y), False),  # not all classes
        (lambda y: np.minimum(y, 1), False),
        (lambda y: y * 100 + np.arange(len(y)), False),  # many values of each class
        (lambda y: np.where(np.arange(len(y)) == 17, 2 - y, y), False),
        (lambda y: np.zeros(len(y)), False),
    ],
    ids=["equal", "text", "number", "gaps", "class", "two", "finer", "one row", "constant"],
)
@pytest.mark.parametrize("beside", [0.5, "text"])
def test_the_label_among_the_features_is_named(cells, suspected, beside):
    y = np.random.default_rng(2).permutation(np.arange(N) % 3)
    X = {"species": cells(y), "x": ages() / 7, "other": [beside] * N}
    assert labels(Table(X, y)) == (["species"] if suspected else [])
    assert labels(Table(X, np.array(["u", "v", "w"])[y])) == (["species"] if suspected else [])
    assert labels(Table(X, y).with_unused({"species": "the label"})) == []
    assert labels(Table(X)) == []
    few = np.argsort(y, kind="stable")[[*range(9), *range(-10, 0)]]  # 19 rows
    assert labels(Table(X, y).take(few)) == []
    # Where a part of the rows shows nothing, all are looked at.
    by_class = np.argsort(y, kind="stable")
    assert labels(Table(X, y).take(by_class)) == (["species"] if suspected else [])


def test_the_number_among_the_features_is_named():
    y = np.random.default_rng(3).normal(size=N)
    X = {"copy": y, "half": y / 2, "gaps": np.where(np.arange(N) % 3, y, np.nan), "text": ["a"] * N}
    assert labels(Table(X, y, task="regression")) == ["copy", "gaps"]
    X = np.stack([y, y / 2, np.where(np.arange(N) == 9, 0, y)], axis=1)
    assert labels(Table(X, y, task="regression")) == ["x0"]


def test_fits_cross_validations_and_advice_ask_once_for_the_label():
    wine = fasttree.datasets.load("wine").to_frame()
    question = (
        "column 'class' stands one to one for the classes: is it the label under another name? if "
        "so, leave it out: X.drop(columns=['class'])"
    )

    def asked(call):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            call()
        return [str(one.message) for one in caught if "another name" in str(one.message)]

    assert asked(lambda: fasttree.fit(wine, wine["class"])) == [question]
    assert asked(lambda: cross_validate(wine, wine["class"], "gini", cv="1x2")) == [question]
    assert asked(lambda: fasttree.fit(wine, "class")) == []
    assert asked(lambda: fasttree.fit(wine, "class", task="classification", max_depth=1)) == []
    copied = wine.assign(kind=wine["class"].astype(str) + "?")
    advice = fasttree.advise(copied, "class", work="quick")
    assert "olumn 'kind' stands one to one for the classes" in str(advice)


@pytest.mark.parametrize(
    ("cells", "remedies"),
    [
        (lambda i: f"{i * i * 97:,}", ["'.'"]),  # 873 beside 3,492 and 8,556,273
        (lambda i: f"{5 * i + 700:,}", ["'.'", "','"]),
        (lambda i: f"{i + 1000:,}", ["'.'", "','"]),
        (lambda i: f"{i + 1000:,}.5", ["'.'"]),
        (lambda i: f"{i},25", ["','"]),
        (lambda i: f"1.{i % 900 + 100},5", ["','"]),
    ],
    ids=["thousands", "some", "all", "fractions", "decimal", "both"],
)
@pytest.mark.parametrize("different", [N, 100], ids=["left out", "levels"])
def test_numbers_with_commas_are_named_once_with_what_reads_them(cells, remedies, different):
    X = pd.DataFrame({"a": [cells(i % different * 3) for i in range(N)], "x": ages()})
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        fasttree.fit(X, ages() > 50, max_depth=1)
    said = [str(one.message) for one in caught if "'a'" in str(one.message)]
    if len(remedies) == 1:
        assert not said and Table(X).columns[0].kind == "numeric"
        return
    (text,) = said
    assert "numbers with a comma (" in text and "identifier" not in text
    assert [one for one in ("'.'", "','") if f"decimal={one}" in text] == remedies


@pytest.mark.parametrize("form", ["{:,}", "${:,}"])
@pytest.mark.parametrize("kind", ["feature", "target"])
def test_of_a_word_among_numbers_with_commas_both_remedies_are_named(tmp_path, form, kind):
    cells = ["n/a" if i % 30 == 7 else form.format(1000 + 37 * i) for i in range(N)]
    columns = {"x": ages(), "a": cells, **({"y": ["p", "q"] * (N // 2)} if kind[0] == "f" else {})}
    pd.DataFrame(columns).to_csv(tmp_path / "a.csv", index=False)
    task = {} if kind == "feature" else {"task": "regression"}
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        if kind == "feature":
            fasttree.fit(tmp_path / "a.csv", max_depth=1)
            (said,) = {str(one.message) for one in caught if "'a'" in str(one.message)}
        else:
            with pytest.raises(ValueError) as refused:
                fasttree.datasets.load(tmp_path / "a.csv", task="regression", decimal=".")
            said = str(refused.value)
        assert "missing=['n/a']) and decimal='.' (1,500 is fifteen hundred) or" in said
        read = fasttree.datasets.load(tmp_path / "a.csv", missing="n/a", decimal=".", **task)
    assert read.task == "regression" or read.column("a").kind == "numeric"


@pytest.mark.parametrize("word", ["unknown", "n/a", "-", "<1"])
@pytest.mark.parametrize("n_numbers", [3, 5, 8, 40])
def test_a_word_in_few_rows_of_numbers_is_named(word, n_numbers):
    def found(every, n=N):
        cells = [word if i % every == 0 else str(i % n_numbers) for i in range(n)]
        return obstacle_to_numbers(ColumnFacts(Table({"age": cells}).columns[0]))

    place, remedy = found(29)
    assert repr(word) in place and f"missing=[{word!r}]" in remedy
    assert (found(3) is None) == (n_numbers < 8) and (found(13, 40) is None) == (n_numbers < 8)


@pytest.mark.parametrize(
    "form", ["${:,}.00M", "({},00 €)", "{:,}", "{} kg", "2024-{0:02}-11", "0:{:02}"]
)
def test_a_target_of_numbers_as_text_is_named_with_what_makes_numbers_of_it(form):
    most = 12 if "-" in form else 60 if ":02" in form else N
    cells = [form.format(1 + 7 * i % most if most < N else 7 * i) for i in range(N)]
    cells = [one.replace("2024", str(2000 + i % 20)) for i, one in enumerate(cells)]
    X = pd.DataFrame({"x": ages(), "y": cells})
    with pytest.warns(DataWarning, match="the target 'y' holds (numbers|times|dates)"):
        fasttree.fit(X, "y", max_depth=1)
    with pytest.raises(ValueError, match="the target 'y' holds (numbers|times|dates)"):
        fasttree.advise(X, "y")
    with pytest.raises(ValueError, match="not a number: (numbers|times|dates)") as refused:
        fasttree.advise(X, "y", task="regression")
    assert "classification" not in str(refused.value)


def messy(task="classification"):
    """A frame in which each check finds something; the target is beside it."""
    number = np.arange(N)
    X = pd.DataFrame(
        {
            "key": [f"K{i}" for i in number],
            "country": "DE",
            "day": [f"2024-01-{1 + i % 28:02}" for i in number],
            "visit_date": 20240101 + number % 28,
            "rounded": [f"{i % 90}.5" for i in number],
            "weight": [f"{i % 30} kg" for i in number],
            "age": np.where(number % 20 == 3, 999, ages()),
            "patient": patients()[0],
            "region": number % 7,
            "label": number % 2,
            "street": [*(f"street {i % 150}" for i in number[1:]), "Total"],
            "answer": [("Yes", "no", "yes ")[i % 3] for i in number],
        }
    )
    return X, number % 2


TARGETS = {"constant_target": np.zeros(N, int), "numbers_as_classes": np.arange(N) // 2}


@pytest.mark.parametrize("kind", CHECKS)
def test_every_check_finds_something_says_it_and_only_reads(kind):
    X, y = messy()
    table = unscreened_table(X, TARGETS.get(kind, y))
    before = [(column, column.values.copy()) for column in table.columns]
    findings = inspect(table)
    found = findings.of(kind)
    assert found, f"give messy() a column in which the check {kind!r} finds something"
    assert {one.kind for one in found} == {kind}
    assert set(found) <= set(findings)
    for one in found:
        assert one.text and (one.column in X or one.column in ("", table.target))
        acts = findings.reasons.get(one.column) == one.text
        assert one.action is None or acts, "only checks of one column have an action"
    assert inspect(table).of(kind) == found
    said = inspect(table, "as_given").sentences(kind)
    assert bool(said) == (CHECKS[kind].sentences is not None and kind != "constants")
    assert all(repr(one.column) in findings.treatment() for one in found if one.action is not None)
    assert all(now is old for now, (old, _) in zip(table.columns, before, strict=True))
    assert all(np.array_equal(old.values, values) for old, values in before)


def test_a_reason_says_whether_its_column_is_one_of_numbers():
    X, y = messy()
    odd = {"minus": -1.5, "huge": 1e300, "digit": "1", "sign": "-1", "identifier": np.arange(N)}
    X = X.assign(**odd, customer_id=np.arange(N) // 1.1 // 1, key=[f"k{i}" for i in range(N)])
    table = unscreened_table(X, y)
    kinds = {column.name: column.kind for column in table.columns}
    left_out = [one for one in inspect(table).of_columns if one.action == "leave out"]
    assert {"identifiers", "constants"} <= {one.kind for one in left_out}
    for one in left_out:
        assert was_numeric(one.text) == (kinds[one.column] == "numeric"), one


def test_findings_of_some_rows_are_of_these_rows():
    X, y = messy()
    table = unscreened_table(X, y)
    assert inspect(table).of("constants")[0].column == "country"
    few = np.flatnonzero(y == 0)
    assert [one.column for one in inspect(table, rows=few).of("constants")] == ["country", "label"]


@pytest.mark.parametrize("kind", CHECKS)
@pytest.mark.parametrize("form", ["frame", "array"])
def test_every_check_looks_at_the_rows_of_a_fold_alone(kind, form):
    X, y = messy()
    if form == "array":
        X = X.select_dtypes("number").to_numpy(float)
    for target in (y, TARGETS.get(kind, y), y.astype(float) / 2):
        table = unscreened_table(
            X, target, task="classification" if target.dtype == int else "regression"
        )
        for rows in (np.arange(N)[::3], np.flatnonzero(y == 0), np.arange(30, 90)):
            assert inspect(table, rows=rows).of(kind) == inspect(table.take(rows)).of(kind)
    assert inspect(table, rows=np.flatnonzero(y == 1)).of("constant_target")[0].evidence == 0.5


def test_what_is_known_of_a_column_is_asked_once(monkeypatch):
    X, y = messy()
    asked = []
    for kind, check in list(CHECKS.items()):
        if check.scope == "column":

            def find(column, kind=kind, own=check.find):
                asked.append((kind, column.name))
                return own(column)

            counting = dataclasses.replace(check, find=find)
            monkeypatch.setitem(CHECKS, kind, counting)
            monkeypatch.setitem(findings_module.COLUMN_CHECKS, kind, counting)
    with pytest.warns(DataWarning):
        fasttree.fit(X, y, max_depth=1)
    assert asked and len(set(asked)) == len(asked)


@pytest.mark.parametrize("name", ["Unnamed: 0", "ID", "Customer_ID", "Index", "rowId", "patientID"])
def test_numbers_of_rows_in_any_order_are_identifiers_by_their_name(name):
    numbers = np.random.default_rng(0).permutation(5000)[:300].astype(float)
    columns = [Column(name, "numeric", numbers), Column("paid", "numeric", numbers)]
    found = inspect(Table.from_columns(columns)).of("identifiers")
    assert [one.column for one in found] == [name]


NUMBERED = ["Kundennr", "Kunden-Nr.", "Rechnungsnummer", "order_no", "invoiceNo", "case number",
            "Order #", "numéro", "product_code"]  # fmt: skip


@pytest.mark.parametrize(
    "name", [*NUMBERED, "piano", "number", "number of rooms", "week no", "people"]
)
def test_numbers_of_something_are_identifiers_where_nearly_all_differ(name):
    random = np.random.default_rng(0)
    numbers = 100231 + 7 * np.arange(300.0) + random.integers(0, 6, 300)
    for cells, differ in ((numbers, 1), (np.append(numbers[1:], numbers[1]), 1), (numbers // 9, 0)):
        found = inspect(Table({name: cells, "x": random.normal(size=300)})).of("identifiers")
        assert bool(found) == (name in NUMBERED and differ), (name, cells)


@pytest.mark.parametrize("name", ["id", "patient"])
@pytest.mark.parametrize("kind", ["numbers", "texts"])
def test_rows_of_one_identifier_may_belong_together(name, kind):
    random = np.random.default_rng(0)
    ids, x = random.integers(0, 300, 200), random.normal(size=200)
    assert 100 < len(np.unique(ids)) < 190
    cells = ids if kind == "numbers" else [f"P{i}" for i in ids]
    frame = pd.DataFrame({name: cells, "x": x, "y": np.where(x > 0, "a", "b")})
    (text,) = said(lambda: fasttree.fit(frame, "y", max_depth=1))
    assert f"column {name!r} has" in text and text.endswith(f"use groups={name!r}")
    advised = str(fasttree.advise(frame, "y", work="quick", cv="1x2").notes)
    assert f"use groups={name!r}" in advised
    assert not said(lambda: cross_validate(frame, "y", "gini", cv="1x2", groups=name))


@pytest.mark.parametrize("form", ["frame", "file"])
def test_levels_that_differ_in_case_or_blanks_are_named(tmp_path, form):
    cells = [["Yes", "yes ", "YES", "No", " no", "maybe"][i % 6] for i in range(N)]
    X = pd.DataFrame({"a": cells, "b": ["u", "v"] * (N // 2), "y": cells[::-1]})
    X.to_csv(tmp_path / "a.csv", index=False)
    source = X if form == "frame" else tmp_path / "a.csv"
    (text,) = said(lambda: fasttree.fit(source, "y", max_depth=1), ["differ in case"])
    assert "'YES' = 'Yes' = 'yes" in text and "'a' (" in text and "'y' (" in text
    assert "'maybe'" not in text and "'b'" not in text
    code = re.search(r"use (column\.\S+)", text)[1]
    X["a"], X["y"] = eval(code, {"column": X["a"]}), eval(code, {"column": X["y"]})
    assert not said(lambda: fasttree.fit(X, "y", max_depth=1), ["differ in case"])


@pytest.mark.parametrize(
    ("rows", "words", "form"),
    [
        ([(0, "m", "kg")], "the first row seems to be units ('m' in column 'a')", "frame"),
        (
            [(9, "a", "b"), (70, "a", "b")],
            "the names of the columns stand again in 2 rows",
            "frame",
        ),
        ([(N - 1, "Total", "9")], "the last row seems to be a total ('Total' in", "frame"),
        ([(N - 1, "Mean:", "9")], "the last row seems to be a total ('Mean:' in", "file"),
        *(
            ([(N - 1, word, "9")], f"the last row seems to be a total ({word!r} in", "frame")
            for word in ("All", "Sum", "Mean", "Grand total", "Average", "Subtotal")
        ),
        ([(0, "n/a", "-")], None, "frame"),
        ([(9, "Total", "9")], None, "frame"),
    ],
)
def test_rows_that_are_no_data_are_named_with_what_leaves_them_out(tmp_path, rows, words, form):
    cells = {"a": [f"{i}.5" for i in range(N)], "b": [str(i % 70) for i in range(N)]}
    for row, *own in rows:
        for name, cell in zip(cells, own, strict=True):
            cells[name][row] = cell
    frame = pd.DataFrame({**cells, "y": ["p", "q"] * (N // 2)})
    frame.to_csv(tmp_path / "a.csv", index=False)
    source = frame if form == "frame" else tmp_path / "a.csv"
    found = said(lambda: fasttree.fit(source, "y", max_depth=1), ["if it is no data"])
    assert len(found) == (words is not None)
    if words is not None:
        assert words in found[0]
        left = eval(found[0].split("of a frame by ")[1], {"frame": frame})
        assert len(left) == N - len(rows) and not left["a"].isin([own[1] for own in rows]).any()


def code_in(text):
    """The first call of pandas.to_numeric in a message."""
    start = text.index("pandas.to_numeric(")
    ends = (i + 1 for i in range(start, len(text)) if text[i] == ")")
    return next(text[start:end] for end in ends if is_code(text[start:end]))


def is_code(text):
    try:
        return bool(compile(text, "", "eval"))
    except SyntaxError:
        return False


MARKED = {
    "points": (lambda v: f"{v:,}".replace(",", "."), 1),
    "commas": (lambda v: f"{v:,}", 1),
    "accounts": (lambda v: f"{v:,}.28" if v % 3 else f"({v:,}.28)", None),
    "some money": (lambda v: f"${v}" if v % 3 else str(v), 1),
    "letters": (lambda v: f"{v}K", 1000),
    "points and a word": (lambda v: "k.A." if v % 9 == 0 else f"{v:,}".replace(",", "."), None),
}


@pytest.mark.parametrize("form", MARKED)
@pytest.mark.parametrize("given", ["frame", "file"])
def test_numbers_with_marks_are_no_identifiers(tmp_path, form, given):
    values = np.exp(np.random.default_rng(0).uniform(4, 16, N)).astype(int)
    write, factor = MARKED[form]
    column = pd.Series([write(v) for v in values.tolist()])
    X = pd.DataFrame({"a": column, "x": ages(), "y": ["p", "q"] * (N // 2)})
    X.to_csv(tmp_path / "a.csv", index=False)
    source = X if given == "frame" else tmp_path / "a.csv"
    found = said(lambda: fasttree.fit(source, "y", max_depth=1), ["'a'"])
    assert not any("identifier" in text for text in found)
    if not found:  # they are read as numbers
        assert form in ("points", "commas")
        return
    made = eval(code_in(found[0]), {"pandas": pd, "column": column})
    if factor is not None:
        assert made.tolist() == (values * factor).tolist()
    elif form == "accounts":
        wanted = [v + 0.28 if v % 3 else -v - 0.28 for v in values.tolist()]
        assert made.tolist() == wanted


@pytest.mark.parametrize("given", ["frame", "file"])
def test_points_that_may_separate_thousands_have_two_readings(tmp_path, given):
    """``338.892`` among words, in a file with decimal commas and in a frame."""
    cells = ["k.A." if i % 19 == 0 else f"{i + 100}.{i % 900 + 99:03}" for i in range(N)]
    X = pd.DataFrame({"a": cells, "b": [f"{i},5" for i in range(N)], "y": ["p", "q"] * (N // 2)})
    path = tmp_path / "a.csv"
    X.to_csv(path, index=False, sep=";")
    (text, *_) = said(lambda: fasttree.fit(X if given == "frame" else path, "y"), ["'a'"])
    assert "str.replace('.', '')" in text and "1.500 is fifteen hundred" in text
    table = fasttree.datasets.load(path, missing=["k.A."])
    assert table.column("a").values[1] == 101100
    ambiguous = pd.DataFrame({"a": [cell for cell in cells if "k" not in cell]})
    ((_, reason),) = inspect(unscreened_table(ambiguous)).reasons.items()
    assert "fifteen hundred" in reason and "numbers as text" in reason


@pytest.mark.parametrize("name", ["user_id", "ID", "locationID", "store id", "shop.ids"])
def test_identifiers_of_many_rows_each_are_codes(name):
    X = pd.DataFrame({name: np.arange(N) % 12 * 1000 + 7, "x": np.arange(N) / 7})
    findings = inspect(unscreened_table(X, np.arange(N) % 2))
    assert [one.column for one in findings.of("codes")] == [name]
    [sentence] = findings.sentences("codes")
    assert "as levels: categorical_features=" in sentence
    measured = pd.DataFrame({"humid": np.arange(N) % 12, "paid": np.arange(N) % 13})
    assert not inspect(unscreened_table(measured, np.arange(N) % 2)).of("codes")


@pytest.mark.parametrize("form", ["{:09}", "{:04}-{:04}", "978-{:08}-"])
@pytest.mark.parametrize("repeats", [1, 8])
def test_a_check_digit_of_ten_is_no_mistake(form, repeats):
    numbers = [form.format(i * 37 + 1000, i * 53 % 1000) for i in np.arange(N) // repeats]
    cells = [number + ("X" if i // repeats % 11 == 3 else "7") for i, number in enumerate(numbers)]
    findings = inspect(unscreened_table(pd.DataFrame({"isbn": cells, "x": np.arange(N) / 7}),
                                        np.arange(N) % 2))  # fmt: skip
    assert not findings.of("hidden_numbers")
    assert bool(findings.of("identifiers")) == (repeats == 1)
    if repeats == 1:
        assert findings.reasons["isbn"].startswith("an identifier: ")


@pytest.mark.parametrize("name", ["Individuals_Affected", "patients", "n families", "userCount"])
def test_numbers_that_count_people_are_no_groups(name):
    counts = np.random.default_rng(0).integers(1, 60, N)
    found = inspect(unscreened_table(pd.DataFrame({name: counts, "x": np.arange(N) / 7}),
                                     np.arange(N) % 2)).of("groups")  # fmt: skip
    assert not found
    ids = pd.DataFrame({f"{name}_id": counts, "x": np.arange(N) / 7})
    assert inspect(unscreened_table(ids, np.arange(N) % 2)).of("groups")


@pytest.mark.parametrize(
    "write",
    [
        "{h}h {m}m",
        "{h} hours, {m} min",
        "PT{h}H{m}M",
        "{h}h{m}m00s",
        "{h:02}:{m:02}",
        "P1DT{h}H{m}M",
    ],
)
def test_durations_are_named_with_code_that_reads_them(write):
    hours = [(i % 23, i % 60) for i in range(80)]
    column = pd.Series([write.format(h=h, m=m) for h, m in hours])
    text = inspect(Table({"t": column})).of("hidden_numbers")[0].text
    code = text.split("hours: ")[1]
    read = eval(code, {"pandas": pd, "column": column})
    extra = 24 if "1D" in write else 0
    assert np.allclose(read, [h + m / 60 + extra for h, m in hours])


@pytest.mark.parametrize("write", ["[{}]", "{} (+1)", "{} ± 0.5", "~{}", "{}*"])
def test_numbers_among_marked_ones_are_named_as_such(write):
    cells = [write.format(i / 4) if i % 3 else str(i / 4) for i in range(90)]
    text = inspect(Table({"t": cells})).of("hidden_numbers")[0].text
    assert text.startswith(f"numbers with a mark or note ({cells[1]!r}")
