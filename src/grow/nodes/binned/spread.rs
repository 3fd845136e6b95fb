//! Distributed growth: the client's part, which grows a tree whose rows lie in partitions on
//! workers.
//!
//! [`SpreadGrowth`] holds the tree and its open nodes. Each open node is a *group* of rows in every
//! partition, and groups have one numbering everywhere. The client repeats one round until no node
//! is open:
//!
//! 1. [`SpreadGrowth::take_small`] names groups of so few rows that one worker gathers them and
//!    grows their subtrees ([`grow_below`], [`SpreadGrowth::graft`]).
//! 2. [`SpreadGrowth::groups_to_count`] names groups that the workers count.
//! 3. [`SpreadGrowth::choose`] takes the sums of their histograms, splits nodes by the code of
//!    local growth, and returns the [`Routes`] by which the workers regroup their rows.
//!
//! The largest child of a split is not counted: its histogram is what remains of the parent's
//! histogram when the histograms of the other children are subtracted. With `max_leaf_nodes` a
//! round makes one split, the one that local growth would make next. Memory: histograms of nodes
//! whose children are still open, up to [`KEPT_COUNTERS`], and the histograms of a round. Weights
//! are copies of rows. Sums of classes and moments of a number are counted by the same code;
//! [`SpreadTree`] hides their type from the caller, `bindings::spread`.

use super::best_cut::{CodedSum, CutRows};
use super::context::BinnedContext;
use super::counts::{BinCounters, NodeCounts};
use super::growth::{BinnedRows, CodedNode};
use super::node::{BinnedNode, BinnedWorkspace, draw_features};
use super::rows::{NodeRecords, RecordRange};
use crate::bins::{PartFormat, Records, TableFacts};
use crate::error::{Error, Result};
use crate::grow::builder::{NewChildren, TreeBuilder};
use crate::grow::driver;
use crate::grow::features::search_in_order;
use crate::grow::nodes::NodeRows;
use crate::grow::options::{GrowthSetting, check};
use crate::grow::packed::PackedTree;
use crate::grow::search::{BestSplit, NodeTables};
use crate::numeric::mix;
use crate::parallel::Control;
use crate::stats::{ExactMoments, SentSum};
use crate::tree::{NONE, Tree};

/// Counters of nodes whose children are open, in all: 256 MiB. Beyond that the largest child is
/// counted, too.
const KEPT_COUNTERS: usize = 1 << 26;

/// The facts of all rows that growth needs.
#[derive(Debug, Clone, Copy)]
pub struct SpreadFacts<'a> {
    /// The meaning of the codes.
    pub table: TableFacts<'a>,
    /// The layout of records and histograms.
    pub format: PartFormat,
    /// Weight of all rows.
    pub total: u64,
    /// Weight of each class.
    pub totals: &'a [u32],
    /// The moments of a numeric target, in units.
    pub moments: Option<ExactMoments>,
    /// Number of rows.
    pub rows: u32,
}

impl SpreadFacts<'_> {
    /// The context of a tree on these rows.
    fn context<'a>(&'a self, setting: &'a GrowthSetting<'a>) -> BinnedContext<'a> {
        let total_weight = self.total as f64;
        let layout = self.format.layout;
        let context = BinnedContext::new(&self.table, layout, setting, 1.0);
        BinnedContext { total_weight, ..context }
    }
}

/// An open node and its rows in all partitions.
#[derive(Debug)]
struct NodeGroup<S> {
    node: u32,
    /// Rows in all partitions.
    rows: u64,
    /// A worker grows it, or it stays a leaf: its rows are dropped at the next division.
    is_closed: bool,
    /// Its split, until that is made.
    best: Option<CountedSplit<S>>,
}

/// The best split of a node, and the node's histogram.
#[derive(Debug)]
struct CountedSplit<S> {
    best: BestSplit<S>,
    histogram: Vec<S>,
}

/// The open children of one node.
#[derive(Debug)]
struct Family<S> {
    /// The histogram of the node; if it is kept, all children except the largest are counted.
    parent: Option<Vec<S>>,
    groups: Vec<NodeGroup<S>>,
    /// Whether the splits of the children are known.
    evaluated: bool,
}

impl<S> Family<S> {
    /// The group of the most rows, the first on ties.
    fn largest(&self) -> usize {
        (0..self.groups.len()).rev().max_by_key(|&g| self.groups[g].rows).unwrap_or(0)
    }

    /// Whether the workers have to count a group.
    fn is_counted(&self, group: usize) -> bool {
        !self.groups[group].is_closed && (self.parent.is_none() || group != self.largest())
    }
}

/// Which of the known splits a round makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum MadeSplits {
    All,
    /// The split of one node.
    One(u32),
    Nothing,
}

impl MadeSplits {
    fn contains(self, node: u32) -> bool {
        self == Self::All || self == Self::One(node)
    }
}

/// The new groups of the rows of all groups; see [`crate::bins::GroupSplits`].
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Routes {
    /// The feature by whose code the rows of each group are routed.
    pub features: Vec<u32>,
    /// New group of each code of each group; -1: the rows are dropped.
    pub targets: Vec<i32>,
    /// Number of new groups.
    pub groups: usize,
}

impl Routes {
    /// Add the route of the next group, all of whose codes go to `target`; returns its place.
    fn add(&mut self, feature: u32, codes: usize, target: i32) -> usize {
        self.features.push(feature);
        self.targets.resize(self.targets.len() + codes, target);
        self.features.len() - 1
    }
}

/// An open node whose subtree a worker is to grow.
#[derive(Debug, Clone, Copy)]
pub struct SmallGroup {
    /// Number of its group.
    pub group: u32,
    /// Number of the node.
    pub node: u32,
    /// Rows in all partitions.
    pub rows: u64,
    /// Key of its random choices.
    pub key: u64,
    /// Level of the node.
    pub depth: u32,
}

/// Growth of a tree whose rows lie in partitions, whatever their sums are.
pub trait SpreadTree: Send + Sync {
    /// Whether no node is open any more.
    fn is_done(&self) -> bool;

    /// Give away the open nodes of at most `most` rows, whose subtrees workers are to grow. None
    /// where the number of leaves is limited, as nodes then compete for leaves.
    fn take_small(&mut self, setting: &GrowthSetting<'_>, most: u64) -> Vec<SmallGroup>;

    /// The numbers of the groups to be counted: the groups of the first `most` families that are
    /// not evaluated yet, or of all families where the next split is the best of the tree.
    fn groups_to_count(&mut self, setting: &GrowthSetting<'_>, most: usize) -> Vec<u32>;

    /// Split nodes by the histograms of the groups that were wanted (`counts`, words, one after the
    /// other); returns the routes of all rows.
    ///
    /// # Errors
    /// Histograms that were not wanted, a score that is not a number, or cancellation.
    fn choose(
        &mut self,
        facts: &SpreadFacts<'_>,
        setting: &GrowthSetting<'_>,
        counts: &[u32],
        control: &Control,
    ) -> Result<Routes>;

    /// Replace an open node by the subtree that a worker grew.
    ///
    /// # Errors
    /// [`Error::Internal`] for another node or arrays that are no subtree.
    fn graft(&mut self, node: u32, grown: PackedTree) -> Result<()>;

    /// The finished tree.
    ///
    /// # Errors
    /// [`Error::Memory`].
    fn finish(&self, setting: &GrowthSetting<'_>) -> Result<Tree>;
}

/// Begin a tree of a root alone.
///
/// # Errors
/// Limits outside their domain.
pub fn spread_tree(
    facts: &SpreadFacts<'_>,
    setting: &GrowthSetting<'_>,
) -> Result<Box<dyn SpreadTree>> {
    Ok(match facts.moments {
        Some(moments) => Box::new(SpreadGrowth::new(setting, &[moments], facts.rows)?),
        None => Box::new(SpreadGrowth::new(setting, facts.totals, facts.rows)?),
    })
}

/// A tree under construction whose rows lie in partitions.
#[derive(Debug)]
struct SpreadGrowth<S> {
    tree: TreeBuilder<S>,
    /// The open nodes, numbered through all families.
    families: Vec<Family<S>>,
    /// Families whose histograms are wanted.
    counting: Vec<usize>,
    leaves: usize,
    /// Number of the next split.
    step: u32,
}

impl<S: SentSum + CodedSum> SpreadTree for SpreadGrowth<S> {
    fn is_done(&self) -> bool {
        self.families.iter().flat_map(|f| &f.groups).all(|g| g.is_closed)
    }

    fn take_small(&mut self, setting: &GrowthSetting<'_>, most: u64) -> Vec<SmallGroup> {
        let mut small = Vec::new();
        if setting.limits.max_leaf_nodes.is_some() {
            return small;
        }
        let mut number = 0;
        for family in &mut self.families {
            for group in &mut family.groups {
                if !group.is_closed && group.rows <= most {
                    group.is_closed = true;
                    let node = &self.tree.nodes[group.node as usize];
                    small.push(SmallGroup {
                        group: number,
                        node: group.node,
                        rows: group.rows,
                        key: node.key,
                        depth: node.depth,
                    });
                    // Its histogram will be missing from the family's.
                    family.parent = None;
                }
                number += 1;
            }
        }
        small
    }

    fn groups_to_count(&mut self, setting: &GrowthSetting<'_>, most: usize) -> Vec<u32> {
        let most = if setting.limits.max_leaf_nodes.is_some() { usize::MAX } else { most };
        let (mut wanted, mut number) = (Vec::new(), 0);
        self.counting.clear();
        for (f, family) in self.families.iter().enumerate() {
            let open = !family.evaluated && family.groups.iter().any(|g| !g.is_closed);
            let is_next = open && self.counting.len() < most.max(1);
            for group in 0..family.groups.len() {
                if is_next && family.is_counted(group) {
                    wanted.push(number);
                }
                number += 1;
            }
            if is_next {
                self.counting.push(f);
            }
        }
        wanted
    }

    fn choose(
        &mut self,
        facts: &SpreadFacts<'_>,
        setting: &GrowthSetting<'_>,
        counts: &[u32],
        control: &Control,
    ) -> Result<Routes> {
        let context = facts.context(setting);
        let mut given = counts.chunks_exact(facts.format.words());
        // Find the best split of every node whose histogram is known now.
        let mut workspace = BinnedWorkspace::default();
        for f in std::mem::take(&mut self.counting) {
            let counted = histograms(&mut self.families[f], &mut given)?;
            for (group, histogram) in self.families[f].groups.iter_mut().zip(counted) {
                let Some(histogram) = histogram else { continue };
                control.check()?;
                let best =
                    evaluate(facts, &context, &self.tree, group.node, histogram, &mut workspace);
                group.best = best?;
                group.is_closed = group.best.is_none();
            }
            self.families[f].evaluated = true;
        }
        if given.next().is_some() {
            return Err(Error::Internal("histograms that were not asked for".into()));
        }
        // Make all of these splits, or the next one of best-first growth.
        let made = match setting.limits.max_leaf_nodes {
            None => MadeSplits::All,
            Some(limit) => {
                self.first_in_order(setting, limit).map_or(MadeSplits::Nothing, MadeSplits::One)
            }
        };
        Ok(self.divide(facts, &context, made))
    }

    fn graft(&mut self, node: u32, grown: PackedTree) -> Result<()> {
        if node as usize >= self.tree.nodes.len() {
            return Err(Error::Internal("a subtree of no node".into()));
        }
        self.tree.graft(node as usize, grown.unpack(self.tree.classes)?);
        Ok(())
    }

    fn finish(&self, setting: &GrowthSetting<'_>) -> Result<Tree> {
        self.tree.finish(1.0, true, setting)
    }
}

impl<S: SentSum + CodedSum> SpreadGrowth<S> {
    /// A root with the weight of each class and a number of rows.
    fn new(setting: &GrowthSetting<'_>, totals: &[S], rows: u32) -> Result<Self> {
        check(&setting.limits)?;
        let tree = TreeBuilder::new(totals, rows, mix(setting.seed, 0), 0);
        let is_closed = tree.is_finished(0, &setting.limits, Some(1.0));
        let root = NodeGroup { node: 0, rows: u64::from(rows), is_closed, best: None };
        let family = Family { parent: None, groups: vec![root], evaluated: false };
        Ok(Self { tree, families: vec![family], counting: Vec::new(), leaves: 1, step: 0 })
    }

    /// The node that best-first growth splits next. Nodes whose splits it skips, as they have too
    /// many branches, become leaves.
    fn first_in_order(&mut self, setting: &GrowthSetting<'_>, limit: usize) -> Option<u32> {
        let leaves = self.leaves;
        let order = |group: &NodeGroup<S>| {
            let split = &group.best.as_ref()?.best;
            let rank = setting.limits.leaf_order.rank(split.distance, split.improvement);
            Some((rank, group.node))
        };
        let fits = |group: &NodeGroup<S>| {
            group.best.as_ref().is_some_and(|split| leaves + split.best.branches - 1 <= limit)
        };
        let groups = || self.families.iter().flat_map(|f| &f.groups).filter(|g| !g.is_closed);
        let first = groups().filter(|g| fits(g)).filter_map(order).min();
        let taken = first.map(|(_, node)| node);
        // Local growth skips a split that does not fit when its turn comes, for good.
        let passed = |group: &NodeGroup<S>| first.is_none_or(|first| order(group) < Some(first));
        for group in self.families.iter_mut().flat_map(|f| &mut f.groups) {
            if Some(group.node) != taken && group.best.is_some() && passed(group) {
                group.is_closed = true;
            }
        }
        taken
    }

    /// Make splits whose histograms are known; returns the routes of all rows.
    fn divide(
        &mut self,
        facts: &SpreadFacts<'_>,
        context: &BinnedContext<'_>,
        made: MadeSplits,
    ) -> Routes {
        let codes = facts.format.codes;
        let mut routes = Routes::default();
        let (mut families, mut kept_counters) = (Vec::new(), 0);
        for family in std::mem::take(&mut self.families) {
            let Family { parent, groups, evaluated } = family;
            // Number the groups of the family that stay open, and route the groups that are not
            // split.
            let mut kept = Family { parent, groups: Vec::new(), evaluated };
            let first = routes.groups;
            let mut split = Vec::new();
            for mut group in groups {
                let is_made = !group.is_closed && made.contains(group.node);
                match group.best.take_if(|_| is_made) {
                    Some(counted) => {
                        let route = routes.add(counted.best.feature, codes, -1);
                        split.push((route, group.node, counted));
                    }
                    None => {
                        routes.add(
                            0,
                            codes,
                            if group.is_closed { -1 } else { routes.groups as i32 },
                        );
                        if !group.is_closed {
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
            // Split the remaining nodes: their children are groups of a new family.
            for (route, node, CountedSplit { best, histogram }) in split {
                let targets = &mut routes.targets[route * codes..(route + 1) * codes];
                let mut family = self.split(context, node, &best, histogram, |branches| {
                    for (code, target) in targets.iter_mut().enumerate() {
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
        // The tree is finished when it is full or the next split does not exist.
        let is_full = context.setting.limits.max_leaf_nodes.is_some_and(|most| self.leaves >= most);
        if is_full || made == MadeSplits::Nothing {
            families.clear();
            routes.groups = 0;
            routes.targets.fill(-1);
        }
        self.families = families;
        routes
    }

    /// Split a node with its histogram; `route` gets the place of each branch among the groups that
    /// stay open. Returns these groups.
    fn split(
        &mut self,
        context: &BinnedContext<'_>,
        node: u32,
        best: &BestSplit<S>,
        histogram: Vec<S>,
        route: impl FnOnce(&[Option<usize>]),
    ) -> Family<S> {
        let rows_of = |sums: &[S]| sums.iter().map(|sum| sum.units()).sum::<i64>() as u32;
        let rows: Vec<u32> = best.sums.chunks_exact(context.classes).map(rows_of).collect();
        let is_best_first = context.setting.limits.max_leaf_nodes.is_some();
        let split = best.as_split(if is_best_first { self.step } else { NONE });
        self.step += 1;
        self.leaves += best.branches - 1;
        let added = NewChildren { sums: &best.sums, rows: &rows };
        let first_child = self.tree.add_split(node, split, added, &best.levels);
        let mut family = Family { parent: None, groups: Vec::new(), evaluated: false };
        let mut places = Vec::with_capacity(rows.len());
        for (branch, &rows) in rows.iter().enumerate() {
            let node = first_child + branch as u32;
            let is_open = !self.tree.is_finished(node, &context.setting.limits, Some(1.0));
            places.push(is_open.then_some(family.groups.len()));
            if is_open {
                let rows = u64::from(rows);
                family.groups.push(NodeGroup { node, rows, is_closed: false, best: None });
            }
        }
        route(&places);
        // If all children are open, the histogram of the largest child follows from the histogram
        // of the node.
        let n_occupied = rows.iter().filter(|&&size| size > 0).count();
        if family.groups.len() == n_occupied {
            family.parent = Some(histogram);
        }
        family
    }
}

/// The histograms of the groups of a family, from the histograms that were counted. The histogram
/// of the largest group is what remains of the parent's. `None` for groups that are not open.
fn histograms<'c, S: SentSum + CodedSum>(
    family: &mut Family<S>,
    given: &mut impl Iterator<Item = &'c [u32]>,
) -> Result<Vec<Option<Vec<S>>>> {
    // Which groups were counted: with the parent's histogram all but the largest.
    let mut remainder = family.parent.take();
    let counted: Vec<bool> = match &remainder {
        Some(_) => {
            let largest = family.largest();
            (0..family.groups.len()).map(|g| g != largest).collect()
        }
        None => family.groups.iter().map(|g| !g.is_closed).collect(),
    };
    // Take the histograms in order, and subtract each from the parent's.
    let mut histograms = Vec::with_capacity(counted.len());
    for &is_counted in &counted {
        if !is_counted {
            histograms.push(None);
            continue;
        }
        let words = given.next().ok_or_else(|| Error::Internal("a histogram is missing".into()))?;
        let histogram = S::from_words(words);
        if let Some(remainder) = &mut remainder {
            let cells = remainder.iter_mut().zip(&histogram);
            cells.for_each(|(cell, &count)| *cell = cell.minus(count));
        }
        histograms.push(Some(histogram));
    }
    // The remainder is the histogram of the largest group.
    if let (Some(remainder), Some(largest)) = (remainder, counted.iter().position(|c| !c)) {
        histograms[largest] = Some(remainder);
    }
    Ok(histograms)
}

/// The best split of a node by its histogram, if the limits accept it.
fn evaluate<S: SentSum + CodedSum>(
    facts: &SpreadFacts<'_>,
    context: &BinnedContext<'_>,
    tree: &TreeBuilder<S>,
    node: u32,
    histogram: Vec<S>,
    workspace: &mut BinnedWorkspace<S>,
) -> Result<Option<CountedSplit<S>>> {
    let (totals, key) = (tree.sums(node as usize), tree.nodes[node as usize].key);
    let counters = BinCounters::from_cells(histogram, facts.format.plane(), context.features.len());
    let control = Control::new(1);
    let binned_node =
        BinnedNode { context, counts: NodeCounts::All(&counters), totals, key, path: None };
    let mut order = Vec::new();
    let best = if let Some(n_together) = draw_features(context, key, None, &mut order) {
        search_in_order(&order, n_together, &mut |drawn| {
            binned_node.choose(Some(drawn), workspace, &control)
        })?
    } else if context.is_one_block() {
        S::best_cut(&binned_node, CutRows::Counted(&counters), None, &mut workspace.blocks)?
    } else {
        binned_node.choose(None, workspace, &control)?
    };
    let accepted = best.map_or(Ok(None), |split| {
        binned_node.node().accept_by_table(split, context.total_weight)
    })?;
    Ok(accepted.map(|best| CountedSplit { best, histogram: counters.into_cells() }))
}

/// The branch of a code of the split feature.
fn branch_of<S>(context: &BinnedContext<'_>, best: &BestSplit<S>, code: usize) -> usize {
    match best.branch_of.get(code) {
        Some(&branch) => usize::from(branch).min(best.branches - 1),
        None if !best.branch_of.is_empty() => 0,
        None => {
            let missing = context.features[best.feature as usize].n_codes as usize;
            if best.missing && code == missing { 2 } else { usize::from(code as u32 > best.at) }
        }
    }
}

/// Grow the subtree of a node on a worker: the node has all rows of `records`, and the key and
/// depth of its [`SmallGroup`]. Growth is depth first, so the number of leaves may not be limited.
/// The result is a part of the client's tree ([`SpreadTree::graft`]).
pub fn grow_below(
    facts: &SpreadFacts<'_>,
    setting: &GrowthSetting<'_>,
    records: Records,
    key: u64,
    depth: u32,
    control: &Control,
) -> Result<PackedTree> {
    let context = facts.context(setting);
    if records.layout.number {
        grow_subtree::<ExactMoments>(&context, records, key, depth, control)
    } else {
        grow_subtree::<u32>(&context, records, key, depth, control)
    }
}

fn grow_subtree<S: SentSum + CodedSum>(
    context: &BinnedContext<'_>,
    mut records: Records,
    key: u64,
    depth: u32,
    control: &Control,
) -> Result<PackedTree> {
    let len = records.len();
    let sums = context.sums::<S>(&records.bytes);
    let tree = TreeBuilder::new(&sums, len as u32, key, depth);
    let root = CodedNode::new(RecordRange { start: 0, len });
    let rows = BinnedRows::new(context, NodeRecords::new(&mut records));
    debug_assert!(rows.limits().max_leaf_nodes.is_none());
    let tree = driver::grow(rows, tree, root, 0, control)?;
    Ok(PackedTree::pack(&tree))
}
