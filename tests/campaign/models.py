"""Mutations of model files: what is read must answer every method that reads a model, and come back
from its own bytes."""

from __future__ import annotations

import contextlib
import inspect
import json
import random
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import pandas as pd

import fasttree
from fasttree import bayesian_networks, naive_bayes, presets
from fasttree.bayesian_networks.documents import canonical, checksum

from .mutations import mutated, text_of

CHANGES = {"fit", "save", "update"}
"""Methods that change a model or write files."""


def _documents() -> list[tuple[Any, Any]]:
    rng = np.random.default_rng(0)
    X = rng.integers(0, 4, (40, 3)).astype(float)
    X[rng.random(X.shape) < 0.1] = np.nan
    y = rng.integers(0, 3, 40)
    hows: list[dict[str, Any]] = [
        {},
        {"criterion": "gini", "missing": "fractional"},
        {"nominal_splits": "subset", "categorical_features": "all", "missing": "branch"},
        {"categorical_features": [0], "leaf_smoothing": "m_estimate"},
        dict(presets.C45),
        {"criterion": "pi"},
        {"evaluation": "global", "criterion": "jaccard"},
    ]
    found: list[Any] = [fasttree.fit(X, y, max_depth=3, **how) for how in hows]
    found.append(fasttree.FastForestClassifier(3, random_state=0, max_depth=2).fit(X, y))
    for learner in (naive_bayes.NaiveBayes, naive_bayes.TAN, naive_bayes.AODE):
        found.append(learner(categorical_features="all").fit(X, y))
    found.append(naive_bayes.NaiveBayes(distribution="weka").fit(X, y))
    found.append(naive_bayes.NaiveBayes().fit(X, y.astype(str)))
    found.append(naive_bayes.TAN().fit(X, y))
    camml = bayesian_networks.CaMML(n_steps=2_000, random_state=0, categorical_features="all")
    found.append(camml.fit(X, y))
    found.append(fasttree.FastTreeRegressor(max_depth=3).fit(X, y))
    found.append(fasttree.FastForestRegressor(2, max_depth=2, random_state=0).fit(X, y))
    # A frame with names, levels, a column that is left out, and dates.
    frame = pd.DataFrame({"when": pd.Timestamp("2024-01-01") + pd.to_timedelta(np.arange(40), "D")})
    frame["id"] = [f"row {i}" for i in range(40)]
    frame["kind"] = rng.choice(["x", "y"], 40)
    late = frame["when"].dt.day_of_week > 3
    dated = [fasttree.fit(frame, late ^ (frame["kind"] == "x"), max_depth=3)]
    dated.append(fasttree.FastForestRegressor(2, random_state=0).fit(frame, late.astype(float)))
    return [
        *((json.loads(model.to_bytes()), X) for model in found if hasattr(model, "to_bytes")),
        *((json.loads(model.to_bytes()), frame) for model in dated),
    ]


def sealed(document: Any, text: str) -> bytes:
    """A file around the text of its model, with the checksum that belongs to it."""
    kind = str(document["format"])
    if "Bayes" in kind or "network" in kind:
        with contextlib.suppress(ValueError, RecursionError):  # damaged JSON is refused anyhow
            text = canonical(json.loads(text))
        seal = checksum(text)
    else:
        h = 0xCBF29CE484222325
        for byte in text.encode("utf-8", "surrogatepass"):
            h = ((h ^ byte) * 0x100000001B3) % 2**64
        seal = f"{h:016x}"
    head = f'{{"format":"{document["format"]}","version":1,"checksum":"{seal}","model":'
    return f"{head}{text}}}".encode("utf-8", "surrogatepass")


def make() -> Any:
    """The function of a case's number."""
    documents = _documents()
    for document, _ in documents:
        text = json.dumps(document["model"], ensure_ascii=False, separators=(",", ":"))
        fasttree.from_bytes(sealed(document, text))

    def case(number: int) -> None:
        rng = random.Random(f"model {number}")
        document, X = rng.choice(documents)
        if rng.random() < 0.1:
            raw = text_of(mutated(document, rng), rng).encode("utf-8", "surrogatepass")
        else:
            raw = sealed(document, text_of(mutated(document["model"], rng), rng))
        use(fasttree.from_bytes(raw), X)

    return case


def readers(model: Any) -> Iterator[tuple[str, bool]]:
    """The public properties and methods that need nothing but rows, and whether they need these."""
    for name in dir(type(model)):
        found = getattr(type(model), name)
        changes = name.startswith(("_", "set_", "fit", "plot", "write")) or name in CHANGES
        if changes or isinstance(found, type):
            continue
        if isinstance(found, (property, cached_property)):
            yield name, False
        elif callable(found):
            words = list(inspect.signature(found).parameters.values())[1:]
            needed = [w.name for w in words if w.default is w.empty and w.kind < w.VAR_POSITIONAL]
            if needed in ([], ["X"]):
                yield name, bool(needed)


def use(model: Any, X: Any) -> None:
    """Everything that a reader of models does; a refusal is a sentence."""
    again = type(model)
    for name, of_rows in readers(model):
        try:
            found = getattr(model, name)
            if callable(found):
                found(X) if of_rows else found()
        except (ValueError, ImportError):  # needs labels, or a package that is not there
            continue
        except AttributeError as error:
            assert " is " in str(error) and "object has" not in str(error), name
    if hasattr(model, "predict_proba"):
        shares = np.asarray(model.predict_proba(X))
        assert shares.shape == (len(X), len(model.classes_))
        assert np.all((shares >= 0) & (shares <= 1 + 1e-9)), "probabilities"
        sums = shares.sum(axis=1)
        assert np.all((np.abs(sums - 1) < 1e-6) | (sums == 0)), "probabilities that do not add up"
    assert len(model.predict(X)) == len(X)
    raw = model.to_bytes()
    assert isinstance(raw, bytes) and again is type(model)
