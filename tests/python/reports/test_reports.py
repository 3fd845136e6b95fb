"""Rendered tables: what is bold, what is marked, what is escaped, and that machine forms are strict
and complete."""

import csv
import io
import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.datasets import load_iris
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

from fasttree.exports.tables.latex import escape as latex_escape
from fasttree.exports.tables.markdown import escape as markdown_escape
from fasttree.exports.tables.records import plain, render_csv, render_json
from fasttree.model_selection import compare, cross_validate, learning_curve
from fasttree.reports import FORMS, Cell, ReportTable, render

X, Y = load_iris(return_X_y=True)
MODELS = {
    "prior": DummyClassifier(),
    "N_B": GaussianNB(),
    "tree|2": DecisionTreeClassifier(max_depth=2, random_state=0),
}


@pytest.fixture(scope="module")
def comparison():
    generator = np.random.default_rng(1)
    tables = {
        "iris & co": (X, Y),
        "noise": (generator.normal(size=(60, 2)), generator.integers(0, 2, 60)),
    }
    return compare(tables, estimators=MODELS, cv="3x5", scoring=("accuracy", "log_loss"))


@pytest.fixture(scope="module")
def validation():
    return cross_validate(
        X, Y, estimators=MODELS, cv="2x5", scoring=("accuracy", "log_loss", "leaves")
    )


def strict(text):
    def refuse(constant):
        raise AssertionError(f"{constant} is not JSON")

    return json.loads(text, parse_constant=refuse)


def test_text_lines_up_and_carries_marks(comparison):
    text = comparison.to_text()
    assert text == str(comparison) == render(comparison)
    lines = text.splitlines()
    header = next(line for line in lines if line.startswith("data set"))
    row = next(line for line in lines if line.startswith("iris"))
    mean = 100 * comparison.means[0]
    for j in range(3):
        assert f"{mean[j]:.2f}" in row
    assert re.findall(r"\)(!? +)v", row) and row.count("v") == 2
    assert len([line for line in lines if set(line) == {"-"}]) >= 2
    assert len(header) <= len(lines[lines.index(header) + 1])
    assert "(2/0/0)" not in text and "(1/1/0)" in text
    assert (
        "significantly better / worse than prior (corrected resampled t test, two-sided, 0.05)"
        in text
    )
    assert "Who is significantly worse" in text


def test_columns_are_aligned(validation):
    lines = validation.to_text().splitlines()
    table = lines[2 : 2 + 2 + len(MODELS)]
    ends = [match.end() for match in re.finditer(r"\)", table[2])]
    for line in table[3:]:
        assert [match.end() for match in re.finditer(r"\)", line)] == ends


def test_best_values_are_bold_in_their_direction(validation):
    best_accuracy = max(MODELS, key=lambda name: validation.mean(name, "accuracy"))
    best_loss = min(MODELS, key=lambda name: validation.mean(name, "log_loss"))
    rows = {
        line.split("|")[1].strip(): line
        for line in validation.to_markdown().splitlines()
        if line.startswith("| ")
    }
    for name in MODELS:
        key = next(key for key in rows if key.replace("\\", "").startswith(name.split("|")[0]))
        bold = re.findall(r"\*\*([\d.]+)", rows[key])
        expected = []
        if validation.mean(name, "accuracy") == validation.mean(best_accuracy, "accuracy"):
            expected.append(f"{100 * validation.mean(name, 'accuracy'):.2f}")
        if name == best_loss:
            expected.append(f"{validation.mean(name, 'log_loss'):.4f}")
        assert [value for value in bold if "." in value][: len(expected)] == expected


def test_sd_of_repetitions_is_available(validation):
    spread = 100 * validation.sd("N_B", "accuracy", of="repeats")
    assert f"({spread:.2f})" in validation.to_text(sd="repeats")
    assert "repetition means" in validation.to_text(sd="repeats")


def test_markdown_tables_have_one_width(comparison):
    for block in comparison.to_markdown().split("\n\n"):
        rows = [line for line in block.splitlines() if line.startswith("|")]
        widths = {len(re.findall(r"(?<!\\)\|", row)) for row in rows}
        assert len(widths) <= 1
    assert "N\\_B" in comparison.to_markdown() and "tree\\|2" in comparison.to_markdown()
    assert comparison._repr_markdown_() == comparison.to_markdown()


def test_latex_is_balanced_and_escaped(comparison):
    text = comparison.to_latex()
    assert (
        text.count(r"\begin{table}") == text.count(r"\end{table}") == text.count(r"\toprule") >= 2
    )
    for block in text.split(r"\begin{tabular}")[1:]:
        spec = re.match(r"\{(\w+)\}", block)[1]
        body = block.split(r"\bottomrule")[0]
        for line in body.splitlines():
            if line.endswith(r"\\"):
                assert len(re.findall(r"(?<!\\)&", line)) == len(spec) - 1
    assert r"N\_B" in text and r"tree\textbar{}2" in text and r"iris \& co" in text
    assert r"\textsuperscript{v}" in text and r"\textbf{" in text
    assert text.count("{") == text.count("}")


@given(st.text(max_size=40))
def test_escapes_leave_no_live_character(text):
    latex = latex_escape(text)
    stripped = re.sub(
        r"\\(textbackslash|textasciitilde|textasciicircum|textless|textgreater|textbar)\{\}",
        "",
        latex,
    )
    stripped = re.sub(r"\\[&%$#_{}]", "", stripped)
    assert not re.search(r"[\\&%$#_{}~^<>|]", stripped) and "\n" not in latex
    markdown = markdown_escape(text)
    assert not re.search(r"(?<!\\)[|<>]", re.sub(r"\\\\", "", markdown)) and "\n" not in markdown


def test_csv_reads_back_in_full_precision(comparison, validation):
    rows = list(csv.DictReader(io.StringIO(comparison.to_csv())))
    assert len(rows) == 6
    for row, record in zip(rows, comparison.records(), strict=True):
        assert float(row["mean"]) == record["mean"] and row["mark"] == record["mark"]
        assert (row["dataset"], row["method"]) == (record["dataset"], record["method"])
    rows = list(csv.DictReader(io.StringIO(validation.to_csv())))
    leaves = [row for row in rows if row["metric"] == "leaves" and row["method"] == "N_B"]
    assert leaves[0]["mean"] == "" and float(rows[0]["mean"]) == validation.mean(
        "prior", "accuracy"
    )


def test_json_is_strict_and_complete(comparison, validation):
    document = strict(comparison.to_json())
    assert document["rows"] == [plain(record) for record in comparison.records()]
    assert document["wins_ties_losses"]["prior"] == [0, 2, 0]
    assert document["averages"]["N_B"] == comparison.averages[1]
    assert set(document["settings"]["versions"]) >= {"python", "numpy", "platform", "processor"}
    for name, one in comparison.results.items():
        assert document["settings"]["data"][name]["sha256"] == one.environment()["data"]["sha256"]
        for test in document["tests"][name]:
            found = comparison.pair_test(name, *test["names"])
            assert test == plain(found.to_dict()) and test["names"][1] == comparison.baseline
            assert {"statistic", "df", "interval", "p_value"} <= test.keys()
    assert len({one["sha256"] for one in document["settings"]["data"].values()}) == 2
    document = strict(validation.to_json())
    assert document["folds"]["tree|2"]["accuracy"] == validation["tree|2"]["accuracy"].tolist()
    assert document["folds"]["N_B"]["leaves"] == [None] * 10
    assert document["settings"]["methods"]["N_B"] == "GaussianNB()"


def test_infinite_rewards_survive_every_form():
    result = cross_validate(
        X,
        Y,
        estimators={"tree": DecisionTreeClassifier()},
        cv="1x5",
        scoring="bayesian_information_reward",
    )
    assert result.mean("tree", "bayesian_information_reward") == -np.inf
    assert strict(result.to_json())["rows"][0]["mean"] == "-Infinity"
    assert "-inf (-)" in result.to_text() and "-inf" in result.to_csv()
    assert "-inf" in result.to_latex()


def test_unclassified_and_given_tables():
    table = ReportTable(
        "T",
        ["a", "b"],
        [[Cell("x"), Cell("1.5", True, "*")], [Cell("y"), Cell("10")]],
        (1,),
        ["note_1"],
    )
    assert render(table).splitlines() == [
        "T", "", "a    b", "---------", "x  1.5! *", "---------", "y   10", "", "note_1",
    ]  # fmt: skip
    assert "**1.5** \\*" in render([table], "markdown") and "note\\_1" in render(table, "markdown")
    for form in ("text", "markdown", "latex"):
        assert "1.5" in render(table, form)


def test_every_form_is_a_method_of_a_result_and_of_the_command(comparison):
    pytest.importorskip("jinja2")
    from fasttree.cli.options import check_form

    for form in FORMS:
        assert getattr(comparison, f"to_{form}")() == render(comparison, form)
    with pytest.raises(ValueError, match=", ".join(map(repr, FORMS))):
        render(comparison, "word")
    for form in FORMS.keys() - {"html"}:
        assert check_form(form) == form
    with pytest.raises(ValueError, match="--form.'html' is not known"):
        check_form("html")


def test_learning_curves_and_ranks_are_printed(comparison):
    curve = learning_curve(X, Y, estimators=MODELS, train_sizes=(10, 1.0), n_repeats=4)
    lines = curve.to_text().splitlines()
    last = next(line for line in lines if line.split()[:1] == ["135"])
    for method in MODELS:
        assert f"{100 * curve.values(method, 'accuracy')[:, 1].mean():.2f}" in last
    assert len(strict(curve.to_json())["rows"]) == 6 and curve.to_csv().count("\n") == 7
    found = comparison.friedman()
    text = render(found)
    ranks = [line.split()[1] for line in text.splitlines()[4:7]]
    assert ranks == [f"{rank:.3f}" for rank in sorted(found.mean_ranks)] and found.sentence in text


def test_unknown_forms_and_things_are_refused(validation):
    with pytest.raises(ValueError, match="form='pdf'"):
        render(validation, "pdf")
    with pytest.raises(TypeError, match="cannot make tables of a int"):
        render(3)
    with pytest.raises(TypeError, match="made of results"):
        render(ReportTable("", ["a"]), "json")


@given(
    st.lists(
        st.dictionaries(
            st.sampled_from("abc"), st.one_of(st.none(), st.floats(), st.integers(), st.text())
        )
    )
)
def test_any_records_become_strict_json_and_csv(records):
    assert strict(render_json(records)) == plain(records)
    text = render_csv(records)
    if any(records):
        assert len(list(csv.reader(io.StringIO(text)))) == len(records) + 1


def test_every_class_has_a_line_as_in_weka(validation):
    from sklearn.metrics import precision_recall_fscore_support

    text = validation.to_text(per_class=True)
    assert text.startswith(validation.to_text()) and text.count("weighted mean") == len(MODELS)
    scores = validation["N_B"]
    block = text[text.index("N_B\n", text.index("weighted mean")) :].splitlines()
    assert block[2].split() == [
        "class",
        "TP",
        "rate",
        "FP",
        "rate",
        "precision",
        "recall",
        "F",
        "ROC",
        "area",
        "rows",
    ]
    found = precision_recall_fscore_support(validation.true_codes, scores.predictions)
    for place, line in enumerate(block[4:7]):
        cells = line.split()
        assert cells[0] == str(place) and [float(c) for c in cells[3:6]] == pytest.approx(
            [column[place] for column in found[:3]], abs=5e-4
        )
        assert float(cells[7]) == 100
    assert "weighted mean" in validation.to_latex(per_class=True)
