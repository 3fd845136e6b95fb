"""Parameters of trees as editors, type checkers and `help` see them: one truth, the
constructors."""

from __future__ import annotations

import inspect
import re
from typing import get_args, get_type_hints

import pytest

import fasttree
from fasttree import FastForestClassifier, FastTreeClassifier
from fasttree.discretize import DISCRETIZERS
from fasttree.estimators import keywords
from fasttree.estimators.parameters import NOT_STORED
from fasttree.pruning import PRUNINGS

from .tools import asked_for


def choices(hint):
    """The words among the values that a type allows."""
    parts = get_args(hint)
    return {p for p in parts if isinstance(p, str)}.union(*map(choices, parts), set())


def test_keywords_of_fit_are_those_of_the_constructor_with_its_types():
    of_fit = get_type_hints(keywords.TreeParameters)
    of_tree = get_type_hints(FastTreeClassifier.__init__)
    assert of_tree.pop("criterion") == keywords.SplitCriterion
    del of_tree["return"]
    assert of_fit == of_tree
    of_forest = get_type_hints(FastForestClassifier.__init__)
    differing = {n for n in of_tree.keys() & of_forest.keys() if of_forest[n] != of_tree[n]}
    assert differing == {"class_weight"}  # of a forest also per sample
    of_both = choices(of_tree["class_weight"])
    assert choices(of_forest["class_weight"]) - of_both == {"balanced_subsample"}


def test_signature_and_help_of_fit_list_every_parameter_with_type_and_default():
    constructor = inspect.signature(FastTreeClassifier).parameters
    signature = inspect.signature(fasttree.fit).parameters
    assert list(signature)[:4] == ["X", "y", "criterion", "sample_weight"]
    assert set(signature) == {"X", "y", "sample_weight", *constructor}
    assert all(signature[name].default == p.default for name, p in constructor.items())
    for text in (fasttree.fit.__doc__, FastTreeClassifier.__doc__):
        listed = dict(re.findall(r"^ {4}(\w+) \(([^)]*)\):", text, flags=re.MULTILINE))
        assert listed.keys() == constructor.keys()
        for name, said in listed.items():
            assert " ".join(said.split()).endswith(f"default {constructor[name].default!r}")
    forest = inspect.signature(FastForestClassifier).parameters
    assert all(f"    {name} (" in FastForestClassifier.__doc__ for name in forest)


@pytest.mark.parametrize(("name", "least"), keywords.LEAST.items())
def test_least_numbers_are_those_that_fit_takes(name, least):
    search = "histogram" if name == "max_bins" else "exact"
    X, y, given = [[0.0], [1.0]], [0, 1], {"threshold_search": search}
    assert fasttree.fit(X, y, **{name: least}, **given).n_nodes_ >= 1
    with pytest.raises(ValueError, match=rf"{name}={least - 1}"):
        fasttree.fit(X, y, **{name: least - 1}, **given)


@pytest.mark.parametrize("name", sorted(keywords.TreeParameters.__annotations__))
def test_choices_that_types_allow_are_those_that_fit_takes(name):
    words = choices(get_type_hints(keywords.TreeParameters)[name])
    if name in NOT_STORED or not words:
        return
    with pytest.raises((ValueError, TypeError), match=name) as refused:
        fasttree.fit([[0.0], [1.0]], [0, 1], **{name: "nonsense"})
    said = set(re.findall(r"'([a-z0-9_]+)'", str(refused.value))) - {"nonsense"}
    assert words <= said | {"auto", "balanced"}, (words, said)
    registries = {"pruning": PRUNINGS.keys(), "discretize": {*DISCRETIZERS, "auto"}}
    assert name not in registries or words <= registries[name]


def test_no_name_of_a_criterion_is_stale():
    known = {n for c in fasttree.list_criteria() for n in (c["name"], *c["aliases"])}
    assert set(get_args(keywords.CriterionName)) <= known


@asked_for
def test_types_know_every_criterion(ask):
    known = {n for c in fasttree.list_criteria() for n in (c["name"], *c["aliases"])}
    if unknown := known - set(get_args(keywords.CriterionName)):
        ask(
            f"CriterionName in python/fasttree/estimators/keywords.py lacks {sorted(unknown)}; run "
            f"python -m docs.studies.first_screen.make"
        )


@asked_for
def test_types_know_every_pruning(ask):
    if unknown := set(PRUNINGS) - set(get_args(keywords.PruningName)):
        ask(
            f"PruningName in python/fasttree/estimators/keywords.py lacks {sorted(unknown)}; run "
            f"python -m docs.studies.first_screen.make"
        )
