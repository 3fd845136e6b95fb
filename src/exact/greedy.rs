//! Consistent trees by greedy growth: the upper bound that an exact search starts from.
//!
//! Top-down growth by the weighted impurity (entropy, Gini, error) of the sets of allowed classes,
//! each distinct row counted once. O(rows x features) per level. It serves the search only:
//! thresholds lie at any boundary between values, and nothing stops growth before the leaves are
//! pure.

use super::lists::{FeatureCuts, SortedLists};
use super::plan::TreePlan;
use super::problem::{Problem, RankTest};
use crate::criteria::Impurity;
use crate::error::Result;
use crate::parallel::Control;
use std::rc::Rc;

/// Measures of a split, in the order in which they are tried.
pub(super) const MEASURES: [Impurity; 3] = [Impurity::Entropy, Impurity::Gini, Impurity::Error];

/// Grow a consistent tree of the rows in `root`, by the test of least weighted impurity at each
/// node.
///
/// # Errors
/// Returns the error of [`Control::check`], which is called for each column of each node.
pub(super) fn grow(
    problem: &Problem,
    root: Vec<u64>,
    measure: Impurity,
    control: &Control,
) -> Result<TreePlan> {
    // For each set still to be split, lists that contain its rows, in the order of the stack of
    // `TreePlan::grow`. Lists are replaced when they have halved, so that all of them together take
    // at most twice the memory of the first.
    let mut lists_above = vec![Rc::new(SortedLists::all(problem))];
    let mut cuts = FeatureCuts::default();
    // Rows with the same allowed classes are one class of the impurity.
    let n_sets = problem.class_sets.len();
    let set_of = |allowed: &u64| problem.class_sets.iter().position(|set| set.classes == *allowed);
    let class_of: Vec<usize> =
        problem.allowed.iter().map(|allowed| set_of(allowed).unwrap_or(0)).collect();
    TreePlan::grow(root, problem, |bits| {
        control.check()?;
        let Some(above) = lists_above.pop() else { return Ok(None) };
        if problem.common(bits) != 0 {
            return Ok(None);
        }
        let lists = Rc::new(above.restrict(problem.n_features, bits));
        let mut totals = vec![0_u32; n_sets];
        lists.order_of(0).iter().for_each(|&row| totals[class_of[usize::from(row)]] += 1);
        // The cut of least weighted impurity, the first one on ties.
        let mut best: Option<(f64, RankTest)> = None;
        for feature in 0..problem.n_features {
            control.check()?;
            let list = lists.order_of(feature);
            cuts.find(problem, feature, list);
            let (mut left, mut right) = (vec![0_u32; n_sets], totals.clone());
            let mut n_left = 0_usize;
            for &cut in &cuts.cuts {
                let cut = usize::from(cut);
                for &row in &list[n_left..cut] {
                    left[class_of[usize::from(row)]] += 1;
                    right[class_of[usize::from(row)]] -= 1;
                }
                n_left = cut;
                let n_right = list.len() - n_left;
                let score = n_left as f64 * measure.of_counts(&left)
                    + n_right as f64 * measure.of_counts(&right);
                if best.is_none_or(|(least, _)| score < least) {
                    let rank = problem.ranks[feature][usize::from(list[n_left - 1])];
                    best = Some((score, RankTest { feature: feature as u16, rank }));
                }
            }
        }
        if best.is_some() {
            let below = if lists.n_rows * 2 <= above.n_rows { lists } else { above };
            lists_above.extend([below.clone(), below]);
        }
        Ok(best.map(|(_, test)| test))
    })
}
