//! From neighbours to scores: every kept pair adds its weight to the features on which its rows differ.
//!
//! Columns are taken in blocks whose bytes (all rows) stay in the second-level cache; threads take blocks, and within a block
//! rows come in order, so a score is the same sum for any number of threads.

use super::Rows;
use super::distances::{Distances, Order, tile_rows};
use super::select::{Choice, Method, Multiclass, Picker};
use crate::error::{Error, Result};
use crate::parallel::{self, Control};
use crate::simd::Kernels;

/// Bytes of a block of columns over all rows.
const BLOCK_BYTES: usize = 1 << 20;

/// One score a feature (nominal columns, then numeric), larger is better.
///
/// # Errors
/// [`crate::error::Error::Parameter`] for a method without neighbours, [`crate::error::Error::Cancelled`].
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
    if matches!(method, Method::Pairs { .. }) && !rows.numbers.is_empty() {
        return Err(Error::Data("pair metrics need nominal features: discretize the numeric columns".into()));
    }
    let t = rows.len();
    let mut scores = vec![0.0; rows.features()];
    let order = Order::new(rows);
    let levels = levels(control, rows)?;
    let size = tile_rows(rows);
    let tiles: Vec<_> = (0..t).step_by(size).map(|at| at..(at + size).min(t)).collect();
    let distances = |tile| Distances::new(control, kernels, rows, &order, &levels, tile);
    let mut kept = None;
    let mean = if method.needs_mean() {
        let mut sum = 0.0;
        for tile in &tiles {
            let d = distances(tile)?;
            sum += total(control, rows, &d, tile.len())?;
            kept = (tiles.len() == 1).then_some(d);
        }
        let pairs = if multiclass == Multiclass::Rebate { t * t } else { t * t.saturating_sub(1) };
        sum / pairs.max(1) as f64
    } else {
        0.0
    };
    let picker = Picker { method, multiclass, order: &order, mean };
    for tile in &tiles {
        let d = match kept.take() {
            Some(d) => d,
            None => distances(tile)?,
        };
        let choices = pick(control, rows, &picker, &d, tile)?;
        drop(d);
        let constant: f64 = if method.by_share() { 0.0 } else { choices.iter().map(|c| c.constant).sum() };
        scores.iter_mut().for_each(|s| *s += constant);
        let (nominal, numeric) = scores.split_at_mut(rows.codes.columns);
        let work = Work {
            kernels,
            rows,
            order: &order,
            first: tile.start,
            choices: &choices,
            by_share: method.by_share(),
        };
        add_nominal(control, &work, nominal)?;
        add_numeric(control, &work, numeric)?;
    }
    Ok(scores)
}

/// Number of codes of each column: the largest and one.
fn levels(control: &Control, rows: &Rows<'_>) -> Result<Vec<u16>> {
    let width = 4096;
    let parts = parallel::map(control, rows.codes.columns.div_ceil(width), |b| {
        let columns = b * width..((b + 1) * width).min(rows.codes.columns);
        let mut most = vec![0u8; columns.len()];
        for i in 0..rows.len() {
            most.iter_mut().zip(rows.codes.part(i, columns.clone())).for_each(|(m, &c)| *m = (*m).max(c));
        }
        Ok(most.into_iter().map(|m| u16::from(m) + 1).collect::<Vec<u16>>())
    })?;
    Ok(parts.concat())
}

/// Sum of all distances of a tile; rows in order.
fn total(control: &Control, rows: &Rows<'_>, d: &Distances, tile: usize) -> Result<f64> {
    let sums = parallel::map(control, tile, |i| {
        Ok(if rows.numbers.is_empty() {
            let mut row = Vec::new();
            d.whole(i, &mut row);
            row.iter().map(|&d| i64::from(d)).sum::<i64>() as f64
        } else {
            let mut row = Vec::new();
            d.mixed(i, &mut row);
            row.iter().sum::<f64>()
        })
    })?;
    Ok(sums.iter().sum())
}

fn pick(
    control: &Control,
    rows: &Rows<'_>,
    picker: &Picker<'_>,
    d: &Distances,
    tile: &std::ops::Range<usize>,
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
                if rows.numbers.is_empty() {
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
            to[..range.len()].copy_from_slice(rows.codes.part(row as usize, range.clone()));
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

fn add_numeric(control: &Control, work: &Work<'_>, scores: &mut [f64]) -> Result<()> {
    let sums = parallel::map(control, work.rows.numbers.len(), |k| {
        let by_row = &work.rows.numbers[k];
        let column: Vec<f64> = work.order.rows.iter().map(|&row| by_row[row as usize]).collect();
        let mut sum = 0.0;
        for (i, choice) in work.choices.iter().enumerate() {
            if i % 64 == 0 {
                control.check()?;
            }
            let x = by_row[work.first + i];
            for (weight, members) in &choice.groups {
                let gaps: f64 = members.iter().map(|&m| (column[m as usize] - x).abs()).sum();
                sum += weight * gaps;
            }
        }
        Ok(sum)
    })?;
    scores.iter_mut().zip(&sums).for_each(|(to, s)| *to += s);
    Ok(())
}
