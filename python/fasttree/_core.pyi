from collections.abc import Callable, Sequence
from typing import Any, Final, final

import numpy as np

__version__: Final[str]
__all__ = [
    "ArffReader",
    "BayesModel",
    "Dataset",
    "DelimitedReader",
    "FileFault",
    "Forest",
    "InternalError",
    "Model",
    "PairCounts",
    "__version__",
    "agreement_counts",
    "bag_counts",
    "bayes_fit",
    "bin_cuts",
    "criteria_json",
    "exercise",
    "fit_numbers",
    "fixed_matrices",
    "float32_conflicts",
    "forest_fit",
    "genotype_scores",
    "genotype_tests",
    "minimal_tree",
    "network_counts",
    "network_exact",
    "network_exact_memory",
    "network_search",
    "network_tables_cost",
    "optimal_tree",
    "pair_block_scores",
    "pair_counts",
    "permutation_losses",
    "score_tables",
    "simd_level",
    "stream_scores",
]

class InternalError(RuntimeError): ...
class FileFault(ValueError): ...

_ReadColumn = tuple[int, np.ndarray, list[bytes] | None]

@final
class DelimitedReader:
    def __new__(
        cls, separator: int, quotes: bool, skip: int, most: tuple[int, int, int]
    ) -> DelimitedReader: ...
    def feed(self, block: bytes) -> None: ...
    def end(self) -> None: ...
    def is_ready(self) -> bool: ...
    def sample(self, n: int) -> list[tuple[int, list[bytes]]]: ...
    def start(
        self,
        header: bool,
        names: Sequence[bytes],
        kinds: Sequence[tuple[int, Sequence[bytes] | None, bool, bool]],
        missing: Sequence[bytes],
    ) -> None: ...
    def finish(self) -> tuple[list[_ReadColumn], list[int], int | None]: ...

@final
class ArffReader:
    def __new__(cls, most: tuple[int, int, int]) -> ArffReader: ...
    def feed(self, block: bytes) -> None: ...
    def end(self) -> None: ...
    def header_is_complete(self) -> bool: ...
    def header(self) -> tuple[bytes, list[tuple[bytes, str, int]]]: ...
    def start(self, wanted: Sequence[int]) -> None: ...
    def finish(self) -> tuple[list[_ReadColumn], np.ndarray, np.ndarray, int | None]: ...

@final
class Dataset:
    def __new__(
        cls,
        schema_json: str,
        classes: np.ndarray,
        blocks: Sequence[np.ndarray],
        n_jobs: int | None = None,
    ) -> Dataset: ...
    def __len__(self) -> int: ...
    def fit(
        self,
        config: str,
        rows: np.ndarray | None = None,
        sample_weight: np.ndarray | None = None,
        custom: Callable[[np.ndarray], Any] | None = None,
        n_jobs: int | None = None,
        progress: Callable[[int, int], Any] | None = None,
    ) -> Model: ...
    def score_features(
        self,
        config: str,
        rows: np.ndarray | None = None,
        sample_weight: np.ndarray | None = None,
        custom: Callable[[np.ndarray], Any] | None = None,
        n_jobs: int | None = None,
        progress: Callable[[int, int], Any] | None = None,
    ) -> np.ndarray: ...
    def explain(
        self,
        config: str,
        rows: np.ndarray | None = None,
        sample_weight: np.ndarray | None = None,
        custom: Callable[[np.ndarray], Any] | None = None,
        n_jobs: int | None = None,
    ) -> list[tuple[int, float | None, list[int] | None, float]]: ...
    def cross_validate(
        self,
        configs: Sequence[str],
        folds: Sequence[tuple[np.ndarray, np.ndarray]],
        sample_weight: np.ndarray | None = None,
        proba: bool = False,
        n_jobs: int | None = None,
        progress: Callable[[int, int], Any] | None = None,
    ) -> dict[str, np.ndarray]: ...

@final
class Model:
    def apply(
        self, blocks: Sequence[np.ndarray], rows: int, n_jobs: int | None = None
    ) -> np.ndarray: ...
    def predict(
        self, blocks: Sequence[np.ndarray], rows: int, n_jobs: int | None = None
    ) -> np.ndarray: ...
    def predict_proba(
        self, blocks: Sequence[np.ndarray], rows: int, n_jobs: int | None = None
    ) -> np.ndarray: ...
    def shap_values(
        self,
        blocks: Sequence[np.ndarray],
        rows: int,
        n_jobs: int | None = None,
        progress: Callable[[int, int], Any] | None = None,
    ) -> np.ndarray: ...
    def expected_value(self) -> np.ndarray: ...
    def decision_path(
        self, blocks: Sequence[np.ndarray], rows: int
    ) -> tuple[np.ndarray, np.ndarray]: ...
    def reach(self, blocks: Sequence[np.ndarray], rows: int, node: int) -> np.ndarray: ...
    def node_proba(self, nodes: np.ndarray) -> np.ndarray: ...
    def cut(self, step: int) -> Model: ...
    def prune(
        self,
        parameters: str,
        method_json: str | None = None,
        merge_json: str | None = None,
        data: Dataset | None = None,
        sample_weight: np.ndarray | None = None,
        n_jobs: int | None = None,
        costs_json: str | None = None,
    ) -> Model: ...
    def alpha_choice(
        self,
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, int, float] | None: ...
    def account(self) -> list[tuple[int, str, int, int, int, float, float, float]] | None: ...
    def cost_complexity_path(
        self, impurity: str, costs_json: str | None = None
    ) -> tuple[np.ndarray, np.ndarray]: ...
    def to_text(self, decimals: int = 6, max_depth: int | None = None) -> str: ...
    def to_dot(self, decimals: int = 6, max_depth: int | None = None) -> str: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(data: bytes) -> Model: ...
    def schema_json(self) -> str: ...
    @property
    def parameters(self) -> str: ...
    @property
    def shape(self) -> tuple[int, int, int, int]: ...
    def steps(self) -> np.ndarray: ...
    def global_distances(
        self, criterion: str, options_json: str, custom: Callable[[np.ndarray], Any] | None = None
    ) -> np.ndarray: ...
    def arrays(self) -> dict[str, np.ndarray]: ...

@final
class Forest:
    def apply(
        self, blocks: Sequence[np.ndarray], rows: int, n_jobs: int | None = None
    ) -> np.ndarray: ...
    def predict(
        self, blocks: Sequence[np.ndarray], rows: int, n_jobs: int | None = None
    ) -> np.ndarray: ...
    def predict_proba(
        self, blocks: Sequence[np.ndarray], rows: int, n_jobs: int | None = None
    ) -> np.ndarray: ...
    def shap_values(
        self,
        blocks: Sequence[np.ndarray],
        rows: int,
        n_jobs: int | None = None,
        progress: Callable[[int, int], Any] | None = None,
    ) -> np.ndarray: ...
    def expected_value(self) -> np.ndarray: ...
    def out_of_bag(self) -> tuple[np.ndarray, np.ndarray] | None: ...
    def tree(self, tree: int, parameters: str) -> Model: ...
    def totals(self) -> np.ndarray: ...
    def importances(self) -> np.ndarray: ...
    def shapes(self) -> np.ndarray: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(data: bytes) -> Forest: ...
    def schema_json(self) -> str: ...
    @property
    def parameters(self) -> str: ...
    @property
    def seeds(self) -> list[int]: ...

def fit_numbers(
    schema_json: str,
    classes: np.ndarray,
    block: np.ndarray,
    config: str,
    sample_weight: np.ndarray | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Model | None: ...
def float32_conflicts(data: Dataset, model: Model | Forest) -> list[tuple[int, float, float]]: ...
def forest_fit(
    data: Dataset,
    config: str,
    bagging_json: str,
    judged: bool = False,
    sample_weight: np.ndarray | None = None,
    custom: Callable[[np.ndarray], Any] | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Forest: ...
def permutation_losses(
    forest: Forest,
    data: Dataset,
    config: str,
    draws: int,
    sample_weight: np.ndarray | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> np.ndarray: ...
def bag_counts(
    data: Dataset,
    config: str,
    draws: int,
    seeds: Sequence[int],
    sample_weight: np.ndarray | None = None,
    n_jobs: int | None = None,
) -> np.ndarray: ...

@final
class PairCounts:
    @property
    def pairs(self) -> int: ...
    @property
    def features(self) -> int: ...
    def feature(self, feature: int) -> np.ndarray: ...
    def plus(self, other: PairCounts) -> PairCounts: ...
    def matrices(
        self, theta: Sequence[float], alpha: float, decay: str, at_zero: float
    ) -> list[np.ndarray]: ...
    def root(
        self, theta: Sequence[float], alpha: float, decay: str, at_zero: float
    ) -> np.ndarray: ...
    def score(
        self, metric: str, theta: Sequence[float], alpha: float, decay: str, at_zero: float
    ) -> np.ndarray: ...
    def sweep(
        self, metric: str, settings: Sequence[tuple[Sequence[float], float, str, float]]
    ) -> np.ndarray: ...
    def default_radius(self) -> int: ...

def pair_counts(
    dataset: Dataset,
    rows: np.ndarray | None = None,
    weights: np.ndarray | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> PairCounts: ...
def agreement_counts(
    dataset: Dataset,
    features: np.ndarray,
    ends: np.ndarray,
    shares: bool,
    weights: np.ndarray | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> np.ndarray: ...
def pair_block_scores(
    dataset: Dataset,
    rows: np.ndarray,
    ends: np.ndarray,
    metric: str,
    theta: tuple[float, float, float, float],
    alpha: float,
    decay: str,
    at_zero: float,
    weights: np.ndarray | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> tuple[np.ndarray, np.ndarray]: ...
def fixed_matrices(
    dataset: Dataset,
    theta: Sequence[float],
    alpha: float,
    decay: str,
    at_zero: float,
    rows: np.ndarray | None = None,
    weights: np.ndarray | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> list[np.ndarray]: ...

@final
class BayesModel:
    def predict(
        self,
        blocks: Sequence[np.ndarray],
        rows: int,
        joint: bool = False,
        n_jobs: int | None = None,
    ) -> np.ndarray: ...
    def to_bytes(self) -> bytes: ...
    @staticmethod
    def from_bytes(data: bytes) -> BayesModel: ...

def bayes_fit(
    data: Dataset, config: str, sample_weight: np.ndarray | None = None, n_jobs: int | None = None
) -> BayesModel: ...
def network_tables_cost(
    data: Dataset,
    config: str,
    parents: list[list[int]],
    sample_weight: np.ndarray | None = None,
    n_jobs: int | None = None,
) -> tuple[list[float], list[float]]: ...
def network_counts(
    data: Dataset,
    config: str,
    parents: list[list[int]],
    sample_weight: np.ndarray | None = None,
) -> tuple[list[np.ndarray], list[int | None]]: ...
def network_search(
    data: Dataset,
    config: str,
    search: str,
    sample_weight: np.ndarray | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> tuple[str, np.ndarray]: ...
def network_exact_memory(data: Dataset, config: str) -> int: ...
def network_exact(
    data: Dataset,
    config: str,
    most_memory: int,
    sample_weight: np.ndarray | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> tuple[float, np.ndarray, list[list[int]], list[int]]: ...
def minimal_tree(
    data: Dataset,
    limits: str,
    minimise_errors: bool,
    parameters: str,
    sample_weight: np.ndarray | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Model: ...
def optimal_tree(
    data: Dataset,
    objective: str,
    limits: str,
    parameters: str,
    sample_weight: np.ndarray | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Model: ...
def criteria_json() -> str: ...
def simd_level() -> str: ...
def score_tables(
    criterion: str,
    options_json: str,
    tables: np.ndarray,
    declared: Sequence[int] | None = None,
    occurring: Sequence[bool] | None = None,
) -> tuple[np.ndarray, np.ndarray]: ...
def bin_cuts(
    method_json: str,
    values: np.ndarray,
    classes: np.ndarray | None = None,
    n_classes: int = 1,
    weights: np.ndarray | None = None,
) -> np.ndarray: ...
def exercise(
    what: str,
    seconds: float = 0.0,
    n_jobs: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> int: ...
def genotype_scores(
    packed: np.ndarray,
    n_samples: int,
    samples: np.ndarray,
    classes: np.ndarray,
    n_classes: int,
    criterion: str,
    options_json: str,
    n_jobs: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> np.ndarray: ...
def genotype_tests(
    packed: np.ndarray,
    n_samples: int,
    samples: np.ndarray,
    classes: np.ndarray,
    n_classes: int,
    criterion: str,
    options_json: str,
    permuted: np.ndarray,
    n_jobs: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> tuple[
    np.ndarray,
    tuple[int, int],
    tuple[np.ndarray, np.ndarray],
    tuple[np.ndarray, np.ndarray, np.ndarray],
]: ...
def stream_scores(
    codes: np.ndarray,
    classes: np.ndarray,
    n_classes: int,
    criterion: str,
    options_json: str,
    sample_weight: np.ndarray | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> np.ndarray: ...
