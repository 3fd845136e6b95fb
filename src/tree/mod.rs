//! A decision tree: an arena of nodes in pre-order.
//!
//! Growth writes it, pruning edits it, prediction compiles it ([`crate::predict::CompiledTree`]),
//! and [`crate::store`] saves it. Node 0 is the root. Children of a node are listed in branch
//! order: the values of a nominal feature; `<=` before `>`; the listed levels before the others;
//! the branch of missing values last. Every traversal is a loop, so the depth of a tree is not
//! limited by a stack.
//!
//! A row with a missing value takes one branch (a separate branch for missing values, or the
//! heaviest), or a fraction of it takes each branch ([`ALL`]). The fractions are not stored: they
//! are the shares of the children in their common weight, which stay right when a tree is pruned.

mod costs;
mod walk;

pub use costs::CostMatrix;
pub use walk::Shape;

/// No node, or no branch.
pub const NONE: u32 = u32::MAX;

/// In [`Node::missing_branch`]: all branches, in fractions (C4.5). A row whose value is missing
/// goes down every branch with the branch's share of the training weight ([`Tree::shares`]). Counts
/// of the children are then sums of fractions, and `rows` counts the rows of which a fraction
/// arrived.
pub const ALL: u32 = u32::MAX - 1;

/// A threshold of a numeric feature. Rows are divided by `reach`; texts and plots show `at`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Threshold {
    /// The nominal threshold.
    pub at: f64,
    /// The largest number on the first branch: `at`, or slightly more where J48 keeps nearly equal
    /// numbers together.
    pub reach: f64,
}

impl From<f64> for Threshold {
    /// A threshold that divides rows exactly at `at`.
    fn from(at: f64) -> Self {
        Self { at, reach: at }
    }
}

/// The test of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Test {
    /// No test: a leaf.
    Leaf,
    /// `x <= t`, then `x > t`.
    Threshold(Threshold),
    /// One branch for each declared value or bin.
    Multiway,
    /// Two branches for the levels of a nominal feature: first the levels that
    /// `Tree::levels[first..first + len]` lists in ascending order ([`Tree::subset`]), then all
    /// other declared levels.
    Subset {
        /// First index into [`Tree::levels`].
        first: u32,
        /// Number of levels listed.
        len: u32,
    },
    /// One branch for each group of declared values or bins: `Tree::levels[first..first + len]` has
    /// the branch of each of them ([`Tree::groups`]). Missing values may share any of them.
    Groups {
        /// First index into [`Tree::levels`].
        first: u32,
        /// Number of declared values or bins.
        len: u32,
    },
}

impl Test {
    /// The test for a tree whose lists of levels start `shift` places later. Tests without a list
    /// stay as they are. Growth needs it when it appends the list of a split to the lists of the
    /// tree.
    pub fn shifted(self, shift: u32) -> Self {
        match self {
            Self::Subset { first, len } => Self::Subset { first: first + shift, len },
            Self::Groups { first, len } => Self::Groups { first: first + shift, len },
            test => test,
        }
    }
}

/// The position of a node in its tree.
#[derive(Debug, Clone, Copy)]
pub struct NodePosition {
    /// Parent, [`NONE`] for the root.
    pub parent: u32,
    /// Which branch of the parent the node is.
    pub branch: u32,
    /// Distance from the root.
    pub depth: u32,
}

impl NodePosition {
    /// The position of the root.
    pub const ROOT: Self = Self { parent: NONE, branch: 0, depth: 0 };
}

/// The test of independence of a feature and the target on the rows of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct FeatureTest {
    /// The statistic.
    pub statistic: f64,
    /// The natural logarithm of the p-value, adjusted for the number of tested features.
    pub log_p: f64,
}

/// One node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Node {
    /// Parent, [`NONE`] for the root.
    pub parent: u32,
    /// Which branch of the parent the node is.
    pub branch: u32,
    /// Distance from the root.
    pub depth: u32,
    /// The test.
    pub test: Test,
    /// Feature that is tested (0 in a leaf).
    pub feature: u32,
    /// First index into [`Tree::children`].
    pub first_child: u32,
    /// Number of branches.
    pub n_children: u32,
    /// Branch of rows whose value is missing: a separate branch, the heaviest one, or [`ALL`].
    pub missing_branch: u32,
    /// Predicted class, or -1 when the leaf predicts nothing.
    pub label: i32,
    /// Training rows that reached the node.
    pub rows: u32,
    /// Position of the split in the order of growth, from 0; [`NONE`] in a leaf.
    pub step: u32,
    /// Score of the split by the criterion.
    pub score: f64,
    /// Distance of the split's partition to the classes, by the criterion.
    pub distance: f64,
    /// The test of the feature that is split, or of the most significant one of a leaf; `None`
    /// where no test was made.
    pub significance: Option<FeatureTest>,
}

impl Node {
    /// A leaf with the label that it predicts and the number of training rows that reached it. A
    /// `label` of -1 says that it predicts nothing. Links are empty, and score and distance are 0.
    pub fn leaf(position: NodePosition, label: i32, rows: u32) -> Self {
        let NodePosition { parent, branch, depth } = position;
        Self {
            parent,
            branch,
            depth,
            test: Test::Leaf,
            feature: 0,
            first_child: 0,
            n_children: 0,
            missing_branch: NONE,
            label,
            rows,
            step: NONE,
            score: 0.0,
            distance: 0.0,
            significance: None,
        }
    }

    /// The node without its test and its children. Its position, label, rows and test of
    /// significance stay. The nodes below it are not removed, so the caller must drop them or
    /// renumber the tree.
    pub fn as_leaf(self) -> Self {
        let Self { parent, branch, depth, label, rows, first_child, significance, .. } = self;
        let leaf = Self::leaf(NodePosition { parent, branch, depth }, label, rows);
        Self { first_child, significance, ..leaf }
    }
}

/// The prediction of a node for a numeric target, and the spread of its rows.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub struct Outcome {
    /// The number that the node predicts: the mean of its rows, or their quantile.
    pub value: f64,
    /// The impurity of its rows by the criterion.
    pub impurity: f64,
    /// The mean of the squared differences from the mean.
    pub variance: f64,
}

impl Outcome {
    /// The outcome of a child of this node that no training row reached: it predicts the same.
    pub fn for_empty_child(self) -> Self {
        Self { value: self.value, ..Self::default() }
    }
}

/// A tree: its nodes, and the lists to which they refer.
#[derive(Debug, Clone, PartialEq)]
pub struct Tree {
    /// Nodes in pre-order.
    pub nodes: Vec<Node>,
    /// Children of all inner nodes, see [`Node::first_child`].
    pub children: Vec<u32>,
    /// Levels that subset tests list, and branches of levels, one list after the other in node
    /// order.
    pub levels: Vec<u32>,
    /// Class counts (rows or weight) of each node: `counts[node * classes + class]`.
    pub counts: Vec<f64>,
    /// Number of declared classes; 1 for a numeric target, whose count is the weight.
    pub classes: usize,
    /// The outcome of each node for a numeric target; empty for classes.
    pub outcomes: Vec<Outcome>,
}

impl Tree {
    /// Class counts of a node. For a numeric target this is a single number, the weight of the
    /// node's rows. All counts are 0 if no training row reached the node; see [`Self::evidence`].
    #[inline]
    pub fn counts(&self, node: usize) -> &[f64] {
        &self.counts[node * self.classes..(node + 1) * self.classes]
    }

    /// Children of a node in branch order. They are node numbers; a leaf has none. The first child
    /// of an inner node is always the next node.
    #[inline]
    pub fn children(&self, node: usize) -> &[u32] {
        let Node { first_child, n_children, .. } = self.nodes[node];
        &self.children[first_child as usize..(first_child + n_children) as usize]
    }

    /// Levels that a subset test sends to the first branch, ascending; none for other tests.
    pub fn subset(&self, node: usize) -> Option<&[u32]> {
        let Test::Subset { first, len } = self.nodes[node].test else { return None };
        Some(&self.levels[first as usize..][..len as usize])
    }

    /// Branch of each level or bin where a test sends groups of them down one branch; none for
    /// other tests.
    pub fn groups(&self, node: usize) -> Option<&[u32]> {
        let Test::Groups { first, len } = self.nodes[node].test else { return None };
        Some(&self.levels[first as usize..][..len as usize])
    }

    /// A tree without nodes, to be filled. `classes` is the number of declared classes, or 1 for a
    /// numeric target. Callers that push nodes without their links must call [`Self::link`] at the
    /// end.
    pub fn empty(classes: usize) -> Self {
        Self {
            nodes: Vec::new(),
            children: Vec::new(),
            levels: Vec::new(),
            counts: Vec::new(),
            classes,
            outcomes: Vec::new(),
        }
    }

    /// A tree that grew by classes made of a numeric target, as a tree of that target. The outcomes
    /// of its nodes are not known yet: the caller sets them.
    pub fn into_regression(mut self) -> Self {
        let weights = self.counts.chunks_exact(self.classes).map(|node| node.iter().sum());
        self.counts = weights.collect();
        self.classes = 1;
        self.nodes.iter_mut().for_each(|node| node.label = node.label.min(0));
        self.outcomes = vec![Outcome::default(); self.nodes.len()];
        self
    }

    /// Whether the target is a number. Only such a tree has outcomes, so a tree without nodes
    /// counts as a tree of classes.
    pub fn is_regression(&self) -> bool {
        !self.outcomes.is_empty()
    }

    /// The outcome of a node, if the target is a number. `None` for a target of classes, whose
    /// nodes are described by counts and a label.
    pub fn outcome(&self, node: usize) -> Option<&Outcome> {
        self.outcomes.get(node)
    }

    /// Copy the list of a test in `from` to the end of this tree's lists, and return the test that
    /// refers to it there. Tests without a list are returned as they are.
    pub fn copy_levels(&mut self, test: Test, from: &[u32]) -> Test {
        let start = self.levels.len() as u32;
        let (list, copied) = match test {
            Test::Subset { first, len } => (first..first + len, Test::Subset { first: start, len }),
            Test::Groups { first, len } => (first..first + len, Test::Groups { first: start, len }),
            test => return test,
        };
        self.levels.extend_from_slice(&from[list.start as usize..list.end as usize]);
        copied
    }

    /// Whether a node is a leaf. It is a leaf if it has no branches, O(1).
    pub fn is_leaf(&self, node: usize) -> bool {
        self.nodes[node].n_children == 0
    }

    /// Share of each branch in the training weight of a node, in branch order; equal shares if the
    /// branches have no weight.
    pub fn shares(&self, node: usize) -> impl Iterator<Item = f64> {
        let children = self.children(node);
        let weight = |&child: &u32| self.counts(child as usize).iter().sum::<f64>();
        let total: f64 = children.iter().map(weight).sum();
        let equal = 1.0 / children.len().max(1) as f64;
        children.iter().map(move |child| if total > 0.0 { weight(child) / total } else { equal })
    }

    /// Send missing values down all branches of every inner node ([`ALL`]). Plans that divide rows
    /// without a value do so after growth, also for tests whose training rows all had a value: a
    /// row without one is divided in prediction.
    #[inline]
    pub fn divide_missing(&mut self) {
        self.nodes.iter_mut().filter(|n| n.n_children > 0).for_each(|n| n.missing_branch = ALL);
    }

    /// Whether a missing value takes all branches at some node. If not, every row ends in exactly
    /// one leaf. O(nodes).
    #[inline]
    pub fn divides_missing(&self) -> bool {
        self.nodes.iter().any(|n| n.missing_branch == ALL)
    }

    /// The class counts from which a prediction is computed: the counts of the node or, if no
    /// training row reached it, the counts of its nearest ancestor with training rows.
    pub fn evidence(&self, node: usize) -> &[f64] {
        let mut node = node;
        while self.nodes[node].parent != NONE && self.counts(node).iter().all(|&n| n == 0.0) {
            node = self.nodes[node].parent as usize;
        }
        self.counts(node)
    }
}

/// Factor by which a count must exceed another to be larger: sums of fractions of rows that are
/// equal in exact arithmetic may differ by rounding.
const LARGER: f64 = 1.0 + 1e-11;

/// Set all shares that [`majority`] takes for equal to the largest one to that number, so that the
/// first maximum is the majority. Otherwise a user who takes the position of the maximum could get
/// another class than the label, where sums of fractions differ by rounding.
pub fn equalise_largest(shares: &mut [f64]) {
    let largest = shares.iter().copied().fold(0.0, f64::max);
    shares.iter_mut().filter(|p| **p * LARGER >= largest).for_each(|p| *p = largest);
}

/// The class with the largest count; the lower one on ties.
#[inline]
pub fn majority(counts: &[f64]) -> usize {
    let mut best = 0;
    for (class, &count) in counts.iter().enumerate() {
        if count > counts[best] * LARGER {
            best = class;
        }
    }
    best
}
