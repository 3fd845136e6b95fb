"""The HTML page: what it says, that it stands alone, and that no name gets out of its place."""

from __future__ import annotations

import base64
import hashlib
import json
import pickle
import re
import sys
import xml.etree.ElementTree as ET
from html.parser import HTMLParser

import numpy as np
import pytest

pytest.importorskip("jinja2")

from sklearn.dummy import DummyClassifier
from sklearn.naive_bayes import GaussianNB
from sklearn.svm import LinearSVC
from sklearn.tree import DecisionTreeClassifier

from fasttree import FastTreeClassifier, Table, datasets, reports
from fasttree.metrics import auc, per_class
from fasttree.model_selection import (
    compare,
    cross_validate,
    friedman_nemenyi,
    learning_curve,
    sweep,
)
from fasttree.model_selection.rendering import Rendered
from fasttree.reports import render, render_html, tables_of
from fasttree.reports.html.charts import Series, line_chart, nice_ticks, path_of
from fasttree.reports.html.finding import finding, paragraph
from fasttree.reports.html.ranks import rank_svg

VOID = {"meta", "br", "img", "link", "input", "hr"}
ATTRIBUTES = {
    "aria-hidden", "aria-label", "charset", "class", "content", "cx", "cy", "d", "data-fx", "type",
    "fill", "height", "href",
    "http-equiv", "id", "lang", "name", "open", "role", "rx", "scope", "style", "text-anchor",
    "title", "transform", "viewbox",
    "width", "x", "xmlns", "y",
}  # fmt: skip
NASTY = [
    "<script>alert(1)</script>",
    '" onmouseover="alert(1)" x="',
    "]]></title></style></svg><img src=x onerror=alert(1)>",
    "{{ 7*7 }}{% raw %}&lt;b&gt;'",
    "\u202egnp.exe\u202c \u05d0\u05d1 \u0645",
    "line\nbreak\ttab\x07bell",
]


class Page(HTMLParser):
    """Reads a page strictly: every element is closed in order, and everything of interest is
    kept."""

    def __init__(self, text):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.links, self.names, self.tags = [], [], [], set(), {}
        self.words, self.scripts, self.rows = [], [], []
        self.feed(text)
        self.close()
        assert self.open == [], self.open

    def handle_starttag(self, tag, attributes):
        self.tags[tag] = self.tags.get(tag, 0) + 1
        for name, value in attributes:
            self.names.add(name)
            if name == "id":
                self.ids.append(value)
            if name in ("href", "src", "xlink:href", "action", "srcset", "data"):
                self.links.append(value)
        if tag == "tr":
            self.rows.append([])
        elif tag in ("td", "th") and self.rows:
            self.rows[-1].append("")
        if tag not in VOID:
            self.open.append(tag)
        if tag == "script":
            self.scripts.append("")

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        if tag not in VOID:
            self.handle_endtag(tag)

    def handle_endtag(self, tag):
        assert self.open and self.open[-1] == tag, f"</{tag}> closes {self.open[-3:]}"
        self.open.pop()

    def handle_data(self, data):
        if "script" in self.open:
            self.scripts[-1] += data
        elif "style" not in self.open:
            self.words.append(data)
        if {"td", "th"} & set(self.open[-4:]) and self.rows and self.rows[-1]:
            self.rows[-1][-1] += data

    @property
    def text(self):
        return "".join(self.words)


def check_page(text):
    """What holds of every page; returns it parsed."""
    page = Page(text)
    assert text.startswith("<!doctype html>\n")
    assert page.names <= ATTRIBUTES, page.names - ATTRIBUTES
    assert len(page.ids) == len(set(page.ids))
    assert all(link.startswith("#") and link[1:] in page.ids for link in page.links)
    *data, script = page.scripts  # of explorers, and what runs
    assert all(json.loads(one)["trees"] for one in data)
    assert text.count('<script type="application/json"') == len(data)
    assert not any(set(one) & set("<>&") for one in data)
    assert not {"iframe", "object", "embed", "img", "link", "form", "base", "foreignobject"} & set(
        page.tags
    )
    outside = text.replace('xmlns="http://www.w3.org/2000/svg"', "")
    for one in page.scripts:
        outside = outside.replace(one, "")
    assert not re.search(r"https?:|//[a-z]|@import|url\(|javascript:", outside)
    named = script.replace('"http://www.w3.org/2000/svg"', "")
    assert not re.search(r"https?:|fetch\(|XMLHttp|import\(|eval|innerHTML", named)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in text and "default-src 'none'" in text
    assert "prefers-color-scheme" in text
    for picture in re.findall(r"<svg.*?</svg>", text, flags=re.DOTALL):
        ET.fromstring(picture)
    assert not re.search("[\x00-\x08\x0b-\x1f\u202a-\u202e\u2066-\u2069]", text.replace("\n", ""))
    return page


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


MEANS = {
    "equal": ([[3.0, 3.0, 3.0]] * 4, "No method is significantly better than another on these 4"),
    "best": (
        [[9.0 - j + 0.01 * i * j for j in range(4)] for i in range(12)],
        "a has the best mean rank on these 12 data sets and is significantly better than c and d",
    ),
}


def test_the_finding_names_its_metric_and_those_that_find_otherwise():
    trees = {f"{n} leaves": FastTreeClassifier(max_leaf_nodes=n) for n in (4, 2, 5)}
    scoring = ("accuracy", "leaves")
    data = [datasets.load_iris()]
    found = compare(data, estimators=trees, cv="2x5", scoring=scoring, random_state=0)
    assert finding(found) == (
        "By accuracy, 2 leaves is significantly worse than 4 leaves on this data set. "
        "By leaves, the verdict differs."
    )
    assert finding(found.with_metric("leaves")) == (
        "By leaves, 2 leaves is significantly better than and 5 leaves is significantly worse "
        "than 4 leaves on this data set. By accuracy, the verdict differs."
    )
    found = found.with_metric("accuracy", baseline="5 leaves", alpha=1e-9)
    assert finding(found).startswith("By accuracy, no method differs significantly from 5 leaves ")


@pytest.mark.parametrize("name", MEANS)
def test_the_finding_says_what_the_tests_do(name):
    from types import SimpleNamespace

    from fasttree.model_selection import friedman_nemenyi

    means, expected = MEANS[name]
    names = tuple("abcd"[: len(means[0])])
    ranks = friedman_nemenyi(means, names=names)
    settings = SimpleNamespace(settings={"cv": "10x10", "scoring": ("accuracy",)})
    result = SimpleNamespace(
        means=np.array(means), friedman=lambda: ranks, methods=names, metric="accuracy",
        results={"x": settings},
    )  # fmt: skip
    assert finding(result).startswith(expected)
    said = paragraph(result)
    assert f"p = {ranks.p_value:.3f}" in said or "p < 0.001" in said
    assert ("was rejected" in said) == ranks.significant
    for one, rank in zip(names, ranks.mean_ranks, strict=True):
        assert f"{one} {rank:.2f}" in said


def test_words_are_left_and_numbers_right(comparison):
    text = comparison.to_html(trees=False)
    row = re.search(r'<tr><th scope="row"><bdi>iris.*?</tr>', text, re.DOTALL).group(0)
    assert 'class="left"' not in row
    assert '<th scope="col" class="left"><bdi>data set' in text


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
    ]
    assert {type(r) for r in results} == set(Rendered.__subclasses__())
    for result in results:
        check_page(result.to_html())
        for form in ("text", "markdown", "latex", "csv", "json"):
            assert getattr(result, f"to_{form}")()


def test_what_has_tables_has_a_page():
    found = friedman_nemenyi([[3, 2, 1], [3, 2, 1], [3, 1, 2]], names=["a", "b", "c"])
    page = check_page(render_html(found, title="Ranks"))
    assert "Ranks" in page.text and "To run it again" not in page.text


def test_the_fingerprint_tells_data_apart():
    from fasttree.reports.html.settings import fingerprint

    X, y = _noise()
    one = cross_validate(X, y, estimators={"NB": GaussianNB()}, cv="1x3").data
    same = cross_validate(X.copy(), y, estimators={"NB": GaussianNB()}, cv="1x3").data
    X[0, 0] += 1
    other = cross_validate(X, y, estimators={"NB": GaussianNB()}, cv="1x3").data
    assert len(fingerprint(same)) == 16 and fingerprint(one) == fingerprint(
        other
    )  # the rows are not copied
    assert fingerprint(same) != fingerprint(other)


def test_a_page_of_many_stays_small():
    """Five sets, six methods: a quarter of what fits into two megabytes."""
    names = ["iris", "wine", "tic_tac_toe", "monks_1", "weather"]
    sets = [getattr(datasets, f"load_{name}")() for name in names]
    criteria = ["info_gain", "gini", "gain_ratio", "hellinger", "mdl", "jaccard"]
    result = compare(sets, criteria, cv="1x3", keep_proba=True)
    text = result.to_html()
    check_page(text)
    assert len(text.encode()) < 550_000


def test_charts():
    assert path_of([(0, 0), (0, 5), (3, 5), (6, 5), (6, 5), (9, 8)]) == "M0 0v5h6l3 3"
    assert path_of([]) == "" and path_of([(1, 1), (4, 1), (2, 1)]) == "M1 1h3h-2"
    assert nice_ticks(0, 0) == [0, 1.0]
    svg = line_chart(
        [Series("<a>", 9, [0, 1, np.nan], [0, 1, 1], dots=True)],
        xlabel="x",
        ylabel="y",
        title='"t"',
    )
    root = ET.fromstring(svg)
    assert root.get("aria-label") == '"t"'
    curves = [e for e in root.iter() if "m1" in (e.get("class") or "")]
    assert [e.find("title").text for e in curves] == ["<a>", "<a>"]
    found = friedman_nemenyi([[3, 2, 1], [3, 2, 1], [3, 1, 2]], names=["a" * 90, "<b>", "c"])
    root = ET.fromstring(rank_svg(found))
    assert "a" * 90 in "".join(root.itertext()) and "<b> (2.33)" in "".join(root.itertext())


def test_other_things_are_refused():
    with pytest.raises(TypeError, match="tables of a str"):
        render_html("a")
    with pytest.raises(ValueError, match="html, csv or json"):
        render("a", "pdf")


def test_without_jinja2_the_extra_is_named(monkeypatch, validation):
    monkeypatch.setitem(sys.modules, "jinja2", None)
    with pytest.raises(ImportError, match=r"pip install 'fasttree\[report\]'"):
        validation.to_html()


def test_commands_write_pages(tmp_path, capsys):
    pytest.importorskip("typer")
    from fasttree.cli import main

    target = tmp_path / "cv.html"
    assert (
        main(
            [
                "cv",
                "iris",
                "-c",
                "gini",
                "--cv",
                "1x3",
                "--html",
                str(target),
                "--json",
                str(tmp_path / "a.json"),
            ]
        )
        == 0
    )
    page = check_page(target.read_text(encoding="utf-8"))
    assert "ROC, class setosa" in page.text
    assert json.loads((tmp_path / "a.json").read_text())["kind"] == "cross_validation"
    target = tmp_path / "compare.html"
    assert (
        main(
            [
                "compare",
                "iris",
                "weather",
                "-c",
                "gini,info_gain",
                "--cv",
                "1x3",
                "--html",
                str(target),
            ]
        )
        == 0
    )
    assert "2 methods on 2 data sets" in check_page(target.read_text(encoding="utf-8")).text
    capsys.readouterr()
    assert main(["cv", "iris", "--html", str(tmp_path / "no" / "cv.html")]) == 2
    assert "does not exist" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["info_gain", "inf_norm", "nano"], True),
        (["2-bit", "three"], True),
        (["1.50 (0.2)", "-", "-inf", "nan", "", "< 0.001", "(1/0/0)"], False),
        (["-", ""], False),
    ],
)
def test_columns_of_words_are_known_by_their_cells(cells, words):
    table = reports.ReportTable(
        "", ["a", "b"], [[reports.Cell("x"), reports.Cell(c)] for c in cells]
    )
    assert ("left" in re.findall(r'<t[dh][^>]*class="([^"]*)"', render_html(table))[-1]) == words
