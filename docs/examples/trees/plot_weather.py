"""
The weather tree
================

Quinlan's fourteen days, as a picture. ``print(tree)`` gives the same as text.
"""

import fasttree

weather = fasttree.datasets.load_weather()
tree = fasttree.fit(weather, criterion="gain_ratio")
print(tree)
ax = tree.plot()
