//! A tree compiled for prediction: packed nodes, and everything else that sending a row down needs.
//!
//! A node takes 16 bytes, and 8 more once rows of float32 are predicted. Compiling costs O(nodes x
//! levels of subset tests). A row then costs O(depth) and allocates nothing, unless fractions of it
//! take several branches ([`CompiledTree::spread`]). Pruning and explanations use it, too.

use super::dense::Dense;
use crate::data::{Bins, Column, Dataset, Kind, MISSING, Schema};
use crate::error::{Error, Result};
use crate::simd::walk::{End, WalkNode, WalkTable};
use crate::tree::{ALL, NONE, Test, Tree};
use std::ops::Range;

/// A table of rows that prediction reads.
pub trait Source: Sync {
    /// A number, NaN when missing.
    fn number(&self, row: usize, feature: usize) -> f64;
    /// A code, [`MISSING`] when missing or unknown.
    fn code(&self, row: usize, feature: usize) -> u32;
    /// Append the first `width` numbers of each row of a range.
    fn append_numbers(&self, rows: Range<usize>, width: usize, out: &mut Vec<f64>) {
        rows.for_each(|row| out.extend((0..width).map(|feature| self.number(row, feature))));
    }
    /// All numbers, if they lie in memory row by row.
    fn dense(&self) -> Option<Dense<'_>> {
        None
    }
}

/// Rows of an encoded data set, by internal number.
impl Source for Dataset<'_> {
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

/// How a feature is read; `fill` replaces missing values (NaN or [`MISSING`]: they stay missing).
#[derive(Debug, Clone)]
enum Reading {
    Number { fill: f64 },
    Binned { bins: Bins, fill: f64 },
    Code { fill: u32 },
}

impl Reading {
    /// How a feature of a schema is read.
    fn new(kind: &Kind) -> Result<Self> {
        Ok(match kind {
            Kind::Numeric { cuts: None, fill } => Self::Number { fill: fill.unwrap_or(f64::NAN) },
            Kind::Numeric { cuts: Some(cuts), fill } => {
                Self::Binned { bins: Bins::new(cuts.clone())?, fill: fill.unwrap_or(f64::NAN) }
            }
            Kind::Nominal { fill, .. } => Self::Code { fill: fill.unwrap_or(MISSING) },
        })
    }

    /// The number that replaces a missing one; NaN if missing numbers stay missing.
    fn fill(&self) -> f64 {
        match self {
            Self::Number { fill } | Self::Binned { fill, .. } => *fill,
            Self::Code { .. } => f64::NAN,
        }
    }
}

/// The kind of a node's test.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum TestKind {
    Leaf,
    Threshold,
    Subset,
    Multiway,
}

/// Kinds by the number that a packed node holds.
const KINDS: [TestKind; 4] =
    [TestKind::Leaf, TestKind::Threshold, TestKind::Subset, TestKind::Multiway];

/// Where a missing value goes: the first branch, the second, a third one for missing values alone,
/// or all branches.
const FIRST: u32 = 0;
const SECOND: u32 = 1;
const OWN: u32 = 2;
const EVERY: u32 = 3;

/// Largest number of features: 28 bits of a packed word; the other 4 hold the kind of test and
/// where missing values go.
const MOST_FEATURES: usize = 1 << 28;

/// Pack a node. `value` is the threshold, or in a leaf the number of its prediction; for other
/// tests it holds two numbers ([`two_numbers`]): the first mask word and the levels of a subset
/// test, the first child and the codes of a multiway test. `packed` holds, from the lowest bit
/// on, two bits for the kind, two for `missing`, and the feature. `second` is the second branch; of
/// a multiway test, the branch of missing values, if they take one branch.
fn pack_node(kind: TestKind, missing: u32, feature: u32, value: f64, second: u32) -> WalkNode {
    WalkNode { value, packed: feature << WalkNode::SHIFT | missing << 2 | kind as u32, second }
}

/// Two numbers as the bits of a double: the inverse of [`numbers_of`].
fn two_numbers(high: u32, low: u32) -> f64 {
    f64::from_bits(u64::from(high) << 32 | u64::from(low))
}

/// The (high, low) numbers in the value of a node.
fn numbers_of(node: &WalkNode) -> (u32, u32) {
    let bits = node.value.to_bits();
    ((bits >> 32) as u32, bits as u32)
}

/// Where a missing value goes: [`FIRST`] to [`EVERY`].
fn missing_of(node: &WalkNode) -> u32 {
    node.packed >> 2 & 3
}

/// The kind of a node's test.
#[inline]
fn kind_of(node: &WalkNode) -> TestKind {
    KINDS[(node.packed & 3) as usize]
}

/// A tree compiled for prediction.
#[derive(Debug)]
pub struct CompiledTree {
    /// How each feature is read.
    readings: Vec<Reading>,
    /// The packed nodes in pre-order.
    pub(super) table: WalkTable,
    /// Bit masks of the levels that subset tests list.
    masks: Vec<u64>,
    /// Children of multiway tests.
    children: Vec<u32>,
    /// (node, third branch) of the binary tests with a branch of missing values, by node.
    own_branches: Vec<(u32, u32)>,
    /// Share of each node in its parent's weight; empty if no missing value takes all branches.
    shares: Vec<f64>,
    /// Parent of each node.
    pub(super) parents: Vec<u32>,
    /// Tests on the longest path.
    pub(super) depth: usize,
    /// Whether all tests are thresholds.
    pub(super) numeric: bool,
    /// Whether missing numbers of some feature are replaced.
    pub(super) fills: bool,
}

/// The lists of [`CompiledTree`] to which nodes refer, while a tree is compiled.
#[derive(Debug)]
struct TreeCompiler<N> {
    masks: Vec<u64>,
    children: Vec<u32>,
    own_branches: Vec<(u32, u32)>,
    /// Numbers of the leaves that are still to come.
    numbers: N,
}

impl<N: Iterator<Item = u32>> TreeCompiler<N> {
    /// Pack node `i`, and append the entries to which it refers to the lists.
    fn compile(&mut self, tree: &Tree, i: usize, schema: &Schema) -> Result<WalkNode> {
        let source = &tree.nodes[i];
        let me = i as u32;
        let children = tree.children(i);
        if let Test::Leaf = source.test {
            let number = self.numbers.next().unwrap_or(0);
            return Ok(pack_node(TestKind::Leaf, FIRST, 0, WalkNode::leaf_value(number), me));
        }
        if children.first() != Some(&(me + 1)) {
            return Err(Error::Internal(format!("node {i} is not followed by its first child")));
        }
        // A multiway test refers to a list of children.
        if let Test::Multiway | Test::Groups { .. } = source.test {
            let first = self.children.len() as u32;
            match tree.groups(i) {
                Some(groups) => {
                    self.children.extend(groups.iter().map(|&branch| children[branch as usize]));
                }
                None => self.children.extend_from_slice(children),
            }
            let codes = self.children.len() as u32 - first;
            let (missing, second) = match source.missing_branch {
                ALL => (EVERY, me + 1),
                branch => (SECOND, children[branch as usize]),
            };
            let value = two_numbers(first, codes);
            return Ok(pack_node(TestKind::Multiway, missing, source.feature, value, second));
        }
        // A binary test refers to its second child, and where it has one to a third.
        let missing = match source.missing_branch {
            0 => FIRST,
            1 => SECOND,
            ALL => EVERY,
            _ => OWN,
        };
        if let Some(&third) = children.get(2) {
            self.own_branches.push((me, third));
        }
        let binary = |kind, value| pack_node(kind, missing, source.feature, value, children[1]);
        if let Test::Threshold(threshold) = source.test {
            return Ok(binary(TestKind::Threshold, threshold.reach));
        }
        // A subset test refers to a mask of its levels.
        let levels = schema.features[source.feature as usize].arity();
        let start = self.masks.len();
        self.masks.resize(start + levels.div_ceil(64), 0_u64);
        for &level in tree.subset(i).unwrap_or_default() {
            self.masks[start + level as usize / 64] |= 1 << (level % 64);
        }
        Ok(binary(TestKind::Subset, two_numbers(start as u32, levels as u32)))
    }
}

impl CompiledTree {
    /// Compile a tree; its leaves are numbered from 0 in pre-order.
    ///
    /// # Errors
    /// [`Error::Data`] for too many features, [`Error::Internal`] for a tree that is not in
    /// pre-order.
    pub fn new(tree: &Tree, schema: &Schema) -> Result<Self> {
        Self::numbered(tree, schema, 0..)
    }

    /// Compile a tree whose leaves have the given numbers, in pre-order. It fails as
    /// [`CompiledTree::new`] does.
    pub(super) fn numbered(
        tree: &Tree,
        schema: &Schema,
        numbers: impl Iterator<Item = u32>,
    ) -> Result<Self> {
        if schema.features.len() > MOST_FEATURES {
            return Err(Error::Data(format!("a tree asks for at most {MOST_FEATURES} features")));
        }
        let readings =
            schema.features.iter().map(|f| Reading::new(&f.kind)).collect::<Result<Vec<_>>>()?;
        let mut compiler = TreeCompiler {
            masks: Vec::new(),
            children: Vec::new(),
            own_branches: Vec::new(),
            numbers,
        };
        let nodes = (0..tree.nodes.len())
            .map(|i| compiler.compile(tree, i, schema))
            .collect::<Result<Vec<_>>>()?;
        let table = WalkTable::new(nodes, schema.features.len().max(1))
            .ok_or_else(|| Error::Internal("a branch or a feature does not exist".into()))?;
        // Shares, for fractions of rows.
        let mut shares = Vec::new();
        if tree.divides_missing() {
            shares.resize(tree.nodes.len(), 1.0);
            for i in 0..tree.nodes.len() {
                for (&child, share) in tree.children(i).iter().zip(tree.shares(i)) {
                    shares[child as usize] = share;
                }
            }
        }
        let is_numeric = |test| matches!(test, Test::Leaf | Test::Threshold(_));
        Ok(Self {
            fills: readings.iter().any(|r| !r.fill().is_nan()),
            readings,
            table,
            masks: compiler.masks,
            children: compiler.children,
            own_branches: compiler.own_branches,
            shares,
            parents: tree.nodes.iter().map(|n| n.parent).collect(),
            depth: tree.nodes.iter().map(|n| n.depth as usize).max().unwrap_or(0),
            numeric: !schema.features.is_empty() && tree.nodes.iter().all(|n| is_numeric(n.test)),
        })
    }

    /// Whether a missing value takes all branches at some node. If not, a row ends in one leaf and
    /// needs no [`CompiledTree::spread`].
    pub fn divides_missing(&self) -> bool {
        !self.shares.is_empty()
    }

    /// Whether a node is a leaf. Nodes have the same numbers as in the [`Tree`] that was compiled.
    pub fn is_leaf(&self, node: u32) -> bool {
        kind_of(&self.table.nodes()[node as usize]) == TestKind::Leaf
    }

    /// The number of a leaf; none for an inner node.
    #[inline]
    pub(super) fn leaf_number(&self, node: u32) -> Option<usize> {
        let n = &self.table.nodes()[node as usize];
        (kind_of(n) == TestKind::Leaf).then(|| numbers_of(n).1 as usize)
    }

    /// Whether a node is in the subtree of another (or is it). O(depth).
    pub fn is_below(&self, node: u32, ancestor: u32) -> bool {
        // Parents have smaller numbers.
        let mut above = node;
        while above > ancestor && above != NONE {
            above = self.parents[above as usize];
        }
        above == ancestor
    }

    /// The child that a missing value takes; the node itself if it takes all branches
    /// ([`CompiledTree::spread`] continues there), or at a leaf.
    #[cold]
    pub(super) fn missing_child(&self, me: u32) -> u32 {
        let node = &self.table.nodes()[me as usize];
        match (kind_of(node), missing_of(node)) {
            (TestKind::Leaf, _) | (_, EVERY) => me,
            (_, FIRST) => me + 1,
            (_, SECOND) => node.second,
            _ => self.third(me).unwrap_or(me),
        }
    }

    /// The third branch of a binary test, if it has one.
    fn third(&self, me: u32) -> Option<u32> {
        let entry = self.own_branches.binary_search_by_key(&me, |&(node, _)| node).ok()?;
        Some(self.own_branches[entry].1)
    }

    /// The child of a node that a row takes; the node itself if it is a leaf, or if the row takes
    /// all branches.
    pub fn child<S: Source>(&self, source: &S, row: usize, node: u32) -> u32 {
        let n = &self.table.nodes()[node as usize];
        let feature = n.feature();
        match kind_of(n) {
            TestKind::Leaf => node,
            TestKind::Threshold => {
                let x = self.number(source, row, feature);
                if x <= n.value {
                    node + 1
                } else if x > n.value {
                    n.second
                } else {
                    self.missing_child(node)
                }
            }
            TestKind::Subset => {
                let code = self.level(source, row, feature);
                let (start, levels) = numbers_of(n);
                if code >= levels {
                    return self.missing_child(node);
                }
                let word = self.masks[start as usize + code as usize / 64];
                if word >> (code % 64) & 1 == 1 { node + 1 } else { n.second }
            }
            TestKind::Multiway => {
                let code = match &self.readings[feature] {
                    Reading::Code { .. } => self.level(source, row, feature),
                    Reading::Binned { bins, .. } => {
                        let x = self.number(source, row, feature);
                        if x.is_nan() { MISSING } else { bins.bin(x) }
                    }
                    Reading::Number { .. } => MISSING,
                };
                let (first, codes) = numbers_of(n);
                if code >= codes {
                    return self.missing_child(node);
                }
                self.children[(first + code) as usize]
            }
        }
    }

    /// Replace the missing numbers of rows that lie one after the other, if the model imputes.
    /// `rows` holds whole rows of [`Self::features`] numbers each. O(cells), or O(1) if the model
    /// does not impute.
    pub(super) fn fill(&self, rows: &mut [f64]) {
        if !self.fills {
            return;
        }
        for row in rows.chunks_exact_mut(self.features()) {
            for (x, reading) in row.iter_mut().zip(&self.readings) {
                if x.is_nan() {
                    *x = reading.fill();
                }
            }
        }
    }

    /// A number, replaced if it is missing and the model imputes. NaN if it stays missing.
    #[inline]
    pub(super) fn number<S: Source>(&self, source: &S, row: usize, feature: usize) -> f64 {
        let x = source.number(row, feature);
        if x.is_nan() { self.readings[feature].fill() } else { x }
    }

    /// The code of a nominal feature, replaced if it is missing and the model imputes.
    fn level<S: Source>(&self, source: &S, row: usize, feature: usize) -> u32 {
        match (source.code(row, feature), &self.readings[feature]) {
            (MISSING, Reading::Code { fill }) => *fill,
            (code, _) => code,
        }
    }

    /// Number of features of the schema. It is the width of the rows that a block copies.
    pub(super) fn features(&self) -> usize {
        self.readings.len()
    }

    /// A node as the end of a row's path. A leaf is given by its number, which leaves with the same
    /// prediction may share.
    pub(super) fn end_at(&self, node: u32) -> End {
        self.leaf_number(node).map_or(End::at_node(node), |number| End::in_leaf(number as u32))
    }

    /// Where the path of a whole row ends. It is a leaf, or a node at which the row takes all
    /// branches. O(depth), one node after the other: for many rows [`CompiledTree::for_each_end`]
    /// is faster.
    pub fn end<S: Source>(&self, source: &S, row: usize) -> End {
        self.end_at(self.last_node(source, row))
    }

    /// The node where the path of a whole row ends: a leaf, or a node at which it takes all
    /// branches.
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

    /// Send a row of weight 1 down from a node, in fractions where its values are missing. Calls
    /// `visit(node, fraction, is_leaf)` for each node that a fraction reaches, `from` included, in
    /// pre-order.
    pub fn spread<S: Source>(
        &self,
        source: &S,
        row: usize,
        from: u32,
        visit: &mut dyn FnMut(u32, f64, bool),
    ) {
        let mut stack = vec![(from, 1.0)];
        while let Some((node, weight)) = stack.pop() {
            let next = self.child(source, row, node);
            let n = &self.table.nodes()[node as usize];
            visit(node, weight, kind_of(n) == TestKind::Leaf);
            if next != node {
                stack.push((next, weight));
                continue;
            }
            // A leaf, or all branches; pushed in reverse, so that they are visited in order.
            self.for_each_share(node, &mut |child, share| stack.push((child, weight * share)));
        }
    }

    /// Call `take(child, share)` for the branches of a node that take a share of a row without a
    /// value, the last branch first. A leaf has none.
    pub(super) fn for_each_share(&self, node: u32, take: &mut dyn FnMut(u32, f64)) {
        let n = &self.table.nodes()[node as usize];
        let mut give = |child: u32| {
            let share = self.shares.get(child as usize).copied().unwrap_or(0.0);
            if share > 0.0 {
                take(child, share);
            }
        };
        match kind_of(n) {
            TestKind::Leaf => {}
            TestKind::Multiway => {
                let (first, branches) = numbers_of(n);
                let range = first as usize..(first + branches) as usize;
                self.children[range].iter().rev().for_each(|&child| give(child));
            }
            TestKind::Threshold | TestKind::Subset => {
                self.third(node).into_iter().for_each(&mut give);
                give(n.second);
                give(node + 1);
            }
        }
    }

    /// Feature and threshold of a node that tests one. `None` for leaves and other tests. The
    /// threshold is the largest number that goes to the first branch.
    pub(super) fn threshold(&self, node: u32) -> Option<(usize, f64)> {
        let n = &self.table.nodes()[node as usize];
        (kind_of(n) == TestKind::Threshold).then(|| (n.feature(), n.value))
    }

    /// The leaf that stands for a row whose path as a whole ends at `end`: the one that receives
    /// the largest fraction of it, the first one on ties (up to rounding).
    pub(super) fn main_leaf<S: Source>(&self, source: &S, row: usize, end: u32) -> u32 {
        if self.is_leaf(end) {
            return end;
        }
        let (mut leaf, mut largest) = (end, 0.0);
        self.spread(source, row, end, &mut |node, fraction, is_leaf| {
            if is_leaf && fraction > largest * (1.0 + 1e-12) {
                (leaf, largest) = (node, fraction);
            }
        });
        leaf
    }

    /// Append all nodes that a row or a fraction of it passes, in pre-order. `out` is not cleared
    /// first, so the paths of several rows can be joined in one list. O(depth) for a row whose
    /// values are all known.
    pub fn path<S: Source>(&self, source: &S, row: usize, out: &mut Vec<u32>) {
        self.spread(source, row, 0, &mut |node, _, _| out.push(node));
    }
}
