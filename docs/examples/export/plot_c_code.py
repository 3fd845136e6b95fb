"""
A tree in C
===========

``to_c`` writes C99 without dependencies. Here a compiler makes a library of it, and its answers are
counted against those of Python.
"""

import ctypes
import shutil
import subprocess
import tempfile
from pathlib import Path

import numpy as np

import fasttree

iris = fasttree.datasets.load_iris()
tree = fasttree.fit(iris, criterion="gini", max_depth=2)
ax = tree.plot()

# %%
# The function that answers, as it is written:

code = tree.to_c()
start = code.index("static int tree_find(const double *x) {")
print(code[start : code.index("\n}\n", start) + 2])

# %%
# Compiled and called:

compiler = shutil.which("cc") or shutil.which("clang") or shutil.which("gcc")
if compiler is None:
    print("there is no C compiler on this machine")
else:
    folder = Path(tempfile.mkdtemp())
    (folder / "tree.c").write_text(code)
    command = [compiler, "-O2", "-shared", "-fPIC", "tree.c", "-o", "tree.so"]
    subprocess.run(command, cwd=folder, check=True)
    library = ctypes.CDLL(str(folder / "tree.so"))
    names = iris.classes
    rows = np.ascontiguousarray(iris.X, dtype=float)
    pointer = ctypes.POINTER(ctypes.c_double)
    found = [names[library.tree_predict(row.ctypes.data_as(pointer))] for row in rows]
    equal = sum(a == b for a, b in zip(found, tree.predict(iris), strict=True))
    print(f"{equal} of {len(rows)} flowers get the same answer from C and from Python")
