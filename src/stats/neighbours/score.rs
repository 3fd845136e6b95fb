//! From neighbours to scores: every kept pair adds its weight to the features on which its rows
//! differ.
//!
//! Columns are taken in blocks whose bytes (all rows) stay in the second-level cache; threads take
//! blocks, and within a block rows come in order, so a score is the same sum for any number of
//! threads. Rows come in groups whose sums are added in order: groups that are summed in other
//! processes give the same scores ([`neighbour_parts`]).

use super::NeighbourRows;
use super::distances::{Distances, Order};
use super::grid::Grid;
use super::members::PackedContribution;
use super::narrow::{self, ChunkPlan};
use super::need::{RowGroups, TileNeed, block_width};
use super::select::{Multiclass, NeighbourMethod, Picker};
use super::shape::SearchShape;
use super::share::Share;
use super::totals::{NominalTotals, mean_distance, mean_pairs};
use crate::error::{Error, Result};
use crate::parallel::{self, Control};
use crate::simd::Kernels;
use std::ops::Range;

/// One score per feature (nominal columns, then numeric), larger is better.
///
/// # Errors
/// [`crate::error::Error::Parameter`] for a method without neighbours,
/// [`crate::error::Error::Cancelled`].
pub fn neighbour_scores(
    control: &Control,
    rows: &NeighbourRows<'_>,
    method: NeighbourMethod,
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
    rows: &NeighbourRows<'_>,
    method: NeighbourMethod,
    multiclass: Multiclass,
) -> Result<Vec<f64>> {
    method.check()?;
    if matches!(method, NeighbourMethod::Pairs { .. })
        && !(rows.others.is_empty() && rows.mass.is_unit())
    {
        return Err(Error::Unsupported {
            what: "one setting of a pair criterion over streamed columns with weights, or with \
                numeric or missing cells"
                .into(),
            supported: "complete nominal columns that count once; the pass in fixed point \
                (precision='fixed') takes the others"
                .into(),
        });
    }
    let mut scores = vec![0.0; rows.features()];
    if rows.len() >= 2 {
        let task =
            ScoreTask { kernels, rows, method, multiclass, share: Share::WHOLE, total: None };
        sums(control, &task, &mut |part| part.add_to(&mut scores))?;
        round(&mut scores);
    }
    Ok(scores)
}

/// What some of the groups of rows add to the scores; `total` is the sum of all distances
/// ([`distance_parts`]) where [`needs_distances`] says so.
///
/// # Errors
/// As [`neighbour_scores`].
pub fn neighbour_parts(
    control: &Control,
    rows: &NeighbourRows<'_>,
    (method, multiclass): (NeighbourMethod, Multiclass),
    share: Share,
    total: Option<(i128, f64)>,
) -> Result<Vec<PartialScores>> {
    method.check()?;
    let mut parts = Vec::new();
    if rows.len() < 2 {
        return Ok(vec![PartialScores { all: 0.0, each: vec![0.0; rows.features()] }]);
    }
    let task = ScoreTask { kernels: Kernels::active(), rows, method, multiclass, share, total };
    let groups = RowGroups::new(rows.len(), [rows.codes.columns, rows.others.len()]).count(share);
    let control = &control.holding(groups * 8 * rows.features());
    sums(control, &task, &mut |part| parts.push(part))?;
    Ok(parts)
}

/// Whether a method asks for the sum of all distances, and a pass over pairs has to find it.
pub fn needs_distances(rows: &NeighbourRows<'_>, method: NeighbourMethod) -> bool {
    method.needs_mean() && !(rows.others.is_empty() && rows.mass.is_unit())
}

/// Sums of the distances of some groups of rows to all rows; those of all groups, added in order,
/// are the total.
///
/// # Errors
/// [`crate::error::Error::Cancelled`].
pub fn distance_parts(
    control: &Control,
    rows: &NeighbourRows<'_>,
    share: Share,
) -> Result<Vec<(i128, f64)>> {
    let (order, kernels) = (Order::new(rows), Kernels::active());
    let counted = NominalTotals::new(control, rows, false)?;
    let groups = RowGroups::new(rows.len(), [rows.codes.columns, rows.others.len()]);
    let mut parts = Vec::new();
    for tile in groups.tiles(share) {
        let d = Distances::new(control, kernels, rows, &order, &counted.levels, &tile)?;
        parts.extend(total(control, rows, &order, &d, &tile, &groups)?);
    }
    Ok(parts)
}

/// What a group of rows adds to the scores.
#[derive(Debug, Clone, PartialEq)]
pub struct PartialScores {
    /// To all of them.
    pub all: f64,
    /// To each.
    pub each: Vec<f64>,
}

impl PartialScores {
    fn add_to(&self, scores: &mut [f64]) {
        scores.iter_mut().zip(&self.each).for_each(|(to, s)| *to = (*to + self.all) + s);
    }
}

/// What is summed.
struct ScoreTask<'a> {
    kernels: Kernels,
    rows: &'a NeighbourRows<'a>,
    method: NeighbourMethod,
    multiclass: Multiclass,
    share: Share,
    total: Option<(i128, f64)>,
}

/// Round to 40 binary digits below the largest score (or 1): what is equal but for the order of a
/// sum, as copies and weights or two features are, becomes equal, and features that tie do tie.
pub fn round(scores: &mut [f64]) {
    let largest = scores.iter().fold(1.0_f64, |a, s| a.max(s.abs()));
    if largest.is_finite() {
        // a score of a power of two and a bit more, or less, has the same digits
        let unit = f64::powi(2.0, (largest * (1.0 - 1e-9)).log2().ceil() as i32 - 40);
        let shift = f64::powi(2.0, 52) * 1.5; // added and subtracted, it rounds, ties to even
        scores.iter_mut().for_each(|s| *s = (*s / unit + shift - shift) * unit + 0.0);
    }
}

fn sums(
    control: &Control,
    task: &ScoreTask<'_>,
    give: &mut dyn FnMut(PartialScores),
) -> Result<()> {
    let ScoreTask { kernels, rows, method, multiclass, share, .. } = *task;
    let order = Order::new(rows);
    let counted = NominalTotals::new(control, rows, method.needs_mean())?;
    let search = (method, multiclass);
    let shape = SearchShape::new(rows, &order, &counted.levels);
    if let Some(plan) = ChunkPlan::new(&shape, kernels, method) {
        let parts = narrow::parts(control, kernels, (rows, &order, &counted), search, share, plan)?;
        parts.into_iter().for_each(|each| give(PartialScores { all: 0.0, each }));
        return Ok(());
    }
    let groups = RowGroups::new(rows.len(), [shape.nominal, shape.others]);
    let need = TileNeed::new(&shape, kernels, method, groups.size);
    let (groups, control) = &groups.within_budget(control, &need)?;
    let tiles = groups.tiles(share);
    let distances = |tile| Distances::new(control, kernels, rows, &order, &counted.levels, tile);
    let asked: u64 = tiles.iter().map(|tile| tile.len() as u64).sum();
    let (far, first_pass) = (needs_distances(rows, method), task.total.is_none());
    control.expect(asked * (1 + u64::from(far && first_pass)));
    let mut kept = None;
    let grid = Grid::of(rows);
    let mean = if far {
        let mut sum = task.total.unwrap_or_default();
        for tile in tiles.iter().filter(|_| first_pass) {
            let d = distances(tile)?;
            let parts = total(control, rows, &order, &d, tile, groups)?;
            sum = parts.iter().fold(sum, |(a, b), (x, y)| (a + x, b + y));
            kept = (tiles.len() == 1).then_some(d);
            control.advance(tile.len() as u64);
        }
        (grid.value(sum.0) + sum.1) / mean_pairs(rows, multiclass)
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
        let work = ScoreWork {
            kernels,
            rows,
            order: &order,
            first: tile.start,
            choices: &choices,
            by_share: method.by_share(),
            groups: groups.within(tile.len()),
        };
        let mut parts: Vec<PartialScores> =
            work.groups.iter().map(|group| work.part(group)).collect();
        add_nominal(control, &work, &mut parts)?;
        add_others(control, &work, &mut parts)?;
        parts.into_iter().for_each(&mut *give);
        control.advance(tile.len() as u64);
    }
    Ok(())
}

/// Sums of the distances of the groups of a tile to all rows, in steps of the grid where weights
/// are whole, otherwise as a number; rows in order.
fn total(
    control: &Control,
    rows: &NeighbourRows<'_>,
    order: &Order,
    d: &Distances,
    tile: &Range<usize>,
    groups: &RowGroups,
) -> Result<Vec<(i128, f64)>> {
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
    let of_group =
        |rows: &[(i128, f64)]| rows.iter().fold((0, 0.0), |(a, b), (x, y)| (a + x, b + y));
    Ok(sums.chunks(groups.size).map(of_group).collect())
}

fn pick(
    control: &Control,
    rows: &NeighbourRows<'_>,
    picker: &Picker<'_>,
    d: &Distances,
    tile: &Range<usize>,
) -> Result<Vec<PackedContribution>> {
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
                    PackedContribution::of(picker.pick(row, own, &mut whole))
                } else {
                    d.mixed(i, &mut mixed);
                    PackedContribution::of(picker.pick(row, own, &mut mixed))
                }
            })
            .collect::<Vec<PackedContribution>>())
    })?;
    Ok(parts.into_iter().flatten().collect())
}

/// Choices of the rows from `first` on.
struct ScoreWork<'a> {
    kernels: Kernels,
    rows: &'a NeighbourRows<'a>,
    order: &'a Order,
    first: usize,
    choices: &'a [PackedContribution],
    by_share: bool,
    /// Places of choices that are summed together.
    groups: Vec<Range<usize>>,
}

impl ScoreWork<'_> {
    /// What a group adds before features are looked at.
    fn part(&self, group: &Range<usize>) -> PartialScores {
        let constants = self.choices[group.clone()].iter().map(|c| c.constant);
        let all = if self.by_share { 0.0 } else { constants.sum() };
        PartialScores { all, each: vec![0.0; self.rows.features()] }
    }
}

fn add_nominal(control: &Control, work: &ScoreWork<'_>, parts: &mut [PartialScores]) -> Result<()> {
    let (rows, columns) = (work.rows, work.rows.codes.columns);
    if columns == 0 {
        return Ok(());
    }
    let width = block_width(rows.len(), columns);
    let found = parallel::map(control, columns.div_ceil(width), |b| {
        let range = b * width..((b + 1) * width).min(columns);
        // rows by place, because members are places
        let mut bytes = vec![0u8; rows.len() * width];
        for (&row, to) in work.order.rows.iter().zip(bytes.chunks_exact_mut(width)) {
            to[..range.len()].copy_from_slice(rows.part(row as usize, range.clone()));
        }
        let shares = if work.by_share { shares(&bytes, width, rows.len()) } else { Vec::new() };
        let (mut of_row, mut listed) = (vec![0.0; width], Vec::new());
        let mut of_groups = vec![vec![0.0; width]; work.groups.len()];
        for (group, sums) in work.groups.iter().zip(&mut of_groups) {
            for i in group.clone() {
                if i % 64 == 0 {
                    control.check()?;
                }
                let choice = &work.choices[i];
                let row = &bytes[work.order.places[work.first + i] as usize * width..][..width];
                for (weight, members) in &choice.groups {
                    let to = if work.by_share { &mut of_row } else { &mut *sums };
                    let members = members.list(&mut listed);
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
        }
        Ok(of_groups)
    })?;
    for (block, of_groups) in found.iter().enumerate() {
        for (part, sums) in parts.iter_mut().zip(of_groups) {
            part.each[block * width..][..sums.len()].copy_from_slice(sums);
        }
    }
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

fn add_others(control: &Control, work: &ScoreWork<'_>, parts: &mut [PartialScores]) -> Result<()> {
    let places = &work.order.rows;
    let found = parallel::map(control, work.rows.others.len(), |k| {
        let column = &work.rows.others[k];
        // numbers by place, because members are places
        let numbers: Option<(Vec<f64>, &[f64])> = column
            .complete_numbers()
            .map(|values| (places.iter().map(|&row| values[row as usize]).collect(), values));
        let mut listed = Vec::new();
        let mut of_row = |i: usize| -> f64 {
            let row = work.first + i;
            let of_pairs = |members: &[u32]| -> f64 {
                match &numbers {
                    Some((by_place, values)) => {
                        members.iter().map(|&m| (by_place[m as usize] - values[row]).abs()).sum()
                    }
                    None => {
                        members.iter().map(|&m| column.diff(row, places[m as usize] as usize)).sum()
                    }
                }
            };
            let groups = work.choices[i].groups.iter();
            groups.map(|(weight, members)| weight * of_pairs(members.list(&mut listed))).sum()
        };
        let mut sums = Vec::with_capacity(work.groups.len());
        for group in &work.groups {
            control.check()?;
            sums.push(group.clone().map(&mut of_row).sum::<f64>());
        }
        Ok(sums)
    })?;
    for (k, sums) in found.iter().enumerate() {
        let place = work.rows.codes.columns + k;
        parts.iter_mut().zip(sums).for_each(|(part, sum)| part.each[place] = *sum);
    }
    Ok(())
}
