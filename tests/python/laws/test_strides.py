"""Arrays of any steps, offsets and orders of bytes give what their contiguous copies give."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fasttree
from fasttree import bayesian_networks, discretize, feature_selection, metrics, naive_bayes
from fasttree import model_selection as selection

ROWS, COLUMNS = 24, 3
RNG = np.random.default_rng(5)
NUMBERS = RNG.integers(0, 5, (ROWS, COLUMNS)) * 0.5
LABELS = (NUMBERS[:, 0] + NUMBERS[:, 1] > 2).astype(np.int64)
WEIGHTS = RNG.integers(1, 4, ROWS)
PLACES = RNG.permutation(ROWS)


def laid(values, dtype, offset, gaps, signs):
    """The values in memory from byte `offset` on, with `gaps` bytes between the cells of an axis,
    and backwards along the axes whose sign is negative."""
    dtype = np.dtype(dtype)
    steps, step = [], dtype.itemsize
    for n, gap in zip(values.shape[::-1], gaps, strict=False):
        step += gap
        steps.insert(0, step)
        step *= n
    memory = np.full(offset + step + dtype.itemsize, 0xA5, dtype=np.uint8)
    array = np.ndarray(values.shape, dtype, memory, offset, steps)
    array = array[tuple(slice(None, None, sign) for sign in signs[: values.ndim])]
    array[...] = values
    return array


def layouts(values, dtypes):
    return st.builds(
        laid,
        st.just(values),
        st.sampled_from([f"{order}{dtype}" for dtype in dtypes for order in "<>"]),
        st.integers(0, 9),
        st.tuples(st.integers(0, 9), st.integers(0, 9)),
        st.tuples(st.sampled_from([1, -1]), st.sampled_from([1, -1])),
    )


def native(array):
    """The contiguous copy in the machine's order of bytes."""
    return np.array(array.astype(array.dtype.newbyteorder("=")), order="C")


MODEL = fasttree.fit(NUMBERS, LABELS)
FOREST = fasttree.FastForestClassifier(3, random_state=0).fit(NUMBERS, LABELS)
NOMINAL = fasttree.fit(NUMBERS.astype(int), LABELS, categorical_features="all")
BAYES = naive_bayes.NaiveBayes().fit(NUMBERS, LABELS)
PLAIN = {"categorical_features": "all"}


def of_model(model):
    return model.to_bytes()


def forest(X, y, w, rows):
    made = fasttree.FastForestClassifier(3, random_state=0, oob_score=True)
    made.fit(X, y, sample_weight=w)
    return (
        made.to_bytes(),
        made.oob_decision_function_,
        made.bootstrap_counts(X, y, sample_weight=w),
    )


def folds(rows):
    return [(rows[8:], rows[:8]), (rows[:16], rows[16:])]


def validated(X, y, w, rows, **params):
    found = selection.cross_validate(X, y, cv=folds(rows), **params)
    return found.to_csv()


def packed_scores(tables):
    """A criterion whose scores are a field of packed records."""
    scores = np.zeros(len(tables), [("score", "f8"), ("rank", "i4")])
    shares = tables / np.maximum(tables.sum(axis=2, keepdims=True), 1e-9)
    scores["score"] = (tables * shares).sum(axis=(1, 2))
    scores["rank"] = 77
    return scores["score"]


ENTRIES = {
    "fit": lambda X, y, w, r: of_model(fasttree.fit(X, y, sample_weight=w)),
    "fit unweighted": lambda X, y, w, r: of_model(fasttree.fit(X, y)),
    "fit histogram": lambda X, y, w, r: of_model(
        fasttree.fit(X, y, threshold_search="histogram", sample_weight=w)
    ),
    "fit global": lambda X, y, w, r: of_model(fasttree.fit(X, y, evaluation="global")),
    "fit nominal": lambda X, y, w, r: of_model(fasttree.fit(X, y, **PLAIN, sample_weight=w)),
    "fit pairs": lambda X, y, w, r: of_model(fasttree.fit(X, y, criterion="pi")),
    "fit pruned": lambda X, y, w, r: of_model(fasttree.fit(X, y, pruning="pessimistic")),
    "fit of a mapping": lambda X, y, w, r: of_model(
        fasttree.fit({f"x{j}": X[:, j] for j in range(COLUMNS)}, y, sample_weight=w)
    ),
    "fit of a Table": lambda X, y, w, r: of_model(
        fasttree.fit(fasttree.Table(X, y).take(slice(1, None, 2)))
    ),
    "fit of columns": lambda X, y, w, r: of_model(
        fasttree.fit(
            fasttree.Table.from_columns(
                [fasttree.Column(f"x{j}", "numeric", X[:, j]) for j in range(COLUMNS)],
                fasttree.Column("y", "nominal", y.astype(np.int32), (0, 1)),
            )
        )
        if X.dtype.kind == "f"
        else fasttree.fit(X, y)
    ),
    "forest": forest,
    "optimal_tree": lambda X, y, w, r: of_model(
        fasttree.optimal_tree(X, y, max_depth=2, sample_weight=w)
    ),
    "minimal_tree": lambda X, y, w, r: of_model(
        fasttree.minimal_tree(X, y, max_nodes=15, errors="minimise", sample_weight=w)
    ),
    "predict": lambda X, y, w, r: MODEL.predict(X),
    "predict_proba": lambda X, y, w, r: MODEL.predict_proba(X),
    "predict nominal": lambda X, y, w, r: NOMINAL.predict_proba((2 * X).astype(X.dtype)),
    "predict of a forest": lambda X, y, w, r: FOREST.predict_proba(X),
    "apply": lambda X, y, w, r: MODEL.apply(X),
    "apply of a forest": lambda X, y, w, r: FOREST.apply(X),
    "decision_path": lambda X, y, w, r: MODEL.decision_path(X).toarray(),
    "score": lambda X, y, w, r: MODEL.score(X, y, sample_weight=w),
    "staged_score": lambda X, y, w, r: list(MODEL.staged_score(X, y)),
    "explain": lambda X, y, w, r: repr(MODEL.explain(0, X, y)),
    "prune": lambda X, y, w, r: of_model(MODEL.prune("reduced_error", X, y, sample_weight=w)),
    "shap_values": lambda X, y, w, r: MODEL.shap_values(X),
    "permutation_importance": lambda X, y, w, r: tuple(
        FOREST.permutation_importance(X, y).values()
    ),
    "score_features": lambda X, y, w, r: fasttree.score_features(
        X, y, criterion="gain_ratio", sample_weight=w
    ),
    "score_features relieff": lambda X, y, w, r: fasttree.score_features(X, y, criterion="relieff"),
    "score_features nominal": lambda X, y, w, r: fasttree.score_features(
        X, y, criterion="multisurf", **PLAIN
    ),
    "own criterion": lambda X, y, w, r: of_model(fasttree.fit(X, y, criterion=packed_scores)),
    "pair_counts": lambda X, y, w, r: fasttree.pair_counts(
        X, y, rows=np.sort(r[:9]), sample_weight=w, **PLAIN
    ).counts[0],
    "count_matrices": lambda X, y, w, r: fasttree.count_matrices(X, y, sample_weight=w, **PLAIN)[1],
    "sweep": lambda X, y, w, r: fasttree.sweep(X, y, alpha=(0.1,), cv=folds(r)).to_csv(),
    "estimate_features": lambda X, y, w, r: fasttree.estimate_features(X, y).scores,
    "cross_validate": lambda X, y, w, r: validated(X, y, w, r),
    "cross_validate histogram": lambda X, y, w, r: validated(
        X, y, w, r, threshold_search="histogram"
    ),
    "NaiveBayes": lambda X, y, w, r: of_model(naive_bayes.NaiveBayes().fit(X, y, sample_weight=w)),
    "NaiveBayes predict": lambda X, y, w, r: BAYES.predict_proba(X),
    "TAN": lambda X, y, w, r: of_model(naive_bayes.TAN().fit(X, y, sample_weight=w)),
    "AODE": lambda X, y, w, r: of_model(naive_bayes.AODE().fit(X, y)),
    "CaMML": lambda X, y, w, r: bayesian_networks.CaMML(random_state=1, n_steps=400)
    .fit(X, y)
    .predict_proba(X),
    "EqualWidth": lambda X, y, w, r: discretize.EqualWidth(4).fit_transform(X),
    "EqualFrequency": lambda X, y, w, r: discretize.EqualFrequency(4).fit_transform(X),
    "MDLP": lambda X, y, w, r: discretize.MDLP().fit(X, y).transform(X),
    "ReplaceMissing": lambda X, y, w, r: discretize.ReplaceMissing().fit_transform(X),
    "CriterionSelector": lambda X, y, w, r: feature_selection.CriterionSelector("gini", k=2)
    .fit(X, y)
    .transform(X),
    "criterion of tables": lambda X, y, w, r: fasttree.criteria.Gini().score(X),
    "metrics": lambda X, y, w, r: metrics.brier_score(
        y, np.column_stack([y, 1 - y]), sample_weight=w
    ),
}  # fmt: skip


def same(a, b):
    if isinstance(a, tuple | list):
        return len(a) == len(b) and all(map(same, a, b))
    if isinstance(a, np.ndarray) and a.dtype.kind == "f":
        return np.array_equal(a, b, equal_nan=True)
    return np.array_equal(a, b) if isinstance(a, np.ndarray) else a == b


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("name", ENTRIES)
@settings(max_examples=5, deadline=None)
@given(
    X=layouts(NUMBERS, ["f8", "f4"]),
    y=layouts(LABELS, ["i8", "i4", "i2", "u1"]),
    w=layouts(WEIGHTS, ["f8", "f4", "i8", "i4"]),
    rows=layouts(PLACES, ["i8", "i4"]),
)
def test_every_entry_reads_an_array_as_its_contiguous_copy(name, X, y, w, rows):
    call = ENTRIES[name]
    given_ones, copies = (X, y, w, rows), tuple(map(native, (X, y, w, rows)))
    assert same(call(*given_ones), call(*copies))


@pytest.mark.parametrize("strange", [{"offset": 1}, {"gap": 4}])
def test_the_core_refuses_what_is_not_aligned(strange):
    packed = laid(NUMBERS, "<f8", strange.get("offset", 0), (strange.get("gap", 0), 0), (1, 1))
    codes = LABELS.astype(np.uint16)
    schema = fasttree._engine.schema_of(
        [{"name": f"x{j}", "kind": "numeric"} for j in range(COLUMNS)], (0, 1), "class"
    )
    fasttree._engine.core.Dataset(schema, codes, [packed.copy()])
    with pytest.raises(ValueError, match="is not aligned to its cells of 8 bytes"):
        fasttree._engine.core.Dataset(schema, codes, [packed])


def records():
    packed = np.zeros(8, [("x", "f8"), ("k", "i4")])
    packed["x"], packed["k"] = [0, 1] * 4, [3, 4] * 4
    return packed


@pytest.mark.parametrize(
    "form",
    [
        lambda a: a["x"][:, None],
        lambda a: a[["x", "k"]],
        lambda a: a.view(np.recarray),
        lambda a: {"x": a["x"], "k": a["k"]},
        lambda a: {"x": a["x"][::-1]},
    ],
)
def test_fields_of_packed_records_are_read_as_they_are(form):
    X = form(records())
    model = fasttree.fit(X, [0, 1] * 4 if not isinstance(X, dict) or "k" in X else [1, 0] * 4)
    assert model.tree_.threshold[0] == 0.5
    assert model.predict(X).tolist() == model.predict(model_rows(X)).tolist()


def model_rows(X):
    """The same columns, each copied."""
    if isinstance(X, dict):
        return {name: column.copy() for name, column in X.items()}
    return X.copy() if not X.dtype.names else {name: X[name].copy() for name in X.dtype.names}
