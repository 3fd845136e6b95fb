"""How commands declare options: in their annotations, singly or as a data class of several.

What
    A parameter that is annotated with its type, a usage and a help is an option; without the usage
    it has the name of the parameter. A parameter that is annotated with a data class takes its
    fields as options. `expanded` makes a command with all these options as parameters, as typer
    expects them, that calls the original command with an object of each class.
Examples
    ``html: Annotated[Path | None, "--html FILE", "Write a page."]`` is an option ``--html`` whose
    value the help calls FILE, and ``"--model -m FILE"`` has a short name, too. ``columns:
    o.Columns`` has all fields as options, ``columns: Annotated[o.Columns, Without("target")]`` all
    but one, which keeps its default.
When not to use it
    For options with limits, and hidden ones: these are annotated with ``typer.Option(...)``.
"""

from __future__ import annotations

import dataclasses
import functools
import inspect
import typing
from collections.abc import Callable, Iterator
from typing import Annotated, Any

import typer

Command = Callable[..., None]

EXAMPLES: dict[str, tuple[str, ...]] = {}
"""The lines that end the help of a command, by the name of its function."""


def examples(*lines: str) -> Callable[[Command], Command]:
    """A decorator that gives a command its `EXAMPLES`, lines that its help prints and a test
    runs."""

    def noted(command: Command) -> Command:
        EXAMPLES[command.__name__] = lines
        return command

    return noted


class Without:
    """Annotates a bundle with the names of fields that a command does not have as options; these
    keep their defaults."""

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
        kind, *marks = _parts(hint)
        if dataclasses.is_dataclass(kind):
            left_out = {name for mark in marks if isinstance(mark, Without) for name in mark.names}
            options = [option for option in _options(kind) if option.name not in left_out]
            bundles[parameter.name] = kind, [option.name for option in options]
            parameters += options
            continue
        parameters.append(parameter.replace(annotation=_option(hint)))

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
            annotation=_option(hints[field.name]),
        )


def _parts(hint: Any) -> tuple[Any, ...]:
    """The type of an annotation, and its marks."""
    return typing.get_args(hint) if typing.get_origin(hint) is Annotated else (hint,)


def _option(hint: Any) -> Any:
    """The annotation of an option by its usage and help, as typer expects it.

    >>> _option(Annotated[str, "--metric -s NAME", "What is compared."]).__metadata__[0].metavar
    'NAME'
    """
    kind, *marks = _parts(hint)
    if not marks or not isinstance(marks[-1], str):
        return hint
    *usage, text = marks
    words = " ".join(usage).split()
    names = [word for word in words if word.startswith("-")]
    option = typer.Option(*names, metavar=" ".join(words[len(names) :]) or None, help=text)
    return Annotated[kind, option]
