//! Nodes of at most 64 rows ([`SmallNode`]): columns of bytes that a whole subtree shares, and one
//! word of 64 lanes per node.
//!
//! A row of weight w takes w lanes, so that population counts are weights; one of its lanes stands
//! for the row. A split compares 64 bytes and copies nothing. The candidates of a node form a
//! [`CutBlock`](super::cuts::CutBlock), so the same cut is chosen as in a large node.
//! [`super::best_cut`] uses this where cuts are scored as one block; O(features x classes x rows)
//! per node.

use super::context::BinnedContext;
use super::cuts::{CutFacts, NodeCuts};
use crate::simd::Level;
use crate::simd::small::{MOST_SMALL_ROWS, count_bits, mask_up_to, masks_up_to};
use std::sync::Arc;

/// The codes of a small node's rows, by column; the nodes below it share them.
#[derive(Debug)]
pub(super) struct SmallColumns {
    /// The code of each lane, feature by feature.
    codes: Vec<[u8; MOST_SMALL_ROWS]>,
    /// The lanes of each class.
    classes: Vec<u64>,
    /// One lane of each row.
    rows: u64,
}

impl SmallColumns {
    /// A node of some records, which have at most 64 copies together. O(copies x features); the
    /// nodes below share the columns, so that this is done once per subtree.
    pub fn from_records(context: &BinnedContext<'_>, records: &[u8]) -> SmallNode {
        let layout = context.layout;
        let mut columns = Self {
            codes: vec![[0; MOST_SMALL_ROWS]; layout.features],
            classes: vec![0; context.classes],
            rows: 0,
        };
        let mut lane = 0;
        for row in records.chunks_exact(layout.width) {
            columns.rows |= 1 << lane;
            for _ in 0..layout.weight(row) {
                for (column, &code) in columns.codes.iter_mut().zip(row) {
                    column[lane] = code;
                }
                columns.classes[layout.class(row)] |= 1 << lane;
                lane += 1;
            }
        }
        let lanes = if lane == MOST_SMALL_ROWS { u64::MAX } else { (1 << lane) - 1 };
        SmallNode { columns: Arc::new(columns), lanes }
    }

    /// Class sums of some lanes.
    fn sums(&self, lanes: u64) -> Vec<u32> {
        self.classes.iter().map(|&class| (class & lanes).count_ones()).collect()
    }
}

/// The rows of a small node.
#[derive(Debug, Clone)]
pub(super) struct SmallNode {
    columns: Arc<SmallColumns>,
    /// The lanes of the node's rows.
    lanes: u64,
}

impl SmallNode {
    /// Number of rows, each counted once whatever its copies. Limits in copies use the class sums
    /// instead.
    pub fn rows(&self) -> usize {
        (self.lanes & self.columns.rows).count_ones() as usize
    }

    /// The children of a split: the rows whose code is at most `at`, and the rows above it. No code
    /// is copied: the children share the columns, and have disjoint lanes.
    pub fn divide(&self, feature: usize, at: u32) -> [Self; 2] {
        let left = mask_up_to(&self.columns.codes[feature], at as u8) & self.lanes;
        [left, self.lanes & !left].map(|lanes| Self { columns: self.columns.clone(), lanes })
    }

    /// All cuts of all features, or of the chosen features: above the code of each row, or above
    /// each code below `widest`, whichever are fewer. A cut may occur several times where rows
    /// share a code, and may have no rows on its right.
    pub fn cuts<'a>(
        &'a self,
        chosen: Option<&'a [u32]>,
        widest: usize,
        buffers: &'a mut LaneBuffers,
    ) -> LaneCuts<'a> {
        let LaneBuffers { codes, masks } = buffers;
        codes.clear();
        masks.clear();
        let ((rows, n_rows), n_codes) = (self.lanes_of_rows(), widest - 1);
        let per_feature = n_rows.min(n_codes);
        let columns = &self.columns.codes;
        for i in 0..chosen.map_or(columns.len(), <[u32]>::len) {
            let column = &columns[chosen.map_or(i, |chosen| chosen[i] as usize)];
            let start = codes.len();
            if n_rows < n_codes {
                codes.extend(
                    rows[..n_rows].iter().map(|&row| column[usize::from(row) % MOST_SMALL_ROWS]),
                );
            } else {
                codes.extend((0..n_codes).map(|code| code as u8));
            }
            masks.resize(codes.len(), 0);
            masks_up_to(column, &codes[start..], &mut masks[start..]);
        }
        LaneCuts { node: self, chosen, per_feature, codes, masks }
    }

    /// One lane of each row, and the number of rows. The lanes ascend, and the rest of the array
    /// has no meaning.
    fn lanes_of_rows(&self) -> ([u8; MOST_SMALL_ROWS], usize) {
        let (mut rows, mut len) = ([0; MOST_SMALL_ROWS], 0);
        let mut unlisted = self.lanes & self.columns.rows;
        while unlisted != 0 {
            rows[len] = unlisted.trailing_zeros() as u8;
            unlisted &= unlisted - 1;
            len += 1;
        }
        (rows, len)
    }

    /// The facts of the cut above a code; `None` where no row has that code, or none a higher one.
    fn facts(&self, feature: usize, at: u8) -> Option<CutFacts> {
        let (lanes, codes) = (self.lanes, &self.columns.codes[feature]);
        let right = lanes & !mask_up_to(codes, at);
        let below = if at == 0 { 0 } else { mask_up_to(codes, at - 1) };
        let (last, mut rest) = (lanes & !right & !below, right);
        if last == 0 || right == 0 {
            return None;
        }
        // The lowest code on the right, and the lanes of the bins beside the cut.
        let mut next = u8::MAX;
        while rest != 0 {
            next = next.min(codes[rest.trailing_zeros() as usize % MOST_SMALL_ROWS]);
            rest &= rest - 1;
        }
        let first = right & mask_up_to(codes, next);
        let beside = [last, first].map(u64::count_ones);
        let both = last | first;
        let one_class = self.columns.classes.iter().any(|&class| class & both == both);
        let (at, next) = (u32::from(at), u32::from(next));
        Some(CutFacts { feature: feature as u32, at, next, beside, one_class })
    }
}

/// Memory of the cuts of one node.
#[derive(Debug, Default)]
pub(super) struct LaneBuffers {
    codes: Vec<u8>,
    masks: Vec<u64>,
}

/// The cuts of some features of a small node, feature by feature.
#[derive(Debug, Clone, Copy)]
pub(super) struct LaneCuts<'a> {
    node: &'a SmallNode,
    chosen: Option<&'a [u32]>,
    /// Cuts per feature.
    per_feature: usize,
    /// The highest code on the left of each cut.
    codes: &'a [u8],
    /// The lanes on the left of each cut. Lanes of other nodes may be among them.
    masks: &'a [u64],
}

impl NodeCuts for LaneCuts<'_> {
    fn len(&self) -> usize {
        self.masks.len()
    }

    fn count(&self, class: usize, out: &mut [u32]) {
        let members = self.node.columns.classes[class] & self.node.lanes;
        count_bits(Level::active(), self.masks, members, out);
    }

    fn left_sums(&self, cut: usize) -> Vec<u32> {
        self.node.columns.sums(self.masks[cut] & self.node.lanes)
    }

    fn place(&self, cut: usize) -> (u32, u32) {
        let feature = (cut / self.per_feature) as u32;
        let feature = self.chosen.map_or(feature, |chosen| chosen[feature as usize]);
        (feature, u32::from(self.codes[cut]))
    }

    fn facts(&self, _: &[u32], cut: usize) -> Option<CutFacts> {
        let (feature, at) = self.place(cut);
        self.node.facts(feature as usize, at as u8)
    }
}
