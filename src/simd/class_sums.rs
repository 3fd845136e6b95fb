//! Sums over the classes on both sides of all cuts of a node, class by class, for criteria that are
//! functions of such sums (`grow::nodes::binned`).
//!
//! The number of rows of a class on the left of each cut adds a term to the sum of either side.
//! Sums of squares are whole numbers below 2^31. Sums of logarithms are added in the order of the
//! classes. So all levels, which are compiled from the same loops, give the same bits. O(classes)
//! per cut.

use super::level::for_each_level;

/// Most rows of a node whose sums of squares are below 2^31.
pub const MOST_SQUARED_ROWS: usize = 46_340;

/// The sums of all cuts of a node; each slice has an element per cut.
#[derive(Debug)]
pub struct CutSums<'a, T> {
    /// Rows on the left.
    pub rows: &'a mut [u32],
    /// Sum of the terms of the left side.
    pub left: &'a mut [T],
    /// Sum of the terms of the right side.
    pub right: &'a mut [T],
}

/// Add the terms of one class, `counts[j]` rows of which are on the left of cut j.
#[inline(always)]
fn add<T: Copy + std::ops::AddAssign>(
    counts: &[u32],
    sums: CutSums<'_, T>,
    terms: impl Fn(u32) -> [T; 2],
) {
    let sides = sums.left.iter_mut().zip(sums.right);
    for ((&passed, rows), (left, right)) in counts.iter().zip(sums.rows).zip(sides) {
        *rows += passed;
        let [on_left, on_right] = terms(passed);
        *left += on_left;
        *right += on_right;
    }
}

/// The terms of a class for sums of squares, by its number of rows on the left. The first term is
/// the square of this number. The second term is the square of the rows on the right less the
/// square of all rows of the class.
#[inline(always)]
fn squares(total: u32) -> impl Fn(u32) -> [i32; 2] {
    let twice = 2 * total as i32;
    move |passed| {
        let l = passed as i32;
        [l * l, l * (l - twice)]
    }
}

/// The terms of a class for sums of logarithms: `x log2 x` of its rows on the left and on the
/// right, from a table whose length is a power of two.
#[inline(always)]
fn logarithms(total: u32, table: &[f64]) -> impl Fn(u32) -> [f64; 2] {
    // All counts are below the length. The mask says so to the compiler, which leaves out the
    // check.
    let mask = table.len() - 1;
    move |passed| [passed, total - passed].map(|rows| table[rows as usize & mask])
}

for_each_level! {
    /// Add the squares of one class of `total` rows, `counts[j]` of which are on the left of cut j.
    /// Sums of the right side must begin with the sum of the squares of all classes. Nodes have at
    /// most [`MOST_SQUARED_ROWS`] rows.
    pub fn add_squares(counts: &[u32], total: u32, sums: CutSums<'_, i32>) {
        add(counts, sums, squares(total));
    }
}

for_each_level! {
    /// Add `x log2 x` of one class, as [`add_squares`] does squares. The sums must begin with 0,
    /// and the length of `table`, which has the values from 0 on, is a power of two above `total`.
    pub fn add_logarithms(counts: &[u32], total: u32, table: &[f64], sums: CutSums<'_, f64>) {
        add(counts, sums, logarithms(total, table));
    }
}

for_each_level! {
    /// Convert whole numbers to doubles, which is exact. Sums of squares are added as integers and
    /// scored as doubles; the shorter slice ends the work.
    pub fn to_f64(from: &[i32], to: &mut [f64]) {
        to.iter_mut().zip(from).for_each(|(to, &from)| *to = f64::from(from));
    }
}

for_each_level! {
    /// Set the scores of cuts whose number of rows on the left is outside `[least, most]` to
    /// negative infinity. Returns (the largest of the others, whether one of them is NaN).
    pub fn admit(rows: &[u32], limits: [u32; 2], scores: &mut [f64]) -> (f64, bool) {
        let [least, most] = limits;
        for (&rows, score) in rows.iter().zip(&mut *scores) {
            *score = if rows >= least && rows <= most { *score } else { f64::NEG_INFINITY };
        }
        let nan = scores.iter().fold(false, |any, score| any | score.is_nan());
        let (chunks, rest) = scores.as_chunks::<8>();
        let mut top = [f64::NEG_INFINITY; 8];
        for chunk in chunks {
            for (top, &score) in top.iter_mut().zip(chunk) {
                *top = if score > *top { score } else { *top };
            }
        }
        let top = top.iter().chain(rest);
        (top.fold(f64::NEG_INFINITY, |a, &b| if b > a { b } else { a }), nan)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::mix;
    use crate::simd::Level;

    /// Rows on the left and the sums of both sides of each cut, from the rows of each class.
    fn naive(lefts: &[Vec<u32>], totals: &[u32], term: impl Fn(u32) -> f64) -> Vec<[f64; 3]> {
        let sum = |left: &Vec<u32>| {
            let mut sums = [0.0; 3];
            for (&l, &total) in left.iter().zip(totals) {
                sums[0] += f64::from(l);
                sums[1] += term(l);
                sums[2] += term(total - l);
            }
            sums
        };
        lefts.iter().map(sum).collect()
    }

    fn found(rows: &[u32], left: &[f64], right: &[f64]) -> Vec<[f64; 3]> {
        let sides = left.iter().zip(right);
        rows.iter().zip(sides).map(|(&n, (&l, &r))| [f64::from(n), l, r]).collect()
    }

    /// Let `add` add the terms of each class, and compare with the definition.
    fn compare(
        (lefts, totals): (&[Vec<u32>], &[u32]),
        squares: impl Fn(usize, CutSums<'_, i32>),
        logs: impl Fn(usize, CutSums<'_, f64>),
        table: &[f64],
    ) {
        let cuts = lefts.len();
        let whole: u32 = totals.iter().map(|t| t * t).sum();
        let (mut rows, mut left, mut right) = (vec![0; cuts], vec![0; cuts], vec![0; cuts]);
        right.fill(whole as i32);
        for c in 0..totals.len() {
            let sums = CutSums { rows: &mut rows, left: &mut left, right: &mut right };
            squares(c, sums);
        }
        let (mut left_sums, mut right_sums) = (vec![0.0; cuts], vec![0.0; cuts]);
        to_f64(Level::active(), &left, &mut left_sums);
        to_f64(Level::active(), &right, &mut right_sums);
        let expected = naive(lefts, totals, |n| f64::from(n) * f64::from(n));
        assert_eq!(found(&rows, &left_sums, &right_sums), expected);
        rows.fill(0);
        let (mut left, mut right) = (vec![0.0; cuts], vec![0.0; cuts]);
        for c in 0..totals.len() {
            logs(c, CutSums { rows: &mut rows, left: &mut left, right: &mut right });
        }
        assert_eq!(found(&rows, &left, &right), naive(lefts, totals, |n| table[n as usize]));
    }

    #[test]
    fn cuts_with_few_rows_on_a_side_are_not_admitted() {
        for seed in 0..300 {
            let draw = |i: u64, most: u64| mix(seed, i) % most;
            let rows: Vec<u32> = (0..draw(0, 50)).map(|i| draw(10 + i, 20) as u32).collect();
            let score = |i: usize| match draw(100 + i as u64, 90) {
                0 => f64::NAN,
                score => score as f64 / 7.0,
            };
            let given: Vec<f64> = (0..rows.len()).map(score).collect();
            let limits = [draw(1, 5) as u32, 10 + draw(2, 10) as u32];
            let inside = |n: u32| n >= limits[0] && n <= limits[1];
            let expected: Vec<f64> = (rows.iter().zip(&given))
                .map(|(&n, &s)| if inside(n) { s } else { f64::NEG_INFINITY })
                .collect();
            let top = expected.iter().copied().fold(f64::NEG_INFINITY, f64::max);
            let nan = expected.iter().any(|s| s.is_nan());
            for level in Level::available() {
                let mut scores = given.clone();
                assert_eq!(admit(level, &rows, limits, &mut scores), (top, nan), "{level:?}");
                let bits = |scores: &[f64]| scores.iter().map(|s| s.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&scores), bits(&expected));
            }
        }
    }

    #[test]
    fn sums_are_those_of_the_definition_on_every_level() {
        let table: Vec<f64> =
            (0..65_536).map(|n| f64::from(n) * f64::from(n.max(1)).log2()).collect();
        for seed in 0..200 {
            let draw = |i: u64, most: u64| mix(seed, i) % most;
            let (k, cuts) = (1 + draw(0, 30) as usize, draw(1, 200) as usize);
            let most = MOST_SQUARED_ROWS as u64 / k as u64;
            let totals: Vec<u32> = (0..k as u64).map(|c| draw(10 + c, most + 1) as u32).collect();
            let count = |c: usize, j: usize| draw((100 + c * 1000 + j) as u64, 1 << 40);
            let counts: Vec<Vec<u32>> = (0..k)
                .map(|c| (0..cuts).map(|j| count(c, j) as u32 % (totals[c] + 1)).collect())
                .collect();
            let left = |j: usize| counts.iter().map(|counts| counts[j]).collect();
            let lefts: Vec<Vec<u32>> = (0..cuts).map(left).collect();
            for level in Level::available() {
                compare(
                    (&lefts, &totals),
                    |c, sums| add_squares(level, &counts[c], totals[c], sums),
                    |c, sums| add_logarithms(level, &counts[c], totals[c], &table, sums),
                    &table,
                );
            }
        }
    }
}
