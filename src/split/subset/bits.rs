//! Whether a division of levels in two saves more of the target's description than it costs.
//!
//! One of `2^(k-1)` divisions of `k` groups of levels takes `k - 1` bits to name. Of a feature with
//! many levels and few rows in each, some division always fits the target by accident; so a
//! division is a candidate only where it saves more bits of the target than its name takes,
//! whichever criterion then ranks it. C4.5 Release 8 charges thresholds likewise (Quinlan,
//! Improved use of continuous attributes in C4.5, JAIR 1996).
//!
//! Saved bits of classes: `n (H(c) - H(c|m))`; of a number, described by a normal distribution
//! around the mean of its branch: `n/2 log2 (D / (D_1 + D_2))`, with `D` the sum of the squared
//! differences from the mean. A level of one row describes itself alone, so all levels of one row
//! are one group: a feature whose cells all differ has no division.

use super::LevelPartitions;
use crate::criteria::c45::total_entropy;
use crate::numeric::x_log2_x;
use crate::stats::Sum;

impl<S: Sum> LevelPartitions<S> {
    /// Join the levels of one row. `rows` are the numbers of rows by code, where sums do not count
    /// rows; a row else weighs 1, of which `unit` is the part that sums count. Each group is one
    /// level before.
    pub(super) fn join_single_rows(&mut self, rows: Option<&[u32]>, unit: f64) {
        let k = self.classes;
        let is_single = |g: usize, sums: &[S]| match rows {
            Some(rows) => rows[self.codes[g] as usize] == 1,
            None => S::total(&sums[g * k..(g + 1) * k]).value(unit) == 1.0,
        };
        let single: Vec<bool> = (0..self.groups()).map(|g| is_single(g, &self.sums)).collect();
        let Some(first) = single.iter().position(|&s| s) else { return };
        let (mut codes, mut starts) = (Vec::with_capacity(self.codes.len()), Vec::new());
        let mut sums: Vec<S> = Vec::with_capacity(self.sums.len());
        for g in (0..single.len()).filter(|&g| !single[g] || g == first) {
            starts.push(codes.len());
            codes.push(self.codes[g]);
            let from = sums.len();
            sums.extend_from_slice(&self.sums[g * k..(g + 1) * k]);
            // The group takes the place of its first level.
            for other in (g + 1..single.len()).filter(|&other| g == first && single[other]) {
                codes.push(self.codes[other]);
                let others = &self.sums[other * k..(other + 1) * k];
                sums[from..].iter_mut().zip(others).for_each(|(sum, &s)| *sum = sum.plus(s));
            }
        }
        starts.push(codes.len());
        (self.codes, self.starts, self.sums) = (codes, starts, sums);
    }

    /// The bound below which [`left_in`] both sides of a division must stay: that of all rows, less
    /// the bits that name one division of the groups.
    pub(super) fn affordable(&self, unit: f64) -> f64 {
        let mut whole = vec![S::default(); self.classes];
        for group in self.sums.chunks_exact(self.classes) {
            whole.iter_mut().zip(group).for_each(|(sum, &s)| *sum = sum.plus(s));
        }
        let cost = self.groups().saturating_sub(1) as f64;
        let left = left_in(&whole, unit);
        match whole[0].moments() {
            Some(_) => left * (-2.0 * cost / whole[0].value(unit)).exp2(),
            None => left - cost,
        }
    }

    /// Whether a division saves more bits than its name takes, or all are candidates; `sides` are
    /// the sums of both.
    pub(super) fn pays(&self, sides: [&[S]; 2], unit: f64) -> bool {
        let left = || sides.iter().map(|side| left_in(side, unit)).sum::<f64>();
        self.most_left.is_none_or(|most| left() < most)
    }

    /// Whether division `at` may be a candidate; see [`Self::pays`].
    pub fn is_candidate(&self, at: u32, unit: f64) -> bool {
        self.most_left.is_none() || {
            let (sums, _) = self.sums(at);
            let (first, rest) = sums.split_at(self.classes);
            self.pays([first, &rest[..self.classes]], unit)
        }
    }
}

/// The bits of the classes of some rows, or the sum of the squared differences of a numeric target
/// from its mean.
fn left_in<S: Sum>(sums: &[S], unit: f64) -> f64 {
    match sums[0].moments() {
        Some(moments) => moments.rounded(unit).deviation,
        None => total_entropy(sums.iter().map(|s| s.value(unit)), &x_log2_x),
    }
}
