"""The criteria of the core against the slow truth of ``tests/oracle/criteria_oracle.py``, to
1e-12."""

from __future__ import annotations

import json
import math
import random
from itertools import pairwise

import numpy as np
import pytest

import fasttree
from fasttree import _core, criteria

from ..tools import asked_for
from ..tools import criteria_oracle as oracle

REGISTRY = [info for info in _core.registry("criteria") if info["evidence"] == "table"]
ROOTS = [math.sqrt(i) for i in range(20_001)]

# The defaults, each other value of each option (`others` in its INFO), and some of them together.
KNOWN = [info for info in REGISTRY if info["name"] in oracle.ORACLE]
VARIANTS = [
    *[(info["name"], {}) for info in KNOWN],
    *[
        (info["name"], {option["name"]: value})
        for info in KNOWN
        for option in info["options"]
        for value in json.loads(option["others"])
    ],
    *[("jaccard", {"assignment": "identity", "size": s}) for s in ("sqrt", "log1p")],
    *[("f_measure", {"beta": b, "variant": "change"}) for b in (0.5, 2.0)],
    *[("f_measure_max", {"beta": b, "positive": 0}) for b in (0.5, 2.0)],
    ("jaccard", {"size": "values", "size_values": ROOTS}),
]


def variant_id(variant: tuple[str, dict]) -> str:
    name, options = variant
    return "-".join([name, *[f"{k}={v}" for k, v in options.items() if k != "size_values"]])


def core(name, options, tables, declared=None, occurring=None):
    return _core.score_tables(name, options, np.asarray(tables, dtype=float), declared, occurring)


def random_tables(seed: int, whole: bool = True):
    """Tables of all shapes up to 5 x 4, small, large, unbalanced, with empty rows and columns."""
    draw = random.Random(seed)
    for _ in range(150):
        m, k, most = draw.randint(1, 5), draw.randint(1, 4), draw.choice([2, 5, 30, 1000])
        table = [[draw.choice([0, 1, draw.randint(0, most)]) for _ in range(k)] for _ in range(m)]
        if not whole:
            table = [[x * draw.choice([0.25, 0.7, 1.9]) for x in branch] for branch in table]
        if sum(map(sum, table)) > 0:
            yield table


def close(ours: float, truth: float, scale: float = 1.0) -> bool:
    return abs(ours - truth) <= 1e-12 * max(1.0, abs(truth), scale)


def check(name: str, options: dict, table, declared=None, occurring=None) -> None:
    k = len(table[0])
    occurring = [True] * k if occurring is None else occurring
    extra = {} if declared is None else {"declared": declared}
    truth = oracle.evaluate(name, table, occurring=occurring, **options, **extra)
    ours = core(name, options, [table], None if declared is None else [declared], occurring)
    # A G statistic is a gain times 2 n ln 2: so is its rounding.
    scale = 2 * math.log(2) * sum(map(sum, table)) if name == "g_statistic" else 1.0
    for got, expected in zip(ours, truth, strict=True):
        assert close(got[0], expected, scale), (name, options, table, got[0], expected)


@asked_for
def test_the_oracle_knows_every_criterion_on_tables(ask):
    aliases = {alias: info["name"] for info in REGISTRY for alias in info["aliases"]}
    assert set(oracle.ORACLE) <= {info["name"] for info in REGISTRY}
    assert oracle.ALIASES.items() <= aliases.items()
    for info in REGISTRY:
        if info not in KNOWN:
            with pytest.raises(LookupError) as error:
                oracle.evaluate(info["name"], info["example"])
            ask(str(error.value))
    if aliases != oracle.ALIASES:
        ask("list the aliases of criteria on tables in ALIASES, tests/oracle/criteria_oracle.py")


@pytest.mark.parametrize("variant", VARIANTS, ids=variant_id)
def test_counts(variant):
    name, options = variant
    for table in random_tables(1):
        check(name, options, table)


@pytest.mark.parametrize(
    "variant", [v for v in VARIANTS if v[1].get("size") != "values"], ids=variant_id
)
def test_real_weights(variant):
    name, options = variant
    for table in random_tables(2, whole=False):
        # Ties between labels turn on the last bit of sums of real weights.
        if name in {"f_measure", "f_measure_max"} and _nearly_tied(table):
            continue
        check(name, options, table)


def _nearly_tied(table) -> bool:
    columns = [sum(column) for column in zip(*table, strict=True)]
    for branch in [*table, columns]:
        ordered = sorted(branch)
        halves = [abs(2 * x - sum(branch)) for x in branch if x > 0]
        if any(b - a < 1e-9 for a, b in pairwise(ordered) if b > 0) or any(
            h < 1e-9 for h in halves
        ):
            return True
    return False


@pytest.mark.parametrize("info", REGISTRY, ids=lambda info: info["name"])
def test_worked_example(info):
    table = [list(branch) for branch in info["example"]]
    if info in KNOWN:
        assert close(oracle.evaluate(info["name"], table)[0], info["example_score"])
    assert close(core(info["name"], {}, [table])[0][0], info["example_score"])


def test_normal_gain_takes_the_declared_number_of_values():
    for table in random_tables(3):
        for declared in (len(table), len(table) + 3, 1):
            check("normal_gain", {}, table, declared=declared)


@pytest.mark.parametrize("assignment", ["matching", "identity"])
def test_jaccard_takes_the_classes_of_the_training_set(assignment):
    draw = random.Random(4)
    for table in random_tables(4):
        totals = [sum(column) for column in zip(*table, strict=True)]
        occurring = [t > 0 or draw.random() < 0.5 for t in totals]
        check("jaccard", {"assignment": assignment}, table, occurring=occurring)


def test_large_matchings_against_scipy():
    optimize = pytest.importorskip("scipy.optimize")
    generator = np.random.default_rng(5)
    for m, k in [(3, 12), (12, 3), (15, 15), (40, 26)]:
        table = generator.integers(0, 50, (m, k)).astype(float)
        rows, columns = optimize.linear_sum_assignment(table, maximize=True)
        ours = core("accuracy", {"assignment": "matching"}, [table])[0][0]
        assert ours == table[rows, columns].sum() / table.sum()
        union = table.sum(1)[:, None] + table.sum(0)[None, :] - table
        rows, columns = optimize.linear_sum_assignment(table / union, maximize=True)
        assert close(core("jaccard", {}, [table])[0][0], (table / union)[rows, columns].sum())


def test_chi2_and_g_against_scipy():
    stats = pytest.importorskip("scipy.stats")
    for table in random_tables(6):
        dense = np.array(table)
        dense = dense[dense.sum(1) > 0][:, dense.sum(0) > 0]
        if min(dense.shape) < 2:
            continue
        for name, family in (("chi2", "pearson"), ("g_statistic", "log-likelihood")):
            expected = stats.chi2_contingency(dense, correction=False, lambda_=family).statistic
            assert abs(core(name, {}, [table])[0][0] - expected) <= 1e-11 * max(1.0, dense.sum())


def test_auc_is_scikit_learns_of_the_branch_shares():
    metrics = pytest.importorskip("sklearn.metrics")
    draw = random.Random(7)
    for _ in range(60):
        table = [[draw.randint(0, 9), draw.randint(0, 9)] for _ in range(draw.randint(1, 5))]
        if min(sum(column) for column in zip(*table, strict=True)) == 0:
            continue
        y = [c for negative, positive in table for c in [0] * negative + [1] * positive]
        share = [b / (a + b) for a, b in table for _ in range(a + b)]
        assert close(core("auc", {}, [table])[0][0], metrics.roc_auc_score(y, share))


def test_normalised_mutual_information_is_scikit_learns():
    metrics = pytest.importorskip("sklearn.metrics")
    methods = {
        "symmetric_uncertainty": "arithmetic",
        "geometric_nmi": "geometric",
        "min_nmi": "min",
        "max_nmi": "max",
    }
    for table in random_tables(8):
        labels = [(m, c) for m, b in enumerate(table) for c, x in enumerate(b) for _ in range(x)]
        branches, classes = zip(*labels, strict=True)
        if len(set(branches)) < 2 or len(set(classes)) < 2:
            continue  # scikit-learn calls two trivial partitions identical; here they tell nothing
        for name, mean in methods.items():
            expected = metrics.normalized_mutual_info_score(classes, branches, average_method=mean)
            assert abs(core(name, {}, [table])[0][0] - expected) < 1e-10


def test_every_set_of_the_archive(uci):
    """Contingency tables of real columns: all criteria on the nominal features of every file."""
    from fasttree import datasets

    seen = 0
    for path in sorted(uci.glob("*.arff")):
        table = datasets.load(path)
        classes = len(table.classes)
        if table.y is None or classes < 2:
            continue
        nominal = [c for c in table.columns if c.kind == "nominal" and 1 < len(c.levels) <= 8][:2]
        for column in nominal:
            known = np.asarray(column.values).astype(int) >= 0
            counts = np.zeros((len(column.levels), classes))
            np.add.at(
                counts, (np.asarray(column.values)[known].astype(int), table.y_codes[known]), 1
            )
            for info in REGISTRY:
                if info["name"] == "jaccard" and min(counts.shape) > 5:
                    continue  # the oracle tries every matching
                check(info["name"], {}, counts.tolist())
            seen += 1
    assert seen > 20


def test_refusals_name_the_option():
    table = [[4, 1], [2, 3]]
    for name, options, words in [
        ("f_measure", {"beta": -1.0}, "beta=-1"),
        ("f_measure_max", {"positive": 2}, "there are 2 classes"),
        ("jaccard", {"size": "values", "size_values": [0.0, 1.0]}, r"0\.\.=10"),
        ("jaccard", {"size": "values", "size_values": [0.0, 1.0, 5.0]}, "concave"),
        ("accuracy", {"assignment": "best"}, "best"),
        ("info_gain", {"alpha": 1}, "alpha"),
    ]:
        with pytest.raises(ValueError, match=words):
            core(name, options, [table])


def test_a_misspelt_name_meets_its_neighbour():
    with pytest.raises(ValueError, match="did you mean 'hellinger'"):
        core("helinger", {}, [[[1, 2], [2, 1]]])


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("information_gain", "'info_gain'"),
        ("Information Gain", "'info_gain'"),
        ("ig", "'info_gain'"),
        ("gini_index", "'gini'"),
        ("gini-impurity", "'gini'"),
        ("GINI", "'gini'"),
        ("chi_square", "'chi2'"),
        ("misclassification", "'accuracy'"),
        ("mse", "'squared_error'"),
        ("cart", "fasttree.presets.CART"),
        ("c4.5", "fasttree.presets.C45"),
        ("J48", "fasttree.presets.C45"),
    ],
)
def test_other_names_of_criteria_are_answered_in_one_line(name, meant):
    with pytest.raises(ValueError, match="is not known") as error:
        criteria.make(name)
    text = str(error.value)
    assert meant in text and len(text) < 160


def test_names_that_nothing_is_like_are_answered_with_all():
    with pytest.raises(ValueError, match=r"known: accuracy, .* on a number: absolute_error, "):
        criteria.make("foo")
    for names in criteria.OTHER_NAMES.values():
        assert not set(names) & {name.replace("_", "") for name in criteria.names()}
    assert set(criteria.OTHER_NAMES) < {row["name"] for row in criteria.list_criteria()}
    assert all(hasattr(fasttree.presets, name) for name in criteria.PRESETS.values())
