//! What a user holds: a schema, a tree (or several that vote), and how leaves speak.

use crate::data::Schema;
use crate::tree::{Tree, join_largest, majority};
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
    /// How to read rows and name classes.
    pub schema: Arc<Schema>,
    /// The tree.
    pub tree: Tree,
    /// Leaf probabilities.
    pub smoothing: LeafSmoothing,
    /// Criterion and parameters, opaque here.
    pub parameters: String,
}

impl Model {
    /// Every node that answers is labelled by its most probable class (the lower of equals), so
    /// that a prediction is the largest of the probabilities however they are smoothed: an
    /// m-estimate moves them towards the shares at the root and may put another class in front.
    pub fn relabel(&mut self) {
        let mut p = vec![0.0; self.tree.classes];
        for node in 0..self.tree.nodes.len() {
            if self.is_clear(node) {
                continue;
            }
            self.probabilities(node, &mut p);
            if self.tree.nodes[node].label >= 0 && p.iter().all(|p| p.is_finite()) {
                self.tree.nodes[node].label = majority(&p) as i32;
            }
        }
    }

    /// Whether the counts alone say that the label is the most probable class, by more than any
    /// rounding.
    fn is_clear(&self, node: usize) -> bool {
        let Ok(label) = usize::try_from(self.tree.nodes[node].label) else { return true };
        let counts = self.tree.counts(node);
        let most = counts[label];
        let second = counts.iter().enumerate().filter(|&(c, _)| c != label);
        self.smoothing == LeafSmoothing::None
            && most < f64::MAX / counts.len() as f64
            && second.fold(0.0, |a: f64, (_, &n)| a.max(n)) * (1.0 + 1e-9) < most
    }

    /// Probabilities of the classes in a node, all zero when the node predicts nothing. Those that
    /// differ from the largest by rounding only are made equal to it.
    pub fn probabilities(&self, node: usize, out: &mut [f64]) {
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
        join_largest(out);
    }
}

/// Trees that vote. All of them have one schema and one way to smooth leaves.
#[derive(Debug, Clone, PartialEq)]
pub struct Forest {
    /// The trees; their own parameters are empty.
    pub trees: Vec<Model>,
    /// The seed of each tree.
    pub seeds: Vec<u64>,
    /// Weight of each class in the training set (a tree knows its sample only).
    pub totals: Vec<f64>,
    /// Criterion and parameters, opaque here.
    pub parameters: String,
}

impl Forest {
    /// How to read rows and name classes.
    pub fn schema(&self) -> &Arc<Schema> {
        &self.trees[0].schema
    }

    /// Number of declared classes.
    pub fn classes(&self) -> usize {
        self.totals.len()
    }

    /// Mean over the trees of each feature's share in the summed score x weight of its splits; a
    /// tree without any gain counts as zeros. Shares sum to 1 unless no tree gains anything.
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
