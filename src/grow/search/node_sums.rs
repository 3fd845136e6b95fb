//! The sums of one node as tables that a criterion reads, and the limits that ask for them
//! ([`NodeSums`]). O(cells) each.

use super::best_split::BestSplit;
use crate::criteria::{Criterion, Tables};
use crate::error::Result;
use crate::grow::options::GrowthSetting;
use crate::stats::Sum;

/// Cells of a table that lie on the stack.
const FEW_CELLS: usize = 12;

/// The options of growth and the sums of a node.
#[derive(Debug, Clone, Copy)]
pub(in crate::grow) struct NodeSums<'n, S> {
    pub setting: &'n GrowthSetting<'n>,
    /// Sum of each component (class) over the node's rows.
    pub totals: &'n [S],
    /// Value of one unit of the sums.
    pub unit: f64,
}

impl<S: Sum> NodeSums<'_, S> {
    /// The table of some branches, whose sums are given branch by branch.
    fn one_table(
        &self,
        sums: &[S],
        use_table: impl FnOnce(&Tables<'_>, &mut [f64]) -> Result<()>,
    ) -> Result<f64> {
        let (mut few, mut many) = ([<S::Cell>::default(); FEW_CELLS], Vec::new());
        let len = sums.len() + self.totals.len();
        let cells = match few.get_mut(..len) {
            Some(few) => few,
            None => {
                many.resize(len, <S::Cell>::default());
                &mut many[..]
            }
        };
        let both = sums.iter().chain(self.totals);
        cells.iter_mut().zip(both).for_each(|(cell, sum)| *cell = sum.cell(self.unit));
        let (cells, totals) = cells.split_at(sums.len());
        let declared = [(sums.len() / totals.len()) as u32];
        let table = Tables::one(cells, totals, &declared, &self.setting.context);
        let mut out = [0.0];
        use_table(&table, &mut out)?;
        Ok(out[0])
    }

    /// What a criterion says of some branches.
    pub fn score(&self, criterion: &dyn Criterion, sums: &[S]) -> Result<f64> {
        self.one_table(sums, |table, out| criterion.score(table, out))
    }

    /// The distance of some branches by the criterion of growth.
    pub fn distance(&self, sums: &[S]) -> Result<f64> {
        self.one_table(sums, |table, out| self.setting.criterion.distance(table, out))
    }

    /// Score of the node's rows in one branch. A user's function gets a table of as many branches
    /// as it has seen, all but one of them empty.
    pub fn undivided_score(&self, branches: usize) -> Result<f64> {
        let criterion = self.setting.criterion;
        let branches = if criterion.needs_all_candidates() { branches } else { 1 };
        let mut sums = self.totals.to_vec();
        sums.resize(branches * self.totals.len(), S::default());
        self.score(criterion, &sums)
    }

    /// A split, if the limits let it be made; `root` is the weight of the tree's rows. `before` is
    /// the distance of the node without the split, `undivided` its score.
    pub fn accepted(
        &self,
        mut split: BestSplit<S>,
        root: f64,
        before: impl FnOnce() -> Result<f64>,
        undivided: impl FnOnce() -> Result<f64>,
    ) -> Result<Option<BestSplit<S>>> {
        let limits = &self.setting.limits;
        if !limits.accept(split.score, split.distance, before)? {
            return Ok(None);
        }
        if limits.need_improvement() {
            let weight: f64 = self.totals.iter().map(|s| s.value(self.unit)).sum();
            split.improvement = self.setting.improvement(weight, split.score, undivided()?);
            if !limits.accept_improvement(split.improvement, root) {
                return Ok(None);
            }
        }
        Ok(Some(split))
    }

    /// [`Self::accepted`] where the node's own table says what it is without the split.
    pub fn accepted_by_table(
        &self,
        split: BestSplit<S>,
        root: f64,
    ) -> Result<Option<BestSplit<S>>> {
        let branches = split.branches;
        let before = || self.distance(self.totals);
        self.accepted(split, root, before, || self.undivided_score(branches))
    }
}
