//! Trees of at most one test (`exact`).

use super::gaps::{SideCosts, SideLeaves};
use super::losses::Loss;
use super::plans::{Incumbent, Plan, PlanSplit, Split};
use super::ranked::RankedTest;
use super::setting::{Answer, Query, Setting};
use super::sorted::NEEDED;
use crate::parallel::Control;

/// A set as a leaf.
pub(super) fn leaf_only<L: Loss>(setting: &Setting<'_, L>, query: &Query<'_>) -> Answer {
    let cost = setting.leaf(query.set);
    let mut best = Incumbent::new(query.limit, query.is_first);
    best.take(cost, None, Some(Plan::Stump(1)));
    let by_column = vec![f64::INFINITY; query.by_column.len()];
    Answer { lower: cost, best, by_column, halted: None }
}

/// The best tree of at most one test; the first of several best.
pub(super) fn one_test<L: Loss>(
    setting: &Setting<'_, L>,
    query: &Query<'_>,
    control: &Control,
) -> Answer {
    let (set, loss) = (query.set, setting.loss);
    let leaf = setting.leaf(set);
    let mut best = Incumbent::new(query.limit, true);
    best.take(leaf, None, Some(Plan::Stump(1)));
    let mut by_column = vec![f64::INFINITY; set.columns.len()];
    let mut halted = None;
    for (column, own) in set.columns.iter().enumerate() {
        let stopped = control.check();
        if let Err(error) = stopped {
            halted = Some(error);
            break;
        }
        let mut left = vec![0.0; set.counts.len()];
        let mut right = set.counts.clone();
        let mut threshold = 0;
        for (k, &row) in own.order.iter().enumerate() {
            let class = usize::from(setting.rows.class[row as usize]);
            left[class] += setting.rows.weight(row);
            right[class] = set.counts[class] - left[class];
            if own.marks[k] & NEEDED == 0 {
                continue;
            }
            while (own.below[threshold] as usize) < k + 1 {
                threshold += 1;
            }
            if threshold < own.first || threshold > own.last {
                continue;
            }
            let costs = SideCosts {
                left: loss.leaf(&left) + setting.penalty,
                right: loss.leaf(&right) + setting.penalty,
            };
            let cost = costs.left + costs.right;
            by_column[column] = by_column[column].min(cost);
            let test = RankedTest { column: column as u32, below: own.ranks[threshold] };
            let split = Split { test, leaves: SideLeaves { left: 1, right: 1 }, costs };
            if best.is_beaten(setting, cost, &split) {
                best.cost = best.cost.min(cost);
                best.split = Some(split);
                best.plan = Some(Plan::Split(Box::new(PlanSplit {
                    test,
                    left: Plan::Stump(1),
                    right: Plan::Stump(1),
                })));
            }
        }
    }
    by_column.iter_mut().for_each(|bound| *bound = bound.min(best.cost));
    let lower = if halted.is_none() { best.cost } else { 0.0 };
    Answer { lower, best, by_column, halted }
}
