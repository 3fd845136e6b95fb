"""Journals: a run that was killed goes on where it was, and nothing else is believed."""

from __future__ import annotations

import base64
import json
import os
import re
import sys
import textwrap
import time
import warnings
import zlib

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.metrics import accuracy_score, f1_score, make_scorer
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import fasttree
from fasttree import experiments, model_selection
from fasttree.datasets.errors import DataFileError
from fasttree.model_selection import execution, interrupts, units
from fasttree.model_selection.journal import Journal, read_journal

from ..tools import run_script

RNG = np.random.default_rng(5)
X = RNG.integers(0, 4, (80, 4)).astype(float)
Y = (X[:, 0] + X[:, 1] > 3).astype(int) ^ (RNG.random(80) < 0.1)
HOW = {
    "criterion": ["gini", "pi"],
    "estimators": {"bayes": GaussianNB(), "tree": DecisionTreeClassifier(random_state=0)},
    "cv": "2x4",
    "scoring": ["accuracy", "auc"],
}


@pytest.fixture(autouse=True)
def small_units(monkeypatch):
    """Units of a fold or two, so that a small run has many."""
    monkeypatch.setattr(units, "TARGET", 2e-3)


def assert_same(one, other):
    """Two cross-validations are equal to the bit, but for the seconds."""
    assert one.methods == other.methods and one.skipped == other.skipped
    for name in one:
        assert one[name].predictions.tobytes() == other[name].predictions.tobytes()
        assert (one[name].proba is None) == (other[name].proba is None)
        if one[name].proba is not None:
            assert one[name].proba.tobytes() == other[name].proba.tobytes()
        for metric in one[name]:
            if metric != "seconds":
                np.testing.assert_array_equal(one[name][metric], other[name][metric])
    assert one.true_codes.tobytes() == other.true_codes.tobytes()


@pytest.fixture(scope="module")
def whole():
    return model_selection.cross_validate(X, Y, **HOW)


@pytest.fixture
def journal(tmp_path):
    path = tmp_path / "run.journal"
    model_selection.cross_validate(X, Y, **HOW, journal=path)
    return path


def test_a_journal_changes_nothing_and_a_finished_run_fits_nothing(tmp_path, whole, monkeypatch):
    path = tmp_path / "run.journal"
    assert_same(model_selection.cross_validate(X, Y, **HOW, journal=path), whole)
    known = read_journal(path)
    assert known["units"] == known["units_done"] > 6 and not known["running"]
    monkeypatch.setattr(execution, "run_unit", lambda *_: pytest.fail("fitted again"))
    assert_same(model_selection.cross_validate(X, Y, **HOW, journal=path), whole)
    assert_same(model_selection.cross_validate(X, Y, **HOW, n_jobs=2, journal=path), whole)


def test_a_journal_cut_anywhere_gives_the_same_result(journal, whole):
    content = journal.read_bytes()
    for at in [0, 1, 9, *np.random.default_rng(0).integers(0, len(content), 25).tolist()]:
        journal.write_bytes(content[:at])
        if at:
            left = read_journal(journal)
            assert left["bytes_dropped"] == at - (content[:at].rfind(b"\n") + 1)
        assert_same(model_selection.cross_validate(X, Y, **HOW, journal=journal), whole)
        known = read_journal(journal)["tasks"][0]
        assert known["units_done"] == known["units"]
        assert set(known["finished"].values()) == {8}


KILLED = """
import os, signal, sys, time
import numpy as np
import fasttree
from fasttree import model_selection
from fasttree.model_selection import units
units.TARGET = 1e-3
folder, kills, seed = {folder!r}, {kills}, {seed}
rng = np.random.default_rng(seed)
X = rng.integers(0, 4, (120, 5)).astype(float)
y = (X[:, 0] * X[:, 1] + X[:, 2] > 4).astype(int)
sets = {{"a": (X, y), "b": (X[:90, :4], y[:90]), "c": fasttree.datasets.load_weather()}}
path = os.path.join(folder, "run.journal")

def run(journal=None):
    return model_selection.compare(sets, ["gini", "pi"], cv="6x3", journal=journal)

def values(found):
    return [found[s][m].predictions.tobytes() + found[s][m]["leaves"].tobytes()
            for s in found for m in found[s]] + [found.to_text()]

truth = values(run())
run(path)
size = os.path.getsize(path)
partial = 0
for kill in range(kills):
    os.remove(path)
    target = int(rng.integers(0, size))
    child = os.fork()
    if not child:
        run(path)
        os._exit(0)
    while os.waitpid(child, os.WNOHANG)[0] == 0:
        if os.path.exists(path) and os.path.getsize(path) >= target:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            break
        time.sleep(rng.random() * 2e-4)
    partial += os.path.getsize(path) < size
    assert values(run(path)) == truth, target
assert partial, "every child had finished before it was killed"
print("equal")
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="kills forked children")
@pytest.mark.parametrize(
    "kills", [10, pytest.param(50, marks=pytest.mark.exhaustive)], ids=["few", "many"]
)
def test_a_run_killed_at_any_moment_goes_on(tmp_path, kills):
    done = run_script(KILLED.format(folder=str(tmp_path), kills=kills, seed=kills), timeout=600)
    assert done.stdout.strip().endswith("equal"), done.stderr[-3000:]


def test_a_damaged_journal_is_refused_by_its_line_or_changes_nothing(journal, whole):
    content = journal.read_bytes()
    rng = np.random.default_rng(1)
    refused = 0
    for _ in range(300):
        bad = bytearray(content)
        for _ in range(int(rng.integers(1, 4))):
            at = int(rng.integers(len(bad)))
            kind = rng.integers(4)
            if kind == 0:
                bad[at] ^= int(rng.integers(1, 256))
            elif kind == 1:
                del bad[at : at + int(rng.integers(1, 200))]
            elif kind == 2:
                bad[at:at] = rng.bytes(int(rng.integers(1, 50)))
            else:  # lines change places, or one is there twice
                lines = bytes(bad).split(b"\n")
                i, j = rng.integers(len(lines), size=2)
                lines[i] = lines[j]
                bad = bytearray(b"\n".join(lines))
        journal.write_bytes(bad)
        try:
            found = model_selection.cross_validate(X, Y, **HOW, journal=journal)
        except DataFileError as error:
            refused += 1
            assert f"{journal}, line {error.line}" in str(error) and error.line >= 1
            assert "give another file" in str(error)
            # A plan may turn out to be another one after some units: these are added, none is lost.
            assert journal.read_bytes().startswith(bytes(bad))
        else:
            assert_same(found, whole)
    assert 100 < refused < 300


def rewritten(journal, change):
    """The journal with one record changed and its checksum right: what no damage makes."""
    lines = journal.read_bytes().split(b"\n")
    for number, line in enumerate(lines[:-1]):
        record = json.loads(line[9:])
        if change(record):
            text = json.dumps(record).encode()
            lines[number] = b"%08x %s" % (zlib.crc32(text), text)
            break
    journal.write_bytes(b"\n".join(lines))
    return number + 1


@pytest.mark.parametrize(
    "change",
    [
        {"methods": ["else"]},
        {"methods": 7},
        {"methods": []},
        {"errors": {"pi": ["ValueError", "no"], "else": ["ValueError", "no"]}},
        {"output": None},
        {"output": "no base64"},
        {"output": base64.b64encode(b"not compressed").decode()},
        {"output": base64.b64encode(zlib.compress(b"too short")).decode()},
        {"output": base64.b64encode(zlib.compress(bytes(10**6))).decode()},
        {"stop": 10**9},
        {"start": "0"},
        {"task": -1},
        {"what": "else"},
        {"errors": {"0": ["OSError", "no"]}},
    ],
    ids=str,
)
def test_a_record_that_is_none_is_refused_by_its_line(journal, change):
    line = rewritten(journal, lambda r: r["what"] == "unit" and (r.update(change) or True))
    with pytest.raises(DataFileError, match=rf"line {line}: .*give another file"):
        model_selection.cross_validate(X, Y, **HOW, journal=journal)


def test_rows_that_are_rightly_unclassified_are_believed(tmp_path):
    levels = np.array(list("abcdefgh"))[RNG.integers(0, 8, (60, 3))]
    how = {"nominal_splits": "multiway", "empty_branch": "unclassified", "cv": "1x3"}
    how |= {"scoring": ["auc"], "criterion": ["gini"], "journal": tmp_path / "j"}
    first = model_selection.cross_validate(levels, Y[:60], **how)
    assert (first["gini"].predictions < 0).any()
    assert_same(model_selection.cross_validate(levels, Y[:60], **how), first)


class _Slow(GaussianNB):
    """A fit of 20 ms, which no model of costs can know."""

    def fit(self, X, y, sample_weight=None):
        time.sleep(0.02)
        return super().fit(X, y, sample_weight)


def test_units_are_planned_by_the_time_that_the_first_folds_take(tmp_path, monkeypatch):
    monkeypatch.setattr(units, "TARGET", 0.1)
    path = tmp_path / "j"
    how = {"criterion": ["gini"], "estimators": {"slow": _Slow()}, "cv": "2x10"}
    model_selection.cross_validate(X, Y, **how, journal=path)
    with Journal(path) as journal:
        (task,) = journal.tasks
    sizes = {"gini": [], "slow": []}
    for _, record in task.done:
        (name,) = record["methods"]
        sizes[name].append(record["stop"] - record["start"])
    assert sum(sizes["slow"]) == 20 and sizes["slow"][0] == 1 and max(sizes["slow"]) <= 5
    assert max(sizes["gini"]) >= 5


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="has no such devices")
def test_what_keeps_nothing_is_refused(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    os.symlink("/dev/full", tmp_path / "link")
    for path in ("/dev/full", "/dev/null", tmp_path / "pipe", tmp_path / "link"):
        with pytest.raises(ValueError, match=r"is a device, a pipe or a socket.*path of a file"):
            model_selection.cross_validate(X, Y, **HOW, journal=path)
        with pytest.raises(ValueError, match="is a device, a pipe or a socket"):
            read_journal(path)


def test_a_full_disk_is_said_and_the_next_run_goes_on(tmp_path, whole, monkeypatch):
    path = tmp_path / "j"
    sync = os.fsync
    calls = iter(range(100))

    def full(number):
        if next(calls) == 4:
            raise OSError(28, "No space left on device")
        sync(number)

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="cannot be written .No space left.*make room") as caught:
        model_selection.cross_validate(X, Y, **HOW, journal=path)
    assert caught.value.filename == str(path) and caught.value.errno == 28
    monkeypatch.undo()
    assert read_journal(path)["units_done"] > 0
    assert_same(model_selection.cross_validate(X, Y, **HOW, journal=path), whole)


@pytest.mark.parametrize("change", [{"methods": 9}, {"folds": "many"}, {"settings": []}], ids=str)
def test_a_task_that_is_none_is_refused(journal, change):
    rewritten(journal, lambda r: r["what"] == "task" and (r.update(change) or True))
    with pytest.raises(DataFileError, match="line 2: is no task"):
        read_journal(journal)


OTHER = {
    "cv": ({"cv": "2x5"}, r"cv: '2x4' in the journal, '2x5' now"),
    "seed": ({"random_state": 1}, r"random_state: 0 in the journal, 1 now"),
    "tree": ({"max_depth": 3}, r"gini: max_depth: None in the journal, 3 now"),
    "metric": (
        {"scoring": ["accuracy"]},
        r"probabilities for scoring \(--metric\): 'scores' in the journal, None now",
    ),
    "scorer": (
        {"scoring": ["auc", make_scorer(accuracy_score)]},
        r"scorers of fitted estimators in scoring: {} in the journal, {.*accuracy_score.* now",
    ),
    "method": (
        {"criterion": ["gini"]},
        r"methods: gini, pi, bayes, tree in the journal; gini, bayes, tree now",
    ),
    "estimator": (
        {"estimators": {"bayes": GaussianNB(var_smoothing=0.1), "tree": GaussianNB()}},
        r"bayes: var_smoothing: 1e-09 in the journal, 0.1 now",
    ),
}


def test_a_finished_journal_gives_other_metrics(journal):
    """In any order, and those of trees: all that needs no other output of the methods."""
    content = journal.read_bytes()
    scoring = ["auc", "leaves", "depth", "accuracy"]
    how = {**HOW, "scoring": scoring}
    found = model_selection.cross_validate(X, Y, **how, journal=journal)
    assert journal.read_bytes() == content and list(found.metrics) == scoring
    assert_same(found, model_selection.cross_validate(X, Y, **how))


def test_scorers_of_fitted_estimators_are_kept_in_any_order(tmp_path):
    scorers = [make_scorer(accuracy_score), make_scorer(f1_score)]
    how = {"criterion": ["gini"], "cv": "1x3", "journal": tmp_path / "j"}
    first = model_selection.cross_validate(X, Y, scoring=scorers, **how)
    assert_same(model_selection.cross_validate(X, Y, scoring=scorers[::-1], **how), first)


@pytest.mark.parametrize("name", OTHER)
def test_other_settings_are_refused_by_name(journal, name):
    change, said = OTHER[name]
    content = journal.read_bytes()
    with pytest.raises(ValueError, match=said):
        model_selection.cross_validate(X, Y, **{**HOW, **change}, journal=journal)
    assert journal.read_bytes() == content


def test_other_data_functions_and_versions_are_refused(tmp_path, journal):
    other = X.copy()
    other[7, 2] += 1
    for data in ((other, Y), (X, 1 - Y), (X[:, [1, 0, 2, 3]], Y)):
        with pytest.raises(ValueError, match=r"data: \w+ in the journal, \w+ now"):
            model_selection.cross_validate(*data, **HOW, journal=journal)
    path = tmp_path / "functions.journal"
    model_selection.cross_validate(X, Y, lambda t: -t.min(axis=(1, 2)), cv="1x3", journal=path)
    with pytest.raises(ValueError, match="criterion: .*lambda.* in the journal"):
        model_selection.cross_validate(X, Y, lambda t: -t.max(axis=(1, 2)), cv="1x3", journal=path)
    rewritten(journal, lambda r: r["versions"].update(fasttree="0.0.1") or True)
    with pytest.raises(ValueError, match=r"was written by fasttree 0\.0\.1, this is"):
        model_selection.cross_validate(X, Y, **HOW, journal=journal)


def test_what_does_not_change_the_numbers_may_change(journal, whole):
    found = model_selection.cross_validate(
        X.copy(order="F"), Y.copy(), **HOW, n_jobs=2, on_error="skip", journal=journal
    )
    assert_same(found, whole)


def test_one_run_at_a_time(journal):
    with Journal(journal):
        assert read_journal(journal)["running"]
        with pytest.raises(DataFileError, match="another run is writing this journal"):
            model_selection.cross_validate(X, Y, **HOW, journal=journal)
    assert not read_journal(journal)["running"]


@pytest.mark.parametrize("content", [b"a,b\n1,2\n", b"a,b", b"\0" * 40, b"00000000 {}\n"])
def test_another_file_is_left_as_it_is(tmp_path, content):
    path = tmp_path / "data.csv"
    path.write_bytes(content)
    for read in (read_journal, lambda p: model_selection.cross_validate(X, Y, **HOW, journal=p)):
        with pytest.raises(DataFileError, match=r"data\.csv, line 1: is no line of a j") as caught:
            read(path)
        assert "remove" not in str(caught.value)
    assert path.read_bytes() == content


def test_bad_paths_and_draws_without_a_seed(tmp_path):
    with pytest.raises(TypeError, match="journal=7 must be the path of a file"):
        model_selection.cross_validate(X, Y, **HOW, journal=7)
    with pytest.raises(OSError):
        model_selection.cross_validate(X, Y, **HOW, journal=tmp_path / "no" / "file")
    with pytest.raises(ValueError, match="journal= needs random_state as a number"):
        model_selection.cross_validate(X, Y, **HOW, random_state=None, journal=tmp_path / "j")


FOREST = fasttree.FastForestClassifier(2)
WITHOUT_SEED = {
    "forest": FOREST,
    "features": fasttree.FastTreeClassifier(max_features=1),
    "ties": fasttree.FastTreeClassifier(ties="random"),
    "thresholds": fasttree.FastTreeClassifier(splitter="random"),
    "honest": fasttree.FastTreeClassifier(honest=True),
    "permutations": fasttree.FastTreeClassifier(selection="significance", test="permutation"),
    "pipeline": make_pipeline(StandardScaler(), FOREST),
}


@pytest.mark.parametrize("name", WITHOUT_SEED)
def test_draws_of_estimators_need_a_seed(tmp_path, name):
    path, one = tmp_path / "run.journal", WITHOUT_SEED[name]
    how = {"estimators": {"plain": fasttree.FastTreeClassifier(), name: one}, "cv": "1x2"}
    with pytest.warns(UserWarning, match=f"^iris: {name}: random numbers are drawn without a seed"):
        found = model_selection.compare("iris", **how)
    assert found.document()["settings"]["without_seed"] == [name]
    with (
        pytest.raises(ValueError, match=f"draws random numbers: give {name} a random_state"),
        pytest.warns(UserWarning),
    ):
        model_selection.compare("iris", **how, journal=path)
    key = "fastforestclassifier__random_state" if name == "pipeline" else "random_state"
    how["estimators"][name] = clone(one).set_params(**{key: 0})
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = model_selection.compare("iris", **how, journal=path)
    assert found.document()["settings"]["without_seed"] == []


def test_methods_that_do_not_apply_are_kept_with_the_reason(tmp_path):
    table = fasttree.Table(X, Y, categorical_features="all")
    how = {"criterion": ["gini", "jaccard"], "cv": "1x4"}
    refusing = {"ones": _Refusing(), "bayes": GaussianNB()}
    whole = model_selection.cross_validate(table, estimators=refusing, on_error="skip", **how)
    assert whole.skipped == {"ones": "no such data"}
    path = tmp_path / "run.journal"
    for _ in range(2):
        found = model_selection.cross_validate(
            table, estimators=refusing, on_error="skip", **how, journal=path
        )
        assert_same(found, whole)
    assert read_journal(path)["tasks"][0]["skipped"] == {"ones": "no such data"}
    with pytest.raises(ValueError, match="ones: no such data"):
        model_selection.cross_validate(table, estimators=refusing, **how, journal=path)


class _Refusing(GaussianNB):
    def fit(self, X, y, sample_weight=None):
        raise ValueError("no such data")


def test_an_interrupt_leaves_a_journal_that_goes_on(tmp_path, whole):
    for how in ("raise", "return"):
        path = tmp_path / f"{how}.journal"
        with pytest.raises(KeyboardInterrupt):
            model_selection.cross_validate(
                X, Y, **HOW, journal=path, on_interrupt=how, progress=press(6)
            )
        assert 0 < read_journal(path)["units_done"] < read_journal(path)["units"]
        assert_same(model_selection.cross_validate(X, Y, **HOW, journal=path), whole)
    path = tmp_path / "kept.journal"
    with pytest.warns(interrupts.InterruptedWarning, match="units of work are finished"):
        kept = model_selection.cross_validate(
            X, Y, **HOW, journal=path, on_interrupt="return", progress=press(29)
        )
    assert kept.folds.n_repeats == 1 and kept.unfinished == 4
    rows = len(kept.folds.test_rows)
    for name in whole:
        np.testing.assert_array_equal(kept[name].predictions, whole[name].predictions[:rows])


def test_an_interrupt_while_units_are_planned_keeps_what_a_journal_holds(
    tmp_path, whole, monkeypatch
):
    path = tmp_path / "kept.journal"
    again = {**HOW, "journal": path, "on_interrupt": "return"}
    with pytest.warns(interrupts.InterruptedWarning):
        kept = model_selection.cross_validate(X, Y, **again, progress=press(29))

    def interrupt(*args, **options):
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(execution, "plan_units", interrupt)
        # How many units are left is not known before they are planned.
        with pytest.warns(interrupts.InterruptedWarning, match=r"interrupted: \d+ units of work"):
            assert_same(model_selection.cross_validate(X, Y, **again), kept)
        with pytest.raises(KeyboardInterrupt):  # nothing is kept without a finished fold
            fresh = {**again, "journal": tmp_path / "fresh.journal"}
            model_selection.cross_validate(X, Y, **fresh)
    assert_same(model_selection.cross_validate(X, Y, **again), whole)


def press(at):
    def progress(done, total):
        if done >= at:
            raise KeyboardInterrupt

    return progress


def test_comparisons_curves_sweeps_and_papers_keep_journals(tmp_path):
    sets = {"a": (X, Y), "b": (X[:40], Y[:40])}
    for call in (
        lambda **k: model_selection.compare(sets, ["gini", "mdl"], cv="2x3", **k),
        lambda **k: model_selection.learning_curve(X, Y, "gini", n_repeats=3, **k),
        lambda **k: fasttree.sweep(X, Y, alpha=[0.1, 0.5], cv="1x3", **k),
    ):
        path = tmp_path / "run.journal"
        texts = [call().to_text(), call(journal=path).to_text(), call(journal=path).to_text()]
        assert texts[0] == texts[1] == texts[2]
        assert read_journal(path)["units_done"] == read_journal(path)["units"] > 0
        path.unlink()
    how = {"datasets": ["balance-scale"], "quick": True}
    path = tmp_path / "paper.journal"
    first = experiments.run("chen2013", **how)
    second = experiments.run("chen2013", **how, journal=path)
    assert first.rows == second.rows and first.rows
    assert read_journal(path)["units_done"] == read_journal(path)["units"] > 0


def test_compare_refuses_other_sets_by_name(tmp_path):
    path = tmp_path / "run.journal"
    sets = {"a": (X, Y), "b": (X[:40], Y[:40])}
    model_selection.compare(sets, ["gini"], cv="1x3", journal=path)
    with pytest.raises(ValueError, match="data set: 'b' in the journal, 'c' now"):
        model_selection.compare(
            {"a": (X, Y), "c": (X[:40], Y[:40])}, "gini", cv="1x3", journal=path
        )
    more = {**sets, "c": (X[:60], Y[:60])}
    found = model_selection.compare(more, ["gini"], cv="1x3", journal=path)
    assert found.to_text() == model_selection.compare(more, ["gini"], cv="1x3").to_text()


@pytest.mark.parametrize("share", [0.0, 0.3, 0.7, 1.0])
def test_methods_may_be_added_to_any_number_of_units(tmp_path, share):
    path, sets = tmp_path / "run.journal", {"a": (X, Y), "b": (X[:60], Y[:60])}

    def compare(*criteria, sets=sets, **more):
        return model_selection.compare(sets, list(criteria), cv="3x4", journal=path, **more)

    compare("gini", "relieff")
    assert all(task["units"] > 3 for task in read_journal(path)["tasks"])
    lines = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(b"".join(lines[: 1 + round(share * (len(lines) - 1))]))
    content = path.read_bytes()
    if share == 1.0:  # what is refused changes nothing: on other data, and while it runs
        with pytest.raises(ValueError, match="data: "):
            compare("gini", "relieff", "pi", sets={**sets, "b": (X[:50], Y[:50])})
        for other in ({"nb": _Refusing()}, {"fits": GaussianNB(), "nb": _Refusing()}):
            with pytest.raises(ValueError, match="nb: no such data"):
                compare("gini", "relieff", estimators=other)
        assert path.read_bytes() == content
        compare("gini", "relieff")
        assert path.read_bytes() == content
    for criteria in (["pi", "gini", "relieff"], ["gini", "mdl", "relieff", "hellinger", "pi"]):
        found = compare(*criteria)
        assert found.to_text() == model_selection.compare(sets, criteria, cv="3x4").to_text()
    known = read_journal(path)
    assert known["units"] == known["units_done"]
    assert all(set(task["finished"].values()) == {12} for task in known["tasks"])


def test_the_command_goes_on_and_says_what_is_done(tmp_path, capsys):
    from fasttree.cli.run import run

    path = tmp_path / "iris.journal"
    line = ["cv", "iris", "-c", "gini,mdl", "--cv", "2x3", "--journal", str(path)]
    assert run(line) == 0
    first = capsys.readouterr().out
    assert run(line) == 0
    assert capsys.readouterr().out == first
    assert run(["status", str(path)]) == 0
    said = capsys.readouterr().out
    assert (
        "finished: 12 of 12 fits in 1 cross-validation begun so far; no run is writing it" in said
        and "  mdl: 6 of 6 folds" in said
    )
    assert run(["status", str(path), "--json", "-"]) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["units"] == document["units_done"]
    assert document["tasks"][0]["finished"] == {"gini": 6, "mdl": 6}
    assert run([*line[:-3], "2x4", "--journal", str(path)]) == 2
    assert "cv: '2x3' in the journal, '2x4' now" in capsys.readouterr().err
    path.write_bytes(path.read_bytes()[:-3])
    assert run(["status", str(path)]) == 0
    assert "a torn last line of" in capsys.readouterr().out


def test_status_adds_up_what_is_alike_and_gives_no_share_of_an_unknown_whole(tmp_path, capsys):
    from fasttree.cli.run import run
    from fasttree.model_selection.execution import executing_on

    path = tmp_path / "run.journal"
    for n_calls in (2, 3):  # as `ftree reproduce` does, and again after it was killed
        with executing_on(None, path):
            for seed in range(n_calls):
                model_selection.cross_validate("iris", ["gini"], cv="1x2", random_state=seed)
                assert run(["status", str(path)]) == 0
    said = capsys.readouterr().out.splitlines()[-4:]
    assert said[0].startswith("finished: 6 of 6 fits in 3 cross-validations begun so far; ")
    assert said[2:] == ["iris (3 cross-validations):", "  gini: 6 of 6 folds"]


def test_an_interrupted_command_says_what_is_kept(tmp_path, capsys, monkeypatch):
    from fasttree.cli.run import run

    path, real, calls = tmp_path / "iris.journal", execution.run_unit, iter(range(100))

    def interrupted(*args, **options):
        if next(calls) == 3:
            raise KeyboardInterrupt
        return real(*args, **options)

    monkeypatch.setattr(execution, "run_unit", interrupted)
    line = ["-c", "gini,pi", "--cv", "2x3", "-j", "1", "--journal", str(path)]
    assert run(["compare", "iris", *line]) == 130
    said = capsys.readouterr().err
    done = re.search(r"iris\.journal holds ((\d+) of 12 fits in 1 .*); the same command", said)
    assert done and said.endswith("ftree: interrupted\n")
    assert run(["status", str(path)]) == 0
    assert f"finished: {done[1]}; " in capsys.readouterr().out and int(done[2]) < 12
    monkeypatch.undo()
    assert run(["compare", "iris", *line]) == 0


def test_a_lock_ends_with_its_process(tmp_path):
    path = tmp_path / "run.journal"
    code = textwrap.dedent(f"""
        import os
        from fasttree.model_selection.journal import Journal
        journal = Journal({str(path)!r})
        os.kill(os.getpid(), 9)
    """)
    if sys.platform != "win32":
        assert run_script(code).returncode == -9
        assert not read_journal(path)["running"]
        Journal(path).close()
