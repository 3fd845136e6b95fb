//! Kernels for pairs of one weighting: the weight of each pair as a whole number, and sums of it
//! over pairs that share a value.
//!
//! Weights have at most [`WEIGHT_BITS`] bits and stand in 32-bit lanes, so up to [`MOST_ROWS`] rows
//! add up without a carry between lanes. Rows of a chunk are dealt out by the *joint* value of a
//! few features ([`Joint`]): each row is added once for the whole group, in the order of its joint
//! value, and the sums of a feature's own values are then sums over joint values (the method of
//! four Russians: three binary features cost little more than one). A column keeps the sum of its
//! own value alone, so a feature has one number a column, whatever its values; they are told apart
//! when a run of chunks ends ([`Kernels::sums_of_plane`]). Blocks of columns are so narrow that all
//! rows of a chunk stay in the first-level cache while all features read them.

use super::{Buffer, Kernels, MAX_PLANES, Slots, check_aligned};

/// Bits of the largest weight: a weight is at most `1 << WEIGHT_BITS`.
pub const WEIGHT_BITS: usize = 24;

/// Most rows whose weights are added up in a lane.
pub const MOST_ROWS: usize = 128;

/// A row without weight.
const NO_ROW: u16 = MOST_ROWS as u16;

/// Most joint values of more than one feature.
pub const MOST_JOINT: usize = 32;

/// The weight by number of agreements.
#[derive(Debug, Clone)]
pub struct WeightTable {
    /// By number of agreements.
    pub(super) one: Vec<u32>,
    /// Of two numbers below [`FEW`] at once, the second [`FEW_BITS`] higher; empty where there are
    /// more.
    pub(super) two: Vec<u64>,
}

/// Bits of a number of agreements that is looked up together with another.
pub(super) const FEW_BITS: usize = 5;
const FEW: usize = 1 << FEW_BITS;

impl WeightTable {
    /// A weight for every number of agreements from 0 to the number of features.
    pub fn new(by_agreements: Vec<u32>) -> Self {
        assert!(by_agreements.iter().all(|&w| w <= 1 << WEIGHT_BITS));
        let weight =
            |agreements: usize| u64::from(by_agreements.get(agreements).copied().unwrap_or(0));
        let two = if by_agreements.len() <= FEW {
            (0..FEW * FEW).map(|i| weight(i % FEW) | weight(i / FEW) << 32).collect()
        } else {
            Vec::new()
        };
        Self { one: by_agreements, two }
    }
}

/// Rows of a chunk in the order of their joint value of some features.
#[derive(Debug, Clone)]
pub struct Joint {
    pub(super) features: Vec<LevelWords>,
    /// Number of joint values.
    pub(super) values: usize,
    /// Rows by joint value, filled up to an even number with [`NO_ROW`].
    pub(super) order: Vec<u16>,
    /// Joint values (of one feature those that occur), those with the most rows first (loops of the
    /// same length one after the other are foreseen by the processor), and where each ends in the
    /// order.
    pub(super) ends: Vec<(u32, u16)>,
    /// More than the largest slot and feature.
    slots: usize,
    width: usize,
}

/// Where a feature's values are.
#[derive(Debug, Clone, Copy)]
pub struct LevelWords {
    /// Position among all features.
    pub feature: u32,
    /// First slot.
    pub first: u32,
    /// Number of values.
    pub levels: u32,
}

impl Joint {
    /// `rows` has the values of the features row after row. At most [`MOST_ROWS`] rows, and at most
    /// [`MOST_JOINT`] joint values of more than one feature.
    pub fn new(features: Vec<LevelWords>, rows: &[u32]) -> Self {
        let joint: usize = features.iter().map(|f| f.levels as usize).product();
        let count = rows.len() / features.len();
        assert!(count <= MOST_ROWS && (features.len() == 1 || joint <= MOST_JOINT));
        let of_row: Vec<usize> = rows
            .chunks_exact(features.len())
            .map(|row| {
                row.iter().zip(&features).rev().fold(0, |joint, (&value, of)| {
                    assert!(value < of.levels);
                    joint * of.levels as usize + value as usize
                })
            })
            .collect();
        let mut counts = vec![0u16; joint];
        of_row.iter().for_each(|&j| counts[j] += 1);
        // of one feature only the values that rows have; of several all joint values
        let mut by_size: Vec<u32> = (0..joint as u32).collect();
        by_size.retain(|&j| features.len() > 1 || counts[j as usize] > 0);
        by_size.sort_by_key(|&j| u16::MAX - counts[j as usize].div_ceil(2));
        let (mut ends, mut end) = (Vec::with_capacity(by_size.len()), 0);
        for j in by_size {
            let next = &mut counts[j as usize];
            let begin = end;
            end += next.next_multiple_of(2);
            ends.push((j, end));
            *next = begin;
        }
        let mut order = vec![NO_ROW; usize::from(end)];
        for (row, &j) in of_row.iter().enumerate() {
            order[usize::from(counts[j])] = row as u16;
            counts[j] += 1;
        }
        let slots = features.iter().map(|f| (f.first + f.levels) as usize).max().unwrap_or(0);
        let width = features.iter().map(|f| f.feature as usize + 1).max().unwrap_or(0);
        Self { features, values: joint, order, ends, slots, width }
    }
}

/// What one call of [`Kernels::add_weights`] reads: everything of a tile.
#[derive(Debug, Clone, Copy)]
pub struct WeighedTile<'a> {
    /// Weights of a chunk, as [`Kernels::weights`] made them.
    pub weights: &'a [u64],
    /// Rows of the chunk.
    pub rows: usize,
    /// Planes of all slots.
    pub planes: &'a [u64],
    /// What [`Kernels::lane_masks`] makes of the planes.
    pub masks: &'a [u64],
    /// The columns in use.
    pub valid: &'a [u64],
}

impl Kernels {
    /// Words that the weights of a chunk take.
    pub fn weights_len(&self) -> usize {
        (MOST_ROWS + 1) * 32 * self.words()
    }

    /// Words of scratch that [`Kernels::add_weights`] takes.
    pub fn joint_len(&self) -> usize {
        MOST_JOINT * 8 * self.words()
    }

    /// Masks of the lanes of weights for [`Kernels::add_weights`], where this level reads them from
    /// memory.
    pub fn lane_masks(&self, planes: &[u64], out: &mut Buffer) {
        assert!(planes.len().is_multiple_of(self.words()));
        out.reserve(if self.table.masked { planes.len() * 32 } else { 0 });
        // SAFETY: 32 words for each of the planes.
        unsafe { (self.table.lane_masks)(planes, out) }
    }

    fn check_slots(&self, planes: &[u64], slots: &Slots) -> usize {
        assert!(slots.features < 1 << MAX_PLANES && slots.rows() <= MOST_ROWS);
        assert!((slots.largest as usize + 1) * self.words() <= planes.len());
        check_aligned([planes]);
        match slots.features {
            0..16 => 0,
            16..64 => 1,
            64..256 => 2,
            256..2048 => 3,
            _ => 4,
        }
    }

    /// The weight of each pair of a row and a column of a tile. What stands behind the weights of
    /// [`MOST_ROWS`] rows is not touched: it is to be 0.
    pub fn weights(&self, planes: &[u64], slots: &Slots, table: &WeightTable, out: &mut [u64]) {
        let body = self.check_slots(planes, slots);
        assert!(table.one.len() == slots.features + 1 && out.len() >= self.weights_len());
        check_aligned([out]);
        // SAFETY: slots and rows lie inside their slices; agreements are at most the number of
        // features.
        unsafe { (self.table.weights[body])(planes, &slots.slots, slots.features, table, out) }
    }

    /// The largest number of agreements below the number of features between a row and a column in
    /// use, if above `best`.
    pub fn nearest(&self, planes: &[u64], valid: &[u64], slots: &Slots, best: usize) -> usize {
        let body = self.check_slots(planes, slots);
        assert!(valid.len() >= self.words());
        check_aligned([valid]);
        // SAFETY: slots lie inside their slices.
        unsafe { (self.table.nearest[body])(planes, valid, &slots.slots, slots.features, best) }
    }

    /// For every feature of the joints and every column: `sums[64 * words * feature + column] +=`
    /// weights of the rows that share the column's value. And `all[column] +=` weights of the first
    /// `rows` rows.
    pub fn add_weights(
        &self,
        tile: WeighedTile<'_>,
        joints: &[Joint],
        scratch: &mut [u64],
        sums: &mut [u64],
        all: &mut [u64],
    ) {
        let w = self.words();
        assert!(tile.rows <= MOST_ROWS && all.len() == 64 * w);
        assert!(tile.weights.len() >= self.weights_len() && scratch.len() >= self.joint_len());
        assert!(tile.valid.len() == w && tile.planes.len().is_multiple_of(w));
        assert!(tile.masks.len() >= if self.table.masked { tile.planes.len() * 32 } else { 0 });
        assert!(
            joints
                .iter()
                .all(|j| j.slots * w <= tile.planes.len() && j.width * 64 * w <= sums.len())
        );
        check_aligned([tile.weights, tile.masks, scratch, sums, all]);
        // SAFETY: joints know their largest slot and feature, rows are below MOST_ROWS, and all
        // results lie inside their slices.
        unsafe { (self.table.add_weights)(tile, joints, scratch, sums, all) }
    }

    /// `out[word] = ` sum of a feature's numbers (from [`Kernels::add_weights`]) over the columns
    /// of `plane & digit`.
    pub fn sums_of_plane(&self, sums: &[u64], plane: &[u64], digit: &[u64], out: &mut [u64]) {
        let w = self.words();
        assert!(sums.len() == 64 * w && plane.len() == w && digit.len() == w && out.len() == w);
        check_aligned([sums]);
        // SAFETY: lengths checked above.
        unsafe { (self.table.sums_of_plane)(sums, plane, digit, out) }
    }

    /// `out[row] = ` weights of the columns of a plane.
    pub fn row_sums(&self, weights: &[u64], columns: &[u64], out: &mut [u64]) {
        assert!(weights.len() >= self.weights_len() && out.len() <= MOST_ROWS);
        assert!(columns.len() >= self.words());
        check_aligned([weights]);
        // SAFETY: lengths checked above.
        unsafe { (self.table.row_sums)(weights, columns, out) }
    }
}
