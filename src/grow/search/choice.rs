//! The choice among the best candidates of a node's features, and what the chosen one would do.

use super::nominal::{NominalTest, nominal_branches, nominal_test};
use super::{BestSplit, NodeCut, NodeTables, WholeRows};
use crate::criteria::{EvidenceKind, GainFilter, InfoGain};
use crate::error::Result;
use crate::grow::context::FeaturePlace;
use crate::grow::options::GrowthSetting;
use crate::numeric::mix;
use crate::split::{Choice, FeatureBest, NominalSplits, Scored, Selector};

/// Whether a sink may keep the best candidate of the node alone, as one feature may shut out
/// another: only where no guard asks for all features, and blocks come in feature order.
pub(in crate::grow) fn keeps_winner_only(
    setting: &GrowthSetting<'_>,
    nominal: usize,
    numeric: usize,
) -> bool {
    let mixed = setting.nominal_splits == NominalSplits::Auto;
    setting.gain_filter == GainFilter::None && (nominal == 0 || (numeric == 0 && !mixed))
}

/// The candidate that the selection rule takes among the best of each feature.
pub(in crate::grow) fn choose<R: NodeTables>(
    rows: &R,
    best: Vec<Scored>,
) -> Result<Option<Choice>> {
    let setting = rows.node().setting;
    let selector = Selector {
        gain_filter: setting.gain_filter,
        ties: setting.ties,
        features: rows.features(),
    };
    selector.choose(best, &mut FeatureFacts { rows }, mix(setting.seed, !rows.key()))
}

/// Sums by branch of a candidate, and whether the last branch holds missing values.
pub(in crate::grow) fn branches<R: NodeTables>(
    rows: &R,
    feature: u32,
    at: u32,
) -> (Vec<R::Sum>, bool) {
    match rows.place(feature) {
        FeaturePlace::Numeric(numeric) => rows.sums_of_cut(numeric, at),
        FeaturePlace::Nominal(nominal) => nominal_branches(rows, nominal, at),
    }
}

/// The split that a candidate stands for.
pub(in crate::grow) fn chosen<R: WholeRows>(rows: &R, choice: Choice) -> Result<BestSplit<R::Sum>> {
    let node = rows.node();
    let (mut levels, mut branch_of) = (Vec::new(), Vec::new());
    let NodeCut { test, sums, sizes, missing } = match rows.place(choice.feature) {
        FeaturePlace::Numeric(numeric) => rows.cut(numeric, choice.at),
        FeaturePlace::Nominal(nominal) => {
            let (sums, missing) = nominal_branches(rows, nominal, choice.at);
            let found = nominal_test(rows, nominal, choice.at);
            let NominalTest { test, .. } = found;
            (levels, branch_of) = (found.levels, found.branch_of);
            let mut sizes = rows.branch_sizes(nominal, &sums, &branch_of);
            sizes.truncate(sums.len() / node.totals.len());
            NodeCut { test, sums, sizes, missing }
        }
    };
    let criterion = node.setting.criterion;
    let distance =
        if criterion.needs_all_candidates() || criterion.info().evidence != EvidenceKind::Table {
            -choice.score
        } else {
            node.distance(&sums)?
        };
    Ok(BestSplit {
        feature: choice.feature,
        at: choice.at,
        test,
        score: choice.score,
        distance,
        improvement: 0.0,
        branches: sums.len() / node.totals.len(),
        sums,
        sizes,
        missing,
        levels,
        branch_of,
    })
}

/// What the selection rule asks of a node.
struct FeatureFacts<'r, R> {
    rows: &'r R,
}

impl<R: NodeTables> FeatureBest for FeatureFacts<'_, R> {
    fn gain(&mut self, feature: u32, at: u32) -> Result<f64> {
        let (sums, _) = branches(self.rows, feature, at);
        let (known, share) = self.rows.scored_rows(self.rows.place(feature));
        let mut node = self.rows.node();
        node.totals = &known;
        Ok(node.score(&InfoGain::default(), &sums)? * share)
    }

    fn first_row(&mut self, feature: u32, at: u32) -> u32 {
        match self.rows.place(feature) {
            FeaturePlace::Numeric(numeric) => self.rows.first_row(numeric, at),
            FeaturePlace::Nominal(_) => 0,
        }
    }
}
