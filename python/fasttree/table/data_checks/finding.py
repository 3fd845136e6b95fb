"""`Finding`: what a check says of one column, of the target, or of all rows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

Action = Literal["leave out", "use parts"]
"""What a fit does with a column: it is unused, or its year, month and weekday stand for it."""


@dataclass(frozen=True)
class Finding:
    """One thing that a check has found.

    Attributes:
        column: name of the column; of the target its name; "" of all rows.
        text: the reason why a column is left out, or what the sentence of the check lists.
        evidence: the numbers or texts behind it, as the check describes them.
        action: what a fit does about it, if it treats columns; None: it is only said.
        kind: name of the check in `CHECKS`.
    """

    column: str
    text: str
    evidence: Any = None
    action: Action | None = None
    kind: str = ""
