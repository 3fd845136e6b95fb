"""The package's order: who may import whom, what is loaded when, and that every module says what it
is."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from .tools import run_script

PACKAGE = Path(__file__).resolve().parents[2] / "python" / "fasttree"
FILES = sorted(PACKAGE.rglob("*.py"))

# An importer uses strictly lower ranks, or its own room.
RANKS = {
    "_checks": 0, "_parameters": 0, "rendering": 0, "table": 3,
    "_engine": 4,
    "criteria": 5, "pruning": 5, "datasets": 5, "metrics": 5, "discretize": 5,
    "presets": 6, "exports": 6.5,
    "estimators": 7, "exact": 8, "scores": 8, "naive_bayes": 8,
    "model_selection": 9, "bayesian_networks": 9.2, "reports": 10, "plots": 10, "experiments": 11, "cli": 12, "__init__": 13, "__main__": 13,
}  # fmt: skip

# Results that are handed on to a room above (a picture, a report, a model file's own estimator),
# imported when asked for.
DOORS = {
    ("estimators", "plots"),
    ("table", "datasets"),
    ("model_selection", "reports"),
    ("model_selection", "plots"),
}

HEAVY = (
    "sklearn",
    "matplotlib",
    "pandas",
    "polars",
    "pyarrow",
    "scipy",
    "typer",
    "rich",
    "jinja2",
    "onnx",
)


def room_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return parts[0]


def imports(path: Path):
    """(room, inside a function, line) of every import from the package."""
    parts = list(path.relative_to(PACKAGE).with_suffix("").parts)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    inside = {
        id(n)
        for f in ast.walk(tree)
        if isinstance(f, ast.FunctionDef | ast.AsyncFunctionDef)
        for n in ast.walk(f)
    }
    typing = {
        id(n)
        for i in ast.walk(tree)
        if isinstance(i, ast.If) and ast.unparse(i.test).endswith("TYPE_CHECKING")
        for n in ast.walk(i)
    }
    for node in ast.walk(tree):
        if id(node) in typing:
            continue
        targets: list[list[str]] = []
        if isinstance(node, ast.ImportFrom) and node.level:
            base = parts[: len(parts) - node.level]
            tail = node.module.split(".") if node.module else []
            targets = [base + tail] if base + tail else [[a.name] for a in node.names]
        elif isinstance(node, ast.ImportFrom) and (node.module or "").split(".")[0] == "fasttree":
            tail = node.module.split(".")[1:]
            targets = [tail] if tail else [[a.name] for a in node.names]
        elif isinstance(node, ast.Import):
            targets = [
                a.name.split(".")[1:] for a in node.names if a.name.split(".")[0] == "fasttree"
            ]
        for target in targets:
            yield (target[0] if target else "__init__"), id(node) in inside, node.lineno


def heavy_imports(path: Path):
    """Heavy packages that are imported when the module is."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    stack: list[ast.AST] = [tree]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if isinstance(node, ast.If) and ast.unparse(node.test).endswith("TYPE_CHECKING"):
            continue
        names = []
        if isinstance(node, ast.Import):
            names = [a.name for a in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names = [node.module or ""]
        yield from (n.split(".")[0] for n in names if n.split(".")[0] in HEAVY)
        stack.extend(ast.iter_child_nodes(node))


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_ranks(path):
    room = room_of(path)
    assert room in RANKS, f"give {room} a rank"
    for other, lazily, line in imports(path):
        if other in (room, "_core") or (room, other) == ("cli", "__init__"):
            continue  # the command line asks the package itself for its version
        assert other in RANKS, f"{path.name}:{line} imports {other}, which has no rank"
        if (room, other) in DOORS and lazily:
            continue
        assert RANKS[other] < RANKS[room], (
            f"{path.name}:{line}: {room} ({RANKS[room]}) imports {other} ({RANKS[other]})"
        )


def test_ranks_are_of_rooms_that_exist_or_will():
    rooms = {room_of(p) for p in FILES}
    later = {"pruning", "naive_bayes", "__main__"}
    assert set(RANKS) - rooms <= later


def test_only_the_engine_imports_the_core():
    users = {room_of(p) for p in FILES for other, _, _ in imports(p) if other == "_core"}
    assert users == {"_engine"}


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_every_module_says_what_it_is_and_is_not_too_long(path):
    text = path.read_text(encoding="utf-8")
    doc = ast.get_docstring(ast.parse(text))
    assert doc is not None
    assert len(doc) > 30
    assert len(text.splitlines()) <= 600


@pytest.mark.parametrize(
    "path",
    [p for p in FILES if RANKS.get(room_of(p), 0) < 7],
    ids=lambda p: str(p.relative_to(PACKAGE)),
)
def test_low_rooms_load_nothing_heavy(path):
    assert list(heavy_imports(path)) == []


def loaded_after(code: str) -> set[str]:
    done = run_script(code + "\nimport sys; print(*sorted({m.split('.')[0] for m in sys.modules}))")
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_import_loads_nothing_heavy():
    loaded = loaded_after("import fasttree; dir(fasttree); fasttree.__version__")
    assert "fasttree" in loaded
    assert loaded.isdisjoint(HEAVY)


def test_tables_criteria_and_metrics_need_no_scikit_learn():
    loaded = loaded_after(
        "import fasttree; t = fasttree.Table([[0.0], [1.0]], [0, 1]); t.y_codes; "
        "fasttree.list_criteria(); "
        "fasttree.criteria.Gini().score([[1, 0], [0, 1]]); fasttree.presets.ID3; "
        "fasttree.metrics.METRICS"
    )
    assert loaded.isdisjoint({"sklearn", "matplotlib", "pandas", "polars", "pyarrow"})


def test_fitting_loads_scikit_learn_but_no_frames_and_no_pictures():
    loaded = loaded_after("import fasttree; fasttree.fit([[0.0], [1.0]], [0, 1]).predict([[1.0]])")
    assert "sklearn" in loaded
    assert "matplotlib" not in loaded


def test_every_public_name_is_there_and_documented():
    import fasttree

    for name in fasttree.__all__:
        if (
            name in fasttree._SUBMODULES
            and not (PACKAGE / name).exists()
            and not (PACKAGE / f"{name}.py").exists()
        ):
            pytest.fail(f"fasttree.{name} is announced but not there")
        assert getattr(fasttree, name).__doc__, name
        assert name in dir(fasttree)
    with pytest.raises(AttributeError, match="no attribute 'fitt'"):
        fasttree.fitt  # noqa: B018
