"""fasttree: decision trees whose split criterion is the subject, not a detail.

>>> import fasttree
>>> table = fasttree.datasets.load_weather()
>>> model = fasttree.fit(table, criterion="gain_ratio")
>>> print(model.to_text())
outlook = sunny
|   humidity = high: no (3)
|   humidity = normal: yes (2)
outlook = overcast: yes (4)
outlook = rainy
|   windy = TRUE: no (2)
|   windy = FALSE: yes (3)
<BLANKLINE>

Names are loaded on first use: importing the package loads neither scikit-learn nor matplotlib.
"""

from __future__ import annotations

import importlib
import sys
from types import ModuleType
from typing import TYPE_CHECKING, Any

_HOMES = {
    "_engine": "InternalError",
    "_engine.versions": "show_versions",
    "advice": "Advice advise",
    "criteria": "list_criteria",
    "estimators": (
        "FastForestClassifier FastForestRegressor FastTreeClassifier FastTreeRegressor FirstTests "
        "GreedyComparison LeafIntervals MinimalTreeClassifier OptimalTreeClassifier Stability fit "
        "minimal_tree optimal_tree"
    ),
    "feature_selection.estimates": "FeatureEstimates estimate_features",
    "feature_selection.features": "TurfResult score_features turf",
    "feature_selection.genotypes": "VariantTests relief_p_values",
    "feature_selection.pairs": "PairCounts count_matrices pair_counts",
    "model_selection.parameter_sweep": "sweep",
    "table": "Column Table",
}
"""Module -> the names that it has for this one."""

_MODULE_OF = {name: module for module, names in _HOMES.items() for name in names.split()}

__all__ = [
    "Advice",
    "Column",
    "FastForestClassifier",
    "FastForestRegressor",
    "FastTreeClassifier",
    "FastTreeRegressor",
    "FeatureEstimates",
    "FirstTests",
    "GreedyComparison",
    "InternalError",
    "LeafIntervals",
    "MinimalTreeClassifier",
    "OptimalTreeClassifier",
    "PairCounts",
    "Stability",
    "Table",
    "TurfResult",
    "VariantTests",
    "advice",
    "advise",
    "bayesian_networks",
    "count_matrices",
    "criteria",
    "datasets",
    "discretize",
    "distributed",
    "estimate_features",
    "exact",
    "experiments",
    "exports",
    "feature_selection",
    "fit",
    "from_bytes",
    "list_criteria",
    "load",
    "load_model",
    "metrics",
    "minimal_tree",
    "model_selection",
    "naive_bayes",
    "optimal_tree",
    "pair_counts",
    "plots",
    "presets",
    "pruning",
    "relief_p_values",
    "reports",
    "score_features",
    "show_versions",
    "sweep",
    "turf",
]

_SUBMODULES = {*__all__} - {*_MODULE_OF, "from_bytes", "load", "load_model"}

if TYPE_CHECKING:
    from os import PathLike

    from . import (
        advice,
        bayesian_networks,
        criteria,
        datasets,
        discretize,
        distributed,
        exact,
        experiments,
        exports,
        feature_selection,
        metrics,
        model_selection,
        naive_bayes,
        plots,
        presets,
        pruning,
        reports,
    )
    from ._engine import InternalError
    from ._engine.versions import show_versions
    from .advice import Advice, advise
    from .criteria import list_criteria
    from .estimators import (
        FastForestClassifier,
        FastForestRegressor,
        FastTreeClassifier,
        FastTreeRegressor,
        FirstTests,
        GreedyComparison,
        LeafIntervals,
        MinimalTreeClassifier,
        OptimalTreeClassifier,
        Stability,
        fit,
        minimal_tree,
        optimal_tree,
    )
    from .feature_selection.estimates import FeatureEstimates, estimate_features
    from .feature_selection.features import TurfResult, score_features, turf
    from .feature_selection.genotypes import VariantTests, relief_p_values
    from .feature_selection.pairs import PairCounts, count_matrices, pair_counts
    from .model_selection.parameter_sweep import sweep
    from .table import Column, Table


def __getattr__(name: str) -> Any:
    if name in _MODULE_OF:
        value = getattr(importlib.import_module(f".{_MODULE_OF[name]}", __name__), name)
        globals()[name] = value
        return value
    if name in _SUBMODULES:
        return importlib.import_module(f".{name}", __name__)
    if name == "__version__":
        from ._engine import core_version

        return core_version()
    import pkgutil

    # The sources are searched, as `hasattr` must not import these packages.
    parts = ("model_selection", "datasets", "metrics")
    listed = {p: pkgutil.get_data(__name__, f"{p}/__init__.py") or b"" for p in parts}
    known = [p for p in parts if f'"{name}"'.encode() in listed[p]]
    hint = f"; there is {__name__}.{known[0]}.{name}" if known else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


_EARLIER = {
    "scores": "feature_selection",
    "scores.estimates": "feature_selection.estimates",
    "scores.features": "feature_selection.features",
    "scores.genotypes": "feature_selection.genotypes",
    "scores.pairs": "feature_selection.pairs",
    "advice.source": "advice.screening",
    "datasets.limits": "datasets.blocks",
    "discretize.imputation": "discretize.transformer",
    "estimators.regressor": "estimators.tree",
    "feature_selection.criterion_selector": "feature_selection.selector",
    "feature_selection.turf": "feature_selection.selector",
    "metrics.regression_evaluation": "metrics.evaluation",
    "model_selection.contiguous": "model_selection.splitter",
    "model_selection.groups": "model_selection.splitter",
    "model_selection.statistics.anova_two_way": "model_selection.statistics.anova",
    "model_selection.statistics.signed_rank": "model_selection.statistics.bayesian",
    "model_selection.stratified": "model_selection.splitter",
    "model_selection.weka": "model_selection.splitter",
    "model_selection.sweeping": "model_selection.parameter_sweep",
    "table.data_checks.warned": "_checks.data_warnings",
}
"""Earlier name of a module, as pickles and guides have it -> its name."""


class _Renamed(ModuleType):
    """A module by its earlier name."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        now = _EARLIER[self.__name__.removeprefix("fasttree.")]
        return getattr(importlib.import_module(f".{now}", __package__), name)


for _name in _EARLIER:
    sys.modules[f"{__name__}.{_name}"] = _Renamed(f"{__name__}.{_name}")
scores: Any = sys.modules[f"{__name__}.scores"]


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])


_READERS = {
    b"fasttree model": "estimators.restore.tree_from_bytes",
    b"fasttree forest": "estimators.restore.forest_from_bytes",
    b"fasttree Bayes model": "naive_bayes.reading.classifier_from_bytes",
    b"fasttree network": "bayesian_networks.storing.network_from_bytes",
}
"""Kind of a model, as ``save`` writes it at the head of the file -> the function that reads it.
Readers validate the whole file before they use any of it, and execute nothing."""


def _kind_of(data: bytes) -> bytes:
    """The kind of model that the head of a model file names; "" for other bytes."""
    import re

    head = re.match(rb'\s*\{\s*"format"\s*:\s*"([^"]*)"', data[:100])
    return head[1] if head else b""


def from_bytes(data: bytes) -> Any:
    """Return the fitted model that the bytes of a model file hold.

    The head of the bytes names the kind of model. The whole content is validated before any of it
    is used, and nothing in it is executed.

    Raises:
        ValueError: truncated, damaged, of another version, or not a model of fasttree.

    Examples:
        >>> import fasttree
        >>> table = fasttree.datasets.load_weather()
        >>> from_bytes(fasttree.naive_bayes.AODE().fit(table).to_bytes())
        AODE()
    """
    from ._checks import as_bytes

    data = as_bytes("data", data)
    module, _, function = _READERS.get(_kind_of(data), _READERS[b"fasttree model"]).rpartition(".")
    return getattr(importlib.import_module(f".{module}", __name__), function)(data)


def load(path: str | PathLike[str]) -> Any:
    """Return the fitted model of a file that its ``save`` wrote: a tree, a forest, a Bayesian
    classifier or a Bayesian network.

    Raises:
        ValueError: as `from_bytes`, with the name of the file.
        OSError: the file cannot be read.
    """
    from ._checks import path_of

    try:
        data = path_of("path", path).read_bytes()
    except FileNotFoundError as error:
        from .datasets import list_datasets

        if str(path) in (one["name"] for one in list_datasets()):
            raise FileNotFoundError(
                f"{path}: no such model file; the data set is fasttree.datasets.load({str(path)!r})"
            ) from error
        raise
    try:
        return from_bytes(data)
    except ValueError as error:
        hint = "" if _kind_of(data) else f"; data are read by fasttree.datasets.load({str(path)!r})"
        raise ValueError(f"{path}: {error}{hint}") from error


load_model = load
