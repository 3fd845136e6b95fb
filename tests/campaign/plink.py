"""Damage to PLINK sets: what is read is what the bytes say by a naive reader; what that refuses is
refused with the file.
"""

from __future__ import annotations

import random
import re
import tempfile
import warnings
from pathlib import Path
from typing import Any

from fasttree import datasets

CELLS = ["", "x", "-9", "-9.0", "-9.000", "NA", "nan", "0", "1", "2", "1.0", "2.0", "inf", "1e999"]
CELLS += ["--5", "14000²", "1_000", "٣", "+7", "99999999999999999999", "a\u2028b", "a\x1cb", "\0"]
CELLS += ["-", "1e3", "0x10", "\ufeff", "é", "a b", "1\r"]
MISSING = ("NA", "N/A", ".")


def study(rng: random.Random) -> dict[str, bytes]:
    """The three files of a small study."""
    n, m = rng.randrange(1, 10), rng.randrange(1, 6)
    kinds = [["1", "2", "0", "-9"], ["1.0", "2.0", "-9.0"], ["0.5", "7", "-9", "NA"], ["a", "b"]]
    phenotypes = rng.choice(kinds)
    fam = [f"f {i} 0 0 {rng.randrange(3)} {rng.choice(phenotypes)}\n" for i in range(n)]
    bim = [f"{rng.randrange(1, 4)} v{v} 0 {1000 + v} A G\n" for v in range(m)]
    rows = b""
    for _ in range(m):
        codes = [rng.randrange(4) for _ in range(n)] + [0] * (-n % 4)
        rows += bytes(
            sum(codes[at + k] << 2 * k for k in range(4)) for at in range(0, len(codes), 4)
        )
    return {
        ".bed": b"\x6c\x1b\x01" + rows,
        ".bim": "".join(bim).encode(),
        ".fam": "".join(fam).encode(),
    }


def damaged(files: dict[str, bytes], rng: random.Random) -> dict[str, bytes]:
    """One to three changes of bytes, cells, lines, or whole files."""
    files = dict(files)
    for _ in range(rng.choice([1, 1, 1, 2, 3])):
        end = rng.choice([".bed", ".bim", ".fam", ".fam"])
        raw = bytearray(files[end])
        what = rng.randrange(9)
        at = rng.randrange(len(raw)) if raw else 0
        if end != ".bed" and what < 6:
            lines = raw.decode("utf-8", "surrogateescape").split("\n")[:-1] or [""]
            row = rng.randrange(len(lines))
            if what == 0:
                del lines[row : row + rng.randrange(1, 4)]
            elif what == 1:
                lines.insert(row, rng.choice(lines))
            else:
                cells = lines[row].split(" ")
                cells[rng.randrange(len(cells))] = rng.choice(CELLS)
                lines[row] = " ".join(cells)
            files[end] = "".join(f"{line}\n" for line in lines).encode("utf-8", "surrogateescape")
            continue
        if what == 6:
            del raw[at:]
        elif what == 7:
            del raw[at : at + rng.randrange(1, 9)]
        elif what == 8:
            raw = bytearray(study(rng)[end])  # a file of another study
        elif raw:
            raw[at] = rng.randrange(256)
        files[end] = bytes(raw)
    return files


def _number(text: str) -> float | None:
    """A decimal number by its grammar; None for other texts, NaN for missing ones."""
    if text in MISSING or text.lower().lstrip("+-") == "nan":
        return float("nan")
    if re.fullmatch(r"[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]+)?", text) is None:
        return None
    number = float(text)
    if abs(number) == float("inf"):
        return None
    return float("nan") if number == -9 else number


def naive(files: dict[str, bytes]) -> dict[str, Any] | None:
    """What a set holds, one cell after the other; None where it has to be refused."""
    tables = []
    for end in (".fam", ".bim"):
        try:
            text = files[end].decode("utf-8")
        except UnicodeDecodeError:
            return None
        rows = [line.split() for line in text.removeprefix("\ufeff").split("\n")]
        rows = [row for row in rows if row]
        if not rows or "\0" in text or any(len(row) != 6 for row in rows):
            return None
        tables.append(rows)
    fam, bim = tables
    bed, n, m = files[".bed"], len(fam), len(bim)
    width = -(-n // 4)
    if len({(row[0], row[1]) for row in fam}) < n or bed[:3] != b"\x6c\x1b\x01":
        return None
    if len(bed) != 3 + m * width:
        return None
    counts = []
    for v in range(m):
        bits = [bed[3 + v * width + k // 4] >> 2 * (k % 4) & 3 for k in range(4 * width)]
        if any(bits[n:]):
            return None
        counts.append([(2, -127, 1, 0)[code] for code in bits[:n]])
    positions = [row[3] for row in bim]
    if not all(re.fullmatch("[+-]?[0-9]{1,19}", p) and abs(int(p)) < 2**63 for p in positions):
        return None
    texts = [row[5] for row in fam]
    numbers = [_number(text) for text in texts]
    known = {t for t, x in zip(texts, numbers, strict=True) if x is None or x == x}
    found = {"counts": counts, "positions": [int(p) for p in positions], "y": None, "x": None}
    found["warned"] = False
    if known <= {"0", "1", "2"}:
        if known - {"0"}:
            found["y"] = [{"1": "control", "2": "case"}.get(text) for text in texts]
            found["warned"] = known == {"0", "1"}
    elif None in numbers:
        given = [x for t, x in zip(texts, numbers, strict=True) if t in known]
        if 2 * (len(given) - given.count(None)) > len(given):
            return None
        found["y"] = [t if t in known else None for t in texts]
    else:
        found["x"] = numbers
        found["warned"] = {x for x in numbers if x == x} <= {0.0, 1.0, 2.0}
    found["samples"] = [(row[0], row[1]) for row in fam]
    found["variants"] = [(row[0], row[1], row[4], row[5]) for row in bim]
    return found


def read(path: Path, memory_map: bool) -> dict[str, Any]:
    """What the library reads, in the form of `naive`."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = datasets.read_plink(path, memory_map=memory_map)
    assert len(said) <= 1, "one warning a study"
    return {
        "counts": found.to_array().T.tolist(),
        "positions": found.positions.tolist(),
        "y": None if found.y is None else found.y.tolist(),
        "x": None if found.phenotype is None else found.phenotype.tolist(),
        "warned": bool(said),
        "samples": list(zip(found.family_ids.tolist(), found.sample_ids.tolist(), strict=True)),
        "variants": [
            (c, v, *a)
            for c, v, a in zip(
                found.chromosomes.tolist(),
                found.variant_ids.tolist(),
                found.alleles.tolist(),
                strict=True,
            )
        ],
    }


def make() -> Any:
    """The function of a case's number."""
    folder = Path(tempfile.mkdtemp(prefix="campaign"))

    def case(number: int) -> None:
        rng = random.Random(f"plink {number}")
        files = study(rng)
        if number % 20:
            files = damaged(files, rng)
        for end, content in files.items():
            (folder / f"s{end}").write_bytes(content)
        wanted = naive(files)
        try:
            found = read(folder / "s.bed", number % 2 == 0)
        except datasets.DataFileError as error:
            assert wanted is None, f"a good set is refused: {error}"
            assert str(error).startswith(str(folder / "s.")), f"no file is named: {error}"
            return
        assert wanted is not None, "a damaged set is read"
        assert repr(found) == repr(wanted), f"{found} instead of {wanted}"
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                datasets.dump_plink(datasets.read_plink(folder / "s.bed"), folder / "s.bed")
        except ValueError as error:
            held = wanted["y"] is None or set(wanted["y"]) <= {"control", "case", None}
            assert not held and "and a .fam holds two" in str(error), error
            return
        rewritten = read(folder / "s.bed", True)
        if wanted["x"] is not None and all(x != x for x in wanted["x"]):
            wanted |= {"x": None, "warned": False}
        wanted["warned"] &= wanted["y"] is None  # a missing class is not written as 0
        assert repr(rewritten) == repr(wanted), "what was written over the source is another study"

    return case
