"""Atomic writing of files: each holds its old content or its new one, even after a crash.

What
    `replace_file` gives a binary stream on a temporary file in the folder of the target. When the
    block ends without an error, the temporary file is flushed to the disk (fsync) and renamed over
    the target. Renaming is one step for every reader and for a power failure. On an error the
    temporary file is removed and the target is as it was. `save_bytes` and `save_text` write
    content that is at hand. `replace_files` writes several files that belong together.
Several files
    No file system renames several files at once. When all temporary files are on the disk, a list
    of them is written beside the first target (``.NAME.replacing``), the files are renamed, and the
    list is removed. A process that dies before the list is there leaves the old files, afterwards
    the list says what is left to rename: `half_replaced` tells a reader so, and the next
    `replace_files` of the same targets does it first. Two processes that write the same files at
    the same time are not kept apart.
Decisions
    A symbolic link is kept: the file that it points to is replaced. A replaced file keeps its
    permissions, and its owner if the system allows it, both set before the first byte; a new file
    has the permissions of ``open``. If the group cannot be kept, its members get only the
    permissions that all users have. A file that may not be written is refused, though renaming over
    it would work. A path that is not a regular file (``/dev/full``, ``/dev/stdout``, a pipe) is
    written directly. Other hard links, and memory maps, of a replaced file keep the old content.
Complexity
    One write of the content; the disk holds both for a moment.
When not to use it
    For logs that grow, and for content larger than half of the free disk.
"""

from __future__ import annotations

import contextlib
import json
import os
import secrets
import stat
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import IO

Path = str | os.PathLike[str]


@dataclass
class _Replacement:
    """A file that is being written.

    Attributes:
        target: the file to replace.
        stream: where the content is written.
        temporary: name of the temporary file; None: the target is written directly.
    """

    target: str
    stream: IO[bytes]
    temporary: str | None

    def flush(self) -> None:
        """Write everything to the disk and close the stream."""
        self.stream.flush()
        if self.temporary is not None:
            os.fsync(self.stream.fileno())
        self.stream.close()

    def drop(self) -> None:
        """Remove the temporary file; the target is unchanged."""
        with contextlib.suppress(OSError):
            self.stream.close()
        if self.temporary is not None:
            with contextlib.suppress(OSError):
                os.unlink(self.temporary)


def _begin(path: Path) -> _Replacement:
    """Open the temporary file of a target, with the owner and permissions of the target."""
    target = os.path.realpath(os.fspath(path))
    try:
        before = os.stat(target)
    except FileNotFoundError:
        before = None
    if before is not None and not stat.S_ISREG(before.st_mode):
        return _Replacement(target, open(path, "wb"), None)
    if before is not None and not os.access(target, os.W_OK):
        raise PermissionError(13, "the file may not be written", os.fspath(path))
    stream, temporary = _temporary(target, os.fspath(path), 0o666 if before is None else 0o600)
    begun = _Replacement(target, stream, temporary)
    try:
        if before is not None:
            _adopt(temporary, before)
    except BaseException:
        begun.drop()
        raise
    return begun


@contextlib.contextmanager
def replace_file(path: Path) -> Iterator[IO[bytes]]:
    """A binary stream whose content replaces the file at `path` when the block ends without error.

    Args:
        path: the file to write; its folder must exist.

    Raises:
        OSError: the folder does not exist, the target may not be written, or the disk is full; a
            regular target is then unchanged.

    Examples:
        >>> import pathlib, tempfile
        >>> file = pathlib.Path(tempfile.mkdtemp()) / "a.txt"
        >>> with replace_file(file) as stream:
        ...     _ = stream.write(b"new")
        >>> file.read_bytes(), [p.name for p in file.parent.iterdir()]
        (b'new', ['a.txt'])
    """
    with replace_files([path]) as (stream,):
        yield stream


@contextlib.contextmanager
def replace_files(paths: Sequence[Path]) -> Iterator[list[IO[bytes]]]:
    """Binary streams whose contents replace the files at `paths`, all of them or none, when the
    block ends without error.

    Args:
        paths: the files to write, one or more; the folder of each must exist.

    Raises:
        OSError: a folder does not exist, a target may not be written, or the disk is full; regular
            targets are then unchanged. Only a renaming that fails after others were done leaves
            files of two kinds; `half_replaced` names them and the next call completes them.

    Examples:
        >>> import pathlib, tempfile
        >>> folder = pathlib.Path(tempfile.mkdtemp())
        >>> with replace_files([folder / "a", folder / "b"]) as (first, second):
        ...     _ = first.write(b"1"), second.write(b"2")
        >>> sorted((p.name, p.read_bytes()) for p in folder.iterdir())
        [('a', b'1'), ('b', b'2')]
    """
    begun: list[_Replacement] = []
    marker = _marker(paths) if len(paths) > 1 else None
    try:
        if marker is not None:
            _complete(paths)
        for path in paths:
            begun.append(_begin(path))
        yield [file.stream for file in begun]
        for file in begun:
            file.flush()
        waiting = [(file.temporary, file.target) for file in begun if file.temporary is not None]
        if marker is not None:
            names = [os.path.basename(file.temporary or "") for file in begun]
            save_bytes(marker, json.dumps(names).encode())
        _rename(waiting)
    except BaseException:
        if marker is None or half_replaced(paths) is None:
            for file in begun:
                file.drop()
            if marker is not None:
                with contextlib.suppress(OSError):
                    os.unlink(marker)
        raise
    if marker is not None:
        with contextlib.suppress(OSError):  # it says that nothing is left to rename
            os.unlink(marker)


def _rename(waiting: Sequence[tuple[str, str]]) -> None:
    """Rename temporary files to their targets: pairs (temporary, target)."""
    for temporary, target in waiting:
        os.replace(temporary, target)
    for folder in {os.path.dirname(target) for _, target in waiting}:
        _sync_folder(folder)


def _marker(paths: Sequence[Path]) -> str:
    """Path of the file that lists the files to be renamed together, beside the first target."""
    folder, name = os.path.split(os.path.realpath(os.fspath(paths[0])))
    return os.path.join(folder, f".{name[:40]}.replacing")


def _listed(paths: Sequence[Path]) -> list[tuple[str, str]]:
    """(temporary file, target) pairs in the marker; none without a marker.

    Raises:
        ValueError: the marker is not what this module writes.
    """
    marker = _marker(paths)
    try:
        with open(marker, "rb") as file:
            content = file.read(1 << 20)
    except FileNotFoundError:
        return []
    try:
        names = json.loads(content)
        pairs = list(zip(names, (os.path.realpath(os.fspath(p)) for p in paths), strict=True))
        is_valid = all(not n or _is_temporary(n) for n in names)
    except (ValueError, TypeError):
        is_valid = False
    if not is_valid:  # a list from elsewhere must not rename the files of its choice
        raise ValueError(
            f"{marker}: is no list of files to rename; delete it and write the files again"
        )
    return [(os.path.join(os.path.dirname(target), n), target) for n, target in pairs if n]


def _is_temporary(name: str) -> bool:
    """Whether a file may be named so by `_temporary`: a name without folders, ".*.tmp"."""
    return os.path.basename(name) == name and name.startswith(".") and name.endswith(".tmp")


def _complete(paths: Sequence[Path]) -> None:
    """Finish the renaming of a process that died."""
    listed = _listed(paths)
    if listed:
        _rename([pair for pair in listed if os.path.exists(pair[0])])
        with contextlib.suppress(OSError):
            os.unlink(_marker(paths))


def half_replaced(paths: Sequence[Path]) -> str | None:
    """Path of the list of files that are left to rename; None if all are old or all are new.

    There is such a list when a `replace_files` of these paths was broken off between two renames.

    Examples:
        >>> half_replaced(["study.bed", "study.bim"]) is None
        True
    """
    left = [os.path.exists(temporary) for temporary, _ in _listed(paths)]
    return _marker(paths) if any(left) and not all(left) else None


def _temporary(target: str, shown_path: str, mode: int) -> tuple[IO[bytes], str]:
    """Stream and path of a new file beside the target, created with `mode` and the umask."""
    folder, name = os.path.split(target)
    while True:
        beside = os.path.join(folder, f".{name[:40]}.{secrets.token_hex(8)}.tmp")
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            return os.fdopen(os.open(beside, flags, mode), "wb"), beside
        except FileExistsError:
            continue
        except OSError as error:
            raise type(error)(error.errno, error.strerror, shown_path) from None


def _adopt(temporary: str, before: os.stat_result) -> None:
    """Give the temporary file the owner (if that is allowed) and permissions of the old one."""
    now = os.stat(temporary)
    mode = stat.S_IMODE(before.st_mode)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid) and hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            os.chown(temporary, before.st_uid, before.st_gid)
        if os.stat(temporary).st_gid != before.st_gid:
            with contextlib.suppress(OSError):
                os.chown(temporary, -1, before.st_gid)
        if os.stat(temporary).st_gid != before.st_gid:
            # Another group owns the file now: it may do no more than all others may.
            mode &= ~0o070 | (mode & 0o007) << 3
    with contextlib.suppress(OSError):
        os.chmod(temporary, mode)


def _sync_folder(folder: str) -> None:
    """Flush a renaming to the disk, on systems that can sync a folder."""
    with contextlib.suppress(OSError):
        handle = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def save_bytes(path: Path, content: bytes) -> None:
    """Replace the file by `content`, at once or not at all: after an error or a crash it holds its
    old content. The file is created if it does not exist; its folder must. See `replace_file`."""
    with replace_file(path) as stream:
        stream.write(content)


def save_text(path: Path, content: str) -> None:
    """Replace the file by `content` in UTF-8, at once or not at all. Line ends are written as they
    are, on Windows as well, so that equal results are equal files."""
    save_bytes(path, content.encode("utf-8"))
