"""The answers of the nodes of a tree: the class or the number that each predicts, and the rows
behind it.

What
    Pictures, texts and pages read the answer of a node (`Answers.said`), the numbers in brackets
    behind it (`Answers.rows`) and the bars that show its rows. `_ClassAnswers` has class shares in
    the colours of the classes. `_NumberAnswers` has the number, colours for it from the smallest to
    the largest, and a bar from one standard deviation below to one above, on one scale for all
    nodes.
Complexity
    O(nodes) to make; O(classes) per node.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from .._checks.words import counted
from .palette import VALUES, colour

Label = bool | int | float | str

MOST_COUNTED = 12
"""Largest number of classes that `_ClassAnswers.held` counts."""

MOST_IN_ORDER = 10
"""Classes that a legend lists in their order, at most; if there are more, the classes that leaves
predict come first, then the others, each by their rows."""
MOST_DRAWN = 30
"""Largest number of classes in a bar of `_ClassAnswers`: after 30 colours, the first come again."""

NARROWEST = 0.03
"""Width of the bar of a node whose rows all have one number."""


class Share(NamedTuple):
    """A coloured part of the bar of a node: left end and width, in units of the whole bar."""

    fill: str
    left: float
    width: float


class Scale(NamedTuple):
    """Numbers from `low` to `high` in as many parts of one width as there are colours; the outer
    parts also hold numbers beyond the ends."""

    low: float
    high: float

    def steps(self, numbers: Any) -> np.ndarray:
        """The part in which each number lies, 0 to ``len(VALUES) - 1``.

        Examples:
            >>> Scale(0.0, 8.0).steps([-1.0, 0.5, 7.5, 100.0]).tolist()
            [0, 0, 7, 7]
        """
        # Half the width first, as twice the range may overflow.
        half = self.high / 2 - self.low / 2
        halves = np.asarray(numbers, dtype=np.float64) / 2 - self.low / 2
        shares = halves / half if half > 0 else np.full(halves.shape, 0.5)
        return np.asarray(np.clip(shares * len(VALUES), 0, len(VALUES) - 1)).astype(np.int64)

    @property
    def edges(self) -> list[float]:
        """The inner ends of the parts that a scale is divided into, ascending, in the unit of the
        numbers; one less than there are parts. The explorer counts the ends up to a number to find
        its part."""
        return np.linspace(self.low, self.high, len(VALUES) + 1)[1:-1].tolist()


class _NodeAnswers:
    """The base class of the answers of classes and of numbers.

    Attributes:
        scale: of numbers, from the smallest to the largest that a leaf with rows predicts; None of
            classes.
        weighed: whether rows have weights, or parts of rows are in the nodes: what a node holds is
            a weight then, no number of rows.
    """

    scale: Scale | None = None

    def __init__(self, tree: Any) -> None:
        self._weight = tree.weighted_n_node_samples
        self.weighed = not np.array_equal(self._weight, tree.n_node_samples)

    def amount(self, weight: float) -> str:
        """Rows or their weight in words: ``3 rows``, ``weight 2.5``."""
        return amount(weight, weighed=self.weighed)


class _ClassAnswers(_NodeAnswers):
    """The classes that nodes predict.

    Args:
        tree: the arrays of the tree (`TreeArrays`); `value` holds class counts.
        classes: labels of the classes.
    """

    def __init__(self, tree: Any, classes: Sequence[Label]) -> None:
        super().__init__(tree)
        self._classes = tuple(classes)
        self._counts, self._label = tree.value, tree.label
        self._said = frozenset(self._label[tree.n_children == 0].tolist())

    def of(self, node: int) -> Label | None:
        """The class or number that a node predicts; None: nothing."""
        label = int(self._label[node])
        return None if label < 0 else self._classes[label]

    def said(self, node: int) -> str:
        """The answer as text, a number with four figures."""
        label = self.of(node)
        return "unclassified" if label is None else str(label)

    def _right(self, node: int) -> float:
        """Weight of the rows of the predicted class."""
        label = int(self._label[node])
        return 0.0 if label < 0 else float(self._counts[node, label])

    def rows(self, node: int) -> str:
        """Rows of a node, and after a slash the errors among them, or the standard deviation of
        their numbers, unless it is 0."""
        weight, right = float(self._weight[node]), self._right(node)
        wrong = weight - right
        small = number(weight, 2)
        # Errors that are rounding are none.
        return f"{small}/{number(wrong, 2)}" if wrong > 1e-9 * max(1.0, right) else small

    def on_card(self, node: int, decimals: int) -> tuple[str, str]:
        """The answer of a node in a picture, and of how many rows: ``denied`` and ``82 % of 160``;
        ``4,021``, a mean, and ``± 1,900 (2,206 rows)``, the standard deviation; or ``84`` and
        ``median (20 rows)``."""
        weight, right = float(self._weight[node]), self._right(node)
        amount = self.amount(weight)
        if not right > 0:
            return self.said(node), amount
        share = f"{100 * right / weight:.0f}"
        if share == "100" and weight - right > 1e-9 * right:
            share = "> 99"
        return self.said(node), f"{'< 1' if share == '0' else share} % of {amount.split(' row')[0]}"

    def reason(self, node: int) -> str:
        """The reason of a leaf's prediction, as a clause."""
        label = self.of(node)
        name = "no class" if label is None else str(label)
        right, weight = self._right(node), float(self._weight[node])
        if self.weighed:
            whole = f"the training weight {number(weight, 2, grouped=True)} is {name}"
        else:
            whole = f"{counted(int(weight), 'training row')} {'is' if right == 1 else 'are'} {name}"
        return f"{number(right, 2, grouped=True)} of {whole}"

    def held(self, node: int) -> list[str]:
        """Facts about the training rows of a node, in a few phrases; classes in their order."""
        counts = self._counts[node]
        largest = np.sort(np.argsort(-counts, kind="stable")[:MOST_COUNTED])
        shown = {code: round(float(counts[code]), 1) or counts[code] for code in largest.tolist()}
        return [
            f"{self._classes[code]}: {number(count, 1, grouped=True)}"
            for code, count in shown.items()
            if count > 0
        ]

    def bar(self, node: int) -> list[Share]:
        """The bar of a node, from left to right; empty without rows."""
        counts, total, left = self._counts[node], float(self._weight[node]), 0.0
        shares = []
        drawn = np.sort(np.argsort(-counts, kind="stable")[:MOST_DRAWN])
        for code in drawn[counts[drawn] > 0].tolist() if total > 0 else ():
            width = float(counts[code]) / total
            shares.append(Share(colour(code), left, width))
            left += width
        return shares

    def legend(self) -> list[tuple[str | None, str]]:
        """Colours and their meanings, in order; None: a text without a colour."""
        codes: Sequence[int] = range(len(self._classes))
        if len(codes) > MOST_IN_ORDER:
            codes = sorted(codes, key=lambda code: (code not in self._said, -self._counts[0, code]))
        return [(colour(code), str(self._classes[code])) for code in codes]


class _NumberAnswers(_NodeAnswers):
    """The numbers that nodes predict, with the methods of `_ClassAnswers`.

    Args:
        tree: the arrays of the tree (`TreeArrays`); `value` holds the numbers.
        centre: how the number of a leaf follows from its rows: ``"mean"``, ``"median"``, ...
    """

    scale: Scale

    def __init__(self, tree: Any, centre: str = "mean") -> None:
        super().__init__(tree)
        self._value, self._centre = tree.value, centre
        self._impurity, self._deviation = tree.impurity, np.sqrt(np.maximum(tree.variance, 0.0))
        known = self._weight > 0
        leaves = self._value[known & (tree.n_children == 0)]
        self.scale = Scale(float(leaves.min()), float(leaves.max()))
        self._left = float((self._value - self._deviation)[known].min())
        self._right = float((self._value + self._deviation)[known].max())

    def of(self, node: int) -> float:
        return float(self._value[node])

    def said(self, node: int) -> str:
        return figures(self.of(node))

    def rows(self, node: int) -> str:
        small, deviation = number(float(self._weight[node]), 2), float(self._deviation[node])
        return f"{small}/{figures(deviation)}" if deviation > 0 else small

    def on_card(self, node: int, decimals: int) -> tuple[str, str]:
        value, deviation = (
            min(figures(x, grouped=True), number(x, decimals, grouped=True), key=len)
            for x in (self.of(node), float(self._deviation[node]))
        )
        # The deviation is from the mean: a median or quantile is named instead.
        beside = self._centre if self._centre != "mean" else f"± {deviation}" * (deviation != "0")
        return value, f"{beside} ({self.amount(float(self._weight[node]))})".lstrip()

    def reason(self, node: int) -> str:
        rows = float(self._weight[node])
        if rows == 0:
            return "no training row came here, so it answers as its parent"
        of = f"training rows of weight {number(rows, 2, grouped=True)}"
        of, deviation = of if self.weighed else counted(int(rows), "training row"), self._deviation
        spread = f", standard deviation {figures(deviation[node])}" if deviation[node] > 0 else ""
        return f"{self._centre} of {of}{spread}"

    def held(self, node: int) -> list[str]:
        return [
            f"predicts {figures(self.of(node), grouped=True)}",
            self.amount(float(self._weight[node])),
            f"impurity {figures(float(self._impurity[node]), grouped=True)}",
            f"standard deviation {figures(float(self._deviation[node]), grouped=True)}",
        ]

    def bar(self, node: int) -> list[Share]:
        if not self._weight[node] > 0:
            return []
        value, deviation = self.of(node), float(self._deviation[node])
        fill, room = VALUES[int(self.scale.steps(value))], self._right - self._left
        if not room > 0:
            return [Share(fill, 0.0, 1.0)]
        width = min(max(2 * deviation / room, NARROWEST), 1.0)
        left = (value - self._left) / room - width / 2
        return [Share(fill, min(max(left, 0.0), 1.0 - width), width)]

    def legend(self) -> list[tuple[str | None, str]]:
        squares: list[tuple[str | None, str]] = [(fill, "") for fill in VALUES]
        low, high = (figures(end, grouped=True) for end in self.scale)
        return [(None, low), *squares, (None, high)]


Answers = _ClassAnswers | _NumberAnswers
"""The answers of the nodes of a tree."""


def share_scale(drawn: Sequence[Answers]) -> None:
    """Give numbers that are drawn beside each other one scale, of colours and of bars, so that
    equal numbers look equal in all trees. Answers that are classes are left as they are."""
    numbers = [one for one in drawn if isinstance(one, _NumberAnswers)]
    for one in numbers:
        one.scale = Scale(min(n.scale.low for n in numbers), max(n.scale.high for n in numbers))
        one._left, one._right = min(n._left for n in numbers), max(n._right for n in numbers)


def answers_of(model: Any, classes: Sequence[Label]) -> Answers:
    """The answers of a fitted tree.

    Args:
        model: the tree.
        classes: labels of its classes; empty for a tree that predicts a number.
    """
    if classes:
        return _ClassAnswers(model.tree_, classes)
    return _NumberAnswers(model.tree_, model._centre)


def number(x: float, decimals: int = 6, *, grouped: bool = False) -> str:
    """A number with few digits after the point, as the text of a tree shows it.

    Where this would change the number by over 0.1 %, it has more: one digit more than `decimals`,
    but at least three, counted from its first digit other than 0.

    Args:
        x: the number.
        decimals: digits after the point, at most.
        grouped: whether commas stand between thousands.

    Examples:
        >>> number(2.5), number(1/3, 3), number(3e-9), number(1e300), number(30/13, 2)
        ('2.5', '0.333', '3e-09', '1e+300', '2.31')
    """
    if abs(x) >= 1e16:
        return repr(float(x))
    short = f"{x:{',' * grouped}.{decimals}f}"
    if "." in short:
        short = short.rstrip("0").rstrip(".")
    if x == 0 or abs(float(short.replace(",", "")) - x) <= abs(x) * 1e-3:
        return short
    return repr(float(f"{x:.{max(3, decimals + 1)}g}"))


def amount(weight: float, *, weighed: bool) -> str:
    """Rows or their weight in words.

    Examples:
        >>> amount(1.0, weighed=False), amount(12.0, weighed=False), amount(12.5, weighed=True)
        ('1 row', '12 rows', 'weight 12.5')
    """
    return f"weight {number(weight, 2, grouped=True)}" if weighed else counted(int(weight), "row")


def figures(x: float, digits: int = 4, *, grouped: bool = False) -> str:
    """A number with some significant digits, or with all digits before the point up to 1e9.

    Args:
        x: the number.
        digits: number of significant digits.
        grouped: whether commas stand between thousands.

    Examples:
        >>> figures(152.1334), figures(0.0123456), figures(1234567.8), figures(3.0)
        ('152.1', '0.01235', '1234568', '3')
        >>> figures(1234567.8, grouped=True), figures(9999.7)
        ('1,234,568', '10000')
    """
    comma = "," if grouped else ""
    whole = 10.0**digits - 0.5 <= abs(x) < 1e9
    return f"{x:{comma}.0f}" if whole else f"{x:{comma}.{digits}g}"
