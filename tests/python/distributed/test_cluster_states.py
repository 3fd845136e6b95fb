"""Calls on a Dask cluster that is not as it should be: without workers, with workers of another
version, closed in the middle."""

from __future__ import annotations

import threading
import time
import warnings

import numpy as np
import pytest

import fasttree
from fasttree import model_selection
from fasttree.estimators import backends

from ..tools import cluster_client

distributed = pytest.importorskip("distributed", reason="Dask is not installed")
da = pytest.importorskip("dask.array", reason="Dask's arrays are not installed")

RNG = np.random.default_rng(0)
X = RNG.normal(size=(60, 3)).round(1)
Y = (X[:, 0] * X[:, 1] > 0).astype(int)
CODES = fasttree.Table(RNG.integers(0, 3, (60, 3)), Y, categorical_features="all")


def arrays():
    return da.from_array(X, chunks=(20, 3)), da.from_array(Y, chunks=20)


CALLS = {
    "cross_validate": lambda c: model_selection.cross_validate(X, Y, cv="1x3", client=c),
    "compare": lambda c: model_selection.compare({"a": (X, Y)}, ["gini"], cv="1x3", client=c),
    "advise": lambda c: fasttree.advise(X, Y, time_limit=None, progress=False, client=c),
    "forest": lambda c: fasttree.FastForestClassifier(3, random_state=0).fit(X, Y, client=c),
    "fit": lambda c: fasttree.distributed.fit(*arrays(), client=c),
    "fit_forest": lambda c: fasttree.distributed.fit_forest(
        *arrays(), client=c, n_estimators=2, random_state=0
    ),
    "estimator": lambda c: fasttree.distributed.DaskFastTreeClassifier().fit(*arrays(), client=c),
    "pair_counts": lambda c: fasttree.distributed.pair_counts(CODES, client=c),
    "score_features": lambda c: fasttree.distributed.score_features(
        CODES, criterion="relief", client=c
    ),
}


@pytest.fixture(scope="module")
def client():
    with cluster_client(1, processes=False) as client:
        yield client


@pytest.mark.parametrize("name", CALLS)
def test_workers_of_another_version_are_refused_before_work_starts(client, monkeypatch, name):
    monkeypatch.setattr(backends, "_core_version", iter(["9.9", *["0.0.1"] * 9]).__next__)
    monkeypatch.setattr(client, "submit", lambda *_, **__: pytest.fail("work has started"))
    monkeypatch.setattr(client, "compute", lambda *_, **__: pytest.fail("work has started"))
    monkeypatch.setattr(client, "run", lambda *_, **__: {"tcp://w:1": "0.0.1"})
    with pytest.raises(RuntimeError, match="worker tcp://w:1 has fasttree 0.0.1, this process 9.9"):
        CALLS[name](client)


@pytest.mark.parametrize("name", ["cross_validate", "fit"])
def test_a_cluster_without_workers_is_said_and_waited_for(monkeypatch, name):
    monkeypatch.setattr(backends, "PATIENCE", 0.2)
    with cluster_client(0, processes=False) as client:
        later = threading.Timer(1.0, lambda: client.cluster.scale(1))
        later.start()
        with pytest.warns(UserWarning, match="has had no worker for 0.2 s.*start workers"):
            CALLS[name](client)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            CALLS[name](client)
        later.join()


class Slow(fasttree.FastTreeClassifier):
    """A tree whose fit takes a while."""

    def fit(self, X, y=None, sample_weight=None):
        time.sleep(0.2)
        return super().fit(X, y, sample_weight)


def slow_fit(client):
    rows = da.from_array(X, chunks=(5, 3)).map_blocks(lambda block: (time.sleep(0.3), block)[1])
    return fasttree.distributed.fit(rows, da.from_array(Y, chunks=5), client=client)


CLOSED = {
    "cross_validate": lambda c: model_selection.cross_validate(
        X, Y, estimators={"slow": Slow()}, cv="10x5", client=c
    ),
    "fit": slow_fit,
}


@pytest.mark.parametrize("name", CLOSED)
def test_a_client_that_is_closed_in_the_middle_is_said(name):
    with cluster_client(1, processes=False) as client:
        timer = threading.Timer(0.5, client.close)
        timer.start()
        with pytest.raises(RuntimeError, match="the Dask client was closed before the call had en"):
            CLOSED[name](client)
        timer.join()
        with pytest.raises(RuntimeError, match="the Dask client was closed"):
            CALLS[name](client)
