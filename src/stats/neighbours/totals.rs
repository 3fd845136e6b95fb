//! Totals over the complete nominal columns that a search starts from.
//!
//! [`NominalTotals`] has the number of levels of each column and, for SURF, the sum of all
//! distances from counts of values: O(rows x columns) instead of a pass over all pairs of rows.

use super::rows::{CheckedWeights, NeighbourRows};
use super::select::Multiclass;
use crate::error::Result;
use crate::parallel::{self, Control};

/// Totals of the complete nominal columns.
pub(super) struct NominalTotals {
    /// Number of levels of each column: its largest code plus one.
    pub levels: Vec<u16>,
    /// Sum of the distances of all ordered pairs of t rows, if asked for:
    /// `sum_k (t^2 - sum_v n_kv^2)`, n_kv rows with value v in column k.
    pub distances: u128,
}

impl NominalTotals {
    /// Count the columns in parallel, a block of columns per task.
    pub(super) fn new(
        control: &Control,
        rows: &NeighbourRows<'_>,
        with_distances: bool,
    ) -> Result<Self> {
        // columns per task: counts of 256 values take a kilobyte per column
        let width = if with_distances { 64 } else { 1024 };
        let t = rows.len() as u128;
        let parts = parallel::map(control, rows.codes.columns.div_ceil(width), &|b| {
            control.check()?;
            let columns = b * width..((b + 1) * width).min(rows.codes.columns);
            let levels =
                levels(columns.len(), (0..rows.len()).map(|i| rows.part(i, columns.clone())));
            let mut sum = 0u128;
            if with_distances {
                let mut counts = vec![[0u32; 256]; columns.len()];
                for i in 0..rows.len() {
                    let codes = rows.part(i, columns.clone());
                    counts.iter_mut().zip(codes).for_each(|(count, &c)| count[usize::from(c)] += 1);
                }
                for count in &counts {
                    let equal = count.iter().map(|&c| u128::from(c) * u128::from(c)).sum::<u128>();
                    sum += t * t - equal;
                }
            }
            Ok((levels, sum))
        })?;
        let mut totals = Self { levels: Vec::new(), distances: 0 };
        for (levels, distances) in parts {
            totals.levels.extend(levels);
            totals.distances += distances;
        }
        Ok(totals)
    }
}

/// Number of levels of each of `columns` columns, from the codes of each row.
pub(super) fn levels<'a>(columns: usize, rows: impl Iterator<Item = &'a [u8]>) -> Vec<u16> {
    let mut most = vec![0u8; columns];
    for row in rows {
        most.iter_mut().zip(row).for_each(|(m, &c)| *m = (*m).max(c));
    }
    most.into_iter().map(|m| u16::from(m) + 1).collect()
}

/// SURF's mean distance over complete nominal columns of unweighted rows, without a pass over
/// pairs.
pub(super) fn mean_distance(
    rows: &NeighbourRows<'_>,
    counted: &NominalTotals,
    multiclass: Multiclass,
) -> f64 {
    counted.distances as f64 / mean_pairs(&rows.mass, rows.len(), multiclass)
}

/// Weight of the ordered pairs in SURF's mean distance. Pairs of a row with itself count only under
/// [`Multiclass::Rebate`].
pub(super) fn mean_pairs(mass: &CheckedWeights, rows: usize, multiclass: Multiclass) -> f64 {
    let all = mass.total * mass.total;
    let with_itself = |row| mass.weight(row) * (mass.weight(row) - mass.copies(row));
    let self_pairs: f64 = (0..rows).map(with_itself).sum();
    let pairs = if multiclass == Multiclass::Rebate { all } else { all - self_pairs };
    if pairs > 0.0 { pairs } else { 1.0 }
}
