"""Arrays that are mapped from a file: whether the file still holds them.

What
    `check_mapped` compares the size of a mapped file with what an array needs of it. A page behind
    the end of its file cannot be read; the system ends the process (SIGBUS).
When not to use it
    As a promise: a file that is shortened after the check, within a pass over the array, still ends
    the process. ``numpy.fromfile``, or ``memory_map=False`` of a reader, has no such risk.
"""

from __future__ import annotations

import mmap
from typing import Any, TypeVar

A = TypeVar("A")


def check_mapped(array: A) -> A:
    """The array, after a check that a file that it is mapped from was not shortened.

    Raises:
        ValueError: the file was shortened.

    Examples:
        >>> import numpy as np
        >>> check_mapped(np.arange(3)).tolist()
        [0, 1, 2]
    """
    at: Any = array
    start, name = 0, ""
    while at is not None and not isinstance(at, mmap.mmap):
        offset = getattr(at, "offset", None)  # of a numpy.memmap
        if isinstance(offset, int):
            start = offset - offset % mmap.ALLOCATIONGRANULARITY
            name = str(getattr(at, "filename", None) or name)
        at = at.obj if isinstance(at, memoryview) else getattr(at, "base", None)
    if at is not None and at.size() < start + len(at):
        raise ValueError(
            f"{name or 'a mapped file'}: was shortened to {at.size():,} bytes while it was mapped "
            f"into memory as {start + len(at):,}; read it again (a file that changes while it is "
            "in use: memory_map=False, or numpy.array() of the map)"
        )
    return array
