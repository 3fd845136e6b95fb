"""`sweep`: accuracy, or the errors of predicted numbers, over the settings of the pair criteria, on
the same folds, as a map.

What
    Every combination of criterion, theta, alpha and decay (Vilalta, Brodie, Oblinger & Rish 2001,
    section 5.2) grows its trees in one cross-validation. The settings of a fold share their counts
    of pairs: at a node that the tree of another setting has too, a setting only contracts the
    counts; it counts pairs at nodes that no other tree has.
Complexity
    One pass over the pairs of rows of each distinct node of a fold; O(n (n + 1)) per setting and
    node, n features.
When not to use it
    To choose a setting and report its accuracy as the one to expect: the best of many is biased
    upwards. Choose on training folds.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from .. import criteria
from .._checks import at_least_zero, checked, one_value, random_seed, shown
from .._checks.aliases import CvFolds, MaybeArray, Seed, Task
from .._checks.pair_options import several_fours
from .._checks.progress import Progress
from .._checks.words import counted
from ..exports.tables.forms import Rendered
from ..exports.tables.table import Cell, ReportTable, report_table, scale_of
from .arguments import data_and_criteria
from .result import CrossValidation, mean_cells, spread_note
from .statistics.ties import snap
from .validation import cross_validate

if TYPE_CHECKING:
    from matplotlib.axes import Axes


AXES = ("criterion", "theta", "alpha", "decay")

_OF_RESULT = ("dataset", "method")
"""Columns of the result that repeat a setting in another form."""


def _label(value: Any) -> str:
    if isinstance(value, tuple):
        return "(" + ", ".join(f"{v:g}" for v in value) + ")"
    return f"{value:g}" if isinstance(value, float) else str(value)


@dataclass(eq=False, repr=False)
class Sweep(Rendered):
    """Result of `sweep`.

    Attributes:
        settings: one dict per setting with criterion, theta, alpha and decay, in the order of
            `result.methods`.
        axes: the values of criterion, theta, alpha and decay, in the order given.
        result: the underlying `CrossValidation`, one method per setting.
    """

    kind = "sweep"
    settings: list[dict[str, Any]]
    axes: dict[str, tuple[Any, ...]]
    result: CrossValidation

    def __len__(self) -> int:
        return len(self.settings)

    def __repr__(self) -> str:
        name = f" of {self.result.name!r}" if self.result.name else ""
        varied = ", ".join(f"{len(v)} of {k}" for k, v in self.axes.items() if len(v) > 1) or "one"
        return (
            f"Sweep{name}: {counted(len(self), 'setting')} ({varied}), "
            f"{counted(len(self.result.folds.pairs), 'fold')}"
        )

    def map(self, metric: str | None = None) -> np.ndarray:
        """Mean over folds, shape (criteria, thetas, alphas, decays); NaN where a criterion does not
        have the setting.

        Args:
            metric: default: the first of `scoring`.
        """
        metric = self.result.metrics[0] if metric is None else metric
        means = np.full([len(v) for v in self.axes.values()], np.nan)
        for setting, method in zip(self.settings, self.result.methods, strict=True):
            place = tuple(self.axes[k].index(setting[k]) for k in self.axes)
            means[place] = self.result.mean(method, metric)
        return means

    @property
    def best(self) -> dict[str, Any]:
        """The setting with the best mean of the first metric (the first among equals), with that
        mean. Means that are equal to rounding count as equal; the mean is not corrected for the
        choice, so it is biased upwards."""
        metric = self.result.metrics[0]
        sign = 1.0 if self.result.directions.get(metric, True) else -1.0
        means = [sign * self.result.mean(m, metric) for m in self.result.methods]
        place = int(np.argmax(snap(means))) if np.isfinite(means).all() else int(np.argmax(means))
        return {**self.settings[place], metric: sign * means[place]}

    def records(self) -> list[dict[str, Any]]:
        """One dict per setting and metric: criterion, theta, alpha, decay, metric, mean, sd (of
        folds), sd_repeats, folds."""
        setting_of = dict(zip(self.result.methods, self.settings, strict=True))
        shown = {*self.result.metrics, "leaves", "depth"}
        return [
            {**setting_of[row["method"]], **{k: row[k] for k in row if k not in _OF_RESULT}}
            for row in self.result.summary()
            if row["metric"] in shown
        ]

    def tables(self, *, sd: str = "folds") -> list[ReportTable]:
        """Return one table per metric, laid out as the axes of the sweep. `sd`: "folds", the
        standard deviation of fold values, or of means of repetitions. All text forms render
        these."""
        rows, columns, places, across = self.layout()
        scores = self.result
        title = f"{scores.name}: " if scores.name else ""
        folds = f"{counted(len(scores.folds.pairs), 'fold')} ({scores.folds.description})"
        tables = []
        for metric in scores.metrics:
            cells = [*mean_cells(scores, metric, sd), Cell("")]  # the last stands for no setting
            body = [
                [label, *(cells[place] for place in row)]
                for label, row in zip(rows, places.tolist(), strict=True)
            ]
            head = f"{title}{scale_of(metric).label} by {across}, {folds}"
            tables.append(report_table(head, ["", *columns], body, spread_note(sd, cells)))
        return tables

    def document(self) -> dict[str, Any]:
        """Return the whole result as plain data, for JSON: the axes, the best setting, one record
        per setting, and the settings of the run."""
        return {
            "kind": self.kind,
            "dataset": self.result.name,
            "axes": {name: list(values) for name, values in self.axes.items()},
            "best": self.best,
            "rows": self.records(),
            "settings": self.result.environment(),
        }

    def layout(self) -> tuple[list[str], list[str], np.ndarray, str]:
        """The settings as a table: labels of its rows and of its columns, positions of the
        settings, -1 for none, shape (rows, columns), and the parameter that varies along the
        columns.

        Columns are the alphas (or, with one alpha, the longest other axis), rows all other
        combinations.
        """
        # The axis of the columns, and the combinations of the others that have a setting.
        across = (
            "alpha" if len(self.axes["alpha"]) > 1 else max(AXES, key=lambda k: len(self.axes[k]))
        )
        others = [k for k in AXES if k != across]
        rows = list(itertools.product(*(self.axes[k] for k in others)))
        number = {(*(s[k] for k in others), s[across]): i for i, s in enumerate(self.settings)}
        places = np.array([[number.get((*row, x), -1) for x in self.axes[across]] for row in rows])
        filled: np.ndarray = np.any(places >= 0, axis=1)
        labels = [self._row_label(dict(zip(others, row, strict=True))) for row in rows]
        is_radius = across == "alpha" and set(self.axes["criterion"]) == {"relief"}
        return (
            [label for label, keep in zip(labels, filled, strict=True) if keep],
            [_label(value) for value in self.axes[across]],
            places[filled],
            "radius" if is_radius else across,
        )

    def _row_label(self, row: dict[str, Any]) -> str:
        """The values of a row that vary and are parameters of its criterion."""
        criterion = row.get("criterion", self.axes["criterion"][0])
        parameters = {"criterion", *criteria.make(criterion).get_params()}  # type: ignore[union-attr]
        named = [k for k in row if len(self.axes[k]) > 1 and (k in parameters or k == "alpha")]
        return " ".join(_label(row[k]) for k in named) or str(criterion)

    def plot(self, metric: str | None = None, ax: Axes | None = None, **options: Any) -> Any:
        """Draw the map as a heat map and return the matplotlib axes. `metric` is the first metric
        by default; see `fasttree.plots.accuracy_map` for the options."""
        from ..plots import accuracy_map

        return accuracy_map(self, metric, ax=ax, **options)


def _several(value: Any) -> tuple[Any, ...]:
    """One value or several, as a tuple."""
    alone = isinstance(value, str | bytes) or not np.iterable(value)
    return (value,) if alone else tuple(value)


def _made(
    criterion: str, theta: tuple[float, ...], alpha: float, decay: str | None, at_zero: float
) -> Any:
    """The criterion of one setting. Only parameters that the criterion has, and that are not
    without effect, are set."""
    made: Any = criteria.make(criterion)
    parameters = made.get_params()
    if "radius" in parameters:
        return made.set_params(radius=alpha)
    options: dict[str, Any] = {"alpha": alpha, "at_zero": at_zero}
    if "theta" in parameters:
        options["theta"] = theta
    if decay is not None:
        options["decay"] = decay
    idle = criteria.idle_options({**parameters, **options}, parameters)
    return made.set_params(**{n: v for n, v in options.items() if n not in idle})


def _combinations(
    axes: dict[str, tuple[Any, ...]], at_zero: float
) -> tuple[list[dict[str, Any]], dict[str, Any]]:
    """All settings, and the criterion of each by its label.

    A criterion varies along the parameters that it has.
    """
    thetas, alphas, decays = axes["theta"], axes["alpha"], axes["decay"]
    settings: list[dict[str, Any]] = []
    made: dict[str, Any] = {}
    for name in axes["criterion"]:
        parameters = criteria.make(name).get_params()  # type: ignore[union-attr]
        for theta, alpha, decay in itertools.product(
            thetas if "theta" in parameters else thetas[:1],
            alphas,
            decays if "decay" in parameters else decays[:1],
        ):
            settings.append({"criterion": name, "theta": theta, "alpha": alpha, "decay": decay})
            label = f"{name} {'alpha' if 'alpha' in parameters else 'radius'}={_label(alpha)}"
            if decay is not None and "decay" in parameters:
                label += f" {decay if isinstance(decay, str) else shown(decay)}"
            label += f" theta={_label(theta)}" if len(thetas) > 1 and "theta" in parameters else ""
            made[label] = _made(name, theta, alpha, decay, at_zero)
    # Refuse settings without an effect, and settings that would be run twice.
    weights = [getattr(criterion, "at_zero", 0.0) for criterion in made.values()]
    if at_zero != 0 and at_zero not in weights:
        raise ValueError(
            f"at_zero={shown(at_zero)} cannot act in this sweep: it needs decay='power'; set that, "
            "or "
            "leave at_zero out"
        )
    if len(made) < len(settings):
        raise ValueError(
            "a sweep over the same setting twice: give every criterion, theta, alpha and decay once"
        )
    return settings, made


@checked(random_state=random_seed, at_zero=one_value)
def sweep(
    X: Any,
    y: MaybeArray = None,
    criterion: Any = "pi",
    *,
    theta: Any = (1.0, 1.0, 1.0, 1.0),
    alpha: Any = (0.0, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0),
    decay: Any = None,
    at_zero: float = 0.0,
    cv: CvFolds = "5x10",
    scoring: Any = None,
    task: Task | None = None,
    random_state: Seed = 0,
    n_jobs: int | None = None,
    progress: Progress = False,
    client: Any = None,
    journal: Any = None,
    memory_limit: int | None = None,
    **params: Any,
) -> Sweep:
    """Cross-validate trees under every combination of settings, on the same folds.

    Args:
        X: rows, or a `Table` with its target.
        y: labels, shape (n_rows,); or numbers, with `target_bins` among the parameters.
        theta: four weights in [0, 1], or a list of such fours (``"pi"`` alone has them).
        alpha: a number or several, finite and >= 0; the radius for ``"relief"``.
        decay: None (each criterion's own), a name or several; see `PairCounts.matrices`.
        criterion: ``"pi"``, ``"contextual_merit"``, ``"relief"``, or several.
        at_zero: weight of pairs at distance 0 under ``"power"``.
        cv, scoring, task, random_state, n_jobs, progress, client, journal, memory_limit: as in
            `cross_validate`.
        **params: parameters of every tree, for instance ``presets.VILALTA2001`` without its
            criterion.

    Returns:
        A `Sweep`: ``.map()`` (criteria, thetas, alphas, decays), ``.best``, ``.to_frame()``,
        ``.to_markdown()``, ``.plot()``.

    Raises:
        MemoryError: as in `cross_validate`.
        ValueError: a setting outside its domain, or a criterion that does not score by pairs.

    Examples:
        >>> import fasttree
        >>> found = fasttree.sweep(fasttree.datasets.make_monks(1), alpha=[0.0, 0.5, 1.0], cv="1x5")
        >>> found.map().shape, len(found)
        ((1, 1, 3, 1), 3)
    """
    # The data and the four axes, checked.
    if y is not None and criterion == "pi":
        X, y, found = data_and_criteria(X, y, None)
        criterion = "pi" if found is None else found
    names = _several(criterion)
    for name in names:
        if not isinstance(name, str) or criteria.evidence_of(name) != "pairs":
            raise ValueError(
                f"criterion={shown(name)}: a sweep varies the settings of 'pi', "
                "'contextual_merit' and "
                "'relief'"
            )
    thetas = tuple(several_fours(theta))
    alphas = _several(alpha)
    alphas = tuple(at_least_zero("alpha", one) for one in alphas)
    decays = (None,) if decay is None else tuple(one_value("decay", one) for one in _several(decay))
    if not (names and alphas and decays):
        raise ValueError("a sweep needs at least one criterion, theta, alpha and decay")
    axes = {"criterion": names, "theta": thetas, "alpha": alphas, "decay": decays}
    # One method per setting, on the same folds.
    settings, made = _combinations(axes, at_zero)
    result = cross_validate(
        X,
        y,
        criterion=made,
        cv=cv,
        scoring=scoring,
        task=task,
        random_state=random_state,
        n_jobs=n_jobs,
        progress=progress,
        client=client,
        journal=journal,
        memory_limit=memory_limit,
        **params,
    )
    return Sweep(settings, axes, result)
