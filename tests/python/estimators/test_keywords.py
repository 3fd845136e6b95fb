"""Parameters of trees as editors, type checkers and `help` see them."""

from __future__ import annotations

import inspect
import re

import numpy as np
import pandas as pd
import pytest
from sklearn.pipeline import make_pipeline

import fasttree
from fasttree import FastForestClassifier, FastTreeClassifier, _engine, criteria
from fasttree.discretize import DISCRETIZERS
from fasttree.estimators import keywords
from fasttree.estimators.declaration import FOREST, GROUPS, PARAMETERS, TREE, check
from fasttree.estimators.parameters import config_of
from fasttree.pruning import PRUNED_CLASSES, PRUNED_NUMBERS, WORDS


@pytest.mark.parametrize(
    ("alias", "names"),
    [
        ("SplitCriterion", criteria.names()),
        ("NumberCriterion", criteria.names("regression")),
        ("PruningMethod", [*PRUNED_CLASSES, *WORDS]),
        ("NumberPruning", [*PRUNED_NUMBERS, *WORDS]),
        ("Discretization", ["auto", *DISCRETIZERS]),
    ],
)
def test_types_name_the_entries_of_the_registries(alias, names):
    typed = re.findall(r"'(\w+)'", str(getattr(keywords, alias)))
    assert typed == list(names), f"keywords.{alias}: list {sorted({*names} ^ {*typed})}"


@pytest.mark.parametrize(
    ("kind", "parameters"), [(FastTreeClassifier, TREE), (FastForestClassifier, FOREST)]
)
def test_estimators_have_the_declared_parameters_and_keep_them(kind, parameters):
    signature = inspect.signature(kind).parameters
    assert {n: p.default for n, p in signature.items()} == {p.name: p.default for p in parameters}
    given = {p.name: object() for p in parameters}
    assert vars(kind(**given)) == given
    assert kind(**given).get_params(deep=False) == given


@pytest.mark.parametrize("owner", [FastTreeClassifier, FastForestClassifier, fasttree.fit])
def test_help_shows_the_groups_and_every_parameter_in_its_group(owner):
    parameters = FOREST if owner is FastForestClassifier else TREE
    parts = re.split(r"^Parameters of (.+):$", owner.__doc__, flags=re.MULTILINE)
    assert tuple(parts[1::2]) == GROUPS
    for group, text in zip(parts[1::2], parts[2::2], strict=True):
        shown = re.findall(r"^ {4}(\w+) \(", text.split("\n\n")[0], flags=re.MULTILINE)
        assert shown == [p.name for p in parameters if p.group == group]


@pytest.mark.parametrize("kind", [FastTreeClassifier, FastForestClassifier])
def test_signature_and_html_have_the_groups_in_order(kind):
    order = [PARAMETERS[name].group for name in inspect.signature(kind).parameters]
    assert order == sorted(order, key=GROUPS.index)
    if not hasattr(kind(), "_get_params_html"):
        pytest.skip("this scikit-learn shows no table of parameters")
    headings = rf"<th[^>]*>({'|'.join(GROUPS)})</th>|<td class=\"param\">\s*(\w+)\s*</td>"
    for page in (kind()._repr_html_(), make_pipeline(kind(max_depth=2))._repr_html_()):
        found = [group or PARAMETERS[name].group for group, name in re.findall(headings, page)]
        shown = [group for group, _ in re.findall(headings, page) if group]
        assert shown == list(GROUPS) and found == sorted(found, key=GROUPS.index)


BESIDE = {
    "split_tries": {"selection": "significance"},
    "alpha_merge": {"selection": "significance", "merge_levels": True},
    "alpha_split": {"selection": "significance", "merge_levels": True},
    "max_bins": {"threshold_search": "histogram"},
    "n_bins": {"discretize": "equal_width"},
}
"""What a parameter needs before it is looked at."""


@pytest.mark.parametrize("name", [p.name for p in TREE if p.check is not None])
def test_what_the_declaration_refuses_is_refused_by_fit_and_its_default_is_not(name):
    check(name, PARAMETERS[name].default)
    for value in ("nonsense", -1, [], object()):
        try:
            check(name, value)
        except ValueError as error:
            with pytest.raises(ValueError, match=re.escape(str(error))):
                fasttree.fit([[0.0], [1.0]], [0, 1], **{name: value, **BESIDE.get(name, {})})


def test_signature_and_help_of_fit_list_every_parameter_with_type_and_default():
    constructor = inspect.signature(FastTreeClassifier).parameters
    signature = inspect.signature(fasttree.fit).parameters
    assert list(signature)[:4] == ["X", "y", "criterion", "sample_weight"]
    own = {"X", "y", "sample_weight", "exposure", "groups", "task"}
    assert set(signature) == own | set(constructor)
    own = {name: p.default for name, p in constructor.items()}
    assert {name: signature[name].default for name in own} == own
    for text in (fasttree.fit.__doc__, FastTreeClassifier.__doc__):
        listed = dict(re.findall(r"^ {4}(\w+) \(([^)]*)\):", text, flags=re.MULTILINE))
        assert listed.keys() == constructor.keys()
        for name, said in listed.items():
            assert " ".join(said.split()).endswith(f"default {constructor[name].default!r}")
    forest = inspect.signature(FastForestClassifier).parameters
    assert all(f"    {name} (" in FastForestClassifier.__doc__ for name in forest)


@pytest.mark.parametrize("name", [p.name for p in TREE if p.least is not None])
def test_least_numbers_are_those_that_fit_takes(name):
    least = PARAMETERS[name].least
    X, y, given = [[0.0], [1.0]], [0, 1], BESIDE.get(name, {})
    assert fasttree.fit(X, y, **{name: least}, **given).n_nodes_ >= 1
    with pytest.raises(ValueError, match=rf"{name}={least - 1}"):
        fasttree.fit(X, y, **{name: least - 1}, **given)


@pytest.mark.parametrize("name", [p.name for p in TREE if p.name != "criterion"])
def test_choices_that_types_allow_are_those_that_fit_takes(name):
    words = {value for value in PARAMETERS[name].choices if isinstance(value, str)}
    if not words:
        return
    with pytest.raises((ValueError, TypeError), match=name) as refused:
        fasttree.fit([[0.0], [1.0]], [0, 1], **{name: "nonsense"})
    said = set(re.findall(r"'([a-z0-9_]+)'", str(refused.value))) - {"nonsense"}
    assert words <= said | {"auto", "balanced"}, (words, said)


def test_defaults_of_the_core_are_those_of_the_declaration():
    """Without a word, the core grows what the estimator grows: many levels, numbers, gaps."""
    rng = np.random.default_rng(0)
    X = pd.DataFrame({"level": [f"v{i % 40}" for i in range(400)], "number": rng.normal(size=400)})
    X.loc[rng.random(400) < 0.1, "number"] = np.nan
    table = fasttree.Table(X, rng.integers(0, 2, 400))
    declared = {p.name for p in TREE if p.core}
    for words in ({}, {"threshold_search": "histogram"}):
        config, _ = config_of(FastTreeClassifier(**words).get_params(deep=False), table)
        bare = {k: v for k, v in config.items() if k not in declared or k in words}
        whole, core = (_engine.fit(table, one).arrays() for one in (config, bare))
        for name, column in whole.items():
            np.testing.assert_array_equal(column, core[name], err_msg=name)


def test_a_subclass_has_the_parameters_of_its_own_constructor_beside_those_it_passes_on():
    class Same(FastTreeClassifier):
        pass

    class Limited(FastTreeClassifier):
        def __init__(self, *, levels=2):
            super().__init__(levels=levels)

    assert Same(max_depth=2).get_params() == FastTreeClassifier(max_depth=2).get_params()
    with pytest.raises(TypeError, match="max_dept=2 is not a parameter of Same; did you mean"):
        Same(max_dept=2)
    with pytest.raises(TypeError, match="levels=2 is not a parameter of FastTreeClassifier"):
        Limited()
