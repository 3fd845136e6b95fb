"""`CaMML`: the class's posterior in the network with the shortest message, or averaged over many.

Source
    Wallace & Korb, "Learning linear causal models by MML sampling", 1999; Korb & Nicholson,
    *Bayesian Artificial Intelligence*; used by Hope & Korb, "A Bayesian metric for evaluating
    machine learning algorithms", 2004.
Complexity
    Fit: some millions of steps of less than a microsecond, and one pass over the rows for each
    table when it is first needed. Prediction: the tables of the class and of its children.
When not to use it
    For accuracy alone on few rows, where it finds no arcs and predicts the most frequent class. For
    more than a hundred columns, as it cannot explore their orders.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from sklearn.utils.validation import check_is_fitted

from .. import _engine
from .._checks import check_integer, number_in, one_of, one_value
from .._checks.aliases import CategoricalFeatures, MaybeArray, Seed
from .._checks.progress import Progress, make_report
from ..estimators.parameters import seed_of
from ..table import Table
from .classifier import NetworkClassifier
from .network import BayesianNetwork, Family, class_families, family_tables, mixture_proba
from .reading import LARGEST_PARENTS, Reading, prior_config, read
from .search import SearchResult, default_steps, found_models

MIXTURE_SHARE, MIXTURE_SIZE = 0.999, 200
"""Share of the posterior that the averaged models hold, and their largest number."""


@dataclass(kw_only=True, eq=False, repr=False)
class CaMML(NetworkClassifier):
    r"""Causal minimum message length: a Bayesian network searched by annealing and sampling.

    The class is a column as any other; it is predicted from all others,
    :math:`P(c \mid x) \propto P(c \mid \text{parents}) \prod_{\text{children}} P(x_j \mid
    \text{parents}_j)`, with the tables' parameters :math:`(n_i + 1/2) / (N + v/2)`.

    Args:
        average: False: predict by the model with the shortest message; True: by the mean over the
            visited models, in proportion to their posterior.
        arc_probability: prior probability of an arc, above 0 and below 1; None: estimated as (arcs
            + 1/2) / (M + 1) of the best annealed model, M = n(n - 1)/2.
        max_parents: largest number of parents of a column.
        arc_priors: {(parent, child): probability of that arc, given that the parent comes first},
            columns by name or number, the class by its name or -1. 0 forbids the arc, 1 requires
            it.
        ordered: pairs of columns of which the first comes before the second.
        tied: pairs of columns that an arc joins, in either direction.
        n_steps: steps of all chains together; None: 60 n^5 for n columns with the class up to 20,
            from 1 to 10 million, 4000 n^3 for more, at most 40 million; the authors' program makes
            200 max(n, 10)^3.
        n_chains: number of chains; each starts from its own annealed model.
        temperature: ratio of neighbouring temperatures in the ladder of a chain, at least 1; visits
            are counted at temperature 1.
        max_models: largest number of models that are kept.
        discretize: of numeric columns: ``"mdlp"`` or ``"auto"``, ``"equal_width"``,
            ``"equal_frequency"``, an object of `fasttree.discretize`, or None (a numeric column is
            then an error); fitted on the training rows.
        n_bins: bins of the methods that take a number.
        missing: ``"mode"``: missing cells take the most frequent value or bin of the training rows;
            ``"parts"``: rows with missing cells become fractional rows, one for every value, by the
            shares of the values among the known cells, in training and in prediction; ``"error"``.
        categorical_features: as in `Table`.
        handle_unknown: levels not seen in fit are ``"missing"`` (with a warning) or an ``"error"``.
        random_state: seed; the same seed gives the same result for any number of threads.
        n_jobs: threads; None is one, -1 all cores.
        progress: True for a bar, or a function of (done, total).

    Attributes:
        classes_: class labels, shape (n_classes,).
        network_: the best model, a `BayesianNetwork`.
        message_length_: its length in nits.
        models_: visited models without their insignificant arcs, by descending weight
            (`FoundModel`).
        arc_probability_: p of the prior.
        arc_probabilities_: sampled probability of an arc from i to j, shape (n, n), the class being
            the last column; before insignificant arcs are removed.
        search_: the result of the search (`SearchResult`).
        class_count_, class_prior_: weight of each class, and (n_i + 1/2) / (n + k/2).
        cuts_: cut points of each binned column, by name.
        n_features_in_, feature_names_in_: as in scikit-learn.

    Examples:
        >>> import fasttree
        >>> table = fasttree.datasets.load_monks_1()
        >>> model = CaMML(n_steps=20_000, random_state=0).fit(table)
        >>> model.network_.markov_blanket()
        ['a1', 'a2', 'a5']
        >>> round(model.score(table), 2)
        1.0
    """

    average: bool = False
    arc_probability: float | None = None
    max_parents: int = LARGEST_PARENTS
    arc_priors: Mapping[tuple[Any, Any], float] | None = None
    ordered: Sequence[tuple[Any, Any]] = ()
    tied: Sequence[tuple[Any, Any]] = ()
    n_steps: int | None = None
    n_chains: int = 4
    temperature: float = 1.8
    max_models: int = 1000
    discretize: Any = "mdlp"
    n_bins: int = 10
    missing: str = "mode"
    categorical_features: CategoricalFeatures = "from_dtype"
    handle_unknown: str = "missing"
    random_state: Seed = None
    n_jobs: int | None = None
    progress: Progress = False

    def fit(self, X: Any, y: MaybeArray = None, sample_weight: MaybeArray = None) -> CaMML:
        """Search a network for rows and labels.

        Args:
            X: rows, shape (n_rows, n_features), or a `Table` with its target (then y is None).
            y: labels, shape (n_rows,).
            sample_weight: weights >= 0, shape (n_rows,); an integer weight is that many copies of
                the row, a row of weight 0 is dropped before anything else.

        Raises:
            ValueError: a parameter or data outside their domain, priors that contradict each other.
        """
        one_of("handle_unknown", self.handle_unknown, ("missing", "error"))
        X, y, sample_weight = self._labelled(X, y, sample_weight)
        if not isinstance(X, Table):
            X, y = Table(X, y, categorical_features=self.categorical_features), None
        # Columns of levels, then the search in the core.
        reading = read(
            X,
            y,
            sample_weight=sample_weight,
            discretize=self.discretize,
            n_bins=self.n_bins,
            missing=self.missing,
            max_parents=self.max_parents,
        )
        self.search_ = self._search(reading)
        self._adopt(reading)
        return self

    def _search(self, reading: Reading) -> SearchResult:
        """The networks that the core samples, by their posterior probability."""
        prior = prior_config(
            reading.names, self.arc_probability, self.arc_priors, self.ordered, self.tied
        )
        chains = check_integer("n_chains", self.n_chains, 1)
        steps = default_steps(len(reading.names))
        if self.n_steps is not None:
            steps = check_integer("n_steps", self.n_steps, 1)
        search = {
            "seed": seed_of(self.random_state),
            "chains": chains,
            "steps": max(steps, chains),
            "temperature": number_in(1.0, 1e300)("temperature", self.temperature),
            "keep": check_integer("max_models", self.max_models, 1),
        }
        result, arcs = _engine.core.network_search(
            *reading.for_core(prior, self.n_jobs),
            search,
            _engine.as_weights(reading.weights),
            self.n_jobs,
            make_report(self.progress, "CaMML"),
        )
        return SearchResult(
            tuple(map(tuple, result["best"])),
            result["length"],
            result["arc_probability"],
            arcs,
            found_models(result["models"]),
            result["kept"],
            result["steps"],
            result["counted"],
        )

    def _adopt(self, reading: Reading) -> None:
        """Set the fitted attributes from the search and the rows."""
        search, table = self.search_, reading.table
        network = BayesianNetwork.from_reading(reading, [list(p) for p in search.parents])
        mixture = _mixture(
            search.models if one_value("average", self.average) else [], search.parents
        )
        tables = family_tables(reading, [family for _, families in mixture for family in families])
        weights = np.ones(len(table)) if reading.weights is None else reading.weights
        counts = np.bincount(table.y_codes, weights=weights, minlength=len(table.classes))
        named = table.has_feature_names
        self._finish(network, mixture, tables, table.class_values, counts, has_names=named)

    def _finish(
        self,
        network: BayesianNetwork,
        mixture: list[tuple[float, list[Family]]],
        tables: dict[Family, np.ndarray],
        classes: np.ndarray,
        counts: np.ndarray,
        *,
        has_names: bool,
    ) -> None:
        """Set the fitted attributes, of a fit or of a model file."""
        self.network_, self._families, self._tables = network, mixture, tables
        self.message_length_ = self.search_.length
        self.models_ = self.search_.models
        self.arc_probability_ = self.search_.arc_probability
        self.arc_probabilities_ = self.search_.arc_probabilities
        reader = network._reader
        schema = replace(reader.schema, has_names=has_names, owner=type(self).__name__)
        self._reader = replace(reader, schema=schema)
        self.cuts_ = reader.cuts
        self._set_classes(schema, classes, counts)

    # -- predicting -------------------------------------------------------------------------------

    def predict_proba(self, X: Any) -> np.ndarray:
        """Class probabilities in the order of `classes_`, shape (n_rows, n_classes)."""
        check_is_fitted(self)
        return mixture_proba(self._reader, X, self._families, self._tables, self.handle_unknown)

    def predict_log_proba(self, X: Any) -> np.ndarray:
        """Natural logarithms of the probabilities, shape (n_rows, n_classes)."""
        with np.errstate(divide="ignore"):
            return np.log(self.predict_proba(X))

    # -- showing and keeping ----------------------------------------------------------------------

    def to_dot(self) -> str:
        """The best network in Graphviz's language, arcs with their sampled probabilities."""
        check_is_fitted(self)
        return self.network_.to_dot(
            {arc: f"{p:.2f}" for arc, p in self._by_arc(self.arc_probabilities_).items()}
        )

    def to_svg(self) -> str:
        """The best network as an SVG picture; opacity is the probability of the edge."""
        check_is_fitted(self)
        edges = self.arc_probabilities_ + self.arc_probabilities_.T
        return self.network_.to_svg(self._by_arc(edges))

    def _by_arc(self, values: np.ndarray) -> dict[tuple[str, str], float]:
        """Values (n, n) at the arcs of the best network, by (parent, child)."""
        return {
            (self.network_.names[i], self.network_.names[j]): float(values[i, j])
            for j, parents in enumerate(self.network_.parents)
            for i in parents
        }

    def _state(self) -> dict[str, Any]:
        """The model as JSON; `storing` reads it."""
        params = self._parameters()
        priors = params["arc_priors"]
        params["arc_priors"] = None if priors is None else [[*arc, p] for arc, p in priors.items()]
        if not isinstance(params["random_state"], int | None):
            params["random_state"] = None
        search = {**vars(self.search_)}
        search["models"] = [vars(model) for model in self.search_.models]
        return {
            "kind": "camml",
            "parameters": params,
            "network": self.network_.state(),
            "has_names": self._reader.schema.has_names,
            "classes": [_engine.plain(label) for label in self.classes_],
            "class_count": self.class_count_,
            "search": search,
            "mixture": [
                [weight, [[child, list(parents)] for child, parents in families]]
                for weight, families in self._families
            ],
            "tables": [
                [child, list(parents), table.ravel().tolist()]
                for (child, parents), table in self._tables.items()
            ],
        }


def _mixture(
    models: Sequence[Any], best: Sequence[Sequence[int]]
) -> list[tuple[float, list[Family]]]:
    """(weight, families of the class and its children) of the models that predict.

    Models that agree in these families are one; only the heaviest are kept. Without models it is
    the best one alone.
    """
    if not models:
        return [(1.0, class_families(best))]
    weights: dict[tuple[Family, ...], float] = {}
    for model in models:
        families = tuple(class_families(model.parents))
        weights[families] = weights.get(families, 0.0) + model.weight
    by_weight = sorted(weights.items(), key=lambda item: (-item[1], item[0]))
    total = sum(weights.values())
    kept, held = [], 0.0
    for families, weight in by_weight:
        kept.append((weight, list(families)))
        held += weight
        if held > MIXTURE_SHARE * total or len(kept) >= MIXTURE_SIZE:
            break
    return [(weight / held, families) for weight, families in kept]
