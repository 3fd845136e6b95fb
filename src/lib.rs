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
//! (threads and cancellation), [`memory`] (limits and exhaustion), `simd` (all unsafe code except
//! the allocator's), [`json`] (documents of models), [`error`], [`options`] (declarations of
//! options) and [`reached`] (counts of the code paths of growth, for tests). The feature `python`
//! adds `bindings`.
//!
//! The modules lie in five crates: [`fasttree_base`], [`fasttree_counts`], [`fasttree_trees`],
//! [`fasttree_learners`], and this one, which has `bindings` and all modules under one name: its
//! re-exports are the paths that tests, benches and documentation use.
//!
//! # Words
//!
//! The comments use these words in one meaning each.
//!
//! Data:
//! - *Row*: a case of the training set by its internal number. Rows are sorted by class, so an
//!   internal number is not the caller's.
//! - *Level*: a declared value of a nominal feature. *Code*: the number of a level or of a bin in
//!   its feature; the last code often stands for a missing value.
//! - *Bin*: an interval `(lower, upper]` of a numeric feature. *Edge* or *cut point*: a number
//!   between two bins, which is fixed before growth.
//! - *Rank*: the number of a distinct value of a column, ascending.
//! - *Entry*: a row in a sorted order, with one bit for "equal to the value before" ([`data`]).
//! - *Record*: a row of a histogram's training set as bytes, one code per feature ([`bins`]).
//! - *Instance*: a row in a node with a part of its weight, where a missing value sends the row
//!   into several branches.
//!
//! Weights:
//! - *Weight*: how much a row counts. *Unit*: the smallest step of a fit's weights, a power of two;
//!   weights are whole numbers of units, so that sums do not depend on their order.
//! - *Copy*: a row counted again, where all weights are whole numbers. *Share*: a part of a weight,
//!   between 0 and 1.
//! - *Count*: a number of rows. *Sum*: weights of rows added up, in units. *Cell*: an entry of a
//!   contingency table.
//!
//! Candidates:
//! - *Threshold*: the number of a test `x <= threshold`. *Boundary*: a position in a sorted order
//!   between two different values. *Cut*: the division of the rows at a boundary or behind a code.
//! - *Candidate*: a split that a criterion scores. *Side*: the rows left or right of a cut.
//!   *Branch*: a side, level or group of levels that gets a child.
//! - *Limit*: a number that a candidate or tree must undercut, reach or stay within.
//!
//! Loops:
//! - *Block*: candidates, columns or rows that one call handles. *Tile*: rows by columns that fit
//!   the first-level cache. *Chunk*: rows that one thread or one pass handles at a time.
//! - *Lane*: one number of a vector. *Plane*: one bit of each of many numbers, packed into words.
//! - *Slot*: the number of a plane or of a set of counters.

pub use fasttree_base::{error, json, memory, numeric, options, parallel, reached, simd};
pub use fasttree_counts::{bins, criteria, data, model, read, stats, tree};
pub use fasttree_learners::{bayes, discretize, explain, fit, inspect, networks, resample, store};
pub use fasttree_trees::{exact, grow, predict, prune, split};

#[cfg(feature = "python")]
mod bindings;
