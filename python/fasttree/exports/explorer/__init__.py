"""The tree explorer: fitted trees as one HTML page that needs no network.

What
    `TreeData` is a tree as plain values for the page. `Exploration` is the page itself: it displays
    in a notebook, opens in a browser, or is written to a file. Histograms and candidates, which
    need rows, are computed by ``model.explore`` and added as plain values.
Decisions
    There is no build step: the files of ``static`` are inserted into the page unchanged. As names
    come from data files and may hold anything, data are JSON in a script element that no browser
    runs, with every character that could end it escaped, and the script writes text, never markup.
Complexity
    O(nodes kept).
"""

from .page import Exploration, component, data_element
from .trees import ExplorerLimits, TreeData

__all__ = ["Exploration", "ExplorerLimits", "TreeData", "component", "data_element"]
