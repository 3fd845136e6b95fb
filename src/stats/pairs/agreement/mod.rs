//! Pairs that agree on a set of features: what the scores of the framework are averages of, linear
//! in the rows.
//!
//! Keep each of n features with probability `q = 1 - 2^-alpha`, independently. A pair of rows at
//! distance D agrees on all features kept with probability `(1 - q)^D = 2^(-alpha D)`: the
//! exponential decay of Vilalta, Brodie, Oblinger & Rish (2001) is an average over sets of features
//! of plain group-by counts. D counts the scored feature k as any other. Rows that agree on S and
//! have one value of k agree on S with k; rows with two values of k can agree on S without k only,
//! and the k in their distance is a factor `2^-alpha`. So
//!
//! `R_k[case] = E_S[ pairs of the case that agree on S with k ]` for cases 1 and 2, `2^-alpha E_S[
//! pairs that agree on S without k ]` for cases 3 and 4.
//!
//! [`agreement`] counts all four for every feature and given sets, exactly; which sets, and the
//! average, is the business of its caller. Sums are whole numbers until the last step: no result
//! depends on threads. A set costs O(t n), a few nanoseconds at most a cell. Not for a few thousand
//! rows: there the exact pass is as quick.

mod refine;
mod removals;
mod rows;
mod sums;
#[cfg(test)]
mod tests;

use super::input::CodeTable;
use crate::error::{Error, Result};
use crate::parallel::{self, Control};
use refine::{RefineScratch, refine};
use removals::Removals;
use rows::RowTable;
use sums::{GroupNumbers, GroupedRows, PairSums};

/// Pairs of one set of features: for each feature the four cases, the first two over the pairs that
/// agree on the set and the feature, the last two over those that agree on the set without it.
pub type Agreement = Vec<[f64; 4]>;

/// Ordered pairs of each set (ascending numbers of features, none twice) by feature and case,
/// summed over the values of the feature: plain, or each value's with its share of the rows.
///
/// # Errors
/// [`Error::Data`] for a set that is not ascending or names a feature that does not exist;
/// [`Error::Cancelled`].
pub fn agreement(
    control: &Control,
    codes: &CodeTable<'_>,
    sets: &[&[u32]],
    shares: bool,
) -> Result<Vec<Agreement>> {
    let n = codes.columns().len();
    for (i, set) in sets.iter().enumerate() {
        if set.iter().any(|&k| k as usize >= n) || set.windows(2).any(|w| w[0] >= w[1]) {
            return Err(Error::Data(format!("set {i}: features are ascending numbers below {n}")));
        }
    }
    control.expect(sets.len() as u64);
    let table = RowTable::new(control, codes)?;
    parallel::map(control, sets.len(), |i| {
        let found = one(control, &table, sets[i], shares)?;
        control.advance(1);
        Ok(found)
    })
}

fn one(control: &Control, table: &RowTable<'_>, set: &[u32], shares: bool) -> Result<Agreement> {
    let mut scratch = RefineScratch::default();
    let mut groups = GroupNumbers { of: vec![0; table.len()], size: 1 };
    let limit = (table.len() / 8).max(64);
    for &k in set {
        control.check()?;
        let column = table.columns[k as usize].values();
        groups.size = refine(
            &mut groups.of,
            groups.size,
            column,
            table.levels[k as usize],
            limit,
            &mut scratch,
        );
    }
    drop(scratch);
    let mut removals = Removals::new(table, set, &groups);
    let sums = GroupedRows::new(table, groups).sums(control)?;
    let mut found: Agreement = (0..table.columns.len())
        .map(|k| cases(table, k, &sums[table.offsets[k]..table.offsets[k + 1]], shares))
        .collect();
    removals.each(control, |k, sums| {
        let k = k as usize;
        found[k][2..].copy_from_slice(&cases(table, k, &sums, shares)[2..]);
    })?;
    Ok(found)
}

/// The four cases of a feature, each rounded once.
fn cases(table: &RowTable<'_>, k: usize, sums: &[PairSums], shares: bool) -> [f64; 4] {
    let of_value = &table.of_slot[table.offsets[k]..table.offsets[k + 1]];
    let all: u64 = of_value.iter().sum();
    let mut counts = [0i128; 4];
    for (&[both, value, class, any], &n) in sums.iter().zip(of_value) {
        let share = if shares { i128::from(n) } else { 1 };
        let [both, value, class, any] = [both, value, class, any].map(i128::from);
        let of_cases = [both, value - both, class - both, any - value - class + both];
        counts.iter_mut().zip(of_cases).for_each(|(to, n)| *to += share * n);
    }
    let unit = if shares { all.max(1) as f64 } else { 1.0 };
    counts.map(|n| n as f64 / unit)
}
