"""`Parameters`: objects that are described by the arguments of their constructor.

Arguments are kept under their names, as scikit-learn's `clone` and grid searches expect:
``get_params``, ``set_params``, equality, hash, and a repr that evaluates to an equal object.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from .naming import did_you_mean, written

P = TypeVar("P", bound="Parameters")


_names: Callable[[type], tuple[str, ...]] = functools.cache(
    lambda kind: tuple(inspect.signature(kind).parameters)
)


def constructor(defaults: Mapping[str, Any]) -> Callable[..., None]:
    """An ``__init__`` that keeps arguments of these names and defaults under their names."""

    def __init__(self: Any, *args: Any, **options: Any) -> None:
        bound = signature.bind(self, *args, **options)
        bound.apply_defaults()
        for name in defaults:
            setattr(self, name, bound.arguments[name])

    kind = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter("self", kind)]
    parameters += [inspect.Parameter(n, kind, default=value) for n, value in defaults.items()]
    signature = inspect.Signature(parameters)
    __init__.__signature__ = signature  # type: ignore[attr-defined]
    return __init__


class Parameters:
    """Base of objects that are described by their constructor's arguments.

    Examples:
        >>> class Decay(Parameters):
        ...     def __init__(self, alpha=0.1):
        ...         self.alpha = alpha
        >>> Decay().set_params(alpha=2), Decay(2) == Decay(alpha=2), Decay().get_params()
        (Decay(alpha=2), True, {'alpha': 0.1})
    """

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's arguments by name (`deep` is there for scikit-learn and changes
        nothing)."""
        return {name: getattr(self, name) for name in _names(type(self))}

    def set_params(self: P, **params: Any) -> P:
        """Set constructor arguments by name; a fitted model stays until the next fit.

        Raises:
            ValueError: a name that is not an argument.
        """
        names = _names(type(self))
        for name, value in params.items():
            if name not in names:
                hint = did_you_mean(name, names, f"there are {', '.join(names) or 'none'}")
                raise ValueError(f"Invalid parameter {name!r} for {type(self).__name__}; {hint}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        return written(self)

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        assert isinstance(other, Parameters)
        return self.get_params() == other.get_params()

    def __hash__(self) -> int:
        return hash((type(self), repr(self)))
