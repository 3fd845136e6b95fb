//! [`NodePlan`]: the plan that scores candidate splits of nodes of a fitted tree, by the tree's own
//! criterion or another one.
//!
//! The model's schema and tree state how growth filled missing cells, binned numbers and divided
//! rows; the plan follows them where they differ from the parameters, so that rows which
//! [`super::as_grown`] has prepared are not binned again. O(features). The plan must not be used to
//! grow a tree.

use super::config::{Config, Missing, ThresholdSearch};
use super::plan::FitPlan;
use crate::criteria::{Criterion, EvidenceKind, SplitRule};
use crate::data::Kind;
use crate::error::Result;
use crate::grow::Thresholds;
use crate::model::Model;
use crate::split::NominalSplits;

/// How candidate splits of the nodes of a fitted tree are scored.
#[derive(Debug)]
pub struct NodePlan {
    /// The parameters for rows as growth read them ([`super::as_grown`]).
    pub plan: FitPlan,
    /// How growth splits a number with cut points: bins that have a branch each are levels, other
    /// bins are edges of thresholds. `None` if the criterion compares numbers, which are not binned
    /// then.
    pub bins: Option<NominalSplits>,
}

impl NodePlan {
    /// Check parameters. `custom` is a user's criterion, which replaces `config.criterion`.
    ///
    /// # Errors
    /// Returns the errors of [`FitPlan::new`].
    pub fn new(
        model: &Model,
        mut config: Config,
        custom: Option<Box<dyn Criterion>>,
    ) -> Result<Self> {
        let criterion = custom.map_or_else(|| config.criterion(), Ok)?;
        let info = criterion.info();
        let compares_numbers = info.evidence == EvidenceKind::Neighbours;
        let on_bins = config.threshold_search == ThresholdSearch::Histogram;
        let has_cuts = model
            .schema
            .features
            .iter()
            .any(|feature| matches!(feature.kind, Kind::Numeric { cuts: Some(_), .. }));
        if has_cuts {
            config.thresholds = Thresholds::Value;
            config.threshold_search = ThresholdSearch::Exact;
        }
        // Numbers are binned already, unless the criterion compares them: then the plan bins them,
        // if the tree splits bins.
        if !compares_numbers || !has_cuts || on_bins {
            config.discretize = None;
        }
        // The inner nodes of a tree show how growth treated missing values, whatever the criterion
        // of the candidates is. For a tree without inner nodes the parameters and the criterion
        // decide.
        let is_divided = match model.tree.is_leaf(0) {
            true => config.divides(info),
            false => model.tree.divides_missing() && info.fractional,
        };
        config.missing = if config.significance.is_some() && config.missing == Missing::Auto {
            Missing::Auto
        } else if is_divided {
            Missing::Fractional
        } else if criterion.split_rule() == SplitRule::C45 {
            // C4.5's rule knows no branch of missing values; growth has filled them.
            Missing::Mode
        } else {
            Missing::Branch
        };
        let plan = FitPlan::new(config, Some(criterion))?;
        let how = if on_bins { NominalSplits::Subset } else { plan.config.nominal_splits };
        Ok(Self { plan, bins: (!compares_numbers).then_some(how) })
    }
}
