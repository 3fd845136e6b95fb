"""The tree explorer on a tree of 5,000 nodes in headless Chromium: what an action costs.

Every action (a key, a click, a search, a jump of the scroll bar, following a row) is done
`--rounds` times; CPU time of the page's main thread comes from Chromium's own counters
(``TaskDuration`` in thread ticks: script, layout, paint records), wall time from the call to the
second frame after it. Needs playwright and Chromium.

    python benches/explorer.py [--nodes 5000] [--rounds 7] [--record]
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np
from clock import add_record, keep

import fasttree

DO = """async (action) => {
  const start = performance.now();
  const view = document.querySelector("[role=tree]");
  const press = (key) => view.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true }));
  const buttons = Array.from(document.querySelectorAll("button"));
  const click = (words) => buttons.find((b) => b.textContent === words).click();
  const find = (text) => {
    const box = document.querySelector("input[type=search]");
    box.value = text;
    box.dispatchEvent(new Event("input"));
  };
  if (action.key) press(action.key);
  if (action.click) click(action.click);
  if (action.find !== undefined) find(action.find);
  if (action.scroll !== undefined) view.scrollTop = action.scroll * view.scrollHeight;
  if (action.node !== undefined) document.querySelector(`[data-node="${action.node}"]`).click();
  if (action.row) document.querySelector("[aria-label='Next row']").click();
  document.body.getBoundingClientRect();
  await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
  return performance.now() - start;
}"""

ACTIONS: dict[str, dict[str, Any]] = {
    "unfold all": {"click": "Unfold all"},
    "next node (key)": {"key": "ArrowDown"},
    "last node (key)": {"key": "End"},
    "fold a node (key)": {"key": "ArrowLeft"},
    "scroll to the middle": {"scroll": 0.5},
    "search that finds thousands": {"find": "x1"},
    "search that finds nothing": {"find": "nothing"},
    "first node (key)": {"key": "Home"},
    "root: 120 candidates, 28 criteria": {"node": 0},
    "fold all": {"click": "Fold all"},
}


def table(nodes: int) -> tuple[np.ndarray, np.ndarray]:
    """Rows without a signal, of which a tree learns about so many nodes."""
    rng = np.random.default_rng(0)
    rows = round(nodes * 1.44)
    return rng.random((rows, 6)), rng.integers(0, 3, rows)


def cpu_of(session: Any) -> float:
    """CPU seconds of the page's main thread."""
    metrics = session.send("Performance.getMetrics")["metrics"]
    return next(m["value"] for m in metrics if m["name"] == "TaskDuration")


def measured(page: Any, session: Any, rounds: int, width: int) -> list[dict[str, Any]]:
    """CPU and wall milliseconds of every action in both views."""
    found = []
    for look in ("Diagram", "Outline"):
        page.evaluate(DO, {"click": look})
        page.evaluate(DO, {"click": "Node"})
        times: dict[str, list[tuple[float, float]]] = {name: [] for name in ACTIONS}
        times["follow a row"] = []
        for _ in range(rounds):
            page.evaluate(DO, {"find": ""})
            for name, action in ACTIONS.items():
                before = cpu_of(session)
                wall = page.evaluate(DO, action)
                times[name].append((1000 * (cpu_of(session) - before), wall))
            page.evaluate(DO, {"click": "Follow a row"})
            before = cpu_of(session)
            wall = page.evaluate(DO, {"row": True})
            times["follow a row"].append((1000 * (cpu_of(session) - before), wall))
        for name, values in times.items():
            cpu, wall = zip(*values, strict=True)
            one = {
                "view": look.lower(),
                "width_px": width,
                "action": name,
                "cpu_ms_median": round(statistics.median(cpu), 2),
                "cpu_ms_max": round(max(cpu), 2),
                "wall_ms_median": round(statistics.median(wall), 2),
            }
            found.append(one)
            print(
                f"{look:8} {width:5} px  {name:36} CPU {one['cpu_ms_median']:7.2f} ms "
                f"(max {one['cpu_ms_max']:.2f}), wall {one['wall_ms_median']:.1f} ms"
            )
    return found


def main() -> None:
    """Make the page, drive it, print and keep the figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--nodes", type=int, default=5000)
    parser.add_argument("--rounds", type=int, default=7)
    add_record(parser)
    given = parser.parse_args()
    from playwright.sync_api import sync_playwright

    X, y = table(given.nodes)
    model = fasttree.fit(X, y)
    start = time.process_time()
    page = model.explore(X, y)
    made = time.process_time() - start
    size = len(page.html.encode())
    print(f"{model.n_nodes_} nodes: page of {size / 1e6:.2f} MB, made in {made:.2f} CPU s")
    results = []
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        file = Path(folder) / "tree.html"
        page.save(file)
        chromium = playwright.chromium.launch(
            executable_path=shutil.which("chromium"), args=["--no-sandbox"]
        )
        for width, height in ((1300, 900), (420, 860)):
            window = chromium.new_page(viewport={"width": width, "height": height})
            session = window.context.new_cdp_session(window)
            session.send("Performance.enable", {"timeDomain": "threadTicks"})
            window.goto(file.as_uri())
            results += measured(window, session, given.rounds, width)
            window.close()
        version = chromium.version
        chromium.close()
    worst = max(results, key=lambda one: one["cpu_ms_max"])
    print(f"worst: {worst['action']} ({worst['view']}), {worst['cpu_ms_max']} ms")
    summary = {"nodes": int(model.n_nodes_), "page_bytes": size, "made_cpu_s": round(made, 2)}
    if given.record:
        keep(
            {
                "unit": "milliseconds of an action",
                "chromium": version,
                **summary,
                "results": results,
            }
        )


if __name__ == "__main__":
    main()
