"""FoldOutputs that are interrupted: raised as always, or the finished part, which says so."""

from __future__ import annotations

import numpy as np
import pytest

import fasttree
from fasttree import experiments, model_selection
from fasttree.experiments.f_measure import run as f_measure
from fasttree.model_selection import interrupts

RNG = np.random.default_rng(3)
X = RNG.integers(0, 4, (90, 4)).astype(float)
Y = (X[:, 0] + X[:, 1] > 3).astype(int) ^ (RNG.random(90) < 0.1)


class Key:
    """A progress function that presses Ctrl-C at a count."""

    def __init__(self, at: int):
        self.at = at

    def __call__(self, done: int, total: int) -> None:
        if done >= self.at:
            raise KeyboardInterrupt


def criterion(calls, at=None):
    """A criterion that counts its calls and presses Ctrl-C at one: in the middle of a fold."""

    def score(tables):
        calls.append(len(tables))
        if len(calls) == at:
            raise KeyboardInterrupt
        return -tables.min(axis=(1, 2))

    return score


HOW = {"criterion": ["gini", "info_gain"], "cv": "4x5", "keep_proba": True}


def assert_same_folds(kept, whole):
    n = len(kept.folds.pairs)
    rows = len(kept.folds.test_rows)
    for method in whole:
        for metric in ("accuracy", "leaves", "depth"):
            np.testing.assert_array_equal(kept[method][metric], whole[method][metric][:n])
        np.testing.assert_array_equal(kept[method].predictions, whole[method].predictions[:rows])
        np.testing.assert_array_equal(kept[method].proba, whole[method].proba[:rows])
    np.testing.assert_array_equal(kept.true_codes, whole.true_codes[:rows])


def test_a_run_that_may_be_interrupted_has_the_same_numbers():
    whole = model_selection.cross_validate(X, Y, **HOW)
    for cv in ("4x5", "1x5"):
        reports = []
        how = {**HOW, "cv": cv}
        again = model_selection.cross_validate(
            X, Y, **how, on_interrupt="return", progress=lambda *now: reports.append(now)
        )
        assert again.unfinished == 0 and reports[-1][0] == reports[-1][1]
        assert [done for done, _ in reports] == sorted(done for done, _ in reports)
        assert_same_folds(again, model_selection.cross_validate(X, Y, **how))
    assert "Interrupted" not in whole.to_text()


def test_cross_validation_keeps_finished_repetitions():
    whole = model_selection.cross_validate(X, Y, **HOW)
    with pytest.warns(interrupts.InterruptedWarning, match="2 of 4 repetitions"):
        kept = model_selection.cross_validate(
            X, Y, **HOW, on_interrupt="return", progress=Key(2 * 10 + 10)
        )
    assert kept.folds.n_repeats == 2 and kept.unfinished == 10
    assert "Interrupted: 10 folds are not finished." in kept.to_text()
    assert_same_folds(kept, whole)
    assert kept.repeat_means("gini", "accuracy").shape == (2,)


def test_cross_validation_of_one_repetition_keeps_finished_folds():
    calls = []
    whole = model_selection.cross_validate(X, Y, cv="1x6", criterion=criterion(calls))
    for part in (0.3, 0.5, 0.9):
        fits = {"cv": "1x6", "criterion": criterion([], int(part * len(calls)))}
        with pytest.warns(interrupts.InterruptedWarning, match="of 6 folds"):
            kept = model_selection.cross_validate(X, Y, **fits, on_interrupt="return")
        n = len(kept.folds.pairs)
        assert 0 < n < 6 and kept.unfinished == 6 - n
        (mine,), (theirs,) = kept.values(), whole.values()
        np.testing.assert_array_equal(mine["accuracy"], theirs["accuracy"][:n])


def test_an_interrupt_is_raised_unless_told_otherwise_and_before_anything_is_finished():
    for how in ({}, {"on_interrupt": "raise"}, {"on_interrupt": "return"}):
        with pytest.raises(KeyboardInterrupt):
            model_selection.cross_validate(X, Y, **HOW, **how, progress=Key(1))
    with pytest.raises(KeyboardInterrupt):
        model_selection.cross_validate(X, Y, **HOW, progress=Key(25))
    words = "on_interrupt='stop' is not known; use 'raise', 'return'"
    with pytest.raises(ValueError, match=words):
        model_selection.cross_validate(X, Y, on_interrupt="stop")
    with pytest.raises(ValueError, match=words):
        model_selection.compare({"a": (X, Y)}, ["gini"], on_interrupt="stop")
    with pytest.raises(ValueError, match=words):
        experiments.run("f-measure", on_interrupt="stop")


def test_comparisons_keep_finished_data_sets():
    sets = {name: fasttree.Table(X, Y) for name in ("a", "b", "c")}
    whole = model_selection.compare(sets, ["gini", "info_gain"], cv="2x5")
    with pytest.warns(interrupts.InterruptedWarning, match="1 of 3 data sets"):
        kept = model_selection.compare(
            sets, ["gini", "info_gain"], cv="2x5", on_interrupt="return", progress=Key(2)
        )
    assert kept.datasets == ("a",) and kept.unfinished == ("b", "c")
    np.testing.assert_array_equal(kept.means, whole.means[:1])
    for result in (kept, kept.with_metric("leaves")):
        assert "Interrupted; not finished: b, c." in result.to_text()
    with pytest.raises(KeyboardInterrupt):
        model_selection.compare(sets, ["gini"], cv="2x5", progress=Key(2))


def test_reproductions_keep_finished_data_sets(monkeypatch, tmp_path):
    for name in f_measure.SMALLEST_SPLIT:
        table = fasttree.Table(X, Y)
        lines = [",".join(["a", "b", "c", "d", "class"])]
        lines += [",".join(map(str, [*row, label])) for row, label in zip(table.X, Y)]
        (tmp_path / f"fmeasure-{name}.csv").write_text("\n".join(lines), encoding="utf-8")
    how = {"quick": True, "n_jobs": 1}
    whole = experiments.run("f-measure", tmp_path, **how)
    assert whole.unfinished == [] and "unfinished" not in whole.document()
    with pytest.warns(interrupts.InterruptedWarning, match="1 of 3 data sets"):
        kept = experiments.run("f-measure", tmp_path, **how, on_interrupt="return", progress=Key(2))
    first = list(dict.fromkeys(row.dataset for row in whole.rows))[0]
    assert [r for r in kept.rows if r.dataset == first] == [
        r for r in whole.rows if r.dataset == first
    ]
    assert len(kept.unfinished) == 2 and kept.document()["unfinished"] == kept.unfinished
    assert f"not finished: {', '.join(kept.unfinished)}." in kept.to_text()


def test_comparisons_with_a_journal_keep_whole_data_sets_or_raise_the_interrupt_itself(tmp_path):
    sets = {name: fasttree.Table(X, Y) for name in ("a", "b")}
    how = {"cv": "2x5", "random_state": 0, "on_interrupt": "return"}
    calls = []
    model_selection.compare(sets, criteria=[criterion(calls)], **how)

    def interrupted(part):
        score = criterion([], int(part * len(calls)))
        journal = tmp_path / f"{part}.jsonl"
        return model_selection.compare(sets, criteria=[score], journal=journal, **how)

    with pytest.raises(KeyboardInterrupt) as raised:
        interrupted(0.2)
    assert "score" in [entry.name for entry in raised.traceback]
    with pytest.warns(interrupts.InterruptedWarning):
        kept = interrupted(0.8)
    assert kept.datasets == ("a",) and kept.unfinished == ("b",)
