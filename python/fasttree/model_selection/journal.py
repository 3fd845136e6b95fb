"""A journal of finished units of work, so that a killed run can be continued.

What
    A text file with one JSON record per line, each after its CRC-32. The first line holds the
    versions. A line ``task`` holds the settings, the hash of the data and the first units of a data
    set; a line ``plan`` the units that were planned after these; a line ``methods`` the methods
    that a later call added, with their settings and first units; a line ``unit`` the output of a
    finished unit (arrays compressed, base64). Lines are appended and flushed to the disk one at a
    time. A last line without a line end was not written to its end and is dropped. The file is
    locked while a run writes it. `grid` writes journals, `read_journal` and ``ftree`` show them.
Complexity
    One line per unit, about 20 bytes per test row and method before compression.
When not to use it
    For estimators or folds without a seed: units of two runs would not belong together.
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
from .units import REFUSALS, Outcome, Task, Unit, check_runs, covers

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
    """A record as a line: CRC-32 in hexadecimal digits, a blank, JSON."""
    text = json.dumps(record, separators=(",", ":"), allow_nan=True).encode()
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _records(path: str, content: bytes) -> tuple[list[dict[str, Any]], int]:
    """The records of a journal, and the bytes that they take; an unfinished last line is
    dropped."""
    whole = content.rfind(b"\n") + 1
    records = []
    # Every whole line has its checksum and holds an object.
    for number, line in enumerate(content[:whole].split(b"\n")[:-1], 1):
        checksum, _, text = line.partition(b" ")
        if checksum != b"%08x" % zlib.crc32(text):
            damaged = f"is damaged: its checksum is wrong; {_ADVICE}"
            raise DataFileError(_OTHER_FILE if number == 1 else damaged, path, number)
        try:
            record = json.loads(text)
        except (ValueError, RecursionError):
            raise DataFileError(f"is no JSON; {_ADVICE}", path, number) from None
        if not isinstance(record, dict):
            raise DataFileError(f"is no record; {_ADVICE}", path, number)
        records.append(record)
    # A file without a whole line may be one whose first line was not finished.
    if not records and not _START.startswith(content):
        raise DataFileError(_OTHER_FILE, path, 1)
    if records and (records[0].get("what") != MAGIC or records[0].get("format") != FORMAT):
        raise DataFileError(f"is not the head of a journal of format {FORMAT}; {_ADVICE}", path, 1)
    return records, whole


_ADVICE = "give another file, or remove it and start again"
_OTHER_FILE = "is no line of a journal; give another file"
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
"""The first line of a journal that this process writes."""


def _packed(values: np.ndarray) -> dict[str, Any]:
    """An array as JSON: type, shape, and its little-endian bytes, compressed."""
    values = np.ascontiguousarray(values)
    values = values.astype(values.dtype.newbyteorder("<"), copy=False)
    data = base64.b64encode(zlib.compress(values.tobytes(), 1)).decode()
    return {"dtype": values.dtype.str, "shape": list(values.shape), "data": data}


def _unpacked(packed: dict[str, Any], shape: tuple[int, ...]) -> np.ndarray:
    """The array that `_packed` wrote; no more is decompressed than the shape needs.

    Raises:
        ValueError: another type, shape or length.
    """
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
    """An outcome as JSON."""
    errors = {
        str(place): [next(k for k, kind in _KINDS.items() if isinstance(error, kind)), str(error)]
        for place, error in sorted(outcome.errors.items())
    }
    record: dict[str, Any] = {"places": list(outcome.places), "errors": errors}
    runs = outcome.runs
    if runs is not None:
        arrays = {**runs.rows, **runs.folds}
        record["arrays"] = {name: _packed(values) for name, values in arrays.items()}
    return record


def _outcome_of(record: dict[str, Any], unit: Unit, rows: int, n_classes: int) -> Outcome:
    """The outcome that `_record_of` wrote.

    Raises:
        ValueError, TypeError, KeyError: the record is not one of this unit.
    """
    # The methods that apply, and the errors of the others.
    places = tuple(int(place) for place in record["places"])
    errors = {
        int(place): _KINDS[kind](str(message))
        for place, (kind, message) in record["errors"].items()
    }
    if sorted([*places, *errors]) != sorted(unit.places):
        raise ValueError("the record has other methods than its unit")
    if not places:
        return Outcome((), None, errors)
    # Their output.
    arrays, n_methods = record["arrays"], len(places)
    shapes: dict[str, tuple[int, ...]] = {"predictions": (n_methods, rows)}
    if "proba" in arrays:
        shapes["proba"] = (n_methods, rows, n_classes)
    of_folds = dict.fromkeys(arrays.keys() - shapes.keys(), (n_methods, unit.stop - unit.start))
    parts = (
        {name: _unpacked(arrays[name], shape) for name, shape in part.items()}
        for part in (shapes, of_folds)
    )
    return Outcome(places, Runs(*parts), errors)


# -- the file -------------------------------------------------------------------------------------


class JournalTask:
    """One data set in a journal.

    Attributes:
        settings: all that the output depends on, as texts.
        name, methods, n_folds: the data set's name, the methods' names, the number of folds.
        units: the planned units.
        done: (line, record) of each finished unit, by its number.
        line: line of the task, for messages.
    """

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
        """Append the units of a record."""
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

    def extend(self, path: str, line: int, record: dict[str, Any]) -> None:
        """Append the methods of a record, with their settings and units."""
        try:
            self.methods += [str(name) for name in record["methods"]]
            self.settings = {**self.settings, **record["settings"]}
        except (KeyError, TypeError):
            raise DataFileError(f"is no record of methods; {_ADVICE}", path, line) from None
        self.plan(path, line, record)

    def finished(self) -> dict[str, int]:
        """Number of finished folds, by method."""
        folds = dict.fromkeys(range(len(self.methods)), 0)
        for number in self.done:
            unit = self.units[number]
            for place in unit.places:
                folds[place] += unit.stop - unit.start
        return {self.methods[place]: n for place, n in folds.items()}


def _tasks_of(path: str, records: list[dict[str, Any]]) -> list[JournalTask]:
    """The tasks of a journal, from the records after the first."""
    tasks: list[JournalTask] = []
    for line, record in enumerate(records[1:], 2):
        kind = record.get("what")
        if kind == "task":
            tasks.append(JournalTask(path, line, record))
            continue
        at, number = _number(record, "task"), _number(record, "unit")
        if kind in ("plan", "methods") and 0 <= at < len(tasks):
            (tasks[at].plan if kind == "plan" else tasks[at].extend)(path, line, record)
            continue
        known = kind == "unit" and 0 <= at < len(tasks) and 0 <= number < len(tasks[at].units)
        if not known:
            raise DataFileError(f"is no record of a known unit; {_ADVICE}", path, line)
        tasks[at].done.setdefault(number, (line, record))
    return tasks


def _number(record: dict[str, Any], name: str) -> int:
    """A number in a record, -1 if it is not there."""
    value = record.get(name)
    return value if isinstance(value, int) else -1


class Journal:
    """A journal, open and locked for one run.

    A continued run must ask for its tasks (`meet`) in the order of the first run.

    Raises:
        DataFileError: a damaged file, or one that another run is writing.
        ValueError: a file of another version of fasttree, or a path that is no regular file.
    """

    def __init__(self, path: Any) -> None:
        self.path = _regular(path)
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
        self._before: int | None = None
        """Size of the file before this call's tasks and methods, until these are `settled`."""

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

    def __exit__(self, kind: type[BaseException] | None, *_: Any) -> None:
        if kind is not None and issubclass(kind, REFUSALS) and self._before is not None:
            self._file.truncate(self._before)  # a refused call leaves the file as it was
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

    def _append_plan(self, record: dict[str, Any]) -> None:
        """Append a task, or methods; a refusal takes them back."""
        if self._before is None:
            self._before = self._file.seek(0, os.SEEK_END)
        self._append(record)

    def settled(self) -> None:
        """Note that the first units of all methods are finished: none of them is refused."""
        self._before = None

    def meet(
        self, settings: dict[str, str], name: Any, methods: list[str], folds: int
    ) -> tuple[int, JournalTask | None]:
        """The number of the next task, and the task if the journal has it.

        Args:
            settings, name, methods, folds: what this run does; the journal's task must agree.

        Raises:
            ValueError: the journal's task has other settings.
        """
        number = self._met
        self._met += 1
        if number >= len(self.tasks):
            return number, None
        task = self.tasks[number]
        gone = [one for one in task.methods if one not in methods]
        if gone:
            found = [f"methods: {', '.join(task.methods)} in the journal; {', '.join(methods)} now"]
        else:  # methods may be added, which have settings of their own
            known = {name: settings[name] for name in task.settings if name in settings}
            found = differences(task.settings, known)
        if found:
            more = f" (and {len(found) - 3} more)" if len(found) > 3 else ""
            raise ValueError(
                f"journal {self.path} was begun with other settings: {'; '.join(found[:3])}{more}; "
                "call with the journal's, or give another file"
            )
        if task.n_folds != folds:
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
        self._append_plan(record)
        self.tasks.append(JournalTask(self.path, 0, record))

    def extend(
        self, number: int, settings: dict[str, str], units: list[Unit], methods: list[str]
    ) -> None:
        """Write the methods that are added to a task, after those that it has."""
        own = self.tasks[number]
        record = {
            "what": "methods",
            "task": number,
            "methods": methods,
            "settings": {name: text for name, text in settings.items() if name not in own.settings},
            "units": _written(units),
        }
        self._append_plan(record)
        own.extend(self.path, 0, record)

    def plan(self, number: int, task: Task, units: list[Unit]) -> None:
        """Write the units of a task that were planned after its first ones."""
        own = self.tasks[number]
        if not covers(task, own.units + units):
            raise DataFileError(
                f"task {number + 1} has another plan; {_ADVICE}", self.path, own.line
            )
        record = {"what": "plan", "task": number, "units": _written(units)}
        self._append(record)
        own.plan(self.path, 0, record)

    def outcomes(self, number: int, task: Task) -> dict[int, Outcome]:
        """The outcomes of the finished units of a task, by the numbers of the units, checked."""
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
        """Write the outcome of a unit."""
        if self.tasks[task].units[unit].start > 0:  # first folds come before it
            self.settled()
        self._append({"what": "unit", "task": task, "unit": unit, **_record_of(outcome)})


def _written(units: list[Unit]) -> list[Any]:
    """Units as JSON."""
    return [[list(unit.places), unit.start, unit.stop] for unit in units]


def _regular(path: Any) -> str:
    """The path of a journal; a device, a pipe or a socket is refused, as it stores nothing."""
    path = os.fspath(path_of("journal", path))
    try:
        mode = os.stat(path).st_mode
    except OSError:  # a new file, or one whose error `open` will raise
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
    """The content of a journal, which another run may be writing.

    Returns:
        path, versions, running (another process is writing it), bytes_dropped (of an unfinished
        last line), units, units_done, and tasks: name, methods, folds, units, units_done, finished
        (folds by method), skipped (methods that do not apply, with the reason), settings.

    Raises:
        DataFileError: a damaged file.
    """
    path = _regular(path)
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
    """Methods that do not apply, with the reason."""
    found: dict[str, str] = {}
    for _, record in task.done.values():
        errors = record.get("errors")
        for place, error in errors.items() if isinstance(errors, dict) else ():
            if place.isdecimal() and int(place) < len(task.methods) and len(error) == 2:
                found.setdefault(task.methods[int(place)], str(error[1]))
    return found
