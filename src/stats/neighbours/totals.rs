//! Totals of the columns that scores start from: levels, and the mean distance of SURF.

use super::NeighbourRows;
use super::select::Multiclass;
use crate::error::Result;
use crate::parallel::{self, Control};

/// Facts about the nominal columns.
pub(super) struct NominalTotals {
    /// Number of codes of each: the largest and one.
    pub levels: Vec<u16>,
    /// Sum of the distances of all ordered pairs, if asked for: `sum over k of t^2 - sum over v of
    /// n_kv^2`.
    pub distances: u128,
}

impl NominalTotals {
    pub(super) fn new(
        control: &Control,
        rows: &NeighbourRows<'_>,
        with_distances: bool,
    ) -> Result<Self> {
        // counts of values take a kilobyte a column
        let width = if with_distances { 64 } else { 1024 };
        let t = rows.len() as u128;
        let parts = parallel::map(control, rows.codes.columns.div_ceil(width), |b| {
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
                    sum +=
                        t * t - count.iter().map(|&c| u128::from(c) * u128::from(c)).sum::<u128>();
                }
            }
            Ok((levels, sum))
        })?;
        let distances = parts.iter().map(|p| p.1).sum();
        Ok(Self { levels: parts.into_iter().flat_map(|p| p.0).collect(), distances })
    }
}

/// Number of codes of each of some columns, the largest and one, from their rows.
pub(super) fn levels<'a>(columns: usize, rows: impl Iterator<Item = &'a [u8]>) -> Vec<u16> {
    let mut most = vec![0u8; columns];
    for row in rows {
        most.iter_mut().zip(row).for_each(|(m, &c)| *m = (*m).max(c));
    }
    most.into_iter().map(|m| u16::from(m) + 1).collect()
}

/// SURF's mean distance for complete nominal columns and no weights, without a pass over pairs.
pub(super) fn mean_distance(
    rows: &NeighbourRows<'_>,
    counted: &NominalTotals,
    multiclass: Multiclass,
) -> f64 {
    counted.distances as f64 / mean_pairs(rows, multiclass)
}

/// Weight of the pairs over which SURF's mean distance is taken: all of different copies, or
/// self-pairs as well.
pub(super) fn mean_pairs(rows: &NeighbourRows<'_>, multiclass: Multiclass) -> f64 {
    let all = rows.mass.total * rows.mass.total;
    let itself = |row| rows.mass.of(row) * (rows.mass.of(row) - rows.mass.copies(row));
    let own: f64 = (0..rows.len()).map(itself).sum();
    let pairs = if multiclass == Multiclass::Rebate { all } else { all - own };
    if pairs > 0.0 { pairs } else { 1.0 }
}
