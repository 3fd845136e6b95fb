"""Damage to data files: what is read is a table, what is not says what is wrong with the file."""

from __future__ import annotations

import io
import random
import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from fasttree import datasets

from .mutations import damaged_file, packed, rotten

CSV = "x,y,z,class\n" + "".join(
    f"{i},{i % 3}.5,{'ab'[i % 2]},{'pq'[i // 2 % 2]}\n" for i in range(9)
)
ARFF = (
    "% c\n@relation r\n@attribute x numeric\n@attribute 'y z' {a,'b c'}\n@attribute s string\n"
    "@attribute class {p,q}\n@data\n1,a,'it\\'s',p\n2.5,'b c',?,q\n{0 3,3 q}\n?,a,x,p\n"
)
NAMES = "p,q.\nx: continuous.\nz: a,b.\n"
DATA = "1,a,p\n2,b,q\n3,?,p\n"
TAB = "x\tz\tclass\nc\td\td\n\t\tclass\n1\ta\tp\n2\tb\tq\n"


def _frames() -> dict[str, bytes]:
    import pandas

    frame = pandas.DataFrame(
        {
            "x": np.arange(9.0),
            "n": pandas.array([1, None, 3] * 3, dtype="Int64"),
            "z": pandas.Categorical(list("abc") * 3),
            "class": list("pq") * 4 + ["p"],
        }
    )
    out = {}
    for suffix, write in ((".parquet", frame.to_parquet), (".feather", frame.to_feather)):
        buffer = io.BytesIO()
        write(buffer)
        out[suffix] = buffer.getvalue()
    return out


def make() -> Any:
    """The function of a case's number."""
    frames = _frames()
    folder = Path(tempfile.mkdtemp(prefix="campaign"))

    def case(number: int) -> None:
        rng = random.Random(f"file {number}")
        kind = rng.choice([".csv", ".csv", ".arff", ".arff", ".tab", ".data", ".gz", *frames])
        path = folder / f"file{kind}"
        if kind in frames:
            path.write_bytes(rotten(frames[kind], rng))
        elif kind == ".data":
            (folder / "file.names").write_bytes(damaged_file(NAMES, rng))
            path.write_bytes(damaged_file(DATA, rng))
        elif kind == ".gz":
            inner, text = rng.choice([("csv", CSV), ("arff", ARFF)])
            path = folder / f"file.{inner}.gz"
            path.write_bytes(packed(damaged_file(text, rng), rng))
        else:
            text = {".csv": CSV, ".arff": ARFF, ".tab": TAB}[kind]
            path.write_bytes(damaged_file(text, rng))
        table = datasets.load(path, target=rng.choice([None, None, "class"]))
        assert len(table.X) == len(table) and table.shape[0] == len(table)

    return case
