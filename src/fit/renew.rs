//! Nodes whose numbers are much closer together than the numbers of the root, grown again on a grid
//! of their own.
//!
//! Growth chooses tests on the grid of the root's range ([`crate::data::TargetGrid`]), which rounds
//! close numbers away beside a far one: the standard deviation of a node below [`LEAST_UNITS`]
//! makes it *narrow*. After growth, the rows of each topmost narrow node are used as a separate
//! data set to grow a tree, which replaces the subtree of the node. Narrow nodes of the new
//! subtrees are treated in the same way. Whether a node is narrow follows from exact sums, so that
//! neither the order of the rows nor threads matter. A tree with a limit on its leaves grows
//! without it first, and keeps the splits that best-first growth makes. In a tree without narrow
//! nodes, each node is only checked.
//!
//! Constraints on a path, global evaluation, thresholds at training values and criteria on pairs or
//! neighbours read more than the rows of a node. With them, all tests stay on the grid of the root.

use super::grow::TreeRows;
use super::outcomes::visit_nodes;
use super::plan::FitPlan;
use crate::criteria::EvidenceKind;
use crate::data::Weights;
use crate::error::Result;
use crate::grow::{Evaluation, GrowthLimits, GrowthSetting, Thresholds};
use crate::numeric::mix;
use crate::parallel::Control;
use crate::tree::Tree;

/// A node is narrow if its standard deviation has fewer units: below 2^20 of the 2^40 units of the
/// range, rounding by half a unit is more than a millionth of it.
const LEAST_UNITS: f64 = (1_u64 << 20) as f64;

impl FitPlan {
    /// A tree whose narrow nodes are grown again. `tree` has grown on the `input` rows with
    /// `limits` and `seed`.
    ///
    /// # Errors
    /// [`crate::error::Error::Cancelled`], and the errors of growth.
    pub(super) fn regrow_narrow_nodes(
        &self,
        mut tree: Tree,
        input: TreeRows<'_>,
        limits: &GrowthLimits,
        seed: u64,
        control: &Control,
    ) -> Result<Tree> {
        let evidence = self.criterion.info().evidence;
        let reads_more = limits.constraints.is_some()
            || self.config.evaluation != Evaluation::Local
            || self.config.thresholds == Thresholds::TrainingValue
            || matches!(evidence, EvidenceKind::Pairs | EvidenceKind::Neighbours);
        let Some(target) = input.data.target().filter(|target| !target.is_exact() && !reads_more)
        else {
            return Ok(tree);
        };
        let grid = target.grid();
        let least_variance = (LEAST_UNITS * grid.unit).powi(2);
        // Numbers that are equal on the grid may differ, so a variance of 0 proves nothing.
        let hides_gaps = target.gap() < 2.0 * grid.unit;
        let is_narrow = |&i: &u32| {
            let variance = tree.outcomes[i as usize].variance;
            variance < least_variance
                && (variance > 0.0 || hides_gaps)
                && tree.nodes[i as usize].rows > 1
        };
        let narrow: Vec<u32> = (0..tree.nodes.len() as u32).filter(is_narrow).collect();
        if narrow.is_empty() {
            return Ok(tree);
        }
        if let Some(leaves) = limits.max_leaf_nodes {
            let limits = GrowthLimits { max_leaf_nodes: None, ..limits.clone() };
            let whole = self.grow_again(input, &limits, seed, control)?;
            let extensive = self.criterion.info().extensive;
            return Ok(whole.best_first(leaves, |node, weight| {
                let factor = if extensive { 1.0 } else { weight };
                limits.leaf_order.rank(node.distance, factor * node.score)
            }));
        }
        // The rows of the narrow nodes, with the weight that arrives of each.
        if self.divides_cells(input.raw) {
            tree.divide_missing();
        }
        let mut rows_of: Vec<(usize, Vec<(u32, i64)>)> = Vec::new();
        visit_nodes(
            &tree,
            &narrow,
            input.data.schema(),
            &input.prune_rows(),
            control,
            &mut |node, reaching| {
                let arrived = reaching.weighed().filter(|&(_, weight)| weight > 0);
                rows_of.push((node, arrived.collect()));
            },
        )?;
        let scale = input.weights.units_of_fractions(input.rows.rows());
        let root_weight = tree.counts[0];
        let (mut grown, mut end) = (Vec::new(), 0);
        for (node, rows) in rows_of {
            control.check()?;
            let numbers: Vec<u32> = rows.iter().map(|&(row, _)| row).collect();
            let depth = tree.nodes[node].depth as usize;
            let finer_grid = target.grid_of_rows(&numbers);
            // Nodes up to `end` lie below one that was grown again.
            if node < end || depth >= limits.max_depth || finer_grid.unit >= grid.unit {
                continue;
            }
            end = tree.end_of(node);
            let is_whole =
                |&(row, weight): &(u32, i64)| weight as f64 == input.weights.value(row) * scale;
            let weights = &match rows.iter().all(is_whole) {
                true => input.weights.select(&numbers),
                false => Weights::Fixed {
                    values: rows.iter().map(|&(_, weight)| weight).collect(),
                    shift: scale.log2() as i32,
                },
            };
            // Limits that are shares of the root's weight become shares of the node's weight.
            let share = root_weight / tree.counts[node];
            let limits = GrowthLimits {
                max_depth: limits.max_depth - depth,
                min_weight_fraction_leaf: limits.min_weight_fraction_leaf * share,
                min_impurity_decrease: limits.min_impurity_decrease * share,
                ..limits.clone()
            };
            let seed = mix(seed, node as u64);
            let subtree =
                input.on_derived(&|data| data.rows_on_own_grid(&numbers), weights, |input| {
                    self.grow_again(input, &limits, seed, control)
                })?;
            grown.push((node, subtree));
        }
        Ok(if grown.is_empty() { tree } else { tree.with_subtrees(&grown) })
    }

    /// Grow a tree on rows, with the given limits and seed, and its narrow nodes again.
    fn grow_again(
        &self,
        input: TreeRows<'_>,
        limits: &GrowthLimits,
        seed: u64,
        control: &Control,
    ) -> Result<Tree> {
        let setting = self.setting(input.data, input.rows, input.weights);
        let setting = GrowthSetting {
            limits: limits.clone(),
            seed,
            unbinned_data: Some(input.raw),
            ..setting
        };
        let (tree, _) = self.grow_by_route(input, &setting, control)?;
        self.regrow_narrow_nodes(tree, input, limits, seed, control)
    }
}
