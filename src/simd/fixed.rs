//! Kernels for pairs of one weighting: the weight of each pair as a whole number, and sums of it over pairs that share a value.
//!
//! Weights have at most [`WEIGHT_BITS`] bits and stand in 32-bit lanes, so up to [`MOST_ROWS`] rows add up without a carry between
//! lanes. Rows of a chunk are dealt out by the *joint* value of a few features ([`Joint`]): each row is added once for the whole group,
//! in the order of its joint value, and the sums of a feature's own values are then sums over joint values (the method of four Russians:
//! three binary features cost little more than one). What is left to do for a value is one mask and one sum over the columns.
//! Blocks of columns are so narrow that all rows of a chunk stay in the first-level cache while all features read them.

use super::body::{above, sum_planes};
use super::word::Word;
use super::{Kernels, MAX_PLANES, Slots};

/// Bits of the largest weight: a weight is at most `1 << WEIGHT_BITS`.
pub const WEIGHT_BITS: usize = 24;

/// Most rows whose weights are added up in a lane.
pub const MOST_ROWS: usize = 128;

/// Most joint values of more than one feature.
pub const MOST_JOINT: usize = 32;

/// Rows of a chunk in the order of their joint value of some features.
#[derive(Debug, Clone)]
pub struct Joint {
    /// First slot and number of values of each feature.
    features: Vec<(u32, u32)>,
    order: Vec<u16>,
    /// Where each joint value ends in the order.
    ends: Vec<u16>,
    slots: usize,
}

impl Joint {
    /// `features` are first slot and number of values of each; `rows` has their values row after row. At most [`MOST_ROWS`] rows, and
    /// at most [`MOST_JOINT`] joint values of more than one feature.
    pub fn new(features: Vec<(u32, u32)>, rows: &[u32]) -> Self {
        let joint: usize = features.iter().map(|f| f.1 as usize).product();
        let count = rows.len() / features.len();
        assert!(count <= MOST_ROWS && (features.len() == 1 || joint <= MOST_JOINT));
        let of_row: Vec<usize> = rows
            .chunks_exact(features.len())
            .map(|row| {
                row.iter().zip(&features).rev().fold(0, |joint, (&value, &(_, levels))| {
                    assert!(value < levels);
                    joint * levels as usize + value as usize
                })
            })
            .collect();
        let mut ends = vec![0u16; joint];
        of_row.iter().for_each(|&j| ends[j] += 1);
        let mut sum = 0;
        for end in &mut ends {
            let begin = sum;
            sum += *end;
            *end = begin;
        }
        let mut order = vec![0u16; count];
        for (row, &j) in of_row.iter().enumerate() {
            order[usize::from(ends[j])] = row as u16;
            ends[j] += 1;
        }
        let slots = features.iter().map(|f| (f.0 + f.1) as usize).max().unwrap_or(0);
        Self { features, order, ends, slots }
    }
}

/// What one call of [`Kernels::add_weights`] reads: everything of a tile.
#[derive(Debug, Clone, Copy)]
pub struct Weighed<'a> {
    /// Weights of a chunk, as [`Kernels::weights`] made them.
    pub weights: &'a [u64],
    /// Planes of all slots.
    pub planes: &'a [u64],
    /// One plane for each binary digit of the columns' multiplicities that occurs.
    pub copies: &'a [u64],
}

impl Kernels {
    /// Words that the weights of a chunk take.
    pub fn weights_len(&self) -> usize {
        MOST_ROWS * 32 * self.words()
    }

    /// Words of scratch that [`Kernels::add_weights`] takes.
    pub fn joint_len(&self) -> usize {
        MOST_JOINT * 8 * self.words()
    }

    fn check_slots(&self, planes: &[u64], slots: &Slots) -> usize {
        assert!(slots.features < 1 << MAX_PLANES && slots.rows() <= MOST_ROWS);
        assert!((slots.largest as usize + 1) * self.words() <= planes.len());
        match slots.features {
            0..16 => 0,
            16..64 => 1,
            64..256 => 2,
            256..2048 => 3,
            _ => 4,
        }
    }

    /// The weight of each pair of a row and a column of a tile: `table[agreements]`, `table.len()` one more than the features.
    pub fn weights(&self, planes: &[u64], slots: &Slots, table: &[u32], out: &mut [u64]) {
        let body = self.check_slots(planes, slots);
        assert!(table.len() == slots.features + 1 && out.len() >= self.weights_len());
        assert!(table.iter().all(|&w| w <= 1 << WEIGHT_BITS));
        // SAFETY: slots and rows lie inside their slices; agreements are at most the number of features.
        unsafe { (self.table.weights[body])(planes, &slots.slots, slots.features, table, out) }
    }

    /// The largest number of agreements below the number of features between a row and a column in use, if above `best`.
    pub fn nearest(&self, planes: &[u64], valid: &[u64], slots: &Slots, best: usize) -> usize {
        let body = self.check_slots(planes, slots);
        assert!(valid.len() >= self.words());
        // SAFETY: slots lie inside their slices.
        unsafe { (self.table.nearest[body])(planes, valid, &slots.slots, slots.features, best) }
    }

    /// `sums[((copy * slots + slot) * words + word) * words ..] +=` weights of the rows that have the value `slot`, over the columns of
    /// the word that have it and the digit `copy` (a vector of sums that belong together).
    pub fn add_weights(&self, tile: Weighed<'_>, joints: &[Joint], scratch: &mut [u64], sums: &mut [u64]) {
        let w = self.words();
        assert!(tile.weights.len() >= self.weights_len() && scratch.len() >= self.joint_len());
        assert!(tile.copies.len().is_multiple_of(w) && tile.planes.len().is_multiple_of(w));
        assert!(joints.iter().all(|j| j.slots * w <= tile.planes.len()));
        assert!(sums.len() >= tile.copies.len() * tile.planes.len());
        // SAFETY: joints know their largest slot, rows are below MOST_ROWS, and all results lie inside their slices.
        unsafe { (self.table.add_weights)(tile, joints, scratch, sums) }
    }

    /// `out[column] +=` weights of the first `rows` rows.
    pub fn add_columns(&self, weights: &[u64], rows: usize, out: &mut [u64]) {
        assert!(weights.len() >= self.weights_len() && rows <= MOST_ROWS && out.len() >= 64 * self.words());
        // SAFETY: lengths checked above.
        unsafe { (self.table.add_columns)(weights, rows, out) }
    }

    /// `out[row] = ` weights of the columns of a plane.
    pub fn row_sums(&self, weights: &[u64], columns: &[u64], out: &mut [u64]) {
        assert!(weights.len() >= self.weights_len() && out.len() <= MOST_ROWS);
        assert!(columns.len() >= self.words());
        // SAFETY: lengths checked above.
        unsafe { (self.table.row_sums)(weights, columns, out) }
    }
}

/// Vectors of a block of columns: 64 columns where vectors are long enough.
#[inline(always)]
const fn block<W: Word>() -> usize {
    if W::WORDS == 8 { 4 } else { 8 }
}

/// Where the weights of a row in a block of columns begin.
#[inline(always)]
const fn place<W: Word>(at: usize, row: usize) -> usize {
    (at * MOST_ROWS + row) * block::<W>() * W::WORDS
}

/// Columns of a block.
#[inline(always)]
const fn columns<W: Word>() -> usize {
    block::<W>() * 2 * W::WORDS
}

#[inline(always)]
pub(super) unsafe fn weights<W: Word, const D: usize>(
    planes: &[u64],
    slots: &[u32],
    features: usize,
    table: &[u32],
    out: &mut [u64],
) {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        let per_word = 64 / columns::<W>();
        for (row, slots) in slots.chunks_exact(features).enumerate() {
            let sum: [W; D] = sum_planes(planes.as_ptr(), slots, 0);
            let mut words = [[0u64; 8]; D];
            for (plane, words) in sum.iter().zip(&mut words) {
                plane.store(words.as_mut_ptr());
            }
            for word in 0..W::WORDS {
                let mut of_word = [0u64; D];
                of_word.iter_mut().zip(&words).for_each(|(to, plane)| *to = plane[word]);
                for part in 0..per_word {
                    let to = out.as_mut_ptr().add(place::<W>(word * per_word + part, row)).cast::<u32>();
                    W::look_up(&of_word, part * columns::<W>(), columns::<W>(), table, to);
                }
            }
        }
    }
}

/// Each bit of a byte as a byte.
const SPREAD: [u64; 256] = {
    let mut table = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        while bit < 8 {
            table[byte] |= ((byte >> bit & 1) as u64) << (8 * bit);
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// `out[c] = table[number spelled by bits first + c of the planes]`, eight columns at a time.
#[inline(always)]
pub(super) unsafe fn look_up(planes: &[u64], first: usize, columns: usize, table: &[u32], out: *mut u32) {
    // SAFETY: numbers are below the length of the table, and `out` has room for all columns.
    unsafe {
        for at in (0..columns).step_by(8) {
            let mut bytes = [0u64; 3];
            for (p, plane) in planes.iter().enumerate() {
                bytes[p / 8] |= SPREAD[usize::from((plane >> (first + at)) as u8)] << (p % 8);
            }
            for c in 0..8 {
                let mut number = (bytes[0] >> (8 * c)) as u8 as usize;
                if planes.len() > 8 {
                    number |= ((bytes[1] >> (8 * c)) as u8 as usize) << 8;
                    number |= ((bytes[2] >> (8 * c)) as u8 as usize) << 16;
                }
                *out.add(at + c) = *table.get_unchecked(number);
            }
        }
    }
}

#[inline(always)]
pub(super) unsafe fn nearest<W: Word, const D: usize>(
    planes: &[u64],
    valid: &[u64],
    slots: &[u32],
    features: usize,
    mut best: usize,
) -> usize {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        let valid = W::load(valid.as_ptr());
        for slots in slots.chunks_exact(features) {
            let sum: [W; D] = sum_planes(planes.as_ptr(), slots, 0);
            let different = above(&sum, features - 1).not_and(valid);
            while best + 1 < features && above(&sum, best).and(different).any() {
                best += 1;
            }
        }
        best
    }
}

#[inline(always)]
pub(super) unsafe fn add_weights<W: Word>(
    tile: Weighed<'_>,
    joints: &[Joint],
    scratch: &mut [u64],
    sums: &mut [u64],
) {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        if W::WORDS == 8 {
            add_blocks::<W, 4>(tile, joints, scratch, sums);
        } else {
            add_blocks::<W, 8>(tile, joints, scratch, sums);
        }
    }
}

/// Sum of rows in one block of columns.
#[inline(always)]
unsafe fn add_rows<W: Word, const A: usize>(base: *const u64, rows: &[u16]) -> [W; A] {
    // SAFETY: rows lie inside the block.
    unsafe {
        let mut sum = [W::zero(); A];
        for &row in rows {
            let at = base.add(usize::from(row) * A * W::WORDS);
            for (a, sum) in sum.iter_mut().enumerate() {
                *sum = sum.add64(W::load(at.add(a * W::WORDS)));
            }
        }
        sum
    }
}

/// What rows of a value add to the columns that have it.
#[inline(always)]
unsafe fn keep<W: Word, const A: usize>(
    tile: Weighed<'_>,
    slot: usize,
    word: usize,
    shift: usize,
    sum: &[W; A],
    sums: &mut [u64],
) {
    // SAFETY: the safe method checked that the sums of every slot and digit lie inside `sums`.
    unsafe {
        let slots = tile.planes.len() / W::WORDS;
        let plane = *tile.planes.get_unchecked(slot * W::WORDS + word);
        for (copy, digits) in tile.copies.chunks_exact(W::WORDS).enumerate() {
            let bits = (plane & digits[word]) >> shift;
            if bits == 0 {
                continue;
            }
            let mut all = W::zero();
            for (a, sum) in sum.iter().enumerate() {
                all = all.add64(sum.keep32(bits >> (a * 2 * W::WORDS)).halves());
            }
            let to = sums.as_mut_ptr().add(((copy * slots + slot) * W::WORDS + word) * W::WORDS);
            W::load(to).add64(all).store(to);
        }
    }
}

#[inline(always)]
unsafe fn add_blocks<W: Word, const A: usize>(
    tile: Weighed<'_>,
    joints: &[Joint],
    scratch: &mut [u64],
    sums: &mut [u64],
) {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        for at in 0..W::WORDS * 64 / columns::<W>() {
            let (word, shift) = (at * columns::<W>() / 64, at * columns::<W>() % 64);
            let base = tile.weights.as_ptr().add(place::<W>(at, 0));
            if tile.copies.chunks_exact(W::WORDS).all(|digits| digits[word] >> shift == 0) {
                continue;
            }
            for joint in joints {
                let mut begin = 0;
                let one = joint.features.len() == 1;
                for (value, &end) in joint.ends.iter().enumerate() {
                    let rows = &joint.order[begin..usize::from(end)];
                    begin = usize::from(end);
                    if one {
                        if !rows.is_empty() {
                            let sum = add_rows::<W, A>(base, rows);
                            keep::<W, A>(tile, joint.features[0].0 as usize + value, word, shift, &sum, sums);
                        }
                        continue;
                    }
                    for (a, sum) in add_rows::<W, A>(base, rows).iter().enumerate() {
                        sum.store(scratch.as_mut_ptr().add((value * A + a) * W::WORDS));
                    }
                }
                if one {
                    continue;
                }
                let mut stride = 1;
                for &(first, levels) in &joint.features {
                    let levels = levels as usize;
                    for value in 0..levels {
                        let mut sum = [W::zero(); A];
                        for high in (value * stride..joint.ends.len()).step_by(levels * stride) {
                            for other in high..high + stride {
                                let from = scratch.as_ptr().add(other * A * W::WORDS);
                                for (a, sum) in sum.iter_mut().enumerate() {
                                    *sum = sum.add64(W::load(from.add(a * W::WORDS)));
                                }
                            }
                        }
                        keep::<W, A>(tile, first as usize + value, word, shift, &sum, sums);
                    }
                    stride *= levels;
                }
            }
        }
    }
}

#[inline(always)]
pub(super) unsafe fn add_columns<W: Word>(weights: &[u64], rows: usize, out: &mut [u64]) {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        for at in 0..W::WORDS * 64 / columns::<W>() {
            for a in 0..block::<W>() {
                let mut sum = W::zero();
                for row in 0..rows {
                    sum = sum.add64(W::load(weights.as_ptr().add(place::<W>(at, row) + a * W::WORDS)));
                }
                let mut words = [0u64; 8];
                sum.store(words.as_mut_ptr());
                let to = &mut out[at * columns::<W>() + a * 2 * W::WORDS..][..2 * W::WORDS];
                for (to, word) in to.chunks_exact_mut(2).zip(words) {
                    to[0] += word & 0xffff_ffff;
                    to[1] += word >> 32;
                }
            }
        }
    }
}

#[inline(always)]
pub(super) unsafe fn row_sums<W: Word>(weights: &[u64], plane: &[u64], out: &mut [u64]) {
    // SAFETY: lengths were checked by the safe method; 32 vectors of weights do not fill a lane.
    unsafe {
        for (row, out) in out.iter_mut().enumerate() {
            let mut sum = W::zero();
            for at in 0..W::WORDS * 64 / columns::<W>() {
                let bits = plane[at * columns::<W>() / 64] >> (at * columns::<W>() % 64);
                if bits == 0 {
                    continue;
                }
                for a in 0..block::<W>() {
                    let x = W::load(weights.as_ptr().add(place::<W>(at, row) + a * W::WORDS));
                    sum = sum.add64(x.keep32(bits >> (a * 2 * W::WORDS)));
                }
            }
            let mut words = [0u64; 8];
            sum.halves().store(words.as_mut_ptr());
            *out = words[..W::WORDS].iter().sum();
        }
    }
}
