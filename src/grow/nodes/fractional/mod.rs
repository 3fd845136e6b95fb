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
mod nominal;
mod rows;

use super::{NodeRows, Open, Rank};
use crate::criteria::SplitRule;
use crate::data::{Dataset, RowSet, Weights, entry_row};
use crate::error::Result;
use crate::grow::builder::{NodeSplit, TreeBuilder};
use crate::grow::driver;
use crate::grow::options::{GrowthLimits, GrowthSetting, Thresholds};
use crate::numeric::{Count, mix};
use crate::parallel::Control;
use crate::reached::{self, Way};
use crate::stats::Sum;
use crate::stats::contingency::Code;
use crate::tree::{NONE, Test, Tree};
use context::FractionalContext;
use evaluate::{Pick, one_table, pick};
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

/// A split that was accepted.
struct FractionalSplit {
    pick: Pick,
    test: Test,
    division: Division,
    distance: f64,
    improvement: f64,
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
        let Some(pick) = pick(base, parts, sums, tree.nodes[node].key, control)? else {
            return Ok(None);
        };
        let (test, branch, branches) = assign(base, parts, &pick);
        let division = Division::new(base, parts, branch, branches, sums.len());
        let distance = self.distance(&division.sums, sums, branches, parts.whole)?;
        let before = || self.distance(sums, sums, 1, parts.whole);
        if !base.setting.limits.accept(pick.score, distance, before)? {
            return Ok(None);
        }
        let weight: f64 = sums.iter().map(|s| s.value(base.unit)).sum();
        // The criteria that divide rows score an undivided node 0.
        let improvement = base.setting.improvement(weight, pick.score, 0.0);
        if !base.setting.limits.accept_improvement(improvement, base.total_weight) {
            return Ok(None);
        }
        Ok(Some(FractionalSplit { pick, test, division, distance, improvement }))
    }

    fn rank(best: &FractionalSplit) -> Rank {
        let (distance, improvement) = (best.distance, best.improvement);
        Rank { distance, improvement, branches: best.division.sizes.len() }
    }

    fn split(
        &mut self,
        tree: &mut TreeBuilder<i64>,
        open: Open<FractionalRows<C>>,
        best: &FractionalSplit,
        step: u32,
        children: &mut Vec<Open<FractionalRows<C>>>,
    ) {
        let division = &best.division;
        let split = NodeSplit {
            feature: best.pick.feature,
            test: best.test,
            first_child: NONE,
            n_children: 0,
            missing: false,
            score: best.pick.score,
            distance: best.distance,
            step,
        };
        let levels = best.pick.sides.as_ref().map_or(&[][..], |sides| &sides.listed);
        let parts = (division.sums.as_slice(), division.sizes.as_slice());
        let first_child = tree.add_split(open.node, split, parts, levels);
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
    /// Distance of a table of parts.
    fn distance(&self, cells: &[i64], totals: &[i64], branches: usize, whole: bool) -> Result<f64> {
        let (base, mut out) = (self.base, [0.0]);
        let declared = [branches as u32];
        let criterion = base.setting.criterion;
        if whole && cells.iter().all(|&c| i64::from(base.rows_in(c)) * base.weight(0) == c) {
            let rows = |sums: &[i64]| sums.iter().map(|&s| base.rows_in(s)).collect::<Vec<u32>>();
            let (cells, totals) = (rows(cells), rows(totals));
            let table = one_table(
                Count::cells(&cells),
                Count::cells(&totals),
                branches,
                base.setting,
                &declared,
            );
            criterion.distance(&table, &mut out)?;
        } else {
            let real = |sums: &[i64]| sums.iter().map(|s| s.value(base.unit)).collect::<Vec<f64>>();
            let (cells, totals) = (real(cells), real(totals));
            let table = one_table(
                Count::cells(&cells),
                Count::cells(&totals),
                branches,
                base.setting,
                &declared,
            );
            criterion.distance(&table, &mut out)?;
        }
        Ok(out[0])
    }
}

/// The test of a pick, the branch of each row ([`NONE`] without a value), and the number of
/// branches.
fn assign<C: Code>(
    base: &FractionalContext<'_>,
    parts: &FractionalRows<C>,
    pick: &Pick,
) -> (Test, Vec<u32>, usize) {
    let mut branch = vec![NONE; parts.len()];
    if let Some(i) = base.numeric_place(pick.feature) {
        let (order, at) = (parts.order(i), pick.at as usize);
        let column = base.numeric[i].column;
        let value = |e: u32| column.value(parts.rows[entry_row(e) as usize]);
        let between = (value(order[at - 1]), value(order[at]));
        // C4.5 divides by the comparison, whatever it counted on the left.
        let left = if base.rule == SplitRule::C45 { value(order[0]) } else { between.0 };
        let t = match pick.drawn {
            Some(t) if base.setting.thresholds == Thresholds::Midpoint => t.into(),
            _ => base.setting.threshold(base.data, column, between, left),
        };
        let at =
            if t.reach < between.0 { order.partition_point(|&e| value(e) <= t.reach) } else { at };
        order[..at].iter().for_each(|&e| branch[entry_row(e) as usize] = 0);
        order[at..].iter().for_each(|&e| branch[entry_row(e) as usize] = 1);
        return (Test::Threshold(t), branch, 2);
    }
    let j = base.nominal.partition_point(|f| f.feature < pick.feature);
    let (width, levels) = (base.nominal.len(), base.nominal[j].levels);
    for (branch, codes) in branch.iter_mut().zip(parts.codes.chunks_exact(width)) {
        let code = codes[j].index() as u32;
        *branch = match &pick.sides {
            _ if code >= levels => NONE,
            Some(sides) => u32::from(!sides.is_first[code as usize]),
            None => code,
        };
    }
    match &pick.sides {
        Some(sides) => (sides.test, branch, 2),
        None => (Test::Multiway, branch, levels as usize),
    }
}
