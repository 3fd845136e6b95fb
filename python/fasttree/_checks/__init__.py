"""Checks of the arguments of users, and `shown`, which writes a value for a message.

What
    Each check takes the name of an argument and its value. It returns the value as the core takes
    it, or raises an error that names the argument, the value and what is allowed.
    ``@checked(n_bins=whole_in(1), alpha=check_share)`` checks arguments before a function
    runs. The other modules of this package have the words of messages (`words`, `naming`), warnings
    (`data_warnings`), constructors (`parameters`, `declared`), the writing of files (`saving`) and
    progress bars (`progress`).
Complexity
    O(1) for a value; one pass for an array.
When not to use it
    For cells of a data set, which errors name by column and row: see `table.columns`.
"""

from __future__ import annotations

import functools
import importlib
import inspect
import math
import numbers
import operator
import os
import re
import sys
import types
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from .naming import written
from .words import given

HALF = re.compile("[\ud800-\udfff]")
HALF_REMEDY = (
    "holds half of a surrogate pair, which is no character: read the source in its encoding"
)


def shown(value: Any) -> str:
    """A value as text for a message, at most 60 characters.

    That is its repr, shortened in the middle; the shape of an array, the name of a function, the
    first digits of a very long whole number. The address of an object is never part of it.

    >>> shown(0.1), shown(10**400), len(shown("x" * 1000))
    ('0.1', '1000000000... (about 401 digits)', 60)
    >>> shown(np.eye(3)), shown([np.eye(3), len])
    ('<ndarray of shape (3, 3)>', '[<ndarray of shape (3, 3)>, len]')
    """
    if not isinstance(value, type) and getattr(value, "shape", None):
        return f"<{type(value).__name__} of shape {tuple(value.shape)}>"
    if isinstance(value, int) and value.bit_length() > 256:
        digits = int(value.bit_length() * math.log10(2)) + 1
        lead = str(abs(value) // 10 ** (digits - 20))[:10]
        return f"{'-' if value < 0 else ''}{lead}... (about {digits} digits)"
    try:
        item = value.item() if isinstance(value, np.generic | np.ndarray) else value
        text = written(item, inner=shown)
    except ValueError:  # Python refuses to write whole numbers of more than 4300 digits
        text = f"a {type(value).__name__} of numbers beyond 4300 digits"
    return text if len(text) <= 60 else f"{text[:40]}...{text[-17:]}"


def as_float(value: Any) -> float | None:
    """A real number as a float of Python, or None for any other value.

    Bools and texts are no numbers here. A number too large for a float (a long int) is infinite, so
    that range checks refuse it instead of failing with an OverflowError.
    """
    if isinstance(value, bool | np.bool_) or not isinstance(value, numbers.Real):
        return None
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf  # type: ignore[operator]


def one_of(name: str, value: Any, known: tuple[Any, ...]) -> Any:
    """The value, which must be one of `known`.

    Values are compared with their types, so that True is not 1 and 1.0 is not 1.

    Raises:
        ValueError: it is another value; the message lists the known ones.
    """
    if not any(value is k or (type(value) is type(k) and value == k) for k in known):
        raise ValueError(
            f"{given(name, shown(value))} is not known; use {', '.join(repr(k) for k in known)}"
        )
    return value


def one_value(name: str, value: Any) -> Any:
    """The value, which must not be an array or a Series, which have no single truth value, nor the
    signalling NaN of Decimal, which refuses to be compared.

    >>> one_value("positive", np.array([1, 2]))
    Traceback (most recent call last):
    ...
    ValueError: positive=<ndarray of shape (2,)> is an array: give one value
    """
    if getattr(value, "ndim", 0):
        raise ValueError(f"{given(name, shown(value))} is an array: give one value")
    if isinstance(value, Decimal) and value.is_snan():
        raise ValueError(f"{given(name, shown(value))} is not a number")
    return value


def is_missing(value: Any) -> bool:
    """Whether a cell is missing: None, NaN (float, NumPy, Decimal), pandas.NA or NaT.

    Texts such as "nan" are not missing.

    Examples:
        >>> is_missing(None), is_missing(float("nan")), is_missing("nan"), is_missing(0)
        (True, True, False, False)
    """
    if value is None:
        return True
    if isinstance(value, Decimal):
        return value.is_nan()  # the signalling NaN cannot be compared
    if isinstance(value, (float, np.floating)):
        return bool(value != value)  # noqa: PLR0124
    if isinstance(value, (np.datetime64, np.timedelta64)):
        return bool(np.isnat(value))
    pandas = sys.modules.get("pandas")
    return pandas is not None and (value is pandas.NA or value is pandas.NaT)


def refuse_unhashable(name: str, cells: Iterable[Any], row: int = 0) -> None:
    """Refuse cells that cannot be labels, such as lists and arrays.

    Args:
        name: the argument that holds them, for the error.
        cells: the cells.
        row: number of the first cell; the error names the first row that is refused.

    >>> refuse_unhashable("y_true", ["a", ["b"]])
    Traceback (most recent call last):
    ...
    TypeError: y_true: row 1 holds ['b'] (list), which is no label
    """
    for place, cell in enumerate(cells, row):
        try:
            hash(cell)
        except TypeError:
            raise TypeError(
                f"{name}: row {place} holds {shown(cell)} ({type(cell).__name__}), which is no "
                "label"
            ) from None


def is_whole(value: Any) -> bool:
    """Whether a value is an integer of Python or NumPy. True and False are not, and neither are
    floats such as 3.0; `check_whole` accepts those.

    >>> is_whole(np.int8(3)), is_whole(3.0), is_whole(True)
    (True, False, False)
    """
    return isinstance(value, numbers.Integral) and not isinstance(value, bool | np.bool_)


def refuse_where(wrong: np.ndarray | np.bool_, message: Callable[[int], str]) -> None:
    """Refuse values, with a message about the first that is wrong.

    The message is made only if a value is wrong, so it may be expensive.

    Args:
        wrong: whether each value is wrong, shape (n,).
        message: returns the message from the position of the first wrong value.

    Raises:
        ValueError: a value is wrong.

    >>> refuse_where(np.array([False, True]), lambda row: f"row {row} is wrong")
    Traceback (most recent call last):
    ...
    ValueError: row 1 is wrong
    """
    if wrong.any():
        raise ValueError(message(int(wrong.argmax())))


def check_integer(name: str, value: Any, low: int) -> int:
    """An integer that is at least `low`, and below 2^63; a float is refused, also 3.0.

    Args:
        name: the argument that holds it, for the error.
        value: the value.
        low: the smallest integer that is accepted.

    Raises:
        ValueError: the value is no such integer.
    """
    if not is_whole(value):
        raise ValueError(f"{given(name, shown(value))} must be a whole number >= {low}")
    if int(value) < low:
        raise ValueError(f"{given(name, shown(value))} must be at least {low}")
    if int(value) >= 2**63:
        raise ValueError(f"{given(name, shown(value))} must be a whole number below 2^63")
    return int(value)


def refuse_masked(name: str, values: Any) -> None:
    """Refuse a NumPy array with masked cells; the error names the first row with one.

    >>> refuse_masked("y_pred", np.ma.array([0, 1], mask=[False, True]))
    Traceback (most recent call last):
    ...
    ValueError: y_pred: row 1 is masked; drop such rows or fill them (array.filled(value))
    """
    if np.ma.is_masked(values):
        place = np.argwhere(np.ma.getmaskarray(values))[0].tolist() or [0]
        raise ValueError(
            f"{name}: row {place[0]} is masked; drop such rows or fill them (array.filled(value))"
        )


def weights_array(weights: Any, name: str = "sample_weight") -> np.ndarray:
    """Weights as float64, of any shape and sign; an error names the first row without a number.

    >>> weights_array([1, "two"])
    Traceback (most recent call last):
    ...
    ValueError: sample_weight of row 1 is 'two': weights are finite numbers >= 0
    """
    if isinstance(weights, str | bytes):
        raise ValueError(f"{name}={shown(weights)} is not an array of numbers >= 0")
    refuse_masked(name, weights)
    try:
        array = np.asarray(weights)
        if array.dtype.kind in "biuf":
            return np.asarray(array, dtype=np.float64)
    except ValueError:
        pass  # rows of different lengths: the loop names the first that is no number
    cells = list(weights) if np.iterable(weights) else [weights]
    for row, cell in enumerate(cells):
        try:
            is_number = not isinstance(cell, str | bytes) and math.isfinite(float(cell))
        except (TypeError, ValueError, OverflowError):
            is_number = False
        if not is_number:
            raise ValueError(
                f"{name} of row {row} is {shown(cell)}: weights are finite numbers >= 0"
            )
    return np.array([float(cell) for cell in cells])


def check_weights(weights: np.ndarray) -> None:
    """Refuse weights that are negative or not finite; the error names the first row with one.

    >>> check_weights(np.array([1.0, -2.0]))
    Traceback (most recent call last):
    ...
    ValueError: sample_weight of row 1 is -2.0: weights are finite numbers >= 0
    """
    refuse_where(
        ~((weights >= 0) & np.isfinite(weights)),
        lambda row: (
            f"sample_weight of row {row} is {weights[row]}: weights are finite numbers >= 0"
        ),
    )


def row_weights(weights: Any, n_rows: int) -> np.ndarray | None:
    """The argument `sample_weight`: one weight per row as float64, shape (n_rows,), or None.

    None stands for a weight of 1 for each row. A weight of 0 leaves a row out.

    Raises:
        ValueError: another shape, a weight that is negative or not finite, or no weight above 0.

    >>> row_weights([0, 0], 2)
    Traceback (most recent call last):
    ...
    ValueError: sample_weight: all weights are zero, so that no row is left
    """
    if weights is None:
        return None
    array = weights_array(weights)
    if array.shape != (n_rows,):
        raise ValueError(f"sample_weight has shape {array.shape} but there are {n_rows} rows")
    check_weights(array)
    if n_rows and not array.any():
        raise ValueError("sample_weight: all weights are zero, so that no row is left")
    return array


def threads(n_jobs: Any) -> int | None:
    """The argument `n_jobs`, as in scikit-learn: None is one thread, n > 0 are n threads, -1 all
    cores, -2 all but one, ...

    >>> threads(1.5)
    Traceback (most recent call last):
    ...
    ValueError: n_jobs=1.5: give a number of threads, ...
    """
    if n_jobs is None:
        return None
    try:
        whole = 0 if isinstance(n_jobs, bool | np.bool_) else operator.index(n_jobs)
    except TypeError:
        whole = 0
    if whole == 0 or abs(whole) >= 2**31:
        raise ValueError(
            f"{given('n_jobs', shown(n_jobs))}: give a number of threads, -1 for all cores, -2 for "
            "all but one, or None for one"
        )
    return whole


Check = Callable[[str, Any], Any]
"""A check takes the name and the value of an argument, and returns the value or raises an error."""

C = TypeVar("C", bound=Callable[..., Any])


def checked(**domains: Check) -> Callable[[C], C]:
    """A decorator that checks the arguments of these names, if they are given, before the function
    runs.

    >>> @checked(n=whole_in(1), tail=check_share)
    ... def draw(n, *, tail=None):
    ...     return n, tail
    >>> draw(np.int64(3))
    (3, None)
    >>> draw(10**400)
    Traceback (most recent call last):
    ...
    ValueError: n=1000000000... (about 401 digits) must be a whole number in [1, 2147483647]
    """

    def decorate(function: C) -> C:
        places = {name: place for place, name in enumerate(inspect.signature(function).parameters)}

        def call(*args: Any, **kwargs: Any) -> Any:
            for name, check in domains.items():
                place = places[name]
                if name in kwargs:
                    kwargs[name] = check(name, kwargs[name])
                elif place < len(args):
                    args = (*args[:place], check(name, args[place]), *args[place + 1 :])
            return function(*args, **kwargs)

        # It belongs to the function's module: doctest looks at the globals, not at the name.
        named = types.FunctionType(
            call.__code__, function.__globals__, function.__name__, None, call.__closure__
        )
        return cast("C", functools.update_wrapper(named, function))

    return decorate


def maybe(check: Check) -> Check:
    """A check that also accepts None and returns it, and passes other values to `check`. It is for
    parameters whose default is None."""
    return lambda name, value: None if value is None else check(name, value)


def at_least(low: int) -> Check:
    """A check of integers from `low` up, below 2^63. Floats and bools are refused with a
    ValueError; see `check_integer`."""
    return lambda name, value: check_integer(name, value, low)


def check_whole(name: str, value: Any, low: int, high: int = 2**31 - 1) -> int:
    """A number without a fraction in [low, high], as an int; unlike `check_integer` it accepts
    floats such as 3.0.

    Args:
        name: the argument that holds it, for the error.
        value: the value.
        low, high: the smallest and the largest number that is accepted.

    Raises:
        ValueError: the value is no such number.

    >>> check_whole("n_bins", 3.0, 1)
    3
    """
    number = as_float(value)
    if number is None or not low <= number <= high or number != math.floor(number):
        raise ValueError(f"{given(name, shown(value))} must be a whole number in [{low}, {high}]")
    return int(value)


def whole_in(low: int, high: int = 2**31 - 1) -> Check:
    """A check of whole numbers in [low, high], which it returns as int. The default of `high` is
    the largest int32; floats such as 3.0 are accepted, see `check_whole`."""
    return lambda name, value: check_whole(name, value, low, high)


def number_in(low: float, high: float, *, above: bool = False, below: bool = False) -> Check:
    """A check of numbers in [low, high]; with `above` they must exceed `low`, with `below` be less
    than `high`.

    >>> number_in(0.0, 1.0, above=True)("alpha", 0)
    Traceback (most recent call last):
    ...
    ValueError: alpha=0 must be a number in (0, 1]
    """
    words = f"{'(' if above else '['}{low:g}, {high:g}{')' if below else ']'}"

    def check(name: str, value: Any) -> float:
        number = as_float(value)
        is_inside = number is not None and (
            (low < number if above else low <= number)
            and (number < high if below else number <= high)
        )
        if number is None or not is_inside:
            raise ValueError(f"{given(name, shown(value))} must be a number in {words}")
        return number

    return check


check_share = number_in(0.0, 1.0)
"""Checks that a value is a number in [0, 1], and returns it as a float."""

at_least_zero = number_in(0.0, math.inf, below=True)
"""A check of a finite number from 0 up."""

memory_limit = maybe(whole_in(1, 2**63 - 1))
"""A check of the number of bytes that a call may allocate; None is no limit."""


def choice(*known: Any) -> Check:
    """A check of a value that must be one of the known ones, in value and type: True is not 1. The
    ValueError lists the known ones; see `one_of`."""
    return lambda name, value: one_of(name, value, known)


def number_array(name: str, value: Any) -> np.ndarray:
    """Numbers as a float64 array of any shape.

    >>> number_array("counts", ["two"])
    Traceback (most recent call last):
    ...
    ValueError: counts=['two'] is not an array of numbers: [0] is 'two'
    """
    try:
        if not isinstance(value, np.ndarray) and isinstance(value, str | bytes | Mapping):
            raise TypeError
        array = np.asarray(value)
        if array.dtype.kind == "c":
            raise TypeError
        return array.astype(np.float64, copy=False)
    except (TypeError, ValueError, OverflowError):
        why = ""
        for place, cell in enumerate(value if isinstance(value, np.ndarray | list | tuple) else ()):
            try:
                array = np.asarray(cell)
                if array.dtype.kind != "c" and array.astype(float).ndim == np.ndim(value) - 1:
                    continue
            except (TypeError, ValueError, OverflowError):
                pass
            why = f": [{place}] is {shown(cell)}"
            break
        raise ValueError(f"{given(name, shown(value))} is not an array of numbers{why}") from None


def as_list(name: str, value: Any) -> list[Any]:
    """The values of an iterable as a new list, also of an array or a generator.

    A text or a mapping is refused: iterating over its characters or keys is rarely meant.

    Raises:
        TypeError: the value is no such iterable; the message names the argument.
    """
    if np.iterable(value) and not isinstance(value, str | bytes | Mapping):
        return list(value)
    raise TypeError(f"{given(name, shown(value))} must be a list")


def mapping(words: str, fits: Callable[[Any], bool] = lambda value: True) -> Check:
    """A check of mappings whose values fit.

    Args:
        words: what a value must be, for the error.
        fits: whether a value is accepted.
    """

    def check(name: str, value: Any) -> Any:
        if not isinstance(value, Mapping):
            raise TypeError(f"{given(name, shown(value))} must map names to {words}")
        for key, item in value.items():
            if not fits(item):
                raise TypeError(f"{name}[{key!r}]={shown(item)} must be {words}")
        return value

    return check


def object_with(words: str, *attributes: str) -> Check:
    """A check of objects by their attributes, so that objects of other packages pass as well.

    `words` says in the error what is expected, as in "must be a cross-validator". A class is
    refused even if it has the attributes: an instance is meant. The error is a TypeError.
    """

    def check(name: str, value: Any) -> Any:
        if isinstance(value, type) or not all(
            hasattr(value, attribute) for attribute in attributes
        ):
            raise TypeError(f"{given(name, shown(value))} must be {words}")
        return value

    return check


def path_of(name: str, value: Any) -> Path:
    """A path as a `pathlib.Path`, from a str or an os.PathLike object. Whether the file exists is
    not checked.

    Raises:
        TypeError: another type, an empty path, or one that no file system can hold (with a null
            character or half of a surrogate pair).
    """
    try:
        encoded = isinstance(value, str | os.PathLike) and os.fsencode(value)
    except UnicodeEncodeError:  # half of a surrogate pair
        encoded = b""
    if not encoded or b"\0" in encoded:
        raise TypeError(
            f"{given(name, shown(value))} must be the path of a file: a str or os.PathLike"
        )
    return Path(value)


def as_bytes(name: str, value: Any) -> bytes:
    """The content of a file as bytes; a ``bytearray`` or ``memoryview`` is copied. A path is
    refused with a TypeError, which catches the mistake of giving a file's name instead of its
    content."""
    if not isinstance(value, bytes | bytearray | memoryview):
        raise TypeError(f"{given(name, shown(value))} must be bytes")
    return bytes(value)


def string(name: str, value: Any) -> str:
    """A str that can be encoded in UTF-8, returned as it is.

    Raises:
        TypeError: another type.
        ValueError: the text has half of a surrogate pair, so no model file could hold it.
    """
    if not isinstance(value, str):
        raise TypeError(f"{given(name, shown(value))} must be a str")
    if HALF.search(value):
        raise ValueError(f"{given(name, shown(value))} {HALF_REMEDY}")
    return value


def text_or_texts(name: str, value: Any) -> list[str]:
    """One text or several, as a list of texts; a single str becomes a list of length 1. Each text
    is checked by `string`; an empty list passes."""
    return [
        string(name, text) for text in ([value] if isinstance(value, str) else as_list(name, value))
    ]


def random_seed(name: str, value: Any) -> Any:
    """A seed: None, a whole number >= 0, or one of NumPy's generators.

    A generator is returned itself and not advanced here.

    >>> random_seed("random_state", -1)
    Traceback (most recent call last):
    ...
    ValueError: random_state=-1 must be None, a whole number >= 0 or a NumPy generator
    """
    generator = isinstance(value, np.random.Generator | np.random.RandomState)
    if value is None or generator or (is_whole(value) and int(value) >= 0):
        return value
    raise ValueError(
        f"{given(name, shown(value))} must be None, a whole number >= 0 or a NumPy generator"
    )


def import_optional(module: str, needs: str) -> Any:
    """Import a module of an optional package; the error without it is the text `needs`.

    >>> import_optional("no_such_package", "plots need no_such_package: pip install it")
    Traceback (most recent call last):
    ...
    ModuleNotFoundError: plots need no_such_package: pip install it
    """
    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise ModuleNotFoundError(needs) from error


def generator_of(random_state: Any, name: str = "random_state") -> np.random.Generator:
    """A NumPy generator from None, a whole number >= 0, a Generator or a RandomState.

    A Generator is returned itself, so draws advance it. A RandomState is advanced once, to seed a
    new generator. None gives one that differs from call to call.

    Raises:
        ValueError: another value; `name` is the name of the argument in its message.
    """
    given = random_seed(name, random_state)
    if isinstance(given, np.random.RandomState):
        return np.random.default_rng(given.randint(0, 2**31 - 1, size=4))
    return np.random.default_rng(given)
