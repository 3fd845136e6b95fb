"""Structure-aware damage: JSON documents of models with checksums made right, and data files whose
pieces (cells, lines, headers, quotes, compressed streams) move, double or vanish.
"""

from __future__ import annotations

import copy
import gzip
import json
import random
from typing import Any

NUMBERS = [0, 1, 2, 3, -1, -2, 0.5, -0.5, 1e-320, 1e308, -1e308, 2**31, 2**32 - 1, 2**32, 2**53 + 1]
NUMBERS += [2**63, 2**64, 10**40, 65535, 65536, 1e60, 1e-9, 4.0]
OTHERS: list[Any] = [
    None,
    True,
    False,
    "",
    "a",
    "\n",
    "nan",
    "\ud800",
    [],
    {},
    [[]],
    [0],
    [1, 2],
    {"a": 1},
]
CELLS = [
    "",
    "?",
    "NA",
    "nan",
    "inf",
    "-inf",
    "1e999",
    "0x10",
    "1_000",
    "9007199254740993",
    "1,5",
    "'",
    '"',
]
CELLS += [
    "'a",
    '"a',
    "a'b",
    "\\'",
    "{",
    "}",
    "{0 1}",
    "%",
    "@data",
    "\x00",
    "\ufeff",
    "é",
    "\u202e",
    "=1",
    "-0.0",
]
CELLS += ["a" * 3000, " ", "\t", "2020-01-01", "TRUE"]


def places(node: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """All places of a document, long lists by a few of theirs."""
    out = [path] if path else []
    if isinstance(node, dict):
        for key, value in node.items():
            out += places(value, (*path, key))
    elif isinstance(node, list):
        for at in {*range(min(len(node), 6)), len(node) - 1} - {-1}:
            out += places(node[at], (*path, at))
    return out


def mutated(document: Any, rng: random.Random) -> Any:
    """A document with one to three places changed."""
    document = copy.deepcopy(document)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        found = places(document)
        if not found:
            return document
        path = rng.choice(found)
        parent = document
        for step in path[:-1]:
            parent = parent[step]
        key, old = path[-1], parent[path[-1]]
        what = rng.randrange(9)
        if what == 0:
            del parent[key]
        elif what == 1 and isinstance(parent, list):
            parent.insert(key, copy.deepcopy(rng.choice(parent)))
        elif what == 2 and isinstance(parent, list):
            rng.shuffle(parent)
        elif what == 3 and isinstance(old, list):
            parent[key] = old[: rng.randrange(len(old) + 1)] if rng.random() < 0.5 else old * 2
        elif what == 4 and isinstance(old, (int, float)) and not isinstance(old, bool):
            parent[key] = rng.choice([old + 1, old - 1, -old, old * 2, float(old)])
        elif what == 5 and isinstance(old, str):
            parent[key] = rng.choice([old + old, old[:-1], old.upper(), old + "\n"])
        elif what == 6:
            parent[key] = rng.choice(OTHERS)
        else:
            parent[key] = rng.choice(NUMBERS)
    return document


def text_of(document: Any, rng: random.Random) -> str:
    """The document as JSON, now and then with a byte of it changed."""
    text = json.dumps(document, ensure_ascii=rng.random() < 0.5, separators=(",", ":"))
    if rng.random() < 0.1:
        at = rng.randrange(len(text))
        text = (
            text[:at]
            + rng.choice(['"', "[", "]", "{", "}", ",", ":", "-", "e", ""])
            + text[at + 1 :]
        )
    return text


def damaged_file(text: str, rng: random.Random) -> bytes:
    """A data file with cells, lines and bytes changed, in some encoding, perhaps packed."""
    lines = text.split("\n")
    for _ in range(rng.randrange(4)):
        at = rng.randrange(len(lines))
        what = rng.randrange(8)
        if what == 0:
            del lines[at]
            lines = lines or [""]
        elif what == 1:
            lines.insert(at, lines[rng.randrange(len(lines))])
        elif what == 2:
            lines[at] = rng.choice(CELLS)
        elif what == 3:
            rng.shuffle(lines)
        elif what == 4:
            separator = rng.choice([",", ";", "\t", " "])
            lines[at] = separator.join([*lines[at].split(","), rng.choice(CELLS)])
        else:
            cells = lines[at].split(",")
            cells[rng.randrange(len(cells))] = rng.choice(CELLS)
            lines[at] = ",".join(cells)
    data = rng.choice(["\n", "\n", "\r\n", "\r"]).join(lines)
    raw = data.encode(rng.choice(["utf-8", "utf-8", "utf-8-sig", "latin-1", "utf-16"]), "replace")
    return rotten(raw, rng)


def rotten(raw: bytes, rng: random.Random) -> bytes:
    """Bytes with some of them changed or cut off."""
    out = bytearray(raw)
    for _ in range(rng.choice([0, 0, 0, 1, 2])):
        if out:
            at = rng.randrange(len(out))
            what = rng.randrange(3)
            if what == 0:
                out[at] = rng.randrange(256)
            elif what == 1:
                del out[at : at + rng.randrange(1, 20)]
            else:
                del out[at:]
    return bytes(out)


def packed(raw: bytes, rng: random.Random) -> bytes:
    """The bytes as gzip, perhaps damaged."""
    return rotten(gzip.compress(raw, 1), rng)
