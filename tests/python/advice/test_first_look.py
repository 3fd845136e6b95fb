"""What a newcomer types first: names of columns and data sets, and objects that show themselves."""

from __future__ import annotations

import numpy as np
import pytest

import fasttree
from fasttree import datasets

FRAME = {"a": [0, 1, 0, 1, 2, 2], "b": ["x", "y", "x", "y", "y", "x"], "t": [0, 1, 0, 1, 1, 0]}


def test_a_column_of_a_frame_is_the_target_by_its_name():
    pd, pl = pytest.importorskip("pandas"), pytest.importorskip("polars")
    pa = pytest.importorskip("pyarrow")
    wanted = fasttree.fit({k: FRAME[k] for k in "ab"}, FRAME["t"]).to_text()
    for frame in (FRAME, pd.DataFrame(FRAME), pl.DataFrame(FRAME), pa.table(FRAME)):
        model = fasttree.fit(frame, "t")
        assert model.to_text() == wanted and list(model.feature_names_in_) == ["a", "b"]
        assert model.score(frame, "t") == 1.0
    frame = pd.DataFrame(FRAME)
    found = fasttree.model_selection.cross_validate(frame, "t", criterion="gini", cv="1x2")
    again = fasttree.model_selection.cross_validate(
        frame[["a", "b"]], frame["t"], criterion="gini", cv="1x2"
    )
    assert found.mean("gini", "accuracy") == again.mean("gini", "accuracy")
    assert len(fasttree.score_features(frame, "t", criterion="gini")) == 2
    forest = fasttree.FastForestClassifier(5, random_state=0).fit(frame, "t")
    assert forest.n_features_in_ == 2
    weighted = fasttree.fit(frame, "t", sample_weight=[1, 1, 1, 0, 1, 1])
    assert weighted.to_text() == fasttree.fit(frame.drop(index=3), "t").to_text()


def test_advice_about_the_target_names_forms_that_work():
    pd = pytest.importorskip("pandas")
    frame = pd.DataFrame(FRAME)
    with pytest.raises(ValueError, match=r"y='tt' is not a column of X.*did you mean 't'"):
        fasttree.fit(frame, "tt")
    with pytest.raises(ValueError, match="y='t': a name is a column of X when X is a frame"):
        fasttree.fit(np.zeros((2, 2)), "t")
    with pytest.raises(TypeError, match=r"target='t'.*fasttree.fit\(X, 't'\)"):
        fasttree.fit(frame, target="t")
    with pytest.raises(ValueError, match="name of a column of a frame"):
        fasttree.fit(frame)


def test_names_of_data_sets_go_wherever_a_table_goes(tmp_path):
    iris = datasets.load_iris()
    model = fasttree.fit("iris")
    assert model.to_text() == fasttree.fit(iris).to_text()
    assert model.score("iris") == 1.0 and len(model.predict("iris")) == 150
    found = fasttree.model_selection.cross_validate("iris", criterion="gini", cv="1x5")
    assert found.name == "iris"
    assert np.array_equal(
        fasttree.score_features("iris", criterion="gini"),
        fasttree.score_features(iris, criterion="gini"),
    )
    assert fasttree.pair_counts("weather", rows=[0, 1]) is not None
    assert fasttree.naive_bayes.NaiveBayes().fit("iris").score("iris") > 0.9
    file = tmp_path / "golf.csv"
    file.write_text("a,b,play\n1,x,no\n2,y,yes\n3,x,no\n")
    assert fasttree.fit(str(file), "b").classes_.tolist() == ["x", "y"]
    assert fasttree.fit(file).classes_.tolist() == ["no", "yes"]
    with pytest.raises(ValueError, match="names a data set, which brings its classes"):
        fasttree.fit("iris", [0] * 150)


def codes(n=200, missing=False):
    rng = np.random.default_rng(3)
    X = rng.integers(0, 3, (n, 4)).astype(float)
    y = (X[:, 0] == 1).astype(int)
    if missing:
        X[::17, 1] = np.nan
    return X, y


@pytest.mark.parametrize("missing", [False, True])
@pytest.mark.parametrize("kinds", ["all", [0, 2], ["x1"], [True, False, False, True]])
def test_categorical_features_of_a_table_are_those_of_an_array(kinds, missing):
    X, y = codes(missing=missing)
    whole = [["" if np.isnan(v) else int(v) for v in row] for row in X]
    whole = [[None if v == "" else v for v in row] for row in whole]
    table = fasttree.Table(X, y)
    options = {"categorical_features": kinds}
    from_rows, from_table = fasttree.fit(whole, y, **options), fasttree.fit(table, **options)
    assert from_table.to_text() == from_rows.to_text()
    assert from_table.to_text() != fasttree.fit(table).to_text() or kinds == ["x1"]
    assert from_table.predict(table).tolist() == from_rows.predict(whole).tolist()
    for criterion in ("relieff", "info_gain", "pi"):
        a = fasttree.score_features(table, criterion=criterion, **options)
        b = fasttree.score_features(whole, y, criterion=criterion, **options)
        assert np.array_equal(a, b, equal_nan=True)
    assert not np.array_equal(
        fasttree.score_features(table, criterion="relieff", categorical_features="all"),
        fasttree.score_features(table, criterion="relieff"),
    )
    a = fasttree.model_selection.cross_validate(table, criterion="gini", cv="1x4", **options)
    b = fasttree.model_selection.cross_validate(whole, y, criterion="gini", cv="1x4", **options)
    assert a["gini"]["accuracy"].tolist() == b["gini"]["accuracy"].tolist()
    forest = {"n_estimators": 5, "random_state": 0, **options}
    a = fasttree.FastForestClassifier(**forest).fit(table)
    assert a.to_bytes() == fasttree.FastForestClassifier(**forest).fit(whole, y).to_bytes()
    nb = fasttree.naive_bayes.NaiveBayes(**options)
    assert np.array_equal(nb.fit(table).predict_proba(table), nb.fit(whole, y).predict_proba(whole))


def test_a_nominal_column_of_a_table_that_is_no_number_cannot_become_one():
    table = datasets.load_weather()
    with pytest.raises((ValueError, TypeError), match="outlook"):
        fasttree.fit(table, categorical_features=None)
    with pytest.raises(ValueError, match="categorical_features.*did you mean 'windy'"):
        fasttree.fit(table, categorical_features=["wind"])


def test_turf_takes_masks_of_all_columns():
    X, y = codes()
    table = fasttree.Table(np.hstack([X, X[:, ::-1], X]), y)
    found = fasttree.turf(table, keep=3, categorical_features=[True] * 12)
    assert np.array_equal(
        found.scores, fasttree.turf(table, keep=3, categorical_features="all").scores
    )


def test_a_fitted_tree_prints_and_shows_itself():
    model = fasttree.FastTreeClassifier(criterion="gini")
    assert str(model) == "FastTreeClassifier(criterion='gini')"
    assert "FastTreeClassifier" in model._repr_html_()
    model.fit("iris")
    assert repr(model) == "FastTreeClassifier(criterion='gini')"
    lines = str(model).splitlines()
    assert lines[0] == "FastTreeClassifier(criterion='gini'): 9 leaves, 17 nodes, depth 5"
    assert "\n".join(lines[2:]) + "\n" == model.to_text()
    bundle = model._repr_mimebundle_()
    assert bundle["text/plain"] == str(model) and "<svg" in bundle["text/html"]
    rng = np.random.default_rng(0)
    large = fasttree.fit(rng.normal(size=(3000, 4)), rng.integers(0, 2, 3000))
    assert len(str(large).splitlines()) < 70 and "print(model.to_text())" in str(large)


def test_a_table_shows_its_head_types_levels_and_missing_cells():
    table = fasttree.Table([["<b>", 1.0], [None, 2.0]], ["no", "yes"], feature_names=["w", "n"])
    page = table._repr_html_()
    assert "&lt;b&gt;" in page and "<b>" not in page
    for said in ("nominal, 1 level", "numeric", "target, 2 classes", "missing"):
        assert said in page
    assert len(datasets.load_iris().head(3)) == 3
