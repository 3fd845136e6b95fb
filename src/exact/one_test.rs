//! Trees of at most one test (`exact`).

use super::gaps::{SideCosts, SideLeaves};
use super::part::SetPart;
use super::plans::{Incumbent, Plan, PlanSplit, Split};
use super::ranked::RankedTest;
use super::setting::{Answer, Query, Setting};
use super::sorted::looked_at;
use crate::parallel::Control;

/// A set as a leaf.
pub(super) fn leaf_only(setting: &Setting<'_>, query: &Query<'_>) -> Answer {
    let cost = setting.leaf(query.set);
    let mut best = Incumbent::new(query.limit, query.is_first);
    best.take(cost, None, Some(Plan::Stump(1)));
    let by_column = vec![f64::INFINITY; query.by_column.len()];
    Answer { lower: cost, best, by_column, halted: None }
}

/// The tree of at most one test that costs least, and less than `limit`, if a leaf costs `cost` of
/// its weights of the classes; the first of several best.
pub(super) fn one_test(
    setting: &Setting<'_>,
    part: SetPart<'_>,
    limit: f64,
    cost: impl Fn(&[f64]) -> f64,
    control: &Control,
) -> Answer {
    let rows = setting.rows;
    let counts = part.counts(rows);
    let mut best = Incumbent::new(limit, true);
    best.take(cost(&counts), None, Some(Plan::Stump(1)));
    // Of columns that are not looked at in time nothing is known.
    let mut by_column = vec![0.0; rows.columns.len()];
    let mark = looked_at(setting.min_rows);
    let looked = part.each_column(rows, setting.marks(), control, |column, own| {
        by_column[column] = f64::INFINITY;
        let mut left = vec![0.0; counts.len()];
        let mut right = counts.clone();
        let places = [own.first, own.last].map(|threshold| own.rows_below(threshold));
        for (k, &row) in own.order.iter().enumerate() {
            let class = usize::from(rows.class[row as usize]);
            left[class] += rows.weight(row);
            right[class] = counts[class] - left[class];
            if own.marks[k] & mark == 0 || k + 1 < places[0] || k + 1 > places[1] {
                continue;
            }
            let costs = SideCosts { left: cost(&left), right: cost(&right) };
            let cost = costs.left + costs.right;
            by_column[column] = by_column[column].min(cost);
            let below = rows.columns[column].ranks[own.order[k + 1] as usize];
            let test = RankedTest { column: column as u32, below };
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
    });
    by_column.iter_mut().for_each(|bound| *bound = bound.min(best.cost));
    let lower = if looked.is_ok() { best.cost } else { 0.0 };
    Answer { lower, best, by_column, halted: looked.err() }
}
