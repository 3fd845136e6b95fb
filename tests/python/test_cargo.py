"""The core's own tests, run once as part of pytest, so that one command tests everything.

They are started when the tests have been collected, beside the Python tests (see conftest), and
waited for here, when all others but the timed ones are done: compiling them takes as long as
everything else on one core.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.skipif(
    shutil.which("cargo") is None, reason="cargo is not installed: the core's Rust tests need it"
)
@pytest.mark.skipif(
    not (ROOT / "Cargo.toml").is_file(),
    reason="the sources of the core are not here (tests of an installed package)",
)
def test_the_core_passes_its_own_tests(request):
    code, out, errors = request.config.core_tests.wait(timeout=1500)
    assert code == 0, f"cargo test failed:\n{out[-6000:]}\n{errors[-6000:]}"
    passed = [line for line in out.splitlines() if line.startswith("test result: ok.")]
    counts = [int(line.split()[3]) for line in passed]
    assert sum(counts) > 0, f"cargo test ran no test:\n{out}"
