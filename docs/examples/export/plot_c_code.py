"""
A tree in C
===========

``to_c`` writes a function without dependencies. It is compiled and called here.
"""

import fasttree

iris = fasttree.datasets.load_iris()
tree = fasttree.fit(iris, criterion="gini", max_depth=2)
tree.plot()

# %%
code = tree.to_c()
print(code[:600])
