"""`recorded`: what the scripts ``make`` of the studies have in common."""

from __future__ import annotations

from pathlib import Path
from types import ModuleType
from typing import Any


def recorded(study: ModuleType, *sizes: int) -> Any:
    """Run a study of these sizes and write the numbers that its page shows to ``record.json`` in
    its folder; the result."""
    result = study.run(*sizes, progress=True)
    Path(str(study.__file__)).with_name("record.json").write_text(
        result.to_record(), encoding="utf-8"
    )
    return result
