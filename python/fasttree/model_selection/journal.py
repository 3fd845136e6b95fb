"""A journal of finished units of work, so that a killed run can be continued.

What
    A text file with one JSON record per line, each after its CRC-32. The first line holds the
    versions. A line ``task`` holds the settings and the hash of the data of a data set; a line
    ``methods`` the methods that a later call added, with their settings; a line ``unit`` the output
    of some methods on some folds (compressed, base64). Lines are appended and flushed to the disk
    one at a time. A last line without a line end was not written to its end and is dropped. The
    file is locked while a run writes it. `execution` writes journals, `read_journal` and ``ftree``
    show them.
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
from .fits import REFUSALS, FoldOutputs, ValidationTask
from .identity import differences
from .units import Outcome, Unit

MAGIC = "fasttree journal"
FORMAT = 4
_KINDS = {
    "ValueError": ValueError,
    "TypeError": TypeError,
    "NotImplementedError": NotImplementedError,
}


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


def _packed(outputs: FoldOutputs) -> str:
    """The output of methods on folds as text: the little-endian bytes of its arrays, compressed."""
    arrays = [*outputs.rows.values(), *outputs.folds.values()]
    data = b"".join(array.astype(array.dtype.newbyteorder("<")).tobytes() for array in arrays)
    return base64.b64encode(zlib.compress(data, 1)).decode()


def _unpack(text: str, outputs: FoldOutputs) -> None:
    """Fill the arrays of an output with the arrays that `_packed` wrote; no more is decompressed
    than they need.

    Raises:
        ValueError: another length.
    """
    arrays = [*outputs.rows.values(), *outputs.folds.values()]
    size = sum(array.nbytes for array in arrays)
    data = zlib.decompressobj().decompress(base64.b64decode(text, validate=True), size + 1)
    if len(data) != size:
        raise ValueError("the arrays have another length")
    for array in arrays:
        values = np.frombuffer(data, array.dtype.newbyteorder("<"), array.size)
        array[...] = values.reshape(array.shape)
        data = data[array.nbytes :]


def _record_of(task: ValidationTask, outcome: Outcome) -> dict[str, Any]:
    """An outcome as JSON, methods by their names."""
    names = [method.name for method in task.methods]
    errors = {
        names[place]: [next(k for k, kind in _KINDS.items() if isinstance(error, kind)), str(error)]
        for place, error in sorted(outcome.errors.items())
    }
    unit = outcome.unit
    return {
        "methods": [names[place] for place in unit.places],
        "start": unit.start,
        "stop": unit.stop,
        "errors": errors,
        "output": None if outcome.outputs is None else _packed(outcome.outputs),
    }


def _outcome_of(record: dict[str, Any], task: ValidationTask) -> Outcome:
    """The outcome that `_record_of` wrote, of the methods as the task numbers them.

    Raises:
        ValueError, TypeError, KeyError: the record is not one of such a unit.
    """
    place_of = {method.name: place for place, method in enumerate(task.methods)}
    places = tuple(place_of[name] for name in record["methods"])
    errors = {
        place_of[name]: _KINDS[kind](str(message))
        for name, (kind, message) in record["errors"].items()
    }
    outcome = Outcome(Unit(places, record["start"], record["stop"]), None, errors)
    if not errors.keys() <= {*places}:
        raise ValueError("the record has other methods than its unit")
    if outcome.places:
        folds = task.folds.part(outcome.unit.start, outcome.unit.stop)
        outcome.outputs = FoldOutputs.empty(task, len(outcome.places), folds)
        _unpack(record["output"], outcome.outputs)
    return outcome


# -- the file -------------------------------------------------------------------------------------


class JournalTask:
    """One data set in a journal.

    Attributes:
        number: its place among the tasks of the journal.
        settings: all that the output depends on, as texts.
        name, methods, n_folds: the data set's name, the methods' names, the number of folds.
        done: (line, record) of each finished unit.
        line: line of the task, for messages.
    """

    def __init__(self, number: int, line: int, record: dict[str, Any]) -> None:
        self.number, self.line, self.name = number, line, record.get("name")
        self.n_folds = int(record["folds"])
        self.settings: dict[str, str] = {}
        self.methods: list[str] = []
        self.done: list[tuple[int, dict[str, Any]]] = []
        self.extend(record)

    def extend(self, record: dict[str, Any]) -> None:
        """Append the methods of a record, with their settings. A later run of the same data may
        compare more methods."""
        self.settings |= {str(k): str(v) for k, v in record["settings"].items()}
        self.methods += map(str, record["methods"])

    def add(self, line: int, record: dict[str, Any]) -> None:
        """Append a finished unit, whose record stands on this line of the file. Raises ValueError
        for unknown methods or folds out of range."""
        methods, folds = record["methods"], range(record["start"], record["stop"])
        is_known = methods and {*methods} <= {*self.methods}
        if not (is_known and 0 <= folds.start < folds.stop <= self.n_folds):
            raise ValueError("a unit of no method or fold")
        self.done.append((line, record))

    def finished(self) -> dict[str, int]:
        """Number of finished folds, by method. A method that does not apply counts as finished on
        all folds."""
        folds = dict.fromkeys(self.methods, 0)
        for _, record in self.done:
            for name in record["methods"]:
                folds[name] += record["stop"] - record["start"]
        folds |= dict.fromkeys(self.skipped(), self.n_folds)
        return {name: min(n, self.n_folds) for name, n in folds.items()}

    def skipped(self) -> dict[str, str]:
        """Methods that do not apply to the data, by name, with the message of their error. If a
        method has several errors, the first one counts."""
        errors = [(record.get("errors"), {*record["methods"]}) for _, record in self.done]
        return {
            name: str(error[1])
            for of, known in reversed(errors)
            for name, error in (of.items() if isinstance(of, dict) else ())
            if name in known and isinstance(error, list) and len(error) == 2
        }


_FAULTS = (LookupError, TypeError, ValueError, AttributeError, OverflowError, zlib.error)
"""Errors of a record without the entries that its kind needs."""


def _tasks_of(path: str, records: list[dict[str, Any]]) -> list[JournalTask]:
    """The tasks of a journal, from the records after the first."""
    tasks: list[JournalTask] = []
    for line, record in enumerate(records[1:], 2):
        kind = record.get("what")
        try:
            if kind == "task":
                tasks.append(JournalTask(len(tasks), line, record))
            elif kind in ("methods", "unit") and 0 <= record["task"] < len(tasks):
                task = tasks[record["task"]]
                task.extend(record) if kind == "methods" else task.add(line, record)
            else:
                raise ValueError("no record of a journal")
        except _FAULTS:
            what = "task" if kind == "task" else "known unit"
            raise DataFileError(f"is no {what}; {_ADVICE}", path, line) from None
    return tasks


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
        self._n_met = 0
        """Tasks that this run has asked for, in one call or several."""
        self._before: int | None = None
        """Size of the file before this call's tasks and methods, until these are `settled`."""

    def _check_version(self, head: dict[str, Any]) -> None:
        versions = head.get("versions")
        old = versions.get("fasttree") if isinstance(versions, dict) else None
        version = _HEAD["versions"]["fasttree"]  # type: ignore[index]
        if old != version:
            raise ValueError(
                f"journal {self.path} was written by fasttree {old}, this is {version}; {_ADVICE}"
            )

    def __enter__(self) -> Journal:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: Any) -> None:
        if kind is not None and issubclass(kind, REFUSALS) and self._before is not None:
            self._file.truncate(self._before)  # a refused call leaves the file as it was
        self.close()

    def close(self) -> None:
        """Close the file and give up its lock, so that another run may continue it. A context
        manager calls this."""
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

    def settled(self) -> None:
        """Note that every method has finished its first unit without a refusal. From then on a
        refusal does not remove records from the file."""
        self._before = None

    def meet(self, task: ValidationTask, name: Any, settings: dict[str, str]) -> JournalTask | None:
        """The next task of the journal, which must agree with the task of this run; None if the
        journal has no more tasks.

        Raises:
            ValueError: the journal's task has other settings.
        """
        number = self._n_met
        self._n_met += 1
        if number >= len(self.tasks):
            return None
        earlier, methods = self.tasks[number], [method.name for method in task.methods]
        if not {*earlier.methods} <= {*methods}:
            problems = [
                f"methods: {', '.join(earlier.methods)} in the journal; {', '.join(methods)} now"
            ]
        else:  # methods may be added, which have settings of their own
            known = {name: settings[name] for name in earlier.settings if name in settings}
            problems = differences(earlier.settings, known)
        if problems:
            more = f" (and {len(problems) - 3} more)" if len(problems) > 3 else ""
            raise ValueError(
                f"journal {self.path} was begun with other settings: "
                f"{'; '.join(problems[:3])}{more}; call with the journal's, or give another file"
            )
        if earlier.n_folds != len(task.folds.pairs):
            raise DataFileError(
                f"task {number + 1} has another plan; {_ADVICE}", self.path, earlier.line
            )
        return earlier

    def enter(
        self, entry: JournalTask | None, task: ValidationTask, name: Any, settings: dict[str, str]
    ) -> JournalTask:
        """Return the task in the journal. A new task, or new methods of a known one, are written to
        the file first."""
        methods = [method.name for method in task.methods]
        if entry is None:
            record = {
                "what": "task",
                "name": None if name is None else str(name),
                "methods": methods,
                "folds": len(task.folds.pairs),
                "settings": settings,
            }
            entry = JournalTask(len(self.tasks), 0, record)
            self.tasks.append(entry)
        else:
            added = [other for other in methods if other not in entry.methods]
            if not added:
                return entry
            record = {
                "what": "methods",
                "task": entry.number,
                "methods": added,
                "settings": {k: v for k, v in settings.items() if k not in entry.settings},
            }
            entry.extend(record)
        if self._before is None:  # a refusal takes back the records that are appended from here on
            self._before = self._file.seek(0, os.SEEK_END)
        self._append(record)
        return entry

    def outcomes(self, entry: JournalTask, task: ValidationTask) -> list[Outcome]:
        """The outcomes of the finished units of a task, checked against its folds and methods.
        Raises DataFileError with the line for a record that does not fit."""
        outcomes = []
        for line, record in entry.done:
            try:
                outcomes.append(_outcome_of(record, task))
            except _FAULTS as error:
                why = f" ({error})" if isinstance(error, ValueError) else ""
                raise DataFileError(
                    f"is no record of its unit{why}; {_ADVICE}", self.path, line
                ) from None
        return outcomes

    def add(self, entry: JournalTask, task: ValidationTask, outcome: Outcome) -> None:
        """Write the outcome of a unit as one line. A killed process loses at most the line that it
        was writing."""
        if outcome.unit.start > 0:  # first folds come before it
            self.settled()
        self._append({"what": "unit", "task": entry.number, **_record_of(task, outcome)})


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
        last line), units, units_done (fits of a method on a fold, and how many are finished), and
        tasks: name, methods, folds, units, units_done, finished (folds by method), skipped (methods
        that do not apply, with the reason), settings.

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
            "units": len(task.methods) * task.n_folds,
            "units_done": sum(task.finished().values()),
            "finished": task.finished(),
            "skipped": task.skipped(),
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
