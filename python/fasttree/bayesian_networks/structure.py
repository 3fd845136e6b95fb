"""Directed acyclic graphs as lists of parents: topological order, cycles, Markov equivalence.

What
    A graph over n columns is a list of n lists of parents. Two graphs are Markov equivalent when
    they have the same edges and the same v-structures (two parents of a column that are not joined;
    Verma & Pearl 1990). No data can tell them apart by their likelihood.
Complexity
    O(n^3) at most.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from .._checks import as_list, check_whole
from .reading import place

Parents = Sequence[Sequence[int]]


def arcs_of(names: Sequence[str], parents: Parents) -> list[tuple[str, str]]:
    """The arcs (parent, child) of a network, by the names of the columns."""
    return [(names[i], names[j]) for j, sources in enumerate(parents) for i in sources]


def parent_lists(parents: Any, names: Sequence[str]) -> list[list[int]]:
    """Ascending parents of each column as numbers.

    >>> parent_lists([["c"], [], ["b"]], ["a", "b", "c"])
    [[2], [], [1]]
    """
    given: Sequence[Iterable[int | str]] = getattr(parents, "parents", parents)
    given = as_list("parents", given)
    if len(given) != len(names):
        raise ValueError(
            f"parents has {len(given)} lists for {len(names)} columns, the class among them (last)"
        )
    lists = []
    for child, keys in zip(names, given, strict=True):
        keys = as_list(f"parents of {child!r}", keys)
        numbers = [place(names, key, f"parents of {child!r}") for key in keys]
        if len(set(numbers)) < len(numbers):
            raise ValueError(f"parents of {child!r}: {keys!r} names a column twice")
        lists.append(sorted(numbers))
    return lists


def check_acyclic(parents: Parents, names: Sequence[str]) -> list[int]:
    """The columns, parents before children and lower numbers first.

    Raises:
        ValueError: a cycle; the message names the columns on it or below it.

    >>> check_acyclic([[2], [], [1]], "abc")
    [1, 2, 0]
    """
    order: list[int] = []
    waiting = list(range(len(parents)))
    while waiting:
        ready = next((j for j in waiting if all(i in order for i in parents[j])), None)
        if ready is None:
            rest = [names[j] for j in waiting]
            raise ValueError(f"the parents form a circle among {rest}: a network has none")
        order.append(ready)
        waiting.remove(ready)
    return order


def markov_class(
    parents: Parents,
) -> tuple[frozenset[tuple[int, int]], frozenset[tuple[int, int, int]]]:
    """Edges (lower, higher) and v-structures (parent, child, parent), which define a Markov class.

    >>> markov_class([[], [0], [1]]) == markov_class([[1], [2], []])
    True
    >>> markov_class([[], [0, 2], []]) == markov_class([[1], [2], []])
    False
    """
    edges = frozenset(
        (min(i, j), max(i, j)) for j, parents_of in enumerate(parents) for i in parents_of
    )
    v_structures = frozenset(
        (a, j, b)
        for j, parents_of in enumerate(parents)
        for a in parents_of
        for b in parents_of
        if a < b and (a, b) not in edges
    )
    return edges, v_structures


def _numbers(name: str, graph: Any) -> list[list[int]]:
    """The parents of a graph's columns by number."""
    lists = as_list(name, getattr(graph, "parents", graph))
    return [
        [check_whole(name, i, 0, len(lists) - 1) for i in as_list(name, parents)]
        for parents in lists
    ]


def equivalent(first: Any, second: Any) -> bool:
    """Whether two graphs (lists of parents by number, or networks) are Markov equivalent.

    >>> equivalent([[], [0]], [[1], []])
    True
    """
    a, b = (_numbers(name, g) for name, g in (("first", first), ("second", second)))
    return markov_class(a) == markov_class(b)
