"""The checks of the built site: each sees a fault that is put into a page."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

WHY = "the documentation is not here (an installed package)"
check_pages = pytest.importorskip("docs.check_pages", reason=WHY)
check_site = pytest.importorskip("docs.check_site", reason=WHY)

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>page</title>
<style>body{{background:#fff;color:#111}}</style></head>
<body><main><h1 id="top">Page</h1>{body}</main></body></html>
"""


def site(folder, body):
    (folder / "index.html").write_text(PAGE.format(body=body), encoding="utf-8")
    return folder


@pytest.mark.parametrize(
    ("body", "said"),
    [
        ('<p><a href="other.html">other</a></p>', "leads nowhere"),
        ('<p><a href="#below">below</a></p>', "no such place"),
        ('<p><img src="https://example.org/a.png" alt="a"></p>', "from a network"),
        ('<p><img src="data:image/png;base64,AA=="></p>', "has no text"),
        ("<p>a <b>bold</p>", "not valid HTML"),
        ("x" * 1_000_001, "bytes"),
    ],
)
def test_faults_of_a_page_are_found(tmp_path, body, said):
    pytest.importorskip("html5lib", reason="html5lib is not installed (extra docs)")
    assert check_site.faults_of(site(tmp_path, '<p><a href="#top">top</a></p>')) == []
    found = check_site.faults_of(site(tmp_path, body))
    assert found and all(said in fault for fault in found)


def test_pages_made_from_one_pattern_are_sampled(tmp_path):
    folder = tmp_path / "reference" / "objects"
    folder.mkdir(parents=True)
    for name in "abc":
        (folder / f"{name}.html").touch()
    (tmp_path / "reference" / "api.html").touch()
    pages = check_pages.pages_of
    assert [p.name for p in pages(tmp_path, 2)] == ["api.html", "a.html", "b.html"]
    assert len(pages(tmp_path)) == 4


@pytest.mark.exhaustive
def test_width_and_contrast_are_seen_in_a_browser(tmp_path):
    pytest.importorskip("playwright", reason="playwright is not installed (extra docs)")
    if check_pages.chromium() is None or shutil.which(check_pages.chromium()) is None:
        pytest.skip("there is no Chromium (CHROMIUM names one)")
    pages = [Path("index.html")]
    assert check_pages.faults_of(site(tmp_path, "<p>words</p>"), pages) == []
    wide = check_pages.faults_of(site(tmp_path, '<p style="width:900px">words</p>'), pages)
    assert len(wide) == 1 and "wider than 420 px" in wide[0]
    grey = check_pages.faults_of(site(tmp_path, '<p style="color:#999">words</p>'), pages)
    assert [fault.split(": ")[1] for fault in grey] == ["light", "dark"]
    assert all("contrast 2.85" in fault for fault in grey)
    assert check_pages.faults_of(site(tmp_path, '<p style="color:#767676">words</p>'), pages) == []
