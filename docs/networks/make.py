"""Draw docs/networks: arc probabilities of Asia, exact and sampled, and the distance between the
two by the number of steps; the numbers go to record.json.

Run as ``python docs/networks/make.py`` (a minute); the page quotes record.json.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

import numpy as np

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

from asia import NAMES, asia  # noqa: E402

from fasttree.bayesian_networks import CaMML, exact_posterior  # noqa: E402

STEPS = (2_000, 20_000, 200_000, 2_000_000)


def main() -> None:
    """Compute and draw."""
    table = asia().sample(1000, random_state=0)
    model = CaMML(random_state=0).fit(table)
    truth = exact_posterior(table, arc_probability=model.arc_probability_)
    distances = []
    for steps in STEPS:
        found = CaMML(n_steps=steps, arc_probability=model.arc_probability_, random_state=0).fit(
            table
        )
        gap = np.abs(found.arc_probabilities_ - truth.arc_probabilities).max()
        distances.append([steps, round(float(gap), 4)])
    record = {
        "arc_probability": model.arc_probability_,
        "arcs": model.network_.arcs,
        "message_length": model.message_length_,
        "exact_best": truth.best.message_length,
        "largest_difference": distances,
        "exact": np.round(truth.arc_probabilities, 4).tolist(),
        "sampled": np.round(model.arc_probabilities_, 4).tolist(),
    }
    (HERE / "record.json").write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    draw(truth.arc_probabilities, model.arc_probabilities_)
    (HERE / "asia.svg").write_text(model.to_svg() + "\n", encoding="utf-8")


def draw(exact: np.ndarray, sampled: np.ndarray) -> None:
    """Two matrices side by side: from row to column."""
    import matplotlib

    matplotlib.use("Agg")
    import matplotlib.pyplot as plt

    figure, axes = plt.subplots(1, 2, figsize=(9.6, 4.4), layout="constrained")
    for ax, values, title in zip(axes, (exact, sampled), ("exact", "sampled"), strict=True):
        picture = ax.imshow(values, vmin=0, vmax=1, cmap="Blues")
        ax.set_xticks(range(8), NAMES, rotation=45, ha="right")
        ax.set_yticks(range(8), NAMES)
        ax.set_title(f"{title}: P(arc from row to column)", fontsize=10)
        for i in range(8):
            for j in range(8):
                if values[i, j] >= 0.005:
                    colour = "white" if values[i, j] > 0.6 else "black"
                    ax.text(
                        j, i, f"{values[i, j]:.2f}", ha="center", va="center",
                        fontsize=7, color=colour,
                    )  # fmt: skip
    figure.colorbar(picture, ax=axes, shrink=0.8)
    figure.savefig(HERE / "arcs.png", dpi=110)


if __name__ == "__main__":
    main()
