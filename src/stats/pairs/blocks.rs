//! Counts by pair of row blocks: all training sets of a cross-validation at the cost of two to
//! three passes, the fewer, the more rows: no pair is worked on twice, but the counters of each
//! pair of blocks are read by themselves.
//!
//! With 10 folds there are 55 unordered pairs of folds; the counts of a training set are the sum of
//! those that do not touch the fold left out, exactly, because they are integers. Memory: one table
//! of counts a pair of blocks.

use super::counts::{Classes, PairCounts};
use super::exact::take;
use super::input::{CodeTable, SlotRows};
use super::naive::few_rows;
use super::plan;
use super::runs::Mode;
use super::scan::{PairScan, Tile, common, tiles};
use super::tile::Worker;
use crate::error::{Error, Result};
use crate::memory::Budget;
use crate::parallel::{self, Control};
use crate::simd::{Kernels, LONGEST_WINDOW, Window};
use std::ops::Range;
use std::sync::OnceLock;

/// Counts of each unordered pair of blocks, both orders of its pairs of rows.
#[derive(Debug, Clone)]
pub struct BlockCounts {
    blocks: usize,
    /// `(a, b)` with a <= b, in lexicographic order.
    parts: Vec<PairCounts>,
    /// The sum of all parts.
    all: PairCounts,
}

impl BlockCounts {
    /// Number of blocks.
    pub fn blocks(&self) -> usize {
        self.blocks
    }

    /// Counts of all pairs.
    pub fn all(&self) -> &PairCounts {
        &self.all
    }

    /// Counts of all rows but those of one block.
    ///
    /// # Errors
    /// As [`PairCounts::subtract`], if parts do not belong together.
    pub fn without(&self, block: usize) -> Result<PairCounts> {
        let mut rest = self.all.clone();
        let pairs = (0..self.blocks).flat_map(|a| (a..self.blocks).map(move |b| (a, b)));
        for (_, part) in pairs.zip(&self.parts).filter(|((a, b), _)| *a == block || *b == block) {
            rest.subtract(part)?;
        }
        Ok(rest)
    }
}

struct RowBlock {
    rows: SlotRows,
    tiles: Vec<Tile>,
    scan: PairScan,
}

impl RowBlock {
    fn gather(
        budget: Budget,
        codes: &CodeTable<'_>,
        kernels: Kernels,
        members: &[u32],
    ) -> Result<Self> {
        let least = |rows| codes.shape(kernels, rows).least();
        let rows = SlotRows::gather(budget, codes, Some(members), least)?;
        let tiles = tiles(&rows, kernels.words());
        let scan = PairScan::new(&rows, &tiles, &common(&rows));
        Ok(Self { rows, tiles, scan })
    }
}

/// Count all pairs of rows by the blocks their rows are in (`block[row]` below `blocks`), classes
/// apart or together.
///
/// # Errors
/// [`Error::Data`] for a block out of range; [`Error::Cancelled`].
pub fn pair_counts_by_block(
    control: &Control,
    codes: &CodeTable<'_>,
    block: &[u16],
    blocks: usize,
    classes: Classes,
) -> Result<BlockCounts> {
    pair_counts_by_block_with(control, Kernels::active(), codes, block, blocks, classes)
}

/// [`pair_counts_by_block`] with kernels of a stated level.
///
/// # Errors
/// As [`pair_counts_by_block`].
pub fn pair_counts_by_block_with(
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
    let parts = each_pair_of_blocks(
        control,
        kernels,
        codes,
        (&members, 0..usize::MAX),
        classes,
        |_, c| Ok(c),
    )?;
    let mut all = PairCounts::zero(codes.offsets(), classes.kept(codes.n_classes()));
    for part in &parts {
        all.add(part)?;
    }
    Ok(BlockCounts { blocks, parts, all })
}

/// Count each unordered pair of blocks of rows, both orders of its pairs, and keep what `f((a, b),
/// counts)` makes of it, in lexicographic order; of all pairs of blocks those with numbers in
/// `asked`.
pub(super) fn each_pair_of_blocks<R: Send>(
    control: &Control,
    kernels: Kernels,
    codes: &CodeTable<'_>,
    (members, asked): (&[Vec<u32>], Range<usize>),
    classes: Classes,
    f: impl Fn((usize, usize), PairCounts) -> Result<R> + Sync + Send,
) -> Result<Vec<R>> {
    let blocks = members.len();
    let prepared = parallel::map(control, blocks, |b| {
        RowBlock::gather(control.budget(), codes, kernels, &members[b])
    })?;
    let all = (0..blocks).flat_map(|a| (a..blocks).map(move |b| (a, b)));
    let pairs: Vec<(usize, usize)> = all.skip(asked.start).take(asked.len()).collect();
    control.expect(pairs.len() as u64);
    let (within, saw) = (control.quiet(), OnceLock::new());
    parallel::map(control, pairs.len(), |p| {
        let (a, b) = pairs[p];
        let counts = between(&within, kernels, [&prepared[a], &prepared[b]], classes, &saw)?;
        counts.check_sums()?;
        control.advance(1);
        f((a, b), counts)
    })
}

/// Counts of both orders of the pairs of a row of one list and a row of the other; no row may be in
/// both.
///
/// With `pair_counts_between` of each list alone, this adds up to the counts of all rows.
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
        RowBlock::gather(control.budget(), codes, kernels, rows[0])?,
        RowBlock::gather(control.budget(), codes, kernels, rows[1])?,
    ];
    PairCounts::affordable(control, &a.rows.offsets, codes.n_classes())?;
    control.expect((a.tiles.len() + b.tiles.len()) as u64);
    let counts = between(control, kernels, [&a, &b], Classes::Apart, &OnceLock::new())?;
    counts.check_sums()?;
    Ok(counts)
}

fn between(
    control: &Control,
    kernels: Kernels,
    [a, b]: [&RowBlock; 2],
    classes: Classes,
    saw: &OnceLock<Window>,
) -> Result<PairCounts> {
    let same = std::ptr::eq(a, b);
    let all = a.rows.starts.len() - 1;
    if plan::is_few(&a.rows, &b.rows) {
        let mut counts = PairCounts::zero(a.rows.offsets.clone(), all);
        few_rows(&a.rows, &b.rows, &mut counts);
        if !same {
            few_rows(&b.rows, &a.rows, &mut counts);
        }
        return Ok(if classes == Classes::Together { counts.together() } else { counts });
    }
    let mut counts = PairCounts::zero(a.rows.offsets.clone(), classes.kept(all));
    let pairs = a.rows.total() * b.rows.total();
    let worker = |columns: &'_ RowBlock, active: &'_ RowBlock, mode, counts| {
        let worker = Worker::new(
            kernels,
            &columns.rows,
            &active.rows,
            &active.scan,
            (mode, classes, LONGEST_WINDOW),
            counts,
        );
        take(control, worker, &columns.tiles, saw)
    };
    if same {
        counts = worker(a, a, Mode::Own, counts)?;
        counts.pairs = pairs;
    } else {
        counts = worker(a, b, Mode::Both, counts)?;
        counts = worker(b, a, Mode::Distances, counts)?;
        counts.pairs = 2 * pairs;
    }
    Worker::finish(&mut counts);
    Ok(counts)
}
