//! Shapley values of one tree.
//!
//! The tree is brought into the form of the [`kernel`](super::kernel) once: shares, their products
//! along the tests of one feature, and where these tests are. Where the probabilities of every leaf
//! sum to 1, those of the last class follow from the others. O(nodes) to make, and for each row
//! O(nodes x features on a path).

use super::kernel::{KernelWorkspace, Leaves, PathStep, Points, add_row};
use super::quadrature::gauss_legendre;
use crate::model::Model;
use crate::predict::{CompiledTree, Source};
use crate::tree::Tree;

/// Points of a pass with many lanes, and with few.
const WIDE: usize = 8;
const NARROW: usize = 4;
const PAIR: usize = 2;

/// Points of the quadrature, pass by pass.
#[derive(Debug, Default)]
struct Passes {
    wide: Vec<Points<WIDE>>,
    narrow: Option<Points<NARROW>>,
    pair: Option<Points<PAIR>>,
}

impl Passes {
    /// The passes of trees, by the most features on a path.
    fn new(features: usize) -> Self {
        let rule = gauss_legendre(features.div_ceil(2).max(1));
        let (whole, rest) = rule.split_at(match rule.len() % WIDE {
            rest @ 1..=NARROW => rule.len() - rest,
            _ => rule.len(),
        });
        Self {
            wide: whole.chunks(WIDE).map(Points::new).collect(),
            narrow: (rest.len() > PAIR).then(|| Points::new(rest)),
            pair: (1..=PAIR).contains(&rest.len()).then(|| Points::new(rest)),
        }
    }
}

/// Room for the walks of rows.
#[derive(Debug)]
pub struct WalkScratch {
    wide: KernelWorkspace<WIDE>,
    narrow: KernelWorkspace<NARROW>,
    pair: KernelWorkspace<PAIR>,
}

impl WalkScratch {
    /// For some trees.
    pub fn new(trees: &[TreeExplainer]) -> Self {
        let outputs = trees.first().map_or(0, |t| t.outputs);
        let depth = |uses: fn(&Passes) -> bool| {
            trees.iter().filter(|t| uses(&t.passes)).map(|t| t.depth).max().unwrap_or(0)
        };
        Self {
            wide: KernelWorkspace::new(depth(|p| !p.wide.is_empty()), outputs),
            narrow: KernelWorkspace::new(depth(|p| p.narrow.is_some()), outputs),
            pair: KernelWorkspace::new(depth(|p| p.pair.is_some()), outputs),
        }
    }
}

/// A tree made ready to be explained.
#[derive(Debug)]
pub struct TreeExplainer {
    steps: Vec<PathStep>,
    values: Vec<f64>,
    /// Values kept of each leaf: one less than there are classes where the last one follows.
    outputs: usize,
    passes: Passes,
    /// Longest path, in tests.
    depth: usize,
    expected: Vec<f64>,
}

impl TreeExplainer {
    /// Make a model's tree ready; `complete` where all leaves of all trees that are explained
    /// together have probabilities that sum to 1 ([`TreeExplainer::is_complete`]).
    pub fn new(model: &Model, complete: bool) -> Self {
        let (tree, classes) = (&model.tree, model.tree.classes);
        let (steps, features) = steps(tree, model.schema.features.len());
        let outputs = if complete { classes - 1 } else { classes };
        let mut values = Vec::new();
        let mut expected = vec![0.0; classes];
        let mut own = vec![0.0; classes];
        let mut reached = vec![1.0; tree.nodes.len()];
        for (i, step) in steps.iter().enumerate() {
            if i > 0 {
                reached[i] = reached[tree.nodes[i].parent as usize] * step.share;
            }
            if tree.is_leaf(i) {
                model.probabilities(i, &mut own);
                values.extend_from_slice(&own[..outputs]);
                expected.iter_mut().zip(&own).for_each(|(e, p)| *e += reached[i] * p);
            }
        }
        let depth = steps.iter().map(|s| s.depth as usize).max().unwrap_or(0);
        Self { steps, values, outputs, passes: Passes::new(features), depth, expected }
    }

    /// Whether the probabilities of every leaf sum to 1.
    pub fn is_complete(model: &Model) -> bool {
        (0..model.tree.nodes.len())
            .all(|i| !model.tree.is_leaf(i) || model.tree.nodes[i].label >= 0)
    }

    /// The prediction when no feature is known, by class: the values of a row and this sum to its
    /// probabilities.
    pub fn expected(&self) -> &[f64] {
        &self.expected
    }

    /// Add the values of a row, `out[feature * classes + class]`. Those of the last class are left
    /// out where they follow from the others ([`finish`]).
    pub fn add<S: Source>(
        &self,
        compiled: &CompiledTree,
        source: &S,
        row: usize,
        scratch: &mut WalkScratch,
        out: &mut [f64],
    ) {
        let stride = self.expected.len();
        let tree = Leaves { steps: &self.steps, values: &self.values, outputs: self.outputs };
        let child = |node: u32| compiled.child(source, row, node);
        for points in &self.passes.wide {
            add_row(tree, points, &mut scratch.wide, child, (out, stride));
        }
        if let Some(points) = &self.passes.narrow {
            add_row(tree, points, &mut scratch.narrow, child, (out, stride));
        }
        if let Some(points) = &self.passes.pair {
            add_row(tree, points, &mut scratch.pair, child, (out, stride));
        }
    }
}

/// The values of the last class from those of the others: a feature moves no probability away.
pub fn finish(out: &mut [f64], classes: usize) {
    for values in out.chunks_exact_mut(classes) {
        let (others, last) = values.split_at_mut(classes - 1);
        last[0] = 0.0 - others.iter().sum::<f64>();
    }
}

/// The nodes as the kernel reads them, and the largest number of features on a path.
fn steps(tree: &Tree, features: usize) -> (Vec<PathStep>, usize) {
    let n = tree.nodes.len();
    let mut shares = vec![1.0; n];
    let mut ends: Vec<u32> = (1..=n as u32).collect();
    for i in (0..n).rev() {
        for (&child, share) in tree.children(i).iter().zip(tree.shares(i)) {
            shares[child as usize] = share;
            ends[i] = ends[i].max(ends[child as usize]);
        }
    }
    let mut steps: Vec<PathStep> = Vec::with_capacity(n);
    // Depth of the latest branch of each feature on the path, and what it was before each level.
    let mut latest = vec![0_u32; features];
    let mut undo: Vec<(u32, u32)> = Vec::new();
    let mut path: Vec<u32> = Vec::new();
    let (mut known, mut most, mut leaves) = (0, 0, 0);
    for i in 0..n {
        let depth = path_depth(tree, &path, i);
        path.truncate(depth);
        while undo.len() > depth.saturating_sub(1) {
            let Some((feature, before)) = undo.pop() else { break };
            latest[feature as usize] = before;
            known -= usize::from(before == 0);
        }
        let (mut feature, mut same, mut zero) = (0, 0, 1.0);
        if depth > 0 {
            feature = tree.nodes[tree.nodes[i].parent as usize].feature;
            same = latest[feature as usize];
            let above = if same > 0 { steps[path[same as usize] as usize].zero } else { 1.0 };
            zero = shares[i] * above;
            undo.push((feature, same));
            latest[feature as usize] = depth as u32;
            known += usize::from(same == 0);
            most = most.max(known);
        }
        path.push(i as u32);
        let is_leaf = tree.is_leaf(i);
        let leaf = if is_leaf { leaves } else { u32::MAX };
        leaves += u32::from(is_leaf);
        let step = PathStep {
            depth: depth as u32,
            feature,
            same,
            end: ends[i],
            leaf,
            share: shares[i],
            zero,
        };
        steps.push(step);
    }
    (steps, most)
}

/// Number of nodes above a node, by the path to the node before it.
fn path_depth(tree: &Tree, path: &[u32], node: usize) -> usize {
    let parent = tree.nodes[node].parent;
    path.binary_search(&parent).map_or(0, |at| at + 1)
}
