//! All candidates of a set of rows with their scores, for questions like "why here": every
//! threshold, and the multiway split or the best division of each nominal feature.
//!
//! The rows are looked at as if they were a node; nothing grows. O(rows x features) and the formula
//! for every candidate. Growth itself never asks for this: it keeps the best of each feature only.

use super::context::{FeaturePlace, GrowContext, near};
use super::evaluate::{NodeEvaluator, Workspace};
use super::evidence::PairContext;
use super::evidence::pairs::{admit, resolve_radius};
use super::options::GrowthSetting;
use super::row_buffers::{NodeRange, RowBuffers};
use super::search::nominal_test;
use crate::criteria::Evidence;
use crate::data::{Dataset, RowSet, Weights, entry_row};
use crate::error::Result;
use crate::memory;
use crate::numeric::better;
use crate::parallel::Control;
use crate::split::{Listing, NominalSplits, Scored};
use crate::stats::contingency::ContingencyTables;
use crate::stats::{FixedWeights, IntegerWeights, UnitWeights, Weighing};
use crate::tree::Test;

/// A candidate split.
#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    /// Feature.
    pub feature: u32,
    /// Threshold, of a number.
    pub threshold: Option<f64>,
    /// Levels on the first branch, where there are two sides.
    pub levels: Option<Vec<u32>>,
    /// Score.
    pub score: f64,
}

impl Candidate {
    fn multiway(Scored { feature, score, .. }: Scored) -> Self {
        Self { feature, threshold: None, levels: None, score }
    }
}

/// Every threshold of a set of rows, and the multiway split or the best division of each nominal
/// feature, in feature and threshold order. `root` are the rows of the tree's root, which some
/// criteria look at.
pub fn candidates(
    data: &Dataset,
    setting: &GrowthSetting<'_>,
    rows: &RowSet,
    root: &RowSet,
    weights: &Weights,
    control: &Control,
) -> Result<Vec<Candidate>> {
    match weights {
        Weights::Unit => listed(data, setting, rows, root, UnitWeights, control),
        Weights::Integer(w) => listed(data, setting, rows, root, IntegerWeights(w), control),
        Weights::Fixed { values, shift } => {
            let unit = f64::powi(2.0, -shift);
            listed(data, setting, rows, root, FixedWeights { values, unit }, control)
        }
    }
}

fn listed<W: Weighing>(
    data: &Dataset,
    setting: &GrowthSetting<'_>,
    rows: &RowSet,
    root: &RowSet,
    weights: W,
    control: &Control,
) -> Result<Vec<Candidate>> {
    let mut context = GrowContext::new(data, setting, rows, weights);
    context.pairs = context.pairs.map(|_| PairContext::new(weights, root, data.len()));
    context.near = near(data, setting, root, weights);
    let evidence = setting.criterion.evidence();
    let coded = RowBuffers::<u32>::bytes(&context, rows.len());
    if let Evidence::Pairs(formula) = evidence {
        admit(&context, formula, (rows.len(), coded), control)?;
    }
    let control = &control.holding(coded);
    let mut buffers = RowBuffers::<u32>::undivided(&context, rows, control)?;
    let field = buffers.field();
    let totals = context.sums(rows.rows().iter().copied());
    let range = NodeRange { start: 0, len: rows.len(), buffer: 0 };
    let evaluator = NodeEvaluator {
        context: &context,
        field: &field,
        range,
        totals: &totals,
        key: 0,
        every: true,
        short: None,
    };
    let mut tools = Workspace::default();
    let contingency = evaluator.count_tables(&mut tools);
    if matches!(evidence, Evidence::Pairs(formula) if formula.reads_radius())
        && rows.len() != root.len()
    {
        let mut buffers = RowBuffers::<u32>::undivided(&context, root, control)?;
        let range = NodeRange { len: root.len(), ..range };
        let coded = buffers.field();
        resolve_radius(&evaluator, coded.coded(context.nominal.features.len(), range), control)?;
    }
    if let Some(known) = evaluator.other_evidence(&mut tools, control)? {
        let found = evaluator.scored(&contingency, &known, |_| true)?;
        return Ok(found.into_iter().map(Candidate::multiway).collect());
    }
    let mut found = if let Evidence::Rows(budget) = evidence {
        evaluator.all_by_rows(budget, control)?
    } else {
        let mut listing = Listing::new(setting.criterion);
        evaluator.score_all(&contingency, |_| true, &mut tools, &mut listing, control)?;
        listing.finish(&setting.context)?;
        listing.candidates
    };
    found.sort_by_key(|c| (c.0, c.1));
    if setting.nominal_splits != NominalSplits::Multiway {
        keep_best_divisions(&context, &mut found);
    }
    memory::expect(found.len() * size_of::<Candidate>())?;
    let named = |(feature, at, score)| {
        let (threshold, levels) = test_of(&evaluator, &contingency, feature, at);
        Candidate { feature, threshold, levels, score }
    };
    Ok(found.into_iter().map(named).collect())
}

/// Threshold or levels of the first branch of a candidate; neither for a multiway split.
fn test_of<W: Weighing>(
    evaluator: &NodeEvaluator<'_, '_, u32, W>,
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
            let (order, _) = evaluator.known(i);
            let column = context.numeric[i].column;
            let value = |j: usize| column.value(entry_row(order[j]));
            let (lo, hi) = (value(at as usize - 1), value(at as usize));
            (Some(context.setting.threshold(context.data, column, (lo, hi), lo).at), None)
        }
    }
}

/// Of the many divisions of a nominal feature keep the best one, the first on ties. Candidates are
/// (feature, place, score), sorted.
fn keep_best_divisions<W: Weighing>(
    context: &GrowContext<'_, W>,
    found: &mut Vec<(u32, u32, f64)>,
) {
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
