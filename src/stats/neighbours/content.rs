//! The order of rows by their content, in which all sums of doubles over rows are made.
//!
//! Rows are sorted by class, weight, codes, other columns and numeric target. Rows that compare
//! equal agree in everything that scores are made of, so the bits of a score do not depend on the
//! order in which rows were given. Exceptions are `First` and `Listed` of
//! [`NeighbourTies`](super::NeighbourTies), which break ties by the given order. Cost: O(t log t)
//! comparisons, most of them of one number that packs the class and the first codes.

use super::columns::{NominalRows, Other};
use std::cmp::Ordering;

/// Row numbers sorted by content; `numbers` are empty without a numeric target, `weights` if all
/// rows count once.
pub(super) fn order(
    codes: NominalRows<'_>,
    others: &[Other],
    classes: &[u16],
    numbers: &[f64],
    weights: &[f64],
) -> Vec<u32> {
    // (key, row): most comparisons end at the key
    let keyed = |row: usize| (sort_key(classes[row], codes, row), row as u32);
    let mut rows: Vec<(u64, u32)> = (0..classes.len()).map(keyed).collect();
    let by_rest = |a: usize, b: usize| {
        let codes_after_key =
            |row: usize| codes.part(row, PACKED_CODES.min(codes.columns)..codes.columns);
        let by_others = || others.iter().map(|other| other.compare(a, b)).find(|o| o.is_ne());
        let by_codes = codes_after_key(a).cmp(codes_after_key(b));
        let by_number = || match numbers {
            [] => Ordering::Equal,
            _ => numbers[a].total_cmp(&numbers[b]),
        };
        let by_others = || by_others().unwrap_or_else(by_number);
        by_codes.then_with(by_others).then(a.cmp(&b))
    };
    rows.sort_unstable_by(|&(x, a), &(y, b)| {
        let (a, b) = (a as usize, b as usize);
        let by_weight = || match weights {
            [] => Ordering::Equal,
            _ => classes[a].cmp(&classes[b]).then_with(|| weights[a].total_cmp(&weights[b])),
        };
        by_weight().then(x.cmp(&y)).then_with(|| by_rest(a, b))
    });
    rows.into_iter().map(|(_, row)| row).collect()
}

/// Number of codes that fit a sort key beside the class.
const PACKED_CODES: usize = size_of::<u64>() - size_of::<u16>();

/// The class and the first codes of a row as one number, big-endian: it sorts as they do.
fn sort_key(class: u16, codes: NominalRows<'_>, row: usize) -> u64 {
    let first = codes.part(row, 0..PACKED_CODES.min(codes.columns));
    let mut bytes = [0; size_of::<u64>()];
    let (class_bytes, code_bytes) = bytes.split_at_mut(size_of::<u16>());
    class_bytes.copy_from_slice(&class.to_be_bytes());
    code_bytes[..first.len()].copy_from_slice(first);
    u64::from_be_bytes(bytes)
}

impl Other {
    /// Order of two rows by this column; missing numbers come last, and 0.0 equals -0.0.
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
