//! A tree as the search thinks of it: pre-order, ranks as thresholds; and the model's tree made of
//! it.

use super::consistent::{ConsistentSearch, Halt};
use super::lists::SortedLists;
use super::problem::{Problem, members};
use crate::data::{Column, Dataset};
use crate::numeric::{Logs, entropy, midpoint};
use crate::tree::{NONE, Node, NodePosition, Test, Tree, majority};

/// One node; a leaf has no split.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct PlanNode {
    /// Feature and largest rank on the left.
    pub(super) split: Option<(u16, u32)>,
    /// The right child (the left one follows its parent).
    pub(super) right: u32,
    /// Position of the class of a leaf.
    pub(super) label: u16,
}

/// Nodes in pre-order.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct TreePlan {
    pub(super) nodes: Vec<PlanNode>,
}

/// Divide a set by `rank <= r` of a feature.
pub(super) fn divide(problem: &Problem, bits: &[u64], (f, r): (u16, u32)) -> (Vec<u64>, Vec<u64>) {
    let mut left = vec![0_u64; bits.len()];
    for row in members(bits) {
        if problem.ranks[usize::from(f)][row] <= r {
            left[row >> 6] |= 1 << (row & 63);
        }
    }
    let right = bits.iter().zip(&left).map(|(a, b)| a & !b).collect();
    (left, right)
}

impl TreePlan {
    /// Splits of the tree.
    pub(super) fn splits(&self) -> usize {
        self.nodes.len() / 2
    }

    /// A tree from a rule that splits a set of rows or makes it a leaf.
    pub(super) fn grow<E>(
        root: Vec<u64>,
        problem: &Problem,
        mut rule: impl FnMut(&[u64]) -> Result<Option<(u16, u32)>, E>,
    ) -> Result<Self, E> {
        let mut nodes: Vec<PlanNode> = Vec::new();
        // A set, and the parent whose right child it is.
        let mut stack = vec![(root, None::<usize>)];
        while let Some((bits, right_of)) = stack.pop() {
            let me = nodes.len();
            if let Some(parent) = right_of {
                nodes[parent].right = me as u32;
            }
            let split = rule(&bits)?;
            nodes.push(PlanNode { split, right: 0, label: problem.label(&bits) });
            if let Some(split) = split {
                let (left, right) = divide(problem, &bits, split);
                stack.push((right, Some(me)));
                stack.push((left, None));
            }
        }
        Ok(Self { nodes })
    }

    /// Visit the nodes in pre-order with the rows that reach them.
    pub(super) fn follow(
        &self,
        root: Vec<u64>,
        problem: &Problem,
        mut visit: impl FnMut(&[u64], Option<(u16, u32)>),
    ) {
        let mut stack = vec![(root, 0)];
        while let Some((bits, me)) = stack.pop() {
            let node = &self.nodes[me];
            visit(&bits, node.split);
            if let Some(split) = node.split {
                let (left, right) = divide(problem, &bits, split);
                stack.push((right, node.right as usize));
                stack.push((left, me + 1));
            }
        }
    }

    /// The tree that a search has found for a set of at most `b` splits.
    pub(super) fn of_search(
        search: &mut ConsistentSearch<'_>,
        root: &[u64],
        b: u16,
    ) -> Result<Self, Halt> {
        let problem = search.problem;
        let everything = SortedLists::all(problem);
        // Budgets by set: a set met twice has the same need.
        let mut budgets = vec![b];
        Self::grow(root.to_vec(), problem, |bits| {
            let b = budgets.pop().unwrap_or(0);
            if problem.common(bits) != 0 {
                return Ok(None);
            }
            let known = match search.cache.get(bits).filter(|k| k.high <= b) {
                Some(known) => known,
                None => {
                    if !search.decide(bits, &everything, b)? {
                        return Err(Halt::Spent);
                    }
                    search.cache.get(bits).ok_or(Halt::Spent)?
                }
            };
            let split = (known.feature, known.rank);
            let (left, right) = divide(problem, bits, split);
            let need = |side: &[u64]| {
                let high = search.cache.get(side).map_or(u16::MAX, |k| k.high);
                if problem.common(side) != 0 { 0 } else { high }
            };
            let (l, r) = (need(&left), need(&right));
            let total = known.high - 1;
            let l = if l <= total { l } else { total - r.min(total) };
            budgets.push(total - l);
            budgets.push(l);
            Ok(Some(split))
        })
    }

    /// Rows of a set that the tree gets wrong, leaf by leaf.
    pub(super) fn wrong(&self, problem: &Problem, bits: &[u64]) -> Vec<Vec<usize>> {
        let mut at = vec![Vec::new(); self.nodes.len()];
        for row in members(bits) {
            let mut node = 0;
            while let Some((f, r)) = self.nodes[node].split {
                let left = problem.ranks[usize::from(f)][row] <= r;
                node = if left { node + 1 } else { self.nodes[node].right as usize };
            }
            if problem.allowed[row] >> self.nodes[node].label & 1 == 0 {
                at[node].push(row);
            }
        }
        at.retain(|rows| !rows.is_empty());
        at
    }

    /// The model's tree: counts of all training rows, thresholds between the values of the node,
    /// information gain as the score.
    pub(super) fn tree(&self, problem: &Problem, data: &Dataset) -> Tree {
        let mut tree = Tree::empty(data.n_classes());
        let mut copies = vec![0_u32; problem.n];
        problem.group.iter().for_each(|&g| copies[g as usize] += 1);
        let mut stack = vec![(problem.everything(), 0_usize, NONE, 0_u32, 0_u32)];
        let mut step = 0;
        while let Some((bits, me, parent, branch, depth)) = stack.pop() {
            let counts = counts(problem, data, &bits);
            let label = i32::from(problem.classes[usize::from(self.nodes[me].label)]);
            let rows = members(&bits).map(|row| copies[row]).sum();
            let first_child = tree.children.len() as u32;
            let position = NodePosition { parent, branch, depth };
            let mut node = Node { first_child, ..Node::leaf(position, label, rows) };
            if let Some((f, r)) = self.nodes[me].split {
                let (left, right) = divide(problem, &bits, (f, r));
                let ranks = &problem.ranks[usize::from(f)];
                let below = members(&left).map(|i| ranks[i]).max().unwrap_or(r) as usize;
                let above = members(&right).map(|i| ranks[i]).min().unwrap_or(r + 1) as usize;
                let values = &problem.values[usize::from(f)];
                node.test = match &data.columns()[usize::from(f)] {
                    Column::Numeric(_) => {
                        Test::Threshold(midpoint(values[below], values[above]).into())
                    }
                    Column::Nominal(_) => {
                        let listed: Vec<u32> = (0..=values[below] as u32).collect();
                        tree.copy_levels(
                            Test::Subset { first: 0, len: listed.len() as u32 },
                            &listed,
                        )
                    }
                };
                let parts = [&left, &right].map(|side| self::counts(problem, data, side));
                let weights = [0, 1].map(|i| parts[i].iter().sum::<f64>());
                let total = weights[0] + weights[1];
                let uncertainty = |counts: &[f64], n: f64| {
                    entropy(counts.iter().copied(), n, Logs::for_rows(total.ceil() as u64, 1))
                };
                node.distance =
                    (0..2).map(|i| weights[i] / total * uncertainty(&parts[i], weights[i])).sum();
                node.score = uncertainty(&counts, total) - node.distance;
                node.feature = u32::from(f);
                node.n_children = 2;
                node.missing_branch = u32::from(weights[1] > weights[0]);
                node.step = step;
                step += 1;
                tree.children.extend([me as u32 + 1, self.nodes[me].right]);
                stack.push((right, self.nodes[me].right as usize, me as u32, 1, depth + 1));
                stack.push((left, me + 1, me as u32, 0, depth + 1));
                node.label = majority(&counts) as i32;
            }
            tree.nodes.push(node);
            tree.counts.extend(counts);
        }
        tree
    }
}

/// Weight of each declared class in a set of rows.
fn counts(problem: &Problem, data: &Dataset, bits: &[u64]) -> Vec<f64> {
    let mut counts = vec![0.0; data.n_classes()];
    for row in members(bits) {
        for &(c, w) in &problem.weights[row] {
            counts[usize::from(problem.classes[usize::from(c)])] += w;
        }
    }
    counts
}
