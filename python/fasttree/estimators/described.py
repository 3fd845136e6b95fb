"""Constructors and texts of help from the declarations of parameters.

What
    A constructor takes the declared parameters and keeps them unchecked, as scikit-learn expects.
    Its signature, which `get_params` and `clone` read, has their order, types and defaults. Type
    checkers see the constructor that stands in the class, with a dict of `keywords`. Classes and
    functions say ``...`` where their parameters are listed; they are filled in by group.
When not to use it
    For checks: `declaration.check` makes them when a model is fitted.
"""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Callable, Sequence
from dataclasses import replace
from types import MethodType
from typing import Any, TypeVar, get_args, get_origin

import numpy as np

from .._checks import shown
from . import keywords
from .declaration import GROUPS, Parameter
from .parameters import refuse_unknown

F = TypeVar("F", bound=Callable[..., Any])
Class = TypeVar("Class", bound=type)
MANY_NAMES = 12
"""A choice among more names is shown as ``str``."""
HELD = "\N{NO-BREAK SPACE}"
ALIASES = {hint: name for name, hint in vars(keywords).items() if get_args(hint)}
"""Type -> its name in `keywords`."""
WIDTH = 92


def documented(kind: type, parameters: Sequence[Parameter]) -> Callable[[F], F]:
    """Give a function the parameters of a class that it passes on. Its signature names them with
    their defaults, and its text lists them where it says ``...``."""

    def of(function: F) -> F:
        signature = inspect.signature(function)
        passed = inspect.signature(kind).parameters.values()
        usual = {p.name: p.default for p in passed}
        shared = [
            p.replace(default=usual.get(p.name, p.default))
            for p in signature.parameters.values()
            if p.kind is not p.VAR_KEYWORD
        ]
        named = {p.name for p in shared}
        function.__doc__ = _filled(function, parameters)
        function.__signature__ = signature.replace(  # type: ignore[attr-defined]
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
        """What the method returns."""
        return self.method(*args, **options)


class BesideMethod:
    """A parameter with the name of a method: the attribute is a `CallableWord`."""

    def __init__(self, name: str, default: str, method: Callable[..., Any]) -> None:
        self.name, self.default, self.method = name, default, method

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        if owner is None:
            return self.method
        word = CallableWord(vars(owner).get(self.name, self.default))
        word.method = MethodType(self.method, owner)
        return word

    def __set__(self, owner: Any, value: Any) -> None:
        vars(owner)[self.name] = value


def described(declared: Sequence[Parameter], **defaults: Any) -> Callable[[Class], Class]:
    """Class decorator: make the constructor of an estimator, and list its parameters in the
    docstring, in place of ``...``. `n_estimators` may be given without its name.

    Args:
        declared: the parameters, in the order of the signature.
        defaults: defaults of this class that are not the declared ones.
    """
    parameters = [replace(p, default=defaults.get(p.name, p.default)) for p in declared]
    usual = {p.name: p.default for p in parameters}
    first = parameters[0].name if parameters[0].name == "n_estimators" else None
    self_parameter = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    signature = inspect.Signature(
        [self_parameter, *map(_in_signature, parameters)], return_annotation=None
    )

    def of(kind: Class) -> Class:
        def __init__(self: Any, *args: Any, **params: Any) -> None:
            if not params.keys() <= usual.keys():
                for owner in (type(self), kind):
                    refuse_unknown(owner, params.get("criterion", usual["criterion"]), params)
            if args:
                if len(args) > 1 or first is None or first in params:
                    name, value = type(self).__name__, shown(args[-1])
                    given = value if isinstance(args[-1], str) else repr(usual["criterion"])
                    raise TypeError(
                        f"{name}({value}): parameters are named: {name}(criterion={given}); rows "
                        "go to fit(X, y)"
                    )
                params[first] = args[0]
            vars(self).update(usual, **params)

        kind.__doc__ = _filled(kind, parameters)
        __init__.__signature__ = signature  # type: ignore[attr-defined]
        kind.__init__ = __init__  # type: ignore[misc]
        above: Any = super(kind, kind)
        for name, default in usual.items():  # read where an older pickle lacks a parameter
            method: Any = getattr(above, name, None)
            if callable(method):
                default = BesideMethod(name, default, method)
            setattr(kind, name, default)

        def _get_params_html(self: Any, *args: Any, **options: Any) -> Any:
            table = above._get_params_html(self, *args, **options)
            page = _by_groups(table._html_repr(), parameters)
            table._html_repr = lambda: page
            return table

        kind._get_params_html = _get_params_html  # type: ignore[attr-defined]
        return kind

    return of


def _by_groups(page: str, parameters: Sequence[Parameter]) -> str:
    """scikit-learn's HTML table of parameters with the name of each group above its first
    parameter."""
    for group in GROUPS:
        names = "|".join(p.name for p in parameters if p.group == group)
        first = rf'<tr class="[^"]*">(?=(?:(?!</tr>).)*?<td class="param">\s*(?:{names})\s*<)'
        heading = f'<tr><th colspan="3" style="text-align: left">{group}</th></tr>'
        page = re.sub(first, rf"{heading}\g<0>", page, count=1, flags=re.DOTALL)
    return page


def _in_signature(one: Parameter) -> inspect.Parameter:
    """A parameter as `inspect.signature` shows it; its type by its name in `keywords`."""
    is_first = one.name == "n_estimators"
    return inspect.Parameter(
        one.name,
        inspect.Parameter.POSITIONAL_OR_KEYWORD if is_first else inspect.Parameter.KEYWORD_ONLY,
        default=one.default,
        annotation=f"keywords.{ALIASES[one.type]}" if one.type in ALIASES else one.type,
    )


def _filled(owner: Any, parameters: Sequence[Parameter]) -> str:
    """The text of a class or function with parameters by group: name, type, default and meaning of
    each."""
    sections = []
    for group in GROUPS:
        lines = [f"Parameters of {group}:"]
        for p in parameters:
            if p.group != group:
                continue
            kinds = "" if p.type is Any else f"{type_name(p.type)}, "
            # Readers of docstrings want a name with its type on one line, however long.
            heading = f"{p.name} ({kinds}default {p.default!r}):".replace(" ", HELD)
            lines += textwrap.wrap(
                f"{heading} {' '.join(p.text.split())}",
                WIDTH,
                initial_indent=" " * 4,
                subsequent_indent=" " * 8,
                break_long_words=False,
                break_on_hyphens=False,
            )
        if len(lines) > 1:
            sections.append("\n".join(lines).replace(HELD, " "))
    text, listed = inspect.getdoc(owner) or "", "\n\n".join(sections) + "\n"
    if "Args:\n    ...\n" in text:
        return text.replace("Args:\n    ...\n", listed)
    return text.replace("    ...\n", f"\n{listed}")


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
