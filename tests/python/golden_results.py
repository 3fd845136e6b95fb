"""What the library computes, as hashes: the configurations behind tests/golden/results.json.

Every entry has a key that says what it is and a function that gives its parts (arrays or texts).
The file holds a SHA-256 (first 32 digits) of each part, so a change shows where it is: in the
shape of trees, in their scores, in their depths or in what they predict. Parameters and model
files are not hashed: they grow. Bytes of floats depend on the C library's logarithm, so the file
names the platform on which it was written, and holds there alone.

Where behaviour changes on purpose, write the entries anew that it concerns, by key::

    python tests/python/golden_results.py --write 'tree/*/ties=random/*' 'forest/*'

``--check PATTERN`` compares, ``--list PATTERN`` prints keys; without a pattern: all entries.
"""

from __future__ import annotations

import argparse
import fnmatch
import functools
import hashlib
import json
import platform
import sys
import warnings
from collections.abc import Callable, Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np

import fasttree
from fasttree import datasets, model_selection
from fasttree.naive_bayes import AODE, TAN, NaiveBayes

if __package__:
    from . import golden_routes
else:  # as a script
    import golden_routes

FILE = Path(__file__).resolve().parents[1] / "golden" / "results.json"
PLATFORM = f"{sys.platform}-{platform.machine()}-{platform.libc_ver()[0] or 'unknown'}"

Parts = dict[str, Any]

TREE_ARRAYS = (
    "parent",
    "branch",
    "feature",
    "threshold",
    "n_children",
    "missing_branch",
    "label",
    "n_node_samples",
    "n_levels",
    "levels",
    "value",
)


def _mixed(missing: float, seed: int) -> fasttree.Table:
    """160 rows, two nominal and three numeric columns, three classes, some cells missing."""
    rng = np.random.default_rng(seed)
    colour = rng.integers(0, 5, 160)
    shape = rng.integers(0, 3, 160)
    numbers = rng.integers(0, 40, (160, 3)) / 4.0
    classes = (numbers[:, 0] > 5).astype(int) + ((colour == 2) | (shape == 1) & (numbers[:, 1] < 4))
    noise = rng.random(160) < 0.1
    classes = np.where(noise, rng.integers(0, 3, 160), classes)
    hidden = rng.random((160, 5)) < missing
    columns: dict[str, list[Any]] = {}
    for j, values in enumerate([colour, shape]):
        cells = [f"v{v}" for v in values.tolist()]
        columns[f"n{j}"] = [
            None if h else c for c, h in zip(cells, hidden[:, j].tolist(), strict=True)
        ]
    for j in range(3):
        columns[f"x{j}"] = np.where(hidden[:, 2 + j], np.nan, numbers[:, j]).tolist()
    return fasttree.Table(columns, [f"c{c}" for c in classes.tolist()], name="mixed")


def _many_levels() -> fasttree.Table:
    """120 rows, one column of forty levels beside two of four, two classes."""
    rng = np.random.default_rng(11)
    X = np.column_stack([rng.integers(0, 40, 120), rng.integers(0, 4, (120, 2))])
    y = ((X[:, 0] % 3 == 0) ^ (X[:, 1] == 2)).astype(int)
    return fasttree.Table(X, y, categorical_features="all", name="many-levels")


TABLES: dict[str, Callable[[], fasttree.Table]] = {
    "xor": datasets.load_xor,
    "weather": datasets.load_weather,
    "weather-numeric": datasets.load_weather_numeric,
    "contact-lenses": datasets.load_contact_lenses,
    "monks-1": lambda: datasets.make_monks(1, 124, random_state=1),
    "monks-2": lambda: datasets.make_monks(2, 169, random_state=2),
    "monks-3": lambda: datasets.make_monks(3, 122, flip=0.05, random_state=3),
    "parity": lambda: datasets.make_parity(3, 2, 96, flip=0.05, random_state=4),
    "tic-tac-toe": lambda: datasets.load_tic_tac_toe().take(np.arange(0, 958, 5)),
    "balance-scale": lambda: datasets.load_balance_scale().take(np.arange(0, 625, 4)),
    "balance-nominal": lambda: datasets.make_balance_scale(as_nominal=True).take(
        np.arange(0, 625, 3)
    ),
    "led": lambda: datasets.make_led(150, n_irrelevant=3, random_state=5),
    "iris": datasets.load_iris,
    "wine": datasets.load_wine,
    "breast-cancer": lambda: datasets.load_breast_cancer().take(np.arange(0, 569, 3)),
    "blobs": lambda: datasets.make_blobs(150, 3, 2, sd=3.0, random_state=6),
    "waveform": lambda: datasets.make_waveform(120, 2, random_state=7),
    "mixed": lambda: _mixed(0.0, 8),
    "mixed-missing": lambda: _mixed(0.1, 9),
    "many-levels": _many_levels,
}
# Named, not walked: a new criterion is pinned here when somebody wants it pinned.
ON_TABLES = (
    "info_gain",
    "gain_ratio",
    "normal_gain",
    "mantaras",
    "variation_of_information",
    "symmetric_uncertainty",
    "geometric_nmi",
    "min_nmi",
    "max_nmi",
    "gini",
    "chi2",
    "g_statistic",
    "laplace",
    "accuracy",
    "jaccard",
    "f_measure",
    "f_measure_max",
    "mdl",
    "dkm",
    "hellinger",
    "euclid",
    "angle",
    "orthogonality",
    "twoing",
    "auc",
)
ON_ROWS = (
    "pi",
    "contextual_merit",
    "relief",
    "minimal_tree_size",
    "relieff",
    "surf",
    "surf_star",
    "multisurf",
    "multisurf_star",
    "k_nearest_merit",
)
NOMINAL = tuple(
    name
    for name in TABLES
    if name in {"xor", "weather", "contact-lenses", "parity", "balance-nominal", "led"}
    or name.startswith(("monks", "tic", "many"))
)


@functools.cache
def table_of(name: str) -> fasttree.Table:
    """The table of this name, made once."""
    return TABLES[name]()


def _choice(values: tuple[Any, ...], *salt: str) -> Any:
    """One of the values, fixed by the salt: entries can be added without moving others."""
    digest = hashlib.sha256("|".join(salt).encode()).digest()
    return values[int.from_bytes(digest[:8], "big") % len(values)]


def _weights(table: fasttree.Table, kind: str) -> np.ndarray | None:
    rng = np.random.default_rng(12)
    if kind == "whole":
        return rng.integers(0, 4, len(table)).astype(float)
    return rng.random(len(table)) + 0.25 if kind == "real" else None


def _parts_of_a_tree(model: Any, table: fasttree.Table) -> Parts:
    tree = model.tree_
    return {
        "tree": [getattr(tree, name) for name in TREE_ARRAYS],
        "depth": tree.depth,
        "scores": [tree.score, tree.distance],
        "order": tree.step,
        "predictions": _predictions(model, table),
    }


def _predictions(model: Any, table: fasttree.Table) -> np.ndarray:
    """Shares of the classes, or numbers."""
    return model.predict_proba(table) if table.task == "classification" else model.predict(table)


def _tree(name: str, weights: str, **params: Any) -> Parts:
    table = table_of(name)
    model = fasttree.FastTreeClassifier(random_state=0, n_jobs=1, **params)
    return _parts_of_a_tree(model.fit(table, sample_weight=_weights(table, weights)), table)


def _parts_of_a_forest(model: Any, table: fasttree.Table) -> Parts:
    trees = [getattr(t.tree_, array) for t in model.estimators_ for array in TREE_ARRAYS]
    return {"tree": trees, "predictions": _predictions(model, table)}


def route(case: golden_routes.Case, name: str = "") -> Parts:
    """What one route gives for a case: the first one if it has no name."""
    model = case.grown(name or case.routes[0])
    look = _parts_of_a_forest if case.trees else _parts_of_a_tree
    return look(model, golden_routes.table_of(case.rows))


def _forest(name: str, **params: Any) -> Parts:
    table = table_of(name)
    model = fasttree.FastForestClassifier(7, random_state=3, n_jobs=1, **params).fit(table)
    parts = _parts_of_a_forest(model, table)
    if params.get("oob_score"):
        parts["out-of-bag"] = [model.oob_decision_function_, model.oob_score_]
    return parts


def _searched(name: str, kind: str, **params: Any) -> Parts:
    table = table_of(name)
    model = getattr(fasttree, kind)(table, **params)
    bounds = [model.lower_bound_, model.upper_bound_, model.proven_]
    return {**_parts_of_a_tree(model, table), "bounds": bounds}


def _bayes(name: str, learner: type, weights: str) -> Parts:
    table = table_of(name)
    model = learner().fit(table, sample_weight=_weights(table, weights))
    return {"predictions": model.predict_proba(table)}


def _pairs(name: str, weights: str) -> Parts:
    table = table_of(name)
    counts = fasttree.pair_counts(table, sample_weight=_weights(table, weights), n_jobs=1)
    return {
        "counts": list(counts.counts),
        "matrices": counts.matrices((1.0, 0.5, 0.25, 1.0), 0.3),
        "root": counts.root(),
        "scores": [counts.score(c) for c in ("pi", "contextual_merit", "relief")],
        "sweep": counts.sweep("pi", alpha=[0.0, 0.1, 1.0], decay=["exponential", "power"]),
    }


def _scores(name: str, criterion: str, weights: str) -> Parts:
    table = table_of(name)
    found = fasttree.score_features(
        table,
        criterion=criterion,
        sample_weight=_weights(table, weights),
        nominal_splits="multiway",
        n_jobs=1,
    )
    return {"scores": found}


def _estimates(name: str, criterion: str, **params: Any) -> Parts:
    found = fasttree.estimate_features(
        table_of(name), criterion=criterion, random_state=2, n_jobs=1, **params
    )
    return {"scores": found.scores, "covariance": found.covariance}


def _explained(name: str, criterion: str, nominal_splits: str) -> Parts:
    table = table_of(name)
    model = fasttree.FastTreeClassifier(criterion=criterion, nominal_splits=nominal_splits)
    found = model.fit(table).explain(0, table)
    return {"candidates": json.dumps(found, default=repr)}


def _folds(name: str, cv: str, **params: Any) -> Parts:
    estimators = params.pop("estimators", None)
    found = model_selection.cross_validate(
        table_of(name),
        criterion=["gini", "gain_ratio"],
        estimators=estimators and estimators(),
        cv=cv,
        scoring=("accuracy", "bayesian_information_reward", "nodes", "depth"),
        random_state=5,
        n_jobs=1,
        **params,
    )
    metrics = ("accuracy", "bayesian_information_reward", "nodes", "depth")
    return {metric: [found[m][metric] for m in found] for metric in metrics}


FORMS = ("text", "markdown", "latex", "csv")


def _report(kind: str) -> Parts:
    common: dict[str, Any] = {"cv": "2x3", "nominal_splits": "multiway", "n_jobs": 1}
    if kind == "sweep":
        del common["nominal_splits"]
        result: Any = fasttree.sweep(table_of("monks-1"), alpha=[0.0, 0.5], **common)
    elif kind == "comparison":
        tables = [table_of(n) for n in ("weather", "iris", "monks-1", "mixed")]
        result = model_selection.compare(tables, ["info_gain", "gini", "mdl"], **common)
    elif kind == "learning curve":
        del common["cv"]
        result = model_selection.learning_curve(
            table_of("iris"), criterion=["gini", "chi2"], n_repeats=3, **common
        )
    else:
        result = model_selection.cross_validate(
            table_of("mixed"), criterion=["info_gain", "gini"], **common
        )
    texts = {form: fasttree.reports.render(result, form) for form in FORMS}
    for form, text in texts.items():  # times are measured, not computed
        lines = text.splitlines()
        assert lines, form
        texts[form] = "\n".join(line for line in lines if "time" not in line.lower())
    return texts


def _trees() -> Iterator[tuple[str, Callable[[], Parts]]]:
    """Every criterion on many tables; the other settings are drawn, once and for all."""
    for criterion, name in product(ON_TABLES, TABLES):
        salt = (criterion, name)
        yield _tree_entry(
            name,
            criterion,
            evaluation=_choice(("local", "local", "global", "glocal"), "evaluation", *salt),
            nominal_splits=_choice(("multiway", "subset", "one_vs_rest"), "splits", *salt),
            missing=_choice(("branch", "mode", "auto"), "missing", *salt),
            weights=_choice(("none", "none", "whole", "real"), "weights", *salt),
            ties=_choice(("first", "first", "row", "random"), "ties", *salt),
            thresholds=_choice(("midpoint", "value"), "thresholds", *salt),
        )
    small = ("weather", "contact-lenses", "monks-1", "parity", "mixed", "mixed-missing")
    for criterion, name in product(ON_ROWS, small):
        salt = (criterion, name)
        yield _tree_entry(
            name,
            criterion,
            nominal_splits="multiway",
            weights=_choice(("none", "whole"), "weights", *salt),
            max_depth=2,
        )


def _tree_entry(name: str, criterion: str, **params: Any) -> tuple[str, Callable[[], Parts]]:
    weights = params.pop("weights", "none")
    told = "/".join(f"{k}={v}" for k, v in params.items())
    key = f"tree/{name}/{criterion}/{told}/weights={weights}"
    return key, functools.partial(_tree, name, weights, criterion=criterion, **params)


LIMITS: tuple[dict[str, Any], ...] = (
    {"max_depth": 3},
    {"max_leaf_nodes": 5},
    {"max_leaf_nodes": 9, "evaluation": "glocal"},
    {"min_samples_leaf": 4},
    {"min_samples_split": 0.2},
    {"min_weight_fraction_leaf": 0.1},
    {"min_score": 0.05},
    {"no_distance_decay": True, "evaluation": "global"},
    {"max_features": 2},
    {"threshold_search": "histogram", "max_bins": 6},
    {"discretize": "equal_width", "n_bins": 5},
    {"discretize": "equal_frequency", "n_bins": 4},
    {"discretize": "mdlp"},
    {"thresholds": "training_value"},
    {"empty_branch": "unclassified"},
    {"missing": "fractional"},
    {"leaf_smoothing": "laplace"},
    {"class_weight": "balanced"},
    {"labels": "distinct", "evaluation": "global", "max_leaf_nodes": 8},
    {"pruning": "pessimistic"},
    {"pruning": "error_based"},
    {"pruning": "reduced_error"},
    {"pruning": "cost_complexity"},
    {"pruning": "m_estimate"},
    {"pruning": "mdl"},
    {"ccp_alpha": 0.01},
    {"merge_redundant": "class"},
)


def _limited() -> Iterator[tuple[str, Callable[[], Parts]]]:
    for limits, name in product(LIMITS, ("iris", "mixed", "mixed-missing", "monks-3")):
        for criterion in ("gini", "gain_ratio"):
            params = {"nominal_splits": "subset" if "labels" in limits else "multiway", **limits}
            yield _tree_entry(name, criterion, **params)
    for preset, name in product(
        ("ID3", "C45", "CART", "VILALTA2001", "CHEN2013", "FMEASURE"),
        ("weather", "weather-numeric", "iris", "mixed", "mixed-missing", "monks-3", "led"),
    ):
        params = getattr(fasttree.presets, preset)
        key = f"preset/{preset}/{name}"
        yield key, functools.partial(_tree, name, "none", **params)


def _others() -> Iterator[tuple[str, Callable[[], Parts]]]:
    forests: tuple[dict[str, Any], ...] = (
        {"criterion": "gini"},
        {"criterion": "info_gain", "oob_score": True, "max_depth": 4},
        {"criterion": "gain_ratio", "bootstrap": False, "max_features": None, "ties": "random"},
        {"criterion": "mdl", "max_samples": 0.5, "min_samples_leaf": 3},
    )
    for params, name in product(forests, ("iris", "mixed-missing", "monks-2", "many-levels")):
        told = "/".join(f"{k}={v}" for k, v in params.items())
        run = functools.partial(_forest, name, nominal_splits="multiway", **params)
        yield f"forest/{name}/{told}", run
    for name in ("xor", "weather", "contact-lenses", "parity", "iris"):
        run = functools.partial(
            _searched, name, "minimal_tree", errors="minimise", node_budget=3000
        )
        yield f"minimal_tree/{name}/node_budget=3000", run
    for name, depth in product(("weather", "monks-1", "balance-scale", "iris"), (2, 3)):
        run = functools.partial(
            _searched, name, "optimal_tree", max_depth=depth, leaf_penalty=0.01, node_budget=20_000
        )
        yield f"optimal_tree/{name}/max_depth={depth}", run
    for learner, name in product((NaiveBayes, TAN, AODE), TABLES):
        weights = _choice(("none", "none", "whole"), learner.__name__, name)
        run = functools.partial(_bayes, name, learner, weights)
        yield f"bayes/{learner.__name__}/{name}/weights={weights}", run
    for name, weights in product(NOMINAL, ("none", "whole")):
        yield f"pairs/{name}/weights={weights}", functools.partial(_pairs, name, weights)
    criteria = [c for c in ON_TABLES + ON_ROWS if c != "minimal_tree_size"]
    for criterion, name in product(criteria, ("weather", "monks-3", "iris", "mixed-missing")):
        weights = _choice(("none", "none", "whole"), criterion, name)
        run = functools.partial(_scores, name, criterion, weights)
        yield f"scores/{name}/{criterion}/weights={weights}", run
    for criterion, name in product(("pi", "contextual_merit"), ("monks-1", "led")):
        if criterion == "pi":
            run = functools.partial(_estimates, name, criterion, n_subsets=200)
            yield f"estimates/{name}/{criterion}/n_subsets=200", run
        run = functools.partial(_estimates, name, criterion, sample=60)
        yield f"estimates/{name}/{criterion}/sample=60", run
    for criterion, name in product(("gini", "chi2"), ("weather", "iris", "mixed-missing")):
        for splits in ("multiway", "subset"):
            run = functools.partial(_explained, name, criterion, splits)
            yield f"explain/{name}/{criterion}/nominal_splits={splits}", run
    for cv, name in product(("2x5", "5x2", "weka"), ("iris", "mixed-missing", "monks-1")):
        run = functools.partial(_folds, name, cv, nominal_splits="multiway")
        yield f"folds/{name}/cv={cv}", run
    run = functools.partial(
        _folds, "mixed", "2x5", estimators=lambda: [NaiveBayes(), AODE()], class_weight="balanced"
    )
    yield "folds/mixed/cv=2x5/estimators=bayes/class_weight=balanced", run
    run = functools.partial(_folds, "monks-3", "2x5", pruning="error_based")
    yield "folds/monks-3/cv=2x5/pruning=error_based", run
    for kind in ("cross-validation", "comparison", "learning curve", "sweep"):
        yield f"report/{kind}", functools.partial(_report, kind)


def _routes() -> Iterator[tuple[str, Callable[[], Parts]]]:
    for key, case in golden_routes.cases().items():
        yield key, functools.partial(route, case)


@functools.cache
def entries() -> dict[str, Callable[[], Parts]]:
    """Every entry by its key."""
    found: dict[str, Callable[[], Parts]] = {}
    for source in (_trees, _limited, _others, _routes):
        for key, run in source():
            assert key not in found, key
            found[key] = run
    return found


def _feed(digest: Any, part: Any) -> None:
    if isinstance(part, str):
        digest.update(part.encode())
    elif isinstance(part, list | tuple):
        for one in part:
            _feed(digest, one)
    else:
        array = np.ascontiguousarray(part)
        kind = {"f": "<f8", "i": "<i8", "u": "<i8", "b": "<i8"}[array.dtype.kind]
        digest.update(f"{array.shape}{kind}".encode())
        values = array.astype(kind)
        if kind == "<f8":  # one bit pattern for NaN and one for zero
            values = np.where(np.isnan(values), np.nan, values) + 0.0
        digest.update(values.tobytes())


def hashed(run: Callable[[], Parts]) -> dict[str, str]:
    """Part -> digest; a refusal is a result, too: its kind of error."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            parts = run()
        except (ValueError, TypeError, NotImplementedError) as error:
            return {"refused": type(error).__name__}
    digests = {}
    for name, part in parts.items():
        digest = hashlib.sha256()
        _feed(digest, part)
        digests[name] = digest.hexdigest()[:32]
    return digests


def golden() -> dict[str, Any]:
    """The file: its platform and its entries."""
    return json.loads(FILE.read_text(encoding="utf-8"))


def _write(found: dict[str, dict[str, str]]) -> None:
    held = golden()["entries"] if FILE.exists() else {}
    known = entries()
    held = {k: v for k, v in {**held, **found}.items() if k in known}
    lines = [f"  {json.dumps(k)}: {json.dumps(held[k])}" for k in sorted(held)]
    head = f'{{"platform": {json.dumps(PLATFORM)},\n "entries": {{\n'
    FILE.write_text(head + ",\n".join(lines) + "\n}}\n", encoding="utf-8")


def main(arguments: list[str] | None = None) -> int:
    """Write, check or list the entries whose keys match."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    action = parser.add_mutually_exclusive_group(required=True)
    for name in ("write", "check", "list"):
        action.add_argument(f"--{name}", nargs="*", metavar="PATTERN")
    options = parser.parse_args(arguments)
    wanted = next(p for p in (options.write, options.check, options.list) if p is not None) or ["*"]
    keys = [k for k in entries() if any(fnmatch.fnmatchcase(k, p) for p in wanted)]
    if not keys:
        parser.error(f"no key matches {' '.join(wanted)}")
    if options.list is not None:
        print("\n".join(keys))
        return 0
    found = {key: hashed(entries()[key]) for key in keys}
    if options.write is not None:
        _write(found)
        print(f"{len(found)} entries written to {FILE.name}")
        return 0
    held = golden()["entries"]
    changed = []
    for k, v in found.items():
        before = held.get(k, {})
        parts = [p for p in {**v, **before} if v.get(p) != before.get(p)]
        if parts:
            changed.append(f"{k}: {', '.join(parts)}")
    print("\n".join(changed) or f"{len(found)} entries hold")
    return 1 if changed else 0


if __name__ == "__main__":
    sys.exit(main())
