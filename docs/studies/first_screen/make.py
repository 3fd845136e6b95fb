"""What the README shows and a reader of the sources finds written out: pictures and tables.

``python -m docs.studies.first_screen.make`` writes them anew, and the stub of the core
(``_core.pyi``); tests compare them with what is there. Trees come from the library, speeds from
``benches/record``, criteria from the registry.
"""

from __future__ import annotations

import itertools
import json
import re
import statistics
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import fasttree

from .stub import STUB, install, stub

ROOT = Path(__file__).resolve().parents[3]
WRITTEN = ROOT / "docs" / "written"
RECORDS = ROOT / "benches" / "record"

CRITERIA = ("gini", "info_gain", "gain_ratio", "hellinger")
DATA, LEAVES = "wine", 3
ADVISED = "breast-cancer"

STYLE = """\
.fs{--ink:#1d2430;--paper:#ffffff;--soft:#5a6677;--own:#1f6fb2;--peer:#aab4c2;
font-family:system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif}
@media (prefers-color-scheme:dark){.fs{--ink:#e8ecf2;--paper:#14181f;--soft:#a3aebd;
--own:#58a6e8;--peer:#566273}}
.fs .paper{fill:var(--paper)}
.fs .h{fill:var(--ink);font-size:15px;font-weight:600}
.fs .w{fill:var(--ink);font-size:13px}
.fs .n{fill:var(--soft);font-size:12px}
.fs .own{fill:var(--own)}
.fs .peer{fill:var(--peer)}
"""


def _picture(width: float, height: float, title: str, body: list[str]) -> str:
    """One SVG for light and dark pages."""
    return "\n".join(
        [
            f'<svg xmlns="http://www.w3.org/2000/svg" class="fs" width="{width:.0f}" '
            f'height="{height:.0f}" viewBox="0 0 {width:.0f} {height:.0f}" role="img" '
            f'aria-label="{title}">',
            f"<title>{title}</title>",
            f"<style>\n{STYLE}</style>",
            f'<rect class="paper" width="{width:.0f}" height="{height:.0f}" rx="8"/>',
            *body,
            "</svg>\n",
        ]
    )


def four_trees() -> str:
    """The same data, four criteria, four trees of three leaves."""
    table = fasttree.datasets.load(DATA)
    found = fasttree.model_selection.cross_validate(
        table, list(CRITERIA), cv="5x10", max_leaf_nodes=LEAVES, random_state=0
    )
    panels = []
    for name in CRITERIA:
        svg = fasttree.fit(table, criterion=name, max_leaf_nodes=LEAVES).to_svg()
        size = re.search(r'width="([\d.]+)" height="([\d.]+)"', svg)
        assert size is not None
        panels.append((name, svg, float(size[1]), float(size[2])))
    wide = max(p[2] for p in panels)
    tall = max(p[3] for p in panels)
    body = [
        f'<text class="h" x="16" y="28">Same data ({DATA}, {len(table)} rows), four criteria, '
        f"four trees of {LEAVES} leaves</text>"
    ]
    for i, (name, svg, _, _) in enumerate(panels):
        x, y = 8 + (i % 2) * (wide + 8), 46 + (i // 2) * (tall + 34)
        accuracy = 100 * found.mean(name, "accuracy")
        body.append(
            f'<text class="h" x="{x + 10:.0f}" y="{y + 12:.0f}">{name}</text>'
            f'<text class="n" x="{x + 18 + 9 * len(name):.0f}" y="{y + 12:.0f}">'
            f"{accuracy:.1f} % right in 5 x 10-fold cross-validation</text>"
        )
        placed = svg[svg.index("<svg") :].replace("<svg", f'<svg x="{x:.0f}" y="{y + 18:.0f}"', 1)
        body.append(placed.strip())
    return _picture(2 * wide + 24, 46 + 2 * (tall + 34), body[0].split(">")[1][:-6], body)


@cache
def advised() -> fasttree.Advice:
    """The recommendation whose sentence and tree the README shows."""
    return fasttree.advise(ADVISED, progress=False)


def advised_tree() -> str:
    """The tree that is recommended for a bundled set."""
    return advised().model.to_svg() + "\n"


KNOWN_SETS = ("breast-w", "credit-a", "diabetes", "heart-c", "ionosphere", "tic-tac-toe", "vote")


def accuracies() -> str:
    """Accuracy and leaves of `advise` beside tuned CART, on sets that many know and on all."""
    (record,) = records_of("advice_on_uci")
    head = ["data set", "advise, % right", "leaves", "tuned CART, % right", "leaves"]

    def row(name: str, results: list[dict[str, Any]]) -> list[str]:
        cells = [name]
        for method in ("advise", "cart"):
            right = statistics.fmean(r[method] for r in results)
            leaves = statistics.fmean(r["leaves"][method] for r in results)
            cells += [f"{100 * right:.1f}", f"{leaves:.0f}"]
        return cells

    sets = record["sets"]
    rows = [row(name, [r for r in sets if r["set"] == name]) for name in KNOWN_SETS]
    return _table(head, [*rows, row(f"mean of {len(sets)} sets", sets)])


ROWS = (
    ("exact tree, gini", "One tree, Gini: 100,000 rows x 20 numbers"),
    ("forest of 100 trees, gini", "Forest of 100 trees: 100,000 rows x 20 numbers"),
    ("4 criteria x 5x10 CV, breast cancer", "Cross-validation, 4 criteria x 50 trees: 569 x 30"),
)


def records_of(*benches: str) -> list[dict[str, Any]]:
    """The records of the parts of these benches, in the order of the names."""
    found = [RECORDS.glob(pattern) for b in benches for pattern in (f"{b}.json", f"{b}-*.json")]
    paths = sorted(itertools.chain(*found), key=lambda path: path.stem)
    return [json.loads(path.read_text(encoding="utf-8")) for path in paths]


def results_of(*benches: str) -> list[dict[str, Any]]:
    """All results of the records of these benches."""
    return [result for record in records_of(*benches) for result in record["results"]]


def _seconds(value: float) -> str:
    return f"{value:.2f} s" if value < 1 else f"{value:.1f} s"


def speed() -> str:
    """CPU seconds beside scikit-learn and YDF, from the recorded benches."""
    results, body, y = results_of("side_by_side"), [], 56
    body.append('<text class="h" x="16" y="28">CPU time, one thread (shorter is better)</text>')
    for workload, words in ROWS:
        found = [r for r in results if r["workload"] == workload and "255" not in r["contestant"]]
        most = max(r["cpu_seconds"] for r in found)
        body.append(f'<text class="w" x="16" y="{y}">{words}</text>')
        for r in sorted(found, key=lambda r: float(r["cpu_seconds"])):
            y += 22
            own = r["contestant"] == "fasttree"
            length = max(2.0, 430 * r["cpu_seconds"] / most)
            ratio = r["cpu_seconds"] / found[0]["cpu_seconds"]
            times = "" if own else f" ({ratio:.1f} x)"
            body.append(
                f'<text class="n" x="104" y="{y + 1}" text-anchor="end">{r["contestant"]}</text>'
                f'<rect class="{"own" if own else "peer"}" x="112" y="{y - 10}" '
                f'width="{length:.1f}" height="14" rx="2"/>'
                f'<text class="n" x="{118 + length:.0f}" y="{y + 1}">'
                f"{_seconds(r['cpu_seconds'])}{times}</text>"
            )
        y += 34
    return _picture(680, y - 10, "CPU time beside scikit-learn and YDF", body)


def _table(head: list[str], rows: list[list[str]]) -> str:
    """A Markdown table."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(c.replace("|", "\\|") for c in row) + " |" for row in lines)


def criteria() -> str:
    """All criteria with what they measure and where they come from."""
    rows = [
        [f"`{c['name']}`", c["summary"], c["evidence"], f"${c['formula']}$", c["source"]]
        for c in fasttree.list_criteria()
    ]
    return (
        "# All criteria\n\nFrom the registry, `fasttree.list_criteria()`. Score of a split: larger "
        "is better. Evidence: what\nthe criterion reads, tables of branch x class, pairs of rows, "
        "neighbours, or rows; of a numeric\ntarget its moments by branch (weight, mean, variance), "
        "or its order.\n\n"
        + _table(["name", "what it measures", "evidence", "score", "source"], rows)
        + "\n"
    )


def performance() -> str:
    """All recorded comparisons with other libraries."""
    rows = [
        [
            r["workload"],
            r["data"],
            r["contestant"],
            f"{r['cpu_seconds']:.3g}",
            ", ".join(f"{a['ratio']:.1f} x {a['peer']}" for a in r.get("against", [])),
            "" if r.get("leaves") is None else f"{r['leaves']:,.0f}",
            "" if r.get("accuracy") is None else f"{100 * r['accuracy']:.1f}",
        ]
        for r in results_of("side_by_side", "at_scale")
    ]
    head = ["workload", "data", "library", "CPU s", "faster than", "leaves", "accuracy, %"]
    return (
        "# Speed beside other libraries\n\nCPU seconds (user + system), one thread, least of at "
        "least three rounds in turns; from\n[benches/record](../../benches/record), measured by\n"
        "[benches/side_by_side.py](../../benches/side_by_side.py) and\n"
        "[benches/at_scale.py](../../benches/at_scale.py).\n\n" + _table(head, rows) + "\n"
    )


FILES: dict[str, Callable[[], str]] = {
    "four_trees.svg": four_trees,
    "advised_tree.svg": advised_tree,
    "speed.svg": speed,
    "criteria.md": criteria,
    "performance.md": performance,
}


def main() -> None:
    """Write every file."""
    install()
    STUB.write_text(stub(), encoding="utf-8")
    WRITTEN.mkdir(exist_ok=True)
    for name, make in FILES.items():
        (WRITTEN / name).write_text(make(), encoding="utf-8")


if __name__ == "__main__":
    main()
