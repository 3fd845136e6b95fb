"""
A tree in ONNX
==============

``to_onnx`` writes the tree as a graph, and ONNX Runtime answers for it. The picture has the
probabilities of both for new rows; without the two packages it has those of fasttree alone.

More: :doc:`/how_to/elsewhere`.
"""

import matplotlib.pyplot as plt
import numpy as np

import fasttree

data = fasttree.datasets.make_waveform(1500, random_state=0)
X = data.X.astype(np.float32)
train, new = slice(0, 1000), slice(1000, None)
tree = fasttree.fit(
    X[train], data.y[train], criterion="gini", max_depth=5, leaf_smoothing="laplace"
)
ours = tree.predict_proba(X[new])

try:
    import onnxruntime

    session = onnxruntime.InferenceSession(tree.to_onnx().SerializeToString())
    label, theirs = session.run(None, {session.get_inputs()[0].name: X[new]})
    print(f"largest difference of {theirs.size} probabilities: {abs(theirs - ours).max():.1e}")
except ImportError:
    theirs = ours
    print("pip install onnx onnxruntime, to see ONNX Runtime answer")

fig, ax = plt.subplots(figsize=(5.5, 5))
for k, name in enumerate(data.classes):
    ax.scatter(ours[:, k], theirs[:, k], s=30, marker="os^"[k], alpha=0.5, label=f"class {name}")
ax.plot([0, 1], [0, 1], color="grey", linewidth=1, zorder=0)
ax.set(xlabel="probability by fasttree", ylabel="probability by ONNX Runtime")
ax.legend()
fig.tight_layout()
