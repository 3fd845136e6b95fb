"""Parts of the HTML page: the sentence of the finding, charts, and how words are told apart."""

from __future__ import annotations

import functools
import re
import xml.etree.ElementTree as ET
from itertools import combinations

import numpy as np
import pytest
from sklearn.model_selection import KFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

pytest.importorskip("jinja2")

import fasttree
from fasttree import FastTreeClassifier, datasets, reports
from fasttree.model_selection import (
    compare,
    cross_validate,
    friedman_nemenyi,
)
from fasttree.reports import render_html
from fasttree.reports.html.charts import (
    Series,
    line_chart,
    nice_ticks,
    path_of,
    rank_note,
    rank_svg,
)
from fasttree.reports.html.finding import finding, paragraph
from fasttree.reports.html.settings import run_again

MEANS = {
    "equal": (
        [[3.0, 3.0, 3.0]] * 4,
        "Over these 4 data sets together no method is significantly better",
    ),
    "best": (
        [[9.0 - j + 0.01 * i * j for j in range(4)] for i in range(12)],
        "a has the best mean rank on these 12 data sets and is significantly better than c and d",
    ),
    # chi-squared has p = 0.054, F p = 0.031
    "by F alone": (
        [[4.5, 2.5, 2, 0]] * 3 + [[4.5, 2.5, 1, 1], [1.5, 2.5, 4, 1]],
        "a has the best mean rank on these 5 data sets and is significantly better than d",
    ),
    "alike, too few": (
        [[2.0, 1.0]] * 2,
        "Over these 2 data sets together no method is significantly",
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
    settings = SimpleNamespace(
        task="classification", settings={"cv": "10x10", "scoring": ("accuracy",)}
    )
    result = SimpleNamespace(
        means=np.array(means), is_ranked=True, friedman=lambda: ranks, methods=names,
        metric="accuracy",
        results={"x": settings}, marks=np.array([["", "v"]]),
    )  # fmt: skip
    assert finding(result).startswith(expected)
    assert finding(result).endswith(" Each mark v or * is of one data set alone.")
    said = paragraph(result)
    assert (
        f"{ranks.test} test" in said and f"p = {ranks.f_p_value:.3f}" in said or "p < 0.001" in said
    )
    assert ("was rejected" in said) == ranks.significant
    # The sentence, the table and both diagrams decide as the finding does.
    together = tuple(names[j] for j in np.argsort(ranks.mean_ranks, kind="stable"))
    assert (f"{ranks.test}: no difference" in rank_svg(ranks)) == (not ranks.significant)
    assert ("no difference among them" in rank_note(ranks)) == (not ranks.significant)
    assert ("Nemenyi" in rank_note(ranks)) == ("Nemenyi" in ranks.sentence) == ranks.significant
    assert ("do not differ significantly" in ranks.sentence) == (not ranks.significant)
    assert (ranks.groups == [together]) == expected.startswith("Over")
    assert ("Over fewer than 10 data sets" in ranks.sentence) == (ranks.n < 10)
    for i, j in combinations(range(len(names)), 2):  # the best has the first name
        is_beyond = ranks.significant and ranks.pairwise_p[i, j] < ranks.alpha
        assert (f"; {names[i]} and {names[j]}" in ranks.sentence) == is_beyond
    assert {len(row) for row in ranks.tables()[0].rows} == {2 + ranks.significant}
    for one, rank in zip(names, ranks.mean_ranks, strict=True):
        assert f"{one} {rank:.2f}" in said


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


@pytest.mark.parametrize(
    ("cells", "words"),
    [
        (["info_gain", "inf_norm", "nano"], True),
        (["2-bit", "three"], True),
        (["1.50 (0.2)", "-", "-inf", "nan", "", "< 0.001", "(1/0/0)"], False),
        (["-", ""], True),
    ],
)
def test_columns_of_words_are_known_by_their_cells(cells, words):
    table = reports.ReportTable(
        "", ["a", "b"], [[reports.Cell("x"), reports.Cell(c)] for c in cells]
    )
    assert ("left" in re.findall(r'<t[dh][^>]*class="([^"]*)"', render_html(table))[-1]) == words


def vote(tables, q=1.0):
    """A criterion of one's own."""
    return (tables.max(axis=2) ** q).sum(axis=1) / tables.sum(axis=(1, 2))


class Vote:
    """A criterion with state."""

    def __init__(self, q):
        self.q = q

    def __call__(self, tables):
        return vote(tables, self.q)


def own_accuracy(estimator, X, y):
    return float(np.mean(estimator.predict(X) == y))


LOCAL = {"vote": vote, "Vote": Vote, "own_accuracy": own_accuracy}


@pytest.mark.parametrize(
    ("cv", "scoring"),
    [
        ("2x3", None),
        (3, ["accuracy", "leaves"]),
        (KFold(3, shuffle=True, random_state=1), own_accuracy),
        ("weka", {"f": fasttree.metrics.Scorer("f_beta", positive="setosa"), "acc": own_accuracy}),
        ([(np.arange(0, 150, 2), np.arange(1, 150, 2))], "auc"),
    ],
)
@pytest.mark.parametrize("is_local", [True, False])
def test_the_code_to_run_it_again_runs(cv, scoring, is_local, monkeypatch):
    if is_local:  # as in a notebook
        for one in LOCAL.values():
            monkeypatch.setattr(one, "__module__", "__main__")
    made = [
        "gini",
        vote,
        functools.partial(vote, q=2),
        Vote(1.5),
        lambda tables: vote(tables),
        fasttree.criteria.GainRatio(mdl_penalty=True),
    ]
    if cv == "weka":  # a hundred folds
        made = made[1::3]
    pipe = make_pipeline(StandardScaler(with_mean=False), FastTreeClassifier(criterion=vote))
    others = {"pipe": pipe, "c45": FastTreeClassifier(**fasttree.presets.C45)}
    found = cross_validate("iris", made, cv=cv, scoring=scoring, estimators=others, max_depth=3)
    code = run_again(found, "cross_validate")
    assert "criterion=vote, max_depth=3" in code and ",  # your function\n" in code
    names = {
        "your_function": made[-1 if cv == "weka" else 4],
        "my_folds": cv,
        **(LOCAL if is_local else {}),
    }
    exec(code.replace("cv=...", "cv=my_folds"), names)
    again = names["result"]
    for method, scores in found.items():
        for metric in found.metrics:
            assert np.array_equal(scores[metric], again[method][metric])


def test_the_roc_charts_name_the_number_of_classes_without_one():
    from fasttree.reports.html.curves import roc_panels

    for n_classes, said in ((4, ""), (5, " (1 rarer class without a chart)")):
        codes = np.arange(120) % n_classes
        rows = {"x": codes + np.random.default_rng(0).random(120)}
        found = cross_validate(rows, codes, ["gini"], cv="1x2", keep_proba=True)
        panels = roc_panels(found)
        assert len(panels) == 4 and panels[-1].title.endswith(f"3{said}")
