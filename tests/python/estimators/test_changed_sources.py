"""Sources of batches that change between passes: refused by column, batch and pass, or harmless."""

from __future__ import annotations

import numpy as np
import pytest

import fasttree

pd = pytest.importorskip("pandas", reason="the batches are data frames")
pa = pytest.importorskip("pyarrow", reason="batches of Arrow need pyarrow")

SETTINGS = {"threshold_search": "histogram", "missing": "branch", "max_depth": 3}
REPEATS = "a source must give the same rows each time"


def rows(n=60):
    rng = np.random.default_rng(4)
    x = rng.normal(size=n)
    return pd.DataFrame(
        {
            "x": x,
            "few": rng.integers(0, 5, n),
            "c": rng.choice(["red", "green", "blue"], n),
            "b": rng.random(n) < 0.5,
            "w": rng.integers(1, 4, n),
            "y": np.where(x > 0, "up", "down"),
        }
    )


def cut(frame, size=20):
    return [frame.iloc[i : i + size] for i in range(0, len(frame), size)]


def with_cell(name, value, row=5):
    def change(batch):
        cells = batch[name].astype(object).tolist()
        cells[row] = value
        return batch.assign(**{name: cells})

    return change


def swapped(name):
    def change(batch):
        cells = batch[name].tolist()
        other = next(i for i, v in enumerate(cells) if v != cells[0])
        cells[0], cells[other] = cells[other], cells[0]
        return batch.assign(**{name: cells})

    return change


# name: the change of a batch, the words of the error
CHANGES = {
    "a number": (with_cell("x", 0.25), "column 'x' holds other values"),
    "a number goes missing": (with_cell("x", float("nan")), "column 'x' holds other values"),
    "two numbers are swapped": (swapped("x"), "column 'x' holds other values"),
    "a number turns infinite": (with_cell("x", float("inf")), "infinity"),
    "a number turns text": (lambda b: b.assign(x="high"), "column 'x' is nominal, but was numeric"),
    "text turns numbers": (lambda b: b.assign(c=1.0), "column 'c' is numeric, but was nominal"),
    "a known level": (with_cell("few", 77), "column 'few' holds other values"),
    "a new level": (with_cell("c", "violet"), "column 'c' holds other values"),
    "a level goes missing": (with_cell("c", None), "column 'c' holds other values"),
    "two levels are swapped": (swapped("c"), "column 'c' holds other values"),
    "a bool": (lambda b: b.assign(b=~b["b"]), "column 'b' holds other values"),
    "a new class": (with_cell("y", "level"), "column 'y' holds other values"),
    "a class": (swapped("y"), "column 'y' holds other values"),
    "a class goes missing": (with_cell("y", None), "no class label"),
    "a weight": (lambda b: b.assign(w=b["w"] + 1), "column 'w' holds other values"),
    "a weight of a part": (with_cell("w", 0.5), "whole weights"),
    "a column is gone": (lambda b: b.drop(columns="few"), "column 'few' is missing"),
    "a column is new": (lambda b: b.assign(z=1.0), "column 'z' is new"),
    "a column has another name": (lambda b: b.rename(columns={"few": "a"}), "'few' is missing"),
    "the order of the columns": (lambda b: b[[*b.columns[::-1]]], "column 'b' is at another place"),
    "the target is gone": (lambda b: b.drop(columns="y"), "'y' is not a column"),
    "the weights are gone": (lambda b: b.drop(columns="w"), "'w' is not a column"),
    "the rows are reversed": (lambda b: b.iloc[::-1], "holds other values"),
    "a row is doubled": (lambda b: b.iloc[[0, *range(len(b))]], "rows"),
    "a row is gone": (lambda b: b.iloc[1:], "rows|holds other values"),
    "no batch": (lambda b: 7, "a batch is a int"),
}  # fmt: skip

PLACES = [(2, 0), (2, 1), (3, 2)]
"""Pass and batch that change."""


def source(change, turn, place):
    """A function that gives the batches, one of which is changed from pass `turn` on."""
    passes = []

    def read():
        passes.append(1)
        for number, batch in enumerate(cut(rows())):
            yield change(batch) if number == place and len(passes) >= turn else batch

    return read


@pytest.mark.parametrize(("turn", "place"), PLACES)
@pytest.mark.parametrize("name", CHANGES)
def test_a_changed_batch_is_refused_by_column_batch_and_pass(name, turn, place):
    change, words = CHANGES[name]
    with pytest.raises((ValueError, TypeError), match=words) as caught:
        fasttree.fit(source(change, turn, place), "y", sample_weight="w", **SETTINGS)
    text = str(caught.value)
    if name == "no batch":
        return
    assert f"pass {turn}" in text
    assert "row" in words or f"batch {place} of pass {turn}" in text


@pytest.mark.parametrize("turn", [2, 3])
@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda batches: batches[:-1], "gave 60 rows in pass 1 but 40 in pass"),
        (lambda batches: [], "gave 60 rows in pass 1 but 0 in pass"),
        (lambda batches: [*batches, batches[0]], "batch 3 of pass . ends at row 80"),
        (lambda batches: batches[::-1], "batch 0 of pass . holds other values|holds other values"),
        (lambda batches: None, "came as a NoneType; give an iterable"),
    ],
)
def test_batches_that_are_gone_or_new(change, words, turn):
    passes = []

    def read():
        passes.append(1)
        batches = cut(rows())
        return change(batches) if len(passes) >= turn else batches

    with pytest.raises((ValueError, TypeError), match=words):
        fasttree.fit(read, "y", sample_weight="w", **SETTINGS)


HARMLESS = {
    "other batches": lambda frame, turn: cut(frame, 7 + turn),
    "numbers as floats": lambda frame, turn: (
        cut(frame.astype({"few": float}) if turn > 1 else frame)
    ),
    "an empty batch": lambda frame, turn: [frame.iloc[:0], *cut(frame)] if turn > 1 else cut(frame),
    "tables of Arrow": lambda frame, turn: (
        [pa.Table.from_pandas(b, preserve_index=False) for b in cut(frame)]
        if turn > 1
        else cut(frame)
    ),
    "categories": lambda frame, turn: (
        [b.assign(c=pd.Categorical(b["c"])) for b in cut(frame)] if turn > 1 else cut(frame)
    ),
}  # fmt: skip


@pytest.mark.parametrize("forest", [False, True])
@pytest.mark.parametrize("name", HARMLESS)
def test_the_same_rows_in_another_form_give_the_same_model(name, forest):
    passes = []

    def read():
        passes.append(1)
        return HARMLESS[name](rows(), len(passes))

    kind = fasttree.FastForestClassifier if forest else fasttree.FastTreeClassifier
    own = {"random_state": 0, **SETTINGS, **({"n_estimators": 3} if forest else {})}
    found = kind(**own).fit(read, "y", "w")
    expected = kind(**own).fit(lambda: cut(rows()), "y", "w")
    assert found.to_bytes() == expected.to_bytes()


@pytest.mark.parametrize("library", ["arrow", "pandas"])
def test_a_bool_column_that_is_null_in_a_whole_batch_is_nominal(library):
    cells = [True, False, None, True]
    whole = pa.table({"x": pa.array(cells), "y": ["a", "b", "a", "b"]})
    expected = fasttree.fit(whole, "y", **SETTINGS)
    batches = [whole.slice(i, 1) for i in range(4)]
    if library == "pandas":
        batches = [b.to_pandas().astype({"x": "boolean"}) for b in batches]
    found = fasttree.fit(lambda: batches, "y", **SETTINGS)
    assert found.to_bytes() == expected.to_bytes()
    assert found._schema.nominal == [True]
