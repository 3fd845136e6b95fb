"""Texts of help from the declarations of parameters.

What
    Classes and functions say ``...`` where their parameters are listed; they are filled in by
    group, with types and defaults.
When not to use it
    For checks: `declaration.check` makes them.
"""

from __future__ import annotations

import functools
import inspect
import textwrap
from collections.abc import Callable, Sequence
from types import MethodType
from typing import Any, TypeVar, get_args, get_origin, get_type_hints

import numpy as np

from .._checks import shown
from .declaration import GROUPS, Parameter
from .parameters import refuse_unknown

__all__ = ["described", "documented", "type_name"]

F = TypeVar("F", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type)
MANY_NAMES = 12
"""A choice among more names is shown as ``str``."""
HELD = "\N{NO-BREAK SPACE}"
WIDTH = 92


def documented(kind: type, parameters: Sequence[Parameter]) -> Callable[[F], F]:
    """Give a function the parameters of a class that it passes on. Its signature names them with
    their defaults, and its text lists them where it says ``...``."""

    def of(function: F) -> F:
        own = inspect.signature(function)
        passed = inspect.signature(kind).parameters.values()
        usual = {p.name: p.default for p in passed}
        shared = [
            p.replace(default=usual.get(p.name, p.default))
            for p in own.parameters.values()
            if p.kind is not p.VAR_KEYWORD
        ]
        named = {p.name for p in shared}
        function.__doc__ = _filled(function, kind, parameters)
        function.__signature__ = own.replace(  # type: ignore[attr-defined]
            parameters=[
                *shared,
                *(p.replace(kind=p.KEYWORD_ONLY) for p in passed if p.name not in named),
            ]
        )
        return function

    return of


class CallableWord(str):
    """The value of a parameter that has the name of a method, and calls the method."""

    method: Callable[..., Any]

    def __call__(self, *args: Any, **options: Any) -> Any:
        return self.method(*args, **options)


class BesideMethod:
    """A parameter with the name of a method: the attribute is a `CallableWord`."""

    def __init__(self, name: str, method: Callable[..., Any]) -> None:
        self.name, self.method = name, method

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        if owner is None:
            return self.method
        word = CallableWord(vars(owner)[self.name])
        word.method = MethodType(self.method, owner)
        return word

    def __set__(self, owner: Any, value: Any) -> None:
        vars(owner)[self.name] = value


def described(parameters: Sequence[Parameter]) -> Callable[[Class], Class]:
    """Class decorator: list the parameters in the docstring, in place of ``...``, and let the
    constructor answer an unknown one with the nearest."""

    def of(kind: Class) -> Class:
        kind.__doc__ = _filled(kind, kind, parameters)
        keep = kind.__init__  # type: ignore[misc]
        usual = inspect.signature(keep).parameters["criterion"].default

        @functools.wraps(keep)
        def __init__(self: Any, *args: Any, **params: Any) -> None:
            try:
                keep(self, *args, **params)
            except TypeError as error:
                refuse_unknown(type(self), params.get("criterion", usual), params)
                if "positional argument" not in str(error) or not args:
                    raise
                name, value = type(self).__name__, shown(args[-1])
                given = value if isinstance(args[-1], str) else repr(usual)
                raise TypeError(
                    f"{name}({value}): parameters are named: {name}(criterion={given}); rows go "
                    "to fit(X, y)"
                ) from error

        kind.__init__ = __init__  # type: ignore[misc]
        for name in (one.name for one in parameters):
            # The default of a field hides the method of a base.
            method = getattr(super(kind, kind), name, None)
            if callable(method):
                setattr(kind, name, BesideMethod(name, method))
        return kind

    return of


def _filled(owner: Any, kind: type, parameters: Sequence[Parameter]) -> str:
    """The text of a class or function with the parameters of a class by group: name, type, default
    and meaning of each."""
    hints, sections = get_type_hints(kind.__init__), []  # type: ignore[misc]
    for group in GROUPS:
        lines = [f"Parameters of {group}:"]
        for one in parameters:
            if one.group != group:
                continue
            # A parameter that was just declared is not yet in `keywords`.
            hint = hints.get(one.name, Any)
            kinds = "" if hint is Any else f"{type_name(hint)}, "
            # Readers of docstrings want a name with its type on one line, however long.
            heading = f"{one.name} ({kinds}default {one.default!r}):".replace(" ", HELD)
            lines += textwrap.wrap(
                f"{heading} {' '.join(one.text.split())}",
                WIDTH,
                initial_indent=" " * 4,
                subsequent_indent=" " * 8,
                break_long_words=False,
                break_on_hyphens=False,
            )
        if len(lines) > 1:
            sections.append("\n".join(lines).replace(HELD, " "))
    text, listed = inspect.getdoc(owner) or "", "\n\n".join(sections) + "\n"
    own = "Args:\n    ...\n"
    return text.replace(own, listed) if own in text else text.replace("    ...\n", f"\n{listed}")


def type_name(hint: Any) -> str:
    """A type as documentation writes it: choices as their values, objects by their class."""
    if hint is None or hint is type(None):
        return "None"
    parts = get_args(hint)
    if str(hint).startswith("typing.Literal"):
        return "str" if len(parts) > MANY_NAMES else " | ".join(map(repr, parts))
    if "Callable" in str(hint).split("[")[0]:
        return "function"
    if parts and str(hint).startswith("type["):
        return f"type of {type_name(parts[0])}"
    if parts and "Mapping" in str(hint).split("[")[0]:
        return "dict"
    if get_origin(hint) in (Sequence, list, tuple):
        return "list"
    if hint is np.ndarray:
        return "array"
    if parts:
        return " | ".join(dict.fromkeys(map(type_name, parts)))
    return str(hint.__name__)
