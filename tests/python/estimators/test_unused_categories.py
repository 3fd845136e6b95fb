"""Categories of y that no row has are no classes; declared levels of a Table are."""

from __future__ import annotations

import numpy as np
import pytest
from sklearn.calibration import CalibratedClassifierCV
from sklearn.datasets import load_iris
from sklearn.inspection import partial_dependence
from sklearn.model_selection import cross_val_score

import fasttree
from fasttree import FastForestClassifier, FastTreeClassifier, Table

pd = pytest.importorskip("pandas")


def flowers():
    """Iris without its first class, of which y keeps the category."""
    X, y = load_iris(return_X_y=True, as_frame=True)
    return X.assign(c=y.astype(str).astype("category")).query("c != '0'")


def flowers_of_polars(kind):
    """The same rows as a Polars frame, y as Enum or Categorical."""
    pl = pytest.importorskip("polars")
    frame = flowers()
    labels = frame["c"].astype(str).tolist()
    numbers = {name: frame[name].to_numpy() for name in frame.columns[:-1]}
    dtype = pl.Enum(["0", "1", "2"]) if kind == "Enum" else pl.Categorical
    whole = pl.DataFrame({**numbers, "c": pl.Series(["0", *labels[1:]], dtype=dtype)})
    return whole[1:]


FRAMES = {
    "pandas": flowers,
    "Polars Enum": lambda: flowers_of_polars("Enum"),
    "Polars Categorical": lambda: flowers_of_polars("Categorical"),
}


def halves(frame):
    """Features and labels of a frame of either library."""
    features = frame.drop(columns="c") if hasattr(frame, "iloc") else frame.drop("c")
    return features, frame["c"]


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
@pytest.mark.parametrize("model", [FastTreeClassifier(), FastForestClassifier(3)])
def test_a_category_without_rows_is_no_class(frame, model):
    frame = frame()
    X, y = halves(frame)
    expected = np.unique(np.asarray(y)).tolist()
    assert model.fit(X, y).classes_.tolist() == expected == ["1", "2"]
    assert model.fit(frame, "c").classes_.tolist() == expected
    assert model.predict_proba(X).shape == (len(X), 2)
    assert fasttree.fit(frame, "c").classes_.tolist() == expected
    assert Table(frame, target="c").classes == ("1", "2")


@pytest.mark.parametrize("frame", FRAMES.values(), ids=FRAMES)
def test_scikit_learn_scores_models_of_such_rows(frame):
    X, y = halves(frame())
    tree = FastTreeClassifier(max_depth=2)
    assert cross_val_score(tree, X, y, scoring="roc_auc").min() > 0.8
    assert np.isfinite(cross_val_score(tree, X, y, scoring="neg_log_loss")).all()


def test_scikit_learn_calibrates_and_explains_such_models():
    X, y = halves(flowers())
    calibrated = CalibratedClassifierCV(FastTreeClassifier(max_depth=2)).fit(X, y)
    assert calibrated.classes_.tolist() == ["1", "2"]
    assert calibrated.predict_proba(X).shape == (100, 2)
    tree = FastTreeClassifier().fit(X, y)
    assert partial_dependence(tree, X, [0])["average"].shape[0] == 1


@pytest.mark.parametrize("scoring", ["roc_auc_ovr", "neg_log_loss"])
def test_scikit_learn_scores_a_categorical_target_as_its_strings(scoring):
    """Its scorers take columns of probabilities in the order of sorted labels."""
    X = np.random.default_rng(0).normal(size=(200, 2))
    labels = np.array(["well", "icu", "home"])[np.digitize(X[:, 0], [-0.5, 0.5])]
    y = pd.Categorical(labels, categories=["well", "icu", "home", "lost"])
    tree = FastTreeClassifier(max_depth=1)
    assert tree.fit(X, y).classes_.tolist() == ["home", "icu", "well"]
    of_categories, of_strings = (
        cross_val_score(tree, X, target, scoring=scoring) for target in (y, labels)
    )
    assert of_categories.tolist() == of_strings.tolist()


def test_the_remaining_categories_are_sorted():
    y = pd.Categorical(["low", "high", "low"], categories=["none", "low", "mid", "high"])
    table = Table([[0.0], [1.0], [0.5]], y)
    assert table.classes == ("high", "low") and table.y_codes.tolist() == [1, 0, 1]
    y = pd.Categorical(["low", None], categories=["none", "low"])
    with pytest.raises(ValueError, match="row 1 of the target"):
        Table([[0.0], [1.0]], y)


def test_declared_levels_of_a_table_and_of_arff_files_stay(tmp_path):
    frame = flowers()
    declared = Table(frame, target="c", levels={"c": ["0", "1", "2"]})
    assert fasttree.fit(declared).classes_.tolist() == ["0", "1", "2"]
    path = tmp_path / "three.arff"
    path.write_text("@relation r\n@attribute x numeric\n@attribute y {a,b,c}\n@data\n1,a\n2,c\n")
    assert fasttree.fit(fasttree.datasets.load(path)).classes_.tolist() == ["a", "b", "c"]


def test_categories_of_a_parquet_file_are_those_of_its_frame(tmp_path):
    pytest.importorskip("pyarrow")
    path = tmp_path / "flowers.parquet"
    flowers().to_parquet(path)
    assert fasttree.datasets.load(path).classes == ("1", "2")
    assert fasttree.fit(path).classes_.tolist() == ["1", "2"]


def test_batches_have_the_classes_of_all_rows_together():
    """A category that one batch lacks and another has is a class."""
    frame = pd.DataFrame({"x": np.arange(40.0), "y": ["b"] * 20 + ["a"] * 20})
    frame["y"] = pd.Categorical(frame["y"], categories=["none", "b", "a"])
    parts = [frame[:20], frame[20:]]
    tree = FastTreeClassifier(threshold_search="histogram").fit(lambda: iter(parts), "y")
    assert tree.classes_.tolist() == ["a", "b"] == fasttree.fit(frame, "y").classes_.tolist()
    assert tree.score(frame[["x"]], frame["y"].astype(str)) == 1.0
