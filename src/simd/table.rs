//! The kernels of one level, as pointers to functions.
//!
//! `instantiate` fills a [`KernelTable`] for each level, and [`Kernels::at`] chooses one at run
//! time. The method of [`Kernels`] that has a kernel's name documents its arguments, checks their
//! lengths and calls it; nothing else may. A kernel whose sums of bits have a fixed number of bit
//! planes has one instance per number of planes, and the method chooses the smallest that is large
//! enough.
//!
//! [`Kernels`]: super::Kernels
//! [`Kernels::at`]: super::Kernels::at

use super::layout::{Counter, CounterState, Schedule, SlotMasks, Window};
use super::near::{RowSums, TileNumbers};
use super::weights::{Joint, WeighedTile, WeightTable};

pub(super) type DistancesKernel = unsafe fn(
    planes: &[u64],
    valid: &[u64],
    slots: &[u32],
    window: Window,
    out: &mut [u64],
    outside: &mut [u64],
) -> bool;

pub(super) type TallyKernel = unsafe fn(
    numbers: &[u64],
    schedule: &Schedule,
    planes: &[u64],
    length: usize,
    state: CounterState<'_>,
);

pub(super) type TallyAllKernel =
    unsafe fn(numbers: &[u64], rows: usize, length: usize, state: CounterState<'_>);

pub(super) type FlushKernel =
    unsafe fn(counter: Counter<'_>, slots: SlotMasks<'_>, weight: &[u64], out: &mut [u64]);

pub(super) type AddDistancesKernel =
    unsafe fn(planes: &[u64], codes: &[u8], levels: usize, out: &mut [u32]);

pub(super) type AddMismatchesKernel =
    unsafe fn(row: &[u8], rows: &[u8], members: &[u32], weight: f64, out: &mut [f64]);

pub(super) type AddGapsKernel = unsafe fn(column: &[f64], x: f64, out: &mut [f64]);

pub(super) type AtLeastKernel = unsafe fn(numbers: TileNumbers<'_>, low: u32, out: &mut [u64]);

pub(super) type KthLargestKernel =
    unsafe fn(numbers: TileNumbers<'_>, k: u32, scratch: &mut [u64]) -> u32;

pub(super) type SharedKernel =
    unsafe fn(mask: &[u64], planes: &[u64], stride: usize, slots: &[u32], out: &mut [u32]);

pub(super) type WeightsKernel =
    unsafe fn(planes: &[u64], slots: &[u32], features: usize, table: &WeightTable, out: &mut [u64]);

pub(super) type NearestKernel =
    unsafe fn(planes: &[u64], valid: &[u64], slots: &[u32], features: usize, best: usize) -> usize;

pub(super) type AddWeightsKernel = unsafe fn(
    tile: WeighedTile<'_>,
    joints: &[Joint],
    scratch: &mut [u64],
    sums: &mut [u64],
    all: &mut [u64],
);

pub(super) type SumsOfPlaneKernel =
    unsafe fn(sums: &[u64], plane: &[u64], digit: &[u64], out: &mut [u64]);

pub(super) type RowSumsKernel = unsafe fn(weights: &[u64], columns: &[u64], out: &mut [u64]);

/// Masks of parts of a vector, made from the planes of slots: of bytes or of 32-bit lanes.
pub(super) type MasksKernel = unsafe fn(planes: &[u64], out: &mut [u64]);

/// The kernels of one level.
///
/// # Safety
/// The kernels are unsafe to call: the processor must have the level, and the caller must have
/// checked the lengths of all slices.
#[derive(Clone, Copy)]
pub(super) struct KernelTable {
    /// 64-bit words of a vector.
    pub words: usize,
    /// One kernel per number of bits of a sum, as in [`SUM_BITS`](super::layout::SUM_BITS).
    pub distances: [DistancesKernel; 5],
    /// One kernel per number of bit planes of a number, as in
    /// [`NUMBER_PLANES`](super::layout::NUMBER_PLANES).
    pub tally: [TallyKernel; 6],
    /// One kernel per number of bit planes of a number, as in
    /// [`NUMBER_PLANES`](super::layout::NUMBER_PLANES).
    pub tally_all: [TallyAllKernel; 6],
    pub flush: FlushKernel,
    pub byte_masks: MasksKernel,
    /// Whether `flush` reads the masks that `byte_masks` makes.
    pub has_byte_masks: bool,
    /// One kernel per number of bits of a sum, the first four of
    /// [`SUM_BITS`](super::layout::SUM_BITS).
    pub add_distances: [AddDistancesKernel; 4],
    pub add_mismatches: AddMismatchesKernel,
    pub add_gaps: AddGapsKernel,
    pub moments: unsafe fn(numbers: TileNumbers<'_>) -> RowSums,
    pub at_least: AtLeastKernel,
    pub kth_largest: KthLargestKernel,
    pub shared: SharedKernel,
    pub size: unsafe fn(mask: &[u64]) -> u64,
    /// One kernel per number of bits of a sum, as in [`SUM_BITS`](super::layout::SUM_BITS).
    pub weights: [WeightsKernel; 5],
    /// One kernel per number of bits of a sum, as in [`SUM_BITS`](super::layout::SUM_BITS).
    pub nearest: [NearestKernel; 5],
    pub add_weights: AddWeightsKernel,
    pub lane_masks: MasksKernel,
    /// Whether `add_weights` reads the masks that `lane_masks` makes.
    pub has_lane_masks: bool,
    pub sums_of_plane: SumsOfPlaneKernel,
    pub row_sums: RowSumsKernel,
}
