"""Problems defined by a rule: XOR, parity, Monks, tic-tac-toe, balance scale, contact lenses,
weather.

What
    Every row is computed on request; nothing is stored. Nominal features declare all their values,
    also those that do not occur in a sample.
Sources
    XOR and parity: textbook; the 3-bit cube with class x1 xor x2 is Vilalta's example. Monks: Thrun
    et al. (1991), "The MONK's Problems", CMU-CS-91-197. Tic-tac-toe: Aha (1991), all boards on
    which a game that x began can end. Balance scale: Siegler (1976) / Klahr & Siegler (1978).
    Contact lenses: Cendrowska (1987). Weather: Quinlan (1986), "Induction of decision trees", table
    1; its numeric form from Quinlan (1993).
Complexity
    O(rows x features).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from itertools import product
from typing import Any

import numpy as np

from .._checks import check_share, check_whole_number, checked, generator_of, one_value, shown
from ..table import Table
from ..table.columns import Column

Seed = int | np.random.Generator | None


def nominal(name: str, codes: Any, levels: Sequence[Any]) -> Column:
    """A nominal column of codes into `levels`."""
    return Column(name, "nominal", np.asarray(codes, dtype=np.int32), tuple(levels))


def flip_labels(codes: np.ndarray, flip: float, rng: np.random.Generator) -> np.ndarray:
    """Codes 0 and 1 of which each is replaced by the other with probability `flip`."""
    if check_share("flip", flip) == 0.0:
        return codes
    return np.where(rng.random(len(codes)) < flip, 1 - codes, codes)


def _bits(rows: np.ndarray, classes: np.ndarray, name: str) -> Table:
    """A Table of features x1, x2, ... and classes, all of them 0 or 1."""
    columns = [nominal(f"x{j + 1}", rows[:, j], (0, 1)) for j in range(rows.shape[1])]
    return Table.from_columns(columns, nominal("class", classes, (0, 1)), name=name)


def _table(name: str, levels: Mapping[str, Sequence[Any]], rows: Iterable[Sequence[Any]]) -> Table:
    """A Table of rows of labels; `levels` has those of each column by its name, the target last."""
    known = zip(levels.items(), zip(*rows, strict=True), strict=True)
    columns = [nominal(one, [*map(own.index, cells)], own) for (one, own), cells in known]
    return Table.from_columns(columns[:-1], columns[-1], name=name)


def _cube(n_bits: int) -> np.ndarray:
    """All 2^n_bits rows of n_bits bits, in lexicographic order."""
    return (np.arange(1 << n_bits)[:, None] >> np.arange(n_bits - 1, -1, -1)) & 1


def make_xor(
    n_bits: int = 3,
    *,
    n_noise: int = 0,
    repeats: int = 1,
    flip: float = 0.0,
    random_state: Seed = None,
) -> Table:
    """The exclusive-or cube: all 2^n_bits rows, class = x1 xor x2, the other bits irrelevant.

    Args:
        n_bits: bits of the cube (2 to 20).
        n_noise: further features of random bits.
        repeats: how often the whole cube is repeated.
        flip: probability that a label is inverted.
        random_state: seed or Generator (used by `n_noise` and `flip` only).

    Returns:
        Table of 2^n_bits * repeats rows and n_bits + n_noise nominal features with levels (0, 1),
        classes (0, 1).

    Examples:
        >>> t = make_xor()
        >>> t.X.tolist()[5], t.y.tolist()
        ([1, 0, 1], [0, 0, 1, 1, 1, 1, 0, 0])
    """
    if not 2 <= check_whole_number("n_bits", n_bits, 2) <= 20:
        raise ValueError(
            f"n_bits={n_bits} is more than 20; sample rows with make_parity(n_samples=...) instead"
        )
    rng = generator_of(random_state)
    rows = np.tile(_cube(n_bits), (check_whole_number("repeats", repeats, 1), 1))
    noise = rng.integers(0, 2, size=(len(rows), check_whole_number("n_noise", n_noise, 0)))
    classes = flip_labels(rows[:, 0] ^ rows[:, 1], flip, rng)
    return _bits(np.hstack([rows, noise]), classes, "xor")


def make_parity(
    n_bits: int = 3,
    n_noise: int = 0,
    n_samples: int | None = None,
    *,
    flip: float = 0.0,
    random_state: Seed = None,
) -> Table:
    """Parity: the class is the sum, modulo 2, of the first `n_bits` features.

    Args:
        n_bits: relevant bits.
        n_noise: irrelevant bits.
        n_samples: rows drawn uniformly; None: every row of the cube of n_bits + n_noise bits once.
        flip: probability that a label is inverted.
        random_state: seed or Generator.

    Examples:
        >>> make_parity(3).y.tolist()
        [0, 1, 1, 0, 1, 0, 0, 1]
        >>> make_parity(3, 5, 100, random_state=0)
        Table 'parity': 100 rows, 8 features (8 nominal), target 'class' with 2 classes
    """
    width = check_whole_number("n_bits", n_bits, 1) + check_whole_number("n_noise", n_noise, 0)
    rng = generator_of(random_state)
    if n_samples is None:
        if width > 20:
            raise ValueError(
                f"n_bits + n_noise = {width}: the cube has 2^{width} rows; give n_samples"
            )
        rows = _cube(width)
    else:
        rows = rng.integers(0, 2, size=(check_whole_number("n_samples", n_samples, 1), width))
    return _bits(rows, flip_labels(rows[:, :n_bits].sum(axis=1) % 2, flip, rng), "parity")


_MONKS_VALUES = (3, 3, 2, 3, 4, 2)
"""Number of values of each feature."""


@checked(problem=one_value)
def make_monks(
    problem: int = 1,
    n_samples: int | None = None,
    *,
    flip: float = 0.0,
    replace: bool = False,
    random_state: Seed = None,
) -> Table:
    """One of the three MONK's problems (Thrun et al. 1991), on robots of six nominal features.

    Problem 1: a1 = a2 or a5 = 1. Problem 2: exactly two of the six features have their first value.
    Problem 3: (a5 = 3 and a4 = 1) or (a5 != 4 and a2 != 3).

    Args:
        problem: 1, 2 or 3.
        n_samples: rows drawn at random from the 432 (the original training sets had 124, 169 and
            122 rows); None: all 432, in lexicographic order.
        flip: probability that a label is inverted (the original training set of problem 3 has 5 %).
        replace: draw with replacement.
        random_state: seed or Generator.

    Examples:
        >>> [int((make_monks(p).y == 1).sum()) for p in (1, 2, 3)]
        [216, 142, 228]
    """
    if problem not in (1, 2, 3):
        raise ValueError(
            f"problem={shown(problem)} is not one of the three MONK's problems; use 1, 2 or 3"
        )
    rng = generator_of(random_state)
    rows = np.array(list(product(*(range(v) for v in _MONKS_VALUES)))) + 1
    if n_samples is not None:
        n_samples = check_whole_number("n_samples", n_samples, 1)
        if not replace and n_samples > len(rows):
            raise ValueError(f"n_samples={n_samples} is more than the 432 robots; use replace=True")
        rows = rows[rng.choice(len(rows), size=n_samples, replace=replace)]
    a1, a2, _, a4, a5, _ = rows.T
    if problem == 1:
        classes = (a1 == a2) | (a5 == 1)
    elif problem == 2:
        classes = (rows == 1).sum(axis=1) == 2
    else:
        classes = ((a5 == 3) & (a4 == 1)) | ((a5 != 4) & (a2 != 3))
    codes = flip_labels(classes.astype(np.int64), flip, rng)
    levels = {f"a{j + 1}": range(1, v + 1) for j, v in enumerate(_MONKS_VALUES)}
    known = {**levels, "class": range(2)}
    return _table(f"monks-{problem}", known, np.column_stack([rows, codes]).tolist())


# Squares 0 to 8 of three in a row, on a board that is numbered row by row.
_LINES = ((0, 1, 2), (3, 4, 5), (6, 7, 8), (0, 3, 6), (1, 4, 7), (2, 5, 8), (0, 4, 8), (2, 4, 6))


def _wins(board: Sequence[str], player: str) -> bool:
    return any(all(board[i] == player for i in line) for line in _LINES)


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
            (*board[:i], player, *board[i + 1 :])
            for board in open_boards
            for i in range(9)
            if board[i] == "b"
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
    return _table("tic-tac-toe", levels, rows)


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
    if as_nominal:
        columns = [nominal(n, rows[:, j] - 1, range(1, 6)) for j, n in enumerate(names)]
    else:
        columns = [Column(n, "numeric", rows[:, j].astype(np.float64)) for j, n in enumerate(names)]
    return Table.from_columns(
        columns, nominal("class", 1 - np.sign(torque), ("L", "B", "R")), name="balance-scale"
    )


def make_contact_lenses() -> Table:
    """Cendrowska's 24 patients: every combination of four features and the lenses that fit.

    Examples:
        >>> t = make_contact_lenses()
        >>> {label: int((t.y == label).sum()) for label in t.classes}
        {'soft': 5, 'hard': 4, 'none': 15}
    """
    features: dict[str, tuple[str, ...]] = {
        "age": ("young", "pre-presbyopic", "presbyopic"),
        "spectacle-prescrip": ("myope", "hypermetrope"),
        "astigmatism": ("no", "yes"),
        "tear-prod-rate": ("reduced", "normal"),
    }

    def lenses(age: str, prescription: str, astigmatism: str, tears: str) -> str:
        if tears == "reduced":
            return "none"
        if astigmatism == "no":
            return "none" if age == "presbyopic" and prescription == "myope" else "soft"
        return "hard" if prescription == "myope" or age == "young" else "none"

    levels = {**features, "contact-lenses": ("soft", "hard", "none")}
    return _table(
        "contact-lenses", levels, [(*row, lenses(*row)) for row in product(*features.values())]
    )


# outlook, temperature, humidity, windy, temperature in degrees, humidity in per cent, play
_DAYS = """
sunny hot high FALSE 85 85 no
sunny hot high TRUE 80 90 no
overcast hot high FALSE 83 86 yes
rainy mild high FALSE 70 96 yes
rainy cool normal FALSE 68 80 yes
rainy cool normal TRUE 65 70 no
overcast cool normal TRUE 64 65 yes
sunny mild high FALSE 72 95 no
sunny cool normal FALSE 69 70 yes
rainy mild normal FALSE 75 80 yes
sunny mild normal TRUE 75 70 yes
overcast mild high TRUE 72 90 yes
overcast hot normal FALSE 81 75 yes
rainy mild high TRUE 71 91 no
"""


@checked(numeric=one_value)
def make_weather(*, numeric: bool = False) -> Table:
    """Quinlan's 14 Saturday mornings: shall we play?

    Args:
        numeric: temperature (degrees Fahrenheit) and humidity (per cent) as numbers (Quinlan 1993).

    Examples:
        >>> make_weather()
        Table 'weather': 14 rows, 4 features (4 nominal), target 'play' with 2 classes
    """
    days = [line.split() for line in _DAYS.strip().splitlines()]
    levels = {
        "outlook": ("sunny", "overcast", "rainy"),
        "temperature": ("hot", "mild", "cool"),
        "humidity": ("high", "normal"),
        "windy": ("TRUE", "FALSE"),
        "play": ("yes", "no"),
    }
    table = _table("weather", levels, [(*day[:4], day[6]) for day in days])
    if not numeric:
        return table
    columns = list(table.columns)
    for place, name in ((1, "temperature"), (2, "humidity")):
        columns[place] = Column(name, "numeric", np.array([float(day[place + 3]) for day in days]))
    return Table.from_columns(columns, table.target_column, name="weather-numeric")
