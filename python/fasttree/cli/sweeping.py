"""`ftree sweep`: trees by criteria on pairs of rows under every combination of theta, alpha and
decay, on the same folds."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from . import options as o
from .comparing import Cv, settings_of
from .output import emit
from .placing import Cluster, JournalFile, client_at
from .showing import Picture

__all__ = ["COMMANDS", "theta_of"]

Several = list[str] | None


def theta_of(text: str) -> tuple[float, ...]:
    """Four weights from four digits 0 and 1, or from four numbers in brackets.

    Raises:
        ValueError: something else.

    >>> theta_of("1001"), theta_of("(1, 0.5, 0, 1)")
    ((1.0, 0.0, 0.0, 1.0), (1.0, 0.5, 0.0, 1.0))
    """
    if len(text) == 4 and set(text) <= {"0", "1"}:
        return tuple(float(digit) for digit in text)
    value = o.value_of(text)
    if not isinstance(value, tuple | list) or len(value) != 4:
        raise ValueError(
            f"--theta {text!r}: give four digits such as 1001, or four weights such as "
            "'(1,0.5,0,1)'"
        )
    return tuple(_number("--theta", one) for one in value)


def _number(option: str, value: Any) -> float:
    found = o.value_of(value) if isinstance(value, str) else value
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise ValueError(f"{option} {value!r} is not a number")
    return float(found)


def sweep(
    data: o.DataFile,
    *,
    target: o.Target = None,
    drop: o.Drop = None,
    nominal: o.Nominal = None,
    decimal: o.Decimal = None,
    missing: o.Missing = None,
    criteria: Annotated[
        Several,
        typer.Option("--criteria", "-c", help="pi (the default), contextual_merit, relief."),
    ] = None,
    theta: Annotated[
        Several,
        typer.Option(
            "--theta",
            help=(
                "Which cases of pairs count, with commas: 1111,1001, or weights '(1,0.5,0,1)'. "
                "Default 1111."
            ),
        ),
    ] = None,
    alpha: Annotated[
        Several,
        typer.Option(
            "--alpha",
            "-a",
            help="How fast weights fall with the distance (relief: its radius), with commas.",
        ),
    ] = None,
    decay: Annotated[
        Several,
        typer.Option(
            "--decay",
            help=(
                "exponential, power, threshold, identical, uniform. Default: each criterion's own."
            ),
        ),
    ] = None,
    folds: Cv = "5x10",
    scoring: Annotated[
        str, typer.Option("--metric", "-s", help="What is averaged: accuracy, leaves, ...")
    ] = "accuracy",
    preset: o.Preset = None,
    param: o.Params = None,
    form: o.Form = "text",
    plot: Picture = None,
    seed: o.Seed = 0,
    n_jobs: o.Jobs = -1,
    cluster: Cluster = None,
    journal: JournalFile = None,
    json: o.Json = None,
) -> None:
    """Cross-validate criteria on pairs of rows under many settings, as a table and a heat map."""
    from ..model_selection import sweep as run
    from ..reports import render

    o.check_form(form)
    given: dict[str, Any] = {
        "theta": [theta_of(text) for text in o.split_list(theta)],
        "alpha": [_number("--alpha", text) for text in o.split_list(alpha)],
        "decay": o.split_list(decay),
        "criterion": o.split_list(criteria),
    }
    rows = o.table_of(data, target, drop, nominal, decimal=decimal, missing=missing)
    with client_at(cluster) as client:
        found = run(
            rows,
            **{name: values for name, values in given.items() if values},
            cv=o.fold_count(folds),
            scoring=[scoring],
            random_state=seed,
            n_jobs=n_jobs,
            progress=True,
            client=client,
            journal=journal,
            **settings_of(param, preset),
        )
    if plot is not None:
        from ..plots import detached

        with detached():
            found.plot().figure.savefig(plot, dpi=150)
    own = {name for name in found.best if name != "theta" or found.best["criterion"] == "pi"}
    best = {name: value for name, value in found.best.items() if name in own and value is not None}
    document = {
        "command": "sweep",
        "data": found.result.name,
        "best": best,
        "rows": found.records(),
    }
    text = render(found, form)
    if form in ("text", "markdown"):
        text += (
            "\nBest (flattered by the choice): "
            + ", ".join(f"{k} {_shown(v)}" for k, v in best.items())
            + ".\n"
        )
    emit(text, document, json)


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return "(" + ", ".join(f"{v:g}" for v in value) + ")"
    return f"{value:.4g}" if isinstance(value, float) else str(value)


COMMANDS = (
    (
        sweep,
        (
            "ftree sweep tic-tac-toe --theta 1111,1001 --alpha 0.1,0.5,1",
            "ftree sweep data.csv -c relief --alpha 2,3,4 --cv 2x10 --plot map.png",
            "ftree sweep tic-tac-toe --preset VILALTA2001 --decay exponential,power --alpha 0.1,1",
        ),
    ),
)
"""Commands with their examples."""
