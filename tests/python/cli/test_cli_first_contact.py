"""What a newcomer types next works: options are remembered, and columns are told as they are."""

from __future__ import annotations

import ast
import json
import re
from pathlib import Path

import numpy as np
import pytest

import fasttree

pytest.importorskip("typer")
from fasttree.cli.shell import OPTIONS

pytestmark = pytest.mark.usefixtures("quick_advice")


def people(path, n=200):
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, n)
    lines = zip(
        np.where(rng.random(n) < 0.2, 999, age),
        np.where(rng.random(n) < 0.3, "unknown", rng.integers(1, 9, n).astype(str)),
        np.where(age > 50, "a", "b"),
        strict=True,
    )
    path.write_text("age,grade,y\n" + "\n".join(",".join(map(str, one)) for one in lines))
    return path


@pytest.mark.parametrize(
    "typed",
    [["999,unknown"], ["999", "unknown"], ["age=999,grade=unknown"], ["age=999", "unknown"]],
    ids=" ".join,
)
def test_a_saved_model_needs_no_missing_again(ftree, tmp_path, typed):
    file, model = people(tmp_path / "a file.csv"), tmp_path / "a model.json"
    options = [word for one in typed for word in ("--missing", one)]
    code, out, err = ftree("fit", file, *options, "-m", model, "--json", tmp_path / "f.json")
    assert code == 0, err
    accuracy = json.loads((tmp_path / "f.json").read_text())["training_accuracy"]
    assert f"ftree predict '{model}' DATA" in out and "--missing" not in out
    for again in ([], options):
        code, out, err = ftree("predict", model, file, *again, "--json", "-")
        assert code == 0 and json.loads(out)["accuracy"] == pytest.approx(accuracy)
    code, _, err = ftree("predict", model, file, "--missing", "-9")
    assert code == 0 and "no cell is '-9'" in err


def test_a_missing_cell_of_a_column_that_is_none_is_refused(ftree, tmp_path):
    code, _, err = ftree("fit", people(tmp_path / "f.csv"), "--missing", "agee=999")
    assert code == 2 and "did you mean 'age'" in err and "missing=" not in err


@pytest.fixture
def clinic(tmp_path):
    """Visits of patients with a name that needs quotes, an identifier, dates and a sentinel."""
    rng = np.random.default_rng(1)
    n = 300
    patient = rng.permutation(np.repeat(np.arange(60), 5))
    age = np.where(np.arange(n) % 25 == 0, 999, rng.integers(18, 90, n))
    code = rng.integers(1, 5, n)
    words = np.where(np.arange(n) == 40, "unknown", rng.integers(100, 180, n).astype(str))
    outcome = np.where(rng.random(n) < 0.5, "well", "ill")
    outcome[[2, 7]] = ""
    rows = [
        f"V{v:05},{p},2024-{1 + v % 12:02}-{1 + v % 28:02},{a},{c},{w},{y}"
        for v, p, a, c, w, y in zip(
            rng.permutation(n), patient, age, code, words, outcome, strict=True
        )
    ]
    path = tmp_path / "clinic.csv"
    path.write_text("visit no,patient no,day,age,ward type,size,outcome\n" + "\n".join(rows))
    return path


@pytest.mark.parametrize(
    "command",
    [("fit", "--no-cv"), ("cv", "--cv", "1x2", "-c", "gini"), ("compare", "--cv", "1x2")],
    ids=lambda words: words[0],
)
def test_suspicions_are_one_line_with_options_that_can_be_typed(ftree, clinic, command):
    words = [*command, clinic, "-t", "outcome", *(["-c", "gini"] if "compare" in command else [])]
    code, _, err = ftree(*words)
    assert code == 0, err
    assert err.count("'age' (999 in 12 rows, all others from 18 to 89)") == 1
    assert "if so, --missing age=999\n" in err and "datasets.load" not in err
    assert "'patient no' has 60 values with 4 to 5 rows each: ignore this unless it" in err
    assert "use --groups 'patient no'\n" in err and "groups=" not in err
    assert "as levels: --nominal 'ward type'" in err
    assert (
        "'unknown' in line 42 is no number" in err
        and "first line 4" in err
        and "--drop size" in err
    )
    code, _, err = ftree(*words, "--missing", "age=999", "--groups", "patient no")
    assert code == 0 and "identifies groups" not in err and "missing cell" not in err


def test_advise_shares_the_suspicions_and_names_rows_of_the_file(ftree, clinic):
    code, out, err = ftree("advise", clinic, "-t", "outcome", "--work", "quick", "--cv", "2")
    assert code == 0, err
    assert "Column 'patient no' has 60 values with 4 to 5 rows each" in out
    assert "use --groups 'patient no'\n" in out and "if so, --missing age=999\n" in out
    assert "2 rows without a class" in out and "(ftree:" not in out and "fasttree." not in out
    assert "--nominal 'ward type'" in out and "'unknown' in line 42 " in err


def test_describe_and_rank_say_what_is_left_out(ftree, clinic):
    code, out, err = ftree("datasets", "describe", clinic, "-t", "outcome")
    assert code == 0 and "--columns as_given" not in err and "dates as text" not in err
    role = {line[:10].strip(): line.split()[-1] for line in out.splitlines()[3:10]}
    assert role["day"] == "dates" and role["age"] == "feature" and "left out" in out
    assert "--keep 'visit no'" in out and "999 in 12 rows" in err
    code, out, err = ftree("rank", clinic, "-t", "outcome", "-c", "gini,info_gain")
    table, _, notes = out.partition("Score (rank)")
    assert code == 0 and "visit no" not in table and "day" in table
    assert "Left out, without a score: visit no." in notes and err.count("left out: ") == 1
    found = json.loads(ftree("rank", clinic, "-t", "outcome", "--json", "-")[1])
    assert found["left_out"] == ["visit no"]
    assert {row["feature"] for row in found["rows"]} == {
        "patient no",
        "day",
        "age",
        "ward type",
        "size",
    }


def test_as_many_columns_are_named_as_fit_a_line(ftree, tmp_path):
    rng = np.random.default_rng(0)
    names = [f"key{j}" for j in range(23)]
    rows = [
        ",".join([*(f"k{v}_{j}" for j in range(23)), "ab"[v % 2], str(v % 7)]) for v in range(60)
    ]
    rng.shuffle(rows)
    path = tmp_path / "keys.csv"
    path.write_text(",".join([*names, "y", "x"]) + "\n" + "\n".join(rows))
    code, _, err = ftree("fit", path, "-t", "y", "--no-cv")
    assert code == 0 and "'key7' (an identifier: 60 levels in 60 rows) and 15 others;" in err


def test_programs_of_dates_say_which_numbers_they_read(ftree, tmp_path):
    days = [f"2024-{1 + d % 12:02}-{1 + d % 28:02}" for d in range(400)]
    rows = [f"{day},{d % 7},{'ab'[int(day[5:7]) > 6]}" for d, day in enumerate(days)]
    data, model = tmp_path / "d.csv", tmp_path / "m.json"
    data.write_text("when,x,y\n" + "\n".join(rows))
    assert ftree("fit", data, "--no-cv", "-m", model)[0] == 0
    code, out, err = ftree("show", model, "--form", "sql", "-o", tmp_path / "t.sql")
    assert code == 0 and out.startswith("sql written to")
    assert err == ""  # SQL takes the numbers from the dates
    code, out, err = ftree("show", model, "--form", "python")
    assert "python reads numbers of dates: 'when (month)' (month of 'when')" in err
    assert ftree("show", model, "--form", "rules")[2] == ""


def test_programs_say_which_numbers_are_missing(ftree, tmp_path):
    data, model = tmp_path / "d.csv", tmp_path / "m.json"
    rows = [f"{999 if d % 9 == 0 else d % 50},{'ab'[d % 50 > 24]}" for d in range(300)]
    data.write_text("age,y\n" + "\n".join(rows))
    assert ftree("fit", data, "--no-cv", "--missing", "age=999", "-m", model)[0] == 0
    code, out, err = ftree("show", model, "--form", "sql")
    assert code == 0 and 'NULLIF("age", 999.0)' in out
    assert err == "sql reads numbers as missing, as the model does: age: 999 means missing\n"
    assert "age: 999 means missing" in ftree("show", model, "--form", "c")[1]
    assert ftree("show", model, "--form", "rules")[2] == ""


def test_covariates_and_prefixes_of_genotypes_are_answered(ftree, tmp_path):
    code, _, err = ftree("rank", "iris", "--covar", "ages.txt")
    assert code == 2 and "--covar ages.txt: scores and p-values are not adjusted" in err
    for suffix in ("bed", "bim", "fam"):
        (tmp_path / f"study.{suffix}").write_text("")
    code, _, err = ftree("fit", tmp_path / "study")
    assert code == 2 and f"prefix of a PLINK study: give {tmp_path / 'study'}.bed" in err
    for part in ("bim", "fam"):
        code, _, err = ftree("rank", tmp_path / f"study.{part}")
        assert code == 2 and f"without genotypes: give {tmp_path / 'study'}.bed" in err


@pytest.mark.parametrize("task", ["classification", "regression"])
def test_predict_says_how_sure_the_accuracy_is_over_groups(ftree, tmp_path, task):
    rng = np.random.default_rng(0)
    n = 240
    site = np.repeat(np.arange(12), 20)
    x = rng.normal(size=n)
    y = np.where(x + (site % 3 == 0) > 0.3, "a", "b") if task == "classification" else x + site / 9
    file, model = tmp_path / "d.csv", tmp_path / "m.json"
    lines = (f"s{s},{v:.4f},{t}" for s, v, t in zip(site, x, y, strict=True))
    file.write_text("site,x,y\n" + "\n".join(lines))
    options = ["--drop", "site", "-p", "max_depth=2", "--no-cv", "-m", model]
    assert ftree("fit", file, *options)[0] == 0
    code, out, err = ftree("predict", model, file, "--groups", "site", "--json", "-")
    found = json.loads(out)
    assert code == 0 and "standard error over 12 groups: " in err
    # The ratio estimator by hand: groups of one size, so the spread of their means.
    truth = y.astype(float) if task == "regression" else y
    answers = np.array(found["predictions"])
    right = np.abs(answers - truth) if task == "regression" else (answers == truth).astype(float)
    by_site = right.reshape(12, 20).mean(axis=1)
    expected = by_site.std(ddof=1) / np.sqrt(12)
    assert found["groups"] == 12 and found["standard_error"] == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        (1, "1 of 300 rows has no class and is left out, first line 2"),
        (2, "2 of 300 rows have no class and are left out, first line 2"),
    ],
)
def test_one_row_is_said_in_the_singular(ftree, tmp_path, gone, said):
    rows = [f"{i % 17},{'' if i < gone else 'ab'[i % 2]}" for i in range(300)]
    (tmp_path / "d.csv").write_text("x,y\n" + "\n".join(rows))
    code, _, err = ftree("fit", tmp_path / "d.csv", "--no-cv", "-p", "max_depth=1")
    assert code == 0 and said in err


def test_the_label_among_the_columns_is_named_with_the_option_to_drop_it(ftree, clinic):
    head, *rows = clinic.read_text().splitlines()
    copied = [f"{row},{row.rpartition(',')[2].upper()}" for row in rows]
    clinic.write_text("\n".join([f"{head},final state", *copied]))
    code, _, err = ftree("fit", clinic, "-t", "outcome", "--no-cv")
    assert code == 0 and err.count("'final state' stands one to one for the classes") == 1
    assert "leave it out: --drop 'final state'" in err
    code, _, err = ftree("fit", clinic, "-t", "outcome", "--no-cv", "--drop", "final state")
    assert code == 0 and "one to one" not in err


PYTHON_ALONE = (
    "bayesian_networks/", "datasets/plink_write", "estimators/batches/", "estimators/exact",
    "exports/sql", "model_selection/learning_curve", "model_selection/splitter", "pruning/",
    "table/file_cells", "table/named_columns", "table/target",
)  # fmt: skip
"""Modules and packages whose parameters of these names are no options of the shell."""


def test_messages_name_options_by_the_words_of_the_reader():
    """A literal "exposure=" in an error is what nobody typed in a shell: `given`, `option` and
    `argument` write the part of a message that names a parameter."""
    names = "|".join(sorted(set(OPTIONS) - {"max_nodes", "n_jobs", "missing"}))
    literal = re.compile(rf"(?<![\w.(])({names})=")
    root = Path(fasttree.__file__).parent
    found = []
    for path in sorted(root.rglob("*.py")):
        place = path.relative_to(root).as_posix()
        if place.startswith(PYTHON_ALONE):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Raise) and node.exc is not None:
                # What a call of the speaker or of another function says is not looked at.
                inside = {
                    id(part)
                    for call in ast.walk(node.exc)
                    if isinstance(call, ast.Call) and call is not node.exc
                    for part in ast.walk(call)
                }
                found += [
                    f"{place}:{part.lineno}: {part.value}"
                    for part in ast.walk(node.exc)
                    if isinstance(part, ast.Constant) and isinstance(part.value, str)
                    and id(part) not in inside and literal.search(part.value)
                ]  # fmt: skip
    assert not found, "\n".join(found)
