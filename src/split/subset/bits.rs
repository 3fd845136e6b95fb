//! Whether a division of levels in two saves more of the target's description than it costs.
//!
//! One of `2^(k-1)` divisions of `k` groups of levels takes `k - 1` bits to name. If a feature has
//! many levels and few rows in each, some division always fits the target by accident. So a
//! division is a candidate only where it saves more bits of the target than its name takes,
//! whichever criterion then ranks it. C4.5 Release 8 charges thresholds likewise (Quinlan, Improved
//! use of continuous attributes in C4.5, JAIR 1996).
//!
//! Bits saved for classes: `n (H(c) - H(c|m))`. Bits saved for a number, described by a normal
//! distribution around the mean of its branch: `n/2 log2 (D / (D_1 + D_2))`, with `D` the sum of
//! the squared differences from the mean. A level of one row describes itself alone, so all levels
//! of one row are one group: a feature whose cells all differ has no division.

use super::LevelPartitions;
use crate::criteria::c45::total_entropy;
use crate::numeric::x_log2_x;
use crate::stats::Sum;

impl<S: Sum> LevelPartitions<S> {
    /// Join the levels of one row into one group; each group is one level before. `rows` are the
    /// numbers of rows by code, where sums do not count rows. Otherwise a row weighs 1, and `unit`
    /// is the weight of one unit of the sums.
    pub(super) fn join_single_rows(&mut self, rows: Option<&[u32]>, unit: f64) {
        let k = self.classes;
        let is_single = |g: usize| match rows {
            Some(rows) => rows[self.groups.codes(g)[0] as usize] == 1,
            None => S::total(&self.sums[g * k..(g + 1) * k]).value(unit) == 1.0,
        };
        let (mut joined, mut of_singles) = (0, None);
        let mut to = Vec::with_capacity(self.groups.count());
        for g in 0..self.groups.count() {
            let group = if is_single(g) { *of_singles.get_or_insert(joined) } else { joined };
            joined += usize::from(group == joined);
            to.push(group);
        }
        if joined < to.len() {
            self.join_groups(&to);
        }
    }

    /// The bound below which the sum of [`spread_within`] over both sides of a division must stay:
    /// the spread of all rows, minus the bits that name one division of the groups.
    pub(super) fn largest_candidate_spread(&self, unit: f64) -> f64 {
        let mut whole = vec![S::default(); self.classes];
        for group in self.sums.chunks_exact(self.classes) {
            whole.iter_mut().zip(group).for_each(|(sum, &of_group)| *sum = sum.plus(of_group));
        }
        let cost = self.groups.count().saturating_sub(1) as f64;
        let spread = spread_within(&whole, unit);
        match whole[0].moments() {
            // `n/2 log2 (D / D')` bits are saved where the spread falls from `D` to `D'`.
            Some(_) => spread * (-2.0 * cost / whole[0].value(unit)).exp2(),
            None => spread - cost,
        }
    }

    /// Whether a division saves more bits than its name takes, or all divisions are candidates;
    /// `sides` are the class sums of both sides.
    pub(super) fn pays(&self, sides: [&[S]; 2], unit: f64) -> bool {
        let spread = || sides.iter().map(|side| spread_within(side, unit)).sum::<f64>();
        self.groups.spread_bound.is_none_or(|most| spread() < most)
    }

    /// Whether division `at` may be a candidate: always, unless divisions have to pay for their
    /// names ([`Self::pays`]). The evidence by the order of a target asks this, because it does not
    /// score divisions as tables. O(groups x classes).
    pub fn is_candidate(&self, at: u32, unit: f64) -> bool {
        self.groups.spread_bound.is_none() || {
            let (sums, _) = self.sums(at);
            let (first, rest) = sums.split_at(self.classes);
            self.pays([first, &rest[..self.classes]], unit)
        }
    }
}

/// The bits of the classes of some rows, or the sum of the squared differences of a numeric target
/// from its mean.
fn spread_within<S: Sum>(sums: &[S], unit: f64) -> f64 {
    match sums[0].moments() {
        Some(moments) => moments.rounded(unit).deviation,
        None => total_entropy(sums.iter().map(|s| s.value(unit)), &x_log2_x),
    }
}
