"""1,000 refits of a tree on bootstrap samples, beside as many trees of scikit-learn on the same
multiplicities.

    python benches/stability.py            # prints CPU seconds of one thread
    python benches/stability.py --record   # keeps the figures in benches/record

The breast cancer data (569 x 30), entropy, grown out. scikit-learn's time covers the fits
only; fasttree's also covers the counts of features, the votes and the similarities.
Records are taken with a release build of the core.
The answer is checked first: the shares of features of ten refits by hand.
"""

from __future__ import annotations

import argparse
import time

import numpy as np
from clock import add_record, keep
from sklearn.datasets import load_breast_cancer
from sklearn.tree import DecisionTreeClassifier

import fasttree

REPEATS = 1000
ROUNDS = 3
GOAL = 10.0
"""How many times the CPU of scikit-learn's fits."""


def main() -> None:
    """Print the times and their ratio."""
    parser = argparse.ArgumentParser(description="refits beside scikit-learn")
    add_record(parser)
    given = parser.parse_args()
    X, y = load_breast_cancer(return_X_y=True)
    model = fasttree.FastTreeClassifier(n_jobs=1).fit(X, y)
    few = model.stability(X, y, repeats=10)
    by_hand = [
        fasttree.fit(X, y, sample_weight=few.multiplicities(i).astype(float)).tree_.feature
        for i in range(10)
    ]
    used = np.mean([np.isin(np.arange(30), feature) for feature in by_hand], axis=0)
    assert few.features.used.tolist() == used.tolist()
    own, peer = [], []
    for _ in range(ROUNDS):
        start = time.process_time()
        found = model.stability(X, y, repeats=REPEATS, n_jobs=1)
        own.append(time.process_time() - start)
        times = [found.multiplicities(i).astype(float) for i in range(REPEATS)]
        start = time.process_time()
        for weights in times:
            DecisionTreeClassifier(criterion="entropy", random_state=0).fit(X, y, weights)
        peer.append(time.process_time() - start)
    ratio = min(peer) / min(own)
    print(f"fasttree {min(own):.3f} s, scikit-learn {min(peer):.3f} s: {ratio:.1f} times")
    if given.record:
        keep(
            {
                "unit": "CPU seconds of one thread, least first",
                "data": "breast cancer, 569 x 30",
                "refits": REPEATS,
                "fasttree, with features, votes and similarities": sorted(own),
                "scikit-learn, fits alone": sorted(peer),
                "ratio": ratio,
                "goal": GOAL,
                "met": ratio >= GOAL,
            }
        )


if __name__ == "__main__":
    main()
