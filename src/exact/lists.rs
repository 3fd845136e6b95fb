//! The rows of a node in ascending order of each feature, and where one feature can be cut.

use super::problem::Problem;

/// Rows of a set, sorted by each feature in turn.
#[derive(Debug)]
pub(super) struct SortedLists {
    /// Rows of the set.
    pub(super) m: usize,
    rows: Vec<u16>,
}

impl SortedLists {
    /// All rows of a problem.
    pub(super) fn all(problem: &Problem) -> Self {
        Self { m: problem.n, rows: problem.orders.concat() }
    }

    /// The rows of a smaller set.
    pub(super) fn restrict(&self, d: usize, bits: &[u64]) -> Self {
        let m = bits.iter().map(|w| w.count_ones() as usize).sum();
        let mut rows = Vec::with_capacity(d * m);
        for f in 0..d {
            let inside = |&&r: &&u16| bits[usize::from(r >> 6)] >> (r & 63) & 1 == 1;
            rows.extend(self.of(f).iter().filter(inside));
        }
        Self { m, rows }
    }

    /// Rows in ascending order of a feature.
    pub(super) fn of(&self, f: usize) -> &[u16] {
        &self.rows[f * self.m..(f + 1) * self.m]
    }
}

/// The ways to cut a node by one feature, `cuts[i]` being the number of rows on the left.
#[derive(Debug, Default)]
pub(super) struct FeatureCuts {
    /// Places between two values.
    pub(super) cuts: Vec<u16>,
    /// Number of cuts whose left side is pure: the first ones.
    pub(super) pure_left: usize,
    /// First of the cuts whose right side is pure: the last ones.
    pub(super) pure_right: usize,
    /// Splits that the left side of each cut needs at least, by its classes.
    pub(super) left: Vec<u8>,
    /// Splits that the right side of each cut needs at least, by its classes.
    pub(super) right: Vec<u8>,
}

impl FeatureCuts {
    /// All cuts of a list.
    pub(super) fn find(&mut self, problem: &Problem, f: usize, list: &[u16]) {
        let ranks = &problem.ranks[f];
        let rank = |i: usize| ranks[usize::from(list[i])];
        let allowed = |i: usize| problem.allowed[usize::from(list[i])];
        self.cuts.clear();
        self.left.clear();
        self.right.clear();
        // Every class of a row that may have one class only is a leaf of its own.
        let (mut common, mut single, mut pure) = (u64::MAX, 0_u64, 0);
        for i in 1..list.len() {
            let a = allowed(i - 1);
            common &= a;
            if a & (a - 1) == 0 {
                single |= a;
            }
            if rank(i - 1) < rank(i) {
                self.cuts.push(i as u16);
                pure += usize::from(common != 0);
                self.left.push(if common != 0 {
                    0
                } else {
                    (single.count_ones().max(2) - 1) as u8
                });
            }
        }
        self.pure_left = pure;
        self.right.resize(self.cuts.len(), 0);
        self.pure_right = self.cuts.len();
        let (mut common, mut single, mut next) = (u64::MAX, 0_u64, self.cuts.len());
        for i in (1..list.len()).rev() {
            let a = allowed(i);
            common &= a;
            if a & (a - 1) == 0 {
                single |= a;
            }
            if next > 0 && usize::from(self.cuts[next - 1]) == i {
                next -= 1;
                if common != 0 {
                    self.pure_right = next;
                }
                self.right[next] =
                    if common != 0 { 0 } else { (single.count_ones().max(2) - 1) as u8 };
            }
        }
    }
}
