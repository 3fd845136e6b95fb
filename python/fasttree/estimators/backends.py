"""Where units of work run: in this process, on joblib's backend, or on a Dask cluster.

What
    A unit is a key and an argument: ``work(shared[key], argument)`` is computed wherever there is
    room; of several keys, `work` gets a tuple. What is shared travels once to a worker: through
    memory-mapped files to joblib's processes, by scattering on a cluster. Outcomes come in the
    order in which they are finished. A unit whose worker died is computed again.
Complexity
    One message to and from a worker a unit; the copies of what is shared.
When not to use it
    For units of less than some 10 ms: a message costs about 1 to 5 ms.
"""

from __future__ import annotations

import os
import pickle
import tempfile
import threading
import time
import uuid
import warnings
from collections import OrderedDict
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Protocol

import numpy as np

from .. import _engine
from ..rendering.saving import replace_file

__all__ = [
    "Backend",
    "DaskBackend",
    "InProcess",
    "JoblibBackend",
    "backend_of",
    "closing_said",
    "ready_client",
]

Work = Callable[[Any, Any], Any]
Keys = str | tuple[str, ...]
Units = Sequence[tuple[Keys, Any]]

MOST_TRIES = 4
"""How often a unit is computed when its workers die, before the run gives up."""
KEPT = 4
"""Shared objects that a worker process of joblib keeps."""
_ALIGNED = 64
PATIENCE = 10.0
"""Seconds without a worker after which a call says that it waits."""


class Backend(Protocol):
    """What runs units; `workers` is how many of them at a time."""

    workers: int

    def run(self, work: Work, units: Units, shared: Mapping[str, Any]) -> Iterator[tuple[int, Any]]:
        """Yield (place of the unit, outcome) as units are finished."""
        ...


class InProcess:
    """Units one after the other, in their order.

    >>> list(InProcess().run(pow, [("two", 3), ("two", 5)], {"two": 2}))
    [(0, 8), (1, 32)]
    """

    workers = 1

    def run(self, work: Work, units: Units, shared: Mapping[str, Any]) -> Iterator[tuple[int, Any]]:
        """Yield (place, outcome)."""
        for place, (key, argument) in enumerate(units):
            yield place, work(_chosen(shared, key), argument)


def _chosen(shared: Mapping[str, Any], key: Keys) -> Any:
    return shared[key] if isinstance(key, str) else tuple(shared[one] for one in key)


def _names(key: Keys) -> tuple[str, ...]:
    return (key,) if isinstance(key, str) else key


# -- joblib ---------------------------------------------------------------------------------------


def _apart(thing: Any) -> tuple[bytes, list[memoryview]]:
    """An object's pickle without its arrays, and the bytes of these."""
    try:
        import cloudpickle  # joblib needs it, and older releases carry it
    except ImportError:
        from joblib.externals import cloudpickle

    buffers: list[pickle.PickleBuffer] = []
    head = cloudpickle.dumps(thing, protocol=5, buffer_callback=buffers.append)
    return head, [buffer.raw() for buffer in buffers]


def _written(thing: Any, path: Path) -> None:
    """Write an object; its arrays lie in the file as they are, to be mapped."""
    head, raws = _apart(thing)
    with replace_file(path) as file:
        sizes = np.array([len(head), *(raw.nbytes for raw in raws)], dtype=np.int64)
        file.write(np.int64(len(sizes)).tobytes() + sizes.tobytes() + head)
        for raw in raws:
            file.write(b"\0" * (-file.tell() % _ALIGNED))
            file.write(raw)


def _mapped(path: str) -> Any:
    """Read what `_written` wrote; arrays are read-only views of the mapped file."""
    whole = np.memmap(path, dtype=np.uint8, mode="r")
    count = int(whole[:8].view(np.int64)[0])
    sizes = whole[8 : 8 + 8 * count].view(np.int64).tolist()
    at = 8 + 8 * count
    head = whole[at : at + sizes[0]].tobytes()
    at += sizes[0]
    views = []
    for size in sizes[1:]:
        at += -at % _ALIGNED
        views.append(memoryview(whole[at : at + size]))  # type: ignore[arg-type]
        at += size
    return pickle.loads(head, buffers=views)


_kept: OrderedDict[str, Any] = OrderedDict()
_keeping = threading.Lock()


def _read(path: str) -> Any:
    with _keeping:
        if path not in _kept:
            _kept[path] = _mapped(path)
            while len(_kept) > KEPT:
                _kept.popitem(last=False)
        _kept.move_to_end(path)
        return _kept[path]


def _from_file(
    work: Work, paths: str | tuple[str, ...], argument: Any, place: int
) -> tuple[int, Any]:
    shared = _read(paths) if isinstance(paths, str) else tuple(map(_read, paths))
    return place, work(shared, argument)


def _from_memory(work: Work, shared: Any, argument: Any, place: int) -> tuple[int, Any]:
    return place, work(shared, argument)


class JoblibBackend:
    """Units on the backend of ``joblib.parallel_config``; threads share memory, processes map
    files."""

    def __init__(self, active: Any, n_jobs: int | None) -> None:
        from joblib import effective_n_jobs

        self.kind = type(active).__name__
        self.streams = bool(getattr(active, "supports_return_generator", False))
        self.n_jobs = n_jobs
        self.workers = effective_n_jobs(n_jobs)

    def run(self, work: Work, units: Units, shared: Mapping[str, Any]) -> Iterator[tuple[int, Any]]:
        """Yield (place, outcome); a worker that died is replaced and its units are computed
        again."""
        files = any(word in self.kind for word in ("Loky", "Multiprocessing"))
        with tempfile.TemporaryDirectory(prefix="fasttree-", ignore_cleanup_errors=True) as folder:
            paths: dict[str, str] = {}
            used = dict.fromkeys(name for key, _ in units for name in _names(key))
            for key in used if files else ():
                paths[key] = os.path.join(folder, f"{len(paths)}.bin")
                _written(shared[key], Path(paths[key]))
            left = dict(enumerate(units))
            for attempt in range(1, MOST_TRIES + 1):
                try:
                    for place, outcome in self._pass(work, left, shared, paths):
                        del left[place]
                        yield place, outcome
                    return
                except Exception as error:
                    if type(error).__name__ not in _DEATHS or attempt == MOST_TRIES:
                        raise

    def _pass(
        self,
        work: Work,
        left: Mapping[int, tuple[Keys, Any]],
        shared: Mapping[str, Any],
        paths: Mapping[str, str],
    ) -> Iterator[tuple[int, Any]]:
        from sklearn.utils.parallel import Parallel, delayed

        calls = [
            delayed(_from_file)(work, _chosen(paths, key), argument, place)
            if paths
            else delayed(_from_memory)(work, _chosen(shared, key), argument, place)
            for place, (key, argument) in left.items()
        ]
        form = "generator_unordered" if self.streams else "list"
        yield from Parallel(n_jobs=self.n_jobs, return_as=form, batch_size=1)(calls)


_DEATHS = ("TerminatedWorkerError", "BrokenProcessPool")


# -- Dask -----------------------------------------------------------------------------------------


class _Sent:
    """What a worker is sent: its arrays begin at machine words when they arrive."""

    def __init__(self, thing: Any) -> None:
        self.thing = thing

    def __reduce_ex__(self, _: Any) -> tuple[Any, ...]:
        head, raws = _apart(self.thing)
        return _arrived, (head, [pickle.PickleBuffer(raw) for raw in raws])


def _arrived(head: bytes, buffers: list[Any]) -> _Sent:
    views = [np.frombuffer(buffer, dtype=np.uint8) for buffer in buffers]
    views = [view.copy() if view.ctypes.data % 16 else view for view in views]
    return _Sent(pickle.loads(head, buffers=views))


def _from_scattered(
    work: Work, sent: list[_Sent], several: bool, argument: Any, place: int
) -> tuple[int, Any]:
    things = tuple(one.thing for one in sent)
    return place, work(things if several else things[0], argument)


def _core_version() -> str:
    return _engine.core_version()


def ready_client(client: Any) -> Any:
    """The client itself, once it has workers, all of this version of the package.

    It waits for the first worker, and warns once when none has come after 10 s.

    Raises:
        TypeError: something that is no client, or an asynchronous one.
        RuntimeError: a closed client, or a worker of another version.
    """
    if not all(hasattr(client, name) for name in ("submit", "scatter", "ncores")):
        raise TypeError(
            f"client={client!r} is no dask.distributed.Client; make one by Client(address)"
        )
    if getattr(client, "asynchronous", False):
        raise TypeError("client= is asynchronous; give one of Client(address)")
    with closing_said(client):
        started, warned = time.monotonic(), False
        while not client.ncores():
            if not warned and time.monotonic() - started >= PATIENCE:
                warned = True
                warnings.warn(
                    f"the Dask cluster has had no worker for {PATIENCE:g} s, and the call waits "
                    "for the first: start workers (dask worker ADDRESS), or interrupt it",
                    UserWarning,
                    stacklevel=4,
                )
            time.sleep(0.05)
        own = _core_version()
        for address, version in client.run(_core_version, on_error="return").items():
            if isinstance(version, OSError):
                continue  # the worker is leaving
            if isinstance(version, ImportError):
                version = f"none ({version})"
            if isinstance(version, Exception):
                raise version
            if version != own:
                raise RuntimeError(
                    f"worker {address} has fasttree {version}, this process {own}; "
                    "install the same version on all machines"
                )
    return client


@contextmanager
def closing_said(client: Any) -> Iterator[None]:
    """What fails inside because the client was closed is a RuntimeError that says so."""
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
    """Units on the workers of a ``dask.distributed.Client``.

    Raises:
        TypeError: something that is no client, or an asynchronous one.
        RuntimeError: workers of another version of this package.
    """

    def __init__(self, client: Any) -> None:
        self.client = ready_client(client)
        self.workers = max(1, sum(client.ncores().values()))

    def run(self, work: Work, units: Units, shared: Mapping[str, Any]) -> Iterator[tuple[int, Any]]:
        """Yield (place, outcome); units of workers that died are computed again."""
        from distributed import as_completed

        run = _DaskRun(self.client, work, units, shared)
        with closing_said(self.client):
            try:
                running = as_completed([run.submit(place) for place in range(len(units))])
                for future in running:
                    place = run.places.pop(future.key)
                    outcome = run.outcome(future, place)
                    if outcome is None:
                        running.add(run.submit(place))
                    else:
                        yield place, outcome[0]
            finally:
                run.stop()


class _DaskRun:
    """The futures of one run, and where what is shared lies."""

    def __init__(self, client: Any, work: Work, units: Units, shared: Mapping[str, Any]) -> None:
        self.client, self.work, self.units, self.shared = client, work, units, shared
        self.name = uuid.uuid4().hex
        self.places: dict[str, int] = {}
        self.futures: dict[int, Any] = {}
        self.tries = [0] * len(units)
        self.scattered: dict[str, Any] = {}
        self.left: dict[str, int] = {}
        for name in (name for key, _ in units for name in _names(key)):
            self.left[name] = self.left.get(name, 0) + 1

    def _held(self, name: str) -> Any:
        held = self.scattered.get(name)
        if held is None or held.status in ("cancelled", "lost", "error"):
            for left in reversed(range(MOST_TRIES)):
                try:
                    held = self.client.scatter(_Sent(self.shared[name]), hash=False)
                    break
                except OSError:  # the worker that was to take it has died
                    if not left:
                        raise
                    time.sleep(0.1)
            self.scattered[name] = held
        return held

    def submit(self, place: int) -> Any:
        key, argument = self.units[place]
        held = [self._held(name) for name in _names(key)]
        several = not isinstance(key, str)
        self.tries[place] += 1
        name = f"fasttree-{self.name}-{place}-{self.tries[place]}"
        future = self.client.submit(
            _from_scattered,
            self.work,
            held,
            several,
            argument,
            place,
            key=name,
            pure=False,
            priority=-place,
        )
        self.places[future.key] = place
        self.futures[place] = future
        return future

    def outcome(self, future: Any, place: int) -> tuple[Any] | None:
        """What a finished unit found; None when it is to be computed again."""
        from concurrent.futures import CancelledError

        from distributed import KilledWorker

        try:
            found = future.result()[1]
        except (CancelledError, KilledWorker) as error:
            if self.tries[place] >= MOST_TRIES:
                raise RuntimeError(
                    f"a unit of work ended {MOST_TRIES} workers (the last: {error}); "
                    "give workers more memory, or look at their logs"
                ) from error
            future.release()
            for name in _names(self.units[place][0]):
                self._forget(name)
            return None
        # Released here and not by its finaliser: Python ignores a Ctrl-C that arrives in one.
        future.release()
        del self.futures[place]
        for name in _names(self.units[place][0]):
            self.left[name] -= 1
            if not self.left[name]:
                self._forget(name)
        return (found,)

    def _forget(self, name: str) -> None:
        """The workers forget what nobody needs."""
        if name in self.scattered:
            self.scattered[name].release()
            del self.scattered[name]

    def stop(self) -> None:
        if self.futures:
            self.client.cancel(list(self.futures.values()))
        for name in list(self.scattered):
            self._forget(name)


# -- which one ------------------------------------------------------------------------------------


def backend_of(client: Any = None) -> Backend | None:
    """The backend that was asked for: the client's cluster, or that of
    ``joblib.parallel_config(backend=...)``; None where nobody asked.

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

    # Without a wish of the user, joblib takes the kind that is preferred.
    active, n_jobs = get_active_backend(prefer="threads")
    other, _ = get_active_backend(prefer="processes")
    kind = type(active).__name__
    if kind != type(other).__name__ or kind == "SequentialBackend" or active.nesting_level:
        return None
    if kind == "DaskDistributedBackend":
        return DaskBackend(active.client)
    return JoblibBackend(active, n_jobs)
