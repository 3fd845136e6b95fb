//! A subtree as arrays of numbers ([`PackedTree`]), which distributed growth sends from a worker
//! process to the client.
//!
//! A node is [`WORDS`] words of 64 bits, and reals are sent by their bits, so the client gets the
//! subtree that the worker grew to the last bit. O(nodes x classes). Finished trees are not sent
//! this way: they are models ([`crate::store`]).

use super::builder::{BuilderNode, NodeSplit, TreeBuilder};
use crate::error::{Error, Result};
use crate::stats::SentSum;
use crate::tree::{NONE, Test, Threshold};

/// Words per node.
const WORDS: usize = 14;

/// Kinds of tests, as the words of a node name them. A leaf has no split at all.
const NO_SPLIT: u64 = 0;
const NO_TEST: u64 = 1;
const THRESHOLD: u64 = 2;
const MULTIWAY: u64 = 3;
const SUBSET: u64 = 4;
const GROUPS: u64 = 5;

/// The nodes of a subtree, their class sums and the levels that their tests list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PackedTree {
    /// [`WORDS`] words per node, in this order: parent, branch, depth, rows, key; kind and two
    /// operands of the test; feature, first child, number of children, score, distance; at last
    /// `step << 32` with the branch of missing values. All words after the key are 0 where the node
    /// is not split.
    pub words: Vec<u64>,
    /// Class sums, node by node, as words ([`SentSum`]).
    pub sums: Vec<u32>,
    /// Levels of subset tests.
    pub levels: Vec<u32>,
}

impl PackedTree {
    /// Pack a subtree: nodes, class sums and levels in the order of their creation.
    /// [`Self::unpack`] is the inverse.
    pub(super) fn pack<S: SentSum>(tree: &TreeBuilder<S>) -> Self {
        let nodes = tree.nodes.iter().enumerate();
        let words = nodes.flat_map(|(i, node)| words_of(node, tree.split_of(i))).collect();
        Self { words, sums: S::to_words(&tree.sums), levels: tree.levels.clone() }
    }

    /// Unpack a subtree on `classes` classes, 1 for a numeric target.
    ///
    /// # Errors
    /// [`Error::Internal`] where the arrays do not have the sizes of a packed tree, or where a test
    /// is of an unknown kind. Other values are taken as they are.
    pub(super) fn unpack<S: SentSum>(self, classes: usize) -> Result<TreeBuilder<S>> {
        let (node_words, rest) = self.words.as_chunks::<WORDS>();
        let fits = rest.is_empty() && self.sums.len() == node_words.len() * classes * S::WORDS;
        if !fits || node_words.is_empty() {
            return Err(Error::Internal("a packed tree of another size".into()));
        }
        let (mut nodes, mut splits) = (Vec::with_capacity(node_words.len()), Vec::new());
        for words in node_words {
            let node_split = split_of(words)?;
            let split = if node_split.is_some() { splits.len() as u32 } else { NONE };
            splits.extend(node_split);
            let [parent, branch, depth, rows] = [0, 1, 2, 3].map(|i| words[i] as u32);
            nodes.push(BuilderNode { parent, branch, depth, rows, key: words[4], split });
        }
        Ok(TreeBuilder {
            nodes,
            splits,
            significance: Vec::new(),
            sums: S::from_words(&self.sums),
            levels: self.levels,
            labels: Vec::new(),
            classes,
            above: None,
        })
    }
}

/// The words of a node and of its split.
fn words_of(node: &BuilderNode, split: Option<&NodeSplit>) -> [u64; WORDS] {
    let mut words = [0; WORDS];
    let BuilderNode { parent, branch, depth, rows, key, .. } = *node;
    words[..4].copy_from_slice(&[parent, branch, depth, rows].map(u64::from));
    words[4] = key;
    let Some(split) = split else { return words };
    let (kind, operands) = match split.test {
        Test::Leaf => (NO_TEST, [0, 0]),
        Test::Threshold(threshold) => {
            (THRESHOLD, [threshold.at, threshold.reach].map(f64::to_bits))
        }
        Test::Multiway => (MULTIWAY, [0, 0]),
        Test::Subset { first, len } => (SUBSET, [first, len].map(u64::from)),
        Test::Groups { first, len } => (GROUPS, [first, len].map(u64::from)),
    };
    words[5] = kind;
    words[6..8].copy_from_slice(&operands);
    let NodeSplit { feature, first_child, n_children, missing, score, distance, step, .. } = *split;
    words[8..11].copy_from_slice(&[feature, first_child, n_children].map(u64::from));
    words[11..13].copy_from_slice(&[score, distance].map(f64::to_bits));
    words[13] = u64::from(step) << 32 | u64::from(missing.unwrap_or(NONE));
    words
}

/// The split of a node by its words; `None` for a leaf.
fn split_of(words: &[u64; WORDS]) -> Result<Option<NodeSplit>> {
    let test = match (words[5], words[6], words[7]) {
        (NO_SPLIT, ..) => return Ok(None),
        (NO_TEST, ..) => Test::Leaf,
        (THRESHOLD, at, reach) => {
            Test::Threshold(Threshold { at: f64::from_bits(at), reach: f64::from_bits(reach) })
        }
        (MULTIWAY, ..) => Test::Multiway,
        (SUBSET, first, len) => Test::Subset { first: first as u32, len: len as u32 },
        (GROUPS, first, len) => Test::Groups { first: first as u32, len: len as u32 },
        _ => return Err(Error::Internal("a packed tree with an unknown test".into())),
    };
    Ok(Some(NodeSplit {
        feature: words[8] as u32,
        test,
        first_child: words[9] as u32,
        n_children: words[10] as u32,
        missing: Some(words[13] as u32).filter(|&branch| branch != NONE),
        score: f64::from_bits(words[11]),
        distance: f64::from_bits(words[12]),
        step: (words[13] >> 32) as u32,
    }))
}
