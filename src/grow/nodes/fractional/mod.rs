//! Growth in parts: a row whose value is missing goes down every branch of a split, each part
//! weighted by the branch's share of the known rows (Quinlan, C4.5, 1993, chapter 3).
//!
//! Weights are 64-bit fixed point, so sums depend neither on the order of the rows nor on threads,
//! and no weight is lost: the last branch takes what rounding left. A split is scored on the rows
//! whose value is known, its score scaled by their share of the node's weight; limits count rows by
//! the weight of their parts. Splits, tie rules, limits, best-first growth and feature subsets are
//! those of the [`driver`]; C4.5's own rule for candidates (`split::c45`) grows here, too, with
//! whole rows where nothing is missing.
//!
//! O(parts x features) a level. Parts multiply: with a share `m` of missing cells a level of the
//! tree has up to `1 + m` times the parts of the one above, until nodes become too light to be
//! split.
//!
//! When not to use it: nothing is missing and the criterion's plain maximum decides:
//! [`super::sorted_ranges`] is faster.

mod context;
mod evaluate;
mod rows;

use super::{NodeRows, Open};
use crate::criteria::SplitRule;
use crate::data::{Dataset, RowSet, Weights, entry_row};
use crate::error::Result;
use crate::grow::builder::TreeBuilder;
use crate::grow::driver;
use crate::grow::options::{GrowthLimits, GrowthSetting};
use crate::grow::search::{BestSplit, NodeSums};
use crate::numeric::mix;
use crate::parallel::Control;
use crate::reached::{self, Way};
use crate::stats::Sum;
use crate::stats::contingency::Code;
use crate::tree::{NONE, Tree};
use context::FractionalContext;
use evaluate::pick;
use rows::{Division, FractionalRows, divide};
use std::marker::PhantomData;

/// Smaller subtrees are not worth a task of their own.
const SMALLEST_TASK: usize = 2048;

/// Grow a tree on some rows.
pub fn grow(
    data: &Dataset,
    setting: &GrowthSetting<'_>,
    rows: &RowSet,
    weights: &Weights,
    control: &Control,
) -> Result<Tree> {
    let base = FractionalContext::new(data, setting, rows, weights);
    if base.narrow() {
        with_codes::<u8>(&base, rows, control)
    } else {
        with_codes::<u32>(&base, rows, control)
    }
}

fn with_codes<C: Code>(
    base: &FractionalContext<'_>,
    rows: &RowSet,
    control: &Control,
) -> Result<Tree> {
    let root = FractionalRows::<C>::new(base, rows);
    let mut sums = vec![0; base.data.n_classes()];
    for (&class, &weight) in root.classes.iter().zip(&root.weights) {
        sums[class as usize] += weight;
    }
    let tree = TreeBuilder::new(&sums, rows.len() as u32, mix(base.setting.seed, 0), 0);
    let task = driver::task_size(rows.len(), SMALLEST_TASK, control);
    let nodes = Fractional { base, codes: PhantomData };
    let tree = driver::grow(nodes, tree, root, task, control)?;
    Ok(tree.finish(base.unit, base.setting.empty_branch))
}

/// A split that was accepted, and where the rows go.
struct FractionalSplit {
    best: BestSplit<i64>,
    division: Division,
}

/// Evaluates nodes in parts and divides them; a node owns its lists.
struct Fractional<'b, C> {
    base: &'b FractionalContext<'b>,
    codes: PhantomData<C>,
}

impl<'b, C: Code> NodeRows for Fractional<'b, C> {
    type Sum = i64;
    type Node = FractionalRows<C>;
    type Best = FractionalSplit;
    type Context = &'b FractionalContext<'b>;
    type Task = FractionalRows<C>;

    fn context(&self) -> Self::Context {
        self.base
    }

    fn limits(&self) -> &GrowthLimits {
        &self.base.setting.limits
    }

    fn len(&self, parts: &FractionalRows<C>) -> usize {
        parts.len()
    }

    fn work(&self, parts: &FractionalRows<C>) -> usize {
        2 * parts.len()
    }

    fn is_finished(&self, tree: &TreeBuilder<i64>, node: u32) -> bool {
        let (own, sums) = (&tree.nodes[node as usize], tree.sums(node as usize));
        let (base, limits) = (self.base, self.limits());
        let weight: f64 = sums.iter().map(|s| s.value(base.unit)).sum();
        // A class that holds next to nothing is rounding.
        let occupied = sums.iter().filter(|s| s.value(base.unit) > 1e-9 * weight).count();
        if base.rule == SplitRule::C45 {
            let largest = sums.iter().map(|s| s.value(base.unit)).fold(0.0, f64::max);
            let least = (2 * limits.min_samples_leaf).max(limits.min_samples_split) as f64;
            return least - weight > 1e-6
                || weight - largest < 1e-6
                || own.depth as usize >= limits.max_depth;
        }
        // Parts add up to rows within rounding.
        let rows = if base.copies { (weight + 1e-6) as usize } else { own.rows as usize };
        limits.stops(rows, own.depth as usize, occupied)
    }

    fn evaluate(
        &mut self,
        tree: &TreeBuilder<i64>,
        open: &mut Open<FractionalRows<C>>,
        control: &Control,
    ) -> Result<Option<FractionalSplit>> {
        reached::count(Way::Fractions);
        let (base, node, parts) = (self.base, open.node as usize, &open.rows);
        let sums = tree.sums(node);
        let Some(mut best) = pick(base, parts, sums, tree.nodes[node].key, control)? else {
            return Ok(None);
        };
        let branch = assign(base, parts, &best);
        let (division, own) = Division::new(base, parts, branch, best.branches, sums.len());
        best.distance = self.distance(&own, sums, parts.whole)?;
        best.sums = own;
        let before = || self.distance(sums, sums, parts.whole);
        // The criteria that divide rows score an undivided node 0.
        let node = NodeSums { setting: base.setting, totals: sums, unit: base.unit };
        let accepted = node.accepted(best, base.total_weight, before, || Ok(0.0))?;
        Ok(accepted.map(|best| FractionalSplit { best, division }))
    }

    fn best(split: &FractionalSplit) -> &BestSplit<i64> {
        &split.best
    }

    fn split(
        &mut self,
        tree: &mut TreeBuilder<i64>,
        open: Open<FractionalRows<C>>,
        FractionalSplit { best, division }: &FractionalSplit,
        step: u32,
        children: &mut Vec<Open<FractionalRows<C>>>,
    ) {
        let branches = (best.sums.as_slice(), division.sizes.as_slice());
        let first_child = tree.add_split(open.node, best.as_split(step), branches, &best.levels);
        let wanted: Vec<bool> = (first_child..)
            .zip(&division.sizes)
            .map(|(child, &size)| size > 0 && !self.is_finished(tree, child))
            .collect();
        let divided = divide(self.base, &open.rows, division, &wanted);
        children.extend(
            (first_child..)
                .zip(divided)
                .filter_map(|(node, parts)| parts.map(|rows| Open { node, rows })),
        );
    }

    fn detach(self, nodes: Vec<FractionalRows<C>>) -> Vec<FractionalRows<C>> {
        nodes
    }

    fn attach(base: Self::Context, parts: FractionalRows<C>) -> (Self, FractionalRows<C>) {
        (Self { base, codes: PhantomData }, parts)
    }
}

impl<C: Code> Fractional<'_, C> {
    /// Distance of some branches of a node.
    fn distance(&self, sums: &[i64], totals: &[i64], whole: bool) -> Result<f64> {
        let (base, setting) = (self.base, self.base.setting);
        if whole && sums.iter().all(|&c| i64::from(base.rows_in(c)) * base.weight(0) == c) {
            let rows = |sums: &[i64]| sums.iter().map(|&s| base.rows_in(s)).collect::<Vec<u32>>();
            let totals = rows(totals);
            return NodeSums { setting, totals: &totals, unit: 1.0 }.distance(&rows(sums));
        }
        NodeSums { setting, totals, unit: base.unit }.distance(sums)
    }
}

/// The branch of each row; [`NONE`] without a value.
fn assign<C: Code>(
    base: &FractionalContext<'_>,
    parts: &FractionalRows<C>,
    best: &BestSplit<i64>,
) -> Vec<u32> {
    let mut branch = vec![NONE; parts.len()];
    if let Some(i) = base.numeric_place(best.feature) {
        let (left, right) = parts.order(i).split_at(best.at as usize);
        left.iter().for_each(|&e| branch[entry_row(e) as usize] = 0);
        right.iter().for_each(|&e| branch[entry_row(e) as usize] = 1);
        return branch;
    }
    let j = base.nominal.partition_point(|f| f.feature < best.feature);
    let (width, levels) = (base.nominal.len(), base.nominal[j].levels);
    for (branch, codes) in branch.iter_mut().zip(parts.codes.chunks_exact(width)) {
        let code = codes[j].index() as u32;
        *branch = match best.branch_of.get(code as usize) {
            _ if code >= levels => NONE,
            Some(&branch) => u32::from(branch),
            None => code,
        };
    }
    branch
}
