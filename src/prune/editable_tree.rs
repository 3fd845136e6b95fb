//! A tree that pruning can edit: nodes keep their numbers while some become unreachable.
//!
//! Every method of [`super`] works on it. Making a leaf or replacing a node by one of its branches
//! costs O(branches): a node refers to its children by a range of one array, and that range moves
//! with it. [`EditableTree::finish`] then numbers the nodes that are still reachable, in pre-order:
//! O(nodes log nodes), as the steps of growth are sorted. Each edit is recorded as a [`PruneStep`].

use crate::tree::{CostMatrix, NONE, Node, Outcome, Test, Threshold, Tree};
use std::iter::Sum;

/// The kind of an edit of a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// The node became a leaf.
    Leaf,
    /// The node was replaced by one of its branches.
    Raise,
    /// The node took over the test of a child on the same feature (see [`super::merge`]).
    Join,
}

impl Action {
    /// Its name in the account that Python shows. The names are public, as users read the account.
    pub fn name(self) -> &'static str {
        match self {
            Self::Leaf => "leaf",
            Self::Raise => "raise",
            Self::Join => "join",
        }
    }
}

/// One edit of the tree. Costs are in the units of the method (errors, shares of the rows, bits);
/// a cost that the method did not compute is NaN.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PruneStep {
    /// Node in the tree before pruning.
    pub node: u32,
    /// The kind of the edit.
    pub action: Action,
    /// The feature that the node tested before.
    pub feature: u32,
    /// Training rows of the node before pruning.
    pub rows: u32,
    /// Leaves below it before pruning.
    pub leaves: u32,
    /// Cost of the node as a leaf.
    pub as_leaf: f64,
    /// Cost of the node's subtree before the edit.
    pub as_tree: f64,
    /// Cost of the node if its heaviest branch replaces it; in cost-complexity pruning, `g` of the
    /// node.
    pub as_branch: f64,
}

/// Costs of the choices at a node, for the account.
#[derive(Debug, Clone, Copy)]
pub(super) struct Costs {
    /// The node as a leaf.
    pub leaf: f64,
    /// The node with its subtree.
    pub tree: f64,
    /// The heaviest branch of the node, if it replaces the node.
    pub branch: f64,
}

impl Costs {
    /// Costs for a method that only compares the leaf with the subtree. The cost of the heaviest
    /// branch is NaN, which says in the account that it was not computed.
    pub fn leaf_or_tree(leaf: f64, tree: f64) -> Self {
        Self { leaf, tree, branch: f64::NAN }
    }
}

/// Facts about a node before pruning, for the account.
#[derive(Debug)]
struct OriginalNode {
    feature: u32,
    rows: u32,
    /// Leaves of its subtree.
    leaves: u32,
}

/// A pruned tree and the edits that led to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Pruned {
    /// The tree.
    pub tree: Tree,
    /// The edits, in the order in which they were made; `node` numbers the tree before pruning.
    pub account: Vec<PruneStep>,
}

/// A tree under pruning; arrays are indexed by the node numbers of the original tree.
#[derive(Debug)]
pub(super) struct EditableTree {
    /// All nodes: the reachable ones, and the ones that were cut off.
    pub nodes: Vec<Node>,
    /// Children of all nodes, see [`Node::first_child`].
    pub children: Vec<u32>,
    /// Levels that subset tests list.
    levels: Vec<u32>,
    /// Costs of errors; without them each error costs 1.
    pub costs: Option<CostMatrix>,
    /// Training weight: `counts[node * classes + class]`.
    pub counts: Vec<f64>,
    /// Number of declared classes; 1 for a numeric target.
    pub classes: usize,
    /// The outcome of each node for a numeric target; empty for classes.
    pub outcomes: Vec<Outcome>,
    /// Node of the original tree whose test this node has.
    pub origin: Vec<u32>,
    /// The nodes before pruning.
    original: Vec<OriginalNode>,
    /// The edits so far.
    account: Vec<PruneStep>,
}

impl EditableTree {
    /// An editable copy of a tree. The tree itself is not changed. Errors cost 1 each until the
    /// caller sets `costs`. O(nodes x classes).
    pub fn new(tree: &Tree) -> Self {
        let n_nodes = tree.nodes.len();
        let mut leaves: Vec<u32> = (0..n_nodes).map(|i| u32::from(tree.is_leaf(i))).collect();
        // In pre-order a child has a larger number than its parent.
        for i in (1..n_nodes).rev() {
            leaves[tree.nodes[i].parent as usize] += leaves[i];
        }
        let original = tree.nodes.iter().zip(leaves).map(|(node, leaves)| OriginalNode {
            feature: node.feature,
            rows: node.rows,
            leaves,
        });
        Self {
            nodes: tree.nodes.clone(),
            children: tree.children.clone(),
            levels: tree.levels.clone(),
            costs: None,
            counts: tree.counts.clone(),
            classes: tree.classes,
            outcomes: tree.outcomes.clone(),
            origin: (0..n_nodes as u32).collect(),
            original: original.collect(),
            account: Vec::new(),
        }
    }

    /// Whether a node is a leaf by now. Nodes that were cut off keep their state, so the answer
    /// says nothing about whether the node is still reachable.
    pub fn is_leaf(&self, node: usize) -> bool {
        self.nodes[node].n_children == 0
    }

    /// Children of a node in branch order. They are node numbers of the tree before pruning; a leaf
    /// has none.
    pub fn children(&self, node: usize) -> &[u32] {
        let first = self.nodes[node].first_child as usize;
        &self.children[first..first + self.nodes[node].n_children as usize]
    }

    /// The sum of a quantity over the children of a node; `by_node` holds it for every node.
    pub fn sum_over_children<T: Copy + Sum>(&self, node: usize, by_node: &[T]) -> T {
        self.children(node).iter().map(|&child| by_node[child as usize]).sum()
    }

    /// Training weight of each class in a node. They are changed by [`Self::merge_tests`], and by
    /// the caller of [`Self::replace_by_branch`], who sends rows down another way.
    pub fn counts(&self, node: usize) -> &[f64] {
        &self.counts[node * self.classes..(node + 1) * self.classes]
    }

    /// Training weight of a node. It is summed from the class counts in each call, O(classes).
    pub fn weight(&self, node: usize) -> f64 {
        self.counts(node).iter().sum()
    }

    /// Training weight that a node misclassifies as a leaf, or the cost of these errors. If the
    /// node has no label, all of its weight is misclassified. The result is in units of weight or,
    /// with a cost matrix, of cost.
    pub fn errors(&self, node: usize) -> f64 {
        self.errors_among(node, self.counts(node))
    }

    /// Weight among the class counts `counts` that a node misclassifies as a leaf, or the cost of
    /// these errors. The counts need not be the node's own training counts: reduced-error pruning
    /// passes held-out rows, and the m-estimate passes smoothed counts.
    pub fn errors_among(&self, node: usize, counts: &[f64]) -> f64 {
        if let Some(costs) = &self.costs {
            return costs.cost(counts, self.nodes[node].label);
        }
        // A node without a label predicts nothing, so nothing is right.
        let n_right = usize::try_from(self.nodes[node].label).map_or(0.0, |label| counts[label]);
        counts.iter().sum::<f64>() - n_right
    }

    /// Reachable nodes in pre-order. The list is a copy, which later edits do not change.
    /// O(reachable nodes).
    pub fn order(&self) -> Vec<u32> {
        self.subtree(0)
    }

    /// Reachable nodes, all children before their parent. Most methods decide about a node after
    /// its branches. The list is made before the first node, and an edit only removes nodes that
    /// came earlier, so the tree may be edited in the loop.
    pub fn bottom_up(&self) -> impl Iterator<Item = usize> + use<> {
        self.order().into_iter().rev().map(|node| node as usize)
    }

    /// The nodes of the subtree of a node in pre-order, the node itself first. Nodes that were cut
    /// off are not listed. O(nodes of the subtree), with an explicit stack instead of recursion.
    pub fn subtree(&self, node: usize) -> Vec<u32> {
        let (mut stack, mut order) = (vec![node as u32], Vec::new());
        while let Some(i) = stack.pop() {
            order.push(i);
            stack.extend(self.children(i as usize).iter().rev());
        }
        order
    }

    /// Add an edit of a node to the account.
    fn record(&mut self, node: usize, action: Action, costs: Costs) {
        let &OriginalNode { feature, rows, leaves } = &self.original[node];
        self.account.push(PruneStep {
            node: node as u32,
            action,
            feature,
            rows,
            leaves,
            as_leaf: costs.leaf,
            as_tree: costs.tree,
            as_branch: costs.branch,
        });
    }

    /// Make a node a leaf; `costs` are the costs that led to it.
    pub fn make_leaf(&mut self, node: usize, costs: Costs) {
        self.record(node, Action::Leaf, costs);
        self.nodes[node] = self.nodes[node].as_leaf();
    }

    /// Replace `node` by one of its branches; `costs` are the costs that led to it. The node keeps
    /// its counts; the caller updates the counts of the nodes below.
    pub fn replace_by_branch(&mut self, node: usize, branch: usize, costs: Costs) {
        self.record(node, Action::Raise, costs);
        let (place, raised) = (self.nodes[node], self.nodes[branch]);
        self.nodes[node] = Node {
            parent: place.parent,
            branch: place.branch,
            label: place.label,
            rows: place.rows,
            ..raised
        };
        self.origin[node] = self.origin[branch];
        self.set_parent_of_children(node);
    }

    /// Merge two nested tests of one feature into one test of `node` with this threshold. `below`
    /// is the child of `node` on the other side than `kept`. The branch `kept` of `node` is a leaf,
    /// which takes over the counts of the same branch of `below`; the other branch of `below`
    /// becomes the other branch of `node`.
    pub fn merge_tests(&mut self, node: usize, below: usize, kept: usize, threshold: Threshold) {
        let unknown = f64::NAN;
        self.record(node, Action::Join, Costs { leaf: unknown, tree: unknown, branch: unknown });
        let (upper, lower) = (self.nodes[node], self.nodes[below]);
        let other = 1 - kept;
        let leaf = self.children(node)[kept] as usize;
        let added = self.children(below)[kept] as usize;
        for class in 0..self.classes {
            self.counts[leaf * self.classes + class] += self.counts[added * self.classes + class];
        }
        self.nodes[leaf].rows += self.nodes[added].rows;
        self.children[upper.first_child as usize + other] = self.children(below)[other];
        let joined = &mut self.nodes[node];
        joined.test = Test::Threshold(threshold);
        if upper.missing_branch as usize == other {
            joined.missing_branch = lower.missing_branch;
        }
        self.set_parent_of_children(node);
    }

    /// Point the children of a node, whose range has moved, back to it.
    fn set_parent_of_children(&mut self, node: usize) {
        let Node { first_child, n_children, .. } = self.nodes[node];
        for branch in 0..n_children {
            let child = self.children[(first_child + branch) as usize] as usize;
            self.nodes[child].parent = node as u32;
            self.nodes[child].branch = branch;
        }
    }

    /// The reachable nodes as a tree in pre-order, and the account. Steps of growth are renumbered
    /// without gaps; entries on nodes that became unreachable later are dropped.
    pub fn finish(self) -> Pruned {
        let order = self.order();
        // New number of each node.
        let mut new_number = vec![NONE; self.nodes.len()];
        order.iter().enumerate().for_each(|(new, &old)| new_number[old as usize] = new as u32);
        let mut steps: Vec<u32> =
            order.iter().map(|&i| self.nodes[i as usize].step).filter(|&s| s != NONE).collect();
        steps.sort_unstable();
        let mut tree = Tree::empty(self.classes);
        tree.nodes.reserve(order.len());
        tree.counts.reserve(order.len() * self.classes);
        for &old in &order {
            let mut node = self.nodes[old as usize];
            if node.step != NONE {
                node.step = steps.partition_point(|&s| s < node.step) as u32;
            }
            tree.counts.extend_from_slice(self.counts(old as usize));
            tree.outcomes.extend(self.outcomes.get(old as usize));
            node.test = tree.copy_levels(node.test, &self.levels);
            tree.nodes.push(node);
        }
        tree.link();
        let mut account = self.account;
        account.retain(|step| new_number[step.node as usize] != NONE);
        Pruned { tree, account }
    }
}
