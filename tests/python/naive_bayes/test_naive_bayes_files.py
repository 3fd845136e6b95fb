"""Files of Bayesian classifiers: what comes back is what went in, and nothing damaged is
believed."""

from __future__ import annotations

import json

import numpy as np
import pytest

from fasttree import datasets, from_bytes, load
from fasttree.bayesian_networks.documents import canonical, checksum
from fasttree.discretize import EqualWidth
from fasttree.naive_bayes import AODE, TAN, NaiveBayes

MODELS = [
    NaiveBayes(),
    NaiveBayes(distribution={"petal width (cm)": "discretized"}, priors=np.array([0.2, 0.3, 0.5])),
    TAN(discretize=EqualWidth(4), missing="mode"),
    TAN(structure="wrapper", smoothing="m_estimate"),
    AODE(frequency_limit=2, discretize="equal_frequency", n_bins=3),
]


@pytest.mark.parametrize("model", MODELS, ids=lambda m: type(m).__name__)
def test_a_loaded_model_is_the_same_to_the_bit(model, tmp_path):
    table = datasets.load_iris()
    model.fit(table)
    model.save(tmp_path / "model.json")
    again = load(tmp_path / "model.json")
    assert type(again) is type(model)
    np.testing.assert_array_equal(again.predict_proba(table), model.predict_proba(table))
    np.testing.assert_array_equal(again.predict(table.X), model.predict(table.X))
    assert again.to_bytes() == model.to_bytes()
    assert (
        again.classes_.dtype == model.classes_.dtype
        and again.classes_.tolist() == model.classes_.tolist()
    )
    assert repr(again.discretize) == repr(model.discretize)
    for name in ("class_count_", "class_prior_", "feature_names_in_"):
        np.testing.assert_array_equal(getattr(again, name), getattr(model, name))
    assert again.cuts_.keys() == model.cuts_.keys()
    assert all(np.array_equal(again.cuts_[name], model.cuts_[name]) for name in model.cuts_)
    again.fit(table)  # the parameters are usable
    np.testing.assert_array_equal(again.predict_proba(table), model.predict_proba(table))


@pytest.mark.parametrize("learner", [NaiveBayes, TAN, AODE])
@pytest.mark.parametrize("labels", [[True, False], [3, 1], ["<a>", "\u05d0"], [1.0, 2.0]], ids=str)
def test_labels_levels_and_missing_cells_keep_their_types(learner, labels):
    X = [["a", "u"], ["b", None], ["a", "v"], [None, "u"]] * 4
    y = [labels[0], labels[1], labels[0], labels[1]] * 4
    model = learner().fit(X, y)
    again = from_bytes(model.to_bytes())
    np.testing.assert_array_equal(again.predict_proba(X), model.predict_proba(X))
    assert again.predict(X).tolist() == model.predict(X).tolist()
    assert not hasattr(again, "feature_names_in_")
    with pytest.warns(UserWarning, match="not declared when the model was fitted"):
        again.predict([["never", "u"]])


def changed(data: bytes, change) -> bytes:
    """The file with something else in its model, and a checksum that fits."""
    document = json.loads(data)
    change(document["model"])
    document["checksum"] = checksum(canonical(document["model"]))
    return json.dumps(document).encode()


@pytest.mark.parametrize(
    "change",
    [
        lambda m: m.update(learner="os.system"),
        lambda m: m.pop("core"),
        lambda m: m["parameters"].update(evil=1),
        lambda m: m["parameters"].update(discretize={"class": "__import__", "params": {}}),
        lambda m: m["features"].pop(),
        lambda m: m["features"][0].update(nominal=False),
        lambda m: m["features"][0]["levels"].append("more"),
        lambda m: m["features"][0].update(name=5),
        lambda m: m["classes"].append("more"),
        lambda m: m["classes"].__setitem__(0, {"a": 1}),
        lambda m: m["core"].update(readings=[]),
        lambda m: m["core"]["class_counts"].append(1.0),
        lambda m: m["core"]["kind"]["tan"].update(parents=[3, 3, 3, 3]),
        lambda m: m.update(features=None),
        lambda m: m.update(core=[]),
    ],
)
def test_contradictions_are_refused(change):
    data = TAN().fit(datasets.load_weather()).to_bytes()
    with pytest.raises(ValueError, match="not a valid fasttree"):
        from_bytes(changed(data, change))


def test_damage_and_other_files_are_refused(tmp_path):
    data = AODE().fit(datasets.load_weather()).to_bytes()
    assert changed(data, lambda m: None) and from_bytes(changed(data, lambda m: None))
    for cut in (0, 10, len(data) // 2, len(data) - 3):
        with pytest.raises(ValueError, match="not a (valid fasttree|fasttree Bayes) model"):
            from_bytes(data[:cut])
    place = data.index(b'"class_counts"') + 17
    flipped = data[:place] + (b"7" if data[place : place + 1] != b"7" else b"8") + data[place + 1 :]
    with pytest.raises(ValueError, match="damaged"):
        from_bytes(flipped)
    with pytest.raises(ValueError, match="version 99"):
        from_bytes(data.replace(b'"version": 1', b'"version": 99'))
    with pytest.raises(ValueError, match="not a valid fasttree model"):
        from_bytes(b"[" * 200_000)
    path = tmp_path / "model.json"
    path.write_bytes(data[:-20])
    with pytest.raises(ValueError, match=r"model\.json: not a fasttree Bayes model"):
        load(path)
    with pytest.raises(FileNotFoundError):
        load(tmp_path / "none.json")
    with pytest.raises(Exception, match="not fitted"):
        NaiveBayes().save(tmp_path / "none.json")


def places(value, path=()):
    """Paths of all numbers of a document."""
    if isinstance(value, dict):
        for key, one in value.items():
            yield from places(one, (*path, key))
    elif isinstance(value, list):
        for key, one in enumerate(value):
            yield from places(one, (*path, key))
    elif isinstance(value, (int, float)) and not isinstance(value, bool):
        yield path


@pytest.mark.parametrize("learner", [NaiveBayes, TAN, AODE])
@pytest.mark.parametrize("forged", [2.0**33, -1.0, 1e300, 10**400])
def test_forged_counts_are_refused_wherever_they_stand(learner, forged):
    data = learner().fit(datasets.load_weather()).to_bytes()
    core = json.loads(data)["model"]["core"]
    counted = {"class_counts", "counts", "pairs", "singles"}
    found = [path for path in places(core) if counted.intersection(map(str, path))]
    assert len(found) > 10
    for path in found[:: max(1, len(found) // 12)]:

        def change(model, path=path):
            at = model["core"]
            for key in path[:-1]:
                at = at[key]
            at[path[-1]] = forged

        with pytest.raises(ValueError, match="not a valid fasttree Bayes model|no JSON|damaged"):
            from_bytes(changed(data, change))


@pytest.mark.parametrize("level", [None, [], {}, "sunny", ["a"]])
def test_levels_are_labels_and_differ(level):
    data = NaiveBayes().fit(datasets.load_weather()).to_bytes()

    def change(model):
        model["features"][0]["levels"][0] = level
        model["features"][0]["levels"][1] = "sunny"

    with pytest.raises(ValueError, match="which is no label|a level twice"):
        from_bytes(changed(data, change))
