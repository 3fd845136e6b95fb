//! Kernels for neighbours on many features: distances as numbers, and how often the neighbours of a
//! row differ from it on each feature.
//!
//! Distances come from bit planes, which takes about a third of a cycle per feature for the 128 to
//! 512 columns of a tile. Differences to neighbours are counted from rows of bytes, 16 to 64
//! features per operation; a byte counts up to 255 neighbours before it is added to a wider
//! counter.

use super::body::{add_carry, add_eight};
use super::word::{Word, Words};

/// [`super::Kernels::add_distances`]; D bits hold the agreements, with D at least 3. The planes
/// become numbers only after the last feature.
///
/// # Safety
/// The calling function enables the target features of `W`, and the lengths are those that the safe
/// method checks.
#[inline(always)]
pub(super) unsafe fn add_distances<W: Word, const D: usize>(
    planes: &[u64],
    codes: &[u8],
    levels: usize,
    out: &mut [u32],
) {
    // SAFETY: the safe method checked that all codes are below `levels` and that their planes
    // exist.
    unsafe {
        let planes = planes.as_ptr();
        macro_rules! get {
            ($k:expr) => {
                W::load(
                    planes.add(($k * levels + usize::from(*codes.get_unchecked($k))) * W::WORDS),
                )
            };
        }
        let mut sum = [W::zero(); D];
        let mut k = 0;
        while k + 8 <= codes.len() {
            let carry = add_eight!(sum, [k, k + 1, k + 2, k + 3, k + 4, k + 5, k + 6, k + 7], get);
            add_carry(&mut sum, 3, carry);
            k += 8;
        }
        while k < codes.len() {
            add_carry(&mut sum, 0, get!(k));
            k += 1;
        }
        // From planes to one number per column.
        let mut words = [Words([0; 8]); D];
        for (plane, words) in sum.iter().zip(&mut words) {
            *words = plane.words();
        }
        let all = codes.len() as u32;
        for word in 0..W::WORDS {
            for quarter in 0..4 {
                W::spread(&words, word, quarter, all, &mut out[word * 64 + quarter * 16..]);
            }
        }
    }
}

/// [`super::Kernels::add_mismatches`], in blocks whose counters fit the first-level cache: 256
/// bytes of the rows at a time, and 64 for the rest.
///
/// # Safety
/// The calling function enables the target features of `W`, and the lengths are those that the safe
/// method checks.
#[inline(always)]
pub(super) unsafe fn add_mismatches<W: Word>(
    row: &[u8],
    rows: &[u8],
    members: &[u32],
    weight: f64,
    out: &mut [f64],
) {
    // SAFETY: members lie inside `rows`, and a row is a multiple of 64 bytes.
    unsafe {
        let mut at = 0;
        while at + 256 <= row.len() {
            add_block_mismatches::<W, 256>(row, rows, members, weight, out, at);
            at += 256;
        }
        while at < row.len() {
            add_block_mismatches::<W, 64>(row, rows, members, weight, out, at);
            at += 64;
        }
    }
}

/// [`add_mismatches`] for the `N` bytes from `at` on. Equal bytes are counted, and subtracted from
/// the number of members at the end.
///
/// # Safety
/// The calling function enables the target features of `W`. Every member's row lies inside `rows`,
/// and `at + N` is at most the length of a row.
#[inline(always)]
unsafe fn add_block_mismatches<W: Word, const N: usize>(
    row: &[u8],
    rows: &[u8],
    members: &[u32],
    weight: f64,
    out: &mut [f64],
    at: usize,
) {
    // SAFETY: `at + N` is at most the length of a row.
    unsafe {
        let bytes = 8 * W::WORDS;
        let mut equal = [0u32; N];
        // As many members as a byte can count.
        for chunk in members.chunks(255) {
            for first in (0..N).step_by(2 * bytes) {
                // Two vectors at a time, so that the loads for one overlap with the additions for
                // the other. With vectors of 64 bytes and N = 64 there is only one.
                let second = if first + bytes < N { first + bytes } else { first };
                let a = W::load_bytes(row.as_ptr().add(at + first));
                let b = W::load_bytes(row.as_ptr().add(at + second));
                let (mut x, mut y) = (W::zero(), W::zero());
                for &member in chunk {
                    let other = rows.as_ptr().add(member as usize * row.len() + at);
                    x = x.count_equal_bytes(a, W::load_bytes(other.add(first)));
                    y = y.count_equal_bytes(b, W::load_bytes(other.add(second)));
                }
                widen(&x.words().0[..W::WORDS], &mut equal[first..first + bytes]);
                if second != first {
                    widen(&y.words().0[..W::WORDS], &mut equal[second..second + bytes]);
                }
            }
        }
        let all = members.len() as f64;
        for (out, &equal) in out[at..at + N].iter_mut().zip(&equal) {
            *out += weight * (all - f64::from(equal as i32));
        }
    }
}

/// Add the bytes of some words to wider counters.
#[inline(always)]
fn widen(words: &[u64], to: &mut [u32]) {
    for (word, to) in words.iter().zip(to.chunks_exact_mut(8)) {
        for (to, byte) in to.iter_mut().zip(word.to_le_bytes()) {
            *to += u32::from(byte);
        }
    }
}

/// [`super::Kernels::add_gaps`], left to the compiler: the loop has no branch, so each level's
/// features make vectors of it.
#[inline(always)]
pub(super) fn add_gaps(column: &[f64], x: f64, out: &mut [f64]) {
    for (out, c) in out.iter_mut().zip(column) {
        *out += (c - x).abs();
    }
}
