//! The walk itself.

use crate::data::{Bins, Column, Dataset, Kind, MISSING, Schema};
use crate::error::{Error, Result};
use crate::parallel::{self, Control};
use crate::tree::{ALL, Node, Test, Threshold, Tree};

/// Rows that can be asked for their values.
pub trait Source: Sync {
    /// A number, NaN when missing.
    fn number(&self, row: usize, feature: usize) -> f64;
    /// A code, [`MISSING`] when missing or unknown.
    fn code(&self, row: usize, feature: usize) -> u32;
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

#[derive(Debug, Clone, Copy)]
struct Step {
    threshold: f64,
    feature: u32,
    /// Node for `<=`; of a multiway node the first index into the children.
    low: u32,
    high: u32,
    missing: u32,
}

/// A tree laid out for walking.
#[derive(Debug)]
pub struct Walker<'t> {
    tree: &'t Tree,
    readings: Vec<Reading>,
    steps: Vec<Step>,
    /// Bit masks of the levels that subset tests list, and the first word of each such node's.
    masks: Vec<u64>,
    first_mask: Vec<u32>,
    binary: bool,
    /// Share of each child in its parent, in the order of the tree's children; empty where no
    /// missing value takes all branches.
    shares: Vec<f64>,
}

/// Where a row with a missing value goes on: itself where it goes down all branches, for
/// [`Walker::spread`] continues there.
fn missing_child(node: &Node, me: u32, children: &[u32]) -> u32 {
    if node.missing_branch == ALL { me } else { children[node.missing_branch as usize] }
}

/// Rows that walk together.
const GROUP: usize = 16;

impl<'t> Walker<'t> {
    /// Lay out a tree.
    pub fn new(tree: &'t Tree, schema: &Schema) -> Result<Self> {
        let readings = schema
            .features
            .iter()
            .map(|f| {
                Ok(match &f.kind {
                    Kind::Numeric { cuts: None, fill } => {
                        Reading::Number { fill: fill.unwrap_or(f64::NAN) }
                    }
                    Kind::Numeric { cuts: Some(c), fill } => Reading::Binned {
                        bins: Bins::new(c.clone())?,
                        fill: fill.unwrap_or(f64::NAN),
                    },
                    Kind::Nominal { fill, .. } => Reading::Code { fill: fill.unwrap_or(MISSING) },
                })
            })
            .collect::<Result<Vec<_>>>()?;
        let mut binary = true;
        let (mut masks, mut first_mask) = (Vec::new(), Vec::new());
        let steps = (0..tree.nodes.len())
            .map(|i| {
                let node = &tree.nodes[i];
                let me = i as u32;
                match node.test {
                    Test::Leaf => {
                        Step { threshold: 0.0, feature: 0, low: me, high: me, missing: me }
                    }
                    Test::Threshold(Threshold { reach: threshold, .. }) => {
                        let c = tree.children(i);
                        let missing = missing_child(node, me, c);
                        binary &= matches!(
                            readings[node.feature as usize],
                            Reading::Number { fill } | Reading::Binned { fill, .. } if fill.is_nan()
                        );
                        Step { threshold, feature: node.feature, low: c[0], high: c[1], missing }
                    }
                    Test::Subset { .. } => {
                        binary = false;
                        let c = tree.children(i);
                        first_mask.resize(tree.nodes.len(), 0);
                        first_mask[i] = masks.len() as u32;
                        let words = schema.features[node.feature as usize].arity().div_ceil(64);
                        masks.resize(masks.len() + words, 0_u64);
                        let start = masks.len() - words;
                        for &level in tree.subset(i).unwrap_or_default() {
                            masks[start + level as usize / 64] |= 1 << (level % 64);
                        }
                        let missing = missing_child(node, me, c);
                        // The number of levels: codes from there on are missing or unknown.
                        let threshold = schema.features[node.feature as usize].arity() as f64;
                        Step { threshold, feature: node.feature, low: c[0], high: c[1], missing }
                    }
                    Test::Multiway => {
                        binary = false;
                        Step {
                            threshold: 0.0,
                            feature: node.feature,
                            low: node.first_child,
                            high: 0,
                            missing: 0,
                        }
                    }
                }
            })
            .collect();
        let mut shares = Vec::new();
        if tree.is_shared() {
            shares.resize(tree.children.len(), 0.0);
            for (i, node) in tree.nodes.iter().enumerate() {
                let first = node.first_child as usize;
                shares[first..first + node.n_children as usize].copy_from_slice(&tree.shares(i));
            }
        }
        Ok(Self { tree, readings, steps, masks, first_mask, binary, shares })
    }

    /// True when a missing value may take all branches.
    pub fn is_shared(&self) -> bool {
        !self.shares.is_empty()
    }

    /// True for a node in the subtree of another.
    pub fn is_below(&self, node: u32, other: u32) -> bool {
        let mut at = node;
        while at > other {
            at = self.tree.nodes[at as usize].parent;
        }
        at == other
    }

    /// The child of a node that a row goes to; the node itself when it is a leaf, or when the row
    /// goes to all children.
    pub fn child<S: Source>(&self, source: &S, row: usize, node: u32) -> u32 {
        let step = &self.steps[node as usize];
        let feature = step.feature as usize;
        match self.tree.nodes[node as usize].test {
            Test::Leaf => node,
            Test::Threshold(Threshold { reach: t, .. }) => {
                let mut x = source.number(row, feature);
                if x.is_nan()
                    && let Reading::Number { fill } | Reading::Binned { fill, .. } =
                        self.readings[feature]
                {
                    x = fill;
                }
                if x <= t {
                    step.low
                } else if x > t {
                    step.high
                } else {
                    step.missing
                }
            }
            Test::Subset { .. } => {
                let code = self.level(source, row, feature);
                if f64::from(code) >= step.threshold {
                    return step.missing;
                }
                let word = self.masks[self.first_mask[node as usize] as usize + code as usize / 64];
                if word >> (code % 64) & 1 == 1 { step.low } else { step.high }
            }
            Test::Multiway => {
                let code = match &self.readings[feature] {
                    Reading::Code { .. } => self.level(source, row, feature),
                    Reading::Binned { bins, fill } => {
                        let x = source.number(row, feature);
                        let x = if x.is_nan() { *fill } else { x };
                        if x.is_nan() { MISSING } else { bins.bin(x) }
                    }
                    Reading::Number { .. } => MISSING,
                };
                let n = &self.tree.nodes[node as usize];
                let branch = if code < n.n_children { code } else { n.missing_branch };
                if branch == ALL {
                    return node;
                }
                self.tree.children[(n.first_child + branch) as usize]
            }
        }
    }

    /// The level of a nominal feature, imputed where the model does so.
    fn level<S: Source>(&self, source: &S, row: usize, feature: usize) -> u32 {
        match (source.code(row, feature), &self.readings[feature]) {
            (MISSING, Reading::Code { fill }) => *fill,
            (code, _) => code,
        }
    }

    /// Where the walk of a whole row ends: a leaf, or a node whose branches all get a part of it.
    pub fn end<S: Source>(&self, source: &S, row: usize) -> u32 {
        let mut node = 0;
        loop {
            let next = self.child(source, row, node);
            if next == node {
                return node;
            }
            node = next;
        }
    }

    /// Send a row of weight 1 on from a node; `visit` is told every node that a part reaches (the
    /// first one included) in pre-order, the part's weight, and whether it ends there, in a leaf.
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
            let n = &self.tree.nodes[node as usize];
            visit(node, weight, n.n_children == 0);
            if next != node {
                stack.push((next, weight));
                continue;
            }
            let range = n.first_child as usize..(n.first_child + n.n_children) as usize;
            for i in range.rev().filter(|&i| self.shares[i] > 0.0) {
                stack.push((self.tree.children[i], weight * self.shares[i]));
            }
        }
    }

    /// The leaf of one row: the one that gets the largest part of it (the first of equals).
    pub fn leaf<S: Source>(&self, source: &S, row: usize) -> u32 {
        self.settled(source, row, self.end(source, row))
    }

    /// The leaf for a row whose walk ended somewhere.
    pub fn settled<S: Source>(&self, source: &S, row: usize, end: u32) -> u32 {
        if self.tree.is_leaf(end as usize) {
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

    fn group<S: Source>(&self, source: &S, first: usize, out: &mut [u32]) {
        let mut nodes = [0_u32; GROUP];
        let nodes = &mut nodes[..out.len()];
        loop {
            let mut moved = 0;
            for (i, node) in nodes.iter_mut().enumerate() {
                let step = &self.steps[*node as usize];
                let x = source.number(first + i, step.feature as usize);
                let above = if x > step.threshold { step.high } else { step.missing };
                let next = if x <= step.threshold { step.low } else { above };
                moved |= next ^ *node;
                *node = next;
            }
            if moved == 0 {
                break;
            }
        }
        out.copy_from_slice(nodes);
    }

    /// Ends of the walks ([`Walker::end`]) of a range of rows.
    pub fn fill<S: Source>(&self, source: &S, first: usize, out: &mut [u32]) {
        if self.binary && !self.readings.is_empty() {
            for (g, out) in out.chunks_mut(GROUP).enumerate() {
                self.group(source, first + g * GROUP, out);
            }
        } else {
            for (i, out) in out.iter_mut().enumerate() {
                *out = self.end(source, first + i);
            }
        }
    }
}

/// The leaf of each of `n` rows: the one with the largest part of it.
pub fn leaves<S: Source>(
    tree: &Tree,
    schema: &Schema,
    source: &S,
    n: usize,
    control: &Control,
) -> Result<Vec<u32>> {
    let walker = Walker::new(tree, schema)?;
    let mut out = vec![0; n];
    in_parts(&mut out, 1, control, |first, part| {
        walker.fill(source, first, part);
        if walker.is_shared() {
            part.iter_mut()
                .enumerate()
                .for_each(|(i, end)| *end = walker.settled(source, first + i, *end));
        }
    })?;
    if out.iter().any(|&l| l as usize >= tree.nodes.len()) {
        return Err(Error::Internal("a row left the tree".into()));
    }
    Ok(out)
}

/// Fill an array of `width` numbers a row, in parts on several threads; `fill` gets the first row
/// of its part.
pub(super) fn in_parts<T: Send>(
    out: &mut [T],
    width: usize,
    control: &Control,
    fill: impl Fn(usize, &mut [T]) + Sync,
) -> Result<()> {
    let n = out.len() / width.max(1);
    let share = n.div_ceil(4 * control.threads()).clamp(1024, 1 << 16);
    let mut parts: Vec<&mut [T]> = out.chunks_mut(share * width.max(1)).collect();
    parallel::for_each_mut(control, &mut parts, |i, part| {
        control.check()?;
        fill(i * share, part);
        Ok(())
    })
}
