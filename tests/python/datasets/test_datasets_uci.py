"""Every file of the UCI folder loads with the counts of its manifest."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from fasttree.datasets import (
    load,
    make_balance_scale,
    make_contact_lenses,
    make_tic_tac_toe,
    make_weather,
)

from ..conftest import manifest

ENTRIES = manifest() or [
    pytest.param(None, marks=pytest.mark.skip(reason="no UCI files: set FASTTREE_DATA"))
]
TARGET_NOT_LAST = {"echocardiogram"}  # its class is neither called "class" nor last


@pytest.mark.parametrize("entry", ENTRIES, ids=lambda e: e["name"] if e else "absent")
def test_counts_of_the_manifest(uci, entry):
    named = entry["name"] in TARGET_NOT_LAST
    table = load(uci / entry["file"], target=entry["target"] if named else None)
    assert table.target == entry["target"]
    assert len(table) == entry["rows"] and table.n_features + 1 == entry["attributes"]
    found = Counter("?" if v is None else str(v) for v in table.y.tolist())
    expected = entry["class_counts"]
    assert [str(c) for c in table.classes] == [c for c in expected if c != "?"]
    assert {label: found.get(label, 0) for label in expected} == expected and sum(
        found.values()
    ) == len(table)
    if "classes_declared" in entry:
        assert len(table.classes) == entry["classes_declared"]
    missing = sum(c.n_missing for c in table.columns)
    assert missing + table.target_column.n_missing == entry["missing_cells"]
    assert table.target_column.n_missing == entry.get("missing_in_class", 0)
    kinds = Counter(c.kind for c in table.columns)
    features = entry["features"]
    assert kinds["numeric"] == features.get("numeric", features.get("numeric_looking"))
    assert kinds["nominal"] == features.get("nominal", features.get("other"))
    if "columns" in entry:
        full = load(uci / entry["file"], names=entry["columns"], header=False)
        assert [*full.feature_names, full.target] == entry["columns"] and len(full) == entry["rows"]


def test_identifiers_are_dropped_by_name(uci):
    assert load(uci / "zoo.arff", drop=["animal"]).n_features == 16
    colic = load(uci / "colic-orig.arff", drop=["Hospital Number"])
    assert (
        colic.n_features == 26
        and colic.target == "pathology_cp_data"
        and colic.classes == ("2", "1")
    )


def test_quirks(uci):
    anneal = load(uci / "anneal.arff")
    assert any("?" in (c.levels or ()) for c in anneal.columns)
    sign = load(uci / "sign-mdl.arff")
    assert sign.columns[3].levels[0] == "'(-inf-0.041667]'"
    assert load(uci / "postoperative.arff").column("COMFORT").levels == ("05", "07", "10", "15")
    assert (
        load(uci / "wine.arff").target == "class"
        and load(uci / "wine.arff").feature_names[0] != "class"
    )
    assert load(uci / "adult-train.csv").has_feature_names is False


@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("monks-1-test.tab", "monks-1-test.csv"),
        ("monks-3-train.tab", "monks-3-train.csv"),
        ("promoters.tab", "promoters.csv"),
    ],
)
def test_orange_originals_agree_with_the_csv(uci, name, other):
    original, derived = load(uci / "original" / name), load(uci / other)
    assert original.feature_names == derived.feature_names and len(original) == len(derived)
    assert [str(v) for v in original.y] == [str(v) for v in derived.y]
    for a, b in zip(original.columns, derived.columns, strict=True):
        assert a.kind == "nominal"
        same = a.labels() if b.kind == "nominal" else [float(v) for v in a.labels()]
        assert list(same) == b.labels().tolist()


def rows_of(table) -> Counter:
    cells = np.column_stack([table.X.astype(str), table.y.astype(str)])
    return Counter(map(tuple, cells.tolist()))


def test_rules_give_the_files(uci):
    assert rows_of(make_tic_tac_toe()) == rows_of(load(uci / "tic-tac-toe.arff"))
    assert rows_of(make_balance_scale()) == rows_of(load(uci / "balance-scale.arff"))
    assert rows_of(make_contact_lenses()) == rows_of(load(uci / "contact-lenses.arff"))
    for numeric, name in ((False, "weather-nominal.arff"), (True, "weather-numeric.arff")):
        ours, file = make_weather(numeric=numeric), load(uci / name)
        assert ours.equals(file) and ours.classes == file.classes


@pytest.mark.parametrize("problem", [1, 2, 3])
def test_monks_rule_gives_the_files(uci, problem):
    from fasttree.datasets import make_monks

    full, file = make_monks(problem), load(uci / f"monks-{problem}-test.csv")
    ours = {tuple(int(v) for v in row): int(y) for row, y in zip(full.X, full.y, strict=True)}
    theirs = {tuple(int(v) for v in row): int(y) for row, y in zip(file.X, file.y, strict=True)}
    assert ours == theirs
    train = load(uci / f"monks-{problem}-train.csv")
    wrong = sum(
        ours[tuple(int(v) for v in row)] != y for row, y in zip(train.X, train.y, strict=True)
    )
    assert wrong == (6 if problem == 3 else 0)  # 5 % of 122
