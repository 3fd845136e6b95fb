//! Criteria on the moments of a numeric target: the sums of a node that a formula reads, and the
//! outcome of a node.
//!
//! The table of a candidate has one cell per branch, with the weight, mean and squared deviation of
//! its rows ([`Moments`]). A criterion of this kind declares an impurity; its score is the impurity
//! of the node minus the mean impurity of the branches, weighted by their rows. Criteria that need
//! medians or quantiles read the [order](super::order). O(branches) per candidate.

use super::{Criterion, Info, Properties, Tables};
use crate::data::TargetGrid;
use crate::error::{Error, Result};
use crate::numeric::{Cells, Moments};
use crate::tree::Outcome;

/// A formula on moments.
pub trait OnMoments: Send + Sync + std::fmt::Debug {
    /// Facts.
    fn info(&self) -> &'static Info;
    /// The impurity of some rows, of positive weight. A summand that is the same for a node and for
    /// the mean of its branches may be left out where [`Self::averages_divergences`] is true.
    fn impurity(&self, rows: &Moments, grid: TargetGrid) -> f64;
    /// The score of a split of `node`: negative infinity where it is not allowed.
    fn score(
        &self,
        node: &Moments,
        branches: &mut dyn Iterator<Item = Moments>,
        grid: TargetGrid,
    ) -> f64 {
        let after: f64 = branches
            .map(|branch| match branch.weight > 0.0 {
                true => branch.weight / node.weight * self.impurity(&branch, grid),
                false => 0.0,
            })
            .sum();
        self.impurity(node, grid) - after
    }
    /// See [`Criterion::averages_divergences`].
    fn averages_divergences(&self) -> bool {
        false
    }
    /// See [`Criterion::divergence`].
    fn divergence(&self, difference: f64, _at: f64) -> f64 {
        difference * difference
    }
    /// Whether the score is the weighted mean of the squared differences of the branches' means
    /// from the node's, so that sums alone decide.
    fn is_between_means(&self) -> bool {
        false
    }
    /// Whether the mean impurity of the branches depends on their means alone, by a concave
    /// function: a best division of levels in two then cuts the order of their means (Breiman,
    /// Friedman, Olshen & Stone 1984, section 4.2.2).
    fn is_of_means(&self) -> bool {
        self.is_between_means()
    }
    /// Refuse numbers outside the domain of the formula. `name` is the name of the target, and
    /// `values` are the rows with their numbers.
    fn admit(&self, _name: &str, _values: &mut dyn Iterator<Item = (usize, f64)>) -> Result<()> {
        Ok(())
    }
}

/// A formula on moments as a criterion.
#[derive(Debug)]
pub struct MomentCriterion<M>(pub M);

impl<M: OnMoments> Properties for MomentCriterion<M> {
    fn info(&self) -> &'static Info {
        self.0.info()
    }
    fn reads_logs(&self) -> bool {
        false
    }
    fn breiman_order(&self) -> bool {
        self.0.is_of_means()
    }
    fn is_between_means(&self) -> bool {
        self.0.is_between_means()
    }
}

impl<M: OnMoments> Criterion for MomentCriterion<M> {
    fn evaluate(&self, tables: &Tables<'_>, distance: bool, out: &mut [f64]) -> Result<()> {
        let (Cells::Moments(cells), Cells::Moments([node]), Some(grid)) =
            (tables.cells, tables.totals, tables.context.grid)
        else {
            return Err(Error::Unsupported {
                what: format!("criterion='{}' on classes", self.0.info().name),
                supported: "a numeric target: FastTreeRegressor (task: regression)".into(),
            });
        };
        for (candidate, out) in out.iter_mut().enumerate() {
            let mut branches =
                (0..tables.branches).map(|branch| cells[branch * tables.stride + candidate]);
            *out = match node.weight > 0.0 {
                true if distance => {
                    let filled = branches.filter(|branch| branch.weight > 0.0);
                    filled.map(|b| b.weight / node.weight * self.0.impurity(&b, grid)).sum()
                }
                true => self.0.score(node, &mut branches, grid),
                false => 0.0,
            };
        }
        Ok(())
    }
    fn outcome(&self, rows: &Moments, grid: TargetGrid) -> Outcome {
        Outcome {
            value: grid.to_number(rows.mean),
            impurity: self.0.impurity(rows, grid),
            variance: grid.variance(rows),
        }
    }
    fn averages_divergences(&self) -> bool {
        self.0.averages_divergences()
    }
    fn divergence(&self, difference: f64, at: f64) -> f64 {
        self.0.divergence(difference, at)
    }
    fn admit_target(
        &self,
        name: &str,
        values: &mut dyn Iterator<Item = (usize, f64)>,
    ) -> Result<()> {
        self.0.admit(name, values)
    }
}
