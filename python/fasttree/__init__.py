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
from typing import TYPE_CHECKING, Any

_SUBMODULES = (
    "bayesian_networks",
    "advice",
    "criteria",
    "datasets",
    "discretize",
    "distributed",
    "exact",
    "exports",
    "feature_selection",
    "metrics",
    "model_selection",
    "naive_bayes",
    "plots",
    "presets",
    "pruning",
    "reports",
    "experiments",
)

_NAMES = {
    "FastForestClassifier": "estimators",
    "FastForestRegressor": "estimators",
    "FastTreeClassifier": "estimators",
    "FastTreeRegressor": "estimators",
    "FirstTests": "estimators",
    "GreedyComparison": "estimators",
    "fit": "estimators",
    "MinimalTreeClassifier": "estimators",
    "OptimalTreeClassifier": "estimators",
    "from_bytes": "model_files",
    "load": "model_files",
    "load_model": "model_files",
    "minimal_tree": "estimators",
    "optimal_tree": "estimators",
    "FeatureEstimates": "scores",
    "TurfResult": "scores",
    "VariantTests": "scores",
    "estimate_features": "scores",
    "relief_p_values": "scores",
    "score_features": "scores",
    "turf": "scores",
    "PairCounts": "scores",
    "count_matrices": "scores",
    "list_criteria": "criteria",
    "pair_counts": "scores",
    "sweep": "model_selection",
    "Column": "table",
    "Table": "table",
    "Advice": "advice",
    "advise": "advice",
    "show_versions": "_engine.versions",
    "InternalError": "_engine",
}

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
    "MinimalTreeClassifier",
    "OptimalTreeClassifier",
    "PairCounts",
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

if TYPE_CHECKING:
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
        MinimalTreeClassifier,
        OptimalTreeClassifier,
        fit,
        minimal_tree,
        optimal_tree,
    )
    from .model_files import from_bytes, load, load_model
    from .model_selection.sweeping import sweep
    from .scores import (
        FeatureEstimates,
        PairCounts,
        TurfResult,
        VariantTests,
        count_matrices,
        estimate_features,
        pair_counts,
        relief_p_values,
        score_features,
        turf,
    )
    from .table import Column, Table


def __getattr__(name: str) -> Any:
    if name in _SUBMODULES:
        return importlib.import_module(f".{name}", __name__)
    if name in _NAMES:
        value = getattr(importlib.import_module(f".{_NAMES[name]}", __name__), name)
        globals()[name] = value
        return value
    if name == "__version__":
        from ._engine import core_version

        return core_version()
    parts = ("model_selection", "datasets", "metrics") if not name.startswith("_") else ()
    known = [p for p in parts if name in dir(importlib.import_module(f".{p}", __name__))]
    hint = f"; there is {__name__}.{known[0]}.{name}" if known else ""
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}{hint}")


def __dir__() -> list[str]:
    return sorted([*__all__, "__version__"])
