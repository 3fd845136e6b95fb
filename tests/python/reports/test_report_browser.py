"""Pages of reports in headless Chromium on paper. Skipped, with the reason, where playwright or
Chromium is missing."""

from __future__ import annotations

import pytest

from fasttree.model_selection import compare
from tests.python import tools

pytestmark = pytest.mark.exhaustive
sync_api, CHROMIUM = tools.chromium()


def test_paper_holds_all_parts_of_a_comparison():
    """Also those of which one closes the other on the screen."""
    found = compare(["iris", "weather"], ["gini", "hellinger"], cv="1x2").to_html()
    closed = "Array.from(document.querySelectorAll('details:not(.fx *)')).map((part) => !part.open)"
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 720, "height": 1000})
        page.set_content(found)
        before = page.evaluate(closed)
        assert any(before) and not all(before)
        page.emulate_media(media="print")
        page.evaluate("dispatchEvent(new Event('beforeprint'))")
        assert not any(page.evaluate(closed))
        for tree in page.locator(".fx").all():  # also in parts that have never been open
            assert tree.locator("[role=treeitem]").count() > 1
        assert page.evaluate("document.documentElement.scrollWidth") <= 720
        cut = "(all) => all.filter((one) => one.scrollWidth > one.clientWidth).length"
        assert page.locator("pre").count() and page.eval_on_selector_all("pre", cut) == 0
        page.emulate_media(media="screen")
        page.evaluate("dispatchEvent(new Event('afterprint'))")
        assert page.evaluate(closed) == before
        browser.close()
