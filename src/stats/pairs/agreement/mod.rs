//! Pairs that agree on a set of features, counted in time linear in the rows; Monte Carlo estimates
//! of the framework's scores are averages of these counts over random sets.
//!
//! Keep each of n features with probability `q = 1 - 2^-alpha`, independently. A pair of rows at
//! distance D agrees on all features kept with probability `(1 - q)^D = 2^(-alpha D)`. So the
//! exponential decay of Vilalta, Brodie, Oblinger & Rish (2001) is an average of group-by counts
//! over sets S of features. D includes the scored feature k. Pairs that agree on k and on S agree
//! on S + k; pairs that differ on k can agree only on S - k, and k adds a factor `2^-alpha`. Hence
//!
//! `R_k[case] = E_S[pairs of the case that agree on S + k]` for cases 1 and 2, and `2^-alpha
//! E_S[pairs of the case that agree on S - k]` for cases 3 and 4.
//!
//! [`agreement`] counts all four cases exactly for every feature and given sets; its caller, the
//! estimates of the Python package, draws the sets and averages. Sums are integers until the last
//! step, so results do not depend on threads. O(t n) per set for t rows, a few nanoseconds per cell
//! at most. For up to a few thousand rows the exact pass is as fast.

mod removals;
mod rows;
mod sums;
#[cfg(test)]
mod tests;

use super::input::{CodeTable, CodeValues};
use crate::error::{Error, Result};
use crate::parallel::{self, Control};
use crate::stats::groups::{GroupNumbers, RefineScratch};
use removals::Removals;
use rows::RowTable;
use sums::{GroupedRows, PairSums};

/// Ordered pairs for one set S of features, `[feature][case]`: in cases 1 and 2 the pairs that
/// agree on S and the feature, in cases 3 and 4 those that agree on S without the feature and
/// differ on it.
pub type Agreement = Vec<[f64; 4]>;

/// Ordered pairs for each set (ascending numbers of features, none twice), summed over the values
/// of each feature; with `shares`, each value is weighted by its share of the rows.
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
    control.set_total(sets.len() as u64);
    let table = RowTable::new(control, codes)?;
    parallel::map(control, sets.len(), &|i| {
        let found = of_set(control, &table, sets[i], shares)?;
        control.advance(1);
        Ok(found)
    })
}

/// Ordered pairs for one set.
fn of_set(control: &Control, table: &RowTable<'_>, set: &[u32], shares: bool) -> Result<Agreement> {
    // Group the rows that agree on the set. Few groups may have gaps in their numbers: tables over
    // them are still small beside the rows.
    let mut scratch = RefineScratch::default();
    let mut groups = GroupNumbers::single_group(table.len());
    let limit = (table.len() / 8).max(64);
    for &k in set {
        control.check()?;
        let levels = table.levels[k as usize];
        match table.columns[k as usize].values() {
            CodeValues::U8(c) => groups.refine(c, levels, limit, &mut scratch),
            CodeValues::U16(c) => groups.refine(c, levels, limit, &mut scratch),
        }
    }
    drop(scratch);
    // Count all four cases in these groups; that is final for the features that are not in the set.
    let mut rows = GroupedRows::new(table, groups);
    let mut removals = Removals::new(table, set, &rows);
    let sums = rows.sums(control)?;
    drop(rows);
    let mut found: Agreement = (0..table.columns.len())
        .map(|k| cases(table, k, &sums[table.offsets[k]..table.offsets[k + 1]], shares))
        .collect();
    // For a feature of the set, cases 3 and 4 are over the groups without it.
    removals.for_each(control, |k, sums| {
        let k = k as usize;
        found[k][2..].copy_from_slice(&cases(table, k, &sums, shares)[2..]);
    })?;
    Ok(found)
}

/// The four cases of a feature from the sums of its values, each rounded once.
fn cases(table: &RowTable<'_>, k: usize, sums: &[PairSums], shares: bool) -> [f64; 4] {
    let of_value = &table.of_slot[table.offsets[k]..table.offsets[k + 1]];
    let all: u64 = of_value.iter().sum();
    let mut counts = [0i128; 4];
    for (sums, &n) in sums.iter().zip(of_value) {
        let share = if shares { i128::from(n) } else { 1 };
        let PairSums { both, value, class, all } = *sums;
        let [both, value, class, all] = [both, value, class, all].map(i128::from);
        let of_cases = [both, value - both, class - both, all - value - class + both];
        counts.iter_mut().zip(of_cases).for_each(|(to, n)| *to += share * n);
    }
    let unit = if shares { all.max(1) as f64 } else { 1.0 };
    counts.map(|n| n as f64 / unit)
}
