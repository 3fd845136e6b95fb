"""`Pruning`: the base class of all pruning methods, which the core declares and carries out."""

from __future__ import annotations

from typing import Any, ClassVar

from .._checks.declared import Declared


class Pruning(Declared):
    """A pruning method of the core's registry, with its options.

    It holds options only; the core prunes. An object may be given to several estimators.

    Attributes:
        info: the registry's facts: name, text, source, options with their domains.
    """

    name: ClassVar[str] = ""
    costs: ClassVar[str] = ""

    def to_config(self) -> dict[str, Any]:
        """The method and its options as the core takes them.

        Options are checked here, at the time of the fit, and not in the constructor.

        Raises:
            ValueError: an option outside its domain.
        """
        options = {name: self.checked_option(name, v) for name, v in self.get_params().items()}
        return {"method": self.name, **options}

    @property
    def needs_rows(self) -> str | None:
        """The kind of rows that ``model.prune`` needs beside the tree, such as held-out rows; None
        if it needs none. It may depend on an option: the registry names the option that asks for
        rows."""
        rows = self.info["rows"]
        if rows is None or (rows[1] is not None and not getattr(self, rows[1])):
            return None
        return str(rows[0])
