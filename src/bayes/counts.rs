//! How often value and class, and two values and class, occur together.
//!
//! A table has one more row (and column) than there are values, for rows in which the feature is
//! missing, so counting has no branch and the margins "feature known" are sums. Weights are whole
//! numbers of units while they are summed, so a table does not depend on the order of the rows;
//! pairs are counted in parallel, each by one thread.

use super::Input;
use crate::error::{Error, Result};
use crate::parallel::{self, Control};

/// Largest number of cells of all pair tables together (1 GiB).
const LARGEST: usize = 1 << 27;

/// Weight of each (value, class): `[value * classes + class]`, the last value being "missing".
pub fn single_table(input: &Input, feature: usize) -> Vec<f64> {
    let k = input.n_classes();
    let mut sums = vec![0_i64; (input.arity(feature) + 1) * k];
    for ((&v, &c), &w) in input.codes[feature].iter().zip(&input.classes).zip(&input.weights) {
        sums[v as usize * k + c as usize] += w;
    }
    sums.iter().map(|&s| s as f64 * input.unit).collect()
}

/// Weight of each (value of `first`, value of `second`, class), missing last.
#[derive(Debug, Clone, PartialEq)]
pub struct PairTable {
    /// Values of the first feature, "missing" not counted.
    pub first: usize,
    /// Values of the second feature.
    pub second: usize,
    /// Classes.
    pub classes: usize,
    /// `[(a * (second + 1) + b) * classes + class]`.
    pub cells: Vec<f64>,
}

impl PairTable {
    /// Count one pair of features.
    pub fn count(input: &Input, i: usize, j: usize) -> Self {
        let (first, second, classes) = (input.arity(i), input.arity(j), input.n_classes());
        let mut sums = vec![0_i64; (first + 1) * (second + 1) * classes];
        let rows =
            input.codes[i].iter().zip(&input.codes[j]).zip(&input.classes).zip(&input.weights);
        for (((&a, &b), &c), &w) in rows {
            sums[(a as usize * (second + 1) + b as usize) * classes + c as usize] += w;
        }
        let cells = sums.iter().map(|&s| s as f64 * input.unit).collect();
        Self { first, second, classes, cells }
    }

    /// One cell; `a == first` or `b == second` is "missing".
    #[inline]
    pub fn at(&self, a: usize, b: usize, class: usize) -> f64 {
        self.cells[(a * (self.second + 1) + b) * self.classes + class]
    }
}

/// `f(i, j, table)` for all pairs i < j in lexicographic order, in parallel.
pub fn pair_tables<R: Send>(
    input: &Input,
    control: &Control,
    f: impl Fn(usize, usize, PairTable) -> Result<R> + Sync + Send,
) -> Result<Vec<R>> {
    let p = input.features();
    let pairs: Vec<(usize, usize)> = (0..p).flat_map(|i| (i + 1..p).map(move |j| (i, j))).collect();
    parallel::map(control, pairs.len(), |at| {
        control.check()?;
        let (i, j) = pairs[at];
        affordable(
            (input.arity(i) + 1)
                .saturating_mul(input.arity(j) + 1)
                .saturating_mul(input.n_classes()),
        )?;
        f(i, j, PairTable::count(input, i, j))
    })
}

/// Place of the pair (i, j), i < j, in lexicographic order.
pub fn pair_index(p: usize, i: usize, j: usize) -> usize {
    i * (2 * p - i - 1) / 2 + j - i - 1
}

/// Cells of all pair tables together; an error when they would not fit.
pub fn affordable_pairs(arities: &[usize], classes: usize) -> Result<()> {
    let mut sum = 0_usize;
    let mut before = 0_usize;
    for &a in arities {
        sum = sum.saturating_add((a + 1).saturating_mul(before));
        before += a + 1;
    }
    affordable(sum.saturating_mul(classes))
}

fn affordable(cells: usize) -> Result<()> {
    if cells <= LARGEST {
        return Ok(());
    }
    Err(Error::Data(format!(
        "the tables of pairs of features would have {cells} cells, at most {LARGEST} are \
         supported: drop identifiers \
         and columns with very many levels, or use fewer bins"
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_numbered_in_order() {
        for p in 2..7 {
            let pairs = (0..p).flat_map(|i| (i + 1..p).map(move |j| (i, j)));
            for (at, (i, j)) in pairs.enumerate() {
                assert_eq!(pair_index(p, i, j), at);
            }
        }
        assert!(affordable_pairs(&[70_000, 70_000], 2).is_err());
        assert!(affordable_pairs(&[10; 100], 26).is_ok());
    }
}
