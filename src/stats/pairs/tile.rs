//! One tile of columns against all active rows: planes, masks, counters, and what they come to.
//!
//! Counters of a group of active rows (all rows of one class, or of all classes that the tile does not hold)
//! stay bit-sliced until the group ends. Then cases 1 and 2 are popcounts under the planes of each value, and the
//! distances of each column, whatever the features say, are unpacked and added to the slots the column has.

use super::counts::PairCounts;
use super::exact::Tile;
use super::input::Rows;
use super::scan::{CHUNK, Chunk, Scan};
use crate::error::Result;
use crate::parallel::Control;
use crate::simd::{Decode, Kernels, Schedule};

/// Scratch of one thread and the counts it has so far (cases 3 and 4 hold totals until the end).
pub(super) struct Worker<'a> {
    kernels: Kernels,
    columns: &'a Rows,
    scan: &'a Scan,
    counts: PairCounts,
    /// Planes of all slots for the tile.
    planes: Vec<u64>,
    valid: Vec<u64>,
    /// Planes of the bits of the columns' multiplicities that occur.
    weights: Vec<(u32, Vec<u64>)>,
    masks: Vec<u64>,
    nonempty: Vec<u64>,
    counters: Vec<u64>,
    depth: usize,
    /// Groups of distances decoded.
    groups: std::ops::Range<usize>,
    /// Distances of each column to rows of (same, other) class: `[2][distance][column]`.
    by_column: Vec<u32>,
    everyone: Schedule,
}

impl<'a> Worker<'a> {
    pub fn new(kernels: Kernels, columns: &'a Rows, scan: &'a Scan, counts: PairCounts) -> Self {
        let w = kernels.words();
        Self {
            planes: vec![0; counts.offsets[columns.features] as usize * w],
            valid: vec![0; w],
            weights: Vec::new(),
            masks: Vec::new(),
            nonempty: Vec::new(),
            counters: Vec::new(),
            depth: 0,
            groups: 0..columns.features / kernels.lanes() + 1,
            by_column: Vec::new(),
            everyone: Schedule::default(),
            kernels,
            columns,
            scan,
            counts,
        }
    }

    /// Counts of one tile, added.
    pub fn tile(&mut self, control: &Control, tile: &Tile) -> Result<()> {
        self.load(tile);
        let d = self.counts.distances();
        self.by_column.clear();
        self.by_column.resize(2 * d * 64 * self.kernels.words(), 0);
        let mut present: Vec<usize> = tile.words.iter().map(|w| w.0).collect();
        present.dedup();
        let scan = self.scan;
        for (bit, chunks) in scan.bits.iter().enumerate() {
            for class in present.iter().copied().map(Some).chain([None]) {
                let group: Vec<&Chunk> = chunks
                    .iter()
                    .filter(|c| class.map_or_else(|| !present.contains(&c.class), |class| c.class == class))
                    .collect();
                self.group(control, tile, class, bit as u32, &group)?;
            }
        }
        self.distances(tile);
        Ok(())
    }

    /// Planes of the columns of a tile.
    fn load(&mut self, tile: &Tile) {
        let words = self.kernels.words();
        self.planes.fill(0);
        self.valid.fill(0);
        let mut weights: Vec<(u32, Vec<u64>)> = (0..32).map(|b| (b, vec![0; words])).collect();
        for (w, (_, rows)) in tile.words.iter().enumerate() {
            for (bit, row) in rows.clone().enumerate() {
                let bit = 1u64 << bit;
                self.valid[w] |= bit;
                for &slot in self.columns.row(row) {
                    self.planes[slot as usize * words + w] |= bit;
                }
                let mut weight = self.columns.weights[row];
                while weight != 0 {
                    weights[weight.trailing_zeros() as usize].1[w] |= bit;
                    weight &= weight - 1;
                }
            }
        }
        weights.retain(|(_, plane)| plane.iter().any(|&w| w != 0));
        self.weights = weights;
    }

    /// All rows of a group, in runs that the counters can hold.
    fn group(
        &mut self,
        control: &Control,
        tile: &Tile,
        class: Option<usize>,
        bit: u32,
        chunks: &[&Chunk],
    ) -> Result<()> {
        const RUN: usize = 1 << 16;
        let per_run = RUN / CHUNK;
        for run in chunks.chunks(per_run) {
            let rows: usize = run.iter().map(|c| c.rows.len()).sum();
            self.depth = (usize::BITS - rows.leading_zeros()).max(4) as usize;
            self.reset();
            for chunk in run {
                control.check()?;
                if !self.masks(chunk) {
                    self.flush(tile, class, bit);
                    self.groups = 0..self.columns.features / self.kernels.lanes() + 1;
                    self.reset();
                    let complete = self.masks(chunk);
                    debug_assert!(complete);
                }
                self.accumulate(chunk);
            }
            self.flush(tile, class, bit);
        }
        Ok(())
    }

    /// Counters of one feature: all decoded distances.
    fn counter_len(&self) -> usize {
        self.groups.len() * self.kernels.lanes() * self.depth * self.kernels.words()
    }

    fn reset(&mut self) {
        let len = (self.columns.features + 1) * self.counter_len();
        self.counters.clear();
        self.counters.resize(len, 0);
    }

    fn masks(&mut self, chunk: &Chunk) -> bool {
        let group_len = self.kernels.group_len(CHUNK);
        let decode = Decode {
            features: self.columns.features,
            first: self.groups.start * self.kernels.lanes(),
            groups: self.groups.len(),
            capacity: CHUNK,
        };
        self.masks.resize(self.masks.len().max(decode.groups * group_len), 0);
        self.nonempty.resize(self.nonempty.len().max(decode.groups * CHUNK.div_ceil(64)), 0);
        self.kernels.masks(
            &self.planes,
            &self.valid,
            &chunk.slots,
            decode,
            &mut self.masks,
            &mut self.nonempty,
        )
    }

    fn accumulate(&mut self, chunk: &Chunk) {
        let (w, n) = (self.kernels.words(), self.columns.features);
        let (group_len, len, flags) =
            (self.kernels.group_len(CHUNK), self.counter_len(), chunk.rows.len().div_ceil(64));
        let step = self.kernels.lanes() * self.depth * w;
        self.everyone.clear();
        (0..chunk.rows.len()).for_each(|row| self.everyone.begin(row as u16, 0));
        for g in 0..self.groups.len() {
            if self.nonempty[g * flags..][..flags].iter().all(|&f| f == 0) {
                continue;
            }
            let masks = &self.masks[g * group_len..][..group_len];
            for (k, schedule) in chunk.schedules.iter().enumerate() {
                let planes = &self.planes[self.columns.offsets[k] as usize * w..];
                self.kernels.accumulate(
                    masks,
                    schedule,
                    planes,
                    &mut self.counters[k * len + g * step..],
                    self.depth,
                );
            }
            self.kernels.accumulate(
                masks,
                &self.everyone,
                &self.valid,
                &mut self.counters[n * len + g * step..],
                self.depth,
            );
        }
    }

    /// Counters become counts.
    fn flush(&mut self, tile: &Tile, class: Option<usize>, bit: u32) {
        let (w, n, d) = (self.kernels.words(), self.columns.features, self.counts.distances());
        let (len, block) = (self.counter_len(), self.depth * w);
        let first = self.groups.start * self.kernels.lanes();
        let classes = self.counts.n_classes;
        for q in 0..self.groups.len() * self.kernels.lanes() {
            let distance = first + q;
            let everyone = &self.counters[n * len + q * block..][..block];
            if distance >= d || everyone.iter().all(|&c| c == 0) {
                continue;
            }
            let mut unpacked = vec![0u32; 64 * w];
            self.kernels.unpack(everyone, self.depth, &mut unpacked);
            for (word, (own, _)) in tile.words.iter().enumerate() {
                let other = usize::from(Some(*own) != class);
                let to = &mut self.by_column[((other * d + distance) * w + word) * 64..][..64];
                to.iter_mut().zip(&unpacked[word * 64..]).for_each(|(to, u)| *to += u << bit);
            }
            for k in 0..n {
                let counter = &self.counters[k * len + q * block..][..block];
                for slot in self.columns.offsets[k] as usize..self.columns.offsets[k + 1] as usize {
                    for (shift, weight) in &self.weights {
                        let mut out = [0u64; 8];
                        self.kernels.flush(
                            counter,
                            &self.planes[slot * w..][..w],
                            weight,
                            self.depth,
                            &mut out[..w],
                        );
                        for (word, (own, _)) in tile.words.iter().enumerate() {
                            let case = usize::from(Some(*own) != class);
                            self.counts.cells[((slot * classes + own) * 4 + case) * d + distance] +=
                                (out[word] << (bit + shift)) as i64;
                        }
                    }
                }
            }
        }
    }

    /// Distances of each column go to all slots it has.
    fn distances(&mut self, tile: &Tile) {
        let (w, d, classes) = (self.kernels.words(), self.counts.distances(), self.counts.n_classes);
        let mut column = vec![0i64; d];
        for other in 0..2 {
            for (word, (own, rows)) in tile.words.iter().enumerate() {
                for (bit, row) in rows.clone().enumerate() {
                    let weight = i64::from(self.columns.weights[row]);
                    for (distance, to) in column.iter_mut().enumerate() {
                        *to = weight
                            * i64::from(self.by_column[((other * d + distance) * w + word) * 64 + bit]);
                    }
                    for &slot in self.columns.row(row) {
                        let at = ((slot as usize * classes + own) * 4 + 2 + other) * d;
                        for (to, add) in self.counts.cells[at..at + d].iter_mut().zip(&column) {
                            *to += add;
                        }
                    }
                }
            }
        }
    }

    /// Cases 3 and 4 are the totals less cases 1 and 2.
    pub fn finish(mut self) -> PairCounts {
        let d = self.counts.distances();
        for class in self.counts.cells.chunks_exact_mut(4 * d) {
            let (equal, total) = class.split_at_mut(2 * d);
            total.iter_mut().zip(equal).for_each(|(t, e)| *t -= *e);
        }
        self.counts
    }
}
