"""compare: marks by the pairwise test, other tests, and several data sets."""

import csv
import io
import json
import re
import warnings

import numpy as np
import pandas
import pytest
from scipy.stats import rankdata
from sklearn.datasets import load_breast_cancer, load_iris
from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.tree import DecisionTreeClassifier

import fasttree
from fasttree import presets
from fasttree.exports.tables.records import plain
from fasttree.model_selection import (
    compare,
    corrected_resampled_t_test,
    cross_validate,
    holm,
    paired_t_test,
    sweep,
    wilcoxon,
)
from fasttree.table import Table

X, Y = load_iris(return_X_y=True)
NAMES = np.array(["setosa", "versicolor", "virginica"])[Y]


@pytest.fixture(scope="module")
def comparison():
    generator = np.random.default_rng(0)
    noise = generator.normal(size=(60, 3))
    cancer = load_breast_cancer(return_X_y=True)
    tables = {"iris": (X, NAMES), "cancer": cancer, "noise": (noise, generator.integers(0, 2, 60))}
    models = {
        "prior": DummyClassifier(),
        "NB": GaussianNB(),
        "tree": DecisionTreeClassifier(max_depth=2, random_state=0),
    }
    return compare(tables, estimators=models, cv="3x5", scoring=("accuracy", "log_loss"))


def test_compare_marks_follow_the_pairwise_test(comparison):
    assert comparison.datasets == ("iris", "cancer", "noise") and comparison.methods == (
        "prior",
        "NB",
        "tree",
    )
    for i, dataset in enumerate(comparison.datasets):
        for j, first in enumerate(comparison.methods):
            for k, second in enumerate(comparison.methods):
                a, b = (
                    comparison[dataset][first]["accuracy"],
                    comparison[dataset][second]["accuracy"],
                )
                found = corrected_resampled_t_test(a, b, test_over_train=1 / 4)
                assert comparison.p_values[i, j, k] == pytest.approx(found.p_value, abs=1e-14)
                sign = int(np.sign(a.mean() - b.mean())) if found.p_value < 0.05 else 0
                assert comparison.better[i, j, k] == sign
    assert comparison.marks[:2].tolist() == [["", "v", "v"]] * 2
    assert comparison.wins_ties_losses.tolist()[0] == [0, 3, 0]
    for j in range(3):
        assert comparison.wins_ties_losses[j].tolist() == [
            (comparison.better[:, j, 0] == sign).sum() for sign in (1, 0, -1)
        ]
    assert comparison.win_matrix[1, 0] == 2 and comparison.win_matrix[0, 1] == 0
    np.testing.assert_allclose(comparison.averages, comparison.means.mean(axis=0))
    worse = {
        (one["dataset"], one["method"]): one["worse_than"]
        for one in comparison.significantly_worse()
    }
    assert worse[("iris", "prior")] == ["NB", "tree"]
    assert comparison.pair_test("iris", "prior", "NB").p_value == comparison.p_values[0, 0, 1]
    assert "NB" in comparison.pair_test("iris", "prior", "NB").sentence


def test_another_metric_baseline_or_test_without_running_again(comparison):
    loss = comparison.with_metric("log_loss", baseline="NB")
    assert not loss.greater_is_better and loss.baseline == "NB"
    assert (loss.best.argmax(axis=1) == loss.means.argmin(axis=1)).all()
    i = comparison.datasets.index("iris")
    assert loss.better[i, 1, 0] == 1 and loss.marks[i].tolist()[0] == "*"
    for smaller in ("leaves", "unclassified", "seconds"):
        assert not comparison.with_metric(smaller).greater_is_better
    with pytest.raises(ValueError, match="metric='brier' was not computed"):
        comparison.with_metric("brier")


@pytest.mark.parametrize(
    ("name", "test", "cv"),
    [
        ("paired_t", paired_t_test, "3x5"),
        ("wilcoxon", wilcoxon, "3x5"),
        (paired_t_test, paired_t_test, "3x5"),
    ],
)
def test_other_tests_are_used_as_they_are(name, test, cv):
    models = {"prior": DummyClassifier(), "NB": GaussianNB()}
    result = compare({"iris": (X, Y)}, estimators=models, cv=cv, test=name)
    a, b = (result["iris"][model]["accuracy"] for model in models)
    assert result.p_values[0, 0, 1] == pytest.approx(test(a, b).p_value, abs=1e-14)


def test_five_by_two_tests_in_compare():
    from fasttree.model_selection import five_by_two_cv_f_test

    models = {"prior": DummyClassifier(), "NB": GaussianNB()}
    result = compare({"iris": (X, Y)}, estimators=models, cv="5x2", test="five_by_two_f")
    a, b = (result["iris"][model]["accuracy"] for model in models)
    assert result.p_values[0, 0, 1] == five_by_two_cv_f_test(a, b).p_value < 0.05


def test_friedman_over_data_sets(comparison):
    found = comparison.friedman()
    assert found.names == comparison.methods and found.n == 3
    ranks = rankdata(-comparison.means, axis=1)
    np.testing.assert_allclose(found.mean_ranks, ranks.mean(axis=0))


def test_repeated_data_set_names_get_numbers():
    table = Table(X, Y, name="iris")
    result = compare([table, table], estimators=[GaussianNB()], cv="1x3")
    assert result.datasets == ("iris", "iris (2)")
    np.testing.assert_array_equal(result.means[0], result.means[1])


def test_files_are_loaded_by_name(uci):
    result = compare([str(uci / "iris.arff")], estimators=[GaussianNB()], cv="weka")
    assert result.datasets == ("iris",)
    assert len(result["iris"].folds.pairs) == 100 and result["iris"].classes[0] == "Iris-setosa"
    assert 0.9 < result.means[0, 0] < 1.0


def test_criteria_on_numbers_among_those_on_classes_are_named():
    """All criteria by name were an error about the first label, which is no number."""
    every = [row["name"] for row in fasttree.list_criteria()]
    numbers = [row["name"] for row in fasttree.list_criteria(target="number")]
    classes = [row["name"] for row in fasttree.list_criteria(target="classes")]
    assert sorted(numbers + classes) == sorted(every) and "gini" in classes
    said = (
        f"^{', '.join(map(repr, numbers))} are criteria on numbers: leave them out for classes; "
        r"fasttree.list_criteria\(target='classes'\)"
    )
    for call in (compare, cross_validate):
        with pytest.raises(ValueError, match=said):
            call("wine", every)
        with pytest.raises(ValueError, match=said):
            call("wine", every, task="classification")
    with pytest.raises(ValueError, match="'gini' is a criterion on classes: leave it out for a n"):
        cross_validate(X, Y + 0.5, ["poisson", "gini"], cv="1x2")
    # With bins, criteria on classes grow trees of a number.
    found = cross_validate(X, Y + 0.5, ["mdl", "gini"], cv="1x2", target_bins=3)
    assert found.methods == ("mdl", "gini")
    with pytest.raises(ValueError, match="target='numbers' is not known"):
        fasttree.list_criteria(target="numbers")


def test_many_methods_on_one_data_set_are_rows():
    names = ["gini", "info_gain", "mdl", "accuracy", "chi2", "hellinger", "relieff"]
    result = compare({"iris": (X, Y)}, names, cv="3x5", max_depth=3)
    (table,) = result.tables()
    assert [row[0].text for row in table.rows] == names
    assert max(map(len, str(result).splitlines()[:12])) < 80
    others = result.p_values[0, 1:, 0]
    for j, row in enumerate(table.rows):
        mean, sd, gap, p, corrected = (cell.text for cell in row[1:])
        assert (mean, sd) == (f"{100 * result.means[0, j]:.2f}", f"{100 * result.sds[0, j]:.2f}")
        assert row[1].mark == result.marks[0, j] and row[1].bold == result.best[0, j]
        if j == 0:
            assert gap == p == corrected == ""
            continue
        assert float(gap) == pytest.approx(
            100 * (result.means[0, j] - result.means[0, 0]), abs=0.0051
        )
        assert p == f"{others[j - 1]:.4f}" and corrected == f"{holm(others)[j - 1]:.4f}"
    assert "not corrected for 6 comparisons with gini" in " ".join(table.notes)
    # Few methods, or several sets, stay one row per set.
    few = compare({"iris": (X, Y)}, names[:3], cv="1x5", max_depth=3)
    assert few.tables()[0].header == ["data set", *names[:3]]
    # A method without finite values has no p-value and is no comparison.
    leaves = compare(
        {"iris": (X, Y)}, names[:6], estimators={"NB": GaussianNB()}, cv="1x5", scoring="leaves"
    )
    assert [cell.text for cell in leaves.tables()[0].rows[6][1:]] == ["-"] * 5
    assert "for 5 comparisons" in " ".join(leaves.tables()[0].notes)


def test_a_report_of_many_methods_fits_no_slow_ones_again(monkeypatch):
    pytest.importorskip("jinja2")
    names = ["gini", "info_gain", "mdl", "accuracy", "chi2", "hellinger", "relieff", "pi"]
    result = compare({"iris": (X, Y)}, names, cv="1x3", max_depth=2)
    fitted, one = [], result["iris"]
    refit = type(one).refit
    monkeypatch.setattr(
        type(one), "refit", lambda self, name: (fitted.append(name), refit(self, name))[1]
    )
    page = result.to_html()
    assert fitted == names[:6]
    assert "not fitted on all rows, which takes long" in page and "refit(&#39;pi&#39;)" in page
    fitted.clear()
    few = compare({"iris": (X, Y)}, ["gini", "relieff"], cv="1x3", max_depth=2)
    assert "takes long" not in few.to_html() and fitted == ["gini", "relieff"]


def test_warnings_name_the_set_and_point_at_the_line_that_calls():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    rare = np.repeat([0, 1, 2], [30, 27, 3])
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        compare({"one": (X, rare), "two": (X, rare[::-1]), "good": (X, rare > 0)}, ["gini"], cv=10)
    assert [str(one.message).split(":")[0] for one in found] == ["one", "two"]
    assert {one.filename for one in found} == {__file__}


@pytest.mark.parametrize("n_jobs", [None, 2])
@pytest.mark.parametrize("mode", ["default", "always"])
def test_warnings_of_folds_come_once_by_set_and_method(n_jobs, mode):
    sets, forest = ["iris", "weather"], fasttree.FastForestClassifier(3, oob_score=True)
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter(mode)
        compare(sets, ["gini"], estimators={"f": forest}, cv="2x3", n_jobs=n_jobs, random_state=0)
        cross_validate("iris", "gini", estimators={"f": forest}, cv="2x3", n_jobs=n_jobs)
    said = [str(one.message) for one in found if "in the sample of every tree" in str(one.message)]
    assert [text.split(" of ")[0].rstrip("0123456789") for text in said] == [
        "iris: f: ", "weather: f: ", "f: ",
    ]  # fmt: skip
    assert {one.filename for one in found} == {__file__}


def test_one_fit_gives_each_warning_once_at_the_line_that_calls():
    X = np.arange(700.0)[:, None]
    for fit in (
        lambda: fasttree.fit(X, np.arange(700) % 2, criterion="gini"),
        lambda: fasttree.FastTreeClassifier(criterion="gini").fit(X, np.arange(700) % 2),
    ):
        with warnings.catch_warnings(record=True) as found:
            warnings.simplefilter("always")
            fit()
        (deep,) = (one for one in found if "levels" in str(one.message))
        assert deep.filename == __file__


def test_files_leave_rows_without_a_class_out_aloud_and_frames_need_a_target(tmp_path):
    path = tmp_path / "gaps.csv"
    path.write_text(
        "a,b,y\n" + "".join(f"{i},{i % 7},{'pq'[i % 2]}\n" for i in range(40)) + "1,2,\n"
    )
    with pytest.warns(UserWarning, match=r"gaps\.csv: 1 of 41 rows has no class and is left out"):
        found = compare([path, "weather"], ["gini", "info_gain"], cv="2x2")
    assert list(found.results) == ["gaps", "weather"]
    frame = pandas.DataFrame({"a": [1.0, 2.0], "y": ["p", "q"]})
    for tables in ([frame], {"frame": frame}):
        with pytest.raises(TypeError, match=r"entry 0 is a DataFrame; .* such as \(frame, 'name"):
            compare(tables, ["gini", "info_gain"])


def test_fold_values_are_in_every_export(comparison):
    document = json.loads(comparison.to_json())
    rows = list(csv.DictReader(io.StringIO(comparison.to_csv(folds=True))))
    frame = comparison.to_frame(folds=True)
    assert len(frame) == len(rows) == 3 * 3 * 15
    for dataset, one in comparison.results.items():
        for method, scores in one.items():
            here = frame[(frame.dataset == dataset) & (frame.method == method)]
            read = [r for r in rows if (r["dataset"], r["method"]) == (dataset, method)]
            assert here.repeat.tolist() == sorted([1, 2, 3] * 5) and set(here.fold) == set(
                range(1, 6)
            )
            assert here.n_test.tolist() == [len(test) for _, test in one.folds.pairs]
            for metric in ("accuracy", "log_loss"):
                values = scores[metric].tolist()
                assert document["folds"][dataset][method][metric] == plain(values)
                assert here[metric].tolist() == values
                assert [float(r[metric]) for r in read] == values
    assert len(comparison.to_frame()) == 9 and "seconds" not in frame
    same = compare({"iris": (X, NAMES)}, "gini", cv="1x2").to_json()
    assert same == compare({"iris": (X, NAMES)}, "gini", cv="1x2").to_json()


def test_tests_over_the_data_sets_look_in_the_metric_s_direction():
    tables = {"iris": (X, NAMES), "half": (X[::2], NAMES[::2]), "two": (X[:, :2], NAMES)}
    models = {"prior": DummyClassifier(), "NB": GaussianNB()}
    found = compare(tables, estimators=models, cv="2x3", scoring=("accuracy", "error_rate"))
    errors = found.with_metric("error_rate", baseline="NB")
    assert found.against_baseline().control == "prior" and found.against_baseline().z[1] < 0
    assert errors.against_baseline().control == "NB" and errors.against_baseline().z[0] > 0
    assert errors.against_baseline().mean_ranks.tolist() == [2.0, 1.0]
    one = found.bayesian_signed_rank("NB", "prior")
    other = errors.bayesian_signed_rank("NB", "prior")
    assert one.verdict == "undecided" and one.n == 3 and one.greater_is_better
    assert "; there is no verdict over fewer than 10 data sets: probability of NB" in one.sentence
    assert other.probabilities == one.probabilities[::-1]
    assert "(smaller is better)" in other.sentence


@pytest.mark.parametrize("n_methods", [1, 2])
def test_notes_speak_of_best_values_where_some_are_marked(n_methods):
    criteria = ["gini", "info_gain"][:n_methods]
    results = (
        cross_validate("iris", criterion=criteria, cv="1x2"),
        compare(["iris"], criteria, cv="1x2"),
        compare(["iris", "wine"], criteria, cv="1x2"),
        sweep("weather", criterion="pi", alpha=[0.5, 1.0][:n_methods], cv="1x2"),
    )
    for text in map(str, results):
        assert ("best values marked !" in text) == (re.search(r"\d\)?! ", text + " ") is not None)


@pytest.mark.parametrize("name", presets.__all__)
def test_every_preset_is_compared_as_params(name):
    own = getattr(presets, name)
    result = compare("iris", params=own, cv="1x3", test="wilcoxon", alpha=0.2)
    assert (result.test, result.alpha) == ("wilcoxon", 0.2)
    [tree] = result["iris"].settings["methods"].values()
    assert {key: repr(tree.get_params()[key]) for key in own} == {
        k: repr(v) for k, v in own.items()
    }


def test_level_and_test_of_the_comparison_are_not_those_of_the_trees():
    for beside in (presets.CTREE, {"selection": "significance", "alpha": 1e-9}):
        with pytest.raises(ValueError, match="belong to the comparison.*params={'selection'"):
            compare("iris", ["gini"], **beside)
    assert compare("iris", ["gini"], cv="1x3", selection="significance").alpha == 0.05


def test_criteria_that_no_split_reads_are_refused():
    for call in (compare, cross_validate):
        with pytest.raises(ValueError, match="criteria gini, hellinger: .* cut='criterion'"):
            call("iris", ["gini", "hellinger"], cv="1x3", selection="significance")
        how = {"selection": "significance", "cv": "1x3"}
        for read in ({"cut": "criterion"}, {"ccp_alpha": 0.01}):
            assert call("iris", ["gini", "hellinger"], **how, **read).methods


def files(folder):
    """Two files whose last columns are not the ones that are meant, and an ARFF file's set."""
    lines = [f"{i % 7},{'ab'[i % 3 > 0]},{'xy'[i % 5 > 2]}" for i in range(40)]
    (folder / "one.csv").write_text("n,outcome,site\n" + "\n".join(lines) + "\n")
    (folder / "two.csv").write_text("n,Class,site\n" + "\n".join(lines) + "\n")
    return [str(folder / "one.csv"), str(folder / "two.csv"), "iris"]


def test_targets_that_nobody_named_are_named_by_the_comparison(tmp_path):
    note = "Targets that are not named (the column 'class', else the last): "
    names = files(tmp_path)
    found = compare(names, ["gini", "mdl"], cv="1x3")
    said = f"{note}one 'site', two 'Class', iris 'class'."
    assert said in found.to_text()
    assert note.partition(" (")[0] in found.to_html()
    about = json.loads(found.to_json())["settings"]["data"]
    assert [(one["target"], one["rows"], one["target_is_named"]) for one in about.values()] == [
        ("site", 40, False),
        ("Class", 40, False),
        ("class", 150, False),
    ]
    named = [fasttree.datasets.load(names[0], "outcome"), "iris"]
    for data in (named, names[1:], names[:1]):
        said = note in compare(data, ["gini"], cv="1x3").to_text()
        assert said == (data == names[1:])


def test_json_has_the_tests_over_sets_the_constants_and_what_is_left_out():
    ids = pandas.DataFrame({"customer_id": np.arange(150) + 1e5, "a": X[:, 2]}).assign(y=NAMES)
    tables = {"ids": (ids, "y"), "iris": "iris"}
    with pytest.warns(UserWarning, match="customer_id"):
        found = compare(tables, ["info_gain", "gini"], cv="1x3")
    document = json.loads(found.to_json())
    assert document["settings"]["methods"] == {
        name: f"FastTreeClassifier(criterion='{name}', random_state=0)"
        for name in ("info_gain", "gini")
    }
    assert list(document["settings"]["data"]["ids"]["left_out"]) == ["customer_id"]
    assert document["majority"] == {"ids": 1 / 3, "iris": 1 / 3}
    size = found.with_metric("leaves")
    assert [row["mean"] for row in document["leaves"]] == size.means.ravel().tolist()
    for one in (found, size):
        ranks = document["friedman"][one.metric]
        assert ranks["p_value"] == one.friedman().p_value
        assert ranks["against_baseline"]["holm"] == plain(one.against_baseline().holm.tolist())
    alone = json.loads(cross_validate("iris", "gini", cv="1x3").to_json())
    assert (alone["majority"], alone["settings"]["data"]["target"]) == (1 / 3, "class")


def test_legends_are_of_marks_that_occur_and_columns_are_not_empty():
    for criteria in (["gini", "info_gain", "hellinger"], ["gini", "accuracy"]):
        found = compare(["iris", "balance-scale"], criteria, cv="5x5")
        tables = [*found.tables(), *found.friedman().tables(), *found.against_baseline().tables()]
        for table in tables:
            # The first table counts the marks, also where there is none.
            marked = any(cell.mark for row in table.rows for cell in row) or table is tables[0]
            assert any(note.startswith("v / *") for note in table.notes) == marked
            assert all(note.endswith(".") for note in table.notes)
            for column in zip(*table.rows, strict=True):
                assert any(cell.text for cell in column)


def test_criteria_have_the_name_that_cross_validation_gives_them():
    frame = fasttree.datasets.load_iris().to_frame()
    how = {"cv": "1x3", "random_state": 0}
    first, *others = (
        compare(["iris"], ["gini", "mdl"], **how),
        compare(["iris"], criterion=["gini", "mdl"], **how),
        compare(frame, "class", criterion=["gini", "mdl"], **how),
    )
    for other in others:
        assert other.methods == first.methods == ("gini", "mdl")
        assert (other.means == first.means).all()
    with pytest.raises(TypeError, match="criteria are given twice"):
        compare(["iris"], ["gini"], criterion="mdl")
