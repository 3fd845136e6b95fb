//! Growth whose rows lie elsewhere: open nodes are evaluated on histograms that others have
//! counted.
//!
//! [`SpreadGrowth`] holds the tree and its open nodes, which are *groups* of the rows of every
//! partition, in one order. A round goes: [`SpreadGrowth::small`] names groups whose rows are few
//! enough to grow below them in one place ([`grow_below`], [`SpreadGrowth::graft`]);
//! [`SpreadGrowth::wanted`] names groups to be counted; [`SpreadGrowth::choose`] takes their
//! histograms, splits nodes as local growth does, by the same code, and says where the rows go. Of
//! the children of a split the largest is not counted: its histogram is what remains of its
//! parent's.
//!
//! With `max_leaf_nodes` a round makes one split, the one that local growth would make next.
//! Memory: histograms of nodes whose children wait, up to [`KEPT_COUNTERS`], and those of a round.
//! Weights are copies of rows.

use super::context::BinnedContext;
use super::counts::{BinCounters, NodeCounts};
use super::growth::{BinnedRows, CodedNode};
use super::node::{BinnedNode, BinnedWorkspace, drawn_features};
use super::rows::{RecordBuffers, RecordRange};
use crate::bins::{PartFormat, Records, TableFacts};
use crate::error::{Error, Result};
use crate::grow::builder::TreeBuilder;
use crate::grow::driver::{self, order_of};
use crate::grow::nodes::NodeRows;
use crate::grow::options::{GrowthSetting, check};
use crate::grow::search::{BestSplit, NodeTables};
use crate::numeric::mix;
use crate::parallel::Control;
use crate::tree::{NONE, Tree};

/// Counters of nodes whose children wait, in all; beyond it the largest child is counted, too.
const KEPT_COUNTERS: usize = 1 << 26;

/// What growth on parts must know of all rows.
#[derive(Debug, Clone, Copy)]
pub struct SpreadFacts<'a> {
    /// What codes mean.
    pub table: TableFacts<'a>,
    /// How rows are counted.
    pub format: PartFormat,
    /// The rows are copies that were drawn, each of which counts as a row.
    pub drawn: bool,
    /// Weight of all rows.
    pub total: u64,
}

impl SpreadFacts<'_> {
    fn context<'a>(&'a self, setting: &'a GrowthSetting<'a>) -> BinnedContext<'a> {
        let total_weight = self.total as f64;
        let (unit, layout) = (1.0, self.format.layout);
        let context = BinnedContext::new(&self.table, layout, setting, (unit, self.drawn));
        BinnedContext { total_weight, ..context }
    }
}

/// Rows of an open node.
#[derive(Debug)]
struct NodeGroup {
    node: u32,
    /// Rows in all partitions.
    rows: u64,
    /// It grows elsewhere or stays a leaf: its rows are dropped.
    gone: bool,
    /// The split that waits for its turn, and its histogram.
    best: Option<(BestSplit<u32>, Vec<u32>)>,
}

/// Children of one node; with the histogram of the node all but the largest are counted.
#[derive(Debug)]
struct Family {
    parent: Option<Vec<u32>>,
    groups: Vec<NodeGroup>,
    evaluated: bool,
}

impl Family {
    fn largest(&self) -> usize {
        (0..self.groups.len()).rev().max_by_key(|&g| self.groups[g].rows).unwrap_or(0)
    }

    fn is_counted(&self, group: usize) -> bool {
        !self.groups[group].gone && (self.parent.is_none() || group != self.largest())
    }
}

/// Where the rows of all groups go; see [`crate::bins::GroupSplits`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Routes {
    /// Feature of each group.
    pub features: Vec<u32>,
    /// New group of each code of each group.
    pub targets: Vec<i32>,
    /// Number of new groups.
    pub groups: usize,
}

impl Routes {
    /// A further group, all of whose codes go to `target`; returns its place.
    fn add(&mut self, feature: u32, codes: usize, target: i32) -> usize {
        self.features.push(feature);
        self.targets.resize(self.targets.len() + codes, target);
        self.features.len() - 1
    }
}

/// A tree whose rows lie elsewhere.
#[derive(Debug)]
pub struct SpreadGrowth {
    tree: TreeBuilder<u32>,
    families: Vec<Family>,
    /// Families whose histograms were asked for.
    asked: Vec<usize>,
    leaves: usize,
    step: u32,
}

impl SpreadGrowth {
    /// A root with the weight of each class and a number of rows.
    pub fn new(setting: &GrowthSetting<'_>, totals: &[u32], rows: u32) -> Result<Self> {
        check(&setting.limits)?;
        let tree = TreeBuilder::new(totals, rows, mix(setting.seed, 0), 0);
        let gone = tree.is_finished(0, &setting.limits, true);
        let root = NodeGroup { node: 0, rows: u64::from(rows), gone, best: None };
        let family = Family { parent: None, groups: vec![root], evaluated: false };
        Ok(Self { tree, families: vec![family], asked: Vec::new(), leaves: 1, step: 0 })
    }

    /// True when no node is open.
    pub fn is_done(&self) -> bool {
        self.families.iter().flat_map(|f| &f.groups).all(|g| g.gone)
    }

    /// Open nodes of at most `most` rows, which are to grow elsewhere from here on: group, node,
    /// rows, key and depth. None where the number of leaves is limited.
    pub fn small(
        &mut self,
        setting: &GrowthSetting<'_>,
        most: u64,
    ) -> Vec<(u32, u32, u64, u64, u32)> {
        let mut found = Vec::new();
        if setting.limits.max_leaf_nodes.is_some() {
            return found;
        }
        let mut number = 0;
        for family in &mut self.families {
            for group in &mut family.groups {
                if !group.gone && group.rows <= most {
                    group.gone = true;
                    let own = &self.tree.nodes[group.node as usize];
                    found.push((number, group.node, group.rows, own.key, own.depth));
                    family.parent = None;
                }
                number += 1;
            }
        }
        found
    }

    /// Groups to be counted, of whole families, of at most about `most` families (of all, where the
    /// next split is the best of all).
    pub fn wanted(&mut self, setting: &GrowthSetting<'_>, most: usize) -> Vec<u32> {
        let most = if setting.limits.max_leaf_nodes.is_some() { usize::MAX } else { most };
        let (mut wanted, mut number) = (Vec::new(), 0);
        self.asked.clear();
        for (f, family) in self.families.iter().enumerate() {
            let open = !family.evaluated && family.groups.iter().any(|g| !g.gone);
            let asked = open && self.asked.len() < most.max(1);
            for group in 0..family.groups.len() {
                if asked && family.is_counted(group) {
                    wanted.push(number);
                }
                number += 1;
            }
            if asked {
                self.asked.push(f);
            }
        }
        wanted
    }

    /// Split nodes by the histograms of the groups that were wanted; where all rows go.
    pub fn choose(
        &mut self,
        facts: &SpreadFacts<'_>,
        setting: &GrowthSetting<'_>,
        counts: &[u32],
        control: &Control,
    ) -> Result<Routes> {
        let context = facts.context(setting);
        let cells = facts.format.cells();
        let mut given = counts.chunks_exact(cells);
        let mut work = BinnedWorkspace::default();
        for f in std::mem::take(&mut self.asked) {
            let counted = histograms(&mut self.families[f], &mut given, cells)?;
            for (group, histogram) in self.families[f].groups.iter_mut().zip(counted) {
                let Some(histogram) = histogram else { continue };
                control.check()?;
                let found = evaluate(facts, &context, &self.tree, group.node, histogram, &mut work);
                group.best = found?;
                group.gone = group.best.is_none();
            }
            self.families[f].evaluated = true;
        }
        if given.next().is_some() {
            return Err(Error::Internal("histograms that were not asked for".into()));
        }
        let limit = setting.limits.max_leaf_nodes;
        let next = limit.map(|limit| self.first_in_order(setting, limit));
        Ok(self.divide(facts, &context, next))
    }

    /// The node that best-first growth splits next; those that cannot be split any more are gone.
    fn first_in_order(&mut self, setting: &GrowthSetting<'_>, limit: usize) -> Option<u32> {
        let leaves = self.leaves;
        let order = |group: &NodeGroup| {
            let (best, _) = group.best.as_ref()?;
            Some((order_of(best, setting.limits.leaf_order), group.node))
        };
        let fits = |group: &NodeGroup| {
            group.best.as_ref().is_some_and(|(best, _)| leaves + best.branches - 1 <= limit)
        };
        let groups = || self.families.iter().flat_map(|f| &f.groups).filter(|g| !g.gone);
        let first = groups().filter(|g| fits(g)).filter_map(order).min();
        let taken = first.map(|(_, node)| node);
        // Local growth passes over what does not fit when its turn comes, for good.
        let passed = |group: &NodeGroup| first.is_none_or(|first| order(group) < Some(first));
        for group in self.families.iter_mut().flat_map(|f| &mut f.groups) {
            if Some(group.node) != taken && group.best.is_some() && passed(group) {
                group.gone = true;
            }
        }
        taken
    }

    /// Make the splits of this round: all that are known, or that of one node.
    fn divide(
        &mut self,
        facts: &SpreadFacts<'_>,
        context: &BinnedContext<'_>,
        only: Option<Option<u32>>,
    ) -> Routes {
        let codes = facts.format.codes;
        let mut routes = Routes::default();
        let (mut families, mut kept_counters) = (Vec::new(), 0);
        for family in std::mem::take(&mut self.families) {
            let Family { parent, groups, evaluated } = family;
            let mut kept = Family { parent, groups: Vec::new(), evaluated };
            let first = routes.groups;
            let mut split = Vec::new();
            for mut group in groups {
                let makes = !group.gone && only.is_none_or(|node| node == Some(group.node));
                match group.best.take_if(|_| makes) {
                    Some((best, histogram)) => {
                        let at = routes.add(best.feature, codes, -1);
                        split.push((at, group.node, best, histogram));
                    }
                    None => {
                        routes.add(0, codes, if group.gone { -1 } else { routes.groups as i32 });
                        if !group.gone {
                            routes.groups += 1;
                            kept.groups.push(group);
                        }
                    }
                }
            }
            debug_assert_eq!(routes.groups - first, kept.groups.len());
            if !kept.groups.is_empty() {
                kept_counters += kept.parent.as_ref().map_or(0, Vec::len);
                families.push(kept);
            }
            for (at, node, best, histogram) in split {
                let own = &mut routes.targets[at * codes..(at + 1) * codes];
                let mut family = self.split(facts, context, (node, &best, histogram), |branches| {
                    for (code, target) in own.iter_mut().enumerate() {
                        let branch = branch_of(context, &best, code);
                        *target = branches[branch].map_or(-1, |b| (routes.groups + b) as i32);
                    }
                });
                routes.groups += family.groups.len();
                kept_counters += family.parent.as_ref().map_or(0, Vec::len);
                if kept_counters > KEPT_COUNTERS {
                    kept_counters -= family.parent.take().map_or(0, |parent| parent.len());
                }
                if !family.groups.is_empty() {
                    families.push(family);
                }
            }
        }
        let full = context.setting.limits.max_leaf_nodes.is_some_and(|most| self.leaves >= most);
        if full || only.is_some_and(|node| node.is_none()) {
            families.clear();
            routes.groups = 0;
            routes.targets.fill(-1);
        }
        self.families = families;
        routes
    }

    /// Split a node; `route` learns the place of each branch among the groups that stay open.
    fn split(
        &mut self,
        facts: &SpreadFacts<'_>,
        context: &BinnedContext<'_>,
        (node, best, histogram): (u32, &BestSplit<u32>, Vec<u32>),
        route: impl FnOnce(&[Option<usize>]),
    ) -> Family {
        let rows = rows_of_branches(facts, context, best, &histogram);
        let limited = context.setting.limits.max_leaf_nodes.is_some();
        let split = best.as_split(if limited { self.step } else { NONE });
        self.step += 1;
        self.leaves += best.branches - 1;
        let parts = (best.sums.as_slice(), rows.as_slice());
        let first = self.tree.add_split(node, split, parts, &best.levels);
        let mut family = Family { parent: None, groups: Vec::new(), evaluated: false };
        let mut places = Vec::with_capacity(rows.len());
        for (branch, &rows) in rows.iter().enumerate() {
            let node = first + branch as u32;
            let open = !self.tree.is_finished(node, &context.setting.limits, true);
            places.push(open.then_some(family.groups.len()));
            if open {
                let rows = u64::from(rows);
                family.groups.push(NodeGroup { node, rows, gone: false, best: None });
            }
        }
        route(&places);
        let occupied = rows.iter().filter(|&&r| r > 0).count();
        if family.groups.len() == occupied {
            family.parent = Some(histogram);
        }
        family
    }

    /// Put what grew elsewhere in the place of a node.
    pub fn graft(&mut self, node: u32, grown: &GrownBelow) -> Result<()> {
        if node as usize >= self.tree.nodes.len() {
            return Err(Error::Internal("a subtree of no node".into()));
        }
        self.tree.graft(node as usize, &grown.0);
        Ok(())
    }

    /// The tree.
    pub fn finish(&self, setting: &GrowthSetting<'_>) -> Tree {
        self.tree.finish(1.0, setting.empty_branch)
    }
}

/// The histograms of all open groups of a family; the largest one's is what remains.
fn histograms<'c>(
    family: &mut Family,
    given: &mut impl Iterator<Item = &'c [u32]>,
    cells: usize,
) -> Result<Vec<Option<Vec<u32>>>> {
    let mut rest = family.parent.take();
    let counted: Vec<bool> = match &rest {
        Some(_) => {
            let largest = family.largest();
            (0..family.groups.len()).map(|g| g != largest).collect()
        }
        None => family.groups.iter().map(|g| !g.gone).collect(),
    };
    let mut found = Vec::with_capacity(counted.len());
    for &is_counted in &counted {
        if !is_counted {
            found.push(None);
            continue;
        }
        let own = given.next().filter(|own| own.len() == cells);
        let own = own.ok_or_else(|| Error::Internal("a histogram is missing".into()))?;
        if let Some(rest) = &mut rest {
            rest.iter_mut().zip(own).for_each(|(r, &c)| *r = r.wrapping_sub(c));
        }
        found.push(Some(own.to_vec()));
    }
    if let (Some(rest), Some(at)) = (rest, counted.iter().position(|c| !c)) {
        found[at] = Some(rest);
    }
    Ok(found)
}

/// The best split of a node, if the limits let it be made.
fn evaluate(
    facts: &SpreadFacts<'_>,
    context: &BinnedContext<'_>,
    tree: &TreeBuilder<u32>,
    node: u32,
    histogram: Vec<u32>,
    work: &mut BinnedWorkspace<u32>,
) -> Result<Option<(BestSplit<u32>, Vec<u32>)>> {
    let (totals, key) = (tree.sums(node as usize), tree.nodes[node as usize].key);
    let counters = BinCounters::of(histogram, facts.format.plane(), context.features.len());
    let control = Control::new(1);
    let own = BinnedNode { context, counts: NodeCounts::All(&counters), totals, key };
    let mut order = Vec::new();
    let found = if let Some(some) = drawn_features(context, key, &mut order) {
        // As in local growth: look further until one feature has a valid split.
        let (mut found, mut from) = (None, 0);
        while found.is_none() && from < order.len() {
            let to = if from == 0 { some } else { from + 1 };
            let chosen = &order[from..to];
            from = to;
            found = own.choose(|f| chosen.contains(&(f as u32)), work, &control)?;
        }
        found
    } else if context.in_blocks {
        own.best_counted(&counters, None, work)?
    } else {
        own.choose(|_| true, work, &control)?
    };
    let accepted = found
        .map_or(Ok(None), |split| own.node().accepted_by_table(split, context.total_weight))?;
    Ok(accepted.map(|best| (best, counters.into_cells())))
}

/// The branch of a code.
fn branch_of(context: &BinnedContext<'_>, best: &BestSplit<u32>, code: usize) -> usize {
    match best.branch_of.get(code) {
        Some(&branch) => usize::from(branch).min(best.branches - 1),
        None if !best.branch_of.is_empty() => 0,
        None => {
            let missing = context.features[best.feature as usize].codes as usize;
            if best.missing && code == missing { 2 } else { usize::from(code as u32 > best.at) }
        }
    }
}

/// Rows that the tree speaks of in each branch.
fn rows_of_branches(
    facts: &SpreadFacts<'_>,
    context: &BinnedContext<'_>,
    best: &BestSplit<u32>,
    histogram: &[u32],
) -> Vec<u32> {
    let k = facts.table.classes;
    if !facts.format.rows {
        return best.sums.chunks_exact(k).map(|s| s.iter().sum()).collect();
    }
    let features = facts.format.layout.features;
    let plane = &histogram[k * facts.format.plane()..];
    let mut rows = vec![0; best.branches];
    for code in 0..facts.format.codes {
        rows[branch_of(context, best, code)] += plane[code * features + best.feature as usize];
    }
    rows
}

/// A subtree that grew elsewhere.
#[derive(Debug)]
pub struct GrownBelow(pub(in crate::grow) TreeBuilder<u32>);

/// Grow the subtree of a node, whose rows are all of `records`, from its key and depth.
pub fn grow_below(
    facts: &SpreadFacts<'_>,
    setting: &GrowthSetting<'_>,
    mut records: Records,
    (key, depth): (u64, u32),
    control: &Control,
) -> Result<GrownBelow> {
    let context = facts.context(setting);
    let len = records.len();
    let sums = context.sums::<u32>(&records.bytes);
    let tree = TreeBuilder::new(&sums, context.rows_of(&sums, len as u32), key, depth);
    let mut other = records.spare()?;
    let buffers = RecordBuffers::new(context.layout.width, &mut records.bytes, &mut other);
    let root = CodedNode::new(RecordRange { start: 0, len, buffer: 0 });
    let rows = BinnedRows::new(&context, buffers);
    debug_assert!(rows.limits().max_leaf_nodes.is_none());
    Ok(GrownBelow(driver::grow(rows, tree, root, 0, control)?))
}
