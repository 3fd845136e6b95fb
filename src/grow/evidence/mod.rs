//! Scores of a node's features by evidence other than tables: [`pairs`] of rows, [`neighbours`],
//! the [`rows`] themselves, and the [`order`] of a numeric target.
//!
//! [`NodeEvaluator`](super::evaluate::NodeEvaluator) asks the module that the criterion's evidence
//! names. [`memo`] keeps the pair counts of nodes for other trees on the same rows. This file has
//! the types that the context of a tree and the evaluation of a node share with them. Criteria on
//! tables use none of this.

pub(super) mod memo;
mod neighbours;
pub(super) mod order;
pub(super) mod order_memory;
pub(super) mod pairs;
mod rows;

use crate::data::RowSet;
use crate::error::Result;
use crate::parallel::Control;
use crate::split::threshold::Scanning;
use crate::stats::Sum;
use crate::stats::pairs::{MAX_WEIGHT, Numbering, PairNodeRows, RadiusRule};
use std::sync::OnceLock;

/// The largest numbers of 16 and of 15 binary digits: the largest weight is rounded to one between.
const MOST_IN_16_BITS: f64 = 65_535.0;
const MOST_IN_15_BITS: f64 = 32_767.0;

/// The facts that the pairs of all nodes of a tree share.
#[derive(Debug)]
pub(in crate::grow) struct PairContext {
    /// Whole weights by internal row; `None` where every row weighs 1.
    weights: Option<Vec<u32>>,
    /// Value of a pair of whole weight 1.
    scale: f64,
    /// When a radius of Relief is large enough.
    radius_rule: RadiusRule,
    /// Relief's radius at the root, once it is known.
    radius: OnceLock<usize>,
}

impl PairContext {
    /// The context of a tree on some rows of a data set of `n_rows` rows; `weights` has the weights
    /// of all rows of the data set. Real weights are rounded to whole numbers of a common unit
    /// here, once per tree.
    pub fn new<W: Scanning>(weights: W, rows: &RowSet, n_rows: usize) -> Self {
        let radius = OnceLock::new();
        if weights.is_unit() {
            let radius_rule = RadiusRule::for_copies(rows.len() as f64);
            return Self { weights: None, scale: 1.0, radius_rule, radius };
        }
        // The unit of whole weights: 1 for copies, otherwise a power of two for which the largest
        // weight is as large as 16 bits and the sum of all weights allow.
        let weight = |row: u32| weights.row_sum(row).value(weights.unit());
        let mut unit = 1.0;
        if !weights.are_copies() {
            let largest =
                rows.rows().iter().map(|&row| weight(row)).fold(f64::MIN_POSITIVE, f64::max);
            let sum: f64 = rows.rows().iter().map(|&row| weight(row)).sum();
            while largest / unit >= MOST_IN_16_BITS
                || sum / unit + rows.len() as f64 >= MAX_WEIGHT as f64
            {
                unit *= 2.0;
            }
            while largest / unit < MOST_IN_15_BITS
                && 2.0 * sum / unit + (rows.len() as f64) < MAX_WEIGHT as f64
            {
                unit /= 2.0;
            }
        }
        let mut whole = vec![0; n_rows];
        rows.rows()
            .iter()
            .for_each(|&row| whole[row as usize] = (weight(row) / unit).round() as u32);
        let weighed = rows.rows().iter().map(|&row| f64::from(whole[row as usize]));
        let radius_rule = if weights.are_copies() {
            RadiusRule::for_copies(weighed.sum())
        } else {
            RadiusRule::for_importances(weighed)
        };
        // A pair weighs the product of the weights of its rows.
        Self { weights: Some(whole), scale: unit * unit, radius_rule, radius }
    }

    /// Relief's radius at the root. If it is not known yet, it is computed from `rows`, which must
    /// then be the rows of the root.
    fn radius_of(&self, rows: &PairNodeRows, control: &Control) -> Result<usize> {
        match self.radius.get() {
            Some(&radius) => Ok(radius),
            None => {
                let radius = rows.radius(&control.holding(rows.held()), self.radius_rule)?;
                Ok(*self.radius.get_or_init(|| radius))
            }
        }
    }

    /// The whole weight of a row.
    fn weight(&self, row: u32) -> u32 {
        self.weights.as_ref().map_or(1, |weights| weights[row as usize])
    }
}

/// Reusable memory of one worker, and the key of the node under evaluation.
#[derive(Debug, Default)]
pub(in crate::grow) struct PairWorkspace {
    numbering: Numbering,
    /// [`TreeBuilder::path_key`](super::builder::TreeBuilder::path_key), where a memo is used.
    pub key: u128,
}

/// Scores of the features that vary in a node.
#[derive(Debug, Default)]
pub(in crate::grow) struct PairScores {
    /// Place among the nominal features, and score.
    pub scores: Vec<(u32, f64)>,
    /// Score of the undivided node; 0 where no limit reads it.
    pub undivided: f64,
}
