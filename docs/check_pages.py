"""Look at a built site in a browser: ``python -m docs.check_pages docs/_build/html``.

Every page is opened at 420 and 1300 pixels, in the light and in the dark scheme. No page may be
wider than a phone, and text has the contrast of WCAG 2.1 level AA: 4.5 to 1, or 3 to 1 if it is
large (24 px, or 18.66 px and bold). Needs playwright and a Chromium (the environment variable
CHROMIUM names another than the first on the path); without them it says so and checks nothing.
``--pictures FOLDER`` keeps a picture of each page.
"""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from pathlib import Path

WIDTHS = (420, 1300)
SCHEMES = ("light", "dark")
TALLEST = 6000
FEW = 6
"""Pages of one pattern that are looked at."""

OVERFLOW = """() => {
  const wide = document.documentElement.clientWidth;
  if (document.documentElement.scrollWidth <= wide + 1) return null;
  const out = [...document.querySelectorAll("main *")]
    .filter((e) => e.getBoundingClientRect().right > wide + 1 && e.getClientRects().length);
  const last = out[out.length - 1] || document.body;
  return document.documentElement.scrollWidth + " px: " + last.outerHTML.slice(0, 80);
}"""

CONTRAST = """() => {
  const rgb = (c) => (c.match(/[\\d.]+/g) || [0, 0, 0, 0]).map(Number);
  const over = (top, under) => {
    const a = top.length > 3 ? top[3] : 1;
    return [0, 1, 2].map((i) => top[i] * a + under[i] * (1 - a));
  };
  const linear = (x) => x <= 0.04045 ? x / 12.92 : ((x + 0.055) / 1.055) ** 2.4;
  const light = (c) => {
    const [r, g, b] = c.map((x) => linear(x / 255));
    return 0.2126 * r + 0.7152 * g + 0.0722 * b;
  };
  const ground = (e) => {
    if (!e) return [255, 255, 255];
    const own = rgb(getComputedStyle(e).backgroundColor);
    if (own.length === 3 || own[3] === 1) return own.slice(0, 3);
    return over(own, ground(e.parentElement));
  };
  const poor = new Map();
  for (const e of document.querySelectorAll("body *")) {
    const text = [...e.childNodes].filter((n) => n.nodeType === 3 && n.textContent.trim());
    if (!text.length || !e.checkVisibility({ opacityProperty: true, visibilityProperty: true }))
      continue;
    if (e.closest("svg, :disabled, [aria-hidden=true], .visually-hidden, dialog:not([open])"))
      continue;
    const style = getComputedStyle(e), size = parseFloat(style.fontSize);
    if (!e.getClientRects().length || size === 0) continue;
    const under = ground(e), colour = over(rgb(style.color), under);
    const [a, b] = [light(colour), light(under)].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const large = size >= 24 || (size >= 18.66 && parseInt(style.fontWeight) >= 700);
    if (ratio < (large ? 3 : 4.5) - 0.005) {
      const where = e.tagName.toLowerCase() + "." + e.className;
      poor.set(where, ratio.toFixed(2) + " " + where + ": " + text[0].textContent.trim());
    }
  }
  return [...poor.values()].map((words) => words.slice(0, 120));
}"""


def chromium() -> str | None:
    """The path of a Chromium, or None."""
    names = ("chromium", "chromium-browser", "google-chrome")
    return os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, names)), None)


def pages_of(folder: Path, few: int | None = None) -> list[Path]:
    """The pages of a site without the theme's own; at most `few` of the pages of a folder that are
    made from one pattern (objects, criteria, gallery)."""
    found = (p.relative_to(folder) for p in sorted(folder.rglob("*.html")))
    pages = [p for p in found if p.parts[0] not in ("_static", "_modules", "_downloads")]
    alike: dict[Path, list[Path]] = {}
    for page in pages:
        made = page.parts[0] == "gallery" or len(page.parts) > 2
        alike.setdefault(page.parent if made else page, []).append(page)
    return sorted(page for group in alike.values() for page in group[:few])


def faults_of(folder: Path, pages: list[Path], pictures: Path | None = None) -> list[str]:
    """What is wrong with the pages of a folder, one line each."""
    from playwright.sync_api import sync_playwright

    faults: dict[str, None] = {}
    with sync_playwright() as play:
        browser = play.chromium.launch(executable_path=chromium(), args=["--no-sandbox"])
        for scheme in SCHEMES:
            context = browser.new_context(color_scheme=scheme, reduced_motion="reduce")
            view = context.new_page()
            for page in pages:
                view.set_viewport_size({"width": WIDTHS[0], "height": 900})
                view.goto((folder / page).resolve().as_uri(), wait_until="load")
                view.evaluate(f"() => {{ document.documentElement.dataset.theme = '{scheme}'; }}")
                if scheme == SCHEMES[0] and (wide := view.evaluate(OVERFLOW)):
                    faults[f"{page}: wider than {WIDTHS[0]} px: {wide}"] = None
                for poor in view.evaluate(CONTRAST):
                    faults[f"{page}: {scheme}: contrast {poor}"] = None
                if pictures is not None:
                    for width in WIDTHS:
                        view.set_viewport_size({"width": width, "height": 900})
                        tall = view.evaluate("() => document.documentElement.scrollHeight")
                        view.set_viewport_size({"width": width, "height": min(tall, TALLEST)})
                        name = "-".join(page.with_suffix("").parts)
                        view.screenshot(path=pictures / f"{name}.{scheme}.{width}.png")
            context.close()
        browser.close()
    return list(faults)


def main() -> int:
    """Check the site of the command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--pages", nargs="*", type=Path, help="these alone, relative to the folder")
    parser.add_argument("--all", action="store_true", help="also all pages made from one pattern")
    parser.add_argument("--pictures", type=Path, help="a folder for a picture of each page")
    options = parser.parse_args()
    try:
        import playwright  # noqa: F401
    except ImportError:
        print("not looked at in a browser: playwright is missing")
        return 0
    if chromium() is None:
        print("not looked at in a browser: there is no Chromium (CHROMIUM names one)")
        return 0
    if options.pictures:
        options.pictures.mkdir(parents=True, exist_ok=True)
    pages = options.pages or pages_of(options.folder, None if options.all else FEW)
    found = faults_of(options.folder, pages, options.pictures)
    print("\n".join(found) or "the pages fit a phone, and their text has contrast")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
