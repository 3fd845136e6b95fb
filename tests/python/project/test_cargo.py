"""The core's own tests, in the exhaustive tier: compiling them takes minutes."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]


@pytest.mark.exhaustive
@pytest.mark.skipif(
    shutil.which("cargo") is None, reason="cargo is not installed: the core's Rust tests need it"
)
@pytest.mark.skipif(
    not (ROOT / "Cargo.toml").is_file(),
    reason="the sources of the core are not here (tests of an installed package)",
)
def test_the_core_passes_its_own_tests():
    environment = {k: v for k, v in os.environ.items() if k != "RUSTFLAGS"}
    done = subprocess.run(
        ["cargo", "test", "--locked", "--quiet"],
        cwd=ROOT,
        env=environment,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=1500,
        check=False,
    )
    assert done.returncode == 0, f"cargo test failed:\n{done.stdout[-6000:]}\n{done.stderr[-6000:]}"
    passed = [line for line in done.stdout.splitlines() if line.startswith("test result: ok.")]
    counts = [int(line.split()[3]) for line in passed]
    assert sum(counts) > 0, f"cargo test ran no test:\n{done.stdout}"
