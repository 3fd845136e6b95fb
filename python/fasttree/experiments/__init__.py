"""Experiments of papers, run again: one folder per paper, with its settings and printed numbers.

What
    `run` executes one and returns a `Reproduction`: our numbers beside the printed ones, cell by
    cell, with tables, figures and a strict JSON form. ``ftree reproduce`` calls it. The folders
    hold no algorithms: these are public functions of the package.
How to add one
    A folder with a module that has a class ``Experiment``, a subclass of `paper.Paper`; its printed
    numbers as a file in ``published/``; and one entry in `EXPERIMENTS`.

Examples:
    >>> from fasttree import experiments
    >>> sorted(experiments.EXPERIMENTS)[:2]
    ['chen2013', 'f-measure']
"""

from __future__ import annotations

import importlib
import time
from collections.abc import Sequence
from os import PathLike
from typing import Any

from .._checks import as_list, checked, maybe, one_value, path_of, shown, string
from .._checks.data_warnings import quiet
from .._checks.naming import did_you_mean
from .._checks.progress import Progress
from ..model_selection.execution import executing_on
from ..model_selection.interrupts import ON_INTERRUPT
from .reproduction import Figure, Reproduction, Row

__all__ = ["EXPERIMENTS", "Figure", "Reproduction", "Row", "run"]

EXPERIMENTS: dict[str, tuple[str, str]] = {
    "chen2013": (
        "chen2013.run",
        "Chen, Wu & Cai 2013: information gain, gain ratio, normal gain and distance in Id3",
    ),
    "f-measure": (
        "f_measure.run",
        "Stadler & Dave: trees that split on the F measure, against Gini and information gain",
    ),
    "hope-korb2004": (
        "hope_korb2004.run",
        "Hope & Korb 2004: Bayesian learners and the information reward, sections 5.1 and 5.2",
    ),
    "spaeh-kosub": (
        "spaeh_kosub.run",
        "Späh & Kosub 2022: trees grown by the distance of the whole tree, figures 4 to 8",
    ),
    "vilalta2001": (
        "vilalta2001.run",
        (
            "Vilalta, Brodie, Oblinger & Rish 2001: purity, discrimination and pairs, table 1 and "
            "its sweeps"
        ),
    ),
}
"""Name of an experiment: its module, and a line that describes it."""


def _names(name: str, value: Any) -> list[str]:
    """Check of an argument that is a list of texts."""
    return [string(name, one) for one in as_list(name, value)]


@checked(
    name=string,
    data=maybe(path_of),
    datasets=maybe(_names),
    quick=one_value,
    on_interrupt=ON_INTERRUPT,
)
def run(
    name: str,
    data: str | PathLike[str] | None = None,
    datasets: Sequence[str] | None = None,
    *,
    quick: bool = False,
    n_jobs: int | None = -1,
    progress: Progress = False,
    on_interrupt: str = "raise",
    client: Any = None,
    journal: Any = None,
) -> Reproduction:
    """Run the experiment of a paper again.

    Args:
        name: a key of `EXPERIMENTS`.
        data: folder with the data files; default: the environment variable FASTTREE_DATA, else
            ``../shared/data/uci`` if there is one, else the bundled data sets that equal the
            paper's.
        datasets: only these of the paper's data sets; case, dots and dashes are ignored.
        quick: a shorter run, with fewer repeats, variations or data sets; a note says which.
        n_jobs: threads; -1 is all cores. The results do not depend on it.
        progress: True for a bar on stderr, or a function (done, total).
        on_interrupt: ``"return"``: Ctrl-C returns the data sets that are finished (for
            spaeh-kosub: the rule for ties), with a warning and ``unfinished``; simulations are kept
            whole or not at all.
        client, journal: of its cross-validations, as in
            `fasttree.model_selection.cross_validate`.

    Returns:
        A `Reproduction`.

    Raises:
        ValueError: an unknown experiment or data set.
        FileNotFoundError: the folder does not exist.
    """
    if name not in EXPERIMENTS:
        hint = did_you_mean(name, list(EXPERIMENTS), f"there are {', '.join(EXPERIMENTS)}")
        raise ValueError(f"name={shown(name)}: the experiment is not known; {hint}")
    module = importlib.import_module(f".{EXPERIMENTS[name][0]}", __name__)
    started = time.perf_counter()
    with quiet(), executing_on(client, journal):  # nothing can be changed in the papers' data
        paper = module.Experiment(data, datasets, quick, n_jobs, progress, on_interrupt)
        result: Reproduction = paper.run()
    result.seconds = time.perf_counter() - started
    return result
