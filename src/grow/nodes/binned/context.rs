//! The facts that all nodes of a tree on codes share ([`BinnedContext`]): bins, the layout of
//! records, and the quickest way in which the cuts of a node may be scored.
//!
//! One is built per tree, in O(features), and copied where a field differs.

use crate::bins::{FeatureBins, RowLayout, TableFacts, WeightWidth};
use crate::criteria::{GainFilter, PairScreen, RunningScores};
use crate::grow::options::GrowthSetting;
use crate::numeric::{Ties, midpoint};
use crate::simd::two_class_cuts::MOST_PACKED_ROWS;
use crate::split::NominalSplits;
use crate::split::multiway::Minimum;
use crate::stats::Sum;
use crate::tree::Test;

/// Most cells of a block of cuts: a megabyte of doubles, or half as much of counts.
const LARGEST_BLOCK: usize = 1 << 17;

/// The facts that all nodes of a tree share.
#[derive(Debug, Clone, Copy)]
pub(super) struct BinnedContext<'a> {
    pub setting: &'a GrowthSetting<'a>,
    /// The bins or levels of each feature.
    pub features: &'a [FeatureBins],
    /// Where a record has the codes, the class and the weight of a row.
    pub layout: RowLayout,
    /// Number of classes; 1 for a numeric target.
    pub classes: usize,
    /// Value of one unit of the sums.
    pub unit: f64,
    /// Weight of the rows of the tree.
    pub total_weight: f64,
    /// Cuts are scored as blocks ([`super::best_cut`]).
    pub in_blocks: bool,
    /// Most features whose cuts are one block.
    pub block_features: usize,
    /// Kernel that screens the cuts of two classes ([`super::two_class`]).
    pub pair_screen: Option<PairScreen>,
    /// Formula that scores the cuts of several classes from sums ([`super::sums`]).
    pub class_sums: Option<RunningScores>,
    /// Largest number of codes of a feature.
    pub widest: usize,
}

impl<'a> BinnedContext<'a> {
    /// A context whose `total_weight` is still to be set; `unit` is the value of one unit of the
    /// sums. The caller needs the context to sum up the records of the root, and then sets the
    /// weight.
    pub fn new(
        table: &TableFacts<'a>,
        layout: RowLayout,
        setting: &'a GrowthSetting<'a>,
        unit: f64,
    ) -> Self {
        let (features, classes) = (table.features, table.classes);
        let in_blocks = are_scored_in_blocks(table, layout, setting);
        let pair_screen = setting.criterion.pair_screen().filter(|_| in_blocks && classes == 2);
        Self {
            setting,
            features,
            layout,
            classes,
            unit,
            total_weight: 0.0,
            in_blocks,
            block_features: (LARGEST_BLOCK / (widest(table) * classes).max(1)).max(1),
            pair_screen,
            class_sums: setting.criterion.running_scores().filter(|_| in_blocks && classes > 2),
            widest: widest(table),
        }
    }

    /// Number of codes for which a plane of counters has room. With codes of a byte it is a power
    /// of two, so that a mask keeps every code in the plane.
    pub fn counted_codes(&self) -> usize {
        if self.layout.wide { self.widest } else { self.widest.next_power_of_two() }
    }

    /// Whether the cuts of all features are one block. Where cuts are scored in blocks and the
    /// features are too many for one, they are counted block by block, and counters are not
    /// inherited.
    pub fn is_one_block(&self) -> bool {
        self.in_blocks && self.features.len() <= self.block_features
    }

    /// Whether weights are copies of rows, so that sums count rows. Otherwise one more plane of
    /// counters counts the rows, for limits in rows.
    pub fn copies(&self) -> bool {
        self.layout.weight != WeightWidth::Long
    }

    /// The smallest size that a branch with rows may have, in rows and in weight. It is the same
    /// for all nodes of the tree.
    pub fn minimum(&self) -> Minimum {
        let limits = &self.setting.limits;
        Minimum {
            rows: limits.min_samples_leaf as u32,
            weight: limits.min_weight_fraction_leaf * self.total_weight,
            copies: self.copies(),
        }
    }

    /// The threshold between code `at` and code `next` of a number: halfway between the largest
    /// value of the one bin and the smallest value of the other. Where the two codes are equal, the
    /// threshold is the largest value of the bin.
    pub fn threshold(&self, feature: usize, at: u32, next: u32) -> Test {
        let ranges = self.features[feature].ranges.as_deref();
        let (lower, upper) = match ranges {
            Some(ranges) if at == next => (ranges[at as usize][1], ranges[at as usize][1]),
            Some(ranges) => (ranges[at as usize][1], ranges[next as usize][0]),
            None => (0.0, 0.0),
        };
        Test::Threshold((midpoint(lower, upper) + 0.0).into())
    }

    /// How a nominal feature is split: the setting decides by its number of levels. The code of
    /// missing values is not a level.
    pub fn splits(&self, feature: usize) -> NominalSplits {
        self.setting.nominal_splits.resolve(self.features[feature].n_codes as usize)
    }

    /// Whether the counters of a node with these class sums are words that hold both classes. There
    /// must be a kernel for two classes, and the rows must fit 16 bits.
    pub fn packs<S: Sum>(&self, totals: &[S]) -> bool {
        let rows = totals.iter().map(|total| total.units()).sum::<i64>();
        self.pair_screen.is_some() && rows <= i64::from(MOST_PACKED_ROWS)
    }

    /// The weight of a row as a sum, with the number of its target if that is one. `row` is one
    /// record; in a target of classes the sum is the weight alone.
    #[inline]
    pub fn weight<S: Sum>(&self, row: &[u8]) -> S {
        S::from_row(self.layout.weight(row), self.layout.number(row))
    }

    /// The class sums of some records, which must be whole records of this layout. O(rows).
    pub fn sums<S: Sum>(&self, rows: &[u8]) -> Vec<S> {
        let mut sums = vec![S::default(); self.classes];
        for row in rows.chunks_exact(self.layout.width) {
            let sum = &mut sums[self.layout.class(row)];
            *sum = sum.plus(self.weight(row));
        }
        sums
    }
}

/// Largest number of codes of a feature.
fn widest(table: &TableFacts<'_>) -> usize {
    table.features.iter().map(FeatureBins::n_codes_with_missing).max().unwrap_or(1)
}

/// Whether the cuts of a node can be scored as blocks: numbers without missing values in codes
/// of a byte, copies as weights, and the first of the best candidates chosen.
fn are_scored_in_blocks(
    table: &TableFacts<'_>,
    layout: RowLayout,
    setting: &GrowthSetting<'_>,
) -> bool {
    setting.gain_filter == GainFilter::None
        && setting.ties == Ties::First
        && !setting.criterion.needs_all_candidates()
        && !setting.limits.are_monotonic()
        && !layout.wide
        && !layout.number
        && layout.weight != WeightWidth::Long
        && table.features.iter().all(|feature| !feature.is_nominal() && !feature.has_missing)
}
