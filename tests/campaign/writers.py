"""Writers that die or find no room: each file is the old one or the new one, a study of some old
and some new files is refused, and the next write completes it.

A case is a writer and a step at which it ends: an operation on its folder (seen by an audit hook:
open, change of mode, renaming, removal), a byte at which files may grow no further, or a moment.
Kills are SIGKILL of a forked process.
"""

from __future__ import annotations

import errno
import functools
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fasttree
from fasttree import datasets, model_selection
from fasttree._checks.saving import save_text

OPERATIONS = {"open", "os.rename", "os.remove", "os.chmod", "os.chown"}
MOST_STEPS = 16
LAST_STEP = {1: 3, 3: 12}
"""Operations by the number of files that are replaced: open, mode and renaming of each; for three
files, also opening, renaming and removal of the list."""
ENDS = (".bed", ".bim", ".fam")


def _study(seed: int) -> datasets.Genotypes:
    return datasets.make_genotypes(40 + seed, 30, random_state=seed)


def _over_the_source(folder: Path, seed: int) -> None:
    """Write a part of the study over the files that it is mapped from."""
    file = folder / "study.bed"
    source = datasets.read_plink(file)
    part = source.take(samples=slice(0, 40 - seed), variants=slice(0, 30 - seed))
    datasets.dump_plink(part, file)


def _model(seed: int) -> Any:
    return fasttree.fit([[0.0 + seed], [1.0 + seed]], ["no", "yes"])


WRITERS: dict[str, tuple[list[str], Callable[[Path, int], Any]]] = {
    "study": (
        [f"study{end}" for end in ENDS],
        lambda folder, seed: datasets.dump_plink(_study(seed), folder / "study"),
    ),
    "model": (["file"], lambda folder, seed: _model(seed).save(folder / "file")),
    "svg": (["file"], lambda folder, seed: save_text(folder / "file", _model(seed).to_svg())),
    "arff": (
        ["file"],
        lambda folder, seed: datasets.dump_arff(datasets.make_xor(seed + 2), folder / "file"),
    ),
    "html": (
        ["file"],
        lambda folder, seed: _result(seed).to_html(folder / "file"),
    ),
    "csv": (["file"], lambda folder, seed: _result(seed).to_csv(folder / "file")),
    "source": ([f"study{end}" for end in ENDS], _over_the_source),
}


@functools.cache
def _result(seed: int) -> Any:
    return model_selection.compare(["weather"], [("gini", "info_gain")[seed]], cv=2)


def _forked(work: Callable[[], Any]) -> int:
    """Run in a child; its exit code, 1 for an OSError, 2 for another exception."""
    child = os.fork()
    if child == 0:
        try:
            work()
            os._exit(0)
        except OSError:
            os._exit(1)
        except BaseException:
            os._exit(2)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def _ending_at(step: int, folder: Path, end: Callable[[], None]) -> None:
    """End this process's work at its operation number `step` on the folder."""
    done = 0

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        nonlocal done
        if event not in OPERATIONS or not str(arguments[0]).startswith(str(folder)):
            return
        if event == "open" and not (arguments[2] or 0) & os.O_CREAT:
            return  # a file that is read
        done += 1
        if done == step:
            end()

    sys.addaudithook(hook)


def _killed() -> None:
    os.kill(os.getpid(), signal.SIGKILL)


def _full() -> None:
    raise OSError(errno.ENOSPC, "No space left on device")


def _grow_to(size: int) -> None:
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, size))


def _loop(write: Callable[[Path, int], Any], folder: Path) -> None:
    """Old and new in turns, until the process is killed."""
    while True:
        for seed in (1, 0):
            write(folder, seed)


@functools.cache
def _contents(name: str) -> tuple[list[bytes], list[bytes]]:
    """The old and the new files of a writer."""
    files, write = WRITERS[name]
    with tempfile.TemporaryDirectory(prefix="campaign") as folder:
        path = Path(folder)
        (WRITERS["study"][1] if name == "source" else write)(path, 0)
        old = [(path / file).read_bytes() for file in files]
        write(path, 1)
        return old, [(path / file).read_bytes() for file in files]


def check(name: str, ending: str, step: int) -> str:
    """Do one case.

    Returns:
        What is there afterwards: ``"old"``, ``"new"`` or ``"mixed"``.
    """
    files, write = WRITERS[name]
    folder = Path(tempfile.mkdtemp(prefix="campaign"))
    try:
        old, new = _contents(name)
        for file, content in zip(files, old, strict=True):
            (folder / file).write_bytes(content)

        def work() -> None:
            if ending == "killed":
                _ending_at(step, folder, _killed)
            elif ending == "refused":
                _ending_at(step, folder, _full)
            elif ending == "full":
                _grow_to(step)
            write(folder, 1)

        if ending == "moment":
            child = os.fork()
            if child == 0:
                _loop(write, folder)
            time.sleep(0.002 + 0.02 * random.Random(step).random())
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
        else:
            code = _forked(work)
            if ending == "killed":
                assert code == (-signal.SIGKILL if step <= LAST_STEP[len(files)] else 0), code
            else:
                assert code in (0, 1), code
        now = [(folder / file).read_bytes() for file in files]
        kinds = [
            "new" if content == n else "old" if content == o else "half"
            for content, o, n in zip(now, old, new, strict=True)
        ]
        assert "half" not in kinds, f"{name}, {ending} at {step}: {kinds}"
        alike = now in (old, new)
        if len(files) == 3:
            _study_is_sound(folder, alike)
        rest = {p.name for p in folder.iterdir()} - set(files)
        if ending in ("refused", "full") and alike:
            assert not any(one.endswith(".tmp") for one in rest), f"left behind: {rest}"
        if name != "source" or alike:
            (WRITERS["study"][1] if name == "source" else write)(folder, 0)
            assert [(folder / file).read_bytes() for file in files] == old, "the next write"
            assert not any(one.name.endswith(".replacing") for one in folder.iterdir())
            if len(files) == 3:
                datasets.read_plink(folder / "study.bed")
        return kinds[0] if alike else "mixed"
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _study_is_sound(folder: Path, alike: bool) -> None:
    """A whole study is read, a mixed one refused with the remedy."""
    try:
        datasets.read_plink(folder / "study.bed")
    except datasets.DataFileError as error:
        assert not alike, f"a whole study is refused: {error}"
        assert "write the study again (dump_plink)" in str(error), error
    else:
        assert alike, "a mixed study is read"


def make() -> Callable[[int], None]:
    """The function of a case's number."""

    def case(number: int) -> None:
        rng = random.Random(f"writer {number}")
        name = rng.choice([*WRITERS, "study", "source"])
        ending = rng.choice(["killed", "killed", "moment", "refused", "full"])
        last = LAST_STEP[len(WRITERS[name][0])]
        step = rng.randrange(4000) if ending == "full" else rng.randrange(1, last + 1)
        check(name, "killed" if name == "source" and ending == "moment" else ending, step)

    return case
