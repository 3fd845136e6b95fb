"""One page a public object under ``reference/objects``, and the lists that lead to them.

What is public is what the packages list in ``__all__``. The pages are written before each build and
are not kept under version control. ``.. objects:: PACKAGE`` is a table of a package's objects, or
of those whose names follow it.
"""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from docutils import nodes
from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from sphinx.addnodes import pending_xref
from sphinx.domains.python import PyObject
from written import write_pages

import fasttree

PACKAGES = ["fasttree", *(f"fasttree.{name}" for name in sorted(fasttree._SUBMODULES))]


def public(package: str) -> dict[str, Any]:
    """Objects by name; packages and criteria, which have pages of their own kind, are left out."""
    module = importlib.import_module(package)
    found = {name: getattr(module, name) for name in module.__all__}
    return {name: o for name, o in found.items() if not inspect.ismodule(o)}


def home(package: str, name: str) -> str:
    """The address under which an object is documented: the top level's, where it is there, too."""
    if name in public("fasttree") and getattr(fasttree, name) is public(package)[name]:
        return f"fasttree.{name}"
    return f"{package}.{name}"


def page(address: str, thing: Any) -> str:
    """The page of one object; what a class is stands above its long signature."""
    package, _, name = address.rpartition(".")
    above = []
    if inspect.isclass(thing) and issubclass(thing, BaseException):
        lines = [f".. autoexception:: {address}", "   :no-members:"]
    elif inspect.isclass(thing):
        lines = [
            f".. autoclass:: {address}",
            "   :members:",
            "   :inherited-members: BaseEstimator",
        ]
        if issubclass(thing, (dict, tuple, list)):
            lines = lines[:2]
        above = [first_line(thing), ""]
    elif inspect.isroutine(thing):
        lines = [f".. autofunction:: {address}"]
    else:
        lines = [f".. py:data:: {name}", "", f"   {described(thing)}"]
    head = [name, "=" * len(name), "", f".. currentmodule:: {package}", ""]
    return "\n".join([*head, *above, *lines, ""])


def described(value: Any) -> str:
    """A constant in a line: the keys of a registry, the settings of a preset."""
    if isinstance(value, Mapping):
        plain = all(isinstance(v, (str, int, float, bool, type(None))) for v in value.values())
        if plain:
            return "Parameters: " + ", ".join(f"``{k}={v!r}``" for k, v in value.items()) + "."
        return "A registry with the keys " + ", ".join(f"``{key}``" for key in value) + "."
    return f"``{value!r}``"


def first_line(thing: Any) -> str:
    """The first sentence of a docstring."""
    if not (inspect.isclass(thing) or inspect.isroutine(thing)):
        return described(thing)
    text = " ".join((inspect.getdoc(thing) or "").split("\n\n")[0].split())
    return text.partition(". ")[0].rstrip(".") + ("." if text else "")


def write(folder: Path) -> None:
    """Write the pages."""
    pages = {}
    for package in PACKAGES:
        for name, thing in public(package).items():
            address = home(package, name)
            pages[f"{address}.rst"] = page(address, thing)
    write_pages(folder, pages)


class Objects(Directive):
    """A table of the public objects of a package, or of those that are named."""

    required_arguments = 1
    has_content = True

    def run(self) -> list[nodes.Node]:
        """The parsed table and the table of contents that holds the pages."""
        package = self.arguments[0]
        things = {home(package, name): thing for name, thing in public(package).items()}
        own = {a: t for a, t in things.items() if a.startswith(package + ".")}
        if named := " ".join(self.content).split():
            own = {address: own[address] for name in named if (address := f"{package}.{name}")}
        else:
            own = dict(sorted(own.items()))
        rows = [".. list-table::", "   :widths: 40 60", ""]
        for address, thing in own.items():
            name = address.removeprefix(package + ".")
            rows += [f"   * - :doc:`{name} </reference/objects/{address}>`"]
            rows += [f"     - {first_line(thing)}"]
        rows += ["", ".. toctree::", "   :hidden:", ""]
        rows += [f"   /reference/objects/{address}" for address in own]
        parent = nodes.section()
        parent.document = self.state.document
        lines = StringList(rows, source=f"objects: {package}")
        self.state.nested_parse(lines, self.content_offset, parent)
        return parent.children


def one_name_each(*event: Any) -> None:
    """Give each of several names before one text a field of its own with that text; Sphinx takes
    all names but the last for types."""
    lines = event[-1]
    found = []
    for line in lines:
        match = re.match(r"(\s*:(?:ivar|param) )((?:[\w*\\]+, )+[\w.*\\]+)(: .*)", line)
        if match is None:
            found.append(line)
            continue
        start, names, text = match.groups()
        found += [start + name + text for name in names.split(", ")[:-1]]
        found.append(start + names.split(", ")[-1] + text)
    lines[:] = found


def words_are_no_links(app: Any, doctree: nodes.document) -> None:
    """Make plain text of the words in the types of parameters ("name of a column", "shape (n,)").
    Sphinx would link each to the first attribute of that name."""
    for link in list(doctree.findall(pending_xref)):
        if link["reftype"] == "class" and re.fullmatch("[a-z_]+", link["reftarget"]):
            link.replace_self(nodes.emphasis("", link["reftarget"]))


def setup(app: Any) -> dict[str, Any]:
    """Register the directive; write the pages before Sphinx looks for sources."""
    app.add_directive("objects", Objects)
    app.connect("autodoc-process-docstring", one_name_each, 900)
    app.connect("doctree-read", words_are_no_links)
    for field in PyObject.doc_field_types:
        if field.name == "variable":
            field.label = "Attributes"
    app.connect(
        "config-inited", lambda app, _: write(Path(app.srcdir) / "reference" / "objects"), 400
    )
    return {"parallel_read_safe": True, "parallel_write_safe": True, "version": "1"}
