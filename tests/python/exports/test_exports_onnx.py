"""Trees as ONNX: onnxruntime and the reference evaluator answer what `predict` and `predict_proba`
answer."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings

import fasttree
from fasttree.exports.onnx_trees import floor32

from .exports_tools import MERGED, Case, cases, dividing, table_of

onnx = pytest.importorskip("onnx", reason="onnx is not installed: pip install 'fasttree[onnx]'")
ort = pytest.importorskip(
    "onnxruntime", reason="onnxruntime is not installed: pip install 'fasttree[onnx]'"
)

QUIET = settings(max_examples=12, deadline=None, suppress_health_check=list(HealthCheck))


def feeds(case: Case, proto: Any) -> dict[str, np.ndarray]:
    """The rows as the graph takes them."""
    types = onnx.TensorProto
    found = {}
    for one in proto.graph.input:
        kind = one.type.tensor_type.elem_type
        if one.name == "X":
            found["X"] = np.array(
                [[code(case, j, r[n]) for j, n in enumerate(case.names)] for r in case.rows]
            )
        else:
            values = [r[one.name] for r in case.rows]
            if kind == types.STRING:
                found[one.name] = np.array(["" if v is None else v for v in values], dtype=object)[
                    :, None
                ]
            elif kind == types.INT64:
                found[one.name] = np.array(
                    [-999 if v is None else v for v in values], dtype=np.int64
                )[:, None]
            elif kind == types.BOOL:
                found[one.name] = np.array([bool(v) for v in values])[:, None]
            else:
                found[one.name] = np.array([math.nan if v is None else v for v in values])[:, None]
        if kind == types.FLOAT:
            found[one.name] = found[one.name].astype(np.float32)
    return found


def code(case: Case, feature: int, value: Any) -> float:
    levels = case.model._schema.levels[feature]
    if value is None:
        return math.nan
    if levels:
        return float(levels.index(value)) if value in levels else -1.0
    return float(value)


def rounded(case: Case, single: bool) -> Case:
    """The rows that the graph can tell: numbers of 32 bits, no missing booleans."""
    rows = []
    for row in case.rows:
        row = dict(row)
        for name, kind in zip(case.names, case.kinds, strict=True):
            if single and kind in ("number", "whole") and row[name] is not None:
                row[name] = float(np.float32(row[name]))
            if kind == "bool":
                row[name] = bool(row[name])
        rows.append(row)
    return Case(case.model, case.names, case.kinds, rows, table_of(case.names, case.kinds, rows))


def check(case: Case, reference: bool = True, **options: Any) -> Any:
    proto = case.model.to_onnx(**options)
    given_ = feeds(case, proto)
    label, p = case.predict(), case.proba()
    none = {m.key: m.value for m in proto.metadata_props}.get("unclassified")
    integer = proto.graph.output[0].type.tensor_type.elem_type == onnx.TensorProto.INT64
    expected = [
        (int(none) if integer else none) if v is None else (int(v) if integer else str(v))
        for v in label
    ]
    exact = options.get("dtype") == "float64"
    answers = [
        ort.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"]).run(
            None, given_
        )
    ]
    if reference:
        from onnx.reference import ReferenceEvaluator

        answers.append(ReferenceEvaluator(proto).run(None, given_))
    for got_label, got_p in answers:
        assert got_label.tolist() == expected
        np.testing.assert_allclose(got_p, p, rtol=0, atol=1e-12 if exact else 1e-6)
    return proto


@QUIET
@given(case=cases())
def test_single_precision(case):
    check(rounded(case, True))


@QUIET
@given(case=cases() | cases(**MERGED))
def test_double_precision(case):
    check(rounded(case, False), dtype="float64")


@QUIET
@given(case=cases())
def test_one_tensor_of_codes(case):
    check(rounded(case, True), inputs="tensor")


def check_number(case: Case, **options: Any) -> None:
    """The graph gives the predicted numbers: in 64 bits as `predict`, in 32 bits rounded."""
    proto, expected = case.model.to_onnx(**options), np.array(case.predict())
    [output] = proto.graph.output
    assert output.name == "variable"
    session = ort.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    [found] = session.run(None, feeds(case, proto))
    assert found.shape == (len(case.rows), 1)
    double = options.get("dtype") == "float64"
    assert found.dtype == (np.float64 if double else np.float32)
    # Sums of numbers of up to 1e9 with either sign leave 1e-16 of these in 64 bits.
    np.testing.assert_allclose(
        found[:, 0], expected, rtol=1e-13 if double else 1e-6, atol=1e-6 if double else 1e-4
    )
    divides = any(-2 in tree.tree_.missing_branch for tree in trees_of(case.model))
    if double and not divides:
        assert found[:, 0].tolist() == expected.tolist()
    if not double and not divides:
        assert found[:, 0].tolist() == expected.astype(np.float32).tolist()


def trees_of(model: Any) -> list[Any]:
    return list(getattr(model, "estimators_", [model]))


@QUIET
@given(case=cases(numbers=True))
def test_numbers_in_single_precision(case):
    check_number(rounded(case, True))
    check_number(rounded(case, True), inputs="tensor")


@QUIET
@given(case=cases(numbers=True))
def test_numbers_in_double_precision(case):
    check_number(rounded(case, False), dtype="float64")


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases(numbers=True, max_depth=3, divided=False))
def test_forests_predict_mean_numbers(case):
    rng = np.random.default_rng(0)
    params = {k: v for k, v in case.model.get_params(deep=False).items() if k == "missing"}
    table = table_of(case.names, case.kinds, case.rows, rng.normal(size=len(case.rows)),
                     task="regression")  # fmt: skip
    forest = fasttree.FastForestRegressor(5, random_state=0, max_depth=3, **params).fit(table)
    grown = Case(forest, case.names, case.kinds, case.rows, case.table)
    check_number(rounded(grown, True))
    check_number(rounded(grown, False), dtype="float64")


def numbers(model: Any, x: np.ndarray) -> Case:
    names = list(model._schema.names)
    rows = [
        dict(zip(names, [None if np.isnan(v) else float(v) for v in r], strict=True)) for r in x
    ]
    return Case(model, names, ["number"] * len(names), rows, fasttree.Table(x, feature_names=names))


def test_iris_is_one_tree_operator():
    table = fasttree.datasets.load_iris()
    case = numbers(
        fasttree.fit(table, criterion="gini", missing="mode"),
        np.float32(np.asarray(table.X)).astype(float),
    )
    proto = check(case)
    assert "TreeEnsembleClassifier" in [n.op_type for n in proto.graph.node]
    assert [o.name for o in proto.graph.output] == ["label", "probabilities"]
    assert [i.name for i in proto.graph.input] == ["X"]


def test_thresholds_that_are_values_divide_numbers_of_32_bits_alike():
    rng = np.random.default_rng(5)
    x = rng.normal(size=(300, 3)).astype(np.float32).astype(float)
    model = fasttree.fit(x, rng.integers(0, 3, 300), thresholds="value")
    check(numbers(model, x))
    finer = fasttree.fit(rng.normal(size=(300, 3)), rng.integers(0, 3, 300), thresholds="value")
    check(numbers(finer, x))


def test_rounding_is_downward():
    for x in (0.1, -0.1, 1 / 3, 1e300, -1e300, 0.0, 1e-50, 5.0):
        low = floor32(x)
        with np.errstate(over="ignore"):
            assert low <= x < float(np.nextafter(np.float32(low), np.float32(np.inf)))


@pytest.mark.filterwarnings("ignore:nominal columns")
def test_many_values_are_balanced():
    names = [f"v{i}" for i in range(200)]
    values = np.array(names, dtype=object)[:, None]
    table = fasttree.Table(values, [(i * 7) % 5 for i in range(200)])
    model = fasttree.fit(table, missing="mode", nominal_splits="subset")
    rows = [{"x0": n} for n in [*names, "unseen"]]
    asked = fasttree.Table(np.array([r["x0"] for r in rows], dtype=object)[:, None])
    proto = check(Case(model, ["x0"], ["text"], rows, asked), reference=False)
    trees = next(n for n in proto.graph.node if n.op_type.startswith("TreeEnsemble"))
    columns = {a.name: onnx.helper.get_attribute_value(a) for a in trees.attribute}
    assert set(columns["nodes_modes"]) == {b"BRANCH_LEQ", b"LEAF"}
    above = {}
    for i, mode in enumerate(columns["nodes_modes"]):
        if mode != b"LEAF":
            for side in ("nodes_truenodeids", "nodes_falsenodeids"):
                above[columns[side][i]] = columns["nodes_nodeids"][i]
    depth = {0: 0}
    for node in sorted(above):
        depth[node] = depth[above[node]] + 1
    assert max(depth.values()) <= 9


def test_labels_that_are_not_the_most_probable_class():
    rng = np.random.default_rng(2)
    x = rng.integers(0, 4, (60, 3)).astype(float)
    y = rng.integers(0, 3, 60)
    model = fasttree.fit(
        x,
        y,
        evaluation="global",
        labels="all",
        max_leaf_nodes=6,
        criterion="accuracy",
        missing="branch",
    )
    proto = check(numbers(model, x))
    ops = [n.op_type for n in proto.graph.node]
    labels, best = model.tree_.label, model.tree_.value.argmax(axis=1)
    if (labels != best)[model.tree_.n_children == 0].any():
        assert "TreeEnsembleRegressor" in ops


def test_labels_by_costs():
    rng = np.random.default_rng(0)
    x = np.float32(rng.normal(size=(200, 3))).astype(float)
    y = rng.integers(0, 2, 200)
    model = fasttree.fit(x, y, max_depth=4, cost_matrix=[[0, 1], [9, 0]], missing="branch")
    tree = model.tree_
    assert (tree.label != tree.value.argmax(axis=1))[tree.n_children == 0].any()
    case = numbers(model, x[:60])
    assert "TreeEnsembleRegressor" in [n.op_type for n in check(case).graph.node]
    module: dict[str, Any] = {}
    exec(model.to_python(), module)
    assert [module["predict"](row) for row in case.rows] == case.predict()
    assert [rule.label for rule in model.to_rules()] == tree.label[tree.n_children == 0].tolist()


def test_one_class_and_no_class():
    check(numbers(fasttree.fit([[0.0], [1.0]], [5, 5]), np.array([[0.0], [3.0]])))
    check(numbers(fasttree.fit([[0.0], [1.0]], [5, 5]), np.array([[0.0], [3.0]])), dtype="float64")


@settings(max_examples=6, deadline=None, suppress_health_check=list(HealthCheck))
@given(case=cases(max_depth=3))
def test_forests(case):
    params = {
        k: v
        for k, v in case.model.get_params().items()
        if k in ("missing", "criterion", "empty_branch", "nominal_splits", "max_depth")
    }
    trained = table_of(case.names, case.kinds, case.rows, [str(label) for label in case.predict()])
    for bootstrap in (True, False):
        forest = fasttree.FastForestClassifier(
            n_estimators=5, random_state=1, bootstrap=bootstrap, **params
        ).fit(trained)
        check(rounded(Case(forest, case.names, case.kinds, case.rows, case.table), True))


def test_forests_of_numbers():
    rng = np.random.default_rng(3)
    x = np.float32(rng.normal(size=(80, 4))).astype(float)
    forest = fasttree.FastForestClassifier(n_estimators=9, random_state=0).fit(
        x, rng.integers(0, 3, 80)
    )
    check(numbers(forest, x))
    check(numbers(forest, np.where(rng.random(x.shape) < 0.2, np.nan, x)))
    check(numbers(forest, rng.normal(size=(30, 4))), dtype="float64")


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_ties_of_the_vote_end_as_in_predict(dtype):
    ties = 0
    for seed in (*range(12), 77):
        rng = np.random.default_rng(seed)
        x, y = rng.integers(0, 5, (40, 1)).astype(float), rng.integers(0, 2, 40)
        trees = int(rng.integers(4, 9))
        forest = fasttree.FastForestClassifier(trees, random_state=0).fit(x, y)
        rows = np.arange(5.0)[:, None]
        check(numbers(forest, rows), dtype=dtype)
        shares = forest.predict_proba(rows)
        ties += int((shares[:, 0] == shares[:, 1]).sum())
    assert ties > 0


def test_complete_batches_of_divided_rows_use_the_tree_operator():
    table = fasttree.datasets.load_iris()
    model = dividing(fasttree.fit(table, criterion="gini"))
    x = np.float32(np.asarray(table.X)).astype(float)
    proto = check(numbers(model, x))
    ways = {
        a.name: [n.op_type for n in a.g.node]
        for n in proto.graph.node
        if n.op_type == "If"
        for a in n.attribute
    }
    assert ways["else_branch"] == ["TreeEnsembleClassifier"]
    x[::3, 2] = np.nan
    check(numbers(model, x))


def test_deep_trees_run_or_are_refused():
    def chain(n: int) -> Any:
        return fasttree.fit(
            np.arange(float(n))[:, None],
            np.arange(n) % 2,
            criterion=lambda tables: -tables[:, 0].sum(axis=1),
            missing="mode",
        )

    check(numbers(chain(900), np.arange(-1.0, 901.0, 7)[:, None]), reference=False)
    with pytest.raises(ValueError, match="levels"):
        chain(1200).to_onnx()


def test_what_cannot_be_written_is_refused():
    model = fasttree.fit([[0.0], [1.0]], [0, 1])
    with pytest.raises(ValueError, match="inputs='frame'"):
        model.to_onnx(inputs="frame")
    with pytest.raises(ValueError, match="dtype='float16'"):
        model.to_onnx(dtype="float16")
    named = fasttree.fit(fasttree.Table([["a"], ["b"]], [0, 1], feature_names=["label"]))
    with pytest.raises(ValueError, match="rename them"):
        named.to_onnx()
    assert len(named.to_onnx(inputs="tensor").graph.input) == 1
    # The message names the columns to rename, and no others.
    one_of_two = fasttree.Table({"ft_age": ["a", "b"], "height": ["c", "d"]}, [0, 1])
    for model in (named, fasttree.fit(one_of_two)):
        with pytest.raises(ValueError) as refused:
            model.to_onnx()
        assert str(refused.value).startswith(f"the columns {model.feature_names_in_[:1].tolist()} ")
