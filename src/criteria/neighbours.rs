//! The options that criteria on neighbours of rows share.
//!
//! A criterion of this kind declares as its [`Evidence`](super::Evidence) how neighbours are picked
//! and weighed; `stats` compares the rows for all features of a node at once, with numbers as
//! numbers. It has one score per feature, larger is better, and the distance `-s`; a split that
//! divides nothing scores 0. A single table does not hold this evidence, so
//! [`Criterion::score`](super::Criterion::score) refuses. O(t^2 n), so not for hundreds of
//! thousands of rows.

pub use super::evidence::NeighbourSearch;
use super::{OptionDomain, OptionInfo};

pub(super) const K: OptionInfo = OptionInfo {
    name: "k",
    domain: OptionDomain::integer_at_least(1),
    default: "10",
    others: "[3]",
    doc: "Number of neighbours, at least 1; all rows where there are fewer.",
    ..OptionInfo::PLAIN
};
pub(super) const TIES: OptionInfo = OptionInfo {
    name: "neighbour_ties",
    domain: OptionDomain::Words { words: &["share", "first"] },
    default: "\"share\"",
    others: "[\"first\"]",
    doc: "Rows tied at the k-th distance: 'share' (they share the weight that is left) or 'first' \
        (by row number).",
    ..OptionInfo::PLAIN
};
pub(super) const RANK: OptionInfo = OptionInfo {
    name: "rank",
    domain: OptionDomain::greater_than(0.0),
    default: "null",
    others: "[2.0]",
    doc: "Sigma > 0: the r-th neighbour weighs exp(-(r / sigma)^2); None: all alike.",
    ..OptionInfo::PLAIN
};
pub(super) const MULTICLASS: OptionInfo = OptionInfo {
    name: "multiclass",
    domain: OptionDomain::Words { words: &["prior", "rebate"] },
    default: "\"prior\"",
    others: "[\"rebate\"]",
    doc: "Misses of class c weigh P(c) / (1 - P(own class)) ('prior'), or by the frequency of c \
        among the neighbours as in scikit-rebate \
          ('rebate'; SURF's mean distance then includes self-pairs).",
    ..OptionInfo::PLAIN
};
