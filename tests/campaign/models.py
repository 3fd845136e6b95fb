"""Mutations of model files: what is read must predict, print and come back from its own bytes."""

from __future__ import annotations

import contextlib
import json
import random
from typing import Any

import numpy as np

import fasttree
from fasttree import bayesian_networks, naive_bayes, presets
from fasttree.bayesian_networks.documents import canonical, checksum

from .mutations import mutated, text_of


def _documents() -> list[tuple[Any, np.ndarray]]:
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
    return [(json.loads(model.to_bytes()), X) for model in found if hasattr(model, "to_bytes")]


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


def use(model: Any, X: np.ndarray) -> None:
    """Everything that a reader of models does."""
    again = type(model)
    shares = np.asarray(model.predict_proba(X))
    assert shares.shape == (len(X), len(model.classes_))
    assert np.all((shares >= 0) & (shares <= 1 + 1e-9)), "probabilities"
    sums = shares.sum(axis=1)
    assert np.all((np.abs(sums - 1) < 1e-6) | (sums == 0)), "probabilities that do not add up"
    assert len(model.predict(X)) == len(X)
    for name in ("to_text", "to_dot"):
        if hasattr(model, name):
            getattr(model, name)()
    raw = model.to_bytes()
    assert isinstance(raw, bytes) and again is type(model)
