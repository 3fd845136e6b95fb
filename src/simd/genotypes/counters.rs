//! Carry-save counters, and where two genotypes differ.

use super::super::word::Word;

/// Words of a group of 512 variants.
pub const GENOTYPE_WORDS: usize = 16;

/// Where two genotypes differ.
#[inline(always)]
pub(super) unsafe fn differ<W: Word>(a: (W, W), b: (W, W)) -> W {
    // SAFETY: register work under the features of the caller.
    unsafe { a.0.xor(b.0).or(a.1.xor(b.1)) }
}

/// Low and high bits of a vector of a group.
#[inline(always)]
pub(super) unsafe fn both<W: Word>(at: *const u64) -> (W, W) {
    // SAFETY: the caller vouches for a group behind the pointer.
    unsafe { (W::load(at), W::load(at.add(8))) }
}

/// The carry of eight members into the fourth of the carry-save counters `$sum`.
macro_rules! eight {
    ($sum:ident, $m:expr, $get:ident) => {{
        let m = $m;
        let (o, t0) = $sum[0].add3($get!(m[0]), $get!(m[1]));
        let (o, t1) = o.add3($get!(m[2]), $get!(m[3]));
        let (t, f0) = $sum[1].add3(t0, t1);
        let (o, t0) = o.add3($get!(m[4]), $get!(m[5]));
        let (o, t1) = o.add3($get!(m[6]), $get!(m[7]));
        let (t, f1) = t.add3(t0, t1);
        let (f, e) = $sum[2].add3(f0, f1);
        ($sum[0], $sum[1], $sum[2]) = (o, t, f);
        e
    }};
}

/// Carry-save counters of `$members`, of which `$get` gives the vector.
macro_rules! counters {
    ($sum:ident, $members:expr, $get:ident) => {
        macro_rules! carry {
            ($from:expr, $c:expr) => {
                let mut c = $c;
                for plane in $sum.iter_mut().skip($from) {
                    (*plane, c) = plane.add2(c);
                }
            };
        }
        let mut sixteens = $members.chunks_exact(16);
        for m in &mut sixteens {
            let (a, b) = (eight!($sum, &m[..8], $get), eight!($sum, &m[8..], $get));
            let (e, c) = $sum[3].add3(a, b);
            $sum[3] = e;
            carry!(4, c);
        }
        let mut eights = sixteens.remainder().chunks_exact(8);
        for m in &mut eights {
            carry!(3, eight!($sum, m, $get));
        }
        for &m in eights.remainder() {
            carry!(0, $get!(m));
        }
    };
}

pub(super) use {counters, eight};
