"""Names that would command a terminal, forge a line or turn the writing are inert in every text
output."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import pkgutil
import re

import pytest

import fasttree
from fasttree import bayesian_networks, model_selection
from fasttree._checks.plain_text import level_text, one_line
from fasttree.exports.tables.latex import render_latex
from fasttree.exports.tables.markdown import render_markdown
from fasttree.exports.tables.text import render_text
from fasttree.pruning import CostComplexity, Cut
from fasttree.reports import Cell, ReportTable

HOSTILE = [
    "\x1b[31mred\x1b[0m",
    "bell\x07",
    "back\x08\x08",
    "two\nlines: yes (9)",
    "cr\rover",
    "nel\x85ls\u2028ps\u2029",
    "\u202eright to left\u202c",
    "\u2066isolated\u2069",
    "zero\u200bwidth\ufeff",
]
FORBIDDEN = re.compile(
    "[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff]"
)


def tree():
    table = fasttree.Table(
        [[name] for name in HOSTILE] * 2,
        [f"class {name}" for name in HOSTILE] * 2,
        feature_names=[HOSTILE[0] + HOSTILE[3]],
        target=HOSTILE[6],
    )
    return fasttree.fit(table)


FORMS = {
    "text": lambda m: m.to_text(),
    # J48 itself writes two tabs, before its counts
    "j48": lambda m: m.to_text(style="j48").replace(" : \t", " : "),
    "dot": lambda m: m.to_dot(),
    "svg": lambda m: m.to_svg(),
    "rules": lambda m: str(m.to_rules()),
}


@pytest.mark.parametrize("form", FORMS)
def test_no_control_reaches_the_text_of_a_tree(form):
    said = FORMS[form](tree())
    assert FORBIDDEN.search(said) is None


def test_no_line_of_a_tree_is_forged():
    assert len(tree().to_text().splitlines()) == len(HOSTILE)
    assert not any(line.startswith("lines: yes") for line in tree().to_text().splitlines())


@pytest.mark.parametrize("render", [render_text, render_markdown, render_latex])
@pytest.mark.parametrize("name", HOSTILE)
def test_no_control_reaches_a_table(render, name):
    plain = render([ReportTable("a b", ["x y", "z"], [[Cell("c d"), Cell("1")]], notes=["n o"])])
    hostile = ReportTable(name, [name, "z"], [[Cell(name), Cell("1")]], notes=[name])
    said = render([hostile])
    assert FORBIDDEN.search(said) is None
    assert len(said.splitlines()) == len(plain.splitlines())


@pytest.mark.filterwarnings("ignore:nominal columns")
def test_core_and_package_agree_on_every_character():
    names = [f"a{chr(code)}b{code}" for code in [*range(1, 0x2100), 0xFEFF, *range(0xFFF0, 0xFFFE)]]
    names = [n for n in names if n.encode("utf-8", "ignore").decode() == n]
    model = fasttree.fit(
        [[n] for n in names], [i % 2 for i in range(len(names))], nominal_splits="multiway"
    )
    said = [line.split(" = ", 1)[1].rsplit(":", 1)[0] for line in model.to_text().split("\n")[:-1]]
    levels = sorted(names)
    assert said == [one_line(level_text(level)) for level in levels]


def test_messages_of_the_command_are_one_line(capfd, tmp_path):
    from fasttree.cli import main

    assert main(["fit", str(tmp_path / "no\x1b[31m\nsuch.csv")]) == 2
    said = capfd.readouterr().err
    assert said.count("\n") == 1
    assert FORBIDDEN.search(said) is None


SHOWS = ("__str__", "__repr__", "_repr_html_", "to_text", "to_dot", "to_svg", "to_html", "to_rules")
SHOWS = (*SHOWS, "to_markdown", "to_latex")
NOT_SHOWN = {
    "DateFormat": "an order and a time zone, which are checked",
    "NamedCallable": "the name of a function",
    "Scorer": "settings of a program, by repr",
    "Reproduction": "its names are those of the package",
    "VariantTests": "numbers alone",
    "RegressionEvaluation": "numbers alone",
}


def shown_objects():
    """Everything that names of columns, labels, tables and methods from outside can get into."""
    names = (HOSTILE[3], HOSTILE[0])
    table = fasttree.Table(
        [[name, "a", i % 3] for i, name in enumerate(HOSTILE)] * 4,
        [f"class {name}" for name in HOSTILE[:2]] * 18,
        feature_names=[HOSTILE[0] + HOSTILE[3], *HOSTILE[6:8]],
        target=HOSTILE[4],
        name=HOSTILE[3],
    )
    model, pruned = fasttree.fit(table), fasttree.fit(table, pruning="mdl")
    yield from (
        table,
        table.head(),
        model,
        model.tree_,
        model.trace_,
        model.explore(),
        model.evaluate(table),
    )
    yield from (model.stability(table, repeats=2, nodes=True), model.leaf_intervals())
    rules = model.to_rules()
    yield from (rules, rules[0], rules[0].conditions[0], model.explain(0, table))
    yield model.decision_rule(table.take([0]))
    yield CostComplexity(impurity=names[0])
    yield from (pruned.prune_report_, Cut(1, "leaf", names[0], 3, 2, 1.0, 2.0, 3.0))
    forest = fasttree.FastForestClassifier(3, random_state=0).fit(table)
    yield from (forest, forest.estimators_, fasttree.advise(table, progress=False))
    yield bayesian_networks.BayesianNetwork.from_table(table, [[3], [0], [], []])
    yield bayesian_networks.CaMML(n_steps=500, random_state=0).fit(table)
    methods = {name: fasttree.FastTreeClassifier() for name in names}
    folds = model_selection.cross_validate(table, estimators=methods, cv="2x2")
    sets = dict.fromkeys(names, table)
    yield from (folds, folds[names[0]])
    yield model_selection.compare(sets, estimators=methods, cv="2x2")
    yield model_selection.learning_curve(table, estimators=methods, n_repeats=1)
    yield fasttree.sweep(table, theta=[(1, 1, 1, 1)], alpha=[0.1, 0.2], cv="2x2")
    yield model_selection.friedman_nemenyi([[1, 2], [1, 3], [3, 2]], names=names)
    yield from (fasttree.pair_counts(table), fasttree.estimate_features(table, criterion="pi"))
    study = fasttree.datasets.make_genotypes(40, 12, random_state=0)
    yield dataclasses.replace(study, name=names[0])
    yield fasttree.datasets.make_random_tree(20, n_leaves=3, random_state=0)[1]


@pytest.fixture(scope="module")
def shown():
    return list(shown_objects())


def writes(value):
    """Whether it is a class of the package that says by code of its own how it is shown."""
    if not isinstance(value, type) or not value.__module__.startswith("fasttree."):
        return False
    own = [inspect.unwrap(f) for name in SHOWS if callable(f := vars(value).get(name))]
    return any("fasttree" in f.__code__.co_filename for f in own if hasattr(f, "__code__"))


def test_every_class_that_shows_itself_is_walked(shown):
    seen = set()
    for info in pkgutil.walk_packages(fasttree.__path__, "fasttree."):
        if not info.name.endswith(("__main__", "_core")):
            seen |= set(filter(writes, vars(importlib.import_module(info.name)).values()))
    left = {cls.__name__ for cls in seen if not any(isinstance(one, cls) for one in shown)}
    assert left == set(NOT_SHOWN)


def test_no_control_and_no_forged_line_in_anything_shown(shown):
    findings, forms = [], 0
    for one in shown:
        for name in SHOWS:
            if not hasattr(one, name) or (type(one).__name__, name) == ("Sweep", "to_html"):
                continue
            said = str(getattr(one, name)())
            forged = any(line.startswith("lines: yes") for line in said.splitlines())
            forms += 1
            if FORBIDDEN.search(said) or forged:
                findings.append(f"{type(one).__name__}.{name}")
    assert forms > 90
    assert not findings
