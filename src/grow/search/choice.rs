//! The choice among the best candidates of a node's features, and the split that it makes.
//!
//! Forms of rows call [`choose`] with the best candidate of each feature, then [`chosen`] for the
//! branches of the winner. O(features) for the choice, and the class sums of one candidate per
//! feature where a gain filter needs the gains ([`Selector`]).

use super::nominal::{nominal_branches, nominal_test};
use super::{BestSplit, BranchSums, NodeCut, NodeSums, NodeTables, WholeRows};
use crate::criteria::{GainFilter, InfoGain};
use crate::error::Result;
use crate::grow::context::FeaturePlace;
use crate::grow::options::GrowthSetting;
use crate::numeric::mix;
use crate::split::{CandidateFacts, Choice, NominalSplits, Scored, Selector};

/// Whether a sink may keep the best candidate of the node alone, not one per feature: no guard
/// needs all features, and the candidates arrive in feature order. `nominal` and `numeric` are the
/// numbers of features of each kind.
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

/// Class sums by branch of a candidate.
pub(in crate::grow) fn sums_of_candidate<R: NodeTables>(
    rows: &R,
    feature: u32,
    at: u32,
) -> BranchSums<R::Sum> {
    match rows.place(feature) {
        FeaturePlace::Numeric(numeric) => rows.sums_of_cut(numeric, at),
        FeaturePlace::Nominal(nominal) => nominal_branches(rows, nominal, at),
    }
}

/// The split of the chosen candidate, with its distance and its branches.
pub(in crate::grow) fn chosen<R: WholeRows>(rows: &R, choice: Choice) -> Result<BestSplit<R::Sum>> {
    let node = rows.node();
    let (mut levels, mut branch_of) = (Vec::new(), Vec::new());
    let NodeCut { test, branches, sizes } = match rows.place(choice.feature) {
        FeaturePlace::Numeric(numeric) => rows.cut(numeric, choice.at),
        FeaturePlace::Nominal(nominal) => {
            let branches = nominal_branches(rows, nominal, choice.at);
            let found = nominal_test(rows, nominal, choice.at);
            (levels, branch_of) = (found.levels, found.branch_of);
            let mut sizes = rows.branch_sizes(nominal, &branches.sums, &branch_of);
            // Without missing values in the node there is no branch for them.
            sizes.truncate(branches.sums.len() / node.totals.len());
            NodeCut { test: found.test, branches, sizes }
        }
    };
    let BranchSums { sums, missing } = branches;
    // Without a table of this candidate alone the distance is the negative score.
    let criterion = node.setting.criterion;
    let distance = if criterion.needs_all_candidates() || !criterion.info().evidence.is_table() {
        -choice.score
    } else {
        node.distance(&sums)?
    };
    let branches = sums.len() / node.totals.len();
    let split = BestSplit::new(choice.feature, choice.at, test, choice.score, branches);
    Ok(BestSplit { distance, sums, sizes, missing, levels, branch_of, ..split })
}

/// Facts of a node's features for the selection rule.
struct FeatureFacts<'r, R> {
    rows: &'r R,
}

impl<R: NodeTables> CandidateFacts for FeatureFacts<'_, R> {
    fn gain(&mut self, feature: u32, at: u32) -> Result<f64> {
        let BranchSums { sums, .. } = sums_of_candidate(self.rows, feature, at);
        let (known, share) = self.rows.scored_rows(self.rows.place(feature));
        let mut node = self.rows.node();
        node.totals = &known;
        Ok(node.score(&InfoGain, &sums)? * share)
    }

    fn first_row(&mut self, feature: u32, at: u32) -> u32 {
        match self.rows.place(feature) {
            FeaturePlace::Numeric(numeric) => self.rows.first_row(numeric, at),
            FeaturePlace::Nominal(_) => 0,
        }
    }

    fn sides(&mut self, feature: u32, at: u32) -> [f64; 2] {
        let NodeSums { totals, unit, .. } = self.rows.node();
        sums_of_candidate(self.rows, feature, at).weights(totals.len(), unit)
    }

    fn are_thresholds(&self, feature: u32) -> bool {
        matches!(self.rows.place(feature), FeaturePlace::Numeric(_))
    }
}
