//! The kernels of [`super::weigh`], over [`Word`].
//!
//! The weights of a chunk lie in blocks of columns, row after row: `[block][row][vector]`, one lane
//! of 32 bits per column. Masks of lanes come from memory with SSE2 and AVX2, because making one
//! from bits takes five operations; AVX-512 has registers for masks.
//!
//! Lanes of 32 bits are added by [`Word::add64`]: at most [`MOST_WEIGHED_ROWS`] weights of
//! [`super::WEIGHT_BITS`] bits cannot carry out of a lane, so one addition of 64-bit words adds
//! both of its lanes.

use super::body::{greater_than, sum_planes};
use super::weights::{
    FeatureSlots, Joint, JointGroup, MOST_WEIGHED_ROWS, WeighedTile, WeightTable,
};
use super::word::{Word, Words};

/// Index, in words, of the first weight of a row in a block of columns.
#[inline(always)]
const fn first_weight<W: Word>(block: usize, row: usize) -> usize {
    (block * (MOST_WEIGHED_ROWS + 1) + row) * W::BLOCK_VECTORS * W::WORDS
}

/// Number of columns of a block.
#[inline(always)]
const fn columns<W: Word>() -> usize {
    W::BLOCK_VECTORS * 2 * W::WORDS
}

/// Position of the first bit of a block in a plane: the word, and the bit in the word.
#[inline(always)]
const fn first_bit<W: Word>(block: usize) -> (usize, usize) {
    (block * columns::<W>() / 64, block * columns::<W>() % 64)
}

/// [`super::Kernels::weights`] with sums of `SUM_BITS` bits: sums of bits become numbers, which are
/// looked up.
///
/// # Safety
/// The calling function enables the target features of `W`, and the lengths are those that the safe
/// method checks.
#[inline(always)]
pub(super) unsafe fn weights<W: Word, const SUM_BITS: usize>(
    planes: &[u64],
    slots: &[u32],
    features: usize,
    table: &WeightTable,
    out: &mut [u64],
) {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        let per_word = 64 / columns::<W>();
        for (row, slots) in slots.chunks_exact(features).enumerate() {
            let sum: [W; SUM_BITS] = sum_planes(planes.as_ptr(), slots, 0);
            let mut words = [Words([0; 8]); SUM_BITS];
            for (plane, words) in sum.iter().zip(&mut words) {
                *words = plane.words();
            }
            for word in 0..W::WORDS {
                let mut of_word = [0u64; SUM_BITS];
                of_word.iter_mut().zip(&words).for_each(|(bits, plane)| *bits = plane.0[word]);
                for part in 0..per_word {
                    let target = out
                        .as_mut_ptr()
                        .add(first_weight::<W>(word * per_word + part, row))
                        .cast::<u32>();
                    W::look_up(&of_word, part * columns::<W>(), columns::<W>(), table, target);
                }
            }
        }
    }
}

/// [`super::Kernels::nearest`] with sums of `SUM_BITS` bits. `best` only grows, so most rows end
/// after one comparison.
///
/// # Safety
/// The calling function enables the target features of `W`, and the lengths are those that the safe
/// method checks.
#[inline(always)]
pub(super) unsafe fn nearest<W: Word, const SUM_BITS: usize>(
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
            let sum: [W; SUM_BITS] = sum_planes(planes.as_ptr(), slots, 0);
            let different = greater_than(&sum, features - 1).andnot(valid);
            while best + 1 < features && greater_than(&sum, best).and(different).any() {
                best += 1;
            }
        }
        best
    }
}

/// [`super::Kernels::add_weights`]: the number of vectors of a block becomes a constant, so that
/// the sums of a block stay in registers.
///
/// # Safety
/// The calling function enables the target features of `W`, and the lengths are those that the safe
/// method checks.
#[inline(always)]
pub(super) unsafe fn add_weights<W: Word>(
    tile: WeighedTile<'_>,
    joints: &[Joint],
    scratch: &mut [u64],
    sums: &mut [u64],
    all: &mut [u64],
) {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        if W::BLOCK_VECTORS == 4 {
            add_blocks::<W, 4>(tile, joints, scratch, sums, all);
        } else {
            add_blocks::<W, 8>(tile, joints, scratch, sums, all);
        }
    }
}

/// The sum of the weights of an even number of rows in one block of columns, whose weights begin at
/// `weights`. Rows come in pairs, the last one filled up by a row without weight, to halve the
/// steps of the loop.
///
/// # Safety
/// The calling function enables the target features of `W`, and the block has all rows.
#[inline(always)]
unsafe fn add_rows<W: Word, const VECTORS: usize>(
    weights: *const u64,
    rows: &[u16],
) -> [W; VECTORS] {
    // SAFETY: rows lie inside the block.
    unsafe {
        let mut sum = [W::zero(); VECTORS];
        for two in rows.chunks_exact(2) {
            for &row in two {
                add_vectors(&mut sum, weights.add(usize::from(row) * VECTORS * W::WORDS));
            }
        }
        sum
    }
}

/// Add the vectors of a block at `source` to a sum, lane by lane.
///
/// # Safety
/// The calling function enables the target features of `W`, and `source` is aligned and has the
/// vectors of a block.
#[inline(always)]
unsafe fn add_vectors<W: Word, const VECTORS: usize>(sum: &mut [W; VECTORS], source: *const u64) {
    // SAFETY: `source` has these vectors.
    unsafe {
        for (vector, sum) in sum.iter_mut().enumerate() {
            *sum = sum.add64(W::load(source.add(vector * W::WORDS)));
        }
    }
}

/// The columns of a block that have a slot's value, as the lowest bits of a word. Callers skip the
/// slot if there are none.
///
/// # Safety
/// The slot and the block lie inside the planes of the tile.
#[inline(always)]
unsafe fn members<W: Word>(tile: WeighedTile<'_>, slot: usize, block: usize) -> u64 {
    let (word, shift) = first_bit::<W>(block);
    // SAFETY: the safe method checked the largest slot.
    let plane = unsafe { *tile.planes.get_unchecked(slot * W::WORDS + word) };
    (plane >> shift) & (!0 >> (64 - columns::<W>()))
}

/// Index, in words, of the first mask of a slot in a block of columns, with `slots` slots in all.
#[inline(always)]
const fn first_mask<W: Word>(slots: usize, block: usize, slot: usize) -> usize {
    (block * slots + slot) * W::BLOCK_VECTORS * W::WORDS
}

/// [`super::Kernels::lane_masks`]: 32 bits for each bit of a plane, block by block in the order in
/// which [`add_weights`] reads them. Levels that make such masks in registers get none.
///
/// # Safety
/// The calling function enables the target features of `W`, and `out` is aligned.
#[inline(always)]
pub(super) unsafe fn lane_masks<W: Word>(planes: &[u64], out: &mut [u64]) {
    if !W::LANE_MASKS {
        return;
    }
    let slots = planes.len() / W::WORDS;
    for block in 0..W::WORDS * 64 / columns::<W>() {
        let (word, shift) = first_bit::<W>(block);
        for slot in 0..slots {
            let bits = planes[slot * W::WORDS + word] >> shift;
            for vector in 0..W::BLOCK_VECTORS {
                let first = first_mask::<W>(slots, block, slot) + vector * W::WORDS;
                let target = &mut out[first..][..W::WORDS];
                // SAFETY: a whole vector.
                unsafe { W::ones().keep32(bits, vector).store(target.as_mut_ptr()) }
            }
        }
    }
}

/// Copy the sums of a value to the columns of a block that have it. `members` has their bits.
///
/// # Safety
/// The calling function enables the target features of `W`, and the tile has the masks of the slot
/// if the level reads them.
#[inline(always)]
unsafe fn select_columns<W: Word, const VECTORS: usize>(
    sums_of_own_value: &mut [W; VECTORS],
    sum: &[W; VECTORS],
    tile: WeighedTile<'_>,
    block: usize,
    slot: usize,
    members: u64,
) {
    // SAFETY: the safe method checked the masks of all slots.
    unsafe {
        let slots = tile.planes.len() / W::WORDS;
        let masks = tile.masks.as_ptr().wrapping_add(first_mask::<W>(slots, block, slot));
        for (vector, (own, sum)) in sums_of_own_value.iter_mut().zip(sum).enumerate() {
            let selected = if W::LANE_MASKS {
                sum.and(W::load(masks.add(vector * W::WORDS)))
            } else {
                sum.keep32(members, vector)
            };
            *own = own.or(selected);
        }
    }
}

/// Add the sums of the columns of a block to `sums`, which has 64 bits per column. Lanes of 32 bits
/// hold the weights of one chunk alone, so this follows each chunk and feature. The halves of a
/// vector are widened in the order of [`Word::widen32`].
///
/// # Safety
/// The calling function enables the target features of `W`, and `sums` is aligned and has the
/// columns of a block.
#[inline(always)]
unsafe fn add_widened<W: Word, const VECTORS: usize>(lanes: &[W; VECTORS], sums: *mut u64) {
    // SAFETY: `sums` has room for the columns of a block.
    unsafe {
        for (vector, lanes) in lanes.iter().enumerate() {
            let (first, second) = lanes.widen32();
            let target = sums.add(2 * vector * W::WORDS);
            W::load(target).add64(first).store(target);
            let target = target.add(W::WORDS);
            W::load(target).add64(second).store(target);
        }
    }
}

/// [`super::Kernels::sums_of_plane`]. Words without such a column are skipped.
///
/// # Safety
/// The calling function enables the target features of `W`, and `sums` has 64 numbers for each word
/// of the planes.
#[inline(always)]
pub(super) unsafe fn sums_of_plane<W: Word>(
    sums: &[u64],
    plane: &[u64],
    digit: &[u64],
    out: &mut [u64],
) {
    let planes = plane.iter().zip(digit).map(|(plane, digit)| plane & digit);
    for ((bits, sums), out) in planes.zip(sums.chunks_exact(64)).zip(out) {
        // SAFETY: the word has 64 sums.
        *out = if bits == 0 { 0 } else { unsafe { W::sum_of_bits(bits, sums.as_ptr()) } };
    }
}

/// [`add_weights`] with `VECTORS` vectors per block of columns. Blocks are the outer loop, so that
/// the weights of all rows of a block stay in the first-level cache while all joints read them.
///
/// # Safety
/// The calling function enables the target features of `W`, and the lengths are those that the safe
/// method checks.
#[inline(always)]
unsafe fn add_blocks<W: Word, const VECTORS: usize>(
    tile: WeighedTile<'_>,
    joints: &[Joint],
    scratch: &mut [u64],
    sums: &mut [u64],
    all: &mut [u64],
) {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        for block in 0..W::WORDS * 64 / columns::<W>() {
            // A block without columns in use, as in the last tile.
            let (word, shift) = first_bit::<W>(block);
            if tile.valid[word] >> shift == 0 {
                continue;
            }
            let weights = tile.weights.as_ptr().add(first_weight::<W>(block, 0));
            let first_column = block * columns::<W>();
            let mut sum = [W::zero(); VECTORS];
            for row in 0..tile.rows {
                add_vectors(&mut sum, weights.add(row * VECTORS * W::WORDS));
            }
            add_widened(&sum, all.as_mut_ptr().add(first_column));
            for joint in joints {
                let sums_of = |feature: &FeatureSlots| {
                    feature.feature as usize * 64 * W::WORDS + first_column
                };
                // A single feature: a joint value is a value.
                if let [feature] = joint.features[..] {
                    let target = sums.as_mut_ptr().add(sums_of(&feature));
                    add_single_feature::<W, VECTORS>(tile, block, weights, joint, &feature, target);
                    continue;
                }
                store_joint_sums::<W, VECTORS>(weights, joint, scratch);
                let mut stride = 1;
                for feature in &joint.features {
                    let target = sums.as_mut_ptr().add(sums_of(feature));
                    add_feature_from_joints::<W, VECTORS>(
                        tile, block, scratch, joint, feature, stride, target,
                    );
                    stride *= feature.levels as usize;
                }
            }
        }
    }
}

/// Add the sums of one feature, whose values are the joint values, to `target`.
///
/// # Safety
/// As for [`add_blocks`]. The `weights` belong to the block, and `target` has the columns of a
/// block.
#[inline(always)]
unsafe fn add_single_feature<W: Word, const VECTORS: usize>(
    tile: WeighedTile<'_>,
    block: usize,
    weights: *const u64,
    joint: &Joint,
    feature: &FeatureSlots,
    target: *mut u64,
) {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        let mut sums_of_own_value = [W::zero(); VECTORS];
        let mut begin = 0;
        for &JointGroup { value, end } in &joint.groups {
            let rows = joint.order.get_unchecked(begin..usize::from(end));
            begin = usize::from(end);
            let slot = (feature.first + value) as usize;
            let columns = members::<W>(tile, slot, block);
            if columns != 0 {
                let sum = add_rows::<W, VECTORS>(weights, rows);
                select_columns(&mut sums_of_own_value, &sum, tile, block, slot, columns);
            }
        }
        add_widened(&sums_of_own_value, target);
    }
}

/// Store the sum of each joint value of several features in `scratch`.
///
/// # Safety
/// As for [`add_blocks`]. The `weights` belong to the block.
#[inline(always)]
unsafe fn store_joint_sums<W: Word, const VECTORS: usize>(
    weights: *const u64,
    joint: &Joint,
    scratch: &mut [u64],
) {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        let mut begin = 0;
        for &JointGroup { value, end } in &joint.groups {
            let rows = joint.order.get_unchecked(begin..usize::from(end));
            begin = usize::from(end);
            let target = scratch.as_mut_ptr().add(value as usize * VECTORS * W::WORDS);
            for (vector, sum) in add_rows::<W, VECTORS>(weights, rows).iter().enumerate() {
                sum.store(target.add(vector * W::WORDS));
            }
        }
    }
}

/// Add the sums of one of several features to `target`: for each value, the sum over the joint
/// values that have it, whose sums are in `scratch` ([`store_joint_sums`]). They are runs of
/// `stride`, the product of the levels of the features before it, as a joint value is a number in
/// mixed radix.
///
/// # Safety
/// As for [`add_blocks`]; `target` has the columns of a block.
#[inline(always)]
unsafe fn add_feature_from_joints<W: Word, const VECTORS: usize>(
    tile: WeighedTile<'_>,
    block: usize,
    scratch: &[u64],
    joint: &Joint,
    feature: &FeatureSlots,
    stride: usize,
    target: *mut u64,
) {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        let levels = feature.levels as usize;
        let mut sums_of_own_value = [W::zero(); VECTORS];
        for value in 0..levels {
            let slot = feature.first as usize + value;
            let columns = members::<W>(tile, slot, block);
            if columns == 0 {
                continue;
            }
            let mut sum = [W::zero(); VECTORS];
            for run in (value * stride..joint.values).step_by(levels * stride) {
                for joint_value in run..run + stride {
                    add_vectors(&mut sum, scratch.as_ptr().add(joint_value * VECTORS * W::WORDS));
                }
            }
            select_columns(&mut sums_of_own_value, &sum, tile, block, slot, columns);
        }
        add_widened(&sums_of_own_value, target);
    }
}

/// [`super::Kernels::row_sums`]. The weights of a row are added in lanes of 32 bits and widened
/// once at the end, which 32 vectors of weights allow.
///
/// # Safety
/// The calling function enables the target features of `W`, and the lengths are those that the safe
/// method checks.
#[inline(always)]
pub(super) unsafe fn row_sums<W: Word>(weights: &[u64], plane: &[u64], out: &mut [u64]) {
    // SAFETY: lengths were checked by the safe method; 32 vectors of weights do not fill a lane.
    unsafe {
        for (row, out) in out.iter_mut().enumerate() {
            let mut sum = W::zero();
            for block in 0..W::WORDS * 64 / columns::<W>() {
                let (word, shift) = first_bit::<W>(block);
                let bits = plane[word] >> shift;
                if bits == 0 {
                    continue;
                }
                // A whole block, as most are, needs no mask.
                let all = bits << (64 - columns::<W>()) == !0 << (64 - columns::<W>());
                for vector in 0..W::BLOCK_VECTORS {
                    let first = first_weight::<W>(block, row) + vector * W::WORDS;
                    let lanes = W::load(weights.as_ptr().add(first));
                    sum = sum.add64(if all { lanes } else { lanes.keep32(bits, vector) });
                }
            }
            let (first, second) = sum.widen32();
            *out = first.add64(second).total();
        }
    }
}
