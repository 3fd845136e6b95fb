"""The playground in headless Chromium: both targets, and what its page says to try. Skipped, with
the reason, where playwright or Chromium is missing."""

from __future__ import annotations

import os
import shutil
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.exhaustive
sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
pytest.importorskip("docutils", reason="docutils is not installed")
CHROMIUM = (
    os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("chromium-browser")
)
if CHROMIUM is None:
    pytest.skip("there is no Chromium (set CHROMIUM to its path)", allow_module_level=True)

DOCS = Path(__file__).resolve().parents[3] / "docs"
if not DOCS.is_dir():
    reason = "the documentation is not here (tests of an installed package)"
    pytest.skip(reason, allow_module_level=True)

MOVE = "(e, v) => { e.value = v; e.dispatchEvent(new Event('input')); }"


@pytest.fixture(scope="module")
def browser():
    with sync_api.sync_playwright() as playwright:
        found = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        yield found
        found.close()


@pytest.fixture
def page(browser, monkeypatch):
    monkeypatch.syspath_prepend(str(DOCS / "_ext"))
    sys.modules.pop("playground", None)
    from playground import script

    page, faults = browser.new_page(), []
    page.on("pageerror", lambda fault: faults.append(fault))
    page.set_content(
        '<article><div class="criteria-playground"></div></article>'
        f'<script type="module">{script()}</script>'
    )
    yield page
    page.close()
    assert not faults


def press(page, name):
    page.get_by_role("button", name=name, exact=True).click()


def move(page, control, value):
    page.locator(f"#pg-given-{control}").evaluate(MOVE, value)


def preferred(page):
    """Criteria that prefer the new split to the kept one."""
    rows = page.locator("tr:has(td:nth-child(3).pg-better)")
    return {text.strip() for text in rows.locator("label").all_text_contents()}


def test_counts_and_numbers_have_the_same_controls(page):
    assert page.locator(".pg-slider").count() == 4
    assert page.locator(".pg-leaves svg").count() == 0
    move(page, 0, 0)
    move(page, 2, 0)
    assert page.locator(".pg-note").inner_text().startswith("Both classes and both branches")
    press(page, "A number")
    assert page.locator(".pg-slider").count() == 2
    names = [svg.get_attribute("aria-label") for svg in page.locator(".pg-leaves svg").all()]
    assert names == [
        "left leaf: 10 rows, mean 2.8, median 3, 0.9-quantile 4; "
        "rows by eighths of the range: 4, 4, 2, 0, 0, 0, 0, 0",
        "right leaf: 10 rows, mean 8.3, median 8, 0.9-quantile 9.5; "
        "rows by eighths of the range: 0, 0, 0, 0, 0, 2, 4, 4",
    ]
    press(page, "Two classes")
    assert page.locator(".pg-slider").count() == 4


def test_numbers_that_are_typed(page):
    press(page, "A number")
    for typed, said in (
        ("1, 2, x", "\u201cx\u201d is not a number."),
        ("1", "A split needs at least two numbers."),
        ("3 3;3", "All numbers are equal."),
        ("1; 2 -4", "3 rows: 2 go left, 1 right. Tick up to six curves."),
    ):
        page.locator("#pg-given-numbers").fill(typed)
        assert page.locator(".pg-note").inner_text() == said
    scores = page.locator("td:nth-child(3)").all_text_contents()
    assert scores[3] == "no split"  # poisson of a negative number
    assert float(scores[0]) == pytest.approx(2 / 3 * 1 / 3 * 5.5**2, rel=1e-3)


@pytest.mark.parametrize(
    ("preset", "first", "second", "those"),
    [
        (
            "One number far off",
            10,
            19,
            {"squared_error", "quantile", "poisson", "standard_deviation"},
        ),
        ("Counts", 10, 14, {"squared_error"}),
        ("Spread alone", 19, 10, {"quantile", "standard_deviation"}),
    ],
)
def test_what_the_page_says_to_try(page, preset, first, second, those):
    press(page, "A number")
    press(page, preset)
    move(page, "left", first)
    press(page, "Keep this split to compare")
    move(page, "left", second)
    assert preferred(page) - {"standard_deviation, variant weka"} == those
    assert page.locator(".pg-note").inner_text().startswith(f"The kept split: {first} rows go")
