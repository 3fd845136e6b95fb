//! The fixed-weight pass: one setting of the framework, every pair's weight a whole number.
//!
//! The exact pass keeps a counter for each live distance, which pays while there are one or two
//! dozen. Here alpha and decay are given, a pair has one weight, and what is added up is the weight
//! itself, `round(2^24 f(D) / f(nearest))`: one sum for cases 1 and 2 by (feature, value, class of
//! i), one for each row over all others; cases 3 and 4 are what remains. Pairs at distance 0, a row
//! with itself among them, are counted exactly from a table of distinct rows, because their weight
//! would hide all others. So each pair of different rows is off by at most 2^-25 of the largest
//! weight of such a pair, a sum by at most 2^-25 of that weight for each of its pairs, and all sums
//! are integers: the same for every level, number of threads and order of rows. A pair is worked on
//! once for both of its orders.
//!
//! Where few distances meet many values counting is cheaper ([`super::plan`]): then pairs are
//! counted, and the counts weighed in the end. The sums are the same.
//!
//! O(t^2 n / 512) vector operations, fewer where features with few values share additions
//! ([`crate::simd::Joint`]). Memory: about `10 t n` bytes for the rows and their order, and for
//! each thread `64 S + 4096 n` bytes (S values of all features; AVX-512; without, `1056 S + 2048
//! n`), 256 kB of weights and `32 t` of sums. When not to use it: several settings of the same
//! data, which are free after the exact pass.

use super::contract::PairSetting;
use super::counts::Classes;
use super::exact;
use super::input::{CodeTable, REMEDY, SlotRows, WHAT};
use super::plan::{self, PassShape};
use super::scan::{CHUNK, Tile, tiles};
use super::weigh_blocks::{PowerBlock, PowerBlocks, additions, groups};
use super::weighed::WeighedPairs;
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::simd::{Buffer, Kernels, WeighedTile, WeightTable};
use std::cmp::Ordering;
use std::ops::Range;

/// Where the weights of distances 1 to n differ by no more than this factor, distance 1 gives the
/// unit and the nearest pair is not looked for.
const FLAT: f64 = 16.0;

/// Weighed sums over the ordered pairs (i, j) with i in `from` (all rows if `None`) and j any row.
///
/// # Errors
/// [`crate::error::Error::Data`] for a row that does not exist; [`crate::error::Error::Cancelled`].
pub fn weigh_pairs(
    control: &Control,
    codes: &CodeTable<'_>,
    setting: &PairSetting,
    from: Option<&[u32]>,
) -> Result<WeighedPairs> {
    weigh_pairs_with(control, Kernels::active(), codes, setting, from)
}

/// [`weigh_pairs`] with kernels of a stated level (tests, benches).
///
/// # Errors
/// As [`weigh_pairs`].
pub fn weigh_pairs_with(
    control: &Control,
    kernels: Kernels,
    codes: &CodeTable<'_>,
    setting: &PairSetting,
    from: Option<&[u32]>,
) -> Result<WeighedPairs> {
    let gather = |control: &Control, rows| SlotRows::gather(control.budget(), codes, rows, |_| 0);
    let active = gather(control, None)?;
    let mut control = control.holding(active.held());
    let columns = from.map(|from| gather(&control, Some(from))).transpose()?;
    control = control.holding(columns.as_ref().map_or(0, SlotRows::held));
    weigh(&control, kernels, columns.as_ref().unwrap_or(&active), &active, setting)
}

/// The pass over gathered rows: sums of weights, or of counts if they are the cheaper.
pub(super) fn weigh(
    control: &Control,
    kernels: Kernels,
    columns: &SlotRows,
    active: &SlotRows,
    setting: &PairSetting,
) -> Result<WeighedPairs> {
    if plan::is_few(columns, active) {
        let (out, shape, flat) = start(columns, active, setting)?;
        return few_rows(columns, active, &shape, flat, out.with_identical(columns, active));
    }
    let additions = || {
        let all =
            groups(&active.offsets).iter().map(|g| additions(&active.offsets, g)).sum::<usize>();
        all as f64 / CHUNK as f64
    };
    let room = || {
        let shape = PassShape::new(kernels, columns, active, Classes::Apart);
        control.budget().has(shape.least())
    };
    if plan::counting_pays(columns, active, kernels.words(), additions) && room() {
        by_counts(control, kernels, columns, active, setting)
    } else {
        by_sums(control, kernels, columns, active, setting)
    }
}

/// No sums yet, the setting without its theta, and whether distance 1 gives the unit.
fn start(
    columns: &SlotRows,
    active: &SlotRows,
    setting: &PairSetting,
) -> Result<(WeighedPairs, PairSetting, bool)> {
    let shape = PairSetting::new([1.0; 4], setting.alpha(), setting.decay())?;
    let flat = shape.weight(1) <= FLAT * shape.weight(columns.features);
    Ok((WeighedPairs::new(columns, active, setting), shape, flat))
}

/// Pairs counted by distance, whatever that costs.
pub(super) fn by_counts(
    control: &Control,
    kernels: Kernels,
    columns: &SlotRows,
    active: &SlotRows,
    setting: &PairSetting,
) -> Result<WeighedPairs> {
    let (out, shape, flat) = start(columns, active, setting)?;
    let counts = exact::count(control, kernels, columns, active, Classes::Apart)?;
    counts.check_sums()?;
    Ok(out.of_counts(&counts, &shape, flat))
}

/// Weights added up, whatever that costs.
pub(super) fn by_sums(
    control: &Control,
    kernels: Kernels,
    columns: &SlotRows,
    active: &SlotRows,
    setting: &PairSetting,
) -> Result<WeighedPairs> {
    let (out, shape, flat) = start(columns, active, setting)?;
    let (own, n) = (std::ptr::eq(columns, active), columns.features);
    let sums = SumsNeed::new(kernels, columns, active);
    let need = |shares: usize| sums.bytes(shares);
    let column_tiles = tiles(columns, kernels.words());
    let all =
        if control.threads() == 1 { 1 } else { column_tiles.len().min(control.threads() * 3) };
    let shares = (1..=all).rev().find(|&shares| control.budget().has(need(shares))).unwrap_or(1);
    control.budget().admit(WHAT, need(shares), REMEDY)?;
    let mut out = out.with_identical(columns, active);
    let blocks = PowerBlocks::new(control, active, &tiles(active, kernels.words()))?;
    control.expect(column_tiles.len() as u64 * (1 + u64::from(!flat)));
    let worker = || WeighWorker::new(kernels, columns, active, own);
    let nearest = if flat {
        1
    } else {
        let found = parallel::map(control, shares, |share| {
            let mut worker = worker();
            let mut best = 0;
            for tile in column_tiles.iter().skip(share).step_by(shares) {
                best = worker.nearest(control, tile, &blocks, best)?;
                control.advance(1);
            }
            Ok(best)
        })?;
        n - found.into_iter().max().unwrap_or(0)
    };
    let table = out.weights(&shape, nearest);
    if table.iter().all(|&w| w == 0) {
        return out.finished();
    }
    // by agreements
    let by_agreements = WeightTable::new(table.iter().rev().copied().collect());
    let parts = parallel::map(control, shares, |share| {
        let mut worker = worker();
        let mut part = WeighSums::zero(columns, active);
        for tile in column_tiles.iter().skip(share).step_by(shares) {
            worker.tile(control, tile, &blocks, &by_agreements, &mut part)?;
            control.advance(1);
        }
        Ok(part)
    })?;
    for part in &parts {
        part.add_to(columns, &mut out);
    }
    out.finished()
}

/// What the sums of weights take.
#[derive(Debug, Clone, Copy)]
pub(super) struct SumsNeed {
    /// Active rows by the digits of their weights, or the table of equal rows before them; and the
    /// sums of the result.
    all: usize,
    /// Of each share of the columns: sums, bit planes, weights.
    share: usize,
}

impl SumsNeed {
    /// Of gathered rows.
    pub fn new(kernels: Kernels, columns: &SlotRows, active: &SlotRows) -> Self {
        let n = columns.features;
        let (slots, classes) = (columns.offsets[n] as usize, active.starts.len() - 1);
        let top = active.weights.iter().fold(0, |a, &w| a | w);
        let bits = (32 - top.leading_zeros()) as usize;
        Self::with(kernels, [columns.len(), active.len()], [n, slots, classes], bits)
    }

    /// Of rows that all differ, with weights of `bits` binary digits; `shape` has the numbers of
    /// features, slots and classes.
    pub fn of_rows(kernels: Kernels, rows: usize, shape: [usize; 3], bits: usize) -> Self {
        Self::with(kernels, [rows, rows], shape, bits)
    }

    fn with(
        kernels: Kernels,
        [columns, active]: [usize; 2],
        [n, slots, classes]: [usize; 3],
        bits: usize,
    ) -> Self {
        let of_rows = bits.saturating_mul(active * (6 * n + 8)).max(240 * active);
        let sums = 32 * (slots * classes + columns);
        let planes =
            if kernels.words() == 8 { 64 * slots + 4096 * n } else { 1056 * slots + 2048 * n };
        let all = of_rows.saturating_add(96 * slots * classes);
        Self { all, share: sums + planes + 4 * 64 * 1024 }
    }

    /// Bytes with a number of shares.
    pub fn bytes(&self, shares: usize) -> usize {
        self.all.saturating_add(self.share.saturating_mul(shares))
    }
}

/// Sums of one worker.
struct WeighSums {
    /// `[slot][class][same class, other class]`: pairs that agree.
    agree: Vec<u128>,
    /// `[row][same class, other class]`: all pairs of a row.
    rows: Vec<[u128; 2]>,
}

impl WeighSums {
    fn zero(columns: &SlotRows, active: &SlotRows) -> Self {
        let slots = columns.offsets[columns.features] as usize;
        let classes = active.starts.len() - 1;
        Self { agree: vec![0; slots * classes * 2], rows: vec![[0; 2]; columns.len()] }
    }

    fn add_to(&self, columns: &SlotRows, out: &mut WeighedPairs) {
        for (cell, agree) in out.sums.chunks_exact_mut(4).zip(self.agree.chunks_exact(2)) {
            cell[0] += agree[0];
            cell[1] += agree[1];
        }
        for class in 0..out.n_classes {
            for i in columns.starts[class]..columns.starts[class + 1] {
                let all = self.rows[i];
                if all == [0; 2] {
                    continue;
                }
                for &slot in columns.row(i) {
                    let cell = (slot as usize * out.n_classes + class) * 4;
                    out.sums[cell + 2] += all[0];
                    out.sums[cell + 3] += all[1];
                }
            }
        }
    }
}

/// For whom the pairs of a tile and a block count.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WeighSide {
    Columns,
    Both,
}

/// Scratch of one thread.
struct WeighWorker<'a> {
    kernels: Kernels,
    columns: &'a SlotRows,
    classes: usize,
    /// Columns and active rows are the same.
    own: bool,
    planes: Buffer,
    valid: Buffer,
    /// Digits of the columns' multiplicities that occur, and a plane for each.
    shifts: Vec<u32>,
    copies: Buffer,
    weights: Buffer,
    masks: Buffer,
    scratch: Buffer,
    sums: Buffer,
    of_columns: Buffer,
}

impl<'a> WeighWorker<'a> {
    fn new(kernels: Kernels, columns: &'a SlotRows, active: &SlotRows, own: bool) -> Self {
        let w = kernels.words();
        let slots = columns.offsets[columns.features] as usize;
        Self {
            planes: Buffer::zeroed(slots * w),
            valid: Buffer::zeroed(w),
            shifts: Vec::new(),
            copies: Buffer::default(),
            weights: Buffer::zeroed(kernels.weights_len()),
            masks: Buffer::default(),
            scratch: Buffer::default(),
            sums: Buffer::default(),
            of_columns: Buffer::zeroed(64 * w),
            classes: active.starts.len() - 1,
            kernels,
            columns,
            own,
        }
    }

    /// Planes of the columns of a tile.
    fn load(&mut self, tile: &Tile) {
        let w = self.kernels.words();
        self.planes.fill(0);
        self.valid.fill(0);
        let rows = || {
            tile.words.iter().enumerate().flat_map(|(w, (_, rows))| {
                rows.clone().enumerate().map(move |(bit, row)| (w, 1u64 << bit, row))
            })
        };
        let mut any = 0;
        for (word, bit, row) in rows() {
            self.valid[word] |= bit;
            any |= self.columns.weights[row];
            for &slot in self.columns.row(row) {
                self.planes[slot as usize * w + word] |= bit;
            }
        }
        self.shifts = (0..32).filter(|shift| any >> shift & 1 == 1).collect();
        self.copies.reset(self.shifts.len() * w);
        for (digit, shift) in self.shifts.iter().enumerate() {
            for (word, bit, row) in rows() {
                if self.columns.weights[row] >> shift & 1 == 1 {
                    self.copies[digit * w + word] |= bit;
                }
            }
        }
    }

    /// Blocks that a tile is worked on with, by digit.
    fn blocks<'b>(
        &self,
        tile: &Tile,
        blocks: &'b PowerBlocks,
    ) -> impl Iterator<Item = (u32, WeighSide, &'b PowerBlock)> + use<'b> {
        let (own, index) = (self.own, tile.index);
        blocks.bits.iter().enumerate().flat_map(move |(bit, blocks)| {
            blocks.iter().filter_map(move |block| {
                let side = match block.tile.cmp(&index) {
                    _ if !own => WeighSide::Columns,
                    Ordering::Less => WeighSide::Both,
                    Ordering::Equal => WeighSide::Columns,
                    Ordering::Greater => return None,
                };
                Some((bit as u32, side, block))
            })
        })
    }

    /// Most agreements of two rows that are not the same, if above `best`.
    fn nearest(
        &mut self,
        control: &Control,
        tile: &Tile,
        blocks: &PowerBlocks,
        mut best: usize,
    ) -> Result<usize> {
        self.load(tile);
        for (_, _, block) in self.blocks(tile, blocks) {
            control.check()?;
            best = self.kernels.nearest(&self.planes, &self.valid, &block.slots, best);
        }
        Ok(best)
    }

    /// The pairs of a tile, added.
    fn tile(
        &mut self,
        control: &Control,
        tile: &Tile,
        blocks: &PowerBlocks,
        table: &WeightTable,
        out: &mut WeighSums,
    ) -> Result<()> {
        self.load(tile);
        let w = self.kernels.words();
        self.scratch.reserve(self.kernels.joint_len());
        self.kernels.lane_masks(&self.planes, &mut self.masks);
        self.sums.reset(self.columns.features * 64 * w);
        self.of_columns.fill(0);
        // a run: blocks of one class, digit and side
        let mut run: Option<(u32, WeighSide, usize)> = None;
        let runs: Vec<Range<usize>> = tile.runs.iter().map(|(_, words)| words.clone()).collect();
        let mut of_rows = [0u64; CHUNK];
        let mut columns = Buffer::zeroed(w);
        for (bit, side, block) in self.blocks(tile, blocks) {
            control.check()?;
            let now = (bit, side, block.class);
            if let Some(before) = run.replace(now).filter(|before| *before != now) {
                self.flush(tile, before, out);
            }
            self.kernels.weights(&self.planes, &block.slots, table, &mut self.weights);
            let weighed = WeighedTile {
                weights: &self.weights,
                rows: block.rows.len(),
                planes: &self.planes,
                masks: &self.masks,
                valid: &self.valid,
            };
            let (scratch, sums, all) = (&mut self.scratch, &mut self.sums, &mut self.of_columns);
            self.kernels.add_weights(weighed, &block.joints, scratch, sums, all);
            if side == WeighSide::Columns {
                continue;
            }
            for ((class, _), words) in tile.runs.iter().zip(&runs) {
                for (digit, shift) in self.shifts.iter().enumerate() {
                    columns.fill(0);
                    columns[words.clone()]
                        .copy_from_slice(&self.copies[digit * w..][..w][words.clone()]);
                    let of_rows = &mut of_rows[..block.rows.len()];
                    self.kernels.row_sums(&self.weights, &columns, of_rows);
                    for (&row, &sum) in block.rows.iter().zip(&*of_rows) {
                        let case = usize::from(*class != block.class);
                        out.rows[row as usize][case] += u128::from(sum) << (bit + shift);
                    }
                }
            }
        }
        if let Some(last) = run {
            self.flush(tile, last, out);
        }
        Ok(())
    }

    /// Sums of a run go where they belong.
    fn flush(&mut self, tile: &Tile, run: (u32, WeighSide, usize), out: &mut WeighSums) {
        let (bit, side, class) = run;
        let w = self.kernels.words();
        let mut of_words = [0u64; 8];
        let of_words = &mut of_words[..w];
        for (sums, slots) in self.sums.chunks_exact(64 * w).zip(self.columns.offsets.windows(2)) {
            for slot in slots[0] as usize..slots[1] as usize {
                let plane = &self.planes[slot * w..][..w];
                for (digit, shift) in self.copies.chunks_exact(w).zip(&self.shifts) {
                    self.kernels.sums_of_plane(sums, plane, digit, of_words);
                    for (own, words) in &tile.runs {
                        let sum: u64 = of_words[words.clone()].iter().sum();
                        if sum == 0 {
                            continue;
                        }
                        let amount = u128::from(sum) << (bit + shift);
                        let case = usize::from(*own != class);
                        out.agree[(slot * self.classes + own) * 2 + case] += amount;
                        if side == WeighSide::Both {
                            out.agree[(slot * self.classes + class) * 2 + case] += amount;
                        }
                    }
                }
            }
        }
        for (word, (own, rows)) in tile.words.iter().enumerate() {
            for (c, row) in rows.clone().enumerate() {
                let sum = u128::from(self.of_columns[word * 64 + c]) << bit;
                out.rows[row][usize::from(*own != class)] +=
                    sum * u128::from(self.columns.weights[row]);
            }
        }
        self.sums.fill(0);
        self.of_columns.fill(0);
    }
}

fn distance(a: &[u32], b: &[u32]) -> usize {
    a.iter().zip(b).filter(|(a, b)| a != b).count()
}

/// The double loop: the naive twin, and faster for so few rows that a tile would be mostly empty.
pub(super) fn few_rows(
    columns: &SlotRows,
    active: &SlotRows,
    shape: &PairSetting,
    flat: bool,
    mut out: WeighedPairs,
) -> Result<WeighedPairs> {
    let of_row = |i: usize| (0..active.len()).map(move |j| distance(columns.row(i), active.row(j)));
    let distances = (0..columns.len()).flat_map(of_row);
    let nearest = if flat { Some(1) } else { distances.filter(|&d| d > 0).min() };
    let table = out.weights(shape, nearest.unwrap_or(columns.features));
    let class_of = |rows: &SlotRows, i: usize| rows.starts.partition_point(|&s| s <= i) - 1;
    for i in 0..columns.len() {
        let (a, own) = (columns.row(i), class_of(columns, i));
        for j in 0..active.len() {
            let b = active.row(j);
            let other = usize::from(own != class_of(active, j));
            let pair = u128::from(columns.weights[i]) * u128::from(active.weights[j]);
            let weight = u128::from(table[distance(a, b)]) * pair;
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
