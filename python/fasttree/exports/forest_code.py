"""A fitted forest as Python, C or SQL: its trees as the exports of trees write them, and their
mean.

What
    The interface is the same as for one tree (`python_code`, `c_code`, `sql`) without ``leaf``: the
    probabilities of a row, or its number, are the means over the trees that predict something (with
    `empty_branch="unclassified"` a tree may not). The predicted class is the first one with the
    largest probability, where differences within rounding count as ties.
Complexity
    O(nodes) text; O(trees x depth) per row.
When not to use it
    For many rows where fasttree is installed, and as SQL with more than some dozens of trees:
    databases limit the length of a statement.
"""

from __future__ import annotations

import textwrap
from typing import Any

from .c_code import identifier, initialiser, literal
from .c_code import to_c as tree_to_c
from .python_code import to_python as tree_to_python
from .python_code import tuple_literal
from .reading import Reading
from .sql import largest, output_of, sum_of, writer_of

PYTHON = '''\
"""A forest of {n} decision trees written by fasttree. It needs Python alone.

{functions} take a mapping from the names in FEATURES or a sequence in
their order; None and NaN are missing values, and so is a level that the forest does not know.
"""

FEATURES = {features}

{trees}
TREES = tuple(make() for make in ({makers}))
'''

PYTHON_CLASSES = '''\
CLASSES = {classes}


def predict_proba(row):
    """Probabilities of CLASSES: means over the trees."""
    votes = [p for p in (tree(row) for tree in TREES) if max(p) > 0]
    return [sum(of_class) / max(len(votes), 1) for of_class in zip([0.0] * len(CLASSES), *votes)]


def predict(row):
    """One of CLASSES, or None."""
    p = predict_proba(row)
    top = max(p)
    return next(c for c, q in zip(CLASSES, p) if top - q < 1e-9) if top > 0 else None
'''

PYTHON_NUMBER = '''

def predict(row):
    """The predicted number: the mean over the trees."""
    value = 0.0
    for tree in TREES:
        value += tree(row)
    return value / len(TREES)
'''

C_HEAD = """\
/* A forest of {n} decision trees written by fasttree. C99; needs nothing. */

enum {{ {upper}_FEATURES = {n_features}{enumerated} }};

const char *const {name}_features[{n_features}] = {features};
{answers}
int {name}_code(int feature, const char *level) {{ return {name}_t0_code(feature, level); }}

"""

C_CLASSES = """\
/* Probabilities of the classes: means over the trees. */
void {name}_predict_proba(const double *x, double *p) {{
    double q[{k}];
    int c, votes = 0, some;
    for (c = 0; c < {k}; c++) p[c] = 0;
{adding}    for (c = 0; c < {k} && votes > 0; c++) p[c] /= votes;
}}

/* Index of the class, -1 where nothing is predicted. */
int {name}_predict(const double *x) {{
    double p[{k}], top = 0;
    int c;
    {name}_predict_proba(x, p);
    for (c = 0; c < {k}; c++)
        if (p[c] > top) top = p[c];
    for (c = 0; c < {k}; c++)
        if (top > 0 && top - p[c] < 1e-9) return c;
    return -1;
}}
"""

C_ADD = """\
    {name}_t{i}_predict_proba(x, q);
    for (c = 0, some = 0; c < {k}; c++) p[c] += q[c], some |= q[c] > 0;
    votes += some;
"""

C_NUMBER = """\
/* The predicted number: the mean over the trees. */
double {name}_predict(const double *x) {{
    double value = 0;
{adding}    return value / {n};
}}
"""


def to_python(model: Any) -> str:
    """A fitted forest as the source of a Python module.

    Examples:
        >>> import fasttree
        >>> forest = fasttree.FastForestClassifier(3, random_state=0).fit("iris")
        >>> module = {}
        >>> exec(to_python(forest), module)
        >>> module["predict"]([5.1, 3.5, 1.4, 0.2])
        'setosa'
    """
    trees = list(model.estimators_)
    first = Reading(trees[0])
    answer = "predict" if first.predicts_number else "predict_proba"
    parts = [
        f"\ndef _tree_{i}():\n{textwrap.indent(tree_to_python(tree), '    ')}\n"
        f"    return {answer}\n"
        for i, tree in enumerate(trees)
    ]
    head = PYTHON.format(
        n=len(trees),
        functions="predict(row)" if first.predicts_number else "predict(row), predict_proba(row)",
        features=tuple_literal(f.name for f in first.features),
        trees="\n".join(parts),
        makers="".join(f"_tree_{i}, " for i in range(len(trees))).rstrip(),
    )
    if first.predicts_number:
        return head + PYTHON_NUMBER
    return head + PYTHON_CLASSES.format(classes=tuple_literal(first.classes))


def to_c(model: Any, *, name: str = "forest") -> str:
    """A fitted forest as C99 source.

    Args:
        model: the forest.
        name: prefix of all names in the source; tree i has the prefix ``NAME_ti``.

    Examples:
        >>> import fasttree
        >>> forest = fasttree.FastForestClassifier(2, random_state=0).fit("iris")
        >>> "int wood_predict(const double *x)" in to_c(forest, name="wood")
        True
    """
    trees = list(model.estimators_)
    first, n = Reading(trees[0]), len(trees)
    parts = [tree_to_c(tree, name=f"{identifier(name)}_t{i}") for i, tree in enumerate(trees)]
    k, classes = len(first.classes), ""
    if not first.predicts_number:
        classes = (
            f"const char *const {name}_classes[{k}] = {initialiser(map(literal, first.classes))};"
        )
    head = C_HEAD.format(
        n=n,
        name=name,
        upper=name.upper(),
        n_features=len(first.features),
        enumerated="" if first.predicts_number else f", {name.upper()}_CLASSES = {k}",
        features=initialiser(literal(f.name) for f in first.features),
        answers=classes,
    )
    if first.predicts_number:
        adding = "".join(f"    value += {name}_t{i}_predict(x);\n" for i in range(n))
        return "\n".join([*parts, head + C_NUMBER.format(name=name, adding=adding, n=n)])
    adding = "".join(C_ADD.format(name=name, i=i, k=k) for i in range(n))
    return "\n".join([*parts, head + C_CLASSES.format(name=name, adding=adding, k=k)])


def to_sql(
    model: Any, *, output: str | None = None, table: str | None = None, dialect: str = "ansi"
) -> str:
    """A fitted forest as an SQL expression or query.

    Args:
        model: the forest.
        output: "label" (default), "proba", or of a regression "value".
        table: name of the table whose rows a query reads; None: an expression is written.
        dialect: the dialect, as in `fasttree.exports.sql.to_sql`.

    Examples:
        >>> import fasttree
        >>> forest = fasttree.FastForestRegressor(2, random_state=0).fit([[0.0], [1.0]], [1.5, 2.5])
        >>> to_sql(forest).endswith("/ 2.0")
        True
    """
    trees = list(model.estimators_)
    model._schema.warn_of_cells()
    writers = [writer_of(tree, dialect, table) for tree in trees]
    writer, reading = writers[0], writers[0].reading
    served = ("value",) if reading.predicts_number else ("label", "proba")
    output = output_of(output, served, "a forest")
    of_trees = [one.columns_of_answers(one.reading.fractional) for one in writers]
    sums = [sum_of(list(terms)) for terms in zip(*of_trees, strict=True)]
    means = [f"{one} / {float(len(trees))!r}" for one in sums]
    if output != "value" and any(min(one.reading.leaf_labels) < 0 for one in writers):
        votes = [f"CASE WHEN {sum_of(terms)} > 0 THEN 1.0 ELSE 0.0 END" for terms in of_trees]
        means = [f"COALESCE({one} / NULLIF({sum_of(votes)}, 0.0), 0.0)" for one in sums]
    return writer.written_as(output, [largest(writer, means)] if output == "label" else means)
