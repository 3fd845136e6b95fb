//! Cuts of rows of several classes: what their running sums over the classes are worth.
//!
//! A scan adds up whole numbers, one row after the other; here they become numbers and scores, as
//! many at a time as a vector has lanes. Every level gives the same bits.

use super::level::for_each_level;

/// Whole numbers below 2^52 as numbers, by operations that every vector unit has.
#[inline(always)]
fn number(x: i64) -> f64 {
    const SHIFT: f64 = (1_u64 << 52) as f64;
    f64::from_bits(SHIFT.to_bits() | x as u64) - SHIFT
}

for_each_level! {
    /// Sums of squares on both sides of cuts, from the bits of whole numbers: `left` holds
    /// `sum_c l_c^2` and `right` holds `sum_c l_c n_c` of rows on the left and in all; `whole` is
    /// `sum_c n_c^2`.
    pub fn squares(whole: i64, left: &mut [f64], right: &mut [f64]) {
        for (left, right) in left.iter_mut().zip(right) {
            let (squares, cross) = (left.to_bits() as i64, right.to_bits() as i64);
            (*left, *right) = (number(squares), number(whole - 2 * cross + squares));
        }
    }
}

for_each_level! {
    /// `(left / l + right / r) scale - base` of cuts with `l` = first, first + 1, ... of n rows on
    /// the left.
    pub fn purities(
        sizes: [u32; 2], sums: [&[f64]; 2], scale: f64, base: f64, out: &mut [f64],
    ) {
        let ([first, n], [left, right]) = (sizes.map(|x| x as i32), sums);
        for (j, ((left, right), out)) in left.iter().zip(right).zip(out).enumerate() {
            let at = first + j as i32;
            *out = (left / f64::from(at) + right / f64::from(n - at)) * scale - base;
        }
    }
}

for_each_level! {
    /// Negative infinity for cuts within equal values, and, unless `every` is 1, within rows of one
    /// class that are alone with their values; returns the largest score. Cut j lies between row j
    /// and row j + 1 of `class` and of `tied`: 1 for a row with the value of the one before.
    pub fn leave_out(every: u32, class: &[u32], tied: &[u32], scores: &mut [f64]) -> f64 {
        let n = scores.len();
        let (before, here, after) = (&tied[..n], &tied[1..][..n], &tied[2..][..n]);
        let (left, right) = (&class[..n], &class[1..][..n]);
        let mut top = [f64::NEG_INFINITY; 8];
        for (j, score) in scores.iter_mut().enumerate() {
            let may = every | before[j] | after[j] | u32::from(left[j] != right[j]);
            *score = if (here[j] ^ 1) & may == 0 { f64::NEG_INFINITY } else { *score };
        }
        let (chunks, rest) = scores.as_chunks::<8>();
        for chunk in chunks {
            for (top, &score) in top.iter_mut().zip(chunk) {
                *top = if score > *top { score } else { *top };
            }
        }
        let larger = |a: f64, b: f64| if b > a { b } else { a };
        for half in [4, 2, 1] {
            for j in 0..half {
                top[j] = larger(top[j], top[j + half]);
            }
        }
        rest.iter().copied().fold(top[0], larger)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::mix;
    use crate::simd::Level;

    #[test]
    fn every_level_gives_the_same_bits() {
        for seed in 0..200_u64 {
            let (n, draw) = (mix(seed, 0) as usize % 70, |i: u64, most: u64| mix(seed, i) % most);
            let bits = |i: u64| f64::from_bits(draw(i, 1 << 50));
            let left: Vec<f64> = (0..n as u64).map(|j| bits(1000 + j)).collect();
            let right: Vec<f64> = (0..n as u64).map(|j| bits(2000 + j)).collect();
            let class: Vec<u32> = (0..=n as u64).map(|j| draw(3000 + j, 3) as u32).collect();
            let tied: Vec<u32> = (0..=n as u64 + 1).map(|j| draw(4000 + j, 2) as u32).collect();
            let every = draw(1, 2) as u32;
            let run = |level| {
                let (mut left, mut right, mut scores) = (left.clone(), right.clone(), vec![0.0; n]);
                squares(level, 1 << 51, &mut left, &mut right);
                let sizes = [1 + seed as u32, 100 + n as u32 + seed as u32];
                purities(level, sizes, [&left, &right], 0.37, 1.2, &mut scores);
                let largest = leave_out(level, every, &class, &tied, &mut scores);
                (left, right, scores, largest)
            };
            let (squared, _, scores, largest) = run(Level::Plain);
            for (j, (&number, &word)) in squared.iter().zip(&left).enumerate() {
                assert_eq!(number, word.to_bits() as f64);
                let may = every | tied[j] | tied[j + 2] | u32::from(class[j] != class[j + 1]);
                assert_eq!(scores[j] > f64::NEG_INFINITY, tied[j + 1] == 0 && may == 1);
            }
            assert_eq!(largest, scores.iter().copied().fold(f64::NEG_INFINITY, f64::max));
            for level in Level::available() {
                assert_eq!(run(level), run(Level::Plain), "{level:?}");
            }
        }
    }
}
