"""Values as text that is the same in every process: functions by their names, no addresses.

`written` gives the code of a value, as in a repr; `display_name` a name for tables and messages.
`did_you_mean` suggests known names for an unknown one.
"""

from __future__ import annotations

import dataclasses
import difflib
import functools
import inspect
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import numpy as np

_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")
_FUNCTION = re.compile(rf"<function (?:[\w.<>]+\.)?([\w<>]+){_ADDRESS.pattern}>")


def display_name(thing: Any) -> str:
    """The name of a criterion, function, object or estimator for tables and messages.

    It is shorter than the code of the value, and the same in every process.

    Examples:
        >>> import functools
        >>> display_name("gini"), display_name(functools.partial(max, default=0))
        ('gini', 'max(default=0)')
    """
    if isinstance(thing, str):
        return thing
    if isinstance(thing, functools.partial):
        return _call(display_name(thing.func), thing.args, thing.keywords)
    if getattr(thing, "shape", None):  # rows of numbers name nothing
        return type(thing).__name__
    return " ".join(written(thing).split())


def splits_by_significance(model: Any) -> bool:
    """Whether tests of independence choose the features that a tree splits
    (``selection="significance"``). False for models without the parameter, such as forests."""
    return bool(getattr(model, "selection", "score") == "significance")


def shown_criterion(model: Any) -> str:
    """The name of what chooses the splits of a tree or forest, for titles, tables and summaries.

    That is its criterion, or with ``selection="significance"`` the test, and the criterion of the
    cut if it has one.

    Examples:
        >>> from fasttree import FastTreeClassifier
        >>> shown_criterion(FastTreeClassifier(criterion="gini"))
        'gini'
        >>> shown_criterion(FastTreeClassifier(selection="significance"))
        'significance (quadratic, alpha=0.05)'
        >>> shown_criterion(FastTreeClassifier(selection="significance", cut="criterion"))
        'significance (quadratic, alpha=0.05, cut by info_gain)'
    """
    name = display_name(model.criterion)
    if not splits_by_significance(model):
        return name
    cut = f", cut by {name}" if model.cut == "criterion" else ""
    test = "merged levels" if getattr(model, "merge_levels", False) else model.test
    return f"significance ({test}, alpha={model.alpha:g}{cut})"


def did_you_mean(
    name: str, known: Iterable[str], otherwise: str = "", *, most: int = 1, least: float = 0.6
) -> str:
    """A question that suggests the known names most similar to an unknown one.

    Args:
        name: the unknown name.
        known: the known names; the values of a mapping are the names to show.
        otherwise: the text that is returned if no name is similar.
        most: largest number of names that are shown.
        least: smallest similarity of a name that is shown, in [0, 1].

    Examples:
        >>> did_you_mean("ginni", ["gini", "chi2"]), did_you_mean("x", ["gini"], "there is gini")
        ("did you mean 'gini'?", 'there is gini')
    """
    texts = known if isinstance(known, Mapping) else {text: text for text in known}
    near = [text for text in texts if text.lower() == name.lower()]
    near = near or difflib.get_close_matches(name, texts, most, least)
    return f"did you mean {' or '.join(repr(texts[text]) for text in near)}?" if near else otherwise


def functions_named(text: str) -> str:
    """A text that another library wrote, with functions by their names and without addresses.
    Addresses differ from process to process, so texts with them could not be compared or
    documented.

    >>> functions_named(f"Tree(criterion={functions_named!r})")
    'Tree(criterion=functions_named)'
    """
    return _ADDRESS.sub("", _FUNCTION.sub(r"\1", text))


def column_name(value: Any) -> str:
    """The name of a column as text, from any object that a frame allows as a name. Numbers become
    their digits; functions and objects without a text of their own are named without an address."""
    return written(value) if callable(value) or _has_no_text(value) else str(value)


def written(
    value: Any, *, with_state: bool = False, inner: Callable[[Any], str] | None = None
) -> str:
    """A value as Python writes it, functions by their names.

    Args:
        value: anything.
        with_state: objects without a text of their own are written as calls of their class with
            their attributes, arrays as lists and numbers that are none as calls of ``float``: code
            that runs where the names are known.
        inner: writes the values inside lists, dicts and calls; the default is `written` itself.

    Examples:
        >>> written([len, 0.5]), written({"F": functools.partial(round, ndigits=2)})
        ('[len, 0.5]', "{'F': functools.partial(round, ndigits=2)}")
    """
    inner = inner or functools.partial(written, with_state=with_state)
    name = getattr(value, "__name__", None)
    if isinstance(name, str) and (callable(value) or inspect.ismodule(value)):
        return name
    if isinstance(value, functools.partial):
        return _call("functools.partial", (value.func, *value.args), value.keywords, inner)
    if isinstance(value, np.ndarray | np.generic) and with_state:
        return inner(value.tolist())
    if isinstance(value, float) and with_state and not np.isfinite(value):
        return f"float({str(float(value))!r})"
    if type(value) is list:
        return f"[{', '.join(map(inner, value))}]"
    if type(value) is tuple:
        return f"({', '.join(map(inner, value))}{',' if len(value) == 1 else ''})"
    if type(value) is dict:
        return "{" + ", ".join(f"{inner(k)}: {inner(v)}" for k, v in value.items()) + "}"
    state = _state(value, with_state)
    if state is not None:
        return _call(type(value).__name__, (), state, inner)
    return without_address(value)


def named_in(value: Any) -> Iterator[Any]:
    """The functions and classes whose names the code of a value holds.

    Examples:
        >>> [one.__name__ for one in named_in([len, functools.partial(max, default=0)])]
        ['len', 'partial', 'max']
    """
    if isinstance(getattr(value, "__name__", None), str) and callable(value):
        yield value
        return
    if value is None or isinstance(value, bool | int | float | str | np.ndarray | np.generic):
        return
    state: Any = _state(value, with_state=True)
    if isinstance(value, functools.partial):
        state = {"": [value.func, value.args, value.keywords]}
    if isinstance(value, list | tuple | dict):
        state = value if isinstance(value, dict) else dict(enumerate(value))
    else:
        yield type(value)
    for part in (state or {}).values():
        yield from named_in(part)


def without_address(value: Any) -> str:
    """The repr of a value without addresses, which is the same in every process.

    A function is its name, and an object without a repr of its own the name of its class. If the
    repr fails, the name of the class is used: a message about an object must not fail with it.

    Raises:
        ValueError: a whole number with more digits than Python converts.
    """
    if callable(value) and not isinstance(value, type) and hasattr(value, "__name__"):
        return str(value.__name__)
    try:
        text = type(value).__name__ if _has_no_text(value) else repr(value)
    except Exception as error:
        if isinstance(error, ValueError):  # `shown` says it of whole numbers of many digits
            raise
        text = type(value).__name__  # a message about an object never fails with the object
    return text if isinstance(value, str) else _ADDRESS.sub("", text)


def _state(value: Any, with_state: bool) -> Mapping[str, Any] | None:
    """The arguments with which an object is written as a call; None if it has a repr of its own."""
    if hasattr(value, "get_params"):
        given: dict[str, Any] = value.get_params(deep=False)
        if not hasattr(value, "_get_param_names"):
            return given
        usual = inspect.signature(type(value)).parameters
        return {k: v for k, v in given.items() if k not in usual or _differs(v, usual[k].default)}
    if dataclasses.is_dataclass(value):
        fields = [field.name for field in dataclasses.fields(value) if field.init and field.repr]
        return {name: getattr(value, name) for name in fields}
    if _has_no_text(value) and with_state:
        return vars(value) if hasattr(value, "__dict__") else {}
    return None


def _has_no_text(value: Any) -> bool:
    """Whether an object has no repr of its own, only its class and address."""
    represent: Any = type(value).__repr__
    return represent is object.__repr__


def _differs(value: Any, usual: Any) -> bool:
    return value is not usual and repr(value) != repr(usual)


def _call(name: str, args: Any, keywords: Mapping[str, Any], inner: Any = written) -> str:
    """A call as code."""
    given = [*map(inner, args), *(f"{key}={inner(value)}" for key, value in keywords.items())]
    return f"{name}({', '.join(given)})"
