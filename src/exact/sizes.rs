//! Sizes of minimal trees of many sets of rows of one data set, as evidence for a criterion that
//! scores splits by them.
//!
//! Each size is searched with a budget of search nodes, and all sizes share another budget. When
//! one is spent, the proven lower bound takes the place of the size, so results depend on the data
//! alone and not on time. Bounds that were proven for one set are reused for the next
//! ([`super::cache`]). If equal rows have different classes, the class with the largest weight
//! counts. Missing values are larger than all values. The sizes are for small data only
//! ([`MAX_SIZED_ROWS`]), as each one is an exact search.

use super::consistent::{ConsistentSearch, Halt, MOST_SPLITS, Meter};
use super::lists::SortedLists;
use super::problem::{Errors, MissingRule, Problem, insert, size};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::numeric::sort_few;
use crate::parallel::Control;

/// Largest number of distinct rows: two sizes are needed per threshold of every node.
pub const MAX_SIZED_ROWS: usize = 500;
/// Bytes of the table of proven bounds.
const MEMORY: usize = 64 << 20;
/// Cells that all searches of a fit may read by default: about ten seconds of one core.
const CELLS: u64 = 1_000_000_000;

/// A training set, prepared for searches on subsets of its rows.
#[derive(Debug)]
pub struct TrainingSizes {
    problem: Problem,
    /// The distinct row of each internal row.
    distinct: Vec<u32>,
}

impl TrainingSizes {
    /// Prepare some rows (internal numbers) with their weights.
    ///
    /// # Errors
    /// [`Error::Data`] for more than [`MAX_SIZED_ROWS`] distinct rows.
    pub fn new(
        data: &Dataset,
        rows: &[u32],
        weight: &dyn Fn(u32) -> f64,
        control: &Control,
    ) -> Result<Self> {
        let problem =
            Problem::new(data, rows, weight, Errors::Minimise, MissingRule::Last, control)?;
        if problem.n_rows > MAX_SIZED_ROWS {
            return Err(Error::Data(format!(
                "{} distinct rows: sizes of smallest trees as a criterion are for at most \
                 {MAX_SIZED_ROWS}; \
                 take fewer rows, discretise, or search once with minimal_tree",
                problem.n_rows
            )));
        }
        let mut distinct = vec![0; data.len()];
        rows.iter().zip(&problem.group).for_each(|(&row, &group)| distinct[row as usize] = group);
        Ok(Self { problem, distinct })
    }

    /// The default number of search nodes for all sizes; a search node may read every cell.
    pub fn usual_budget(&self) -> u64 {
        CELLS / (self.problem.n_rows * self.problem.n_features).max(1) as u64
    }

    /// A search that spends at most `budget` nodes on each set, and `left` on all of them. The
    /// caller asks it for one sum after the other; a set whose budget is spent counts with its
    /// proven lower bound. [`Self::usual_budget`] is the default number of nodes for all sizes of a
    /// tree.
    pub fn sizer<'a>(&'a self, budget: u64, left: u64, control: &'a Control) -> Sizer<'a> {
        let meter = Meter::new(budget, control);
        let search = ConsistentSearch::new(&self.problem, MEMORY, meter);
        Sizer {
            distinct: &self.distinct,
            lists: SortedLists::all(&self.problem),
            search,
            budget,
            left,
        }
    }
}

/// A search for the sizes of many sets of rows.
pub struct Sizer<'a> {
    /// The distinct row of each internal row.
    distinct: &'a [u32],
    lists: SortedLists,
    search: ConsistentSearch<'a>,
    /// Search nodes for one set.
    budget: u64,
    /// Search nodes that are left for all sets.
    left: u64,
}

impl Sizer<'_> {
    /// The sum of the nodes of minimal trees of all `branches` (internal rows); empty branches have
    /// none. If the sum is at least `enough`, the result is some number from `enough` to the sum.
    /// The search nodes that are left are shared evenly among the `waiting` sums that are still to
    /// come, this one included.
    pub fn sum(&mut self, branches: &[&[u32]], enough: usize, waiting: usize) -> Result<usize> {
        let mut sets: Vec<(Vec<u64>, u16)> = Vec::new();
        for rows in branches.iter().filter(|rows| !rows.is_empty()) {
            let mut bits = vec![0_u64; self.search.problem.words];
            for &row in *rows {
                insert(&mut bits, self.distinct[row as usize] as usize);
            }
            let low = self.search.low(&bits);
            sets.push((bits, low));
        }
        // The easiest set first. A tree of s splits has 2 s + 1 nodes.
        sort_few(&mut sets, &|a, b| (a.1, size(&a.0)).cmp(&(b.1, size(&b.0))));
        let mut sum = sets.iter().map(|(_, low)| 2 * usize::from(*low) + 1).sum::<usize>();
        let mut share = self.left / waiting.max(1) as u64;
        self.left -= share;
        for (bits, mut low) in sets {
            let allowed = self.budget.min(share);
            share -= allowed;
            self.search.meter.left = allowed;
            while sum < enough && low < MOST_SPLITS {
                match self.search.decide(&bits, &self.lists, low) {
                    Ok(true) | Err(Halt::Spent) => break,
                    Ok(false) => {
                        low += 1;
                        sum += 2;
                    }
                    Err(Halt::Cancelled) => return Err(Error::Cancelled),
                }
            }
            share += self.search.meter.left;
        }
        self.left += share;
        Ok(sum)
    }

    /// Number of search nodes that were opened for all sums so far. Growth subtracts it from the
    /// budget of the tree when a search is done.
    pub fn spent(&self) -> u64 {
        self.search.meter.opened
    }
}
