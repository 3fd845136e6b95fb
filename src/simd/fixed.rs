//! The bodies of the kernels of [`super::weigh`], written once over [`Word`].
//!
//! Weights of a chunk stand in blocks of columns, row after row: `[block][row][vector]`. With SSE2
//! and AVX2 masks of lanes come from memory, two operations where making them from bits takes five;
//! AVX-512 has mask registers.

use super::body::{above, sum_planes};
use super::weights::{Joint, LevelWords, MOST_ROWS, WeighedTile, WeightTable};
use super::word::{Word, Words};

/// Where the weights of a row in a block of columns begin.
#[inline(always)]
const fn place<W: Word>(at: usize, row: usize) -> usize {
    (at * (MOST_ROWS + 1) + row) * W::BLOCK * W::WORDS
}

/// Columns of a block.
#[inline(always)]
const fn columns<W: Word>() -> usize {
    W::BLOCK * 2 * W::WORDS
}

#[inline(always)]
pub(super) unsafe fn weights<W: Word, const D: usize>(
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
            let sum: [W; D] = sum_planes(planes.as_ptr(), slots, 0);
            let mut words = [Words([0; 8]); D];
            for (plane, words) in sum.iter().zip(&mut words) {
                *words = plane.words();
            }
            for word in 0..W::WORDS {
                let mut of_word = [0u64; D];
                of_word.iter_mut().zip(&words).for_each(|(to, plane)| *to = plane.0[word]);
                for part in 0..per_word {
                    let to =
                        out.as_mut_ptr().add(place::<W>(word * per_word + part, row)).cast::<u32>();
                    W::look_up(&of_word, part * columns::<W>(), columns::<W>(), table, to);
                }
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
    tile: WeighedTile<'_>,
    joints: &[Joint],
    scratch: &mut [u64],
    sums: &mut [u64],
    all: &mut [u64],
) {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        if W::BLOCK == 4 {
            add_blocks::<W, 4>(tile, joints, scratch, sums, all);
        } else {
            add_blocks::<W, 8>(tile, joints, scratch, sums, all);
        }
    }
}

/// Sum of rows in one block of columns.
#[inline(always)]
unsafe fn add_rows<W: Word, const A: usize>(base: *const u64, rows: &[u16]) -> [W; A] {
    // SAFETY: rows lie inside the block.
    unsafe {
        let mut sum = [W::zero(); A];
        for two in rows.chunks_exact(2) {
            for &row in two {
                let at = base.add(usize::from(row) * A * W::WORDS);
                for (a, sum) in sum.iter_mut().enumerate() {
                    *sum = sum.add64(W::load(at.add(a * W::WORDS)));
                }
            }
        }
        sum
    }
}

/// The columns of a block that have a value, as its lowest bits.
#[inline(always)]
unsafe fn members<W: Word>(tile: WeighedTile<'_>, slot: usize, at: usize) -> u64 {
    let (word, shift) = (at * columns::<W>() / 64, at * columns::<W>() % 64);
    // SAFETY: the safe method checked the largest slot.
    let plane = unsafe { *tile.planes.get_unchecked(slot * W::WORDS + word) };
    (plane >> shift) & (!0 >> (64 - columns::<W>()))
}

/// Where the masks of a slot in a block of columns begin.
#[inline(always)]
const fn mask_place<W: Word>(slots: usize, at: usize, slot: usize) -> usize {
    (at * slots + slot) * W::BLOCK * W::WORDS
}

#[inline(always)]
pub(super) unsafe fn lane_masks<W: Word>(planes: &[u64], out: &mut [u64]) {
    if !W::LANE_MASKS {
        return;
    }
    let slots = planes.len() / W::WORDS;
    for at in 0..W::WORDS * 64 / columns::<W>() {
        let (word, shift) = (at * columns::<W>() / 64, at * columns::<W>() % 64);
        for slot in 0..slots {
            let bits = planes[slot * W::WORDS + word] >> shift;
            for a in 0..W::BLOCK {
                let to = &mut out[mask_place::<W>(slots, at, slot) + a * W::WORDS..][..W::WORDS];
                // SAFETY: a whole vector.
                unsafe { W::ones().keep32(bits, a).store(to.as_mut_ptr()) }
            }
        }
    }
}

/// Columns of block `at` that have a value take its sum.
#[inline(always)]
unsafe fn take<W: Word, const A: usize>(
    own: &mut [W; A],
    sum: &[W; A],
    tile: WeighedTile<'_>,
    (at, slot, bits): (usize, usize, u64),
) {
    // SAFETY: the safe method checked the masks of all slots.
    unsafe {
        let masks = tile.masks.as_ptr().wrapping_add(mask_place::<W>(
            tile.planes.len() / W::WORDS,
            at,
            slot,
        ));
        for (a, (own, sum)) in own.iter_mut().zip(sum).enumerate() {
            let kept = if W::LANE_MASKS {
                sum.and(W::load(masks.add(a * W::WORDS)))
            } else {
                sum.keep32(bits, a)
            };
            *own = own.or(kept);
        }
    }
}

/// `sums +=` what each column of a block took, 64 bits per column.
#[inline(always)]
unsafe fn add_own<W: Word, const A: usize>(own: &[W; A], sums: *mut u64) {
    // SAFETY: `sums` has room for the columns of a block.
    unsafe {
        for (a, own) in own.iter().enumerate() {
            let (first, second) = own.widen32();
            let to = sums.add(2 * a * W::WORDS);
            W::load(to).add64(first).store(to);
            let to = to.add(W::WORDS);
            W::load(to).add64(second).store(to);
        }
    }
}

#[inline(always)]
pub(super) unsafe fn sums_of_plane<W: Word>(
    sums: &[u64],
    plane: &[u64],
    digit: &[u64],
    out: &mut [u64],
) {
    let planes = plane.iter().zip(digit).map(|(plane, digit)| plane & digit);
    for ((bits, sums), out) in planes.zip(sums.chunks_exact(64)).zip(out) {
        // SAFETY: the word's numbers are 64.
        *out = if bits == 0 { 0 } else { unsafe { W::sum_of_bits(bits, sums.as_ptr()) } };
    }
}

#[inline(always)]
unsafe fn add_blocks<W: Word, const A: usize>(
    tile: WeighedTile<'_>,
    joints: &[Joint],
    scratch: &mut [u64],
    sums: &mut [u64],
    all: &mut [u64],
) {
    // SAFETY: lengths were checked by the safe method.
    unsafe {
        for at in 0..W::WORDS * 64 / columns::<W>() {
            let base = tile.weights.as_ptr().add(place::<W>(at, 0));
            if tile.valid[at * columns::<W>() / 64] >> (at * columns::<W>() % 64) == 0 {
                continue;
            }
            let mut sum = [W::zero(); A];
            for row in 0..tile.rows {
                for (a, sum) in sum.iter_mut().enumerate() {
                    *sum = sum.add64(W::load(base.add((row * A + a) * W::WORDS)));
                }
            }
            add_own(&sum, all.as_mut_ptr().add(at * columns::<W>()));
            let mut to = |of: &LevelWords| {
                sums.as_mut_ptr().add(of.feature as usize * 64 * W::WORDS + at * columns::<W>())
            };
            for joint in joints {
                let mut begin = 0;
                if let [of] = joint.features[..] {
                    let mut own = [W::zero(); A];
                    for &(value, end) in &joint.ends {
                        let rows = joint.order.get_unchecked(begin..usize::from(end));
                        begin = usize::from(end);
                        let slot = (of.first + value) as usize;
                        let bits = members::<W>(tile, slot, at);
                        if bits != 0 {
                            take(&mut own, &add_rows::<W, A>(base, rows), tile, (at, slot, bits));
                        }
                    }
                    add_own(&own, to(&of));
                    continue;
                }
                for &(value, end) in &joint.ends {
                    let rows = joint.order.get_unchecked(begin..usize::from(end));
                    begin = usize::from(end);
                    for (a, sum) in add_rows::<W, A>(base, rows).iter().enumerate() {
                        sum.store(scratch.as_mut_ptr().add((value as usize * A + a) * W::WORDS));
                    }
                }
                let mut stride = 1;
                for of in &joint.features {
                    let levels = of.levels as usize;
                    let mut own = [W::zero(); A];
                    for value in 0..levels {
                        let slot = of.first as usize + value;
                        let bits = members::<W>(tile, slot, at);
                        if bits == 0 {
                            continue;
                        }
                        let mut sum = [W::zero(); A];
                        for high in (value * stride..joint.values).step_by(levels * stride) {
                            for other in high..high + stride {
                                let from = scratch.as_ptr().add(other * A * W::WORDS);
                                for (a, sum) in sum.iter_mut().enumerate() {
                                    *sum = sum.add64(W::load(from.add(a * W::WORDS)));
                                }
                            }
                        }
                        take(&mut own, &sum, tile, (at, slot, bits));
                    }
                    add_own(&own, to(of));
                    stride *= levels;
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
                let all = bits << (64 - columns::<W>()) == !0 << (64 - columns::<W>());
                for a in 0..W::BLOCK {
                    let x = W::load(weights.as_ptr().add(place::<W>(at, row) + a * W::WORDS));
                    sum = sum.add64(if all { x } else { x.keep32(bits, a) });
                }
            }
            let (first, second) = sum.widen32();
            *out = first.add64(second).words().0.iter().sum();
        }
    }
}
