"""Scores and p-values of variants from two-bit genotypes: against nominal columns, scikit-rebate's
numbers, loops over permutations, and null data."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

import fasttree
from fasttree import criteria, relief_p_values, score_features
from fasttree.datasets import DataFileError, dump_plink, make_genotypes, read_plink
from fasttree.plots import detached, manhattan

from ..tools import genotypes_oracle as oracle
from .test_plink import _of

NAMES = [
    info["name"]
    for info in fasttree.list_criteria()
    if info["evidence"] == "neighbours" and info["target"] == "classes"
]
GOLDEN = json.loads((Path(__file__).parents[2] / "golden" / "scikit_rebate.json").read_text())


def study(seed, samples, variants, missing=0.0, classes=2):
    """Genotypes of random frequencies, a few constant variants, and labels some of which are
    missing."""
    random = np.random.default_rng(seed)
    frequency = random.uniform(0.05, 0.6, variants)
    counts = random.binomial(2, frequency, (samples, variants)).astype(np.int8)
    counts[random.random(counts.shape) < missing] = -127
    counts[:, 3] = 1
    counts[:, 4] = -127 if missing else 2
    labels = random.integers(classes, size=samples).astype(object)
    labels[random.random(samples) < 0.1] = None
    return _of(counts, y=labels)


@pytest.mark.parametrize("missing", [0.0, 0.06])
@pytest.mark.parametrize("name", NAMES)
def test_scores_are_those_of_nominal_columns(name, missing):
    for seed, samples, variants in [(1, 57, 40), (2, 90, 1300), (3, 131, 520)]:
        found = study(seed, samples, variants, missing, 2 + seed % 2)
        expected = score_features(found.to_table().drop_missing_target(), criterion=name)
        for jobs in (1, 2):
            scores = score_features(found, criterion=name, n_jobs=jobs)
            assert np.isnan(scores[3]) and np.isnan(scores[4])
            if missing:  # sums in another order, rounded to a grid of 2^-40
                np.testing.assert_allclose(scores, expected, rtol=0, atol=2e-12)
            else:
                np.testing.assert_array_equal(scores, expected)


@pytest.mark.parametrize("case", range(len(GOLDEN["cases"])))
def test_scores_are_scikit_rebates(case):
    case = GOLDEN["cases"][case]
    X = np.array([[int(c) for c in row] for row in case["X"]], dtype=np.int8)
    for name, scores in case["scores"].items():
        known = {o["name"] for o in criteria.make(name).info["options"]}
        options = {"k": case["relieff_k"], "multiclass": "rebate", "neighbour_ties": "first"}
        criterion = type(criteria.make(name))(**{k: v for k, v in options.items() if k in known})
        if name in NAMES:
            got = score_features(_of(X), case["y"], criterion=criterion)
            assert got == pytest.approx(scores, rel=0, abs=1e-9), name


@pytest.mark.parametrize("name", ["info_gain", "chi2", "gini", "pi", "contextual_merit"])
def test_other_criteria_take_genotypes_as_columns(name, monkeypatch):
    monkeypatch.setattr("fasttree.feature_selection.features.VARIANTS", 7)
    for missing in (0.0, 0.1):
        found = study(5, 80, 30, missing)
        table = found.to_table().drop_missing_target()
        expected = score_features(table, criterion=name)
        scores = score_features(found, criterion=name)
        np.testing.assert_allclose(scores, expected, rtol=1e-9, atol=1e-12)
    weights = np.random.default_rng(0).integers(0, 3, 80)
    kept = np.setdiff1d(np.arange(80), found.to_table().missing_target)
    weighted = score_features(found, criterion="multisurf", sample_weight=weights)
    expected = score_features(table, criterion="multisurf", sample_weight=weights[kept])
    np.testing.assert_allclose(weighted, expected, rtol=1e-9, atol=1e-12)


def test_a_path_is_a_study_and_labels_may_be_others(tmp_path):
    made = make_genotypes(90, 30, random_state=3)
    path = dump_plink(made, tmp_path / "a.bed")
    scores = score_features(made, criterion="surf")
    np.testing.assert_array_equal(score_features(path, criterion="surf"), scores)
    loaded = read_plink(path, memory_map=False)
    np.testing.assert_array_equal(score_features(loaded, criterion="surf"), scores)
    labels = np.where(made.y == "case", "b", "a")
    np.testing.assert_array_equal(score_features(made, labels, criterion="surf"), scores)
    with pytest.raises(ValueError, match="y has 3 labels for 90 samples"):
        score_features(made, [1, 2, 1], criterion="surf")
    with pytest.raises(ValueError, match="all of one class; a .fam says 1 for a control"):
        score_features(made, ["case"] * 90, criterion="surf")
    with pytest.raises(ValueError, match="has no phenotype"):
        score_features(_of(np.zeros((3, 5), dtype=int)), criterion="surf")
    with pytest.raises(ValueError, match="is quantitative"):
        score_features(_of(np.zeros((3, 5), dtype=int), phenotype=np.ones(3)), criterion="surf")


@pytest.mark.parametrize("name", ["multisurf", "surf"])
@pytest.mark.parametrize("classes", [2, 3])
def test_p_values_are_those_of_loops_over_permutations(name, classes):
    random = np.random.default_rng(classes)
    counts = random.binomial(2, 0.35, (22, 9)).astype(int)
    counts[:, 5] = 1
    y = random.integers(classes, size=22)
    gone = random.random(counts.shape) < 0.05
    rows = [
        [None if g else int(x) for x, g in zip(r, m, strict=True)]
        for r, m in zip(counts, gone, strict=True)
    ]
    counts[gone] = -127
    found = relief_p_values(_of(counts), y, criterion=name, n_permutations=9, random_state=7)
    full = oracle.imputed(rows)
    draws = np.random.default_rng(7)
    permuted = [draws.permutation(y).tolist() for _ in range(9)]
    single, family = oracle.p_values(full, y.tolist(), name, permuted)
    varies = ~np.isnan(found.scores)
    assert (~varies).tolist() == [len(set(c)) == 1 for c in zip(*full, strict=True)]
    np.testing.assert_array_equal(found.p_values[varies], np.array(single)[varies])
    np.testing.assert_array_equal(found.adjusted_p[varies], np.array(family)[varies])
    np.testing.assert_allclose(
        found.scores[varies], np.array(oracle.scores(full, y.tolist(), name))[varies], atol=1e-9
    )
    t = np.array(oracle.stir(full, y.tolist(), name))
    np.testing.assert_allclose(found.t_statistics[varies], t[varies], rtol=1e-9, atol=1e-9)
    assert np.isnan(found.p_values[~varies]).all() and np.isnan(found.stir_p[~varies]).all()


def test_stir_is_a_t_test_of_the_pairs():
    made = make_genotypes(60, 12, random_state=1)
    found = relief_p_values(made, n_permutations=0)
    assert found.p_values is None and found.largest is None
    np.testing.assert_array_equal(found.scores, score_features(made, criterion="multisurf"))
    counts, d = made.to_array(), None
    d = (counts[:, None] != counts[None]).sum(axis=2)
    off = ~np.eye(60, dtype=bool)
    others = d[off].reshape(60, 59)
    near = off & (d < (others.mean(axis=1) - others.std(axis=1) / 2)[:, None])
    same = made.y[:, None] == made.y[None]
    for v in range(12):
        differ = (counts[:, v, None] != counts[None, :, v]).astype(float)
        t, p = stats.ttest_ind(differ[near & ~same], differ[near & same], alternative="greater")
        assert (found.t_statistics[v], found.stir_p[v]) == pytest.approx((t, p), rel=1e-9)


def test_permutations_do_not_depend_on_threads_or_batches():
    made = make_genotypes(50, 2100, random_state=2)
    one = relief_p_values(made, n_permutations=40, n_jobs=1)
    two = relief_p_values(made, n_permutations=40, n_jobs=2)
    for field in ("p_values", "adjusted_p", "largest"):
        np.testing.assert_array_equal(getattr(one, field), getattr(two, field))
    fewer = relief_p_values(made, n_permutations=35)
    np.testing.assert_array_equal(fewer.largest, one.largest[:35])
    record = one.records(top=1)[0]
    assert record["variant"] == made.variant_ids[one.ranking[0]] and record["chromosome"] == "1"
    with pytest.raises(ValueError, match="has no p-values here"):
        relief_p_values(made, criterion="relieff")
    with pytest.raises(ValueError, match="n_permutations"):
        relief_p_values(made, n_permutations=-1)
    with pytest.raises(ValueError, match="are Genotypes"):
        relief_p_values(np.zeros((3, 3)))


@pytest.mark.exhaustive
def test_null_data_are_significant_as_often_as_they_should_be():
    """2,000 studies without any effect: at the 5 % level 5 % +- 1 of them by the adjusted p-value,
    and of single variants by their own."""
    any_, single = 0, []
    for seed in range(2000):
        random = np.random.default_rng(seed)
        counts = random.binomial(2, random.uniform(0.1, 0.5, 12), (40, 12)).astype(np.int8)
        y = random.permutation(np.arange(40) % 2)
        found = relief_p_values(_of(counts), y, n_permutations=99, random_state=seed)
        any_ += bool(np.nanmin(found.adjusted_p) <= 0.05)
        single.append(np.nanmean(found.p_values <= 0.05))
    assert 0.04 <= any_ / 2000 <= 0.06
    assert 0.04 <= np.mean(single) <= 0.06


def test_manhattan_plots_order_chromosomes_and_name_the_best():
    with detached():
        ax = manhattan(
            [0.1, 0.5, np.nan, 0.3], ["X", "10", "2", "2"], [5, 7, 1, 9], names=list("abcd"), top=2
        )
    assert [t.get_text() for t in ax.get_xticklabels()] == ["2", "10", "X"]
    assert [t.get_text() for t in ax.texts] == ["b", "d"]
    drawn = sum(len(c.get_offsets()) for c in ax.collections[:2])
    assert drawn == 3
    # Names stay within the axes: those of the right half end at their points.
    assert [t.get_ha() for t in ax.texts] == ["right", "left"]
    with detached():
        ax = manhattan(
            [1.0, 1.0, 0.2], ["1"] * 3, [1, 5, 9], names=list("abc"), top=[1], threshold=2
        )
    assert [t.get_text() for t in ax.texts] == ["b"]
    assert ax.lines[0].get_ydata()[0] == 2
    with pytest.raises(ValueError, match="2 values, 1 chromosomes"):
        manhattan([1, 2], ["1"], [1])
    with pytest.raises(ValueError, match="no variant has a value"):
        manhattan([np.nan], ["1"], [1])


def test_rank_draws_adjusted_p_values_and_their_line(tmp_path, ftree, monkeypatch):
    """With permutations the heights are -log10 of the max-T adjusted p-values."""
    from fasttree import plots

    path = dump_plink(make_genotypes(120, 30, chromosomes=3, random_state=1), tmp_path / "s.bed")
    drawn = {}

    def noted(heights, *places, **options):
        drawn.update(heights=heights, **options)
        return manhattan(heights, *places, **options)

    monkeypatch.setattr(plots, "manhattan", noted)
    picture = tmp_path / "m.png"
    ranked = ("rank", path, "-c", "multisurf", "--top", "4", "--plot", picture)
    code, _, err = ftree(*ranked, "--permutations", "39", "--json", tmp_path / "a.json")
    assert code == 0 and picture.exists(), err
    rows = json.loads((tmp_path / "a.json").read_text())["rows"]
    names = drawn["names"]
    heights = {names[v]: drawn["heights"][v] for v in drawn["top"].tolist()}
    assert heights == pytest.approx({r["variant"]: -np.log10(r["adjusted p"]) for r in rows})
    assert drawn["threshold"] == pytest.approx(-np.log10(0.05))
    assert drawn["ylabel"] == "-log10 adjusted p (max-T, multisurf)"
    assert ftree(*ranked)[0] == 0
    assert drawn["threshold"] is None and drawn["ylabel"] == "multisurf"


def test_rank_prints_variants_with_their_places(tmp_path, ftree):
    made = make_genotypes(200, 40, chromosomes=3, random_state=0)
    made.y[7] = None
    path = dump_plink(made, tmp_path / "s.bed")
    picture, document = tmp_path / "m.png", tmp_path / "d.json"
    code, out, err = ftree("rank", path, "-c", "multisurf", "--top", 3, "--plot", picture)
    assert code == 0 and "1 of 200 samples has no phenotype and is left out" in err
    assert all(word in out for word in ("together1", "together2", "chromosome", "A/G"))
    assert picture.read_bytes()[:4] == b"\x89PNG"
    given = ("-c", "chi2,multisurf", "--permutations", 39, "--top", 2, "--json", document)
    code, out, _ = ftree("rank", path, *given)
    assert code == 0
    found = json.loads(document.read_text(encoding="utf-8"))["rows"][0]
    assert {"chi2", "multisurf", "t (STIR)", "p", "adjusted p"} <= set(found)
    assert not any(name.startswith("p (") for name in found)  # of permutations only
    assert "t (STIR) is a statistic, no p-value under selection" in out
    assert "STIR" in ftree("rank", path, "--permutations", 0, "--top", 2)[1]
    assert "have, whose neighbours" in ftree("rank", path, "-c", "chi2", "--permutations", 9)[2]
    code, out, _ = ftree("rank", path, "--permutations", 39, "--top", 2, "--json", document)
    assert code == 0
    rows = json.loads(document.read_text(encoding="utf-8"))["rows"]
    assert len(rows) == 2 and {rows[0]["variant"], rows[1]["variant"]} == {
        "together1",
        "together2",
    }
    assert rows[0]["adjusted p"] == 1 / 40 and rows[0]["position"] in (1000, 2000)
    file = tmp_path / "p.txt"
    lines = zip(made.family_ids, made.sample_ids, np.arange(200) % 2, strict=True)
    file.write_text("".join(f"{f} {i} {'ab'[k]}\n" for f, i, k in lines), encoding="utf-8")
    assert ftree("rank", path, "--phenotype", file, "-c", "surf,chi2", "--top", 1)[0] == 0
    for words in (
        ("rank", path, "--drop", "x"),
        ("rank", "iris", "--permutations", 9),
        ("rank", "iris", "--phenotype", file),
        ("rank", path, "--permutations", 9, "-c", "relieff"),
    ):
        code, _, err = ftree(*words)
        assert code != 0 and "Traceback" not in err and err.strip()


def test_rank_takes_the_words_of_plink(tmp_path, ftree):
    made = make_genotypes(200, 40, random_state=0)
    path = dump_plink(made, tmp_path / "s.bed")
    by_data = ftree("rank", path, "--top", 3)
    assert by_data[0] == 0 and ftree("rank", "--bfile", tmp_path / "s", "--top", 3) == by_data
    file = tmp_path / "traits.txt"
    lines = zip(made.family_ids, made.sample_ids, np.arange(200) % 2, strict=True)
    text = "".join(f"{f} {i} {'ab'[k]} {'ba'[k // 2]}\n" for f, i, k in lines)
    file.write_text("FID IID one two\n" + text, encoding="utf-8")
    chosen = ("rank", "--bfile", tmp_path / "s", "-c", "surf", "--top", 1)
    named = ftree(*chosen, "--pheno", file, "--pheno-name", "one")
    assert named[0] == 0 and named == ftree(*chosen, "--phenotype", file)
    for words, message in (
        (("--pheno-name", "one"), "give --pheno FILE"),
        (("--pheno", file, "--pheno-name", "three"), "(--pheno-name)"),
    ):
        code, _, err = ftree(*chosen, *words)
        assert code == 2 and message in err
    assert "leave iris out" in ftree("rank", "iris", "--bfile", "s")[2]
    assert "name DATA" in ftree("rank")[2]


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("x.vcf", "plink2 --vcf x.vcf --make-bed --out x,"),
        ("x.vcf.gz", "plink2 --vcf x.vcf.gz --make-bed --out x,"),
        ("x.pgen", "plink2 --pfile x --make-bed --out x,"),
        ("x.ped", "plink --file x --make-bed --out x,"),
        ("x.tfam", "plink --tfile x --make-bed --out x,"),
        ("x.lgen", "plink --lfile x --make-bed --out x,"),
        ("x.bgen", "plink2 --bgen x.bgen ref-first --make-bed --out x,"),
    ],
)
def test_other_genotypes_are_answered_with_the_command_that_converts(
    tmp_path, monkeypatch, ftree, name, command
):
    monkeypatch.chdir(tmp_path)
    (tmp_path / name).write_bytes(b"##fileformat=VCFv4.2\n")
    for words in (("rank", name), ("fit", name), ("rank", name, "--permutations", 9)):
        code, _, err = ftree(*words)
        assert code == 2 and command in err and "x.bed" in err
    with pytest.raises(DataFileError, match="plink"):
        read_plink(name)
