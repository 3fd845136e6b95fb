"""What the library computes is what it computed: every entry of tests/golden/results.json.

See golden_results.py for the configurations, and for writing entries anew that change on purpose.
"""

from __future__ import annotations

import pytest

from .. import golden_results

HELD = golden_results.golden()
ENTRIES = golden_results.entries()
COMMAND = "python tests/python/golden_results.py --write"


def test_the_file_holds_every_entry_and_no_other():
    missing, stale = ENTRIES.keys() - HELD["entries"], HELD["entries"].keys() - ENTRIES
    assert not missing and not stale, f"run {COMMAND} for {sorted(missing)}; stale: {sorted(stale)}"
    assert len(ENTRIES) >= 600 and len(golden_results.TABLES) == 20
    refused = [k for k, parts in HELD["entries"].items() if "refused" in parts]
    assert len(refused) <= len(ENTRIES) // 100, refused


@pytest.mark.skipif(
    HELD["platform"] != golden_results.PLATFORM,
    reason=f"hashes of floats hold on {HELD['platform']}, this is {golden_results.PLATFORM}",
)
@pytest.mark.parametrize("key", ENTRIES)
def test_result(key):
    found, held = golden_results.hashed(ENTRIES[key]), HELD["entries"][key]
    changed = sorted(p for p in {**held, **found} if held.get(p) != found.get(p))
    assert not changed, f"{', '.join(changed)} changed; if on purpose: {COMMAND} '{key}'"
