"""The explorer in headless Chromium: what clicks, keys and searches do, at two sizes and in both
schemes. Skipped, with the reason, where playwright or Chromium is missing; one browser for all."""

from __future__ import annotations

import json
import re
from importlib import resources

import numpy as np
import pytest

import fasttree
from fasttree import FastForestClassifier, FastForestRegressor, FastTreeRegressor, Table, datasets
from fasttree.exports.palette import VALUES
from tests.python import tools

from .test_explorer import MODELS, NASTY, NUMBERS, nasty_table, pieces

pytestmark = pytest.mark.exhaustive
sync_api, CHROMIUM = tools.chromium()

CONTRAST = """() => {
  const rgb = (c) => {
    const m = c.match(/[\\d.]+/g).map(Number);
    return m.length > 3 && m[3] === 0 ? null : m.slice(0, 3);
  };
  const linear = (x) => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  const light = (c) => {
    const v = c.map((x) => linear(x / 255));
    return 0.2126 * v[0] + 0.7152 * v[1] + 0.0722 * v[2];
  };
  const ratio = (a, b) => {
    const x = light(a), y = light(b);
    return (Math.max(x, y) + 0.05) / (Math.min(x, y) + 0.05);
  };
  const behind = (e) => {
    for (; e; e = e.parentElement) {
      const c = rgb(getComputedStyle(e).backgroundColor);
      if (c) return c;
    }
    return [255, 255, 255];
  };
  const poor = [];
  document.querySelectorAll(".fx *").forEach((e) => {
    const own = Array.from(e.childNodes).some((n) => n.nodeType === 3 && n.textContent.trim());
    if (!own || !e.getClientRects().length || e.closest(":disabled")) return;
    const style = getComputedStyle(e);
    const colour = rgb(e.namespaceURI.endsWith("svg") ? style.fill : style.color);
    const seen = colour && ratio(colour, behind(e));
    if (colour && seen < 4.5)
      poor.push(e.className + ": " + e.textContent.slice(0, 30) + " " + seen.toFixed(2));
  });
  document.querySelectorAll(".fx-shares > span, .fx-fill, .fx-swatch").forEach((e) => {
    const colour = getComputedStyle(e).backgroundColor;
    const under = behind(e.closest(".fx-pane, .fx-panel"));
    if (ratio(rgb(colour), under) < 3) poor.push("bar " + colour);
  });
  return poor;
}"""


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Pages, each made once."""
    folder = tmp_path_factory.mktemp("pages")
    made = {}

    def file(name):
        if name not in made:
            made[name] = folder / f"{name}.html"
            PAGES[name]().save(made[name])
        return made[name].as_uri()

    return file


def weather_in_parts():
    frame = datasets.load_weather().to_frame()
    frame.loc[0, "outlook"] = None
    return fasttree.fit(frame, "play").explore(frame, "play", candidate_nodes=3)


def missing_apart():
    """Two trees that differ at the root in nothing but the rows without a value."""
    frame = datasets.load_iris().to_frame()[["petal length (cm)", "class"]]
    frame.loc[::9, "petal length (cm)"] = None
    first, second = (
        fasttree.fit(frame, "class", criterion="gini", max_depth=1, missing=missing)
        for missing in ("fractional", "branch")
    )
    return first.explore(frame, "class", beside=second)


def forest():
    table = datasets.load_iris()
    found = FastForestClassifier(n_estimators=4, random_state=0).fit(table)
    return found.explore(table, candidate_nodes=2)


def first_tests():
    table = datasets.load_iris()
    roots = fasttree.optimal_tree(table, max_depth=2).near_optimal(table, max_trees=9)
    return roots.explore(table, candidate_nodes=2)


PAGES = {
    "first tests": first_tests,
    "two": lambda: fasttree.fit("iris", criterion="gini", max_depth=4).explore(
        "iris", beside="auc"
    ),
    "wide": lambda: fasttree.fit(datasets.load_wine(), criterion="gini", max_depth=2).explore(
        datasets.load_wine(), beside="gain_ratio", candidate_nodes=3
    ),
    "deep": lambda: fasttree.fit("breast-cancer", criterion="gini", max_depth=5).explore(
        "breast-cancer", beside="gain_ratio", candidate_nodes=3
    ),
    "parts": weather_in_parts,
    "apart": missing_apart,
    "significance": lambda: (
        fasttree.FastTreeClassifier(**fasttree.presets.CTREE)
        .fit("iris")
        .explore("iris", criteria=["gini"])
    ),
    "one": lambda: fasttree.fit("iris").explore("iris", candidate_nodes=3),
    "nasty": lambda: fasttree.fit(nasty_table()).explore(nasty_table(), candidate_nodes=3),
    "forest": forest,
    "numbers": lambda: number_model().explore(pieces(), beside="absolute_error"),
    "numbers forest": lambda: (
        FastForestRegressor(4, random_state=0, max_depth=3).fit(pieces()).explore(pieces())
    ),
}


def number_model():
    return FastTreeRegressor(max_leaf_nodes=8, missing="branch").fit(pieces())


@pytest.fixture
def show(browser, files):
    """A page in a window of its own; errors of its script fail the test."""
    opened, errors = [], []

    def call(name, width=1300, height=800, scheme="light"):
        context = browser.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme
        )
        opened.append(context)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", lambda said: errors.append(said.text) if said.type == "error" else None)
        page.on("dialog", lambda dialog: errors.append("a dialog: " + dialog.message))
        page.goto(files(name))
        return page

    yield call
    for context in opened:
        context.close()
    assert errors == []


def active(page, pane=0):
    view = page.locator("[role=tree]").nth(pane)
    return int(view.get_attribute("aria-activedescendant").split("-")[-1])


def heading(page):
    return page.locator(".fx-panel h2").first.inner_text()


def test_clicks_fold_and_tell_of_a_node(show):
    page = show("one")
    items = page.locator("[role=treeitem]")
    whole = items.count()
    page.click("text=Fold all")
    assert items.count() < whole
    item = page.locator("[role=treeitem][data-node='2']")
    assert item.get_attribute("aria-expanded") == "false"
    item.locator("[data-fold]").click()
    assert item.get_attribute("aria-expanded") == "true"
    item.click()
    assert heading(page).startswith("Node 2: petal width")
    assert (
        page.locator(".fx-histogram").get_attribute("aria-label").startswith("Rows by petal width")
    )
    names = page.locator(".fx-bars bdi").all_inner_texts()
    marked = page.locator(".fx-bars li:has(.fx-tag)").count()
    assert len({name.split(" ≤")[0] for name in names}) == 4 and len(names) <= 3 + marked
    page.click("text=show all")
    assert page.locator(".fx-bars li").count() > 12
    assert page.locator(".fx-stripline").count() >= 27
    page.click("text=Unfold all")
    assert items.count() == whole
    page.click("text=Outline")
    assert items.count() == whole


def test_badges_stay_within_their_card_and_a_cut_is_named(show):
    page = show("two")
    assert page.locator(".fx-diagram .fx-badge").count() > 0
    assert page.evaluate(
        """() => Array.from(document.querySelectorAll(".fx-diagram .fx-badge")).every((e) =>
        e.getBoundingClientRect().right <= e.parentNode.getBoundingClientRect().right)"""
    )
    parts = resources.files("fasttree.exports.explorer").joinpath("static/parts.js").read_text()
    own = {"counts": [[9, 1]], "classes": [0], "range": [0, 100], "levels": None}
    for cut in (0, 0.5, 50, 99, 100):
        found = page.evaluate(
            f"""([own, data]) => {{
            {parts}
            const picture = histogram(own, {{ name: "x" }}, data);
            return Array.from(picture.querySelectorAll(".fx-cutword"), (e) => e.textContent);
            }}""",
            [{**own, "cuts": [cut]}, {"classes": ["a"]}],
        )
        assert found == [str(cut)]


def test_keys_walk_the_tree_and_search_finds(show):
    page = show("one")
    view = page.locator("[role=tree]")
    view.focus()
    seen = []
    for key in (
        "ArrowDown",
        "ArrowDown",
        "ArrowRight",
        "ArrowLeft",
        "ArrowLeft",
        "ArrowLeft",
        "End",
        "Home",
    ):
        page.keyboard.press(key)
        seen.append(active(page))
    assert seen[:3] == [1, 2, 3] and seen[-1] == 0 and seen[3] in (2, 3)
    page.keyboard.press("Enter")
    root = page.locator("[role=treeitem][data-node='0']")
    assert root.get_attribute("aria-expanded") == "false"
    page.keyboard.press("ArrowRight")
    assert root.get_attribute("aria-expanded") == "true"
    page.keyboard.press("/")
    page.keyboard.type("sepal")
    told = page.locator(".fx-found").inner_text()
    assert told.endswith("nodes") and int(told.split()[0]) > 1
    page.keyboard.press("Enter")
    first = active(page)
    assert "sepal" in heading(page) or "sepal" in page.locator(".fx-path").inner_text()
    page.keyboard.press("Enter")
    assert active(page) != first
    page.keyboard.press("Escape")
    assert page.locator(".fx-found").inner_text() == ""
    assert page.evaluate("document.activeElement.getAttribute('role')") == "tree"
    assert page.locator("input[type=search]").input_value() == ""


def test_roles_and_names_are_there(show):
    for look in ("Diagram", "Outline"):
        page = show("one")
        page.click(f"text={look}")
        said = page.evaluate(
            """() => Array.from(document.querySelectorAll("[role=treeitem]")).map((e) =>
            [...["label", "level", "setsize"].map((a) => e.getAttribute("aria-" + a)), e.id])"""
        )
        assert all(label and level and size for label, level, size, _ in said)
        assert any("petal length (cm) \u2264 2.45, predicts setosa, 50 rows" in s[0] for s in said)
        assert page.locator("[role=tree]").get_attribute("aria-activedescendant") in [
            s[3] for s in said
        ]
        unnamed = page.evaluate(
            """() => Array.from(document.querySelectorAll("button, select, input")).filter((e) =>
            !(e.getAttribute("aria-label") || e.textContent.trim()
              || e.labels && e.labels.length)).length"""
        )
        assert unnamed == 0


def test_two_trees_mark_where_they_part(show):
    page = show("two")
    assert page.locator("[role=tree]").count() == 2
    page.click("text=First difference")
    assert [active(page, 0), active(page, 1)] == [2, 2]
    assert page.locator(".fx-item .fx-badge").count() == 2
    assert page.locator(".fx-verdict").inner_text().startswith("\u2260 They disagree here.")
    page.select_option("[aria-label='Criterion B']", label="gini")
    assert "Choose two criteria" in page.locator(".fx-verdict").inner_text()
    page.click(".fx-stripline >> text=auc")
    assert page.locator("[aria-label='Criterion B']").input_value() != "0"
    page.locator("[role=treeitem][data-node='0']").first.click()
    page.click("text=go to the first")
    assert active(page) == 2
    page.click("text=Side by side")
    assert page.locator("[role=tree]").count() == 1


def test_a_mark_says_how_the_other_tree_differs(show):
    page = show("apart")
    found = page.locator(".fx-panel .fx-badge").first.locator("..").inner_text()
    assert found.startswith("\u2260 first difference: gini, beside asks petal ")
    assert "missing" in found
    assert page.locator("h2").inner_text().startswith("Node 0 of gini: petal ")
    assert page.locator(".fx-item .fx-badge").all_inner_texts() == ["\u2260 first"] * 2


def test_criteria_are_compared_with_the_split_of_the_tree(show):
    page = show("significance")
    document = json.loads(page.locator("#fx-data").inner_text())
    for node, own in document["trees"][0]["candidates"].items():
        page.evaluate(f"document.querySelector(\"[data-node='{node}']\").click()")
        marked = page.locator(".fx-bestword.fx-other").count()
        assert marked == sum(best != own["chosen"] for best in own["best"])
        said = page.locator(".fx-verdict").inner_text()
        assert ("The tree asks" in said) == (own["chosen"] not in own["best"])
        shown = page.locator(".fx-bars li").all_inner_texts()
        assert shown and all("p = " in one or "p < " in one for one in shown)


@pytest.mark.parametrize("width", (1300, 1060))
@pytest.mark.parametrize("name", ("two", "wide"))
def test_two_trees_fit_beside_each_other(show, name, width):
    page = show(name, width)
    sizes = page.evaluate(
        """() => Array.from(document.querySelectorAll(".fx-view")).map((e) =>
        [e.clientWidth, e.scrollWidth])"""
    )
    if name == "wide" or width == 1300:
        assert len(sizes) == 2 and all(inner <= outer for outer, inner in sizes), sizes
    assert page.locator(".fx-pane.fx-diagram").count() == 2


@pytest.mark.parametrize("beside", (True, False))
@pytest.mark.parametrize("name", ("two", "wide", "deep"))
def test_diagrams_have_one_scale_and_can_be_read(show, name, beside):
    page = show(name, 1280)
    if not beside:
        page.click("text=Side by side")
    texts = page.evaluate(
        """() => Array.from(document.querySelectorAll(".fx-item bdi")).map((e) => {
        const card = e.closest(".fx-item"), high = card.getBoundingClientRect().height;
        return [high / card.offsetHeight * parseFloat(getComputedStyle(e).fontSize),
          high.toFixed(2), [e, e.parentElement].some((box) => box.clientWidth
          && box.scrollWidth > box.clientWidth + 1), e.textContent];
        })"""
    )
    assert min(text[0] for text in texts) >= 9.5
    assert len({text[1] for text in texts}) == 1
    assert [text[3] for text in texts if text[2]] == []
    assert page.evaluate(
        """() => Array.from(document.querySelectorAll(".fx-view")).every((e) =>
        e.scrollWidth <= e.clientWidth)"""
    )


@pytest.mark.parametrize("width, look", ((1000, "Diagram"), (500, "Outline")))
def test_a_frame_that_is_shown_later_asks_for_its_width_then(browser, width, look):
    page = browser.new_page(viewport={"width": width, "height": 800})
    page.set_content(f'<div style="display:none">{PAGES["one"]()._repr_html_()}</div>')
    pressed = page.frame_locator("iframe").locator(".fx-toolbar [aria-pressed=true]")
    pressed.first.wait_for(state="attached")
    page.evaluate("document.querySelector('div').style.display = ''")
    pressed.locator(f"text={look}").wait_for(timeout=5000)
    page.close()


def test_paper_holds_all_texts(show):
    page = show("two", 1060)
    seen = page.locator("[role=treeitem]").count()
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    cut = page.evaluate(
        """() => Array.from(document.querySelectorAll(".fx *")).filter((e) => {
        const style = getComputedStyle(e);
        return e.getClientRects().length && !e.closest(".fx-hide, select")
          && style.overflow !== "visible" && style.position !== "absolute"
          && (e.scrollWidth > e.clientWidth + 1 || e.scrollHeight > e.clientHeight + 1);
        }).map((e) => e.className + ": " + e.textContent.slice(0, 40))"""
    )
    assert cut == []
    assert page.locator("button:visible:not(.fx-link, .fx-stripline)").count() == 0
    assert page.locator("select:visible").count() == 2 + 2
    for select in page.locator("select:visible").all():  # prints as the text that is chosen
        assert select.evaluate("(e) => getComputedStyle(e).appearance") == "none"
    assert not page.get_by_text("Press a line").is_visible()
    assert page.locator("[role=treeitem]").count() == 15 + 13
    assert page.evaluate("document.documentElement.scrollWidth") <= 1060
    page.emulate_media(media="screen")
    page.evaluate("dispatchEvent(new Event('afterprint'))")
    assert page.locator("[role=treeitem]").count() == seen


def test_paper_names_the_trees_that_it_leaves_out(show):
    page = show("forest")
    assert not page.locator(".fx-paper").is_visible()
    page.emulate_media(media="print")
    names = page.locator("[aria-label=Tree] option").all_inner_texts()
    said = page.locator(".fx-paper").inner_text()
    assert said == f"Not printed, choose it on the page: {', '.join(names[1:])}."


@pytest.mark.parametrize("name", ("two", "deep"))
def test_two_trees_stand_one_below_the_other_on_paper(show, name):
    page = show(name, 720)
    page.emulate_media(media="print")
    page.evaluate("dispatchEvent(new Event('beforeprint'))")
    ends = page.evaluate(
        """() => Array.from(document.querySelectorAll(".fx-pane")).map((pane) => [
        pane.getBoundingClientRect().top, Math.max(...Array.from(
        pane.querySelectorAll(".fx-item"), (card) => card.getBoundingClientRect().bottom))])"""
    )
    assert len(ends) == 2 and ends[0][1] <= ends[1][0]


def test_a_row_is_followed_as_the_model_does(show):
    page = show("one")
    page.click("text=Follow a row")
    model, table = fasttree.fit("iris"), datasets.load_iris()
    leaves = model.apply(table)
    for row in range(0, 12):
        page.click("[aria-label='Next row']")
        assert active(page) == leaves[row]
    page.select_option("[aria-label='Stored row']", "120")
    assert active(page) == leaves[120]
    assert "right" in page.locator(".fx-answer").inner_text()
    page.locator(".fx-fields label", has_text="petal length").locator("input").fill("1.0")
    assert active(page) == 1
    assert page.locator(".fx-way").count() >= 2
    page.keyboard.press("Escape")
    assert page.locator(".fx-item.fx-way").count() == 0


def test_forests_show_tree_by_tree_and_vote(show):
    page = show("forest")
    page.click("[aria-label='Next tree']")
    assert page.locator("[aria-label='Tree']").input_value() == "1"
    page.click("text=Follow a row")
    page.click("[aria-label='Next row']")
    assert "The 4 trees of this page" in page.locator(".fx-vote").inner_text()
    assert page.locator(".fx-votes").get_attribute("aria-label") == "Trees: setosa 4"


def test_the_list_of_first_tests_shows_their_trees(show):
    page = show("first tests")
    told = first_tests().document
    rows = page.locator(".fx-roots tbody tr")
    assert rows.count() == len(told["trees"]) == 9
    assert page.locator("[role=tree]").count() == 1
    for place, tree in enumerate(told["trees"]):
        row = rows.nth(place)
        cells = row.locator("td").all_inner_texts()
        assert row.locator("th").inner_text() == tree["name"]
        assert float(cells[0]) == pytest.approx(told["roots"]["objective"][place], rel=1e-3)
        assert float(cells[1]) == pytest.approx(told["roots"]["more"][place], rel=5e-3, abs=1e-9)
        assert int(cells[2]) == told["roots"]["tests"][place]
        button = row.locator("button")
        button.click()
        # The list stays, with the focus, and the tree of the test stands beside it.
        assert page.evaluate("document.activeElement.textContent") == tree["name"]
        pressed = page.locator(".fx-roots [aria-pressed=true]")
        assert pressed.all_inner_texts() == [tree["name"]]
        assert page.locator(".fx-panehead select").input_value() == str(place)
        left = page.locator("[role=treeitem][data-node='1']").get_attribute("aria-label")
        assert left.startswith(f"{tree['name']}, ")
    # Another way to choose a tree marks its test, too.
    page.click("[aria-label='Next tree']")
    page.click(".fx-tabs >> text=First tests")
    assert page.locator(".fx-roots [aria-pressed=true]").inner_text() == told["trees"][0]["name"]
    page.click("text=Side by side")
    assert page.locator("[role=tree]").count() == 2


def test_weights_of_divided_rows_have_two_decimals_or_three_digits(show):
    page, seen = show("parts"), []
    for node in range(page.locator("[role=treeitem]").count()):
        page.locator(f"[role=treeitem][data-node='{node}']").click()
        seen += page.locator(".fx-rows, .fx-panel td:not(.fx-barcell), dd").all_inner_texts()
    weights = {one for one in seen if re.fullmatch(r"[\d.]+", one)}
    assert {"14", "4.31", "1.31", "0.308"} <= weights
    assert all(re.fullmatch(r"\d+(\.\d\d?)?|0\.0*\d{1,3}", one) for one in weights), weights


def test_a_leaf_of_a_number_shows_how_its_rows_lie(show):
    page, tree = show("numbers"), number_model().tree_
    leaf = int(np.flatnonzero(tree.n_children == 0)[0])
    page.locator(f"[role=treeitem][data-node='{leaf}']").first.click()
    assert heading(page) == f"Leaf {leaf} of squared_error: {tree.value[leaf]:.4g}"
    facts = page.locator(".fx-panel .fx-facts").inner_text()
    assert f"{tree.value[leaf]:.4g}" in facts
    assert f"{int(tree.weighted_n_node_samples[leaf])}" in facts
    picture = page.locator(".fx-panel .fx-histogram")
    assert picture.count() == 1 and picture.locator("line.fx-cut").count() == 1
    assert "quartiles" in page.locator(".fx-panel").inner_text()
    assert page.locator(".fx-panel .fx-legend li").count() == 8
    # The colours are those of numbers, not of classes.
    colours = page.evaluate(
        """() => Array.from(document.querySelectorAll(".fx-panel .fx-legend .fx-swatch"))
          .map((e) => getComputedStyle(e).backgroundColor)"""
    )
    expected = [f"rgb({int(v[1:3], 16)}, {int(v[3:5], 16)}, {int(v[5:], 16)})" for v in VALUES]
    assert colours == expected


def test_rows_of_numbers_are_followed_largest_errors_first(show):
    page, model, rows = show("numbers"), number_model(), pieces()
    page.click("text=Follow a row")
    page.locator(".fx-check input").check()
    page.click("[aria-label='Next row']")
    errors = np.abs(model.predict(rows) - rows.numbers)
    worst = int(errors.argmax())
    answer = page.locator(".fx-answer").inner_text()
    assert f"Its number is {rows.numbers[worst]:.4g}" in " ".join(answer.split())
    assert f"off by {errors[worst]:.4g}" in answer
    assert active(page) == model.apply(rows)[worst]


def test_forests_of_numbers_show_the_mean(show):
    page = show("numbers forest")
    page.click("text=Follow a row")
    page.click("[aria-label='Next row']")
    forest = FastForestRegressor(4, random_state=0, max_depth=3).fit(pieces())
    mean = forest.predict(pieces().take([0]))[0]
    assert f"Mean: {mean:.4g}." in page.locator(".fx-vote").inner_text()


def test_a_report_holds_an_explorer_for_every_set(browser, tmp_path):
    pytest.importorskip("jinja2")
    from fasttree.model_selection import compare

    sets = [datasets.load_weather(), datasets.load_iris()]
    compare(sets, ["gini", "auc"], cv="1x3").to_html(tmp_path / "report.html")
    page = browser.new_page(viewport={"width": 1300, "height": 900})
    errors = []
    page.on("pageerror", lambda error: errors.append(str(error)))
    page.goto((tmp_path / "report.html").as_uri())
    assert page.locator("[role=tree]").count() == 0
    for name in ("weather", "iris"):
        page.locator("details.set > summary", has_text=name).click()
        inside = page.locator("details.set[open]")
        # An explorer is laid out when the browser reports the size of its box.
        inside.locator("[role=tree]").nth(1).wait_for()
        assert inside.count() == 1 and inside.locator("[role=tree]").count() == 2
        assert inside.locator("[role=treeitem]").count() > 4
        box = page.locator("details.set[open] .fx").bounding_box()
        assert box["width"] > 900 and box["height"] > 400
        page.locator("details.set > summary", has_text=name).click()
    assert page.evaluate("document.documentElement.scrollWidth") <= 1300
    page.close()
    assert errors == []


def test_names_that_do_harm_are_text(show):
    page = show("nasty")
    assert page.evaluate("document.querySelectorAll('img, script:not([id])').length") == 1
    said = page.evaluate(
        "Array.from(document.querySelectorAll('[role=treeitem]')).map((e) => "
        "e.textContent).join('')"
    )
    assert any(name in said for name in (NASTY[0], NASTY[1], NASTY[5]))
    page.click("text=Follow a row")
    page.click("[aria-label='Next row']")
    assert "Its class is" in page.locator(".fx-answer").inner_text()


@pytest.mark.parametrize("name", ["two", "numbers", "first tests"])
@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [420, 1300])
def test_it_fits_and_can_be_read(show, width, scheme, name):
    page = show(name, width, 860, scheme)
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    if width > 1000:
        assert page.evaluate("document.documentElement.scrollHeight") <= 860
    assert page.evaluate(CONTRAST) == []
    paper = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.click("text=/^(Light|Dark)$/")
    assert page.evaluate("getComputedStyle(document.body).backgroundColor") != paper
    assert page.evaluate(CONTRAST) == []


@pytest.mark.parametrize("name", MODELS)
def test_ways_and_probabilities_are_those_of_the_model(browser, name):
    model, rows = MODELS[name]()
    table = datasets.load(rows) if isinstance(rows, str) else rows
    cells, found = walked(browser, model, table)
    leaves, shares = model.apply(cells), model.predict_proba(cells)
    labels = model.predict(cells).tolist()
    for i, (ends, label, chances, _) in enumerate(found):
        if len(ends) == 1:
            assert ends[0] == leaves[i]
        expected = np.zeros(model.n_classes_)
        for code, share in chances:
            expected[code] = share
        assert np.allclose(expected, shares[i], atol=1e-5)
        top = np.sort(shares[i])[::-1]
        if len(ends) == 1 or top[0] - top[1] > 1e-6:
            assert (None if label < 0 else model.classes_[label]) == labels[i]


@pytest.mark.parametrize("name", NUMBERS)
def test_ways_and_numbers_are_those_of_the_model(browser, name):
    table = pieces()
    model = NUMBERS[name]().fit(table)
    cells, found = walked(browser, model, table)
    leaves, numbers = model.apply(cells), model.predict(cells)
    for i, (ends, _, _, number) in enumerate(found):
        if len(ends) == 1:
            assert ends[0] == leaves[i] and number == numbers[i]
        assert number == pytest.approx(numbers[i], rel=1e-12, abs=1e-12)


def walked(browser, model, table):
    """The page's own walk, on rows with missing values and cells that no row had: the rows, and
    ends, label, probabilities and number of each."""
    document = model.explore(table, candidate_nodes=0).document
    rng = np.random.default_rng(3)
    used = [model._schema.names.index(n) for n in _names(document, model)]
    columns = [np.asarray(table.columns[f].values) for f in used]
    values = [[_cell(rng.choice(c), rng) for c in columns] for _ in range(60)]
    context = browser.new_context()
    page = context.new_page()
    script = resources.files("fasttree.exports.explorer").joinpath("static/tree.js")
    page.add_script_tag(content=script.read_text(encoding="utf-8"))
    found = page.evaluate(
        """([data, rows]) => { const tree = new Tree(data.trees[0], data);
        return rows.map((row) => {
          const f = tree.follow(row);
          return [f.ends, f.label, f.chances, f.number];
        });
      }""",
        [document, values],
    )
    context.close()
    return _as_rows(model, table, used, values), found


def _names(document, model):
    plain = {" ".join(n.split()): n for n in model._schema.names}
    return [plain.get(f["name"], f["name"]) for f in document["features"]]


def _cell(value, rng):
    if rng.random() < 0.25 or value != value or (isinstance(value, np.integer) and value < 0):
        return None
    return value.item() if isinstance(value, np.integer) else float(value + rng.normal() * 0.05)


def _as_rows(model, table, used, values):
    """Rows of all columns: what is not asked for is missing."""
    from fasttree.table.columns import Column

    place = {f: i for i, f in enumerate(used)}
    columns = []
    for f, column in enumerate(table.columns):
        gone = -1 if column.kind == "nominal" else np.nan
        own = [row[place[f]] if f in place else None for row in values]
        cells = np.array([gone if v is None else v for v in own])
        kind = np.int32 if column.kind == "nominal" else np.float64
        columns.append(Column(column.name, column.kind, cells.astype(kind), column.levels))
    return Table.from_columns(columns, None)


def test_five_thousand_nodes_draw_only_what_is_seen(browser, tmp_path):
    rng = np.random.default_rng(0)
    X, y = rng.random((6600, 4)), rng.integers(0, 3, 6600)
    model = fasttree.fit(X, y)
    assert model.n_nodes_ >= 5000
    model.explore(X, y, candidate_nodes=1, criteria=["gini"]).save(tmp_path / "big.html")
    page = browser.new_page(viewport={"width": 1300, "height": 800})
    page.goto((tmp_path / "big.html").as_uri())
    for look in ("Diagram", "Outline"):
        page.click(f"text={look}")
        page.click("text=Unfold all")
        assert 3 < page.locator("[role=treeitem]").count() < 150
        page.locator("[role=tree]").focus()
        page.keyboard.press("End")
        assert active(page) == model.n_nodes_ - 1
        assert page.locator(f"[role=treeitem][data-node='{model.n_nodes_ - 1}']").is_visible()
        page.keyboard.press("Home")
    page.close()


@pytest.mark.parametrize("name", ["parts", "one", "first tests", "numbers"])
def test_a_note_explains_cuts_and_missing_values_where_they_are(show, name):
    page = show(name)
    items = page.locator("[role=treeitem]")
    found = set()
    for place in range(min(items.count(), 8)):
        items.nth(place).click()
        own = page.locator("figure", has=page.locator(".fx-histogram")).last
        if page.locator("h3", has_text="Rows by").count() == 0 or own.count() == 0:
            continue
        text = page.locator(".fx-note", has_text="Score of the split").all_inner_texts()
        if not text:
            continue
        cuts, missing = own.locator(".fx-cut").count(), own.get_by_text("?", exact=True).count()
        assert ("Dashed lines" in text[0], "missing values" in text[0]) == (cuts > 0, missing > 0)
        found.add((cuts > 0, missing > 0))
    assert found
