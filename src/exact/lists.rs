//! The rows of a node in ascending order of each feature, and the cuts between values of one
//! feature.
//!
//! The lists of a node are filtered from the lists of its parent, so nothing is sorted again:
//! O(rows of the parent x features). Cuts are found in one pass in each direction.

use super::problem::{Problem, size};

/// Rows of a set, sorted by each feature in turn.
#[derive(Debug)]
pub(super) struct SortedLists {
    /// Number of rows of the set.
    pub(super) n_rows: usize,
    /// The list of each feature, one after the other.
    rows: Vec<u16>,
}

impl SortedLists {
    /// The lists of all rows of a problem. Every feature was sorted once when the problem was made.
    pub(super) fn all(problem: &Problem) -> Self {
        Self { n_rows: problem.n_rows, rows: problem.orders.concat() }
    }

    /// The lists of a subset of the rows, which is given as bits. The order is kept, so the cost is
    /// O(rows x features) without a sort.
    pub(super) fn restrict(&self, n_features: usize, bits: &[u64]) -> Self {
        let n_rows = size(bits);
        let mut rows = Vec::with_capacity(n_features * n_rows);
        for feature in 0..n_features {
            let is_member = |&&row: &&u16| bits[usize::from(row >> 6)] >> (row & 63) & 1 == 1;
            rows.extend(self.order_of(feature).iter().filter(is_member));
        }
        Self { n_rows, rows }
    }

    /// Rows in ascending order of a feature. Rows with the same rank are in the order of their
    /// numbers.
    pub(super) fn order_of(&self, feature: usize) -> &[u16] {
        &self.rows[feature * self.n_rows..(feature + 1) * self.n_rows]
    }
}

/// The cuts of a node by one feature. A side is pure if some class is allowed for all its rows.
#[derive(Debug, Default)]
pub(super) struct FeatureCuts {
    /// Number of rows on the left of each cut, ascending; a cut lies between two values.
    pub(super) cuts: Vec<u16>,
    /// Cuts below this number have a pure left side.
    pub(super) pure_left: usize,
    /// Cuts from this number on have a pure right side.
    pub(super) pure_right: usize,
    /// A lower bound of the splits that the left side of each cut needs, from its classes.
    pub(super) left: Vec<u8>,
    /// A lower bound of the splits that the right side of each cut needs, from its classes.
    pub(super) right: Vec<u8>,
}

/// The classes of a growing set of rows.
struct SideClasses {
    /// Classes allowed for all its rows.
    common: u64,
    /// Classes that are the only allowed one of some row: each needs a separate leaf.
    required: u64,
}

impl SideClasses {
    fn new() -> Self {
        Self { common: u64::MAX, required: 0 }
    }

    /// Add a row with these allowed classes.
    fn add(&mut self, allowed: u64) {
        self.common &= allowed;
        if allowed.is_power_of_two() {
            self.required |= allowed;
        }
    }

    fn is_pure(&self) -> bool {
        self.common != 0
    }

    /// A lower bound of the splits that the rows need.
    fn splits_needed(&self) -> u8 {
        if self.is_pure() { 0 } else { (self.required.count_ones().max(2) - 1) as u8 }
    }
}

impl FeatureCuts {
    /// Find all cuts of a feature; `list` are the node's rows in ascending order of it.
    pub(super) fn find(&mut self, problem: &Problem, feature: usize, list: &[u16]) {
        let ranks = &problem.ranks[feature];
        let rank = |i: usize| ranks[usize::from(list[i])];
        let allowed = |i: usize| problem.allowed[usize::from(list[i])];
        self.cuts.clear();
        self.left.clear();
        self.right.clear();
        // From the left: the cuts and their left sides.
        self.pure_left = 0;
        let mut side = SideClasses::new();
        for i in 1..list.len() {
            side.add(allowed(i - 1));
            if rank(i - 1) < rank(i) {
                self.cuts.push(i as u16);
                self.pure_left += usize::from(side.is_pure());
                self.left.push(side.splits_needed());
            }
        }
        // From the right: their right sides.
        self.right.resize(self.cuts.len(), 0);
        self.pure_right = self.cuts.len();
        let (mut side, mut next) = (SideClasses::new(), self.cuts.len());
        for i in (1..list.len()).rev() {
            side.add(allowed(i));
            if next > 0 && usize::from(self.cuts[next - 1]) == i {
                next -= 1;
                if side.is_pure() {
                    self.pure_right = next;
                }
                self.right[next] = side.splits_needed();
            }
        }
    }
}
