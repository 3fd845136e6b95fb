//! What a tree says about rows: classes and probabilities.
//!
//! A row that ends in one leaf is answered by it. A row in fractions is answered by the mixture of
//! its leaves: probabilities weighted by the fractions, the class with the largest of them (the
//! lower class of equals; shares that differ from the largest by rounding only are made equal to
//! it, so that class and probabilities agree). Leaves without an answer take no part.
//!
//! O(depth) a row; a row in fractions costs the nodes that they visit.

use super::block::in_parts;
use super::compiled::{CompiledTree, Source};
use crate::error::Result;
use crate::model::Model;
use crate::parallel::Control;
use crate::simd::walk::End;
use crate::tree::majority;
use std::collections::HashMap;

/// Probabilities this close are equal.
const EQUAL: f64 = 1e-9;

/// Answers that are compared one by one before they are looked up.
const FEW: usize = 8;

/// A model compiled for prediction, made once and kept.
///
/// Leaves that say the same share a number: most leaves of a grown-out tree hold one class, and
/// what they say then stays in the first-level cache.
#[derive(Debug)]
pub struct Predictor {
    /// The tree.
    pub tree: CompiledTree,
    /// The class that leaves of a number predict, -1 for none.
    labels: Vec<i32>,
    /// Their probabilities, number by number.
    probabilities: Vec<f64>,
    classes: usize,
    /// Every leaf predicts a class.
    always_answers: bool,
}

impl Predictor {
    /// Compile a model.
    pub fn new(model: &Model) -> Result<Self> {
        let k = model.tree.classes;
        let (mut labels, mut probabilities) = (Vec::<i32>::new(), Vec::<f64>::new());
        let mut known: HashMap<(i32, Vec<u64>), u32> = HashMap::new();
        let mut own = vec![0.0; k];
        let leaves = (0..model.tree.nodes.len()).filter(|&i| model.tree.is_leaf(i));
        let numbers: Vec<u32> = leaves
            .map(|leaf| {
                model.probabilities(leaf, &mut own);
                let label = model.tree.nodes[leaf].label;
                let bits = || own.iter().map(|p| p.to_bits());
                let mut first = labels.iter().zip(probabilities.chunks_exact(k)).take(FEW);
                let same = |(&other, p): (&i32, &[f64])| {
                    other == label && p.iter().map(|p| p.to_bits()).eq(bits())
                };
                if let Some(number) = first.position(same) {
                    return number as u32;
                }
                let next = labels.len() as u32;
                let number = match next as usize {
                    ..FEW => next,
                    _ => *known.entry((label, bits().collect())).or_insert(next),
                };
                if number == next {
                    labels.push(label);
                    probabilities.extend_from_slice(&own);
                }
                number
            })
            .collect();
        Ok(Self {
            always_answers: labels.iter().all(|&label| label >= 0),
            tree: CompiledTree::numbered(&model.tree, &model.schema, numbers.into_iter())?,
            labels,
            probabilities,
            classes: k,
        })
    }

    /// Number of declared classes.
    pub fn classes(&self) -> usize {
        self.classes
    }

    /// Probabilities of the leaves of a number.
    fn of_leaf(&self, number: usize) -> &[f64] {
        &self.probabilities[number * self.classes..][..self.classes]
    }

    /// Probabilities where a walk ended, when that is a leaf and all leaves predict a class.
    #[inline]
    pub(super) fn at_leaf(&self, end: End) -> Option<&[f64]> {
        let number = end.place().ok().filter(|_| self.always_answers)?;
        Some(self.of_leaf(number))
    }

    /// Class of a row whose walk ended somewhere, -1 for none.
    fn label<S: Source>(&self, source: &S, row: usize, end: End, scratch: &mut [f64]) -> i32 {
        match end.place() {
            Ok(number) => self.labels[number],
            Err(_) => self.answer(source, row, end, scratch),
        }
    }

    /// Probabilities of a row whose walk ended somewhere, and its class, -1 for none.
    pub fn answer<S: Source>(&self, source: &S, row: usize, end: End, out: &mut [f64]) -> i32 {
        let from = match end.place() {
            Ok(number) => {
                out.copy_from_slice(self.of_leaf(number));
                return self.labels[number];
            }
            Err(node) => node,
        };
        out.fill(0.0);
        self.tree.spread(source, row, from, |node, weight, _| {
            if let Some(number) = self.tree.leaf_number(node) {
                let own = self.of_leaf(number);
                out.iter_mut().zip(own).for_each(|(p, q)| *p += weight * q);
            }
        });
        let largest = out.iter().fold(0.0, |a, &b| if b > a { b } else { a });
        if largest <= 0.0 {
            return -1;
        }
        out.iter_mut().filter(|p| largest - **p < EQUAL).for_each(|p| *p = largest);
        majority(out) as i32
    }

    /// The class of each of `n` rows, -1 = unclassified.
    pub fn classify<S: Source>(&self, source: &S, n: usize, control: &Control) -> Result<Vec<i64>> {
        let mut out = vec![0; n];
        in_parts(&mut out, 1, control, |first, part| {
            let mut scratch = vec![0.0; self.classes];
            self.tree.ends(source, (first, part.len()), |row, end| {
                part[row - first] = i64::from(self.label(source, row, end, &mut scratch));
            });
        })?;
        Ok(out)
    }

    /// Probabilities of `n` rows, class by class; zeros where nothing is predicted.
    pub fn probabilities<S: Source>(
        &self,
        source: &S,
        n: usize,
        control: &Control,
    ) -> Result<Vec<f64>> {
        let k = self.classes;
        let mut out = vec![0.0; n * k];
        in_parts(&mut out, k, control, |first, part| {
            self.tree.ends(source, (first, part.len() / k), |row, end| {
                let at = (row - first) * k;
                self.answer(source, row, end, &mut part[at..at + k]);
            });
        })?;
        Ok(out)
    }
}
