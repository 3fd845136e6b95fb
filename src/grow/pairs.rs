//! Growth on pairs of rows: the scores of a node's features come from its pairs, all at once;
//! everything else of growth stays as it is.
//!
//! The rows of the node are counted where they lie ([`NodeRows`]); features, values and classes
//! that the node does not have cost nothing. Distances are the root's, because a feature tested
//! above is constant below. Weights are whole numbers: copies as they are, real weights are rounded
//! to multiples of a power of two for which the heaviest row has 16 binary digits (fewer where the
//! sum would not fit the counters), so a weight is off by at most 2^-16 of the heaviest and scores
//! do not depend on threads or order.

use super::evaluate::Look;
use super::memo::{KnownPairs, PairMemo};
use crate::criteria::pairs::{OnPairs, Pairs, Precision};
use crate::data::RowSet;
use crate::error::{Error, Result};
use crate::parallel::Control;
use crate::split::multiway::{self, NominalTable};
use crate::stats::contingency::{Code, CodedRows, Tally};
use crate::stats::pairs::{Enough, MAX_WEIGHT, NodeRows, Numbering, Part, Profile, Setting};
use crate::stats::{Sum, Weighing};
use std::sync::{Arc, OnceLock};

/// More features than this have so many distances that a single setting is cheaper to weigh than to
/// count.
const MANY: usize = 64;
/// Most counters of a node that trees of one cross-validation or sweep share; more are never made
/// where sums do as well.
const LARGE: usize = 1 << 23;

/// What the pairs of all nodes share.
#[derive(Debug)]
pub(super) struct PairGround {
    /// Whole weights by internal row; nothing where every row counts once.
    weights: Option<Vec<u32>>,
    /// Value of a pair of weight one.
    scale: f64,
    /// When Relief's radius is large enough.
    enough: Enough,
    /// Relief's radius at the root, once the root was looked at.
    radius: OnceLock<usize>,
}

impl PairGround {
    /// For trees on some rows of a data set of `n`.
    pub fn new<W: Weighing>(weights: W, rows: &RowSet, n: usize) -> Self {
        let radius = OnceLock::new();
        if W::UNIT {
            let enough = Enough::of_copies(rows.len() as f64);
            return Self { weights: None, scale: 1.0, enough, radius };
        }
        let value = |r: u32| weights.of(r).value(weights.unit());
        let mut unit = 1.0;
        if !W::COPIES {
            let largest = rows.rows().iter().map(|&r| value(r)).fold(f64::MIN_POSITIVE, f64::max);
            let sum: f64 = rows.rows().iter().map(|&r| value(r)).sum();
            while largest / unit >= 65_535.0 || sum / unit + rows.len() as f64 >= MAX_WEIGHT as f64
            {
                unit *= 2.0;
            }
            while largest / unit < 32_767.0
                && 2.0 * sum / unit + (rows.len() as f64) < MAX_WEIGHT as f64
            {
                unit /= 2.0;
            }
        }
        let mut whole = vec![0; n];
        rows.rows().iter().for_each(|&r| whole[r as usize] = (value(r) / unit).round() as u32);
        let weighed = rows.rows().iter().map(|&r| f64::from(whole[r as usize]));
        let enough = match W::COPIES {
            true => Enough::of_copies(weighed.sum()),
            false => Enough::of_importances(weighed),
        };
        Self { weights: Some(whole), scale: unit * unit, enough, radius }
    }

    /// Relief's radius at the root; `rows` are those of the root unless it is known.
    fn radius_of(&self, rows: &NodeRows, control: &Control) -> Result<usize> {
        match self.radius.get() {
            Some(&radius) => Ok(radius),
            None => {
                let found = rows.radius(control, self.enough)?;
                Ok(*self.radius.get_or_init(|| found))
            }
        }
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
    /// The node that was evaluated last, and what was found of it.
    pub node: u32,
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
            let rows = self.gathered(pairs, tools)?;
            return self.weighed(metric, &setting, pairs, &rows, control);
        }
        if let Some((setting, precision)) = metric.matrices() {
            let rows = self.gathered(pairs, tools)?;
            return self.by_matrices(metric, setting, precision, pairs, &rows, control);
        }
        let memo = self.ground.setting.memo;
        let known = match memo.and_then(|m| m.get(tools.key)) {
            Some(known) => known,
            None => {
                if self.has_many_distances(memo.is_some_and(PairMemo::is_open))
                    && let Some(setting) =
                        metric.alike(&mut || self.radius(pairs, tools, control))?
                {
                    let rows = self.gathered(pairs, tools)?;
                    return self.weighed(metric, &setting, pairs, &rows, control);
                }
                let known = self.counted(pairs, tools, control)?;
                if let Some(m) = memo {
                    m.keep(tools.key, &known);
                }
                known
            }
        };
        let scores = self.judged(metric, pairs, &known);
        tools.last = known.counts.is_some().then_some(known);
        scores
    }

    /// Whether counts by distance cost more than the sums of one setting: always where they are
    /// large, and where nobody shares them from [`MANY`] features on.
    fn has_many_distances(&self, shared: bool) -> bool {
        let layout = &self.ground.nominal.layout;
        let features = layout.features();
        let values: usize = (0..features).map(|j| layout.arity(j)).sum();
        let counters =
            values.saturating_mul(self.ground.data.n_classes()).saturating_mul(4 * (features + 1));
        features > MANY && (!shared || counters > LARGE)
    }

    /// The rows of the node, ready to be counted.
    fn gathered(&self, pairs: &PairGround, tools: &mut PairTools) -> Result<NodeRows> {
        let nominal = &self.ground.nominal;
        let coded = self.field.coded(nominal.features.len(), self.extent);
        let (classes, weight) = (self.ground.data.n_classes(), |r| pairs.weight(r));
        NodeRows::gather(coded, &nominal.layout, classes, weight, &mut tools.numbering)
    }

    /// Weigh the pairs of the node under one setting.
    fn weighed(
        &self,
        metric: &dyn OnPairs,
        setting: &Setting,
        pairs: &PairGround,
        rows: &NodeRows,
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
        setting: &Setting,
        precision: Precision,
        pairs: &PairGround,
        rows: &NodeRows,
        control: &Control,
    ) -> Result<PairScores> {
        if rows.features().is_empty() {
            return Ok(PairScores::default());
        }
        let (layout, classes) = (&self.ground.nominal.layout, self.ground.data.n_classes());
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
        pairs: &PairGround,
        tools: &mut PairTools,
        control: &Control,
    ) -> Result<usize> {
        match pairs.radius.get() {
            Some(&radius) => Ok(radius),
            None => pairs.radius_of(&self.gathered(pairs, tools)?, control),
        }
    }

    /// Count the pairs of the node.
    fn counted(
        &self,
        pairs: &PairGround,
        tools: &mut PairTools,
        control: &Control,
    ) -> Result<Arc<KnownPairs>> {
        if let Some(inherited) = tools.inherited.take()
            && let Some(parent) = &inherited.parent.counts
        {
            let nominal = &self.ground.nominal;
            let coded = self.field.coded(nominal.features.len(), self.extent);
            let gone = Part { codes: &inherited.codes, classes: &inherited.classes };
            let stay = Part { codes: coded.codes, classes: coded.classes };
            let counts = parent.without(&nominal.layout, gone, stay, control)?;
            let (features, profile) = (counts.features().to_vec(), counts.profile());
            return Ok(Arc::new(KnownPairs { features, profile, counts: Some(counts) }));
        }
        let rows = self.gathered(pairs, tools)?;
        let (profile, counts) = match rows.features() {
            [] => (Profile::default(), None),
            _ => {
                let (profile, counts) = rows.profile_and_counts(control)?;
                (profile.scaled(pairs.scale), counts.filter(|_| W::UNIT))
            }
        };
        Ok(Arc::new(KnownPairs { features: rows.features().to_vec(), profile, counts }))
    }

    fn judged(
        &self,
        metric: &dyn OnPairs,
        pairs: &PairGround,
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
        let limits = &self.ground.setting.limits;
        let asked = limits.no_distance_decay != super::Decay::Ignore || limits.need_improvement();
        let whole = if asked { metric.whole(evidence)? } else { 0.0 };
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
        pairs.radius_of(&rows, control)?;
    }
    Ok(())
}
