"""The command as a newcomer meets it: what it says, warns of and refuses, and that its examples
run."""

# ruff: noqa: E402
from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")
pd = pytest.importorskip("pandas")

import fasttree

pytestmark = pytest.mark.usefixtures("quick_advice")


def cities(n=900, levels=300):
    rng = np.random.default_rng(0)
    x = rng.normal(size=n)
    return pd.DataFrame(
        {
            "city": [f"c{v}" for v in rng.integers(0, levels, n)],
            "x": x.round(3),
            "label": np.where(rng.random(n) < np.where(x > 0, 0.8, 0.2), "a", "b"),
        }
    )


def test_fit_leads_with_cross_validated_accuracy_beside_the_majority(ftree, tmp_path):
    code, out, _ = ftree("fit", "iris", "--json", tmp_path / "f.json")
    assert code == 0 and "training accuracy" not in out
    found = json.loads((tmp_path / "f.json").read_text())
    assert f"accuracy {100 * found['accuracy']:.2f} % (1x10 cross-validation)" in out
    assert "always answering 'setosa': 33.33 %" in out and found["majority"] == pytest.approx(1 / 3)


def test_fit_recommends_a_pruned_tree_and_warns_of_too_many_leaves(ftree, tmp_path):
    file = tmp_path / "cities.csv"
    cities().to_csv(file, index=False)
    code, out, err = ftree("fit", file, "-p", "nominal_splits=multiway")
    assert code == 0 and "A pruned tree is as good within one standard error" in out
    assert "memorises rows" in err and "`--drop city`" in err and "pruning=error_based" in err
    _, out, err = ftree("fit", file, "-p", "pruning=error_based", "--drop", "city")
    assert "A pruned tree" not in out and "memorises" not in err


@pytest.mark.parametrize(
    "given",
    [
        "-p pruning=pessimistic",
        "-p ccp_alpha=0.0001",
        "--preset CTREE -p alpha=0.9 -p min_samples_split=2 -p min_samples_leaf=1",
        "-p max_leaf_nodes=200",
    ],
)
def test_no_remedy_is_advised_that_is_given(ftree, tmp_path, given):
    rng = np.random.default_rng(3)
    file = tmp_path / "noise.csv"
    city = [f"c{v}" for v in rng.integers(0, 40, 240)]
    pd.DataFrame(
        {"city": city, "y": rng.choice(["p", "q", "r"], 240), "x": rng.random(240)}
    ).to_csv(file, index=False)
    _, _, err = ftree("fit", file, "-t", "y", "--no-cv", *given.split())
    said = re.search(r"memorises rows.*", err)
    assert said is None or ("pruning" in said[0]) == ("max_leaf_nodes" in given)
    assert said is not None or "pessimistic" not in given


def test_the_pruned_tree_that_is_announced_is_the_one_that_comes(ftree, tmp_path):
    file, n_announced = tmp_path / "cities.csv", 0
    cities(400, 30).to_csv(file, index=False)
    for limits in ([], ["max_leaf_nodes=6"], ["max_depth=5"]):
        for honest in ([], ["honest=true"], ["honest=0.2"]):
            given = [word for one in [*limits, *honest] for word in ("-p", one)]
            _, out, _ = ftree("fit", file, *given)
            announced = re.search(r"standard error: (\d+ leaves), (.*? %): add", out)
            if announced is not None:
                _, again, _ = ftree("fit", file, *given, "-p", "pruning=error_based")
                came = re.search(r": (\d+ leaf|\d+ leaves), .*?accuracy (.*? %)", again)
                assert announced.groups() == came.groups()
                n_announced += 1
    assert n_announced >= 3


def test_a_nominal_column_with_few_rows_a_level_is_warned_of_once():
    with pytest.warns(UserWarning, match="fewer than five rows per level: 'city'") as caught:
        fasttree.fit(cities(), "label")
    assert len(caught) == 1


def test_traps_in_files_are_named_with_what_to_type(ftree, tmp_path):
    n = 60
    rng = np.random.default_rng(0)
    frame = pd.DataFrame(
        {
            "id": range(n),
            "day": [f"2024-01-{1 + i % 28:02d}" for i in range(n)],
            "price": [f"{v:.1f}".replace(".", ",") for v in rng.random(n)],
            "code": rng.integers(0, 3, n),
            "y": rng.choice(["p", "q"], n),
        }
    )
    file = tmp_path / "traps.csv"
    frame.to_csv(file, index=False, sep=";")
    code, _, err = ftree("fit", file, "--no-cv")
    assert code == 0
    assert "columns left out: 'id' (an identifier" in err and "price" not in err
    assert "year, month and weekday stand for the dates 'day'; --columns as_given" in err
    assert err.count("--keep id") == 1 and "fewer than five rows" not in err
    code, _, err = ftree("fit", file, "--no-cv", "--columns", "as_given")
    assert code == 0 and "id: an identifier" in err and "day: dates as text" in err
    assert "--drop id,day" in err and "price" not in err
    assert "read as numbers: code; as levels" in err and err.rstrip().count("--nominal code") == 1
    _, out, _ = ftree("datasets", "describe", file)
    assert re.search(r"price +numeric", out) and "--nominal code" in out
    code, out, _ = ftree("fit", file, "--no-cv", "--drop", "id,day,price", "--nominal", "code")
    assert code == 0 and "code = 0" in out
    code, out, _ = ftree("fit", file, "--no-cv", "--drop", "id,day,price", "--nominal", "all")
    assert "code = 0" in out
    assert ftree("fit", file, "--nominal", "cod")[0] == 2
    assert "--nominal" in ftree("fit", file, "--nominal", "cod")[2]


@pytest.mark.parametrize("preset", ["ID3", "C45", "CART", "VILALTA2001", "CHEN2013", "FMEASURE"])
def test_the_usual_criteria_that_a_preset_does_not_serve_are_skipped_with_the_reason(ftree, preset):
    code, out, _ = ftree("cv", "iris", "--preset", preset, "--cv", "1x2")
    assert code == 0 and "info_gain" in out
    assert ("mantaras does not apply: missing='fractional'" in out) == (preset == "C45")
    if preset == "C45":
        code, _, err = ftree("cv", "iris", "--preset", preset, "--cv", "1x2", "-c", "mantaras")
        assert code == 2 and "missing='fractional'" in err
        code, out, _ = ftree("compare", "iris", "weather", "--preset", preset, "--cv", "1x2")
        assert code == 0 and "mantaras does not apply" in out


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("a;b;y\n1,5;2;p\n2;?;q\n", ["numeric", "numeric"]),
        ("a\tb\ty\n1,234\t-2,5e3\tp\n2,000\t1\tq\n", ["numeric", "numeric"]),
        ('a,b,y\n"1,5",1,p\n"2,25",1,q\n', ["numeric", "numeric"]),
        ('a,b,y\n"1,234",1,p\n"2,000",1,q\n', ["nominal", "numeric"]),
        ("a;b;y\n1,5;2,x;p\n2;1,1;q\n", ["numeric", "nominal"]),
        ("1,5;2,5;p\n2,5;1,5;q\n", ["numeric", "numeric"]),
    ],
)
def test_decimal_commas_are_read_as_numbers(tmp_path, text, kinds):
    file = tmp_path / "comma.csv"
    file.write_text(text)
    assert [c.kind for c in fasttree.datasets.load(file).columns] == kinds
    by_point = fasttree.datasets.load(file, decimal=".").columns[0]
    assert by_point.kind == ("numeric" if "1,234" in text else "nominal")
    with pytest.raises(ValueError, match="decimal=';' is not known"):
        fasttree.datasets.load(file, decimal=";")


def test_thousands_are_warned_of_and_read_on_request(ftree, tmp_path):
    file = tmp_path / "thousands.csv"
    file.write_text("a,y\n" + '"1,234",p\n"2,000",q\n' * 20)
    _, _, err = ftree("fit", file, "--no-cv")
    assert "column 'a': numbers with a comma ('1,234', ...)" in err and "--decimal . (" in err
    read = fasttree.datasets.load(file, decimal=",")
    assert read.columns[0].values[:2].tolist() == [1.234, 2.0]


def test_a_file_of_a_header_alone_is_refused_in_the_words_of_the_command(ftree, tmp_path):
    file = tmp_path / "header.csv"
    file.write_text("a,b,class\n")
    code, _, err = ftree("fit", file)
    assert code == 2 and "there are no rows" in err and "header=" not in err


def test_dates_and_commas_of_two_readings_in_a_frame_are_warned_of_once():
    n = 400
    frame = pd.DataFrame(
        {
            "day": [f"2024-01-{1 + i % 28:02d}" for i in range(n)],
            "price": [f"{1 + i % 9},{100 + i % 40}" for i in range(n)],
            "y": ["p", "q"] * (n // 2),
        }
    )
    with pytest.warns(UserWarning) as caught:
        fasttree.fit(frame, "y", max_depth=1, columns="as_given")
    said = [str(one.message) for one in caught]
    assert len(said) == 2
    assert "dates as text: 'day'" in said[0] and "leave the column out" in said[0]
    assert "column 'price': numbers with a comma (" in said[1] and "decimal=','" in said[1]


def test_a_plink_raw_file_is_recognised(ftree, tmp_path):
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"FID": [f"f{i}" for i in range(40)], "IID": [f"i{i}" for i in range(40)]})
    frame[["PAT", "MAT", "SEX"]] = 0
    frame["PHENOTYPE"] = rng.integers(1, 3, 40)
    for j in range(3):
        frame[f"rs{j}_A"] = rng.integers(0, 3, 40)
    file = tmp_path / "study.raw"
    frame.to_csv(file, sep=" ", index=False)
    code, out, _ = ftree("rank", file)
    assert code == 0 and "40 samples, 3 variants" in out and "rs0" in out
    file = file.rename(tmp_path / "study.txt")  # a table like any other, by its name
    _, _, err = ftree("rank", file)
    assert "-t PHENOTYPE --drop FID,IID,PAT,MAT --nominal all" in err


def test_cv_and_compare_carry_the_majority(ftree):
    assert "Always answering 'setosa': 33.33 %." in ftree("cv", "iris", "--cv", "1x3")[1]
    words = ("compare", "iris", "wine", "-c", "gini,mdl", "--cv", "1x3")
    assert ftree(*words)[1].splitlines()[4].endswith("33.33")
    out = ftree(*words, "--full")[1]
    assert "Majority class (%): iris 33.3, wine 39.9." in out


def test_a_criterion_that_does_not_apply_is_skipped_with_the_reason(ftree):
    arguments = ("compare", "tic-tac-toe", "-c", "gini,minimal_tree_size", "--cv", "1x3")
    code, _, err = ftree(*arguments)
    assert code == 2 and "minimal_tree_size" in err
    code, out, _ = ftree(*arguments, "--on-error", "skip")
    assert code == 0 and "minimal_tree_size does not apply: " in out


def test_criteria_are_listed_and_described(ftree):
    code, out, _ = ftree("criteria")
    assert code == 0 and all(name in out for name in ("gain_ratio", "relieff", "entropy"))
    code, out, _ = ftree("criteria", "entropy")
    assert out.startswith("info_gain (also ") and "score     " in out
    assert "did you mean 'hellinger'" in ftree("criteria", "helinger")[2]
    assert "gini" not in ftree("criteria", "--evidence", "neighbours")[1]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("show", "iris"), "there is no such model file; write one with ftree fit"),
        (("predict", "no.json", "iris"), "there is no such model file"),
        (("fit", "iris", "-m", "/no/x.json"), "--model /no/x.json: the folder /no does not exist"),
        (("fit", "iris", "--svg", "/no/x.svg"), "--svg"),
        (("rank", "iris", "--plot", "/no/x.png"), "--plot"),
        (("fit", "no-such-set"), "no-such-set"),
    ],
)
def test_errors_are_one_line_in_the_commands_words(ftree, arguments, words):
    code, _, err = ftree(*arguments)
    assert code == 2 and words in err
    assert err.count("\n") == 1 and "Errno" not in err and "drop=[" not in err


def test_predict_needs_no_drop_again(ftree, tmp_path):
    n = 70_000
    rng = np.random.default_rng(0)
    frame = pd.DataFrame({"key": [f"k{i}" for i in range(n)], "x": rng.normal(size=n).round(2)})
    frame["y"] = np.where(frame["x"] > 0, "a", "b")
    file, model = tmp_path / "d.csv", tmp_path / "m.json"
    frame.to_csv(file, index=False)
    code, _, err = ftree("fit", file, "--no-cv", "--columns", "as_given")
    assert code == 2 and "--drop key" in err and "drop=[" not in err
    code, _, err = ftree("fit", file, "--no-cv", "-m", model)
    assert code == 0 and "'key' (an identifier: more than 65,536 levels)" in err
    code, _, err = ftree("predict", model, file, "-o", tmp_path / "o.csv")
    assert code == 0 and "accuracy 100.00 %" in err
    code, out, _ = ftree("datasets", "describe", file)
    assert code == 0 and "key     an identifier: more than 65,536 levels" in out
    assert ftree("fit", file, "--drop", "key", "--no-cv", "-m", model)[0] == 0
    code, _, err = ftree("predict", model, file, "-o", tmp_path / "o.csv")
    assert code == 0 and "accuracy 100.00 %" in err


def test_describe_caps_its_lists(ftree, tmp_path):
    rng, n = np.random.default_rng(0), 240
    numbers = {f"c{i}": rng.normal(size=n).round(2) for i in range(70)}
    odd = {f"m{i}": np.where(rng.random(n) < 0.1, -999, rng.normal(size=n)) for i in range(50)}
    ids = {f"id{i}": np.arange(n) + 10_000 * i for i in range(50)}
    frame = pd.DataFrame({**numbers, **odd, **ids, "y": [f"k{i % 40}" for i in range(n)]})
    file, asked = tmp_path / "wide.csv", tmp_path / "wide.json"
    frame.to_csv(file, index=False)
    code, out, err = ftree("datasets", "describe", file, "--json", asked)
    document = json.loads(asked.read_text())
    assert code == 0 and len(document["columns"]) == 171 and len(document["treated"]) == 50
    for said in ("... 131 more columns (--json)", "... 10 more columns (--json)", "... 20 more"):
        assert said in out
    assert len(out.splitlines()) < 170
    (line,) = (line for line in err.splitlines() if "far from all others" in line)
    assert "others; if so" in line and len(line.partition("; if so")[0]) < 600


def test_fit_draws(ftree, tmp_path):
    svg, png = tmp_path / "t.svg", tmp_path / "t.png"
    assert ftree("fit", "iris", "--no-cv", "--svg", svg, "--png", png)[0] == 0
    assert svg.read_text().startswith("<svg") and png.read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_scripts(ftree, shell):
    code, out, _ = ftree("completion", shell)
    assert code == 0 and "ftree" in out
    assert ftree("completion", "tcsh")[0] == 2


def test_commands_and_options_complete_in_bash():
    environment = {
        **os.environ,
        "_FTREE_COMPLETE": "complete_bash",
        "COMP_WORDS": "ftree adv",
        "COMP_CWORD": "1",
    }
    code = "import sys; sys.argv = ['ftree']; from fasttree.cli import main; sys.exit(main())"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, env=environment, check=False
    )
    assert "advise" in done.stdout


def test_reproduce_names_its_papers_and_fails_when_nothing_was_compared(ftree, tmp_path):
    assert "chen2013" in ftree("reproduce", "--help")[1]
    code, out, _ = ftree("reproduce", "chen2013", "--data", tmp_path, "--datasets", "zoo")
    assert code == 1 and "Nothing to compare" in out


def examples():
    """Every line under an `Examples:` or `Start with:` of a help text."""
    from fasttree.cli.app import app

    found = re.findall(r"^ftree .*", app.info.epilog or "", flags=re.MULTILINE)
    for command in app.registered_commands:
        found += re.findall(r"^ftree .*", command.epilog or "", flags=re.MULTILINE)
    for group in app.registered_groups:
        for command in group.typer_instance.registered_commands:
            found += re.findall(r"^ftree .*", command.epilog or "", flags=re.MULTILINE)
    return list(dict.fromkeys(found))


@pytest.mark.parametrize("line", examples())
def test_examples_of_the_help_run(ftree, line, tmp_path, monkeypatch):
    """On files of the names that the examples use; reproductions only on one small set, advice
    from few folds."""
    monkeypatch.chdir(tmp_path)
    from fasttree import datasets
    from fasttree.model_selection import cross_validate

    frame = datasets.load_iris().to_frame().rename(columns={"class": "label"})
    frame.to_csv("data.csv", index=False)
    frame.drop(columns="label").to_csv("new.csv", index=False)
    customers = frame.drop(columns="label").rename_axis("customer").reset_index()
    customers.to_csv("customers.csv", index=False)
    prices = frame.drop(columns="label")
    prices.columns = ["rooms", "age", "price", "width"]
    prices.to_csv("prices.csv", index=False)
    patients = frame.rename(columns={"label": "outcome"})
    patients.insert(0, "hospital", [f"h{row % 9}" for row in range(len(frame))])
    patients.to_csv("patients.csv", index=False)
    sales = prices.rename(columns={"price": "demand"})
    sales.insert(0, "date", [f"2024-{1 + row // 20:02}-{1 + row % 20:02}" for row in range(150)])
    sales.to_csv("sales.csv", index=False)
    fasttree.fit(datasets.load_iris()).save("model.json")
    cross_validate(datasets.load_iris(), criterion="gini", cv="1x2", journal="run.journal")
    datasets.dump_plink(datasets.make_genotypes(100, 30), "study")
    for name in ("data", "a", "test"):
        columns = [*(f"@attribute x{j} numeric" for j in range(4)), "@attribute class {s,v,g}"]
        rows = [
            ",".join([*map(str, row[:4]), "svg"[k // 50]])
            for k, row in enumerate(frame.to_numpy().tolist())
        ]
        lines = ["@relation r", *columns, "@data", *rows]
        (tmp_path / f"{name}.arff").write_text("\n".join(lines) + "\n")
    frame.to_csv("b.csv", index=False)
    if "test.arff" in line:
        fasttree.fit(datasets.load("test.arff")).save("model.json")
    words = shlex.split(line.split(" >")[0])[1:]
    if words[0] == "reproduce" and words[1] != "list":
        words = ["reproduce", "chen2013", "--datasets", "balance-scale", "--quick"]
    if words == ["compare"]:
        words += ["iris", "wine", "--cv", "1x3"]
    if words[0] == "advise" and "--cv" not in words:
        words += ["--cv", "1x5"]
    code, out, err = ftree(*words)
    assert code == 0, err
    assert out


def test_the_first_help_lists_every_command_and_option_without_loading_them():
    from typer.main import get_command

    from fasttree.cli.app import app
    from fasttree.cli.front import HELP

    root = get_command(app)
    listed = re.findall(r"^  ([a-z]+) {2,}", HELP.split("Options:")[0], flags=re.MULTILINE)
    assert listed == list(root.commands)
    words = " ".join(HELP.replace("-\n" + " " * 23, "-").split())
    for command in root.commands.values():
        assert " ".join(command.help.split("\n\n")[0].split()) in words
    assert all(option in HELP for p in root.params for option in p.opts)
    assert root.epilog.split() == HELP[HELP.index("Start with:") :].split()
    seen = (
        "import sys, fasttree.cli as c; c.main(['--help']); print({'numpy', 'typer'} & "
        "set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True)
    assert done.stdout == f"{HELP}set()\n"


def test_the_version_is_the_engines_and_waits_for_no_numpy():
    from fasttree._engine import core_version

    seen = (
        "import sys, fasttree.cli as c; c.main(['--version']); print({'numpy', 'typer'} & "
        "set(sys.modules))"
    )
    done = subprocess.run([sys.executable, "-c", seen], capture_output=True, text=True, check=True)
    assert done.stdout == f"ftree {core_version()}\nset()\n"


def test_an_option_means_one_thing_in_every_command():
    """The same name takes the same kind of value wherever it stands."""
    from typer.main import get_command

    from fasttree.cli.app import app

    kinds: dict[str, set[str | None]] = {}
    waiting = list(get_command(app).commands.values())
    while waiting:
        command = waiting.pop()
        waiting += list(getattr(command, "commands", {}).values())
        for one in command.params:
            for name in one.opts if one.param_type_name == "option" else ():
                kinds.setdefault(name, set()).add(one.metavar)
    assert {"--out", "--json", "--pictures"} <= set(kinds)
    kinds.pop("--data")  # rows: of one file (show), or of a folder of data sets (reproduce)
    assert not {name: found for name, found in kinds.items() if len(found) > 1}


def test_show_writes_sql_of_a_dialect_and_draws_the_target(ftree, tmp_path):
    for name, model in (
        ("tree", fasttree.fit("iris")),
        ("forest", fasttree.FastForestClassifier(2)),
    ):
        model.fit(fasttree.datasets.load_iris()).save(tmp_path / name)
        for dialect in fasttree.exports.sql.DIALECTS:
            _, out, _ = ftree("show", tmp_path / name, "--form", "sql", "--dialect", dialect)
            assert out == model.to_sql(dialect=dialect) + "\n"
        code, _, err = ftree("show", tmp_path / name, "--form", "sql", "--dialect", "oracle")
        assert code == 2 and "--dialect 'oracle' is not known; use 'ansi', " in err
        code, _, err = ftree("show", tmp_path / name, "--dialect", "mysql")
        assert code == 2 and "--dialect is for --form sql" in err
    code, _, err = ftree("show", tmp_path / "forest", "--plot", tmp_path / "p.svg")
    assert code == 2 and "is a forest of 2 trees" in err
    for task in ("classification", "regression"):
        (tmp_path / "d.csv").write_text(
            "x,goal\n" + "".join(f"{i % 7},{i % 3}\n" for i in range(60))
        )
        picture = tmp_path / f"{task}.svg"
        assert ftree("fit", tmp_path / "d.csv", "--task", task, "--no-cv", "--png", picture)[0] == 0
        assert "<!-- goal: -->" in picture.read_text()


def test_pictures_have_title_words_decimals_and_font(ftree, tmp_path):
    look = ("--title", "Flowers & co", "--show", "node_ids,counts", "--fontsize", "25")
    svg, drawn, model = (tmp_path / name for name in ("t.svg", "p.svg", "m.json"))
    words = ("--no-cv", "-p", "max_depth=2", "--svg", svg, "--png", drawn, "-m", model)
    code, out, err = ftree("fit", "iris", *words, *look, "--decimals", "1")
    tree = fasttree.load(model)
    asked = {"title": "Flowers & co", "show": ["node_ids", "counts"], "fontsize": 25, "decimals": 1}
    assert code == 0 and svg.read_text() == tree.to_svg(**asked), err
    assert "petal length (cm) <= 2.5" not in out and "<= 2.45" in out  # by 2 % another number
    for text in ("Flowers &amp; co", "#0 petal length (cm)", "versicolor: 49, virginica: 5"):
        assert f"<!-- {text} -->" in drawn.read_text()
    assert (
        ftree("show", model, "--form", "svg", *look)[1].strip()
        == tree.to_svg(**{**asked, "decimals": 6}).strip()
    )
    assert "setosa: 50" in ftree("show", model, "--form", "dot", "--show", "counts")[1]
    assert ftree("show", model, "--plot", tmp_path / "q.svg", *look)[0] == 0
    for line, said in (
        (("show", model, "--show", "counts"), "--show is for pictures: --form svg"),
        (("show", model, "--form", "sql", "--title", "x"), "--title is for pictures"),
        (("show", model, "--form", "dot", "--fontsize", "9"), "--fontsize"),
        (("fit", "iris", "--title", "x"), "--title is for pictures: --svg FILE or --png FILE"),
        (("fit", "iris", "--svg", svg, "--show", "gain"), "--show 'gain' is not known"),
    ):
        code, _, err = ftree(*line)
        assert code == 2 and said in err, line


def test_names_that_are_missing_are_listed_in_the_line(ftree, tmp_path):
    (tmp_path / "d.csv").write_text("a,b,y\n" + "".join(f"{i},{-i},{i > 9}\n" for i in range(20)))
    assert ftree("fit", tmp_path / "d.csv", "--no-cv", "-m", tmp_path / "m")[0] == 0
    (tmp_path / "e.csv").write_text("c,d e\n1,2\n")
    code, _, err = ftree("predict", tmp_path / "m", tmp_path / "e.csv")
    assert code == 2 and "unseen at fit time: 'c', 'd e'. Feature" in err
    assert err.endswith("now missing: 'a'.\n") and " - " not in err
