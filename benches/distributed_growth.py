"""One tree on Parquet: an array, batches, workers of Dask; beside LightGBM's Dask estimator.

    python benches/distributed_growth.py              # 2,000,000 x 20, two workers
    python benches/distributed_growth.py --rows 20000000 --only batches workers
    python benches/distributed_growth.py --by-hand    # scheduler and workers as commands
    python benches/distributed_growth.py --record

Each contestant is a process of its own: wall time, CPU time, and the largest resident size of the
process (of the largest worker). "same" says whether the model has the bytes of the contestant's own
fit on one machine. CPU seconds of workers are theirs during the fit. Where LightGBM's workers do
not end (they wait for one that ran out of memory), that is printed, and it is tried again with
twice the memory.
"""

from __future__ import annotations

import argparse
import contextlib
import hashlib
import json
import os
import re
import resource
import socket
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from clock import add_record, have, keep

import fasttree

GROUP = 250_000
SETTINGS = {"criterion": "gini", "max_depth": 10, "threshold_search": "histogram"}
LEAVES = 255

# Seconds that a contestant in a process of its own may take.
PATIENCE = 300


def write_rows(folder: Path, rows: int, columns: int) -> None:
    """A folder of Parquet files, a row group of some 250,000 rows each, float32."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    for number, first in enumerate(range(0, rows, GROUP)):
        rng = np.random.default_rng(number)
        n = min(GROUP, rows - first)
        X = rng.normal(size=(n, columns)).astype(np.float32)
        score = X[:, 0] + X[:, 1] * X[:, 2] + 0.5 * np.sin(3 * X[:, 3]) + rng.normal(size=n)
        table = pa.table({f"x{j}": X[:, j] for j in range(columns)})
        table = table.append_column("label", pa.array((score > 0.2).astype(np.int64)))
        pq.write_table(table, folder / f"{number:04}.parquet")


def peak() -> float:
    """Largest resident size of this process in MB."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def cpu() -> float:
    """User and system seconds of this process."""
    return time.process_time()


def digest(model: bytes) -> str:
    """A short name of a model's bytes."""
    return hashlib.sha256(model).hexdigest()[:16]


def of_array(folder: Path) -> bytes:
    """fasttree on a data frame of all rows."""
    import pandas as pd

    return fasttree.fit(pd.read_parquet(folder), "label", **SETTINGS).to_bytes()


def of_batches(folder: Path) -> bytes:
    """fasttree on batches of the same folder."""
    return fasttree.fit(folder, "label", **SETTINGS).to_bytes()


def of_lightgbm(folder: Path) -> bytes:
    """One tree of LightGBM on a data frame of all rows."""
    import lightgbm
    import pandas as pd

    rows = pd.read_parquet(folder)
    model = lightgbm.LGBMClassifier(**lightgbm_settings())
    model.fit(rows.drop(columns="label"), rows["label"])
    return trees_of(model.booster_)


def lightgbm_settings() -> dict[str, Any]:
    """One tree of 255 leaves on 255 bins."""
    return {"n_estimators": 1, "num_leaves": LEAVES, "learning_rate": 1.0, "verbosity": -1,
            "n_jobs": 1, "time_out": 2}  # fmt: skip


def trees_of(booster: Any) -> bytes:
    """The trees of a LightGBM model, without its parameters."""
    text = str(booster.model_to_string())
    return text[text.index("Tree=0") : text.index("end of trees")].encode()


ALONE = {"array": of_array, "batches": of_batches, "lightgbm": of_lightgbm}


def alone(name: str, folder: Path, words: argparse.Namespace, memory: str) -> dict[str, Any]:
    """A contestant in a process of its own."""
    command = [sys.executable, __file__, "--alone", name, "--folder", str(folder)]
    command += ["--workers", str(words.workers), "--memory", memory]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=PATIENCE)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def run_alone(words: argparse.Namespace) -> None:
    """The part of `alone` in that process."""
    if words.alone == "lightgbm on workers":
        with local(words.workers, words.memory) as client:
            print(json.dumps(on_workers(client, words.folder, True)))
        return
    before, start = cpu(), time.perf_counter()
    model = ALONE[words.alone](words.folder)
    told = {"wall_s": time.perf_counter() - start, "cpu_s": cpu() - before, "peak_mb": peak()}
    print(json.dumps({"model": digest(model), **told}))


@contextlib.contextmanager
def by_hand(workers: int, memory: str) -> Iterator[Any]:
    """A scheduler and workers started as commands on the loopback."""
    from distributed import Client

    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    address = f"tcp://127.0.0.1:{port}"
    dask = [sys.executable, "-m", "dask"]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    scheduler = [*dask, "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"]
    worker = [*dask, "worker", address, "--nthreads", "1", "--memory-limit", memory,
              "--no-dashboard"]  # fmt: skip
    started = [subprocess.Popen(scheduler, **quiet)]
    try:
        time.sleep(3)
        started += [subprocess.Popen(worker, **quiet) for _ in range(workers)]
        with Client(address, timeout=60) as client:
            client.wait_for_workers(workers, timeout=120)
            yield client
    finally:
        for process in reversed(started):
            process.terminate()
            process.wait()


@contextlib.contextmanager
def local(workers: int, memory: str) -> Iterator[Any]:
    """A cluster of worker processes."""
    import dask
    from distributed import Client, LocalCluster

    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 1}),
        LocalCluster(
            n_workers=workers, threads_per_worker=1, memory_limit=memory, dashboard_address=None
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def on_workers(client: Any, folder: Path, peer: bool) -> dict[str, Any]:
    """A fit on the workers of a client."""
    before = sum(client.run(cpu).values())
    own, start = cpu(), time.perf_counter()
    if peer:
        import dask.dataframe as dd
        import lightgbm

        rows = dd.read_parquet(folder).persist()  # labels are to have the partitions of the rows
        model = lightgbm.DaskLGBMClassifier(client=client, **lightgbm_settings())
        model.fit(rows.drop(columns="label"), rows["label"])
        found = trees_of(model.booster_)
    else:
        found = fasttree.distributed.fit(folder, "label", client=client, **SETTINGS).to_bytes()
    return {
        "model": digest(found),
        "wall_s": time.perf_counter() - start,
        "cpu_s": sum(client.run(cpu).values()) - before + cpu() - own,
        "peak_mb": max(client.run(peak).values()),
        "client_peak_mb": peak(),
    }


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rows", type=int, default=2_000_000)
    parser.add_argument("--columns", type=int, default=20)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--memory", default="2GiB", help="of each worker")
    parser.add_argument("--by-hand", action="store_true", help="scheduler and workers as commands")
    parser.add_argument("--only", nargs="+", choices=["array", "batches", "workers", "lightgbm"])
    parser.add_argument("--folder", type=Path, help="keep the rows here, or find them here")
    parser.add_argument("--alone", help=argparse.SUPPRESS)
    add_record(parser)
    words = parser.parse_args()
    if words.alone:
        run_alone(words)
        return
    with tempfile.TemporaryDirectory(prefix="batches-") as made:
        folder = words.folder or Path(made)
        folder.mkdir(exist_ok=True)
        if not any(folder.iterdir()):
            write_rows(folder, words.rows, words.columns)
        results = contest(words, folder)
    if words.record:
        size = {"rows": words.rows, "columns": words.columns, "workers": words.workers}
        told = {"unit": "seconds, MB", **size, "memory": words.memory, "results": results}
        keep(told, "-".join(words.only or []))


def contest(words: argparse.Namespace, folder: Path) -> list[dict[str, Any]]:
    """The contestants in turn."""
    wanted = words.only or ["array", "batches", "workers", "lightgbm"]
    cluster = by_hand if words.by_hand else local
    results: list[dict[str, Any]] = []

    def told(name: str, found: dict[str, Any], reference: str | None) -> str:
        same = None if reference is None else found["model"] == reference
        results.append({"contestant": name, **found, "same": same})
        times = f"{found['wall_s']:8.1f} s wall {found['cpu_s']:8.1f} s CPU"
        print(f"{name:24} {times} {found['peak_mb']:8.0f} MB  same: {same}", flush=True)
        return str(found["model"])

    ours = None
    for name in ("array", "batches"):
        if name in wanted:
            ours = told(f"fasttree, {name}", alone(name, folder, words, words.memory), ours)
    if "workers" in wanted:
        with cluster(words.workers, words.memory) as client:
            told("fasttree, workers", on_workers(client, folder, False), ours)
    if "lightgbm" in wanted and have("lightgbm"):
        theirs = told("LightGBM, array", alone("lightgbm", folder, words, words.memory), None)
        for memory in doubled(words.memory):
            try:
                found = alone("lightgbm on workers", folder, words, memory)
            except (subprocess.TimeoutExpired, subprocess.CalledProcessError) as error:
                failed = f"no end within {PATIENCE} s" if hasattr(error, "timeout") else str(error)
                results.append({"contestant": f"LightGBM, workers of {memory}", "failed": failed})
                print(f"LightGBM, workers of {memory}: {failed}", flush=True)
            else:
                told(f"LightGBM, workers of {memory}", found, theirs)
                break
    return results


def doubled(memory: str) -> list[str]:
    """A limit such as 2GiB, and twice, four and eight times as much."""
    number = re.match(r"[\d.]+", memory)
    assert number, memory
    return [f"{float(number[0]) * 2**k:g}{memory[number.end() :]}" for k in range(4)]


if __name__ == "__main__":
    os.environ.setdefault("OMP_NUM_THREADS", "1")
    main()
