//! The counting core of fasttree, told in the order in which data travel.
//!
//! 1. [`mod@read`]: text files become columns, a block of bytes at a time. [`data`]: rows are
//!    encoded once; below that there are only codes, ranges and counts.
//!    [`bins`]: numbers as codes of bins, for growth on histograms.
//! 2. [`stats`]: evidence about a set of rows: contingency tables, later pairs, neighbours,
//!    subsets.
//! 3. [`criteria`]: pure functions of evidence. They know nothing of trees.
//! 4. [`split`]: candidates are enumerated, scored in blocks, and one is selected.
//! 5. [`grow`]: leaves are split until a limit says stop; the result is a [`tree`].
//! 6. [`prune`]: a tree is cut back where it says more than the rows do.
//! 7. [`fit`]: parameters are checked and become a plan, and the plan fits a [`model`].
//!    [`bayes`]: classifiers that need no tree, on the same counts. [`exact`]: trees by search
//!    instead of growth. [`networks`]: Bayesian networks, searched and judged exactly.
//! 8. [`predict`], [`explain`] and [`store`] need the model alone, not how it came to be.
//! 9. [`resample`] repeats all that over folds; [`inspect`] looks at one node.
//!
//! Underneath lie [`numeric`] (arithmetic that is part of the specification), [`parallel`] (the one
//! place that decides about threads), [`memory`] (what happens when it runs out), `simd` (the
//! unsafe code, but for the allocator's), [`error`], [`options`] (what methods declare of their
//! options), and [`reached`] (which ways growth took, for tests). The feature `python` adds
//! `bindings`.

pub mod bayes;
pub mod bins;
pub mod criteria;
pub mod data;
pub mod discretize;
pub mod error;
pub mod exact;
pub mod explain;
pub mod fit;
pub mod grow;
pub mod inspect;
pub mod json;
pub mod memory;
pub mod model;
pub mod networks;
pub mod numeric;
pub mod options;
pub mod parallel;
pub mod predict;
pub mod prune;
pub mod reached;
pub mod read;
pub mod resample;
pub mod simd;
pub mod split;
pub mod stats;
pub mod store;
pub mod tree;

#[cfg(feature = "python")]
mod bindings;

// The integration tests use public names only, but are compiled with the unit tests: as a binary of
// their own they would need the crate compiled a second time.
#[cfg(test)]
extern crate self as fasttree_core;
#[cfg(test)]
#[path = "../tests/rust/main.rs"]
mod integration;
