"""The commands on a numeric target: ``--task regression``, by itself, and what is refused."""

from __future__ import annotations

import csv
import json

import numpy as np
import pytest
from sklearn.datasets import load_diabetes

pytest.importorskip("typer")

import fasttree

pytestmark = pytest.mark.usefixtures("quick_advice")

X, Y = load_diabetes(return_X_y=True)
X = X[:, :4].round(4)


def written(path, y):
    names = ["age", "sex", "bmi", "pressure", "y"]
    rows = [",".join(map(str, [*x, v])) for x, v in zip(X.tolist(), y, strict=True)]
    path.write_text("\n".join([",".join(names), *rows]) + "\n")
    return path


@pytest.fixture
def whole(tmp_path):
    """Whole numbers, which are classes without ``--task``."""
    return written(tmp_path / "whole.csv", Y.astype(int).tolist())


@pytest.fixture
def parts(tmp_path):
    """Numbers with fractions, the first one missing."""
    return written(tmp_path / "parts.csv", ["?", *(Y[1:] / 8).tolist()])


def answer(ftree, *arguments):
    """The JSON of a command."""
    code, out, err = ftree(*arguments, "--json", "-")
    assert code == 0, err
    return json.loads(out)


def test_fit_says_once_what_it_takes_whole_numbers_for(ftree, whole):
    code, _, err = ftree("fit", whole, "-p", "max_depth=2")
    assert code == 0 and err.count("is a number") == 1
    assert "has 214 different whole numbers, so it is a number; as classes: --task class" in err
    for task in ("regression", "classification"):
        code, _, err = ftree("fit", whole, "--task", task, "-p", "max_depth=2")
        assert code == 0 and "is a number" not in err


def test_a_sweep_takes_a_number_in_bins(ftree, whole):
    words = ["sweep", whole, "--alpha", "1", "--cv", "1x2", "--metric", "rmse"]
    found = answer(ftree, *words, "--task", "regression", "-p", "target_bins=3")
    assert found["best"]["rmse"] < 2 * Y.std()
    code, _, err = ftree(*words, "--task", "regression")
    assert code == 2 and "or target_bins, which makes classes of the numbers" in err
    assert ftree(*words[:-2], "--task", "classification", "-p", "max_depth=1")[0] == 0


def test_fit_says_the_error_and_that_of_the_mean(ftree, whole, tmp_path):
    model = tmp_path / "m.json"
    words = ("fit", whole, "--task", "regression", "-p", "max_leaf_nodes=6")
    found = answer(ftree, *words, "-m", model)
    tree = fasttree.FastTreeRegressor(max_leaf_nodes=6).fit(X, Y)
    assert found["task"] == "regression" and found["leaves"] == 6
    assert found["training_r2"] == pytest.approx(tree.score(X, Y))
    assert found["mean"] == pytest.approx(Y.mean())
    assert found["mae_of_mean"] == pytest.approx(np.abs(Y - Y.mean()).mean())
    result = fasttree.model_selection.cross_validate(
        X, Y, estimators={"tree": fasttree.FastTreeRegressor(max_leaf_nodes=6)}, cv="1x10"
    )
    for metric in ("r2", "rmse", "mae"):
        assert found[metric] == pytest.approx(result.mean("tree", metric), rel=1e-9)
    assert fasttree.load_model(model).predict(X).tolist() == tree.predict(X).tolist()
    code, out, _ = ftree(*words)
    assert code == 0 and f"R2 {found['r2']:.3f}, MAE {found['mae']:.4g} (1x10" in out
    assert "always saying the mean, 152.1: MAE 65.76" in out


def test_a_large_tree_is_told_to_be_pruned(ftree, whole):
    code, out, err = ftree("fit", whole, "--task", "regression")
    assert code == 0 and "-p pruning=reduced_error" in err
    assert "A pruned tree is as good within one standard error" in out
    assert "R2 " in out and "add `-p pruning=reduced_error`" in out


def test_a_quantile_is_judged_by_its_own_loss(ftree, whole):
    high = ("--task", "regression", "-c", "quantile(q=0.9)", "-p", "max_leaf_nodes=4")
    code, out, _ = ftree("fit", whole, *high)
    assert code == 0 and "ftree cv --metric 'pinball(quantile=0.9)' does." in out
    code, out, _ = ftree("fit", whole, "--task", "regression", "-c", "quantile(q=0.5)", "--no-cv")
    assert code == 0 and "pinball" not in out
    tree = fasttree.FastTreeRegressor(criterion=fasttree.criteria.Quantile(q=0.9), max_leaf_nodes=4)
    loss = fasttree.metrics.Scorer("pinball", quantile=0.9)
    expected = fasttree.model_selection.cross_validate(
        X, Y, estimators={"tree": tree}, cv="1x4", scoring=[loss]
    )
    folds = ("--cv", "1x4", "--metric", "pinball(quantile=0.9)")
    found = answer(ftree, "cv", whole, *high, *folds)["folds"]
    name = "mean_pinball_loss, quantile=0.9"
    assert found["quantile(q=0.9)"][name] == pytest.approx(expected["tree"][name].tolist())
    # Its own loss prefers the tree of the quantile to one of means.
    code, out, _ = ftree("compare", whole, *high, "-c", "squared_error", *folds)
    row = next(line.split() for line in out.splitlines() if line.startswith("whole"))
    assert code == 0 and name in out and float(row[1].rstrip("!")) < float(row[2])


def test_noise_is_told_to_be_noise(ftree, tmp_path):
    noise = np.random.default_rng(0).normal(size=442).round(3)
    code, out, _ = ftree("fit", written(tmp_path / "noise.csv", noise.tolist()))
    assert code == 0 and "pruning=" not in out
    assert "Neither this tree nor a pruned one does better than always saying the mean." in out


def test_the_target_the_criterion_and_parameters_say_the_task(ftree, whole, parts):
    code, out, err = ftree("fit", parts, "--no-cv")
    assert code == 0 and "target 'y', a number" in out
    assert "1 of 442 rows has no number and is left out, first line 2" in err
    for task in ("regression", "classification"):
        assert answer(ftree, "fit", whole, "--no-cv", "--task", task)["task"] == task
    for more in (["-c", "absolute_error"], ["-p", "target_bins=4", "-c", "gini"]):
        assert answer(ftree, "fit", whole, "--no-cv", *more)["task"] == "regression"
    for arguments, said in (
        (["fit", parts, "-c", "gini"], "(--task regression)"),
        (["fit", parts, "--task", "classification"], "(--task regression)"),
        (["fit", whole, "--task", "number"], "--task 'number' is not known"),
        (["sweep", parts], "Unknown label type: continuous"),
        (
            ["fit", whole, "--task", "regression", "-p", "leaf_smoothing=laplace"],
            "not a parameter of FastTreeRegressor",
        ),
    ):
        code, _, err = ftree(*arguments)
        assert code == 2 and said in err, err


def test_predict_writes_numbers_and_their_error(ftree, whole, parts, tmp_path):
    model, out = tmp_path / "m.json", tmp_path / "answers.csv"
    assert ftree("fit", parts, "--no-cv", "-m", model, "-p", "max_depth=3")[0] == 0
    code, _, err = ftree("predict", model, parts, "-o", out, "--task", "regression")
    tree = fasttree.FastTreeRegressor(max_depth=3).fit(X[1:], Y[1:] / 8)
    rows = list(csv.DictReader(out.open()))
    assert code == 0 and [float(row["prediction"]) for row in rows] == tree.predict(X).tolist()
    off = np.abs(tree.predict(X[1:]) - Y[1:] / 8).mean()
    score = tree.score(X[1:], Y[1:] / 8)
    assert f"mean absolute error {off:.4g}, R2 {score:.3f} of 441 rows whose number" in err
    found = answer(ftree, "predict", model, parts)
    assert found["mae"] == pytest.approx(off) and found["r2"] == pytest.approx(score)
    assert found["predictions"] == tree.predict(X).tolist() and found["classes"] == []
    bare = tmp_path / "new.csv"
    bare.write_text("age,sex,bmi,pressure\n" + ",".join(map(str, X[0].tolist())) + "\n")
    found = answer(ftree, "predict", model, bare)
    assert found["predictions"] == tree.predict(X[:1]).tolist()
    assert found["mae"] is None and found["r2"] is None
    for arguments, said in (
        (["predict", model, parts, "--proba"], "--proba: "),
        (["predict", model, parts, "--task", "classification"], "holds a FastTreeRegressor"),
        (["show", model, "--task", "classification"], "of regression"),
    ):
        code, _, err = ftree(*arguments)
        assert code == 2 and said in err, err


def test_show_prints_a_saved_tree_or_forest(ftree, parts, tmp_path):
    model, forest = tmp_path / "m.json", tmp_path / "f.json"
    assert ftree("fit", parts, "--no-cv", "-m", model, "-p", "max_depth=2")[0] == 0
    code, out, _ = ftree("show", model, "--task", "regression")
    assert code == 0 and "squared_error: 4 leaves, 7 nodes, depth 2" in out
    found = answer(ftree, "show", model)
    assert found["task"] == "regression" and found["classes"] == [] and found["leaves"] == 4
    fasttree.FastForestRegressor(3, random_state=0).fit(X, Y).save(forest)
    found = answer(ftree, "show", forest)
    assert found["task"] == "regression" and found["trees"] == 3


def test_rank_scores_by_criteria_on_numbers(ftree, parts, whole):
    found = answer(ftree, "rank", parts)
    assert {row["criterion"] for row in found["rows"]} == {
        "squared_error",
        "absolute_error",
        "standard_deviation",
    }
    scores = {r["feature"]: r["score"] for r in found["rows"] if r["criterion"] == "squared_error"}
    expected = fasttree.score_features(X[1:], Y[1:] / 8, criterion="squared_error")
    assert [scores[n] for n in ("age", "sex", "bmi", "pressure")] == expected.tolist()
    assert found["rows"][0]["feature"] == "bmi"
    named = answer(ftree, "rank", whole, "-c", "poisson", "--top", "1")
    assert named["rows"][0]["feature"] == "bmi"
    assert answer(ftree, "rank", whole, "--task", "regression")["data"].endswith("a number")


def test_cv_and_compare_measure_numbers(ftree, parts, whole):
    words = ("-c", "squared_error,absolute_error", "--cv", "1x3", "-p", "max_depth=2")
    found = answer(ftree, "cv", parts, *words)
    table = fasttree.datasets.load(parts).drop_missing_target()
    result = fasttree.model_selection.cross_validate(
        table, criterion=["squared_error", "absolute_error"], cv="1x3", max_depth=2
    )
    assert found["mean"] == pytest.approx(Y[1:].mean() / 8)
    text = json.dumps(found)
    for metric in ("r2", "rmse", "mae"):
        value = result.mean("squared_error", metric)
        assert any(f"{value:.{digits}}"[:8] in text for digits in (8, 10, 12)), metric
    code, out, _ = ftree("cv", whole, "--task", "regression", "--cv", "1x2", "-p", "max_depth=2")
    assert code == 0 and "poisson" in out and "Always saying the mean, 152.1: MAE 65.76." in out
    found = answer(ftree, "compare", parts, whole, "--task", "regression", *words)
    assert set(found["mae_of_mean"]) == {"parts", "whole"}
    code, _, err = ftree("compare", parts, "iris", *words[2:])
    assert code == 2 and "target of 'parts' is a number and that of 'iris' is classes" in err
    code, _, err = ftree("compare", "--task", "regression")
    assert code == 2 and "is not a number: a regression predicts numbers" in err


def test_describe_shows_the_numbers_of_the_target(ftree, parts):
    found = answer(ftree, "datasets", "describe", parts)
    assert found["task"] == "regression" and found["classes"] == {}
    known = Y[1:] / 8
    assert found["numbers"]["median"] == pytest.approx(np.median(known))
    assert found["numbers"]["greatest"] == known.max()
    code, out, _ = ftree("datasets", "describe", parts)
    assert code == 0 and "Target 'y', a number" in out and "upper quartile" in out


def test_criteria_say_which_are_on_numbers(ftree):
    found = answer(ftree, "criteria", "--evidence", "moments")
    on_numbers = {row["name"] for row in found["rows"]}
    assert {"squared_error", "poisson", "standard_deviation"} <= on_numbers
    code, out, _ = ftree("criteria")
    lines = {line.split()[0]: line for line in out.splitlines() if line.strip()}
    assert code == 0 and " number " in lines["absolute_error"] and " classes " in lines["gini"]
    out = ftree("criteria", "poisson")[1]
    assert "target    number" in out and "ftree fit DATA -c poisson --task regression" in out
    for command in ("fit", "cv", "compare", "rank", "advise", "predict", "show"):
        assert "--task" in ftree(command, "--help")[1]
    assert "absolute_error" in ftree("cv", "--help")[1]


@pytest.mark.parametrize(
    ("cell", "said"),
    [
        ("inf", "line 9, column 'y': 'inf' is infinity or too large"),
        ("-inf", "line 9, column 'y': '-inf' is infinity or too large"),
        ("much", "column 'y': line 9 of the target 'y' is 'much', which is not a number"),
        ("1e300", "column 'y': line 9 of the target 'y' is 1e+300, and squares of it leave"),
        ("-5", "target 'y', row 7 is -5: criterion='poisson' takes counts and rates"),
    ],
)
def test_targets_that_are_none_name_their_row(ftree, tmp_path, cell, said):
    data = written(tmp_path / "rows.csv", [*Y[:7].astype(int), cell, *Y[8:].astype(int)])
    model = tmp_path / "m.json"
    words = ("--task", "regression", "-c", "poisson")
    code, _, err = ftree("fit", data, *words)
    assert code == 2 and said in err, err
    good = written(tmp_path / "good.csv", Y.tolist())
    assert ftree("fit", good, *words, "--no-cv", "-p", "max_depth=2", "-m", model)[0] == 0
    code, _, err = ftree("predict", model, data)
    # A negative number can be predicted, if not well.
    said = said.replace("line 9 of", "data row 7 (counted from 0) of")
    assert (code, said in err) == ((0, False) if cell == "-5" else (2, True)), err


def test_r2_of_equal_numbers_has_no_meaning(ftree, whole, tmp_path):
    data = written(tmp_path / "rows.csv", [2.5] * 442)
    code, out, err = ftree("fit", data)
    assert code == 0 and "the target is 2.5 in all 442 rows, so the tree is one leaf, and R2" in err
    assert (
        "squared_error: 1 leaf, 1 node, depth 0; all numbers are equal: R2 has no meaning; always"
        in out
    )
    for task in ("regression", "classification"):
        code, out, _ = ftree("fit", whole, "--task", task, "--no-cv", "-m", tmp_path / task)
        assert code == 0 and "not cross-validated" in out and "R2" not in out
    model = tmp_path / "regression"
    code, _, err = ftree("predict", model, data)
    assert code == 0 and "R2" not in err and "of 442 rows whose number is known" in err


def test_exposure_is_an_option_of_every_command_that_fits(ftree, tmp_path):
    rng = np.random.default_rng(0)
    path = tmp_path / "claims.csv"
    with path.open("w", encoding="utf-8") as file:
        file.write("age,months,claims\n")
        for age, months in zip(rng.integers(18, 80, 150), rng.uniform(1, 24, 150), strict=True):
            file.write(f"{age},{months:.1f},{rng.poisson(months * (0.3 if age < 40 else 0.05))}\n")
    grown = [path, "-t", "claims", "-c", "poisson", "-p", "max_depth=1", "--exposure", "months"]
    fitted = json.loads(ftree("fit", *grown, "--json", "-")[1])
    frame = fasttree.Table.from_any(fasttree.datasets.load(path, "claims", task="regression"))
    tree = fasttree.fit(frame, criterion="poisson", max_depth=1, exposure="months")
    assert fitted["tree"] == tree.to_text()
    validated = json.loads(ftree("cv", *grown, "--json", "-")[1])
    compared = json.loads(ftree("compare", *grown, "--json", "-")[1])
    assert "poisson" in json.dumps(validated) and "poisson" in json.dumps(compared)
    advised = ftree("advise", path, "-t", "claims", "--exposure", "months", "--work", "quick")
    assert "--exposure months -c poisson" in advised[1]
    for wrong, said in (("month", "did you mean 'months'?"), ("claims", "is the target")):
        code, _, error = ftree(*["fit", *grown[:-1], wrong])
        assert code != 0 and said in error


OF_THE_SEARCH = {
    "max_depth": "2",
    "max_leaf_nodes": "3",
    "max_nodes": "5",
    "min_samples_leaf": "2",
    "leaf_penalty": "0.01",
    "nominal_splits": "subset",
    "cost_matrix": "[[0, 1, 1], [1, 0, 1], [1, 1, 0]]",
    "ties": "any",
    "time_limit": "2",
    "node_budget": "100000",
    "memory_limit": "100000000",
    "lookahead": "1",
    "n_jobs": "1",
    "criterion": "error",
    "categorical_features": "from_dtype",
    "columns": "auto",
    "progress": "None",
    "on_interrupt": "return",
    "loss": "None",
}


@pytest.mark.parametrize("name", sorted(fasttree.OptimalTreeClassifier._get_param_names()))
def test_optimal_takes_every_parameter_of_the_search(ftree, name):
    depth = [] if name == "max_depth" else ["-p", "max_depth=2"]
    code, out, error = ftree(
        "fit", "iris", "--optimal", *depth, "-p", f"{name}={OF_THE_SEARCH[name]}"
    )
    assert (code, error) == (0, "") and "petal" in out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["-p", "class_weight=balanced"], "class_weight: not one here, only of trees that grow"),
        (["-p", "leaf_penalti=0.1"], "did you mean 'leaf_penalty'?"),
        (["--preset", "CART"], "presets are parameters of trees that grow"),
    ],
)
def test_optimal_refuses_parameters_of_growth(ftree, arguments, said):
    code, _, error = ftree("fit", "iris", "--optimal", *arguments)
    assert code != 0 and said in error
