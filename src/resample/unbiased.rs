//! Unbiased importance of features (Zhou & Hooker, "Unbiased measurement of feature importance in
//! tree-based methods", 2021): gini, or the squared error, between the sample of a tree and its
//! out-of-bag rows.
//!
//! The impurity H of a node is the mean over all pairs of a row of the sample and an out-of-bag
//! row: for classes the share of pairs that differ, for numbers half of (y - y')^2. That is half of
//! the term of Zhou and Hooker, so that it estimates the squared error itself. A split counts W H
//! minus the sum of W_c H_c over its branches, W the share of the sample that a node holds. It
//! counts 0 where a branch holds rows of the sample, but no out-of-bag rows. Given the sample, the
//! expected importance of a feature that is independent of the target is 0, however many splits it
//! offers. O(trees x rows x depth).

use super::OutOfBagRows;
use crate::error::Result;
use crate::numeric::ExactSum;
use crate::parallel::Control;
use crate::predict::{CompiledTree, ReachingRows};

impl OutOfBagRows<'_> {
    /// Unbiased importance by tree and feature: `importances[tree * features + feature]`; NaN for a
    /// tree without out-of-bag rows. `weights` multiply the weights of classes.
    pub fn unbiased_importances(&self, control: &Control) -> Result<Vec<f64>> {
        self.map_trees(control, |t, out_of_bag, _| {
            let tree = &self.forest.trees[t].tree;
            let impurities = self.impurities(t, out_of_bag, control)?;
            let weighted_impurity = |node: usize| match tree.counts(node).iter().sum::<f64>() {
                0.0 => Some(0.0),
                weight => impurities[node].map(|impurity| weight * impurity),
            };
            let total: f64 = tree.counts(0).iter().sum();
            let mut importances = vec![0.0; self.data.columns().len()];
            for node in (0..tree.nodes.len()).filter(|&node| !tree.is_leaf(node)) {
                let below =
                    tree.children(node).iter().map(|&child| weighted_impurity(child as usize));
                if let (Some(whole), Some(below)) =
                    (weighted_impurity(node), below.sum::<Option<f64>>())
                {
                    importances[tree.nodes[node].feature as usize] += (whole - below) / total;
                }
            }
            Ok(importances)
        })
    }

    /// The impurity of each node between the sample of its tree and the out-of-bag rows; `None` for
    /// a node that no out-of-bag row reaches.
    fn impurities(
        &self,
        tree: usize,
        out_of_bag: &[u32],
        control: &Control,
    ) -> Result<Vec<Option<f64>>> {
        let &OutOfBagRows { data, weights, .. } = self;
        let model = &self.forest.trees[tree];
        let tree = &model.tree;
        let mut impurities = vec![None; tree.nodes.len()];
        let wanted = vec![true; impurities.len()];
        let compiled = CompiledTree::new(tree, &model.schema)?;
        let mut visit = |node: usize, reaching: &ReachingRows<'_>| {
            let mut reached = vec![0; tree.classes];
            let mut squares = ExactSum::default();
            for (row, weight) in reaching.weighed() {
                reached[usize::from(data.classes()[row as usize])] += weight;
                if let Some(target) = data.target() {
                    let difference = target.value(row) - tree.outcomes[node].value;
                    squares.add_product(difference * difference, weight as f64);
                }
            }
            let total = reached.iter().sum::<i64>() as f64;
            impurities[node] = (total > 0.0).then(|| match tree.outcomes.get(node) {
                Some(outcome) => (squares.value() / total + outcome.variance) / 2.0,
                None => {
                    let counts = tree.counts(node);
                    let products = reached.iter().zip(counts).map(|(&r, c)| r as f64 * c);
                    1.0 - products.sum::<f64>() / (total * counts.iter().sum::<f64>())
                }
            });
        };
        compiled.send_down(data, out_of_bag, weights, &wanted, control, &mut visit)?;
        Ok(impurities)
    }
}
