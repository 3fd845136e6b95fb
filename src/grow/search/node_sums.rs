//! The class sums of one node ([`NodeSums`]): the tables that a criterion reads from them, and the
//! limits that need a table.
//!
//! Every form of rows builds one per node. O(branches x classes) per table.

use super::best_split::BestSplit;
use crate::criteria::{Criterion, Tables};
use crate::error::Result;
use crate::grow::options::GrowthSetting;
use crate::split::multiway::Minimum;
use crate::stats::Sum;

/// Tables of up to this many cells and totals lie on the stack: two branches of four classes.
const FEW_CELLS: usize = 12;

/// The options of growth and the class sums of a node.
#[derive(Debug, Clone, Copy)]
pub(in crate::grow) struct NodeSums<'n, S> {
    pub setting: &'n GrowthSetting<'n>,
    /// Sum of each class over the node's rows.
    pub totals: &'n [S],
    /// Value of one unit of the sums.
    pub unit: f64,
}

impl<S: Sum> NodeSums<'_, S> {
    /// Class sums by branch of a threshold, from the class sums of its `left` branch. `known` are
    /// the class sums of the rows with a value, where rows without one are a third branch; `None`
    /// where the threshold has two branches.
    pub fn by_branch(&self, mut left: Vec<S>, known: Option<&[S]>) -> Vec<S> {
        let (classes, with_value) = (self.totals.len(), known.unwrap_or(self.totals));
        left.extend_from_within(..classes);
        for (class, &sum) in with_value.iter().enumerate() {
            left[classes + class] = sum.minus(left[class]);
        }
        if let Some(known) = known {
            left.extend(self.totals.iter().zip(known).map(|(total, &sum)| total.minus(sum)));
        }
        left
    }

    /// Whether a branch of missing values is large enough. `known` are the class sums of the rows
    /// with a value, `rows` is the number of the rows without one, and `min` is the smallest size.
    pub fn allows_missing_branch(&self, known: &[S], rows: u32, min: Minimum) -> bool {
        let missing = self.totals.iter().zip(known).map(|(total, &sum)| total.minus(sum));
        let weight: f64 = missing.map(|sum| sum.value(self.unit)).sum();
        let size = if min.copies { weight } else { f64::from(rows) };
        weight >= min.weight && size >= f64::from(min.rows)
    }

    /// Apply `use_table` to the table of some branches, whose class sums are given branch by
    /// branch; returns the number that it writes. Small tables are made without an allocation.
    fn with_table(
        &self,
        sums: &[S],
        use_table: impl FnOnce(&Tables<'_>, &mut [f64]) -> Result<()>,
    ) -> Result<f64> {
        let (mut on_stack, mut on_heap) = ([<S::Cell>::default(); FEW_CELLS], Vec::new());
        let len = sums.len() + self.totals.len();
        let cells = match on_stack.get_mut(..len) {
            Some(cells) => cells,
            None => {
                on_heap.resize(len, <S::Cell>::default());
                &mut on_heap[..]
            }
        };
        // The cells of the branches, then the totals.
        let all_sums = sums.iter().chain(self.totals);
        cells.iter_mut().zip(all_sums).for_each(|(cell, sum)| *cell = sum.cell(self.unit));
        let (cells, totals) = cells.split_at(sums.len());
        let declared = [(sums.len() / totals.len()) as u32];
        let table = Tables::one(cells, totals, &declared, &self.setting.context);
        let mut out = [0.0];
        use_table(&table, &mut out)?;
        Ok(out[0])
    }

    /// Score of a table of branches by a criterion, which may differ from the criterion of growth:
    /// gain filters ask for the information gain. Larger is better.
    pub fn score(&self, criterion: &dyn Criterion, sums: &[S]) -> Result<f64> {
        self.with_table(sums, |table, out| criterion.score(table, out))
    }

    /// Distance of a table of branches by the criterion of growth. Smaller is better; limits
    /// compare it with the distance of the undivided node, and splits report it.
    pub fn distance(&self, sums: &[S]) -> Result<f64> {
        self.with_table(sums, |table, out| self.setting.criterion.distance(table, out))
    }

    /// Score of the node's rows in one branch. A user's function gets a table of `branches`
    /// branches, the shape that it scored before; all but one of them are empty.
    pub fn undivided_score(&self, branches: usize) -> Result<f64> {
        let criterion = self.setting.criterion;
        let branches = if criterion.needs_all_candidates() { branches } else { 1 };
        let mut sums = self.totals.to_vec();
        sums.resize(branches * self.totals.len(), S::default());
        self.score(criterion, &sums)
    }

    /// The split with its improvement, if the limits accept it.
    ///
    /// `root_weight` is the weight of the tree's rows. `distance_before` computes the distance of
    /// the node without the split and `undivided_score` its score; both are called only where a
    /// limit reads them.
    ///
    /// # Errors
    /// Any error of the two functions.
    pub fn accept(
        &self,
        mut split: BestSplit<S>,
        root_weight: f64,
        distance_before: impl FnOnce() -> Result<f64>,
        undivided_score: impl FnOnce() -> Result<f64>,
    ) -> Result<Option<BestSplit<S>>> {
        let limits = &self.setting.limits;
        if !limits.accept(split.score, split.distance, distance_before)? {
            return Ok(None);
        }
        if limits.needs_gain || limits.need_improvement() {
            let undivided = undivided_score()?;
            if limits.needs_gain && split.score <= undivided {
                return Ok(None);
            }
            let weight: f64 = self.totals.iter().map(|sum| sum.value(self.unit)).sum();
            split.improvement = self.setting.improvement(weight, split.score, undivided);
            if !limits.accept_improvement(split.improvement, root_weight) {
                return Ok(None);
            }
        }
        Ok(Some(split))
    }

    /// [`Self::accept`] with the distance and score of the undivided node from its own table.
    ///
    /// # Errors
    /// An error of a user's criterion.
    pub fn accept_by_table(
        &self,
        split: BestSplit<S>,
        root_weight: f64,
    ) -> Result<Option<BestSplit<S>>> {
        let branches = split.branches;
        let distance_before = || self.distance(self.totals);
        self.accept(split, root_weight, distance_before, || self.undivided_score(branches))
    }
}
