//! From neighbours to scores: every kept pair adds its weight to the features on which its rows
//! differ.
//!
//! Columns are taken in blocks whose bytes (all rows) stay in the second-level cache; threads take
//! blocks, and within a block rows come in order, so a score is the same sum for any number of
//! threads.

use super::distances::{Distances, Order, tile_rows};
use super::grid::Grid;
use super::select::{Choice, Method, Multiclass, Picker};
use super::{Rows, narrow};
use crate::error::{Error, Result};
use crate::parallel::{self, Control};
use crate::simd::Kernels;
use std::ops::Range;

/// Bytes of a block of columns over all rows.
const BLOCK_BYTES: usize = 1 << 20;

/// One score a feature (nominal columns, then numeric), larger is better.
///
/// # Errors
/// [`crate::error::Error::Parameter`] for a method without neighbours,
/// [`crate::error::Error::Cancelled`].
pub fn neighbour_scores(
    control: &Control,
    rows: &Rows<'_>,
    method: Method,
    multiclass: Multiclass,
) -> Result<Vec<f64>> {
    neighbour_scores_with(control, Kernels::active(), rows, method, multiclass)
}

/// [`neighbour_scores`] with kernels of a stated level.
///
/// # Errors
/// As [`neighbour_scores`].
pub fn neighbour_scores_with(
    control: &Control,
    kernels: Kernels,
    rows: &Rows<'_>,
    method: Method,
    multiclass: Multiclass,
) -> Result<Vec<f64>> {
    method.check()?;
    if matches!(method, Method::Pairs { .. }) && !(rows.others.is_empty() && rows.mass.is_unit()) {
        return Err(Error::Unsupported {
            what: "one setting of a pair criterion over streamed columns with weights, or with \
                numeric or missing cells"
                .into(),
            supported: "complete nominal columns that count once; the pass in fixed point \
                (precision='fixed') takes the others"
                .into(),
        });
    }
    if rows.len() < 2 {
        return Ok(vec![0.0; rows.features()]);
    }
    let mut scores = sums(control, kernels, rows, method, multiclass)?;
    round(&mut scores);
    Ok(scores)
}

/// Round to 40 binary digits below the largest score (or 1): what is equal but for the order of a
/// sum, as copies and weights or two features are, becomes equal, and features that tie do tie.
pub(super) fn round(scores: &mut [f64]) {
    let largest = scores.iter().fold(1.0_f64, |a, s| a.max(s.abs()));
    if largest.is_finite() {
        // a score of a power of two and a bit more, or less, has the same digits
        let unit = f64::powi(2.0, (largest * (1.0 - 1e-9)).log2().ceil() as i32 - 40);
        scores.iter_mut().for_each(|s| *s = (*s / unit).round() * unit + 0.0);
    }
}

fn sums(
    control: &Control,
    kernels: Kernels,
    rows: &Rows<'_>,
    method: Method,
    multiclass: Multiclass,
) -> Result<Vec<f64>> {
    let t = rows.len();
    let order = Order::new(rows);
    let counted = Counted::new(control, rows, method.needs_mean())?;
    if let Some(scores) =
        narrow::scores(control, kernels, rows, &order, &counted, method, multiclass)?
    {
        return Ok(scores);
    }
    let mut scores = vec![0.0; rows.features()];
    let size = tile_rows(rows);
    let tiles: Vec<_> = (0..t).step_by(size).map(|at| at..(at + size).min(t)).collect();
    let distances = |tile| Distances::new(control, kernels, rows, &order, &counted.levels, tile);
    let simple = rows.others.is_empty() && rows.mass.is_unit();
    let first_pass = method.needs_mean() && !simple;
    control.expect(t as u64 * (1 + u64::from(first_pass)));
    let mut kept = None;
    let grid = Grid::of(rows);
    let mean = if first_pass {
        let (mut steps, mut real) = (0, 0.0);
        for tile in &tiles {
            let d = distances(tile)?;
            let sum = total(control, rows, &order, &d, tile)?;
            (steps, real) = (steps + sum.0, real + sum.1);
            kept = (tiles.len() == 1).then_some(d);
            control.advance(tile.len() as u64);
        }
        (grid.value(steps) + real) / mean_pairs(rows, multiclass)
    } else if method.needs_mean() {
        mean_distance(rows, &counted, multiclass)
    } else {
        0.0
    };
    let picker = Picker::new(method, multiclass, &order, &rows.mass, (mean, grid));
    for tile in &tiles {
        let d = match kept.take() {
            Some(d) => d,
            None => distances(tile)?,
        };
        let choices = pick(control, rows, &picker, &d, tile)?;
        drop(d);
        let constant: f64 =
            if method.by_share() { 0.0 } else { choices.iter().map(|c| c.constant).sum() };
        scores.iter_mut().for_each(|s| *s += constant);
        let (nominal, others) = scores.split_at_mut(rows.codes.columns);
        let work = Work {
            kernels,
            rows,
            order: &order,
            first: tile.start,
            choices: &choices,
            by_share: method.by_share(),
        };
        add_nominal(control, &work, nominal)?;
        add_others(control, &work, others)?;
        control.advance(tile.len() as u64);
    }
    Ok(scores)
}

/// Facts about the nominal columns.
pub(super) struct Counted {
    /// Number of codes of each: the largest and one.
    pub levels: Vec<u16>,
    /// Sum of the distances of all ordered pairs, if asked for: `sum over k of t^2 - sum over v of
    /// n_kv^2`.
    pub distances: u128,
}

impl Counted {
    pub(super) fn new(control: &Control, rows: &Rows<'_>, with_distances: bool) -> Result<Self> {
        let width = 1024;
        let t = rows.len() as u128;
        let parts = parallel::map(control, rows.codes.columns.div_ceil(width), |b| {
            control.check()?;
            let columns = b * width..((b + 1) * width).min(rows.codes.columns);
            let mut most = vec![0u8; columns.len()];
            for i in 0..rows.len() {
                most.iter_mut()
                    .zip(rows.part(i, columns.clone()))
                    .for_each(|(m, &c)| *m = (*m).max(c));
            }
            let levels: Vec<u16> = most.into_iter().map(|m| u16::from(m) + 1).collect();
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

/// SURF's mean distance for complete nominal columns and no weights, without a pass over pairs.
pub(super) fn mean_distance(rows: &Rows<'_>, counted: &Counted, multiclass: Multiclass) -> f64 {
    counted.distances as f64 / mean_pairs(rows, multiclass)
}

/// Weight of the pairs over which SURF's mean distance is taken: all of different copies, or
/// self-pairs as well.
pub(super) fn mean_pairs(rows: &Rows<'_>, multiclass: Multiclass) -> f64 {
    let all = rows.mass.total * rows.mass.total;
    let itself = |row| rows.mass.of(row) * (rows.mass.of(row) - rows.mass.copies(row));
    let own: f64 = (0..rows.len()).map(itself).sum();
    let pairs = if multiclass == Multiclass::Rebate { all } else { all - own };
    if pairs > 0.0 { pairs } else { 1.0 }
}

/// Sum of the distances of the rows of a tile to all others, in steps of the grid where weights are
/// whole, otherwise as a number; rows in order.
fn total(
    control: &Control,
    rows: &Rows<'_>,
    order: &Order,
    d: &Distances,
    tile: &Range<usize>,
) -> Result<(i128, f64)> {
    let grid = Grid::of(rows);
    let sums = parallel::map(control, tile.len(), |i| {
        let row = tile.start + i;
        let (mut all, mut whole) = (Vec::new(), Vec::new());
        if rows.others.is_empty() {
            d.whole(i, &mut whole);
            all.extend(whole.iter().map(|&d| f64::from(d)));
        } else {
            d.mixed(i, &mut all);
        }
        let own = order.places[row] as usize;
        let mine = rows.mass.of(row);
        if rows.mass.whole {
            let weighted = |(&d, &other): (&f64, &u32)| {
                i128::from(grid.steps(d)) * rows.mass.of(other as usize) as i128
            };
            let sum: i128 = all.iter().zip(&order.rows).map(weighted).sum();
            return Ok(((sum - i128::from(grid.steps(all[own]))) * mine as i128, 0.0));
        }
        let weighted = |(d, &other): (&f64, &u32)| rows.mass.of(other as usize) * d;
        let sum = all.iter().zip(&order.rows).map(weighted).sum::<f64>() - mine * all[own];
        Ok((0, mine * sum))
    })?;
    Ok(sums.iter().fold((0, 0.0), |(a, b), (x, y)| (a + x, b + y)))
}

fn pick(
    control: &Control,
    rows: &Rows<'_>,
    picker: &Picker<'_>,
    d: &Distances,
    tile: &Range<usize>,
) -> Result<Vec<Choice>> {
    const TOGETHER: usize = 32;
    let parts = parallel::map(control, tile.len().div_ceil(TOGETHER), |p| {
        control.check()?;
        let (mut whole, mut mixed) = (Vec::new(), Vec::new());
        let some = p * TOGETHER..((p + 1) * TOGETHER).min(tile.len());
        Ok(some
            .map(|i| {
                let row = tile.start + i;
                let own = usize::from(rows.classes[row]);
                if rows.others.is_empty() {
                    d.whole(i, &mut whole);
                    picker.pick(row, own, &mut whole)
                } else {
                    d.mixed(i, &mut mixed);
                    picker.pick(row, own, &mut mixed)
                }
            })
            .collect::<Vec<Choice>>())
    })?;
    Ok(parts.into_iter().flatten().collect())
}

/// Choices of the rows from `first` on.
struct Work<'a> {
    kernels: Kernels,
    rows: &'a Rows<'a>,
    order: &'a Order,
    first: usize,
    choices: &'a [Choice],
    by_share: bool,
}

fn add_nominal(control: &Control, work: &Work<'_>, scores: &mut [f64]) -> Result<()> {
    let (rows, columns) = (work.rows, work.rows.codes.columns);
    if columns == 0 {
        return Ok(());
    }
    let fit = (BLOCK_BYTES / rows.len().max(1) / 64 * 64).clamp(64, 4096);
    let width = fit.min(columns.next_multiple_of(64));
    let parts = parallel::map(control, columns.div_ceil(width), |b| {
        let range = b * width..((b + 1) * width).min(columns);
        // rows by place, because members are places
        let mut bytes = vec![0u8; rows.len() * width];
        for (&row, to) in work.order.rows.iter().zip(bytes.chunks_exact_mut(width)) {
            to[..range.len()].copy_from_slice(rows.part(row as usize, range.clone()));
        }
        let shares = if work.by_share { shares(&bytes, width, rows.len()) } else { Vec::new() };
        let (mut sums, mut of_row) = (vec![0.0; width], vec![0.0; width]);
        for (i, choice) in work.choices.iter().enumerate() {
            if i % 64 == 0 {
                control.check()?;
            }
            let row = &bytes[work.order.places[work.first + i] as usize * width..][..width];
            for (weight, members) in &choice.groups {
                let to = if work.by_share { &mut of_row } else { &mut sums };
                work.kernels.add_mismatches(row, &bytes, members, *weight, to);
            }
            if work.by_share {
                for (k, (sum, add)) in sums.iter_mut().zip(&mut of_row).enumerate() {
                    *sum += shares[k * 256 + usize::from(row[k])] * (choice.constant + *add);
                    *add = 0.0;
                }
            }
        }
        sums.truncate(range.len());
        Ok(sums)
    })?;
    scores.iter_mut().zip(parts.iter().flatten()).for_each(|(to, s)| *to += s);
    Ok(())
}

/// Share of each code of each column, `[column][256]`.
fn shares(bytes: &[u8], width: usize, rows: usize) -> Vec<f64> {
    let mut shares = vec![0.0; width * 256];
    for row in bytes.chunks_exact(width) {
        row.iter().enumerate().for_each(|(k, &code)| shares[k * 256 + usize::from(code)] += 1.0);
    }
    shares.iter_mut().for_each(|s| *s /= rows as f64);
    shares
}

fn add_others(control: &Control, work: &Work<'_>, scores: &mut [f64]) -> Result<()> {
    let places = &work.order.rows;
    let sums = parallel::map(control, work.rows.others.len(), |k| {
        let column = &work.rows.others[k];
        // numbers by place, because members are places
        let numbers: Option<(Vec<f64>, &[f64])> = column
            .complete_numbers()
            .map(|values| (places.iter().map(|&row| values[row as usize]).collect(), values));
        let mut sum = 0.0;
        for (i, choice) in work.choices.iter().enumerate() {
            if i % 64 == 0 {
                control.check()?;
            }
            let row = work.first + i;
            for (weight, members) in &choice.groups {
                let gaps: f64 = match &numbers {
                    Some((by_place, values)) => {
                        members.iter().map(|&m| (by_place[m as usize] - values[row]).abs()).sum()
                    }
                    None => {
                        members.iter().map(|&m| column.diff(row, places[m as usize] as usize)).sum()
                    }
                };
                sum += weight * gaps;
            }
        }
        Ok(sum)
    })?;
    scores.iter_mut().zip(&sums).for_each(|(to, s)| *to += s);
    Ok(())
}
