"""The tree explorer: fitted trees as one HTML page that needs no network.

What
    `TreeData` is a tree as the page reads it, `Exploration` the page itself: it shows in a
    notebook, opens a browser, or writes a file. What is computed from rows (histograms, candidates)
    is made by ``model.explore`` and given here as plain values.
Decisions
    No build chain: the files of ``static`` are put into the page as they are. Names come from data
    files and may hold anything. Data are JSON in a script element that no browser runs, every
    character that could end it is escaped, and the script writes text alone, never markup.
Complexity
    O(nodes kept).
"""

from .page import Exploration, component, data_element
from .trees import ExplorerLimits, TreeData

__all__ = ["Exploration", "ExplorerLimits", "TreeData", "component", "data_element"]
