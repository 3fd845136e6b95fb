"""
The tree of a TAN classifier
============================

Tree-augmented naive Bayes lets each feature depend on the class and on one other feature. Here are
the arcs between the squares of the tic-tac-toe boards.

More: :doc:`/explanation/bayes`.
"""

import matplotlib.pyplot as plt
import numpy as np

import fasttree
from fasttree.naive_bayes import TAN

data = fasttree.datasets.load_tic_tac_toe()
model = TAN().fit(data)
places = {name: (k % 3, 2 - k // 3) for k, name in enumerate(data.feature_names)}

fig, ax = plt.subplots(figsize=(6, 5))
for name, parent in zip(data.feature_names, model.parents_, strict=True):
    if parent is None or parent == -1:
        continue
    start = places[parent if isinstance(parent, str) else data.feature_names[parent]]
    ax.annotate(
        "",
        xy=places[name],
        xytext=start,
        arrowprops={"arrowstyle": "-|>", "lw": 1.6, "shrinkA": 26, "shrinkB": 26},
    )
for name, (x, y) in places.items():
    words = name.removesuffix("-square").replace("-", "\n")
    ax.text(x, y, words, ha="center", va="center", bbox={"boxstyle": "round", "fc": "white"})
ax.set(
    xlim=(-0.5, 2.5), ylim=(-0.5, 2.5), title="TAN on tic-tac-toe: every square also has the class"
)
ax.axis("off")
print(f"training accuracy {np.mean(model.predict(data) == data.y):.3f}")
