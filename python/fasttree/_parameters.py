"""`Parameters`: what scikit-learn's `clone` and grid searches need of a small object that is no
estimator.

What
    Parameters are the arguments of the constructor, kept under their names. From them come
    ``get_params``, ``set_params``, equality, hash and a repr that evaluates to an equal object.
    scikit-learn is not imported.
Complexity
    One look at the constructor's signature a call.
When not to use it
    For estimators, which inherit from scikit-learn's BaseEstimator.
"""

from __future__ import annotations

import difflib
import inspect
from typing import Any, TypeVar

P = TypeVar("P", bound="Parameters")


def _names(kind: type) -> tuple[str, ...]:
    return tuple(inspect.signature(kind).parameters)


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
        """Set constructor arguments by name; what was fitted stays until the next fit.

        Raises:
            ValueError: a name that is no argument.
        """
        names = _names(type(self))
        for name, value in params.items():
            if name not in names:
                close = difflib.get_close_matches(name, names, 1)
                hint = (
                    f"did you mean {close[0]!r}?"
                    if close
                    else f"there are {', '.join(names) or 'none'}"
                )
                raise ValueError(f"Invalid parameter {name!r} for {type(self).__name__}; {hint}")
            setattr(self, name, value)
        return self

    def __repr__(self) -> str:
        arguments = ", ".join(f"{name}={value!r}" for name, value in self.get_params().items())
        return f"{type(self).__name__}({arguments})"

    def __eq__(self, other: object) -> bool:
        if type(self) is not type(other):
            return NotImplemented
        assert isinstance(other, Parameters)
        return self.get_params() == other.get_params()

    def __hash__(self) -> int:
        return hash((type(self), repr(self)))
