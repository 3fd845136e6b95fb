//! A tree during an exact search, with ranks as thresholds, and its conversion to a [`Tree`].
//!
//! A plan does not hold sets of rows. Functions that need the rows of the nodes send all rows down
//! the tree again, O(rows x depth).

use super::consistent::{ConsistentSearch, Halt};
use super::lists::SortedLists;
use super::problem::{ClassWeight, Problem, RankTest, divide, members};
use super::write_tree::{LeftValues, WrittenNode, WrittenTest, write_tree};
use crate::data::{Column, Dataset};
use crate::numeric::midpoint;
use crate::tree::{Tree, majority};

/// One node of a tree of ranked tests.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PlanNode {
    /// The split; none in a leaf.
    pub(super) split: Option<RankTest>,
    /// The right child; the left one follows its parent.
    pub(super) right: u32,
    /// The label as a leaf, a position in [`Problem::classes`].
    pub(super) label: u16,
}

/// A tree of an exact search: its nodes in pre-order. The default has no node.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct TreePlan {
    pub(super) nodes: Vec<PlanNode>,
}

impl TreePlan {
    /// Number of splits. Every node has no child or two, so it follows from the number of nodes.
    pub(super) fn n_splits(&self) -> usize {
        self.nodes.len() / 2
    }

    /// Grow a tree by a rule that splits a set of rows or makes it a leaf. The rule is called in
    /// pre-order.
    pub(super) fn grow<E>(
        root: Vec<u64>,
        problem: &Problem,
        mut rule: impl FnMut(&[u64]) -> Result<Option<RankTest>, E>,
    ) -> Result<Self, E> {
        let mut nodes: Vec<PlanNode> = Vec::new();
        // A set of rows, and the parent if the set is a right child.
        let mut stack = vec![(root, None::<usize>)];
        while let Some((bits, right_of)) = stack.pop() {
            let node = nodes.len();
            if let Some(parent) = right_of {
                nodes[parent].right = node as u32;
            }
            let split = rule(&bits)?;
            nodes.push(PlanNode { split, right: 0, label: problem.label(&bits) });
            if let Some(split) = split {
                let (left, right) = divide(&problem.ranks, &bits, split);
                stack.push((right, Some(node)));
                stack.push((left, None));
            }
        }
        Ok(Self { nodes })
    }

    /// Call `visit` with the rows that reach each node and its split, in pre-order. `root` are the
    /// rows of the root.
    pub(super) fn visit_nodes(
        &self,
        root: Vec<u64>,
        problem: &Problem,
        mut visit: impl FnMut(&[u64], Option<RankTest>),
    ) {
        let mut stack = vec![(root, 0)];
        while let Some((bits, i)) = stack.pop() {
            let node = &self.nodes[i];
            visit(&bits, node.split);
            if let Some(split) = node.split {
                let (left, right) = divide(&problem.ranks, &bits, split);
                stack.push((right, node.right as usize));
                stack.push((left, i + 1));
            }
        }
    }

    /// The tree of at most `budget` splits that a search has proven to exist for a set of rows.
    ///
    /// # Errors
    /// [`Halt`] if a part of the tree has left the cache and cannot be found again in time.
    pub(super) fn extract(
        search: &mut ConsistentSearch<'_>,
        root: &[u64],
        budget: u16,
    ) -> Result<Self, Halt> {
        let problem = search.problem;
        let all_lists = SortedLists::all(problem);
        // Budgets of the sets that `grow` has on its stack.
        let mut budgets = vec![budget];
        Self::grow(root.to_vec(), problem, |bits| {
            let budget = budgets.pop().unwrap_or(0);
            if problem.common(bits) != 0 {
                return Ok(None);
            }
            // A tree that the cache has dropped since is searched for again.
            let known = match search.cache.get(bits).filter(|known| known.high <= budget) {
                Some(known) => known,
                None => {
                    if !search.decide(bits, &all_lists, budget)? {
                        return Err(Halt::Spent);
                    }
                    search.cache.get(bits).ok_or(Halt::Spent)?
                }
            };
            // The other splits are divided as the known trees of both sides need them.
            let (left, right) = divide(&problem.ranks, bits, known.split);
            let [need_left, need_right] = [&left, &right].map(|side| search.high(side, u16::MAX));
            let total = known.high - 1;
            let budget_left =
                if need_left <= total { need_left } else { total - need_right.min(total) };
            budgets.push(total - budget_left);
            budgets.push(budget_left);
            Ok(Some(known.split))
        })
    }

    /// The rows of a set that the tree misclassifies, leaf by leaf; leaves without any are left
    /// out.
    pub(super) fn misclassified(&self, problem: &Problem, bits: &[u64]) -> Vec<Vec<usize>> {
        let mut by_node = vec![Vec::new(); self.nodes.len()];
        for row in members(bits) {
            let mut node = 0;
            while let Some(RankTest { feature, rank }) = self.nodes[node].split {
                let is_left = problem.ranks[usize::from(feature)][row] <= rank;
                node = if is_left { node + 1 } else { self.nodes[node].right as usize };
            }
            if problem.allowed[row] >> self.nodes[node].label & 1 == 0 {
                by_node[node].push(row);
            }
        }
        by_node.retain(|rows| !rows.is_empty());
        by_node
    }

    /// The tree for a model: with the counts of all training rows, thresholds halfway between the
    /// values that occur in the node, and information gain as the score.
    pub(super) fn tree(&self, problem: &Problem, data: &Dataset) -> Tree {
        // Training rows per distinct row.
        let mut copies = vec![0_u32; problem.n_rows];
        problem.group.iter().for_each(|&group| copies[group as usize] += 1);
        write_tree(data.n_classes(), (problem.everything(), 0), |(bits, i)| {
            let PlanNode { split, right, label } = self.nodes[i];
            let counts = class_counts(problem, data, &bits);
            let rows = members(&bits).map(|row| copies[row]).sum();
            let test = split.map(|split| {
                let feature = usize::from(split.feature);
                let (on_left, on_right) = divide(&problem.ranks, &bits, split);
                // The values of the node next to the split.
                let ranks = &problem.ranks[feature];
                let below = members(&on_left).map(|row| ranks[row]).max();
                let above = members(&on_right).map(|row| ranks[row]).min();
                let values = &problem.values[feature];
                let below = values[below.unwrap_or(split.rank) as usize];
                let above = values[above.unwrap_or(split.rank + 1) as usize];
                let left_values = match &data.columns()[feature] {
                    Column::Numeric(_) => LeftValues::UpTo(midpoint(below, above)),
                    Column::Nominal(_) => LeftValues::Levels((0..=below as u32).collect()),
                };
                let counts = [&on_left, &on_right].map(|side| class_counts(problem, data, side));
                let sides = [(on_left, i + 1), (on_right, right as usize)];
                WrittenTest { feature, left_values, missing: None, counts, sides }
            });
            let label = match test {
                Some(_) => majority(&counts) as i32,
                None => i32::from(problem.classes[usize::from(label)]),
            };
            WrittenNode { label, counts, rows, test }
        })
    }
}

/// Weight of each declared class in a set of rows.
fn class_counts(problem: &Problem, data: &Dataset, bits: &[u64]) -> Vec<f64> {
    let mut counts = vec![0.0; data.n_classes()];
    for row in members(bits) {
        for &ClassWeight { class, weight } in &problem.weights[row] {
            counts[usize::from(problem.classes[usize::from(class)])] += weight;
        }
    }
    counts
}
