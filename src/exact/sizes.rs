//! Sizes of smallest trees of many sets of rows of one data set: the evidence of a criterion.
//!
//! Each size is searched with a budget of search nodes, and all sizes share another; above it the
//! proven lower bound stands for a size, so that an answer depends on the data alone.
//! What was learned of one set serves the next.
//! Equal rows of different classes may be given any class that most of them have; a missing value
//! comes after all values.

use super::consistent::{ConsistentSearch, Halt, MOST_SPLITS, Meter};
use super::lists::SortedLists;
use super::problem::{Errors, MissingRule, Problem};
use crate::data::Dataset;
use crate::error::{Error, Result};
use crate::parallel::Control;

/// Largest number of distinct rows: every threshold of every node asks for two sizes.
pub const MAX_SIZED_ROWS: usize = 500;
const MEMORY: usize = 64 << 20;
/// Cells that the searches of a fit may read where no number of search nodes is given: about ten
/// seconds of one core.
const CELLS: u64 = 1_000_000_000;

/// The rows of a training set.
#[derive(Debug)]
pub struct TrainingSizes {
    problem: Problem,
    /// Distinct row of each internal row.
    place: Vec<u32>,
}

impl TrainingSizes {
    /// For some rows (internal numbers) and what each weighs: of equal rows of several classes the
    /// heaviest class counts.
    pub fn new(
        data: &Dataset,
        rows: &[u32],
        weight: &dyn Fn(u32) -> f64,
        control: &Control,
    ) -> Result<Self> {
        let problem =
            Problem::new(data, rows, weight, Errors::Minimise, MissingRule::Last, control)?;
        if problem.n > MAX_SIZED_ROWS {
            return Err(Error::Data(format!(
                "{} distinct rows: sizes of smallest trees as a criterion are for at most \
                 {MAX_SIZED_ROWS}; \
                 take fewer rows, discretise, or search once with minimal_tree",
                problem.n
            )));
        }
        let mut place = vec![0; data.len()];
        rows.iter().zip(&problem.group).for_each(|(&row, &group)| place[row as usize] = group);
        Ok(Self { problem, place })
    }

    /// Search nodes for all sizes where none are given: a search node may read every cell.
    pub fn usual_budget(&self) -> u64 {
        CELLS / (self.problem.n * self.problem.d).max(1) as u64
    }

    /// A search that spends at most `budget` nodes on each set, and `left` on all of them.
    pub fn sizer<'a>(&'a self, budget: u64, left: u64, control: &'a Control) -> Sizer<'a> {
        let meter = Meter::new(budget, control);
        let search = ConsistentSearch::new(&self.problem, MEMORY, meter);
        Sizer { place: &self.place, lists: SortedLists::all(&self.problem), search, budget, left }
    }
}

/// A search through sets of rows.
pub struct Sizer<'a> {
    place: &'a [u32],
    lists: SortedLists,
    search: ConsistentSearch<'a>,
    budget: u64,
    left: u64,
}

impl Sizer<'_> {
    /// The nodes of smallest trees of all `branches` (internal rows) together; empty branches have
    /// none. Once the sum is known to reach `enough`, any number from there on. This and the sums
    /// that wait, `waiting` together, share the search nodes that are left.
    pub fn sum(&mut self, branches: &[&[u32]], enough: usize, waiting: usize) -> Result<usize> {
        let mut sets: Vec<(Vec<u64>, u16)> = Vec::new();
        for rows in branches.iter().filter(|rows| !rows.is_empty()) {
            let mut bits = vec![0_u64; self.search.problem.words];
            for &row in *rows {
                let at = self.place[row as usize];
                bits[at as usize >> 6] |= 1 << (at & 63);
            }
            let low = self.search.low(&bits);
            sets.push((bits, low));
        }
        sets.sort_by_key(|(bits, low)| (*low, super::problem::size(bits)));
        let mut sum = sets.iter().map(|s| 2 * usize::from(s.1) + 1).sum::<usize>();
        let mut own = self.left / waiting.max(1) as u64;
        self.left -= own;
        for (bits, low) in sets {
            let mut low = low;
            let allowed = self.budget.min(own);
            own -= allowed;
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
            own += self.search.meter.left;
        }
        self.left += own;
        Ok(sum)
    }

    /// Search nodes opened.
    pub fn spent(&self) -> u64 {
        self.search.meter.opened
    }
}
