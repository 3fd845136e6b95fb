"""Every text file of the repository keeps to lines of 100 columns."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
WIDTH = 100

# Files that a program writes and reads, and pictures.
MADE = {".json", ".lock", ".png", ".svg"}
# A line may be longer if it is a row of a table, holds an address that cannot be broken, or is too
# long only by a comment to a tool.
TABLE_ROW = re.compile(r"\s*\|.*\|$")
ADDRESS = re.compile(r"https?://\S{40,}")
TO_A_TOOL = re.compile(r"  # (?:type: ignore|noqa)\b.*$")


def text_files() -> list[Path]:
    """The files under version control that people write and read."""
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("no repository here (tests of an installed package or of an archive)")
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True
    )
    paths = (ROOT / name for name in listed.stdout.split("\0") if name)
    return [path for path in paths if path.suffix not in MADE and path.is_file()]


def too_long(line: str, suffix: str = "") -> bool:
    """Whether a line goes beyond the width and no rule excepts it."""
    if len(line) <= WIDTH or ADDRESS.search(line) or (suffix == ".md" and TABLE_ROW.match(line)):
        return False
    return len(TO_A_TOOL.sub("", line)) > WIDTH


def test_the_rules_except_only_what_they_say():
    assert too_long("x" * 101) and not too_long("x" * 100)
    assert too_long("|" + "x" * 100 + "|") and not too_long("|" + "x" * 100 + "|", ".md")
    assert not too_long("# see https://example.org/" + "x" * 90)
    assert not too_long("x" * 90 + "  # type: ignore[index]")
    assert too_long("x" * 101 + "  # noqa: E731")


def test_lines_are_at_most_100_columns():
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in text_files()
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1)
        if too_long(line, path.suffix)
    ]
    assert not found, f"{len(found)} lines are longer than {WIDTH} columns: {found[:20]}"


def test_the_daily_build_is_for_debugging_and_needs_no_release_of_the_package():
    """`maturin develop --extras` asks the registry for the package, to which extras refer."""
    settings = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    assert re.search(r'^editable-profile = "dev"', settings, re.MULTILINE)
    for name in ("CONTRIBUTING.md", "justfile"):
        text = (ROOT / name).read_text(encoding="utf-8")
        assert "maturin develop" in text and "pip install -e '.[test]'" in text
        assert not re.search(r"maturin develop.*(--extras|-E\b)", text)
