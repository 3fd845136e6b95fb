"""Sweeps: every setting is what `fit` grows on the same folds; tables, records and the heat map say
the same."""

from __future__ import annotations

import json

import numpy as np
import pytest

import fasttree
from fasttree import datasets, presets
from fasttree.criteria import ContextualMerit, Pi, Relief
from fasttree.model_selection import StratifiedRepeatedKFold, cross_validate

FOLDS = StratifiedRepeatedKFold(n_splits=4, n_repeats=1, random_state=3)
ALPHAS = [0.0, 0.5, 2.0]


@pytest.fixture(scope="module")
def found():
    return fasttree.sweep(
        datasets.make_monks(1).take(np.arange(0, 432, 3)),
        theta=[(1, 1, 1, 1), (0, 0, 1, 1)],
        alpha=ALPHAS,
        decay=["exponential", "power"],
        criterion=["pi", "contextual_merit", "relief"],
        cv=FOLDS,
        scoring=("accuracy", "leaves"),
    )


def test_every_setting_is_what_cross_validation_gives_it(found):
    table = datasets.make_monks(1).take(np.arange(0, 432, 3))
    accuracy = found.map()
    assert accuracy.shape == (3, 2, 3, 2)
    for (i, alpha), (j, theta), (k, decay) in [
        ((0, 0.0), (0, (1, 1, 1, 1)), (0, "exponential")),
        ((1, 0.5), (1, (0, 0, 1, 1)), (0, "exponential")),
        ((2, 2.0), (0, (1, 1, 1, 1)), (1, "power")),
    ]:
        own = cross_validate(table, criterion=Pi(theta=theta, alpha=alpha, decay=decay), cv=FOLDS)
        assert accuracy[0, j, i, k] == own.mean(own.methods[0], "accuracy")
        merit = cross_validate(table, criterion=ContextualMerit(alpha=alpha, decay=decay), cv=FOLDS)
        assert accuracy[1, 0, i, k] == merit.mean(merit.methods[0], "accuracy")
        relief = cross_validate(table, criterion=Relief(radius=alpha), cv=FOLDS)
        assert accuracy[2, 0, i, 0] == relief.mean(relief.methods[0], "accuracy")
    assert (
        np.isnan(accuracy[1, 1]).all()
        and np.isnan(accuracy[2, 1]).all()
        and np.isnan(accuracy[2, :, :, 1]).all()
    )
    assert len(found) == 2 * 3 * 2 + 3 * 2 + 3 == np.isfinite(accuracy).sum()


def test_the_best_and_the_records(found):
    accuracy = found.map()
    assert found.best["accuracy"] == np.nanmax(accuracy)
    records = found.records()
    assert len(records) == len(found) * 3  # accuracy, leaves, depth
    frame = found.to_frame()
    rows = frame[(frame.metric == "accuracy") & (frame.criterion == "pi")]
    np.testing.assert_array_equal(sorted(rows["mean"]), sorted(accuracy[0].ravel()))
    assert found.map("leaves").min() > 0 or np.isnan(found.map("leaves")).any()


def test_what_is_printed(found):
    text = found.to_markdown()
    assert "| 0 | 0.5 | 2 |" in " ".join(text.split())
    assert "accuracy (%) by alpha, 4 folds" in text
    assert (
        "| pi (0, 0, 1, 1) power |" in text
        and "| contextual\\_merit power |" in text
        and "| relief |" in text
    )
    assert (
        found.to_latex()
        and found.to_text()
        and found.to_csv().count("\n") == len(found.records()) + 1
    )
    document = json.loads(found.to_json())
    assert document["kind"] == "sweep" and document["axes"]["alpha"] == ALPHAS
    assert (
        repr(found)
        == "Sweep of 'monks-1': 21 settings (3 of criterion, 2 of theta, 3 of alpha, 2 of "
        "decay), 4 folds"
    )


def test_the_map_is_drawn(found, tmp_path):
    pytest.importorskip("matplotlib")
    ax = found.plot()
    rows, columns, places, across = found.layout()
    assert [t.get_text() for t in ax.get_xticklabels()] == columns == ["0", "0.5", "2"]
    assert [t.get_text() for t in ax.get_yticklabels()] == rows and across == "alpha"
    drawn = ax.images[0].get_array()
    assert drawn.shape == places.shape
    assert drawn.max() == pytest.approx(100 * found.best["accuracy"])
    ax.figure.savefig(tmp_path / "map.png")
    title, frame = found.plot("leaves").get_title().split("\n")
    assert title.endswith("leaves") and frame.startswith("framed: the best, ")


def test_other_axes_can_be_across():
    table = datasets.load_weather()
    by_decay = fasttree.sweep(
        table, alpha=0.5, decay=["exponential", "identical", "uniform"], cv="1x3"
    )
    assert (
        by_decay.layout()[1:2] == (["exponential", "identical", "uniform"],)
        and by_decay.layout()[3] == "decay"
    )
    by_theta = fasttree.sweep(
        table,
        alpha=[0.5],
        theta=np.eye(4),
        cv="1x3",
        **{k: v for k, v in presets.VILALTA2001.items() if k != "criterion"},
    )
    assert by_theta.layout()[3] == "theta" and by_theta.map().shape == (1, 4, 1, 1)
    assert fasttree.sweep(table, alpha=1, cv="1x3").map().shape == (1, 1, 1, 1)


def test_threads_change_nothing():
    table = datasets.load_wine()
    one, two = (fasttree.sweep(table, alpha=ALPHAS, cv="1x4", n_jobs=n) for n in (1, 2))
    np.testing.assert_array_equal(one.map(), two.map())


@pytest.mark.parametrize(
    ("options", "words"),
    [
        ({"criterion": "gini"}, "'pi', 'contextual_merit' and 'relief'"),
        ({"criterion": Pi()}, "'pi', 'contextual_merit' and 'relief'"),
        ({"alpha": []}, "at least one"),
        ({"alpha": [1.0, 1.0]}, "same setting twice"),
        ({"alpha": [-1.0]}, "alpha"),
        ({"alpha": [float("nan")]}, "alpha=nan must be a number"),
        ({"theta": (1, 1)}, "four weights"),
        ({"theta": (1, 1, 1, 7)}, r"theta\[3\]"),
        ({"decay": "linear"}, "exponential"),
    ],
)
def test_refusals(options, words):
    with pytest.raises(ValueError, match=words):
        fasttree.sweep(datasets.load_weather(), cv="1x3", **options)


def test_root_scores_under_many_settings_are_those_under_each():
    counts = fasttree.pair_counts(datasets.make_monks(2))
    alphas, thetas, decays = (
        [0.0, 0.3, 2.0],
        [(1, 1, 1, 1), (0, 0.5, 1, 1)],
        ["exponential", "power", "threshold"],
    )
    for metric in ("pi", "pi_unweighted", "contextual_merit", "relief"):
        many = counts.sweep(metric, theta=thetas, alpha=alphas, decay=decays, at_zero=0.5)
        assert many.shape == (2, 3, 3, 6)
        for i, theta in enumerate(thetas):
            for j, alpha in enumerate(alphas):
                for k, decay in enumerate(decays):
                    one = counts.score(metric, theta=theta, alpha=alpha, decay=decay, at_zero=0.5)
                    np.testing.assert_array_equal(many[i, j, k], one)
    with pytest.raises(ValueError, match="alpha=.* must be a number"):
        counts.sweep(alpha=[0.1, -1.0])
    with pytest.raises(ValueError, match="criterion='gini'"):
        counts.sweep("gini")


@pytest.mark.parametrize("many", [4, 8, 40])
def test_names_under_the_map_do_not_touch(many):
    pytest.importorskip("matplotlib")
    table = datasets.make_xor()
    settings = {"alpha": np.linspace(0, 1, many), "decay": ["exponential", "power"]}
    ax = fasttree.sweep(table, cv="1x2", **settings).plot()
    ax.figure.draw_without_rendering()
    names = ax.get_xticklabels()
    assert len(names) == (many if many < 40 else 20) and names[1].get_text() in (
        "0.333",
        "0.143",
        "0.0513",
    )
    boxes = [name.get_window_extent() for name in names]
    assert all(a.x1 < b.x0 for a, b in zip(boxes, boxes[1:], strict=False))
    cells = [text.get_window_extent() for text in ax.texts[:many]]
    assert all(a.x1 < b.x0 for a, b in zip(cells, cells[1:], strict=False))


def test_numbers_under_the_map_stay_apart_when_shortened():
    pytest.importorskip("matplotlib")
    ax = fasttree.sweep(datasets.make_xor(), alpha=[0.12341, 0.12342, 0.5], cv="1x2").plot()
    assert [name.get_text() for name in ax.get_xticklabels()] == ["0.12341", "0.12342", "0.5"]
