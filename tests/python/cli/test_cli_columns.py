"""`ftree` on a file of identifiers, dates, constants and codes: what it says once, and what it does
in fit, cv, compare, rank and predict."""

from __future__ import annotations

import csv
import html
import json

import numpy as np
import pytest

import fasttree
from fasttree import FastTreeClassifier
from fasttree.datasets import load
from fasttree.model_selection import cross_validate

pd = pytest.importorskip("pandas")

pytestmark = pytest.mark.usefixtures("quick_advice")
LEFT_OUT = "columns left out: 'Customer ID' (an identifier: 300 levels in 300 rows), 'country' (one"


@pytest.fixture
def file(tmp_path):
    rng = np.random.default_rng(0)
    n = 300
    days = pd.Timestamp("2020-01-01") + pd.to_timedelta(rng.integers(0, 1500, n), "D")
    frame = pd.DataFrame(
        {
            "Customer ID": [f"C-{i}" for i in rng.permutation(n)],
            "signup": days.strftime("%Y-%m-%d"),
            "branch": [f"{c:03}" for c in rng.integers(0, 5, n)],
            "income": rng.integers(0, 5000, n),
            "country": "DE",
        }
    )
    frame["churn"] = np.where((days.dayofweek > 4) ^ (frame["income"] > 2500), "yes", "no")
    frame.to_csv(tmp_path / "dirty.csv", index=False)
    return tmp_path / "dirty.csv"


@pytest.mark.parametrize(
    "command",
    [
        ("fit",),
        ("cv", "-c", "gini", "--cv", "1x3"),
        ("compare", "-c", "gini,mdl", "--cv", "1x3"),
        ("rank",),
        ("rank", "-c", "pi", "--estimate", "rows"),
    ],
    ids=" ".join,
)
def test_every_command_says_once_what_it_does_and_how_to_switch_it_off(ftree, file, command):
    name, *options = command
    code, _, err = ftree(name, file, *options)
    assert code == 0, err
    assert err.count("columns left out") == 1 and LEFT_OUT in err
    assert "year, month and weekday stand for the dates 'signup'; --columns as_given uses" in err
    assert "--keep 'Customer ID' one of them" in err
    assert "leave out: --drop" not in err and "columns=" not in err
    code, _, err = ftree(name, file, *options, "--columns", "as_given")
    assert "columns left out" not in err
    assert "leave out: --drop 'Customer ID,signup'" in err


@pytest.mark.parametrize("columns", ["auto", "as_given"])
@pytest.mark.parametrize("command", ["fit", "cv", "rank", "advise"])
def test_a_column_is_named_once_where_rows_without_a_class_go(ftree, tmp_path, command, columns):
    """With them a column has few levels per row, without them one for each."""
    with open(tmp_path / "a.csv", "w") as file:
        file.write("v,z,y\n")
        for i in range(200):
            file.write(f"{i if i % 20 else 'unknown'},{i % 7},{'pq'[i % 2]}\n7,1,\n")
    words = [] if command == "advise" else ["--columns", columns]
    code, out, err = ftree(command, tmp_path / "a.csv", *words)
    assert code == 0 and (out + err).count("'unknown' in line 2") == 1
    assert err.count("'v' (") <= err.count("columns left out")


def test_a_model_takes_the_file_that_it_was_fitted_on(ftree, file, tmp_path):
    model, answers = tmp_path / "m.json", tmp_path / "answers.csv"
    code, out, _ = ftree("fit", file, "--no-cv", "-m", model, "-p", "max_depth=4")
    assert code == 0 and "signup (weekday) <= 5.5" in out and "Customer" not in out
    code, _, err = ftree("predict", model, file, "--id", "Customer ID", "-o", answers)
    assert code == 0 and "accuracy 100.00 %" in err
    new = tmp_path / "new.csv"
    frame = pd.read_csv(file, dtype=str).drop(columns=["churn", "country"])
    frame.iloc[:, ::-1].to_csv(new, index=False)
    with answers.open() as stream:
        rows = list(csv.DictReader(stream))
    assert ftree("predict", model, new, "-o", answers)[0] == 0
    with answers.open() as stream:
        assert [r["prediction"] for r in rows] == [r["prediction"] for r in csv.DictReader(stream)]
    code, _, err = ftree("predict", model, new, "--drop", "signup")
    assert code == 2 and "yet now missing:" in err and "now missing: 'signup'." in err
    code, out, _ = ftree("show", model, "--form", "sql")
    assert code == 0 and 'EXTRACT(ISODOW FROM CAST("signup" AS DATE))' in out


@pytest.mark.parametrize("new", ["pandas.parquet", "polars.parquet", "days.csv"])
@pytest.mark.parametrize("old", ["pandas.parquet", "polars.parquet", "days.csv"])
def test_dates_of_parquet_and_of_text_are_the_same(ftree, tmp_path, old, new):
    pl = pytest.importorskip("polars")
    days = pd.date_range("2023-01-01", periods=300)
    frame = pd.DataFrame(
        {"day": days, "x": np.arange(300) % 7, "y": np.where(days.month < 7, 1, 5)}
    )
    frame.to_parquet(tmp_path / "pandas.parquet")
    pl.from_pandas(frame).write_parquet(tmp_path / "polars.parquet")
    frame.to_csv(tmp_path / "days.csv", index=False)
    code, _, err = ftree("fit", tmp_path / old, "-t", "y", "--no-cv", "-m", tmp_path / "m.json")
    assert code == 0, err
    code, out, err = ftree("predict", tmp_path / "m.json", tmp_path / new)
    assert code == 0 and "warning" not in err and "accuracy 100.00 %" in err
    code, _, err = ftree("predict", tmp_path / "m.json", tmp_path / new, "--drop", "x")
    assert code == 0 and "accuracy 100.00 %" in err


@pytest.mark.parametrize("cells", ["datetime64[ns]", "timedelta64[ns]"])
def test_dates_where_the_model_reads_numbers_are_refused(ftree, tmp_path, cells):
    frame = pd.DataFrame({"x": range(100), "z": range(100), "y": ["p"] * 50 + ["q"] * 50})
    model = FastTreeClassifier().fit(frame.assign(z=0), "y")
    model.save(tmp_path / "m.json")
    file = tmp_path / "a.parquet"
    frame.astype({"x": cells}).to_parquet(file)
    code, _, err = ftree("predict", tmp_path / "m.json", file)
    assert code == 2 and "column 'x' was numeric when the model was fitted, but is now left" in err
    for ask in (model.predict, model.score):
        with pytest.raises(TypeError, match="column 'x' was numeric when the model was fitted"):
            ask(file)
    frame.astype({"z": cells}).to_parquet(file)
    assert ftree("predict", tmp_path / "m.json", file)[0] == 0 and model.score(file) == 1


def test_the_code_of_a_page_makes_the_same_run(ftree, file, tmp_path):
    page = tmp_path / "cv.html"
    code, out, _ = ftree("cv", file, "-c", "gini", "--cv", "1x3", "--html", page, "--json", "-")
    assert code == 0
    table = load(str(file), as_given=False)
    assert f"table = {table.origin}" in html.unescape(page.read_text()).replace("&#39;", "'")
    trees = {"gini": FastTreeClassifier(criterion="gini", random_state=0)}
    again = cross_validate(table, estimators=trees, cv="1x3", random_state=0)
    assert json.loads(out)["folds"]["gini"]["accuracy"] == again["gini"]["accuracy"].tolist()


def test_keep_and_drop(ftree, file):
    code, out, err = ftree("rank", file, "--keep", "Customer ID,country", "--json", "-")
    scores = {r["feature"]: r["score"] for r in json.loads(out)["rows"] if r["criterion"] == "gini"}
    assert code == 0 and scores["Customer ID"] > 0.4 and "columns left out" not in err
    code, out, err = ftree("rank", file, "--drop", "Customer ID", "--json", "-")
    found = json.loads(out)
    scores = {r["feature"]: r["score"] for r in found["rows"] if r["criterion"] == "gini"}
    assert list(scores) == ["income", "signup", "branch"] and found["left_out"] == ["country"]
    for wrong, said in (
        (("--keep", "Customer"), "'Customer' is not a column (--keep); did you mean"),
        (("--columns", "all"), "--columns 'all' is not known; use 'auto', 'as_given'"),
        (("--keep", "income", "--columns", "as_given"), "all columns are kept"),
    ):
        code, _, err = ftree("fit", file, *wrong)
        assert code == 2 and said in err


def test_the_head_of_a_fit_counts_the_columns_that_are_left_out(ftree, file):
    for options, said in (((), "; 2 features left out"), (("--columns", "as_given"), "")):
        head = ftree("fit", file, "--no-cv", *options)[1].split("\n")[0]
        assert head == (
            "Table 'dirty': 300 rows, 5 features (1 numeric, 4 nominal), target 'churn' with 2 "
            f"classes{said}"
        )


def test_bundled_sets_and_other_formats(ftree, tmp_path):
    assert "columns left out" not in ftree("fit", "weather")[2]
    rows = "\n".join(f"{i},{i % 7},{'pq'[i % 2]}" for i in range(60))
    arff = tmp_path / "a.arff"
    head = "@relation r\n@attribute nr numeric\n@attribute a numeric\n@attribute y {p,q}\n@data\n"
    arff.write_text(head + rows)
    assert "'nr' (an identifier: a different whole number in every row)" in ftree("fit", arff)[2]


def test_fit_is_judged_by_folds_of_groups(ftree, tmp_path):
    random = np.random.default_rng(0)
    patient = np.repeat(np.arange(40), 4)
    x = random.normal(size=40)[patient]
    event = np.where(random.normal(size=40)[patient] > 0, "yes", "no")
    path = tmp_path / "visits.csv"
    with path.open("w", newline="") as out:
        write = csv.writer(out)
        write.writerow(["patient", "visit", "x", "event"])
        rows = zip(patient, np.tile(np.arange(4), 40), x, event, strict=True)
        write.writerows([f"p{p:02d}", v, one, e] for p, v, one, e in rows)
    alone = ftree("fit", path, "-t", "event")[1]
    grouped = ftree("fit", path, "-t", "event", "--groups", "patient")[1]
    assert "(1x10 cross-validation by patient)" in grouped
    assert "patient in" not in grouped

    def accuracy(text):
        return float(text.split("accuracy ")[1].split(" %")[0])

    assert accuracy(grouped) < accuracy(alone) - 20
    ordered = ftree("fit", path, "-t", "event", "--time", "visit")[1]
    assert "cross-validation in the order of visit)" in ordered


def test_describe_and_predict_name_the_decimal_mark_as_fit_does(ftree, tmp_path):
    file, model, new = tmp_path / "a.csv", tmp_path / "m.json", tmp_path / "new.csv"
    prices = [f'"{10 + i % 12},{100 + i % 12}",{i % 7},{"pq"[i % 2]}' for i in range(60)]
    file.write_text("price,x,y\n" + "\n".join(prices))
    said = [ftree(*command, file)[2] for command in (("fit", "--no-cv"), ("datasets", "describe"))]
    for err in said:
        assert "column 'price': numbers with a comma ('10,100', ...) are text" in err
        assert err.count("--decimal . (1,500 is fifteen hundred)") == 1
    commas = [f"1.{100 + i},{i:02};{'pq'[i // 30]}" for i in range(60)]
    file.write_text("a;y\n" + "\n".join(commas))
    points = [line.translate({ord("."): ",", ord(","): "."}) for line in commas]
    new.write_text("a;y\n" + "\n".join(points))
    assert ftree("fit", file, "--no-cv", "-m", model)[0] == 0
    for given in (["--decimal", "."], ["--decimal", ","], []):  # no other mark makes numbers of all
        code, _, err = ftree("predict", model, new, *given)
        assert code == 0 and "accuracy 100.00 %" in err


@pytest.mark.parametrize("name", ["a.csv", "a.parquet"])
@pytest.mark.parametrize("command", ["fit", "cv", "compare"])
def test_commands_say_that_the_rows_are_in_the_order_of_a_date(ftree, tmp_path, command, name):
    rng = np.random.default_rng(0)
    days = pd.date_range("2024-01-01", periods=200, freq="D")
    frame = pd.DataFrame({"day": days, "x": rng.normal(size=200)})
    frame["y"] = np.where(frame["x"] > 0, "a", "b")
    mixed = frame.sample(frac=1, random_state=0)
    for rows, more, said in (
        (frame, (), 1),
        (frame[::-1], (), 1),
        (frame, ("--time", "day"), 0),
        *([(frame, ("--no-cv",), 0)] if command == "fit" else []),
        (mixed, (), 0),
    ):
        more = more if command == "fit" else ("-c", "gini", "--cv", "1x3", *more)
        path = tmp_path / name
        if name.endswith("csv"):
            rows.to_csv(path, index=False)
        else:
            rows.to_parquet(path)
        code, out, err = ftree(command, path, "-t", "y", "-p", "max_depth=1", *more)
        assert code == 0 and "in the order of 'day'" not in err
        assert out.count("in the order of 'day'") == said
        assert ("to judge it by earlier ones: --time day\n" in out) == said


@pytest.mark.parametrize("command", ["fit", "cv", "compare"])
def test_the_constant_is_that_of_the_rows_that_are_tested(ftree, tmp_path, command):
    rows = "".join(f"{i},{i % 7},{'a' if i < 60 else 'b'}\n" for i in range(100))
    (tmp_path / "d.csv").write_text("day,x,y\n" + rows)
    more = () if command == "fit" else ("-c", "gini", "--cv", "1x10")
    _, out, _ = ftree(command, tmp_path / "d.csv", "-t", "y", "--time", "day", *more)
    assert "55.56" in out and "60.00" not in out  # 50 of the 90 rows after the first tenth


ADVISE = ("advise", "--work", "quick", "--cv", "2")


@pytest.mark.parametrize("command", [("fit",), ADVISE, (*ADVISE, "--groups", "week"), ("rank",)])
def test_the_encoding_is_said_once_where_lines_are_named(ftree, tmp_path, command):
    ages = [str(20 + i % 40) for i in range(200)]
    rows = [f"{age},{'Köln' if i % 3 else 'Bonn'},{i // 9},{i % 2}" for i, age in enumerate(ages)]
    rows[52] = "unbekannt,Köln,5,0"
    path = tmp_path / "a.csv"
    path.write_bytes("\n".join(["Alter,Ort,week,y", *rows]).encode("latin-1"))
    code, _, err = ftree(*command, path, "-t", "y")
    assert code == 0 and "line 54" in err and err.count("is not UTF-8") == 1


def test_dates_in_doubt_are_read_by_the_option_that_the_line_names(ftree, tmp_path):
    rng = np.random.default_rng(0)
    days = [f"{month}/{day}/2024" for month, day in rng.integers(1, 13, (200, 2))]
    classes = np.array(["soon" if int(day.split("/")[0]) < 7 else "late" for day in days])
    frame = pd.DataFrame({"when": days, "x": rng.random(200).round(3), "y": classes})
    files = [tmp_path / "a.csv", tmp_path / "b.parquet"]
    frame.to_csv(files[0], index=False)
    frame.to_parquet(files[1])
    model, how = tmp_path / "model.json", ["--dates", "when=mdy"]
    for file in files:
        for command in ("fit", "cv", "compare", "rank", "advise", "datasets describe"):
            words = [*command.split(), file, "-t", "y"]
            words += ["--cv", "1x3"] if command in ("cv", "compare", "advise") else []
            words += ["--work", "quick"] if command == "advise" else []
            out = ftree(*words)
            assert "or give --dates when=dmy or --dates when=mdy" in "".join(map(str, out))
            code, out, err = ftree(*words, *how)
            assert code == 0 and "told apart" not in out + err, (command, err)
        code, out, err = ftree("fit", file, "-t", "y", *how, "--no-cv", "-m", model)
        assert "when (month) <= 6.5: soon" in out
        for words in ([], how):
            assert "accuracy 100.00 %" in ftree("predict", model, file, *words)[2]
        # In Python, as given and not.
        for as_given in (True, False):
            table = fasttree.datasets.load(file, "y", dates={"when": "mdy"}, as_given=as_given)
            assert table.dates == {"when": "mdy"} and "dates={'when': 'mdy'}" in table.origin
            assert fasttree.fit(table, max_depth=1).score(table, classes) == 1.0
        how_much = {"work": "quick", "cv": 3, "progress": False}
        found = fasttree.advise(file, "y", dates={"when": "mdy"}, **how_much)
        assert "dates={'when': 'mdy'}" in found.code and found.dates == ["when"]
    refused = (
        ("whn=mdy", "'whn' is not a column (--dates); did you mean 'when'?"),
        ("when=mdx", "--dates when 'mdx' is not known; use 'ymd', 'dmy', 'mdy'"),
        ("when", "say which order they have, --dates when=dmy"),
    )
    for typed, said in refused:
        code, _, err = ftree("fit", files[0], "-t", "y", "--dates", typed)
        assert code == 2 and said in err
