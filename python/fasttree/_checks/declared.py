"""Classes of the methods that the core declares: criteria, prunings and discretisers.

Constructor, checks and documentation of a class are made from the entry of the core's registry.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

import numpy as np

from . import as_float, is_whole, shown
from .parameters import Parameters, constructor

D = TypeVar("D", bound="Declared")


class Declared(Parameters):
    """A method of one of the core's registries, with its options.

    Options are arguments of the constructor, unchecked, as scikit-learn's `clone` expects; they are
    checked when the method is used.

    Attributes:
        info: the registry's facts: name, source, options with their domains.
    """

    info: ClassVar[dict[str, Any]] = {}

    if TYPE_CHECKING:  # the options of `info`

        def __getattr__(self, name: str) -> Any: ...

    def checked_option(self, name: str, value: Any, owner: str = "") -> Any:
        """A value of an option as the core reads it.

        The words of the error come from the registry as well. None passes where it is the default.

        Raises:
            ValueError: a value outside the domain that the registry declares.
        """
        option = next(o for o in self.info["options"] if o["name"] == name)
        if value is None and option["default"] == "null":
            return None
        checked = _in_domain(value, option["domain"])
        if checked is None:
            owner = owner or type(self).__name__
            raise ValueError(f"{owner}: {name}={shown(value)} must be {option['words']}")
        return checked


def given_options(info: Mapping[str, Any]) -> list[dict[str, Any]]:
    """The options of an entry of the registry that users give, in declared order.

    An option with the domain "size_values" is left out: it holds values of a function that the
    package computes for the core.
    """
    return [o for o in info["options"] if o["domain"]["kind"] != "size_values"]


def declared_class(
    base: type[D],
    info: dict[str, Any],
    text: str,
    module: str,
    example: str = "",
    **members: Any,
) -> type[D]:
    """The class of an entry of a registry.

    Args:
        base: its base class.
        info: the entry.
        text: first part of the docstring; the options are added.
        module: name of the module that the class belongs to.
        example: lines of an interpreter session for the docstring.
        members: further attributes of the class.
    """
    options = given_options(info)
    defaults = {o["name"]: json.loads(o["default"]) for o in options}
    defaults = {name: tuple(v) if isinstance(v, list) else v for name, v in defaults.items()}
    words = "".join(f"\n    {o['name']}: {o['doc']} Default {o['default']}." for o in options)
    made = {"__init__": constructor(defaults), "__module__": module, "info": info} | members
    lines = "".join(f"\n    {line}" for line in example.splitlines())
    made["__doc__"] = (
        text
        + (f"\nArgs:{words}\n" if options else "")
        + (f"\nExamples:{lines}\n" if example else "")
    )
    return type(info["class_name"], (base,), made)


def _in_domain(value: Any, domain: Mapping[str, Any]) -> Any:
    """The value as the core takes it; None if it is outside the domain."""
    if isinstance(value, np.ndarray | np.generic):
        value = value.tolist()
    match domain["kind"]:
        case "flag":
            return value if isinstance(value, bool) else None
        case "number":
            number, (closed_low, closed_high) = as_float(value), domain["closed"]
            low = -np.inf if domain["low"] is None else domain["low"]
            high = np.inf if domain["high"] is None else domain["high"]
            if number is None or not np.isfinite(number) or not low <= number <= high:
                return None
            at_open_end = (number == low and not closed_low) or (number == high and not closed_high)
            return None if at_open_end else number
        case "whole":
            inside = is_whole(value) and domain["least"] <= value <= domain["most"]
            return int(value) if inside else None
        case "shares":
            several = isinstance(value, list | tuple) and len(value) == domain["count"]
            shares = [as_float(v) for v in value] if several else [None]
            return shares if all(v is not None and 0 <= v <= 1 for v in shares) else None
        case "words" | "size_function":
            is_word = isinstance(value, str) and value in domain["words"]
            return value if is_word or (domain["kind"] != "words" and callable(value)) else None
        case _:
            return value
