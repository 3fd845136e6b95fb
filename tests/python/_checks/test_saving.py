"""A file that is written holds the old content or the new one: kills, full disks, links, rights."""

from __future__ import annotations

import ast
import json
import os
import random
import stat
import subprocess
import sys
from pathlib import Path

import pytest

import fasttree
from fasttree._checks.saving import (
    half_replaced,
    replace_file,
    replace_files,
    save_bytes,
    save_text,
)
from fasttree.plots.canvas import save_picture
from tests.campaign import writers

KILLS = int(os.environ.get("FASTTREE_KILLS", "25"))
"""How often a writer is killed; set it higher for a longer run."""

WRITER = """
import os, signal, sys, time
from fasttree._checks.saving import save_bytes
contents = [bytes([65 + i]) * (300_000 + 7 * i) for i in range(5)]
for moment in sys.stdin:
    writer = os.fork()
    while not writer:
        for content in contents:
            save_bytes(sys.argv[1], content)
    time.sleep(float(moment))
    os.kill(writer, signal.SIGKILL)
    os.waitpid(writer, 0)
    print("killed", flush=True)
"""


def test_a_killed_writer_leaves_the_old_file_or_the_new_one(tmp_path):
    whole = {bytes([65 + i]) * (300_000 + 7 * i) for i in range(5)}
    file = tmp_path / "model.json"
    save_bytes(file, min(whole))
    moments = random.Random(1)
    seen = set()
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "bufsize": 1}
    with subprocess.Popen([sys.executable, "-c", WRITER, str(file)], **pipes) as writers:
        for _ in range(KILLS):
            writers.stdin.write(f"{moments.random() * 0.03}\n")
            assert writers.stdout.readline() == "killed\n"
            content = file.read_bytes()
            assert content in whole
            seen.add(content)
            for rest in tmp_path.glob(".model.json.*.tmp"):  # what a killed writer leaves beside it
                rest.unlink()
    assert len(seen) > 1


def model():
    return fasttree.fit([[0.0], [1.0]], ["no", "yes"])


def comparison():
    return fasttree.model_selection.compare(["weather"], ["gini"], cv=2)


def _two(path):
    """Both of a pair; the second is one that is there already, elsewhere."""
    with replace_files([path, os.devnull]) as (first, second):
        first.write(b"1")
        second.write(b"2")


WRITERS = {
    "model": lambda path: model().save(path),
    "bayes": lambda path: fasttree.naive_bayes.NaiveBayes().fit([[0.0], [1.0]], [0, 1]).save(path),
    "html": lambda path: comparison().to_html(path),
    "csv": lambda path: comparison().to_csv(path),
    "arff": lambda path: fasttree.datasets.dump_arff(fasttree.datasets.load_xor(), path),
    "text": lambda path: save_text(path, "content\n"),
    "page": lambda path: model().explore().save(path),
    "picture": lambda path: save_picture(path, model().plot),
    "two": lambda path: _two(path),
}


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_a_write_that_fails_leaves_the_target_as_it_was(write, tmp_path, monkeypatch):
    file = tmp_path / "there"
    file.write_bytes(b"old")

    def full(*_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space left"):
        write(file)
    assert file.read_bytes() == b"old"
    assert [p.name for p in tmp_path.iterdir()] == ["there"]


@pytest.mark.parametrize("write", WRITERS.values(), ids=WRITERS)
def test_links_and_permissions_stay(write, tmp_path):
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    file, link = folder / "there", tmp_path / "link"
    file.write_bytes(b"old")
    file.chmod(0o640)
    link.symlink_to(file)
    write(link)
    assert link.is_symlink()
    assert file.read_bytes() != b"old"
    assert stat.S_IMODE(file.stat().st_mode) == 0o640
    assert [p.name for p in folder.iterdir()] == ["there"]


def test_a_new_file_has_the_rights_that_open_gives(tmp_path):
    (tmp_path / "plain").write_bytes(b"")
    save_bytes(tmp_path / "new", b"")
    assert (tmp_path / "plain").stat().st_mode == (tmp_path / "new").stat().st_mode
    (tmp_path / "dangling").symlink_to(tmp_path / "target")
    save_bytes(tmp_path / "dangling", b"x")
    assert (tmp_path / "dangling").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"x"


def test_what_is_no_regular_file_is_written_directly(tmp_path):
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    with subprocess.Popen(["cat", str(pipe)], stdout=subprocess.PIPE) as reader:
        save_bytes(pipe, b"through")
        assert reader.communicate(timeout=20)[0] == b"through"
    assert stat.S_ISFIFO(pipe.stat().st_mode)
    save_bytes("/dev/null", b"gone")
    with pytest.raises(OSError, match="No space left"):
        save_bytes("/dev/full", b"x" * 100_000)
    with pytest.raises(IsADirectoryError):
        save_bytes(tmp_path, b"")


def test_errors_name_the_file_that_was_asked_for(tmp_path):
    with pytest.raises(FileNotFoundError, match="none/model.json"):
        model().save(tmp_path / "none" / "model.json")
    with pytest.raises(RuntimeError, match="halfway"), replace_file(tmp_path / "f") as stream:
        stream.write(b"half")
        raise RuntimeError("halfway")
    assert list(tmp_path.iterdir()) == []


def test_the_command_writes_by_the_same_way(tmp_path, monkeypatch):
    from fasttree.cli import main

    for name in ("m.json", "out.csv", "p.json"):
        (tmp_path / name).write_bytes(b"old")
    monkeypatch.chdir(tmp_path)
    real = os.fsync

    def full(*_):
        raise OSError(28, "No space left on device")

    commands = {
        "m.json": ["fit", "weather", "-m", "m.json"],
        "p.json": ["fit", "weather", "--json", "p.json"],
        "out.csv": ["predict", "tree.json", "weather", "--out", "out.csv"],
    }
    assert main(["fit", "weather", "-m", "tree.json"]) == 0
    for name, command in commands.items():
        monkeypatch.setattr(os, "fsync", full)
        assert main(command) == 2
        assert (tmp_path / name).read_bytes() == b"old"
        monkeypatch.setattr(os, "fsync", real)
        assert main(command) == 0
        assert (tmp_path / name).read_bytes() != b"old"
    assert sorted(p.name for p in tmp_path.iterdir()) == [*sorted([*commands, "tree.json"])]


READING = ("r", "rb", "rt")
WRITING_CALLS = {
    "write_text", "write_bytes", "tofile", "savetxt", "savez", "memmap", "replace", "rename",
    "NamedTemporaryFile", "mkstemp", "ZipFile", "copy", "copyfile", "move", "truncate", "touch",
    "fdopen", "savefig", "to_parquet", "to_feather",
}  # fmt: skip
"""Names of functions that write a file, or might; those of other objects are told apart below."""

ALLOWED = {
    ("_checks/saving.py", "open"): 1,  # what is no regular file
    ("_checks/saving.py", "os.open"): 2,  # the temporary file, and a folder that is flushed
    ("_checks/saving.py", "os.fdopen"): 1,
    ("_checks/saving.py", "os.replace"): 1,
    ("model_selection/journal.py", "open"): 1,  # a log: it is appended to, and locked
    ("model_selection/journal.py", "self._file.truncate"): 2,
    ("cli/streams.py", "open"): 1,  # /dev/null
    ("cli/streams.py", "os.open"): 1,  # /dev/null
    ("cli/options.py", "file.open"): 1,  # the temporary file of standard input
    ("plots/canvas.py", "figure.savefig"): 2,  # into streams
    ("datasets/plink.py", "np.memmap"): 1,  # for reading
}
"""All places that open for writing; everything else goes through `_checks.saving`."""


def written_by(tree):
    """The calls in a module that write files, as the source spells them."""
    for node in ast.walk(tree):
        if not isinstance(node, ast.Call):
            continue
        name = ast.unparse(node.func)
        last = name.rpartition(".")[2]
        owner = name.rpartition(".")[0]
        if last == "open":
            at = 1 if owner in ("", "gzip", "bz2", "lzma", "io", "codecs") else 0
            mode = next((k.value for k in node.keywords if k.arg == "mode"), None)
            mode = mode or (node.args[at] if len(node.args) > at else None)
            if owner in ("os", "webbrowser", "Image"):
                writes = owner == "os"
            else:
                writes = mode is not None and getattr(mode, "value", None) not in READING
            if writes:
                yield name
        elif last in ("replace", "rename", "copy", "move"):
            if owner in ("os", "shutil") or (last == "rename" and "path" in owner.lower()):
                yield name
        elif last in WRITING_CALLS:
            yield name


def test_every_file_is_written_by_one_function():
    package = Path(fasttree.__file__).parent
    found = {}
    for file in package.rglob("*.py"):
        for name in written_by(ast.parse(file.read_text(encoding="utf-8"))):
            key = (file.relative_to(package).as_posix(), name)
            found[key] = found.get(key, 0) + 1
    assert found == ALLOWED
    core = package.parents[1] / "src"
    for file in core.rglob("*.rs"):
        text = file.read_text(encoding="utf-8")
        for word in ("File::create", "OpenOptions", "fs::write", "fs::rename", "fs::copy"):
            assert word not in text, f"{file}: {word}; return the content and write it in Python"


@pytest.mark.parametrize(
    "source",
    [
        "open(p, 'w')",
        "open(p, mode)",
        "p.open('wb')",
        "gzip.open(p, 'wt')",
        "Path(p).write_text('')",
        "os.replace(a, b)",
        "figure.savefig(p)",
        "open(p, mode='a')",
    ],
)
def test_the_search_sees_a_call_that_writes(source):
    assert list(written_by(ast.parse(source)))


def test_the_rights_are_set_before_the_first_byte(tmp_path):
    secret = tmp_path / "secret"
    secret.write_bytes(b"old")
    secret.chmod(0o600)
    with replace_file(secret) as stream:
        (beside,) = (p for p in tmp_path.iterdir() if p != secret)
        assert stat.S_IMODE(beside.stat().st_mode) == 0o600
        stream.write(b"new")
    assert stat.S_IMODE(secret.stat().st_mode) == 0o600 and secret.read_bytes() == b"new"


@pytest.mark.parametrize("ending", ["killed", "refused"])
def test_a_study_survives_an_end_at_every_step(ending):
    left = [writers.check("study", ending, step) for step in range(1, writers.MOST_STEPS)]
    assert {"old", "mixed", "new"} == set(left)
    assert left[-1] == "new", "more steps than are looked at"


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", writers.WRITERS)
def test_every_writer_survives_an_end_at_every_step_and_a_disk_of_every_size(name):
    for ending in ("killed", "refused"):
        left = [writers.check(name, ending, step) for step in range(1, writers.MOST_STEPS)]
        assert {"old", "new"} <= set(left)
    for size in range(0, 9000, 300):
        writers.check(name, "full", size)


def test_a_list_from_elsewhere_renames_nothing(tmp_path):
    (tmp_path / "a").write_bytes(b"a")
    (tmp_path / "b").write_bytes(b"b")
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / ".x.tmp").write_bytes(b"x")
    both = [tmp_path / "a", tmp_path / "b"]
    for names in (["outside/.x.tmp", ""], ["../.x.tmp", ".y.tmp"], [".x.tmp"], [1, 2], {}, 7):
        (tmp_path / ".a.replacing").write_text(json.dumps(names))
        with pytest.raises(ValueError, match="no list of files to rename; delete it"):
            half_replaced(both)
        with pytest.raises(ValueError, match="delete it"), replace_files(both):
            pass
        assert (outside / ".x.tmp").read_bytes() == b"x"
    assert [p.read_bytes() for p in both] == [b"a", b"b"]
