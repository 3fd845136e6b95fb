//! Permutation importance on the rows that a tree has not seen.
//!
//! Breiman, *Random Forests* (2001), section 10: the accuracy of a tree on its out-of-bag rows,
//! minus that with one feature's values shuffled among these rows. A feature that no node of the
//! tree asks for has importance 0 there. The shuffle depends on the tree's seed, the feature and
//! the content of the rows, not on their order. O(trees x features asked for x rows left out x
//! depth).

use crate::data::{Dataset, Weights};
use crate::error::Result;
use crate::grow::forest::BootstrapSampler;
use crate::model::Forest;
use crate::numeric::{mix, uniform};
use crate::parallel::{self, Control};
use crate::predict::{Predictor, Source};

/// Rows of a source by number, one feature of which is read from other rows.
struct Shuffled<'s> {
    data: &'s Dataset,
    rows: &'s [u32],
    feature: usize,
    from: &'s [u32],
}

impl Shuffled<'_> {
    fn row(&self, row: usize, feature: usize) -> usize {
        (if feature == self.feature { self.from[row] } else { self.rows[row] }) as usize
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

/// Loss of accuracy by tree and feature: `losses[tree * features + feature]`; NaN for a tree that
/// saw all rows.
pub fn permutation_losses(
    forest: &Forest,
    data: &Dataset,
    weights: &Weights,
    (sampler, draws): (&BootstrapSampler, usize),
    control: &Control,
) -> Result<Vec<f64>> {
    let p = data.columns().len();
    let by_tree = parallel::map(control, forest.trees.len(), |t| {
        let (model, seed) = (&forest.trees[t], forest.seeds[t]);
        let times = sampler.draw(seed, draws);
        let left_out: Vec<u32> =
            sampler.rows().iter().copied().filter(|&r| times[r as usize] == 0).collect();
        let total: f64 = left_out.iter().map(|&r| weights.value(r)).sum();
        if total <= 0.0 {
            return Ok(vec![f64::NAN; p]);
        }
        let predictor = Predictor::new(model)?;
        let mut scratch = vec![0.0; data.n_classes()];
        let mut right = |source: &Shuffled<'_>| {
            let mut sum = 0.0;
            predictor.tree.ends(source, (0, left_out.len()), |i, end| {
                let row = left_out[i];
                let label = predictor.answer(source, i, end, &mut scratch);
                if label == i32::from(data.classes()[row as usize]) {
                    sum += weights.value(row);
                }
            });
            sum
        };
        let as_they_are = right(&Shuffled { data, rows: &left_out, feature: p, from: &left_out });
        let mut losses = vec![0.0; p];
        for feature in 0..p {
            control.check()?;
            let asked =
                model.tree.nodes.iter().any(|n| n.n_children > 0 && n.feature as usize == feature);
            if asked {
                let key = mix(mix(seed, 1 << 40), feature as u64);
                let mut from = left_out.clone();
                for i in (1..from.len()).rev() {
                    from.swap(i, uniform(mix(key, i as u64), i as u64 + 1) as usize);
                }
                let source = Shuffled { data, rows: &left_out, feature, from: &from };
                losses[feature] = (as_they_are - right(&source)) / total;
            }
        }
        control.advance(1);
        Ok(losses)
    })?;
    Ok(by_tree.concat())
}
