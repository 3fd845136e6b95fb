"""`load`: the fitted model in a file, of any kind.

What
    ``save`` writes the kind of the model at the head of the file, and `load` calls the reader of
    that kind: trees and forests, exact trees, naive Bayes, TAN and AODE, Bayesian networks and
    their classifier. A reader validates the whole file before it uses any of it, and executes
    nothing.
Complexity
    One pass over the file.
"""

from __future__ import annotations

import importlib
import re
from os import PathLike
from pathlib import Path
from typing import Any

from ._checks import checked, content, path_of

__all__ = ["from_bytes", "load", "load_model"]

READERS = {
    b"fasttree model": "estimators.restore.tree_from_bytes",
    b"fasttree forest": "estimators.restore.forest_from_bytes",
    b"fasttree Bayes model": "naive_bayes.reading.classifier_from_bytes",
    b"fasttree network": "bayesian_networks.storing.network_from_bytes",
}
"""Kind of a model, as its file states it -> the function that reads it."""

HEAD = re.compile(rb'\s*\{\s*"format"\s*:\s*"([^"]*)"')


@checked(data=content)
def from_bytes(data: bytes) -> Any:
    """Return the fitted model that the bytes of a model file hold.

    Raises:
        ValueError: truncated, damaged, of another version, or not a model of fasttree.

    Examples:
        >>> import fasttree
        >>> table = fasttree.datasets.load_weather()
        >>> from_bytes(fasttree.naive_bayes.AODE().fit(table).to_bytes())
        AODE()
    """
    head = HEAD.match(data[:100])
    reader = READERS.get(head[1] if head else b"", READERS[b"fasttree model"])
    module, _, function = reader.rpartition(".")
    return getattr(importlib.import_module(f".{module}", __package__), function)(data)


@checked(path=path_of)
def load(path: str | PathLike[str]) -> Any:
    """Return the fitted model of a file that its ``save`` wrote: a tree, a forest, a Bayesian
    classifier or a Bayesian network.

    Raises:
        ValueError: as `from_bytes`, with the name of the file.
        OSError: the file cannot be read.
    """
    try:
        return from_bytes(Path(path).read_bytes())
    except FileNotFoundError as error:
        from .datasets import list_datasets

        if str(path) in (one["name"] for one in list_datasets()):
            raise FileNotFoundError(
                f"{path}: no such model file; the data set is fasttree.datasets.load({str(path)!r})"
            ) from error
        raise
    except ValueError as error:
        is_model = HEAD.match(Path(path).read_bytes()[:100])
        hint = "" if is_model else f"; data are read by fasttree.datasets.load({str(path)!r})"
        raise ValueError(f"{path}: {error}{hint}") from error


load_model = load
