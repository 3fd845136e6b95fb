"""Tables of notebooks in headless Chromium under JupyterLab's rules for cells, on screen and on
paper. Skipped, with the reason, where playwright or Chromium is missing."""

from __future__ import annotations

import pytest

import fasttree
from tests.python import tools

pytestmark = pytest.mark.exhaustive
sync_api, CHROMIUM = tools.chromium()

JUPYTER = """<style>
:not(.jp-RenderedMarkdown).jp-RenderedHTMLCommon :is(td,th){text-align:right;padding:0.5em}
.jp-RenderedHTMLCommon table{table-layout:fixed;border:none;margin-left:auto;margin-right:auto}
</style>"""

TABLES = {
    "criteria": fasttree.list_criteria,
    "explain": lambda: fasttree.fit("iris").explain(0, "iris"),
    "advice": lambda: fasttree.advise("weather"),
    "data sets": fasttree.datasets.list_datasets,
}


@pytest.mark.parametrize("name", TABLES)
def test_tables_are_aligned_and_fit_on_paper(name):
    body = f'<div class="jp-RenderedHTMLCommon">{TABLES[name]()._repr_html_()}</div>'
    with sync_api.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox"])
        page = browser.new_page(viewport={"width": 1200, "height": 800})
        page.set_content(JUPYTER + body)
        cells = page.evaluate(
            """() => Array.from(document.querySelectorAll(".ft-out :is(td,th)")).map((e) =>
            [e.classList.contains("n"), getComputedStyle(e).textAlign])"""
        )
        assert cells and all(side == ("right" if number else "left") for number, side in cells)
        page.set_viewport_size({"width": 560, "height": 800})  # an output cell on A4
        page.emulate_media(media="print")
        sizes = page.evaluate(
            """() => Array.from(document.querySelectorAll(".ft-out")).map((e) =>
            [e.scrollWidth, e.clientWidth])"""
        )
        browser.close()
    assert all(needed <= there for needed, there in sizes), sizes
