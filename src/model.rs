//! The result of a fit: a [`Model`] is a schema, a tree and the smoothing of its leaf
//! probabilities; a [`Forest`] is several models that vote.
//!
//! Prediction, explanation and storage need nothing else of a fit.

use crate::data::Schema;
use crate::tree::{Tree, equalise_largest, majority};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How class counts of a leaf become probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "method")]
pub enum LeafSmoothing {
    /// `n_c / n`.
    #[default]
    None,
    /// `(n_c + 1) / (n + k)`, k = declared classes.
    Laplace,
    /// `(n_c + m p_c) / (n + m)`, p_c = share of the class at the root.
    MEstimate {
        /// Weight of the prior, in rows.
        m: f64,
    },
}

/// A fitted model.
#[derive(Debug, Clone, PartialEq)]
pub struct Model {
    /// Features and classes: how rows are read.
    pub schema: Arc<Schema>,
    /// The tree.
    pub tree: Tree,
    /// How class counts of a leaf become probabilities.
    pub smoothing: LeafSmoothing,
    /// Criterion and parameters as JSON, which the core stores but does not read.
    pub parameters: String,
}

impl Model {
    /// Label every node that has a label by its most probable class (the lowest on ties), so that a
    /// prediction is the class of the largest probability. Smoothing can change this class: an
    /// m-estimate moves probabilities towards the shares at the root.
    pub fn relabel(&mut self) {
        let mut probabilities = vec![0.0; self.tree.classes];
        for node in 0..self.tree.nodes.len() {
            if self.has_clear_label(node) {
                continue;
            }
            self.probabilities(node, &mut probabilities);
            let label = &mut self.tree.nodes[node].label;
            if *label >= 0 && probabilities.iter().all(|p| p.is_finite()) {
                *label = majority(&probabilities) as i32;
            }
        }
    }

    /// Whether the counts alone show, beyond rounding, that the label is the most probable class;
    /// true for a node without a label.
    fn has_clear_label(&self, node: usize) -> bool {
        let Ok(label) = usize::try_from(self.tree.nodes[node].label) else { return true };
        let counts = self.tree.counts(node);
        let most = counts[label];
        let others = counts.iter().enumerate().filter(|&(c, _)| c != label);
        let second = others.fold(0.0, |largest: f64, (_, &n)| largest.max(n));
        // The second condition keeps the sum of the counts finite.
        self.smoothing == LeafSmoothing::None
            && most < f64::MAX / counts.len() as f64
            && second * (1.0 + 1e-9) < most
    }

    /// Write the prediction of a node to `out`: the number, or the probabilities of the classes,
    /// which are all zero if the node has no label. Probabilities that differ from the largest only
    /// by rounding are made equal to it.
    pub fn probabilities(&self, node: usize, out: &mut [f64]) {
        if let Some(outcome) = self.tree.outcome(node) {
            out.fill(outcome.value);
            return;
        }
        if self.tree.nodes[node].label < 0 {
            out.fill(0.0);
            return;
        }
        let counts = self.tree.evidence(node);
        let n: f64 = counts.iter().sum();
        let k = counts.len() as f64;
        match self.smoothing {
            LeafSmoothing::None => out.iter_mut().zip(counts).for_each(|(p, c)| *p = c / n),
            LeafSmoothing::Laplace => {
                out.iter_mut().zip(counts).for_each(|(p, c)| *p = (c + 1.0) / (n + k))
            }
            LeafSmoothing::MEstimate { m } => {
                let root = self.tree.counts(0);
                let all: f64 = root.iter().sum();
                for ((p, c), r) in out.iter_mut().zip(counts).zip(root) {
                    *p = (c + m * r / all) / (n + m);
                }
            }
        }
        equalise_largest(out);
    }
}

/// Trees that vote. All have the same schema and smoothing.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    /// The trees, whose texts of parameters are empty.
    pub trees: Vec<Model>,
    /// The seed of each tree.
    pub seeds: Vec<u64>,
    /// Weight of each class in the training set. The counts of a tree are different: they count the
    /// rows of its sample.
    pub totals: Vec<f64>,
    /// Criterion and parameters as JSON, which the core stores but does not read.
    pub parameters: String,
}

impl Forest {
    /// Features and classes: how rows are read.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.trees[0].schema
    }

    /// Number of declared classes. It is 1 for a numeric target, whose only total is the weight of
    /// all rows.
    pub fn classes(&self) -> usize {
        self.totals.len()
    }

    /// Importance of each feature: its share in the sum of score times weight over the splits of a
    /// tree, averaged over the trees. A tree without any gain counts as zeros. Importances sum to
    /// 1, or are all 0 where no tree has a gain.
    pub fn importances(&self) -> Vec<f64> {
        let mut mean = vec![0.0; self.schema().features.len()];
        for model in &self.trees {
            let gains = model.tree.gains(mean.len());
            let sum: f64 = gains.iter().sum();
            if sum > 0.0 {
                mean.iter_mut().zip(&gains).for_each(|(m, g)| *m += g / sum);
            }
        }
        let sum: f64 = mean.iter().sum();
        if sum > 0.0 {
            mean.iter_mut().for_each(|m| *m /= sum);
        }
        mean
    }
}
