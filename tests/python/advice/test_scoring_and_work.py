"""`advise` by any metric, with costs, a rare class, groups, rows in the order of time, and a budget
of work."""

from __future__ import annotations

import json

import numpy as np
import pytest

import fasttree
from fasttree.advice.candidates import WORK, candidates, work_of
from fasttree.advice.evidence import is_associated
from fasttree.advice.selection import beats, choose, small_choice
from fasttree.cli import main
from fasttree.metrics import Scorer
from fasttree.model_selection import cross_validate

pd = pytest.importorskip("pandas")
metrics = pytest.importorskip("sklearn.metrics")
pytestmark = pytest.mark.usefixtures("quick_advice")

FAST = {"progress": False, "cv": "1x5", "work": "quick"}


def frauds(n=500, seed=0):
    """One row in 16 is of the class "bad", which comes first in the order of the classes."""
    random = np.random.default_rng(seed)
    X = random.normal(size=(n, 3))
    bad = (X[:, 0] > 1.2) & (X[:, 1] > -0.5) ^ (random.random(n) < 0.01)
    return pd.DataFrame(X, columns=list("abc")).assign(y=np.where(bad, "bad", "good"))


def row_of(advice, name):
    (found,) = [row for row in advice.table if row["candidate"] == name]
    return found


@pytest.mark.parametrize(
    "scoring",
    ["auc", "log_loss", "balanced_accuracy", "neg_log_loss", Scorer("f_beta", positive="bad")],
    ids=str,
)
def test_candidates_are_compared_by_the_metric(scoring):
    """The values are those of `cross_validate`, in the metric's own orientation."""
    advice = fasttree.advise(frauds(), "y", scoring=scoring, **FAST)
    table = fasttree.Table(frauds(), target="y")
    chosen = advice.table[0]["candidate"]
    shared = {} if advice.metric in ("f_beta", "balanced_accuracy") else "laplace"
    plan = {c.name: c for c in candidates(table, {"leaf_smoothing": shared} if shared else {})}
    for name in (chosen, "gini with at most 8 leaves"):
        tree = fasttree.FastTreeClassifier(**plan[name].params, random_state=0)
        again = cross_validate(table, estimators={name: tree}, cv="1x5", scoring=scoring)
        assert row_of(advice, name)[advice.metric] == pytest.approx(
            again.mean(name, again.metrics[0]), rel=1e-12
        )
    best = [row[advice.metric] for row in advice.table]
    best = min(best) if advice.metric == "log_loss" else max(best)
    assert abs(advice.table[0][advice.metric] - best) <= advice.table[0]["standard_error"] * 3
    assert advice.metric in advice.sentence
    space: dict = {"frame": frauds()}
    exec(advice.code, space)
    assert space["model"].to_text() == advice.model.to_text()


def test_a_rare_class_is_named_with_its_recall_and_precision():
    frame = frauds()
    advice = fasttree.advise(frame, "y", **FAST)
    share = (frame["y"] == "bad").mean()
    assert (advice.rare_class, advice.rare_share) == ("bad", pytest.approx(share))
    assert f"Only {100 * share:.1f} % of the rows are 'bad'" in advice.sentence
    assert "scoring=fasttree.metrics.Scorer('f_beta', positive='bad')" in advice.sentence
    # scikit-learn's measures of the out-of-fold predictions of the recommended tree
    name, table = advice.table[0]["candidate"], fasttree.Table(frame, target="y")
    tree = fasttree.FastTreeClassifier(**advice.params, random_state=0)
    result = cross_validate(table, estimators={name: tree}, cv="1x5")
    truth = np.asarray(table.y)[result.folds.test_rows]
    said = np.asarray(table.classes)[result[name].predictions]
    recall = metrics.recall_score(truth, said, pos_label="bad")
    precision = metrics.precision_score(truth, said, pos_label="bad")
    assert advice.table[0]["recall"] == pytest.approx(recall)
    assert advice.table[0]["precision"] == pytest.approx(precision)
    assert f"{100 * recall:.1f} % of these are found (recall)" in advice.sentence
    assert "recall of bad (%)" in str(advice.table) and "recall of bad (%)" in advice.to_html()
    # By the metric that is proposed the accuracy stands beside, and nothing is proposed.
    again = fasttree.advise(frame, "y", scoring=Scorer("f_beta", positive="bad"), **FAST)
    assert "accuracy (%)" in str(again.table) and "--metric" not in again.sentence
    assert again.accuracy == again.table[0]["accuracy"]
    even = frame.assign(y=np.where(frame["a"] > 0, "p", "q"))
    assert fasttree.advise(even, "y", **FAST).rare_class is None


def test_a_metric_has_no_price_beside_its_standard_error():
    advice = fasttree.advise(frauds(), "y", scoring=Scorer("f_beta", positive="bad"), **FAST)
    rows = [row for row in advice.table if np.isfinite(row["f_beta"])]
    best = max(rows, key=lambda row: row["f_beta"])
    assert best["standard_error"] > 0.01
    near = [r for r in rows if r["f_beta"] >= best["f_beta"] - best["standard_error"] - 1e-9]
    assert advice.table[0]["leaves"] == min(row["leaves"] for row in near)
    assert "out-of-fold predictions and, unlike the value above, not corrected" in advice.sentence


def test_the_proposal_for_three_classes_works():
    frame = frauds()
    frame["y"] = np.where(frame["y"] == "bad", "bad", np.where(frame["c"] > 0, "good", "fair"))
    advice = fasttree.advise(frame, "y", **FAST)
    assert "scoring='balanced_accuracy'" in advice.sentence
    again = fasttree.advise(frame, "y", scoring="balanced_accuracy", **FAST)
    assert again.value > 0.8


def test_errors_that_cost_are_known_to_the_trees():
    frame = frauds()
    costs = [[0, 10], [1, 0]]
    advice = fasttree.advise(
        frame, "y", scoring=Scorer("expected_cost", cost_matrix=costs), prefer="accurate", **FAST
    )
    assert advice.params["cost_matrix"] == costs
    assert {row["pruning"] for row in advice.table} <= {
        None, "none", "reduced_error", "m_estimate", "cost_complexity",
    }  # fmt: skip
    plain = fasttree.advise(frame, "y", prefer="accurate", **FAST)
    said = {name: one.model.predict(frame[list("abc")]) for name, one in
            (("costs", advice), ("plain", plain))}  # fmt: skip
    assert (said["costs"] == "bad").sum() > (said["plain"] == "bad").sum()
    values = [row["expected_cost"] for row in advice.table]
    assert advice.table[0]["expected_cost"] == min(values)


def test_a_metric_of_numbers_makes_the_target_a_number():
    random = np.random.default_rng(1)
    frame = pd.DataFrame({"a": random.normal(size=200)})
    frame["y"] = (4 * (frame["a"] > 0) + random.integers(0, 2, 200)).astype(int)
    advice = fasttree.advise(frame, "y", scoring="r2", **FAST)
    assert advice.task == "regression" and advice.value > 0.8 and advice.accuracy is None
    with pytest.raises(ValueError, match="'r2' is a metric of regression"):
        fasttree.advise(frame, "y", scoring="r2", task="classification", **FAST)
    with pytest.raises(ValueError, match="compared by one metric"):
        fasttree.advise(frame, "y", scoring=["auc", "accuracy"], **FAST)
    with pytest.raises(ValueError, match="unknown metric 'acuracy'"):
        fasttree.advise(frame, "y", scoring="acuracy", **FAST)


def test_the_default_metrics_by_name_are_the_default():
    advice = fasttree.advise("iris", **FAST)
    assert (
        fasttree.advise("iris", scoring="accuracy", **FAST).to_dict()["candidates"]
        == (advice.to_dict()["candidates"])
    )


def test_work_is_counted_and_what_is_too_much_is_named(whole_advice):
    table = fasttree.datasets.make_blobs(1500, n_features=6, random_state=0)
    quick = fasttree.advise(table, progress=False, work="quick", cv="4x10")
    plan = candidates(table)
    spent, names = 0.0, []
    for one in plan:
        needed = work_of(one, table, 40)
        if spent + needed <= WORK["quick"].units or one is plan[0]:
            spent += needed
        else:
            names.append(one.name)
    assert names and quick.not_tried == names
    assert all(name in quick.notes[-1] for name in names)
    assert quick.notes[-1].startswith("Too much for the work 'quick' (thorough allows more): ")
    again = fasttree.advise(table, progress=False, work="quick", cv="4x10", n_jobs=1)
    assert list(again.table) == list(quick.table)
    limited = fasttree.advise("iris", time_limit=60.0, **FAST)
    assert "The time limit of 60 s was not reached." in limited.notes
    with pytest.raises(ValueError, match="work='much' is not known"):
        fasttree.advise("iris", work="much")


def sites(seed=0):
    """Rows of 20 sites, each of one class, and columns that tell the site only."""
    random = np.random.default_rng(seed)
    site = np.repeat(np.arange(20), 12)
    middle = random.normal(size=20)[site]
    return pd.DataFrame(
        {
            "a": middle + 0.01 * random.normal(size=240),
            "b": random.normal(size=240),
            "site": [f"s{s}" for s in site],
            "y": np.where(random.permutation(np.arange(20) % 2)[site], "p", "q"),
        }
    )


def test_folds_keep_groups_together():
    frame = sites()
    apart = fasttree.advise(frame.drop(columns="site"), "y", **FAST)
    assert apart.accuracy > 0.9  # rows of a site are in the training rows, too
    by_name = fasttree.advise(frame, "y", groups="site", **FAST)
    assert by_name.accuracy < 0.7 and "by groups" in by_name.folds
    assert "Folds keep rows of one 'site' together; it is no feature." in by_name.notes
    by_array = fasttree.advise(
        frame.drop(columns="site"), "y", groups=frame["site"].to_numpy(), **FAST
    )
    assert [r["accuracy"] for r in by_array.table] == [r["accuracy"] for r in by_name.table]
    by_table = fasttree.advise(fasttree.Table(frame, target="y"), groups="site", **FAST)
    assert [r["accuracy"] for r in by_table.table] == [r["accuracy"] for r in by_name.table]
    # The recommended tree takes rows as they were given.
    assert len(by_name.model.predict(frame.drop(columns="y"))) == 240
    with pytest.raises(ValueError, match="'place' is not a column of X"):
        fasttree.advise(frame, "y", groups="place", **FAST)
    with pytest.raises(ValueError, match="groups has 3 values, there are 240 rows"):
        fasttree.advise(frame, "y", groups=[1, 2, 3], **FAST)


def test_groups_of_rows_without_a_class_are_left_out(tmp_path):
    frame, file = sites(), tmp_path / "sites.csv"
    frame.loc[[0, 50], "y"] = None
    frame.to_csv(file, index=False)
    advice = fasttree.advise(file, "y", groups="site", **FAST)
    known = fasttree.advise(frame.dropna(), "y", groups="site", **FAST)
    assert advice.unlabelled == 2 and advice.n_rows == 238
    assert [r["accuracy"] for r in advice.table] == [r["accuracy"] for r in known.table]


def test_rows_in_the_order_of_time_judge_later_rows_only():
    from sklearn.model_selection import TimeSeriesSplit

    frame, folds = frauds(), TimeSeriesSplit(4)
    options = {**FAST, "cv": folds}
    advice = fasttree.advise(frame, "y", **options)
    tested = np.concatenate([test for _, test in folds.split(frame)])
    expected = (frame["y"].to_numpy()[tested] == "good").mean()
    assert row_of(advice, "majority class")["accuracy"] == pytest.approx(expected)


def test_noise_gets_no_tree_and_a_weak_signal_gets_one():
    trees = 0
    for seed in range(6):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(120, 10)), random.integers(0, 2, 120)
        trees += bool(fasttree.advise(X, y, **FAST).params)
    assert trees <= 1
    # Not clearly better than the constant in the folds, but its column is associated.
    random = np.random.default_rng(3)
    X = random.normal(size=(60, 4))
    y = random.random(60) < np.where(X[:, 0] > 0, 0.95, 0.45)
    advice = fasttree.advise(X, y, **FAST)
    best = advice.table[0]
    assert advice.params and is_associated(fasttree.Table(X, y), 0)
    assert best["accuracy"] - advice.majority < 2.5 * best["standard_error"]


def test_the_test_of_association_keeps_its_level():
    """Of 30 tables of noise one or two seem to tell something; of a column that does, all do."""
    found = clear = 0
    for seed in range(30):
        random = np.random.default_rng(seed)
        X, y = random.normal(size=(60, 5)), random.integers(0, 2, 60)
        found += is_associated(fasttree.Table(X, y), seed)
        clear += is_associated(fasttree.Table(X + 1.5 * y[:, None], y), seed)
    assert found <= 4 and clear == 30
    numbers = fasttree.Table(X, X[:, 0] + 0.1, task="regression")
    assert is_associated(numbers, 0)
    assert not is_associated(fasttree.Table(np.ones((8, 1)), [0, 1] * 4), 0)


def test_a_smaller_tree_costs_no_more_than_its_price():
    quality, leaves = np.array([0.90, 0.885, 0.80]), np.array([40.0, 5.0, 2.0])
    assert choose(quality, leaves, 50) == 1
    assert choose(quality, leaves, 50, price=0.01) == 0
    assert choose(quality, leaves, 50, price=0.02) == 1
    assert not beats(np.array([1.0, 0.0]), np.array([1.0, 0.0]), 2)


@pytest.mark.parametrize(
    ("corrected", "limits", "place"),
    [
        ([0.60, 0.71, 0.72, 0.73], {}, 1),  # each within one standard error of the first choice
        ([0.60, 0.70, 0.72, 0.73], {}, 2),  # not of the choice before
        ([0.60, 0.71, 0.72, 0.73], {"price": 0.015}, 2),
        ([0.60, 0.71, 0.72, 0.73], {"share": 0.01}, 3),
        ([0.60, 0.74, 0.70, 0.73], {"price": 0.01}, 3),  # one size is judged after the other
        ([0.99, 0.73, 0.73, 0.73], {}, 1),  # a constant is no tree
    ],
)
def test_a_large_tree_gives_way_within_one_standard_error_and_the_price(corrected, limits, place):
    leaves = np.array([1.0, 4.0, 16.0, 64.0])
    found = small_choice(
        np.arange(4), leaves, lambda some: (int(some[-1]), corrected[some[-1]], 0.025), **limits
    )
    assert found == (place, corrected[place], 0.025)


def test_the_command_takes_metric_groups_time_and_work(tmp_path, capsys):
    file = tmp_path / "sites.csv"
    sites().assign(day=np.random.default_rng(0).permutation(240)).to_csv(file, index=False)
    out = tmp_path / "a.json"
    first = ["advise", str(file), "-t", "y", "--work", "quick", "--cv", "1x5", "--json", str(out)]
    assert main([*first, "--groups", "site", "--metric", "f_beta(positive=p)"]) == 0
    found = json.loads(out.read_text())
    assert (found["metric"], found["groups"], found["work"]) == ("f_beta", "site", "quick")
    again = fasttree.advise(
        file, "y", groups="site", scoring=Scorer("f_beta", positive="p"), **FAST
    )
    assert found["f_beta"] == again.value
    model = tmp_path / "m.json"
    assert main([*first, "--time", "day", "-m", str(model)]) == 0
    found = json.loads(out.read_text())
    assert found["folds"] == "1x5 ordered by day"
    assert main(["predict", str(model), str(file)]) == 0
    capsys.readouterr()
    assert main([*first, "--groups", "ward"]) == 2
    assert "--groups ward is not a column of the data" in capsys.readouterr().err
    assert main([*first, "--groups", "site", "--time", "day"]) == 2
    assert main([*first, "--metric", "f_beta(positive=p"]) == 2
    assert "a closing bracket is missing" in capsys.readouterr().err


def test_candidates_that_differ_in_their_pruning_are_tried_together(monkeypatch):
    from fasttree.advice import trials

    rng = np.random.default_rng(5)
    frame = pd.DataFrame({"town": [f"t{i}" for i in rng.integers(0, 12, 300)],
                          "x": rng.normal(size=300).round(1)})  # fmt: skip
    y = rng.choice(["p", "q", "r"], 300)
    calls, original = [], trials.cross_validate

    def counted(*args, **words):
        calls.append(len(words["estimators"]))
        return original(*args, **words)

    monkeypatch.setattr(trials, "cross_validate", counted)
    how = {"cv": "1x5", "progress": False, "n_jobs": 1}
    together = fasttree.advise(frame, y, **how)
    assert max(calls) == 3 and sum(calls) == len(together.table) - 1
    calls.clear()
    alone = fasttree.advise(frame, y, time_limit=600, **how)
    assert max(calls) == 1
    assert [dict(row) for row in alone.table] == [dict(row) for row in together.table]
    assert alone.sentence == together.sentence


def test_a_long_search_says_so_where_no_bar_is_drawn(monkeypatch, capsys):
    from fasttree.cli import advising, main

    monkeypatch.setattr(advising, "PATIENCE", 0.0)
    assert main(["advise", "iris"]) == 0
    [line] = [line for line in capsys.readouterr().err.splitlines() if "candidates tried" in line]
    assert "--time-limit" in line
