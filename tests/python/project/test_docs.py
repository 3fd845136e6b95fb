"""What is written runs: examples of every module, of README and documentation; the registry is
documented as it is."""

from __future__ import annotations

import ast
import doctest
import importlib
import inspect
import pkgutil
import re
import shlex
import tempfile
from contextvars import copy_context
from pathlib import Path

import pytest

import fasttree
from fasttree._checks.declared import given_options

ROOT = Path(__file__).resolve().parents[3]

FLAGS = doctest.ELLIPSIS | doctest.IGNORE_EXCEPTION_DETAIL
NEEDS = {
    "fasttree.plots": "matplotlib",
    "fasttree.cli": "typer",
    "fasttree.exports.onnx_graph": "onnx",
}


@pytest.fixture(autouse=True)
def folder_of_examples(tmp_path, monkeypatch):
    """Files that examples leave behind are in pytest's folders."""
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))


def modules() -> list[str]:
    """All modules of the installed package but the compiled one and those that run when
    imported."""
    found = ["fasttree"]
    for info in pkgutil.walk_packages(fasttree.__path__, "fasttree."):
        if not info.name.endswith(("._core", ".__main__")):
            found.append(info.name)
    return sorted(found)


def wanting(name: str) -> str | None:
    """The package that a module needs and that is not installed."""
    for prefix, package in NEEDS.items():
        if name.startswith(prefix) and importlib.util.find_spec(package) is None:
            return package
    return None


def run(examples: doctest.DocTest) -> None:
    runner = doctest.DocTestRunner(optionflags=FLAGS, verbose=False)
    report: list[str] = []
    copy_context().run(runner.run, examples, out=report.append)  # what commands say once
    assert runner.failures == 0, "".join(report)


STUDIES = sorted(
    ".".join(p.relative_to(ROOT).with_suffix("").parts)
    for p in (ROOT / "docs" / "studies").rglob("*.py")
)


@pytest.mark.parametrize("name", [*modules(), *STUDIES])
def test_examples_of_modules_run(name):
    missing = wanting(name)
    if missing:
        pytest.skip(f"{name} needs {missing}, which is not installed")
    module = importlib.import_module(name)
    assert module.__doc__, f"{name} does not say what it is"
    for examples in doctest.DocTestFinder(exclude_empty=True).find(module, name):
        run(examples)


def fenced(text: str) -> str:
    """The fenced Python blocks of a text in Markdown, one after the other."""
    return "\n\n".join(re.findall(r"^```python\n(.*?)^```$", text, flags=re.MULTILINE | re.DOTALL))


PARTS = ["tutorials", "how_to", "explanation", "reference"]
PAGES = [
    ROOT / "README.md",
    ROOT / "docs" / "llms.txt",
    ROOT / "docs" / "index.rst",
    *(page for part in PARTS for page in sorted((ROOT / "docs" / part).glob("*.rst"))),
]


@pytest.mark.parametrize("page", PAGES, ids=lambda p: f"{p.parent.name}-{p.name}")
def test_examples_of_pages_run(page):
    if not page.is_file():
        pytest.skip("the documentation is not here (tests of an installed package)")
    text = page.read_text(encoding="utf-8")
    source = text if page.suffix == ".rst" else fenced(text)
    examples = doctest.DocTestParser().get_doctest(source, {}, page.name, str(page), 0)
    if page.name in ("README.md", "llms.txt", "tour.rst", "own_criterion.rst"):
        assert examples.examples, f"{page.name} has lost its examples"
    run(examples)


def test_pages_are_reachable():
    at_the_top = {p.name for p in (ROOT / "docs").glob("*.rst")}
    assert at_the_top <= {"index.rst", "sg_execution_times.rst"}  # the second is the gallery's own
    for part in PARTS:
        folder = ROOT / "docs" / part
        index = (folder / "index.rst").read_text(encoding="utf-8").split()
        missing = [p.stem for p in folder.glob("*.rst") if p.stem not in ["index", *index]]
        assert not missing, f"not in docs/{part}/index.rst: {missing}"


def test_links_of_the_readme_lead_somewhere():
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    links = [link for link in re.findall(r"\]\(([^)]+)\)", text) if "://" not in link]
    assert links
    missing = [link for link in links if not (ROOT / link).exists()]
    assert not missing


def test_commands_in_the_texts_exist():
    pytest.importorskip("typer", reason="the command needs typer")
    from typer.main import get_command

    from fasttree.cli.app import app

    known = set(get_command(app).commands)
    for page in PAGES:
        text = page.read_text(encoding="utf-8")
        named = set(re.findall(r"ftree ([a-z]+)", text))
        assert named <= known, (
            f"{page.name} speaks of commands that do not exist: {sorted(named - known)}"
        )


def test_commands_of_the_page_run(tmp_path, monkeypatch, capsys):
    """In order, in one folder: later ones use what earlier ones wrote."""
    pytest.importorskip("typer", reason="the command needs typer")
    from fasttree.cli import main

    page = (ROOT / "docs" / "reference" / "command.rst").read_text(encoding="utf-8")
    commands = re.findall(r"^   \$ ftree (.+)$", page, flags=re.MULTILINE)
    assert len(commands) > 8
    monkeypatch.chdir(tmp_path)
    for command in commands:
        code = main(shlex.split(command.partition(" >")[0]))  # what is after it is the shell's
        said = capsys.readouterr()
        assert code == 0, f"ftree {command}: exit code {code}\n{said.err}"
        assert said.out or (tmp_path / "answers.csv").is_file(), f"ftree {command} prints nothing"


def test_texts_name_no_machine():
    pattern = re.compile(r"(?<![\w.~])/(?:root|home|work|tmp|Users)/")
    for page in [*PAGES, ROOT / "CHANGELOG.md", *Path(ROOT / "benches").rglob("*.json")]:
        assert not pattern.search(page.read_text(encoding="utf-8")), (
            f"{page.name} holds a path of somebody's machine"
        )


def test_every_criterion_has_what_its_page_prints():
    for info in fasttree.list_criteria():
        criterion = getattr(fasttree.criteria, info["class_name"])
        assert info["summary"].endswith("."), info["name"]
        assert info["formula"] and info["distance"] and info["source"], info["name"]
        if info["evidence"] == "table":
            assert criterion().score(info["example"]) == pytest.approx(
                info["example_score"], abs=1e-12
            ), info["name"]
        options = {o["name"]: o["doc"] for o in given_options(criterion.info)}
        assert set(options) == set(info["options"]) and all(options.values()), info["name"]


@pytest.mark.parametrize("info", fasttree.list_criteria(), ids=lambda info: info["name"])
def test_examples_of_criterion_pages_run_and_show_the_declared_score(info, monkeypatch):
    extensions = ROOT / "docs" / "_ext"
    if not extensions.is_dir():
        pytest.skip("the documentation is not here (tests of an installed package)")
    monkeypatch.syspath_prepend(str(extensions))
    text = importlib.import_module("criterion_pages").page(info)
    run(doctest.DocTestParser().get_doctest(text, {}, info["name"], None, 0))
    if info["example"] or info["target_example"]:
        assert f"{round(info['example_score'], 6)}" in text.splitlines(), info["name"]


def test_the_package_lists_what_it_gives():
    assert {*fasttree._MODULE_OF} < {*fasttree.__all__}
    for name in fasttree.__all__:
        is_module = inspect.ismodule(getattr(fasttree, name))
        assert is_module == (name in fasttree._SUBMODULES), name


def test_the_stub_names_what_the_core_exports():
    core = importlib.import_module("fasttree._core")
    stub = Path(fasttree.__file__).with_name("_core.pyi")
    assigned = [
        n for n in ast.parse(stub.read_text(encoding="utf-8")).body if isinstance(n, ast.Assign)
    ]
    named = next(
        ast.literal_eval(n.value) for n in assigned if ast.unparse(n.targets[0]) == "__all__"
    )
    assert sorted(named) == sorted(core.__all__)


@pytest.mark.exhaustive
def test_the_stub_is_what_the_core_says_of_itself():
    pytest.importorskip("ruff")
    from docs.studies.first_screen import stub

    if not stub.TOOL.exists():
        pytest.skip("needs the tool that python -m docs.studies.first_screen.stub installs")
    written = stub.STUB.read_text(encoding="utf-8")
    assert written == stub.stub(), "build the core and run python -m docs.studies.first_screen.make"
