//! The naive twin of the pass: Algorithm 2 of Vilalta et al. (2001) as a double loop over rows, all
//! features at once.
//!
//! O(t^2 n) with a handful of instructions a cell; the truth that every fast path is compared with,
//! and the faster way for a dozen rows.

use super::counts::PairCounts;
#[cfg(test)]
use super::input::CodeTable;
use super::input::SlotRows;
#[cfg(test)]
use crate::error::Result;

/// Counts of the ordered pairs (i, j), i in `from`, j in `among` (all rows if `None`).
#[cfg(test)]
pub(super) fn pair_counts(
    codes: &CodeTable<'_>,
    from: Option<&[u32]>,
    among: Option<&[u32]>,
) -> Result<PairCounts> {
    let all: Vec<u32> = (0..codes.n_rows() as u32).collect();
    let mut counts = PairCounts::zero(codes.offsets(), codes.n_classes());
    let d = counts.distances();
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
                counts.cells[((slot * counts.n_classes + class) * 4 + case) * d + distance] += pair;
            }
        }
    }
    Ok(counts)
}

/// Add the counts of gathered rows by a double loop; for so few rows that a tile would be mostly
/// empty.
pub(super) fn few_rows(from: &SlotRows, among: &SlotRows, counts: &mut PairCounts) {
    let (n, d) = (from.features, counts.distances());
    let classes = from.starts.len() - 1;
    for class in 0..classes {
        for i in from.starts[class]..from.starts[class + 1] {
            let a = from.row(i);
            for other in 0..classes {
                let other_class = usize::from(other != class);
                for j in among.starts[other]..among.starts[other + 1] {
                    let b = among.row(j);
                    let pair = i64::from(from.weights[i]) * i64::from(among.weights[j]);
                    let distance = n - a.iter().zip(b).filter(|(a, b)| a == b).count();
                    for (a, b) in a.iter().zip(b) {
                        let case = 2 * usize::from(a != b) + other_class;
                        counts.cells
                            [((*a as usize * classes + class) * 4 + case) * d + distance] += pair;
                    }
                }
            }
        }
    }
    counts.pairs += from.total() * among.total();
}
