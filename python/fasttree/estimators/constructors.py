"""Constructors, signatures and docstrings, made from the declarations of parameters.

What
    `with_parameters` makes the constructor of an estimator, which keeps the parameters unchecked,
    as scikit-learn expects. Its signature, which `get_params` and `clone` read, has the declared
    order, types and defaults. Type checkers read another one, which stands in the class below
    ``if TYPE_CHECKING`` and has a `TypedDict` of `keywords`. `with_parameters_of` gives a function
    the parameters that it passes on to a class. Docstrings say ``...`` where the parameters are
    listed by group.
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

ALIASES = {hint: name for name, hint in vars(keywords).items() if get_args(hint)}
"""Type -> its name in `keywords`."""
MANY_NAMES = 12
"""A choice among more names is shown as ``str``."""
NO_BREAK = "\N{NO-BREAK SPACE}"
WIDTH = 92


def with_parameters(declared: Sequence[Parameter], **defaults: Any) -> Callable[[Class], Class]:
    """A class decorator: make the constructor of an estimator, and list its parameters in the
    docstring in place of ``...``. Only `n_estimators` may be given without its name.

    Args:
        declared: the parameters, in the order of the signature.
        defaults: defaults of this class that are not the declared ones.
    """
    parameters = [replace(p, default=defaults.get(p.name, p.default)) for p in declared]

    def decorate(kind: Class) -> Class:
        kind.__doc__ = _with_list(kind, parameters)
        kind.__init__ = _constructor(kind, parameters)  # type: ignore[misc]
        base: Any = super(kind, kind)
        for p in parameters:  # attributes of the class, for older pickles that lack a parameter
            method: Any = getattr(base, p.name, None)
            is_method = callable(method)
            setattr(kind, p.name, MethodAndParameter(p, method) if is_method else p.default)

        def _get_params_html(self: Any, *args: Any, **options: Any) -> Any:
            table = base._get_params_html(self, *args, **options)
            page = _by_groups(table._html_repr(), parameters)
            table._html_repr = lambda: page
            return table

        kind._get_params_html = _get_params_html  # type: ignore[attr-defined]
        return kind

    return decorate


def _constructor(kind: type, parameters: Sequence[Parameter]) -> Callable[..., None]:
    """The constructor of a class. It sets one attribute per parameter, and raises a TypeError for a
    name that is not a parameter and for a value without a name."""
    defaults = {p.name: p.default for p in parameters}
    positional = "n_estimators" if "n_estimators" in defaults else None

    def __init__(self: Any, *args: Any, **params: Any) -> None:
        if not params.keys() <= defaults.keys():
            for owner in (type(self), kind):
                refuse_unknown(owner, params.get("criterion", defaults["criterion"]), params)
        if args:
            if len(args) > 1 or positional is None or positional in params:
                name, value = type(self).__name__, shown(args[-1])
                example = value if isinstance(args[-1], str) else repr(defaults["criterion"])
                raise TypeError(
                    f"{name}({value}): parameters are named: {name}(criterion={example}); rows "
                    "go to fit(X, y)"
                )
            params[positional] = args[0]
        vars(self).update(defaults, **params)

    itself = inspect.Parameter("self", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    __init__.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [itself, *map(_in_signature, parameters)], return_annotation=None
    )
    return __init__


def with_parameters_of(kind: type, parameters: Sequence[Parameter]) -> Callable[[F], F]:
    """A decorator of functions with ``**params`` that they pass on to a class: the signature names
    the parameters with their defaults, and the docstring lists them in place of ``...``.

    Args:
        kind: the class.
        parameters: its declared parameters; a parameter without a declaration is not listed.
    """

    def decorate(function: F) -> F:
        signature = inspect.signature(function)
        of_class = inspect.signature(kind).parameters
        own = [
            p.replace(default=of_class[p.name].default) if p.name in of_class else p
            for p in signature.parameters.values()
            if p.kind is not p.VAR_KEYWORD
        ]
        names = {p.name for p in own}
        passed_on = [
            p.replace(kind=p.KEYWORD_ONLY) for p in of_class.values() if p.name not in names
        ]
        function.__doc__ = _with_list(function, parameters)
        function.__signature__ = signature.replace(  # type: ignore[attr-defined]
            parameters=[*own, *passed_on]
        )
        return function

    return decorate


class CallableWord(str):
    """The value of a parameter with the name of a method: a string that calls the method."""

    method: Callable[..., Any]

    def __call__(self, *args: Any, **options: Any) -> Any:
        """What the method returns."""
        return self.method(*args, **options)


class MethodAndParameter:
    """The attribute of a class for a parameter that has the name of a method.

    ``estimator.cut`` is the value of the parameter, and ``estimator.cut(step)`` calls the method.
    """

    def __init__(self, parameter: Parameter, method: Callable[..., Any]) -> None:
        self.parameter, self.method = parameter, method

    def __get__(self, owner: Any, kind: type | None = None) -> Any:
        if owner is None:
            return self.method
        word = CallableWord(vars(owner).get(self.parameter.name, self.parameter.default))
        word.method = MethodType(self.method, owner)
        return word

    def __set__(self, owner: Any, value: Any) -> None:
        vars(owner)[self.parameter.name] = value


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


def _with_list(owner: Any, parameters: Sequence[Parameter]) -> str:
    """The docstring of a class or function, with its parameters by group in place of ``...``: name,
    type, default and meaning of each."""
    sections = []
    for group in GROUPS:
        lines = [f"Parameters of {group}:"]
        for p in parameters:
            if p.group != group:
                continue
            kinds = "" if p.type is Any else f"{type_name(p.type)}, "
            # Readers of docstrings want a name with its type on one line, however long.
            heading = f"{p.name} ({kinds}default {p.default!r}):".replace(" ", NO_BREAK)
            lines += textwrap.wrap(
                f"{heading} {' '.join(p.text.split())}",
                WIDTH,
                initial_indent=" " * 4,
                subsequent_indent=" " * 8,
                break_long_words=False,
                break_on_hyphens=False,
            )
        if len(lines) > 1:
            sections.append("\n".join(lines).replace(NO_BREAK, " "))
    text, listed = inspect.getdoc(owner) or "", "\n\n".join(sections) + "\n"
    if "Args:\n    ...\n" in text:
        return text.replace("Args:\n    ...\n", listed)
    return text.replace("    ...\n", f"\n{listed}")


def type_name(hint: Any) -> str:
    """A type as documentation writes it: choices as their values, objects by their class.

    A `Literal` of more than `MANY_NAMES` values is ``str``, as a list of all of them would hide the
    text of the parameter. Alternatives are joined by ``|``, each named once.
    """
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
