//! The choice among the best candidates of a node's features, and the split that it makes.
//!
//! Forms of rows call [`choose_candidate`] with the best candidate of each feature, then
//! [`split_of_candidate`] for the test and the branches of the winner. O(features) for the choice,
//! and the class sums of one candidate per feature where a gain filter needs the gains
//! ([`Selector`]).

use super::nominal::{nominal_branches, nominal_test};
use super::{BestSplit, BranchSums, NodeCut, NodeSums, NodeTables, WholeRows};
use crate::criteria::{GainFilter, InfoGain};
use crate::error::Result;
use crate::grow::context::FeaturePlace;
use crate::grow::options::GrowthSetting;
use crate::numeric::mix;
use crate::split::{BestOfFeature, CandidateFacts, NominalSplits, ScoredCandidate, Selector};

/// Whether a sink may keep the best candidate of the node alone, not one per feature.
///
/// Two conditions must hold. No gain filter compares the features, and the candidates arrive in
/// feature order, so that the first of equal candidates is the one of the lowest feature. Nominal
/// features come before numeric ones, and where some of them are divided in two and others have one
/// branch per level, all of the former before all of the latter. `n_nominal` and `n_numeric` are
/// the numbers of features of each kind.
pub(in crate::grow) fn keeps_winner_only(
    setting: &GrowthSetting<'_>,
    n_nominal: usize,
    n_numeric: usize,
) -> bool {
    // Only this rule decides feature by feature whether levels are divided in two.
    let are_splits_mixed = setting.nominal_splits == NominalSplits::Auto;
    let in_feature_order = n_nominal == 0 || (n_numeric == 0 && !are_splits_mixed);
    setting.gain_filter == GainFilter::None && in_feature_order
}

/// The candidate that the selection rule takes among the best of each feature; `None` where no
/// feature has one.
///
/// # Errors
/// Any error of the information gain, which a gain filter asks for.
pub(in crate::grow) fn choose_candidate<R: NodeTables>(
    rows: &R,
    best: Vec<BestOfFeature>,
) -> Result<Option<ScoredCandidate>> {
    let setting = rows.node().setting;
    let selector = Selector {
        gain_filter: setting.gain_filter,
        ties: setting.ties,
        features: rows.features(),
    };
    // The draw of features mixes the same seed with the key itself. Its complement gives ties
    // random numbers of their own.
    let tie_key = mix(setting.seed, !rows.key());
    selector.choose(best, &mut FeatureFacts { rows }, tie_key)
}

/// Class sums by branch of candidate number `at` of a feature.
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

/// The split that a candidate makes, with its test, its distance and its branches. The limits have
/// not accepted it yet.
///
/// # Errors
/// A criterion of a user may fail.
pub(in crate::grow) fn split_of_candidate<R: WholeRows>(
    rows: &R,
    candidate: ScoredCandidate,
) -> Result<BestSplit<R::Sum>> {
    let (node, ScoredCandidate { feature, at, score }) = (rows.node(), candidate);
    let n_classes = node.totals.len();
    let (mut levels, mut branch_of) = (Vec::new(), Vec::new());
    let NodeCut { test, branches, sizes } = match rows.place(feature) {
        FeaturePlace::Numeric(numeric) => rows.cut(numeric, at),
        FeaturePlace::Nominal(nominal) => {
            let branches = nominal_branches(rows, nominal, at);
            let nominal_test = nominal_test(rows, nominal, at);
            (levels, branch_of) = (nominal_test.levels, nominal_test.branch_of);
            let mut sizes = rows.branch_sizes(nominal, &branches.sums, &branch_of);
            // Without missing values in the node there is no branch for them.
            sizes.truncate(branches.sums.len() / n_classes);
            NodeCut { test: nominal_test.test, branches, sizes }
        }
    };
    let BranchSums { sums, missing } = branches;
    // A criterion that scores all candidates at once, or that reads no tables, has no distance of
    // one table: there it is the negative score.
    let criterion = node.setting.criterion;
    let distance = if criterion.needs_all_candidates() || !criterion.info().evidence.is_table() {
        -score
    } else {
        node.distance(&sums)?
    };
    let split = BestSplit::new(feature, at, test, score, sums.len() / n_classes);
    Ok(BestSplit { distance, sums, sizes, missing, levels, branch_of, ..split })
}

/// The facts about the candidates of a node for which the selection rule asks.
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
