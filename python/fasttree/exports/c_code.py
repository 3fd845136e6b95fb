"""A fitted tree as a C99 source file that allocates nothing and needs only ``string.h``.

What
    ``int NAME_predict(const double *x)`` returns the class as an index (-1: none), ``void
    NAME_predict_proba(const double *x, double *p)`` writes the probabilities; of a regression tree
    ``double NAME_predict(const double *x)`` returns the number. ``int NAME_leaf(const double *x)``
    returns the node number of the leaf (-1 for a row that is divided). ``x`` holds one double per
    feature in column order: the number, or the code of the level that ``NAME_code(feature,
    "level")`` returns; NaN and unknown codes are missing. ``NAME_features``, ``NAME_classes`` and
    an enum hold names and sizes. Probabilities, numbers and thresholds are written so that they
    read back as the same double.
Complexity
    O(nodes) text; O(depth) per row. A divided row takes a stack of one entry per leaf.
When not to use it
    With ``-ffast-math``, under which tests for NaN fail.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from .._checks import shown
from .._checks.words import counted
from .answers import Label
from .program import Language, fits_nesting, nested_conditions, tree_tables
from .reading import Reading

HEAD = """\
/* A decision tree written by fasttree: {size}, depth {depth}. C99; needs nothing.
 * x holds one double per feature: a number, or the code of a level; NaN and unknown codes are
 * missing.{sentinel_words} */

#include <string.h>

enum {{
  {upper}_FEATURES = {n_features},
{enumerated}  {upper}_LEAVES = {leaves}
}};

const char *const {name}_features[{n_features}] = {features};
{answers}
{level_tables}int {name}_code(int feature, const char *level);
int {name}_leaf(const double *x);
{declared}

/* Code of a level of a nominal feature, -1 when it is not known. */
int {name}_code(int feature, const char *level) {{
    const char *const *levels = 0;
    int n = 0, i;
    switch (feature) {{
{level_cases}    default: break;
    }}
    for (i = 0; i < n; i++)
        if (strcmp(levels[i], level) == 0) return i;
    return -1;
}}

"""

CLASSES = """\
const char *const {name}_classes[{n_classes}] = {classes};

static const int {name}_nodes[{leaves}] = {numbers};
static const int {name}_labels[{leaves}] = {labels};
static const double {name}_shares[{leaves}][{n_classes}] = {{
{shares}}};
"""

NUMBERS = """\

static const int {name}_nodes[{leaves}] = {numbers};
static const double {name}_values[{leaves}] = {values};
"""

DECLARED = {
    True: "double {name}_predict(const double *x);",
    False: """\
int {name}_predict(const double *x);
void {name}_predict_proba(const double *x, double *p);""",
}
"""Declarations of the answers, by whether they are numbers."""

READERS = {
    "number": """\
static double {name}_number(double x, double fill) {{ return x != x ? fill : x; }}

""",
    "level": """\
static int {name}_level(double x, int n, int fill) {{ return x >= 0 && x < n ? (int)x : fill; }}

""",
}

WALK = """\
static const int {name}_feature[] = {feature};
static const int {name}_first[] = {first};
static const int {name}_start[] = {start};
static const int {name}_length[] = {length};
static const int {name}_missing[] = {missing};
static const int {name}_child[] = {child};
static const int {name}_end[] = {leaf};
static const double {name}_cut[] = {cut};
static const int {name}_route[] = {route};
static const int {name}_arity[] = {arity};
static const double {name}_fill[] = {fill};

/* Branch of a row at a node, -2: all of them. */
static int {name}_branch(const double *x, int node) {{
    const int j = {name}_feature[node], start = {name}_start[node];
    double value = x[j];
    int branch = 0, above = {name}_length[node];
{sentinels}    if ({name}_arity[j]) {{
        if (!(value >= 0 && value < {name}_arity[j])) value = {name}_fill[j];
        return value >= 0 ? {name}_route[start + (int)value] : {name}_missing[node];
    }}
    if (value != value) value = {name}_fill[j];
    if (value != value) return {name}_missing[node];
    while (branch < above) {{
        const int middle = branch + (above - branch) / 2;
        if ({name}_cut[start + middle] < value) branch = middle + 1;
        else above = middle;
    }}
    return branch;
}}

"""

LOOP = """\
static int {name}_find(const double *x) {{
    int node = 0;
    while ({name}_end[node] < 0) {{
        const int branch = {name}_branch(x, node);
        if (branch < 0) return -1;
        node = {name}_child[{name}_first[node] + branch];
    }}
    return {name}_end[node];
}}

"""

MIXTURE = """\
static const double {name}_part[] = {share};

/* {mixed} */
static {type} {name}_mixture(const double *x{parameter}) {{
    int nodes[{stack}], top = 1, i;
    double weights[{stack}];
{begin}    nodes[0] = 0;
    weights[0] = 1;
    while (top > 0) {{
        const int node = nodes[--top];
        const double weight = weights[top];
        if ({name}_end[node] >= 0) {{
            {add}
            continue;
        }}
        const int branch = {name}_branch(x, node);
        for (i = {name}_first[node + 1] - 1; i >= {name}_first[node]; i--) {{
            const double share = branch < 0 ? {name}_part[i] : (i - {name}_first[node] == branch);
            if (share > 0) {{
                nodes[top] = {name}_child[i];
                weights[top++] = weight * share;
            }}
        }}
    }}
{finish}}}

"""

MIXED_CLASSES = {
    "mixed": (
        "Probabilities of a row that is divided among leaves; those that differ by rounding only "
        "are\n * made equal."
    ),
    "type": "void",
    "parameter": ", double *p",
    "begin": """\
    double largest = 0;
    int c;
    for (c = 0; c < {n_classes}; c++) p[c] = 0;
""",
    "add": "for (c = 0; c < {n_classes}; c++) p[c] += weight * {name}_shares[{name}_end[node]][c];",
    "finish": """\
    for (c = 0; c < {n_classes}; c++)
        if (p[c] > largest) largest = p[c];
    for (c = 0; c < {n_classes}; c++)
        if (largest > 0 && largest - p[c] < 1e-9) p[c] = largest;
""",
}

MIXED_NUMBERS = {
    "mixed": "The number of a row that is divided among leaves.",
    "type": "double",
    "parameter": "",
    "begin": "    double value = 0;\n",
    "add": "value += weight * {name}_values[{name}_end[node]];",
    "finish": "    return value;\n",
}

LEAF_OF = """\
/* Node number of the leaf, -1 for a row that is divided among several. */
int {name}_leaf(const double *x) {{
    const int leaf = {name}_find(x);
    return leaf < 0 ? -1 : {name}_nodes[leaf];
}}

"""

CLASS_OF = """\
/* Probabilities of the classes; zeros where nothing is predicted. */
void {name}_predict_proba(const double *x, double *p) {{
    const int leaf = {name}_find(x);
    int c;
{proba}    for (c = 0; c < {n_classes}; c++) p[c] = {name}_shares[leaf][c];
}}

/* Index of the class, -1 where nothing is predicted. */
int {name}_predict(const double *x) {{
    const int leaf = {name}_find(x);
{label}    return {name}_labels[leaf];
}}
"""

NUMBER_OF = """\
/* The predicted number. */
double {name}_predict(const double *x) {{
    const int leaf = {name}_find(x);
    return {number}{name}_values[leaf];
}}
"""

DIVIDED = {
    "number": "leaf < 0 ? {name}_mixture(x) : ",
    "proba": """\
    if (leaf < 0) {{
        {name}_mixture(x, p);
        return;
    }}
""",
    "label": """\
    if (leaf < 0) {{
        double p[{n_classes}];
        int c, best = 0;
        {name}_mixture(x, p);
        for (c = 1; c < {n_classes}; c++)
            if (p[c] > p[best]) best = c;
        return p[best] > 0 ? best : -1;
    }}
""",
}
"""How `CLASS_OF` and `NUMBER_OF` answer rows that are divided among leaves."""


def literal(text: object) -> str:
    """A C string literal, in ASCII: other bytes of the UTF-8 text are octal escapes, so the file
    compiles under any encoding. Raises ValueError for a text with a NUL character, which ends a
    string in C."""
    out = []
    for byte in str(text).encode("utf-8", "surrogatepass"):
        if byte == 0:
            raise ValueError(f"{text!r} holds a NUL character, which ends a string in C")
        plain = 32 <= byte < 127 and chr(byte) not in '"\\?'
        out.append(chr(byte) if plain else f"\\{byte:03o}")
    return '"' + "".join(out) + '"'


def _comment(text: object) -> str:
    """A C comment that no text can end early."""
    return f"/* {_in_comment(text)} */"


def _in_comment(text: object) -> str:
    """A text within a C comment."""
    return literal(text).replace("*/", "* /").replace("/*", "/ *")


def initialiser(items: Iterable[object]) -> str:
    """A C initialiser of an array with these items; without items it holds one 0, as C has no empty
    arrays."""
    entries = ", ".join(str(i) for i in items)
    return "{" + (entries or "0") + "}"


def _any_of(value: str, numbers: Iterable[float]) -> str:
    """The condition that a value is one of some numbers; empty for none.

    Args:
        value: expression of the value.
        numbers: the numbers.
    """
    return " || ".join(f"{value} == {x!r}" for x in numbers)


class _CSyntax(Language):
    """The syntax of C for `nested`."""

    never, always = "0", "1"
    between = "{x} > {low!r} && {x} <= {high!r}"
    or_missing, negated = "{x} != {x} || ({inside})", "!({test})"
    if_line, else_if_line = "if ({}) {{", "}} else if ({}) {{"
    else_line, end_line = "} else {", "}"
    return_divided = "return -1;"

    def answer(self, leaf: int, label: Label | None) -> str:
        return f"return {leaf}; {_comment('unclassified' if label is None else label)}"

    def levels(self, x: str, feature: int, codes: Sequence[int], missing: bool) -> str:
        return _any_of(x, [-1] * missing + [*codes]) or self.never


def identifier(name: str) -> str:
    """Return the name if it is an identifier of C, else raise ValueError. A leading underscore is
    refused as well, since C reserves such names."""
    if not isinstance(name, str) or not re.fullmatch(r"[A-Za-z][A-Za-z0-9_]*", name):
        raise ValueError(
            f"name={shown(name)} must be an identifier of C: letters, digits and _, a letter first"
        )
    return name


def to_c(model: Any, *, name: str = "tree") -> str:
    """A fitted tree as C99 source.

    Args:
        name: prefix of all names, an identifier of C.

    Returns:
        The source, functions without ``main``.

    Raises:
        ValueError: `name` is not an identifier, or a name or label holds a NUL character.

    Examples:
        >>> import fasttree
        >>> source = to_c(fasttree.fit([[0.0], [1.0]], [0, 1]), name="stump")
        >>> "int stump_predict(const double *x)" in source
        True
    """
    identifier(name)
    reading = Reading(model)
    nests = fits_nesting(reading)
    fields = _template_fields(reading, name)
    out = [HEAD.format(**fields)]
    # The function that finds a leaf: nested ifs, or a loop over tables. Divided rows need the
    # tables in any case.
    if nests:
        out += _nested_tests(reading, fields)
    if reading.fractional or not nests:
        fields |= {column: initialiser(values) for column, values in tree_tables(reading).items()}
        out.append(WALK.format(**fields))
    if not nests:
        out.append(LOOP.format(**fields))
    # The functions of the interface, with the mixture of leaves if rows may be divided.
    if reading.fractional:
        mixed = MIXED_NUMBERS if reading.predicts_number else MIXED_CLASSES
        parts = {part: text.format(**fields) for part, text in mixed.items()}
        out.append(MIXTURE.format(**fields, **parts))
    out.append(LEAF_OF.format(**fields))
    divided = {part: text.format(**fields) for part, text in DIVIDED.items()}
    if not reading.fractional:
        divided = dict.fromkeys(DIVIDED, "")
    interface = NUMBER_OF if reading.predicts_number else CLASS_OF
    out.append(interface.format(**fields, **divided))
    return "".join(out)


def _template_fields(reading: Reading, name: str) -> dict[str, Any]:
    """The fields of the templates: sizes, names and tables as C source.

    Args:
        reading: the tree.
        name: prefix of all names in the source.
    """
    leaves, features = reading.leaves, reading.features
    nominal = {j: f.levels for j, f in enumerate(features) if f.levels}
    shares = reading.probabilities(leaves).tolist()
    said = reading.sentinels_text
    answers = {
        "name": name,
        "leaves": len(leaves),
        "size": counted(len(leaves), "leaf"),
        "n_classes": len(reading.classes),
        "classes": initialiser(literal(c) for c in reading.classes),
        "numbers": initialiser(leaves),
        "labels": initialiser(reading.leaf_labels),
        "shares": "".join(f"    {initialiser(map(repr, row))},\n" for row in shares),
        "values": initialiser(repr(row[0]) for row in shares),
    }
    is_number = reading.predicts_number
    return {
        **answers,
        "answers": (NUMBERS if is_number else CLASSES).format(**answers),
        "declared": DECLARED[is_number].format(name=name),
        "enumerated": "" if is_number else f"  {name.upper()}_CLASSES = {len(reading.classes)},\n",
        "upper": name.upper(),
        "depth": reading.depth,
        "n_features": len(features),
        "stack": len(leaves) + 1,
        "features": initialiser(literal(f.name) for f in features),
        "level_tables": "".join(
            f"static const char *const {name}_levels_{j}[] = {initialiser(map(literal, v))};\n"
            for j, v in nominal.items()
        ),
        "level_cases": "".join(
            f"    case {j}: levels = {name}_levels_{j}; n = {len(v)}; break;\n"
            for j, v in nominal.items()
        ),
        "arity": initialiser(len(f.levels or ()) for f in features),
        "sentinel_words": f"\n * {_in_comment(said)[1:-1]}." if said else "",
        "sentinels": "".join(
            f"    if (j == {j} && ({_any_of('value', f.sentinels)})) value = 0.0 / 0.0;\n"
            for j, f in enumerate(features)
            if f.sentinels
        ),
        "fill": initialiser(
            ("-1" if f.levels else "0.0 / 0.0") if f.fill is None else repr(f.fill)
            for f in features
        ),
    }


def _nested_tests(reading: Reading, fields: dict[str, Any]) -> list[str]:
    """The function that finds the leaf of a row by nested ifs, after the helpers that it calls.

    Args:
        reading: the tree.
        fields: the fields of the templates.
    """
    name, features = fields["name"], reading.features
    used = reading.tested_features
    nominal = {j for j in used if features[j].levels}
    out: list[str] = []
    out += [READERS["number"].format(**fields)] if nominal < set(used) else []
    out += [READERS["level"].format(**fields)] if nominal else []
    out.append(f"static int {name}_find(const double *x) {{\n")
    # The value of each tested feature, with missing ones imputed.
    for j in used:
        levels, fill = features[j].levels, features[j].fill
        if levels is not None:
            read = (
                f"const int x{j} = {name}_level(x[{j}], {len(levels)}, "
                f"{-1 if fill is None else fill});"
            )
        else:
            means_missing = _any_of(f"x[{j}]", features[j].sentinels)
            value = f"{means_missing} ? 0.0 / 0.0 : x[{j}]" if means_missing else f"x[{j}]"
            filled = "0.0 / 0.0" if fill is None else repr(fill)
            read = f"const double x{j} = {name}_number({value}, {filled});"
        out.append(f"    {read} {_comment(features[j].name)}\n")
    out += [] if used else ["    (void)x;\n"]
    out += [line + "\n" for line in nested_conditions(reading, _CSyntax(reading), 1)]
    out.append("}\n\n")
    return out
