"""Data sets of all cases that a rule tells apart: tic-tac-toe and the balance scale.

What
    Every row is computed on request; nothing is stored.
Sources
    Tic-tac-toe: Aha (1991), all boards on which a game that x began can end. Balance scale: Siegler
    (1976) / Klahr & Siegler (1978).
Complexity
    O(rows x features).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import numpy as np

from .._checks import checked, one_value
from ..table import Table
from ..table.columns import Column
from .label_tables import table_of_codes, table_of_labels

_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))
"""Squares of three in a row, on a board whose squares are numbered from 0, row by row."""


def _wins(board: Sequence[str], player: str) -> bool:
    """Whether a player has three in a row."""
    return any(all(board[square] == player for square in line) for line in _LINES)


def make_tic_tac_toe() -> Table:
    """All 958 boards on which a game of tic-tac-toe begun by x can end; positive: x has won (626 of
    them).

    Returns:
        Table of 9 nominal features (``top-left-square`` ... ``bottom-right-square``) with levels
        (b, o, x), b = blank; classes (negative, positive), positive rows first.

    Examples:
        >>> t = make_tic_tac_toe()
        >>> t.shape, int((t.y == "positive").sum())
        ((958, 9), 626)
    """
    # All games, move by move: boards on which the game goes on, and boards on which it has ended.
    finished: set[tuple[str, ...]] = set()
    open_boards: set[tuple[str, ...]] = {("b",) * 9}
    for move in range(9):
        player = "xo"[move % 2]
        following = {
            (*board[:square], player, *board[square + 1 :])
            for board in open_boards
            for square in range(9)
            if board[square] == "b"
        }
        ended = {board for board in following if _wins(board, player) or move == 8}
        finished |= ended
        open_boards = following - ended
    # The order of the UCI file: wins of x first, then by square with x before o before blank.
    boards = sorted(finished, key=lambda b: (not _wins(b, "x"), tuple("xob".index(c) for c in b)))
    squares = [
        f"{row}-{column}-square"
        for row in ("top", "middle", "bottom")
        for column in ("left", "middle", "right")
    ]
    levels = {**dict.fromkeys(squares, ("b", "o", "x")), "class": ("negative", "positive")}
    rows = [(*board, "positive" if _wins(board, "x") else "negative") for board in boards]
    return table_of_labels("tic-tac-toe", levels, rows)


@checked(as_nominal=one_value)
def make_balance_scale(*, as_nominal: bool = False) -> Table:
    """All 625 settings of a balance: weight and distance (1 to 5) on each side; it tips L, R or is
    B (balanced).

    Args:
        as_nominal: nominal features with levels 1 to 5 instead of numeric ones.

    Examples:
        >>> t = make_balance_scale()
        >>> {label: int((t.y == label).sum()) for label in t.classes}
        {'L': 288, 'B': 49, 'R': 288}
    """
    rows = np.array(list(product(range(1, 6), repeat=4)))
    torque = rows[:, 0] * rows[:, 1] - rows[:, 2] * rows[:, 3]
    names = ("left-weight", "left-distance", "right-weight", "right-distance")
    levels = {**dict.fromkeys(names, range(1, 6)), "class": ("L", "B", "R")}
    table = table_of_codes("balance-scale", levels, [*(rows - 1).T, 1 - np.sign(torque)])
    if as_nominal:
        return table
    columns = [Column(n, "numeric", rows[:, j].astype(np.float64)) for j, n in enumerate(names)]
    return Table.from_columns(columns, table.target_column, name=table.name)
