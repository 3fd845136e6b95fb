"""Writing a file so that it holds the old content or the new one, whatever happens in between.

What
    `replace_file` gives a binary stream on a temporary file in the folder of the target. When the
    block ends without an error, the temporary file is flushed to the disk (fsync) and renamed over
    the target. Renaming is one step for every reader and for a power failure. On an error it is
    removed and the target is as it was. `save_bytes` and `save_text` write content that is at hand.
Decisions
    A symbolic link stays: the file that it points to is replaced. The permissions of a file that is
    replaced stay, its owner where the system allows it; a new file gets those that ``open`` gives.
    A file that may not be written is refused, though renaming over it would work. What is no
    regular file (``/dev/full``, ``/dev/stdout``, a pipe) is written directly. Other hard links of a
    replaced file keep the old content.
Complexity
    One write of the content; the disk holds both for a moment.
When not to use it
    For logs that grow, and for content larger than half of the free disk.
"""

from __future__ import annotations

import contextlib
import os
import secrets
import stat
from collections.abc import Iterator
from typing import IO

__all__ = ["replace_file", "save_bytes", "save_text"]

Path = str | os.PathLike[str]


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
    target = os.path.realpath(os.fspath(path))
    try:
        before = os.stat(target)
    except FileNotFoundError:
        before = None
    if before is not None and not stat.S_ISREG(before.st_mode):
        with open(path, "wb") as direct:  # a folder is refused here
            yield direct
        return
    if before is not None and not os.access(target, os.W_OK):
        raise PermissionError(13, "the file may not be written", os.fspath(path))
    stream, beside = _temporary(target, os.fspath(path))
    try:
        with stream:
            yield stream
            stream.flush()
            if before is not None:
                _adopt(beside, before)
            os.fsync(stream.fileno())
        os.replace(beside, target)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(beside)
        raise
    _sync_folder(os.path.dirname(target))


def _temporary(target: str, said: str) -> tuple[IO[bytes], str]:
    """A new file beside the target, with the permissions that the process gives to new files."""
    folder, name = os.path.split(target)
    while True:
        beside = os.path.join(folder, f".{name[:40]}.{secrets.token_hex(8)}.tmp")
        try:
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0)
            return os.fdopen(os.open(beside, flags, 0o666), "wb"), beside
        except FileExistsError:
            continue
        except OSError as error:
            raise type(error)(error.errno, error.strerror, said) from None


def _adopt(beside: str, before: os.stat_result) -> None:
    """Give the temporary file the owner (where that is allowed) and permissions of the old one."""
    now = os.stat(beside)
    if (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid) and hasattr(os, "chown"):
        with contextlib.suppress(OSError):
            os.chown(beside, before.st_uid, before.st_gid)
    with contextlib.suppress(OSError):
        os.chmod(beside, stat.S_IMODE(before.st_mode))


def _sync_folder(folder: str) -> None:
    """Make the renaming last where the system can; not every file system knows how."""
    with contextlib.suppress(OSError):
        handle = os.open(folder or ".", os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def save_bytes(path: Path, content: bytes) -> None:
    """Replace the file by `content`, at once or not at all."""
    with replace_file(path) as stream:
        stream.write(content)


def save_text(path: Path, content: str) -> None:
    """Replace the file by `content` in UTF-8, at once or not at all; line ends stay as they are."""
    save_bytes(path, content.encode("utf-8"))
