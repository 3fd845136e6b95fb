//! The order in which nodes are split: depth first, best first, or as tasks of several threads.
//!
//! Without a limit on the leaves the order is irrelevant to the tree: it grows depth first, and
//! subtrees small enough are handed to other threads as whole tasks. With `max_leaf_nodes` the leaf
//! whose best split ranks first ([`LeafOrder`]) is split first, the leaf created first on ties; a
//! split with more branches than leaves are left is passed over for the next. Either way the tree
//! does not depend on the number of threads. Progress is counted in rows that are in leaves.
//! O(nodes log nodes) beside what [`NodeRows`] does.

use super::builder::TreeBuilder;
use super::nodes::{NodeRows, Open};
use super::options::LeafOrder;
use super::search::BestSplit;
use crate::error::Result;
use crate::numeric::order_key;
use crate::parallel::{self, Control};
use crate::reached::{self, Way};
use crate::tree::NONE;
use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};

/// A subtree with at most this share of the rows is one task.
const TASKS_PER_THREAD: usize = 8;
/// Steps between two looks at the cancel flag.
const UNCHECKED: usize = 1 << 14;

/// Split a root and everything below it. Subtrees of at most `task` rows are grown by other threads
/// (none when 0); best-first growth is one thread's.
pub(super) fn grow<R: NodeRows>(
    rows: R,
    tree: TreeBuilder<R::Sum>,
    root: R::Node,
    task: usize,
    control: &Control,
) -> Result<TreeBuilder<R::Sum>> {
    control.expect(rows.len(&root) as u64);
    let mut driver = Driver { rows, tree, unchecked: 0, quiet: control.quiet() };
    let root = Open { node: 0, rows: root };
    if driver.rows.limits().max_leaf_nodes.is_some() {
        reached::count(Way::BestFirst);
        driver.best_first(root, control)?;
    } else if task > 0 {
        reached::count(Way::Tasks);
        return driver.in_parallel(root, task, control);
    } else {
        driver.depth_first(root, 0, control)?;
    }
    Ok(driver.tree)
}

/// Rows of a task for a tree on `n` rows, of which the smallest has `smallest`: 0, for no tasks,
/// where one thread is as good.
pub(super) fn task_size(n: usize, smallest: usize, control: &Control) -> usize {
    if control.threads() > 1 && n > 2 * smallest {
        (n / (control.threads() * TASKS_PER_THREAD)).max(smallest)
    } else {
        0
    }
}

struct Driver<R: NodeRows> {
    rows: R,
    tree: TreeBuilder<R::Sum>,
    unchecked: usize,
    /// For what evaluates one node, whose own steps are no progress of growth.
    quiet: Control,
}

impl<R: NodeRows> Driver<R> {
    fn evaluate(&mut self, open: &mut Open<R::Node>, control: &Control) -> Result<Option<R::Best>> {
        self.unchecked += self.rows.work(&open.rows) + 64;
        if self.unchecked > UNCHECKED {
            control.check()?;
            self.unchecked = 0;
        }
        self.rows.evaluate(&self.tree, open, &self.quiet)
    }

    /// Split a node; the rows of children that are not `waiting` for a split are in leaves.
    fn split(
        &mut self,
        open: Open<R::Node>,
        best: &R::Best,
        step: u32,
        waiting: &mut Vec<Open<R::Node>>,
        control: &Control,
    ) {
        let (from, n) = (waiting.len(), self.rows.len(&open.rows));
        self.rows.split(&mut self.tree, open, best, step, waiting);
        let left: usize = waiting[from..].iter().map(|open| self.rows.len(&open.rows)).sum();
        control.advance(n.saturating_sub(left) as u64);
    }

    /// Leave a node a leaf.
    fn discard(&mut self, rows: R::Node, control: &Control) {
        control.advance(self.rows.len(&rows) as u64);
        self.rows.discard(rows);
    }

    /// Split everything below a node; subtrees with at most `task` rows are returned instead of
    /// grown (none when 0).
    fn depth_first(
        &mut self,
        root: Open<R::Node>,
        task: usize,
        control: &Control,
    ) -> Result<Vec<Open<R::Node>>> {
        let (mut tasks, mut stack) = (Vec::new(), Vec::new());
        if !self.rows.is_finished(&self.tree, root.node) {
            stack.push(root);
        }
        while let Some(mut open) = stack.pop() {
            if self.rows.len(&open.rows) <= task {
                tasks.push(open);
            } else if let Some(best) = self.evaluate(&mut open, control)? {
                let from = stack.len();
                self.split(open, &best, NONE, &mut stack, control);
                stack[from..].reverse();
            } else {
                self.discard(open.rows, control);
            }
        }
        Ok(tasks)
    }

    fn in_parallel(
        mut self,
        root: Open<R::Node>,
        task: usize,
        control: &Control,
    ) -> Result<TreeBuilder<R::Sum>> {
        let tasks = self.depth_first(root, task, control)?;
        let Self { rows, mut tree, .. } = self;
        let context = rows.context();
        let (leaves, nodes): (Vec<u32>, Vec<R::Node>) =
            tasks.into_iter().map(|t| (t.node, t.rows)).unzip();
        let waiting: Vec<_> = rows
            .detach(nodes)
            .into_iter()
            .zip(&leaves)
            .map(|(task, &leaf)| Mutex::new(Some((task, tree.subtree(leaf)))))
            .collect();
        let serial = control.serial();
        let grown = parallel::map(control, waiting.len(), |i| {
            let taken = waiting[i].lock().unwrap_or_else(PoisonError::into_inner).take();
            let Some((task, tree)) = taken else { return Ok(None) };
            let (rows, root) = R::attach(context, task);
            let mut driver = Self { rows, tree, unchecked: 0, quiet: serial.quiet() };
            driver.depth_first(Open { node: 0, rows: root }, 0, &serial)?;
            Ok(Some(driver.tree))
        })?;
        for (&leaf, subtree) in leaves.iter().zip(grown.iter().flatten()) {
            tree.graft(leaf as usize, subtree);
        }
        Ok(tree)
    }

    /// Split the leaf that ranks first until there are enough leaves.
    fn best_first(&mut self, root: Open<R::Node>, control: &Control) -> Result<()> {
        let limit = self.rows.limits().max_leaf_nodes.unwrap_or(usize::MAX);
        let order = self.rows.limits().leaf_order;
        let (mut leaves, mut step) = (1, 0);
        let mut waiting = BTreeMap::new();
        let mut fresh = Vec::new();
        if !self.rows.is_finished(&self.tree, root.node) {
            fresh.push(root);
        }
        loop {
            for mut open in fresh.drain(..) {
                match self.evaluate(&mut open, control)? {
                    Some(best) => {
                        let key = (order_of(R::best(&best), order), open.node);
                        waiting.insert(key, (open, best));
                    }
                    None => self.discard(open.rows, control),
                }
            }
            let Some((_, (open, best))) = waiting.pop_first() else { return Ok(()) };
            let more = R::best(&best).branches - 1;
            if leaves + more > limit {
                // A split with many branches may not fit any more; a smaller one further on may.
                self.discard(open.rows, control);
                continue;
            }
            leaves += more;
            self.split(open, &best, step, &mut fresh, control);
            step += 1;
            if leaves == limit {
                return Ok(());
            }
        }
    }
}

/// Splits are made in ascending order of this number.
pub(super) fn order_of<S>(split: &BestSplit<S>, order: LeafOrder) -> u64 {
    match order {
        LeafOrder::Distance => order_key(split.distance),
        // Not the negative: 0 has one sign only.
        LeafOrder::Improvement => order_key(0.0 - split.improvement),
    }
}
