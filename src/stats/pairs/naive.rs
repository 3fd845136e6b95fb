//! Counts of pairs by a double loop over rows: Algorithm 2 of Vilalta et al. (2001), all features at
//! once.
//!
//! The reference with which tests compare every other method, and the fastest method for a few
//! dozen rows ([`super::plan::is_few`]). O(t^2 n) for t rows of n features, with a handful of
//! instructions per pair and feature.

use super::counts::PairCounts;
#[cfg(test)]
use super::input::CodeTable;
use super::input::{SlotRows, distance};
#[cfg(test)]
use crate::error::Result;

/// Counts of the ordered pairs (i, j) with i in `from` and j in `among` (all rows if `None`), from
/// the table itself: independent of [`SlotRows`].
#[cfg(test)]
pub(super) fn pair_counts(
    codes: &CodeTable<'_>,
    from: Option<&[u32]>,
    among: Option<&[u32]>,
) -> Result<PairCounts> {
    let all: Vec<u32> = (0..codes.n_rows() as u32).collect();
    let mut counts = PairCounts::zero(codes.offsets(), codes.n_classes());
    for &i in from.unwrap_or(&all) {
        for &j in among.unwrap_or(&all) {
            let (i, j) = (i as usize, j as usize);
            let pair = i64::from(codes.weight(i)) * i64::from(codes.weight(j));
            counts.pairs += pair as u64;
            let differ = |c: &super::CodeColumn<'_>| c.values.code(i) != c.values.code(j);
            let distance = codes.columns().iter().filter(|c| differ(c)).count();
            let class = usize::from(codes.classes()[i]);
            let other_class = usize::from(codes.classes()[i] != codes.classes()[j]);
            for (k, c) in codes.columns().iter().enumerate() {
                let case = 2 * usize::from(differ(c)) + other_class;
                let slot = counts.offsets[k] as usize + c.values.code(i);
                let cell = counts.layout().start(slot, class, case) + distance;
                counts.cells[cell] += pair;
            }
        }
    }
    Ok(counts)
}

/// Add the counts of the ordered pairs (i, j) of gathered rows, i in `columns` and j in `active`.
pub(super) fn few_rows(columns: &SlotRows, active: &SlotRows, counts: &mut PairCounts) {
    let (classes, layout) = (columns.n_classes(), counts.layout());
    for class in 0..classes {
        for i in columns.class_rows(class) {
            let a = columns.row(i);
            for other in 0..classes {
                let other_class = usize::from(other != class);
                for j in active.class_rows(other) {
                    let b = active.row(j);
                    let pair = i64::from(columns.weights[i]) * i64::from(active.weights[j]);
                    let distance = distance(a, b);
                    for (&slot, &slot_of_b) in a.iter().zip(b) {
                        let case = 2 * usize::from(slot != slot_of_b) + other_class;
                        let cell = layout.start(slot as usize, class, case) + distance;
                        counts.cells[cell] += pair;
                    }
                }
            }
        }
    }
    counts.pairs += columns.total() * active.total();
}
