"""The texts of ``ftree``, ``ftree --help`` and ``ftree --version``, without an import of the
commands.

The commands import NumPy, a parser and tables, for which the first help should not wait. A test
compares this text with the commands, and the version with the engine's.
"""

from __future__ import annotations


def version() -> str:
    """Version of the compiled core, read without importing the rest of the package, so that
    ``--version`` answers at once."""
    from .. import _core

    return str(_core.__version__)


HELP = """\
Usage: ftree COMMAND [ARGUMENTS] [OPTIONS]

Decision trees by any split criterion: grow them, compare them, read them.

Commands:
  advise               Recommend a tree: which criterion, splits and pruning, how large, and how
                       accurate on new rows.
  compare              Compare split criteria over data sets: accuracy, leaves, significance marks,
                       wins, ties, losses.
  cv                   Cross-validate split criteria on one data set, all on the same folds.
  fit                  Grow a tree on a data file and print it, with its accuracy or error in
                       cross-validation.
  predict              Predict the rows of a data file; CSV on stdout, accuracy or error on stderr
                       where the target is known.
  rank                 Score every feature (for genotypes, a .bed: every variant) by one or
                       several criteria.
  sweep                Cross-validate criteria on pairs of rows under many settings, as a table and
                       a heat map.
  show                 Print a saved tree, or turn it into rules, SQL, Python, C, ONNX, a picture or
                       a page.
  criteria             List the split criteria, or describe one with its formula, options and
                       source.
  cite                 Print BibTeX to cite fasttree, or what criteria, presets and tests come from.
  doctor               Versions, threads and processor level, and a short exercise of the core.
  reproduce            Run a paper's experiment again and print its numbers beside ours.
  status               Show what a journal contains: what is finished, and whether a run writes it.
  completion           Print the script that completes ftree's commands and options in a shell.
  datasets             List the bundled data sets, or describe one or a data file.

Options:
  --version            Print the version and exit.
  --install-completion Install completion for the current shell.
  --show-completion    Print the completion script of the current shell.
  -h, --help           Print this text, or the help of a command, and exit.

Start with:
  ftree advise iris
  ftree fit iris
  ftree compare
  ftree reproduce chen2013 --datasets balance-scale --quick
"""
