"""PLINK files: the example of the format's specification, round trips, damaged files, phenotypes
and
covariates."""

from __future__ import annotations

import os
import warnings
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fasttree
from fasttree._checks.data_warnings import DataWarning
from fasttree.datasets import (
    DataFileError,
    Genotypes,
    dump_plink,
    load,
    make_genotypes,
    read_plink,
)
from fasttree.datasets.genotypes import pack

FAM = "1 1 0 0 1 0\n1 2 0 0 2 0\n1 3 1 2 1 2\n2 1 0 0 1 0\n2 2 0 0 1 2\n2 3 1 2 1 2\n"
BIM = "1 snp1 0 1 G A\n1 snp2 0 2 1 2\n1 snp3 0 3 A C\n"
BED = bytes.fromhex("6c1b01dc0fe70f6b01")
COUNTS = [
    [2, 0, 0],
    [0, -127, 1],
    [-127, 1, 1],
    [0, 0, -127],
    [0, 0, -127],
    [0, 0, 2],
]
"""The example of the specification of .bed: bytes, and copies of allele 1 by its .ped."""


@pytest.fixture
def study(tmp_path):
    (tmp_path / "s.fam").write_text(FAM)
    (tmp_path / "s.bim").write_text(BIM)
    (tmp_path / "s.bed").write_bytes(BED)
    return tmp_path / "s.bed"


@pytest.mark.parametrize("memory_map", [True, False])
def test_the_example_of_the_specification(study, memory_map):
    found = read_plink(study, memory_map=memory_map)
    assert found.to_array().tolist() == COUNTS
    assert found.shape == (6, 3) and found.to_array().strides[0] == 1
    assert found.variant_ids.tolist() == ["snp1", "snp2", "snp3"]
    assert found.positions.tolist() == [1, 2, 3] and found.chromosomes.tolist() == ["1"] * 3
    assert found.alleles.tolist() == [["G", "A"], ["1", "2"], ["A", "C"]]
    assert found.sex.tolist() == [1, 2, 1, 1, 1, 1]
    assert found.y.tolist() == [None, None, "case", None, "case", "case"]
    assert read_plink(str(study)[:-4]).to_array(missing=-1)[1].tolist() == [0, -1, 1]
    table = load(study)
    assert table.feature_names == ["snp1", "snp2", "snp3"] and table.target == "phenotype"
    assert table.column("snp2").labels().tolist() == [0, None, 1, 0, 0, 0]
    assert table.column("snp1").levels == (0, 2), "levels that occur"
    assert load(study, drop=["snp1"], target=False).feature_names == ["snp2", "snp3"]
    with pytest.raises(DataFileError, match="phenotype=FILE"):
        load(study, target="snp1")


@settings(max_examples=60, deadline=None)
@given(
    st.integers(1, 11).flatmap(
        lambda n: st.lists(
            st.lists(st.sampled_from([0, 1, 2, -127]), min_size=n, max_size=n),
            min_size=1,
            max_size=7,
        )
    ),
    st.data(),
)
def test_genotypes_packed_and_unpacked_are_the_same(rows, data):
    counts = np.array(rows, dtype=np.int8)
    found = _of(counts)
    assert (found.to_array() == counts).all()
    which = st.lists(st.integers(0, len(counts) - 1), min_size=1, max_size=9)
    samples = data.draw(which)
    variants = data.draw(st.lists(st.integers(0, counts.shape[1] - 1), min_size=1, max_size=9))
    part = found.take(samples=samples, variants=variants)
    assert (part.to_array() == counts[np.ix_(samples, variants)]).all()
    assert part.sample_ids.tolist() == [f"i{s}" for s in samples]
    assert (found.to_array(samples=samples, variants=variants) == part.to_array()).all()
    labels = [[None if g < 0 else int(g) for g in column] for column in counts.T]
    assert [c.labels().tolist() for c in found.to_table().columns] == labels


def _of(counts, **more):
    n, m = counts.shape
    return Genotypes(
        packed=pack(counts),
        family_ids=np.array(["f"] * n, dtype=object),
        sample_ids=np.array([f"i{i}" for i in range(n)], dtype=object),
        sex=np.zeros(n, dtype=int),
        variant_ids=np.array([f"v{v}" for v in range(m)], dtype=object),
        chromosomes=np.array(["1"] * m, dtype=object),
        positions=np.arange(m),
        alleles=np.array([["A", "C"]] * m, dtype=object),
        **more,
    )


@pytest.mark.parametrize("n", [1, 2, 3, 4, 5, 33])
def test_files_hold_what_was_written(tmp_path, n):
    random = np.random.default_rng(n)
    counts = random.choice([0, 1, 2, -127], (n, 9)).astype(np.int8)
    labels = np.array([["control", "case", None][i % 3] for i in range(n)], dtype=object)
    again = read_plink(dump_plink(_of(counts, y=labels), tmp_path / "a.bed"))
    assert (again.to_array() == counts).all() and again.y.tolist() == labels.tolist()
    numbers = random.normal(size=n)
    numbers[n // 2] = np.nan
    again = read_plink(dump_plink(_of(counts, phenotype=numbers), tmp_path / "b"))
    assert again.y is None
    if n > 1:  # a single one is missing
        assert np.array_equal(again.phenotype, numbers, equal_nan=True)


def test_more_classes_than_a_fam_holds_are_refused(tmp_path):
    labels = np.array(["a", "b", "c"], dtype=object)
    with pytest.raises(ValueError, match="3 classes, and a .fam holds two"):
        dump_plink(_of(np.zeros((3, 2), dtype=int), y=labels), tmp_path / "a")


@pytest.mark.parametrize(
    ("end", "content", "says"),
    [
        (".bed", b"", "is no PLINK 1 .bed file: it begins with nothing"),
        (".bed", b"chr1 1 2\n", "begins with 63 68"),
        (".bed", BED[:2], "is not SNP-major: byte 3 is missing"),
        (".bed", b"\x6c\x1b\x00" + BED[3:], "byte 3 is 00, not 01; write it anew"),
        (".bed", BED[:-1], r"was cut short: 3 variants \(.bim\) of 6 samples .* 9 bytes, it has 8"),
        (".bed", BED + b"\x00", "is too long"),
        (".fam", FAM[:-3].encode(), r"s.fam, line 6: has 5 fields; needed are 6"),
        (".fam", FAM[24:].encode(), "is too long"),
        (".fam", b"\n", "is empty"),
        (".fam", b"1 1 0 0 1 \xff\n", "line 1: is not UTF-8"),
        (".bim", BIM.replace(" 2 1 2", " x 1 2").encode(), r"line 2, column 'position': 'x' is no"),
        (".bim", BIM.replace("G A", "G").encode(), "s.bim, line 1: has 5 fields"),
        (".fam", FAM.replace("1 2\n", "1 2.5\n").replace("1 0\n", "1 x\n", 1).encode(),
         "line 1, column 'PHENOTYPE': 'x' is no number among numbers"),
        (".fam", FAM.replace("2 3 1 2 1 2\n", "").encode(),
         r"s.bed: has genotypes behind the 5 samples .*variant 1 .*up to 3 lines"),
        (".fam", FAM.replace("1 3 1 2", "1 1 1 2").encode(),
         r"s.fam, line 3: '1 1' is a sample .* of line 1 already"),
        (".fam", FAM.replace("1 3 1 2", "1 \0 1 2").encode(), "s.fam, line 3: holds a zero byte"),
        *((".bim", BIM.replace(" 0 2 ", f" 0 {text} ").encode(),
           rf"s.bim, line 2, column 'position': '{text}' is no whole number")
          for text in ("14000²", "--5", "1_000", "٣", "5-", "1e3", "9223372036854775808")),
    ],
)  # fmt: skip
def test_damaged_files_say_where(study, end, content, says):
    study.with_suffix(end).write_bytes(content)
    with pytest.raises(DataFileError, match=says):
        read_plink(study)


@pytest.mark.parametrize("end", [".bed", ".bim", ".fam"])
def test_a_file_that_is_not_there_is_named(study, end):
    study.with_suffix(end).unlink()
    with pytest.raises(FileNotFoundError, match=f"s{end}"):
        read_plink(study)


def test_phenotypes_and_covariates_come_by_sample(study, tmp_path):
    file = tmp_path / "p.txt"
    file.write_text("FID IID bmi group\n2 3 21.5 red\n1 1 19 blue\n1 2 NA red\n")
    found = read_plink(study, phenotype=file)
    assert found.y is None
    assert np.array_equal(found.phenotype, [19, *[np.nan] * 4, 21.5], equal_nan=True)
    assert "a quantitative phenotype" in repr(found)
    found = read_plink(study, phenotype=file, phenotype_name="group", covariates=file)
    assert found.y.tolist() == ["blue", "red", None, None, None, "red"]
    assert found.covariates["group"].tolist() == found.y.tolist()
    assert np.array_equal(found.covariates["bmi"], [19, *[np.nan] * 4, 21.5], equal_nan=True)
    table = found.to_table(covariates=True)
    assert table.feature_names == ["snp1", "snp2", "snp3", "bmi", "group"]
    with pytest.raises(DataFileError, match="'age' is not a column .* bmi, group"):
        read_plink(study, phenotype=file, phenotype_name="age")
    with pytest.raises(ValueError, match="give the file"):
        read_plink(study, phenotype_name="age")
    for text, says in [
        ("2 3 1\n2 3 2\n", "line 2: '2 3' is the second line of this sample"),
        ("9 9 1\n", "has none of the samples"),
        ("1 1\n", "has 2 fields; needed are family"),
        ("1 1 2\n1 2 2 3\n", "line 2: has 4 fields, the first line 3"),
        ("", "is empty"),
    ]:
        file.write_text(text)
        with pytest.raises(DataFileError, match=says):
            read_plink(study, phenotype=file)


def test_raw_files_are_known_by_their_header(tmp_path):
    file = tmp_path / "s.raw"
    head = "FID IID PAT MAT SEX PHENOTYPE "
    file.write_text(head + "rs1_A rs_2_G\nf a 0 0 1 2 0 2\nf b 0 0 2 1 NA 1\nf c 0 0 2 -9 1 0\n")
    found = read_plink(file)
    assert found.to_array(missing=-1).tolist() == [[0, 2], [-1, 1], [1, 0]]
    assert found.variant_ids.tolist() == ["rs1", "rs_2"]
    assert found.alleles[:, 0].tolist() == ["A", "G"]
    assert found.y.tolist() == ["case", "control", None]
    assert load(file).feature_names == ["rs1", "rs_2"]
    for text, says in [
        (head + "rs1_A\nf a 0 0 1 2 3\n", "line 2, column 'rs1_A': '3' is no genotype"),
        (head + "rs1_A\nf a 0 0 1 2\n", "line 2: has 6 fields, the header 7"),
        (head + "rs1_A rs1_HET\nf a 0 0 1 2 0 0\n", "dominance columns"),
        (head + "rs1_A\n", "has no samples"),
        (head + "\nf a 0 0 1 2\n", "has no genotypes"),
        ("a b c\n1 2 3\n", "its header begins with a b c"),
    ]:
        file.write_text(text)
        with pytest.raises(DataFileError, match=says):
            read_plink(file)
    assert load(file).shape == (1, 2), "another .raw is delimited text"


def test_names_are_unique():
    counts = np.array([[0, 1, 2, 0, 1]] * 2)
    found = _of(counts)
    found.variant_ids[:] = [".", "rs1", "rs1", "rs2", "."]
    names = found.feature_names()
    assert len(set(names)) == 5 and names[3] == "rs2" and names[0] == "1:0:A:C"
    found.positions[:] = 7
    assert len(set(found.feature_names())) == 5


def test_simulated_genotypes_have_the_frequencies_they_were_drawn_with():
    found = make_genotypes(4000, 60, missing=0.1, chromosomes=3, random_state=5)
    counts = found.to_array(missing=-1)
    assert abs((counts < 0).mean() - 0.1) < 0.01
    carries = counts[:, :2] > 0
    known = (counts[:, :2] >= 0).all(axis=1)
    one = carries[:, 0] ^ carries[:, 1]
    case = found.y == "case"
    assert (
        abs(case[one & known].mean() - 0.9) < 0.04 and abs(case[~one & known].mean() - 0.1) < 0.04
    )
    assert abs(case[carries[:, 0]].mean() - case[~carries[:, 0]].mean()) < 0.06
    assert sorted(set(found.chromosomes)) == ["1", "2", "3"]
    for name, value in [("effect", 1.5), ("missing", 1.0), ("n_samples", 1), ("chromosomes", 0)]:
        with pytest.raises(ValueError, match=name):
            make_genotypes(**{name: value})


def with_phenotypes(study, *texts):
    lines = [f"f i{k} 0 0 1 {text}\n" for k, text in enumerate(texts)]
    study.with_suffix(".fam").write_text("".join(lines))
    return study


MINUS_NINE = ["-9", "-9.0", "-9.00", "-9.", "-9e0", "-0.9e1", "-09", "NA", "nan", "NaN", "NAN", "."]


@pytest.mark.parametrize("text", MINUS_NINE)
@pytest.mark.filterwarnings("error")
def test_every_spelling_of_minus_nine_is_missing(study, text):
    found = read_plink(with_phenotypes(study, text, "2", "1", "1", "2", "2"))
    assert found.y.tolist() == [None, "case", "control", "control", "case", "case"]
    found = read_plink(with_phenotypes(study, text, "0.5", "1", "1", "2", "7"))
    assert np.isnan(found.phenotype[0]) and found.phenotype[5] == 7
    found = read_plink(with_phenotypes(study, text, "red", "red", "blue", "red", "blue"))
    assert found.y.tolist()[:2] == [None, "red"]


@pytest.mark.parametrize("other", ["1", "1.0", "0"])
def test_cases_with_a_decimal_point_are_quantitative_with_one_warning(study, other):
    with_phenotypes(study, "1", other, "2.0", "2.0", "-9.0", "2.0")
    with pytest.warns(DataWarning, match=r"s\.fam, line \d.*'\d\.0'.* as 1 and 2") as said:
        found = read_plink(study)
    assert len(said) == 1 and said[0].filename == __file__
    assert found.y is None
    assert np.array_equal(found.phenotype, [1, float(other), 2, 2, np.nan, 2], equal_nan=True)


@pytest.mark.parametrize("values", ["010101", "220012", "012012"])
def test_zero_and_one_are_said_to_be_missing_and_control(study, values):
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = read_plink(with_phenotypes(study, *values))
    assert None in found.y.tolist()
    assert ["0 is missing and 1 a control" in str(one.message) for one in said] == [True] * (
        "2" not in values
    )


@pytest.mark.parametrize("command", ["fit", "advise", "cv", "compare"])
@pytest.mark.parametrize("values", [["-9"] * 6, ["1.5", "2.5", "-9", "3", "0.25", "NA"]])
def test_a_study_without_classes_is_refused_in_the_words_of_the_shell(
    study, ftree, command, values
):
    code, _, err = ftree(command, with_phenotypes(study, *values))
    assert code == 2 and "the data name no target: " in err


WHITE = [chr(c) for c in range(0x110000) if chr(c).isspace()]


@pytest.mark.parametrize(
    "name", ["family_ids", "sample_ids", "chromosomes", "variant_ids", "alleles"]
)
def test_texts_that_are_no_field_are_refused(tmp_path, name):
    bad = ["", "\0", "\ud800", *(f"a{c}b" for c in WHITE), *(f"{c}" for c in WHITE)]
    for text in [*bad, *(f"a{c}" for c in WHITE)]:
        study = _of(np.zeros((3, 2), dtype=int))
        getattr(study, name)[1] = text
        with pytest.raises(ValueError, match=rf"{name}.*, row 1: .* give it"):
            dump_plink(study, tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


@settings(max_examples=60, deadline=None)
@given(st.lists(st.text(min_size=1, max_size=6), min_size=5, max_size=5))
def test_what_is_written_is_read_back(tmp_path_factory, texts):
    study = _of(np.array([[0, 1], [2, -127], [1, 1]]))
    for name, text in zip(
        ("family_ids", "sample_ids", "chromosomes", "variant_ids", "alleles"), texts, strict=True
    ):
        getattr(study, name)[1] = text
    try:
        again = read_plink(dump_plink(study, tmp_path_factory.mktemp("texts") / "a"))
    except ValueError as error:
        assert "row 1" in str(error) and not isinstance(error, DataFileError)
        return
    for name in ("family_ids", "sample_ids", "chromosomes", "variant_ids", "alleles"):
        assert getattr(again, name).tolist() == getattr(study, name).tolist()
    assert (again.to_array() == study.to_array()).all()


def objects(*values):
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"y": objects("a", "b", None)}, "y, row 0: 'a', one of 2 classes"),
        ({"y": objects("case", 2, None)}, "y, row 1: 2, one of 2 classes"),
        ({"y": objects("case", "1", None)}, "y, row 1: '1'"),
        ({"y": objects(1, 3, None)}, "y, row 1: 3"),
        ({"y": objects(True, None, None)}, "y, row 0: True"),
        ({"phenotype": np.array([1.5, np.inf, 2])}, "phenotype, row 1: inf is not finite"),
        ({"phenotype": np.array([1.5, 2, -np.inf])}, "phenotype, row 2: -inf is not finite"),
        ({"phenotype": np.array([-9.0, 2, 3])}, "phenotype, row 0: -9.0 means a missing"),
        ({"sex": np.array([1, 2, 3])}, "sex, row 2: 3"),
        ({"positions": np.array([1.5, 2])}, "positions, row 0: 1.5"),
        ({"positions": np.array([1])}, "positions has 1 values; 2"),
        ({"sample_ids": objects("i", "j", "i")}, "row 2: family 'f', sample 'i' is in row 0"),
        ({"packed": np.zeros((2, 2), np.uint8)}, r"packed has shape \(2, 2\)"),
    ],
)
def test_what_cannot_be_read_back_is_not_written(tmp_path, change, says):
    with pytest.raises(ValueError, match=says):
        dump_plink(replace(_of(np.zeros((3, 2), dtype=int)), **change), tmp_path / "a")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("labels", [(1, 2), ("1", "2"), ("control", "case"), (2.0, 2.0)])
def test_classes_that_a_fam_holds_are_written(tmp_path, labels):
    study = _of(np.zeros((3, 2), dtype=int), y=objects(*labels, None))
    again = read_plink(dump_plink(study, tmp_path / "a"))
    assert again.y.tolist() == ["case" if labels[0] == 2 else "control", "case", None]


@pytest.mark.parametrize("memory_map", [True, False])
def test_a_study_is_written_over_the_files_it_was_read_from(tmp_path, memory_map):
    made = make_genotypes(401, 500, random_state=3)
    counts = made.to_array()
    path = dump_plink(made, tmp_path / "s.bed")
    study = read_plink(path, memory_map=memory_map)
    assert dump_plink(study, path) == path
    assert (read_plink(path).to_array() == counts).all()
    dump_plink(study.take(variants=slice(100, 300), samples=slice(9)), path)
    assert (read_plink(path).to_array() == counts[:9, 100:300]).all()
    assert (study.to_array() == counts).all(), "the map keeps the old file"


def test_bits_behind_the_last_sample_are_written_as_zero(tmp_path):
    study = _of(np.array([[0, 1], [2, -127], [1, 1]]))
    dirty = replace(study, packed=study.packed | np.uint8(0xC0))
    assert (read_plink(dump_plink(dirty, tmp_path / "a")).to_array() == study.to_array()).all()


SHORTENED = {
    "to_array": lambda study, path: study.to_array(),
    "take": lambda study, path: study.take(samples=[0, 2]),
    "dump": lambda study, path: dump_plink(study, path + "2"),
    "table": lambda study, path: study.to_table(),
    "scores": lambda study, path: fasttree.score_features(study, criterion="multisurf"),
}


@pytest.mark.parametrize("use", SHORTENED.values(), ids=SHORTENED)
def test_a_study_that_was_shortened_while_mapped_is_refused(tmp_path, use):
    path = dump_plink(make_genotypes(400, 900, random_state=0), tmp_path / "s")
    study = read_plink(path)
    os.truncate(path, 5000)
    with pytest.raises(ValueError, match=r"s.bed: was shortened to 5,000 bytes .* as 90,003"):
        use(study, path)


@pytest.mark.parametrize("dtype", ["f8", "f4", "u1", "i4"])
def test_arrays_that_were_shortened_while_mapped_are_refused(tmp_path, dtype):
    file = tmp_path / "x.bin"
    offset = 3 * 4096
    values = np.arange(20_000).reshape(-1, 2) % 7
    file.write_bytes(b"\0" * offset + values.astype(dtype).tobytes())
    X = np.memmap(file, dtype=dtype, mode="r", offset=offset, shape=values.shape)
    y = values[:, 0] > 3
    tree = fasttree.fit(X, y)
    table = fasttree.Table(X, y)
    os.truncate(file, offset + 4096)
    for call in (
        lambda: fasttree.fit(X, y),
        lambda: tree.predict(X),
        lambda: tree.predict(X[5000:]),
        lambda: fasttree.score_features(X, y, criterion="gini"),
    ):
        with pytest.raises(ValueError, match="was shortened to 16,384 bytes"):
            call()
    if dtype in ("f8", "f4"):  # other kinds are copied into the Table
        with pytest.raises(ValueError, match="was shortened"):
            fasttree.fit(table)
