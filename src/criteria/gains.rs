//! Gain and gain ratio of cuts from running sums of `x log2 x`, by the identity of the screens of
//! [`information`](super::information): `n gain = n H(c) + sum_mc n_mc log2 n_mc - sum_m n_m log2
//! n_m`.
//!
//! One look-up for each side of a cut; the sums carry the roundings of the scan, which the bounds
//! count.

use super::information;
use super::running::{Cuts, LeftRows};

impl Cuts<'_> {
    /// Bound on the difference between a gain from these sums and the gain as `information` rounds
    /// it. A sum is at most `n log2 n`, a step rounds it twice, and there are at most n steps: the
    /// sums of both sides are off by `2 n log2 n` units in the last place of 1 for each row.
    fn gain_error(&self) -> f64 {
        let n = f64::from(self.n);
        let steps = 4.0 * n * f64::EPSILON * (1.0 + n.log2());
        steps + information::gain_error(2, self.classes, n)
    }

    /// `n` times the gain, without the rounding of `information`; `each` is given every gain and
    /// `x log2 x` of the sizes of both sides, and returns the number to be written.
    fn gains(&self, out: &mut [f64], each: impl FnMut(f64, [f64; 2]) -> f64) {
        let (table, n) = (self.logs.x_log2_x_table(), self.n as usize);
        match self.rows {
            LeftRows::From(first) => {
                let (left, right) = (&table[first as usize..], &table[..=n - first as usize]);
                let sizes = left.iter().zip(right.iter().rev()).map(|(l, r)| [*l, *r]);
                self.gains_of(sizes, out, each);
            }
            LeftRows::Each(rows) => {
                let sizes = rows.iter().map(|&l| [table[l as usize], table[n - l as usize]]);
                self.gains_of(sizes, out, each);
            }
        }
    }

    #[inline(always)]
    fn gains_of(
        &self,
        sizes: impl Iterator<Item = [f64; 2]>,
        out: &mut [f64],
        mut each: impl FnMut(f64, [f64; 2]) -> f64,
    ) {
        let h = self.logs.x_log2_x_table()[self.n as usize] - self.whole;
        let sums = self.left.iter().zip(self.right);
        for ((s, (left, right)), sizes) in out.iter_mut().zip(sums).zip(sizes) {
            let [on_left, on_right] = sizes;
            *s = each(h + (left + right - on_left - on_right), sizes);
        }
    }
}

/// Information gain. The result bounds the distance of the scores from `information`'s, as
/// [`RunningScores::scores`](super::RunningScores) requires.
pub(super) fn write_gains(cuts: &Cuts<'_>, out: &mut [f64]) -> f64 {
    let share = 1.0 / f64::from(cuts.n);
    cuts.gains(out, |gain, _| gain * share);
    cuts.gain_error()
}

/// Gain ratio. The bound grows as the smallest split entropy falls, because the error of the gain
/// is divided by it. A cut with all rows on one side gives 0/0, which has no meaning.
pub(super) fn write_gain_ratios(cuts: &Cuts<'_>, out: &mut [f64]) -> f64 {
    let n = cuts.n;
    let whole = cuts.logs.x_log2_x_table()[n as usize];
    let mut smallest = f64::INFINITY;
    cuts.gains(out, |gain, [on_left, on_right]| {
        let split = whole - on_left - on_right;
        smallest = if split > 0.0 { smallest.min(split) } else { smallest };
        gain / split
    });
    // |a/b - a'/b'| <= (|a - a'| + |a'/b'| |b - b'|) / b, and the ratio is at most 1.
    2.0 * cuts.gain_error() * f64::from(n) / smallest
}
