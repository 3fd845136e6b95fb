"""`Pruning`: what all methods of pruning have in common."""

from __future__ import annotations

from typing import Any, ClassVar

from .._checks.declared import Declared

__all__ = ["Pruning"]


class Pruning(Declared):
    """A method of the core's registry, with its options.

    Attributes:
        info: the registry's facts: name, text, source, options with their domains.
    """

    name: ClassVar[str]
    costs: ClassVar[str]

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
