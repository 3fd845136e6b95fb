"""What the README shows is what the library and the recorded benches give today."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET
from pathlib import Path

import pytest

import fasttree

ROOT = Path(__file__).resolve().parents[3]
if not (ROOT / "docs" / "studies" / "first_screen").is_dir():
    pytest.skip("the documentation is not here", allow_module_level=True)

from docs.studies.first_screen import make  # noqa: E402

from ..tools import asked_for  # noqa: E402

COMMAND = "python -m docs.studies.first_screen.make"
README = (ROOT / "README.md").read_text(encoding="utf-8")


def is_up_to_date(name):
    return (make.WRITTEN / name).read_text(encoding="utf-8") == make.FILES[name]()


@pytest.mark.parametrize("name", [name for name in make.FILES if name != "criteria.md"])
def test_pictures_and_speeds_are_up_to_date(name):
    assert is_up_to_date(name), f"run {COMMAND}"


@asked_for  # a new criterion is written out by the command, not by hand
def test_criteria_are_up_to_date(ask):
    if not is_up_to_date("criteria.md"):
        ask(f"docs/written/criteria.md is not up to date; run {COMMAND}")


@pytest.mark.parametrize("name", [name for name in make.FILES if name.endswith(".svg")])
def test_pictures_serve_light_and_dark_pages_and_need_nothing_else(name):
    text = (make.WRITTEN / name).read_text(encoding="utf-8")
    ET.fromstring(text)
    assert "prefers-color-scheme:dark" in text
    assert not re.search(r"<script|<image|@import|href=", text)
    assert f"docs/written/{name}" in README


def test_the_four_trees_differ():
    table = fasttree.datasets.load(make.DATA)
    trees = {
        fasttree.fit(table, criterion=name, max_leaf_nodes=make.LEAVES).to_text()
        for name in make.CRITERIA
    }
    assert len(trees) == len(make.CRITERIA) == 4
    assert len({tree.split(" <= ")[0] for tree in trees}) == 3  # as the README's caption says


def test_each_library_has_one_bar_a_workload():
    bars = re.findall(r'text-anchor="end">([^<]+)<|class="w"[^>]*>([^<]+)<', make.speed())
    parts = " ".join(name or "|" for name, _ in bars).split("|")[1:]
    assert len(parts) == len(make.ROWS)
    for part in parts:
        assert part.count("fasttree") == part.count("scikit-learn") == 1, part


def test_numbers_that_the_readme_says_hold():
    ratios = {
        (r["workload"], a["peer"]): round(a["ratio"])
        for r in make.results_of("side_by_side")
        for a in r.get("against", [])
    }
    tree = ratios["exact tree, gini", "scikit-learn"]
    forest = ratios["forest of 100 trees, gini", "scikit-learn"]
    assert f"{tree} times less than scikit-learn for one tree, {forest} times less" in README
    registry = fasttree.list_criteria()
    count = len(registry)  # one count in all places
    assert f"fasttree has {count} published ones" in README
    assert f"| {count}, and your own in Python |" in README
    assert f"with {count} split\n  criteria" in (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    assert make.accuracies() in README
    assert make.advised().sentence in README.replace("\n> ", " ")
    others = [c for c in registry if c["evidence"] in ("pairs", "neighbours")]
    assert "9, also in trees" in README and len(others) >= 9
