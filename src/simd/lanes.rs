//! Vectors of [`LANES`] small whole numbers, for [`super::stumps`]. There is an implementation per
//! level and type; implementations with intrinsics are only called from functions that enable the
//! features. [`Plain`] is their twin. They have no tests of their own: the tests of optimal trees
//! (`tests/rust/optimal.rs`) compare the trees of the level in use with enumeration.

use super::instantiate::inline_methods;

/// Number of thresholds of one pass, one per lane.
pub const LANES: usize = 32;
/// A number for each lane.
pub type Lanes<T> = [T; LANES];
/// The number type of a lane. 16 bits are used where the weights of all rows together fit, as twice
/// the lanes then share a register.
pub trait LaneNumber: Copy + Default + Ord + std::fmt::Debug {
    /// The largest sum of the weights of all rows.
    const MOST: u32;
    /// The number `x`, which must fit the type.
    fn from_i32(x: i32) -> Self;
    /// The number as an `i32`.
    fn get(self) -> i32;
    /// The sum, which wraps around.
    fn wrapping_add(self, other: Self) -> Self;
    /// The difference `self - other`, which wraps around.
    fn wrapping_sub(self, other: Self) -> Self;
}

/// [`LaneNumber`] for a type of the language.
macro_rules! lane_number {
    ($type:ty) => {
        impl LaneNumber for $type {
            const MOST: u32 = <$type>::MAX as u32;
            #[inline(always)]
            fn from_i32(x: i32) -> Self {
                x as Self
            }
            #[inline(always)]
            fn get(self) -> i32 {
                self.into()
            }
            #[inline(always)]
            fn wrapping_add(self, other: Self) -> Self {
                self.wrapping_add(other)
            }
            #[inline(always)]
            fn wrapping_sub(self, other: Self) -> Self {
                self.wrapping_sub(other)
            }
        }
    };
}

lane_number!(i16);
lane_number!(i32);

/// A vector with a number for each lane.
///
/// # Safety
/// The methods may only be called inside a function that enables the target features of the
/// implementation, on a processor that has them; the methods of [`Plain`] may be called anywhere.
/// Arguments are arrays of full length, so no method asks anything of a pointer.
pub(super) trait LaneVec: Copy {
    /// The type of a lane.
    type Int: LaneNumber;
    /// `x` in the lanes from `code` on, 0 in those before; code 0 to [`LANES`].
    unsafe fn splat_from(code: u32, x: Self::Int) -> Self;
    /// A vector of the numbers of an array.
    unsafe fn load(lanes: &Lanes<Self::Int>) -> Self;
    /// Write the numbers to an array.
    unsafe fn store(self, to: &mut Lanes<Self::Int>);
    /// Sums lane by lane, which wrap around.
    unsafe fn add(self, other: Self) -> Self;
    /// Differences `self - other` lane by lane, which wrap around.
    unsafe fn sub(self, other: Self) -> Self;
    /// The larger number of each lane.
    unsafe fn max(self, other: Self) -> Self;
    /// The number of each lane where `over` is at most 0; 0 in the other lanes.
    unsafe fn zero_where_positive(self, over: Self) -> Self;
    /// `x` in all lanes.
    #[inline(always)]
    unsafe fn splat(x: Self::Int) -> Self {
        // SAFETY: the caller has checked the features.
        unsafe { Self::splat_from(0, x) }
    }
    /// In each lane, the sum of the lanes up to it, itself included. The default goes through
    /// memory, once per bucket and class; only AVX-512 with lanes of 16 bits has a method of its
    /// own.
    #[inline(always)]
    unsafe fn prefix_sums(self) -> Self {
        let mut lanes = [Self::Int::default(); LANES];
        // SAFETY: the caller has checked the features.
        unsafe { self.store(&mut lanes) };
        for l in 1..LANES {
            lanes[l] = lanes[l].wrapping_add(lanes[l - 1]);
        }
        // SAFETY: as above.
        unsafe { Self::load(&lanes) }
    }
}

/// A vector without intrinsics: an array, whose loops the compiler turns into vectors.
#[derive(Clone, Copy)]
pub(super) struct Plain<T>(Lanes<T>);

impl<T: LaneNumber> Plain<T> {
    #[inline(always)]
    fn join(self, other: Self, f: impl Fn(T, T) -> T) -> Self {
        let mut joined = self;
        for l in 0..LANES {
            joined.0[l] = f(self.0[l], other.0[l]);
        }
        joined
    }
}

impl<T: LaneNumber> LaneVec for Plain<T> {
    type Int = T;
    #[inline(always)]
    unsafe fn store(self, to: &mut Lanes<T>) {
        *to = self.0;
    }
    inline_methods! {
        fn splat_from(code: u32, x: T) -> Self =
            Self(std::array::from_fn(|l| if l as u32 >= code { x } else { T::default() }));
        fn load(lanes: &Lanes<T>) -> Self = Self(*lanes);
        fn add(self, other: Self) -> Self = self.join(other, T::wrapping_add);
        fn sub(self, other: Self) -> Self = self.join(other, T::wrapping_sub);
        fn max(self, other: Self) -> Self = self.join(other, |a, b| if b > a { b } else { a });
        fn zero_where_positive(self, over: Self) -> Self =
            self.join(over, |a, over| if over > T::default() { T::default() } else { a });
    }
}

/// A [`LaneVec`] of several registers. `masked(mask, x)` sets `x` in the lanes of one register,
/// `zero_where_positive(x, over)` does [`LaneVec::zero_where_positive`] for one register, and
/// `prefix_sums` adds up the lanes of all registers.
#[cfg(target_arch = "x86_64")]
macro_rules! registers {
    ($name:ident, $int:ty, [$register:ty; $n:literal], $per:literal, $load:ident, $store:ident,
     $add:ident, $sub:ident, $max:ident, $masked:expr, $zero_where_positive:expr,
     $prefix_sums:expr) => {
        #[derive(Clone, Copy)]
        pub(in crate::simd) struct $name([$register; $n]);

        impl LaneVec for $name {
            type Int = $int;
            #[inline(always)]
            unsafe fn splat_from(code: u32, x: $int) -> Self {
                let mask = (u64::from(u32::MAX) << code) as u32;
                // SAFETY: the caller has checked the features.
                unsafe { Self(std::array::from_fn(|i| $masked(mask >> ($per * i), x))) }
            }
            #[inline(always)]
            unsafe fn load(lanes: &Lanes<$int>) -> Self {
                let from = lanes.as_ptr();
                // SAFETY: the array has the lanes of all registers.
                unsafe { Self(std::array::from_fn(|i| $load(from.add($per * i).cast()))) }
            }
            #[inline(always)]
            unsafe fn store(self, to: &mut Lanes<$int>) {
                let to = to.as_mut_ptr();
                for i in 0..$n {
                    // SAFETY: as in `load`.
                    unsafe { $store(to.add($per * i).cast(), self.0[i]) }
                }
            }
            inline_methods! {
                fn add(self, other: Self) -> Self =
                    Self(std::array::from_fn(|i| $add(self.0[i], other.0[i])));
                fn sub(self, other: Self) -> Self =
                    Self(std::array::from_fn(|i| $sub(self.0[i], other.0[i])));
                fn max(self, other: Self) -> Self =
                    Self(std::array::from_fn(|i| $max(self.0[i], other.0[i])));
                fn zero_where_positive(self, over: Self) -> Self =
                    Self(std::array::from_fn(|i| $zero_where_positive(self.0[i], over.0[i])));
                fn prefix_sums(self) -> Self = $prefix_sums(self);
            }
        }
    };
}

#[cfg(target_arch = "x86_64")]
pub(super) mod x86 {
    use super::{LANES, LaneVec, Lanes, Plain, inline_methods};
    use std::arch::x86_64::*;

    /// [`LaneVec::prefix_sums`] by way of an array, for vectors that have no instruction for it. (A
    /// trait's default cannot be called from the method that replaces it.)
    ///
    /// # Safety
    /// The calling function enables the features of `V`.
    #[inline(always)]
    unsafe fn prefix_sums_in_memory<V: LaneVec>(v: V) -> V {
        let mut lanes = [V::Int::default(); LANES];
        // SAFETY: the caller has checked the features.
        unsafe {
            v.store(&mut lanes);
            Plain::load(&lanes).prefix_sums().store(&mut lanes);
            V::load(&lanes)
        }
    }

    /// The numbers of 16-bit lanes less a distance.
    const fn lanes_less(distance: i16) -> [i16; LANES] {
        let (mut from, mut l) = ([0; LANES], 0);
        while l < LANES {
            from[l] = l as i16 - distance;
            l += 1;
        }
        from
    }

    registers! {
        Avx512x16, i16, [__m512i; 1], 32, _mm512_loadu_si512, _mm512_storeu_si512,
        _mm512_add_epi16, _mm512_sub_epi16, _mm512_max_epi16,
        |mask: u32, x| _mm512_maskz_set1_epi16(mask, x),
        |x, over| {
            _mm512_maskz_mov_epi16(_mm512_cmple_epi16_mask(over, _mm512_setzero_si512()), x)
        },
        |v: Avx512x16| {
            const FROM: [[i16; LANES]; 5] =
                [lanes_less(1), lanes_less(2), lanes_less(4), lanes_less(8), lanes_less(16)];
            let mut v = v.0[0];
            for (i, from) in FROM.iter().enumerate() {
                let from = _mm512_loadu_si512(from.as_ptr().cast());
                let shifted = _mm512_maskz_permutexvar_epi16(u32::MAX << (1 << i), from, v);
                v = _mm512_add_epi16(v, shifted);
            }
            Avx512x16([v])
        }
    }
    registers! {
        Avx512x32, i32, [__m512i; 2], 16, _mm512_loadu_si512, _mm512_storeu_si512,
        _mm512_add_epi32, _mm512_sub_epi32, _mm512_max_epi32,
        |mask: u32, x| _mm512_maskz_set1_epi32(mask as u16, x),
        |x, over| {
            _mm512_maskz_mov_epi32(_mm512_cmple_epi32_mask(over, _mm512_setzero_si512()), x)
        },
        |v| prefix_sums_in_memory::<Avx512x32>(v)
    }
    registers! {
        Avx2x16, i16, [__m256i; 2], 16, _mm256_loadu_si256, _mm256_storeu_si256,
        _mm256_add_epi16, _mm256_sub_epi16, _mm256_max_epi16,
        |mask: u32, x| {
            const BITS: [u16; 16] = [
                1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1024, 2048, 4096, 8192, 16384, 32768,
            ];
            let bits = _mm256_loadu_si256(BITS.as_ptr().cast());
            let own = _mm256_and_si256(_mm256_set1_epi16(mask as i16), bits);
            _mm256_and_si256(_mm256_cmpeq_epi16(own, bits), _mm256_set1_epi16(x))
        },
        |x, over| _mm256_andnot_si256(_mm256_cmpgt_epi16(over, _mm256_setzero_si256()), x),
        |v| prefix_sums_in_memory::<Avx2x16>(v)
    }
    registers! {
        Avx2x32, i32, [__m256i; 4], 8, _mm256_loadu_si256, _mm256_storeu_si256,
        _mm256_add_epi32, _mm256_sub_epi32, _mm256_max_epi32,
        |mask: u32, x| {
            let bits = _mm256_setr_epi32(1, 2, 4, 8, 16, 32, 64, 128);
            let own = _mm256_and_si256(_mm256_set1_epi32(mask as i32), bits);
            _mm256_and_si256(_mm256_cmpeq_epi32(own, bits), _mm256_set1_epi32(x))
        },
        |x, over| _mm256_andnot_si256(_mm256_cmpgt_epi32(over, _mm256_setzero_si256()), x),
        |v| prefix_sums_in_memory::<Avx2x32>(v)
    }
}
