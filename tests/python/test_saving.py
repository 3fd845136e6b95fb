"""A file that is written holds the old content or the new one: kills, full disks, links, rights."""

from __future__ import annotations

import os
import random
import signal
import stat
import subprocess
import sys
import time

import pytest

import fasttree
from fasttree.rendering.saving import replace_file, save_bytes, save_text

KILLS = int(os.environ.get("FASTTREE_KILLS", "25"))
"""How often a writer is killed; set it higher for a longer run."""

WRITER = """
import sys
from fasttree.rendering.saving import save_bytes
contents = [bytes([65 + i]) * (300_000 + 7 * i) for i in range(5)]
print("ready", flush=True)
while True:
    for content in contents:
        save_bytes(sys.argv[1], content)
"""


def test_a_killed_writer_leaves_the_old_file_or_the_new_one(tmp_path):
    whole = {bytes([65 + i]) * (300_000 + 7 * i) for i in range(5)}
    file = tmp_path / "model.json"
    save_bytes(file, min(whole))
    moments = random.Random(1)
    seen = set()
    for _ in range(KILLS):
        with subprocess.Popen(
            [sys.executable, "-c", WRITER, str(file)], stdout=subprocess.PIPE
        ) as writer:
            writer.stdout.readline()
            time.sleep(moments.random() * 0.03)
            writer.send_signal(signal.SIGKILL)
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


WRITERS = {
    "model": lambda path: model().save(path),
    "bayes": lambda path: fasttree.naive_bayes.NaiveBayes().fit([[0.0], [1.0]], [0, 1]).save(path),
    "html": lambda path: comparison().to_html(path),
    "csv": lambda path: comparison().to_csv(path),
    "arff": lambda path: fasttree.datasets.dump_arff(fasttree.datasets.load_xor(), path),
    "text": lambda path: save_text(path, "content\n"),
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
