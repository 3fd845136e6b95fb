"""Pictures: what is drawn, checked on the axes; nothing opens a window."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest

pytest.importorskip("matplotlib")

from matplotlib.patches import FancyBboxPatch

import fasttree
from fasttree import datasets, metrics, plots, presets
from fasttree.exports.drawing import SHOW
from fasttree.model_selection import compare, cross_validate, friedman_nemenyi


@pytest.fixture(scope="module")
def comparison():
    return compare(
        [datasets.load_iris(), datasets.load_wine(), datasets.load_monks_1()],
        ["info_gain", "gini"],
        cv="2x5",
    )


def test_bars_have_the_values_as_heights():
    ax = plots.grouped_bars({"a": [1, 2], "b": [3, 4]}, ["x", "y"])
    assert [bar.get_height() for bar in ax.patches] == [1, 2, 3, 4]
    left = [bar.get_x() for bar in ax.patches]
    assert left[0] < left[2] < left[1] < left[3]
    with pytest.raises(ValueError, match=r"groups has 2 names, and 'a' 1 value"):
        plots.grouped_bars({"a": [1]}, ["x", "y"])


def test_tree_sizes_of_a_comparison_and_of_a_mapping(comparison):
    ax = plots.tree_size_bars(comparison, log=True)
    assert ax.get_yscale() == "log"
    means = comparison.with_metric("leaves").means
    assert [bar.get_height() for bar in ax.patches] == means.T.ravel().tolist()
    ax = plots.tree_size_bars({"iris": {"gini": 9, "mdl": 8}})
    assert [bar.get_height() for bar in ax.patches] == [9, 8]
    assert ax.get_yscale() == "linear"
    ax.figure.canvas.draw()
    assert ax.get_legend().get_window_extent().x0 >= ax.get_window_extent().x1  # over no bar


def bars_of(ax, criteria=1):
    """Heights, shape (criteria, features), by the name of the feature."""
    heights = np.array([bar.get_height() for bar in ax.patches]).reshape(criteria, -1)
    return dict(
        zip([label.get_text() for label in ax.get_xticklabels()], heights.T.tolist(), strict=True)
    )


def test_scores_are_shares_of_the_best_and_missing_ones_are_nothing():
    values = bars_of(
        plots.criteria_bars(
            {"a": [2.0, 1.0, float("nan")], "b": [4.0, -3.0, 0.0]}, ["x", "y", "z"]
        ),
        2,
    )
    assert values == {"x": [1.0, 1.0], "y": [0.5, -0.75], "z": [0.0, 0.0]}
    assert len(plots.criteria_bars({"a": [3, 2, 1]}, ["x", "y", "z"], largest=2).patches) == 2


def test_negative_scores_go_down_and_the_picture_says_what_they_are_shares_of():
    ax = plots.criteria_bars({"good": [2.0, 0.0, -1.0], "bad": [-1.0, -4.0, -2.0]}, ["x", "y", "z"])
    assert bars_of(ax, 2) == {"x": [1.0, -0.25], "y": [0.0, -1.0], "z": [-0.5, -0.5]}
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["good", "bad (no score above 0: shares of the lowest)"]
    assert ax.get_ylim()[0] < -1 and not ax.texts
    assert bars_of(plots.criteria_bars({"none": [0.0, float("nan")]}, ["x", "y"])) == {
        "x": [0.0],
        "y": [0.0],
    }


def test_a_bar_far_below_zero_is_cut_and_its_length_written():
    ax = plots.criteria_bars({"a": [0.5, -10.0]}, ["x", "y"])
    assert bars_of(ax) == {"x": [1.0], "y": [-20.0]}
    assert ax.get_ylim()[0] == -1.5 and [text.get_text() for text in ax.texts] == ["-20"]


def test_roc_points_and_curves_and_the_area_in_the_legend():
    ax = plots.roc_graph({"a": (0.25, 0.75)})
    assert ax.collections[0].get_offsets().tolist() == [[0.25, 0.75]]
    truth, scores = [0, 0, 1, 1], [0.1, 0.4, 0.35, 0.8]
    curve = fasttree.metrics.roc_curve(truth, scores)
    ax = plots.roc_curves({"a": curve}, title="t")
    assert (
        ax.get_legend().get_texts()[0].get_text()
        == f"a (AUC {fasttree.metrics.auc(truth, scores):.3f})"
    )
    assert ax.lines[1].get_xdata().tolist() == curve.fpr.tolist()


def test_dots_are_sorted_by_the_baseline(comparison):
    ax = plots.criteria_dots(comparison)
    names = [label.get_text() for label in ax.get_yticklabels()]
    means = dict(zip(comparison.datasets, comparison.means[:, 0], strict=True))
    assert names == sorted(names, key=means.get)


def test_rank_diagram_names_every_method_with_its_rank():
    found = friedman_nemenyi([[3, 2, 1], [3, 2, 1], [3, 1, 2], [3, 2, 1]], names=["a", "b", "c"])
    texts = [text.get_text() for text in plots.rank_diagram(found).texts]
    assert {"a (1.00)", "b (2.25)", "c (2.75)"} <= set(texts)
    assert any(text.startswith("CD = ") for text in texts)


def test_a_tree_is_drawn_with_its_branches_and_leaves():
    model = fasttree.fit(datasets.load_weather())
    texts = [text.get_text() for text in plots.plot_tree(model).texts]
    assert {"outlook", "humidity", "windy", "sunny", "overcast", "rainy"} <= set(texts)
    assert texts.count("yes") == 4 and "100 % of 4" in texts and "14 rows" in texts
    assert texts[0] == "play:" and not any("0.247" in text for text in texts)
    scored = [text.get_text() for text in plots.plot_tree(model, show="scores").texts]
    assert "score 0.247" in scored
    with pytest.raises(ValueError, match="show='gain' is not known"):
        model.plot(show="gain")
    stump = [text.get_text() for text in plots.plot_tree(model, max_depth=1).texts]
    assert "humidity" not in stump
    assert "60 % of 5, 2 leaves" in stump


def test_empty_leaves_and_bins_are_drawn_when_asked_for():
    model = fasttree.fit(datasets.load_iris(), discretize="equal_width", max_depth=2)
    few = [text.get_text() for text in plots.plot_tree(model).texts]
    many = [text.get_text() for text in plots.plot_tree(model, empty=True).texts]
    assert "\u2264 0.34" in few and "(0.34, 0.58]" in few
    assert len(many) > len(few)
    assert "0 rows" not in few and "0 rows" in many


def test_a_deep_chain_is_drawn_without_recursion():
    rows = np.arange(3000, dtype=float)[:, None]
    model = fasttree.fit(rows, np.arange(3000) % 2, max_depth=None)
    assert plots.plot_tree(model, max_depth=2).texts


def test_pictures_without_axes_go_where_pyplot_shows_them():
    import matplotlib.pyplot as plt

    plt.close("all")
    model = fasttree.fit(datasets.load_weather())
    ax = model.plot()
    assert plt.gca() is ax and plt.gcf() is ax.figure
    other = plots.roc_graph({"a": (0, 1)})  # something is drawn there: a figure of its own
    assert other.figure is not ax.figure and plt.gca() is other
    figure, own = plt.subplots()
    assert model.plot() is own
    with plots.detached():
        alone = plots.roc_graph({"a": (0, 1)})
    assert alone.figure not in map(plt.figure, plt.get_fignums())
    plt.close("all")


def test_savefig_after_plot_writes_what_was_drawn(tmp_path):
    import matplotlib.pyplot as plt

    plt.close("all")
    fasttree.fit(datasets.load_iris()).plot()
    plt.savefig(tmp_path / "tree.png")
    pixels = plt.imread(tmp_path / "tree.png")[..., :3]
    assert pixels.min() < 0.3 and (pixels < 0.9).mean() > 0.01
    plt.close("all")


def test_a_large_tree_is_folded_in_every_picture():
    rng = np.random.default_rng(0)
    model = fasttree.fit(rng.normal(size=(3000, 4)), rng.integers(0, 2, 3000))
    assert model.get_n_leaves() > 500
    assert model.to_svg().count("data-node") <= 200
    assert model._repr_html_().count("data-node") <= 40
    assert model.to_svg(max_nodes=7).count("data-node") == 7
    folded = model.to_dot(max_nodes=9)
    assert folded.count(" -> ") == 8 and " leaves<" in folded
    with plots.detached():
        assert len(plots.plot_tree(model, max_nodes=11).texts) < 50
    with pytest.raises(ValueError, match="max_nodes=0 must be a whole number in \\[1, "):
        model.to_svg(max_nodes=0)


@pytest.mark.filterwarnings("ignore:nominal columns")
def test_a_root_with_too_many_branches_shows_the_heaviest_and_counts_the_others():
    rows = [[f"c{i % 300}"] for i in range(900)] + [["c7"]] * 50
    table = fasttree.Table(rows, (np.arange(950) % 2).tolist(), feature_names=["city"])
    picture = fasttree.fit(table, nominal_splits="multiway").to_svg(max_nodes=12)
    assert picture.count("data-node") == 12
    assert "289 branches not shown" in picture and ">c7<" in picture


def test_pictures_are_drawn_into_given_axes():
    figure, axes = plots.new_figure(1, 2)
    assert plots.roc_graph({"a": (0, 1)}, ax=axes[1]) is axes[1]
    assert axes[1].figure is figure


def test_without_matplotlib_the_message_names_the_extra_and_the_import_works():
    code = (
        "import sys; sys.modules['matplotlib'] = None\n"
        "from fasttree import plots\n"
        "try:\n    plots.roc_graph({'a': (0, 1)})\n"
        "except ImportError as error:\n    print(error)\n"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert "fasttree[plots]" in done.stdout


def test_importing_plots_does_not_load_matplotlib():
    code = "import sys, fasttree.plots; print('matplotlib' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "False"


def lines_of(ax):
    return {line.get_label(): line.get_xydata() for line in ax.get_lines()}


def test_calibration_curves_have_the_bins_as_points():
    generator = np.random.default_rng(0)
    p = generator.random(300)
    curve = fasttree.metrics.calibration_curve((generator.random(300) < p).astype(int), p)
    ax = plots.calibration_curves({"model": curve}, title="t")
    np.testing.assert_allclose(
        lines_of(ax)["model"], np.column_stack([curve.predicted, curve.observed])
    )
    sizes = ax.collections[0].get_sizes()
    assert np.argmax(sizes) == np.argmax(curve.weight) and ax.get_title() == "t"
    assert not plots.calibration_curves({"model": curve}, weights=False).collections


def test_cost_curves_have_the_corners_and_the_constant_answers():
    curve = fasttree.metrics.cost_curve([0, 1, 0, 1], [0.1, 0.3, 0.6, 0.9])
    lines = lines_of(plots.cost_curves({"a": curve, "b": curve}))
    np.testing.assert_allclose(
        lines["a (area 0.125)"], np.column_stack([curve.probability_cost, curve.normalized_cost])
    )
    assert any(np.array_equal(xy, [[0, 0], [0.5, 0.5], [1, 0]]) for xy in lines.values())


def test_learning_curves_show_means_and_deviations():
    from fasttree.model_selection import learning_curve

    found = learning_curve(
        datasets.load_iris(), criterion=["gini", "mdl"], n_repeats=4, scoring=("accuracy", "leaves")
    )
    ax = plots.learning_curves(found)
    assert (
        found.plot(metric="leaves").get_ylabel()
        == plots.learning_curves(found, metric="leaves").get_ylabel()
    )
    values = found.values("gini", "accuracy")
    np.testing.assert_allclose(
        lines_of(ax)["gini"], np.column_stack([found.train_sizes, 100 * values.mean(axis=0)])
    )
    band = ax.collections[0].get_paths()[0].vertices
    assert band[:, 1].max() == pytest.approx(
        100 * (values.mean(axis=0) + values.std(axis=0, ddof=1)).max()
    )
    assert plots.learning_curves(found, metric="leaves", log=True).get_xscale() == "log"
    with pytest.raises(ValueError, match="'auc' was not computed"):
        plots.learning_curves(found, metric="auc")


def test_reward_curves_are_those_of_the_metrics():
    curves = fasttree.metrics.reward_curves((0.1, 0.45, 0.45))
    lines = lines_of(plots.reward_curves(curves))
    for name, values in curves.rewards.items():
        np.testing.assert_allclose(lines[name.replace("_", " ")][:, 1], values)
    assert any(np.array_equal(xy, [[0.1, 0], [0.1, 1]]) for xy in lines.values())


def test_the_hull_covers_all_roc_curves():
    curves = {"a": ([0, 0.2, 1], [0, 0.9, 1]), "b": ([0, 0.6, 1], [0, 0.95, 1])}
    lines = lines_of(plots.roc_curves(curves, hull=True))
    assert [0.2, 0.9] in lines["convex hull"].tolist() and "convex hull" not in lines_of(
        plots.roc_curves(curves)
    )


def test_growth_is_drawn_from_the_trace():
    iris = datasets.load_iris()
    model = fasttree.fit(iris, criterion="gini", evaluation="global")
    ax = plots.growth_curve(model, iris, (iris.X, iris.y))
    train, test = ax.lines
    assert (
        train.get_ydata().tolist() == model.staged_score(iris).tolist() == test.get_ydata().tolist()
    )
    assert train.get_xdata().tolist() == [1, *(step.leaves for step in model.trace_)]
    (distance,) = ax.figure.axes[1].lines
    assert distance.get_ydata().tolist() == [step.global_distance for step in model.trace_]
    alone = plots.growth_curve(model)
    assert len(alone.lines) == 1
    with pytest.raises(ValueError, match="no split"):
        plots.growth_curve(fasttree.fit([[0.0], [0.0]], [0, 1]))


NUMBERS = {"a": ([1.0, 2.0, 4.0], [1.0, 3.0, 3.0]), "b": ([1.0, 2.0, 4.0], [2.0, 2.0, 2.0])}


def test_numbers_over_their_predictions():
    ax = plots.observed_by_predicted(NUMBERS, title="two")
    assert [dots.get_offsets().tolist() for dots in ax.collections] == [
        [[1.0, 1.0], [3.0, 2.0], [3.0, 4.0]],
        [[2.0, 1.0], [2.0, 2.0], [2.0, 4.0]],
    ]
    (equal,) = ax.lines
    assert list(equal.get_xdata()) == list(equal.get_ydata()) == [1.0, 4.0]
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["a (R2 0.571)", "b (R2 -0.071)"]
    assert (ax.get_xlabel(), ax.get_ylabel(), ax.get_title()) == ("predicted", "observed", "two")
    ax = plots.residuals(NUMBERS)
    assert ax.collections[0].get_offsets().tolist() == [[1.0, 0.0], [3.0, -1.0], [3.0, 1.0]]
    assert list(ax.lines[0].get_ydata()) == [0.0, 0.0]
    words = [text.get_text() for text in ax.get_legend().get_texts()]
    assert words == ["a (mean absolute error 0.667)", "b (mean absolute error 1)"]


def test_errors_of_an_evaluation_and_of_a_cross_validation():
    X = np.linspace(0, 1, 40)[:, None]
    y = np.sin(6 * X[:, 0])
    model = fasttree.FastTreeRegressor(max_depth=2).fit(X, y)
    ax = plots.residuals(model.evaluate(X, y))
    expected = np.column_stack([model.predict(X), y - model.predict(X)])
    np.testing.assert_array_equal(ax.collections[0].get_offsets(), expected)
    result = cross_validate(X, y, ["squared_error", "absolute_error"], cv="3x4")
    ax = plots.observed_by_predicted(result)
    first = result.folds.test_rows[:40]  # each row once
    assert sorted(first) == list(range(40))
    for dots, scores in zip(ax.collections, result.values(), strict=True):
        expected = np.column_stack([scores.predictions[:40], y[first]])
        np.testing.assert_array_equal(dots.get_offsets(), expected)


@pytest.mark.parametrize(
    ("points", "error", "words"),
    [
        ({"a": ([1.0], [1.0, 2.0])}, ValueError, "y_pred has 2 rows but y_true has 1"),
        ({"a": ([1.0, np.nan], [1.0, 2.0])}, ValueError, "y_true: row 1 is nan"),
        ({"a": 3}, TypeError, "points"),
        ([1.0, 2.0], TypeError, "points"),
        ({}, ValueError, "points is empty"),
    ],
)
def test_what_is_no_pair_of_numbers_is_refused(points, error, words):
    for draw in (plots.observed_by_predicted, plots.residuals):
        with pytest.raises(error, match=words):
            draw(points)


def test_the_growth_of_a_regressor_is_drawn_by_r2():
    X, y = np.arange(30.0)[:, None], np.arange(30.0) ** 1.5
    model = fasttree.FastTreeRegressor(max_leaf_nodes=5).fit(X, y)
    ax = plots.growth_curve(model, (X, y))
    assert ax.get_ylabel() == "R2" and ax.get_title() == "squared_error"
    assert [text.get_text() for text in ax.get_legend().get_texts()] == ["training R2"]
    assert ax.lines[0].get_ydata().tolist() == model.staged_score(X, y).tolist()
    with pytest.raises(ValueError, match="give rows as train= or test="):
        plots.growth_curve(model)


@pytest.mark.parametrize("kind", [fasttree.FastTreeClassifier, fasttree.FastForestClassifier])
def test_importances_are_bars_from_the_largest_on(kind):
    iris = datasets.load_iris()
    model = kind(random_state=0).fit(iris)
    ax = plots.plot_importances(model, largest=3, title="iris")
    order = np.argsort(-model.feature_importances_, kind="stable")[:3]
    assert [bar.get_width() for bar in ax.patches] == model.feature_importances_[order].tolist()
    shown = [label.get_text() for label in ax.get_yticklabels()]
    assert shown == [iris.feature_names[j] for j in order] and ax.get_title() == "iris"
    ax = plots.plot_importances(model, feature_names=["a$x$", "b", "c", "d"])
    assert ax.get_yticklabels()[0].get_text() == ["a$x$", "b", "c", "d"][order[0]]
    with pytest.raises(ValueError, match="has 1 name, but the model has 4 features"):
        plots.plot_importances(model, feature_names=["a"])


def test_importances_of_other_models_and_of_arrays():
    from sklearn.tree import DecisionTreeClassifier

    X, y = np.arange(40.0).reshape(20, 2), np.arange(20) // 10
    ax = plots.plot_importances(DecisionTreeClassifier(random_state=0, max_features=1).fit(X, y))
    assert {label.get_text() for label in ax.get_yticklabels()} == {"x0", "x1"}
    with pytest.raises(TypeError, match="a fitted model with feature_importances_"):
        plots.plot_importances(fasttree.FastTreeClassifier())


def test_trees_are_drawn_by_plot_tree_alone():
    assert "tree" not in plots.__all__ and not callable(plots.tree)


def boxes_of(ax):
    """Extents of the texts that are no labels of ticks, without lines to points, in pixels."""
    from matplotlib.text import Text

    ax.figure.canvas.draw()
    return [Text.get_window_extent(text) for text in ax.texts if text.get_text()]


def names_of(ax, size=6.0):
    """Texts of the cards, which are not smaller than `size` points."""
    found = [text for text in ax.texts if text.get_fontweight() == "bold"]
    assert min(text.get_fontsize() for text in found) >= size
    return [text.get_text() for text in found]


@pytest.mark.parametrize("size", [(12, 4), (4, 3), (3.5, 6)])
def test_trees_in_narrow_axes_are_readable_and_say_what_is_folded(size):
    plt = pytest.importorskip("matplotlib.pyplot")
    figure, axes = plt.subplots(1, 3 if size[0] == 12 else 1, figsize=size, squeeze=False)
    model = fasttree.fit("iris", max_depth=4)
    for ax in axes.ravel():
        plots.plot_tree(model, ax=ax)
        # The root's split, and one below.
        assert len(names_of(ax, 5.0 if size[0] == 12 else 6.0)) >= 3
        folded = [text.get_text() for text in ax.texts if "leaves" in text.get_text()]
        assert bool(folded) == (size != (3.5, 6))
        extents = boxes_of(ax)
        inside = ax.get_window_extent().padded(2)
        assert all(inside.x0 <= one.x0 and one.x1 <= inside.x1 for one in extents)
    plt.close(figure)


@pytest.mark.parametrize("shape, size", [((1, 4), (16, 3.5)), ((2, 2), (9, 8)), ((4, 1), (6, 12))])
def test_trees_of_one_figure_have_one_layout(shape, size):
    plt = pytest.importorskip("matplotlib.pyplot")
    model = fasttree.fit("weather", criterion="info_gain")
    figure, axes = plt.subplots(*shape, figsize=size)
    seen = []
    for step, ax in enumerate(axes.ravel()):
        plots.plot_tree(model.cut(step), ax=ax, title=f"{step} splits")
    figure.canvas.draw()
    for ax in axes.ravel():
        boxes = [one for one in ax.patches if isinstance(one, FancyBboxPatch)]
        places = {(round(one.get_x()), round(one.get_width())) for one in boxes}
        scale = ax.transData.transform((1, 1)) - ax.transData.transform((0, 0))
        sizes = {round(text.get_fontsize(), 6) for text in ax.texts}
        seen.append((len(boxes), places, scale.round(6).tolist(), sizes, ax.get_window_extent()))
    assert [one[0] for one in seen] == [1, 4, 6, 8]  # nothing is folded
    for before, after in pairwise(seen):
        assert before[1] <= after[1] and before[2:4] == after[2:4]
        assert before[4].size.round(6).tolist() == after[4].size.round(6).tolist()
    plots.plot_tree(model, ax=axes.ravel()[0], max_depth=0)  # drawn twice: the last one counts
    axes.ravel()[1].clear()
    plots.plot_tree(model, ax=axes.ravel()[1])
    assert len(axes.ravel()[1].texts) == len(axes.ravel()[3].texts)
    plt.close(figure)


@pytest.mark.parametrize("names, ends", [(("a", "a"), ["09", "09"]), (("a", "b"), ["03", "29"])])
def test_numbers_of_one_target_have_one_scale_in_a_figure(names, ends):
    plt = pytest.importorskip("matplotlib.pyplot")
    pd = pytest.importorskip("pandas")
    figure, axes = plt.subplots(1, 2)
    for ax, name, y in zip(axes, names, ([0, 1, 2, 3], [2, 3, 6, 9]), strict=True):
        frame = pd.DataFrame({"x": [0, 1, 2, 3], name: y})
        plots.plot_tree(fasttree.fit(frame, name, task="regression"), ax=ax)
    legends = ["".join(text.get_text() for text in ax.texts[:3]) for ax in axes]
    assert legends == [f"{name}:{end}" for name, end in zip(names, ends, strict=True)]
    plt.close(figure)


@pytest.mark.parametrize("fontsize", [6, 12, 18, 24])
@pytest.mark.parametrize("given", [False, True])
@pytest.mark.parametrize("show", [(), SHOW])
def test_boxes_are_laid_out_for_the_font(fontsize, given, show):
    plt = pytest.importorskip("matplotlib.pyplot")
    model = fasttree.fit("iris", **presets.CTREE)
    ax = plt.subplots(figsize=(6, 4))[1] if given else None
    ax = plots.plot_tree(model, fontsize=fontsize, ax=ax, show=show)
    largest = max(text.get_fontsize() for text in ax.texts)
    assert largest <= fontsize if given else largest == fontsize
    extents = boxes_of(ax)
    for place, one in enumerate(extents):
        for other in extents[:place]:
            assert (
                min(one.x1, other.x1) - max(one.x0, other.x0) < 1
                or min(one.y1, other.y1) - max(one.y0, other.y0) < 0.3 * one.height
            )
    plt.close(ax.figure)


@pytest.mark.parametrize("asked", [{}, {"fontsize": 20}, {"figsize": (6, 1.4)}])
@pytest.mark.parametrize("size", [10, 18])
def test_titles_and_new_figures_follow_the_font_of_matplotlib(size, asked):
    plt = pytest.importorskip("matplotlib.pyplot")
    model, figsize = fasttree.fit("iris", max_depth=1), asked.get("figsize")
    with plt.rc_context({"font.size": size}):
        ax = plt.subplots(figsize=figsize)[1] if figsize else None
        fontsize = asked.get("fontsize")
        ax = plots.plot_tree(model, title="iris by gain", fontsize=fontsize, ax=ax)
        largest = max(text.get_fontsize() for text in ax.texts)
        if not figsize:
            assert largest == pytest.approx(fontsize or 0.88 * size, rel=0.01)
        boxes_of(ax)  # draws the figure
        title = ax.title.get_window_extent()
        assert ax.title.get_fontsize() > largest
        assert title.y1 <= ax.figure.bbox.height
        assert title.y0 >= max(one.y1 for one in boxes_of(ax))
    plt.close(ax.figure)


@pytest.mark.parametrize(
    ("size", "layout"),
    [
        ((12, 5), "constrained"),
        ((14, 4), "tight"),
        ((12, 5), "subfigures"),
        ((14, 4), "subfigures"),
    ],
)
def test_trees_beside_each_other_use_the_room_that_is_there(size, layout):
    plt = pytest.importorskip("matplotlib.pyplot")
    if layout == "subfigures":
        figure = plt.figure(figsize=size, layout="constrained")
        axes = [one.subplots() for one in figure.subfigures(1, 2)]
    else:
        figure, axes = plt.subplots(1, 2, figsize=size, layout=layout)
    for ax, criterion in zip(axes, ("gini", "auc"), strict=True):
        plots.plot_tree(fasttree.fit("iris", criterion=criterion, max_depth=3), ax=ax)
    figure.canvas.draw()
    names = [text for ax in axes for text in ax.texts if text.get_fontweight() == "bold"]
    sizes = {round(text.get_fontsize(), 6) for text in names}
    assert len(sizes) == 1 and sizes.pop() >= 7.3
    for ax in axes:
        inside, extents = ax.get_window_extent().padded(2), boxes_of(ax)
        assert all(inside.x0 <= one.x0 and one.x1 <= inside.x1 for one in extents)
        assert not any(a.overlaps(b) for i, a in enumerate(extents) for b in extents[:i])
    plt.close(figure)


def test_a_tree_is_drawn_whole_on_request():
    plt = pytest.importorskip("matplotlib.pyplot")
    model = fasttree.fit("iris", max_depth=4)
    row = datasets.load_iris().X[100]
    for options in ({"max_depth": 9}, {"fontsize": 3}, {"highlight": row}, {"max_nodes": None}):
        figure, ax = plt.subplots(figsize=(4, 3))
        plots.plot_tree(model, ax=ax, **options)
        bold = [text for text in ax.texts if text.get_fontweight() == "bold"]
        assert len(bold) == model.get_n_leaves(), options
        plt.close(figure)
    ax = plots.plot_tree(model)  # a figure of its own is large enough
    assert len(names_of(ax, 8.8)) == model.get_n_leaves()


@pytest.mark.parametrize("size", [(10, 4), (5, 3)])
def test_names_of_variants_and_chromosomes_do_not_overlap(size):
    plt = pytest.importorskip("matplotlib.pyplot")
    rng = np.random.default_rng(0)
    n = 2200
    chromosomes = np.repeat(np.arange(1, 23), 100)
    positions = np.tile(np.arange(100) * 1_000_000 + 1, 22)
    heights = rng.random(n)
    heights[500:508] = 3 + rng.random(8) / 5
    figure, ax = plt.subplots(figsize=size)
    names = [f"rs{i + 100_000}" for i in range(n)]
    plots.manhattan(heights, chromosomes, positions, names=names, top=10, ax=ax)
    found = boxes_of(ax)
    labels = [one for one in ax.get_xticklabels() if one.get_text()]
    assert len(found) == 10 and 8 <= len(labels) <= 22
    for some in (found, [label.get_window_extent() for label in labels]):
        assert not any(a.overlaps(b) for i, a in enumerate(some) for b in some[:i])
    plt.close(figure)


@pytest.mark.parametrize("kind", [fasttree.FastTreeClassifier, fasttree.FastForestRegressor])
def test_models_draw_their_importances(kind):
    table = datasets.load("iris")
    model = kind(random_state=0).fit(table.X, table.y_codes)
    names = [label.get_text() for label in model.plot_importances(largest=2).get_yticklabels()]
    assert names == [f"x{j}" for j in np.argsort(-model.feature_importances_, kind="stable")[:2]]


def test_modules_of_plots_are_not_listed():
    assert dir(plots) == sorted(plots.__all__) and not {"tree", "growth", "sweep"} & set(dir(plots))
    assert all(callable(getattr(plots, name)) or name == "PALETTE" for name in dir(plots))


def test_long_names_of_methods_leave_room_for_the_curves():
    rng = np.random.default_rng(0)
    y = rng.integers(0, 2, 80)
    name = "a tree that is pruned by C4.5's estimate of errors, with a name that goes on and on"
    curves = {name: metrics.roc_curve(y, y + rng.normal(0, 1, 80))}
    costs = {name: metrics.cost_curve(y, y + rng.normal(0, 1, 80))}
    with plots.detached():
        drawn = plots.roc_curves(curves), plots.cost_curves(costs)
    for ax in drawn:
        ax.figure.canvas.draw()
        (text, *_) = ax.get_legend().get_texts()
        assert "\u2026" in text.get_text() and text.get_text().endswith(")")
        assert ax.get_window_extent().width > 0.5 * ax.figure.bbox.width
