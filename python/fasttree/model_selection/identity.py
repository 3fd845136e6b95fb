"""Identity of a run: settings, estimators and data as short texts that can be compared.

What
    `text_of` writes a value so that equal settings give equal texts in every process: without
    addresses, arrays and code by their hash. `hash_of_rows` is a SHA-256 of a data set's cells. A
    journal stores both, and refuses a run whose texts differ.
Complexity
    One pass over the data, about 1 ns per byte.
When not to use it
    As a proof of equality: of an object whose state is neither in `__dict__` nor in `get_params`,
    only the type is compared.
"""

from __future__ import annotations

import functools
import hashlib
import sys
import types
from collections.abc import Mapping, Set
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ..table import Table


__all__ = ["differences", "hash_of_rows", "text_of", "version_of"]

_CHUNK = 1 << 24
"""Bytes that are hashed at a time; Ctrl-C takes effect between them."""
_DEEPEST = 12
"""Levels of nesting, below which a value is written as "..."."""


def text_of(value: Any, depth: int = 0) -> str:
    """A value as text, equal for equal values.

    >>> text_of({"b": 1, "a": np.float64(0.5)})
    "{'b': 1, 'a': 0.5}"
    >>> from sklearn.naive_bayes import GaussianNB
    >>> text_of(GaussianNB())
    'sklearn.naive_bayes.GaussianNB(priors=None, var_smoothing=1e-09)'
    """
    if depth > _DEEPEST:
        return "..."
    deeper = functools.partial(text_of, depth=depth + 1)
    if isinstance(value, np.generic):
        return repr(value.item())
    if value is None or isinstance(value, bool | int | float | complex | str | bytes):
        return repr(value)
    if isinstance(value, np.ndarray):
        return f"array({value.dtype}, {value.shape}, {_digest_of_array(value)[:16]})"
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{deeper(k)}: {deeper(v)}" for k, v in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(deeper, value)) + "]"
    if isinstance(value, Set):
        return "{" + ", ".join(sorted(map(deeper, value))) + "}"
    if isinstance(value, type | types.BuiltinFunctionType):
        return f"{value.__module__}.{value.__qualname__}"
    if isinstance(value, types.FunctionType):
        return _text_of_function(value, depth)
    if isinstance(value, types.MethodType):
        return f"{deeper(value.__self__)}.{deeper(value.__func__)}"
    if isinstance(value, functools.partial):
        return f"partial({deeper(value.func)}, {deeper(value.args)}, {deeper(value.keywords)})"
    return _text_of_object(value, deeper)


def _text_of_object(value: Any, deeper: Any) -> str:
    """Type and state of an object; `deeper` writes its values."""
    kind = type(value)
    if hasattr(value, "get_params") and not isinstance(value, type):
        state = dict(sorted(value.get_params(deep=False).items()))
    elif isinstance(value, np.random.RandomState):
        state = {"state": value.get_state(legacy=True)}
    elif isinstance(value, np.random.Generator):
        state = {"state": value.bit_generator.state}
    else:
        state = dict(getattr(value, "__dict__", {}))
    inside = ", ".join(f"{name}={deeper(one)}" for name, one in state.items())
    return f"{kind.__module__}.{kind.__qualname__}({inside})"


def _text_of_function(function: types.FunctionType, depth: int) -> str:
    """Name of a function, and a hash of its code, constants, defaults and closure."""
    parts: list[Any] = [function.__defaults__, function.__kwdefaults__]
    for cell in function.__closure__ or ():
        parts.append(cell.cell_contents)
    codes = [function.__code__]
    for code in codes:
        parts += [code.co_code, code.co_names, code.co_varnames]
        for constant in code.co_consts:
            if isinstance(constant, types.CodeType):
                codes.append(constant)
            else:
                parts.append(constant)
    text = "|".join(text_of(part, depth + 1) for part in parts)
    digest = hashlib.sha256(text.encode()).hexdigest()[:16]
    return f"{function.__module__}.{function.__qualname__}({digest})"


def _feed(digest: Any, values: np.ndarray) -> None:
    """Add type, shape and values of an array to a hash."""
    values = np.ascontiguousarray(values)
    digest.update(f"{values.dtype.str}{values.shape}".encode())
    if values.dtype.hasobject:
        for value in values.ravel().tolist():
            digest.update(repr(value).encode("utf-8", "surrogatepass") + b"\0")
        return
    flat = values.reshape(-1).view(np.uint8)
    for at in range(0, len(flat), _CHUNK):
        digest.update(flat[at : at + _CHUNK])


def _digest_of_array(values: np.ndarray) -> str:
    digest = hashlib.sha256()
    _feed(digest, values)
    return str(digest.hexdigest())


def hash_of_rows(X: Any, y: Any, table: Table) -> str:
    """SHA-256 (hex) of a data set: the Table's columns, levels, classes and weights if there is
    one, else the rows and labels as given."""
    digest = hashlib.sha256()
    if table is not None:
        for column in (*table.columns, *(() if table.target is None else (table.target_column,))):
            digest.update(f"{column.name!r} {column.kind} {column.levels!r}".encode())
            _feed(digest, np.asarray(column.values))
        for weights in (table.sample_weight, table.exposure):
            if weights is not None:
                _feed(digest, np.asarray(weights))
    if table is None or X is not table:
        _feed_rows(digest, X)
        if y is not None:
            _feed(digest, np.asarray(y))
    return str(digest.hexdigest())


def _feed_rows(digest: Any, X: Any) -> None:
    """Add rows as the user gave them to a hash: a sparse matrix, a frame, or an array."""
    if all(hasattr(X, name) for name in ("indptr", "indices", "data")):  # sparse
        for one in (X.indptr, X.indices, X.data):
            _feed(digest, np.asarray(one))
        return
    import narwhals as nw

    frame = nw.from_native(X, pass_through=True)
    if isinstance(frame, nw.DataFrame):
        for name in frame.columns:
            digest.update(f"{name!r} {frame[name].dtype}".encode())
            _feed(digest, np.asarray(frame[name].to_list(), dtype=object))
        return
    _feed(digest, np.asarray(X))


def version_of(thing: Any) -> tuple[str, str]:
    """The package that an object comes from, and its version ("" where it has none).

    >>> import sklearn
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> version_of(DecisionTreeClassifier()) == ("sklearn", sklearn.__version__)
    True
    """
    package = type(thing).__module__.partition(".")[0]
    return package, str(getattr(sys.modules.get(package), "__version__", ""))


def differences(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """The settings that differ, one phrase each.

    >>> differences({"cv": "'5x10'", "x": "1"}, {"cv": "'2x5'", "x": "1"})
    ["cv: '5x10' in the journal, '2x5' now"]
    """
    return [
        f"{name}: {_short(old.get(name, 'nothing'))} in the journal, "
        f"{_short(new.get(name, 'nothing'))} now"
        for name in [*old, *(name for name in new if name not in old)]
        if old.get(name) != new.get(name)
    ]


def _short(text: str) -> str:
    return text if len(text) <= 120 else text[:117] + "..."
