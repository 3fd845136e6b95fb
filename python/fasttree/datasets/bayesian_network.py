"""Random Bayesian networks with a class (naive Bayes, TAN, AODE), samples from them, and their
exact posterior.

What
    The models of Hope & Korb (2004, section 5.1): 4 to 8 attributes including the class, 2 to 5
    values each, probabilities drawn at random. Every model is a mixture of components in which an
    attribute depends on the class and at most one other attribute. Naive Bayes is one component
    without other parents; TAN one component with a random tree. AODE has one component for every
    attribute i, in which i is the parent of all others; for every row a component is picked
    uniformly.
Formula
    P(c | x) is proportional to P(c) sum_m 1/M prod_j P_m(x_j | c, x_parent(m, j)).
Decisions
    Each conditional distribution is uniform on the simplex (Dirichlet with all parameters 1) unless
    `concentration` says otherwise; the class prior is shared by the components of an AODE.
Complexity
    O(rows x components x attributes x classes).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from .._checks import as_list, check_whole, generator_of, number_in, one_of
from .._checks.aliases import Seed
from ..table import Table
from .label_tables import table_of_codes
from .table_network import TableNetwork, drawn

ModelKind = Literal["nb", "tan", "aode"]


@dataclass(frozen=True, slots=True, eq=False)
class RandomNetwork:
    """A known joint distribution of a class and its attributes.

    `fasttree.bayesian_networks.components` returns the networks that it mixes, each as a
    `BayesianNetwork`, which can be plotted and compared.

    Attributes:
        kind: "nb", "tan" or "aode".
        class_prior: P(c), shape (classes,).
        n_values: number of values of each attribute.
        components: the networks that it mixes with equal weight, each a `TableNetwork`
            (``parents``, ``tables``, ``order``) over the attributes and, last, the class. There is
            one network, except with AODE.
        classes, levels: labels of the classes (0, 1, ...) and of the attributes' values ("v1",
            "v2", ...).

    Examples:
        >>> table, network = make_bayesian_network("tan", 200, random_state=1)
        >>> P = network.predict_proba(table)
        >>> P.shape == (200, len(network.class_prior)), bool(abs(P.sum(axis=1) - 1).max() < 1e-12)
        (True, True)
    """

    kind: ModelKind
    class_prior: np.ndarray
    n_values: tuple[int, ...]
    components: tuple[TableNetwork, ...]

    @property
    def classes(self) -> tuple[int, ...]:
        """Labels of the classes."""
        return tuple(range(len(self.class_prior)))

    @property
    def feature_names(self) -> list[str]:
        """Names of the attributes: a1, a2, ..."""
        return [f"a{j + 1}" for j in range(len(self.n_values))]

    def levels(self, j: int) -> tuple[str, ...]:
        """Labels of the values of attribute j."""
        return tuple(f"v{v + 1}" for v in range(self.n_values[j]))

    def sample(self, n_samples: int, random_state: Seed = None) -> Table:
        """Independent rows from the model, as a Table with declared levels and classes.

        Args:
            n_samples: rows.
            random_state: seed or Generator.
        """
        n_samples = check_whole("n_samples", n_samples, 1)
        rng = generator_of(random_state)
        last = len(self.n_values)
        # First the class of every row, then its component, then its attributes.
        codes = np.zeros((n_samples, last + 1), dtype=np.int32)
        shares = np.broadcast_to(self.class_prior, (n_samples, len(self.class_prior)))
        codes[:, last] = drawn(shares, rng)
        component_of_row = rng.integers(len(self.components), size=n_samples)
        for number, component in enumerate(self.components):
            rows = np.flatnonzero(component_of_row == number)
            codes[rows] = component.draw(len(rows), rng, codes[rows], fixed=(last,))
        levels = {name: self.levels(j) for j, name in enumerate(self.feature_names)}
        return table_of_codes(f"{self.kind}-network", {**levels, "class": self.classes}, codes.T)

    def joint(self, X: Any) -> np.ndarray:
        """P(c, x) of each row, shape (n, classes).

        Args:
            X: a Table from `sample`, or rows of codes 0 ... values - 1, shape (n, attributes).
        """
        codes = self._codes(X)
        total = np.sum([component.joint(codes) for component in self.components], axis=0)
        return np.asarray(total / len(self.components))

    def predict_proba(self, X: Any) -> np.ndarray:
        """P(c | x) of each row, exactly; shape (n, classes). X as for `joint`."""
        joint = self.joint(X)
        return joint / joint.sum(axis=1, keepdims=True)

    def predict(self, X: Any) -> np.ndarray:
        """The most probable class of each row; of equally probable ones the lowest."""
        return self.predict_proba(X).argmax(axis=1)

    def _codes(self, X: Any) -> np.ndarray:
        """Codes of the attributes, shape (n, attributes), checked."""
        if isinstance(X, Table):
            for j, column in enumerate(X.columns):
                if j >= len(self.n_values) or column.levels != self.levels(j):
                    raise ValueError(
                        f"column {column.name!r} is not attribute {j + 1} of this network"
                    )
            codes = np.column_stack([column.values for column in X.columns])
        else:
            codes = np.asarray(X)
        if codes.ndim != 2 or codes.shape[1] != len(self.n_values):
            raise ValueError(
                f"X of shape {codes.shape} needs {len(self.n_values)} columns, one an attribute"
            )
        if (
            codes.dtype.kind not in "iu"
            or (codes < 0).any()
            or (codes >= np.array(self.n_values)).any()
        ):
            raise ValueError("X must hold whole codes 0 ... values - 1 without missing cells")
        return codes


def _random_tree_parents(n: int, rng: np.random.Generator) -> np.ndarray:
    """Parents in a random tree on n attributes: in random order, each takes an earlier one."""
    order = rng.permutation(n)
    parent = np.full(n, -1)
    for i in range(1, n):
        parent[order[i]] = order[rng.integers(i)]
    return parent


def make_bayesian_network(
    kind: ModelKind = "nb",
    n_samples: int = 500,
    *,
    n_attributes: int | None = None,
    n_values: int | tuple[int, ...] | None = None,
    n_classes: int | None = None,
    concentration: float = 1.0,
    random_state: Seed = None,
) -> tuple[Table, RandomNetwork]:
    """A random model and a sample from it.

    Args:
        kind: "nb" (naive Bayes), "tan" (tree-augmented) or "aode" (averaged one-dependence).
        n_samples: rows of the sample.
        n_attributes: attributes beside the class; default: 3 to 7 at random (4 to 8 with the
            class).
        n_values: values of every attribute, or one number per attribute; default: 2 to 5 at random
            each.
        n_classes: classes; default: 2 to 5 at random.
        concentration: parameter of the symmetric Dirichlet distribution of the probabilities (> 0).
        random_state: seed or Generator. More rows of the same model: ``network.sample``.

    Returns:
        The Table and the `RandomNetwork` with ``predict_proba``.

    Examples:
        >>> table, network = make_bayesian_network("aode", 300, n_attributes=4, random_state=0)
        >>> table.shape, len(network.components)
        ((300, 4), 4)
    """
    one_of("kind", kind, ("nb", "tan", "aode"))
    number_in(0.0, 1e300, above=True)("concentration", concentration)
    rng = generator_of(random_state)
    # The sizes that are not given are drawn, as in the paper.
    d = (
        int(rng.integers(3, 8))
        if n_attributes is None
        else check_whole("n_attributes", n_attributes, 1)
    )
    k = int(rng.integers(2, 6)) if n_classes is None else check_whole("n_classes", n_classes, 2)
    if n_values is None:
        values = tuple(int(v) for v in rng.integers(2, 6, size=d))
    else:
        values = (
            (n_values,) * d
            if isinstance(n_values, (int, np.integer))
            else tuple(as_list("n_values", n_values))
        )
        if len(values) != d:
            raise ValueError(f"n_values has {len(values)} numbers but there are {d} attributes")
        values = tuple(check_whole("n_values", v, 1) for v in values)
    # Parents of the attributes beside the class, by component; -1 is none.
    if kind == "aode":
        parents = [np.where(np.arange(d) == i, -1, i) for i in range(d)]
    else:
        parents = [_random_tree_parents(d, rng) if kind == "tan" else np.full(d, -1)]
    # Probabilities: the class prior, then each attribute's table by (class, parent's value, value).
    prior = rng.dirichlet(np.full(k, concentration))
    components = []
    for parent in parents:
        drawings = [
            rng.dirichlet(np.full(values[j], concentration), size=(k, values[i] if i >= 0 else 1))
            for j, i in enumerate(parent)
        ]
        # A network has the class last, so its axis comes after the parent's.
        parent_lists = [[int(i), d] if i >= 0 else [d] for i in parent]
        tables = [
            np.moveaxis(drawing, 0, 1) if i >= 0 else drawing[:, 0]
            for drawing, i in zip(drawings, parent, strict=True)
        ]
        components.append(TableNetwork([*parent_lists, []], [*tables, prior]))
    network = RandomNetwork(kind, prior, values, tuple(components))
    return network.sample(n_samples, rng), network
