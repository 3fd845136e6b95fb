"""Pickles and model files that an earlier build has written load, and predict the same.

`tests/golden/stored.json` holds them, compressed, with the predictions of that build. They are
never written anew: an entry that no longer loads is a user's model that is lost.
"""

from __future__ import annotations

import base64
import json
import pickle
import zlib
from pathlib import Path

import numpy as np
import pytest

import fasttree
from fasttree.datasets import load

STORED = json.loads(
    (Path(__file__).resolve().parents[2] / "golden" / "stored.json").read_text(encoding="utf-8")
)
MODELS = [name for name in STORED if name != "Table"]


def content(name, form):
    return zlib.decompress(base64.b64decode(STORED[name][form]))


def rows_of(name, model):
    if STORED[name]["rows"] == "weather":
        return load("weather")
    X = np.asarray(load("iris").X)[::5]
    return X if model.n_features_in_ == 4 else X[:, 1:]


@pytest.mark.parametrize("form", ["pickle", "file"])
@pytest.mark.parametrize("name", MODELS)
def test_stored_models_predict_as_before(name, form):
    read = pickle.loads if form == "pickle" else fasttree.from_bytes
    model = read(content(name, form))
    assert type(model).__name__ == name.partition(" ")[0]
    assert model.predict(rows_of(name, model)).tolist() == STORED[name]["predictions"]
    again = pickle.loads(pickle.dumps(model))
    assert again.to_bytes() == model.to_bytes()


def test_a_stored_table_is_the_table():
    table = pickle.loads(content("Table", "pickle"))
    assert table.equals(load("weather")) and table.as_given and not table.unused
