//! Permutation importance on out-of-bag rows (Breiman, *Random Forests*, 2001, section 10).
//!
//! The loss of a tree for a feature is its accuracy on its out-of-bag rows minus its accuracy after
//! the feature's values are shuffled among these rows; for a numeric target, the increase of its
//! mean squared error by the shuffle. A feature that no node of the tree tests has loss 0. The
//! shuffle depends on the tree's seed, the feature and the content of the rows, not on their order.
//! O(trees x tested features x out-of-bag rows x depth).

use super::OutOfBagRows;
use crate::data::Dataset;
use crate::error::Result;
use crate::numeric::{mix, uniform};
use crate::parallel::Control;
use crate::predict::{Predictor, Source};

/// Some rows of a data set, with one feature read from other rows.
struct Shuffled<'s> {
    data: &'s Dataset<'s>,
    /// The rows.
    rows: &'s [u32],
    /// The shuffled feature; a number beyond all features shuffles none.
    feature: usize,
    /// The row from which each row takes the shuffled feature.
    donors: &'s [u32],
}

impl Shuffled<'_> {
    /// The row of the data set that holds a cell.
    fn row(&self, row: usize, feature: usize) -> usize {
        let source = if feature == self.feature { self.donors } else { self.rows };
        source[row] as usize
    }
}

impl Source for Shuffled<'_> {
    fn number(&self, row: usize, feature: usize) -> f64 {
        self.data.number(self.row(row, feature), feature)
    }
    fn code(&self, row: usize, feature: usize) -> u32 {
        self.data.code(self.row(row, feature), feature)
    }
}

impl OutOfBagRows<'_> {
    /// Loss of accuracy, or gain in squared error, by tree and feature:
    /// `losses[tree * features + feature]`; NaN for a tree without out-of-bag rows.
    pub fn permutation_losses(&self, control: &Control) -> Result<Vec<f64>> {
        let &OutOfBagRows { forest, data, weights, .. } = self;
        let n_features = data.columns().len();
        self.map_trees(control, |t, rows, total| {
            let (model, seed) = (&forest.trees[t], forest.seeds[t]);
            let predictor = Predictor::new(model)?;
            let mut answer = vec![0.0; data.n_classes()];
            // Weight of the rows that the tree classifies correctly; minus the squared errors.
            let mut goodness = |source: &Shuffled<'_>| {
                let mut sum = 0.0;
                predictor.tree.for_each_end(source, 0..rows.len(), |i, end| {
                    let row = rows[i];
                    let label = predictor.answer(source, i, end, &mut answer);
                    let gain = match data.target() {
                        Some(target) => -(answer[0] - target.value(row)).powi(2),
                        None => f64::from(label == i32::from(data.classes()[row as usize])),
                    };
                    sum += weights.value(row) * gain;
                });
                sum
            };
            let baseline = goodness(&Shuffled { data, rows, feature: n_features, donors: rows });
            let mut losses = vec![0.0; n_features];
            for feature in 0..n_features {
                control.check()?;
                let mut nodes = model.tree.nodes.iter();
                if nodes.any(|node| node.n_children > 0 && node.feature as usize == feature) {
                    // 1 << 40 keeps these draws apart from the draws of sampling and growth.
                    let key = mix(mix(seed, 1 << 40), feature as u64);
                    // Fisher-Yates shuffle.
                    let mut donors = rows.to_vec();
                    for i in (1..donors.len()).rev() {
                        donors.swap(i, uniform(mix(key, i as u64), i as u64 + 1) as usize);
                    }
                    let shuffled = Shuffled { data, rows, feature, donors: &donors };
                    losses[feature] = (baseline - goodness(&shuffled)) / total;
                }
            }
            Ok(losses)
        })
    }
}
