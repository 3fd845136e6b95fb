"""Trees and forests on partitions: the bytes of one machine, whatever the partitions, their order,
the number of workers and what happens to them."""

from __future__ import annotations

import os
import signal
import time

import numpy as np
import pytest

import fasttree

from ..tools import cluster_client, thinned
from .parts_tools import on_one_machine, random_parts, random_rows, random_settings

distributed = pytest.importorskip("distributed", reason="Dask is not installed")
da = pytest.importorskip("dask.array", reason="Dask's arrays are not installed")
dd = pytest.importorskip("dask.dataframe", reason="Dask's data frames are not installed")

pytestmark = pytest.mark.filterwarnings("ignore::UserWarning")

from fasttree.distributed import growth  # noqa: E402


@pytest.fixture(scope="module")
def two_workers():
    with cluster_client() as client:
        client.number_of_workers = 2  # what the scheduler says may be a moment old
        yield client


@pytest.fixture(scope="module", params=thinned([2, 1, 4], 3), ids=["two", "one worker", "four"])
def client(request, two_workers):
    if request.param == 2:
        yield two_workers
        return
    with cluster_client(request.param) as client:
        client.number_of_workers = request.param
        yield client


def frame_of(parts):
    """Partitions as a Dask DataFrame, the empty ones among them."""
    import dask

    return dd.from_delayed([dask.delayed(part) for part in parts], meta=parts[0].iloc[:0])


def small_nodes(monkeypatch, seed):
    """Which nodes grow on one worker: none, those of few rows, or (as it is) all of these sets."""
    if seed % 3:
        monkeypatch.setattr(growth, "SMALL_BYTES", [1, 16 * 20][seed % 3 - 1])
    if seed % 4 == 0:
        monkeypatch.setattr(growth, "ROUND_BYTES", 1)
    if seed % 5 == 0:
        monkeypatch.setattr(growth, "BUCKET_BYTES", 1)


TASKS = ("classification", "regression")


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", thinned(range(12), 10))
def test_a_tree_on_partitions_has_the_bytes_of_one_machine(client, monkeypatch, seed, task):
    seed += {2: 0, 1: 12, 4: 24}[client.number_of_workers]
    small_nodes(monkeypatch, seed)
    rows = random_rows(seed, task)
    params, weighted = random_settings(seed, rows), seed % 3 == 0
    expected = on_one_machine(rows, params, weighted)
    parts = [p if weighted else p.drop(columns="w") for p in random_parts(seed, rows)]
    tree = fasttree.distributed.fit(
        frame_of(parts),
        "y",
        sample_weight="w" if weighted else None,
        client=client,
        task=task,
        **params,
    )
    assert tree.to_bytes() == expected.to_bytes(), params


@pytest.mark.parametrize("task", TASKS)
@pytest.mark.parametrize("seed", thinned(range(4), 4))
def test_a_forest_on_partitions_has_the_bytes_of_one_machine(client, monkeypatch, seed, task):
    small_nodes(monkeypatch, seed)
    rows = random_rows(seed, task)
    params = random_settings(seed, rows) | {"n_estimators": 3, "bootstrap": seed != 3}
    if params["bootstrap"]:
        params["max_samples"] = (17, 0.4, None)[seed % 3]
    for name in ("pruning", "max_features"):
        params.pop(name, None)
    weighted = seed % 2 == 0
    expected = on_one_machine(rows, params, weighted, forest=True)
    parts = [p if weighted else p.drop(columns="w") for p in random_parts(seed, rows)]
    forest = fasttree.distributed.fit_forest(
        frame_of(parts),
        "y",
        sample_weight="w" if weighted else None,
        client=client,
        task=task,
        **params,
    )
    assert forest.to_bytes() == expected.to_bytes()


def numbers(n, p=4, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, p))
    return X, (X[:, 0] + X[:, 1] ** 2 + rng.normal(size=n) > 1).astype(int)


def test_arrays_in_chunks_and_predictions_that_wait(two_workers):
    X, y = numbers(3000)
    model = fasttree.distributed.DaskFastTreeClassifier(max_depth=5)
    lazy, labels = da.from_array(X, chunks=(700, 2)), da.from_array(y, chunks=700)
    model.fit(lazy, labels, client=two_workers)
    local = fasttree.fit(X, y, max_depth=5, threshold_search="histogram")
    assert model.to_bytes() == local.to_bytes()
    answer, shares = model.predict(lazy), model.predict_proba(lazy)
    assert isinstance(answer, da.Array) and isinstance(shares, da.Array)
    assert np.array_equal(answer.compute(), local.predict(X))
    assert np.array_equal(shares.compute(), local.predict_proba(X))
    assert np.array_equal(model.predict(X), local.predict(X))


@pytest.mark.parametrize(
    "kind",
    [
        f"DaskFast{kind}{task}"
        for kind in ("Tree", "Forest")
        for task in ("Classifier", "Regressor")
    ],
)
def test_the_estimators_are_those_of_scikit_learn_with_histograms(kind):
    from sklearn.base import clone

    made = getattr(fasttree.distributed, kind)
    plain = getattr(fasttree, kind.removeprefix("Dask"))()
    copy = clone(made(max_depth=3))
    expected = plain.get_params() | {"threshold_search": "histogram", "max_depth": 3}
    assert copy.get_params() == expected
    assert made(threshold_search="exact").threshold_search == "exact"
    with pytest.raises(TypeError):
        made(max_dept=3)


def test_frames_are_predicted_partition_by_partition(two_workers):
    rows = random_rows(4).drop(columns="w")
    frame = dd.from_pandas(rows, npartitions=3)
    model = fasttree.distributed.DaskFastForestClassifier(
        n_estimators=3, random_state=2, missing="branch"
    ).fit(frame, "y", client=two_workers)
    local = fasttree.FastForestClassifier(
        n_estimators=3, random_state=2, missing="branch", threshold_search="histogram"
    ).fit(rows.drop(columns="y"), rows["y"])
    assert model.to_bytes() == local.to_bytes()
    X = frame.drop(columns="y")
    assert model.predict(X).compute().tolist() == local.predict(rows.drop(columns="y")).tolist()
    shares = model.predict_proba(X).compute()
    assert np.array_equal(shares.to_numpy(), local.predict_proba(rows.drop(columns="y")))
    assert shares.columns.tolist() == [str(c) for c in model.classes_]


def test_numbers_are_predicted_partition_by_partition(two_workers):
    X = numbers(2000)[0]
    y = np.round(2**9 * (X[:, 0] + X[:, 1] ** 2)) + 0.5  # of which one pass has exact sums
    model = fasttree.distributed.DaskFastTreeRegressor(max_depth=5)
    lazy = da.from_array(X, chunks=(700, 2))
    model.fit(lazy, da.from_array(y, chunks=700), client=two_workers)
    local = fasttree.fit(X, y, max_depth=5, threshold_search="histogram")
    assert model.to_bytes() == local.to_bytes()
    found = model.predict(lazy)
    assert isinstance(found, da.Array)
    assert np.array_equal(found.compute(), local.predict(X))
    frame = dd.from_pandas(random_rows(3, "regression")[["x0", "y"]], npartitions=3)
    forest = fasttree.distributed.DaskFastForestRegressor(n_estimators=3, missing="branch")
    forest.fit(frame, "y", client=two_workers)
    rows = frame.compute()[["x0"]]
    assert forest.predict(frame[["x0"]]).compute().tolist() == forest.predict(rows).tolist()
    assert np.array_equal(forest.predict(rows), forest.predict(rows.to_numpy()))


def test_a_parquet_folder_is_read_where_it_lies(two_workers, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")
    import pandas as pd
    import pyarrow as pa

    X, y = numbers(90_000)
    rows = pd.DataFrame(X, columns=list("abcd")).assign(label=np.where(y == 1, "yes", "no"))
    for i in range(3):
        part = pa.Table.from_pandas(rows.iloc[i::3], preserve_index=False)
        pq.write_table(part, tmp_path / f"{i}.parquet", row_group_size=11_000)
    params = {"max_depth": 7, "criterion": "gini"}
    found = fasttree.distributed.fit(tmp_path, "label", client=two_workers, **params)
    local = fasttree.fit(rows, "label", threshold_search="histogram", **params)
    assert found.to_bytes() == local.to_bytes()


@pytest.mark.parametrize("seed", range(3))
def test_parquet_of_every_kind_of_column(two_workers, tmp_path, seed):
    pq = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")
    import pyarrow as pa

    rows = random_rows(seed)
    params = random_settings(seed, rows) | {"missing": "branch"}
    for number, part in enumerate(np.array_split(np.arange(len(rows)), 3)):
        whole = pa.Table.from_pandas(rows, preserve_index=False)
        pq.write_table(whole.take(part), tmp_path / f"{number}.parquet", row_group_size=50)
    words = {"sample_weight": "w"} if seed else {}
    found = fasttree.distributed.fit(tmp_path, "y", client=two_workers, **words, **params)
    expected = fasttree.FastTreeClassifier(**params).fit(tmp_path, "y", **words)
    assert found.to_bytes() == expected.to_bytes()


def test_files_of_different_columns_are_named(two_workers, tmp_path):
    pq = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")
    import pyarrow as pa

    pq.write_table(pa.table({"a": [1.0, 2.0], "b": [0, 1], "y": [0, 1]}), tmp_path / "0.parquet")
    other = {"a": ["u", "v"], "b": [0, 1], "y": [0, 1]}
    pq.write_table(pa.table(other), tmp_path / "1.parquet")
    with pytest.raises(ValueError, match=r"column 'a' is numeric in partition 0 but nominal in"):
        fasttree.distributed.fit(tmp_path, "y", client=two_workers)
    pq.write_table(pa.table({"a": [1.0], "c": [0], "y": [0]}), tmp_path / "1.parquet")
    with pytest.raises(ValueError, match=r"partition 1 has the columns a, c"):
        fasttree.distributed.fit(tmp_path, "y", client=two_workers)


def slow_part(part, seconds):
    time.sleep(seconds)
    return part


@pytest.mark.exhaustive
def test_a_worker_that_is_killed_changes_nothing(monkeypatch):
    import threading

    import dask

    monkeypatch.setattr(growth, "SMALL_BYTES", 1)
    X, y = numbers(4000, seed=5)
    import pandas as pd

    rows = pd.DataFrame(X, columns=list("abcd")).assign(y=y)
    parts = [
        dask.delayed(slow_part)(rows.iloc[i : i + 500].reset_index(drop=True), 0.05)
        for i in range(0, 4000, 500)
    ]
    frame = dd.from_delayed(parts, meta=rows.iloc[:0])
    params = {"max_depth": 9}
    expected = fasttree.fit(rows, "y", threshold_search="histogram", **params)
    with cluster_client() as client:
        rounds, killed = [], []
        own = growth.tree_sum

        def watched(*args):
            rounds.append(1)
            if len(rounds) == 4:
                pid = next(iter(client.run(os.getpid).values()))
                os.kill(pid, signal.SIGKILL)
                killed.append(pid)
            return own(*args)

        monkeypatch.setattr(growth, "tree_sum", watched)
        found = fasttree.distributed.fit(frame, "y", client=client, **params)
    assert killed and threading.active_count() > 0
    assert found.to_bytes() == expected.to_bytes()


def fails_once(part, folder, number):
    mark = folder / str(number)
    if not mark.exists():
        mark.touch()
        raise OSError("the file server is away")
    return part


def test_a_partition_that_is_read_again_changes_nothing(two_workers, tmp_path):
    import dask
    import pandas as pd

    X, y = numbers(600, seed=6)
    rows = pd.DataFrame(X, columns=list("abcd")).assign(y=y)
    parts = [
        dask.delayed(fails_once)(rows.iloc[i : i + 200].reset_index(drop=True), tmp_path, i)
        for i in range(0, 600, 200)
    ]
    frame = dd.from_delayed(parts, meta=rows.iloc[:0], verify_meta=False)
    with dask.annotate(retries=3):
        found = fasttree.distributed.fit(frame, "y", client=two_workers)
    assert found.to_bytes() == fasttree.fit(rows, "y", threshold_search="histogram").to_bytes()


@pytest.mark.parametrize(
    ("make", "words", "error", "message"),
    [
        (lambda d: np.zeros((3, 2)), {}, TypeError, "Dask DataFrame, a Dask Array"),
        (lambda d: d, {"y": "label"}, ValueError, "no column 'label'"),
        (lambda d: d, {"y": None}, ValueError, "y must be a Dask collection"),
        (lambda d: d, {"threshold_search": "exact"}, ValueError, "threshold_search='histogram'"),
        (lambda d: d, {"evaluation": "global"}, ValueError, "evaluation='local'"),
        (lambda d: d, {"max_dept": 3}, TypeError, "did you mean 'max_depth'"),
        (lambda d: d, {"pruning": "reduced_error"}, ValueError, "held out"),
        (lambda d: d, {"class_weight": "balanced"}, ValueError, "class_weight"),
        (lambda d: da.zeros((4, 2), chunks=(2, 2)), {"y": da.zeros(4, chunks=1)}, ValueError,
         "y has 4 partitions, the rows have 2"),
    ],
)  # fmt: skip
def test_what_cannot_be_done_is_refused_by_name(two_workers, make, words, error, message):
    rows = random_rows(1).drop(columns="w")
    frame = dd.from_pandas(rows, npartitions=2)
    words = {"y": "y", **words}
    with pytest.raises(error, match=message):
        fasttree.distributed.fit(make(frame), words.pop("y"), client=two_workers, **words)


def test_a_partition_of_another_kind_is_named(two_workers):
    import pandas as pd

    parts = [pd.DataFrame({"a": [1.0, 2.0], "y": [0, 1]}), pd.DataFrame({"a": ["u"], "y": [0]})]
    import dask

    frame = dd.from_delayed(
        [dask.delayed(p) for p in parts], meta=parts[0].iloc[:0], verify_meta=False
    )
    with pytest.raises(ValueError, match=r"column 'a' is numeric in partition 0 but nominal in"):
        fasttree.distributed.fit(frame, "y", client=two_workers)


@pytest.mark.parametrize("kind", ["tree", "forest"])
def test_workers_are_let_forget_what_is_divided_and_summed(two_workers, monkeypatch, kind):
    monkeypatch.setattr(growth, "SMALL_BYTES", 1)
    X, y = numbers(4000, seed=7)
    rows, labels = da.from_array(X, chunks=(200, 4)), da.from_array(y, chunks=200)
    held = []
    own = growth._engine.core.SpreadGrowth

    class Watched:
        """Notes what the client asks workers to keep while it splits nodes."""

        def __init__(self, *args):
            self.growth = own(*args)

        def choose(self, counts):
            held.append(sorted({key.rsplit("-", 5)[0] for key in two_workers.futures}))
            return self.growth.choose(counts)

        def __getattr__(self, name):
            return getattr(self.growth, name)

    monkeypatch.setattr(growth.core, "SpreadGrowth", Watched)
    words = {"client": two_workers, "max_depth": 5}
    if kind == "tree":
        fasttree.distributed.fit(rows, labels, **words)
    else:
        fasttree.distributed.fit_forest(rows, labels, n_estimators=1, random_state=0, **words)
    assert len(held) >= 4
    large = {"_count", "_whole", "_first_whole", "drawn"} | (
        {"encoded_part"} if kind == "tree" else set()
    )
    assert "_divide" in held[-1] and not large & set(held[-1])


def spilled(dask_worker):
    """Bytes on disk that the worker has written so far."""
    return sum(dask_worker.data.spilled_total)


@pytest.mark.exhaustive
def test_what_a_worker_writes_to_disk_comes_back_unchanged(monkeypatch):
    import dask

    monkeypatch.setattr(growth, "SMALL_BYTES", 1)
    X, y = numbers(30_000, p=6, seed=7)
    rows, labels = da.from_array(X, chunks=(3000, 6)), da.from_array(y, chunks=3000)
    on_disk = []
    own = growth.tree_sum
    with (
        dask.config.set({"distributed.worker.memory.target": 1e-4}),
        cluster_client(memory_limit="1GiB") as client,
    ):

        def watched(*args):
            on_disk.append(sum(client.run(spilled).values()))
            return own(*args)

        monkeypatch.setattr(growth, "tree_sum", watched)
        tree = fasttree.distributed.fit(rows, labels, client=client, max_depth=6)
        words = {"n_estimators": 2, "random_state": 0, "max_depth": 4}
        forest = fasttree.distributed.fit_forest(rows, labels, client=client, **words)
    assert max(on_disk) > 100_000
    how = {"threshold_search": "histogram"}
    assert tree.to_bytes() == fasttree.fit(X, y, max_depth=6, **how).to_bytes()
    whole = fasttree.FastForestClassifier(**words, **how).fit(X, y)
    assert forest.to_bytes() == whole.to_bytes()


def grows_too_large(part):
    import ctypes

    kept = [ctypes.create_string_buffer(b"x" * 2**20) for _ in range(4000)]
    return part if kept else None


@pytest.mark.exhaustive
def test_a_partition_that_no_worker_can_hold_is_an_error_that_says_so(tmp_path):
    pq = pytest.importorskip("pyarrow.parquet", reason="Parquet needs pyarrow")
    import dask
    import pandas as pd
    import pyarrow as pa

    X, y = numbers(100_000, p=10)
    rows = pd.DataFrame(X).rename(columns=str).assign(y=y)
    pq.write_table(pa.Table.from_pandas(rows, preserve_index=False), tmp_path / "rows.parquet")
    with cluster_client(1, memory_limit="20MiB", processes=False) as client:
        with pytest.raises(MemoryError, match=r"row group of .*rows\.parquet.* 20 MiB: make part"):
            fasttree.distributed.fit(tmp_path, "y", client=client)
        chunk = da.from_array(X, chunks=(100_000, 10))
        with pytest.raises(MemoryError, match="a chunk of the array takes 8 MiB"):
            fasttree.distributed.fit(chunk, da.from_array(y, chunks=100_000), client=client)
    small = rows.iloc[:100]
    frame = dd.from_delayed([dask.delayed(grows_too_large)(small)], meta=small.iloc[:0])
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        cluster_client(1, memory_limit="400MiB") as client,
        pytest.raises(MemoryError, match="workers died of one task again and again"),
    ):
        fasttree.distributed.fit(frame, "y", client=client)
