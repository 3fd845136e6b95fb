//! The exact counts of a dense product domain: a transform of the table of cells, one axis a
//! feature, instead of pairs of rows.
//!
//! Let `N_c[x]` be the rows of class c in cell x of the product of all values. The rows of a class
//! by distance from every cell are the coefficients of `T_c = (product over features of (I + z (J -
//! I))) N_c`, a polynomial in z a cell: the Kronecker form of `f(D)` for all f at once. An axis of
//! V values costs one pass: `T[v] + z (sum of its line - T[v])`. Pairs with one value of feature k
//! are the coefficients of the same product without its axis, had by dividing lines by `1 + (V - 1)
//! z`; the remaining factor `1 - z` waits until cells are added up. Numbers are whole all the way,
//! modulo 2^32 where they stand for rows, so the counts are those of the pass, bit for bit.
//! O(classes x cells x n^2) for n features: a gain of ten and more where rows fill thousands of
//! cells (a dozen yes-or-no questions asked 50,000 times), a loss where cells outnumber rows or are
//! a few hundred ([`super::plan`]).

use super::counts::PairCounts;
use super::input::SlotRows;
use crate::error::Result;
use crate::parallel::{self, Control};

/// Cells of the product of all values, if a number can hold them.
pub(super) fn cells(rows: &SlotRows) -> Option<usize> {
    let mut values = rows.offsets.windows(2).map(|o| (o[1] - o[0]) as usize);
    values.try_fold(1usize, usize::checked_mul)
}

/// Whether the budget has room for the tables of all classes at a time.
pub(super) fn fits(control: &Control, rows: &SlotRows) -> bool {
    let (d, slots) = (rows.features + 1, rows.n_slots());
    let classes = rows.n_classes();
    let at_once = control.threads().min(classes + 1);
    let tables = cells(rows).unwrap_or(usize::MAX).saturating_mul(6 * d * at_once);
    let parts = slots * d * 8 * (2 * classes + 2 * classes + 4 * classes);
    tables.saturating_add(parts + 4 * rows.len()) <= control.budget().left()
}

/// All ordered pairs of the rows.
///
/// # Errors
/// [`crate::error::Error::Cancelled`].
pub(super) fn count(control: &Control, rows: &SlotRows) -> Result<PairCounts> {
    let classes = rows.n_classes();
    let domain = Domain::new(rows);
    // the last one takes the rows of all classes
    let parts = parallel::map(control, classes + 1, |c| {
        let chosen = if c < classes { c..c + 1 } else { 0..classes };
        let table = domain.transformed(control, rows, chosen.clone())?;
        domain.added_up(control, rows, &table, chosen)
    })?;
    let mut counts = PairCounts::zero(rows.offsets.clone(), classes);
    let d = domain.d;
    let (alone, all) = parts.split_at(classes);
    for slot in 0..domain.slots {
        for c in 0..classes {
            let own = slot * d..(slot + 1) * d;
            let any = (slot * classes + c) * d..(slot * classes + c + 1) * d;
            let (one, every) = (&alone[c], &all[0]);
            let to = &mut counts.cells[(slot * classes + c) * 4 * d..][..4 * d];
            for (i, (a, b)) in own.zip(any).enumerate() {
                to[i] = one.same_value[a];
                to[d + i] = every.same_value[b] - one.same_value[a];
                to[2 * d + i] = one.all[a] - one.same_value[a];
                to[3 * d + i] = every.all[b] - one.all[a] - to[d + i];
            }
        }
    }
    counts.pairs = rows.total() * rows.total();
    Ok(counts)
}

/// Pairs by (slot and class of i, distance): those with one value of the slot's feature, and all.
struct DistanceCounts {
    same_value: Vec<i64>,
    all: Vec<i64>,
}

/// The product of all values.
struct Domain {
    cells: usize,
    slots: usize,
    /// Number of distances.
    d: usize,
    /// Values of each feature, and the step between two of them.
    axes: Vec<(usize, usize)>,
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
            axes.push((values, cells));
            cells *= values;
        }
        let of_row = |i: usize| {
            let places = rows.row(i).iter().zip(&rows.offsets).zip(&axes);
            places.map(|((&slot, &first), &(_, step))| (slot - first) * step as u32).sum()
        };
        let cell = (0..rows.len()).map(of_row).collect();
        Self { cells, slots: rows.offsets[n] as usize, d: n + 1, axes, cell }
    }

    /// Rows of some classes by distance from every cell, `[cell][distance]`.
    fn transformed(
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
        for (done, &(values, step)) in self.axes.iter().enumerate() {
            control.check()?;
            // coefficients beyond the axes done are zero
            let live = done + 2;
            for line in lines(self.cells, values, step) {
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

    /// Pairs of i in some classes with the rows that the table stands for.
    fn added_up(
        &self,
        control: &Control,
        rows: &SlotRows,
        table: &[u32],
        classes: std::ops::Range<usize>,
    ) -> Result<DistanceCounts> {
        let (d, many) = (self.d, classes.len());
        let size = self.slots * many * d;
        let mut part = DistanceCounts { same_value: vec![0; size], all: vec![0; size] };
        for class in classes.clone() {
            for i in rows.class_rows(class) {
                let weight = i64::from(rows.weights[i]);
                let near = &table[self.cell[i] as usize * d..][..d];
                for &slot in rows.row(i) {
                    let to =
                        &mut part.all[(slot as usize * many + class - classes.start) * d..][..d];
                    to.iter_mut().zip(near).for_each(|(to, &x)| *to += weight * i64::from(x));
                }
            }
        }
        for (k, &(values, step)) in self.axes.iter().enumerate() {
            control.check()?;
            // every line over all axes but k: the sum of its cells divided by 1 + (V - 1) z
            let others = (values - 1) as u32;
            let mut quotient = vec![0u32; self.cells / values * d];
            for (line, out) in lines(self.cells, values, step).zip(quotient.chunks_exact_mut(d)) {
                for v in 0..values {
                    let cell = &table[(line + v * step) * d..][..d];
                    out.iter_mut().zip(cell).for_each(|(s, &x)| *s = s.wrapping_add(x));
                }
                for i in 1..d {
                    out[i] = out[i].wrapping_sub(others.wrapping_mul(out[i - 1]));
                }
            }
            let first = rows.offsets[k] as usize;
            for class in classes.clone() {
                for i in rows.class_rows(class) {
                    let weight = i64::from(rows.weights[i]);
                    let cell = self.cell[i] as usize;
                    let line = cell / (step * values) * step + cell % step;
                    let slot = rows.row(i)[k] as usize;
                    let to = &mut part.same_value[(slot * many + class - classes.start) * d..][..d];
                    let from = &quotient[line * d..][..d];
                    to.iter_mut().zip(from).for_each(|(to, &x)| *to += weight * i64::from(x));
                }
            }
            // what is left of the axis is 1 - z for one value: (all - z line) / (1 - z)
            let range = first * many * d..(first + values) * many * d;
            let sums = part.same_value[range.clone()]
                .chunks_exact_mut(d)
                .zip(part.all[range].chunks_exact(d));
            for (same, all) in sums {
                let (mut line_before, mut out_before) = (0, 0);
                for (x, &a) in same.iter_mut().zip(all) {
                    let out = a - line_before + out_before;
                    (line_before, out_before) = (*x, out);
                    *x = out;
                }
            }
        }
        Ok(part)
    }
}

/// First cell of every line along an axis.
fn lines(cells: usize, values: usize, step: usize) -> impl Iterator<Item = usize> {
    (0..cells).step_by(step * values).flat_map(move |block| block..block + step)
}

#[cfg(test)]
mod tests {
    use super::super::tests::Random;
    use super::super::{CodeColumn, CodeTable, CodeValues, pair_counts};
    use super::*;
    use crate::memory::Budget;

    #[test]
    fn the_transform_counts_what_the_double_loop_counts() {
        let mut seen = 0;
        for seed in 0..400 {
            let random = Random::new(seed, 80, 6);
            let codes = random.codes();
            let rows = SlotRows::gather(Budget::default(), &codes, None, |_| 0).unwrap();
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
        let rows = SlotRows::gather(Budget::default(), &all, None, |_| 0).unwrap();
        assert!(super::super::plan::transform_pays(&rows));
        let control = Control::new(1);
        let halves: Vec<Vec<u32>> = vec![(0..t / 2).collect(), (t / 2..t).collect()];
        let whole = pair_counts(&control, &all).unwrap();
        let mut sum =
            super::super::pair_counts_between(&control, &all, Some(&halves[0]), None).unwrap();
        sum.add(
            &super::super::pair_counts_between(&control, &all, Some(&halves[1]), None).unwrap(),
        )
        .unwrap();
        assert_eq!(whole, sum);
        let cancelled = Control::new(1);
        cancelled.cancel();
        assert!(count(&cancelled, &rows).is_err());
    }
}
