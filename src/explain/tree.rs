//! Shapley values of one tree.
//!
//! A tree is converted once to the form of the [`kernel`](super::kernel): its nodes in pre-order
//! with shares, products of shares along the tests of one feature, and where these tests are. If
//! the probabilities of every leaf sum to 1, the values of the last class follow from the others
//! and are not computed. O(nodes) to prepare, O(nodes * features on a path) per row.

use super::kernel::{KernelWorkspace, PathStep, PathTree, Points, add_row};
use super::quadrature::gauss_legendre;
use crate::model::Model;
use crate::predict::{CompiledTree, Source};
use crate::tree::Tree;

/// Lanes of a pass of the kernel: quadrature points that are computed at once. The rule is divided
/// into passes of `WIDE` points; a rest of at most `NARROW` or `PAIR` points takes a smaller pass,
/// in which fewer lanes are wasted.
const WIDE: usize = 8;
const NARROW: usize = 4;
const PAIR: usize = 2;

/// The points of the quadrature, divided into passes.
#[derive(Debug, Default)]
struct Passes {
    wide: Vec<Points<WIDE>>,
    narrow: Option<Points<NARROW>>,
    pair: Option<Points<PAIR>>,
}

impl Passes {
    /// The passes for a tree with at most `features` features on a path: ceil(features / 2) points.
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

/// Memory for the passes of rows, used again.
#[derive(Debug)]
pub struct WalkScratch {
    wide: KernelWorkspace<WIDE>,
    narrow: KernelWorkspace<NARROW>,
    pair: KernelWorkspace<PAIR>,
}

impl WalkScratch {
    /// Memory with room for all these trees, which must have equally many outputs. Each block of
    /// rows makes one and uses it for all of its rows and trees. Only passes that some tree takes
    /// need memory.
    pub fn new(trees: &[TreeExplainer]) -> Self {
        let outputs = trees.first().map_or(0, |tree| tree.outputs);
        // the depth of the deepest tree that takes a pass of some width
        let depth = |takes: fn(&Passes) -> bool| {
            let taking = trees.iter().filter(|tree| takes(&tree.passes));
            taking.map(|tree| tree.depth).max().unwrap_or(0)
        };
        Self {
            wide: KernelWorkspace::new(depth(|passes| !passes.wide.is_empty()), outputs),
            narrow: KernelWorkspace::new(depth(|passes| passes.narrow.is_some()), outputs),
            pair: KernelWorkspace::new(depth(|passes| passes.pair.is_some()), outputs),
        }
    }
}

/// A tree prepared for explanations.
#[derive(Debug)]
pub struct TreeExplainer {
    /// Nodes in pre-order.
    steps: Vec<PathStep>,
    /// Class probabilities of the leaves, `outputs` per leaf.
    values: Vec<f64>,
    /// Number of values per leaf: one less than classes if the last one follows.
    outputs: usize,
    passes: Passes,
    /// Longest path, in tests.
    depth: usize,
    /// Prediction if no feature is known, by class.
    expected: Vec<f64>,
}

impl TreeExplainer {
    /// Prepare the tree of a model. `complete` if all trees that are explained together are
    /// [complete](TreeExplainer::is_complete).
    pub fn new(model: &Model, complete: bool) -> Self {
        let (tree, classes) = (&model.tree, model.tree.classes);
        let (steps, features) = path_steps(tree, model.schema.features.len());
        let outputs = if complete { classes - 1 } else { classes };
        // values of the leaves, and their mean by the probability of reaching them
        let mut values = Vec::new();
        let mut expected = vec![0.0; classes];
        let mut of_leaf = vec![0.0; classes];
        let mut reached = vec![1.0; tree.nodes.len()];
        for (i, step) in steps.iter().enumerate() {
            if i > 0 {
                reached[i] = reached[tree.nodes[i].parent as usize] * step.share;
            }
            if tree.is_leaf(i) {
                model.probabilities(i, &mut of_leaf);
                values.extend_from_slice(&of_leaf[..outputs]);
                expected.iter_mut().zip(&of_leaf).for_each(|(sum, p)| *sum += reached[i] * p);
            }
        }
        let depth = steps.iter().map(|s| s.depth as usize).max().unwrap_or(0);
        Self { steps, values, outputs, passes: Passes::new(features), depth, expected }
    }

    /// Whether the probabilities of every leaf sum to 1. If so, the values of the last class are
    /// minus the sum of the others and need not be computed. It never holds for a numeric target.
    pub fn is_complete(model: &Model) -> bool {
        !model.tree.is_regression() && Self::always_answers(model)
    }

    /// Whether every leaf predicts something. A forest averages over the trees that answer; the
    /// means of the trees' values explain it only if all of them always do.
    pub fn always_answers(model: &Model) -> bool {
        let tree = &model.tree;
        (0..tree.nodes.len()).all(|i| !tree.is_leaf(i) || tree.nodes[i].label >= 0)
    }

    /// The prediction if no feature is known, by class. Added to the values of a row it gives the
    /// probabilities of the row.
    pub fn expected(&self) -> &[f64] {
        &self.expected
    }

    /// Add the values of a row to `out[feature * classes + class]`, without the values of the last
    /// class if they follow from the others ([`fill_last_class`]). `compiled` is the same tree,
    /// which sends row number `row` of `source` down.
    pub fn add<S: Source>(
        &self,
        compiled: &CompiledTree,
        source: &S,
        row: usize,
        scratch: &mut WalkScratch,
        out: &mut [f64],
    ) {
        let stride = self.expected.len();
        let tree = PathTree { steps: &self.steps, values: &self.values, outputs: self.outputs };
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

/// Fill in the values of the last class: the values of a feature sum to 0 over the classes, as
/// probabilities sum to 1.
pub fn fill_last_class(out: &mut [f64], classes: usize) {
    for values in out.chunks_exact_mut(classes) {
        let (others, last) = values.split_at_mut(classes - 1);
        last[0] = 0.0 - others.iter().sum::<f64>();
    }
}

/// The nodes of a tree in the form of the kernel, and the largest number of distinct features on a
/// path.
fn path_steps(tree: &Tree, features: usize) -> (Vec<PathStep>, usize) {
    // share of each branch, and end of each subtree: children come after their parents
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
    // depth of the latest branch of each feature on the path, and by level its value before
    let mut latest = vec![0_u32; features];
    let mut undo: Vec<(u32, u32)> = Vec::new();
    let mut path: Vec<u32> = Vec::new(); // nodes above the current one
    // distinct features on the path, the most of any path so far, and leaves so far
    let (mut n_on_path, mut most_on_path, mut n_leaves) = (0, 0, 0);
    for i in 0..n {
        // leave the branches of the nodes before that are not above this one
        let depth = path_depth(tree, &path, i);
        path.truncate(depth);
        while undo.len() > depth.saturating_sub(1) {
            let Some((feature, before)) = undo.pop() else { break };
            latest[feature as usize] = before;
            n_on_path -= usize::from(before == 0);
        }
        // enter the branch to this node
        let (mut feature, mut same, mut zero_fraction) = (0, 0, 1.0);
        if depth > 0 {
            feature = tree.nodes[tree.nodes[i].parent as usize].feature;
            same = latest[feature as usize];
            let above =
                if same > 0 { steps[path[same as usize] as usize].zero_fraction } else { 1.0 };
            zero_fraction = shares[i] * above;
            undo.push((feature, same));
            latest[feature as usize] = depth as u32;
            n_on_path += usize::from(same == 0);
            most_on_path = most_on_path.max(n_on_path);
        }
        path.push(i as u32);
        let is_leaf = tree.is_leaf(i);
        let leaf = if is_leaf { n_leaves } else { u32::MAX };
        n_leaves += u32::from(is_leaf);
        let step = PathStep {
            depth: depth as u32,
            feature,
            same,
            end: ends[i],
            leaf,
            share: shares[i],
            zero_fraction,
        };
        steps.push(step);
    }
    (steps, most_on_path)
}

/// Number of nodes above a node; `path` is the path to the node before it.
fn path_depth(tree: &Tree, path: &[u32], node: usize) -> usize {
    let parent = tree.nodes[node].parent;
    path.binary_search(&parent).map_or(0, |index| index + 1)
}
