"""`Stored`: the state of a fitted estimator as plain values.

What
    pickle, joblib and skops ask an estimator for its state. The core's model travels in it as the
    bytes of a model file, and comes back through the loader that checks everything before it is
    believed. What follows from the model is left out and made again.
Complexity
    That of writing and reading a model file.
When not to use it
    To keep a model for years: `save` writes the file itself.
"""

from __future__ import annotations

from typing import Any

__all__ = ["Stored"]


class Stored:
    """State with the model as bytes; the first base of an estimator whose `_model` is the
    core's."""

    _model: Any
    _derived: tuple[str, ...] = ()
    """Attributes that follow from the model."""

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
        elif data is not None:  # a pickle of before holds the model itself
            self._model = data

    def _take_back(self, data: bytes) -> None:
        """Take over the model from the bytes of its file.

        Raises:
            ValueError: the bytes are damaged.
        """
        raise NotImplementedError
