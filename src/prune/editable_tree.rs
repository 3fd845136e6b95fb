//! A tree that can be edited: nodes keep their numbers while some of them fall out of reach.
//!
//! Making a leaf or putting a branch in the place of its parent is O(1): a node refers to its
//! children by a range of one array, and that range moves with it. [`EditableTree::finish`] numbers
//! what is still reachable, in pre-order.

use crate::tree::{CostMatrix, NONE, Node, Test, Threshold, Tree};

/// What was done to a node.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Action {
    /// It became a leaf.
    Leaf,
    /// One of its branches took its place.
    Raise,
    /// It took over the test below it on the same feature.
    Join,
}

impl Action {
    /// Its name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Leaf => "leaf",
            Self::Raise => "raise",
            Self::Join => "join",
        }
    }
}

/// One entry of the account. Costs are in the units of the method (errors, shares of the rows,
/// bits).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PruneStep {
    /// Node in the tree before pruning.
    pub node: u32,
    /// What was done.
    pub action: Action,
    /// The feature that the node asked for before.
    pub feature: u32,
    /// Training rows of the node before pruning.
    pub rows: u32,
    /// Leaves below it before pruning.
    pub leaves: u32,
    /// Cost as a leaf; NaN where it was not looked at.
    pub as_leaf: f64,
    /// Cost as it stood.
    pub as_tree: f64,
    /// Cost as its largest branch (`g` of the node, in cost-complexity pruning).
    pub as_branch: f64,
}

/// Costs that led to a cut.
#[derive(Debug, Clone, Copy)]
pub(super) struct Costs {
    pub leaf: f64,
    pub tree: f64,
    pub branch: f64,
}

/// A pruned tree and what was done to it.
#[derive(Debug, Clone, PartialEq)]
pub struct Pruned {
    /// The tree.
    pub tree: Tree,
    /// What was cut, by node of the tree before.
    pub account: Vec<PruneStep>,
}

/// The editable tree.
#[derive(Debug)]
pub(super) struct EditableTree {
    pub nodes: Vec<Node>,
    pub children: Vec<u32>,
    /// Levels that subset tests list.
    levels: Vec<u32>,
    /// What errors cost; 1 each without.
    pub costs: Option<CostMatrix>,
    pub counts: Vec<f64>,
    pub classes: usize,
    /// Node of the original tree whose test stands in this place.
    pub origin: Vec<u32>,
    original: Vec<(u32, u32, u32)>,
    account: Vec<PruneStep>,
}

impl EditableTree {
    pub fn new(tree: &Tree) -> Self {
        let n = tree.nodes.len();
        let mut leaves: Vec<u32> = (0..n).map(|i| u32::from(tree.is_leaf(i))).collect();
        for i in (1..n).rev() {
            leaves[tree.nodes[i].parent as usize] += leaves[i];
        }
        Self {
            nodes: tree.nodes.clone(),
            children: tree.children.clone(),
            levels: tree.levels.clone(),
            costs: None,
            counts: tree.counts.clone(),
            classes: tree.classes,
            origin: (0..n as u32).collect(),
            original: tree.nodes.iter().zip(leaves).map(|(n, l)| (n.feature, n.rows, l)).collect(),
            account: Vec::new(),
        }
    }

    pub fn is_leaf(&self, node: usize) -> bool {
        self.nodes[node].n_children == 0
    }

    pub fn children(&self, node: usize) -> &[u32] {
        let n = &self.nodes[node];
        &self.children[n.first_child as usize..(n.first_child + n.n_children) as usize]
    }

    pub fn counts(&self, node: usize) -> &[f64] {
        &self.counts[node * self.classes..(node + 1) * self.classes]
    }

    /// Training weight of a node.
    pub fn weight(&self, node: usize) -> f64 {
        self.counts(node).iter().sum()
    }

    /// Training weight that a node would get wrong as a leaf, or what its errors cost.
    pub fn errors(&self, node: usize) -> f64 {
        self.errors_among(node, self.counts(node))
    }

    /// Weight among `counts` that a node would get wrong as a leaf, or what its errors cost.
    pub fn errors_among(&self, node: usize, counts: &[f64]) -> f64 {
        if let Some(costs) = &self.costs {
            return costs.of(counts, self.nodes[node].label);
        }
        let right = usize::try_from(self.nodes[node].label).map_or(0.0, |label| counts[label]);
        counts.iter().sum::<f64>() - right
    }

    /// Reachable nodes in pre-order.
    pub fn order(&self) -> Vec<u32> {
        self.below(0)
    }

    /// Nodes of the subtree of a node in pre-order.
    pub fn below(&self, node: usize) -> Vec<u32> {
        let (mut stack, mut order) = (vec![node as u32], Vec::new());
        while let Some(i) = stack.pop() {
            order.push(i);
            stack.extend(self.children(i as usize).iter().rev());
        }
        order
    }

    /// Write an entry of the account.
    fn note(&mut self, node: usize, action: Action, costs: Costs) {
        let (feature, rows, leaves) = self.original[node];
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

    /// A node becomes a leaf.
    pub fn cut(&mut self, node: usize, costs: Costs) {
        self.note(node, Action::Leaf, costs);
        self.nodes[node] = self.nodes[node].as_leaf();
    }

    /// A branch takes the place of its parent; counts are the caller's business.
    pub fn raise(&mut self, node: usize, branch: usize, costs: Costs) {
        self.note(node, Action::Raise, costs);
        let (place, raised) = (self.nodes[node], self.nodes[branch]);
        self.nodes[node] = Node {
            parent: place.parent,
            branch: place.branch,
            label: place.label,
            rows: place.rows,
            ..raised
        };
        self.origin[node] = self.origin[branch];
        self.adopt(node);
    }

    /// The test below takes over: `node` keeps its branch `kept` (a leaf) and gets branch `other`
    /// of `below`.
    pub fn join(&mut self, node: usize, below: usize, kept: usize, threshold: Threshold) {
        let unknown = f64::NAN;
        self.note(node, Action::Join, Costs { leaf: unknown, tree: unknown, branch: unknown });
        let (upper, lower) = (self.nodes[node], self.nodes[below]);
        let other = 1 - kept;
        let leaf = self.children(node)[kept] as usize;
        let added = self.children(below)[kept] as usize;
        for c in 0..self.classes {
            self.counts[leaf * self.classes + c] += self.counts[added * self.classes + c];
        }
        self.nodes[leaf].rows += self.nodes[added].rows;
        self.children[upper.first_child as usize + other] = self.children(below)[other];
        let n = &mut self.nodes[node];
        n.test = Test::Threshold(threshold);
        if upper.missing_branch as usize == other {
            n.missing_branch = lower.missing_branch;
        }
        self.adopt(node);
    }

    fn adopt(&mut self, node: usize) {
        let n = self.nodes[node];
        for branch in 0..n.n_children {
            let child = self.children[(n.first_child + branch) as usize] as usize;
            self.nodes[child].parent = node as u32;
            self.nodes[child].branch = branch;
        }
    }

    /// The tree in pre-order, steps numbered without gaps, and the account of what still stands.
    pub fn finish(self) -> Pruned {
        let order = self.order();
        let mut number = vec![NONE; self.nodes.len()];
        order.iter().enumerate().for_each(|(i, &old)| number[old as usize] = i as u32);
        let mut steps: Vec<u32> =
            order.iter().map(|&i| self.nodes[i as usize].step).filter(|&s| s != NONE).collect();
        steps.sort_unstable();
        let mut tree = Tree::empty(self.classes);
        tree.nodes.reserve(order.len());
        tree.counts.reserve(order.len() * self.classes);
        for &old in &order {
            let mut node = self.nodes[old as usize];
            // what was raised to the root brought the depth that it had
            node.depth = 0;
            if node.parent != NONE {
                node.parent = number[node.parent as usize];
                let parent: &Node = &tree.nodes[node.parent as usize];
                node.depth = parent.depth + 1;
            }
            if node.step != NONE {
                node.step = steps.partition_point(|&s| s < node.step) as u32;
            }
            let children = self.children(old as usize);
            node.first_child = tree.children.len() as u32;
            tree.children.extend(children.iter().map(|&c| number[c as usize]));
            tree.counts.extend_from_slice(self.counts(old as usize));
            node.test = tree.adopt(node.test, &self.levels);
            tree.nodes.push(node);
        }
        let mut account = self.account;
        account.retain(|cut| number[cut.node as usize] != NONE);
        Pruned { tree, account }
    }
}
