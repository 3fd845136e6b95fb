//! Exact counts over a dense product domain, by a transform of the table of cells (one axis per
//! feature) instead of pairs of rows.
//!
//! Let `N_c[x]` be the number of rows of class c in cell x, a combination of values of all n
//! features. The rows of class c by distance from x are the coefficients of a polynomial in z: `T_c
//! = (product over features of (I + z (J - I))) N_c`, with J the matrix of ones; this is the
//! Kronecker form of `f(D)` for all decays f at once. An axis of V values takes one pass over the
//! table, which replaces `T[v]` by `T[v] + z (sum over the axis - T[v])`. Pairs that agree on
//! feature k are the coefficients of the product without the factor of k: sums along the axis are
//! divided by `1 + (V - 1) z`, and the remaining factor `1 - z` is applied after summation over
//! cells. Arithmetic is on integers, modulo 2^32 for numbers of rows, so the counts are equal to
//! the counts of the exact pass.
//!
//! O(classes x cells x n^2). Ten times and more faster than the exact pass where rows fill
//! thousands of cells (12 binary features, 50,000 rows); slower where cells outnumber rows or are
//! only a few hundred ([`super::plan::transform_pays`]).

use super::counts::PairCounts;
use super::input::SlotRows;
use crate::error::Result;
use crate::parallel::{self, Control};

/// Number of cells, the product of the numbers of values, unless it overflows.
pub(super) fn cells(rows: &SlotRows) -> Option<usize> {
    let mut values = rows.offsets.windows(2).map(|o| (o[1] - o[0]) as usize);
    values.try_fold(1usize, usize::checked_mul)
}

/// Whether the memory suffices for the tables of the classes that are transformed at a time.
pub(super) fn fits(control: &Control, rows: &SlotRows) -> bool {
    let (d, slots) = (rows.features + 1, rows.n_slots());
    let classes = rows.n_classes();
    let at_once = control.threads().min(classes + 1);
    // 4 bytes per cell and distance, and half as many for the quotients of a binary axis
    let tables = cells(rows).unwrap_or(usize::MAX).saturating_mul(6 * d * at_once);
    // [`DistanceCounts`] of each class and of all classes, and the four cases of the result
    let counts = slots * d * 8 * (2 * classes + 2 * classes + 4 * classes);
    tables.saturating_add(counts + 4 * rows.len()) <= control.budget().left()
}

/// Counts of all ordered pairs of the rows.
///
/// # Errors
/// [`crate::error::Error::Cancelled`].
pub(super) fn count(control: &Control, rows: &SlotRows) -> Result<PairCounts> {
    let classes = rows.n_classes();
    let domain = Domain::new(rows);
    // Pairs of each class with itself, and of all classes with all.
    let counted = parallel::map(control, classes + 1, &|c| {
        let chosen = if c < classes { c..c + 1 } else { 0..classes };
        let table = domain.transform(control, rows, chosen.clone())?;
        domain.sum_pairs(control, rows, &table, chosen)
    })?;
    // The cases are differences of these.
    let mut counts = PairCounts::zero(rows.offsets.clone(), classes);
    let (d, layout) = (domain.d, counts.layout());
    let (of_class, of_all) = (&counted[..classes], &counted[classes]);
    for slot in 0..domain.slots {
        for (class, same) in of_class.iter().enumerate() {
            let to = &mut counts.cells[layout.start(slot, class, 0)..][..4 * d];
            for i in 0..d {
                let (a, b) = (slot * d + i, (slot * classes + class) * d + i);
                to[i] = same.same_value[a];
                to[d + i] = of_all.same_value[b] - same.same_value[a];
                to[2 * d + i] = same.all[a] - same.same_value[a];
                to[3 * d + i] = of_all.all[b] - same.all[a] - to[d + i];
            }
        }
    }
    counts.pairs = rows.total() * rows.total();
    Ok(counts)
}

/// Pairs (i, j) of some classes, `[slot of i][class of i][distance]`.
struct DistanceCounts {
    /// Pairs that agree on the slot's feature.
    same_value: Vec<i64>,
    all: Vec<i64>,
}

/// Axis of the table for one feature.
#[derive(Debug, Clone, Copy)]
struct DomainAxis {
    values: usize,
    /// Cells from one value to the next.
    step: usize,
}

impl DomainAxis {
    /// First cell of every line along the axis, in a table of `cells` cells.
    fn lines(self, cells: usize) -> impl Iterator<Item = usize> {
        let step = self.step;
        (0..cells).step_by(step * self.values).flat_map(move |block| block..block + step)
    }
}

/// The combinations of values of all features.
struct Domain {
    cells: usize,
    slots: usize,
    /// Number of distances.
    d: usize,
    axes: Vec<DomainAxis>,
    /// Cell of each row.
    cell: Vec<u32>,
}

impl Domain {
    fn new(rows: &SlotRows) -> Self {
        let n = rows.features;
        let mut axes = Vec::with_capacity(n);
        let mut cells = 1;
        for o in rows.offsets.windows(2) {
            let values = (o[1] - o[0]) as usize;
            axes.push(DomainAxis { values, step: cells });
            cells *= values;
        }
        let of_row = |i: usize| {
            let places = rows.row(i).iter().zip(&rows.offsets).zip(&axes);
            places.map(|((&slot, &first), axis)| (slot - first) * axis.step as u32).sum()
        };
        let cell = (0..rows.len()).map(of_row).collect();
        Self { cells, slots: rows.offsets[n] as usize, d: n + 1, axes, cell }
    }

    /// Rows of the given classes by distance from every cell, `[cell][distance]`.
    fn transform(
        &self,
        control: &Control,
        rows: &SlotRows,
        classes: std::ops::Range<usize>,
    ) -> Result<Vec<u32>> {
        let d = self.d;
        let mut table = vec![0u32; self.cells * d];
        for i in rows.starts[classes.start]..rows.starts[classes.end] {
            table[self.cell[i] as usize * d] += rows.weights[i];
        }
        let (mut sum, mut before) = (vec![0u32; d], vec![0u32; d]);
        for (done, &axis) in self.axes.iter().enumerate() {
            let DomainAxis { values, step } = axis;
            control.check()?;
            // after this axis the largest distance is `done + 1`; higher coefficients are zero
            let live = done + 2;
            for line in axis.lines(self.cells) {
                let at = |v: usize| (line + v * step) * d;
                sum[..live].fill(0);
                for v in 0..values {
                    sum[..live]
                        .iter_mut()
                        .zip(&table[at(v)..])
                        .for_each(|(s, &x)| *s = s.wrapping_add(x));
                }
                for v in 0..values {
                    let cell = &mut table[at(v)..][..live];
                    before[..live].copy_from_slice(cell);
                    let shifted = sum.iter().zip(&before);
                    for (x, (&s, &b)) in cell[1..].iter_mut().zip(shifted) {
                        *x = x.wrapping_add(s.wrapping_sub(b));
                    }
                }
            }
        }
        Ok(table)
    }

    /// Pairs (i, j) with i in the given classes and j any row in `table`, the transformed rows.
    fn sum_pairs(
        &self,
        control: &Control,
        rows: &SlotRows,
        table: &[u32],
        classes: std::ops::Range<usize>,
    ) -> Result<DistanceCounts> {
        let (d, n_classes) = (self.d, classes.len());
        let size = self.slots * n_classes * d;
        let mut counts = DistanceCounts { same_value: vec![0; size], all: vec![0; size] };
        let at = |slot: usize, class: usize| (slot * n_classes + class - classes.start) * d;
        // All pairs: the distances from the cell of row i, for each of its slots.
        for class in classes.clone() {
            for i in rows.class_rows(class) {
                let weight = i64::from(rows.weights[i]);
                let from = &table[self.cell[i] as usize * d..][..d];
                for &slot in rows.row(i) {
                    let to = &mut counts.all[at(slot as usize, class)..][..d];
                    to.iter_mut().zip(from).for_each(|(to, &x)| *to += weight * i64::from(x));
                }
            }
        }
        for (k, &axis) in self.axes.iter().enumerate() {
            let DomainAxis { values, step } = axis;
            control.check()?;
            // The sum of each line along axis k, divided by 1 + (V - 1) z.
            let others = (values - 1) as u32;
            let mut quotient = vec![0u32; self.cells / values * d];
            for (line, out) in axis.lines(self.cells).zip(quotient.chunks_exact_mut(d)) {
                for v in 0..values {
                    let cell = &table[(line + v * step) * d..][..d];
                    out.iter_mut().zip(cell).for_each(|(s, &x)| *s = s.wrapping_add(x));
                }
                for i in 1..d {
                    out[i] = out[i].wrapping_sub(others.wrapping_mul(out[i - 1]));
                }
            }
            // Summed over the rows of each value.
            let first = rows.offsets[k] as usize;
            for class in classes.clone() {
                for i in rows.class_rows(class) {
                    let weight = i64::from(rows.weights[i]);
                    let cell = self.cell[i] as usize;
                    let line = cell / (step * values) * step + cell % step;
                    let slot = rows.row(i)[k] as usize;
                    let to = &mut counts.same_value[at(slot, class)..][..d];
                    let from = &quotient[line * d..][..d];
                    to.iter_mut().zip(from).for_each(|(to, &x)| *to += weight * i64::from(x));
                }
            }
            // All pairs are `1 - z` times the pairs that agree on feature k, plus z times their sum
            // along the axis. So the pairs that agree are `(all - z line) / (1 - z)`.
            let range = first * n_classes * d..(first + values) * n_classes * d;
            let sums = counts.same_value[range.clone()]
                .chunks_exact_mut(d)
                .zip(counts.all[range].chunks_exact(d));
            for (same, all) in sums {
                let (mut line_before, mut out_before) = (0, 0);
                for (x, &a) in same.iter_mut().zip(all) {
                    let out = a - line_before + out_before;
                    (line_before, out_before) = (*x, out);
                    *x = out;
                }
            }
        }
        Ok(counts)
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::Random;
    use super::super::{CodeColumn, CodeTable, CodeValues, pair_counts};
    use super::*;
    use crate::memory::Budget;
    use crate::simd::Kernels;

    #[test]
    fn the_transform_counts_what_the_double_loop_counts() {
        let mut seen = 0;
        for seed in 0..400 {
            let random = Random::new(seed, 80, 6);
            let codes = random.codes();
            let rows = SlotRows::gather(Budget::default(), &codes, None, &|_| 0).unwrap();
            if rows.len() == 0 || cells(&rows).is_none_or(|c| c > 20_000) {
                continue;
            }
            seen += 1;
            for threads in [1, 3] {
                let mut found = count(&Control::new(threads), &rows).unwrap();
                found.check_sums().unwrap();
                let truth = super::super::naive::pair_counts(&codes, None, None).unwrap();
                found.pairs = truth.pairs;
                assert_eq!(found, truth, "seed {seed}");
            }
        }
        assert!(seen > 100);
    }

    #[test]
    fn it_is_taken_where_rows_fill_the_cells_and_changes_nothing() {
        let t = 9000u32;
        let mix = |i: u32, k: u32| {
            (i.wrapping_mul(2_654_435_761).wrapping_add(k * 40_503) >> (7 + k)) & 1
        };
        let columns: Vec<Vec<u8>> =
            (0..10).map(|k| (0..t).map(|i| mix(i, k) as u8).collect()).collect();
        let classes: Vec<u16> =
            (0..t).map(|i| ((mix(i, 0) ^ mix(i, 3)) + u32::from(i % 11 == 0)) as u16).collect();
        let of = |c: &'static [usize]| {
            c.iter()
                .map(|&k| CodeColumn { values: CodeValues::U8(&columns[k]), levels: 2 })
                .collect::<Vec<_>>()
        };
        let all = CodeTable::new(of(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]), &classes, 3, None).unwrap();
        let rows = SlotRows::gather(Budget::default(), &all, None, &|_| 0).unwrap();
        assert!(super::super::plan::transform_pays(&rows));
        let control = Control::new(1);
        let halves: Vec<Vec<u32>> = vec![(0..t / 2).collect(), (t / 2..t).collect()];
        let whole = pair_counts(&control, Kernels::active(), &all, None, None).unwrap();
        let mut sum =
            pair_counts(&control, Kernels::active(), &all, Some(&halves[0]), None).unwrap();
        sum.add(&pair_counts(&control, Kernels::active(), &all, Some(&halves[1]), None).unwrap())
            .unwrap();
        assert_eq!(whole, sum);
        let cancelled = Control::new(1);
        cancelled.cancel();
        assert!(count(&cancelled, &rows).is_err());
    }
}
