"""The command line: every command on bundled data, its JSON, and how it refuses."""

from __future__ import annotations

import csv
import io
import json
import os
import random
import re
import shlex
import subprocess
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")

import typer

import fasttree
from fasttree import datasets, presets
from fasttree.cli import options, unknown_names
from fasttree.cli.app import app
from fasttree.cli.shell import SHELL, cells_by_column
from fasttree.exports import bibtex

COMMANDS = (
    "compare",
    "cv",
    "fit",
    "predict",
    "rank",
    "sweep",
    "show",
    "datasets",
    "doctor",
    "reproduce",
    "cite",
)


def strict(text: str):
    """JSON without NaN and infinities."""
    return json.loads(text, parse_constant=lambda word: pytest.fail(f"{word} is not strict JSON"))


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "iris.json"
    fasttree.fit(datasets.load_iris(), criterion="gini", max_depth=3).save(path)
    return path


def refused(result, *words):
    """One line on stderr, nothing on stdout, exit code 2."""
    code, out, err = result
    assert code == 2
    assert out == ""
    assert err.count("\n") == 1
    assert err.startswith("ftree: error: ")
    for word in words:
        assert word in err
    return True


def test_help_names_all_commands_and_every_command_has_examples(ftree):
    code, out, _ = ftree()
    assert code == 0
    assert all(command in out for command in COMMANDS)
    assert ftree("--help")[0] == 0
    for command in COMMANDS:
        code, out, _ = ftree(command, "--help")
        assert code == 0
        assert f"ftree {command}" in out
        assert "--json" in out


def test_version(ftree):
    assert ftree("--version") == (0, f"ftree {fasttree.__version__}\n", "")


def test_compare_needs_nothing_and_names_the_winners(ftree, tmp_path):
    file = tmp_path / "compare.json"
    code, out, _ = ftree("compare", "--cv", "2x5", "--json", file)
    assert code == 0
    lines = out.splitlines()
    assert len(lines) <= 24 and max(map(len, lines)) <= 80
    assert lines[0] == "accuracy (%) in 2x5 cross-validation: 8 data sets, unpruned trees"
    assert "Worse than always answering the most frequent class: monks-2 (4 of 4" in out
    assert "; try `-p pruning=error_based`." in out
    words = " ".join(out.split())
    assert "differ on these 8 data sets (Iman-Davenport test of accuracy, p = 0.027), but" in words
    assert lines[-1] == ("Next: ftree advise FILE -t COLUMN (more: --full)")
    out = ftree("compare", "iris", "wine", "--cv", "2x5", "-c", "gini,info_gain")[1]
    assert "Over these 2 data sets together no method is significantly better than another" in out
    assert "These sets do not decide; yours may: ftree advise FILE" in out
    code, out, _ = ftree("compare", "iris", "wine", "--cv", "2x5", "--full")
    assert code == 0
    assert "leaves, smaller is better" in out
    assert "accuracy: mean ranks against info_gain" in out
    assert "mean ranks of 4 methods do not differ" in out
    assert "Bayesian signed-rank test over 2 data sets" in out
    document = strict(file.read_text())
    assert document["methods"] == ["info_gain", "gain_ratio", "gini", "mantaras"]
    assert {row["dataset"] for row in document["rows"]} >= {
        "iris",
        "wine",
        "tic-tac-toe",
        "monks-2",
    }
    assert {row["metric"] for row in document["leaves"]} == {"leaves"}
    assert set(document["friedman"]) == {"accuracy", "leaves"}


def test_compare_takes_files_criteria_with_options_and_a_baseline(ftree, tmp_path):
    file = tmp_path / "w.arff"
    datasets.dump_arff(datasets.load_wine(), file)
    chosen = "gini,f_measure(beta=2),mdl"
    code, out, _ = ftree(
        "compare",
        file,
        "iris",
        "iris",
        "-c",
        chosen,
        "--baseline",
        "mdl",
        "--cv",
        "2x3",
        "-f",
        "markdown",
    )
    assert code == 0
    assert "| f\\_measure(beta=2) |" in out
    assert "better / worse than mdl" in out
    assert "iris (2)" in out


def test_compare_says_what_looks_broken_and_what_does_not(ftree, tmp_path):
    x = np.arange(60) % 10
    noise = np.random.default_rng(1).normal(size=60).round(2)
    lines = [f"{a},{b},{'pq'[int(a > 4)]}" for a, b in zip(x, noise, strict=True)]
    (tmp_path / "easy.csv").write_text("\n".join(["x,noise,y", *lines]) + "\n")
    code, out, _ = ftree(
        "compare", tmp_path / "easy.csv", "--cv", "1x3", "-p", "pruning=error_based"
    )
    assert code == 0 and "1 data set, pruned trees" in out and "Worse than" not in out
    lines = [f"{a},{b}" for a, b in zip(x, noise, strict=True)]
    (tmp_path / "noise.csv").write_text("\n".join(["x,y", *lines]) + "\n")
    words = ("compare", tmp_path / "noise.csv", "-c", "squared_error,absolute_error", "--cv", "1x3")
    for metric, constant in (("r2", "0.0000"), ("mae", None)):
        code, out, _ = ftree(*words, "--task", "regression", "-s", metric)
        assert code == 0 and "Worse than always saying the mean: noise (2 of 2 methods" in out
        assert "; try `-p pruning=reduced_error`." in out and out.split("\n")[2].endswith("mean")
        assert constant is None or f"against {constant})" in " ".join(out.split())
    assert "mae in 1x3 cross-validation: 1 data set, unpruned trees; smaller is better" in out
    assert "Worse than" not in ftree(*words, "--task", "regression", "-s", "rmse")[1]


def test_fold_values_are_written_as_csv(ftree, tmp_path):
    file = tmp_path / "folds.csv"
    words = ("-c", "gini,mdl", "--cv", "2x3", "--fold-values", file)
    for command, sets in (("compare", ("iris", "wine")), ("cv", ("iris",))):
        code, _, _ = ftree(command, *sets, *words)
        assert code == 0
        rows = list(csv.DictReader(io.StringIO(file.read_text())))
        assert len(rows) == 2 * 6 * len(sets)
        of_iris = [float(r["accuracy"]) for r in rows if r["method"] == "mdl"][:6]
        direct = fasttree.model_selection.cross_validate(
            datasets.load_iris(), criterion="mdl", cv="2x3"
        )
        assert of_iris == direct["mdl"]["accuracy"].tolist()
    refused(ftree("cv", "iris", "--fold-values", tmp_path / "no" / "f.csv"), "--fold-values")


def test_every_json_has_versions_commit_and_seed(ftree, model, tmp_path):
    """The commit is that of the checkout, which git tells."""
    seeded = [
        ("fit", "iris", "-p", "random_state=5", "--no-cv"),
        ("rank", "iris", "-c", "pi", "--estimate", "rows", "-p", "random_state=5"),
        *((name, "iris", "--cv", "1x2", "--seed", "5") for name in ("advise", "cv", "compare")),
        ("sweep", "weather", "--alpha", "1", "--cv", "1x2", "--seed", "5"),
    ]
    calls = [
        *seeded, ("show", model), ("predict", model, "iris"), ("doctor",), ("cite",),
        ("criteria",), ("criteria", "gini"), ("datasets", "describe", "iris"),
    ]  # fmt: skip
    root = Path(__file__).resolve().parents[3]
    done = subprocess.run(["git", "-C", str(root), "rev-parse", "HEAD"], capture_output=True)
    for words in calls:
        code, _, err = ftree(*words, "--json", tmp_path / "out.json")
        document = strict((tmp_path / "out.json").read_text())
        assert code == 0, err
        found = document["versions"]
        assert found["fasttree"] == fasttree.__version__ and found["numpy"] == np.__version__
        is_checkout = root / "python" in Path(fasttree.__file__).resolve().parents
        if done.returncode == 0 and (root / ".git").exists() and is_checkout:
            assert found["commit"].removesuffix("-dirty") == done.stdout.decode().strip()
        if words in seeded:
            assert {**document.get("settings", {}), **document}["random_state"] == 5, words


@pytest.mark.parametrize("row", fasttree.list_criteria(), ids=lambda row: row["name"])
def test_formulas_of_criteria_are_plain_in_a_terminal(ftree, row):
    out = ftree("criteria", row["name"])[1]
    score = next(line for line in out.splitlines() if line.startswith("score "))
    assert not set("\\{}") & set(out.partition("source ")[0]) and score.split(None, 1)[1]
    assert score.count("(") == score.count(")") == score.replace("()", "").count(")")


def test_cite_prints_an_entry_per_publication(ftree):
    def entries(text):
        assert text.count("{") == text.count("}")
        found = re.findall(r"@(\w+)\{(\w+),\n((?:  \w+ += \{[^@]*?\},\n)+)\}", text)
        assert len(found) == text.count("@")
        return [
            (kind, key, dict(re.findall(r"(\w+) += \{([^@]*?)\},\n", body)))
            for kind, key, body in found
        ]

    [(kind, key, fields)] = entries(ftree("cite")[1])
    root = Path(__file__).resolve().parents[3]
    cff = (root / "CITATION.cff").read_text()
    known = dict(re.findall(r"^ *-? ?(name|title|version): \"?(.*?)\"?$", cff, re.M))
    assert (kind, key) == ("software", "fasttree")
    assert fields["title"] == f"{{{known['title']}}}"
    assert fields["author"] == f"{{{known['name']}}}"
    assert fields["version"] == known["version"] == fasttree.__version__
    assert f"date-released: {fields['year']}-" in cff
    # Each publication has one entry, whose key the sources of criteria in the core name.
    core = (root / "src/criteria").glob("*.rs")
    named = " ".join(
        key for file in core for key in re.findall(r'source: "(.*)"', file.read_text())
    )
    of_tests = {*bibtex.OF_COMPARISON, *bibtex.OF_PRESETS.values()}
    assert {*named.replace(";", "").split()} | of_tests == set(bibtex.publications())
    assert {*bibtex.OF_PRESETS} == {*presets.__all__}
    assert [key for _, key, _ in entries(ftree("cite", "ctree,CHAID", "compare")[1])] == [
        "hothorn2006",
        "kass1980",
        "nadeau2003",
        "demsar2006",
    ]
    rows = fasttree.list_criteria()
    found = entries(ftree("cite", *(row["name"] for row in rows))[1])
    keys = {key: fields for _, key, fields in found}
    assert list(keys) == list(dict.fromkeys(key for row in rows for key in row["publications"]))
    for kind, _, fields in found:
        asked = {"article": "journal", "inproceedings": "booktitle", "book": "publisher"}
        assert {"author", "title", asked.get(kind, "title")} <= set(fields)
        assert "year" in fields or kind in ("manual", "unpublished")
    titles = [fields["title"] for fields in keys.values()]
    assert len(set(titles)) == len(titles) == len(keys)
    (one,) = (row for row in rows if row["name"] == "mantaras")
    assert (
        one["source"].startswith("Lopez de Mantaras, A Distance-Based")
        and "(1991)" in one["source"]
    )
    spelled = ftree("cite", "gini", "hellinger", "twoing", "pi(alpha=1)")[1]
    assert [key for _, key, _ in entries(spelled)] == ["breiman1984", "cieslak2008", "vilalta2001"]
    refused(ftree("cite", "ginni"), "'ginni'")


@pytest.mark.parametrize(("limits", "scale"), [((), "log"), (("-p", "max_leaf_nodes=6"), "linear")])
def test_leaves_have_an_axis_of_powers_where_they_span_some(ftree, tmp_path, monkeypatch, limits,
                                                            scale):  # fmt: skip
    drawn = []

    def draw(*args, **options):
        drawn.append(bars(*args, **options))
        return drawn[-1]

    bars = fasttree.plots.tree_size_bars
    monkeypatch.setattr(fasttree.plots, "tree_size_bars", draw)
    words = ("compare", "iris", "tic-tac-toe", "-c", "gini,hellinger", "--cv", "1x2")
    code, _, _ = ftree(*words, *limits, "--pictures", tmp_path)
    assert code == 0 and [ax.get_yscale() for ax in drawn] == [scale]


@pytest.mark.parametrize("name", ["contextual_merit", "pi", "gini"])
def test_a_criterion_on_pairs_says_how_it_reads_numbers(ftree, name):
    said = "10 bins of equal width" in ftree("criteria", name)[1]
    binned, default = (
        fasttree.score_features("iris", criterion=name, **how).tolist()
        for how in ({"discretize": "equal_width", "n_bins": 10}, {})
    )
    assert said == (binned == default)


def test_compare_draws_pictures(ftree, tmp_path):
    pytest.importorskip("matplotlib")
    code, _, _ = ftree("compare", "iris", "wine", "--cv", "2x3", "--pictures", tmp_path / "p")
    assert code == 0
    names = sorted(path.name for path in (tmp_path / "p").iterdir())
    assert names == ["compare-accuracy.png", "compare-leaves.png", "compare-ranks.png"]


def test_compare_is_the_same_for_any_number_of_threads(ftree):
    one = strict(ftree("compare", "iris", "--cv", "3x5", "-j", "1", "--json", "-")[1])
    two = strict(ftree("compare", "iris", "--cv", "3x5", "-j", "2", "--json", "-")[1])
    assert one["rows"] == two["rows"]


def test_cv_prints_all_metrics(ftree):
    code, out, _ = ftree(
        "cv", "iris", "-c", "gini", "-s", "accuracy,leaves", "--cv", "2x5", "--json", "-"
    )
    assert code == 0
    document = strict(out)
    assert {row["metric"] for row in document["rows"]} >= {"accuracy", "leaves"}
    direct = fasttree.model_selection.cross_validate(
        datasets.load_iris(), criterion="gini", cv="2x5"
    )
    assert document["folds"]["gini"]["accuracy"] == direct["gini"]["accuracy"].tolist()


@pytest.mark.parametrize("form", ["text", "markdown", "latex", "csv", "json"])
def test_cv_in_every_form(ftree, form):
    code, out, _ = ftree("cv", "iris", "--cv", "1x3", "-f", form)
    assert code == 0
    assert "gain" in out
    if form == "json":
        strict(out)


def test_show_speaks_every_format(ftree, tmp_path):
    model = fasttree.fit(datasets.load_iris(), max_depth=2)
    model.save(tmp_path / "m.json")
    expected = {
        "text": model.to_text(), "j48": model.to_text(style="j48"), "rules": str(model.to_rules()),
        "dot": model.to_dot(),
        "svg": model.to_svg(), "sql": model.to_sql(), "python": model.to_python(),
        "c": model.to_c(),
    }  # fmt: skip
    for form, text in expected.items():
        code, out, _ = ftree("show", tmp_path / "m.json", "--form", form)
        assert code == 0
        assert text.strip() in out, form
        code, out, _ = ftree("show", tmp_path / "m.json", "--form", form, "-o", tmp_path / "out")
        assert code == 0 and "written" in out
        assert text in (tmp_path / "out").read_text(encoding="utf-8")
    onnx = pytest.importorskip("onnx", reason="onnx is not installed")
    assert ftree("show", tmp_path / "m.json", "-f", "onnx", "-o", tmp_path / "m.onnx")[0] == 0
    onnx.checker.check_model(onnx.load(tmp_path / "m.onnx"))


def test_an_option_has_one_name_in_all_commands_and_its_old_name_is_hidden(ftree, model):
    from typer.main import get_command

    from fasttree.cli.app import app

    shown, hidden = {}, {}
    for command in get_command(app).commands.values():
        for option in command.params:
            short = {o for o in option.opts if not o.startswith("--")} & {"-s", "-f"}
            long = {o for o in option.opts if o.startswith("--")}
            if getattr(option, "hidden", False):
                hidden.setdefault(command.name, set()).update(long)
            elif short:
                shown.setdefault(short.pop(), set()).update(long)
    assert shown == {"-s": {"--metric"}, "-f": {"--form"}}
    refused = {"--covar", "--covariates"}
    assert hidden == {"cv": {"--scoring"}, "show": {"--format"}, "rank": refused}
    assert ftree("show", model, "--format", "sql") == ftree("show", model, "--form", "sql")
    cv = ("cv", "iris", "-c", "gini", "--cv", "1x2", "-f", "csv")
    assert ftree(*cv, "--scoring", "leaves")[1] == ftree(*cv, "--metric", "leaves")[1]
    assert ftree(*cv)[1] != ftree(*cv, "--scoring", "leaves")[1]


def test_forests_are_shown_by_their_sizes(ftree, tmp_path):
    forest = fasttree.FastForestClassifier(n_estimators=3, random_state=0).fit(datasets.load_iris())
    forest.save(tmp_path / "f.json")
    code, out, _ = ftree("show", tmp_path / "f.json", "--json", tmp_path / "s.json")
    assert code == 0 and "3 trees" in out
    document = strict((tmp_path / "s.json").read_text())
    assert document["mean_leaves"] == pytest.approx(
        np.mean([t.get_n_leaves() for t in forest.estimators_])
    )
    assert document["mean_depth"] == pytest.approx(
        np.mean([t.get_depth() for t in forest.estimators_])
    )
    assert refused(ftree("show", tmp_path / "f.json", "-f", "rules"), "forest of 3 trees")
    code, out, _ = ftree("show", tmp_path / "f.json", "-f", "sql")
    assert code == 0 and out.strip() == forest.to_sql().strip()


def test_fit_show_predict(ftree, tmp_path):
    file, out_file = tmp_path / "model.json", tmp_path / "answers.csv"
    code, out, _ = ftree(
        "fit", "iris", "-c", "gini", "-p", "max_depth=3", "-m", file, "--json", tmp_path / "f.json"
    )
    assert code == 0
    assert "petal" in out
    document = strict((tmp_path / "f.json").read_text())
    expected = fasttree.fit(datasets.load_iris(), criterion="gini", max_depth=3)
    assert document["leaves"] == expected.get_n_leaves()
    assert document["tree"] == expected.to_text()
    code, out, _ = ftree("show", file)
    assert code == 0
    assert expected.to_text() in out
    code, out, _ = ftree("show", file, "-f", "dot")
    assert out.startswith("digraph")
    code, out, _ = ftree("show", file, "-f", "json")
    assert strict(out)
    code, out, err = ftree(
        "predict", file, "iris", "--proba", "-o", out_file, "--json", tmp_path / "p.json"
    )
    assert code == 0
    assert "accuracy" in err
    lines = out_file.read_text().splitlines()
    assert lines[0] == "row,prediction,p(setosa),p(versicolor),p(virginica)"
    assert [line.split(",")[1] for line in lines[1:]] == expected.predict(
        datasets.load_iris()
    ).tolist()
    document = strict((tmp_path / "p.json").read_text())
    assert document["accuracy"] == expected.score(datasets.load_iris())
    assert len(document["probabilities"]) == 150
    out = ftree("predict", file, "iris", "--json", tmp_path / "p.json")[1]
    assert out.splitlines()[0] == "row,prediction" and out.count("\n") == 151


def test_a_preset_gives_the_criterion_unless_one_is_named(ftree):
    def used(*arguments):
        return strict(ftree("fit", "breast-cancer", *arguments, "--json", "-")[1])["criterion"]

    assert used("--preset", "FMEASURE") == "FMeasure(beta=1.0, variant='change')"
    assert used("--preset", "FMEASURE", "-c", "laplace") == "laplace"
    assert used() == "info_gain"


def test_compare_takes_a_target_for_each_file(ftree, tmp_path):
    for name, header in (("one", "n,outcome,site"), ("two", "n,label,site")):
        lines = [f"{i % 7},{'ab'[i % 3 > 0]},{'xy'[i % 5 > 2]}" for i in range(40)]
        (tmp_path / f"{name}.csv").write_text("\n".join([header, *lines]) + "\n")
    data = [str(tmp_path / f"{name}.csv") for name in ("one", "two")]
    how = ["-c", "gini", "--cv", "1x3", "--json", "-"]
    for targets in (["outcome", "label"], ["n", "n"], ["n"]):
        words = [word for name in targets for word in ("-t", name)]
        about = strict(ftree("compare", *data, *words, *how)[1])["settings"]["data"]
        assert [one["target"] for one in about.values()] == (targets * 2)[:2]
    for given in (data * 2, [*data, "iris", data[0]]):
        refused(ftree("compare", *given, "-t", "n", "-t", "n", *how), "--target", "2", "once")
    refused(ftree("compare", *data, "-t", "label", *how), "one.csv", "'label'", "-t once per file")
    assert "once per file" not in ftree("compare", data[0], "iris", "-t", "label", *how)[2]
    # Options on columns are for files; a bundled set has its class, and no cells to be read.
    for given in (["iris", *data], [data[0], "iris", data[1]]):
        words = ["-t", "outcome", "-t", "label", "--missing", "6"]
        about = strict(ftree("compare", *given, *words, *how)[1])["settings"]["data"]
        assert {name: one["target"] for name, one in about.items()} == dict(
            one="outcome", two="label", iris="class"
        )


def test_tests_that_choose_splits_are_compared_and_take_no_criterion(ftree):
    for settings in (["--preset", "CTREE", "-p", "alpha=1e-9"], ["--preset", "CHAID"]):
        for command in ("cv", "compare"):
            code, out, _ = ftree(command, "iris", *settings, "--cv", "1x3")
            assert code == 0 and "significance (" in out
        for command in ("fit", "cv", "compare"):
            refused(ftree(command, "iris", *settings, "-c", "gini"), "-c gini", "leave -c out")
    how = ["--preset", "CTREE", "-p", "cut=criterion", "-c", "gini", "--cv", "1x3"]
    assert "cut by gini" in ftree("compare", "iris", *how)[1]


def test_predict_without_class_column_and_with_columns_in_another_order(ftree, tmp_path, model):
    rows = datasets.load_iris()
    names = rows.feature_names[::-1]
    lines = [",".join(names)] + [",".join(map(str, row[::-1])) for row in rows.X[:60:10]]
    file = tmp_path / "new.csv"
    file.write_text("\n".join(lines) + "\n")
    code, out, err = ftree("predict", model, file)
    assert code == 0
    assert err == ""
    expected = fasttree.load_model(model).predict(rows.X[:60:10])
    assert [line.split(",")[1] for line in out.splitlines()[1:]] == expected.tolist()


def test_predict_warns_of_unseen_levels_in_one_line(ftree, tmp_path):
    file, new = tmp_path / "weather.json", tmp_path / "new.csv"
    fasttree.fit(datasets.load_weather()).save(file)
    new.write_text("outlook,temperature,humidity,windy\nfoggy,hot,high,TRUE\n")
    code, out, err = ftree("predict", file, new)
    assert code == 0
    assert err.startswith("ftree: warning: ")
    assert "'foggy'" in err
    assert out.splitlines()[1].startswith("0,")


def test_rank_is_score_features(ftree):
    code, out, _ = ftree("rank", "weather", "-c", "info_gain,gini", "--json", "-")
    assert code == 0
    rows = strict(out)["rows"]
    scores = fasttree.score_features(datasets.load_weather(), criterion="gini")
    names = datasets.load_weather().feature_names
    found = {row["feature"]: row for row in rows if row["criterion"] == "gini"}
    assert [found[name]["score"] for name in names] == scores.tolist()
    assert found["outlook"]["rank"] == 1
    assert rows[0]["feature"] == "outlook"


@pytest.mark.parametrize("preset", ["CTREE", "CHAID"])
def test_a_tree_of_tests_is_refitted_on_subsamples_and_not_pruned(ftree, tmp_path, preset):
    rng = np.random.default_rng(7)
    frame = pd.DataFrame(rng.normal(size=(500, 3)), columns=["a", "b", "c"])
    frame["y"] = np.where(rng.random(500) < 1 / (1 + np.exp(-1.5 * frame["a"])), "ill", "well")
    frame.to_csv(tmp_path / "d.csv", index=False)
    words = ("fit", tmp_path / "d.csv", "-t", "y", "--preset", preset, "--stability", 5)
    _, out, _ = ftree(*words, "--json", tmp_path / "d.json")
    document = strict((tmp_path / "d.json").read_text())
    assert document["leaves"] > 1 and document["stability"]["sample"] == "subsample"
    assert "5 refits on subsamples" in out and document["advice"] is None
    shares = [100 * one["chosen"] for one in document["stability"]["nodes"]]
    assert re.findall(r"(\d+) %\]", out) == [f"{share:.0f}" for share in shares]
    assert "searches of the node that choose the feature" in out


def test_rank_says_how_to_get_the_scores_of_the_root(ftree, tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text(
        "x,y\n" + "".join(f"{'' if i % 5 == 0 else i},{'ab'[i > 9]}\n" for i in range(20))
    )
    words = ("rank", path, "-t", "y", "-c", "gini,chi2")
    assert "Scores by chi2 leave out rows without a value" in ftree(*words)[1]
    assert "leave out rows" not in ftree(*words, "-p", "missing=branch")[1]
    assert "leave out rows" not in ftree("rank", "weather", "-c", "chi2")[1]


def test_compare_refits_the_trees_when_asked_to(ftree, tmp_path):
    words = ("compare", "iris", "weather", "-c", "gini,mdl", "--cv", "1x2", "--stability", 3)
    code, out, _ = ftree(*words, "--json", tmp_path / "found.json")
    assert code == 0 and out.startswith("Stability: 3 refits on bootstrap samples")
    assert out.index("Stability") < out.index("accuracy (%)")
    found = strict((tmp_path / "found.json").read_text())["stability"]["iris"]["mdl"]
    iris = datasets.load_iris()
    expected = fasttree.fit(iris, criterion="mdl").stability(iris, repeats=3)
    assert found["agreement"] == expected.trees.agreement
    assert ftree(*words, "--full")[1].count("Stability: 3 refits") == 1
    refused(ftree("compare", "iris", "--stability", 0), "stability")


def test_options_on_a_column_that_one_file_lacks_are_for_the_others(ftree, tmp_path):
    for name in ("a", "b"):
        lines = [f"{i if i % 5 else 'none'},{'xz'[i % 2]}" for i in range(40)]
        (tmp_path / f"{name}.csv").write_text("\n".join([f"{name},y", *lines]) + "\n")
    words = ("compare", tmp_path / "a.csv", tmp_path / "b.csv", "-t", "y", "--cv", "1x2")
    words = (*words, "-c", "gini,mdl")
    lacks = "b.csv: no column is named 'a'; the options on it are for the other files"
    for option in (["--missing", "a=none"], ["--keep", "a"], ["--nominal", "a"], ["--drop", "a"]):
        code, out, error = ftree(*words, "--missing", "none", *option)
        assert ("drop" in option[0]) == (code == 2) and (code or lacks in error), error
        # Where no file has the column, the error is that of a file.
        wrong = [option[0], option[1].replace("a", "ab", 1)]
        refused(
            ftree(*words, "--missing", "none", *wrong),
            "b.csv",
            "'ab'",
            f"({option[0]})",
            "did you mean 'b'",
        )
    assert ftree(*words, "--missing", "none")[0] == 0
    refused(ftree("fit", tmp_path / "b.csv", "--missing", "a=none"), "`--missing none` is for all")


def test_rank_speaks_of_a_date_as_it_is_scored(ftree, tmp_path):
    rng = np.random.default_rng(0)
    days = pd.Timestamp("2024-01-01") + pd.to_timedelta(rng.integers(0, 700, 300), "D")
    frame = pd.DataFrame({"day": days.strftime("%d/%m/%Y"), "a": rng.normal(size=300)})
    frame["town"] = [f"t{i % 100}" for i in range(300)]
    frame["y"] = np.where(days.dayofweek > 3, "x", "z")
    frame.to_csv(tmp_path / "d.csv", index=False)
    words = ("rank", tmp_path / "d.csv", "-t", "y", "-c", "gini", "--test", "quadratic")
    code, out, _ = ftree(*words, "--json", tmp_path / "d.json")
    known = strict((tmp_path / "d.json").read_text())
    assert code == 0 and known["few_rows_a_level"] == ["town"]
    assert "day (" not in out.split("Caution")[1] and "adjusted for 5 columns that vary" in out
    p, bare = (
        fasttree.score_features(frame, "y", test="quadratic", adjust=adjust, named=True)["a"]
        for adjust in ("bonferroni", "none")
    )
    assert p == pytest.approx(1 - (1 - bare) ** 5)
    _, out, _ = ftree(*words, "--columns", "as_given")
    assert "adjusted for 3 columns" in out and "day (" in out.split("Caution")[1]


@pytest.mark.parametrize("test", ["quadratic", "maximum", "permutation"])
@pytest.mark.parametrize("adjust", ["bonferroni", "none"])
def test_rank_shows_the_tests_at_the_root(ftree, test, adjust, tmp_path):
    words = ("--test", test, "-c", "gini", "-p", f"adjust={adjust}", "--csv", tmp_path / "r.csv")
    code, out, _ = ftree("rank", "iris", *words, "--json", "-")
    table = datasets.load_iris()
    options = {"test": test, "named": True, "adjust": adjust, "random_state": 0}
    p = fasttree.score_features(table, **options)
    statistics = fasttree.score_features(table, statistic=True, **options)
    scores = fasttree.score_features(table, criterion="gini", named=True)
    assert ("9,999 permutations (random_state=0)" in ftree("rank", "iris", *words)[1]) == (
        test == "permutation"
    )
    rows = {row["feature"]: row for row in strict(out)["rows"]}
    assert code == 0 and {name: row["p_value"] for name, row in rows.items()} == p
    assert {name: row["statistic"] for name, row in rows.items()} == statistics
    assert {name: row["score"] for name, row in rows.items()} == scores
    header, *_ = (tmp_path / "r.csv").read_text().splitlines()
    assert header == "feature,criterion,score,rank,statistic,p_value"
    if test != "permutation":  # the tests of the root of a tree
        tree = fasttree.FastTreeClassifier(
            selection="significance", test=test, adjust=adjust, max_depth=1
        ).fit(table)
        found = {one["feature"]: one for one in tree.explain(0, table)}
        assert {name: one["statistic"] for name, one in found.items()} == statistics
        assert {name: one["p_value"] for name, one in found.items()} == p


def test_a_function_in_a_file_is_referred_to_python(ftree):
    for text in ("own.py:tsallis", "own:tsallis", "own.py"):
        refused(ftree("fit", "iris", "-c", text), f"-c {text}: the command takes the names")


def test_rank_refuses_tests_where_there_are_none(ftree):
    refused(ftree("rank", "iris", "--test", "t"), "test='t' is not known")
    refused(ftree("rank", "tic-tac-toe", "--test", "maximum", "--estimate", "rows"), "leave one")
    with pytest.raises(ValueError, match="statistic=True needs test="):
        fasttree.score_features("iris", criterion="gini", statistic=True)


def test_rank_estimates_when_asked_to(ftree):
    code, out, _ = ftree(
        "rank", "tic-tac-toe", "--estimate", "subsets", "-p", "n_subsets=64", "--json", "-"
    )
    assert code == 0
    table = fasttree.datasets.load_tic_tac_toe()
    found = fasttree.estimate_features(table, n_subsets=64)
    rows = strict(out)["rows"]
    assert [r["feature"] for r in rows] == [table.feature_names[j] for j in found.ranking]
    assert [r["score"] for r in rows] == found.scores[found.ranking].tolist()
    assert [r["standard_error"] for r in rows] == found.standard_errors[found.ranking].tolist()
    code, out, _ = ftree(
        "rank", "tic-tac-toe", "--estimate", "rows", "-p", "sample=200", "-c", "contextual_merit"
    )
    assert code == 0 and " +- " in out
    refused(ftree("rank", "tic-tac-toe", "--estimate", "subsets", "-c", "gini"), "sums over pairs")


def test_rank_writes_the_rows_as_csv(ftree, tmp_path):
    path = tmp_path / "top.csv"
    code, out, _ = ftree("rank", "weather", "-c", "gini,info_gain", "--top", 2, "--csv", path)
    assert code == 0 and "outlook" in out
    header, *rows = path.read_text().splitlines()
    assert header == "feature,criterion,score,rank" and len(rows) == 4
    assert rows[0].startswith("outlook,gini,0.116") and rows[0].endswith(",1")


def test_rank_draws(ftree, tmp_path):
    pytest.importorskip("matplotlib")
    assert ftree("rank", "wine", "--top", "3", "--plot", tmp_path / "r.png")[0] == 0
    assert (tmp_path / "r.png").read_bytes().startswith(b"\x89PNG")


def test_datasets_list_and_describe(ftree):
    code, out, _ = ftree("datasets")
    assert code == 0
    assert "tic-tac-toe" in out
    assert strict(ftree("datasets", "list", "--json", "-")[1])["rows"] == datasets.list_datasets()
    document = strict(ftree("datasets", "describe", "iris", "--json", "-")[1])
    assert document["classes"] == {"setosa": 50, "versicolor": 50, "virginica": 50}
    assert document["rows"] == 150
    assert "petal length" in ftree("datasets", "describe", "iris")[1]


def test_doctor_exercises_the_core(ftree):
    code, out, _ = ftree("doctor", "--json", "-")
    assert code == 0
    document = strict(out)
    assert document["ok"] is True
    assert document["fasttree"] == fasttree.__version__
    assert {name: one["ok"] for name, one in document["checks"].items()} == {
        "model": True,
        "criteria": True,
        "threads": True,
    }
    assert "numpy" in ftree("doctor")[1]


def test_reproduce_writes_json_and_pictures(ftree, tmp_path, uci):
    file = tmp_path / "r.json"
    code, out, _ = ftree(
        "reproduce",
        "chen2013",
        "--data",
        uci,
        "--datasets",
        "labor,zoo",
        "--json",
        file,
        "--pictures",
        tmp_path / "p",
    )
    assert code == 0
    assert "8 of 8 printed cells" in out
    document = strict(file.read_text())
    assert document["cells"]["matched"] == 8
    assert document["missing"] == []
    assert [path.split(os.sep)[-1] for path in document["pictures"]] == [
        "chen2013-figure1.png",
        "chen2013-accuracy.png",
    ]


def test_reproduce_lists_the_experiments_and_the_missing_sets(ftree, tmp_path):
    assert {"chen2013", "f-measure"} <= set(ftree("reproduce", "list")[1].split())
    assert ftree("reproduce") == ftree("reproduce", "list")
    code, out, _ = ftree("reproduce", "f-measure", "--data", tmp_path, "--json", "-")
    assert code == 1  # nothing was compared
    assert strict(out)["missing"] == ["Breast", "Heart", "PopFailure"]
    code, out, _ = ftree("reproduce", "chen2013", "--data", tmp_path, "--datasets", "zoo")
    assert code == 1
    assert "Not in the data folder " in out and ": zoo." in out


def test_reproduce_says_what_quick_leaves_out_and_that_nothing_is_drawn(ftree, tmp_path):
    folder = tmp_path / "p"
    rest = ["--data", tmp_path, "--pictures", folder]
    code, out, _ = ftree("reproduce", "vilalta2001", "--datasets", "tic-tac-toe", "--quick", *rest)
    assert code == 0 and not list(folder.glob("*"))
    assert "Left out (--quick): the sweeps over theta and decay with both figures" in out
    assert f"No figure is drawn into {folder}: the figures need what --quick leaves out." in out
    code, out, _ = ftree("reproduce", "chen2013", "--datasets", "zoo", *rest)
    assert code == 1 and f"No figure is drawn into {folder}: no data set was there." in out


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("fit iris --save m.json", "--model"),
        ("fit iris -o m.json", "--model"),
        ("predict m.json iris --save p.csv", "--out"),
        ("cv iris --folds 5", "--cv"),
        ("fit iris --max-depth 3", "-p max_depth=VALUE"),
        ("compare iris --n_jobs 2", "--n-jobs"),
        ("fit iris --label y", "--target"),
        ("train iris", "fit"),
        ("datasets describ iris", "describe"),
    ],
)
def test_an_unknown_name_is_answered_by_what_it_means(ftree, typed, meant):
    assert f"; did you mean {meant!r}? (see" in ftree(*typed.split())[2]


def test_names_without_a_meaning_are_not_guessed(ftree):
    assert "--zzz (see ftree fit --help)" in ftree("fit", "iris", "--zzz")[2]
    assert "; there are list, describe (see" in ftree("datasets", "iris")[2]


@pytest.mark.parametrize(
    "words, meant",
    [
        ("describe x.csv", "datasets describe"),
        ("fit iris --max-leaves 3", "-p max_leaf_nodes=VALUE"),
        ("fit iris --min-rows 3", "-p min_samples_leaf=VALUE"),
        ("show m.json --as sql", "--form"),
    ],
)
def test_names_of_other_programs_lead_to_what_is_typed_here(ftree, words, meant):
    assert f"did you mean {meant!r}?" in ftree(*words.split())[2]


def test_what_stands_for_an_option_or_command_is_one_of_some_command():
    group = typer.main.get_command(app)
    options = {name for one in group.commands.values() for p in one.params for name in p.opts}
    commands = {*group.commands, "datasets describe"}
    named = {one.split()[0] if one[:2] == "--" else one for one in unknown_names.MEANT}
    assert named <= options | commands
    for name, command in group.commands.items():
        known = [one for p in command.params for one in p.opts]
        typos = {one: one[:-1] for one in known if len(one) > 8 and one[:-1] not in known}
        assert all(unknown_names.meant_by(typos[o], known) == f"did you mean {o!r}?" for o in typos)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["fit"], ["Missing argument"]),
        (["fit", "no-such-file.csv"], ["no-such-file.csv"]),
        (["fit", "iris", "--bogus"], ["--bogus"]),
        (["fti", "iris"], ["No such command", "fti"]),
        (["fit", "iris", "-c", "ginni"], ["'ginni'", "did you mean 'gini'"]),
        (["fit", "iris", "-c", "f_measure(beta=2"], ["closing bracket"]),
        (["fit", "iris", "-c", "f_measure(bta=2)"], ["bta"]),
        (["fit", "iris", "-p", "max_dept=2"], ["did you mean 'max_depth'"]),
        (["fit", "iris", "-p", "max_depth=two"], ["max_depth='two'"]),
        (["fit", "iris", "-p", "max_depth"], ["NAME=VALUE"]),
        (["fit", "iris", "--preset", "ID4"], ["'ID4'", "ID3"]),
        (["fit", "iris", "-t", "klass"], ["klass"]),
        (["fit", "iris", "--json", "no/such/folder/x.json"], ["x.json"]),
        (["cv", "weather", "--cv", "2x20"], ["20 folds need at least 20 rows"]),
        (["cv", "iris", "--cv", "ten"], ["--cv 'ten'"]),
        (["cv", "iris", "-f", "html"], ["'html'"]),
        (["compare", "iris", "-s", "acuracy"], ["did you mean 'accuracy'"]),
        (["compare", "iris", "--baseline", "gni"], ["--baseline 'gni'"]),
        (["compare", "iris", "--alpha", "2"], ["alpha"]),
        (["compare", "iris", "--test", "anova"], ["'anova'"]),
        (["show", "no-model.json"], ["no-model.json"]),
        (["show", "m.json", "-f", "pdf"], ["'pdf'", "svg"]),
        (["show", "m.json", "-f", "onnx"], ["--out"]),
        (["show", "m.json", "-f", "sql", "--depth", "2"], ["--depth"]),
        (["reproduce", "chen2012"], ["did you mean 'chen2013'"]),
        (["reproduce", "chen2013", "--data", "no-such-folder"], ["no-such-folder"]),
        (["reproduce", "chen2013", "--datasets", "irs"], ["did you mean 'iris'"]),
    ],
)
def test_refusals_are_one_line_and_exit_code_2(ftree, arguments, words):
    assert refused(ftree(*arguments), *words)


def test_damaged_models_and_malformed_data_are_refused(ftree, tmp_path, model):
    text = model.read_text()
    broken = tmp_path / "broken.json"
    broken.write_text(text[: len(text) // 2])
    assert refused(ftree("show", broken), "broken.json")
    data = tmp_path / "bad.arff"
    data.write_text("@relation r\n@attribute a numeric\n@attribute c {x,y}\n@data\n1,x\noops,y\n")
    assert refused(ftree("fit", data), "bad.arff", "line 6", "oops")
    assert refused(ftree("predict", model, "tic-tac-toe"), "top-left-square")


def test_missing_cells_are_read_as_messages_write_them():
    draw = random.Random(0)
    for _ in range(2000):
        name, text = ("".join(draw.choices("a=,\"' []{}\\b", k=3)).strip() or "a" for _ in "ab")
        for given in ({name: [text]}, {None: [text]}):
            (_, word) = shlex.split(SHELL.argument("missing", given))
            assert cells_by_column([word]) == given, word


def test_lists_and_values_of_options():
    assert options.split_list(["a,b(c=1,d=2)", " e "]) == ["a", "b(c=1,d=2)", "e"]
    assert options.value_of("1e-3") == 0.001
    assert options.value_of("true") is True
    assert options.value_of("sqrt") == "sqrt"
    made = options.criterion_of("gain_ratio(guard=average)")
    assert made == fasttree.criteria.GainRatio(guard="average")


def test_an_error_of_ours_asks_for_a_report(ftree, monkeypatch):
    def broken(*_, **__):
        raise RuntimeError("inner\nthing")

    monkeypatch.setattr(datasets, "list_datasets", broken)
    code, out, err = ftree("datasets")
    assert code == 1
    assert (
        err == "ftree: error: RuntimeError: inner thing (a defect of fasttree; please report it)\n"
    )
    assert out == ""


def test_rows_without_a_class_are_counted_on_stderr(ftree, tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text("a,b,class\n1,x,yes\n2,,no\n,y,\n3,z,no\n")
    code, out, err = ftree("rank", path, "-c", "pi")
    assert code == 0
    assert "3 rows" in out
    assert err.startswith("ftree: warning: ")
    assert "1 of 4 rows has no class and is left out, first line 4" in err
    assert ftree("rank", "weather", "-c", "pi")[2] == ""


def test_sweep_is_the_sweep_of_the_package(ftree, tmp_path):
    pytest.importorskip("matplotlib")
    picture = tmp_path / "map.png"
    asked = ("--theta", "1111,(1,0.5,0,1)", "--alpha", "0.1,1", "--cv", "1x3")
    code, out, _ = ftree("sweep", "weather", *asked, "--json", "-", "--plot", picture)
    assert code == 0
    found = strict(out)
    own = fasttree.sweep(
        datasets.load_weather(), theta=[(1, 1, 1, 1), (1, 0.5, 0, 1)], alpha=[0.1, 1.0], cv="1x3"
    )
    rows = [row for row in found["rows"] if row["metric"] == "accuracy"]
    assert [row["mean"] for row in rows] == own.map().ravel().tolist()
    assert found["best"]["accuracy"] == own.best["accuracy"]
    assert picture.read_bytes().startswith(b"\x89PNG")
    code, out, _ = ftree(
        "sweep", "weather", "-c", "relief", "-a", "2,3", "--cv", "1x3", "-p", "max_depth=1"
    )
    assert code == 0
    assert "Best (flattered by the choice): criterion relief, alpha" in out
    assert "accuracy (%) by radius" in out
    assert refused(ftree("sweep", "weather", "--theta", "12"), "--theta '12'", "four digits")
    assert refused(
        ftree("sweep", "weather", "--alpha", "-1", "--cv", "1x3"),
        "alpha=-1",
        "must be a number in [0, inf)",
    )
    assert refused(ftree("sweep", "weather", "--alpha", "much"), "--alpha 'much' is not a number")
    assert refused(ftree("sweep", "weather", "-c", "gini"), "'gini'", "contextual_merit")


def test_settings_of_pairs_are_refused_with_criterion_value_and_range(ftree):
    for criterion, words in [
        ("pi(alpha=-1)", ("pi: alpha=-1", "finite number >= 0")),
        ("pi(alpha=nan)", ("pi: alpha='nan'", "finite number >= 0")),
        ("pi(theta=[1,1,1,2])", ("pi: theta=[1, 1, 1, 2]", "4 numbers from 0 to 1")),
        ("relief(radius=-3)", ("relief: radius=-3", "finite number >= 0")),
    ]:
        for command in ("rank", "fit"):
            assert refused(ftree(command, "tic-tac-toe", "-c", criterion), *words)
    assert refused(
        ftree("rank", "iris", "-c", "pi", "-p", "discretize=None"),
        "sepal length (cm)",
        "discretize",
    )
    code, out, _ = ftree(
        "rank", "tic-tac-toe", "-c", "pi(theta=[1,1,1,0.5],alpha=1e308,precision=fixed)"
    )
    assert code == 0 and "middle" in out
