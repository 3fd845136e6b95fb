//! Local growth: each leaf is split by its own best candidate (ID3, C4.5, CART).
//!
//! Without a limit on the leaves the order of splitting is irrelevant, and the tree grows depth
//! first; nodes small enough are handed to other threads as whole subtrees, each with its own
//! disjoint part of the buffers. With `max_leaf_nodes` the leaf whose best split has the smallest
//! distance is split first, the leaf created first on ties. Either way the tree does not depend on
//! the number of threads.

use super::draft::{Drafts, Split};
use super::evaluate::{Chosen, Look, Tools};
use super::ground::{Buffers, Cut, Extent, Field, Ground, Spare};
use super::memo::KnownPairs;
use super::pairs::Inherited;
use super::{Setting, bits, check, memo};
use crate::data::{Dataset, RowSet, Weights};
use crate::error::Result;
use crate::numeric::mix;
use crate::parallel::{self, Control};
use crate::stats::contingency::{Code, Tally};
use crate::stats::pairs::is_worth_it;
use crate::stats::{FixedWeights, IntegerWeights, Sum, UnitWeights, Weighing};
use crate::tree::{NONE, Tree};
use std::sync::Arc;

/// Subtrees of at most this share of the rows are grown as one task each.
const TASKS_PER_THREAD: usize = 8;
/// Smaller subtrees are not worth a task of their own.
const SMALLEST_TASK: usize = 2048;
/// The same where pairs of rows are looked at.
const SMALLEST_TASK_OF_PAIRS: usize = 128;
/// Larger tables are counted again instead of being kept for subtraction.
const KEPT_CELLS: usize = 1 << 18;

/// Grow a tree on some rows.
pub fn grow(
    data: &Dataset,
    setting: &Setting<'_>,
    rows: &RowSet,
    weights: &Weights,
    control: &Control,
) -> Result<Tree> {
    check(&setting.limits)?;
    match weights {
        Weights::Unit => match bits::grow(data, setting, rows, control)? {
            Some(drafts) => Ok(drafts.finish(1.0, setting.empty_branch)),
            None => with_weights(data, setting, rows, UnitWeights, control),
        },
        Weights::Integer(w) => with_weights(data, setting, rows, IntegerWeights(w), control),
        Weights::Fixed { values, shift } => {
            let unit = f64::powi(2.0, -shift);
            with_weights(data, setting, rows, FixedWeights { values, unit }, control)
        }
    }
}

fn with_weights<W: Weighing>(
    data: &Dataset,
    setting: &Setting<'_>,
    rows: &RowSet,
    weights: W,
    control: &Control,
) -> Result<Tree> {
    let ground = Ground::new(data, setting, rows, weights);
    if Ground::<W>::narrow(data) {
        with_codes::<u8, W>(&ground, rows, control)
    } else {
        with_codes::<u32, W>(&ground, rows, control)
    }
}

fn with_codes<C: Code, W: Weighing>(
    ground: &Ground<'_, W>,
    rows: &RowSet,
    control: &Control,
) -> Result<Tree> {
    let mut buffers = Buffers::<C>::new(ground, rows, control)?;
    let field = buffers.field();
    let sums = ground.sums(rows.rows().iter().copied());
    let drafts = Drafts::new(&sums, rows.len() as u32, mix(ground.setting.seed, 0), 0);
    let whole = Extent { start: 0, len: rows.len(), buffer: 0 };
    let mut worker = Worker::new(ground, field, drafts);
    let drafts = if ground.setting.limits.max_leaf_nodes.is_some() {
        worker.best_first(whole, control)?;
        worker.drafts
    } else if control.threads() > 1
        && ground.setting.memo.is_none()
        && rows.len() > 2 * smallest_task(ground)
        && !ground.setting.criterion.joined()
    {
        in_parallel(worker, whole, control)?
    } else {
        worker.depth_first(whole, 0, control)?;
        worker.drafts
    };
    buffers.release(ground);
    Ok(drafts.finish(ground.weights.unit(), ground.setting.empty_branch))
}

fn smallest_task<W: Weighing>(ground: &Ground<'_, W>) -> usize {
    if ground.pairs.is_some() || ground.near.is_some() {
        SMALLEST_TASK_OF_PAIRS
    } else {
        SMALLEST_TASK
    }
}

fn in_parallel<C: Code, W: Weighing>(
    mut worker: Worker<'_, '_, C, W>,
    whole: Extent,
    control: &Control,
) -> Result<Drafts<W::Sum>> {
    let ground = worker.ground;
    let task = (whole.len / (control.threads() * TASKS_PER_THREAD)).max(smallest_task(ground));
    let mut tasks = worker.depth_first(whole, task, control)?;
    tasks.sort_by_key(|t| t.extent.start);
    let Worker { field, mut drafts, .. } = worker;
    let ranges: Vec<(usize, usize)> =
        tasks.iter().map(|t| (t.extent.start, t.extent.len)).collect();
    let fields = field.divide(&ranges, ground.nominal.features.len());
    let workers: Vec<_> = fields
        .into_iter()
        .zip(&tasks)
        .map(|(field, t)| {
            let node = drafts.nodes[t.node as usize];
            let root = Drafts::new(drafts.sums(t.node as usize), node.rows, node.key, node.depth);
            std::sync::Mutex::new(Some((field, root, t.extent)))
        })
        .collect();
    let serial = control.serial();
    let grown = parallel::map(control, workers.len(), |i| {
        let taken = workers[i].lock().unwrap_or_else(std::sync::PoisonError::into_inner).take();
        let Some((field, root, extent)) = taken else { return Ok(None) };
        let mut worker = Worker::new(ground, field, root);
        worker.depth_first(extent, 0, &serial)?;
        Ok(Some(worker.drafts))
    })?;
    for (task, subtree) in tasks.iter().zip(grown.iter().flatten()) {
        drafts.graft(task.node as usize, subtree);
    }
    Ok(drafts)
}

/// The branch whose pairs are what remains of the node's, if it will be looked at and that is worth
/// it.
fn heir(sizes: &[u32], keep: &[bool]) -> Option<usize> {
    let all: u32 = sizes.iter().sum();
    let (largest, &size) =
        sizes.iter().enumerate().max_by_key(|&(b, &s)| (s, std::cmp::Reverse(b)))?;
    (keep[largest] && is_worth_it((all - size) as usize, all as usize)).then_some(largest)
}

/// A node that waits to be split, with the tables of its nominal features where they are known.
pub(super) struct Pending<S> {
    pub node: u32,
    pub extent: Extent,
    pub tally: Option<Tally<S>>,
    /// What its pairs can be had from.
    pub pairs: Option<Box<Inherited>>,
}

/// Looks at nodes and splits them.
pub(super) struct Worker<'n, 'f, C, W: Weighing> {
    pub ground: &'n Ground<'n, W>,
    pub field: Field<'f, C>,
    pub drafts: Drafts<W::Sum>,
    tools: Tools<W::Sum>,
    spare: Spare,
    unanswered: usize,
}

impl<'n, 'f, C: Code, W: Weighing> Worker<'n, 'f, C, W> {
    pub fn new(ground: &'n Ground<'n, W>, field: Field<'f, C>, drafts: Drafts<W::Sum>) -> Self {
        let spare = Spare::new(ground.data.len());
        Self { ground, field, drafts, tools: Tools::default(), spare, unanswered: 0 }
    }

    /// Limits that need no look at the candidates.
    pub fn is_finished(&self, node: usize) -> bool {
        let limits = &self.ground.setting.limits;
        let draft = &self.drafts.nodes[node];
        let sums = self.drafts.sums(node);
        let size = if W::COPIES {
            sums.iter().map(|s| s.value(1.0)).sum::<f64>() as usize
        } else {
            draft.rows as usize
        };
        limits.stops(size, draft.depth as usize, sums.iter().filter(|s| !s.is_empty()).count())
    }

    fn look(
        &mut self,
        pending: &mut Pending<W::Sum>,
        control: &Control,
    ) -> Result<Option<Chosen<W::Sum>>> {
        // The flag is looked at every few thousand rows, not for every small node.
        let len = pending.extent.len;
        self.unanswered += 64 + if self.ground.pairs.is_some() { len * len / 64 } else { len };
        if self.unanswered > 1 << 14 {
            control.check()?;
            self.unanswered = 0;
        }
        let node = pending.node as usize;
        if self.ground.setting.memo.is_some() {
            self.tools.pairs.key = memo::key(&self.drafts, node);
        }
        self.tools.pairs.inherited = pending.pairs.take();
        self.tools.pairs.last = None;
        let look = Look {
            ground: self.ground,
            field: &self.field,
            extent: pending.extent,
            totals: self.drafts.sums(node),
            key: self.drafts.nodes[node].key,
            every: false,
        };
        let tally = match pending.tally.take() {
            Some(t) => t,
            None => look.tally(&mut self.tools),
        };
        let chosen = look.choose(&tally, &mut self.tools, control)?;
        pending.tally = Some(tally);
        Ok(chosen)
    }

    /// Make a chosen split: children are born, rows partitioned. Returns the children that may be
    /// split.
    pub fn split(
        &mut self,
        pending: Pending<W::Sum>,
        chosen: &Chosen<W::Sum>,
        step: u32,
    ) -> Vec<Pending<W::Sum>> {
        let Pending { node, extent, tally, .. } = pending;
        let known = self.tools.pairs.last.take();
        let k = self.drafts.classes;
        let first_child = self.drafts.nodes.len() as u32;
        for (branch, &rows) in chosen.sizes.iter().enumerate() {
            self.drafts.bear(node, branch as u32, rows);
        }
        self.drafts.sums.extend_from_slice(&chosen.sums);
        let test = chosen.test.shifted(self.drafts.levels.len() as u32);
        self.drafts.levels.extend_from_slice(&chosen.levels);
        self.drafts.nodes[node as usize].split = Some(Split {
            feature: chosen.feature,
            test,
            first_child,
            n_children: chosen.sizes.len() as u32,
            missing: chosen.missing,
            score: chosen.score,
            distance: chosen.distance,
            step,
        });
        debug_assert_eq!(self.drafts.sums.len(), self.drafts.nodes.len() * k);
        let keep: Vec<bool> =
            (0..chosen.sizes.len()).map(|b| !self.is_finished(first_child as usize + b)).collect();
        if !keep.contains(&true) {
            tally.into_iter().for_each(|t| self.tools.recycle(t));
            return Vec::new();
        }
        let subtract = self.subtract_for(&chosen.sizes, &keep, tally.is_some());
        let heir = known.as_ref().and_then(|_| heir(&chosen.sizes, &keep));
        let mut wanted = keep.clone();
        if subtract.is_some() || heir.is_some() {
            wanted.iter_mut().zip(&chosen.sizes).for_each(|(w, &s)| *w = s > 0);
        }
        let cut = Cut {
            place: chosen.place,
            sizes: &chosen.sizes,
            keep: &wanted,
            branch_of: &chosen.branch_of,
        };
        self.field.partition(self.ground, extent, &cut, &mut self.spare);
        let pairs = match (known, heir) {
            (Some(parent), Some(heir)) => {
                Some(Box::new(self.siblings(extent, &chosen.sizes, heir, parent)))
            }
            _ => None,
        };
        let mut children = Vec::new();
        let mut start = extent.start;
        let mut rest = match subtract {
            Some(_) => tally,
            None => {
                tally.into_iter().for_each(|t| self.tools.recycle(t));
                None
            }
        };
        for (b, &size) in chosen.sizes.iter().enumerate() {
            let extent = Extent { start, len: size as usize, buffer: 1 - extent.buffer };
            start += size as usize;
            let mut tally = None;
            if let Some(rest) = &mut rest
                && subtract != Some(b)
                && size > 0
            {
                let part = self.tally(extent);
                rest.subtract(&part);
                tally = Some(part);
            }
            if keep[b] {
                children.push(Pending { node: first_child + b as u32, extent, tally, pairs: None });
            } else {
                tally.into_iter().for_each(|t| self.tools.recycle(t));
            }
        }
        if let Some(b) = subtract {
            let node = first_child + b as u32;
            children.iter_mut().filter(|c| c.node == node).for_each(|c| c.tally = rest.take());
        }
        if let (Some(pairs), Some(b)) = (pairs, heir) {
            let node = first_child + b as u32;
            if let Some(child) = children.iter_mut().find(|c| c.node == node) {
                child.pairs = Some(pairs);
            }
        }
        children
    }

    /// The rows of all branches but one, after the partition.
    fn siblings(
        &self,
        extent: Extent,
        sizes: &[u32],
        heir: usize,
        parent: Arc<KnownPairs>,
    ) -> Inherited {
        let width = self.ground.nominal.features.len();
        let mut out = Inherited { parent, codes: Vec::new(), classes: Vec::new() };
        let mut start = extent.start;
        for (b, &size) in sizes.iter().enumerate() {
            let part = Extent { start, len: size as usize, buffer: 1 - extent.buffer };
            start += size as usize;
            if b != heir && size > 0 {
                let rows = self.field.coded(width, part);
                out.codes.extend(rows.codes.iter().map(|c| c.index() as u32));
                out.classes.extend_from_slice(rows.classes);
            }
        }
        out
    }

    fn tally(&mut self, extent: Extent) -> Tally<W::Sum> {
        let look = Look {
            ground: self.ground,
            field: &self.field,
            extent,
            totals: &[],
            key: 0,
            every: false,
        };
        look.tally(&mut self.tools)
    }

    /// The branch whose tables are best had by subtraction: the largest, when it will be looked at
    /// and the others are fewer rows together.
    fn subtract_for(&self, sizes: &[u32], keep: &[bool], known: bool) -> Option<usize> {
        let nominal = &self.ground.nominal;
        if !known || nominal.features.is_empty() || nominal.layout.cells() > KEPT_CELLS {
            return None;
        }
        let total: u32 = sizes.iter().sum();
        let (largest, &size) =
            sizes.iter().enumerate().max_by_key(|&(b, &s)| (s, std::cmp::Reverse(b)))?;
        (keep[largest] && total - size < size && size as usize > nominal.layout.cells() / 4)
            .then_some(largest)
    }

    /// Split everything below a node; subtrees with at most `task` rows are returned instead of
    /// grown (none when 0).
    fn depth_first(
        &mut self,
        extent: Extent,
        task: usize,
        control: &Control,
    ) -> Result<Vec<Pending<W::Sum>>> {
        let mut tasks = Vec::new();
        let mut stack = vec![Pending { node: 0, extent, tally: None, pairs: None }];
        if self.is_finished(0) {
            return Ok(tasks);
        }
        while let Some(mut pending) = stack.pop() {
            if pending.extent.len <= task {
                pending.tally = None;
                pending.pairs = None;
                tasks.push(pending);
                continue;
            }
            if let Some(chosen) = self.look(&mut pending, control)? {
                let children = self.split(pending, &chosen, NONE);
                stack.extend(children.into_iter().rev());
            } else {
                pending.tally.into_iter().for_each(|t| self.tools.recycle(t));
            }
        }
        Ok(tasks)
    }

    /// Split the leaf with the smallest distance until there are enough leaves.
    fn best_first(&mut self, extent: Extent, control: &Control) -> Result<()> {
        let limit = self.ground.setting.limits.max_leaf_nodes.unwrap_or(usize::MAX);
        let mut open: std::collections::BTreeMap<(u64, u32), (Pending<W::Sum>, Chosen<W::Sum>)> =
            std::collections::BTreeMap::new();
        let mut waiting = vec![Pending { node: 0, extent, tally: None, pairs: None }];
        if self.is_finished(0) {
            return Ok(());
        }
        let mut leaves = 1;
        let mut step = 0;
        loop {
            for mut pending in waiting.drain(..) {
                if let Some(chosen) = self.look(&mut pending, control)? {
                    let key = (crate::numeric::order_key(chosen.distance), pending.node);
                    open.insert(key, (pending, chosen));
                }
            }
            let Some((_, (pending, chosen))) = open.pop_first() else { return Ok(()) };
            leaves += chosen.sizes.len() - 1;
            if leaves > limit {
                // A split with many branches may not fit any more; a smaller one further on may.
                leaves -= chosen.sizes.len() - 1;
                continue;
            }
            // The last look was at another node.
            self.tools.pairs.last = None;
            waiting = self.split(pending, &chosen, step);
            step += 1;
        }
    }
}
