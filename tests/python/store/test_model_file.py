"""Model files: exact round trips, and what damaged, forged or enormous ones do."""

from __future__ import annotations

import contextlib
import copy
import json
import pickle
import random
import warnings

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fasttree
from fasttree import criteria
from fasttree.estimators.declaration import NOT_STORED
from fasttree.naive_bayes import AODE, TAN, NaiveBayes

from ..tools import body_of, file_of, thinned


def small_model(**how):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "size": [1.0, 2.5, None, 4.0, 7.0, 1e-3] * 4,
            "colour": pd.Categorical(
                ["red", None, "blue", "red", "blue", "red"] * 4, ["red", "blue", "none"]
            ),
            "age": rng.integers(1, 9, 24),
        }
    )
    y = np.where(
        (frame["size"].fillna(9) > 2) ^ (frame["colour"] == "red") ^ (frame["age"] > 4), "yes", "no"
    )
    return fasttree.fit(frame, y, **how), frame, y


def use(model, X):
    """Everything that reads a model."""
    model.predict(X), model.predict_proba(X), model.apply(X), model.decision_path(X)
    model.to_text(), model.to_text(max_depth=1), model.to_dot(), model.to_bytes()
    model.cut(0), model.cut(1), len(model.trace_), model.get_depth(), model.get_n_leaves()
    pickle.dumps(model), model.feature_importances_, list(model.staged_predict(X))


MODELS = {
    "thresholds and levels": {},
    "unclassified, smoothed": {"empty_branch": "unclassified", "leaf_smoothing": "m_estimate"},
    "bins": {"discretize": "equal_width", "n_bins": 4, "leaf_smoothing": "laplace"},
    "mode": {"missing": "mode", "discretize": "equal_frequency", "n_bins": 3},
    "options": {"criterion": criteria.FMeasure(beta=0.5), "max_leaf_nodes": 5},
    "weights": {"class_weight": {"yes": 2.5, "no": 0.3}, "sample_weight": np.arange(24) % 3 + 0.1},
}


@pytest.mark.parametrize("how", MODELS.values(), ids=MODELS)
def test_what_is_loaded_is_what_was_saved(how, tmp_path):
    model, X, y = small_model(**how)
    model.save(tmp_path / "tree.json")
    for other in (
        fasttree.load_model(tmp_path / "tree.json"),
        fasttree.from_bytes(model.to_bytes()),
    ):
        assert other.to_bytes() == model.to_bytes()
        assert np.array_equal(other.predict(X), model.predict(X))
        assert np.array_equal(other.predict_proba(X), model.predict_proba(X))
        assert other.to_text() == model.to_text()
        assert other.classes_.tolist() == model.classes_.tolist()
        assert other.feature_names_in_.tolist() == model.feature_names_in_.tolist()
        assert [s.node for s in other.trace_] == [s.node for s in model.trace_]
        for name in (
            "feature",
            "threshold",
            "value",
            "score",
            "distance",
            "label",
            "missing_branch",
            "step",
        ):
            np.testing.assert_array_equal(getattr(other.tree_, name), getattr(model.tree_, name))
        weight = how.get("sample_weight")
        assert other.get_params()["criterion"] == model.get_params()["criterion"]
        assert other.fit(X, y, sample_weight=weight).to_bytes() == model.to_bytes()
        use(other, X)


@pytest.mark.parametrize(
    "classes",
    [[0, 1, 2], [False, True], ["a", "b", 'ä\u0000"\\\n'], [-5, 10**15, 3], [0.0, 1.0, 2.0]],
    ids=str,
)
def test_classes_come_back_in_their_type(classes):
    X = np.arange(3 * len(classes), dtype=float)[:, None]
    y = np.repeat(np.array(classes), 3)
    model = fasttree.fit(X, y)
    other = fasttree.from_bytes(model.to_bytes())
    assert other.classes_.tolist() == model.classes_.tolist() == sorted(classes)
    assert [type(c) for c in other.classes_.tolist()] == [type(c) for c in model.classes_.tolist()]
    assert np.array_equal(other.predict(X), y)


@settings(max_examples=60, deadline=None)
@given(
    st.lists(st.floats(allow_nan=False, allow_infinity=False), min_size=2, max_size=12, unique=True)
)
def test_thresholds_and_predictions_survive_to_the_last_bit(values):
    values = [v + 0.0 for v in values]
    if len(set(values)) < 2:
        return
    X = np.array(values)[:, None]
    y = np.arange(len(values)) % 2
    model = fasttree.fit(X, y)
    other = fasttree.from_bytes(model.to_bytes())
    assert other.tree_.threshold.tobytes() == model.tree_.threshold.tobytes()
    assert model.score(X, y) == other.score(X, y) == 1.0


def refused(data: bytes):
    with pytest.raises(ValueError, match="not a valid fasttree model") as caught:
        fasttree.from_bytes(data)
    return str(caught.value)


def test_every_flipped_bit_is_seen():
    model, _, _ = small_model(max_depth=2)
    data = model.to_bytes()
    for place in range(len(data)):
        for bit in range(8):
            damaged = bytearray(data)
            damaged[place] ^= 1 << bit
            with pytest.raises(ValueError, match="not a valid fasttree model"):
                fasttree._engine.model_from_bytes(bytes(damaged))


def test_every_truncation_is_seen():
    model, _, _ = small_model(max_depth=2)
    data = model.to_bytes()
    for length in range(len(data)):
        with pytest.raises(ValueError, match="not a valid fasttree model"):
            fasttree.from_bytes(data[:length])
    refused(data + b"x")
    refused(data + data)


@settings(max_examples=150, deadline=None)
@given(st.binary(max_size=200))
def test_bytes_that_are_no_model(data):
    refused(data)


def test_words_of_refusal(tmp_path):
    model, _, _ = small_model()
    data = model.to_bytes()
    assert "checksum does not match" in refused(data.replace(b'"yes"', b'"yet"'))
    assert "version 7" in refused(data.replace(b'"version":1', b'"version":7'))
    assert "truncated" in refused(data[:300])
    assert "format is 'something'" in refused(data.replace(b"fasttree model", b"something"))
    path = tmp_path / "broken.json"
    path.write_bytes(data[:-10])
    with pytest.raises(ValueError, match=r"broken\.json"):
        fasttree.load_model(path)
    with pytest.raises(FileNotFoundError):
        fasttree.load_model(tmp_path / "none.json")


def test_the_helper_forges_valid_files():
    model, X, _ = small_model()
    forged = fasttree.from_bytes(file_of(body_of(model.to_bytes())))
    assert np.array_equal(forged.predict(X), model.predict(X))


FORGERIES = {
    "parent of itself": ("parent", 2, 2),
    "parent ahead": ("parent", 1, 3),
    "second root": ("parent", 1, -1),
    "branch out of order": ("branch", 2, 5),
    "feature that is not there": ("feature", 0, 99),
    "leaf with a question": ("feature", -1, 0),
    "label beyond the classes": ("label", 1, 2),
    "label below -1": ("label", 1, -2),
    "missing branch that is not there": ("missing_branch", 0, 17),
    "children that are not there": ("n_children", 0, 9),
    "negative count": ("counts", 0, -1.0),
}


@pytest.mark.parametrize(("field", "place", "value"), FORGERIES.values(), ids=FORGERIES)
def test_wrong_indices_under_a_right_checksum(field, place, value):
    model, _, _ = small_model(max_depth=3)
    body = body_of(model.to_bytes())
    assert body[field][place] != value
    body[field][place] = value
    refused(file_of(body))


def test_wrong_documents_under_a_right_checksum():
    model, _, _ = small_model(max_depth=3)
    body = body_of(model.to_bytes())
    for field in body:
        shorter = copy.deepcopy(body)
        if isinstance(body[field], list):
            shorter[field].pop()
            refused(file_of(shorter))
        without = copy.deepcopy(body)
        del without[field]
        refused(file_of(without))
        for other in (None, [], {}, "x", 1e400, [None], [[1]], {"a": 1}):
            wrong = copy.deepcopy(body)
            wrong[field] = other
            if field == "parameters" and isinstance(other, dict):
                continue
            if field == "threshold" and other is None:
                continue
            refused(file_of(wrong))
    refused(file_of({**body, "extra": 1}))
    for text in ("", "null", "[]", "{}", "1", '"model"'):
        refused(file_of(text))
    for parameters in (
        [],
        3,
        "nonsense",
        json.dumps(body["parameters"]),
        {"criterion": {"name": "no such", "options": {}}},
        {"criterion": 5},
        {"class_weight": {"pairs": 3}},
        {"class_weight": {}},
    ):
        refused(file_of({**body, "parameters": parameters}))
    schema = copy.deepcopy(body["schema"])
    schema["classes"] = ["no", "no"]
    assert "declared twice" in refused(file_of({**body, "schema": schema}))
    schema = copy.deepcopy(body["schema"])
    schema["features"].pop(0)
    refused(file_of({**body, "schema": schema}))


def mutate(value, draw):
    """A value of the same kind of document, changed in one place."""
    strange = [
        -2,
        -1,
        0,
        1,
        2,
        3,
        7,
        255,
        65_536,
        2**31,
        2**32 - 1,
        2**32,
        2**63,
        1e308,
        -0.5,
        None,
        "x",
        [],
        {},
        True,
    ]
    if isinstance(value, dict) and value:
        key = draw.choice(sorted(value))
        return {**value, key: mutate(value[key], draw)}
    if isinstance(value, list) and value:
        place = draw.randrange(len(value))
        what = draw.random()
        if what < 0.1:
            return value[:place] + value[place + 1 :]
        if what < 0.2:
            return value[:place] + [value[place]] + value[place:]
        return [*value[:place], mutate(value[place], draw), *value[place + 1 :]]
    return draw.choice(strange)


@pytest.mark.parametrize("how", thinned(MODELS.values(), 3), ids=MODELS)
def test_forged_models_are_refused_or_behave(how):
    """Any change under a right checksum: refused, or a model that can be used without a crash."""
    model, X, _ = small_model(**how)
    body = body_of(model.to_bytes())
    draw, loaded = random.Random(11), 0
    for _ in range(400):
        forged = body
        for _ in range(draw.choice([1, 1, 1, 3])):
            forged = mutate(forged, draw)
        try:
            other = fasttree.from_bytes(file_of(forged))
        except ValueError as error:
            assert "not a valid fasttree model" in str(error)
            continue
        loaded += 1
        # Other names or kinds of columns are told.
        with contextlib.suppress(ValueError, TypeError), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            use(other, X)
    assert loaded > 10


@pytest.fixture(scope="module")
def chain():
    """A tree of 20,000 levels: accuracy gains one row at a time, the first of equal thresholds is
    taken."""
    n = 20_001
    X, y = np.arange(n, dtype=float)[:, None], np.arange(n) % 2
    return fasttree.fit(X, y, criterion="accuracy"), X, y


@pytest.mark.exhaustive
def test_a_chain_of_20000_levels(chain, tmp_path):
    model, X, y = chain
    assert (model.get_depth(), model.get_n_leaves(), model.n_nodes_) == (20_000, 20_001, 40_001)
    assert model.score(X, y) == 1.0
    assert model.to_text().count("\n") == 40_000
    assert model.to_dot().count("->") == 40_000
    model.save(tmp_path / "chain.json")
    other = fasttree.load_model(tmp_path / "chain.json")
    assert np.array_equal(other.predict(X), y)
    assert np.array_equal(other.predict_proba(X)[:, 1], y)
    assert other.apply(X[-3:]).tolist() == model.apply(X[-3:]).tolist()
    assert other.decision_path(X[[0, 10_000, -1]]).sum(axis=1).ravel().tolist()[0] == [
        2,
        10_002,
        20_001,
    ]
    assert (
        copy.deepcopy(model).to_bytes()
        == pickle.loads(pickle.dumps(model)).to_bytes()
        == model.to_bytes()
    )
    assert (len(model.trace_), model.cut(10_000).get_depth()) == (20_000, 10_000)
    assert model.cut(5).score(X, y) < 0.6
    assert model.explain(39_998, X, y)[0]["chosen"]
    assert model.feature_importances_.tolist() == [1.0]
    assert model.to_text(max_depth=3).count("\n") == 6


def test_a_model_grown_with_a_function_predicts_and_refuses_to_refit():
    def by_corner(tables):
        return np.abs(tables[:, 0, 0] / tables[:, 0].sum(axis=1) - 0.5)

    X, y = np.arange(20.0)[:, None], np.arange(20) > 7
    model = fasttree.fit(X, y, criterion=by_corner)
    other = fasttree.from_bytes(model.to_bytes())
    assert np.array_equal(other.predict(X), model.predict(X))
    assert "by_corner" in repr(other.criterion)
    with pytest.raises(ValueError, match="'by_corner', which was not saved"):
        other.fit(X, y)
    assert other.set_params(criterion="gini").fit(X, y).score(X, y) == 1.0


def test_the_file_is_one_json_document_with_sorted_facts():
    model, _, _ = small_model()
    document = json.loads(model.to_bytes())
    assert list(document) == ["format", "version", "checksum", "model"]
    assert document["model"]["parameters"]["criterion"] == "info_gain"
    assert document["model"]["parameters"].keys().isdisjoint(NOT_STORED)


def test_one_function_reads_the_files_of_all_models(tmp_path, capsys):
    from fasttree.cli import main

    table = fasttree.datasets.load_weather()
    camml = fasttree.bayesian_networks.CaMML(n_steps=500, random_state=0).fit(table)
    models = [
        fasttree.fit(table),
        fasttree.minimal_tree(table),
        fasttree.FastForestClassifier(n_estimators=2, random_state=0).fit(table),
        *(learner().fit(table) for learner in (NaiveBayes, TAN, AODE)),
        camml,
        camml.network_,
    ]
    path, kinds = tmp_path / "model.json", set()
    for model in models:
        model.save(path)
        again = fasttree.load(path)
        assert type(again) is type(model)
        assert again.to_bytes() == model.to_bytes() == path.read_bytes()
        kinds.add(fasttree._kind_of(model.to_bytes()))
        spaced = model.to_bytes().replace(b'{"format": ', b'\n{ "format" :', 1)
        assert type(fasttree.from_bytes(spaced)) is type(model)
    assert kinds == set(fasttree._READERS)
    assert fasttree.load_model is fasttree.load
    assert main(["show", str(path)]) == 2
    assert "holds a BayesianNetwork; the command reads trees" in capsys.readouterr().err
    path.write_bytes(path.read_bytes().replace(b"fasttree network", b"fasttree picture"))
    with pytest.raises(ValueError, match=r"model\.json: "):
        fasttree.load(path)


@pytest.mark.parametrize("turn", range(6))
def test_dates_at_any_place_answer_every_method(turn):
    """The parts of dates are the last columns; a file that has them elsewhere has plain columns."""
    frame = pd.DataFrame({"when": pd.Timestamp("2024-01-01") + pd.to_timedelta(range(60), "D")})
    frame["size"], frame["age"] = np.arange(60.0) % 7, np.arange(60) % 5
    y = (frame["when"].dt.day_of_week > 3) ^ (frame["size"] > 3) ^ (frame["age"] > 2)
    model = fasttree.fit(frame, y)
    body = body_of(model.to_bytes())
    features = body["schema"]["features"]
    order = [*range(turn, len(features)), *range(turn)]
    body["schema"]["features"] = [features[j] for j in order]
    body["feature"] = [j if j < 0 else order.index(j) for j in body["feature"]]
    again = fasttree.from_bytes(file_of(body))
    n = again.n_features_in_
    assert again.feature_importances_.shape == (n,)
    rows = pd.DataFrame({name: np.arange(9.0) % 8 for name in again.feature_names_in_})
    if turn == 0:
        rows = frame
    assert again.shap_values(rows).shape == (len(rows), n, 2)
    assert len(again.predict(rows)) == len(rows)
