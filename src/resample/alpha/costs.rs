//! The costs of the rows of a fold under a tree that was grown on the other folds, at all alphas in
//! one traversal per row ([`PruningTrial`]).
//!
//! Each node of the tree becomes a leaf at one of the alphas. From there on it gives the answer for
//! the rows that reach it, until a node above it becomes a leaf. So a row has one answer per range
//! of alphas: its cost is added where a range begins and subtracted where it ends, and running sums
//! over the alphas give the costs at each of them. A row in fractions has several answers at an
//! alpha, and the mean of these is its answer.

use crate::criteria::{Criterion, Impurity};
use crate::data::{Dataset, Weights};
use crate::error::Result;
use crate::fit::FitPlan;
use crate::model::Model;
use crate::numeric::{ExactSum, sort_few};
use crate::parallel::Control;
use crate::predict::{CompiledTree, label_of_mixture};
use crate::prune::cost_complexity;
use crate::tree::{CostMatrix, Tree};
use std::ops::Range;

/// A plan and its training set, with the alphas at which trees of the folds are pruned.
#[derive(Clone, Copy)]
pub(super) struct PruningTrial<'a> {
    pub plan: &'a FitPlan,
    pub data: &'a Dataset<'a>,
    pub weights: &'a Weights,
    /// The alphas, in ascending order.
    pub alphas: &'a [f64],
}

/// Sums of the costs of rows, as changes from each alpha to the next.
pub(super) struct CostSums {
    /// Weight times cost.
    pub costs: Vec<ExactSum>,
    /// Weight times squared cost.
    pub squares: Vec<ExactSum>,
}

impl CostSums {
    fn zeros(n_alphas: usize) -> Self {
        let zeros = vec![ExactSum::default(); n_alphas + 1];
        Self { costs: zeros.clone(), squares: zeros }
    }

    /// Add the cost of a row to the sums of a range of alphas.
    fn add(&mut self, alphas: Range<usize>, weight: f64, cost: f64) {
        for (alpha, weight) in [(alphas.start, weight), (alphas.end, -weight)] {
            self.costs[alpha].add_product(weight, cost);
            self.squares[alpha].add_product(weight * cost, cost);
        }
    }
}

/// A change of the mixture of nodes that answers for a row in fractions.
struct MixtureChange {
    /// Number of the alpha from which on the change holds.
    alpha: usize,
    node: u32,
    /// The change of the share of the node; negative where a node above it becomes a leaf.
    fraction: f64,
}

/// The cost of a row, given the answer of a tree.
struct RowCosts<'a> {
    data: &'a Dataset<'a>,
    matrix: Option<CostMatrix>,
    /// The criterion whose loss is the cost of a number; `None`: the squared error.
    criterion: Option<&'a dyn Criterion>,
}

impl<'a> RowCosts<'a> {
    fn new(plan: &'a FitPlan, data: &'a Dataset<'a>) -> Result<Self> {
        let by_criterion = plan.impurity() == Impurity::Criterion;
        let criterion = by_criterion.then(|| plan.criterion());
        Ok(Self { data, matrix: plan.costs(data.n_classes())?, criterion })
    }

    /// The cost of a row that is given `label`, or `number` if the target is numeric.
    fn answer_cost(&self, row: u32, label: i32, number: f64) -> f64 {
        let class = self.data.classes()[row as usize] as usize;
        match (self.data.target(), &self.matrix, self.criterion) {
            (Some(target), _, None) => (target.value(row) - number).powi(2),
            (Some(target), _, Some(criterion)) => criterion.row_loss(target.value(row), number),
            (None, Some(matrix), _) => matrix.row_cost(class, label),
            (None, None, _) => f64::from(u8::from(label != class as i32)),
        }
    }

    /// The cost of a row that ends in a node.
    fn node_cost(&self, row: u32, tree: &Tree, node: usize) -> f64 {
        let number = tree.outcome(node).map_or(0.0, |outcome| outcome.value);
        self.answer_cost(row, tree.nodes[node].label, number)
    }
}

impl PruningTrial<'_> {
    /// The sums of the costs of `test_rows` under the tree `grown`, pruned at each of the alphas.
    /// Rows count with their weights. Each sum is the change from the alpha before, so running sums
    /// give the costs at the alphas ([`CostSums`]). O(depth) per row whose values are known,
    /// whatever the number of alphas.
    pub fn cost_sums(
        &self,
        grown: Model,
        test_rows: &[u32],
        control: &Control,
    ) -> Result<CostSums> {
        let costs = RowCosts::new(self.plan, self.data)?;
        let model = self.plan.before_cuts(grown, control)?;
        let tree = &model.tree;
        let leaf_from = self.first_alphas_as_leaf(tree, costs.matrix.as_ref(), control)?;
        let compiled = CompiledTree::new(tree, &model.schema)?;
        let n_alphas = self.alphas.len();
        let mut sums = CostSums::zeros(n_alphas);
        // The first alpha at which a node of the row's way, or one above it, is a leaf. Parents are
        // visited before their children, so entries that other rows left here are never read.
        let mut covered_from = vec![n_alphas; tree.nodes.len()];
        let mut changes = Vec::new();
        for &row in test_rows {
            control.check()?;
            let weight = self.weights.value(row);
            let last_whole_node = compiled.last_node(self.data, row as usize);
            compiled.spread(self.data, row as usize, 0, &mut |node, fraction, _| {
                let parent = tree.nodes[node as usize].parent as usize;
                let start = leaf_from[node as usize];
                let end = covered_from.get(parent).copied().unwrap_or(n_alphas);
                covered_from[node as usize] = start.min(end);
                if start >= end {
                    return;
                }
                if node <= last_whole_node {
                    sums.add(start..end, weight, costs.node_cost(row, tree, node as usize));
                } else {
                    changes.push(MixtureChange { alpha: start, node, fraction });
                    changes.push(MixtureChange { alpha: end, node, fraction: -fraction });
                }
            });
            if !changes.is_empty() {
                self.add_mixture_costs(&model, &costs, row, &mut changes, &mut sums);
                changes.clear();
            }
        }
        Ok(sums)
    }

    /// Add the costs of a row below the node where it was divided into fractions: at each alpha
    /// its answer is the mean of the answers of the nodes that hold its fractions then.
    fn add_mixture_costs(
        &self,
        model: &Model,
        costs: &RowCosts<'_>,
        row: u32,
        changes: &mut [MixtureChange],
        sums: &mut CostSums,
    ) {
        sort_few(changes, &|a, b| (a.alpha, a.node).cmp(&(b.alpha, b.node)));
        let mut mixture = vec![ExactSum::default(); self.data.n_classes()];
        let mut probabilities = vec![0.0; self.data.n_classes()];
        for (i, &MixtureChange { alpha, node, fraction }) in changes.iter().enumerate() {
            model.probabilities(node as usize, &mut probabilities);
            for (sum, &probability) in mixture.iter_mut().zip(&probabilities) {
                sum.add_product(fraction, probability);
            }
            let Some(next) = changes.get(i + 1) else { break };
            // The mixture is complete when the next change belongs to a larger alpha.
            if alpha < next.alpha {
                probabilities.iter_mut().zip(&mixture).for_each(|(p, sum)| *p = sum.value());
                let label = label_of_mixture(&mut probabilities);
                let cost = costs.answer_cost(row, label, probabilities[0]);
                sums.add(alpha..next.alpha, self.weights.value(row), cost);
            }
        }
    }

    /// The number of the first alpha at which each node is a leaf; the number of alphas for a node
    /// that never is one.
    fn first_alphas_as_leaf(
        &self,
        tree: &Tree,
        costs: Option<&CostMatrix>,
        control: &Control,
    ) -> Result<Vec<usize>> {
        let path = cost_complexity::path(tree, self.plan.impurity(), costs, control)?;
        let n_alphas = self.alphas.len();
        let before_cuts = |node| if tree.is_leaf(node) { 0 } else { n_alphas };
        let mut leaf_from: Vec<usize> = (0..tree.nodes.len()).map(before_cuts).collect();
        // Nothing is pruned at alpha 0. Where rounding makes the alpha of a cut smaller than the
        // one before it, both cuts belong to the same alpha.
        let mut first = self.alphas.partition_point(|&alpha| alpha <= 0.0);
        for (&cut_at, &node) in path.alphas.iter().zip(&path.nodes).skip(1) {
            first = first.max(self.alphas.partition_point(|&alpha| alpha < cut_at));
            leaf_from[node as usize] = first;
        }
        Ok(leaf_from)
    }
}
