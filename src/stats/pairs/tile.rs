//! Counts the pairs of one tile of columns with the active rows: bit planes of the columns,
//! distances, counters, and from the counters the cells of [`PairCounts`].
//!
//! Used by the exact pass ([`super::exact`]) and for pairs of row blocks ([`super::blocks`]); each
//! share of the columns has one [`Worker`]. For every chunk of active rows the kernels make the
//! distance of each pair and add it to bit-sliced counters, one set per feature for the pairs that
//! agree on it and one set for all pairs. The counters are read at the end of a run of chunks
//! ([`super::runs`]): popcounts under the planes of each value give cases 1 and 2 from the counters
//! of the features, and the totals over values from the counters of all rows. Columns of a majority
//! value have counted the rows that do *not* share it ([`PairScan::majority`]); their cases 1 and 2
//! are the totals less that. Cases 3 and 4 follow in the end as totals less cases 1 and 2.
//!
//! Where columns and active rows are the same rows, a chunk of an earlier tile is counted for both
//! orders of each pair, and the tile's own chunks contain both orders already. Pairs by distance of
//! a column are needed for all rows, so chunks of later tiles are counted as well, but without the
//! features. Where classes are summed ([`Classes::Together`]) a tile has two runs per binary digit,
//! its own class and all others, whatever the number of classes.

use super::counts::{Classes, PairCounts};
use super::input::{SlotRows, distance};
use super::runs::{ClassRelation, CounterShape, Counters, Mode, Run, RunSide};
use super::scan::{CHUNK, Chunk, PairScan, Tile, TilePlanes, WordRun};
use super::window::{self, WindowCosts};
use crate::error::Result;
use crate::parallel::Control;
use crate::simd::{Buffer, CounterState, Kernels, Schedule, SlotMasks, Window};
use std::cmp::Ordering;

/// Most rows of a run: their sums fit the counters.
const MOST_ROWS_OF_RUN: usize = 1 << 16;

/// How a worker counts.
#[derive(Debug, Clone, Copy)]
pub(super) struct WorkerOptions {
    pub mode: Mode,
    pub classes: Classes,
    /// Most distances that have counters.
    pub longest: usize,
}

/// Memory of one share of the columns and the counts it has so far; in these, cases 3 and 4 hold
/// totals until [`Worker::finish`].
pub(super) struct Worker<'a> {
    kernels: Kernels,
    columns: &'a SlotRows,
    active: &'a SlotRows,
    scan: &'a PairScan,
    options: WorkerOptions,
    counts: PairCounts,
    /// The columns of the current tile.
    planes: TilePlanes,
    /// Their slots expanded to bytes ([`Kernels::byte_masks`]).
    bytes: Buffer,
    /// The columns for which the current chunk counts.
    chosen: Buffer,
    /// Distances that have counters, if chosen already.
    pub window: Option<Window>,
    /// Distances of the current chunk, as the kernels encode them.
    numbers: Buffer,
    /// Per row of the chunk, the columns at distances outside the window.
    outside: Buffer,
    /// Counters of the pairs that agree on a feature, per feature.
    by_feature: Counters,
    /// Counters of all pairs.
    all_pairs: Counters,
    /// Pairs outside the window, `[same class, other class][distance][column]`.
    by_column: Vec<u32>,
    /// Weight of the self-pair of each column, if distance 0 is outside the window.
    self_pairs: Vec<i64>,
    /// Popcounts of one counter, `[slot][word]`.
    popcounts: Buffer,
    /// Pairs of one flush, `[slot][run of columns][counter]`.
    totals: Vec<u64>,
    /// The pairs among them that agree on the slot's feature.
    equal: Vec<u64>,
}

/// Sum popcounts `[slot][word]` over the words of each run, into every `stride`-th number of `out`.
fn sum_over_runs(
    popcounts: &[u64],
    runs: &[WordRun],
    words: usize,
    out: &mut [u64],
    stride: usize,
) {
    let mut out = out.iter_mut().step_by(stride);
    // a single run: words without columns have a popcount of 0, so all words may be summed
    if runs.len() == 1 {
        popcounts
            .chunks_exact(words)
            .zip(out)
            .for_each(|(of_words, out)| *out = of_words.iter().sum());
        return;
    }
    for of_words in popcounts.chunks_exact(words) {
        for (run, out) in runs.iter().zip(&mut out) {
            *out = of_words[run.words.clone()].iter().sum();
        }
    }
}

impl<'a> Worker<'a> {
    /// A worker for the pairs of `columns` with the rows of `scan`, which are some or all of the
    /// `active` rows. It adds to `counts`; its buffers are used again for every tile.
    pub fn new(
        kernels: Kernels,
        columns: &'a SlotRows,
        active: &'a SlotRows,
        scan: &'a PairScan,
        options: WorkerOptions,
        counts: PairCounts,
    ) -> Self {
        let w = kernels.words();
        Self {
            planes: TilePlanes::new(columns, w),
            bytes: Buffer::default(),
            chosen: Buffer::zeroed(w),
            window: None,
            numbers: Buffer::default(),
            outside: Buffer::zeroed(CHUNK * w),
            by_feature: Counters::default(),
            all_pairs: Counters::default(),
            by_column: Vec::new(),
            self_pairs: Vec::new(),
            popcounts: Buffer::default(),
            totals: Vec::new(),
            equal: Vec::new(),
            kernels,
            columns,
            active,
            scan,
            options,
            counts,
        }
    }

    /// Position of a class in the counts.
    fn place(&self, class: usize) -> usize {
        if self.options.classes == Classes::Together { 0 } else { class }
    }

    /// The window for a tile with the given pairs by distance.
    fn choose_window(&self, pairs: &[f64]) -> Window {
        // Apart, about half of the classes lie in earlier tiles and count for both sides; together
        // there are two runs for each of two sides.
        let runs = match self.options.classes {
            Classes::Apart => self.counts.n_classes as f64 / 2.0 + 1.0,
            Classes::Together => 4.0,
        };
        // few counts have more than six bits, each one popcount
        let flushes = 6.0 * runs * f64::from(self.columns.offsets[self.columns.features]);
        let costs = WindowCosts {
            pairs,
            rows: self.active.len() as f64,
            steps: self.scan.steps,
            flushes,
            words: self.kernels.words(),
            longest: self.options.longest,
        };
        costs.cheapest().window
    }

    /// Count the pairs of one tile of columns with all active rows. Cases 3 and 4 get the totals of
    /// all cases ([`Self::finish`]). The distances that have counters follow from a sample for the
    /// first tile, and from the tile before for any other.
    pub fn count_tile(&mut self, control: &Control, tile: &Tile) -> Result<()> {
        self.planes.load(self.columns, tile);
        self.kernels.byte_masks(&self.planes.slots, &mut self.bytes);
        let (w, d) = (self.kernels.words(), self.counts.distances());
        self.by_column.clear();
        self.by_column.resize(2 * d * 64 * w, 0);
        self.self_pairs.clear();
        self.self_pairs.resize(64 * w, 0);
        let window = self.window.unwrap_or_else(|| {
            let pairs = window::sample(self.columns, self.active, 64 * w);
            self.choose_window(&pairs)
        });
        self.numbers.reserve(CHUNK * window.planes() * w);
        let scan = self.scan;
        let mut pairs = vec![0.0; d];
        for (bit, chunks) in scan.bits.iter().enumerate() {
            for run in self.runs(tile, bit as u32, chunks) {
                self.count_run(control, tile, window, &run, &mut pairs)?;
            }
        }
        self.add_outside(tile, &mut pairs);
        // the next tile is likely to have similar distances
        self.window = Some(self.choose_window(&pairs));
        Ok(())
    }

    /// The chunks of one binary digit in runs, ordered as in memory.
    fn runs<'c>(&self, tile: &Tile, bit: u32, chunks: &'c [Chunk<Schedule>]) -> Vec<Run<'c>> {
        let mut runs: Vec<Run<'c>> = Vec::new();
        for chunk in chunks {
            let side = match (self.options.mode, chunk.tile.cmp(&tile.index)) {
                (Mode::Columns, _) | (Mode::Own, Ordering::Equal) => RunSide::Columns,
                (Mode::Both, _) | (Mode::Own, Ordering::Less) => RunSide::Both,
                (Mode::Distances, _) | (Mode::Own, Ordering::Greater) => RunSide::Distances,
            };
            // With classes together a chunk is in two runs: one for the columns of its class, one
            // for all others.
            let held = tile.runs.iter().any(|run| run.class == chunk.class);
            let relations = match self.options.classes {
                Classes::Apart if held || side == RunSide::Both => {
                    [Some(ClassRelation::Class(chunk.class)), None]
                }
                Classes::Apart => [Some(ClassRelation::Foreign), None],
                Classes::Together => {
                    let others = !held || tile.runs.len() > 1;
                    [held.then_some(ClassRelation::Same), others.then_some(ClassRelation::Other)]
                }
            };
            for relation in relations.into_iter().flatten() {
                let fits = |run: &&mut Run<'_>| {
                    run.relation == relation
                        && run.side == side
                        && run.chunks.len() < MOST_ROWS_OF_RUN / CHUNK
                };
                match runs.iter_mut().find(fits) {
                    Some(run) => run.chunks.push(chunk),
                    None => runs.push(Run { relation, bit, side, chunks: vec![chunk] }),
                }
            }
        }
        runs
    }

    /// Choose the columns for which a chunk of class `class` counts in a run.
    fn choose_columns(&mut self, tile: &Tile, relation: ClassRelation, class: usize) {
        self.chosen.copy_from_slice(&self.planes.valid);
        let masked = match relation {
            ClassRelation::Class(_) | ClassRelation::Foreign => return,
            ClassRelation::Same => |own: usize, class: usize| own != class,
            ClassRelation::Other => |own: usize, class: usize| own == class,
        };
        for run in &tile.runs {
            if masked(run.class, class) {
                self.chosen[run.words.clone()].fill(0);
            }
        }
    }

    /// Count the chunks of one run, and flush the counters into the counts.
    fn count_run(
        &mut self,
        control: &Control,
        tile: &Tile,
        window: Window,
        run: &Run<'_>,
        pairs: &mut [f64],
    ) -> Result<()> {
        let (w, features) = (self.kernels.words(), self.columns.features);
        // Counters with enough bits for the rows of the run; the kernels want at least four.
        let rows: usize = run.chunks.iter().map(|c| c.rows.len()).sum();
        let depth = (usize::BITS - rows.leading_zeros()).max(4) as usize;
        let shape = CounterShape { length: window.length, depth, words: w };
        let (hot, cold) = (shape.hot(), shape.cold());
        self.all_pairs.reset(1, shape);
        if run.side != RunSide::Distances {
            self.by_feature.reset(features, shape);
        }
        for chunk in &run.chunks {
            control.check()?;
            // Distances of all pairs of the chunk and the tile.
            self.choose_columns(tile, run.relation, chunk.class);
            let (numbers, outside) = (&mut self.numbers, &mut self.outside);
            if self.kernels.distances(
                &self.planes.slots,
                &self.chosen,
                &chunk.slots,
                window,
                numbers,
                outside,
            ) {
                self.count_outside(tile, run, chunk);
            }
            // All pairs.
            let all = &mut self.all_pairs;
            let state = CounterState {
                hot: &mut all.hot,
                cold: &mut all.cold,
                depth,
                blocks: &mut all.blocks[0],
            };
            self.kernels.tally_all(&self.numbers, chunk.rows.len(), window, state);
            if run.side == RunSide::Distances {
                continue;
            }
            // Pairs that agree on each feature.
            let counters = &mut self.by_feature;
            let counters = counters
                .hot
                .chunks_exact_mut(hot)
                .zip(counters.cold.chunks_exact_mut(cold))
                .zip(&mut counters.blocks);
            for ((k, schedule), ((hot, cold), blocks)) in
                chunk.features.iter().enumerate().zip(counters)
            {
                let planes = &self.planes.slots[self.columns.offsets[k] as usize * w..];
                let state = CounterState { hot, cold, depth, blocks };
                self.kernels.tally(&self.numbers, schedule, planes, window, state);
            }
        }
        self.flush(tile, window, run, shape, pairs);
        Ok(())
    }

    /// Count the pairs outside the window one by one: cases 1 and 2 directly, distances by column.
    fn count_outside(&mut self, tile: &Tile, run: &Run<'_>, chunk: &Chunk<Schedule>) {
        let (w, d) = (self.kernels.words(), self.counts.distances());
        let layout = self.counts.layout();
        let same_rows = std::ptr::eq(self.columns, self.active);
        for (i, outside) in self.outside.chunks_exact(w).take(chunk.rows.len()).enumerate() {
            if outside.iter().fold(0, |any, &bits| any | bits) == 0 {
                continue;
            }
            let (slots, row) = (chunk.slots.row(i), chunk.rows[i] as usize);
            for ((w_index, word), &bits) in tile.words.iter().enumerate().zip(outside) {
                let case = run.relation.case(word.class);
                let (own, other) = (self.place(word.class), self.place(chunk.class));
                let mut bits = bits;
                while bits != 0 {
                    let bit = bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    let column_row = word.rows.start + bit;
                    let weight = i64::from(self.columns.weights[column_row]) << run.bit;
                    if same_rows && column_row == row {
                        // a self-pair: distance 0, and all features agree
                        self.self_pairs[w_index * 64 + bit] += weight;
                        continue;
                    }
                    let column = self.columns.row(column_row);
                    let distance = distance(slots, column);
                    self.by_column[((case * d + distance) * w + w_index) * 64 + bit] +=
                        1 << run.bit;
                    if run.side == RunSide::Distances {
                        continue;
                    }
                    for (&slot, _) in slots.iter().zip(column).filter(|(a, b)| a == b) {
                        let slot = slot as usize;
                        self.counts.cells[layout.start(slot, own, case) + distance] += weight;
                        if run.side == RunSide::Both {
                            self.counts.cells[layout.start(slot, other, case) + distance] += weight;
                        }
                    }
                }
            }
        }
    }

    /// Add the counters of a run to the counts: all pairs to the totals of every slot, pairs that
    /// agree to cases 1 and 2. Pairs at each distance are added to `pairs`.
    fn flush(
        &mut self,
        tile: &Tile,
        window: Window,
        run: &Run<'_>,
        shape: CounterShape,
        pairs: &mut [f64],
    ) {
        let w = self.kernels.words();
        let layout = self.counts.layout();
        let features = if run.side == RunSide::Distances { 0 } else { self.columns.features };
        // with classes together, the columns of all classes are one run
        let all_words = [WordRun { class: 0, words: 0..w }];
        let together = self.options.classes == Classes::Together;
        let spans = if together { &all_words[..] } else { &tile.runs[..] };
        let (length, runs) = (window.length, spans.len());
        let size = self.planes.slots.len() / w * runs * length;
        self.popcounts.reserve(self.planes.slots.len());
        let masks = SlotMasks { planes: &self.planes.slots, bytes: &self.bytes };
        for (shift, weight) in &self.planes.weights {
            // All pairs by slot of the column.
            self.totals.clear();
            self.totals.resize(size, 0);
            for q in 0..length {
                let counter = self.all_pairs.counter(0, q, shape);
                self.kernels.flush(counter, masks, weight, &mut self.popcounts);
                sum_over_runs(&self.popcounts, spans, w, &mut self.totals[q..], length);
            }
            // every column has exactly one value of the first feature
            let first = self.columns.offsets[1] as usize * runs * length;
            for (q, sum) in self.totals[..first].iter().enumerate() {
                pairs[window.distance(q % length)] += *sum as f64;
            }
            // Pairs that agree on the slot's feature.
            self.equal.clear();
            self.equal.resize(if features > 0 { size } else { 0 }, 0);
            for k in 0..features {
                let slots = self.columns.offsets[k] as usize..self.columns.offsets[k + 1] as usize;
                let own = masks.slice(slots.clone(), w);
                for q in 0..length {
                    let counter = self.by_feature.counter(k, q, shape);
                    let popcounts = &mut self.popcounts[..own.planes.len()];
                    self.kernels.flush(counter, own, weight, popcounts);
                    let equal = &mut self.equal[slots.start * runs * length + q..];
                    sum_over_runs(popcounts, spans, w, equal, length);
                }
                // columns of the majority value have counted the rows without it
                if let Some(slot) = self.scan.majority[k] {
                    let cells = slot as usize * runs * length..(slot as usize + 1) * runs * length;
                    let totals = &self.totals[cells.clone()];
                    self.equal[cells]
                        .iter_mut()
                        .zip(totals)
                        .for_each(|(others, all)| *others = all - *others);
                }
            }
            // Counters go from the largest distance of the window down, cells go up.
            let shift = run.bit + shift;
            let mut add = |slot: usize, class: usize, case: usize, amounts: &[u64]| {
                let cells =
                    &mut self.counts.cells[layout.start(slot, class, case) + window.first..];
                for (cell, amount) in cells[..length].iter_mut().zip(amounts.iter().rev()) {
                    *cell += (amount << shift) as i64;
                }
            };
            for (at, totals) in self.totals.chunks_exact(length).enumerate() {
                let (slot, own) = (at / runs, spans[at % runs].class);
                add(slot, own, 2 + run.relation.case(own), totals);
            }
            for (at, equal) in self.equal.chunks_exact(length).enumerate() {
                let (slot, own) = (at / runs, spans[at % runs].class);
                let case = run.relation.case(own);
                add(slot, own, case, equal);
                if run.side == RunSide::Both {
                    let other = match run.relation {
                        ClassRelation::Class(class) => class,
                        _ => own,
                    };
                    add(slot, other, case, equal);
                }
            }
        }
    }

    /// Add the pairs outside the window to the totals of all slots of their column, and to `pairs`.
    fn add_outside(&mut self, tile: &Tile, pairs: &mut [f64]) {
        let (w, d) = (self.kernels.words(), self.counts.distances());
        let layout = self.counts.layout();
        for case in 0..2 {
            let planes = self.by_column[case * d * w * 64..][..d * w * 64].chunks_exact(w * 64);
            for (distance, plane) in planes.enumerate() {
                let sum: u64 = plane.iter().map(|&c| u64::from(c)).sum();
                if sum == 0 {
                    continue;
                }
                pairs[distance] += sum as f64;
                for (w_index, word) in tile.words.iter().enumerate() {
                    let own = self.place(word.class);
                    for (&count, row) in plane[w_index * 64..].iter().zip(word.rows.clone()) {
                        let count = i64::from(self.columns.weights[row]) * i64::from(count);
                        if count > 0 {
                            for &slot in self.columns.row(row) {
                                let cell = layout.start(slot as usize, own, 2 + case) + distance;
                                self.counts.cells[cell] += count;
                            }
                        }
                    }
                }
            }
        }
        // Self-pairs outside the window belong to case 1 and to the totals.
        for (w_index, word) in tile.words.iter().enumerate() {
            let own = self.place(word.class);
            for (bit, row) in word.rows.clone().enumerate() {
                let weight = self.self_pairs[w_index * 64 + bit];
                if weight > 0 {
                    for &slot in self.columns.row(row) {
                        let slot = slot as usize;
                        self.counts.cells[layout.start(slot, own, 0)] += weight;
                        self.counts.cells[layout.start(slot, own, 2)] += weight;
                    }
                }
            }
        }
    }

    /// The counts so far; cases 3 and 4 hold totals.
    pub fn counts(self) -> PairCounts {
        self.counts
    }

    /// Replace the totals in cases 3 and 4 by totals less cases 1 and 2. It is called once, after
    /// the counts of all workers were added up.
    pub fn finish(counts: &mut PairCounts) {
        let d = counts.distances();
        for class in counts.cells.chunks_exact_mut(4 * d) {
            let (equal, total) = class.split_at_mut(2 * d);
            total.iter_mut().zip(equal).for_each(|(t, e)| *t -= *e);
        }
    }
}
