"""`ftree predict`: new rows by a saved model."""

from __future__ import annotations

import io
import sys
from dataclasses import replace
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from .._checks.saving import save_text
from .._checks.words import counted
from ..exports.tables.records import write_csv
from . import options as o
from .bundles import Without, examples
from .output import check_writable, emit
from .shell import listed
from .showing import ModelFile, model_of, rows_for
from .streams import print_to_stderr
from .tasks import quality_of


@examples(
    "ftree predict model.json new.csv",
    "ftree predict model.json test.arff --proba -o answers.csv",
    "ftree predict model.json customers.csv --id customer",
)
def predict(
    model: ModelFile,
    data: o.DataFile,
    *,
    columns: Annotated[o.Columns, Without("target", "nominal", "use", "keep", "exposure")],
    id: Annotated[
        list[str] | None,
        "--id COLUMN",
        "A column of DATA that the output carries along, as it is written; may be repeated.",
    ] = None,
    groups: Annotated[
        str | None,
        "--groups COLUMN",
        "A column of DATA whose rows of one value belong together (a patient, a site): "
        "accuracy or error get a standard error over these groups.",
    ] = None,
    proba: Annotated[bool, "--proba", "Also the probability of every class."] = False,
    threshold: Annotated[
        float | None,
        typer.Option(
            min=0.0,
            max=1.0,
            metavar="SHARE",
            help="Of two classes, answer the second one from this probability on; ftree advise "
            "--metric proposes one.",
        ),
    ] = None,
    out: Annotated[Path | None, "--out -o FILE", "Write the CSV to a file."] = None,
    n_jobs: o.Jobs = -1,
    json: o.Json = None,
) -> None:
    """Predict the rows of a data file; CSV on stdout, accuracy or error on stderr where the target
    is known."""
    from ..datasets.files import load_texts

    check_writable({"--out": out, "--json": json})
    tree = model_of(model, columns.task).set_params(n_jobs=n_jobs)
    if proba and tree._task == "regression":
        raise ValueError(f"--proba: {model} predicts numbers, which have no probabilities")
    # Columns that are carried along or name groups, as they are written.
    aside = list(dict.fromkeys([*(id or ()), *([] if groups is None else [groups])]))
    texts = load_texts(data, aside, columns.reading.get("header")) if aside else {}
    carried = {name: texts[name] for name in id or ()}
    schema = tree._schema
    unused = [name for name in aside if name not in (*schema.names, schema.target)]
    rows = rows_for(tree, data, replace(columns, drop=[*(columns.drop or []), listed(unused)]))
    if any(len(cells) != len(rows) for cells in texts.values()):
        option = "--id" if id else "--groups"
        raise ValueError(
            f"{option}: {data} has other rows as text than as data; leave {option} out"
        )
    answers = tree.predict(rows)
    classes = list(schema.classes)
    probabilities = np.empty((0, 2))
    if proba or threshold is not None:
        probabilities = tree.predict_proba(rows)
    if threshold is not None:
        if len(classes) != 2:
            what = f"{len(classes)} classes" if classes else "numbers"
            raise ValueError(f"--threshold: {model} predicts {what}; it is for two classes")
        second = probabilities[:, 1]
        by_threshold = tree.classes_[(second >= threshold).astype(int)]
        answers = np.where(np.isnan(second), answers, by_threshold)
    quality, said = quality_of(
        answers,
        rows.y,
        tree._task,
        None if groups is None else texts[groups],
        classes=classes,
        costs=getattr(tree, "cost_matrix", None),
    )
    document = {
        "command": "predict",
        "model": str(model),
        "data": data,
        "task": tree._task,
        "rows": len(answers),
        **quality,
        "classes": classes,
        **({"id": carried} if carried else {}),
        "predictions": answers.tolist(),
        **({} if threshold is None else {"threshold": threshold}),
        "probabilities": probabilities.tolist() if proba else None,
    }
    probability_columns: dict[str, list[float]] = {}
    if proba:
        names = [f"p({label})" for label in classes]
        probability_columns = dict(zip(names, probabilities.T.tolist(), strict=True))
    text = _csv_text(carried, answers.tolist(), probability_columns)
    if out is not None:
        save_text(out, text)
        text = f"{counted(len(answers), 'prediction')} written to {out}"
    emit(text, document, json)
    if said:
        sys.stdout.flush()
        print_to_stderr("\n".join(said))


def _csv_text(
    carried: dict[str, list[str]], answers: list[Any], probabilities: dict[str, list[float]]
) -> str:
    """The predictions as CSV, with the number of each row in front.

    Args:
        carried: cells of the columns that are carried along, by name.
        answers: the predicted labels or numbers; None is an empty cell.
        probabilities: the probabilities of each class, by the title of the column; may be empty.
    """
    lines = (
        [
            row,
            *(cells[row] for cells in carried.values()),
            "" if answer is None else _short(answer),
            *(_short(column[row]) for column in probabilities.values()),
        ]
        for row, answer in enumerate(answers)
    )
    stream = io.StringIO()
    write_csv(stream, ["row", *carried, "prediction", *probabilities], lines)
    return stream.getvalue()


def _short(value: Any) -> Any:
    """A number without the rounding of a sum, where 15 digits tell it: 44.148 in place of
    44.147999999999996; all others as they are.

    >>> _short(44.147999999999996), _short(1 / 3), _short("b"), _short(2**60)
    (44.148, 0.3333333333333333, 'b', 1152921504606846976)
    """
    if not isinstance(value, float):
        return value
    short = f"{value:.15g}"
    return float(short) if len(short) < len(repr(value)) - 3 else value
