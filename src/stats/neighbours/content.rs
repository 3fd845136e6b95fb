//! The order of rows by what they hold, so that sums of doubles over rows are the same bits for any
//! order in which the rows come.
//!
//! Class first, then weight, codes and other columns; rows that compare equal are the same in all
//! that scores are made of. Only ties between neighbours that are told apart by row number
//! ([`NeighbourTies::First`](super::NeighbourTies)) look at the order in which rows came. Cost
//! O(t log t) comparisons, most of which see one number of sixteen codes.

use super::{NominalRows, Other};
use std::cmp::Ordering;

/// The given rows in the order of their content; `weights` are empty if all rows count once.
pub(super) fn order(
    codes: NominalRows<'_>,
    others: &[Other],
    classes: &[u16],
    weights: &[f64],
) -> Vec<u32> {
    let rows = (0..classes.len()).map(|row| (first_codes(codes, row), row as u32));
    let mut rows: Vec<(u128, u32)> = rows.collect();
    let weight = |row: usize| weights.get(row).copied().unwrap_or(1.0);
    rows.sort_unstable_by(|&(first, a), &(second, b)| {
        let (a, b) = (a as usize, b as usize);
        let part = |row: usize| codes.part(row, FIRST.min(codes.columns)..codes.columns);
        let by_others = || others.iter().map(|other| other.compare(a, b)).find(|o| o.is_ne());
        classes[a]
            .cmp(&classes[b])
            .then_with(|| weight(a).total_cmp(&weight(b)))
            .then(first.cmp(&second))
            .then_with(|| part(a).cmp(part(b)))
            .then_with(|| by_others().unwrap_or(Ordering::Equal))
            .then(a.cmp(&b))
    });
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Codes that are compared as one number.
const FIRST: usize = size_of::<u128>();

/// The first codes of a row as a number that compares as they do.
fn first_codes(codes: NominalRows<'_>, row: usize) -> u128 {
    let first = codes.part(row, 0..FIRST.min(codes.columns));
    let mut bytes = [0; FIRST];
    bytes[..first.len()].copy_from_slice(first);
    u128::from_be_bytes(bytes)
}

/// Values by row in another order; no values stay none.
pub(super) fn taken<T: Copy>(values: &[T], order: &[u32]) -> Vec<T> {
    if values.is_empty() {
        return Vec::new();
    }
    order.iter().map(|&row| values[row as usize]).collect()
}

impl Other {
    /// Which of two rows comes first by this column; missing numbers come last, and zeros of both
    /// signs are alike.
    fn compare(&self, a: usize, b: usize) -> Ordering {
        match self {
            Self::Numbers { values, .. } => {
                let (x, y) = (values[a], values[b]);
                x.partial_cmp(&y).unwrap_or_else(|| x.is_nan().cmp(&y.is_nan()))
            }
            Self::Nominal { codes, .. } => codes[a].cmp(&codes[b]),
        }
    }
}
