"""java.util.Random, bit for bit: the generator of Weka's folds (`WekaStratifiedKFold`).

The 48-bit linear congruential generator documented with the Java class: state = (state *
0x5DEECE66D + 0xB) mod 2^48, ``next(bits)`` = the top bits of the state, and nextInt(bound) by
rejection. n draws are vectorised in NumPy: state i is a^i times the first state plus a constant.
Not a good generator: use NumPy's for anything that need not agree with a Java program.
"""

from __future__ import annotations

import numpy as np

from .._checks import integer, shown

_MULTIPLIER = 0x5DEECE66D
_INCREMENT = 0xB
_MASK = (1 << 48) - 1


def _jumps(n: int) -> tuple[np.ndarray, np.ndarray]:
    """Return a^i and (a^i - 1)/(a - 1) * c mod 2^48 for i = 1..n, by doubling."""
    power = np.array([_MULTIPLIER], dtype=np.uint64)
    offset = np.array([_INCREMENT], dtype=np.uint64)
    mask = np.uint64(_MASK)
    while len(power) < n:
        power, offset = (
            np.concatenate([power, power * power[-1] & mask]),
            np.concatenate([offset, (power * offset[-1] + offset) & mask]),
        )
    return power[:n], offset[:n]


class JavaRandom:
    """java.util.Random(seed).

    >>> JavaRandom(1).next_ints([150] * 8).tolist()
    [135, 88, 97, 63, 104, 4, 134, 106]
    """

    def __init__(self, seed: int) -> None:
        self._state = (integer("seed", seed, -(2**63)) ^ _MULTIPLIER) & _MASK

    def _next_31(self) -> int:
        """The top 31 bits of the next state."""
        self._state = (self._state * _MULTIPLIER + _INCREMENT) & _MASK
        return self._state >> 17

    def next_int(self, bound: int) -> int:
        """Return the next integer in [0, bound); 1 <= bound < 2^31."""
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

    def next_ints(self, bounds: object) -> np.ndarray:
        """Return next_int(b) for every b of `bounds`, in order, int64 of the same length.

        The common case, in which no draw is rejected, is vectorised; from the first rejection on
        draws go one by one.
        """
        limits = np.asarray(bounds, dtype=np.int64)
        if len(limits) == 0:
            return limits
        if limits.min() < 1 or limits.max() >= 1 << 31:
            raise ValueError("every bound must be between 1 and 2^31 - 1")
        # All states at once, and the values as if no draw were rejected.
        power, offset = _jumps(len(limits))
        states = (power * np.uint64(self._state) + offset) & np.uint64(_MASK)
        bits = (states >> np.uint64(17)).astype(np.int64)
        values = bits % limits
        power_of_two = limits & -limits == limits
        values = np.where(power_of_two, (limits * bits) >> 31, values)
        rejected = ~power_of_two & (bits - values + limits - 1 >= 1 << 31)
        if not rejected.any():
            self._state = int(states[-1])
            return values
        # From the first rejection on every draw shifts the later ones.
        first = int(rejected.argmax())
        if first:
            self._state = int(states[first - 1])
        values[first:] = [self.next_int(int(limit)) for limit in limits[first:]]
        return values
