"""Random samples from classical distributions: Gaussian blobs, Breiman's waveform, the broken LED
display.

Sources
    Waveform and LED: Breiman, Friedman, Olshen & Stone (1984), "Classification and Regression
    Trees", sections 2.6.1 and 2.6.2; Bayes accuracy 86 % (waveform) and 74 % (LED at 10 % noise).
Complexity
    O(rows x features). All are seeded through ``numpy.random.default_rng``: one seed, one sample.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from .._checks import check_share, check_whole, generator_of, number_array, shown
from .._checks.aliases import Seed
from ..table import Table
from .label_tables import table_of_codes


def _numeric(X: np.ndarray, codes: np.ndarray, n_classes: int, name: str) -> Table:
    """A Table of numeric features x1, x2, ... with the declared classes 0 to n_classes - 1."""
    names = [f"x{j + 1}" for j in range(X.shape[1])]
    return Table(X, codes, feature_names=names, levels={"class": range(n_classes)}, name=name)


def make_blobs(
    n_samples: int = 2000,
    centers: int | np.ndarray | Sequence[Sequence[float]] = 3,
    n_features: int = 3,
    *,
    sd: float | Sequence[float] = 1.0,
    center_box: tuple[float, float] = (-10.0, 10.0),
    random_state: Seed = None,
) -> Table:
    """Isotropic Gaussian clusters, one per class.

    Args:
        n_samples: rows, shared out as evenly as possible, in random order.
        centers: number of clusters, their centres uniform in the box; or the centres, shape (k,
            n_features).
        n_features: dimensions (taken from `centers` when that is an array).
        sd: standard deviation of all clusters, or one per cluster.
        center_box: lower and upper bound of random centres.
        random_state: seed or Generator.

    Examples:
        >>> make_blobs(60, sd=(2.3, 3.5, 2.4), random_state=0)
        Table 'blobs': 60 rows, 3 features (3 numeric), target 'class' with 3 classes
    """
    n = check_whole("n_samples", n_samples, 1)
    rng = generator_of(random_state)
    # The centres of the clusters, drawn or given, and their standard deviations.
    if isinstance(centers, (int, np.integer)):
        shape = (check_whole("centers", int(centers), 1), check_whole("n_features", n_features, 1))
        box = number_array("center_box", center_box)
        if box.shape != (2,) or not np.isfinite(box).all() or not box[0] < box[1]:
            raise ValueError(
                f"center_box={shown(center_box)} is empty; give (low, high) with low < high"
            )
        middle = rng.uniform(float(box[0]), float(box[1]), size=shape)
    else:
        middle = number_array("centers", centers)
        if middle.ndim != 2 or not np.isfinite(middle).all():
            raise ValueError(
                f"centers of shape {middle.shape} must be a finite array of shape (clusters, "
                "features)"
            )
    n_clusters = len(middle)
    spread = number_array("sd", sd)
    if spread.ndim and spread.shape != (n_clusters,):
        raise ValueError(
            f"sd has {spread.size} values but there are {n_clusters} clusters; give one number or "
            "one a cluster"
        )
    if not ((spread >= 0) & (spread < 1e300)).all():
        raise ValueError(f"sd={shown(sd)} must be finite (below 1e300) and not negative")
    codes = rng.permutation(np.arange(n) % n_clusters)
    noise = rng.standard_normal((n, middle.shape[1]))
    X = middle[codes] + np.broadcast_to(spread, n_clusters)[codes, None] * noise
    return _numeric(X, codes, n_clusters, "blobs")


def make_waveform(n_samples: int = 5000, n_noise: int = 19, *, random_state: Seed = None) -> Table:
    """Breiman's waveforms: u h_a + (1 - u) h_b + N(0, 1) at 21 points, (a, b) = (1, 2), (1, 3), (2,
    3) by class.

    h1(i) = max(6 - abs(i - 11), 0), h2(i) = h1(i - 4), h3(i) = h1(i + 4), u uniform in [0, 1].

    Args:
        n_samples: rows (the UCI set has 5000).
        n_noise: further features of pure N(0, 1) noise (19 make the 40 of the UCI set).
        random_state: seed or Generator.

    Examples:
        >>> make_waveform(300, random_state=1)
        Table 'waveform': 300 rows, 40 features (40 numeric), target 'class' with 3 classes
    """
    n, extra = check_whole("n_samples", n_samples, 1), check_whole("n_noise", n_noise, 0)
    rng = generator_of(random_state)
    points = np.arange(1, 22)
    waves = np.stack([np.maximum(6.0 - np.abs(points - centre), 0.0) for centre in (11, 15, 7)])
    codes = rng.integers(0, 3, size=(n,))
    first, second = waves[np.array([0, 0, 1])[codes]], waves[np.array([1, 2, 2])[codes]]
    u = rng.random((n, 1))
    signal = np.hstack([u * first + (1 - u) * second, np.zeros((n, extra))])
    X = signal + rng.standard_normal(signal.shape)
    return _numeric(X, codes, 3, "waveform")


SEGMENTS = np.array(
    [[int(bit) for bit in digit] for digit in
     ["1110111", "0010010", "1011101", "1011011", "0111010", "1101011", "1101111", "1010010",
         "1111111", "1111011"]]
)  # fmt: skip
"""(10, 7): which of the seven segments (top, upper left, upper right, middle, lower left, lower
right, bottom) light up for each digit."""


def make_led(
    n_samples: int = 1000, *, noise: float = 0.1, n_irrelevant: int = 0, random_state: Seed = None
) -> Table:
    """The broken LED display: ten digits shown by seven segments, each inverted with probability
    `noise`.

    Args:
        n_samples: rows, digits uniform.
        noise: probability that a segment is inverted.
        n_irrelevant: further random bits (17 make the LED-24 problem).
        random_state: seed or Generator.

    Examples:
        >>> t = make_led(50, noise=0.0, random_state=0)
        >>> bool((SEGMENTS[t.y] == t.X).all())
        True
    """
    n, extra = check_whole("n_samples", n_samples, 1), check_whole("n_irrelevant", n_irrelevant, 0)
    rng = generator_of(random_state)
    codes = rng.integers(0, 10, size=n)
    bits = SEGMENTS[codes] ^ (rng.random((n, 7)) < check_share("noise", noise))
    bits = np.hstack([bits, rng.integers(0, 2, size=(n, extra))])
    levels = {**{f"x{j + 1}": (0, 1) for j in range(7 + extra)}, "class": range(10)}
    name = "led" if not extra else f"led{7 + extra}"
    return table_of_codes(name, levels, [*bits.T, codes])
