//! Error-based pruning (Quinlan, C4.5, 1993, chapter 4) as J48 does it.
//!
//! A leaf with weight `n` and `e` errors is charged `e + added(n, e)`, the upper limit of a
//! binomial proportion at the given confidence ([`added_errors`]). First, subtrees that make no
//! fewer training errors than their node (less 0.001) become leaves. Then bottom-up, with `leaf`,
//! `tree`, `branch` the charges of a node as a leaf, as it stands, and as its heaviest branch with
//! *all* rows of the node sent down there:
//!
//! - `leaf <= tree + 0.1` and `leaf <= branch + 0.1`: a leaf;
//! - else `branch <= tree + 0.1`: the branch takes the node's place, the other rows are sent down
//!   there, and what stands there now is pruned again.
//!
//! Where missing values take all branches, fractions of rows walk; with the rows of the whole node
//! in a branch the shares of its own branches are others, so that all of them are sent down anew.
//!
//! Comparisons give way by 1e-6. Empty leaves are charged nothing. Only rows that are not in the
//! heaviest branch have to walk when a raise is weighed, and only the leaves they reach are charged
//! anew: O(rows x depth) a level at worst.
//!
//! When not to use it: on data where one leaf is one rule that must not be touched; and raising
//! needs the rows.

use super::editable_tree::{Costs, EditableTree};
use super::method::{PruneInfo, PruneInput, PruneRows, Pruning};
use super::quantile::normal_quantile;
use crate::data::Column;
use crate::error::{Error, Result};
use crate::options::{self, OptionDomain, OptionInfo};
use crate::parallel::Control;
use crate::predict::CompiledTree;
use crate::tree::majority;
use serde::Deserialize;

/// Facts about the method.
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
    /// Whether a node may be replaced by its largest branch.
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
        let walker = CompiledTree::new(input.tree, input.schema)?;
        prune(edited, self.confidence, Some((&walker, rows)), input.control)
    }
}

/// C4.5 prefers the smaller tree by this much.
const MARGIN: f64 = 0.1;
/// Numbers this close are equal.
const EQUAL: f64 = 1e-6;
/// Training errors that a subtree must save to survive growth.
const SAVED: f64 = 1e-3;

/// Errors added to `e` observed ones in weight `n`: the limit that a binomial proportion exceeds
/// with probability `confidence`, exact for `e = 0`, linear up to 1, a normal approximation with
/// continuity correction above.
pub fn added_errors(n: f64, e: f64, confidence: f64) -> f64 {
    let none = n * (1.0 - (confidence.ln() / n).exp());
    if e < EQUAL {
        return none;
    }
    if e < 1.0 {
        return none + e * (added_errors(n, 1.0, confidence) - none);
    }
    if e + 0.5 >= n {
        return (n - e).max(0.0);
    }
    let z = normal_quantile(1.0 - confidence);
    let f = (e + 0.5) / n;
    let spread = z * (f / n - f * f / n + z * z / (4.0 * n * n)).sqrt();
    (f + z * z / (2.0 * n) + spread) / (1.0 + z * z / n) * n - e
}

/// A row and the weight of the part of it that arrived.
type WeightedRow = (u32, f64);

/// A tree and the training rows in its leaves.
struct Pruner<'s, 'r> {
    edited: &'s mut EditableTree,
    confidence: f64,
    rows: Option<(&'r CompiledTree, &'r PruneRows<'r>)>,
    /// Fractions of rows walk.
    in_parts: bool,
    /// Rows of each leaf, and the weight of their parts.
    held: Vec<Vec<WeightedRow>>,
    /// Charge of each subtree.
    charge: Vec<f64>,
    /// Counts of the leaves of a branch with more rows; zero between uses.
    trial: Vec<f64>,
}

/// What to do next.
enum PruneTask {
    Visit(u32),
    Decide(u32),
}

/// Collapse, then cut bottom-up; raising when there are rows.
fn prune(
    edited: &mut EditableTree,
    confidence: f64,
    rows: Option<(&CompiledTree, &PruneRows<'_>)>,
    control: &Control,
) -> Result<()> {
    collapse(edited);
    let n = edited.nodes.len();
    let cells = if rows.is_some() { n * edited.classes } else { 0 };
    let asked: Vec<usize> =
        edited.nodes.iter().filter(|n| n.n_children > 0).map(|n| n.feature as usize).collect();
    let mut pruner = Pruner {
        edited,
        confidence,
        rows,
        in_parts: rows.is_some_and(|(walker, rows)| walker.is_shared() && has_gaps(&asked, rows)),
        held: vec![Vec::new(); n],
        charge: vec![0.0; n],
        trial: vec![0.0; cells],
    };
    pruner.distribute(control)?;
    let mut tasks = vec![PruneTask::Visit(0)];
    while let Some(task) = tasks.pop() {
        match task {
            PruneTask::Visit(i) if pruner.edited.is_leaf(i as usize) => {
                pruner.charge[i as usize] = pruner.as_leaf(i as usize);
            }
            PruneTask::Visit(i) => {
                tasks.push(PruneTask::Decide(i));
                tasks.extend(
                    pruner.edited.children(i as usize).iter().rev().map(|&c| PruneTask::Visit(c)),
                );
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
fn has_gaps(features: &[usize], rows: &PruneRows<'_>) -> bool {
    features.iter().any(|&f| match &rows.data.columns()[f] {
        Column::Numeric(c) => c.n_missing() > 0,
        Column::Nominal(c) => c.n_missing() > 0,
    })
}

/// Subtrees that save no training errors become leaves.
pub(super) fn collapse(edited: &mut EditableTree) {
    let order = edited.order();
    let mut errors = vec![0.0; edited.nodes.len()];
    for &i in order.iter().rev() {
        let i = i as usize;
        errors[i] = if edited.is_leaf(i) {
            edited.errors(i)
        } else {
            edited.children(i).iter().map(|&c| errors[c as usize]).sum()
        };
    }
    let mut stack = vec![0_u32];
    while let Some(i) = stack.pop() {
        let i = i as usize;
        if edited.is_leaf(i) {
            continue;
        }
        let leaf = edited.errors(i);
        if errors[i] >= leaf - SAVED {
            edited.cut(i, Costs { leaf, tree: errors[i], branch: f64::NAN });
        } else {
            stack.extend(edited.children(i).iter().rev());
        }
    }
}

impl Pruner<'_, '_> {
    /// Put the rows into the leaves; they must be those that the counts were made of.
    fn distribute(&mut self, control: &Control) -> Result<()> {
        let Some((walker, rows)) = self.rows else { return Ok(()) };
        let mut sums = vec![0.0; self.edited.classes];
        for chunk in rows.rows.chunks(1024) {
            control.check()?;
            for &r in chunk {
                let whole = rows.weights.value(r);
                sums[rows.data.classes()[r as usize] as usize] += whole;
                if !self.in_parts {
                    let leaf = self.leaf_from(0, r);
                    self.held[leaf].push((r, whole));
                    continue;
                }
                let (edited, held) = (&self.edited, &mut self.held);
                // What was collapsed into a leaf gets what its branches get.
                let mut cut = u32::MAX;
                let tree = &edited.nodes;
                walker.spread(rows.data, r as usize, 0, |node, part, _| {
                    let below = cut != u32::MAX && node > cut && walker.is_below(node, cut);
                    if !below && tree[node as usize].n_children == 0 {
                        held[node as usize].push((r, part * whole));
                        cut = node;
                    }
                });
            }
        }
        self.same_counts(0, &sums, 1e-9)?;
        // Parts are rounded on their way down.
        let near = if self.in_parts { 1e-4 } else { 1e-9 };
        let mut leaves = self.edited.order();
        leaves.retain(|&i| self.edited.is_leaf(i as usize));
        leaves.iter().try_for_each(|&i| {
            self.same_counts(i as usize, &self.sums(&self.held[i as usize]), near)
        })
    }

    /// Refuse rows whose class counts in a node are not the node's, up to a share of the tree's
    /// weight.
    fn same_counts(&self, node: usize, sums: &[f64], near: f64) -> Result<()> {
        let (counts, total) = (self.edited.counts(node), self.edited.weight(0));
        if counts.iter().zip(sums).all(|(a, b)| (a - b).abs() <= near * total) {
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

    /// The leaf that a row reaches from a node of the edited.
    fn leaf_from(&self, node: usize, row: u32) -> usize {
        let Some((walker, rows)) = self.rows else { return node };
        let mut node = node;
        while !self.edited.is_leaf(node) {
            node = walker.child(rows.data, row as usize, self.edited.origin[node]) as usize;
        }
        node
    }

    fn charged(&self, n: f64, e: f64) -> f64 {
        if n < EQUAL { 0.0 } else { e + added_errors(n, e, self.confidence) }
    }

    fn as_leaf(&self, node: usize) -> f64 {
        self.charged(self.edited.weight(node), self.edited.errors(node))
    }

    /// Rows below a node, leaf by leaf, without those below `except`.
    fn rows_below(&self, node: usize, except: usize) -> Vec<WeightedRow> {
        let (mut stack, mut found) = (vec![node], Vec::new());
        while let Some(i) = stack.pop() {
            if i != except {
                found.extend_from_slice(&self.held[i]);
                stack.extend(self.edited.children(i).iter().map(|&c| c as usize));
            }
        }
        if self.in_parts {
            // The parts of a row come together again.
            found.sort_unstable_by_key(|p| p.0);
            found.dedup_by(|later, first| {
                let same = later.0 == first.0;
                if same {
                    first.1 += later.1;
                }
                same
            });
        }
        found
    }

    /// Send parts of rows down from a node as if they were all that ever came there; `arrive` is
    /// told every node and what reaches it.
    fn pour(
        &self,
        node: usize,
        parts: Vec<WeightedRow>,
        mut arrive: impl FnMut(usize, &[WeightedRow]),
    ) {
        let Some((walker, rows)) = self.rows else { return };
        let mut stack = vec![(node, parts)];
        while let Some((at, parts)) = stack.pop() {
            arrive(at, &parts);
            if self.edited.is_leaf(at) {
                continue;
            }
            let children = self.edited.children(at);
            let mut branches: Vec<Vec<WeightedRow>> = vec![Vec::new(); children.len()];
            let (mut unknown, mut known) = (Vec::new(), vec![0.0; children.len()]);
            let asked = self.edited.origin[at];
            for part in parts {
                match walker.child(rows.data, part.0 as usize, asked) {
                    next if next == asked => unknown.push(part),
                    next => {
                        let branch = self.edited.nodes[next as usize].branch as usize;
                        known[branch] += part.1;
                        branches[branch].push(part);
                    }
                }
            }
            let all: f64 = known.iter().sum();
            for (branch, known) in branches.iter_mut().zip(known) {
                let share = if all < EQUAL { 1.0 / children.len() as f64 } else { known / all };
                if share > EQUAL {
                    branch.extend(unknown.iter().map(|&(r, w)| (r, w * share)));
                }
            }
            stack.extend(children.iter().map(|&c| c as usize).zip(branches).rev());
        }
    }

    fn sums(&self, parts: &[WeightedRow]) -> Vec<f64> {
        let mut sums = vec![0.0; self.edited.classes];
        if let Some((_, rows)) = self.rows {
            parts.iter().for_each(|&(r, w)| sums[rows.data.classes()[r as usize] as usize] += w);
        }
        sums
    }

    /// Charge of a branch that gets all rows of its node, some as fractions.
    fn as_whole_branch(&self, branch: usize, parts: Vec<WeightedRow>) -> f64 {
        let mut charge = 0.0;
        self.pour(branch, parts, |at, parts| {
            if self.edited.is_leaf(at) {
                let sums = self.sums(parts);
                let n: f64 = sums.iter().sum();
                charge += self.charged(n, n - sums[majority(&sums)]);
            }
        });
        charge
    }

    /// The heaviest branch (the last of equals, as J48).
    fn heaviest(&self, node: usize) -> usize {
        let mut best = (0, f64::NEG_INFINITY);
        for &c in self.edited.children(node) {
            let w = self.edited.weight(c as usize);
            if w > best.1 - EQUAL {
                best = (c as usize, w);
            }
        }
        best.0
    }

    /// Charge of a branch when other rows are sent down there, too.
    fn as_branch(&mut self, branch: usize, others: &[WeightedRow]) -> f64 {
        let Some((_, rows)) = self.rows else { return f64::INFINITY };
        let k = self.edited.classes;
        let mut touched = Vec::new();
        for &(r, w) in others {
            let leaf = self.leaf_from(branch, r);
            let trial = &mut self.trial[leaf * k..(leaf + 1) * k];
            if trial.iter().all(|&x| x == 0.0) {
                touched.push(leaf);
            }
            trial[rows.data.classes()[r as usize] as usize] += w;
        }
        let mut charge = self.charge[branch];
        for leaf in touched {
            let trial = &mut self.trial[leaf * k..(leaf + 1) * k];
            trial.iter_mut().zip(self.edited.counts(leaf)).for_each(|(t, c)| *t += c);
            let n: f64 = trial.iter().sum();
            let e = n - trial[majority(trial)];
            trial.fill(0.0);
            charge += self.charged(n, e) - self.charge[leaf];
        }
        charge
    }

    /// Decide about a node whose branches are decided; true when it was raised and must be visited
    /// again.
    fn decide(&mut self, node: usize) -> bool {
        let leaf = self.as_leaf(node);
        let tree: f64 = self.edited.children(node).iter().map(|&c| self.charge[c as usize]).sum();
        let heaviest = self.heaviest(node);
        let except = if self.in_parts { usize::MAX } else { heaviest };
        let others = if self.rows.is_some() { self.rows_below(node, except) } else { Vec::new() };
        let branch = match self.in_parts {
            true => self.as_whole_branch(heaviest, others.clone()),
            false => self.as_branch(heaviest, &others),
        };
        let at_most = |a: f64, b: f64| a <= b + EQUAL;
        if at_most(leaf, tree + MARGIN) && at_most(leaf, branch + MARGIN) {
            self.held[node] = self.rows_below(node, usize::MAX);
            let branch = if branch.is_finite() { branch } else { f64::NAN };
            self.edited.cut(node, Costs { leaf, tree, branch });
            self.charge[node] = leaf;
            return false;
        }
        if at_most(branch, tree + MARGIN) {
            let costs = Costs { leaf, tree, branch };
            match self.in_parts {
                true => self.raise_whole(node, heaviest, others, costs),
                false => self.raise(node, heaviest, &others, costs),
            }
            self.relabel(node);
            return true;
        }
        self.charge[node] = tree;
        false
    }

    /// A branch takes the place of its node, and the other rows walk down there.
    fn raise(&mut self, node: usize, branch: usize, others: &[WeightedRow], costs: Costs) {
        let Some((walker, rows)) = self.rows else { return };
        self.edited.raise(node, branch, costs);
        self.held[node] = std::mem::take(&mut self.held[branch]);
        let k = self.edited.classes;
        for &(r, w) in others {
            let class = rows.data.classes()[r as usize] as usize;
            let mut at = node;
            loop {
                if at != node {
                    self.edited.counts[at * k + class] += w;
                    self.edited.nodes[at].rows += 1;
                }
                if self.edited.is_leaf(at) {
                    break;
                }
                at = walker.child(rows.data, r as usize, self.edited.origin[at]) as usize;
            }
            self.held[at].push((r, w));
        }
    }

    /// Raise a branch where fractions of rows walk: all of them anew.
    fn raise_whole(&mut self, node: usize, branch: usize, parts: Vec<WeightedRow>, costs: Costs) {
        self.edited.raise(node, branch, costs);
        let k = self.edited.classes;
        let mut arrived = Vec::new();
        self.pour(node, parts, |at, parts| {
            let held = if self.edited.is_leaf(at) { parts.to_vec() } else { Vec::new() };
            arrived.push((at, self.sums(parts), parts.len() as u32, held));
        });
        for (at, sums, rows, held) in arrived {
            if at != node {
                self.edited.counts[at * k..(at + 1) * k].copy_from_slice(&sums);
                self.edited.nodes[at].rows = rows;
            }
            self.held[at] = held;
        }
    }

    /// Labels below a node whose branch was raised.
    fn relabel(&mut self, node: usize) {
        for i in self.edited.below(node) {
            let i = i as usize;
            if self.edited.nodes[i].rows > 0 {
                self.edited.nodes[i].label = majority(self.edited.counts(i)) as i32;
            } else if self.edited.nodes[i].label >= 0 {
                // An empty leaf speaks for its parent, which comes first in pre-order.
                self.edited.nodes[i].label =
                    self.edited.nodes[self.edited.nodes[i].parent as usize].label;
            }
        }
    }
}
