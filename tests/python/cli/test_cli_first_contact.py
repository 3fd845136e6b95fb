"""What a newcomer types next works: options are remembered, and columns are told as they are."""

from __future__ import annotations

import json

import numpy as np
import pytest

pytest.importorskip("typer")


def people(path, n=200):
    rng = np.random.default_rng(0)
    age = rng.integers(18, 90, n)
    lines = zip(
        np.where(rng.random(n) < 0.2, 999, age),
        np.where(rng.random(n) < 0.3, "unknown", rng.integers(1, 9, n).astype(str)),
        np.where(age > 50, "a", "b"),
        strict=True,
    )
    path.write_text("age,grade,y\n" + "\n".join(",".join(map(str, one)) for one in lines))
    return path


@pytest.mark.parametrize(
    "typed",
    [["999,unknown"], ["999", "unknown"], ["age=999,grade=unknown"], ["age=999", "unknown"]],
    ids=" ".join,
)
def test_a_saved_model_needs_no_missing_again(ftree, tmp_path, typed):
    file, model = people(tmp_path / "a file.csv"), tmp_path / "a model.json"
    options = [word for one in typed for word in ("--missing", one)]
    code, out, err = ftree("fit", file, *options, "-m", model, "--json", tmp_path / "f.json")
    assert code == 0, err
    accuracy = json.loads((tmp_path / "f.json").read_text())["training_accuracy"]
    assert f"ftree predict '{model}' DATA" in out and "--missing" not in out
    for again in ([], options):
        code, out, err = ftree("predict", model, file, *again, "--json", "-")
        assert code == 0 and json.loads(out)["accuracy"] == pytest.approx(accuracy)
    code, _, err = ftree("predict", model, file, "--missing", "-9")
    assert code == 0 and "no cell is '-9'" in err


def test_a_missing_cell_of_a_column_that_is_none_is_refused(ftree, tmp_path):
    code, _, err = ftree("fit", people(tmp_path / "f.csv"), "--missing", "agee=999")
    assert code == 2 and "did you mean 'age'" in err and "missing=" not in err
