//! Thresholds between bins: the cuts between the bins that occur in a node.
//!
//! The counts of a feature come as [`BinGroups`], one group for each bin with rows, ascending. A
//! candidate lies between each group and the next; the counts on its left are a running sum. The
//! candidates, their order, the limits on branches and the cuts that a convex criterion cannot
//! choose are the same as in [`super::threshold`] on rows whose values are their bins. So with a
//! bin for each value the same split is chosen, to the last bit. O(bins x classes) and the
//! criterion's formula.
//!
//! Histogram growth calls this for features that its quicker kernels do not serve (three branches,
//! criteria without running sums).

use super::block::{BLOCK, BlockScratch};
use super::mean_scratch::MeanScratch;
use super::means::MeanNode;
use super::multiway::Minimum;
use super::scan::flush;
use super::sink::Sink;
use crate::criteria::Context;
use crate::error::Result;
use crate::reached::{self, Way};
use crate::simd::means::CHUNK;
use crate::stats::Sum;

/// The occupied bins of one feature in a node, ascending, without the bin of missing values.
#[derive(Debug, Clone, Default)]
pub struct BinGroups<S> {
    /// The bin of each group.
    pub codes: Vec<u32>,
    /// Class sums, `[group * classes + class]`.
    pub sums: Vec<S>,
    /// Number of rows of each group, where sums do not count rows; otherwise empty.
    pub rows: Vec<u32>,
}

impl<S: Sum> BinGroups<S> {
    /// Remove all groups. The vectors keep their memory, so nothing is allocated per feature and
    /// node.
    pub fn clear(&mut self) {
        self.codes.clear();
        self.sums.clear();
        self.rows.clear();
    }

    /// Class sums of the groups whose code is at most `code`: the left branch of the threshold
    /// above that code. O(groups x classes), for single candidates; [`score_candidates`] adds up
    /// running sums instead.
    pub fn left_of(&self, code: u32, classes: usize) -> Vec<S> {
        let mut left = vec![S::default(); classes];
        for (group, _) in self.codes.iter().enumerate().take_while(|(_, c)| **c <= code) {
            for (sum, &of_group) in left.iter_mut().zip(&self.sums[group * classes..]) {
                *sum = sum.plus(of_group);
            }
        }
        left
    }

    /// The lowest occupied code above `code`, or `None` if `code` is the highest. A threshold lies
    /// between the bins of the two.
    pub fn next_after(&self, code: u32) -> Option<u32> {
        self.codes.get(self.codes.partition_point(|&other| other <= code)).copied()
    }
}

/// One binned feature of a node.
#[derive(Debug, Clone, Copy)]
pub struct BinScan<'a, S> {
    /// Feature.
    pub feature: u32,
    /// Its occupied bins.
    pub groups: &'a BinGroups<S>,
    /// Class sums of the rows with a known value.
    pub known: &'a [S],
    /// Class sums of all rows of the node; more than `known` where values are missing (a third
    /// branch).
    pub totals: &'a [S],
    /// Value of one unit of the sums.
    pub unit: f64,
    /// Limits on the size of a branch.
    pub min: Minimum,
    /// Leave out cuts that a convex criterion cannot choose, beside a third branch if there is one.
    pub convex: bool,
}

/// The size of one side of a cut: its weight, and its rows where sums do not count them.
#[derive(Debug, Clone, Copy, Default)]
struct SideSize<S> {
    weight: S,
    rows: u32,
}

impl<S: Sum> BinScan<'_, S> {
    /// Class sums of one group.
    fn sums(&self, group: usize) -> &[S] {
        let k = self.totals.len();
        &self.groups.sums[group * k..(group + 1) * k]
    }

    /// The size of one group.
    fn size(&self, group: usize) -> SideSize<S> {
        let rows = self.groups.rows.get(group).copied().unwrap_or_default();
        SideSize { weight: Sum::total(self.sums(group)), rows }
    }

    /// Whether a side reaches the limits.
    fn is_large(&self, size: SideSize<S>) -> bool {
        let least = if self.min.copies {
            self.min.weight.max(f64::from(self.min.rows))
        } else {
            self.min.weight
        };
        (self.min.copies || size.rows >= self.min.rows)
            && size.weight >= S::at_least(least, self.unit)
            && !size.weight.is_empty()
    }

    /// The class of a group's only row; `None` where it has several rows or copies.
    fn class_of_single(&self, group: usize) -> Option<usize> {
        let size = self.size(group);
        let is_single =
            if self.min.copies { size.weight == S::from_rows(1) } else { size.rows == 1 };
        if is_single { self.sums(group).iter().position(|s| !s.is_empty()) } else { None }
    }
}

impl<S: Sum> SideSize<S> {
    fn plus(self, other: Self) -> Self {
        Self { weight: self.weight.plus(other.weight), rows: self.rows + other.rows }
    }
    fn minus(self, other: Self) -> Self {
        Self { weight: self.weight.minus(other.weight), rows: self.rows - other.rows }
    }
}

/// Score all cuts of one feature; a candidate is identified by the highest code on its left.
/// Nothing is scored where fewer than two bins occur, unless rows without a value are a third
/// branch: then a single bin is cut from them.
pub fn score_candidates<S: Sum>(
    scan: &BinScan<'_, S>,
    context: &Context,
    scratch: &mut BlockScratch<S::Cell>,
    sink: &mut dyn Sink,
) -> Result<()> {
    let groups = scan.groups;
    let n_groups = groups.codes.len();
    let branches = if scan.known == scan.totals { 2 } else { 3 };
    // Where only one code is known, its rows are cut from the rows without a value.
    let is_alone = n_groups == 1 && branches == 3;
    if n_groups < 2 && !is_alone {
        return Ok(());
    }
    if branches == 2
        && sink.takes_means()
        && let Some(node) = MeanNode::from_sums(scan.known, scan.min)
    {
        let (sums, at) = (groups.sums.iter().copied(), |j: usize| groups.codes[j]);
        return score_means(scan.feature, sums, &at, node, context, &mut scratch.means, sink);
    }
    scratch.prepare_cuts(scan.known, scan.totals, scan.unit, n_groups);
    let has_limits = scan.min.rows > 1 || scan.min.weight > 0.0;
    // Beside a third branch the known rows of one class score alike wherever they are cut. The
    // first cut must then be a candidate, as it wins.
    let has_several_classes = || scan.known.iter().filter(|sum| !sum.is_empty()).count() > 1;
    let convex = scan.convex && (branches == 2 || has_several_classes());
    let mut right =
        (0..n_groups).fold(SideSize::default(), |sum, group| scan.size(group).plus(sum));
    let mut left = SideSize::<S>::default();
    let mut sums = vec![S::default(); scan.totals.len()];
    let mut held = 0;
    for group in 0..n_groups - usize::from(!is_alone) {
        // The group passes to the left.
        let size = scan.size(group);
        let before = left;
        (left, right) = (left.plus(size), right.minus(size));
        for (sum, &s) in sums.iter_mut().zip(scan.sums(group)) {
            *sum = sum.plus(s);
        }
        if !scan.is_large(left) || (!is_alone && !scan.is_large(right)) {
            continue;
        }
        // Between two single rows of one class a convex criterion is never best, but the ends of
        // the admissible range are candidates even there.
        if convex
            && !is_alone
            && let (Some(class), Some(next)) =
                (scan.class_of_single(group), scan.class_of_single(group + 1))
            && class == next
        {
            let is_end =
                !scan.is_large(before) || !scan.is_large(right.minus(scan.size(group + 1)));
            if !(is_end && (has_limits || branches == 3)) {
                continue;
            }
        }
        scratch.write_cut(held, groups.codes[group], [&sums, scan.known], scan.unit);
        held += 1;
        if held == scratch.stride.min(BLOCK) {
            flush(scan.feature, held, context, branches, scratch, sink)?;
            held = 0;
        }
    }
    flush(scan.feature, held, context, branches, scratch, sink)
}

/// Score the cuts of one feature by the means of a numeric target: cut `j` lies above bin `j`,
/// whose code is `at(j)`. No cut lies above a bin without rows.
pub fn score_means<S: Sum>(
    feature: u32,
    bins: impl ExactSizeIterator<Item = S>,
    at: &dyn Fn(usize) -> u32,
    mut node: MeanNode,
    context: &Context,
    scratch: &mut MeanScratch,
    sink: &mut dyn Sink,
) -> Result<()> {
    reached::count(Way::GroupsNumbers);
    let cuts = bins.len().saturating_sub(1);
    scratch.prepare(cuts.next_multiple_of(CHUNK));
    let (mut weight, mut sum) = (0, 0);
    let places = scratch.weights.iter_mut().zip(&mut scratch.sums);
    for ((weight_left, sum_left), bin) in places.zip(bins.take(cuts)) {
        let bin = bin.moments().unwrap_or_default();
        weight += bin.weight;
        sum += bin.first as i64 - bin.weight * node.whole_mean;
        (*weight_left, *sum_left) = (if bin.weight == 0 { 0 } else { weight }, sum);
    }
    node.send_cuts(feature, scratch.padded_cuts(cuts), at, context, sink)
}
