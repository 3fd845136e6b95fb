//! Up to a thousand complete nominal columns: distances stay bit planes from the first sum to the
//! last count.
//!
//! Columns (all rows, sorted by class, each class on tiles of its own) have a plane for every value
//! of every feature. For a row, the carry-save sum of its planes spells `features + 1 - distance`
//! for 512 columns at once. The k-th nearest is found by halving on planes, mean and deviation are
//! popcounts of pairs of planes, a radius is a comparison of planes with a constant. Few neighbours
//! are then listed and compared by bytes; many stay a mask, and the number that share the row's
//! value is a popcount of mask and plane. About t^2 n / 200 operations in all, a fifth of what
//! unpacked distances cost for three dozen features.
//!
//! Rows come in chunks whose size depends on the data alone and whose sums are added in order: no
//! thread and no level changes a bit.

use super::NeighbourRows;
use super::bands::band;
use super::distances::Order;
use super::grid::Grid;
use super::members::places;
use super::nearest::{Neighbour, NeighbourTies, PlaceGroup, Ranks, ranked};
use super::select::{Contribution, Multiclass, NeighbourMethod, Picker};
use super::shape::{REMEDY, SearchShape, WHAT};
use super::share::Share;
use super::totals::{NominalTotals, mean_distance};
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::simd::{Buffer, Kernels, LONGEST_WINDOW, Slots, TileNumbers, Window};
use std::ops::Range;

/// Most bytes of all planes.
const PLANE_BYTES: usize = 64 << 20;

/// How the rows are cut into chunks, and what that takes.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChunkPlan {
    /// Rows of a chunk, and number of chunks.
    rows: usize,
    pub chunks: usize,
    /// Bytes of all rows as columns, and of a chunk against them.
    whole: usize,
    chunk: usize,
    /// Bytes of the sums of a chunk.
    sums: usize,
}

impl ChunkPlan {
    /// Nothing if this way does not serve (or would not pay).
    pub fn new(shape: &SearchShape, kernels: Kernels, method: NeighbourMethod) -> Option<Self> {
        let (t, n, w) = (shape.rows(), shape.nominal, kernels.words());
        // what classes of their own tiles waste is bounded, for tiles of 512
        let padded: usize = shape.classes.iter().map(|rows| rows.next_multiple_of(512)).sum();
        let serves =
            shape.others == 0 && shape.unit && !matches!(method, NeighbourMethod::Pairs { .. });
        if !serves
            || n >= LONGEST_WINDOW
            || padded > 3 * t + 2048
            || padded / 8 * shape.values > PLANE_BYTES
        {
            return None;
        }
        // the bits do not depend on threads, but on this way and its chunks
        let rows = if padded > 32_768 { 16 } else { 64 };
        let tiles: usize = shape.classes.iter().map(|rows| rows.div_ceil(64 * w)).sum();
        let depth = (usize::BITS - (n + 1).leading_zeros()) as usize;
        let width = n.next_multiple_of(64);
        let words = tiles * w * (rows * depth + 2) + rows * w;
        Some(Self {
            rows,
            chunks: t.div_ceil(rows),
            whole: 8 * tiles * w * (shape.values + 1) + t * width + 4 * n,
            chunk: 8 * words + 4 * rows * n + 12 * width + 8 * t,
            sums: 8 * width,
        })
    }

    /// Bytes of `chunks` chunks on `threads` threads.
    pub fn bytes(&self, chunks: usize, threads: usize) -> usize {
        (self.whole + self.sums * chunks).saturating_add(self.chunk.saturating_mul(threads))
    }
}

/// What each chunk of rows of a share adds to the scores.
pub(super) fn parts(
    control: &Control,
    kernels: Kernels,
    (rows, order, counted): (&NeighbourRows<'_>, &Order, &NominalTotals),
    (method, multiclass): (NeighbourMethod, Multiclass),
    share: Share,
    plan: ChunkPlan,
) -> Result<Vec<Vec<f64>>> {
    let (t, chunk) = (rows.len(), plan.rows);
    let chunks = share.range(plan.chunks);
    let need = |threads: usize| plan.bytes(chunks.len(), threads);
    let fits = control.budget().has(need(control.threads()));
    let control = &if fits { control.clone() } else { control.serial() };
    control.budget().admit(WHAT, need(control.threads()), REMEDY)?;
    let mean = if method.needs_mean() { mean_distance(rows, counted, multiclass) } else { 0.0 };
    let picker = Picker::new(method, multiclass, order, &rows.mass, (mean, Grid::of(rows)));
    let whole = WholeColumns::new(kernels, rows, order, &counted.levels);
    control.expect((chunks.len() * chunk) as u64);
    let parts = parallel::map(control, chunks.len(), |c| {
        control.check()?;
        let first = (chunks.start + c) * chunk;
        let some = first..(first + chunk).min(t);
        control.advance(some.len() as u64);
        Ok(RowChunk::new(&whole, &picker, some).scores())
    })?;
    Ok(parts)
}

/// All rows as columns.
struct WholeColumns<'a> {
    kernels: Kernels,
    rows: &'a NeighbourRows<'a>,
    order: &'a Order,
    /// First plane of each feature.
    first: Vec<u32>,
    /// `[tile][slot][word]`.
    planes: Buffer,
    /// From one tile to the next.
    stride: usize,
    /// Columns in use, `[tile][word]`.
    valid: Buffer,
    /// Tiles of each class.
    tiles: Vec<Range<usize>>,
    /// Codes by place, `width` bytes each.
    bytes: Vec<u8>,
    width: usize,
}

impl<'a> WholeColumns<'a> {
    fn new(
        kernels: Kernels,
        rows: &'a NeighbourRows<'a>,
        order: &'a Order,
        levels: &[u16],
    ) -> Self {
        let (n, w) = (rows.codes.columns, kernels.words());
        let mut first = Vec::with_capacity(n);
        let mut slots = 0;
        for &l in levels {
            first.push(slots);
            slots += u32::from(l);
        }
        let mut tiles = Vec::new();
        let mut last = 0;
        for class in order.starts.windows(2) {
            let count = (class[1] - class[0]).div_ceil(64 * w);
            tiles.push(last..last + count);
            last += count;
        }
        let stride = slots as usize * w;
        let mut planes = Buffer::zeroed(last * stride);
        let mut valid = Buffer::zeroed(last * w);
        let width = n.next_multiple_of(64);
        let mut bytes = vec![0; rows.len() * width];
        for (c, class) in order.starts.windows(2).enumerate() {
            for place in class[0]..class[1] {
                let at = place - class[0];
                let (tile, word, bit) =
                    (tiles[c].start + at / (64 * w), at / 64 % w, 1u64 << (at % 64));
                valid[tile * w + word] |= bit;
                let codes = rows.part(order.rows[place] as usize, 0..n);
                bytes[place * width..][..n].copy_from_slice(codes);
                let planes = &mut planes[tile * stride..][..stride];
                for (&code, &first) in codes.iter().zip(&first) {
                    planes[(first as usize + usize::from(code)) * w + word] |= bit;
                }
            }
        }
        Self { kernels, rows, order, first, planes, stride, valid, tiles, bytes, width }
    }

    fn words(&self) -> usize {
        self.kernels.words()
    }
}

/// Some rows against all columns.
struct RowChunk<'a> {
    whole: &'a WholeColumns<'a>,
    picker: &'a Picker<'a>,
    rows: Range<usize>,
    slots: Slots,
    /// `[tile][row][plane][word]`.
    numbers: Buffer,
    depth: usize,
    mask: Buffer,
    spare: Buffer,
    near: Vec<u32>,
    tied: Vec<u32>,
    counts: Vec<u32>,
    sums: Vec<f64>,
    constant: f64,
}

impl<'a> RowChunk<'a> {
    fn new(whole: &'a WholeColumns<'a>, picker: &'a Picker<'a>, rows: Range<usize>) -> Self {
        let (n, w) = (whole.first.len(), whole.words());
        let slots = rows
            .clone()
            .flat_map(|row| whole.rows.part(row, 0..n).iter().zip(&whole.first))
            .map(|(&code, &first)| first + u32::from(code));
        let slots = Slots::new(slots.collect(), n);
        let window = Window { features: n, first: 0, length: n + 1 };
        let depth = window.planes();
        let tiles = whole.valid.len() / w;
        let mut numbers = Buffer::zeroed(tiles * rows.len() * depth * w);
        let mut outside = Buffer::zeroed(rows.len() * w);
        for (tile, out) in numbers.chunks_exact_mut(rows.len() * depth * w).enumerate() {
            let planes = &whole.planes[tile * whole.stride..][..whole.stride];
            let valid = &whole.valid[tile * w..][..w];
            whole.kernels.distances(planes, valid, &slots, window, out, &mut outside);
        }
        let mask = Buffer::zeroed(tiles * w);
        let spare = Buffer::zeroed(tiles * w);
        let (counts, sums) = (vec![0; n], vec![0.0; whole.width]);
        Self {
            whole,
            picker,
            rows,
            slots,
            numbers,
            depth,
            mask,
            spare,
            near: Vec::new(),
            tied: Vec::new(),
            counts,
            sums,
            constant: 0.0,
        }
    }

    fn scores(mut self) -> Vec<f64> {
        for row in self.rows.clone() {
            let own = usize::from(self.whole.rows.classes[row]);
            self.forget(self.whole.order.places[row] as usize, own, row);
            match self.picker.method {
                NeighbourMethod::ReliefF { k, ties, ranks: Ranks::Equal } => {
                    self.relieff(row, own, k, ties)
                }
                NeighbourMethod::ReliefF { k, ties, ranks } => {
                    self.by_rank(row, own, k, ties, ranks)
                }
                NeighbourMethod::Merit { k, ties } => self.merit(row, own, k, ties),
                NeighbourMethod::Surf { star } => {
                    let mean = self.picker.mean;
                    self.radius(row, own, mean, star.then_some(mean), -1.0, false);
                }
                NeighbourMethod::MultiSurf { star } => {
                    let (low, high) = self.band(row);
                    self.radius(row, own, low, star.then_some(high), 1.0, true);
                }
                NeighbourMethod::Pairs { .. } => {}
            }
        }
        self.sums.truncate(self.whole.first.len());
        self.sums.iter_mut().for_each(|s| *s += self.constant);
        self.sums
    }

    /// Distance 0 in numbers.
    fn same(&self) -> i64 {
        self.whole.first.len() as i64 + 1
    }

    /// Tile and bit of a place of a class.
    fn at(&self, place: usize, class: usize) -> (usize, usize) {
        let (at, tile) = (place - self.whole.order.starts[class], 64 * self.whole.words());
        (self.whole.tiles[class].start + at / tile, at % tile)
    }

    /// Where the planes of a row begin in a tile.
    fn begin(&self, tile: usize, row: usize) -> usize {
        (tile * self.rows.len() + row - self.rows.start) * self.depth * self.whole.words()
    }

    /// A row has no number in its own column.
    fn forget(&mut self, place: usize, class: usize, row: usize) {
        let (w, (tile, bit)) = (self.whole.words(), self.at(place, class));
        let begin = self.begin(tile, row);
        for p in 0..self.depth {
            self.numbers[begin + p * w + bit / 64] &= !(1 << (bit % 64));
        }
    }

    /// Numbers of a row in some tiles.
    fn of(&self, row: usize, tiles: &Range<usize>) -> TileNumbers<'_> {
        let stride = self.rows.len() * self.depth * self.whole.words();
        let planes = &self.numbers[self.begin(tiles.start, row).min(self.numbers.len())..];
        TileNumbers { planes, stride, tiles: tiles.len(), depth: self.depth }
    }

    /// MultiSURF's bounds.
    fn band(&self, row: usize) -> (f64, f64) {
        let tiles = 0..self.whole.valid.len() / self.whole.words();
        let moments = self.whole.kernels.moments(self.of(row, &tiles));
        let (others, same) = (self.whole.rows.len() as i128 - 1, i128::from(self.same()));
        let (sum, squares) = (i128::from(moments.sum), i128::from(moments.squares));
        band(others * same - sum, others * same * same - 2 * same * sum + squares, others)
    }

    /// All rows nearer than `near`, and those farther than `far` with a sign and by agreements.
    fn radius(
        &mut self,
        row: usize,
        own: usize,
        near: f64,
        far: Option<f64>,
        sign: f64,
        agreements: bool,
    ) {
        let tiles = 0..self.whole.valid.len() / self.whole.words();
        let (kernels, same) = (self.whole.kernels, self.same());
        let share = self.picker.share(row);
        // the largest whole distance below `near`
        let low = same - (near.ceil() as i64 - 1).min(same - 1);
        if low <= same {
            let mut mask = std::mem::take(&mut self.mask);
            kernels.at_least(self.of(row, &tiles), low as u32, &mut mask);
            self.count(row, own, &mask, share, false);
            self.mask = mask;
        }
        let Some(far) = far else { return };
        // the smallest number that is not farther
        let high = same - far.floor() as i64;
        if high > 1 {
            let (mut mask, mut nearer) =
                (std::mem::take(&mut self.mask), std::mem::take(&mut self.spare));
            kernels.at_least(self.of(row, &tiles), 1, &mut mask);
            if high <= same {
                kernels.at_least(self.of(row, &tiles), high as u32, &mut nearer);
                mask.iter_mut().zip(nearer.iter()).for_each(|(m, n)| *m &= !n);
            }
            self.count(row, own, &mask, sign * share, agreements);
            (self.mask, self.spare) = (mask, nearer);
        }
    }

    /// What the rows of a mask add.
    fn count(&mut self, row: usize, own: usize, mask: &[u64], scale: f64, agreements: bool) {
        let (whole, w) = (self.whole, self.whole.words());
        let part = |tiles: &Range<usize>| &mask[tiles.start * w..tiles.end * w];
        let totals: Vec<f64> =
            whole.tiles.iter().map(|t| whole.kernels.size(part(t)) as f64).collect();
        let weights = self.picker.of_classes(&totals, own);
        for (c, tiles) in whole.tiles.iter().enumerate() {
            if totals[c] <= 0.0 {
                continue;
            }
            let planes = &whole.planes[tiles.start * whole.stride..];
            let slots = self.slots.row(row - self.rows.start);
            whole.kernels.shared(part(tiles), planes, whole.stride, slots, &mut self.counts);
            let each = scale * weights[c] / totals[c];
            if agreements {
                self.constant += scale * weights[c];
            }
            let each = if agreements { -each } else { each };
            for (sum, &shared) in self.sums.iter_mut().zip(&self.counts) {
                *sum += each * (totals[c] - f64::from(shared));
            }
        }
    }

    /// The k nearest in some tiles, which belong to the classes given; nearest first, then by row.
    fn nearest(
        &mut self,
        row: usize,
        classes: Range<usize>,
        k: usize,
        there: usize,
    ) -> Vec<Neighbour<i32>> {
        if there == 0 {
            return Vec::new();
        }
        let w = self.whole.words();
        let tiles = self.whole.tiles[classes.start].start..self.whole.tiles[classes.end - 1].end;
        let (mut mask, kernels) = (std::mem::take(&mut self.mask), self.whole.kernels);
        let numbers = self.of(row, &tiles);
        let limit = kernels.kth_largest(numbers, k.min(there) as u32, &mut mask);
        kernels.at_least(numbers, limit, &mut mask);
        let mut kept = Vec::with_capacity(2 * k.min(there));
        for c in classes {
            let own = &self.whole.tiles[c];
            for word in own.start * w..own.end * w {
                let mut bits = mask[word - tiles.start * w];
                while bits != 0 {
                    let bit = bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    let at = (word / w - tiles.start) * numbers.stride + word % w;
                    let number: i32 = (0..self.depth)
                        .map(|p| ((numbers.planes[at + p * w] >> bit & 1) as i32) << p)
                        .sum();
                    let place = self.whole.order.starts[c] + (word - own.start * w) * 64 + bit;
                    let distance = self.same() as i32 - number;
                    kept.push(Neighbour { distance, place: place as u32, weight: 1.0 });
                }
            }
        }
        self.mask = mask;
        self.picker.sort(&mut kept);
        kept
    }

    /// Neighbours of equal weight need no order: those nearer than the k-th, and those tied with
    /// it.
    fn relieff(&mut self, row: usize, own: usize, k: usize, ties: NeighbourTies) {
        let (whole, w) = (self.whole, self.whole.words());
        let starts = &whole.order.starts;
        let there = |c: usize| k.min(starts[c + 1] - starts[c] - usize::from(c == own));
        let totals: Vec<f64> = (0..whole.tiles.len()).map(|c| there(c) as f64).collect();
        let weights = self.picker.of_classes(&totals, own);
        let share = self.picker.share(row);
        let place = whole.order.places[row] as usize * whole.width;
        let own_bytes = &whole.bytes[place..][..whole.width];
        let (mut mask, mut nearer) =
            (std::mem::take(&mut self.mask), std::mem::take(&mut self.spare));
        let (mut near, mut tied) = (std::mem::take(&mut self.near), std::mem::take(&mut self.tied));
        for (c, tiles) in whole.tiles.iter().enumerate().filter(|(c, _)| there(*c) > 0) {
            let numbers = self.of(row, tiles);
            let limit = whole.kernels.kth_largest(numbers, there(c) as u32, &mut mask);
            whole.kernels.at_least(numbers, limit, &mut mask);
            let words = tiles.len() * w;
            if i64::from(limit) < self.same() {
                whole.kernels.at_least(numbers, limit + 1, &mut nearer);
            } else {
                nearer[..words].fill(0);
            }
            near.clear();
            tied.clear();
            for word in 0..words {
                let first = (starts[c] + 64 * word) as u32;
                places(nearer[word], first, &mut near);
                places(mask[word] & !nearer[word], first, &mut tied);
            }
            let each = share * weights[c] / totals[c];
            let left = there(c) - near.len();
            let part = match ties {
                NeighbourTies::Share => left as f64 / tied.len() as f64,
                NeighbourTies::First => 1.0,
            };
            if ties == NeighbourTies::First {
                tied.sort_unstable_by_key(|&place| whole.order.given[place as usize]);
                tied.truncate(left);
            }
            if part == 1.0 {
                near.append(&mut tied);
            }
            whole.kernels.add_mismatches(own_bytes, &whole.bytes, &near, each, &mut self.sums);
            if !tied.is_empty() {
                whole.kernels.add_mismatches(
                    own_bytes,
                    &whole.bytes,
                    &tied,
                    each * part,
                    &mut self.sums,
                );
            }
        }
        (self.mask, self.spare, self.near, self.tied) = (mask, nearer, near, tied);
    }

    fn by_rank(&mut self, row: usize, own: usize, k: usize, ties: NeighbourTies, ranks: Ranks) {
        let starts = &self.whole.order.starts;
        let picked: Vec<Vec<PlaceGroup>> = (0..self.whole.tiles.len())
            .map(|c| {
                let there = starts[c + 1] - starts[c] - usize::from(c == own);
                ranked(&self.nearest(row, c..c + 1, k, there), k as f64, ties, ranks)
            })
            .collect();
        let mut choice = Contribution::default();
        self.picker.near(picked, own, self.picker.share(row), false, &mut choice);
        self.add(row, &choice);
    }

    fn merit(&mut self, row: usize, own: usize, k: usize, ties: NeighbourTies) {
        for tile in self.whole.tiles[own].clone() {
            let begin = self.begin(tile, row);
            self.numbers[begin..begin + self.depth * self.whole.words()].fill(0);
        }
        let starts = &self.whole.order.starts;
        let there = self.whole.rows.len() - (starts[own + 1] - starts[own]);
        let kept = self.nearest(row, 0..self.whole.tiles.len(), k, there);
        let mut choice = Contribution::default();
        let groups = ranked(&kept, k as f64, ties, Ranks::Equal);
        let distance =
            |place| kept.iter().find(|n| n.place == place).map_or(0.0, |n| f64::from(n.distance));
        self.picker.merit(row, groups, distance, &mut choice);
        self.add(row, &choice);
    }

    /// What the listed neighbours add.
    fn add(&mut self, row: usize, choice: &Contribution) {
        let (width, place) = (self.whole.width, self.whole.order.places[row] as usize);
        let own = &self.whole.bytes[place * width..][..width];
        for (weight, members) in &choice.groups {
            self.whole.kernels.add_mismatches(
                own,
                &self.whole.bytes,
                members,
                *weight,
                &mut self.sums,
            );
        }
    }
}
