//! The walk itself.

use crate::data::{Bins, Column, Dataset, Kind, MISSING, Schema};
use crate::error::{Error, Result};
use crate::parallel::{self, Control};
use crate::tree::{Test, Tree};

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
                    Kind::Numeric { cuts: None, fill } => Reading::Number { fill: fill.unwrap_or(f64::NAN) },
                    Kind::Numeric { cuts: Some(c), fill } => {
                        Reading::Binned { bins: Bins::new(c.clone())?, fill: fill.unwrap_or(f64::NAN) }
                    }
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
                    Test::Leaf => Step { threshold: 0.0, feature: 0, low: me, high: me, missing: me },
                    Test::Threshold(threshold) => {
                        let c = tree.children(i);
                        let missing = c[node.missing_branch as usize];
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
                        let missing = c[node.missing_branch as usize];
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
        Ok(Self { tree, readings, steps, masks, first_mask, binary })
    }

    /// The child of a node that a row goes to; the node itself when it is a leaf.
    pub fn child<S: Source>(&self, source: &S, row: usize, node: u32) -> u32 {
        let step = &self.steps[node as usize];
        let feature = step.feature as usize;
        match self.tree.nodes[node as usize].test {
            Test::Leaf => node,
            Test::Threshold(t) => {
                let mut x = source.number(row, feature);
                if x.is_nan()
                    && let Reading::Number { fill } | Reading::Binned { fill, .. } = self.readings[feature]
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

    /// The leaf of one row.
    pub fn leaf<S: Source>(&self, source: &S, row: usize) -> u32 {
        let mut node = 0;
        loop {
            let next = self.child(source, row, node);
            if next == node {
                return node;
            }
            node = next;
        }
    }

    /// All nodes that one row passes, root first.
    pub fn path<S: Source>(&self, source: &S, row: usize, out: &mut Vec<u32>) {
        let mut node = 0;
        out.push(0);
        loop {
            let next = self.child(source, row, node);
            if next == node {
                return;
            }
            node = next;
            out.push(node);
        }
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

    /// Leaves of a range of rows.
    pub fn fill<S: Source>(&self, source: &S, first: usize, out: &mut [u32]) {
        if self.binary && !self.readings.is_empty() {
            for (g, out) in out.chunks_mut(GROUP).enumerate() {
                self.group(source, first + g * GROUP, out);
            }
        } else {
            for (i, out) in out.iter_mut().enumerate() {
                *out = self.leaf(source, first + i);
            }
        }
    }
}

/// The leaf of each of `n` rows.
pub fn leaves<S: Source>(
    tree: &Tree,
    schema: &Schema,
    source: &S,
    n: usize,
    control: &Control,
) -> Result<Vec<u32>> {
    let walker = Walker::new(tree, schema)?;
    let mut out = vec![0; n];
    let share = n.div_ceil(4 * control.threads()).clamp(1024, 1 << 16);
    let mut parts: Vec<&mut [u32]> = out.chunks_mut(share).collect();
    parallel::for_each_mut(control, &mut parts, |i, part| {
        control.check()?;
        walker.fill(source, i * share, part);
        Ok(())
    })?;
    if out.iter().any(|&l| l as usize >= tree.nodes.len()) {
        return Err(Error::Internal("a row left the tree".into()));
    }
    Ok(out)
}
