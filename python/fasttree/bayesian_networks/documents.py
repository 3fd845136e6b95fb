"""The file format of Bayesian classifiers and networks: JSON with a version and a checksum.

What
    ``{"format": "fasttree network", "version": 1, "checksum": "...", "model": {...}}``. The
    checksum is the first digits of a SHA-256 of the model's JSON with sorted keys: it detects
    damage, but is no signature. Floats are printed in their shortest exact form, so a loaded model
    predicts the same bits. `bayesian_networks` and `naive_bayes` store their models so.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np

NETWORK, VERSION = "fasttree network", 1


def _plain(value: Any) -> Any:
    """NumPy numbers and arrays as JSON; TypeError for anything else."""
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"{value!r} cannot be stored in a model file")


_ENCODE = json.JSONEncoder(
    sort_keys=True, allow_nan=False, ensure_ascii=False, default=_plain
).encode


def canonical(model: Any) -> str:
    """A model as JSON whose text depends on its content alone. Nested values are written one by
    one, because Ctrl-C cannot interrupt the encoder."""
    if isinstance(model, dict) and all(isinstance(key, str) for key in model):
        inside = ", ".join(f"{_ENCODE(key)}: {canonical(model[key])}" for key in sorted(model))
        return f"{{{inside}}}"
    if isinstance(model, list) and any(isinstance(value, list | dict) for value in model):
        return f"[{', '.join(map(canonical, model))}]"
    return _ENCODE(model)


def parsed(text: str | bytes) -> Any:
    """The value of JSON. Python is called for every number, so that Ctrl-C can interrupt the
    parser."""
    return json.loads(text, parse_float=lambda one: float(one), parse_int=lambda one: int(one))  # noqa: PLW0108


def checksum(text: str) -> str:
    """The first 16 hexadecimal digits of the SHA-256 of a text."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def sealed(model: dict[str, Any], kind: str = NETWORK) -> bytes:
    """The document around a model; `kind` is its format.

    >>> opened(sealed({"kind": "network"}))
    {'kind': 'network'}
    """
    text = canonical(parsed(canonical(model)))
    head = f'{{"format": "{kind}", "version": {VERSION}, "checksum": "{checksum(text)}", '
    return (head + f'"model": {text}}}\n').encode("utf-8", "surrogatepass")


def opened(data: bytes, kind: str = NETWORK) -> dict[str, Any]:
    """The model in a document whose format, version and checksum are right.

    Raises:
        ValueError: no JSON, another format or version, or damage.
    """
    try:
        document = parsed(bytes(data).decode("utf-8", "surrogatepass"))
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise ValueError(f"not a {kind}: no JSON ({error})") from None
    kind_found = document.get("format") if isinstance(document, dict) else None
    if kind_found != kind:
        raise ValueError(f"not a {kind}: another format")
    if document.get("version") != VERSION:
        raise ValueError(
            f"the model has version {document.get('version')!r}, this fasttree reads version "
            f"{VERSION}; update fasttree"
        )
    model = document.get("model")
    try:
        good = isinstance(model, dict) and checksum(canonical(model)) == document.get("checksum")
    except (ValueError, RecursionError):
        good = False
    if not good:
        raise ValueError("the model is damaged: its checksum differs")
    assert isinstance(model, dict)
    return model


@contextmanager
def checked_values(kind: str) -> Iterator[None]:
    """Turn any error of a value of a model into one ValueError, which names the kind of file."""
    try:
        yield
    except (KeyError, TypeError, AttributeError, IndexError, ValueError) as error:
        name = type(error).__name__.replace("Error", "").lower()
        raise ValueError(f"not a valid {kind}: {name}: {error}") from error


def labels_array(values: Any) -> np.ndarray:
    """Class labels of a model as an array, of one type if they have one.

    Raises:
        ValueError: no list, or a value that is no label.
    """
    if not isinstance(values, list) or not all(
        isinstance(value, str | int | float | bool) for value in values
    ):
        raise ValueError("classes are not labels")
    one_type = len({type(value) for value in values}) == 1
    return np.array(values, dtype=None if one_type else object)
