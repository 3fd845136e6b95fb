//! Growth in parts: a row whose value is missing goes down every branch of a split, each part
//! weighted by the branch's share of the known rows (Quinlan, C4.5, 1993, chapter 3).
//!
//! Weights are 64-bit fixed point, so sums depend neither on the order of the rows nor on threads,
//! and no weight is lost: the last branch takes what rounding left. A split is scored on the rows
//! whose value is known, its score scaled by their share of the node's weight; limits count rows by
//! the weight of their parts. Splits, tie rules, limits, best-first growth and feature subsets are
//! those of [`super::local`]; C4.5's own rule for candidates (`split::c45`) grows here, too, with
//! whole rows where nothing is missing.
//!
//! O(parts x features) a level. Parts multiply: with a share `m` of missing cells a level of the
//! tree has up to `1 + m` times the parts of the one above, until nodes become too light to be
//! split.
//!
//! When not to use it: nothing is missing and the criterion's plain maximum decides:
//! [`super::local`] is faster.

mod base;
mod look;
mod parts;

use super::draft::{Drafts, Split};
use super::{Setting, check};
use crate::data::{Dataset, RowSet, Weights, entry_row};
use crate::error::Result;
use crate::numeric::{Count, mix};
use crate::parallel::{self, Control};
use crate::stats::Sum;
use crate::stats::contingency::Code;
use crate::tree::{NONE, Test, Tree};
use base::Base;
use look::{Pick, one_table, pick};
use parts::{Division, Parts, divide};

/// Subtrees of at most this share of the rows are grown as one task each.
const TASKS_PER_THREAD: usize = 8;
/// Smaller subtrees are not worth a task of their own.
const SMALLEST_TASK: usize = 2048;

/// Grow a tree on some rows.
pub(super) fn grow(
    data: &Dataset,
    setting: &Setting<'_>,
    rows: &RowSet,
    weights: &Weights,
    control: &Control,
) -> Result<Tree> {
    check(&setting.limits)?;
    let base = Base::new(data, setting, rows, weights);
    if base.narrow() {
        with_codes::<u8>(&base, rows, control)
    } else {
        with_codes::<u32>(&base, rows, control)
    }
}

fn with_codes<C: Code>(base: &Base<'_>, rows: &RowSet, control: &Control) -> Result<Tree> {
    let parts = Parts::<C>::new(base, rows);
    let mut sums = vec![0; base.data.n_classes()];
    for (&class, &weight) in parts.classes.iter().zip(&parts.weights) {
        sums[class as usize] += weight;
    }
    let key = mix(base.setting.seed, 0);
    let mut worker = Worker::new(base, Drafts::new(&sums, rows.len() as u32, key, 0));
    let root = Pending { node: 0, parts };
    if base.setting.limits.max_leaf_nodes.is_some() {
        worker.best_first(root, control)?;
    } else if control.threads() > 1 && rows.len() > 2 * SMALLEST_TASK {
        let task = (rows.len() / (control.threads() * TASKS_PER_THREAD)).max(SMALLEST_TASK);
        let tasks = worker.depth_first(root, task, control)?;
        worker.in_parallel(tasks, control)?;
    } else {
        worker.depth_first(root, 0, control)?;
    }
    Ok(worker.drafts.finish(base.unit, base.setting.empty_branch))
}

/// A node that waits to be split.
struct Pending<C> {
    node: u32,
    parts: Parts<C>,
}

/// A split that was accepted.
struct Chosen {
    pick: Pick,
    test: Test,
    division: Division,
    distance: f64,
}

/// Looks at nodes and splits them.
struct Worker<'b> {
    base: &'b Base<'b>,
    drafts: Drafts<i64>,
    unanswered: usize,
}

impl<'b> Worker<'b> {
    fn new(base: &'b Base<'b>, drafts: Drafts<i64>) -> Self {
        Self { base, drafts, unanswered: 0 }
    }

    /// Limits that need no look at the candidates.
    fn is_finished(&self, node: usize) -> bool {
        let (base, draft, sums) = (self.base, &self.drafts.nodes[node], self.drafts.sums(node));
        let limits = &base.setting.limits;
        let weight: f64 = sums.iter().map(|s| s.value(base.unit)).sum();
        // A class that holds next to nothing is rounding.
        let occupied = sums.iter().filter(|s| s.value(base.unit) > 1e-9 * weight).count();
        if base.c45 {
            let largest = sums.iter().map(|s| s.value(base.unit)).fold(0.0, f64::max);
            let least = (2 * limits.min_samples_leaf).max(limits.min_samples_split) as f64;
            return least - weight > 1e-6
                || weight - largest < 1e-6
                || draft.depth as usize >= limits.max_depth;
        }
        // Parts add up to rows within rounding.
        let rows = if base.copies { (weight + 1e-6) as usize } else { draft.rows as usize };
        limits.stops(rows, draft.depth as usize, occupied)
    }

    fn look<C: Code>(&mut self, pending: &Pending<C>, control: &Control) -> Result<Option<Chosen>> {
        self.unanswered += pending.parts.len() + 64;
        if self.unanswered > 1 << 13 {
            control.check()?;
            self.unanswered = 0;
        }
        let (base, node) = (self.base, pending.node as usize);
        let sums = self.drafts.sums(node);
        let Some(pick) = pick(base, &pending.parts, sums, self.drafts.nodes[node].key, control)?
        else {
            return Ok(None);
        };
        let (test, branch, branches) = assign(base, &pending.parts, &pick);
        let division = Division::new(base, &pending.parts, branch, branches, sums.len());
        let distance = self.distance(&division.sums, sums, branches, pending.parts.whole)?;
        let before = || self.distance(sums, sums, 1, pending.parts.whole);
        if !base.setting.limits.accept(pick.score, distance, before)? {
            return Ok(None);
        }
        Ok(Some(Chosen { pick, test, division, distance }))
    }

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

    /// Make a split: children are born. Returns those that may be split.
    fn split<C: Code>(
        &mut self,
        pending: Pending<C>,
        chosen: &Chosen,
        step: u32,
    ) -> Vec<Pending<C>> {
        let Pending { node, parts } = pending;
        let division = &chosen.division;
        let first_child = self.drafts.nodes.len() as u32;
        for (branch, &rows) in division.sizes.iter().enumerate() {
            self.drafts.bear(node, branch as u32, rows);
        }
        self.drafts.sums.extend_from_slice(&division.sums);
        let test = chosen.test.shifted(self.drafts.levels.len() as u32);
        if let Some(sides) = &chosen.pick.sides {
            self.drafts.levels.extend_from_slice(&sides.listed);
        }
        self.drafts.nodes[node as usize].split = Some(Split {
            feature: chosen.pick.feature,
            test,
            first_child,
            n_children: division.sizes.len() as u32,
            missing: false,
            score: chosen.pick.score,
            distance: chosen.distance,
            step,
        });
        let open: Vec<bool> = (0..division.sizes.len())
            .map(|b| division.sizes[b] > 0 && !self.is_finished(first_child as usize + b))
            .collect();
        let children = divide(self.base, &parts, division, &open);
        let numbered = children.into_iter().enumerate();
        numbered
            .filter_map(|(b, parts)| {
                parts.map(|parts| Pending { node: first_child + b as u32, parts })
            })
            .collect()
    }

    /// Split everything below a node; subtrees with at most `task` rows are returned instead of
    /// grown (none when 0).
    fn depth_first<C: Code>(
        &mut self,
        root: Pending<C>,
        task: usize,
        control: &Control,
    ) -> Result<Vec<Pending<C>>> {
        let mut tasks = Vec::new();
        if self.is_finished(root.node as usize) {
            return Ok(tasks);
        }
        let mut stack = vec![root];
        while let Some(pending) = stack.pop() {
            if pending.parts.len() <= task {
                tasks.push(pending);
            } else if let Some(chosen) = self.look(&pending, control)? {
                let children = self.split(pending, &chosen, NONE);
                stack.extend(children.into_iter().rev());
            }
        }
        Ok(tasks)
    }

    fn in_parallel<C: Code>(&mut self, tasks: Vec<Pending<C>>, control: &Control) -> Result<()> {
        let nodes: Vec<u32> = tasks.iter().map(|t| t.node).collect();
        let (base, drafts) = (self.base, &self.drafts);
        let waiting: Vec<_> = tasks
            .into_iter()
            .map(|t| {
                let node = drafts.nodes[t.node as usize];
                let root =
                    Drafts::new(drafts.sums(t.node as usize), node.rows, node.key, node.depth);
                std::sync::Mutex::new(Some((root, t.parts)))
            })
            .collect();
        let serial = control.serial();
        let grown = parallel::map(control, waiting.len(), |i| {
            let taken = waiting[i].lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
            let Some((root, parts)) = taken else { return Ok(None) };
            let mut worker = Worker::new(base, root);
            worker.depth_first(Pending { node: 0, parts }, 0, &serial)?;
            Ok(Some(worker.drafts))
        })?;
        for (&node, subtree) in nodes.iter().zip(grown.iter().flatten()) {
            self.drafts.graft(node as usize, subtree);
        }
        Ok(())
    }

    /// Split the leaf with the smallest distance until there are enough leaves.
    fn best_first<C: Code>(&mut self, root: Pending<C>, control: &Control) -> Result<()> {
        let limit = self.base.setting.limits.max_leaf_nodes.unwrap_or(usize::MAX);
        let mut open = std::collections::BTreeMap::new();
        let (mut leaves, mut step) = (1, 0);
        let mut waiting = if self.is_finished(0) { Vec::new() } else { vec![root] };
        loop {
            for pending in waiting.drain(..) {
                if let Some(chosen) = self.look(&pending, control)? {
                    let key = (crate::numeric::order_key(chosen.distance), pending.node);
                    open.insert(key, (pending, chosen));
                }
            }
            let Some((_, (pending, chosen))) = open.pop_first() else { return Ok(()) };
            let more = chosen.division.sizes.len() - 1;
            if leaves + more > limit {
                // A split with many branches may not fit any more; a smaller one further on may.
                continue;
            }
            leaves += more;
            waiting = self.split(pending, &chosen, step);
            step += 1;
        }
    }
}

/// The test of a pick, the branch of each row ([`NONE`] without a value), and the number of
/// branches.
fn assign<C: Code>(base: &Base<'_>, parts: &Parts<C>, pick: &Pick) -> (Test, Vec<u32>, usize) {
    let mut branch = vec![NONE; parts.len()];
    if let Some(i) = base.numeric_place(pick.feature) {
        let (order, at) = (parts.order(i), pick.at as usize);
        let column = base.numeric[i].column;
        let value = |e: u32| column.value(parts.rows[entry_row(e) as usize]);
        let between = (value(order[at - 1]), value(order[at]));
        // C4.5 divides by the comparison, whatever it counted on the left.
        let left = if base.c45 { value(order[0]) } else { between.0 };
        let t = base.setting.threshold(base.data, column, between, left);
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
