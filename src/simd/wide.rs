//! Kernels for many features: distances as numbers, and how often kept neighbours differ from a
//! row.
//!
//! Distances come from bit planes (a third of a cycle a feature for 128 to 512 pairs at once), what
//! neighbours add comes from bytes: 16 to 64 features an operation, counted in bytes and widened
//! every 255 neighbours.

use super::word::{Word, Words};

/// `out[column] += codes.len() - agreements`; D bits hold the agreements, D at least 3.
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
            let (o, t0) = sum[0].add3(get!(k), get!(k + 1));
            let (o, t1) = o.add3(get!(k + 2), get!(k + 3));
            let (t, f0) = sum[1].add3(t0, t1);
            let (o, t0) = o.add3(get!(k + 4), get!(k + 5));
            let (o, t1) = o.add3(get!(k + 6), get!(k + 7));
            let (t, f1) = t.add3(t0, t1);
            let (f, mut c) = sum[2].add3(f0, f1);
            (sum[0], sum[1], sum[2]) = (o, t, f);
            for plane in sum.iter_mut().skip(3) {
                (*plane, c) = plane.add2(c);
            }
            k += 8;
        }
        while k < codes.len() {
            let mut c = get!(k);
            for plane in &mut sum {
                (*plane, c) = plane.add2(c);
            }
            k += 1;
        }
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

/// As the safe method says.
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
            one_block::<W, 256>(row, rows, members, weight, out, at);
            at += 256;
        }
        while at < row.len() {
            one_block::<W, 64>(row, rows, members, weight, out, at);
            at += 64;
        }
    }
}

/// `N` bytes from `at` on.
#[inline(always)]
unsafe fn one_block<W: Word, const N: usize>(
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
        for some in members.chunks(255) {
            for first in (0..N).step_by(2 * bytes) {
                // two vectors at a time, so that the loads of two are under way; N is a multiple of
                // 64
                let second = if first + bytes < N { first + bytes } else { first };
                let a = W::load_bytes(row.as_ptr().add(at + first));
                let b = W::load_bytes(row.as_ptr().add(at + second));
                let (mut x, mut y) = (W::zero(), W::zero());
                for &m in some {
                    let other = rows.as_ptr().add(m as usize * row.len() + at);
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
        for (out, &e) in out[at..at + N].iter_mut().zip(&equal) {
            *out += weight * (all - f64::from(e as i32));
        }
    }
}

#[inline(always)]
fn widen(words: &[u64], to: &mut [u32]) {
    for (word, to) in words.iter().zip(to.chunks_exact_mut(8)) {
        for (to, byte) in to.iter_mut().zip(word.to_le_bytes()) {
            *to += u32::from(byte);
        }
    }
}

/// As the safe method says.
#[inline(always)]
pub(super) fn add_gaps(column: &[f64], x: f64, out: &mut [f64]) {
    for (out, c) in out.iter_mut().zip(column) {
        *out += (c - x).abs();
    }
}
