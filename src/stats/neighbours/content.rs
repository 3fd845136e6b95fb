//! The order of rows by what they hold, so that sums of doubles over rows are the same bits for any
//! order in which the rows come.
//!
//! Class first, then weight, codes and other columns; rows that compare equal are the same in all
//! that scores are made of. Only ties between neighbours that are told apart by row number
//! ([`NeighbourTies::First`](super::NeighbourTies)) look at the order in which rows came. Cost
//! O(t log t) comparisons, most of which see one number of class and codes.

use super::columns::{NominalRows, Other};
use std::cmp::Ordering;

/// The given rows in the order of their content; `weights` are empty if all rows count once.
pub(super) fn order(
    codes: NominalRows<'_>,
    others: &[Other],
    classes: &[u16],
    weights: &[f64],
) -> Vec<u32> {
    let first = |row: usize| (first_number(classes[row], codes, row), row as u32);
    let mut rows: Vec<(u64, u32)> = (0..classes.len()).map(first).collect();
    let by_rest = |a: usize, b: usize| {
        let part = |row: usize| codes.part(row, FIRST.min(codes.columns)..codes.columns);
        let by_others = || others.iter().map(|other| other.compare(a, b)).find(|o| o.is_ne());
        let rest = part(a).cmp(part(b));
        rest.then_with(|| by_others().unwrap_or(Ordering::Equal)).then(a.cmp(&b))
    };
    if weights.is_empty() {
        rows.sort_unstable_by_key(|row| row.0);
        let equal = rows.chunk_by_mut(|a, b| a.0 == b.0).filter(|run| run.len() > 1);
        equal.for_each(|run| run.sort_unstable_by(|a, b| by_rest(a.1 as usize, b.1 as usize)));
    } else {
        rows.sort_unstable_by(|&(x, a), &(y, b)| {
            let (a, b) = (a as usize, b as usize);
            let by_class = classes[a].cmp(&classes[b]);
            let by_weight = || weights[a].total_cmp(&weights[b]);
            by_class.then_with(by_weight).then(x.cmp(&y)).then_with(|| by_rest(a, b))
        });
    }
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Codes that are compared as one number with the class.
const FIRST: usize = size_of::<u64>() - size_of::<u16>();

/// The class and the first codes of a row as a number that compares as they do.
fn first_number(class: u16, codes: NominalRows<'_>, row: usize) -> u64 {
    let first = codes.part(row, 0..FIRST.min(codes.columns));
    let mut bytes = [0; size_of::<u64>()];
    bytes[..2].copy_from_slice(&class.to_be_bytes());
    bytes[2..2 + first.len()].copy_from_slice(first);
    u64::from_be_bytes(bytes)
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
