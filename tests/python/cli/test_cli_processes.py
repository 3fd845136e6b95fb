"""The command line in a process of its own: Ctrl-C, a closed pipe, packages that are missing."""

from __future__ import annotations

import signal
import subprocess
import sys
import time

import pytest

pytest.importorskip("typer")
pytest.importorskip("rich")


def run_python(code: str, **kwargs):
    return subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        **kwargs,
    )


@pytest.mark.skipif(sys.platform == "win32", reason="signals")
@pytest.mark.parametrize(
    ("sent", "ends_with", "code"),
    [(signal.SIGINT, "ftree: interrupted\n", 130), (signal.SIGTERM, "ftree: terminated\n", 143)],
)
def test_a_signal_ends_a_long_comparison(tmp_path, sent, ends_with, code):
    path = tmp_path / "j"
    program = (
        "import sys, fasttree.estimators, fasttree.model_selection\n"
        "from fasttree.cli import main\n"
        "print('ready', flush=True)\n"
        "sys.exit(main(['compare', 'breast-cancer', '--cv', '2000x10', '--journal', "
        f"{str(path)!r}]))\n"
    )
    process = run_python(program)
    assert process.stdout.readline() == "ready\n"
    while not (path.is_file() and path.stat().st_size > 1000) and process.poll() is None:
        time.sleep(0.05)
    assert process.poll() is None
    started = time.monotonic()
    process.send_signal(sent)
    _, err = process.communicate(timeout=30)
    assert time.monotonic() - started < 5
    assert process.returncode == code and err.endswith(ends_with)
    assert "Traceback" not in err and "the same command goes on from there" in err


@pytest.mark.skipif(sys.platform == "win32", reason="pipes")
def test_a_closed_pipe_is_no_error():
    process = run_python("import sys; from fasttree.cli import main; sys.exit(main(['datasets']))")
    process.stdout.close()
    said = process.stderr.read()
    assert process.wait(30) == 0
    assert said == ""


@pytest.mark.parametrize("package", ["typer", "rich"])
def test_without_typer_or_rich_the_extra_is_named(package):
    code = (
        f"import sys; sys.modules[{package!r}] = None; from fasttree.cli import main; "
        f"sys.exit(main(['doctor']))"
    )
    process = run_python(code)
    out, err = process.communicate(timeout=60)
    assert process.returncode == 2
    assert out == ""
    assert f"needs {package}: pip install 'fasttree[cli]'" in err
