"""Guesses for an unknown option or command: the most similar known name, as a hint in the error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from typer.core import TyperGroup

from .._checks.naming import did_you_mean
from .shell import OPTIONS

MEANT = {
    "--criteria": "criterion",
    "--criterion": "criteria split",
    "--csv": "save out output",
    "--cv": "folds k n-folds n-splits cross-validation",
    "--drop": "exclude ignore remove",
    "--form": "format to as",
    "--metric": "score measure",
    "--missing": "na na-values missing-values",
    "--model": "save s o out output dump export model-file",
    "--n-jobs": "threads jobs cores workers",
    "--nominal": "categorical factors levels",
    "--out": "save o output csv",
    "--param max_leaf_nodes=VALUE": "max-leaves leaves max-leaf",
    "--param min_samples_leaf=VALUE": "min-leaf min-rows min-bucket",
    "--pictures": "plot plots png svg",
    "--plot": "picture png svg figure",
    "--png": "plot picture figure image pdf",
    "--seed": "random",
    "--show-depth": "depth",
    "--target": "y class label response outcome target-column",
    "--task": "regression classification",
    "advise": "recommend",
    "cv": "validate cross-validate",
    "datasets": "data list",
    "datasets describe": "describe summary info head",
    "fit": "train grow tree learn",
    "predict": "test score evaluate",
    "rank": "importance features",
    "show": "plot print export draw",
}
"""Names by which other programs and commands know options and commands."""


def meant_by(typed: str, known: Iterable[str]) -> str:
    """A question that names what an unknown option or command may mean, or "".

    Args:
        typed: the unknown name.
        known: the options of the command, or the commands.

    Examples:
        >>> meant_by("--save", ["--svg", "--model"]), meant_by("--tagret", ["--model", "--target"])
        ("did you mean '--model'?", "did you mean '--target'?")
        >>> meant_by("--max_depth", ["--show-depth", "--param"]), meant_by("--xyz", ["--param"])
        ("did you mean '-p max_depth=VALUE'?", '')
    """
    from ..estimators import FastTreeClassifier, FastTreeRegressor

    known, words = [*known], {}
    if "--param" in known:
        for name in (*FastTreeRegressor._get_param_names(), *FastTreeClassifier._get_param_names()):
            words[name] = f"-p {name}=VALUE"
    for option in known:
        for meant in (one for one in MEANT if one.split()[0] == option):
            words.update(dict.fromkeys(MEANT[meant].split(), meant.replace("--param", "-p")))
    words |= {name: option for name, option in OPTIONS.items() if option in known}
    words |= {option.lstrip("-"): option for option in known}
    alike = {name.replace("_", "-"): option for name, option in words.items()}
    return did_you_mean(typed.lstrip("-").replace("_", "-"), alike, least=0.8)


class Commands(TyperGroup):
    """A group of commands whose error for an unknown command names the most similar ones."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is called; an unknown one is an error with a hint.

        Args:
            ctx: the context of the group.
            args: the arguments, the name of the command first.
        """
        if args[0] not in self.commands:
            hint = meant_by(args[0], self.commands) or f"there are {', '.join(self.commands)}"
            ctx.fail(f"No such command '{args[0]}'; {hint}")
        return super().resolve_command(ctx, args)
