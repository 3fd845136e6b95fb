"""``_core.pyi``: what the built core says of its functions and classes.

What
    PyO3 keeps the signatures and types of the bindings in the extension, and its tool
    ``pyo3-introspection`` writes a stub of them. `install` compiles the tool once, into
    ``target/tools``, in the version of PyO3 that ``Cargo.lock`` names; tests never do.
When not to use it
    For an extension that is older than the bindings: build it first.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from pathlib import Path

from fasttree import _core

ROOT = Path(__file__).resolve().parents[3]
STUB = ROOT / "python" / "fasttree" / "_core.pyi"
TOOL = ROOT / "target" / "tools" / "bin" / "pyo3-introspection"
HEAD = "# Written from the bindings by `python -m docs.studies.first_screen.make`."


def install() -> None:
    """Have the tool in the version of the bindings."""
    lock = (ROOT / "Cargo.lock").read_text(encoding="utf-8")
    found = re.search(r'name = "pyo3"\nversion = "(.+)"', lock)
    assert found is not None
    tool = f"{TOOL.name}@{found[1]}"
    _run("cargo", "install", "--quiet", "--locked", "--root", str(TOOL.parents[1]), tool)


def stub() -> str:
    """The text of the stub, as the formatter writes it; the tool must be there."""
    with tempfile.TemporaryDirectory() as folder:
        _run(str(TOOL), _core.__file__, "_core", folder)
        (path,) = Path(folder).rglob("*.pyi")
        text = path.read_text(encoding="utf-8")
    # Types without a hint are arrays of the numpy crate; containers without types are named.
    text = text.replace("import Incomplete, ", "import ").replace("Incomplete", "ndarray")
    text = text.replace("-> dict:", "-> dict[str, Any]:").replace("-> list:", "-> list[Any]:")
    text = text.replace("tuple[list, ", "tuple[list[Any], ")
    text = re.sub(r"\[(`[\w:]+`)\]", r"\1", text)  # links of Rust's documentation
    # PyO3 describes no exceptions, so they and the list of all names are added here.
    kinds = [k for k in vars(_core).values() if isinstance(k, type) and issubclass(k, Exception)]
    raised = [f"class {kind.__name__}({kind.__base__.__name__}): ..." for kind in kinds]
    text = "\n".join([HEAD, text, *raised, f"__all__ = {sorted(_core.__all__)!r}"])
    for words in (("check", "--fix", "--quiet"), ("format",)):
        ruff = (sys.executable, "-m", "ruff", *words, "--stdin-filename", str(STUB), "-")
        text = _run(*ruff, text=text)
    return text


def _run(*command: str, text: str = "") -> str:
    """What a command prints."""
    done = subprocess.run(command, input=text, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}:\n{done.stderr}")
    return done.stdout


if __name__ == "__main__":
    install()
