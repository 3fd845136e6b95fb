//! The exact pass: all counts of [`PairCounts`], for all features, distances and settings at once.
//!
//! Rows stand in two parts. The *columns* are the i of the ordered pairs, 512 (256 without AVX-512)
//! to a tile, and the counts are theirs. The *active rows* are the j, in chunks of one class. For a
//! chunk and a tile the kernels make the distance of every pair as bit planes, one mask for each
//! live distance, and for each feature carry-save sums of the masks of rows that agree with the
//! column. What is counted are cases 1 and 2, and all cases together, by (feature, value); cases 3
//! and 4 are what remains (conservation).
//!
//! O(t^2 n L / 512) vector operations for L live distances; no t x t matrix: a worker holds the
//! counters of a tile, about `n L 15` vectors, and `L` masks for a chunk. Tiles are dealt out to
//! threads, and with little memory active rows are scheduled some tiles at a time
//! ([`plan::CountPlan`]); sums of integers do not depend on how.

use super::counts::{Classes, PairCounts};
use super::dense;
use super::input::{CodeTable, REMEDY, SlotRows, WHAT};
use super::naive::few_rows;
use super::plan::{self, PassShape};
use super::runs::Mode;
use super::scan::{PairScan, Tile, common, tiles};
use super::tile::Worker;
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::simd::{Kernels, Window};
use std::sync::OnceLock;

/// Counts of all ordered pairs of rows, self-pairs included.
///
/// # Errors
/// [`crate::error::Error::Data`] for a table of more than two gigabytes;
/// [`crate::error::Error::Cancelled`] when the control says so.
pub fn pair_counts(control: &Control, codes: &CodeTable<'_>) -> Result<PairCounts> {
    pair_counts_with(control, Kernels::active(), codes, None, None)
}

/// Counts of the ordered pairs (i, j) with i in `from` and j in `among` (all rows if `None`; a row
/// may be named twice and then counts twice). Results over a partition of `from` add up to the
/// whole.
///
/// # Errors
/// [`crate::error::Error::Data`] for a row that does not exist or a table of more than two
/// gigabytes; [`crate::error::Error::Cancelled`].
pub fn pair_counts_between(
    control: &Control,
    codes: &CodeTable<'_>,
    from: Option<&[u32]>,
    among: Option<&[u32]>,
) -> Result<PairCounts> {
    pair_counts_with(control, Kernels::active(), codes, from, among)
}

/// [`pair_counts_between`] with kernels of a stated level (tests, benches).
///
/// # Errors
/// As [`pair_counts_between`].
pub fn pair_counts_with(
    control: &Control,
    kernels: Kernels,
    codes: &CodeTable<'_>,
    from: Option<&[u32]>,
    among: Option<&[u32]>,
) -> Result<PairCounts> {
    let shape = |rows| codes.shape(kernels, rows);
    let others = (from != among).then(|| from.map_or(codes.n_rows(), <[u32]>::len));
    let later = |rows| shape(rows).with_columns(others);
    let active = SlotRows::gather(control.budget(), codes, among, later)?;
    let mut control = control.holding(active.held());
    let columns = match others {
        None => None,
        Some(_) => {
            let least = |n| PassShape { rows: [n, active.len()], ..shape(n) }.least();
            Some(SlotRows::gather(control.budget(), codes, from, least)?)
        }
    };
    control = control.holding(columns.as_ref().map_or(0, SlotRows::held));
    let counts =
        count(&control, kernels, columns.as_ref().unwrap_or(&active), &active, Classes::Apart)?;
    counts.check_sums()?;
    Ok(counts)
}

/// The pass over gathered rows.
pub(super) fn count(
    control: &Control,
    kernels: Kernels,
    columns: &SlotRows,
    active: &SlotRows,
    classes: Classes,
) -> Result<PairCounts> {
    let all = active.starts.len() - 1;
    let control = &PairCounts::affordable(control, &active.offsets, classes.kept(all))?;
    let own = std::ptr::eq(columns, active);
    let few = plan::is_few(columns, active);
    let zero = || PairCounts::try_zero(active.offsets.clone(), classes.kept(all));
    if few || own && plan::transform_pays(active) && dense::fits(control, active) {
        let counts = if few {
            let mut counts = PairCounts::try_zero(active.offsets.clone(), all)?;
            few_rows(columns, active, &mut counts);
            counts
        } else {
            dense::count(control, active)?
        };
        return Ok(if classes == Classes::Together { counts.together() } else { counts });
    }
    let shape = PassShape::new(kernels, columns, active, classes);
    let plan = plan::CountPlan::new(&shape, control.threads(), control.budget());
    control.budget().admit(WHAT, plan.bytes, REMEDY)?;
    let column_tiles = tiles(columns, kernels.words());
    let active_tiles = if own { None } else { Some(tiles(active, kernels.words())) };
    let active_tiles = active_tiles.as_ref().unwrap_or(&column_tiles);
    let common = common(active);
    let blocks = active_tiles.len().div_ceil(plan.tiles);
    control.expect((column_tiles.len() * blocks) as u64);
    let mode = if own { Mode::own(active, kernels, classes) } else { Mode::Columns };
    let how = (mode, classes, plan.longest);
    let saw = OnceLock::new();
    let mut counts = zero()?;
    for block in active_tiles.chunks(plan.tiles) {
        let scan = PairScan::new(active, block, &common);
        if plan.shares == 1 {
            let worker = Worker::new(kernels, columns, active, &scan, how, counts);
            counts = take(control, worker, &column_tiles, &saw)?;
            continue;
        }
        let parts = parallel::map(control, plan.shares, |share| {
            let worker = Worker::new(kernels, columns, active, &scan, how, zero()?);
            take(control, worker, column_tiles.iter().skip(share).step_by(plan.shares), &saw)
        })?;
        for part in parts {
            counts.add(&part)?;
        }
    }
    counts.pairs = columns.total() * active.total();
    Worker::finish(&mut counts);
    Ok(counts)
}

/// All tiles by one worker; the counts are not finished. The first of several workers on such data
/// looks which distances are worth counters, and leaves what it `saw` to those that come later.
pub(super) fn take<'t>(
    control: &Control,
    mut worker: Worker<'_>,
    tiles: impl IntoIterator<Item = &'t Tile>,
    saw: &OnceLock<Window>,
) -> Result<PairCounts> {
    worker.window = saw.get().copied();
    for tile in tiles {
        worker.tile(control, tile)?;
        if let Some(window) = worker.window {
            saw.get_or_init(|| window);
        }
        control.advance(1);
    }
    Ok(worker.counts())
}
