"""`presets.ID3` against Id3 of Weka 3.6.14: recorded trees on nominal data without missing
values."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

import fasttree
from fasttree import FastTreeClassifier, Table, presets

GOLDEN = json.loads(
    (Path(__file__).resolve().parents[2] / "golden" / "id3_trees.json").read_text(encoding="utf-8")
)


@pytest.mark.parametrize("name", GOLDEN["trees"])
@pytest.mark.filterwarnings("ignore:nominal columns")
def test_trees_are_wekas(name, uci):
    raw = fasttree.datasets.load(uci / name)
    table = Table([[str(v) for v in row] for row in raw.X], [str(v) for v in raw.y])
    rows = np.arange(len(table))
    model = FastTreeClassifier(**presets.ID3).fit(table.take(rows[rows % 3 != 2]))
    predicted = model.predict(table.take(rows[rows % 3 == 2]))
    code = {label: c for c, label in enumerate(model.classes_)} | {None: -1}
    codes = np.array([code[p] for p in predicted])
    expected = GOLDEN["trees"][name]
    assert model.get_n_leaves() == expected["leaves"]
    assert np.bincount(codes + 1, minlength=len(code)).tolist() == expected["predicted"]
    assert int((np.arange(1, len(codes) + 1) * (codes + 1)).sum()) == expected["checksum"]
