"""Grids of comparisons on joblib's backends and on Dask: the bytes of a local run."""

from __future__ import annotations

import os
import pickle
import signal
import threading
import time
import warnings

import joblib
import numpy as np
import pytest
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.naive_bayes import GaussianNB
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.tree import DecisionTreeClassifier

import fasttree
from fasttree import model_selection
from fasttree.estimators import backends
from fasttree.model_selection import units
from fasttree.model_selection.splitter import StratifiedRepeatedKFold

from ..model_selection.test_journal import assert_same
from ..tools import cluster_client, thinned

RNG = np.random.default_rng(8)
X = RNG.integers(0, 4, (90, 5)).astype(float)
Y = (X[:, 0] * X[:, 1] + X[:, 2] > 5).astype(int) ^ (RNG.random(90) < 0.1)
SETS = {
    "numbers": (RNG.normal(size=(70, 4)), RNG.integers(0, 3, 70)),
    "codes": fasttree.Table(X, Y, categorical_features="all"),
    "words": fasttree.datasets.load_weather(),
}


class Shuffled:
    """A backend that sends everything through pickle, finishes units in any order and computes
    some of them twice: what a cluster may do."""

    def __init__(self, seed: int, workers: int):
        self.rng, self.workers = np.random.default_rng(seed), workers

    def run(self, work, todo, shared):
        sent = {key: joblib_dumps(thing) for key, thing in shared.items()}
        for place in self.rng.permutation(len(todo)).tolist():
            key, argument = todo[place]
            for _ in range(1 + int(self.rng.integers(2))):
                found = work(pickle.loads(sent[key]), pickle.loads(pickle.dumps(argument)))
            yield place, pickle.loads(pickle.dumps(found))


def joblib_dumps(thing):
    import cloudpickle

    return cloudpickle.dumps(thing)


def random_call(rng):
    """A random configuration of `compare`."""
    names = rng.permutation(list(SETS))[: rng.integers(1, 4)].tolist()
    criteria = ["gini", "info_gain", "pi", "mdl", "hellinger", "relief", "accuracy"]
    estimators = {
        "bayes": GaussianNB(),
        "prior": DummyClassifier(),
        "tree": DecisionTreeClassifier(random_state=1),
        "forest": fasttree.FastForestClassifier(3, random_state=2),
        "pruned": fasttree.FastTreeClassifier(pruning="pessimistic", class_weight="balanced"),
        "refused": fasttree.FastTreeClassifier(min_samples_leaf=-1),
    }
    chosen = rng.permutation(list(estimators))[: rng.integers(0, 3)].tolist()
    if "words" in names:  # scikit-learn's estimators take no words
        chosen = [name for name in chosen if name in ("forest", "pruned", "prior", "refused")]
    cv = [
        "2x3", "1x4", 3, StratifiedRepeatedKFold(2, 3, 5),
        model_selection.LearningCurveSplit((0.3, 0.8), n_repeats=2),
    ][rng.integers(5)]  # fmt: skip
    scoring = [["accuracy"], ["accuracy", "log_loss"], ["balanced_accuracy"], ["auc", "leaves"]]
    return {
        "tables": {name: SETS[name] for name in names},
        "criteria": rng.permutation(criteria)[: rng.integers(1, 4)].tolist(),
        "estimators": {name: estimators[name] for name in chosen} or None,
        "cv": cv,
        "scoring": scoring[rng.integers(4)],
        "random_state": int(rng.integers(100)),
        "max_depth": [None, 2][rng.integers(2)],
        "keep_proba": bool(rng.integers(2)),
        "on_error": "skip",
    }


@pytest.mark.filterwarnings("ignore:(y_pred contains|A single label was found)")
@pytest.mark.parametrize("seed", thinned(range(4), 4))
def test_any_order_number_of_workers_and_retries_give_the_same_bytes(monkeypatch, seed):
    rng = np.random.default_rng(seed)
    for _ in range(10):
        call = random_call(rng)
        whole = model_selection.compare(**call)
        monkeypatch.setattr(units, "SHORTEST", float(rng.choice([1e-5, 1e-3, 1e-1])))
        shuffled = Shuffled(int(rng.integers(1000)), int(rng.integers(1, 20)))
        monkeypatch.setattr(backends, "backend_of", lambda _, b=shuffled: b)
        found = model_selection.compare(**call, client=object())
        assert found.datasets == whole.datasets
        for name in whole:
            assert_same(found[name], whole[name])
        assert found.to_text() == whole.to_text()


def test_without_a_backend_a_call_goes_to_the_core_at_once(monkeypatch):
    monkeypatch.setattr("fasttree.model_selection.execution.plan_units", None)
    calls = []
    engine = fasttree._engine.cross_validate
    monkeypatch.setattr(
        fasttree._engine, "cross_validate", lambda *a, **k: calls.append(a) or engine(*a, **k)
    )
    model_selection.cross_validate(X, Y, ["gini", "mdl"], cv="5x4")
    assert len(calls) == 1
    model_selection.compare(SETS, ["gini", "mdl"], cv="5x4")
    assert len(calls) == 1 + len(SETS)


@pytest.mark.parametrize("workers", [1, 2, 7, 100])
def test_a_plan_covers_every_method_and_fold_once(workers):
    runs = {}
    for name, table in model_selection.arguments.load_tables(SETS).items():
        run = model_selection.validation.prepare_validation(
            table,
            None,
            model_selection.arguments.Request(
                ["gini", "pi"],
                {"bayes": GaussianNB(), "forest": fasttree.FastForestClassifier(4)},
            ),
            cv="4x3",
            random_state=0,
            n_jobs=None,
            keep_proba=False,
        )
        runs[name] = run.task
    plans = units.plan_units(list(runs.values()), [[] for _ in runs], workers)
    for task, plan in zip(runs.values(), plans):
        cells = np.zeros((len(task.methods), len(task.folds.pairs)), dtype=int)
        for unit in plan:
            cells[list(unit.places), unit.start : unit.stop] += 1
            inside = unit.start // 3 == (unit.stop - 1) // 3
            assert inside or unit.start % 3 == unit.stop % 3 == 0  # whole repetitions, or parts
        assert (cells == 1).all()


METHODS = {
    "criterion": {"gini": "gini", "pi": "pi", "own": lambda tables: -tables.min(axis=(1, 2))},
    "estimators": {
        "logistic": make_pipeline(StandardScaler(), LogisticRegression()),
        "tree": DecisionTreeClassifier(random_state=0),
        "forest": fasttree.FastForestClassifier(4, random_state=1),
    },
    "cv": "3x4",
    "scoring": ["accuracy", "auc"],
}


@pytest.fixture(scope="module")
def whole():
    return model_selection.cross_validate(X, Y, **METHODS)


@pytest.mark.parametrize("backend", ["threading", "loky", "multiprocessing"])
def test_backends_of_joblib(whole, backend):
    with joblib.parallel_config(backend=backend, n_jobs=2):
        assert_same(model_selection.cross_validate(X, Y, **METHODS), whole)
        with pytest.raises(ValueError, match="gini: .*min_samples_leaf"):
            model_selection.cross_validate(X, Y, "gini", min_samples_leaf=-1)


@pytest.mark.exhaustive
def test_ray_is_a_backend_of_joblib(whole):
    ray = pytest.importorskip("ray", reason="ray is not installed")
    from ray.util.joblib import register_ray

    ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, configure_logging=False)
    try:
        register_ray()
        with joblib.parallel_config(backend="ray", n_jobs=2):
            assert_same(model_selection.cross_validate(X, Y, **METHODS), whole)
    finally:
        ray.shutdown()


def with_loky(folder, deaths, n_units):
    """Results of units on loky; `deaths`: how many workers each unit ends first."""
    units_ = [("set", place) for place in range(n_units)]
    shared = {"set": (np.arange(n_units), str(folder), deaths)}
    with joblib.parallel_config(backend="loky", n_jobs=2):
        return dict(backends.backend_of().run(_dying, units_, shared))


def _dying(shared, place):
    values, folder, deaths = shared
    path = os.path.join(folder, str(place))
    with open(path, "a") as file:
        file.write("x")
    if os.path.getsize(path) <= deaths.get(place, 0):
        os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(0.02)
    return 2 * int(values[place])


def test_workers_of_loky_that_die_are_replaced_and_attempts_are_those_at_one_unit(
    tmp_path, monkeypatch
):
    monkeypatch.setattr(backends, "MAX_ATTEMPTS", 2)
    dying = {0: 1, 20: 1}  # as many workers as attempts, by different units
    found = with_loky(tmp_path, dying, 30)
    assert found == {place: 2 * place for place in range(30)}
    assert all((tmp_path / str(place)).stat().st_size == 2 for place in dying)


def test_a_unit_that_ends_all_of_its_workers_ends_the_call(tmp_path, monkeypatch):
    monkeypatch.setattr(backends, "MAX_ATTEMPTS", 2)
    with pytest.raises(Exception, match="worker process") as raised:
        with_loky(tmp_path, {5: 99}, 30)
    assert type(raised.value).__name__ in backends._WORKER_DEATHS
    assert (tmp_path / "5").stat().st_size == 2


def test_arrays_are_mapped_by_processes(tmp_path):
    thing = {"big": np.arange(1e4), "code": lambda x: x + 1, "empty": np.empty((0, 3))}
    backends._write_mappable(thing, tmp_path / "thing")
    found = backends._map(str(tmp_path / "thing"))
    np.testing.assert_array_equal(found["big"], thing["big"])
    assert not found["big"].flags.writeable and not found["big"].flags.owndata
    assert found["code"](1) == 2 and found["empty"].shape == (0, 3)


# -- Dask -----------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def client():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        with cluster_client(silence_logs=50) as client:
            yield client


def test_two_workers_give_the_bytes_of_a_local_run(client, whole, tmp_path, monkeypatch):
    monkeypatch.setattr(units, "SHORTEST", 1e-3)
    found = model_selection.cross_validate(X, Y, **METHODS, client=client)
    assert_same(found, whole)
    kept = model_selection.cross_validate(
        X, Y, **METHODS, client=client, journal=tmp_path / "run.journal"
    )
    assert_same(kept, whole)
    again = model_selection.cross_validate(X, Y, **METHODS, journal=tmp_path / "run.journal")
    assert_same(again, whole)
    with joblib.parallel_config(backend="dask"):
        assert_same(model_selection.cross_validate(X, Y, **METHODS), whole)


def test_a_comparison_sends_each_set_once(client, monkeypatch):
    monkeypatch.setattr(units, "SHORTEST", 1e-3)
    sent = []
    scatter = client.scatter
    monkeypatch.setattr(client, "scatter", lambda *a, **k: sent.append(a) or scatter(*a, **k))
    call = {"criteria": ["gini", "pi"], "cv": "4x3", "estimators": {"prior": DummyClassifier()}}
    found = model_selection.compare(SETS, **call, client=client)
    whole = model_selection.compare(SETS, **call)
    assert len(sent) == len(SETS)
    for name in SETS:
        assert_same(found[name], whole[name])
    assert found.to_text() == whole.to_text()


class Slow(GaussianNB):
    """Long enough in `fit` for a worker to be killed."""

    def fit(self, X, y, sample_weight=None):
        import time

        time.sleep(0.05)
        return super().fit(X, y)


def test_a_killed_worker_costs_time_alone(client, monkeypatch):
    monkeypatch.setattr(units, "SHORTEST", 1e-3)
    call = {"estimators": {"slow": Slow()}, "criterion": ["gini"], "cv": "6x5"}
    whole = model_selection.cross_validate(X, Y, **call)
    pids = list(client.run(os.getpid).values())
    killed = []

    def progress(done, total):
        if not killed and done > total // 3:
            killed.append(pids[0])
            os.kill(pids[0], signal.SIGKILL)

    found = model_selection.cross_validate(X, Y, **call, client=client, progress=progress)
    assert killed
    assert_same(found, whole)


def test_an_interrupt_is_answered_and_the_cluster_lives(client, monkeypatch):
    import time

    monkeypatch.setattr(units, "SHORTEST", 1e-3)
    call = {"estimators": {"slow": Slow()}, "cv": "10x5"}
    pressed = []

    def press():
        pressed.append(time.process_time())
        os.kill(os.getpid(), signal.SIGINT)

    timer = threading.Timer(0.5, press)
    timer.start()
    with pytest.raises(KeyboardInterrupt):
        while True:
            model_selection.cross_validate(X, Y, **call, client=client)
    assert time.process_time() - pressed[0] < 0.2
    assert client.submit(int, "7").result() == 7


def test_errors_name_the_method_wherever_it_ran(client):
    with pytest.raises(ValueError, match="gini: .*min_samples_leaf"):
        model_selection.cross_validate(X, Y, ["gini"], min_samples_leaf=-1, client=client)


@pytest.mark.filterwarnings("ignore:.*rows were in the sample")
def test_other_numbers_of_workers(client, whole):
    for workers in (3, 1):
        client.cluster.scale(workers)
        client.wait_for_workers(workers, timeout=60)
        assert_same(model_selection.cross_validate(X, Y, **METHODS, client=client), whole)
        here, there = random_forest(workers), random_forest(workers)
        assert there.fit(X, Y, client=client).to_bytes() == here.fit(X, Y).to_bytes()
    client.cluster.scale(2)


def test_advice_and_commands_on_a_cluster(client, quick_advice, capsys):
    from fasttree.cli.run import run

    here = fasttree.advise("iris", time_limit=None, cv="1x5", progress=False)
    there = fasttree.advise("iris", time_limit=None, cv="1x5", progress=False, client=client)
    assert str(here) == str(there)
    assert here.sentence == there.sentence and here.accuracy == there.accuracy
    line = ["compare", "iris", "weather", "-c", "gini,mdl", "--cv", "2x3", "-f", "csv"]
    assert run(line) == 0
    said = capsys.readouterr().out
    assert run([*line, "--cluster", client.scheduler.address]) == 0
    assert capsys.readouterr().out == said


def test_advice_sends_all_candidates_at_once(monkeypatch):
    from fasttree.advice import trials

    here = fasttree.advise("weather", time_limit=None, cv="1x5", progress=False)
    calls = []
    validate = trials.cross_validate
    monkeypatch.setattr(
        trials, "cross_validate", lambda *a, **k: calls.append(k["estimators"]) or validate(*a, **k)
    )
    with joblib.parallel_config(backend="threading", n_jobs=3):
        there = fasttree.advise("weather", time_limit=None, cv="1x5", progress=False)
        assert len(calls) == 1 and str(here) == str(there)
        fasttree.advise("weather", time_limit=1e9, cv="1x5", progress=False)
    assert max(map(len, calls[1:])) == 3


# -- forests --------------------------------------------------------------------------------------


def random_forest(seed):
    """A forest of random parameters."""
    rng = np.random.default_rng(seed)
    params = {
        "n_estimators": int(rng.integers(1, 14)),
        "criterion": ["gini", "mdl", "pi", lambda tables: -tables.min(axis=(1, 2))][
            rng.integers(4)
        ],
        "bootstrap": bool(rng.integers(4)),
        "pruning": [None, None, "pessimistic"][rng.integers(3)],
        "max_features": ["sqrt", None][rng.integers(2)],
        "max_depth": [None, 3][rng.integers(2)],
        "random_state": int(rng.integers(99)),
    }
    params["oob_score"] = params["bootstrap"] and bool(rng.integers(2))
    if not callable(params["criterion"]) and params["criterion"] != "pi" and rng.integers(2):
        params["threshold_search"] = "histogram"
    return fasttree.FastForestClassifier(**params)


def random_rows(seed):
    """Rows with missing cells and weights, or without."""
    rng = np.random.default_rng(seed)
    X = np.round(rng.normal(size=(80, 5)), 1)
    y = (X[:, 0] + X[:, 1] ** 2 > 0.5).astype(int) + (X[:, 2] > 1)
    if seed % 3 == 0:
        X[rng.random(X.shape) < 0.1] = np.nan
    weights = [None, rng.integers(0, 4, 80), rng.random(80) + 0.1][rng.integers(3)]
    return X, y, weights


def assert_same_forest(found, whole):
    assert found.to_bytes() == whole.to_bytes()
    if whole.oob_score:
        assert found.oob_score_ == whole.oob_score_
        np.testing.assert_array_equal(found.oob_decision_function_, whole.oob_decision_function_)


@pytest.mark.filterwarnings("ignore::UserWarning")
@pytest.mark.parametrize(
    "seed", [0, *(pytest.param(seed, marks=pytest.mark.exhaustive) for seed in range(1, 10))]
)
def test_forests_in_blocks_have_the_bytes_of_one_call(monkeypatch, seed):
    for number in range(20 * seed, 20 * seed + 20):
        rows = random_rows(number)
        whole = random_forest(number).fit(*rows)
        shuffled = Shuffled(number, number % 5 + 1)
        monkeypatch.setattr("fasttree.estimators.forest.backend_of", lambda _, b=shuffled: b)
        found = random_forest(number).fit(*rows, client=object())
        monkeypatch.undo()
        assert_same_forest(found, whole)


@pytest.mark.parametrize("backend", ["threading", "loky"])
def test_forests_on_the_backends_of_joblib(backend):
    seen = []
    forest = fasttree.FastForestClassifier(9, random_state=4, oob_score=True)
    with joblib.parallel_config(backend=backend, n_jobs=2):
        forest.set_params(progress=lambda done, trees: seen.append((done, trees))).fit(X, Y)
    assert seen[-1] == (9, 9) and seen == sorted(seen)
    forest.progress = None
    assert_same_forest(forest, fasttree.FastForestClassifier(**forest.get_params()).fit(X, Y))


def test_a_forest_goes_on_in_blocks():
    forest = fasttree.FastForestClassifier(3, random_state=4, warm_start=True)
    with joblib.parallel_config(backend="threading", n_jobs=2):
        forest.fit(X, Y).set_params(n_estimators=8).fit(X, Y)
        whole = fasttree.FastForestClassifier(**forest.get_params())
        assert len(forest.estimators_) == 8
        with pytest.raises(ValueError, match="these are others; give the same rows"):
            forest.set_params(n_estimators=9).fit(X[1:], Y[1:])
    assert forest.to_bytes() == whole.fit(X, Y).to_bytes()


def test_forests_on_a_cluster(client):
    rows = random_rows(3)
    killed = []

    def progress(done, trees):
        if not killed:
            killed.append(next(iter(client.run(os.getpid).values())))
            os.kill(killed[0], signal.SIGKILL)

    forest = fasttree.FastForestClassifier(12, random_state=1, progress=progress)
    found = forest.fit(*rows, client=client).set_params(progress=None)
    whole = fasttree.FastForestClassifier(12, random_state=1).fit(*rows)
    assert killed
    assert_same_forest(found, whole)
    with pytest.raises(ValueError, match=r"fasttree\.distributed\.fit_forest"):
        forest.set_params(threshold_search="histogram").fit(lambda: [], "y", client=client)


def test_what_is_no_client_and_other_versions_are_refused(client, monkeypatch):
    with pytest.raises(TypeError, match="client='tcp://h:1' is no dask.distributed.Client"):
        model_selection.cross_validate(X, Y, client="tcp://h:1")
    monkeypatch.setattr(fasttree._engine, "core_version", lambda: "9.9")
    with pytest.raises(RuntimeError, match="has fasttree .*, this process 9.9; install the same"):
        model_selection.cross_validate(X, Y, client=client)
