//! From the neighbours of rows to one score per feature: every neighbour adds its weight times the
//! difference in each feature.
//!
//! [`neighbour_scores`] does all of it, by [`narrow`](super::narrow) where that serves, else by
//! tiles of rows: distances, then neighbours, then sums. Sums take the columns in blocks whose
//! codes (of all rows) stay in the second-level cache. A thread takes a block and adds the rows in
//! order, so a score is the same sum on any number of threads. Rows are summed in groups, and the
//! groups added in order, so other processes can compute some of the groups ([`neighbour_parts`]).

use super::distances::{Distances, Order, RowDistances};
use super::grid::Grid;
use super::members::{PackedContribution, PackedGroup};
use super::narrow::{self, ChunkPlan, RowData};
use super::need::{RowGroups, TileNeed, block_width};
use super::rows::NeighbourRows;
use super::select::{Contribution, Multiclass, NeighbourMethod, Picker};
use super::shape::SearchShape;
use super::share::Share;
use super::totals::{NominalTotals, mean_distance, mean_pairs};
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::simd::Kernels;
use std::ops::{Add, Range};

/// One score per feature (complete nominal columns, then the others), larger is better.
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

/// [`neighbour_scores`] with kernels of a given SIMD level, for tests of the levels.
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
    method.admit(rows)?;
    let mut scores = vec![0.0; rows.features()];
    if rows.len() >= 2 {
        let task =
            ScoreTask { kernels, rows, method, multiclass, share: Share::WHOLE, total: None };
        for_each_group(control, &task, |part| part.add_to(&mut scores))?;
        round(&mut scores);
    }
    Ok(scores)
}

/// What the groups of rows of a share add to the scores. `total` is the sum of [`distance_parts`]
/// over all shares, if the method [needs it](needs_total).
///
/// # Errors
/// As [`neighbour_scores`].
pub fn neighbour_parts(
    control: &Control,
    rows: &NeighbourRows<'_>,
    (method, multiclass): (NeighbourMethod, Multiclass),
    share: Share,
    total: Option<DistanceSum>,
) -> Result<Vec<PartialScores>> {
    method.check()?;
    method.admit(rows)?;
    let mut parts = Vec::new();
    if rows.len() < 2 {
        return Ok(vec![PartialScores { all: 0.0, each: vec![0.0; rows.features()] }]);
    }
    let task = ScoreTask { kernels: Kernels::active(), rows, method, multiclass, share, total };
    let groups = RowGroups::new(rows.len(), rows.codes.columns, rows.others.len()).count(share);
    let control = &control.holding(groups * 8 * rows.features());
    for_each_group(control, &task, |part| parts.push(part))?;
    Ok(parts)
}

/// Whether the method needs a sum that only a pass over all pairs can find: of all distances, or
/// of the differences of neighbours in a numeric target.
pub fn needs_total(rows: &NeighbourRows<'_>, method: NeighbourMethod) -> bool {
    let follows_from_counts = rows.others.is_empty() && rows.mass.is_unit();
    method.reads_numbers() || method.needs_mean() && !follows_from_counts
}

/// The sums that the method [needs](needs_total), one for each group of rows of the share. The sums
/// of all groups, added in order, are the total.
///
/// # Errors
/// [`crate::error::Error::Cancelled`].
pub fn distance_parts(
    control: &Control,
    rows: &NeighbourRows<'_>,
    method: NeighbourMethod,
    share: Share,
) -> Result<Vec<DistanceSum>> {
    method.check()?;
    method.admit(rows)?;
    let (order, kernels) = (Order::new(rows), Kernels::active());
    let counted = NominalTotals::new(control, rows, false)?;
    let groups = RowGroups::new(rows.len(), rows.codes.columns, rows.others.len());
    let mut parts = Vec::new();
    for tile in groups.tiles(share) {
        let d = Distances::new(control, kernels, rows, &order, &counted.levels, &tile)?;
        parts.extend(first_sums(control, rows, method, &order, &d, &tile, &groups)?);
    }
    Ok(parts)
}

/// A sum of distances: in steps of the grid, which is exact, if weights are whole; else a real
/// number, as sums of differences in a target are.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct DistanceSum {
    /// Sum in steps of the grid; 0 with other weights.
    pub steps: i128,
    /// Sum of weighted distances; 0 with whole weights.
    pub real: f64,
}

impl Add for DistanceSum {
    type Output = Self;

    fn add(self, other: Self) -> Self {
        Self { steps: self.steps + other.steps, real: self.real + other.real }
    }
}

/// Partial scores: the sums of one group of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct PartialScores {
    /// To the score of every feature.
    pub all: f64,
    /// To the score of each feature.
    pub each: Vec<f64>,
}

impl PartialScores {
    fn add_to(&self, scores: &mut [f64]) {
        scores.iter_mut().zip(&self.each).for_each(|(to, s)| *to = (*to + self.all) + s);
    }
}

/// A search whose scores are to be summed.
struct ScoreTask<'a> {
    kernels: Kernels,
    rows: &'a NeighbourRows<'a>,
    method: NeighbourMethod,
    multiclass: Multiclass,
    share: Share,
    /// Sum of all distances, if it is known before.
    total: Option<DistanceSum>,
}

/// Round to 40 binary digits below the largest absolute score (or 1). Scores that differ only by
/// the order of a sum (copies and weights, two equal features) become equal, so that ties are ties.
/// Partial scores must be added first; NaN stays NaN, and nothing is rounded if a score is
/// infinite.
pub fn round(scores: &mut [f64]) {
    let largest = scores.iter().fold(1.0_f64, |a, s| a.max(s.abs()));
    if largest.is_finite() {
        // largest scores just above and just below a power of two give the same unit
        let unit = f64::powi(2.0, (largest * (1.0 - 1e-9)).log2().ceil() as i32 - 40);
        // adding and subtracting it rounds to a whole number, ties to even
        let shift = f64::powi(2.0, 52) * 1.5;
        scores.iter_mut().for_each(|s| *s = (*s / unit + shift - shift) * unit + 0.0);
    }
}

/// Call `add` with the partial scores of each group of rows of the share, in order.
fn for_each_group(
    control: &Control,
    task: &ScoreTask<'_>,
    mut add: impl FnMut(PartialScores),
) -> Result<()> {
    let ScoreTask { kernels, rows, method, multiclass, share, .. } = *task;
    let order = Order::new(rows);
    let counted = NominalTotals::new(control, rows, method.needs_mean())?;
    let shape = SearchShape::new(rows, &order, &counted.levels);

    // few complete nominal columns: bit planes throughout
    if let Some(plan) = ChunkPlan::new(&shape, kernels, method) {
        let mean =
            if method.needs_mean() { mean_distance(rows, &counted, multiclass) } else { 0.0 };
        let picker = Picker::new(method, multiclass, &order, &rows.mass, mean, Grid::new(rows));
        let whole = RowData { kernels, rows, order: &order, levels: &counted.levels };
        let parts = narrow::parts(control, whole, &picker, share, plan)?;
        parts.into_iter().for_each(|each| add(PartialScores { all: 0.0, each }));
        return Ok(());
    }

    // tiles of rows that fit the memory budget
    let groups = RowGroups::new(rows.len(), shape.nominal, shape.others);
    let need = TileNeed::new(&shape, kernels, method, groups.size);
    let (groups, control) = &groups.within_budget(control, &need)?;
    let tiles = groups.tiles(share);
    let distances = |tile| Distances::new(control, kernels, rows, &order, &counted.levels, tile);

    // SURF's mean distance: a first pass over all pairs, unless it is given or follows from counts;
    // for a numeric target the mean difference of neighbours in it
    let from_pairs = needs_total(rows, method);
    let first_pass = task.total.is_none();
    let row_count: u64 = tiles.iter().map(|tile| tile.len() as u64).sum();
    control.set_total(row_count * (1 + u64::from(from_pairs && first_pass)));
    let mut only_tile = None; // kept for the second pass if it holds all rows
    let grid = Grid::new(rows);
    let mean = if from_pairs {
        let mut sum = task.total.unwrap_or_default();
        for tile in tiles.iter().filter(|_| first_pass) {
            let d = distances(tile)?;
            let parts = first_sums(control, rows, method, &order, &d, tile, groups)?;
            sum = parts.into_iter().fold(sum, DistanceSum::add);
            only_tile = (tiles.len() == 1).then_some(d);
            control.advance(tile.len() as u64);
        }
        match method.reads_numbers() {
            true => sum.real,
            false => {
                (grid.value(sum.steps) + sum.real) / mean_pairs(&rows.mass, rows.len(), multiclass)
            }
        }
    } else if method.needs_mean() {
        mean_distance(rows, &counted, multiclass)
    } else {
        0.0
    };

    // distances, neighbours and sums, tile by tile
    let picker = Picker::new(method, multiclass, &order, &rows.mass, mean, grid);
    let picker = Picker { numbers: &rows.numbers, ..picker };
    for tile in &tiles {
        let d = match only_tile.take() {
            Some(d) => d,
            None => distances(tile)?,
        };
        let picked = pick(control, &rows.classes, &picker, &d, tile, PackedContribution::pack)?;
        drop(d); // its memory goes to the sums
        let work = TileWork {
            kernels,
            rows,
            order: &order,
            first: tile.start,
            picked: &picked,
            by_share: method.by_share(),
            groups: groups.within(tile.len()),
        };
        let mut parts: Vec<PartialScores> =
            work.groups.iter().map(|group| work.constants(group)).collect();
        add_nominal(control, &work, &mut parts)?;
        add_others(control, &work, &mut parts)?;
        parts.into_iter().for_each(&mut add);
        control.advance(tile.len() as u64);
    }
    Ok(())
}

/// What a first pass over all pairs sums for each group of a tile: see [`needs_total`].
fn first_sums(
    control: &Control,
    rows: &NeighbourRows<'_>,
    method: NeighbourMethod,
    order: &Order,
    d: &Distances,
    tile: &Range<usize>,
    groups: &RowGroups,
) -> Result<Vec<DistanceSum>> {
    // with a mean of 1 the weights of neighbours are their differences in the target
    let picker =
        Picker::new(method, Multiclass::default(), order, &rows.mass, 1.0, Grid::new(rows));
    let picker = Picker { numbers: &rows.numbers, ..picker };
    if !method.reads_numbers() {
        let sums = distance_sums(control, &picker, d, tile)?;
        let of_group =
            |sums: &[DistanceSum]| sums.iter().copied().fold(DistanceSum::default(), Add::add);
        return Ok(sums.chunks(groups.size).map(of_group).collect());
    }
    let picked = pick(control, &rows.classes, &picker, d, tile, PackedContribution::pack)?;
    let of_row = |row: &PackedContribution| -> f64 {
        row.groups.iter().map(|g| g.weight * g.places.len() as f64).sum()
    };
    let of_group =
        |rows: &[PackedContribution]| DistanceSum { steps: 0, real: rows.iter().map(of_row).sum() };
    Ok(picked.chunks(groups.size).map(of_group).collect())
}

/// Sum of the distances of each row of a tile to all other rows.
pub(super) fn distance_sums(
    control: &Control,
    picker: &Picker<'_>,
    d: &dyn RowDistances,
    tile: &Range<usize>,
) -> Result<Vec<DistanceSum>> {
    let Picker { order, mass, grid, .. } = *picker;
    parallel::map(control, tile.len(), &|i| {
        control.check()?;
        let row = tile.start + i;
        let (mut all, mut whole) = (Vec::new(), Vec::new());
        if d.is_whole() {
            d.copy_whole(i, &mut whole);
            all.extend(whole.iter().map(|&d| f64::from(d)));
        } else {
            d.copy_real(i, &mut all);
        }
        let own = order.places[row] as usize;
        let own_weight = mass.weight(row);
        if mass.whole {
            let weighted = |(&d, &other): (&f64, &u32)| {
                i128::from(grid.steps(d)) * mass.weight(other as usize) as i128
            };
            let sum: i128 = all.iter().zip(&order.rows).map(weighted).sum();
            let steps = (sum - i128::from(grid.steps(all[own]))) * own_weight as i128;
            return Ok(DistanceSum { steps, real: 0.0 });
        }
        let weighted = |(d, &other): (&f64, &u32)| mass.weight(other as usize) * d;
        let sum = all.iter().zip(&order.rows).map(weighted).sum::<f64>() - own_weight * all[own];
        Ok(DistanceSum { steps: 0, real: own_weight * sum })
    })
}

/// What `keep` makes of the neighbours of each row of a tile.
pub(super) fn pick<T: Send>(
    control: &Control,
    classes: &[u16],
    picker: &Picker<'_>,
    d: &dyn RowDistances,
    tile: &Range<usize>,
    keep: fn(Contribution) -> T,
) -> Result<Vec<T>> {
    const TASK_ROWS: usize = 32;
    parallel::collect(control, tile.len().div_ceil(TASK_ROWS), &|task| {
        control.check()?;
        let (mut whole, mut real) = (Vec::new(), Vec::new());
        let task_rows = task * TASK_ROWS..((task + 1) * TASK_ROWS).min(tile.len());
        let kept = task_rows.map(|i| {
            let row = tile.start + i;
            let own = usize::from(classes[row]);
            keep(if d.is_whole() {
                d.copy_whole(i, &mut whole);
                picker.pick(row, own, &mut whole)
            } else {
                d.copy_real(i, &mut real);
                picker.pick(row, own, &mut real)
            })
        });
        Ok(kept.collect())
    })
}

/// A tile whose neighbours are picked, to be summed.
struct TileWork<'a> {
    kernels: Kernels,
    rows: &'a NeighbourRows<'a>,
    order: &'a Order,
    /// First row of the tile.
    first: usize,
    /// Neighbours of each row of the tile.
    picked: &'a [PackedContribution],
    /// Whether what a row adds is weighted by the share of its value.
    by_share: bool,
    /// Rows of the tile that are summed together.
    groups: Vec<Range<usize>>,
}

impl TileWork<'_> {
    /// The constants of a group of rows, with zeros for each feature.
    fn constants(&self, group: &Range<usize>) -> PartialScores {
        let constants = self.picked[group.clone()].iter().map(|c| c.constant);
        let all = if self.by_share { 0.0 } else { constants.sum() };
        PartialScores { all, each: vec![0.0; self.rows.features()] }
    }
}

/// Add the differences in the complete nominal columns, a block of columns per task.
fn add_nominal(control: &Control, work: &TileWork<'_>, parts: &mut [PartialScores]) -> Result<()> {
    let (rows, columns) = (work.rows, work.rows.codes.columns);
    if columns == 0 {
        return Ok(());
    }
    let width = block_width(rows.len(), columns);
    let found = parallel::map(control, columns.div_ceil(width), &|b| {
        let range = b * width..((b + 1) * width).min(columns);
        // codes by place, because neighbours are places
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
                let contribution = &work.picked[i];
                let row = &bytes[work.order.places[work.first + i] as usize * width..][..width];
                for PackedGroup { weight, places } in &contribution.groups {
                    let to = if work.by_share { &mut of_row } else { &mut *sums };
                    let places = places.list(&mut listed);
                    work.kernels.add_mismatches(row, &bytes, places, *weight, to);
                }
                // weight what the row adds by the share of its value in each column
                if work.by_share {
                    for (k, (sum, add)) in sums.iter_mut().zip(&mut of_row).enumerate() {
                        *sum +=
                            shares[k * 256 + usize::from(row[k])] * (contribution.constant + *add);
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

/// Share of each code in each column, `[column][code]` with 256 codes per column.
fn shares(bytes: &[u8], width: usize, rows: usize) -> Vec<f64> {
    let mut shares = vec![0.0; width * 256];
    for row in bytes.chunks_exact(width) {
        row.iter().enumerate().for_each(|(k, &code)| shares[k * 256 + usize::from(code)] += 1.0);
    }
    shares.iter_mut().for_each(|s| *s /= rows as f64);
    shares
}

/// Add the differences in the other columns, a column per task.
fn add_others(control: &Control, work: &TileWork<'_>, parts: &mut [PartialScores]) -> Result<()> {
    let places = &work.order.rows;
    let found = parallel::map(control, work.rows.others.len(), &|k| {
        let column = &work.rows.others[k];
        // numbers by place, because neighbours are places
        let numbers: Option<(Vec<f64>, &[f64])> = column
            .complete_numbers()
            .map(|values| (places.iter().map(|&row| values[row as usize]).collect(), values));
        let mut listed = Vec::new();
        let mut of_row = |i: usize| -> f64 {
            let row = work.first + i;
            let differences = |neighbours: &[u32]| -> f64 {
                let near = neighbours.iter().map(|&place| place as usize);
                match &numbers {
                    Some((by_place, values)) => {
                        near.map(|place| (by_place[place] - values[row]).abs()).sum()
                    }
                    None => near.map(|place| column.diff(row, places[place] as usize)).sum(),
                }
            };
            let groups = work.picked[i].groups.iter();
            groups.map(|g| g.weight * differences(g.places.list(&mut listed))).sum()
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
