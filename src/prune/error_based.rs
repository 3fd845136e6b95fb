//! Error-based pruning (Quinlan, C4.5, 1993, chapter 4) as J48 does it.
//!
//! The errors of a leaf with weight `n` and `e` training errors are estimated as `e + added(n, e)`,
//! the upper limit of a binomial proportion at the given confidence ([`added_errors`]). First,
//! subtrees that save less than 0.001 training errors become leaves. Then, bottom-up, three
//! estimates are compared: of the node as a leaf (`leaf`), of its subtree (`tree`), and of its
//! heaviest branch as a replacement, which then receives *all* rows of the node (`branch`):
//!
//! - `leaf <= tree + 0.1` and `leaf <= branch + 0.1`: the node becomes a leaf;
//! - else `branch <= tree + 0.1`: the branch replaces the node, the other rows are sent down it,
//!   and the new subtree is pruned again.
//!
//! Comparisons have a tolerance of 1e-6. The estimate of an empty leaf is 0. Where missing values
//! take all branches, fractions of rows are sent down; a raised branch then receives all rows
//! again, because the shares of its branches change with them.
//!
//! Cost: only rows outside the heaviest branch are sent down it, and only leaves they reach are
//! estimated again: O(rows x depth) per level at worst.
//!
//! When not to use it: where the training rows are gone (raising needs them), or where weights are
//! not counts of rows, because the binomial limit is one of counts.

use super::editable_tree::{Costs, EditableTree};
use super::method::{PruneInfo, PruneInput, PruneRows, Pruning};
use crate::criteria::TargetKind;
use crate::data::Column;
use crate::error::{Error, Result};
use crate::numeric::normal;
use crate::options::{self, OptionDomain, OptionInfo};
use crate::parallel::Control;
use crate::predict::CompiledTree;
use crate::tree::majority;
use serde::Deserialize;

/// Description of the method for Python and the documentation.
pub const INFO: PruneInfo = PruneInfo {
    name: "error_based",
    class_name: "ErrorBased",
    text: "C4.5's pruning by the upper limit of the error of each leaf, as J48 does it.\n\n\
        A leaf with weight n and e errors is charged e plus the errors that C4.5 adds. With \
        confidence CF these are ``n (1 - CF^(1/n))`` for e = 0. From e = 1 on they are the normal \
        approximation with continuity correction, and linear in between. First, subtrees that save \
        no training error become leaves. Then, bottom-up, a node becomes a leaf where that costs \
        at most 0.1 more than the subtree and the raised branch. Else, with `subtree_raising`, its \
        heaviest branch takes its place where that costs at most 0.1 more than the subtree; all \
        rows of the node go down there.",
    source: "Quinlan (1993), C4.5: Programs for Machine Learning, chapter 4; margins as J48 in \
        Weka 3.6",
    costs: "estimated errors",
    options: &[
        OptionInfo {
            name: "confidence",
            default: "0.25",
            domain: OptionDomain::Number { low: Some(0.0), high: Some(0.5), closed: (false, true) },
            doc: "Confidence of the upper limit, in (0, 0.5]; smaller prunes more.",
            ..OptionInfo::PLAIN
        },
        OptionInfo {
            name: "subtree_raising",
            default: "true",
            domain: OptionDomain::Flag,
            doc: "Whether a node may be replaced by its heaviest branch; needs the training rows \
        (`fit` has them).",
            ..OptionInfo::PLAIN
        },
    ],
    rows: Some(("X and y, the training rows (or subtree_raising=False)", Some("subtree_raising"))),
    unweighed: Some("its limit is one of a proportion of errors"),
    targets: &[TargetKind::Classes],
    samples: &[
        r#"{"confidence": 0.25, "subtree_raising": false}"#,
        r#"{"confidence": 0.25, "subtree_raising": true}"#,
    ],
};

/// The method.
#[derive(Debug, Clone, Copy, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct ErrorBased {
    /// Confidence of the upper limit, in (0, 0.5].
    pub confidence: f64,
    /// Whether a node may be replaced by its heaviest branch.
    pub subtree_raising: bool,
}

impl Pruning for ErrorBased {
    fn check(&self) -> Result<()> {
        options::check(INFO.options, "confidence", self.confidence)
    }

    fn prune(&self, edited: &mut EditableTree, input: &PruneInput<'_>) -> Result<()> {
        if !self.subtree_raising {
            return prune(edited, self.confidence, None, input.control);
        }
        let supported = "the training rows, or subtree_raising=False";
        let rows = input.needed_rows("subtree_raising=True", supported)?;
        let compiled = &CompiledTree::new(input.tree, input.schema)?;
        prune(edited, self.confidence, Some(Raising { compiled, rows }), input.control)
    }
}

/// Estimated errors by which a smaller tree may exceed a larger one and still replace it (J48).
const MARGIN: f64 = 0.1;
/// Tolerance of comparisons, as in Weka.
const EQUAL: f64 = 1e-6;
/// Training errors that a subtree must save, or it becomes a leaf at the end of growth.
const LEAST_SAVED: f64 = 1e-3;
/// Share of the tree's weight by which the class counts of a node may differ from the counts of
/// the rows sent down to it.
const COUNT_TOLERANCE: f64 = 1e-9;
/// Tolerance where fractions of rows are sent down: products of shares are rounded at every level.
const FRACTION_TOLERANCE: f64 = 1e-4;

/// Errors added to `e` observed ones in weight `n`: the limit that a binomial proportion exceeds
/// with probability `confidence`. Exact for `e = 0`, a normal approximation with continuity
/// correction from `e = 1` on, and linear in between. Named as in C4.5: `f` is the observed
/// proportion, `z` the quantile of the normal distribution.
pub fn added_errors(n: f64, e: f64, confidence: f64) -> f64 {
    let without_errors = n * (1.0 - (confidence.ln() / n).exp());
    if e < EQUAL {
        return without_errors;
    }
    if e < 1.0 {
        return without_errors + e * (added_errors(n, 1.0, confidence) - without_errors);
    }
    if e + 0.5 >= n {
        return (n - e).max(0.0);
    }
    let z = normal::quantile(1.0 - confidence);
    let f = (e + 0.5) / n;
    let spread = z * (f / n - f * f / n + z * z / (4.0 * n * n)).sqrt();
    (f + z * z / (2.0 * n) + spread) / (1.0 + z * z / n) * n - e
}

/// A row, or a fraction of one, that reached a node.
#[derive(Debug, Clone, Copy)]
struct WeightedRow {
    row: u32,
    /// The row's weight times its fraction.
    weight: f64,
}

/// The training rows, and the original tree by which they are sent down.
#[derive(Clone, Copy)]
struct Raising<'r> {
    compiled: &'r CompiledTree,
    rows: &'r PruneRows<'r>,
}

impl Raising<'_> {
    /// Class of a row.
    fn class(&self, row: u32) -> usize {
        usize::from(self.rows.data.classes()[row as usize])
    }
}

/// The state of pruning one tree; arrays are indexed by node.
struct Pruner<'e, 'r> {
    edited: &'e mut EditableTree,
    confidence: f64,
    /// Without it, no branch is raised.
    raising: Option<Raising<'r>>,
    /// Whether fractions of rows are sent down, because missing values take all branches.
    is_fractional: bool,
    /// Rows in each leaf.
    rows_of_leaf: Vec<Vec<WeightedRow>>,
    /// Estimated errors of each subtree, once it is decided.
    estimate: Vec<f64>,
    /// Class counts of leaves while a raise is tried; zero between uses.
    trial_counts: Vec<f64>,
}

/// A step of the bottom-up walk.
enum PruneTask {
    /// The subtree of the node is not looked at yet.
    Visit(u32),
    /// All branches of the node are decided.
    Decide(u32),
}

/// Collapse, then prune bottom-up; with `raising` branches may be raised.
///
/// # Errors
/// [`Error::Data`] if the rows are not the rows that the tree was grown on, and
/// [`Error::Cancelled`].
fn prune(
    edited: &mut EditableTree,
    confidence: f64,
    raising: Option<Raising<'_>>,
    control: &Control,
) -> Result<()> {
    collapse(edited);
    let n_nodes = edited.nodes.len();
    let n_trial_counts = if raising.is_some() { n_nodes * edited.classes } else { 0 };
    let inner = edited.nodes.iter().filter(|node| node.n_children > 0);
    let tested: Vec<usize> = inner.map(|node| node.feature as usize).collect();
    let mut pruner = Pruner {
        edited,
        confidence,
        raising,
        is_fractional: raising
            .is_some_and(|r| r.compiled.divides_missing() && has_missing_values(&tested, r.rows)),
        rows_of_leaf: vec![Vec::new(); n_nodes],
        estimate: vec![0.0; n_nodes],
        trial_counts: vec![0.0; n_trial_counts],
    };
    pruner.distribute_rows(control)?;
    let mut tasks = vec![PruneTask::Visit(0)];
    while let Some(task) = tasks.pop() {
        match task {
            PruneTask::Visit(i) if pruner.edited.is_leaf(i as usize) => {
                pruner.estimate[i as usize] = pruner.estimate_as_leaf(i as usize);
            }
            PruneTask::Visit(i) => {
                tasks.push(PruneTask::Decide(i));
                let children = pruner.edited.children(i as usize);
                tasks.extend(children.iter().rev().map(|&child| PruneTask::Visit(child)));
            }
            PruneTask::Decide(i) => {
                control.check()?;
                if pruner.decide(i as usize) {
                    tasks.push(PruneTask::Visit(i));
                }
            }
        }
    }
    Ok(())
}

/// Whether one of these features has missing values.
fn has_missing_values(features: &[usize], rows: &PruneRows<'_>) -> bool {
    features.iter().any(|&feature| match &rows.data.columns()[feature] {
        Column::Numeric(column) => column.n_missing() > 0,
        Column::Nominal(column) => column.n_missing() > 0,
    })
}

/// Make leaves of subtrees that save (almost) no training errors. C4.5 does this at the end of
/// growth, before any pruning, also if pruning is off. O(nodes x classes).
pub(super) fn collapse(edited: &mut EditableTree) {
    // Training errors of every subtree, bottom-up.
    let mut errors = vec![0.0; edited.nodes.len()];
    for i in edited.bottom_up() {
        errors[i] =
            if edited.is_leaf(i) { edited.errors(i) } else { edited.sum_over_children(i, &errors) };
    }
    // Top-down, so that the account names the largest subtree.
    let mut stack = vec![0_u32];
    while let Some(i) = stack.pop() {
        let i = i as usize;
        if edited.is_leaf(i) {
            continue;
        }
        let leaf = edited.errors(i);
        if errors[i] >= leaf - LEAST_SAVED {
            edited.make_leaf(i, Costs::leaf_or_tree(leaf, errors[i]));
        } else {
            stack.extend(edited.children(i).iter().rev());
        }
    }
}

impl Pruner<'_, '_> {
    /// Send all rows down to the leaves, and check that they are the rows of the tree's counts.
    fn distribute_rows(&mut self, control: &Control) -> Result<()> {
        let Some(raising) = self.raising else { return Ok(()) };
        let Raising { compiled, rows } = raising;
        let mut sums = vec![0.0; self.edited.classes];
        for chunk in rows.rows.chunks(1024) {
            control.check()?;
            for &row in chunk {
                let weight = rows.weights.value(row);
                sums[raising.class(row)] += weight;
                if !self.is_fractional {
                    let leaf = self.leaf_from(0, row);
                    self.rows_of_leaf[leaf].push(WeightedRow { row, weight });
                    continue;
                }
                let (nodes, rows_of_leaf) = (&self.edited.nodes, &mut self.rows_of_leaf);
                // The compiled tree still has the nodes below a collapsed one, which are visited
                // right after it and skipped.
                let mut last_leaf = u32::MAX;
                compiled.spread(rows.data, row as usize, 0, &mut |node, fraction, _| {
                    let below = last_leaf != u32::MAX
                        && node > last_leaf
                        && compiled.is_below(node, last_leaf);
                    if !below && nodes[node as usize].n_children == 0 {
                        let weight = fraction * weight;
                        rows_of_leaf[node as usize].push(WeightedRow { row, weight });
                        last_leaf = node;
                    }
                });
            }
        }
        self.check_counts(0, &sums, COUNT_TOLERANCE)?;
        let tolerance = if self.is_fractional { FRACTION_TOLERANCE } else { COUNT_TOLERANCE };
        let mut leaves = self.edited.order();
        leaves.retain(|&i| self.edited.is_leaf(i as usize));
        leaves.iter().try_for_each(|&i| {
            let sums = self.class_sums(&self.rows_of_leaf[i as usize]);
            self.check_counts(i as usize, &sums, tolerance)
        })
    }

    /// Refuse rows whose class weights `sums` in a node differ from the node's counts by more than
    /// `tolerance` times the weight of the tree.
    fn check_counts(&self, node: usize, sums: &[f64], tolerance: f64) -> Result<()> {
        let (counts, total) = (self.edited.counts(node), self.edited.weight(0));
        if counts.iter().zip(sums).all(|(count, sum)| (count - sum).abs() <= tolerance * total) {
            return Ok(());
        }
        let place = if node == 0 { "the tree".into() } else { format!("leaf {node}") };
        Err(Error::Data(format!(
            "subtree raising needs the rows that the tree was grown on: their class counts in \
             {place} are {sums:?}, those of \
             the training rows {counts:?}; give the training rows (and weights), or choose \
             subtree_raising=False"
        )))
    }

    /// The leaf that a whole row reaches from a node of the edited tree.
    fn leaf_from(&self, node: usize, row: u32) -> usize {
        let Some(Raising { compiled, rows }) = self.raising else { return node };
        let mut node = node;
        while !self.edited.is_leaf(node) {
            node = compiled.child(rows.data, row as usize, self.edited.origin[node]) as usize;
        }
        node
    }

    /// Estimated errors of a leaf with weight `n` and `e` training errors; 0 if it is empty.
    fn estimate_errors(&self, n: f64, e: f64) -> f64 {
        if n < EQUAL { 0.0 } else { e + added_errors(n, e, self.confidence) }
    }

    /// Estimated errors of a node as a leaf.
    fn estimate_as_leaf(&self, node: usize) -> f64 {
        self.estimate_errors(self.edited.weight(node), self.edited.errors(node))
    }

    /// Rows in the leaves below a node, without the rows below its branch `except`. Fractions of
    /// one row are added up.
    fn rows_below(&self, node: usize, except: Option<usize>) -> Vec<WeightedRow> {
        let (mut stack, mut rows) = (vec![node], Vec::new());
        while let Some(i) = stack.pop() {
            if Some(i) != except {
                rows.extend_from_slice(&self.rows_of_leaf[i]);
                stack.extend(self.edited.children(i).iter().map(|&child| child as usize));
            }
        }
        if self.is_fractional {
            rows.sort_unstable_by_key(|part| part.row);
            rows.dedup_by(|later, first| {
                let is_same = later.row == first.row;
                if is_same {
                    first.weight += later.weight;
                }
                is_same
            });
        }
        rows
    }

    /// Send rows down from a node, in fractions where values are missing, as if no other rows were
    /// below it. `visit` gets each node (a parent before its children) and the rows that reach it.
    fn send_down(
        &self,
        node: usize,
        rows_of_node: Vec<WeightedRow>,
        mut visit: impl FnMut(usize, &[WeightedRow]),
    ) {
        let Some(Raising { compiled, rows }) = self.raising else { return };
        let mut stack = vec![(node, rows_of_node)];
        while let Some((node, arrived)) = stack.pop() {
            visit(node, &arrived);
            if self.edited.is_leaf(node) {
                continue;
            }
            let children = self.edited.children(node);
            let mut branches: Vec<Vec<WeightedRow>> = vec![Vec::new(); children.len()];
            let (mut without_value, mut weights) = (Vec::new(), vec![0.0; children.len()]);
            // Rows with a value take one branch each.
            let origin = self.edited.origin[node];
            for part in arrived {
                match compiled.child(rows.data, part.row as usize, origin) {
                    child if child == origin => without_value.push(part),
                    child => {
                        let branch = self.edited.nodes[child as usize].branch as usize;
                        weights[branch] += part.weight;
                        branches[branch].push(part);
                    }
                }
            }
            // Rows without one are divided among the branches by the weight of the others.
            let total: f64 = weights.iter().sum();
            let equal_share = 1.0 / children.len() as f64;
            for (branch, weight) in branches.iter_mut().zip(weights) {
                let share = if total < EQUAL { equal_share } else { weight / total };
                if share > EQUAL {
                    let part_of = |part: &WeightedRow| part.weight * share;
                    let rows = without_value.iter();
                    branch.extend(rows.map(|part| WeightedRow { weight: part_of(part), ..*part }));
                }
            }
            stack.extend(children.iter().map(|&child| child as usize).zip(branches).rev());
        }
    }

    /// Weight of each class among some rows.
    fn class_sums(&self, rows: &[WeightedRow]) -> Vec<f64> {
        let mut sums = vec![0.0; self.edited.classes];
        if let Some(raising) = self.raising {
            rows.iter().for_each(|part| sums[raising.class(part.row)] += part.weight);
        }
        sums
    }

    /// Estimated errors of a branch that receives all rows of its node, some in fractions.
    fn estimate_with_all_rows(&self, branch: usize, rows: Vec<WeightedRow>) -> f64 {
        let mut estimate = 0.0;
        self.send_down(branch, rows, |node, arrived| {
            if self.edited.is_leaf(node) {
                let sums = self.class_sums(arrived);
                let n: f64 = sums.iter().sum();
                estimate += self.estimate_errors(n, n - sums[majority(&sums)]);
            }
        });
        estimate
    }

    /// The heaviest branch of a node; on ties the last one, as in J48.
    fn heaviest_branch(&self, node: usize) -> usize {
        let (mut heaviest, mut most) = (0, f64::NEG_INFINITY);
        for &child in self.edited.children(node) {
            let weight = self.edited.weight(child as usize);
            if weight > most - EQUAL {
                (heaviest, most) = (child as usize, weight);
            }
        }
        heaviest
    }

    /// Estimated errors of a branch that receives the whole rows `others` in addition to its rows.
    /// Only the leaves that they reach are estimated again.
    fn estimate_with_others(&mut self, branch: usize, others: &[WeightedRow]) -> f64 {
        let Some(raising) = self.raising else { return f64::INFINITY };
        let classes = self.edited.classes;
        // Class counts of the others in each leaf that they reach.
        let mut reached = Vec::new();
        for &WeightedRow { row, weight } in others {
            let leaf = self.leaf_from(branch, row);
            let counts = &mut self.trial_counts[leaf * classes..(leaf + 1) * classes];
            if counts.iter().all(|&count| count == 0.0) {
                reached.push(leaf);
            }
            counts[raising.class(row)] += weight;
        }
        // The rows of the leaf are added, and a new estimate replaces the old one.
        let mut estimate = self.estimate[branch];
        for leaf in reached {
            let counts = &mut self.trial_counts[leaf * classes..(leaf + 1) * classes];
            counts.iter_mut().zip(self.edited.counts(leaf)).for_each(|(sum, own)| *sum += own);
            let n: f64 = counts.iter().sum();
            let e = n - counts[majority(counts)];
            counts.fill(0.0);
            estimate += self.estimate_errors(n, e) - self.estimate[leaf];
        }
        estimate
    }

    /// Decide about a node whose branches are decided; true when a branch was raised, so that the
    /// node must be visited again.
    fn decide(&mut self, node: usize) -> bool {
        // The errors of the node as a leaf, with its subtree, and with its heaviest branch alone.
        let leaf = self.estimate_as_leaf(node);
        let tree: f64 = self.edited.sum_over_children(node, &self.estimate);
        let heaviest = self.heaviest_branch(node);
        // The rows that the heaviest branch would receive: additional ones, or all rows again.
        let except = if self.is_fractional { None } else { Some(heaviest) };
        let moved = if self.raising.is_some() { self.rows_below(node, except) } else { Vec::new() };
        let branch = if self.is_fractional {
            self.estimate_with_all_rows(heaviest, moved.clone())
        } else {
            self.estimate_with_others(heaviest, &moved)
        };
        let is_at_most = |a: f64, b: f64| a <= b + EQUAL;
        if is_at_most(leaf, tree + MARGIN) && is_at_most(leaf, branch + MARGIN) {
            self.rows_of_leaf[node] = self.rows_below(node, None);
            let branch = if branch.is_finite() { branch } else { f64::NAN };
            self.edited.make_leaf(node, Costs { leaf, tree, branch });
            self.estimate[node] = leaf;
            return false;
        }
        if is_at_most(branch, tree + MARGIN) {
            self.edited.replace_by_branch(node, heaviest, Costs { leaf, tree, branch });
            if self.is_fractional {
                self.redistribute_rows(node, moved);
            } else {
                self.add_rows(node, heaviest, &moved);
            }
            self.relabel(node);
            return true;
        }
        self.estimate[node] = tree;
        false
    }

    /// After a raise of `branch` to `node`: send the whole rows `others` down as well.
    fn add_rows(&mut self, node: usize, branch: usize, others: &[WeightedRow]) {
        let Some(raising) = self.raising else { return };
        let Raising { compiled, rows } = raising;
        self.rows_of_leaf[node] = std::mem::take(&mut self.rows_of_leaf[branch]);
        let classes = self.edited.classes;
        for &part in others {
            let class = raising.class(part.row);
            let mut reached_node = node;
            loop {
                // The node has counted them before.
                if reached_node != node {
                    self.edited.counts[reached_node * classes + class] += part.weight;
                    self.edited.nodes[reached_node].rows += rows.weights.copied(&[part.row]);
                }
                if self.edited.is_leaf(reached_node) {
                    break;
                }
                let origin = self.edited.origin[reached_node];
                reached_node = compiled.child(rows.data, part.row as usize, origin) as usize;
            }
            self.rows_of_leaf[reached_node].push(part);
        }
    }

    /// After a raise to `node`: send all its rows down again, in fractions.
    fn redistribute_rows(&mut self, node: usize, all: Vec<WeightedRow>) {
        let Some(Raising { rows, .. }) = self.raising else { return };
        let classes = self.edited.classes;
        let mut reached = Vec::new();
        self.send_down(node, all, |reached_node, arrived| {
            let kept =
                if self.edited.is_leaf(reached_node) { arrived.to_vec() } else { Vec::new() };
            let copied = arrived.iter().map(|part| rows.weights.copied(&[part.row])).sum();
            reached.push((reached_node, self.class_sums(arrived), copied, kept));
        });
        for (reached_node, sums, n_rows, kept) in reached {
            if reached_node != node {
                self.edited.counts[reached_node * classes..(reached_node + 1) * classes]
                    .copy_from_slice(&sums);
                self.edited.nodes[reached_node].rows = n_rows;
            }
            self.rows_of_leaf[reached_node] = kept;
        }
    }

    /// Set the labels below a node whose branch was raised.
    fn relabel(&mut self, node: usize) {
        for i in self.edited.subtree(node) {
            let i = i as usize;
            if self.edited.nodes[i].rows > 0 {
                self.edited.nodes[i].label = majority(self.edited.counts(i)) as i32;
            } else if self.edited.nodes[i].label >= 0 {
                // An empty leaf has its parent's label, which is set before it in pre-order.
                let parent = self.edited.nodes[i].parent as usize;
                self.edited.nodes[i].label = self.edited.nodes[parent].label;
            }
        }
    }
}
