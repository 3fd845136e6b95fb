"""The registries of the package, walked: every entry works wherever its name is taken."""

from __future__ import annotations

import pytest

import fasttree
from fasttree import discretize, pruning
from fasttree.cli import main
from fasttree.exports import FORMATS, Format, formats


@pytest.fixture(scope="module")
def model():
    return fasttree.fit(fasttree.datasets.load_iris(), criterion="gini", missing="mode")


@pytest.mark.parametrize("name", FORMATS)
def test_a_format_is_a_method_and_a_choice_of_the_command(name, model, capsys, tmp_path):
    one = FORMATS[name]
    assert one.summary and hasattr(model, (one.method or f"to_{name}()").split("(")[0])
    shown = one.show(model)
    assert isinstance(shown, bytes if one.binary else str) and len(shown) > 100
    assert shown == one.show(model)
    file, out = tmp_path / "model.json", tmp_path / "out"
    model.save(file)
    asked = ["show", str(file), "--form", name, "--out", str(out)]
    assert main(asked) == 0, capsys.readouterr().err
    written = out.read_bytes()
    assert written.endswith(shown if one.binary else shown.encode("utf-8"))
    if one.whole:
        assert main([*asked, "--depth", "1"]) == 2
        assert "whole tree" in capsys.readouterr().err
    else:
        assert one.show(model, 1) != shown


@pytest.mark.parametrize("name", [n for n, one in FORMATS.items() if one.forests])
def test_formats_of_forests(name):
    if name == "text":
        return  # a forest prints its sizes; see test_cli
    forest = fasttree.FastForestClassifier(3, random_state=0)
    forest.fit(fasttree.datasets.load_iris())
    assert len(FORMATS[name].show(forest)) > 100


def test_an_entry_becomes_a_method(monkeypatch):
    one = Format("rules once more", "rules", "to_rules")
    monkeypatch.setitem(formats.FORMATS, "again", one)

    class Kind(fasttree.FastTreeClassifier):
        pass

    formats.offer_methods(Kind)
    with pytest.raises(ValueError, match="not fitted yet"):
        Kind().to_again()
    assert "rules once more" in Kind.to_again.__doc__


@pytest.mark.parametrize("name", pruning.PRUNED_CLASSES)
def test_a_pruning_is_taken_by_name_and_as_an_object(name):
    table = fasttree.datasets.load_wine()
    by_name = fasttree.fit(table, criterion="gini", pruning=name, random_state=0)
    made = pruning.make(name)
    assert made == type(made)() and eval(repr(made), vars(pruning)) == made
    assert made.__doc__ and type(made).__name__ in pruning.__all__
    by_object = fasttree.fit(table, criterion="gini", pruning=made, random_state=0)
    assert by_name.to_text() == by_object.to_text()
    assert by_name.n_nodes_ <= fasttree.fit(table, criterion="gini").n_nodes_


@pytest.mark.parametrize("name", discretize.DISCRETIZERS)
def test_a_discretiser_is_taken_by_name_and_as_an_object(name):
    table = fasttree.datasets.load_iris()
    made = discretize.make(name)
    assert eval(repr(made), vars(discretize)) == made and made.__doc__
    assert type(made).__name__ in discretize.__all__
    by_name = fasttree.fit(table, criterion="gini", discretize=name)
    by_object = fasttree.fit(table, criterion="gini", discretize=made)
    assert by_name.to_text() == by_object.to_text()
    assert all(column.kind == "nominal" for column in made.fit(table).transform(table).columns)
