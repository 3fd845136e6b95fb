//! All kernels of a level: every body, for the vector of the level and under its instructions.

/// Instantiate every body for a vector type, under the target features named; the result is
/// `TABLE`.
macro_rules! level {
    ($word:ty, [$($feature:literal)?]) => {
        pub(super) use instances::TABLE;

        type Vector = $word;

        mod instances {
            use super::Vector;
            use $crate::simd::layout::{Counter, CounterState, Schedule, SlotMasks, Window};
            use $crate::simd::near::TileNumbers;
            use $crate::simd::table::KernelTable;
            use $crate::simd::weights::{Joint, WeighedTile, WeightTable};
            use $crate::simd::word::{Word};
            use $crate::simd::{body, fixed, near, read, tally, wide};

            $(#[target_feature(enable = $feature)])?
            unsafe fn distances<const D: usize>(
                p: &[u64], v: &[u64], s: &[u32], w: Window, o: &mut [u64], e: &mut [u64],
            ) -> bool {
                // SAFETY: the caller checked lengths and features.
                unsafe { body::distances::<Vector, D>(p, v, s, w, o, e) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn tally<const P: usize>(n: &[u64], s: &Schedule, p: &[u64], length: usize,
                state: CounterState<'_>) {
                // SAFETY: the caller checked lengths and features.
                unsafe { tally::tally::<Vector, P>(n, s, p, length, state) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn tally_all<const P: usize>(n: &[u64], rows: usize, length: usize,
                state: CounterState<'_>) {
                // SAFETY: the caller checked lengths and features.
                unsafe { tally::tally_all::<Vector, P>(n, rows, length, state) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn flush(c: Counter<'_>, s: SlotMasks<'_>, w: &[u64], out: &mut [u64]) {
                // SAFETY: the caller checked lengths and features.
                unsafe { read::flush::<Vector>(c, s, w, out) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn byte_masks(planes: &[u64], out: &mut [u64]) {
                // SAFETY: the caller checked lengths and features.
                unsafe { read::byte_masks::<Vector>(planes, out) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn agreements(p: &[u64], s: &[u32], depth: usize, out: &mut [u64]) {
                // SAFETY: the caller checked lengths and features.
                unsafe { body::agreements::<Vector>(p, s, depth, out) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn add_distances<const D: usize>(p: &[u64], c: &[u8], levels: usize,
                out: &mut [u32]) {
                // SAFETY: the caller checked lengths and features.
                unsafe { wide::add_distances::<Vector, D>(p, c, levels, out) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn add_mismatches(row: &[u8], rows: &[u8], members: &[u32], weight: f64,
                out: &mut [f64]) {
                // SAFETY: the caller checked lengths and features.
                unsafe { wide::add_mismatches::<Vector>(row, rows, members, weight, out) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn add_gaps(column: &[f64], x: f64, out: &mut [f64]) {
                wide::add_gaps(column, x, out);
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn moments(n: TileNumbers<'_>) -> (u64, u64) {
                // SAFETY: the caller checked lengths and features.
                unsafe { near::moments::<Vector>(n) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn at_least(n: TileNumbers<'_>, low: u32, out: &mut [u64]) {
                // SAFETY: the caller checked lengths and features.
                unsafe { near::at_least::<Vector>(n, low, out) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn kth_largest(n: TileNumbers<'_>, k: u32, open: &mut [u64]) -> u32 {
                // SAFETY: the caller checked lengths and features.
                unsafe { near::kth_largest::<Vector>(n, k, open) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn shared(mask: &[u64], planes: &[u64], stride: usize, slots: &[u32],
                out: &mut [u32]) {
                // SAFETY: the caller checked lengths and features.
                unsafe { near::shared::<Vector>(mask, planes, stride, slots, out) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn size(mask: &[u64]) -> u64 {
                // SAFETY: the caller checked features.
                unsafe { near::size::<Vector>(mask) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn weights<const D: usize>(p: &[u64], s: &[u32], n: usize, table: &WeightTable,
                out: &mut [u64]) {
                // SAFETY: the caller checked lengths and features.
                unsafe { fixed::weights::<Vector, D>(p, s, n, table, out) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn nearest<const D: usize>(p: &[u64], v: &[u64], s: &[u32], n: usize,
                best: usize) -> usize {
                // SAFETY: the caller checked lengths and features.
                unsafe { fixed::nearest::<Vector, D>(p, v, s, n, best) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn add_weights(
                tile: WeighedTile<'_>, joints: &[Joint], scratch: &mut [u64], sums: &mut [u64],
                all: &mut [u64],
            ) {
                // SAFETY: the caller checked lengths and features.
                unsafe { fixed::add_weights::<Vector>(tile, joints, scratch, sums, all) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn lane_masks(planes: &[u64], out: &mut [u64]) {
                // SAFETY: the caller checked lengths and features.
                unsafe { fixed::lane_masks::<Vector>(planes, out) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn sums_of_plane(sums: &[u64], plane: &[u64], digit: &[u64], out: &mut [u64]) {
                // SAFETY: the caller checked lengths and features.
                unsafe { fixed::sums_of_plane::<Vector>(sums, plane, digit, out) }
            }
            $(#[target_feature(enable = $feature)])?
            unsafe fn row_sums(weights: &[u64], columns: &[u64], out: &mut [u64]) {
                // SAFETY: the caller checked lengths and features.
                unsafe { fixed::row_sums::<Vector>(weights, columns, out) }
            }
            pub(in crate::simd) const TABLE: KernelTable = KernelTable {
                words: <Vector>::WORDS,
                distances: [
                    distances::<3>, distances::<4>, distances::<5>, distances::<6>, distances::<7>,
                    distances::<8>, distances::<9>, distances::<10>, distances::<11>,
                    distances::<24>,
                ],
                tally: [
                    tally::<1>, tally::<2>, tally::<3>, tally::<4>, tally::<5>,
                    tally::<6>, tally::<7>, tally::<8>, tally::<9>, tally::<10>,
                ],
                tally_all: [
                    tally_all::<1>, tally_all::<2>, tally_all::<3>, tally_all::<4>, tally_all::<5>,
                    tally_all::<6>, tally_all::<7>, tally_all::<8>, tally_all::<9>, tally_all::<10>,
                ],
                flush,
                byte_masks,
                by_bytes: <Vector>::BYTES,
                agreements,
                add_distances: [
                    add_distances::<3>, add_distances::<5>, add_distances::<7>, add_distances::<9>,
                    add_distances::<11>,
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
                lane_masks,
                masked: <Vector>::LANE_MASKS,
                add_weights,
                sums_of_plane,
                row_sums,
            };
        }
    };
}
pub(super) use level;
