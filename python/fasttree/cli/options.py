"""Options that several commands share, and the reading of their texts.

`Columns`, `Trees` and `Run` are bundles of options (`bundles`). The functions turn texts into
criteria, parameters and Tables, and warn of columns that need an option.
"""

from __future__ import annotations

import ast
import shutil
import sys
import tempfile
import warnings
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import Annotated, Any

import typer

from .._checks.naming import did_you_mean
from .._checks.words import argument
from .shell import SHELL, cells_by_column, split_list


def _file_of(context: typer.Context, data: str | None) -> str | None:
    """The data of a command; of ``-`` a file with what standard input holds, ``stdin.csv``, which
    is removed when the command ends.

    Args:
        context: the context of the command.
        data: the argument DATA.

    Raises:
        ValueError: standard input is asked for and is empty.
    """
    if data != "-" or context.resilient_parsing:
        return data
    folder = context.with_resource(tempfile.TemporaryDirectory(prefix="ftree-"))
    file = Path(folder) / "stdin.csv"
    with file.open("wb") as stream:
        shutil.copyfileobj(sys.stdin.buffer, stream)
    if not file.stat().st_size:
        raise ValueError("DATA is -, and standard input is empty: pipe CSV into it")
    return str(file)


DATA = typer.Argument(
    metavar="DATA",
    callback=_file_of,
    help=(
        "A data file (ARFF, CSV, C4.5, Parquet, .bed, ...), openml:NAME, or a bundled data set "
        "(ftree datasets); - reads CSV from standard input."
    ),
    show_default=False,
)
DataFile = Annotated[str, DATA]
MaybeDataFile = Annotated[str | None, DATA]
TaskName = Annotated[
    str | None,
    "--task",
    "classification, or regression: the target is a number. Default: regression if the "
    "criterion is one on numbers, or the target has fractions.",
]
COST_ORDER = (
    "rows: true classes, columns: predictions, in the order of the classes, which is sorted where "
    "the file declares none"
)
"""The meaning of the rows and columns of a cost matrix, for help."""

Criterion = Annotated[
    str | None,
    "--criterion -c",
    "Split criterion, with options if need be: 'f_measure(beta=2)'. Default: the preset's, "
    "else info_gain; of a number squared_error (also absolute_error, poisson, ...).",
]
Criteria = Annotated[
    list[str] | None,
    "--criteria -c",
    "Split criteria, with commas: info_gain,gini,'f_measure(beta=2)'; on numbers "
    "squared_error,absolute_error,quantile,poisson,standard_deviation.",
]
Params = Annotated[
    list[str] | None,
    "--param -p NAME=VALUE",
    "A parameter of the tree, e.g. max_depth=5, or 'cost_matrix=[[0, 1], [10, 0]]' "
    f"({COST_ORDER}). -p help lists all of them.",
]
Jobs = Annotated[int, "--n-jobs -j", "Threads; -1 is all cores. Results do not depend on it."]
Stability = Annotated[
    int | None,
    typer.Option(
        "--stability",
        metavar="N",
        min=1,
        help="Refit each tree on N bootstrap samples of all rows (of whole groups with --groups; "
        "subsamples with a selection by significance): what do the refits ask, and how much do "
        "they agree?",
    ),
]
Json = Annotated[Path | None, "--json FILE", "Write the result as strict JSON; '-' is stdout."]
Csv = Annotated[Path | None, "--csv FILE", "Write the rows of the table as CSV."]
Pictures = Annotated[Path | None, "--pictures DIR", "Draw pictures into this folder."]
Form = Annotated[str, "--form -f", "How tables are printed: text, markdown, latex, csv or json."]


@dataclass(frozen=True)
class Columns:
    """Which columns of a data file are used, and how its text is read; a bundle of options of every
    command that reads data."""

    target: Annotated[
        str | None,
        "--target -t",
        "Target column: its name, or its position (0 the first, -1 the last). Default: "
        "'class', else the last column.",
    ] = None
    drop: Annotated[
        list[str] | None, "--drop", "Columns to leave out, with commas or given several times."
    ] = None
    nominal: Annotated[
        list[str] | None,
        "--nominal",
        "Columns of numbers that are codes, with commas, or 'all': each number is a level.",
    ] = None
    decimal: Annotated[
        str | None,
        "--decimal MARK",
        "How a CSV writes numbers: ',' as 1.234,5 or '.' as 1,234.5. Default: detected.",
    ] = None
    missing: Annotated[
        list[str] | None,
        "--missing TEXT",
        "Texts and numbers of a CSV that mean a missing cell, beside ?, NA and NaN: "
        "n/a,none; of one column: age=999. 'country=\"\"': only empty cells, so that NA is a "
        "level. A model that is saved keeps them.",
    ] = None
    task: TaskName = None
    use: Annotated[
        str,
        "--columns HOW",
        "auto: identifiers, free text and columns of one value are left out, and year, month "
        "and weekday stand for dates; as_given: all columns are used as they are.",
    ] = "auto"
    keep: Annotated[
        list[str] | None,
        "--keep COLUMN",
        "Columns that are used as they are whatever they hold, with commas or given several times.",
    ] = None
    exposure: Annotated[
        str | None,
        "--exposure COLUMN",
        "The time, area or size over which each count was seen: rates are predicted (for -c "
        "poisson).",
    ] = None
    header: Annotated[
        str | None,
        "--header YES|NO",
        "Whether the first line of a CSV has the names of the columns. Default: detected.",
    ] = None
    dates: Annotated[
        list[str] | None,
        "--dates COLUMN=ORDER",
        "How dates of a file are written where day and month, or year, are in doubt: when=dmy "
        "(or ymd, mdy; 'when=ymd Europe/Berlin'), with commas or given several times.",
    ] = None

    @property
    def treatment(self) -> Any:
        """The value of the parameter `columns` of trees, by ``--columns`` and ``--keep``.
        ValueError where both are given and contradict each other.

        >>> Columns().treatment, Columns(keep=["id,year"]).treatment
        ('auto', {'id': 'as_given', 'year': 'as_given'})
        """
        from .._checks import one_of

        kept = split_list(self.keep)
        one_of("--columns", self.use, ("auto", "as_given"))
        if kept and self.use == "as_given":
            raise ValueError("--keep with --columns as_given: all columns are kept; leave one out")
        return dict.fromkeys(kept, "as_given") or self.use

    @property
    def reading(self) -> dict[str, Any]:
        """The options on text files as keywords of `fasttree.datasets.load`.

        >>> Columns(decimal=",", missing=["n/a,none"]).reading, Columns().reading
        ({'decimal': ',', 'missing': ['n/a', 'none']}, {})
        >>> Columns(missing=["n/a,age=999", "age=-9"]).reading
        {'missing': {None: ['n/a'], 'age': ['999', '-9']}}
        >>> Columns(dates=["when=dmy,born"]).reading
        {'dates': {'born': None, 'when': 'dmy'}}
        """
        cells = cells_by_column(self.missing)
        missing: Any = cells.get(None) if cells.keys() <= {None} else cells
        words = {None: None, "yes": True, "no": False}
        if self.header not in words:
            raise ValueError(f"--header {self.header}: use yes or no")
        header = words[self.header]
        orders = cells_by_column(self.dates)
        dates: dict[Any, Any] = dict.fromkeys(orders.pop(None, ()))
        dates |= {name: order for name, (*_, order) in orders.items()}
        given = {"header": header, "decimal": self.decimal, "missing": missing or None}
        given["dates"] = dates or None
        return {name: value for name, value in given.items() if value is not None}

    @property
    def names(self) -> set[str]:
        """The columns that options name, other than the target and the exposure.

        >>> sorted(Columns(drop=["id"], nominal=["all"], missing=["?,age=9"], dates=["day"]).names)
        ['age', 'day', 'id']
        """
        read = [value for value in self.reading.values() if isinstance(value, dict)]
        own = [] if self.nominal == ["all"] else split_list(self.nominal)
        return {*split_list(self.drop), *split_list(self.keep), *own, *chain(*read)} - {None}

    @property
    def kinds(self) -> Any:
        """The value of ``--nominal``: names of columns, "all", or "from_dtype" by default.

        >>> Columns(nominal=["all"]).kinds, Columns(nominal=['"all"']).kinds
        ('all', ['all'])
        """
        return "all" if self.nominal == ["all"] else split_list(self.nominal) or "from_dtype"

    def table(
        self,
        data: str,
        criteria: Iterable[Any] = (),
        settings: dict[str, Any] | None = None,
        *,
        aside: Iterable[str] = (),
        lacking: Collection[str] = (),
    ) -> Any:
        """The Table of a data argument, without the rows that have no class or number.

        Args:
            data: a file, or the name of a data set.
            criteria, settings: criteria and parameters of trees, which may imply the task.
            aside: columns that are no features, which need no warnings.
            lacking: columns that this file does not have; options that name them skip them.
        """
        from ..datasets import load
        from ..datasets.errors import check_columns
        from ..datasets.inputs import as_nominal, drop_unlabelled
        from ..estimators.tree import task_named
        from ..table.exposure import with_exposure

        task: Any = self.task
        for criterion in (None, *criteria):
            task = task_named(task, criterion, settings or {})
        if self.exposure is not None:
            task, aside = task or "regression", [*aside, self.exposure]
        as_given, kinds = self.treatment == "as_given", self.kinds
        drop, keep = (
            [name for name in split_list(names) if name not in lacking]
            for names in (self.drop, self.keep)
        )
        reading: dict[str, Any] = {
            option: {name: one for name, one in value.items() if name not in lacking}
            if isinstance(value, dict)
            else value
            for option, value in self.reading.items()
        }
        SHELL.file = data, None
        read = load(data, self.target, drop, task=task, as_given=as_given, **reading)
        SHELL.file = data, len(read)
        check_columns(keep, read.feature_names, data, "--keep")
        if not isinstance(kinds, str):
            kinds = [name for name in kinds if name not in lacking]
            check_columns(kinds, read.feature_names, data, "--nominal")
        table = drop_unlabelled(as_nominal(read, kinds), f"{data}: ")
        kept_aside = [name for name in aside if name in table.feature_names]
        warn_of_traps(table.drop(*kept_aside) if kept_aside else table, data)
        return table if self.exposure is None else with_exposure(table, self.exposure)


@dataclass(frozen=True)
class Trees:
    """A preset and parameters of the trees, a bundle of options of commands that fit."""

    preset: Annotated[
        str | None,
        "--preset",
        "Start from a preset: ID3, C45, CART, CTREE, CHAID, VILALTA2001, CHEN2013, FMEASURE.",
    ] = None
    param: Params = None

    def settings(self, known: list[str] | None = None) -> dict[str, Any]:
        """Parameters of the trees as Python values: the preset's, replaced by those that are given.
        `known` as in `params_of`; ValueError for a parameter that trees do not have."""
        return params_of(self.param, self.preset, known)

    def settings_without_criterion(self) -> dict[str, Any]:
        """Parameters of the trees, without a criterion, for commands that compare several
        criteria."""
        return {name: value for name, value in self.settings().items() if name != "criterion"}


@dataclass(frozen=True)
class Run:
    """The seed and the threads of a command, a bundle of options."""

    seed: Annotated[int, "--seed", "Seed of folds and of random choices."] = 0
    n_jobs: Jobs = -1

    @property
    def keywords(self) -> dict[str, Any]:
        """Seed and threads as keywords of a function of the package, `random_state` and
        `n_jobs`."""
        return {"random_state": self.seed, "n_jobs": self.n_jobs}


def value_of(text: str) -> Any:
    """The value of a text: a number, True, False, None, a list, or the text itself.

    >>> value_of("5"), value_of("none"), value_of("gini"), value_of("[1, 2]")
    (5, None, 'gini', [1, 2])
    """
    literals = {"true": "True", "false": "False", "none": "None", "null": "None"}
    try:
        return ast.literal_eval(literals.get(text.lower(), text))
    except (ValueError, SyntaxError):
        return text


def pairs_of(items: list[str], what: str) -> dict[str, Any]:
    """NAME=VALUE texts as a dictionary.

    Args:
        items: the texts.
        what: the option that they are given by, for errors.

    Raises:
        ValueError: a text of another form.

    >>> pairs_of(["max_depth=3"], "--param")
    {'max_depth': 3}
    """
    pairs = {}
    for item in items:
        name, equals, value = item.partition("=")
        if not equals or not name.strip():
            raise ValueError(f"{what} {item!r} is not of the form NAME=VALUE")
        pairs[name.strip()] = value_of(value.strip())
    return pairs


def _with_options(text: str, what: str) -> tuple[str, dict[str, Any]]:
    """The name in a text, and its options in brackets.

    Args:
        text: the text, such as "f_beta(beta=2)".
        what: what it names, for errors.

    Raises:
        ValueError: a bracket is not closed, or options of another form than NAME=VALUE.
    """
    name, bracket, rest = (part.strip() for part in text.partition("("))
    if bracket and not rest.endswith(")"):
        raise ValueError(f"{what} {text!r}: a closing bracket is missing")
    return name, pairs_of(split_list([rest[:-1]]), f"{what} {name}:") if bracket else {}


def criterion_of(text: str) -> Any:
    """A criterion from its name with options in brackets, or the name, if it is one. ValueError for
    unknown names and options, and for files of Python, which the command does not run.

    >>> criterion_of("f_measure(beta=2)")
    FMeasure(beta=2, variant=None)
    """
    from .. import criteria

    name, options = _with_options(text, "criterion")
    if ".py" in name or ":" in name:
        raise ValueError(
            f"-c {text}: the command takes the names that `ftree criteria` lists; a function of "
            "your own is for Python: fasttree.fit(data, criterion=function), compare(data, "
            "{'name': function})"
        )
    made: Any = criteria.make(name)
    return made.set_params(**options) if options else name


def metric_of(text: str, costs: Any = None) -> Any:
    """A metric from its name, or its name with options in brackets.

    Args:
        text: as it is typed.
        costs: the cost matrix of the trees, by which ``expected_cost`` judges if it has none.

    >>> metric_of("auc"), metric_of("f_beta(beta=2)")
    ('auc', Scorer('f_beta', beta=2))
    >>> metric_of("expected_cost", [[0, 1], [10, 0]])
    Scorer('expected_cost', cost_matrix=[[0, 1], [10, 0]])
    """
    from ..metrics import Scorer

    name, options = _with_options(text, "metric")
    if name in ("expected_cost", "cost") and "cost_matrix" not in options:
        if costs is None:
            raise ValueError(
                f"--metric {text} needs costs: --metric 'expected_cost(cost_matrix=[[0, 1], "
                f"[10, 0]])' ({COST_ORDER}); without costs it is error_rate"
            )
        options["cost_matrix"] = costs
    return Scorer(name, **options) if options else text


def criteria_of(texts: Iterable[str] | None) -> dict[str, Any]:
    """Criteria by their texts, in order; each text may hold several, with commas. Empty for
    None."""
    return {text: criterion_of(text) for text in split_list(texts)}


def compared(
    named: dict[str, Any], usual: Sequence[str], settings: dict[str, Any]
) -> dict[str, Any]:
    """The criteria that are named, else the usual ones; one of these where no split reads them.

    Args:
        named: the criteria that the user names.
        usual: names of the usual ones.
        settings: parameters of the trees.

    Raises:
        ValueError: criteria are named that no split reads.
    """
    from ..estimators.conditions import ignores_criterion

    if not ignores_criterion(settings):
        return named or criteria_of(usual)
    if named:
        raise ValueError(
            f"-c {','.join(named)}: selection=significance chooses features and cuts by tests, not "
            "by a criterion; leave -c out, or add -p cut=criterion (without merge_levels)"
        )
    return criteria_of(usual[:1])


def pruning_of(text: str) -> Any:
    """A method of pruning from its name, or an object of `fasttree.pruning` as Python writes it.
    Arguments must be plain values, which are read and not evaluated; ValueError for anything else.

    >>> pruning_of("mdl"), pruning_of("MEstimate(m=4)")
    ('mdl', MEstimate(m=4))
    """
    from .. import pruning

    name, bracket, _ = text.partition("(")
    if not bracket:
        return value_of(text)
    kinds = {kind.__name__: kind for kind in pruning.PRUNINGS.values()}
    kind = {**kinds, **pruning.PRUNINGS}.get(name.strip())
    if kind is None:
        raise ValueError(f"--param pruning={text}: there are {', '.join(kinds)}")
    try:
        call: Any = ast.parse(text.strip(), mode="eval").body
        options = {one.arg: ast.literal_eval(one.value) for one in call.keywords}
        return kind(*map(ast.literal_eval, call.args), **options)
    except (AttributeError, SyntaxError, ValueError, TypeError) as error:
        raise ValueError(f"--param pruning={text}: {error}") from error


def typed_params(params: dict[str, Any]) -> list[str]:
    """Parameters of trees as the words that are typed in a shell, without quotes.

    >>> typed_params({"criterion": "gini", "max_depth": None, "ties": "even"})
    ['-c', 'gini', '-p', 'max_depth=None', '-p', 'ties=even']
    """
    from .. import presets, pruning
    from ..advice.result import python_of

    words_of = {python_of(method): word for word, method in pruning.WORDS.items()}
    words: list[str] = []
    if presets.C45.items() <= params.items():
        words = ["--preset", "C45"]
        params = {name: value for name, value in params.items() if name not in presets.C45}
    for name, value in params.items():
        text = value if isinstance(value, str) else python_of(value)
        text = words_of.get(text, text).removeprefix("fasttree.pruning.")
        words += ["-c", text] if name == "criterion" else ["-p", f"{name}={text}"]
    return words


def parameters_text(known: Sequence[str]) -> str:
    """These parameters of trees with their defaults, one line per group, for help. Names that are
    not parameters are left out.

    >>> print(parameters_text(["max_depth", "ties", "pruning"]))
    growth: ties='first', max_depth=None
    pruning: pruning=None
    """
    from ..estimators.declaration import GROUPS, PARAMETERS

    lines = []
    for group in GROUPS:
        members = [one for one in PARAMETERS.values() if one.group == group and one.name in known]
        if members:
            lines.append(f"{group}: " + ", ".join(f"{one.name}={one.default!r}" for one in members))
    return "\n".join(lines)


def params_of(
    texts: list[str] | None, preset: str | None = None, known: list[str] | None = None
) -> dict[str, Any]:
    """Parameters from a preset and NAME=VALUE texts.

    Args:
        texts: of ``--param``.
        preset: name of a preset, in any case.
        known: names that are allowed; default: the parameters of trees.

    >>> params_of(["max_depth=3"], "id3")["min_score"]
    1e-06
    """
    from .. import presets
    from ..estimators import FastTreeClassifier, FastTreeRegressor
    from ..estimators.declaration import PARAMETERS

    params: dict[str, Any] = {}
    if preset is not None:
        by_name = {name.lower(): name for name in presets.__all__}
        if preset.lower() not in by_name:
            raise ValueError(
                f"preset {preset!r} is not known; there are {', '.join(by_name.values())}"
            )
        params.update(getattr(presets, by_name[preset.lower()]))
    grown = {*FastTreeClassifier._get_param_names(), *FastTreeRegressor._get_param_names()}
    known = sorted(grown) if known is None else known
    if "help" in (texts or []):
        print(parameters_text(known))
        raise typer.Exit
    typed = pairs_of(texts or [], "--param")
    for name in typed:
        if name not in known:
            hint = did_you_mean(name, known, f"there are {', '.join(known)}")
            what = "not one here, only of trees that grow" if name in grown else "no such parameter"
            raise ValueError(f"--param {name}: {what}; {hint}")
    words = {name for name, one in PARAMETERS.items() if "none" in one.choices}
    typed |= {name: "none" for name in words & typed.keys() if typed[name] is None}
    if isinstance(typed.get("pruning"), str):
        typed["pruning"] = pruning_of(typed["pruning"])
    params |= typed
    return params


def fold_count(text: str) -> Any:
    """The value of ``--cv``: a number of folds if the text has digits only, else the text itself,
    such as "5x10"."""
    return int(text) if text.isdigit() else text


def warn_of_traps(table: Any, data: str) -> None:
    """Warn of columns that look like numbers with a comma or codes, and where columns are not
    screened like dates or identifiers, with the option that mends each.

    Args:
        table: the rows.
        data: the file or bundled set that they were read from.
    """
    from .._checks.data_warnings import skip_checks_from_now_on
    from ..table.data_checks import inspect

    skip_checks_from_now_on("dates", "hidden_numbers", "codes")  # they are said here
    findings, kinds = inspect(table), ["hidden_numbers", "codes"]
    traps = {
        one.column: "dates as text" if one.kind == "dates" and one.evidence else one.text
        for one in (findings.of_columns if table.as_given else ())
        if one.action is not None and one.kind not in ("constants", "hidden_numbers")
    }
    if traps:
        said = "; ".join(f"{name}: {why}" for name, why in traps.items())
        warnings.warn(f"{data}: {said}; leave out: {argument('drop', list(traps))}", stacklevel=3)
        if traps.keys() >= {one.column for one in findings.of("thin_levels")}:
            skip_checks_from_now_on("thin_levels")
    # A PLINK file that was read as text needs several options together.
    names = table.feature_names
    if "PHENOTYPE" in names and {"FID", "IID"} <= set(names):
        kinds.remove("codes")
        warnings.warn(
            f"{data}: a PLINK .raw file: the class is PHENOTYPE, genotypes are levels: "
            "-t PHENOTYPE --drop FID,IID,PAT,MAT --nominal all",
            stacklevel=3,
        )
    for sentence in findings.sentences(*kinds):
        warnings.warn(f"{data}: {sentence}", stacklevel=3)


def check_form(form: str) -> str:
    """Return the form of output; ValueError, with the known forms, for another one. HTML pages have
    an option of their own."""
    from .._checks import one_of
    from ..reports import FORMS

    known = tuple(name for name in FORMS if name != "html")  # --html writes pages
    chosen: str = one_of("--form", form, known)
    return chosen
