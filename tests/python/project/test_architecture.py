"""The package's order: who may import whom, what is loaded when, and that every module says what it
is."""

from __future__ import annotations

import ast
import re
from functools import cache
from pathlib import Path

import pytest

from fasttree import _core

from ..tools import run_script

PACKAGE = Path(__file__).resolve().parents[3] / "python" / "fasttree"
FILES = sorted(PACKAGE.rglob("*.py"))
RUST = PACKAGE.parents[1] / "src"

# An importer uses strictly lower ranks, or its own package. The page on the architecture prints it.
RANKS = {
    "_checks": 0,
    "exports": 1,
    "table": 2, "metrics": 2,
    "_engine": 3, "plots": 3,
    "pruning": 4, "datasets": 4,
    "criteria": 5, "discretize": 5,
    "presets": 6, "estimators": 6,
    "exact": 7, "bayesian_networks": 7, "feature_selection": 7,
    "model_selection": 8, "naive_bayes": 8, "distributed": 8,
    "reports": 9, "advice": 9,
    "experiments": 10,
    "cli": 11,
}  # fmt: skip
TOP = ("__init__", "__main__")

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


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(p) for p in FILES}


def named(text: str, package: list[str]) -> set[str]:
    """The module that a string names, or of which it names a function: from the top of the package,
    or from the package of the file."""
    first, _, rest = text.partition(".")
    found = rest if first == "fasttree" else ".".join([*package, text.removeprefix(".")])
    return {found, found.rpartition(".")[0]} & MODULES - {"", ".".join(package)}


@cache
def nodes_of(path: Path) -> list[ast.AST]:
    """Every node of a module's code, the module first."""
    return list(ast.walk(ast.parse(path.read_text(encoding="utf-8"))))


def is_for_types(node: ast.AST) -> bool:
    """Whether a node is an `if` around what is imported for types alone."""
    test = node.test if isinstance(node, ast.If) else None
    return "TYPE_CHECKING" in (getattr(test, "id", ""), getattr(test, "attr", ""))


def imports(path: Path, types: bool = False):
    """(module, line) of every import from the package, those inside functions as well; with
    `types` also what is imported for types alone. Where `importlib` takes a name, every string of
    the file that starts with the name of a module is one that it may take."""
    package = list(path.relative_to(PACKAGE).parts[:-1])
    nodes = nodes_of(path)
    by_name = "import_module" in {getattr(n, "attr", getattr(n, "id", "")) for n in nodes}
    typing = {id(n) for i in nodes if is_for_types(i) for n in ast.walk(i)}
    for node in nodes:
        if id(node) in typing and not types:
            continue
        if isinstance(node, ast.Import):
            names = [a.name for a in node.names if a.name.split(".")[0] == "fasttree"]
            yield from ((name.partition(".")[2], node.lineno) for name in names)
        if by_name and isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield from ((name, node.lineno) for name in named(node.value, package))
        if not isinstance(node, ast.ImportFrom):
            continue
        tail = node.module.split(".") if node.module else []
        if node.level:
            tail = package[: len(package) - (node.level - 1)] + tail
        elif tail[:1] == ["fasttree"]:
            tail = tail[1:]
        else:
            continue
        for alias in node.names:
            inside = ".".join([*tail, alias.name])
            yield inside if inside in MODULES | {"_core"} else ".".join(tail), node.lineno


def heavy_imports(path: Path):
    """Heavy packages that are imported when the module is."""
    stack = nodes_of(path)[:1]
    while stack:
        node = stack.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
            continue
        if is_for_types(node):
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
    """Also of what is imported for types alone, or inside a function."""
    package = room_of(path)
    if package in TOP:
        return
    assert package in RANKS, f"give {package} a rank"
    for module, line in imports(path, types=True):
        other = module.split(".")[0]
        if other in (package, "_core") or (package, other) == ("cli", ""):
            continue  # the command line asks the package itself for its version
        assert other in RANKS, f"{path.name}:{line} imports {other}, which has no rank"
        assert RANKS[other] < RANKS[package], (
            f"{path.name}:{line}: {package} ({RANKS[package]}) imports {other} ({RANKS[other]})"
        )


def test_ranks_are_whole_and_of_packages_that_exist():
    assert set(RANKS) == {room_of(p) for p in FILES} - set(TOP)
    assert all(isinstance(rank, int) for rank in RANKS.values())
    assert sorted(set(RANKS.values())) == list(range(max(RANKS.values()) + 1))


def rings(uses: dict[str, set[str]]) -> list[str]:
    """The modules that are left when those without an unread import are taken away, again and
    again: none when no ring joins them."""
    left = {module: set(others) for module, others in uses.items()}
    while True:
        free = {m for m, others in left.items() if not others & left.keys()}
        if not free:
            return sorted(left)
        left = {m: others for m, others in left.items() if m not in free}


def test_modules_named_in_registries_count_as_imports():
    of = {p: {m for m, _ in imports(PACKAGE / p)} for p in ("__init__.py", "exports/formats.py")}
    assert {"estimators.restore", "naive_bayes.reading"} <= of["__init__.py"]
    assert {"exports.dot", "exports.sql"} <= of["exports/formats.py"]


@pytest.mark.parametrize("types", [False, True], ids=["imports", "with those for types"])
def test_no_ring_of_files(types):
    uses = {
        module_of(p): {other for other, _ in imports(p, types=types)} - {module_of(p)}
        for p in FILES
        if room_of(p) not in TOP
    }
    assert rings({"a": {"b"}, "b": {"c"}, "c": {"a"}, "d": {"a"}, "e": set()}) == list("abcd")
    assert rings(uses) == []


def test_only_the_engine_imports_the_core():
    users = {module_of(p) for p in FILES for other, _ in imports(p) if other == "_core"}
    outside = {user for user in users if user.split(".")[0] != "_engine"}
    assert outside == {"cli.front"}  # the command's version does not wait for NumPy


@pytest.mark.parametrize("path", FILES, ids=lambda p: str(p.relative_to(PACKAGE)))
def test_every_module_says_what_it_is(path):
    doc = ast.get_docstring(nodes_of(path)[0])
    assert doc is not None
    assert len(doc) > 30


def defined_types(path):
    """Names of the structs, enums, traits and aliases of a Rust file, tests apart."""
    text = re.split(
        r"#\[cfg\(test\)\]\s*(?:pub(?:\([^)]*\))? )?mod \w+ \{", path.read_text("utf-8")
    )[0]
    head = r"^ *(?:pub(?:\([^)]*\))? )?(?:struct|enum|trait|union) (\w+)"
    alias = r"^(?:pub(?:\([^)]*\))? )?type (\w+)"
    return re.findall(head, text, re.M) + re.findall(alias, text, re.M)


def test_a_type_name_has_one_meaning():
    """A reader who meets the name of a type in the core finds one definition."""
    files = sorted(RUST.rglob("*.rs"))
    tests = set()
    for path in files:
        beside = path.parent if path.name in ("mod.rs", "lib.rs") else path.with_suffix("")
        pattern = (
            r"#\[cfg\((?:all\()?test[^\n]*\]\n(?:#\[[^\n]*\n)*(?:pub(?:\([^)]*\))? )?mod (\w+);"
        )
        tests |= {beside / name for name in re.findall(pattern, path.read_text("utf-8"))}
    where = {}
    for path in files:
        if not tests & {path.with_suffix(""), *path.parents}:
            for name in defined_types(path):
                where.setdefault(name, []).append(str(path.relative_to(RUST)))
    assert where
    twice = {name: places for name, places in where.items() if len(places) > 1}
    assert set(twice) == {"Result"}, f"rename one of {twice}"  # Result: of the core, of the readers


@pytest.mark.parametrize(
    "path",
    [p for p in FILES if RANKS.get(room_of(p), 0) < RANKS["estimators"]],
    ids=lambda p: str(p.relative_to(PACKAGE)),
)
def test_low_rooms_load_nothing_heavy(path):
    assert list(heavy_imports(path)) == []


def loaded_after(code: str) -> set[str]:
    done = run_script(code + "\nimport sys; print(*sorted({m.split('.')[0] for m in sys.modules}))")
    assert done.returncode == 0, done.stderr
    return set(done.stdout.split())


def test_the_core_has_one_fit_for_each_kind_of_result():
    found = {name for name in vars(_core) if re.search("fit|grow", name) and name[0].islower()}
    parts = {"grow_groups"}  # of a tree that grows on several machines
    assert found - parts == {"tree_fit", "forest_fit", "bayes_fit"}
    assert not [name for name in vars(_core.Dataset) if "fit" in name]


def test_trees_and_forests_share_the_binding_of_what_both_answer():
    own = [set(vars(kind)) for kind in (_core.Model, _core.Forest)]
    twice = {name for name in own[0] & own[1] if not name.startswith("__")}
    assert twice == {"from_bytes"}, "write it once, in src/bindings/trees.rs"


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
