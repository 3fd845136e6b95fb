"""A fitted tree as a Python module that imports nothing but `bisect` and `math`.

What
    The module has ``predict(row)``, ``predict_proba(row)`` (of classes) and ``leaf(row)``; a row is
    a mapping (by column name) or a sequence (in column order). None and NaN are missing, and so is
    a level that the model does not know. Predictions equal the estimator's; probabilities and
    numbers are equal to the last bit. Names and labels are written as escaped literals, so that no
    name can inject code.
Complexity
    O(nodes) text; O(depth) per row.
When not to use it
    For many rows, as each row runs Python code: use `FastTreeClassifier.predict`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .._checks.words import counted
from .answers import Label
from .program import Language, fits_nesting, nested_conditions, tree_tables
from .reading import Reading

HEAD = '''\
"""A decision tree written by fasttree: {size}, depth {depth}. It needs Python alone.

{functions} take a mapping from the names in FEATURES or a
sequence in their order; None and NaN are missing values, and so is a level that the tree does not
know.{nothing}{sentinel_words}
"""

{imports}

FEATURES = {features}{unused}
{answers}
LEVELS = {levels}  # of the nominal features, by place
FILLS = {fills}  # what stands for a missing value, by place of the feature
SENTINELS = {sentinels}  # numbers that mean a missing value, by place of the feature


def _cell(row, j):
    return row[FEATURES[j]] if hasattr(row, "keys") else row[j]


def _number(row, j):
    """A number, NaN where it is missing."""
    x = _cell(row, j)
    x = math.nan if x is None else float(x)
    if x in SENTINELS.get(j, ()):
        x = math.nan
    return FILLS.get(j, x) if x != x else x


def _level(row, j):
    """A declared level, None where it is missing or not known."""
    x = _cell(row, j)
    return x if x in LEVELS[j] else FILLS.get(j)

'''

CLASSES = """\
CLASSES = {classes}
LEAVES = {numbers}  # their node numbers
LABELS = {labels}  # class of each leaf, by its place in CLASSES
PROBABILITIES = (
{shares})"""

NUMBERS = """\
LEAVES = {numbers}  # their node numbers
VALUES = {values}  # what each leaf predicts"""

WALK = '''
FEATURE = {feature}
FIRST = {first}
START = {start}
LENGTH = {length}
MISSING = {missing}
CHILD = {child}
SHARE = {share}
LEAF = {leaf}
CUT = {cut}
ROUTE = {route}


def _parts(row):
    """Leaves that a row reaches with the part of it that does, and whether it was divided."""
    cells = {{}}
    ends, divided, stack = [], False, [(0, 1.0)]
    while stack:
        node, weight = stack.pop()
        j = FEATURE[node]
        if j < 0:
            ends.append((LEAF[node], weight))
            continue
        if j not in cells:
            if j in LEVELS:
                x = _level(row, j)
                cells[j] = None if x is None else LEVELS[j].index(x)
            else:
                x = _number(row, j)
                cells[j] = None if x != x else x
        x, first, start = cells[j], FIRST[node], START[node]
        if x is None:
            branch = MISSING[node]
        elif j in LEVELS:
            branch = ROUTE[start + x]
        else:
            branch = bisect_left(CUT, x, start, start + LENGTH[node]) - start
        if branch >= 0:
            stack.append((CHILD[first + branch], weight))
            continue
        divided = True
        for i in reversed(range(first, FIRST[node + 1])):
            if SHARE[i] > 0:
                stack.append((CHILD[i], weight * SHARE[i]))
    return ends, divided

'''

LOOP = """
def _leaf(row):
    ends, divided = _parts(row)
    return None if divided else ends[0][0]

"""

DIVIDED_PROBA = '''
def _mixture(row):
    """Probabilities of a row that is divided among leaves; those that differ by rounding only are
    made equal."""
    sums = [0.0] * len(CLASSES)
    for leaf, weight in _parts(row)[0]:
        for c, p in enumerate(PROBABILITIES[leaf]):
            sums[c] += weight * p
    top = max(sums)
    return [top if top - p < 1e-9 else p for p in sums] if top > 0 else sums


def predict_proba(row):
    """Probabilities of CLASSES; zeros where nothing is predicted."""
    leaf = _leaf(row)
    return _mixture(row) if leaf is None else list(PROBABILITIES[leaf])


def predict(row):
    """One of CLASSES, or None."""
    leaf = _leaf(row)
    if leaf is not None:
        label = LABELS[leaf]
    else:
        p = _mixture(row)
        label = p.index(max(p)) if max(p) > 0 else None
    return None if label is None else CLASSES[label]

'''

PROBA = '''
def predict_proba(row):
    """Probabilities of CLASSES; zeros where nothing is predicted."""
    return list(PROBABILITIES[_leaf(row)])


def predict(row):
    """One of CLASSES, or None."""
    label = LABELS[_leaf(row)]
    return None if label is None else CLASSES[label]

'''

DIVIDED_NUMBER = '''
def predict(row):
    """The predicted number."""
    leaf = _leaf(row)
    if leaf is not None:
        return VALUES[leaf]
    value = 0.0
    for leaf, weight in _parts(row)[0]:
        value += weight * VALUES[leaf]
    return value

'''

NUMBER = '''
def predict(row):
    """The predicted number."""
    return VALUES[_leaf(row)]

'''

DIVIDED_LEAF = '''
def leaf(row):
    """Node number of the leaf, None for a row that is divided among several."""
    found = _leaf(row)
    return None if found is None else LEAVES[found]
'''

LEAF_OF = '''
def leaf(row):
    """Node number of the leaf."""
    return LEAVES[_leaf(row)]
'''


class _PythonSyntax(Language):
    """The syntax of Python for `nested`."""

    never, always = "False", "True"
    between = "{low!r} < {x} <= {high!r}"
    or_missing, negated = "{x} != {x} or {inside}", "not {test}"
    if_line, else_if_line = "if {}:", "elif {}:"
    else_line, end_line = "else:", ""
    return_divided = "return None"

    def answer(self, leaf: int, label: Label | None) -> str:
        return f"return {leaf}  # {'unclassified' if label is None else ascii(label)}"

    def levels(self, x: str, feature: int, codes: Sequence[int], missing: bool) -> str:
        known = self.reading.features[feature].levels or ()
        taken = ["None"] * missing + [ascii(known[code]) for code in codes]
        if len(taken) == 1:
            return f"{x} is None" if missing else f"{x} == {taken[0]}"
        return f"{x} in ({', '.join(taken)})" if taken else self.never


def tuple_literal(items: Iterable[Any]) -> str:
    """A tuple as a Python literal in ASCII, so that the module does not depend on the encoding of
    its file. One item gets its comma."""
    entries = [ascii(item) for item in items]
    return f"({entries[0]},)" if len(entries) == 1 else f"({', '.join(entries)})"


def to_python(model: Any) -> str:
    """A fitted tree as the source of a Python module.

    Returns:
        The source in ASCII.

    Examples:
        >>> import fasttree
        >>> module = {}
        >>> exec(to_python(fasttree.fit(fasttree.datasets.load_weather())), module)
        >>> module["predict"](
        ...     {"outlook": "overcast", "temperature": "hot", "humidity": "high", "windy": "TRUE"}
        ... )
        'yes'
    """
    reading = Reading(model)
    nests = fits_nesting(reading)
    # Divided rows need the tables and the loop in any case.
    loops = reading.fractional or not nests
    out = [_head(reading, loops)]
    # The function that finds a leaf: nested ifs, or a loop over tables.
    if nests:
        out.append(_nested_leaf(reading))
    if loops:
        columns = {name: tuple_literal(column) for name, column in tree_tables(reading).items()}
        out.append(WALK.format(**columns))
    if not nests:
        out.append(LOOP)
    if reading.predicts_number:
        out.append(DIVIDED_NUMBER if reading.fractional else NUMBER)
    else:
        out.append(DIVIDED_PROBA if reading.fractional else PROBA)
    out.append(DIVIDED_LEAF if reading.fractional else LEAF_OF)
    return "".join(out)


def _head(reading: Reading, loops: bool) -> str:
    """The beginning of the module: its docstring, the features, and the answers of the leaves.

    Args:
        reading: the tree.
        loops: whether the module has the loop over tables, which needs an import.
    """
    leaves, features = reading.leaves, reading.features
    shares = reading.probabilities(leaves).tolist()
    if reading.predicts_number:
        functions, nothing = "predict(row) and leaf(row)", ""
        answers = NUMBERS.format(
            numbers=tuple_literal(leaves), values=tuple_literal(row[0] for row in shares)
        )
    else:
        functions = "predict(row), predict_proba(row) and leaf(row)"
        nothing = " None is the answer of a leaf that predicts nothing."
        answers = CLASSES.format(
            classes=tuple_literal(reading.classes),
            numbers=tuple_literal(leaves),
            labels=tuple_literal(c if c >= 0 else None for c in reading.leaf_labels),
            shares="".join(f"    {tuple_literal(row)},\n" for row in shares),
        )
    # Levels, imputed values and sentinels by position of the feature, as literals of dicts.
    levels = {j: tuple_literal(f.levels) for j, f in enumerate(features) if f.levels is not None}
    fills = {
        j: ascii(f.levels[int(f.fill)] if f.levels else f.fill)
        for j, f in enumerate(features)
        if f.fill is not None
    }
    sentinels = {j: str(f.sentinels) for j, f in enumerate(features) if f.sentinels}
    sentinel_words = ascii(reading.sentinels_text)[1:-1].replace('"', '\\"')
    unused = ""
    if names := [f.name for f in features if f.unused]:
        unused = f"\nUNUSED = {tuple_literal(names)}  # features that are not read"
    return HEAD.format(
        size=counted(len(leaves), "leaf"),
        depth=reading.depth,
        imports="import math\nfrom bisect import bisect_left" if loops else "import math",
        features=tuple_literal(f.name for f in features),
        unused=unused,
        answers=answers,
        functions=functions,
        sentinel_words=f"\n{sentinel_words}." if sentinel_words else "",
        sentinels=_dict_literal(sentinels),
        nothing=nothing,
        levels=_dict_literal(levels),
        fills=_dict_literal(fills),
    )


def _dict_literal(literals: dict[int, str]) -> str:
    """The literal of a dict from integers to values that are literals already."""
    return "{" + ", ".join(f"{key}: {value}" for key, value in literals.items()) + "}"


def _nested_leaf(reading: Reading) -> str:
    """The function that finds the leaf of a row by nested ifs."""
    lines = ["\ndef _leaf(row):"]
    for j in reading.tested_features:
        feature = reading.features[j]
        reader = "_number" if feature.levels is None else "_level"
        lines.append(f"    x{j} = {reader}(row, {j})  # {feature.name!a}")
    lines += nested_conditions(reading, _PythonSyntax(reading), 1)
    return "\n".join([*lines, "", ""])
