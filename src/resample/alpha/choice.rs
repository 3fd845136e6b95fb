//! The pruned trees among which cross-validation chooses, and the rule that chooses
//! ([`AlphaChoice`]).

use crate::prune::cost_complexity;

/// How an alpha was chosen. The lists have one entry per pruned tree, from the whole tree to the
/// root alone.
#[derive(Debug, Clone, PartialEq)]
pub struct AlphaChoice {
    /// Alphas at which the pruned trees become best.
    pub alphas: Vec<f64>,
    /// Leaves with training rows.
    pub leaves: Vec<u32>,
    /// Splits.
    pub splits: Vec<u32>,
    /// `R` of the trees, on the training rows.
    pub impurities: Vec<f64>,
    /// Cross-validated mean costs; empty until a tree is chosen.
    pub errors: Vec<f64>,
    /// Standard errors of these costs; empty until a tree is chosen.
    pub deviations: Vec<f64>,
    /// Number of the chosen tree; 0, the whole tree, until one is chosen.
    pub chosen: usize,
}

impl AlphaChoice {
    /// The trees of a path before one is chosen. Alphas that differ by rounding only are taken as
    /// one. Links with `g = 0` are cut only at positive alphas, so the first entry stays the whole
    /// tree.
    pub fn new(path: &cost_complexity::Path) -> Self {
        // Alphas are differences of impurities, whose rounding errors grow with the largest one.
        let rounding = 1e-12 * path.impurities.iter().copied().fold(0.0, f64::max);
        let (mut alphas, mut trees): (Vec<f64>, Vec<usize>) = (Vec::new(), Vec::new());
        for (tree, &alpha) in path.alphas.iter().enumerate() {
            match alphas.len().checked_sub(1) {
                Some(last) if alpha <= alphas[last] + rounding => {
                    if alphas[last] > 0.0 {
                        alphas[last] = alpha.max(alphas[last]);
                        trees[last] = tree;
                    }
                }
                _ => {
                    alphas.push(alpha);
                    trees.push(tree);
                }
            }
        }
        Self {
            alphas,
            leaves: trees.iter().map(|&tree| path.leaves[tree]).collect(),
            splits: trees.iter().map(|&tree| path.splits[tree]).collect(),
            impurities: trees.iter().map(|&tree| path.impurities[tree]).collect(),
            errors: Vec::new(),
            deviations: Vec::new(),
            chosen: 0,
        }
    }

    /// The alpha that represents the k-th tree: the geometric mean of the range in which it is
    /// best. The last tree, whose range has no end, is represented by the start of its range.
    pub fn representative(&self, k: usize) -> f64 {
        match self.alphas.get(k + 1) {
            Some(next) => (self.alphas[k] * next).sqrt(),
            None => self.alphas[k],
        }
    }

    /// The ascending alphas at which the trees of the folds are pruned: the representatives, except
    /// for the last tree, which gets an alpha that cuts every split of any tree.
    pub(super) fn cross_validated_alphas(&self) -> Vec<f64> {
        let mut alphas: Vec<f64> = (0..self.alphas.len()).map(|k| self.representative(k)).collect();
        if let Some(last) = alphas.last_mut().filter(|last| **last > 0.0) {
            *last = f64::MAX;
        }
        alphas
    }

    /// Keep the cross-validated costs and their standard errors, and choose a tree: the smallest
    /// of the best ones, or with `one_se` the smallest within a standard error of these.
    pub(super) fn choose(&mut self, errors: Vec<f64>, deviations: Vec<f64>, one_se: bool) {
        // The last tree, which is the smallest one, whose costs are at most a limit.
        let last_within = |limit| errors.iter().rposition(|&error| error <= limit).unwrap_or(0);
        // Costs that differ by rounding only are equal.
        let smallest = errors.iter().copied().fold(f64::INFINITY, f64::min) * (1.0 + 1e-12);
        let best = last_within(smallest);
        let deviation = if one_se { deviations[best] } else { 0.0 };
        self.chosen = last_within(smallest + deviation);
        (self.errors, self.deviations) = (errors, deviations);
    }
}
