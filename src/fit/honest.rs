//! Honest leaves: the counts, labels and outcomes of a fitted tree, from rows that did not choose
//! its tests.
//!
//! A test was chosen because it divides the rows of growth well, so their counts in its branches
//! are too optimistic. Rows that growth has not seen are sent down the finished tree, and their
//! counts, labels and outcomes replace the ones from growth. Tests, scores and distances stay. A
//! leaf that no such row reaches answers as its parent, or not at all, as empty branches do in
//! growth. Source: Athey & Imbens, "Recursive partitioning for heterogeneous causal effects"
//! (2016). O(rows x depth + nodes x classes).
//!
//! When not to use it: where a row is divided among branches, as its parts are no observations.

use super::plan::FitPlan;
use crate::data::{Dataset, RowSet, Schema, Weights};
use crate::error::Result;
use crate::grow::{EmptyBranch, LeafLabels};
use crate::model::Model;
use crate::parallel::Control;
use crate::predict::CompiledTree;
use crate::prune::{PruneRows, PruneSteps};
use crate::tree::{Tree, majority};

impl FitPlan {
    /// The fitted model with the counts, labels and outcomes of `rows`, which growth has not seen.
    /// No row may be divided among branches.
    ///
    /// # Errors
    /// Returns an error if the plan does not support the rows or their weights, or
    /// [`crate::error::Error::Cancelled`].
    pub fn with_honest_leaves(
        &self,
        mut model: Model,
        data: &Dataset,
        rows: &RowSet,
        weights: &Weights,
        control: &Control,
    ) -> Result<Model> {
        self.on_counted_rows(data, rows, weights, |data, rows, weights| {
            let rows = self.training_rows(data, rows, weights)?;
            let reaching = PruneRows { data, rows: rows.rows(), weights };
            let (schema, tree) = (model.schema.clone(), &mut model.tree);
            count_reaching(tree, &schema, &reaching, control)?;
            if tree.is_regression() {
                self.complete_outcomes(tree, &schema, &reaching, false, control)?;
                return Ok(model);
            }
            self.label_counted(tree);
            if let Some(costs) = self.costs(tree.classes)? {
                tree.relabel(&costs);
            }
            Ok(self.apply_steps(model, &PruneSteps::default(), None, control)?.0)
        })
    }

    /// Label nodes by their counts, and nodes without rows as [`EmptyBranch`] says. If global
    /// growth did not choose labels by the majority, they are kept where there are rows.
    fn label_counted(&self, tree: &mut Tree) {
        for i in 0..tree.nodes.len() {
            let node = tree.nodes[i];
            tree.nodes[i].label = match self.config.empty_branch {
                EmptyBranch::Unclassified if node.rows == 0 && tree.is_leaf(i) => -1,
                _ if node.rows == 0 => tree.nodes[node.parent as usize].label,
                _ if self.config.labels != LeafLabels::Majority && node.label >= 0 => node.label,
                _ => majority(tree.counts(i)) as i32,
            };
        }
    }
}

/// Replace the counts of all nodes by the weights of the rows that reach them.
fn count_reaching(
    tree: &mut Tree,
    schema: &Schema,
    reaching: &PruneRows<'_>,
    control: &Control,
) -> Result<()> {
    let PruneRows { data, rows, weights } = *reaching;
    let (n_classes, copies) = (tree.classes, weights.copies());
    let wanted = vec![true; tree.nodes.len()];
    let mut sums = vec![0_i64; tree.counts.len()];
    let compiled = CompiledTree::new(tree, schema)?;
    tree.nodes.iter_mut().for_each(|node| node.rows = 0);
    compiled.send_down(data, rows, weights, &wanted, control, &mut |node, arrived| {
        for (row, _) in arrived.weighed() {
            sums[node * n_classes + usize::from(data.classes()[row as usize])] +=
                weights.units(row);
            tree.nodes[node].rows += copies.map_or(1, |copies| copies[row as usize]);
        }
    })?;
    tree.counts = sums.into_iter().map(|sum| sum as f64 * weights.unit()).collect();
    Ok(())
}
