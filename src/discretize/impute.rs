//! What replaces a missing value: the mean of a numeric column, the mode of a nominal one.
//!
//! Both as Weka's ReplaceMissingValues computes them. The mean is a plain running sum in the *original* order
//! of the rows divided by their weight, which fixes its last bit; the mode is the first of the most frequent
//! levels in declared order, its counts exact integers. O(n). Not for columns with informative gaps: a
//! branch of its own keeps those apart.

use crate::data::{Codes, MISSING, NominalColumn, NumericColumn, RowSet, Weights};

/// Mean of the known values in `rows`; nothing when all are missing. `original` gives the original number
/// of each internal row.
pub fn mean(column: &NumericColumn, original: &[u32], rows: &RowSet, weights: &Weights) -> Option<f64> {
    let mut known: Vec<u32> = rows
        .rows()
        .iter()
        .copied()
        .filter(|&row| !column.value(row).is_nan() && !weights.is_zero(row))
        .collect();
    if known.is_empty() {
        return None;
    }
    known.sort_by_key(|&row| original[row as usize]);
    let (sum, weight) = known.iter().fold((0.0, 0.0), |(sum, weight), &row| {
        let w = weights.value(row);
        (sum + w * column.value(row), weight + w)
    });
    let mean: f64 = sum / weight;
    if mean.is_finite() {
        return Some(mean);
    }
    // The sum has overflowed; a mean never does.
    Some(known.iter().map(|&row| weights.value(row) / weight * column.value(row)).sum())
}

/// The most frequent known level in `rows` (the lowest of several); nothing when all are missing.
pub fn mode(column: &NominalColumn, rows: &RowSet, weights: &Weights) -> Option<u32> {
    let mut counts = vec![0_i64; column.levels()];
    let mass = |row: u32| match weights {
        Weights::Unit => 1,
        Weights::Integer(w) => i64::from(w[row as usize]),
        Weights::Fixed { values, .. } => values[row as usize],
    };
    match column.codes() {
        Codes::Narrow(codes) => {
            for &row in rows.rows() {
                if let Some(count) = counts.get_mut(usize::from(codes[row as usize])) {
                    *count += mass(row);
                }
            }
        }
        Codes::Wide(codes) => {
            for &row in rows.rows() {
                if codes[row as usize] != MISSING {
                    counts[codes[row as usize] as usize] += mass(row);
                }
            }
        }
    }
    let most = counts.iter().copied().max().filter(|&most| most > 0)?;
    counts.iter().position(|&count| count == most).map(|level| level as u32)
}
