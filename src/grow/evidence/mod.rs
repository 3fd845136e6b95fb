//! What growth knows of a node beside its tables: pairs of rows, neighbours, the rows themselves.
//!
//! [`pairs`], [`neighbours`] and [`rows`] give a node's evaluation what the criterion declares as
//! its evidence; [`memo`] keeps the pairs of nodes for other trees on the same rows. Here are the
//! types that they share with the context of a tree and with the search for a node's split.

pub(super) mod memo;
mod neighbours;
pub(super) mod pairs;
mod rows;

use crate::data::RowSet;
use crate::error::Result;
use crate::parallel::Control;
use crate::stats::pairs::{MAX_WEIGHT, Numbering, PairNodeRows, RadiusRule};
use crate::stats::{Sum, Weighing};
use std::sync::OnceLock;

/// What the pairs of all nodes share.
#[derive(Debug)]
pub(in crate::grow) struct PairContext {
    /// Whole weights by internal row; nothing where every row counts once.
    weights: Option<Vec<u32>>,
    /// Value of a pair of weight one.
    scale: f64,
    /// When Relief's radius is large enough.
    enough: RadiusRule,
    /// Relief's radius at the root, once the root was looked at.
    radius: OnceLock<usize>,
}

impl PairContext {
    /// For trees on some rows of a data set of `n`.
    pub fn new<W: Weighing>(weights: W, rows: &RowSet, n: usize) -> Self {
        let radius = OnceLock::new();
        if W::UNIT {
            let enough = RadiusRule::of_copies(rows.len() as f64);
            return Self { weights: None, scale: 1.0, enough, radius };
        }
        let value = |r: u32| weights.of(r).value(weights.unit());
        let mut unit = 1.0;
        if !W::COPIES {
            let largest = rows.rows().iter().map(|&r| value(r)).fold(f64::MIN_POSITIVE, f64::max);
            let sum: f64 = rows.rows().iter().map(|&r| value(r)).sum();
            while largest / unit >= 65_535.0 || sum / unit + rows.len() as f64 >= MAX_WEIGHT as f64
            {
                unit *= 2.0;
            }
            while largest / unit < 32_767.0
                && 2.0 * sum / unit + (rows.len() as f64) < MAX_WEIGHT as f64
            {
                unit /= 2.0;
            }
        }
        let mut whole = vec![0; n];
        rows.rows().iter().for_each(|&r| whole[r as usize] = (value(r) / unit).round() as u32);
        let weighed = rows.rows().iter().map(|&r| f64::from(whole[r as usize]));
        let enough = match W::COPIES {
            true => RadiusRule::of_copies(weighed.sum()),
            false => RadiusRule::of_importances(weighed),
        };
        Self { weights: Some(whole), scale: unit * unit, enough, radius }
    }

    /// Relief's radius at the root; `rows` are those of the root unless it is known.
    fn radius_of(&self, rows: &PairNodeRows, control: &Control) -> Result<usize> {
        match self.radius.get() {
            Some(&radius) => Ok(radius),
            None => {
                let found = rows.radius(&control.holding(rows.held()), self.enough)?;
                Ok(*self.radius.get_or_init(|| found))
            }
        }
    }

    fn weight(&self, row: u32) -> u32 {
        self.weights.as_ref().map_or(1, |w| w[row as usize])
    }
}

/// Reusable memory of one worker, and the key of the node that it looks at.
#[derive(Debug, Default)]
pub(in crate::grow) struct PairWorkspace {
    numbering: Numbering,
    pub key: u128,
}

/// Scores of the features of a node that vary.
#[derive(Debug, Default)]
pub(in crate::grow) struct PairScores {
    /// Place among the nominal features, and score.
    pub scores: Vec<(u32, f64)>,
    /// Score of the split that divides nothing.
    pub whole: f64,
}
