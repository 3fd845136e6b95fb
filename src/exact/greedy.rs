//! Consistent trees in a hurry: the upper bound that a search starts from.
//!
//! Top-down growth by weighted impurity (entropy, Gini, misclassified rows) of the class sets,
//! every row once. O(rows x features) per level. Not a learner: thresholds are cut at any boundary,
//! labels are those of the search.

use super::lists::{FeatureCuts, SortedLists};
use super::plan::TreePlan;
use super::problem::Problem;
use crate::criteria::Impurity;
use crate::error::Result;
use crate::parallel::Control;
use std::rc::Rc;

/// Measures of a split, in the order in which they are tried.
pub(super) const MEASURES: [Impurity; 3] = [Impurity::Entropy, Impurity::Gini, Impurity::Error];

/// A consistent tree of a set of rows.
pub(super) fn grow(
    problem: &Problem,
    root: Vec<u64>,
    measure: Impurity,
    control: &Control,
) -> Result<TreePlan> {
    // The lists that those of each set still to come are taken from. Lists of half the size take
    // the place of larger ones, so that all of them together are twice the first at most.
    let mut above = vec![Rc::new(SortedLists::all(problem))];
    let mut cuts = FeatureCuts::default();
    let k = problem.kinds.len();
    let kind_of: Vec<usize> = problem
        .allowed
        .iter()
        .map(|a| problem.kinds.iter().position(|(kind, _)| kind == a).unwrap_or(0))
        .collect();
    TreePlan::grow(root, problem, |bits| {
        control.check()?;
        let Some(from) = above.pop() else { return Ok(None) };
        if problem.common(bits) != 0 {
            return Ok(None);
        }
        let lists = Rc::new(from.restrict(problem.d, bits));
        let mut all = vec![0_u32; k];
        lists.of(0).iter().for_each(|&r| all[kind_of[usize::from(r)]] += 1);
        let mut best: Option<(f64, u16, u32)> = None;
        for f in 0..problem.d {
            control.check()?;
            let list = lists.of(f);
            cuts.find(problem, f, list);
            let (mut left, mut right, mut at) = (vec![0_u32; k], all.clone(), 0_usize);
            for &cut in &cuts.cuts {
                for &r in &list[at..usize::from(cut)] {
                    left[kind_of[usize::from(r)]] += 1;
                    right[kind_of[usize::from(r)]] -= 1;
                }
                at = usize::from(cut);
                let (below, above) = (at as f64, (list.len() - at) as f64);
                let score = below * measure.of(&left) + above * measure.of(&right);
                if best.is_none_or(|b| score < b.0) {
                    best = Some((score, f as u16, problem.ranks[f][usize::from(list[at - 1])]));
                }
            }
        }
        if best.is_some() {
            let next = if lists.m * 2 <= from.m { lists } else { from };
            above.extend([next.clone(), next]);
        }
        Ok(best.map(|(_, f, r)| (f, r)))
    })
}
