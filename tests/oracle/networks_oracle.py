"""Bayesian networks the slow way: message lengths from the formula, sums over every network.

Written from the formula alone (Wallace & Korb 1999, with the constant of their program); nothing is
shared with the core.
"""

from __future__ import annotations

import itertools
import math

import numpy as np

PER_PARAMETER = 0.17649


def codes_of(table):
    """Codes of all columns, the class last, and their numbers of values."""
    codes = np.column_stack([*(c.values for c in table.columns), table.y_codes]).astype(int)
    arities = [len(c.levels) for c in table.columns] + [len(table.classes)]
    return codes, arities


def table_cost(codes, arities, child, parents, weights=None):
    """Nits of one table."""
    weights = np.ones(len(codes)) if weights is None else weights
    v = arities[child]
    cost = 0.0
    for configuration in itertools.product(*(range(arities[i]) for i in parents)):
        here = np.all(codes[:, list(parents)] == np.array(configuration, dtype=int), axis=1)
        n = [float(weights[here & (codes[:, child] == x)].sum()) for x in range(v)]
        cost += math.lgamma(sum(n) + v) - math.lgamma(v) - sum(math.lgamma(x + 1) for x in n)
        cost += (v - 1) * PER_PARAMETER
    return cost


def all_costs(codes, arities, max_parents=11, weights=None):
    """{(child, frozenset of parents): nits}."""
    n = len(arities)
    found = {}
    for child in range(n):
        others = [i for i in range(n) if i != child]
        for k in range(min(max_parents, n - 1) + 1):
            for parents in itertools.combinations(others, k):
                cost = table_cost(codes, arities, child, parents, weights)
                found[child, frozenset(parents)] = cost
    return found


def log_sum(values):
    """ln of the sum of exponentials."""
    values = list(values)
    top = max(values, default=-math.inf)
    if top == -math.inf:
        return -math.inf
    return top + math.log(math.fsum(math.exp(v - top) for v in values))


def orders_that_fit(n, ordered=()):
    """All permutations in which the given pairs are in order."""
    for order in itertools.permutations(range(n)):
        if all(order.index(i) < order.index(j) for i, j in ordered):
            yield order


def acyclic_graphs(n):
    """Every directed acyclic graph, as parents of each column."""
    others = [[i for i in range(n) if i != j] for j in range(n)]
    subsets = [
        [frozenset(s) for k in range(n) for s in itertools.combinations(o, k)] for o in others
    ]

    def extend(j, parents):
        if j == n:
            yield tuple(parents)
            return
        for own in subsets[j]:
            parents.append(own)
            if not _circle(parents, j):
                yield from extend(j + 1, parents)
            parents.pop()

    yield from extend(0, [])


def _circle(parents, start):
    """Whether the newest column is an ancestor of itself among those decided."""
    seen, waiting = set(), list(parents[start])
    while waiting:
        i = waiting.pop()
        if i == start:
            return True
        if i < len(parents) and i not in seen:
            seen.add(i)
            waiting += parents[i]
    return False


def n_orders(parents):
    """Number of total orders that fit a graph, by counting down-sets."""
    n = len(parents)
    counts = {frozenset(): 1}
    for _ in range(n):
        grown = {}
        for done, count in counts.items():
            for j in range(n):
                if j not in done and parents[j] <= done:
                    grown[done | {j}] = grown.get(done | {j}, 0) + count
        counts = grown
    return counts[frozenset(range(n))]


def enumerate_graphs(costs, n, p, max_parents=11):
    """(log evidence, arc probabilities, least cost) over all graphs, weighed by their orders."""
    most = n * (n - 1) // 2
    logs, graphs = [], []
    best = math.inf
    for parents in acyclic_graphs(n):
        if max(map(len, parents)) > max_parents:
            continue
        k = sum(map(len, parents))
        cost = math.fsum(costs[j, own] for j, own in enumerate(parents))
        cost += -k * math.log(p) - (most - k) * math.log(1 - p)
        best = min(best, cost)
        logs.append(math.log(n_orders(parents)) - cost)
        graphs.append(parents)
    evidence = log_sum(logs)
    arcs = np.zeros((n, n))
    for log, parents in zip(logs, graphs, strict=True):
        share = math.exp(log - evidence)
        for j, own in enumerate(parents):
            for i in own:
                arcs[i, j] += share
    return evidence, arcs, best


def enumerate_orders(costs, n, arc_probability, ordered=(), max_parents=11):
    """(log evidence, arc probabilities, least cost) over all orders and, within one, all parents.

    `arc_probability(i, j)` is that of the arc from i to j given that i comes first.
    """
    per_node = {}

    def node(j, earlier):
        key = (j, earlier)
        if key not in per_node:
            rows = []
            for k in range(min(max_parents, len(earlier)) + 1):
                for own in map(frozenset, itertools.combinations(sorted(earlier), k)):
                    log = -costs[j, own]
                    for i in earlier:
                        p = arc_probability(i, j)
                        p = p if i in own else 1 - p
                        log += math.log(p) if p > 0 else -math.inf
                    rows.append((log, own))
            total = log_sum(log for log, _ in rows)
            share = {
                i: math.exp(log_sum(log for log, own in rows if i in own) - total)
                if any(i in own and log > -math.inf for log, own in rows)
                else 0.0
                for i in earlier
            }
            per_node[key] = total, share, -max(log for log, _ in rows)
        return per_node[key]

    orders, logs, best = [], [], math.inf
    for order in orders_that_fit(n, ordered):
        nodes = [node(j, frozenset(order[:at])) for at, j in enumerate(order)]
        orders.append(order)
        logs.append(math.fsum(total for total, _, _ in nodes))
        best = min(best, math.fsum(least for _, _, least in nodes))
    evidence = log_sum(logs)
    arcs = np.zeros((n, n))
    for order, log in zip(orders, logs, strict=True):
        weight = math.exp(log - evidence)
        for at, j in enumerate(order):
            for i, share in node(j, frozenset(order[:at]))[1].items():
                arcs[i, j] += weight * share
    return evidence, arcs, best
