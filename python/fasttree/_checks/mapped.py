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
    base: Any = array
    start, name = 0, ""
    while base is not None and not isinstance(base, mmap.mmap):
        offset = getattr(base, "offset", None)  # of a numpy.memmap
        if isinstance(offset, int):
            start = offset - offset % mmap.ALLOCATIONGRANULARITY
            name = str(getattr(base, "filename", None) or name)
        base = base.obj if isinstance(base, memoryview) else getattr(base, "base", None)
    if base is not None and base.size() < start + len(base):
        raise ValueError(
            f"{name or 'a mapped file'}: was shortened to {base.size():,} bytes while it was "
            f"mapped into memory as {start + len(base):,}; read it again (a file that changes "
            "while it is in use: memory_map=False, or numpy.array() of the map)"
        )
    return array
