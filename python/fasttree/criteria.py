"""Split criteria as objects: ``InfoGain()``, ``FMeasure(beta=2.0)``,
``GainRatio(guard="average")``, ...

What
    One class for each entry of the core's registry, made from that entry: name, options, defaults
    and documentation are declared once, beside the formula. A criterion's name alone is enough
    wherever an object is; objects carry options. Any callable ``f(tables) -> scores`` is a
    criterion too: `tables` has shape (candidates, branches, classes), one call per node. A function
    whose scores grow with the rows says so by an attribute ``extensive = True``: best-first growth
    then does not weigh them by the rows of the node. Under ``max_leaf_nodes`` and
    ``min_impurity_decrease`` a function is also asked for the score of all rows in one branch (the
    other branches are empty); NaN counts as 0 there.
When not to use it
    To compute a score by hand: see `fasttree.score_features` and `Criterion.score`.

Examples:
    >>> from fasttree.criteria import FMeasure, InfoGain
    >>> FMeasure(beta=2.0)
    FMeasure(beta=2.0, variant=None)
    >>> FMeasure(beta=2.0) == FMeasure().set_params(beta=2.0)
    True
    >>> InfoGain().score([[2, 3], [4, 0], [3, 2]]).round(4).item()
    0.2467
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from functools import cache
from typing import Any

import numpy as np

from . import _engine
from ._checks import at_least_zero, one_of, shown
from ._checks.aliases import Task
from ._checks.declared import Declared, declared_class, given_options
from ._checks.naming import did_you_mean, display_name
from ._checks.pair_options import DECAYS, four_weights
from ._checks.parameters import Parameters
from .exports.bibtex import reference
from .exports.tables.listing import Records

__all__ = ["Criterion", "NamedCallable", "PairFunction", "evidence_of", "list_criteria", "make"]
__all__ += [info["class_name"] for info in _engine.registry("criteria")]


class Criterion(Declared):
    """A criterion of the core's registry, with its options.

    It holds options only; the formula is in the core. An object may be given to several estimators.

    Attributes:
        info: the registry's facts: name, aliases, formula (LaTeX), source, range, orientation,
            invariances.
    """

    @property
    def name(self) -> str:
        """Canonical name in the registry, such as ``"info_gain"``, which `make` accepts. Aliases
        are accepted as well, but never returned."""
        return str(self.info["name"])

    def options(self, classes: Sequence[Any] = (), n_rows: int = 0) -> dict[str, Any]:
        """Options as the core reads them: class labels become codes, functions become tables of
        values."""
        options, declared = self.get_params(), given_options(self.info)
        for option in declared:
            name = option["name"]
            value = options[name]
            if option["domain"]["kind"] == "class" and value is not None:
                value = _class_code(value, classes)
            options[name] = self.checked_option(name, value, self.name)
        usual = {o["name"]: json.loads(o["default"]) for o in declared}
        for name in idle_options(options, usual):
            raise ValueError(f"{self.name}: {idle_message(name, options)}")
        if callable(options.get("size")):
            options["size_values"] = size_values(options["size"], n_rows)
            options["size"] = "values"
        return options

    def score(self, tables: Any, *, declared: Any = None, occurring: Any = None) -> np.ndarray:
        """Scores of contingency tables.

        Each table is a candidate split: counts of the classes in its branches. A single table gives
        a number without axes. Options are checked at this call.

        Args:
            tables: shape (branches, classes), or (n, branches, classes): counts or weights, >= 0.
            declared: declared number of values of each table's feature (n,); the number of branches
                if not given.
            occurring: bool (classes,): classes that occur in the training set; those with rows if
                not given.

        Returns:
            Scores, shape () or (n,); larger is better.
        """
        return self._evaluate(tables, declared, occurring)[0]

    def distance(self, tables: Any, *, declared: Any = None, occurring: Any = None) -> np.ndarray:
        """Distances of contingency tables, shape () or (n,); smaller is better.

        Growth that compares leaves or whole trees (``evaluation="global"`` or ``"glocal"``) uses
        the distance where other growth uses the score. The arguments are those that `score` takes.
        """
        return self._evaluate(tables, declared, occurring)[1]

    def _evaluate(
        self, tables: Any, declared: Any, occurring: Any
    ) -> tuple[np.ndarray, np.ndarray]:
        tables = np.asarray(tables, dtype=np.float64)
        if tables.ndim not in (2, 3) or not np.all(tables >= 0):
            raise ValueError(
                f"tables has shape {tables.shape}: expected (branches, classes) or (n, branches, "
                "classes), all >= 0"
            )
        is_single = tables.ndim == 2
        block = np.ascontiguousarray(_engine.readable(tables[None] if is_single else tables))
        options = self.options(range(block.shape[2]), int(block.sum(axis=(1, 2)).max(initial=0)))
        declared = (
            None if declared is None else [int(v) for v in np.broadcast_to(declared, len(block))]
        )
        occurring = None if occurring is None else [bool(v) for v in occurring]
        scores, distances = _engine.core.score_tables(
            self.name, options, block, declared, occurring
        )
        return (scores[0], distances[0]) if is_single else (scores, distances)


DISTANCES = {"at_zero": ("power",), "alpha": ("exponential", "power", "threshold")}
"""Settings of the weight of a pair, and the decays under which they act."""


def idle_options(options: Mapping[str, Any], usual: Mapping[str, Any]) -> list[str]:
    """Options other than the usual ones that cannot act beside the others.

    >>> usual = {"alpha": 0.1, "decay": "exponential", "at_zero": 0.0}
    >>> idle_options({"alpha": 2.0, "decay": "uniform", "at_zero": 0.0}, usual)
    ['alpha']
    """
    return [
        name
        for name, decays in DISTANCES.items()
        if name in options and options["decay"] not in decays and options[name] != usual[name]
    ]


def idle_message(name: str, options: Mapping[str, Any]) -> str:
    """The message for an option that has no effect beside the decay that is given, with the decays
    that it needs. `options` are all options by name, and `name` must be a key of `DISTANCES`."""
    needed = " or ".join(f"decay={decay!r}" for decay in DISTANCES[name])
    return (
        f"{name}={shown(options[name])} cannot act beside decay={options['decay']!r}: it needs "
        f"{needed}; set that, or leave {name} out"
    )


def option_hint(criterion: Any, name: str, value: Any) -> str:
    """How an option of a criterion is given, for one that was given to a tree; empty where the
    criterion has none of that name.

    >>> option_hint("pi", "alpha", 0.5)
    'alpha belongs to the criterion: criterion=Pi(alpha=0.5), with Pi from fasttree.criteria'
    """
    made = make(criterion)
    if not isinstance(made, Parameters) or name not in made.get_params():
        return ""
    kind = type(made).__name__
    return (
        f"{name} belongs to the criterion: criterion={kind}({name}={value!r}), with {kind} "
        f"from fasttree.criteria"
    )


def size_values(size: Callable[[np.ndarray], Any], n_rows: int) -> list[float]:
    """The values of a size function at 0, 1, ..., n_rows, as n_rows + 1 floats.

    The core takes these values, as it does not call Python. The properties are checked with a
    relative tolerance of 1e-9.

    Raises:
        ValueError: the function is not concave and non-decreasing with size(0) = 0, or does not
            return one finite number per size.
    """
    values = np.asarray(size(np.arange(n_rows + 1, dtype=np.float64)), dtype=np.float64)
    if values.shape != (n_rows + 1,) or not np.all(np.isfinite(values)):
        raise ValueError("size must map an array of set sizes to finite numbers, one for each")
    steps = np.diff(values)
    tolerance = 1e-9 * max(1.0, float(np.abs(values).max()))
    if values[0] != 0 or np.any(steps < -tolerance) or np.any(np.diff(steps) > tolerance):
        raise ValueError("size must be concave and non-decreasing with size(0) = 0")
    return [float(v) for v in values]


def _class_code(given: Any, classes: Sequence[Any]) -> int:
    labels = [_engine.plain(c) for c in classes]
    label = _engine.plain(given)
    if label not in labels:
        raise ValueError(f"positive={shown(given)} is not a class; classes are {labels}")
    return labels.index(label)


@dataclass(eq=False, repr=False)
class PairFunction(Parameters):
    """A function of one's own of count matrices: ``F(R_root, R, tables) -> scores``, with one call
    per node.

    Args:
        F: gets R over the whole node (classes, 4), whose columns 3 and 4 are zero; R of the node's
            features that vary (features, values, classes, 4), padded with zeros to the largest
            number of values; and their tables (features, values, classes). It returns one score per
            feature, larger is better.
        theta: weights of the cases 1 to 4, each in [0, 1].
        alpha, decay, at_zero: as in `Pi`.
        precision: ``"exact"``, or ``"fixed"`` for the sums of `count_matrices` under that name,
            which take memory by the column and not by its square.

    Source: Vilalta, Brodie, Oblinger & Rish, A unified framework for evaluation metrics in
    classification using decision trees (2001), figure 4. A model that was grown with it stores the
    function's name only.

    Examples:
        >>> import fasttree
        >>> def merit(root, r, tables):
        ...     return r[..., 3].sum(axis=(1, 2))
        >>> own = PairFunction(merit, alpha=2.0, decay="power")
        >>> fasttree.score_features(fasttree.datasets.make_xor(), criterion=own).tolist()
        [10.0, 10.0, 4.0]
    """

    evidence = "pairs"

    F: Callable[[np.ndarray, np.ndarray, np.ndarray], Any]
    theta: Any = (1.0, 1.0, 1.0, 1.0)
    alpha: float = 0.1
    decay: str = "exponential"
    at_zero: float = 0.0
    _: KW_ONLY
    precision: str = "exact"

    @property
    def name(self) -> str:
        """The name of the function `F`, which tables and model files show. It is no name of the
        registry: `make` does not accept it."""
        return display_name(self.F)

    def options(self) -> dict[str, Any]:
        """The setting of the matrices, as the core reads it.

        Raises:
            ValueError: a setting outside its domain.
        """
        if not callable(self.F):
            raise TypeError(f"PairFunction: F={shown(self.F)} must be a function")
        try:
            options = {
                "theta": list(four_weights(self.theta)),
                "alpha": at_least_zero("alpha", self.alpha),
                "decay": one_of("decay", self.decay, DECAYS),
                "at_zero": at_least_zero("at_zero", self.at_zero),
                "precision": one_of("precision", self.precision, ("exact", "fixed")),
            }
            for name in idle_options(options, {"alpha": 0.1, "at_zero": 0.0}):
                raise ValueError(idle_message(name, options))
            return options
        except ValueError as error:
            raise ValueError(f"PairFunction: {error}") from None


class NamedCallable:
    """The name of a user's criterion in a loaded model, whose function was not saved.

    The model predicts as before. Calling the object, as a further fit does, raises a ValueError
    that says to set the parameter to the function. Two of them are equal if their names are.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __call__(self, tables: np.ndarray) -> np.ndarray:
        """Refuse: the function itself was not saved."""
        raise ValueError(
            f"this model was grown with the function {self.name!r}, which was not saved with it; "
            "it predicts, but to fit again set the parameter to the function"
        )

    def __repr__(self) -> str:
        return f"NamedCallable({self.name!r})"

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NamedCallable) and other.name == self.name

    def __hash__(self) -> int:
        return hash(self.name)


@cache
def _registry() -> dict[str, type[Criterion]]:
    """Classes by class name."""
    kinds = {}
    for info in _engine.registry("criteria"):
        keys = info["source"].split("; ")
        info |= {"publications": keys, "source": "; ".join(map(reference, keys))}
        kinds[info["class_name"]] = _make_class(info)
    return kinds


@cache
def _by_name() -> dict[str, type[Criterion]]:
    names: dict[str, type[Criterion]] = {}
    for kind in _registry().values():
        for name in (kind.info["name"], *kind.info["aliases"]):
            names[name] = kind
    return names


def names(task: Task = "classification") -> tuple[str, ...]:
    """Names and aliases of the registry's criteria on classes, or for the task "regression" of the
    criteria on a number, in the order of the registry. Commands list them as choices."""
    wanted = task == "regression"
    return tuple(n for n, kind in _by_name().items() if is_on_number(kind) == wanted)


def is_on_number(criterion: Any) -> bool:
    """Whether a criterion of the registry, an object or a class, reads a numeric target. It is
    False for a name, a function and anything else without an entry in the registry."""
    return bool(getattr(criterion, "info", {}).get("target") == "number")


def is_of_trees(criterion: Any) -> bool:
    """Whether a value is the name of a measure of whole trees, which has no score of a split. Only
    ``"matthews"`` is one; `OptimalTreeClassifier` takes it, and greedy growth refuses it."""
    return isinstance(criterion, str) and criterion == "matthews"


def name_of(criterion: Any) -> str:
    """Canonical name of a criterion as `make` takes it, or of a measure of whole trees, which
    optimal trees take.

    An alias gives the canonical name. A user's function has no name and gives "", except a
    `PairFunction` and a `NamedCallable`, which have one.

    Raises:
        ValueError, TypeError: as `make`.
    """
    if is_of_trees(criterion):
        return str(criterion)
    facts = facts_of(criterion)
    return str(facts["name"] if facts else getattr(criterion, "name", ""))


def _make_class(info: dict[str, Any]) -> type[Criterion]:
    text = (
        f"{info['summary']}\n\nScore: :math:`{info['formula']}`; distance: "
        f":math:`{info['distance']}`.\nSource: {info['source']}.\n"
    )
    return declared_class(Criterion, info, text, __name__)


def __getattr__(name: str) -> Any:
    kind = None if name.startswith("_") else _registry().get(name)
    if kind is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return kind


def __dir__() -> list[str]:
    return sorted(__all__)


OTHER_NAMES = {
    "squared_error": ("mse", "deviance", "variance", "variancereduction"),
    "absolute_error": ("mae",),
    "info_gain": ("ig", "gain", "informationgain", "entropygain"),
    "gain_ratio": ("igr", "informationgainratio"),
    "gini": ("giniindex", "giniimpurity", "ginigain"),
    "chi2": ("chi", "chisquare", "chisquared", "chisq"),
    "g_statistic": ("gtest", "likelihoodratio"),
    "accuracy": ("misclassification", "misclassificationerror", "classificationerror", "errorrate"),
}
"""Names that the literature and other libraries have for criteria, without other signs than letters
and digits."""

PRESETS = {"cart": "CART", "rpart": "CART", "c45": "C45", "j48": "C45", "id3": "ID3"}
"""Names of learners that are presets here, written in the same way."""

CERTAIN = 0.8
"""Similarity of two names from which on one is taken to mean the other."""


def suggestion(name: str) -> tuple[str, bool]:
    """A hint on what may be meant by a name that is no criterion, and whether that is certain; the
    hint is empty if no name is similar.

    Examples:
        >>> suggestion("Gini-Index"), suggestion("helinger")
        (("did you mean 'gini'?", True), ("did you mean 'hellinger'?", True))
        >>> suggestion("C4.5")
        ('it is a preset: **fasttree.presets.C45, in the shell --preset C45', True)
        >>> suggestion("qwerty")
        ('', False)
    """
    bare = "".join(c for c in name.lower() if c.isalnum())
    if bare in PRESETS:
        preset = PRESETS[bare]
        return f"it is a preset: **fasttree.presets.{preset}, in the shell --preset {preset}", True
    meant = {other: name_here for name_here, others in OTHER_NAMES.items() for other in others}
    meant |= {criterion.replace("_", ""): criterion for criterion in _by_name()}
    certain = did_you_mean(bare, meant, least=CERTAIN)
    return certain or did_you_mean(bare, meant), bool(certain)


def make(criterion: Any) -> Criterion | PairFunction | Callable[[np.ndarray], Any]:
    """A criterion from a name, an object, a class, or a callable.

    A name gives an object with the default options. An object and a function are returned as they
    are.

    Raises:
        ValueError: a name that is not in the registry (with the nearest one).
        TypeError: something that is no criterion.

    Examples:
        >>> make("entropy")
        InfoGain()
    """
    if isinstance(criterion, str):
        kind = _by_name().get(criterion)
        if kind is None:
            hint, certain = suggestion(criterion)
            every = (
                "fasttree.list_criteria() lists all"
                if certain
                else f"known: {', '.join(sorted(names()))}, or a function; on a number: "
                f"{', '.join(sorted(names('regression')))}"
            )
            raise ValueError(
                f"criterion={shown(criterion)} is not known; "
                f"{hint}{' ' if hint.endswith('?') else '; ' if hint else ''}{every}"
            )
        return kind()
    if isinstance(criterion, type) and issubclass(criterion, Criterion):
        return criterion()
    if isinstance(criterion, Criterion | PairFunction) or callable(criterion):
        return criterion
    if hasattr(criterion, "fit"):
        raise TypeError(f"criterion={shown(criterion)} is an estimator: give it as estimators=")
    raise TypeError(
        f"criterion={shown(criterion)}: expected a name, an object of fasttree.criteria, or a "
        "function"
    )


def facts_of(criterion: Any) -> Mapping[str, Any]:
    """The registry's facts of a criterion as `make` takes it: name, evidence, options and more.

    For a name no object is made. A user's function has no entry and gives an empty mapping. The
    mapping is shared and must not be changed.
    """
    if isinstance(criterion, str) and criterion in _by_name():
        return _by_name()[criterion].info
    made = make(criterion)
    return made.info if isinstance(made, Criterion) else {}


def evidence_of(criterion: Any) -> str:
    """The evidence that a criterion needs: ``"table"``, ``"pairs"``, ``"neighbours"`` or
    ``"rows"``, and on numbers ``"moments"``, ``"order"`` or ``"neighbours"``. A user's function
    reads tables, unless its attribute `evidence` says otherwise."""
    facts = facts_of(criterion)
    return str(facts["evidence"] if facts else getattr(criterion, "evidence", "table"))


TARGETS = {"classes": " on classes", "number": " on a number"}
"""What criteria read, in words."""


def list_criteria(*, target: str | None = None) -> Records:
    """The registry as a table: one dict per criterion, shown as a table.

    Args:
        target: ``"classes"`` or ``"number"``: the criteria on such a target; None: all.

    Returns:
        Dicts with name, aliases, summary, formula (LaTeX), distance, source, publications (keys of
        the BibTeX entries that ``ftree cite`` prints), evidence, target (``"classes"`` or
        ``"number"``), lowest and highest score (None = unbounded), orientation, symmetric,
        branch_invariant, class_invariant, metric, convex, extensive (scores grow with the rows),
        stops_without_gain (a node is not split where no split scores above the node undivided,
        unless `min_score` is given), options.

    Raises:
        ValueError: another target.

    Examples:
        >>> [row["aliases"] for row in list_criteria() if row["name"] == "info_gain"]
        [['entropy', 'mutual_information', 'log_loss']]
        >>> len(list_criteria(target="classes")), len(list_criteria(target="number"))
        (37, 6)
    """
    if target is not None:
        one_of("target", target, tuple(TARGETS))
    rows = [
        {
            **kind.info,
            "orientation": "larger scores are better",
            "options": kind().get_params(),
        }
        for kind in _registry().values()
        if target in (None, kind.info["target"])
    ]
    return Records(
        rows,
        {
            "name": "name",
            "also": lambda r: ", ".join(r["aliases"]),
            "looks at": "evidence",
            "what it is": "summary",
            "formula": lambda r: f"${r['formula']}$",
        },
        title=f"{len(rows)} criteria{TARGETS[target] if target else ''}",
        wrap=("also", "looks at", "what it is", "formula"),
        most=len(rows),
    )
