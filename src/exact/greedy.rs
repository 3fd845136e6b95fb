//! Consistent trees in a hurry: the upper bound that a search starts from.
//!
//! Top-down growth by weighted impurity (entropy, Gini, misclassified rows) of the class sets,
//! every row once. O(rows x features) per level. Not a learner: thresholds are cut at any boundary,
//! labels are those of the search.

use super::lists::{FeatureCuts, SortedLists};
use super::plan::TreePlan;
use super::problem::Problem;
use crate::error::Result;
use crate::parallel::Control;
use std::rc::Rc;

/// What a split is judged by.
#[derive(Debug, Clone, Copy)]
pub(super) enum Measure {
    Entropy,
    Gini,
    Errors,
}

/// All measures, in the order in which they are tried.
pub(super) const MEASURES: [Measure; 3] = [Measure::Entropy, Measure::Gini, Measure::Errors];

fn impurity(measure: Measure, counts: &[u32], total: u32) -> f64 {
    let n = f64::from(total.max(1));
    let shares = counts.iter().filter(|&&c| c > 0).map(|&c| f64::from(c) / n);
    n * match measure {
        Measure::Entropy => -shares.map(|p| p * p.log2()).sum::<f64>(),
        Measure::Gini => 1.0 - shares.map(|p| p * p).sum::<f64>(),
        Measure::Errors => 1.0 - shares.fold(0.0, f64::max),
    }
}

/// A consistent tree of a set of rows.
pub(super) fn grow(
    problem: &Problem,
    root: Vec<u64>,
    measure: Measure,
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
                let score = impurity(measure, &left, at as u32)
                    + impurity(measure, &right, (list.len() - at) as u32);
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
