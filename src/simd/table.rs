//! The kernels of one level, as pointers to functions.

use super::layout::{Counter, CounterState, Schedule, SlotMasks, Window};
use super::near::TileNumbers;
use super::weights::{Joint, WeighedTile, WeightTable};

pub(super) type DistancesKernel =
    unsafe fn(&[u64], &[u64], &[u32], Window, &mut [u64], &mut [u64]) -> bool;
pub(super) type AddDistances = unsafe fn(&[u64], &[u8], usize, &mut [u32]);
pub(super) type AddMismatches = unsafe fn(&[u8], &[u8], &[u32], f64, &mut [f64]);
pub(super) type TallyAll = unsafe fn(&[u64], usize, usize, CounterState<'_>);
pub(super) type WeightsKernel = unsafe fn(&[u64], &[u32], usize, &WeightTable, &mut [u64]);
pub(super) type Nearest = unsafe fn(&[u64], &[u64], &[u32], usize, usize) -> usize;
pub(super) type Tally = unsafe fn(&[u64], &Schedule, &[u64], usize, CounterState<'_>);

/// Function pointers of one level. All unsafe: the caller vouches for lengths.
#[derive(Clone, Copy)]
pub(super) struct KernelTable {
    pub words: usize,
    /// By number of bits of a sum: 3 to 11, then 24.
    pub distances: [DistancesKernel; 10],
    /// By number of planes, from 1.
    pub tally: [Tally; 10],
    pub tally_all: [TallyAll; 10],
    pub flush: unsafe fn(Counter<'_>, SlotMasks<'_>, &[u64], &mut [u64]),
    pub byte_masks: unsafe fn(&[u64], &mut [u64]),
    /// Whether [`Kernels::flush`] wants them.
    pub by_bytes: bool,
    pub agreements: unsafe fn(&[u64], &[u32], usize, &mut [u64]),
    /// By number of bits of a sum: 3, 5, 7, 9, 11.
    pub add_distances: [AddDistances; 5],
    pub add_mismatches: AddMismatches,
    pub add_gaps: unsafe fn(&[f64], f64, &mut [f64]),
    pub moments: unsafe fn(TileNumbers<'_>) -> (u64, u64),
    pub at_least: unsafe fn(TileNumbers<'_>, u32, &mut [u64]),
    pub kth_largest: unsafe fn(TileNumbers<'_>, u32, &mut [u64]) -> u32,
    pub shared: unsafe fn(&[u64], &[u64], usize, &[u32], &mut [u32]),
    pub size: unsafe fn(&[u64]) -> u64,
    /// By number of bits of a sum: 4, 6, 8, 11, 24.
    pub weights: [WeightsKernel; 5],
    pub nearest: [Nearest; 5],
    pub add_weights: unsafe fn(WeighedTile<'_>, &[Joint], &mut [u64], &mut [u64], &mut [u64]),
    pub lane_masks: unsafe fn(&[u64], &mut [u64]),
    /// Whether [`Kernels::add_weights`] wants them.
    pub masked: bool,
    pub sums_of_plane: unsafe fn(&[u64], &[u64], &[u64], &mut [u64]),
    pub row_sums: unsafe fn(&[u64], &[u64], &mut [u64]),
}
