//! Approximate Gini scores of the cuts of a node with two classes, one cut per lane of a vector.
//!
//! The rows to the left of a cut are one word: the number of rows of class 0 in its lower half, the
//! number of rows of class 1 in its upper half. Scores are in single precision, with a known bound
//! on the error ([`GINI_ERROR`]); growth evaluates the exact formula only for cuts whose score is
//! within it of the best. All levels are compiled from one loop and do the same operations on each
//! lane, so they give the same bits; the test compares them with the formula in double precision.
//! Words made from the masks of small nodes gained 1.08 times in whole fits, too little for a path
//! of their own.

use super::level::for_each_level;

/// Most rows of a node: the number of rows of a class fits half a word.
pub const MOST_PACKED_ROWS: u32 = u16::MAX as u32;

/// The length of slices of cuts is a multiple of this: the lanes of the longest vectors.
pub const CHUNK: usize = 16;

/// The numbers of rows of both classes as a word. Both are at most [`MOST_PACKED_ROWS`]; words can
/// then be added and subtracted like the numbers.
#[inline]
pub fn pack(zero: u32, one: u32) -> u32 {
    zero | one << 16
}

/// The numbers of rows of both classes from a word, class 0 first: the inverse of [`pack`].
#[inline]
pub fn unpack(word: u32) -> [u32; 2] {
    [word & MOST_PACKED_ROWS, word >> 16]
}

/// The numbers of a node with two classes on which the scores of its cuts depend.
#[derive(Debug, Clone, Copy)]
pub struct PairNode {
    /// Rows of each class.
    pub totals: [u32; 2],
    /// Least number of rows on each side of a cut, at least 1.
    pub least: u32,
}

/// Bound on the error of a score of [`gini`].
///
/// The determinant is off by at most two units in the last place of `n_L n_R <= n^2 / 4`, which
/// makes two units of the score; six roundings of a number up to 1/2 make three more.
pub const GINI_ERROR: f64 = 8.0 / (1_u32 << 24) as f64;

for_each_level! {
    /// Write the score of each cut by `criteria::gini`, and return the largest.
    ///
    /// With two branches and two classes it is `2 (n_L0 n_R1 - n_L1 n_R0)^2 / (n^2 n_L n_R)`. Cuts
    /// with too few rows on a side have negative infinity.
    pub fn gini(lefts: &[u32], of: PairNode, out: &mut [f32]) -> f32 {
        assert!(lefts.len() == out.len() && lefts.len().is_multiple_of(CHUNK));
        let [zero, one] = of.totals.map(|t| t as f32);
        let n = zero + one;
        let (least, most, scale) = (of.least as f32, n - of.least as f32, 2.0 / (n * n));
        // The largest score of each lane.
        let mut top = [f32::NEG_INFINITY; CHUNK];
        let (lefts, _) = lefts.as_chunks::<CHUNK>();
        let (out, _) = out.as_chunks_mut::<CHUNK>();
        for (left, out) in lefts.iter().zip(out) {
            for j in 0..CHUNK {
                // Rows of class 0 and 1 on the left, then on the right.
                let a = (left[j] & MOST_PACKED_ROWS) as i32 as f32;
                let b = (left[j] >> 16) as i32 as f32;
                let (c, d, size) = (zero - a, one - b, a + b);
                let det = a * d - b * c;
                let score = det * det / (size * (n - size)) * scale;
                let valid = size >= least && size <= most;
                let score = if valid { score } else { f32::NEG_INFINITY };
                out[j] = score;
                top[j] = if score > top[j] { score } else { top[j] };
            }
        }
        top.into_iter().fold(f32::NEG_INFINITY, f32::max)
    }
}

/// Running sums over the codes of each feature: `out[code * features + feature]` is the sum of
/// `counts` of this feature up to the code. Features are taken in strips of up to sixteen, whose
/// sums stay in registers. Counters may be words of two classes.
///
/// # Panics
/// If the lengths differ.
pub fn running_sums(counts: &[u32], features: usize, out: &mut [u32]) {
    assert!(counts.len() == out.len());
    let mut from = 0;
    while from < features {
        from += match features - from {
            16.. => run::<16>(counts, features, from, out),
            8.. => run::<8>(counts, features, from, out),
            4.. => run::<4>(counts, features, from, out),
            2.. => run::<2>(counts, features, from, out),
            _ => run::<1>(counts, features, from, out),
        };
    }
}

/// [`running_sums`] of the features `from..from + N`, whose sums stay in registers; returns `N`.
fn run<const N: usize>(counts: &[u32], features: usize, from: usize, out: &mut [u32]) -> usize {
    let (mut sums, mut at) = ([0; N], from);
    while let (Some(counts), Some(out)) = (
        counts.get(at..).and_then(<[u32]>::first_chunk::<N>),
        out.get_mut(at..).and_then(<[u32]>::first_chunk_mut::<N>),
    ) {
        for j in 0..N {
            sums[j] += counts[j];
        }
        *out = sums;
        at += features;
    }
    N
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::mix;
    use crate::simd::Level;

    #[test]
    fn scores_are_within_the_error_and_the_same_on_every_level() {
        for seed in 0..400_u64 {
            let top = [3, 50, 2000, 32_000][seed as usize % 4];
            let draw = |i: u64, most: u32| (mix(seed, i) % (u64::from(most) + 1)) as u32;
            let totals = [draw(1, top), 1 + draw(2, top)];
            let lefts: Vec<u32> =
                (0..64).map(|i| pack(draw(10 + i, totals[0]), draw(100 + i, totals[1]))).collect();
            let of = PairNode { totals, least: 1 + draw(3, 2) };
            let mut expected = vec![0.0; 64];
            let most = gini(Level::Plain, &lefts, of, &mut expected);
            assert_eq!(most, expected.iter().copied().fold(f32::NEG_INFINITY, f32::max));
            for (&left, &score) in lefts.iter().zip(&expected) {
                let [a, b] = unpack(left).map(f64::from);
                let [c, d] = [f64::from(totals[0]) - a, f64::from(totals[1]) - b];
                let (l, r, n) = (a + b, c + d, a + b + c + d);
                if l.min(r) < f64::from(of.least) {
                    assert_eq!(score, f32::NEG_INFINITY);
                } else {
                    let true_score = 2.0 * (a * d - b * c).powi(2) / (n * n * l * r);
                    assert!((f64::from(score) - true_score).abs() <= GINI_ERROR, "{seed}");
                }
            }
            for level in Level::available() {
                let mut found = vec![0.0; 64];
                assert_eq!(gini(level, &lefts, of, &mut found), most);
                assert_eq!(found, expected, "{level:?}");
            }
        }
    }

    #[test]
    fn sums_run_over_the_codes() {
        for features in 1..40 {
            let counts: Vec<u32> =
                (0..7 * features as u64).map(|i| mix(3, i) as u32 >> 8).collect();
            let mut found = vec![0; counts.len()];
            running_sums(&counts, features, &mut found);
            for (i, &sum) in found.iter().enumerate() {
                let own = (i % features..=i).step_by(features);
                assert_eq!(sum, own.map(|j| counts[j]).sum::<u32>());
            }
        }
    }
}
