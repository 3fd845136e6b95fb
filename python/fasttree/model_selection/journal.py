"""A journal of finished units: a run that was killed goes on where it was.

What
    A text file of one record a line, each behind the CRC-32 of its JSON. The first line holds the
    versions. A line ``task`` holds the settings, the hash of the data and the first units of a set.
    A line ``plan`` holds the units that were planned by the time that those took. A line ``unit``
    holds the output of one finished unit (arrays compressed, base64). Lines are appended and
    flushed to the disk one at a time. A last line without its end was being written when the run
    was killed: it is dropped. The file is locked while a run writes it.
Complexity
    A line a unit, some 20 bytes a test row and method before compression.
When not to use it
    For estimators or folds without a seed: the parts of the result would not belong together.
"""

from __future__ import annotations

import base64
import json
import os
import platform
import stat
import zlib
from typing import Any

import numpy as np

from .. import _engine
from .._checks import path_of
from ..datasets.errors import DataFileError
from .identity import differences
from .run import Runs
from .units import Outcome, Task, Unit, check_runs, covers

__all__ = ["Journal", "JournalTask", "read_journal"]

MAGIC = "fasttree journal"
FORMAT = 2
_KINDS = {
    "ValueError": ValueError,
    "TypeError": TypeError,
    "NotImplementedError": NotImplementedError,
}
_DTYPES = ("<i4", "<i8", "<f8", "<f4")


# -- lines ----------------------------------------------------------------------------------------


def _line(record: dict[str, Any]) -> bytes:
    text = json.dumps(record, separators=(",", ":"), allow_nan=True).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _records(path: str, content: bytes) -> tuple[list[dict[str, Any]], int]:
    """The records of a journal, and the bytes they take; a torn last line is left out."""
    whole = content.rfind(b"\n") + 1
    records = []
    for number, line in enumerate(content[:whole].split(b"\n")[:-1], 1):
        checksum, _, text = line.partition(b" ")
        if checksum != b"%08x" % zlib.crc32(text):
            what = "is no line of a journal" if number == 1 else "is damaged: its checksum is wrong"
            raise DataFileError(f"{what}; {_ADVICE}", path, number)
        try:
            record = json.loads(text)
        except (ValueError, RecursionError):
            raise DataFileError(f"is no JSON; {_ADVICE}", path, number) from None
        if not isinstance(record, dict):
            raise DataFileError(f"is no record; {_ADVICE}", path, number)
        records.append(record)
    if not records and not _START.startswith(content):
        raise DataFileError(f"is no line of a journal; {_ADVICE}", path, 1)
    if records and (records[0].get("what") != MAGIC or records[0].get("format") != FORMAT):
        raise DataFileError(f"is not the head of a journal of format {FORMAT}; {_ADVICE}", path, 1)
    return records, whole


_ADVICE = "give another file, or remove it and start again"
_HEAD = {
    "what": MAGIC,
    "format": FORMAT,
    "versions": {
        "fasttree": _engine.core_version(),
        "numpy": np.__version__,
        "python": platform.python_version(),
    },
}
_START = _line(_HEAD)
"""The first line: what a file that was torn in it begins with."""


def _packed(values: np.ndarray) -> dict[str, Any]:
    values = np.ascontiguousarray(values)
    values = values.astype(values.dtype.newbyteorder("<"), copy=False)
    data = base64.b64encode(zlib.compress(values.tobytes(), 1)).decode()
    return {"dtype": values.dtype.str, "shape": list(values.shape), "data": data}


def _unpacked(packed: dict[str, Any], shape: tuple[int, ...]) -> np.ndarray:
    dtype = packed["dtype"]
    if dtype not in _DTYPES or tuple(packed["shape"]) != shape:
        raise ValueError("the array has another type or shape")
    size = int(np.prod(shape)) * np.dtype(dtype).itemsize
    inflate = zlib.decompressobj()
    data = inflate.decompress(base64.b64decode(packed["data"], validate=True), size + 1)
    if len(data) != size:
        raise ValueError("the array has another length")
    values = np.frombuffer(data, dtype=dtype).reshape(shape)
    return values.astype(values.dtype.newbyteorder("="), copy=False)


def _record_of(outcome: Outcome) -> dict[str, Any]:
    """An outcome as plain data."""
    errors = {
        str(place): [next(k for k, t in _KINDS.items() if isinstance(e, t)), str(e)]
        for place, e in sorted(outcome.errors.items())
    }
    record: dict[str, Any] = {"places": list(outcome.places), "errors": errors}
    runs = outcome.runs
    if runs is not None:
        arrays = {"predictions": runs.predictions, "seconds": runs.seconds}
        if runs.proba is not None:
            arrays["proba"] = runs.proba
        arrays |= {f"sizes {name}": values for name, values in runs.sizes.items()}
        arrays |= {f"scored {name}": values for name, values in runs.scored.items()}
        record["arrays"] = {name: _packed(values) for name, values in arrays.items()}
    return record


def _outcome_of(record: dict[str, Any], unit: Unit, rows: int, n_classes: int) -> Outcome:
    """The outcome that `_record_of` wrote.

    Raises:
        ValueError, TypeError, KeyError: the record is not one of this unit.
    """
    places = tuple(int(place) for place in record["places"])
    errors = {
        int(place): _KINDS[kind](str(said)) for place, (kind, said) in record["errors"].items()
    }
    if sorted([*places, *errors]) != sorted(unit.places):
        raise ValueError("the record has other methods than its unit")
    if not places:
        return Outcome((), None, errors)
    arrays, m, folds = record["arrays"], len(places), unit.stop - unit.start

    def part(kind: str) -> dict[str, np.ndarray]:
        names = [name for name in arrays if name.startswith(kind)]
        return {name[len(kind) :]: _unpacked(arrays[name], (m, folds)) for name in names}

    proba = None
    if "proba" in arrays:
        proba = _unpacked(arrays["proba"], (m, rows, n_classes))
    runs = Runs(
        _unpacked(arrays["predictions"], (m, rows)),
        proba,
        part("sizes "),
        _unpacked(arrays["seconds"], (m, folds)),
        part("scored "),
    )
    return Outcome(places, runs, errors)


# -- the file -------------------------------------------------------------------------------------


class JournalTask:
    """One data set in a journal: its settings, its plan, and the records of its finished units."""

    def __init__(self, path: str, line: int, record: dict[str, Any]) -> None:
        self.units: list[Unit] = []
        self.done: dict[int, tuple[int, dict[str, Any]]] = {}
        try:
            self.settings = {str(k): str(v) for k, v in record["settings"].items()}
            self.name = record.get("name")
            self.n_folds = int(record["folds"])
            self.methods = [str(name) for name in record["methods"]]
        except (KeyError, TypeError, ValueError, AttributeError, OverflowError):
            raise DataFileError(f"is no task; {_ADVICE}", path, line) from None
        self.line = line
        self.plan(path, line, record)

    def plan(self, path: str, line: int, record: dict[str, Any]) -> None:
        """Take the units of a record, after those that are there."""
        try:
            units = [
                Unit(tuple(int(i) for i in places), int(start), int(stop))
                for places, start, stop in record["units"]
            ]
            for places, start, stop in units:
                if not (0 <= start < stop <= self.n_folds and places) or not all(
                    0 <= place < len(self.methods) for place in places
                ):
                    raise ValueError("a unit of no method or fold")
        except (KeyError, TypeError, ValueError, OverflowError):
            raise DataFileError(f"is no task or plan; {_ADVICE}", path, line) from None
        self.units += units

    def finished(self) -> dict[str, int]:
        """Finished folds by method."""
        folds = dict.fromkeys(range(len(self.methods)), 0)
        for number in self.done:
            unit = self.units[number]
            for place in unit.places:
                folds[place] += unit.stop - unit.start
        return {self.methods[place]: n for place, n in folds.items()}


def _tasks_of(path: str, records: list[dict[str, Any]]) -> list[JournalTask]:
    tasks: list[JournalTask] = []
    for line, record in enumerate(records[1:], 2):
        kind = record.get("what")
        if kind == "task":
            tasks.append(JournalTask(path, line, record))
            continue
        at, number = _place(record, "task"), _place(record, "unit")
        if kind == "plan" and 0 <= at < len(tasks):
            tasks[at].plan(path, line, record)
            continue
        known = kind == "unit" and 0 <= at < len(tasks) and 0 <= number < len(tasks[at].units)
        if not known:
            raise DataFileError(f"is no record of a known unit; {_ADVICE}", path, line)
        tasks[at].done.setdefault(number, (line, record))
    return tasks


def _place(record: dict[str, Any], name: str) -> int:
    """A number of a record, -1 where it has none."""
    value = record.get(name)
    return value if isinstance(value, int) else -1


class Journal:
    """A journal, open and locked for one run.

    Tasks are met in the order in which the first run began them.

    Raises:
        DataFileError: a damaged file, or another run writes it.
        ValueError: written by another version of fasttree; a path that is no ordinary file.
    """

    def __init__(self, path: Any) -> None:
        self.path = _ordinary(path)
        self._file = open(self.path, "a+b", buffering=0)  # noqa: SIM115 - closed by `close`
        try:
            if not _locked(self._file):
                raise DataFileError(
                    "another run is writing this journal; wait for it, or give another file",
                    self.path,
                )
            self._file.seek(0)
            records, size = _records(self.path, self._file.readall())
            if records:
                self._check_version(records[0])
            self.tasks = _tasks_of(self.path, records)
            self._file.truncate(size)
            if not records:
                self._append(_HEAD)
        except BaseException:
            self._file.close()
            raise
        self._met = 0

    def _check_version(self, head: dict[str, Any]) -> None:
        versions = head.get("versions")
        old = versions.get("fasttree") if isinstance(versions, dict) else None
        own = _HEAD["versions"]["fasttree"]  # type: ignore[index]
        if old != own:
            raise ValueError(
                f"journal {self.path} was written by fasttree {old}, this is {own}; {_ADVICE}"
            )

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, *_: Any) -> None:
        self.close()

    def close(self) -> None:
        """Close the file and give up its lock."""
        self._file.close()

    def _append(self, record: dict[str, Any]) -> None:
        left = memoryview(_line(record))
        try:
            while left:
                left = left[self._file.write(left) :]
            os.fsync(self._file.fileno())
        except OSError as error:
            raise OSError(
                error.errno,
                f"the journal cannot be written ({error.strerror}); make room, and call again: "
                "what it holds is not fitted again",
                self.path,
            ) from error

    def meet(
        self, settings: dict[str, str], name: Any, methods: list[str], folds: int
    ) -> tuple[int, JournalTask | None]:
        """The number of the next task, and what is there of it.

        Raises:
            ValueError: the journal holds a task with other settings in this place.
        """
        number = self._met
        self._met += 1
        if number >= len(self.tasks):
            return number, None
        task = self.tasks[number]
        found = differences(task.settings, settings)
        if found:
            more = f" (and {len(found) - 3} more)" if len(found) > 3 else ""
            raise ValueError(
                f"journal {self.path} was begun with other settings: {'; '.join(found[:3])}{more}; "
                "call with the journal's, or give another file"
            )
        if task.methods != methods or task.n_folds != folds:
            raise DataFileError(
                f"task {number + 1} has another plan; {_ADVICE}", self.path, task.line
            )
        return number, task

    def begin(
        self,
        settings: dict[str, str],
        units: list[Unit],
        name: Any,
        methods: list[str],
        folds: int,
    ) -> None:
        """Write the settings and the plan of a new task."""
        record = {
            "what": "task",
            "name": None if name is None else str(name),
            "methods": methods,
            "folds": folds,
            "settings": settings,
            "units": _written(units),
        }
        self._append(record)
        self.tasks.append(JournalTask(self.path, 0, record))

    def plan(self, number: int, task: Task, units: list[Unit]) -> None:
        """Write the units of a task that its first ones leave."""
        own = self.tasks[number]
        if not covers(task, own.units + units):
            raise DataFileError(
                f"task {number + 1} has another plan; {_ADVICE}", self.path, own.line
            )
        record = {"what": "plan", "task": number, "units": _written(units)}
        self._append(record)
        own.plan(self.path, 0, record)

    def outcomes(self, number: int, task: Task) -> dict[int, Outcome]:
        """The finished units of a task."""
        found = {}
        own = self.tasks[number]
        ends = np.append(task.folds.starts, task.folds.test_sizes.sum())
        for place, (line, record) in own.done.items():
            unit = own.units[place]
            try:
                rows = int(ends[unit.stop] - ends[unit.start])
                found[place] = _outcome_of(record, unit, rows, len(task.data.classes))
                check_runs(task, unit, found[place])
            except ValueError as error:
                raise DataFileError(
                    f"is no record of its unit ({error}); {_ADVICE}", self.path, line
                ) from None
            except (KeyError, TypeError, IndexError, AttributeError, zlib.error):
                raise DataFileError(
                    f"is no record of its unit; {_ADVICE}", self.path, line
                ) from None
        return found

    def add(self, task: int, unit: int, outcome: Outcome) -> None:
        """Append what a unit found."""
        self._append({"what": "unit", "task": task, "unit": unit, **_record_of(outcome)})


def _written(units: list[Unit]) -> list[Any]:
    return [[list(unit.places), unit.start, unit.stop] for unit in units]


def _ordinary(path: Any) -> str:
    """The path of a journal; refuses a device, a pipe or a socket, which keep nothing."""
    path = os.fspath(path_of("journal", path))
    try:
        mode = os.stat(path).st_mode
    except OSError:  # not there, or refused in the words of `open`
        return path
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise ValueError(
            f"journal={path!r} is a device, a pipe or a socket, from which no run can go on; give "
            "the path of a file"
        )
    return path


def _locked(file: Any) -> bool:
    """Take the file's lock; False when another process holds it."""
    try:
        import fcntl
    except ImportError:  # Windows
        import msvcrt

        try:
            file.seek(1 << 40)
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
        except OSError:
            return False
        return True
    try:
        fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


def read_journal(path: Any) -> dict[str, Any]:
    """What a journal holds, without taking part in it.

    Returns:
        path, versions, running (another process writes it), bytes_dropped (of a torn last line),
        units, units_done, and tasks: name, methods, folds, units, units_done, finished (folds by
        method), skipped (methods that do not apply, with the reason), settings.

    Raises:
        DataFileError: a damaged file.
    """
    path = _ordinary(path)
    with open(path, "rb") as file:
        content = file.read()
        running = not _locked(file)
    records, size = _records(path, content)
    tasks = [
        {
            "name": task.name,
            "methods": task.methods,
            "folds": task.n_folds,
            "units": len(task.units),
            "units_done": len(task.done),
            "finished": task.finished(),
            "skipped": _skipped(task),
            "settings": task.settings,
        }
        for task in _tasks_of(path, records)
    ]
    return {
        "path": path,
        "versions": records[0].get("versions", {}) if records else {},
        "running": running,
        "bytes_dropped": len(content) - size,
        "units": sum(task["units"] for task in tasks),
        "units_done": sum(task["units_done"] for task in tasks),
        "tasks": tasks,
    }


def _skipped(task: JournalTask) -> dict[str, str]:
    found: dict[str, str] = {}
    for _, record in task.done.values():
        errors = record.get("errors")
        for place, error in errors.items() if isinstance(errors, dict) else ():
            if place.isdecimal() and int(place) < len(task.methods) and len(error) == 2:
                found.setdefault(task.methods[int(place)], str(error[1]))
    return found
