//! Generic kernels compiled for one level: for its vector type and with its target features.
//!
//! The kernels are `#[inline(always)]` functions over [`Word`](super::word::Word). A function that
//! enables the target features of a level can inline them, which makes the intrinsics inside single
//! instructions; `instance!` writes one such function, and `level!` writes the functions of a whole
//! [`KernelTable`](super::table::KernelTable).

/// Methods of a vector type that are one expression each, mostly one intrinsic.
macro_rules! inline_methods {
    ($(fn $name:ident $(<const $bits:ident: u32>)? ($($arg:tt)*) $(-> $out:ty)?
        = $body:expr;)*) => {
        $(
            #[inline(always)]
            #[allow(unused_unsafe)] // arrays need no features
            unsafe fn $name $(<const $bits: u32>)? ($($arg)*) $(-> $out)? {
                // SAFETY: the caller has checked that the processor has the features of the level,
                // and that pointers are good for what the trait says.
                unsafe { $body }
            }
        )*
    };
}
pub(super) use inline_methods;

/// A function that enables target features and calls the generic function of the same name. It is
/// unsafe to call: the processor must have the features, and the caller must have checked the
/// lengths that the generic function relies on.
macro_rules! instance {
    ([$($feature:literal)?] $vector:ty, $module:ident::$name:ident $(<$bits:ident>)?
        ($($arg:ident: $kind:ty),* $(,)?) $(-> $out:ty)?) => {
        $(#[target_feature(enable = $feature)])?
        unsafe fn $name $(<const $bits: usize>)? ($($arg: $kind),*) $(-> $out)? {
            // SAFETY: the caller has checked the lengths, and that the processor has the features.
            unsafe { $module::$name::<$vector $(, $bits)?>($($arg),*) }
        }
    };
}

/// The kernels of a level as `TABLE`, for a vector type and the target features that it needs.
macro_rules! level {
    ($vector:ty, [$($feature:literal)?]) => {
        pub(super) use instances::TABLE;

        type Vector = $vector;

        mod instances {
            use super::Vector;
            use $crate::simd::instantiate::instance;
            use $crate::simd::layout::{Counter, CounterState, Schedule, SlotMasks, Window};
            use $crate::simd::near::{RowSums, TileNumbers};
            use $crate::simd::table::KernelTable;
            use $crate::simd::weights::{Joint, WeighedTile, WeightTable};
            use $crate::simd::word::Word;
            use $crate::simd::{body, near, read, tally, weigh_kernels, wide};

            instance!([$($feature)?] Vector, body::distances<BITS>(
                planes: &[u64], valid: &[u64], slots: &[u32], window: Window, out: &mut [u64],
                outside: &mut [u64],
            ) -> bool);
            instance!([$($feature)?] Vector, tally::tally<PLANES>(
                numbers: &[u64], schedule: &Schedule, planes: &[u64], length: usize,
                state: CounterState<'_>,
            ));
            instance!([$($feature)?] Vector, tally::tally_all<PLANES>(
                numbers: &[u64], rows: usize, length: usize, state: CounterState<'_>,
            ));
            instance!([$($feature)?] Vector, read::flush(
                counter: Counter<'_>, slots: SlotMasks<'_>, weight: &[u64], out: &mut [u64],
            ));
            instance!([$($feature)?] Vector, read::byte_masks(planes: &[u64], out: &mut [u64]));
            instance!([$($feature)?] Vector, wide::add_distances<BITS>(
                planes: &[u64], codes: &[u8], levels: usize, out: &mut [u32],
            ));
            instance!([$($feature)?] Vector, wide::add_mismatches(
                row: &[u8], rows: &[u8], members: &[u32], weight: f64, out: &mut [f64],
            ));
            $(#[target_feature(enable = $feature)])?
            /// [`wide::add_gaps`], which is safe code without a vector type: only the features
            /// differ.
            ///
            /// # Safety
            /// The processor has the features of the level.
            unsafe fn add_gaps(column: &[f64], x: f64, out: &mut [f64]) {
                wide::add_gaps(column, x, out);
            }
            instance!([$($feature)?] Vector, near::moments(numbers: TileNumbers<'_>) -> RowSums);
            instance!([$($feature)?] Vector, near::at_least(
                numbers: TileNumbers<'_>, low: u32, out: &mut [u64],
            ));
            instance!([$($feature)?] Vector, near::kth_largest(
                numbers: TileNumbers<'_>, k: u32, scratch: &mut [u64],
            ) -> u32);
            instance!([$($feature)?] Vector, near::shared(
                mask: &[u64], planes: &[u64], stride: usize, slots: &[u32], out: &mut [u32],
            ));
            instance!([$($feature)?] Vector, near::size(mask: &[u64]) -> u64);
            instance!([$($feature)?] Vector, weigh_kernels::weights<BITS>(
                planes: &[u64], slots: &[u32], features: usize, table: &WeightTable,
                out: &mut [u64],
            ));
            instance!([$($feature)?] Vector, weigh_kernels::nearest<BITS>(
                planes: &[u64], valid: &[u64], slots: &[u32], features: usize, best: usize,
            ) -> usize);
            instance!([$($feature)?] Vector, weigh_kernels::add_weights(
                tile: WeighedTile<'_>, joints: &[Joint], scratch: &mut [u64], sums: &mut [u64],
                all: &mut [u64],
            ));
            instance!([$($feature)?] Vector, weigh_kernels::lane_masks(
                planes: &[u64], out: &mut [u64],
            ));
            instance!([$($feature)?] Vector, weigh_kernels::sums_of_plane(
                sums: &[u64], plane: &[u64], digit: &[u64], out: &mut [u64],
            ));
            instance!([$($feature)?] Vector, weigh_kernels::row_sums(
                weights: &[u64], columns: &[u64], out: &mut [u64],
            ));

            pub(in crate::simd) const TABLE: KernelTable = KernelTable {
                words: <Vector>::WORDS,
                distances: [
                    distances::<4>, distances::<6>, distances::<8>, distances::<11>,
                    distances::<24>,
                ],
                tally: [
                    tally::<1>, tally::<2>, tally::<3>, tally::<4>, tally::<6>, tally::<10>,
                ],
                tally_all: [
                    tally_all::<1>, tally_all::<2>, tally_all::<3>, tally_all::<4>, tally_all::<6>,
                    tally_all::<10>,
                ],
                flush,
                byte_masks,
                has_byte_masks: <Vector>::SLOW_COUNT,
                add_distances: [
                    add_distances::<4>, add_distances::<6>, add_distances::<8>, add_distances::<11>,
                ],
                add_mismatches,
                add_gaps,
                moments,
                at_least,
                kth_largest,
                shared,
                size,
                weights: [weights::<4>, weights::<6>, weights::<8>, weights::<11>, weights::<24>],
                nearest: [nearest::<4>, nearest::<6>, nearest::<8>, nearest::<11>, nearest::<24>],
                add_weights,
                lane_masks,
                has_lane_masks: <Vector>::LANE_MASKS,
                sums_of_plane,
                row_sums,
            };
        }
    };
}

pub(super) use {instance, level};
