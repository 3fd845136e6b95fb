"""Bias and variance where the truth is known: the decomposition adds up, structure distances are
those of partitions."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from docs.studies.bias_variance import study

SMALL = {
    name: study.METHODS[name]
    for name in ("local tree", "jaccard, no distance decay tree", "local forest")
}


@pytest.fixture(scope="module")
def result():
    return study.run(
        3,
        6,
        methods=SMALL,
        settings=[study.Setting(60, 0.0), study.Setting(60, 0.3)],
        n_trees=20,
        n_test=200,
    )


def test_the_parts_add_up_to_the_error(result):
    for one in result.results:
        v = one.values
        assert v["error"] == pytest.approx(v["bias"] + v["unbiased"] - v["biased"], abs=1e-12)
        assert v["variance"] >= v["unbiased"] >= 0
        assert (np.isnan(v["nodes"])) == one.method.endswith("forest")


def test_noise_makes_trees_larger_and_a_forest_less_varied(result):
    clean, noisy = (
        result.of("local tree", s) for s in dict.fromkeys(m.setting for m in result.results)
    )
    assert noisy.values["nodes"] > clean.values["nodes"]
    assert noisy.values["distance between"] > clean.values["distance between"]
    forest = result.of("local forest", noisy.setting)
    assert forest.values["variance"] < noisy.values["variance"]


def test_decomposition_by_hand():
    # Two rows, three training sets, three classes; row 0: main prediction right, row 1: wrong.
    found = study.decompose(np.array([[0, 2], [0, 2], [1, 0]]), np.array([0, 0]))
    assert found["bias"] == 0.5
    assert found["variance"] == pytest.approx(1 / 3)
    assert found["unbiased"] == pytest.approx(1 / 6)
    assert found["biased"] == pytest.approx(1 / 6)
    assert found["error"] == pytest.approx(0.5)


def test_partition_distance_is_a_metric_on_partitions():
    rng = np.random.default_rng(0)
    a, b, c = (rng.integers(0, k, 100) for k in (3, 5, 4))
    d = study.partition_distance
    assert d(a, a) == pytest.approx(0.0, abs=1e-12)
    assert d(a, b) == pytest.approx(d(b, a))
    assert d(a, c) <= d(a, b) + d(b, c) + 1e-12
    joint = -sum(
        p * np.log2(p) for p in np.unique(np.stack([a, b]), axis=1, return_counts=True)[1] / 100
    )
    single = [-sum(p * np.log2(p) for p in np.bincount(x) / 100 if p) for x in (a, b)]
    assert d(a, b) == pytest.approx(2 * joint - sum(single))


def test_record_tables_and_picture(result, tmp_path):
    again = study.BiasVariance.from_record(result.to_record())
    assert again.to_text() == result.to_text()
    assert "± " in result.to_text()
    pytest.importorskip("matplotlib")
    result.save_png(tmp_path / "study.png")
    assert (tmp_path / "study.png").stat().st_size > 10_000


def test_bad_numbers():
    with pytest.raises(ValueError, match="at least 2"):
        study.run(1, 5)


def test_the_page_says_what_was_recorded():
    page = Path(__file__).resolve().parents[3] / "docs" / "studies" / "bias_variance"
    if not page.is_dir():
        pytest.skip("the documentation is not here (tests of an installed package)")
    found = study.BiasVariance.from_record((page / "record.json").read_text(encoding="utf-8"))
    noisy = study.Setting(500, 0.3)
    error = {name: 100 * found.of(name, noisy).values["error"] for name in study.METHODS}
    stopped = found.of("jaccard, no distance decay tree", noisy).values
    local = found.of("local tree", noisy).values
    assert round(error["local tree"]) == 28
    assert round(error["jaccard, no distance decay tree"]) == 13
    assert stopped["nodes"] < 0.4 * local["nodes"]
    assert stopped["distance to truth"] < 0.5 * local["distance to truth"]
    assert round(error["jaccard, no distance decay forest"], 1) == 8.4
    assert round(error["local forest"], 1) == 7.8
