"""Shared fixtures: where the data folders are (environment variable FASTTREE_DATA, or beside the
project).

Property tests look at the same examples in every run, so that a change is judged by what it
changes; with ``FASTTREE_HYPOTHESIS=explore`` they look at new ones, ten times as many where a test
does not say how many.
"""

from __future__ import annotations

import functools
import gc
import json
import os
import re
import signal
import sys
from pathlib import Path

import pytest
from hypothesis import settings

from fasttree.table.data_checks import unfailing

unfailing.STRICT = True

settings.register_profile("same", derandomize=True)
settings.register_profile("explore", max_examples=1000, print_blob=True)
settings.load_profile(os.environ.get("FASTTREE_HYPOTHESIS", "same"))

# Thousands of tests live until the end: no collection of garbage visits them.
gc.disable()


def pytest_collection_finish():
    gc.enable()
    gc.freeze()


# Dask's workers are forks of one process that has imported what they need.
if sys.platform == "linux":
    os.environ.setdefault("DASK_DISTRIBUTED__WORKER__MULTIPROCESSING_METHOD", "forkserver")

# A shell's background job ignores Ctrl-C, and so do its children. The tests press it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

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


@pytest.fixture(scope="module")
def quick_advice():
    """`advise` without nine tenths of its work, for tests that look elsewhere: five refits tell of
    the stability, and of the trees that find the cost of a leaf by folds, which take most of the
    time, one criterion's are tried."""
    from fasttree.advice import search

    every = search.candidates

    def fewer(*arguments):
        return [
            one
            for one in every(*arguments)
            if one.pruning != "cost_complexity" or one.criterion in ("gini", "squared_error")
        ]

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(search, "candidates", fewer)
        patch.setattr(search, "REFITS", 5)
        yield


@pytest.fixture
def whole_advice(quick_advice, monkeypatch):
    """All candidates, for a test among others of `quick_advice`."""
    from fasttree.advice import candidates, search

    monkeypatch.setattr(search, "candidates", candidates.candidates)


@pytest.fixture(scope="session", autouse=True)
def one_command():
    """The command's parser, which a process builds once, built once for all tests of a process."""
    try:
        from typer import main
    except ImportError:
        yield
        return
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(main, "get_command", functools.cache(main.get_command))
        yield


def options_of(words):
    """The options of the command that some words call; none if they name no command."""
    import typer

    from fasttree.cli.app import app

    found, options = typer.main.get_command(app), set()
    for word in words:
        found = getattr(found, "commands", {}).get(word)
        if found is None:
            break
        options = {name for one in found.params for name in one.opts} | {"--help"}
    return options


@pytest.fixture
def ftree(capsys, monkeypatch):
    """Run a command in this process: exit code, stdout, stderr."""
    pytest.importorskip("typer")
    monkeypatch.delenv("COLUMNS", raising=False)  # lines of any length
    from fasttree.cli import main

    def call(*arguments):
        words = [str(a) for a in arguments]
        code = main(words)
        said = capsys.readouterr()
        if "ftree: " in said.err and (known := options_of(words)):
            of_others = r"(ftree \w+|plink2?|in cv, compare and advise use)( [^;,]*)"
            text = re.sub(of_others, "", said.err)
            named = set(re.findall(r"(?<![\w-])--[a-z][a-z-]+", text)) - set(words)
            assert named <= known, f"no option of this command: {named - known}\n{said.err}"
        return code, said.out, said.err

    return call
