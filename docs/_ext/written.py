"""Pages that are written before a build."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

__all__ = ["write_pages"]


def write_pages(folder: Path, pages: Mapping[str, str]) -> None:
    """Make the folder hold these pages alone; those that stay the same are not touched, so that
    Sphinx skips them."""
    folder.mkdir(exist_ok=True)
    for old in folder.glob("*.rst"):
        if old.name not in pages:
            old.unlink()
    for name, text in pages.items():
        path = folder / name
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
