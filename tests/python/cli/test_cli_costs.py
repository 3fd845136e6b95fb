"""Rare classes and costs of errors in the shell: what `predict` says beside the accuracy, metrics
with costs, and what a cost matrix means."""

# ruff: noqa: E402
from __future__ import annotations

import json
import re

import numpy as np
import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")
pd = pytest.importorskip("pandas")
from sklearn import metrics

import fasttree

pytestmark = pytest.mark.usefixtures("quick_advice")

MATRIX = "[[0, 1], [10, 0]]"
MEANS = "a 'yes' called 'no' costs 10, a 'no' called 'yes' 1"


@pytest.fixture
def claims(tmp_path):
    """Claims of which few are frauds."""
    rng = np.random.default_rng(3)
    n = 600
    a, b = rng.normal(size=n).round(2), rng.normal(size=n).round(2)
    fraud = np.where(a + b + rng.normal(size=n) / 2 > 2.6, "yes", "no")
    path = tmp_path / "claims.csv"
    pd.DataFrame({"a": a, "b": b, "fraud": fraud}).to_csv(path, index=False)
    assert 0.02 < (fraud == "yes").mean() < 0.09
    return path


def test_predict_says_what_the_accuracy_is_to_be_read_with(ftree, claims, tmp_path):
    model, out = tmp_path / "m.json", tmp_path / "p.json"
    words = ("-p", f"cost_matrix={MATRIX}", "-p", "max_depth=2", "-p", "pruning=none")
    assert ftree("fit", claims, "--no-cv", *words, "-m", model)[0] == 0
    code, _, err = ftree("predict", model, claims, "--json", out)
    assert code == 0, err
    found, frame = json.loads(out.read_text()), pd.read_csv(claims)
    truth, said = frame["fraud"], found["predictions"]
    share = (truth == "yes").mean()
    recall = metrics.recall_score(truth, said, pos_label="yes")
    precision = metrics.precision_score(truth, said, pos_label="yes")
    wrong = metrics.confusion_matrix(truth, said)
    cost = (wrong[0, 1] + 10 * wrong[1, 0]) / len(frame)
    assert (found["recall"], found["precision"]) == pytest.approx((recall, precision))
    assert (found["majority_class"], found["majority"]) == ("no", pytest.approx(1 - share))
    assert (found["rare_class"], found["mean_cost"]) == ("yes", pytest.approx(cost))
    assert f"always answering 'no': {100 * (1 - share):.2f} %" in err
    assert f"Only {100 * share:.1f} % of the rows are 'yes': {100 * recall:.1f} %" in err
    assert f"Mean cost of a prediction: {cost:.4g} ({MEANS})." in err
    # `evaluate` shares it.
    whole = fasttree.load(model).evaluate(str(claims))
    assert whole.mean_cost == pytest.approx(cost) and MEANS in str(whole)
    assert whole.to_dict()["recall"] == pytest.approx(recall)


def test_predict_of_classes_that_the_model_does_not_know(ftree, claims, tmp_path):
    model, other = tmp_path / "m.json", tmp_path / "o.csv"
    assert ftree("fit", claims, "--no-cv", "-p", f"cost_matrix={MATRIX}", "-m", model)[0] == 0
    frame = pd.read_csv(claims)
    frame.loc[:2, "fraud"] = "{may} be"
    frame.to_csv(other, index=False)
    code, _, err = ftree("predict", model, other, "-o", tmp_path / "p.csv")
    assert code == 0 and "'{may} be'" in err and "Mean cost" not in err


def test_metrics_with_options_are_those_of_advise(ftree, claims, tmp_path):
    typed = f"expected_cost(cost_matrix={MATRIX})"
    found = {}
    for command in ("cv", "compare"):
        out = tmp_path / f"{command}.json"
        words = (command, claims, "-c", "gini,mdl", "--cv", "1x3", "--json", out)
        code, text, err = ftree(*words, "-s", typed)
        assert code == 0, err
        assert f"Costs: {MEANS}." in text
        found[command] = json.loads(out.read_text())
    means = {r["method"]: r["mean"] for r in found["cv"]["rows"] if "expected_cost" in r["metric"]}
    scorer = fasttree.metrics.Scorer("expected_cost", cost_matrix=[[0, 1], [10, 0]])
    table = fasttree.datasets.load(claims)
    expected = fasttree.model_selection.cross_validate(
        table, ["gini", "mdl"], cv="1x3", scoring={"cost": scorer}, random_state=0
    )
    assert means == pytest.approx({n: expected.mean(n, "cost") for n in ("gini", "mdl")})
    # The costs of the trees judge where the metric has none.
    code, text, err = ftree(
        "cv", claims, "-c", "gini", "--cv", "1x3", "-s", "expected_cost", "-p",
        f"cost_matrix={MATRIX}",
    )  # fmt: skip
    assert code == 0 and f"Costs: {MEANS}." in text and "expected_cost" in text
    for command in ("cv", "compare", "sweep", "advise"):
        code, _, err = ftree(command, claims, "-s", "expected_cost")
        assert code == 2 and "--metric expected_cost needs costs" in err and "columns: pred" in err
    code, text, _ = ftree(
        "sweep", "weather", "--alpha", "1", "--cv", "1x2", "-s",
        "expected_cost(cost_matrix=[[0, 1], [3, 0]])",
    )  # fmt: skip
    assert code == 0 and "called" in text
    code, text, _ = ftree("fit", claims, "--no-cv", "-p", f"cost_matrix={MATRIX}")
    assert code == 0 and f"Costs: {MEANS}." in text


def test_fit_names_what_to_compare_by_where_a_class_is_rare(ftree, claims):
    code, out, _ = ftree("fit", claims, "--no-cv")
    share = (pd.read_csv(claims)["fraud"] == "yes").mean()
    assert code == 0 and f"Only {100 * share:.1f} % of the rows are 'yes'" in out
    proposed = f"`--metric f_beta` or `--metric 'expected_cost(cost_matrix={MATRIX})'`"
    assert f"ftree advise or ftree cv {proposed}" in out
    assert "Only" not in ftree("fit", claims, "--no-cv", "-p", f"cost_matrix={MATRIX}")[1]
    assert "Only" not in ftree("fit", "iris", "--no-cv")[1]
    for metric in ("f_beta", f"expected_cost(cost_matrix={MATRIX})"):
        assert ftree("cv", claims, "-c", "gini", "--cv", "1x2", "--metric", metric)[0] == 0


def test_rank_cautions_against_columns_of_many_levels(ftree, tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "places.csv"
    columns = {
        "post code": [f"p{v}" for v in rng.integers(0, 900, 2000)],
        "size": rng.choice(["s", "m", "l"], 2000),
        "y": rng.choice(["a", "b"], 2000),
    }
    frame = pd.DataFrame(columns)
    frame.to_csv(path, index=False)
    levels = frame["post code"].nunique()
    code, out, err = ftree("rank", path, "-t", "y", "-c", "info_gain")
    assert code == 0, err
    out = " ".join(out.split())
    assert f"Caution: fewer than five rows a level: post code ({levels} levels)." in out
    assert "leave out: `--drop 'post code'`." in out
    found = json.loads(ftree("rank", path, "-t", "y", "--json", "-")[1])
    assert found["few_rows_a_level"] == ["post code"]
    assert "Caution" not in ftree("rank", path, "-t", "y", "--drop", "post code")[1]


def test_rank_is_silent_of_the_levels_of_a_date(ftree, tmp_path):
    days = pd.date_range("2019-01-01", periods=120).strftime("%Y-%m-%d")
    frame = pd.DataFrame({"day": days, "town": [f"t{i % 60}" for i in range(120)],
                          "y": ["p", "q"] * 60})  # fmt: skip
    frame.to_csv(tmp_path / "days.csv", index=False)
    _, out, _ = ftree("rank", tmp_path / "days.csv", "-t", "y", "--test", "quadratic")
    assert "day" in out and "rows a level: town (60 levels)." in out
    _, out, _ = ftree("rank", tmp_path / "days.csv", "-t", "y", "--columns", "as_given")
    assert "day (120 levels)" in out and "town (60 levels)" in out


def test_classes_of_few_rows_are_named(ftree, tmp_path):
    y = ["p", "q", "r"] * 30 + ["one"] + ["four"] * 4
    frame = pd.DataFrame({"x": np.arange(95) % 17, "z": np.arange(95) % 5, "y": y})
    frame.to_csv(tmp_path / "few.csv", index=False)
    said = "Classes with fewer than five rows: 'four' (4 rows), 'one' (1 row); a tree cannot learn"
    _, out, _ = ftree("fit", tmp_path / "few.csv", "-t", "y")
    assert said in out and "Only" not in out
    _, out, _ = ftree("advise", tmp_path / "few.csv", "-t", "y", "--work", "quick")
    assert said in out


def test_a_tree_that_held_rows_out_says_so(ftree):
    _, out, _ = ftree("fit", "breast-cancer", "-p", "pruning=reduced_error", "--no-cv")
    rows, held = (int(re.search(p, out)[1].replace(",", ""))
                  for p in (r": ([\d,]+) rows", r"held out ([\d,]+) rows"))  # fmt: skip
    assert 0.2 * rows < held < 0.5 * rows
    for other in ("error_based", "none"):
        assert "held out" not in ftree("fit", "iris", "-p", f"pruning={other}", "--no-cv")[1]


def test_a_picture_comes_without_the_text_of_the_tree(ftree, tmp_path):
    model = tmp_path / "m.json"
    ftree("fit", "iris", "--no-cv", "-m", model)
    _, out, _ = ftree("show", model, "--plot", tmp_path / "p.svg")
    assert "petal" not in out and f"Drawn as {tmp_path / 'p.svg'}" in out
    _, out, _ = ftree("show", model, "--plot", tmp_path / "p.svg", "--form", "rules")
    assert "if petal" in out


def test_predictions_are_written_without_rounding_noise(ftree, tmp_path):
    y = np.repeat([44.148, 0.1, 7.03], 20) + np.tile([0.1, -0.1], 30)
    pd.DataFrame({"x": np.arange(60), "y": y}).to_csv(tmp_path / "y.csv", index=False)
    ftree("fit", tmp_path / "y.csv", "-t", "y", "--no-cv", "-p", "max_leaf_nodes=3", "-m",
          tmp_path / "m.json")  # fmt: skip
    _, out, _ = ftree("predict", tmp_path / "m.json", tmp_path / "y.csv")
    written = [line.split(",")[1] for line in out.splitlines()[1:]]
    exact = fasttree.load(tmp_path / "m.json").predict(np.arange(60.0)[:, None])
    assert max(map(len, written)) <= 6
    np.testing.assert_allclose([*map(float, written)], exact, rtol=1e-14)
