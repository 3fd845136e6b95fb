//! Growth on pairs of rows: the scores of a node's features come from its pairs, all at once;
//! everything else of growth stays as it is.
//!
//! The rows of the node are counted where they lie ([`PairNodeRows`]); features, values and classes
//! that the node does not have cost nothing. Distances are the root's, because a feature tested
//! above is constant below. Weights are whole numbers: copies as they are, real weights are rounded
//! to multiples of a power of two for which the heaviest row has 16 binary digits (fewer where the
//! sum would not fit the counters), so a weight is off by at most 2^-16 of the heaviest and scores
//! do not depend on threads or order.

use super::memo::{KnownPairs, PairMemo};
use super::{PairContext, PairScores, PairWorkspace};
use crate::criteria::pairs::{OnPairs, Pairs, Precision};
use crate::error::{Error, Result};
use crate::grow::context::GrowContext;
use crate::grow::evaluate::NodeEvaluator;
use crate::grow::options::OnRise;
use crate::parallel::Control;
use crate::stats::Weighing;
use crate::stats::contingency::{Code, CodedRows};
use crate::stats::pairs::{NodePass, Numbering, PairNodeRows, PairSetting, Profile, plan};
use std::sync::Arc;

impl<C: Code, W: Weighing> NodeEvaluator<'_, '_, C, W> {
    /// Score the features of the node by its pairs.
    pub fn pair_scores(
        &self,
        metric: &dyn OnPairs,
        tools: &mut PairWorkspace,
        control: &Control,
    ) -> Result<PairScores> {
        let Some(pairs) = &self.context.pairs else {
            return Err(Error::Internal("pairs of a context without weights for them".into()));
        };
        let pass = pass(self.context, metric, pairs)?;
        if let Some(setting) = metric.weighed()? {
            let rows = self.gathered(pairs, tools, control, pass)?;
            let control = &control.holding(rows.held());
            return self.weighed(metric, &setting, pairs, &rows, control);
        }
        if let Some((setting, precision)) = metric.matrices() {
            let rows = self.gathered(pairs, tools, control, pass)?;
            let control = &control.holding(rows.held());
            return self.by_matrices(metric, setting, precision, pairs, &rows, control);
        }
        let memo = self.context.setting.memo;
        let known = match memo.and_then(|m| m.get(tools.key)) {
            Some(known) => known,
            None => {
                if has_many_distances(self.context, memo.is_some_and(PairMemo::is_open))
                    && let Some(setting) =
                        metric.alike(&mut || self.radius(pairs, tools, control, pass))?
                {
                    let rows = self.gathered(pairs, tools, control, pass)?;
                    let control = &control.holding(rows.held());
                    return self.weighed(metric, &setting, pairs, &rows, control);
                }
                let known = self.counted(pairs, tools, control, pass)?;
                if let Some(m) = memo {
                    m.keep(tools.key, &known);
                }
                known
            }
        };
        self.scored_by_pairs(metric, pairs, &known)
    }

    /// The rows of the node, ready to be counted.
    fn gathered(
        &self,
        pairs: &PairContext,
        tools: &mut PairWorkspace,
        control: &Control,
        pass: NodePass,
    ) -> Result<PairNodeRows> {
        let nominal = &self.context.nominal;
        let coded = self.field.coded(nominal.features.len(), self.range);
        let (classes, weight) = (self.context.data.n_classes(), |r| pairs.weight(r));
        let (layout, budget) = (&nominal.layout, control.budget());
        PairNodeRows::gather(budget, coded, layout, classes, weight, &mut tools.numbering, pass)
    }

    /// Weigh the pairs of the node under one setting.
    fn weighed(
        &self,
        metric: &dyn OnPairs,
        setting: &PairSetting,
        pairs: &PairContext,
        rows: &PairNodeRows,
        control: &Control,
    ) -> Result<PairScores> {
        if rows.features().is_empty() {
            return Ok(PairScores::default());
        }
        let sums = rows.weighed(control, setting)?.scaled(pairs.scale);
        let evidence =
            Pairs { profile: &Profile::default(), radius: 0, matrices: None, weighed: Some(&sums) };
        self.told(metric, rows.features(), &evidence)
    }

    /// Count matrices of the node under one setting.
    fn by_matrices(
        &self,
        metric: &dyn OnPairs,
        setting: &PairSetting,
        precision: Precision,
        pairs: &PairContext,
        rows: &PairNodeRows,
        control: &Control,
    ) -> Result<PairScores> {
        if rows.features().is_empty() {
            return Ok(PairScores::default());
        }
        let (layout, classes) = (&self.context.nominal.layout, self.context.data.n_classes());
        let found = match precision {
            Precision::Exact => rows.matrices(control, setting)?,
            Precision::Fixed => rows.weighed_matrices(control, setting)?,
        };
        let matrices = rows.declared(&found, layout, classes, pairs.scale);
        let evidence = Pairs {
            profile: &Profile::default(),
            radius: 0,
            matrices: Some(&matrices),
            weighed: None,
        };
        self.told(metric, rows.features(), &evidence)
    }

    /// Relief's radius at the root, which this node is unless it is known.
    fn radius(
        &self,
        pairs: &PairContext,
        tools: &mut PairWorkspace,
        control: &Control,
        pass: NodePass,
    ) -> Result<usize> {
        match pairs.radius.get() {
            Some(&radius) => Ok(radius),
            None => pairs.radius_of(&self.gathered(pairs, tools, control, pass)?, control),
        }
    }

    /// Count the pairs of the node.
    fn counted(
        &self,
        pairs: &PairContext,
        tools: &mut PairWorkspace,
        control: &Control,
        pass: NodePass,
    ) -> Result<Arc<KnownPairs>> {
        let rows = self.gathered(pairs, tools, control, pass)?;
        let profile = match rows.features() {
            [] => Profile::default(),
            _ => rows.profile(&control.holding(rows.held()))?.scaled(pairs.scale),
        };
        Ok(Arc::new(KnownPairs { features: rows.features().to_vec(), profile }))
    }

    fn scored_by_pairs(
        &self,
        metric: &dyn OnPairs,
        pairs: &PairContext,
        known: &KnownPairs,
    ) -> Result<PairScores> {
        if known.features.is_empty() {
            return Ok(PairScores::default());
        }
        let radius = *pairs.radius.get_or_init(|| known.profile.radius(pairs.enough));
        let evidence = Pairs { profile: &known.profile, radius, matrices: None, weighed: None };
        self.told(metric, &known.features, &evidence)
    }

    fn told(
        &self,
        metric: &dyn OnPairs,
        features: &[u32],
        evidence: &Pairs<'_>,
    ) -> Result<PairScores> {
        let scores = metric.score(evidence)?;
        let limits = &self.context.setting.limits;
        let asked = limits.no_distance_decay != OnRise::Ignore || limits.need_improvement();
        let whole = if asked { metric.whole(evidence)? } else { 0.0 };
        Ok(PairScores { scores: features.iter().copied().zip(scores).collect(), whole })
    }
}

/// Whether one setting is summed up instead of counting for all of them.
fn has_many_distances<W: Weighing>(context: &GrowContext<'_, W>, shared: bool) -> bool {
    let layout = &context.nominal.layout;
    let values = (0..layout.features()).map(|j| layout.arity(j)).sum();
    plan::is_one_setting_cheaper(layout.features(), values, context.data.n_classes(), shared)
}

/// The pass by which pairs are found that no other tree has counted.
fn pass<W: Weighing>(
    context: &GrowContext<'_, W>,
    metric: &dyn OnPairs,
    pairs: &PairContext,
) -> Result<NodePass> {
    if metric.weighed()?.is_some() {
        return Ok(NodePass::Sums { radius: false });
    }
    if let Some((_, precision)) = metric.matrices() {
        return Ok(match precision {
            Precision::Exact => NodePass::Counts,
            Precision::Fixed => NodePass::Sums { radius: false },
        });
    }
    let mut reads = false;
    if has_many_distances(context, context.setting.memo.is_some_and(PairMemo::is_open)) {
        let mut radius = || {
            reads = true;
            Ok(pairs.radius.get().copied().unwrap_or(1))
        };
        if metric.alike(&mut radius)?.is_some() {
            return Ok(NodePass::Sums { radius: reads && pairs.radius.get().is_none() });
        }
    }
    Ok(NodePass::Profile)
}

/// Refuse what the limit or the system has not got for the pairs of some rows, before the rows are
/// coded; `coded` bytes are taken by that.
pub(in crate::grow) fn admit<W: Weighing>(
    context: &GrowContext<'_, W>,
    metric: &dyn OnPairs,
    (rows, coded): (usize, usize),
    control: &Control,
) -> Result<()> {
    let Some(pairs) = &context.pairs else { return Ok(()) };
    let layout = &context.nominal.layout;
    let slots = (0..layout.features()).map(|j| layout.arity(j)).sum();
    let shape = [rows, layout.features(), slots, context.data.n_classes()];
    let top = pairs.weights.iter().flatten().copied().max().unwrap_or(1);
    pass(context, metric, pairs)?.admit(control.budget(), shape, (top, coded))
}

/// Relief's radius of some rows, for looks at nodes far from their root.
pub(in crate::grow) fn resolve_radius<C: Code, W: Weighing>(
    evaluator: &NodeEvaluator<'_, '_, C, W>,
    root: CodedRows<'_, C>,
    control: &Control,
) -> Result<()> {
    let (nominal, Some(pairs)) = (&evaluator.context.nominal, &evaluator.context.pairs) else {
        return Ok(());
    };
    let classes = evaluator.context.data.n_classes();
    let weight = |r| pairs.weight(r);
    let (layout, numbering) = (&nominal.layout, &mut Numbering::default());
    let (budget, pass) = (control.budget(), NodePass::Sums { radius: true });
    let rows = PairNodeRows::gather(budget, root, layout, classes, weight, numbering, pass)?;
    if !rows.features().is_empty() {
        pairs.radius_of(&rows, control)?;
    }
    Ok(())
}
