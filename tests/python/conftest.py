"""Shared fixtures: where the data folders are (environment variable FASTTREE_DATA, or beside the
project).

Property tests look at the same examples in every run, so that a change is judged by what it
changes; with ``FASTTREE_HYPOTHESIS=explore`` they look at new ones, ten times as many where a test
does not say how many.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import tempfile
from pathlib import Path

import pytest
from hypothesis import settings

settings.register_profile("same", derandomize=True)
settings.register_profile("explore", max_examples=1000, print_blob=True)
settings.load_profile(os.environ.get("FASTTREE_HYPOTHESIS", "same"))

ROOT = Path(__file__).resolve().parents[2]


def uci_folder() -> Path | None:
    """The folder of UCI files, None when there is none."""
    given = os.environ.get("FASTTREE_DATA")
    folder = Path(given) if given else ROOT.parent / "shared" / "data" / "uci"
    return folder if (folder / "MANIFEST.json").is_file() else None


def manifest() -> list[dict]:
    """The entries of the UCI folder's manifest; empty when the folder is absent."""
    folder = uci_folder()
    return (
        []
        if folder is None
        else json.loads((folder / "MANIFEST.json").read_text(encoding="utf-8"))["files"]
    )


@pytest.fixture(scope="session")
def uci() -> Path:
    """Folder with the UCI files and their MANIFEST.json; the test is skipped without it."""
    folder = uci_folder()
    if folder is None:
        pytest.skip("no UCI files: set FASTTREE_DATA to the folder that holds MANIFEST.json")
    return folder


@pytest.fixture(scope="session")
def published(uci: Path) -> Path:
    """Folder with the papers' published tables; the test is skipped without it."""
    folder = uci.parent / "published"
    if not folder.is_dir():
        pytest.skip("no published tables beside the UCI files")
    return folder


class CoreTests:
    """``cargo test`` as a process beside pytest; its output goes to files, so that no pipe fills
    up."""

    def __init__(self) -> None:
        environment = {k: v for k, v in os.environ.items() if k != "RUSTFLAGS"}
        self._files = tempfile.TemporaryFile(), tempfile.TemporaryFile()  # noqa: SIM115  closed by `stop`
        self._process = subprocess.Popen(
            ["cargo", "test", "--locked", "--quiet"],
            cwd=ROOT,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=self._files[0],
            stderr=self._files[1],
            start_new_session=True,
        )

    def wait(self, timeout: float) -> tuple[int, str, str]:
        """Exit code, output and errors."""
        code = self._process.wait(timeout)
        texts = []
        for file in self._files:
            file.seek(0)
            texts.append(file.read().decode("utf-8", "replace"))
        return code, texts[0], texts[1]

    def stop(self) -> None:
        """End what still runs, with its children."""
        if self._process.poll() is None:
            os.killpg(self._process.pid, signal.SIGTERM)
            self._process.wait(30)
        for file in self._files:
            file.close()


def pytest_collection_finish(session):
    """Start the core's own tests beside ours, when they are to be run; what is timed comes when
    they are done."""
    wanted = [item for item in session.items if item.name == "test_the_core_passes_its_own_tests"]
    skipped = any(
        mark.args and mark.args[0] for item in wanted for mark in item.iter_markers("skipif")
    )
    if not wanted or skipped or session.config.option.collectonly:
        return
    timed = [item for item in session.items if item.path.name == "test_threads.py"]
    others = [item for item in session.items if item not in wanted and item not in timed]
    session.items[:] = [*others, *wanted, *timed]
    session.config.core_tests = CoreTests()


def pytest_unconfigure(config):
    """Leave no process behind."""
    running = getattr(config, "core_tests", None)
    if running is not None:
        running.stop()
