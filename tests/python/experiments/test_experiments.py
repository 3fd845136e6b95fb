"""Experiments of papers: the frame they share, and everything that needs no data files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from fasttree import datasets, experiments
from fasttree.experiments import paper, reproduction
from fasttree.experiments.chen2013 import run as chen2013
from fasttree.experiments.f_measure import run as f_measure

GOLDEN = Path(__file__).resolve().parents[2] / "golden"
KEYS = {
    "dataset",
    "method",
    "quantity",
    "value",
    "sd",
    "mark",
    "published",
    "published_sd",
    "published_mark",
    "match",
}


@pytest.fixture
def no_data(monkeypatch, tmp_path):
    """A place from which no data folder can be found."""
    monkeypatch.delenv("FASTTREE_DATA", raising=False)
    project = tmp_path / "here" / "project"
    project.mkdir(parents=True)
    monkeypatch.chdir(project)
    monkeypatch.setattr(paper, "__file__", str(project / "a" / "b" / "c" / "paper.py"))
    return project


@pytest.mark.parametrize(
    ("value", "printed", "same"),
    [
        (37.7419, "37.74", True),
        (37.7451, "37.74", False),
        (37.7349, "37.74", False),
        (0.09513, ".0951", True),
        (0.0404, ".4040", False),
        (1.1049, "1.1", True),
        (1.1501, "1.1", False),
        (102, "102", True),
        (103, "102", False),
        (0.005, "0.01", True),  # a tie may be rounded either way
        (0.005, "0.00", True),
    ],
)
def test_agreement_to_the_last_printed_digit(value, printed, same):
    assert reproduction.agrees(value, printed) is same


def test_names_of_data_sets_are_forgiving_and_misspelt_ones_are_refused():
    known = ["anneal", "anneal.ORIG", "zoo"]
    assert reproduction.chosen(known, None) == known
    assert reproduction.chosen(known, ["ZOO", "anneal-orig"]) == ["anneal.ORIG", "zoo"]
    with pytest.raises(
        ValueError, match=r"'aneal' is not one of the paper's; did you mean 'anneal'"
    ):
        reproduction.chosen(known, ["aneal"])


def test_files_are_found_by_stem_and_the_preferred_suffix_wins(tmp_path):
    for name in ("Anneal_Orig.ARFF", "zoo.csv", "zoo.arff", "notes.md", "iris.arff.gz"):
        (tmp_path / name).write_text("")
    found = paper.data_files(tmp_path)
    assert {key: path.name for key, path in found.items()} == {
        "annealorig": "Anneal_Orig.ARFF",
        "zoo": "zoo.arff",
        "iris": "iris.arff.gz",
    }


def test_the_folder_is_given_or_in_the_environment_or_nowhere(no_data, monkeypatch):
    assert paper.data_folder(None) is None
    beside = no_data.parent / "shared" / "data" / "uci"
    beside.mkdir(parents=True)
    assert paper.data_folder(None) == beside
    other = no_data / "other"
    other.mkdir()
    monkeypatch.setenv("FASTTREE_DATA", str(other))
    assert paper.data_folder(None) == other
    assert paper.data_folder(no_data) == no_data
    with pytest.raises(FileNotFoundError, match=r"--data: there is no folder"):
        paper.data_folder(no_data / "none")
    monkeypatch.setenv("FASTTREE_DATA", str(no_data / "none"))
    with pytest.raises(FileNotFoundError, match=r"FASTTREE_DATA: there is no folder"):
        paper.data_folder(None)


def test_unknown_experiments_are_named_with_what_there_is():
    with pytest.raises(
        ValueError, match=r"'chen2012': the experiment is not known; did you mean 'chen2013'"
    ):
        experiments.run("chen2012")


def test_chen2013_without_data_files_runs_the_bundled_set_to_the_last_digit(no_data):
    found = experiments.run("chen2013", n_jobs=2)
    golden = json.loads((GOLDEN / "chen2013_balance_scale.json").read_text(encoding="utf-8"))
    assert found.cells == {"total": 4, "matched": 4, "explained": 0}
    said = found.to_text()
    assert "Missing" not in said
    assert "Left out, as these files are not bundled (--data DIR reads them): anneal, " in said
    assert len(found.missing) == 35
    assert "balance-scale" not in found.missing
    rows = {(row.method, row.quantity): row for row in found.rows if row.dataset == "balance-scale"}
    for method in chen2013.METHODS:
        accuracy = rows[method, "accuracy"]
        assert accuracy.value == pytest.approx(golden[method]["mean"], abs=5.1e-5)
        assert accuracy.sd == pytest.approx(golden[method]["sd"], abs=5.1e-5)
        assert accuracy.mark == golden[method]["mark"]
        assert rows[method, "leaves"].value == golden[method]["leaves_all"]
        assert rows[method, "nonempty_leaves"].value == golden[method]["leaves_nonempty"]


def test_the_json_of_a_reproduction_is_strict_and_has_the_agreed_keys(no_data):
    found = experiments.run("chen2013", datasets=["balance-scale", "iris"], n_jobs=2)
    document = json.loads(
        found.to_json(), parse_constant=lambda word: pytest.fail(f"{word} is no JSON")
    )
    assert document["missing"] == ["iris"]
    versions = {"fasttree", "python", "numpy", "scikit-learn", "platform", "processor"}
    assert document["versions"].keys() - {"commit"} == versions  # of a clone its commit, too
    assert all(set(row) - {"note"} == KEYS for row in document["rows"])
    (row,) = [
        r for r in document["rows"] if r["quantity"] == "accuracy" and r["method"] == "info_gain"
    ]
    assert row["published"] == 37.74
    assert row["published_sd"] == 4.92
    assert row["published_mark"] == ""
    assert row["match"] is True
    assert row["value"] == pytest.approx(37.74, abs=0.005)


def test_another_number_does_not_match():
    """The check itself can fail: a printed mark, mean or sd that differs is no match."""
    result = chen2013.run_set(datasets.load_balance_scale(), "balance-scale", 2)
    from fasttree.model_selection import Comparison

    one = Comparison(
        {"balance-scale": result.validation},
        metric="accuracy",
        alpha=0.05,
        baseline="info_gain",
        test="corrected_resampled_t",
        sd="folds",
    )
    right = ["37.74", "4.92", ""]
    for wrong in (["37.75", "4.92", ""], ["37.74", "4.93", ""], ["37.74", "4.92", "v"]):
        cells = {m: (right if m == "info_gain" else ["37.73", "4.89", ""]) for m in one.methods}
        cells["normal_gain"] = ["37.79", "4.96", ""]
        printed = {"table2": {"balance-scale": {**cells, "info_gain": wrong}}}
        rows = chen2013._accuracy_rows(one, printed, set())
        assert [row.match for row in rows] == [False, True, True, True]
        sampled = chen2013._accuracy_rows(one, printed, {"balance-scale"})
        assert [row.match for row in sampled] == [None] * 4


def test_preparation_drops_the_identifier_fills_and_bins():
    from fasttree import Table

    table = Table(
        [["a", 0.0, "x"], ["b", None, "x"], ["c", 10.0, None], ["d", 2.0, "y"]],
        [0, 1, 0, 1],
        feature_names=["Animal", "legs", "skin"],
        name="zoo",
    )
    ready = chen2013.prepare(table, "zoo")
    assert ready.feature_names == ["legs", "skin"]
    legs, skin = ready.columns
    assert legs.values.tolist() == [
        0,
        3,
        9,
        1,
    ]  # the missing cell became the mean, 4, in bin (3, 4]
    assert len(legs.levels) == 10
    assert skin.labels().tolist() == ["x", "x", "x", "y"]
    assert chen2013.prepare(table, "iris").feature_names == ["Animal", "legs", "skin"]


def test_a_set_that_is_not_the_paper_s_does_not_match(tmp_path):
    """Another file under a printed name: everything runs (identifier, all-missing column, class
    first), nothing agrees."""
    rng = np.random.default_rng(7)
    lines = [
        f"{'EI' if i % 2 else 'N'},id{i},{rng.choice(list('ACGT'))},{rng.normal():.3f},?"
        for i in range(60)
    ]
    head = "@relation s\n@attribute Class {EI,IE,N}\n@attribute 'Instance name' string\n"
    head += "@attribute p1 {A,C,G,T,D,N}\n@attribute x numeric\n@attribute empty numeric\n@data\n"
    (tmp_path / "splice.arff").write_text(head + "\n".join(lines) + "\n")
    found = experiments.run("chen2013", tmp_path, ["splice", "sonar"])
    assert found.missing == ["sonar"]
    assert found.cells == {"total": 4, "matched": 0, "explained": 0}
    assert "0 of 4 printed cells" in found.summary
    facts = {row.quantity: row for row in found.rows if row.quantity.startswith("table1")}
    assert facts["table1_attributes"].value == 5
    assert facts["table1_attributes"].match is False
    assert facts["table1_classes"].match is True
    assert facts["table1_missing"].match is False
    assert "DIFFERS" in found.to_text()
    assert all(0 < row.value < 60 for row in found.rows if row.quantity == "leaves")


def test_f_measure_without_data_files_lists_the_sets_as_missing(no_data):
    found = experiments.run("f-measure")
    assert found.missing == ["Breast", "Heart", "PopFailure"]
    assert found.cells["total"] == 0
    assert json.loads(found.to_json())["rows"] == []


def test_algorithm_1_is_blind_where_a_pure_negative_side_is_cut_off():
    from fasttree import criteria

    pure, mixed = [[40, 0], [35, 30]], [[2, 3], [73, 27]]
    maximum = criteria.FMeasureMax()
    assert maximum.score(pure) == 0.0
    assert maximum.score(mixed) > 0.0
    for other in (f_measure.CRITERION, criteria.make("gini"), criteria.make("info_gain")):
        assert other.score(pure) > other.score(mixed)
    sides = f_measure.pure_negative_side(np.array([pure, mixed], dtype=float))
    assert sides.tolist() == [40.0, 0.0]


def test_blind_splits_are_counted_from_the_tree():
    from fasttree import Table, fit

    x = np.arange(12, dtype=float)[:, None]
    table = Table(x, [0, 0, 0, 0, 0, 0, 0, 1, 0, 1, 0, 1])
    tree = fit(table, criterion="f_measure_max", thresholds="value")
    counts = f_measure.blind_splits(tree, table)
    inner = tree.tree_.n_children > 0
    assert counts["splits"] == inner.sum()
    assert counts["blind_splits"] == (tree.tree_.score[inner] == 0).sum()
    assert counts["with_pure_side"] <= counts["blind_splits"]


def test_methods_are_the_printed_columns():
    for name, module in (("chen2013", chen2013), ("f_measure", f_measure)):
        assert list(reproduction.published(name)["columns"]) == list(module.METHODS)
