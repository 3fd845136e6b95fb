"""`Pruning`: what all methods of pruning have in common."""

from __future__ import annotations

import numbers
from typing import Any, ClassVar

import numpy as np

from .._checks import Parameters, as_float, shown

__all__ = ["Pruning"]


class Pruning(Parameters):
    """A method of the core's registry, with its options.

    Attributes:
        info: the registry's facts: name, text, source, options with their domains.
    """

    info: ClassVar[dict[str, Any]]
    name: ClassVar[str]
    costs: ClassVar[str]

    def checked_option(self, name: str, value: Any) -> Any:
        """A value of an option, in the domain that the registry declares.

        Raises:
            ValueError: a value outside the domain.
        """
        option = next(o for o in self.info["options"] if o["name"] == name)
        found = _in_domain(value, option["domain"])
        if found is None:
            raise ValueError(
                f"{type(self).__name__}({name}={shown(value)}): {name} must be {option['words']}"
            )
        return found

    def to_config(self) -> dict[str, Any]:
        """The method as the core reads it.

        Raises:
            ValueError: an option outside its domain.
        """
        options = {name: self.checked_option(name, v) for name, v in self.get_params().items()}
        return {"method": self.name, **options}

    @property
    def needs_rows(self) -> str | None:
        """What rows ``model.prune`` needs, None if it needs none."""
        rows = self.info["rows"]
        if rows is None or (rows[1] is not None and not getattr(self, rows[1])):
            return None
        return str(rows[0])


def _in_domain(value: Any, domain: dict[str, Any]) -> Any:
    """The value as the core reads it; None outside the domain."""
    match domain["kind"]:
        case "number":
            number, (closed_low, closed_high) = as_float(value), domain["closed"]
            low, high = domain["low"], np.inf if domain["high"] is None else domain["high"]
            if number is None or not np.isfinite(number) or not low <= number <= high:
                return None
            at_open_end = (number == low and not closed_low) or (number == high and not closed_high)
            return None if at_open_end else number
        case "whole":
            whole = isinstance(value, numbers.Integral) and not isinstance(value, bool)
            return int(value) if whole and domain["least"] <= int(value) < 2**64 else None
        case "flag":
            return bool(value) if isinstance(value, bool | np.bool_) else None
        case _:
            return value if isinstance(value, str) and value in domain["words"] else None
