//! Scores of candidates by the rows of their branches: the negative sum of the sizes of the
//! smallest trees that classify each branch without error ([`crate::exact`]).
//!
//! The searches of a tree share a budget of search nodes; each feature of a node may spend an equal
//! part of half of what is left, so the result does not depend on threads. Exponential in the worst
//! case; other criteria do not come here.

use crate::criteria::SizeBudget;
use crate::data::{entry_row, entry_tied};
use crate::error::{Error, Result};
use crate::exact::Sizer;
use crate::grow::context::FeaturePlace;
use crate::grow::evaluate::{ByOrder, NodeEvaluator};
use crate::grow::features::WantedFeatures;
use crate::numeric::Ties;
use crate::parallel::{self, Control};
use crate::split::Scored;
use crate::stats::Sum;
use std::sync::PoisonError;

impl<W: ByOrder> NodeEvaluator<'_, '_, W> {
    /// Visit the candidates of a feature in the order of their thresholds: `visit(at, waiting,
    /// branches)` gets the rows of the branches and the number of candidates that are left, this
    /// one included.
    fn each_by_rows(
        &self,
        feature: u32,
        visit: &mut dyn FnMut(u32, usize, &[&[u32]]) -> Result<()>,
    ) -> Result<()> {
        let min = self.minimum();
        let enough = |rows: &[u32]| {
            let weight: f64 = rows.iter().map(|&r| self.value(r)).sum();
            let count = if self.context.weights.are_copies() { weight } else { rows.len() as f64 };
            count >= f64::from(min.rows) && weight >= min.weight
        };
        match self.context.place(feature) {
            FeaturePlace::Numeric(i) => {
                let order = self.slices.order(i, self.range);
                let rows: Vec<u32> = order.iter().map(|&e| entry_row(e)).collect();
                let (known, missing) = rows.split_at(self.known(i).order.len());
                if !missing.is_empty() && !enough(missing) {
                    return Ok(());
                }
                // A cut lies between values that differ.
                let is_cut = |&at: &usize| entry_tied(order[at]) == 0;
                let cuts: Vec<usize> = (1..known.len()).filter(is_cut).collect();
                for (i, &at) in cuts.iter().enumerate() {
                    let (left, right) = known.split_at(at);
                    if enough(left) && enough(right) {
                        visit(at as u32, cuts.len() - i, &[left, right, missing])?;
                    }
                }
            }
            FeaturePlace::Nominal(j) => {
                // One branch per level that has rows.
                let branches = self.coded().by_code(&self.context.nominal.layout, j);
                let filled: Vec<&[u32]> =
                    branches.iter().filter(|b| !b.is_empty()).map(Vec::as_slice).collect();
                if filled.len() > 1 && filled.iter().all(|b| enough(b)) {
                    visit(0, 1, &filled)?;
                }
            }
        }
        Ok(())
    }

    /// The results of `ask` for each feature, on several threads. Each feature may spend an equal
    /// share of `left` search nodes, and at most `branch` per branch.
    fn of_features<T: Send>(
        &self,
        features: &[u32],
        branch: u64,
        left: u64,
        control: &Control,
        ask: &(dyn Fn(u32, &mut Sizer<'_>) -> Result<T> + Sync),
    ) -> Result<Vec<T>> {
        let share = left / features.len().max(1) as u64;
        let found = parallel::map(control, features.len(), &|i| {
            let mut sizer = self.sizer(branch, share, control)?;
            let found = ask(features[i], &mut sizer)?;
            Ok((found, sizer.spent()))
        })?;
        self.spend(found.iter().map(|(_, spent)| spent).sum());
        Ok(found.into_iter().map(|(found, _)| found).collect())
    }

    /// Search nodes that are left for the whole tree.
    fn left(&self) -> u64 {
        *self.context.size_budget.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Take search nodes from the budget of the tree.
    fn spend(&self, nodes: u64) {
        let mut left = self.context.size_budget.lock().unwrap_or_else(PoisonError::into_inner);
        *left = left.saturating_sub(nodes);
    }

    /// Weight of a row.
    fn value(&self, row: u32) -> f64 {
        self.context.weights.of(row).value(self.context.weights.unit())
    }

    /// A search for smallest trees of at most `branch` search nodes per branch and `left` in all.
    fn sizer<'c>(&'c self, branch: u64, left: u64, control: &'c Control) -> Result<Sizer<'c>> {
        match &self.context.sizes {
            Some(Ok(sizes)) => Ok(sizes.sizer(branch, left, control)),
            Some(Err(e)) => Err(e.clone()),
            None => Err(Error::Internal("rows of a context without their sizes".into())),
        }
    }

    /// The best candidate of each wanted feature.
    pub(in crate::grow) fn best_by_rows(
        &self,
        budget: SizeBudget,
        wanted: WantedFeatures<'_>,
        control: &Control,
    ) -> Result<Vec<Scored>> {
        let ties = self.context.setting.ties;
        let features = (0..self.context.data.columns().len() as u32).filter(|&f| wanted.has(f));
        let features: Vec<u32> = features.collect();
        // Half of the budget, so that the nodes below have some left.
        let left = self.left() / 2;
        let found =
            self.of_features(&features, budget.branch, left, control, &|feature, sizer| {
                let mut best: Vec<Scored> = Vec::new();
                self.each_by_rows(feature, &mut |at, waiting, branches| {
                    // Sums are not needed beyond the best one, nor an equal one unless ties are
                    // drawn.
                    let equal = usize::from(ties != Ties::First);
                    let enough = best.first().map_or(usize::MAX, |s| -s.score as usize + equal);
                    let score = -(sizer.sum(branches, enough, waiting)? as f64);
                    Scored::keep(&mut best, feature, at, score, ties);
                    Ok(())
                })?;
                Ok(best)
            })?;
        Ok(found.into_iter().flatten().collect())
    }

    /// Score of the undivided node.
    pub(in crate::grow) fn undivided_by_rows(
        &self,
        budget: SizeBudget,
        control: &Control,
    ) -> Result<f64> {
        let rows: Vec<u32> = match self.context.numeric.is_empty() {
            true => self.coded().rows.to_vec(),
            false => self.slices.order(0, self.range).iter().map(|&e| entry_row(e)).collect(),
        };
        let mut sizer = self.sizer(budget.branch, self.left() / 2, control)?;
        let sum = sizer.sum(&[&rows], usize::MAX, 1)?;
        self.spend(sizer.spent());
        Ok(-(sum as f64))
    }

    /// All candidates: feature, rows on the left of a threshold (0 for a multiway split), score.
    pub(in crate::grow) fn all_by_rows(
        &self,
        budget: SizeBudget,
        control: &Control,
    ) -> Result<Vec<(u32, u32, f64)>> {
        let features: Vec<u32> = (0..self.context.data.columns().len() as u32).collect();
        let left = self.left();
        let found =
            self.of_features(&features, budget.branch, left, control, &|feature, sizer| {
                let mut found = Vec::new();
                self.each_by_rows(feature, &mut |at, waiting, branches| {
                    let sum = sizer.sum(branches, usize::MAX, waiting)?;
                    found.push((feature, at, -(sum as f64)));
                    Ok(())
                })?;
                Ok(found)
            })?;
        Ok(found.concat())
    }
}
