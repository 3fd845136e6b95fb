"""The HTML page: what it says, that it stands alone, and that no name gets out of its place."""

from __future__ import annotations

import json
import pickle
import re
import sys

import numpy as np
import pytest

pytest.importorskip("jinja2")

from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier, DecisionTreeRegressor

from fasttree import Table, datasets
from fasttree.exports.tables.forms import Rendered
from fasttree.metrics import auc, per_class
from fasttree.model_selection import (
    compare,
    cross_validate,
    friedman_nemenyi,
    learning_curve,
    sweep,
)
from fasttree.reports import render, render_html, tables_of
from fasttree.reports.html.finding import finding, paragraph

from .report_tools import NASTY, check_page


@pytest.fixture(scope="module")
def comparison():
    return compare(
        [datasets.load_iris(), datasets.load_monks_1(), datasets.load_wine()],
        ["info_gain", "gini"],
        estimators={"prior": DummyClassifier()},
        cv="2x3",
        scoring=("accuracy", "brier_score"),
        keep_proba=True,
    )


@pytest.fixture(scope="module")
def validation():
    return cross_validate(
        datasets.load_wine(),
        criterion=["gini", "info_gain"],
        estimators={"NB": GaussianNB(), "sk": DecisionTreeClassifier(max_depth=2, random_state=0)},
        cv="2x3",
        scoring=("accuracy", "bayesian_information_reward"),
    )


def test_a_comparison_says_all_of_it(comparison, tmp_path):
    text = comparison.to_html(tmp_path / "page.html")
    assert (
        (tmp_path / "page.html").read_text(encoding="utf-8") == text == render(comparison, "html")
    )
    page = check_page(text)
    assert comparison.friedman().sentence in page.text
    rows = {row[0]: row[1:] for row in reversed(page.rows) if row}
    for table in tables_of(comparison):
        for row in table.rows:
            said = [cell.text + cell.mark for cell in row]
            assert said in page.rows
    assert rows["iris"][0].startswith(f"{100 * comparison.means[0, 0]:.2f}")
    posterior = comparison.posterior(rope=0.01)[1, 2]
    assert " / ".join(f"{p:.2f}" for p in posterior) in page.text
    assert {"set-1", "set-2", "set-3", "tables", "ranks", "settings"} <= set(page.ids)
    assert "How probable is a difference that matters?" in page.text
    assert page.tags["details"] == 3 + 9 + 1  # sets, classes of methods, the paragraph
    assert text.count('class="fx"') == 3 and text.count("<style>") == 1
    for one, table in zip(page.scripts[:-1], ("iris", "monks-1", "wine"), strict=True):
        document = json.loads(one)
        assert document["title"] == table or document["title"]
        assert [t["name"] for t in document["trees"]] == ["info_gain", "gini"]
        assert document["rows"] is None
    assert paragraph(comparison) in page.text
    assert page.text.index(finding(comparison)) < page.text.index("Overall")


def test_a_cross_validation_says_all_of_it(validation):
    page = check_page(validation.to_html(title="My page & more"))
    assert "My page & more" in page.text
    assert "NB has the highest mean accuracy" in page.text
    assert "corrected resampled t test" in page.text
    assert "class_0 <= " not in page.text and "|---" in page.text  # scikit-learn's tree as text
    # the block of every class, from the pooled predictions
    scores = validation["NB"]
    truth = validation.true_codes
    labels = [str(c) for c in validation.classes]
    block = per_class(
        np.array(labels)[truth], np.array(labels)[scores.predictions], scores.proba, classes=labels
    )
    for place, label in enumerate(labels):
        numbers = [
            block.tp_rate,
            block.fp_rate,
            block.precision,
            block.recall,
            block.f,
            block.roc_area,
        ]
        row = [label, *(f"{n[place]:.3f}" for n in numbers), f"{block.support[place]:g}"]
        assert row in page.rows
        area = auc(truth == place, scores.proba[:, place])
        assert f"NB: area {area:.3f}" in page.text
    # confusion: rows of the matrix
    for place, label in enumerate(labels):
        inside = scores.predictions[truth == place]
        assert [label, *(str((inside == other).sum()) for other in range(3))] in page.rows
    # to run it again
    again = page.text[page.text.index("import fasttree") :]
    assert "'NB': GaussianNB()" in again and "cv='2x3'" in again and "random_state=0" in again
    for package in ("python", "numpy", "scikit-learn"):
        assert package in page.text


def test_the_code_of_the_page_makes_the_same_run(validation):
    page = check_page(validation.to_html(trees=False))
    code = page.text[page.text.index("import fasttree") :]
    scope = {}
    exec(code, scope)
    for method in validation.methods:
        np.testing.assert_array_equal(
            scope["result"][method]["accuracy"], validation[method]["accuracy"]
        )


def test_the_code_of_the_page_reads_a_file_as_it_was_read(tmp_path):
    path = tmp_path / "own data.csv"
    cells = ["id;size;colour;answer"]
    cells += [f"a{i};{i % 7},5;{'rg'[i % 2]};{'ny'[i % 3 == 0]}" for i in range(60)]
    path.write_text("\n".join(cells) + "\n", encoding="utf-8")
    options = {"target": "answer", "drop": ["id"], "sep": ";", "decimal": ","}
    table = datasets.load(path, **options)
    for data in (table, table.drop("colour")):
        found = cross_validate(data, criterion="gini", cv="1x3", random_state=0)
        for page, call in (
            (check_page(found.to_html(trees=False)), "cross_validate"),
            (
                check_page(compare([data], ["gini"], cv="1x3", random_state=0).to_html()),
                "compare",
            ),
        ):
            scope = {}
            exec(page.text[page.text.index("import fasttree") :], scope)
            own = scope["table"] if call == "cross_validate" else scope["tables"][0]
            assert own.equals(data) and own.origin == data.origin


def test_data_without_a_file_are_named_in_the_code_of_the_page():
    rows = np.random.default_rng(0).normal(size=(30, 2))
    found = cross_validate(rows, rows[:, 0] > 0, criterion="gini", cv="1x3")
    assert (
        "table = ...  # put your own data here: 30 rows, 2 features"
        in check_page(found.to_html()).text
    )


def nasty_table():
    generator = np.random.default_rng(0)
    n = 60
    columns = {name: generator.choice(NASTY, n).tolist() for name in NASTY[:3]}
    columns |= {name: generator.normal(size=n).tolist() for name in NASTY[3:]}
    y = [
        NASTY[0] if a == NASTY[1] or b > 0.8 else NASTY[4]
        for a, b in zip(columns[NASTY[0]], columns[NASTY[3]])
    ]
    return Table(columns, y, name=NASTY[2])


@pytest.mark.parametrize("many", [False, True], ids=["one set", "two sets"])
def test_hostile_names_are_inert_and_shown(many):
    table = nasty_table()
    methods = {NASTY[1]: "gini", NASTY[2]: "info_gain"}
    learners = {NASTY[0]: DecisionTreeClassifier(max_depth=2), NASTY[5]: DummyClassifier()}
    if many:
        sets = {NASTY[0]: table, NASTY[1]: table, NASTY[3]: table}
        result = compare(sets, methods, estimators=learners, cv="1x3", keep_proba=True)
    else:
        result = cross_validate(
            table, criterion=methods, estimators=learners, cv="1x3", keep_proba=True
        )
    page = check_page(result.to_html(title=NASTY[0]))
    said = page.text
    assert NASTY[0] in said and NASTY[1] in said and NASTY[2] in said and NASTY[3] in said
    assert "line break tab bell" in said and "gnp.exe" in said
    assert "49" not in re.findall(r"\{\{.*?\}\}", said)
    labels = " ".join(re.findall(r'aria-label="([^"]*)"', result.to_html()))
    assert ("&lt;script&gt;" in labels) == many  # the rank diagram's is a sentence with all names
    assert "gnp.exe" in labels


@pytest.mark.parametrize("builder", ["html5lib", "lxml"])
def test_another_parser_finds_no_fault(builder, comparison):
    parser = pytest.importorskip(builder)
    text = comparison.to_html()
    if builder == "html5lib":
        parser.HTMLParser(strict=True).parse(text)
    else:
        from lxml import etree

        # libxml2 does not know the elements of HTML 5 and SVG; nothing else may be wrong
        strict = etree.HTMLParser(recover=True)
        etree.HTML(text, strict)
        faults = [
            e
            for e in strict.error_log
            if "invalid" not in e.message or not e.message.startswith("Tag ")
        ]
        assert faults == []


def test_without_probabilities_the_page_says_so():
    result = cross_validate(
        *_noise(), estimators={"svc": LinearSVC(), "prior": DummyClassifier()}, cv="1x3"
    )
    page = check_page(result.to_html())
    assert "keep_proba=True" in page.text and "ROC, class" not in page.text
    kept = cross_validate(
        *_noise(),
        estimators={"svc": LinearSVC(), "prior": DummyClassifier()},
        cv="1x3",
        keep_proba=True,
    )
    assert np.isnan(kept["svc"].proba).all() and np.isfinite(kept["prior"].proba).all()
    page = check_page(kept.to_html())
    assert "prior: area" in page.text and "svc: area" not in page.text
    ranked = cross_validate(*_noise(), estimators={"svc": LinearSVC()}, cv="1x3", scoring="auc")
    page = check_page(ranked.to_html())
    assert (
        "svc: area" in page.text and "Calibration" not in page.text and "Cost curves" in page.text
    )


def _noise(n=60, k=2, seed=0):
    generator = np.random.default_rng(seed)
    return generator.normal(size=(n, 3)), generator.integers(0, k, n)


def test_texts_and_sparse_rows_have_a_page_too():
    from scipy.sparse import csr_array
    from sklearn.feature_extraction.text import CountVectorizer
    from sklearn.naive_bayes import MultinomialNB
    from sklearn.pipeline import make_pipeline

    words = ["good tree", "bad leaf", "good leaf", "bad tree", "<b>", "good"] * 5
    y = np.array(["+", "-", "+", "-", "-", "+"] * 5)
    model = make_pipeline(CountVectorizer(), MultinomialNB())
    page = check_page(
        cross_validate(words, y, estimators={"words": model}, cv="1x3", keep_proba=True).to_html()
    )
    assert "30 rows, 2 classes" in page.text and "words: area" in page.text
    X = csr_array(np.eye(30) + 1)
    page = check_page(cross_validate(X, y, estimators={"nb": MultinomialNB()}, cv="1x3").to_html())
    assert "30 rows, 30 features, 2 classes" in page.text


def test_many_classes_are_listed_by_their_confusions():
    X, y = _noise(300, 14)
    page = check_page(
        cross_validate(X, y, estimators={"NB": GaussianNB()}, cv="1x3", keep_proba=True).to_html()
    )
    assert "Most frequent confusions" in page.text and "true \\ predicted" not in page.text
    assert page.text.count("ROC, class") == 4


def test_unclassified_rows_have_a_column():
    table = datasets.load_lenses() if hasattr(datasets, "load_lenses") else datasets.load_weather()
    result = cross_validate(table, criterion="info_gain", cv="3x2", empty_branch="unclassified")
    assert (result["info_gain"].predictions < 0).any()
    page = check_page(result.to_html())
    assert ["true \\ predicted", *map(str, result.classes), "unclassified"] in page.rows


def test_trees_are_those_of_all_rows_and_cut_ones_say_so(validation):
    whole, cut = check_page(validation.to_html()), check_page(validation.to_html(max_nodes=24))
    full, short = (json.loads(page.scripts[0]) for page in (whole, cut))
    model = validation.refit("gini")
    assert full["trees"][0]["parent"] == model.tree_.parent.tolist()
    assert len(short["trees"][0]["parent"]) < model.n_nodes_ == short["trees"][0]["nodes"]
    assert any("nodes, those with the most rows" in one for one in short["kept"])
    assert not any("nodes, those" in one for one in full["kept"])
    assert len(check_page(validation.to_html(trees=False)).scripts) == 1
    with pytest.raises(ValueError, match="max_nodes=-1"):
        validation.to_html(max_nodes=-1)


def test_pages_of_a_number_have_its_trees_and_words():
    random = np.random.default_rng(0)
    X = random.normal(size=(2, 80, 3))
    tables = [
        Table(x, x[:, 0] + random.normal(size=80), task="regression", name=f"set {i}")
        for i, x in enumerate(X)
    ]
    found = compare(tables, ["squared_error", "absolute_error"], cv="1x5", max_depth=3)
    assert "We compared 2 regressors on 2 data sets" in check_page(found.to_html()).text
    sk = {"sk": DecisionTreeRegressor(max_depth=2)}
    result = cross_validate(tables[0], criterion="squared_error", estimators=sk, cv="1x5")
    page = check_page(result.to_html())
    model = result.refit("squared_error")
    assert json.loads(page.scripts[0])["trees"][0]["parent"] == model.tree_.parent.tolist()
    assert "|--- " in page.text and "value: [" in page.text


def test_words_are_left_and_numbers_right(comparison):
    text = comparison.to_html(trees=False)
    row = re.search(r'<tr><th scope="row"><bdi>iris.*?</tr>', text, re.DOTALL).group(0)
    assert 'class="left"' not in row
    assert '<th scope="col" class="left"><bdi>data set' in text
    assert '<td class="words">3 classes (largest' in row and "<td>150</td>" in row


def test_a_pickled_result_has_no_rows_but_a_page(validation):
    again = pickle.loads(pickle.dumps(validation))
    page = check_page(again.to_html())
    assert "Each grown on all rows" not in page.text and "NB has the highest" in page.text
    with pytest.raises(ValueError, match="pickled result"):
        again.refit("gini")


def test_learning_curves_have_a_page():
    curve = learning_curve(
        datasets.load_iris(), criterion=["gini"], estimators={"NB": GaussianNB()}, n_repeats=3
    )
    page = check_page(curve.to_html())
    assert "training rows" in page.text and page.text.count("has the best mean accuracy") == 1
    assert page.tags["svg"] >= 3


def test_sweeps_have_a_page():
    found = sweep(datasets.load_monks_1(), ["pi", "relief"], alpha=(0.0, 0.5), cv="1x3")
    page = check_page(found.to_html())
    assert page.text.count("has the best mean accuracy") == 1 and page.tags["svg"] >= 1
    assert "The best of several settings is optimistic" in page.text
    alone = check_page(sweep(datasets.load_monks_1(), alpha=0.5, cv="1x3").to_html())
    assert "of 1 setting on" in alone.text and "optimistic" not in alone.text


def test_every_result_with_forms_has_all_of_them(comparison, validation):
    """A new kind of result is one more here; none may lack a form."""
    weather = datasets.load_weather()
    results = [
        comparison,
        validation,
        learning_curve(weather, criterion=["gini"], train_sizes=[0.5], n_repeats=2),
        sweep(weather, "pi", alpha=(0.0, 1.0), cv="1x3"),
        comparison.friedman(),
        comparison.against_baseline(),
    ]
    kinds = {
        deeper for kind in Rendered.__subclasses__() for deeper in kind.__subclasses__() or [kind]
    }
    assert {type(r) for r in results} == kinds
    for result in results:
        check_page(result.to_html())
        for form in ("text", "markdown", "latex", "csv", "json"):
            assert getattr(result, f"to_{form}")()


def test_what_has_tables_has_a_page():
    found = friedman_nemenyi([[3, 2, 1], [3, 2, 1], [3, 1, 2]], names=["a", "b", "c"])
    page = check_page(render_html(found, title="Ranks"))
    assert "Ranks" in page.text and "To run it again" not in page.text


def test_a_page_of_many_stays_small():
    """Five sets, six methods: a quarter of what fits into two megabytes."""
    names = ["iris", "wine", "tic_tac_toe", "monks_1", "weather"]
    sets = [getattr(datasets, f"load_{name}")() for name in names]
    criteria = ["info_gain", "gini", "gain_ratio", "hellinger", "mdl", "jaccard"]
    result = compare(sets, criteria, cv="1x3", keep_proba=True)
    text = result.to_html()
    check_page(text)
    assert len(text.encode()) < 550_000


def test_other_things_are_refused():
    with pytest.raises(TypeError, match="tables of a str"):
        render_html("a")
    with pytest.raises(ValueError, match="'csv', 'json', 'html'"):
        render("a", "pdf")


def test_without_jinja2_the_extra_is_named(monkeypatch, validation):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"pip install 'fasttree\[report\]'"):
        validation.to_html()


def test_the_fingerprint_tells_data_apart():
    from fasttree.reports.html.settings import data_facts

    def fingerprint(result):
        return data_facts(result)["fingerprint"]

    X, y = _noise()
    one = cross_validate(X, y, estimators={"NB": GaussianNB()}, cv="1x3")
    same = cross_validate(X.copy(), y, estimators={"NB": GaussianNB()}, cv="1x3")
    X[0, 0] += 1
    other = cross_validate(X, y, estimators={"NB": GaussianNB()}, cv="1x3")
    assert len(fingerprint(same)) == 16
    assert fingerprint(one) == fingerprint(other)  # the rows are not copied
    assert fingerprint(same) != fingerprint(other)
    assert one.environment()["data"]["sha256"].startswith(fingerprint(one))
