"""A strict reader of the HTML pages of reports, and names that must not leave their place."""

from __future__ import annotations

import base64
import hashlib
import json
import re
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

VOID = {"meta", "br", "img", "link", "input", "hr"}
ATTRIBUTES = {
    "aria-hidden", "aria-label", "charset", "class", "content", "cx", "cy", "d", "data-fx", "type",
    "fill", "height", "href",
    "http-equiv", "id", "lang", "name", "open", "role", "rx", "scope", "style", "text-anchor",
    "title", "transform", "viewbox",
    "width", "x", "xmlns", "y",
}  # fmt: skip
NASTY = [
    "<script>alert(1)</script>",
    '" onmouseover="alert(1)" x="',
    "]]></title></style></svg><img src=x onerror=alert(1)>",
    "{{ 7*7 }}{% raw %}&lt;b&gt;'",
    "\u202egnp.exe\u202c \u05d0\u05d1 \u0645",
    "line\nbreak\ttab\x07bell",
]


class Page(HTMLParser):
    """Reads a page strictly: every element is closed in order, and everything of interest is
    kept."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.names, self.tags = [], [], [], set(), {}
        self.words, self.scripts, self.rows = [], [], []
        self.feed(text)
        self.close()
        assert self.open == [], self.open

    def handle_starttag(self, tag, attributes):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        for name, value in attributes:
            self.names.add(name)
            if name == "id":
                self.ids.append(value)
            if name in ("href", "src", "xlink:href", "action", "srcset", "data"):
                self.links.append(value)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data):
        if "script" in self.open:
            self.scripts[-1] += data
        elif "style" not in self.open:
            self.words.append(data)
        if {"td", "th"} & set(self.open[-4:]) and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data

    @property
    def text(self):
        return "".join(self.words)


def check_page(text):
    """What holds of every page; returns it parsed."""
    page = Page(text)
    assert text.startswith("<!doctype html>\n")
    assert page.names <= ATTRIBUTES, page.names - ATTRIBUTES
    assert len(page.ids) == len(set(page.ids))
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)
    *data, script = page.scripts  # of explorers, and what runs
    assert all(json.loads(one)["trees"] for one in data)
    assert text.count('<script type="application/json"') == len(data)
    assert not any(set(one) & set("<>&") for one in data)
    assert not {"iframe", "object", "embed", "img", "link", "form", "base", "foreignobject"} & set(
        page.tags
    )
    outside = text.replace('xmlns="http://www.w3.org/2000/svg"', "")
    for one in page.scripts:
        outside = outside.replace(one, "")
    assert not re.search(r"https?:|//[a-z]|@import|url\(|javascript:", outside)
    named = script.replace('"http://www.w3.org/2000/svg"', "")
    assert not re.search(r"https?:|fetch\(|XMLHttp|import\(|eval|innerHTML", named)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text and "default-src 'none'" in text
    assert "prefers-color-scheme" in text
    for picture in re.findall(r"<svg.*?</svg>", text, flags=re.DOTALL):
        ET.fromstring(picture)
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", text.replace("\n", ""))
    return page
