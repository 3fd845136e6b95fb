"""All calls that can last: what a test of interruption or of memory has to walk.

``CALLS`` maps a name to two pieces of code. The first prepares (``size`` scales its rows), the
second is the call; both run in a process that has run ``PREPARE``. A call that lasts and is not
here is an omission: `test_long_calls.py` compares the names with the functions of the extension.
"""

from __future__ import annotations

from typing import NamedTuple

from fasttree import _engine
from fasttree.exports import FORMATS


class Call(NamedTuple):
    """How a long call is prepared and made, and the functions of the extension behind it."""

    prepare: str
    work: str
    covers: tuple[str, ...] = ()


PREPARE = """
import os, sys, tempfile, time, warnings
import numpy as np
import fasttree
from fasttree import _engine, bayesian_networks, criteria, discretize, experiments
from fasttree import model_selection, naive_bayes, pruning
from fasttree.table import Table
temporary = tempfile.TemporaryDirectory()
folder = temporary.name
rng = np.random.default_rng(0)

def numbers(rows, columns, classes=2):
    rows = max(int(rows * size), 40)
    X = rng.normal(size=(rows, columns))
    y = (X[:, 0] * X[:, 1] > 0).astype(int) if classes == 2 else rng.integers(0, classes, rows)
    return X, y ^ (rng.random(rows) < 0.2) if classes == 2 else y

def levels(rows, columns, values=5, classes=2):
    rows = max(int(rows * size), 40)
    X = rng.integers(0, values, (rows, columns)).astype(np.uint8)
    return X, rng.integers(0, classes, rows)

def nominal(*shape):
    X, y = levels(*shape)
    return Table(X, y, categorical_features="all")

def gaps(X):
    X[rng.random(X.shape) < 0.05] = np.nan
    return X

def progress(done, total):
    reports.add(done / total)

reports = set()

def encoded(table):
    fasttree.score_features(table, criterion="gini")
    return table
"""

_TREE = """
X, y = numbers(150_000, 6)
model = fasttree.fit(X, y, min_score=None)
"""

_SMALL_TREE = """
import fasttree.exports
X, y = numbers(20_000, 6)
model = fasttree.fit(X, y)
"""

_FOREST = """
X, y = numbers(40_000, 6)
forest = fasttree.FastForestClassifier(40, oob_score=True).fit(X, y)
"""

_BATCHES = """
import pyarrow
X, y = numbers(300_000, 10)
columns = {f"x{j}": X[:, j] for j in range(10)} | {"y": y}
parts = pyarrow.table(columns).to_batches(20_000)
"""


def _fit(data: str, how: str) -> Call:
    return Call(f"t = encoded({data})", f"fasttree.fit(t, {how})", ("tree_fit",))


def _scores(data: str, how: str) -> Call:
    return Call(
        f"t = encoded({data})",
        f"fasttree.score_features(t, {how})",
        ("Dataset.score_features",),
    )


_NUMBERS = "Table(*numbers(200_000, 20, 9))"
_GAPS = "Table(gaps(numbers(60_000, 12)[0]), rng.integers(0, 3, max(int(60_000 * size), 40)))"

FITS = {
    "encode and fit": Call(
        "X, y = numbers(300_000, 20, 3)",
        "fasttree.fit(X, y, max_depth=2)",
        ("tree_fit",),
    ),
    "encode text": Call(
        "X = rng.integers(0, 500, (max(int(200_000 * size), 40), 4)).astype(str).astype(object)\n"
        "y = rng.integers(0, 2, len(X))",
        "fasttree.fit(X, y, max_depth=1)",
    ),
    "fit numbers": _fit(_NUMBERS, "criterion='jaccard', min_score=None"),
    "fit on two threads": _fit(_NUMBERS, "criterion='mdl', n_jobs=2"),
    "fit a histogram": _fit(_NUMBERS, "threshold_search='histogram'"),
    "fit a histogram of numbers": Call(
        f"t = {_NUMBERS}", "fasttree.fit(t, threshold_search='histogram')", ("tree_fit",)
    ),
    "fit levels": _fit("nominal(200_000, 30)", "nominal_splits='multiway'"),
    "fit subsets": _fit("nominal(60_000, 12, 12, 4)", "nominal_splits='subset'"),
    "fit many levels": _fit("nominal(60_000, 8, 200, 3)", "nominal_splits='subset'"),
    "fit one against the rest": _fit("nominal(100_000, 10, 20)", "nominal_splits='one_vs_rest'"),
    "fit fractional rows": _fit(_GAPS, "missing='fractional'"),
    "fit a missing branch": _fit(_GAPS, "missing='branch'"),
    "fit C4.5": _fit(_GAPS, "**fasttree.presets.C45"),
    "fit best first": _fit(_NUMBERS, "max_leaf_nodes=5_000"),
    "fit with weights": Call(
        f"t = encoded({_NUMBERS}); w = rng.random(len(t))", "fasttree.fit(t, sample_weight=w)"
    ),
    "fit with whole weights": Call(
        f"t = encoded({_NUMBERS}); w = rng.integers(1, 9, len(t))",
        "fasttree.fit(t, sample_weight=w, criterion='gini')",
    ),
    "fit a trace": _fit("Table(*numbers(20_000, 10))", "trace='candidates'"),
    "fit globally": _fit(
        "Table(*numbers(20_000, 20, 8))", "criterion='jaccard', evaluation='global', labels='all'"
    ),
    "fit glocally": _fit("Table(*numbers(20_000, 20, 8))", "criterion='gini', evaluation='glocal'"),
    "fit by f_measure": _fit("Table(*numbers(30_000, 10))", "criterion='f_measure_max'"),
    "fit a chain": Call(
        "n = max(int(60_000 * size), 40); t = encoded(Table(np.arange(float(n))[:, None], "
        "np.arange(n) % 2))",
        "fasttree.fit(t, criterion='f_measure', min_samples_leaf=1, thresholds='value')",
    ),
    "fit a user's criterion": _fit(
        "Table(*numbers(20_000, 20))", "criterion=lambda tables: -tables.min(axis=(1, 2))"
    ),
    "fit by pi": _fit("nominal(6_000, 20)", "criterion='pi'"),
    "fit by pi, few levels": _fit("nominal(40_000, 12)", "criterion='pi', max_depth=3"),
    "fit by relief": _fit("nominal(6_000, 20)", "criterion='relief'"),
    "fit by relieff": _fit("Table(*numbers(4_000, 10))", "criterion='relieff'"),
    "fit by multisurf": _fit("nominal(4_000, 20)", "criterion='multisurf'"),
    "fit by k_nearest_merit": _fit("nominal(5_000, 15)", "criterion='k_nearest_merit'"),
    "fit by minimal_tree_size": _fit(
        "Table(*levels(200, 8, 3))", "criterion='minimal_tree_size', max_depth=3"
    ),
    "fit and prune by cross-validation": _fit(
        "Table(*numbers(20_000, 10))", "pruning=pruning.CostComplexity('cv')"
    ),
    "fit and prune by held-out rows": _fit(
        _NUMBERS, "pruning='reduced_error', random_state=0, merge_redundant='class'"
    ),
}

# Each criterion on the shapes that make one node, one candidate or one split long.
SHAPES = {
    "many classes": "Table(*numbers(6_000, 5, 400))",
    "many levels": "nominal(30_000, 3, 5_000, 3)",
    "many rows": "Table(*numbers(400_000, 6, 3))",
}
FEW_ROWS = {
    "many classes": "Table(*numbers(450, 6, 60))",
    "many levels": "nominal(450, 6, 300, 3)",
    "many rows": "Table(*numbers(450, 12, 3))",
}
"""For criteria that search trees: they refuse more than 500 distinct rows or 64 classes."""

CRITERIA = {
    f"{info['name']}, {shape}": _fit(
        (FEW_ROWS if info["evidence"] == "rows" else SHAPES)[shape],
        f"criterion={info['name']!r}, min_score=None, progress=progress",
    )
    for shape in SHAPES  # outermost: rows are prepared once per shape
    for info in _engine.registry("criteria")
    if info["target"] == "classes"
}

# All public functions and classes that take a time limit.
TIMED = {
    "minimal_tree": (
        "fasttree.minimal_tree(X, y, time_limit=limit)",
        "fasttree.MinimalTreeClassifier(time_limit=limit, errors='minimise').fit(Xi, y)",
    ),
    "MinimalTreeClassifier": (
        "fasttree.MinimalTreeClassifier(time_limit=limit, errors='minimise').fit(X, y)",
    ),
    "optimal_tree": (
        "fasttree.optimal_tree(X, y, max_depth=4, time_limit=limit)",
        "fasttree.optimal_tree(X, y, max_depth=2, time_limit=limit)",
        "fasttree.optimal_tree(Xi, y, max_depth=4, leaf_penalty=0.0001, time_limit=limit)",
    ),
    "OptimalTreeClassifier": (
        "fasttree.OptimalTreeClassifier(max_depth=3, time_limit=limit).fit(X, y)",
    ),
    "advise": ("fasttree.advise(X, y, time_limit=limit, n_jobs=1, cv='3x10', progress=False)",),
}

SCORES = {
    "score_features": _scores("Table(*numbers(200_000, 40, 12))", "criterion='jaccard'"),
    "score_features by pi": _scores("nominal(10_000, 25)", "criterion='pi'"),
    "score_features by contextual_merit": _scores(
        "nominal(8_000, 90)", "criterion='contextual_merit'"
    ),
    "score_features by relief": _scores("nominal(8_000, 40)", "criterion='relief'"),
    "score_features by relieff": _scores("Table(*numbers(8_000, 20))", "criterion='relieff'"),
    "score_features by surf": _scores("Table(*numbers(6_000, 20))", "criterion='surf'"),
    "score_features by multisurf": _scores("nominal(8_000, 40)", "criterion='multisurf'"),
    "scores of a share of rows": Call(
        "from fasttree.feature_selection.features import prepared\n"
        "X, y = numbers(12_000, 20)\n"
        "model = fasttree.FastTreeClassifier(criterion='relieff')\n"
        "t, _, config, _ = prepared(model, X, y, None)",
        "_engine.dataset_of(t).neighbour_share(config, (0, 2))",
        ("Dataset.neighbour_share",),
    ),
    "score wide codes": Call(
        "X, y = levels(1_500, 20_000, 3)",
        "fasttree.score_features(X, y, criterion='relieff', categorical_features='all')",
        ("stream_scores",),
    ),
    "score genotypes": Call(
        "s = fasttree.datasets.make_genotypes(max(int(1_500 * size), 40), 20_000)",
        "fasttree.score_features(s, criterion='multisurf')",
        ("genotype_scores",),
    ),
    "score genotypes, some missing": Call(
        "s = fasttree.datasets.make_genotypes(max(int(1_000 * size), 40), 6_000, missing=0.02)",
        "fasttree.score_features(s, criterion='surf', n_jobs=2)",
    ),
    "p-values of genotypes": Call(
        "s = fasttree.datasets.make_genotypes(max(int(1_000 * size), 40), 4_000)",
        "fasttree.relief_p_values(s, n_permutations=20)",
        ("genotype_tests",),
    ),
    "turf": Call(
        "X, y = levels(3_000, 200, 3)",
        "fasttree.turf(X, y, criterion='relieff', categorical_features='all')",
    ),
    "pair_counts": Call(
        "t = encoded(nominal(12_000, 25))", "fasttree.pair_counts(t)", ("pair_counts",)
    ),
    "pair counts across": Call(
        "t = encoded(nominal(16_000, 25)); half = len(t) // 2; places = np.arange(len(t))",
        "_engine.pair_counts(t, places[:half], places[half:])",
        ("pair_counts_across",),
    ),
    "count_matrices": Call(
        "t = encoded(nominal(8_000, 90))",
        "fasttree.count_matrices(t, theta=(1, 1, 1, 1), alpha=0.3, decay='exponential')",
        ("fixed_matrices",),
    ),
    "a sweep of counts": Call(
        "counts = fasttree.pair_counts(nominal(1_000, 40))",
        "counts.sweep(theta=[(1, 1, 1, a / 40) for a in range(40)], "
        "alpha=list(np.linspace(0, 2, 60)))",
        ("PairCounts",),
    ),
    "estimate_features by subsets": Call(
        "t = encoded(nominal(30_000, 40))",
        "fasttree.estimate_features(t, criterion='pi', method='subsets', random_state=0)",
        ("agreement_counts",),
    ),
    "estimate_features by rows": Call(
        "t = encoded(nominal(30_000, 40))",
        "fasttree.estimate_features(t, criterion='pi', method='rows', random_state=0)",
        ("pair_block_scores",),
    ),
}

SEARCHES = {
    "a minimal tree's class": Call(
        "n = max(int(500 * size), 12); X, y = rng.random((n, 6)), rng.integers(0, 3, n)",
        "fasttree.MinimalTreeClassifier(errors='minimise').fit(X, y)",
    ),
    "an optimal tree's class": Call(
        "n = int(3000 * size); X, y = rng.integers(0, 2, (n, 60)), rng.integers(0, 2, n)",
        "fasttree.OptimalTreeClassifier(max_depth=5).fit(X, y)",
    ),
    "minimal_tree": Call(
        "n = max(int(500 * size), 12); X, y = rng.random((n, 6)), rng.integers(0, 3, n)",
        "fasttree.minimal_tree(X, y)",
        ("minimal_tree",),
    ),
    "optimal_tree": Call(
        "n = int(3000 * size); X, y = rng.integers(0, 2, (n, 60)), rng.integers(0, 2, n)",
        "fasttree.optimal_tree(X, y, max_depth=5)",
        ("optimal_tree",),
    ),
    "near_optimal": Call(
        "n = int(3000 * size); X, y = rng.integers(0, 2, (n, 60)), rng.integers(0, 2, n); "
        "model = fasttree.optimal_tree(X, y, max_depth=4, time_limit=0.01)",
        "model.near_optimal(X, y)",
        ("near_optimal",),
    ),
}

MODELS = {
    "predict": Call(_TREE + "N = np.tile(X, (8, 1))", "model.predict(N)", ("Trees.predict",)),
    "predict on two threads": Call(
        _TREE + "N = np.tile(X, (8, 1)); model.set_params(n_jobs=2)", "model.predict(N)"
    ),
    "predict_proba": Call(
        _TREE + "N = np.tile(X, (8, 1))", "model.predict_proba(N)", ("Trees.predict_proba",)
    ),
    "apply": Call(_TREE + "N = np.tile(X, (8, 1))", "model.apply(N)", ("Trees.apply",)),
    "decision_path": Call(
        _TREE + "N = np.tile(X, (4, 1))", "model.decision_path(N)", ("Model.decision_path",)
    ),
    "predict with gaps": Call(
        "X, y = numbers(20_000, 8); G = gaps(X.copy())\n"
        "model = fasttree.fit(G, y, missing='fractional')",
        "model.predict_proba(G)",
    ),
    "explain": Call(
        "X, y = numbers(200_000, 20)\nmodel = fasttree.fit(X, y, max_depth=2)",
        "model.explain(0, X, y)",
        ("Model.explain", "Model.reach"),
    ),
    "prune": Call(
        _TREE, "model.prune(pruning.ErrorBased(subtree_raising=False))", ("Model.prune",)
    ),
    "prune and raise": Call(_TREE, "model.prune('error_based', X, y)"),
    "prune by held-out rows": Call(
        _TREE + "held_out = numbers(100_000, 6)", "model.prune('reduced_error', *held_out)"
    ),
    "prune by counts": Call(
        _TREE,
        "model.prune('mdl'), model.prune(pruning.CostComplexity(1e-5)), "
        "model.prune('m_estimate', merge_redundant='class')",
    ),
    "cost_complexity_pruning_path": Call(
        _TREE, "model.cost_complexity_pruning_path(X, y)", ("Model.cost_complexity_path",)
    ),
    "to_bytes": Call(_TREE, "model.to_bytes()", ("Trees.to_bytes",)),
    "from_bytes": Call(
        _TREE + "b = model.to_bytes()", "fasttree.from_bytes(b)", ("Model.from_bytes",)
    ),
    "shap_values": Call(_TREE, "model.shap_values(X[:500])", ("Trees.shap_values",)),
    "to_sklearn": Call(
        "X, y = numbers(150_000, 6)\nX = X.astype(np.float32)\n"
        "model = fasttree.fit(X, y, min_score=None)",
        "model.to_sklearn(missing='largest')",
    ),
    "to_text": Call(_TREE, "model.to_text()"),
    "to_dot": Call(_TREE, "model.to_dot()"),
    "to_rules": Call(_TREE, "model.to_rules()"),
    **{
        f"to_{name}": Call(_SMALL_TREE, f"fasttree.exports.FORMATS[{name!r}].show(model)")
        for name in FORMATS
        if name not in ("text", "dot", "rules", "json")
    },
    "tree_": Call(
        _TREE + "b = model.to_bytes()", "fasttree.from_bytes(b).tree_", ("Model.arrays",)
    ),
    "staged_score": Call(
        "X, y = numbers(3_000, 6)\nmodel = fasttree.fit(X, y)", "model.staged_score(X, y)"
    ),
    "global distances": Call(
        _TREE,
        "vars(model).pop('_trace', 0); model.trace_",
        ("Model.global_distances", "Model.steps"),
    ),
}

FORESTS = {
    "fit a forest": Call(
        "X, y = numbers(50_000, 10)",
        "fasttree.FastForestClassifier(200).fit(X, y)",
        ("forest_fit",),
    ),
    "fit a forest on two threads": Call(
        "X, y = numbers(50_000, 10)",
        "fasttree.FastForestClassifier(200, n_jobs=2, oob_score=True).fit(X, y)",
    ),
    "fit a forest of numbers": Call(
        "X, y = numbers(50_000, 10)", "fasttree.FastForestRegressor(50).fit(X, y)"
    ),
    "predict by a forest": Call(_FOREST, "forest.predict_proba(X)", ("Trees.predict_proba",)),
    "vote of a forest": Call(_FOREST, "forest.predict(X)", ("Trees.predict",)),
    "leaves of a forest": Call(_FOREST, "forest.apply(X)", ("Trees.apply",)),
    "shap_values of a forest": Call(
        _FOREST, "forest.shap_values(X[:100], n_jobs=2)", ("Trees.shap_values",)
    ),
    "permutation_importance": Call(
        _FOREST, "forest.permutation_importance(X, y)", ("out_of_bag_importances",)
    ),
    "permutation_importance on two threads": Call(
        "X, y = numbers(20_000, 10); y = y + rng.normal(size=len(X))\n"
        "forest = fasttree.FastForestRegressor(60, n_jobs=2).fit(X, y)",
        "forest.permutation_importance(X, y)",
    ),
    "unbiased_importance": Call(
        "X, y = numbers(50_000, 10)\n"
        "forest = fasttree.FastForestClassifier(60, criterion='gini').fit(X, y)",
        "forest.unbiased_importance(X, y)",
    ),
    "save a forest of deep trees": Call(
        "X, y = numbers(20_000, 6); y = y + rng.normal(size=len(X))\n"
        "forest = fasttree.FastForestRegressor(60, n_jobs=2).fit(X, y)",
        "forest.to_bytes()",
    ),
    "bootstrap_counts": Call(_FOREST, "forest.bootstrap_counts(X, y)", ("bag_counts",)),
    "save a forest": Call(_FOREST, "forest.to_bytes()", ("Trees.to_bytes",)),
    "load a forest": Call(
        _FOREST + "b = forest.to_bytes()", "fasttree.from_bytes(b)", ("Forest.from_bytes",)
    ),
}

BAYES = {
    "NaiveBayes": Call(
        "X, y = numbers(300_000, 20)", "naive_bayes.NaiveBayes().fit(X, y)", ("bayes_fit",)
    ),
    "NaiveBayes.predict": Call(
        "X, y = numbers(100_000, 20)\nm = naive_bayes.NaiveBayes().fit(X, y)",
        "m.predict_proba(X)",
        ("BayesModel.predict",),
    ),
    "TAN": Call(
        "X, y = levels(40_000, 60)", "naive_bayes.TAN(categorical_features='all').fit(X, y)"
    ),
    "AODE": Call(
        "X, y = levels(20_000, 80)", "naive_bayes.AODE(categorical_features='all').fit(X, y)"
    ),
    "AODE.predict": Call(
        "X, y = levels(3_000, 600)\nm = naive_bayes.AODE(categorical_features='all').fit(X, y)",
        "m.predict(X)",
    ),
    "save a Bayes model": Call(
        "X, y = levels(3_000, 150)\nm = naive_bayes.AODE(categorical_features='all').fit(X, y)",
        "m.to_bytes()",
        ("BayesModel.to_bytes",),
    ),
    "load a Bayes model": Call(
        "X, y = levels(3_000, 150)\nm = naive_bayes.AODE(categorical_features='all').fit(X, y)\n"
        "b = m.to_bytes()",
        "fasttree.from_bytes(b)",
        ("BayesModel.from_bytes",),
    ),
    "MDLP": Call("X, y = numbers(200_000, 10)", "discretize.MDLP().fit(X, y)", ("bin_cuts",)),
}

PROTOCOLS = {
    "cross_validate": Call(
        "t = encoded(Table(*numbers(10_000, 20, 5)))",
        "model_selection.cross_validate(t, criterion=['gini', 'jaccard'], cv='5x10', n_jobs=2)",
        ("Dataset.cross_validate",),
    ),
    "cross_validate fold by fold": Call(
        "t = encoded(Table(*numbers(10_000, 10)))",
        "model_selection.cross_validate(t, criterion='gini', cv='5x10', class_weight='balanced')",
    ),
    "compare": Call(
        "ts = {str(i): Table(*numbers(4_000, 10)) for i in range(3)}",
        "model_selection.compare(ts, ['gini', 'info_gain'], cv='5x10')",
    ),
    "sweep": Call(
        "t = nominal(1_500, 12)",
        "fasttree.sweep(t, theta=[(1, 1, 1, 1), (1, 0, 0, 1)], alpha=[0.1, 0.5, 1.0], cv='2x5')",
    ),
    "learning_curve": Call(
        "X, y = numbers(3_000, 8)",
        "model_selection.learning_curve(X, y, criterion=['gini'], n_repeats=50)",
    ),
}

FILES = {
    "load a CSV file": Call(
        "n = max(int(400 * size), 2); rows = '\\n'.join(','.join(map(str, r)) + ',a' for r in "
        "rng.normal(size=(500, 20)).round(6))\n"
        "path = os.path.join(folder, 'long.csv')\n"
        "with open(path, 'w') as file:\n"
        "    file.write(','.join(f'x{j}' for j in range(20)) + ',y\\n' + (rows + '\\n') * n)",
        "fasttree.datasets.load(path)",
    ),
    "load an ARFF file": Call(
        "n = max(int(400 * size), 2); rows = '\\n'.join(','.join(map(str, r)) + ',a' for r in "
        "rng.normal(size=(500, 19)).round(6))\n"
        "path = os.path.join(folder, 'long.arff')\n"
        "with open(path, 'w') as file:\n"
        "    file.write('@relation r\\n' + ''.join(f'@attribute x{j} real\\n' for j in "
        "range(19)))\n"
        "    file.write('@attribute y {a,b}\\n@data\\n' + (rows + '\\n') * n)",
        "fasttree.datasets.load(path)",
    ),
}

WHOLE = {
    "advise": Call("X, y = numbers(3_000, 8)", "fasttree.advise(X, y, progress=False)"),
    "fit by the class": Call(
        "X, y = numbers(100_000, 10)", "fasttree.FastTreeClassifier(min_score=None).fit(X, y)"
    ),
    "fit by the number": Call(
        "X, y = numbers(100_000, 10)", "fasttree.FastTreeRegressor().fit(X, X[:, 0] + y)"
    ),
    "fit by the median": Call(
        "X, y = numbers(40_000, 10)",
        "fasttree.FastTreeRegressor(criterion='absolute_error').fit(X, X[:, 0] + y)",
    ),
    "reproduce": Call("", "experiments.run('f-measure', n_jobs=1)"),
}

NETWORKS = {
    "CaMML": Call(
        "X, y = levels(1_000, 8, 3)",
        "bayesian_networks.CaMML(categorical_features='all').fit(X, y)",
        ("network_search",),
    ),
    "CaMML on many columns": Call(
        "X, y = levels(1_000, 30, 3)",
        "bayesian_networks.CaMML(categorical_features='all', n_jobs=2).fit(X, y)",
    ),
    "CaMML on missing cells by parts": Call(
        "X = levels(2_000, 12, 3)[0].astype(str).astype(object)\n"
        "X[rng.random(X.shape) < 0.1] = None; y = rng.integers(0, 2, len(X))",
        "bayesian_networks.CaMML(missing='parts').fit(X, y)",
    ),
    "CaMML.predict_proba": Call(
        "X, y = levels(100_000, 8, 3); y = X[:, :3].sum(axis=1) > 3\n"
        "m = bayesian_networks.CaMML(categorical_features='all', n_steps=20_000, average=True)\n"
        "m.fit(X, y)",
        "m.predict_proba(X)",
    ),
    "BayesianNetwork.sample": Call(
        "t = nominal(2_000, 20)\n"
        "n = bayesian_networks.BayesianNetwork.from_table(t, [[20]] * 20 + [[]])",
        "n.sample(200_000, random_state=0)",
    ),
    "message_length": Call(
        "t = encoded(nominal(200_000, 20))",
        "bayesian_networks.message_length(t, [[]] * 21)",
        ("network_tables_cost",),
    ),
    "exact_posterior": Call(
        "t = encoded(nominal(1_000, 13, 2))",
        "bayesian_networks.exact_posterior(t)",
        ("network_exact",),
    ),
}

BATCHES = {
    "fit on batches": Call(
        _BATCHES,
        "fasttree.fit(lambda: iter(parts), 'y', threshold_search='histogram')",
        ("Dataset.of_codes",),
    ),
    "a forest on batches": Call(
        _BATCHES,
        "fasttree.FastForestClassifier(20, threshold_search='histogram')"
        ".fit(lambda: iter(parts), 'y')",
        (),
    ),
}

_NUMBERS_OF_TREES = """
X, y = numbers(20_000, 6); y = y + rng.normal(size=len(X))
half = len(X) // 2
forest = fasttree.FastForestRegressor(20).fit(X[:half], y[:half])
"""

_METRICS = """
from fasttree import metrics
n = int(3_000_000 * size); y, guess = rng.integers(0, 2, n), rng.integers(0, 2, n)
share = rng.random(n); proba = np.column_stack([1 - share, share])
curve = metrics.roc_curve(y[:300_000], share[:300_000])
"""

PUBLIC = {
    "evaluate": Call(
        "X, y = numbers(100_000, 6)\nmodel = fasttree.fit(X, y)", "model.evaluate(X, y)"
    ),
    "intervals of numbers": Call(
        _NUMBERS_OF_TREES,
        "forest.calibrate(X[half:], y[half:]); forest.predict_interval(X); "
        "forest.predict_quantiles(X, [0.1, 0.9])",
    ),
    "exports of a forest": Call(
        "X, y = numbers(5_000, 6); forest = fasttree.FastForestClassifier(30).fit(X, y)",
        "forest.to_sql(), forest.to_python(), forest.to_c(), forest.to_onnx()",
    ),
    "explore": Call(_SMALL_TREE, "model.explore(X, y)"),
    "plot a tree": Call(
        "import matplotlib.figure\nmatplotlib.use('agg')\n" + _SMALL_TREE, "model.plot()"
    ),
    "stability": Call(_SMALL_TREE, "model.stability(X, y, nodes=True)"),
    "compare_with_greedy": Call(
        "X, y = numbers(20_000, 10)\n"
        "model = fasttree.optimal_tree(X, y, max_depth=2, time_limit=0.2)",
        "model.compare_with_greedy(X, y)",
    ),
    "metrics of labels": Call(
        _METRICS,
        "metrics.accuracy(y, guess), metrics.per_class(y, guess), metrics.f_beta(y, guess)",
    ),
    "metrics of shares": Call(
        _METRICS, "metrics.log_loss(y, proba), metrics.calibration_curve(y, proba)"
    ),
    "metrics of scores": Call(
        _METRICS,
        "metrics.auc(y[: n // 4], share[: n // 4]), metrics.roc_convex_hull(curve), "
        "metrics.cost_envelope(curve)",
    ),
    "labels of a Table": Call(
        "import pandas\nn = int(1_000_000 * size)\nframe = pandas.DataFrame("
        "{'a': rng.integers(0, 50, n).astype(str), 'y': rng.integers(0, 2, n)})",
        "t = Table.from_any(frame, target='y'); t.X, t.y, t.to_frame(), t.describe()",
    ),
    "load a Parquet file": Call(
        "import pandas\npath = os.path.join(folder, 'long.parquet')\n"
        "pandas.DataFrame(rng.normal(size=(int(400_000 * size), 6)), columns=list('abcdef'))"
        ".assign(y=1).to_parquet(path)",
        "fasttree.datasets.load(path)",
    ),
    "dump_arff": Call(
        "t = Table(*numbers(100_000, 8)); path = os.path.join(folder, 'out.arff')",
        "fasttree.datasets.dump_arff(t, path)",
    ),
    "genotypes": Call(
        "path = os.path.join(folder, 'study.bed')",
        "s = fasttree.datasets.make_genotypes(max(int(500 * size), 40), 10_000)\n"
        "fasttree.datasets.dump_plink(s, path); fasttree.datasets.read_plink(path)\n"
        "s.to_array(), s.take(samples=np.arange(30)), s.to_table()",
    ),
    "folds of labels": Call(
        "y = rng.integers(0, 2, int(300_000 * size))",
        "for kind in ('StratifiedRepeatedKFold', 'WekaStratifiedKFold', 'LearningCurveSplit'):\n"
        "    list(getattr(model_selection, kind)().split(y[:, None], y))",
    ),
    "rows of a network": Call(
        "t = nominal(100_000, 20)\n"
        "n = bayesian_networks.BayesianNetwork.from_table(t, [[20]] * 20 + [[]])",
        "n.log_likelihood(t), n.predict(t), n.log_probabilities(t)",
    ),
    "select features": Call(
        "from fasttree.feature_selection import CriterionSelector\nX, y = numbers(100_000, 20)",
        "CriterionSelector('gini').fit(X, y).transform(X)",
    ),
}

_GROUPS = (
    PUBLIC,
    BATCHES,
    NETWORKS,
    FITS,
    SCORES,
    SEARCHES,
    MODELS,
    FORESTS,
    BAYES,
    PROTOCOLS,
    FILES,
    WHOLE,
)
CALLS = {name: call for group in _GROUPS for name, call in group.items()}
