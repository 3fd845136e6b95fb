//! All candidate splits of a set of rows with their scores ([`candidates`]), which explain why a
//! node is split as it is: every threshold, and the multiway split or the best division in two of
//! each nominal feature.
//!
//! The rows are evaluated as one node ([`NodeEvaluator`]), and no tree grows. Candidates are scored
//! by the evidence that the criterion reads, sorted by feature, and at last named: the number of a
//! candidate within its feature becomes a threshold or a set of levels. O(rows x features), plus
//! the formula for every candidate. Growth does not use this module, as it keeps only the best
//! candidate of each feature.

use super::context::{FeaturePlace, GrowContext, neighbours_root};
use super::evaluate::{ByOrder, NodeEvaluator, Workspace};
use super::evidence::PairContext;
use super::evidence::pairs::{admit, resolve_radius};
use super::features::WantedFeatures;
use super::options::GrowthSetting;
use super::row_buffers::{NodeRange, RowBuffers, RowSlices};
use super::search::nominal_test;
use crate::criteria::Evidence;
use crate::data::{Dataset, RowSet, Weights};
use crate::error::Result;
use crate::memory;
use crate::numeric::better;
use crate::parallel::Control;
use crate::split::{BestOfFeature, Listing, NominalSplits, ScoredCandidate};
use crate::stats::by_weighing;
use crate::stats::contingency::ContingencyTables;
use crate::tree::{FeatureTest, Test};

/// Thresholds that are computed between two checks for cancellation. At this number the check
/// itself takes no measurable time.
const THRESHOLDS_BETWEEN_CHECKS: usize = 1 << 16;

/// A candidate split and its score.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Number of the feature.
    pub feature: u32,
    /// Threshold of a numeric feature.
    pub threshold: Option<f64>,
    /// Levels on the first branch of a division in two.
    pub levels: Option<Vec<u32>>,
    /// Score by the criterion, larger is better.
    pub score: f64,
}

impl Candidate {
    /// The multiway split of a feature, which has neither a threshold nor a list of levels.
    pub(super) fn multiway(feature: u32, score: f64) -> Self {
        Self { feature, threshold: None, levels: None, score }
    }
}

/// All candidates of a set of rows, in feature and threshold order.
///
/// `rows` are the rows of the node that is explained. `root` are the rows of the root of its tree,
/// from which criteria on pairs and neighbours take their scales. `setting` is the setting of the
/// tree, and `weights` are the weights of all rows of `data`.
///
/// # Errors
/// A score that is not a number, a need of memory above the limit, an error of a user's criterion,
/// or cancellation.
pub fn candidates(
    data: &Dataset,
    setting: &GrowthSetting<'_>,
    rows: &RowSet,
    root: &RowSet,
    weights: &Weights,
    control: &Control,
) -> Result<Vec<Candidate>> {
    by_weighing!(weights, data.target(), w => {
        list_candidates(data, setting, rows, root, w, control)
    })
}

/// The tests of the features on a set of rows, most significant first.
///
/// The result is empty where the setting has no rule of significance. `root` are the rows of the
/// tree's root, by which ordered levels are scored ([`GrowContext::score_levels`]).
///
/// # Errors
/// A need of memory above the limit, or cancellation.
pub fn feature_tests(
    data: &Dataset,
    setting: &GrowthSetting<'_>,
    rows: &RowSet,
    root: &RowSet,
    weights: &Weights,
    control: &Control,
) -> Result<Vec<(u32, FeatureTest)>> {
    let Some(rule) = &setting.significance else { return Ok(Vec::new()) };
    by_weighing!(weights, data.target(), w => {
        let mut context = GrowContext::new(data, setting, rows, w);
        context.score_levels(root);
        let mut buffers = RowBuffers::undivided(&context, rows, control)?;
        let totals = context.sums(rows.rows().iter().copied());
        one_node(&context, &buffers.slices(), rows, &totals).feature_tests(rule, control)
    })
}

/// A node with all rows of a set, for which every candidate is scored. `totals` are the class sums
/// of the rows.
fn one_node<'n, 'f, W: ByOrder>(
    context: &'n GrowContext<'n, W>,
    slices: &'n RowSlices<'f>,
    rows: &RowSet,
    totals: &'n [W::Sum],
) -> NodeEvaluator<'n, 'f, W> {
    let range = NodeRange { start: 0, len: rows.len(), buffer: 0 };
    NodeEvaluator {
        context,
        slices,
        range,
        totals,
        left_out: 0.0,
        key: 0,
        scores_all: true,
        path: None,
        short: None,
    }
}

/// [`candidates`] with weights of one type.
fn list_candidates<W: ByOrder>(
    data: &Dataset,
    setting: &GrowthSetting<'_>,
    rows: &RowSet,
    root: &RowSet,
    weights: W,
    control: &Control,
) -> Result<Vec<Candidate>> {
    // Criteria on pairs and on neighbours take their scales from the root.
    let mut context = GrowContext::new(data, setting, rows, weights);
    context.pairs = context.pairs.map(|_| PairContext::new(weights, root, data.len()));
    context.neighbours = neighbours_root(data, setting, root, weights);
    // Pairs may need far more memory than the rows, so they are refused before anything is made.
    let row_bytes = RowBuffers::bytes(&context, rows.len());
    if let Evidence::Pairs(formula) = setting.criterion.evidence() {
        admit(&context, formula, rows.len(), row_bytes, control)?;
    }
    let control = &control.holding(row_bytes);
    let mut buffers = RowBuffers::undivided(&context, rows, control)?;
    let slices = buffers.slices();
    let totals = context.sums(rows.rows().iter().copied());
    let evaluator = one_node(&context, &slices, rows, &totals);
    let contingency = evaluator.count_tables();
    if let Some(merging) = setting.significance.and_then(|rule| rule.merging) {
        return evaluator.merged_candidates(&merging, &contingency);
    }
    if rows.len() != root.len() {
        resolve_root_radius(&context, root, control)?;
    }
    // Pairs and neighbours score a feature as a whole, so its candidate is the multiway split.
    let mut workspace = Workspace::default();
    if let Some(scores) = evaluator.pair_or_neighbour_scores(&mut workspace, control)? {
        let splits = evaluator.multiway_splits(&contingency, &scores, WantedFeatures::ALL)?;
        let multiway = |best: BestOfFeature| Candidate::multiway(best.feature, best.score);
        return Ok(splits.into_iter().map(multiway).collect());
    }
    let mut scored = score_candidates(&evaluator, &contingency, &mut workspace, control)?;
    // There may be one candidate per row and feature, so this is the sort of the standard library,
    // which merges the ascending runs of the features.
    scored.sort_by_key(|candidate| (candidate.feature, candidate.at));
    if setting.nominal_splits != NominalSplits::Multiway {
        keep_best_divisions(&context, &mut scored);
    }
    name_candidates(&evaluator, &contingency, &scored, control)
}

/// Find Relief's radius from the rows of the root, where the criterion reads it. The node is
/// another set of rows, so the rows of the root are brought into buffers of their own first.
fn resolve_root_radius<W: ByOrder>(
    context: &GrowContext<'_, W>,
    root: &RowSet,
    control: &Control,
) -> Result<()> {
    let evidence = context.setting.criterion.evidence();
    if !matches!(evidence, Evidence::Pairs(formula) if formula.reads_radius()) {
        return Ok(());
    }
    let mut buffers = RowBuffers::undivided(context, root, control)?;
    let range = NodeRange { start: 0, len: root.len(), buffer: 0 };
    let slices = buffers.slices();
    resolve_radius(context, slices.coded(context.nominal.layout.row_bytes(), range), control)
}

/// Score every candidate of a node by rows, by the order of a numeric target, or by tables. The
/// result has the order in which the evidence scores candidates; by tables, nominal features come
/// first.
fn score_candidates<W: ByOrder>(
    evaluator: &NodeEvaluator<'_, '_, W>,
    contingency: &ContingencyTables<W::Sum>,
    workspace: &mut Workspace<W::Sum>,
    control: &Control,
) -> Result<Vec<ScoredCandidate>> {
    let setting = evaluator.context.setting;
    match setting.criterion.evidence() {
        Evidence::Rows(budget) => evaluator.by_rows(budget, control).score_all(),
        Evidence::Order(loss) => evaluator.score_all_by_order(loss, contingency, control),
        _ => {
            let mut listing = Listing::new(setting.criterion);
            let all = WantedFeatures::ALL;
            evaluator.score_all(contingency, all, workspace, &mut listing, control)?;
            listing.finish(&setting.context)?;
            Ok(listing.candidates)
        }
    }
}

/// Keep the best division in two of each nominal feature, the first of equal ones. `candidates` are
/// sorted by feature and number.
fn keep_best_divisions<W: ByOrder>(
    context: &GrowContext<'_, W>,
    candidates: &mut Vec<ScoredCandidate>,
) {
    candidates.dedup_by(|later, kept| {
        // Codes that are bins of a number keep all cuts between them, as thresholds.
        let is_divided = match context.place(later.feature) {
            FeaturePlace::Nominal(nominal) => context.nominal.cuts[nominal].is_none(),
            FeaturePlace::Numeric(_) => false,
        };
        let is_rival = is_divided && kept.feature == later.feature;
        if is_rival && better(later.score, kept.score) {
            *kept = *later;
        }
        is_rival
    });
}

/// Turn the numbers of candidates within their features into thresholds or sets of levels.
/// `scored` are sorted by feature.
fn name_candidates<W: ByOrder>(
    evaluator: &NodeEvaluator<'_, '_, W>,
    contingency: &ContingencyTables<W::Sum>,
    scored: &[ScoredCandidate],
    control: &Control,
) -> Result<Vec<Candidate>> {
    memory::cover(scored.len() * size_of::<Candidate>())?;
    let context = evaluator.context;
    let mut named = Vec::with_capacity(scored.len());
    for of_feature in scored.chunk_by(|one, next| one.feature == next.feature) {
        match context.place(of_feature[0].feature) {
            FeaturePlace::Numeric(numeric) => {
                // One order serves all thresholds of the feature, as making it may take a sort.
                let (order, column) =
                    (evaluator.known_order(numeric), context.numeric[numeric].column);
                let name = |&ScoredCandidate { feature, at, score }: &ScoredCandidate| {
                    let [lower, upper] = order.rows_beside(at).map(|row| column.value(row));
                    let threshold =
                        context.setting.threshold(context.data, column, [lower, upper], lower);
                    Candidate { feature, threshold: Some(threshold.at), levels: None, score }
                };
                for block in of_feature.chunks(THRESHOLDS_BETWEEN_CHECKS) {
                    control.check()?;
                    named.extend(block.iter().map(name));
                }
            }
            FeaturePlace::Nominal(nominal) => {
                for candidate in of_feature {
                    control.check()?;
                    named.push(name_nominal(evaluator, contingency, nominal, candidate));
                }
            }
        }
    }
    Ok(named)
}

/// A candidate of a nominal feature with the levels of its first branch, or with a threshold where
/// the codes are bins of a number; a multiway split has neither.
fn name_nominal<W: ByOrder>(
    evaluator: &NodeEvaluator<'_, '_, W>,
    contingency: &ContingencyTables<W::Sum>,
    nominal: usize,
    &ScoredCandidate { feature, at, score }: &ScoredCandidate,
) -> Candidate {
    if evaluator.context.splits(nominal) == NominalSplits::Multiway {
        return Candidate::multiway(feature, score);
    }
    let division = nominal_test(&evaluator.tables(contingency), nominal, at);
    match division.test {
        Test::Threshold(threshold) => {
            Candidate { feature, threshold: Some(threshold.at), levels: None, score }
        }
        _ => Candidate { feature, threshold: None, levels: Some(division.levels), score },
    }
}
