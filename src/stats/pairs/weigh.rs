//! The fixed-weight pass: sums of pair weights under one setting of the framework, as integers.
//!
//! The exact pass ([`super::exact`]) keeps one counter per distance, which is fast for one or two
//! dozen distances. With alpha and decay given, a pair has a single weight, and this pass adds the
//! weights themselves, rounded to integers: `round(2^24 f(D) / f(nearest))`, where f is the decay
//! and `nearest` the smallest distance of two different rows. It keeps one sum for cases 1 and 2
//! per (feature, value, class of i) and one per row over all other rows; cases 3 and 4 are what
//! remains. Pairs at distance 0, a row with itself included, would dwarf all other weights and are
//! counted exactly from a table of distinct rows. Rounding changes a pair by at most 2^-25 of the
//! largest weight. Sums are integers, hence bit-identical for every instruction set, number of
//! threads and order of rows. Both orders of a pair are handled at once.
//!
//! Where few distances meet features of many values, counting is cheaper ([`super::plan`]): the
//! pairs are then counted by distance and the counts weighed in the end, with the same sums.
//!
//! O(t^2 n / 512) vector operations for t rows of n features, fewer where features of few values
//! share additions ([`crate::simd::Joint`]). Memory: about `10 t n` bytes for the active rows, and
//! per thread `64 S + 4096 n` bytes (S slots; without AVX-512 `1056 S + 2048 n`), 256 kB of weights
//! and `32 t` bytes of sums. Not for several settings of the same data: after an exact pass each
//! further setting costs next to nothing.

use super::contract::PairSetting;
use super::counts::Classes;
use super::exact;
use super::input::{CodeTable, REMEDY, SlotRows, WHAT, distance};
use super::plan::{self, PairShape, PassShape};
use super::scan::{CHUNK, Chunk, SlotSizes, Tile, TilePlanes, tiles};
use super::weigh_blocks::{additions, blocks, group_features};
use super::weighed::WeighedPairs;
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::simd::{Buffer, Joint, Kernels, WeighedTile, WeightTable};
use std::cmp::Ordering;
use std::ops::Range;

/// Weighed sums over the ordered pairs (i, j) with i in `from` (all rows if `None`) and j any row.
///
/// # Errors
/// [`crate::error::Error::Data`] for a row that does not exist; [`crate::error::Error::Cancelled`].
pub fn weigh_pairs(
    control: &Control,
    kernels: Kernels,
    codes: &CodeTable<'_>,
    setting: &PairSetting,
    from: Option<&[u32]>,
) -> Result<WeighedPairs> {
    let gather = |control: &Control, rows| SlotRows::gather(control.budget(), codes, rows, &|_| 0);
    let active = gather(control, None)?;
    let mut control = control.holding(active.held());
    let columns = from.map(|from| gather(&control, Some(from))).transpose()?;
    control = control.holding(columns.as_ref().map_or(0, SlotRows::held));
    weigh(&control, kernels, columns.as_ref().unwrap_or(&active), &active, setting)
}

/// Sums over the pairs of gathered rows, by the cheapest method. `columns` are the rows i, `active`
/// the rows j.
pub(super) fn weigh(
    control: &Control,
    kernels: Kernels,
    columns: &SlotRows,
    active: &SlotRows,
    setting: &PairSetting,
) -> Result<WeighedPairs> {
    if plan::is_few(columns, active) {
        return few_rows(columns, active, setting);
    }
    // additions per column and row
    let additions = || {
        let groups = group_features(&active.offsets);
        let per_block = groups.iter().map(|g| additions(&active.offsets, g)).sum::<usize>();
        per_block as f64 / CHUNK as f64
    };
    let counts_fit = || {
        let sizes = SlotSizes::new(active);
        let shape = PassShape::new(kernels, columns, active, Classes::Apart, &sizes);
        control.budget().has(shape.least())
    };
    if plan::counting_pays(columns, active, kernels.words(), additions) && counts_fit() {
        by_counts(control, kernels, columns, active, setting)
    } else {
        by_sums(control, kernels, columns, active, setting)
    }
}

/// Count the pairs by distance, then weigh the counts.
pub(super) fn by_counts(
    control: &Control,
    kernels: Kernels,
    columns: &SlotRows,
    active: &SlotRows,
    setting: &PairSetting,
) -> Result<WeighedPairs> {
    let out = WeighedPairs::new(columns, active, setting);
    let counts = exact::count(control, kernels, columns, active, Classes::Apart)?;
    counts.check_sums()?;
    Ok(out.of_counts(&counts, setting))
}

/// Add the weights of the pairs, tile by tile.
pub(super) fn by_sums(
    control: &Control,
    kernels: Kernels,
    columns: &SlotRows,
    active: &SlotRows,
    setting: &PairSetting,
) -> Result<WeighedPairs> {
    let out = WeighedPairs::new(columns, active, setting);
    // As many shares of the columns as the memory allows, at most three per thread.
    let bytes = SumsBytes::new(kernels, &PairShape::new(columns, active));
    let column_tiles = tiles(columns, kernels.words());
    let most =
        if control.threads() == 1 { 1 } else { column_tiles.len().min(control.threads() * 3) };
    let fits = |&shares: &usize| control.budget().has(bytes.total(shares));
    let shares = (1..=most).rev().find(fits).unwrap_or(1);
    control.budget().admit(WHAT, bytes.total(shares), REMEDY)?;

    let mut out = out.with_identical(columns, active);
    let blocks = blocks(control, active, &tiles(active, kernels.words()))?;
    let known_nearest = out.nearest_if_flat(setting);
    control.set_total(column_tiles.len() as u64 * (1 + u64::from(known_nearest.is_none())));
    let same_rows = std::ptr::eq(columns, active);
    let worker = || WeighWorker::new(kernels, columns, active, same_rows);

    // The weights are relative to the weight of the nearest pair; to find it takes a pass over
    // distances.
    let nearest = match known_nearest {
        Some(nearest) => nearest,
        None => {
            let agreements = parallel::map(control, shares, &|share| {
                let mut worker = worker();
                let mut best = 0;
                for tile in column_tiles.iter().skip(share).step_by(shares) {
                    best = worker.most_agreements(control, tile, &blocks, best)?;
                    control.advance(1);
                }
                Ok(best)
            })?;
            columns.features - agreements.into_iter().max().unwrap_or(0)
        }
    };
    let by_distance = out.weights(setting, nearest);
    if by_distance.iter().all(|&weight| weight == 0) {
        return out.finished();
    }

    // Each share adds its weights, and the shares are added up.
    let by_agreements = WeightTable::new(by_distance.into_iter().rev().collect());
    let partial = parallel::map(control, shares, &|share| {
        let mut worker = worker();
        let mut sums = WeighSums::zero(columns, active);
        for tile in column_tiles.iter().skip(share).step_by(shares) {
            worker.add_tile(control, tile, &blocks, &by_agreements, &mut sums)?;
            control.advance(1);
        }
        Ok(sums)
    })?;
    for sums in &partial {
        sums.add_to(columns, &mut out);
    }
    out.finished()
}

/// Memory that [`by_sums`] takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct SumsBytes {
    /// The active rows in blocks, or the table of identical rows before them; and the result.
    shared: usize,
    /// Sums, bit planes and weights of one share of the columns.
    per_share: usize,
}

impl SumsBytes {
    /// The memory of sums over pairs of this shape. It is an upper bound that is known before the
    /// blocks are made.
    pub fn new(kernels: Kernels, shape: &PairShape) -> Self {
        let &PairShape { columns, active, features, slots, classes, weight_bits } = shape;
        // per digit of the multiplicities a row takes 4 bytes per slot, 2 per joint value and 8
        // more; an entry of the table of identical rows takes up to 240
        let blocks = weight_bits.saturating_mul(active * (6 * features + 8));
        let rows = blocks.max(240 * active);
        let sums = 32 * (slots * classes + columns);
        let planes = if kernels.words() == 8 {
            64 * slots + 4096 * features
        } else {
            1056 * slots + 2048 * features
        };
        let weights = 4 * 64 * 1024;
        Self {
            shared: rows.saturating_add(96 * slots * classes),
            per_share: sums + planes + weights,
        }
    }

    /// Bytes for the given number of shares. The caller takes as many shares as the memory allows.
    pub fn total(&self, shares: usize) -> usize {
        self.shared.saturating_add(self.per_share.saturating_mul(shares))
    }
}

/// Sums of one share of the columns.
struct WeighSums {
    /// Pairs that agree on the slot's feature, `[slot][class][same class, other class]`.
    agree: Vec<u128>,
    /// All pairs of a row, `[same class, other class]`.
    of_rows: Vec<[u128; 2]>,
}

impl WeighSums {
    fn zero(columns: &SlotRows, active: &SlotRows) -> Self {
        let cells = columns.n_slots() * active.n_classes();
        Self { agree: vec![0; cells * 2], of_rows: vec![[0; 2]; columns.len()] }
    }

    /// Add to the result: cases 1 and 2, and totals in cases 3 and 4.
    fn add_to(&self, columns: &SlotRows, out: &mut WeighedPairs) {
        for (cell, agree) in out.sums.chunks_exact_mut(4).zip(self.agree.chunks_exact(2)) {
            cell[0] += agree[0];
            cell[1] += agree[1];
        }
        for class in 0..out.n_classes {
            for i in columns.class_rows(class) {
                let [same, other] = self.of_rows[i];
                if same == 0 && other == 0 {
                    continue;
                }
                for &slot in columns.row(i) {
                    let cell = (slot as usize * out.n_classes + class) * 4;
                    out.sums[cell + 2] += same;
                    out.sums[cell + 3] += other;
                }
            }
        }
    }
}

/// Which rows the pairs of a tile and a block are counted for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WeighSide {
    /// The columns.
    Columns,
    /// The columns and the rows of the block.
    Both,
}

/// What the blocks of a run have in common: their sums are added up before they are read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct WeighRun {
    /// Binary digit of the multiplicities.
    bit: u32,
    side: WeighSide,
    /// Class of the active rows.
    class: usize,
}

/// Memory of one share of the columns, and the sums of the current tile and run.
struct WeighWorker<'a> {
    kernels: Kernels,
    columns: &'a SlotRows,
    classes: usize,
    /// Whether columns and active rows are the same rows.
    same_rows: bool,
    /// The columns of the current tile.
    planes: TilePlanes,
    /// Weights of the pairs of the tile and the current block.
    weights: Buffer,
    /// The slots as masks of lanes ([`Kernels::lane_masks`]).
    masks: Buffer,
    /// Memory of the kernels.
    scratch: Buffer,
    /// Weights of the pairs that agree, per feature and column.
    sums: Buffer,
    /// Weights of all pairs, per column.
    of_columns: Buffer,
}

impl<'a> WeighWorker<'a> {
    fn new(kernels: Kernels, columns: &'a SlotRows, active: &SlotRows, same_rows: bool) -> Self {
        let w = kernels.words();
        Self {
            planes: TilePlanes::new(columns, w),
            weights: Buffer::zeroed(kernels.weights_len()),
            masks: Buffer::default(),
            scratch: Buffer::default(),
            sums: Buffer::default(),
            of_columns: Buffer::zeroed(64 * w),
            classes: active.n_classes(),
            kernels,
            columns,
            same_rows,
        }
    }

    /// The blocks that form pairs with a tile, each with its run. Where columns and active rows are
    /// the same, blocks of later tiles are left to these tiles.
    fn blocks<'b>(
        &self,
        tile: &Tile,
        blocks: &'b [Vec<Chunk<Joint>>],
    ) -> impl Iterator<Item = (WeighRun, &'b Chunk<Joint>)> + use<'b> {
        let (same_rows, index) = (self.same_rows, tile.index);
        blocks.iter().enumerate().flat_map(move |(bit, blocks)| {
            blocks.iter().filter_map(move |block| {
                let side = match block.tile.cmp(&index) {
                    _ if !same_rows => WeighSide::Columns,
                    Ordering::Less => WeighSide::Both,
                    Ordering::Equal => WeighSide::Columns,
                    Ordering::Greater => return None,
                };
                Some((WeighRun { bit: bit as u32, side, class: block.class }, block))
            })
        })
    }

    /// Most agreements of a column of the tile with a different row, at least `best`.
    fn most_agreements(
        &mut self,
        control: &Control,
        tile: &Tile,
        blocks: &[Vec<Chunk<Joint>>],
        mut best: usize,
    ) -> Result<usize> {
        self.planes.load(self.columns, tile);
        let planes = &self.planes;
        for (_, block) in self.blocks(tile, blocks) {
            control.check()?;
            best = self.kernels.nearest(&planes.slots, &planes.valid, &block.slots, best);
        }
        Ok(best)
    }

    /// Add the weights of the pairs of a tile to `out`.
    fn add_tile(
        &mut self,
        control: &Control,
        tile: &Tile,
        blocks: &[Vec<Chunk<Joint>>],
        table: &WeightTable,
        out: &mut WeighSums,
    ) -> Result<()> {
        self.planes.load(self.columns, tile);
        let w = self.kernels.words();
        self.scratch.reserve(self.kernels.joint_len());
        self.kernels.lane_masks(&self.planes.slots, &mut self.masks);
        self.sums.reset(self.columns.features * 64 * w);
        self.of_columns.fill(0);
        let mut run: Option<WeighRun> = None;
        let mut of_rows = [0u64; CHUNK];
        let mut columns = Buffer::zeroed(w);
        for (now, block) in self.blocks(tile, blocks) {
            control.check()?;
            // The sums of a run are read when the next one begins.
            if let Some(before) = run.replace(now).filter(|before| *before != now) {
                self.flush(tile, before, out);
            }
            // Weights of the block's pairs, added per column.
            self.kernels.weights(&self.planes.slots, &block.slots, table, &mut self.weights);
            let weighed = WeighedTile {
                weights: &self.weights,
                rows: block.rows.len(),
                planes: &self.planes.slots,
                masks: &self.masks,
                valid: &self.planes.valid,
            };
            let (scratch, sums, all) = (&mut self.scratch, &mut self.sums, &mut self.of_columns);
            self.kernels.add_weights(weighed, &block.features, scratch, sums, all);
            if now.side == WeighSide::Columns {
                continue;
            }
            // The reverse order: the same weights added per row of the block, by class and
            // multiplicity of the columns.
            for of_class in &tile.runs {
                for (shift, copies) in &self.planes.weights {
                    let words: Range<usize> = of_class.words.clone();
                    columns.fill(0);
                    columns[words.clone()].copy_from_slice(&copies[words]);
                    let of_rows = &mut of_rows[..block.rows.len()];
                    self.kernels.row_sums(&self.weights, &columns, of_rows);
                    for (&row, &sum) in block.rows.iter().zip(&*of_rows) {
                        let case = usize::from(of_class.class != block.class);
                        out.of_rows[row as usize][case] += u128::from(sum) << (now.bit + shift);
                    }
                }
            }
        }
        if let Some(last) = run {
            self.flush(tile, last, out);
        }
        Ok(())
    }

    /// Add the sums of a run to `out` and clear them.
    fn flush(&mut self, tile: &Tile, run: WeighRun, out: &mut WeighSums) {
        let WeighRun { bit, side, class } = run;
        let w = self.kernels.words();
        // Pairs that agree: the columns of each slot, by class and multiplicity.
        let mut of_words = [0u64; 8];
        let of_words = &mut of_words[..w];
        for (sums, slots) in self.sums.chunks_exact(64 * w).zip(self.columns.offsets.windows(2)) {
            for slot in slots[0] as usize..slots[1] as usize {
                let plane = &self.planes.slots[slot * w..][..w];
                for (shift, digit) in &self.planes.weights {
                    self.kernels.sums_of_plane(sums, plane, digit, of_words);
                    for columns in &tile.runs {
                        let sum: u64 = of_words[columns.words.clone()].iter().sum();
                        if sum == 0 {
                            continue;
                        }
                        let amount = u128::from(sum) << (bit + shift);
                        let case = usize::from(columns.class != class);
                        out.agree[(slot * self.classes + columns.class) * 2 + case] += amount;
                        if side == WeighSide::Both {
                            out.agree[(slot * self.classes + class) * 2 + case] += amount;
                        }
                    }
                }
            }
        }
        // All pairs, column by column.
        for (w_index, word) in tile.words.iter().enumerate() {
            for (c, row) in word.rows.clone().enumerate() {
                let sum = u128::from(self.of_columns[w_index * 64 + c]) << bit;
                out.of_rows[row][usize::from(word.class != class)] +=
                    sum * u128::from(self.columns.weights[row]);
            }
        }
        self.sums.fill(0);
        self.of_columns.fill(0);
    }
}

/// Add the weights by a double loop over rows: the reference in tests, and the fastest method for
/// so few rows that a tile would be mostly empty.
pub(super) fn few_rows(
    columns: &SlotRows,
    active: &SlotRows,
    setting: &PairSetting,
) -> Result<WeighedPairs> {
    let mut out = WeighedPairs::new(columns, active, setting).with_identical(columns, active);
    let of_row = |i: usize| (0..active.len()).map(move |j| distance(columns.row(i), active.row(j)));
    let distances = || (0..columns.len()).flat_map(of_row);
    let nearest = out.nearest_if_flat(setting).or_else(|| distances().filter(|&d| d > 0).min());
    let by_distance = out.weights(setting, nearest.unwrap_or(columns.features));
    let class_of = |rows: &SlotRows, i: usize| rows.starts.partition_point(|&s| s <= i) - 1;
    for i in 0..columns.len() {
        let (a, own) = (columns.row(i), class_of(columns, i));
        for j in 0..active.len() {
            let b = active.row(j);
            let other = usize::from(own != class_of(active, j));
            let pair = u128::from(columns.weights[i]) * u128::from(active.weights[j]);
            let weight = u128::from(by_distance[distance(a, b)]) * pair;
            for (&slot, &b) in a.iter().zip(b) {
                let cell = (slot as usize * out.n_classes + own) * 4 + other;
                out.sums[cell + 2] += weight;
                if slot == b {
                    out.sums[cell] += weight;
                }
            }
        }
    }
    out.finished()
}
