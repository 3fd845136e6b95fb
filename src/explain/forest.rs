//! Shapley values of rows under one tree or a forest, in parallel.
//!
//! The prediction of a forest is the mean of the probabilities of its trees, so its values are the
//! means of theirs, added in the order of the trees. A thread takes a block of rows through all
//! trees; nothing depends on the number of threads. A tree with leaves that predict nothing is left
//! out of the mean for rows that reach them; then the prediction is not a sum over trees, so such
//! forests are refused.

use super::tree::{TreeExplainer, WalkScratch, fill_last_class};
use crate::error::{Error, Result};
use crate::model::Model;
use crate::parallel::{self, Control};
use crate::predict::{CompiledTree, Source};

/// Most rows per block.
const LARGEST_BLOCK: usize = 64;

/// One or several trees, prepared for explanations.
#[derive(Debug)]
pub struct ForestExplainer {
    trees: Vec<TreeExplainer>,
    /// Number of classes.
    classes: usize,
    /// Number of features.
    features: usize,
    /// Whether the probabilities of every leaf sum to 1, so that the values of the last class
    /// follow from the others.
    complete: bool,
}

impl ForestExplainer {
    /// Prepare the trees of some models, which must have one schema.
    ///
    /// # Errors
    /// [`Error::Data`] for several trees with leaves that predict nothing, [`Error::Cancelled`].
    pub fn new(models: &[Model], control: &Control) -> Result<Self> {
        let Some(first) = models.first() else {
            return Err(Error::Internal("a forest without trees".into()));
        };
        let complete = models.iter().all(TreeExplainer::is_complete);
        if models.len() > 1 && !models.iter().all(TreeExplainer::always_answers) {
            let reason = "Shapley values need trees that always answer: some leaves predict \
                nothing (empty_branch=\"unclassified\"), and a forest averages over the trees that \
                answer; fit with empty_branch=\"parent\", or explain single trees \
                (estimators_)";
            return Err(Error::Data(reason.into()));
        }
        let trees = parallel::map(control, models.len(), &|tree| {
            control.check()?;
            Ok(TreeExplainer::new(&models[tree], complete))
        })?;
        let features = first.schema.features.len();
        Ok(Self { trees, classes: first.tree.classes, features, complete })
    }

    /// The prediction if no feature is known, by class: the mean of the predictions of the trees.
    pub fn expected(&self) -> Vec<f64> {
        let mut sums = vec![0.0; self.classes];
        for tree in &self.trees {
            sums.iter_mut().zip(tree.expected()).for_each(|(sum, p)| *sum += p);
        }
        sums.into_iter().map(|sum| sum / self.trees.len() as f64).collect()
    }

    /// The values of `n` rows of `source`, `[(row * features + feature) * classes + class]`.
    /// `compiled` are the compiled trees, in the same order.
    ///
    /// # Errors
    /// [`Error::Cancelled`].
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
        // four blocks per thread, so that all threads end at about the same time
        let block_rows = n.div_ceil(4 * control.threads()).clamp(1, LARGEST_BLOCK);
        control.set_total(n as u64);
        let mut blocks: Vec<&mut [f64]> = out.chunks_mut(block_rows * width).collect();
        parallel::for_each_mut(control, &mut blocks, &|i, block| {
            let mut scratch = WalkScratch::new(&self.trees);
            for (tree, compiled) in self.trees.iter().zip(compiled) {
                for (row, values) in block.chunks_exact_mut(width).enumerate() {
                    control.check()?;
                    tree.add(compiled, source, i * block_rows + row, &mut scratch, values);
                }
            }
            let trees = self.trees.len() as f64;
            if trees > 1.0 {
                block.iter_mut().for_each(|value| *value /= trees);
            }
            if self.complete {
                fill_last_class(block, self.classes);
            }
            control.advance((block.len() / width) as u64);
            Ok(())
        })?;
        Ok(out)
    }
}
