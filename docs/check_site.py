"""Check a built site: ``python -m docs.check_site docs/_build/html``.

Links lead to files and places that exist, pictures have a text, no page loads anything from a
network, and no page weighs more than a megabyte with what it alone loads. Pages are HTML without a
parse error (by html5lib, which reads as browsers do); of pages made from one pattern a few are
parsed.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urldefrag, urlparse

from docs.check_pages import FEW, pages_of

MOST_BYTES = 1_000_000
LOADS = {"script": "src", "img": "src", "link": "href", "iframe": "src"}


class Page(HTMLParser):
    """What a page links to, loads and names."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.silent: list[str] = []
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Note names, links and loads."""
        found = {name: value or "" for name, value in attrs}
        self.names |= {found[key] for key in ("id", "name") if key in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        loaded = tag != "link" or found.get("rel") in ("stylesheet", "icon", "preload")
        if tag in LOADS and LOADS[tag] in found and loaded:
            self.loads.append(found[LOADS[tag]])
        if tag == "img" and "alt" not in found:  # an empty text is for pictures that only decorate
            self.silent.append(found.get("src", ""))


def target(page: Path, link: str) -> tuple[Path, str]:
    """The file and the place in it that a relative link means."""
    address, place = urldefrag(link)
    file = (page.parent / unquote(urlparse(address).path)).resolve() if address else page
    return file, unquote(place)


def faults_of(folder: Path) -> list[str]:
    """What is wrong, one line each."""
    import html5lib

    folder = folder.resolve()
    parsed = {folder / page for page in pages_of(folder, FEW)}
    pages = {path: Page(path) for path in sorted(folder.rglob("*.html"))}
    faults = []
    for path, page in pages.items():
        here = path.relative_to(folder)
        if "_static" in here.parts or "_modules" in here.parts:
            continue
        for link in page.links:
            if urlparse(link).scheme or link.startswith("//"):
                continue
            file, place = target(path, link)
            if not file.exists():
                faults.append(f"{here}: {link} leads nowhere")
            elif place and file in pages and place not in pages[file].names:
                faults.append(f"{here}: {link} has no such place")
        weight = path.stat().st_size
        for load in page.loads:
            if urlparse(load).scheme in ("http", "https") or load.startswith("//"):
                faults.append(f"{here}: loads {load} from a network")
            elif not load.startswith("data:"):
                file = target(path, load)[0]
                if not file.is_file():
                    faults.append(f"{here}: loads {load}, which is not there")
                elif "_static" not in file.parts and file.name != "searchindex.js":
                    weight += file.stat().st_size  # others are loaded once for all pages
        if weight > MOST_BYTES:
            faults.append(f"{here}: {weight:,} bytes")
        faults += [f"{here}: the picture {src} has no text" for src in page.silent]
        if path in parsed:
            parser = html5lib.HTMLParser()
            parser.parse(path.read_text(encoding="utf-8"))
            for place, code, _ in parser.errors:
                faults.append(f"{here}:{place[0]}: not valid HTML: {code}")
    return faults


if __name__ == "__main__":
    found = faults_of(Path(sys.argv[1]))
    print("\n".join(found) or "the site is sound")
    sys.exit(bool(found))
