//! What all nodes of a tree on codes share ([`BinnedContext`]).

use crate::bins::{FeatureBins, RowLayout, TableFacts, WeightWidth};
use crate::criteria::{GainFilter, PairScreen, RunningScores};
use crate::grow::options::GrowthSetting;
use crate::numeric::{Ties, midpoint};
use crate::simd::cuts::MOST_ROWS;
use crate::split::NominalSplits;
use crate::split::multiway::Minimum;
use crate::stats::Sum;
use crate::tree::Test;

/// Most left sums of a block of cuts.
const LARGEST_BLOCK: usize = 1 << 17;

/// What does not change while a tree grows.
#[derive(Debug, Clone, Copy)]
pub(super) struct BinnedContext<'a> {
    pub setting: &'a GrowthSetting<'a>,
    pub features: &'a [FeatureBins],
    pub layout: RowLayout,
    pub classes: usize,
    /// Value of one unit of the sums.
    pub unit: f64,
    pub total_weight: f64,
    /// The rows are copies that were drawn, each of which counts as a row.
    pub drawn: bool,
    /// Blocks of cuts serve ([`super::best_cut`]).
    pub in_blocks: bool,
    /// Nodes of two classes are screened by this ([`super::two_class`]).
    pub pair_screen: Option<PairScreen>,
    /// Nodes of several classes are scored so from sums over the classes ([`super::sums`]).
    pub class_sums: Option<RunningScores>,
    /// Most codes of a feature.
    pub widest: usize,
}

impl<'a> BinnedContext<'a> {
    /// Without the weight of the rows.
    pub fn new(
        table: &TableFacts<'a>,
        layout: RowLayout,
        setting: &'a GrowthSetting<'a>,
        (unit, drawn): (f64, bool),
    ) -> Self {
        let (features, classes) = (table.features, table.classes);
        let in_blocks = in_blocks(table, layout, setting);
        let pair_screen = setting.criterion.pair_screen().filter(|_| in_blocks && classes == 2);
        Self {
            setting,
            features,
            layout,
            classes,
            unit,
            total_weight: 0.0,
            drawn,
            in_blocks,
            pair_screen,
            class_sums: setting.criterion.running_scores().filter(|_| in_blocks && classes > 2),
            widest: widest(table),
        }
    }

    /// Rows of counters of a plane.
    pub fn counted_codes(&self) -> usize {
        if self.layout.wide { self.widest } else { self.widest.next_power_of_two() }
    }

    /// Weights are copies of rows, so sums count rows.
    pub fn copies(&self) -> bool {
        self.layout.weight != WeightWidth::Long
    }

    /// Rows that the tree speaks of where records have these sums.
    pub fn rows_of<S: Sum>(&self, sums: &[S], records: u32) -> u32 {
        if self.drawn { sums.iter().map(|s| s.units()).sum::<i64>() as u32 } else { records }
    }

    pub fn minimum(&self) -> Minimum {
        let limits = &self.setting.limits;
        Minimum {
            rows: limits.min_samples_leaf as u32,
            weight: limits.min_weight_fraction_leaf * self.total_weight,
            copies: self.copies(),
        }
    }

    /// The threshold between two codes of a number.
    pub fn threshold(&self, feature: usize, (at, next): (u32, u32)) -> Test {
        let ranges = self.features[feature].ranges.as_deref();
        let (lo, hi) = match ranges {
            Some(ranges) => (ranges[at as usize][1], ranges[next as usize][0]),
            None => (0.0, 0.0),
        };
        Test::Threshold((midpoint(lo, hi) + 0.0).into())
    }

    /// How a nominal feature is split.
    pub fn splits(&self, feature: usize) -> NominalSplits {
        self.setting.nominal_splits.of(self.features[feature].codes as usize)
    }

    /// The counters of a node are words for two classes.
    pub fn packs<S: Sum>(&self, totals: &[S]) -> bool {
        let rows = totals.iter().map(|t| t.units()).sum::<i64>();
        self.pair_screen.is_some() && rows <= i64::from(MOST_ROWS)
    }

    /// The weight of a row as a sum.
    #[inline]
    pub fn weight<S: Sum>(&self, row: &[u8]) -> S {
        S::from_units(self.layout.weight(row))
    }

    /// Class sums of some rows.
    pub fn sums<S: Sum>(&self, rows: &[u8]) -> Vec<S> {
        let mut sums = vec![S::default(); self.classes];
        for row in rows.chunks_exact(self.layout.width) {
            let sum = &mut sums[self.layout.class(row)];
            *sum = sum.plus(self.weight(row));
        }
        sums
    }
}

/// Most codes of a feature.
fn widest(table: &TableFacts<'_>) -> usize {
    table.features.iter().map(FeatureBins::width).max().unwrap_or(1)
}

/// Whether the cuts of a node can be looked at as one block.
fn in_blocks(table: &TableFacts<'_>, layout: RowLayout, setting: &GrowthSetting<'_>) -> bool {
    setting.gain_filter == GainFilter::None
        && setting.ties == Ties::First
        && !setting.criterion.needs_all_candidates()
        && !layout.wide
        && layout.weight != WeightWidth::Long
        && table.features.iter().all(|f| !f.is_nominal() && !f.missing)
        && widest(table) * table.features.len() * table.classes <= LARGEST_BLOCK
}
