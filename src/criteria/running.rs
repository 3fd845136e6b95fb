//! Scores of cuts from sums over the classes: of squares, or of `x log2 x`.
//!
//! A row that passes from the right of a cut to its left changes one term of each side's sum, so a
//! scan of sorted rows scores every cut in O(1), whatever the number of classes. Sums of squares of
//! rows are whole numbers below 2^52 and exact; sums of logarithms carry the roundings of the scan.

use crate::numeric::Logs;

/// The term that is summed over the classes of a side.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Term {
    /// `x^2`.
    Squares,
    /// `x log2 x`, from the table of [`Logs`], which must hold every count of the node.
    XLog2X,
}

/// How a criterion scores cuts from running sums. Scores are taken again without classes that have
/// no rows, so none that [reads them](super::Properties::reads_declared_classes) may have any.
#[derive(Debug, Clone, Copy)]
pub struct RunningScores {
    /// The term that is summed over the classes.
    pub term: Term,
    /// Write the scores of cuts, and return a bound on their distance from the scores as `score`
    /// rounds them. 0 says that they are equal to the bit.
    pub scores: fn(&Cuts<'_>, &mut [f64]) -> f64,
    /// Quicker than the scores: a number that none of them exceeds.
    pub bound: Option<fn(&Cuts<'_>) -> f64>,
}

/// Cuts of a node in two, with their sums.
#[derive(Debug, Clone, Copy)]
pub struct Cuts<'a> {
    /// Rows of the node, at least 2.
    pub n: u32,
    /// The sum over the classes of the whole node.
    pub whole: f64,
    /// Classes that may have rows.
    pub classes: usize,
    /// Tables up to `n`.
    pub logs: Logs,
    /// Rows on the left.
    pub rows: LeftRows<'a>,
    /// Sums over the classes on the left.
    pub left: &'a [f64],
    /// Sums over the classes on the right.
    pub right: &'a [f64],
}

/// The rows on the left of cuts.
#[derive(Debug, Clone, Copy)]
pub enum LeftRows<'a> {
    /// The number for the first cut; each cut has one more than the cut before.
    From(u32),
    /// As listed. The score of a cut with none or all of the rows means nothing.
    Each(&'a [u32]),
}

/// With fewer rows, sums of squares are below 2^52.
const EXACT_SQUARES: usize = 1 << 26;

impl RunningScores {
    /// Whether the sums of `n` rows are exact squares, or have all their logarithms in the tables.
    /// Otherwise the node must be scored by tables of counts.
    pub fn holds(&self, n: usize, logs: Logs) -> bool {
        match self.term {
            Term::Squares => n < EXACT_SQUARES,
            Term::XLog2X => n < logs.x_log2_x_table().len(),
        }
    }
}
