"""
A tree in SQLite
================

``to_sql`` writes the tree as an expression; here SQLite predicts, and agrees with Python.

More: :doc:`/how_to/export`.
"""

import sqlite3

import fasttree

iris = fasttree.datasets.load_iris()
tree = fasttree.fit(iris, criterion="gini", max_depth=3)
ax = tree.plot()

# %%
columns = ", ".join(f'"{name}" REAL' for name in iris.feature_names)
with sqlite3.connect(":memory:") as connection:
    connection.execute(f"CREATE TABLE flowers ({columns})")
    marks = ", ".join("?" * len(iris.feature_names))
    connection.executemany(f"INSERT INTO flowers VALUES ({marks})", iris.X.tolist())
    query = f"SELECT {tree.to_sql()} FROM flowers"
    found = [row[0] for row in connection.execute(query)]
equal = sum(a == b for a, b in zip(found, tree.predict(iris), strict=True))
print(f"{equal} of {len(found)} flowers get the same answer from SQLite and from Python")
print(query[:240], "...")
