"""Pieces that several test modules use: the oracles, model files taken apart, scripts in other
processes."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import subprocess
import sys
import warnings
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

ORACLE = Path(__file__).resolve().parents[1] / "oracle"


def setting_id(setting: dict[str, Any]) -> str:
    """A test's name for a setting: its values; functions by name, since addresses change."""
    return "-".join(str(getattr(value, "__name__", value)) for value in setting.values())[:40]


def chromium() -> tuple[Any, str]:
    """playwright's synchronous API and the path of Chromium; a module is skipped without them."""
    sync_api = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    names = (os.environ.get("CHROMIUM"), *map(shutil.which, ("chromium", "chromium-browser")))
    path = next(filter(None, names), None)
    if path is None:
        pytest.skip("there is no Chromium (set CHROMIUM to its path)", allow_module_level=True)
    return sync_api, path


def thinned(cases: Iterable[Any], every: int) -> list[Any]:
    """One case of so many by default, all of them in the exhaustive tier."""
    return [
        case if at % every == 0 else pytest.param(case, marks=pytest.mark.exhaustive)
        for at, case in enumerate(cases)
    ]


def _tell(what: str) -> None:
    warnings.warn(f"the exhaustive tests ask for more: {what}", stacklevel=2)


asked_for = pytest.mark.parametrize(
    "ask",
    [
        pytest.param(_tell, id="told"),
        pytest.param(pytest.fail, id="required", marks=pytest.mark.exhaustive),
    ],
)
"""What a new entry of a registry may lack at first: the test gets `ask`, a function of the words
that say what to write. It warns by default and fails in the exhaustive tier."""


def function_calls(work: Callable[[], Any]) -> int:
    """How many functions a run of `work` calls in this thread, after one run to warm up: a measure
    of overhead that does not depend on the machine."""
    calls = 0

    def note(frame: Any, event: str, argument: Any) -> None:
        nonlocal calls
        calls += event in ("call", "c_call")

    work()
    before = sys.getprofile()
    sys.setprofile(note)
    try:
        work()
    finally:
        sys.setprofile(before)
    return calls


@contextmanager
def cluster_client(n_workers: int = 2, **words: Any) -> Iterator[Any]:
    """A Dask client of a cluster of processes on this machine, of one thread each. A cluster that
    closes looks workers up in a status that a periodic update may have emptied."""
    distributed = pytest.importorskip("distributed", reason="needs dask and distributed")
    words = {"threads_per_worker": 1, "dashboard_address": None, **words}
    cluster = distributed.LocalCluster(n_workers=n_workers, **words)
    try:
        with distributed.Client(cluster) as client:
            yield client
    finally:
        try:
            cluster.close()
        except KeyError:
            cluster.status = distributed.core.Status.closed


def _load(name: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, ORACLE / f"{name}.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    spec.loader.exec_module(module)
    return module


criteria_oracle = _load("criteria_oracle")
tree_oracle = _load("tree_oracle")
pruning_oracle = _load("pruning_oracle")
pairs_oracle = _load("pairs_oracle")
estimates_oracle = _load("estimates_oracle")
neighbours_oracle = _load("neighbours_oracle")
genotypes_oracle = _load("genotypes_oracle")
fractional_oracle = _load("fractional_oracle")
histogram_oracle = _load("histogram_oracle")
regression_oracle = _load("regression_oracle")
significance_oracle = _load("significance_oracle")
chaid_oracle = _load("chaid_oracle")


def body_of(data: bytes) -> dict[str, Any]:
    """The model inside a model file."""
    return json.loads(data)["model"]


def file_of(body: dict[str, Any] | str) -> bytes:
    """A model file with the right checksum (FNV-1a, 64 bit) around any content."""
    text = body if isinstance(body, str) else json.dumps(body, separators=(",", ":"))
    h = 0xCBF29CE484222325
    for b in text.encode():
        h = ((h ^ b) * 0x100000001B3) & 0xFFFFFFFFFFFFFFFF
    return (
        f'{{"format":"fasttree model","version":1,"checksum":"{h:016x}","model":{text}}}'.encode()
    )


def run_script(code: str, timeout: float = 60.0) -> subprocess.CompletedProcess[str]:
    """Run Python code in a process of its own."""
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=timeout, check=False
    )


def without_idle(words):
    """Parameters of a tree without those that cannot act beside the others."""
    from fasttree import FastTreeClassifier
    from fasttree.estimators.idle import CONDITIONS

    own = FastTreeClassifier().get_params(deep=False)
    every = {**own, "bootstrap": True, **words}
    return {k: v for k, v in words.items() if k not in CONDITIONS or CONDITIONS[k].acts(every)}
