//! One tile of columns against the active rows: planes, distances, counters, and what they come to.
//!
//! Where columns and active rows are the same, a chunk of an earlier tile is worked on once and
//! counted for both orders of each pair; the tile's own chunks have both orders among their pairs.
//! Distances by column are needed of all rows, so chunks of later tiles are seen too, but without
//! the features. Counters of a run of chunks (one class, or all classes that the tile does not
//! hold) stay bit-sliced until the run ends. Then popcounts under the planes of each value make
//! cases 1 and 2 of the features' counters, and the totals of all cases of the counters of all
//! rows, whatever the features say. Columns of a feature's most common value have counted the rows
//! that do *not* share it ([`PairScan::common`]); their cases 1 and 2 are the totals less that.
//!
//! Where classes are added up ([`Classes::Together`]) a run is all rows of the columns' own class,
//! or all of other classes: two for a tile, whatever the number of classes.

use super::counts::{Classes, PairCounts};
use super::input::SlotRows;
use super::runs::{Counters, Kin, Mode, Run, RunSide};
use super::scan::{CHUNK, Chunk, PairScan, Tile, WordRun};
use super::window;
use crate::error::Result;
use crate::parallel::Control;
use crate::simd::{Buffer, CounterState, Kernels, SlotMasks, Window, cold_planes};
use std::cmp::Ordering;

/// Scratch of one thread and the counts it has so far (cases 3 and 4 hold totals until the end).
pub(super) struct Worker<'a> {
    kernels: Kernels,
    columns: &'a SlotRows,
    active: &'a SlotRows,
    scan: &'a PairScan,
    mode: Mode,
    classes: Classes,
    counts: PairCounts,
    /// Planes of all slots for the tile, and their masks of bytes.
    planes: Buffer,
    bytes: Buffer,
    valid: Buffer,
    /// The columns for which a chunk counts.
    chosen: Buffer,
    /// Planes of the bits of the columns' multiplicities that occur.
    weights: Vec<(u32, Buffer)>,
    /// Distances that are worth counters, if known, and the most that may have some.
    pub window: Option<Window>,
    longest: usize,
    numbers: Buffer,
    outside: Buffer,
    features: Counters,
    everyone: Counters,
    depth: usize,
    /// Pairs of each column without a counter, with rows of (same, other) class:
    /// `[2][distance][column]`.
    by_column: Vec<u32>,
    /// Weight of the self-pair of each column, where it was looked at by itself.
    selves: Vec<i64>,
    out: Buffer,
    /// Counts of one flush, `[slot][run of columns][counter]`: of all rows, and of those that share
    /// the slot.
    totals: Vec<u64>,
    equal: Vec<u64>,
}

/// Sums of words of each slot become sums of runs of words, every `stride` numbers one.
fn gather(of_words: &[u64], runs: &[WordRun], words: usize, out: &mut [u64], stride: usize) {
    let mut out = out.iter_mut().step_by(stride);
    if runs.len() == 1 {
        // words without columns have sums of 0
        of_words
            .chunks_exact(words)
            .zip(out)
            .for_each(|(of_words, out)| *out = of_words.iter().sum());
        return;
    }
    for of_words in of_words.chunks_exact(words) {
        for ((_, run), out) in runs.iter().zip(&mut out) {
            *out = of_words[run.clone()].iter().sum();
        }
    }
}

impl<'a> Worker<'a> {
    pub fn new(
        kernels: Kernels,
        columns: &'a SlotRows,
        active: &'a SlotRows,
        scan: &'a PairScan,
        (mode, classes, longest): (Mode, Classes, usize),
        counts: PairCounts,
    ) -> Self {
        let w = kernels.words();
        let slots = counts.offsets[columns.features] as usize;
        Self {
            planes: Buffer::zeroed(slots * w),
            bytes: Buffer::default(),
            valid: Buffer::zeroed(w),
            chosen: Buffer::zeroed(w),
            weights: Vec::new(),
            window: None,
            longest,
            numbers: Buffer::default(),
            outside: Buffer::zeroed(CHUNK * w),
            features: Counters::default(),
            everyone: Counters::default(),
            depth: 0,
            by_column: Vec::new(),
            selves: Vec::new(),
            out: Buffer::default(),
            totals: Vec::new(),
            equal: Vec::new(),
            kernels,
            columns,
            active,
            scan,
            mode,
            classes,
            counts,
        }
    }

    /// Where the counts of a class stand.
    fn place(&self, class: usize) -> usize {
        if self.classes == Classes::Together { 0 } else { class }
    }

    /// The window for a tile, given the number of pairs at each distance.
    fn choose(&self, pairs: &[f64]) -> Window {
        // half of the classes lie in earlier tiles, and few counts have more than six bits
        let runs = match self.classes {
            Classes::Apart => self.counts.n_classes as f64 / 2.0 + 1.0,
            Classes::Together => 4.0,
        };
        let flushes = 6.0 * runs * f64::from(self.columns.offsets[self.columns.features]);
        window::choose(
            pairs,
            self.active.len() as f64,
            self.scan.steps,
            flushes,
            (self.kernels.words(), self.longest),
        )
    }

    /// Counts of one tile, added.
    pub fn tile(&mut self, control: &Control, tile: &Tile) -> Result<()> {
        self.load(tile);
        let (w, d) = (self.kernels.words(), self.counts.distances());
        self.by_column.clear();
        self.by_column.resize(2 * d * 64 * w, 0);
        self.selves.clear();
        self.selves.resize(64 * w, 0);
        let window = self.window.unwrap_or_else(|| {
            self.choose(&window::sample(self.kernels, &self.planes, &self.valid, self.active))
        });
        self.numbers.reserve(CHUNK * window.planes() * w);
        let scan = self.scan;
        let mut pairs = vec![0.0; d];
        for (bit, chunks) in scan.bits.iter().enumerate() {
            for run in self.runs(tile, bit as u32, chunks) {
                self.run(control, tile, window, &run, &mut pairs)?;
            }
        }
        self.rare_distances(tile, &mut pairs);
        self.window = Some(self.choose(&pairs));
        Ok(())
    }

    /// Runs that a tile sees, in memory order of the chunks.
    fn runs<'c>(&self, tile: &Tile, bit: u32, chunks: &'c [Chunk]) -> Vec<Run<'c>> {
        const MOST: usize = 1 << 16;
        let mut runs: Vec<Run<'c>> = Vec::new();
        for chunk in chunks {
            let side = match (self.mode, chunk.tile.cmp(&tile.index)) {
                (Mode::Columns, _) | (Mode::Own, Ordering::Equal) => RunSide::Columns,
                (Mode::Both, _) | (Mode::Own, Ordering::Less) => RunSide::Both,
                (Mode::Distances, _) | (Mode::Own, Ordering::Greater) => RunSide::Distances,
            };
            let held = tile.runs.iter().any(|(class, _)| *class == chunk.class);
            let kins = match self.classes {
                Classes::Apart if held || side == RunSide::Both => {
                    [Some(Kin::Class(chunk.class)), None]
                }
                Classes::Apart => [Some(Kin::Foreign), None],
                Classes::Together => {
                    let others = !held || tile.runs.len() > 1;
                    [held.then_some(Kin::Same), others.then_some(Kin::Other)]
                }
            };
            for kin in kins.into_iter().flatten() {
                let fits = |r: &&mut Run<'_>| {
                    r.kin == kin && r.side == side && r.chunks.len() < MOST / CHUNK
                };
                match runs.iter_mut().find(fits) {
                    Some(run) => run.chunks.push(chunk),
                    None => runs.push(Run { kin, bit, side, chunks: vec![chunk] }),
                }
            }
        }
        runs
    }

    /// The columns for which the rows of a chunk count in a run.
    fn choose_columns(&mut self, tile: &Tile, kin: Kin, class: usize) {
        self.chosen.copy_from_slice(&self.valid);
        let leave = match kin {
            Kin::Class(_) | Kin::Foreign => return,
            Kin::Same => |own: usize, class: usize| own != class,
            Kin::Other => |own: usize, class: usize| own == class,
        };
        for (own, words) in &tile.runs {
            if leave(*own, class) {
                self.chosen[words.clone()].fill(0);
            }
        }
    }

    /// Planes of the columns of a tile.
    fn load(&mut self, tile: &Tile) {
        let words = self.kernels.words();
        self.planes.fill(0);
        self.valid.fill(0);
        let mut weights: Vec<(u32, Buffer)> = Vec::new();
        for (w, (_, rows)) in tile.words.iter().enumerate() {
            for (bit, row) in rows.clone().enumerate() {
                let bit = 1u64 << bit;
                self.valid[w] |= bit;
                for &slot in self.columns.row(row) {
                    self.planes[slot as usize * words + w] |= bit;
                }
                let mut weight = self.columns.weights[row];
                while weight != 0 {
                    let shift = weight.trailing_zeros();
                    let at = weights.iter().position(|(s, _)| *s == shift).unwrap_or_else(|| {
                        weights.push((shift, Buffer::zeroed(words)));
                        weights.len() - 1
                    });
                    weights[at].1[w] |= bit;
                    weight &= weight - 1;
                }
            }
        }
        self.weights = weights;
        self.kernels.byte_masks(&self.planes, &mut self.bytes);
    }

    fn run(
        &mut self,
        control: &Control,
        tile: &Tile,
        window: Window,
        run: &Run<'_>,
        pairs: &mut [f64],
    ) -> Result<()> {
        let (w, n) = (self.kernels.words(), self.columns.features);
        let rows: usize = run.chunks.iter().map(|c| c.rows.len()).sum();
        self.depth = (usize::BITS - rows.leading_zeros()).max(4) as usize;
        let (hot, cold) = (window.length * 4 * w, window.length * cold_planes(self.depth) * w);
        self.everyone.reset(1, window.length, self.depth, w);
        if run.side != RunSide::Distances {
            self.features.reset(n, window.length, self.depth, w);
        }
        for chunk in &run.chunks {
            control.check()?;
            self.choose_columns(tile, run.kin, chunk.class);
            let (numbers, outside) = (&mut self.numbers, &mut self.outside);
            if self.kernels.distances(
                &self.planes,
                &self.chosen,
                &chunk.slots,
                window,
                numbers,
                outside,
            ) {
                self.look_at_each(tile, run, chunk);
            }
            let e = &mut self.everyone;
            let state = CounterState {
                hot: &mut e.hot,
                cold: &mut e.cold,
                depth: self.depth,
                blocks: &mut e.blocks[0],
            };
            self.kernels.tally_all(&self.numbers, chunk.rows.len(), window, state);
            if run.side == RunSide::Distances {
                continue;
            }
            let f = &mut self.features;
            let counters =
                f.hot.chunks_exact_mut(hot).zip(f.cold.chunks_exact_mut(cold)).zip(&mut f.blocks);
            for ((k, schedule), ((hot, cold), blocks)) in
                chunk.schedules.iter().enumerate().zip(counters)
            {
                let planes = &self.planes[self.columns.offsets[k] as usize * w..];
                let state = CounterState { hot, cold, depth: self.depth, blocks };
                self.kernels.tally(&self.numbers, schedule, planes, window, state);
            }
        }
        self.flush(tile, window, run, pairs);
        Ok(())
    }

    /// Pairs outside the window, one by one.
    fn look_at_each(&mut self, tile: &Tile, run: &Run<'_>, chunk: &Chunk) {
        let (w, d, classes) =
            (self.kernels.words(), self.counts.distances(), self.counts.n_classes);
        let same = std::ptr::eq(self.columns, self.active);
        for (i, outside) in self.outside.chunks_exact(w).take(chunk.rows.len()).enumerate() {
            if outside.iter().fold(0, |any, &bits| any | bits) == 0 {
                continue;
            }
            let (slots, row) = (chunk.slots.row(i), chunk.rows[i] as usize);
            for ((word, (own, rows)), &bits) in tile.words.iter().enumerate().zip(outside) {
                let case = run.kin.case(*own);
                let (to, other) = (self.place(*own), self.place(chunk.class));
                let mut bits = bits;
                while bits != 0 {
                    let bit = bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    let weight = i64::from(self.columns.weights[rows.start + bit]) << run.bit;
                    if same && rows.start + bit == row {
                        // a self-pair: distance 0, and all features agree
                        self.selves[word * 64 + bit] += weight;
                        continue;
                    }
                    let column = self.columns.row(rows.start + bit);
                    let distance = slots.iter().zip(column).filter(|(a, b)| a != b).count();
                    self.by_column[((case * d + distance) * w + word) * 64 + bit] += 1 << run.bit;
                    if run.side == RunSide::Distances {
                        continue;
                    }
                    let cell = |slot: u32, class: usize| {
                        ((slot as usize * classes + class) * 4 + case) * d
                    };
                    for (&slot, _) in slots.iter().zip(column).filter(|(a, b)| a == b) {
                        self.counts.cells[cell(slot, to) + distance] += weight;
                        if run.side == RunSide::Both {
                            self.counts.cells[cell(slot, other) + distance] += weight;
                        }
                    }
                }
            }
        }
    }

    /// Counters become counts: those of all rows the totals of every slot, those of the features
    /// cases 1 and 2; pairs at each distance are added to `pairs`.
    fn flush(&mut self, tile: &Tile, window: Window, run: &Run<'_>, pairs: &mut [f64]) {
        let (w, d, classes) =
            (self.kernels.words(), self.counts.distances(), self.counts.n_classes);
        let features = if run.side == RunSide::Distances { 0 } else { self.columns.features };
        let whole = [(0, 0..w)];
        let spans = if self.classes == Classes::Together { &whole[..] } else { &tile.runs[..] };
        let (length, runs) = (window.length, spans.len());
        let size = self.planes.len() / w * runs * length;
        self.out.reserve(self.planes.len());
        let all = SlotMasks { planes: &self.planes, bytes: &self.bytes };
        for (shift, weight) in &self.weights {
            self.totals.clear();
            self.totals.resize(size, 0);
            for q in 0..length {
                let counter = self.everyone.counter(0, length, q, self.depth, w);
                self.kernels.flush(counter, all, weight, &mut self.out);
                gather(&self.out, spans, w, &mut self.totals[q..], length);
            }
            // every column has one value of the first feature
            let first = self.columns.offsets[1] as usize * runs * length;
            for (q, sum) in self.totals[..first].iter().enumerate() {
                pairs[window.distance(q % length)] += *sum as f64;
            }
            self.equal.clear();
            self.equal.resize(if features > 0 { size } else { 0 }, 0);
            for k in 0..features {
                let slots = self.columns.offsets[k] as usize..self.columns.offsets[k + 1] as usize;
                let own = all.of(slots.clone(), w);
                for q in 0..length {
                    let counter = self.features.counter(k, length, q, self.depth, w);
                    let out = &mut self.out[..own.planes.len()];
                    self.kernels.flush(counter, own, weight, out);
                    gather(
                        out,
                        spans,
                        w,
                        &mut self.equal[slots.start * runs * length + q..],
                        length,
                    );
                }
                if let Some(slot) = self.scan.common[k] {
                    let cells = slot as usize * runs * length..(slot as usize + 1) * runs * length;
                    let all = &self.totals[cells.clone()];
                    self.equal[cells]
                        .iter_mut()
                        .zip(all)
                        .for_each(|(others, all)| *others = all - *others);
                }
            }
            // counters count from the largest distance of the window down
            let shift = run.bit + shift;
            let mut add = |slot: usize, class: usize, case: usize, amounts: &[u64]| {
                let cells = &mut self.counts.cells
                    [((slot * classes + class) * 4 + case) * d + window.first..];
                for (cell, amount) in cells[..length].iter_mut().zip(amounts.iter().rev()) {
                    *cell += (amount << shift) as i64;
                }
            };
            for (at, totals) in self.totals.chunks_exact(length).enumerate() {
                let (slot, own) = (at / runs, spans[at % runs].0);
                add(slot, own, 2 + run.kin.case(own), totals);
            }
            for (at, equal) in self.equal.chunks_exact(length).enumerate() {
                let (slot, own) = (at / runs, spans[at % runs].0);
                let case = run.kin.case(own);
                add(slot, own, case, equal);
                if run.side == RunSide::Both {
                    add(
                        slot,
                        if let Kin::Class(class) = run.kin { class } else { own },
                        case,
                        equal,
                    );
                }
            }
        }
    }

    /// Rare distances of each column go to all slots it has; pairs at each distance are added to
    /// `pairs`.
    fn rare_distances(&mut self, tile: &Tile, pairs: &mut [f64]) {
        let (w, d, classes) =
            (self.kernels.words(), self.counts.distances(), self.counts.n_classes);
        for other in 0..2 {
            let planes = self.by_column[other * d * w * 64..][..d * w * 64].chunks_exact(w * 64);
            for (x, plane) in planes.enumerate() {
                let sum: u64 = plane.iter().map(|&c| u64::from(c)).sum();
                if sum == 0 {
                    continue;
                }
                pairs[x] += sum as f64;
                for (word, (own, rows)) in tile.words.iter().enumerate() {
                    let own = self.place(*own);
                    for (&count, row) in plane[word * 64..].iter().zip(rows.clone()) {
                        let count = i64::from(self.columns.weights[row]) * i64::from(count);
                        if count > 0 {
                            for &slot in self.columns.row(row) {
                                let cell =
                                    ((slot as usize * classes + own) * 4 + 2 + other) * d + x;
                                self.counts.cells[cell] += count;
                            }
                        }
                    }
                }
            }
        }
        // self-pairs that had no counter: in case 1 and among the totals
        for (word, (own, rows)) in tile.words.iter().enumerate() {
            let own = self.place(*own);
            for (bit, row) in rows.clone().enumerate() {
                let weight = self.selves[word * 64 + bit];
                if weight > 0 {
                    for &slot in self.columns.row(row) {
                        let at = (slot as usize * classes + own) * 4 * d;
                        self.counts.cells[at] += weight;
                        self.counts.cells[at + 2 * d] += weight;
                    }
                }
            }
        }
    }

    /// The counts so far; cases 3 and 4 hold totals.
    pub fn counts(self) -> PairCounts {
        self.counts
    }

    /// Cases 3 and 4 are the totals less cases 1 and 2.
    pub fn finish(counts: &mut PairCounts) {
        let d = counts.distances();
        for class in counts.cells.chunks_exact_mut(4 * d) {
            let (equal, total) = class.split_at_mut(2 * d);
            total.iter_mut().zip(equal).for_each(|(t, e)| *t -= *e);
        }
    }
}
