"""Identity of a run: settings, estimators and data as short texts that can be compared.

What
    `text_of` writes a value so that equal settings give equal texts in every process: without
    addresses, arrays and code by their hash, code with all that it reaches. `hash_of_rows` is a
    SHA-256 of a data set's cells. A journal stores both, and refuses a run whose texts differ.
Complexity
    One pass over the data, about 1 ns per byte.
When not to use it
    For functions that read files, the environment or the time, which are not seen.
"""

from __future__ import annotations

import builtins
import copyreg
import dis
import functools
import hashlib
import importlib
import sys
import types
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .._checks.naming import display_name

if TYPE_CHECKING:
    from ..table import Table


_CHUNK = 1 << 24
"""Bytes that are hashed at a time; Ctrl-C takes effect between them."""


class _NoText(Exception):
    """Raised for a value that cannot be written as text."""


def text_of(value: Any) -> str:
    """A value as text, equal for equal values.

    Functions and classes of the caller are written by a hash of their code and of all that it
    reaches: defaults, closures, global names, other functions. Objects that an installed package
    defines are written by their names and the version of the package.

    Raises:
        ValueError: the value reaches something that has no text, such as an open file; it is named.

    >>> text_of({"b": 1, "a": np.float64(0.5)})
    "{'b': 1, 'a': 0.5}"
    >>> from sklearn.naive_bayes import GaussianNB
    >>> text_of(GaussianNB())
    'sklearn.naive_bayes.GaussianNB(priors=None, var_smoothing=1e-09)'
    """
    try:
        return _Writer({}).text(value)
    except _NoText as error:
        raise ValueError(
            f"journal=: {display_name(value)} reaches {error}, of which a journal cannot tell "
            "whether it has changed; do without it, or leave journal out"
        ) from None
    except RecursionError:
        raise ValueError(
            f"journal=: {display_name(value)} is nested too deeply to be compared with a journal; "
            "make it flatter, or leave journal out"
        ) from None


@dataclass
class _Writer:
    """Writes values; one that was met before is written by its number."""

    met: dict[int, tuple[int, Any]]
    """Number and value by the id of the value. The value is kept so that no other object takes its
    id."""

    def text(self, value: Any) -> str:
        """A value as text."""
        if isinstance(value, np.generic) and not value.dtype.hasobject:
            value = value.item()
        if value is None or value is ... or isinstance(value, _PLAIN):
            return repr(value)
        if isinstance(value, np.ndarray) and not value.dtype.hasobject:
            digest = hashlib.sha256()
            _feed(digest, value)
            return f"array({value.dtype}, {value.shape}, {digest.hexdigest()[:16]})"
        if id(value) in self.met:
            return f"<{self.met[id(value)][0]}>"
        if not isinstance(value, _CONSTANT):  # the interpreter shares constants as it likes
            self.met[id(value)] = len(self.met), value
        if isinstance(value, Mapping) and type(value).__module__ in _WITHOUT_STATE:
            pairs = (f"{self.text(k)}: {self.text(v)}" for k, v in value.items())
            return "{" + ", ".join(pairs) + "}"
        if isinstance(value, list | tuple):
            return "[" + ", ".join(map(self.text, value)) + "]"
        if isinstance(value, set | frozenset):  # each member alone: their order is by chance
            members = sorted(_Writer(dict(self.met)).text(one) for one in value)
            return "{" + ", ".join(members) + "}"
        if isinstance(value, types.ModuleType):
            return f"module {value.__name__} {_version(value.__name__)}"
        if isinstance(value, types.CodeType):
            return self._code(value)
        return self._defined(value) or self._object(value)

    def _defined(self, value: Any) -> str:
        """A function, method or class; empty for another object."""
        inner = getattr(value, "__wrapped__", None) or getattr(value, "pyfunc", None)
        if isinstance(value, functools.partial):
            called = value.func, value.args, value.keywords
            return f"partial({', '.join(map(self.text, called))})"
        if isinstance(value, property):
            return self.text([value.fget, value.fset])
        if isinstance(value, staticmethod | classmethod | types.MethodType):
            return f"{self.text(getattr(value, '__self__', None))}.{self.text(value.__func__)}"
        if isinstance(value, types.FunctionType) and not _is_installed(value.__module__):
            parts = _function_parts(value)
            return f"{value.__module__}.{value.__qualname__}({self._digest(parts)})"
        if inner is not None and not isinstance(value, type):
            return f"{type(value).__qualname__}({self.text(inner)})"
        if isinstance(value, type) and not _is_installed(value.__module__):
            attributes = {k: v for k, v in vars(value).items() if k not in _UNWRITTEN}
            parts = [value.__bases__, {k: v for k, v in attributes.items() if not _is_slot(v)}]
            return f"{value.__module__}.{value.__qualname__}({self._digest(parts)})"
        if isinstance(value, type | types.FunctionType | np.ufunc | _BUILTIN) or _is_slot(value):
            module = getattr(value, "__module__", None) or "numpy"
            owner = getattr(value, "__self__", None)
            bound = "" if isinstance(owner, types.ModuleType | None) else f" of {self.text(owner)}"
            name = getattr(value, "__qualname__", value.__name__)
            return f"{module}.{name} {_version(module)}".rstrip() + bound
        return ""

    def _digest(self, parts: Any) -> str:
        return hashlib.sha256(self.text(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]

    def _code(self, code: types.CodeType) -> str:
        """Instructions and constants; lines and places in the file do not count."""
        parts = [code.co_code, code.co_names, code.co_varnames, code.co_consts, code.co_cellvars]
        return self.text([*parts, getattr(code, "co_exceptiontable", b""), code.co_flags])

    def _object(self, value: Any) -> str:
        """Type and state of an object."""
        kind = type(value)
        if hasattr(value, "get_params"):
            state: Any = dict(sorted(value.get_params(deep=False).items()))
        else:
            try:
                reduce: Any = copyreg.dispatch_table.get(kind)
                reduced = value.__reduce_ex__(4) if reduce is None else reduce(value)
            except Exception:
                raise _NoText(f"an object of {kind.__module__}.{kind.__qualname__}") from None
            if isinstance(reduced, str):
                return f"{kind.__module__}.{reduced}"
            made, arguments, *more = reduced
            is_class = bool(arguments) and arguments[0] is kind
            state = {"made by": made, "of": arguments[1:] if is_class else arguments}
            rest = [list(one) if isinstance(one, Iterator) else one for one in more]
            state |= {"state": rest} if any(one is not None for one in rest) else {}
        own = (
            "" if _is_installed(kind.__module__) else self.text(kind).rpartition("(")[2].rstrip(")")
        )
        inside = ", ".join(f"{name}={self.text(one)}" for name, one in state.items())
        return f"{kind.__module__}.{kind.__qualname__}({', '.join(filter(None, [own, inside]))})"


_PLAIN = bool | int | float | complex | str | bytes
_CONSTANT: Any = tuple | frozenset | slice | range | types.CodeType
_BUILTIN = types.BuiltinFunctionType | types.MethodWrapperType
_WITHOUT_STATE = ("builtins", "collections")
_UNWRITTEN = {"__dict__", "__weakref__", "__module__", "__doc__", "__firstlineno__"}
"""Entries of a class that have no influence on its behaviour."""
_UNSEEN = {"eval", "exec", "globals", "__import__"}
"""Functions that can reach objects that the code does not name."""
_GLOBALS = {"LOAD_GLOBAL", "LOAD_NAME"}


def _is_slot(value: Any) -> bool:
    """Whether a value is an entry of a class that C code made."""
    return isinstance(
        value,
        types.MemberDescriptorType
        | types.GetSetDescriptorType
        | types.WrapperDescriptorType
        | types.MethodDescriptorType
        | types.ClassMethodDescriptorType,
    )


def _function_parts(function: types.FunctionType) -> list[Any]:
    """All that determines the result of a function: code, defaults, attributes, and the values of
    the names that its code and the functions inside it read.

    A call of `eval` or the like raises `_NoText`.
    """
    reached: dict[str, Any] = {}
    codes = [function.__code__]
    scope = {**vars(builtins), **function.__globals__}
    for code in codes:
        codes += [one for one in code.co_consts if isinstance(one, types.CodeType)]
        for step in dis.get_instructions(code):
            name = step.argval
            if step.opname == "IMPORT_NAME":
                reached[name] = _imported(name, function.__globals__)
            elif step.opname in _GLOBALS and name in scope:
                reached[name] = scope[name]
    for name, value in list(reached.items()):
        if name in _UNSEEN and value is getattr(builtins, name):
            raise _NoText(f"{name}()")
        if isinstance(value, types.ModuleType) and not _is_installed(value.__name__):
            found = vars(value).keys() & {one for code in codes for one in code.co_names}
            reached[name] = {one: vars(value)[one] for one in sorted(found)}
    cells = [_content(cell) for cell in function.__closure__ or ()]
    given = [function.__defaults__, function.__kwdefaults__, vars(function)]
    return [function.__code__, given, cells, reached]


def _content(cell: types.CellType) -> Any:
    try:
        return cell.cell_contents
    except ValueError:  # a name that has no value yet
        return "no value"


def _imported(name: str, scope: Mapping[str, Any]) -> Any:
    """A module that a function imports; its name where there is none."""
    try:
        return importlib.import_module(name)
    except ImportError:
        return f"{scope.get('__package__')} {name}"


def _is_installed(module: str | None) -> bool:
    """Whether a module is part of Python or of an installed package, which a version stands for."""
    package = (module or "builtins").partition(".")[0]
    if package in sys.stdlib_module_names and package != "__main__":
        return True
    file = str(getattr(sys.modules.get(package), "__file__", None) or "")
    return package == "fasttree" or "site-packages" in file or "dist-packages" in file


def _version(module: str) -> str:
    """The version of the package of a module, "" where it has none."""
    package = module.partition(".")[0]
    return str(getattr(sys.modules.get(package), "__version__", ""))


def _feed(digest: Any, values: np.ndarray) -> None:
    """Add type, shape and values of an array to a hash."""
    values = np.ascontiguousarray(values)
    digest.update(f"{values.dtype.str}{values.shape}".encode())
    if values.dtype.hasobject:
        for value in values.ravel().tolist():
            digest.update(repr(value).encode("utf-8", "surrogatepass") + b"\0")
        return
    flat = values.reshape(-1).view(np.uint8)
    for start in range(0, len(flat), _CHUNK):
        digest.update(flat[start : start + _CHUNK])


def hash_of_rows(X: Any, y: Any, table: Table) -> str:
    """SHA-256 (hex) of a data set: the Table's columns, levels, classes and weights if there is
    one, else the rows and labels as given."""
    digest = hashlib.sha256()
    if table is not None:
        for column in table.all_columns:
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
        for part in (X.indptr, X.indices, X.data):
            _feed(digest, np.asarray(part))
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
    """The package that an object's class comes from, and its version ("" where it has none), for
    the settings of a result.

    >>> import sklearn
    >>> from sklearn.tree import DecisionTreeClassifier
    >>> version_of(DecisionTreeClassifier()) == ("sklearn", sklearn.__version__)
    True
    """
    module = type(thing).__module__
    return module.partition(".")[0], _version(module)


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
