//! All candidate splits of a set of rows with their scores ([`candidates`]), which explain why a
//! node is split as it is: every threshold, and the multiway split or the best division in two of
//! each nominal feature.
//!
//! The rows are evaluated as one node ([`NodeEvaluator`]); nothing grows. O(rows x features), plus
//! the formula for every candidate. Growth does not use this: it keeps the best of each feature.

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
use crate::split::{Listing, NominalSplits, Scored};
use crate::stats::by_weighing;
use crate::stats::contingency::ContingencyTables;
use crate::tree::{FeatureTest, Test};

/// Candidates that are named between two looks at the interrupt.
const CANDIDATES_BETWEEN_CHECKS: usize = 1 << 16;

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
    pub(super) fn multiway(feature: u32, score: f64) -> Self {
        Self { feature, threshold: None, levels: None, score }
    }
}

/// All candidates of a set of rows, in feature and threshold order. `root` are the rows of the
/// tree's root, from which criteria on pairs and neighbours take scales.
///
/// # Errors
/// A score that is not a number, a need of memory above the limit, or cancellation.
pub fn candidates(
    data: &Dataset,
    setting: &GrowthSetting<'_>,
    rows: &RowSet,
    root: &RowSet,
    weights: &Weights,
    control: &Control,
) -> Result<Vec<Candidate>> {
    by_weighing!(weights, data.target(), w => listed(data, setting, rows, root, w, control))
}

/// The tests of the features on a set of rows, most significant first; none without a rule of
/// significance. `root` are the rows of the tree's root, of which ordered levels have scores.
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

/// All rows of a tree as one node, of which every candidate is scored.
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
fn listed<W: ByOrder>(
    data: &Dataset,
    setting: &GrowthSetting<'_>,
    rows: &RowSet,
    root: &RowSet,
    weights: W,
    control: &Control,
) -> Result<Vec<Candidate>> {
    // The rows are the node; scales of pairs and neighbours are those of the root.
    let mut context = GrowContext::new(data, setting, rows, weights);
    context.pairs = context.pairs.map(|_| PairContext::new(weights, root, data.len()));
    context.neighbours = neighbours_root(data, setting, root, weights);
    let evidence = setting.criterion.evidence();
    let coded = RowBuffers::bytes(&context, rows.len());
    if let Evidence::Pairs(formula) = evidence {
        admit(&context, formula, rows.len(), coded, control)?;
    }
    let control = &control.holding(coded);
    let mut buffers = RowBuffers::undivided(&context, rows, control)?;
    let slices = buffers.slices();
    let totals = context.sums(rows.rows().iter().copied());
    let evaluator = one_node(&context, &slices, rows, &totals);
    let mut workspace = Workspace::default();
    let contingency = evaluator.count_tables();
    if let Some(merging) = setting.significance.and_then(|rule| rule.merging) {
        return evaluator.merged_candidates(&merging, &contingency);
    }
    // Relief's radius is the root's, which has to be found where the node is another.
    if matches!(evidence, Evidence::Pairs(formula) if formula.reads_radius())
        && rows.len() != root.len()
    {
        let mut buffers = RowBuffers::undivided(&context, root, control)?;
        let range = NodeRange { len: root.len(), ..evaluator.range };
        let slices = buffers.slices();
        let rows = slices.coded(context.nominal.layout.row_bytes(), range);
        resolve_radius(&context, rows, control)?;
    }
    // Scores by pairs or neighbours, by rows, or by tables.
    if let Some(known) = evaluator.other_evidence(&mut workspace, control)? {
        let found = evaluator.scored(&contingency, &known, WantedFeatures(None))?;
        let multiway = |one: Scored| Candidate::multiway(one.feature, one.score);
        return Ok(found.into_iter().map(multiway).collect());
    }
    let mut found = if let Evidence::Rows(budget) = evidence {
        evaluator.by_rows(budget, control).all()?
    } else if let Evidence::Order(loss) = evidence {
        evaluator.all_by_order(loss, &contingency, control)?
    } else {
        let mut listing = Listing::new(setting.criterion);
        evaluator.score_all(
            &contingency,
            WantedFeatures(None),
            &mut workspace,
            &mut listing,
            control,
        )?;
        listing.finish(&setting.context)?;
        listing.candidates
    };
    sort_by_place(&mut found);
    if setting.nominal_splits != NominalSplits::Multiway {
        keep_best_divisions(&context, &mut found);
    }
    memory::expect(found.len() * size_of::<Candidate>())?;
    // A place in the order becomes a threshold or a set of levels.
    let mut named = Vec::with_capacity(found.len());
    for block in found.chunks(CANDIDATES_BETWEEN_CHECKS) {
        control.check()?;
        named.extend(block.iter().map(|&(feature, at, score)| {
            let (threshold, levels) = test_of(&evaluator, &contingency, feature, at);
            Candidate { feature, threshold, levels, score }
        }));
    }
    Ok(named)
}

/// The threshold, or the levels of the first branch, of a candidate; neither for a multiway split.
fn test_of<W: ByOrder>(
    evaluator: &NodeEvaluator<'_, '_, W>,
    contingency: &ContingencyTables<W::Sum>,
    feature: u32,
    at: u32,
) -> (Option<f64>, Option<Vec<u32>>) {
    let context = evaluator.context;
    match context.place(feature) {
        FeaturePlace::Nominal(j) if context.splits(j) == NominalSplits::Multiway => (None, None),
        FeaturePlace::Nominal(j) => {
            let found = nominal_test(&evaluator.tables(contingency), j, at);
            match found.test {
                Test::Threshold(t) => (Some(t.at), None),
                _ => (None, Some(found.levels)),
            }
        }
        FeaturePlace::Numeric(i) => {
            let column = context.numeric[i].column;
            let beside = evaluator.known(i).beside(at).map(|row| column.value(row));
            let threshold = context.setting.threshold(context.data, column, beside, beside[0]);
            (Some(threshold.at), None)
        }
    }
}

/// Sort candidates by feature and place. There may be one per row and feature, so this is a sort of
/// the standard library, which merges the ascending runs of the features.
fn sort_by_place(found: &mut [(u32, u32, f64)]) {
    found.sort_by_key(|&(feature, at, _)| (feature, at));
}

/// Keep the best division in two of each nominal feature, the first on ties. `found` are sorted
/// candidates: feature, place, score.
fn keep_best_divisions<W: ByOrder>(context: &GrowContext<'_, W>, found: &mut Vec<(u32, u32, f64)>) {
    found.dedup_by(|later, kept| {
        let place = context.place(later.0);
        let divided =
            matches!(place, FeaturePlace::Nominal(j) if context.nominal.cuts[j].is_none());
        let same = divided && kept.0 == later.0;
        if same && better(later.2, kept.2) {
            *kept = *later;
        }
        same
    });
}
