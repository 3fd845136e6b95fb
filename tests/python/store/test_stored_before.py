"""Pickles and model files that an earlier build has written load, and predict the same.

`tests/golden/stored.json` holds them, compressed, with the predictions of that build. They are
never written anew: an entry that no longer loads is a user's model that is lost.
"""

from __future__ import annotations

import base64
import importlib
import inspect
import json
import pickle
import warnings
import zlib
from pathlib import Path

import numpy as np
import pytest

import fasttree
from fasttree.datasets import load

from ..tools import run_script

STORED = json.loads(
    (Path(__file__).resolve().parents[2] / "golden" / "stored.json").read_text(encoding="utf-8")
)
MODELS = [name for name, one in STORED.items() if "predictions" in one]


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


@pytest.mark.parametrize("name", [name for name, one in STORED.items() if "scores" in one])
def test_stored_scores_of_features_are_those_of_now(name):
    """Their pickles name the modules of `feature_selection` as they were called."""
    made = {"FeatureEstimates": fasttree.estimate_features, "TurfResult": fasttree.turf}
    found = pickle.loads(content(name, "pickle"))
    assert type(found) is getattr(fasttree, name)
    assert found.scores.tolist() == STORED[name]["scores"]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # few rows
        np.testing.assert_array_equal(found.scores, made[name](load("weather")).scores)


def test_stored_counts_of_pairs_are_those_of_now():
    found, now = pickle.loads(content("PairCounts", "pickle")), fasttree.pair_counts("weather")
    assert type(found) is fasttree.PairCounts and found.feature_names == now.feature_names
    for counts, of_now in zip(found.counts, now.counts, strict=True):
        np.testing.assert_array_equal(counts, of_now)
    assert fasttree.scores.pairs.PairCounts is fasttree.PairCounts


def test_pickles_by_an_earlier_name_of_a_module_are_read():
    for earlier, now in fasttree._EARLIER.items():
        module = importlib.import_module(f"fasttree.{now}")
        classes = [name for name, one in vars(module).items() if inspect.isclass(one)]
        path = f"cfasttree.{earlier}\n{classes[-1]}\n.".encode()
        assert pickle.loads(path) is getattr(module, classes[-1])
    path = b"cfasttree.estimators.regressor\nFastTreeRegressor\n."
    assert pickle.loads(path) is fasttree.FastTreeRegressor


def test_names_of_elsewhere_are_looked_up_without_an_import():
    code = "import sys, fasttree; hasattr(fasttree, 'load_iris'); print(*sys.modules)"
    loaded = run_script(code).stdout.split()
    assert "fasttree" in loaded and not {"numpy", "fasttree.datasets", "sklearn"} & {*loaded}
