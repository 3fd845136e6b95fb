//! Shapley values of rows by one tree or several, on several threads.
//!
//! The values of a forest are the means of its trees' (the prediction is the mean of their
//! probabilities), added in the order of the trees. Blocks of rows go through all trees, so that
//! nothing depends on the number of threads. A tree without an answer in some leaf abstains in a
//! forest, whose prediction is then no sum over its trees: refused.

use super::tree::{TreeExplainer, WalkScratch, finish};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::parallel::{self, Control};
use crate::predict::{CompiledTree, Source};

/// Rows that go through the trees together, at most.
const LARGEST_PART: usize = 64;

/// One tree or several, made ready to be explained.
#[derive(Debug)]
pub struct ForestExplainer {
    trees: Vec<TreeExplainer>,
    classes: usize,
    features: usize,
    /// The values of the last class follow from the others.
    complete: bool,
}

impl ForestExplainer {
    /// Make trees with one schema ready.
    pub fn new(models: &[Model], control: &Control) -> Result<Self> {
        let Some(first) = models.first() else {
            return Err(Error::Internal("a forest without trees".into()));
        };
        let complete = models.iter().all(TreeExplainer::is_complete);
        if !complete && models.len() > 1 {
            let words = "Shapley values need trees that always answer: some leaves predict nothing \
                         (empty_branch=\"unclassified\"), and a forest averages over the trees \
                         that answer; fit with empty_branch=\"parent\", or explain single trees \
                         (estimators_)";
            return Err(Error::Data(words.into()));
        }
        let trees = parallel::map(control, models.len(), |tree| {
            control.check()?;
            Ok(TreeExplainer::new(&models[tree], complete))
        })?;
        let features = first.schema.features.len();
        Ok(Self { trees, classes: first.tree.classes, features, complete })
    }

    /// The prediction when no feature is known, by class.
    pub fn expected(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.classes];
        for tree in &self.trees {
            sums.iter_mut().zip(tree.expected()).for_each(|(sum, p)| *sum += p);
        }
        sums.into_iter().map(|sum| sum / self.trees.len() as f64).collect()
    }

    /// The values of `n` rows, `out[(row * features + feature) * classes + class]`; `compiled` are
    /// the same trees, compiled for walking.
    pub fn values<S: Source>(
        &self,
        compiled: &[&CompiledTree],
        source: &S,
        n: usize,
        control: &Control,
    ) -> Result<Vec<f64>> {
        let width = self.features * self.classes;
        let mut out = vec![0.0; n * width];
        if width == 0 {
            return Ok(out);
        }
        let rows = n.div_ceil(4 * control.threads()).clamp(1, LARGEST_PART);
        control.expect(n as u64);
        let mut parts: Vec<&mut [f64]> = out.chunks_mut(rows * width).collect();
        parallel::for_each_mut(control, &mut parts, |i, part| {
            let mut scratch = WalkScratch::new(&self.trees);
            for (tree, compiled) in self.trees.iter().zip(compiled) {
                for (row, values) in part.chunks_exact_mut(width).enumerate() {
                    control.check()?;
                    tree.add(compiled, source, i * rows + row, &mut scratch, values);
                }
            }
            let trees = self.trees.len() as f64;
            if trees > 1.0 {
                part.iter_mut().for_each(|value| *value /= trees);
            }
            if self.complete {
                finish(part, self.classes);
            }
            control.advance((part.len() / width) as u64);
            Ok(())
        })?;
        Ok(out)
    }
}
