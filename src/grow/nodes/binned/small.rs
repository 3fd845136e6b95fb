//! Nodes of at most 64 rows: columns of bytes that a whole subtree shares, and a word for the rows
//! of each node.
//!
//! A row that counts several times is as many lanes, so that population counts are weights; one of
//! its lanes is a candidate. Splitting is a comparison of 64 bytes; nothing is copied. The
//! candidates of a node form a [`CutBlock`], so the choice is that of a large node.

use super::context::BinnedContext;
use super::cuts::{CutBlock, CutFacts, CutPlaces};
use super::two_class::PairCuts;
use crate::numeric::Count;
use crate::simd::Level;
use crate::simd::small::{LANES, count_bits, count_pairs_up_to, masks_up_to, up_to};
use crate::stats::Sum;

/// The rows of a small node and of everything below it, by column.
#[derive(Debug)]
pub(super) struct SmallColumns {
    codes: Vec<[u8; LANES]>,
    /// Lanes by class.
    classes: Vec<u64>,
    /// One lane of each row.
    rows: u64,
}

impl SmallColumns {
    /// The columns of some records, of at most 64 copies together; and their lanes.
    pub fn new(context: &BinnedContext<'_>, records: &[u8]) -> (Self, u64) {
        let layout = context.layout;
        let mut out = Self {
            codes: vec![[0; LANES]; layout.features],
            classes: vec![0; context.classes],
            rows: 0,
        };
        let mut lane = 0;
        for row in records.chunks_exact(layout.width) {
            out.rows |= 1 << lane;
            for _ in 0..layout.weight(row) {
                for (column, &code) in out.codes.iter_mut().zip(row) {
                    column[lane] = code;
                }
                out.classes[layout.class(row)] |= 1 << lane;
                lane += 1;
            }
        }
        (out, if lane == LANES { u64::MAX } else { (1 << lane) - 1 })
    }

    /// Rows among some lanes.
    pub fn rows(&self, lanes: u64) -> usize {
        (lanes & self.rows).count_ones() as usize
    }

    /// Lanes whose code is at most `at`.
    pub fn up_to(&self, feature: usize, at: u32, lanes: u64) -> u64 {
        up_to(&self.codes[feature], at as u8) & lanes
    }

    /// All cuts of some features (all, or those chosen) between some lanes: above the code of each
    /// row or above each code below `widest`, whichever are fewer.
    pub fn cuts<'a>(
        &'a self,
        lanes: u64,
        chosen: Option<&'a [u32]>,
        widest: usize,
        buffers: &'a mut LaneBuffers,
    ) -> LaneCuts<'a> {
        let LaneBuffers { codes, masks } = buffers;
        codes.clear();
        masks.clear();
        let ((rows, n), most) = (self.listed(lanes), widest - 1);
        let each = n.min(most);
        for i in 0..chosen.map_or(self.codes.len(), <[u32]>::len) {
            let column = &self.codes[chosen.map_or(i, |some| some[i] as usize)];
            let from = codes.len();
            if n < most {
                codes.extend(rows[..n].iter().map(|&row| column[usize::from(row) % LANES]));
            } else {
                codes.extend((0..most).map(|code| code as u8));
            }
            masks.resize(codes.len(), 0);
            masks_up_to(Level::active(), column, &codes[from..], &mut masks[from..]);
        }
        LaneCuts { columns: self, lanes, chosen, each, codes, masks }
    }

    /// Class sums of some lanes.
    pub fn sums<S: Sum>(&self, lanes: u64) -> Vec<S> {
        self.classes.iter().map(|&c| S::from_rows((c & lanes).count_ones())).collect()
    }

    /// One lane of each row among some lanes.
    pub fn listed(&self, lanes: u64) -> ([u8; LANES], usize) {
        let (mut rows, mut len) = ([0; LANES], 0);
        let mut left = lanes & self.rows;
        while left != 0 {
            rows[len] = left.trailing_zeros() as u8;
            left &= left - 1;
            len += 1;
        }
        (rows, len)
    }

    /// All cuts of some features between two classes: for each feature, one a row.
    pub fn fill_pairs(
        &self,
        lanes: u64,
        rows: &[u8],
        features: impl ExactSizeIterator<Item = usize>,
        cuts: &mut PairCuts,
    ) {
        let classes = [0, 1].map(|c| self.classes[c] & lanes);
        let lefts = cuts.prepare(rows.len() * features.len());
        for (feature, to) in features.zip(lefts.chunks_mut(rows.len().max(1))) {
            count_pairs_up_to(Level::active(), &self.codes[feature], rows, classes, to);
        }
    }

    /// What is known of a candidate of such a block; nothing where all rows are on its left.
    pub fn facts_of<S: Sum>(
        &self,
        lanes: u64,
        rows: &[u8],
        feature: impl Fn(usize) -> usize,
        candidate: usize,
    ) -> Option<CutFacts<S>> {
        let feature = feature(candidate / rows.len());
        let row = rows[candidate % rows.len()];
        self.facts(lanes, feature, self.codes[feature][usize::from(row)])
    }

    /// What is known of the cut above a code; nothing where no row has it, or none a higher one.
    pub fn facts<S: Sum>(&self, lanes: u64, feature: usize, at: u8) -> Option<CutFacts<S>> {
        let codes = &self.codes[feature];
        let right = lanes & !up_to(codes, at);
        let below = if at == 0 { 0 } else { up_to(codes, at - 1) };
        let (a, mut rest) = (lanes & !right & !below, right);
        if a == 0 || right == 0 {
            return None;
        }
        let mut next = u8::MAX;
        while rest != 0 {
            next = next.min(codes[rest.trailing_zeros() as usize % LANES]);
            rest &= rest - 1;
        }
        let b = right & up_to(codes, next);
        let beside = [S::from_rows(a.count_ones()), S::from_rows(b.count_ones())];
        let one_class = self.classes.iter().any(|&c| c & a == a && c & b == b);
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
    columns: &'a SmallColumns,
    lanes: u64,
    chosen: Option<&'a [u32]>,
    /// Cuts of a feature.
    each: usize,
    /// The highest code on the left of each cut.
    codes: &'a [u8],
    /// Lanes on the left of each cut, and others that are not the node's.
    pub masks: &'a [u64],
}

impl LaneCuts<'_> {
    /// Lanes of a class.
    pub fn members(&self, class: usize) -> u64 {
        self.columns.classes[class] & self.lanes
    }

    /// Class sums on the left of a cut.
    pub fn left<S: Sum>(&self, cut: usize) -> Vec<S> {
        self.columns.sums(self.masks[cut] & self.lanes)
    }

    /// The tables of all cuts as a block.
    pub fn fill<S: Sum>(&self, counts: &mut Vec<u32>, block: &mut CutBlock<S>) {
        let (classes, len) = (self.columns.classes.len(), self.masks.len());
        block.prepare(len, classes);
        block.weights().fill(S::default());
        counts.resize(len, 0);
        for class in 0..classes {
            count_bits(Level::active(), self.masks, self.members(class), counts);
            let (cells, weights) = block.plane(class);
            for ((cell, weight), &count) in cells.iter_mut().zip(weights).zip(&*counts) {
                *cell = <S::Cell>::from_u32(count);
                *weight = weight.plus(S::from_rows(count));
            }
        }
    }
}

impl<S: Sum> CutPlaces<S> for LaneCuts<'_> {
    fn place(&self, cut: usize) -> (u32, u32) {
        let feature = (cut / self.each) as u32;
        let feature = self.chosen.map_or(feature, |some| some[feature as usize]);
        (feature, u32::from(self.codes[cut]))
    }

    fn facts(&self, _block: &CutBlock<S>, cut: usize) -> Option<CutFacts<S>> {
        let (feature, at) = CutPlaces::<S>::place(self, cut);
        self.columns.facts(self.lanes, feature as usize, at as u8)
    }
}
