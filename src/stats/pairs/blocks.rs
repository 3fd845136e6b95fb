//! Counts per pair of row blocks, from which cross-validation derives the counts of all its
//! training sets.
//!
//! With 10 folds there are 55 unordered pairs of folds. The counts of a training set are the sum of
//! those that do not involve the fold left out, exactly, since counts are integers. No pair of rows
//! is worked on twice, but the counters of each pair of blocks are read separately; all 10 training
//! sets together cost two to three passes, the fewer, the more rows there are. Memory: one table of
//! counts per pair of blocks.

use super::counts::{Classes, PairCounts};
use super::exact::count_tiles;
use super::input::{CodeTable, SlotRows};
use super::naive::few_rows;
use super::plan;
use super::runs::Mode;
use super::scan::{PairScan, SlotSizes, Tile, tiles};
use super::tile::{Worker, WorkerOptions};
use crate::error::{Error, Result};
use crate::parallel::{self, Control};
use crate::simd::{Kernels, LONGEST_WINDOW, Window};
use std::ops::Range;
use std::sync::OnceLock;

/// Counts of each unordered pair of blocks, over both orders of its pairs of rows.
#[derive(Debug, Clone)]
pub struct BlockCounts {
    blocks: usize,
    /// Counts of blocks a and b, ordered as [`BlockPair::all`].
    by_pair: Vec<PairCounts>,
    /// Their sum.
    all: PairCounts,
}

/// An unordered pair of blocks.
#[derive(Debug, Clone, Copy)]
pub(super) struct BlockPair {
    pub a: usize,
    /// At least `a`.
    pub b: usize,
}

impl BlockPair {
    /// All pairs of `blocks` blocks in lexicographic order.
    fn all(blocks: usize) -> impl Iterator<Item = Self> {
        (0..blocks).flat_map(move |a| (a..blocks).map(move |b| Self { a, b }))
    }
}

/// Blocks of rows, and which of their pairs to count.
#[derive(Debug, Clone)]
pub struct RowBlocks<'a> {
    /// The rows of each block; no row is in two.
    pub members: &'a [Vec<u32>],
    /// Positions of the pairs of blocks (a, b) with a <= b, in lexicographic order; positions
    /// beyond the last are ignored.
    pub asked: Range<usize>,
}

impl BlockCounts {
    /// Counts of all rows except the rows of one block. O(blocks) tables are subtracted from the
    /// counts of all rows.
    ///
    /// # Errors
    /// [`Error::Data`] if the counts of a pair are not among all counts, a defect of the pass.
    pub fn without(&self, block: usize) -> Result<PairCounts> {
        let mut rest = self.all.clone();
        for (pair, counts) in BlockPair::all(self.blocks).zip(&self.by_pair) {
            if pair.a == block || pair.b == block {
                rest.subtract(counts)?;
            }
        }
        Ok(rest)
    }
}

/// The rows of a block, prepared to be columns and active rows.
struct PreparedBlock {
    rows: SlotRows,
    tiles: Vec<Tile>,
    scan: PairScan,
}

impl PreparedBlock {
    fn gather(
        control: &Control,
        codes: &CodeTable<'_>,
        kernels: Kernels,
        members: &[u32],
    ) -> Result<Self> {
        let pass_bytes = |rows| codes.shape(kernels, rows).least();
        let rows = SlotRows::gather(control.budget(), codes, Some(members), &pass_bytes)?;
        let tiles = tiles(&rows, kernels.words());
        let scan = PairScan::new(control, &rows, &tiles, &SlotSizes::new(&rows).majority)?;
        Ok(Self { rows, tiles, scan })
    }
}

/// Counts of all pairs of rows by the blocks of their rows: row r is in block `block[r]`, below
/// `blocks`.
///
/// # Errors
/// [`Error::Data`] for a block out of range; [`Error::Cancelled`].
pub fn pair_counts_by_block(
    control: &Control,
    kernels: Kernels,
    codes: &CodeTable<'_>,
    block: &[u16],
    blocks: usize,
    classes: Classes,
) -> Result<BlockCounts> {
    if block.len() != codes.n_rows() {
        return Err(Error::Data(format!(
            "{} block numbers for {} rows",
            block.len(),
            codes.n_rows()
        )));
    }
    let mut members = vec![Vec::new(); blocks];
    for (row, &b) in block.iter().enumerate() {
        match members.get_mut(usize::from(b)) {
            Some(m) => m.push(row as u32),
            None => return Err(Error::Data(format!("row {row}: block {b} of {blocks}"))),
        }
    }
    let chosen = RowBlocks { members: &members, asked: 0..usize::MAX };
    let by_pair =
        map_pairs_of_blocks(control, kernels, codes, chosen, classes, |_, counts| Ok(counts))?;
    let mut all = PairCounts::zero(codes.offsets(), classes.count(codes.n_classes()));
    for counts in &by_pair {
        all.add(counts)?;
    }
    Ok(BlockCounts { blocks, by_pair, all })
}

/// The result of `f` for the counts of each chosen pair of blocks, over both orders of its pairs of
/// rows; in lexicographic order. The counts themselves are not kept.
pub(super) fn map_pairs_of_blocks<R: Send>(
    control: &Control,
    kernels: Kernels,
    codes: &CodeTable<'_>,
    RowBlocks { members, asked }: RowBlocks<'_>,
    classes: Classes,
    f: impl Fn(BlockPair, PairCounts) -> Result<R> + Sync + Send,
) -> Result<Vec<R>> {
    let prepared = parallel::map(control, members.len(), &|block| {
        PreparedBlock::gather(control, codes, kernels, &members[block])
    })?;
    let pairs: Vec<BlockPair> =
        BlockPair::all(members.len()).skip(asked.start).take(asked.len()).collect();
    control.set_total(pairs.len() as u64);
    let (within, first_window) = (control.quiet(), OnceLock::new());
    parallel::map(control, pairs.len(), &|p| {
        let pair = pairs[p];
        let blocks = [&prepared[pair.a], &prepared[pair.b]];
        let counts = both_orders(&within, kernels, blocks, classes, &first_window)?;
        counts.check_sums()?;
        control.advance(1);
        f(pair, counts)
    })
}

/// Counts over both orders of the pairs of a row of one list and a row of the other; no row may be
/// in both.
///
/// These and the [`pair_counts`](super::pair_counts) of each list alone add up to the counts of all
/// rows.
///
/// # Errors
/// [`Error::Data`] for a row that does not exist or is in both lists; [`Error::Cancelled`].
pub fn pair_counts_across(
    control: &Control,
    codes: &CodeTable<'_>,
    rows: [&[u32]; 2],
) -> Result<PairCounts> {
    let mut first = vec![false; codes.n_rows()];
    for &row in rows[0] {
        if let Some(known) = first.get_mut(row as usize) {
            *known = true;
        }
    }
    if rows[1].iter().any(|&row| first.get(row as usize) == Some(&true)) {
        return Err(Error::Data("a row is in both lists of rows".into()));
    }
    let kernels = Kernels::active();
    let [a, b] = [
        PreparedBlock::gather(control, codes, kernels, rows[0])?,
        PreparedBlock::gather(control, codes, kernels, rows[1])?,
    ];
    PairCounts::affordable(control, &a.rows.offsets, codes.n_classes())?;
    control.set_total((a.tiles.len() + b.tiles.len()) as u64);
    let counts = both_orders(control, kernels, [&a, &b], Classes::Apart, &OnceLock::new())?;
    counts.check_sums()?;
    Ok(counts)
}

/// Counts over both orders of the pairs of two blocks, or over the pairs of one block if it is
/// given twice.
fn both_orders(
    control: &Control,
    kernels: Kernels,
    [a, b]: [&PreparedBlock; 2],
    classes: Classes,
    first_window: &OnceLock<Window>,
) -> Result<PairCounts> {
    let same = std::ptr::eq(a, b);
    let all = a.rows.n_classes();
    if plan::is_few(&a.rows, &b.rows) {
        let mut counts = PairCounts::zero(a.rows.offsets.clone(), all);
        few_rows(&a.rows, &b.rows, &mut counts);
        if !same {
            few_rows(&b.rows, &a.rows, &mut counts);
        }
        return Ok(if classes == Classes::Together { counts.together() } else { counts });
    }
    let mut counts = PairCounts::zero(a.rows.offsets.clone(), classes.count(all));
    let pairs = a.rows.total() * b.rows.total();
    // add the pairs of one order to `counts`
    let add = |columns: &PreparedBlock, active: &PreparedBlock, mode, counts| {
        let options = WorkerOptions { mode, classes, longest: LONGEST_WINDOW };
        let worker =
            Worker::new(kernels, &columns.rows, &active.rows, &active.scan, options, counts);
        count_tiles(control, worker, &columns.tiles, first_window)
    };
    if same {
        counts = add(a, a, Mode::Own, counts)?;
        counts.pairs = pairs;
    } else {
        counts = add(a, b, Mode::Both, counts)?;
        counts = add(b, a, Mode::Distances, counts)?;
        counts.pairs = 2 * pairs;
    }
    Worker::finish(&mut counts);
    Ok(counts)
}
