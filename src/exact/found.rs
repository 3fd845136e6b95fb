//! The nodes of a plan ([`super::plans`]), with the tests that it leaves to be looked for.

use super::losses::Loss;
use super::one_test::one_test;
use super::passes::greedy;
use super::plans::{Plan, PlanSplit};
use super::ranked::RankedTest;
use super::setting::{Query, Setting};
use super::sorted::SortedSet;
use crate::error::{Error, Result};
use crate::parallel::Control;

/// A node of the tree that was found, in pre-order.
pub(super) struct FoundNode {
    pub(super) test: Option<RankedTest>,
    pub(super) right: u32,
}

/// The rows of a node, as far as they are needed and there is time for them.
enum PlanRows {
    Root,
    Own(SortedSet),
    Unknown,
}

/// The nodes of a plan, with the tests that it leaves to be looked for; without time for that,
/// leaves in their place. Leaves above the depth `grown` grow greedily.
pub(super) fn flat<L: Loss>(
    setting: &Setting<'_, L>,
    root: &SortedSet,
    plan: Plan,
    grown: u32,
    control: &Control,
) -> Result<Vec<FoundNode>> {
    let in_time = |result: Result<_>| match result {
        Err(Error::OutOfTime) => Ok(None),
        result => result.map(Some),
    };
    let mut nodes: Vec<FoundNode> = Vec::new();
    let by_column = vec![0.0; root.columns.len()];
    // A plan, its rows, its depth, and the parent of a right child.
    let mut stack = vec![(plan, PlanRows::Root, 0, None::<usize>)];
    while let Some((plan, rows, depth, right_of)) = stack.pop() {
        let node = nodes.len();
        if let Some(parent) = right_of {
            nodes[parent].right = node as u32;
        }
        let set = match &rows {
            PlanRows::Root => Some(root),
            PlanRows::Own(set) => Some(set),
            PlanRows::Unknown => None,
        };
        let split = match (plan, set) {
            (Plan::Split(split), _) => Some(split),
            (Plan::Stump(2..), Some(set)) => {
                let answer = one_test(setting, &Query::stump(set, &by_column), control).complete();
                match in_time(answer.map(|answer| answer.best.plan))?.flatten() {
                    Some(Plan::Split(split)) => Some(split),
                    _ => None,
                }
            }
            _ => None,
        };
        let split = match (split, set) {
            (None, Some(set)) if depth < grown => {
                match greedy(setting, set, (grown - depth, u32::MAX), control)?.plan {
                    Plan::Split(split) => Some(split),
                    Plan::Stump(_) => None,
                }
            }
            (split, _) => split,
        };
        nodes.push(FoundNode { test: split.as_ref().map(|split| split.test), right: 0 });
        if let Some(split) = split {
            let PlanSplit { test, left, right } = *split;
            let side = |plan: &Plan, is_right: bool| -> Result<PlanRows> {
                let is_needed = *plan != Plan::Stump(1) || depth + 1 < grown;
                let Some(set) = set.filter(|_| is_needed) else {
                    return Ok(PlanRows::Unknown);
                };
                match set.one_side(setting.rows, test, is_right, setting.marks(), control) {
                    Err(Error::OutOfTime) => Ok(PlanRows::Unknown),
                    side => side.map(PlanRows::Own),
                }
            };
            let (rows_left, rows_right) = (side(&left, false)?, side(&right, true)?);
            stack.push((right, rows_right, depth + 1, Some(node)));
            stack.push((left, rows_left, depth + 1, None));
        }
    }
    Ok(nodes)
}
