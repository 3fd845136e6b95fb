"""Maturin's build backend, with words on the terminal while it compiles.

The crates of the core are compiled in silence for up to a minute each. pip turns its
spinner on each line that a build prints, and shows these lines with ``pip install --verbose``.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any

import maturin
from maturin import (  # noqa: F401  (hooks that pip calls)
    build_sdist,
    get_requires_for_build_editable,
    get_requires_for_build_sdist,
    get_requires_for_build_wheel,
    prepare_metadata_for_build_editable,
    prepare_metadata_for_build_wheel,
)

NEED = f"about 3 minutes on 2 cores ({os.cpu_count()} here) and 2 GB of memory"


@contextmanager
def announced() -> Iterator[None]:
    """Say on the terminal what is compiled, and in the output of the build for how long by now."""
    # pip keeps the output to itself: only the terminal is seen.
    with suppress(OSError), Path("/dev/tty").open("w", encoding="utf-8") as terminal:
        terminal.write(f"\n  compiling the Rust core of fasttree: {NEED}\n")
    ended, start = threading.Event(), time.monotonic()

    def announce() -> None:
        while not ended.wait(2):
            seconds = time.monotonic() - start
            print(f"compiling fasttree: {seconds:.0f} s, {NEED}", file=sys.stderr, flush=True)

    thread = threading.Thread(target=announce, daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def build_wheel(*args: Any, **options: Any) -> str:
    """PEP 517's hook: compile the core into a wheel."""
    with announced():
        return maturin.build_wheel(*args, **options)


def build_editable(*args: Any, **options: Any) -> str:
    """PEP 660's hook: compile the core beside the sources."""
    with announced():
        return maturin.build_editable(*args, **options)
