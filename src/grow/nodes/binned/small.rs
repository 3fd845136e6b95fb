//! Nodes of at most 64 rows: columns of bytes that a whole subtree shares, and a word for the rows
//! of each node.
//!
//! A row that counts several times is as many lanes, so that population counts are weights; one of
//! its lanes is a candidate. Splitting is a comparison of 64 bytes; nothing is copied. The
//! candidates of a node form a [`CutBlock`], so the choice is that of a large node.

use super::block::{CutBlock, CutFacts};
use super::evaluate::BinnedSplit;
use super::pairs::PairCuts;
use super::rows::RecordRange;
use super::{BinnedContext, BinnedRows, CodedNode};
use crate::grow::builder::TreeBuilder;
use crate::grow::nodes::{NodeRows, Open};
use crate::numeric::Count;
use crate::simd::Level;
use crate::simd::small::{LANES, count_pairs_up_to, count_up_to, up_to};
use crate::stats::Sum;
use std::sync::Arc;

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

    /// All cuts of some features as a block: for each feature, one candidate a row. The candidates'
    /// lanes are returned.
    pub fn fill<S: Sum>(
        &self,
        lanes: u64,
        features: impl ExactSizeIterator<Item = usize>,
        counts: &mut Vec<u32>,
        block: &mut CutBlock<S>,
    ) -> Vec<u8> {
        let k = self.classes.len();
        let (rows, n) = self.listed(lanes);
        let rows = rows[..n].to_vec();
        let (n, len) = (rows.len(), rows.len() * features.len());
        block.prepare(len, k);
        let mut masks = [0; 256];
        let masks = &mut masks[..k];
        masks.iter_mut().zip(&self.classes).for_each(|(m, &c)| *m = c & lanes);
        counts.resize(k * len, 0);
        for (i, feature) in features.enumerate() {
            let to = &mut counts[i * n..];
            count_up_to(Level::active(), &self.codes[feature], &rows, masks, to, len);
        }
        block.weights().fill(S::default());
        for class in 0..k {
            let (cells, weights) = block.plane(class);
            let from = &counts[class * len..(class + 1) * len];
            for ((cell, weight), &count) in cells.iter_mut().zip(weights).zip(from) {
                *cell = <S::Cell>::from_u32(count);
                *weight = weight.plus(S::from_rows(count));
            }
        }
        rows
    }

    /// What is known of a candidate of such a block; nothing where all rows are on its left.
    pub fn facts<S: Sum>(
        &self,
        lanes: u64,
        rows: &[u8],
        feature: impl Fn(usize) -> usize,
        candidate: usize,
    ) -> Option<CutFacts<S>> {
        let feature = feature(candidate / rows.len());
        let codes = &self.codes[feature];
        let at = codes[usize::from(rows[candidate % rows.len()])];
        let right = lanes & !up_to(codes, at);
        let code = |&row: &u8| codes[usize::from(row)];
        let next = rows.iter().map(code).filter(|&c| c > at).min()?;
        let below = if at == 0 { 0 } else { up_to(codes, at - 1) };
        let (a, b) = (lanes & !right & !below, right & up_to(codes, next));
        let beside = [S::from_rows(a.count_ones()), S::from_rows(b.count_ones())];
        let one_class = self.classes.iter().any(|&c| c & a == a && c & b == b);
        let (at, next) = (u32::from(at), u32::from(next));
        Some(CutFacts { feature: feature as u32, at, next, beside, one_class })
    }
}

impl<S: Sum> BinnedRows<'_, '_, S> {
    /// Split a node of lanes: no row is moved.
    pub(super) fn split_small(
        &mut self,
        tree: &mut TreeBuilder<S>,
        (node, range): (u32, RecordRange),
        (columns, lanes): (Arc<SmallColumns>, u64),
        (best, step): (&BinnedSplit<S>, u32),
        children: &mut Vec<Open<CodedNode<S>>>,
    ) {
        let (context, k) = (self.context, self.context.classes);
        let left = columns.up_to(best.feature as usize, best.at, lanes);
        let lanes = [left, lanes & !left];
        let sizes = lanes.map(|l| columns.rows(l) as u32);
        let rows = [0, 1].map(|b| context.rows_of(&best.sums[b * k..(b + 1) * k], sizes[b]));
        let parts = (best.sums.as_slice(), &rows[..]);
        let first_child = tree.add_split(node, best.as_split(step), parts, &best.levels);
        for (child, (lanes, size)) in (first_child..).zip(lanes.into_iter().zip(sizes)) {
            if !self.is_finished(tree, child) {
                let mut rows = CodedNode::new(RecordRange { len: size as usize, ..range });
                rows.small = Some((columns.clone(), lanes));
                children.push(Open { node: child, rows });
            }
        }
    }
}
