"""Reading networks and `CaMML` models from the bytes of a file, for `fasttree.load`.

Safety
    Nothing in a file is executed. The checksum is verified first (`documents`), then every value
    passes the checks of the constructors, so a forged file is a ValueError.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..estimators.parameters import restored_discretizer
from ..table.exact_integers import EXACT
from .camml import CaMML
from .documents import NETWORK, checked_values, labels_array, opened
from .network import BayesianNetwork, probability_table
from .search import SearchResult, found_models


def _restored(stored: dict[str, Any]) -> BayesianNetwork:
    """The network of `BayesianNetwork.state`."""
    levels, parents = stored["levels"], stored["parents"]
    tables = [
        _shaped(flat, child, parents_of, levels)
        for child, (flat, parents_of) in enumerate(zip(stored["tables"], parents, strict=True))
    ]
    return BayesianNetwork(
        stored["names"],
        levels,
        parents,
        tables,
        cuts=stored["cuts"],
        fill=stored["fill"],
        shares=stored.get("shares"),
    )


def _shaped(flat: Any, child: int, parents: Any, levels: Any) -> np.ndarray:
    """A table with an axis for each parent, and the column's own axis last."""
    return np.array(flat, dtype=np.float64).reshape([len(levels[i]) for i in (*parents, child)])


def _classifier(stored: dict[str, Any]) -> CaMML:
    """The fitted classifier of `CaMML._state`."""
    # Parameters, with tuples where JSON has lists.
    params = dict(stored["parameters"])
    params["discretize"] = restored_discretizer(params.get("discretize"))
    if params.get("arc_priors") is not None:
        params["arc_priors"] = {(i, j): p for i, j, p in params["arc_priors"]}
    for name in ("ordered", "tied"):
        params[name] = tuple(tuple(pair) for pair in params[name])
    model = CaMML(**params)
    # The best network, and the result of the search.
    network = _restored(stored["network"])
    n = len(network.names)
    search = dict(stored["search"])
    arcs = np.array(search["arc_probabilities"], dtype=np.float64)
    if arcs.shape != (n, n):
        raise ValueError(f"arc probabilities of shape {arcs.shape} for {n} columns")
    search["arc_probabilities"] = arcs
    search["parents"] = tuple(map(tuple, search["parents"]))
    search["models"] = found_models(search["models"])
    model.search_ = SearchResult(**search)
    # Tables of all families that predict the class, and the mixture of models over them.
    tables = {}
    for child, parents, flat in stored["tables"]:
        family = (int(child), tuple(int(i) for i in parents))
        if not all(0 <= i < n for i in (family[0], *family[1])):
            raise ValueError(f"a table of column {child} given {parents}: there are {n} columns")
        table = _shaped(flat, *family, network.levels)
        tables[family] = probability_table(network.names[family[0]], table, table.shape)
        if n - 1 not in (family[0], *family[1]):
            raise ValueError("a table without the class")
    mixture = [
        (float(weight), [(int(child), tuple(parents)) for child, parents in families])
        for weight, families in stored["mixture"]
    ]
    if not mixture or not all(one in tables for _, families in mixture for one in families):
        raise ValueError("a model without its tables")
    weights = np.array([weight for weight, _ in mixture])
    if not (weights >= 0).all() or abs(weights.sum() - 1) > 1e-9:
        raise ValueError("weights of the models are not negative and sum to 1")
    # Classes and their weights.
    classes = labels_array(stored["classes"])
    counts = np.array(stored["class_count"], dtype=np.float64)
    if counts.shape != classes.shape or len(classes) != len(network.classes):
        raise ValueError("the numbers of classes differ")
    if not ((counts >= 0) & (counts <= EXACT)).all() or not counts.any():
        raise ValueError(f"weights of the classes {counts.tolist()}")
    named = bool(stored["has_names"])
    model._finish(network, mixture, tables, classes, counts, has_names=named)
    return model


def network_from_bytes(data: bytes) -> BayesianNetwork | CaMML:
    """A network or a fitted classifier from the content of a file, checked.

    Raises:
        ValueError: truncated, damaged, of another version, or no network of fasttree.
    """
    model = opened(data)
    with checked_values(NETWORK):
        if model["kind"] == "network":
            return _restored(model["network"])
        if model["kind"] == "camml":
            return _classifier(model)
        raise ValueError(f"kind {model['kind']!r}")
