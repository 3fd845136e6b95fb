"""Files as other programs write them are read as their writers meant them.

Each writer below puts a random table into the bytes that its program writes: pandas, Polars,
PyArrow, SQLite and NumPy are called; the dialects of R, Excel, LibreOffice, Weka, MOA, KEEL, Orange
and DuckDB are written byte for byte. Names and cells are read back and compared.
"""

from __future__ import annotations

import io
import math
import random
import sqlite3
import warnings
from typing import Any, NamedTuple

import numpy as np
import pandas
import polars
import pytest

from fasttree.datasets import load

from ..tools import thinned


class Data(NamedTuple):
    """A table: names, and cells that are numbers, texts or None."""

    names: list[str]
    columns: list[list[Any]]

    @property
    def rows(self) -> list[tuple[Any, ...]]:
        return list(zip(*self.columns, strict=True))

    @property
    def frame(self) -> pandas.DataFrame:
        return pandas.DataFrame(dict(zip(self.names, self.columns, strict=True)))


NAMES = ["age", "Sepal.Length", "x1", "x 2", "size (cm)", "größe", "2019", "NA", "v_3", "?", "w-1"]
WORDS = ["red", "dark blue", "it's", "größer", "A1", "B2", "x;y", "a,b", 'say "no"', "up", "down"]


def drawn(seed: int, *, plain: bool = False) -> Data:
    """A random table, whose last column has the classes p and q; `plain`: of words and names
    without marks and umlauts, and without missing cells."""
    rng = random.Random(seed)
    n = rng.choice([6, 12, 40, 300])
    known = [name for name in NAMES if not plain or (name.isascii() and name[0] in "axv")]
    names = rng.sample(known, min(len(known), rng.randint(2, 4)))
    words = [word for word in WORDS if not plain or word.isalnum()]
    columns: list[list[Any]] = []
    for _ in names:
        kind = rng.choice(["float", "int", "text"])
        if kind == "float":
            cells: list[Any] = [round(rng.gauss(0, 5), 3) + 0.0005 for _ in range(n)]
        elif kind == "int":
            cells = [rng.randint(-9, 99) for _ in range(n)]
        else:
            some = rng.sample(words, min(3, len(words)))
            cells = [*some, *(rng.choice(some) for _ in range(n - len(some)))]
        if not plain and rng.random() < 0.4 and kind != "int":
            cells = [None if i > 2 and rng.random() < 0.2 else c for i, c in enumerate(cells)]
        columns.append(cells)
    classes = ["p", "q", *(rng.choice("pq") for _ in range(n - 2))]
    return Data([*names, "y"], [*columns, classes])


def quoted(cell: Any, missing: str, *, always: bool = False, sep: str = ",") -> str:
    """A cell as R writes it: text in quotes; or in quotes where it has to be."""
    if cell is None:
        return missing
    text = str(cell)
    has_to = any(mark in text for mark in (sep, '"', "\n"))
    is_text = isinstance(cell, str)
    return '"' + text.replace('"', '""') + '"' if has_to or (always and is_text) else text


def lines(rows: list[list[str]], sep: str = ",", end: str = "\n") -> str:
    return "".join(sep.join(row) + end for row in rows)


def r_table(data: Data, sep: str, *, row_names: bool, corner: bool, quote: bool = True) -> str:
    """What R's write.table writes; `corner`: a header cell above the row names, as write.csv."""
    q = {"always": quote, "sep": sep if quote else "\0"}
    header = [quoted(name, "", **q) for name in data.names]
    if row_names and corner:
        header = ['""', *header]
    body = [
        [
            *([f'"{i}"' if quote else str(i)] if row_names else []),
            *(quoted(c, "NA", **q) for c in r),
        ]
        for i, r in enumerate(data.rows, 1)
    ]
    return lines([header, *body], sep)


def spreadsheet(data: Data, sep: str, decimal: str, *, always: bool = False, end: str) -> str:
    """What Excel and LibreOffice write."""

    def written(cell: Any) -> str:
        if isinstance(cell, float):
            return quoted(str(cell).replace(".", decimal), "", sep=sep).strip('"')
        return quoted(cell, "", always=always, sep=sep)

    return lines([[written(c) for c in row] for row in [data.names, *data.rows]], sep, end)


def arff(data: Data, end: str = "", outputs: str = "") -> str:
    def name(text: str) -> str:
        return "'" + text.replace("'", "\\'") + "'"

    def kind(cells: list[Any]) -> str:
        known = list(dict.fromkeys(cell for cell in cells if cell is not None))
        if any(isinstance(cell, str) for cell in known):
            return "{" + ",".join(name(one) for one in sorted(known)) + "}"
        return "real [-99.0,99.0]" if outputs else "numeric"

    head = [
        f"@attribute {name(n)} {kind(c)}" for n, c in zip(data.names, data.columns, strict=True)
    ]
    body = [
        ",".join("?" if c is None else name(c) if isinstance(c, str) else str(c) for c in row) + end
        for row in data.rows
    ]
    return "\n".join(["@relation r", *head, *([outputs] if outputs else []), "@data", *body, ""])


def orange(
    data: Data, sep: str = "\t", types: str = "continuous", *, one_line: bool = False
) -> str:
    """What Orange 2 and 3 write: declared values, or types; or flags before the names."""

    def kind(cells: list[Any]) -> str:
        known = sorted({cell for cell in cells if cell is not None}, key=str)
        if not any(isinstance(cell, str) for cell in known):
            return types.split()[0]
        declared = " ".join(one.replace(" ", "\\ ") for one in known)
        return types.split()[1] if " " in types else quoted(declared, "", sep=sep)

    rows = [[quoted(c, "?", sep=sep) for c in row] for row in data.rows]
    kinds, flags = [kind(c) for c in data.columns], ["" for _ in data.names[:-1]]
    if one_line:
        marks = [flag + kind for flag, kind in zip([*flags, "c"], kinds, strict=True)]
        names = [f"{mark}#{name}" for mark, name in zip(marks, data.names, strict=True)]
        return lines([names, *rows], sep)
    flags[:1] = ["unit=cm name='a'"] if " " in types else flags[:1]
    return lines([data.names, kinds, [*flags, "class"], *rows], sep)


def frame_csv(data: Data, **options: Any) -> bytes:
    return data.frame.to_csv(**options).encode(options.get("encoding", "utf-8"))


def shuffled(data: Data) -> bytes:
    """A filtered and shuffled frame with its index: cells as before, in another order."""
    return data.frame.sample(frac=1, random_state=0).sort_index(ascending=False).to_csv().encode()


def sqlite(data: Data, sep: str) -> bytes:
    """What the shell of SQLite writes with ``.headers on`` in its modes csv and list."""
    base = sqlite3.connect(":memory:")
    fields = ", ".join('"' + name + '"' for name in data.names)
    base.execute(f"create table t ({fields})")
    base.executemany(f"insert into t values ({', '.join('?' * len(data.names))})", data.rows)
    found = base.execute("select * from t").fetchall()
    end, always = ("\r\n", False) if sep == "," else ("\n", False)
    rows = [[quoted(c, "", always=always, sep=sep) for c in row] for row in [data.names, *found]]
    return lines(rows, sep, end).encode()


def numpy_text(data: Data) -> bytes:
    """Numbers and a whole number as class by numpy.savetxt, its header behind a mark."""
    cells = np.column_stack([np.arange(len(c)) % 7 + 0.25 for c in data.columns[:-1]])
    file = io.StringIO()
    np.savetxt(file, cells, header=" ".join(data.names[:-1]), fmt="%.2f")
    return file.getvalue().encode()


def polars_csv(data: Data, **options: Any) -> bytes:
    return (
        polars.DataFrame(dict(zip(data.names, data.columns, strict=True)))
        .write_csv(**options)
        .encode()
    )


def parquet(data: Data, write: str) -> bytes:
    file = io.BytesIO()
    if write.startswith("polars"):
        frame = polars.DataFrame(dict(zip(data.names, data.columns, strict=True)))
        frame.write_parquet(file) if write == "polars" else frame.write_ipc(file)
    else:
        data.frame.to_parquet(file) if write == "pandas" else data.frame.to_feather(file)
    return file.getvalue()


def titled(data: Data, title: str, *, padded: bool) -> bytes:
    sep = ","
    pad = sep * (len(data.names) - 1) if padded else ""
    blank = pad + "\r\n" if padded else "\r\n"
    text = spreadsheet(data, sep, ".", end="\r\n")
    return f"{title}{pad}\r\n{blank}{text}".encode()


WRITERS: dict[str, tuple[str, Any]] = {
    "pandas to_csv": (".csv", lambda d: frame_csv(d)),
    "pandas without an index": (".csv", lambda d: frame_csv(d, index=False)),
    "pandas, semicolons and decimal commas": (".csv", lambda d: frame_csv(d, sep=";", decimal=",")),
    "pandas, tabs": (".tsv", lambda d: frame_csv(d, sep="\t")),
    "pandas, all quoted": (".csv", lambda d: frame_csv(d, quoting=1)),
    "pandas, UTF-16": (".csv", lambda d: frame_csv(d, encoding="utf-16")),
    "pandas, NA": (".csv", lambda d: frame_csv(d, na_rep="NA")),
    "pandas, an index backwards": (".csv", lambda d: shuffled(d)),
    "pandas to_parquet": (".parquet", lambda d: parquet(d, "pandas")),
    "pandas to_feather": (".feather", lambda d: parquet(d, "feather")),
    "Polars write_csv": (".csv", lambda d: polars_csv(d)),
    "Polars, all quoted": (".csv", lambda d: polars_csv(d, quote_style="always")),
    "Polars, tabs": (".tsv", lambda d: polars_csv(d, separator="\t")),
    "Polars write_parquet": (".parquet", lambda d: parquet(d, "polars")),
    "Polars write_ipc": (".arrow", lambda d: parquet(d, "polars ipc")),
    "R write.csv": (".csv", lambda d: r_table(d, ",", row_names=True, corner=True)),
    "R write.csv2": (".csv", lambda d: r_table(d, ";", row_names=True, corner=True)),
    "R write.csv without row names": (
        ".csv",
        lambda d: r_table(d, ",", row_names=False, corner=False),
    ),
    "R write.table": (".txt", lambda d: r_table(d, " ", row_names=True, corner=False)),
    "R write.table, tabs": (".tsv", lambda d: r_table(d, "\t", row_names=True, corner=False)),
    "R write.table, commas": (".csv", lambda d: r_table(d, ",", row_names=True, corner=False)),
    "Excel, semicolons": (".csv", lambda d: spreadsheet(d, ";", ",", end="\r\n").encode("cp1252")),
    "Excel, UTF-8": (".csv", lambda d: spreadsheet(d, ",", ".", end="\r\n").encode("utf-8-sig")),
    "Excel, sep=": (".csv", lambda d: b"sep=;\r\n" + spreadsheet(d, ";", ",", end="\r\n").encode()),
    "Excel, a title": (".csv", lambda d: titled(d, "Sales of 2024", padded=True)),
    "Excel, separators at the end": (
        ".csv",
        lambda d: spreadsheet(d, ",", ".", end=",\r\n").encode(),
    ),
    "a title without separators": (".csv", lambda d: titled(d, "# made by x", padded=False)),
    "Excel, a title with all separators": (
        ".csv",
        lambda d: b"Report, Ulm; 2012\r\n" + spreadsheet(d, ";", ",", end="\r\n").encode(),
    ),
    "LibreOffice": (".csv", lambda d: spreadsheet(d, ",", ".", always=True, end="\n").encode()),
    "LibreOffice, tabs": (
        ".csv",
        lambda d: spreadsheet(d, "\t", ".", always=True, end="\n").encode(),
    ),
    "Weka": (".arff", lambda d: arff(d)),
    "MOA": (".arff", lambda d: arff(d, end=",")),
    "KEEL": (
        ".dat",
        lambda d: arff(d, outputs=f"@inputs {', '.join(d.names[:-1])}\n@outputs {d.names[-1]}"),
    ),
    "Orange": (".tab", lambda d: orange(d)),
    "Orange 3": (".tab", lambda d: orange(d, types="Numeric Categorical")),
    "Orange 3, commas": (".csv", lambda d: orange(d, ",", "c d")),
    "Orange 3, semicolons": (".csv", lambda d: orange(d, ";")),
    "Orange, flags before names": (".tab", lambda d: orange(d, types="C D", one_line=True)),
    "Orange, flags, commas": (".csv", lambda d: orange(d, ",", "C D", one_line=True)),
    "SQLite, csv": (".csv", lambda d: sqlite(d, ",")),
    "SQLite, list": (".txt", lambda d: sqlite(d, "|")),
    "DuckDB": (".csv", lambda d: spreadsheet(d, ",", ".", end="\n").encode()),
    "DuckDB, pipes": (".csv", lambda d: spreadsheet(d, "|", ".", end="\n").encode()),
}
PLAIN = {"SQLite, list", "Excel, a title with all separators"}
"""Programs whose files have no way to write a separator or a quote in a cell."""

CASES = [(writer, seed) for seed in range(14) for writer in WRITERS]


def meant(data: Data) -> dict[str, list[Any]]:
    """What the reader should find: numbers as floats, a column without a name as x0, x1, ..."""
    return dict(zip(data.names, data.columns, strict=True))


def same(found: Any, cell: Any) -> bool:
    if cell is None:
        return found is None or (isinstance(found, float) and math.isnan(found))
    if isinstance(cell, str) or not isinstance(found, float):
        return bool(found == cell)
    return math.isclose(found, cell)


def numbers_have_points(writer: str, data: Data) -> Data:
    """R's write.csv2 writes decimal commas."""
    return (
        data
        if writer != "R write.csv2"
        else data._replace(
            columns=[[int(c) if isinstance(c, float) else c for c in one] for one in data.columns]
        )
    )


@pytest.mark.parametrize("case", thinned(CASES, 9), ids=str)
def test_files_are_read_as_their_writer_meant(tmp_path, case):
    writer, seed = case
    data = numbers_have_points(writer, drawn(seed, plain=writer in PLAIN))
    suffix, write = WRITERS[writer]
    path = tmp_path / f"data{suffix}"
    content = write(data)
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = load(path)
    wanted = meant(data)
    if writer == "pandas, an index backwards":
        wanted = {name: cells[::-1] for name, cells in wanted.items()}
    assert [*table.feature_names, table.target] == list(wanted)
    for name, cells in wanted.items():
        column = table.target_column if name == table.target else table.column(name)
        read = column.labels().tolist()
        assert all(map(same, read, cells)), (name, read[:5], cells[:5])


def test_names_behind_a_mark_of_comments(tmp_path):
    data = Data(["a", "b", "x1", "y"], drawn(1, plain=True).columns[:4])
    (tmp_path / "a.txt").write_bytes(numpy_text(data))
    table = load(tmp_path / "a.txt", target=False)
    assert table.feature_names == ["a", "b", "x1"]
