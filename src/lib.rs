//! The core of fasttree: decision trees with many split criteria, from data files to predictions.
//!
//! The modules, in the order in which data pass through them:
//!
//! 1. [`mod@read`] reads text files as columns, a block of bytes at a time. [`data`] encodes the
//!    rows once; all later steps work on codes, ranges and counts. [`discretize`] finds cut points
//!    that a user asks for, and [`bins`] encodes numbers as bins for growth on histograms.
//! 2. [`stats`] computes evidence about a set of rows: contingency tables, sums over pairs,
//!    neighbours and subsets.
//! 3. [`criteria`] are pure functions of evidence, independent of trees.
//! 4. [`split`] enumerates candidates, scores them in blocks and selects one.
//! 5. [`grow`] splits leaves until a limit is reached; the result is a [`tree`].
//! 6. [`prune`] cuts a tree back where it fits noise.
//! 7. [`fit`] checks parameters, makes a plan and fits a [`model`]. Other models: [`bayes`] has
//!    classifiers without a tree on the same counts, [`exact`] finds trees by exhaustive search,
//!    and [`networks`] finds Bayesian networks of optimal score.
//! 8. [`predict`], [`explain`] and [`store`] need only the model.
//! 9. [`resample`] repeats all that over folds; [`inspect`] examines one node.
//!
//! All of them use [`numeric`] (arithmetic that decides results to the last bit), [`parallel`]
//! (threads and cancellation), [`memory`] (limits and exhaustion), `simd` (all unsafe code but that
//! of the allocator), [`json`] (documents of models), [`error`], [`options`] (declarations of
//! options) and [`reached`] (counts of the code paths of growth, for tests). The feature `python`
//! adds `bindings`.
//!
//! The modules lie in five crates: [`fasttree_base`], [`fasttree_counts`], [`fasttree_trees`],
//! [`fasttree_learners`], and this one, which has `bindings` and all modules under one name.

pub use fasttree_base::{error, json, memory, numeric, options, parallel, reached, simd};
pub use fasttree_counts::{bins, criteria, data, model, read, stats, tree};
pub use fasttree_learners::{bayes, discretize, explain, fit, inspect, networks, resample, store};
pub use fasttree_trees::{exact, grow, predict, prune, split};

#[cfg(feature = "python")]
mod bindings;
