"""Trees as SVG: well formed, inert whatever the names hold, everything inside the picture, cut
where asked."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fasttree
from fasttree import FastTreeClassifier, presets
from fasttree.exports.drawing import SHOW, Drawing
from fasttree.exports.palette import VALUES, colour
from fasttree.exports.svg import HIGH, svg_of_page

SPACE = "{http://www.w3.org/2000/svg}"


def picture(model, **options):
    return ET.fromstring(model.to_svg(**options))


def nodes_of(root):
    return [int(g.attrib["data-node"]) for g in root.iter(f"{SPACE}g")]


@pytest.fixture(scope="module")
def iris():
    return fasttree.fit(fasttree.datasets.load_iris(), criterion="gini")


@pytest.fixture(scope="module")
def tested():
    """A tree whose splits tests have chosen: all words of SHOW serve it."""
    return FastTreeClassifier(**presets.CTREE).fit(fasttree.datasets.load_iris())


def test_every_node_is_drawn_once_with_its_counts(iris):
    root = picture(iris)
    assert sorted(nodes_of(root)) == list(range(iris.n_nodes_))
    texts = ["".join(t.itertext()) for t in root.iter(f"{SPACE}text")]
    assert "150 rows" in texts and "100 % of 50" in texts and texts[0] == "class:"
    assert any(t.startswith("\u2264 2.45") for t in texts)
    tips = ["".join(t.itertext()) for t in root.iter(f"{SPACE}title")]
    assert tips[0] == "node 0; setosa: 50; versicolor: 50; virginica: 50"
    assert "petal length" in tips[1] and "<= 2.45" in tips[1] and "setosa: 50" in tips[1]


@pytest.mark.parametrize("leaves", [5, 50, 200])
def test_pages_show_the_root_of_a_large_tree_on_their_first_screen(leaves):
    X = np.arange(4 * leaves)[:, None]
    model = fasttree.fit(X, X[:, 0] // 4 % 2, max_leaf_nodes=leaves)
    root = ET.fromstring(svg_of_page(model, 60))
    assert len(nodes_of(root)) == min(60, 2 * leaves - 1) - (leaves > 30)
    first = next(g for g in root.iter(f"{SPACE}g") if g.attrib["data-node"] == "0")
    box = next(first.iter(f"{SPACE}rect"))
    assert float(box.attrib["x"]) < 30 and float(box.attrib["y"]) < HIGH / 2
    assert leaves == 5 or float(box.attrib["y"]) < 60
    assert "data-node" in model._repr_html_()


@pytest.mark.parametrize("show", [(), "counts", SHOW])
@pytest.mark.parametrize(
    "title", ["", "A heading that is as long as a picture is wide, or longer" * 3]
)
def test_nothing_hangs_out_and_cards_do_not_overlap(tested, show, title):
    root = picture(tested, show=show, title=title)
    width, height = (float(root.attrib[a]) for a in ("width", "height"))
    left, top, *size = map(float, root.attrib["viewBox"].split())
    assert (left, *size) == (0.0, width, height) and (top < 0) == bool(title)
    boxes = []
    for rect in root.iter(f"{SPACE}rect"):
        x, y, w, h = (float(rect.attrib.get(a, 0)) for a in ("x", "y", "width", "height"))
        assert 0 <= x <= x + w <= width and top <= y <= y + h <= top + height
        if rect.attrib.get("class") == "c":
            boxes.append((x, y, w, h))
    assert len(boxes) == tested.n_nodes_
    for i, (x, y, w, h) in enumerate(boxes):
        for other, up, wide, high in boxes[:i]:
            assert x + w <= other or other + wide <= x or y + h <= up or up + high <= y


def test_bars_hold_the_class_shares(iris):
    root = picture(iris)
    for group in root.iter(f"{SPACE}g"):
        node = int(group.attrib["data-node"])
        bars = [float(r.attrib["width"]) for r in group.iter(f"{SPACE}rect") if "fill" in r.attrib]
        counts = iris.tree_.value[node]
        assert len(bars) == int((counts > 0).sum())
        assert np.array(bars) / sum(bars) == pytest.approx(
            counts[counts > 0] / counts.sum(), abs=1e-3
        )


@pytest.fixture(scope="module")
def lengths():
    """A tree for the petal length from the other columns."""
    table = fasttree.datasets.load_iris()
    X = np.column_stack([c.values for c in table.columns])
    return fasttree.FastTreeRegressor(max_leaf_nodes=7).fit(X[:, [0, 1, 3]], X[:, 2])


def test_numbers_are_shown_on_one_scale(lengths):
    root, tree = picture(lengths), lengths.tree_
    assert sorted(nodes_of(root)) == list(range(lengths.n_nodes_))
    tips = ["".join(t.itertext()) for t in root.iter(f"{SPACE}title")]
    assert tips[0] == (
        f"node 0; predicts 3.758; 150 rows; impurity {tree.impurity[0]:.4g}; "
        f"standard deviation {tree.variance[0] ** 0.5:.4g}"
    )
    # Bars are proportional to two standard deviations, and their middles to the numbers.
    places, fills = [], {}
    for group in root.iter(f"{SPACE}g"):
        node = int(group.attrib["data-node"])
        card, bar = (r.attrib for r in list(group.iter(f"{SPACE}rect"))[:2])
        room = float(card["width"]) - 20
        middle = (float(bar["x"]) + float(bar["width"]) / 2 - float(card["x"]) - 10) / room
        places.append((tree.value[node], middle, tree.variance[node], float(bar["width"]) / room))
        fills[node] = bar["fill"]
    values, middles, variances, widths = np.array(sorted(places)).T
    known = widths > 0.031
    line = np.polyfit(values[known], middles[known], 1)
    assert np.polyval(line, values[known]) == pytest.approx(middles[known], abs=2e-3)
    assert widths[known] == pytest.approx(2 * line[0] * np.sqrt(variances[known]), abs=2e-3)
    leaves = np.flatnonzero(tree.n_children == 0)
    assert fills[int(leaves[tree.value[leaves].argmin()])] == VALUES[0]
    assert fills[int(leaves[tree.value[leaves].argmax()])] == VALUES[-1]
    texts = ["".join(t.itertext()) for t in root.iter(f"{SPACE}text")]
    assert texts[0] == "y:" and texts[1:3] == [
        f"{tree.value[leaves].min():.4g}",
        f"{tree.value[leaves].max():.4g}",
    ]
    legend = [r.attrib["fill"] for r in root.findall(f"{SPACE}rect") if "fill" in r.attrib]
    assert legend == list(VALUES)


def test_dot_has_the_same_cards(lengths):
    text = lengths.to_dot()
    assert text.count("->") == lengths.n_nodes_ - 1
    leaf = int(np.flatnonzero(lengths.tree_.n_children == 0)[0])
    card = next(line for line in text.splitlines() if line.startswith(f"  n{leaf} "))
    assert f"<b>{lengths.tree_.value[leaf]:.4g}</b>" in card
    assert all(f'bgcolor="{fill}"' in text for fill in (VALUES[0], VALUES[-1]))


@pytest.mark.parametrize("label", ["no", "a class with a name wider than any bar"])
def test_bars_of_dot_have_no_gaps_between_their_parts(lengths, label):
    """Graphviz widens the cells of a table without a size of its own to the texts above it."""
    x = np.arange(40.0)
    y = np.where(x % 7 == 0, "rare", np.where(x < 20, label, f"{label} again"))
    for tree in (lengths, fasttree.fit(x[:, None], y, criterion="gini", max_depth=2)):
        bars = re.findall(r'<table ([^>]*cellpadding="0"[^>]*)>(.*?)</table>', tree.to_dot())
        assert len(bars) == tree.n_nodes_
        for size, cells in bars:
            total = sum(map(int, re.findall(r'width="(\d+)"', cells)))
            assert f'fixedsize="true" width="{total}" height="5"' in size


@pytest.mark.parametrize("n_classes", [2, 3, 6, 10])
def test_counts_on_cards_are_whole_numbers(n_classes):
    """Where there is no room for the names, these are cut, and then classes are left out aloud."""
    codes = np.arange(60 * n_classes) % n_classes
    y = [f"those with the long name {code}" for code in codes]
    tree = fasttree.fit(codes[:, None], y, criterion="gini", max_leaf_nodes=2)
    shown = [text for text in texts_of(picture(tree, show="counts")) if re.search(r": \d", text)]
    assert len(shown) >= 3
    for text in shown:
        *counted, last = text.split(", ")
        more = re.fullmatch(r"… (\d+) more", last)
        counted += [] if more else [last]
        assert all(phrase.endswith(": 60") for phrase in counted)
        assert len(counted) + int(more[1] if more else 0) in (1, n_classes - 1, n_classes)


def test_one_number_is_one_leaf():
    tree = fasttree.FastTreeRegressor().fit([[0.0], [1.0]], [2.5, 2.5])
    root = picture(tree)
    assert nodes_of(root) == [0]
    assert "(2 rows)" in ["".join(t.itertext()) for t in root.iter(f"{SPACE}text")]
    assert "2.5" in tree.to_dot()


def test_deeper_levels_are_folded(iris):
    root = picture(iris, max_depth=1)
    assert nodes_of(root) == [0, 1, 2]
    assert sum("f" in r.attrib.get("class", "").split() for r in root.iter(f"{SPACE}rect")) == 1
    assert any("8 leaves" in "".join(t.itertext()) for t in root.iter(f"{SPACE}text"))
    assert nodes_of(picture(iris, max_depth=0)) == [0]
    with pytest.raises(ValueError, match="max_depth=-1"):
        iris.to_svg(max_depth=-1)


def test_empty_leaves_are_hidden_unless_asked_for():
    levels = {"x0": ("a", "b", "c", "d")}
    rows = fasttree.Table([["a"], ["b"], ["a"], ["b"]], [0, 1, 0, 1], levels=levels)
    model = fasttree.fit(rows)
    assert len(nodes_of(picture(model))) == 3
    assert len(nodes_of(picture(model, empty=True))) == model.n_nodes_ == 5


def test_one_leaf_and_long_chains():
    assert nodes_of(picture(fasttree.fit([[0.0], [1.0]], [0, 0]))) == [0]
    x = np.arange(3000.0)[:, None]
    chain = fasttree.fit(x, np.arange(3000) % 2, criterion=lambda tables: -tables[:, 0].sum(axis=1))
    assert chain.get_depth() > 2000
    assert len(nodes_of(picture(chain, max_nodes=None))) == chain.n_nodes_
    assert len(nodes_of(picture(chain))) <= 200
    assert len(nodes_of(picture(chain, max_depth=5))) == 11


NAMES = st.text(min_size=1, max_size=12) | st.sampled_from(
    [
        "</svg><script>alert(1)</script>",
        "]]>",
        '" onload="alert(1)',
        "&#x3c;b&gt;",
        "<!--",
        "a\x00b\x1f",
        "\ud800x",
        "\u202egnp",
        "]]&",
    ]
)


@settings(max_examples=40, deadline=None)
@given(feature=NAMES, levels=st.lists(NAMES, min_size=2, max_size=4, unique=True), label=NAMES)
def test_names_are_inert(feature, levels, label):
    names = [n.encode("utf-8", "replace").decode() for n in (feature, label, *levels)]
    levels = sorted(set(names[2:]))
    if len(levels) < 2:
        return
    rows = fasttree.Table(
        [[v] for v in levels], [names[1]] + ["other "] * (len(levels) - 1), feature_names=[names[0]]
    )
    text = fasttree.fit(rows).to_svg()
    root = ET.fromstring(text)
    assert {e.tag.removeprefix(SPACE) for e in root.iter()} <= {
        "svg",
        "style",
        "rect",
        "text",
        "title",
        "path",
        "g",
    }
    known = {
        "class",
        "role",
        "viewBox",
        "width",
        "height",
        "aria-label",
        "fill",
        "x",
        "y",
        "rx",
        "d",
        "data-node",
        "text-anchor",
    }
    assert {a for e in root.iter() for a in e.attrib} <= known
    assert not re.search(r"https?:(?!//www\.w3\.org/2000/svg)", re.sub(r">[^<]*<", "><", text))


def test_page_colours_are_literal_for_light_and_for_dark_pages(iris):
    """Programs that are no browsers draw what they do not know in black, as variables."""
    text = iris.to_svg()
    assert "var(" not in text
    light, dark = text.split("@media (prefers-color-scheme:dark){", 1)
    for colours, style in (
        (("#1d2430", "#ffffff", "#f4f6f9", "#9aa5b4", "#5a6677"), light),
        (("#e8ecf2", "#14181f", "#232a35", "#66717f", "#a3aebd"), dark),
    ):
        assert all(colour in style for colour in colours)


@pytest.mark.parametrize(
    "feature",
    ["TOTAL_CHOLESTEROL_HDL", "WWWWWWWW MMMMMM", "od280/od315_of_diluted_wines", "Рост ЖЩ"],
)
@pytest.mark.parametrize(
    "label", ["neither agree nor disagree", "NEITHER AGREE NOR DISAGREE", "MWMWMW", "Широкая щука"]
)
@pytest.mark.parametrize("show", [(), SHOW])
def test_texts_of_cards_stay_in_their_boxes(feature, label, show):
    """Measured in the widest usual font; a class of fewer than 30 letters is never cut."""
    pytest.importorskip("matplotlib")
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import TextToPath

    def width(text):
        font = FontProperties(
            family="DejaVu Sans", size=text.size, weight="bold" if text.bold else "normal"
        )
        return TextToPath().get_text_width_height_descent(text.text, font, ismath=False)[0]

    rng = np.random.default_rng(0)
    X = rng.normal(size=(200, 2))
    X[::9, 0] = np.nan
    y = np.where(X[:, 1] + rng.normal(size=200) / 2 > 0, label, "no")
    table = fasttree.Table({feature: X[:, 0], f"{feature} 2": X[:, 1]}, y)
    how = presets.CTREE if show else {"missing": "fractional"}
    drawing = Drawing(fasttree.fit(table, max_depth=3, **how), show=show)
    for card in drawing.cards():
        texts = card.texts()
        room = card.width - 10  # half of the padding may be used
        if card.leaf:
            assert show or texts[0].text in (label, "no")
            assert sum(map(width, texts[:2])) <= room - 2
        else:
            assert sum(map(width, [t for t in texts[1:] if t.y == texts[1].y])) <= room - 2
        assert max(map(width, texts)) <= room
        assert all(card.y < text.y < card.y + card.height - 8 for text in texts)
        assert bool(card.counts) == bool(show) and len({t.y for t in texts}) == (
            1 + (not card.leaf) + bool(show)
        )


def texts_of(root):
    return ["".join(text.itertext()) for text in root.iter(f"{SPACE}text")]


def test_leaves_say_class_share_and_rows():
    """By the counts of the leaf; a share is 0 or 100 % only where it is exactly."""
    rng = np.random.default_rng(0)
    group = np.repeat(np.arange(4), [160, 1200, 4000, 9])
    sizes = [(131, 29), (1199, 1), (4000, 0), (5, 4)]
    y = np.concatenate([np.repeat(["denied", "paid"], one) for one in sizes])
    table = fasttree.Table(
        {"group": [f"g{k}" for k in group]},
        y,
        target="decision",
        levels={"group": ["g0", "g1", "g2", "g3"]},
    )
    tree = fasttree.fit(table, nominal_splits="multiway")
    found = texts_of(picture(tree))
    assert found[0] == "decision:"
    assert {"82 % of 160", "> 99 % of 1,200", "100 % of 4,000", "56 % of 9", "5,369 rows"} <= set(
        found
    )
    assert "82 % of 160" in tree.to_dot() and "score" not in tree.to_dot()
    folded = texts_of(picture(tree, max_depth=0))
    assert "> 99 % of 5,369, 4 leaves" in folded or "99 % of 5,369, 4 leaves" in folded
    weighed = fasttree.fit(
        table, nominal_splits="multiway", sample_weight=rng.uniform(1, 2, len(y))
    )
    share = weighed.tree_.value[1].max() / weighed.tree_.value[1].sum()
    weight = weighed.tree_.weighted_n_node_samples[1]
    assert f"{100 * share:.0f} % of weight {weight:.2f}".rstrip("0") in texts_of(picture(weighed))


def test_many_classes_and_leaves_without_rows_or_class():
    X = np.arange(300.0)[:, None]
    root = texts_of(picture(fasttree.fit(X, np.arange(300), max_depth=1), max_depth=0))
    assert "< 1 % of 300, 2 leaves" in root
    rows = fasttree.Table([["a"], ["b"]] * 2, [0, 1, 0, 1], levels={"x0": ("a", "b", "c", "d")})
    assert texts_of(picture(fasttree.fit(rows), empty=True)).count("0 rows") == 2


@pytest.mark.parametrize("decimals", (2, 6, 10))
def test_pictures_have_the_thresholds_of_the_text(decimals):
    near = np.array([[4.60018, 0.0], [4.60019, 1.0], [52.00866520, 0.0], [52.00866526, 1.0]])
    model = fasttree.fit(near[:, :1], near[:, 1].astype(int))
    text = re.findall(r"<= ([\d.]*\d)", model.to_text(decimals=decimals))
    drawn = re.findall(r">\u2264 ([^<]*)<", model.to_svg(decimals=decimals))
    assert sorted(map(float, drawn)) == sorted(map(float, text)) and len(text) == 3


def test_names_that_begin_alike_differ_in_pictures():
    start = "How content are you, all in all, with the advice of the "
    names = [start + end for end in ("tax office", "health insurance", "municipality")]
    rows = np.random.default_rng(0).integers(1, 6, (300, 3))
    model = fasttree.fit(pd.DataFrame(rows, columns=names), rows.sum(axis=1) > 9, max_depth=3)
    shown = {text for text in texts_of(picture(model)) if text.startswith("How content")}
    assert len(shown) == 3 and all("\u2026" in text for text in shown)


def test_numbers_say_deviation_and_rows_with_the_decimals_asked_for():
    rng = np.random.default_rng(0)
    x = np.repeat([0.0, 1.25, 2.5], [2206, 40, 3])
    y = np.concatenate(
        [
            4021.4 + 1900 * rng.permutation(np.linspace(-1.7, 1.7, 2206)),
            np.full(40, 7e6),
            [0.5, 1.25, 2.0],
        ]
    )
    tree = fasttree.FastTreeRegressor(max_leaf_nodes=3).fit(x[:, None], y)
    found, sd = texts_of(picture(tree)), float(np.std(y[:2206]))
    assert {"4,021", f"\u00b1 {sd:,.0f} (2,206 rows)", "7,000,000", "(40 rows)", "1.25"} <= set(
        found
    )
    assert "\u00b1 0.6124 (3 rows)" in found and "\u2264 0.625" in found
    rounded = texts_of(picture(tree, decimals=1))
    assert "\u00b1 0.612 (3 rows)" in rounded  # 0.6 would be off by 2 %
    assert "4,021" in rounded
    assert f"{sd:,.0f} (2,206 rows)" in tree.to_dot()


def test_p_values_stand_in_inner_nodes(tested, iris):
    arrays = tested.tree_
    for node, p in enumerate(arrays.p_value):
        said = f"p={p:.3g}"
        assert (said in texts_of(picture(tested, show="p_values"))) == bool(arrays.n_children[node])
        both = f"score {arrays.score[node]:.3g}, {said}"
        assert (f", {both}<" in tested.to_dot(show=("p_values", "scores"))) == bool(
            arrays.n_children[node]
        )
    again = fasttree.from_bytes(tested.to_bytes())
    assert again.to_svg(show=SHOW) == tested.to_svg(show=SHOW)
    for draw in (iris.to_svg, iris.to_dot, iris.plot):
        with pytest.raises(ValueError, match="show='p_values': no test has chosen the splits"):
            draw(show="p_values")
    with pytest.raises(ValueError, match="p_values=True: no test has chosen the splits"):
        iris.to_text(p_values=True)


def test_what_is_shown_on_request_is_that_of_the_tree(iris):
    found = texts_of(picture(iris, show=SHOW[:3]))
    arrays = iris.tree_
    assert f"score {arrays.score[0]:.3g}" in found
    assert "setosa: 50, versicolor: 50, virginica: 50" in found
    assert sorted(int(t[1:].split()[0]) for t in found if t.startswith("#")) == list(
        range(iris.n_nodes_)
    )
    leaf = int(np.flatnonzero(arrays.n_children == 0)[-1])
    assert f"#{leaf} virginica" in found
    text = iris.to_dot(show=["counts", "scores"])
    assert "versicolor: 50, virginica: 50" in text and ", score 0.39" in text and "#0" not in text
    assert iris.to_svg(show="scores") == iris.to_svg(show=("scores",)) != iris.to_svg()
    both = iris.to_svg(show=["scores", "node_ids"])
    assert iris.to_svg(show="scores,node_ids") == iris.to_svg(show="node_ids, scores") == both


@pytest.mark.parametrize(
    ("options", "error", "words"),
    [
        ({"show": "score"}, ValueError, "show='score' is not known; use 'scores', 'node_ids'"),
        ({"show": ["scores", 3]}, ValueError, "show=3 is not known"),
        ({"show": 3}, TypeError, "show=3 must be a list"),
        ({"fontsize": 0}, ValueError, "fontsize=0"),
        ({"decimals": -1}, ValueError, "decimals=-1"),
    ],
)
def test_what_a_picture_cannot_show_is_refused(iris, lengths, options, error, words):
    with pytest.raises(error, match=re.escape(words)):
        iris.to_svg(**options)
    with pytest.raises(ValueError, match="show='counts': the tree predicts a number"):
        lengths.to_svg(show="counts")


def test_a_title_stands_above_and_the_font_scales_the_picture(iris):
    plain, titled = picture(iris), picture(iris, title="<Iris> & co")
    assert texts_of(titled)[0] == "<Iris> & co" and texts_of(titled)[1:] == texts_of(plain)
    assert float(titled.attrib["height"]) == float(plain.attrib["height"]) + 18
    large = picture(iris, fontsize=25)
    assert large.attrib["viewBox"] == plain.attrib["viewBox"]
    for side in ("width", "height"):
        assert float(large.attrib[side]) == 2 * float(plain.attrib[side])


@pytest.mark.parametrize("scale", [30.0, 14250.0, 7.75e6])
def test_numbers_of_cards_have_commas_between_thousands(scale):
    y = scale * np.linspace(0.5, 1.5, 4000)
    x = (np.arange(4000.0) >= 1500)[:, None]
    weights = {"sample_weight": np.full(4000, 2.5)}
    trees = [fasttree.FastTreeRegressor(max_depth=1).fit(x, y, **w) for w in ({}, weights)]
    trees += [fasttree.fit(x, x.ravel() > 0, **w) for w in ({}, weights)]
    for tree in trees:
        show = ("scores", "counts") if tree.__class__.__name__.endswith("Classifier") else "scores"
        drawn = Drawing(tree, show=show)
        said = [text.text for card in drawn.cards() for text in card.texts()]
        said += [entry.text for entry in drawn.legend()]
        said += drawn.reading.answers.held(0)
        assert not [text for text in said if re.search(r"(?<![.\d])\d{4}", text)]
        assert [text for text in said if re.search(r"\d,\d{3}", text)]


@pytest.mark.parametrize("q", [None, 0.5, 0.9])
def test_cards_name_a_median_or_quantile_and_show_no_deviation_from_it(q):
    criterion = fasttree.criteria.Quantile(q=q) if q else "absolute_error"
    tree = fasttree.FastTreeRegressor(criterion=criterion, max_depth=1)
    tree.fit(np.arange(40.0)[:, None], np.arange(40.0) ** 2)
    word = f"{q:g}-quantile" if q else "median"
    for text in (*texts_of(picture(tree)), tree.to_dot()):
        assert "\u00b1" not in text
    assert sum(text.startswith(f"{word} (") for text in texts_of(picture(tree))) == 2


def test_counts_are_in_the_order_of_the_classes():
    y = np.repeat(["a", "b", "c"], [2, 30, 10])
    tree = fasttree.fit((y == "b")[:, None].astype(float), y)
    assert "a: 2, b: 30, c: 10" in texts_of(picture(tree, show="counts"))


def test_counts_of_parts_of_rows_have_one_digit_and_rules_one_style_of_numbers():
    rng = np.random.default_rng(0)
    x, y = rng.normal(size=3000), rng.integers(0, 2, 3000)
    x[y == 1] += 1
    holes = np.where(rng.random(3000) < 0.3, np.nan, x)
    tree = fasttree.fit({"x": holes, "z": rng.normal(size=3000)}, y, max_leaf_nodes=4)
    counts = [one for texts in texts_of(picture(tree, show="counts")) for one in texts.split(", ")]
    numbers = [one.partition(": ")[2] for one in counts if one.startswith(("0: ", "1: "))]
    assert len(numbers) > 6 and any("." in one for one in numbers)
    assert all(len(one.partition(".")[2]) <= 1 for one in numbers)
    rule = tree.decision_rule({"x": 0.0, "z": 0.0})
    assert not re.search(r"(?<![.\d])\d{4}", rule) and re.search(r"\d,\d{3}\.\d", rule)


@pytest.mark.parametrize("n", [3, 10, 11, 28])
def test_a_legend_of_many_classes_begins_with_those_that_leaves_predict(n):
    sizes = np.random.default_rng(n).permutation(np.arange(5, 5 + n))
    y = np.repeat([f"c{i:02}" for i in range(n)], sizes)
    x = np.arange(len(y), dtype=float)[:, None]
    model = fasttree.fit(x, y, max_leaf_nodes=4)
    _, *legend = [text for _, text in Drawing(model).meanings]
    assert sorted(legend) == sorted(set(y))
    if n <= 10:
        assert legend == sorted(legend)
        return
    said = {str(label) for label in model.predict(x)}
    assert set(legend[: len(said)]) == said
    for part in (legend[: len(said)], legend[len(said) :]):
        rows = [int((y == label).sum()) for label in part]
        assert rows == sorted(rows, reverse=True)
    colours = dict((text, fill) for fill, text in Drawing(model).meanings)
    assert colours["c00"] == colour(0) and colours["c02"] == colour(2)
