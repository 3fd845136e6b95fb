//! Kernels that weigh pairs by their distance: the weight of each pair as a whole number, and its
//! sums over the pairs that share a value.
//!
//! Weights have at most [`super::WEIGHT_BITS`] bits and lie in lanes of 32 bits, so the weights of
//! [`MOST_WEIGHED_ROWS`] rows can be added without overflow. The rows of a chunk are grouped by the
//! *joint* value of a few features ([`Joint`]): each row is added once for all these features, and
//! the sum of one value of a feature is a sum over joint values (the method of four Russians: three
//! binary features cost little more than one). A column keeps only the sum of its own value, so
//! that a feature has one sum per column, which [`Kernels::sums_of_plane`] adds up by value at the
//! end; masks and widening are then paid per feature instead of per value. Blocks of columns are so
//! narrow that the weights of all rows of a chunk stay in the first-level cache while all features
//! read them.

use super::Kernels;
use super::buffer::{Buffer, check_aligned};
use super::layout::{MAX_PLANES, Slots};
use super::layout::{SUM_BITS, bits_of, kernel_of};
use super::weights::{Joint, MOST_JOINT, MOST_WEIGHED_ROWS, WeighedTile, WeightTable};

impl Kernels {
    /// Number of words of the weights of a chunk: 32 bits for each of [`MOST_WEIGHED_ROWS`] rows
    /// and each column, and a row of zeros behind them. 65 to 258 KiB, by the level.
    pub fn weights_len(&self) -> usize {
        (MOST_WEIGHED_ROWS + 1) * 32 * self.words()
    }

    /// Number of words of the scratch memory of [`Kernels::add_weights`]: the sums of
    /// [`MOST_JOINT`] joint values in one block of columns. Its contents need not be kept or set.
    pub fn joint_len(&self) -> usize {
        MOST_JOINT * 8 * self.words()
    }

    /// Masks of lanes for [`Kernels::add_weights`], 32 words for each word of `planes`; none at a
    /// level that does not read them. They are made once per tile and read for each chunk of rows,
    /// because making one from bits takes five operations.
    pub fn lane_masks(&self, planes: &[u64], out: &mut Buffer) {
        assert!(planes.len().is_multiple_of(self.words()));
        out.reserve(if self.table.has_lane_masks { planes.len() * 32 } else { 0 });
        // SAFETY: 32 words for each word of the planes.
        unsafe { (self.table.lane_masks)(planes, out) }
    }

    /// Check the slots of some rows, and return the index of the kernel whose sums hold the number
    /// of features.
    fn check_slots(&self, planes: &[u64], slots: &Slots) -> usize {
        assert!(slots.features < 1 << MAX_PLANES && slots.rows() <= MOST_WEIGHED_ROWS);
        assert!((slots.largest as usize + 1) * self.words() <= planes.len());
        check_aligned([planes]);
        kernel_of(&SUM_BITS, bits_of(slots.features))
    }

    /// Write the weight of each pair of a row and a column of a tile. The words behind the weights
    /// of [`MOST_WEIGHED_ROWS`] rows are not written; [`Kernels::add_weights`] expects zeros there.
    /// The table has an entry for each number of agreements, from 0 to the number of features.
    pub fn weights(&self, planes: &[u64], slots: &Slots, table: &WeightTable, out: &mut [u64]) {
        let kernel = self.check_slots(planes, slots);
        assert!(table.one.len() == slots.features + 1 && out.len() >= self.weights_len());
        check_aligned([out]);
        // SAFETY: slots and rows lie inside their slices; agreements are at most the number of
        // features.
        unsafe { (self.table.weights[kernel])(planes, &slots.slots, slots.features, table, out) }
    }

    /// The largest number of agreements of a row and a column in use that differ somewhere, or
    /// `best` if that is larger. Equal rows do not count. Callers go from tile to tile with the
    /// result as the next `best`; weights are then scaled by the weight of the nearest pair.
    pub fn nearest(&self, planes: &[u64], valid: &[u64], slots: &Slots, best: usize) -> usize {
        let kernel = self.check_slots(planes, slots);
        assert!(valid.len() >= self.words());
        check_aligned([valid]);
        // SAFETY: slots lie inside their slices.
        unsafe { (self.table.nearest[kernel])(planes, valid, &slots.slots, slots.features, best) }
    }

    /// For every feature of the joints and every column, add the weights of the rows that share the
    /// column's value to `sums[64 * words * feature + column]`. Add the weights of all rows of the
    /// chunk to `all[column]`.
    pub fn add_weights(
        &self,
        tile: WeighedTile<'_>,
        joints: &[Joint],
        scratch: &mut [u64],
        sums: &mut [u64],
        all: &mut [u64],
    ) {
        let words = self.words();
        let masks = if self.table.has_lane_masks { tile.planes.len() * 32 } else { 0 };
        assert!(tile.rows <= MOST_WEIGHED_ROWS && all.len() == 64 * words);
        assert!(tile.weights.len() >= self.weights_len() && scratch.len() >= self.joint_len());
        assert!(tile.valid.len() == words && tile.planes.len().is_multiple_of(words));
        assert!(tile.masks.len() >= masks);
        assert!(joints.iter().all(|joint| {
            joint.slots * words <= tile.planes.len() && joint.width * 64 * words <= sums.len()
        }));
        check_aligned([tile.weights, tile.masks, scratch, sums, all]);
        // SAFETY: joints know their largest slot and feature, rows are below MOST_WEIGHED_ROWS, and
        // all results lie inside their slices.
        unsafe { (self.table.add_weights)(tile, joints, scratch, sums, all) }
    }

    /// The sum of a feature's sums (from [`Kernels::add_weights`]) over the columns in both `plane`
    /// and `digit`, where `digit` is one bit of the columns' multiplicities. The sum over one word
    /// of columns goes to `out[word]`.
    pub fn sums_of_plane(&self, sums: &[u64], plane: &[u64], digit: &[u64], out: &mut [u64]) {
        let words = self.words();
        assert!(sums.len() == 64 * words && out.len() == words);
        assert!(plane.len() == words && digit.len() == words);
        check_aligned([sums]);
        // SAFETY: lengths checked above.
        unsafe { (self.table.sums_of_plane)(sums, plane, digit, out) }
    }

    /// Write to `out[row]` the sum of the row's weights over `columns`, a mask of one tile. This is
    /// the reverse order of each pair, from the same weights: callers call it for each class and
    /// digit of the columns' multiplicities.
    pub fn row_sums(&self, weights: &[u64], columns: &[u64], out: &mut [u64]) {
        assert!(weights.len() >= self.weights_len() && out.len() <= MOST_WEIGHED_ROWS);
        assert!(columns.len() >= self.words());
        check_aligned([weights]);
        // SAFETY: lengths checked above.
        unsafe { (self.table.row_sums)(weights, columns, out) }
    }
}
