//! Vectors of eight 64-bit numbers, for [`super::means`]: a register of AVX-512, or an array at the
//! other levels. All give the same bits. Intrinsics of AVX2 were no quicker than arrays compiled
//! for it (regression trees, 50,000 x 15).

use super::instantiate::inline_methods;

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

/// `x` where the mask says so, else `y`.
#[inline(always)]
fn selected<T: Copy>(mask: [bool; EIGHT], x: [T; EIGHT], y: [T; EIGHT]) -> [T; EIGHT] {
    let mut out = y;
    for j in 0..EIGHT {
        out[j] = if mask[j] { x[j] } else { y[j] };
    }
    out
}

impl Eight for Arrays {
    type Whole = [i64; EIGHT];
    type Real = [f64; EIGHT];
    type Mask = [bool; EIGHT];

    #[inline(always)]
    unsafe fn running(x: Self::Whole) -> Self::Whole {
        let mut out = x;
        for j in 1..EIGHT {
            out[j] = out[j].wrapping_add(out[j - 1]);
        }
        out
    }
    inline_methods! {
        fn whole(x: [i64; EIGHT]) -> Self::Whole = x;
        fn all_whole(x: i64) -> Self::Whole = [x; EIGHT];
        fn all_real(x: f64) -> Self::Real = [x; EIGHT];
        fn wholes(x: Self::Whole) -> [i64; EIGHT] = x;
        fn reals(x: Self::Real) -> [f64; EIGHT] = x;
        fn plus(x: Self::Whole, y: Self::Whole) -> Self::Whole =
            each(x, y, |x, y| x.wrapping_add(y));
        fn minus(x: Self::Whole, y: Self::Whole) -> Self::Whole =
            each(x, y, |x, y| x.wrapping_sub(y));
        fn times(x: Self::Whole, y: Self::Whole) -> Self::Whole =
            each(x, y, |x, y| x.wrapping_mul(y));
        fn and(x: Self::Whole, y: Self::Whole) -> Self::Whole = each(x, y, |x, y| x & y);
        fn shifted<const BITS: u32>(x: Self::Whole) -> Self::Whole = each(x, x, |x, _| x >> BITS);
        fn last(x: Self::Whole) -> Self::Whole = [x[EIGHT - 1]; EIGHT];
        fn rounded(x: Self::Whole) -> Self::Real = each(x, x, |x, _| x as f64);
        fn less(x: Self::Real, y: Self::Real) -> Self::Real = each(x, y, |x, y| x - y);
        fn product(x: Self::Real, y: Self::Real) -> Self::Real = each(x, y, |x, y| x * y);
        fn quotient(x: Self::Real, y: Self::Real) -> Self::Real = each(x, y, |x, y| x / y);
        fn smaller(x: Self::Real, y: Self::Real) -> Self::Real =
            each(x, y, |x, y| if x < y { x } else { y });
        fn above(x: Self::Real, y: Self::Real) -> Self::Mask = each(x, y, |x, y| x > y);
        fn even(x: Self::Whole) -> Self::Mask = each(x, x, |x, _| x & 1 == 0);
        fn both(x: Self::Mask, y: Self::Mask) -> Self::Mask = each(x, y, |x, y| x & y);
        fn any(x: Self::Mask) -> bool = x.iter().fold(false, |any, &x| any | x);
        fn select(mask: Self::Mask, x: Self::Real, y: Self::Real) -> Self::Real =
            selected(mask, x, y);
        fn select_whole(mask: Self::Mask, x: Self::Whole, y: Self::Whole) -> Self::Whole =
            selected(mask, x, y);
    }
}

/// A register of AVX-512.
#[cfg(target_arch = "x86_64")]
pub(super) mod avx512 {
    use super::{EIGHT, Eight, inline_methods};
    use std::arch::x86_64::*;

    pub struct Register;

    impl Eight for Register {
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
        inline_methods! {
            fn plus(x: __m512i, y: __m512i) -> __m512i = _mm512_add_epi64(x, y);
            fn minus(x: __m512i, y: __m512i) -> __m512i = _mm512_sub_epi64(x, y);
            fn times(x: __m512i, y: __m512i) -> __m512i = _mm512_mullo_epi64(x, y);
            fn and(x: __m512i, y: __m512i) -> __m512i = _mm512_and_si512(x, y);
            fn last(x: __m512i) -> __m512i = _mm512_permutexvar_epi64(_mm512_set1_epi64(7), x);
            fn rounded(x: __m512i) -> __m512d = _mm512_cvtepi64_pd(x);
            fn less(x: __m512d, y: __m512d) -> __m512d = _mm512_sub_pd(x, y);
            fn product(x: __m512d, y: __m512d) -> __m512d = _mm512_mul_pd(x, y);
            fn quotient(x: __m512d, y: __m512d) -> __m512d = _mm512_div_pd(x, y);
            fn smaller(x: __m512d, y: __m512d) -> __m512d = _mm512_min_pd(x, y);
            fn above(x: __m512d, y: __m512d) -> __mmask8 = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(x, y);
            fn even(x: __m512i) -> __mmask8 = _mm512_testn_epi64_mask(x, _mm512_set1_epi64(1));
            fn both(x: __mmask8, y: __mmask8) -> __mmask8 = _kand_mask8(x, y);
            fn select(mask: __mmask8, x: __m512d, y: __m512d) -> __m512d =
                _mm512_mask_blend_pd(mask, y, x);
            fn select_whole(mask: __mmask8, x: __m512i, y: __m512i) -> __m512i =
                _mm512_mask_blend_epi64(mask, y, x);
            fn all_whole(x: i64) -> __m512i = _mm512_set1_epi64(x);
            fn all_real(x: f64) -> __m512d = _mm512_set1_pd(x);
            fn shifted<const BITS: u32>(x: __m512i) -> __m512i = _mm512_srai_epi64::<BITS>(x);
            fn any(x: __mmask8) -> bool = x != 0;
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
                unsafe { $body::<$crate::simd::eight::avx512::Register>($($arg),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,popcnt")]
            fn avx2($($arg: $kind),*) -> $out {
                // SAFETY: the features are those of this function.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::numeric::mix;
    use crate::simd::Level;

    /// All that the operations make of some numbers, as whole numbers and bits.
    #[inline(always)]
    unsafe fn results<V: Eight>(x: [i64; EIGHT], y: [i64; EIGHT]) -> Vec<i64> {
        // SAFETY: the caller has checked the features.
        unsafe {
            let (x, y) = (V::whole(x), V::whole(y));
            let (a, b) = (V::rounded(x), V::rounded(y));
            let mask = V::both(V::above(a, b), V::even(x));
            let wholes = [
                V::plus(x, y),
                V::minus(x, y),
                V::times(x, y),
                V::and(x, y),
                V::shifted::<11>(x),
                V::shifted::<1>(y),
                V::running(x),
                V::last(y),
                V::select_whole(mask, x, y),
                V::all_whole(7),
            ];
            let reals = [
                a,
                V::less(a, b),
                V::product(a, b),
                V::quotient(a, b),
                V::smaller(a, b),
                V::select(mask, a, b),
                V::all_real(0.5),
            ];
            let mut out: Vec<i64> = wholes.into_iter().flat_map(|x| V::wholes(x)).collect();
            out.extend(reals.into_iter().flat_map(|x| V::reals(x)).map(|x| x.to_bits() as i64));
            out.push(V::any(mask).into());
            out
        }
    }

    with_eight! {
        fn at = results(x: [i64; EIGHT], y: [i64; EIGHT]) -> Vec<i64>
    }

    #[test]
    fn all_levels_compute_the_same() {
        for seed in 0..2000 {
            let number = |what: u64, i: usize| {
                let bits = mix(mix(seed, what), i as u64);
                bits as i64 >> (bits % 63)
            };
            let [x, y] = [1, 2].map(|what| std::array::from_fn(|i| number(what, i)));
            let expected = at(Level::Plain, x, y);
            assert!((0..EIGHT).all(|i| expected[10 * EIGHT + i] == (x[i] as f64).to_bits() as i64));
            for level in Level::available() {
                // No quotient of zeros, whose sign is not defined.
                let y = y.map(|y| if y == 0 { 1 } else { y });
                assert_eq!(at(level, x, y), at(Level::Plain, x, y), "{level:?}");
            }
        }
    }
}
