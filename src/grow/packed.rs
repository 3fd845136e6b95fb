//! A subtree as arrays of numbers ([`PackedTree`]), which distributed growth sends from a worker
//! process to the client.
//!
//! A node is [`WORDS`] words of 64 bits; reals are sent by their bits. O(nodes x classes).
//! Finished trees are not sent this way: they are models ([`crate::store`]).

use super::builder::{BuilderNode, NodeSplit, TreeBuilder};
use crate::error::{Error, Result};
use crate::stats::SentSum;
use crate::tree::{NONE, Test, Threshold};

/// Words per node.
const WORDS: usize = 14;

/// The nodes of a subtree, their class sums and the levels that their tests list.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct PackedTree {
    /// [`WORDS`] words per node: parent, branch, depth, rows, key; then, 0 where the node is not
    /// split, kind and two operands of the test, feature, first child, children, score, distance,
    /// and `step << 32` with the branch of missing values.
    pub words: Vec<u64>,
    /// Class sums, node by node, as words ([`SentSum`]).
    pub sums: Vec<u32>,
    /// Levels of subset tests.
    pub levels: Vec<u32>,
}

impl PackedTree {
    /// Pack a subtree: nodes, class sums and levels in the order of their creation.
    /// [`Self::unpack`] is the inverse.
    pub(super) fn of<S: SentSum>(tree: &TreeBuilder<S>) -> Self {
        let nodes = tree.nodes.iter().enumerate();
        let words = nodes.flat_map(|(i, node)| words_of(node, tree.split_of(i))).collect();
        Self { words, sums: S::to_words(&tree.sums), levels: tree.levels.clone() }
    }

    /// Unpack a subtree on `classes` classes.
    ///
    /// # Errors
    /// [`Error::Internal`] where the arrays do not have the sizes or values of a packed tree.
    pub(super) fn unpack<S: SentSum>(self, classes: usize) -> Result<TreeBuilder<S>> {
        let (nodes, rest) = self.words.as_chunks::<WORDS>();
        let fits = rest.is_empty() && self.sums.len() == nodes.len() * classes * S::WORDS;
        if !fits || nodes.is_empty() {
            return Err(Error::Internal("a packed tree of another size".into()));
        }
        let (mut unpacked, mut splits) = (Vec::with_capacity(nodes.len()), Vec::new());
        for words in nodes {
            let split = split_of(words)?;
            let number = if split.is_some() { splits.len() as u32 } else { NONE };
            splits.extend(split);
            let [parent, branch, depth, rows] = [0, 1, 2, 3].map(|i| words[i] as u32);
            let key = words[4];
            unpacked.push(BuilderNode { parent, branch, depth, rows, key, split: number });
        }
        Ok(TreeBuilder {
            nodes: unpacked,
            splits,
            significance: Vec::new(),
            sums: S::of_words(&self.sums),
            levels: self.levels,
            labels: Vec::new(),
            classes,
            above: None,
        })
    }
}

/// The words of a node and its split.
fn words_of(node: &BuilderNode, split: Option<&NodeSplit>) -> [u64; WORDS] {
    let mut words = [0; WORDS];
    let BuilderNode { parent, branch, depth, rows, key, .. } = *node;
    words[..4].copy_from_slice(&[parent, branch, depth, rows].map(u64::from));
    words[4] = key;
    let Some(split) = split else { return words };
    let (kind, a, b) = match split.test {
        Test::Leaf => (1, 0, 0),
        Test::Threshold(t) => (2, t.at.to_bits(), t.reach.to_bits()),
        Test::Multiway => (3, 0, 0),
        Test::Subset { first, len } => (4, u64::from(first), u64::from(len)),
        Test::Groups { first, len } => (5, u64::from(first), u64::from(len)),
    };
    words[5..8].copy_from_slice(&[kind, a, b]);
    let NodeSplit { feature, first_child, n_children, missing, score, distance, step, .. } = *split;
    words[8..11].copy_from_slice(&[feature, first_child, n_children].map(u64::from));
    words[11..13].copy_from_slice(&[score, distance].map(f64::to_bits));
    words[13] = u64::from(step) << 32 | u64::from(missing.unwrap_or(NONE));
    words
}

/// The split of a node by its words.
fn split_of(words: &[u64; WORDS]) -> Result<Option<NodeSplit>> {
    let test = match (words[5], words[6], words[7]) {
        (0 | 1, ..) => Test::Leaf,
        (2, at, reach) => {
            Test::Threshold(Threshold { at: f64::from_bits(at), reach: f64::from_bits(reach) })
        }
        (3, ..) => Test::Multiway,
        (4, first, len) => Test::Subset { first: first as u32, len: len as u32 },
        (5, first, len) => Test::Groups { first: first as u32, len: len as u32 },
        _ => return Err(Error::Internal("a packed tree with an unknown test".into())),
    };
    Ok((words[5] > 0).then(|| NodeSplit {
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
