//! What a user holds: a schema, a tree, and how leaves speak.

use crate::data::Schema;
use crate::tree::Tree;
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// How class counts of a leaf become probabilities.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "method")]
pub enum Smoothing {
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
    pub smoothing: Smoothing,
    /// Criterion and parameters, opaque here.
    pub parameters: String,
}

impl Model {
    /// Probabilities of the classes in a node, all zero when the node predicts nothing.
    pub fn probabilities(&self, node: usize, out: &mut [f64]) {
        if self.tree.nodes[node].label < 0 {
            out.fill(0.0);
            return;
        }
        let counts = self.tree.evidence(node);
        let n: f64 = counts.iter().sum();
        let k = counts.len() as f64;
        match self.smoothing {
            Smoothing::None => out.iter_mut().zip(counts).for_each(|(p, c)| *p = c / n),
            Smoothing::Laplace => out.iter_mut().zip(counts).for_each(|(p, c)| *p = (c + 1.0) / (n + k)),
            Smoothing::MEstimate { m } => {
                let root = self.tree.counts(0);
                let all: f64 = root.iter().sum();
                for ((p, c), r) in out.iter_mut().zip(counts).zip(root) {
                    *p = (c + m * r / all) / (n + m);
                }
            }
        }
    }
}
