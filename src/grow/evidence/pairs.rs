//! Scores of a node's features by its pairs of rows (Relief, contextual merit, PI and relatives),
//! all features at once. Everything else about growth is the same as with other criteria.
//!
//! The criterion decides how pairs are counted ([`PairPlan`]); the node's rows are gathered for
//! that pass ([`PairNodeRows`]) without the features, values and classes that do not occur in it.
//! Distances are the distances at the root, because a feature tested above a node is constant in
//! it. Weights are whole numbers: copies as they are, real weights as multiples of a power of two
//! for which the heaviest row has 16 binary digits (fewer where the sum would not fit the
//! counters). So a weight is off by at most 2^-16 of the heaviest, and scores depend neither on
//! threads nor on the order of rows. O(rows^2 x features) per node at most; [`crate::stats::pairs`]
//! has faster passes.

use super::memo::{KnownPairs, PairMemo};
use super::{PairContext, PairScores, PairWorkspace};
use crate::criteria::pairs::{OnPairs, Pairs, Precision};
use crate::error::{Error, Result};
use crate::grow::context::GrowContext;
use crate::grow::evaluate::{ByOrder, NodeEvaluator};
use crate::grow::options::OnRise;
use crate::parallel::Control;
use crate::split::threshold::Scanning;
use crate::stats::contingency::CodedRows;
use crate::stats::pairs::{
    NodePass, NodeShape, Numbering, PairNodeRows, PairSetting, Profile, plan,
};
use std::sync::Arc;

/// How a criterion gets its scores from the pairs of a node.
enum PairPlan<'m> {
    /// Weighed under the one setting that the criterion asks for.
    Weighed(PairSetting),
    /// Count matrices under one setting.
    Matrices(&'m PairSetting, Precision),
    /// Weighed under one setting instead of counted by distance: the same scores for less work.
    Alike {
        /// Whether the setting depends on a radius that is not known yet.
        needs_radius: bool,
    },
    /// Counted by distance, for all settings.
    Profile,
}

impl<'m> PairPlan<'m> {
    fn new<W: Scanning>(
        context: &GrowContext<'_, W>,
        metric: &'m dyn OnPairs,
        pairs: &PairContext,
    ) -> Result<Self> {
        if let Some(setting) = metric.weighed()? {
            return Ok(Self::Weighed(setting));
        }
        if let Some((setting, precision)) = metric.matrices() {
            return Ok(Self::Matrices(setting, precision));
        }
        if has_many_distances(context) {
            // Any radius will do here: the criterion has an alike setting for all or for none.
            let mut needs_radius = false;
            let mut radius = || {
                let known = pairs.radius.get().copied();
                needs_radius = known.is_none();
                Ok(known.unwrap_or(1))
            };
            if metric.alike(&mut radius)?.is_some() {
                return Ok(Self::Alike { needs_radius });
            }
        }
        Ok(Self::Profile)
    }

    /// The pass over the pairs of a node.
    fn pass(&self) -> NodePass {
        match *self {
            Self::Weighed(_) | Self::Matrices(_, Precision::Fixed) => {
                NodePass::Sums { radius: false }
            }
            Self::Matrices(_, Precision::Exact) => NodePass::Counts,
            Self::Alike { needs_radius } => NodePass::Sums { radius: needs_radius },
            Self::Profile => NodePass::Profile,
        }
    }
}

impl<W: ByOrder> NodeEvaluator<'_, '_, W> {
    /// Scores of the features of the node by its pairs.
    ///
    /// The plan says which pass over the pairs the criterion needs. Counts by distance serve every
    /// criterion, so they may come from a memo that other trees on the same rows share, and join
    /// it; sums under one setting serve this criterion alone and are not kept.
    ///
    /// # Errors
    /// A need of memory above the limit, an error of a user's criterion, or cancellation.
    pub fn pair_scores(
        &self,
        metric: &dyn OnPairs,
        workspace: &mut PairWorkspace,
        control: &Control,
    ) -> Result<PairScores> {
        let Some(pairs) = &self.context.pairs else {
            return Err(Error::Internal("pairs of a context without weights for them".into()));
        };
        let plan = PairPlan::new(self.context, metric, pairs)?;
        let pass = plan.pass();
        match plan {
            PairPlan::Weighed(setting) => {
                let rows = self.gather_rows(pairs, workspace, control, pass)?;
                return self.score_weighed(metric, &setting, pairs, &rows, control);
            }
            PairPlan::Matrices(setting, precision) => {
                let rows = self.gather_rows(pairs, workspace, control, pass)?;
                return self.score_by_matrices(metric, setting, precision, pairs, &rows, control);
            }
            PairPlan::Alike { .. } | PairPlan::Profile => {}
        }
        let memo = self.context.setting.memo;
        if let Some(known) = memo.and_then(|memo| memo.get(workspace.key)) {
            return self.score_counted(metric, pairs, &known);
        }
        if let PairPlan::Alike { .. } = plan
            && let Some(setting) =
                metric.alike(&mut || self.root_radius(pairs, workspace, control, pass))?
        {
            let rows = self.gather_rows(pairs, workspace, control, pass)?;
            return self.score_weighed(metric, &setting, pairs, &rows, control);
        }
        let known = self.count_pairs(pairs, workspace, control, pass)?;
        if let Some(memo) = memo {
            memo.keep(workspace.key, &known);
        }
        self.score_counted(metric, pairs, &known)
    }

    /// The rows of the node, ready for a pass over their pairs.
    fn gather_rows(
        &self,
        pairs: &PairContext,
        workspace: &mut PairWorkspace,
        control: &Control,
        pass: NodePass,
    ) -> Result<PairNodeRows> {
        gather(self.context, pairs, self.coded(), &mut workspace.numbering, control, pass)
    }

    /// Scores from the pairs of the node, weighed under one setting. A node without a feature that
    /// varies has no scores.
    fn score_weighed(
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
        let sums = rows.weighed(&control.holding(rows.held()), setting)?.scaled(pairs.scale);
        let evidence =
            Pairs { profile: &Profile::default(), radius: 0, matrices: None, weighed: Some(&sums) };
        self.score_evidence(metric, rows.features(), &evidence)
    }

    /// Scores from the count matrices of the node under one setting.
    fn score_by_matrices(
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
        let control = &control.holding(rows.held());
        let occurring = match precision {
            Precision::Exact => rows.matrices(control, setting)?,
            Precision::Fixed => rows.weighed_matrices(control, setting)?,
        };
        // Spread the matrices of the values that occur in the node over all declared values.
        let matrices = rows.declared(&occurring, layout, classes, pairs.scale);
        let evidence = Pairs {
            profile: &Profile::default(),
            radius: 0,
            matrices: Some(&matrices),
            weighed: None,
        };
        self.score_evidence(metric, rows.features(), &evidence)
    }

    /// Relief's radius at the root. It is known, or this node is the root and its rows are gathered
    /// to find it.
    fn root_radius(
        &self,
        pairs: &PairContext,
        workspace: &mut PairWorkspace,
        control: &Control,
        pass: NodePass,
    ) -> Result<usize> {
        match pairs.radius.get() {
            Some(&radius) => Ok(radius),
            None => pairs.radius_of(&self.gather_rows(pairs, workspace, control, pass)?, control),
        }
    }

    /// The pairs of the node, counted by distance.
    fn count_pairs(
        &self,
        pairs: &PairContext,
        workspace: &mut PairWorkspace,
        control: &Control,
        pass: NodePass,
    ) -> Result<Arc<KnownPairs>> {
        let rows = self.gather_rows(pairs, workspace, control, pass)?;
        let profile = match rows.features() {
            [] => Profile::default(),
            _ => rows.profile(&control.holding(rows.held()))?.scaled(pairs.scale),
        };
        Ok(Arc::new(KnownPairs { features: rows.features().to_vec(), profile }))
    }

    /// Scores from pairs counted by distance.
    fn score_counted(
        &self,
        metric: &dyn OnPairs,
        pairs: &PairContext,
        known: &KnownPairs,
    ) -> Result<PairScores> {
        if known.features.is_empty() {
            return Ok(PairScores::default());
        }
        let radius = *pairs.radius.get_or_init(|| known.profile.radius(pairs.radius_rule));
        let evidence = Pairs { profile: &known.profile, radius, matrices: None, weighed: None };
        self.score_evidence(metric, &known.features, &evidence)
    }

    /// Scores of the features by the criterion, from whichever evidence was counted; the undivided
    /// node is scored, too, where a limit reads its score.
    fn score_evidence(
        &self,
        metric: &dyn OnPairs,
        features: &[u32],
        evidence: &Pairs<'_>,
    ) -> Result<PairScores> {
        let scores = metric.score(evidence)?;
        let limits = &self.context.setting.limits;
        let needs_undivided =
            limits.on_distance_rise != OnRise::Ignore || limits.need_improvement();
        let undivided = if needs_undivided { metric.undivided(evidence)? } else { 0.0 };
        Ok(PairScores { scores: features.iter().copied().zip(scores).collect(), undivided })
    }
}

/// Coded rows, ready for a pass over their pairs.
fn gather<W: Scanning>(
    context: &GrowContext<'_, W>,
    pairs: &PairContext,
    coded: CodedRows<'_>,
    numbering: &mut Numbering,
    control: &Control,
    pass: NodePass,
) -> Result<PairNodeRows> {
    let (layout, classes) = (&context.nominal.layout, context.data.n_classes());
    let weight = |row| pairs.weight(row);
    PairNodeRows::gather(control.budget(), coded, layout, classes, &weight, numbering, pass)
}

/// Sum of the values of all nominal features.
fn number_of_values<W: Scanning>(context: &GrowContext<'_, W>) -> usize {
    let layout = &context.nominal.layout;
    (0..layout.features()).map(|nominal| layout.arity(nominal)).sum()
}

/// Whether weighing pairs under one setting is cheaper than counting pairs at each distance.
fn has_many_distances<W: Scanning>(context: &GrowContext<'_, W>) -> bool {
    let features = context.nominal.layout.features();
    let shared = context.setting.memo.is_some_and(PairMemo::is_open);
    plan::is_one_setting_cheaper(
        features,
        number_of_values(context),
        context.data.n_classes(),
        shared,
    )
}

/// Refuse pairs of `rows` rows for which the limit or the system has not enough memory, before the
/// rows are coded, which takes `coded` bytes. `metric` is the criterion on pairs.
///
/// # Errors
/// [`Error::Memory`].
pub(in crate::grow) fn admit<W: Scanning>(
    context: &GrowContext<'_, W>,
    metric: &dyn OnPairs,
    rows: usize,
    coded: usize,
    control: &Control,
) -> Result<()> {
    let Some(pairs) = &context.pairs else { return Ok(()) };
    let shape = NodeShape {
        rows,
        features: context.nominal.layout.features(),
        slots: number_of_values(context),
        classes: context.data.n_classes(),
        largest_weight: pairs.weights.iter().flatten().copied().max().unwrap_or(1),
    };
    PairPlan::new(context, metric, pairs)?.pass().admit(control.budget(), shape, coded)
}

/// Find Relief's radius from the rows of the root, for the evaluation of another node.
pub(in crate::grow) fn resolve_radius<W: Scanning>(
    context: &GrowContext<'_, W>,
    root: CodedRows<'_>,
    control: &Control,
) -> Result<()> {
    let Some(pairs) = &context.pairs else { return Ok(()) };
    let (mut numbering, pass) = (Numbering::default(), NodePass::Sums { radius: true });
    let rows = gather(context, pairs, root, &mut numbering, control, pass)?;
    if !rows.features().is_empty() {
        pairs.radius_of(&rows, control)?;
    }
    Ok(())
}
