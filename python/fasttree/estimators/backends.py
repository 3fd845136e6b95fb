"""Backends that run independent units of work: this process, joblib, or a Dask cluster.

What
    A unit is a key and an argument. A backend computes ``work(shared[key], argument)`` on a free
    worker. A shared object is sent to each worker once: through a memory-mapped file to the
    processes of joblib, by scattering on a Dask cluster. Results are yielded in the order in which
    units finish. A unit whose worker died is computed again. Forests, cross-validation and scores
    of features choose their backend by `backend_of`.
Complexity
    One message to and one from a worker per unit, and one copy of each shared object per worker.
When not to use it
    For units of less than about 10 ms: a message costs 1 to 5 ms.
"""

from __future__ import annotations

import os
import pickle
import tempfile
import time
import uuid
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from .. import _engine
from .._checks import shown
from .._checks.data_warnings import warn_caller
from .._checks.saving import replace_file

Work = Callable[[Any, Any], Any]
"""A function of a shared object and an argument."""
Units = Sequence[tuple[str, Any]]
"""The key of the shared object and the argument of each unit."""

MAX_ATTEMPTS = 4
"""Largest number of attempts at one unit: if all of their workers fail, the unit is to blame."""

MAX_CACHED = 4
"""Largest number of shared objects that a worker process of joblib keeps mapped."""

PATIENCE = 10.0
"""Seconds without a worker after which a call warns that it is waiting."""


class InProcess:
    """Runs units in this process, one after the other.

    It is the reference for the other backends, and takes the units where none of them is chosen.

    Attributes:
        workers: number of units that run at the same time.

    >>> list(InProcess().run(pow, [("two", 3), ("two", 5)], {"two": 2}))
    [(0, 8), (1, 32)]
    """

    workers = 1

    def run(self, work: Work, units: Units, shared: Mapping[str, Any]) -> Iterator[tuple[int, Any]]:
        """Yield (index of the unit, result) as units finish.

        Results come in the order of the units. A unit is computed when its result is asked for, so
        a caller that stops early saves the rest. An error of `work` ends the iteration.

        Args:
            work: function of a shared object and an argument.
            units: (key of the shared object, argument) of each unit.
            shared: objects by key.
        """
        for index, (key, argument) in enumerate(units):
            yield index, work(shared[key], argument)


# -- joblib ---------------------------------------------------------------------------------------


def _pickle(value: Any) -> tuple[bytes, list[memoryview]]:
    """The pickle of an object without its arrays, and the bytes of the arrays (protocol 5)."""
    try:
        import cloudpickle  # joblib needs it, and older releases carry it
    except ImportError:
        from joblib.externals import cloudpickle

    buffers: list[pickle.PickleBuffer] = []
    head = cloudpickle.dumps(value, protocol=5, buffer_callback=buffers.append)
    return head, [buffer.raw() for buffer in buffers]


def _write_mappable(value: Any, path: str) -> None:
    """Write an object to a file from which `_map` reads it without copying its arrays."""
    import joblib

    head, arrays = _pickle(value)
    with replace_file(path) as file:
        joblib.dump((head, [np.asarray(array) for array in arrays]), file)


@lru_cache(MAX_CACHED)
def _map(path: str) -> Any:
    """The object in a file, kept for the next units; its arrays are read-only views of the file."""
    import joblib

    head, arrays = joblib.load(path, mmap_mode="r")
    return pickle.loads(head, buffers=arrays)


class _Mapped(NamedTuple):
    """A shared object that `_write_mappable` has written to a file."""

    path: str

    @property
    def value(self) -> Any:
        """The object, mapped once per process."""
        return _map(self.path)


def _unit(work: Work, held: Any, argument: Any, index: int) -> tuple[int, Any]:
    """Compute a unit; `held` is a `_Mapped` or `_Message` of its shared object."""
    return index, work(held.value, argument)


_WORKER_DEATHS = ("TerminatedWorkerError", "BrokenProcessPool")
"""Names of the errors by which loky and concurrent.futures report a dead worker."""


class JoblibBackend:
    """Runs units on the backend of ``joblib.parallel_config``.

    Threads share memory; processes map files.

    Units are started one by one, not in batches, because they differ in size. An older backend of
    joblib that cannot yield results one by one gives all of them at the end.

    Args:
        active: the active backend of joblib.
        n_jobs: number of workers as joblib defines it.
    """

    def __init__(self, active: Any, n_jobs: int | None) -> None:
        from joblib import effective_n_jobs

        self.kind = type(active).__name__
        self.streams = bool(getattr(active, "supports_return_generator", False))
        self.n_jobs = n_jobs
        self.workers = effective_n_jobs(n_jobs)

    def run(self, work: Work, units: Units, shared: Mapping[str, Any]) -> Iterator[tuple[int, Any]]:
        """Yield (index of the unit, result) as units finish.

        The arguments are those that `InProcess.run` takes. Units of dead workers are computed
        again; after `MAX_ATTEMPTS` attempts at one unit the error of joblib is raised. joblib does
        not say which unit ended a worker, so an attempt is counted for each unit that was handed
        out and is not finished. Errors of `work` are raised at once. Processes read the shared
        objects from files in a temporary folder, which is removed at the end; threads get the
        objects themselves.
        """
        uses_files = any(word in self.kind for word in ("Loky", "Multiprocessing"))
        with tempfile.TemporaryDirectory(prefix="fasttree-", ignore_cleanup_errors=True) as folder:
            # One file per shared object that some unit uses.
            paths: dict[str, str] = {}
            for key in dict.fromkeys(key for key, _ in units) if uses_files else ():
                paths[key] = os.path.join(folder, f"{len(paths)}.bin")
                _write_mappable(shared[key], paths[key])
            # joblib ends the whole pass when a worker dies: start again with what remains.
            remaining, attempts = dict(enumerate(units)), Counter[int]()
            while True:
                try:
                    for index, result in self._run_once(work, remaining, shared, paths, attempts):
                        del remaining[index]
                        yield index, result
                    return
                except Exception as error:
                    most = max((attempts[index] for index in remaining), default=0)
                    if type(error).__name__ not in _WORKER_DEATHS or most >= MAX_ATTEMPTS:
                        raise

    def _run_once(
        self,
        work: Work,
        remaining: Mapping[int, tuple[str, Any]],
        shared: Mapping[str, Any],
        paths: Mapping[str, str],
        attempts: Counter[int],
    ) -> Iterator[tuple[int, Any]]:
        """Yield (index, result) of the remaining units.

        Args:
            work, shared: as in `run`.
            remaining: the units by index.
            paths: file of each shared object; empty for threads.
            attempts: number of times each unit was handed to joblib, which is counted up here.
        """
        from sklearn.utils.parallel import Parallel, delayed

        # joblib takes the calls one by one, shortly before a worker is free.
        def calls(units: Sequence[tuple[int, tuple[str, Any]]]) -> Iterator[Any]:
            for index, (key, argument) in units:
                attempts[index] += 1
                held = _Mapped(paths[key]) if paths else _Message(shared[key])
                yield delayed(_unit)(work, held, argument, index)

        return_as = "generator_unordered" if self.streams else "list"
        yield from Parallel(n_jobs=self.n_jobs, return_as=return_as, batch_size=1)(
            calls([*remaining.items()])
        )


# -- Dask -----------------------------------------------------------------------------------------


class _Message:
    """A shared object that is sent to a worker, where its arrays are aligned to 16 bytes.

    Dask may place received bytes at any address, but the core reads only aligned arrays.
    """

    def __init__(self, value: Any) -> None:
        self.value = value

    def __reduce_ex__(self, _: Any) -> tuple[Any, ...]:
        head, arrays = _pickle(self.value)
        return _receive, (head, [pickle.PickleBuffer(array) for array in arrays])


def _receive(head: bytes, buffers: list[Any]) -> _Message:
    """Unpickle a `_Message`; arrays that are not aligned to 16 bytes are copied."""
    views = [np.frombuffer(buffer, dtype=np.uint8) for buffer in buffers]
    views = [view.copy() if view.ctypes.data % 16 else view for view in views]
    return _Message(pickle.loads(head, buffers=views))


def _core_version() -> str:
    """Version of the core; a function of this module, so that workers can find it."""
    return _engine.core_version()


def ready_client(client: Any) -> Any:
    """The client, once it has workers and all of them have this version of the package.

    Waits for the first worker, and warns once if none has come after 10 s.

    Raises:
        TypeError: not a client, or an asynchronous one.
        RuntimeError: a closed client, or a worker with another version.
    """
    if not all(hasattr(client, name) for name in ("submit", "scatter", "ncores")):
        raise TypeError(
            f"client={shown(client)} is no dask.distributed.Client; make one by Client(address)"
        )
    if getattr(client, "asynchronous", False):
        raise TypeError("client= is asynchronous; give one of Client(address)")
    with closed_client_error(client):
        # Wait for the first worker.
        started, warned = time.monotonic(), False
        while not client.ncores():
            if not warned and time.monotonic() - started >= PATIENCE:
                warned = True
                warn_caller(
                    f"the Dask cluster has had no worker for {PATIENCE:g} s, and the call waits "
                    "for the first: start workers (dask worker ADDRESS), or interrupt it",
                    UserWarning,
                )
            time.sleep(0.05)
        # Compare versions; a worker that is leaving cannot be reached.
        here = _core_version()
        for address, version in client.run(_core_version, on_error="return").items():
            if isinstance(version, OSError):
                continue
            if isinstance(version, ImportError):
                version = f"none ({version})"
            if isinstance(version, Exception):
                raise version
            if version != here:
                raise RuntimeError(
                    f"worker {address} has fasttree {version}, this process {here}; "
                    "install the same version on all machines"
                )
    return client


@contextmanager
def closed_client_error(client: Any) -> Iterator[None]:
    """A context that turns errors caused by closing the client into a RuntimeError that says so.

    Dask reports a closed client by errors of many types, such as CancelledError, and their messages
    do not name the cause. Errors raised while the client is open pass unchanged.
    """
    from asyncio import CancelledError

    try:
        yield
    except (Exception, CancelledError) as error:
        if getattr(client, "status", "running") not in ("closed", "closing"):
            raise
        raise RuntimeError(
            "the Dask client was closed before the call had ended, so its work is lost: keep the "
            "client open until the call returns, and call again"
        ) from error


class DaskBackend:
    """Runs units on the workers of a ``dask.distributed.Client``.

    The constructor waits until the cluster has a worker and compares versions (`ready_client`).
    Shared objects are scattered when the first unit needs them.

    Raises:
        TypeError: not a client, or an asynchronous one.
        RuntimeError: a closed client, or a worker with another version of this package.
    """

    def __init__(self, client: Any) -> None:
        self.client = ready_client(client)
        self.workers = max(1, sum(client.ncores().values()))

    def run(self, work: Work, units: Units, shared: Mapping[str, Any]) -> Iterator[tuple[int, Any]]:
        """Yield (index of the unit, result) as units finish.

        The arguments are those that `InProcess.run` takes. Units of dead workers are computed
        again. If the caller stops iterating, or an error is raised, unfinished units are cancelled
        and the shared objects are freed on the workers.

        Raises:
            RuntimeError: the client was closed during the call.

        Raises:
            RuntimeError: the client was closed during the call.
        """
        from concurrent.futures import CancelledError

        from distributed import KilledWorker, as_completed

        run = _DaskRun(self.client, work, units, shared)
        with closed_client_error(self.client):
            try:
                running = as_completed([run.submit(index) for index in range(len(units))])
                for future in running:
                    index = run.indices.pop(future.key)
                    try:
                        _, result = future.result()
                    except (CancelledError, KilledWorker) as error:
                        run.forget(future, index, error)
                        running.add(run.submit(index))
                    else:
                        run.finish(future, index)
                        yield index, result
            finally:
                run.stop()


class _DaskRun:
    """One run on a cluster: its futures, and the shared objects that are scattered.

    Attributes:
        indices: index of the unit, by key of its future.
        futures: future of each unit that is not finished.
        attempts: number of times each unit was submitted.
        scattered: future of each shared object on the cluster.
        uses_left: number of unfinished units that use each shared object.
    """

    def __init__(self, client: Any, work: Work, units: Units, shared: Mapping[str, Any]) -> None:
        self.client, self.work, self.units, self.shared = client, work, units, shared
        self.name = uuid.uuid4().hex
        self.indices: dict[str, int] = {}
        self.futures: dict[int, Any] = {}
        self.attempts = [0] * len(units)
        self.scattered: dict[str, Any] = {}
        self.uses_left = Counter(key for key, _ in units)

    def _scatter(self, key: str) -> Any:
        """The future of a shared object, which is sent first if no worker has it."""
        future = self.scattered.get(key)
        if future is None or future.status in ("cancelled", "lost", "error"):
            for attempts_left in reversed(range(MAX_ATTEMPTS)):
                try:
                    future = self.client.scatter(_Message(self.shared[key]), hash=False)
                    break
                except OSError:  # the worker that was to receive it has died
                    if not attempts_left:
                        raise
                    time.sleep(0.1)
            self.scattered[key] = future
        return future

    def submit(self, index: int) -> Any:
        """Start a unit; earlier units have priority. Returns its future."""
        key, argument = self.units[index]
        self.attempts[index] += 1
        future = self.client.submit(
            _unit,
            self.work,
            self._scatter(key),
            argument,
            index,
            key=f"fasttree-{self.name}-{index}-{self.attempts[index]}",
            pure=False,
            priority=-index,
        )
        self.indices[future.key] = index
        self.futures[index] = future
        return future

    def forget(self, future: Any, index: int, error: BaseException) -> None:
        """Drop a unit that ended with its worker; its shared object may have been lost with the
        worker, and is sent again.

        Raises:
            RuntimeError: the unit has ended `MAX_ATTEMPTS` workers.
        """
        if self.attempts[index] >= MAX_ATTEMPTS:
            raise RuntimeError(
                f"a unit of work ended {MAX_ATTEMPTS} workers (the last: {error}); "
                "give workers more memory, or look at their logs"
            ) from error
        future.release()
        self._release(self.units[index][0])

    def finish(self, future: Any, index: int) -> None:
        """Free a finished unit, and its shared object after the last unit that uses it."""
        # Released here and not by its finaliser: Python ignores a Ctrl-C that arrives in one.
        future.release()
        del self.futures[index]
        key = self.units[index][0]
        self.uses_left[key] -= 1
        if not self.uses_left[key]:
            self._release(key)

    def _release(self, key: str) -> None:
        """Let the workers free a shared object."""
        if key in self.scattered:
            self.scattered.pop(key).release()

    def stop(self) -> None:
        """Cancel unfinished units and free all shared objects."""
        if self.futures:
            self.client.cancel(list(self.futures.values()))
        for key in list(self.scattered):
            self._release(key)


# -- choice ---------------------------------------------------------------------------------------

Backend = InProcess | JoblibBackend | DaskBackend
"""What runs units of work."""


def backend_of(client: Any = None) -> Backend | None:
    """The backend that the user chose; None if there is no choice.

    It is the cluster of `client`, or the backend of ``joblib.parallel_config(backend=...)``.

    >>> backend_of() is None
    True
    >>> import joblib
    >>> with joblib.parallel_config(backend="threading", n_jobs=2):
    ...     backend_of().workers
    2
    """
    if client is not None:
        return DaskBackend(client)
    from joblib.parallel import get_active_backend

    # If the user chose none, joblib follows `prefer`, so the two answers differ.
    active, n_jobs = get_active_backend(prefer="threads")
    other, _ = get_active_backend(prefer="processes")
    kind = type(active).__name__
    if kind != type(other).__name__ or kind == "SequentialBackend" or active.nesting_level:
        return None
    if kind == "DaskDistributedBackend":
        return DaskBackend(active.client)
    return JoblibBackend(active, n_jobs)
