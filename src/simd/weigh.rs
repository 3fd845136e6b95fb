//! Kernels for pairs of one weighting: the weight of each pair as a whole number, and sums of it
//! over pairs that share a value.
//!
//! Weights have at most [`super::WEIGHT_BITS`] bits and stand in 32-bit lanes, so up to
//! [`MOST_ROWS`] rows add up without a carry between lanes. Rows of a chunk are dealt out by the
//! *joint* value of a few features ([`Joint`]): each row is added once for the whole group, in the
//! order of its joint value, and the sums of a feature's own values are then sums over joint values
//! (the method of four Russians: three binary features cost little more than one). A column keeps
//! the sum of its own value alone, so a feature has one number per column, whatever its values;
//! they are told apart when a run of chunks ends ([`Kernels::sums_of_plane`]). Blocks of columns
//! are so narrow that all rows of a chunk stay in the first-level cache while all features read
//! them.

use super::Kernels;
use super::buffer::{Buffer, check_aligned};
use super::layout::{MAX_PLANES, Slots};
use super::weights::{Joint, MOST_JOINT, MOST_ROWS, WeighedTile, WeightTable};

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
