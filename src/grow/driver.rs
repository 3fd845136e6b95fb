//! The order in which local growth splits nodes: depth first, best first, or as tasks of several
//! threads. Every form of rows ([`NodeRows`]) grows its trees by [`grow`].
//!
//! Without a limit on the leaves the tree does not depend on the order: it grows depth first, and
//! small subtrees are whole tasks for other threads. With `max_leaf_nodes` the leaf whose best
//! split ranks first ([`LeafOrder`](super::options::LeafOrder)) is split first, the leaf created
//! first on ties; a split with more branches than leaves are left is skipped. Either way the tree
//! does not depend on the number of threads. Progress counts the rows that are in leaves. O(nodes
//! log nodes) in addition to the work of [`NodeRows`].

use super::builder::TreeBuilder;
use super::nodes::{NodeRows, Open};
use crate::error::{Error, Result};
use crate::parallel::{self, Control, lock};
use crate::reached::{self, Way};
use crate::tree::NONE;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::Mutex;

/// Tasks per thread, if all were of the largest size: enough for threads to finish together.
const TASKS_PER_THREAD: usize = 8;
/// Steps of work ([`NodeRows::work`]) between two checks of the cancel flag: some 20 microseconds.
const CHECK_EVERY: usize = 1 << 14;
/// Steps of work that any node takes, however few its rows.
const STEPS_PER_NODE: usize = 64;

/// Grow a tree from its root, whose rows are `root`; `tree` has the root alone.
///
/// Subtrees of at most `task_rows` rows are grown by other threads (none when 0), except in
/// best-first growth.
///
/// # Errors
/// Any error of the form of rows, and cancellation.
pub(super) fn grow<R: NodeRows>(
    rows: R,
    tree: TreeBuilder<R::Sum>,
    root: R::Node,
    task_rows: usize,
    control: &Control,
) -> Result<TreeBuilder<R::Sum>> {
    control.set_total(rows.len(&root) as u64);
    let mut driver = Driver { rows, tree, unchecked: 0, quiet: control.quiet() };
    let root = Open { node: 0, rows: root };
    if driver.rows.limits().max_leaf_nodes.is_some() {
        reached::count(Way::BestFirst);
        driver.grow_best_first(root, control)?;
    } else if task_rows > 0 {
        reached::count(Way::Tasks);
        return driver.grow_in_parallel(root, task_rows, control);
    } else {
        driver.grow_depth_first(root, 0, control)?;
    }
    Ok(driver.tree)
}

/// The largest number of rows of a task for a tree on `n_rows` rows, at least `smallest`; 0, for no
/// tasks, where several threads do not pay.
pub(super) fn task_size(n_rows: usize, smallest: usize, control: &Control) -> usize {
    if control.threads() > 1 && n_rows > 2 * smallest {
        (n_rows / (control.threads() * TASKS_PER_THREAD)).max(smallest)
    } else {
        0
    }
}

/// The growth of one tree, or of the subtree of one task.
struct Driver<R: NodeRows> {
    rows: R,
    tree: TreeBuilder<R::Sum>,
    /// Steps of work since the last check of the cancel flag.
    unchecked: usize,
    /// A control for the evaluation of nodes: the progress within a node is not the progress of
    /// growth.
    quiet: Control,
}

impl<R: NodeRows> Driver<R> {
    /// The best split of a node; the cancel flag is checked now and then.
    fn evaluate(&mut self, open: &mut Open<R::Node>, control: &Control) -> Result<Option<R::Best>> {
        self.unchecked += self.rows.work(&open.rows) + STEPS_PER_NODE;
        if self.unchecked > CHECK_EVERY {
            control.check()?;
            self.unchecked = 0;
        }
        self.rows.evaluate(&mut self.tree, open, &self.quiet)
    }

    /// Split a node; the children that are not finished join `waiting`.
    fn split(
        &mut self,
        open: Open<R::Node>,
        best: &R::Best,
        step: u32,
        waiting: &mut Vec<Open<R::Node>>,
        control: &Control,
    ) {
        let (n_before, n_rows) = (waiting.len(), self.rows.len(&open.rows));
        self.rows.split(&mut self.tree, open, best, step, waiting);
        // Rows of the node that are in no open child are in leaves now.
        let n_open: usize = waiting[n_before..].iter().map(|open| self.rows.len(&open.rows)).sum();
        control.advance(n_rows.saturating_sub(n_open) as u64);
    }

    /// Make a node a leaf for good.
    fn discard(&mut self, rows: R::Node, control: &Control) {
        control.advance(self.rows.len(&rows) as u64);
        self.rows.discard(rows);
    }

    /// Grow the subtree of a node depth first, except for nodes of at most `task_rows` rows (none
    /// when 0), which are returned.
    fn grow_depth_first(
        &mut self,
        root: Open<R::Node>,
        task_rows: usize,
        control: &Control,
    ) -> Result<Vec<Open<R::Node>>> {
        let (mut tasks, mut stack) = (Vec::new(), Vec::new());
        if !self.rows.is_finished(&self.tree, root.node) {
            stack.push(root);
        }
        while let Some(mut open) = stack.pop() {
            if self.rows.len(&open.rows) <= task_rows {
                tasks.push(open);
            } else if let Some(best) = self.evaluate(&mut open, control)? {
                // The stack pops the last child, so the first one goes on top.
                let n_before = stack.len();
                self.split(open, &best, NONE, &mut stack, control);
                stack[n_before..].reverse();
            } else {
                self.discard(open.rows, control);
            }
        }
        Ok(tasks)
    }

    /// Grow the upper part of a tree on this thread, and the subtrees of at most `task_rows` rows
    /// on other threads.
    fn grow_in_parallel(
        mut self,
        root: Open<R::Node>,
        task_rows: usize,
        control: &Control,
    ) -> Result<TreeBuilder<R::Sum>> {
        // Grow the upper part. Its open leaves become tasks, and each task gets its rows and a
        // builder.
        let tasks = self.grow_depth_first(root, task_rows, control)?;
        let Self { rows, mut tree, .. } = self;
        let context = rows.context();
        let (mut leaves, mut nodes) = (Vec::new(), Vec::new());
        for open in tasks {
            leaves.push(open.node);
            nodes.push(open.rows);
        }
        let limits = rows.limits().clone();
        let mut waiting = Vec::with_capacity(nodes.len());
        for (task, &leaf) in rows.detach(nodes).into_iter().zip(&leaves) {
            waiting.push(Mutex::new(Some((task, tree.subtree(leaf, &limits)))));
        }
        // Each task grows on one thread.
        let serial = control.serial();
        let grown = parallel::map(control, waiting.len(), &|i| {
            let taken = lock(&waiting[i]).take();
            let Some((task, tree)) = taken else {
                return Err(Error::Internal("a subtree that was grown already".into()));
            };
            let (rows, root) = R::attach(context, task);
            let mut driver = Self { rows, tree, unchecked: 0, quiet: serial.quiet() };
            driver.grow_depth_first(Open { node: 0, rows: root }, 0, &serial)?;
            Ok(driver.tree)
        })?;
        // Graft in the order of the leaves, so that the tree does not depend on threads.
        tree.reserve(&grown);
        for (&leaf, subtree) in leaves.iter().zip(grown) {
            tree.graft(leaf as usize, subtree);
        }
        Ok(tree)
    }

    /// Split the leaf that ranks first until the tree has `max_leaf_nodes` leaves.
    fn grow_best_first(&mut self, root: Open<R::Node>, control: &Control) -> Result<()> {
        let limit = self.rows.limits().max_leaf_nodes.unwrap_or(usize::MAX);
        let order = self.rows.limits().leaf_order;
        let (mut n_leaves, mut step) = (1, 0);
        // Leaves with a split, and a heap of their ranks, nodes, and places in that list.
        let (mut evaluated, mut waiting) = (Vec::new(), BinaryHeap::new());
        // Leaves that are not evaluated yet.
        let mut new_leaves = Vec::new();
        if !self.rows.is_finished(&self.tree, root.node) {
            new_leaves.push(root);
        }
        loop {
            // Rank the leaves that the last split made.
            for mut open in new_leaves.drain(..) {
                match self.evaluate(&mut open, control)? {
                    Some(best) => {
                        let split = R::best(&best);
                        let rank = order.rank(split.distance, split.improvement);
                        waiting.push(Reverse((rank, open.node, evaluated.len())));
                        evaluated.push(Some((open, best)));
                    }
                    None => self.discard(open.rows, control),
                }
            }
            let first = waiting.pop().and_then(|Reverse((.., place))| evaluated[place].take());
            let Some((open, best)) = first else { return Ok(()) };
            // Split the first; a split into b branches adds b - 1 leaves.
            let n_more = R::best(&best).branches - 1;
            if n_leaves + n_more > limit {
                // There will never be room for this split, but maybe for a split with fewer
                // branches.
                self.discard(open.rows, control);
                continue;
            }
            n_leaves += n_more;
            self.split(open, &best, step, &mut new_leaves, control);
            step += 1;
            if n_leaves == limit {
                return Ok(());
            }
        }
    }
}
