"""The search over networks against the exact sums, the classifier, networks and their files."""

from __future__ import annotations

import copy
import itertools
import json
import math
import pickle
import signal
import subprocess
import sys
import time
import warnings

import numpy as np
import pytest
from sklearn.utils.estimator_checks import check_estimator

import fasttree
from fasttree import Table, from_bytes, load
from fasttree.bayesian_networks import (
    BayesianNetwork,
    CaMML,
    exact_posterior,
    message_length,
)

from .test_bayesian_networks import GOLDEN, random_table


@pytest.fixture(scope="module")
def asia():
    records = json.loads(GOLDEN.read_text(encoding="utf-8"))
    rows = np.array(records["rows"])
    return Table(
        rows[:, :-1].astype(str),
        rows[:, -1],
        feature_names=records["columns"][:-1],
        target=records["columns"][-1],
        categorical_features="all",
    )


@pytest.fixture(scope="module")
def found(asia):
    return CaMML(random_state=0, average=True, n_steps=500_000).fit(asia)


def largest_distance(a, b):
    """Largest total variation of a pair's three states: arc one way, the other way, no arc."""
    states = [(m, m.T, 1 - m - m.T) for m in (a, b)]
    return max(sum(abs(x - y) for x, y in zip(*states, strict=True)).ravel()) / 2


def judge(table, seed):
    """A default search and the exact posterior at its p."""
    model = CaMML(random_state=seed).fit(table)
    truth = exact_posterior(table, arc_probability=model.arc_probability_)
    return model, truth


def check_arcs(table, seed):
    model, truth = judge(table, seed)
    assert model.arc_probabilities_ == pytest.approx(truth.arc_probabilities, abs=0.03)
    assert model.message_length_ == pytest.approx(truth.best.message_length, abs=1e-9)


def table_of(seed):
    rng = np.random.default_rng([41, seed])
    return random_table(rng, int(rng.integers(3, 7)))


@pytest.mark.parametrize("seed", range(12))
def test_sampled_arcs_are_the_exact_ones(seed):
    check_arcs(table_of(seed), seed)


@pytest.mark.exhaustive
@pytest.mark.parametrize("seed", range(12, 80))
def test_sampled_arcs_are_the_exact_ones_on_all_tables(seed):
    check_arcs(table_of(seed), seed)


# The bundled sets with at most 20 columns, which are all that the exact judge serves.
SERVED = [name for name, entry in fasttree.datasets.shelf.BUNDLED.items() if entry.features < 20]
QUICK = ("weather", "iris", "monks-1", "balance-scale", "xor")


@pytest.mark.parametrize(
    "name", [n if n in QUICK else pytest.param(n, marks=pytest.mark.exhaustive) for n in SERVED]
)
def test_default_length_brings_the_distance_below_2_percent(name):
    model, truth = judge(fasttree.datasets.shelf.BUNDLED[name].load(), 1)
    distance = largest_distance(model.arc_probabilities_, truth.arc_probabilities)
    assert 0 < distance < 0.02


def test_distance_falls_with_the_length_of_the_chain():
    table = fasttree.datasets.load_tic_tac_toe()
    truth = exact_posterior(table, arc_probability=0.45)
    found = [
        CaMML(random_state=0, arc_probability=0.45, n_steps=steps).fit(table)
        for steps in (3_000, 1_000_000)
    ]
    short, long = (largest_distance(m.arc_probabilities_, truth.arc_probabilities) for m in found)
    assert long < 0.1 < short


def test_more_columns_than_the_tables_of_orders_hold_are_walked_over_models():
    # 21 columns of which 16 never vary: their arcs have the probability of the prior
    rng = np.random.default_rng(8)
    inner = random_table(rng, 5, rows=80)
    codes = np.column_stack([*(c.values for c in inner.columns)])
    wide = Table(
        np.column_stack([codes.astype(str), np.full((80, 16), "u")]),
        inner.y,
        categorical_features="all",
    )
    model = CaMML(random_state=0, arc_probability=0.3, n_steps=4_000_000).fit(wide)
    truth = exact_posterior(inner, arc_probability=0.3)
    inside = [0, 1, 2, 3, 20]
    found = model.arc_probabilities_[np.ix_(inside, inside)]
    assert found == pytest.approx(truth.arc_probabilities, abs=0.05)
    idle = model.arc_probabilities_[4:20, 4:20]
    assert idle.sum() / (16 * 15 / 2) == pytest.approx(0.3, abs=0.02)


def test_asias_best_model_is_the_records_or_better(asia, found):
    least = min(d["bestMML"] for d in json.loads(GOLDEN.read_text(encoding="utf-8"))["dags"])
    lengths = message_length(asia, found.network_, arc_probability=7.5 / 29)
    assert lengths.total <= least + 1e-5
    assert found.arc_probability_ == 7.5 / 29
    assert found.message_length_ == pytest.approx(lengths.total, abs=1e-9)
    truth = exact_posterior(asia, arc_probability=7.5 / 29)
    assert found.arc_probabilities_ == pytest.approx(truth.arc_probabilities, abs=0.03)


def test_found_models_are_clean_grouped_and_add_up(asia, found):
    weights = [m.weight for m in found.models_]
    assert sorted(weights, reverse=True) == weights
    assert sum(weights) == pytest.approx(found.search_.kept, abs=1e-12)
    p = found.arc_probability_
    classes = {}
    for model in found.models_[:10]:
        lengths = message_length(asia, model.parents, arc_probability=p)
        assert model.length == pytest.approx(lengths.total, abs=1e-9)
        for j, own in enumerate(model.parents):
            for i in own:
                less = [[k for k in q if (k, c) != (i, j)] for c, q in enumerate(model.parents)]
                assert message_length(asia, less, arc_probability=p).total > model.length
        classes.setdefault(model.markov_class, []).append(model)
    for (_, a), (_, b) in itertools.combinations(classes.items(), 2):
        assert not fasttree.bayesian_networks.equivalent(a[0].parents, b[0].parents)
    for group in classes.values():
        assert all(
            fasttree.bayesian_networks.equivalent(group[0].parents, m.parents) for m in group
        )
        assert len({m.joined for m in group}) == 1


def test_threads_and_seeds(asia):
    one = CaMML(random_state=3, n_steps=40_000).fit(asia)
    for jobs in (2, 5):
        other = CaMML(random_state=3, n_steps=40_000, n_jobs=jobs).fit(asia)
        assert np.array_equal(one.arc_probabilities_, other.arc_probabilities_)
        assert one.models_ == other.models_
    moved = CaMML(random_state=3, n_steps=40_000).fit(
        asia.take(np.random.default_rng(0).permutation(len(asia)))
    )
    assert np.array_equal(one.arc_probabilities_, moved.arc_probabilities_)
    seeded = CaMML(random_state=4, n_steps=40_000).fit(asia)
    assert not np.array_equal(one.arc_probabilities_, seeded.arc_probabilities_)


def test_the_class_is_predicted_from_the_joint(found, asia):
    network = found.network_
    proba = network.predict_proba(asia)
    codes = np.column_stack([c.values for c in asia.columns])
    for row in range(0, 1000, 97):
        joint = []
        for c in range(2):
            cells = [*codes[row], c]
            joint.append(
                math.prod(
                    network.tables[j][tuple(cells[i] for i in (*own, j))]
                    for j, own in enumerate(network.parents)
                )
            )
        assert proba[row] == pytest.approx(np.array(joint) / sum(joint), abs=1e-12)
    single = CaMML(random_state=0, n_steps=500_000).fit(asia)
    assert np.array_equal(single.predict_proba(asia), single.network_.predict_proba(asia))


def test_the_average_is_that_of_the_models(found, asia):
    mean = np.zeros((len(asia), 2))
    for model in found.models_:
        network = BayesianNetwork.from_table(asia, model.parents)
        mean += model.weight * network.predict_proba(asia)
    mean /= mean.sum(axis=1, keepdims=True)
    assert found.predict_proba(asia) == pytest.approx(mean, abs=2e-3)


def test_pairs_ordered_tied_and_priors(asia):
    names = [*asia.feature_names, "Dyspnea"]
    model = CaMML(
        random_state=0,
        n_steps=60_000,
        ordered=[("Dyspnea", "Smoking")],
        tied=[("VisitAsia", "XRay")],
        arc_priors={("TbOrCa", "XRay"): 0.0, ("XRay", "TbOrCa"): 0.0},
    ).fit(asia)
    p = model.arc_probabilities_ + model.arc_probabilities_.T
    place = names.index
    assert p[place("VisitAsia"), place("XRay")] == pytest.approx(1.0)
    assert p[place("TbOrCa"), place("XRay")] == 0
    assert model.arc_probabilities_[place("Smoking"), place("Dyspnea")] == 0
    truth = exact_posterior(
        asia,
        arc_probability=model.arc_probability_,
        ordered=model.ordered,
        tied=model.tied,
        arc_priors=model.arc_priors,
    )
    assert model.message_length_ >= truth.best.message_length - 1e-6
    with pytest.raises(ValueError, match="circle"):
        CaMML(ordered=[(0, 1), (1, 0)]).fit(asia)
    with pytest.raises(ValueError, match="is not a column"):
        CaMML(tied=[("Smoking", "nothing")]).fit(asia)
    with pytest.raises(ValueError, match="names one column twice"):
        CaMML(tied=[("Smoking", "Smoking")]).fit(asia)
    with pytest.raises(ValueError, match="contradicts"):
        CaMML(tied=[(0, 1)], arc_priors={(0, 1): 0.0}).fit(asia)


@pytest.mark.parametrize(
    ("params", "message"),
    [
        ({"arc_probability": 1.0}, "arc_probability"),
        ({"n_steps": 0}, "n_steps"),
        ({"n_chains": 0}, "n_chains"),
        ({"temperature": 0.5}, "temperature"),
        ({"max_parents": -1}, "max_parents"),
        ({"missing": "what"}, "missing"),
        ({"handle_unknown": "what"}, "handle_unknown"),
        ({"max_models": 0}, "max_models"),
    ],
)
def test_bad_parameters_are_named(asia, params, message):
    with pytest.raises((ValueError, TypeError), match=message):
        CaMML(**params).fit(asia)


def test_corners():
    quick = {"n_steps": 4000, "random_state": 0}
    constant = CaMML(**quick).fit([["a", "x"]] * 6, [1, 1, 1, 0, 1, 1])
    assert constant.predict([["a", "x"]]).tolist() == [1]
    one = CaMML(**quick).fit([["a"]], ["y"])
    assert one.predict_proba([["a"]]).tolist() == [[1.0]]
    wide = CaMML(**quick).fit([[f"v{i}", "u"] for i in range(2000)], np.arange(2000) % 2)
    assert wide.network_.arcs == []
    never = Table([["a"], ["b"], ["a"]], [0, 1, 0], levels={"class": [0, 1, 2]})
    if len(never.classes) == 3:
        proba = CaMML(**quick).fit(never).predict_proba([["a"]])
        assert proba.shape == (1, 3)
        assert (proba > 0).all()
    gaps = CaMML(**quick).fit([["a", 1.0], [None, 2.0], ["a", np.nan], ["b", 3.0]], [0, 1, 0, 1])
    assert np.isfinite(gaps.predict_proba([[None, np.nan]])).all()
    with pytest.warns(UserWarning, match="zzz"):
        gaps.predict([["zzz", 0.0]])


def test_numbers_are_binned_on_the_training_rows():
    from sklearn.datasets import load_iris

    X, y = load_iris(return_X_y=True)
    model = CaMML(random_state=0, n_steps=100_000).fit(X, y)
    assert model.score(X, y) > 0.93
    assert set(model.cuts_) == set(model.network_.names[:-1])
    again = model.network_.predict_proba(X)
    assert np.array_equal(again, model.predict_proba(X))


@pytest.mark.parametrize("seed", range(4))
def test_missing_cells_by_parts_are_rows_with_shares(seed):
    rng = np.random.default_rng([9, seed])
    table = random_table(rng, 4, rows=40)
    rows = np.column_stack([*(c.values for c in table.columns)]).astype(object).astype(str)
    rows = rows.astype(object)
    gone = rng.random(rows.shape) < 0.15
    rows[gone] = None
    gaps = Table(rows, table.y, categorical_features="all")
    levels = [c.levels for c in gaps.columns]
    shares = [np.bincount(c.values[c.values >= 0], minlength=len(c.levels)) for c in gaps.columns]
    shares = [s / s.sum() for s in shares]
    # every row as all rows that it could be
    whole, weights, of = [], [], []
    for i in range(len(rows)):
        choices = [
            [(v, 1.0)] if v is not None else list(zip(levels[j], shares[j], strict=True))
            for j, v in enumerate(rows[i])
        ]
        for cells in itertools.product(*choices):
            whole.append([v for v, _ in cells])
            weights.append(math.prod(w for _, w in cells))
            of.append(i)
    spread = Table(
        np.array(whole, dtype=object), np.asarray(table.y)[of], categorical_features="all"
    )
    by_parts = exact_posterior(gaps, missing="parts")
    by_hand = exact_posterior(spread, sample_weight=np.array(weights))
    assert by_parts.log_evidence == pytest.approx(by_hand.log_evidence, abs=1e-2)
    assert by_parts.arc_probabilities == pytest.approx(by_hand.arc_probabilities, abs=1e-3)
    model = CaMML(random_state=0, missing="parts", n_steps=20_000).fit(gaps)
    plain = BayesianNetwork.from_table(spread, model.network_, sample_weight=np.array(weights))
    each = plain.predict_proba(np.array(whole, dtype=object)) * np.array(weights)[:, None]
    mean = np.array([each[np.array(of) == i].sum(axis=0) for i in range(len(rows))])
    mean /= mean.sum(axis=1, keepdims=True)
    assert model.predict_proba(gaps) == pytest.approx(mean, abs=1e-4)
    assert model.network_.predict_proba(gaps) == pytest.approx(mean, abs=1e-4)
    again = from_bytes(model.to_bytes())
    assert np.array_equal(again.predict_proba(gaps), model.predict_proba(gaps))
    moved = CaMML(random_state=0, missing="parts", n_steps=20_000).fit(
        gaps.take(rng.permutation(len(gaps)))
    )
    assert np.array_equal(moved.arc_probabilities_, model.arc_probabilities_)


def test_too_many_parts_are_refused_by_row():
    rows = np.array([["a"] * 30, ["b"] * 30, [None] * 30], dtype=object)
    with pytest.raises(ValueError, match="row 2: with its missing cells by parts"):
        CaMML(missing="parts").fit(rows, [0, 1, 0])


def test_tan_is_a_network():
    from sklearn.datasets import load_iris

    from fasttree.naive_bayes import TAN

    X, y = load_iris(return_X_y=True)
    for how in ({}, {"smoothing": "m_estimate", "alpha": 2.0}, {"structure": "wrapper"}):
        model = TAN(**how).fit(X, y)
        network = model.network_
        assert network.predict_proba(X) == pytest.approx(model.predict_proba(X), abs=1e-12)
        inner = [[i for i in own if i < 4] for own in network.parents[:4]]
        assert inner == [[] if p is None else [p] for p in model.parents_]
    gaps = np.where(np.random.default_rng(0).random(X.shape) < 0.1, np.nan, X)
    model = TAN(missing="mode").fit(gaps, y)
    assert model.network_.predict_proba(gaps) == pytest.approx(model.predict_proba(gaps), abs=1e-12)
    levels = Table([["a", "x"], ["b", "y"], ["a", "y"]], [0, 1, 1], target="what")
    model = TAN().fit(levels)
    assert model.network_.predict_proba(levels) == pytest.approx(model.predict_proba(levels))


@pytest.mark.parametrize("kind", ["nb", "tan", "aode"])
def test_random_models_mix_networks(kind):
    table, random = fasttree.datasets.make_bayesian_network(kind, 200, random_state=3)
    parts = fasttree.bayesian_networks.components(random)
    joint = np.mean([np.exp(one.log_probabilities(table)) for one in parts], axis=0)
    own = random.joint(table)[np.arange(200), table.y_codes]
    assert joint == pytest.approx(own, rel=1e-9)
    if len(parts) == 1:
        assert parts[0].predict_proba(table) == pytest.approx(random.predict_proba(table))


def test_files_give_back_the_same_bits(found, asia, tmp_path):
    model = from_bytes(found.to_bytes())
    assert np.array_equal(model.predict_proba(asia), found.predict_proba(asia))
    assert model.to_bytes() == found.to_bytes()
    assert model.models_ == found.models_
    found.save(tmp_path / "a.json")
    assert load(tmp_path / "a.json").network_ == found.network_
    assert np.array_equal(pickle.loads(pickle.dumps(found)).predict(asia), found.predict(asia))
    network = from_bytes(found.network_.to_bytes())
    assert network == found.network_
    damaged = found.to_bytes().replace(b'"kind": "camml"', b'"kind": "cammm"')
    with pytest.raises(ValueError, match="checksum"):
        from_bytes(damaged)
    with pytest.raises(ValueError, match="not a valid fasttree model"):
        from_bytes(b"\xff")


def test_hostile_files_are_refused(found):
    from fasttree.bayesian_networks.documents import opened, sealed

    good = opened(found.to_bytes())

    def change(path, value):
        model = copy.deepcopy(good)
        at = model
        for key in path[:-1]:
            at = at[key]
        at[path[-1]] = value
        return sealed(model)

    for path, value in [
        (("kind",), "other"),
        (("network", "parents", 0), [99]),
        (("network", "parents", 0), [0]),
        (("network", "tables", 0), [0.5]),
        (("network", "tables", 0, 0), 7.0),
        (("network", "fill"), {"Smoking": 5}),
        (("classes",), []),
        (("class_count",), [1.0]),
        (("class_count", 0), 1e300),
        (("class_count", 0), -1.0),
        (("mixture",), []),
        (("mixture", 0, 0), 1e308),
        (("mixture", 0, 0), -1.0),
        (("tables", 0, 2, 0), 7.0),
        (("tables", 0, 0), 99),
        (("search", "arc_probabilities"), [[0.0]]),
        (("parameters", "nothing"), 1),
    ]:
        with pytest.raises(ValueError, match="not a valid fasttree network"):
            from_bytes(change(path, value))


def test_networks_are_sampled_and_estimated_back():
    truth = BayesianNetwork(
        ["a", "b", "class"],
        [["u", "v"], ["x", "y", "z"], [0, 1]],
        [[], ["a"], ["a", "b"]],
        [
            [0.3, 0.7],
            [[0.2, 0.3, 0.5], [0.6, 0.3, 0.1]],
            [[[0.9, 0.1], [0.5, 0.5], [0.2, 0.8]], [[0.1, 0.9], [0.3, 0.7], [0.6, 0.4]]],
        ],
    )
    table = truth.sample(40_000, random_state=1)
    back = BayesianNetwork.from_table(table, truth)
    for own, theirs in zip(back.tables, truth.tables, strict=True):
        assert own == pytest.approx(theirs, abs=0.02)
    assert truth.n_parameters == 1 + 4 + 6
    assert truth.is_equivalent([[], [0], [0, 1]])
    per_row = truth.log_probabilities(table)
    assert truth.log_likelihood(table) == pytest.approx(per_row.sum())
    strengths = back.arc_strengths(table)
    assert set(strengths) == set(truth.arcs)
    assert min(strengths.values()) > 0
    assert "<svg" in truth._repr_html_()
    assert '"a" -> "b"' in truth.to_dot()


def test_bad_networks_are_named():
    levels = [["u", "v"], [0, 1]]
    with pytest.raises(ValueError, match="circle"):
        BayesianNetwork(["a", "c"], levels, [["c"], ["a"]], [[[0.5, 0.5]] * 2] * 2)
    with pytest.raises(ValueError, match="shape"):
        BayesianNetwork(["a", "c"], levels, [[], ["a"]], [[0.5, 0.5], [0.5, 0.5]])
    with pytest.raises(ValueError, match="sum to 1"):
        BayesianNetwork(["a", "c"], levels, [[], []], [[0.5, 0.6], [0.5, 0.5]])
    network = BayesianNetwork(["a", "c"], levels, [[], []], [[0.5, 0.5], [0.5, 0.5]])
    with pytest.raises(ValueError, match="row 1 is missing"):
        network.predict_proba([["u"], [None]])


def test_progress_is_told_and_interrupts_are_answered(asia):
    calls = []
    CaMML(random_state=0, n_steps=100_000, progress=lambda a, b: calls.append((a, b))).fit(asia)
    assert calls[-1][0] == calls[-1][1] > 100_000
    code = (
        "import numpy as np, signal\n"
        "from fasttree.bayesian_networks import CaMML\n"
        "signal.signal(signal.SIGINT, signal.default_int_handler)  # ignored in a shell's job\n"
        "X = np.random.default_rng(0).integers(0, 4, (3000, 12)).astype(str)\n"
        "y = np.random.default_rng(1).integers(0, 3, 3000)\n"
        "print('go', flush=True)\n"
        "try:\n"
        "    CaMML(n_steps=2_000_000_000).fit(X, y)\n"
        "except KeyboardInterrupt:\n"
        "    print('stopped', flush=True)\n"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "go\n"
    time.sleep(1.5)
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=60)[0] == "stopped\n"


def test_check_estimator():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        results = check_estimator(CaMML(n_steps=2000), on_skip=None, on_fail=None)
    assert not [r for r in results if r["status"] in ("failed", "xfail")]
    assert len([r for r in results if r["status"] == "passed"]) > 40
