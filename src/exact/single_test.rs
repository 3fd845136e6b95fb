//! Trees of at most one test (`exact`).

use super::incumbent::{Incumbent, Plan, Split};
use super::part::SetPart;
use super::query::{Answer, Query};
use super::ranked::RankedTest;
use super::setting::Setting;
use super::sorted::mark_to_score;
use crate::parallel::Control;

/// The answer to a query that allows one leaf only. No test is allowed, so the bounds of all
/// columns are infinite.
pub(super) fn answer_leaf(setting: &Setting<'_>, query: &Query<'_>) -> Answer {
    let cost = setting.leaf_cost_of(query.set);
    let mut best = Incumbent::new(query.limit, query.resolves_ties);
    best.offer(cost, None, Some(Plan::Stump(1)));
    let column_bounds = vec![f64::INFINITY; query.column_bounds.len()];
    Answer { lower_bound: cost, best, column_bounds, halted: None }
}

/// The tree of at most one test that costs least, and less than `limit`; of several best tests the
/// first one. `leaf_cost` gives the cost of a leaf from its weights of the classes.
///
/// Every test of a column is scored by one pass over its order: O(rows x columns x classes). If the
/// search ends early, nothing is known of the columns that were not reached.
pub(super) fn best_single_test(
    setting: &Setting<'_>,
    part: SetPart<'_>,
    limit: f64,
    leaf_cost: impl Fn(&[f64]) -> f64,
    control: &Control,
) -> Answer {
    let rows = setting.rows;
    let counts = part.counts(rows);
    let mut best = Incumbent::new(limit, true);
    best.offer(leaf_cost(&counts), None, Some(Plan::Stump(1)));
    // Nothing is known of columns that are not reached in time.
    let mut column_bounds = vec![0.0; rows.columns.len()];
    let mark = mark_to_score(setting.min_rows);
    let visited = part.each_column(rows, setting.mark_rule(), control, |column, sorted| {
        column_bounds[column] = f64::INFINITY;
        let mut left = vec![0.0; counts.len()];
        let mut right = counts.clone();
        let [fewest_left, most_left] =
            [sorted.first, sorted.last].map(|threshold| sorted.rows_below(threshold));
        for (k, &row) in sorted.order.iter().enumerate() {
            let class = usize::from(rows.class[row as usize]);
            left[class] += rows.weight(row);
            right[class] = counts[class] - left[class];
            let n_left = k + 1;
            if sorted.marks[k] & mark == 0 || n_left < fewest_left || n_left > most_left {
                continue;
            }
            let costs = [leaf_cost(&left), leaf_cost(&right)];
            let cost = costs[0] + costs[1];
            column_bounds[column] = column_bounds[column].min(cost);
            let below = rows.columns[column].ranks[sorted.order[n_left] as usize];
            let test = RankedTest { column: column as u32, below };
            let split = Split { test, leaves: [1, 1], costs };
            if setting.is_better(cost, &split, &best) {
                best.replace(cost, split, Plan::split(test, Plan::Stump(1), Plan::Stump(1)));
            }
        }
    });
    column_bounds.iter_mut().for_each(|bound| *bound = bound.min(best.cost));
    let lower_bound = if visited.is_ok() { best.cost } else { 0.0 };
    Answer { lower_bound, best, column_bounds, halted: visited.err() }
}
