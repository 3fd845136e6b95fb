"""Commands on files whose names, levels and cells are made of brackets, quotes, separators and
control characters: each works, or refuses in lines of its own, and what it offers to type works."""

from __future__ import annotations

import contextlib
import io
import random
import re
import subprocess
import tempfile
from pathlib import Path
from typing import Any

MARKS = "[]{}()'\",;\\=:#$`!*?%\n\t\x1b a1é"
COMMANDS = (
    ("fit", "--no-cv"),
    ("fit", "--no-cv", "--columns", "as_given"),
    ("rank", "-c", "gini"),
    ("cv", "-c", "gini", "--cv", "1x2"),
    ("datasets", "describe"),
)


def word(rng: random.Random) -> str:
    """A text of such characters, with a letter, so that it is not empty."""
    return "".join(rng.choices(MARKS, k=rng.randrange(6))) + rng.choice("abcxyz")


def written(rng: random.Random, folder: Path) -> tuple[Path, str]:
    """A file of six columns, and the name of its target."""
    names = list(dict.fromkeys(word(rng) for _ in range(6)))
    levels = [word(rng) for _ in range(4)]
    odd = rng.choice([word(rng), "12345678901234567", "999"])
    makers = (
        lambda i: f"{i * 1.5}",
        lambda i: rng.choice(levels),
        lambda i: f"{word(rng)}{i}",
        lambda i: odd if i == 7 else f"{i % 23}",
        lambda i: f"2024-01-{1 + i % 28:02}",
    )
    columns = [[rng.choice(levels[:2]) + str(i % 2) for i in range(60)]]
    for _ in names[1:]:
        make = rng.choice(makers)
        columns.append([make(i) for i in range(60)])
    rows = [list(row) for row in zip(*columns[1:], columns[0], strict=True)]
    names = [*names[1:], names[0]]
    if rng.random() < 0.3:
        path = folder / "file.arff"
        quoted = [text.replace("\\", "\\\\").replace("'", "\\'") for text in names]
        kind = rng.choice(["string", "date", "{a,'b c'}", "relational"])
        path.write_text(
            "@relation r\n"
            + "".join(f"@attribute '{one}' {kind}\n" for one in quoted)
            + "@data\n"
            + ",".join("?" for _ in names),
            encoding="utf-8",
        )
        return path, names[-1]
    path = folder / "file.csv"
    path.write_text(
        "\n".join(
            ",".join('"' + cell.replace('"', '""') + '"' for cell in row) for row in [names, *rows]
        ),
        encoding="utf-8",
    )
    return path, names[-1]


def make() -> Any:
    """The function of a case's number."""
    from fasttree.cli import main

    folder = Path(tempfile.mkdtemp(prefix="campaign"))

    def run(words: list[str]) -> tuple[int, str, str]:
        out, err = io.StringIO(), io.StringIO()
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            code = main(words)
        return code, out.getvalue(), err.getvalue()

    def case(number: int) -> None:
        rng = random.Random(f"command {number}")
        path, target = written(rng, folder)
        command = list(rng.choice(COMMANDS))
        words = [*command, str(path), "--target", target.strip()]
        code, out, err = run(words)
        assert code in (0, 2), (code, err)
        assert all(line.startswith("ftree: ") for line in err.splitlines()), err
        assert "\x1b" not in err
        # The first option that is offered is typed as it stands, in the shell that it is meant for.
        offered = re.search(
            r"--(?:drop|keep|nominal) (?=\S)(?:\$?'(?:\\.|'\\?\"'\"'|[^'])*'|\S)+", err
        )
        if offered is not None and command[0] == "fit" and "--columns" not in command:
            typed = subprocess.run(
                ["bash", "-c", f"printf '%s\\0' {offered[0].rstrip(';,')}"], capture_output=True
            )
            again = typed.stdout.decode().split("\0")[:-1]
            assert len(again) == 2, offered[0]
            _, _, said = run([*words, *again])
            assert "no column is named" not in said and "is not a column" not in said, said

    return case
