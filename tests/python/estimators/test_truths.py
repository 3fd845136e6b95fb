"""True and false are the same levels and classes in any case and type: files, Parquet, frames."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import fasttree
from fasttree import FastTreeClassifier, FastTreeRegressor

pd = pytest.importorskip("pandas")
pytest.importorskip("pyarrow")
FORMS = ["bools", "objects", "False.csv", "false.csv", "FALSE.csv", "bools.parquet", "categories"]


@pytest.fixture
def forms(tmp_path):
    rng = np.random.default_rng(0)
    flag = rng.random(200) < 0.4
    frame = pd.DataFrame({"flag": flag, "x": rng.random(200), "y": 2 * flag + rng.random(200) / 10})
    frame.to_parquet(tmp_path / "bools.parquet")
    for name in ("False", "false", "FALSE"):
        words = [name if not one else {"F": "True", "f": "true"}[name[0]] for one in flag]
        words = [word.upper() for word in words] if name.isupper() else words
        frame.assign(flag=words).to_csv(tmp_path / f"{name}.csv", index=False)
    own = {"bools": frame, "objects": frame.astype({"flag": object})}
    own["categories"] = frame.astype({"flag": str}).astype({"flag": "category"})
    return lambda form: own.get(form, tmp_path / form)


@pytest.mark.parametrize("form", FORMS)
def test_truths_match_in_any_form(form, forms):
    with warnings.catch_warnings():
        warnings.simplefilter("error", UserWarning)
        number = FastTreeRegressor().fit(forms(form), "y")
        truth = FastTreeClassifier().fit(forms(form), "flag")
        for other in FORMS:
            assert number.score(forms(other), "y") > 0.98, other
            assert truth.score(forms(other), "flag") == 1, other
            assert truth.evaluate(forms(other), "flag").accuracy == 1, other


def test_other_levels_are_matched_in_their_case():
    model = fasttree.fit({"a": ["true", "no"] * 9}, ["p", "q"] * 9)
    with pytest.warns(UserWarning, match="not declared.*'TRUE'"):
        model.predict({"a": ["TRUE", "no"]})


def test_long_columns_of_truths_match():
    model = fasttree.fit({"a": ["true", "false"] * 9}, ["p", "q"] * 9)
    found = model.predict({"a": np.arange(1_050_000) % 2 == 0})
    assert (found == np.array(["p", "q"] * 525_000)).all()
