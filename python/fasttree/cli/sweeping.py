"""`ftree sweep`: criteria on pairs of rows under all combinations of theta, alpha and decay, by
`fasttree.model_selection.sweep`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from . import options as o
from .bundles import Without, examples
from .comparing import Cv
from .execution import Execution
from .output import emit, save_picture
from .shell import split_list
from .showing import Picture
from .tasks import costs_said

if TYPE_CHECKING:
    from ..model_selection.parameter_sweep import Sweep

Several = list[str] | None


def theta_of(text: str) -> tuple[float, ...]:
    """Four weights, from four digits 0 and 1 or from four numbers in brackets.

    Raises:
        ValueError: any other text.

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
    """The number that an option has, as text or not.

    Args:
        option: the option, for the error.
        value: its value.

    Raises:
        ValueError: it is no number.
    """
    found = o.value_of(value) if isinstance(value, str) else value
    if isinstance(found, bool) or not isinstance(found, int | float):
        raise ValueError(f"{option} {value!r} is not a number")
    return float(found)


@examples(
    "ftree sweep tic-tac-toe --theta 1111,1001 --alpha 0.1,0.5,1",
    "ftree sweep data.csv -c relief --alpha 2,3,4 --cv 2x10 --plot map.png",
    "ftree sweep tic-tac-toe --preset VILALTA2001 --decay exponential,power --alpha 0.1,1",
)
def sweep(
    data: o.DataFile,
    *,
    columns: Annotated[o.Columns, Without("exposure")],
    criteria: Annotated[
        Several, "--criteria -c", "pi (the default), contextual_merit, relief."
    ] = None,
    theta: Annotated[
        Several,
        "Which cases of pairs count, with commas: 1111,1001, or weights '(1,0.5,0,1)'. "
        "Default 1111.",
    ] = None,
    alpha: Annotated[
        Several,
        "--alpha -a",
        "How fast weights fall with the distance (relief: its radius), with commas.",
    ] = None,
    decay: Annotated[
        Several, "exponential, power, threshold, identical, uniform. Default: each criterion's own."
    ] = None,
    folds: Cv = "5x10",
    metric: Annotated[
        str,
        "--metric -s",
        "What is averaged: accuracy, leaves, 'f_beta(beta=2)', "
        f"'expected_cost(cost_matrix=[[0, 1], [10, 0]])' ({o.COST_ORDER}), ...",
    ] = "accuracy",
    trees: o.Trees,
    form: o.Form = "text",
    plot: Picture = None,
    run: o.Run,
    execution: Execution,
    json: o.Json = None,
) -> None:
    """Cross-validate criteria on pairs of rows under many settings, as a table and a heat map."""
    from ..model_selection import sweep as run_sweep
    from ..reports import render

    o.check_form(form)
    given = _grid_of(criteria, theta, alpha, decay)
    settings = {"columns": columns.treatment, **trees.settings_without_criterion()}
    rows = columns.table(data, given.get("criterion", ["pi"]), settings)
    scoring = o.metric_of(metric, settings.get("cost_matrix"))
    with execution.opened() as keywords:
        found = run_sweep(
            rows,
            **given,
            cv=o.fold_count(folds),
            scoring=[scoring],
            **run.keywords,
            progress=True,
            **keywords,
            **settings,
        )
    if plot is not None:
        save_picture(plot, found.plot)
    best = _best(found)
    document = {
        "command": "sweep",
        "data": found.result.name,
        "random_state": run.seed,
        "best": best,
        "rows": found.records(),
    }
    text = render(found, form)
    if form in ("text", "markdown"):
        setting = ", ".join(f"{name} {_shown(value)}" for name, value in best.items())
        said = costs_said([rows], settings, scoring)
        text += "\n".join(["", f"Best (flattered by the choice): {setting}.", *said, ""])
    emit(text, document, json)


def _grid_of(criteria: Several, theta: Several, alpha: Several, decay: Several) -> dict[str, Any]:
    """The options that make up the grid, as keywords of `fasttree.model_selection.sweep`.

    Args:
        criteria, theta, alpha, decay: the options, each a list of texts.
    """
    typed: dict[str, Any] = {
        "theta": [theta_of(text) for text in split_list(theta)],
        "alpha": [_number("--alpha", text) for text in split_list(alpha)],
        "decay": split_list(decay),
        "criterion": split_list(criteria),
    }
    return {name: values for name, values in typed.items() if values}


def _best(found: Sweep) -> dict[str, Any]:
    """The best setting, without parameters that the criterion does not have."""
    return {
        name: value
        for name, value in found.best.items()
        if value is not None and (name != "theta" or found.best["criterion"] == "pi")
    }


def _shown(value: Any) -> str:
    if isinstance(value, tuple):
        return "(" + ", ".join(f"{v:g}" for v in value) + ")"
    return f"{value:.4g}" if isinstance(value, float) else str(value)
