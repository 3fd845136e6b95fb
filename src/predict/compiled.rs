//! A tree compiled for walking: 16 bytes per node, 8 more for rows of float32, and everything that
//! a walk reads.
//!
//! Compiling costs O(nodes); one row then costs O(depth) and allocates nothing, unless fractions of
//! it take several branches ([`CompiledTree::spread`]).

use super::dense::Dense;
use crate::data::{Bins, Column, Dataset, Kind, MISSING, Schema};
use crate::error::{Error, Result};
use crate::simd::walk::{End, WalkNode, WalkTable};
use crate::tree::{ALL, NONE, Test, Tree};

/// Rows that can be asked for their values.
pub trait Source: Sync {
    /// A number, NaN when missing.
    fn number(&self, row: usize, feature: usize) -> f64;
    /// A code, [`MISSING`] when missing or unknown.
    fn code(&self, row: usize, feature: usize) -> u32;
    /// All numbers, where they lie in memory row by row.
    fn dense(&self) -> Option<Dense<'_>> {
        None
    }
}

/// Rows of an encoded data set, by internal number.
impl Source for Dataset {
    fn number(&self, row: usize, feature: usize) -> f64 {
        match &self.columns()[feature] {
            Column::Numeric(c) => c.values()[row],
            Column::Nominal(_) => f64::NAN,
        }
    }
    fn code(&self, row: usize, feature: usize) -> u32 {
        match &self.columns()[feature] {
            Column::Nominal(c) => c.code(row as u32),
            Column::Numeric(_) => MISSING,
        }
    }
}

/// How a feature is read.
#[derive(Debug, Clone)]
enum Reading {
    Number { fill: f64 },
    Binned { bins: Bins, fill: f64 },
    Code { fill: u32 },
}

impl Reading {
    fn of(kind: &Kind) -> Result<Self> {
        Ok(match kind {
            Kind::Numeric { cuts: None, fill } => Self::Number { fill: fill.unwrap_or(f64::NAN) },
            Kind::Numeric { cuts: Some(c), fill } => {
                Self::Binned { bins: Bins::new(c.clone())?, fill: fill.unwrap_or(f64::NAN) }
            }
            Kind::Nominal { fill, .. } => Self::Code { fill: fill.unwrap_or(MISSING) },
        })
    }

    /// What a missing number becomes; NaN where it stays missing.
    fn fill(&self) -> f64 {
        match self {
            Self::Number { fill } | Self::Binned { fill, .. } => *fill,
            Self::Code { .. } => f64::NAN,
        }
    }
}

/// What a node asks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ask {
    Leaf,
    Threshold,
    Subset,
    Multiway,
}

const ASKS: [Ask; 4] = [Ask::Leaf, Ask::Threshold, Ask::Subset, Ask::Multiway];

/// Where a missing value goes at a binary test: its first branch, its second, a third one of its
/// own, all branches.
const FIRST: u32 = 0;
const SECOND: u32 = 1;
const OWN: u32 = 2;
const EVERY: u32 = 3;

/// Features that a node can name: the rest of its word says what it asks.
const MOST_FEATURES: usize = 1 << 28;

/// The node of a tree. The value is the threshold; in a leaf it is the number of what the leaf
/// says. For other tests it holds two numbers of 32 bits: first mask word and levels of a subset,
/// first child and branches of a multiway test. Below the feature are two bits for where a missing
/// value goes and two for what is asked. The second branch of a multiway test is that of missing
/// values.
fn node(ask: Ask, missing: u32, feature: u32, value: f64, second: u32) -> WalkNode {
    WalkNode { value, packed: feature << WalkNode::SHIFT | missing << 2 | ask as u32, second }
}

fn pair(high: u32, low: u32) -> f64 {
    f64::from_bits(u64::from(high) << 32 | u64::from(low))
}

fn of_pair(node: &WalkNode) -> (u32, u32) {
    let bits = node.value.to_bits();
    ((bits >> 32) as u32, bits as u32)
}

fn missing_of(node: &WalkNode) -> u32 {
    node.packed >> 2 & 3
}

#[inline]
fn asked(node: &WalkNode) -> Ask {
    ASKS[(node.packed & 3) as usize]
}

/// A tree compiled for walking.
#[derive(Debug)]
pub struct CompiledTree {
    readings: Vec<Reading>,
    pub(super) table: WalkTable,
    /// Bit masks of the levels that subset tests list.
    masks: Vec<u64>,
    /// Children of multiway tests.
    children: Vec<u32>,
    /// Binary tests with a third branch, that of missing values, and that branch, by node.
    own_branches: Vec<(u32, u32)>,
    /// Share of each node in its parent; empty where no missing value takes all branches.
    shares: Vec<f64>,
    parents: Vec<u32>,
    /// Steps from the root to the lowest leaf.
    pub(super) depth: usize,
    /// All tests are thresholds.
    pub(super) numeric: bool,
    /// Missing numbers of some feature are filled.
    pub(super) fills: bool,
}

/// What nodes refer to while a tree is compiled.
#[derive(Debug)]
struct Parts<N> {
    masks: Vec<u64>,
    children: Vec<u32>,
    own_branches: Vec<(u32, u32)>,
    /// Numbers of the leaves that are to come.
    numbers: N,
}

impl<N: Iterator<Item = u32>> Parts<N> {
    fn compile(&mut self, tree: &Tree, i: usize, schema: &Schema) -> Result<WalkNode> {
        let own = &tree.nodes[i];
        let me = i as u32;
        let children = tree.children(i);
        if let Test::Leaf = own.test {
            let number = self.numbers.next().unwrap_or(0);
            return Ok(node(Ask::Leaf, FIRST, 0, WalkNode::leaf_value(number), me));
        }
        if children.first() != Some(&(me + 1)) {
            return Err(Error::Internal(format!("node {i} is not followed by its first child")));
        }
        if let Test::Multiway = own.test {
            let first = self.children.len() as u32;
            self.children.extend_from_slice(children);
            let missing = match own.missing_branch {
                ALL => me,
                branch => children[branch as usize],
            };
            let value = pair(first, own.n_children);
            return Ok(node(Ask::Multiway, FIRST, own.feature, value, missing));
        }
        let missing = match own.missing_branch {
            0 => FIRST,
            1 => SECOND,
            ALL => EVERY,
            _ => OWN,
        };
        if let Some(&third) = children.get(2) {
            self.own_branches.push((me, third));
        }
        let new = |ask, value| node(ask, missing, own.feature, value, children[1]);
        if let Test::Threshold(threshold) = own.test {
            return Ok(new(Ask::Threshold, threshold.reach));
        }
        let levels = schema.features[own.feature as usize].arity();
        let start = self.masks.len();
        self.masks.resize(start + levels.div_ceil(64), 0_u64);
        for &level in tree.subset(i).unwrap_or_default() {
            self.masks[start + level as usize / 64] |= 1 << (level % 64);
        }
        Ok(new(Ask::Subset, pair(start as u32, levels as u32)))
    }
}

impl CompiledTree {
    /// Compile a tree; its leaves are numbered in order.
    pub fn new(tree: &Tree, schema: &Schema) -> Result<Self> {
        Self::numbered(tree, schema, 0..)
    }

    /// Compile a tree whose leaves have these numbers, in their order.
    pub(super) fn numbered(
        tree: &Tree,
        schema: &Schema,
        numbers: impl Iterator<Item = u32>,
    ) -> Result<Self> {
        if schema.features.len() > MOST_FEATURES {
            return Err(Error::Data(format!("a tree asks for at most {MOST_FEATURES} features")));
        }
        let readings =
            schema.features.iter().map(|f| Reading::of(&f.kind)).collect::<Result<Vec<_>>>()?;
        let mut parts =
            Parts { masks: Vec::new(), children: Vec::new(), own_branches: Vec::new(), numbers };
        let nodes = (0..tree.nodes.len())
            .map(|i| parts.compile(tree, i, schema))
            .collect::<Result<Vec<_>>>()?;
        let table = WalkTable::new(nodes, schema.features.len().max(1))
            .ok_or_else(|| Error::Internal("a branch or a feature does not exist".into()))?;
        let mut shares = Vec::new();
        if tree.is_shared() {
            shares.resize(tree.nodes.len(), 1.0);
            for i in 0..tree.nodes.len() {
                for (&child, share) in tree.children(i).iter().zip(tree.shares(i)) {
                    shares[child as usize] = share;
                }
            }
        }
        let numeric = |test| matches!(test, Test::Leaf | Test::Threshold(_));
        Ok(Self {
            fills: readings.iter().any(|r| !r.fill().is_nan()),
            readings,
            table,
            masks: parts.masks,
            children: parts.children,
            own_branches: parts.own_branches,
            shares,
            parents: tree.nodes.iter().map(|n| n.parent).collect(),
            depth: tree.nodes.iter().map(|n| n.depth as usize).max().unwrap_or(0),
            numeric: !schema.features.is_empty() && tree.nodes.iter().all(|n| numeric(n.test)),
        })
    }
    /// True when a missing value may take all branches.
    pub fn is_shared(&self) -> bool {
        !self.shares.is_empty()
    }

    /// True for a leaf.
    pub fn is_leaf(&self, node: u32) -> bool {
        asked(&self.table.nodes()[node as usize]) == Ask::Leaf
    }

    /// The number of a leaf; nothing for an inner node.
    #[inline]
    pub(super) fn leaf_number(&self, node: u32) -> Option<usize> {
        let n = &self.table.nodes()[node as usize];
        (asked(n) == Ask::Leaf).then(|| of_pair(n).1 as usize)
    }

    /// True for a node in the subtree of another.
    pub fn is_below(&self, node: u32, other: u32) -> bool {
        let mut at = node;
        while at > other && at != NONE {
            at = self.parents[at as usize];
        }
        at == other
    }

    /// Where a missing value goes at a binary test: the node itself where it takes all branches,
    /// for [`CompiledTree::spread`] continues there.
    #[cold]
    pub(super) fn missing_child(&self, me: u32) -> u32 {
        let node = &self.table.nodes()[me as usize];
        match (asked(node), missing_of(node)) {
            (Ask::Leaf, _) | (_, EVERY) => me,
            (_, FIRST) => me + 1,
            (_, SECOND) => node.second,
            _ => self.third(me).unwrap_or(me),
        }
    }

    /// The third branch of a binary test.
    fn third(&self, me: u32) -> Option<u32> {
        let found = self.own_branches.binary_search_by_key(&me, |&(node, _)| node);
        found.ok().map(|at| self.own_branches[at].1)
    }

    /// The child of a node that a row goes to; the node itself when it is a leaf, or when the row
    /// goes to all children.
    pub fn child<S: Source>(&self, source: &S, row: usize, node: u32) -> u32 {
        let n = &self.table.nodes()[node as usize];
        let feature = n.feature();
        match asked(n) {
            Ask::Leaf => node,
            Ask::Threshold => {
                let x = self.number(source, row, feature);
                if x <= n.value {
                    node + 1
                } else if x > n.value {
                    n.second
                } else {
                    self.missing_child(node)
                }
            }
            Ask::Subset => {
                let code = self.level(source, row, feature);
                let (start, levels) = of_pair(n);
                if code >= levels {
                    return self.missing_child(node);
                }
                let word = self.masks[start as usize + code as usize / 64];
                if word >> (code % 64) & 1 == 1 { node + 1 } else { n.second }
            }
            Ask::Multiway => {
                let code = match &self.readings[feature] {
                    Reading::Code { .. } => self.level(source, row, feature),
                    Reading::Binned { bins, .. } => {
                        let x = self.number(source, row, feature);
                        if x.is_nan() { MISSING } else { bins.bin(x) }
                    }
                    Reading::Number { .. } => MISSING,
                };
                let (first, branches) = of_pair(n);
                if code < branches { self.children[(first + code) as usize] } else { n.second }
            }
        }
    }

    /// A number, imputed where the model does so.
    #[inline]
    pub(super) fn number<S: Source>(&self, source: &S, row: usize, feature: usize) -> f64 {
        let x = source.number(row, feature);
        if x.is_nan() { self.readings[feature].fill() } else { x }
    }

    /// The level of a nominal feature, imputed where the model does so.
    fn level<S: Source>(&self, source: &S, row: usize, feature: usize) -> u32 {
        match (source.code(row, feature), &self.readings[feature]) {
            (MISSING, Reading::Code { fill }) => *fill,
            (code, _) => code,
        }
    }

    /// Number of features of the schema.
    pub(super) fn features(&self) -> usize {
        self.readings.len()
    }

    /// A node as the end of a walk.
    pub(super) fn end_at(&self, node: u32) -> End {
        self.leaf_number(node).map_or(End::at_node(node), |number| End::in_leaf(number as u32))
    }

    /// Where the walk of a whole row ends.
    pub fn end<S: Source>(&self, source: &S, row: usize) -> End {
        self.end_at(self.last_node(source, row))
    }

    /// The node where the walk of a whole row ends.
    pub fn last_node<S: Source>(&self, source: &S, row: usize) -> u32 {
        let mut node = 0;
        loop {
            let next = self.child(source, row, node);
            if next == node {
                return node;
            }
            node = next;
        }
    }

    /// Send a row of weight 1 on from a node; `visit` is told every node that a fraction reaches
    /// (the first one included) in pre-order, its weight, and whether it ends there, in a leaf.
    pub fn spread<S: Source>(
        &self,
        source: &S,
        row: usize,
        from: u32,
        mut visit: impl FnMut(u32, f64, bool),
    ) {
        let mut stack = vec![(from, 1.0)];
        while let Some((node, weight)) = stack.pop() {
            let next = self.child(source, row, node);
            let n = &self.table.nodes()[node as usize];
            visit(node, weight, asked(n) == Ask::Leaf);
            if next != node {
                stack.push((next, weight));
                continue;
            }
            let mut push = |child: u32| {
                let share = self.shares.get(child as usize).copied().unwrap_or(0.0);
                if share > 0.0 {
                    stack.push((child, weight * share));
                }
            };
            match asked(n) {
                Ask::Leaf => {}
                Ask::Multiway => {
                    let (first, branches) = of_pair(n);
                    let range = first as usize..(first + branches) as usize;
                    self.children[range].iter().rev().for_each(|&child| push(child));
                }
                Ask::Threshold | Ask::Subset => {
                    self.third(node).into_iter().for_each(&mut push);
                    push(n.second);
                    push(node + 1);
                }
            }
        }
    }

    /// The leaf for a row whose walk ended somewhere: the one that gets the largest fraction of it
    /// (the first of equals).
    pub(super) fn settled<S: Source>(&self, source: &S, row: usize, end: u32) -> u32 {
        if self.is_leaf(end) {
            return end;
        }
        let mut best = (end, 0.0);
        self.spread(source, row, end, |node, weight, ends| {
            if ends && weight > best.1 * (1.0 + 1e-12) {
                best = (node, weight);
            }
        });
        best.0
    }

    /// All nodes that a row passes, wholly or in part, in pre-order.
    pub fn path<S: Source>(&self, source: &S, row: usize, out: &mut Vec<u32>) {
        self.spread(source, row, 0, |node, _, _| out.push(node));
    }
}
