"""Cells of a notebook, executed by a kernel: what is shown, and that pictures are pictures."""

# ruff: noqa: E402
from __future__ import annotations

import base64
import os
from pathlib import Path

import pytest

nbformat = pytest.importorskip("nbformat", reason="notebook cells need nbclient and ipykernel")
pytest.importorskip("nbclient", reason="notebook cells need nbclient and ipykernel")
pytest.importorskip("ipykernel", reason="notebook cells need nbclient and ipykernel")
pytest.importorskip("matplotlib")

import fasttree

CELLS = {
    "tree": "import fasttree\nmodel = fasttree.fit('iris', criterion='gini')\nmodel",
    "printed": "print(model)",
    "plot": "model.plot()",
    "savefig": ("import matplotlib.pyplot as plt\nmodel.plot()\nplt.savefig(PATH)\nplt.show()"),
    "forest": "fasttree.FastForestClassifier(5, random_state=0).fit('iris')",
    "table": "fasttree.datasets.load_iris()",
    "criteria": "fasttree.list_criteria()",
    "comparison": (
        "found = fasttree.model_selection.compare(['iris', 'wine', 'monks-1'], "
        "['gini', 'mdl', 'info_gain'], cv='1x3')\nfound"
    ),
    "friedman": "found.friedman()",
    "ranks": "fasttree.plots.rank_diagram(found)",
    "sweep": "fasttree.sweep('monks-1', 'pi', alpha=[0.0, 0.5], cv='1x3')",
    "evaluation": "model.evaluate('iris')",
    "explain": "fasttree.fit('weather', trace='candidates').explain(0)",
    "rule": "model.decision_rule([5.1, 3.5, 1.4, 0.2])",
    "progress": "_ = fasttree.FastForestClassifier(5, progress=True, random_state=0).fit('iris')",
    "folds": (
        "_ = fasttree.model_selection.cross_validate('iris', 'gini', cv='20x10', progress=True)"
    ),
    "advice": "fasttree.advise('iris')",
}


@pytest.fixture(scope="module")
def shown(tmp_path_factory):
    """Outputs of the executed cells by name."""
    from nbclient import NotebookClient

    saved = tmp_path_factory.mktemp("notebook") / "tree.png"
    source = {name: text.replace("PATH", repr(str(saved))) for name, text in CELLS.items()}
    book = nbformat.v4.new_notebook()
    book.cells = [nbformat.v4.new_code_cell("%matplotlib inline")]
    book.cells += [nbformat.v4.new_code_cell(text) for text in source.values()]
    package = str(Path(fasttree.__file__).resolve().parents[1])
    paths = [package, os.environ.get("PYTHONPATH", "")]
    before = os.environ.get("PYTHONPATH")
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    try:
        NotebookClient(book, timeout=300, kernel_name="python3").execute()
    finally:
        if before is None:
            del os.environ["PYTHONPATH"]
        else:
            os.environ["PYTHONPATH"] = before
    outputs = dict(zip(CELLS, (cell.outputs for cell in book.cells[1:]), strict=True))
    keep = os.environ.get("FASTTREE_KEEP_PICTURES")
    for name, found in outputs.items():
        for place, data in enumerate(_data(found)):
            if keep and "image/png" in data:
                file = Path(keep) / f"{name}-{place}.png"
                file.write_bytes(base64.b64decode(data["image/png"]))
            if keep and "text/html" in data:
                (Path(keep) / f"{name}-{place}.html").write_text(data["text/html"])
    outputs["saved"] = saved.read_bytes()
    return outputs


def _data(outputs):
    return [dict(o["data"]) for o in outputs if "data" in o]


@pytest.mark.parametrize(
    ("cell", "words"),
    [
        ("tree", "<svg"),
        ("forest", "importance of"),
        ("table", "numeric"),
        ("criteria", "gain_ratio"),
        ("comparison", "data set"),
        ("friedman", "mean ranks"),
        ("sweep", "alpha"),
        ("evaluation", "Kappa"),
        ("explain", "ft-bar"),
        ("advice", "<svg"),
    ],
)
def test_results_show_themselves_as_html(shown, cell, words):
    pages = [d["text/html"] for d in _data(shown[cell]) if "text/html" in d]
    assert any(words in page for page in pages), cell
    assert all("<script" not in page for page in pages)


@pytest.mark.parametrize("cell", ["plot", "savefig", "ranks"])
def test_pictures_appear_once_and_are_not_white(shown, cell):
    import io

    import matplotlib.image

    pictures = [d["image/png"] for d in _data(shown[cell]) if "image/png" in d]
    assert len(pictures) == 1
    for content in (base64.b64decode(pictures[0]), shown["saved"]):
        pixels = matplotlib.image.imread(io.BytesIO(content))[..., :3]
        assert pixels.min() < 0.4 and (pixels < 0.9).mean() > 0.003


def test_printing_prints_the_tree_and_progress_leaves_nothing(shown):
    (text,) = [o["text"] for o in shown["printed"]]
    assert "petal" in text and "setosa (50)" in text
    assert not [o for o in shown["progress"] if o.get("output_type") == "error"]
    assert not any(word in str(o) for o in shown["progress"] for word in ("Traceback", "Warning"))
    bars = [shown["progress"], shown["advice"], shown["folds"]]
    assert not any(o["output_type"] == "stream" for outputs in bars for o in outputs)
    assert [dict(o["data"]) for o in shown["folds"]] == [{"text/plain": ""}]
