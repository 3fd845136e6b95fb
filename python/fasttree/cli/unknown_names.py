"""What an unknown option or command was meant to be: a hint for its error."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from typer.core import TyperGroup

from .._checks.naming import did_you_mean
from .shell import OPTIONS

__all__ = ["Commands", "meant_by"]

MEANT = {
    "--bfile": "plink",
    "--columns": "use-columns",
    "--criteria": "criterion",
    "--criterion": "criteria split split-criterion",
    "--csv": "save out output",
    "--cv": "folds fold k kfold n-folds n-splits cross-validation repeats",
    "--decimals": "digits precision",
    "--depth": "max-depth show-depth",
    "--drop": "exclude ignore remove omit skip",
    "--form": "format to dialect",
    "--groups": "group patient",
    "--header": "no-header names",
    "--html": "page report explore",
    "--id": "index index-col",
    "--metric": "score measure",
    "--missing": "na na-values null nan missing-values",
    "--model": "save s o out output dump export model-file save-model pickle",
    "--n-jobs": "threads jobs cores processes parallel workers cpus",
    "--nominal": "categorical categories factor factors levels",
    "--out": "save s o output csv",
    "--param": "params parameter option",
    "--pictures": "plot plots png svg pdf figures",
    "--plot": "picture png svg pdf figure image",
    "--png": "plot picture figure image pdf",
    "--proba": "probability probabilities predict-proba",
    "--seed": "random random-seed",
    "--show-depth": "depth print-depth",
    "--target": "y class label response outcome target-column",
    "--task": "mode regression classification regressor classifier",
    "advise": "recommend auto automl",
    "cv": "validate cross-validate crossval",
    "datasets": "data list describe info summary",
    "fit": "train grow tree learn build",
    "predict": "test score evaluate apply",
    "rank": "importance importances features",
    "show": "plot print export view draw convert",
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
        words.update(dict.fromkeys(MEANT.get(option, "").split(), option))
    words |= {name: option for name, option in OPTIONS.items() if option in known}
    words |= {option.lstrip("-"): option for option in known}
    alike = {name.replace("_", "-"): option for name, option in words.items()}
    return did_you_mean(typed.lstrip("-").replace("_", "-"), alike, least=0.8)


class Commands(TyperGroup):
    """A group that says which of its commands an unknown one may be."""

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        """The command that is called."""
        if args[0] not in self.commands:
            hint = meant_by(args[0], self.commands) or f"there are {', '.join(self.commands)}"
            ctx.fail(f"No such command '{args[0]}'; {hint}")
        return super().resolve_command(ctx, args)
