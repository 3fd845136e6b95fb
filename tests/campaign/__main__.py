"""The campaign: ``python -m tests.campaign models 100000``, ``files 50000``, ``configurations
5000``, ``plink 2000``, ``writers 200``.

``--first N`` begins at another case, so that a campaign can be divided; ``--json FILE`` adds what
was done to a record. Cases follow from their numbers alone. Exit code 1 with findings.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import time
from pathlib import Path

from . import commands, configurations, files, guarded, models, plink, writers

PARTS = {
    "commands": commands,
    "models": models,
    "files": files,
    "configurations": configurations,
    "plink": plink,
    "writers": writers,
}
LEVELS = ("baseline", "avx2", "avx512")


def digests(first: int, count: int) -> int:
    """Print what each configuration gives at this level of SIMD."""
    run = configurations.make(lambda number, digest: print(number, digest, flush=True))
    found = guarded.run(run, first, count)
    print(*found, sep="\n", file=sys.stderr)
    return bool(found)


def levels_differ(first: int, count: int) -> list[str]:
    """Configurations whose models are not the same bytes at every level that this machine has."""
    command = [sys.executable, "-m", "tests.campaign", "digests", str(count), "--first", str(first)]
    said = {}
    for level in LEVELS:
        environment = {**os.environ, "FASTTREE_SIMD": level}
        done = subprocess.run(command, env=environment, capture_output=True, text=True)
        said[level] = set(done.stdout.splitlines())
    first_level = said[LEVELS[0]]
    return [
        f"{level}: {line}" for level in LEVELS[1:] for line in sorted(said[level] - first_level)
    ]


def main() -> int:
    """Run a part."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("part", choices=[*PARTS, "levels", "digests"])
    parser.add_argument("count", type=int)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--json", type=Path)
    given = parser.parse_args()
    if given.part == "digests":
        return digests(given.first, given.count)
    begin = time.time()
    if given.part == "levels":
        findings = levels_differ(given.first, given.count)
    else:
        findings = guarded.run(PARTS[given.part].make(), given.first, given.count)
    print(*findings, sep="\n")
    print(f"{given.part}: {given.count} cases, {len(findings)} findings")
    if given.json is not None:
        record = json.loads(given.json.read_text()) if given.json.exists() else []
        one = {"part": given.part, "first": given.first, "cases": given.count}
        one |= {"findings": len(findings), "seconds": round(time.time() - begin)}
        given.json.write_text(json.dumps([*record, one], indent=1) + "\n")
    return bool(findings)


if __name__ == "__main__":
    sys.exit(main())
