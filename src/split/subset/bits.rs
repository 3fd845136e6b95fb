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
use crate::stats::Sum;

/// `x log2 x`, 0 at 0.
fn x_log2_x(x: f64) -> f64 {
    if x > 0.0 { x * x.log2() } else { 0.0 }
}

/// Bits that the classes of some rows take, from their weights.
fn bits_of_classes(weights: impl Iterator<Item = f64>) -> f64 {
    let (mut weight, mut by_class) = (0.0, 0.0);
    for w in weights {
        weight += w;
        by_class += x_log2_x(w);
    }
    x_log2_x(weight) - by_class
}

impl<S: Sum> LevelPartitions<S> {
    /// Join the levels of one row. `rows` are the numbers of rows by code, where sums do not count
    /// rows. Each group is one level before.
    pub(super) fn join_single_rows(&mut self, rows: Option<&[u32]>) {
        let k = self.classes;
        let is_single = |g: usize, sums: &[S]| match rows {
            Some(rows) => rows[self.codes[g] as usize] == 1,
            None => super::total(&sums[g * k..(g + 1) * k]).value(1.0) == 1.0,
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
        self.named_groups = self.groups();
    }

    /// Whether a division saves more bits than its name takes; `first` and `second` are the sums of
    /// its sides.
    pub(super) fn pays(&self, first: &[S], second: &[S], unit: f64) -> bool {
        let cost = self.named_groups.saturating_sub(1) as f64;
        let saved = match (first[0].moments(), second[0].moments()) {
            (Some(a), Some(b)) => {
                let of = |moments: crate::stats::ExactMoments| moments.rounded(unit);
                let (a, b) = (of(a), of(b));
                let whole = first[0].plus(second[0]).moments().map(of).unwrap_or_default();
                whole.weight / 2.0 * (whole.deviation / (a.deviation + b.deviation)).log2()
            }
            _ => {
                let weights = |sums: &[S], c: usize| sums[c].value(unit);
                let bits = |sums: &[S]| bits_of_classes((0..sums.len()).map(|c| weights(sums, c)));
                let both = (0..first.len()).map(|c| weights(first, c) + weights(second, c));
                bits_of_classes(both) - bits(first) - bits(second)
            }
        };
        saved > cost
    }

    /// Whether division `at` may be a candidate; see [`Self::pays`].
    pub fn is_candidate(&self, at: u32, unit: f64) -> bool {
        if !self.judged {
            return true;
        }
        let (sums, _) = self.sums(at);
        self.pays(&sums[..self.classes], &sums[self.classes..2 * self.classes], unit)
    }
}
