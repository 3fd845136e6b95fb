//! Contingency tables of the classifiers: (value, class), and (value, value, class) for pairs of
//! features.
//!
//! A table has one more value per feature than the feature has, for rows in which it is missing; so
//! counting has no branch, and sums over known rows are sums of cells. Weights are summed as whole
//! numbers of a unit, so a table does not depend on the order of the rows. Pairs are counted in
//! parallel, each by one thread: about 1 ns per row and pair.

use super::Input;
use crate::error::{Error, Result};
use crate::parallel::{self, Control};

/// Most cells of all pair tables together (1 GiB).
const LARGEST_CELLS: usize = 1 << 27;

/// Weight of each (value, class) of a feature: `[value * classes + class]`, the missing value last.
pub fn single_table(input: &Input, feature: usize) -> Vec<f64> {
    let k = input.n_classes();
    let mut sums = vec![0_i64; (input.arity(feature) + 1) * k];
    for ((&v, &c), &w) in input.codes[feature].iter().zip(&input.classes).zip(&input.weights) {
        sums[v as usize * k + c as usize] += w;
    }
    sums.iter().map(|&s| s as f64 * input.unit).collect()
}

/// Weight of each (value of the first feature, value of the second, class), missing values last.
#[derive(Debug, Clone, PartialEq)]
pub struct PairTable {
    /// Number of values of the first feature, without the missing one.
    pub first: usize,
    /// Number of values of the second feature, without the missing one.
    pub second: usize,
    /// Number of classes.
    pub classes: usize,
    /// `[(a * (second + 1) + b) * classes + class]`.
    pub cells: Vec<f64>,
}

impl PairTable {
    /// Count the pair of features `i` and `j` in one pass over the rows, about 1 ns per row. The
    /// caller checks the number of cells first ([`check_pairs_size`]), which grows with the product
    /// of the arities.
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

    /// Weight of value `a` of the first feature, value `b` of the second and a class; `a == first`
    /// and `b == second` are the missing values.
    #[inline]
    pub fn at(&self, a: usize, b: usize, class: usize) -> f64 {
        self.cells[(a * (self.second + 1) + b) * self.classes + class]
    }
}

/// All pairs i < j of `p` features, in lexicographic order.
pub(super) fn feature_pairs(p: usize) -> Vec<(usize, usize)> {
    let mut pairs = Vec::with_capacity(p * p.saturating_sub(1) / 2);
    for i in 0..p {
        pairs.extend((i + 1..p).map(|j| (i, j)));
    }
    pairs
}

/// Results of `f(i, j, table)` for all pairs i < j, in lexicographic order; computed in parallel.
pub fn pair_tables<R: Send>(
    input: &Input,
    control: &Control,
    f: impl Fn(usize, usize, PairTable) -> Result<R> + Sync + Send,
) -> Result<Vec<R>> {
    let pairs = feature_pairs(input.features());
    parallel::map(control, pairs.len(), &|at| {
        control.check()?;
        let (i, j) = pairs[at];
        check_size(
            (input.arity(i) + 1)
                .saturating_mul(input.arity(j) + 1)
                .saturating_mul(input.n_classes()),
        )?;
        f(i, j, PairTable::count(input, i, j))
    })
}

/// Index of the pair (i, j), i < j < p, among all pairs of `p` features in lexicographic order. It
/// is the place of the pair in the result of [`pair_tables`] and in the file of an AODE.
pub fn pair_index(p: usize, i: usize, j: usize) -> usize {
    i * (2 * p - i - 1) / 2 + j - i - 1
}

/// Check that the tables of all pairs of features with these arities have at most 2^27 cells
/// together (1 GiB). It is called before any table is made, so that a refusal comes at once.
///
/// # Errors
/// [`Error::Data`] with the number of cells, and a remedy.
pub fn check_pairs_size(arities: &[usize], classes: usize) -> Result<()> {
    let mut sum = 0_usize;
    let mut before = 0_usize; // values of the features before
    for &arity in arities {
        sum = sum.saturating_add((arity + 1).saturating_mul(before));
        before += arity + 1;
    }
    check_size(sum.saturating_mul(classes))
}

/// Check that `cells` cells are not too many.
fn check_size(cells: usize) -> Result<()> {
    if cells <= LARGEST_CELLS {
        return Ok(());
    }
    Err(Error::Data(format!(
        "the tables of pairs of features would have {cells} cells, at most {LARGEST_CELLS} are \
         supported: drop identifiers and columns with very many levels, or use fewer bins"
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
        assert!(check_pairs_size(&[70_000, 70_000], 2).is_err());
        assert!(check_pairs_size(&[10; 100], 26).is_ok());
    }
}
