//! The exact pass: all counts of [`PairCounts`], for all features, distances and settings at once.
//!
//! The counts are over ordered pairs (i, j). The rows i are the *columns*, in tiles of 512 (256
//! without AVX-512); the rows j are the *active rows*, in chunks of one class. For a chunk and a
//! tile the kernels compute the distance of every pair as bit planes, and for each feature and
//! distance carry-save sums over the rows that agree with the column ([`super::tile`]). Only cases
//! 1 and 2 and the total over all cases are counted, by (feature, value); cases 3 and 4 are the
//! totals less cases 1 and 2.
//!
//! O(t^2 n L / 512) vector operations for t rows, n features and L distances with counters. There
//! is no t x t matrix: a worker holds the counters of a tile, about `15 n L` vectors. Tiles are
//! shared among threads; with little memory the active rows are scheduled a few tiles at a time
//! ([`plan::CountPlan`]). The counts are the same in any case. Few rows, and dense product domains,
//! have faster methods, which [`count`] chooses ([`super::naive`], [`super::dense`]).

use super::counts::{Classes, PairCounts};
use super::dense;
use super::input::{CodeTable, REMEDY, SlotRows, WHAT};
use super::naive::few_rows;
use super::plan::{self, PassShape};
use super::runs::Mode;
use super::scan::{PairScan, SlotSizes, Tile, tiles};
use super::tile::{Worker, WorkerOptions};
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::simd::{Kernels, Window};
use std::sync::OnceLock;

/// Counts of the ordered pairs (i, j) with i in `from` and j in `among` (all rows if `None`, so
/// with self-pairs; a row that is named twice counts twice). The counts over the parts of a
/// partition of `from` add up to the counts over `from`.
///
/// # Errors
/// [`crate::error::Error::Data`] for a row that does not exist or a table of more than two
/// gigabytes; [`crate::error::Error::Cancelled`].
pub fn pair_counts(
    control: &Control,
    kernels: Kernels,
    codes: &CodeTable<'_>,
    from: Option<&[u32]>,
    among: Option<&[u32]>,
) -> Result<PairCounts> {
    let shape = |rows| codes.shape(kernels, rows);
    // the number of columns, unless they are the active rows
    let n_columns = (from != among).then(|| from.map_or(codes.n_rows(), <[u32]>::len));
    let pass_bytes = |rows| shape(rows).least_with_columns(n_columns);
    let active = SlotRows::gather(control.budget(), codes, among, &pass_bytes)?;
    let mut control = control.holding(active.held());
    let columns = match n_columns {
        None => None,
        Some(_) => {
            let pass_bytes = |columns| shape(active.len()).for_columns(columns).least();
            Some(SlotRows::gather(control.budget(), codes, from, &pass_bytes)?)
        }
    };
    control = control.holding(columns.as_ref().map_or(0, SlotRows::held));
    let counts =
        count(&control, kernels, columns.as_ref().unwrap_or(&active), &active, Classes::Apart)?;
    counts.check_sums()?;
    Ok(counts)
}

/// Counts over the pairs of gathered rows, by the cheapest method. `columns` are the rows i,
/// `active` the rows j.
pub(super) fn count(
    control: &Control,
    kernels: Kernels,
    columns: &SlotRows,
    active: &SlotRows,
    classes: Classes,
) -> Result<PairCounts> {
    let all = active.n_classes();
    let control = &PairCounts::affordable(control, &active.offsets, classes.count(all))?;
    let same_rows = std::ptr::eq(columns, active);
    // Small and dense cases have faster methods, which count classes apart.
    let few = plan::is_few(columns, active);
    if few || same_rows && plan::transform_pays(active) && dense::fits(control, active) {
        let counts = if few {
            let mut counts = PairCounts::try_zero(active.offsets.clone(), all)?;
            few_rows(columns, active, &mut counts);
            counts
        } else {
            dense::count(control, active)?
        };
        return Ok(if classes == Classes::Together { counts.together() } else { counts });
    }
    // Divide the work within the limits of memory.
    let sizes = SlotSizes::new(active);
    let shape = PassShape::new(kernels, columns, active, classes, &sizes);
    let plan = plan::CountPlan::new(&shape, control.threads(), control.budget());
    control.budget().admit(WHAT, plan.bytes, REMEDY)?;
    let column_tiles = tiles(columns, kernels.words());
    let active_tiles = if same_rows { None } else { Some(tiles(active, kernels.words())) };
    let active_tiles = active_tiles.as_ref().unwrap_or(&column_tiles);
    let batches = active_tiles.len().div_ceil(plan.tiles);
    control.set_total((column_tiles.len() * batches) as u64);
    let mode = if same_rows { Mode::own(active, kernels, classes) } else { Mode::Columns };
    let options = WorkerOptions { mode, classes, longest: plan.longest };
    // Count one batch of active rows after the other, all shares of the columns in parallel.
    let first_window = OnceLock::new();
    let zero = || PairCounts::try_zero(active.offsets.clone(), classes.count(all));
    let mut counts = zero()?;
    for batch in active_tiles.chunks(plan.tiles) {
        let scan = PairScan::new(control, active, batch, &sizes.majority)?;
        if plan.shares == 1 {
            let worker = Worker::new(kernels, columns, active, &scan, options, counts);
            counts = count_tiles(control, worker, &column_tiles, &first_window)?;
            continue;
        }
        let partial = parallel::map(control, plan.shares, &|share| {
            let worker = Worker::new(kernels, columns, active, &scan, options, zero()?);
            let share = column_tiles.iter().skip(share).step_by(plan.shares);
            count_tiles(control, worker, share, &first_window)
        })?;
        for counted in partial {
            counts.add(&counted)?;
        }
    }
    counts.pairs = columns.total() * active.total();
    Worker::finish(&mut counts);
    Ok(counts)
}

/// Counts of all tiles by one worker, to be finished with [`Worker::finish`]. Workers on the same
/// data share `first_window`: the first to count a tile sets it, and later ones begin with it
/// instead of a sample.
pub(super) fn count_tiles<'t>(
    control: &Control,
    mut worker: Worker<'_>,
    tiles: impl IntoIterator<Item = &'t Tile>,
    first_window: &OnceLock<Window>,
) -> Result<PairCounts> {
    worker.window = first_window.get().copied();
    for tile in tiles {
        worker.count_tile(control, tile)?;
        if let Some(window) = worker.window {
            first_window.get_or_init(|| window);
        }
        control.advance(1);
    }
    Ok(worker.counts())
}
