"""Every parameter of trees, forests and searches beside every other one: what each promises holds,
or the fit is refused by a message that names both.

The declaration says which parameters there are and, of words, which values (`SEARCHED` does of
searches). `NUMBERS` adds the values that are no words, `BESIDE` what a value needs in order to act.
Each pair of values of two parameters is fitted on a small frame with a bend, levels and gaps, and
`PROMISES` is asked for every parameter that is set; some promises hold of any model. Promises read
the fitted trees, new rows and other fits, never the code that keeps them.
"""

from __future__ import annotations

import itertools
import re
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import pytest

import fasttree
from fasttree import (
    FastForestClassifier,
    FastForestRegressor,
    FastTreeClassifier,
    FastTreeRegressor,
    MinimalTreeClassifier,
    OptimalTreeClassifier,
)
from fasttree.estimators.declaration import (
    FOREST,
    REGRESSION_FOREST,
    REGRESSION_TREE,
    TREE,
    Parameter,
)

KINDS: dict[type, tuple[Parameter, ...]] = {
    FastTreeClassifier: TREE,
    FastTreeRegressor: REGRESSION_TREE,
    FastForestClassifier: FOREST,
    FastForestRegressor: REGRESSION_FOREST,
}
EVERY = 101
"""One pair of values in so many is fitted by default."""


def gini(tables: np.ndarray) -> np.ndarray:
    """A criterion of one's own: of classes, or of a number (weight, sum, sum of squares)."""
    n = np.maximum(tables.sum(axis=2), 1.0)
    return np.asarray((tables**2 / n[:, :, None]).sum(axis=(1, 2)))


NUMBERS: dict[str, list[Any]] = {
    "criterion": [gini],
    "max_features": [1, 0.5],
    "max_depth": [2],
    "max_leaf_nodes": [4],
    "min_samples_split": [12, 0.2],
    "min_samples_leaf": [4, 0.1],
    "min_weight_fraction_leaf": [0.08],
    "min_impurity_decrease": [0.01],
    "min_score": [0.02, -np.inf],
    "monotonic_cst": [{"a": 1}, {"a": -1, "b": 1}],
    "interaction_cst": [[["a", "b"]]],
    "categorical_features": ["all", ["b"]],
    "columns": ["as_given"],
    "discretize": [fasttree.discretize.EqualWidth(3)],
    "n_bins": [4],
    "max_bins": [5],
    "pruning": [fasttree.pruning.CostComplexity("cv")],
    "ccp_alpha": [0.02, "cv"],
    "cost_matrix": [[[0, 3], [1, 0]]],
    "priors": [{"no": 0.8, "yes": 0.2}],
    "class_weight": [{"no": 1, "yes": 2}, {"no": 1.0, "yes": 2.5}],
    "random_state": [3],
    "n_jobs": [2],
    "progress": [lambda done, total: None],
    "n_estimators": [2],
    "bootstrap": [False],
    "max_samples": [20, 0.5],
    "oob_score": [True],
    "warm_start": [True],
    "no_distance_decay": [True],
    "target_bins": [4],
    "alpha": [0.4],
    "min_prob": [0.2],
    "split_tries": [1],
    "merge_levels": [True],
    "alpha_merge": [0.5],
    "alpha_split": [0.04],
    "honest": [0.4],
}
"""Values of parameters that are no words."""

BESIDE: dict[str, dict[str, Any]] = {
    "labels": {"evaluation": "global", "nominal_splits": "subset", "missing": "mode"},
    "n_bins": {"discretize": "equal_width"},
    "max_bins": {"threshold_search": "histogram"},
    "leaf_order": {"max_leaf_nodes": 6},
    "target_bins": {"criterion": "gini"},
    "honest": {"missing": "branch"},
    "priors": {"min_samples_leaf": 2},
    "class_weight": {"min_samples_leaf": 2},
    **dict.fromkeys(
        ("test", "alpha", "adjust", "cut", "cut_test", "min_prob", "split_tries"),
        {"selection": "significance"},
    ),
    "merge_levels": {"selection": "significance", "discretize": "equal_frequency"},
    **dict.fromkeys(
        ("alpha_merge", "alpha_split"),
        {"selection": "significance", "merge_levels": True, "discretize": "equal_frequency"},
    ),
}
"""What stands beside a parameter, so that it acts."""

SLOW = {"minimal_tree_size"}
"""Criteria that are exact searches."""


def errors_of_leaves(counts: np.ndarray) -> np.ndarray:
    """A loss of one's own: the rows of the smaller class."""
    return counts.min(axis=1)


SEARCHED: dict[type, dict[str, list[Any]]] = {
    OptimalTreeClassifier: {
        "criterion": [
            "gini",
            "info_gain",
            "g_statistic",
            "laplace",
            "dkm",
            "f_measure",
            "matthews",
        ],
        "max_depth": [2, 3],
        "lookahead": [1],
        "max_leaf_nodes": [3],
        "max_nodes": [5],
        "min_samples_leaf": [4],
        "leaf_penalty": [0.02],
        "nominal_splits": ["one_vs_rest", "subset"],
        "cost_matrix": [[[0, 3], [1, 0]]],
        "loss": [errors_of_leaves],
        "ties": ["any"],
        "on_interrupt": ["return"],
        "time_limit": [0.0, 600.0],
        "node_budget": [1, 30],
        "memory_limit": [1 << 28],
        "n_jobs": [2],
        "categorical_features": ["all", ["b"]],
        "columns": ["as_given"],
        "progress": [lambda done, total: None],
    },
    MinimalTreeClassifier: {
        "max_nodes": [7],
        "time_limit": [0.0, 600.0],
        "node_budget": [1, 30],
        "errors": ["minimise"],
        "categorical_features": ["all", ["b"]],
        "columns": ["as_given"],
        "progress": [lambda done, total: None],
    },
}
"""Values of the parameters of searches."""
SEARCHES = {
    OptimalTreeClassifier: {"max_depth": 3, "time_limit": 600.0},
    MinimalTreeClassifier: {"errors": "minimise", "node_budget": 300},
}
"""Limits of searches that no pair sets."""


class Rows(NamedTuple):
    """Rows of a fit."""

    X: pd.DataFrame
    y: np.ndarray
    copies: np.ndarray
    """Whole weights, some of them 0."""


@cache
def rows_of(kind: type, seed: int = 0, n: int = 60) -> Rows:
    """Two numbers, one of few values, and levels, with gaps; a target that bends with the first."""
    rng = np.random.default_rng(seed)
    X = pd.DataFrame(
        {
            "a": rng.normal(size=n).round(1),  # not as many cells as rows: no identifier
            "b": rng.integers(0, 5, n).astype(float),
            "c": rng.choice(["u", "v", "w"], n),
        }
    )
    score = np.sin(2 * X["a"]) + (X["c"] == "u") - X["b"] / 4 + rng.normal(size=n) / 2
    number = np.round(score - score.min(), 2)
    y = np.where(score > np.median(score), "yes", "no") if _is_classifier(kind) else number
    X.loc[rng.random(n) < 0.1, "b"] = np.nan
    X.loc[rng.random(n) < 0.1, "c"] = None
    return Rows(X, np.asarray(y), rng.integers(0, 4, n))


def _is_classifier(kind: type) -> bool:
    return kind in SEARCHED or issubclass(kind, FastTreeClassifier | FastForestClassifier)


def _is_forest(kind: type) -> bool:
    return issubclass(kind, FastForestClassifier | FastForestRegressor)


def values_of(kind: type, parameter: Parameter) -> list[Any]:
    """The values of a parameter that are tried."""
    default = kind().get_params(deep=False)[parameter.name]
    words = [v for v in parameter.choices if v is not default and v != default]
    numbers = NUMBERS.get(parameter.name, [])
    return [v for v in [*words, *numbers] if not (isinstance(v, str) and v in SLOW)]


Words = dict[str, Any]


def pairs(kind: type) -> Iterator[tuple[tuple[str, Any], tuple[str, Any]]]:
    """Every parameter beside every other one. Their values take turns: four of a pair, two where
    it is a forest's, which grows its trees as single ones are."""
    if kind in SEARCHED:
        values = SEARCHED[kind]
    else:
        values = {p.name: values_of(kind, p) for p in KINDS[kind]}
    without = [name for name, of_name in values.items() if not of_name]
    assert not without, f"add values of {without} to NUMBERS"
    turns = {name: itertools.cycle(of_name) for name, of_name in values.items()}
    most = 2 if _is_forest(kind) else 4
    for one, other in itertools.combinations(values, 2):
        for _ in range(min(most, max(len(values[one]), len(values[other])))):
            yield (one, next(turns[one])), (other, next(turns[other]))


def made(kind: type, *set_: tuple[str, Any], **more: Any) -> Any:
    """The estimator, with what the parameters need beside them."""
    words: Words = {"n_estimators": 3} if _is_forest(kind) else {}
    words |= SEARCHES.get(kind, {"random_state": 1})
    for name, _ in set_:
        known = kind().get_params(deep=False)
        words |= {k: v for k, v in BESIDE.get(name, {}).items() if k in known}
    return kind(**{**words, **dict(set_), **more})


class Fit:
    """A fitted estimator, its rows, and what else a promise reads."""

    def __init__(self, estimator: Any, rows: Rows) -> None:
        self.rows, self.words = rows, estimator.get_params(deep=False)
        self.kind: type = type(estimator)
        self.is_search = self.kind in SEARCHED
        self.parameters = dict(self.words)
        if self.is_search:
            fixed = {"missing": estimator.missing, "pruning": None, "empty_branch": "parent"}
            self.words |= fixed
        self.is_forest, self.is_classifier = _is_forest(self.kind), _is_classifier(self.kind)
        self.X = rows.X.dropna(ignore_index=True) if self.words["missing"] == "error" else rows.X
        self.y = rows.y[rows.X.notna().all(axis=1)] if self.words["missing"] == "error" else rows.y
        self.model = estimator.fit(self.X, self.y)
        self.trees = list(self.model.estimators_) if self.is_forest else [self.model]

    def again(self, X: Any = None, y: Any = None, w: Any = None, **words: Any) -> Any:
        """Another fit with these parameters."""
        made = self.kind(**{**self.parameters, **words})
        return made.fit(self.X if X is None else X, self.y if y is None else y, w)

    def answers(self, X: Any, model: Any = None) -> np.ndarray:
        """Probabilities, or numbers."""
        model = self.model if model is None else model
        return model.predict_proba(X) if self.is_classifier else model.predict(X)

    @property
    def samples_rows(self) -> bool:
        """Trees see a bootstrap sample."""
        return bool(self.words.get("bootstrap", False))

    @property
    def grows_on_some(self) -> bool:
        """Growth sees some of the rows."""
        held_out = str(self.words["pruning"]).startswith(("reduced", "Reduced"))
        return held_out or bool(self.words.get("honest"))

    @property
    def divides_rows(self) -> bool:
        """Rows are divided among branches or held out: the rows of a node are not its count."""
        told = self.words
        shares = told["missing"] in ("auto", "fractional")
        return shares or str(told["pruning"]).startswith(("reduced", "Reduced"))

    def sizes(self, tree: Any) -> np.ndarray:
        """Rows of each node; where they are divided, their weight."""
        arrays = tree.tree_
        weighed = self.words.get("class_weight") or self.words.get("priors")
        if self.divides_rows and not weighed:
            return np.asarray(arrays.weighted_n_node_samples)
        return np.asarray(arrays.n_node_samples)


def leaves_of(tree: Any) -> np.ndarray:
    return np.flatnonzero(tree.tree_.n_children == 0)


def same_trees(fit: Fit, one: Any, other: Any) -> None:
    """Two fits have the same tests and answers."""
    both = [list(model.estimators_) if fit.is_forest else [model] for model in (one, other)]
    for one, other in zip(*both, strict=True):
        for name in ("feature", "threshold", "parent"):
            found, wanted = getattr(one.tree_, name), getattr(other.tree_, name)
            assert np.array_equal(found, wanted, equal_nan=True), name
        assert np.allclose(one.tree_.value, other.tree_.value, rtol=1e-9)


# -- promises of parameters ---------------------------------------------------------------------


def deep_enough(fit: Fit, value: int) -> None:
    assert all(tree.get_depth() <= value for tree in fit.trees)


def few_leaves(fit: Fit, value: int) -> None:
    assert all(tree.get_n_leaves() <= value for tree in fit.trees)


def least_rows(fit: Fit, value: float) -> float:
    """A limit in rows; none where growth saw fewer rows than the fit, or others than the leaves
    count."""
    if fit.grows_on_some:
        return 0
    n = {20: 20, 0.5: 30}.get(fit.words.get("max_samples"), len(fit.y))
    return (value if isinstance(value, int) else np.ceil(value * n)) - 1e-6


def large_leaves(fit: Fit, value: float) -> None:
    for tree in fit.trees:
        sizes = fit.sizes(tree)[leaves_of(tree)]
        assert np.all((sizes >= least_rows(fit, value)) | (sizes < 1e-9)), sizes.min()


def large_inner_nodes(fit: Fit, value: float) -> None:
    for tree in fit.trees:
        inner = tree.tree_.n_children > 0
        assert np.all(fit.sizes(tree)[inner] >= least_rows(fit, value))


def heavy_leaves(fit: Fit, value: float) -> None:
    if fit.grows_on_some:
        return
    for tree in fit.trees:
        weights = tree.tree_.weighted_n_node_samples
        shares = weights[leaves_of(tree)] / weights[0]
        assert np.all((shares >= value - 1e-9) | (shares == 0)), shares.min()


def monotonic(fit: Fit, value: Mapping[str, int]) -> None:
    known = fit.X.dropna(ignore_index=True).iloc[:12]
    for name, sign in value.items():
        column = fit.X[name].dropna()
        ends = [column.min() - 1, column.max() + 1]
        inner = np.linspace(column.min(), column.max(), 12)
        grid = np.unique([*column, *inner, *ends])
        cells = known.loc[np.repeat(known.index, len(grid))]
        cells = cells.assign(**{name: np.tile(grid, len(known))})
        found = fit.answers(cells)
        if fit.is_classifier:
            told = found.sum(axis=1) > 0
            found = np.where(told, found[:, 1], np.nan)
        steps = sign * np.diff(found.reshape(len(known), len(grid)), axis=1)
        assert not np.any(steps < -1e-12), (name, np.nanmin(steps))


def groups_on_paths(fit: Fit, value: Any) -> None:
    names = list(fit.X.columns)
    if value == "pairwise":
        groups = [set(pair) for pair in itertools.combinations(names, 2)]
    elif value == "no_interactions":
        groups = [{name} for name in names]
    else:
        groups = [*map(set, value), {"c"}]
    for tree in fit.trees:
        arrays = tree.tree_
        for leaf in leaves_of(tree):
            path, node = set(), leaf
            while node > 0:
                node = arrays.parent[node]
                path.add(names[arrays.feature[node]])
            assert any(path <= group for group in groups), path


def observed_thresholds(fit: Fit, value: str) -> None:
    if fit.words["splitter"] == "random" or fit.words["missing"] == "mode":
        return
    for tree in fit.trees:
        arrays = tree.tree_
        for j, name in enumerate(fit.X.columns):
            if name == "c":
                continue
            own = arrays.threshold[(arrays.feature == j) & ~np.isnan(arrays.threshold)]
            assert set(own.tolist()) <= set(fit.X[name].dropna().tolist())


def no_missing(fit: Fit, value: str) -> None:
    if value != "error":
        return
    with pytest.raises(ValueError, match="missing"):
        fit.again(fit.rows.X, fit.rows.y)


def unknown_levels(fit: Fit, value: str) -> None:
    reads_levels = any(np.any(tree.tree_.feature == list(fit.X).index("c")) for tree in fit.trees)
    if fit.words["categorical_features"] == "from_dtype" and reads_levels:
        with pytest.raises(ValueError, match="never seen"):
            fit.model.predict(fit.X.head(1).assign(c="never seen"))


def votes_kept(fit: Fit, value: bool) -> None:
    name = "oob_decision_function_" if fit.is_classifier else "oob_prediction_"
    assert len(getattr(fit.model, name)) == len(fit.y)


def trees_are_as_many(fit: Fit, value: int) -> None:
    assert len(fit.trees) == value


def warm(fit: Fit, value: bool) -> None:
    fewer = fit.kind(**{**fit.words, "n_estimators": 1}).fit(fit.X, fit.y)
    grown = fewer.set_params(n_estimators=fit.words["n_estimators"]).fit(fit.X, fit.y)
    same_trees(fit, fit.model, grown)


def sample_sizes(fit: Fit, value: Any) -> None:
    if fit.words["bootstrap"]:
        counts = fit.model.bootstrap_counts(fit.X, fit.y)
        n = value if isinstance(value, int) else round(value * len(fit.y))
        assert np.all(counts.sum(axis=1) == n)


def merged_leaves(fit: Fit, value: str) -> None:
    for tree in fit.trees:
        arrays = tree.tree_
        for node in np.flatnonzero(arrays.n_children):
            below = arrays.children_of(node)
            if all(arrays.n_children[c] == 0 for c in below) and not fit.words.get("honest"):
                assert len({arrays.value[c].tobytes() for c in below}) > 1


def class_weights_do_not_draw(fit: Fit, value: Any) -> None:
    if fit.samples_rows:
        counts = fit.model.bootstrap_counts(fit.X, fit.y)
        free = fit.again(class_weight=None)
        assert np.array_equal(counts, free.bootstrap_counts(fit.X, fit.y))


PROMISES: dict[str, Callable[[Fit, Any], None]] = {
    "max_depth": deep_enough,
    "max_leaf_nodes": few_leaves,
    "min_samples_leaf": large_leaves,
    "min_samples_split": large_inner_nodes,
    "min_weight_fraction_leaf": heavy_leaves,
    "monotonic_cst": monotonic,
    "interaction_cst": groups_on_paths,
    "thresholds": observed_thresholds,
    "missing": no_missing,
    "handle_unknown": unknown_levels,
    "oob_score": votes_kept,
    "n_estimators": trees_are_as_many,
    "warm_start": warm,
    "max_samples": sample_sizes,
    "merge_redundant": merged_leaves,
    "class_weight": class_weights_do_not_draw,
}


# -- promises of any model ----------------------------------------------------------------------


def probabilities_sum_to_one(fit: Fit) -> None:
    if fit.is_classifier:
        sums = fit.answers(fit.X).sum(axis=1)
        if fit.words["empty_branch"] == "parent":
            assert np.allclose(sums, 1.0)
        assert np.all(sums <= 1 + 1e-9)  # parts of a row may end where nothing is predicted
    else:
        assert np.isfinite(fit.answers(fit.X)).all()


def saved_is_loaded(fit: Fit) -> None:
    loaded = fasttree.from_bytes(fit.model.to_bytes())
    assert np.array_equal(fit.answers(fit.X, loaded), fit.answers(fit.X))
    assert loaded.to_bytes() == fit.model.to_bytes()


def threads_change_nothing(fit: Fit) -> None:
    if not fit.is_search:
        assert fit.again(n_jobs=2).to_bytes() == fit.again(n_jobs=1).to_bytes()
    elif fit.words.get("ties") == "first" and is_finished(fit):
        same_trees(fit, fit.again(n_jobs=2, node_budget=None), fit.again(n_jobs=1))


def exports_predict(fit: Fit) -> None:
    module: dict[str, Any] = {}
    exec(compile(fit.model.to_python(), "tree.py", "exec"), module)
    X = fit.X.iloc[:15]
    names = list(X.columns)
    given = X.astype(object).where(X.notna(), None).to_dict("records")
    if fit.words["categorical_features"] != "from_dtype":
        return  # levels that were numbers
    for row, label, answer in zip(given, fit.model.predict(X), fit.answers(X), strict=True):
        found = module["predict"]([row[name] for name in names])
        if fit.is_classifier:
            proba = module["predict_proba"]([row[name] for name in names])
            assert np.allclose(proba, answer, rtol=1e-12)
            assert found == label
        else:
            assert np.isclose(found, answer, rtol=1e-12)


def weights_are_copies(fit: Fit) -> None:
    if fit.words["missing"] == "error" or (fit.is_search and not is_finished(fit)):
        return
    if fit.words.get("honest"):  # copies of one row may grow the tree and fill its leaves
        return
    X, y, w = fit.rows
    weighed = fit.again(X, y, w)
    if fit.samples_rows:
        kept = w > 0
        counts = weighed.bootstrap_counts(X, y, w)
        free = fit.again(X[kept], y[kept]).bootstrap_counts(X[kept], y[kept])
        assert np.all(counts[:, ~kept] == 0)
        assert np.array_equal(counts.sum(axis=1), free.sum(axis=1))
        return
    copies = np.repeat(np.arange(len(y)), w)
    repeated = fit.again(X.iloc[copies].reset_index(drop=True), y[copies])
    same_trees(fit, weighed, repeated)


def is_finished(fit: Fit) -> bool:
    """Whether no limit ended a search: without one it proves its tree, or looks ahead."""
    return bool(fit.model.proven_) or fit.words.get("lookahead") is not None


def bounds_hold(fit: Fit) -> None:
    """The optimum, which a search without limits proves, lies between the bounds."""
    if not fit.is_search:
        return
    model = fit.model
    assert model.lower_bound_ <= model.upper_bound_ + 1e-12
    assert model.proven_ == (model.lower_bound_ == model.upper_bound_)
    if fit.kind is OptimalTreeClassifier and fit.words["lookahead"] is None:
        optimum = fit.again(time_limit=None, node_budget=None)
        assert optimum.proven_
        assert model.lower_bound_ - 1e-9 <= optimum.upper_bound_ <= model.upper_bound_ + 1e-9


ALWAYS = (
    bounds_hold,
    probabilities_sum_to_one,
    saved_is_loaded,
    threads_change_nothing,
    exports_predict,
    weights_are_copies,
)


# -- the walk -----------------------------------------------------------------------------------


def shown(name: str, value: Any) -> str:
    return f"{name}={getattr(value, '__name__', value)!r}"


def fit_of(kind: type, rows: Rows, *set_: tuple[str, Any]) -> Fit | str:
    """A fit, or what it says against its parameters."""
    try:
        return Fit(made(kind, *set_), rows)
    except ValueError as error:
        return str(error)


def names(text: str, name: str, value: Any) -> bool:
    """Whether a message names a parameter, its value, or what it needs beside it."""
    words = [name, *BESIDE.get(name, ()), *([value] if isinstance(value, str) else [])]
    return any(re.search(rf"\b{word}\b", text) for word in words)


def check(kind: type, one: tuple[str, Any], other: tuple[str, Any], always: Any = ALWAYS) -> None:
    """Fit a pair, and hold what its parameters and any model promise."""
    rows = rows_of(kind)
    fit = fit_of(kind, rows, one, other)
    if isinstance(fit, str):
        alone = any(isinstance(fit_of(kind, rows, pair), str) for pair in (one, other))
        assert alone or (names(fit, *one) and names(fit, *other)), fit
        return
    for name, value in (one, other):
        if name in PROMISES:
            PROMISES[name](fit, value)
    for promise in always:
        promise(fit)


def walk(kind: type, cases: Any, turns: int = 1) -> None:
    """Check pairs; what any model promises takes turns."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for at, (one, other) in enumerate(cases):
            try:
                check(kind, one, other, ALWAYS[at % turns :: turns])
            except Exception as error:
                told = f"{kind.__name__}({shown(*one)}, {shown(*other)})"
                raise AssertionError(f"{told}: {error}") from error


def test_every_parameter_has_values():
    for kind, declared in KINDS.items():
        without = [p.name for p in declared if not values_of(kind, p)]
        assert not without, f"{kind.__name__}: add values of {without} to NUMBERS"
    for kind, values in SEARCHED.items():
        assert set(values) == set(kind().get_params(deep=False))


@pytest.mark.parametrize("kind", [*KINDS, *SEARCHED], ids=lambda kind: kind.__name__)
def test_pairs_keep_their_promises_or_are_refused(kind):
    walk(kind, itertools.islice(pairs(kind), 7, None, 17 if kind in SEARCHED else EVERY))


@pytest.mark.exhaustive
@pytest.mark.parametrize("part", range(20))
@pytest.mark.parametrize("kind", [*KINDS, *SEARCHED], ids=lambda kind: kind.__name__)
def test_all_pairs_keep_their_promises_or_are_refused(kind, part):
    walk(kind, itertools.islice(pairs(kind), part, None, 20), turns=2)
