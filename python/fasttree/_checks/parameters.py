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


def constructor(defaults: Mapping[str, Any]) -> Callable[..., None]:
    """An ``__init__`` that keeps its arguments under their names.

    The methods of the core's registry (criteria, prunings, discretisers) get theirs from it: the
    registry declares the options beside the formulas, and a second list in a ``def __init__`` could
    differ from it. The signature has all names and defaults, because scikit-learn's `clone`, help
    pages and editors read them from there.

    Args:
        defaults: default of each argument, by name, in the order of positional arguments.
    """

    def __init__(self: Any, *args: Any, **options: Any) -> None:
        bound = signature.bind(self, *args, **options)
        bound.apply_defaults()
        for name in defaults:
            setattr(self, name, bound.arguments[name])

    anywhere = inspect.Parameter.POSITIONAL_OR_KEYWORD
    parameters = [inspect.Parameter("self", anywhere)]
    parameters += [inspect.Parameter(n, anywhere, default=value) for n, value in defaults.items()]
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

    @classmethod
    @functools.cache
    def _parameter_names(cls) -> tuple[str, ...]:
        """The names of the constructor's arguments, in their order."""
        return tuple(inspect.signature(cls).parameters)

    def get_params(self, deep: bool = True) -> dict[str, Any]:
        """The constructor's arguments by name.

        They are in the order of the constructor, and are the objects themselves, not copies.

        Args:
            deep: has no effect; scikit-learn's `clone` and grid searches pass it.
        """
        return {name: getattr(self, name) for name in self._parameter_names()}

    def set_params(self: P, **params: Any) -> P:
        """Set constructor arguments by name; a fitted model stays until the next fit.

        Args:
            **params: new values of some arguments; the others keep theirs.

        Raises:
            ValueError: a name that is not an argument.
        """
        names = self._parameter_names()
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
