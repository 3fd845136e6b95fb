//! Vectors of eight 64-bit numbers, for [`super::means`]: registers of AVX-512, or arrays, of whose
//! loops the compiler makes vectors at the other levels. Both give the same bits.

/// Eight numbers.
pub(super) const EIGHT: usize = 8;

/// Operations on each of eight numbers. The caller of those with intrinsics has checked the
/// features.
pub(super) trait Eight {
    /// Whole numbers.
    type Whole: Copy;
    /// Numbers in double precision.
    type Real: Copy;
    /// A choice for each number.
    type Mask: Copy;

    unsafe fn whole(x: [i64; EIGHT]) -> Self::Whole;
    /// `x` in all lanes.
    unsafe fn all_whole(x: i64) -> Self::Whole;
    /// `x` in all lanes.
    unsafe fn all_real(x: f64) -> Self::Real;
    unsafe fn wholes(x: Self::Whole) -> [i64; EIGHT];
    unsafe fn reals(x: Self::Real) -> [f64; EIGHT];

    unsafe fn plus(x: Self::Whole, y: Self::Whole) -> Self::Whole;
    unsafe fn minus(x: Self::Whole, y: Self::Whole) -> Self::Whole;
    unsafe fn times(x: Self::Whole, y: Self::Whole) -> Self::Whole;
    unsafe fn and(x: Self::Whole, y: Self::Whole) -> Self::Whole;
    /// Shifted to the right by some bits, with the sign.
    unsafe fn shifted<const BITS: u32>(x: Self::Whole) -> Self::Whole;
    /// The sums of the numbers up to and including each.
    unsafe fn running(x: Self::Whole) -> Self::Whole;
    /// The last number in all lanes.
    unsafe fn last(x: Self::Whole) -> Self::Whole;

    /// The nearest number in double precision.
    unsafe fn rounded(x: Self::Whole) -> Self::Real;
    unsafe fn less(x: Self::Real, y: Self::Real) -> Self::Real;
    unsafe fn product(x: Self::Real, y: Self::Real) -> Self::Real;
    unsafe fn quotient(x: Self::Real, y: Self::Real) -> Self::Real;
    /// The smaller one.
    unsafe fn smaller(x: Self::Real, y: Self::Real) -> Self::Real;

    /// Where `x > y`.
    unsafe fn above(x: Self::Real, y: Self::Real) -> Self::Mask;
    /// Where the lowest bit is 0.
    unsafe fn even(x: Self::Whole) -> Self::Mask;
    unsafe fn both(x: Self::Mask, y: Self::Mask) -> Self::Mask;
    unsafe fn any(x: Self::Mask) -> bool;
    /// `x` where the mask says so, else `y`.
    unsafe fn select(mask: Self::Mask, x: Self::Real, y: Self::Real) -> Self::Real;
    /// `x` where the mask says so, else `y`.
    unsafe fn select_whole(mask: Self::Mask, x: Self::Whole, y: Self::Whole) -> Self::Whole;
}

/// Without intrinsics.
pub(super) struct Arrays;

/// Apply a function to each of eight numbers, or to each pair.
#[inline(always)]
fn each<A: Copy, B: Copy, C: Copy + Default>(
    x: [A; EIGHT],
    y: [B; EIGHT],
    f: impl Fn(A, B) -> C,
) -> [C; EIGHT] {
    let mut out = [C::default(); EIGHT];
    for j in 0..EIGHT {
        out[j] = f(x[j], y[j]);
    }
    out
}

impl Eight for Arrays {
    type Whole = [i64; EIGHT];
    type Real = [f64; EIGHT];
    type Mask = [bool; EIGHT];

    #[inline(always)]
    unsafe fn whole(x: [i64; EIGHT]) -> Self::Whole {
        x
    }
    #[inline(always)]
    unsafe fn all_whole(x: i64) -> Self::Whole {
        [x; EIGHT]
    }
    #[inline(always)]
    unsafe fn all_real(x: f64) -> Self::Real {
        [x; EIGHT]
    }
    #[inline(always)]
    unsafe fn wholes(x: Self::Whole) -> [i64; EIGHT] {
        x
    }
    #[inline(always)]
    unsafe fn reals(x: Self::Real) -> [f64; EIGHT] {
        x
    }
    #[inline(always)]
    unsafe fn plus(x: Self::Whole, y: Self::Whole) -> Self::Whole {
        each(x, y, |x, y| x.wrapping_add(y))
    }
    #[inline(always)]
    unsafe fn minus(x: Self::Whole, y: Self::Whole) -> Self::Whole {
        each(x, y, |x, y| x.wrapping_sub(y))
    }
    #[inline(always)]
    unsafe fn times(x: Self::Whole, y: Self::Whole) -> Self::Whole {
        each(x, y, |x, y| x.wrapping_mul(y))
    }
    #[inline(always)]
    unsafe fn and(x: Self::Whole, y: Self::Whole) -> Self::Whole {
        each(x, y, |x, y| x & y)
    }
    #[inline(always)]
    unsafe fn shifted<const BITS: u32>(x: Self::Whole) -> Self::Whole {
        each(x, x, |x, _| x >> BITS)
    }
    #[inline(always)]
    unsafe fn running(x: Self::Whole) -> Self::Whole {
        let mut out = x;
        for j in 1..EIGHT {
            out[j] = out[j].wrapping_add(out[j - 1]);
        }
        out
    }
    #[inline(always)]
    unsafe fn last(x: Self::Whole) -> Self::Whole {
        [x[EIGHT - 1]; EIGHT]
    }
    #[inline(always)]
    unsafe fn rounded(x: Self::Whole) -> Self::Real {
        each(x, x, |x, _| x as f64)
    }
    #[inline(always)]
    unsafe fn less(x: Self::Real, y: Self::Real) -> Self::Real {
        each(x, y, |x, y| x - y)
    }
    #[inline(always)]
    unsafe fn product(x: Self::Real, y: Self::Real) -> Self::Real {
        each(x, y, |x, y| x * y)
    }
    #[inline(always)]
    unsafe fn quotient(x: Self::Real, y: Self::Real) -> Self::Real {
        each(x, y, |x, y| x / y)
    }
    #[inline(always)]
    unsafe fn smaller(x: Self::Real, y: Self::Real) -> Self::Real {
        each(x, y, |x, y| if x < y { x } else { y })
    }
    #[inline(always)]
    unsafe fn above(x: Self::Real, y: Self::Real) -> Self::Mask {
        each(x, y, |x, y| x > y)
    }
    #[inline(always)]
    unsafe fn even(x: Self::Whole) -> Self::Mask {
        each(x, x, |x, _| x & 1 == 0)
    }
    #[inline(always)]
    unsafe fn both(x: Self::Mask, y: Self::Mask) -> Self::Mask {
        each(x, y, |x, y| x & y)
    }
    #[inline(always)]
    unsafe fn any(x: Self::Mask) -> bool {
        x.iter().fold(false, |any, &x| any | x)
    }
    #[inline(always)]
    unsafe fn select(mask: Self::Mask, x: Self::Real, y: Self::Real) -> Self::Real {
        let mut out = y;
        for j in 0..EIGHT {
            out[j] = if mask[j] { x[j] } else { y[j] };
        }
        out
    }
    #[inline(always)]
    unsafe fn select_whole(mask: Self::Mask, x: Self::Whole, y: Self::Whole) -> Self::Whole {
        let mut out = y;
        for j in 0..EIGHT {
            out[j] = if mask[j] { x[j] } else { y[j] };
        }
        out
    }
}

/// Registers of AVX-512.
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512 {
    use super::{EIGHT, Eight};
    use std::arch::x86_64::*;

    pub struct Registers;

    /// An operation that is one instruction.
    macro_rules! instructions {
        ($($name:ident($($x:ident: $kind:ident),*) -> $out:ty = $call:expr;)*) => {
            $(
                #[inline(always)]
                unsafe fn $name($($x: Self::$kind),*) -> $out {
                    // SAFETY: the caller has checked the features.
                    unsafe { $call }
                }
            )*
        };
    }

    impl Eight for Registers {
        type Whole = __m512i;
        type Real = __m512d;
        type Mask = __mmask8;

        #[inline(always)]
        unsafe fn whole(x: [i64; EIGHT]) -> __m512i {
            let [a, b, c, d, e, f, g, h] = x;
            // SAFETY: the caller has checked the features.
            unsafe { _mm512_setr_epi64(a, b, c, d, e, f, g, h) }
        }
        #[inline(always)]
        unsafe fn all_whole(x: i64) -> __m512i {
            // SAFETY: as above.
            unsafe { _mm512_set1_epi64(x) }
        }
        #[inline(always)]
        unsafe fn all_real(x: f64) -> __m512d {
            // SAFETY: as above.
            unsafe { _mm512_set1_pd(x) }
        }
        #[inline(always)]
        unsafe fn wholes(x: __m512i) -> [i64; EIGHT] {
            let mut out = [0; EIGHT];
            // SAFETY: as above; the array has the size of a register.
            unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), x) };
            out
        }
        #[inline(always)]
        unsafe fn reals(x: __m512d) -> [f64; EIGHT] {
            let mut out = [0.0; EIGHT];
            // SAFETY: as above.
            unsafe { _mm512_storeu_pd(out.as_mut_ptr(), x) };
            out
        }
        #[inline(always)]
        unsafe fn shifted<const BITS: u32>(x: __m512i) -> __m512i {
            // SAFETY: as above.
            unsafe { _mm512_srai_epi64::<BITS>(x) }
        }
        #[inline(always)]
        unsafe fn running(x: __m512i) -> __m512i {
            // SAFETY: as above.
            unsafe {
                let by_one = _mm512_setr_epi64(0, 0, 1, 2, 3, 4, 5, 6);
                let by_two = _mm512_setr_epi64(0, 0, 0, 1, 2, 3, 4, 5);
                let by_four = _mm512_setr_epi64(0, 0, 0, 0, 0, 1, 2, 3);
                let x = _mm512_add_epi64(x, _mm512_maskz_permutexvar_epi64(0xfe, by_one, x));
                let x = _mm512_add_epi64(x, _mm512_maskz_permutexvar_epi64(0xfc, by_two, x));
                _mm512_add_epi64(x, _mm512_maskz_permutexvar_epi64(0xf0, by_four, x))
            }
        }
        #[inline(always)]
        unsafe fn any(x: __mmask8) -> bool {
            x != 0
        }
        instructions! {
            plus(x: Whole, y: Whole) -> __m512i = _mm512_add_epi64(x, y);
            minus(x: Whole, y: Whole) -> __m512i = _mm512_sub_epi64(x, y);
            times(x: Whole, y: Whole) -> __m512i = _mm512_mullo_epi64(x, y);
            and(x: Whole, y: Whole) -> __m512i = _mm512_and_si512(x, y);
            last(x: Whole) -> __m512i = _mm512_permutexvar_epi64(_mm512_set1_epi64(7), x);
            rounded(x: Whole) -> __m512d = _mm512_cvtepi64_pd(x);
            less(x: Real, y: Real) -> __m512d = _mm512_sub_pd(x, y);
            product(x: Real, y: Real) -> __m512d = _mm512_mul_pd(x, y);
            quotient(x: Real, y: Real) -> __m512d = _mm512_div_pd(x, y);
            smaller(x: Real, y: Real) -> __m512d = _mm512_min_pd(x, y);
            above(x: Real, y: Real) -> __mmask8 = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(x, y);
            even(x: Whole) -> __mmask8 = _mm512_testn_epi64_mask(x, _mm512_set1_epi64(1));
            both(x: Mask, y: Mask) -> __mmask8 = _kand_mask8(x, y);
            select(mask: Mask, x: Real, y: Real) -> __m512d = _mm512_mask_blend_pd(mask, y, x);
            select_whole(mask: Mask, x: Whole, y: Whole) -> __m512i =
                _mm512_mask_blend_epi64(mask, y, x);
        }
    }
}

/// A function over [`Eight`] as one that takes a level before its arguments.
macro_rules! with_eight {
    ($(#[$doc:meta])* $vis:vis fn $name:ident = $body:ident($($arg:ident: $kind:ty),* $(,)?)
        -> $out:ty) => {
        $(#[$doc])*
        $vis fn $name(level: $crate::simd::Level, $($arg: $kind),*) -> $out {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vpopcntdq,popcnt")]
            fn avx512($($arg: $kind),*) -> $out {
                // SAFETY: the features are those of this function.
                unsafe { $body::<$crate::simd::eight::avx512::Registers>($($arg),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,popcnt")]
            fn avx2($($arg: $kind),*) -> $out {
                // SAFETY: arrays need no features.
                unsafe { $body::<$crate::simd::eight::Arrays>($($arg),*) }
            }
            match level {
                // SAFETY: the level says that the processor has these instructions.
                #[cfg(target_arch = "x86_64")]
                $crate::simd::Level::Avx512 => unsafe { avx512($($arg),*) },
                // SAFETY: the level says that the processor has these instructions.
                #[cfg(target_arch = "x86_64")]
                $crate::simd::Level::Avx2 => unsafe { avx2($($arg),*) },
                // SAFETY: arrays need no features.
                _ => unsafe { $body::<$crate::simd::eight::Arrays>($($arg),*) },
            }
        }
    };
}
pub(super) use with_eight;
