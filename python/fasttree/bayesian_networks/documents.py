"""The document that a network is stored in: JSON with a version and a checksum.

What
    ``{"format": "fasttree network", "version": 1, "checksum": "...", "model": {...}}``. The
    checksum is the start of a SHA-256 of the model's JSON with sorted keys: enough to see damage,
    not a signature. Floats are printed in their shortest exact form, so that a loaded model
    predicts the same bits.
"""

from __future__ import annotations

import hashlib
import json
from typing import Any

import numpy as np

__all__ = ["opened", "sealed"]

FORMAT, VERSION = "fasttree network", 1


def _plain(value: Any) -> Any:
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray):
        return value.tolist()
    raise TypeError(f"{value!r} cannot be stored in a model file")


def _canonical(model: Any) -> str:
    return json.dumps(model, sort_keys=True, allow_nan=False, ensure_ascii=False, default=_plain)


def _checksum(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:16]


def sealed(model: dict[str, Any]) -> bytes:
    """The document around a model.

    >>> opened(sealed({"kind": "network"}))
    {'kind': 'network'}
    """
    text = _canonical(json.loads(_canonical(model)))
    head = f'{{"format": "{FORMAT}", "version": {VERSION}, "checksum": "{_checksum(text)}", '
    return (head + f'"model": {text}}}\n').encode("utf-8", "surrogatepass")


def opened(data: bytes) -> dict[str, Any]:
    """The model in a document whose format, version and checksum are right.

    Raises:
        ValueError: no JSON, another format or version, or damage.
    """
    try:
        document = json.loads(bytes(data).decode("utf-8", "surrogatepass"))
    except (UnicodeDecodeError, ValueError, RecursionError) as error:
        raise ValueError(f"not a fasttree network: no JSON ({error})") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise ValueError("not a fasttree network: another format")
    if document.get("version") != VERSION:
        raise ValueError(
            f"the model has version {document.get('version')!r}, this fasttree reads version "
            f"{VERSION}; update fasttree"
        )
    model = document.get("model")
    try:
        good = isinstance(model, dict) and _checksum(_canonical(model)) == document.get("checksum")
    except (ValueError, RecursionError):
        good = False
    if not good:
        raise ValueError("the model is damaged: its checksum differs")
    assert isinstance(model, dict)
    return model
