from collections.abc import Callable, Sequence
from typing import Any, Final, final

import numpy as np
from typing_extensions import disjoint_base

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
    "SpreadGrowth",
    "Trees",
    "__version__",
    "add_counts",
    "agreement_counts",
    "allocated",
    "bag_counts",
    "bag_times",
    "bayes_fit",
    "bin_cuts",
    "check_codes",
    "count_groups",
    "divide_groups",
    "drawn_rows",
    "edge_cuts",
    "edge_summary",
    "encode_rows",
    "exact_sum",
    "exercise",
    "fixed_matrices",
    "forest_fit",
    "forest_joined",
    "forest_of_trees",
    "forest_seeds",
    "genotype_scores",
    "genotype_tests",
    "grow_groups",
    "level_counts",
    "minimal_tree",
    "near_optimal",
    "network_counts",
    "network_exact",
    "network_exact_memory",
    "network_search",
    "network_tables_cost",
    "number_range",
    "optimal_tree",
    "pair_block_scores",
    "pair_counts",
    "pair_counts_across",
    "permutation_losses",
    "record_sizes",
    "registry_json",
    "rounded_scores",
    "rounded_sum",
    "row_hashes",
    "rows_of_groups",
    "scale_reserve",
    "score_tables",
    "simd_level",
    "stream_scores",
    "tree_fit",
    "value_counts",
    "value_cuts",
    "ways_taken",
]

class InternalError(RuntimeError): ...
class FileFault(ValueError): ...

# What is known of rows in batches or partitions: schema, (codes, missing, ranges) of each feature,
# rows have weights, sums of all rows, number of rows, range of a numeric target.
# Sums are the weight of each class, or those of a number: of weights, and of weighted numbers and
# their squares in units.
_Feature = tuple[int, bool, np.ndarray | None]
_Range = tuple[float, float] | None
_Facts = tuple[str, list[_Feature], bool, list[int], int, _Range]
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
        above: int,
        names: Sequence[bytes],
        kinds: Sequence[tuple[int, Sequence[bytes] | None, bool, bool]],
        missing: Sequence[bytes],
    ) -> None: ...
    def finish(self) -> tuple[list[_ReadColumn], list[int], int | None, list[bytes]]: ...

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
        target: np.ndarray,
        blocks: Sequence[np.ndarray],
    ) -> Dataset: ...
    @staticmethod
    def of_codes(
        facts: _Facts, records: np.ndarray, hashes: np.ndarray | None = None
    ) -> Dataset: ...
    def __len__(self) -> int: ...
    def score_features(
        self,
        config: str,
        rows: np.ndarray | None = None,
        sample_weight: np.ndarray | None = None,
        custom: Callable[[np.ndarray], Any] | None = None,
        n_jobs: int | None = None,
        progress: Callable[[int, int], Any] | None = None,
        memory_limit: int | None = None,
    ) -> np.ndarray: ...
    def neighbour_share(
        self,
        config: str,
        share: tuple[int, int],
        total: tuple[int, float] | None = None,
        sample_weight: np.ndarray | None = None,
        n_jobs: int | None = None,
    ) -> tuple[list[tuple[int, float]], np.ndarray]: ...
    def cross_validate(
        self,
        configs: Sequence[str],
        folds: Sequence[tuple[np.ndarray, np.ndarray]],
        sample_weight: np.ndarray | None = None,
        proba: bool = False,
        n_jobs: int | None = None,
        progress: Callable[[int, int], Any] | None = None,
        memory_limit: int | None = None,
    ) -> dict[str, np.ndarray]: ...

@disjoint_base
class Trees:
    @property
    def is_regression(self) -> bool: ...
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
    @property
    def route(self) -> str | None: ...
    def to_bytes(self) -> bytes: ...
    def schema_json(self, cuts: bool = True) -> str: ...
    @property
    def parameters(self) -> str: ...
    def tested(self) -> list[int]: ...
    def float32_conflicts(
        self, data: Dataset
    ) -> list[tuple[int, float, list[float], list[int]]] | None: ...

@final
class Model(Trees):
    def decision_path(
        self, blocks: Sequence[np.ndarray], rows: int
    ) -> tuple[np.ndarray, np.ndarray]: ...
    def reach(self, blocks: Sequence[np.ndarray], rows: int, node: int) -> np.ndarray: ...
    def explain(
        self,
        data: Dataset,
        config: str,
        fractions: np.ndarray,
        sample_weight: np.ndarray | None = None,
        custom: Callable[[np.ndarray], Any] | None = None,
        n_jobs: int | None = None,
    ) -> list[tuple[int, float | None, list[int] | None, float]]: ...
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
        self, impurity: str | None = None, costs_json: str | None = None
    ) -> (
        tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, int, float]
        | None
    ): ...
    def account(self) -> list[tuple[int, str, int, int, int, float, float, float]] | None: ...
    def cost_complexity_path(
        self, impurity: str, costs_json: str | None = None
    ) -> tuple[np.ndarray, np.ndarray]: ...
    def to_text(
        self,
        decimals: int = 6,
        max_depth: int | None = None,
        max_levels: int | None = None,
        names: list[str] | None = None,
    ) -> str: ...
    @staticmethod
    def from_bytes(data: bytes) -> Model: ...
    @property
    def shape(self) -> tuple[int, int, int, int]: ...
    def steps(self) -> np.ndarray: ...
    def global_distances(
        self, criterion: str, options_json: str, custom: Callable[[np.ndarray], Any] | None = None
    ) -> np.ndarray: ...
    def arrays(self) -> dict[str, np.ndarray]: ...

@final
class Forest(Trees):
    @property
    def content(self) -> int | None: ...
    def out_of_bag(self) -> tuple[np.ndarray, np.ndarray] | None: ...
    def tree(self, tree: int, parameters: str) -> Model: ...
    def totals(self) -> np.ndarray: ...
    def importances(self) -> np.ndarray: ...
    def shapes(self) -> np.ndarray: ...
    @staticmethod
    def from_bytes(data: bytes) -> Forest: ...
    @property
    def seeds(self) -> list[int]: ...

def tree_fit(
    data: Dataset,
    config: str,
    rows: np.ndarray | None = None,
    sample_weight: np.ndarray | None = None,
    custom: Callable[[np.ndarray], Any] | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
) -> Model: ...
def forest_fit(
    data: Dataset,
    config: str,
    bagging_json: str,
    out_of_bag: bool = False,
    sample_weight: np.ndarray | None = None,
    custom: Callable[[np.ndarray], Any] | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
    before: tuple[Forest, int] | None = None,
) -> Forest: ...
def forest_joined(parts: Sequence[Forest]) -> Forest: ...
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
    @staticmethod
    def from_parts(
        offsets: Sequence[int], classes: int, cells: np.ndarray, pairs: int
    ) -> PairCounts: ...
    def parts(self) -> tuple[list[int], int, np.ndarray, int]: ...
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
    memory_limit: int | None = None,
) -> PairCounts: ...
def pair_counts_across(
    dataset: Dataset,
    rows: np.ndarray,
    others: np.ndarray,
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
    asked: tuple[int, int] | None = None,
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
    n_jobs: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
    memory_limit: int | None = None,
) -> Model: ...
def near_optimal(
    data: Dataset,
    objective: str,
    limits: str,
    within: float,
    most_trees: int,
    parameters: str,
    sample_weight: np.ndarray | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
    memory_limit: int | None = None,
) -> tuple[str, list[Model]]: ...
def registry_json(of: str) -> str: ...
def simd_level() -> str: ...
def ways_taken() -> dict[str, int]: ...
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
def allocated() -> tuple[int, int] | None: ...
def scale_reserve(bytes: int) -> int: ...
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
def rounded_scores(sums: np.ndarray) -> np.ndarray: ...
def stream_scores(
    codes: np.ndarray,
    classes: np.ndarray,
    n_classes: int,
    criterion: str,
    options_json: str,
    sample_weight: np.ndarray | None = None,
    n_jobs: int | None = None,
    progress: Callable[[int, int], Any] | None = None,
    memory_limit: int | None = None,
) -> np.ndarray: ...

# Rows in batches and partitions.
_State = tuple[np.ndarray, np.ndarray]

def edge_summary(
    blocks: Sequence[np.ndarray], rows: int, copies: np.ndarray | None, total: int, bins: int
) -> tuple[list[np.ndarray], np.ndarray, list[np.ndarray | None]]: ...
def edge_cuts(
    sample: Sequence[Any], masses: Any, few: Sequence[Any], total: int, bins: int
) -> list[np.ndarray | None]: ...
def value_counts(values: np.ndarray, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray]: ...
def value_cuts(values: Any, counts: Any, bins: int) -> np.ndarray: ...
def exact_sum(values: np.ndarray, copies: np.ndarray | None) -> tuple[np.ndarray, int]: ...
def rounded_sum(parts: Any) -> float: ...
def level_counts(codes: np.ndarray, copies: np.ndarray | None, levels: int) -> np.ndarray: ...
def number_range(name: str, numbers: np.ndarray) -> tuple[float, float]: ...

# Class codes, or numbers with the range of those of all rows.
_Target = np.ndarray | tuple[np.ndarray, tuple[float, float]]

def row_hashes(
    blocks: Sequence[np.ndarray], target: _Target, copies: np.ndarray | None
) -> np.ndarray: ...
def encode_rows(
    blocks: Sequence[np.ndarray],
    target: _Target,
    copies: np.ndarray | None,
    cuts: Sequence[Any],
    levels: Sequence[int],
    n_classes: int,
) -> tuple[np.ndarray, list[_Feature], list[int]]: ...
def record_sizes(facts: _Facts) -> tuple[int, int, int | None]: ...
def check_codes(facts: _Facts, config: str, forest: bool) -> None: ...
def bag_times(places: np.ndarray, n_rows: int, seed: int, draws: int) -> np.ndarray: ...
def count_groups(
    facts: _Facts, records: np.ndarray, starts: np.ndarray, groups: Sequence[int]
) -> np.ndarray: ...
def divide_groups(
    facts: _Facts,
    records: np.ndarray,
    starts: np.ndarray,
    routes: tuple[np.ndarray, np.ndarray, int],
) -> _State: ...
def rows_of_groups(
    facts: _Facts, records: np.ndarray, starts: np.ndarray, groups: Sequence[int]
) -> _State: ...
def add_counts(number: bool, a: np.ndarray, b: np.ndarray) -> np.ndarray: ...
def grow_groups(
    facts: _Facts,
    config: str,
    seed: int | None,
    records: np.ndarray,
    starts: np.ndarray,
    nodes: Sequence[tuple[int, int]],
) -> list[tuple[np.ndarray, np.ndarray, np.ndarray]]: ...
def drawn_rows(
    facts: _Facts, records: np.ndarray, times: np.ndarray
) -> tuple[np.ndarray, list[int]]: ...
def forest_of_trees(facts: _Facts, config: str, trees: Sequence[Model]) -> Forest: ...
def forest_seeds(seed: int, trees: int) -> list[int]: ...

@final
class SpreadGrowth:
    def __new__(cls, facts: _Facts, config: str, seed: int | None = None) -> SpreadGrowth: ...
    def is_done(self) -> bool: ...
    def small(self, most: int) -> list[tuple[int, int, int, int, int]]: ...
    def wanted(self, most: int) -> np.ndarray: ...
    def choose(self, counts: np.ndarray) -> tuple[np.ndarray, np.ndarray, int]: ...
    def graft(self, node: int, words: Any, sums: Any, levels: Any) -> None: ...
    def finish(self) -> Model: ...
