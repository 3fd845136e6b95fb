"""`Advice`, the result of `advise`: the recommended tree, a sentence, the table of candidates,
code.

It prints as text, shows as HTML in notebooks, and writes a page of its own (`Advice.to_html`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from os import PathLike
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING, Any

from .. import presets
from .._checks.naming import written
from .._checks.plain_text import one_line
from .._checks.saving import save_text
from .._checks.words import argument, counted, in_text, some_of, worded
from ..exports.svg import svg_of_page
from ..exports.tables.html import STYLE, bar, paragraph
from ..exports.tables.listing import Records
from ..exports.words import xml
from ..metrics.cost import costs_in_words
from ..pruning.base import Pruning
from ..table.data_checks import inspect
from .screening import DROPPED, Source
from .selection import CLEARLY, FEW, MANY
from .tasks import Judge
from .trials import Choice, TriedCandidates

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from ..table import Table
    from ..table.dates import DateOrder


LISTED = 12
"""Candidates that the text lists beside the constants."""

PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none';style-src 'unsafe-inline'">
<title>{title}</title>
<style>:root{{color-scheme:light dark}}body{{font:16px/1.5 system-ui,sans-serif;max-width:70em;
margin:2em auto;padding:0 1em}}h1{{font-size:1.5em}}h2{{font-size:1.15em;margin-top:1.6em}}
pre{{overflow-x:auto;padding:.8em;border:1px solid #9aa5b4;border-radius:4px}}
.lead{{font-size:1.15em}}.tree{{overflow-x:auto}}</style></head><body>
<h1>{title}</h1>
{body}
</body></html>
"""


class Advice:
    """Result of `fasttree.advise`.

    Attributes:
        model: the recommended `FastTreeClassifier` or `FastTreeRegressor`, fitted on all rows.
        params: its parameters (empty when no candidate beats the majority class, or the mean).
        task: ``"classification"`` or ``"regression"``.
        metric: name of the metric that candidates were compared by.
        value: the metric to expect on new rows, from out-of-fold predictions, corrected for the
            choice; in the metric's own orientation.
        accuracy: share of new rows that it classifies rightly: `value`, or with another metric the
            accuracy of the out-of-fold predictions; None for a number.
        mae: `value` if it is the mean absolute error, in the unit of the target, else None.
        standard_error: standard error of `value`.
        majority: share of the most frequent class, and `majority_class` its label; None for a
            number.
        mean: mean of the target, and `mae_of_mean` its mean absolute error; None for classes.
        table: one row per candidate with the metric (`accuracy` or `mae` by default), standard
            error, leaves and depth (means over the folds), whether it is within one standard error
            of the best, and whether it was chosen; where the smallest class has less than a tenth
            of the rows, and at least five, also its `recall` and `precision`.
        rare_class: that class, and `rare_share` its share of the rows; None without one.
        threshold: of two classes, the probability of the second one from which on answering it is
            best for the metric, by out-of-fold probabilities; None for the accuracy and for metrics
            that read no labels. The sentence names it where it is clearly better than the tree's
            own answers.
        stability: how often 100 refits of the recommended tree on bootstrap samples agree
            (`Stability`), which the notes summarise in a sentence; None for data on which refits
            take long, and with `time_limit`.
        by_time: the metric of the recommended tree by earlier rows, where the rows are in the
            order of a date or a number that counts time by its name, or the tree splits on a year;
            else None.
        codes: names of columns of numbers that may be codes of categories.
        left_out: (column, reason) of the columns left out.
        dates: names of the columns of which year, month and weekday are used.
        automatic: phrases on settings that follow the criterion and differ between candidates.
        not_tried: names of the candidates for which there was no time, then of those that `work`
            does not allow.
        work, time_limit: as they were given.
        n_rows, compared: rows of the data, and rows that the candidates were compared on.
        folds: description of the folds.
        seconds: wall time.
    """

    def __init__(
        self,
        choice: Choice,
        tried: TriedCandidates,
        judge: Judge,
        table: Table,
        *,
        left_out: list[tuple[str, str]],
        dates: dict[str, DateOrder],
        unlabelled: int,
        over_budget: list[str],
        automatic: list[str],
        work: str,
        time_limit: float | None,
        folds: str,
        groups: str | None,
        exposure: str | None,
        hints: list[str],
        source: Source,
        dropped: list[str],
        started: float,
    ) -> None:
        self.model, self.params = choice.model, choice.params
        self.value, self.standard_error = choice.value, choice.standard_error
        self._judge, self.task, self.metric = judge, table.task, judge.metric
        self.mae = self.value if judge.metric == "mae" else None
        facts, rare = judge.facts, judge.rare
        self.rare_class = None if rare is None else rare.label
        self.rare_share = None if rare is None else rare.share
        self.majority, self.majority_class = facts.get("majority"), facts.get("majority_class")
        self.mean, self.mae_of_mean = facts.get("mean"), facts.get("mae_of_mean")
        self._doubts, self._later = choice.doubts, choice.later
        self.by_time = None if choice.later is None else choice.later.value
        self._threshold, self.stability = choice.threshold, choice.stability
        self.threshold = None if choice.threshold is None else choice.threshold.at
        self.left_out, self.unlabelled = left_out, unlabelled
        self.not_tried, self._late = [*tried.not_tried, *over_budget], tried.not_tried
        self.codes = [one.column for one in inspect(table).of("codes")]
        self.dates, self.automatic = list(dates), automatic
        self.work, self.time_limit = work, time_limit
        self._groups, self._exposure, self._hints = groups, exposure, hints
        self.n_rows, self.compared, self.folds = len(table), len(judge.truth), folds
        self.target = table.target
        # What `code` needs to repeat the fit.
        self._source, self._dates = source, dates
        self._unused = {**dict.fromkeys(dropped, DROPPED), **dict(left_out)}
        nominal = [column.name for column in table.columns if column.kind == "nominal"]
        self._nominal = nominal if source.nominal else []
        rows = tried.rows
        self._further = {
            f"{key} (%)" if key == "accuracy" else f"{key} of {self.rare_class} (%)": key
            for key in ("accuracy", "recall", "precision")
            if key in rows[0] and key != judge.metric
        }
        rows.sort(key=lambda r: (not r["chosen"], -r[judge.metric] / judge.scale, r["leaves"]))
        self.table = self._records(rows)
        chosen = self.value if judge.metric == "accuracy" else self.table[0].get("accuracy")
        self.accuracy: float | None = chosen
        self.seconds = monotonic() - started

    @property
    def sentence(self) -> str:
        """The recommendation in words: the tree and its value on new rows, doubts about the
        columns, and the recall and precision of a rare class. Where no tree is better than a
        constant, it names the constant."""
        row, judge = self.table[0], self._judge
        rare = judge.of_rare(row)
        if not self.params:
            return judge.no_tree(row["candidate"], *self._doubts) + rare
        leaves = self.model.get_n_leaves()
        said = [judge.sentence(row["candidate"], leaves, self.value, self.standard_error)]
        if leaves > MANY:
            said += self._of_size()
        if self._later is not None:
            text = f"{self._later.said[0].upper()}{self._later.said[1:]}"
            if self._later.is_better:
                said.append(text)
            else:
                said[0] = (
                    f"On later rows this tree is no better than a constant. {text} For rows in no "
                    f"order of time: {said[0][0].lower()}{said[0][1:]}"
                )
        return " ".join([*said, *self._doubts, *self._of_threshold()]) + rare

    def _records(self, rows: list[dict[str, Any]], most: int | None = None) -> Records:
        """All candidates as records. The first `most` and the constants are displayed; None:
        all."""
        judge, most = self._judge, len(rows) if most is None else most
        displayed = [r for i, r in enumerate(rows) if i < most or r["criterion"] is None]
        more, all_of = len(rows) - len(displayed), worded("print(advice.table)", "--full")
        return Records(
            rows,
            {
                "candidate": "candidate",
                judge.header: lambda r: judge.format(r[judge.metric]),
                " ": lambda r: bar(judge.bar_length(r), 120),
                "+-": lambda r: judge.format(r["standard_error"]),
                **{head: _percent(key) for head, key in self._further.items()},
                "leaves": lambda r: f"{r['leaves']:.1f}",
                "depth": lambda r: f"{r['depth']:.1f}",
                "": _mark,
            },
            title=f"Candidates on the same folds ({self.folds or 'none'})",
            notes=[f"... and {more} more: {all_of}"] if more else [],
            wrap=("",),
            most=len(displayed),
            displayed=displayed,
        )

    def _of_size(self) -> Iterator[str]:
        """A sentence on the value of a tree of few leaves, if one was tried."""
        small = (row for row in self.table if row["criterion"] and 1.5 <= row["leaves"] <= FEW)
        judge = self._judge
        best = max(small, key=lambda row: row[judge.metric] / judge.scale, default=None)
        if best is not None:
            option = worded(f"max_leaf_nodes={FEW}", f"`--max-leaves {FEW}`")
            value = judge.in_words(best[judge.metric])
            yield f"With at most {FEW} leaves about {value}: {option}."

    def _of_threshold(self) -> Iterator[str]:
        """A sentence on the gain by the threshold, if it is clear."""
        found = self._threshold
        if found is None or found.value - found.usual <= CLEARLY * found.error:
            return
        judge, label = self._judge, self.model.classes_.tolist()[1]
        own, usual = (judge.format(abs(value)) for value in (found.value, found.usual))
        at = f"{found.at:g}"
        use = worded(f"model.predict_proba(X)[:, 1] >= {at}", f"`ftree predict --threshold {at}`")
        yield (
            f"Answering {label!r} from a probability of {at} on, its {judge.measure} is "
            f"about {own} instead of {usual}, by out-of-fold probabilities: {use}."
        )

    @property
    def notes(self) -> list[str]:
        """One sentence each on columns and rows that were left out, sampling, automatic settings,
        the correction for the choice, and candidates that were not tried. `to_text` and `to_html`
        print them."""
        notes = [f"Left out: {name} ({why})." for name, why in self.left_out]
        if self.dates:
            notes.append(f"Year, month and weekday stand for the dates {', '.join(self.dates)}.")
        if self.unlabelled:
            said = f"{counted(self.unlabelled, 'row')} without a {self._judge.without}"
            notes.append(f"Left out: {said}.")
        if self.codes:
            notes.append(
                f"Numbers that are codes of categories, by the name: {some_of(self.codes)}; to "
                f"read them as levels: {in_text(argument('categorical_features', self.codes))}."
            )
        # Without a full stop, which would stick to what is to be typed.
        notes += [f"{sentence[:1].upper()}{sentence[1:]}" for sentence in self._hints]
        notes.append(f"{counted(self.n_rows, 'row')}, {self._judge.target_text()}")
        if self.compared < self.n_rows:
            notes.append(
                f"Candidates were compared on a sample of {counted(self.compared, 'row')}; the "
                "tree is fitted on all, with no more leaves than there."
            )
        if self.automatic:
            notes.append(f"Automatic settings: {'; '.join(self.automatic)}.")
        costs = self._judge.shared.get("cost_matrix")
        if costs is not None:
            notes.append(f"Costs: {costs_in_words(costs, self.model.classes_.tolist())}.")
        if self._groups is not None:
            notes.append(f"Folds keep rows of one {self._groups!r} together; it is no feature.")
        tried = sum(row["criterion"] is not None for row in self.table)
        notes.append(
            f"{tried} of {counted(tried + len(self.not_tried), 'candidate')} tried; the "
            f"{self._judge.measure} of the recommendation is corrected for choosing among them "
            "(judged on rows that took no part in the choice)."
        )
        if self.stability is not None:
            notes.append(self.stability.root_sentence())
        late, dear = self._late, self.not_tried[len(self._late) :]
        if self.time_limit is not None:
            end = f"was up; not tried: {'; '.join(late)}" if late else "was not reached"
            notes.append(f"The time limit of {self.time_limit:g} s {end}.")
        if dear:
            more = "" if self.work == "thorough" else " (thorough allows more)"
            notes.append(f"Too much for the work {self.work!r}{more}: {'; '.join(dear)}.")
        return notes

    @property
    def code(self) -> str:
        """Python lines that read the same rows, leave the same columns out and fit the recommended
        tree. They run as printed where X was a file or the name of a data set; a frame or an array
        must be in a variable `frame` or `X, y`. It is a comment where no tree is recommended."""
        if not self.params:
            return "# no tree is recommended\n"
        gaps = self.unlabelled > 0
        head = self._source.code(
            self.target, self._unused, has_gaps=gaps, task=self.task, dates=self._dates
        )
        parts = [f"{name}={python_of(value)}" for name, value in self.params.items()]
        if presets.C45.items() <= self.params.items():
            own = [f"{k}={python_of(v)}" for k, v in self.params.items() if k not in presets.C45]
            parts = ["**fasttree.presets.C45", *own]
        arguments = ", ".join(parts)
        if self._exposure is not None:
            arguments += f", exposure={self._exposure}"
        if self._nominal:
            arguments += f", categorical_features={self._nominal!r}"
        lines = ["import fasttree", "", head, f"model = fasttree.fit(table, {arguments})"]
        return "\n".join(lines) + "\n"

    def plot(self, ax: Axes | None = None, **options: Any) -> Any:
        """Draw the recommended tree with matplotlib; the options and the result are described at
        `fasttree.plots.plot_tree`. A constant is drawn as a single leaf."""
        return self.model.plot(ax=ax, **options)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values, ready for JSON: sentence, metric and its value, parameters,
        candidates. Values that JSON does not have, such as a pruning, are their repr."""
        return {
            "sentence": self.sentence,
            "task": self.task,
            self.metric: self.value,
            "metric": self.metric,
            "standard_error": self.standard_error,
            f"{self._judge.metric}_is": (
                "out-of-fold, corrected: rows judge a choice that they took no part in"
            ),
            **{name: _plain(value) for name, value in self._judge.facts.items()},
            "rows": self.n_rows,
            "rows_compared": self.compared,
            "leaves": int(self.model.get_n_leaves()),
            "params": {k: _plain(v) for k, v in self.params.items()},
            "code": self.code,
            "dates": self.dates,
            "left_out": [{"column": name, "reason": why} for name, why in self.left_out],
            "threshold": self.threshold,
            "by_time": self.by_time,
            "stability": None if self.stability is None else self.stability.to_dict(),
            "rare_class": _plain(self.rare_class),
            "automatic": self.automatic,
            "work": self.work,
            "time_limit": self.time_limit,
            "groups": self._groups,
            "not_tried": list(self.not_tried),
            "folds": self.folds,
            "seconds": self.seconds,
            "candidates": list(self.table),
        }

    def to_text(self, code: str | None = None, *, full: bool = False) -> str:
        """Everything as text.

        Args:
            code: Python or a command that fits the tree again, in place of `code`.
            full: whether all candidates are listed; False: the best dozen, and the constants.
        """
        tree = "\n".join(str(self.model).split("\n")[2:])
        said = [one_line(text) for text in (*self.notes, self.sentence)]
        parts = ["\n".join(said[:-1]), str(self._records(self.table, None if full else LISTED))]
        if self.params:
            parts += [tree, (self.code if code is None else code).rstrip("\n")]
        return "\n\n".join([*parts, said[-1]])

    def __str__(self) -> str:
        return self.to_text()

    def __repr__(self) -> str:
        return f"Advice: {one_line(self.sentence)}"

    def _body(self) -> str:
        """The page without its frame, which is also what notebooks show."""
        parts = [
            f'<p class="lead"><strong>{xml(self.sentence)}</strong></p>',
            f'<div class="tree" style="overflow-x:auto">{svg_of_page(self.model, 60)}</div>',
            "<h2>Notes</h2>",
            *(paragraph(note) for note in self.notes),
            "<h2>Candidates</h2>",
            self.table._repr_html_(),
            "<h2>Code</h2>",
            "<pre>",
            *map(xml, self.code.split("\n")),
            "</pre>",
        ]
        return "\n".join(parts)

    def _repr_html_(self) -> str:
        return f'{STYLE}<div class="ft-out">{self._body()}</div>'

    def to_html(self, path: str | PathLike[str] | None = None) -> str:
        """An HTML page without scripts and external links; written to `path` if that is given. It
        has the sentence, the tree, the notes, the candidates and the code; an existing file is
        replaced."""
        title = f"Which tree for {self.target}?"
        page = PAGE.format(title=xml(title), body=self._body())
        if path is not None:
            save_text(Path(path), page)
        return page


def _percent(key: str) -> Callable[[dict[str, Any]], str]:
    """The cell of a share."""
    return lambda row: f"{100 * row[key]:.1f}"


def python_of(value: Any) -> str:
    """A parameter as Python that runs after ``import fasttree``. A pruning becomes a call with the
    options that differ from their defaults."""
    if not isinstance(value, Pruning):
        return written(value, with_state=True)
    usual = type(value)().get_params()
    own = [f"{k}={written(v)}" for k, v in value.get_params().items() if v != usual[k]]
    return f"fasttree.pruning.{type(value).__name__}({', '.join(own)})"


def _mark(row: dict[str, Any]) -> str:
    return "recommended" if row["chosen"] else "within one s.e." if row["within_one_se"] else ""


def _plain(value: Any) -> Any:
    """A value that JSON has, or its repr."""
    return value if isinstance(value, (str, int, float, bool, type(None))) else repr(value)
