//! The search for up to about a thousand complete nominal columns: distances stay bit planes from
//! the first sum to the last count.
//!
//! All rows are held as bits: a plane (one bit per row) for every value of every feature, each
//! class in tiles of its own. For one row, the carry-save sum of the planes of its values gives the
//! number of agreeing features of up to 512 rows at once, plus one, as bit planes: its *closeness*,
//! `features + 1 - distance`, with 0 for "no row here". Then:
//!
//! - the k-th nearest is found by bisection on planes, a radius is a comparison with a constant;
//! - mean and deviation are popcounts of pairs of planes;
//! - few neighbours are listed and compared byte by byte; many stay a mask, and the number of them
//!   that share the value of the row is a popcount of mask and plane.
//!
//! Cost: about t^2 n / 200 operations in all, for three dozen features a fifth of the cost of
//! [`distances`](super::distances). Rows come in chunks whose size depends on the data alone and
//! whose sums are added in order, so neither threads nor SIMD levels change a bit.

use super::distances::Order;
use super::members::push_places;
use super::nearest::{Neighbour, NeighbourTies, PlaceGroup, Ranks, ranked};
use super::rows::NeighbourRows;
use super::select::{Contribution, NeighbourMethod, NeighbourTerm, Picker};
use super::shape::{REMEDY, SearchShape, WHAT};
use super::share::Share;
use super::thresholds::{RadiusThresholds, exact_thresholds};
use crate::error::Result;
use crate::parallel::{self, Control};
use crate::simd::{Buffer, Kernels, LONGEST_WINDOW, Slots, TileNumbers, Window};
use std::ops::Range;

/// Most bytes of all planes.
const PLANE_BYTES: usize = 64 << 20;

/// The division of the rows into chunks, and its memory in bytes.
#[derive(Debug, Clone, Copy)]
pub(super) struct ChunkPlan {
    /// Rows per chunk.
    rows: usize,
    /// Number of chunks.
    pub chunks: usize,
    /// Bytes of the planes and codes of all rows.
    all_rows: usize,
    /// Bytes of the chunk that a thread works on.
    chunk: usize,
    /// Bytes of the sums of a chunk.
    sums: usize,
}

impl ChunkPlan {
    /// The plan, or `None` if these rows or this method need the search by tiles. This search
    /// serves complete nominal columns and classes, for rows that count once, if the planes of all
    /// rows are small enough. The chunks depend on the data alone, because scores depend on them in
    /// the last bits.
    pub fn new(shape: &SearchShape, kernels: Kernels, method: NeighbourMethod) -> Option<Self> {
        let (t, n, w) = (shape.rows(), shape.nominal, kernels.words());
        // each class pads its last tile: the padding is bounded, for the widest tiles (512 rows)
        let padded: usize = shape.classes.iter().map(|rows| rows.next_multiple_of(512)).sum();
        let applies = shape.others == 0
            && shape.unit
            && !matches!(method, NeighbourMethod::Pairs { .. })
            && !method.reads_numbers();
        if !applies
            || n >= LONGEST_WINDOW
            || padded > 3 * t + 2048
            || padded / 8 * shape.values > PLANE_BYTES
        {
            return None;
        }
        // scores depend on the chunks in the last bits, so their size may depend on the data only
        let rows = if padded > 32_768 { 16 } else { 64 };
        let tiles: usize = shape.classes.iter().map(|rows| rows.div_ceil(64 * w)).sum();
        let depth = (usize::BITS - (n + 1).leading_zeros()) as usize;
        let width = n.next_multiple_of(64);
        // closeness of the chunk, two masks, and the bits outside the window
        let words = tiles * w * (rows * depth + 2) + rows * w;
        Some(Self {
            rows,
            chunks: t.div_ceil(rows),
            all_rows: 8 * tiles * w * (shape.values + 1) + t * width + 4 * n,
            chunk: 8 * words + 4 * rows * n + 12 * width + 8 * t,
            sums: 8 * width,
        })
    }

    /// Bytes of `chunks` chunks on `threads` threads. The planes of all rows and the sums of all
    /// chunks are held throughout; each thread holds the closeness of one chunk.
    pub fn bytes(&self, chunks: usize, threads: usize) -> usize {
        (self.all_rows + self.sums * chunks).saturating_add(self.chunk.saturating_mul(threads))
    }
}

/// The rows of a search as [`parts`] takes them.
#[derive(Clone, Copy)]
pub(super) struct RowData<'a> {
    pub kernels: Kernels,
    pub rows: &'a NeighbourRows<'a>,
    pub order: &'a Order,
    /// Number of levels of each column.
    pub levels: &'a [u16],
}

/// Sums by feature of each chunk of rows of a share.
pub(super) fn parts(
    control: &Control,
    data: RowData<'_>,
    picker: &Picker<'_>,
    share: Share,
    plan: ChunkPlan,
) -> Result<Vec<Vec<f64>>> {
    let (t, chunk) = (data.rows.len(), plan.rows);
    let chunks = share.range(plan.chunks);
    // one thread if the memory budget has no room for more
    let need = |threads: usize| plan.bytes(chunks.len(), threads);
    let fits = control.budget().has(need(control.threads()));
    let control = &if fits { control.clone() } else { control.serial() };
    control.budget().admit(WHAT, need(control.threads()), REMEDY)?;
    let all = AllRows::new(data);
    control.set_total((chunks.len() * chunk) as u64);
    parallel::map(control, chunks.len(), &|c| {
        control.check()?;
        let first = (chunks.start + c) * chunk;
        let rows = first..(first + chunk).min(t);
        control.advance(rows.len() as u64);
        Ok(RowChunk::new(&all, picker, rows).scores())
    })
}

/// All rows as bit planes, in tiles of `64 * words` rows of one class.
struct AllRows<'a> {
    kernels: Kernels,
    rows: &'a NeighbourRows<'a>,
    order: &'a Order,
    /// Slot (number of the plane in its tile) of value 0 of each feature.
    first: Vec<u32>,
    /// `[tile][slot][word]`.
    planes: Buffer,
    /// Words per tile of `planes`.
    stride: usize,
    /// Bits in use, `[tile][word]`.
    valid: Buffer,
    /// Tiles of each class.
    tiles: Vec<Range<usize>>,
    /// Codes by place, `width` bytes per row.
    bytes: Vec<u8>,
    /// Number of columns, rounded up to 64.
    width: usize,
}

impl<'a> AllRows<'a> {
    /// Set the bits of all rows, and copy their codes by place.
    fn new(RowData { kernels, rows, order, levels }: RowData<'a>) -> Self {
        let (n, w) = (rows.codes.columns, kernels.words());
        let mut first = Vec::with_capacity(n);
        let mut slots = 0;
        for &l in levels {
            first.push(slots);
            slots += u32::from(l);
        }
        // tiles of each class
        let mut tiles = Vec::new();
        let mut last = 0;
        for class in order.starts.windows(2) {
            let count = (class[1] - class[0]).div_ceil(64 * w);
            tiles.push(last..last + count);
            last += count;
        }
        // the bit of each row in the plane of each of its values, and its codes
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

    /// Words per plane of a tile.
    fn words(&self) -> usize {
        self.kernels.words()
    }
}

/// A chunk of rows against all rows.
struct RowChunk<'a> {
    all: &'a AllRows<'a>,
    picker: &'a Picker<'a>,
    rows: Range<usize>,
    /// Slots of the values of each row.
    slots: Slots,
    /// Closeness of each row to all rows, `[tile][row][plane][word]`.
    closeness: Buffer,
    /// Planes per closeness.
    depth: usize,
    /// Mask of neighbours, used again for each row.
    mask: Buffer,
    /// Second mask, for the nearer part of the first.
    nearer: Buffer,
    /// Places of neighbours nearer than the k-th, used again.
    near: Vec<u32>,
    /// Places of neighbours tied with the k-th, used again.
    tied: Vec<u32>,
    /// Neighbours that share the value of the row, by feature, used again.
    shared: Vec<u32>,
    /// Sums by feature.
    sums: Vec<f64>,
    /// Added to the sum of every feature in the end.
    constant: f64,
}

impl<'a> RowChunk<'a> {
    /// A chunk with the closeness of its rows to all rows, and without sums yet.
    fn new(all: &'a AllRows<'a>, picker: &'a Picker<'a>, rows: Range<usize>) -> Self {
        let (n, w) = (all.first.len(), all.words());
        let mut slots = Vec::with_capacity(rows.len() * n);
        for row in rows.clone() {
            let codes = all.rows.part(row, 0..n).iter().zip(&all.first);
            slots.extend(codes.map(|(&code, &first)| first + u32::from(code)));
        }
        let slots = Slots::new(slots, n);
        let window = Window { features: n, first: 0, length: n + 1 };
        let depth = window.planes();
        let tiles = all.valid.len() / w;
        let mut closeness = Buffer::zeroed(tiles * rows.len() * depth * w);
        let mut outside = Buffer::zeroed(rows.len() * w);
        for (tile, out) in closeness.chunks_exact_mut(rows.len() * depth * w).enumerate() {
            let planes = &all.planes[tile * all.stride..][..all.stride];
            let valid = &all.valid[tile * w..][..w];
            all.kernels.distances(planes, valid, &slots, window, out, &mut outside);
        }
        let mask = Buffer::zeroed(tiles * w);
        let nearer = Buffer::zeroed(tiles * w);
        let (shared, sums) = (vec![0; n], vec![0.0; all.width]);
        Self {
            all,
            picker,
            rows,
            slots,
            closeness,
            depth,
            mask,
            nearer,
            near: Vec::new(),
            tied: Vec::new(),
            shared,
            sums,
            constant: 0.0,
        }
    }

    /// The sums of the rows of the chunk, by feature.
    fn scores(mut self) -> Vec<f64> {
        for row in self.rows.clone() {
            let own = usize::from(self.all.rows.classes[row]);
            self.exclude(self.all.order.places[row] as usize, own, row);
            match self.picker.method {
                NeighbourMethod::ReliefF { k, ties, ranks: Ranks::Equal } => {
                    self.add_nearest(row, own, k, ties)
                }
                NeighbourMethod::ReliefF { k, ties, ranks } => {
                    self.add_ranked(row, own, k, ties, ranks)
                }
                NeighbourMethod::Merit { k, ties } => self.add_merit(row, own, k, ties),
                NeighbourMethod::Surf { star } => {
                    let mean = self.picker.mean;
                    let far = star.then_some(Far {
                        above: mean,
                        sign: -1.0,
                        term: NeighbourTerm::Differences,
                    });
                    self.within_radius(row, own, mean, far);
                }
                NeighbourMethod::MultiSurf { star } => {
                    let RadiusThresholds { near, far } = self.thresholds(row);
                    let far = star.then_some(Far {
                        above: far,
                        sign: 1.0,
                        term: NeighbourTerm::Agreements,
                    });
                    self.within_radius(row, own, near, far);
                }
                // refused by ChunkPlan
                NeighbourMethod::Pairs { .. } | NeighbourMethod::RReliefF { .. } => {}
            }
        }
        self.sums.truncate(self.all.first.len());
        self.sums.iter_mut().for_each(|s| *s += self.constant);
        self.sums
    }

    /// Closeness of equal rows.
    fn largest(&self) -> i64 {
        self.all.first.len() as i64 + 1
    }

    /// Tile, and bit within the tile, of a place of a class.
    fn tile_and_bit(&self, place: usize, class: usize) -> (usize, usize) {
        let (at, tile) = (place - self.all.order.starts[class], 64 * self.all.words());
        (self.all.tiles[class].start + at / tile, at % tile)
    }

    /// Index of the first word of the closeness of a row in a tile.
    fn begin(&self, tile: usize, row: usize) -> usize {
        (tile * self.rows.len() + row - self.rows.start) * self.depth * self.all.words()
    }

    /// Clear the closeness of a row to itself, so that it is no neighbour.
    fn exclude(&mut self, place: usize, class: usize, row: usize) {
        let (w, (tile, bit)) = (self.all.words(), self.tile_and_bit(place, class));
        let begin = self.begin(tile, row);
        for p in 0..self.depth {
            self.closeness[begin + p * w + bit / 64] &= !(1 << (bit % 64));
        }
    }

    /// Closeness of a row in a range of tiles.
    fn closeness_in(&self, row: usize, tiles: &Range<usize>) -> TileNumbers<'_> {
        let stride = self.rows.len() * self.depth * self.all.words();
        let planes = &self.closeness[self.begin(tiles.start, row).min(self.closeness.len())..];
        TileNumbers { planes, stride, tiles: tiles.len(), depth: self.depth }
    }

    /// MultiSURF's thresholds, from the sum and the sum of squares of the closeness.
    fn thresholds(&self, row: usize) -> RadiusThresholds {
        let tiles = 0..self.all.valid.len() / self.all.words();
        let moments = self.all.kernels.moments(self.closeness_in(row, &tiles));
        let (others, largest) = (self.all.rows.len() as i128 - 1, i128::from(self.largest()));
        let (sum, squares) = (i128::from(moments.sum), i128::from(moments.squares));
        // distance = largest - closeness
        let distance_sum = others * largest - sum;
        let distance_squares = others * largest * largest - 2 * largest * sum + squares;
        exact_thresholds(distance_sum, distance_squares, others)
    }

    /// Add all rows nearer than `near` and, if there is a far side, the rows of the far side.
    fn within_radius(&mut self, row: usize, own: usize, near: f64, far: Option<Far>) {
        let tiles = 0..self.all.valid.len() / self.all.words();
        let (kernels, largest) = (self.all.kernels, self.largest());
        let share = self.picker.share(row);
        // closeness of the largest whole distance below `near`; distance `features` has closeness 1
        let low = largest - (near.ceil() as i64 - 1).min(largest - 1);
        if low <= largest {
            let mut mask = std::mem::take(&mut self.mask);
            kernels.at_least(self.closeness_in(row, &tiles), low as u32, &mut mask);
            self.add_mask(row, own, &mask, share, NeighbourTerm::Differences);
            self.mask = mask;
        }
        let Some(far) = far else { return };
        // the smallest closeness that is not far; far rows have a closeness from 1 to below it
        let high = largest - far.above.floor() as i64;
        if high > 1 {
            let (mut mask, mut nearer) =
                (std::mem::take(&mut self.mask), std::mem::take(&mut self.nearer));
            kernels.at_least(self.closeness_in(row, &tiles), 1, &mut mask);
            if high <= largest {
                kernels.at_least(self.closeness_in(row, &tiles), high as u32, &mut nearer);
                mask.iter_mut().zip(nearer.iter()).for_each(|(m, n)| *m &= !n);
            }
            self.add_mask(row, own, &mask, far.sign * share, far.term);
            (self.mask, self.nearer) = (mask, nearer);
        }
    }

    /// Add the mean term over the rows of a mask, class by class: a feature differs in those that
    /// do not share the value of the row.
    fn add_mask(&mut self, row: usize, own: usize, mask: &[u64], scale: f64, term: NeighbourTerm) {
        let (all, w) = (self.all, self.all.words());
        let part = |tiles: &Range<usize>| &mask[tiles.start * w..tiles.end * w];
        let totals: Vec<f64> = all.tiles.iter().map(|t| all.kernels.size(part(t)) as f64).collect();
        let factors = self.picker.class_factors(&totals, own);
        for (c, tiles) in all.tiles.iter().enumerate() {
            if totals[c] <= 0.0 {
                continue;
            }
            let planes = &all.planes[tiles.start * all.stride..];
            let slots = self.slots.row(row - self.rows.start);
            all.kernels.shared(part(tiles), planes, all.stride, slots, &mut self.shared);
            let mut each = scale * factors[c] / totals[c];
            if term == NeighbourTerm::Agreements {
                self.constant += scale * factors[c];
                each = -each;
            }
            for (sum, &shared) in self.sums.iter_mut().zip(&self.shared) {
                *sum += each * (totals[c] - f64::from(shared));
            }
        }
    }

    /// The k nearest rows of a range of classes, and those tied with the k-th: nearest first, then
    /// by row number. `candidates` is the number of rows that may be picked.
    fn nearest(
        &mut self,
        row: usize,
        classes: Range<usize>,
        k: usize,
        candidates: usize,
    ) -> Vec<Neighbour<i32>> {
        if candidates == 0 {
            return Vec::new();
        }
        let k = k.min(candidates);
        let w = self.all.words();
        let tiles = self.all.tiles[classes.start].start..self.all.tiles[classes.end - 1].end;
        let (mut mask, kernels) = (std::mem::take(&mut self.mask), self.all.kernels);
        let closeness = self.closeness_in(row, &tiles);
        let limit = kernels.kth_largest(closeness, k as u32, &mut mask);
        kernels.at_least(closeness, limit, &mut mask);
        // list the rows of the mask, with the distances read off their planes
        let mut kept = Vec::with_capacity(2 * k);
        for c in classes {
            let own = &self.all.tiles[c];
            for word in own.start * w..own.end * w {
                let mut bits = mask[word - tiles.start * w];
                while bits != 0 {
                    let bit = bits.trailing_zeros() as usize;
                    bits &= bits - 1;
                    let at = (word / w - tiles.start) * closeness.stride + word % w;
                    let number: i32 = (0..self.depth)
                        .map(|p| ((closeness.planes[at + p * w] >> bit & 1) as i32) << p)
                        .sum();
                    let place = self.all.order.starts[c] + (word - own.start * w) * 64 + bit;
                    let distance = self.largest() as i32 - number;
                    kept.push(Neighbour { distance, place: place as u32, weight: 1.0 });
                }
            }
        }
        self.mask = mask;
        self.picker.sort(&mut kept);
        kept
    }

    /// Add the mean difference to the k nearest rows of each class. Equal weights need no sorted
    /// list: the rows nearer than the k-th count in full, and the rows tied with it share the rest.
    fn add_nearest(&mut self, row: usize, own: usize, k: usize, ties: NeighbourTies) {
        let (all, w) = (self.all, self.all.words());
        let starts = &all.order.starts;
        let picked = |c: usize| k.min(starts[c + 1] - starts[c] - usize::from(c == own));
        let totals: Vec<f64> = (0..all.tiles.len()).map(|c| picked(c) as f64).collect();
        let factors = self.picker.class_factors(&totals, own);
        let share = self.picker.share(row);
        let place = all.order.places[row] as usize * all.width;
        let own_bytes = &all.bytes[place..][..all.width];
        let (mut mask, mut nearer) =
            (std::mem::take(&mut self.mask), std::mem::take(&mut self.nearer));
        let (mut near, mut tied) = (std::mem::take(&mut self.near), std::mem::take(&mut self.tied));
        for (c, tiles) in all.tiles.iter().enumerate().filter(|(c, _)| picked(*c) > 0) {
            // masks of the rows within the k-th distance, and of those nearer than it
            let closeness = self.closeness_in(row, tiles);
            let limit = all.kernels.kth_largest(closeness, picked(c) as u32, &mut mask);
            all.kernels.at_least(closeness, limit, &mut mask);
            let words = tiles.len() * w;
            if i64::from(limit) < self.largest() {
                all.kernels.at_least(closeness, limit + 1, &mut nearer);
            } else {
                nearer[..words].fill(0);
            }
            near.clear();
            tied.clear();
            for word in 0..words {
                let first = (starts[c] + 64 * word) as u32;
                push_places(nearer[word], first, &mut near);
                push_places(mask[word] & !nearer[word], first, &mut tied);
            }
            // the tied rows share the remaining ranks, or the lower row numbers take them
            let each = share * factors[c] / totals[c];
            let left = picked(c) - near.len();
            let fraction = match ties {
                NeighbourTies::Share => left as f64 / tied.len() as f64,
                NeighbourTies::First | NeighbourTies::Listed => 1.0,
            };
            if ties == NeighbourTies::First {
                tied.sort_unstable_by_key(|&place| all.order.given[place as usize]);
                tied.truncate(left);
            }
            if fraction == 1.0 {
                near.append(&mut tied);
            }
            let mut add = |places: &[u32], weight: f64| {
                all.kernels.add_mismatches(own_bytes, &all.bytes, places, weight, &mut self.sums);
            };
            add(&near, each);
            if !tied.is_empty() {
                add(&tied, each * fraction);
            }
        }
        (self.mask, self.nearer, self.near, self.tied) = (mask, nearer, near, tied);
    }

    /// Add the k nearest rows of each class, weighted by rank.
    fn add_ranked(&mut self, row: usize, own: usize, k: usize, ties: NeighbourTies, ranks: Ranks) {
        let starts = &self.all.order.starts;
        let by_class: Vec<Vec<PlaceGroup>> = (0..self.all.tiles.len())
            .map(|c| {
                let candidates = starts[c + 1] - starts[c] - usize::from(c == own);
                ranked(&self.nearest(row, c..c + 1, k, candidates), k as f64, ties, ranks)
            })
            .collect();
        let mut contribution = Contribution::default();
        let share = self.picker.share(row);
        self.picker.add_means(by_class, own, share, NeighbourTerm::Differences, &mut contribution);
        self.add(row, &contribution);
    }

    /// Add the k nearest rows of other classes, weighted as in the merit of Hong (1997).
    fn add_merit(&mut self, row: usize, own: usize, k: usize, ties: NeighbourTies) {
        // no row of the same class is a neighbour: clear their closeness
        for tile in self.all.tiles[own].clone() {
            let begin = self.begin(tile, row);
            self.closeness[begin..begin + self.depth * self.all.words()].fill(0);
        }
        let starts = &self.all.order.starts;
        let misses = self.all.rows.len() - (starts[own + 1] - starts[own]);
        let kept = self.nearest(row, 0..self.all.tiles.len(), k, misses);
        let mut contribution = Contribution::default();
        let groups = ranked(&kept, k as f64, ties, Ranks::Equal);
        let distance =
            |place| kept.iter().find(|n| n.place == place).map_or(0.0, |n| f64::from(n.distance));
        self.picker.add_merit(row, groups, distance, &mut contribution);
        self.add(row, &contribution);
    }

    /// Add the differences to listed neighbours.
    fn add(&mut self, row: usize, contribution: &Contribution) {
        let (all, place) = (self.all, self.all.order.places[row] as usize);
        let own = &all.bytes[place * all.width..][..all.width];
        for PlaceGroup { weight, places } in &contribution.groups {
            all.kernels.add_mismatches(own, &all.bytes, places, *weight, &mut self.sums);
        }
    }
}

/// The far side of SURF* and MultiSURF*.
struct Far {
    /// Rows at a larger distance are far.
    above: f64,
    /// Sign of their contribution.
    sign: f64,
    /// The term that is averaged over them.
    term: NeighbourTerm,
}
