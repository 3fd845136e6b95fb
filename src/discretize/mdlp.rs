//! MDLP: recursive splits of least class-information entropy, stopped by the minimum description
//! length.
//!
//! U. M. Fayyad & K. B. Irani, Multi-interval discretization of continuous-valued attributes for
//! classification learning, IJCAI 1993. In a set S of weight N, every boundary between distinct
//! values is a candidate with `E = (N1 H(S1) + N2 H(S2)) / N`. The first with the smallest E is
//! chosen, and the cut lies midway. With `gain = H(S) - E`, and k, k1, k2 the numbers of classes
//! that occur in S and its halves, the cut is accepted if
//!
//! `gain > (log2(N - 1) + delta) / N`, `delta = log2(3^k - 2) - (k H(S) - k1 H(S1) - k2 H(S2))`,
//!
//! and then both halves are cut in the same way. N is a weight (a number of copies of rows); a set
//! of weight below 2 is not cut. These are the cuts of Weka's supervised `Discretize` without
//! options.
//!
//! O(n k) per level of the recursion, which is an explicit stack. A column that says nothing about
//! the classes is one bin.

use super::sorted::Sorted;
use crate::numeric::{Logs, entropy, log2};
use crate::stats::{Sum, Weighing};
use std::ops::Range;

/// The cut points, ascending; `classes` has the class of each row.
pub(super) fn cuts<W: Weighing>(
    sorted: &Sorted,
    weighing: W,
    classes: &[u16],
    n_classes: usize,
) -> Vec<f64> {
    let mut search = MdlpSearch::new(sorted, weighing, classes, n_classes);
    let mut boundaries = Vec::new();
    let mut open = vec![(0, sorted.groups())];
    while let Some((first, end)) = open.pop() {
        if let Some(boundary) = search.find_cut(first..end) {
            boundaries.push(boundary);
            open.push((first, boundary + 1));
            open.push((boundary + 1, end));
        }
    }
    boundaries.sort_unstable();
    boundaries.into_iter().map(|group| sorted.cut_after(group)).collect()
}

/// The search for the cut of one set after another.
struct MdlpSearch<'a, W: Weighing> {
    sorted: &'a Sorted,
    weighing: W,
    classes: &'a [u16],
    logs: Logs,
    /// The rows below the candidate.
    below: ClassWeights<W::Sum>,
    /// The rows above it.
    above: ClassWeights<W::Sum>,
}

/// Weights by class and their sum.
#[derive(Clone)]
struct ClassWeights<S> {
    counts: Vec<S>,
    total: S,
}

impl<S: Sum> ClassWeights<S> {
    fn new(n_classes: usize) -> Self {
        Self { counts: vec![S::default(); n_classes], total: S::default() }
    }

    fn clear(&mut self) {
        self.counts.fill(S::default());
        self.total = S::default();
    }

    fn add(&mut self, class: u16, weight: S) {
        let count = &mut self.counts[usize::from(class)];
        *count = count.plus(weight);
        self.total = self.total.plus(weight);
    }

    fn remove(&mut self, class: u16, weight: S) {
        let count = &mut self.counts[usize::from(class)];
        *count = count.minus(weight);
        self.total = self.total.minus(weight);
    }

    fn entropy(&self, unit: f64, logs: Logs) -> f64 {
        entropy(self.counts.iter().map(|c| c.cell(unit)), self.total.cell(unit), logs)
    }

    /// Number of classes that occur.
    fn occurring(&self) -> f64 {
        self.counts.iter().filter(|c| !c.is_empty()).count() as f64
    }
}

impl<'a, W: Weighing> MdlpSearch<'a, W> {
    fn new(sorted: &'a Sorted, weighing: W, classes: &'a [u16], n_classes: usize) -> Self {
        let sides = (ClassWeights::new(n_classes), ClassWeights::new(n_classes));
        let mut search = Self {
            sorted,
            weighing,
            classes,
            logs: Logs::up_to(0),
            below: sides.0,
            above: sides.1,
        };
        if weighing.are_copies() {
            search.gather(0..sorted.groups());
            search.logs = Logs::for_rows(search.above.total.value(1.0) as u64, classes.len());
        }
        search
    }

    /// Begin with all rows of `groups` above and none below.
    fn gather(&mut self, groups: Range<usize>) {
        self.below.clear();
        self.above.clear();
        for group in groups {
            for &row in self.sorted.rows(group) {
                self.above.add(self.classes[row as usize], self.weighing.row_sum(row));
            }
        }
    }

    /// Move one group from above to below.
    fn pass(&mut self, group: usize) {
        for &row in self.sorted.rows(group) {
            let (class, weight) = (self.classes[row as usize], self.weighing.row_sum(row));
            self.above.remove(class, weight);
            self.below.add(class, weight);
        }
    }

    /// The group after which `groups` are cut; None if no cut is accepted.
    fn find_cut(&mut self, groups: Range<usize>) -> Option<usize> {
        if groups.len() < 2 {
            return None;
        }
        self.gather(groups.clone());
        let (unit, logs) = (self.weighing.unit(), self.logs);
        let whole = self.above.clone();
        let (n, before) = (whole.total.value(unit), whole.entropy(unit, logs));
        // The candidate with the smallest E.
        let mut least = before;
        let mut best = None;
        for group in groups.start..groups.end - 1 {
            self.pass(group);
            let halves = [self.below.entropy(unit, logs), self.above.entropy(unit, logs)];
            let weights = [self.below.total.value(unit), self.above.total.value(unit)];
            let information = (weights[0] * halves[0] + weights[1] * halves[1]) / n;
            if information < least {
                least = information;
                best = Some((group, halves, [self.below.occurring(), self.above.occurring()]));
            }
        }
        // The MDL criterion.
        let (group, halves, present) = best?;
        let k = whole.occurring();
        let delta = log2_of_3_to_k_less_2(k)
            - (k * before - present[0] * halves[0] - present[1] * halves[1]);
        (n >= 2.0 && before - least > (log2(n - 1.0) + delta) / n).then_some(group)
    }
}

/// `log2(3^k - 2)`; for large k, where 3^k overflows and the 2 is below its precision, `k log2 3`.
fn log2_of_3_to_k_less_2(k: f64) -> f64 {
    if k < 600.0 { log2(f64::powf(3.0, k) - 2.0) } else { k * log2(3.0) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_description_of_classes_does_not_overflow() {
        assert_eq!(log2_of_3_to_k_less_2(2.0), log2(7.0));
        assert!((log2_of_3_to_k_less_2(599.0) - 599.0 * log2(3.0)).abs() < 1e-9);
        assert!(log2_of_3_to_k_less_2(65_535.0).is_finite());
    }
}
