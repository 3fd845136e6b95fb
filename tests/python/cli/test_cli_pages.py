"""Pages that commands write: cv, compare, and what refuses a folder that is not there."""

from __future__ import annotations

import json

import pytest

pytest.importorskip("jinja2")


from ..reports.report_tools import check_page


def test_commands_write_pages(tmp_path, capsys):
    pytest.importorskip("typer")
    from fasttree.cli import main

    target = tmp_path / "cv.html"
    assert (
        main(
            [
                "cv",
                "iris",
                "-c",
                "gini",
                "--cv",
                "1x3",
                "--html",
                str(target),
                "--json",
                str(tmp_path / "a.json"),
            ]
        )
        == 0
    )
    page = check_page(target.read_text(encoding="utf-8"))
    assert "ROC, class setosa" in page.text
    assert json.loads((tmp_path / "a.json").read_text())["kind"] == "cross_validation"
    target = tmp_path / "compare.html"
    assert (
        main(
            [
                "compare",
                "iris",
                "weather",
                "-c",
                "gini,info_gain",
                "--cv",
                "1x3",
                "--html",
                str(target),
            ]
        )
        == 0
    )
    assert "2 methods on 2 data sets" in check_page(target.read_text(encoding="utf-8")).text
    capsys.readouterr()
    assert main(["cv", "iris", "--html", str(tmp_path / "no" / "cv.html")]) == 2
    assert "does not exist" in capsys.readouterr().err
