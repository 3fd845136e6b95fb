//! What becomes of the counters of a node when it is split.

use super::counts::{BinCounters, CounterPool, is_counted};
use super::evaluate::BinnedWorkspace;
use super::rows::RecordBuffers;
use super::{BinnedContext, BinnedRows, CodedNode, KEPT_BYTES};
use crate::stats::Sum;

impl<'n, 'b, S: Sum> BinnedRows<'n, 'b, S> {
    pub(super) fn new(context: &'n BinnedContext<'n>, buffers: RecordBuffers<'b>) -> Self {
        let (work, pool) = (BinnedWorkspace::default(), CounterPool::default());
        Self { context, buffers, work, pool, kept: 0 }
    }

    /// Bytes of the counters of a node.
    pub(super) fn bytes_of_counters(&self) -> usize {
        let codes = if self.context.layout.wide { self.context.widest } else { 256 };
        codes * self.context.features.len() * (self.context.classes + 1) * size_of::<S>()
    }

    /// Forget the counters of a node.
    pub(super) fn release(&mut self, node: &mut CodedNode<S>) {
        if let Some(counters) = node.counters.take() {
            self.kept = self.kept.saturating_sub(self.bytes_of_counters());
            self.pool.recycle(counters);
        }
    }

    /// Count all children but the largest, whose counters are what remains of their parent's, where
    /// that is less work than to count those that need counters.
    pub(super) fn hand_down(
        &mut self,
        mut counters: BinCounters<S>,
        children: &mut [CodedNode<S>],
        keep: &[bool],
        sums: &[S],
    ) {
        let context = self.context;
        let packs = |b: usize| context.packs(&sums[b * context.classes..][..context.classes]);
        let needs = |b: usize, children: &[CodedNode<S>]| {
            keep[b] && is_counted(context, children[b].range.len)
        };
        let largest = (0..children.len()).rev().max_by_key(|&b| children[b].range.len);
        let Some(largest) = largest else { return };
        let whole: usize = children.iter().map(|c| c.range.len).sum();
        let size = children[largest].range.len;
        let bytes = self.bytes_of_counters();
        // Counters are taken away at about the price of so many rows.
        let planes = if counters.packed { 1 } else { context.classes + 1 };
        let subtracting = context.widest * planes / 8;
        let worth = whole - size + subtracting < size;
        if !needs(largest, children) || !worth || self.kept + bytes > KEPT_BYTES {
            return self.pool.recycle(counters);
        }
        for b in (0..children.len()).filter(|&b| b != largest) {
            if children[b].range.len == 0 {
                continue;
            }
            let rows = self.buffers.rows(children[b].range);
            let mut own = self.pool.count_alone(context, rows, None, counters.packed);
            counters.subtract(context, &own);
            if !own.packed && packs(b) {
                own.pack();
            }
            if needs(b, children) && self.kept + bytes <= KEPT_BYTES {
                self.kept += bytes;
                children[b].counters = Some(own);
            } else {
                self.pool.recycle(own);
            }
        }
        if !counters.packed && packs(largest) {
            counters.pack();
        }
        self.kept += bytes;
        children[largest].counters = Some(counters);
    }
}
