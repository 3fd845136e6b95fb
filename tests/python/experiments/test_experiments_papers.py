"""The papers' tables, cell by cell, on the data files (skipped where they are not there)."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fasttree import experiments
from fasttree.experiments import reproduction
from fasttree.experiments.chen2013 import run as chen2013
from fasttree.experiments.f_measure import run as f_measure

SLOW = ("letter", "waveform-5000")


@pytest.fixture(scope="session")
def chen(uci):
    """Table 2 on all sets of the folder but the two that are large and not comparable."""
    wanted = [name for name in reproduction.published("chen2013")["table2"] if name not in SLOW]
    return experiments.run("chen2013", uci, wanted, n_jobs=-1)


@pytest.fixture(scope="session")
def stadler(uci):
    """Both tables of the F-measure report, and what is beside them."""
    return experiments.run("f-measure", uci)


def test_packaged_numbers_are_the_published_ones(published):
    table1 = json.loads((published / "chen2013_table1.json").read_text(encoding="utf-8"))["rows"]
    table2 = json.loads((published / "chen2013_table2.json").read_text(encoding="utf-8"))
    own = reproduction.published("chen2013")
    assert list(own["table2"]) == [row["dataset"] for row in table2["rows"]]
    for row in table2["rows"]:
        for method in chen2013.METHODS:
            mean, sd, mark = own["table2"][row["dataset"]][method]
            cell = row[method]
            assert (float(mean), float(sd), mark) == (cell["mean"], cell["sd"], cell["mark"])
    for row, (name, facts) in zip(table1, own["table1"].items(), strict=True):
        assert name.lower() == row["dataset"].lower()
        expected = [row["instances"], row["attributes"], row["classes"]]
        assert facts == [*expected, *("Y" if row[k] else "N" for k in ("missing", "numeric"))]
    assert {m: float(v) for m, v in own["table2_average"].items()} == table2["average_printed"]
    report = json.loads((published / "fmeasure_tables.json").read_text(encoding="utf-8"))
    cells = reproduction.published("f_measure")["cells"]
    for dataset, by_method in cells.items():
        for method, quantities in by_method.items():
            training, test = report["training"][dataset][method], report["test"][dataset][method]
            expected = {f"training_{k}": v for k, v in training.items()} | {
                f"test_{k}": v for k, v in test.items()
            }
            assert {k: float(v) for k, v in quantities.items()} == expected


def test_every_cell_of_table_2_equals_the_print(chen):
    compared = [row for row in chen.rows if row.quantity == "accuracy" and row.match is not None]
    assert [
        f"{r.dataset} {r.method} {r.value} {r.sd} {r.mark}" for r in compared if not r.match
    ] == []
    n_sets = len({row.dataset for row in compared})
    assert n_sets >= 28
    assert chen.cells == {"total": 4 * n_sets, "matched": 4 * n_sets, "explained": 0}


def test_values_equal_the_recomputation_to_four_decimals(chen, published):
    known = json.loads((published / "chen2013_reproduction.json").read_text(encoding="utf-8"))[
        "rows"
    ]
    rows = {
        (reproduction.plain_key(row.dataset), row.method, row.quantity): row for row in chen.rows
    }
    checked = 0
    for name, by_method in known.items():
        dataset = reproduction.plain_key(name)
        for method, cell in by_method.items():
            accuracy = rows[dataset, method, "accuracy"]
            assert accuracy.value == pytest.approx(cell["mean"], abs=5.1e-5)
            assert accuracy.sd == pytest.approx(cell["sd"], abs=5.1e-5)
            assert accuracy.mark == cell["mark"]
            assert rows[dataset, method, "leaves"].value == cell["leaves_all"]
            assert rows[dataset, method, "nonempty_leaves"].value == cell["leaves_nonempty"]
            checked += 1
    assert checked == 112


def test_leaves_of_hepatitis(chen):
    leaves = {r.method: r for r in chen.rows if r.dataset == "hepatitis" and r.quantity == "leaves"}
    assert [leaves[m].value for m in ("info_gain", "distance", "gain_ratio")] == [102, 99, 107]
    assert [leaves[m].match for m in ("info_gain", "distance", "gain_ratio", "normal_gain")] == [
        True
    ] * 3 + [None]


def test_sampled_sets_are_run_but_not_compared(chen):
    rows = [r for r in chen.rows if r.dataset == "mushroom" and r.quantity == "accuracy"]
    assert [r.match for r in rows] == [None] * 4
    assert all("not comparable" in r.note for r in rows)
    assert all(r.published is not None for r in rows)
    assert "Not comparable: mushroom" in chen.to_text()
    quick = experiments.run("chen2013", datasets=["mushroom"], quick=True)
    assert [r for r in quick.rows if r.quantity == "accuracy"] == []
    assert quick.missing == []
    assert quick.notes[0].startswith("Left out (--quick): ") and "(mushroom)" in quick.notes[0]


def test_table_3_agrees_with_the_printed_marks_of_the_same_sets(chen):
    against = [one for one in chen.extra["win_tie_loss"] if one["base"] == "info_gain"]
    assert [one["method"] for one in against] == ["gain_ratio", "normal_gain", "distance"]
    for one in against:
        assert [one["wins"], one["ties"], one["losses"]] == one["published_same_sets"]
    assert len(chen.extra["win_tie_loss"]) == 6


def test_size_differs_and_accuracy_does_not(chen):
    tests = chen.extra["friedman"]
    assert tests["leaves"]["p_value"] < 0.05 < tests["accuracy"]["p_value"]
    ranks = tests["leaves"]["mean_ranks"]
    assert min(ranks, key=ranks.get) == "normal_gain"
    assert chen.extra["claim"] == {"size_differs": True, "accuracy_differs": False}


def test_table_1_differs_where_the_print_does(chen):
    wrong = {
        (r.dataset, r.quantity)
        for r in chen.rows
        if r.quantity.startswith("table1") and not r.match
    }
    assert wrong == {("anneal", "table1_missing"), ("breast-w", "table1_numeric")}
    assert all(r.note for r in chen.rows if (r.dataset, r.quantity) in wrong)


def test_rows_do_not_depend_on_threads(uci, chen):
    one = experiments.run("chen2013", uci, ["labor", "zoo"], n_jobs=1)
    two = [row for row in chen.rows if row.dataset in ("labor", "zoo")]
    same = [row for row in one.rows if row.dataset in ("labor", "zoo")]
    assert same == [row for row in two]


def test_sixty_of_sixty_three_cells_and_three_slips(stadler):
    assert stadler.cells == {"total": 63, "matched": 60, "explained": 3}
    wrong = {(r.dataset, r.method, r.quantity): r for r in stadler.rows if r.match is False}
    assert set(wrong) == {
        ("PopFailure", "gini", "training_error_sd"),
        ("Breast", "f_measure", "test_auc"),
        ("PopFailure", "f_measure", "test_auc"),
    }
    assert round(wrong["PopFailure", "gini", "training_error_sd"].value, 4) == 0.0404
    assert round(wrong["Breast", "f_measure", "test_auc"].value, 4) == 0.9701
    assert round(wrong["PopFailure", "f_measure", "test_auc"].value, 4) == 0.8458
    assert all("should read" in row.note for row in wrong.values())
    assert len(stadler.extra["explanations"]) == 3


def test_fold_trees_have_the_known_sizes(uci, published):
    from fasttree import datasets

    known = json.loads((published / "fmeasure_tables.json").read_text(encoding="utf-8"))[
        "recomputed_folds"
    ]
    for dataset, by_method in known.items():
        table = datasets.load(uci / f"fmeasure-{dataset.lower()}.csv")
        found = f_measure.evaluate(table, dataset, f_measure.METHODS)
        for method, folds in by_method.items():
            assert found[method].leaves == [fold["leaves"] for fold in folds]


def test_other_readings_are_beside_the_cells(stadler):
    beside = {
        row.method for row in stadler.rows if row.published is None and row.quantity == "test_auc"
    }
    assert beside == {
        "algorithm1",
        "algorithm2",
        "algorithm1_beta0.5",
        "algorithm2_beta0.5",
        "change_beta0.5",
        "algorithm1_beta2",
        "algorithm2_beta2",
        "change_beta2",
    }
    assert all(row.match is None for row in stadler.rows if row.method in beside)
    trees = stadler.extra["blindness"]["trees"]
    assert set(trees) == {"Breast", "Heart", "PopFailure"}
    assert all(
        0 < one["with_pure_side"] <= one["blind_splits"] <= one["splits"] for one in trees.values()
    )


def test_points_of_the_roc_graph_lie_on_the_test_errors(stadler):
    for dataset, by_method in stadler.extra["roc_points"].items():
        for method, point in by_method.items():
            (row,) = [
                r
                for r in stadler.rows
                if (r.dataset, r.method, r.quantity) == (dataset, method, "test_f")
                and r.published is not None
            ]
            assert 0 <= point["false_positive_rate"] <= 1
            assert (point["true_positive_rate"] > 0) == (row.value > 0)


@pytest.mark.parametrize("name", ["chen2013-figure1", "chen2013-accuracy"])
def test_pictures_of_chen(chen, name, tmp_path):
    pytest.importorskip("matplotlib")
    written = chen.save_figures(tmp_path / "new")
    (path,) = [one for one in written if one.stem == name]
    head = path.read_bytes()[:24]
    assert head.startswith(b"\x89PNG")
    assert int.from_bytes(head[16:20], "big") > 800


def test_pictures_of_stadler(stadler, tmp_path):
    pytest.importorskip("matplotlib")
    names = [path.name for path in stadler.save_figures(tmp_path)]
    assert names == ["f-measure-roc-graph.png", "f-measure-roc-curves.png"]
    figure = stadler.figures[1].draw()
    labels = [text.get_text() for text in figure.axes[0].get_legend().get_texts()]
    assert labels[0] == "f_measure (AUC 0.970)"


def test_figure_1_shows_the_paper_s_six_sets(chen):
    pytest.importorskip("matplotlib")
    figure = chen.figures[0].draw()
    shown = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert shown == ["audiology", "breast-cancer", "colic", "heart-c", "labor", "lymph"]
    heights = np.array([bar.get_height() for bar in figure.axes[0].patches]).reshape(4, 6)
    leaves = {(r.dataset, r.method): r.value for r in chen.rows if r.quantity == "leaves"}
    for i, method in enumerate(chen2013.METHODS):
        assert heights[i].tolist() == [leaves[name, method] for name in shown]
