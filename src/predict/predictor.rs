//! Classes and probabilities, or numbers, of rows by one tree.
//!
//! A row that ends in one leaf gets that leaf's label and probabilities. A row in fractions gets
//! the mean of its leaves' probabilities, weighted by the fractions, and the class with the largest
//! one, the lower class on ties. Probabilities that differ from the largest by rounding only are
//! set to it, so that class and probabilities agree. Leaves that predict nothing are left out. A
//! numeric target has one "probability", which is the number that a leaf predicts.
//!
//! O(depth) per row; O(nodes visited) for a row in fractions.

use super::block::fill_chunks;
use super::compiled::{CompiledTree, Source};
use crate::error::Result;
use crate::model::Model;
use crate::parallel::Control;
use crate::simd::walk::{End, EndPlace};
use crate::tree::majority;
use std::collections::HashMap;

/// Probabilities of mixtures that differ by less are equal.
const EQUAL: f64 = 1e-9;

/// Predictions that are compared one by one; the others are looked up in a hash map. Most trees
/// have few distinct ones.
const N_COMPARED: usize = 8;

/// A model compiled for prediction, made once and kept.
///
/// Leaves with the same label and probabilities share a number. Most leaves of a fully grown tree
/// hold one class, so few predictions are left, and they stay in the first-level cache.
#[derive(Debug)]
pub struct Predictor {
    /// The tree.
    pub tree: CompiledTree,
    /// Label of each number, -1 for none.
    labels: Vec<i32>,
    /// `probabilities[number * classes + class]`.
    probabilities: Vec<f64>,
    classes: usize,
    /// Whether every leaf predicts a class.
    always_predicts: bool,
    /// Whether the target is a number: leaves then have values instead of probabilities.
    is_regression: bool,
}

impl Predictor {
    /// Compile a model.
    ///
    /// # Errors
    /// Returns the errors of [`CompiledTree::new`].
    pub fn new(model: &Model) -> Result<Self> {
        let classes = model.tree.classes;
        let (mut labels, mut probabilities) = (Vec::<i32>::new(), Vec::<f64>::new());
        // Numbers by label and bits of the probabilities, from N_COMPARED on.
        let mut numbers_of: HashMap<(i32, Vec<u64>), u32> = HashMap::new();
        let mut of_leaf = vec![0.0; classes];
        let leaves = (0..model.tree.nodes.len()).filter(|&i| model.tree.is_leaf(i));
        let numbers: Vec<u32> = leaves
            .map(|leaf| {
                model.probabilities(leaf, &mut of_leaf);
                let label = model.tree.nodes[leaf].label;
                let bits = || of_leaf.iter().map(|p| p.to_bits());
                let mut compared =
                    labels.iter().zip(probabilities.chunks_exact(classes)).take(N_COMPARED);
                let same = |(&other, p): (&i32, &[f64])| {
                    other == label && p.iter().map(|p| p.to_bits()).eq(bits())
                };
                if let Some(number) = compared.position(same) {
                    return number as u32;
                }
                let new_number = labels.len() as u32;
                let number = match new_number as usize {
                    ..N_COMPARED => new_number,
                    _ => *numbers_of.entry((label, bits().collect())).or_insert(new_number),
                };
                if number == new_number {
                    labels.push(label);
                    probabilities.extend_from_slice(&of_leaf);
                }
                number
            })
            .collect();
        Ok(Self {
            always_predicts: labels.iter().all(|&label| label >= 0),
            is_regression: model.tree.is_regression(),
            tree: CompiledTree::numbered(&model.tree, &model.schema, numbers.into_iter())?,
            labels,
            probabilities,
            classes,
        })
    }

    /// Probabilities of the leaves that share a number.
    fn probabilities_of(&self, number: usize) -> &[f64] {
        &self.probabilities[number * self.classes..][..self.classes]
    }

    /// Probabilities of a row that ended in a leaf, if all leaves predict a class. `None`
    /// otherwise, and then [`Self::answer`] finds out whether the tree abstains. It saves a forest
    /// the copy of the probabilities.
    #[inline]
    pub(super) fn leaf_probabilities(&self, end: End) -> Option<&[f64]> {
        match end.place() {
            EndPlace::Leaf(number) if self.always_predicts => Some(self.probabilities_of(number)),
            _ => None,
        }
    }

    /// Label of a row that ended at `end`, -1 for none; `scratch` has room for one number per
    /// class.
    fn label<S: Source>(&self, source: &S, row: usize, end: End, scratch: &mut [f64]) -> i32 {
        match end.place() {
            EndPlace::Leaf(number) => self.labels[number],
            EndPlace::Node(_) => self.answer(source, row, end, scratch),
        }
    }

    /// Write the probabilities of a row whose path ended at `end` into `out`, and return its label,
    /// -1 for none. `source` and `row` must be the ones of the path: if it ended at an inner node,
    /// fractions of the row are sent on from there.
    pub fn answer<S: Source>(&self, source: &S, row: usize, end: End, out: &mut [f64]) -> i32 {
        let from = match end.place() {
            EndPlace::Leaf(number) => {
                out.copy_from_slice(self.probabilities_of(number));
                return self.labels[number];
            }
            EndPlace::Node(node) => node,
        };
        // The whole row ended at an inner node: fractions go on from there.
        out.fill(0.0);
        self.tree.spread(source, row, from, &mut |node, weight, _| {
            if let Some(number) = self.tree.leaf_number(node) {
                let of_leaf = self.probabilities_of(number);
                out.iter_mut().zip(of_leaf).for_each(|(p, q)| *p += weight * q);
            }
        });
        if self.is_regression {
            return 0;
        }
        label_of_mixture(out)
    }

    /// Labels of the first `n` rows, -1 for none.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::error::Error::Cancelled).
    pub fn classify<S: Source>(&self, source: &S, n: usize, control: &Control) -> Result<Vec<i64>> {
        let mut out = vec![0; n];
        fill_chunks(&mut out, 1, control, |first, chunk| {
            let mut scratch = vec![0.0; self.classes];
            self.tree.for_each_end(source, first..first + chunk.len(), |row, end| {
                chunk[row - first] = i64::from(self.label(source, row, end, &mut scratch));
            });
        })?;
        Ok(out)
    }

    /// Probabilities of the first `n` rows: `[row * classes + class]`, zeros where nothing is
    /// predicted.
    ///
    /// # Errors
    /// [`Error::Cancelled`](crate::error::Error::Cancelled).
    pub fn probabilities<S: Source>(
        &self,
        source: &S,
        n: usize,
        control: &Control,
    ) -> Result<Vec<f64>> {
        let classes = self.classes;
        let mut out = vec![0.0; n * classes];
        fill_chunks(&mut out, classes, control, |first, chunk| {
            self.tree.for_each_end(source, first..first + chunk.len() / classes, |row, end| {
                let of_row = &mut chunk[(row - first) * classes..][..classes];
                self.answer(source, row, end, of_row);
            });
        })?;
        Ok(out)
    }
}

/// The class with the largest probability in a mixture, -1 if all are 0. Probabilities that differ
/// from the largest by rounding only are set to it.
pub fn label_of_mixture(probabilities: &mut [f64]) -> i32 {
    let largest = probabilities.iter().fold(0.0, |a, &b| if b > a { b } else { a });
    if largest <= 0.0 {
        return -1;
    }
    probabilities.iter_mut().filter(|p| largest - **p < EQUAL).for_each(|p| *p = largest);
    majority(probabilities) as i32
}
