//! Growth on pairs of rows: the scores of a node's features come from its pairs, all at once; everything else of growth stays as it is.
//!
//! The rows of the node are counted where they lie ([`NodeRows`]); features, values and classes that the node does not have cost nothing.
//! Distances are the root's, because a feature tested above is constant below. Weights are whole numbers: copies as they are, real weights are rounded to
//! multiples of a power of two for which the heaviest row has 16 binary digits (fewer where the sum would not fit the counters), so a
//! weight is off by at most 2^-16 of the heaviest and scores do not depend on threads or order.

use super::evaluate::Look;
use super::memo::KnownPairs;
use crate::criteria::pairs::{OnPairs, Pairs};
use crate::data::RowSet;
use crate::error::{Error, Result};
use crate::parallel::Control;
use crate::split::multiway::{self, NominalTable};
use crate::stats::contingency::{Code, CodedRows, Tally};
use crate::stats::pairs::{MAX_WEIGHT, Matrices, NodeRows, Numbering, Part, Profile, Setting};
use crate::stats::{Sum, Weighing};
use std::sync::{Arc, OnceLock};

/// What the pairs of all nodes share.
#[derive(Debug)]
pub(super) struct PairGround {
    /// Whole weights by internal row; nothing where every row counts once.
    weights: Option<Vec<u32>>,
    /// Value of a pair of weight one.
    scale: f64,
    /// Relief's radius at the root, once the root was counted.
    radius: OnceLock<usize>,
}

impl PairGround {
    /// For trees on some rows of a data set of `n`.
    pub fn new<W: Weighing>(weights: W, rows: &RowSet, n: usize) -> Self {
        let radius = OnceLock::new();
        if W::UNIT {
            return Self { weights: None, scale: 1.0, radius };
        }
        let value = |r: u32| weights.of(r).value(weights.unit());
        let mut unit = 1.0;
        if !W::COPIES {
            let largest = rows.rows().iter().map(|&r| value(r)).fold(f64::MIN_POSITIVE, f64::max);
            let sum: f64 = rows.rows().iter().map(|&r| value(r)).sum();
            while largest / unit >= 65_535.0 || sum / unit + rows.len() as f64 >= MAX_WEIGHT as f64 {
                unit *= 2.0;
            }
            while largest / unit < 32_767.0 && 2.0 * sum / unit + (rows.len() as f64) < MAX_WEIGHT as f64 {
                unit /= 2.0;
            }
        }
        let mut whole = vec![0; n];
        rows.rows().iter().for_each(|&r| whole[r as usize] = (value(r) / unit).round() as u32);
        Self { weights: Some(whole), scale: unit * unit, radius }
    }

    fn weight(&self, row: u32) -> u32 {
        self.weights.as_ref().map_or(1, |w| w[row as usize])
    }
}

/// Reusable memory of one worker, and the key of the node that it looks at.
#[derive(Debug, Default)]
pub(super) struct PairTools {
    numbering: Numbering,
    pub key: u128,
    /// What the node that is looked at next can be had from.
    pub inherited: Option<Box<Inherited>>,
    /// What the last look found.
    pub last: Option<Arc<KnownPairs>>,
}

/// The pairs of a parent, and the rows of all its children but one.
#[derive(Debug)]
pub(super) struct Inherited {
    pub parent: Arc<KnownPairs>,
    pub codes: Vec<u32>,
    pub classes: Vec<u16>,
}

/// Scores of the features of a node that vary.
#[derive(Debug, Default)]
pub(super) struct PairScores {
    /// Place among the nominal features, and score.
    pub scores: Vec<(u32, f64)>,
    /// Score of the split that divides nothing.
    pub whole: f64,
}

impl<C: Code, W: Weighing> Look<'_, '_, C, W> {
    /// Score the features of the node by its pairs.
    pub fn pair_scores(
        &self,
        metric: &dyn OnPairs,
        tools: &mut PairTools,
        control: &Control,
    ) -> Result<PairScores> {
        let Some(pairs) = &self.ground.pairs else {
            return Err(Error::Internal("pairs of a ground without weights for them".into()));
        };
        if let Some(setting) = metric.weighed()? {
            return self.weighed(metric, &setting, pairs, tools, control);
        }
        let memo = self.ground.setting.memo.filter(|_| metric.matrices().is_none());
        let known = match memo.and_then(|m| m.get(tools.key)) {
            Some(known) => known,
            None => {
                let (known, matrices) = self.counted(metric.matrices(), pairs, tools, control)?;
                if let Some(m) = memo {
                    m.keep(tools.key, &known);
                }
                if let Some(m) = matrices {
                    return self.judged(metric, pairs, &known, Some(&m));
                }
                known
            }
        };
        let scores = self.judged(metric, pairs, &known, None);
        tools.last = known.counts.is_some().then_some(known);
        scores
    }

    /// Weigh the pairs of the node under one setting.
    fn weighed(
        &self,
        metric: &dyn OnPairs,
        setting: &Setting,
        pairs: &PairGround,
        tools: &mut PairTools,
        control: &Control,
    ) -> Result<PairScores> {
        let (nominal, classes) = (&self.ground.nominal, self.ground.data.n_classes());
        let coded = self.field.coded(nominal.features.len(), self.extent);
        let weight = |r| pairs.weight(r);
        let rows = NodeRows::gather(coded, &nominal.layout, classes, weight, &mut tools.numbering)?;
        if rows.features().is_empty() {
            return Ok(PairScores::default());
        }
        let sums = rows.weighed(control, setting)?.scaled(pairs.scale);
        let evidence =
            Pairs { profile: &Profile::default(), radius: 0, matrices: None, weighed: Some(&sums) };
        self.told(metric, rows.features(), &evidence)
    }

    /// Count the pairs of the node.
    fn counted(
        &self,
        setting: Option<&Setting>,
        pairs: &PairGround,
        tools: &mut PairTools,
        control: &Control,
    ) -> Result<(Arc<KnownPairs>, Option<Matrices>)> {
        let (nominal, classes) = (&self.ground.nominal, self.ground.data.n_classes());
        let coded = self.field.coded(nominal.features.len(), self.extent);
        if let Some(inherited) = tools.inherited.take()
            && let Some(parent) = &inherited.parent.counts
            && setting.is_none()
        {
            let gone = Part { codes: &inherited.codes, classes: &inherited.classes };
            let stay = Part { codes: coded.codes, classes: coded.classes };
            let counts = parent.without(&nominal.layout, gone, stay, control)?;
            let (features, profile) = (counts.features().to_vec(), counts.profile());
            return Ok((Arc::new(KnownPairs { features, profile, counts: Some(counts) }), None));
        }
        let weight = |r| pairs.weight(r);
        let rows = NodeRows::gather(coded, &nominal.layout, classes, weight, &mut tools.numbering)?;
        let (profile, counts) = match rows.features() {
            [] => (Profile::default(), None),
            _ => {
                let (profile, counts) = rows.profile_and_counts(control)?;
                (profile.scaled(pairs.scale), counts.filter(|_| W::UNIT && setting.is_none()))
            }
        };
        let matrices = setting.filter(|_| !rows.features().is_empty());
        let matrices =
            matrices.map(|s| rows.matrices(control, &nominal.layout, classes, s, pairs.scale)).transpose()?;
        Ok((Arc::new(KnownPairs { features: rows.features().to_vec(), profile, counts }), matrices))
    }

    fn judged(
        &self,
        metric: &dyn OnPairs,
        pairs: &PairGround,
        known: &KnownPairs,
        matrices: Option<&Matrices>,
    ) -> Result<PairScores> {
        if known.features.is_empty() {
            return Ok(PairScores::default());
        }
        let radius = *pairs.radius.get_or_init(|| known.profile.default_radius());
        let evidence = Pairs { profile: &known.profile, radius, matrices, weighed: None };
        self.told(metric, &known.features, &evidence)
    }

    fn told(&self, metric: &dyn OnPairs, features: &[u32], evidence: &Pairs<'_>) -> Result<PairScores> {
        let scores = metric.score(evidence)?;
        let whole = match self.ground.setting.limits.no_distance_decay {
            super::Decay::Ignore => 0.0,
            _ => metric.whole(evidence)?,
        };
        Ok(PairScores { scores: features.iter().copied().zip(scores).collect(), whole })
    }

    /// Whether a nominal feature has two branches with rows, and none that is too small.
    pub fn is_candidate(&self, place: usize, tally: &Tally<W::Sum>) -> bool {
        let nominal = &self.ground.nominal;
        let feature = nominal.features[place];
        let table = NominalTable {
            feature,
            cells: tally.table(&nominal.layout, place),
            missing: nominal.missing[place],
        };
        let unit = self.ground.weights.unit();
        multiway::branches(&table, self.totals.len(), unit, self.minimum()).is_some()
            && self.is_large_enough(feature)
    }
}

/// Relief's radius of some rows, for looks at nodes far from their root.
pub(super) fn settle_radius<C: Code, W: Weighing>(
    look: &Look<'_, '_, C, W>,
    root: CodedRows<'_, C>,
    control: &Control,
) -> Result<()> {
    let (nominal, Some(pairs)) = (&look.ground.nominal, &look.ground.pairs) else { return Ok(()) };
    let classes = look.ground.data.n_classes();
    let weight = |r| pairs.weight(r);
    let rows = NodeRows::gather(root, &nominal.layout, classes, weight, &mut Numbering::default())?;
    if !rows.features().is_empty() {
        let profile: Profile = rows.profile(control)?;
        pairs.radius.get_or_init(|| profile.default_radius());
    }
    Ok(())
}
