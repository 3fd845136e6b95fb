"""Peak memory of fits beyond the caller's rows, as a share of them (Linux)."""

import subprocess
import sys

import pytest

FIT = """
import ctypes, warnings
import numpy as np
import fasttree

def resident(field):
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith(field)) * 1024

warnings.simplefilter("ignore")
model = fasttree.FastTreeClassifier(criterion="gini", n_jobs=1, {how})
rng = np.random.default_rng(0)
X = rng.standard_normal(({rows}, {columns}), np.float32)
y = (X[:, 0] + rng.standard_normal(len(X)) > 0).astype(int)
model.fit(X[:300], y[:300])
ctypes.CDLL("libc.so.6").malloc_trim(0)
with open("/proc/self/clear_refs", "w") as file:
    file.write("5")
before = resident("VmRSS")
model.fit(X, y)
print((resident("VmHWM") - before) / X.nbytes)
"""


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
@pytest.mark.parametrize(
    ("rows", "columns", "how", "most"),
    [
        (400_000, 20, "", 1.8),
        (1500, 16_000, "threshold_search='histogram', max_leaf_nodes=31", 2.2),
        (20_000, 500, "threshold_search='histogram', max_leaf_nodes=31", 0.9),
    ],
)
def test_fits_take_little_beside_their_rows(rows, columns, how, most):
    code = FIT.format(rows=rows, columns=columns, how=how)
    command = [sys.executable, "-c", code]
    share = float(subprocess.run(command, capture_output=True, text=True, check=True).stdout)
    assert share < most
