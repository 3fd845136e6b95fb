"""java.util.Random, bit for bit: the generator of Weka's folds (`WekaStratifiedKFold`).

The 48-bit linear congruential generator documented with the Java class: state = (state *
0x5DEECE66D + 0xB) mod 2^48, ``next(bits)`` = the top bits of the state, and nextInt(bound) by
rejection. Its numbers are not good: use NumPy's generators for anything that need not agree with a
Java program.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from .._checks import check_integer, shown

_MULTIPLIER = 0x5DEECE66D
_INCREMENT = 0xB
_MASK = (1 << 48) - 1


class JavaRandom:
    """The numbers of ``java.util.Random(seed)``, a 48-bit linear congruential generator, so that
    Weka's folds can be drawn without Java.

    >>> JavaRandom(1).next_ints([150] * 8).tolist()
    [135, 88, 97, 63, 104, 4, 134, 106]
    """

    def __init__(self, seed: int) -> None:
        self._state = (check_integer("seed", seed, -(2**63)) ^ _MULTIPLIER) & _MASK

    def _next_31(self) -> int:
        """The top 31 bits of the next state."""
        self._state = (self._state * _MULTIPLIER + _INCREMENT) & _MASK
        return self._state >> 17

    def next_int(self, bound: int) -> int:
        """Return the next integer in [0, bound), as Java's ``nextInt(bound)``. Raises ValueError
        unless 1 <= bound < 2^31."""
        if not 0 < bound < 1 << 31:
            raise ValueError(f"bound={shown(bound)} must be between 1 and 2^31 - 1")
        bits = self._next_31()
        if bound & -bound == bound:
            return (bound * bits) >> 31
        value = bits % bound
        while bits - value + bound - 1 >= 1 << 31:
            bits = self._next_31()
            value = bits % bound
        return value

    def next_ints(self, bounds: Iterable[int]) -> np.ndarray:
        """Return `next_int` of every one of `bounds`, in order, as int64 of the same length. Each
        number advances the state, as single calls do."""
        return np.array([self.next_int(int(bound)) for bound in bounds], dtype=np.int64)
