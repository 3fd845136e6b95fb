"""Options that several commands share as a data class, and the examples of commands.

What
    A parameter of a command that is annotated with a data class takes its fields as options.
    `expanded` makes a command with these options as parameters, as typer expects them, that calls
    the original command with an object of the class.
Examples
    ``columns: o.Columns`` has all fields as options, ``columns: Annotated[o.Columns,
    Without("target")]`` all but one, which keeps its default.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import typing
from collections.abc import Callable, Iterator
from typing import Annotated, Any

Command = Callable[..., None]

EXAMPLES: dict[str, tuple[str, ...]] = {}
"""The lines that end the help of a command, by the name of its function."""


def examples(*lines: str) -> Callable[[Command], Command]:
    """A decorator that gives a command its `EXAMPLES`."""

    def noted(command: Command) -> Command:
        EXAMPLES[command.__name__] = lines
        return command

    return noted


class Without:
    """Fields of a bundle that a command does not have as options."""

    def __init__(self, *names: str) -> None:
        self.names = names


def expanded(command: Command) -> Command:
    """The command with the fields of its bundles as options of its own.

    >>> @dataclasses.dataclass
    ... class Threads:
    ...     n_jobs: int = -1
    >>> def show(file: str, *, threads: Threads) -> None:
    ...     print(file, threads)
    >>> expanded(show)("iris", n_jobs=2)
    iris Threads(n_jobs=2)
    """
    hints = typing.get_type_hints(command, include_extras=True)
    parameters: list[inspect.Parameter] = []
    bundles: dict[str, tuple[Any, list[str]]] = {}  # parameter: its class, names of its options
    for parameter in inspect.signature(command).parameters.values():
        hint = hints[parameter.name]
        kind, *marks = typing.get_args(hint) if typing.get_origin(hint) is Annotated else (hint,)
        if dataclasses.is_dataclass(kind):
            left_out = {name for mark in marks if isinstance(mark, Without) for name in mark.names}
            options = [option for option in _options(kind) if option.name not in left_out]
            bundles[parameter.name] = kind, [option.name for option in options]
            parameters += options
            continue
        parameters.append(parameter.replace(annotation=hint))

    @functools.wraps(command)
    def run(*given: Any, **options: Any) -> None:
        for name, (kind, names) in bundles.items():
            options[name] = kind(**{own: options.pop(own) for own in names if own in options})
        command(*given, **options)

    run.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _options(bundle: Any) -> Iterator[inspect.Parameter]:
    """The fields of a bundle as parameters of a command."""
    hints = typing.get_type_hints(bundle, include_extras=True)
    for field in dataclasses.fields(bundle):
        yield inspect.Parameter(
            field.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=field.default,
            annotation=hints[field.name],
        )
