"""PLINK files and scores on their genotypes: reading beside bed-reader, MultiSURF and its kin from
a .bed with CPU time and peak memory.

    python benches/genotypes_side_by_side.py --only reading    # a .bed of 500 MB, and bed-reader
    python benches/genotypes_side_by_side.py --only scores --works multisurf,stir,permutations
    python benches/genotypes_side_by_side.py --record          # keeps the numbers in benches/record

FASTTREE_SIMD=avx2 and the like choose other kernels. The file is made in a temporary folder.
Genotypes are compared before anything is timed. A ratio is the peer's CPU time over fasttree's, one
thread each.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
from clock import add_record, check, command, have, keep, record_file, take_turns

from fasttree._engine import simd_level
from fasttree.datasets import read_plink

BLOCK = 10_000


def write_study(folder: str, samples: int, variants: int, missing: bool) -> Path:
    """A study of random genotypes in Hardy-Weinberg proportions of frequency .3, as a .bed."""
    random = np.random.default_rng(0)
    counts = random.random(1 << 20) if not missing else random.random(1 << 20) * 1.01
    codes = np.select([counts < 0.09, counts < 0.51, counts < 1.0], [0, 2, 3], 1).astype(np.uint8)
    quads = codes.reshape(-1, 4) @ np.array([1, 4, 16, 64], dtype=np.uint8)
    stem = Path(folder) / "study"
    with open(stem.with_suffix(".bed"), "wb") as file:
        file.write(b"\x6c\x1b\x01")
        each = (samples + 3) // 4
        last = 0xFF >> (2 * (-samples % 4))
        for first in range(0, variants, 1000):
            block = quads[random.integers(0, len(quads), (min(1000, variants - first), each))]
            block[:, -1] &= last
            file.write(block.tobytes())
    cases = random.integers(1, 3, samples)
    write(
        stem.with_suffix(".fam"),
        (f"f{i}\ti{i}\t0\t0\t1\t{cases[i]}\n" for i in range(samples)),
    )
    write(
        stem.with_suffix(".bim"),
        (f"{1 + v * 22 // variants}\trs{v}\t0\t{v + 1}\tA\tG\n" for v in range(variants)),
    )
    return stem.with_suffix(".bed")


def write(path: Path, lines: Iterable[str]) -> None:
    """A text file."""
    with open(path, "w", encoding="utf-8") as file:
        file.writelines(lines)


def reading(rounds: int) -> dict[str, Any]:
    """All genotypes of a .bed of 500 MB as int8, a block of variants at a time."""
    samples, variants = 10_000, 200_000
    with tempfile.TemporaryDirectory() as folder:
        path = write_study(folder, samples, variants, missing=True)
        size = path.stat().st_size

        def ours() -> None:
            study = read_plink(path)
            for first in range(0, variants, BLOCK):
                study.to_array(variants=slice(first, first + BLOCK))

        contestants = {"fasttree": ours}
        if have("bed_reader"):
            from bed_reader import open_bed

            def theirs() -> None:
                with open_bed(path, num_threads=1) as bed:
                    for first in range(0, variants, BLOCK):
                        bed.read(np.s_[:, first : first + BLOCK], dtype="int8")
                    bed.sid, bed.iid, bed.bp_position  # noqa: B018  (read when asked for)

            contestants["bed-reader"] = theirs
            study = read_plink(path)
            with open_bed(path, num_threads=1) as bed:
                for first in range(0, variants, BLOCK):
                    part = slice(first, first + BLOCK)
                    same = study.to_array(variants=part) == bed.read(np.s_[:, part], dtype="int8")
                    check(bool(same.all()), "genotypes differ from bed-reader's")
                check((study.variant_ids == bed.sid).all(), "names of variants differ")
        times = {name: min(found) for name, found in take_turns(contestants, rounds).items()}
    ratio = times["bed-reader"] / times["fasttree"] if "bed-reader" in times else None
    print(f"{samples:,} x {variants:,}, {size / 1e6:.0f} MB:", times, f"ratio {ratio}")
    return {
        "data": f"{samples:,} x {variants:,}",
        "bytes": size,
        "method": "all genotypes as int8, names and positions of the variants",
        "seconds": times,
        "ratio": ratio,
    }


SCORE = """
import json, resource, sys, time
import fasttree
path, work = sys.argv[1:]
study = fasttree.datasets.read_plink(path)
start = time.process_time()
found = eval(work)
taken = time.process_time() - start
peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
print(json.dumps({"seconds": taken, "with_start": time.process_time(), "peak_bytes": peak}))
"""

WORKS = {
    "multisurf": "fasttree.score_features(study, criterion='multisurf')",
    "surf": "fasttree.score_features(study, criterion='surf')",
    "relieff": "fasttree.score_features(study, criterion='relieff')",
    "stir": "fasttree.relief_p_values(study, n_permutations=0)",
    "permutations": "fasttree.relief_p_values(study, n_permutations=100)",
}


def scoring(shape: tuple[int, int], works: list[str], rounds: int, missing: bool) -> dict[str, Any]:
    """CPU seconds and peak memory of calls, each in a process of its own, one thread; what stands
    before the call (start, reading names) is in `with_start`."""
    best: dict[str, dict[str, float]] = {}
    with tempfile.TemporaryDirectory() as folder:
        path = write_study(folder, *shape, missing=missing)
        for _ in range(rounds):
            for work in works:
                words = [sys.executable, "-c", SCORE, str(path), WORKS[work]]
                done = subprocess.run(words, capture_output=True, text=True, check=True)
                found = json.loads(done.stdout)
                if work not in best or found["seconds"] < best[work]["seconds"]:
                    best[work] = found
    data = f"{shape[0]:,} x {shape[1]:,}"
    print(data, "1 % missing" if missing else "complete", simd_level(), best, flush=True)
    return {
        "data": data,
        "missing": 0.01 if missing else 0.0,
        "simd": simd_level(),
        "method": "from a .bed, one thread",
        "results": best,
    }


def main() -> None:
    """Run, print, and keep."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", choices=["reading", "scores"])
    parser.add_argument("--samples", type=int, default=2350)
    parser.add_argument("--variants", type=int, default=230_000)
    parser.add_argument("--works", default="multisurf", help=", ".join(WORKS))
    parser.add_argument("--missing", action="store_true", help="one genotype of a hundred")
    parser.add_argument("--rounds", type=int, default=3)
    add_record(parser)
    options = parser.parse_args()
    results = []
    if options.only in (None, "reading"):
        results.append(reading(options.rounds))
    if options.only in (None, "scores"):
        shape = (options.samples, options.variants)
        works = options.works.split(",")
        results.append(scoring(shape, works, options.rounds, options.missing))
    if options.record:
        mine = {(r["data"], r.get("missing"), r.get("simd")) for r in results}
        path = record_file()
        before = json.loads(path.read_text(encoding="utf-8"))["results"] if path.exists() else []
        kept = [r for r in before if (r["data"], r.get("missing"), r.get("simd")) not in mine]
        keep({"results": kept + [{"command": command()} | r for r in results]})


if __name__ == "__main__":
    main()
