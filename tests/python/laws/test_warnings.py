"""Warnings of public calls: each text once per call, at the line of the caller."""

from __future__ import annotations

import inspect
import warnings

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree import model_selection

RNG = np.random.default_rng(0)
ROWS = pd.DataFrame({"letter": list("abc") * 40, "z": RNG.normal(size=120)})
LABELS = np.where(ROWS.z + (ROWS.letter == "a") > 0.3, "p", "q")
NUMBERS = ROWS.z.to_numpy() + RNG.normal(size=120)
STRANGE = ROWS.assign(letter=ROWS.letter.where(ROWS.index % 7 > 0, "d"))
DATES = ROWS.assign(
    letter=pd.date_range("2024-01-01", periods=120).strftime("%d/%m/%Y").where(ROWS.index > 4, "?!")
)

MODELS = {
    "tree": lambda: fasttree.FastTreeClassifier(max_depth=3).fit(ROWS, LABELS),
    "number": lambda: fasttree.FastTreeRegressor(max_depth=3).fit(ROWS, NUMBERS),
    "forest": lambda: fasttree.FastForestClassifier(3, random_state=0).fit(ROWS, LABELS),
    "forest of numbers": lambda: fasttree.FastForestRegressor(3, random_state=0).fit(ROWS, NUMBERS),
    "optimal": lambda: fasttree.optimal_tree(ROWS, LABELS, max_depth=2),
    "naive Bayes": lambda: fasttree.naive_bayes.NaiveBayes().fit(ROWS, LABELS),
}

CALLS = {
    "fit": lambda X, y: fasttree.fit(X, y),
    "forest": lambda X, y: fasttree.FastForestClassifier(3, random_state=0).fit(X, y),
    "cross_validate": lambda X, y: model_selection.cross_validate(X, y, ["gini", "mdl"], cv="2x3"),
    "compare": lambda X, y: model_selection.compare({"a": (X, y)}, ["gini", "mdl"], cv="2x3"),
    "learning_curve": lambda X, y: model_selection.learning_curve(X, y, criterion="gini"),
    "advise": lambda X, y: fasttree.advise(X, y),
    "score_features": lambda X, y: fasttree.score_features(X, y, criterion="gini"),
    "optimal_tree": lambda X, y: fasttree.optimal_tree(X, y, max_depth=1),
    "explore": lambda X, y: fasttree.fit(ROWS, LABELS).explore(X, y, beside="gini"),
    "column": lambda X, y: fasttree.fit(X, pd.DataFrame({"y": y})),
}


def warned(call):
    """The texts of the warnings of a call, each of them at a line of this file."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        result = call()
        if inspect.isgenerator(result):
            list(result)
    ours = [one for one in found if "shap" not in one.filename]
    assert {one.filename for one in ours} <= {__file__}, {one.filename for one in ours}
    return [str(one.message) for one in ours]


@pytest.mark.parametrize("name", MODELS)
def test_methods_warn_once_of_levels_that_were_not_declared(name):
    model, heard = MODELS[name](), 0
    target = NUMBERS if "number" in name else LABELS
    for method in dir(model):
        bound = None if method.startswith(("_", "fit", "set_")) else getattr(model, method, None)
        if not inspect.ismethod(bound) or method in ("to_sklearn", "prune"):
            continue
        names = list(inspect.signature(bound).parameters)
        if names[:2] == ["X", "y"]:
            given = (STRANGE, target)
        elif names[:1] == ["X"]:
            given = (STRANGE,)
        elif names[:1] == ["row"]:
            given = (STRANGE.iloc[[0]],)
        else:
            continue
        try:
            texts = warned(lambda bound=bound, given=given: bound(*given))
        except (ValueError, TypeError, ImportError):  # refuses these rows, or lacks a package
            continue
        assert len(texts) == len(set(texts)), (method, texts)
        heard += any("not declared" in text for text in texts)
    assert heard >= 4


@pytest.mark.parametrize("name", CALLS)
def test_calls_warn_once_of_texts_that_are_no_dates(name):
    rows = DATES if name != "explore" else STRANGE
    texts = warned(lambda: CALLS[name](rows, LABELS))
    assert len(texts) == len(set(texts)), texts
    if name == "compare":
        assert all(text.startswith("a: ") for text in texts)
    if name != "explore":
        assert sum("not read as dates" in text for text in texts) == 1, texts


def test_scikit_learn_is_no_caller():
    from sklearn.model_selection import cross_val_score

    assert warned(lambda: cross_val_score(fasttree.FastTreeClassifier(), DATES, LABELS))


def test_a_zone_that_the_training_rows_had_not_is_said_at_the_line_that_predicts():
    hours = pd.date_range("2024-01-01", periods=120, freq="h")
    model = fasttree.fit(pd.DataFrame({"when": hours}), LABELS)
    new = pd.DataFrame({"when": hours.tz_localize("UTC")})
    (said,) = warned(lambda: model.predict(new))
    assert "none is known of the training rows" in said
