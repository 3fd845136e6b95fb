//! Growth on fractional instances: a row whose value is missing goes down every branch of a split,
//! as instances weighted by the branches' shares of the known rows (Quinlan, C4.5, 1993, chapter
//! 3).
//!
//! Weights are 64-bit fixed point, so sums depend neither on the order of the rows nor on threads,
//! and no weight is lost: the last branch takes what rounding left. A split is scored on the rows
//! whose value is known, and its score is scaled by their share of the node's weight; limits count
//! rows by the weight of their instances. Tie rules, limits, best-first growth and feature subsets
//! are the same as in all local growth ([`driver`]). C4.5's own rule for candidates
//! ([`crate::split::c45`]) grows here, too, with whole rows where nothing is missing.
//!
//! O(instances x features) per level. With a share `m` of missing cells a level of the tree has up
//! to `1 + m` times the instances of the one above, until nodes become too light to be split. Where
//! nothing is missing and the largest score decides, [`super::sorted_ranges`] is faster.

mod context;
mod evaluate;
mod rows;

use super::{NodeRows, Open};
use crate::criteria::SplitRule;
use crate::data::{Dataset, RowSet, Weights, entry_row};
use crate::error::Result;
use crate::grow::builder::{BuilderNode, NewChildren, TreeBuilder};
use crate::grow::driver;
use crate::grow::options::{GrowthLimits, GrowthSetting};
use crate::grow::search::{BestSplit, NodeSums};
use crate::numeric::mix;
use crate::parallel::Control;
use crate::reached::{self, Way};
use crate::stats::Sum;
use crate::tree::{NONE, Tree};
use context::{ClassFractions, FractionSums, FractionalContext, NumberFractions, ROUNDING, SLACK};
use evaluate::best_split;
use rows::{Division, FractionalRows, divide};

/// Subtrees of fewer rows do not pay for a task of their own.
const SMALLEST_TASK: usize = 2048;

/// Grow a tree on some rows of a data set; `weights` are the weights of all its rows.
///
/// # Errors
/// A score that is not a number, or cancellation.
pub fn grow(
    data: &Dataset,
    setting: &GrowthSetting<'_>,
    rows: &RowSet,
    weights: &Weights,
    control: &Control,
) -> Result<Tree> {
    let context = FractionalContext::new(data, setting, rows, weights);
    match data.target() {
        None => grow_with_sums(&context, rows, weights, ClassFractions, control),
        Some(target) => grow_with_sums(
            &context,
            rows,
            weights,
            NumberFractions { units: target.units() },
            control,
        ),
    }
}

/// [`grow`] with sums of one type.
fn grow_with_sums<F: FractionSums>(
    context: &FractionalContext<'_>,
    rows: &RowSet,
    weights: &Weights,
    fractions: F,
    control: &Control,
) -> Result<Tree> {
    let root = FractionalRows::new(context, rows);
    let mut sums = vec![F::Sum::default(); context.data.n_classes()];
    for ((&row, &class), &weight) in root.rows.iter().zip(&root.classes).zip(&root.weights) {
        sums[class as usize] = sums[class as usize].plus(fractions.row_sum(row, weight));
    }
    let copied = weights.copied(rows.rows());
    let tree = TreeBuilder::new(&sums, copied, mix(context.setting.seed, 0), 0);
    let task_rows = driver::task_size(rows.len(), SMALLEST_TASK, control);
    let nodes = Fractional { context, fractions };
    let tree = driver::grow(nodes, tree, root, task_rows, control)?;
    tree.finish(context.unit, false, context.setting)
}

/// A split that the limits accept, and the branch of each instance.
struct FractionalSplit<S> {
    best: BestSplit<S>,
    division: Division,
}

/// Evaluates nodes and divides their instances; a node owns its lists.
struct Fractional<'b, F> {
    context: &'b FractionalContext<'b>,
    fractions: F,
}

impl<'b, F: FractionSums> NodeRows for Fractional<'b, F> {
    type Sum = F::Sum;
    type Node = FractionalRows;
    type Best = FractionalSplit<F::Sum>;
    type Context = (&'b FractionalContext<'b>, F);
    type Task = FractionalRows;

    fn context(&self) -> Self::Context {
        (self.context, self.fractions)
    }

    fn limits(&self) -> &GrowthLimits {
        &self.context.setting.limits
    }

    fn len(&self, instances: &FractionalRows) -> usize {
        instances.len()
    }

    fn work(&self, instances: &FractionalRows) -> usize {
        2 * instances.len()
    }

    fn is_finished(&self, tree: &TreeBuilder<F::Sum>, node: u32) -> bool {
        let (BuilderNode { depth, rows, .. }, sums) =
            (tree.nodes[node as usize], tree.sums(node as usize));
        let (context, limits) = (self.context, self.limits());
        let weight: f64 = sums.iter().map(|sum| sum.value(context.unit)).sum();
        // A class that holds next to nothing is a rounding error.
        let n_occupied =
            sums.iter().filter(|sum| sum.value(context.unit) > ROUNDING * weight).count();
        if context.rule == SplitRule::C45 {
            let largest = sums.iter().map(|sum| sum.value(context.unit)).fold(0.0, f64::max);
            let least = (2 * limits.min_samples_leaf).max(limits.min_samples_split) as f64;
            // As J48: too light, or of one class.
            return least - weight > SLACK
                || weight - largest < SLACK
                || depth as usize >= limits.max_depth;
        }
        // Fractions add up to rows within rounding.
        let rows = if context.copies { (weight + SLACK) as usize } else { rows as usize };
        let pure = || F::Sum::are_pure(sums) || (F::ARE_WEIGHTS && n_occupied < 2);
        limits.stops(rows, depth as usize, pure)
    }

    fn evaluate(
        &mut self,
        tree: &mut TreeBuilder<F::Sum>,
        open: &mut Open<FractionalRows>,
        control: &Control,
    ) -> Result<Option<FractionalSplit<F::Sum>>> {
        reached::count(Way::Fractions);
        let (context, node, instances) = (self.context, open.node as usize, &open.rows);
        let sums = tree.sums(node);
        let key = tree.nodes[node].key;
        let (fractions, path) = (&self.fractions, tree.path_limits(open.node, self.limits()));
        let path = path.as_ref();
        let best = best_split(context, fractions, instances, sums, key, path, control)?;
        let Some(mut best) = best else { return Ok(None) };
        // The limits hold for the branches with their fractions, which are counted now.
        let branch = branch_of_instances(context, instances, &best);
        let (division, branch_sums) =
            Division::new(context, &self.fractions, instances, branch, best.branches, sums.len());
        // Fractions are rounded, so values that were in order may not be any more.
        if path.is_some_and(|path| !path.keeps(best.feature, &branch_sums, sums.len())) {
            return Ok(None);
        }
        best.distance = self.distance(&branch_sums, sums, instances.whole)?;
        best.sums = branch_sums;
        let distance_before = || self.distance(sums, sums, instances.whole);
        // The criteria that serve fractional instances score an undivided node 0.
        let node = NodeSums { setting: context.setting, totals: sums, unit: context.unit };
        let accepted = node.accept(best, context.total_weight, distance_before, || Ok(0.0))?;
        Ok(accepted.map(|best| FractionalSplit { best, division }))
    }

    fn best(split: &FractionalSplit<F::Sum>) -> &BestSplit<F::Sum> {
        &split.best
    }

    fn split(
        &mut self,
        tree: &mut TreeBuilder<F::Sum>,
        open: Open<FractionalRows>,
        FractionalSplit { best, division }: &FractionalSplit<F::Sum>,
        step: u32,
        children: &mut Vec<Open<FractionalRows>>,
    ) {
        let added = NewChildren { sums: &best.sums, rows: &division.rows };
        let first_child = tree.add_split(open.node, best.as_split(step), added, &best.levels);
        let wanted: Vec<bool> = (first_child..)
            .zip(&division.sizes)
            .map(|(child, &size)| size > 0 && !self.is_finished(tree, child))
            .collect();
        let divided = divide(self.context, &open.rows, division, &wanted);
        children.extend(
            (first_child..)
                .zip(divided)
                .filter_map(|(node, instances)| instances.map(|rows| Open { node, rows })),
        );
    }

    fn detach(self, nodes: Vec<FractionalRows>) -> Vec<FractionalRows> {
        nodes
    }

    fn attach(
        (context, fractions): Self::Context,
        instances: FractionalRows,
    ) -> (Self, FractionalRows) {
        (Self { context, fractions }, instances)
    }
}

impl<F: FractionSums> Fractional<'_, F> {
    /// Distance of the table of some branches; in counts of rows where all instances are `whole`.
    fn distance(&self, sums: &[F::Sum], totals: &[F::Sum], whole: bool) -> Result<f64> {
        let (context, setting) = (self.context, self.context.setting);
        let is_whole =
            |s: &F::Sum| i64::from(context.rows_in(s.units())) * context.weight(0) == s.units();
        if F::ARE_WEIGHTS && whole && sums.iter().all(is_whole) {
            let rows = |sums: &[F::Sum]| {
                sums.iter().map(|s| context.rows_in(s.units())).collect::<Vec<u32>>()
            };
            let totals = rows(totals);
            return NodeSums { setting, totals: &totals, unit: 1.0 }.distance(&rows(sums));
        }
        NodeSums { setting, totals, unit: context.unit }.distance(sums)
    }
}

/// The branch of each instance; [`NONE`] without a value.
fn branch_of_instances<S>(
    context: &FractionalContext<'_>,
    instances: &FractionalRows,
    best: &BestSplit<S>,
) -> Vec<u32> {
    let mut branch = vec![NONE; instances.len()];
    if let Some(numeric) = context.numeric_place(best.feature) {
        let (left, right) = instances.order(numeric).split_at(best.at as usize);
        left.iter().for_each(|&entry| branch[entry_row(entry) as usize] = 0);
        right.iter().for_each(|&entry| branch[entry_row(entry) as usize] = 1);
        return branch;
    }
    let nominal = context.nominal.partition_point(|column| column.feature < best.feature);
    let (coded, levels) = (instances.coded(context), context.nominal[nominal].levels as usize);
    for (branch, code) in branch.iter_mut().zip(coded.column(&context.layout, nominal)) {
        // The code after the last level means "missing".
        *branch = match best.branch_of.get(code) {
            _ if code >= levels => NONE,
            Some(&branch) => u32::from(branch),
            None => code as u32,
        };
    }
    branch
}
