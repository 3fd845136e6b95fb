"""Trees as SQL: SQLite answers what `predict` answers, whatever names and values hold."""

from __future__ import annotations

import datetime
import re
import sqlite3
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, given, settings

import fasttree
from fasttree.exports.sql import DIALECTS
from fasttree.table.dates import DateFormat, date_reason

from .exports_tools import MERGED, Case, cases

QUIET = settings(max_examples=30, deadline=None, suppress_health_check=list(HealthCheck))


def asked(case: Case, name: str = "rows", **options) -> list[tuple]:
    """The rows in a table of SQLite, and the columns that the query adds."""
    base = sqlite3.connect(":memory:")
    names = ", ".join('"' + n.replace('"', '""') + '"' for n in case.names)
    quoted = '"' + name.replace('"', '""') + '"'
    base.execute(f"CREATE TABLE {quoted} ({names})")
    marks = ", ".join("?" * len(case.names))
    base.executemany(
        f"INSERT INTO {quoted} VALUES ({marks})",
        [tuple(r[n] for n in case.names) for r in case.rows],
    )
    query = case.model.to_sql(table=name, **options)
    found = base.execute(query + f" ORDER BY {quoted}.rowid").fetchall()
    return [row[len(case.names) :] for row in found]


@QUIET
@given(cases() | cases(**MERGED))
def test_label_and_probabilities_are_those_of_predict(case):
    assert [row[0] for row in asked(case)] == case.predict()
    np.testing.assert_allclose(asked(case, output="proba"), case.proba(), rtol=1e-12, atol=1e-12)
    if -2 not in case.model.tree_.missing_branch:
        assert [row[0] for row in asked(case, output="leaf")] == case.leaves()
    else:
        with pytest.raises(ValueError, match="several branches"):
            case.model.to_sql(output="leaf")
        whole = [leaf is not None for (leaf,) in asked(case, output="leaf", mixture=False)]
        for one, leaf, label in zip(
            case.rows, asked(case, output="leaf", mixture=False), case.leaves(), strict=True
        ):
            assert leaf[0] in (None, label), one
        labels = [row[0] for row in asked(case, mixture=False)]
        assert [v for v, w in zip(labels, whole, strict=True) if w] == [
            v for v, w in zip(case.predict(), whole, strict=True) if w
        ]
        assert all(v is None for v, w in zip(labels, whole, strict=True) if not w)
        assert (
            all(whole)
            or any(v is None for row in case.rows for v in row.values())
            or "never seen" in str(case.rows)
        )


@QUIET
@given(cases(numbers=True))
def test_numbers_are_those_of_predict(case):
    expected, found = case.predict(), [row[0] for row in asked(case)]
    # Numbers of up to 1e9 with either sign are mixed: what they leave is exact to 1e-12 of these.
    np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-3)
    alone = [row[0] for row in asked(case, output="value", mixture=False)]
    assert [e for e, v in zip(expected, alone, strict=True) if v is not None] == [
        v for v in alone if v is not None
    ]
    if -2 not in case.model.tree_.missing_branch:
        assert alone == expected == found
        assert [row[0] for row in asked(case, output="leaf")] == case.leaves()
    with pytest.raises(ValueError, match="tree for a number; use 'value' or 'leaf'"):
        case.model.to_sql(output="proba")


def test_expression_alone_and_hostile_table_name():
    case = Case(
        fasttree.fit([[0.0], [1.0]], ["no", "it's"], missing="mode"),
        ["x0"],
        ["number"],
        [{"x0": 0.2}, {"x0": 7.0}, {"x0": None}],
        fasttree.Table([[0.2], [7.0], [float("nan")]]),
    )
    name = 'a"; DROP TABLE x; --'
    assert [r[0] for r in asked(case, name)] == case.predict() == ["no", "it's", "no"]
    expression = case.model.to_sql()
    base = sqlite3.connect(":memory:")
    got = [
        base.execute(f'SELECT {expression} FROM (SELECT ? AS "x0")', (v,)).fetchone()[0]
        for v in (0.2, 7.0, None)
    ]
    assert got == ["no", "it's", "no"]


def test_chains_of_thousands_of_levels():
    x = np.arange(1500.0)[:, None]
    chain = fasttree.fit(x, np.arange(1500) % 2, criterion=lambda tables: -tables[:, 0].sum(axis=1))
    assert chain.get_depth() > 1400
    rows = [{"x0": float(v)} for v in range(0, 1500, 41)]
    case = Case(chain, ["x0"], ["number"], rows, fasttree.Table([[r["x0"]] for r in rows]))
    assert [r[0] for r in asked(case)] == case.predict()


def mysql_texts(sql, escapes):
    """The texts of MySQL's string literals, and what lies between them, by its lexical rules with
    or without backslash escapes."""
    found, rest, at = [], "", 0
    while at < len(sql):
        hexadecimal = re.match(r"_utf8mb4 X'([0-9a-f]*)'", sql[at:])
        quoted = re.match(r"`(?:[^`]|``)*`", sql[at:])
        if hexadecimal:
            found.append(bytes.fromhex(hexadecimal[1]).decode())
            at += hexadecimal.end()
        elif quoted:
            at += quoted.end()
        elif sql[at] == "'":
            text, at = "", at + 1
            while sql[at] != "'" or sql[at + 1 : at + 2] == "'":
                at += sql[at] == "'" or (escapes and sql[at] == "\\")
                text, at = text + sql[at], at + 1
            found.append(text)
            at += 1
        else:
            rest, at = rest + sql[at], at + 1
    return found, rest


HOSTILE = [
    "\\",
    "\\'",
    "'\\",
    "x\\",
    "' OR 1=1 -- ",
    "\\' OR 1=1 -- ",
    "\\\\'",
    "''",
    "a\\nb",
    "é\\'",
]


@pytest.mark.parametrize("escapes", [True, False], ids=["escapes", "no escapes"])
def test_no_level_ends_a_string_of_mysql_in_either_of_its_modes(escapes):
    rows = [[text] for text in HOSTILE] * 3
    table = fasttree.Table(rows, [f"class {text}" for text in HOSTILE] * 3)
    for how in ("multiway", "subset"):
        sql = fasttree.fit(table, nominal_splits=how, missing="branch").to_sql(dialect="mysql")
        texts, rest = mysql_texts(sql, escapes)
        classes = {f"class {text}" for text in HOSTILE}
        assert classes < set(texts) <= {*HOSTILE, *classes}
        assert re.fullmatch(r"[A-Z0-9\s().,<>=]*", rest), rest


def test_dialects_quote_in_their_own_way():
    table = fasttree.Table([["a`b"], ["c\\'d"]] * 2, ["x]y", "it's"] * 2, feature_names=["n]a`me"])
    model = fasttree.fit(table, missing="branch")
    mysql, tsql = model.to_sql(dialect="mysql"), model.to_sql(dialect="tsql", table="t]")
    digits = b"c\\'d".hex()
    assert "`n]a``me`" in mysql and f"_utf8mb4 X'{digits}'" in mysql and "'it''s'" in mysql
    assert "[t]]].[n]]a`me]" in tsql and r"'c\''d'" in tsql
    booleans = fasttree.fit(
        fasttree.Table([[False], [True]] * 2, [True, False] * 2, categorical_features="all")
    )
    assert "TRUE" in booleans.to_sql() and "TRUE" not in booleans.to_sql(dialect="tsql")


def test_what_cannot_be_written_is_refused():
    model = fasttree.fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="dialect='sybase'"):
        model.to_sql(dialect="sybase")
    with pytest.raises(ValueError, match="output='odds'"):
        model.to_sql(output="odds")
    with pytest.raises(ValueError, match="cannot be the name"):
        model.to_sql(table="")
    nul = fasttree.fit(fasttree.Table([["a\0b"], ["c\0d"]], [0, 1]))
    with pytest.raises(ValueError, match="NUL"):
        nul.to_sql()


# -- dates ----------------------------------------------------------------------------------------


def dated(missing: bool) -> tuple[pd.DataFrame, np.ndarray]:
    """Days of three years, and classes that depend on year, month and weekday."""
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2019-12-20") + pd.to_timedelta(np.sort(rng.integers(0, 1000, 400)), "D")
    frame = pd.DataFrame({"day's end": days, "x": rng.normal(size=400)})
    y = (days.year > 2020) ^ (days.month > 6) ^ (days.day_of_week > 4)
    if missing:
        frame.loc[rng.random(400) < 0.1, "day's end"] = None
    return frame, y


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%Y-%m-%d %H:%M:%S"])
@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("kind", ["classes", "numbers", "forest"])
def test_dates_are_taken_apart_by_the_database(kind, missing, form):
    X, y = dated(missing)
    how = {"missing": "branch"} if kind == "classes" else {}
    maker = {
        "classes": fasttree.FastTreeClassifier(**how),
        "numbers": fasttree.FastTreeRegressor(max_depth=6),
        "forest": fasttree.FastForestClassifier(3, random_state=0, max_depth=5),
    }[kind]
    model = maker.fit(X, y.astype(float) if kind == "numbers" else y.astype(str))
    tested = {model._schema.names[f] for f in model._schema.tested}
    assert {f"day's end ({part})" for part in ("year", "month", "weekday")} <= tested
    base = sqlite3.connect(":memory:")
    base.execute('CREATE TABLE t ("day\'s end" TEXT, x REAL)')
    texts = [None if pd.isna(d) else d.strftime(form) for d in X["day's end"]]
    base.executemany("INSERT INTO t VALUES (?, ?)", list(zip(texts, X["x"], strict=True)))
    query = model.to_sql(table="t", dialect="sqlite") + " ORDER BY t.rowid"
    found = [row[2] for row in base.execute(query)]
    if kind == "numbers":
        np.testing.assert_allclose(found, model.predict(X), rtol=1e-12)
    else:
        assert found == model.predict(X).tolist()


NOT_OF_SQL = ["%Y/%m/%d", "%Y.%m.%d", "%Y-%-m-%-d", "%d %b %Y", "%Y/%m/%d %H:%M"]


@pytest.mark.parametrize("make", [fasttree.FastTreeClassifier, fasttree.FastForestClassifier])
@pytest.mark.parametrize(
    ("form", "said"),
    [
        ("%d/%m/%Y", "dates, day first, but the SQL"),
        ("%m/%d/%Y", "dates, month first, but the SQL"),
        ("%Y-%m-%dT%H:%M+02:00", r"dates in UTC\+02:00, but the SQL"),
        *[(form, "dates, not as 2024-01-31, but the SQL") for form in NOT_OF_SQL],
        ("%Y-%m-%d", None),
        ("%Y-%m-%d %H:%M", None),
        ("%Y-%m-%dT%H:%M:%S.%f", None),
    ],
)
def test_dates_that_sql_reads_otherwise_are_named(make, form, said):
    X, y = dated(False)
    model = make(max_depth=4).fit(X.assign(**{"day's end": X["day's end"].dt.strftime(form)}), y)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        model.to_sql(dialect="sqlite")
    assert len(caught) == (said is not None)
    assert all(re.search(said, str(one.message)) for one in caught)
    assert set(map(str, model._schema.dates.values())) <= {"ymd", "dmy", "mdy", "ymd UTC+02:00"}


@pytest.mark.parametrize("make", [fasttree.FastTreeClassifier, fasttree.FastForestClassifier])
@pytest.mark.parametrize(("written", "said"), [("${}", "sign '[$]', but the SQL"), ("{}", None)])
def test_signs_of_numbers_that_sql_does_not_read_are_named(tmp_path, make, written, said):
    prices = [40.5 + k * k % 97 for k in range(100)]
    lines = [f"{written.format(price)},{price % 7},{price > 90}" for price in prices]
    path = tmp_path / "prices.csv"
    path.write_text("\n".join(["price,rest,dear", *lines]))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("ignore")
        model = make(max_depth=2).fit(path, "dear")
        warnings.simplefilter("always")
        model.to_sql(dialect="sqlite")
    assert len(caught) == (said is not None)
    assert all(re.search(said, str(one.message)) for one in caught)


@pytest.mark.parametrize("form", ["%Y-%m-%d", "%Y-%m-%dT%H:%M:%S.%f", *NOT_OF_SQL])
def test_texts_that_sqlite_does_not_read_are_the_ones_warned_of(form):
    text = datetime.datetime(2024, 1, 5, 8, 30).strftime(form)
    read = sqlite3.connect(":memory:").execute("SELECT STRFTIME('%Y', ?)", [text]).fetchone()
    assert (read == ("2024",)) == ("not as" not in date_reason(DateFormat("ymd"), [text]))


@pytest.mark.parametrize("dialect", DIALECTS)
def test_every_dialect_has_the_parts_of_a_date(dialect):
    X, y = dated(False)
    text = fasttree.fit(X, y).to_sql(table="t", dialect=dialect)
    own = DIALECTS[dialect]
    column = f"{own.open}t{own.close}.{own.open}day's end{own.close}"
    for part in (own.year, own.month, own.weekday):
        assert part.count("{}") == 1 and part.replace("{}", column) in text
    assert "(year)" not in text and "{}" not in text


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("text", ["it's", "a\\b", "\\", "'", "\\'", "two\nlines", "{}", "plain"])
def test_texts_are_written_by_the_rules_of_the_dialect(dialect, text):
    """Read back by a reader of literals with doubled quotes, escapes, or both."""
    written = DIALECTS[dialect].string(text)
    if written.startswith("_utf8mb4 X'"):
        assert bytes.fromhex(written[11:-1]).decode() == text
        return
    doubles, escapes = dialect != "bigquery", dialect in ("snowflake", "bigquery", "mysql")
    assert written[0] == written[-1] == "'"
    inner, read, i = written[1:-1], "", 0
    while i < len(inner):
        if escapes and inner[i] == "\\":
            read += {"n": "\n", "r": "\r"}.get(inner[i + 1], inner[i + 1])
            i += 2
        elif inner[i] == "'":
            assert doubles and inner[i + 1] == "'"
            read += "'"
            i += 2
        else:
            assert dialect != "bigquery" or inner[i] != "\n"
            read += inner[i]
            i += 1
    assert read == text
