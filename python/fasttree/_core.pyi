# Written from the bindings by `python -m docs.studies.first_screen.make`.
"""
The counting core of fasttree.
"""

from typing import Any, Final, SupportsFloat, SupportsIndex, final

from _typeshed import SupportsGetItem, SupportsLenAndGetItem
from numpy import ndarray
from typing_extensions import disjoint_base

__version__: Final[str]
"""
Version of the core.
"""

@final
class ArffReader:
    """
    A reader of ARFF files, fed block by block; None once it has finished.
    """
    def __new__(cls, /, most: tuple[SupportsIndex, SupportsIndex, SupportsIndex]) -> ArffReader:
        """
        `most` are limits on (bytes of a field, columns, levels).
        """
    def end(self, /) -> None: ...
    def feed(self, /, block: bytes) -> None: ...
    def finish(
        self, /
    ) -> tuple[list[tuple[int, Any, list[bytes] | None]], ndarray, ndarray, int | None]:
        """
        The columns, the rows with a weight and their weights, and the first line that is not UTF-8,
        if there is one.
        """
    def header(self, /) -> tuple[bytes, list[tuple[bytes, str, int]]]:
        """
        The name of the relation, and (name, type, line) of the attributes.
        """
    def header_is_complete(self, /) -> bool: ...
    def start(self, /, wanted: SupportsGetItem[int, SupportsIndex]) -> None:
        """
        Begin with the attributes in `wanted`.
        """

@final
class BayesModel:
    """
    A fitted classifier; immutable.
    """
    @staticmethod
    def from_bytes(data: bytes) -> BayesModel:
        """
        A model from JSON, checked before use.
        """
    def predict(
        self,
        /,
        blocks: SupportsGetItem[int, ndarray],
        rows: SupportsIndex,
        joint: bool = False,
        n_jobs: SupportsIndex | None = None,
    ) -> ndarray:
        """
        Probabilities, or with `joint` the logarithms of the joint probabilities, shape (rows,
        classes).
        """
    def to_bytes(self, /) -> bytes:
        """
        The model as JSON.
        """

@final
class Dataset:
    """
    Training rows. They never change, but the first call that needs an encoded copy of them makes
    it, and the data set keeps it.
    """
    def __len__(self, /) -> int: ...
    def __new__(cls, /, schema: Any, target: Any, blocks: SupportsGetItem[int, Any]) -> Dataset:
        """
        A training set of blocks of columns (in feature order), and class codes, or numbers where
        the schema has no classes.
        """
    def cross_validate(
        self,
        /,
        configs: SupportsGetItem[int, Any],
        folds: SupportsGetItem[int, tuple[ndarray, ndarray]],
        sample_weight: ndarray | None = None,
        proba: bool = False,
        n_jobs: SupportsIndex | None = None,
        progress: Any | None = None,
        memory_limit: SupportsIndex | None = None,
    ) -> dict[str, Any]:
        """
        Cross-validate every configuration on every (train, test) fold. Returns `predictions`
        (class codes, -1 for none) of shape (configurations, tested rows), with `proba` also
        probabilities with an axis of classes, and `leaves`, `empty_leaves`, `nodes` and `depth` of
        shape (configurations, folds).
        """
    def neighbour_share(
        self,
        /,
        config: Any,
        share: tuple[SupportsIndex, SupportsIndex],
        total: tuple[SupportsIndex, SupportsFloat | SupportsIndex] | None = None,
        sample_weight: ndarray | None = None,
        n_jobs: SupportsIndex | None = None,
    ) -> tuple[list[tuple[int, float]], ndarray]:
        """
        One share, (number, number of shares), of the work of scores by neighbours, for distributed
        scores. Without `total`: the sums of the distances of its rows. With `total`, their sum over
        all shares: the share's addends to the scores, shape (groups, 1 + features).
        """
    @staticmethod
    def of_codes(
        facts: tuple[
            Any,
            SupportsGetItem[int, tuple[SupportsIndex, bool, ndarray | None]],
            bool,
            SupportsGetItem[int, SupportsIndex],
            SupportsIndex,
            tuple[SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex] | None,
        ],
        records: Any,
        hashes: Any | None = None,
    ) -> Dataset:
        """
        A training set of rows that arrived in batches, as records of codes. `hashes` of the rows'
        content are needed for the bootstrap samples of a forest.
        """
    def score_features(
        self,
        /,
        config: Any,
        rows: ndarray | None = None,
        sample_weight: ndarray | None = None,
        custom: Any | None = None,
        n_jobs: SupportsIndex | None = None,
        progress: Any | None = None,
        memory_limit: SupportsIndex | None = None,
        statistics: bool = False,
    ) -> ndarray:
        """
        One score per feature, NaN where there is no split. Where features are chosen by
        significance it is the p-value of the test, or with `statistics` its statistic.
        """

@final
class DelimitedReader:
    """
    A reader of CSV, Orange and similar files, fed block by block; None once it has finished.
    """
    def __new__(
        cls,
        /,
        separator: SupportsIndex,
        quotes: bool,
        skip: SupportsIndex,
        most: tuple[SupportsIndex, SupportsIndex, SupportsIndex],
    ) -> DelimitedReader:
        """
        `skip` lines come before the records; `most` are limits on (bytes of a field, columns,
        levels).
        """
    def end(self, /) -> None: ...
    def feed(self, /, block: bytes) -> None: ...
    def finish(
        self, /
    ) -> tuple[
        list[tuple[int, Any, list[bytes] | None]], list[int], int | None, list[bytes], list[int]
    ]:
        """
        The columns; the positions of the columns to be read again as labels; the first line that is
        not UTF-8, if there is one; the texts for missing values that some cell was equal to; and
        the lines that repeat the header.
        """
    def is_ready(self, /) -> bool:
        """
        Whether enough was fed for `sample` and `start`.
        """
    def sample(self, /, n: SupportsIndex) -> list[tuple[int, list[bytes]]]:
        """
        The first `n` records: (line, cells).
        """
    def start(
        self,
        /,
        above: SupportsIndex,
        header: SupportsIndex | None,
        names: SupportsGetItem[int, SupportsGetItem[int, SupportsIndex]],
        kinds: SupportsGetItem[
            int,
            tuple[
                SupportsIndex,
                SupportsGetItem[int, SupportsGetItem[int, SupportsIndex]] | None,
                bool,
                bool,
            ],
        ],
        missing: SupportsGetItem[int, SupportsGetItem[int, SupportsIndex]],
    ) -> None:
        """
        Begin behind the first `above` records with the columns in `kinds`, each given as (position,
        declared labels or None, whether the cells are numbers, whether they may turn out to be
        labels). Records equal to record `header` are no rows; `missing` are the cells that mean a
        missing value.
        """

@final
class Forest(Trees):
    """
    A fitted forest; immutable. The methods of prediction are in its base class `Trees`.
    """
    @property
    def content(self, /) -> int | None:
        """
        A hash of the rows of the fit; None in a loaded forest.
        """
    @staticmethod
    def from_bytes(data: bytes) -> Forest:
        """
        A forest from the content of a model file.
        """
    def importances(self, /) -> ndarray:
        """
        Share of each feature in the gains, averaged over the trees.
        """
    def out_of_bag(self, /) -> tuple[ndarray, ndarray] | None:
        """
        Out-of-bag probabilities, shape (rows, classes), and numbers of votes, shape (rows,); None
        if they were not collected.
        """
    @property
    def seeds(self, /) -> list[int]:
        """
        Seed of each tree.
        """
    def shapes(self, /) -> ndarray:
        """
        Nodes, leaves and depth of each tree, shape (trees, 3).
        """
    def tree(self, /, tree: SupportsIndex, parameters: str) -> Model:
        """
        One tree as a model with these parameters.
        """

@final
class Model(Trees):
    """
    A fitted tree; immutable. The methods of prediction are in its base class `Trees`.
    """
    def account(self, /) -> list[tuple[int, str, int, int, int, float, float, float]] | None:
        """
        The edits of pruning; None for a loaded model.
        """
    def alpha_choice(
        self, /, impurity: Any | None = None, costs: Any | None = None
    ) -> tuple[ndarray, ndarray, ndarray, ndarray, ndarray, ndarray, int, float] | None:
        """
        How `ccp_alpha` was chosen by cross-validation: alphas, leaves, splits, impurities, errors
        and standard errors of the pruned trees, the number of the chosen one and its alpha. If it
        was not chosen by cross-validation and an impurity is given: the trees that this tree can be
        pruned to, without errors. Otherwise None.
        """
    def arrays(self, /) -> dict[str, Any]:
        """
        The fields of all nodes as arrays by name, shape (nodes,); `counts` has shape (nodes,
        classes), and `children` and `levels` are lists of all nodes, one after the other.
        """
    def cost_complexity_path(
        self, /, impurity: Any, costs: Any | None = None
    ) -> tuple[ndarray, ndarray]:
        """
        Alphas and impurities of minimal cost-complexity pruning, from the whole tree to the root
        alone.
        """
    def cut(self, /, step: SupportsIndex) -> Model:
        """
        The model with its tree as it was before step `step` of growth.
        """
    def decision_path(
        self, /, blocks: SupportsGetItem[int, ndarray], rows: SupportsIndex
    ) -> tuple[ndarray, ndarray]:
        """
        Nodes that each row passes, as CSR arrays (indptr, indices).
        """
    def explain(
        self,
        /,
        data: Dataset,
        config: Any,
        fractions: ndarray,
        sample_weight: ndarray | None = None,
        custom: Any | None = None,
        n_jobs: SupportsIndex | None = None,
    ) -> tuple[
        tuple[ndarray, ndarray, ndarray, list[tuple[int, list[int]]]],
        list[tuple[int, float, float]],
        bool,
    ]:
        """
        All candidate splits of a node; the tests of its features if they are chosen by
        significance, as (feature, statistic, logarithm of the adjusted p-value), most significant
        first; and whether rows without a value of a feature are left out of its candidates. The
        candidates are given as arrays of features, thresholds (NaN for a test without one) and
        scores, and for each candidate that divides levels in two as the number of the candidate and
        the codes on its first branch. `fractions` says which fraction of each row reaches the node.
        """
    @staticmethod
    def from_bytes(data: bytes) -> Model:
        """
        A model from the content of a model file.
        """
    def global_distances(
        self, /, criterion: str, options: Any, custom: Any | None = None
    ) -> ndarray:
        """
        Distance of the tree's partition to the classes after each step of growth, by a built-in
        criterion or a user's function.
        """
    def node_proba(self, /, nodes: ndarray) -> ndarray:
        """
        Class probabilities of some nodes, shape (nodes, classes).
        """
    def prune(
        self,
        /,
        parameters: str,
        method: Any | None = None,
        merge: Any | None = None,
        data: Dataset | None = None,
        sample_weight: ndarray | None = None,
        n_jobs: SupportsIndex | None = None,
        costs: Any | None = None,
    ) -> Model:
        """
        The model with its tree pruned. `data` are the rows that the method reads: training rows, or
        rows held out from growth.
        """
    def reach(
        self, /, blocks: SupportsGetItem[int, ndarray], rows: SupportsIndex, node: SupportsIndex
    ) -> ndarray:
        """
        Fraction of each row that reaches a node, shape (rows,): 0 or 1 unless a missing value takes
        all branches.
        """
    @property
    def shape(self, /) -> tuple[int, int, int, int]:
        """
        (nodes, leaves, empty leaves, depth).
        """
    def steps(self, /) -> ndarray:
        """
        Nodes in the order in which they were split.
        """

@final
class PairCounts:
    """
    Numbers of pairs by (feature, value, class, case, distance); immutable.
    """
    def default_radius(self, /) -> int:
        """
        The radius of Relief that is used if the caller gives none.
        """
    def feature(self, /, feature: SupportsIndex) -> ndarray:
        """
        Counts of a feature, shape (values, classes, 4, n_features + 1).
        """
    @property
    def features(self, /) -> int:
        """
        Number of features.
        """
    @staticmethod
    def from_parts(
        offsets: SupportsGetItem[int, SupportsIndex],
        classes: SupportsIndex,
        cells: ndarray,
        pairs: SupportsIndex,
    ) -> PairCounts:
        """
        Counts from the result of `parts`.
        """
    def matrices(
        self,
        /,
        theta: SupportsLenAndGetItem[SupportsFloat | SupportsIndex],
        alpha: SupportsFloat | SupportsIndex,
        decay: str,
        at_zero: SupportsFloat | SupportsIndex,
    ) -> list[ndarray]:
        """
        The count matrix of every feature under a setting, shape (values, classes, 4).
        """
    @property
    def pairs(self, /) -> int:
        """
        Number of ordered pairs, self-pairs included.
        """
    def parts(self, /) -> tuple[list[int], int, ndarray, int]:
        """
        The fields, for pickling: offsets of the features' values, and their number; number of
        classes; all counts; number of ordered pairs.
        """
    def plus(self, /, other: PairCounts) -> PairCounts:
        """
        The sum of the counts of two disjoint sets of pairs.
        """
    def root(
        self,
        /,
        theta: SupportsLenAndGetItem[SupportsFloat | SupportsIndex],
        alpha: SupportsFloat | SupportsIndex,
        decay: str,
        at_zero: SupportsFloat | SupportsIndex,
    ) -> ndarray:
        """
        The count matrix of all rows as one value, shape (classes * 4,): cases 3 and 4 are zero.
        """
    def score(
        self,
        /,
        metric: str,
        theta: SupportsLenAndGetItem[SupportsFloat | SupportsIndex],
        alpha: SupportsFloat | SupportsIndex,
        decay: str,
        at_zero: SupportsFloat | SupportsIndex,
    ) -> ndarray:
        """
        One score per feature: `pi`, `pi_unweighted`, `contextual_merit` or `relief`.
        """
    def sweep(
        self,
        /,
        metric: str,
        settings: SupportsGetItem[
            int,
            tuple[
                SupportsLenAndGetItem[SupportsFloat | SupportsIndex],
                SupportsFloat | SupportsIndex,
                str,
                SupportsFloat | SupportsIndex,
            ],
        ],
    ) -> ndarray:
        """
        Scores under many settings (theta, alpha, decay, at_zero), shape (settings, features).
        """

@final
class SpreadGrowth:
    """
    A tree under construction, held by the client of distributed growth.
    """
    def __new__(
        cls,
        /,
        facts: tuple[
            Any,
            SupportsGetItem[int, tuple[SupportsIndex, bool, ndarray | None]],
            bool,
            SupportsGetItem[int, SupportsIndex],
            SupportsIndex,
            tuple[SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex] | None,
        ],
        config: Any,
        seed: SupportsIndex | None = None,
    ) -> SpreadGrowth:
        """
        A tree of one open node, the root. `seed` is the seed of a tree of a forest, None for a
        single tree.
        """
    def choose(self, /, counts: ndarray) -> tuple[ndarray, ndarray, int]:
        """
        Split nodes by the sums of the histograms of the wanted groups. Returns how workers divide
        the rows: the feature of each old group, the new group of each of its codes, and the number
        of new groups.
        """
    def finish(self, /) -> Model:
        """
        The model; with a seed, a tree of a forest.
        """
    def graft(
        self,
        /,
        node: SupportsIndex,
        words: SupportsGetItem[int, SupportsIndex],
        sums: SupportsGetItem[int, SupportsIndex],
        levels: SupportsGetItem[int, SupportsIndex],
    ) -> None:
        """
        Replace a node that `small` took out by the subtree that a worker has grown for it.
        """
    def is_done(self, /) -> bool:
        """
        Whether no node is open.
        """
    def small(self, /, most: SupportsIndex) -> list[tuple[int, int, int, int, int]]:
        """
        Take out the open nodes of at most `most` rows; each is to be grown by one worker and
        grafted.
        """
    def wanted(self, /, most: SupportsIndex) -> ndarray:
        """
        The groups that workers are to count next, of at most about `most` families of siblings.
        """

@disjoint_base
class Trees:
    """
    A fitted tree or forest; immutable.
    """
    def apply(
        self,
        /,
        blocks: SupportsGetItem[int, ndarray],
        rows: SupportsIndex,
        n_jobs: SupportsIndex | None = None,
    ) -> ndarray:
        """
        The leaf (node number) of each row, shape (rows,); of a forest in each tree, shape (rows,
        trees).
        """
    def expected_value(self, /) -> ndarray:
        """
        Mean probabilities over the training rows, shape (classes,). Shapley values start from them:
        they are the prediction when no feature is known.
        """
    def float32_conflicts(
        self, /, data: Dataset
    ) -> list[tuple[int, float, list[float], list[int]]] | None:
        """
        The thresholds over which rounding to float32 moves a training value, with their neighbours
        in the column and the rows of these. None if no call has encoded the rows, and they are not
        float32.
        """
    @property
    def is_regression(self, /) -> bool:
        """
        Whether the target is a number.
        """
    @property
    def parameters(self, /) -> str:
        """
        The parameters that Python stored with the model.
        """
    def predict(
        self,
        /,
        blocks: SupportsGetItem[int, ndarray],
        rows: SupportsIndex,
        n_jobs: SupportsIndex | None = None,
    ) -> ndarray:
        """
        Class code of each row, -1 = unclassified.
        """
    def predict_proba(
        self,
        /,
        blocks: SupportsGetItem[int, ndarray],
        rows: SupportsIndex,
        n_jobs: SupportsIndex | None = None,
    ) -> ndarray:
        """
        Class probabilities, shape (rows, classes); of a forest the mean over its trees.
        """
    @property
    def route(self, /) -> str | None:
        """
        The route by which growth read its rows, and why it was taken; None where the trees were
        loaded, pruned, joined or taken from a forest.
        """
    def schema_json(self, /, cuts: bool = True) -> str:
        """
        The schema as JSON. Without `cuts` it lacks the cut points of binned columns, which take
        time to read if there are many bins.
        """
    def shap_values(
        self,
        /,
        blocks: SupportsGetItem[int, ndarray],
        rows: SupportsIndex,
        n_jobs: SupportsIndex | None = None,
        progress: Any | None = None,
    ) -> ndarray:
        """
        Shapley values of the probabilities, shape (rows, features, classes).
        """
    def tested(self, /) -> list[int]:
        """
        Features that some node tests, ascending.
        """
    def to_bytes(self, /, parameters: str | None = None) -> bytes:
        """
        The content of a model file; `parameters` are written in place of the parameters of the
        model.
        """
    def totals(self, /) -> ndarray:
        """
        Weight of each class in the training set; of a numeric target its weight.
        """

def add_counts(number: bool, a: ndarray, b: ndarray) -> ndarray:
    """
    The sum of the histograms of two partitions; `number`: their target is numeric.
    """

def agreement_counts(
    dataset: Dataset,
    features: ndarray,
    ends: ndarray,
    shares: bool,
    weights: ndarray | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: Any | None = None,
) -> ndarray:
    """
    Numbers of ordered pairs that agree on sets of features, shape (sets, features, 4).

    The sets are `features[..ends[0]]`, `features[ends[0]..ends[1]]`, ... The last axis is the case
    of a pair at a feature: cases 1 and 2 count pairs that agree on the set and the feature, cases 3
    and 4 pairs that agree on the set without the feature and differ in it.
    """

def allocated() -> tuple[int, int] | None:
    """
    Bytes that the extension has allocated now, and the maximum since the last call of this
    function; None in release builds, which do not count. For tests.
    """

def bag_counts(
    data: Dataset,
    config: Any,
    draws: SupportsIndex,
    seeds: SupportsGetItem[int, SupportsIndex],
    sample_weight: ndarray | None = None,
    n_jobs: SupportsIndex | None = None,
) -> ndarray:
    """
    How often the bootstrap sample of each tree holds each row, shape (trees, rows); `seeds` has the
    seed of each tree, and `draws` is the size of a sample.
    """

def bag_times(
    places: ndarray, n_rows: SupportsIndex, seed: SupportsIndex, draws: SupportsIndex
) -> ndarray:
    """
    How often a tree's bootstrap sample holds each row of a partition. `places` has the positions of
    the partition's rows among the rows of all partitions, sorted by hash; the positions ascend.
    """

def bayes_fit(
    data: Dataset,
    config: Any,
    sample_weight: ndarray | None = None,
    n_jobs: SupportsIndex | None = None,
) -> BayesModel:
    """
    Fit naive Bayes, TAN or AODE, as `config` says, to all rows of a data set that have a positive
    weight. TAN and AODE count pairs of features, which costs O(rows x features^2); naive Bayes
    takes one pass per column.
    """

def bin_cuts(
    method: Any,
    values: ndarray,
    classes: ndarray | None = None,
    n_classes: SupportsIndex = 1,
    weights: ndarray | None = None,
) -> ndarray:
    """
    Cut points of one column by a discretization method, ascending; none if the column is one bin.
    Missing values (NaN) are left out. Only MDLP reads `classes`, which are below `n_classes`.

    # Errors
    A ValueError for MDLP without classes, a number of bins out of range, infinite values, or
    weights that are negative or not finite.
    """

def check_codes(
    facts: tuple[
        Any,
        SupportsGetItem[int, tuple[SupportsIndex, bool, ndarray | None]],
        bool,
        SupportsGetItem[int, SupportsIndex],
        SupportsIndex,
        tuple[SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex] | None,
    ],
    config: Any,
    forest: bool,
) -> None:
    """
    Refuse a configuration that cannot be fitted on codes alone, such as exact thresholds or a
    user's function as criterion. Python calls it before it encodes the batches, with the facts that
    the first pass has collected; `forest` says whether many trees are fitted.
    """

def count_groups(
    facts: tuple[
        Any,
        SupportsGetItem[int, tuple[SupportsIndex, bool, ndarray | None]],
        bool,
        SupportsGetItem[int, SupportsIndex],
        SupportsIndex,
        tuple[SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex] | None,
    ],
    records: ndarray,
    starts: ndarray,
    groups: SupportsGetItem[int, SupportsIndex],
) -> ndarray:
    """
    The histograms of some groups of a partition, one after the other, as words of 32 bits
    (`record_sizes` gives their number). A group that the partition has no row of gets zeros; the
    client adds the histograms of all partitions (`add_counts`).
    """

def divide_groups(
    facts: tuple[
        Any,
        SupportsGetItem[int, tuple[SupportsIndex, bool, ndarray | None]],
        bool,
        SupportsGetItem[int, SupportsIndex],
        SupportsIndex,
        tuple[SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex] | None,
    ],
    records: ndarray,
    starts: ndarray,
    routes: tuple[ndarray, ndarray, SupportsIndex],
) -> tuple[ndarray, ndarray]:
    """
    The rows of a partition, sorted by the new groups that `SpreadGrowth.choose` returned. Rows
    whose code is sent to group -1 are dropped.
    """

def drawn_rows(
    facts: tuple[
        Any,
        SupportsGetItem[int, tuple[SupportsIndex, bool, ndarray | None]],
        bool,
        SupportsGetItem[int, SupportsIndex],
        SupportsIndex,
        tuple[SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex] | None,
    ],
    records: ndarray,
    times: ndarray,
) -> tuple[ndarray, list[int]]:
    """
    The rows of a partition that a bootstrap sample holds, with their copies multiplied by the
    number of `times` that each row was drawn, and the sums of the sample. Rows that were drawn 0
    times are left out.
    """

def edge_cuts(
    sample: SupportsGetItem[int, SupportsGetItem[int, SupportsFloat | SupportsIndex]],
    masses: SupportsGetItem[int, SupportsIndex],
    few: SupportsGetItem[int, SupportsGetItem[int, SupportsFloat | SupportsIndex] | None],
    total: SupportsIndex,
    bins: SupportsIndex,
) -> list[ndarray | None]:
    """
    Cut points of each column from the joined summaries of all batches; None for a column whose
    values have to be counted on all rows (`value_counts`).
    """

def edge_summary(
    blocks: SupportsGetItem[int, ndarray],
    rows: SupportsIndex,
    copies: ndarray | None,
    total: SupportsIndex,
    bins: SupportsIndex,
) -> tuple[list[ndarray], ndarray, list[ndarray | None]]:
    """
    Samples and distinct values of the numeric columns of a batch, from which cut points follow.
    `total` is the number of rows of all batches, `bins` the largest number of bins.
    """

def encode_rows(
    blocks: SupportsGetItem[int, ndarray],
    target: ndarray
    | tuple[ndarray, tuple[SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex]],
    copies: ndarray | None,
    cuts: SupportsGetItem[int, SupportsGetItem[int, SupportsFloat | SupportsIndex] | None],
    levels: SupportsGetItem[int, SupportsIndex],
    n_classes: SupportsIndex,
) -> tuple[ndarray, list[tuple[int, bool, ndarray | None]], list[int]]:
    """
    Encode the rows that have copies. `cuts` has the cut points of each numeric column and None for
    each nominal one; `levels` has the number of levels of each nominal column.
    """

def exact_sum(values: ndarray, copies: ndarray | None) -> tuple[ndarray, int]:
    """
    A few numbers whose exact sum is the sum of a column without its missing values, and the number
    of summands (copies of a row count). The numbers of several batches are appended, and
    `rounded_sum` rounds their sum once.
    """

def exercise(
    what: str,
    seconds: SupportsFloat | SupportsIndex = 0.0,
    n_jobs: SupportsIndex | None = None,
    progress: Any | None = None,
) -> int:
    """
    Exercise the machinery of long calls: "spin" works for some seconds on all threads, "panic"
    panics on one of them. For tests and `ftree doctor`.
    """

def fixed_matrices(
    dataset: Dataset,
    theta: SupportsLenAndGetItem[SupportsFloat | SupportsIndex],
    alpha: SupportsFloat | SupportsIndex,
    decay: str,
    at_zero: SupportsFloat | SupportsIndex,
    rows: ndarray | None = None,
    weights: ndarray | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: Any | None = None,
) -> list[ndarray]:
    """
    The count matrix of every feature under one setting, shape (values, classes, 4) each. Pairs are
    weighed in fixed point as they are counted.
    """

def forest_fit(
    data: Dataset,
    config: Any,
    bagging: Any,
    out_of_bag: bool = False,
    sample_weight: ndarray | None = None,
    custom: Any | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: Any | None = None,
    before: tuple[Forest, SupportsIndex] | None = None,
) -> Forest:
    """
    Grow a forest. `out_of_bag`: whether to collect the votes on out-of-bag rows. `before`: a forest
    to which trees are added (a warm start), with the hash of the rows of its fit.
    """

def forest_joined(parts: SupportsGetItem[int, Forest]) -> Forest:
    """
    One forest with the trees of several forests on the same rows, in the order of the forests.
    Python grows blocks of trees in other processes and joins them by this function. Totals and
    parameters are taken from the first forest.

    # Errors
    A ValueError without forests, or if their schemas differ.
    """

def forest_of_trees(
    facts: tuple[
        Any,
        SupportsGetItem[int, tuple[SupportsIndex, bool, ndarray | None]],
        bool,
        SupportsGetItem[int, SupportsIndex],
        SupportsIndex,
        tuple[SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex] | None,
    ],
    config: Any,
    trees: SupportsGetItem[int, Model],
) -> Forest:
    """
    A forest of trees that were grown on distributed rows, in the order of their seeds
    (`forest_seeds`). `facts` describes all rows, from which the forest takes its class totals.
    """

def forest_seeds(seed: SupportsIndex, trees: SupportsIndex) -> list[int]:
    """
    Seeds of the first `trees` trees of a forest with this seed, the same as those that a fit on one
    machine uses. A seed has 53 bits, so that JSON numbers hold it exactly.
    """

def genotype_scores(
    packed: ndarray,
    n_samples: SupportsIndex,
    samples: ndarray,
    classes: ndarray,
    n_classes: SupportsIndex,
    criterion: str,
    options: Any,
    n_jobs: SupportsIndex | None = None,
    progress: Any | None = None,
) -> ndarray:
    """
    One score per variant by a criterion on neighbours, NaN for a variant that is constant in the
    samples. `packed` is the content of a .bed file behind its header, with a row of bytes per
    variant and four samples in each byte; `samples` are positions among the `n_samples` of the
    file.
    """

def genotype_tests(
    packed: ndarray,
    n_samples: SupportsIndex,
    samples: ndarray,
    classes: ndarray,
    n_classes: SupportsIndex,
    criterion: str,
    options: Any,
    permuted: ndarray,
    n_jobs: SupportsIndex | None = None,
    progress: Any | None = None,
) -> tuple[ndarray, tuple[int, int], tuple[ndarray, ndarray], tuple[ndarray, ndarray, ndarray]]:
    """
    Scores with permutation tests; `permuted` are permuted classes, shape (permutations, samples).

    Returns the scores; the numbers of near hits and near misses; for each variant the numbers of
    these pairs that differ in it (hits, misses); and for each variant the number of permutations in
    which it reaches its score, the number in which some variant does, and the largest score of each
    permutation.
    """

def grow_groups(
    facts: tuple[
        Any,
        SupportsGetItem[int, tuple[SupportsIndex, bool, ndarray | None]],
        bool,
        SupportsGetItem[int, SupportsIndex],
        SupportsIndex,
        tuple[SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex] | None,
    ],
    config: Any,
    seed: SupportsIndex | None,
    records: ndarray,
    starts: ndarray,
    nodes: SupportsGetItem[int, tuple[SupportsIndex, SupportsIndex]],
) -> list[tuple[ndarray, ndarray, ndarray]]:
    """
    Grow the subtrees of some nodes, given as (random key, depth). The subtree of node i is grown on
    all rows of group i, and returned as arrays that `SpreadGrowth.graft` puts into the tree.
    """

def level_counts(codes: ndarray, copies: ndarray | None, levels: SupportsIndex) -> ndarray:
    """
    How often each of `levels` levels of a nominal column occurs in a batch, copies of rows
    included. Missing values, which are negative codes, are not counted. Where missing values are
    imputed, Python replaces them by the most frequent level of all batches.
    """

def minimal_tree(
    data: Dataset,
    limits: Any,
    minimise_errors: bool,
    parameters: str,
    sample_weight: ndarray | None = None,
    progress: Any | None = None,
) -> Model:
    """
    The smallest consistent tree of a data set, or the best that the limits allow.

    The parameters of the model are `parameters` and, under "found", the proven lower bound of the
    number of nodes, the number of search nodes that were opened, and the weight of the rows that
    every tree misclassifies.
    """

def near_optimal(
    data: Dataset,
    objective: Any,
    limits: Any,
    within: SupportsFloat | SupportsIndex,
    most_trees: SupportsIndex,
    parameters: str,
    sample_weight: ndarray | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: Any | None = None,
    memory_limit: SupportsIndex | None = None,
) -> tuple[Any, list[Model]]:
    """
    The first tests of near-optimal trees by feature, as a list of dicts (see
    `exact::FeatureRoots`), and the trees of at most `most_trees` of these tests. A tree is
    near-optimal if its objective is at most `within` above the least. The parameters of the models
    are set as by `optimal_tree`.
    """

def network_counts(
    data: Dataset,
    config: Any,
    parents: SupportsGetItem[int, SupportsGetItem[int, SupportsIndex]],
    sample_weight: ndarray | None = None,
) -> tuple[list[ndarray], list[int | None]]:
    """
    The flat table of each variable, which holds the weight of each (configuration of the parents,
    value); and for each column the level that replaces a missing value, or None if no level does.
    """

def network_exact(
    data: Dataset,
    config: Any,
    most_memory: SupportsIndex,
    sample_weight: ndarray | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: Any | None = None,
) -> tuple[float, ndarray, list[list[int]], list[int]]:
    """
    The exact posterior over totally ordered models: log evidence, arc probabilities of shape
    (variables, variables), parents of the best model, and its order. Refused if it needs more than
    `most_memory` bytes.
    """

def network_exact_memory(data: Dataset, config: Any) -> int:
    """
    Bytes that `network_exact` takes for these columns and the class, without computing it. It
    serves `exact_memory` in Python, by which a user finds out whether the call is possible. Weights
    do not change it.
    """

def network_search(
    data: Dataset,
    config: Any,
    search: Any,
    sample_weight: ndarray | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: Any | None = None,
) -> tuple[Any, ndarray]:
    """
    Search for networks: the result as a dict, and the arc probabilities before cleaning, shape
    (variables, variables).
    """

def network_tables_cost(
    data: Dataset,
    config: Any,
    parents: SupportsGetItem[int, SupportsGetItem[int, SupportsIndex]],
    sample_weight: ndarray | None = None,
    n_jobs: SupportsIndex | None = None,
) -> tuple[list[float], list[float]]:
    """
    Message length and likelihood of each variable's table given its parents, both in nits, for a
    network that the caller chose. The likelihood is the cost of the data alone; the message length
    also states the parameters of the table. O(rows x arcs).
    """

def number_range(name: str, numbers: ndarray) -> tuple[float, float]:
    """
    The smallest and the largest number of a target in a batch, (0, 0) without rows. The range of
    all batches decides the unit in which numbers are summed exactly. `name` is the target's name in
    the message.

    # Errors
    A ValueError if a number is missing, infinite or so large that its square overflows.
    """

def optimal_tree(
    data: Dataset,
    objective: Any,
    limits: Any,
    parameters: str,
    sample_weight: ndarray | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: Any | None = None,
    memory_limit: SupportsIndex | None = None,
    returns: bool = False,
) -> Model:
    """
    The tree that minimises the mean loss + penalty x leaves, or the best that the limits allow.

    The model has the same parameters as a model of `minimal_tree`, but under "found" there are a
    lower and an upper bound of the objective. If `returns`, Ctrl-C ends the search as a time limit
    does.
    """

def out_of_bag_importances(
    forest: Forest,
    data: Dataset,
    config: Any,
    draws: SupportsIndex,
    sample_weight: ndarray | None = None,
    unbiased: bool = False,
    n_jobs: SupportsIndex | None = None,
    progress: Any | None = None,
) -> ndarray:
    """
    The accuracy that each tree loses on its out-of-bag rows (or the squared error that it gains)
    when one feature is shuffled among them, shape (trees, features). With `unbiased` it is the
    unbiased importance of each feature. A tree without out-of-bag rows has NaN.
    """

def pair_block_scores(
    dataset: Dataset,
    rows: ndarray,
    ends: ndarray,
    metric: str,
    theta: SupportsLenAndGetItem[SupportsFloat | SupportsIndex],
    alpha: SupportsFloat | SupportsIndex,
    decay: str,
    at_zero: SupportsFloat | SupportsIndex,
    weights: ndarray | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: Any | None = None,
    asked: tuple[SupportsIndex, SupportsIndex] | None = None,
) -> tuple[ndarray, ndarray]:
    """
    A metric's sums over the pairs of rows of a sample in blocks (`rows[..ends[0]]`, ...).

    Returns the sums over the pairs of two different rows of each unordered pair of blocks, shape
    (pairs of blocks, features), and over the self-pairs of all rows of the data set, shape
    (features,). `asked` selects a range (first, end) of the pairs of blocks.
    """

def pair_counts(
    dataset: Dataset,
    rows: ndarray | None = None,
    weights: ndarray | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: Any | None = None,
    memory_limit: SupportsIndex | None = None,
) -> PairCounts:
    """
    Count the ordered pairs (i, j) with i in `rows` (all if None) and j any row; `weights` are
    copies of rows. The counts of a partition of the rows add up to the counts of all rows
    (`PairCounts.plus`), so parts may be counted in different processes.
    """

def pair_counts_across(
    dataset: Dataset,
    rows: ndarray,
    others: ndarray,
    weights: ndarray | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: Any | None = None,
) -> PairCounts:
    """
    Count the pairs of a row in `rows` and a row in `others`, in both orders; the sets are disjoint.
    """

def record_sizes(
    facts: tuple[
        Any,
        SupportsGetItem[int, tuple[SupportsIndex, bool, ndarray | None]],
        bool,
        SupportsGetItem[int, SupportsIndex],
        SupportsIndex,
        tuple[SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex] | None,
    ],
) -> tuple[int, int, int | None]:
    """
    Bytes of a record, words of the histogram of a group, and the position of the copies within a
    record, or None if rows have no weights. The client sizes its tasks and messages by them.
    """

def registry(of: str) -> Any:
    """
    A registry, one dict per entry: criteria, prunings or discretisers.
    """

def rounded_scores(sums: ndarray) -> ndarray:
    """
    Scores by neighbours as they are reported: the sums over all shares of the work, rounded.
    """

def rounded_sum(parts: SupportsGetItem[int, SupportsFloat | SupportsIndex]) -> float:
    """
    The exact sum of some numbers, rounded once to float64. Means of columns are computed from it:
    they do not depend on how the rows were divided into batches (`exact_sum`). It is not finite
    if the sum leaves the range of float64.
    """

def row_hashes(
    blocks: SupportsGetItem[int, ndarray],
    target: ndarray
    | tuple[ndarray, tuple[SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex]],
    copies: ndarray | None,
) -> ndarray:
    """
    A hash of the cells and the target of each row that has copies, in row order. Bootstrap samples
    of a forest are drawn from the rows in the order of their hashes, so they do not depend on the
    division into batches.
    """

def rows_of_groups(
    facts: tuple[
        Any,
        SupportsGetItem[int, tuple[SupportsIndex, bool, ndarray | None]],
        bool,
        SupportsGetItem[int, SupportsIndex],
        SupportsIndex,
        tuple[SupportsFloat | SupportsIndex, SupportsFloat | SupportsIndex] | None,
    ],
    records: ndarray,
    starts: ndarray,
    groups: SupportsGetItem[int, SupportsIndex],
) -> tuple[ndarray, ndarray]:
    """
    A copy of the rows of some groups of a partition, in the order of `groups`, and the first row of
    each group. They are sent to the worker that grows the subtrees of small nodes
    (`grow_groups`).
    """

def scale_reserve(bytes: SupportsIndex) -> int:
    """
    Set the size of the memory reserve (normally 1 MiB, 16 times as much in long calls). Returns the
    largest allocation since the last call of this function that it did not cover. For tests.
    """

def score_tables(
    criterion: str,
    options: Any,
    tables: ndarray,
    declared: SupportsGetItem[int, SupportsIndex] | None = None,
    occurring: SupportsGetItem[int, bool] | None = None,
) -> tuple[ndarray, ndarray]:
    """
    Scores and distances of single tables, shape (tables, branches, classes). `declared` has the
    number of declared branches of each table (by default all its branches). `occurring` says which
    classes occur in the data (by default the classes that occur in the table).
    """

def simd_level() -> str:
    """
    Name of the instruction set of the SIMD kernels in use, such as "avx2". It is chosen once per
    process: the best that the processor has, unless the environment variable `FASTTREE_SIMD` names
    a lower one; results do not depend on it.
    """

def stream_scores(
    codes: ndarray,
    classes: ndarray,
    n_classes: SupportsIndex,
    criterion: str,
    options: Any,
    sample_weight: ndarray | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: Any | None = None,
    memory_limit: SupportsIndex | None = None,
) -> ndarray:
    """
    One score per column of a C-contiguous array of codes, shape (rows, columns); NaN for a constant
    column. Every byte is the code of a known value, as no code means "missing".
    """

def tree_fit(
    data: Dataset,
    config: Any,
    rows: ndarray | None = None,
    sample_weight: ndarray | None = None,
    custom: Any | None = None,
    n_jobs: SupportsIndex | None = None,
    progress: Any | None = None,
    leaf_data: Dataset | None = None,
    leaf_weight: ndarray | None = None,
) -> Model:
    """
    Fit a tree on some rows (all if None). If `leaf_data` is given, the counts and predictions of
    all nodes are taken from its rows, with the weights `leaf_weight`.
    """

def value_counts(values: ndarray, counts: ndarray) -> tuple[ndarray, ndarray]:
    """
    The distinct values of a column and how often each occurs. `counts[i]` says how often
    `values[i]` counts, and a value may be given several times, so the results of batches are joined
    by counting them together. Missing values are left out.
    """

def value_cuts(
    values: SupportsGetItem[int, SupportsFloat | SupportsIndex],
    counts: SupportsGetItem[int, SupportsIndex],
    bins: SupportsIndex,
) -> ndarray:
    """
    Cut points of a column from the distinct values of all batches, ascending, and their counts
    (`value_counts`). The bins have about equal weight; if there are no more values than bins,
    each value gets a bin.
    """

def ways_taken() -> dict[str, Any]:
    """
    How often growth took each of its code paths, by name; empty in release builds. For tests.
    """

def __getattr__(name: str) -> ndarray: ...

class InternalError(RuntimeError): ...
class FileFault(ValueError): ...

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
    "out_of_bag_importances",
    "pair_block_scores",
    "pair_counts",
    "pair_counts_across",
    "record_sizes",
    "registry",
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
