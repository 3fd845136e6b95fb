"""Functions of bits: exclusive or, and parity.

What
    Every row is computed on request. Features declare both values, also where a sample has one.
Source
    Textbook; the 3-bit cube with class x1 xor x2 is Vilalta's example.
Complexity
    O(rows x features).
"""

from __future__ import annotations

import numpy as np

from .._checks import check_whole, generator_of
from .._checks.aliases import Seed
from ..table import Table
from .label_tables import flip_labels, table_of_codes


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
    if not 2 <= check_whole("n_bits", n_bits, 2) <= 20:
        raise ValueError(
            f"n_bits={n_bits} is more than 20; sample rows with make_parity(n_samples=...) instead"
        )
    rng = generator_of(random_state)
    rows = np.tile(_cube(n_bits), (check_whole("repeats", repeats, 1), 1))
    noise = rng.integers(0, 2, size=(len(rows), check_whole("n_noise", n_noise, 0)))
    classes = flip_labels(rows[:, 0] ^ rows[:, 1], flip, rng)
    return _table_of_bits(np.hstack([rows, noise]), classes, "xor")


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
    width = check_whole("n_bits", n_bits, 1) + check_whole("n_noise", n_noise, 0)
    rng = generator_of(random_state)
    if n_samples is None:
        if width > 20:
            raise ValueError(
                f"n_bits + n_noise = {width}: the cube has 2^{width} rows; give n_samples"
            )
        rows = _cube(width)
    else:
        rows = rng.integers(0, 2, size=(check_whole("n_samples", n_samples, 1), width))
    return _table_of_bits(rows, flip_labels(rows[:, :n_bits].sum(axis=1) % 2, flip, rng), "parity")


def _table_of_bits(rows: np.ndarray, classes: np.ndarray, name: str) -> Table:
    """A Table of features x1, x2, ... and classes, all of them 0 or 1.

    Args:
        rows: the bits, shape (n_rows, n_features).
        classes: the classes, shape (n_rows,).
        name: name of the data set.
    """
    names = [*(f"x{j + 1}" for j in range(rows.shape[1])), "class"]
    return table_of_codes(name, dict.fromkeys(names, (0, 1)), [*rows.T, classes])
