//! Vectors of eight 64-bit numbers, for [`super::means`]: a register of AVX-512, or an array at the
//! other levels. All give the same bits, so arrays are the twin of the register, and a test
//! compares every operation. Intrinsics of AVX2 were no quicker than arrays compiled for it
//! (regression trees, 50,000 x 15).

use super::instantiate::inline_methods;

/// Eight numbers.
pub(super) const EIGHT: usize = 8;

/// A vector of eight 64-bit numbers, and its operations on each of them.
///
/// # Safety
/// The methods of an implementation with intrinsics may only be called inside a function that
/// enables the features of its level, on a processor that has them; the methods of [`Arrays`] may
/// be called anywhere. No method reads or writes memory behind a pointer.
pub(super) trait Eight {
    /// A vector of integers.
    type Ints: Copy;
    /// A vector of doubles.
    type Floats: Copy;
    /// A boolean for each lane.
    type Mask: Copy;

    /// A vector of integers from an array.
    unsafe fn ints(x: [i64; EIGHT]) -> Self::Ints;
    /// The integer `x` in all lanes.
    unsafe fn splat_int(x: i64) -> Self::Ints;
    /// The double `x` in all lanes.
    unsafe fn splat(x: f64) -> Self::Floats;
    /// The integers as an array.
    unsafe fn int_array(x: Self::Ints) -> [i64; EIGHT];
    /// The doubles as an array.
    unsafe fn float_array(x: Self::Floats) -> [f64; EIGHT];

    /// Sums, modulo 2^64.
    unsafe fn add_int(x: Self::Ints, y: Self::Ints) -> Self::Ints;
    /// Differences `x - y`, modulo 2^64.
    unsafe fn sub_int(x: Self::Ints, y: Self::Ints) -> Self::Ints;
    /// Products, modulo 2^64.
    unsafe fn mul_int(x: Self::Ints, y: Self::Ints) -> Self::Ints;
    /// Bits that are set in both.
    unsafe fn and_int(x: Self::Ints, y: Self::Ints) -> Self::Ints;
    /// An arithmetic shift to the right, which keeps the sign.
    unsafe fn shr<const BITS: u32>(x: Self::Ints) -> Self::Ints;
    /// For each lane the sum of the lanes up to it, itself included, modulo 2^64.
    unsafe fn prefix_sums(x: Self::Ints) -> Self::Ints;
    /// The last number in all lanes.
    unsafe fn splat_last(x: Self::Ints) -> Self::Ints;

    /// The double nearest to each integer.
    unsafe fn to_float(x: Self::Ints) -> Self::Floats;
    /// Differences `x - y`.
    unsafe fn sub(x: Self::Floats, y: Self::Floats) -> Self::Floats;
    /// Products, each rounded by itself.
    unsafe fn mul(x: Self::Floats, y: Self::Floats) -> Self::Floats;
    /// Quotients `x / y`, most of the time of a cut.
    unsafe fn div(x: Self::Floats, y: Self::Floats) -> Self::Floats;
    /// The smaller of both; `y` where one is NaN.
    unsafe fn min(x: Self::Floats, y: Self::Floats) -> Self::Floats;

    /// The lanes with `x > y`; false where one is NaN.
    unsafe fn gt(x: Self::Floats, y: Self::Floats) -> Self::Mask;
    /// The lanes whose lowest bit is 0.
    unsafe fn is_even(x: Self::Ints) -> Self::Mask;
    /// The lanes that are true in both.
    unsafe fn and(x: Self::Mask, y: Self::Mask) -> Self::Mask;
    /// Whether some lane is true.
    unsafe fn any(x: Self::Mask) -> bool;
    /// `x` where the mask is true, else `y`.
    unsafe fn select(mask: Self::Mask, x: Self::Floats, y: Self::Floats) -> Self::Floats;
    /// `x` where the mask is true, else `y`.
    unsafe fn select_int(mask: Self::Mask, x: Self::Ints, y: Self::Ints) -> Self::Ints;
}

/// The implementation without intrinsics: arrays, whose loops the compiler turns into vectors.
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
    type Ints = [i64; EIGHT];
    type Floats = [f64; EIGHT];
    type Mask = [bool; EIGHT];

    #[inline(always)]
    unsafe fn prefix_sums(x: Self::Ints) -> Self::Ints {
        let mut out = x;
        for j in 1..EIGHT {
            out[j] = out[j].wrapping_add(out[j - 1]);
        }
        out
    }
    inline_methods! {
        fn ints(x: [i64; EIGHT]) -> Self::Ints = x;
        fn splat_int(x: i64) -> Self::Ints = [x; EIGHT];
        fn splat(x: f64) -> Self::Floats = [x; EIGHT];
        fn int_array(x: Self::Ints) -> [i64; EIGHT] = x;
        fn float_array(x: Self::Floats) -> [f64; EIGHT] = x;
        fn add_int(x: Self::Ints, y: Self::Ints) -> Self::Ints =
            each(x, y, |x, y| x.wrapping_add(y));
        fn sub_int(x: Self::Ints, y: Self::Ints) -> Self::Ints =
            each(x, y, |x, y| x.wrapping_sub(y));
        fn mul_int(x: Self::Ints, y: Self::Ints) -> Self::Ints =
            each(x, y, |x, y| x.wrapping_mul(y));
        fn and_int(x: Self::Ints, y: Self::Ints) -> Self::Ints = each(x, y, |x, y| x & y);
        fn shr<const BITS: u32>(x: Self::Ints) -> Self::Ints = each(x, x, |x, _| x >> BITS);
        fn splat_last(x: Self::Ints) -> Self::Ints = [x[EIGHT - 1]; EIGHT];
        fn to_float(x: Self::Ints) -> Self::Floats = each(x, x, |x, _| x as f64);
        fn sub(x: Self::Floats, y: Self::Floats) -> Self::Floats = each(x, y, |x, y| x - y);
        fn mul(x: Self::Floats, y: Self::Floats) -> Self::Floats = each(x, y, |x, y| x * y);
        fn div(x: Self::Floats, y: Self::Floats) -> Self::Floats = each(x, y, |x, y| x / y);
        fn min(x: Self::Floats, y: Self::Floats) -> Self::Floats =
            each(x, y, |x, y| if x < y { x } else { y });
        fn gt(x: Self::Floats, y: Self::Floats) -> Self::Mask = each(x, y, |x, y| x > y);
        fn is_even(x: Self::Ints) -> Self::Mask = each(x, x, |x, _| x & 1 == 0);
        fn and(x: Self::Mask, y: Self::Mask) -> Self::Mask = each(x, y, |x, y| x & y);
        fn any(x: Self::Mask) -> bool = x.iter().fold(false, |any, &x| any | x);
        fn select(mask: Self::Mask, x: Self::Floats, y: Self::Floats) -> Self::Floats =
            selected(mask, x, y);
        fn select_int(mask: Self::Mask, x: Self::Ints, y: Self::Ints) -> Self::Ints =
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
        type Ints = __m512i;
        type Floats = __m512d;
        type Mask = __mmask8;

        #[inline(always)]
        unsafe fn ints(x: [i64; EIGHT]) -> __m512i {
            let [a, b, c, d, e, f, g, h] = x;
            // SAFETY: the caller has checked the features.
            unsafe { _mm512_setr_epi64(a, b, c, d, e, f, g, h) }
        }
        #[inline(always)]
        unsafe fn int_array(x: __m512i) -> [i64; EIGHT] {
            let mut out = [0; EIGHT];
            // SAFETY: as above; the array has the size of a register.
            unsafe { _mm512_storeu_si512(out.as_mut_ptr().cast(), x) };
            out
        }
        #[inline(always)]
        unsafe fn float_array(x: __m512d) -> [f64; EIGHT] {
            let mut out = [0.0; EIGHT];
            // SAFETY: as above.
            unsafe { _mm512_storeu_pd(out.as_mut_ptr(), x) };
            out
        }
        #[inline(always)]
        unsafe fn prefix_sums(x: __m512i) -> __m512i {
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
            fn add_int(x: __m512i, y: __m512i) -> __m512i = _mm512_add_epi64(x, y);
            fn sub_int(x: __m512i, y: __m512i) -> __m512i = _mm512_sub_epi64(x, y);
            fn mul_int(x: __m512i, y: __m512i) -> __m512i = _mm512_mullo_epi64(x, y);
            fn and_int(x: __m512i, y: __m512i) -> __m512i = _mm512_and_si512(x, y);
            fn splat_last(x: __m512i) -> __m512i =
                _mm512_permutexvar_epi64(_mm512_set1_epi64(7), x);
            fn to_float(x: __m512i) -> __m512d = _mm512_cvtepi64_pd(x);
            fn sub(x: __m512d, y: __m512d) -> __m512d = _mm512_sub_pd(x, y);
            fn mul(x: __m512d, y: __m512d) -> __m512d = _mm512_mul_pd(x, y);
            fn div(x: __m512d, y: __m512d) -> __m512d = _mm512_div_pd(x, y);
            fn min(x: __m512d, y: __m512d) -> __m512d = _mm512_min_pd(x, y);
            fn gt(x: __m512d, y: __m512d) -> __mmask8 = _mm512_cmp_pd_mask::<_CMP_GT_OQ>(x, y);
            fn is_even(x: __m512i) -> __mmask8 = _mm512_testn_epi64_mask(x, _mm512_set1_epi64(1));
            fn and(x: __mmask8, y: __mmask8) -> __mmask8 = _kand_mask8(x, y);
            fn select(mask: __mmask8, x: __m512d, y: __m512d) -> __m512d =
                _mm512_mask_blend_pd(mask, y, x);
            fn select_int(mask: __mmask8, x: __m512i, y: __m512i) -> __m512i =
                _mm512_mask_blend_epi64(mask, y, x);
            fn splat_int(x: i64) -> __m512i = _mm512_set1_epi64(x);
            fn splat(x: f64) -> __m512d = _mm512_set1_pd(x);
            fn shr<const BITS: u32>(x: __m512i) -> __m512i = _mm512_srai_epi64::<BITS>(x);
            fn any(x: __mmask8) -> bool = x != 0;
        }
    }
}

/// A function over [`Eight`] as one that takes a level before its arguments. The AVX-512 instance
/// uses registers, and the others use arrays under the features of their level.
macro_rules! with_eight {
    ($(#[$doc:meta])* $vis:vis fn $name:ident = $body:ident($($arg:ident: $kind:ty),* $(,)?)
        -> $out:ty) => {
        $(#[$doc])*
        $vis fn $name(level: $crate::simd::Level, $($arg: $kind),*) -> $out {
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vpopcntdq,popcnt")]
            fn avx512($($arg: $kind),*) -> $out {
                // SAFETY: this function enables the features that the body needs.
                unsafe { $body::<$crate::simd::eight::avx512::Register>($($arg),*) }
            }
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx2,popcnt")]
            fn avx2($($arg: $kind),*) -> $out {
                // SAFETY: this function enables the features that the body needs.
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
            let (x, y) = (V::ints(x), V::ints(y));
            let (a, b) = (V::to_float(x), V::to_float(y));
            let mask = V::and(V::gt(a, b), V::is_even(x));
            let ints = [
                V::add_int(x, y),
                V::sub_int(x, y),
                V::mul_int(x, y),
                V::and_int(x, y),
                V::shr::<11>(x),
                V::shr::<1>(y),
                V::prefix_sums(x),
                V::splat_last(y),
                V::select_int(mask, x, y),
                V::splat_int(7),
            ];
            let floats = [
                a,
                V::sub(a, b),
                V::mul(a, b),
                V::div(a, b),
                V::min(a, b),
                V::select(mask, a, b),
                V::splat(0.5),
            ];
            let mut out: Vec<i64> = ints.into_iter().flat_map(|x| V::int_array(x)).collect();
            out.extend(
                floats.into_iter().flat_map(|x| V::float_array(x)).map(|x| x.to_bits() as i64),
            );
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
