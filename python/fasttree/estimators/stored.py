"""`Stored`: the state of a fitted estimator as plain values.

What
    pickle, joblib and skops store the state of an estimator. In it the model of the core is the
    bytes of a model file, which the loader validates fully before it is used. Attributes that
    follow from the model are left out and computed again.
Complexity
    That of writing and reading a model file.
When not to use it
    To keep a model for years: `save` writes the file itself.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Stored"]


class Stored:
    """Pickles an estimator with its model as bytes; the first base class of such estimators.

    Attributes:
        _model: the model of the core.
        _derived: names of attributes that follow from the model.
    """

    _model: Any
    _derived: tuple[str, ...] = ()

    def __getstate__(self) -> dict[str, Any]:
        state = dict(super().__getstate__())  # type: ignore[misc]
        if state.get("_model") is not None:
            state["_model"] = state["_model"].to_bytes()
            for name in self._derived:
                state.pop(name, None)
        return state

    def __setstate__(self, state: dict[str, Any]) -> None:
        state = dict(state)
        data = state.pop("_model", None)
        super().__setstate__(state)  # type: ignore[misc]
        if isinstance(data, bytes):
            self._take_back(data)
        elif data is not None:  # older pickles hold the model itself
            self._model = data

    def _take_back(self, data: bytes) -> None:
        """Set the model and its derived attributes from the bytes of its file.

        Raises:
            ValueError: the bytes are damaged.
        """
        raise NotImplementedError
